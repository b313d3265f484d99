//! The energy ledger of a result as a table, and the extremes of a run with their times.

use std::path::Path;

use super::PostError;
use crate::output::ResultFile;

const ENERGIES: [(&str, &str); 10] = [
    ("kinetic energy", "kinetic_energy"),
    ("strain energy", "strain_energy"),
    ("energy of springs to ground", "spring_energy"),
    ("total energy", "total_energy"),
    ("work of loads and supports", "external_work"),
    ("work of normal reactions", "contact_work"),
    ("lost to friction", "friction_dissipation"),
    ("lost to damping", "damping_dissipation"),
    ("lost to the scheme", "numerical_dissipation"),
    ("ledger error", "energy_balance_error"),
];

const EXTREMES: [(&str, &str, &str); 7] = [
    ("von Mises, Cauchy, Gauss points", "max_von_mises", "Pa"),
    ("von Mises, Cauchy, nodal", "max_von_mises_nodal", "Pa"),
    ("von Mises, PK2, nodal", "max_von_mises_pk2", "Pa"),
    ("von Mises, PK2 in-plane, nodal", "max_von_mises_pk2_inplane", "Pa"),
    ("penetration", "max_penetration", "m"),
    ("Newton iterations", "newton_iterations", ""),
    ("contact residual", "contact_residual", ""),
];

/// Largest value and the time it occurs at.
fn largest(values: &[f64], times: &[f64]) -> (f64, f64) {
    let at = (0..values.len()).fold(0, |best, k| if values[k] > values[best] { k } else { best });
    (values.get(at).copied().unwrap_or(f64::NAN), times.get(at).copied().unwrap_or(f64::NAN))
}

/// The report of `impakt post`.
pub fn report(path: &Path) -> Result<String, PostError> {
    let file = ResultFile::open(path)?;
    let column = |name: &str| file.history(name).map(|v| v.data);
    let times = column("time")?;
    let case = file.case()?;
    let mut text = format!(
        "{}: {} ({})\n{} steps to t = {:.6e} s, {} frames\n\n",
        path.display(),
        case.file_name,
        case.outcome,
        times.len().saturating_sub(1),
        times.last().copied().unwrap_or(0.0),
        file.times().len()
    );
    text += &format!("{:<28} {:>14} {:>14} {:>14} {:>14}\n", "energy [J]", "start", "end", "min", "max");
    // files of version 0.1 without springs have no column for them
    let known: Vec<String> = file.histories()?.into_iter().map(|h| h.name).collect();
    for (label, name) in ENERGIES.into_iter().filter(|(_, name)| known.iter().any(|k| k == name)) {
        let values = column(name)?;
        let (first, last) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0));
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
        text += &format!("{label:<28} {first:>14.6e} {last:>14.6e} {low:>14.6e} {high:>14.6e}\n");
    }
    text += &format!("\n{:<34} {:>14} {:>16}\n", "largest", "value", "at t [s]");
    for (label, name, unit) in EXTREMES {
        let (value, time) = largest(&column(name)?, &times);
        text += &format!("{label:<34} {value:>14.6e} {time:>16.6e} {unit}\n");
    }
    let mut bodies: Vec<String> = file
        .histories()?
        .iter()
        .filter_map(|h| h.name.strip_prefix("bodies/")?.strip_suffix("/velocity").map(str::to_owned))
        .collect();
    bodies.sort();
    for body in bodies {
        let velocity = file.history(&format!("bodies/{body}/velocity"))?;
        let place = file.history(&format!("bodies/{body}/centre_of_mass"))?;
        let rows = velocity.rows();
        if rows > 0 {
            let list = |row: &[f64]| row.iter().map(|v| format!("{v:.6e}")).collect::<Vec<_>>().join(", ");
            text += &format!("\nbody {body}\n  velocity at the start [{}] m/s\n", list(velocity.row(0)));
            text += &format!("  velocity at the end   [{}] m/s\n", list(velocity.row(rows - 1)));
            text += &format!("  centre at the end     [{}] m\n", list(place.row(rows - 1)));
        }
    }
    Ok(text.trim_end().to_owned())
}
