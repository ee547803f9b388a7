//! Several sheets that are kept off themselves and each other: their particles in one grid.

use glam::DVec3;

use super::Cloth;
use super::self_collision::{Crowded, Keeping, Neighbours, Sheet};

/// Particles of all sheets that are kept off themselves, one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Sheets {
    neighbours: Neighbours,
    places: Vec<DVec3>,
    anchors: Vec<DVec3>,
    rest: Vec<DVec3>,
    inverse_masses: Vec<f64>,
    /// For each particle its sheet.
    of: Vec<u32>,
    sheets: Vec<Sheet>,
}

/// Whether there are several.
pub(super) fn are_several(cloths: &[Cloth]) -> bool {
    cloths.iter().filter(|cloth| cloth.thickness.is_some()).nth(1).is_some()
}

impl Sheets {
    fn gather(&mut self, cloths: &[Cloth]) -> f64 {
        let Self { places, anchors, rest, inverse_masses, of, sheets, .. } = self;
        places.clear();
        anchors.clear();
        rest.clear();
        inverse_masses.clear();
        of.clear();
        sheets.clear();
        let mut largest: f64 = 0.0;
        for cloth in cloths {
            let Some(thickness) = cloth.thickness else { continue };
            of.resize(of.len() + cloth.places.len(), sheets.len() as u32);
            places.extend(&cloth.places);
            anchors.extend(&cloth.anchors);
            rest.extend(&cloth.rest);
            inverse_masses.extend(&cloth.inverse_masses);
            sheets.push(Sheet { thickness, friction: cloth.self_friction });
            largest = largest.max(thickness);
        }
        largest
    }

    /// Sets all apart, by `push_out` what was too near before. How many pairs were too near.
    pub(super) fn set_apart(&mut self, cloths: &mut [Cloth], push_out: f64) -> Result<usize, Crowded> {
        let thickness = self.gather(cloths);
        let sheets = Some((&self.of[..], &self.sheets[..]));
        self.neighbours.update(&self.places, (thickness, sheets))?;
        let keeping = Keeping { thickness, friction: 0.0, push_out, rest: &self.rest, sheets };
        let count =
            self.neighbours.set_apart(&mut self.places, &self.anchors, &self.inverse_masses, &keeping);
        if count == 0 {
            return Ok(0);
        }
        let mut start = 0;
        for cloth in cloths.iter_mut().filter(|cloth| cloth.thickness.is_some()) {
            let end = start + cloth.places.len();
            cloth.places.copy_from_slice(&self.places[start..end]);
            start = end;
        }
        Ok(count)
    }

    /// Where particles of each cloth were when pairs were last looked for; none where that was not here.
    pub(super) fn seen_at(&self, cloths: &[Cloth]) -> Vec<Vec<DVec3>> {
        let all = self.neighbours.seen_at();
        let count: usize = cloths.iter().filter(|c| c.thickness.is_some()).map(|c| c.places.len()).sum();
        let mut start = 0;
        let of = |cloth: &Cloth| {
            if cloth.thickness.is_none() || all.len() != count {
                return Vec::new();
            }
            start += cloth.places.len();
            all[start - cloth.places.len()..start].to_vec()
        };
        cloths.iter().map(of).collect()
    }

    /// Looks for pairs as they were when particles were there, all of them; with none, they are looked for in the next substep.
    pub(super) fn recall(&mut self, seen_at: &[DVec3], cloths: &[Cloth]) {
        let thickness = self.gather(cloths);
        let seen_at = if seen_at.len() == self.places.len() { seen_at } else { &[] };
        self.neighbours.recall(seen_at, (thickness, Some((&self.of[..], &self.sheets[..]))));
    }
}
