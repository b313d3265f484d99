#!/usr/bin/env bash
# A study with GNU parallel, on this machine or on several (--sshlogin through PARALLEL).
#
#   scripts/schedulers/parallel.sh my.yaml --set 'contacts.*.friction=0,0.1,0.2' -o study
#
# JOBS is the number of runs at a time [default: one for each core]. Called again, it does only what is missing.
set -uo pipefail
impakt=${IMPAKT:-impakt}
runs=$("$impakt" sweep "$@" --list) || exit
# a run that fails is named when all is collected; the others go on
parallel --jobs "${JOBS:-100%}" --will-cite <<<"$runs"
exec "$impakt" sweep "$@" --collect
