//! Which triangles use which edge, by sorting.

/// True when the three corners differ.
pub(super) fn distinct(&[a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}

/// One triangle's use of one edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EdgeUse {
    /// Lower vertex in the high half, higher vertex in the low half: equal for all uses of an edge.
    ends: u64,
    /// triangle · 8 + side · 2, plus one when it runs from the higher vertex to the lower. In 64 bits no mesh wraps it.
    place: u64,
}

impl EdgeUse {
    fn new(triangle: usize, side: usize, corners: &[u32; 3]) -> Self {
        let (from, to) = (corners[side], corners[(side + 1) % 3]);
        Self {
            ends: u64::from(from.min(to)) << 32 | u64::from(from.max(to)),
            place: (triangle as u64) << 3 | (side as u64) << 1 | u64::from(from > to),
        }
    }

    /// The edge's vertices, lower first.
    pub(super) fn ends(self) -> [u32; 2] {
        [(self.ends >> 32) as u32, self.ends as u32]
    }

    pub(super) fn triangle(self) -> usize {
        (self.place >> 3) as usize
    }

    /// Which edge of the triangle it is: edge `k` goes from corner `k` to `k + 1`.
    pub(super) fn side(self) -> usize {
        (self.place >> 1 & 3) as usize
    }

    pub(super) fn is_backward(self) -> bool {
        self.place & 1 == 1
    }
}

/// All uses of all edges, sorted so that the uses of an edge are neighbours.
pub(super) struct EdgeUses(Vec<EdgeUse>);

impl EdgeUses {
    /// Triangles with a repeated corner are left out.
    pub(super) fn of(triangles: &[[u32; 3]], vertex_count: usize) -> Self {
        // First into one bucket per lower vertex, then each bucket by itself: they hold about three uses each, so this is
        // much less work than sorting all at once.
        let mut bucket_ends = vec![0_usize; vertex_count];
        for corners in triangles.iter().filter(|corners| distinct(corners)) {
            for k in 0..3 {
                bucket_ends[corners[k].min(corners[(k + 1) % 3]) as usize] += 1;
            }
        }
        let mut count = 0;
        for bucket in &mut bucket_ends {
            count += std::mem::replace(bucket, count);
        }
        let mut sorted = vec![EdgeUse { ends: 0, place: 0 }; count];
        // Filling moves each bucket's start on to its end.
        for (t, corners) in triangles.iter().enumerate().filter(|(_, corners)| distinct(corners)) {
            for k in 0..3 {
                let place = &mut bucket_ends[corners[k].min(corners[(k + 1) % 3]) as usize];
                sorted[*place] = EdgeUse::new(t, k, corners);
                *place += 1;
            }
        }
        let mut start = 0;
        for end in bucket_ends {
            sorted[start..end].sort_unstable();
            start = end;
        }
        Self(sorted)
    }

    /// The uses of one edge after the other, edges in ascending order of their ends.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[EdgeUse]> {
        self.0.chunk_by(|a, b| a.ends == b.ends)
    }
}

/// Whether more triangles run along an edge one way than the other.
pub(super) fn is_unbalanced(edge: &[EdgeUse]) -> bool {
    2 * edge.iter().filter(|side| side.is_backward()).count() != edge.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_say_which_triangle_which_side_and_which_way() {
        let triangles = [[0, 1, 2], [7, 7, 1], [2, 1, 3], [1, 2, 0]];
        let edges = EdgeUses::of(&triangles, 8);
        let found: Vec<([u32; 2], usize, usize, bool)> = edges
            .iter()
            .flatten()
            .map(|side| (side.ends(), side.triangle(), side.side(), side.is_backward()))
            .collect();
        let expected = [
            ([0, 1], 0, 0, false),
            ([0, 1], 3, 2, false),
            ([0, 2], 0, 2, true),
            ([0, 2], 3, 1, true),
            ([1, 2], 0, 1, false),
            ([1, 2], 2, 0, true),
            ([1, 2], 3, 0, false),
            ([1, 3], 2, 1, false),
            ([2, 3], 2, 2, true),
        ];
        assert_eq!(found, expected);
        assert_eq!(edges.iter().map(<[EdgeUse]>::len).collect::<Vec<_>>(), [2, 2, 3, 1, 1]);
    }

    /// Three sides of 1.5 billion triangles are more than 32 bits count.
    #[test]
    fn places_do_not_wrap() {
        let far = EdgeUse::new(u32::MAX as usize, 2, &[5, 9, 8]);
        assert_eq!(
            (far.triangle(), far.side(), far.ends(), far.is_backward()),
            (u32::MAX as usize, 2, [5, 8], true)
        );
    }
}
