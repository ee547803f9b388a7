//! Bodies and cloth of a scene, moved.

mod checkpoint;
mod play;
mod recording;
mod results;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use isotouch::cloth::scenes;
use isotouch::mesh::io::companions;
use isotouch::scene::{ClothSource, MeshSource, Scene, StageError};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::build_args::limit_threads;
use super::{output_path, scene_source};
use crate::console::{Console, write_stdout};
use crate::failure::{Classify, Failure};
use crate::format::{bytes, count, duration, number, plural};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;
use crate::values::{positive, whole};
use checkpoint::Checkpoint;
use play::{Plan, Play};
use recording::{Cast, Recording};

/// What a recording may take, in memory and on disk. More is a typing error far more often than a wish.
const MOST_BYTES: u64 = 8_000_000_000;
/// What `--resume` goes on from, in the folder of results.
const CHECKPOINT: &str = "resume/checkpoint";
const RECORDING: &str = "resume/recording";

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
    /// Seconds between checkpoints.
    #[arg(long, value_name = "S", default_value = "5", value_parser = positive, allow_hyphen_values = true)]
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

/// How a run ended.
enum Ending {
    Done,
    Interrupted,
    Diverged(StageError),
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
        if console.is_json() {
            let mut report = Report::new();
            report.key("scene", source.text);
            return Ok(report);
        }
        write_stdout(&source.text).or_failed()?;
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
    let earlier = Earlier::of(&folder, &fingerprint);
    earlier.allows(args, &folder)?;
    let made = Made::of(&folder);
    fs::create_dir_all(folder.join("resume"))
        .with_context(|| format!("cannot make the folder {}; choose another with -o", folder.display()))
        .or_bad_input()?;
    output_path::check_folder(&folder, "-o").or_bad_input()?;

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
    check_size(&plan, Cast::of(&play))?;
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
    let mut summary = run.summary(name, &plan, &ending);
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
    Ok(report(&folder, summary, stepping))
}

fn report(folder: &Path, summary: Map<String, Value>, stepping: Duration) -> Report {
    let mut report = Report::new();
    let of = |key: &str| summary.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let step = |key: &str| {
        let found = summary.get("step_ms").and_then(|times| times.get(key)).and_then(Value::as_f64);
        format!("{:.2} ms", found.unwrap_or(f64::NAN))
    };
    let length = |key: &str| summary.get(key).and_then(Value::as_array).map_or(0, Vec::len);
    let bodies = match length("bodies") {
        1 => "1 body".to_owned(),
        bodies => format!("{} bodies", count(bodies as u64)),
    };
    let particles = of("particles") as u64;
    let moved = match (length("bodies"), particles) {
        (_, 0) => bodies,
        (0, particles) => format!("cloth of {}", plural(particles, "particle")),
        (_, particles) => format!("{bodies} and cloth of {}", plural(particles, "particle")),
    };
    report.line(format_args!(
        "{} of {} in {}: {} s simulated",
        plural(of("steps") as u64, "step"),
        moved,
        duration(stepping),
        number(of("seconds"))
    ));
    let mut facts = vec![
        ("step", format!("{} (p50), {} (p99), {} (max)", step("p50"), step("p99"), step("max"))),
        ("deepest penetration", format!("{} mm", number(1e3 * of("max_penetration")))),
        ("points in contact", format!("{} at most", count(of("max_contacts") as u64))),
    ];
    if particles > 0 {
        let depth = of("cloth_depth");
        let words = if depth < 0.0 {
            format!("never nearer than {} mm to a surface", number(-1e3 * depth))
        } else {
            format!("{} mm below a surface at most", number(1e3 * depth))
        };
        facts.push(("cloth", words));
    }
    facts.push(("results", format!("{}: scene.glb, energy.png, trajectory.csv, …", folder.display())));
    if let Some(models) = summary.get("models").and_then(Value::as_str) {
        facts.insert(0, ("models", format!("of {models}; ISOTOUCH_MODELS= takes built-in shapes")));
    }
    report.facts(&facts);
    for (key, value) in summary {
        report.key(&key, value);
    }
    report.key("output", folder.display().to_string());
    report
}

/// Folders that were not there before.
struct Made(Vec<PathBuf>);

impl Made {
    fn of(folder: &Path) -> Self {
        let folders = [folder.join("resume"), folder.to_owned()];
        Self(folders.into_iter().filter(|folder| !folder.exists()).collect())
    }

    /// Takes them away again, as far as they are empty.
    fn remove(&self) {
        for folder in &self.0 {
            fs::remove_dir(folder).ok();
        }
    }
}

fn check_size(plan: &Plan, cast: Cast) -> Result<(), Failure> {
    let row = 8 * cast.width() as u64;
    let need = row.saturating_mul(plan.steps().saturating_add(1));
    if need > MOST_BYTES {
        let steps = count(plan.steps());
        return Err(anyhow!(
            "{steps} steps would take {} to record, more than {}; simulate less with --seconds, or take larger steps with --dt",
            bytes(need),
            bytes(MOST_BYTES)
        ))
        .or_bad_input();
    }
    Ok(())
}

/// Of all that motion depends on, but for how long it goes on: the text, the time step, and the mesh files.
fn fingerprint(text: &str, (dt, scene): (f64, Option<&Scene>)) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(format!("scene {}\n", text.len()));
    hash.update(text);
    hash.update(dt.to_le_bytes());
    let shapes = scene.iter().flat_map(|scene| scene.shapes()).filter_map(|shape| match &shape.mesh {
        MeshSource::File(path) => Some(path),
        MeshSource::BuiltIn(_) => None,
    });
    let cloth = scene.iter().flat_map(|scene| &scene.cloth).filter_map(|cloth| match &cloth.source {
        ClothSource::File(path, _) => Some(path),
        _ => None,
    });
    for path in shapes.chain(cloth) {
        // What cannot be read is told when the mesh is.
        let others = companions(path).unwrap_or_default();
        for file in std::iter::once(path).chain(&others) {
            hash.update(Sha256::digest(fs::read(file).unwrap_or_default()));
        }
    }
    hash.finalize().into()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a folder holds already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Earlier {
    Nothing,
    /// A whole run of this scene.
    Same,
    /// Of this scene, but not its end.
    Unfinished,
    /// Of another scene, or what is not understood.
    Other,
}

impl Earlier {
    fn of(folder: &Path, fingerprint: &[u8; 32]) -> Self {
        let summary = fs::read(folder.join("summary.json")).ok();
        let checkpoint = folder.join(CHECKPOINT);
        if summary.is_none() && !checkpoint.exists() {
            return Self::Nothing;
        }
        if checkpoint.exists() {
            match Checkpoint::read(&checkpoint) {
                Ok(found) if found.fingerprint == *fingerprint => {}
                _ => return Self::Other,
            }
        }
        let summary = summary.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        match summary {
            None => Self::Unfinished,
            Some(found) if found["fingerprint"] == hexadecimal(fingerprint) => {
                if found["finished"] == true {
                    Self::Same
                } else {
                    Self::Unfinished
                }
            }
            Some(_) => Self::Other,
        }
    }

    fn allows(self, args: &Args, folder: &Path) -> Result<(), Failure> {
        let shown = folder.display();
        let refused = match self {
            Self::Nothing if args.resume => {
                anyhow!("there is nothing in {shown} to go on from; leave out --resume")
            }
            Self::Other if args.resume => anyhow!(
                "{shown} holds results of another scene or time step, or the scene was changed, so --resume cannot go on from there; choose another folder \
                 with -o, or replace them with --force"
            ),
            Self::Other if !args.force => anyhow!(
                "{shown} holds results of another scene or time step; choose another folder with -o, or replace them with --force"
            ),
            Self::Unfinished if !args.resume && !args.force => {
                anyhow!(
                    "{shown} holds a run that was stopped; go on with --resume, or begin anew with --force"
                )
            }
            _ => return Ok(()),
        };
        Err(refused).or_bad_input()
    }
}

/// A world on its way.
struct Run {
    play: Play,
    recording: Recording,
    checkpoint: PathBuf,
    fingerprint: [u8; 32],
}

impl Run {
    fn begin(folder: &Path, mut play: Play, fingerprint: [u8; 32], args: &Args) -> Result<Self, Failure> {
        let (checkpoint, path) = (folder.join(CHECKPOINT), folder.join(RECORDING));
        let cast = Cast::of(&play);
        if args.resume {
            let found = Checkpoint::read(&checkpoint).or_bad_input()?;
            let recording = Recording::open(&path, cast, found.rows, found.rows_checksum)
                .with_context(|| format!("cannot read {}", path.display()))
                .or_bad_input()?;
            let recording = recording
                .ok_or_else(|| anyhow!("{} is damaged; begin anew with --force", path.display()))
                .or_bad_input()?;
            play.restore(&found.state, found.cloth.as_ref()).or_bad_input()?;
            return Ok(Self { play, recording, checkpoint, fingerprint });
        }
        // What is there is of another run: from here on it would be believed to be of this one.
        for name in results::FILES.into_iter().chain([CHECKPOINT]) {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error)
                        .with_context(|| format!("cannot replace {}", folder.join(name).display()))
                        .or_failed();
                }
                _ => {}
            }
        }
        results::remove_objs(folder).or_failed()?;
        let mut recording = Recording::create(&path, cast)
            .with_context(|| format!("cannot write {}", path.display()))
            .or_failed()?;
        recording.add(&play, &play.start());
        Ok(Self { play, recording, checkpoint, fingerprint })
    }

    /// The first row is the start.
    fn steps_taken(&self) -> u64 {
        self.recording.len() as u64 - 1
    }

    fn time(&self) -> f64 {
        self.recording.last().map_or(0.0, recording::Row::time)
    }

    /// Whether there is something left to do, or the run is as long as it should be.
    fn allows(&self, plan: &Plan) -> Result<(), Failure> {
        let done = self.steps_taken();
        if done <= plan.steps() {
            return Ok(());
        }
        Err(anyhow!(
            "{} s are simulated already, more than --seconds {}; --resume only makes runs longer, so give more, or begin anew with --force",
            number(self.time()),
            number(plan.seconds)
        ))
        .or_bad_input()
    }

    fn steps(&mut self, plan: &Plan, every: Duration, console: &Console) -> Result<Ending, Failure> {
        let bar = Bar::new(console);
        let total = plan.steps();
        let mut saved = Instant::now();
        while self.steps_taken() < total {
            if interrupt::check().is_err() {
                return Ok(Ending::Interrupted);
            }
            match self.play.step(plan.dt) {
                Ok(facts) => self.recording.add(&self.play, &facts),
                Err(error) => return Ok(Ending::Diverged(error)),
            }
            bar.update("steps", self.steps_taken(), total);
            if saved.elapsed() >= every {
                self.save()?;
                saved = Instant::now();
            }
        }
        Ok(Ending::Done)
    }

    /// The rows first, then the checkpoint that counts on them.
    fn save(&mut self) -> Result<(), Failure> {
        let (rows, rows_checksum) = self
            .recording
            .sync()
            .with_context(|| format!("cannot write {}", self.recording.path().display()))
            .or_failed()?;
        let (state, cloth) = self.play.state();
        let checkpoint = Checkpoint { fingerprint: self.fingerprint, rows, rows_checksum, state, cloth };
        checkpoint
            .write(&self.checkpoint)
            .with_context(|| format!("cannot write {}", self.checkpoint.display()))
            .or_failed()
    }

    fn summary(&self, name: &str, plan: &Plan, ending: &Ending) -> Map<String, Value> {
        let rows = || self.recording.rows();
        let most = |of: &dyn Fn(recording::Row<'_>) -> f64| rows().map(of).fold(0.0, f64::max);
        let mut times: Vec<f64> = rows().skip(1).map(|row| 1e3 * row.seconds()[0]).collect();
        times.sort_by(f64::total_cmp);
        let part = |share: f64| times.get((share * times.len() as f64) as usize).or(times.last()).copied();
        let cloth: Vec<Value> = self
            .play
            .cloths()
            .iter()
            .map(|cloth| {
                json!({
                    "name": cloth.name(),
                    "particles": cloth.places().len(),
                    "mass": cloth.masses().iter().sum::<f64>(),
                    "epsilon": cloth.epsilon(),
                    "thickness": cloth.thickness(),
                    "largest_stretch": cloth.largest_stretch(),
                })
            })
            .collect();
        let bodies: Vec<Value> = self
            .play
            .bodies()
            .iter()
            .map(|body| {
                json!({
                    "name": body.name(),
                    "mass": body.mass(),
                    "pose": body.pose().to_numbers(),
                    "speed": body.twist().linear.length(),
                    "turning": body.twist().angular.length(),
                })
            })
            .collect();
        let energy = |row: Option<recording::Row<'_>>| row.map(|row| row.energies().iter().sum::<f64>());
        let first = self.recording.rows().next();
        let summary = json!({
            "scene": name,
            "finished": matches!(ending, Ending::Done),
            "steps": self.steps_taken(),
            "dt": plan.dt,
            "seconds": self.time(),
            "max_penetration": most(&|row| row.penetration()),
            "max_contacts": most(&|row| row.contacts()) as u64,
            "stopped_bullets": rows().map(recording::Row::stopped).sum::<f64>() as u64,
            "energy_start": energy(first),
            "energy_end": energy(self.recording.last()),
            "step_ms": { "p50": part(0.5), "p99": part(0.99), "max": times.last() },
            "bodies": bodies,
            "particles": self.play.particles(),
            // Negative: how near cloth came.
            "cloth_depth": rows().map(recording::Row::cloth_depth).reduce(f64::max).filter(|depth| depth.is_finite()),
            "cloth": cloth,
        });
        match summary {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}
