//! A rigid body: mass, inertia, and the step of its centre and its axes.
//!
//! Its unknowns are the displacement of its centre of mass and, for each step, the vector `ϑ` that turns it, one component in
//! the plane and three in space: `R₁ = cay(ϑ) R₀`, `cay(ϑ) = (I − ½[ϑ]×)⁻¹(I + ½[ϑ]×)`, a rotation by `2 atan(|ϑ|/2)` about `ϑ`.
//! The scheme's map from displacement to velocity holds in the body's own axes, `ϑ = Δt[(1−θ)Ω₀ + θΩ₁]`, and the balance is
//! that of the momentum in space, `L₁ − L₀ = Δt m̄`, `L = R J Ω` (SimoWong1991 for θ = ½). Then
//!
//! - angular momentum is kept exactly for any θ;
//! - `ΔT = ϑ·m̄ − (θ−½) ΔΩᵀJΔΩ`: without torque and with θ = ½ the energy is kept exactly;
//! - a place of the body goes by exactly `Δu + ϑ × ā` with `ā` its mean arm over the step, so a force there with the moment
//!   `ā × r` does exactly the work `r·Δx`.
//!
//! Limit: a step may not turn the body by more than a radian or so; a longer one is refused and tried again shorter.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::deformable::BodyError;
use super::guide::{Guide, Turning};
use super::loads::Loads;
use super::numbering::Numbering;
use super::push::Push;
use super::span::Span;
use super::state::BodyState;
use crate::linalg::Factorization;
use crate::linalg::sparse::{NodeGraph, SymmetricMatrix};

/// What a rigid body is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidSpec {
    /// Name in the case.
    pub name: String,
    /// 2 in the plane, 3 in space.
    pub dim: usize,
    /// Its mass.
    pub mass: f64,
    /// Centre of mass at rest.
    pub centre: Vector3<f64>,
    /// Inertia about the centre along the axes of space at rest; in the plane only the last entry counts.
    pub inertia: Matrix3<f64>,
    /// Which unknowns are free: along the axes, then about them (in the plane about the one across it).
    pub free: Vec<bool>,
    /// The length displacements are measured by.
    pub size: f64,
}

/// A body with three unknowns in the plane and six in space.
pub struct Rigid {
    /// Name in the case.
    pub name: String,
    dim: usize,
    mass: f64,
    centre: Vector3<f64>,
    inertia: Matrix3<f64>,
    size: f64,
    numbering: Numbering,
    matrix: SymmetricMatrix,
    factor: Factorization,
    /// What acts on it; springs and dashpots on displacements of the centre only.
    pub loads: Loads,
    /// Forces at its points, and those that turn with it.
    pub pushes: Vec<Push>,
    /// How its centre is moved along axes that are not free.
    pub guides: Vec<Guide>,
    /// How it is turned, if none of its rotations is free.
    pub turning: Option<Turning>,
    /// Its named points, from the centre of mass along the axes of space at rest.
    pub points: Vec<(String, Vector3<f64>)>,
}

impl std::fmt::Debug for Rigid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rigid({}, {} kg)", self.name, self.mass)
    }
}

/// `[a]×`.
pub(super) fn cross_matrix(a: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// `cay(ϑ) = I + ([ϑ]× + ½[ϑ]×²)/(1 + ¼|ϑ|²)`.
fn cayley(turn: &Vector3<f64>) -> Matrix3<f64> {
    let hat = cross_matrix(turn);
    Matrix3::identity() + (hat + 0.5 * hat * hat) / (1.0 + 0.25 * turn.norm_squared())
}

impl Rigid {
    /// Largest `|ϑ|` of a step: half a radian to either side of its middle.
    const LARGEST_TURN: f64 = 1.1;

    /// Builds it; the numbers must make sense: a positive mass, and inertia about every free axis.
    pub fn new(spec: RigidSpec) -> Result<Self, BodyError> {
        let RigidSpec { name, dim, mass, centre, inertia, free, size } = spec;
        let unknowns = if dim == 2 { 3 } else { 6 };
        let held: Vec<bool> = (0..unknowns).map(|k| !free.get(k).copied().unwrap_or(false)).collect();
        let graph = NodeGraph::new(1, std::iter::once([0u32].as_slice()));
        let factorization = |source| BodyError::Factorization { body: name.clone(), source };
        let numbering = Numbering::new(&graph, &[centre.into()], unknowns, &held).map_err(factorization)?;
        let matrix = SymmetricMatrix::over_graph(&graph, numbering.equation_count(), |n| numbering.of_node(n));
        let factor = Factorization::analyse(&matrix).map_err(factorization)?;
        Ok(Rigid {
            dim,
            mass,
            centre,
            inertia,
            size,
            numbering,
            matrix,
            factor,
            loads: Loads::default(),
            pushes: Vec::new(),
            guides: Vec::new(),
            turning: None,
            points: Vec::new(),
            name,
        })
    }

    /// 2 in the plane, 3 in space.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Its mass.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Centre of mass at rest.
    pub fn rest_centre(&self) -> Vector3<f64> {
        self.centre
    }

    /// Inertia about the centre, along the axes of space at rest.
    pub fn inertia(&self) -> &Matrix3<f64> {
        &self.inertia
    }

    /// The length displacements are measured by.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// Unknowns, held ones included: displacement of the centre, then what turns the body.
    pub fn dof_count(&self) -> usize {
        if self.dim == 2 { 3 } else { 6 }
    }

    /// Equation numbers.
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// The last factor of the effective matrix.
    pub fn factorization(&self) -> &Factorization {
        &self.factor
    }

    /// Whether an unknown is solved for.
    pub fn is_free(&self, dof: usize) -> bool {
        self.numbering.of_node(0)[dof] != Numbering::HELD
    }

    /// Whether it may turn about every axis of space.
    pub(super) fn turns_freely(&self) -> bool {
        self.dim == 3 && (3..6).all(|dof| self.is_free(dof))
    }

    /// At rest in its place, or moving. Displacements carry behind the unknowns how the body is turned: the angle in the
    /// plane, a quaternion (real part first) in space. The entries of what turns it start each step at zero ([`Self::settle`]).
    pub fn initial_state(&self, velocity: Vector3<f64>, spin: Vector3<f64>) -> BodyState {
        let n = self.dof_count();
        let mut state = BodyState::moving(vec![0.0; n + if self.dim == 2 { 1 } else { 4 }], vec![0.0; n]);
        if self.dim == 3 {
            state.u[n] = 1.0;
        }
        self.put(velocity, spin, &mut state.v);
        for dof in 0..n {
            if !self.is_free(dof) {
                state.v[dof] = 0.0;
            }
        }
        for guide in &self.guides {
            state.v[guide.axis] = guide.initial_velocity();
        }
        if let Some(turning) = &self.turning {
            self.put_angular(turning.initial_velocity(), &mut state.v);
        }
        state
    }

    /// Linear and angular parts of a vector over the unknowns.
    pub fn parts(&self, x: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        match self.dim {
            2 => (Vector3::new(x[0], x[1], 0.0), Vector3::new(0.0, 0.0, x[2])),
            _ => (Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5])),
        }
    }

    fn put(&self, linear: Vector3<f64>, angular: Vector3<f64>, out: &mut [f64]) {
        out[..self.dim].copy_from_slice(&linear.as_slice()[..self.dim]);
        match self.dim {
            2 => out[2] = angular.z,
            _ => out[3..6].copy_from_slice(angular.as_slice()),
        }
    }

    fn put_angular(&self, angular: Vector3<f64>, out: &mut [f64]) {
        match self.dim {
            2 => out[2] = angular.z,
            _ => out[3..6].copy_from_slice(angular.as_slice()),
        }
    }

    /// Adds a force and a moment to a vector over the unknowns.
    pub(super) fn add(&self, force: Vector3<f64>, moment: Vector3<f64>, out: &mut [f64]) {
        let (linear, angular) = self.parts(out);
        self.put(linear + force, angular + moment, out);
    }

    /// Unknowns that are moved as functions of time.
    pub fn guided(&self) -> impl Iterator<Item = usize> + '_ {
        let turned = if self.turning.is_some() { self.dim..self.dof_count() } else { 0..0 };
        self.guides.iter().map(|guide| guide.axis).chain(turned)
    }

    /// Where a place with this arm at rest is, and its velocity.
    pub fn place(&self, arm: &Vector3<f64>, state: &BodyState) -> (Vector3<f64>, Vector3<f64>) {
        let arm = self.rotation(&state.u) * arm;
        let (velocity, spin) = self.parts(&state.v);
        (self.centre(&state.u) + arm, velocity + spin.cross(&arm))
    }

    /// Where its centre is.
    pub fn centre(&self, u: &[f64]) -> Vector3<f64> {
        self.centre + self.parts(u).0
    }

    /// How it is turned.
    pub fn rotation(&self, u: &[f64]) -> Matrix3<f64> {
        match self.dim {
            2 => nalgebra::Rotation3::from_axis_angle(&Vector3::z_axis(), u[3]).into_inner(),
            _ => orientation(u).to_rotation_matrix().into_inner(),
        }
    }

    /// The rotation vector from rest: in the plane about the axis across it, with whole turns counted.
    pub fn turned(&self, u: &[f64]) -> Vector3<f64> {
        match self.dim {
            2 => Vector3::new(0.0, 0.0, u[3]),
            _ => orientation(u).scaled_axis(),
        }
    }

    /// `ϑ` of a step.
    pub(super) fn turn(&self, u0: &[f64], u1: &[f64]) -> Vector3<f64> {
        self.parts(u1).1 - self.parts(u0).1
    }

    /// Writes behind the unknowns of `u1` how the body is turned at the end of a step from `u0`.
    pub fn orient(&self, u0: &[f64], u1: &mut [f64]) {
        let half = 0.5 * self.turn(u0, u1);
        if self.dim == 2 {
            u1[3] = u0[3] + 2.0 * half.z.atan();
        } else {
            // the quaternion of cay(ϑ) is that of (1, ½ϑ)
            let step = UnitQuaternion::new_normalize(Quaternion::from_parts(1.0, half));
            let end = UnitQuaternion::new_normalize((step * orientation(u0)).into_inner());
            u1[6] = end.w;
            u1[7..10].copy_from_slice(end.imag().as_slice());
        }
    }

    /// Takes the turn of a step that is done out of the unknowns; the orientation behind them has it. The next step finds
    /// its own small turn: a sum over all steps would round it by `ε` times that sum.
    pub fn settle(&self, u: &mut [f64]) {
        u[self.dim..self.dof_count()].fill(0.0);
    }

    /// Where it would be after `dt` at the velocities `v`; in the plane the last entries are not used.
    pub fn drifted(&self, u: &[f64], v: &[f64], dt: f64) -> [f64; 10] {
        let mut later = [0.0; 10];
        later[..u.len()].copy_from_slice(u);
        for (x, v) in later.iter_mut().zip(v) {
            *x += dt * v;
        }
        self.orient(u, &mut later);
        later
    }

    pub(super) fn inertia_in_space(&self, u: &[f64]) -> Matrix3<f64> {
        let rotation = self.rotation(u);
        rotation * self.inertia * rotation.transpose()
    }

    /// Linear momentum, and angular momentum about the centre.
    pub fn momentum(&self, u: &[f64], v: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let (linear, angular) = self.parts(v);
        (self.mass * linear, self.inertia_in_space(u) * angular)
    }

    /// Kinetic energy.
    pub fn kinetic_energy(&self, u: &[f64], v: &[f64]) -> f64 {
        let ((p, l), (velocity, spin)) = (self.momentum(u, v), self.parts(v));
        0.5 * (p.dot(&velocity) + l.dot(&spin))
    }

    /// `ΔvᵀMΔv` of a step from `old` to `carried` velocities, those of the end in the axes of the start.
    pub fn change_energy(&self, old: &BodyState, carried: &[f64]) -> f64 {
        let ((v1, w1), (v0, w0)) = (self.parts(carried), self.parts(&old.v));
        let (dv, dw) = (v1 - v0, w1 - w0);
        self.mass * dv.norm_squared() + dw.dot(&(self.inertia_in_space(&old.u) * dw))
    }

    /// Velocities at the end of a step, those of rotation in the axes of its start: `v₁ = (1 − rate Δt) v₀ + rate (u₁ − u₀)`.
    pub fn carried(&self, span: &Span, old: &BodyState, u: &[f64], out: &mut [f64]) {
        for (dof, v) in out.iter_mut().enumerate() {
            *v = (1.0 - span.rate * span.dt) * old.v[dof] + span.rate * (u[dof] - old.u[dof]);
        }
        self.guide_velocity(span, old, out);
    }

    /// Velocities of guided unknowns at the end of a step.
    pub fn guide_velocity(&self, span: &Span, old: &BodyState, out: &mut [f64]) {
        for guide in &self.guides {
            out[guide.axis] = guide.advance(span, old).1;
        }
        if let Some(turning) = &self.turning {
            self.put_angular(turning.advance(span).1, out);
        }
    }

    /// Mean rate of the momentum over a step, `(L₁ − L₀)/Δt` for the angular part.
    pub fn inertia_force(&self, old: &BodyState, u: &[f64], carried: &[f64], dt: f64, out: &mut [f64]) {
        let ((v1, w1), (v0, w0)) = (self.parts(carried), self.parts(&old.v));
        let inertia = self.inertia_in_space(&old.u);
        let end = cayley(&self.turn(&old.u, u)) * (inertia * w1);
        self.put(self.mass / dt * (v1 - v0), (end - inertia * w0) / dt, out);
    }

    /// Assembles and factors the effective matrix: the symmetric part of the derivative of the inertia force, with springs
    /// and dashpots. The part that is left out is of the order of `ϑ`, and so is the rate of convergence.
    pub fn factor(&mut self, span: &Span, old: &BodyState, u: &[f64], carried: &[f64]) -> Result<(), BodyError> {
        let turn = self.turn(&old.u, u);
        let linear = self.mass * span.rate / span.dt;
        let angular = self.tangent(span, old, &turn, &self.parts(carried).1);
        let angular = 0.5 * (angular + angular.transpose());
        let n = self.dof_count();
        self.matrix.values_mut().fill(0.0);
        for a in 0..n {
            for b in 0..=a {
                let value = match (a < self.dim, b < self.dim) {
                    (true, true) if a == b => linear,
                    (false, false) if self.dim == 2 => angular[(2, 2)],
                    (false, false) => angular[(a - 3, b - 3)],
                    _ => 0.0,
                };
                self.add_entry(a, b, value);
            }
        }
        for k in 0..self.loads.springs.len() {
            let (dof, stiffness) = self.loads.springs[k];
            self.add_entry(dof as usize, dof as usize, span.weight * stiffness);
        }
        for k in 0..self.loads.dashpots.len() {
            let (dof, coefficient) = self.loads.dashpots[k];
            self.add_entry(dof as usize, dof as usize, span.weight * span.rate * coefficient);
        }
        self.factor
            .refactor(&self.matrix)
            .map_err(|source| BodyError::Factorization { body: self.name.clone(), source })
    }

    fn add_entry(&mut self, a: usize, b: usize, value: f64) {
        let equations = self.numbering.of_node(0);
        let (a, b) = (equations[a], equations[b]);
        if a != Numbering::HELD
            && b != Numbering::HELD
            && let Some(at) = self.matrix.position(a, b)
        {
            self.matrix.values_mut()[at as usize] += value;
        }
    }

    /// `∂/∂ϑ (cay(ϑ) J₀ w₁ − L₀)/Δt`, with `δ(cay(ϑ)y) = −[cay(ϑ)y]× (I + ½[ϑ]×)/(1 + ¼|ϑ|²) δϑ`.
    fn tangent(&self, span: &Span, old: &BodyState, turn: &Vector3<f64>, w1: &Vector3<f64>) -> Matrix3<f64> {
        let inertia = self.inertia_in_space(&old.u);
        if self.dim == 2 {
            return inertia * (span.rate / span.dt);
        }
        let rotation = cayley(turn);
        let end = rotation * (inertia * w1);
        let spin = (Matrix3::identity() + 0.5 * cross_matrix(turn)) / (1.0 + 0.25 * turn.norm_squared());
        (rotation * inertia * span.rate - cross_matrix(&end) * spin) / span.dt
    }

    /// The first guess of a step without contact. Where the body turns freely in space its rotation is the solution under
    /// the mean `torque`: Newton's method of the step has only the symmetric part of this tangent.
    pub fn predict(&self, span: &Span, old: &BodyState, torque: &Vector3<f64>, u: &mut [f64]) {
        for dof in 0..self.dof_count() {
            u[dof] = old.u[dof] + if self.is_free(dof) { span.dt * old.v[dof] } else { 0.0 };
        }
        if self.turns_freely() {
            let w0 = self.parts(&old.v).1;
            let inertia = self.inertia_in_space(&old.u);
            let target = inertia * w0 + span.dt * torque;
            let mut turn = span.dt * w0;
            for _ in 0..Self::ITERATIONS {
                let w1 = (1.0 - span.rate * span.dt) * w0 + span.rate * turn;
                let missing = (target - cayley(&turn) * (inertia * w1)) / span.dt;
                let Some(inverse) = self.tangent(span, old, &turn, &w1).try_inverse() else { break };
                let change = inverse * missing;
                turn += change;
                if change.norm() <= 1e-15 * turn.norm() {
                    break;
                }
            }
            if turn.iter().all(|x| x.is_finite()) {
                for k in 0..3 {
                    u[3 + k] = old.u[3 + k] + turn[k];
                }
            }
        }
        self.orient(&old.u, u);
    }

    /// Iterations of the guess; it converges quadratically.
    const ITERATIONS: usize = 20;

    /// Whether a step turns the body too far for the scheme.
    pub fn check_turn(&self, old: &BodyState, u: &[f64]) -> Result<(), BodyError> {
        let turn = self.turn(&old.u, u).norm();
        if !turn.is_finite() || !u.iter().all(|x| x.is_finite()) {
            return Err(BodyError::NonFinite { body: self.name.clone(), what: "displacement" });
        }
        if turn > Self::LARGEST_TURN {
            return Err(BodyError::Turn { body: self.name.clone(), degrees: (2.0 * (0.5 * turn).atan()).to_degrees() });
        }
        Ok(())
    }

    /// Velocities at the end of a step under the mean `force` over its unknowns. They come from the momentum, so that an
    /// error of the iterations never enters it.
    pub fn end_velocity(&self, span: &Span, old: &BodyState, u: &[f64], force: &[f64], out: &mut [f64]) {
        let ((p, l), (f, m)) = (self.momentum(&old.u, &old.v), self.parts(force));
        let (p, l) = (p + span.dt * f, l + span.dt * m);
        let inertia = self.inertia_in_space(u);
        let spin = match self.turns_freely() {
            true => inertia.try_inverse().map_or_else(Vector3::zeros, |inverse| inverse * l),
            false => Vector3::from_fn(|k, _| if inertia[(k, k)] > 0.0 { l[k] / inertia[(k, k)] } else { 0.0 }),
        };
        self.put(p / self.mass, spin, out);
        for (dof, v) in out.iter_mut().enumerate() {
            if !self.is_free(dof) {
                *v = 0.0;
            }
        }
        self.guide_velocity(span, old, out);
    }

    /// Puts the guided unknowns where they are at the end of a step.
    pub fn guide(&self, span: &Span, old: &BodyState, u: &mut [f64]) {
        for guide in &self.guides {
            u[guide.axis] = guide.advance(span, old).0;
        }
        if let Some(turning) = &self.turning {
            self.put_angular(turning.advance(span).0, u);
            self.orient(&old.u, u);
        }
    }
}

/// The quaternion behind the unknowns of a body in space.
fn orientation(u: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(u[6], u[7], u[8], u[9]))
}
