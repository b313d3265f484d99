//! The command `impakt`.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo))]

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}
