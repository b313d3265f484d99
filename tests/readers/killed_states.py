#!/usr/bin/env python3
"""Shows that a run killed at any moment leaves a file that h5py and VTK open, whole up to its last flush.

    killed_states.py [--every N] [--post IMPAKT] RESULT.vtkhdf -- COMMAND ...

COMMAND must write RESULT.vtkhdf from nothing. It runs once, to its end, under strace, which notes all it writes. The file is
then put together again write by write, each cut at the ends of pages as a kill cuts it (the kernel looks for one there and
nowhere else), and read in each of these states, with --post by `impakt post` too: what it announces must be what the finished
file has. Of the pages of large
blocks of data, which harm nothing, only every N-th is looked at.
The exit status is the number of states that could not be read (at most 100).
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOHDF import vtkHDFReader

PAGE = 4096
CALL = re.compile(rb'(pwrite64|ftruncate|rename)\((?:\d+<([^>]*)>|"([^"]*)"), (?:"([^"]*)"(?:, \d+, (\d+))?|(\d+))')


def plain(text):
    """What strace's \\x.. stand for."""
    return bytes.fromhex(text.replace(rb"\x", b"").decode())


def writes(log, result):
    """What was done to the file, in order: (offset, bytes), (new length, None), or None where it got its name."""
    name = result.name.encode()
    with open(log, "rb") as lines:
        for line in lines:
            found = CALL.search(line)
            if not found:
                continue
            call, file, _, text, offset, length = found.groups()
            if call == b"rename":
                if plain(text).split(b"/")[-1] == name:
                    yield None
            elif name in plain(file):
                yield (int(offset), plain(text)) if call == b"pwrite64" else (int(length), None)


def numbers(path):
    """All datasets of frames and history by name, and the outcome."""
    found = {}
    with h5py.File(path, "r", locking=False) as h5:

        def collect(group):
            for item in group.values():
                if not isinstance(item, h5py.Dataset):
                    collect(item)
                elif item.dtype.kind != "O":
                    found[item.name] = item[:]

        collect(h5["VTKHDF"])
        collect(h5["history"])
        return found, h5["case"].attrs["outcome"]


def whole(path, final, outcome):
    """Compares what the file announces with the finished one. Returns what is wrong."""
    bad = []
    with h5py.File(path, "r", locking=False) as h5:
        root = h5["VTKHDF"]
        steps, rows = int(root["Steps"].attrs["NSteps"]), int(h5["history"].attrs["rows"])
        times = root["Steps/Values"][:]
        if steps < 1 or len(times) != steps:
            bad.append(f"{steps} steps announced, {len(times)} times")

        def same(name, count):
            read, there = h5[name][:count], final.get(name, np.empty(0))[:count]
            if len(there) != count or not np.array_equal(read, there, equal_nan=there.dtype.kind == "f"):
                bad.append(f"{name}: the first {count} rows are not there")

        def all_of(group, count):
            for item in group.values():
                if isinstance(item, h5py.Dataset):
                    same(item.name, count)
                else:
                    all_of(item, count)

        all_of(root["Steps"], steps)
        all_of(h5["history"], rows)
        points, cells = int(root["NumberOfPoints"][0]), int(root["NumberOfCells"][0])
        same("/VTKHDF/Points", int(root["Steps/PointOffsets"][steps - 1]) + points)
        for home, count in (("PointData", points), ("CellData", cells)):
            for name in root[home]:
                same(f"/VTKHDF/{home}/{name}", int(root[f"Steps/{home}Offsets/{name}"][steps - 1]) + count)
        if h5["case"].attrs["outcome"] not in ("running", outcome):
            bad.append("the outcome is lost")
        current = int(h5["checkpoint"].attrs["current"])
        if current >= 0:
            slot = h5[f"checkpoint/{current}"]
            parts = [int(line.split()[0]) for line in bytes(slot["layout"][:]).decode().splitlines()]
            if sum(parts) != len(slot["numbers"][:]):
                bad.append("the checkpoint is not whole")
        if not bad:
            reader = vtkHDFReader()
            reader.SetFileName(str(path))
            reader.UpdateTimeStep(float(times[-1]))
            grid = reader.GetOutputAsDataSet()
            if grid is None or grid.GetNumberOfCells() != cells:
                bad.append("VTK does not read the last step")
            else:
                seen = vtk_to_numpy(grid.GetPoints().GetData())
                there = final["/VTKHDF/Points"][(steps - 1) * points : steps * points]
                if not np.array_equal(seen, there.astype(seen.dtype)):
                    bad.append("VTK reads other points in the last step")
    return bad


def judge(path, final, outcome):
    """Reads the file in a process of its own: a damaged one may take the reader down. Empty if all is well."""
    listen, tell = os.pipe()
    child = os.fork()
    if child == 0:
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        try:
            said = "; ".join(whole(path, final, outcome)[:3]) or "ok"
        except Exception as error:  # pylint: disable=broad-except
            said = repr(error)
        os.write(tell, said[:2000].encode())
        os._exit(0)
    os.close(tell)
    said = os.read(listen, 4000).decode()
    os.close(listen)
    status = os.waitpid(child, 0)[1]
    return "" if said == "ok" and status == 0 else said or f"the reader died (status {status})"


def post(impakt, path):
    """Reads the file with `impakt post`. Empty if it reports."""
    done = subprocess.run([impakt, "post", path], capture_output=True, text=True)
    return f"post: {done.stderr.strip()}" if done.returncode else ""


def main():
    """Runs the command and looks at all states of its file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--post", type=pathlib.Path)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    result = args.result.resolve()
    with tempfile.TemporaryDirectory(dir=result.parent) as folder:
        log, state = pathlib.Path(folder) / "writes", pathlib.Path(folder) / "state.vtkhdf"
        trace = ["strace", "-f", "-y", "-xx", "-s", str(1 << 26), "-e", "trace=pwrite64,ftruncate,rename", "-o", str(log)]
        subprocess.run([*trace, *args.command], check=True, stdout=subprocess.DEVNULL)
        final, outcome = numbers(result)
        states, data, failed, named = 0, 0, 0, False
        with open(state, "w+b", buffering=0) as file:
            for number, write in enumerate(writes(log, result)):
                if write is None:
                    named = True
                    continue
                place, content = write
                if content is None:
                    file.truncate(place)
                start, size = 0, len(content or b"")
                # HDF5 marks its metadata with four letters, but within a page of them
                large = size > PAGE and not (content[:4].isalpha() and content[:4].isupper())
                while content is None or start < size:
                    end = min(size, ((place + start) // PAGE + 1) * PAGE - place)
                    if content is not None:
                        os.pwrite(file.fileno(), content[start:end], place + start)
                    start = end
                    data += large
                    if named and (not large or data % args.every == 0):
                        said = judge(state, final, outcome) or (args.post and post(args.post, state))
                        states += 1
                        if said:
                            failed += 1
                            print(f"FAIL in write {number} ({size} bytes at {place}), up to byte {start}: {said}")
                    if content is None:
                        break
        same = state.read_bytes() == result.read_bytes()
    if not named or not same:
        print("FAIL the writes noted do not give the file")
        failed += 1
    print(f"{states - failed} of {states} states are whole")
    return min(failed, 100)


if __name__ == "__main__":
    sys.exit(main())
