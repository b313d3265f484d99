//! A parameter study: the combinations of its axes, and what their results say in one table and one chart.

use std::fmt::Write as _;
use std::path::Path;

use super::column::Measure;
use super::plot::Chart;
use crate::output::{ReadError, ResultFile};

/// One `--set path=v1,v2,...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// Dotted path into the case.
    pub path: String,
    /// Values, as typed.
    pub values: Vec<String>,
}

impl Axis {
    /// Reads `path=v1,v2,...`. Commas within brackets, braces and quotes belong to a value.
    ///
    /// # Errors
    /// What is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((path, list)) = text.split_once('=') else {
            return Err(format!("--set {text}: there is no `=` in it; expected path=v1,v2,..."));
        };
        let values = split(list);
        if path.trim().is_empty() || values.iter().any(String::is_empty) {
            return Err(format!("--set {text}: a path or a value is empty; expected path=v1,v2,..."));
        }
        if let Some(twice) = (1..values.len()).find(|&k| values[..k].contains(&values[k])) {
            return Err(format!("--set {text}: the value {} is given twice", values[twice]));
        }
        Ok(Axis { path: path.trim().to_owned(), values })
    }

    /// The part of the path that says most: its last name.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }
}

fn split(list: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let (mut depth, mut quote) = (0i32, None);
    for c in list.chars() {
        match (c, quote) {
            (',', None) if depth == 0 => {
                values.push(String::new());
                continue;
            }
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth -= 1,
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(q)) if c == q => quote = None,
            _ => {}
        }
        if let Some(last) = values.last_mut() {
            last.push(c);
        }
    }
    values.iter().map(|v| v.trim().to_owned()).collect()
}

/// One member of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combination {
    /// The value on each axis.
    pub values: Vec<String>,
    /// The `--set` arguments that make it.
    pub sets: Vec<String>,
    /// A name for its files, told by its values.
    pub name: String,
}

/// All combinations, the last axis running fastest.
pub fn combinations(axes: &[Axis]) -> Vec<Combination> {
    let mut all = vec![Vec::new()];
    for axis in axes {
        let longer = |values: &Vec<String>| {
            let values = values.clone();
            axis.values.iter().map(move |v| values.iter().chain([v]).cloned().collect::<Vec<String>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    let shares_name = |axis: &Axis| axes.iter().filter(|other| other.name() == axis.name()).count() > 1;
    let named = |values: Vec<String>| {
        let sets: Vec<String> =
            axes.iter().zip(&values).map(|(axis, value)| format!("{}={value}", axis.path)).collect();
        // axes of one value are the same in every run
        let parts = axes.iter().zip(&values).filter(|(axis, _)| axis.values.len() > 1 || axes.len() == 1);
        let parts: Vec<String> = parts
            .map(|(axis, value)| format!("{}={value}", if shares_name(axis) { &axis.path } else { axis.name() }))
            .collect();
        let text = if parts.is_empty() { sets.join(",") } else { parts.join(",") };
        Combination { name: file_name(&text), values, sets }
    };
    let mut all: Vec<Combination> = all.into_iter().map(named).collect();
    // what a file name cannot hold may make two alike
    for k in 1..all.len() {
        if all[..k].iter().any(|other| other.name == all[k].name) {
            all[k].name = format!("{}-{k}", all[k].name);
        }
    }
    all
}

/// Letters, digits and a few signs; long names are cut and told apart by a number made from all of them.
fn file_name(text: &str) -> String {
    const MOST: usize = 100;
    let safe = |c: char| if c.is_ascii_alphanumeric() || "=.,+-_".contains(c) { c } else { '_' };
    let name: String = text.chars().map(safe).collect();
    if name.len() <= MOST {
        return name;
    }
    // FNV-1a: the same number in every run and on every machine
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    format!("{}-{hash:016x}", &name[..MOST])
}

/// What the table says of every run.
pub fn measures(more: &[Measure]) -> Vec<Measure> {
    let mut all: Vec<Measure> = [
        "kinetic_energy",
        "strain_energy",
        "friction_dissipation",
        "damping_dissipation",
        "contact_work",
        "external_work",
        "numerical_dissipation",
    ]
    .into_iter()
    .map(Measure::at_end)
    .chain([Measure::largest("max_von_mises")])
    .collect();
    for measure in more {
        if !all.contains(measure) {
            all.push(measure.clone());
        }
    }
    all
}

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

    /// Reads a result.
    ///
    /// # Errors
    /// The file cannot be read, or lacks a measure.
    pub fn read(combination: &Combination, path: &Path, measures: &[Measure]) -> Result<Self, ReadError> {
        let file = ResultFile::open(path)?;
        let case = file.case()?;
        let values = measures.iter().map(|m| m.of(&file)).collect::<Result<Vec<f64>, ReadError>>()?;
        // a task has no energy to start with
        let energy = super::column::column(&file, "total_energy").unwrap_or_default();
        let initial = energy.first().copied().unwrap_or(f64::NAN);
        let seconds = case.wall_clock_seconds.unwrap_or(f64::NAN);
        let steps = file.history_rows().saturating_sub(1);
        Ok(Row { combination: combination.clone(), outcome: case.outcome, steps, seconds, values, initial })
    }

    /// Whether the run came to its end.
    pub fn is_done(&self) -> bool {
        self.outcome == "done"
    }
}

/// Whether a result is that of this case text and this version, run to its end.
pub fn is_result_of(path: &Path, case_text: &str) -> bool {
    let case = ResultFile::open(path).and_then(|file| file.case());
    case.is_ok_and(|c| c.outcome == "done" && c.text == case_text && c.version == env!("CARGO_PKG_VERSION"))
}

/// The table for people.
pub fn table(axes: &[Axis], measures: &[Measure], rows: &[Row]) -> String {
    let mut header: Vec<String> = axes.iter().map(|a| a.name().to_owned()).collect();
    header.push("outcome".to_owned());
    header.push("steps".to_owned());
    header.extend(measures.iter().map(ToString::to_string));
    header.push("seconds".to_owned());
    let number = |v: f64| if v.is_nan() { "-".to_owned() } else { format!("{v:.5e}") };
    let line = |row: &Row| {
        let mut cells = row.combination.values.clone();
        cells.push(first_words(&row.outcome));
        cells.push(row.steps.to_string());
        cells.extend(row.values.iter().map(|v| number(*v)));
        cells.push(if row.seconds.is_nan() { "-".to_owned() } else { format!("{:.2}", row.seconds) });
        cells
    };
    // columns that are zero in every run say nothing
    let cells: Vec<Vec<String>> = rows.iter().map(line).collect();
    let first = axes.len() + 2;
    let idle = |k: usize| {
        (first..first + measures.len()).contains(&k)
            && rows.iter().all(|r| matches!(r.values[k - first], v if v == 0.0 || v.is_nan()))
    };
    let shown: Vec<usize> = (0..header.len()).filter(|k| !idle(*k)).collect();
    let length = |text: &String| text.chars().count();
    let width = |k: usize| cells.iter().map(|c| length(&c[k])).chain([length(&header[k])]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut text = String::new();
    for line in std::iter::once(&header).chain(&cells) {
        let padded: Vec<String> = shown.iter().map(|&k| format!("{:>width$}", line[k], width = widths[k])).collect();
        let _ = writeln!(text, "{}", padded.join("  "));
    }
    text
}

/// The start of a message: the rest is in the log.
fn first_words(text: &str) -> String {
    const MOST: usize = 28;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() <= MOST { line.to_owned() } else { line.chars().take(MOST - 1).chain(['…']).collect() }
}

/// The table for programs.
pub fn csv(axes: &[Axis], measures: &[Measure], rows: &[Row]) -> String {
    let quoted = |text: &str| match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"").replace('\n', " ")),
        false => text.to_owned(),
    };
    let mut header: Vec<String> = axes.iter().map(|a| quoted(&a.path)).collect();
    header.extend(["result", "outcome", "steps", "initial_energy"].map(str::to_owned));
    header.extend(measures.iter().map(ToString::to_string));
    header.push("seconds".to_owned());
    let mut text = header.join(",") + "\n";
    for row in rows {
        let mut cells: Vec<String> = row.combination.values.iter().map(|v| quoted(v)).collect();
        cells.push(quoted(&format!("{}.vtkhdf", row.combination.name)));
        cells.extend([quoted(&row.outcome), row.steps.to_string(), format!("{:?}", row.initial)]);
        cells.extend(row.values.iter().map(|v| format!("{v:?}")));
        cells.push(format!("{:?}", row.seconds));
        text += &(cells.join(",") + "\n");
    }
    text
}

/// Charts over the first axis whose values are numbers, with a file name each: where the energy went (one free axis) and
/// each measure asked for, a line for every combination of the other axes. None if no axis is made of numbers.
pub fn charts(
    title: &str,
    axes: &[Axis],
    measures: &[Measure],
    rows: &[Row],
    shown: &[Measure],
) -> Vec<(String, Chart)> {
    let numeric = |axis: &Axis| axis.values.len() > 1 && axis.values.iter().all(|v| v.parse::<f64>().is_ok());
    let Some(along) = axes.iter().position(numeric) else { return Vec::new() };
    let abscissa = |row: &Row| row.combination.values[along].parse::<f64>().unwrap_or(f64::NAN);
    let others = |row: &Row| {
        let other = row.combination.values.iter().enumerate().filter(|(k, _)| *k != along && axes[*k].values.len() > 1);
        other.map(|(k, value)| format!("{} = {value}", axes[k].name())).collect::<Vec<String>>().join(", ")
    };
    let mut groups: Vec<(String, Vec<&Row>)> = Vec::new();
    for row in rows {
        let name = others(row);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    for (_, members) in &mut groups {
        members.sort_by(|a, b| abscissa(a).total_cmp(&abscissa(b)));
    }
    let mut charts = Vec::new();
    let line = |chart: &mut Chart, label: &str, members: &[&Row], measure: &Measure| {
        let Some(k) = measures.iter().position(|m| m == measure) else { return };
        let x: Vec<f64> = members.iter().map(|r| abscissa(r)).collect();
        // a run that stopped early leaves a hole: what it had reached is no result
        let y: Vec<f64> = members.iter().map(|r| if r.is_done() { r.values[k] } else { f64::NAN }).collect();
        if y.iter().any(|y| y.is_finite()) {
            chart.line(label, &x, &y).marked = true;
        }
    };
    let name = (axes[along].name(), "");
    if let [(_, members)] = groups.as_slice() {
        let mut chart = Chart::new("Where the energy went", name, ("at the end", "J"));
        for (label, path) in super::ledger::SHARES {
            line(&mut chart, label, members, &Measure::at_end(path));
        }
        chart.subtitle = title.to_owned();
        charts.push(("energies".to_owned(), chart.without_zeros()));
    }
    for measure in shown {
        let known = super::ledger::SHARES.into_iter().find(|(_, path)| *measure == Measure::at_end(path));
        let heading = known.map_or_else(|| measure.to_string(), |(label, _)| format!("{label}, at the end"));
        let axis = known.map_or(measure.path.as_str(), |(label, _)| label);
        let mut chart = Chart::new(&heading, name, (axis, super::unit_of(&measure.path)));
        for (label, members) in &groups {
            line(&mut chart, label, members, measure);
        }
        chart.subtitle = title.to_owned();
        charts.push((file_name(&measure.to_string().replace(['/', ':'], "_")), chart));
    }
    charts.retain(|(_, chart)| !chart.is_empty());
    charts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_split_at_commas_outside_of_brackets_and_quotes() {
        let axis =
            Axis::parse("bodies.a.velocity=[0, -1],[0, -2],{a: [1,2]},\"x,y\"").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(axis.values, ["[0, -1]", "[0, -2]", "{a: [1,2]}", "\"x,y\""]);
        assert_eq!(axis.name(), "velocity");
        for wrong in ["friction", "=1", "a=", "a=1,,2", "a=1,1"] {
            assert!(Axis::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn combinations_are_the_product_with_names_of_their_own() {
        let axes: Vec<Axis> = ["a.friction=0,0.2", "step=1e-5", "b.friction=1,2,3"]
            .iter()
            .map(|t| Axis::parse(t).unwrap_or_else(|e| panic!("{e}")))
            .collect();
        let all = combinations(&axes);
        assert_eq!(all.len(), 6);
        assert_eq!(all[1].values, ["0", "1e-5", "2"]);
        assert_eq!(all[1].sets, ["a.friction=0", "step=1e-5", "b.friction=2"]);
        assert_eq!(all[1].name, "a.friction=0,b.friction=2");
        let names: std::collections::BTreeSet<&String> = all.iter().map(|c| &c.name).collect();
        assert_eq!(names.len(), 6);
        let vectors = combinations(&[Axis::parse("v=[1,2],[1;2]").unwrap_or_else(|e| panic!("{e}"))]);
        assert_ne!(vectors[0].name, vectors[1].name);
        assert!(file_name(&"x".repeat(500)).len() < 130);
    }
}
