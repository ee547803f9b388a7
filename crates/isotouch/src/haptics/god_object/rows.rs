//! From points near a surface to constraints, and what these leave of a motion.

use glam::DVec3;

use super::{Detection, GodObject, RowNormals};
use crate::contact::constraint::{Contact, FrictionOptions, Outcome, Row, Solution};
use crate::haptics::Held;
use crate::math::spatial::Cholesky6;
use crate::math::{Mat6, Pose, Twist};

/// A gradient shorter than this is taken to be that long: near ridges of the field it vanishes, and gaps divided by it would be any number.
const SHORTEST_GRADIENT: f64 = 0.1;

/// Where a constraint comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ContactRow {
    /// Of the shell.
    point: u32,
    /// In the world.
    pub(super) place: DVec3,
    /// Into the fixed part, a unit vector in the world: n of eq. 7.
    pub(super) inward: DVec3,
    /// How far it may go that way, less the skin.
    pub(super) gap: f64,
    /// The skin, as far as that is that way.
    skin: f64,
}

/// How often skins are thinned where they make rows conflict, before what is inside them may stay where it is. Each time a conflict that was found is no more.
const THINNINGS: u32 = 8;
/// A little thinner than a conflict says, so that it is gone whatever the rounding.
const A_LITTLE_THINNER: f64 = 0.9;

/// What slides comes nearer by this part of its gap in a pass: the rest is for surfaces that bend towards it. More uses up skins wherever one does; less leaves it hovering.
const OF_GAP: f64 = 0.5;

impl GodObject {
    /// Finds the points within reach of the surface where the god object is, and makes constraints of them. Nothing to do if it has not moved.
    pub(super) fn look_around(&mut self) {
        if self.is_fresh {
            return;
        }
        self.is_fresh = true;
        let cell = self.pair.surface().cell();
        let within = self.options.iso + self.options.reach * cell;
        let surface_from_shell = self.pair.surface_from_shell(&self.pose);
        self.near.clear();
        let between = (self.pair.shell(), &self.pair.surface().obstacle());
        self.neighbours.points_within(between, &surface_from_shell, within, &mut self.near);
        let resting = self.options.iso + 2.0 * self.skin();
        self.resting = self.near.iter().filter(|near| near.value <= resting).count();
        self.choose();
        self.contacts.clear();
        self.rows.clear();
        let center = self.pose.place(self.pair.center());
        for k in 0..self.near.len() {
            let Some(contact) = self.contact(k) else { continue };
            let bound = match self.options.detection {
                Detection::Continuous => contact.gap,
                // As in the paper: what touches must not go deeper, and nothing is given back.
                Detection::Papers | Detection::Discrete => {
                    if contact.gap > 0.0 {
                        continue;
                    }
                    0.0
                }
            };
            self.contacts.push(contact);
            // eq. 7: a_G·n + α·(r × n) ≤ b.
            self.rows.push(Row::contact(contact.inward, contact.place - center, bound));
        }
    }

    /// Where more points are near than a program should have: a quarter are the nearest ones, and the rest those with the lowest numbers. A shell's points stand in farthest-first order, so
    /// these are spread evenly over all that is near; the nearest alone may all be on one side. What is left out the detection still finds. In the order of these numbers.
    fn choose(&mut self) {
        let most = self.options.most_rows;
        if self.near.len() > most {
            self.thin_out(most);
        }
        // The servo loop takes fewer yet, the first ones.
        self.near.sort_unstable_by_key(|near| near.point);
    }

    fn thin_out(&mut self, most: usize) {
        // Ties by number, so that the choice is always the same.
        let nearest = most.div_ceil(4);
        self.near.select_nth_unstable_by(nearest - 1, |a, b| {
            a.value.total_cmp(&b.value).then(a.point.cmp(&b.point))
        });
        let spread = most - nearest;
        if spread > 0 {
            self.near[nearest..].select_nth_unstable_by_key(spread - 1, |near| near.point);
        }
        self.near.truncate(most);
    }

    fn contact(&self, k: usize) -> Option<ContactRow> {
        let near = self.near[k];
        let surface = self.pair.surface().obstacle();
        let gradient = surface.touchable().gradient(near.place)?;
        let outward = gradient.try_normalize()?;
        let world_from_surface: Pose = self.pair.world_from_surface(&self.pose);
        let place = world_from_surface.place(near.place);
        // Out of the surface's solid; into the fixed part it is the other way if that is the surface.
        let from_field = match self.pair.held() {
            Held::Shell => -(world_from_surface.rotation * outward),
            Held::Field => world_from_surface.rotation * outward,
        };
        let world_from_shell = self.pair.world_from_shell(&self.pose);
        let own = world_from_shell.rotation * self.pair.shell().normals()[near.point as usize];
        let from_shell = match self.pair.held() {
            Held::Shell => own,
            Held::Field => -own,
        };
        let by_shell = match (self.options.normals, self.pair.held()) {
            (RowNormals::Shell, _) | (RowNormals::Fixed, Held::Field) => true,
            (RowNormals::Field, _) | (RowNormals::Fixed, Held::Shell) => false,
        };
        // Points without a normal, at triangles without area, have the field's.
        let inward = if by_shell && !self.by_field && own != DVec3::ZERO { from_shell } else { from_field };
        let skin = self.skin();
        let steepness = gradient.length().max(SHORTEST_GRADIENT);
        let gap = (near.value - self.options.iso - skin) / steepness;
        let skin = skin / steepness;
        (place.is_finite() && gap.is_finite()).then_some(ContactRow {
            point: near.point,
            place,
            inward,
            gap,
            skin,
        })
    }

    /// The motion nearest to the wanted one that all constraints allow.
    pub(super) fn constrained(&mut self, wanted: &Twist) -> Twist {
        if self.rows.is_empty() {
            return *wanted;
        }
        if self.options.detection == Detection::Continuous {
            // They may have been thinned for another wish.
            for (row, contact) in self.rows.iter_mut().zip(&self.contacts) {
                row.bound = contact.gap;
            }
        }
        let metric = self.pair.metric(self.pose.rotation);
        let solution = if self.options.friction > 0.0 {
            self.rubbing(&metric, wanted)
        } else {
            let Some(factor) = Cholesky6::new(&metric) else { return Twist::ZERO };
            let solution = self.solve_or_thin(&factor, wanted);
            self.active = self.solver.weights().len();
            if solution.is_minimum() {
                self.holding.clear();
                let held = self.solver.weights().iter().map(|of| self.contacts[of.row].point);
                self.holding.extend(held);
            }
            solution
        };
        self.relaxed |= solution.outcome == Outcome::Relaxed;
        if solution.is_minimum() { solution.step } else { Twist::ZERO }
    }

    /// The motion nearest to one that slides, which gives back skins and comes nearer to what it is off by a part. Rows are those of the last program, thinned where they had to be; what holds the part is what held it there.
    pub(super) fn approaching(&mut self, step: &Twist) -> Twist {
        let Some(metric) = Cholesky6::new(&self.pair.metric(self.pose.rotation)) else { return Twist::ZERO };
        for row in self.rows.iter_mut().filter(|row| row.bound > 0.0) {
            row.bound *= OF_GAP;
        }
        let guess = self.holding_rows();
        let solution = self.solver.solve_or_relax(&metric, step, &self.rows, &guess.0[..guess.1]);
        if solution.is_minimum() { solution.step } else { Twist::ZERO }
    }

    /// Where rows conflict, which only those within their skins can, these ask for less: a part with room for half a skin on either side keeps that much. Without, it would come nearer to one side with every pass.
    ///
    /// With a part p of every skin a row is J·a ≤ c − p·δ, where c > 0 is how far its point may go to the surface. The proof of a conflict, Σ w·J = 0 and Σ w·(c − p·δ) < 0, says how much
    /// thinner skins have to be: p ≤ Σ w·c / Σ w·δ.
    fn solve_or_thin(&mut self, metric: &Cholesky6, wanted: &Twist) -> Solution {
        let guess = self.holding_rows();
        let guess = &guess.0[..guess.1];
        let whole = self.solver.solve_from(metric, wanted, &self.rows, guess);
        if self.options.detection != Detection::Continuous
            || !matches!(whole.outcome, Outcome::Conflict { .. })
        {
            return whole;
        }
        let mut part = 1.0;
        for _ in 0..THINNINGS {
            let proof = self.solver.weights().iter();
            let (ways, skins) = proof.fold((0.0, 0.0), |(ways, skins), of| {
                let contact = &self.contacts[of.row];
                (ways + of.weight * (contact.gap + contact.skin), skins + of.weight * contact.skin)
            });
            part = A_LITTLE_THINNER * f64::min(part, ways / skins);
            for (row, contact) in self.rows.iter_mut().zip(&self.contacts) {
                row.bound = contact.gap + (1.0 - part) * contact.skin;
            }
            let thinner = self.solver.solve_from(metric, wanted, &self.rows, guess);
            if !matches!(thinner.outcome, Outcome::Conflict { .. }) {
                let outcome =
                    if thinner.outcome == Outcome::Solved { Outcome::Relaxed } else { thinner.outcome };
                return Solution { outcome, ..thinner };
            }
        }
        self.solver.solve_or_relax(metric, wanted, &self.rows, guess)
    }

    /// Rows of the points that held the part last, and how many.
    fn holding_rows(&self) -> ([usize; 6], usize) {
        let (mut rows, mut count) = ([0; 6], 0);
        for (row, contact) in self.contacts.iter().enumerate() {
            if count < rows.len() && self.holding.contains(&contact.point) {
                rows[count] = row;
                count += 1;
            }
        }
        (rows, count)
    }

    /// The same with Coulomb's friction: what is pressed on slides only where the pull along the surface is more than μ times that against it.
    fn rubbing(&mut self, metric: &Mat6, wanted: &Twist) -> Solution {
        // Where nothing is within its skin staying is allowed, so nothing conflicts.
        let is_tight = self.rows.iter().any(|row| row.bound < 0.0);
        let mut thinned = false;
        if let Some(factor) = Cholesky6::new(metric).filter(|_| is_tight) {
            // Leaves the rows as thin as they have to be.
            thinned = self.solve_or_thin(&factor, wanted).outcome == Outcome::Relaxed;
        }
        let mut rubs = std::mem::take(&mut self.rubs);
        rubs.clear();
        rubs.extend((0..self.rows.len()).map(|row| self.rough_contact(row)));
        self.rubs = rubs;
        let usual = FrictionOptions::default();
        let options =
            FrictionOptions { slip_length: self.slip_length().unwrap_or(usual.slip_length), ..usual };
        let found = self.friction_solver.solve(metric, wanted, &self.rubs, &options);
        self.active = self.friction_solver.forces().iter().filter(|force| force.normal > 0.0).count();
        let outcome = match found.solution.outcome {
            Outcome::Solved if thinned => Outcome::Relaxed,
            outcome => outcome,
        };
        Solution { outcome, ..found.solution }
    }

    /// One of the rows, with friction.
    pub(crate) fn rough_contact(&self, row: usize) -> Contact {
        let of = &self.contacts[row];
        Contact {
            normal: of.inward,
            arm: of.place - self.pose.place(self.pair.center()),
            bound: self.rows[row].bound,
            friction: self.options.friction,
        }
    }

    /// What sticks creeps by less than this in a pass, m: at some thousand passes a second, by some hundredths of a cell a second. `None` without friction.
    pub(crate) fn slip_length(&self) -> Option<f64> {
        (self.options.friction > 0.0).then(|| 1e-4 * self.skin())
    }
}
