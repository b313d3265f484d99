//! What loads on facets and damping give to the nodes: patch test of tractions, tangent and work of a following pressure, a thick
//! ring against Lamé, and the damping matrix.

mod support;

use impakt::bodies::{BodyState, Deformable, DeformableSpec, FollowingPressure, Loads, OuterForces, Rayleigh, Span};
use impakt::elements::{Lumping, Section};
use impakt::integrator::{ContactWork, Force, Jean, Ledger, Newton, NewtonOptions, NoReactions, System};
use impakt::materials::{Hooke, Law, Material, NeoHooke};
use impakt::mesh::generate::{PlaneCells, Rectangle, rectangle};
use impakt::mesh::{CellKind, Mesh};
use impakt::time::TimeFunction;
use support::claims::source;
use support::{Random, SHAPES, at_most, close, dense, distorted_mesh, free_body};

fn pressed(mesh: Mesh, set: &str, pressure: f64) -> Deformable {
    let section = if mesh.dim() == 2 { Section::PlaneStrain(1.0) } else { Section::Solid };
    pressed_in(mesh, set, pressure, section)
}

fn pressed_in(mesh: Mesh, set: &str, pressure: f64, section: Section) -> Deformable {
    let facets = mesh.face_sets[set].clone();
    let material = Material { density: 1.0, law: Law::NeoHooke(NeoHooke::new(10.0, 0.3)) };
    let mut body = Deformable::new(DeformableSpec { section, ..DeformableSpec::new("body", mesh, material) }).unwrap();
    let pressure = TimeFunction::Constant(pressure);
    body.set_loads(Loads { pressures: vec![FollowingPressure { pressure, facets }], ..Loads::default() });
    body
}

fn force(body: &mut Deformable, span: &Span, u0: &[f64], u1: &[f64]) -> Vec<f64> {
    let old = BodyState::moving(u0.to_vec(), vec![0.0; u0.len()]);
    let mut forces = OuterForces::new(body);
    body.begin_outer(span, &mut forces).unwrap();
    body.outer_force(span, &old, u1, &old.v, &mut forces, false).unwrap();
    forces.external
}

/// Newton's matrix holds minus the symmetric part of the derivative of the force by the end of the step. Over the whole
/// surface the derivative is symmetric by itself, so there it is complete.
#[test]
fn tangent_is_the_symmetric_part_of_the_difference_quotient() {
    support::claims::source("central differences of the force");
    let span = Span { start: 0.0, dt: 1.0, weight: 0.6, rate: 1.0, moves: true };
    let ring = (CellKind::Quad4, Section::Axisymmetric);
    let standard = SHAPES.map(|k| (k, if k.dim() == 2 { Section::PlaneStrain(1.0) } else { Section::Solid }));
    for (kind, section) in standard.into_iter().chain([ring]) {
        let side = if matches!(kind, CellKind::Tri3 | CellKind::Quad4) { "right" } else { "x_max" };
        for (set, closed) in [("surface", true), (side, false)] {
            let mut mesh = distorted_mesh(kind, 3, 0.2, 7);
            if section == Section::Axisymmetric {
                mesh.nodes.iter_mut().for_each(|x| x[0] += 0.5);
            }
            let mut body = pressed_in(mesh, set, 2.0, section);
            let n = body.dof_count();
            let mut random = Random::new(3);
            let (u0, u1) = (random.vector(n, 0.03), random.vector(n, 0.03));
            let old = BodyState::moving(u0.clone(), vec![0.0; n]);
            let mut forces = OuterForces::new(&body);
            let mut inner = vec![0.0; n];
            let rule = impakt::elements::ForceRule::End;
            body.internal_force(rule, &u0, &u1, &mut inner, Some((0.0, 0.0))).unwrap();
            body.begin_outer(&span, &mut forces).unwrap();
            body.outer_force(&span, &old, &u1, &old.v, &mut forces, true).unwrap();
            let matrix = dense(&body);
            let mut quotient = vec![vec![0.0; n]; n];
            for column in 0..n {
                let h = 1e-3; // the force is a polynomial of second degree: central differences are exact
                let mut moved = u1.clone();
                moved[column] += h;
                let plus = force(&mut body, &span, &u0, &moved);
                moved[column] -= 2.0 * h;
                let minus = force(&mut body, &span, &u0, &moved);
                for row in 0..n {
                    quotient[row][column] = (plus[row] - minus[row]) / (2.0 * h);
                }
            }
            // rounding of the quotients is ε f/h: forces on a ring are 2πr times those on a slice
            let rounding = 1e-12 * section.measure(1.5);
            let (mut error, mut skew) = (0.0f64, 0.0f64);
            for i in 0..n {
                for j in 0..n {
                    error = error.max((matrix[i][j] + 0.5 * (quotient[i][j] + quotient[j][i])).abs());
                    skew = skew.max((quotient[i][j] - quotient[j][i]).abs());
                }
            }
            at_most(format!("{kind:?} {section:?} {set}: matrix against differences"), error, rounding);
            if closed {
                at_most(format!("{kind:?} {section:?}: skew part over the closed surface"), skew, rounding);
            } else {
                assert!(skew > 1e-3, "{kind:?}: an open surface has a skew part, measured {skew:e}");
            }
        }
    }
}

/// Enclosed area or volume of a deformed mesh by `∫ x·n dA / dim`, with the force of a unit pressure as `−∫ N n dA`.
fn enclosed(body: &mut Deformable, u: &[f64]) -> f64 {
    let span = Span { start: 0.0, dt: 1.0, weight: 1.0, rate: 1.0, moves: true };
    let f = force(body, &span, u, u);
    let dim = body.dim();
    let x = |dof: usize| body.mesh.nodes[dof / dim][dof % dim] + u[dof];
    -(0..f.len()).map(|dof| f[dof] * x(dof)).sum::<f64>() / dim as f64
}

/// With ξ = ½ the work of a constant pressure on a plane body is −p ΔA, whatever the step; in space it is −p ΔV up to the
/// cube of the step.
#[test]
fn work_is_pressure_times_the_change_of_volume() {
    support::claims::source("divergence theorem: work = -p dV");
    let span = Span { start: 0.0, dt: 1.0, weight: 0.5, rate: 1.0, moves: true };
    for kind in SHAPES {
        let mut body = pressed(distorted_mesh(kind, 3, 0.2, 11), "surface", 1.0);
        let n = body.dof_count();
        let u0 = Random::new(5).vector(n, 0.05);
        let direction = Random::new(6).vector(n, 1.0);
        close(format!("{kind:?}: undeformed volume"), enclosed(&mut body, &vec![0.0; n]), 1.0, 1e-12);
        let defect = |body: &mut Deformable, h: f64| {
            let u1: Vec<f64> = u0.iter().zip(&direction).map(|(u, d)| u + h * d).collect();
            let f = force(body, &span, &u0, &u1);
            let work: f64 = (0..n).map(|dof| f[dof] * h * direction[dof]).sum();
            (work + enclosed(body, &u1) - enclosed(body, &u0)).abs()
        };
        let (coarse, fine) = (defect(&mut body, 0.1), defect(&mut body, 0.05));
        if kind == CellKind::Tri3 || kind == CellKind::Quad4 {
            at_most(format!("{kind:?}: defect"), coarse, 1e-14);
        } else {
            close(format!("{kind:?}: order of the defect"), (coarse / fine).log2(), 3.0, 0.05);
        }
    }
}

/// Pressure on a body of revolution acts on whole rings: it encloses `π(b²−a²)h`, and pushes on the upper face with that much.
#[test]
fn pressure_on_a_body_of_revolution_acts_on_the_whole_ring() {
    source("volume and area of a ring in closed form");
    let mut mesh = distorted_mesh(CellKind::Quad4, 3, 0.2, 11);
    mesh.nodes.iter_mut().for_each(|x| x[0] += 0.5);
    let area = std::f64::consts::PI * (1.5 * 1.5 - 0.5 * 0.5);
    let span = Span { start: 0.0, dt: 1.0, weight: 1.0, rate: 1.0, moves: true };
    let rest = vec![0.0; 2 * mesh.node_count()];
    let mut body = pressed_in(mesh.clone(), "surface", 1.0, Section::Axisymmetric);
    // x·n integrates to three volumes, with the radius counted twice by the ring
    let f = force(&mut body, &span, &rest, &rest);
    let moment: f64 = (0..f.len()).map(|dof| f[dof] * body.mesh.nodes[dof / 2][dof % 2]).sum();
    close("enclosed volume", -moment / 3.0, area, 1e-12);
    let mut body = pressed_in(mesh, "top", 2.0, Section::Axisymmetric);
    let f = force(&mut body, &span, &rest, &rest);
    close("force on the upper face", f.iter().skip(1).step_by(2).sum(), -2.0 * area, 1e-12);
}

/// A quarter of a ring: a rectangle in polar coordinates; `left` is the inside, `bottom` and `top` lie on the axes.
fn quarter_ring(inner: f64, outer: f64, divisions: [usize; 2]) -> Mesh {
    let angle = std::f64::consts::FRAC_PI_2;
    let polar = Rectangle { min: [inner, 0.0], max: [outer, angle], divisions, cells: PlaneCells::Quads };
    let mut mesh = rectangle(&polar).unwrap();
    for x in &mut mesh.nodes {
        let (r, (sin, cos)) = (x[0], x[1].sin_cos());
        *x = [r * cos, r * sin, 0.0];
    }
    mesh
}

/// Inflation of a thick ring (a = 1, b = 2, plane strain) to rest by a damped run with long steps. Lamé:
/// u(r) = p a²(1+ν)/(E(b²−a²)) [(1−2ν) r + b²/r]. Small pressure: following and dead pressure agree with it to the error of
/// the mesh, which falls with h².
#[test]
fn thick_ring_against_lame() {
    support::claims::source("Lame's thick ring in plane strain");
    let (a, b, young, poisson, pressure) = (1.0f64, 2.0f64, 1000.0, 0.3, 0.01);
    let lame = |r: f64| {
        pressure * a * a * (1.0 + poisson) / (young * (b * b - a * a)) * ((1.0 - 2.0 * poisson) * r + b * b / r)
    };
    let mut errors = Vec::new();
    for n in [6, 12] {
        let mesh = quarter_ring(a, b, [n, 2 * n]);
        let mut held = vec![false; 2 * mesh.node_count()];
        for node in &mesh.node_sets["bottom"] {
            held[2 * node.index() + 1] = true;
        }
        for node in &mesh.node_sets["top"] {
            held[2 * node.index()] = true;
        }
        let (inside, facets) = (mesh.node_sets["left"].clone(), mesh.face_sets["left"].clone());
        let material = Material { density: 1.0, law: Law::SaintVenantKirchhoff(Hooke::new(young, poisson)) };
        let mut body = Deformable::new(DeformableSpec { held, ..DeformableSpec::new("ring", mesh, material) }).unwrap();
        body.set_damping(&[Rayleigh { mass: 10.0, stiffness: 0.0 }]).unwrap();
        let pressure = TimeFunction::Constant(pressure);
        body.set_loads(Loads { pressures: vec![FollowingPressure { pressure, facets }], ..Loads::default() });
        let dofs = body.dof_count();
        let mut system = System::new(vec![body.into()], vec![BodyState::zero(dofs)]);
        // the other schemes for their ledger, the last one for the place of rest
        let schemes =
            [(0.5, Force::Midpoint), (0.5, Force::DiscreteGradient), (0.6, Force::Midpoint), (1.0, Force::Trapezoidal)];
        for (theta, force) in schemes {
            let scheme = Jean { theta, xi: theta, force };
            system.states[0] = BodyState::zero(dofs);
            system.time = 0.0;
            let mut ledger = Ledger::open(&system);
            let mut largest = 0.0f64;
            for step in 0..40 {
                Newton { options: NewtonOptions::default() }
                    .step(&scheme, &mut system, &mut NoReactions, 1.0)
                    .unwrap_or_else(|e| panic!("{scheme:?}, step {step}: {e}"));
                let mut next = BodyState::moving(system.trial(0).to_vec(), vec![0.0; dofs]);
                system.end_velocity(&scheme, 0, 1.0, &mut next.v);
                let next = vec![next];
                ledger.book(&scheme, &system, &next, 1.0, ContactWork::default());
                system.states = next;
                system.time += 1.0;
                largest = largest.max(ledger.now.external_work.abs());
            }
            at_most(format!("{scheme:?}: ledger"), ledger.now.error.abs(), 1e-10 * largest);
        }
        let state = &system.states[0];
        let radial: Vec<f64> = inside
            .iter()
            .map(|node| {
                let x = system.with_nodes(0).mesh.nodes[node.index()];
                (x[0] * state.u[2 * node.index()] + x[1] * state.u[2 * node.index() + 1]) / a
            })
            .collect();
        let mean = radial.iter().sum::<f64>() / radial.len() as f64;
        println!("n = {n}: {mean:.8e} against {:.8e}", lame(a));
        errors.push((mean / lame(a) - 1.0).abs());
    }
    at_most("error with 12 elements through the wall", errors[1], 4e-3);
    close("order in the mesh", (errors[0] / errors[1]).log2(), 2.0, 0.25);
}

/// A linear field of displacements has the same stress everywhere: the tractions `σ n` on the whole surface, spread over the
/// nodes by `∫ N n dA`, balance its internal force at every node of a distorted mesh.
#[test]
fn tractions_pass_the_patch_test() {
    support::claims::source("patch test: constant stress balances its tractions");
    let hooke = Hooke::new(100.0, 0.3);
    for kind in SHAPES {
        let mesh = distorted_mesh(kind, 3, 0.2, 21);
        let (dim, facets) = (mesh.dim(), mesh.face_sets["surface"].clone());
        let mut gradient = [[0.0; 3]; 3];
        for (i, row) in gradient[..dim].iter_mut().enumerate() {
            for (j, h) in row[..dim].iter_mut().enumerate() {
                *h = 1e-2 * (1.0 + i as f64) * (j as f64 - 0.7);
            }
        }
        let u = support::nodal(&mesh, |x| [0, 1, 2].map(|i| (0..3).map(|j| gradient[i][j] * x[j]).sum()));
        let trace: f64 = (0..3).map(|i| gradient[i][i]).sum();
        let (lambda, mu) = (100.0 * 0.3 / (1.3 * 0.4), 100.0 / 2.6);
        let stress =
            |i: usize, j: usize| mu * (gradient[i][j] + gradient[j][i]) + if i == j { lambda * trace } else { 0.0 };
        let mut outer = vec![0.0; u.len()];
        let mut area = 0.0;
        let section = if dim == 2 { Section::PlaneStrain(1.0) } else { Section::Solid };
        for (node, share, vector) in impakt::bodies::facets::nodal_areas(&mesh, &facets, section) {
            area += share;
            for i in 0..dim {
                outer[node.index() * dim + i] += (0..dim).map(|j| stress(i, j) * vector[j]).sum::<f64>();
            }
        }
        close(format!("{kind:?}: surface"), area, 2.0 * dim as f64, 1e-12);
        let mut body = free_body(mesh, Law::Linear(hooke), 1.0, Lumping::Consistent);
        let mut inner = vec![0.0; u.len()];
        body.internal_force(impakt::elements::ForceRule::End, &u, &u, &mut inner, None).unwrap();
        at_most(format!("{kind:?}: tractions against internal forces"), support::distance(&inner, &outer), 1e-12);
    }
}

/// `C v = αMv + βK₀v` with `K₀v` from differences of the internal force at rest, held unknowns included; and the matrix of
/// the step gains `ξ/(θΔt) C` on the others.
#[test]
fn damping_matrix_is_that_of_rayleigh() {
    support::claims::source("C = alpha M + beta K0, differences of the internal force");
    let (alpha, beta) = (3.0, 0.02);
    for kind in SHAPES {
        let mesh = distorted_mesh(kind, 3, 0.2, 5);
        let n = mesh.node_count() * mesh.dim();
        let held: Vec<bool> = (0..n).map(|dof| dof % 7 == 0).collect();
        let law = Law::NeoHooke(NeoHooke::new(10.0, 0.3));
        let mut body = support::body(mesh, law, 2.0, Lumping::Consistent, held.clone());
        let v = Random::new(9).vector(n, 1.0);
        let mut mass = vec![0.0; n];
        body.mass().multiply(body.dim(), &v, &mut mass);
        let rest = vec![0.0; n];
        let stiffness = support::difference(1e-4, |h| {
            let u: Vec<f64> = v.iter().map(|x| h * x).collect();
            let mut f = vec![0.0; n];
            body.internal_force(impakt::elements::ForceRule::End, &u, &u, &mut f, None).unwrap();
            f
        });
        body.set_damping(&[Rayleigh { mass: alpha, stiffness: beta }]).unwrap();
        let span = Span { start: 0.0, dt: 0.1, weight: 0.6, rate: 12.0, moves: true };
        let old = BodyState::moving(rest.clone(), vec![0.0; n]);
        let mut forces = OuterForces::new(&body);
        let mut inner = vec![0.0; n];
        body.internal_force(impakt::elements::ForceRule::End, &rest, &rest, &mut inner, Some((0.0, 0.0))).unwrap();
        body.begin_outer(&span, &mut forces).unwrap();
        body.outer_force(&span, &old, &rest, &v, &mut forces, true).unwrap();
        let expected: Vec<f64> = (0..n).map(|k| 0.6 * (alpha * mass[k] + beta * stiffness[k])).collect();
        at_most(format!("{kind:?}: C v"), support::distance(&forces.damping, &expected), 1e-9);
        // the same product through the matrix of the step, for a velocity of the unknowns that are solved for
        let free: Vec<usize> = (0..n).filter(|dof| !held[*dof]).collect();
        let moving: Vec<f64> = (0..n).map(|dof| if held[dof] { 0.0 } else { v[dof] }).collect();
        body.outer_force(&span, &old, &rest, &moving, &mut forces, false).unwrap();
        let matrix = dense(&body);
        for (row, &dof) in free.iter().enumerate() {
            let product: f64 = free.iter().enumerate().map(|(k, &d)| matrix[row][k] * v[d]).sum();
            close(format!("{kind:?}: row {dof}"), product, 12.0 * forces.damping[dof], 1e-10);
        }
    }
}
