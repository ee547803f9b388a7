use glam::DVec3;

use super::error::Problem;

/// What a parser found: vertices and faces of any size, in the file's order, not yet checked against each other.
#[derive(Debug, Default)]
pub(super) struct RawMesh {
    pub(super) vertices: Vec<DVec3>,
    /// The corners of all faces, one after the other.
    pub(super) corners: Vec<u32>,
    /// How many corners each face has.
    pub(super) sizes: Vec<u32>,
    pub(super) trailing_bytes: usize,
    /// Groups of points or lines that were left out.
    pub(super) skipped_groups: usize,
    /// The largest index any face names, and where. Faces may come before their vertices, so it is checked at the
    /// end: if this one is in range, all are.
    largest: Option<(u32, usize)>,
}

impl RawMesh {
    /// Adds a corner to the face being read; `at` is where the file names it.
    #[inline]
    pub(super) fn push_corner(&mut self, vertex: u32, at: usize) {
        if self.largest.is_none_or(|(largest, _)| vertex > largest) {
            self.largest = Some((vertex, at));
        }
        self.corners.push(vertex);
    }

    /// Ends a face whose corners were pushed since `first` (a length of `corners`).
    pub(super) fn end_face(&mut self, first: usize) {
        // A face with more corners than u32 holds would take a file of 8 GB for itself; `clean` sees the mismatch.
        self.sizes.push(u32::try_from(self.corners.len() - first).unwrap_or(u32::MAX));
    }

    /// Where the file names a vertex it does not have. `first` is the index of the first vertex in the format.
    pub(super) fn index_out_of_range(&self, first: u8) -> Option<(usize, Problem)> {
        let (largest, at) = self.largest.filter(|&(largest, _)| largest as usize >= self.vertices.len())?;
        let index = i64::from(largest) + i64::from(first);
        Some((at, Problem::IndexOutOfRange { index, count: self.vertices.len(), first }))
    }
}
