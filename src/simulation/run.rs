//! A whole run: from a checked case to a finished result file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::history::{self, Memory};
use super::scene::Scene;
use super::{Simulation, Stopped};
use crate::case::expect::{Verdict, judge};
use crate::case::{Case, CaseError, build};
use crate::contact::fclib::{self, FclibError};
use crate::integrator::LedgerEntry;
use crate::output::{CaseRecord, OutputError, ResultWriter};

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The input is wrong.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// The result file could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A contact problem could not be written.
    #[error("contact problem: {0}")]
    Dump(#[from] FclibError),
    /// A step failed; the result file holds everything before it.
    #[error("{stopped}\nthe results up to t = {:.6e} s are in {}", stopped.time, path.display())]
    Stopped {
        /// What happened.
        stopped: Stopped,
        /// The result file.
        path: PathBuf,
    },
    /// The user interrupted the run; the result file holds everything before that.
    #[error("interrupted at t = {time:.6e} s; the results so far are in {}", path.display())]
    Interrupted {
        /// Time reached.
        time: f64,
        /// The result file.
        path: PathBuf,
    },
}

/// Where results go.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Result file; none for a run in memory.
    pub output: Option<PathBuf>,
    /// Steps after which the contact problem is written, as an FCLIB file in a folder beside the result file.
    pub dump_contact: Option<u64>,
}

/// What a progress display is told after each step.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Time reached.
    pub time: f64,
    /// End of the run.
    pub end: f64,
    /// Steps done.
    pub step: u64,
    /// Newton iterations of the last step.
    pub newton: usize,
    /// Contact solver iterations of the last step.
    pub contact: usize,
    /// Points in contact.
    pub touching: usize,
    /// Change of the total energy relative to its start (absolute if that is zero).
    pub drift: f64,
}

/// What a finished run leaves.
#[derive(Debug)]
pub struct Summary {
    /// Steps done.
    pub steps: u64,
    /// Newton iterations in all.
    pub newton_iterations: u64,
    /// Contact solver iterations in all.
    pub contact_iterations: u64,
    /// Energies at the end.
    pub ledger: LedgerEntry,
    /// Energy at the start.
    pub initial_energy: f64,
    /// Largest ledger error on the way.
    pub largest_error: f64,
    /// Deepest penetration on the way.
    pub largest_penetration: f64,
    /// Largest residual of an accepted contact solution.
    pub largest_contact_residual: f64,
    /// Seconds of wall clock, building the model included.
    pub seconds: f64,
    /// The history.
    pub history: Memory,
    /// Promises of the case.
    pub verdicts: Vec<Verdict>,
    /// The simulation at its end.
    pub simulation: Simulation,
}

/// Runs a case. `progress` is called after each step and stops the run by returning `false`.
pub fn run(
    case: &Case,
    options: &RunOptions,
    progress: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Summary, RunError> {
    let start = Instant::now();
    let model = build(case)?;
    let (probes, materials) = (model.probes.clone(), model.materials.clone());
    let mut simulation = Simulation::new(case, model);
    for warning in simulation.system.bodies.iter().filter_map(|body| body.locking()) {
        log::warn!("{warning}");
    }
    let mut scene = Scene::new(&simulation, case, &materials);
    let mut memory = Memory::new(history::specs(&simulation, &probes));
    let mut writer = match &options.output {
        Some(path) => Some(create(path, case, &scene, &memory)?),
        None => None,
    };
    let (mut row, mut scratch) = (Vec::new(), Vec::new());
    let initial = simulation.ledger.initial();
    let mut totals = (0u64, 0u64, 0.0f64, 0.0f64, 0.0f64);
    let mut next_frame = 0.0;
    let (mut warned, mut warned_contact) = (false, false);
    loop {
        history::row(&simulation, &probes, &mut row, &mut scratch);
        memory.push(&row);
        let done = simulation.is_done();
        if let Some(writer) = &mut writer {
            writer.push_history(&row);
            if done || simulation.time >= next_frame - 1e-9 * case.time.step {
                let (points, values) = scene.update(&simulation);
                writer.write_frame(simulation.time, points, &values)?;
                while next_frame <= simulation.time + 1e-9 * case.time.step {
                    next_frame += case.output.every;
                }
            }
        }
        if done {
            break;
        }
        if let Err(stopped) = simulation.step() {
            if let Some(writer) = &mut writer {
                let (points, values) = scene.update(&simulation);
                writer.write_frame(simulation.time, points, &values)?;
                writer.finish(start.elapsed().as_secs_f64(), &format!("failed: {stopped}"))?;
            }
            let path = options.output.clone().unwrap_or_default();
            return Err(RunError::Stopped { stopped, path });
        }
        if options.dump_contact.is_some_and(|every| simulation.steps.is_multiple_of(every)) {
            dump_contact(case, &simulation, options.output.as_deref())?;
        }
        let last = &simulation.last;
        totals.0 += last.converged.iterations as u64;
        totals.1 += last.converged.contact_iterations as u64;
        totals.2 = totals.2.max(simulation.ledger.now.error.abs());
        totals.3 = totals.3.max(last.penetration);
        totals.4 = totals.4.max(last.converged.contact_residual);
        let reference = if initial > 0.0 { initial } else { 1.0 };
        if !warned_contact && simulation.ledger.now.contact_work > 1e-3 * simulation.ledger.now.total().max(initial) {
            warned_contact = true;
            log::warn!(
                "t = {:.4e} s: normal reactions have put {:.3e} J into the bodies; contact should not: \
                 look at the pictures, and try a shorter step",
                simulation.time,
                simulation.ledger.now.contact_work
            );
        }
        let largest = initial.max(simulation.ledger.now.external_work.abs());
        if !warned && simulation.ledger.now.numerical < -0.01 * largest {
            warned = true;
            log::warn!(
                "t = {:.4e} s: the time scheme has created {:.2} % of the energy (numerical_dissipation is negative); \
                 a shorter step, `force: discrete_gradient` or theta, xi > 0.5 help",
                simulation.time,
                -100.0 * simulation.ledger.now.numerical / largest
            );
        }
        let report = Progress {
            time: simulation.time,
            end: case.time.end,
            step: simulation.steps,
            newton: last.converged.iterations,
            contact: last.converged.contact_iterations,
            touching: last.stick + last.slip,
            drift: (simulation.ledger.now.total() - initial) / reference,
        };
        if !progress(&report) {
            if let Some(writer) = &mut writer {
                history::row(&simulation, &probes, &mut row, &mut scratch);
                writer.push_history(&row);
                let (points, values) = scene.update(&simulation);
                writer.write_frame(simulation.time, points, &values)?;
                writer.finish(start.elapsed().as_secs_f64(), "interrupted")?;
            }
            let path = options.output.clone().unwrap_or_default();
            return Err(RunError::Interrupted { time: simulation.time, path });
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    if let Some(writer) = &mut writer {
        writer.finish(seconds, "done")?;
    }
    let times = memory.column("time").unwrap_or_default();
    let verdicts = case.expect.iter().map(|e| judge(&e.value, &times, |path| memory.column(path))).collect();
    Ok(Summary {
        steps: simulation.steps,
        newton_iterations: totals.0,
        contact_iterations: totals.1,
        ledger: simulation.ledger.now,
        initial_energy: initial,
        largest_error: totals.2,
        largest_penetration: totals.3,
        largest_contact_residual: totals.4,
        seconds,
        history: memory,
        verdicts,
        simulation,
    })
}

/// Writes the condensed problem of the last iteration of the step, with its solution. A compliance of 1e-9 m/N would make measures
/// that compare forces with displacements meaningless, so forces are written in units that make `W` of order one.
fn dump_contact(case: &Case, simulation: &Simulation, output: Option<&Path>) -> Result<(), FclibError> {
    let (problem, r) = (simulation.contact.problem(), simulation.contact.reactions());
    if problem.is_empty() || r.len() != problem.q.len() {
        return Ok(());
    }
    let beside = output.unwrap_or(Path::new(&case.name)).with_extension("");
    let mut folder = beside.into_os_string();
    folder.push("-contact");
    let folder = PathBuf::from(folder);
    std::fs::create_dir_all(&folder).map_err(|source| FclibError::Io { path: folder.clone(), source })?;
    let largest = problem.w.blocks.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let mut scaled = problem.clone();
    scaled.w.blocks.iter_mut().for_each(|w| *w /= unit);
    let r: Vec<f64> = r.iter().map(|r| unit * r).collect();
    // as FCLIB names its files: family, number of points, place in the run
    let file = folder.join(format!("{}-{}-{:06}.hdf5", case.name, problem.len(), simulation.steps));
    let title =
        format!("{}, step {}, t = {:e} s, forces times {unit:e} m/N", case.title, simulation.steps, simulation.time);
    fclib::write(&file, &title, &scaled, Some(&r))
}

fn create(path: &Path, case: &Case, scene: &Scene, memory: &Memory) -> Result<ResultWriter, OutputError> {
    let settings = vec![
        ("scheme".to_owned(), format!("{:?}", case.time.scheme)),
        ("newton".to_owned(), format!("{:?}", case.time.newton)),
        ("contact_solver".to_owned(), format!("{:?}", case.contact_solver)),
        ("threads".to_owned(), rayon::current_num_threads().to_string()),
    ];
    let record = CaseRecord {
        text: case.text_as_run.clone(),
        file_name: case.file_name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings,
    };
    ResultWriter::create(path, &scene.grid, &scene.specs(), &memory.specs, &record, case.output.compression as u8)
}
