//! Charts of a study over its first axis made of numbers.

use super::super::column::Measure;
use super::super::ledger;
use super::super::plot::Chart;
use super::design::file_name;
use super::{Choice, Design, Row};

/// Charts with a file name each: where the energy went (one free axis) and each measure asked for, a line for every
/// combination of the other axes. None if no axis is made of numbers, and none of samples, no two of which share a value.
pub fn charts(
    title: &str,
    design: &Design,
    measures: &[Measure],
    rows: &[Row],
    shown: &[Measure],
) -> Vec<(String, Chart)> {
    let along = design.axes.iter().position(|axis| axis.numbers().is_some());
    let Some(along) = along.filter(|_| !matches!(design.choice, Choice::Samples(..))) else { return Vec::new() };
    let groups = groups(design, rows, along);
    let name = (design.axes[along].name(), "");
    let lines = Lines { along, measures };
    let mut charts = Vec::new();
    if let [(_, members)] = groups.as_slice() {
        let mut chart = Chart::new("Where the energy went", name, ("at the end", "J"));
        for (label, path) in ledger::SHARES {
            lines.add(&mut chart, label, members, &Measure::at_end(path));
        }
        chart.subtitle = title.to_owned();
        charts.push(("energies".to_owned(), chart.without_zeros()));
    }
    for measure in shown {
        let known = ledger::SHARES.into_iter().find(|(_, path)| *measure == Measure::at_end(path));
        let heading = known.map_or_else(|| measure.to_string(), |(label, _)| format!("{label}, at the end"));
        let axis = known.map_or(measure.path.as_str(), |(label, _)| label);
        let mut chart = Chart::new(&heading, name, (axis, measure.unit()));
        for (label, members) in &groups {
            lines.add(&mut chart, label, members, measure);
        }
        chart.subtitle = title.to_owned();
        charts.push((measure_file(measure), chart));
    }
    charts.retain(|(_, chart)| !chart.is_empty());
    charts
}

/// The name of the file of a measure.
pub(super) fn measure_file(measure: &Measure) -> String {
    file_name(&measure.to_string().replace(['/', ':'], "_"))
}

/// The runs of each line, in the order of the abscissa. Points of a list are one line: their axes go together.
fn groups<'a>(design: &Design, rows: &'a [Row], along: usize) -> Vec<(String, Vec<&'a Row>)> {
    let others = |row: &Row| {
        let varies = |k: usize| k != along && design.choice == Choice::Product && design.axes[k].values.len() > 1;
        let other = row.combination.values.iter().enumerate().filter(|(k, _)| varies(*k));
        other.map(|(k, value)| format!("{} = {value}", design.axes[k].name())).collect::<Vec<String>>().join(", ")
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
        members.sort_by(|a, b| number(a, along).total_cmp(&number(b, along)));
    }
    groups
}

pub(super) fn number(row: &Row, axis: usize) -> f64 {
    row.combination.values[axis].parse().unwrap_or(f64::NAN)
}

/// Lines over one axis.
struct Lines<'a> {
    along: usize,
    measures: &'a [Measure],
}

impl Lines<'_> {
    fn add(&self, chart: &mut Chart, label: &str, members: &[&Row], measure: &Measure) {
        let Some(k) = self.measures.iter().position(|m| m == measure) else { return };
        let x: Vec<f64> = members.iter().map(|r| number(r, self.along)).collect();
        // a run that stopped early leaves a hole: what it had reached is no result
        let y: Vec<f64> = members.iter().map(|r| if r.is_done() { r.values[k] } else { f64::NAN }).collect();
        if y.iter().any(|y| y.is_finite()) {
            chart.line(label, &x, &y).marked = true;
        }
    }
}
