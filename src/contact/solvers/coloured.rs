//! Sweeps of non-linear Gauss–Seidel that threads can share: points of one colour are not coupled, so that they may be solved in
//! any order with the same bits. Colours are given once for a problem, each point the lowest that its earlier neighbours leave.
//! Small problems, and those whose points are coupled to so many others that colours are small, are swept in order: which
//! of the two depends on the problem alone.

use pulp::{Simd, WithSimd};

use super::prepared::Prepared;
use super::repeated::Repeated;
use super::sweep::{Change, solved_point, sweep};
use crate::contact::problem::LocalProblem;
use crate::linalg::lanes::{available, dispatch};
use crate::parallel;

/// Points of a problem from which colours are used, and the mean number of points in a colour. A sweep by colours reads `W` and the
/// forces from here and there and takes about twice the work of one in order (measured on lattices of 12 000 and 40 000 points), so
/// that two threads break even and more gain.
const LARGE: usize = 20_000;
const CROWD: usize = 500;

/// Points that a thread takes at a time.
const SHARE: usize = 128;

/// Points of one colour, for one thread at a time.
#[derive(Debug, Clone, Default)]
struct Share {
    places: Vec<u32>,
    points: Prepared,
    made: Vec<f64>,
}

/// Sweeps over a problem, in order or by colours.
#[derive(Debug, Clone, Default)]
pub(super) struct Sweeps {
    in_order: Prepared,
    /// Empty where the problem is swept in order.
    colours: Vec<Vec<Share>>,
    repeated: Repeated,
}

impl Sweeps {
    /// Takes up a problem.
    pub(super) fn begin<const D: usize>(&mut self, problem: &LocalProblem) {
        self.begin_from::<D>(problem, LARGE, CROWD);
    }

    fn begin_from<const D: usize>(&mut self, problem: &LocalProblem, large: usize, crowd: usize) {
        self.colours.clear();
        if problem.len() >= large && available() {
            let colour = colours(problem);
            let count = colour.iter().max().map_or(0, |&most| most as usize + 1);
            if problem.len() >= crowd * count {
                let mut members = vec![Vec::new(); count];
                colour.iter().enumerate().for_each(|(i, &c)| members[c as usize].push(i as u32));
                let share = |places: &[u32]| Share {
                    points: Prepared::of(problem, places),
                    places: places.to_vec(),
                    made: vec![0.0; places.len() * D],
                };
                self.colours = members.iter().map(|places| places.chunks(SHARE).map(share).collect()).collect();
                return;
            }
        }
        self.in_order.begin(problem);
    }

    /// Sweeps once.
    pub(super) fn sweep<const D: usize>(&mut self, problem: &LocalProblem, r: &mut [f64]) -> Change {
        if self.colours.is_empty() {
            return sweep::<D>(problem, &mut self.in_order, r);
        }
        let mut total = Change::default();
        self.repeated.begin::<D>(r);
        for colour in &mut self.colours {
            let (forces, lanes) = (&*r, &self.repeated);
            parallel::each(colour, |_, share| {
                let Share { places, points, made } = share;
                let _ = dispatch(OneShare::<D> { problem, lanes, r: forces, places, points, made });
            });
            for share in colour.iter() {
                for (&i, made) in share.places.iter().zip(share.made.chunks_exact(D)) {
                    let i = i as usize;
                    for a in 0..D {
                        total.change += (made[a] - r[i * D + a]).powi(2);
                        total.norm += made[a] * made[a];
                        r[i * D + a] = made[a];
                    }
                    self.repeated.set::<D>(i, &std::array::from_fn(|a| made[a]));
                }
            }
        }
        total
    }
}

/// The work of one thread, compiled for the vector instructions of the machine.
struct OneShare<'a, const D: usize> {
    problem: &'a LocalProblem,
    lanes: &'a Repeated,
    r: &'a [f64],
    places: &'a [u32],
    points: &'a mut Prepared,
    made: &'a mut [f64],
}

impl<const D: usize> WithSimd for OneShare<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for k in 0..self.places.len() {
            let i = self.places[k] as usize;
            let (_, new) = solved_point::<D, S>(simd, self.problem, self.lanes, self.r, i, self.points, k);
            for a in 0..D {
                self.made[k * D + a] = new[a];
            }
        }
    }
}

/// The colour of each point.
fn colours(problem: &LocalProblem) -> Vec<u32> {
    let mut colour = vec![u32::MAX; problem.len()];
    // the last point that found a colour taken
    let mut taken: Vec<u32> = Vec::new();
    for i in 0..problem.len() {
        for &j in &problem.w.columns[problem.w.offsets[i]..problem.w.offsets[i + 1]] {
            if (j as usize) < i {
                taken[colour[j as usize] as usize] = i as u32;
            }
        }
        let free = taken.iter().position(|&last| last != i as u32).unwrap_or(taken.len());
        if free == taken.len() {
            taken.push(u32::MAX);
        }
        colour[i] = free as u32;
    }
    colour
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::problem::{BlockMatrix, residual};

    /// A grid of points coupled to their neighbours.
    fn grid(side: usize) -> LocalProblem {
        let mut w = BlockMatrix { offsets: vec![0], ..BlockMatrix::default() };
        for i in 0..side * side {
            let (x, y) = (i % side, i / side);
            for j in 0..side * side {
                let far = (j % side).abs_diff(x) + (j / side).abs_diff(y);
                if far > 1 {
                    continue;
                }
                if far == 0 {
                    w.diagonal.push(w.columns.len());
                }
                w.columns.push(j as u32);
                w.blocks.extend(if far == 0 { [4.0, 0.2, 0.2, 3.0] } else { [-0.6, 0.05, 0.05, -0.5] });
            }
            w.offsets.push(w.columns.len());
        }
        let q = (0..side * side).flat_map(|i| [(i as f64).sin() - 0.4, (1.7 * i as f64).cos()]).collect();
        LocalProblem { dim: 2, w, q, friction: vec![0.4.into(); side * side], rounding: 0.0 }
    }

    /// No two coupled points share a colour; coloured sweeps lead to the solution that sweeps in order find, with the same bits on
    /// one thread and on three.
    #[test]
    fn colours_lead_to_the_same_solution_on_any_number_of_threads() {
        if !available() {
            return;
        }
        let problem = grid(24);
        let colour = colours(&problem);
        for i in 0..problem.len() {
            for &j in &problem.w.columns[problem.w.offsets[i]..problem.w.offsets[i + 1]] {
                assert!(i == j as usize || colour[i] != colour[j as usize], "{i} and {j}");
            }
        }
        let solve = |threads: usize, large: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let mut sweeps = Sweeps::default();
            let mut r = vec![0.0; problem.q.len()];
            sweeps.begin_from::<2>(&problem, large, 1);
            assert_eq!(sweeps.colours.is_empty(), large > problem.len());
            if let Ok(pool) = pool {
                pool.install(|| {
                    for _ in 0..60 {
                        sweeps.sweep::<2>(&problem, &mut r);
                    }
                });
            }
            r
        };
        let (one, three, in_order) = (solve(1, 1), solve(3, 1), solve(1, usize::MAX));
        assert!(residual(&problem, &one) < 1e-12, "{:e}", residual(&problem, &one));
        assert!(one.iter().zip(&three).all(|(a, b)| a.to_bits() == b.to_bits()), "bits differ");
        let apart = one.iter().zip(&in_order).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{apart:e}");
    }
}
