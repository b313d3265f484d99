#!/usr/bin/env python3
"""Damages result files in every way that keeps them HDF5, and shows that `post` and `--restart` say so instead of dying.

    damaged.py [--count N] [--seed S] IMPAKT CASE RESULT.vtkhdf FOLDER [--set ...]

RESULT.vtkhdf is that of an interrupted run of CASE. Each of N copies has one dataset or attribute of /VTKHDF, /history,
/parts, /case or /checkpoint cut, reshaped, negated, filled with what is no number, made enormous, swapped with another or
removed. `impakt post --html` and `impakt run --restart` then must end with 0 (where what is damaged does not matter to
them), 1 or 2, and with a message that names the file where it is not 0; never by a signal, a panic or after a minute.
A damaged checkpoint must be refused. The exit status is the number of copies that break this (at most 100).
"""

import argparse
import pathlib
import random
import shutil
import subprocess
import sys

import h5py
import numpy as np


def members(h5):
    """Paths of all datasets, and of all attributes as (path, name)."""
    datasets, attributes = [], []

    def visit(name, item):
        attributes.extend((name, key) for key in item.attrs)
        if isinstance(item, h5py.Dataset):
            datasets.append(name)

    h5.visititems(visit)
    return datasets, attributes


def put(h5, path, data, **more):
    """Replaces a dataset."""
    attrs = dict(h5[path].attrs)
    del h5[path]
    made = h5.create_dataset(path, data=data, **more)
    for key, value in attrs.items():
        made.attrs[key] = value


def damage(h5, rng):
    """Does one kind of harm. Returns what it was."""
    datasets, attributes = members(h5)
    if rng.random() < 0.15:
        path, key = rng.choice(attributes)
        value = rng.choice([-1, -(2**63), 2**62, float("nan"), np.bytes_(b"\xff\xfe"), None])
        del h5[path].attrs[key]
        if value is not None:
            h5[path].attrs[key] = value
        return f"attribute {key} of {path} = {value!r}"
    path = rng.choice(datasets)
    old = h5[path][()]
    kind = rng.choice(["cut", "empty", "flat", "turned", "deep", "negated", "nan", "huge", "text", "swapped", "gone"])
    if kind == "cut" and np.ndim(old):
        put(h5, path, old[: len(old) // 2])
    elif kind == "empty":
        put(h5, path, old[:0] if np.ndim(old) else np.zeros(0))
    elif kind == "flat":
        put(h5, path, np.ravel(old))
    elif kind == "turned" and np.ndim(old) == 2:
        put(h5, path, np.ascontiguousarray(old.T))
    elif kind == "deep":
        put(h5, path, np.zeros((2, 3, 4)))
    elif kind == "negated" and getattr(old, "dtype", np.dtype(object)).kind in "if":
        put(h5, path, -old)
    elif kind == "nan" and getattr(old, "dtype", np.dtype(object)).kind == "f":
        put(h5, path, np.full_like(old, np.nan))
    elif kind == "huge":
        del h5[path]
        h5.create_dataset(path, shape=(2**40,), maxshape=(None,), chunks=(1024,), dtype="f8")
    elif kind == "text":
        put(h5, path, np.array([b"\xff\xfe no text"] * 3, dtype=object), dtype=h5py.string_dtype())
    elif kind == "swapped":
        other = rng.choice(datasets)
        content = h5[other][()]
        if np.ndim(content) == 0 and content.dtype.kind == "O" if hasattr(content, "dtype") else True:
            put(h5, path, np.array([1.0]))
        else:
            put(h5, path, content)
    elif kind == "gone":
        del h5[path]
    else:
        put(h5, path, np.full(7, -3, dtype="i8"))
        kind = "other numbers"
    return f"{path}: {kind}"


def ends_well(done, name):
    """What is wrong with how a command ended."""
    said = done.stderr + done.stdout
    if done.returncode not in (0, 1, 2):
        return f"status {done.returncode}: {said.strip()[-300:]}"
    if "panicked" in said:
        return f"panic: {said.strip()[-300:]}"
    if done.returncode and name not in done.stderr:
        return f"does not name the file: {done.stderr.strip()[-300:]}"
    return ""


def main():
    """Damages and reads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("impakt", type=pathlib.Path)
    parser.add_argument("case", type=pathlib.Path)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(args.seed)
    failed, refused = 0, 0
    sets = [word for pair in args.set for word in ("--set", pair)]
    for number in range(args.count):
        file = args.folder / "damaged.vtkhdf"
        shutil.copy(args.result, file)
        with h5py.File(file, "r+") as h5:
            what = damage(h5, rng)
        bad = []
        commands = {
            "post": ["post", file, "--html", args.folder / "report.html", "--csv", args.folder / "history.csv"],
            "restart": ["run", args.case, "-o", file, "--restart", "--quiet", *sets],
        }
        for name, command in commands.items():
            try:
                done = subprocess.run([args.impakt, *command], capture_output=True, text=True, timeout=60)
            except subprocess.TimeoutExpired:
                bad.append(f"{name}: no end after a minute")
                continue
            refused += done.returncode != 0
            said = ends_well(done, "damaged.vtkhdf")
            if name == "restart" and what.startswith("checkpoint/") and "/" in what[11:] and done.returncode == 0:
                current = h5py.File(args.result, "r")["checkpoint"].attrs["current"]
                if what.startswith(f"checkpoint/{current}/") and "flat" not in what:
                    said = "a damaged checkpoint is taken up"
            if said:
                bad.append(f"{name}: {said}")
        if bad:
            failed += 1
            print(f"FAIL {number}, {what}: {'; '.join(bad)}", flush=True)
    print(f"{args.count - failed} of {args.count} damaged files are read or refused with a reason ({refused} refusals)")
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())
