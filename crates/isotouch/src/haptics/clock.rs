//! When the servo loop ticks, and how well it keeps its deadlines.

use std::thread;
use std::time::{Duration, Instant};

use thread_priority::ThreadPriority;

/// How often to tick, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockOptions {
    /// Hz. 1000 is usual; up to 4000 is sensible where the device and the machine keep up.
    pub rate: f64,
    /// For how long to wait awake before a deadline, s. Sleeping wakes up late, by 50–100 µs on an idle machine; waiting awake is exact
    /// and keeps a core busy. 0 only sleeps.
    pub spin: f64,
}

impl Default for ClockOptions {
    fn default() -> Self {
        Self { rate: 1000.0, spin: 100e-6 }
    }
}

/// Options that make no clock.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ClockError {
    /// Too slow, too fast or no number.
    #[error("a servo rate of {rate} Hz is not between 1 and 20000; 1000 is usual")]
    Rate {
        /// What was asked for.
        rate: f64,
    },
    /// Negative or no number.
    #[error("waiting awake for {spin} s is not a time of 0 or more")]
    Spin {
        /// What was asked for.
        spin: f64,
    },
}

/// One turn of the loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tick {
    /// Deadlines since the start, those that were missed included: the tick's time is `index / rate`.
    pub index: u64,
    /// s since the start, now.
    pub time: f64,
    /// How long after its deadline it began, s.
    pub late: f64,
    /// Deadlines that went by since the last tick without one.
    pub missed: u64,
}

/// Ticks at a fixed rate. A tick that comes late does not shift those after it, and missed ones are not made up for: the hand would feel
/// a burst. Neither allocates nor locks.
///
/// ```
/// use isotouch::haptics::clock::{ClockOptions, ServoClock};
///
/// let mut clock = ServoClock::new(ClockOptions::default())?;
/// while clock.wait().time < 0.02 {}
/// assert!(clock.statistics().ticks() > 2);
/// # Ok::<(), isotouch::haptics::clock::ClockError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ServoClock {
    period: f64,
    spin: f64,
    start: Instant,
    /// The index of the next deadline.
    next: u64,
    /// When the tick that runs began, s since the start.
    began: Option<f64>,
    statistics: DeadlineStatistics,
}

impl ServoClock {
    /// Starts now: the first deadline is at once.
    pub fn new(options: ClockOptions) -> Result<Self, ClockError> {
        let ClockOptions { rate, spin } = options;
        if !(1.0..=20_000.0).contains(&rate) {
            return Err(ClockError::Rate { rate });
        }
        if !(0.0..=1.0).contains(&spin) {
            return Err(ClockError::Spin { spin });
        }
        Ok(Self {
            period: 1.0 / rate,
            spin,
            start: Instant::now(),
            next: 0,
            began: None,
            statistics: DeadlineStatistics::new(rate),
        })
    }

    /// Ends the work of the tick before, and waits for the next deadline.
    pub fn wait(&mut self) -> Tick {
        let arrived = self.now();
        if let Some(began) = self.began {
            self.statistics.work.add_seconds(arrived - began);
        }
        // Deadlines a whole period ago are gone.
        let behind = ((arrived - self.deadline()) / self.period).floor();
        let missed = if behind >= 1.0 { behind as u64 } else { 0 };
        self.next += missed;
        let deadline = self.deadline();
        let asleep = deadline - self.spin - arrived;
        if asleep > 0.0 {
            thread::sleep(Duration::from_secs_f64(asleep));
        }
        let mut time = self.now();
        while time < deadline {
            std::hint::spin_loop();
            time = self.now();
        }
        let late = time - deadline;
        self.statistics.tick(time, late, missed);
        self.began = Some(time);
        let index = self.next;
        self.next += 1;
        Tick { index, time, late, missed }
    }

    /// s since the start.
    pub fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// s between deadlines.
    pub fn period(&self) -> f64 {
        self.period
    }

    /// How well deadlines were kept.
    pub fn statistics(&self) -> &DeadlineStatistics {
        &self.statistics
    }

    fn deadline(&self) -> f64 {
        self.next as f64 * self.period
    }
}

/// How well deadlines were kept.
#[derive(Debug, Clone)]
pub struct DeadlineStatistics {
    wanted_rate: f64,
    first: f64,
    last: f64,
    ticks: u64,
    missed: u64,
    lateness: Histogram,
    work: Histogram,
}

impl DeadlineStatistics {
    fn new(wanted_rate: f64) -> Self {
        let (lateness, work) = (Histogram::default(), Histogram::default());
        Self { wanted_rate, first: 0.0, last: 0.0, ticks: 0, missed: 0, lateness, work }
    }

    fn tick(&mut self, time: f64, late: f64, missed: u64) {
        if self.ticks == 0 {
            self.first = time;
        }
        self.last = time;
        self.ticks += 1;
        self.missed += missed;
        self.lateness.add_seconds(late);
    }

    /// The rate that was asked for, Hz.
    pub fn wanted_rate(&self) -> f64 {
        self.wanted_rate
    }

    /// The rate that came about, Hz; 0 before the second tick.
    pub fn achieved_rate(&self) -> f64 {
        let span = self.last - self.first;
        if span > 0.0 { (self.ticks - 1) as f64 / span } else { 0.0 }
    }

    /// Turns of the loop.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Deadlines that went by without a tick.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// How long after their deadlines ticks began.
    pub fn lateness(&self) -> &Histogram {
        &self.lateness
    }

    /// How long their work took.
    pub fn work(&self) -> &Histogram {
        &self.work
    }
}

/// Parts that a power of two is cut into.
const PARTS: usize = 16;
const PARTS_LOG2: u32 = PARTS.trailing_zeros();
/// Powers of two above the first: up to 2⁴⁰ ns, 18 minutes.
const OCTAVES: usize = 36;

/// Durations, counted in buckets that grow with them: any quantile is known within 1/16, in fixed memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: [u64; PARTS * (OCTAVES + 1)],
    count: u64,
    largest: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: [0; PARTS * (OCTAVES + 1)], count: 0, largest: 0 }
    }
}

impl Histogram {
    /// Counts a duration in s. Negative ones and NaN count as 0.
    pub fn add_seconds(&mut self, seconds: f64) {
        // Saturates; NaN is 0.
        self.add((seconds * 1e9) as u64);
    }

    /// Counts a duration in ns.
    pub fn add(&mut self, nanoseconds: u64) {
        self.counts[bucket(nanoseconds)] += 1;
        self.count += 1;
        self.largest = self.largest.max(nanoseconds);
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The largest, s; exact.
    pub fn max(&self) -> f64 {
        self.largest as f64 * 1e-9
    }

    /// The duration, s, that the part `q` of all is not above: 0.99 for p99. Not below the true one, and above it by at most a
    /// sixteenth. 0 if nothing was counted.
    pub fn quantile(&self, q: f64) -> f64 {
        let rank = ((q.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return upper_end(bucket).min(self.largest) as f64 * 1e-9;
            }
        }
        self.max()
    }
}

/// Small values have a bucket each; above, the four bits after the leading one choose.
fn bucket(value: u64) -> usize {
    if value < PARTS as u64 {
        return value as usize;
    }
    let octave = (value.ilog2() - PARTS_LOG2) as usize;
    let part = (value >> octave) as usize - PARTS;
    (PARTS + octave * PARTS + part).min(PARTS * (OCTAVES + 1) - 1)
}

/// The largest value of a bucket.
fn upper_end(bucket: usize) -> u64 {
    if bucket < PARTS {
        return bucket as u64;
    }
    if bucket == PARTS * (OCTAVES + 1) - 1 {
        return u64::MAX;
    }
    let (octave, part) = ((bucket - PARTS) / PARTS, (bucket - PARTS) % PARTS);
    (((PARTS + part + 1) as u64) << octave) - 1
}

/// What the system made of [`raise_priority`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Priority {
    /// The thread comes before all ordinary ones (on Unix by `SCHED_FIFO`, on Windows as time critical).
    RealTime,
    /// It is as before; deadlines depend on what else runs. With what to do about it.
    Ordinary {
        /// Why, in words.
        why: String,
    },
}

/// Asks that this thread come before all ordinary ones. Never fails: what is refused is said. Call it once, before the loop: it allocates.
///
/// The loop must then wait asleep for a part of each period, as [`ServoClock`] does, or nothing else runs on its core.
pub fn raise_priority() -> Priority {
    match raise() {
        Ok(()) => Priority::RealTime,
        Err(error) => Priority::Ordinary {
            why: format!(
                "the system refused real-time priority ({error:?}); on Linux allow it with `ulimit -r 50`, rtprio in limits.conf, or CAP_SYS_NICE"
            ),
        },
    }
}

#[cfg(unix)]
fn raise() -> Result<(), thread_priority::Error> {
    use thread_priority::unix::{
        RealtimeThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
    };
    // In the middle of 1 to 99: above ordinary threads, below the kernel's own.
    let middle = ThreadPriority::from_posix(thread_priority::ScheduleParams { sched_priority: 50 });
    let fifo = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    set_thread_priority_and_policy(thread_native_id(), middle, fifo)
}

#[cfg(not(unix))]
fn raise() -> Result<(), thread_priority::Error> {
    thread_priority::set_current_thread_priority(ThreadPriority::Max)
}
