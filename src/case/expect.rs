//! The values a case promises, compared with what a run measured.

use super::data::Case;
use super::results::{Expect, ExpectAt};
use crate::simulation::history::Memory;

/// A promise and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Quantity and moment, as the case writes them.
    pub what: String,
    /// Measured value, if the quantity exists.
    pub measured: Option<f64>,
    /// Promised value.
    pub expected: f64,
    /// Allowed difference.
    pub tolerance: f64,
}

impl Verdict {
    /// Whether the promise holds.
    pub fn holds(&self) -> bool {
        self.measured.is_some_and(|m| (m - self.expected).abs() <= self.tolerance)
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = if self.holds() { "holds" } else { "FAILS" };
        match self.measured {
            Some(m) => {
                write!(f, "{mark}  {}: {m:.6e}, promised {:.6e} ± {:.2e}", self.what, self.expected, self.tolerance)
            }
            None => write!(f, "{mark}  {}: the result has no such quantity", self.what),
        }
    }
}

impl ExpectAt {
    /// What a column has at this moment, or the moment itself; neither may be empty.
    pub fn of(self, times: &[f64], values: &[f64]) -> f64 {
        let extreme = |sign: f64| {
            (0..values.len()).fold(0, |best, k| if sign * values[k] > sign * values[best] { k } else { best })
        };
        match self {
            ExpectAt::Final => values[values.len() - 1],
            ExpectAt::Initial => values[0],
            ExpectAt::Max => values[extreme(1.0)],
            ExpectAt::Min => values[extreme(-1.0)],
            ExpectAt::TimeOfMax => times[extreme(1.0)],
            ExpectAt::TimeOfMin => times[extreme(-1.0)],
            ExpectAt::Time(t) => {
                let nearest = (0..times.len()).min_by(|&a, &b| (times[a] - t).abs().total_cmp(&(times[b] - t).abs()));
                values[nearest.unwrap_or(0)]
            }
        }
    }
}

/// Judges all promises of a case by the history of its run.
pub fn verdicts(case: &Case, history: &Memory) -> Vec<Verdict> {
    let times = history.column("time").unwrap_or_default();
    case.expect.iter().map(|promise| judge(&promise.value, &times, |path| history.column(path))).collect()
}

/// Judges one promise. `column(path)` gives a history column by its path below `/history`: `friction_dissipation`, or with
/// a component `bodies/cylinder/velocity/1`.
pub fn judge(expect: &Expect, times: &[f64], column: impl Fn(&str) -> Option<Vec<f64>>) -> Verdict {
    let values = column(&expect.quantity).filter(|v| !v.is_empty() && v.len() == times.len());
    let measured = values.map(|values| expect.at.of(times, &values));
    let at = match expect.at {
        ExpectAt::Final => "final".to_owned(),
        ExpectAt::Initial => "initial".to_owned(),
        ExpectAt::Max => "max".to_owned(),
        ExpectAt::Min => "min".to_owned(),
        ExpectAt::TimeOfMax => "time of max".to_owned(),
        ExpectAt::TimeOfMin => "time of min".to_owned(),
        ExpectAt::Time(t) => format!("t = {t}"),
    };
    let tolerance = expect.tolerance.around(expect.value);
    Verdict { what: format!("{} ({at})", expect.quantity), measured, expected: expect.value, tolerance }
}
