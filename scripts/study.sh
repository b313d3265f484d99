#!/usr/bin/env bash
# The V-groove study from nothing: set-up, build, the three runs, the table beside the published one, the figures.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
cargo build --release --locked --quiet
for case in a_frictionless b_friction_02 c_friction_04; do
  target/release/impakt run "cases/vgroove/$case.yaml" --threads 1
done
.venv/bin/python scripts/vgroove_study.py results/{a_frictionless,b_friction_02,c_friction_04}.vtkhdf --out results/vgroove
