//! Positions in sequence under Coulomb's law with the slip of material points: what sticks near the pitch point is computed.
//!
//! From one position to the next a pair of points slides by the rigid motion, `Δ = −(ζ₁² − ζ₀²)/2 (1/r_b₁ + 1/r_b₂)`, by the change of
//! the frames' unknowns, and by what the flanks deform: their displacements now less those that the same material points had before.

use super::pairs::Setting;
use super::position::{Scene, displacements};
use crate::contact::linearised::{Cone, LinearisedError, Rolled};
use crate::contact::solvers::{GoOn, Newton};

/// What a position leaves to the next one.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    /// Roll of the driver, once there was a position.
    travel: Option<f64>,
    /// Displacements of the kept unknowns of each gear.
    moved: Vec<Vec<f64>>,
    /// Unknowns of the frames.
    frames: Vec<f64>,
}

/// A motion so long that everything slips, a hundred times what teeth deform; a longer one would cost digits.
const LONG: f64 = 1e-3;

/// Solves a position and hands on what it leaves.
pub(super) fn roll(
    scene: &Scene,
    setting: &Setting<'_>,
    friction: f64,
    loads: &[f64],
    history: &mut History,
) -> Result<Rolled, LinearisedError> {
    let slips = slips(scene, setting, history);
    let coefficients = vec![friction; slips.len()];
    let cone = Cone { coupling: &scene.coupling, friction: &coefficients, slips: &slips, loads };
    let start = Rolled::default();
    let rolled = cone.solve(&mut GoOn(Box::new(Newton::new(1e-13, 500))), &start)?;
    let forces = scene.nodal(setting, &rolled.solution.forces, &rolled.drags);
    history.moved = setting.bodies.iter().zip(&forces).map(|(body, list)| displacements(body, list)).collect();
    history.frames = rolled.solution.frames.clone();
    history.travel = Some(scene.travel);
    Ok(rolled)
}

/// Motion of each pair along its friction since the last position, but for the deformation that is still to come. At the first position
/// everything slides as the kinematics says.
fn slips(scene: &Scene, setting: &Setting<'_>, history: &History) -> Vec<f64> {
    let frames = setting.frames;
    let one = |i: usize| {
        let pair = scene.line(i).0;
        let Some(before) = history.travel else { return -LONG * scene.coupling.signs[i] };
        let bases = setting.meshes[pair.mesh].wheels.map(|w| 1.0 / w.profile.base);
        let earlier = pair.zeta - (scene.travel - before);
        let rigid = -0.5 * (pair.zeta * pair.zeta - earlier * earlier) * (bases[0] + bases[1]);
        let turned: f64 = (0..frames).map(|j| scene.coupling.sliding[i * frames + j] * history.frames[j]).sum();
        let deformed: f64 = scene.candidates[i]
            .sides
            .iter()
            .map(|side| (0..4).map(|k| side.drag[k] * history.moved[side.body][2 * side.first + k]).sum::<f64>())
            .sum();
        rigid - turned - deformed
    };
    (0..scene.candidates.len()).map(one).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test fails loudly

    use std::path::Path;

    use super::super::pairs::Extent;
    use super::*;
    use crate::case;
    use crate::contact::linearised::Pivoting;
    use crate::contact::solvers;

    /// Candidates that slide far under Signorini's and Coulomb's laws carry what they carry with sliding imposed: the general solvers, with
    /// the turning of the driven gear as an unknown under its torque, against pivoting.
    fn agree(setting: &Setting<'_>, travel: f64, torque: f64, friction: f64) {
        let scene = Scene::new(setting, travel, Extent { width: 0.5e-3, distance: 40e-6 }, true);
        let (imposed, drags, _) = scene.solve(&Pivoting::default(), friction, &[torque]).unwrap();
        let most = imposed.forces.iter().fold(0.0f64, |a, x| a.max(*x));
        // at the pitch point nothing slides
        let coefficients: Vec<f64> = scene.coupling.signs.iter().map(|s| friction * s.abs()).collect();
        let slips = slips(&scene, setting, &History::default());
        let cone = Cone { coupling: &scene.coupling, friction: &coefficients, slips: &slips, loads: &[torque] };
        for name in ["newton", "gauss_seidel"] {
            let entry = solvers::ALL.iter().find(|s| s.name == name).unwrap();
            let general = cone.solve(&mut GoOn((entry.build)(1e-13, Some(20_000))), &Rolled::default());
            let general = general.unwrap_or_else(|e| panic!("{name}, friction {friction}, travel {travel:e}: {e}"));
            let both = general.solution.forces.iter().zip(&imposed.forces).chain(general.drags.iter().zip(&drags));
            let off = both.fold(0.0f64, |a, (x, y)| a.max((x - y).abs())) / most;
            let turned = (general.solution.frames[0] / imposed.frames[0] - 1.0).abs();
            assert!(off < 1e-9 && turned < 1e-9, "{name}, friction {friction}, travel {travel:e}: {off:e}, {turned:e}");
        }
    }

    #[test]
    fn general_solvers_find_the_loads_of_pivoting() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/gears/reference.yaml");
        let study = case::read(&file, &[]).unwrap().task.unwrap().value.study;
        let outcome = study.run().unwrap();
        let bodies: Vec<_> = outcome.body_of.iter().map(|&b| &outcome.bodies[b]).collect();
        let unknown = [None, Some(0)];
        let setting =
            Setting { meshes: &outcome.meshes, bodies: &bodies, unknown: &unknown, frames: 1, rules: study.rules };
        for series in &outcome.series {
            assert_eq!(series.solved().count(), 50);
            series.solved().for_each(|p| agree(&setting, p.travel, series.torque, series.friction));
        }
    }
}
