//! What every contact solver owes the step, driven by one list of solvers: closed forms of a single point, problems with a
//! known solution, agreement with each other and with the judge, honest failure.
//!
//! Laws and formulas: THEORY 3.1, 3.2, 3.5. Random problems come from a fixed seed; `W = BBᵀ/m` with `m` three times the
//! size is positive definite with a condition number near 14, like the condensed operator of a time step that inertia
//! dominates. Each solver is asked for a residual of 1e-12; the error of `r` is at most the condition number times that.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::contact::problem::{LocalProblem, cone_violation, residual};
use impakt::contact::solvers::{
    ALL, ContactSolver, GaussSeidel, GoOn, Hybrid, LocalSolver, Newton, SolverError, Step, Uzawa,
};
use support::claims::source;
use support::{Random, at_most, close, distance, largest};

const TOLERANCE: f64 = 1e-12;

/// Every solver, with a limit it should never need.
fn solvers() -> Vec<Box<dyn ContactSolver>> {
    let mut all: Vec<Box<dyn ContactSolver>> =
        ALL.iter().map(|entry| (entry.build)(TOLERANCE, Some(200_000))).collect();
    for step in [Step::PerPoint, Step::Adaptive] {
        all.push(Box::new(Uzawa::with_step(TOLERANCE, 200_000, 1.0, step)));
    }
    for local in [LocalSolver::Projection, LocalSolver::Newton, LocalSolver::Enumerative] {
        all.push(Box::new(GaussSeidel::with_local(TOLERANCE, 200_000, local)));
    }
    all
}

/// Solves from zero and lets the judge confirm the report.
fn solve(solver: &mut dyn ContactSolver, problem: &LocalProblem) -> Vec<f64> {
    let mut r = vec![0.0; problem.q.len()];
    let report = solver.solve(problem, &mut r).unwrap_or_else(|error| panic!("{error}"));
    let judged = residual(problem, &r);
    assert_eq!(report.residual, judged, "{}: the report is not the judge's", solver.name());
    at_most(format!("{}: residual", solver.name()), judged, TOLERANCE);
    r
}

/// A random symmetric positive definite matrix, row by row.
fn spd(random: &mut Random, size: usize) -> Vec<f64> {
    let inner = 3 * size;
    let b: Vec<f64> = random.vector(size * inner, 1.0);
    let mut w = vec![0.0; size * size];
    for i in 0..size {
        for j in 0..=i {
            let dot: f64 = (0..inner).map(|k| b[i * inner + k] * b[j * inner + k]).sum();
            w[i * size + j] = 3.0 * dot / inner as f64;
            w[j * size + i] = w[i * size + j];
        }
    }
    w
}

fn product(w: &[f64], r: &[f64]) -> Vec<f64> {
    w.chunks_exact(r.len()).map(|row| row.iter().zip(r).map(|(a, b)| a * b).sum()).collect()
}

/// `u = Wr + q` of all points.
fn displacements(problem: &LocalProblem, r: &[f64]) -> Vec<f64> {
    (0..problem.len())
        .flat_map(|i| match problem.dim {
            2 => problem.displacement::<2>(r, i).to_vec(),
            _ => problem.displacement::<3>(r, i).to_vec(),
        })
        .collect()
}

/// A random problem and a solution of it: points are open, stick or slip at random, `r` and `u` obey the law by
/// construction, and `q = u − Wr`.
fn manufactured(seed: u64, dim: usize, points: usize, friction: impl Fn(f64) -> f64) -> (LocalProblem, Vec<f64>) {
    let mut random = Random::new(seed);
    let mut w = spd(&mut random, dim * points);
    let friction: Vec<f64> = (0..points).map(|_| friction(random.unit())).collect();
    // A point with μ‖W_nt‖ ≥ W_nn can wedge: it has a second solution (THEORY 3.5), and no solver could know which is meant.
    let size = dim * points;
    while (0..points)
        .any(|i| friction[i] * largest(&w[i * dim * (size + 1) + 1..][..dim - 1]) > 0.6 * w[i * dim * (size + 1)])
    {
        w = spd(&mut random, size);
    }
    let (mut r, mut u) = (vec![0.0; dim * points], vec![0.0; dim * points]);
    for i in 0..points {
        let mu = friction[i];
        let (r, u) = (&mut r[i * dim..(i + 1) * dim], &mut u[i * dim..(i + 1) * dim]);
        let direction = random.vector(dim - 1, 1.0);
        let length = largest(&direction).hypot(1e-3).max(direction.iter().map(|x| x * x).sum::<f64>().sqrt());
        let state = random.unit();
        if state < 0.3 {
            u[0] = 0.1 + random.unit();
            u[1..].copy_from_slice(&direction);
        } else {
            r[0] = 0.1 + random.unit();
            let (share, slip) = if state < 0.65 { (0.8 * random.unit(), 0.0) } else { (1.0, 0.1 + random.unit()) };
            for k in 1..dim {
                // frictionless points have a direction of slip too
                r[k] = share * mu * r[0] * direction[k - 1] / length;
                u[k] = -slip * direction[k - 1] / length;
            }
            if slip > 0.0 && dim == 3 {
                // exactly on the cone
                let tangential = r[1].hypot(r[2]);
                if tangential > 0.0 {
                    r[1] *= mu * r[0] / tangential;
                    r[2] *= mu * r[0] / tangential;
                }
            } else if slip > 0.0 {
                r[1] = mu * r[0] * direction[0].signum();
                u[1] = -slip * direction[0].signum();
            }
        }
    }
    let q: Vec<f64> = product(&w, &r).iter().zip(&u).map(|(wr, u)| u - wr).collect();
    (LocalProblem::dense(dim, &w, &q, &friction), r)
}

/// Signorini and Coulomb point by point, straight from THEORY 3.1, in absolute numbers (data are of order 1).
fn obeys_the_law(label: &str, problem: &LocalProblem, r: &[f64], tolerance: f64) {
    let dim = problem.dim;
    let u = displacements(problem, r);
    at_most(format!("{label}: cone violation"), cone_violation(problem, r), 1e-12);
    for i in 0..problem.len() {
        let (r, u, mu) = (&r[i * dim..(i + 1) * dim], &u[i * dim..(i + 1) * dim], problem.friction[i].along[0]);
        let norm = |x: &[f64]| x[1..].iter().map(|a| a * a).sum::<f64>().sqrt();
        at_most(format!("{label}, point {i}: −r_n"), -r[0], 0.0);
        at_most(format!("{label}, point {i}: penetration −u_n"), -u[0], tolerance);
        close(format!("{label}, point {i}: r_n u_n"), r[0] * u[0], 0.0, tolerance);
        at_most(format!("{label}, point {i}: ‖r_t‖ − μr_n"), norm(r) - mu * r[0], 1e-13);
        let power: f64 = (1..dim).map(|k| r[k] * u[k]).sum();
        // a sticking point creeps by what the residual allows, in any direction
        at_most(format!("{label}, point {i}: friction power"), power, 1e-2 * tolerance);
        // closed points dissipate all they can: r_t·u_t = −μ r_n ‖u_t‖ (this is stick, slip and direction in one)
        close(format!("{label}, point {i}: dissipation"), power, -mu * r[0] * norm(u), tolerance);
    }
}

/// Open: `r = 0`. Stick: `r = −W⁻¹q`. Slip: `r_n = −q_n/(W_nn + sμW_nt)`, `r_t = sμr_n` in the plane; in space a
/// manufactured slip. Tolerance 1e-10: a hundred times the solvers' own, the condition of the worst of these small systems.
#[test]
fn a_single_point_has_its_closed_form() {
    source("Signorini and Coulomb for one point: open r = 0, stick r = -q/W, slip r_t = mu r_n, solved by hand");
    for solver in &mut solvers() {
        let name = solver.name();
        let check = |what: &str, measured: &[f64], expected: &[f64]| {
            for (k, (m, e)) in measured.iter().zip(expected).enumerate() {
                close(format!("{name}: {what}, r_{k}"), *m, *e, 1e-10);
            }
        };
        // 2D, W = [[2, 0.5], [0.5, 1]], det 1.75
        let w = [2.0, 0.5, 0.5, 1.0];
        let flat = |q: [f64; 2], mu: f64| LocalProblem::dense(2, &w, &q, &[mu]);
        check("2D open", &solve(solver.as_mut(), &flat([0.3, -5.0], 0.4)), &[0.0, 0.0]);
        check("2D touching without force", &solve(solver.as_mut(), &flat([0.0, -5.0], 0.4)), &[0.0, 0.0]);
        // stick: r = −W⁻¹q = −[q_n − 0.5 q_t, −0.5 q_n + 2 q_t]/1.75
        check("2D stick", &solve(solver.as_mut(), &flat([-1.0, -0.1], 0.4)), &[0.95 / 1.75, -0.3 / 1.75]);
        for (q_t, s) in [(3.0, -1.0), (-3.0, 1.0)] {
            let r_n = 1.0 / (2.0 + s * 0.4 * 0.5);
            check("2D slip", &solve(solver.as_mut(), &flat([-1.0, q_t], 0.4)), &[r_n, s * 0.4 * r_n]);
        }
        check("2D frictionless", &solve(solver.as_mut(), &flat([-1.0, 3.0], 0.0)), &[0.5, 0.0]);
        // 3D, uncoupled
        let w = [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let solid = |q: [f64; 3], mu: f64| LocalProblem::dense(3, &w, &q, &[mu]);
        check("3D open", &solve(solver.as_mut(), &solid([0.3, -5.0, 1.0], 0.4)), &[0.0; 3]);
        check("3D stick", &solve(solver.as_mut(), &solid([-1.0, 0.1, -0.1], 0.4)), &[0.5, -0.1, 0.1]);
        check("3D slip", &solve(solver.as_mut(), &solid([-1.0, 3.0, -4.0], 0.4)), &[0.5, -0.2 * 0.6, 0.2 * 0.8]);
        check("3D frictionless", &solve(solver.as_mut(), &solid([-1.0, 3.0, -4.0], 0.0)), &[0.5, 0.0, 0.0]);
        // 2D and 3D, coupled: known by construction, all three states occur
        for seed in 0..60 {
            for dim in [2, 3] {
                let (problem, expected) = manufactured(1000 + seed, dim, 1, |x| x);
                check(&format!("{dim}D manufactured {seed}"), &solve(solver.as_mut(), &problem), &expected);
            }
        }
    }
}

/// 12 and 40 points with friction from 0 to 1.5: every solver finds the solution the problem was made from (so they agree),
/// the judge accepts it, and it obeys the law written out point by point. Agreement 1e-7 is asked by the interface; the
/// residual of 1e-12 gives 1e-10.
#[test]
fn solvers_agree_on_random_problems() {
    source("problems made backwards from a known solution of Coulomb's law");
    for dim in [2, 3] {
        for points in [12, 40] {
            for friction in [0.0, 0.2, 0.7, 1.5, f64::NAN] {
                let seed = (dim * 1000 + points * 10) as u64;
                // not a number stands for a different coefficient at each point
                let (problem, expected) =
                    manufactured(seed, dim, points, |x| if friction.is_nan() { 1.5 * x } else { friction });
                at_most("residual of the manufactured solution", residual(&problem, &expected), 1e-14);
                for solver in &mut solvers() {
                    let label = format!("{}, {dim}D, {points} points, μ = {friction}", solver.name());
                    let r = solve(solver.as_mut(), &problem);
                    at_most(format!("{label}: distance from the solution"), distance(&r, &expected), 1e-10);
                    obeys_the_law(&label, &problem, &r, 1e-10);
                }
            }
        }
    }
}

/// A right-hand side that was not made from a solution: the solvers agree with each other and obey the law.
#[test]
fn solvers_agree_where_no_solution_is_known() {
    source("Coulomb's law itself, judged by the natural map; the solvers against each other");
    for dim in [2, 3] {
        for points in [12, 40] {
            let mut random = Random::new((dim + points) as u64);
            let w = spd(&mut random, dim * points);
            let q = random.vector(dim * points, 1.0);
            let friction: Vec<f64> = (0..points).map(|_| 1.5 * random.unit()).collect();
            let problem = LocalProblem::dense(dim, &w, &q, &friction);
            let results: Vec<Vec<f64>> = solvers().iter_mut().map(|s| solve(s.as_mut(), &problem)).collect();
            for r in &results {
                at_most(format!("{dim}D, {points} points: solvers differ by"), distance(&results[0], r), 1e-9);
                obeys_the_law(&format!("{dim}D, {points} points"), &problem, r, 1e-9);
            }
        }
    }
}

/// The result does not depend on where a solver starts.
#[test]
fn the_guess_does_not_matter() {
    source("the solution does not depend on where the iteration starts");
    let (problem, expected) = manufactured(77, 3, 12, |x| x);
    for solver in &mut solvers() {
        let mut r = Random::new(78).vector(expected.len(), 5.0);
        solver.solve(&problem, &mut r).unwrap();
        at_most(format!("{}: from a random guess", solver.name()), distance(&r, &expected), 1e-10);
        let again = solver.solve(&problem, &mut r).unwrap();
        assert_eq!(again.iterations, 0, "{}: a solved problem needs no iteration", solver.name());
    }
}

/// Tangent axes are arbitrary: turning them at each point by its own angle turns the tangential reactions and nothing else.
#[test]
fn tangent_axes_do_not_matter() {
    source("isotropy: turning the tangent axes turns the tangential reactions");
    let points = 12;
    let (problem, expected) = manufactured(5, 3, points, |x| 1.5 * x);
    let mut random = Random::new(6);
    let size = 3 * points;
    // block-diagonal T: 1 on the normal, a rotation on the tangents
    let mut turn = vec![0.0; size * size];
    for i in 0..points {
        let (s, c) = (3.0 * random.signed()).sin_cos();
        for (row, column, value) in [(0, 0, 1.0), (1, 1, c), (1, 2, -s), (2, 1, s), (2, 2, c)] {
            turn[(3 * i + row) * size + 3 * i + column] = value;
        }
    }
    let mut w = vec![0.0; size * size];
    for j in 0..size {
        // W e_j from the problem, for any storage
        let mut unit = vec![0.0; size];
        unit[j] = 1.0;
        for (i, u) in displacements(&problem, &unit).iter().enumerate() {
            w[i * size + j] = u - problem.q[i];
        }
    }
    let mut turned = vec![0.0; size * size];
    for i in 0..size {
        for j in 0..size {
            for k in 3 * (i / 3)..3 * (i / 3) + 3 {
                for l in 3 * (j / 3)..3 * (j / 3) + 3 {
                    turned[i * size + j] += turn[i * size + k] * w[k * size + l] * turn[j * size + l];
                }
            }
        }
    }
    let other = LocalProblem::dense(3, &turned, &product(&turn, &problem.q), &problem.friction);
    for solver in &mut solvers() {
        let r = solve(solver.as_mut(), &other);
        at_most(format!("{}: r' − Tr", solver.name()), distance(&r, &product(&turn, &expected)), 1e-10);
    }
}

/// Units do not matter: `W` in metres per newton of a stiff body (1e-9) with `q` in micrometres gives the same relative
/// residual and reactions a thousand times as large, in as many iterations.
#[test]
fn units_do_not_matter() {
    source("homogeneity of Coulomb's law in W and q");
    let (problem, expected) = manufactured(8, 3, 12, |x| x);
    let mut scaled = problem.clone();
    scaled.w.blocks.iter_mut().for_each(|x| *x *= 1e-9);
    scaled.q.iter_mut().for_each(|x| *x *= 1e-6);
    for solver in &mut solvers() {
        let r: Vec<f64> = solve(solver.as_mut(), &scaled).iter().map(|x| 1e-3 * x).collect();
        at_most(format!("{}: scaled", solver.name()), distance(&r, &expected), 1e-10);
    }
    let off: Vec<f64> = expected.iter().map(|x| 1.1 * x).collect();
    let off_scaled: Vec<f64> = off.iter().map(|x| 1e3 * x).collect();
    close("residual in other units", residual(&scaled, &off_scaled), residual(&problem, &off), 1e-14);
}

/// Solves a small dense system by elimination with pivoting.
fn gauss(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        b[k] = (b[k] - (k + 1..n).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

/// μ = 0 is the linear complementarity problem of the normals, solved here by trying all 2⁸ sets of closed points; and
/// μ = 1e-10 is as near to it as that.
#[test]
fn vanishing_friction_is_the_frictionless_solution() {
    source("linear complementarity problem of the normals by trying all sets of closed points");
    for dim in [2, 3] {
        let points = 8;
        let mut random = Random::new(9);
        let w = spd(&mut random, dim * points);
        let q = random.vector(dim * points, 1.0);
        let normal = |i: usize, j: usize| w[i * dim * dim * points + j * dim];
        let mut expected = None;
        for set in 0u32..1 << points {
            let closed: Vec<usize> = (0..points).filter(|i| set >> i & 1 == 1).collect();
            let a = closed.iter().map(|&i| closed.iter().map(|&j| normal(i, j)).collect()).collect();
            let r = gauss(a, closed.iter().map(|&i| -q[i * dim]).collect());
            let gap = |i: usize| q[i * dim] + closed.iter().zip(&r).map(|(&j, r)| normal(i, j) * r).sum::<f64>();
            if r.iter().all(|&r| r >= 0.0) && (0..points).all(|i| gap(i) >= -1e-12) {
                let mut all = vec![0.0; dim * points];
                closed.iter().zip(&r).for_each(|(&i, r)| all[i * dim] = *r);
                expected = Some(all);
            }
        }
        let expected = expected.expect("a positive definite complementarity problem has a solution");
        assert!(expected.iter().filter(|&&r| r > 0.0).count() > 2, "some points must carry load");
        for solver in &mut solvers() {
            for (friction, tolerance) in [(0.0, 1e-10), (1e-10, 1e-8)] {
                let problem = LocalProblem::dense(dim, &w, &q, &vec![friction; points]);
                let r = solve(solver.as_mut(), &problem);
                let label =
                    format!("{}, {dim}D, μ = {friction:e}: distance from the frictionless solution", solver.name());
                at_most(label, distance(&r, &expected), tolerance);
            }
        }
    }
}

/// Very rough points that are pressed stick, `r = −W⁻¹q`, and do not move at all.
fn sticks(solver: &mut dyn ContactSolver, friction: f64) {
    for dim in [2, 3] {
        let points = 12;
        let mut random = Random::new(10 + dim as u64);
        let w = spd(&mut random, dim * points);
        let mut expected = random.vector(dim * points, 1.0);
        expected.iter_mut().step_by(dim).for_each(|r| *r = 0.5 + r.abs());
        let q: Vec<f64> = product(&w, &expected).iter().map(|x| -x).collect();
        let problem = LocalProblem::dense(dim, &w, &q, &vec![friction; points]);
        let r = solve(solver, &problem);
        let label = format!("{}, {dim}D, μ = {friction}", solver.name());
        at_most(format!("{label}: r + W⁻¹q"), distance(&r, &expected), 1e-9);
        at_most(format!("{label}: largest motion"), largest(&displacements(&problem, &r)), 1e-9);
    }
}

#[test]
fn very_rough_points_stick() {
    support::claims::source("without slip the points are held: r = -q/W");
    for solver in &mut solvers() {
        sticks(solver.as_mut(), 5.0);
    }
    sticks(&mut GaussSeidel::new(TOLERANCE, 20_000), 1e3);
    sticks(&mut Hybrid::new(TOLERANCE, 20_000), 1e3);
}

/// At μ = 30 these points can wedge (`μ‖W_nt‖ ≫ W_nn`) and the map of Uzawa's method contracts for no step length: it must
/// say so with the residual it reached, not return forces that break the law. Gauss–Seidel solves the same problem.
#[test]
fn uzawa_says_so_where_very_rough_points_wedge() {
    source("the solver's own report against the residual of the natural map");
    let points = 12;
    let mut random = Random::new(12);
    let w = spd(&mut random, 2 * points);
    let mut expected = random.vector(2 * points, 1.0);
    expected.iter_mut().step_by(2).for_each(|r| *r = 0.5 + r.abs());
    let q: Vec<f64> = product(&w, &expected).iter().map(|x| -x).collect();
    let problem = LocalProblem::dense(2, &w, &q, &vec![30.0; points]);
    let mut r = vec![0.0; 2 * points];
    match Uzawa::new(TOLERANCE, 20_000, 1.0).solve(&problem, &mut r) {
        Ok(report) => at_most("residual", report.residual, TOLERANCE),
        Err(SolverError::NotConverged { residual: reached, iterations, .. }) => {
            assert_eq!(iterations, 20_000);
            assert_eq!(reached, residual(&problem, &r), "the residual reported is not that of the forces returned");
        }
        Err(other) => panic!("{other}"),
    }
    sticks(&mut GaussSeidel::new(TOLERANCE, 20_000), 30.0);
}

/// A point counted twice (two facets claiming one node) makes `W` singular. The split of the force is then undetermined,
/// but its sum and the motion are not.
#[test]
fn a_point_counted_twice_is_no_obstacle() {
    source("the sum of the forces of a point that is counted twice is that of the point");
    for dim in [2, 3] {
        let points = 6;
        let (once, expected) = manufactured(31 + dim as u64, dim, points, |x| 0.2 + 0.3 * x);
        let size = dim * points;
        let (mut w, mut q, mut friction) = (Vec::new(), once.q.clone(), once.friction.clone());
        let origin = |k: usize| if k < size { k } else { k - size }; // the copies stand behind the originals
        for i in 0..2 * size {
            for j in 0..2 * size {
                let (a, b) = (origin(i), origin(j));
                let block = (a / dim) * points + b / dim;
                w.push(once.w.blocks[block * dim * dim + (a % dim) * dim + b % dim]);
            }
        }
        q.extend_from_within(..);
        friction.extend_from_within(..);
        let twice = LocalProblem::dense(dim, &w, &q, &friction);
        for solver in &mut solvers() {
            let r = solve(solver.as_mut(), &twice);
            let sum: Vec<f64> = (0..size).map(|k| r[k] + r[size + k]).collect();
            at_most(format!("{}, {dim}D: sum of both forces", solver.name()), distance(&sum, &expected), 1e-9);
        }
    }
}

/// One iteration is not enough: the solver says so, with the judge's residual, instead of panicking or pretending.
#[test]
fn a_solver_that_cannot_converge_says_so() {
    let (problem, _) = manufactured(12, 3, 40, |x| 1.5 * x);
    let impossible = ALL.map(|entry| (entry.build)(1e-12, Some(1)));
    for mut solver in impossible {
        let mut r = vec![0.0; problem.q.len()];
        let error = solver.solve(&problem, &mut r).expect_err("one iteration cannot be enough");
        let SolverError::NotConverged { solver: name, iterations, residual: reported, tolerance, points } =
            error.clone()
        else {
            panic!("{error}")
        };
        assert_eq!((name, points, tolerance), (solver.name(), 40, 1e-12));
        assert!(iterations >= 1, "{name}: it did iterate");
        assert_eq!(reported, residual(&problem, &r), "{name}: residual of what it left in r");
        assert!(reported > 1e-12 && reported.is_finite(), "{name}: residual {reported:.3e}, expected above 1e-12");
        assert!(
            error.to_string().contains(&format!("{reported:.3e}")),
            "{name}: the message `{error}` holds the residual"
        );
    }
}

/// A solver that is told to go on hands over what it reached, says that it is no solution, and returns the same forces; where it
/// converges nothing is different; and what is no number is still an error.
#[test]
fn a_solver_told_to_go_on_says_what_it_reached() {
    let (mut problem, _) = manufactured(12, 3, 40, |x| 1.5 * x);
    let (mut r, mut other) = (vec![0.0; problem.q.len()], vec![0.0; problem.q.len()]);
    let report = GoOn(Box::new(GaussSeidel::new(1e-12, 3))).solve(&problem, &mut r).expect("it goes on");
    assert!(report.unsolved && report.iterations == 3);
    assert_eq!(report.residual, residual(&problem, &r));
    assert!(GaussSeidel::new(1e-12, 3).solve(&problem, &mut other).is_err());
    assert_eq!(r, other);
    let report = GoOn(Box::new(GaussSeidel::new(1e-12, 3000))).solve(&problem, &mut r).expect("it converges");
    assert!(!report.unsolved);
    problem.q[0] = f64::NAN;
    assert!(GoOn(Box::new(GaussSeidel::new(1e-12, 3))).solve(&problem, &mut r).is_err());
}

/// A limit on iterations is a limit.
fn stays_within_its_limit(solver: impl Fn(usize) -> Box<dyn ContactSolver>) {
    let (problem, _) = manufactured(12, 3, 40, |x| 1.5 * x);
    for limit in [1, 3, 15] {
        let mut r = vec![0.0; problem.q.len()];
        let SolverError::NotConverged { solver: name, iterations, .. } =
            solver(limit).solve(&problem, &mut r).expect_err("too few iterations")
        else {
            panic!("rows are at hand")
        };
        assert!(iterations <= limit, "{name}: did {iterations} iterations, expected at most {limit}");
    }
}

#[test]
fn gauss_seidel_stays_within_its_limit() {
    stays_within_its_limit(|max_iterations| Box::new(GaussSeidel::new(1e-12, max_iterations)));
}

#[test]
fn uzawa_stays_within_its_limit() {
    stays_within_its_limit(|max_iterations| Box::new(Uzawa::new(1e-12, max_iterations, 1.0)));
}

#[test]
fn newton_and_hybrid_stay_within_their_limit() {
    for limit in [1, 2, 3] {
        let (problem, _) = manufactured(12, 3, 40, |x| 1.5 * x);
        let solvers: [Box<dyn ContactSolver>; 2] =
            [Box::new(Newton::new(1e-12, limit)), Box::new(Hybrid::new(1e-12, limit))];
        for mut solver in solvers {
            let mut r = vec![0.0; problem.q.len()];
            let SolverError::NotConverged { solver: name, iterations, .. } =
                solver.solve(&problem, &mut r).expect_err("too few iterations")
            else {
                panic!("rows are at hand")
            };
            assert!(iterations <= limit, "{name}: did {iterations} iterations, expected at most {limit}");
        }
    }
}

/// Forty points on six unknowns (a fine obstacle pressed on one facet): `W = BBᵀ` has rank 6 of 120. The split of the forces is
/// undetermined; the motion is not, and every solver that says it converged obeys the law. Gauss–Seidel needs thousands
/// of sweeps here; Newton and the hybrid may not need more than a hundred iterations.
#[test]
fn many_points_on_few_unknowns_are_no_obstacle() {
    support::claims::source("Coulomb's law itself, judged by the natural map");
    for dim in [2, 3] {
        for friction in [0.0, 0.3] {
            let (points, rank) = (40, 6);
            let size = dim * points;
            let mut random = Random::new(400 + dim as u64);
            let b = random.vector(size * rank, 1.0);
            let dot = |i: usize, j: usize| (0..rank).map(|k| b[i * rank + k] * b[j * rank + k]).sum::<f64>();
            let w: Vec<f64> = (0..size * size).map(|k| dot(k / size, k % size)).collect();
            // what the unknowns do when pushed by their own load: q = B v
            let v = random.vector(rank, 1.0);
            let q: Vec<f64> = (0..size).map(|i| (0..rank).map(|k| b[i * rank + k] * v[k]).sum()).collect();
            let problem = LocalProblem::dense(dim, &w, &q, &vec![friction; points]);
            let solvers: [Box<dyn ContactSolver>; 2] =
                [Box::new(Newton::new(1e-10, 300)), Box::new(Hybrid::new(1e-10, 300))];
            for mut solver in solvers {
                let mut r = vec![0.0; size];
                let label = format!("{}, {dim}D, μ = {friction}, rank {rank} of {size}", solver.name());
                let report = solver.solve(&problem, &mut r).unwrap_or_else(|error| panic!("{label}: {error}"));
                at_most(format!("{label}: residual"), residual(&problem, &r), 1e-10);
                let scale = largest(&r);
                obeys_the_law(&label, &problem, &r, 1e-8 * scale.max(1.0));
                assert!(report.iterations <= 300);
            }
        }
    }
}

/// Data without a solution (nothing yields, yet something must) and data that are not numbers end in an error, not in a
/// panic, an endless loop or a false success.
#[test]
fn impossible_data_are_refused() {
    for dim in [2, 3] {
        let size = dim * 2;
        let rigid = LocalProblem::dense(dim, &vec![0.0; size * size], &vec![-1.0; size], &[0.3; 2]);
        let mut random = Random::new(13);
        let mut broken = LocalProblem::dense(dim, &spd(&mut random, size), &vec![-1.0; size], &[0.3; 2]);
        broken.q[1] = f64::NAN;
        for (what, problem) in [("W = 0 and q_n < 0", rigid), ("q not a number", broken)] {
            let limited = ALL.map(|entry| (entry.build)(1e-10, Some(50)));
            for mut solver in limited {
                let mut r = vec![0.0; size];
                let outcome = solver.solve(&problem, &mut r);
                assert!(outcome.is_err(), "{}, {dim}D, {what}: expected an error, got {outcome:?}", solver.name());
            }
        }
    }
}

/// Problems without a solution, made by hand: every solver says so, with the judge's residual, however large its forces grew.
///
/// Painlevé: a lever with `W = v vᵀ`, `v = (1, 2)`. With `s = r_n + 2 r_t`, `u = q + s v`: closing needs `s = 1`, then
/// `u_t = 1 + 2 > 0` slides, so `r_t = −μ r_n` and `s = (1 − 2μ) r_n ≤ 0` for μ = 1. The same in space beside a free
/// second tangent. Wedge: a body between two walls that both close by 1, `u_1 + u_2 = −2` for all forces.
#[test]
fn problems_without_a_solution_are_said_to_have_none() {
    source("closed-form contradiction");
    let lever = [1.0, 2.0, 0.0, 2.0, 4.0, 0.0, 0.0, 0.0, 1.0];
    let mut between = vec![0.0; 36];
    for a in 0..3 {
        let sign = if a == 0 { -1.0 } else { 1.0 };
        (between[a * 7], between[(a + 3) * 7]) = (1.0, 1.0);
        (between[a * 6 + a + 3], between[(a + 3) * 6 + a]) = (sign, sign);
    }
    let closing = [-1.0, 0.2, 0.0, -1.0, 0.2, 0.0];
    let problems = [
        ("Painlevé in the plane", LocalProblem::dense(2, &[1.0, 2.0, 2.0, 4.0], &[-1.0, 1.0], &[1.0])),
        ("Painlevé in space", LocalProblem::dense(3, &lever, &[-1.0, 1.0, 0.3], &[1.0])),
        ("wedge", LocalProblem::dense(3, &between, &closing, &[0.3, 0.3])),
        ("smooth wedge", LocalProblem::dense(3, &between, &closing, &[0.0, 0.0])),
    ];
    for (name, problem) in &problems {
        for entry in &ALL {
            for tolerance in [1e-6, 1e-12] {
                let mut r = vec![0.0; problem.q.len()];
                let outcome = (entry.build)(tolerance, Some(20_000)).solve(problem, &mut r);
                let reached = match outcome {
                    Err(SolverError::NotConverged { residual: reached, .. }) => reached,
                    Err(SolverError::Diverged { .. }) => f64::INFINITY,
                    _ => panic!("{name}, {}: solved with {r:?}", entry.name),
                };
                assert!(reached > tolerance, "{name}, {}: {reached:e}", entry.name);
                if reached.is_finite() {
                    assert_eq!(reached, residual(problem, &r), "{name}, {}: not the judge's", entry.name);
                }
            }
        }
    }
}

/// Nothing to solve is solved.
#[test]
fn an_empty_problem_is_solved() {
    for dim in [2, 3] {
        let problem = LocalProblem::dense(dim, &[], &[], &[0.0; 0]);
        assert!(problem.is_empty());
        assert_eq!(residual(&problem, &[]), 0.0);
        for solver in &mut solvers() {
            let report = solver.solve(&problem, &mut []).unwrap();
            assert_eq!((report.iterations, report.residual), (0, 0.0), "{}", solver.name());
        }
    }
}

/// The judge, written a second time from THEORY 3.1 and 3.2 with a dense `W`: `‖r − Proj(r − ρû)‖/‖max(|r|, |Proj|)‖` with
/// `ρ_i` the inverse of the largest absolute row sum of `W_ii`; the projection by its second form,
/// `τ − (‖τ_t‖ − μτ_n)/(1+μ²)·(τ_t/‖τ_t‖ − μn)`.
#[test]
fn the_judge_is_the_natural_map() {
    source("the natural map written a second time with a dense matrix [AcaryBremondHuber2018]");
    let mut random = Random::new(14);
    for dim in [2, 3] {
        for _ in 0..50 {
            let points = 5;
            let size = dim * points;
            let w = spd(&mut random, size);
            let (q, r) = (random.vector(size, 1.0), random.vector(size, 1.0));
            let friction: Vec<f64> = (0..points).map(|_| 1.5 * random.unit()).collect();
            let u: Vec<f64> = product(&w, &r).iter().zip(&q).map(|(a, b)| a + b).collect();
            let (mut error, mut norm) = (0.0, 0.0);
            for i in 0..points {
                let (mu, at) = (friction[i], i * dim);
                let tangential = |x: &[f64]| x[1..].iter().map(|a| a * a).sum::<f64>().sqrt();
                let row_sum = |a: usize| (0..dim).map(|b| w[(at + a) * size + at + b].abs()).sum::<f64>();
                let rho = 1.0 / (0..dim).map(row_sum).fold(0.0, f64::max);
                let mut tau: Vec<f64> = (0..dim).map(|a| r[at + a] - rho * u[at + a]).collect();
                tau[0] -= rho * mu * tangential(&u[at..at + dim]);
                let length = tangential(&tau);
                let projected: Vec<f64> = if mu * length <= -tau[0] {
                    vec![0.0; dim]
                } else if length <= mu * tau[0] {
                    tau.clone()
                } else {
                    let excess = (length - mu * tau[0]) / (1.0 + mu * mu);
                    (0..dim).map(|a| tau[a] - excess * if a == 0 { -mu } else { tau[a] / length }).collect()
                };
                for a in 0..dim {
                    error += (r[at + a] - projected[a]).powi(2);
                    norm += r[at + a].abs().max(projected[a].abs()).powi(2);
                }
            }
            let problem = LocalProblem::dense(dim, &w, &q, &friction);
            close(format!("{dim}D: residual"), residual(&problem, &r), (error / norm).sqrt(), 1e-13);
        }
    }
    // open everywhere and no force: nothing to complain about
    let open = LocalProblem::dense(2, &[1.0, 0.0, 0.0, 1.0], &[1.0, 3.0], &[0.5]);
    assert_eq!(residual(&open, &[0.0, 0.0]), 0.0);
    // no force where one is needed: wholly wrong
    let closed = LocalProblem::dense(2, &[1.0, 0.0, 0.0, 1.0], &[-1.0, 0.0], &[0.5]);
    close("residual of a missing force", residual(&closed, &[0.0, 0.0]), 1.0, 1e-15);
}
