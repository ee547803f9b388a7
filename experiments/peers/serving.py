"""What peers in Python share: an environment of their own, and answers of one JSON object per line; {"error": ...} is the last one."""

import json
import os
import shutil
import subprocess
import sys
import venv


def say(**answer):
    print(json.dumps(answer), flush=True)


def interpreter(environment):
    return os.path.join(environment, "bin", "python")


def install(environment, packages):
    """Makes the environment beside its place and moves it there: two at once do no harm, half of one is never used."""
    beside = f"{environment}.{os.getpid()}"
    try:
        venv.create(beside, with_pip=True)
        pip = [interpreter(beside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # One more try: without a network this must not take minutes.
        command = [*pip, "--retries", "1", "--timeout", "15", "--only-binary", ":all:", *packages]
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            raise RuntimeError(f"pip could not install {packages[-1]}; what it said is on standard error")
        try:
            os.rename(beside, environment)
        except OSError:
            if not os.path.exists(interpreter(environment)):
                raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def answer_rounds(version, round_, end):
    """Says that it is ready, runs a round for every line of the input, and what is to be done at its end."""
    say(version=version)
    for _ in sys.stdin:
        say(**round_())
    end()
    say(done=True)


def main(script, packages, serve):
    """Runs `serve` with the folder, in the environment, which is made where it is not there yet."""
    environment, folder = sys.argv[1:3]
    try:
        if sys.prefix == os.path.abspath(environment):
            serve(folder)
            return
        if not os.path.exists(interpreter(environment)):
            os.makedirs(os.path.dirname(environment), exist_ok=True)
            install(environment, packages)
        python = interpreter(environment)
        os.execv(python, [python, os.path.abspath(script), os.path.abspath(environment), folder])
    except Exception as error:
        say(error=str(error) or type(error).__name__)
