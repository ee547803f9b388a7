//! Recordings come back bit for bit, and broken ones say what is wrong.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use isotouch::haptics::device::{
    Causality, Device, DeviceCommand, DeviceError, DeviceState, Hand, HandOptions, Path as HandPath, Replay,
};
use isotouch::haptics::record::{
    Entry, Recorder, Recording, RecordingError, RecordingHeader, RecordingReader, RecordingWriter,
};
use isotouch::haptics::safety::{Safety, SafetyOptions};
use isotouch::math::{DQuat, DVec3, Pose, Twist, Wrench};

const HEADER: usize = 256;
const BLOCK_HEADER: usize = 32;
const ENTRY: usize = 424;

fn header() -> RecordingHeader {
    RecordingHeader {
        rate: 1000.0,
        causality: Causality::Impedance,
        device: "hand".into(),
        scene: "a plane".into(),
        limits: Some([10.0, 0.25]),
    }
}

/// An entry in which every number is different.
fn entry(tick: u64) -> Entry {
    let mut last = tick as f64 * 1000.0;
    let mut next = || {
        last += 1.0;
        last / 7.0
    };
    let mut vector = || DVec3::new(next(), next(), next());
    let pose = |v: DVec3, w: DVec3| Pose { position: v, rotation: DQuat::from_xyzw(w.x, w.y, w.z, v.x) };
    let state_pose = pose(vector(), vector());
    let twist = Twist { linear: vector(), angular: vector() };
    let hand = Wrench { force: vector(), torque: vector() };
    let command = match tick % 2 {
        0 => DeviceCommand::Wrench(Wrench { force: vector(), torque: vector() }),
        _ => DeviceCommand::Motion {
            pose: pose(vector(), vector()),
            twist: Twist { linear: vector(), angular: vector() },
        },
    };
    Entry {
        tick,
        time: tick as f64 / 1000.0,
        data_time: tick as f64 / 1000.0 - 0.0005,
        state: DeviceState {
            time: tick as f64 * 0.001,
            pose: state_pose,
            twist,
            buttons: tick as u32 + 5,
            wrench: tick.is_multiple_of(3).then_some(hand),
        },
        device_lost: tick % 5 == 4,
        wanted: Wrench { force: vector(), torque: vector() },
        command,
        god_pose: pose(vector(), vector()),
        contacts: tick as u32 * 3,
        penetration: next(),
        step_seconds: next(),
        safety: 0x300 | (tick as u32 % 8),
    }
}

fn written(folder: &Path, count: u64) -> PathBuf {
    let path = folder.join("session.recording");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    for tick in 0..count {
        writer.push(&entry(tick)).unwrap();
    }
    assert_eq!(writer.entries(), count);
    writer.finish().unwrap();
    path
}

#[test]
fn every_number_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    for count in [0, 1, 255, 256, 257, 700] {
        let path = written(folder.path(), count);
        let recording = Recording::open(&path).unwrap();
        assert_eq!(recording.header(), &header());
        assert!(recording.is_finished() && recording.dropped() == 0);
        let expected: Vec<_> = (0..count).map(entry).collect();
        assert_eq!(recording.entries(), expected, "{count}");
        let blocks = count.div_ceil(256) as usize;
        let bytes = HEADER + (blocks + 1) * BLOCK_HEADER + count as usize * ENTRY;
        assert_eq!(fs::metadata(&path).unwrap().len() as usize, bytes, "as docs/recording-format.md has it");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn the_bytes_are_where_the_document_says() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(written(folder.path(), 4)).unwrap();
    assert_eq!(&bytes[..8], b"isotrace");
    assert_eq!(bytes[8..12], 1u32.to_le_bytes());
    assert_eq!(bytes[24..32], 1000f64.to_le_bytes());
    assert_eq!(&bytes[32..37], b"hand\0");
    assert_eq!(&bytes[96..104], b"a plane\0");
    assert_eq!(&bytes[HEADER..HEADER + 4], b"blck");
    assert_eq!(bytes[HEADER + 4..HEADER + 8], 4u32.to_le_bytes());
    let third = entry(3);
    let at = HEADER + BLOCK_HEADER + 3 * ENTRY;
    let number = |offset: usize| f64::from_le_bytes(bytes[at + offset..at + offset + 8].try_into().unwrap());
    assert_eq!(bytes[at..at + 8], 3u64.to_le_bytes());
    assert_eq!(number(8), third.time);
    assert_eq!(number(16), third.data_time);
    assert_eq!(number(24), third.state.time);
    assert_eq!(number(32), third.state.pose.position.x);
    assert_eq!(number(80), third.state.pose.rotation.w);
    assert_eq!(number(88), third.state.twist.linear.x);
    assert_eq!(number(136), third.state.wrench.unwrap().force.x);
    assert_eq!(number(184), third.wanted.force.x);
    let DeviceCommand::Motion { pose, twist } = third.command else { panic!() };
    assert_eq!(number(232), twist.linear.x);
    assert_eq!(number(280), pose.position.x);
    assert_eq!(number(336), third.god_pose.position.x);
    assert_eq!(number(392), third.penetration);
    assert_eq!(number(400), third.step_seconds);
    assert_eq!(bytes[at + 408..at + 412], third.state.buttons.to_le_bytes());
    assert_eq!(bytes[at + 412..at + 416], third.contacts.to_le_bytes());
    assert_eq!(bytes[at + 416..at + 420], third.safety.to_le_bytes());
    assert_eq!(bytes[at + 420..at + 424], 3u32.to_le_bytes(), "a hand's wrench, and a motion");
}

#[test]
fn bits_that_are_no_numbers_come_back_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.recording");
    let odd = [
        f64::NAN,
        -f64::NAN,
        f64::INFINITY,
        -0.0,
        f64::MIN_POSITIVE / 3.0,
        f64::from_bits(0x7ff8_dead_beef_0001),
    ];
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    for number in odd {
        writer
            .push(&Entry {
                penetration: number,
                wanted: Wrench { force: DVec3::splat(number), torque: DVec3::ZERO },
                ..Entry::default()
            })
            .unwrap();
    }
    writer.finish().unwrap();
    let recording = Recording::open(&path).unwrap();
    for (entry, number) in recording.entries().iter().zip(odd) {
        assert_eq!(entry.penetration.to_bits(), number.to_bits());
        assert_eq!(entry.wanted.force.z.to_bits(), number.to_bits());
    }
}

#[test]
fn long_names_are_cut_between_letters() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.recording");
    let long =
        RecordingHeader { device: format!("x{}", "ü".repeat(40)), scene: "ß".repeat(64), ..header() };
    RecordingWriter::create(&path, &long).unwrap().finish().unwrap();
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.header().device, format!("x{}", "ü".repeat(31)));
    assert_eq!(recording.header().scene, long.scene);
}

/// A session in one thread: a hand pushes against a plane at x = 0.05, springy; forces pass the safety.
fn session(device: &mut dyn Device, mut each: impl FnMut(Entry)) {
    let mut safety = Safety::new(SafetyOptions { max_force: 20.0, ..Default::default() });
    for tick in 0.. {
        let time = tick as f64 * 0.001;
        let state = match device.read() {
            Ok(state) => state,
            Err(DeviceError::Ended { .. }) => return,
            Err(error) => panic!("{error}"),
        };
        let depth = (state.pose.position.x - 0.05).max(0.0);
        let wanted = Wrench {
            force: DVec3::NEG_X * (800.0 * depth),
            torque: state.twist.angular * -0.01 + DVec3::Y * depth.sin(),
        };
        let command = DeviceCommand::Wrench(safety.filter(time, time, wanted));
        device.write(&command).unwrap();
        let entry = Entry {
            tick,
            time,
            data_time: time,
            state,
            wanted,
            command,
            penetration: depth,
            safety: safety.status().bits(),
            ..Entry::default()
        };
        each(entry);
        if tick == 1999 && device.capabilities().name == "hand" {
            return;
        }
    }
}

fn hand() -> Hand {
    let turned = Pose { position: DVec3::new(0.1, 0.02, -0.01), rotation: DQuat::from_rotation_z(0.7) };
    let path = HandPath::new(vec![(0.0, Pose::IDENTITY), (0.8, turned), (1.5, Pose::IDENTITY)]).unwrap();
    Hand::new(path, HandOptions::default()).unwrap()
}

#[test]
fn a_replay_gives_the_same_forces_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("push.recording");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    session(&mut hand(), |entry| writer.push(&entry).unwrap());
    writer.finish().unwrap();

    let recording = Recording::open(&path).unwrap();
    let entries = recording.entries();
    assert_eq!(entries.len(), 2000);
    assert!(entries.iter().any(|entry| entry.penetration > 0.01), "it touched");
    let mut again = Vec::new();
    session(&mut Replay::from_recording(&recording), |entry| again.push(entry));
    assert_eq!(again.len(), entries.len());
    let bits = |entry: &Entry| {
        let DeviceCommand::Wrench(wrench) = entry.command else { panic!() };
        [wrench.force, wrench.torque].map(|v| v.to_array().map(f64::to_bits))
    };
    for (first, second) in entries.iter().zip(&again) {
        assert_eq!(bits(first), bits(second), "tick {}", first.tick);
        assert_eq!(first, second);
    }
}

#[test]
fn a_replay_loses_the_device_where_it_was_lost() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::open(&written(folder.path(), 10)).unwrap();
    let mut replay = Replay::from_recording(&recording);
    for tick in 0..10 {
        let state = replay.read();
        assert_eq!(state.is_err(), tick % 5 == 4, "{tick}: {state:?}");
    }
    assert_eq!(replay.read(), Err(DeviceError::Ended { device: "replay", states: 10 }));
}

#[test]
fn the_servo_loops_recorder_writes_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loop.recording");
    let mut recorder = Recorder::start(&path, &header()).unwrap();
    for tick in 0..5000 {
        recorder.push(&entry(tick));
    }
    assert!(!path.exists(), "not before it is whole");
    let report = recorder.finish().unwrap();
    assert_eq!((report.entries, report.dropped), (5000, 0));
    let recording = Recording::open(&path).unwrap();
    assert!(recording.entries().iter().enumerate().all(|(tick, e)| *e == entry(tick as u64)));
    // Dropped in a panic or by mistake: kept all the same.
    let mut recorder = Recorder::start(&path, &header()).unwrap();
    recorder.push(&entry(0));
    drop(recorder);
    assert_eq!(Recording::open(&path).unwrap().entries().len(), 1);
}

#[test]
fn what_the_ring_could_not_hold_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fast.recording");
    let mut recorder = Recorder::start(&path, &header()).unwrap();
    let total = 200_000;
    for tick in 0..total {
        recorder.push(&Entry { tick, ..Entry::default() });
    }
    let report = recorder.finish().unwrap();
    assert!(report.dropped > 0, "far more than the ring holds, at once");
    assert_eq!(report.entries + report.dropped, total);
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.dropped(), report.dropped);
    assert!(recording.entries().windows(2).all(|pair| pair[0].tick < pair[1].tick));
}

/// A killed process leaves a file that ends anywhere.
#[test]
fn a_recording_cut_anywhere_is_read_up_to_its_last_whole_block() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(written(folder.path(), 600)).unwrap();
    let full = BLOCK_HEADER + 256 * ENTRY;
    let cut = folder.path().join("cut.recording");
    let lengths = [
        0,
        1,
        31,
        32,
        33,
        full - 1,
        full,
        full + 1,
        2 * full,
        2 * full + 100,
        bytes.len() - HEADER - BLOCK_HEADER,
        bytes.len() - HEADER - 1,
    ];
    for length in lengths {
        fs::write(&cut, &bytes[..HEADER + length]).unwrap();
        let recording = Recording::open(&cut).unwrap();
        let whole = if length >= bytes.len() - HEADER - BLOCK_HEADER { 600 } else { length / full * 256 };
        assert_eq!(recording.entries().len(), whole, "{length}");
        assert!(!recording.is_finished());
    }
    for length in [0, 7, 8, 100, 255] {
        fs::write(&cut, &bytes[..length]).unwrap();
        let error = Recording::open(&cut).unwrap_err();
        let right = match length {
            0..8 => matches!(error, RecordingError::NotARecording { .. }),
            _ => matches!(error, RecordingError::Damaged { at: 0, .. }),
        };
        assert!(right, "{length}: {error}");
    }
}

/// Every byte counts: whichever is changed, it is noticed.
#[test]
fn a_changed_byte_is_noticed_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(written(folder.path(), 300)).unwrap();
    let path = folder.path().join("changed.recording");
    let places = (0..HEADER + BLOCK_HEADER + 8)
        .chain((HEADER..bytes.len()).step_by(1013))
        .chain(bytes.len() - 32..bytes.len());
    for at in places {
        let mut changed = bytes.clone();
        changed[at] ^= 0x11;
        fs::write(&path, &changed).unwrap();
        let error = Recording::open(&path).expect_err(&format!("byte {at}"));
        assert!(error.to_string().contains("changed.recording"), "{error}");
    }
    fs::write(&path, [bytes.as_slice(), b"x"].concat()).unwrap();
    assert!(Recording::open(&path).unwrap_err().to_string().contains("something follows the end"));
}

/// Headers whose checksums are right and whose numbers lie.
#[test]
fn lying_headers_are_refused_without_allocating_by_them() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(written(folder.path(), 300)).unwrap();
    let path = folder.path().join("lie.recording");
    let lie = |at: usize, value: &[u8], sum: std::ops::Range<usize>, sum_at: usize| {
        let mut changed = bytes.clone();
        changed[at..at + value.len()].copy_from_slice(value);
        let checksum = crc32(&changed[sum]);
        changed[sum_at..sum_at + 4].copy_from_slice(&checksum.to_le_bytes());
        fs::write(&path, &changed).unwrap();
        Recording::open(&path).unwrap_err().to_string()
    };
    for (at, value) in [(12, u32::MAX), (16, u32::MAX), (16, 0), (20, 7)] {
        let error = lie(at, &value.to_le_bytes(), 0..252, 252);
        assert!(error.contains("damaged at byte 0"), "{error}");
    }
    for rate in [f64::NAN, -1.0, 0.0, f64::INFINITY] {
        assert!(lie(24, &rate.to_le_bytes(), 0..252, 252).contains("rate"));
    }
    assert!(lie(33, &[0xff], 0..252, 252).contains("UTF-8"));
    let error = lie(8, &9u32.to_le_bytes(), 0..252, 252);
    assert!(error.contains("version 9") && error.contains("version 1"), "{error}");
    let block = HEADER..HEADER + 28;
    for count in [0, 257, u32::MAX] {
        let error = lie(HEADER + 4, &count.to_le_bytes(), block.clone(), HEADER + 28);
        assert!(error.contains("impossible number") && error.contains("byte 256"), "{error}");
    }
    assert!(lie(HEADER + 8, &1u64.to_le_bytes(), block.clone(), HEADER + 28).contains("missing or twice"));
    assert!(lie(HEADER, b"what", block, HEADER + 28).contains("neither"));
}

#[test]
fn what_is_whole_before_the_damage_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), 600);
    let mut bytes = fs::read(&path).unwrap();
    let at = HEADER + BLOCK_HEADER + 300 * ENTRY;
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    let mut reader = RecordingReader::open(&path).unwrap();
    assert_eq!(reader.next_block().unwrap().unwrap().len(), 256);
    let error = reader.next_block().unwrap_err();
    assert!(matches!(error, RecordingError::Damaged { whole: 256, .. }), "{error}");
    assert!(error.to_string().contains("256 entries before that are whole"));
}

#[test]
fn a_writer_given_up_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("given-up.recording");
    let mut writer = RecordingWriter::create(&path, &header()).unwrap();
    writer.push(&entry(0)).unwrap();
    drop(writer);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let nowhere = folder.path().join("no/such/folder/x.recording");
    assert!(matches!(RecordingWriter::create(&nowhere, &header()), Err(RecordingError::Io { .. })));
    assert!(matches!(Recording::open(&nowhere), Err(RecordingError::Missing { .. })));
    // What is there and no file is refused in the system's words.
    assert!(matches!(Recording::open(folder.path()), Err(RecordingError::Io { .. })));
}

/// CRC-32 bit by bit, so that the reader's is checked by another.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}
