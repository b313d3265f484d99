//! `impakt run` and `impakt check` of a case with a task.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use impakt::case::{Case, Located, Task};
use impakt::output::CaseRecord;
use impakt::post::{charts, transmission as drawn, write_file};
use impakt::transmission::{Outcome, Study, record, table};

use super::output::{failed, say, tell, wrong_input};

/// Runs the task of a case: the result file, and beside it a folder with tables and charts.
pub(super) fn run_task(case: &Case, task: &Located<Task>, output: &Path, quiet: bool) -> ExitCode {
    let clock = Instant::now();
    let study = &task.value.study;
    let outcome = match study.run() {
        Ok(outcome) => outcome,
        Err(error) => return wrong_input(case.problem(task, error.to_string())),
    };
    outcome.notes.iter().for_each(|note| log::warn!("{note}"));
    let computed = clock.elapsed().as_secs_f64();
    if let Err(error) = record::write(study, &outcome, task.value.picture, &record_of(case), output, computed) {
        return failed(error);
    }
    let folder = output.with_extension("");
    if let Err(error) = write_tables(study, &outcome, &folder) {
        return failed(error);
    }
    if !quiet {
        say(&summary(case, study, &outcome, output, &folder, clock.elapsed().as_secs_f64() - computed));
    }
    conclude(&outcome)
}

/// Names the positions that failed.
fn conclude(outcome: &Outcome) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for series in &outcome.series {
        for (k, position) in series.positions.iter().enumerate() {
            if let Err(error) = position {
                tell(&format!("error: torque {}, friction {}, position {k}: {error}", series.torque, series.friction));
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn record_of(case: &Case) -> CaseRecord {
    CaseRecord {
        text: case.text_as_run.clone(),
        file_name: case.file_name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("IMPAKT_COMMIT").to_owned(),
        settings: Vec::new(),
    }
}

fn write_tables(study: &Study, outcome: &Outcome, folder: &Path) -> Result<(), impakt::post::PostError> {
    let file = |name: &str| -> PathBuf { folder.join(name) };
    write_file(&file("positions.csv"), table::positions(study, outcome).as_bytes())?;
    write_file(&file("pressures.csv"), table::pressures(outcome).as_bytes())?;
    write_file(&file("cycles.csv"), table::cycles(study, outcome).as_bytes())?;
    for (k, series) in outcome.series.iter().enumerate() {
        write_file(&file(&format!("mesh_{k}.csv")), table::mesh(outcome, series).as_bytes())?;
    }
    charts::write(folder, &drawn::charts(study, outcome)).map(drop)
}

fn summary(case: &Case, study: &Study, outcome: &Outcome, output: &Path, folder: &Path, written: f64) -> String {
    let mut text = format!("{}\n", case.title);
    for mesh in &outcome.meshes {
        let [one, two] = mesh.wheels.map(|w| &study.gears[w.gear].name);
        text += &format!(
            "  {one} drives {two}: contact ratio {:.5} (rigid), base pitch {:.6} mm, play {:.1} um\n",
            mesh.contact_ratio(),
            1e3 * mesh.pitch,
            1e6 * mesh.play
        );
    }
    let (arms, unknowns) = (study.rules.arms, outcome.bodies.iter().map(|b| b.elastic.unknowns()).sum::<usize>());
    text += &format!("  {} bodies, {unknowns} unknowns; moment arms: {arms:?}\n", outcome.bodies.len());
    text += "  torque [N m]  friction  mean [urad]  peak-to-peak  contact ratio  fillet [MPa]  pressure [MPa]  worst residual\n";
    for series in &outcome.series {
        let c = series.cycle();
        let fillet = c.fillets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        text += &format!(
            "  {:>12.5}  {:>8}  {:>11.3}  {:>12.3}  {:>13.3}  {:>12.2}  {:>14.1}  {:>14.1e}\n",
            series.torque,
            series.friction,
            1e6 * c.mean,
            1e6 * c.peak_to_peak(),
            c.contact_ratio,
            1e-6 * fillet,
            1e-6 * c.pressure,
            series.solved().map(|p| p.residual).fold(0.0, f64::max)
        );
    }
    let t = &outcome.timing;
    let count: usize = outcome.series.iter().map(|s| s.positions.len()).sum();
    text += &format!(
        "  seconds: mesh {:.3}, factor {:.3}, compliance {:.3}, {count} positions {:.4} (candidates {:.4}, solution {:.4}), output {written:.3}\n",
        t.mesh, t.factor, t.compliance, t.positions, t.candidates, t.solution
    );
    text + &format!("  result: {}, tables and charts: {}", output.display(), folder.display())
}

/// Says what a task would do.
pub(super) fn check_task(case: &Case, task: &Located<Task>) -> ExitCode {
    let study = &task.value.study;
    let meshes = match study.meshings() {
        Ok(meshes) => meshes,
        Err(error) => return wrong_input(case.problem(task, error.to_string())),
    };
    study.notes(&meshes).iter().for_each(|note| log::warn!("{note}"));
    let mut text = format!("{}\n", case.title);
    for gear in &study.gears {
        let cells = gear.shape.cells;
        text += &format!(
            "  gear {}: {} teeth of module {:.4} mm, {} modelled with {} segments a flank\n",
            gear.name,
            gear.shape.teeth,
            1e3 * gear.shape.module,
            cells.modelled,
            cells.flank
        );
    }
    for mesh in &meshes {
        let [one, two] = mesh.wheels.map(|w| (&study.gears[w.gear].name, w.profile.base));
        text += &format!(
            "  {} drives {}: contact ratio {:.5}, pressure angle {:.4} degrees, base radii {:.6} and {:.6} mm\n",
            one.0,
            two.0,
            mesh.contact_ratio(),
            mesh.angle.to_degrees(),
            1e3 * one.1,
            1e3 * two.1
        );
    }
    let series = study.torques.len() * study.frictions.len();
    say(&(text + &format!("  {series} series of {} positions", study.positions)));
    ExitCode::SUCCESS
}
