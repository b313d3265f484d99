//! `--collect`: tables, charts, maps and sensitivities of the results that are there, and what is not there by name.

use std::process::ExitCode;

use impakt::output::{ReadError, ResultFile};
use impakt::post::sweep::{self, Combination, OUTDATED, Row, Sensitivity};
use impakt::post::{PostError, charts, write_file};
use serde_json::{Map, Value, json};

use super::super::output::{failed, say, wrong_input};
use super::study::Study;
use super::{claim, list};

/// Outcome of a combination that is not a valid case.
const REFUSED: &str = "refused";
/// Outcome of a run that nobody began.
const MISSING: &str = "missing";
/// Names of runs said at once.
const MOST_NAMES: usize = 10;

/// Collects, if there is anything to.
pub(super) fn collect(study: &Study) -> ExitCode {
    if !study.design.members.iter().any(|member| study.result(member).exists() || study.log(member).exists()) {
        let folder = study.folder.display();
        return wrong_input(format!("error: --collect: none of the runs of this study is in {folder}"));
    }
    conclude(study)
}

/// Makes everything of the results that are there; says so, and what is not.
pub(super) fn conclude(study: &Study) -> ExitCode {
    let rows: Vec<Row> = study.design.members.iter().map(|member| row(study, member)).collect();
    if let Some(error) = unknown_measure(study, &rows) {
        return wrong_input(format!("error: --show: {error}"));
    }
    let sensitivities = sweep::sensitivities(&study.design, &study.measures, &rows);
    let text = match write(study, &rows, &sensitivities) {
        Ok(text) => text,
        Err(error) => return failed(error),
    };
    if study.arguments.json {
        rows.iter().enumerate().for_each(|(run, row)| say(&object(study, run, row).to_string()));
        sensitivities.iter().for_each(|sensitivity| say(&object_of(sensitivity).to_string()));
    } else {
        say(&text);
    }
    let missing = rows.iter().filter(|row| !row.is_done()).count();
    if missing == 0 {
        return ExitCode::SUCCESS;
    }
    let (total, folder) = (rows.len(), study.folder.display());
    let names = absent(&rows);
    let code =
        failed(format!("{missing} of {total} runs did not come to their end; see the logs in {folder}\n{names}"));
    if rows.iter().all(|row| row.outcome.starts_with(REFUSED)) { ExitCode::from(2) } else { code }
}

/// What the files of a run say.
fn row(study: &Study, member: &Combination) -> Row {
    let (result, log) = (study.result(member), study.log(member));
    let without = |outcome: String| Row::without_result(member, outcome, study.measures.len());
    let case = match study.case(member) {
        Ok(case) => case,
        Err(error) => {
            let said = error.to_string();
            return without(said.lines().next().unwrap_or_default().replacen("error", REFUSED, 1));
        }
    };
    if claim::is_taken(&log) {
        return without("running".to_owned());
    }
    let mut row = match Row::read(member, &result, &case.text_as_run, &study.measures) {
        Ok(row) => row,
        Err(ReadError::Io { .. }) => without(if log.exists() { "killed" } else { MISSING }.to_owned()),
        Err(error) => without(error.to_string()),
    };
    if row.outcome == "running" {
        // nobody has its claim
        "killed".clone_into(&mut row.outcome);
    }
    // a start that failed leaves an older result as it was, or none
    if let Some(reason) = claim::reason(&log).filter(|_| row.outcome == OUTDATED || row.outcome == "killed") {
        row.outcome = reason;
    }
    row
}

/// The first quantity asked for that a finished run does not have.
fn unknown_measure(study: &Study, rows: &[Row]) -> Option<ReadError> {
    let done = rows.iter().find(|row| row.is_done())?;
    let file = ResultFile::open(&study.result(&done.combination)).ok()?;
    study.arguments.show.iter().find_map(|measure| measure.of(&file).err())
}

/// Writes tables and pictures; returns what to print.
fn write(study: &Study, rows: &[Row], sensitivities: &[Sensitivity]) -> Result<String, PostError> {
    let (design, measures, shown) = (&study.design, &study.measures, &study.arguments.show);
    let file = |name: &str, text: &str| write_file(&study.folder.join(name), text.as_bytes());
    let mut text = sweep::table(&design.axes, measures, rows);
    file("table.txt", &text)?;
    file("table.csv", &sweep::csv(&design.axes, measures, rows))?;
    file("costs.csv", &sweep::costs(&design.axes, rows))?;
    if !sensitivities.is_empty() {
        file("sensitivity.csv", &sweep::sensitivity_csv(sensitivities))?;
        text += &format!("\n{}\n", sweep::sensitivity_table(sensitivities));
    }
    let drawn = sweep::charts(&study.name, design, measures, rows, shown);
    charts::write(&study.folder, &drawn)?;
    let maps = sweep::maps(&study.name, design, measures, rows, shown);
    for (name, map) in &maps {
        charts::write_picture(&study.folder, name, map)?;
    }
    let pictures = match drawn.len() + maps.len() {
        0 => String::new(),
        1 => ", 1 chart".to_owned(),
        n => format!(", {n} charts"),
    };
    Ok(format!("{text}results, table.csv{pictures}: {}", study.folder.display()))
}

/// A number as JSON has them.
fn number(value: f64) -> Value {
    if value.is_finite() { Value::from(value) } else { Value::Null }
}

/// A sensitivity as an object.
fn object_of(sensitivity: &Sensitivity) -> Value {
    let Sensitivity { measure, parameter, first_order, exponent, explained, runs } = sensitivity;
    json!({
        "event": "sensitivity", "result": measure, "parameter": parameter, "first_order": number(*first_order),
        "exponent": number(*exponent), "explained": number(*explained), "runs": runs,
    })
}

/// A row as an object.
fn object(study: &Study, run: usize, row: &Row) -> Value {
    let names = study.measures.iter().map(ToString::to_string);
    let results: Map<String, Value> = names.zip(row.values.iter().copied().map(number)).collect();
    json!({
        "event": "row", "run": run + 1, "name": row.combination.name, "values": list::values(study, &row.combination),
        "outcome": row.outcome, "steps": row.steps, "seconds": number(row.seconds), "results": results,
    })
}

/// The runs that are not done by their outcome, with the names of the first ones.
fn absent(rows: &[Row]) -> String {
    let mut outcomes: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows.iter().filter(|row| !row.is_done()) {
        let name = row.combination.name.as_str();
        match outcomes.iter_mut().find(|(known, _)| *known == row.outcome) {
            Some((_, names)) => names.push(name),
            None => outcomes.push((&row.outcome, vec![name])),
        }
    }
    let line = |(outcome, names): &(&str, Vec<&str>)| {
        let shown = names.iter().take(MOST_NAMES).copied().collect::<Vec<&str>>().join("  ");
        let rest =
            if names.len() > MOST_NAMES { format!("  and {} more", names.len() - MOST_NAMES) } else { String::new() };
        format!("  {outcome}: {shown}{rest}")
    };
    outcomes.iter().map(line).collect::<Vec<String>>().join("\n")
}
