//! Cloth that is always there: sheets, a tablecloth, a ribbon, a tube with two legs, hair.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::math::random::unit;
use crate::mesh::{InvalidMesh, TriMesh};
use crate::numbers::exact;

/// A garment of these sizes cannot be cut.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GarmentError {
    /// A size or a count that makes no sense.
    #[error("{garment}: {parameter} is {}, but must be {wanted}", exact(*value))]
    Bad {
        /// The function that was called.
        garment: &'static str,
        /// The parameter at fault.
        parameter: &'static str,
        /// What it was given.
        value: f64,
        /// What would do.
        wanted: &'static str,
    },
    /// More than a mesh can hold, or sizes beyond numbers.
    #[error(transparent)]
    Mesh(#[from] InvalidMesh),
}

/// Squares along a side: beyond this it is a typing error.
const MOST_SQUARES: usize = 10_000;

/// Particles in all: beyond this, which takes some 5 GB, it is a typing error too.
const MOST_PARTICLES: f64 = 4e6;

fn in_all(garment: &'static str, particles: f64) -> Result<(), GarmentError> {
    if particles <= MOST_PARTICLES {
        return Ok(());
    }
    let wanted = "4000000 at most; cut it coarser";
    Err(GarmentError::Bad { garment, parameter: "the number of particles", value: particles, wanted })
}

fn length(garment: &'static str, parameter: &'static str, value: f64) -> Result<f64, GarmentError> {
    let is_good = value > 0.0 && value <= 1e9;
    if is_good {
        return Ok(value);
    }
    Err(GarmentError::Bad { garment, parameter, value, wanted: "a length above 0 and up to 1e9 m" })
}

fn count(
    garment: &'static str,
    parameter: &'static str,
    value: usize,
    least: usize,
) -> Result<u32, GarmentError> {
    if (least..=MOST_SQUARES).contains(&value) {
        return Ok(value as u32);
    }
    let wanted = match least {
        1 => "a count from 1 to 10000",
        2 => "a count from 2 to 10000",
        _ => "a count from 3 to 10000",
    };
    Err(GarmentError::Bad { garment, parameter, value: value as f64, wanted })
}

/// A flat rectangle in the plane y = 0, around the origin: x along the first size. Vertices row by row, x fastest; diagonals alternate, so that it has no
/// preferred side.
pub fn sheet(size: [f64; 2], squares: [usize; 2]) -> Result<TriMesh, GarmentError> {
    let [width, depth] = [length("sheet", "width", size[0])?, length("sheet", "depth", size[1])?];
    let [nx, nz] = [count("sheet", "squares", squares[0], 1)?, count("sheet", "squares", squares[1], 1)?];
    in_all("sheet", (f64::from(nx) + 1.0) * (f64::from(nz) + 1.0))?;
    let mut vertices = Vec::with_capacity((nx as usize + 1) * (nz as usize + 1));
    for k in 0..=nz {
        for i in 0..=nx {
            let part = |at: u32, of: u32| f64::from(at) / f64::from(of) - 0.5;
            vertices.push(DVec3::new(width * part(i, nx), 0.0, depth * part(k, nz)));
        }
    }
    let mut triangles = Vec::with_capacity(2 * nx as usize * nz as usize);
    for k in 0..nz {
        for i in 0..nx {
            let at = |di: u32, dk: u32| (k + dk) * (nx + 1) + i + di;
            let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
            // Seen from above, y up, counter-clockwise.
            if (i + k) % 2 == 0 {
                triangles.extend([[a, c, b], [a, d, c]]);
            } else {
                triangles.extend([[a, d, b], [b, d, c]]);
            }
        }
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

/// A square sheet, held by nothing.
pub fn tablecloth(side: f64, squares: usize) -> Result<TriMesh, GarmentError> {
    sheet([side, side], [squares, squares])
}

/// A strip along x, so many squares long and one wide.
pub fn ribbon(long: f64, wide: f64, squares: usize) -> Result<TriMesh, GarmentError> {
    sheet([long, wide], [squares, 1])
}

/// How [`trousers`] are cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrousersOptions {
    /// Radius of a leg, m.
    pub leg_radius: f64,
    /// From the crotch down, m.
    pub leg_length: f64,
    /// From the crotch up to the waist, m.
    pub rise: f64,
    /// How far the legs' middles are apart, m.
    pub stance: f64,
    /// Vertices around a leg: even.
    pub around: usize,
}

impl Default for TrousersOptions {
    fn default() -> Self {
        Self { leg_radius: 0.1, leg_length: 0.7, rise: 0.2, stance: 0.24, around: 24 }
    }
}

/// A tube that parts into two legs. y is up, the crotch at the origin, the legs beside each other along x.
///
/// The waist is the outline of both legs; below the crotch the seam between them is sewn to both.
pub fn trousers(options: &TrousersOptions) -> Result<TriMesh, GarmentError> {
    const NAME: &str = "trousers";
    let radius = length(NAME, "leg_radius", options.leg_radius)?;
    let leg = length(NAME, "leg_length", options.leg_length)?;
    let rise = length(NAME, "rise", options.rise)?;
    let stance = length(NAME, "stance", options.stance)?;
    let around = count(NAME, "around", options.around, 4)?;
    if around % 2 == 1 {
        let value = f64::from(around);
        return Err(GarmentError::Bad { garment: NAME, parameter: "around", value, wanted: "even" });
    }
    if stance <= 2.0 * radius {
        let wanted = "more than twice leg_radius";
        return Err(GarmentError::Bad { garment: NAME, parameter: "stance", value: stance, wanted });
    }
    let spacing = TAU * radius / f64::from(around);
    let rows = |height: f64| (height / spacing).round().clamp(1.0, 5000.0) as u32;
    let rings = f64::from(rows(leg)) + f64::from(rows(rise));
    in_all(NAME, (f64::from(around) + stance / spacing) * (2.0 * rings + f64::from(around)))?;
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    // Rings of the legs: vertex 0 is the innermost, on the x axis between the legs.
    let ring = |side: f64, y: f64, vertices: &mut Vec<DVec3>| -> Vec<u32> {
        let first = vertices.len() as u32;
        vertices.extend((0..around).map(|k| {
            let angle = TAU * f64::from(k) / f64::from(around);
            DVec3::new(side * (0.5 * stance - radius * angle.cos()), y, radius * angle.sin())
        }));
        (first..first + around).collect()
    };
    // Between two rings, wound by `is_turned`.
    let join = |upper: &[u32], lower: &[u32], is_turned: bool, triangles: &mut Vec<[u32; 3]>| {
        for k in 0..upper.len() {
            let n = (k + 1) % upper.len();
            let quad = [[upper[k], lower[k], lower[n]], [upper[k], lower[n], upper[n]]];
            triangles.extend(quad.map(|[a, b, c]| if is_turned { [a, c, b] } else { [a, b, c] }));
        }
    };
    // The third of each ring that faces the other leg is the crotch; the rest, of both, is the lowest ring of the hip. With half of it, rows of the crotch would crowd at its ends.
    let reach = (around / 6).max(1) as usize;
    let mut tops: Vec<Vec<u32>> = Vec::new();
    for (side, is_turned) in [(1.0, false), (-1.0, true)] {
        let count = rows(leg);
        let mut upper = ring(side, 0.0, &mut vertices);
        tops.push(upper.clone());
        for row in 1..=count {
            let lower = ring(side, -leg * f64::from(row) / f64::from(count), &mut vertices);
            join(&upper, &lower, is_turned, &mut triangles);
            upper = lower;
        }
    }
    let around = around as usize;
    let outer = |top: &[u32]| -> Vec<u32> { (reach..=around - reach).map(|k| top[k]).collect() };
    // The crotch: rows from the back (z < 0) to the front between the inner arcs, which run through vertex 0.
    let inner = |top: &[u32], k: usize| top[(around + k - reach) % around];
    let mut strip: Vec<Vec<u32>> = Vec::new();
    for k in 0..=2 * reach {
        let (right, left) = (inner(&tops[0], k), inner(&tops[1], k));
        let (from, to) = (vertices[right as usize], vertices[left as usize]);
        let first = vertices.len() as u32;
        // As many as fit: slivers are light, and what is light between what is heavy takes many rounds.
        let columns = (from.distance(to) / spacing).round().max(1.0) as u32;
        vertices.extend((1..columns).map(|c| from.lerp(to, f64::from(c) / f64::from(columns))));
        strip.push(std::iter::once(right).chain(first..first + columns - 1).chain([left]).collect());
    }
    for rows in strip.windows(2) {
        let (back, front) = (&rows[0], &rows[1]);
        let (mut b, mut f) = (0, 0);
        while b + 1 < back.len() || f + 1 < front.len() {
            // On along the one that is behind.
            let is_back_next = (b + 1) * (front.len() - 1) <= (f + 1) * (back.len() - 1);
            if f + 1 == front.len() || (is_back_next && b + 1 < back.len()) {
                triangles.push([back[b], front[f], back[b + 1]]);
                b += 1;
            } else {
                triangles.push([back[b], front[f], front[f + 1]]);
                f += 1;
            }
        }
    }
    // Around the hip: the right leg's outside from front to back, across, the left one's from back to front, and across again.
    let across = |row: &[u32]| row[1..row.len() - 1].to_vec();
    let mut hip = outer(&tops[0]);
    hip.extend(across(&strip[0]));
    hip.extend(outer(&tops[1]).into_iter().rev());
    hip.extend(across(&strip[2 * reach]).into_iter().rev());
    let count = rows(rise);
    let mut lower = hip.clone();
    for row in 1..=count {
        let y = rise * f64::from(row) / f64::from(count);
        let first = vertices.len() as u32;
        for &i in &hip {
            let at = vertices[i as usize];
            vertices.push(DVec3::new(at.x, y, at.z));
        }
        let upper: Vec<u32> = (first..first + hip.len() as u32).collect();
        join(&upper, &lower, false, &mut triangles);
        lower = upper;
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

/// How [`hair`] grows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HairOptions {
    /// Middle of the head.
    pub center: DVec3,
    /// Of the head, m.
    pub radius: f64,
    /// Of a strand, m.
    pub length: f64,
    /// How many strands.
    pub strands: usize,
    /// Points of a strand.
    pub points: usize,
    /// How far roots reach down from the crown, as an angle in degrees.
    pub crown: f64,
}

impl Default for HairOptions {
    fn default() -> Self {
        Self { center: DVec3::ZERO, radius: 0.1, length: 0.25, strands: 200, points: 24, crown: 75.0 }
    }
}

/// Strands that stand straight off the crown of a round head, evenly spread.
pub fn hair(options: &HairOptions) -> Result<Vec<Vec<DVec3>>, GarmentError> {
    const NAME: &str = "hair";
    let radius = length(NAME, "radius", options.radius)?;
    let long = length(NAME, "length", options.length)?;
    let points = count(NAME, "points", options.points, 2)?;
    let strands = options.strands;
    in_all(NAME, strands as f64 * f64::from(points))?;
    let low = options.crown.to_radians().cos();
    let strand = |k: usize| {
        // A spiral with the golden angle, a little shaken so that no two fall alike.
        let height = 1.0 - (1.0 - low) * (k as f64 + 0.5) / strands as f64;
        let angle = TAU * 0.381_966_011_25 * k as f64 + 0.2 * unit(7, k as u64);
        let flat = (1.0 - height * height).max(0.0).sqrt();
        let out = DVec3::new(flat * angle.cos(), height, flat * angle.sin());
        (0..points)
            .map(|i| options.center + out * (radius + long * f64::from(i) / f64::from(points - 1)))
            .collect()
    };
    Ok((0..strands).map(strand).collect())
}
