//! Files that a case names, and the case file itself: whole, up to a size that nothing of its kind reaches.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Reads a regular file. A folder, a pipe or a device is no input: it may never end, or wait for ever.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let opened = |error: std::io::Error| format!("cannot be opened: {error}");
    // looked at before it is opened: opening a pipe waits for someone to write
    if !fs::metadata(path).map_err(opened)?.is_file() {
        return Err("cannot be read: not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    // one byte beyond the limit is enough to know, also for a file that grows
    let file = File::open(path).map_err(opened)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// That a file is too large.
pub(super) fn too_large(most: u64) -> String {
    format!("is larger than {} MiB", most >> 20)
}
