//! The slow loop: contact as it is.

use std::time::Instant;

use super::local::{LocalModel, Solvers};
use crate::contact::Placed;
use crate::contact::constraint::Freedom;
use crate::haptics::Renderer;
use crate::haptics::device::DeviceState;
use crate::haptics::exchange::{Reader, Writer};
use crate::math::{DVec3, Pose};

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
    stuck: Vec<Stuck>,
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

/// How the part came to be held.
#[derive(Debug, Clone, PartialEq)]
pub struct Stuck {
    /// Of the device's state, s.
    pub time: f64,
    /// Where the part was, `world_from_held`.
    pub pose: Pose,
    /// Pinched: no motion leaves all contacts, some slide along them. Jammed: none is left.
    pub freedom: Freedom,
    /// What proves it: contacts whose forces, by their weights, sum to nothing.
    pub held_by: Vec<Holding>,
    /// How many constraints there were in all.
    pub rows: usize,
}

/// A contact that holds the part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Holding {
    /// In the world, m.
    pub place: DVec3,
    /// Out of the fixed part, a unit vector in the world.
    pub normal: DVec3,
    /// Its part of the proof.
    pub weight: f64,
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
            stuck: Vec::new(),
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
        if rendered.is_stuck && !self.last.is_stuck {
            self.note_stuck(state.time);
        }
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

    /// Asks what holds the part, unless that was told before of the same kind.
    fn note_stuck(&mut self, time: f64) {
        let Renderer::Constraint(god, _) = &mut self.renderer else { return };
        let (freedom, proof) = god.freedom();
        let is_told = |of: &Stuck| std::mem::discriminant(&of.freedom) == std::mem::discriminant(&freedom);
        if !matches!(freedom, Freedom::Pinched { .. } | Freedom::Jammed) || self.stuck.iter().any(is_told) {
            return;
        }
        let contacts: Vec<(DVec3, DVec3)> = god.contacts().collect();
        let held_by = proof.iter().map(|of| {
            let (place, normal) = contacts[of.row];
            Holding { place, normal, weight: of.weight }
        });
        let (held_by, rows) = (held_by.collect(), contacts.len());
        self.stuck.push(Stuck { time, pose: god.pose(), freedom, held_by, rows });
    }

    /// How the part first came to be pinched, and how it first came to be jammed, in that order or the other.
    pub fn stuck(&self) -> &[Stuck] {
        &self.stuck
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
