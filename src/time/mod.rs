//! Functions of time: how loads and prescribed motions vary. Each knows its value, its derivative and its integral, so
//! that a motion given by its velocity lands where it should and the velocity of one given by its place is not a guess.

pub mod expression;
mod parser;
mod table;

pub use expression::{Expression, ExpressionError};
pub use table::{Table, TableError};

use std::f64::consts::TAU;

/// A scalar function of time in seconds.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeFunction {
    /// The same at all times.
    Constant(f64),
    /// `from` until `start`, `to` from `end` on, linear between.
    Ramp {
        /// Value until `start`.
        from: f64,
        /// Value from `end` on.
        to: f64,
        /// Where it begins to change.
        start: f64,
        /// Where it has changed, after `start`.
        end: f64,
    },
    /// Linear between given points.
    Table(Table),
    /// `offset + amplitude sin(2π frequency t + phase)`.
    Sine {
        /// Half the distance between the extremes.
        amplitude: f64,
        /// Periods a second.
        frequency: f64,
        /// Phase in radians.
        phase: f64,
        /// Mean value.
        offset: f64,
    },
    /// A formula in `t`.
    Expression(Expression),
}

/// From which side a derivative is taken where the function has a corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The slope up to this time.
    Before,
    /// The slope from this time on.
    After,
}

impl TimeFunction {
    /// The function that is zero.
    pub const ZERO: TimeFunction = TimeFunction::Constant(0.0);

    /// Value at a time.
    pub fn value(&self, t: f64) -> f64 {
        match self {
            TimeFunction::Constant(value) => *value,
            TimeFunction::Ramp { from, to, start, end } => {
                if t >= *end {
                    return *to;
                }
                from + (to - from) * ((t - start) / (end - start)).max(0.0)
            }
            TimeFunction::Table(table) => table.value(t),
            TimeFunction::Sine { amplitude, frequency, phase, offset } => {
                offset + amplitude * (TAU * frequency * t + phase).sin()
            }
            TimeFunction::Expression(expression) => expression.evaluate(t).value,
        }
    }

    /// Derivative at a time. Of a formula it is exact wherever the formula has one; at a corner of a formula (`abs`,
    /// `min`, `if`, …) it is the slope of the branch that gives the value.
    pub fn rate(&self, t: f64, side: Side) -> f64 {
        match self {
            TimeFunction::Constant(_) => 0.0,
            TimeFunction::Ramp { from, to, start, end } => {
                let inside = match side {
                    Side::Before => *start < t && t <= *end,
                    Side::After => *start <= t && t < *end,
                };
                if inside { (to - from) / (end - start) } else { 0.0 }
            }
            TimeFunction::Table(table) => table.rate(t, side),
            TimeFunction::Sine { amplitude, frequency, phase, .. } => {
                let circular = TAU * frequency;
                amplitude * circular * (circular * t + phase).cos()
            }
            TimeFunction::Expression(expression) => expression.evaluate(t).rate,
        }
    }

    /// Integral from `a` to `b`: closed, except that of a formula, which is taken by four times five Gauss points (exact for
    /// polynomials up to degree nine).
    pub fn integral(&self, a: f64, b: f64) -> f64 {
        match self {
            TimeFunction::Constant(value) => value * (b - a),
            TimeFunction::Ramp { from, to, start, end } => {
                // ∫ of the clamped line from `start`: quadratic inside, linear after
                let rising = |t: f64| {
                    let inside = (t.min(*end) - start).max(0.0);
                    0.5 * inside * inside / (end - start) + (t - end).max(0.0)
                };
                from * (b - a) + (to - from) * (rising(b) - rising(a))
            }
            TimeFunction::Table(table) => table.integral(b) - table.integral(a),
            TimeFunction::Sine { amplitude, frequency, phase, offset } => {
                let circular = TAU * frequency;
                if circular == 0.0 {
                    return (offset + amplitude * phase.sin()) * (b - a);
                }
                // cos x − cos y = 2 sin((x+y)/2) sin((y−x)/2) loses no digits over a short interval
                let (x, y) = (circular * a + phase, circular * b + phase);
                let swing = 2.0 * (0.5 * (x + y)).sin() * (0.5 * circular * (b - a)).sin();
                offset * (b - a) + amplitude * swing / circular
            }
            TimeFunction::Expression(expression) => gauss(|t| expression.evaluate(t).value, a, b),
        }
    }

    /// The function multiplied by a number.
    pub fn times(&self, factor: f64) -> TimeFunction {
        match self {
            TimeFunction::Constant(value) => TimeFunction::Constant(factor * value),
            TimeFunction::Ramp { from, to, start, end } => {
                TimeFunction::Ramp { from: factor * from, to: factor * to, start: *start, end: *end }
            }
            TimeFunction::Table(table) => TimeFunction::Table(table.times(factor)),
            TimeFunction::Sine { amplitude, frequency, phase, offset } => TimeFunction::Sine {
                amplitude: factor * amplitude,
                frequency: *frequency,
                phase: *phase,
                offset: factor * offset,
            },
            TimeFunction::Expression(expression) => TimeFunction::Expression(expression.times(factor)),
        }
    }

    /// Whether it is the constant zero.
    pub fn is_zero(&self) -> bool {
        *self == TimeFunction::ZERO
    }

    /// Whether it never changes.
    pub fn is_constant(&self) -> bool {
        matches!(self, TimeFunction::Constant(_))
    }
}

/// Four panels of the five-point Gauss–Legendre rule.
fn gauss(f: impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    const PANELS: u32 = 4;
    const MIDDLE: f64 = 128.0 / 225.0;
    const RULE: [(f64, f64); 2] =
        [(0.538_469_310_105_683_1, 0.478_628_670_499_366_5), (0.906_179_845_938_664, 0.236_926_885_056_189_1)];
    let half = 0.5 * (b - a) / f64::from(PANELS);
    let panel = |k: u32| {
        let centre = a + half * f64::from(2 * k + 1);
        let pairs = RULE.iter().map(|(x, w)| w * (f(centre - half * x) + f(centre + half * x)));
        half * (MIDDLE * f(centre) + pairs.sum::<f64>())
    };
    (0..PANELS).map(panel).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<TimeFunction> {
        vec![
            TimeFunction::Constant(3.0),
            TimeFunction::Ramp { from: 1.0, to: -2.0, start: 0.25, end: 1.5 },
            TimeFunction::Table(Table::new(vec![[0.0, 1.0], [0.5, 3.0], [0.75, -1.0], [2.0, 0.5]]).unwrap()),
            TimeFunction::Sine { amplitude: 2.0, frequency: 0.7, phase: 0.3, offset: 0.5 },
            TimeFunction::Sine { amplitude: 2.0, frequency: 0.0, phase: 0.3, offset: 0.5 },
            TimeFunction::Expression(Expression::parse("exp(-t)*cos(3*t) + t^2/(1 + t)").unwrap()),
        ]
    }

    /// The derivative against central differences, the integral against a fine trapezoidal sum, both away from corners.
    #[test]
    fn rates_and_integrals_fit_the_values() {
        for f in samples() {
            for t in [0.1, 0.4, 0.6, 1.1, 1.9] {
                let h = 1e-5;
                let difference = (f.value(t + h) - f.value(t - h)) / (2.0 * h);
                for side in [Side::Before, Side::After] {
                    assert!((f.rate(t, side) - difference).abs() < 1e-8, "{f:?} at {t}: {}", f.rate(t, side));
                }
            }
            let n = 40_000;
            let value = |k: i32| f.value(3.0 * f64::from(k) / f64::from(n));
            let sum: f64 = (0..n).map(|k| 0.5 * (value(k) + value(k + 1))).sum::<f64>() * 3.0 / f64::from(n);
            let parts = f.integral(0.0, 1.2) + f.integral(1.2, 3.0);
            assert!((parts - sum).abs() < 2e-7, "{f:?}: {parts} against {sum}");
        }
    }

    #[test]
    fn corners_have_two_slopes() {
        let ramp = TimeFunction::Ramp { from: 0.0, to: 2.0, start: 0.0, end: 1.0 };
        assert_eq!((ramp.rate(0.0, Side::Before), ramp.rate(0.0, Side::After)), (0.0, 2.0));
        assert_eq!((ramp.rate(1.0, Side::Before), ramp.rate(1.0, Side::After)), (2.0, 0.0));
        assert_eq!((ramp.value(-1.0), ramp.value(0.5), ramp.value(7.0)), (0.0, 1.0, 2.0));
    }
}
