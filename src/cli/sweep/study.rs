//! The folder of a study and what is in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use impakt::case::{self, Case, CaseError};
use impakt::post::column::Measure;
use impakt::post::sweep::{self, Combination, Design};
use serde_json::{Value, json};

use super::SweepArguments;

/// Says of which case the folder holds a study.
const RECORD: &str = "study.json";

/// A study.
pub(super) struct Study<'a> {
    pub(super) arguments: &'a SweepArguments,
    pub(super) design: Design,
    /// This program, which runs the case; found once, as its file may be replaced while the study goes on.
    pub(super) program: PathBuf,
    pub(super) folder: PathBuf,
    /// Name of the case.
    pub(super) name: String,
    /// What the table says of each run.
    pub(super) measures: Vec<Measure>,
}

impl<'a> Study<'a> {
    /// Reads the case with the values of the first run: what is wrong with it is most often wrong with all.
    pub(super) fn new(arguments: &'a SweepArguments, design: Design) -> Result<Self, String> {
        let first = design.members.first().map_or(&[][..], |member| &member.sets);
        let case = case::read(&arguments.case, first).map_err(|error| error.to_string())?;
        let measures = sweep::measures(&case, &arguments.show);
        let name = case.name;
        let folder = arguments.output.clone().unwrap_or_else(|| Path::new("results").join(format!("{name}-sweep")));
        let program =
            std::env::current_exe().map_err(|error| format!("error: the program does not find itself: {error}"))?;
        let study = Study { arguments, design, program, folder, name, measures };
        study.check_record()?;
        Ok(study)
    }

    /// The case of a run.
    pub(super) fn case(&self, member: &Combination) -> Result<Case, CaseError> {
        case::read(&self.arguments.case, &member.sets)
    }

    pub(super) fn result(&self, member: &Combination) -> PathBuf {
        self.folder.join(format!("{}.vtkhdf", member.name))
    }

    pub(super) fn log(&self, member: &Combination) -> PathBuf {
        self.folder.join(format!("{}.log", member.name))
    }

    /// The command that does a run and nothing else, as often as it is called: a share of a study of one.
    pub(super) fn command(&self, member: &Combination) -> Vec<OsString> {
        let program = std::env::args_os().next().unwrap_or_else(|| "impakt".into());
        let mut words: Vec<OsString> = vec![program, "sweep".into(), self.arguments.case.clone().into()];
        for set in &member.sets {
            words.extend(["--set".into(), set.into()]);
        }
        let threads = self.arguments.threads.unwrap_or(1).to_string();
        words.extend(["-o".into(), self.folder.clone().into(), "--shard".into(), "1/1".into()]);
        words.extend(["--threads".into(), threads.into()]);
        words
    }

    /// Makes the folder and says in it of which case it is.
    pub(super) fn open(&self) -> Result<(), String> {
        let cannot = |what: &str, error: std::io::Error| format!("error: {what} {}: {error}", self.folder.display());
        std::fs::create_dir_all(&self.folder).map_err(|error| cannot("cannot create", error))?;
        if self.record().as_ref() == Some(&self.own_record()) {
            return Ok(());
        }
        // other commands read it at the same time: it is there as a whole or not at all
        let part = self.folder.join(format!(".{RECORD}.{}.part", std::process::id()));
        let written = std::fs::write(&part, format!("{:#}\n", self.own_record()));
        let named = written.and_then(|()| std::fs::rename(&part, self.folder.join(RECORD)));
        named.map_err(|error| cannot("cannot write into", error))
    }

    fn own_record(&self) -> Value {
        let text = std::fs::read_to_string(&self.arguments.case).unwrap_or_default();
        let path = std::fs::canonicalize(&self.arguments.case).unwrap_or_else(|_| self.arguments.case.clone());
        json!({ "case": path.to_string_lossy(), "text": format!("{:016x}", sweep::fingerprint(&text)) })
    }

    fn record(&self) -> Option<Value> {
        let text = std::fs::read_to_string(self.folder.join(RECORD)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Refuses a folder with the study of another case. A file that was edited is the same case, and so is one that was moved.
    fn check_record(&self) -> Result<(), String> {
        let (Some(there), own) = (self.record(), self.own_record()) else { return Ok(()) };
        if there["case"] == own["case"] || there["text"] == own["text"] {
            return Ok(());
        }
        let (folder, other) = (self.folder.display(), there["case"].as_str().unwrap_or("another case"));
        Err(format!(
            "error: -o {folder}: this folder holds a study of {other}; give the study of {} another one",
            self.name
        ))
    }
}
