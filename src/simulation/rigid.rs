//! Rigid bodies in the rows of `/history`.

use super::Simulation;
use super::history::spec;
use crate::output::HistorySpec;

/// Columns of the rigid bodies, in the order of [`row`].
pub(super) fn specs(simulation: &Simulation, specs: &mut Vec<HistorySpec>) {
    for (_, body) in simulation.system.all().rigid() {
        let (dim, group) = (body.dim(), format!("bodies/{}", body.name));
        let spin = if dim == 2 { 1 } else { 3 };
        specs.push(spec(&group, "centre_of_mass", dim, "m", "position of the centre of mass"));
        specs.push(spec(&group, "velocity", dim, "m/s", "velocity of the centre of mass"));
        let turned = if dim == 2 { "angle from rest, whole turns counted" } else { "rotation vector from rest" };
        specs.push(spec(&group, "rotation", spin, "rad", turned));
        specs.push(spec(&group, "angular_velocity", spin, "rad/s", "spin, along the axes of space"));
        specs.push(spec(&group, "kinetic_energy", 1, "J", "kinetic energy"));
        specs.push(spec(&group, "contact_force", dim, "N", "sum of contact forces, mean over the step"));
        specs.push(spec(&group, "contact_moment", spin, "N m", "their moment about the centre of mass"));
        specs.push(spec(&group, "friction_dissipation", 1, "J", "energy lost to friction at its surface so far"));
    }
}

/// Values of the rigid bodies.
pub(super) fn row(simulation: &Simulation, out: &mut Vec<f64>) {
    for (b, body) in simulation.system.all().rigid() {
        let (state, contact) = (&simulation.system.states[b], &simulation.nodes[b]);
        let dim = body.dim();
        let spin = |x: &nalgebra::Vector3<f64>, out: &mut Vec<f64>| {
            out.extend_from_slice(if dim == 2 { &x.as_slice()[2..] } else { x.as_slice() });
        };
        let (velocity, angular) = body.parts(&state.v);
        let (force, moment) = body.parts(&contact.force);
        out.extend_from_slice(&body.centre(&state.u).as_slice()[..dim]);
        out.extend_from_slice(&velocity.as_slice()[..dim]);
        spin(&body.turned(&state.u), out);
        spin(&angular, out);
        out.push(body.kinetic_energy(&state.u, &state.v));
        out.extend_from_slice(&force.as_slice()[..dim]);
        spin(&moment, out);
        out.push(contact.energy.iter().sum());
    }
}
