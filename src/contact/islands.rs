//! Parts of a contact problem that know nothing of each other: bodies that do not touch, not even by way of others. Each is solved by itself,
//! so that one that resists does not disturb the reactions of the others, and each is judged by its own forces.

use super::detection::ContactPoint;
use super::problem::{LocalProblem, residual};
use super::rigid;
use super::solvers::{ContactSolver, LeastWork, SolverError, SolverReport};

/// Takes a problem apart; keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Islands {
    /// Points, island by island, and where each island ends.
    members: Vec<u32>,
    ends: Vec<usize>,
    /// The place of every point among those of its island.
    place: Vec<u32>,
    /// The island at hand.
    points: Vec<ContactPoint>,
    part: LocalProblem,
    r: Vec<f64>,
    begun: Vec<f64>,
}

const NONE: u32 = u32::MAX;

impl Islands {
    /// Solves island by island, those whose reactions are not determined from the ones of least work; all together where one of them
    /// resists.
    pub(super) fn solve(
        &mut self,
        solver: &mut dyn ContactSolver,
        least_work: &mut LeastWork,
        points: &[ContactPoint],
        problem: &LocalProblem,
        r: &mut [f64],
    ) -> Result<SolverReport, SolverError> {
        let mut solve = |points: &[ContactPoint], problem: &LocalProblem, r: &mut [f64]| {
            if rigid::are_indeterminate(points) {
                least_work.solve(solver, problem, r)
            } else {
                solver.solve(problem, r)
            }
        };
        self.find(problem);
        if self.ends.len() < 2 {
            return solve(points, problem, r);
        }
        self.begun.clear();
        self.begun.extend_from_slice(r);
        let mut iterations = 0;
        for island in 0..self.ends.len() {
            self.take(island, problem, r);
            let Islands { members, ends, points: own, .. } = self;
            own.clear();
            own.extend(of(members, ends, island).iter().map(|&point| points[point as usize]));
            match solve(&self.points, &self.part, &mut self.r) {
                Ok(report) if !report.unsolved => iterations = iterations.max(report.iterations),
                _ => {
                    r.copy_from_slice(&self.begun);
                    return solve(points, problem, r);
                }
            }
            self.put_back(island, problem.dim, r);
        }
        Ok(SolverReport { iterations, residual: residual(problem, r), unsolved: false })
    }

    /// Finds the islands, in the order of their first points.
    fn find(&mut self, problem: &LocalProblem) {
        let Islands { members, ends, place, .. } = self;
        members.clear();
        ends.clear();
        place.clear();
        place.resize(problem.len(), NONE);
        for first in 0..problem.len() {
            if place[first] != NONE {
                continue;
            }
            let start = members.len();
            // those found so far lead to the others
            let mut next = start;
            place[first] = 0;
            members.push(first as u32);
            while next < members.len() {
                let point = members[next] as usize;
                for &other in &problem.w.columns[problem.w.offsets[point]..problem.w.offsets[point + 1]] {
                    if place[other as usize] == NONE {
                        place[other as usize] = 0;
                        members.push(other);
                    }
                }
                next += 1;
            }
            members[start..].sort_unstable();
            members[start..].iter().zip(0..).for_each(|(&point, k)| place[point as usize] = k);
            ends.push(members.len());
        }
    }

    /// Copies the problem of an island and its guess.
    fn take(&mut self, island: usize, problem: &LocalProblem, r: &[f64]) {
        let Islands { members, ends, place, part, r: guess, .. } = self;
        let dim = problem.dim;
        (part.dim, part.rounding) = (dim, problem.rounding);
        part.w.offsets.clear();
        part.w.offsets.push(0);
        part.w.columns.clear();
        part.w.blocks.clear();
        part.w.diagonal.clear();
        part.q.clear();
        part.friction.clear();
        guess.clear();
        for &point in of(members, ends, island) {
            let point = point as usize;
            let row = problem.w.offsets[point]..problem.w.offsets[point + 1];
            part.w.diagonal.push(part.w.columns.len() + problem.w.diagonal[point] - row.start);
            part.w.blocks.extend_from_slice(&problem.w.blocks[row.start * dim * dim..row.end * dim * dim]);
            part.w.columns.extend(problem.w.columns[row].iter().map(|&other| place[other as usize]));
            part.w.offsets.push(part.w.columns.len());
            part.q.extend_from_slice(&problem.q[point * dim..][..dim]);
            part.friction.push(problem.friction[point]);
            guess.extend_from_slice(&r[point * dim..][..dim]);
        }
    }

    fn put_back(&self, island: usize, dim: usize, r: &mut [f64]) {
        for (&point, own) in of(&self.members, &self.ends, island).iter().zip(self.r.chunks_exact(dim)) {
            r[point as usize * dim..][..dim].copy_from_slice(own);
        }
    }
}

/// The points of an island.
fn of<'a>(members: &'a [u32], ends: &[usize], island: usize) -> &'a [u32] {
    &members[if island == 0 { 0 } else { ends[island - 1] }..ends[island]]
}

#[cfg(test)]
mod tests {
    use super::super::solvers::Hybrid;
    use super::*;

    /// Two points of one body and one of another, in turn; the second body is so light that beside the first its forces are rounding.
    fn problem(light: f64) -> LocalProblem {
        let heavy = [[2.0, 0.1, 0.7, 0.0], [0.1, 1.5, 0.0, 0.2], [0.7, 0.0, 1.8, 0.1], [0.0, 0.2, 0.1, 1.1]];
        let mut w = [0.0; 36];
        for (i, a) in [0, 1, 4, 5].into_iter().enumerate() {
            for (j, b) in [0, 1, 4, 5].into_iter().enumerate() {
                w[6 * a + b] = heavy[i][j];
            }
        }
        let own = [[3.0, 0.4], [0.4, 2.0]];
        (0..2).for_each(|a| (0..2).for_each(|b| w[6 * (2 + a) + 2 + b] = own[a][b] / light));
        let dense = LocalProblem::dense(2, &w, &[-1.0, 0.3, -2.0, 5.0, -0.5, 0.4], &[0.3; 3]);
        // as condensation does: only points that share a body have a block
        let kept = [[0, 2].as_slice(), &[1], &[0, 2]];
        let mut sparse = LocalProblem { w: Default::default(), ..dense.clone() };
        sparse.w.offsets.push(0);
        for (i, columns) in kept.iter().enumerate() {
            for &j in *columns {
                if i == j {
                    sparse.w.diagonal.push(sparse.w.columns.len());
                }
                sparse.w.columns.push(j as u32);
                sparse.w.blocks.extend_from_slice(&dense.w.blocks[(3 * i + j) * 4..][..4]);
            }
            sparse.w.offsets.push(sparse.w.columns.len());
        }
        sparse
    }

    #[test]
    fn a_light_body_is_judged_by_its_own_forces() {
        let solve = |light: f64| {
            let (mut islands, mut r) = (Islands::default(), vec![0.0; 6]);
            let problem = problem(light);
            islands.find(&problem);
            assert_eq!(
                (islands.members.as_slice(), islands.ends.as_slice()),
                ([0, 2, 1].as_slice(), [2, 3].as_slice())
            );
            let mut iterations = 0;
            for island in 0..2 {
                islands.take(island, &problem, &r);
                let report = Hybrid::new(1e-10, 1000).solve(&islands.part, &mut islands.r).expect("a solution");
                iterations = report.iterations.max(iterations);
                islands.put_back(island, 2, &mut r);
            }
            assert!(iterations > 0 && residual(&problem, &r) <= 1e-10);
            r
        };
        let (equal, light) = (solve(1.0), solve(1e-12));
        assert_eq!(equal[..2], light[..2]);
        assert_eq!(equal[4..], light[4..]);
        for a in 2..4 {
            assert!((light[a] / 1e-12 - equal[a]).abs() <= 1e-9 * equal[2], "{light:?}, {equal:?}");
        }
    }
}
