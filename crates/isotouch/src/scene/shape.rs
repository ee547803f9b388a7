//! What bodies look like: a built-in shape or a mesh file, how fine its field is, and how many points touch.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;

use super::error::{Place, SceneError, ShapeFailure};
use super::table::{Table, Value};
use crate::dynamics::{Shape, ShapeOptions};
use crate::field::{Field, FieldOptions, SignMethod};
use crate::mesh::TriMesh;
use crate::mesh::io::{self, ReadOptions};
use crate::mesh::shapes::{
    self, BlobOptions, BoltOptions, BowlOptions, CapsuleOptions, ConeOptions, CylinderOptions, GearOptions,
    HolePlateOptions, NutOptions, PegOptions, ShapeError, StrungFrameOptions, TorusKnotOptions, TorusOptions,
};
use crate::shell::{PointShell, Sampling, ShellOptions};

/// Cells of a field, points of a shell, triangles: what a typing error may ask for ends here.
pub(super) const MOST_CELLS: u64 = 2048;
pub(super) const MOST_POINTS: u64 = 5_000_000;
const MOST_COUNT: u64 = 50_000_000;

/// How a shape is made. Bodies whose shapes are made alike share one.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeSource {
    /// What it is of.
    pub mesh: MeshSource,
    /// Every coordinate is multiplied by this.
    pub scale: f64,
    /// Cells along the longest side of the field's box.
    pub resolution: u32,
    /// Half width, in cells, of the shell around its surface that is kept at full resolution.
    pub band: f64,
    /// How inside is told from outside.
    pub sign: SignMethod,
    /// What touches.
    pub points: ShellPoints,
}

/// Where a mesh comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum MeshSource {
    /// A file, its path resolved against the scene's folder.
    File(PathBuf),
    /// A formula.
    BuiltIn(BuiltInShape),
}

/// Which points of a surface touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellPoints {
    /// So many, spread evenly.
    Count(usize),
    /// The mesh's vertices.
    Vertices,
    /// None: it can only be touched.
    None,
}

impl ShellPoints {
    /// No more than so many.
    pub(super) fn at_most(self, points: usize) -> Self {
        match self {
            Self::Count(count) => Self::Count(count.min(points)),
            other => other,
        }
    }
}

/// A shape of [`shapes`], with its sizes.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each is the function of that name")]
pub enum BuiltInShape {
    Box(DVec3),
    Sphere {
        radius: f64,
        triangles: usize,
    },
    Cylinder(CylinderOptions),
    Cone(ConeOptions),
    Capsule(CapsuleOptions),
    Bowl(BowlOptions),
    Torus(TorusOptions),
    TorusKnot(u32, u32, TorusKnotOptions),
    Blob(BlobOptions),
    Peg(PegOptions),
    HolePlate(HolePlateOptions),
    StrungFrame(StrungFrameOptions),
    Gear(GearOptions),
    Bolt(BoltOptions),
    Nut(NutOptions),
    /// One that has no sizes to choose here.
    Named(&'static str),
}

impl BuiltInShape {
    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Box(_) => "box",
            Self::Sphere { .. } => "sphere",
            Self::Cylinder(_) => "cylinder",
            Self::Cone(_) => "cone",
            Self::Capsule(_) => "capsule",
            Self::Bowl(_) => "bowl",
            Self::Torus(_) => "torus",
            Self::TorusKnot(..) => "torus-knot",
            Self::Blob(_) => "blob",
            Self::Peg(_) => "peg",
            Self::HolePlate(_) => "hole-plate",
            Self::StrungFrame(_) => "strung-frame",
            Self::Gear(_) => "gear",
            Self::Bolt(_) => "bolt",
            Self::Nut(_) => "nut",
            Self::Named(name) => name,
        }
    }

    /// Makes the mesh.
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        match self.clone() {
            Self::Box(size) => shapes::cuboid(size),
            Self::Sphere { radius, triangles } => shapes::sphere(radius, triangles),
            Self::Cylinder(options) => shapes::cylinder(options),
            Self::Cone(options) => shapes::cone(options),
            Self::Capsule(options) => shapes::capsule(options),
            Self::Bowl(options) => shapes::bowl(options),
            Self::Torus(options) => shapes::torus(options),
            Self::TorusKnot(p, q, options) => shapes::torus_knot(p, q, options),
            Self::Blob(options) => shapes::blob(options),
            Self::Peg(options) => shapes::peg(options),
            Self::HolePlate(options) => shapes::hole_plate(options),
            Self::StrungFrame(options) => shapes::strung_frame(options),
            Self::Gear(options) => shapes::gear(options),
            Self::Bolt(options) => shapes::bolt(options),
            Self::Nut(options) => shapes::nut(options),
            // Names come from `shapes::NAMES`; should one be missing, the error is as good as any.
            Self::Named(name) => {
                shapes::by_name(name).ok_or(ShapeError::Collapsed { shape: name, triangle: 0 })
            }
        }
    }
}

impl ShapeSource {
    /// Reads or makes the mesh.
    pub fn load_mesh(&self) -> Result<TriMesh, ShapeFailure> {
        match &self.mesh {
            MeshSource::File(path) => {
                Ok(io::read(path, &ReadOptions { scale: self.scale, ..Default::default() })?.mesh)
            }
            MeshSource::BuiltIn(shape) => {
                let mesh = shape.mesh()?;
                if self.scale == 1.0 {
                    return Ok(mesh);
                }
                let vertices = mesh.vertices().iter().map(|&vertex| vertex * self.scale).collect();
                Ok(TriMesh::new(vertices, mesh.triangles().to_vec())?)
            }
        }
    }

    /// What field to build.
    pub fn field_options(&self) -> FieldOptions {
        FieldOptions { resolution: self.resolution, band: self.band, sign: self.sign, ..Default::default() }
    }

    /// What shell to make, if any.
    pub fn shell_options(&self) -> Option<ShellOptions> {
        let sampling = match self.points {
            ShellPoints::Count(count) => Sampling::Points(count),
            ShellPoints::Vertices => Sampling::Vertices,
            ShellPoints::None => return None,
        };
        Some(ShellOptions { sampling, ..Default::default() })
    }

    /// Makes mesh, field and shell.
    pub fn build(&self) -> Result<Shape, ShapeFailure> {
        let mesh = self.load_mesh()?;
        let field = Field::from_mesh(&mesh, &self.field_options())?;
        self.assemble(mesh, field)
    }

    /// The shape of a mesh and its field, with its shell. A shell whose mesh does not tell the outside has the field's normals.
    pub fn assemble(&self, mesh: TriMesh, field: Field) -> Result<Shape, ShapeFailure> {
        let shell = match self.shell_options() {
            Some(options) => {
                let shell = PointShell::from_mesh(&mesh, &options)?;
                let is_certain = shell.normal_source() == crate::shell::NormalSource::Mesh;
                Some(Arc::new(if is_certain { shell } else { shell.with_normals_of(&field) }))
            }
            None => None,
        };
        Ok(Shape::new(Some(Arc::new(field)), shell, Some(Arc::new(mesh)))?)
    }
}

/// A shape with a place to complain about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedShape {
    pub(super) name: String,
    pub(super) source: ShapeSource,
    pub(super) place: Place,
}

/// Keys of every shape.
const COMMON: [&str; 7] = ["kind", "file", "scale", "resolution", "band", "points", "sign"];

/// A shape by a table: `{ kind = "sphere", radius = 0.1 }`, `{ file = "part.obj" }`.
pub(super) fn shape_of_table(table: &Table<'_>, folder: &Path) -> Result<PlacedShape, SceneError> {
    let mesh = match table.either(["kind", "file"])? {
        None => {
            // Before it says that the kind is missing: it may be misspelt.
            table.check_keys(&[&COMMON[..], SIZES].concat())?;
            return Err(SceneError::Missing {
                place: table.place(),
                what: table.what.clone(),
                key: "kind or file",
                remedy: "write kind = \"sphere\", or file = \"part.obj\"",
            });
        }
        Some(("file", value)) => {
            table.check_keys(&COMMON)?;
            MeshSource::File(folder.join(value.text()?))
        }
        Some((_, value)) => MeshSource::BuiltIn(built_in(table, &value)?),
    };
    let usual = ShapeOptions::default();
    let resolution = match table.get("resolution") {
        Some(value) => value.whole(1, MOST_CELLS)? as u32,
        None => usual.resolution,
    };
    let points = match table.get("points") {
        Some(value) if value.is_text() => {
            value.named(&[("vertices", ShellPoints::Vertices), ("none", ShellPoints::None)])?
        }
        Some(value) => ShellPoints::Count(value.whole(1, MOST_POINTS)? as usize),
        None => ShellPoints::Count(usual.points),
    };
    let sign = match table.get("sign") {
        Some(value) => {
            let name = value.text()?;
            name.parse()
                .map_err(|error: crate::field::UnknownName| value.bad(format!("one of: {}", error.known)))?
        }
        None => SignMethod::Auto,
    };
    let scale = table.positive("scale")?.unwrap_or(1.0);
    let band = table.positive("band")?.unwrap_or(FieldOptions::default().band);
    let source = ShapeSource { mesh, scale, resolution, band, sign, points };
    Ok(PlacedShape { name: table.what.clone(), source, place: table.place() })
}

/// A built-in shape by its name alone, with its usual sizes.
pub(super) fn shape_of_name(name: &str, value: &Value<'_>) -> Option<PlacedShape> {
    let shape = usual_sizes(name)?;
    let ShapeOptions { resolution, points } = ShapeOptions::default();
    let source = ShapeSource {
        mesh: MeshSource::BuiltIn(shape),
        scale: 1.0,
        resolution,
        band: FieldOptions::default().band,
        sign: SignMethod::Auto,
        points: ShellPoints::Count(points),
    };
    Some(PlacedShape { name: format!("shape '{name}'"), source, place: value.place() })
}

/// All sizes of all kinds, to tell typing errors by.
const SIZES: &[&str] = &[
    "size",
    "radius",
    "triangles",
    "height",
    "length",
    "segments",
    "rings",
    "thickness",
    "major_radius",
    "minor_radius",
    "major_segments",
    "minor_segments",
    "tube_radius",
    "p",
    "q",
    "seed",
    "amplitude",
    "octaves",
    "chamfer",
    "width",
    "hole_radius",
    "depth",
    "border",
    "wires",
    "wire_radius",
    "module",
    "teeth",
    "pressure_angle",
    "bore",
    "backlash",
    "flank_points",
    "diameter",
    "pitch",
    "head_width",
    "head_height",
    "clearance",
];

fn usual_sizes(name: &str) -> Option<BuiltInShape> {
    Some(match name {
        "box" => BuiltInShape::Box(DVec3::ONE),
        "sphere" => BuiltInShape::Sphere { radius: 0.5, triangles: 5_120 },
        "cylinder" => BuiltInShape::Cylinder(CylinderOptions::default()),
        "cone" => BuiltInShape::Cone(ConeOptions::default()),
        "capsule" => BuiltInShape::Capsule(CapsuleOptions::default()),
        "bowl" => BuiltInShape::Bowl(BowlOptions::default()),
        "torus" => BuiltInShape::Torus(TorusOptions::default()),
        "torus-knot" => BuiltInShape::TorusKnot(2, 3, TorusKnotOptions::default()),
        "blob" => BuiltInShape::Blob(BlobOptions::default()),
        "peg" => BuiltInShape::Peg(PegOptions::default()),
        "hole-plate" => BuiltInShape::HolePlate(HolePlateOptions::default()),
        "strung-frame" => BuiltInShape::StrungFrame(StrungFrameOptions::default()),
        "gear" => BuiltInShape::Gear(GearOptions::default()),
        "bolt" => BuiltInShape::Bolt(BoltOptions::default()),
        "nut" => BuiltInShape::Nut(NutOptions::default()),
        _ => BuiltInShape::Named(shapes::NAMES.into_iter().find(|known| *known == name)?),
    })
}

/// Reads sizes into options that have their usual values, and learns which keys there are.
struct Sizes<'a> {
    table: &'a Table<'a>,
    keys: Vec<&'static str>,
}

impl Sizes<'_> {
    fn length(&mut self, key: &'static str, size: &mut f64) -> Result<(), SceneError> {
        self.keys.push(key);
        if let Some(number) = self.table.number(key)? {
            *size = number;
        }
        Ok(())
    }

    fn lengths<const N: usize>(&mut self, sizes: [(&'static str, &mut f64); N]) -> Result<(), SceneError> {
        sizes.into_iter().try_for_each(|(key, size)| self.length(key, size))
    }

    fn counts<const N: usize>(&mut self, counts: [(&'static str, &mut usize); N]) -> Result<(), SceneError> {
        for (key, count) in counts {
            self.keys.push(key);
            if let Some(value) = self.table.get(key) {
                *count = value.whole(0, MOST_COUNT)? as usize;
            }
        }
        Ok(())
    }

    fn small(&mut self, key: &'static str, number: &mut u32) -> Result<(), SceneError> {
        self.keys.push(key);
        if let Some(value) = self.table.get(key) {
            *number = value.whole(0, 1000)? as u32;
        }
        Ok(())
    }
}

fn built_in(table: &Table<'_>, kind: &Value<'_>) -> Result<BuiltInShape, SceneError> {
    let name = kind.text()?;
    let mut shape = usual_sizes(name).ok_or_else(|| kind.unknown(name, "built-in shape", &shapes::NAMES))?;
    let mut sizes = Sizes { table, keys: Vec::new() };
    match &mut shape {
        BuiltInShape::Box(size) => {
            sizes.keys.push("size");
            *size = table.vector("size")?.unwrap_or(*size);
        }
        BuiltInShape::Sphere { radius, triangles } => {
            sizes.length("radius", radius)?;
            sizes.counts([("triangles", triangles)])?;
        }
        BuiltInShape::Cylinder(CylinderOptions { radius, height, segments, rings }) => {
            sizes.lengths([("radius", radius), ("height", height)])?;
            sizes.counts([("segments", segments), ("rings", rings)])?;
        }
        BuiltInShape::Cone(ConeOptions { radius, height, segments }) => {
            sizes.lengths([("radius", radius), ("height", height)])?;
            sizes.counts([("segments", segments)])?;
        }
        BuiltInShape::Capsule(CapsuleOptions { radius, length, segments, rings }) => {
            sizes.lengths([("radius", radius), ("length", length)])?;
            sizes.counts([("segments", segments), ("rings", rings)])?;
        }
        BuiltInShape::Bowl(BowlOptions { radius, thickness, segments, rings }) => {
            sizes.lengths([("radius", radius), ("thickness", thickness)])?;
            sizes.counts([("segments", segments), ("rings", rings)])?;
        }
        BuiltInShape::Torus(TorusOptions { major_radius, minor_radius, major_segments, minor_segments }) => {
            sizes.lengths([("major_radius", major_radius), ("minor_radius", minor_radius)])?;
            sizes.counts([("major_segments", major_segments), ("minor_segments", minor_segments)])?;
        }
        BuiltInShape::TorusKnot(p, q, of) => {
            sizes.small("p", p)?;
            sizes.small("q", q)?;
            let TorusKnotOptions { major_radius, minor_radius, tube_radius, rings, segments } = of;
            sizes.lengths([
                ("major_radius", major_radius),
                ("minor_radius", minor_radius),
                ("tube_radius", tube_radius),
            ])?;
            sizes.counts([("rings", rings), ("segments", segments)])?;
        }
        BuiltInShape::Blob(BlobOptions { radius, triangles, seed, amplitude, octaves }) => {
            sizes.lengths([("radius", radius), ("amplitude", amplitude)])?;
            sizes.counts([("triangles", triangles)])?;
            sizes.small("octaves", octaves)?;
            sizes.keys.push("seed");
            if let Some(value) = table.get("seed") {
                *seed = value.whole(0, i64::MAX as u64)?;
            }
        }
        BuiltInShape::Peg(PegOptions { radius, length, chamfer, segments }) => {
            sizes.lengths([("radius", radius), ("length", length), ("chamfer", chamfer)])?;
            sizes.counts([("segments", segments)])?;
        }
        BuiltInShape::HolePlate(HolePlateOptions { width, thickness, hole_radius, segments }) => {
            sizes.lengths([("width", width), ("thickness", thickness), ("hole_radius", hole_radius)])?;
            sizes.counts([("segments", segments)])?;
        }
        BuiltInShape::StrungFrame(of) => {
            let StrungFrameOptions { width, height, depth, border, wires, wire_radius, segments } = of;
            sizes.lengths([
                ("width", width),
                ("height", height),
                ("depth", depth),
                ("border", border),
                ("wire_radius", wire_radius),
            ])?;
            sizes.counts([("wires", wires), ("segments", segments)])?;
        }
        BuiltInShape::Gear(of) => {
            let GearOptions { module, teeth, pressure_angle, thickness, bore, backlash, flank_points } = of;
            sizes.lengths([("module", module), ("thickness", thickness), ("backlash", backlash)])?;
            sizes.counts([("teeth", teeth), ("flank_points", flank_points)])?;
            let mut degrees = pressure_angle.to_degrees();
            sizes.length("pressure_angle", &mut degrees)?;
            if table.get("pressure_angle").is_some() {
                *pressure_angle = degrees.to_radians();
            }
            // 0 for no hole.
            let mut radius = bore.unwrap_or(0.0);
            sizes.length("bore", &mut radius)?;
            *bore = Some(radius).filter(|radius| *radius != 0.0);
        }
        BuiltInShape::Bolt(BoltOptions { diameter, pitch, length, head_width, head_height, segments }) => {
            sizes.lengths([
                ("diameter", diameter),
                ("pitch", pitch),
                ("length", length),
                ("head_width", head_width),
                ("head_height", head_height),
            ])?;
            sizes.counts([("segments", segments)])?;
        }
        BuiltInShape::Nut(NutOptions { diameter, pitch, height, width, clearance, segments }) => {
            sizes.lengths([
                ("diameter", diameter),
                ("pitch", pitch),
                ("height", height),
                ("width", width),
                ("clearance", clearance),
            ])?;
            sizes.counts([("segments", segments)])?;
        }
        BuiltInShape::Named(_) => {}
    }
    let Sizes { keys, .. } = sizes;
    table.check_keys(&[&COMMON[..], &keys].concat())?;
    Ok(shape)
}
