//! A whole run: from a simulation at its start to a finished result file.

use std::path::{Path, PathBuf};

use super::forecast::{self, TooLarge};
use super::history::{self, Memory};
use super::record::{Earlier, Recorder, Totals};
use super::scene::Scene;
use super::watch::{Watch, drift};
use super::{Simulation, Stopped};
use crate::contact::fclib::{self, FclibError};
use crate::integrator::LedgerEntry;
use crate::model::Plan;
use crate::output::{CaseRecord, OutputError, ResultWriter};

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The result file could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] TooLarge),
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
    /// An earlier run cannot be taken up.
    #[error("cannot go on from {}: {reason}", path.display())]
    Restart {
        /// The result file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The user interrupted the run; the result file holds everything before that.
    #[error(
        "interrupted at t = {time:.6e} s; the results so far are in {}\nthe same command with --restart goes on from there",
        path.display()
    )]
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
    /// Whether to go on from the checkpoint in the result file instead of starting at time zero.
    pub restart: bool,
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
    /// Time and steps from which this process started: zero, or where a restarted run was taken up.
    pub started: (f64, u64),
    /// Newton iterations of the last step, or rounds of contact of an explicit one.
    pub iterations: usize,
    /// Whether the steps are explicit.
    pub explicit: bool,
    /// Contact solver iterations of the last step.
    pub contact: usize,
    /// Points that stick.
    pub stick: usize,
    /// Points that slip.
    pub slip: usize,
    /// Energy that the time scheme has created (positive) or lost, relative to what there is.
    pub drift: f64,
}

/// What a finished run leaves.
#[derive(Debug)]
pub struct Summary {
    /// Steps done.
    pub steps: u64,
    /// Newton iterations in all.
    pub newton_iterations: u64,
    /// In explicit runs: how often contact points were found and solved, in all.
    pub contact_rounds: Option<u64>,
    /// Effective matrices that were assembled and factored for them.
    pub linearisations: u64,
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
    /// Whether anything was inside by more than the bound: see the guide on what is held.
    pub beyond: bool,
    /// Largest residual of an accepted contact solution.
    pub largest_contact_residual: f64,
    /// Seconds of wall clock, building the model included.
    pub seconds: f64,
    /// The history.
    pub history: Memory,
    /// The simulation at its end.
    pub simulation: Simulation,
}

impl Simulation {
    /// Runs to the end. `progress` is called after each step and stops the run by returning `false`.
    ///
    /// # Errors
    /// Why the run ended early.
    pub fn run(
        mut self,
        options: &RunOptions,
        progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Summary, RunError> {
        let start = self.plan.begun;
        if options.dump_contact.is_some() {
            self.contact.keep_matrix();
        }
        Watch::begin(&self);
        let mut recorder = self.recorder(options)?;
        let started = (self.time, self.steps);
        let mut watch = Watch::default();
        loop {
            let done = self.is_done();
            recorder.take(&mut self, done)?;
            if done {
                break;
            }
            if let Err(stopped) = self.step() {
                recorder.close(&mut self, start.elapsed().as_secs_f64(), &format!("failed: {stopped}"))?;
                let path = options.output.clone().unwrap_or_default();
                return Err(RunError::Stopped { stopped, path });
            }
            if options.dump_contact.is_some_and(|every| self.steps.is_multiple_of(every)) {
                dump_contact(&self, options.output.as_deref())?;
            }
            recorder.totals.add(&self);
            watch.step(&self);
            if !progress(&self.progress(started)) {
                recorder.take(&mut self, false)?;
                recorder.close(&mut self, start.elapsed().as_secs_f64(), "interrupted")?;
                let path = options.output.clone().unwrap_or_default();
                return Err(RunError::Interrupted { time: self.time, path });
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        let Recorder { memory, writer, totals, .. } = recorder;
        if let Some(mut writer) = writer {
            writer.finish(seconds, "done")?;
        }
        Ok(self.summary(&totals, memory, seconds))
    }

    /// What records the run, with all that was recorded before where a run is taken up.
    fn recorder(&mut self, options: &RunOptions) -> Result<Recorder, RunError> {
        let earlier = match &options.output {
            Some(path) if options.restart => Some(Earlier::open(path, &self.plan)?),
            _ => None,
        };
        let scene = Scene::new(self);
        let memory = Memory::new(history::specs(self));
        forecast::fits(forecast::peak(self, &scene, &memory.specs))?;
        let writer = match &options.output {
            Some(path) => Some(create(path, &self.plan, &scene, &memory)?),
            None => None,
        };
        let mut recorder = Recorder::new(&self.plan, memory, scene, writer);
        match earlier {
            Some(earlier) => recorder.resume(self, &earlier)?,
            None => recorder.begin(self)?,
        }
        Ok(recorder)
    }

    fn progress(&self, started: (f64, u64)) -> Progress {
        Progress {
            time: self.time,
            end: self.plan.time.end,
            step: self.steps,
            started,
            iterations: self.last.converged.iterations,
            explicit: self.explicit().is_some(),
            contact: self.last.converged.contact_iterations,
            stick: self.last.stick,
            slip: self.last.slip,
            drift: drift(self),
        }
    }

    fn summary(self, totals: &Totals, history: Memory, seconds: f64) -> Summary {
        Summary {
            steps: self.steps,
            newton_iterations: if self.explicit().is_some() { 0 } else { totals.iterations },
            contact_rounds: self.explicit().map(|_| totals.iterations),
            linearisations: totals.linearisations,
            contact_iterations: totals.contact,
            ledger: self.ledger.now,
            initial_energy: self.ledger.initial(),
            largest_error: totals.error,
            largest_penetration: totals.penetration,
            beyond: totals.beyond,
            largest_contact_residual: totals.residual,
            seconds,
            history,
            simulation: self,
        }
    }
}

/// Writes the condensed problem of the last iteration of the step, with its solution. A compliance of 1e-9 m/N would make measures
/// that compare forces with displacements meaningless, so forces are written in units that make `W` of order one.
fn dump_contact(simulation: &Simulation, output: Option<&Path>) -> Result<(), FclibError> {
    let plan = &simulation.plan;
    let (problem, r) = (simulation.contact.problem(), simulation.contact.reactions());
    if problem.is_empty() || r.len() != problem.q.len() {
        return Ok(());
    }
    let beside = output.unwrap_or(Path::new(&plan.name)).with_extension("");
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
    let file = folder.join(format!("{}-{}-{:06}.hdf5", plan.name, problem.len(), simulation.steps));
    let title =
        format!("{}, step {}, t = {:e} s, forces times {unit:e} m/N", plan.title, simulation.steps, simulation.time);
    fclib::write(&file, &title, &scaled, Some(&r))
}

fn create(path: &Path, plan: &Plan, scene: &Scene, memory: &Memory) -> Result<ResultWriter, OutputError> {
    let mut settings = plan.settings.clone();
    settings.push(("threads".to_owned(), rayon::current_num_threads().to_string()));
    let record = CaseRecord {
        text: plan.source.text.clone(),
        file_name: plan.source.file_name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("IMPAKT_COMMIT").to_owned(),
        settings,
    };
    ResultWriter::create(path, &scene.grid, &scene.specs(), &memory.specs, &record, plan.output.compression as u8)
}
