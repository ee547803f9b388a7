//! What is in the hand.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use isotouch::haptics::device::{
    Device, DeviceError, DeviceState, Haply, HaplyOptions, InWorkspace, Page, PageOptions, Replay, Workspace,
    WorkspaceOptions,
};
use isotouch::haptics::record::Recording;
use isotouch::math::Pose;
use isotouch::scene::haptic::HapticScene;

use super::Args;
use crate::console::{Console, complain};
use crate::failure::{Classify, Failure};
use crate::format::number;
use crate::interrupt;

/// How long to wait for a page's first pose where `--seconds` says that there is an end, s: enough to open one by hand.
const USUAL_WAIT: f64 = 60.0;

/// The first one, bit 0: an Inverse3's grip calls it `a` (a wired grip has no other), a page sends 1.
const CLUTCH_BUTTON: u32 = 1;

/// What `--device` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DeviceArg {
    Hand,
    Replay(PathBuf),
    Haply,
    Page,
}

pub(super) fn parse(text: &str) -> Result<DeviceArg, String> {
    match text {
        "hand" => Ok(DeviceArg::Hand),
        "haply" => Ok(DeviceArg::Haply),
        "page" => Ok(DeviceArg::Page),
        "replay" | "replay:" => Err("name the recording, as replay:peg.recording".into()),
        _ => match text.strip_prefix("replay:") {
            Some(path) => Ok(DeviceArg::Replay(path.into())),
            None => Err("use one of: hand, replay:FILE, haply, page".into()),
        },
    }
}

/// A device that is there.
pub(super) struct Chosen {
    pub(super) device: Box<dyn Device>,
    /// Whether somebody holds it: it has a clock of its own, and no end.
    pub(super) is_live: bool,
}

impl Chosen {
    pub(super) fn open(
        args: &Args,
        scene: &HapticScene,
        (rate, replayed): (f64, Option<&Recording>),
        console: &Console,
    ) -> Result<Self, Failure> {
        if let Some(recording) = replayed {
            return Ok(Self { device: Box::new(Replay::from_recording(recording)), is_live: false });
        }
        match args.device {
            DeviceArg::Hand | DeviceArg::Replay(_) => {
                let hand =
                    scene.hand(rate).context("the simulated hand; try another --rate").or_bad_input()?;
                Ok(Self { device: Box::new(hand), is_live: false })
            }
            DeviceArg::Haply => {
                let mut haply = Haply::open(&HaplyOptions::default()).or_bad_input()?;
                let state = haply.wait(Duration::from_secs(2)).or_failed()?;
                let options = placed(WorkspaceOptions::z_up(), scene, &state);
                let workspace = Workspace::new(options).or_bad_input()?;
                Ok(Self { device: Box::new(InWorkspace::new(haply, workspace)), is_live: true })
            }
            DeviceArg::Page => {
                let options = PageOptions { port: args.port.unwrap_or(0), ..PageOptions::default() };
                let mut page = Page::open(&options).or_bad_input()?;
                let address = page.address();
                // Whoever says how long it takes wants it to end, client or not.
                let patience = args.wait.or(args.seconds.map(|_| USUAL_WAIT));
                let line = match patience {
                    Some(longest) => {
                        format!("waiting for poses at ws://{address}; for {} s, Ctrl-C ends", number(longest))
                    }
                    None => format!("waiting for poses at ws://{address}; Ctrl-C ends"),
                };
                // Nobody could find a port that any free one was taken for, so that is told in any case.
                if console.is_json() || (console.is_quiet() && args.port.unwrap_or(0) == 0) {
                    complain("note", &line, "");
                } else {
                    console.say(&line);
                }
                let begin = Instant::now();
                loop {
                    interrupt::check()?;
                    if let Some(longest) = patience.filter(|&longest| begin.elapsed().as_secs_f64() > longest)
                    {
                        return Err(anyhow!(
                            "nobody sent a pose to ws://{address} within {} s; connect a page or program there (docs/devices.md \
                             has its messages), or wait longer with --wait",
                            number(longest)
                        ))
                        .or_failed();
                    }
                    match page.wait(Duration::from_millis(100)) {
                        Ok(_) => break,
                        Err(DeviceError::NotReady { .. }) => {}
                        // Who came is gone again; of that it is told at once.
                        Err(DeviceError::Lost { .. } | DeviceError::Closed { .. }) => {
                            thread::sleep(Duration::from_millis(10));
                        }
                        Err(error) => return Err(error).or_failed(),
                    }
                }
                // A page's poses are the scene's, but for their scale.
                let options = WorkspaceOptions {
                    scale: scene.device_scale,
                    force_scale: scene.force_scale,
                    clutch_buttons: CLUTCH_BUTTON,
                    ..WorkspaceOptions::default()
                };
                let workspace = Workspace::new(options).or_bad_input()?;
                Ok(Self { device: Box::new(InWorkspace::new(page, workspace)), is_live: true })
            }
        }
    }
}

/// So that the device, as it is now, holds the part where the scene begins.
fn placed(options: WorkspaceOptions, scene: &HapticScene, state: &DeviceState) -> WorkspaceOptions {
    let Pose { position, rotation } = scene.start();
    WorkspaceOptions {
        scale: scene.device_scale,
        force_scale: scene.force_scale,
        device_centre: state.pose.position,
        scene_centre: position,
        handle_from_tool: ((options.scene_from_device * state.pose.rotation).conjugate() * rotation)
            .normalize(),
        clutch_buttons: CLUTCH_BUTTON,
        ..options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named() {
        assert_eq!(parse("hand"), Ok(DeviceArg::Hand));
        assert_eq!(parse("replay:a:b.recording"), Ok(DeviceArg::Replay("a:b.recording".into())));
        assert!(parse("replay:").is_err_and(|said| said.contains("name the recording")));
        assert!(parse("touch").is_err_and(|said| said.contains("hand, replay:FILE, haply, page")));
    }
}
