//! One vertex for all those that lie on the same node.
//!
//! A node whose value is σ is the end of every crossed edge at it, so all their vertices are at its place, with triangles
//! of no area between them. They are made one vertex, and triangles that lose a corner are dropped. Elsewhere that closes up what
//! was flat; but two sheets of surface that touch in the node would become one pinched surface, and where a plate has no
//! thickness its two sides would be the same triangles. So a node is welded only if the triangles around the new vertex form one fan
//! and no edge is used twice in a direction; otherwise its vertices stay apart, a millionth of a cell from it.

use glam::DVec3;

use super::extract::{Key, Vertex};

/// A node that a vertex lies on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Snap {
    pub(super) node: Key,
    pub(super) position: DVec3,
}

/// Welds vertices at nodes where that leaves the surface whole; drops triangles and vertices that are not needed any more.
pub(super) fn at_nodes(vertices: &[Vertex], triangles: Vec<[u32; 3]>) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut groups = groups(vertices);
    // What each vertex becomes.
    let mut target: Vec<u32> = (0..vertices.len() as u32).collect();
    let mut is_welded = vec![false; vertices.len()];
    for group in &groups {
        for &vertex in group {
            target[vertex as usize] = group[0];
            is_welded[vertex as usize] = true;
        }
    }
    // Only triangles at welded vertices can change.
    let touched: Vec<[u32; 3]> =
        triangles.iter().filter(|t| t.iter().any(|&v| is_welded[v as usize])).copied().collect();
    while !groups.is_empty() {
        let pinched = pinched(&touched, &target, &is_welded);
        if pinched.is_empty() {
            break;
        }
        // Every round takes at least one group away, so this ends.
        groups.retain(|group| {
            let stays = pinched.binary_search(&group[0]).is_err();
            if !stays {
                for &vertex in group {
                    target[vertex as usize] = vertex;
                    is_welded[vertex as usize] = false;
                }
            }
            stays
        });
    }

    let mut positions: Vec<DVec3> = vertices.iter().map(|vertex| vertex.position).collect();
    for group in &groups {
        if let Some(snap) = vertices[group[0] as usize].snap {
            positions[group[0] as usize] = snap.position;
        }
    }
    let triangles = triangles.into_iter().filter_map(|corners| mapped(corners, &target)).collect();
    without_unused(positions, triangles)
}

/// Vertices that lie on the same node, in order; also a single one, which moves there.
fn groups(vertices: &[Vertex]) -> Vec<Vec<u32>> {
    let mut snapped: Vec<(Key, u32)> = vertices
        .iter()
        .enumerate()
        .filter_map(|(index, vertex)| vertex.snap.map(|snap| (snap.node, index as u32)))
        .collect();
    snapped.sort_unstable();
    let by_node = snapped.chunk_by(|a, b| a.0 == b.0);
    by_node.map(|group| group.iter().map(|&(_, vertex)| vertex).collect()).collect()
}

/// A triangle after welding; `None` when it has lost a corner.
fn mapped(corners: [u32; 3], target: &[u32]) -> Option<[u32; 3]> {
    let [a, b, c] = corners.map(|v| target[v as usize]);
    (a != b && b != c && c != a).then_some([a, b, c])
}

/// Welded vertices whose triangles do not form one fan, sorted.
fn pinched(touched: &[[u32; 3]], target: &[u32], is_welded: &[bool]) -> Vec<u32> {
    // For every welded vertex, the edges opposite it: from one neighbour to the next.
    let mut opposite: Vec<(u32, u32, u32)> = Vec::new();
    for [a, b, c] in touched.iter().filter_map(|&corners| mapped(corners, target)) {
        let around = [(a, b, c), (b, c, a), (c, a, b)];
        opposite.extend(around.into_iter().filter(|(v, ..)| is_welded[*v as usize]));
    }
    opposite.sort_unstable();
    let fans = opposite.chunk_by(|a, b| a.0 == b.0);
    fans.filter(|links| !is_one_fan(links)).map(|links| links[0].0).collect()
}

/// Whether the edges around a vertex, sorted, form one ring of three or more, or one open chain at the border of the box.
fn is_one_fan(links: &[(u32, u32, u32)]) -> bool {
    // A neighbour that begins two edges, or ends two, is on an edge used twice in one direction.
    let begins_twice = links.windows(2).any(|pair| pair[0].1 == pair[1].1);
    let mut ends: Vec<u32> = links.iter().map(|link| link.2).collect();
    ends.sort_unstable();
    let ends_twice = ends.windows(2).any(|pair| pair[0] == pair[1]);
    if begins_twice || ends_twice {
        return false;
    }
    let first = links.iter().map(|link| link.1).find(|from| ends.binary_search(from).is_err());
    let start = first.unwrap_or(links[0].1);
    let (mut at, mut length) = (start, 0);
    while let Ok(next) = links.binary_search_by_key(&at, |link| link.1) {
        at = links[next].2;
        length += 1;
        if at == start {
            break;
        }
    }
    // A ring of two would be one triangle seen from both sides.
    length == links.len() && (first.is_some() || length >= 3)
}

fn without_unused(positions: Vec<DVec3>, mut triangles: Vec<[u32; 3]>) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut is_used = vec![false; positions.len()];
    for &vertex in triangles.iter().flatten() {
        is_used[vertex as usize] = true;
    }
    let mut index = vec![0; positions.len()];
    let mut kept = Vec::with_capacity(positions.len());
    for (vertex, position) in positions.into_iter().enumerate() {
        index[vertex] = kept.len() as u32;
        if is_used[vertex] {
            kept.push(position);
        }
    }
    for corners in &mut triangles {
        *corners = corners.map(|vertex| index[vertex as usize]);
    }
    (kept, triangles)
}
