//! Two-stage pivoting. The first stage ties every free unknown to a candidate, so that the loads are carried somehow; the second one
//! connects candidates that penetrate and disconnects those that pull, until none is left.

use super::active_set::polish;
use super::tableau::{Tableau, Variable};
use super::{Linearised, LinearisedError, LinearisedSolver, Solution};

/// Which violation is mended first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// The largest one.
    #[default]
    MostViolated,
    /// That of the lowest number (Bland's rule, as the paper has it).
    First,
}

/// The solver.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pivoting {
    /// Which violation is mended first.
    pub rule: Rule,
}

/// Violations below this are rounding, in units of the problem.
const ROUNDING: f64 = 1e-11;

impl LinearisedSolver for Pivoting {
    fn name(&self) -> &'static str {
        "pivoting"
    }

    fn solve(&self, problem: &Linearised) -> Result<Solution, LinearisedError> {
        if !problem.is_finite() {
            return Err(LinearisedError::NonFinite);
        }
        let unstable = LinearisedError::Unstable { smallest: problem.smallest_gap() };
        let mut tableau = Tableau::new(problem);
        for unknown in 0..problem.frames() {
            tie(&mut tableau, problem, unknown).ok_or_else(|| unstable.clone())?;
        }
        let limit = 50 * (problem.candidates() + problem.frames()) + 100;
        while tableau.pivots() < limit {
            let Some(row) = self.violated(&tableau) else {
                return Ok(polish(problem, tableau.solution()));
            };
            mend(&mut tableau, row).ok_or_else(|| unstable.clone())?;
        }
        let solution = tableau.solution();
        Err(LinearisedError::Exhausted { steps: tableau.pivots(), residual: problem.residual(&solution) })
    }
}

impl Pivoting {
    /// Row of the separation or force to be mended next.
    fn violated(&self, tableau: &Tableau) -> Option<usize> {
        let candidates = (0..tableau.size).filter(|&row| {
            matches!(tableau.rows[row], Variable::Gap(_) | Variable::Force(_)) && tableau.value(row) < -ROUNDING
        });
        let number = |row: usize| match tableau.rows[row] {
            Variable::Gap(i) | Variable::Force(i) | Variable::Missing(i) | Variable::Frame(i) => i,
        };
        match self.rule {
            Rule::MostViolated => candidates.min_by(|&a, &b| tableau.value(a).total_cmp(&tableau.value(b))),
            Rule::First => candidates.min_by_key(|&row| number(row)),
        }
    }
}

/// Stage one: the load of an unknown is taken up by a candidate, whose separation the unknown closes. Of the candidates with the
/// largest pivots the closest is taken.
fn tie(tableau: &mut Tableau, problem: &Linearised, unknown: usize) -> Option<()> {
    let row = tableau.row(Variable::Missing(unknown))?;
    let frame = tableau.column(Variable::Frame(unknown))?;
    let open = |i: usize| Some((tableau.row(Variable::Gap(i))?, tableau.column(Variable::Force(i))?));
    let pivot = |i: usize| open(i).map_or(0.0, |(gap, force)| (tableau.at(row, force) * tableau.at(gap, frame)).abs());
    let largest = (0..problem.candidates()).map(pivot).fold(0.0, f64::max);
    if largest <= 1e-12 {
        return None;
    }
    let chosen = (0..problem.candidates())
        .filter(|&i| pivot(i) >= 0.5 * largest)
        .min_by(|&a, &b| problem.gaps[a].total_cmp(&problem.gaps[b]))?;
    tableau.exchange(row, tableau.column(Variable::Force(chosen))?);
    // the unknown's column may be tied up with the force that came in, so its own pivot is looked at again
    let (gap, frame) = (tableau.row(Variable::Gap(chosen))?, tableau.column(Variable::Frame(unknown))?);
    if tableau.vanishes(gap, frame) {
        return None;
    }
    tableau.exchange(gap, frame);
    Some(())
}

/// Stage two: connects a candidate that penetrates, disconnects one that pulls. Where the pivot of a single exchange vanishes a second
/// candidate changes along with it. `None`: nothing can.
fn mend(tableau: &mut Tableau, row: usize) -> Option<()> {
    let partner = match tableau.rows[row] {
        Variable::Gap(i) => Variable::Force(i),
        Variable::Force(i) => Variable::Gap(i),
        Variable::Missing(_) | Variable::Frame(_) => return None,
    };
    let column = tableau.column(partner)?;
    if !tableau.vanishes(row, column) && tableau.at(row, column) > 0.0 {
        tableau.exchange(row, column);
        return Some(());
    }
    let (other, own) = companion(tableau, row, column)?;
    // a 2 × 2 pivot on rows (row, other) and columns (column, own): first the entry that does not vanish
    match tableau.vanishes(other, own) {
        false => {
            tableau.exchange(other, own);
            tableau.exchange(row, column);
        }
        true => {
            tableau.exchange(row, own);
            tableau.exchange(other, column);
        }
    }
    Some(())
}

/// The candidate whose change along with that in `row` makes the exchange possible: its row and the column of its partner. The force
/// that enters must push, and of those that do the one is taken after which the least is violated.
fn companion(tableau: &Tableau, row: usize, column: usize) -> Option<(usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    for other in (0..tableau.size).filter(|&r| r != row) {
        let partner = match tableau.rows[other] {
            Variable::Gap(j) => Variable::Force(j),
            Variable::Force(j) => Variable::Gap(j),
            Variable::Missing(_) | Variable::Frame(_) => continue,
        };
        let Some(own) = tableau.column(partner) else { continue };
        let (a, b) = (tableau.at(row, column), tableau.at(row, own));
        let (c, d) = (tableau.at(other, column), tableau.at(other, own));
        let determinant = a * d - b * c;
        if tableau.vanishes(row, own) || determinant.abs() <= 1e-12 * (b * c).abs().max((a * d).abs()) {
            continue;
        }
        // both basic variables become zero: the two that enter take these values
        let (r, s) = (tableau.value(row), tableau.value(other));
        let (x, y) = ((b * s - d * r) / determinant, (c * r - a * s) / determinant);
        if y < 0.0 || x < -1e-9 && matches!(tableau.rows[other], Variable::Force(_)) {
            continue;
        }
        let violation = f64::max(-x, 0.0);
        let cost = (0..tableau.size)
            .filter(|&k| k != row && k != other && matches!(tableau.rows[k], Variable::Gap(_) | Variable::Force(_)))
            .map(|k| -(tableau.value(k) + tableau.at(k, column) * x + tableau.at(k, own) * y))
            .fold(violation, f64::max);
        if best.is_none_or(|(least, ..)| cost < least) {
            best = Some((cost, other, own));
        }
    }
    best.map(|(_, other, own)| (other, own))
}
