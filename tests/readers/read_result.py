#!/usr/bin/env python3
"""Opens a result file with the readers its users have: VTK (what ParaView uses), h5py and PyVista.

    read_result.py RESULT.vtkhdf [--png PICTURE.png] [--xdmf] [--running]

One line per check; the exit status is the number of failed checks (at most 100). `--running` allows a file that was
never finished (a killed or running run) and skips the picture unless `--png` is given; `--xdmf` also follows the
sidecar's paths into the file (PyPI's VTK lacks the Xdmf3 reader that the sidecar is written for).
"""

import argparse
import pathlib
import sys
import tempfile

import h5py
import numpy as np

FAILED = []


def check(name, ok, detail=""):
    """Prints one check and remembers a failure."""
    print(f"{'ok  ' if ok else 'FAIL'} {name}{': ' + detail if detail else ''}", flush=True)
    if not ok:
        FAILED.append(name)
    return ok


def frame(h5, step, home, name, count):
    """Rows of a field at a step, found through its offsets as VTK does."""
    root = h5["VTKHDF"]
    if home is None:
        first = int(root["Steps/PointOffsets"][step])
        return root[name][first : first + count]
    first = int(root[f"Steps/{home}Offsets/{name}"][step])
    return root[f"{home}/{name}"][first : first + count]


def some(steps):
    """First, last and a few steps between."""
    return sorted({0, steps // 4, steps // 2, (3 * steps) // 4, steps - 1})


def arrays(data):
    """Name -> array of a vtkDataSetAttributes."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}


def reader_times(reader):
    """The times a VTK reader announces."""
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline

    reader.UpdateInformation()
    return np.array(reader.GetOutputInformation(0).Get(pipeline.TIME_STEPS()) or [])


def same(a, b):
    """Equal shape and bits (NaN equals NaN)."""
    return a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def check_reader(label, reader, h5, times, grid_of):
    """A VTK reader against h5py: times, and at several steps points, cells and every field."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    root = h5["VTKHDF"]
    n, m = int(root["NumberOfPoints"][0]), int(root["NumberOfCells"][0])
    got = reader_times(reader)
    if not check(f"{label} times", same(got, times), f"{len(got)} announced, {len(times)} stored"):
        return
    bad, compared = [], 0
    for step in some(len(times)):
        # The exact stored value: a rounded one may pick the neighbour.
        reader.UpdateTimeStep(float(times[step]))
        grid = grid_of(reader)
        if grid is None or grid.GetNumberOfPoints() != n or grid.GetNumberOfCells() != m:
            bad.append(f"step {step}: no grid of {n} points and {m} cells")
            continue
        if not same(vtk_to_numpy(grid.GetPoints().GetData()).astype(float), frame(h5, step, None, "Points", n)):
            bad.append(f"step {step}: points")
        for home, data, count in (("PointData", grid.GetPointData(), n), ("CellData", grid.GetCellData(), m)):
            found = arrays(data)
            for name in root[home]:
                compared += 1
                if name not in found or not same(found[name], frame(h5, step, home, name, count)):
                    bad.append(f"step {step}: {home}/{name}")
        cells = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
        if not np.array_equal(cells, root["Connectivity"][:]):
            bad.append(f"step {step}: cells")
    steps = len(some(len(times)))
    check(f"{label} frames", not bad, "; ".join(bad[:5]) or f"{steps} steps, {compared} fields equal h5py's bit by bit")


def check_field_data(reader, h5, times):
    """Field data of a frame: the history row of its time, and the names of parts and materials."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    history, bad, compared = h5["history"], [], 0
    columns = [name for name in history if isinstance(history[name], h5py.Dataset) and name != "time"]
    written = history["time"][:]
    for step in some(len(times)):
        reader.UpdateTimeStep(float(times[step]))
        data = reader.GetOutputAsDataSet().GetFieldData()
        row = int(h5["VTKHDF/Steps/FieldDataOffsets/kinetic_energy"][step])
        if written[row] != times[step]:
            bad.append(f"step {step}: row {row} is of {written[row]:g} s")
        for name in columns:
            array = data.GetArray(name)
            compared += 1
            if array is None or not np.array_equal(vtk_to_numpy(array).ravel(), np.ravel(history[name][row])):
                bad.append(f"step {step}: {name}")
        for name, stored in (("body_names", "names"), ("material_names", "materials")):
            array = data.GetAbstractArray(name)
            found = [array.GetValue(k) for k in range(array.GetNumberOfValues())] if array else []
            if found != [text.decode() for text in h5[f"parts/{stored}"][:]]:
                bad.append(f"step {step}: {name}")
    check("field data", not bad, "; ".join(bad[:5]) or f"{compared} values of the history, names of parts and materials")


def check_structure(h5, running):
    """What INTERFACE.md promises about groups, units and the case."""
    for group in ("VTKHDF", "history", "case", "parts"):
        if not check(f"group /{group}", group in h5):
            return False
    units, missing = 0, []

    def visit(name, item):
        nonlocal units
        if isinstance(item, h5py.Dataset):
            units += 1
            if "unit" not in item.attrs:
                missing.append(name)

    h5["history"].visititems(visit)
    check("history units", units > 0 and not missing, f"{units} quantities" + (f", none on {missing}" if missing else ""))
    outcome = h5["case"].attrs["outcome"]
    check("outcome", running or outcome != "running", str(outcome))
    check("case text", len(h5["case/text"][()]) > 0, f"{len(h5['case/text'][()])} bytes")
    return True


def check_history(h5, times, running):
    """Lengths, times and the energy sum."""
    history = h5["history"]
    rows = int(history.attrs["rows"])
    lengths = {}
    history.visititems(lambda k, d: lengths.__setitem__(k, d.shape[0]) if isinstance(d, h5py.Dataset) else None)
    # A cut-off commit may leave more rows than are published, never fewer.
    wrong = {k: v for k, v in lengths.items() if (v < rows if running else v != rows)}
    check("history lengths", not wrong, f"{rows} rows in {len(lengths)} datasets" + (f", but {wrong}" if wrong else ""))
    if "time" not in history:
        check("history time", False, "no /history/time")
        return
    time = history["time"][:rows]
    check("history time rises", bool(np.all(np.diff(time) > 0)), f"{time[0]:g} to {time[-1]:g} s" if rows else "empty")
    if rows and not running:
        span = max(abs(time[-1]), 1e-300)
        near = np.abs(time[np.clip(np.searchsorted(time, times), 0, rows - 1)] - times)
        low = np.abs(time[np.clip(np.searchsorted(time, times) - 1, 0, rows - 1)] - times)
        gap = float(np.minimum(near, low).max())
        check("frames are history rows", gap <= 1e-9 * span, f"largest gap {gap:.1e} s")
    parts = ("kinetic_energy", "strain_energy", "total_energy")
    if rows and all(p in history for p in parts):
        kinetic, strain, total = (history[p][:rows] for p in parts)
        error = float(np.abs(kinetic + strain - total).max())
        scale = float(np.abs(total).max())
        check("total = kinetic + strain", error <= 1e-12 * max(scale, 1e-300), f"largest difference {error:.1e} J of {scale:.3g} J")


def check_motion(h5, steps):
    """Points are the initial ones plus the displacement, obstacles and rigid bodies included."""
    root = h5["VTKHDF"]
    if "displacement" not in root["PointData"]:
        print("skip points = initial + displacement: no displacement field")
        return
    n = int(root["NumberOfPoints"][0])
    initial = h5["parts/initial_points"][:]
    worst, size = 0.0, max(float(np.ptp(initial, axis=0).max()), 1e-300)
    for step in some(steps):
        moved = initial + frame(h5, step, "PointData", "displacement", n)
        worst = max(worst, float(np.abs(moved - frame(h5, step, None, "Points", n)).max(initial=0.0)))
    check("points = initial + displacement", worst <= 1e-12 * size, f"{n} points, largest difference {worst:.1e} m")


def check_sidecar(path, h5, times, running):
    """The XDMF sidecar's times, and that its slabs are the frames' points and fields."""
    import xml.etree.ElementTree as xml

    root = h5["VTKHDF"]
    sizes = {"Node": ("PointData", int(root["NumberOfPoints"][0])), "Cell": ("CellData", int(root["NumberOfCells"][0]))}
    grids = xml.parse(path.with_suffix(".xdmf")).findall("Domain/Grid/Grid")
    listed = np.array([float(g.find("Time").get("Value")) for g in grids])
    # The sidecar of a run that was cut off may lag behind.
    right = len(listed) > 0 and same(listed, times[: len(listed)]) and (running or len(listed) == len(times))
    if not check("sidecar times", right, f"{len(listed)} of {len(times)} frames"):
        return

    def slab(item):
        file, _, rest = item.text.strip().partition(":")
        name, _, text = rest.partition("|")
        start, stride, count, shape = ([int(v) for v in part.split()] for part in text.split(":"))
        if file != path.name or stride != [1] * len(stride) or h5[name].shape[0] < shape[0]:
            raise ValueError(f"{item.text}: wrong file, stride or shape")
        return h5[name][tuple(slice(a, a + n) for a, n in zip(start, count))]

    bad = []
    for step in some(len(listed)):
        grid = grids[step]
        if not same(slab(grid.find("Geometry/DataItem")), frame(h5, step, None, "Points", sizes["Node"][1])):
            bad.append(f"step {step}: points")
        ledger = [field for field in grid.findall("Attribute") if field.get("Center") == "Grid"]
        for field in ledger:
            row = int(root["Steps/FieldDataOffsets"][field.get("Name")][step])
            if not same(slab(field.find("DataItem")), h5["history"][field.get("Name")][row : row + 1]):
                bad.append(f"step {step}: {field.get('Name')}")
        if "kinetic_energy" not in [field.get("Name") for field in ledger]:
            bad.append(f"step {step}: no ledger")
        fields = [field for field in grid.findall("Attribute") if field.get("Center") != "Grid"]
        if len(fields) != len(root["PointData"]) + len(root["CellData"]):
            bad.append(f"step {step}: {len(fields)} fields")
        for field in fields:
            home, count = sizes[field.get("Center")]
            if not same(slab(field.find("DataItem")), frame(h5, step, home, field.get("Name"), count)):
                bad.append(f"step {step}: {field.get('Name')}")
    cells = int(h5["xdmf/topology"].shape[0])
    bad += [] if f'"{cells}"' in xml.tostring(grids[0].find("Topology/DataItem")).decode() else ["topology length"]
    check("sidecar slabs", not bad, "; ".join(bad[:5]) or f"{len(some(len(listed)))} steps equal the frames")


def check_picture(path, png, h5, times):
    """Draws the frame with the largest von Mises stress and looks whether there is anything on it."""
    import pyvista
    from vtkmodules.vtkIOHDF import vtkHDFReader

    root = h5["VTKHDF"]
    m = int(root["NumberOfCells"][0])
    home = next((h for h in ("CellData", "PointData") if "von_mises" in root[h]), None)
    step = len(times) - 1
    if home:
        count = m if home == "CellData" else int(root["NumberOfPoints"][0])
        step = int(np.argmax([frame(h5, s, home, "von_mises", count).max() for s in range(len(times))]))
    # PyVista's own HDF reader class knows no time; VTK's does.
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateTimeStep(float(times[step]))
    mesh = pyvista.wrap(reader.GetOutputAsDataSet())
    plotter = pyvista.Plotter(off_screen=True, window_size=(800, 600))
    plotter.set_background("white")
    plotter.add_mesh(mesh, scalars="von_mises" if home else None, show_edges=False, lighting=False)
    flat = np.ptp(h5["parts/initial_points"][:, 2]) == 0
    if flat:
        plotter.view_xy()
    image = plotter.screenshot(str(png), return_img=True)
    plotter.close()
    colours = len(np.unique(image.reshape(-1, 3), axis=0))
    share = float(np.any(image < 250, axis=2).mean())
    wanted = 20 if home else 2
    check("picture", colours >= wanted and share > 0.02, f"{png}, step {step}, {colours} colours, {share:.0%} not background")


def main():
    """Runs all checks on one file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--png", type=pathlib.Path)
    parser.add_argument("--xdmf", action="store_true")
    parser.add_argument("--running", action="store_true")
    args = parser.parse_args()
    path = args.result.resolve()
    # Without a lock, as another program may be writing.
    with h5py.File(path, "r", locking=False) as h5:
        if not check_structure(h5, args.running):
            return len(FAILED)
        steps = int(h5["VTKHDF/Steps"].attrs["NSteps"])
        times = h5["VTKHDF/Steps/Values"][:steps]
        check("h5py times", len(times) == steps > 0 and bool(np.all(np.diff(times) > 0)), f"{steps} frames")
        check_history(h5, times, args.running)
        check_motion(h5, steps)

        from vtkmodules.vtkIOHDF import vtkHDFReader

        reader = vtkHDFReader()
        reader.SetFileName(str(path))
        check_reader("vtkHDFReader", reader, h5, times, lambda r: r.GetOutputAsDataSet())
        check_field_data(reader, h5, times)
        if args.xdmf:
            check_sidecar(path, h5, times, args.running)
        if args.png or not args.running:
            png = args.png or pathlib.Path(tempfile.gettempdir()) / (path.stem + ".png")
            check_picture(path, png, h5, times)
    print(f"{path.name}: {'all checks passed' if not FAILED else str(len(FAILED)) + ' FAILED: ' + ', '.join(FAILED)}")
    return min(len(FAILED), 100)


if __name__ == "__main__":
    sys.exit(main())
