//! Hands the commit to the program, which writes it into its results: `git describe`, with `-dirty` where files were changed
//! since; nothing outside a repository or without git.

use std::path::Path;
use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let done = Command::new("git").args(arguments).output().ok().filter(|done| done.status.success())?;
    String::from_utf8(done.stdout).ok().map(|text| text.trim().to_owned())
}

fn main() {
    // only the repository of this package: a copy may lie within that of something else
    let own = git(&["rev-parse", "--show-prefix"]).is_some_and(|prefix| prefix.is_empty());
    let commit = if own { git(&["describe", "--always", "--dirty", "--abbrev=12"]) } else { None };
    println!("cargo:rustc-env=IMPAKT_COMMIT={}", commit.unwrap_or_default());
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=Cargo.toml");
    // what grows with each commit and each change of branch; the index changes with every look
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(path) = log.filter(|path| own && Path::new(path).exists()) {
        println!("cargo:rerun-if-changed={path}");
    }
}
