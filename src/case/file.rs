//! From a case file to a [`Case`]: reads the text, applies `--set`, and hands the tree to the checks.

use std::path::Path;
use std::sync::Arc;

use super::data::{Case, stem};
use super::diagnostic::{CaseError, Diagnostic, Problems, Sources};
use super::tree::{Node, Origin, Place, Value};
use super::validate::validate;
use super::{input, set, write, yaml};

/// Largest case file. Meshes live in files of their own, so a larger file is not a case file.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// Reads a case file and applies `--set` arguments.
///
/// # Errors
/// Every problem of the file, or the reason why it cannot be read.
pub fn read(path: &Path, sets: &[String]) -> Result<Case, CaseError> {
    let name = path.to_string_lossy();
    let bytes = input::read(path, MAX_FILE_BYTES).map_err(|message| CaseError::whole_file(&name, message))?;
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
            let shown = if is_a_case(&text) { text } else { String::new() };
            Err(CaseError::new(sources(&name, shown, sets), vec![problem]))
        }
    }
}

/// Whether a text is a case file, if a wrong one. The lines of other files, given by mistake, are not put into messages.
fn is_a_case(text: &str) -> bool {
    const SECTIONS: [&str; 6] = ["title", "geometry", "time", "materials", "bodies", "contacts"];
    let opens = |line: &str| {
        let name = line.trim_start_matches(['"', '\'', '{', ' ']).split([':', '"', '\'']).next().unwrap_or("");
        line.contains(':') && SECTIONS.contains(&name.trim_end())
    };
    text.lines().any(opens)
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
        return Err(CaseError::whole_file(file_name, input::too_large(MAX_FILE_BYTES)));
    }
    let shown = if is_a_case(text) { text.to_owned() } else { String::new() };
    let sources = sources(file_name, shown, sets);
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
