#!/usr/bin/env bash
# Sets up everything the project needs beyond Rust, a C compiler and Python 3: a virtual environment in .venv with cmake
# (HDF5 is built from the sources its crate carries) and the readers and plotters of tests and studies. Needs no root.
#
#   scripts/setup.sh              cmake, h5py, numpy, matplotlib, vtk, pyvista, markdown, jsonschema; as root also Debian's chromium
#   scripts/setup.sh --paraview   also ParaView, a virtual display and ffmpeg from Debian's packages (root; 250 MB to load, 1.4 GB
#                                 on disk), for scripts/paraview/ and its test
#
# Safe to call again: it does nothing when the environment already has what is asked for.
set -euo pipefail
cd "$(dirname "$0")/.."

paraview=no
for argument in "$@"; do
  case "$argument" in
    --paraview) paraview=yes ;;
    *) echo "setup: unknown argument $argument; there is --paraview" >&2; exit 2 ;;
  esac
done

need() { command -v "$1" >/dev/null || { echo "setup: $1 is missing: $2" >&2; exit 1; }; }
need cargo "install Rust (rustup)"
need python3 "install Python 3.9 or newer"
command -v cc >/dev/null || command -v gcc >/dev/null || { echo "setup: a C compiler is missing" >&2; exit 1; }

if [ "$paraview" = yes ] && ! { command -v pvpython && command -v xvfb-run; } >/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "setup: installing ParaView"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      python3-paraview xvfb xauth ffmpeg >/dev/null
  else
    echo "setup: --paraview needs root and apt-get; elsewhere install ParaView yourself and put pvpython on the PATH" >&2
    exit 1
  fi
fi

stamp=.venv/.impakt-requirements
wanted=$(sha256sum scripts/requirements.txt | cut -d' ' -f1)
if [ -x .venv/bin/cmake ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
echo "setup: creating .venv"
if ! python3 -m venv .venv 2>/dev/null; then
  # Debian keeps venv in a package of its own
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -qq && apt-get install -y -qq python3-venv
    python3 -m venv .venv
  else
    echo "setup: python3 -m venv failed; install python3-venv" >&2
    exit 1
  fi
fi
.venv/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check --requirement scripts/requirements.txt

# VTK draws through the system's OpenGL, which a bare machine may lack.
draws() {
  .venv/bin/python -c 'import pyvista as p; q = p.Plotter(off_screen=True); q.add_mesh(p.Sphere()); q.screenshot(return_img=True)' \
    >/dev/null 2>&1
}
if ! draws; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "setup: installing the libraries VTK draws with"
    apt-get update -qq && apt-get install -y -qq libgl1 libegl1 libgl1-mesa-dri libxrender1
  fi
  draws || echo "setup: VTK cannot draw on this machine (libgl1, libegl1 and libgl1-mesa-dri help); its tests will fail" >&2
fi

# The HTML report is tested in a real browser; without one its test says so and goes on.
if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null && ! command -v google-chrome >/dev/null; then
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    echo "setup: installing chromium for the test of HTML reports"
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium \
      || echo "setup: chromium could not be installed; HTML reports are not tested in a browser" >&2
  else
    echo "setup: no chromium here; HTML reports are not tested in a browser" >&2
  fi
fi
echo "$wanted" > "$stamp"
