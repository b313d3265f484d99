//! `impakt check`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use impakt::case;
use impakt::post;

use super::output::{check_made, failed, say, too_large, wrong_input};

/// Shown below the options.
pub(super) const EXAMPLES: &str = "Examples:
  impakt check my.yaml
  impakt check my.yaml --set bodies.block.velocity=[0,-5] --draw set-up.svg

The drawing (SVG, or PNG by its ending) shows meshes, obstacles, surfaces that may touch, supports, loaded sets and initial
velocities.";

#[derive(Args)]
pub(super) struct CheckArguments {
    /// Case file
    case: PathBuf,
    /// Change a value of the case
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Draw the set-up into this file: mesh, obstacles, contact zones, supports, initial velocities
    #[arg(long, value_name = "FILE.svg")]
    draw: Option<PathBuf>,
}

/// Says what would run, and draws it.
pub(super) fn check_case(arguments: &CheckArguments) -> ExitCode {
    if let Some(drawing) = &arguments.draw
        && let Err(message) = check_made("--draw", drawing, &[&arguments.case])
    {
        return wrong_input(message);
    }
    let case = match case::read(&arguments.case, &arguments.sets) {
        Ok(case) => case,
        Err(error) => return wrong_input(error),
    };
    if let Some(task) = &case.task {
        return super::task::check_task(&case, task);
    }
    let model = match case::build(&case) {
        Ok(checked) => checked,
        Err(error) if error.of_machine => return too_large(&error),
        Err(error) => return wrong_input(error),
    };
    if let Some(drawing) = &arguments.draw
        && let Err(error) = post::drawing::write(&case, &model, drawing)
    {
        return failed(error);
    }
    let (text, fits) = post::preview::describe(&case, model);
    say(&text);
    if let Some(drawing) = &arguments.draw {
        say(&format!("drawing: {}", drawing.display()));
    }
    match fits {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(error),
    }
}
