//! Who writes a result: one run at a time. The claim is a kernel lock on the file itself (flock), so it ends with its process
//! however that ends, and leaves nothing behind that someone would have to clear away.
//!
//! A run locks its file under the temporary name, which the lock outlives, and the older result of that name until it is
//! replaced. A temporary file that nobody has locked is that of a dead run and is taken over.

use std::fs::{File, Metadata, TryLockError};
use std::path::{Path, PathBuf};

use super::OutputError;

/// The claim to a result.
pub(super) struct Claim {
    /// Temporary name of the file.
    pub(super) part: PathBuf,
    file: File,
    /// The older result.
    _older: Option<File>,
}

impl Claim {
    /// Claims the result `path`, to be written as `part` first.
    pub(super) fn new(part: PathBuf, path: &Path) -> Result<Self, OutputError> {
        let failed =
            |source| OutputError::Io { path: path.to_path_buf(), what: "cannot create the result file", source };
        let file = loop {
            let file =
                File::options().read(true).write(true).create(true).truncate(false).open(&part).map_err(failed)?;
            lock(&file, path)?;
            // between the two another run may have given it its name
            if is_at(&file, &part) {
                break file;
            }
        };
        // one that may not be read is not locked; whether it may be replaced is the folder's matter
        let older = File::open(path).ok();
        if let Some(older) = &older {
            lock(older, path)?;
        }
        Ok(Claim { part, file, _older: older })
    }

    /// Whether the file is still there under a name.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        is_at(&self.file, path)
    }

    /// Brings to the disk what the system holds of the file.
    pub(super) fn sync(&self) -> std::io::Result<()> {
        self.file.sync_all()
    }
}

/// Locks a file, or says who has it. Where files cannot be locked nothing is refused.
fn lock(file: &File, path: &Path) -> Result<(), OutputError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(OutputError::Busy { path: path.to_path_buf() }),
        Err(TryLockError::Error(error)) => {
            log::debug!("{}: cannot be locked: {error}", path.display());
            Ok(())
        }
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    file.metadata().ok().zip(std::fs::metadata(path).ok()).is_some_and(|(own, there)| same(&own, &there))
}

#[cfg(unix)]
fn same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn same(_: &Metadata, _: &Metadata) -> bool {
    true
}
