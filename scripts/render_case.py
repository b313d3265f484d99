"""A picture of any impakt result: obstacles grey, bodies coloured by a field, rigid bodies each in a colour where there are no others.

    python scripts/render_case.py RESULT.vtkhdf OUT.png [--time T] [--field NAME] [--up y|z] [--near M] [--size WxH]

T is in seconds; the frame nearest to it is drawn (the last one unless given). NAME is a point or cell field of the
file (von_mises unless given); of a vector field the length is drawn. Results in the plane are seen from the front,
solids at an angle with obstacles half transparent. `--near` shows the bodies and M times their size around them, where the
obstacles of a plane result reach far. No display is needed.

Needs pyvista, matplotlib and h5py. Exit codes: 0 done, 2 an input is wrong.
"""

import argparse
import sys
from pathlib import Path

import h5py
import matplotlib
import numpy as np
import pyvista
from matplotlib.colors import ListedColormap
from vtkmodules.vtkCommonCore import vtkLogger
from vtkmodules.vtkIOHDF import vtkHDFReader
from result_file import WrongInput, open_result

INK, WALL, WALL_EDGE, NO_VALUE = "#222222", "#d5d5d3", "#a8a8a5", "#f2f0ea"
FLAT, SHADED = {"lighting": False}, {"lighting": True, "ambient": 0.5, "diffuse": 0.5, "specular": 0.0}
BOTH_SIGNS = "RdBu_r"
COLOURS = ListedColormap(matplotlib.colormaps["magma_r"](np.linspace(0.0, 0.88, 256)))
ROUND = np.array([1.0, 1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 3.6, 4.0, 4.8, 6.0, 7.2, 8.0, 10.0])  # each gives neat quarters
VIEWS = {"y": (1.0, 0.8, 1.7), "z": (1.0, -1.7, 0.8)}  # from where a solid is seen, by the axis that points up
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"))
NAMES = {"von_mises": "von Mises stress", "friction_energy_density": "lost to friction"}
PREFIXED_UNITS = ("Pa", "m", "m/s", "N", "J", "J/m^3", "s")


def check_result(path):
    """Says why a file is no impakt result, before VTK does so less clearly."""
    with open_result(path, ("VTKHDF/Steps/Values", "VTKHDF/CellData")) as file:
        if len(file["VTKHDF/Steps/Values"]) == 0:
            raise WrongInput(f"{path}: the run wrote no frame yet")
        if "material" not in file["VTKHDF/CellData"]:
            raise WrongInput(f"{path}: no field `material`, which tells bodies from obstacles; add it to output.fields")


def read_frame(path, time):
    """The grid nearest to a time, and that time."""
    with h5py.File(path, "r") as file:
        times = file["VTKHDF/Steps/Values"][:]
    if time is not None and not times[0] - 1e-12 <= time <= times[-1] * (1.0 + 1e-9):
        raise WrongInput(f"{path}: no frame at {time:g} s; the run covers {times[0]:g} to {times[-1]:g} s")
    frame = len(times) - 1 if time is None else int(np.argmin(np.abs(times - time)))
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateTimeStep(times[frame])
    return pyvista.wrap(reader.GetOutputDataObject(0)), times[frame]


def field_names(grid):
    names = [*grid.point_data.keys(), *grid.cell_data.keys()]
    return [name for name in names if not name.startswith("vtk")]


def find_field(grid, path, name):
    """`PointData` or `CellData`, and the unit the file gives."""
    kind = "PointData" if name in grid.point_data else "CellData"
    if name not in field_names(grid):
        raise WrongInput(f"{path}: no field `{name}`; there are {', '.join(field_names(grid))}")
    with h5py.File(path, "r") as file:
        return kind, str(file[f"VTKHDF/{kind}/{name}"].attrs.get("unit", ""))


def scaled(values, unit):
    """Values and unit with the prefix that suits the largest value."""
    largest = np.nanmax(np.abs(values)) if np.isfinite(values).any() else 0.0
    if unit not in PREFIXED_UNITS or largest == 0.0:
        return values, unit
    factor, prefix = next(((f, p) for f, p in PREFIXES if largest >= f), PREFIXES[-1])
    return values / factor, prefix + unit


def colour_bodies(bodies, path, name):
    """Puts the field, as one number a point or cell, on the bodies; returns the title of its scale."""
    kind, unit = find_field(bodies, path, name)
    data = bodies.point_data if kind == "PointData" else bodies.cell_data
    values = np.asarray(data[name], dtype=float)
    if values.ndim == 2:
        values = np.linalg.norm(values, axis=1)
    values, unit = scaled(values, unit)
    data["shown"] = values
    text = NAMES.get(name, name.replace("_", " "))
    return f"{text} [{unit}]" if unit not in ("", "1") else text


def limits(values):
    """Ends of the colour scale: from zero to a round number, or symmetric for values of both signs."""
    finite = values[np.isfinite(values)]
    largest = np.abs(finite).max() if finite.size else 0.0
    if largest == 0.0:
        return 0.0, 1.0
    power = 10.0 ** np.floor(np.log10(largest))
    top = power * ROUND[min(np.searchsorted(ROUND, largest / power * (1.0 - 1e-9)), len(ROUND) - 1)]
    return (-top if finite.min() < -0.01 * top else 0.0), top


def split_parts(grid, path):
    """Bodies that deform, or where there are none those that are rigid, and all the rest; whether they deform. The file numbers the
    material of what does not deform -1."""
    deforms = np.asarray(grid.cell_data["material"]) >= 0
    if deforms.any():
        return grid.extract_cells(deforms), grid.extract_cells(~deforms), True
    if "body" not in grid.cell_data:
        raise WrongInput(f"{path}: no field `body`, which tells rigid bodies from obstacles; add it to output.fields")
    with h5py.File(path, "r") as file:
        kinds = file["parts/kinds"][:]
    rigid = np.isin(grid.cell_data["body"], np.flatnonzero(kinds == b"rigid body"))
    if not rigid.any():
        raise WrongInput(f"{path}: no body to draw")
    return grid.extract_cells(rigid), grid.extract_cells(~rigid), False


def is_plane(grid):
    low, high = grid.bounds[4:6]
    return high - low <= 1e-9 * max(grid.length, 1e-30)


def add_obstacles(plotter, obstacles, plane):
    if obstacles.n_cells == 0:
        return
    look = FLAT if plane else SHADED
    plotter.add_mesh(obstacles, color=WALL, opacity=1.0 if plane else 0.6, **look)
    lines = obstacles.extract_cells(obstacles.celltypes == pyvista.CellType.POLY_LINE)
    if lines.n_cells:  # the wall of a container
        plotter.add_mesh(lines, color=WALL_EDGE, line_width=4, lighting=False)
    edges = obstacles.extract_feature_edges(boundary_edges=True, feature_edges=not plane, manifold_edges=False)
    if edges.n_cells:
        plotter.add_mesh(edges, color=WALL_EDGE, line_width=2, lighting=False)


def add_bodies(plotter, bodies, title, plane):
    height = plotter.window_size[1]
    scale = {
        "title": title + "\n",
        "color": INK,
        "vertical": False,
        "title_font_size": int(height * 0.032),
        "label_font_size": int(height * 0.028),
        "n_labels": 5,
        "fmt": "%.3g",
        "font_family": "arial",
        "width": 0.5,
        "height": 0.085,
        "position_x": 0.25,
        "position_y": 0.02,
    }
    low, high = limits(bodies["shown"])
    plotter.add_mesh(bodies, scalars="shown", cmap=BOTH_SIGNS if low < 0.0 else COLOURS, clim=(low, high),
                     nan_color=NO_VALUE, scalar_bar_args=scale, **(FLAT if plane else SHADED))
    surface = bodies.extract_surface(algorithm="dataset_surface")
    plotter.add_mesh(surface.extract_all_edges(), color=INK, opacity=0.35, line_width=1, lighting=False)
    if plane:
        outline = surface.extract_feature_edges(boundary_edges=True, feature_edges=False, manifold_edges=False)
        plotter.add_mesh(outline, color=INK, line_width=2, lighting=False)


def add_rigid_bodies(plotter, bodies, plane):
    """Each in a colour of its own."""
    plotter.add_mesh(bodies, scalars="body", cmap="tab20", show_scalar_bar=False, **(FLAT if plane else SHADED))
    surface = bodies.extract_surface(algorithm="dataset_surface").clean()
    edges = surface.extract_feature_edges(feature_angle=30.0, feature_edges=not plane, manifold_edges=False)
    plotter.add_mesh(edges, color=INK, opacity=0.6, line_width=1, lighting=False)


def surroundings(grid, bodies, margin):
    """Corners of the box around the bodies with a margin of so many times their size, no larger than the scene."""
    low, high = (np.array(bodies.bounds[k::2]) for k in (0, 1))
    reach = margin * bodies.length
    return np.maximum(low - reach, grid.bounds[0::2]), np.minimum(high + reach, grid.bounds[1::2])


def aim_plane(plotter, grid, bodies, near):
    """Fits the scene, or what is near the bodies, into the window, above the colour scale."""
    low, high = surroundings(grid, bodies, np.inf if near is None else near)
    (left, bottom), (right, top) = low[:2], high[:2]
    width, height = plotter.window_size
    room = 0.80  # share of the window's height that the scene may fill
    half = max((top - bottom) / (2.0 * room * 0.95), (right - left) * height / width / (2.0 * 0.95))
    centre = ((left + right) / 2.0, (bottom + top) / 2.0 - (1.0 - room) * half * 0.9)
    plotter.view_xy()
    plotter.enable_parallel_projection()
    plotter.camera.focal_point = (*centre, 0.0)
    plotter.camera.position = (*centre, 10.0 * half)
    plotter.camera.parallel_scale = half


def aim_solid(plotter, grid, bodies, up, near):
    """Looks at the bodies and what is near them; a large floor may run out of the picture."""
    box = np.stack(surroundings(grid, bodies, 0.25 if near is None else near), axis=1).ravel()
    plotter.view_vector(VIEWS[up], viewup=[float(axis == up) for axis in "xyz"])
    plotter.reset_camera(bounds=box)
    plotter.camera.zoom(1.15)
    plotter.camera.SetWindowCenter(0.0, -0.15)
    plotter.reset_camera_clipping_range()


def render(path, out, time, field, size, up, near):
    check_result(path)
    grid, shown_time = read_frame(path, time)
    bodies, obstacles, deform = split_parts(grid, path)
    plane = is_plane(grid)
    plotter = pyvista.Plotter(off_screen=True, window_size=size)
    plotter.set_background("white")
    add_obstacles(plotter, obstacles, plane)
    if deform:
        add_bodies(plotter, bodies, colour_bodies(bodies, path, field), plane)
    else:
        add_rigid_bodies(plotter, bodies, plane)
    clock = f"{shown_time:.4g} s" if shown_time >= 1.0 else f"{shown_time * 1e3:.4g} ms"
    plotter.add_text(f"t = {clock}", position=(0.02, 0.94), viewport=True, color=INK, font="arial",
                     font_size=int(size[1] * 0.016))
    if plane:
        aim_plane(plotter, grid, bodies, near)
    else:
        aim_solid(plotter, grid, bodies, up, near)
    plotter.enable_anti_aliasing("ssaa")
    out.parent.mkdir(parents=True, exist_ok=True)
    plotter.screenshot(str(out))
    plotter.close()
    return shown_time, field if deform else "rigid bodies"


def window_size(text):
    try:
        width, height = (int(number) for number in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is no WIDTHxHEIGHT, e.g. 900x700") from None
    if min(width, height) < 100:
        raise argparse.ArgumentTypeError("at least 100x100 pixels")
    return width, height


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result", type=Path, metavar="RESULT.vtkhdf")
    parser.add_argument("out", type=Path, metavar="OUT.png")
    parser.add_argument("--time", type=float, metavar="T", help="seconds; the nearest frame is drawn [the last one]")
    parser.add_argument("--field", default="von_mises", metavar="NAME", help="point or cell field [von_mises]")
    parser.add_argument("--up", choices=sorted(VIEWS), default="z", help="axis of a solid that points up [z]")
    parser.add_argument("--near", type=float, metavar="M", help="show M times the size of the bodies around them")
    parser.add_argument("--size", type=window_size, default=(900, 700), metavar="WxH", help="pixels [900x700]")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)  # no warning where there is no display
    try:
        time, shown = render(arguments.result, arguments.out, arguments.time, arguments.field, arguments.size, arguments.up,
                             arguments.near)
    except WrongInput as error:
        print(f"render_case: {error}", file=sys.stderr)
        return 2
    print(f"{arguments.out}: {shown} at {time:g} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
