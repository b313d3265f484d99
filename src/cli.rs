//! Arguments and exit codes: 0 done, 1 the run failed, 2 the input is wrong.

mod author;
mod check;
mod contact;
mod display;
mod output;
mod post;
mod run;
mod stop;
mod sweep;
mod task;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use output::{closing, said, say, wrong_input};

/// Impact and contact of deformable bodies.
#[derive(Parser)]
#[command(version, about, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  impakt new drop
  impakt check cases/vgroove/a_frictionless.yaml --draw set-up.svg
  impakt run cases/vgroove/b_friction_02.yaml --set contacts.*.friction=0.3 -o results/mu03.vtkhdf
  impakt post results/mu03.vtkhdf --plot figures --csv history.csv
  impakt sweep cases/vgroove/b_friction_02.yaml --set contacts.*.friction=0,0.1,0.2,0.3,0.4
  impakt contact problem.hdf5 --solver all --tol 1e-8

`impakt <command> --help` has more. RUST_LOG=info or debug says more while running.";

#[derive(Subcommand)]
enum Command {
    /// Run a case and write its result file
    #[command(after_help = run::EXAMPLES)]
    Run(run::RunArguments),
    /// Read a case, build its model and say what would run
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArguments),
    /// Energy ledger, dissipation, extremes and rebound of results; charts and tables
    #[command(after_help = post::EXAMPLES)]
    Post(post::PostArguments),
    /// A parameter study, here or on a scheduler: combinations, lists or samples; tables, charts, sensitivities
    #[command(after_help = sweep::EXAMPLES)]
    Sweep(sweep::SweepArguments),
    /// Solve stored friction-contact problems (FCLIB files) and print how well and how fast
    Contact(contact::ContactArguments),
    /// The JSON Schema of the case file, for editors
    #[command(after_help = author::SCHEMA_EXAMPLES)]
    Schema(author::SchemaArguments),
    /// Write a commented starter case
    #[command(after_help = author::NEW_EXAMPLES)]
    New(author::NewArguments),
    /// Completions for a shell, to standard output
    #[command(
        after_help = "Examples:\n  impakt completions bash > ~/.local/share/bash-completion/completions/impakt\n  \
        impakt completions zsh > ~/.zfunc/_impakt\n  impakt completions fish > ~/.config/fish/completions/impakt.fish"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Runs the command.
pub fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // clap's own code: 0 for help and version, 2 for a wrong command line
            if let Err(lost) = error.print()
                && !error.use_stderr()
            {
                said(&lost);
            }
            return closing(ExitCode::from(error.exit_code() as u8));
        }
    };
    closing(match arguments.command {
        Command::Run(arguments) => run::run_case(&arguments),
        Command::Check(arguments) => check::check_case(&arguments),
        Command::Post(arguments) => post::post_results(&arguments),
        Command::Sweep(arguments) => sweep::sweep_case(&arguments),
        Command::Contact(arguments) => contact::solve_files(&arguments),
        Command::Schema(arguments) => author::print_schema(&arguments),
        Command::New(arguments) => author::new_case(&arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "impakt", &mut script);
            say(String::from_utf8_lossy(&script).trim_end());
            ExitCode::SUCCESS
        }
    })
}
