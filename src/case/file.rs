//! From a case file to a [`Case`]: reads the text, applies `--set`, and hands the tree to the checks.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::data::{Case, stem};
use super::diagnostic::{CaseError, Diagnostic, Problems, Sources};
use super::tree::{Node, Origin, Place, Value};
use super::validate::validate;
use super::{set, write, yaml};

/// Largest case file. Meshes live in files of their own, so a larger file is not a case file.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// Reads a case file and applies `--set` arguments.
///
/// # Errors
/// Every problem of the file, or the reason why it cannot be read.
pub fn read(path: &Path, sets: &[String]) -> Result<Case, CaseError> {
    let name = path.to_string_lossy();
    let bytes = read_bytes(path).map_err(|message| CaseError::whole_file(&name, message))?;
    match String::from_utf8(bytes) {
        Ok(text) => parse(&text, &name, sets),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let before = String::from_utf8_lossy(&bytes[..valid]);
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            let message = format!("byte 0x{:02x} is not valid UTF-8", bytes.get(valid).copied().unwrap_or(0));
            let problem = Diagnostic::new(Place::new(Origin::File, line, column), "", message).expecting("UTF-8 text");
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Err(CaseError::new(sources(&name, text, sets), vec![problem]))
        }
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| format!("cannot be opened: {error}"))?;
    let mut bytes = Vec::new();
    // One byte beyond the limit is enough to know, also for a device or a pipe that has no length.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    match u64::try_from(bytes.len()) {
        Ok(length) if length <= MAX_FILE_BYTES => Ok(bytes),
        _ => Err(too_large()),
    }
}

fn too_large() -> String {
    format!("is larger than {} MiB: not a case file", MAX_FILE_BYTES >> 20)
}

fn sources(file: &str, text: String, sets: &[String]) -> Arc<Sources> {
    Arc::new(Sources { file: file.to_owned(), text, sets: sets.to_vec() })
}

/// Parses the text of a case file and applies `--set` arguments. `file_name` appears in messages, its stem names the
/// case.
///
/// # Errors
/// Every problem of the text.
pub fn parse(text: &str, file_name: &str, sets: &[String]) -> Result<Case, CaseError> {
    // A byte-order mark is not part of the text; without it columns count what the editor shows.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if u64::try_from(text.len()).map_or(true, |length| length > MAX_FILE_BYTES) {
        return Err(CaseError::whole_file(file_name, too_large()));
    }
    let sources = sources(file_name, text.to_owned(), sets);
    let fail = |problems| CaseError::new(Arc::clone(&sources), problems);
    let mut root = yaml::parse(text, Origin::File, 0).map_err(fail)?;
    if let Some(problem) = wrong_root(&root) {
        return Err(fail(vec![problem]));
    }
    let problems = Problems::default();
    for (index, argument) in sets.iter().enumerate() {
        for problem in set::apply(&mut root, argument, index).err().into_iter().flatten() {
            problems.push(problem);
        }
    }
    let text_as_run = if sets.is_empty() { text.to_owned() } else { as_run(&root, sets) };
    let checked = validate(&root, &problems, stem(file_name), Path::new(file_name).parent().unwrap_or(Path::new("")));
    match checked {
        Some(mut case) if problems.is_empty() => {
            let path = Path::new(file_name);
            case.file_name = path.file_name().map_or(file_name.into(), |name| name.to_string_lossy().into_owned());
            case.text_as_run = text_as_run;
            case.sources = Arc::clone(&sources);
            Ok(case)
        }
        _ if problems.is_empty() => {
            Err(CaseError::whole_file(file_name, "the reader gave up without a reason; please report this file"))
        }
        _ => Err(fail(problems.into_vec())),
    }
}

fn wrong_root(root: &Node) -> Option<Diagnostic> {
    let message = match &root.value {
        Value::Map(_) => return None,
        Value::Null => "the file is empty".to_owned(),
        other => format!("a case file must be a map, got {other}"),
    };
    Some(Diagnostic::new(root.place, "", message).expecting("keys such as `geometry`, `time`, `materials`, `bodies`"))
}

/// The changed tree as text, headed by the changes.
fn as_run(root: &Node, sets: &[String]) -> String {
    let mut text = String::new();
    for argument in sets {
        let line: String = argument.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        text.push_str(&format!("# --set {line}\n"));
    }
    text.push_str(&write::to_yaml(root));
    text
}
