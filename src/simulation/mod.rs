//! The time loop: the only place where everything meets.

pub mod history;
pub mod run;
pub mod scene;

pub use run::{Progress, RunError, RunOptions, Summary, run};

use crate::bodies::{BodyState, Deformable, StressField};
use crate::case::{Case, Model};
use crate::contact::Contact;
use crate::contact::cone::Status;
use crate::contact::detection::Obstacle;
use crate::integrator::{Converged, Integrator, Jean, Ledger, Newton, StepError, System};

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

/// What contact left at the nodes of a body.
#[derive(Debug, Clone, Default)]
pub struct NodeContact {
    /// Mean contact force of the last step, `dim` numbers per node.
    pub force: Vec<f64>,
    /// 0 open, 1 stick, 2 slip.
    pub status: Vec<f64>,
    /// Distance slid so far while in contact.
    pub slip: Vec<f64>,
    /// Energy lost to friction so far.
    pub energy: Vec<f64>,
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
    /// Deepest penetration of a surface node.
    pub penetration: f64,
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
    scheme: Jean,
    newton: Newton,
    /// Energies so far.
    pub ledger: Ledger,
    /// Time reached.
    pub time: f64,
    /// Accepted steps so far.
    pub steps: u64,
    /// The last accepted step.
    pub last: StepRecord,
    /// Stresses at the current state.
    pub stresses: Vec<StressField>,
    /// Contact at the nodes of each body.
    pub nodes: Vec<NodeContact>,
    end: f64,
    nominal: f64,
    max_halvings: u32,
    /// Nominal steps done.
    interval: u64,
    /// Halvings in force.
    halvings: u32,
    next: Vec<BodyState>,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Simulation(t = {}, {} bodies)", self.time, self.system.bodies.len())
    }
}

impl Simulation {
    /// At time zero.
    pub fn new(case: &Case, model: Model) -> Self {
        let Model { system, contact, obstacles, scheme, newton, .. } = model;
        let ledger = Ledger::open(&system);
        let mut stresses: Vec<StressField> = system.bodies.iter().map(StressField::new).collect();
        for ((field, body), state) in stresses.iter_mut().zip(&system.bodies).zip(&system.states) {
            field.update(body, &state.u);
        }
        let nodes = system.bodies.iter().map(NodeContact::new).collect();
        Simulation {
            next: system.states.clone(),
            system,
            contact,
            obstacles,
            scheme,
            newton,
            ledger,
            time: 0.0,
            steps: 0,
            last: StepRecord::default(),
            stresses,
            nodes,
            end: case.time.end,
            nominal: case.time.step,
            max_halvings: case.time.max_halvings,
            interval: 0,
            halvings: 0,
        }
    }

    /// Steps the case asks for, if none has to be cut.
    pub fn planned_steps(&self) -> u64 {
        // a remainder below 1e-9 of a step is round-off of the division
        (self.end / self.nominal - 1e-9).ceil().max(1.0) as u64
    }

    /// Whether the end is reached.
    pub fn is_done(&self) -> bool {
        self.interval >= self.planned_steps()
    }

    fn boundary(&self, interval: u64) -> f64 {
        if interval >= self.planned_steps() {
            return self.end;
        }
        // Where the step is one n-th of a second, k/n is the decimal number a reader would ask for; k·Δt may miss it by a
        // rounding unit, and VTK then returns the frame before.
        let per_second = (1.0 / self.nominal).round();
        if (per_second * self.nominal - 1.0).abs() < 1e-12 {
            interval as f64 / per_second
        } else {
            interval as f64 * self.nominal
        }
    }

    /// Contact zones and the problem of the last step.
    pub fn contact(&self) -> &Contact {
        &self.contact
    }

    /// Does one step. A step that fails is halved; after a success the next one is twice as long again, up to the end
    /// of the step the case asked for.
    pub fn step(&mut self) -> Result<(), Stopped> {
        let target = self.boundary(self.interval + 1);
        loop {
            let remaining = target - self.time;
            let whole = target - self.boundary(self.interval);
            let wanted = whole / f64::from(1u32 << self.halvings);
            let dt = if wanted * (1.0 + 1e-9) >= remaining { remaining } else { wanted };
            match self.newton.step(&self.scheme, &mut self.system, &mut self.contact, dt) {
                Ok(converged) => {
                    self.accept(dt, converged);
                    if dt == remaining {
                        self.time = target;
                        self.interval += 1;
                    } else {
                        self.time += dt;
                    }
                    self.halvings = self.halvings.saturating_sub(1);
                    return Ok(());
                }
                Err(reason) => {
                    log::debug!("t = {:.6e}: step of {dt:.3e} s rejected: {reason}", self.time);
                    if self.halvings >= self.max_halvings {
                        return Err(Stopped { step: self.steps + 1, time: self.time, dt, reason });
                    }
                    self.halvings += 1;
                }
            }
        }
    }

    fn accept(&mut self, dt: f64, converged: Converged) {
        for (b, next) in self.next.iter_mut().enumerate() {
            next.u.copy_from_slice(self.system.trial(b));
            self.scheme.velocity(&self.system.states[b], self.system.trial(b), dt, &mut next.v);
        }
        let dim = self.system.bodies[0].dim();
        let mut record = StepRecord { converged, dt, ..StepRecord::default() };
        let (mut normal_work, mut friction) = (0.0, 0.0);
        for nodes in &mut self.nodes {
            nodes.status.fill(0.0);
        }
        for outcome in self.contact.outcomes(dim, &self.system.states, &self.next) {
            let lost = -(1..dim).map(|c| outcome.reaction[c] * outcome.slide[c]).sum::<f64>();
            normal_work += outcome.reaction[0] * outcome.slide[0];
            friction += lost;
            let status = match outcome.status {
                Status::Open => continue,
                Status::Stick => {
                    record.stick += 1;
                    1.0
                }
                Status::Slip => {
                    record.slip += 1;
                    2.0
                }
            };
            let path = (1..dim).map(|c| outcome.slide[c].powi(2)).sum::<f64>().sqrt();
            let nodes = &mut self.nodes[outcome.point.anchor.body];
            for (node, weight) in outcome.point.anchor.parts() {
                nodes.status[node] = f64::max(nodes.status[node], status);
                nodes.slip[node] += weight * path;
                nodes.energy[node] += weight * lost;
            }
        }
        self.ledger.book(&self.scheme, &self.system, &self.next, normal_work, friction);
        for (b, next) in self.next.iter().enumerate() {
            self.nodes[b].force.copy_from_slice(self.system.reaction(b));
            self.system.states[b].copy_from(next);
            self.stresses[b].update(&self.system.bodies[b], &next.u);
        }
        record.penetration = self.contact.penetration(&self.system.bodies, &self.system.states);
        self.last = record;
        self.steps += 1;
    }
}

impl NodeContact {
    fn new(body: &Deformable) -> Self {
        let n = body.mesh.node_count();
        NodeContact {
            force: vec![0.0; body.dof_count()],
            status: vec![0.0; n],
            slip: vec![0.0; n],
            energy: vec![0.0; n],
        }
    }
}
