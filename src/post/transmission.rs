//! Charts of a study of gears, after figures 6 to 8 of Vijayakar, Busby and Houser: transmission error, loads of the single pairs and
//! input torque over the cycle; besides them fillet stress, pressure along the flank and mesh stiffness.

use super::plot::Chart;
use crate::transmission::{Outcome, Position, Series, Study};

/// Name and unit of the abscissa of most charts.
const PHASE: (&str, &str) = ("position, share of the cycle (0: pitch point)", "");

/// All charts of a study by name.
pub fn charts(study: &Study, outcome: &Outcome) -> Vec<(String, Chart)> {
    let over = |name: &str, title: &str, what: (&str, &str), value: &dyn Fn(&Position) -> f64| {
        let mut chart = Chart::new(title, PHASE, what);
        for series in &outcome.series {
            let (x, y): (Vec<f64>, Vec<f64>) = series.solved().map(|p| (p.phase, value(p))).unzip();
            chart.line(label(outcome, series), &x, &y);
        }
        (name.to_owned(), chart)
    };
    let mut all = vec![
        over("transmission_error", "Transmission error", ("error", "rad"), &Position::error),
        over("input_torque", "Torque on the driver", ("torque", "N m"), &|p| p.input_torque),
        over("pressure", "Largest contact pressure", ("pressure", "Pa"), &|p| {
            p.pairs.iter().map(crate::transmission::PairLoad::pressure).fold(0.0, f64::max)
        }),
        over("stiffness_secant", "Mesh stiffness, secant", ("stiffness", "N/m"), &|p| p.secant),
        over("stiffness_tangent", "Mesh stiffness, tangent", ("stiffness", "N/m"), &|p| p.tangent),
    ];
    for (k, gear) in study.gears.iter().enumerate() {
        let (name, title) =
            (format!("fillet_{}", gear.name), format!("Largest tension in the fillets of {}", gear.name));
        all.push(over(&name, &title, ("stress", "Pa"), &|p| p.fillets[k].stress));
    }
    for (k, series) in outcome.series.iter().enumerate() {
        all.push((format!("loads_{k}"), loads(outcome, series)));
        all.push((format!("pressures_{k}"), pressures(outcome, series)));
    }
    all.retain(|(_, chart)| !chart.is_empty());
    all
}

/// What tells a series from the others.
fn label(outcome: &Outcome, series: &Series) -> String {
    let differs = |value: fn(&Series) -> f64| outcome.series.iter().any(|s| value(s) != value(series));
    let torque = format!("{:.4} N m", series.torque);
    let friction = format!("friction {}", series.friction);
    match (differs(|s| s.torque), differs(|s| s.friction)) {
        (true, true) => format!("{torque}, {friction}"),
        (true, false) => torque,
        (false, true) => friction,
        (false, false) => String::new(),
    }
}

/// Normal loads of the pairs of each mesh.
fn loads(outcome: &Outcome, series: &Series) -> Chart {
    let mut chart = Chart::new("Loads of the single pairs of teeth", PHASE, ("normal load", "N"));
    chart.subtitle = format!("{} N m, friction {}", series.torque, series.friction);
    for mesh in 0..outcome.meshes.len() {
        let mut numbers: Vec<i32> =
            series.solved().flat_map(|p| &p.pairs).filter(|p| p.mesh == mesh).map(|p| p.pair).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let load =
                |p: &Position| p.pairs.iter().find(|l| l.mesh == mesh && l.pair == number).map_or(0.0, |l| l.normal);
            let (x, y): (Vec<f64>, Vec<f64>) = series.solved().map(|p| (p.phase, load(p))).unzip();
            chart.line(format!("mesh {mesh}, pair {number}"), &x, &y);
        }
    }
    chart
}

/// Largest pressure of the pair that passes the pitch point, along the driver's flank.
fn pressures(outcome: &Outcome, series: &Series) -> Chart {
    let mut chart = Chart::new("Pressure along the flank", ("roll length on the driver", "m"), ("pressure", "Pa"));
    chart.subtitle = format!("{} N m, friction {}", series.torque, series.friction);
    for mesh in 0..outcome.meshes.len() {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for pair in series.solved().flat_map(|p| &p.pairs).filter(|pair| pair.mesh == mesh) {
            let inner = pair.loaded.iter().filter(|l| !l.corner);
            points.extend(inner.max_by(|a, b| a.pressure.total_cmp(&b.pressure)).map(|l| (l.rolls[0], l.pressure)));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        chart.line(format!("mesh {mesh}"), &x, &y);
    }
    chart
}
