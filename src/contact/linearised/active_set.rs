//! Newton's method on the active set (Hintermüller, Ito and Kunisch 2002): candidates are closed or open; the closed ones are solved for
//! as equations, and where that gives a pull or a penetration the candidate changes sides.

use nalgebra::{DMatrix, DVector};

use super::{Linearised, LinearisedError, LinearisedSolver, Solution};

/// The solver.
#[derive(Debug, Clone, Copy)]
pub struct ActiveSet;

/// Newton steps; a set that comes back begins a cycle, which the steps of a single candidate leave.
const LIMIT: usize = 400;

impl LinearisedSolver for ActiveSet {
    fn name(&self) -> &'static str {
        "active_set"
    }

    fn solve(&self, problem: &Linearised) -> Result<Solution, LinearisedError> {
        if !problem.is_finite() {
            return Err(LinearisedError::NonFinite);
        }
        let (m, l) = (problem.candidates(), problem.frames());
        let unstable = || LinearisedError::Unstable { smallest: problem.smallest_gap() };
        let mut active = start(problem).ok_or_else(unstable)?;
        let mut solution = Solution { forces: vec![0.0; m], frames: vec![0.0; l], steps: 0 };
        let mut seen: Vec<Vec<usize>> = Vec::new();
        for step in 1..=LIMIT {
            let gaps: Vec<f64> = active.iter().map(|&i| -problem.gaps[i]).collect();
            let x = closed(problem, &active, &gaps, &problem.loads).ok_or_else(unstable)?;
            solution.forces.fill(0.0);
            active.iter().zip(&x).for_each(|(&i, p)| solution.forces[i] = *p);
            solution.frames.copy_from_slice(&x[active.len()..]);
            solution.steps = step;
            if problem.residual(&solution) < 1e-11 {
                return Ok(solution);
            }
            let next = changed(problem, &active, &solution, seen.contains(&active));
            seen.push(std::mem::replace(&mut active, next));
        }
        Err(LinearisedError::Exhausted { steps: LIMIT, residual: problem.residual(&solution) })
    }
}

/// For each unknown the closest candidate that can carry its load.
fn start(problem: &Linearised) -> Option<Vec<usize>> {
    let (m, l) = (problem.candidates(), problem.frames());
    let mut active: Vec<usize> = Vec::new();
    for j in 0..l {
        let arm = |i: usize| problem.arms[j * m + i].abs();
        let longest = (0..m).map(arm).fold(0.0, f64::max);
        let chosen = (0..m)
            .filter(|&i| arm(i) > 0.5 * longest && !active.contains(&i))
            .min_by(|&a, &b| problem.gaps[a].total_cmp(&problem.gaps[b]))?;
        active.push(chosen);
    }
    active.sort_unstable();
    Some(active)
}

/// The next set; after a cycle only the candidate that violates most changes sides.
fn changed(problem: &Linearised, active: &[usize], solution: &Solution, cycle: bool) -> Vec<usize> {
    let m = problem.candidates();
    let most = solution.forces.iter().fold(0.0f64, |a, x| a.max(x.abs()));
    let stiffness = (0..m).fold(0.0f64, |a, i| a.max(problem.compliance[i * m + i].abs()));
    let violation = |i: usize| match active.binary_search(&i) {
        Ok(_) => -solution.forces[i] / most,
        Err(_) => -problem.separation(i, &solution.forces, &solution.frames) / (stiffness * most),
    };
    let worst = (0..m).max_by(|&a, &b| violation(a).total_cmp(&violation(b)));
    let changes = |i: usize| if cycle { Some(i) == worst } else { violation(i) > 1e-13 };
    let next: Vec<usize> = (0..m).filter(|&i| active.binary_search(&i).is_ok() != changes(i)).collect();
    if next.is_empty() { active.to_vec() } else { next }
}

/// `p` of the closed candidates and `θ` with `A p + C θ = gaps` there and `B p = loads`. A dependent system is solved in the sense of
/// least squares, the shortest of its solutions.
pub(super) fn closed(problem: &Linearised, active: &[usize], gaps: &[f64], loads: &[f64]) -> Option<Vec<f64>> {
    let (m, l, k) = (problem.candidates(), problem.frames(), active.len());
    let stiff = active.iter().fold(0.0f64, |a, &i| a.max(problem.compliance[i * m + i].abs())).max(f64::MIN_POSITIVE);
    let long = problem.arms.iter().chain(&problem.opening).fold(0.0f64, |a, x| a.max(x.abs())).max(f64::MIN_POSITIVE);
    let matrix = DMatrix::from_fn(k + l, k + l, |r, c| match (r < k, c < k) {
        (true, true) => problem.compliance[active[r] * m + active[c]] / stiff,
        (true, false) => problem.opening[active[r] * l + c - k] / long,
        (false, true) => problem.arms[(r - k) * m + active[c]] / long,
        (false, false) => 0.0,
    });
    let rhs = DVector::from_fn(k + l, |r, _| if r < k { gaps[r] / stiff } else { loads[r - k] / long });
    let direct = matrix.clone().lu().solve(&rhs).filter(|x| {
        x.iter().all(|v| v.is_finite()) && (&matrix * x - &rhs).norm() <= 1e-10 * rhs.norm().max(f64::MIN_POSITIVE)
    });
    let x = direct.or_else(|| matrix.svd(true, true).solve(&rhs, 1e-12).ok())?;
    Some((0..k + l).map(|i| if i < k { x[i] } else { x[i] * stiff / long }).collect())
}

/// The same candidates, solved for once more: takes away the rounding of many exchanges. Kept only where it is better.
pub(super) fn polish(problem: &Linearised, rough: Solution) -> Solution {
    let before = problem.residual(&rough);
    if before < 1e-13 {
        return rough;
    }
    let loaded: Vec<usize> = (0..problem.candidates()).filter(|&i| rough.forces[i] > 0.0).collect();
    let gaps: Vec<f64> = loaded.iter().map(|&i| -problem.gaps[i]).collect();
    let Some(x) = closed(problem, &loaded, &gaps, &problem.loads) else { return rough };
    let mut forces = vec![0.0; problem.candidates()];
    loaded.iter().zip(&x).for_each(|(&i, p)| forces[i] = *p);
    let fine = Solution { forces, frames: x[loaded.len()..].to_vec(), steps: rough.steps };
    if problem.residual(&fine) < before { fine } else { rough }
}
