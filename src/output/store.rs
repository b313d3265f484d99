//! The open result file: what the writer's thread holds and does.

use std::path::{Path, PathBuf};

use super::batch::Batch;
use super::claim::Claim;
use super::field_data::FieldData;
use super::history::{Doing, Fault, History};
use super::vtkhdf::{self, VtkHdf};
use super::xdmf::Sidecar;
use super::{CaseRecord, Checkpoint, FieldSpec, Grid, HistorySpec, OutputError, checkpoint};

/// What a file is made of.
pub(super) struct Contents {
    pub(super) grid: Grid,
    pub(super) fields: Vec<FieldSpec>,
    pub(super) history: Vec<HistorySpec>,
    pub(super) case: CaseRecord,
    pub(super) compression: u8,
}

/// Everything that holds an HDF5 handle. Fields drop in order: the datasets before their file.
struct Open {
    vtk: VtkHdf,
    history: History,
    field_data: FieldData,
    file: hdf5::File,
}

/// A result file that is being written.
pub(super) struct Store {
    path: PathBuf,
    claim: Claim,
    /// Whether it still has its temporary name.
    unnamed: bool,
    /// Whether it keeps that name for now.
    held: bool,
    open: Option<Open>,
    sidecar: Option<Sidecar>,
}

impl Store {
    /// Lays out an empty `file`, which has the temporary name of its claim until its first frame gives it the name `path`.
    pub(super) fn create(
        file: hdf5::File,
        claim: Claim,
        path: PathBuf,
        contents: &Contents,
    ) -> Result<Self, OutputError> {
        let Contents { grid, fields, history, case, compression } = contents;
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let build = || {
            let vtk = VtkHdf::create(&file, grid, fields, *compression)?;
            let sidecar = Sidecar::create(&file, &path, &name, grid)?;
            let rows = History::create(&file, history)?;
            let field_data = FieldData::create(&file, grid, history, vtkhdf::STEP_CHUNK)?;
            vtkhdf::write_case(&file, case)?;
            checkpoint::create(&file)?;
            Ok((vtk, rows, field_data, sidecar))
        };
        match build() {
            Ok((vtk, history, field_data, sidecar)) => {
                let open = Some(Open { vtk, history, field_data, file });
                Ok(Self { path, claim, unnamed: true, held: false, open, sidecar })
            }
            Err(fault) => {
                // Nothing of value is in it yet.
                let _ = std::fs::remove_file(&claim.part);
                Err(Fault::at(fault, &path))
            }
        }
    }

    /// One commit: data, flush, counts, flush. After an error the file is closed; the counts still say what was whole
    /// before it. (On a full disk HDF5 may be unable to write an index it has begun to change: no promise there.)
    pub(super) fn commit(&mut self, batch: &mut Batch) -> Result<(), OutputError> {
        let Some(open) = self.open.as_mut() else { return Err(OutputError::Closed { path: self.path.clone() }) };
        if !batch.is_empty()
            && let Err(fault) = open.append(batch)
        {
            self.open = None;
            self.discard_part();
            return Err(fault.at(&self.path));
        }
        if open.vtk.committed() == 0 || self.held {
            return Ok(());
        }
        if self.unnamed {
            self.give_its_name()?;
        } else if !self.claim.is_at(&self.path) {
            self.open = None;
            let source = std::io::Error::other("its name or its folder is gone, or leads to another file");
            return Err(OutputError::Io {
                path: self.path.clone(),
                what: "the result is no longer where it was",
                source,
            });
        }
        self.write_sidecar();
        Ok(())
    }

    /// Replaces an older result once what replaces it is on the disk.
    fn give_its_name(&mut self) -> Result<(), OutputError> {
        let synced = if self.path.exists() { self.claim.sync() } else { Ok(()) };
        if let Err(source) = synced.and_then(|()| std::fs::rename(&self.claim.part, &self.path)) {
            self.open = None;
            self.discard_part();
            let what = "cannot give the result file its name";
            return Err(OutputError::Io { path: self.path.clone(), what, source });
        }
        self.unnamed = false;
        Ok(())
    }

    /// A stale sidecar is a nuisance, not a reason to stop a run; [`Self::finish`] reports it.
    fn write_sidecar(&mut self) {
        if let Some(open) = &self.open
            && let Some(sidecar) = self.sidecar.as_mut().filter(|s| s.is_due())
            && let Err(error) = sidecar.write(&open.vtk, &open.field_data, &open.history)
        {
            log::warn!("{error}");
        }
    }

    /// Keeps the temporary name, or no longer.
    pub(super) fn hold(&mut self, held: bool) {
        self.held = held && self.unnamed;
    }

    /// Writes what a run needs to be taken up.
    pub(super) fn checkpoint(&mut self, state: &Checkpoint) -> Result<(), OutputError> {
        let Some(open) = self.open.as_ref() else { return Err(OutputError::Closed { path: self.path.clone() }) };
        checkpoint::write(&open.file, state).map_err(|fault| fault.at(&self.path))
    }

    /// Writes the wall-clock time and the outcome, closes the file and writes the final sidecar.
    pub(super) fn finish(&mut self, wall_clock_seconds: f64, outcome: &str) -> Result<(), OutputError> {
        let Some(open) = self.open.take() else { return Err(OutputError::Closed { path: self.path.clone() }) };
        if self.unnamed {
            drop(open);
            self.discard_part();
            return Err(OutputError::NoFrame { path: self.path.clone() });
        }
        let Open { vtk, history, field_data, file } = open;
        let written = vtkhdf::write_outcome(&file, wall_clock_seconds, outcome);
        let sidecar = self.sidecar.as_mut().map_or(Ok(()), |s| s.write(&vtk, &field_data, &history));
        drop((vtk, history, field_data));
        written.and_then(|()| file.close().doing(|| "closing".to_string())).map_err(|f| f.at(&self.path))?;
        sidecar
    }

    fn discard_part(&mut self) {
        if std::mem::take(&mut self.unnamed) {
            let _ = std::fs::remove_file(&self.claim.part);
        }
    }
}

impl Open {
    fn append(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        self.vtk.append(batch)?;
        // with the frames: their field data are history rows
        self.history.append(&batch.rows)?;
        self.field_data.append(&batch.rows_of_frames)?;
        let flush = |file: &hdf5::File| file.flush().doing(|| "flushing to disk".to_string());
        flush(&self.file)?;
        self.vtk.publish()?;
        self.history.publish()?;
        flush(&self.file)
    }
}

impl Drop for Store {
    /// A run that never wrote a frame leaves nothing behind.
    fn drop(&mut self) {
        self.open = None;
        self.discard_part();
    }
}

/// The temporary name of a result file. It is the same in every run, so that what a killed one left is taken over.
pub(super) fn part_name(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!(".{name}.part"))
}
