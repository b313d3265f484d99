//! One column of a history, and one number of it.

use std::fmt;
use std::str::FromStr;

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

/// Which row of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pick {
    Start,
    End,
    Least,
    Largest,
    Range,
    Jump,
}

/// A number that stands for a run: a quantity of its history at the start or end, its least or largest value, their difference, or how much it jumps
/// from step to step, as a share of its mean size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// Path below `/history`.
    pub path: String,
    pick: Pick,
}

impl Measure {
    /// The value of a quantity at the end.
    pub fn at_end(path: &str) -> Self {
        Measure { path: path.to_owned(), pick: Pick::End }
    }

    /// The largest value of a quantity.
    pub fn largest(path: &str) -> Self {
        Measure { path: path.to_owned(), pick: Pick::Largest }
    }

    /// The number.
    ///
    /// # Errors
    /// The result has no such quantity.
    pub fn of(&self, file: &ResultFile) -> Result<f64, ReadError> {
        let values = column(file, &self.path)?;
        let value = match self.pick {
            Pick::Start => values.first().copied(),
            Pick::End => values.last().copied(),
            Pick::Least => values.into_iter().reduce(f64::min),
            Pick::Largest => values.into_iter().reduce(f64::max),
            Pick::Range => range(&values),
            Pick::Jump => Some(jump(&values)),
        };
        Ok(value.unwrap_or(f64::NAN))
    }
}

/// Largest less least value.
fn range(values: &[f64]) -> Option<f64> {
    let least = values.iter().copied().reduce(f64::min)?;
    values.iter().copied().reduce(f64::max).map(|largest| largest - least)
}

/// Mean change from row to row over the mean size.
fn jump(values: &[f64]) -> f64 {
    let steps = values.windows(2).map(|w| (w[1] - w[0]).abs());
    let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
    let size = mean(values.iter().map(|v| v.abs()).sum(), values.len());
    if size > 0.0 { mean(steps.sum(), values.len() - 1) / size } else { 0.0 }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pick = match self.pick {
            Pick::Start => ":start",
            Pick::End => "",
            Pick::Least => ":min",
            Pick::Largest => ":max",
            Pick::Range => ":range",
            Pick::Jump => ":jump",
        };
        write!(f, "{}{pick}", self.path)
    }
}

impl FromStr for Measure {
    type Err = String;

    /// `path`, `path:start`, `path:end`, `path:min`, `path:max`, `path:range` or `path:jump`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (path, pick) = match text.split_once(':') {
            None => (text, Pick::End),
            Some((path, "start")) => (path, Pick::Start),
            Some((path, "end")) => (path, Pick::End),
            Some((path, "min")) => (path, Pick::Least),
            Some((path, "max")) => (path, Pick::Largest),
            Some((path, "range")) => (path, Pick::Range),
            Some((path, "jump")) => (path, Pick::Jump),
            Some((_, other)) => return Err(format!("`{other}` is none of start, end, min, max, range, jump")),
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
        for text in ["total_energy", "max_von_mises:max", "bodies/a/velocity/1:start", "time:min", "e:range", "f:jump"]
        {
            assert_eq!(text.parse::<Measure>().map(|m| m.to_string()), Ok(text.to_owned()));
        }
        assert!((jump(&[0.0, 2.0, 0.0, 2.0]) - 2.0).abs() < 1e-15 && jump(&[0.0; 3]) == 0.0);
        assert!("time:last".parse::<Measure>().is_err());
        assert!(":max".parse::<Measure>().is_err());
    }
}
