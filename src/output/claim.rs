//! Who writes a result: one run at a time. The claim is a kernel lock (flock) on a hidden file beside the result, so it ends
//! with its process however that ends; a file without a lock means nothing and is taken over. The result itself is not locked:
//! HDF5 refuses to read what someone has locked, and a run may be looked at while it goes on.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::OutputError;

/// The claim to a result.
pub(super) struct Claim {
    /// Temporary name of the file.
    pub(super) part: PathBuf,
    /// The file, whatever its name.
    file: File,
    beside: PathBuf,
    _lock: File,
}

impl Claim {
    /// Claims the result `path`, and creates it as `part`, in place of what a dead run may have left there.
    pub(super) fn new(part: PathBuf, path: &Path) -> Result<Self, OutputError> {
        let failed =
            |source| OutputError::Io { path: path.to_path_buf(), what: "cannot create the result file", source };
        let beside = part.with_extension("lock");
        let options = |truncate| OpenOptions::new().read(true).write(true).create(true).truncate(truncate).to_owned();
        let lock = loop {
            let lock = options(false).open(&beside).map_err(failed)?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(OutputError::Busy { path: path.to_path_buf() }),
                // where files cannot be locked nothing is refused
                Err(TryLockError::Error(error)) => log::debug!("{}: cannot be locked: {error}", beside.display()),
            }
            // between the two the run that had it may have ended and removed it
            if is_at(&lock, &beside) {
                break lock;
            }
        };
        let file = options(true).open(&part).map_err(failed)?;
        Ok(Claim { part, file, beside, _lock: lock })
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

impl Drop for Claim {
    /// The lock goes after its file.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.beside);
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
