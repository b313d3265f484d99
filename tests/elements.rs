//! What every element owes the bodies, driven by one list of shapes and one of laws: geometry, mass, force, tangent,
//! rigid motion, inversion, patch test.
//!
//! Reference: THEORY 1.1, 1.5, 6.2 (row "FE patch, rigid rotation"). Meshes are the unit square and cube with interior
//! nodes moved at random by up to a fifth of a cell; forces are measured in units of the pressure-wave modulus.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::bodies::{BodyError, Deformable};
use impakt::elements::{
    ElementError, ForceRule, Formulation, Groups, Hex8, Lumping, Quad4, Section, Shape, Tet4, Tri3, groups,
};
use impakt::integrator::{Force, Integrator, Jean};
use impakt::materials::{Kinematics, Law, Material};
use impakt::mesh::{CellId, CellKind, Mesh, NodeId};
use support::catalogue::{combinations, label, laws, made};
use support::claims::source;
use support::{
    Random, SHAPES, at_most, body_of, close, dense, difference, distance, distorted_mesh, eigenvalues, free_body,
    largest, nodal, on_boundary, unit_mesh,
};

/// Standard elements of one material, in plane strain or space.
fn made_of(materials: &[Material], thickness: f64, kind: CellKind) -> Groups<'_> {
    let section = if kind.dim() == 2 { Section::PlaneStrain(thickness) } else { Section::Solid };
    Groups { materials, of_cell: &[], section, formulation: Formulation::Standard, batches: None }
}

fn finite(law: &Law) -> bool {
    law.kinematics() == Kinematics::Finite
}

/// Two cells along each axis: the smallest mesh with an interior node.
fn patch(kind: CellKind) -> Mesh {
    distorted_mesh(kind, 2, 0.2, 11)
}

/// One cell of each shape, its corners moved at random from the parent element's.
fn single(kind: CellKind) -> Mesh {
    let corners: Vec<[f64; 3]> = match kind {
        CellKind::Tri3 => Tri3::NODES.map(|x| [x[0], x[1], 0.0]).to_vec(),
        CellKind::Quad4 => Quad4::NODES.map(|x| [x[0], x[1], 0.0]).to_vec(),
        CellKind::Tet4 => Tet4::NODES.to_vec(),
        CellKind::Hex8 => Hex8::NODES.to_vec(),
    };
    let mut random = Random::new(12);
    let moved = corners
        .iter()
        .map(|x| std::array::from_fn(|i| if i < kind.dim() { x[i] + 0.15 * random.signed() } else { 0.0 }));
    let mut mesh = Mesh::new(moved.collect());
    let ids: Vec<NodeId> = (0..kind.node_count() as u32).map(NodeId).collect();
    mesh.push_cell(kind, &ids);
    mesh
}

/// A random state far from rest: a turn, stretches of up to 20 %, and nodes shaken by up to a tenth of a cell.
/// (A body of revolution is not turned: it would cross its axis.)
fn large_deformation(body: &Deformable, seed: u64) -> Vec<f64> {
    let mesh = &body.mesh;
    let dim = mesh.dim();
    let mut random = Random::new(seed);
    let turn = random.rotation(if revolved(body) { 0 } else { dim });
    let stretch: [[f64; 3]; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            f64::from(u8::from(i == j)) + if i < dim && j < dim { 0.2 * random.signed() } else { 0.0 }
        })
    });
    let mut u = nodal(mesh, |x| {
        let stretched: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| stretch[i][j] * x[j]).sum());
        std::array::from_fn(|i| (0..3).map(|j| turn[i][j] * stretched[j]).sum::<f64>() - x[i])
    });
    u.iter_mut().for_each(|u| *u += 0.05 * random.signed());
    u
}

/// Small displacements for the linear law, large ones for the others.
fn state(body: &Deformable, law: &Law, seed: u64) -> Vec<f64> {
    let u = large_deformation(body, seed);
    if finite(law) { u } else { u.iter().map(|x| 0.1 * x).collect() }
}

fn force(body: &mut Deformable, rule: ForceRule, u0: &[f64], u1: &[f64]) -> Vec<f64> {
    let mut f = vec![0.0; u1.len()];
    body.internal_force(rule, u0, u1, &mut f, None).unwrap();
    f
}

fn stiffness(body: &mut Deformable, rule: ForceRule, u0: &[f64], u1: &[f64]) -> Vec<Vec<f64>> {
    let mut f = vec![0.0; u1.len()];
    body.internal_force(rule, u0, u1, &mut f, Some((0.0, 1.0))).unwrap();
    dense(body)
}

/// Every combination, with a free body on the distorted patch.
fn for_each_patch(mut test: impl FnMut(String, &Law, &mut Deformable)) {
    for (kind, section, formulation, law) in combinations() {
        let mut body = made(patch(kind), section, formulation, law.clone(), Lumping::Consistent);
        test(label(kind, section, formulation, &law), &law, &mut body);
    }
}

fn revolved(body: &Deformable) -> bool {
    body.section() == Section::Axisymmetric
}

// ---- geometry ---------------------------------------------------------------------------------------------------------

fn shape_functions_of<S: Shape<D, N>, const D: usize, const N: usize>(name: &str, parent_volume: f64, simplex: bool) {
    let mut random = Random::new(1);
    for _ in 0..20 {
        // gradients of polynomials that are at most linear in each variable: central differences are exact
        let xi: [f64; D] = std::array::from_fn(|_| random.signed());
        let (n, g) = (S::values(&xi), S::gradients(&xi));
        close(format!("{name}: ΣN at {xi:?}"), n.iter().sum(), 1.0, 1e-14);
        for i in 0..D {
            close(format!("{name}: Σ∂N/∂ξ_{i}"), g.iter().map(|g| g[i]).sum(), 0.0, 1e-14);
            let place: f64 = (0..N).map(|a| n[a] * S::NODES[a][i]).sum();
            close(format!("{name}: ΣN ξ_{i}"), place, xi[i], 1e-14);
            let slope = difference(0.1, |h| {
                let mut moved = xi;
                moved[i] += h;
                S::values(&moved).to_vec()
            });
            for a in 0..N {
                close(format!("{name}: ∂N_{a}/∂ξ_{i} at {xi:?}"), g[a][i], slope[a], 1e-13);
            }
        }
    }
    for b in 0..N {
        for (a, value) in S::values(&S::NODES[b]).into_iter().enumerate() {
            assert_eq!(value, f64::from(u8::from(a == b)), "{name}: N_{a} at node {b}");
        }
    }
    for (what, rule) in [("force rule", S::RULE), ("mass rule", S::MASS_RULE)] {
        close(format!("{name}: weights of the {what}"), rule.iter().map(|p| p.1).sum(), parent_volume, 1e-14);
    }
    // ∫ξᵢξⱼ over the parent: 1/12 or 1/24 (triangle), 1/60 or 1/120 (tetrahedron), 2^D/3 or 0 (square, cube)
    for i in 0..D {
        for j in 0..D {
            let measured: f64 = S::MASS_RULE.iter().map(|(xi, w)| w * xi[i] * xi[j]).sum();
            let factorials = [0.0, 0.0, 24.0, 120.0];
            let expected = match (simplex, i == j) {
                (true, same) => (if same { 2.0 } else { 1.0 }) / factorials[D],
                (false, same) => f64::from(u8::from(same)) * parent_volume / 3.0,
            };
            close(format!("{name}: ∫ξ_{i}ξ_{j} by the mass rule"), measured, expected, 1e-14);
        }
    }
}

/// Partition of unity, nodality, linear completeness, gradients against differences, rules against exact integrals.
/// Polynomials of degree one to three with few terms: round-off only.
#[test]
fn shape_functions_interpolate() {
    source("partition of unity, linear completeness, exact integrals of monomials");
    shape_functions_of::<Tri3, 2, 3>("Tri3", 0.5, true);
    shape_functions_of::<Quad4, 2, 4>("Quad4", 4.0, false);
    shape_functions_of::<Tet4, 3, 4>("Tet4", 1.0 / 6.0, true);
    shape_functions_of::<Hex8, 3, 8>("Hex8", 8.0, false);
}

/// Volume from the boundary alone, by the divergence theorem: in the plane the shoelace formula; in space one sixth of the
/// triple products over the faces, a four-node (bilinear) face counting as the mean of its two triangulations.
fn volume_from_faces(mesh: &Mesh, cell: CellId) -> f64 {
    let ids = mesh.cell_nodes(cell);
    let x = |a: usize| mesh.nodes[ids[a].index()];
    let triple = |a: usize, b: usize, c: usize| {
        let (p, q, r) = (x(a), x(b), x(c));
        (0..3).map(|i| p[i] * (q[(i + 1) % 3] * r[(i + 2) % 3] - q[(i + 2) % 3] * r[(i + 1) % 3])).sum::<f64>() / 6.0
    };
    let mut sum = 0.0;
    for face in mesh.kind(cell).faces() {
        sum += match **face {
            [a, b] => 0.5 * (x(a)[0] * x(b)[1] - x(b)[0] * x(a)[1]),
            [a, b, c] => triple(a, b, c),
            [a, b, c, d] => 0.5 * (triple(a, b, c) + triple(a, c, d) + triple(a, b, d) + triple(b, c, d)),
            _ => unreachable!("faces have two to four nodes"),
        };
    }
    sum
}

/// The rule integrates the determinant of the map exactly (it is quadratic in each variable for Hex8), so the volume of
/// each distorted cell is exact, and together they fill the unit square or cube, times the thickness in the plane.
#[test]
fn volumes_of_distorted_cells_are_exact() {
    source("volume of a polyhedron from its surface (divergence theorem)");
    for kind in SHAPES {
        let mesh = distorted_mesh(kind, 3, 0.25, 2);
        let thickness = if kind.dim() == 2 { 0.3 } else { 1.0 };
        let material = Material { density: 2.5, law: laws().remove(0) };
        let rest = vec![0.0; mesh.node_count() * mesh.dim()];
        let (mut total, mut cells) = (0.0, 0);
        for group in groups(&mesh, &made_of(std::slice::from_ref(&material), thickness, kind)).unwrap() {
            group.stresses(&rest, &mut |e, _, points| {
                let measured: f64 = points.iter().map(|p| p.volume).sum();
                let cell = group.cells()[e];
                let expected = thickness * volume_from_faces(&mesh, cell);
                close(format!("{kind:?}: volume of cell {}", cell.0), measured, expected, 1e-15);
                total += measured;
                cells += 1;
            });
        }
        assert_eq!(cells, mesh.cell_count(), "{kind:?}: cells visited");
        close(format!("{kind:?}: volume of the mesh"), total, thickness, 1e-14);
    }
}

/// A cell numbered the wrong way round, or flattened, is refused with its number.
#[test]
fn a_cell_without_volume_is_refused() {
    source("a cell without volume has no element");
    for kind in SHAPES {
        let good = single(kind);
        let material = Material { density: 1.0, law: laws().remove(0) };
        let mirrored: Vec<[f64; 3]> = good.nodes.iter().map(|x| [-x[0], x[1], x[2]]).collect();
        let flat: Vec<[f64; 3]> = good.nodes.iter().map(|x| [0.0, x[1], x[2]]).collect();
        for nodes in [mirrored, flat] {
            let mut mesh = good.clone();
            mesh.nodes = nodes;
            match groups(&mesh, &made_of(std::slice::from_ref(&material), 1.0, kind)) {
                Err(ElementError::Degenerate { cell, det }) => {
                    assert_eq!(cell, CellId(0), "{kind:?}");
                    at_most(format!("{kind:?}: determinant"), det, 0.0);
                }
                other => panic!("{kind:?}: expected Degenerate, got {:?}", other.map(|g| g.len())),
            }
        }
    }
}

// ---- mass -------------------------------------------------------------------------------------------------------------

/// Both mass matrices hold `ρV`; the lumped one is the row sum of the consistent one and has no neighbours.
#[test]
fn mass_sums_to_density_times_volume() {
    source("mass is density times volume");
    for kind in SHAPES {
        let mesh = distorted_mesh(kind, 3, 0.25, 3);
        let [consistent, lumped] =
            [Lumping::Consistent, Lumping::Lumped].map(|l| free_body(mesh.clone(), laws().remove(0), 2.5, l));
        close(format!("{kind:?}: consistent mass"), consistent.total_mass(), 2.5, 1e-13);
        close(format!("{kind:?}: lumped mass"), lumped.total_mass(), 2.5, 1e-13);
        for node in 0..mesh.node_count() {
            let row_sum: f64 = consistent.mass().row(node).map(|(_, m)| m).sum();
            for (other, m) in lumped.mass().row(node) {
                let expected = if other == node { row_sum } else { 0.0 };
                close(format!("{kind:?}: lumped mass of nodes {node}, {other}"), m, expected, 1e-15);
            }
        }
        // and gravity pulls with all of it
        let v: Vec<f64> = nodal(&mesh, |_| [3.0, 4.0, 0.0]);
        let mut scratch = vec![0.0; v.len()];
        close(format!("{kind:?}: ½mv²"), consistent.kinetic_energy(&v, &mut scratch), 0.5 * 2.5 * 25.0, 1e-12);
    }
}

/// THEORY 1.5: `ρA/12 (1+δ)` and `ρV/20 (1+δ)` on any triangle and tetrahedron; on an undistorted quadrilateral and
/// hexahedron `ρV (⅓ or ⅙ along each axis)`.
#[test]
fn consistent_mass_has_its_closed_form() {
    source("closed form of the consistent mass of triangle, tetrahedron and brick");
    for kind in SHAPES {
        let simplex = matches!(kind, CellKind::Tri3 | CellKind::Tet4);
        let mesh = if simplex { single(kind) } else { unit_mesh(kind, 1) };
        let volume = volume_from_faces(&mesh, CellId(0));
        let body = free_body(mesh.clone(), laws().remove(0), 2.5, Lumping::Consistent);
        for a in 0..kind.node_count() {
            for (b, m) in body.mass().row(a) {
                let share = match kind {
                    CellKind::Tri3 => (1.0 + f64::from(u8::from(a == b))) / 12.0,
                    CellKind::Tet4 => (1.0 + f64::from(u8::from(a == b))) / 20.0,
                    CellKind::Quad4 | CellKind::Hex8 => (0..kind.dim())
                        .map(|i| if mesh.nodes[a][i] == mesh.nodes[b][i] { 1.0 / 3.0 } else { 1.0 / 6.0 })
                        .product(),
                };
                close(format!("{kind:?}: M_{a}{b}"), m, 2.5 * volume * share, 1e-15);
            }
        }
    }
}

/// `½ I ω²` of a unit square or cube that spins about its centre, `I = m/6` about each axis: the consistent mass integrates
/// linear velocities exactly, also on distorted triangles, quadrilaterals and tetrahedra. (On a distorted Hex8 the rule
/// is one degree short: that mesh stays regular.)
#[test]
fn consistent_mass_knows_the_moment_of_inertia() {
    source("kinetic energy of a spinning square and cube, I = m/6");
    for kind in SHAPES {
        let mesh = if kind == CellKind::Hex8 { unit_mesh(kind, 3) } else { distorted_mesh(kind, 3, 0.25, 4) };
        let body = free_body(mesh.clone(), laws().remove(0), 2.5, Lumping::Consistent);
        let v = nodal(&mesh, |x| [-2.0 * (x[1] - 0.5), 2.0 * (x[0] - 0.5), 0.0]);
        let measured = body.kinetic_energy(&v, &mut vec![0.0; v.len()]);
        close(format!("{kind:?}: ½Iω²"), measured, 0.5 * 2.5 / 6.0 * 4.0, 1e-14);
    }
}

// ---- stiffness, force, energy ----------------------------------------------------------------------------------------

/// At rest the stiffness has exactly the rigid motions for zero modes, 3 in the plane, 6 in space, 1 along an axis: no hourglass, no
/// spurious constraint. For a single distorted cell and for the patch. Zero means 1e-13 of the largest eigenvalue; the
/// softest elastic mode of these meshes is above 1e-3 of it.
#[test]
fn only_rigid_motions_cost_nothing() {
    source("zero modes of a free body: 3 in the plane, 6 in space, 1 of a body of revolution");
    for (kind, section, formulation, law) in combinations() {
        for (what, mesh) in [("one cell", single(kind)), ("patch", patch(kind))] {
            let rest = vec![0.0; mesh.node_count() * mesh.dim()];
            let mut body = made(mesh, section, formulation, law.clone(), Lumping::Consistent);
            let values = eigenvalues(stiffness(&mut body, ForceRule::End, &rest, &rest));
            let top = values[values.len() - 1];
            let rigid = match section {
                // one point sees no hoop strain when a lone triangle turns about its centre; its neighbours see it
                Section::Axisymmetric if kind == CellKind::Tri3 && what == "one cell" => 2,
                Section::Axisymmetric => 1,
                Section::Solid => 6,
                _ => 3,
            };
            let label = format!("{}, {what}", label(kind, section, formulation, &law));
            at_most(format!("{label}: rigid eigenvalue {rigid}, relative"), largest(&values[..rigid]) / top, 1e-13);
            let softest = values[rigid] / top;
            assert!(
                softest > 1e-3,
                "{label}: softest elastic eigenvalue {softest:.3e} of the largest, expected > 1e-3"
            );
        }
    }
}

/// `f = ∂U/∂u` at a large deformation, every unknown, fourth-order differences with step 1e-4 (truncation and rounding both
/// near 1e-11). The energy that comes with the force is the same energy.
#[test]
fn force_is_the_derivative_of_energy() {
    source("finite differences of fourth order of the strain energy");
    for_each_patch(|label, law, body| {
        let u = state(body, law, 21);
        let f = force(body, ForceRule::End, &u, &u);
        assert!(largest(&f) > 1e-3, "{label}: a deformed body must pull, largest force {:.3e}", largest(&f));
        for dof in 0..u.len() {
            let slope = difference(1e-4, |h| {
                let mut moved = u.clone();
                moved[dof] += h;
                vec![body.strain_energy(&moved)]
            })[0];
            close(format!("{label}: f_{dof}"), f[dof], slope, 1e-10);
        }
        let with_force = body.internal_force(ForceRule::End, &u, &u, &mut vec![0.0; u.len()], None).unwrap();
        close(format!("{label}: U beside the force"), with_force, body.strain_energy(&u), 1e-14);
    });
}

/// The assembled matrix, times the tangent weight the scheme states, is `∂f̄/∂u₁`: for the end force (trapezoidal rule) and
/// for the force at an intermediate state (midpoint rule). Also the intermediate force is the end force at that state.
#[test]
fn tangent_is_the_derivative_of_force() {
    source("finite differences of fourth order of the internal force");
    for_each_patch(|label, law, body| {
        let u0 = state(body, law, 22);
        // near enough to u₀ that the states between are as sound as the ends
        let shake = Random::new(23).vector(u0.len(), 0.04);
        let u1: Vec<f64> = u0.iter().zip(&shake).map(|(a, b)| a + b).collect();
        for (force_rule, xi) in [(Force::Trapezoidal, 0.5), (Force::Midpoint, 0.5), (Force::Midpoint, 0.8)] {
            let weights = Jean { theta: 0.5, xi, force: force_rule }.force();
            let matrix = stiffness(body, weights.rule, &u0, &u1);
            let size = largest(&matrix.concat());
            for dof in 0..u1.len() {
                let slope = difference(1e-4, |h| {
                    let mut moved = u1.clone();
                    moved[dof] += h;
                    force(body, weights.rule, &u0, &moved).iter().map(|f| weights.new * f).collect()
                });
                for row in 0..u1.len() {
                    let expected = weights.tangent * matrix[row][dof];
                    close(
                        format!("{label}, {force_rule:?} ξ = {xi}: K_{row},{dof}"),
                        expected,
                        slope[row],
                        1e-9 * size,
                    );
                }
            }
        }
        let between: Vec<f64> = u0.iter().zip(&u1).map(|(a, b)| 0.2 * a + 0.8 * b).collect();
        let (measured, expected) =
            (force(body, ForceRule::Intermediate(0.8), &u0, &u1), force(body, ForceRule::End, &between, &between));
        at_most(format!("{label}: intermediate force"), distance(&measured, &expected), 1e-13);
    });
}

/// Gonzalez 2000 (THEORY 2.3): `Δu·f̄ = ΔU` exactly, between states far apart; `f̄` does not change when start and end are
/// exchanged, tends to `f` when they meet, and exerts neither force nor moment (about the mean positions) on the whole.
#[test]
fn discrete_gradient_keeps_the_energy_of_a_step() {
    source("work of the step equals the change of energy [Gonzalez2000]");
    for_each_patch(|label, law, body| {
        let u0 = state(body, law, 24);
        let shake = Random::new(25).vector(u0.len(), 0.05);
        for part in [1.0, 1e-3, 1e-6] {
            let u1: Vec<f64> = u0.iter().zip(&shake).map(|(a, b)| a + part * b).collect();
            let f = force(body, ForceRule::DiscreteGradient, &u0, &u1);
            let work: f64 = (0..u0.len()).map(|i| (u1[i] - u0[i]) * f[i]).sum();
            let change = body.strain_energy(&u1) - body.strain_energy(&u0);
            // the difference of two energies of order 0.1 carries their rounding
            close(format!("{label}: Δu·f̄ over {part}"), work, change, 1e-15);
            let back = force(body, ForceRule::DiscreteGradient, &u1, &u0);
            at_most(format!("{label}: f̄ exchanged over {part}"), distance(&f, &back), 1e-9);
            // finite laws balance about the mean positions, the linear one about the reference
            let dim = body.dim();
            for i in usize::from(revolved(body))..dim {
                let sum: f64 = f.iter().skip(i).step_by(dim).sum();
                close(format!("{label}: Σf̄_{i}"), sum, 0.0, 1e-14);
            }
            let turns = if revolved(body) { 0 } else { dim };
            for (i, j) in [(0, 1), (1, 2), (2, 0)].into_iter().filter(|&(i, j)| i < turns && j < turns) {
                let mut moment = 0.0;
                for node in 0..body.mesh.node_count() {
                    let x = |k: usize| {
                        let mean = 0.5 * (u0[node * dim + k] + u1[node * dim + k]);
                        body.mesh.nodes[node][k] + if finite(law) { mean } else { 0.0 }
                    };
                    moment += x(i) * f[node * dim + j] - x(j) * f[node * dim + i];
                }
                close(format!("{label}: moment of f̄ about axis {i}{j}"), moment, 0.0, 1e-14);
            }
        }
        let same = force(body, ForceRule::DiscreteGradient, &u0, &u0);
        at_most(format!("{label}: f̄(u, u) − f(u)"), distance(&same, &force(body, ForceRule::End, &u0, &u0)), 1e-14);
    });
}

/// A finite turn stores nothing and pulls at nothing; on top of a deformation it keeps the energy and turns the forces.
/// The quarter turn of THEORY 6.2, and a random one.
#[test]
fn rigid_rotation_is_free() {
    source("objectivity: a rotation stores no energy and turns the forces");
    for_each_patch(|label, law, body| {
        if !finite(law) {
            return; // small strain: objective to first order only
        }
        if revolved(body) {
            let along = nodal(&body.mesh, |_| [0.0, 0.7, 0.0]);
            close(format!("{label}: U of a shift along the axis"), body.strain_energy(&along), 0.0, 1e-30);
            return;
        }
        let dim = body.dim();
        let quarter = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        for q in [quarter, Random::new(26).rotation(dim)] {
            let turned = |x: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|i| (0..3).map(|j| q[i][j] * x[j]).sum()) };
            let u = nodal(&body.mesh, |x| std::array::from_fn(|i| turned(x)[i] + 0.7 - x[i]));
            close(format!("{label}: U of a rigid motion"), body.strain_energy(&u), 0.0, 1e-30);
            at_most(format!("{label}: f of a rigid motion"), largest(&force(body, ForceRule::End, &u, &u)), 1e-14);

            let bent = state(body, law, 27);
            let mut both = bent.clone();
            for node in 0..body.mesh.node_count() {
                let x = turned(&body.position(&bent, node).into());
                for i in 0..dim {
                    both[node * dim + i] = x[i] - body.mesh.nodes[node][i];
                }
            }
            close(format!("{label}: U turned"), body.strain_energy(&both), body.strain_energy(&bent), 1e-14);
            let (f, f_turned) = (force(body, ForceRule::End, &bent, &bent), force(body, ForceRule::End, &both, &both));
            for (a, b) in f.chunks_exact(dim).zip(f_turned.chunks_exact(dim)) {
                let expected = turned(&std::array::from_fn(|i| if i < dim { a[i] } else { 0.0 }));
                at_most(format!("{label}: f turned"), distance(&expected[..dim], b), 1e-13);
            }
        }
    });
}

/// An element turned inside out, wholly or by a hair, is an error that names the cell, the point and `det F`; under every
/// rule whose end state it is. The linear law does not know inversion and must not complain.
#[test]
fn an_inverted_element_is_reported() {
    source("determinant of the deformation gradient set by hand");
    for (kind, section, formulation, law) in combinations() {
        {
            let mut body = made(single(kind), section, formulation, law.clone(), Lumping::Consistent);
            let rest = vec![0.0; body.dof_count()];
            for (what, factor) in [("mirrored", -2.0), ("squeezed flat and a little beyond", -1.0 - 1e-6)] {
                let u = nodal(&body.mesh, |x| [0.0, factor * x[1], 0.0]);
                for rule in [ForceRule::End, ForceRule::Intermediate(1.0), ForceRule::DiscreteGradient] {
                    let label = format!("{}, {what}, {rule:?}", label(kind, section, formulation, &law));
                    let outcome = body.internal_force(rule, &rest, &u, &mut vec![0.0; u.len()], Some((0.0, 1.0)));
                    match outcome {
                        Ok(_) => assert!(!finite(&law), "{label}: expected Inverted, got no error"),
                        Err(BodyError::Element { source: ElementError::Inverted { cell, det, .. }, .. }) => {
                            assert!(finite(&law), "{label}: the linear law has no inversion");
                            assert_eq!(cell, CellId(0), "{label}");
                            close(format!("{label}: det F"), det, 1.0 + factor, 1e-14);
                        }
                        Err(other) => panic!("{label}: expected Inverted, got {other}"),
                    }
                }
            }
        }
    }
}

/// "J ≤ 0 at any point rejects the trial state" (THEORY 1.1): the trial state is the end of the step, also for the rule that
/// takes its force half-way, where the cell may still be sound. Energies cannot tell afterwards: they see `C`, not `F`.
#[test]
fn an_end_state_turned_inside_out_is_refused_by_the_intermediate_rule_too() {
    for kind in SHAPES {
        for law in laws().into_iter().filter(finite) {
            let mut body = free_body(single(kind), law.clone(), 1.0, Lumping::Consistent);
            let rest = vec![0.0; body.dof_count()];
            // F = diag(−½, 1, 1) at the end, diag(¼, 1, 1) half-way
            let u = nodal(&body.mesh, |x| [-1.5 * x[0], 0.0, 0.0]);
            let outcome = body.internal_force(ForceRule::Intermediate(0.5), &rest, &u, &mut vec![0.0; u.len()], None);
            let refused = matches!(outcome, Err(BodyError::Element { source: ElementError::Inverted { .. }, .. }));
            assert!(refused, "{kind:?}, {}: det F = −0.5 at the end, expected Inverted, got {outcome:?}", law.name());
        }
    }
}

/// The patch test, every shape, law and formulation in the plane and in space: boundary nodes follow `u = AX`, interior nodes start elsewhere, equilibrium brings
/// them to `AX` (1e-12, four digits above the residual of the solver), interior forces vanish and the stress is the same
/// everywhere (1e-12). The strain is 20 % for the finite laws.
#[test]
fn patch_test_holds_on_distorted_patches() {
    source("patch test: a homogeneous deformation is reproduced on any mesh");
    for (kind, section, formulation, law) in combinations().into_iter().filter(|c| c.1 != Section::Axisymmetric) {
        {
            let label = label(kind, section, formulation, &law);
            let mesh = distorted_mesh(kind, 3, 0.2, 31);
            let dim = mesh.dim();
            let boundary = on_boundary(&mesh);
            let held: Vec<bool> = (0..mesh.node_count() * dim).map(|dof| boundary[dof / dim]).collect();
            let mut random = Random::new(32);
            let a: [[f64; 3]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| 0.2 * random.signed()));
            let exact = nodal(&mesh, |x| std::array::from_fn(|i| (0..dim).map(|j| a[i][j] * x[j]).sum()));
            let mut u = exact.clone();
            for (u, held) in u.iter_mut().zip(&held) {
                if !held {
                    *u += 0.03 * random.signed();
                }
            }
            let mut body = body_of(mesh, law, 1.0, Lumping::Consistent, held.clone(), section, formulation);
            let mut f = vec![0.0; u.len()];
            for _ in 0..12 {
                body.internal_force(ForceRule::End, &u, &u, &mut f, Some((0.0, 1.0))).unwrap();
                body.factor().unwrap();
                let mut x = vec![0.0; body.numbering().equation_count()];
                body.numbering().gather(&f, &mut x);
                body.factorization().solve(&mut x);
                body.numbering().scatter_add(&x, -1.0, &mut u);
            }
            at_most(format!("{label}: displacement from AX"), distance(&u, &exact), 1e-12);
            let f = force(&mut body, ForceRule::End, &exact, &exact);
            for (dof, f) in f.iter().enumerate().filter(|(dof, _)| !held[*dof]) {
                close(format!("{label}: force on interior unknown {dof}"), *f, 0.0, 1e-13);
            }
            let mut stresses = Vec::new();
            for group in body.groups() {
                group.stresses(&u, &mut |_, _, points| stresses.extend(points.iter().map(|p| (p.pk2, p.cauchy))));
            }
            for (pk2, cauchy) in &stresses {
                at_most(format!("{label}: S differs by"), distance(pk2, &stresses[0].0), 1e-12);
                at_most(format!("{label}: σ differs by"), distance(cauchy, &stresses[0].1), 1e-12);
            }
            assert!(largest(&stresses[0].0) > 1e-2, "{label}: the patch is under stress");
        }
    }
}

/// The explicit step a body states is stable: `Δt ≤ 2/ω_max` with `ω_max` from the eigenvalues of the lumped system
/// (Flanagan and Belytschko 1981; THEORY 2.3), and not absurdly small (a factor 4).
#[test]
fn critical_step_is_safe() {
    source("largest eigenvalue of the lumped system [FlanaganBelytschko1981]");
    for (kind, section, formulation, law) in combinations() {
        {
            for mesh in [single(kind), patch(kind)] {
                let rest = vec![0.0; mesh.node_count() * mesh.dim()];
                let mut body = made(mesh, section, formulation, law.clone(), Lumping::Lumped);
                let mut k = stiffness(&mut body, ForceRule::End, &rest, &rest);
                let dim = body.dim();
                let m: Vec<f64> = (0..k.len())
                    .map(|dof| body.mass().row(dof / dim).filter(|(b, _)| *b == dof / dim).map(|(_, m)| m).sum())
                    .collect();
                for i in 0..k.len() {
                    for j in 0..k.len() {
                        k[i][j] /= (m[i] * m[j]).sqrt();
                    }
                }
                let top = eigenvalues(k).pop().unwrap();
                let (stated, exact) = (body.critical_step(), 2.0 / top.sqrt());
                assert!(
                    stated <= exact && stated > exact / 4.0,
                    "{kind:?}, {}: stated step {stated:.4e}, exact limit {exact:.4e}, expected a ratio in (1/4, 1]",
                    law.name()
                );
            }
        }
    }
}
