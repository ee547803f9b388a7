//! Triangles whose boxes meet.

use super::{Bvh, LEAF};
use crate::mesh::TriMesh;

impl Bvh {
    /// Calls `found` for every triangle after `t` whose box meets that of `t`: for each pair once, over all `t`.
    pub(crate) fn for_each_near(&self, mesh: &TriMesh, t: usize, mut found: impl FnMut(u32)) {
        let [d, e, f] = mesh.corners(t);
        let corners = [d, e, f].map(|v| (v - self.center) * self.scale);
        let low = corners[0].min(corners[1]).min(corners[2]);
        let high = corners[0].max(corners[1]).max(corners[2]);
        let lo = low.to_array().map(|x| (x as f32).next_down());
        let hi = high.to_array().map(|x| (x as f32).next_up());
        let mut stack = vec![self.root];
        while let Some(current) = stack.pop() {
            if current & LEAF == 0 {
                let node = &self.nodes[current as usize];
                for lane in 0..node.used as usize {
                    if (0..3).all(|axis| node.lo[axis][lane] <= hi[axis] && lo[axis] <= node.hi[axis][lane]) {
                        stack.push(node.child[lane]);
                    }
                }
                continue;
            }
            for &other in &self.leaves[(current & !LEAF) as usize].triangle {
                if other == u32::MAX || other as usize <= t {
                    continue;
                }
                let [a, b, c] = mesh.corners(other as usize);
                let apart = a.min(b).min(c).cmpgt(d.max(e).max(f)).any()
                    || a.max(b).max(c).cmplt(d.min(e).min(f)).any();
                if !apart {
                    found(other);
                }
            }
        }
    }
}
