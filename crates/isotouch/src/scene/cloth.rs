//! Cloth of a scene.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use glam::DVec3;

use super::body::{FARTHEST, rotation};
use super::error::{Place, SceneError, ShapeFailure};
use super::table::{Table, Value};
use crate::cloth::garments::{self, HairOptions, TrousersOptions};
use crate::cloth::{
    Cloth, ClothError, ClothOptions, ClothWorldOptions, CollisionMethod, EdgeTest, Fabric, FrictionModel,
    StrandOptions, no_more_than_its_size,
};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::mesh::io::{self, ReadOptions, VertexNumbers};

/// A cloth of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneCloth {
    /// What it is cut from.
    pub source: ClothSource,
    /// Where it is put.
    pub pose: Pose,
    /// How fast it is at the start, m/s.
    pub velocity: DVec3,
    /// What it is like; of strands, what both have.
    pub options: ClothOptions,
    /// Hands that lead it.
    pub handles: Vec<SceneHandle>,
    /// Where it is described.
    pub place: Place,
    /// Where its shape is.
    pub shape_place: Place,
    /// Where its pins are.
    pub pins_place: Option<Place>,
}

/// Particles that are held, and led together.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneHandle {
    /// Which.
    pub particles: Vec<usize>,
    /// m/s.
    pub velocity: DVec3,
    /// When they begin to move, s.
    pub after: f64,
    /// When they stop, s.
    pub until: f64,
    /// Where it is described.
    pub place: Place,
}

impl SceneHandle {
    /// How far it has led its particles at a time, m.
    pub fn way(&self, time: f64) -> DVec3 {
        self.velocity * (time.min(self.until) - self.after).max(0.0)
    }
}

/// What cloth is cut from.
#[derive(Debug, Clone, PartialEq)]
pub enum ClothSource {
    /// A mesh file, its path resolved against the scene's folder, every coordinate multiplied.
    File(PathBuf, f64),
    /// [`garments::sheet`].
    Sheet([f64; 2], [usize; 2]),
    /// [`garments::trousers`].
    Trousers(TrousersOptions),
    /// [`garments::hair`], with what strands have beside.
    Hair(HairOptions, StrandOptions),
}

/// Settings of `[[cloth]]`.
const KEYS: [&str; 20] = [
    "name",
    "shape",
    "position",
    "rotation",
    "velocity",
    "density",
    "stretch",
    "shear",
    "bend",
    "warp",
    "epsilon",
    "edges",
    "self_collision",
    "thickness",
    "self_friction",
    "damping",
    "drag",
    "pins",
    "handles",
    "held",
];

/// Of cloth, of hands and of wind, m/s: half of what counts as diverged.
const FASTEST: (f64, &str) = (5e4, "m/s");

pub(super) fn read_cloth(table: &Table<'_>, name: String, folder: &Path) -> Result<SceneCloth, SceneError> {
    table.check_keys(&KEYS)?;
    let usual = ClothOptions { name, ..Default::default() };
    let shape =
        table.need("shape", "write shape = { kind = \"sheet\", size = [1, 1], squares = [30, 30] }")?;
    let mut source = read_source(&shape.table(format!("the shape of {}", table.what))?, folder)?;
    let ignored: &[&str] = if matches!(source, ClothSource::Hair(..)) {
        &["shear", "warp", "self_collision", "thickness", "self_friction", "drag", "pins"]
    } else {
        &["held"]
    };
    if let Some((key, value)) = ignored.iter().find_map(|key| Some((key, table.get(key)?))) {
        let of = if *key == "held" { "but hair; use pins" } else { "made of hair" };
        let problem = format!("{key} has no effect on cloth {of}; leave it out");
        return Err(SceneError::Conflict { place: value.place(), problem });
    }
    let positive = |key: &str, usual: f64| Ok::<f64, SceneError>(table.positive(key)?.unwrap_or(usual));
    let number = |key: &str, usual: f64| Ok::<f64, SceneError>(table.not_negative(key)?.unwrap_or(usual));
    let fabric = Fabric {
        density: positive("density", usual.fabric.density)?,
        stretch: positive("stretch", usual.fabric.stretch)?,
        shear: number("shear", usual.fabric.shear)?,
        bend: number("bend", usual.fabric.bend)?,
    };
    let flag = |key: &str, usual: bool| -> Result<bool, SceneError> {
        Ok(table.get(key).map(|value| value.flag()).transpose()?.unwrap_or(usual))
    };
    let options = ClothOptions {
        fabric,
        warp: match table.get("warp") {
            Some(value) => {
                value.vector()?.try_normalize().ok_or_else(|| value.bad("a direction, as [1, 0, 0]"))?
            }
            None => usual.warp,
        },
        epsilon: table.positive("epsilon")?,
        edges: table.named("edges", &EdgeTest::NAMES)?.unwrap_or_default(),
        self_collision: flag("self_collision", usual.self_collision)?,
        thickness: table.positive("thickness")?,
        self_friction: number("self_friction", usual.self_friction)?,
        damping: number("damping", usual.damping)?,
        drag: number("drag", usual.drag)?,
        pins: table.get("pins").map(|value| read_particles(&value)).transpose()?.unwrap_or_default(),
        ..usual
    };
    if let ClothSource::Hair(_, strands) = &mut source {
        *strands = StrandOptions {
            name: options.name.clone(),
            density: positive("density", strands.density)?,
            stretch: positive("stretch", strands.stretch)?,
            bend: number("bend", strands.bend)?,
            epsilon: options.epsilon,
            edges: options.edges,
            damping: number("damping", strands.damping)?,
            held: match table.get("held") {
                Some(value) => value.whole(0, 10_000)? as usize,
                None => strands.held,
            },
        };
    }
    let pose = Pose {
        position: table.vector_within("position", (FARTHEST, "m"))?.unwrap_or(DVec3::ZERO),
        rotation: table.get("rotation").map(|value| rotation(&value)).transpose()?.unwrap_or_default(),
    };
    let velocity = table.vector_within("velocity", FASTEST)?.unwrap_or(DVec3::ZERO);
    let handles = match table.get("handles") {
        Some(value) => {
            let list = value.list()?;
            if list.is_empty() {
                return Err(value.bad("a list of handles, or left out"));
            }
            list.iter().map(|of| read_handle(of, &table.what)).collect::<Result<_, SceneError>>()?
        }
        None => Vec::new(),
    };
    let (place, shape_place) = (table.place(), shape.place());
    let pins_place = table.get("pins").map(|value| value.place());
    Ok(SceneCloth { source, pose, velocity, options, handles, place, shape_place, pins_place })
}

fn read_particles(value: &Value<'_>) -> Result<Vec<usize>, SceneError> {
    value.list()?.iter().map(|of| Ok(of.whole(0, u64::from(u32::MAX))? as usize)).collect()
}

fn read_handle(value: &Value<'_>, cloth: &str) -> Result<SceneHandle, SceneError> {
    let table = value.table(format!("a handle of {cloth}"))?;
    table.check_keys(&["particles", "velocity", "after", "until"])?;
    let held = table.need("particles", "write particles = [0, 1]")?;
    let particles = read_particles(&held)?;
    if particles.is_empty() {
        return Err(held.bad("a list of at least one particle"));
    }
    let after = table.not_negative("after")?.unwrap_or(0.0);
    let until = match table.get("until") {
        Some(value) if value.number()? < after => {
            return Err(value.bad(format!("no less than after, {after}")));
        }
        Some(value) => value.number()?,
        None => f64::INFINITY,
    };
    let velocity = table.vector_within("velocity", FASTEST)?.unwrap_or(DVec3::ZERO);
    Ok(SceneHandle { particles, velocity, after, until, place: table.place() })
}

/// A count of pieces.
fn many(table: &Table<'_>, key: &str, usual: usize) -> Result<usize, SceneError> {
    Ok(match table.get(key) {
        Some(value) => value.whole(1, 100_000)? as usize,
        None => usual,
    })
}

fn read_source(table: &Table<'_>, folder: &Path) -> Result<ClothSource, SceneError> {
    let counts = |value: &Value<'_>| -> Result<[usize; 2], SceneError> {
        let list = value.list()?;
        let [a, b] = &list[..] else { return Err(value.bad("a list of two counts")) };
        Ok([a.whole(1, 10_000)? as usize, b.whole(1, 10_000)? as usize])
    };
    match table.either(["kind", "file"])? {
        Some(("file", value)) => {
            table.check_keys(&["file", "scale"])?;
            Ok(ClothSource::File(folder.join(value.text()?), table.positive("scale")?.unwrap_or(1.0)))
        }
        Some((_, value)) => match value.text()? {
            "sheet" => {
                table.check_keys(&["kind", "size", "squares"])?;
                let size = table.get("size").map(|value| value.numbers::<2>()).transpose()?;
                let squares = table.get("squares").map(|value| counts(&value)).transpose()?;
                Ok(ClothSource::Sheet(size.unwrap_or([1.0, 1.0]), squares.unwrap_or([30, 30])))
            }
            "tablecloth" => {
                table.check_keys(&["kind", "side", "squares"])?;
                let side = table.positive("side")?.unwrap_or(1.0);
                let squares = many(table, "squares", 30)?;
                Ok(ClothSource::Sheet([side, side], [squares, squares]))
            }
            "ribbon" => {
                table.check_keys(&["kind", "length", "width", "squares"])?;
                let long = table.positive("length")?.unwrap_or(1.0);
                let squares = many(table, "squares", 40)?;
                let wide = table.positive("width")?.unwrap_or(long / squares as f64);
                Ok(ClothSource::Sheet([long, wide], [squares, 1]))
            }
            "trousers" => {
                table.check_keys(&["kind", "leg_radius", "leg_length", "rise", "stance", "around"])?;
                let usual = TrousersOptions::default();
                let length =
                    |key: &str, usual: f64| Ok::<f64, SceneError>(table.positive(key)?.unwrap_or(usual));
                Ok(ClothSource::Trousers(TrousersOptions {
                    leg_radius: length("leg_radius", usual.leg_radius)?,
                    leg_length: length("leg_length", usual.leg_length)?,
                    rise: length("rise", usual.rise)?,
                    stance: length("stance", usual.stance)?,
                    around: match table.get("around") {
                        Some(value) => value.whole(4, 10_000)? as usize,
                        None => usual.around,
                    },
                }))
            }
            "hair" => {
                table.check_keys(&["kind", "radius", "length", "strands", "points", "crown"])?;
                let usual = HairOptions::default();
                let hair = HairOptions {
                    radius: table.positive("radius")?.unwrap_or(usual.radius),
                    length: table.positive("length")?.unwrap_or(usual.length),
                    strands: many(table, "strands", usual.strands)?,
                    points: many(table, "points", usual.points)?,
                    crown: table.positive("crown")?.unwrap_or(usual.crown),
                    ..usual
                };
                Ok(ClothSource::Hair(hair, StrandOptions::default()))
            }
            other => {
                Err(value.unknown(other, "cloth", &["sheet", "tablecloth", "ribbon", "trousers", "hair"]))
            }
        },
        None => Err(SceneError::Missing {
            place: table.place(),
            what: table.what.clone(),
            key: "a kind or a file",
            remedy: "write kind = \"sheet\", or file = \"shirt.obj\"",
        }),
    }
}

/// A cloth of a scene, cut.
#[derive(Debug, Clone)]
pub struct CutCloth {
    /// Where it is put, with its pins.
    pub cloth: Cloth,
    /// Of a mesh file.
    numbers: Option<VertexNumbers>,
}

impl CutCloth {
    /// Which particle is meant by a number in the scene: of a mesh file, that of a vertex as the file counts, from 0.
    pub fn particle(&self, number: usize) -> Result<usize, ClothError> {
        particle(self.cloth.name(), self.numbers.as_ref(), number)
    }
}

fn particle(cloth: &str, numbers: Option<&VertexNumbers>, number: usize) -> Result<usize, ClothError> {
    let Some(numbers) = numbers else { return Ok(number) };
    let (cloth, count) = (cloth.to_owned(), numbers.len());
    if number >= count {
        return Err(ClothError::NoSuchVertex { cloth, vertex: number, count });
    }
    numbers.in_mesh(number).ok_or(ClothError::LooseVertex { cloth, vertex: number })
}

impl SceneCloth {
    /// Cuts it.
    pub fn make(&self) -> Result<CutCloth, ShapeFailure> {
        let mut numbers = None;
        let of_mesh = |mesh: &TriMesh| Cloth::from_mesh(mesh, &self.options);
        let mut cloth = match &self.source {
            ClothSource::File(path, scale) => {
                let loaded = io::read(path, &ReadOptions { scale: *scale, ..Default::default() })?;
                let of = numbers.insert(loaded.numbers);
                let pins = self.options.pins.iter();
                let pins = pins.map(|&pin| particle(&self.options.name, Some(of), pin));
                let options = ClothOptions { pins: pins.collect::<Result<_, _>>()?, ..self.options.clone() };
                Cloth::from_mesh(&loaded.mesh, &options)?
            }
            ClothSource::Sheet(size, squares) => of_mesh(&garments::sheet(*size, *squares)?)?,
            ClothSource::Trousers(cut) => of_mesh(&garments::trousers(cut)?)?,
            ClothSource::Hair(hair, options) => {
                let strands = garments::hair(hair)?;
                if let Some(epsilon) = options.epsilon {
                    // All are as long.
                    let strand = strands.first().map_or(&[][..], Vec::as_slice);
                    no_more_than_its_size(&options.name, ("epsilon", epsilon), strand)?;
                }
                Cloth::from_strands(&strands, options)?
            }
        };
        let places: Vec<DVec3> = cloth.places().iter().map(|&p| self.pose.place(p)).collect();
        cloth.set_places(&places)?;
        cloth.set_velocity(self.velocity);
        Ok(CutCloth { cloth, numbers })
    }

    /// A particle that two handles lead would follow the last one. `held` are the particles that its numbers stand for: of a mesh file several may stand for one.
    pub(super) fn check_handle(
        &self,
        handle: &SceneHandle,
        held: &[usize],
        led: &mut BTreeSet<usize>,
    ) -> Result<(), SceneError> {
        if let Some((number, _)) =
            handle.particles.iter().zip(held).find(|(_, particle)| led.contains(particle))
        {
            let problem = format!(
                "particle {number} of cloth '{}' is led by another handle already; leave it out of one",
                self.options.name
            );
            return Err(SceneError::Conflict { place: handle.place.clone(), problem });
        }
        led.extend(held);
        Ok(())
    }

    /// Why there is no such cloth, at the place that is to be changed.
    pub(super) fn failure(&self, source: ShapeFailure) -> SceneError {
        let place = match source.downcast_ref() {
            Some(
                ClothError::NoSuchParticle { .. }
                | ClothError::NoSuchVertex { .. }
                | ClothError::LooseVertex { .. },
            ) => self.pins_place.as_ref().unwrap_or(&self.place),
            _ => &self.shape_place,
        };
        let cloth = match &self.source {
            // Of what is read wrong the message names the file.
            ClothSource::File(path, _) if source.downcast_ref::<ClothError>().is_some() => {
                format!("{} ({})", self.options.name, path.display())
            }
            _ => self.options.name.clone(),
        };
        SceneError::Cloth { place: place.clone(), cloth, source }
    }
}

/// How cloth steps: `[stepping]` of cloth, gravity as that of bodies.
pub(super) fn read_stepping(root: &Table<'_>, gravity: DVec3) -> Result<ClothWorldOptions, SceneError> {
    let usual = ClothWorldOptions { gravity, ..Default::default() };
    let Some(value) = root.get("cloth_stepping") else { return Ok(usual) };
    let table = value.table("cloth_stepping")?;
    table.check_keys(&[
        "wind",
        "air_density",
        "substeps",
        "rounds",
        "method",
        "friction",
        "push_out_speed",
    ])?;
    let count = |key: &str, usual: u32| -> Result<u32, SceneError> {
        Ok(match table.get(key) {
            Some(value) => value.whole(1, 100_000)? as u32,
            None => usual,
        })
    };
    Ok(ClothWorldOptions {
        wind: table.vector_within("wind", FASTEST)?.unwrap_or(usual.wind),
        air_density: table.not_negative("air_density")?.unwrap_or(usual.air_density),
        substeps: count("substeps", usual.substeps)?,
        rounds: count("rounds", usual.rounds)?,
        method: table.named("method", &CollisionMethod::NAMES)?.unwrap_or_default(),
        friction: table.named("friction", &FrictionModel::NAMES)?.unwrap_or_default(),
        push_out_speed: table.positive("push_out_speed")?.unwrap_or(usual.push_out_speed),
        ..usual
    })
}
