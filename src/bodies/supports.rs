//! Supports: nodes that are held, or moved as a function of time.
//!
//! The displacement of a moved node is that of its motion at the end of the step, and its velocity there is the motion's own
//! derivative, not the one the time scheme would compute from the displacements: `v₁ = −v₀ + 2Δu/Δt` (θ = ½) never forgets an
//! error of `v₀` and alternates for ever. The scheme's order is kept, and the ledger stays an identity because the difference
//! `Δu − Δt(v₀+v₁)/2` of these nodes is booked with the inertia it works against.

use nalgebra::{Rotation3, Unit, Vector3};

use super::span::Span;
use super::state::BodyState;
use crate::mesh::Mesh;
use crate::time::{Side, TimeFunction};

/// How the nodes of a support move.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// Displacement from the reference position, for each axis that is held; zero at time 0.
    Displacement([TimeFunction; 3]),
    /// Velocity, for each axis that is held.
    Velocity([TimeFunction; 3]),
    /// Rotation about an axis in space.
    Rotation {
        /// A point of the axis.
        centre: Vector3<f64>,
        /// Its direction.
        axis: Unit<Vector3<f64>>,
        /// How far or how fast.
        turn: Turn,
    },
}

/// The rotation of a support.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// Angle in radians, zero at time 0.
    Angle(TimeFunction),
    /// Angular velocity in radians a second.
    Rate(TimeFunction),
}

/// Nodal unknowns that one entry of a case holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    /// Number of the entry in the case.
    pub entry: usize,
    /// Nodal unknowns, ascending; no other support holds them.
    pub dofs: Vec<u32>,
    /// How they move.
    pub motion: Motion,
}

impl Support {
    /// Whether it ever moves.
    pub fn moves(&self) -> bool {
        self.motion != Motion::Fixed
    }

    /// Calls `visit(dof, u₁, v₁)` for every unknown it moves through a step from `old`.
    pub fn advance(
        &self,
        mesh: &Mesh,
        dim: usize,
        old: &BodyState,
        span: &Span,
        mut visit: impl FnMut(usize, f64, f64),
    ) {
        let (start, end) = (span.start, span.end());
        match &self.motion {
            Motion::Fixed => {}
            Motion::Displacement(along) => {
                let motion = [0, 1, 2].map(|i| (along[i].value(end), along[i].rate(end, Side::Before)));
                for dof in self.dofs.iter().map(|&d| d as usize) {
                    visit(dof, motion[dof % dim].0, motion[dof % dim].1);
                }
            }
            Motion::Velocity(along) => {
                let motion = [0, 1, 2].map(|i| (along[i].integral(start, end), along[i].value(end)));
                for dof in self.dofs.iter().map(|&d| d as usize) {
                    visit(dof, old.u[dof] + motion[dof % dim].0, motion[dof % dim].1);
                }
            }
            Motion::Rotation { centre, axis, turn } => {
                // an angle turns the reference position, an angular velocity the one reached so far
                let (angle, rate, from_reference) = match turn {
                    Turn::Angle(angle) => (angle.value(end), angle.rate(end, Side::Before), true),
                    Turn::Rate(rate) => (rate.integral(start, end), rate.value(end), false),
                };
                let rotation = Rotation3::from_axis_angle(axis, angle);
                let spin = rate * axis.into_inner();
                for dof in self.dofs.iter().map(|&d| d as usize) {
                    let (node, i) = (dof / dim, dof % dim);
                    let reference = Vector3::from(mesh.nodes[node]);
                    let mut arm = reference - centre;
                    if !from_reference {
                        arm += displacement(&old.u, node, dim);
                    }
                    let arm = rotation * arm;
                    visit(dof, (centre + arm - reference)[i], spin.cross(&arm)[i]);
                }
            }
        }
    }

    /// Calls `visit(dof, v)` with the velocity at time 0 of every unknown it moves.
    pub fn initial_velocity(&self, mesh: &Mesh, dim: usize, mut visit: impl FnMut(usize, f64)) {
        let rates = |along: &[TimeFunction; 3], rate: fn(&TimeFunction) -> f64| [0, 1, 2].map(|i| rate(&along[i]));
        let after = |f: &TimeFunction| f.rate(0.0, Side::After);
        let linear = match &self.motion {
            Motion::Fixed => [0.0; 3],
            Motion::Displacement(along) => rates(along, after),
            Motion::Velocity(along) => rates(along, |f| f.value(0.0)),
            Motion::Rotation { centre, axis, turn } => {
                let rate = match turn {
                    Turn::Angle(angle) => after(angle),
                    Turn::Rate(rate) => rate.value(0.0),
                };
                for dof in self.dofs.iter().map(|&d| d as usize) {
                    let arm = Vector3::from(mesh.nodes[dof / dim]) - centre;
                    visit(dof, rate * axis.cross(&arm)[dof % dim]);
                }
                return;
            }
        };
        for dof in self.dofs.iter().map(|&d| d as usize) {
            visit(dof, linear[dof % dim]);
        }
    }
}

fn displacement(u: &[f64], node: usize, dim: usize) -> Vector3<f64> {
    let mut out = Vector3::zeros();
    out.as_mut_slice()[..dim].copy_from_slice(&u[node * dim..(node + 1) * dim]);
    out
}
