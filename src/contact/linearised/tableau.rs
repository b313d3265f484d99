//! The tableau `x_B = s + T x_N` of a linearised problem. An exchange makes one basic and one non-basic variable trade places.

use super::Linearised;

/// A variable of the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variable {
    /// What is missing in row `i` of `B p = λ`.
    Missing(usize),
    /// Separation `dᵢ`.
    Gap(usize),
    /// Force `pᵢ`.
    Force(usize),
    /// Unknown `θᵢ`.
    Frame(usize),
}

/// Entries below this share of their row's largest term are rounding.
const ZERO: f64 = 1e-12;

/// The tableau, its rows in basic and its columns in non-basic variables. It works in units in which forces and separations are of the
/// size of one.
#[derive(Debug, Clone)]
pub(super) struct Tableau {
    pub(super) size: usize,
    frames: usize,
    values: Vec<f64>,
    rhs: Vec<f64>,
    pub(super) rows: Vec<Variable>,
    pub(super) columns: Vec<Variable>,
    /// Row of each basic and column of each non-basic variable, by [`Tableau::number`].
    place: Vec<u32>,
    basic: Vec<bool>,
    /// Size of the terms that made up a row: what is small beside it is rounding.
    unit: Units,
    pivots: usize,
}

/// Units of the scaled problem.
#[derive(Debug, Clone)]
struct Units {
    force: f64,
    gap: f64,
    frames: Vec<f64>,
}

impl Units {
    fn of(problem: &Linearised) -> Self {
        let (m, l) = (problem.candidates(), problem.frames());
        let largest = |list: &[f64]| list.iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let sound = |x: f64| if x > 0.0 { x } else { 1.0 };
        let load = largest(&problem.loads);
        let force = sound(load / sound(largest(&problem.arms)));
        let gap = sound((0..m).fold(0.0f64, |a, i| a.max(problem.compliance[i * m + i].abs())) * force);
        let frames = (0..l).map(|j| gap / sound((0..m).fold(0.0f64, |a, i| a.max(problem.opening[i * l + j].abs()))));
        Units { force, gap, frames: frames.collect() }
    }
}

impl Tableau {
    /// `z = λ − B p`, `d = ε + A p + C θ`.
    pub(super) fn new(problem: &Linearised) -> Self {
        let (m, l) = (problem.candidates(), problem.frames());
        let (n, unit) = (m + l, Units::of(problem));
        let mut values = vec![0.0; n * n];
        let mut rhs = vec![0.0; n];
        for j in 0..l {
            let arms = &problem.arms[j * m..(j + 1) * m];
            let scale =
                arms.iter().fold(problem.loads[j].abs() / unit.force, |a, x| a.max(x.abs())).max(f64::MIN_POSITIVE);
            rhs[j] = problem.loads[j] / (unit.force * scale);
            for i in 0..m {
                values[j * n + l + i] = -arms[i] / scale;
            }
        }
        for i in 0..m {
            rhs[l + i] = problem.gaps[i] / unit.gap;
            let row = &mut values[(l + i) * n..(l + i + 1) * n];
            for j in 0..l {
                row[j] = problem.opening[i * l + j] * unit.frames[j] / unit.gap;
            }
            for (x, a) in row[l..].iter_mut().zip(&problem.compliance[i * m..(i + 1) * m]) {
                *x = a * unit.force / unit.gap;
            }
        }
        let rows = (0..l).map(Variable::Missing).chain((0..m).map(Variable::Gap)).collect();
        let columns = (0..l).map(Variable::Frame).chain((0..m).map(Variable::Force)).collect();
        let place = (0..n as u32).chain(0..n as u32).collect();
        let basic = (0..2 * n).map(|k| k < n).collect();
        Tableau { size: n, frames: l, values, rhs, rows, columns, place, basic, unit, pivots: 0 }
    }

    /// Number of a variable: those that are basic at first, then the others, in the order of rows and columns.
    fn number(&self, variable: Variable) -> usize {
        match variable {
            Variable::Missing(i) => i,
            Variable::Gap(i) => self.frames + i,
            Variable::Frame(i) => self.size + i,
            Variable::Force(i) => self.size + self.frames + i,
        }
    }

    /// Row of a variable if it is basic.
    pub(super) fn row(&self, variable: Variable) -> Option<usize> {
        let k = self.number(variable);
        self.basic[k].then(|| self.place[k] as usize)
    }

    /// Column of a variable if it is not basic.
    pub(super) fn column(&self, variable: Variable) -> Option<usize> {
        let k = self.number(variable);
        (!self.basic[k]).then(|| self.place[k] as usize)
    }

    /// Value of a basic variable in its row.
    pub(super) fn value(&self, row: usize) -> f64 {
        self.rhs[row]
    }

    /// Entry of the tableau.
    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    /// Whether an entry is rounding: zero beside the other entries of its row.
    pub(super) fn vanishes(&self, row: usize, column: usize) -> bool {
        let entries = &self.values[row * self.size..(row + 1) * self.size];
        self.at(row, column).abs() <= ZERO * entries.iter().fold(1.0f64, |a, x| a.max(x.abs()))
    }

    /// Exchanges so far.
    pub(super) fn pivots(&self) -> usize {
        self.pivots
    }

    /// Exchanges the basic variable of a row and the non-basic one of a column.
    pub(super) fn exchange(&mut self, row: usize, column: usize) {
        let n = self.size;
        let inverse = 1.0 / self.at(row, column);
        let own = row * n;
        for j in 0..n {
            self.values[own + j] *= -inverse;
        }
        self.values[own + column] = inverse;
        self.rhs[row] *= -inverse;
        let (before, rest) = self.values.split_at_mut(own);
        let (pivot, after) = rest.split_at_mut(n);
        let others = before.chunks_exact_mut(n).enumerate();
        for (i, line) in others.chain(after.chunks_exact_mut(n).enumerate().map(|(k, x)| (row + 1 + k, x))) {
            let factor = line[column];
            if factor == 0.0 {
                continue;
            }
            line[column] = 0.0;
            for (x, y) in line.iter_mut().zip(&*pivot) {
                *x += factor * y;
            }
            self.rhs[i] += factor * self.rhs[row];
        }
        let (out, entered) = (self.rows[row], self.columns[column]);
        let (out_number, in_number) = (self.number(out), self.number(entered));
        (self.rows[row], self.columns[column]) = (entered, out);
        (self.basic[out_number], self.basic[in_number]) = (false, true);
        (self.place[out_number], self.place[in_number]) = (column as u32, row as u32);
        self.pivots += 1;
    }

    /// Forces and unknowns of the frames in their own units.
    pub(super) fn solution(&self) -> super::Solution {
        let (m, l) = (self.size - self.frames, self.frames);
        let value = |variable| self.row(variable).map_or(0.0, |row| self.rhs[row]);
        super::Solution {
            forces: (0..m).map(|i| value(Variable::Force(i)) * self.unit.force).collect(),
            frames: (0..l).map(|j| value(Variable::Frame(j)) * self.unit.frames[j]).collect(),
            steps: self.pivots,
        }
    }
}
