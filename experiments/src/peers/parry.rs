//! The crate parry3d, in single and in double precision.

/// A triangle mesh that answers rays. The two crates are one source compiled twice, and so is this.
macro_rules! precision {
    ($name:ident, $library:ident, $real:ty, $about:literal) => {
        #[doc = $about]
        pub(crate) mod $name {
            use anyhow::Context as _;
            use glam::DVec3;
            use isotouch::ccd::Segment;
            use isotouch::mesh::TriMesh;
            use $library::query::{Ray, RayCast as _};

            use crate::timing::seconds_of;

            pub(crate) struct Peer {
                mesh: $library::shape::TriMesh,
                rays: Vec<Ray>,
            }

            impl Peer {
                pub(crate) fn new(mesh: &TriMesh, segments: &[Segment]) -> anyhow::Result<Self> {
                    let vector = |v: DVec3| v.to_array().map(|x| x as $real).into();
                    let vertices = mesh.vertices().iter().map(|&v| vector(v)).collect();
                    let mesh = $library::shape::TriMesh::new(vertices, mesh.triangles().to_vec())
                        .context("parry does not take the mesh")?;
                    // As long as the segment, so that times are ours.
                    let ray = |s: &Segment| Ray::new(vector(s.from), vector(s.to - s.from));
                    Ok(Self { mesh, rays: segments.iter().map(ray).collect() })
                }

                /// Times of the first hits; NaN where there is none.
                pub(crate) fn times(&self) -> Vec<f64> {
                    let mut times = vec![f64::NAN; self.rays.len()];
                    self.fill(&mut times);
                    times
                }

                fn fill(&self, times: &mut [f64]) {
                    for (time, ray) in times.iter_mut().zip(&self.rays) {
                        // Rays begin outside, so whether the mesh counts as solid does not matter.
                        *time = self.mesh.cast_local_ray(ray, 1.0, true).map_or(f64::NAN, f64::from);
                    }
                }

                /// Seconds that all rays take, one after the other.
                pub(crate) fn seconds(&self) -> f64 {
                    let mut times = vec![0.0; self.rays.len()];
                    times.fill(f64::NAN);
                    seconds_of(|| self.fill(&mut times))
                }
            }
        }
    };
}

precision!(single, parry3d, f32, "In `f32`, as Embree.");
precision!(double, parry3d_f64, f64, "In `f64`, as this library.");

/// A box against triangles, at single poses.
pub(crate) struct Poses {
    mesh: parry3d_f64::shape::TriMesh,
    part: parry3d_f64::shape::Cuboid,
}

impl Poses {
    /// A mesh, and a box of that size about its middle.
    pub(crate) fn new(mesh: &isotouch::mesh::TriMesh, size: glam::DVec3) -> anyhow::Result<Self> {
        let vector = |v: glam::DVec3| v.to_array().into();
        let vertices = mesh.vertices().iter().map(|&v| vector(v)).collect();
        let mesh = parry3d_f64::shape::TriMesh::new(vertices, mesh.triangles().to_vec())?;
        Ok(Self { mesh, part: parry3d_f64::shape::Cuboid::new(vector(0.5 * size)) })
    }

    /// At how many poses the box touches, of so many evenly from the first to the last of a motion.
    pub(crate) fn touching(&self, motion: &isotouch::math::Motion, poses: u32) -> usize {
        let fixed = parry3d_f64::math::Pose::IDENTITY;
        let touches = |k: &u32| {
            let pose = motion.pose(f64::from(*k) / f64::from(poses.max(2) - 1));
            let placed = parry3d_f64::math::Pose::from_parts(pose.position, pose.rotation);
            let found = parry3d_f64::query::intersection_test(&placed, &self.part, &fixed, &self.mesh);
            found.is_ok_and(|found| found.intersecting)
        };
        (0..poses).filter(touches).count()
    }
}
