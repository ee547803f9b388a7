//! Caps: triangles whose three corners lie on a line.
//!
//! A cap a b c with b between the others has no area, but it joins what meets at a–b and b–c to what meets at a–c.
//! Dropping it leaves a crack of zero width: the mesh looks closed and is not. So the neighbour across a–c is split at b
//! instead, and takes over the edges of the cap:
//!
//! ```text
//!        d                  d
//!      /   \              / | \
//!     /     \     ─►     /  |  \
//!    a ───── c          a ─ b ─ c
//!     ‾‾ b ‾‾
//! ```
//!
//! The surface does not move, every edge keeps its number of triangles modulo two, and two triangles stay two.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use glam::DVec3;

use super::clean::has_area;

/// How many triangles may be looked at for each cap, on average. A flip needs about 15; the bound is for hostile meshes,
/// where thousands meet at one edge. Caps left over are dropped.
const LOOKS_PER_CAP: usize = 50;
/// Added to that, for the few caps of a small mesh that lean on each other.
const LOOKS_ALWAYS: usize = 10_000;

/// Flips caps where there is a neighbour to flip them with; returns how many flips it took. The rest stay.
pub(super) fn flip_caps(triangles: &mut [[u32; 3]], vertices: &[DVec3]) -> usize {
    let caps: BTreeSet<(u64, usize)> =
        (0..triangles.len()).filter_map(|t| Some((as_cap(triangles[t], vertices)?.shortness, t))).collect();
    if caps.is_empty() {
        return 0;
    }
    let mut edges: Vec<[u32; 2]> = caps.iter().flat_map(|&(_, t)| edges_of(triangles[t])).collect();
    edges.sort_unstable();
    let mut around: BTreeMap<[u32; 2], BTreeSet<usize>> = BTreeMap::new();
    for (t, &triangle) in triangles.iter().enumerate() {
        for edge in edges_of(triangle).into_iter().filter(|edge| edges.binary_search(edge).is_ok()) {
            around.entry(edge).or_default().insert(t);
        }
    }
    let looks = LOOKS_PER_CAP * caps.len() + LOOKS_ALWAYS;
    let queue = caps.iter().map(|&(_, t)| t).collect();
    Flipper { triangles, vertices, around, queue, waiting: caps, looks }.run()
}

struct Flipper<'a> {
    triangles: &'a mut [[u32; 3]],
    vertices: &'a [DVec3],
    /// The triangles at each edge of a cap.
    around: BTreeMap<[u32; 2], BTreeSet<usize>>,
    /// Caps whose surroundings are new.
    queue: VecDeque<usize>,
    /// All caps, those with the longest edges first.
    waiting: BTreeSet<(u64, usize)>,
    /// How many more triangles may be looked at.
    looks: usize,
}

/// A triangle without area: its longest edge, and the corner in the middle.
struct Cap {
    longest: [u32; 2],
    middle: u32,
    /// Orders caps by their longest edge, the longest first.
    shortness: u64,
}

impl Flipper<'_> {
    fn run(mut self) -> usize {
        let mut flips = 0;
        while self.looks > 0 {
            // A neighbour with area settles a cap for good. Only where caps lean on nothing but caps are two of them
            // exchanged for two others. The one with the longest edge of all comes first: the cap beside it has the same
            // longest edge, and those that come out have shorter ones, so this ends.
            let with_area = self.queue.pop_front();
            let next = with_area.or_else(|| self.waiting.pop_first().map(|(_, triangle)| triangle));
            let Some(triangle) = next else { break };
            let Some(cap) = as_cap(self.triangles[triangle], self.vertices) else { continue };
            if let Some(neighbour) = self.neighbour(triangle, &cap, with_area.is_some()) {
                self.flip(triangle, &cap, neighbour);
                flips += 1;
            }
        }
        flips
    }

    /// A triangle to split at the middle of the cap.
    fn neighbour(&mut self, triangle: usize, cap: &Cap, with_area: bool) -> Option<usize> {
        for &other in self.around.get(&cap.longest)? {
            self.looks = self.looks.saturating_sub(1);
            let corners = self.triangles[other];
            // One with the same three corners cancels the cap out, and both can be dropped.
            let differs = other != triangle && !corners.contains(&cap.middle);
            if differs && (!with_area || has_area(corners.map(|v| self.vertices[v as usize]))) {
                return Some(other);
            }
            if self.looks == 0 {
                break;
            }
        }
        None
    }

    fn flip(&mut self, triangle: usize, cap: &Cap, neighbour: usize) {
        let [p, q, d] = rotated(self.triangles[neighbour], cap.longest);
        self.replace(neighbour, [p, cap.middle, d]);
        self.replace(triangle, [cap.middle, q, d]);
        for t in [neighbour, triangle] {
            for edge in edges_of(self.triangles[t]) {
                for &beside in self.around.get(&edge).into_iter().flatten() {
                    self.looks = self.looks.saturating_sub(1);
                    if self.looks == 0 {
                        return;
                    }
                    if let Some(cap) = as_cap(self.triangles[beside], self.vertices) {
                        self.queue.push_back(beside);
                        self.waiting.insert((cap.shortness, beside));
                    }
                }
            }
        }
    }

    fn replace(&mut self, triangle: usize, corners: [u32; 3]) {
        for edge in edges_of(self.triangles[triangle]) {
            if let Some(beside) = self.around.get_mut(&edge) {
                beside.remove(&triangle);
            }
        }
        for edge in edges_of(corners) {
            self.around.entry(edge).or_default().insert(triangle);
        }
        self.triangles[triangle] = corners;
    }
}

fn as_cap(corners: [u32; 3], vertices: &[DVec3]) -> Option<Cap> {
    let [a, b, c] = corners;
    if a == b || b == c || c == a || has_area(corners.map(|v| vertices[v as usize])) {
        return None;
    }
    let length = |i: usize| {
        let [p, q] = [corners[(i + 1) % 3], corners[(i + 2) % 3]].map(|v| vertices[v as usize]);
        // The largest component orders lengths along one line, and halves cannot overflow into a tie.
        (0.5 * p - 0.5 * q).abs().max_element()
    };
    let middle = (0..3).max_by(|&i, &j| length(i).total_cmp(&length(j)))?;
    let longest = sorted(corners[(middle + 1) % 3], corners[(middle + 2) % 3]);
    // The bits of numbers that are not negative sort as the numbers do.
    Some(Cap { longest, middle: corners[middle], shortness: u64::MAX - length(middle).to_bits() })
}

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn edges_of([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [sorted(a, b), sorted(b, c), sorted(c, a)]
}

/// The corners turned so that `edge`, which the triangle has, comes first in its own direction.
fn rotated([a, b, c]: [u32; 3], edge: [u32; 2]) -> [u32; 3] {
    if sorted(a, b) == edge {
        [a, b, c]
    } else if sorted(b, c) == edge {
        [b, c, a]
    } else {
        [c, a, b]
    }
}
