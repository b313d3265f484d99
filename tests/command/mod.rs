//! What the tests of the command share: calling it, a folder of their own, the cases of the project.
#![allow(dead_code)] // each test crate uses its own part

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Calls the command.
pub fn impakt(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_impakt")).args(arguments).output().expect("impakt runs")
}

/// Calls the command, which must succeed, and returns what it printed.
pub fn done(arguments: &[&str]) -> String {
    let output = impakt(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Path of a case of the project.
pub fn case(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(name).to_string_lossy().into_owned()
}

/// All cases of the project.
pub fn cases() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("cases/").map(|e| e.expect("entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|e| e == "yaml") {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

/// A folder that goes when the test ends.
pub struct Scratch(pub PathBuf);

impl Scratch {
    /// A folder with this name, of this process alone.
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("impakt-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("scratch folder");
        Scratch(folder)
    }

    /// Path of a file in it.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
