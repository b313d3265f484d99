//! The results as tables: comma-separated values with units in the header.

use std::fmt::Write as _;

use super::study::{Outcome, Series, Study};

/// A table of all positions of all series; what failed is a row without numbers.
pub fn positions(study: &Study, outcome: &Outcome) -> String {
    let mut text = String::from(
        "torque [N m],friction [],phase [],driver_angle [rad],transmission_error [rad],transmission_error [m],input_torque [N m],\
         secant_stiffness [N/m],tangent_stiffness [N/m],strain_energy [J],pairs [],normal_load [N],friction_force [N],pressure [Pa]",
    );
    for gear in &study.gears {
        let _ = write!(text, ",{0}.fillet_stress [Pa],{0}.fillet_tooth [],{0}.fillet_radius [m]", gear.name);
    }
    text.push_str(",residual [],steps []\n");
    let (first, last) = bases(outcome);
    for series in &outcome.series {
        for position in &series.positions {
            let _ = write!(text, "{:?},{:?}", series.torque, series.friction);
            let Ok(p) = position else {
                text.push_str(&",nan".repeat(14 + 3 * study.gears.len()));
                text.push('\n');
                continue;
            };
            let sum = |value: fn(&super::PairLoad) -> f64| p.pairs.iter().map(value).sum::<f64>();
            let pressure = p.pairs.iter().map(super::PairLoad::pressure).fold(0.0, f64::max);
            for value in [
                p.phase,
                p.travel / first,
                p.error(),
                p.error() * last,
                p.input_torque,
                p.secant,
                p.tangent,
                p.energy,
                p.pairs.len() as f64,
                sum(|l| l.normal),
                sum(|l| l.friction),
                pressure,
            ] {
                let _ = write!(text, ",{value:?}");
            }
            for fillet in &p.fillets {
                let _ = write!(text, ",{:?},{},{:?}", fillet.stress, fillet.tooth, fillet.radius);
            }
            let _ = writeln!(text, ",{:?},{}", p.residual, p.steps);
        }
    }
    text
}

/// Loads of the single pairs and pressures along their flanks.
pub fn pressures(outcome: &Outcome) -> String {
    let mut text = String::from(
        "torque [N m],friction [],phase [],mesh [],pair [],zeta [m],driver_roll [m],driven_roll [m],force [N],friction_force [N],pressure [Pa],tip_corner []\n",
    );
    for series in &outcome.series {
        for p in series.solved() {
            for pair in &p.pairs {
                for l in &pair.loaded {
                    let _ = writeln!(
                        text,
                        "{:?},{:?},{:?},{},{},{:?},{:?},{:?},{:?},{:?},{:?},{}",
                        series.torque,
                        series.friction,
                        p.phase,
                        pair.mesh,
                        pair.pair,
                        pair.zeta,
                        l.rolls[0],
                        l.rolls[1],
                        l.force,
                        l.friction,
                        l.pressure,
                        u8::from(l.corner)
                    );
                }
            }
        }
    }
    text
}

/// Error and stiffness over the cycle, for a gear pair in a mechanism: along the line of action over the driver's angle.
pub fn mesh(outcome: &Outcome, series: &Series) -> String {
    let mut text = String::from("driver_angle [rad],error [m],secant_stiffness [N/m],tangent_stiffness [N/m]\n");
    let (first, last) = bases(outcome);
    for p in series.solved() {
        let (angle, error) = (p.travel / first, p.error() * last);
        let _ = writeln!(text, "{angle:?},{error:?},{:?},{:?}", p.secant, p.tangent);
    }
    text
}

/// Mean, range, harmonics and extremes of each series.
pub fn cycles(study: &Study, outcome: &Outcome) -> String {
    let mut text =
        String::from("torque [N m],friction [],mean [rad],peak_to_peak [rad],contact_ratio [],double_contact []");
    for k in 1..=8 {
        let _ = write!(text, ",harmonic_{k} [rad]");
    }
    text.push_str(",pressure [Pa]");
    for gear in &study.gears {
        let _ = write!(text, ",{}.fillet_stress [Pa]", gear.name);
    }
    text.push('\n');
    for series in &outcome.series {
        let c = series.cycle();
        let _ = write!(text, "{:?},{:?},{:?},{:?}", series.torque, series.friction, c.mean, c.peak_to_peak());
        let rest = [c.contact_ratio, c.double].into_iter().chain(c.harmonics).chain([c.pressure]).chain(c.fillets);
        rest.for_each(|value| {
            let _ = write!(text, ",{value:?}");
        });
        text.push('\n');
    }
    text
}

/// Base radii of the first and the last gear.
fn bases(outcome: &Outcome) -> (f64, f64) {
    let first = outcome.meshes.first().map_or(1.0, |m| m.wheels[0].profile.base);
    (first, outcome.meshes.last().map_or(1.0, |m| m.wheels[1].profile.base))
}
