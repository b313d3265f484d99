//! All bodies on their way through a step, with the memory every iteration works in.

use super::work::{Moving, NodalWork, Progress, Work};
use super::{Integrator, Linearised};
use crate::bodies::{Bodies, Body, BodyError, BodyState, Deformable};
use crate::elements::Section;
use crate::parallel::Order;

/// All bodies and their work space.
pub struct System {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// Their states at the start of the next step.
    pub states: Vec<BodyState>,
    /// Time at the start of the next step.
    pub time: f64,
    /// Largest kinetic and stored energy met so far.
    pub(super) largest_energy: f64,
    pub(super) work: Vec<Work>,
    /// In which order threads take the bodies.
    pub(super) order: Order,
}

impl std::fmt::Debug for System {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "System({} bodies)", self.states.len())
    }
}

impl System {
    /// Bodies with their initial states.
    pub fn new(bodies: Vec<Body>, states: Vec<BodyState>) -> Self {
        let work = bodies.iter().zip(&states).map(|(body, state)| Work::new(body, state)).collect();
        System { work, ..Self::lean(bodies, states) }
    }

    /// Bodies with their initial states, without the work space of iterations: for explicit steps.
    pub fn lean(bodies: Vec<Body>, states: Vec<BodyState>) -> Self {
        let order = Order::new(bodies.iter().map(|body| body.rigid().is_some()));
        System { bodies, states, time: 0.0, work: Vec::new(), largest_energy: 0.0, order }
    }

    /// 2 in the plane, 3 in space.
    pub fn dim(&self) -> usize {
        self.bodies.first().map_or(2, Body::dim)
    }

    /// What the meshes of the bodies stand for in space, if any has one.
    pub fn section(&self) -> Option<Section> {
        self.all().deformable().next().map(|(_, body)| body.section())
    }

    /// All bodies.
    pub fn all(&self) -> Bodies<'_> {
        Bodies(&self.bodies)
    }

    /// A body that is known to have nodes, see [`Bodies::with_nodes`].
    pub fn with_nodes(&self, body: usize) -> &Deformable {
        self.all().with_nodes(body)
    }

    /// All bodies as contact sees them.
    pub(super) fn linearised(&mut self) -> Vec<Linearised<'_>> {
        self.bodies.iter().zip(&mut self.work).map(|(body, work)| work.linearised(body)).collect()
    }

    pub(super) fn progress(&self) -> impl Iterator<Item = &Progress> {
        self.work.iter().map(Work::progress)
    }

    /// Whether no further correction can change the state of any body.
    pub(super) fn is_exhausted(&self) -> bool {
        self.progress().all(|body| body.measures.is_exhausted())
    }

    /// Whether every body with nodes that is still on its way has a factor with these coefficients. Rigid bodies make theirs anew.
    pub(super) fn has_factors(&self, coefficients: (f64, f64)) -> bool {
        let mut nodal = self.work.iter().filter_map(Work::nodal).peekable();
        nodal.peek().is_some() && nodal.all(|work| work.progress.settled || work.factored == Some(coefficients))
    }

    /// Notes whether the forces at hand are those of the end of the step.
    pub(super) fn note_evaluated(&mut self, evaluated: bool) {
        for work in &mut self.work {
            if let Work::Nodal(work) = work {
                work.evaluated = evaluated;
            }
        }
    }

    /// The work of a body with nodes.
    fn nodal(&self, body: usize) -> Option<&NodalWork> {
        self.work.get(body).and_then(Work::nodal)
    }

    /// In which order threads take the bodies.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Largest kinetic and stored energy met so far.
    pub fn largest_energy(&self) -> f64 {
        self.largest_energy
    }

    /// Takes over the largest energy of a run that is taken up again.
    pub fn set_largest_energy(&mut self, energy: f64) {
        self.largest_energy = energy;
    }

    /// The matrix whose factor a deformable body takes along into the next step, headed by its coefficients; empty if it
    /// takes none.
    pub fn kept_matrix(&self, body: usize) -> Vec<f64> {
        let factored = self.nodal(body).and_then(|work| work.factored).zip(self.bodies[body].deformable());
        factored.map_or_else(Vec::new, |((mass, stiffness), body)| [&[mass, stiffness], body.factored()].concat())
    }

    /// Makes that factor again. `None` if the numbers do not fit.
    pub fn recall_matrix(&mut self, body: usize, memory: &[f64]) -> Option<()> {
        if let [mass, stiffness, values @ ..] = memory {
            let Moving::Nodal(body, work) = Moving::new(&mut self.bodies[body], self.work.get_mut(body)?) else {
                return None;
            };
            body.factor_again(values)?;
            work.factored = Some((*mass, *stiffness));
        }
        Some(())
    }

    /// Displacements at the end of the last step that was tried.
    pub fn trial(&self, body: usize) -> &[f64] {
        self.work[body].u()
    }

    /// Velocities at the end of the last step that was tried.
    pub fn end_velocity(&self, scheme: &dyn Integrator, body: usize, dt: f64, out: &mut [f64]) {
        match (&self.bodies[body], &self.work[body]) {
            (Body::Rigid(body), Work::Rigid(work)) => work.end_velocity(body, out),
            (_, work) => {
                scheme.velocity(&self.states[body], work.u(), dt, out);
                if let (Some(work), true) = (work.nodal(), scheme.is_dynamic()) {
                    work.impose_velocity(out);
                }
            }
        }
    }

    /// Completes the end state of the last step that was tried, for schemes that carry an acceleration; `next` has its
    /// displacements and velocities.
    pub fn finish(
        &mut self,
        scheme: &dyn Integrator,
        body: usize,
        dt: f64,
        next: &mut BodyState,
    ) -> Result<(), BodyError> {
        if scheme.carries_acceleration()
            && let Moving::Nodal(deformable, work) = Moving::new(&mut self.bodies[body], &mut self.work[body])
        {
            deformable.solve_mass(&work.reaction, &mut work.equations, &mut work.acceleration)?;
            scheme.finish(&self.states[body], &work.acceleration, dt, next);
            work.impose_velocity(&mut next.v);
        }
        Ok(())
    }

    /// Gives states the acceleration they start with where the scheme carries one and they have none, and takes the bodies in the
    /// order that the last step advises.
    pub(super) fn prepare(&mut self, scheme: &dyn Integrator) -> Result<(), BodyError> {
        self.order.longest_first(self.work.iter().map(|work| work.progress().spent));
        self.work.iter_mut().for_each(|work| work.progress_mut().spent = 0.0);
        if !scheme.carries_acceleration() {
            return Ok(());
        }
        for ((body, work), state) in self.bodies.iter_mut().zip(&mut self.work).zip(&mut self.states) {
            if let (Moving::Nodal(body, work), true) = (Moving::new(body, work), state.a.is_empty()) {
                work.first_acceleration(body, state, self.time)?;
            }
        }
        Ok(())
    }

    /// Mean force over the last step with which a support acted on a held unknown of a body with nodes.
    pub fn support_force(&self, body: usize, dof: usize) -> f64 {
        self.nodal(body).map_or(0.0, |work| work.support_force(dof))
    }

    /// Reaction `Hᵀr` of the last step, node by node.
    pub fn reaction(&self, body: usize) -> &[f64] {
        self.work[body].reaction()
    }
}
