//! What to build ([`FieldOptions`]) and how ([`Execution`]).

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use crate::simd::SimdLevel;

/// What field to build.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldOptions {
    /// Cells along the longest side of the box, padding included. Ignored when `cell_size` is given.
    pub resolution: u32,
    /// Edge length of a cell, instead of a resolution.
    pub cell_size: Option<f64>,
    /// Free space around the solid on every side, as a fraction of its longest side. Usual: 0.05. Less leaves
    /// offsets and approaching points outside the box, more wastes cells.
    pub padding: f64,
    /// Half width, in cells, of the shell around the surface that a sparse field keeps at full resolution. Usual: 3. A
    /// level set σ is exact to the grid for |σ| ≤ band − √3/2 cells; wider costs memory in proportion.
    pub band: f64,
    /// How inside and outside are told apart.
    pub sign: SignMethod,
    /// How the nodes are kept.
    pub storage: StorageKind,
    /// Every way in that is narrower than this is closed by [`SignMethod::Soup`]. `None` to choose from the mesh, and to close
    /// holes only: where the surface ends, not where it leaves a crevice. Chosen are 1.8 cells, or more where that would leave
    /// most of the mesh open; a note names the width, and all narrower holes are closed.
    pub gap: Option<f64>,
    /// Whether [`SignMethod::Soup`] leaves enclosed hollows hollow instead of filling them: what lies behind two skins, behind four,
    /// and so on, a skin being triangles that hang together but for tears up to a thousandth of a cell. Walls between two
    /// skins may be as thin as that; those thinner than a cell have few nodes inside or none, and the field shows as much of
    /// them. Cavities with fewer than eight nodes, and those whose skin touches the outer one, are filled. A solid that touches
    /// the wall of the cavity it lies in is solid where it borders mostly the cavity; what of it is sunk into the wall may be taken for
    /// part of the cavity, and so may a solid that borders the wall with more than a third of its surface.
    pub keep_cavities: bool,
}

impl Default for FieldOptions {
    fn default() -> Self {
        Self {
            resolution: 256,
            cell_size: None,
            padding: 0.05,
            band: 3.0,
            sign: SignMethod::Auto,
            storage: StorageKind::Sparse,
            gap: None,
            keep_cavities: false,
        }
    }
}

/// How inside and outside are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignMethod {
    /// Whatever serves the mesh: pseudonormals for a closed one, with winding numbers where it overlaps itself; winding
    /// numbers for one that leaks; `soup` when its triangles do not agree on where the outside is.
    Auto,
    /// The angle-weighted normal at the closest point (Bærentzen & Aanæs 2005). For closed, consistently oriented
    /// meshes that do not intersect themselves.
    Pseudonormal,
    /// The generalized winding number (Jacobson et al. 2013), evaluated hierarchically: inside is where the surface
    /// winds around the point at least once, or more than half where it leaks. For consistently oriented meshes,
    /// overlapping or not; holes are capped.
    Winding,
    /// Inside is what cannot be reached from outside through holes wider than the gap. For any triangles, whatever their
    /// orientation; holes narrower than the gap are capped.
    Soup,
    /// In front of the nearest triangle is outside, behind it inside, by pseudonormals. For open, oriented surfaces
    /// (Fuhrmann et al. 2003); beyond their rim nothing is certified.
    Oriented,
    /// As `Oriented`, by the normal of the nearest triangle alone: the algorithm of 2003, which errs in wedges at sharp edges.
    /// For comparison.
    FaceNormal,
    /// No mesh: the sign came with the values.
    Given,
}

impl fmt::Display for SignMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Pseudonormal => "pseudonormal",
            Self::Winding => "winding",
            Self::Soup => "soup",
            Self::Oriented => "oriented",
            Self::FaceNormal => "face-normal",
            Self::Given => "given",
        })
    }
}

/// A name that is none of the known ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{given}' is not known here; use one of: {known}")]
pub struct UnknownName {
    /// What was given.
    pub given: String,
    /// What would have been understood.
    pub known: &'static str,
}

impl FromStr for SignMethod {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        match name {
            "auto" => Ok(Self::Auto),
            "pseudonormal" => Ok(Self::Pseudonormal),
            "winding" => Ok(Self::Winding),
            "soup" => Ok(Self::Soup),
            "oriented" => Ok(Self::Oriented),
            "face-normal" => Ok(Self::FaceNormal),
            _ => Err(UnknownName {
                given: name.into(),
                known: "auto, pseudonormal, winding, soup, oriented, face-normal",
            }),
        }
    }
}

/// How the nodes of a field are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageKind {
    /// Full resolution within the band, coarser and still exact nodes elsewhere.
    Sparse,
    /// Every node.
    Dense,
}

impl fmt::Display for StorageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sparse => "sparse",
            Self::Dense => "dense",
        })
    }
}

impl FromStr for StorageKind {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        match name {
            "sparse" => Ok(Self::Sparse),
            "dense" => Ok(Self::Dense),
            _ => Err(UnknownName { given: name.into(), known: "sparse, dense" }),
        }
    }
}

/// How to run a build. Nothing here changes the result.
#[derive(Clone, Copy, Default)]
pub struct Execution<'a> {
    /// Threads to use; `None` for rayon's current pool.
    pub threads: Option<usize>,
    /// Called now and then, from any thread.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// Set it to true from anywhere to stop the build soon.
    pub cancel: Option<&'a AtomicBool>,
    /// Most bytes the build may need; `None` for what the machine has available.
    pub memory_limit: Option<u64>,
    /// Vector instructions to use; `None` for the widest the machine has.
    pub simd: Option<SimdLevel>,
}

impl fmt::Debug for Execution<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execution")
            .field("threads", &self.threads)
            .field("progress", &self.progress.map(|_| "…"))
            .field("cancel", &self.cancel)
            .field("memory_limit", &self.memory_limit)
            .field("simd", &self.simd)
            .finish()
    }
}

/// How far a build has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, in a word or two.
    pub stage: &'static str,
    /// Units of it done.
    pub done: u64,
    /// Units in all.
    pub total: u64,
}
