#!/usr/bin/env bash
# Runs dissipation.py beside it in ParaView, under a virtual display if there is no other. Arguments go to the script:
#
#   scripts/paraview/dissipation.sh RESULT.vtkhdf [--out DIR] [--frames N | --time T] [--field NAME] [--from X,Y,Z]
#
# Exit code 3: ParaView is not installed.
set -euo pipefail
script="$(dirname "$0")/dissipation.py"
missing() { echo "dissipation: $1 is not installed; scripts/setup.sh --paraview installs it on Debian" >&2; exit 3; }
command -v pvpython >/dev/null || missing pvpython
if [ -n "${DISPLAY:-}" ]; then
  exec pvpython "$script" "$@"
fi
command -v xvfb-run >/dev/null || missing xvfb-run
# -noreset: ParaView leaves and comes back, and a server that starts anew in between refuses it
exec xvfb-run -a -s "-screen 0 1600x1200x24 -noreset" pvpython "$script" "$@"
