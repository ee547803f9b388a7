use glam::UVec3;

use super::Buffer;

/// Every node of a box of nodes, x fastest, then y, then z.
#[derive(Debug, Clone)]
pub(crate) struct DenseNodes {
    pub(crate) nodes: UVec3,
    pub(crate) values: Buffer<f32>,
}

impl DenseNodes {
    #[inline]
    pub(crate) fn index(&self, node: UVec3) -> usize {
        let n = self.nodes;
        node.x as usize + n.x as usize * (node.y as usize + n.y as usize * node.z as usize)
    }

    /// Values at the corners of a cell, x fastest. The cell's upper corner must exist.
    #[inline]
    pub(crate) fn corners(&self, cell: UVec3) -> [f32; 8] {
        self.corners_from(&self.values, cell)
    }

    /// The same for who has the slice of values at hand.
    #[inline(always)]
    pub(crate) fn corners_from(&self, values: &[f32], cell: UVec3) -> [f32; 8] {
        let first = self.index(cell);
        let (row, layer) = (self.nodes.x as usize, self.nodes.x as usize * self.nodes.y as usize);
        let corner = |x: usize, y: usize, z: usize| values[first + x + y * row + z * layer];
        std::array::from_fn(|k| corner(k & 1, (k >> 1) & 1, k >> 2))
    }
}
