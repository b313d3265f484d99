#!/usr/bin/env bash
# The user guide as plain HTML: results/guide/index.html, to be opened from disk. Everything that can be is made from what is
# there: the keys of a case file by the program (`impakt schema --markdown`), the verification report by the last run of the
# tests, gallery and figures from result files.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
cargo build --release --locked --quiet
.venv/bin/python scripts/guide.py "$@"
