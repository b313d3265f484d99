//! Friction that depends on direction (THEORY 3.3): every solver against problems made from a known solution, against brute force
//! at a single point, and against the round cone in the limit. Whole runs are in `tests/orthotropic_sliding.rs`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::contact::friction::{Friction, SlipRule};
use impakt::contact::problem::{LocalProblem, cone_violation, residual};
use impakt::contact::solvers::ALL;
use support::claims::source;
use support::{Random, at_most, distance};

const RULES: [SlipRule; 3] = [SlipRule::Associated, SlipRule::Collinear, SlipRule::Ellipse([1.0, 2.0])];

/// `W = BBᵀ/m`, well conditioned, with points that cannot wedge.
fn flexible(random: &mut Random, size: usize, wedge: f64) -> Vec<f64> {
    loop {
        let inner = 3 * size;
        let b = random.vector(size * inner, 1.0);
        let dot = |i: usize, j: usize| (0..inner).map(|k| b[i * inner + k] * b[j * inner + k]).sum::<f64>();
        let w: Vec<f64> = (0..size * size).map(|k| 3.0 * dot(k / size, k % size) / inner as f64).collect();
        let coupling = |i: usize| w[3 * i * size + 3 * i + 1].hypot(w[3 * i * size + 3 * i + 2]);
        if (0..size / 3).all(|i| wedge * coupling(i) <= 0.5 * w[3 * i * size + 3 * i]) {
            return w;
        }
    }
}

/// Half axes of the slip ellipse of a rule.
fn half_axes(mu: [f64; 2], rule: SlipRule) -> [f64; 2] {
    match rule {
        SlipRule::Associated => mu,
        SlipRule::Collinear => [1.0; 2],
        SlipRule::Ellipse(q) => q,
    }
}

/// A problem made backwards: open, sticking and slipping points that obey cone and slip rule, and `q = u − Wr`.
fn manufactured(seed: u64, points: usize, rule: SlipRule) -> (LocalProblem, Vec<f64>) {
    let mut random = Random::new(seed);
    let size = 3 * points;
    let w = flexible(&mut random, size, 0.8);
    let (mut r, mut u, mut friction) = (vec![0.0; size], vec![0.0; size], Vec::new());
    for i in 0..points {
        let mu = [0.05 + 0.7 * random.unit(), 0.05 + 0.7 * random.unit()];
        friction.push(Friction::orthotropic(mu, rule));
        let (sin, cos) = (7.0 * random.signed()).sin_cos();
        let (r, u) = (&mut r[3 * i..3 * i + 3], &mut u[3 * i..3 * i + 3]);
        let state = random.unit();
        if state < 0.25 {
            u.copy_from_slice(&[0.1 + random.unit(), cos, sin]);
            continue;
        }
        let share = if state < 0.55 { 0.9 * random.unit() } else { 1.0 };
        r[0] = 0.1 + random.unit();
        (r[1], r[2]) = (share * mu[0] * r[0] * cos, share * mu[1] * r[0] * sin);
        if share == 1.0 {
            let q = half_axes(mu, rule);
            let slip = [r[1] / (q[0] * q[0]), r[2] / (q[1] * q[1])];
            let length = (0.1 + random.unit()) / slip[0].hypot(slip[1]);
            (u[1], u[2]) = (-length * slip[0], -length * slip[1]);
        }
    }
    let product = |i: usize| (0..size).map(|j| w[i * size + j] * r[j]).sum::<f64>();
    let q: Vec<f64> = (0..size).map(|i| u[i] - product(i)).collect();
    (LocalProblem::dense(3, &w, &q, &friction), r)
}

/// Every solver finds the solution that a problem was made from.
#[test]
fn solvers_find_the_solution_the_problem_was_made_from() {
    source("problems made backwards from a known solution of the elliptic cone and its slip rule");
    for rule in RULES {
        for points in [1, 12, 30] {
            for seed in 0..if points == 1 { 40 } else { 4 } {
                let (problem, expected) = manufactured(100 * seed + points as u64, points, rule);
                at_most(format!("{rule:?}: residual of the solution"), residual(&problem, &expected), 1e-14);
                for entry in &ALL {
                    let label = format!("{}, {rule:?}, {points} points, seed {seed}", entry.name);
                    let mut r = vec![0.0; expected.len()];
                    (entry.build)(1e-12, Some(200_000))
                        .solve(&problem, &mut r)
                        .unwrap_or_else(|e| panic!("{label}: {e}"));
                    at_most(format!("{label}: distance from the solution"), distance(&r, &expected), 1e-9);
                    at_most(format!("{label}: cone violation"), cone_violation(&problem, &r), 1e-12);
                }
            }
        }
    }
}

/// Brute force for one point: the angle on the ellipse at which the motion points along the slip rule, by scanning a full turn and
/// halving; stick and open by their own conditions.
fn brute(w: &[f64], q: &[f64], mu: [f64; 2], rule: SlipRule) -> [f64; 3] {
    if q[0] >= 0.0 {
        return [0.0; 3];
    }
    let half = half_axes(mu, rule);
    // with u_n = 0: r_n = −q_n/(W_nn + W_n1 μ_1 cos + W_n2 μ_2 sin)
    let force = |angle: f64| {
        let t = [mu[0] * angle.cos(), mu[1] * angle.sin()];
        let n = -q[0] / (w[0] + w[1] * t[0] + w[2] * t[1]);
        [n, n * t[0], n * t[1]]
    };
    let motion = |r: [f64; 3], a: usize| q[a] + (0..3).map(|b| w[3 * a + b] * r[b]).sum::<f64>();
    let mismatch = |angle: f64| {
        let r = force(angle);
        let slip = [-r[1] / half[0].powi(2), -r[2] / half[1].powi(2)];
        let u = [motion(r, 1), motion(r, 2)];
        (u[0] * slip[1] - u[1] * slip[0], u[0] * slip[0] + u[1] * slip[1])
    };
    let n = 4000;
    for k in 0..n {
        let step = std::f64::consts::TAU / f64::from(n);
        let (mut a, mut b) = (f64::from(k) * step, f64::from(k + 1) * step);
        if mismatch(a).0 * mismatch(b).0 > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (a + b);
            if mismatch(a).0 * mismatch(middle).0 <= 0.0 { b = middle } else { a = middle }
        }
        if mismatch(a).1 > 0.0 && force(a)[0] > 0.0 {
            return force(a);
        }
    }
    // no slip is possible: it sticks, W r = −q by Cramer's rule
    let det = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let matrix: [[f64; 3]; 3] = std::array::from_fn(|a| std::array::from_fn(|b| w[3 * a + b]));
    std::array::from_fn(|c| {
        let mut replaced = matrix;
        (0..3).for_each(|a| replaced[a][c] = -q[a]);
        det(replaced) / det(matrix)
    })
}

#[test]
fn one_point_agrees_with_brute_force() {
    source("one point by scanning all directions of the ellipse");
    let mut states = [0; 3];
    for rule in RULES {
        for seed in 0..60 {
            let mut random = Random::new(500 + seed);
            let w = flexible(&mut random, 3, 1.0);
            let pull = if seed % 2 == 0 { 1.0 } else { 0.2 };
            let q = [1.2 * random.unit() - 1.0, pull * random.signed(), pull * random.signed()];
            let mu = [0.05 + random.unit(), 0.05 + random.unit()];
            let expected = brute(&w, &q, mu, rule);
            let friction = Friction::orthotropic(mu, rule);
            states[impakt::contact::cone::status(&expected, &friction) as usize] += 1;
            let problem = LocalProblem::dense(3, &w, &q, &[friction]);
            for entry in &ALL {
                let mut r = vec![0.0; 3];
                (entry.build)(1e-12, None).solve(&problem, &mut r).unwrap();
                at_most(format!("{}, {rule:?}, seed {seed}", entry.name), distance(&r, &expected), 1e-9);
            }
        }
    }
    assert!(states.iter().all(|&count| count > 10), "open, stick and slip all occur: {states:?}");
}

/// Coefficients that differ in the twelfth digit go through the elliptic cone and give what the round one gives; a coefficient
/// of zero along one axis is the limit of small ones.
#[test]
fn the_round_cone_is_a_limit() {
    source("the isotropic law, and continuity in the coefficients");
    let (problem, _) = manufactured(7, 12, SlipRule::Associated);
    let with = |along: [f64; 2]| {
        let mut other = problem.clone();
        other.friction = vec![Friction::orthotropic(along, SlipRule::Associated); 12];
        other
    };
    for entry in &ALL {
        let solve = |problem: &LocalProblem| {
            let mut r = vec![0.0; problem.q.len()];
            (entry.build)(1e-12, Some(200_000)).solve(problem, &mut r).unwrap();
            r
        };
        let (round, elliptic) = (solve(&with([0.3; 2])), solve(&with([0.3, 0.3 * (1.0 + 1e-12)])));
        at_most(format!("{}: elliptic and round cone", entry.name), distance(&round, &elliptic), 1e-9);
        let (none, little) = (solve(&with([0.3, 0.0])), solve(&with([0.3, 1e-9])));
        at_most(format!("{}: no friction and little along t2", entry.name), distance(&none, &little), 1e-7);
    }
}
