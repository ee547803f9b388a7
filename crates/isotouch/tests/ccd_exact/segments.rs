//! Segments in, around and beside the cells of a grid.

use isotouch::ccd::Segment;
use isotouch::field::Grid;
use isotouch::math::{DVec3, IVec3};

use crate::oracle::random::Random;

/// Number of kinds of segments.
const KINDS: usize = 17;

pub(crate) fn segment(grid: &Grid, random: &mut Random) -> Segment {
    let (from, to) = ends(grid, random);
    let segment = Segment::new(from, to);
    if random.below(2) == 0 { segment } else { segment.reversed() }
}

fn ends(grid: &Grid, random: &mut Random) -> (DVec3, DVec3) {
    let bounds = grid.bounds();
    let h = grid.cell;
    let inside = |random: &mut Random| random.in_box(bounds);
    let axis = random.below(3);
    let from = inside(random);
    match random.below(KINDS) {
        0 => (from, inside(random)),
        // In or beside the box.
        1 => [from, inside(random)].map(|at| bounds.center() + 1.6 * (at - bounds.center())).into(),
        // Along an axis, on no plane.
        2 => (from, with(from, axis, inside(random)[axis])),
        // Within a plane.
        3 => {
            let plane = node(grid, random)[axis];
            (with(from, axis, plane), with(inside(random), axis, plane))
        }
        // Along an edge, and past the box.
        4 => {
            let at = node(grid, random);
            let past = [bounds.min[axis] - h, bounds.max[axis] + h];
            let to = if random.below(2) == 0 { past[random.below(2)] } else { inside(random)[axis] };
            (at, with(at, axis, to))
        }
        5 => (node(grid, random), node(grid, random)),
        // Through a node.
        6 => {
            let (at, along) = (node(grid, random), h * random.in_cube());
            (at - along * (1.0 + random.below(3) as f64), at + along)
        }
        // Along a diagonal of cells.
        7 => {
            let along = IVec3::from_array(std::array::from_fn(|_| [-1, 1][random.below(2)]));
            let start = node_index(grid, random);
            let end = start + along * (1 + random.below(4) as i32);
            (grid.node_position(start), grid.node_position(end))
        }
        // No length.
        8 => {
            let at = match random.below(4) {
                0 => node(grid, random),
                1 => with(from, axis, node(grid, random)[axis]),
                2 => bounds.max + h * random.in_cube(),
                _ => from,
            };
            (at, at)
        }
        // From one plane to another.
        9 => {
            let (first, second) = (node(grid, random)[axis], node(grid, random));
            let other = random.below(3);
            (with(from, axis, first), with(inside(random), other, second[other]))
        }
        // Short.
        10 => {
            let length = h * 10f64.powi(-(random.below(14) as i32));
            (from, from + length * random.in_cube())
        }
        // Short, about a node or a plane.
        11 => {
            let at = if random.below(2) == 0 {
                node(grid, random)
            } else {
                with(from, axis, node(grid, random)[axis])
            };
            let along = h * 10f64.powi(-(random.below(14) as i32)) * random.in_cube();
            (at - along, at + along)
        }
        // From far away.
        12 => {
            let far = h * 10f64.powi(1 + random.below(9) as i32) * random.in_cube();
            (from + far, from - far * random.unit())
        }
        // Almost within a plane.
        13 => {
            let plane = node(grid, random)[axis];
            let tilt = h * 10f64.powi(-(random.below(17) as i32));
            let [low, high] = [plane - tilt * random.unit(), plane + tilt * random.unit()];
            (with(from, axis, low), with(inside(random), axis, high))
        }
        // An ulp beside planes.
        14 => (beside(node(grid, random), random), beside(node(grid, random), random)),
        // Outside, along a face of the box, a little beside it.
        15 => {
            let beside = h * 10f64.powi(-(3 + random.below(4) as i32));
            let face = [bounds.min[axis] - beside, bounds.max[axis] + beside][random.below(2)];
            (with(from, axis, face), with(inside(random), axis, face))
        }
        // Outside, on a face of the box or past its edges.
        _ => {
            let face = [bounds.min[axis], bounds.max[axis]][random.below(2)];
            let other = (axis + 1) % 3;
            let start = with(with(from, axis, face), other, bounds.min[other] - h);
            (start, with(with(inside(random), axis, face), other, bounds.max[other] + h))
        }
    }
}

fn with(at: DVec3, axis: usize, coordinate: f64) -> DVec3 {
    let mut at = at;
    at[axis] = coordinate;
    at
}

fn node_index(grid: &Grid, random: &mut Random) -> IVec3 {
    IVec3::from_array(grid.nodes().to_array().map(|count| random.below(count as usize) as i32))
}

fn node(grid: &Grid, random: &mut Random) -> DVec3 {
    grid.node_position(node_index(grid, random))
}

fn beside(at: DVec3, random: &mut Random) -> DVec3 {
    DVec3::from_array(at.to_array().map(|x| [x.next_down(), x, x.next_up()][random.below(3)]))
}
