#!/usr/bin/env bash
# Everything CI asks for, from nothing: set-up, form (fmt, clippy, docs), build, all tests.
#
#   scripts/check.sh              the test of ParaView's script runs if pvpython is there, and says so if not
#   scripts/check.sh --paraview   installs ParaView first (see scripts/setup.sh) and insists on that test
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh "$@"
case " $* " in *" --paraview "*) export IMPAKT_PARAVIEW=required ;; esac
cargo fmt --check
# one profile for everything: HDF5 is compiled once
cargo clippy --release --locked --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --no-deps --document-private-items --quiet
# the tests write down what they assert; the report is made from that, also when one fails
rm -rf target/tmp/verification
report() { scripts/verification_report.py || true; }
trap report EXIT
# --all-targets would run the benchmarks; doc examples come with the library
cargo test --release --locked --no-fail-fast
