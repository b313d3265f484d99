#!/usr/bin/env bash
# Everything CI asks for, from nothing: set-up, form (fmt, clippy, docs), build, all tests.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
cargo fmt --check
# one profile for everything: HDF5 is compiled once
cargo clippy --release --locked --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --no-deps --document-private-items --quiet
# --all-targets would run the benchmarks; doc examples come with the library
cargo test --release --locked --no-fail-fast
