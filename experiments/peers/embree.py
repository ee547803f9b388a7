"""First hits of segments with a triangle mesh by Embree (package embreex), one thread, timed on request.

usage: python3 embree.py ENVIRONMENT FOLDER

Installs embreex into the virtual environment ENVIRONMENT where it is not there yet. Reads vertices.npy, triangles.npy, from.npy and
to.npy in FOLDER, says that it is ready, and then runs a round for each line on standard input. At its end it writes
times.npy, NaN where there is no hit. Every answer is one JSON object on a line; {"error": ...} is the last one.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import venv


def say(**answer):
    print(json.dumps(answer), flush=True)


def interpreter(environment):
    return os.path.join(environment, "bin", "python")


def install(environment):
    """Makes the environment beside its place and moves it there: two at once do no harm, half of one is never used."""
    beside = f"{environment}.{os.getpid()}"
    try:
        venv.create(beside, with_pip=True)
        pip = [interpreter(beside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # One more try: without a network this must not take minutes.
        command = [*pip, "--retries", "1", "--timeout", "15", "--only-binary", ":all:", "numpy", "embreex"]
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            raise RuntimeError("pip could not install embreex; what it said is on standard error")
        try:
            os.rename(beside, environment)
        except OSError:
            if not os.path.exists(interpreter(environment)):
                raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def serve(folder):
    import embreex
    import numpy
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    def array(name, kind):
        return numpy.ascontiguousarray(numpy.load(os.path.join(folder, name)), dtype=kind)

    start, end = array("from.npy", numpy.float64), array("to.npy", numpy.float64)
    origins = start.astype(numpy.float32)
    # As long as the segment, so that times are those of the segment and 1 is its end.
    directions = (end - start).astype(numpy.float32)
    scene = EmbreeScene()
    mesh = TriangleMesh(scene, array("vertices.npy", numpy.float32), array("triangles.npy", numpy.int32))

    def query(kind):
        # The wrapper writes hit times over the limits it is given.
        limits = numpy.ones(len(origins), numpy.float32)
        began = time.perf_counter()
        answer = scene.run(origins, directions, dists=limits, query=kind)
        return time.perf_counter() - began, answer

    # The first query builds the tree; and tells which rays hit at all.
    _, triangle = query("INTERSECT")
    say(version=embreex.__version__)
    for _ in sys.stdin:
        seconds, _ = query("DISTANCE")
        say(seconds=seconds)
    _, times = query("DISTANCE")
    times = numpy.where(triangle < 0, numpy.nan, times.astype(numpy.float64))
    numpy.save(os.path.join(folder, "times.npy"), times)
    say(done=True)


def main():
    environment, folder = sys.argv[1:3]
    try:
        if sys.prefix == os.path.abspath(environment):
            serve(folder)
            return
        if not os.path.exists(interpreter(environment)):
            os.makedirs(os.path.dirname(environment), exist_ok=True)
            install(environment)
        python = interpreter(environment)
        os.execv(python, [python, os.path.abspath(__file__), os.path.abspath(environment), folder])
    except Exception as error:
        say(error=str(error) or type(error).__name__)


main()
