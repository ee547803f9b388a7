//! Which steps of a simulation become frames.

/// Takes steps as they come, so many per second: a simulation of 1,000 steps per second makes a smooth film of 60.
///
/// ```
/// use isotouch::output::animation::FrameClock;
///
/// let mut clock = FrameClock::new(50.0);
/// let taken = (0..=1000).filter(|step| clock.takes(f64::from(*step) / 1000.0)).count();
/// assert_eq!(taken, 51);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FrameClock {
    rate: f64,
    /// The next frame, counted from the first time.
    next: f64,
    first: Option<f64>,
}

impl FrameClock {
    /// `rate` in frames per second. One that is not positive takes the first step only.
    pub fn new(rate: f64) -> Self {
        Self { rate, next: 0.0, first: None }
    }

    /// Whether the step at a time, in seconds, is the first at or after the next frame. Times ascend.
    pub fn takes(&mut self, time: f64) -> bool {
        let first = *self.first.get_or_insert(time);
        // Steps at multiples of a rounded dt are a few units in the last place early; a thousandth of a frame is not seen.
        let frame = (time - first) * self.rate + 1e-3;
        let takes = frame >= self.next;
        if takes {
            self.next = if self.rate > 0.0 { frame.floor() + 1.0 } else { f64::INFINITY };
        }
        takes
    }
}

/// The steps that make so many frames per second, the first and the last among them. All of them when there are no more.
pub fn frames_at_rate(times: &[f64], rate: f64) -> Vec<usize> {
    let mut clock = FrameClock::new(rate);
    let mut frames: Vec<usize> = (0..times.len()).filter(|&step| clock.takes(times[step])).collect();
    if let (Some(&taken), Some(last)) = (frames.last(), times.len().checked_sub(1))
        && taken != last
    {
        frames.push(last);
    }
    frames
}

/// At most `most` of `count` frames, evenly spread, the first and the last among them.
pub(super) fn spread(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    // Distinct, for the step is at least 1.
    (0..most).map(|k| (k * (count - 1) + (most - 1) / 2) / (most - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_evenly_spaced_and_both_ends_are_kept() {
        let times: Vec<f64> = (0..=2000).map(|step| 7.0 + f64::from(step) * 1e-3).collect();
        let frames = frames_at_rate(&times, 60.0);
        assert_eq!((frames[0], frames[frames.len() - 1], frames.len()), (0, 2000, 121));
        assert!(frames.windows(2).all(|pair| (15..=18).contains(&(pair[1] - pair[0]))), "{frames:?}");
        assert_eq!(frames_at_rate(&times, 1e9), (0..=2000).collect::<Vec<_>>());
        assert_eq!(frames_at_rate(&times, 1000.0).len(), 2001);
        // Steps that are longer than frames.
        assert_eq!(frames_at_rate(&[0.0, 1.0, 2.0, 2.5], 10.0), [0, 1, 2, 3]);
        assert_eq!(frames_at_rate(&[0.0, 1.0, 2.0], 0.0), [0, 2]);
        assert_eq!(frames_at_rate(&[3.0], 60.0), [0]);
        assert!(frames_at_rate(&[], 60.0).is_empty());
    }

    #[test]
    fn a_spread_of_frames_is_distinct() {
        for count in 0..400 {
            let frames = spread(count, 100);
            assert_eq!(frames.len(), count.min(100));
            assert!(frames.windows(2).all(|pair| pair[0] < pair[1]));
            assert_eq!(frames.first().copied(), (count > 0).then_some(0));
            assert_eq!(frames.last().copied(), count.checked_sub(1));
        }
    }
}
