//! The report of `impakt post`: the energy ledger, where the energy went, dissipation by contact and by body, extremes with
//! time and place, and how bodies rebounded.

use std::fmt::Write as _;
use std::path::Path;

use super::column::column;
use super::rebound::Rebound;
use super::{PostError, place};
use crate::output::{HistoryInfo, ResultFile};

const ENERGIES: [(&str, &str); 12] = [
    ("kinetic energy", "kinetic_energy"),
    ("strain energy", "strain_energy"),
    ("energy of springs to ground", "spring_energy"),
    ("energy of hourglass control", "hourglass_energy"),
    ("total energy", "total_energy"),
    ("work of loads and supports", "external_work"),
    ("work of normal reactions", "contact_work"),
    ("lost to friction", "friction_dissipation"),
    ("lost to damping", "damping_dissipation"),
    ("lost to plastic flow", "plastic_dissipation"),
    ("lost to the scheme", "numerical_dissipation"),
    ("ledger error", "energy_balance_error"),
];

/// Where energy can be at the end of a run.
pub const SHARES: [(&str, &str); 8] = [
    ("kinetic energy", "kinetic_energy"),
    ("strain energy", "strain_energy"),
    ("energy of springs", "spring_energy"),
    ("lost to friction", "friction_dissipation"),
    ("lost to damping", "damping_dissipation"),
    ("lost to the scheme", "numerical_dissipation"),
    ("lost to plastic flow", "plastic_dissipation"),
    ("energy of hourglass control", "hourglass_energy"),
];

/// Quantity, column of the history, unit, and the field that shows its place.
const EXTREMES: [(&str, &str, &str, &str); 7] = [
    ("von Mises, Cauchy, Gauss points", "max_von_mises", "Pa", "von_mises"),
    ("von Mises, Cauchy, nodal", "max_von_mises_nodal", "Pa", ""),
    ("von Mises, PK2, nodal", "max_von_mises_pk2", "Pa", "von_mises_pk2"),
    ("von Mises, PK2 in-plane, nodal", "max_von_mises_pk2_inplane", "Pa", "von_mises_pk2_inplane"),
    ("penetration", "max_penetration", "m", ""),
    ("Newton iterations", "newton_iterations", "", ""),
    ("contact residual", "contact_residual", "", ""),
];

/// Rows of the ledger that are left out where nothing of that kind happens.
const RARE: [&str; 5] =
    ["spring_energy", "hourglass_energy", "damping_dissipation", "plastic_dissipation", "external_work"];

/// Whether a body flows plastically in a run. Then the second Piola–Kirchhoff stress, which refers to the shape before all flow, says
/// nothing about how the material is stressed.
pub(super) fn flows(file: &ResultFile) -> bool {
    column(file, "plastic_dissipation").is_ok_and(|values| values.iter().any(|d| *d > 0.0))
}

/// Largest value and the time it occurs at.
fn largest(values: &[f64], times: &[f64]) -> (f64, f64) {
    let at = (0..values.len()).fold(0, |best, k| if values[k] > values[best] { k } else { best });
    (values.get(at).copied().unwrap_or(f64::NAN), times.get(at).copied().unwrap_or(f64::NAN))
}

/// A result while it is being described. Writing to its text cannot fail.
struct Report<'a> {
    file: &'a ResultFile,
    known: Vec<HistoryInfo>,
    times: Vec<f64>,
    /// Components of a place.
    dim: usize,
    text: String,
}

/// The report of `impakt post`.
///
/// # Errors
/// The file cannot be read.
pub fn report(path: &Path) -> Result<String, PostError> {
    let file = ResultFile::open(path)?;
    let case = file.case()?;
    let times = column(&file, "time")?;
    let dim = file.history("momentum")?.components;
    let mut report = Report { file: &file, known: file.histories()?, times, dim, text: String::new() };
    let seconds = case.wall_clock_seconds.map_or_else(String::new, |s| format!(", {s:.2} s"));
    let _ = writeln!(report.text, "{}: {} ({}{seconds})", path.display(), case.file_name, case.outcome);
    let _ = writeln!(
        report.text,
        "{} steps to t = {:.6e} s, {} frames\n",
        report.times.len().saturating_sub(1),
        report.times.last().copied().unwrap_or(0.0),
        file.times().len()
    );
    report.energies()?;
    report.shares()?;
    report.contacts()?;
    report.extremes()?;
    report.bodies()?;
    Ok(report.text.trim_end().to_owned())
}

impl Report<'_> {
    fn has(&self, name: &str) -> bool {
        self.known.iter().any(|k| k.name == name)
    }

    fn last(&self, name: &str) -> Result<f64, PostError> {
        // files of older versions lack some columns
        if !self.has(name) {
            return Ok(0.0);
        }
        Ok(column(self.file, name)?.last().copied().unwrap_or(0.0))
    }

    fn energies(&mut self) -> Result<(), PostError> {
        let _ = writeln!(self.text, "{:<28} {:>14} {:>14} {:>14} {:>14}", "energy [J]", "start", "end", "min", "max");
        for (label, name) in ENERGIES {
            if !self.has(name) {
                continue;
            }
            let values = column(self.file, name)?;
            if RARE.contains(&name) && values.iter().all(|v| *v == 0.0) {
                continue;
            }
            let (first, last) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0));
            let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
            let _ = writeln!(self.text, "{label:<28} {first:>14.6e} {last:>14.6e} {low:>14.6e} {high:>14.6e}");
        }
        Ok(())
    }

    /// What came in and where it is at the end: `E₀ + W_ext + W_n = T + U + D_fr + D_damp + D_num + error`.
    fn shares(&mut self) -> Result<(), PostError> {
        let start = column(self.file, "total_energy")?.first().copied().unwrap_or(0.0);
        let (external, normal) = (self.last("external_work")?, self.last("contact_work")?);
        let supplied = start + external.max(0.0) + normal.max(0.0);
        let share = |value: f64| {
            let percent = 100.0 * value / supplied;
            // no minus before what is zero to the last digit shown
            let shown = if percent.abs() < 5e-5 { 0.0 } else { percent };
            if supplied > 0.0 { format!("{shown:>9.4} %") } else { String::new() }
        };
        let _ = writeln!(self.text, "\nwhere it came from");
        let sources = [("at the start", start), ("loads and supports", external), ("normal reactions", normal)];
        for (label, value) in sources.into_iter().filter(|(_, v)| *v > 0.0) {
            let _ = writeln!(self.text, "  {label:<26} {value:>14.6e} J {}", share(value));
        }
        let _ = writeln!(self.text, "where it went");
        let mut rest = supplied;
        let mut lines: Vec<(&str, f64)> = Vec::new();
        for (label, name) in SHARES {
            lines.push((label, self.last(name)?));
        }
        lines.push(("taken by loads", (-external).max(0.0)));
        lines.push(("taken by normal reactions", (-normal).max(0.0)));
        for (label, value) in lines {
            rest -= value;
            if value != 0.0 {
                let _ = writeln!(self.text, "  {label:<26} {value:>14.6e} J {}", share(value));
            }
        }
        let _ = writeln!(self.text, "  {:<26} {rest:>14.6e} J {}", "not accounted for", share(rest));
        Ok(())
    }

    /// Names of the groups below a group, as `(name, description of one of its columns)`.
    fn groups(&self, above: &str, column: &str) -> Vec<(String, String)> {
        let name = |h: &HistoryInfo| {
            let inner = h.name.strip_prefix(above)?.strip_prefix('/')?.strip_suffix(column)?.strip_suffix('/')?;
            Some((inner.to_owned(), h.description.clone()))
        };
        let mut found: Vec<(String, String)> = self.known.iter().filter_map(name).collect();
        found.sort_by_key(|(name, _)| (name.parse::<u64>().unwrap_or(u64::MAX), name.clone()));
        found
    }

    fn contacts(&mut self) -> Result<(), PostError> {
        let contacts = self.groups("contacts", "friction_dissipation");
        let total = self.last("friction_dissipation")?;
        let share = |value: f64| if total > 0.0 { format!("{:>9.3} %", 100.0 * value / total) } else { String::new() };
        if !contacts.is_empty() {
            let _ = writeln!(
                self.text,
                "\n{:<34} {:>14} {:>11} {:>15} {:>14} {:>13}",
                "contact", "friction [J]", "share", "normal work [J]", "largest N [N]", "at t [s]"
            );
            let mut idle = 0usize;
            for (number, description) in contacts {
                let of = |name: &str| column(self.file, &format!("contacts/{number}/{name}"));
                let friction = of("friction_dissipation")?.last().copied().unwrap_or(0.0);
                let work = of("contact_work")?.last().copied().unwrap_or(0.0);
                let (force, at) = largest(&of("normal_force")?, &self.times);
                if force == 0.0 {
                    idle += 1;
                    continue;
                }
                let pair = description.split_once(": ").map_or(number.as_str(), |(_, pair)| pair);
                let _ = writeln!(
                    self.text,
                    "{pair:<34} {friction:>14.6e} {:>11} {work:>15.6e} {force:>14.6e} {at:>13.6e}",
                    share(friction)
                );
            }
            if idle > 0 {
                let _ = writeln!(self.text, "never touched: {idle} {}", if idle == 1 { "contact" } else { "contacts" });
            }
        }
        let bodies = self.groups("bodies", "friction_dissipation");
        if bodies.len() > 1 && total > 0.0 {
            let _ = writeln!(self.text, "\n{:<34} {:>14} {:>11}", "body", "friction [J]", "share");
            for (body, _) in bodies {
                let value = self.last(&format!("bodies/{body}/friction_dissipation"))?;
                let _ = writeln!(self.text, "{body:<34} {value:>14.6e} {:>11}", share(value));
            }
        }
        Ok(())
    }

    fn extremes(&mut self) -> Result<(), PostError> {
        let _ = writeln!(self.text, "\n{:<34} {:>14} {:>16}    place", "largest", "value", "at t [s]");
        // a frame farther from the time than a hundredth of the run does not show the place
        let near = 0.01 * self.times.last().copied().unwrap_or(0.0);
        let (flows, explicit) = (flows(self.file), self.has("hourglass_energy"));
        for (label, name, unit, field) in EXTREMES {
            let means_nothing = flows && name.contains("pk2") || explicit && name == "newton_iterations";
            if !self.has(name) || means_nothing {
                continue;
            }
            let (value, time) = largest(&column(self.file, name)?, &self.times);
            let found = if value > 0.0 { place::largest(self.file, field, time, near)? } else { None };
            if unit == "Pa" && value == 0.0 {
                continue;
            }
            let place = found.map_or_else(String::new, |p| format!("{} at {}", p.part, list(&p.position[..self.dim])));
            let line = format!("{label:<34} {value:>14.6e} {time:>16.6e} {unit:<2} {place}");
            let _ = writeln!(self.text, "{}", line.trim_end());
        }
        self.largest_force(near)?;
        if let Some(end) = self.file.times().last().copied()
            && let Some(p) = place::largest(self.file, "friction_energy", end, near)?
            && p.value > 0.0
        {
            let label = "friction energy of a node";
            let _ = writeln!(
                self.text,
                "{label:<34} {:>14.6e} {end:>16.6e} J  {} at {}",
                p.value,
                p.part,
                list(&p.position[..self.dim])
            );
        }
        Ok(())
    }

    /// The largest contact force on one body (over all bodies the forces between them cancel), and where it presses most.
    fn largest_force(&mut self, near: f64) -> Result<(), PostError> {
        let (mut found, mut body) = ((0.0, 0.0), String::new());
        for (name, _) in self.groups("bodies", "contact_force") {
            let here = largest(&column(self.file, &format!("bodies/{name}/contact_force"))?, &self.times);
            if here.0 > found.0 {
                (found, body) = (here, name);
            }
        }
        if found.0 > 0.0 {
            let (value, time) = found;
            let place = place::largest(self.file, "contact_force", time, near)?.filter(|p| p.part == body);
            let at = place.map_or_else(String::new, |p| format!(", most at {}", list(&p.position[..self.dim])));
            let label = "contact force on one body";
            let _ = writeln!(self.text, "{label:<34} {value:>14.6e} {time:>16.6e} N  {body}{at}");
        }
        Ok(())
    }

    fn bodies(&mut self) -> Result<(), PostError> {
        // load steps know no velocity, so no impact either
        let moves = column(self.file, "kinetic_energy")?.iter().any(|t| *t != 0.0);
        for (body, _) in self.groups("bodies", "velocity") {
            let velocity = self.file.history(&format!("bodies/{body}/velocity"))?;
            let centre = self.file.history(&format!("bodies/{body}/centre_of_mass"))?;
            let Some(last) = velocity.rows().checked_sub(1) else { continue };
            let _ = writeln!(self.text, "\nbody {body}");
            if !moves {
                let force = self.file.history(&format!("bodies/{body}/contact_force"))?;
                let _ = writeln!(self.text, "  centre at the start     {} m", list(centre.row(0)));
                let _ = writeln!(self.text, "  centre at the end       {} m", list(centre.row(last)));
                let _ = writeln!(self.text, "  contact force at the end {} N", list(force.row(last)));
                continue;
            }
            let _ = writeln!(self.text, "  velocity at the start   {} m/s", list(velocity.row(0)));
            let _ = writeln!(self.text, "  velocity at the end     {} m/s", list(velocity.row(last)));
            let _ = writeln!(self.text, "  centre at the end       {} m", list(centre.row(last)));
            let Some(rebound) = Rebound::of(self.file, &body)? else { continue };
            let (first, until) = rebound.times;
            let _ = writeln!(self.text, "  first impact            from {first:.6e} to {until:.6e} s");
            let _ = writeln!(self.text, "    velocity before       {} m/s", list(&rebound.velocities.0));
            if rebound.has_left {
                let _ = writeln!(self.text, "    velocity after        {} m/s", list(&rebound.velocities.1));
            } else {
                let _ = writeln!(self.text, "    it has not left by the end of the run");
            }
            let _ = writeln!(self.text, "    impulse               {} N s", list(&rebound.impulse));
            if let Some(e) = rebound.restitution() {
                let from = rebound.partner.map_or_else(String::new, |other| format!(", relative to {other}"));
                let still = if e < 0.0 { "; negative: still approaching when contact ended" } else { "" };
                let _ = writeln!(self.text, "    restitution           {e:.6} along the impulse{from}{still}");
            }
        }
        Ok(())
    }
}

fn list(row: &[f64]) -> String {
    format!("[{}]", row.iter().map(|v| format!("{v:.6e}")).collect::<Vec<_>>().join(", "))
}
