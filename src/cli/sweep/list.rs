//! `--list`: the runs as commands.

use std::ffi::OsStr;
use std::process::ExitCode;

use impakt::post::sweep::Combination;
use serde_json::{Map, Value, json};

use super::super::output::say;
use super::study::Study;

/// Prints the runs with these numbers, one a line.
pub(super) fn print(study: &Study, runs: &[usize]) -> ExitCode {
    for &run in runs {
        let member = &study.design.members[run];
        let command = study.command(member);
        if study.arguments.json {
            let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
            let (result, log) = (study.result(member), study.log(member));
            say(&json!({
                "event": "listed", "run": run + 1, "name": member.name, "values": values(study, member),
                "result": result.to_string_lossy(), "log": log.to_string_lossy(), "command": words,
            })
            .to_string());
        } else {
            say(&line(command.iter().map(|word| word.as_os_str())));
        }
    }
    ExitCode::SUCCESS
}

/// The values of a run by their paths.
pub(super) fn values(study: &Study, member: &Combination) -> Map<String, Value> {
    let paths = study.design.axes.iter().map(|axis| axis.path.clone());
    paths.zip(member.values.iter().map(|value| Value::from(value.as_str()))).collect()
}

/// A command as a line for a POSIX shell.
pub(super) fn line<'w>(words: impl Iterator<Item = &'w OsStr>) -> String {
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<String>>().join(" ")
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a shell makes of a line is what was to be said.
    #[test]
    fn a_shell_gives_back_the_words() {
        let words =
            ["contacts.*.friction=0.1", "v=[0, -1]", "it's", "", "$HOME `x` \"y\" \\", "a=b,c", "~", "#no", "ü"];
        let text = line(words.iter().map(OsStr::new));
        let shell = std::process::Command::new("sh").arg("-c").arg(format!("printf '%s\\n' {text}")).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&shell.stdout).lines().collect::<Vec<&str>>(), words);
    }
}
