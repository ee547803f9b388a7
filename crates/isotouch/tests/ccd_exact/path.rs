//! φ − σ along a whole segment, exactly: with grid, segment and nodes taken as the numbers they are, the segment passes
//! the planes of the grid at rational times, and between two of them φ is a cubic with rational coefficients.

use dashu_ratio::RBig;
use isotouch::ccd::Segment;
use isotouch::field::Grid;

use crate::oracle::cubic::{Cubic, Of, powers};
use crate::oracle::double::Double;
use crate::oracle::polynomial::Number;

/// A segment in cells: u(t) = start + t·change, per axis.
struct Track {
    start: [RBig; 3],
    change: [RBig; 3],
}

impl Track {
    fn new(grid: &Grid, segment: &Segment) -> Self {
        let cell = RBig::of(grid.cell);
        let exact = |x: f64| RBig::of(x);
        let start = |k: usize| (exact(segment.from[k]) - exact(grid.origin[k])) / &cell;
        let change = |k: usize| (exact(segment.to[k]) - exact(segment.from[k])) / &cell;
        Self { start: std::array::from_fn(start), change: std::array::from_fn(change) }
    }

    fn at(&self, axis: usize, t: &RBig) -> RBig {
        &self.start[axis] + &self.change[axis] * t
    }

    /// When a coordinate is at a plane.
    fn passes(&self, axis: usize, plane: RBig) -> RBig {
        (plane - &self.start[axis]) / &self.change[axis]
    }

    /// The closed time in the closed box, all sides of it moved inward by so many cells.
    fn time_inside(&self, grid: &Grid, margin: f64) -> Option<(RBig, RBig)> {
        let (mut enters, mut leaves) = (RBig::ZERO, RBig::ONE);
        for axis in 0..3 {
            let (low, high) = (RBig::of(margin), RBig::from(grid.cells[axis]) - RBig::of(margin));
            if self.change[axis].is_zero() {
                if self.start[axis] < low || self.start[axis] > high {
                    return None;
                }
                continue;
            }
            let (mut first, mut second) = (self.passes(axis, low), self.passes(axis, high));
            if first > second {
                std::mem::swap(&mut first, &mut second);
            }
            enters = enters.max(first);
            leaves = leaves.min(second);
        }
        (enters <= leaves).then_some((enters, leaves))
    }

    /// Times between two, these included, at which any plane is passed; sorted, each once.
    fn stops(&self, grid: &Grid, (enters, leaves): &(RBig, RBig)) -> Vec<RBig> {
        let mut all = vec![enters.clone(), leaves.clone()];
        for axis in (0..3).filter(|&axis| !self.change[axis].is_zero()) {
            let passed = (1..grid.cells[axis]).map(|plane| self.passes(axis, RBig::from(plane)));
            all.extend(passed.filter(|t| t > enters && t < leaves));
        }
        all.sort();
        all.dedup();
        all
    }
}

/// The path in one cell.
struct Piece {
    start: RBig,
    end: RBig,
    corners: [f32; 8],
    iso: f64,
    cubic: Cubic<'static>,
}

impl Piece {
    fn new(scene: Nodes<'_>, track: &Track, [start, end]: [RBig; 2], iso: f64) -> Self {
        let middle = (&start + &end) / RBig::from(2);
        // On a plane both neighbours will do: they agree there.
        let cell: [u32; 3] = std::array::from_fn(|k| {
            let index = u32::try_from(track.at(k, &middle).floor()).unwrap();
            index.min(scene.grid.cells[k] - 1)
        });
        let corners = scene.corners(cell);
        let [entry, exit] = [&start, &end]
            .map(|t| std::array::from_fn::<RBig, 3, _>(|k| track.at(k, t) - RBig::from(cell[k])));
        let ends = [&entry, &exit].map(|at| std::array::from_fn(|k| Double::near(&at[k])));
        let cubic = Cubic::new(&corners, &ends, iso, move || powers(&corners, &entry, &exit, iso));
        Self { start, end, corners, iso, cubic }
    }

    /// s in [0, 1] at a time.
    fn place(&self, t: &RBig) -> RBig {
        if self.start == self.end { RBig::ZERO } else { (t - &self.start) / (&self.end - &self.start) }
    }

    /// Whether ±(φ − σ) + shift > 0 on the common part of the piece and these times.
    fn is_positive(&self, of: Of, shift: f64, (from, to): (&RBig, &RBig)) -> bool {
        let (from, to) = (from.max(&self.start), to.min(&self.end));
        // φ is between the least and the largest corner.
        let is_plain = match of {
            Of::P => shift >= 0.0 && self.corners.iter().all(|&c| f64::from(c) > self.iso),
            Of::MinusP => shift > 0.0 && self.corners.iter().all(|&c| f64::from(c) <= self.iso),
        };
        from > to || is_plain || self.cubic.is_positive(of, shift, (&self.place(from), &self.place(to)))
    }

    /// Change of φ per unit of t.
    fn slope(&self, t: &RBig) -> f64 {
        if self.start == self.end {
            return 0.0;
        }
        let per_piece = self.cubic.slope(Double::near(&self.place(t))).high();
        per_piece / (&self.end - &self.start).to_f64().value()
    }

    /// The first time with φ ≤ σ of a piece that has one, between two that are 10⁻¹⁵ apart.
    fn first_contact(&self) -> (f64, f64) {
        let length = &self.end - &self.start;
        let time = |s: f64| (&self.start + &length * RBig::of(s)).to_f64().value();
        if !self.cubic.is_positive(Of::P, 0.0, (&0.0, &0.0)) {
            return (time(0.0), time(0.0));
        }
        let (mut low, mut high) = (0.0, 1.0);
        while (high - low) * length.to_f64().value() > 1e-16 && high - low > 1e-17 {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            let is_free = self.cubic.is_positive(Of::P, 0.0, (&low, &middle));
            (low, high) = if is_free { (middle, high) } else { (low, middle) };
        }
        (time(low), time(high))
    }
}

/// The nodes of a dense field, as they were given to it.
#[derive(Clone, Copy)]
pub(crate) struct Nodes<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) values: &'a [f32],
}

impl Nodes<'_> {
    fn corners(&self, cell: [u32; 3]) -> [f32; 8] {
        let n = self.grid.nodes();
        std::array::from_fn(|k| {
            let [x, y, z]: [u32; 3] = std::array::from_fn(|axis| cell[axis] + (k as u32 >> axis & 1));
            self.values[(x + n.x * (y + n.y * z)) as usize]
        })
    }
}

/// What is true of a segment.
pub(crate) struct Path {
    /// In order, without gaps from entering the box to leaving it.
    pieces: Vec<Piece>,
    track: Track,
    grid: Grid,
    iso: f64,
}

impl Path {
    pub(crate) fn new(nodes: Nodes<'_>, segment: &Segment, iso: f64) -> Self {
        let track = Track::new(nodes.grid, segment);
        let inside = track.time_inside(nodes.grid, 0.0);
        let stops = inside.map_or(Vec::new(), |inside| track.stops(nodes.grid, &inside));
        let piece = |ends: &[RBig]| Piece::new(nodes, &track, [ends[0].clone(), ends[1].clone()], iso);
        let pieces = match stops.len() {
            1 => vec![piece(&[stops[0].clone(), stops[0].clone()])],
            _ => stops.windows(2).map(piece).collect(),
        };
        Self { pieces, track, grid: *nodes.grid, iso }
    }

    /// The time in the box less so many cells on each side; with a margin below zero, in a larger box.
    pub(crate) fn time_inside(&self, margin: f64) -> Option<(f64, f64)> {
        let (enters, leaves) = self.track.time_inside(&self.grid, margin)?;
        Some((enters.to_f64().value(), leaves.to_f64().value()))
    }

    /// About φ − σ at a time; beside the box, at its nearest point.
    pub(crate) fn value(&self, nodes: Nodes<'_>, t: f64) -> f64 {
        let t = RBig::of(t);
        let at: [RBig; 3] =
            std::array::from_fn(|k| self.track.at(k, &t).max(RBig::ZERO).min(RBig::from(self.grid.cells[k])));
        let still = Track { start: at, change: [RBig::ZERO, RBig::ZERO, RBig::ZERO] };
        Piece::new(nodes, &still, [RBig::ZERO, RBig::ZERO], self.iso).cubic.value(Double::of(0.0)).high()
    }

    /// Whether ±(φ − σ) + shift > 0 at all these times at which the path is in the box, ends included.
    pub(crate) fn is_positive(&self, of: Of, shift: f64, (from, to): (f64, f64)) -> bool {
        let (from, to) = (RBig::of(from), RBig::of(to));
        self.pieces.iter().all(|piece| piece.is_positive(of, shift, (&from, &to)))
    }

    /// Whether φ > σ − shift in the box all along.
    pub(crate) fn is_free(&self, shift: f64) -> bool {
        self.is_positive(Of::P, shift, (0.0, 1.0))
    }

    /// Bounds of the first time with φ ≤ σ in the box.
    pub(crate) fn first_contact(&self) -> Option<(f64, f64)> {
        let is_touched =
            |piece: &&Piece| !piece.is_positive(Of::P, 0.0, (&piece.start.clone(), &piece.end.clone()));
        self.pieces.iter().find(is_touched).map(Piece::first_contact)
    }

    /// The steepest fall of φ per unit of t at a time, of the one or two pieces there: zero where one of them rises.
    pub(crate) fn fall(&self, t: f64) -> f64 {
        let t = RBig::of(t);
        let at_t = self.pieces.iter().filter(|piece| piece.start <= t && t <= piece.end);
        at_t.map(|piece| -piece.slope(&t)).fold(f64::INFINITY, f64::min).max(0.0)
    }

    /// About the least φ − σ along the path, by trying.
    pub(crate) fn lowest(&self) -> Option<f64> {
        let of_piece = |piece: &Piece| {
            let value = |s: f64| piece.cubic.value(Double::of(s)).high();
            let (mut from, mut to) = (0.0, 1.0);
            let mut least = f64::INFINITY;
            for _ in 0..7 {
                let step = (to - from) / 16.0;
                let tried = (0..=16).map(|k| from + step * f64::from(k));
                let best: f64 = tried.min_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap();
                least = value(best);
                (from, to) = ((best - step).max(0.0), (best + step).min(1.0));
            }
            least
        };
        self.pieces.iter().map(of_piece).min_by(f64::total_cmp)
    }

    /// Pieces that needed exact rationals.
    pub(crate) fn rationals(&self) -> usize {
        self.pieces.iter().filter(|piece| piece.cubic.needed_rationals()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isotouch::math::{DVec3, UVec3};

    /// 3(2s − 1)² along the diagonals of two cells, as in the scenes.
    fn double_roots() -> (Grid, Vec<f32>) {
        let grid = Grid { origin: DVec3::splat(-1.0), cell: 0.5, cells: UVec3::splat(4) };
        let values = (0..125).map(|k| [3.0, -1.0, -1.0][(k % 5 + k / 5 % 5 + k / 25) % 3]).collect();
        (grid, values)
    }

    #[test]
    fn a_double_root_is_found_and_a_miss_by_the_least_number_is_not() {
        let (grid, values) = double_roots();
        let nodes = Nodes { grid: &grid, values: &values };
        let diagonal = Segment::new(DVec3::splat(-1.0), DVec3::splat(1.0));
        let path = Path::new(nodes, &diagonal, 0.0);
        assert_eq!(path.pieces.len(), 4);
        let (low, high) = path.first_contact().unwrap();
        assert!(low <= 0.125 && 0.125 <= high && high - low < 1e-15, "{low} {high}");
        assert!(path.is_positive(Of::P, 0.0, (0.0, 0.125f64.next_down())));
        assert!(!path.is_positive(Of::P, 0.0, (0.0, 0.125)));
        let first_cell = Segment::new(DVec3::splat(-1.0), DVec3::splat(-0.5));
        assert!(!Path::new(nodes, &first_cell, 0.0).is_free(0.0));
        assert!(Path::new(nodes, &first_cell, -5e-324).is_free(0.0));
    }

    #[test]
    fn values_are_those_of_the_field() {
        let (grid, values) = double_roots();
        let nodes = Nodes { grid: &grid, values: &values };
        let options = isotouch::field::FieldOptions::default();
        let field = isotouch::field::Field::from_grid(grid, values.clone(), 100.0, &options).unwrap();
        let mut random = crate::Random(3);
        for _ in 0..200 {
            let segment = Segment::new(random.in_cube(), random.in_cube());
            let path = Path::new(nodes, &segment, 0.25);
            let t = random.unit();
            let expected = field.distance(segment.at(t)).value() - 0.25;
            assert!((path.value(nodes, t) - expected).abs() < 1e-13, "{segment:?}");
            let is_above = path.is_positive(Of::P, 0.0, (t, t));
            assert!(is_above == (expected > 0.0) || expected.abs() < 1e-13, "{segment:?}");
        }
    }

    #[test]
    fn a_path_past_an_edge_of_the_box_is_in_it_for_a_moment() {
        let (grid, values) = double_roots();
        let past_edge = Segment::new(DVec3::new(0.0, 1.0, 0.125), DVec3::new(2.0, 3.0, 0.125));
        let path = Path::new(Nodes { grid: &grid, values: &values }, &past_edge, -2.0);
        assert_eq!(path.time_inside(0.0), Some((0.0, 0.0)));
        let beside = Segment::new(DVec3::new(0.5, 1.5, 0.125), DVec3::new(1.5, 0.5, 0.125));
        let path = Path::new(Nodes { grid: &grid, values: &values }, &beside, -2.0);
        assert_eq!(path.time_inside(0.0), Some((0.5, 0.5)));
        assert_eq!(path.pieces.len(), 1);
        assert_eq!(path.time_inside(1e-9), None);
    }
}
