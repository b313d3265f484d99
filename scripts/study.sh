#!/usr/bin/env bash
# The V-groove study from nothing: set-up, build, the three runs, the table beside the published one, the figures.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
cargo build --release --locked --quiet
cases="a_frictionless b_friction_02 c_friction_04"
results() { for case in $cases; do echo "results/$1$case.vtkhdf"; done; }

for case in $cases; do
  target/release/impakt run "cases/vgroove/$case.yaml" --threads 1
done
# Table 1 is a value of one mesh and step: the same with half the element size and half the step stands beside it
for case in $cases; do
  echo "finer: $case"
  target/release/impakt run "cases/vgroove/$case.yaml" -o "results/finer_$case.vtkhdf" --quiet \
    --set bodies.cylinder.mesh.disc.core=16 --set bodies.cylinder.mesh.disc.layers=8 \
    --set time.step=5.0e-6 --set output.every=5.0e-4
done
# shellcheck disable=SC2046
.venv/bin/python scripts/vgroove_study.py $(results "") --finer $(results finer_) --out results/vgroove
