#!/usr/bin/env python3
"""A study with Dask: each run is a task, on workers of this machine or of a cluster that is there.

    scripts/schedulers/dask_study.py [--workers 2] [--scheduler tcp://host:8786] my.yaml --set 'contacts.*.friction=0,0.1,0.2' -o study

Workers of a cluster need the program, the case and the folder under the same paths. IMPAKT names the program."""

import argparse
import json
import os
import subprocess
import sys

from dask.distributed import Client, LocalCluster, as_completed


def run(command):
    """Does one run; what it is told goes back with it."""
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--scheduler")
    options, study = parser.parse_known_args()
    sweep = [os.environ.get("IMPAKT", "impakt"), "sweep", *study]
    listed = subprocess.run([*sweep, "--list", "--json"], stdout=subprocess.PIPE, text=True)
    if listed.returncode:
        sys.exit(listed.returncode)
    runs = [json.loads(line)["command"] for line in listed.stdout.splitlines()]
    # workers have nothing to do but wait for their processes
    local = {"n_workers": options.workers, "threads_per_worker": 1, "dashboard_address": None}
    with Client(options.scheduler or LocalCluster(**local)) as client:
        for future in as_completed(client.map(run, runs, pure=False)):
            code, said = future.result()
            if code:
                print(said, file=sys.stderr)
    sys.exit(subprocess.run([*sweep, "--collect"]).returncode)


if __name__ == "__main__":
    main()
