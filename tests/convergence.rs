//! Do the elements and the time scheme converge, at the rate they state?
//!
//! Space: a manufactured static solution of linear elasticity on the unit square and cube, for every shape; slopes 2 in L2
//! and 1 in the H1 seminorm within 0.1 (STYLE part 4). Time: Jean's scheme (THEORY 2.1) on an oscillator with a closed
//! form and on a free neo-Hooke body against a fine step; the slope equals `info().order` within 0.1. Conservation:
//! THEORY 2.2, 2.3 and row "free flight, spin" of 6.2.
//!
//! `cargo test --release --test convergence -- --nocapture` prints the tables.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use std::f64::consts::PI;

use impakt::bodies::{BodyState, Deformable, DeformableSpec};
use impakt::elements::{ForceRule, Hex8, Lumping, Quad4, Shape, Tet4, Tri3};
use impakt::integrator::{ContactWork, Force, Integrator, Jean, Ledger, Newton, NoReactions, System};
use impakt::materials::{BlatzKo, Hooke, Law, Material, NeoHooke};
use impakt::mesh::{CellKind, Mesh};
use support::claims::source;
use support::{
    Random, at_most, body, close, distance, distorted_mesh, free_body, largest, nodal, on_boundary, unit_mesh,
};

// ---- space ------------------------------------------------------------------------------------------------------------

/// `u_i = a_i s`, `s = Π sin πx_j`: zero on the boundary of the unit square or cube.
struct Manufactured {
    dim: usize,
    amplitude: [f64; 3],
    lambda: f64,
    mu: f64,
}

impl Manufactured {
    fn displacement(&self, x: &[f64; 3]) -> [f64; 3] {
        let s: f64 = (0..self.dim).map(|j| (PI * x[j]).sin()).product();
        self.amplitude.map(|a| a * s)
    }

    /// `∂s/∂x_i`.
    fn slope(&self, x: &[f64; 3], i: usize) -> f64 {
        (0..self.dim).map(|j| if j == i { PI * (PI * x[j]).cos() } else { (PI * x[j]).sin() }).product()
    }

    /// `∂²s/∂x_i∂x_m`.
    fn curvature(&self, x: &[f64; 3], i: usize, m: usize) -> f64 {
        if i == m {
            return -PI * PI * (0..self.dim).map(|j| (PI * x[j]).sin()).product::<f64>();
        }
        (0..self.dim).map(|j| if j == i || j == m { PI * (PI * x[j]).cos() } else { (PI * x[j]).sin() }).product()
    }

    /// `b = −div σ = −(λ+μ)∇(div u) − μΔu`, with `∂_i div u = Σ_m a_m ∂_i∂_m s` and `Δu_i = −dim π² u_i`.
    fn load(&self, x: &[f64; 3]) -> [f64; 3] {
        let u = self.displacement(x);
        std::array::from_fn(|i| {
            if i >= self.dim {
                return 0.0;
            }
            let grad_div: f64 = (0..self.dim).map(|m| self.amplitude[m] * self.curvature(x, i, m)).sum();
            -(self.lambda + self.mu) * grad_div + self.mu * self.dim as f64 * PI * PI * u[i]
        })
    }
}

/// Errors in L2 and in the H1 seminorm, with three Gauss points along each axis (on simplices through the collapsed
/// square or cube), one order above the elements' own rule.
fn errors<S: Shape<D, N>, const D: usize, const N: usize>(mesh: &Mesh, u: &[f64], exact: &Manufactured) -> (f64, f64) {
    let line = [(-0.6f64.sqrt(), 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.6f64.sqrt(), 5.0 / 9.0)];
    let simplex = N == D + 1;
    let mut rule: Vec<([f64; D], f64)> = Vec::new();
    for k in 0..3usize.pow(D as u32) {
        let points: [(f64, f64); D] = std::array::from_fn(|i| line[k / 3usize.pow(i as u32) % 3]);
        let mut weight: f64 = points.iter().map(|p| p.1).product();
        let mut xi = points.map(|p| p.0);
        if simplex {
            let mut left = 1.0;
            for i in 0..D {
                let t = 0.5 * (1.0 + xi[i]);
                xi[i] = t * left;
                weight *= 0.5 * left;
                left *= 1.0 - t;
            }
        }
        rule.push((xi, weight));
    }
    let (mut l2, mut h1) = (0.0, 0.0);
    for (_, _, nodes) in mesh.cells() {
        for (xi, weight) in &rule {
            let (n, g) = (S::values(xi), S::gradients(xi));
            let mut x = [0.0; 3];
            let (mut jacobian, mut parent, mut value) = ([[0.0; D]; D], [[0.0; D]; D], [0.0; D]);
            for (a, node) in nodes.iter().enumerate() {
                for i in 0..D {
                    let (place, moved) = (mesh.nodes[node.index()][i], u[node.index() * D + i]);
                    x[i] += n[a] * place;
                    value[i] += n[a] * moved;
                    for k in 0..D {
                        jacobian[i][k] += place * g[a][k];
                        parent[i][k] += moved * g[a][k];
                    }
                }
            }
            // Cramer's rule: ∂u_i/∂x_j solves Σ_j (∂u_i/∂x_j) J_jk = ∂u_i/∂ξ_k
            let volume = determinant(&jacobian);
            let expected = exact.displacement(&x);
            for i in 0..D {
                l2 += weight * volume * (value[i] - expected[i]).powi(2);
                for j in 0..D {
                    let mut replaced = jacobian;
                    replaced[j] = parent[i];
                    let slope = determinant(&replaced) / volume;
                    h1 += weight * volume * (slope - exact.amplitude[i] * exact.slope(&x, j)).powi(2);
                }
            }
        }
    }
    (l2.sqrt(), h1.sqrt())
}

fn determinant<const D: usize>(m: &[[f64; D]; D]) -> f64 {
    if D == 2 {
        return m[0][0] * m[1][1] - m[0][1] * m[1][0];
    }
    (0..3).map(|i| m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3])).sum()
}

/// Solves on `n` cells along each axis, on a mesh that is bent smoothly (so that cells are neither alike nor rectangular).
fn solve_static(kind: CellKind, n: usize) -> (Mesh, Vec<f64>, Manufactured) {
    let law = Law::Linear(Hooke::new(1.0, 0.3));
    let (lambda, mu) = law.lame();
    let mut mesh = unit_mesh(kind, n);
    let dim = mesh.dim();
    let exact = Manufactured { dim, amplitude: [1.0, -0.7, 0.5], lambda, mu };
    let boundary = on_boundary(&mesh);
    for (x, _) in mesh.nodes.iter_mut().zip(&boundary).filter(|(_, boundary)| !**boundary) {
        let bump: f64 = x[..dim].iter().map(|c| (2.0 * PI * c).sin()).product();
        x[..dim].iter_mut().enumerate().for_each(|(i, c)| *c += [0.03, -0.02, 0.02][i] * bump);
    }
    let held = (0..mesh.node_count() * dim).map(|dof| boundary[dof / dim]).collect();
    let mut body = body(mesh.clone(), law.clone(), 1.0, Lumping::Consistent, held);
    // ∫N b through the consistent mass: b is interpolated, which costs O(h²) in the energy norm
    let b = nodal(&mesh, |x| exact.load(x));
    let mut load = vec![0.0; b.len()];
    body.mass().multiply(dim, &b, &mut load);
    let mut u = vec![0.0; b.len()];
    let rest = u.clone();
    body.internal_force(ForceRule::End, &rest, &rest, &mut vec![0.0; b.len()], Some((0.0, 1.0))).unwrap();
    body.factor().unwrap();
    let mut x = vec![0.0; body.numbering().equation_count()];
    body.numbering().gather(&load, &mut x);
    body.factorization().solve(&mut x);
    body.numbering().scatter_add(&x, 1.0, &mut u);
    (mesh, u, exact)
}

fn converges_in_space<S: Shape<D, N>, const D: usize, const N: usize>(kind: CellKind, divisions: [usize; 3]) {
    let table: Vec<(f64, f64)> = divisions
        .iter()
        .map(|&n| {
            let (mesh, u, exact) = solve_static(kind, n);
            errors::<S, D, N>(&mesh, &u, &exact)
        })
        .collect();
    let slope = |k: usize, pick: fn(&(f64, f64)) -> f64| {
        (pick(&table[k]) / pick(&table[k + 1])).ln() / (divisions[k + 1] as f64 / divisions[k] as f64).ln()
    };
    for k in 0..2 {
        println!(
            "{kind:?}: n = {} → {}: L2 {:.3e} → {:.3e} (slope {:.3}), H1 {:.3e} → {:.3e} (slope {:.3})",
            divisions[k],
            divisions[k + 1],
            table[k].0,
            table[k + 1].0,
            slope(k, |e| e.0),
            table[k].1,
            table[k + 1].1,
            slope(k, |e| e.1)
        );
    }
    close(
        format!("{kind:?}: slope of the error in L2, n = {} to {}", divisions[1], divisions[2]),
        slope(1, |e| e.0),
        2.0,
        0.1,
    );
    close(
        format!("{kind:?}: slope of the error in the H1 seminorm, n = {} to {}", divisions[1], divisions[2]),
        slope(1, |e| e.1),
        1.0,
        0.1,
    );
}

#[test]
fn triangles_converge() {
    source("manufactured solution of linear elasticity on a bent mesh: slopes 2 in L2 and 1 in the H1 seminorm");
    converges_in_space::<Tri3, 2, 3>(CellKind::Tri3, [16, 32, 64]);
}

#[test]
fn quadrilaterals_converge() {
    source("manufactured solution of linear elasticity on a bent mesh: slopes 2 in L2 and 1 in the H1 seminorm");
    converges_in_space::<Quad4, 2, 4>(CellKind::Quad4, [16, 32, 64]);
}

#[test]
fn tetrahedra_converge() {
    source("manufactured solution of linear elasticity on a bent mesh: slopes 2 in L2 and 1 in the H1 seminorm");
    converges_in_space::<Tet4, 3, 4>(CellKind::Tet4, [6, 12, 24]);
}

#[test]
fn hexahedra_converge() {
    source("manufactured solution of linear elasticity on a bent mesh: slopes 2 in L2 and 1 in the H1 seminorm");
    converges_in_space::<Hex8, 3, 8>(CellKind::Hex8, [4, 8, 16]);
}

// ---- time -------------------------------------------------------------------------------------------------------------

/// Newton's default tolerances: what holds here holds for a user.
fn newton() -> Newton {
    Newton::default()
}

const CONSERVING: [Jean; 3] = [
    Jean { theta: 0.5, xi: 0.5, force: Force::Trapezoidal },
    Jean { theta: 0.5, xi: 0.5, force: Force::Midpoint },
    Jean { theta: 0.5, xi: 0.5, force: Force::DiscreteGradient },
];

/// All schemes whose order is measured.
fn schemes() -> Vec<Jean> {
    let mut all = CONSERVING.to_vec();
    for (theta, xi) in [(1.0, 1.0), (0.6, 0.6), (0.5, 1.0), (1.0, 0.5)] {
        all.extend([Force::Trapezoidal, Force::Midpoint].map(|force| Jean { theta, xi, force }));
    }
    all
}

/// Steps a body without contact; `each` sees it after every step. The ledger must close throughout: its error is at most
/// 1e-10 of the largest energy met (THEORY 2.2).
fn march(
    body: Deformable,
    start: &BodyState,
    scheme: &Jean,
    dt: f64,
    steps: usize,
    mut each: impl FnMut(&Deformable, &BodyState, &Ledger),
) -> BodyState {
    let mut system = System::new(vec![body.into()], vec![start.clone()]);
    let mut ledger = Ledger::open(&system);
    let mut top = ledger.initial();
    for step in 0..steps {
        newton()
            .step(scheme, &mut system, &mut NoReactions, dt)
            .unwrap_or_else(|e| panic!("{scheme:?}, step {step}: {e}"));
        let mut next = BodyState::moving(system.trial(0).to_vec(), vec![0.0; start.v.len()]);
        scheme.velocity(&system.states[0], &next.u, dt, &mut next.v);
        let next = vec![next];
        ledger.book(scheme, &system, &next, dt, ContactWork::default());
        top = f64::max(top, ledger.now.total());
        at_most(format!("{scheme:?}, step {step}: ledger error, relative"), ledger.now.error.abs() / top, 1e-10);
        system.states = next;
        each(system.with_nodes(0), &system.states[0], &ledger);
    }
    system.states.remove(0)
}

fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

/// A unit Quad4 between rollers, its lower edge held: one degree of freedom, stiffness `λ+2μ`, mass `ρ/3` (consistent), so
/// `u = u₀ cos ωt + v₀/ω sin ωt` with `ω² = 3(λ+2μ)/ρ`. Order measured between 200 and 400 steps of a tenth of a radian
/// and less: higher terms are 1 % of the error.
#[test]
fn order_on_an_oscillator_is_the_stated_one() {
    source("closed form of an oscillator; order of the scheme [Jean1999]");
    let law = Law::Linear(Hooke::new(1.0, 0.3));
    let (lambda, mu) = law.lame();
    let omega = (3.0 * (lambda + 2.0 * mu) / 2.0).sqrt();
    let (u0, v0, end) = (0.3, 0.5, 3.0);
    let mesh = unit_mesh(CellKind::Quad4, 1);
    let upper: Vec<bool> = (0..8).map(|dof| dof % 2 == 1 && mesh.nodes[dof / 2][1] == 1.0).collect();
    let start = BodyState::moving(
        upper.iter().map(|&free| if free { u0 } else { 0.0 }).collect(),
        upper.iter().map(|&free| if free { v0 } else { 0.0 }).collect(),
    );
    let free = upper.iter().position(|&free| free).unwrap();
    let (s, c) = (omega * end).sin_cos();
    let (u_exact, v_exact) = (u0 * c + v0 / omega * s, v0 * c - omega * u0 * s);
    for scheme in schemes() {
        let error = |steps: usize| {
            let held = upper.iter().map(|free| !free).collect();
            let body = body(mesh.clone(), law.clone(), 2.0, Lumping::Consistent, held);
            let last = march(body, &start, &scheme, end / steps as f64, steps, |_, _, _| {});
            (last.u[free] - u_exact).hypot((last.v[free] - v_exact) / omega)
        };
        let (coarse, fine) = (error(200), error(400));
        let measured = order(coarse, fine);
        println!("oscillator, {scheme:?}: errors {coarse:.3e}, {fine:.3e}, order {measured:.3}");
        close(format!("oscillator, {scheme:?}: order"), measured, scheme.info().order as f64, 0.1);
    }
}

/// A body that is stretched by `stretch` along x and spins about z with `spin`, about the centre of the unit square or cube.
fn stretched_and_spinning(mesh: &Mesh, stretch: f64, spin: f64) -> BodyState {
    BodyState::moving(
        nodal(mesh, |x| [(stretch - 1.0) * (x[0] - 0.5), 0.0, 0.0]),
        nodal(mesh, |x| [-spin * (x[1] - 0.5), spin * stretch * (x[0] - 0.5), 0.0]),
    )
}

/// A free neo-Hooke square, stretched by 20 % and spinning: no closed form, the reference is 1024 steps of the midpoint
/// rule, whose error is 1/64 of the finest second-order error measured (a bias of 0.03 in the slope).
#[test]
fn order_on_a_nonlinear_body_is_the_stated_one() {
    source("the same body in 1024 steps of the midpoint rule; order of the scheme");
    let law = Law::NeoHooke(NeoHooke::new(1.0, 0.3));
    let mesh = distorted_mesh(CellKind::Quad4, 2, 0.2, 41);
    let start = stretched_and_spinning(&mesh, 1.2, 1.0);
    let end = 1.0;
    let run = |scheme: &Jean, steps: usize| {
        let body = free_body(mesh.clone(), law.clone(), 1.0, Lumping::Consistent);
        march(body, &start, scheme, end / steps as f64, steps, |_, _, _| {})
    };
    let reference = run(&CONSERVING[1], 1024);
    for scheme in schemes() {
        let error = |steps: usize| {
            let last = run(&scheme, steps);
            distance(&last.u, &reference.u).max(distance(&last.v, &reference.v))
        };
        // first-order schemes: the second-order term fades only with finer steps
        let steps = if scheme.info().order == 2 { 64 } else { 256 };
        let (coarse, fine) = (error(steps), error(2 * steps));
        let measured = order(coarse, fine);
        println!("neo-Hooke body, {scheme:?}: errors {coarse:.3e}, {fine:.3e}, order {measured:.3}");
        close(format!("neo-Hooke body, {scheme:?}: order"), measured, scheme.info().order as f64, 0.1);
    }
}

// ---- conservation -----------------------------------------------------------------------------------------------------

fn energy(body: &Deformable, state: &BodyState) -> f64 {
    body.strain_energy(&state.u) + body.kinetic_energy(&state.v, &mut vec![0.0; state.v.len()])
}

/// `Σ x × Mv` about the origin.
fn angular_momentum(body: &Deformable, state: &BodyState) -> [f64; 3] {
    let dim = body.dim();
    let mut p = vec![0.0; state.v.len()];
    body.mass().multiply(dim, &state.v, &mut p);
    let mut total = [0.0; 3];
    for node in 0..body.mesh.node_count() {
        let x = body.position(&state.u, node);
        let p: [f64; 3] = std::array::from_fn(|i| if i < dim { p[node * dim + i] } else { 0.0 });
        for i in 0..3 {
            total[i] += x[(i + 1) % 3] * p[(i + 2) % 3] - x[(i + 2) % 3] * p[(i + 1) % 3];
        }
    }
    total
}

fn momentum(body: &Deformable, state: &BodyState) -> [f64; 3] {
    let dim = body.dim();
    let mut p = vec![0.0; state.v.len()];
    body.mass().multiply(dim, &state.v, &mut p);
    std::array::from_fn(|i| if i < dim { p.iter().skip(i).step_by(dim).sum() } else { 0.0 })
}

/// Linear body with random velocities, all modes awake, steps far beyond the stability limit of explicit schemes. θ = ξ = ½
/// keeps the energy to round-off: 200 steps of a few roundings each, 1e-12.
#[test]
fn a_linear_body_keeps_its_energy() {
    source("energy identity of the trapezoidal rule on a linear body: no loss");
    let law = Law::Linear(Hooke::new(1.0, 0.3));
    for kind in support::SHAPES {
        let mesh = distorted_mesh(kind, 2, 0.2, 42);
        let n = mesh.node_count() * mesh.dim();
        let start = BodyState::moving(vec![0.0; n], Random::new(43).vector(n, 1.0));
        for scheme in CONSERVING {
            for dt in [0.01, 1.0] {
                let body = free_body(mesh.clone(), law.clone(), 1.0, Lumping::Consistent);
                let initial = energy(&body, &start);
                march(body, &start, &scheme, dt, 200, |body, state, _| {
                    let drift = energy(body, state) / initial - 1.0;
                    close(format!("{kind:?}, {scheme:?}, Δt = {dt}: energy drift"), drift, 0.0, 1e-12);
                });
            }
        }
    }
}

/// For θ, ξ ≥ ½ the loss of a step is `(θ−½)ΔvᵀMΔv + (ξ−½)ΔuᵀKΔu`: never a gain (beyond rounding, 1e-13 of the initial
/// energy), a true loss once θ or ξ exceeds ½, and it is what the ledger books as numerical.
#[test]
fn a_linear_body_never_gains_energy() {
    source("energy identity of the scheme: loss (theta - 1/2) dv.M dv + (xi - 1/2) du.K du");
    let law = Law::Linear(Hooke::new(1.0, 0.3));
    let mesh = distorted_mesh(CellKind::Quad4, 2, 0.2, 44);
    let n = mesh.node_count() * 2;
    let start = BodyState::moving(vec![0.0; n], Random::new(45).vector(n, 1.0));
    for theta in [0.5, 0.6, 1.0] {
        for xi in [0.5, 0.6, 1.0] {
            for force in [Force::Trapezoidal, Force::Midpoint] {
                let scheme = Jean { theta, xi, force };
                let body = free_body(mesh.clone(), law.clone(), 1.0, Lumping::Consistent);
                let initial = energy(&body, &start);
                let mut before = initial;
                march(body, &start, &scheme, 0.1, 100, |body, state, ledger| {
                    let now = energy(body, state);
                    at_most(format!("{scheme:?}: energy gained in a step, relative"), (now - before) / initial, 1e-13);
                    close(format!("{scheme:?}: loss booked"), ledger.now.numerical, initial - now, 1e-11 * initial);
                    before = now;
                });
                let lost = 1.0 - before / initial;
                let dissipates = theta > 0.5 || xi > 0.5;
                assert_eq!(lost > 1e-3, dissipates, "{scheme:?}: share of the energy lost {lost:.3e}");
            }
        }
    }
}

/// A stretched, spinning body of each finite law, 100 steps of a twentieth of a turn: the discrete gradient keeps the energy
/// (Gonzalez 2000), it and the midpoint rule keep the angular momentum, all rules keep the linear momentum; 1e-10 of the
/// initial values. The trapezoidal rule does not keep the angular momentum, and the midpoint rule not the energy:
/// the test would notice if these were the same rule.
#[test]
fn a_spinning_body_keeps_energy_and_momentum() {
    source("conservation laws; the discrete gradient keeps the energy [Gonzalez2000]");
    let laws = [
        Law::SaintVenantKirchhoff(Hooke::new(10.0, 0.3)),
        Law::NeoHooke(NeoHooke::new(10.0, 0.3)),
        Law::BlatzKo(BlatzKo::new(4.0)),
    ];
    for kind in support::SHAPES {
        for law in &laws {
            let mesh = distorted_mesh(kind, 2, 0.2, 46);
            let mut start = stretched_and_spinning(&mesh, 1.15, 2.0);
            let drift = nodal(&mesh, |_| [0.5, -0.2, 0.3]);
            start.v.iter_mut().zip(&drift).for_each(|(v, d)| *v += d);
            for scheme in CONSERVING {
                let label = format!("{kind:?}, {}, {:?}", law.name(), scheme.force);
                let body = free_body(mesh.clone(), law.clone(), 1.0, Lumping::Consistent);
                let (e0, l0, p0) = (energy(&body, &start), angular_momentum(&body, &start), momentum(&body, &start));
                let (mut e_drift, mut l_drift, mut p_drift) = (0.0f64, 0.0f64, 0.0f64);
                march(body, &start, &scheme, 0.05, 100, |body, state, _| {
                    e_drift = e_drift.max((energy(body, state) / e0 - 1.0).abs());
                    l_drift = l_drift.max(distance(&angular_momentum(body, state), &l0) / largest(&l0));
                    p_drift = p_drift.max(distance(&momentum(body, state), &p0) / largest(&p0));
                });
                println!("spin, {label}: drift of energy {e_drift:.1e}, angular {l_drift:.1e}, linear {p_drift:.1e}");
                at_most(format!("{label}: drift of linear momentum"), p_drift, 1e-10);
                match scheme.force {
                    Force::Trapezoidal => {
                        assert!(l_drift > 1e-8, "{label}: angular momentum drifts by {l_drift:.1e} only")
                    }
                    Force::Midpoint => {
                        at_most(format!("{label}: drift of angular momentum"), l_drift, 1e-10);
                        assert!(e_drift > 1e-8, "{label}: energy drifts by {e_drift:.1e} only");
                    }
                    Force::DiscreteGradient => {
                        at_most(format!("{label}: drift of angular momentum"), l_drift, 1e-10);
                        at_most(format!("{label}: drift of energy"), e_drift, 1e-10);
                    }
                }
            }
        }
    }
}

/// Free flight: every node moves by `vt` and keeps its velocity, whatever the law and the scheme; no stress appears. Exact up
/// to the rounding of a hundred steps.
#[test]
fn free_flight_is_exact() {
    source("free flight: u = v t");
    let laws = [
        Law::Linear(Hooke::new(10.0, 0.3)),
        Law::SaintVenantKirchhoff(Hooke::new(10.0, 0.3)),
        Law::NeoHooke(NeoHooke::new(10.0, 0.3)),
        Law::BlatzKo(BlatzKo::new(4.0)),
    ];
    for kind in support::SHAPES {
        for law in &laws {
            for scheme in schemes() {
                let label = format!("{kind:?}, {}, {scheme:?}", law.name());
                let mesh = distorted_mesh(kind, 2, 0.2, 47);
                let v = nodal(&mesh, |_| [3.0, -4.0, 5.0]);
                let start = BodyState::moving(vec![0.0; v.len()], v.clone());
                let body = free_body(mesh, law.clone(), 1.0, Lumping::Consistent);
                let last = march(body, &start, &scheme, 0.01, 100, |_, _, _| {});
                let expected: Vec<f64> = v.iter().map(|v| v * 0.01 * 100.0).collect();
                at_most(format!("{label}: place"), distance(&last.u, &expected), 1e-12);
                at_most(format!("{label}: velocity"), distance(&last.v, &v), 1e-11);
            }
        }
    }
}

/// A body far from where it began and nearly at rest (at the top of its flight, or after friction has stopped it) goes on
/// with Newton's default tolerances. `ε M u/Δt²` of its residual is rounding: here 1e-6 of the weight, and more than any
/// residual tolerance that is relative to forces and momenta alone.
#[test]
fn a_slow_body_far_from_home_still_moves() {
    source("free flight: u = v t");
    let dt = 1e-5;
    let mut failures = Vec::new();
    for law in [Law::Linear(Hooke::new(1e6, 0.3)), Law::NeoHooke(NeoHooke::new(1e6, 0.3))] {
        for (speed, weight) in [(1.0, 0.0), (1e-4, 0.0), (0.0, 0.0), (0.0, 9.81)] {
            for scheme in CONSERVING {
                let mesh = distorted_mesh(CellKind::Quad4, 2, 0.2, 48);
                let n = mesh.node_count() * 2;
                let start = BodyState::moving(nodal(&mesh, |_| [0.3, -0.7, 0.0]), nodal(&mesh, |_| [speed, 0.0, 0.0]));
                let body = Deformable::new(DeformableSpec {
                    gravity: [0.0, -weight, 0.0],
                    ..DeformableSpec::new("body", mesh, Material { density: 1000.0, law: law.clone() })
                })
                .unwrap();
                let mut system = System::new(vec![body.into()], vec![start.clone()]);
                let outcome = Newton::default().step(&scheme, &mut system, &mut NoReactions, dt);
                let expected: Vec<f64> = (0..n)
                    .map(|dof| {
                        start.u[dof] + dt * start.v[dof] - if dof % 2 == 1 { 0.5 * weight * dt * dt } else { 0.0 }
                    })
                    .collect();
                match outcome {
                    Ok(_) => at_most("place after the step", distance(system.trial(0), &expected), 1e-15),
                    Err(error) => {
                        failures.push(format!("{}, v = {speed}, g = {weight}, {:?}: {error}", law.name(), scheme.force))
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of 24 steps were refused:\n{}", failures.len(), failures.join("\n"));
}
