//! What a run leaves behind as it goes: history, frames and checkpoints, in memory and in the result file; and what a run that
//! is taken up again finds there.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Simulation;
use super::history::{self, Memory};
use super::run::RunError;
use super::scene::Scene;
use crate::model::Plan;
use crate::output::{At, Checkpoint, OutputError, ResultFile, ResultWriter};

/// Sums and largest values over a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Totals {
    /// Newton iterations, or rounds of contact of explicit steps.
    pub(super) iterations: u64,
    pub(super) linearisations: u64,
    pub(super) contact: u64,
    pub(super) error: f64,
    pub(super) penetration: f64,
    pub(super) residual: f64,
    /// Whether anything was inside by more than the bound.
    pub(super) beyond: bool,
}

impl Totals {
    /// Takes the last step into account.
    pub(super) fn add(&mut self, simulation: &Simulation) {
        let last = &simulation.last;
        self.iterations += last.converged.iterations as u64;
        self.linearisations += last.converged.linearisations as u64;
        self.contact += last.converged.contact_iterations as u64;
        self.error = self.error.max(simulation.ledger.now.error.abs());
        self.penetration = self.penetration.max(last.penetration);
        self.residual = self.residual.max(last.converged.contact_residual);
        self.beyond |= last.beyond;
    }
}

/// Where rows and frames go.
pub(super) struct Recorder {
    pub(super) memory: Memory,
    pub(super) writer: Option<ResultWriter>,
    pub(super) totals: Totals,
    scene: Scene,
    row: Vec<f64>,
    scratch: Vec<f64>,
    rows: usize,
    next_frame: f64,
    last_frame: Option<f64>,
    every: f64,
    /// Times that differ by less are the same.
    slack: f64,
    /// Whether the current state is recorded already.
    current: bool,
    last_checkpoint: Instant,
    /// Wall-clock time between two checkpoints.
    between: Duration,
}

impl Recorder {
    pub(super) fn new(plan: &Plan, memory: Memory, scene: Scene, writer: Option<ResultWriter>) -> Self {
        Recorder {
            memory,
            writer,
            totals: Totals::default(),
            scene,
            row: Vec::new(),
            scratch: Vec::new(),
            rows: 0,
            next_frame: 0.0,
            last_frame: None,
            every: plan.output.every,
            slack: 1e-9 * plan.time.step,
            current: false,
            last_checkpoint: Instant::now(),
            between: plan.output.checkpoint,
        }
    }

    /// Records the start. An older result of that name stays until the new one can be taken up.
    pub(super) fn begin(&mut self, simulation: &mut Simulation) -> Result<(), OutputError> {
        if let Some(writer) = &mut self.writer {
            writer.hold()?;
        }
        self.take(simulation, false)?;
        self.current = true;
        self.checkpoint(simulation)?;
        self.writer.as_mut().map_or(Ok(()), ResultWriter::release)
    }

    /// Records the current state: a row, and a frame if one is due or the run is done.
    pub(super) fn take(&mut self, simulation: &mut Simulation, done: bool) -> Result<(), OutputError> {
        if !std::mem::take(&mut self.current) {
            let frame = done || simulation.time >= self.next_frame - self.slack;
            if frame {
                simulation.update_stresses();
            }
            history::row(simulation, &mut self.row, &mut self.scratch);
            self.memory.push(&self.row);
            self.rows += 1;
            if let Some(writer) = &mut self.writer {
                writer.push_history(&self.row);
            }
            if frame {
                self.frame(simulation)?;
                self.pass(simulation.time);
            }
        }
        if self.writer.is_some() && (done || self.last_checkpoint.elapsed() >= self.between) {
            self.checkpoint(simulation)?;
        }
        Ok(())
    }

    /// Moves the time of the next frame beyond `time`.
    fn pass(&mut self, time: f64) {
        while self.next_frame <= time + self.slack {
            self.next_frame += self.every;
        }
    }

    /// Writes a frame of the current state.
    pub(super) fn frame(&mut self, simulation: &mut Simulation) -> Result<(), OutputError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        simulation.update_stresses();
        let (points, values) = self.scene.update(simulation);
        self.last_frame = Some(simulation.time);
        writer.write_frame(simulation.time, points, &values)
    }

    /// Closes the file of a run that ends early: a checkpoint, and a frame of where it stood.
    pub(super) fn close(
        &mut self,
        simulation: &mut Simulation,
        seconds: f64,
        outcome: &str,
    ) -> Result<(), OutputError> {
        self.checkpoint(simulation)?;
        // frames that only the interruption made come after the checkpoint: a run taken up leaves them out
        if self.last_frame != Some(simulation.time) {
            self.frame(simulation)?;
        }
        self.writer.as_mut().map_or(Ok(()), |writer| writer.finish(seconds, outcome))
    }

    /// Writes what is needed to take the run up from here.
    pub(super) fn checkpoint(&mut self, simulation: &Simulation) -> Result<(), OutputError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let mut state = simulation.checkpoint();
        let Totals { iterations, linearisations, contact, error, penetration, residual, beyond } = self.totals;
        let counts = [iterations, linearisations, contact].map(|count| count as f64);
        let largest = [error, penetration, residual, f64::from(u8::from(beyond))];
        state.put("totals", &[counts.as_slice(), &largest].concat());
        state.put("recorded", &[self.rows as f64, writer.frames() as f64]);
        self.last_checkpoint = Instant::now();
        log::info!("t = {:.4e} s: checkpoint, {} frames so far", simulation.time, writer.frames());
        writer.checkpoint(state)
    }

    /// Takes over what an earlier run recorded. Its file is replaced once all of it has been copied, with a
    /// checkpoint.
    pub(super) fn resume(&mut self, simulation: &mut Simulation, from: &Earlier) -> Result<(), RunError> {
        let refuse = |reason: String| RunError::Restart { path: from.path.clone(), reason };
        simulation.restore(&from.state).map_err(refuse)?;
        let totals = from.state.get("totals", 7).map_err(refuse)?;
        self.totals = Totals {
            iterations: totals[0] as u64,
            linearisations: totals[1] as u64,
            contact: totals[2] as u64,
            error: totals[3],
            penetration: totals[4],
            residual: totals[5],
            beyond: totals[6] > 0.0,
        };
        let recorded = from.state.get("recorded", 2).map_err(refuse)?;
        let (rows, frames) = (recorded[0] as usize, recorded[1] as usize);
        let read = |error: crate::output::ReadError| refuse(error.to_string());
        let mut columns = Vec::new();
        for spec in &self.memory.specs {
            let path = if spec.group.is_empty() { spec.name.clone() } else { format!("{}/{}", spec.group, spec.name) };
            let values = from.file.history(&path).map_err(read)?;
            if values.components != spec.components || values.rows() < rows {
                return Err(refuse(format!("its history of {path} does not fit")));
            }
            columns.push(values);
        }
        if let Some(writer) = &mut self.writer {
            writer.hold()?;
        }
        let times = from.file.history("time").map_err(read)?.data;
        let mut frame = 0;
        for (k, time) in times.iter().enumerate().take(rows) {
            self.row.clear();
            self.row.extend(columns.iter().flat_map(|values| values.row(k)));
            self.memory.push(&self.row);
            let Some(writer) = &mut self.writer else { continue };
            writer.push_history(&self.row);
            // a frame carries the row of its time
            while frame < frames.min(from.file.times().len()) && from.file.times()[frame] <= *time {
                let points = from.file.points(frame).map_err(read)?;
                let mut fields = Vec::new();
                for spec in self.scene.specs() {
                    let values = match spec.at {
                        At::Points => from.file.point_field(frame, &spec.name),
                        At::Cells => from.file.cell_field(frame, &spec.name),
                    };
                    fields.push(values.map_err(read)?.data);
                }
                let fields: Vec<&[f64]> = fields.iter().map(Vec::as_slice).collect();
                writer.write_frame(from.file.times()[frame], &points, &fields)?;
                frame += 1;
            }
        }
        self.rows = rows;
        self.pass(simulation.time);
        self.current = true;
        self.checkpoint(simulation)?;
        self.writer.as_mut().map_or(Ok(()), ResultWriter::release)?;
        Ok(())
    }
}

/// The result of a run that is to be taken up.
pub(super) struct Earlier {
    path: PathBuf,
    file: ResultFile,
    state: Checkpoint,
}

impl Earlier {
    /// Opens a result, if it is one of the same model.
    pub(super) fn open(path: &Path, plan: &Plan) -> Result<Self, RunError> {
        let refuse = |reason: String| RunError::Restart { path: path.to_path_buf(), reason };
        let file = ResultFile::open(path).map_err(|error| refuse(error.to_string()))?;
        let before = file.case().map_err(|error| refuse(error.to_string()))?;
        (plan.source.same)(&before.text, &plan.source.text).map_err(refuse)?;
        let state = file.checkpoint().map_err(|error| refuse(error.to_string()))?;
        let state =
            state.ok_or_else(|| refuse("it holds no checkpoint: the run was too short to write one".to_owned()))?;
        let (time, end) = (state.number("time").map_err(refuse)?, plan.time.end);
        if time > end * (1.0 + 1e-9) {
            return Err(refuse(format!("it has come to t = {time:.6e} s, beyond the end of the case at {end:.6e} s")));
        }
        Ok(Earlier { path: path.to_path_buf(), file, state })
    }
}
