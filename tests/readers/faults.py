#!/usr/bin/env python3
"""Lets every call that changes a result file fail in every way, and shows that nothing is lost.

    faults.py [--every N] [--kinds kill,partial,...] [--scenes first,again,restart] IMPAKT CASE FOLDER [--set ...]

Three scenes: a first run, a run over an older result, and a restart of an interrupted one. Each is run once to count its
calls, then again and again with a fault in the n-th of them (see faults.c; only every N-th is tried). After each fault, if
there is a result file at all (there must be one unless the first run had no name for it yet):

- h5py and VTK read all that it announces, and that is what the undisturbed run wrote;
- `impakt post` reports on it;
- `impakt run --restart` goes on from it and ends with the history of the undisturbed run, bit by bit;
- no temporary file is left.

The exit status is the number of faults after which any of this fails (at most 100).
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np

from killed_states import judge, numbers

KINDS = ["kill", "partial", "short", "eio", "enospc"]
NAME = "b.vtkhdf"


def history(path):
    """All columns of the history, as far as they are announced."""
    found = {}
    with h5py.File(path, "r", locking=False) as h5:
        rows = int(h5["history"].attrs["rows"])
        h5["history"].visititems(
            lambda name, item: found.update({name: item[:rows]}) if isinstance(item, h5py.Dataset) else None
        )
    return found


def same(a, b):
    """Whether two histories are the same, bit by bit."""
    return a.keys() == b.keys() and all(x.tobytes() == b[name].tobytes() for name, x in a.items())


class Bench:
    """A folder in which one scene after the other is played."""

    def __init__(self, args, shim):
        self.args, self.shim = args, shim
        self.folder = args.folder / "scene"
        self.result = self.folder / NAME
        self.kept = {}

    def run(self, *more, fault=None):
        """Calls `impakt run`."""
        command = [self.args.impakt, "run", self.args.case, "-o", self.result, "--quiet", "--threads", "1"]
        environment = dict(os.environ)
        if fault:
            kind, number, log = fault
            environment |= {
                "LD_PRELOAD": str(self.shim),
                "FAULT_FILE": NAME,
                "FAULT_KIND": kind,
                "FAULT_AT": str(number),
                "FAULT_LOG": str(log),
            }
        sets = [word for pair in self.args.set for word in ("--set", pair)]
        return subprocess.run([*command, *sets, *more], env=environment, capture_output=True, text=True)

    def prepare(self, scene):
        """What is there before the scene begins, and what the command gets besides."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        if scene in self.kept:
            shutil.copy(self.kept[scene], self.result)
        return ["--restart"] if scene == "restart" else []

    def problems(self, scene, finished, code):
        """What is wrong after a fault."""
        if not self.result.exists():
            return "" if scene == "first" and code != 0 else "there is no result file"
        said = judge(self.result, *finished["numbers"])
        if said:
            return said
        post = subprocess.run([self.args.impakt, "post", self.result], capture_output=True, text=True)
        if post.returncode:
            return f"post: {post.stderr.strip()[-300:]}"
        again = self.run("--restart")
        if again.returncode:
            return f"restart: {again.stderr.strip()[-300:]}"
        if not same(history(self.result), finished["history"]):
            return "the restarted run ends with another history"
        left = [entry.name for entry in self.folder.iterdir() if entry.suffix in (".part", ".lock")]
        return f"left behind: {left}" if left else ""


def play(bench, scene, kinds, every):
    """Plays a scene with all faults. Returns how many were tried and how many did harm."""
    log = bench.args.folder / "calls"
    more = bench.prepare(scene)
    log.unlink(missing_ok=True)
    done = bench.run(*more, fault=("none", 0, log))
    if done.returncode:
        sys.exit(f"{scene}: the undisturbed run fails: {done.stderr}")
    calls = log.read_text().split()
    finished = {"numbers": numbers(bench.result), "history": history(bench.result)}
    counts = ", ".join(f"{calls.count(name)} {name}" for name in sorted(set(calls)))
    print(f"{scene}: {len(calls)} calls: {counts}", flush=True)
    tried = failed = 0
    for kind in kinds:
        for number in range(1, len(calls) + 1, every):
            bench.prepare(scene)
            code = bench.run(*more, fault=(kind, number, "")).returncode
            said = bench.problems(scene, finished, code)
            tried += 1
            if said:
                failed += 1
                print(f"FAIL {scene}, {kind} at call {number} ({calls[number - 1]}): {said}", flush=True)
    return tried, failed


def main():
    """Plays the scenes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--scenes", default="first,again,restart")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("impakt", type=pathlib.Path)
    parser.add_argument("case", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    shim = args.folder / "faults.so"
    source = pathlib.Path(__file__).with_name("faults.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    bench = Bench(args, shim.resolve())
    # an older result, and one that was killed in the midst of the run
    bench.prepare("first")
    bench.run()
    bench.kept["again"] = shutil.copy(bench.result, args.folder / "older.vtkhdf")
    log = args.folder / "calls"
    log.unlink(missing_ok=True)
    bench.prepare("first")
    bench.run(fault=("none", 0, log))
    middle = len(log.read_text().split()) * 2 // 3
    bench.prepare("first")
    bench.run(fault=("kill", middle, ""))
    bench.kept["restart"] = shutil.copy(bench.result, args.folder / "killed.vtkhdf")
    tried = failed = 0
    for scene in args.scenes.split(","):
        more = play(bench, scene, args.kinds.split(","), args.every)
        tried, failed = tried + more[0], failed + more[1]
    print(f"{tried - failed} of {tried} faults did no harm")
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())
