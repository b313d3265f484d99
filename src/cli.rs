//! Arguments, progress and exit codes: 0 done, 1 the run failed, 2 the input is wrong.

mod contact;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use impakt::case::{self, Case};
use impakt::post;
use impakt::simulation::{Progress, RunError, RunOptions, Summary, run};
use indicatif::{ProgressBar, ProgressStyle};

/// Impact and contact of deformable bodies.
#[derive(Parser)]
#[command(version, about, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  impakt run cases/vgroove/a_frictionless.yaml
  impakt run cases/vgroove/b_friction_02.yaml --set contacts.*.friction=0.3 -o results/mu03.vtkhdf
  impakt check cases/vgroove/a_frictionless.yaml
  impakt post results/a_frictionless.vtkhdf --csv history.csv
  impakt contact problem.hdf5 --solver all --tol 1e-8";

#[derive(Subcommand)]
enum Command {
    /// Run a case and write its result file
    Run(RunArguments),
    /// Read a case, build its model and say what would run
    Check(CheckArguments),
    /// Energy ledger, extremes and history of a result file
    Post(PostArguments),
    /// Solve stored friction-contact problems (FCLIB files) and print how well and how fast
    Contact(contact::ContactArguments),
}

#[derive(Args)]
struct RunArguments {
    /// Case file
    case: PathBuf,
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
    /// No progress bar and no summary
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
struct CheckArguments {
    /// Case file
    case: PathBuf,
    /// Change a value of the case
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
}

#[derive(Args)]
struct PostArguments {
    /// Result file
    result: PathBuf,
    /// Write the whole history as comma-separated values
    #[arg(long)]
    csv: Option<PathBuf>,
}

/// Runs the command.
pub fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // clap's own code: 0 for help and version, 2 for a wrong command line
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    match arguments.command {
        Command::Run(arguments) => run_case(&arguments),
        Command::Check(arguments) => check(&arguments),
        Command::Post(arguments) => post_result(&arguments),
        Command::Contact(arguments) => contact::solve_files(&arguments),
    }
}

/// Reads `every=N`.
fn dump_every(text: &str) -> Result<u64, String> {
    let number = text.strip_prefix("every=").ok_or("expected every=N, such as every=10")?;
    match number.parse() {
        Ok(0) | Err(_) => Err(format!("`{number}` is not a number of steps: expected a whole number from 1 on")),
        Ok(every) => Ok(every),
    }
}

fn wrong_input(message: impl std::fmt::Display) -> ExitCode {
    eprintln!("{}", message.to_string().trim_end());
    ExitCode::from(2)
}

/// Writes to standard output; a reader that went away (`impakt post … | head`) is not an error.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

fn run_case(arguments: &RunArguments) -> ExitCode {
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
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // without a handler Ctrl-C still leaves a readable file, only without its last steps
    if let Err(error) = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)) {
        log::warn!("Ctrl-C is not handled: {error}");
    }
    let mut display = Display::new(&case, arguments.quiet);
    let options = RunOptions { output: Some(output.clone()), dump_contact: arguments.dump_contact };
    let outcome = run(&case, &options, &mut |progress| {
        display.update(progress);
        !interrupted.load(Ordering::Relaxed)
    });
    display.finish();
    match outcome {
        Ok(summary) => {
            if !arguments.quiet {
                say(&describe(&case, &summary, &output));
            }
            // a case changed by --set promises nothing
            let broken: Vec<_> = summary.verdicts.iter().filter(|v| !v.holds()).collect();
            if broken.is_empty() || !arguments.sets.is_empty() {
                return ExitCode::SUCCESS;
            }
            for verdict in broken {
                eprintln!("error: a promise of the case does not hold: {verdict}");
            }
            ExitCode::FAILURE
        }
        Err(RunError::Case(error)) => wrong_input(error),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Refuses to write where something would be lost that is not an older result.
fn check_output(output: &Path, case: &Path) -> Result<(), String> {
    let name = output.display();
    if output.extension().is_some_and(|e| e == "xdmf") {
        return Err(format!("error: -o {name}: the sidecar takes that name; choose another ending, such as .vtkhdf"));
    }
    let Ok(metadata) = std::fs::metadata(output) else { return Ok(()) };
    let same = std::fs::canonicalize(output).ok().zip(std::fs::canonicalize(case).ok()).is_some_and(|(a, b)| a == b);
    if same {
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

fn describe(case: &Case, summary: &Summary, output: &Path) -> String {
    let end = &summary.ledger;
    // a run that starts at rest is measured by what was put in
    let reference = summary.initial_energy.max(end.external_work.abs()).max(end.total());
    let share =
        |value: f64| if reference > 0.0 { format!("{:>9.4} %", 100.0 * value / reference) } else { String::new() };
    let mut text = format!(
        "{}\n  {} steps, {:.2} Newton iterations and {:.1} contact iterations a step, {:.3} s\n",
        case.title,
        summary.steps,
        summary.newton_iterations as f64 / summary.steps as f64,
        summary.contact_iterations as f64 / summary.steps as f64,
        summary.seconds
    );
    text += &format!("  energy at the start        {:>14.6e} J\n", summary.initial_energy);
    for (name, value) in [
        ("kinetic energy", end.kinetic),
        ("strain energy", end.strain),
        ("energy of springs", end.spring),
        ("work of loads and supports", end.external_work),
        ("work of normal reactions", end.contact_work),
        ("lost to friction", end.friction),
        ("lost to damping", end.damping),
        ("lost to the scheme", end.numerical),
    ] {
        text += &format!("  {name:<26} {value:>14.6e} J  {}\n", share(value));
    }
    text += &format!("  ledger error (largest)     {:>14.6e} J\n", summary.largest_error);
    text += &format!("  deepest penetration        {:>14.6e} m\n", summary.largest_penetration);
    text += &format!("  contact residual (largest) {:>14.6e}\n", summary.largest_contact_residual);
    for verdict in &summary.verdicts {
        text += &format!("  {verdict}\n");
    }
    text += &format!("  result: {}", output.display());
    text
}

/// A bar on a terminal, a line a second elsewhere.
struct Display {
    bar: Option<ProgressBar>,
    quiet: bool,
    last: Instant,
    title: String,
}

impl Display {
    fn new(case: &Case, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::new(1_000_000);
            let style = ProgressStyle::with_template("{prefix} [{bar:30}] {percent:>3} % {msg}  ETA {eta}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
            bar.set_prefix(case.name.clone());
            bar
        });
        Display { bar, quiet, last: Instant::now(), title: case.name.clone() }
    }

    fn update(&mut self, p: &Progress) {
        if self.quiet {
            return;
        }
        let pause = if self.bar.is_some() { Duration::from_millis(50) } else { Duration::from_secs(1) };
        if self.last.elapsed() < pause && p.time < p.end {
            return;
        }
        self.last = Instant::now();
        let message = format!(
            "t = {:.4e} s  step {}  newton {}  contact {} ({} points)  drift {:+.2e}",
            p.time, p.step, p.newton, p.contact, p.touching, p.drift
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position((1e6 * p.time / p.end) as u64);
                bar.set_message(message);
            }
            None => eprintln!("{}: {message}", self.title),
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish();
        }
    }
}

fn check(arguments: &CheckArguments) -> ExitCode {
    let checked = case::read(&arguments.case, &arguments.sets).and_then(|c| case::build(&c).map(|model| (c, model)));
    match checked {
        Ok((case, model)) => {
            say(&post::preview::describe(&case, model));
            ExitCode::SUCCESS
        }
        Err(error) => wrong_input(error),
    }
}

fn post_result(arguments: &PostArguments) -> ExitCode {
    match post::ledger::report(&arguments.result) {
        Ok(report) => say(&report),
        Err(error) => return wrong_input(format!("error: {error}")),
    }
    if let Some(csv) = &arguments.csv {
        let same = |a: &Path, b: &Path| std::fs::canonicalize(a).ok().zip(std::fs::canonicalize(b).ok());
        if same(csv, &arguments.result).is_some_and(|(a, b)| a == b) {
            return wrong_input(format!("error: --csv {}: that is the result file", csv.display()));
        }
        if let Err(error) = post::csv::write(&arguments.result, csv) {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
        say(&format!("history: {}", csv.display()));
    }
    ExitCode::SUCCESS
}
