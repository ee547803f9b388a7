//! The bytes of a recording: `docs/recording-format.md`. Little-endian.

use crate::haptics::device::{Causality, DeviceCommand, DeviceState};
use crate::math::{DQuat, DVec3, Pose, Twist, Wrench};

use super::{Entry, RecordingHeader};

pub(super) const MAGIC: [u8; 8] = *b"isotrace";
pub(super) const VERSION: u32 = 1;
pub(super) const HEADER_BYTES: usize = 256;
pub(super) const BLOCK_HEADER_BYTES: usize = 32;
pub(super) const ENTRY_BYTES: usize = 424;
/// A quarter of a second at 1 kHz: what a killed recording loses at most, and 1 % more bytes for block headers at none.
pub(super) const ENTRIES_PER_BLOCK: usize = 256;

const DEVICE: std::ops::Range<usize> = 32..96;
const SCENE: std::ops::Range<usize> = 96..224;
/// Largest force and torque; zeros where they are not told.
const LIMITS: usize = 224;
const HEADER_CHECKSUM: usize = HEADER_BYTES - 4;
const BLOCK_TAG: [u8; 4] = *b"blck";
const END_TAG: [u8; 4] = *b"end.";

/// Flags of an entry.
const HAS_WRENCH: u32 = 1;
const IS_MOTION: u32 = 2;
const DEVICE_LOST: u32 = 4;

pub(super) fn encode_header(header: &RecordingHeader) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..16].copy_from_slice(&(ENTRY_BYTES as u32).to_le_bytes());
    bytes[16..20].copy_from_slice(&(ENTRIES_PER_BLOCK as u32).to_le_bytes());
    let causality = u32::from(header.causality == Causality::Admittance);
    bytes[20..24].copy_from_slice(&causality.to_le_bytes());
    bytes[24..32].copy_from_slice(&header.rate.to_le_bytes());
    put_text(&mut bytes[DEVICE], &header.device);
    put_text(&mut bytes[SCENE], &header.scene);
    let [force, torque] = header.limits.unwrap_or([0.0; 2]);
    bytes[LIMITS..LIMITS + 8].copy_from_slice(&force.to_le_bytes());
    bytes[LIMITS + 8..LIMITS + 16].copy_from_slice(&torque.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..HEADER_CHECKSUM]);
    bytes[HEADER_CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// What a header cannot be.
pub(super) enum BadHeader {
    Magic,
    Version(u32),
    Damaged(&'static str),
}

pub(super) fn decode_header(bytes: &[u8; HEADER_BYTES]) -> Result<RecordingHeader, BadHeader> {
    if bytes[..8] != MAGIC {
        return Err(BadHeader::Magic);
    }
    // The version first: a later one may have its checksum elsewhere.
    if u32_at(bytes, 8) != VERSION {
        return Err(BadHeader::Version(u32_at(bytes, 8)));
    }
    if crc32fast::hash(&bytes[..HEADER_CHECKSUM]) != u32_at(bytes, HEADER_CHECKSUM) {
        return Err(BadHeader::Damaged("the header's checksum is wrong"));
    }
    if u32_at(bytes, 12) as usize != ENTRY_BYTES || u32_at(bytes, 16) as usize != ENTRIES_PER_BLOCK {
        return Err(BadHeader::Damaged("the sizes of entries and blocks are not those of version 1"));
    }
    let causality = match u32_at(bytes, 20) {
        0 => Causality::Impedance,
        1 => Causality::Admittance,
        _ => return Err(BadHeader::Damaged("the device is neither of impedance nor of admittance kind")),
    };
    let rate = f64_at(bytes, 24);
    let is_rate = rate.is_finite() && rate > 0.0;
    if !is_rate {
        return Err(BadHeader::Damaged("the rate is not a number above 0"));
    }
    let text = |range| text_of(&bytes[range]).ok_or(BadHeader::Damaged("a name is not UTF-8"));
    let limits = [f64_at(bytes, LIMITS), f64_at(bytes, LIMITS + 8)];
    if !limits.iter().all(|&limit| limit.is_finite() && limit >= 0.0) {
        return Err(BadHeader::Damaged("a limit of the device is not a number of 0 or more"));
    }
    let limits = (limits[0] > 0.0).then_some(limits);
    Ok(RecordingHeader { rate, causality, device: text(DEVICE)?, scene: text(SCENE)?, limits })
}

/// What stands before entries, or at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockHeader {
    /// The last one, without entries.
    pub(super) is_end: bool,
    pub(super) count: u32,
    /// How many entries stand before.
    pub(super) first: u64,
    /// How many entries were not recorded, because they came faster than they could be written, since the start.
    pub(super) dropped: u64,
    pub(super) checksum: u32,
}

pub(super) fn encode_block_header(header: &BlockHeader) -> [u8; BLOCK_HEADER_BYTES] {
    let mut bytes = [0; BLOCK_HEADER_BYTES];
    bytes[..4].copy_from_slice(if header.is_end { &END_TAG } else { &BLOCK_TAG });
    bytes[4..8].copy_from_slice(&header.count.to_le_bytes());
    bytes[8..16].copy_from_slice(&header.first.to_le_bytes());
    bytes[16..24].copy_from_slice(&header.dropped.to_le_bytes());
    bytes[24..28].copy_from_slice(&header.checksum.to_le_bytes());
    let own = crc32fast::hash(&bytes[..28]);
    bytes[28..].copy_from_slice(&own.to_le_bytes());
    bytes
}

pub(super) fn decode_block_header(bytes: &[u8; BLOCK_HEADER_BYTES]) -> Result<BlockHeader, &'static str> {
    if crc32fast::hash(&bytes[..28]) != u32_at(bytes, 28) {
        return Err("the checksum of a block's header is wrong");
    }
    let header = BlockHeader {
        is_end: bytes[..4] == END_TAG,
        count: u32_at(bytes, 4),
        first: u64_at(bytes, 8),
        dropped: u64_at(bytes, 16),
        checksum: u32_at(bytes, 24),
    };
    if !header.is_end && bytes[..4] != BLOCK_TAG {
        return Err("neither a block nor the end");
    }
    let counts = if header.is_end { 0..=0 } else { 1..=ENTRIES_PER_BLOCK as u32 };
    if counts.contains(&header.count) {
        Ok(header)
    } else {
        Err("a block with an impossible number of entries")
    }
}

pub(super) fn encode_entry(entry: &Entry, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend_from_slice(&entry.tick.to_le_bytes());
    let mut put = |numbers: &[f64]| {
        for number in numbers {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    };
    let twist = |twist: &Twist| six(twist.linear, twist.angular);
    let wrench = |wrench: &Wrench| six(wrench.force, wrench.torque);
    let mut flags = if entry.device_lost { DEVICE_LOST } else { 0 };

    put(&[entry.time, entry.data_time, entry.state.time]);
    put(&entry.state.pose.to_numbers());
    put(&twist(&entry.state.twist));
    put(&wrench(&entry.state.wrench.unwrap_or(Wrench::ZERO)));
    flags |= if entry.state.wrench.is_some() { HAS_WRENCH } else { 0 };
    put(&wrench(&entry.wanted));
    match &entry.command {
        DeviceCommand::Wrench(pushed) => {
            put(&wrench(pushed));
            put(&[0.0; 7]);
        }
        DeviceCommand::Motion { pose, twist: moved } => {
            flags |= IS_MOTION;
            put(&twist(moved));
            put(&pose.to_numbers());
        }
    }
    put(&entry.god_pose.to_numbers());
    put(&[entry.penetration, entry.step_seconds]);
    for number in [entry.state.buttons, entry.contacts, entry.safety, flags] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    debug_assert_eq!(bytes.len() - start, ENTRY_BYTES);
}

/// `None` for flags that do not exist.
pub(super) fn decode_entry(bytes: &[u8]) -> Option<Entry> {
    let tick = u64_at(bytes, 0);
    let mut at = 8;
    let mut next = || {
        at += 8;
        f64_at(bytes, at - 8)
    };
    let [time, data_time, device_time] = [next(), next(), next()];
    let pose = pose_of([(); 7].map(|()| next()));
    let (linear, angular) = two([(); 6].map(|()| next()));
    let (hand_force, hand_torque) = two([(); 6].map(|()| next()));
    let (wanted_force, wanted_torque) = two([(); 6].map(|()| next()));
    let (sent_first, sent_second) = two([(); 6].map(|()| next()));
    let sent_pose = pose_of([(); 7].map(|()| next()));
    let god_pose = pose_of([(); 7].map(|()| next()));
    let [penetration, step_seconds] = [next(), next()];
    let [buttons, contacts, safety, flags] = [0, 4, 8, 12].map(|offset| u32_at(bytes, at + offset));
    if flags & !(HAS_WRENCH | IS_MOTION | DEVICE_LOST) != 0 {
        return None;
    }
    let hand = Wrench { force: hand_force, torque: hand_torque };
    let state = DeviceState {
        time: device_time,
        pose,
        twist: Twist { linear, angular },
        buttons,
        wrench: (flags & HAS_WRENCH != 0).then_some(hand),
    };
    let command = if flags & IS_MOTION != 0 {
        DeviceCommand::Motion { pose: sent_pose, twist: Twist { linear: sent_first, angular: sent_second } }
    } else {
        DeviceCommand::Wrench(Wrench { force: sent_first, torque: sent_second })
    };
    Some(Entry {
        tick,
        time,
        data_time,
        state,
        device_lost: flags & DEVICE_LOST != 0,
        wanted: Wrench { force: wanted_force, torque: wanted_torque },
        command,
        god_pose,
        contacts,
        penetration,
        step_seconds,
        safety,
    })
}

fn six(a: DVec3, b: DVec3) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

fn two([a, b, c, d, e, f]: [f64; 6]) -> (DVec3, DVec3) {
    (DVec3::new(a, b, c), DVec3::new(d, e, f))
}

/// As stored: bit for bit, so nothing is made a unit quaternion here.
fn pose_of([x, y, z, qx, qy, qz, qw]: [f64; 7]) -> Pose {
    Pose { position: DVec3::new(x, y, z), rotation: DQuat::from_xyzw(qx, qy, qz, qw) }
}

/// As much of the text as fits, cut between characters; zeros after it.
fn put_text(bytes: &mut [u8], text: &str) {
    let mut length = text.len().min(bytes.len());
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
}

fn text_of(bytes: &[u8]) -> Option<String> {
    let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    std::str::from_utf8(&bytes[..length]).ok().map(str::to_owned)
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[at..at + N]);
    array
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(array_at(bytes, at))
}
