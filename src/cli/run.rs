//! `impakt run`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use impakt::case::expect::{Verdict, verdicts};
use impakt::case::{self, Case};
use impakt::simulation::{RunError, RunOptions, Summary};

use super::display::Display;
use super::output::{check_made, check_output, failed, say, tell, too_large, wrong_input};
use super::stop;

/// Shown below the options.
pub(super) const EXAMPLES: &str = "Examples:
  impakt run cases/vgroove/b_friction_02.yaml
  impakt run my.yaml --set contacts.*.friction=0.3 --set time.end=1e-3 -o results/mu03.vtkhdf
  impakt run my.yaml --quiet --log run.log
  impakt run my.yaml --restart --set time.end=0.02     makes a finished run longer
  RUST_LOG=info impakt run my.yaml             when contact begins and ends, checkpoints; debug: every step

Ctrl-C, SIGTERM and SIGHUP finish the step and close the file; the same command with --restart goes on from there. A run that
was killed goes on from its last checkpoint (one every 30 s, see output.checkpoint).
Exit codes: 0 done, 1 the run failed or a promise of the case does not hold, 2 the input is wrong.";

#[derive(Args)]
pub(super) struct RunArguments {
    /// Case file
    pub(super) case: PathBuf,
    /// Result file [default: results/<case name>.vtkhdf]
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Change a value of the case: dotted path, `*` for every item (contacts.*.friction=0.2)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Threads to use [default: all cores]; results do not depend on it
    #[arg(long)]
    threads: Option<usize>,
    /// Write the contact problem of every N-th step that has one, as FCLIB files beside the result (<name>-contact/)
    #[arg(long, value_name = "every=N", value_parser = dump_every)]
    dump_contact: Option<u64>,
    /// Go on from where the result file ends: an interrupted or killed run, or a finished one with a later time.end
    #[arg(long)]
    restart: bool,
    /// No progress and no summary
    #[arg(long)]
    quiet: bool,
    /// Write progress (a line a second) and the summary to a file, also when quiet
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// Reads `every=N`.
fn dump_every(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("every=").ok_or("expected every=N, such as every=10")?;
    match number.parse() {
        Ok(0) | Err(_) => Err(format!("`{number}` is not a number of steps: expected a whole number from 1 on")),
        Ok(every) => Ok(every),
    }
}

/// Runs a case.
pub(super) fn run_case(arguments: &RunArguments) -> ExitCode {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // without a handler Ctrl-C still leaves a readable file, only without its last steps
    stop::when_told(move || flag.store(true, Ordering::Relaxed));
    if let Some(threads) = arguments.threads {
        if threads == 0 || threads > 1024 {
            return wrong_input(format!("error: --threads {threads}: must be between 1 and 1024"));
        }
        if let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global() {
            return wrong_input(format!("error: --threads {threads}: {error}"));
        }
    }
    let case = match case::read(&arguments.case, &arguments.sets) {
        Ok(case) => case,
        Err(error) => return wrong_input(error),
    };
    let output = arguments.output.clone().unwrap_or_else(|| Path::new("results").join(format!("{}.vtkhdf", case.name)));
    if let Err(message) = check_output(&output, &arguments.case) {
        return wrong_input(message);
    }
    if let Some(log) = &arguments.log
        && let Err(message) = check_made("--log", log, &[&arguments.case, &output])
    {
        return wrong_input(message);
    }
    if let Some(task) = &case.task {
        return super::task::run_task(&case, task, &output, arguments.quiet);
    }
    let mut display = match Display::new(&case.name, arguments.quiet, arguments.log.as_deref()) {
        Ok(display) => display,
        Err(error) => {
            let log = arguments.log.as_deref().unwrap_or(Path::new(""));
            let message = format!("--log {}: {error}", log.display());
            return match error.kind() {
                ErrorKind::StorageFull => failed(message),
                _ => wrong_input(format!("error: {message}")),
            };
        }
    };
    let options =
        RunOptions { output: Some(output.clone()), restart: arguments.restart, dump_contact: arguments.dump_contact };
    let simulation = match case::simulation(&case) {
        Ok(simulation) => simulation,
        Err(error) => {
            display.finish();
            return if error.of_machine { too_large(&error) } else { wrong_input(error) };
        }
    };
    let outcome = simulation.run(&options, &mut |progress| {
        display.update(progress);
        !interrupted.load(Ordering::Relaxed)
    });
    display.finish();
    match outcome {
        Ok(summary) => {
            let verdicts = verdicts(&case, &summary.history);
            let text = describe(&case, &summary, &verdicts, &output);
            display.log(&text);
            if !arguments.quiet {
                say(&text);
            }
            // a case changed by --set promises nothing
            let broken: Vec<_> = verdicts.iter().filter(|v| !v.holds()).collect();
            if broken.is_empty() || !arguments.sets.is_empty() {
                return ExitCode::SUCCESS;
            }
            for verdict in broken {
                tell(&format!("error: a promise of the case does not hold: {verdict}"));
            }
            ExitCode::FAILURE
        }
        Err(error @ RunError::Restart { .. }) => wrong_input(format!("error: {error}")),
        Err(error) => {
            display.log(&format!("error: {error}"));
            failed(error)
        }
    }
}

fn describe(case: &Case, summary: &Summary, verdicts: &[Verdict], output: &Path) -> String {
    let end = &summary.ledger;
    // a run that starts at rest is measured by what was put in
    let reference = summary.initial_energy.max(end.external_work.abs()).max(end.total());
    let share =
        |value: f64| if reference > 0.0 { format!("{:>9.4} %", 100.0 * value / reference) } else { String::new() };
    let a_step = |count: u64| count as f64 / summary.steps as f64;
    let work = match summary.contact_rounds {
        Some(rounds) => format!("{:.2} rounds of contact", a_step(rounds)),
        None => format!(
            "{:.2} Newton iterations ({:.2} new factors)",
            a_step(summary.newton_iterations),
            a_step(summary.linearisations)
        ),
    };
    let mut text = format!(
        "{}\n  {} steps, {work} and {:.1} contact iterations a step, {:.3} s\n",
        case.title,
        summary.steps,
        a_step(summary.contact_iterations),
        summary.seconds
    );
    text += &format!("  energy at the start         {:>14.6e} J\n", summary.initial_energy);
    // what a case does not have is not listed
    let rare = ["energy of springs", "energy of hourglass control", "lost to damping", "lost to plastic flow"];
    for (name, value) in [
        ("kinetic energy", end.kinetic),
        ("strain energy", end.strain),
        ("energy of springs", end.spring),
        ("energy of hourglass control", end.hourglass),
        ("work of loads and supports", end.external_work),
        ("work of normal reactions", end.contact_work),
        ("lost to friction", end.friction),
        ("lost to damping", end.damping),
        ("lost to plastic flow", end.plastic),
        ("lost to the scheme", end.numerical),
    ] {
        if value == 0.0 && rare.contains(&name) {
            continue;
        }
        text += &format!("  {name:<27} {value:>14.6e} J  {}\n", share(value));
    }
    text += &format!("  ledger error (largest)      {:>14.6e} J\n", summary.largest_error);
    let beyond = if summary.beyond { "  beyond the bound: see /history/max_penetration" } else { "" };
    text += &format!("  deepest penetration         {:>14.6e} m{beyond}\n", summary.largest_penetration);
    text += &format!("  contact residual (largest)  {:>14.6e}\n", summary.largest_contact_residual);
    for verdict in verdicts {
        text += &format!("  {verdict}\n");
    }
    text += &format!("  result: {}", output.display());
    text
}
