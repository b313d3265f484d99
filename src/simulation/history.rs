//! The rows of `/history`: what is measured in every step. Names are a contract with everyone who reads our files.

use nalgebra::Vector3;

use super::nodes::NodeContact;
use super::{Simulation, rigid};
use crate::bodies::{Body, Deformable, Motion as SupportMotion, Support};
use crate::elements::Section;
use crate::model::Spot;
use crate::output::HistorySpec;

pub(super) fn spec(group: &str, name: &str, components: usize, unit: &str, description: &str) -> HistorySpec {
    HistorySpec {
        group: group.to_owned(),
        name: name.to_owned(),
        components,
        unit: unit.to_owned(),
        description: description.to_owned(),
        integer: unit == "count",
    }
}

/// The columns of a simulation's history, in the order of [`row`].
pub fn specs(simulation: &Simulation) -> Vec<HistorySpec> {
    let pairs = &simulation.pairs;
    let dim = simulation.system.dim();
    let spin = if dim == 2 { 1 } else { 3 };
    let section = simulation.system.section();
    let ring = section == Some(Section::Axisymmetric);
    // in axisymmetry the first component of a sum over nodes is a sum of radial components, not that of a vector
    let radial = |text: &'static str, revolved: &'static str| if ring { revolved } else { text };
    let mut specs = vec![
        spec("", "time", 1, "s", "end of the step"),
        spec("", "kinetic_energy", 1, "J", "kinetic energy of all bodies"),
        spec("", "strain_energy", 1, "J", "stored energy of all bodies"),
        spec("", "spring_energy", 1, "J", "stored energy of springs to ground"),
        spec("", "total_energy", 1, "J", "kinetic and stored energy"),
        spec("", "external_work", 1, "J", "work of loads and moved supports so far"),
        spec("", "friction_dissipation", 1, "J", "energy lost to friction so far"),
        spec("", "contact_work", 1, "J", "work of normal reactions so far"),
        spec("", "damping_dissipation", 1, "J", "energy lost to damping so far"),
        spec("", "numerical_dissipation", 1, "J", "energy lost to the time scheme so far"),
        spec("", "energy_balance_error", 1, "J", "what the ledger cannot account for"),
        spec(
            "",
            "momentum",
            dim,
            "kg m/s",
            radial("linear momentum of all bodies", "whole rings: sum of mass times radial velocity, axial momentum"),
        ),
        spec(
            "",
            "angular_momentum",
            spin,
            "kg m^2/s",
            radial("angular momentum of all bodies about the origin", "zero: bodies of revolution do not turn"),
        ),
        spec(
            "",
            "contact_force",
            dim,
            "N",
            radial(
                "sum of contact forces on all bodies, mean over the step",
                "whole rings: sum of radial contact forces, axial contact force, mean over the step",
            ),
        ),
        spec("", "max_von_mises", 1, "Pa", "Cauchy stress, largest Gauss-point value"),
        spec("", "max_von_mises_nodal", 1, "Pa", "Cauchy stress, nodal: nearest Gauss point, components averaged"),
        spec("", "max_von_mises_pk2", 1, "Pa", "PK2 stress, nodal: nearest Gauss point, components averaged"),
        spec(
            "",
            "max_von_mises_pk2_inplane",
            1,
            "Pa",
            if matches!(section, Some(Section::PlaneStrain(_))) {
                "PK2 stress with S33 = nu (S11 + S22), nodal: extrapolated from Gauss points, components averaged"
            } else {
                "PK2 stress, nodal: extrapolated from Gauss points, components averaged"
            },
        ),
        spec("", "contacts_stick", 1, "count", "contact points that stick"),
        spec("", "contacts_slip", 1, "count", "contact points that slip"),
        spec("", "newton_iterations", 1, "count", "Newton iterations of the step"),
        spec("", "newton_residual", 1, "N", "largest residual force of the step"),
        spec(
            "",
            "contact_iterations",
            1,
            "count",
            "contact solver iterations of the step, over all Newton iterations or rounds",
        ),
        spec("", "contact_residual", 1, "1", "scaled natural map of the accepted reactions"),
        spec(
            "",
            "contact_unsolved",
            1,
            "count",
            "contact problems of the step taken although the solver did not converge",
        ),
        spec("", "max_penetration", 1, "m", "depth of the deepest place that is inside what it may touch"),
        spec("", "crossings", 1, "count", "edges and nodes inside what they may touch by more than rounding"),
        spec("", "undeclared_crossings", 1, "count", "edges inside another body where no contact is declared"),
        spec("", "step_size", 1, "s", "length of the step"),
    ];
    if simulation.explicit().is_some() {
        let rounds = "how often the contact points of the step were found and solved";
        specs.push(spec("", "contact_rounds", 1, "count", rounds));
        if follows_elements(simulation) {
            specs.push(spec("", "stable_step", 1, "s", "the longest step that the safety factor allows"));
        }
        specs.push(spec("", "hourglass_energy", 1, "J", "energy held by hourglass control, part of the total"));
        specs.push(spec("", "plastic_dissipation", 1, "J", "energy lost to plastic flow so far"));
    }
    for (_, body) in simulation.system.all().deformable() {
        let group = format!("bodies/{}", body.name);
        specs.push(spec(
            &group,
            "centre_of_mass",
            dim,
            "m",
            radial("position of the centre of mass", "mean radius, height of the centre of mass"),
        ));
        specs.push(spec(
            &group,
            "velocity",
            dim,
            "m/s",
            radial("velocity of the centre of mass", "mean radial velocity, axial velocity of the centre of mass"),
        ));
        specs.push(spec(&group, "kinetic_energy", 1, "J", "kinetic energy"));
        specs.push(spec(&group, "strain_energy", 1, "J", "stored energy"));
        specs.push(spec(
            &group,
            "contact_force",
            dim,
            "N",
            radial(
                "sum of contact forces, mean over the step",
                "whole ring: sum of radial contact forces, axial contact force, mean over the step",
            ),
        ));
        specs.push(spec(&group, "friction_dissipation", 1, "J", "energy lost to friction at its surface so far"));
    }
    for (number, pair) in pairs.iter().enumerate() {
        let group = format!("contacts/{number}");
        let of = |what: &str| format!("{what}: {pair}");
        specs.push(spec(&group, "friction_dissipation", 1, "J", &of("energy lost to friction so far")));
        specs.push(spec(&group, "contact_work", 1, "J", &of("work of normal reactions so far")));
        specs.push(spec(&group, "normal_force", 1, "N", &of("sum of normal reactions, mean over the step")));
    }
    rigid::specs(simulation, &mut specs);
    for support in supports(simulation) {
        let group = format!("boundary/{}", support.1.entry);
        specs.push(spec(&group, "reaction", dim, "N", "force of the support on the body, mean over the step"));
        if let SupportMotion::Rotation { .. } = support.1.motion {
            let what = "moment about the centre of the support's forces, at the places where the step ends";
            specs.push(spec(&group, "moment", spin, "N m", what));
        }
    }
    for probe in &simulation.plan.probes {
        let group = format!("probes/{}", probe.name);
        let what = match probe.spot {
            Spot::Node(_) => ["position of the node nearest to the probe", "that node"],
            Spot::Arm(_) => ["position of the place on the rigid body", "that place"],
        };
        specs.push(spec(&group, "position", dim, "m", what[0]));
        specs.push(spec(&group, "displacement", dim, "m", &format!("displacement of {}", what[1])));
        specs.push(spec(&group, "velocity", dim, "m/s", &format!("velocity of {}", what[1])));
    }
    specs
}

/// Whether anything limits explicit steps: rigid bodies alone take any.
fn follows_elements(simulation: &Simulation) -> bool {
    simulation.system.all().deformable().next().is_some()
}

struct Motion {
    momentum: [f64; 3],
    angular: [f64; 3],
    kinetic: f64,
    mass: f64,
}

fn motion(body: &Deformable, u: &[f64], v: &[f64], scratch: &mut Vec<f64>) -> Motion {
    let dim = body.dim();
    scratch.resize(body.dof_count(), 0.0);
    body.mass().multiply(dim, v, scratch);
    let mut sum = Motion { momentum: [0.0; 3], angular: [0.0; 3], kinetic: 0.0, mass: 0.0 };
    for node in 0..body.mesh.node_count() {
        let x = body.position(u, node);
        let mut p = [0.0; 3];
        for axis in 0..dim {
            p[axis] = scratch[node * dim + axis];
            sum.momentum[axis] += p[axis];
            sum.kinetic += 0.5 * p[axis] * v[node * dim + axis];
        }
        sum.angular[0] += x[1] * p[2] - x[2] * p[1];
        sum.angular[1] += x[2] * p[0] - x[0] * p[2];
        if body.section() != Section::Axisymmetric {
            sum.angular[2] += x[0] * p[1] - x[1] * p[0];
        }
        sum.mass += body.mass().row(node).map(|(_, m)| m).sum::<f64>();
    }
    sum
}

/// The current row.
pub fn row(simulation: &Simulation, out: &mut Vec<f64>, scratch: &mut Vec<f64>) {
    out.clear();
    let dim = simulation.system.dim();
    let (ledger, last) = (&simulation.ledger.now, &simulation.last);
    out.extend([
        simulation.time,
        ledger.kinetic,
        ledger.strain,
        ledger.spring,
        ledger.total(),
        ledger.external_work,
        ledger.friction,
        ledger.contact_work,
        ledger.damping,
        ledger.numerical,
        ledger.error,
    ]);
    let bodies = || simulation.system.all().deformable().map(|(b, body)| (b, body, &simulation.system.states[b]));
    let motions: Vec<Motion> = bodies().map(|(_, body, s)| motion(body, &s.u, &s.v, scratch)).collect();
    let mut total = Motion { momentum: [0.0; 3], angular: [0.0; 3], kinetic: 0.0, mass: 0.0 };
    for m in &motions {
        for i in 0..3 {
            total.momentum[i] += m.momentum[i];
            total.angular[i] += m.angular[i];
        }
    }
    for (b, body) in simulation.system.all().rigid() {
        let state = &simulation.system.states[b];
        let (p, l) = body.momentum(&state.u, &state.v);
        let about_origin = body.centre(&state.u).cross(&p) + l;
        for i in 0..3 {
            total.momentum[i] += p[i];
            total.angular[i] += about_origin[i];
        }
    }
    let force = |(body, contact): (&Body, &NodeContact)| -> [f64; 3] {
        let mut sum = [0.0; 3];
        // behind the force on a rigid body stands its moment
        let count = if body.rigid().is_some() { dim } else { contact.force.len() };
        for node in contact.force[..count].chunks_exact(dim) {
            for (s, f) in sum.iter_mut().zip(node) {
                *s += f;
            }
        }
        sum
    };
    let forces: Vec<[f64; 3]> = simulation.system.bodies.iter().zip(&simulation.nodes).map(force).collect();
    out.extend_from_slice(&total.momentum[..dim]);
    out.extend_from_slice(if dim == 2 { &total.angular[2..] } else { &total.angular });
    out.extend((0..dim).map(|axis| forces.iter().map(|f| f[axis]).sum::<f64>()));
    let largest = |measure: fn(&crate::elements::StressMeasures) -> f64| {
        simulation.stresses.iter().flatten().map(|s| measure(&s.largest)).fold(0.0, f64::max)
    };
    out.extend([
        largest(|m| m.cauchy_points),
        largest(|m| m.cauchy_nodal),
        largest(|m| m.pk2_nodal),
        largest(|m| m.pk2_inplane),
        last.stick as f64,
        last.slip as f64,
        if simulation.explicit().is_some() { 0.0 } else { last.converged.iterations as f64 },
        last.converged.residual,
        last.converged.contact_iterations as f64,
        last.converged.contact_residual,
        last.converged.contact_unsolved as f64,
        last.penetration,
        last.crossings[0] as f64,
        last.crossings[1] as f64,
        last.dt,
    ]);
    if let Some(explicit) = simulation.explicit() {
        out.push(last.converged.iterations as f64);
        out.extend(follows_elements(simulation).then(|| explicit.last_limit()));
        out.extend([ledger.hourglass, ledger.plastic]);
    }
    for ((b, body, state), motion) in bodies().zip(&motions) {
        out.extend_from_slice(&body.centre_of_mass(&state.u).as_slice()[..dim]);
        out.extend((0..dim).map(|axis| motion.momentum[axis] / motion.mass));
        out.extend([motion.kinetic, simulation.strain_energy(b)]);
        out.extend_from_slice(&forces[b][..dim]);
        out.push(simulation.nodes[b].energy.iter().sum());
    }
    for zone in &simulation.zones {
        out.extend([zone.friction, zone.work, zone.force]);
    }
    rigid::row(simulation, out);
    for (b, support) in supports(simulation) {
        reaction(simulation, b, support, out);
    }
    for probe in &simulation.plan.probes {
        let state = &simulation.system.states[probe.body];
        match (&simulation.system.bodies[probe.body], &probe.spot) {
            (Body::Deformable(body), &Spot::Node(node)) => {
                out.extend_from_slice(&body.position(&state.u, node).as_slice()[..dim]);
                out.extend_from_slice(&state.u[node * dim..(node + 1) * dim]);
                out.extend_from_slice(&state.v[node * dim..(node + 1) * dim]);
            }
            (Body::Rigid(body), Spot::Arm(arm)) => {
                let (place, velocity) = body.place(arm, state);
                let moved = place - body.rest_centre() - arm;
                [place, moved, velocity].iter().for_each(|x| out.extend_from_slice(&x.as_slice()[..dim]));
            }
            // made for this body
            _ => out.resize(out.len() + 3 * dim, f64::NAN),
        }
    }
}

/// All supports with the number of their body, in the order of the case.
fn supports(simulation: &Simulation) -> Vec<(usize, &Support)> {
    let bodies = simulation.system.all().deformable();
    let mut all: Vec<(usize, &Support)> =
        bodies.flat_map(|(b, body)| body.supports().iter().map(move |s| (b, s))).collect();
    all.sort_by_key(|(_, support)| support.entry);
    all
}

/// Force of a support on its body, and for a rotation its moment.
fn reaction(simulation: &Simulation, b: usize, support: &Support, out: &mut Vec<f64>) {
    let (body, state) = (simulation.system.with_nodes(b), &simulation.system.states[b]);
    let dim = body.dim();
    let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
    for dof in support.dofs.iter().map(|&dof| dof as usize) {
        let mut here = Vector3::zeros();
        here[dof % dim] = simulation.support_force(b, dof);
        force += here;
        if let SupportMotion::Rotation { centre, .. } = &support.motion {
            moment += (body.position(&state.u, dof / dim) - centre).cross(&here);
        }
    }
    out.extend_from_slice(&force.as_slice()[..dim]);
    if let SupportMotion::Rotation { .. } = support.motion {
        out.extend_from_slice(if dim == 2 { &moment.as_slice()[2..] } else { moment.as_slice() });
    }
}

/// A history kept in memory, for tests and for the promises of a case.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Columns.
    pub specs: Vec<HistorySpec>,
    rows: Vec<f64>,
}

impl Memory {
    /// With these columns.
    pub fn new(specs: Vec<HistorySpec>) -> Self {
        Memory { specs, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[f64]) {
        self.rows.extend_from_slice(row);
    }

    /// Values of a column by its path below `/history`; a component follows after a slash (`momentum/1`).
    pub fn column(&self, path: &str) -> Option<Vec<f64>> {
        let width: usize = self.specs.iter().map(|s| s.components).sum();
        let mut at = 0;
        for s in &self.specs {
            let name = if s.group.is_empty() { s.name.clone() } else { format!("{}/{}", s.group, s.name) };
            let component = if path == name && s.components == 1 {
                Some(0)
            } else {
                path.strip_prefix(&format!("{name}/"))
                    .and_then(|c| c.parse().ok())
                    .filter(|&c: &usize| c < s.components)
            };
            if let Some(component) = component {
                return Some(self.rows.iter().skip(at + component).step_by(width).copied().collect());
            }
            at += s.components;
        }
        None
    }
}
