//! What cloth is like, and how it is moved.

use glam::DVec3;

use super::ClothError;

/// What cloth is made of, in physical units. Those of a sheet do not depend on how finely it is cut into triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fabric {
    /// Mass per area, kg/m². Silk 0.05, cotton 0.15, denim 0.4.
    pub density: f64,
    /// Tension per width and strain, N/m, along warp and weft. Cotton some 1000 to 5000; lower looks like rubber, higher needs more substeps.
    pub stretch: f64,
    /// The same for shear, N/m. Usual: a hundredth to a tenth of `stretch`; higher folds into few large creases.
    pub shear: f64,
    /// Bending stiffness, N·m. Silk 10⁻⁶, cotton 10⁻⁵, denim 10⁻⁴.
    pub bend: f64,
}

impl Default for Fabric {
    fn default() -> Self {
        Self { density: 0.15, stretch: 2000.0, shear: 100.0, bend: 1e-5 }
    }
}

/// Which places of an edge are kept out of obstacles, beside its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EdgeTest {
    /// None: particles alone, as 2003 before its section 4.3. Corners cut through edges unless ε is half their length.
    None,
    /// Its centre, where an end is near (2003, section 4.3).
    #[default]
    Centre,
    /// Its deepest place. What is thinner than half an edge slips past centres, but not past this.
    Deepest,
}

impl EdgeTest {
    /// All, with their names in scenes.
    pub const NAMES: [(&'static str, Self); 3] =
        [("none", Self::None), ("centre", Self::Centre), ("deepest", Self::Deepest)];
}

/// What cloth to make.
#[derive(Debug, Clone, PartialEq)]
pub struct ClothOptions {
    /// For messages and files.
    pub name: String,
    /// What it is made of.
    pub fabric: Fabric,
    /// Direction of the warp; in each triangle its projection. Where that vanishes, another axis stands in.
    pub warp: DVec3,
    /// How far particles are held off surfaces, m. `None` takes a quarter of the longest edge, or half of it without edge tests: then no place of an
    /// edge is below a surface (2003, Fig. 5).
    pub epsilon: Option<f64>,
    /// Which places of edges are kept out.
    pub edges: EdgeTest,
    /// Whether it is kept off itself.
    pub self_collision: bool,
    /// How far it is kept off itself, m. `None` takes five quarters of the largest circumradius of its triangles, so that no particle fits between three others, stretched a little as they may be.
    pub thickness: Option<f64>,
    /// Coulomb's μ of cloth on cloth.
    pub self_friction: f64,
    /// How fast motion dies away by itself, 1/s. Usual: 0 to 2.
    pub damping: f64,
    /// How much the air holds it: the drag coefficient of a flat plate is about 1.2. 0 for none.
    pub drag: f64,
    /// Particles that are held where they are.
    pub pins: Vec<usize>,
}

impl Default for ClothOptions {
    fn default() -> Self {
        Self {
            name: "cloth".to_owned(),
            fabric: Fabric::default(),
            warp: DVec3::X,
            epsilon: None,
            edges: EdgeTest::default(),
            self_collision: true,
            thickness: None,
            self_friction: 0.3,
            damping: 0.1,
            drag: 1.2,
            pins: Vec::new(),
        }
    }
}

/// What strands to make of chains of points.
#[derive(Debug, Clone, PartialEq)]
pub struct StrandOptions {
    /// For messages and files.
    pub name: String,
    /// Mass per length, kg/m. A human hair has 6·10⁻⁶; a lock of fifty that one strand stands for, 3·10⁻⁴.
    pub density: f64,
    /// Tension per strain, N.
    pub stretch: f64,
    /// Bending stiffness, N·m².
    pub bend: f64,
    /// As [`ClothOptions::epsilon`].
    pub epsilon: Option<f64>,
    /// As [`ClothOptions::edges`].
    pub edges: EdgeTest,
    /// As [`ClothOptions::damping`].
    pub damping: f64,
    /// Points of each strand, from its beginning, that are held: 1 for a hinge, 2 for a direction.
    pub held: usize,
}

impl Default for StrandOptions {
    fn default() -> Self {
        Self {
            name: "strands".to_owned(),
            density: 3e-4,
            stretch: 50.0,
            bend: 1e-7,
            epsilon: None,
            edges: EdgeTest::default(),
            damping: 1.0,
            held: 1,
        }
    }
}

/// How friction on obstacles is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrictionModel {
    /// A part of the tangential motion is taken away, whatever presses (2003, eq. 3). Holds even at vertical walls.
    Simple,
    /// As much tangential motion as μ times the inward one (2003, eq. 5 and 6): Coulomb's law.
    #[default]
    Coulomb,
}

impl FrictionModel {
    /// All, with their names in scenes.
    pub const NAMES: [(&'static str, Self); 2] = [("simple", Self::Simple), ("coulomb", Self::Coulomb)];
}

/// When contact with obstacles is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CollisionMethod {
    /// Along the whole substep: nothing that starts outside comes inside, however thin the obstacle is.
    #[default]
    Continuous,
    /// At its end, as 2003. For comparison: what is fast passes through what is thin.
    Discrete,
}

impl CollisionMethod {
    /// All, with their names in scenes.
    pub const NAMES: [(&'static str, Self); 2] =
        [("continuous", Self::Continuous), ("discrete", Self::Discrete)];
}

/// How a world of cloth steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClothWorldOptions {
    /// m/s².
    pub gravity: DVec3,
    /// Velocity of the air, m/s.
    pub wind: DVec3,
    /// kg/m³.
    pub air_density: f64,
    /// Substeps of a step. More are stiffer: what one round leaves over in stretch falls with their square. Usual, for steps of 10 ms: 10 where it may look like
    /// rubber, 30 for cloth, 80 where less than a hundredth of stretch matters.
    pub substeps: u32,
    /// Rounds over all constraints in a substep. More substeps are worth more than more rounds (Macklin et al. 2019).
    pub rounds: u32,
    /// When contact is looked for.
    pub method: CollisionMethod,
    /// How friction is made.
    pub friction: FrictionModel,
    /// What is inside an obstacle is pushed out with this speed, m/s, and what is too near to other cloth set apart. Faster, it jumps.
    pub push_out_speed: f64,
    /// A speed beyond which the simulation has exploded, m/s.
    pub top_speed: f64,
}

impl Default for ClothWorldOptions {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            wind: DVec3::ZERO,
            air_density: 1.2,
            substeps: 30,
            rounds: 1,
            method: CollisionMethod::default(),
            friction: FrictionModel::default(),
            push_out_speed: 0.2,
            top_speed: 1e5,
        }
    }
}

/// The least number that is more than nothing. With this, and numbers up to its inverse, squares and products can still be computed.
pub(super) const LEAST: f64 = 1e-18;

/// Refuses a number that is below `least` ([`LEAST`] or 0), or too large to compute with.
pub(super) fn check(cloth: &str, quantity: &'static str, value: f64, least: f64) -> Result<(), ClothError> {
    if (least..=1.0 / LEAST).contains(&value) {
        return Ok(());
    }
    let wanted = if least > 0.0 { "a number from 1e-18 to 1e18" } else { "a number from 0 to 1e18" };
    Err(ClothError::BadNumber { cloth: cloth.to_owned(), quantity, value, wanted })
}
