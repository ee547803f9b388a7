//! The slow loop: contact as it is.

use std::time::Instant;

use super::local::{LocalModel, Solvers};
use crate::contact::Placed;
use crate::haptics::Renderer;
use crate::haptics::device::DeviceState;
use crate::haptics::exchange::{Reader, Writer};

/// Longest step that is integrated at once, s: after a pause the part catches up over some steps instead of being thrown.
const LONGEST_STEP: f64 = 0.01;
/// Shortest: what would divide by nothing.
const SHORTEST_STEP: f64 = 1e-5;

/// The half of a session that knows contact. It answers every state of the device that it sees; the latest counts.
pub struct Simulation {
    renderer: Renderer,
    states: Reader<DeviceState>,
    words: Writer<LocalModel>,
    last: LocalModel,
    /// Time of the last state, s.
    time: Option<f64>,
    /// Step where the device's clock does not say: at the start.
    usual_step: f64,
    order: Vec<u32>,
    solvers: Solvers,
    totals: Totals,
}

/// What came of a whole session.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    /// Steps of the simulation.
    pub steps: u64,
    /// The deepest that any point was below the level that counts as the surface, after a step, m.
    pub max_penetration: f64,
    /// Most points in contact at once.
    pub most_contacts: usize,
    /// Steps in which the part was held although the hand pulled.
    pub stuck_steps: u64,
}

impl Simulation {
    pub(super) fn new(
        renderer: Renderer,
        states: Reader<DeviceState>,
        words: Writer<LocalModel>,
        usual_step: f64,
    ) -> Self {
        let last = LocalModel::at(renderer.pose());
        Self {
            renderer,
            states,
            words,
            last,
            time: None,
            usual_step,
            order: Vec::with_capacity(256),
            solvers: Solvers::new(),
            totals: Totals::default(),
        }
    }

    /// Takes up the latest state of the device and answers it. Whether there was a new one; otherwise nothing is done.
    pub fn step(&mut self) -> bool {
        if !self.states.update() {
            return false;
        }
        let state = *self.states.value();
        if !state.is_sound() {
            return false;
        }
        let begin = Instant::now();
        let dt = self.time.map_or(self.usual_step, |last| state.time - last);
        self.time = Some(state.time);
        let dt = dt.clamp(SHORTEST_STEP, LONGEST_STEP);
        let center = self.renderer.pair().center();
        let arm = state.pose.rotation * center;
        let hand = Placed {
            world_from_body: state.pose,
            center,
            twist: crate::math::Twist { linear: state.twist.at(arm), ..state.twist },
        };
        let rendered = self.renderer.step(&hand, dt);
        let totals = &mut self.totals;
        totals.steps += 1;
        totals.max_penetration = totals.max_penetration.max(rendered.penetration);
        totals.most_contacts = totals.most_contacts.max(rendered.contacts);
        totals.stuck_steps += u64::from(rendered.is_stuck);
        let word = &mut self.last;
        word.time = state.time;
        word.pose = rendered.pose;
        word.twist = rendered.twist;
        word.contacts = u32::try_from(rendered.contacts).unwrap_or(u32::MAX);
        word.penetration = rendered.penetration;
        word.is_stuck = rendered.is_stuck;
        word.fill(&self.renderer, &state.pose, (&mut self.order, &mut self.solvers));
        word.steps = totals.steps;
        word.seconds = begin.elapsed().as_secs_f64();
        self.words.write(*word);
        true
    }

    /// What it renders with.
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// The same, to be changed between steps.
    pub fn renderer_mut(&mut self) -> &mut Renderer {
        &mut self.renderer
    }

    /// What came of it so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }
}
