#!/usr/bin/env bash
# A study as a job array of Slurm: each job does its share, tables are made when all have ended.
#
#   job=$(sbatch --parsable --array=1-8 scripts/schedulers/slurm.sh my.yaml --set 'contacts.*.friction=0,0.1,0.2' -o study)
#   sbatch --dependency=afterany:"$job" scripts/schedulers/slurm.sh my.yaml --set 'contacts.*.friction=0,0.1,0.2' -o study --collect
#
# Submitted again, the array does only what is missing. Slurm sends SIGTERM before the time limit: runs then leave a checkpoint
# from which the next array goes on. Single jobs of an array are submitted again with the share said aloud (--shard 3/8), as
# Slurm tells them only of the array they are in now.
#SBATCH --job-name=impakt
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
set -euo pipefail
impakt=${IMPAKT:-impakt}
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  exec "$impakt" sweep "$@" --shard auto --jobs "${SLURM_CPUS_PER_TASK:-1}" --threads 1
fi
exec "$impakt" sweep "$@"
