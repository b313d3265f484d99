//! The time loop: the only place where everything meets.

mod checkpoint;
pub mod forecast;
pub mod history;
pub mod nodes;
mod pace;
mod record;
mod rigid;
pub mod run;
pub mod scene;
mod watch;

pub use nodes::NodeContact;
use nodes::Touch;
use pace::{Effort, Pace};
pub use run::{Progress, RunError, RunOptions, Summary};

use crate::bodies::{BodyState, StressField};
use crate::contact::cone::Status;
use crate::contact::detection::Level;
use crate::contact::{Contact, PointOutcome};
use crate::geometry::Obstacle;
use crate::integrator::{
    ContactWork, Converged, Explicit, Integrator, Ledger, LedgerEntry, Newton, StepError, StepWorks, System,
};
use crate::model::{Assembly, Model, ModelError, Plan};
use crate::parallel;

/// A run that cannot go on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("step {step}, t = {time:.6e} s: no step as short as {dt:.3e} s succeeds: {reason}")]
pub struct Stopped {
    /// Number of the step that failed.
    pub step: u64,
    /// Time reached.
    pub time: f64,
    /// Shortest step tried.
    pub dt: f64,
    /// Why the last attempt failed.
    pub reason: StepError,
}

/// What one entry of `contacts` did so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ZoneAccount {
    /// Energy lost to friction.
    pub friction: f64,
    /// Work of normal reactions.
    pub work: f64,
    /// Sum of the normal reactions, mean over the last step.
    pub force: f64,
}

/// What the last accepted step looked like.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepRecord {
    /// Iterations and residuals.
    pub converged: Converged,
    /// Points that stick.
    pub stick: usize,
    /// Points that slip.
    pub slip: usize,
    /// Depth of the deepest place of a body that is inside what it touches.
    pub penetration: f64,
    /// Edges that are inside by more than rounding: of declared parts, and where an undeclared part is concerned.
    pub crossings: [usize; 2],
    /// Whether anything is inside by more than the bound.
    pub beyond: bool,
    /// Its length.
    pub dt: f64,
}

/// A model in time.
pub struct Simulation {
    /// Bodies and states.
    pub system: System,
    contact: Contact,
    /// Obstacles, for pictures.
    pub obstacles: Vec<Obstacle>,
    /// Number of the rigid body that carries each of them, if one does.
    pub carriers: Vec<Option<usize>>,
    scheme: Box<dyn Integrator>,
    newton: Newton,
    /// In place of Newton's method, for explicit steps.
    explicit: Option<Explicit>,
    /// Whether the stresses are those of the current state.
    stresses_current: bool,
    /// Energies so far.
    pub ledger: Ledger,
    /// Time reached.
    pub time: f64,
    /// Accepted steps so far.
    pub steps: u64,
    /// The last accepted step.
    pub last: StepRecord,
    /// Stresses of each deformable body at the current state.
    pub stresses: Vec<Option<StressField>>,
    /// Contact at the nodes of each body.
    pub nodes: Vec<NodeContact>,
    /// What each entry of `contacts` did.
    pub zones: Vec<ZoneAccount>,
    /// What each entry of `contacts` is between.
    pub pairs: Vec<String>,
    /// What the run is asked for.
    pub plan: Plan,
    pace: Pace,
    /// Steps the case asks for, if none has to be cut; a guess if the step adapts.
    planned: u64,
    /// Largest energy in bodies and springs, or put in from outside, so far.
    largest_energy: f64,
    /// Whether a step that exceeds the energy bound has been reported.
    warned: bool,
    /// Work that normal reactions may have done over the rounding of gaps so far.
    rounded: f64,
    next: Vec<BodyState>,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Simulation(t = {}, {} bodies)", self.time, self.system.states.len())
    }
}

impl Simulation {
    /// A model at time zero.
    ///
    /// # Errors
    /// Everything that is wrong with the model.
    pub fn new(model: Model) -> Result<Self, ModelError> {
        model.assemble().map(Simulation::of)
    }

    /// A model that is put together, at time zero.
    pub fn of(assembly: Assembly) -> Self {
        let Assembly { mut system, contact, obstacles, carriers, scheme, newton, mut explicit, plan } = assembly;
        let ledger = Ledger::open(&system);
        let mut stresses: Vec<Option<StressField>> =
            system.bodies.iter().map(|body| body.deformable().map(StressField::new)).collect();
        update_stresses(&mut stresses, &system);
        let nodes = system.bodies.iter().map(NodeContact::new).collect();
        let pairs = plan.entries.names.clone();
        let zones = vec![ZoneAccount::default(); pairs.len()];
        let (time, every) = (&plan.time, plan.output.every);
        let pace = match time.adaptive {
            Some(options) => Pace::adaptive(time.end, every, time.step, options),
            None if time.auto => {
                let stable = explicit.as_mut().map_or(time.end, |explicit| explicit.stable_step(&mut system));
                Pace::stable(time.end, every, stable, time.max_halvings)
            }
            None => Pace::fixed(time.end, time.step, time.max_halvings),
        };
        let guess = if time.auto { pace.next(0.0).0 } else { time.step };
        let planned = pace.stretches().max((time.end / guess - Pace::SLIVER).ceil() as u64);
        Simulation {
            next: system.states.clone(),
            system,
            contact,
            obstacles,
            carriers,
            scheme,
            newton,
            explicit,
            stresses_current: true,
            ledger,
            time: 0.0,
            steps: 0,
            last: StepRecord::default(),
            stresses,
            nodes,
            zones,
            pairs,
            plan,
            pace,
            planned,
            largest_energy: 0.0,
            warned: false,
            rounded: 0.0,
        }
    }

    /// Steps the case asks for, if none has to be cut; a guess if the step adapts.
    pub fn planned_steps(&self) -> u64 {
        self.planned
    }

    /// Whether the end is reached.
    pub fn is_done(&self) -> bool {
        self.pace.is_done()
    }

    /// Contact zones and the problem of the last step.
    pub fn contact(&self) -> &Contact {
        &self.contact
    }

    /// Does one step. One that fails is tried again shorter; after a success steps grow again.
    pub fn step(&mut self) -> Result<(), Stopped> {
        // an implicit step of several bodies changes between what they do side by side and what they do together
        match self.explicit.is_none() && self.system.all().deformable().nth(1).is_some() {
            true => parallel::awake(|| self.step_together()),
            false => self.step_together(),
        }
    }

    fn step_together(&mut self) -> Result<(), Stopped> {
        if let Some(explicit) = &mut self.explicit {
            let stable = explicit.stable_step(&mut self.system);
            self.pace.limit(stable);
            let (dt, _) = self.pace.next(self.time);
            if dt > stable * (1.0 + Pace::LONGER) && !self.warned {
                self.warned = true;
                log::warn!(
                    "t = {:.4e} s: the step of {dt:.3e} s is longer than the stable {stable:.3e} s; `step: auto` would follow it",
                    self.time
                );
            }
        }
        loop {
            let (dt, target) = self.pace.next(self.time);
            self.system.time = self.time;
            match self.attempt(dt) {
                Ok((converged, Some(effort))) => {
                    self.accept(dt, converged);
                    self.time = target.unwrap_or(self.time + dt);
                    self.pace.accept(dt, target.is_some(), effort);
                    return Ok(());
                }
                Ok((_, None)) => {
                    self.pace.retry(dt);
                }
                Err(reason) => {
                    log::debug!("t = {:.6e}: step of {dt:.3e} s rejected: {reason}", self.time);
                    if !self.pace.retry(dt) {
                        return Err(Stopped { step: self.steps + 1, time: self.time, dt, reason });
                    }
                }
            }
        }
    }

    /// Tries a step and books it; `None`, and nothing booked, if it loses more energy than the case allows.
    fn attempt(&mut self, dt: f64) -> Result<(Converged, Option<Effort>), StepError> {
        let now = &self.ledger.now;
        self.contact.weigh(self.largest_energy.max(now.total()).max(now.external_work.abs()));
        match &mut self.explicit {
            Some(explicit) => {
                let (converged, works) = explicit.step(&mut self.system, &mut self.contact, dt, &mut self.next)?;
                Ok((converged, self.book_explicit(converged, &works)?))
            }
            None => {
                let converged = self.newton.step(self.scheme.as_ref(), &mut self.system, &mut self.contact, dt)?;
                Ok((converged, self.book(dt, converged)?))
            }
        }
    }

    /// Work of contact in the last step, that of normal reactions of obstacles alone beyond the rounding of gaps, and that
    /// over their rounding: all that bodies at rest have.
    fn contact_work(&self) -> (ContactWork, f64, f64) {
        let dim = self.system.dim();
        let (mut work, mut put_in, mut rounding) = (ContactWork::default(), 0.0, 0.0);
        for outcome in self.contact.outcomes(dim, &self.system.states, &self.next) {
            let (done, lost) = works(&outcome, dim);
            work.normal += done;
            let size = self.system.all().get(outcome.point.anchor.body).size();
            let unseen = Self::GAP_ROUNDING * size * outcome.reaction[0];
            rounding += unseen;
            if outcome.point.master().is_none() {
                put_in += done - unseen;
            }
            if done > Self::PUT_IN * self.ledger.now.total() {
                log::debug!("t = {:.6e}: {done:.3e} J put in by {:?}", self.time, outcome.point.identity);
            }
            work.friction += lost;
            work.wall += outcome.wall_work;
        }
        (work, put_in, rounding)
    }

    fn book_explicit(&mut self, converged: Converged, works: &StepWorks) -> Result<Option<Effort>, StepError> {
        let touched = self.explicit.as_ref().is_some_and(Explicit::touched);
        let (work, _, rounding) = if touched { self.contact_work() } else { Default::default() };
        let before = self.ledger.now;
        self.ledger.book_explicit(works, work);
        self.check_finite(before)?;
        self.check_thrown(work.normal - rounding, before)?;
        self.rounded += rounding;
        Ok(Some(Effort { iterations: 1 + converged.iterations, dissipation: 0.0 }))
    }

    /// Largest share of the energy that normal reactions may put into the bodies in one step. On curved obstacles the normal
    /// of the step's end does a little work; this much means that something was inside unseen and is thrown out.
    const THROWN_OUT: f64 = 0.05;

    /// The share from which a step is done again, shorter, as far as [`Pace::refines`] allows. Where an edge or corner of an obstacle
    /// passes from one facet of a dent to the next within a step, the place that it touches at the end has come up to it, and the
    /// reaction works along that way; the way falls with the step.
    const PUT_IN: f64 = 2e-4;

    /// Share of a body's size below which its gaps are not told apart.
    const GAP_ROUNDING: f64 = 1e-9;

    /// Books a converged step; `None`, and nothing booked, if it loses more energy than the case allows.
    fn book(&mut self, dt: f64, converged: Converged) -> Result<Option<Effort>, StepError> {
        let (system, scheme) = (&self.system, self.scheme.as_ref());
        parallel::each(&mut self.next, |b, next| {
            next.u.copy_from_slice(system.trial(b));
            system.end_velocity(scheme, b, dt, &mut next.v);
        });
        for (b, next) in self.next.iter_mut().enumerate() {
            self.system.finish(self.scheme.as_ref(), b, dt, next)?;
        }
        let (work, put_in, rounding) = self.contact_work();
        let before = self.ledger.now;
        self.ledger.book(self.scheme.as_ref(), &self.system, &self.next, dt, work);
        if self.scheme.is_dynamic() {
            self.check_thrown(work.normal - rounding, before)?;
            self.rounded += rounding;
            if self.share(put_in, before) > Self::PUT_IN && self.pace.refines(dt) {
                log::debug!("t = {:.6e}: step of {dt:.3e} s rejected: obstacles put {put_in:.3e} J in", self.time);
                self.ledger.now = before;
                return Ok(None);
            }
        }
        self.check_finite(before)?;
        let now = &self.ledger.now;
        let largest = [self.largest_energy, before.total(), now.total(), now.external_work.abs()];
        let largest = largest.into_iter().fold(0.0, f64::max);
        let dissipated = (now.numerical - before.numerical).abs();
        let dissipation = if largest > 0.0 { dissipated / largest } else { 0.0 };
        // an iteration with a kept factor advances half as far as one of its own
        let kept = converged.iterations - converged.linearisations;
        let effort = Effort { iterations: converged.linearisations + kept.div_ceil(2), dissipation };
        if !self.pace.tolerates(dt, effort) {
            log::debug!("t = {:.6e}: step of {dt:.3e} s rejected: {dissipation:.3e} of the energy lost", self.time);
            self.ledger.now = before;
            return Ok(None);
        }
        if self.pace.exceeds(effort) && !self.warned {
            self.warned = true;
            log::warn!(
                "t = {:.4e} s: the shortest step of {dt:.3e} s still loses or makes {dissipation:.2e} of the energy, \
                 more than the case allows",
                self.time
            );
        }
        self.largest_energy = largest;
        Ok(Some(effort))
    }

    /// What normal reactions put into the bodies in a step, as a share of the energy. At velocity level the reactions of a rebound do
    /// work unless θ = ½: there it counts as nothing.
    fn share(&self, put_in: f64, before: LedgerEntry) -> f64 {
        let now = &self.ledger.now;
        let scale = self.largest_energy.max(before.total()).max(now.total()).max(now.external_work.abs());
        if put_in > 0.0 && !self.contact.has_level(Level::Velocity) { put_in / scale } else { 0.0 }
    }

    /// Refuses a step in which normal reactions threw something out that was inside.
    fn check_thrown(&mut self, energy: f64, before: LedgerEntry) -> Result<(), StepError> {
        if self.share(energy, before) > Self::THROWN_OUT {
            self.ledger.now = before;
            return Err(StepError::Contact(format!(
                "normal reactions would put {energy:.3e} J into the bodies: something is inside an obstacle or another body"
            )));
        }
        Ok(())
    }

    /// Refuses a step whose energies are no numbers any more.
    fn check_finite(&mut self, before: LedgerEntry) -> Result<(), StepError> {
        let now = &self.ledger.now;
        if [now.total(), now.external_work, now.numerical].iter().all(|energy| energy.is_finite()) {
            return Ok(());
        }
        self.ledger.now = before;
        Err(StepError::Unbounded)
    }

    /// The explicit scheme, if that is the case's.
    pub fn explicit(&self) -> Option<&Explicit> {
        self.explicit.as_ref()
    }

    /// Stored energy of a body.
    pub fn strain_energy(&self, body: usize) -> f64 {
        match &self.explicit {
            Some(explicit) => explicit.energies(body).0,
            None => self.system.with_nodes(body).strain_energy(&self.system.states[body].u),
        }
    }

    /// Force of a support on an unknown over the last step.
    pub fn support_force(&self, body: usize, dof: usize) -> f64 {
        match &self.explicit {
            Some(explicit) => explicit.support_force(body, dof),
            None => self.system.support_force(body, dof),
        }
    }

    /// Brings the stresses up to date: explicit steps compute them only where they are asked for.
    pub fn update_stresses(&mut self) {
        if !self.stresses_current {
            update_stresses(&mut self.stresses, &self.system);
            self.stresses_current = true;
        }
    }

    fn accept(&mut self, dt: f64, converged: Converged) {
        let dim = self.system.dim();
        let mut record = StepRecord { converged, dt, ..StepRecord::default() };
        parallel::each_of_many(&mut self.nodes, |_, nodes| nodes.begin());
        for zone in &mut self.zones {
            zone.force = 0.0;
        }
        for outcome in self.contact.outcomes(dim, &self.system.states, &self.next) {
            let (done, lost) = works(&outcome, dim);
            if let Some(entry) = self.plan.entries.entry(outcome.point.identity.zone) {
                let zone = &mut self.zones[entry];
                zone.force += outcome.reaction[0];
                zone.work += done;
                zone.friction += lost;
            }
            match outcome.status {
                Status::Open => continue,
                Status::Stick => record.stick += 1,
                Status::Slip => record.slip += 1,
            }
            let path = (1..dim).map(|c| outcome.slide[c].powi(2)).sum::<f64>().sqrt();
            // two bodies share the heat of their friction
            let share = lost / outcome.point.sides().count() as f64;
            for (anchor, sign) in outcome.point.sides() {
                let push = sign * outcome.reaction[0] * outcome.point.frame[0];
                self.nodes[anchor.body].take(anchor, &Touch { push, status: outcome.status, path, lost: share });
            }
        }
        if let Some(explicit) = &mut self.explicit {
            explicit.accept(&mut self.system, dt);
            for (b, next) in self.next.iter_mut().enumerate() {
                self.nodes[b].finish(&self.system.bodies[b], &next.u, explicit.reaction(b), dt);
                std::mem::swap(&mut self.system.states[b], next);
            }
            self.stresses_current = false;
        } else {
            let (system, next) = (&self.system, &self.next);
            parallel::pairs(&mut self.nodes, &mut self.stresses, system.order(), |b, nodes, field| {
                let body = &system.bodies[b];
                nodes.finish(body, &next[b].u, system.reaction(b), dt);
                if let (Some(field), Some(body)) = (field, body.deformable()) {
                    field.update(body, &next[b].u);
                }
            });
            parallel::pairs_of_many(&mut self.system.states, &mut self.next, |_, state, next| state.copy_from(next));
        }
        for (body, state) in self.system.bodies.iter().zip(&mut self.system.states) {
            if let Some(body) = body.rigid() {
                body.settle(&mut state.u);
            }
        }
        let report = self.contact.report(self.system.all(), &self.system.states);
        (record.penetration, record.crossings) = (report.depth, [report.crossings, report.undeclared]);
        record.beyond = report.beyond;
        self.last = record;
        self.steps += 1;
    }
}

/// Stresses of the bodies where they are.
fn update_stresses(stresses: &mut [Option<StressField>], system: &System) {
    for ((field, body), state) in stresses.iter_mut().zip(&system.bodies).zip(&system.states) {
        if let (Some(field), Some(body)) = (field, body.deformable()) {
            field.update(body, &state.u);
        }
    }
}

/// Work of the normal reaction at a point, and energy that friction took there. At velocity level friction opposes the slip after an
/// impact, which may turn the slip round: what the impulse then gives back to the slip of before is work of the impact.
fn works(outcome: &PointOutcome<'_>, dim: usize) -> (f64, f64) {
    let normal = outcome.reaction[0] * outcome.slide[0];
    let lost = -(1..dim).map(|c| outcome.reaction[c] * outcome.slide[c]).sum::<f64>();
    if lost < 0.0 && outcome.point.level == Level::Velocity { (normal - lost, 0.0) } else { (normal, lost) }
}
