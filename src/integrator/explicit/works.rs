//! Works and energies of an explicit step.

/// Works and energies of a step, contact excepted; see [`crate::integrator::Ledger::book_explicit`].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepWorks {
    /// `½ v₊ᵀM v₊`.
    pub kinetic: f64,
    /// `½ ΔvᵀMΔv`.
    pub inertia: f64,
    /// `Δuᵀf̄` of elements and springs.
    pub internal: f64,
    /// `Δuᵀf̄_ext` of loads and moved supports.
    pub external: f64,
    /// Work of damping.
    pub damping: f64,
    /// Means over the step of the energies stored in elements, hourglass control and springs.
    pub strain: f64,
    /// See `strain`.
    pub hourglass: f64,
    /// See `strain`.
    pub spring: f64,
    /// Energy that plastic flow turned into heat.
    pub plastic: f64,
}

impl StepWorks {
    /// Sums over nodes with the factors that were left out: one half, and the share of the step in which forces act.
    pub(super) fn over(self, share: f64) -> Self {
        StepWorks {
            kinetic: 0.5 * self.kinetic,
            inertia: 0.5 * self.inertia,
            internal: share * self.internal,
            external: share * self.external,
            damping: share * self.damping,
            ..self
        }
    }

    pub(super) fn add(&mut self, other: &StepWorks) {
        self.kinetic += other.kinetic;
        self.inertia += other.inertia;
        self.internal += other.internal;
        self.external += other.external;
        self.damping += other.damping;
        self.strain += other.strain;
        self.hourglass += other.hourglass;
        self.spring += other.spring;
        self.plastic += other.plastic;
    }
}
