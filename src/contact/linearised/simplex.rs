//! The linear-programming form that two-stage pivoting replaced: what is missing in `B p = λ` is minimised by the simplex method, and of
//! a force and a separation that belong together only one may be in the basis (Conry and Seireg 1971). That restriction can leave no
//! variable to enter before the load is carried: a deadlock, which is reported as such.

use super::active_set::polish;
use super::tableau::{Tableau, Variable};
use super::{Linearised, LinearisedError, LinearisedSolver, Solution};

/// The solver.
#[derive(Debug, Clone, Copy)]
pub struct Simplex;

const ROUNDING: f64 = 1e-11;

impl LinearisedSolver for Simplex {
    fn name(&self) -> &'static str {
        "simplex"
    }

    fn solve(&self, problem: &Linearised) -> Result<Solution, LinearisedError> {
        if !problem.is_finite() {
            return Err(LinearisedError::NonFinite);
        }
        let mut tableau = Tableau::new(problem);
        for unknown in 0..problem.frames() {
            touch(&mut tableau, problem, unknown)
                .ok_or(LinearisedError::Unstable { smallest: problem.smallest_gap() })?;
        }
        let limit = 50 * (problem.candidates() + problem.frames()) + 100;
        loop {
            let missing: f64 = missing(&tableau).map(|row| tableau.value(row).abs()).sum();
            if missing <= ROUNDING {
                return Ok(polish(problem, tableau.solution()));
            }
            let pivots = tableau.pivots();
            if pivots >= limit {
                let residual = problem.residual(&tableau.solution());
                return Err(LinearisedError::Exhausted { steps: pivots, residual });
            }
            let (row, column) = next(&tableau).ok_or(LinearisedError::Deadlock { pivots })?;
            tableau.exchange(row, column);
        }
    }
}

/// Rows of what is missing.
fn missing(tableau: &Tableau) -> impl Iterator<Item = usize> + '_ {
    (0..tableau.size).filter(|&row| matches!(tableau.rows[row], Variable::Missing(_)))
}

/// Moves a frame until its first pair touches: a free unknown enters at no cost.
fn touch(tableau: &mut Tableau, problem: &Linearised, unknown: usize) -> Option<()> {
    let column = tableau.column(Variable::Frame(unknown))?;
    let load = problem.loads[unknown];
    let closing = |i: usize| {
        let row = tableau.row(Variable::Gap(i))?;
        let slope = tableau.at(row, column);
        let closes = if load < 0.0 { slope > 0.0 } else { slope < 0.0 };
        (closes && !tableau.vanishes(row, column)).then(|| (tableau.value(row) / slope.abs(), row))
    };
    let first = (0..problem.candidates()).filter_map(closing).min_by(|a, b| a.0.total_cmp(&b.0))?;
    tableau.exchange(first.1, column);
    Some(())
}

/// The next exchange: of the variables that may enter and reduce what is missing most, the first to leave makes room.
fn next(tableau: &Tableau) -> Option<(usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    for column in 0..tableau.size {
        let partner = match tableau.columns[column] {
            Variable::Force(i) => tableau.row(Variable::Gap(i)),
            Variable::Gap(i) => tableau.row(Variable::Force(i)),
            // what is missing never comes back, and frames are tied already
            Variable::Missing(_) | Variable::Frame(_) => continue,
        };
        let slope: f64 = missing(tableau).map(|row| tableau.at(row, column) * tableau.value(row).signum()).sum();
        if slope >= -ROUNDING {
            continue;
        }
        let Some((length, row)) = leaving(tableau, column, partner) else { continue };
        // the partner must leave, or stand outside the basis already
        if partner.is_some_and(|p| p != row) {
            continue;
        }
        let gain = slope * length.max(1e-12);
        if best.is_none_or(|(least, ..)| gain < least) {
            best = Some((gain, row, column));
        }
    }
    best.map(|(_, row, column)| (row, column))
}

/// How far a variable can enter, and the row that stops it; of equals the partner.
fn leaving(tableau: &Tableau, column: usize, partner: Option<usize>) -> Option<(f64, usize)> {
    let mut first: Option<(f64, usize)> = None;
    for row in 0..tableau.size {
        let (value, slope) = (tableau.value(row), tableau.at(row, column));
        let bounded = match tableau.rows[row] {
            Variable::Frame(_) => false,
            Variable::Missing(_) => value * slope < 0.0,
            Variable::Gap(_) | Variable::Force(_) => slope < 0.0,
        };
        if !bounded || tableau.vanishes(row, column) {
            continue;
        }
        let length = (value / slope).abs();
        let nearer = first.is_none_or(|(least, _)| length < least - ROUNDING);
        let tie = first.is_some_and(|(least, _)| length <= least + ROUNDING) && partner == Some(row);
        if nearer || tie {
            first = Some((length, row));
        }
    }
    first
}
