//! From a text to a scene.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::body::{SceneBody, read_body};
use super::cloth::{SceneCloth, read_cloth, read_stepping};
use super::error::{Place, SceneError};
use super::materials::Materials;
use super::shape::{PlacedShape, ShapeSource, shape_of_name, shape_of_table};
use super::surface::{SceneSurface, read_surface};
use super::table::{Table, Text, Value, line_ends};
use crate::cloth::ClothWorldOptions;
use crate::contact::{Arms, ContactNormals, Damping, Handles, LEAST_SLIP_SPEED, Law, PenaltyOptions};
use crate::dynamics::{ContactModel, Integrator, WorldOptions};
use crate::mesh::shapes;
use crate::numbers::exact;

/// More bodies than this are a typing error, or need a program and not a text.
const MOST_BODIES: usize = 100_000;
/// Steps of a simulation.
const MOST_STEPS: f64 = 1e9;

/// Bodies, surfaces and how they are to be moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// One line about it, for people.
    pub about: String,
    /// How the world steps.
    pub options: WorldOptions,
    /// Seconds of a step.
    pub dt: f64,
    /// How long it goes on.
    pub seconds: f64,
    /// Frames per second of a film.
    pub frames_per_second: f64,
    /// Laws between kinds of materials.
    pub laws: Vec<(u32, u32, Law)>,
    /// What stands still.
    pub surfaces: Vec<SceneSurface>,
    /// In the order in which they were written.
    pub bodies: Vec<SceneBody>,
    /// Cloth and hair, in the order in which they were written.
    pub cloth: Vec<SceneCloth>,
    /// How cloth steps.
    pub cloth_options: ClothWorldOptions,
    pub(super) shapes: Vec<PlacedShape>,
}

const KEYS: [&str; 18] = [
    "about",
    "gravity",
    "dt",
    "seconds",
    "integrator",
    "contact",
    "penalty",
    "slip_speed",
    "separation_speed",
    "top_speed",
    "materials",
    "laws",
    "surfaces",
    "shapes",
    "bodies",
    "cloth",
    "cloth_stepping",
    "output",
];

impl Scene {
    /// Reads a scene file; paths in it are relative to its folder.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let text =
            fs::read_to_string(path).map_err(|source| SceneError::Read { path: path.to_owned(), source })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// A scene from its text. `file` is what messages call it; paths in the text are relative to its folder.
    pub fn parse(file: &str, text: &str) -> Result<Self, SceneError> {
        let ends = line_ends(text);
        let text = Text { file, text, line_ends: &ends };
        let root = text.parse()?;
        let root = Table::of_text(text, &root);
        if let Some(value) = root.get("haptic") {
            let problem =
                "this is a scene to be felt and not one to be simulated; run it with `isotouch haptic`";
            return Err(SceneError::Conflict { place: value.place(), problem: problem.to_owned() });
        }
        root.check_keys(&KEYS)?;
        let folder = Path::new(file).parent().unwrap_or(Path::new("")).to_owned();

        let about = root.get("about").map(|value| value.text()).transpose()?.unwrap_or_default().to_owned();
        let dt = root.get("dt").map(|value| value.positive()).transpose()?.unwrap_or(1.0 / 240.0);
        let seconds = root.get("seconds").map(|value| value.positive()).transpose()?.unwrap_or(5.0);
        if seconds / dt > MOST_STEPS {
            // Whichever was written; one was, for the usual ones are few steps.
            let value = match root.get("dt") {
                Some(value) => value,
                None => root.need("seconds", "write seconds = 5.0")?,
            };
            return Err(value.bad(format!(
                "so that {} s are at most {MOST_STEPS:e} steps of {} s",
                exact(seconds),
                exact(dt)
            )));
        }
        let materials = Materials::read(&root)?;
        let options = world_options(&root)?;
        let mut scene = Self {
            about,
            options,
            cloth: Vec::new(),
            cloth_options: read_stepping(&root, options.gravity)?,
            dt,
            seconds,
            frames_per_second: frame_rate(&root)?,
            laws: materials.laws(&root, options.slip_speed)?,
            surfaces: Vec::new(),
            bodies: Vec::new(),
            shapes: Vec::new(),
        };
        if let Some(value) = root.get("surfaces") {
            for (k, value) in value.list()?.iter().enumerate() {
                let table =
                    value.table(title("surface", k, value.table("surface")?.get("name").as_ref())?)?;
                let surface = read_surface(&table, k + 1, &materials)?;
                if scene.surfaces.iter().any(|other| other.name == surface.name) {
                    let (place, name) = (table.place(), surface.name);
                    return Err(SceneError::Duplicate { place, what: "surface", name });
                }
                scene.surfaces.push(surface);
            }
        }
        if let Some(value) = root.get("cloth") {
            for (k, value) in value.list()?.iter().enumerate() {
                let table = value.table(title("cloth", k, value.table("cloth")?.get("name").as_ref())?)?;
                let name = table.name(|| format!("cloth {}", k + 1))?;
                if scene.cloth.iter().any(|other| other.options.name == name) {
                    return Err(SceneError::Duplicate { place: table.place(), what: "cloth", name });
                }
                scene.cloth.push(read_cloth(&table, name, &folder)?);
            }
        }
        let named_shapes = named_shapes(&root, &folder)?;
        scene.read_bodies(&root, &folder, (&materials, &named_shapes))?;
        Ok(scene)
    }

    fn read_bodies(
        &mut self,
        root: &Table<'_>,
        folder: &Path,
        (materials, named): (&Materials, &[(String, PlacedShape)]),
    ) -> Result<(), SceneError> {
        let Some(value) = root.get("bodies") else {
            // Cloth needs no bodies.
            if !self.cloth.is_empty() {
                return Ok(());
            }
            return Err(SceneError::Missing {
                place: root.place(),
                what: root.what.clone(),
                key: "bodies or cloth",
                remedy: "add [[bodies]] with name = \"ball\" and shape = \"sphere\", or [[cloth]] with shape = { kind = \"sheet\" }",
            });
        };
        let list = value.list()?;
        if list.is_empty() || list.len() > MOST_BODIES {
            return Err(value.bad(format!("a list of 1 to {MOST_BODIES} bodies")));
        }
        // Found by their names, so that many bodies are read in a time in proportion.
        let mut names = BTreeSet::new();
        let mut sources: BTreeMap<String, usize> = BTreeMap::new();
        let named_shapes: BTreeMap<&str, &PlacedShape> =
            named.iter().map(|(name, shape)| (name.as_str(), shape)).collect();
        for (k, value) in list.iter().enumerate() {
            let table = value.table(title("body", k, value.table("body")?.get("name").as_ref())?)?;
            let name = table.name(|| format!("body {}", k + 1))?;
            if !names.insert(name.clone()) {
                return Err(SceneError::Duplicate { place: table.place(), what: "body", name });
            }
            let (options, force) = read_body(&table, name, materials)?;
            let shape =
                table.need("shape", "write shape = \"sphere\", or shape = { file = \"part.obj\" }")?;
            let source = if shape.is_text() {
                let name = shape.text()?;
                let found = named_shapes.get(name).map(|shape| (*shape).clone());
                found.or_else(|| shape_of_name(name, &shape)).ok_or_else(|| {
                    let known: Vec<&str> =
                        named.iter().map(|(name, _)| name.as_str()).chain(shapes::NAMES).collect();
                    shape.unknown(name, "shape of the scene, and no built-in one", &known)
                })?
            } else {
                shape_of_table(&shape.table(format!("the shape of {}", table.what))?, folder)?
            };
            // Made alike, shared.
            let shape = *sources.entry(format!("{:?}", source.source)).or_insert(self.shapes.len());
            if shape == self.shapes.len() {
                self.shapes.push(source);
            }
            self.bodies.push(SceneBody { shape, options, force, place: table.place() });
        }
        Ok(())
    }

    /// Steps of the whole simulation: as many as there is time for, and one at least.
    pub fn steps(&self) -> u64 {
        // A duration that is a whole number of steps but for rounding is that many.
        (self.seconds / self.dt + 1e-6).floor().max(1.0) as u64
    }

    /// The different shapes of all bodies.
    pub fn shapes(&self) -> impl ExactSizeIterator<Item = &ShapeSource> {
        self.shapes.iter().map(|shape| &shape.source)
    }

    /// Where they are described, in the same order.
    pub fn shape_places(&self) -> impl ExactSizeIterator<Item = &Place> {
        self.shapes.iter().map(|shape| &shape.place)
    }
}

/// `body 'ball'`, or `body 3` where it has no name.
fn title(what: &str, k: usize, name: Option<&Value<'_>>) -> Result<String, SceneError> {
    Ok(match name {
        Some(value) => format!("{what} '{}'", value.text()?),
        None => format!("{what} {}", k + 1),
    })
}

fn named_shapes(root: &Table<'_>, folder: &Path) -> Result<Vec<(String, PlacedShape)>, SceneError> {
    let Some(value) = root.get("shapes") else { return Ok(Vec::new()) };
    let mut named = Vec::new();
    for (name, value) in value.table("shapes")?.entries() {
        let shape = shape_of_table(&value.table(format!("shape '{name}'"))?, folder)?;
        named.push((name.to_owned(), shape));
    }
    Ok(named)
}

fn frame_rate(root: &Table<'_>) -> Result<f64, SceneError> {
    const USUAL: f64 = 30.0;
    let Some(value) = root.get("output") else { return Ok(USUAL) };
    let table = value.table("output")?;
    table.check_keys(&["frames_per_second"])?;
    Ok(table.positive("frames_per_second")?.unwrap_or(USUAL))
}

fn world_options(root: &Table<'_>) -> Result<WorldOptions, SceneError> {
    let usual = WorldOptions::default();
    let integrator = root.named("integrator", &Integrator::NAMES)?.unwrap_or_default();
    if integrator == Integrator::Implicit {
        for key in ["contact", "penalty"] {
            if let Some(value) = root.get(key) {
                let problem = format!(
                    "{key} has no effect on the implicit integrator; leave it out, or write integrator = \"symplectic\""
                );
                return Err(SceneError::Conflict { place: value.place(), problem });
            }
        }
    }
    Ok(WorldOptions {
        gravity: root.vector_within("gravity", (1e9, "m/s²"))?.unwrap_or(usual.gravity),
        integrator,
        contact: root.named("contact", &ContactModel::NAMES)?.unwrap_or_default(),
        penalty: penalty(root, integrator)?,
        slip_speed: slip_speed(root)?.unwrap_or(usual.slip_speed),
        separation_speed: root.positive("separation_speed")?.unwrap_or(usual.separation_speed),
        top_speed: root.positive("top_speed")?.unwrap_or(usual.top_speed),
    })
}

fn slip_speed(root: &Table<'_>) -> Result<Option<f64>, SceneError> {
    let Some(value) = root.get("slip_speed") else { return Ok(None) };
    let speed = value.positive()?;
    if speed < LEAST_SLIP_SPEED {
        return Err(value.bad(format!("{} m/s or more; 1e-5 is usual", exact(LEAST_SLIP_SPEED))));
    }
    Ok(Some(speed))
}

fn penalty(root: &Table<'_>, integrator: Integrator) -> Result<PenaltyOptions, SceneError> {
    let usual = match integrator {
        Integrator::Papers => PenaltyOptions::papers(),
        Integrator::Implicit | Integrator::Symplectic => PenaltyOptions::default(),
    };
    let Some(value) = root.get("penalty") else { return Ok(usual) };
    let table = value.table("penalty")?;
    table.check_keys(&["subintervals", "normals", "damping", "handles", "arms"])?;
    Ok(PenaltyOptions {
        subintervals: match table.get("subintervals") {
            Some(value) => value.whole(1, 10_000)? as u32,
            None => usual.subintervals,
        },
        normals: table
            .named("normals", &[("field", ContactNormals::Field), ("shell", ContactNormals::Shell)])?
            .unwrap_or(usual.normals),
        damping: table
            .named("damping", &[("normal", Damping::Normal), ("full", Damping::Full)])?
            .unwrap_or(usual.damping),
        handles: table
            .named("handles", &[("interpolated", Handles::Interpolated), ("substep", Handles::Substep)])?
            .unwrap_or(usual.handles),
        arms: table.named("arms", &[("start", Arms::Start), ("moving", Arms::Moving)])?.unwrap_or(usual.arms),
        iso: usual.iso,
    })
}
