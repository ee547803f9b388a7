//! isotouch tells when and where things touch.
//!
//! One idea carries it: **a rigid object is a signed distance field; whatever touches it is points; contact is found along
//! the whole motion, never only at its end.** This version has the first floors: meshes, exact distance fields and point
//! shells made from them; when moving points and shells touch fields ([`ccd::segment`], [`ccd::sweep`]), whether whole parts can be moved along
//! paths ([`ccd::path`]); and rigid bodies that move ([`dynamics`], [`scene`]).
//!
//! # A tour
//!
//! A mesh comes from a file ([`mesh::io`]) or from a formula ([`mesh::shapes`]):
//!
//! ```
//! use isotouch::mesh::{TriMesh, report, shapes};
//!
//! let knot: TriMesh = shapes::by_name("torus-knot").unwrap();
//! let facts = report(&knot);
//! assert!(facts.is_solid() && facts.components == 1);
//! ```
//!
//! Its field is exact at every node. Sparse storage, the default, keeps full resolution in a band around the surface and
//! coarser nodes, exact as well, elsewhere:
//!
//! ```
//! # use isotouch::mesh::shapes;
//! use isotouch::field::{Field, FieldOptions, StorageKind};
//!
//! # let knot = shapes::by_name("torus-knot").unwrap();
//! let field = Field::from_mesh(&knot, &FieldOptions { resolution: 96, ..Default::default() })?;
//! let dense = Field::from_mesh(&knot, &FieldOptions {
//!     resolution: 96,
//!     storage: StorageKind::Dense,
//!     ..Default::default()
//! })?;
//! assert!(field.bytes() < dense.bytes());
//! # Ok::<(), isotouch::field::BuildError>(())
//! ```
//!
//! A field answers anywhere, and says how much its answer is worth: inside its box within an error bound, outside it by a
//! lower bound that is flagged as one.
//!
//! ```
//! use isotouch::field::{Distance, Field, FieldOptions};
//! use isotouch::{math::DVec3, mesh::shapes};
//!
//! let ball = shapes::sphere(1.0, 5120).unwrap();
//! let field = Field::from_mesh(&ball, &FieldOptions { resolution: 64, ..Default::default() })?;
//!
//! let p = DVec3::new(1.02, 0.0, 0.0);
//! let Distance::Interpolated(d) = field.distance(p) else { panic!("p is in the box") };
//! assert!((d - 0.02).abs() < field.error_bound());
//! assert!(field.lower_bound(p) <= 0.02);
//! assert!(field.normal(p).unwrap().x > 0.99);
//! assert!(matches!(field.distance(DVec3::new(5.0, 0.0, 0.0)), Distance::LowerBound(d) if d > 3.8 && d <= 4.0));
//! # Ok::<(), isotouch::field::BuildError>(())
//! ```
//!
//! Anything with a Lipschitz bound is a field too:
//!
//! ```
//! use isotouch::field::{Field, FieldOptions};
//! use isotouch::math::{Aabb, DVec3};
//!
//! let box_ = Aabb::new(DVec3::splat(-1.0), DVec3::splat(1.0));
//! let ground = Field::from_function(|p| p.y, box_, 1.0, &FieldOptions { resolution: 32, ..Default::default() })?;
//! assert!((ground.distance(DVec3::new(0.3, 0.25, 0.1)).value() - 0.25).abs() < 1e-6);
//! # Ok::<(), isotouch::field::BuildError>(())
//! ```
//!
//! A point that moves along a segment touches it at a time, or provably never ([`ccd`]):
//!
//! ```
//! # use isotouch::field::{Field, FieldOptions};
//! use isotouch::ccd::{CastOptions, Segment};
//! use isotouch::{math::DVec3, mesh::shapes};
//!
//! # let ball = shapes::sphere(1.0, 5120).unwrap();
//! # let field = Field::from_mesh(&ball, &FieldOptions { resolution: 64, ..Default::default() })?;
//! let path = Segment::new(DVec3::new(0.0, 0.0, 3.0), DVec3::new(0.0, 0.0, -3.0));
//! let hit = field.first_hit(&path, 0.0, &CastOptions::default()).expect("it goes through the ball");
//! assert!((hit.t - 1.0 / 3.0).abs() < 0.001 && hit.normal.unwrap().z > 0.99);
//! # Ok::<(), isotouch::field::BuildError>(())
//! ```
//!
//! A part that moves is a shell of points ([`shell`]). How far any place of its surface can be from one of them is certain:
//!
//! ```
//! use isotouch::mesh::shapes;
//! use isotouch::shell::{PointShell, Sampling, ShellOptions};
//!
//! let part = shapes::cylinder(shapes::CylinderOptions::default()).unwrap();
//! let options = ShellOptions { sampling: Sampling::Spacing(0.1), ..Default::default() };
//! let shell = PointShell::from_mesh(&part, &options)?;
//! assert!(shell.coverage() < 0.102);
//! assert!(shell.check_against(0.25).is_ok() && shell.check_against(0.05).is_err());
//! // The first points are a coarser shell, and so on: levels.
//! let coarse = shell.levels()[0];
//! assert!(coarse.points < shell.len() / 2 && coarse.coverage > shell.coverage());
//! # Ok::<(), isotouch::shell::ShellError>(())
//! ```
//!
//! And back: any level set of a field is a closed mesh.
//!
//! ```
//! # use isotouch::field::{Field, FieldOptions};
//! use isotouch::mesh::{report, shapes};
//!
//! # let ball = shapes::sphere(1.0, 5120).unwrap();
//! # let field = Field::from_mesh(&ball, &FieldOptions { resolution: 64, ..Default::default() })?;
//! let grown = field.surface(0.05)?;
//! assert!(report(&grown).is_solid());
//! let radius = (grown.area() / (4.0 * std::f64::consts::PI)).sqrt();
//! assert!((radius - 1.05).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files are mapped, not read: opening one takes milliseconds whatever its size.
//!
//! ```
//! # use isotouch::{field::{Field, FieldOptions}, mesh::shapes};
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("ball.field");
//! # let ball = shapes::sphere(1.0, 320).unwrap();
//! # let field = Field::from_mesh(&ball, &FieldOptions { resolution: 32, ..Default::default() }).unwrap();
//! field.save(&path)?;
//! let same = Field::open(&path)?;
//! assert_eq!(same.grid(), field.grid());
//! same.verify()?;
//! # Ok::<(), isotouch::field::FieldFileError>(())
//! ```
//!
//! Bodies that carry both fall, collide and come to rest ([`dynamics`]); a text describes them ([`scene`]):
//!
//! ```
//! use isotouch::scene::Scene;
//!
//! let scene = Scene::parse("two.toml", r#"
//!     seconds = 0.5
//!     [[surfaces]]
//!     plane = { normal = [0, 1, 0], offset = 0 }
//!     [[bodies]]
//!     name = "ball"
//!     shape = { kind = "sphere", radius = 0.1, triangles = 1280, resolution = 32, points = 500 }
//!     position = [0, 0.15, 0]
//! "#)?;
//! let mut world = scene.world()?;
//! for _ in 0..scene.steps() {
//!     world.step(scene.dt)?;
//! }
//! assert!((world.bodies()[0].pose().position.y - 0.1).abs() < 0.002, "it lies on the ground");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Cloth and hair fall on fields and on anything else that can be touched ([`cloth`]):
//!
//! ```
//! use isotouch::ccd::Ball;
//! use isotouch::cloth::{Cloth, ClothOptions, ClothWorld, ObstacleOptions, garments};
//! use isotouch::math::DVec3;
//! use std::sync::Arc;
//!
//! let mut world = ClothWorld::default();
//! world.add_surface(Arc::new(Ball { center: -0.3 * DVec3::Y, radius: 0.25 }), ObstacleOptions::default())?;
//! world.add_cloth(Cloth::from_mesh(&garments::tablecloth(0.8, 16)?, &ClothOptions::default())?);
//! for _ in 0..20 {
//!     world.step(0.01)?;
//!     assert!(world.penetration() < 0.0);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is promised
//!
//! - Every stored node is the signed distance to the mesh, rounded to `f32`; negative inside. Neighbouring nodes were
//!   compared at the build: no two differ by more than they are apart.
//! - No place of a surface is farther from the points of its shell than [`PointShell::coverage`](shell::PointShell::coverage).
//! - The interpolant is within [`Field::error_bound_at`](field::Field::error_bound_at) of the true distance.
//! - The same input gives the same bytes, whatever the number of threads and the vector instructions of the machine.
//! - Bad input is an error that says what to do; never a panic, never an allocation that a file's header talked us into.

pub(crate) mod atomic_file;
pub mod ccd;
pub mod cloth;
pub mod contact;
pub mod dynamics;
pub mod field;
pub mod haptics;
pub mod math;
pub mod mesh;
pub mod npy;
pub mod numbers;
pub mod output;
pub mod scene;
pub mod shell;
pub mod simd;
