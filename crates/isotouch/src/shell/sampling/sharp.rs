//! Corners and sharp edges, and points on them.

use std::ops::ControlFlow;

use glam::DVec3;

use super::{Place, PointGrid, Sample, TOGETHER, stage};
use crate::field::{Cancelled, Execution};
use crate::mesh::creases::{Crease, creases};
use crate::shell::surface::Surface;

/// Where a surface is not smooth: corners, and the lines between them.
pub(super) struct SharpLines<'a> {
    surface: &'a Surface,
    corners: Vec<Sample>,
    lines: Vec<Line>,
}

/// Sharp edges one after the other, from corner to corner or round in a ring.
struct Line {
    points: Vec<DVec3>,
    /// Of each edge.
    normals: Vec<DVec3>,
    is_ring: bool,
}

impl<'a> SharpLines<'a> {
    /// Corners are vertices where one or more than two sharp edges end, or where a line of them turns by more than `angle`.
    pub(super) fn new(surface: &'a Surface, angle: f64) -> Self {
        let creases = creases(&surface.mesh, &surface.normals, angle);
        let graph = Graph::new(&creases, surface.mesh.vertices());
        let vertex_normals = surface.vertex_normals();
        let mut corners: Vec<u32> = graph.vertices().filter(|&v| graph.is_corner(v, angle)).collect();
        let is_corner = |v: u32| corners.binary_search(&v).is_ok();
        let lines = graph.lines(&corners, is_corner);
        // Where many edges meet comes first, for what follows close by is left out.
        corners.sort_by_key(|&v| std::cmp::Reverse(graph.at(v).len()));
        let sample = |&v: &u32| Sample {
            point: surface.mesh.vertices()[v as usize],
            normal: vertex_normals[v as usize],
            place: Place::Corner,
        };
        Self { surface, corners: corners.iter().map(sample).collect(), lines }
    }

    /// Length of all sharp edges.
    pub(super) fn length(&self) -> f64 {
        self.lines.iter().map(Line::length).sum()
    }

    /// All corners, and points along the lines no farther apart than the spacing, evenly; but of those closer together than half of
    /// it only the first. So every place of a sharp edge is within one spacing of a point on one.
    pub(super) fn samples(&self, spacing: f64, execution: &Execution<'_>) -> Result<Vec<Sample>, Cancelled> {
        let stage = stage(execution, "edges", 0);
        let apart = 0.5 * spacing;
        let mut grid = PointGrid::new(self.surface.mesh.bounds(), apart);
        let mut kept = Vec::new();
        let on_lines = self.lines.iter().flat_map(|line| line.samples(spacing));
        for (k, sample) in self.corners.iter().copied().chain(on_lines).enumerate() {
            if k % TOGETHER == 0 {
                stage.check()?;
            }
            // A little less than half, so that points exactly that far apart stay, whatever the rounding.
            if !grid.near(sample.point, apart * (1.0 - 1e-9), |_, _| ControlFlow::Break(())) {
                grid.insert(sample.point);
                kept.push(sample);
            }
        }
        Ok(kept)
    }
}

impl Line {
    fn length(&self) -> f64 {
        self.points.windows(2).map(|ends| ends[0].distance(ends[1])).sum()
    }

    /// Points evenly along the line, without its ends; of a ring with its beginning.
    fn samples(&self, spacing: f64) -> Vec<Sample> {
        let length = self.length();
        let parts = (length / spacing * (1.0 - 1e-12)).ceil().max(1.0);
        let step = length / parts;
        let mut samples = Vec::new();
        let mut next = if self.is_ring { 0.0 } else { step };
        let mut begin = 0.0;
        for (ends, &normal) in self.points.windows(2).zip(&self.normals) {
            let edge = ends[0].distance(ends[1]);
            // Up to half a step before the end: the end itself is a corner, or the ring's beginning.
            while next <= begin + edge && next < length - 0.5 * step {
                let along = if edge > 0.0 { (next - begin) / edge } else { 0.0 };
                let point = ends[0].lerp(ends[1], along);
                samples.push(Sample { point, normal, place: Place::Edge });
                next = step * (samples.len() + usize::from(!self.is_ring)) as f64;
            }
            begin += edge;
        }
        samples
    }
}

/// Which creases end at which vertex.
struct Graph<'a> {
    creases: &'a [Crease],
    positions: &'a [DVec3],
    /// Vertex and crease, ascending.
    ends: Vec<(u32, u32)>,
}

impl<'a> Graph<'a> {
    fn new(creases: &'a [Crease], positions: &'a [DVec3]) -> Self {
        let mut ends: Vec<(u32, u32)> =
            creases.iter().zip(0..).flat_map(|(crease, k)| crease.ends.map(|v| (v, k))).collect();
        ends.sort_unstable();
        Self { creases, positions, ends }
    }

    fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        self.ends.chunk_by(|a, b| a.0 == b.0).map(|same| same[0].0)
    }

    /// The creases that end at a vertex.
    fn at(&self, vertex: u32) -> &[(u32, u32)] {
        let begin = self.ends.partition_point(|&(v, _)| v < vertex);
        let count = self.ends[begin..].iter().take_while(|&&(v, _)| v == vertex).count();
        &self.ends[begin..begin + count]
    }

    fn other_end(&self, crease: u32, vertex: u32) -> u32 {
        let [a, b] = self.creases[crease as usize].ends;
        if a == vertex { b } else { a }
    }

    fn is_corner(&self, vertex: u32, angle: f64) -> bool {
        let [(_, one), (_, other)] = *self.at(vertex) else { return true };
        let here = self.positions[vertex as usize];
        let leave = [one, other].map(|crease| {
            (self.positions[self.other_end(crease, vertex) as usize] - here).normalize_or_zero()
        });
        // Straight on, the two directions are opposite.
        -leave[0].dot(leave[1]) < angle.cos()
    }

    fn lines(&self, corners: &[u32], is_corner: impl Fn(u32) -> bool) -> Vec<Line> {
        let mut is_used = vec![false; self.creases.len()];
        let mut lines = Vec::new();
        let from_corners = corners.iter().flat_map(|&v| self.at(v).iter().copied());
        // What is left after those are rings without a corner.
        let rings = self.ends.iter().copied();
        for (start, first) in from_corners.chain(rings) {
            if is_used[first as usize] {
                continue;
            }
            let mut line =
                Line { points: vec![self.positions[start as usize]], normals: Vec::new(), is_ring: false };
            let (mut vertex, mut crease) = (start, first);
            loop {
                is_used[crease as usize] = true;
                vertex = self.other_end(crease, vertex);
                line.points.push(self.positions[vertex as usize]);
                line.normals.push(self.creases[crease as usize].normal);
                if is_corner(vertex) {
                    break;
                }
                match self.at(vertex).iter().find(|(_, next)| !is_used[*next as usize]) {
                    Some(&(_, next)) => crease = next,
                    None => {
                        line.is_ring = vertex == start;
                        break;
                    }
                }
            }
            lines.push(line);
        }
        lines
    }
}
