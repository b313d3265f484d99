//! What the files of a study say of its runs.

use std::path::Path;

use super::super::column::{Measure, column};
use super::Combination;
use crate::case::Case;
use crate::output::{CaseInfo, ReadError, ResultFile};

/// Outcome of a run whose result was made from another text of the case, or by another version.
pub const OUTDATED: &str = "outdated";

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The run.
    pub combination: Combination,
    /// `done`, or why not.
    pub outcome: String,
    /// Steps done.
    pub steps: usize,
    /// Seconds of wall clock.
    pub seconds: f64,
    /// The measures; not a number where there is none.
    pub values: Vec<f64>,
    /// Energy at the start.
    pub initial: f64,
}

impl Row {
    /// A run that left no result.
    pub fn without_result(combination: &Combination, outcome: String, measures: usize) -> Self {
        let values = vec![f64::NAN; measures];
        Row { combination: combination.clone(), outcome, steps: 0, seconds: f64::NAN, values, initial: f64::NAN }
    }

    /// Reads the result of a run of this case text.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(run: &Combination, path: &Path, text: &str, measures: &[Measure]) -> Result<Self, ReadError> {
        let file = ResultFile::open(path)?;
        let case = file.case()?;
        if !is_of(&case, text) {
            return Ok(Row::without_result(run, OUTDATED.to_owned(), measures.len()));
        }
        let known = |measure: &Measure| match measure.of(&file) {
            Err(ReadError::Missing { .. }) => Ok(f64::NAN),
            other => other,
        };
        let values = measures.iter().map(known).collect::<Result<Vec<f64>, ReadError>>()?;
        // a task has no energy to start with
        let initial = column(&file, "total_energy").unwrap_or_default().first().copied().unwrap_or(f64::NAN);
        let seconds = case.wall_clock_seconds.unwrap_or(f64::NAN);
        let steps = file.history_rows().saturating_sub(1);
        Ok(Row { combination: run.clone(), outcome: case.outcome, steps, seconds, values, initial })
    }

    /// Whether the run came to its end.
    pub fn is_done(&self) -> bool {
        self.outcome == "done"
    }
}

/// What a result means for the next call of its study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The run came to its end.
    Done,
    /// It was killed or interrupted, and can be taken up.
    Half,
    /// There is no result, or none to go on from: it failed, is of another case, or cannot be read.
    Nothing,
}

/// How the result of a run of this case text stands.
pub fn standing(path: &Path, text: &str) -> Standing {
    let of = |file: ResultFile| -> Result<Standing, ReadError> {
        let case = file.case()?;
        Ok(match case.outcome.as_str() {
            _ if !is_of(&case, text) => Standing::Nothing,
            "done" => Standing::Done,
            "running" | "interrupted" if file.checkpoint()?.is_some() => Standing::Half,
            _ => Standing::Nothing,
        })
    };
    ResultFile::open(path).and_then(of).unwrap_or(Standing::Nothing)
}

fn is_of(case: &CaseInfo, text: &str) -> bool {
    case.text == text && case.version == env!("CARGO_PKG_VERSION")
}

/// What the table says of every run: where the energy went, what the case expects, and `more`.
pub fn measures(case: &Case, more: &[Measure]) -> Vec<Measure> {
    let ends = [
        "kinetic_energy",
        "strain_energy",
        "friction_dissipation",
        "damping_dissipation",
        "contact_work",
        "external_work",
        "numerical_dissipation",
    ];
    // a task has none of the energies of a run in time
    let of_runs = ends.into_iter().map(Measure::at_end).chain([Measure::largest("max_von_mises")]);
    let always = of_runs.filter(|_| case.task.is_none());
    let expected = case.expect.iter().map(|expect| Measure::from(&expect.value));
    let mut all: Vec<Measure> = Vec::new();
    for measure in always.chain(expected).chain(more.iter().cloned()) {
        if !all.contains(&measure) {
            all.push(measure);
        }
    }
    all
}
