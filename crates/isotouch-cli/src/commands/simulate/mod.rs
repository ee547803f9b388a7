//! Bodies and cloth of a scene, moved.

mod checkpoint;
mod earlier;
mod lock;
mod play;
mod recording;
mod results;
mod run;
mod summary;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, ensure};
use isotouch::cloth::scenes;
use isotouch::field::available_memory;
use isotouch::scene::Scene;
use serde_json::{Value, json};

use super::build_args::limit_threads;
use super::{output_path, scene_source};
use crate::console::{Console, write_stdout};
use crate::failure::{Classify, Failure};
use crate::format::{bytes, count, number, plural};
use crate::report::Report;
use crate::values::{between, positive, whole};
use earlier::{Earlier, Made, fingerprint, hexadecimal};
use lock::Lock;
use play::{Plan, Play};
use recording::Cast;
use run::{Ending, Run};

/// What a recording may take, in memory and on disk. More is a typing error far more often than a wish.
const MOST_BYTES: u64 = 8_000_000_000;
/// How often a recording is in memory at most: while results are written, as rows, as arrays, and as a film.
const COPIES: u64 = 3;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    SCENE is a TOML file (docs/simulation.md describes it) or a built-in scene: drop, bowls, detailed-drop, pile, incline, nut-bolt, gears, thin-plate; \
    of cloth tablecloth, drag, rod, trousers, hair, flag-wires (docs/cloth.md). Where there are models, in the folder that ISOTOUCH_MODELS names or in ../shared/models, drop, detailed-drop, pile and nut-bolt take these; \
    ISOTOUCH_MODELS= takes built-in shapes.\n\n\
    DIR gets trajectory.csv and trajectory.npz (poses, energies, penetration, contacts, places of cloth), scene.glb (a film), charts as SVG and PNG, summary.json, and \
    resume/, which --resume goes on from.\n\n\
    Examples:\n  \
    isotouch simulate drop -o drop\n  \
    isotouch simulate drop --print-scene > mine.toml\n  \
    isotouch simulate mine.toml -o mine --seconds 10 --dt 0.002\n  \
    isotouch simulate mine.toml -o mine --seconds 20 --resume\n  \
    isotouch simulate tablecloth -o tablecloth --obj")]
pub(crate) struct Args {
    /// A scene file, or the name of a built-in scene.
    scene: PathBuf,
    /// Folder for results; made if it is not there.
    #[arg(long, short, value_name = "DIR", required_unless_present = "print_scene")]
    output: Option<PathBuf>,
    /// How long, in simulated seconds, instead of what the scene says.
    #[arg(long, value_name = "T", value_parser = positive, allow_hyphen_values = true)]
    seconds: Option<f64>,
    /// Time step in seconds, instead of what the scene says.
    #[arg(long, value_name = "D", value_parser = positive, allow_hyphen_values = true)]
    dt: Option<f64>,
    /// Go on where an earlier run was stopped or ended, with the same bits as if it had not.
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Replace results of another scene, or of a run that was stopped.
    #[arg(long)]
    force: bool,
    /// Seconds between checkpoints, from 0.001 to 10⁹.
    #[arg(long, value_name = "S", default_value = "5", value_parser = between(1e-3, 1e9), allow_hyphen_values = true)]
    checkpoint_every: f64,
    /// Write cloth as a mesh per frame of the film too: obj/NAME.0000.obj and so on.
    #[arg(long)]
    obj: bool,
    /// Print the text of the scene, to be copied and changed, and do nothing else.
    #[arg(long)]
    print_scene: bool,
    /// Threads to use: 1 to 1024 [default: all].
    #[arg(long, value_name = "N", value_parser = whole(1, 1024), allow_negative_numbers = true)]
    threads: Option<u32>,
    /// Build fields of mesh files anew, and do not keep them for the next time.
    #[arg(long)]
    no_cache: bool,
}

/// A scene that was read but not built.
enum Script {
    Text(Box<Scene>),
    /// A built-in scene of cloth.
    Cloth(&'static str),
}

/// A scene as it was found.
struct Found<'a> {
    script: Script,
    name: &'a str,
    text: &'a str,
    /// The folder of the models that it is of.
    models: Option<&'a Path>,
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    if let Some(name) = play::cloth_scene(&args.scene) {
        if args.print_scene {
            return Err(anyhow!(
                "the scene '{name}' is a program and has no text: there is more in it than scenes can say yet; docs/cloth.md has a text with cloth to begin with"
            ))
            .or_bad_input();
        }
        limit_threads(args.threads)?;
        // What it says itself is known when it is built, which takes a while.
        let plan = Plan { dt: 0.0, seconds: 0.0, frames_per_second: 30.0, surfaces: Vec::new() };
        let text = format!("cloth {name}");
        let found = Found { script: Script::Cloth(name), name, text: &text, models: None };
        return simulate(args, found, plan, console);
    }
    let source = scene_source::text(&args.scene)?;
    if args.print_scene {
        let text = source.to_be_copied().or_failed()?;
        if console.is_json() {
            let mut report = Report::new();
            report.key("scene", text);
            return Ok(report);
        }
        write_stdout(&text).or_failed()?;
        return Ok(Report::new());
    }
    limit_threads(args.threads)?;
    let mut scene = Scene::parse(&source.name, &source.text).or_bad_input()?;
    scene.dt = args.dt.unwrap_or(scene.dt);
    scene.seconds = args.seconds.unwrap_or(scene.seconds);
    let plan = Plan::of(&scene);
    check_size(&plan, Cast { actors: scene.bodies.len(), particles: 0 })?;
    let script = Script::Text(Box::new(scene));
    let found = Found { script, name: &source.name, text: &source.text, models: source.models.as_deref() };
    simulate(args, found, plan, console)
}

fn simulate(
    args: &Args,
    Found { script, name, text, models }: Found<'_>,
    mut plan: Plan,
    console: &Console,
) -> Result<Report, Failure> {
    // `required_unless_present` of the arguments.
    let folder = args.output.clone().unwrap_or_default();
    let fingerprint = match &script {
        Script::Text(scene) => fingerprint(text, (scene.dt, Some(scene))),
        // Without --dt it is what the scene says, whatever that is.
        Script::Cloth(_) => fingerprint(text, (args.dt.unwrap_or(0.0), None)),
    };
    Lock::is_free(&folder)?;
    let earlier = Earlier::of(&folder, &fingerprint);
    earlier.allows(args, &folder)?;
    let made = Made::of(&folder);
    fs::create_dir_all(folder.join("resume"))
        .with_context(|| format!("cannot make the folder {}; choose another with -o", folder.display()))
        .or_bad_input()?;
    output_path::check_folder(&folder, "-o").or_bad_input()?;
    let _lock = Lock::take(&folder)?;

    let clock = Instant::now();
    let play = match script {
        Script::Text(scene) => Play::of_scene(&scene, args, console).inspect_err(|_| made.remove())?,
        Script::Cloth(name) => {
            let scene = scenes::by_name(name).or_failed()?;
            plan.dt = args.dt.unwrap_or(scene.dt);
            plan.seconds = args.seconds.unwrap_or(scene.seconds);
            Play::Cloth(Box::new(scene))
        }
    };
    if plan.dt > plan.seconds * (1.0 + 1e-9) {
        made.remove();
        return Err(anyhow!(
            "a step of {} s is longer than the {} s to simulate; take smaller steps with --dt, or more --seconds",
            number(plan.dt),
            number(plan.seconds)
        ))
        .or_bad_input();
    }
    check_size(&plan, Cast::of(&play)).inspect_err(|_| made.remove())?;
    earlier.allows_steps(plan.steps(), args, &folder)?;
    let building = clock.elapsed();
    let mut run = Run::begin(&folder, play, fingerprint, args)?;
    run.allows(&plan)?;
    let from = run.steps_taken();
    let clock = Instant::now();
    let ending = run.steps(&plan, Duration::from_secs_f64(args.checkpoint_every), console)?;
    run.save()?;
    let stepping = clock.elapsed();
    if matches!(ending, Ending::Interrupted) {
        console.warn(format_args!(
            "stopped after {} of {}, t = {} s; go on with --resume",
            count(run.steps_taken()),
            plural(plan.steps(), "step"),
            number(run.time())
        ));
        return Err(Failure::Interrupted);
    }
    let mut summary = summary::of(&run, name, &plan, &ending);
    let doubts = run.play.doubts();
    doubts.iter().for_each(|doubt| console.warn(doubt));
    summary.insert("doubts".into(), doubts.into());
    if let Ending::Diverged(error) = &ending {
        summary.insert("error".into(), error.to_string().into());
    }
    let models = models.map(|folder| folder.display().to_string());
    summary.insert("models".into(), models.into());
    summary.insert("fingerprint".into(), hexadecimal(&fingerprint).into());
    summary.insert("build_seconds".into(), building.as_secs_f64().into());
    summary.insert("wall_seconds".into(), stepping.as_secs_f64().into());
    summary.insert("resumed_at_step".into(), if args.resume { json!(from) } else { Value::Null });
    let results =
        results::Results { folder: &folder, plan: &plan, play: &run.play, recording: &run.recording };
    results.write(&summary, args.obj).or_failed()?;
    if let Ending::Diverged(error) = ending {
        return Err(anyhow!("{error}; what there is until then is in {}", folder.display())).or_failed();
    }
    Ok(summary::report(&folder, summary, stepping))
}

fn check_size(plan: &Plan, cast: Cast) -> Result<(), Failure> {
    check_size_of(plan.steps(), cast, available_memory().unwrap_or(u64::MAX)).or_bad_input()
}

fn check_size_of(steps: u64, cast: Cast, available: u64) -> anyhow::Result<()> {
    const REMEDY: &str = "simulate less with --seconds, or take larger steps with --dt";
    let row = 8 * cast.width() as u64;
    let recording = row.saturating_mul(steps.saturating_add(1));
    let memory = recording.saturating_mul(COPIES);
    let shown = count(steps);
    ensure!(
        recording <= MOST_BYTES,
        "{shown} steps would take {} to record, more than {}; {REMEDY}",
        bytes(recording),
        bytes(MOST_BYTES)
    );
    ensure!(
        memory <= available,
        "recording {shown} steps needs about {} of memory, and {} are available; {REMEDY}",
        bytes(memory),
        bytes(available)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of one body is 23 numbers, 184 bytes.
    #[test]
    fn recordings_must_fit_into_memory_and_files() {
        let cast = Cast { actors: 1, particles: 0 };
        let check =
            |steps, available| check_size_of(steps, cast, available).map_err(|error| error.to_string());
        assert_eq!(check(999, 3 * 184_000), Ok(()));
        let short = check(999, 3 * 184_000 - 1).unwrap_err();
        assert!(short.contains("999 steps needs about") && short.contains("--dt"), "{short}");
        assert!(check(u64::MAX, u64::MAX).unwrap_err().contains("to record"));
    }
}
