//! Scenes: bodies, surfaces and materials in a text that people write, and the world that it describes.
//!
//! ```
//! use isotouch::scene::Scene;
//!
//! let text = r#"
//! dt = 0.005
//! seconds = 1.0
//!
//! [[surfaces]]
//! plane = { normal = [0, 1, 0], offset = 0 }
//!
//! [[bodies]]
//! name = "ball"
//! shape = { kind = "sphere", radius = 0.1, triangles = 1280, resolution = 32, points = 500 }
//! position = [0, 0.2, 0]
//! "#;
//! let scene = Scene::parse("ball.toml", text)?;
//! let mut world = scene.world()?;
//! for _ in 0..scene.steps() {
//!     world.step(scene.dt)?;
//! }
//! assert!((world.bodies()[0].pose().position.y - 0.1).abs() < 0.002);
//!
//! // What is wrong is told with its place and a remedy.
//! let error = Scene::parse("ball.toml", "second = 1.0").unwrap_err().to_string();
//! assert_eq!(error, "ball.toml:1:1: 'second' is no setting of the scene; did you mean 'seconds'?");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Scenes for a hand are in [`haptic`]. Built-in scenes are texts too ([`built_in`]), to be run and to be copied.

mod body;
mod build;
pub mod built_in;
mod cloth;
mod error;
pub mod haptic;
mod materials;
mod parse;
mod shape;
mod stage;
mod surface;
mod table;

pub use body::SceneBody;
pub use cloth::{ClothSource, CutCloth, SceneCloth, SceneHandle};
pub use error::{Place, SceneError, ShapeFailure, nearest_name};
pub use parse::Scene;
pub use shape::{BuiltInShape, MeshSource, ShapeSource, ShellPoints};
pub use stage::{Doubts, Passage, Stage, StageError};
pub use surface::{SceneSurface, SurfaceShape};
