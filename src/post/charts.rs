//! The charts of one result, or of several in one: energies, drift, reactions, contact counts, probes, iterations.

use std::path::{Path, PathBuf};

use super::column::column;
use super::ledger::{SHARES, flows};
use super::plot::{COLOURS, Canvas, Chart, png};
use super::{PostError, unit_of, write_file};
use crate::output::ResultFile;

/// Pixels of a PNG for each unit of its SVG.
const PNG_SCALE: f32 = 2.0;

/// A result with the name it has in charts.
struct Run {
    name: String,
    file: ResultFile,
    times: Vec<f64>,
}

/// The charts of these results, each with the name of its file. Several results share each chart: lines of one run have the
/// same dashes, lines of one quantity the same colour.
///
/// # Errors
/// A file cannot be read.
pub fn charts(results: &[PathBuf]) -> Result<Vec<(&'static str, Chart)>, PostError> {
    let mut runs = Vec::new();
    for path in results {
        let file = ResultFile::open(path)?;
        let times = column(&file, "time")?;
        runs.push(Run { name: name(path, results), file, times });
    }
    let subtitle = runs.iter().map(|r| r.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut charts = vec![
        ("energies", energies(&runs)?),
        ("friction", friction(&runs)?),
        ("drift", drift(&runs)?),
        ("ledger_error", ledger_error(&runs)?),
        ("reactions", reactions(&runs)?),
        (
            "contacts",
            columns(&runs, "Contact points", "points", &[("stick", "contacts_stick"), ("slip", "contacts_slip")])?,
        ),
        ("stress", columns(&runs, "Largest stress", "von Mises", stresses(&runs))?),
        (
            "iterations",
            columns(
                &runs,
                "Iterations",
                "a step",
                &[("Newton", "newton_iterations"), ("contact solver", "contact_iterations")],
            )?,
        ),
        ("step_size", columns(&runs, "Length of the steps", "step", &[("", "step_size")])?),
        ("motion", grouped(&runs, "Velocity of the bodies", "bodies", "velocity")?),
        ("probes_displacement", grouped(&runs, "Displacement of the probes", "probes", "displacement")?),
        ("probes_velocity", grouped(&runs, "Velocity of the probes", "probes", "velocity")?),
        ("supports", grouped(&runs, "Reactions of the supports", "boundary", "reaction")?),
    ];
    for (_, chart) in &mut charts {
        chart.subtitle.clone_from(&subtitle);
    }
    charts.retain(|(_, chart)| !chart.is_empty());
    Ok(charts)
}

/// The stresses worth a line: see [`flows`].
fn stresses(runs: &[Run]) -> &'static [(&'static str, &'static str)] {
    let both = &[("Cauchy", "max_von_mises"), ("PK2", "max_von_mises_pk2")];
    if runs.iter().any(|run| flows(&run.file)) { &both[..1] } else { both }
}

/// Writes charts as SVG and PNG into a folder; returns the files.
///
/// # Errors
/// A file cannot be written.
pub fn write<S: AsRef<str>>(folder: &Path, charts: &[(S, Chart)]) -> Result<Vec<PathBuf>, PostError> {
    let mut written = Vec::new();
    for (name, chart) in charts {
        written.extend(write_picture(folder, name.as_ref(), &chart.draw())?);
    }
    Ok(written)
}

/// Writes a picture as SVG and PNG into a folder; returns the files.
///
/// # Errors
/// A file cannot be written.
pub fn write_picture(folder: &Path, name: &str, picture: &Canvas) -> Result<[PathBuf; 2], PostError> {
    let (vector, pixels) = (folder.join(format!("{name}.svg")), folder.join(format!("{name}.png")));
    let png = png::paint(picture, PNG_SCALE).map_err(|reason| PostError::Draw { path: pixels.clone(), reason })?;
    write_file(&vector, picture.svg().as_bytes())?;
    write_file(&pixels, &png)?;
    Ok([vector, pixels])
}

/// The stem of a file; with its folder where two are alike.
pub fn name(path: &Path, all: &[PathBuf]) -> String {
    let stem = |p: &Path| p.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let folder = path.parent().and_then(Path::file_name).map(|f| f.to_string_lossy().into_owned());
    match folder {
        Some(folder) if all.iter().filter(|other| stem(other) == stem(path)).count() > 1 => {
            format!("{folder}/{}", stem(path))
        }
        _ => stem(path),
    }
}

/// Adds a line of a run: `what` in the colour of the quantity, told from other runs by its dashes.
fn add(chart: &mut Chart, runs: &[Run], run: usize, what: &str, colour: usize, y: &[f64]) {
    let label = match (runs.len(), what) {
        (1, _) => what.to_owned(),
        (_, "") => runs[run].name.clone(),
        _ => format!("{what}, {}", runs[run].name),
    };
    let series = chart.line(label, &runs[run].times, y);
    // with one quantity, the runs have the colours
    (series.colour, series.dash) = if what.is_empty() { (run, 0) } else { (colour % COLOURS.len(), run) };
}

fn energies(runs: &[Run]) -> Result<Chart, PostError> {
    let mut chart = Chart::new("Where the energy is", ("time", "s"), ("energy", "J"));
    for (k, run) in runs.iter().enumerate() {
        // rare ones share the colours of energies of springs and damping, which such runs do not have; where impacts take much the
        // scheme takes little
        let colours = [0, 1, 2, 3, 4, 5, 4, 2];
        for (colour, (label, name)) in colours.into_iter().zip(SHARES) {
            // older files lack some columns
            if let Ok(values) = column(&run.file, name) {
                add(&mut chart, runs, k, label, colour, &values);
            }
        }
        if let Ok(work) = column(&run.file, "external_work") {
            add(&mut chart, runs, k, "work of loads", 6, &work);
        }
        if let Ok(work) = column(&run.file, "contact_work") {
            let taken: Vec<f64> = work.iter().map(|w| -w).collect();
            add(&mut chart, runs, k, "taken by normal reactions", 5, &taken);
        }
        add(&mut chart, runs, k, "kinetic + stored", 7, &column(&run.file, "total_energy")?);
    }
    // a run that loses a billionth to the scheme has no line for it
    let size = chart.series.iter().flat_map(|s| &s.y).fold(0.0f64, |m, y| m.max(y.abs()));
    chart.series.retain(|s| s.y.iter().any(|y| y.abs() > 1e-3 * size));
    Ok(chart)
}

/// Energy lost to friction; of a single run also by contact, if several lose any.
fn friction(runs: &[Run]) -> Result<Chart, PostError> {
    let mut chart = Chart::new("Lost to friction", ("time", "s"), ("energy", "J"));
    for (k, run) in runs.iter().enumerate() {
        let total = column(&run.file, "friction_dissipation")?;
        add(&mut chart, runs, k, if runs.len() > 1 { "" } else { "all" }, 0, &total);
    }
    if let [run] = runs {
        let mut lines = Vec::new();
        for (path, pair) in contacts(run, "friction_dissipation")? {
            lines.push((pair, column(&run.file, &path)?));
        }
        // the largest ones: more lines than colours cannot be told apart
        lines.retain(|(_, values)| values.last().is_some_and(|v| *v != 0.0));
        lines.sort_by(|a, b| b.1.last().unwrap_or(&0.0).total_cmp(a.1.last().unwrap_or(&0.0)));
        for (c, (pair, values)) in lines.iter().enumerate().take(COLOURS.len() - 1).filter(|_| lines.len() > 1) {
            add(&mut chart, runs, 0, pair, c + 1, values);
        }
    }
    Ok(chart.without_zeros())
}

/// What is in the bodies and what left them, against what came in: everything but the change is zero for an exact scheme.
fn drift(runs: &[Run]) -> Result<Chart, PostError> {
    let mut chart = Chart::new("Energy lost to the scheme", ("time", "s"), ("numerical dissipation / energy", "1"));
    for (k, run) in runs.iter().enumerate() {
        let scale = reference(run)?;
        let lost = column(&run.file, "numerical_dissipation")?;
        add(&mut chart, runs, k, "", 0, &lost.iter().map(|x| x / scale).collect::<Vec<f64>>());
    }
    Ok(chart)
}

/// The largest energy of a run, in its bodies or put in.
fn reference(run: &Run) -> Result<f64, PostError> {
    let size = |name: &str| -> Result<f64, PostError> {
        Ok(column(&run.file, name)?.iter().fold(0.0f64, |m, x| m.max(x.abs())))
    };
    let scale = size("total_energy")?.max(size("external_work")?);
    Ok(if scale > 0.0 { scale } else { 1.0 })
}

fn ledger_error(runs: &[Run]) -> Result<Chart, PostError> {
    let mut chart = Chart::new("Error of the ledger", ("time", "s"), ("|error| / energy", "1"));
    chart.logarithmic = true;
    for (k, run) in runs.iter().enumerate() {
        let scale = reference(run)?;
        let error = column(&run.file, "energy_balance_error")?;
        add(&mut chart, runs, k, "", 0, &error.iter().map(|x| (x / scale).abs()).collect::<Vec<f64>>());
    }
    Ok(chart)
}

/// A quantity of each contact: its path, and who touches whom. Where one surface touches all others, only those are named.
fn contacts(run: &Run, quantity: &str) -> Result<Vec<(String, String)>, PostError> {
    let known = run.file.histories()?.into_iter();
    let ours = known.filter(|h| h.name.starts_with("contacts/") && h.name.ends_with(&format!("/{quantity}")));
    let mut found: Vec<(String, String)> = ours
        .map(|h| (h.name, h.description.split_once(": ").map_or_else(String::new, |(_, pair)| pair.to_owned())))
        .collect();
    let slave = |pair: &str| pair.split_once(" on ").map(|(slave, _)| slave.to_owned());
    if let Some(first) = found.first().and_then(|(_, pair)| slave(pair))
        && found.iter().all(|(_, pair)| slave(pair).as_deref() == Some(first.as_str()))
    {
        found.iter_mut().for_each(|(_, pair)| *pair = pair[first.len() + 1..].to_owned());
    }
    Ok(found)
}

/// Components of the contact force; the normal forces of each contact if there are several.
fn reactions(runs: &[Run]) -> Result<Chart, PostError> {
    let mut chart = Chart::new("Contact forces on the bodies", ("time", "s"), ("force, mean over a step", "N"));
    for (k, run) in runs.iter().enumerate() {
        let components = run.file.history("contact_force")?.components;
        for c in 0..components {
            let values = column(&run.file, &format!("contact_force/{c}"))?;
            add(&mut chart, runs, k, ["x", "y", "z"][c.min(2)], c, &values);
        }
        let pairs = contacts(run, "normal_force")?;
        // more lines than colours cannot be told apart
        let few = (2..=COLOURS.len() - components).contains(&pairs.len());
        for (c, (path, pair)) in pairs.iter().enumerate().filter(|_| few) {
            add(&mut chart, runs, k, &format!("N {pair}"), components + c, &column(&run.file, path)?);
        }
    }
    Ok(chart.without_zeros())
}

fn columns(runs: &[Run], title: &str, axis: &str, names: &[(&str, &str)]) -> Result<Chart, PostError> {
    let unit = names.first().map_or("", |(_, path)| unit_of(path));
    let mut chart = Chart::new(title, ("time", "s"), (axis, unit));
    for (k, run) in runs.iter().enumerate() {
        for (colour, (label, path)) in names.iter().enumerate() {
            let mut values = column(&run.file, path)?;
            if unit == "s" || title == "Iterations" {
                // the first row is the state before any step
                values.iter_mut().take(1).for_each(|v| *v = f64::NAN);
            }
            add(&mut chart, runs, k, label, colour, &values);
        }
    }
    Ok(chart.without_zeros())
}

/// Components of a quantity that each member of a group has.
fn grouped(runs: &[Run], title: &str, group: &str, quantity: &str) -> Result<Chart, PostError> {
    let mut chart = Chart::new(title, ("time", "s"), (quantity, unit_of(quantity)));
    for (k, run) in runs.iter().enumerate() {
        let mut colour = 0;
        for info in run.file.histories()? {
            let inner = info.name.strip_prefix(group).and_then(|rest| rest.strip_prefix('/'));
            let Some(member) =
                inner.and_then(|rest| rest.strip_suffix(quantity)).and_then(|rest| rest.strip_suffix('/'))
            else {
                continue;
            };
            for c in 0..info.components {
                let values =
                    column(&run.file, &format!("{}/{c}", info.name)).or_else(|_| column(&run.file, &info.name))?;
                add(&mut chart, runs, k, &format!("{member} {}", ["x", "y", "z"][c.min(2)]), colour, &values);
                colour += 1;
            }
        }
    }
    Ok(chart.without_zeros())
}
