//! A report in one HTML file that needs no network: the curves, an animation of the deforming meshes coloured by any field,
//! the ledger and the case. The program in it is `report.js`.

mod surface;

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::plot::{COLOURS, Chart, escape};
use super::{PostError, charts, ledger, place, write_file};
use crate::output::{At, ResultFile};
use surface::Faces;

/// Bytes of frames that a report holds; of longer runs only every so many frames are taken.
const BUDGET: usize = 24 << 20;
/// Points of a curve: a screen has no more columns.
const MOST_POINTS: usize = 4000;

/// Writes the report of some results.
///
/// # Errors
/// A result cannot be read or the report not be written.
pub fn write(results: &[PathBuf], html: &Path) -> Result<(), PostError> {
    let (mut runs, mut reports, mut cases, mut titles) = (Vec::new(), String::new(), String::new(), Vec::new());
    for path in results {
        let file = ResultFile::open(path)?;
        let name = charts::name(path, results);
        runs.push(run(&file, &name, BUDGET / results.len())?);
        let case = file.case()?;
        reports += &format!("<pre>{}</pre>\n", escape(&ledger::report(path)?));
        let file_name = escape(&case.file_name);
        cases += &format!(
            "<details><summary>{}: {file_name}</summary><pre>{}</pre></details>\n",
            escape(&name),
            escape(&case.text)
        );
        titles.push(title(&case.text).unwrap_or(name));
    }
    titles.dedup();
    let drawn: Vec<Value> = charts::charts(results)?.iter().map(|(_, chart)| curve(chart)).collect();
    let data = json!({ "runs": runs, "charts": drawn }).to_string();
    let files: Vec<String> = results.iter().map(|p| p.display().to_string()).collect();
    let subtitle = format!("{} · impakt {}", files.join(", "), env!("CARGO_PKG_VERSION"));
    let text = include_str!("report.html")
        .replace("@TITLE@", &escape(&titles.join(" · ")))
        .replace("@SUBTITLE@", &escape(&subtitle))
        .replace("@STYLE@", include_str!("report.css"))
        .replace("@REPORTS@", &reports)
        .replace("@CASES@", &cases)
        .replace("@SCRIPT@", include_str!("report.js"))
        // within a script element the only text that could end it is a tag
        .replace("@DATA@", &data.replace("</", "<\\/").replace("<!--", "<\\!--"));
    write_file(html, text.as_bytes())
}

/// The title of a case, from its text.
fn title(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("title:"))?;
    let line = line.split(" #").next().unwrap_or(line).trim().trim_matches(['"', '\'']);
    (!line.is_empty() && !line.starts_with(['|', '>'])).then(|| line.to_owned())
}

fn curve(chart: &Chart) -> Value {
    let series: Vec<Value> = chart
        .series
        .iter()
        .map(|s| {
            let stride = s.x.len().div_ceil(MOST_POINTS).max(1);
            // what is not a number becomes null, which JSON has
            let thin = |values: &[f64]| -> Vec<f64> { values.iter().step_by(stride).copied().collect() };
            let colour = format!("#{:06x}", COLOURS[s.colour % COLOURS.len()]);
            json!({ "label": s.label, "colour": colour, "dash": s.dash, "x": thin(&s.x), "y": thin(&s.y) })
        })
        .collect();
    json!({ "title": chart.title, "x": [chart.x.0, chart.x.1], "y": [chart.y.0, chart.y.1], "log": chart.logarithmic, "series": series })
}

/// Meshes and fields of a run: the faces that can be seen, their points in each frame, and the fields there in 16 bits.
fn run(file: &ResultFile, name: &str, budget: usize) -> Result<Value, PostError> {
    let grid = file.grid()?;
    let parts = place::parts_of_cells(file)?.unwrap_or_else(|| vec![0; grid.cell_types.len()]);
    let faces = Faces::of(&grid, &parts);
    let fields: Vec<_> = file.fields()?.into_iter().filter(|f| f.name != "body").collect();
    let (points, cells) = (faces.points.len(), faces.cells.len());
    let of_fields: usize = fields.iter().map(|f| 2 * if f.at == At::Points { points } else { cells }).sum();
    let per_frame = (12 * points + of_fields).max(1);
    let most = (budget / per_frame).max(2);
    let count = file.times().len();
    let stride = count.div_ceil(most).max(1);
    let mut frames: Vec<usize> = (0..count).step_by(stride).collect();
    if let Some(last) = count.checked_sub(1)
        && frames.last() != Some(&last)
    {
        frames.push(last);
    }
    let mut places = Vec::with_capacity(12 * points * frames.len());
    for &frame in &frames {
        let all = file.points(frame)?;
        for x in faces.points.iter().flat_map(|&p| all[p]) {
            places.extend((x as f32).to_le_bytes());
        }
    }
    let mut stored = Vec::new();
    for field in &fields {
        let chosen = if field.at == At::Points { &faces.points } else { &faces.cells };
        let mut values = Vec::with_capacity(chosen.len() * frames.len());
        for &frame in &frames {
            let all = match field.at {
                At::Points => file.point_field(frame, &field.name)?,
                At::Cells => file.cell_field(frame, &field.name)?,
            };
            // vectors by their length
            let size = |row: &[f64]| if let [x] = row { *x } else { row.iter().map(|x| x * x).sum::<f64>().sqrt() };
            values.extend(chosen.iter().map(|&k| size(all.row(k))));
        }
        let finite = values.iter().filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        if low > high {
            continue;
        }
        let quantised = |v: &f64| match v.is_finite() {
            true if high > low => (65534.0 * (v - low) / (high - low)).round() as u16,
            true => 0,
            false => u16::MAX,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| quantised(v).to_le_bytes()).collect();
        stored.push(json!({
            "name": field.name, "unit": field.unit, "at": if field.at == At::Points { "points" } else { "cells" },
            "low": low, "high": high, "count": chosen.len(), "values64": BASE64.encode(bytes),
        }));
    }
    let times: Vec<f64> = frames.iter().map(|&frame| file.times()[frame]).collect();
    let parts: Vec<Value> = grid.parts.iter().map(|(name, kind)| json!({ "name": name, "kind": kind })).collect();
    let bytes: Vec<u8> = faces.list.iter().flat_map(|k| k.to_le_bytes()).collect();
    Ok(json!({
        "name": name, "solid": faces.solid, "times": times, "count": points, "parts": parts, "fields": stored,
        "points64": BASE64.encode(places), "faces64": BASE64.encode(bytes),
    }))
}
