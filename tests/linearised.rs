//! Linearised contact (`contact::linearised`) beside gears: random problems of its form, a rod by statics, a cam by Hertz.
//!
//! Random problems: `A = NᵀN` plus friction, loads that push, separations that are small beside what the load closes; every third problem
//! repeats candidates, so that forces are not unique while `θ` and the sums are (Vijayakar, Busby and Houser 1986).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

use impakt::bodies::{Elastic, ElasticSpec};
use impakt::contact::linearised::{
    ALL, ActiveSet, Candidate, Cone, Linearised, LinearisedError, LinearisedSolver, Pivoting, Rolled, Rule, Side,
    couple,
};
use impakt::contact::solvers::{self, GoOn};
use impakt::elements::Section;
use impakt::materials::{Hooke, Law, Material};
use impakt::mesh::NodeId;
use impakt::mesh::generate::{PlaneCells, Rectangle, Ring, rectangle, ring};

/// A small generator of numbers between 0 and 1 (xorshift64*), the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// A problem of one rotation with `m` candidates; `repeats` of them are copies of others.
fn problem(numbers: &mut Numbers, m: usize, friction: f64, repeats: usize) -> Linearised {
    let rank = m + 3;
    let mut modes: Vec<Vec<f64>> = (0..m).map(|_| (0..rank).map(|_| numbers.within(-1.0, 1.0)).collect()).collect();
    let mut shears: Vec<Vec<f64>> = (0..m).map(|_| (0..rank).map(|_| numbers.within(-0.3, 0.3)).collect()).collect();
    let mut gaps: Vec<f64> = (0..m).map(|_| numbers.within(0.0, 3.0)).collect();
    let mut arms: Vec<f64> = (0..m).map(|_| numbers.within(0.8, 1.2)).collect();
    for k in 0..repeats {
        let (to, from) = (m - 1 - k, k);
        modes[to] = modes[from].clone();
        shears[to] = shears[from].clone();
        (gaps[to], arms[to]) = (gaps[from], arms[from]);
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let compliance = (0..m)
        .flat_map(|i| (0..m).map(move |j| (i, j)))
        .map(|(i, j)| dot(&modes[i], &modes[j]) + friction * dot(&modes[i], &shears[j]))
        .collect();
    let opening = arms.iter().map(|a| -a).collect();
    let arms = arms.iter().map(|a| a * (1.0 + 0.2 * friction)).collect();
    Linearised { gaps, loads: vec![numbers.within(0.5, 2.0)], compliance, opening, arms }
}

#[test]
fn random_problems_are_solved_without_cycling() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let (mut most, mut sum, mut deadlocks, mut first_failed, mut simplex_wrong) = (0, 0, 0, 0, 0);
    let count = 600;
    for k in 0..count {
        let m = 2 + (numbers.next() * 59.0) as usize;
        let repeats = if k % 3 == 2 { m / 3 } else { 0 };
        let problem = problem(&mut numbers, m, if k % 2 == 0 { 0.0 } else { 0.3 }, repeats);
        let solved = Pivoting::default().solve(&problem).unwrap_or_else(|e| panic!("problem {k}, {m} candidates: {e}"));
        assert!(problem.residual(&solved) < 1e-10, "problem {k}: {:e}", problem.residual(&solved));
        (most, sum) = (most.max(solved.steps), sum + solved.steps);
        let newton = ActiveSet.solve(&problem).unwrap_or_else(|e| panic!("active set, problem {k}: {e}"));
        assert!((newton.frames[0] - solved.frames[0]).abs() < 1e-9 * solved.frames[0].abs(), "problem {k}");
        if repeats == 0 {
            let size = solved.forces.iter().fold(0.0f64, |a, x| a.max(*x));
            for (p, q) in newton.forces.iter().zip(&solved.forces) {
                assert!((p - q).abs() < 1e-9 * size, "problem {k}: {p} {q}");
            }
        }
        first_failed += usize::from(Pivoting { rule: Rule::First }.solve(&problem).is_err());
        match ALL.iter().find(|s| s.name == "simplex").map(|s| (s.build)().solve(&problem)) {
            Some(Ok(found)) => simplex_wrong += usize::from(problem.residual(&found) > 1e-9),
            Some(Err(LinearisedError::Deadlock { .. })) => deadlocks += 1,
            _ => simplex_wrong += 1,
        }
    }
    println!(
        "{count} problems: {:.1} pivots on average, at most {most}; Bland's rule fails on {first_failed}; \
         simplex: {deadlocks} deadlocks, {simplex_wrong} without a solution",
        sum as f64 / f64::from(count)
    );
}

/// A rod under a load beyond both of its props: one would have to pull. Between them both push, by the lever.
#[test]
fn a_rod_that_cannot_rest_is_statically_unstable() {
    let rod = |at: f64| {
        // unknowns: lowering and turning; props at x = 1 and 2, hard but not rigid
        let opening = vec![-1.0, -1.0, -1.0, -2.0];
        let arms = vec![1.0, 1.0, 1.0, 2.0];
        let compliance = vec![1e-3, 0.0, 0.0, 1e-3];
        Linearised { gaps: vec![0.0; 2], loads: vec![1.0, at], compliance, opening, arms }
    };
    let found = Pivoting::default().solve(&rod(1.25)).unwrap();
    assert!((found.forces[0] - 0.75).abs() < 1e-12 && (found.forces[1] - 0.25).abs() < 1e-12, "{found:?}");
    for at in [0.5, 2.5] {
        let error = Pivoting::default().solve(&rod(at)).unwrap_err();
        assert!(error.to_string().contains("statically unstable"), "{at}: {error}");
    }
}

/// A cylinder (the cam) against the flat face of a follower that rocks about a pivot, without friction: the torque over the lever is the
/// load, and the peak pressure that of Hertz, `p₀ = √(P'E*/πR)`.
#[test]
fn a_cam_presses_its_follower_as_hertz_says() {
    let (radius, lever, around) = (10e-3, 30e-3, 720usize);
    let material = Material { density: 1.0, law: Law::Linear(Hooke::new(200e9, 0.3)) };
    let spec = |name: &str, mesh, held: &str, kept: Vec<NodeId>| {
        let mesh: impakt::mesh::Mesh = mesh;
        let held = mesh.node_sets[held].clone();
        let (material, section) = (material.clone(), Section::PlaneStrain(1.0));
        ElasticSpec { name: name.into(), mesh, material, section, held, kept }
    };
    let cells = PlaneCells::Quads;
    let cam = ring(&Ring { inner: 6e-3, outer: radius, centre: [0.0, -radius], around, layers: 46, cells }).unwrap();
    // the top of the cam, left to right
    let mut top: Vec<NodeId> = cam.node_sets["outer"]
        .iter()
        .copied()
        .filter(|n| {
            let [x, y, _] = cam.nodes[n.index()];
            x.abs() < 1.3e-3 && y > -radius
        })
        .collect();
    top.sort_by(|a, b| cam.nodes[a.index()][0].total_cmp(&cam.nodes[b.index()][0]));
    let places: Vec<[f64; 3]> = top.iter().map(|n| cam.nodes[n.index()]).collect();
    let face = Rectangle { min: [-3e-3, 0.0], max: [3e-3, 5e-3], divisions: [72, 60], cells };
    let flat = rectangle(&face).unwrap();
    let bottom = flat.node_sets["bottom"].clone();
    let width = 6e-3 / 72.0;
    let mut bodies = [
        Elastic::new(spec("cam", cam, "inner", top)).unwrap(),
        Elastic::new(spec("follower", flat, "top", bottom)).unwrap(),
    ];
    let compliances: Vec<_> = bodies
        .iter_mut()
        .map(|body| {
            body.factor().unwrap();
            body.compliance()
        })
        .collect();
    let candidates: Vec<Candidate> = places
        .iter()
        .enumerate()
        .map(|(k, [x, y, _])| {
            let at = (x + 3e-3) / width;
            let first = at.floor() as usize;
            let sides = vec![
                Side::new(
                    0,
                    k.min(places.len() - 2),
                    if k + 1 == places.len() { 1.0 } else { 0.0 },
                    [0.0, -1.0],
                    [-1.0, 0.0],
                ),
                Side::new(1, first, at - first as f64, [0.0, 1.0], [1.0, 0.0]),
            ];
            Candidate { sides, gap: -y, sign: 1.0, opening: vec![-(x + lever)], sliding: vec![0.0] }
        })
        .collect();
    let coupling = couple(&candidates, &[&compliances[0], &compliances[1]], 1, true);
    let modulus = 200e9 / (1.0 - 0.09) / 2.0;
    let half = 0.5e-3f64;
    let load = half * half * std::f64::consts::PI * modulus / (4.0 * radius);
    let problem = coupling.imposed(0.0, &[load * lever]);
    let found = Pivoting::default().solve(&problem).unwrap();
    let sum: f64 = found.forces.iter().sum();
    let spacing = std::f64::consts::TAU * radius / around as f64;
    let peak = found.forces.iter().fold(0.0f64, |a, x| a.max(*x)) / spacing;
    let hertz = (load * modulus / (std::f64::consts::PI * radius)).sqrt();
    println!("cam: sum {:.6} of {load:.6}, peak {:.4} of Hertz", sum, peak / hertz);
    assert!((sum / load - 1.0).abs() < 1e-3, "the lever");
    assert!((peak / hertz - 1.0).abs() < 0.03, "{peak:e} {hertz:e}");
    // the general solvers find the same, sliding long and far
    for friction in [0.0, 0.2] {
        let imposed = coupling.imposed(friction, &[load * lever]);
        let reference = Pivoting::default().solve(&imposed).unwrap();
        let most = reference.forces.iter().fold(0.0f64, |a, x| a.max(*x));
        let (coefficients, slips) = (vec![friction; candidates.len()], vec![-1.0; candidates.len()]);
        let loads = [load * lever];
        let cone = Cone { coupling: &coupling, friction: &coefficients, slips: &slips, loads: &loads };
        for name in ["newton", "gauss_seidel"] {
            let entry = solvers::ALL.iter().find(|s| s.name == name).unwrap();
            let rolled = cone.solve(&mut GoOn((entry.build)(1e-13, Some(20_000))), &Rolled::default()).unwrap();
            for (p, q) in rolled.solution.forces.iter().zip(&reference.forces) {
                assert!((p - q).abs() < 1e-9 * most, "{name}, friction {friction}: {p} {q}");
            }
        }
    }
}
