//! The state of a simulation in a file, to go on from.
//!
//! ```text
//! 8 bytes   ISOCHECK        u32  version        u32  CRC-32 of all that follows
//! 32 bytes  fingerprint of the scene            u64  rows of the recording that count    u32  their checksum
//! f64 time  u64 steps
//! u64 bodies, each: pose (7), velocity (3), angular momentum (3), angular velocity (3), force and torque of users (6), of contacts (6)
//! u64 overlaps, each: u64 body, u64 other, u8 whether that is a surface, f64 allowance, f64 depth, u8 whether there is a way out, the way (3)
//! u64 bodies that were put somewhere, each: u64 body
//! f64 energy given, reference, lowest, excess, u8 whether there was a step, f64 kinetic, potential, elastic
//! u8 has cloth; if so lists of f64, each after its length as u64: the time (1), poses of obstacles (7 each), the number of cloths (1); for each cloth
//!    places (3 a particle), velocities (3), clearances (1), those of edges (1), places where pairs were looked for (3), 1 while it is let out of something (1)
//! u64 passages, each: the names of body and cloth, in UTF-8 after their length as u64, f64 time; a list of f64: the largest stretch of each cloth
//! ```
//!
//! Little-endian. Written beside and renamed, so that there is always a whole one.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use isotouch::cloth::{ClothState, ClothWorldState};
use isotouch::dynamics::{BodyState, EnergyWatch, OverlapState, WorldState};
use isotouch::math::{DQuat, DVec3, Pose, Wrench};
use isotouch::scene::{Doubts, Passage};

const MAGIC: &[u8; 8] = b"ISOCHECK";
const VERSION: u32 = 5;

/// Where a simulation got.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Checkpoint {
    /// Of all that the motion depends on.
    pub(super) fingerprint: [u8; 32],
    /// Rows of the recording that count, and their checksum.
    pub(super) rows: u64,
    pub(super) rows_checksum: u32,
    pub(super) state: WorldState,
    pub(super) cloth: Option<ClothWorldState>,
    pub(super) doubts: Doubts,
}

impl Checkpoint {
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut beside =
            tempfile::Builder::new().prefix(".checkpoint.").suffix(".unfinished").tempfile_in(folder)?;
        beside.write_all(&self.to_bytes())?;
        beside.as_file().sync_all()?;
        beside.persist(path)?;
        Ok(())
    }

    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::from_bytes(&bytes).with_context(|| path.display().to_string())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let Self { fingerprint, rows, rows_checksum, state, cloth, doubts } = self;
        let mut body = Vec::new();
        body.extend(fingerprint);
        body.extend(rows.to_le_bytes());
        body.extend(rows_checksum.to_le_bytes());
        body.extend(state.time.to_le_bytes());
        body.extend(state.steps.to_le_bytes());
        body.extend((state.bodies.len() as u64).to_le_bytes());
        for of in &state.bodies {
            let vectors = [
                of.velocity,
                of.angular_momentum,
                of.angular_velocity,
                of.user_force.force,
                of.user_force.torque,
                of.contact_force.force,
                of.contact_force.torque,
            ];
            let numbers =
                of.pose.to_numbers().into_iter().chain(vectors.into_iter().flat_map(|v| v.to_array()));
            body.extend(numbers.flat_map(f64::to_le_bytes));
        }
        body.extend((state.overlaps.len() as u64).to_le_bytes());
        for of in &state.overlaps {
            body.extend((of.body as u64).to_le_bytes());
            body.extend((of.other as u64).to_le_bytes());
            body.push(of.is_surface.into());
            body.extend([of.allowance, of.depth].into_iter().flat_map(f64::to_le_bytes));
            body.push(of.way_out.is_some().into());
            body.extend(of.way_out.unwrap_or_default().to_array().into_iter().flat_map(f64::to_le_bytes));
        }
        body.extend((state.unmeasured.len() as u64).to_le_bytes());
        body.extend(state.unmeasured.iter().flat_map(|k| (*k as u64).to_le_bytes()));
        let EnergyWatch { given, reference, lowest, excess, last } = state.energy;
        body.extend([given, reference, lowest, excess].into_iter().flat_map(f64::to_le_bytes));
        body.push(last.is_some().into());
        body.extend(last.unwrap_or_default().into_iter().flat_map(f64::to_le_bytes));
        body.push(cloth.is_some().into());
        if let Some(cloth) = cloth {
            write_cloth(&mut body, cloth);
        }
        write_doubts(&mut body, doubts);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(crc32fast::hash(&body).to_le_bytes());
        bytes.extend(body);
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> anyhow::Result<Self> {
        let mut head = Reader(bytes);
        let is_ours = head.take::<8>().is_ok_and(|magic| magic == *MAGIC);
        ensure!(is_ours, "it is no checkpoint; begin anew with --force");
        let version = u32::from_le_bytes(head.take()?);
        ensure!(
            version == VERSION,
            "it is a checkpoint of version {version}, but this program reads version {VERSION}; begin anew with --force"
        );
        let checksum = u32::from_le_bytes(head.take()?);
        ensure!(
            crc32fast::hash(head.0) == checksum,
            "it is damaged (its checksum differs); begin anew with --force"
        );

        let mut body = Reader(head.0);
        let fingerprint = body.take()?;
        let rows = body.whole()?;
        let rows_checksum = u32::from_le_bytes(body.take()?);
        let time = body.number()?;
        let steps = body.whole()?;
        // Lengths are believed as far as there are bytes.
        let mut bodies = Vec::new();
        for _ in 0..body.whole()? {
            bodies.push(BodyState {
                pose: body.pose()?,
                velocity: body.vector()?,
                angular_momentum: body.vector()?,
                angular_velocity: body.vector()?,
                user_force: Wrench { force: body.vector()?, torque: body.vector()? },
                contact_force: Wrench { force: body.vector()?, torque: body.vector()? },
            });
        }
        let mut overlaps = Vec::new();
        for _ in 0..body.whole()? {
            overlaps.push(OverlapState {
                body: body.whole()? as usize,
                other: body.whole()? as usize,
                is_surface: body.flag()?,
                allowance: body.number()?,
                depth: body.number()?,
                way_out: {
                    let is_there = body.flag()?;
                    let way = body.vector()?;
                    is_there.then_some(way)
                },
            });
        }
        let mut unmeasured = Vec::new();
        for _ in 0..body.whole()? {
            unmeasured.push(body.whole()? as usize);
        }
        let [given, reference, lowest, excess] =
            [body.number()?, body.number()?, body.number()?, body.number()?];
        let has_last = body.flag()?;
        let last = [body.number()?, body.number()?, body.number()?];
        let energy = EnergyWatch { given, reference, lowest, excess, last: has_last.then_some(last) };
        let state = WorldState { time, steps, bodies, overlaps, unmeasured, energy };
        let cloth = if body.flag()? { Some(read_cloth(&mut body)?) } else { None };
        let doubts = read_doubts(&mut body)?;
        Ok(Self { fingerprint, rows, rows_checksum, state, cloth, doubts })
    }
}

fn write_cloth(body: &mut Vec<u8>, cloth: &ClothWorldState) {
    let mut list = |numbers: &mut dyn ExactSizeIterator<Item = f64>| {
        body.extend((numbers.len() as u64).to_le_bytes());
        body.extend(numbers.flat_map(f64::to_le_bytes));
    };
    let flat = |points: &[DVec3]| points.iter().flat_map(DVec3::to_array).collect::<Vec<f64>>();
    // A list of one.
    list(&mut [cloth.time].into_iter());
    list(&mut cloth.poses.iter().flat_map(|pose| pose.to_numbers()).collect::<Vec<f64>>().into_iter());
    list(&mut [cloth.cloths.len() as f64].into_iter());
    for of in &cloth.cloths {
        list(&mut flat(&of.places).into_iter());
        list(&mut flat(&of.velocities).into_iter());
        list(&mut of.clearances.iter().copied());
        list(&mut of.edge_clearances.iter().copied());
        list(&mut flat(&of.seen_at).into_iter());
        list(&mut [f64::from(u8::from(of.is_let_out))].into_iter());
    }
}

fn read_cloth(body: &mut Reader<'_>) -> anyhow::Result<ClothWorldState> {
    let time = body.list()?.first().copied().unwrap_or_default();
    let poses = body.list()?;
    let poses = poses.as_chunks::<7>().0.iter().map(|&numbers| pose(numbers)).collect();
    let count = body.list()?.first().copied().unwrap_or_default() as u64;
    let mut cloths = Vec::new();
    for _ in 0..count {
        let (places, velocities) = (body.vectors()?, body.vectors()?);
        let (clearances, edge_clearances) = (body.list()?, body.list()?);
        let (seen_at, is_let_out) = (body.vectors()?, body.list()?.first() == Some(&1.0));
        cloths.push(ClothState { places, velocities, clearances, edge_clearances, seen_at, is_let_out });
    }
    Ok(ClothWorldState { time, cloths, poses })
}

fn write_doubts(body: &mut Vec<u8>, doubts: &Doubts) {
    body.extend((doubts.passages.len() as u64).to_le_bytes());
    for of in &doubts.passages {
        for name in [&of.body, &of.cloth] {
            body.extend((name.len() as u64).to_le_bytes());
            body.extend(name.as_bytes());
        }
        body.extend(of.time.to_le_bytes());
    }
    body.extend((doubts.largest_stretches.len() as u64).to_le_bytes());
    body.extend(doubts.largest_stretches.iter().copied().flat_map(f64::to_le_bytes));
}

fn read_doubts(body: &mut Reader<'_>) -> anyhow::Result<Doubts> {
    let mut passages = Vec::new();
    for _ in 0..body.whole()? {
        passages.push(Passage { body: body.text()?, cloth: body.text()?, time: body.number()? });
    }
    Ok(Doubts { passages, largest_stretches: body.list()? })
}

fn pose([x, y, z, qx, qy, qz, qw]: [f64; 7]) -> Pose {
    Pose { position: DVec3::new(x, y, z), rotation: DQuat::from_xyzw(qx, qy, qz, qw) }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> anyhow::Result<[u8; N]> {
        let (&first, rest) =
            self.0.split_first_chunk().ok_or_else(|| anyhow!("it is cut short; begin anew with --force"))?;
        self.0 = rest;
        Ok(first)
    }

    fn whole(&mut self) -> anyhow::Result<u64> {
        Ok(u64::from_le_bytes(self.take()?))
    }

    fn number(&mut self) -> anyhow::Result<f64> {
        Ok(f64::from_le_bytes(self.take()?))
    }

    fn flag(&mut self) -> anyhow::Result<bool> {
        Ok(self.take::<1>()? != [0])
    }

    fn vector(&mut self) -> anyhow::Result<DVec3> {
        Ok(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    fn pose(&mut self) -> anyhow::Result<Pose> {
        let position = self.vector()?;
        let [x, y, z, w] = [self.number()?, self.number()?, self.number()?, self.number()?];
        Ok(Pose { position, rotation: DQuat::from_xyzw(x, y, z, w) })
    }

    fn text(&mut self) -> anyhow::Result<String> {
        let length = usize::try_from(self.whole()?)?;
        let cut = self.0.split_at_checked(length);
        let (text, rest) = cut.ok_or_else(|| anyhow!("it is cut short; begin anew with --force"))?;
        self.0 = rest;
        Ok(std::str::from_utf8(text)?.to_owned())
    }

    /// Its length is believed as far as there are bytes.
    fn list(&mut self) -> anyhow::Result<Vec<f64>> {
        let count = self.whole()?;
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(self.number()?);
        }
        Ok(numbers)
    }

    fn vectors(&mut self) -> anyhow::Result<Vec<DVec3>> {
        Ok(self.list()?.as_chunks::<3>().0.iter().map(|&p| DVec3::from_array(p)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_told() {
        let vector = DVec3::new(0.1, -0.0, f64::MIN_POSITIVE);
        let wrench = Wrench { force: vector, torque: -vector };
        let body = BodyState {
            pose: Pose { position: vector, rotation: DQuat::from_xyzw(0.5, -0.5, 0.5, 0.5) },
            velocity: vector,
            angular_momentum: 2.0 * vector,
            angular_velocity: DVec3::ZERO,
            user_force: wrench,
            contact_force: wrench,
        };
        let overlap = OverlapState {
            body: 0,
            other: 1,
            is_surface: false,
            allowance: 1e-3,
            depth: 2e-3,
            way_out: Some(vector),
        };
        let state = WorldState {
            time: 0.1,
            steps: 7,
            bodies: vec![body; 3],
            overlaps: vec![overlap, OverlapState { is_surface: true, way_out: None, ..overlap }],
            unmeasured: vec![2],
            energy: EnergyWatch {
                given: 1.0,
                excess: 0.5,
                last: Some([1.0, 2.0, 3.0]),
                ..Default::default()
            },
        };
        let of_cloth = ClothState {
            places: vec![vector; 4],
            velocities: vec![-vector; 4],
            clearances: vec![0.1, -0.2, f64::INFINITY, 0.0],
            edge_clearances: vec![0.5; 3],
            seen_at: Vec::new(),
            is_let_out: true,
        };
        let cloth = ClothWorldState { time: 0.2, cloths: vec![of_cloth; 2], poses: vec![body.pose; 2] };
        let cloth = Some(cloth);
        let passage = Passage { body: "Bällchen".into(), cloth: "net".into(), time: 0.3 };
        let doubts = Doubts { passages: vec![passage; 2], largest_stretches: vec![0.1, 2.0] };
        let checkpoint = Checkpoint { fingerprint: [7; 32], rows: 8, rows_checksum: 9, state, cloth, doubts };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        checkpoint.write(&path).unwrap();
        assert_eq!(Checkpoint::read(&path).unwrap(), checkpoint);

        let bytes = checkpoint.to_bytes();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(Checkpoint::from_bytes(&damaged).is_err(), "byte {at}");
            assert!(Checkpoint::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
        }
        let mut newer = bytes;
        newer[8] = VERSION as u8 + 1;
        let told = Checkpoint::from_bytes(&newer).unwrap_err().to_string();
        assert!(told.contains(&format!("version {}", VERSION + 1)), "{told}");
    }
}
