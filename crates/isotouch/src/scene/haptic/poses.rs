//! What the hand does: poses with times, in the scene or in a file.

use std::fs::File;
use std::io::BufReader;
use std::path::Path as FilePath;

use crate::ccd::path::PathReader;
use crate::haptics::device::{Path, PathError};
use crate::math::Pose;
use crate::scene::error::{Place, SceneError};
use crate::scene::table::{Table, Value};

/// The path, how long it lasts, and where it is told.
pub(super) fn read_path(table: &Table<'_>, folder: &FilePath) -> Result<(Path, f64, Place), SceneError> {
    let seconds = table.positive("seconds")?;
    let (value, poses) = match table.either(["poses", "path"])? {
        Some(("poses", value)) => {
            let poses = value.list()?.iter().map(timed_pose).collect::<Result<Vec<_>, _>>()?;
            (value, poses)
        }
        Some((_, value)) => {
            let poses = of_file(&value, &folder.join(value.text()?), seconds)?;
            (value, poses)
        }
        None => {
            return Err(SceneError::Missing {
                place: table.place(),
                what: table.what.clone(),
                key: "poses or path",
                remedy: "write poses = [[0, 0, 0, 0.1], [1, 0, 0, 0]] (t, x, y, z), or path = \"hand.csv\"",
            });
        }
    };
    let last = poses.last().map_or(0.0, |(time, _)| *time);
    let path = Path::new(poses).map_err(|error| match error {
        PathError::Empty => value.bad("a list of at least one pose"),
        PathError::Time { index } => value.bad(format!(
            "poses whose times grow; the time of pose {}, counted from 1, is not after the one before",
            index + 1
        )),
        PathError::Pose { index } => value.bad(format!(
            "poses with a finite position and a unit quaternion, which pose {}, counted from 1, is not",
            index + 1
        )),
    })?;
    // After the last pose the hand comes to rest.
    Ok((path, seconds.unwrap_or(last + 0.5), value.place()))
}

/// `[t, x, y, z]`, or with `qx, qy, qz, qw` behind.
fn timed_pose(value: &Value<'_>) -> Result<(f64, Pose), SceneError> {
    let wanted = "[t, x, y, z] or [t, x, y, z, qx, qy, qz, qw], finite numbers in seconds and metres";
    if let Ok([t, x, y, z]) = value.numbers() {
        return Ok((t, Pose::at([x, y, z].into())));
    }
    let [t, x, y, z, qx, qy, qz, qw] = value.numbers().map_err(|_| value.bad(wanted))?;
    let pose = Pose::from_numbers([x, y, z, qx, qy, qz, qw]);
    pose.map(|pose| (t, pose)).map_err(|error| value.bad(format!("{wanted} ({error})")))
}

fn of_file(value: &Value<'_>, path: &FilePath, seconds: Option<f64>) -> Result<Vec<(f64, Pose)>, SceneError> {
    let bad = |source: crate::scene::ShapeFailure| SceneError::Haptic {
        place: value.place(),
        source: format!("{}: {source}", path.display()).into(),
    };
    let file = File::open(path).map_err(|error| {
        bad(format!("{error}; check the name, which counts from the scene's folder, or write poses = [[0, 0, 0, 0.1], …] instead").into())
    })?;
    let mut reader = PathReader::new(BufReader::new(file));
    let mut poses = Vec::new();
    let mut has_times = false;
    while let Some(pose) = reader.next() {
        let pose = pose.map_err(|error| bad(error.into()))?;
        has_times = reader.time().is_some();
        poses.push((reader.time().unwrap_or(0.0), pose));
    }
    if !has_times {
        let Some(seconds) = seconds else {
            return Err(bad(
                "it has no times; write the header t,x,y,z,qx,qy,qz,qw, or seconds in the scene".into(),
            ));
        };
        let last = poses.len().saturating_sub(1).max(1) as f64;
        for (k, (time, _)) in poses.iter_mut().enumerate() {
            *time = seconds * k as f64 / last;
        }
    }
    Ok(poses)
}
