//! Filling a loop with triangles.

use glam::DVec3;

use super::cell::share_a_face;

/// Longest loop in a cell: all its edges.
const MOST: usize = 12;

/// Triangles between the corners of a loop, as positions in it, wound as the loop is; with the shortest diagonals (least
/// sum of squares) among those that lie in no face of the cell. `None` when every choice has one that does.
///
/// Dynamic programming over the runs i..=j of corners (Klincsek 1980): a run is best filled by the triangle i, k, j with the best
/// k, and the runs on its two sides.
pub(super) fn triangles(edges: &[u8], at: &[DVec3; 12], mut found: impl FnMut([usize; 3])) -> Option<()> {
    let n = edges.len();
    if n == 3 {
        found([0, 1, 2]);
        return Some(());
    }
    // Squared length of a diagonal, infinite if it lies in a face; the sides of the loop cost nothing.
    let cost_of = |i: usize, j: usize| {
        if j == i + 1 || (i == 0 && j == n - 1) {
            0.0
        } else if share_a_face(edges[i], edges[j]) {
            f64::INFINITY
        } else {
            at[edges[i] as usize].distance_squared(at[edges[j] as usize])
        }
    };
    let mut cost = [[0.0; MOST]; MOST];
    let mut best = [[0; MOST]; MOST];
    for span in 2..n {
        for i in 0..n - span {
            let j = i + span;
            let own = cost_of(i, j);
            let mut least = f64::INFINITY;
            for k in i + 1..j {
                let total = own + cost[i][k] + cost[k][j];
                if total < least {
                    least = total;
                    best[i][j] = k;
                }
            }
            cost[i][j] = least;
        }
    }
    if cost[0][n - 1] == f64::INFINITY {
        return None;
    }
    let mut runs = [(0, 0); MOST];
    runs[0] = (0, n - 1);
    let mut waiting = 1;
    while waiting > 0 {
        waiting -= 1;
        let (i, j) = runs[waiting];
        let k = best[i][j];
        found([i, k, j]);
        for run in [(i, k), (k, j)] {
            if run.1 > run.0 + 1 {
                runs[waiting] = run;
                waiting += 1;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::cell::{EDGES, for_each_loop};
    use super::*;

    /// The middle of each edge.
    fn middles() -> [DVec3; 12] {
        let corner = |k: usize| DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
        EDGES.map(|[low, high]| 0.5 * (corner(low) + corner(high)))
    }

    /// Corner values of all signs, with sizes that join the corners of some faces and not of others.
    fn all_kinds_of_cells() -> impl Iterator<Item = [f64; 8]> {
        (0..256usize).flat_map(|mask| {
            (0..256usize).map(move |large| {
                std::array::from_fn(|k| {
                    let size = if large >> k & 1 != 0 { 10.0 } else { 1.0 + 0.1 * k as f64 };
                    if mask >> k & 1 != 0 { -size } else { size }
                })
            })
        })
    }

    #[test]
    fn no_diagonal_lies_in_a_face() {
        let mut without = 0;
        for values in all_kinds_of_cells() {
            for_each_loop(&values, |edges| {
                let mut used = Vec::new();
                if triangles(edges, &middles(), |t| used.push(t)).is_none() {
                    without += 1;
                    return;
                }
                assert_eq!(used.len(), edges.len() - 2);
                for [a, b, c] in used {
                    assert!(a < b && b < c);
                    for (i, j) in [(a, b), (b, c), (a, c)] {
                        let is_side = j == i + 1 || (i == 0 && j == edges.len() - 1);
                        assert!(is_side || !share_a_face(edges[i], edges[j]));
                    }
                }
            });
        }
        assert!(without > 0, "some loops cannot be filled so");
    }
}
