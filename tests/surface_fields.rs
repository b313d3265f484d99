//! Fields on the surface and energy densities: what ParaView shows per area and per volume must be what mechanics says, at
//! every node, corners and the axis of revolution included.

mod runs;

use impakt::bodies::facets::nodal_areas;
use impakt::mesh::surface;
use impakt::simulation::Summary;
use nalgebra::Vector3;
use runs::claims::source;
use runs::{at_least, at_most, case_from, column, last, near, run, run_file};

const WEIGHT: f64 = 1000.0 * 10.0 * 0.1;

/// A block of 0.1 m height that stands under its own weight on a belt, guided so that it moves up and down only. θ = 1 takes
/// the vibration of the first steps away; the impulse of its foot is that of its weight all the same.
fn guided_block(geometry: &str, mesh: &str, axes: &str, gravity: &str, belt: &str) -> Summary {
    run(&case_from(
        &format!(
            "
geometry: {geometry}
time: {{ end: 1.0, step: 1.0e-2, scheme: {{ jean: {{ theta: 1.0, xi: 1.0 }} }} }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e7, poisson: 0.0 }} }} }} }}
bodies: {{ b: {{ mesh: {{ {mesh} }}, material: m }} }}
obstacles: {{ belt: {{ {belt} }} }}
boundary: [{{ gravity: {gravity} }}, {{ fixed: {{ on: b.all, axes: {axes} }} }}]
contacts: [{{ between: [b.surface, belt], friction: 0.3 }}]
"
        ),
        "block.yaml",
        &[],
    ))
}

/// Nodes of the block on the belt.
fn on_belt(summary: &Summary, up: usize) -> Vec<usize> {
    let nodes = &summary.simulation.system.with_nodes(0).mesh.nodes;
    (0..nodes.len()).filter(|&n| nodes[n][up] == 0.0).collect()
}

/// Pressure ρ g H, traction μ ρ g H, power of friction μ ρ g H v: the same at every node of the foot.
#[test]
fn a_block_on_a_belt_has_the_pressure_of_its_weight_everywhere() {
    source("p = ρ g H = 1000 Pa; Coulomb: τ = μ p = 300 Pa, τ v = 150 W/m², τ v t = 150 J/m², slip 0.5 m");
    let plane = guided_block(
        "plane_strain",
        "rectangle: { min: [0.0, 0.0], max: [0.4, 0.1], divisions: [5, 2] }",
        "[x]",
        "[0.0, -10.0]",
        "shape: { half_space: { point: [0.0, 0.0], normal: [0.0, 1.0] } }, motion: { velocity: { x: 0.5 } }",
    );
    let solid = guided_block(
        "solid",
        "box: { min: [0.0, 0.0, 0.0], max: [0.3, 0.2, 0.1], divisions: [3, 2, 2] }",
        "[x, y]",
        "[0.0, 0.0, -10.0]",
        "shape: { half_space: { point: [0.0, 0.0, 0.0], normal: [0.0, 0.0, 1.0] } }, motion: { velocity: { x: 0.5 } }",
    );
    for (name, summary, up) in [("plane", &plane, 1), ("solid", &solid, 2)] {
        let dim = up + 1;
        let contact = &summary.simulation.nodes[0];
        let foot = on_belt(summary, up);
        at_least(&format!("{name}: nodes of the foot"), foot.len() as f64, 6.0);
        for node in foot {
            near(&format!("{name}: pressure"), contact.pressure[node], WEIGHT, 1e-6 * WEIGHT);
            let traction = &contact.traction[node * dim..(node + 1) * dim];
            near(&format!("{name}: traction along the belt"), traction[0], 0.3 * WEIGHT, 1e-6 * WEIGHT);
            near(&format!("{name}: traction across it"), traction[up], WEIGHT, 1e-6 * WEIGHT);
            near(&format!("{name}: power per area"), contact.power_density[node], 0.15 * WEIGHT, 1e-6 * WEIGHT);
            near(&format!("{name}: energy per area"), contact.energy_density[node], 0.15 * WEIGHT, 1e-6 * WEIGHT);
            near(&format!("{name}: slip"), contact.slip[node], 0.5, 1e-9);
            assert_eq!(contact.status[node], 2.0, "{name}: node {node} slips");
        }
        let touching = contact.pressure.iter().filter(|p| **p > 0.0).count();
        assert_eq!(touching, on_belt(summary, up).len(), "{name}: pressure only where there is contact");
    }
}

/// The same in axisymmetry: rings of different area, and the point on the axis.
#[test]
fn a_column_of_revolution_stands_with_the_same_pressure_from_axis_to_rim() {
    source("p = ρ g H = 1000 Pa");
    let column = guided_block(
        "axisymmetric",
        "rectangle: { min: [0.0, 0.0], max: [0.2, 0.1], divisions: [4, 2] }",
        "[x]",
        "[0.0, -10.0]",
        "shape: { half_space: { point: [0.0, 0.0], normal: [0.0, 1.0] } }",
    );
    for node in on_belt(&column, 1) {
        near("pressure", column.simulation.nodes[0].pressure[node], WEIGHT, 1e-6 * WEIGHT);
    }
}

/// On the V-groove the loss per area, summed over the surface, is what the ledger lost to friction.
#[test]
fn friction_energy_per_area_adds_up_to_the_ledger() {
    source("identity: ∫ energy per area dA = friction_dissipation");
    let summary = run_file("cases/vgroove/b_friction_02.yaml", &[]);
    let (body, contact) = (summary.simulation.system.with_nodes(0), &summary.simulation.nodes[0]);
    let areas = nodal_areas(&body.mesh, &surface::boundary(&body.mesh), body.section());
    let sum: f64 = areas.iter().map(|(node, area, _)| area * contact.energy_density[node.index()]).sum();
    let ledger = last(&column(&summary, "friction_dissipation"));
    near("∫ friction_energy_density dA", sum, ledger, 1e-9 * ledger);
    near("Σ friction_energy", contact.energy.iter().sum(), ledger, 1e-9 * ledger);
    at_most("interior nodes with a loss", summed_inside(&summary), 0.0);
}

fn summed_inside(summary: &Summary) -> f64 {
    let (body, contact) = (summary.simulation.system.with_nodes(0), &summary.simulation.nodes[0]);
    let outside = surface::facet_nodes(&surface::boundary(&body.mesh));
    let inside = (0..body.mesh.node_count()).filter(|&n| outside.iter().all(|o| o.index() != n));
    inside.map(|n| contact.energy_density[n].abs()).sum()
}

/// Kinetic energy per volume times volume, summed over the cells, is the kinetic energy of the body.
#[test]
fn kinetic_energy_per_volume_adds_up_to_the_kinetic_energy() {
    source("identity: Σ density × cell volume = ½ vᵀ M v");
    for (mesh, geometry, velocity) in [
        ("rectangle: { min: [0.0, 0.0], max: [0.4, 0.1], divisions: [4, 2] }", "plane_strain", "[3.0, -1.0]"),
        (
            "rectangle: { min: [0.0, 0.0], max: [0.4, 0.1], divisions: [4, 2], cells: triangles }",
            "plane_strain",
            "[3.0, -1.0]",
        ),
        ("box: { min: [0.0, 0.0, 0.0], max: [0.3, 0.2, 0.1], divisions: [3, 2, 2] }", "solid", "[3.0, -1.0, 2.0]"),
        (
            "box: { min: [0.0, 0.0, 0.0], max: [0.3, 0.2, 0.1], divisions: [3, 2, 2], cells: tets }",
            "solid",
            "[3.0, -1.0, 2.0]",
        ),
    ] {
        let spin = if geometry == "solid" { "[20.0, 5.0, -30.0]" } else { "40.0" };
        let summary = run(&case_from(
            &format!(
                "
geometry: {geometry}
time: {{ end: 1.0e-6, step: 1.0e-6 }}
materials: {{ m: {{ density: 1000.0, law: {{ neo_hooke: {{ young: 1.0e6, poisson: 0.3 }} }} }} }}
bodies: {{ b: {{ mesh: {{ {mesh} }}, material: m, velocity: {velocity}, angular_velocity: {spin} }} }}
"
            ),
            "spin.yaml",
            &[],
        ));
        let (body, state) = (summary.simulation.system.with_nodes(0), &summary.simulation.system.states[0]);
        let mut densities = Vec::new();
        body.kinetic_densities(&state.v, &mut densities);
        let volume = |nodes: &[impakt::mesh::NodeId]| {
            let x = |k: usize| Vector3::from(body.mesh.nodes[nodes[k].index()]);
            match (nodes.len(), body.dim()) {
                (3, _) => 0.5 * (x(1) - x(0)).cross(&(x(2) - x(0)))[2],
                (4, 2) => (x(1) - x(0)).cross(&(x(3) - x(0)))[2],
                (4, _) => (x(1) - x(0)).cross(&(x(2) - x(0))).dot(&(x(3) - x(0))) / 6.0,
                _ => (x(1) - x(0)).cross(&(x(3) - x(0))).dot(&(x(4) - x(0))),
            }
        };
        let sum: f64 = body.mesh.cells().map(|(cell, _, nodes)| densities[cell.index()] * volume(nodes)).sum();
        let ledger = last(&column(&summary, "kinetic_energy"));
        near(&format!("{mesh}: Σ kinetic_energy_density V"), sum, ledger, 1e-9 * ledger);
    }
}
