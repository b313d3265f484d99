"""Runs a list of scenes, has each judged, and tells what came of them: for the scripts whose scenes are written down before they are run.

A scene is a case with its files, a group it is counted in and the size of its smaller body: the diagonal of its bounding box. A judge
reads the result file and gives `depth`, how deep anything is inside anything at the end of any output step by its own geometry, and
`path`, how deep something was on the straight way between two of them that is clear at both. What comes of a run:

    clean      done, nothing inside by more than 1e-9 of the smaller body's size
    bound      done, nothing inside by more than 1e-5 of it, and max_penetration of the run says at least half of the depth
    told       done, deeper than that, and max_penetration says at least half of the depth
    silent     done, deeper than 1e-9, and max_penetration says less than half of it
    passed     done, clear at the ends of the steps, but something went through on the way
    stopped    the command failed after the first contact
    early      it failed before anything touched
    unwarned   done, but parts that no contact names are inside each other, of which neither the history nor a warning speaks
    slow       not done after --limit seconds of the processor
    refused    the case was not accepted
    idle       done, but nothing ever touched: the scene shows nothing
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import math
import pathlib
import random
import resource
import signal
import subprocess
import time

import h5py
import numpy as np

from result_file import Frames

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXACT, BOUND, TOLD = 1e-9, 1e-5, 0.5
VERDICTS = ["clean", "bound", "told", "silent", "passed", "unwarned", "stopped", "early", "slow", "refused", "idle"]


@dataclasses.dataclass
class Scene:
    name: str
    group: str
    case: dict
    size: float
    files: dict = dataclasses.field(default_factory=dict)
    known: dict = dataclasses.field(default_factory=dict)


def options(doc, name):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="*", help="only scenes with one of these in their name")
    parser.add_argument("--list", action="store_true", help="the scenes, without running them")
    parser.add_argument("--sample", type=int, help="as many scenes, spread over all groups")
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "target/release/impakt")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "results" / name, help="where cases, results and the table go")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of the processor a run may take")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="changed in every case, as `impakt run --set`")
    parser.add_argument("--again", action="store_true", help="judges the results that are there instead of running")
    return parser


def chosen(scenes, args):
    """The scenes asked for; a sample takes the same share of each group, always the same ones."""
    if args.pattern:
        scenes = [s for s in scenes if any(p in s.name for p in args.pattern)]
    if not args.sample or args.sample >= len(scenes):
        return scenes
    groups = collections.defaultdict(list)
    for scene in scenes:
        groups[scene.group].append(scene)
    ranked = []
    for name, group in groups.items():
        order = sorted(group, key=lambda s: random.Random(s.name).random())
        ranked += [((k + 0.5) / len(order), name, s.name) for k, s in enumerate(order)]
    names = {name for _, _, name in sorted(ranked)[:args.sample]}
    return [s for s in scenes if s.name in names]


def prepare(scene, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in scene.files.items():
        (folder / file).write_text(text)
    (folder / f"{scene.name}.yaml").write_text(json.dumps({"title": scene.name} | scene.case, indent=1))


def reason(said):
    """The line of an error that says why, without what was tried."""
    line = next((line for line in said if "no step as short" in line), " ".join(said[-2:]))
    return line.split("succeeds: ")[-1].removeprefix("error: ")[:200]


def command(args, case, result, *more):
    """Runs a case on one thread; none if it took more than the limit, which counts seconds of the processor: others may work beside it."""
    changed = [word for change in args.set for word in ("--set", change)]
    arguments = [args.binary.resolve(), "run", case, "-o", result, "--quiet", "--threads", "1", *changed, *more]
    seconds = math.ceil(args.limit)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    run = subprocess.run(arguments, capture_output=True, text=True, preexec_fn=limit)
    return None if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else run


def outcome(scene, judge, args):
    """Runs one scene and judges it."""
    path, result = args.folder / f"{scene.name}.yaml", args.folder / f"{scene.name}.vtkhdf"
    row = {"name": scene.name, "group": scene.group, "size": scene.size, "exit": 0, "message": "", "depth": 0.0, "path": 0.0}
    began = time.time()
    if not args.again:
        prepare(scene, args.folder)
        result.unlink(missing_ok=True)
        run = command(args, path, result)
        if run is None:
            return row | {"verdict": "slow", "seconds": time.time() - began}
        said = run.stderr.strip().splitlines()
        row |= {"exit": run.returncode, "message": reason(said) if run.returncode else "", "seconds": time.time() - began}
        row["warnings"] = [line for line in said if "WARN" in line or line.startswith("warning")]
        if run.returncode == 2 or not result.is_file():
            return row | {"verdict": "refused"}
    with h5py.File(result) as file:
        history = {name: data[:] for name, data in file["history"].items() if isinstance(data, h5py.Dataset)}
        frames = Frames(file)
        if args.again:
            row["exit"] = int(file["case"].attrs.get("outcome", b"done") not in (b"done", "done"))
    row |= judge(scene, frames, history)
    row["undeclared_told"] = bool(history.get("undeclared_crossings", np.zeros(1)).any())
    forces = [np.abs(history[key]).max() for key in ("contact_force", "contacts_stick", "contacts_slip", "contact_iterations")
              if key in history]
    touched = bool(max(forces, default=0.0) > 0)
    row |= {"reported": float(history["max_penetration"].max()), "reached": float(history["time"][-1]),
            "rows": len(history["time"]) - 1, "touched": touched, "judged": time.time() - began - row.get("seconds", 0.0)}
    return row | {"verdict": verdict(row)}


def verdict(row):
    if row["exit"] != 0:
        return "stopped" if row["touched"] else "early"
    depth, told = row["depth"], row["reported"] >= TOLD * row["depth"]
    if depth > EXACT * row["size"]:
        if not told:
            return "silent"
        return "bound" if depth <= BOUND * row["size"] else "told"
    if row["path"] > 0.0:
        return "passed" if row["reported"] < TOLD * row["path"] else "told"
    if row.get("undeclared", 0.0) > EXACT * row["size"] and not row["undeclared_told"]:
        return "unwarned"
    return "clean" if row["touched"] else "idle"


def line(row):
    text = f"{row['name']}: {row['verdict']}"
    if "reported" in row:
        text += f", depth {row['depth']:.2e} (reported {row['reported']:.2e}, size {row['size']:.2g})"
        text += f" at t = {row['when']:.4g}" if row["depth"] > EXACT * row["size"] else ""
        text += f", on the way {row['path']:.2e}" if row["path"] else ""
    return text + (f": {row['message']}" if row["message"] else "") + f" [{row.get('seconds', 0.0):.1f} s]"


def table(rows, title, sums):
    """What came of the runs as Markdown: a line for each group and for each sum, a name with what tells its rows."""
    words = [word for word in VERDICTS if any(row["verdict"] == word for row in rows)]
    text = f"| {title} | runs | " + " | ".join(words) + " | clean or bound | deepest silent | deepest |\n"
    text += "|---" * (len(words) + 5) + "|\n"
    groups = {name: [row for row in rows if row["group"] == name] for name in sorted({row["group"] for row in rows})}
    groups |= {name: [row for row in rows if wanted(row)] for name, wanted in sums.items()} | {"all": rows}
    for group, own in groups.items():
        count = collections.Counter(row["verdict"] for row in own)
        shown = len(own) - count["idle"]
        share = f"{100 * (count['clean'] + count['bound']) / shown:.0f} %" if shown else ""
        unsaid = max((row["depth"] / row["size"] for row in own if row["verdict"] == "silent"), default=0.0)
        deepest = max((row["depth"] / row["size"] for row in own), default=0.0)
        cells = [str(count[word]) if count[word] else "" for word in words]
        text += f"| {group} | {len(own)} | " + " | ".join(cells) + f" | {share} | {unsaid:.1e} | {deepest:.1e} |\n"
    return text


def messages(rows):
    """The reasons given by runs that failed, most frequent first, numbers left out."""
    count, first = collections.Counter(), {}
    for row in rows:
        if row["message"]:
            words = " ".join(w for w in row["message"].split() if not any(c.isdigit() for c in w))
            count[words] += 1
            first.setdefault(words, row["name"])
    return [f"{n} x {words} (first: {first[words]})" for words, n in count.most_common()]


def play(scenes, judge, args, title, sums=None):
    """Runs the scenes asked for, prints a line for each and leaves `table.md` and `outcomes.json` in the folder. `sums` are
    further lines of the table: names, and whether a row counts."""
    scenes = chosen(scenes, args)
    if args.list:
        for scene in scenes:
            print(f"{scene.group:32} {scene.name}")
        print(f"{len(scenes)} scenes")
        return []
    args.folder.mkdir(parents=True, exist_ok=True)
    rows, began = [], time.time()
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        waiting = [pool.submit(outcome, scene, judge, args) for scene in scenes]
        for scene, done in zip(scenes, waiting):
            rows.append(done.result())
            print(line(rows[-1]), flush=True)
    text = table(rows, title, sums or {})
    # a part of the scenes takes its place among what is there
    known = args.folder / "outcomes.json"
    whole = {row["name"]: row for row in json.loads(known.read_text())} if known.is_file() else {}
    whole = list((whole | {row["name"]: row for row in rows}).values())
    known.write_text(json.dumps(whole, indent=1))
    (args.folder / "table.md").write_text(table(whole, title, sums or {}))
    print("\n" + text + "\n" + "\n".join(messages(rows)))
    print(f"{len(rows)} runs in {time.time() - began:.0f} s")
    return rows
