//! How well reactions solve a problem, in the measures that the field compares solvers by. The solvers themselves stop by
//! [`residual`], which does not depend on units; these do, and are meant for publication.

use super::cone::{project, shifted};
use super::problem::{LocalProblem, cone_violation, residual};

/// Errors of a set of reactions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// The judge's [`residual`].
    pub residual: f64,
    /// `‖r − Proj_K(r − û)‖/‖q‖`, with ρ = 1; absolute if `q = 0`.
    pub relative_to_q: f64,
    /// The same map over `max(‖q‖, ‖r‖, ‖u‖)`, as Siconos reports it.
    pub siconos: f64,
    /// Largest `−u_n`, in the units of `q`.
    pub penetration: f64,
    /// Largest violation of Coulomb's cone, relative to the normal force.
    pub cone: f64,
}

impl Quality {
    /// Measures `r`.
    pub fn of(problem: &LocalProblem, r: &[f64]) -> Self {
        let (map, u, penetration) = match problem.dim {
            2 => unscaled::<2>(problem, r),
            _ => unscaled::<3>(problem, r),
        };
        let norm = |x: &[f64]| x.iter().map(|a| a * a).sum::<f64>().sqrt();
        let over = |size: f64| if size > 0.0 { map / size } else { map };
        let q = norm(&problem.q);
        Quality {
            residual: residual(problem, r),
            relative_to_q: over(q),
            siconos: over(q.max(norm(r)).max(u)),
            penetration,
            cone: cone_violation(problem, r).max(0.0),
        }
    }
}

/// The natural map with ρ = 1, `‖u‖` and the deepest penetration.
fn unscaled<const D: usize>(problem: &LocalProblem, r: &[f64]) -> (f64, f64, f64) {
    let (mut map, mut size, mut deepest) = (0.0, 0.0, 0.0f64);
    for i in 0..problem.len() {
        let u = problem.displacement::<D>(r, i);
        let hat = shifted(&u, &problem.friction[i]);
        let projected = project::<D>(&std::array::from_fn(|a| r[i * D + a] - hat[a]), &problem.friction[i]);
        map += (0..D).map(|a| (r[i * D + a] - projected[a]).powi(2)).sum::<f64>();
        size += u.iter().map(|x| x * x).sum::<f64>();
        deepest = deepest.max(-u[0]);
    }
    (map.sqrt(), size.sqrt(), deepest)
}
