//! `impakt schema` and `impakt new`: help while a case is written.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use impakt::case::schema;

use super::output::{failed, say, wrong_input};

/// Shown below the options of `schema`.
pub(super) const SCHEMA_EXAMPLES: &str = "Examples:
  impakt schema > impakt.schema.json
  impakt schema --markdown > keys.md

In an editor with a YAML language server (VS Code with the Red Hat YAML extension, Neovim, Helix, Emacs) begin a case with
  # yaml-language-server: $schema=impakt.schema.json
and keys are completed, explained and checked while you type. `impakt new` writes both files.";

/// Shown below the options of `new`.
pub(super) const NEW_EXAMPLES: &str = "Examples:
  impakt new drop            writes drop.yaml and impakt.schema.json, ready for `impakt run drop.yaml`
  impakt new drop --solid    the same in three dimensions";

#[derive(Args)]
pub(super) struct SchemaArguments {
    /// A page of every key for people, in Markdown
    #[arg(long)]
    markdown: bool,
}

/// Prints the schema.
pub(super) fn print_schema(arguments: &SchemaArguments) -> ExitCode {
    if arguments.markdown {
        say(schema::markdown().trim_end());
        return ExitCode::SUCCESS;
    }
    match serde_json::to_string_pretty(&schema::json()) {
        Ok(text) => say(&text),
        Err(error) => return failed(error),
    }
    ExitCode::SUCCESS
}

#[derive(Args)]
pub(super) struct NewArguments {
    /// Name of the case; the file is <NAME>.yaml
    #[arg(default_value = "first")]
    name: PathBuf,
    /// A solid case instead of a plane one
    #[arg(long)]
    solid: bool,
}

const PLANE: &str = include_str!("starter_plane.yaml");
const SOLID: &str = include_str!("starter_solid.yaml");
const SCHEMA_FILE: &str = "impakt.schema.json";

/// Writes a starter case and the schema beside it; nothing that exists is overwritten.
pub(super) fn new_case(arguments: &NewArguments) -> ExitCode {
    let mut path = arguments.name.clone();
    if !path.extension().is_some_and(|e| e == "yaml" || e == "yml") {
        path.as_mut_os_string().push(".yaml");
    }
    if path.file_stem().is_none_or(|stem| stem.is_empty()) || path.ends_with("..") {
        return wrong_input(format!("error: `{}` is not the name of a case", arguments.name.display()));
    }
    if path.exists() {
        return wrong_input(format!("error: {} exists; it is not overwritten", path.display()));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let schema_file = folder.join(SCHEMA_FILE);
    let text = if arguments.solid { SOLID } else { PLANE };
    let schema = match serde_json::to_string_pretty(&schema::json()) {
        Ok(schema) => schema + "\n",
        Err(error) => return failed(error),
    };
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
        .and_then(|()| std::fs::write(&schema_file, schema).map_err(|e| format!("{}: {e}", schema_file.display())));
    if let Err(message) = written {
        return failed(message);
    }
    let name = path.display();
    say(&format!(
        "{name} and {} written. Next:\n  impakt check {name} --draw set-up.svg\n  impakt run {name}",
        schema_file.display()
    ));
    ExitCode::SUCCESS
}
