//! The energy ledger: where every joule of a run went.
//!
//! Per step, with `Δu = u₁−u₀`, `Δv = v₁−v₀` and the scheme's own means (bars):
//!
//! `Δ(T+U) = W_ext + W_n − D_fr − D_damp − D_num`, where `W_n = Σ r_n Δu_n`, `D_fr = −Σ r_t·Δu_t`,
//! `D_damp = Δuᵀ(C v)‾` and `D_num = (θ−½) ΔvᵀMΔv + [Δuᵀf̄ − ΔU]`. `U` holds the energy of springs to ground, and `W_ext`
//! the work of loads and of moved supports (mean support force times `Δu`). A moved unknown has the velocity of its support,
//! not the scheme's: the work of its inertia over `Δu − Δt(v₀+v₁)/2 − (θ−½)ΔtΔv` belongs to `D_num` too. The balance is an identity up to the Newton residual times `Δu`: an error that is not
//! round-off is a defect of the program. Newmark's family has no such form of `D_num`: there it is what is left, and a test
//! compares it with the scheme's own identity on a linear body.

use super::work::{NodalWork, RigidWork, Work};
use super::{Integrator, StepWorks, System};
use crate::bodies::{Body, BodyState, Deformable, Rigid};
use crate::elements::ForceRule;
use crate::parallel;

/// Energies and works, cumulated from the start of the run where they are works.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LedgerEntry {
    /// `½ vᵀMv`.
    pub kinetic: f64,
    /// Stored energy of the bodies.
    pub strain: f64,
    /// Stored energy of springs to ground.
    pub spring: f64,
    /// Energy held by hourglass control.
    pub hourglass: f64,
    /// Energy turned into heat by plastic flow.
    pub plastic: f64,
    /// Work of loads and moved supports.
    pub external_work: f64,
    /// Work of normal reactions `Σ r_n Δu_n`; at position level negative in the step that closes a gap.
    pub contact_work: f64,
    /// Energy turned into heat by friction.
    pub friction: f64,
    /// Energy lost to damping.
    pub damping: f64,
    /// Energy lost to the scheme.
    pub numerical: f64,
    /// What is left when everything has been accounted for.
    pub error: f64,
}

impl LedgerEntry {
    /// Kinetic and stored energy.
    pub fn total(&self) -> f64 {
        self.kinetic + self.strain + self.spring + self.hourglass
    }
}

/// Works of contact over a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ContactWork {
    /// `Σ r_n Δu_n`, relative to the obstacles.
    pub normal: f64,
    /// `−Σ r_t·Δu_t`, relative to the obstacles.
    pub friction: f64,
    /// `Σ r·Δu_wall`, the work that the obstacles' own motion does.
    pub wall: f64,
}

/// The running account.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// State of the account after the last step.
    pub now: LedgerEntry,
    initial: f64,
    bodies: Vec<Account>,
}

/// Energies at the end of a step, and works over it.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    kinetic: f64,
    strain: f64,
    spring: f64,
    internal: f64,
    inertia: f64,
    external: f64,
    damping: f64,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.kinetic += other.kinetic;
        self.strain += other.strain;
        self.spring += other.spring;
        self.internal += other.internal;
        self.inertia += other.inertia;
        self.external += other.external;
        self.damping += other.damping;
    }
}

/// The share of one body, with its work space.
#[derive(Debug, Clone, Default)]
struct Account {
    sums: Sums,
    scratch: Vec<f64>,
    change: Vec<f64>,
}

impl Account {
    /// Books what a step from `old` to `new` did.
    fn book(&mut self, scheme: &dyn Integrator, (body, work): (&Body, &Work), [old, new]: [&BodyState; 2], dt: f64) {
        match (body, work) {
            (Body::Rigid(body), Work::Rigid(work)) => self.book_rigid(scheme, (body, work), new, dt),
            (Body::Deformable(body), Work::Nodal(work)) => self.book_nodal(scheme, (body, work), [old, new], dt),
            _ => {}
        }
    }

    fn book_nodal(
        &mut self,
        scheme: &dyn Integrator,
        (body, step): (&Deformable, &NodalWork),
        [old, new]: [&BodyState; 2],
        dt: f64,
    ) {
        let factor = scheme.inertia_dissipation().unwrap_or(0.0);
        let outer = &step.outer;
        let Account { sums, scratch, change } = self;
        let moved = |dof: usize| new.u[dof] - old.u[dof];
        let work = |force: &[f64]| force.iter().enumerate().map(|(dof, f)| moved(dof) * f).sum::<f64>();
        let known = scheme.force().rule == ForceRule::End;
        sums.strain = if known { step.energy } else { body.strain_energy(&new.u) };
        sums.kinetic = body.kinetic_energy(&new.v, scratch);
        sums.spring = body.loads().spring_energy(&new.u);
        sums.internal = work(&step.mean) + work(&outer.spring);
        sums.external = work(&outer.external);
        sums.damping = work(&outer.damping);
        for (dof, change) in change.iter_mut().enumerate() {
            *change = new.v[dof] - old.v[dof];
        }
        sums.inertia = factor * 2.0 * body.kinetic_energy(change, scratch);
        // `scratch` holds M Δv
        for dof in step.moved.iter().map(|&(dof, _)| dof as usize) {
            sums.external += moved(dof) * step.support_force(dof);
            let travelled = dt * (0.5 * (new.v[dof] + old.v[dof]) + factor * change[dof]);
            sums.inertia += (moved(dof) - travelled) * scratch[dof] / dt;
        }
    }

    fn book_rigid(&mut self, scheme: &dyn Integrator, (body, step): (&Rigid, &RigidWork), new: &BodyState, dt: f64) {
        let factor = scheme.inertia_dissipation().unwrap_or(0.0);
        let (sums, old) = (&mut self.sums, &step.old);
        let moved = |dof: usize| new.u[dof] - old.u[dof];
        let work = |force: &[f64]| force.iter().enumerate().map(|(dof, f)| moved(dof) * f).sum::<f64>();
        sums.kinetic = body.kinetic_energy(&new.u, &new.v);
        sums.spring = body.loads.spring_energy(&new.u);
        sums.internal = work(&step.spring);
        sums.external = work(&step.external);
        sums.damping = work(&step.damping);
        sums.inertia = factor * body.change_energy(old, &step.carried);
        for axis in body.guided() {
            sums.external += moved(axis) * step.guide_force(axis);
            let (v0, v1) = (old.v[axis], new.v[axis]);
            let travelled = dt * (0.5 * (v0 + v1) + factor * (v1 - v0));
            sums.inertia += (moved(axis) - travelled) * step.inertia[axis];
        }
    }
}

impl Ledger {
    /// Opens the account with the energies of the initial states.
    pub fn open(system: &System) -> Self {
        let mut ledger = Ledger::default();
        for (body, state) in system.bodies.iter().zip(&system.states) {
            let account = match body {
                Body::Deformable(body) => {
                    let mut scratch = vec![0.0; body.dof_count()];
                    ledger.now.strain += body.strain_energy(&state.u);
                    ledger.now.spring += body.loads().spring_energy(&state.u);
                    ledger.now.kinetic += body.kinetic_energy(&state.v, &mut scratch);
                    Account { sums: Sums::default(), change: scratch.clone(), scratch }
                }
                Body::Rigid(body) => {
                    ledger.now.spring += body.loads.spring_energy(&state.u);
                    ledger.now.kinetic += body.kinetic_energy(&state.u, &state.v);
                    Account::default()
                }
            };
            ledger.bodies.push(account);
        }
        ledger.initial = ledger.now.total();
        ledger
    }

    /// Books a converged step of length `dt` whose new states are `next`. `contact` is what contact did.
    pub fn book(
        &mut self,
        scheme: &dyn Integrator,
        system: &System,
        next: &[BodyState],
        dt: f64,
        contact: ContactWork,
    ) {
        parallel::each(&mut self.bodies, |b, account| {
            account.book(scheme, (&system.bodies[b], &system.work[b]), [&system.states[b], &next[b]], dt);
        });
        let mut sums = Sums::default();
        self.bodies.iter().for_each(|account| sums.add(&account.sums));
        let Sums { kinetic, strain, spring, internal, inertia, external, damping } = sums;
        let now = &mut self.now;
        now.external_work += external + contact.wall;
        now.contact_work += contact.normal;
        now.friction += contact.friction;
        now.damping += damping;
        now.numerical += match scheme.inertia_dissipation() {
            Some(_) => inertia + (internal - (strain - now.strain) - (spring - now.spring)),
            None => {
                let gained = kinetic + strain + spring - now.total();
                external + contact.wall + contact.normal - contact.friction - damping - gained
            }
        };
        now.kinetic = kinetic;
        now.strain = strain;
        now.spring = spring;
        self.close();
    }

    /// Books an explicit step. Energies are those of its middle (see [`super::explicit`]).
    pub fn book_explicit(&mut self, works: &StepWorks, contact: ContactWork) {
        let now = &mut self.now;
        let stored = works.strain + works.spring + works.hourglass;
        let before = now.strain + now.spring + now.hourglass;
        now.external_work += works.external + contact.wall;
        now.contact_work += contact.normal;
        now.friction += contact.friction;
        now.damping += works.damping;
        now.plastic += works.plastic;
        now.numerical += works.inertia + (works.internal - (stored - before) - works.plastic);
        now.kinetic = works.kinetic;
        now.strain = works.strain;
        now.spring = works.spring;
        now.hourglass = works.hourglass;
        self.close();
    }

    fn close(&mut self) {
        let now = &mut self.now;
        let lost = now.friction + now.damping + now.plastic + now.numerical;
        now.error = now.total() - (self.initial + now.external_work + now.contact_work - lost);
    }

    /// Takes over the energy at the start of a run that is taken up again.
    pub fn reopen(&mut self, initial: f64) {
        self.initial = initial;
    }

    /// Energy at the start of the run.
    pub fn initial(&self) -> f64 {
        self.initial
    }
}
