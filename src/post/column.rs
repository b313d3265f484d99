//! One column of a history, and one number of it.

use std::fmt;
use std::str::FromStr;

use crate::case::{Expect, ExpectAt};
use crate::output::{ReadError, ResultFile};

/// Values of a quantity of `/history` by its path; a component follows after a slash (`momentum/1`).
///
/// # Errors
/// There is no such quantity: its neighbours are named.
pub fn column(file: &ResultFile, path: &str) -> Result<Vec<f64>, ReadError> {
    if let Some((name, component)) = path.rsplit_once('/')
        && let Ok(component) = component.parse::<usize>()
        && let Ok(values) = file.history(name)
        && component < values.components
    {
        return Ok(values.data.iter().skip(component).step_by(values.components).copied().collect());
    }
    let values = file.history(path)?;
    match values.components {
        1 => Ok(values.data),
        // the length of a vector is what one number can say of it
        n => Ok(values.data.chunks_exact(n).map(|row| row.iter().map(|x| x * x).sum::<f64>().sqrt()).collect()),
    }
}

/// What of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Pick {
    /// Its value at a moment, or the moment itself.
    At(ExpectAt),
    /// Largest less least value.
    Range,
    Jump,
    Duration,
}

/// The words for it; the first one is written, `end` not at all.
const PICKS: [(&str, Pick); 11] = [
    ("end", Pick::At(ExpectAt::Final)),
    ("final", Pick::At(ExpectAt::Final)),
    ("start", Pick::At(ExpectAt::Initial)),
    ("initial", Pick::At(ExpectAt::Initial)),
    ("min", Pick::At(ExpectAt::Min)),
    ("max", Pick::At(ExpectAt::Max)),
    ("time_of_min", Pick::At(ExpectAt::TimeOfMin)),
    ("time_of_max", Pick::At(ExpectAt::TimeOfMax)),
    ("range", Pick::Range),
    ("jump", Pick::Jump),
    ("duration", Pick::Duration),
];

/// A number that stands for a run: a quantity of its history at the start, the end or a time, its least or largest value or
/// the moment of it, how long it is not zero, or how much it jumps from step to step, as a share of its mean size.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// Path below `/history`.
    pub path: String,
    pick: Pick,
}

impl Measure {
    /// The value of a quantity at the end.
    pub fn at_end(path: &str) -> Self {
        Measure { path: path.to_owned(), pick: Pick::At(ExpectAt::Final) }
    }

    /// The largest value of a quantity.
    pub fn largest(path: &str) -> Self {
        Measure { path: path.to_owned(), pick: Pick::At(ExpectAt::Max) }
    }

    /// The number.
    ///
    /// # Errors
    /// The result has no such quantity.
    pub fn of(&self, file: &ResultFile) -> Result<f64, ReadError> {
        let values = column(file, &self.path)?;
        let timeless = matches!(
            self.pick,
            Pick::Range | Pick::Jump | Pick::At(ExpectAt::Final | ExpectAt::Initial | ExpectAt::Min | ExpectAt::Max)
        );
        let times = if timeless { Vec::new() } else { column(file, "time")? };
        if values.is_empty() || !timeless && times.len() != values.len() {
            return Ok(f64::NAN);
        }
        Ok(match self.pick {
            Pick::At(at) => at.of(&times, &values),
            Pick::Range => range(&values),
            Pick::Jump => jump(&values),
            Pick::Duration => duration(&times, &values),
        })
    }

    /// The unit of the number.
    pub fn unit(&self) -> &'static str {
        match self.pick {
            Pick::Jump => "",
            Pick::Duration | Pick::At(ExpectAt::TimeOfMin | ExpectAt::TimeOfMax) => "s",
            Pick::At(_) | Pick::Range => super::unit_of(&self.path),
        }
    }
}

impl From<&Expect> for Measure {
    fn from(expect: &Expect) -> Self {
        Measure { path: expect.quantity.clone(), pick: Pick::At(expect.at) }
    }
}

/// Largest less least value.
fn range(values: &[f64]) -> f64 {
    let [least, largest] = [f64::min, f64::max].map(|choose| values.iter().copied().fold(values[0], choose));
    largest - least
}

/// Mean change from row to row over the mean size.
fn jump(values: &[f64]) -> f64 {
    let steps = values.windows(2).map(|w| (w[1] - w[0]).abs());
    let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
    let size = mean(values.iter().map(|v| v.abs()).sum(), values.len());
    if size > 0.0 { mean(steps.sum(), values.len() - 1) / size } else { 0.0 }
}

/// Length of the steps at whose end the value is not zero: of a force, which is a mean over its step, how long it acts.
fn duration(times: &[f64], values: &[f64]) -> f64 {
    let steps = times.windows(2).zip(&values[1..]);
    steps.filter(|(_, value)| **value != 0.0).map(|(t, _)| t[1] - t[0]).sum()
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.pick, PICKS.iter().find(|(_, pick)| *pick == self.pick)) {
            (Pick::At(ExpectAt::Final), _) => f.write_str(&self.path),
            (Pick::At(ExpectAt::Time(time)), _) => write!(f, "{}:{time:?}", self.path),
            (_, word) => write!(f, "{}:{}", self.path, word.map_or("", |(word, _)| word)),
        }
    }
}

impl FromStr for Measure {
    type Err = String;

    /// `path`, or `path:` and one of the words or a time.
    fn from_str(text: &str) -> Result<Self, String> {
        let (path, word) = text.split_once(':').unwrap_or((text, "end"));
        let named = PICKS.iter().find(|(name, _)| *name == word).map(|(_, pick)| *pick);
        let timed = || word.parse().ok().filter(|t: &f64| t.is_finite()).map(|t| Pick::At(ExpectAt::Time(t)));
        let Some(pick) = named.or_else(timed) else {
            let words = PICKS.map(|(name, _)| name).join(", ");
            return Err(format!("`{word}` is neither a time nor one of {words}"));
        };
        if path.is_empty() {
            return Err("names no quantity of the history".to_owned());
        }
        Ok(Measure { path: path.to_owned(), pick })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_are_read_as_they_are_written() {
        for text in [
            "total_energy",
            "max_von_mises:max",
            "bodies/a/velocity/1:start",
            "time:min",
            "e:range",
            "f:jump",
            "f:time_of_max",
            "f/1:0.014",
        ] {
            assert_eq!(text.parse::<Measure>().map(|m| m.to_string()), Ok(text.to_owned()));
        }
        assert!((jump(&[0.0, 2.0, 0.0, 2.0]) - 2.0).abs() < 1e-15 && jump(&[0.0; 3]) == 0.0);
        let long = "f:final".parse::<Measure>().map(|m| m.to_string());
        assert_eq!(long, Ok("f".to_owned()));
        assert_eq!(duration(&[0.0, 1.0, 3.0, 4.0, 7.0], &[5.0, 0.0, -1.0, 2.0, 0.0]), 3.0);
        assert!("time:last".parse::<Measure>().is_err());
        assert!(":max".parse::<Measure>().is_err());
    }
}
