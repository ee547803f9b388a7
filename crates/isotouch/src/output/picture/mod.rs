//! Pictures of fields: a slice through signed distances as a PNG that explains itself.
//!
//! ```
//! use isotouch::math::{Aabb, DVec3};
//! use isotouch::output::picture::{Axis, SliceOptions, SlicePlane, slice};
//!
//! let bounds = Aabb::new(DVec3::splat(-1.0), DVec3::splat(1.0));
//! let plane = SlicePlane { axis: Axis::Z, at: 0.0, bounds };
//! let sphere = |point: DVec3| point.length() - 0.6;
//! let image = slice(&plane, sphere, &SliceOptions { width: 400, ..Default::default() });
//! assert_eq!(image.width(), 400);
//! ```

mod canvas;
mod colour;
mod font;
mod image;
mod plane;
mod slice;
mod ticks;

pub(super) use canvas::{Align, Along, Canvas, TextStyle};
pub(super) use colour::{FAINT_INK, INK, Rgb, linear};
pub(super) use font::{drawable, text_width};
pub use image::{Image, PictureError};
pub use plane::{Axis, Raster, SlicePlane, UnknownAxis};
pub use slice::{SliceLabels, SliceOptions, render, slice};
pub(super) use ticks::{label, round_step_at_least};
