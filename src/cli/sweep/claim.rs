//! Who may make the result of a run: whoever holds the lock on its log.
//!
//! The lock is the kernel's and goes with the open file. The process that runs the case inherits it as its output, so that it
//! is held for as long as anyone may write the result, also when the command that started the run was killed; and it is
//! never left behind, whatever happens to whom.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// How the log begins what it says of one attempt.
const ATTEMPT: &str = "$ ";

/// Looks at a claim before it is taken for another's, and the time between them: whoever collects holds it for an instant.
const LOOKS: usize = 3;
const PAUSE: Duration = Duration::from_millis(2);

/// The right to run one member of a study, and its log.
pub(super) struct Claim {
    log: File,
}

impl Claim {
    /// Takes the claim; none if another process has it.
    pub(super) fn take(log: &Path) -> std::io::Result<Option<Self>> {
        let log = OpenOptions::new().create(true).append(true).open(log)?;
        for _ in 0..LOOKS {
            match log.try_lock() {
                Ok(()) => return Ok(Some(Claim { log })),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                    log::warn!("the folder's file system has no locks: give each run to one process, by --shard k/N");
                    return Ok(Some(Claim { log }));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Begins an attempt in the log.
    pub(super) fn begin(&mut self, command: &str) -> std::io::Result<()> {
        writeln!(self.log, "{ATTEMPT}{command}")
    }

    /// Where the run writes to, with the lock.
    pub(super) fn output(&self) -> std::io::Result<Stdio> {
        self.log.try_clone().map(Stdio::from)
    }
}

/// Whether some process has the claim now.
pub(super) fn is_taken(log: &Path) -> bool {
    let opened = File::open(log);
    opened.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Why the last attempt failed, as its run said.
pub(super) fn reason(log: &Path) -> Option<String> {
    let said = std::fs::read(log).ok()?;
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().rev().take_while(|line| !line.starts_with(ATTEMPT));
    // the first of its errors: going backwards, the last one found
    last.filter_map(|line| line.strip_prefix("error: ")).last().map(str::to_owned)
}
