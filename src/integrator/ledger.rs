//! The energy ledger: where every joule of a run went.
//!
//! Per step, with `Δu = u₁−u₀`, `Δv = v₁−v₀` and the scheme's own means (bars):
//!
//! `Δ(T+U) = W_ext + W_n − D_fr − D_damp − D_num`, where `W_n = Σ r_n Δu_n`, `D_fr = −Σ r_t·Δu_t` and
//! `D_num = (θ−½) ΔvᵀMΔv + [Δuᵀf̄ − ΔU]`. It is an identity up to the Newton residual times `Δu`: an error that is not
//! round-off is a defect of the program.

use super::{Integrator, System};

/// Energies and works, cumulated from the start of the run where they are works.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LedgerEntry {
    /// `½ vᵀMv`.
    pub kinetic: f64,
    /// Stored energy.
    pub strain: f64,
    /// Work of outer forces.
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
        self.kinetic + self.strain
    }
}

/// The running account.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// State of the account after the last step.
    pub now: LedgerEntry,
    initial: f64,
    scratch: Vec<f64>,
    change: Vec<f64>,
}

impl Ledger {
    /// Opens the account with the energies of the initial states.
    pub fn open(system: &System) -> Self {
        let mut ledger = Ledger::default();
        for (body, state) in system.bodies.iter().zip(&system.states) {
            ledger.scratch.resize(ledger.scratch.len().max(body.dof_count()), 0.0);
            ledger.now.strain += body.strain_energy(&state.u);
            ledger.now.kinetic += body.kinetic_energy(&state.v, &mut ledger.scratch[..body.dof_count()]);
        }
        ledger.change = ledger.scratch.clone();
        ledger.initial = ledger.now.total();
        ledger
    }

    /// Books a converged step whose new states are `next`. `normal_work` and `friction` come from contact.
    pub fn book(
        &mut self,
        scheme: &dyn Integrator,
        system: &System,
        next: &[crate::bodies::BodyState],
        normal_work: f64,
        friction: f64,
    ) {
        let (mut kinetic, mut strain, mut internal, mut inertia, mut external) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (b, body) in system.bodies.iter().enumerate() {
            let n = body.dof_count();
            let (old, new) = (&system.states[b], &next[b]);
            let (scratch, change) = (&mut self.scratch[..n], &mut self.change[..n]);
            strain += system.energy_at_end(b, scheme.force().rule).unwrap_or_else(|| body.strain_energy(&new.u));
            kinetic += body.kinetic_energy(&new.v, scratch);
            for (dof, force) in system.mean_force(b).iter().enumerate() {
                let du = new.u[dof] - old.u[dof];
                internal += du * force;
                external += du * body.external()[dof];
                change[dof] = new.v[dof] - old.v[dof];
            }
            inertia += 2.0 * body.kinetic_energy(change, scratch);
        }
        let now = &mut self.now;
        now.external_work += external;
        now.contact_work += normal_work;
        now.friction += friction;
        now.numerical += scheme.inertia_dissipation() * inertia + (internal - (strain - now.strain));
        now.kinetic = kinetic;
        now.strain = strain;
        now.error = now.total()
            - (self.initial + now.external_work + now.contact_work - now.friction - now.damping - now.numerical);
    }

    /// Energy at the start of the run.
    pub fn initial(&self) -> f64 {
        self.initial
    }
}
