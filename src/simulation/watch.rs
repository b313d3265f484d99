//! What a run says while it goes on: warnings about energies that do not look right, and at `RUST_LOG=info` or `debug` what happens.

use super::Simulation;
use crate::integrator::{Converged, LedgerEntry};

/// Share of the stored energy in hourglass control from which a result is doubtful.
const HOURGLASS: f64 = 0.05;

/// Looks at a simulation after each step. Each warning is given once.
#[derive(Debug, Default)]
pub(super) struct Watch {
    contact: bool,
    hourglass: bool,
    scheme: bool,
    /// Contact points of the step before.
    touching: usize,
}

impl Watch {
    /// Tells what is about to run.
    pub(super) fn begin(simulation: &Simulation) {
        let deformable = simulation.system.all().deformable().count();
        let all = simulation.system.states.len();
        let unknowns: usize = simulation.system.states.iter().map(|state| state.u.len()).sum();
        log::info!(
            "{deformable} deformable and {} rigid bodies, {unknowns} unknowns, {} obstacles, {} contacts, {} threads",
            all - deformable,
            simulation.carriers.iter().filter(|carrier| carrier.is_none()).count(),
            simulation.pairs.len(),
            rayon::current_num_threads()
        );
        for warning in simulation.system.all().deformable().filter_map(|(_, body)| body.locking()) {
            log::warn!("{warning}");
        }
    }

    /// Looks at the step just done.
    pub(super) fn step(&mut self, simulation: &Simulation) {
        self.tell(simulation);
        self.warn(simulation);
    }

    fn tell(&mut self, simulation: &Simulation) {
        let (last, t) = (&simulation.last, simulation.time);
        let touching = last.stick + last.slip;
        match (self.touching, touching) {
            (0, 1..) => log::info!("t = {t:.4e} s: contact begins, {touching} points"),
            (1.., 0) => log::info!("t = {t:.4e} s: contact ends"),
            _ => {}
        }
        self.touching = touching;
        if !log::log_enabled!(log::Level::Debug) {
            return;
        }
        let Converged { iterations, linearisations, residual, .. } = last.converged;
        let work = match simulation.explicit() {
            Some(_) => format!("{iterations} rounds of contact"),
            None => format!("{iterations} Newton iterations, {linearisations} new factors, |R| {residual:.1e} N"),
        };
        log::debug!(
            "step {}, t = {t:.6e} s, dt {:.3e} s: {work}; {} stick {} slip, {} contact iterations, residual {:.1e}",
            simulation.steps,
            last.dt,
            last.stick,
            last.slip,
            last.converged.contact_iterations,
            last.converged.contact_residual
        );
    }

    fn warn(&mut self, simulation: &Simulation) {
        let (t, initial, now) = (simulation.time, simulation.ledger.initial(), &simulation.ledger.now);
        let LedgerEntry { contact_work, numerical, strain, hourglass, external_work, .. } = *now;
        // in a rebound with θ > ½ or explicit steps the scheme takes back what the reactions put in
        let put_in = contact_work - numerical.max(0.0) - simulation.rounded;
        if !self.contact && put_in > 1e-3 * now.total().max(initial) {
            self.contact = true;
            log::warn!(
                "t = {t:.4e} s: normal reactions have put {put_in:.3e} J into the bodies; contact should not: \
                 look at the pictures, and try a shorter step"
            );
        }
        let largest = initial.max(external_work.abs());
        if !self.hourglass && hourglass > HOURGLASS * strain && hourglass > 1e-6 * largest {
            self.hourglass = true;
            log::warn!(
                "t = {t:.4e} s: hourglass control holds {:.1} % of the stored energy; a finer mesh or full integration helps",
                100.0 * hourglass / strain
            );
        }
        if !self.scheme && numerical < -0.01 * largest {
            self.scheme = true;
            log::warn!(
                "t = {t:.4e} s: the time scheme has created {:.2} % of the energy (numerical_dissipation is negative); \
                 a shorter step, `force: discrete_gradient` or theta, xi > 0.5 help",
                -100.0 * numerical / largest
            );
        }
    }
}

/// Energy that the time scheme has created (positive) or lost, relative to that at the start or what loads have put in: zero in an
/// exact solution, whatever friction, loads and damping do.
pub(super) fn drift(simulation: &Simulation) -> f64 {
    let LedgerEntry { numerical, external_work, .. } = simulation.ledger.now;
    let largest = simulation.ledger.initial().max(external_work.abs());
    if largest > 0.0 { -numerical / largest } else { 0.0 }
}
