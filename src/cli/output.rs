//! Text to the user, and checks on the files that a command is told to write.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use impakt::case::CaseError;

/// Says what is wrong with the input; exit code 2.
pub(super) fn wrong_input(message: impl std::fmt::Display) -> ExitCode {
    tell(message.to_string().trim_end());
    ExitCode::from(2)
}

/// Says what the machine cannot do for a case; exit code 1.
pub(super) fn too_large(error: &CaseError) -> ExitCode {
    tell(error.to_string().trim_end());
    ExitCode::FAILURE
}

/// Says what failed; exit code 1.
pub(super) fn failed(message: impl std::fmt::Display) -> ExitCode {
    tell(&format!("error: {}", message.to_string().trim_end()));
    ExitCode::FAILURE
}

/// The first thing that could not be written to standard output or to the log.
static LOST: OnceLock<String> = OnceLock::new();

/// Takes down that something asked for could not be written. The run goes on; its exit code will say so.
pub(super) fn lose(what: &str, error: &std::io::Error) {
    LOST.get_or_init(|| format!("{what} could not be written: {error}"));
}

/// The exit code of a command that ended with `code`: not success where words of it were lost.
pub(super) fn closing(code: ExitCode) -> ExitCode {
    if let Err(error) = std::io::stdout().flush() {
        said(&error);
    }
    match LOST.get() {
        Some(lost) => {
            tell(&format!("error: {lost}"));
            if code == ExitCode::SUCCESS { ExitCode::FAILURE } else { code }
        }
        None => code,
    }
}

/// Writes to standard output; a reader that went away (`impakt post … | head`) is not an error, a full disk is.
pub(super) fn say(text: &str) {
    if let Err(error) = writeln!(std::io::stdout(), "{text}") {
        said(&error);
    }
}

/// Takes down that standard output could not be written, unless its reader went away.
pub(super) fn said(error: &std::io::Error) {
    if error.kind() != std::io::ErrorKind::BrokenPipe {
        lose("standard output", error);
    }
}

/// Writes to standard error, where a reader may have gone away as well (`impakt run … 2>&1 | head`).
pub(super) fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Whether two paths lead to one file that exists.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    std::fs::canonicalize(a).ok().zip(std::fs::canonicalize(b).ok()).is_some_and(|(a, b)| a == b)
}

/// Refuses to write a result where something would be lost that is not an older result.
pub(super) fn check_output(output: &Path, case: &Path) -> Result<(), String> {
    let name = output.display();
    if output.extension().is_some_and(|e| e == "xdmf") {
        return Err(format!("error: -o {name}: the sidecar takes that name; choose another ending, such as .vtkhdf"));
    }
    let Ok(metadata) = std::fs::metadata(output) else { return Ok(()) };
    if same_file(output, case) {
        return Err(format!("error: -o {name}: that is the case file"));
    }
    if !metadata.is_file() {
        return Err(format!("error: -o {name}: exists and is not a file"));
    }
    // every HDF5 file starts with these eight bytes
    let mut start = [0; 8];
    let read = std::fs::File::open(output).and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    if read.is_ok_and(|n| n > 0 && start != *b"\x89HDF\r\n\x1a\n") {
        return Err(format!("error: -o {name}: exists and is not a result file; it is not overwritten"));
    }
    Ok(())
}

/// Refuses to write something made of files over one of them, or over what is not a plain file.
pub(super) fn check_made(option: &str, output: &Path, from: &[&Path]) -> Result<(), String> {
    let name = output.display();
    if from.iter().any(|source| same_file(output, source)) {
        return Err(format!("error: {option} {name}: that is the file it would be made from"));
    }
    match std::fs::metadata(output) {
        Ok(metadata) if !metadata.is_file() => Err(format!("error: {option} {name}: exists and is not a file")),
        _ => Ok(()),
    }
}
