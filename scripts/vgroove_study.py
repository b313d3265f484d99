"""The V-groove study: table and figures of a foam cylinder thrown into a groove, beside the published Table 1.

    python scripts/vgroove_study.py RESULT_A RESULT_B RESULT_C [--finer A B C]... [--out DIR]

RESULT_A, RESULT_B and RESULT_C are the result files of cases/vgroove (friction 0, 0.2 and 0.4), in that order.
DIR (results/vgroove unless given) receives table.md, hero.png, and as PNG and SVG: energies, centre_height, shapes
and dissipation. The table is also printed. `--finer` gives the same three cases on a finer mesh and step, as often as
wanted: their values stand beside, because Table 1 is not a converged one.

Needs h5py, numpy and matplotlib. Exit codes: 0 done, 2 an input file is missing, foreign or unfinished.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.ticker import MaxNLocator
from result_file import WrongInput, open_result

LATE_TIME = 2.0e-3  # the paper shows its rebound shapes at 2 ms
MEASURE = "max_von_mises_pk2_inplane"

# Colours of the Okabe-Ito set, which stay apart for colour-blind readers.
INK, MUTED, WALL, FOAM = "#222222", "#6b6b6b", "#d5d5d3", "#f2f0ea"
ENERGY_COLOURS = {"kinetic": "#0072B2", "strain": "#009E73", "total": INK, "friction": "#D55E00"}
STRESS_MAP = ListedColormap(plt.get_cmap("magma_r")(np.linspace(0.0, 0.88, 256)), "stress")
LOSS_MAP = ListedColormap(plt.get_cmap("viridis_r")(np.linspace(0.0, 1.0, 256)), "loss")


@dataclass(frozen=True)
class Published:
    """One column of Table 1 of Feng, Magnain, Cros, Joli (FER/Impact), section 5.1."""

    label: str
    friction: float
    time: float  # s
    stress: float  # Pa
    cpu: float  # s, Pentium 4, 2.8 GHz
    colour: str

    @property
    def title(self):
        return f"{self.label}, μ = {self.friction:g}"


TABLE_1 = (
    Published("A", 0.0, 0.87e-3, 8.192e6, 62.0, "#0072B2"),
    Published("B", 0.2, 0.70e-3, 4.523e6, 77.0, "#D55E00"),
    Published("C", 0.4, 0.61e-3, 4.396e6, 83.0, "#009E73"),
)


# ---------------------------------------------------------------------------------------------------------------------
# Reading
# ---------------------------------------------------------------------------------------------------------------------


class Result:
    """A finished V-groove result file; arrays are in SI units."""

    def __init__(self, path, published):
        self.path, self.published = Path(path), published
        self.file = open_result(self.path, ("VTKHDF/Steps", "history", "case", "parts"))
        self.history = self.file["history"]
        check_finished(self)
        check_vgroove(self)
        self.rows = int(self.history.attrs["rows"])
        self.time = self.series("time")
        self.frames = self.file["VTKHDF/Steps/Values"][:]
        self.body = part_number(self.file, "body")
        if self.time[-1] < LATE_TIME or self.frames[-1] < LATE_TIME * (1.0 - 1e-9):
            raise WrongInput(f"{self.path}: ends at {self.time[-1] * 1e3:g} ms; the study needs {LATE_TIME * 1e3:g} ms")

    def series(self, name):
        """One history quantity, by step."""
        return self.history[name][: self.rows]

    @property
    def height(self):
        return self.series("probes/centre/position")[:, 1]

    @property
    def lowest(self):
        """Row of the centre's lowest point."""
        return int(np.argmin(self.height))

    @property
    def initial_energy(self):
        return self.series("total_energy")[0]

    def frame_near(self, time):
        return int(np.argmin(np.abs(self.frames - time)))

    def points(self, frame):
        """Positions of all points in the plane, in mm."""
        grid = self.file["VTKHDF"]
        first = grid["Steps/PointOffsets"][frame]
        return grid["Points"][first : first + grid["NumberOfPoints"][0], :2] * 1e3

    def field(self, kind, name, frame):
        """A `PointData` or `CellData` field at a frame."""
        grid = self.file["VTKHDF"]
        first = grid[f"Steps/{kind}Offsets/{name}"][frame]
        count = grid["NumberOfPoints" if kind == "PointData" else "NumberOfCells"][0]
        return grid[f"{kind}/{name}"][first : first + count]

    def cells(self, of_body):
        """Numbers and point lists of the cells of the body, or of the obstacles."""
        grid = self.file["VTKHDF"]
        offsets, connectivity = grid["Offsets"][:], grid["Connectivity"][:]
        chosen = np.flatnonzero((grid["CellData/body"][: len(offsets) - 1] == self.body) == of_body)
        return chosen, [connectivity[offsets[c] : offsets[c + 1]] for c in chosen]

    def surface_edges(self):
        """Edges that belong to one cell of the body only."""
        owners = {}
        for cell in self.cells(True)[1]:
            for a, b in zip(cell, np.roll(cell, -1)):
                owners.setdefault((min(a, b), max(a, b)), []).append((a, b))
        return np.array([edge[0] for edge in owners.values() if len(edge) == 1])


def check_finished(result):
    outcome = result.file["case"].attrs.get("outcome", "unknown")
    if outcome != "done":
        raise WrongInput(f"{result.path}: the run is not finished (outcome: {outcome})")


def check_vgroove(result):
    """The right model, and the friction that its place among the arguments asks for."""
    path, history = result.path, result.history
    for name in ("probes/centre/position", "bodies/cylinder/velocity", MEASURE):
        if name not in history:
            raise WrongInput(f"{path}: no /history/{name}; not a result of cases/vgroove")
    found = {float(value) for value in re.findall(r"\bfriction:\s*([-+.\deE]+)", case_text(result.file))}
    expected = result.published.friction
    if found != {expected}:
        listed = ", ".join(f"{value:g}" for value in sorted(found)) or "none"
        raise WrongInput(f"{path}: friction {listed} where case {result.published.label} needs {expected:g}")


def case_text(file):
    text = file["case/text"][()]
    return text.decode() if isinstance(text, bytes) else str(text)


def part_number(file, kind):
    kinds = [k.decode() if isinstance(k, bytes) else k for k in file["parts/kinds"][:]]
    return kinds.index(kind)


# ---------------------------------------------------------------------------------------------------------------------
# Table
# ---------------------------------------------------------------------------------------------------------------------

NOTES = """\
- The paper does not say which stress its table holds. The measure used here, von Mises of the second Piola-Kirchhoff
  stress with S33 rebuilt as ν(S11 + S22), was **inferred** afterwards: of more than thirty combinations of stress and
  recovery tried, it fits the three published values best. Cauchy stress stays well below them in every case. Read the
  stress rows as a plausibility check; times, energies and events are the independent evidence.
- Table 1 is a value of one mesh (209 nodes, 192 quadrilaterals) and one step (10 µs), not a converged one.
- Deviations are (ours − paper) / paper. Times are step ends, so they resolve 10 µs, 1.1 to 1.6 % of the paper's.
- Energies are per metre of thickness. At the end (3 ms) case C is wedged: its speed is that of a vibration.
- Our run time is wall clock, writing of frames included, on {threads} thread(s) of the machine that ran the cases;
  the paper's is CPU time on a Pentium 4 at 2.8 GHz. The ratio says as much about twenty years of hardware as about the
  programs."""


def peak(result, name):
    """Largest value of a history quantity, and when."""
    series = result.series(name)
    row = int(np.argmax(series))
    return series[row], result.time[row]


def deviation(ours, paper):
    return f"{(ours / paper - 1.0) * 100.0:+.1f} %"


def time_rows(result):
    paper = result.published.time
    largest, lowest = peak(result, MEASURE)[1], result.time[result.lowest]
    yield "**Time of the maximum, paper** [ms]", f"{paper * 1e3:.2f}"
    yield "ours: largest in-plane PK2 measure [ms]", f"{largest * 1e3:.2f}"
    yield "– deviation", deviation(largest, paper)
    yield "ours: lowest point of the centre [ms]", f"{lowest * 1e3:.2f}"
    yield "– deviation", deviation(lowest, paper)


def stress_rows(result):
    paper = result.published.stress
    yield "**Largest stress, paper** [MPa]", f"{paper / 1e6:.3f}"
    measures = (
        ("ours: PK2, in-plane, nodal (inferred) [MPa]", MEASURE),
        ("ours: PK2, exact S33, nodal [MPa]", "max_von_mises_pk2"),
        ("ours: Cauchy, nodal [MPa]", "max_von_mises_nodal"),
        ("ours: Cauchy, Gauss points [MPa]", "max_von_mises"),
    )
    for label, name in measures:
        value = peak(result, name)[0]
        yield label, f"{value / 1e6:.3f}"
        yield "– deviation", deviation(value, paper)


def energy_rows(result):
    initial = result.initial_energy
    friction = result.series("friction_dissipation")[-1]
    stick, slip = result.series("contacts_stick")[-1], result.series("contacts_slip")[-1]
    yield "**At the end**: energy kept [% of E0]", f"{result.series('total_energy')[-1] / initial * 100.0:.2f}"
    yield "dissipated by friction [J/m]", f"{friction:.2f}"
    yield "– share of E0 [%]", f"{friction / initial * 100.0:.2f}"
    yield "rebound speed, centre of mass, upwards [m/s]", f"{result.series('bodies/cylinder/velocity')[-1, 1]:.2f}"
    yield "contacts (stick + slip)", f"{stick + slip} ({stick} + {slip})"
    yield "**Largest ledger error** / E0", f"{np.max(np.abs(result.series('energy_balance_error'))) / initial:.1e}"


def run_time_rows(result):
    seconds = float(result.file["case"].attrs["wall_clock_seconds"])
    yield "**Run time, paper**, Pentium 4 2.8 GHz [s]", f"{result.published.cpu:.0f}"
    yield "ours, wall clock [s]", f"{seconds:.2f}"
    yield "– paper / ours", f"{result.published.cpu / seconds:.0f} ×"


def finer_rows(result):
    """The figures that move with mesh and step."""
    step = result.series("step_size")[1:].max()
    yield f"**Finer**: {len(result.cells(True)[0])} elements, {step * 1e6:g} µs: time [ms]", f"{peak(result, MEASURE)[1] * 1e3:.2f}"
    yield "– PK2, in-plane, nodal [MPa]", f"{peak(result, MEASURE)[0] / 1e6:.3f}"
    yield "– Cauchy, nodal [MPa]", f"{peak(result, 'max_von_mises_nodal')[0] / 1e6:.3f}"
    yield "– energy kept [% of E0]", f"{result.series('total_energy')[-1] / result.initial_energy * 100.0:.2f}"
    yield "– dissipated by friction [J/m]", f"{result.series('friction_dissipation')[-1]:.2f}"


def table(results, finer=()):
    """The whole table as Markdown that also reads well in a terminal."""
    parts = (time_rows, stress_rows, energy_rows, run_time_rows)
    columns = [[row for part in parts for row in part(result)] for result in results]
    for level in finer:
        for column, result in zip(columns, level):
            column.extend(finer_rows(result))
    lines = [["Quantity"] + [result.published.title for result in results]]
    lines += [[rows[0][0]] + [row[1] for row in rows] for rows in zip(*columns)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = [markdown_row(line, widths) for line in lines]
    text.insert(1, "|" + "|".join(["-" * (widths[0] + 2)] + ["-" * (w + 1) + ":" for w in widths[1:]]) + "|")
    threads = "/".join(sorted({str(r.file["case/settings"].attrs.get("threads", "?")) for r in results}))
    return "\n".join(text) + "\n\n" + NOTES.format(threads=threads) + "\n"


def markdown_row(cells, widths):
    padded = [cells[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
    return "| " + " | ".join(padded) + " |"


# ---------------------------------------------------------------------------------------------------------------------
# Figures
# ---------------------------------------------------------------------------------------------------------------------


def set_style():
    plt.rcParams.update(
        {
            "font.family": "DejaVu Sans",
            "font.size": 10.5,
            "axes.titlesize": 11.5,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.edgecolor": MUTED,
            "axes.labelcolor": INK,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "xtick.color": MUTED,
            "ytick.color": MUTED,
            "xtick.labelcolor": INK,
            "ytick.labelcolor": INK,
            "lines.linewidth": 2.0,
            "lines.solid_capstyle": "round",
            "savefig.facecolor": "white",
            "svg.hashsalt": "impakt",
        }
    )


def save(figure, out, name):
    """PNG at twice the README's width, and SVG; both without a date, so that they only change with the data."""
    figure.savefig(out / f"{name}.png", dpi=200, metadata={"Software": None})
    figure.savefig(out / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def draw_energies(results, out):
    """Kinetic, strain, total energy and friction loss over time, one panel a case."""
    figure, panels = plt.subplots(1, 3, figsize=(9.0, 3.9), sharex=True, sharey=True, layout="constrained")
    for panel, result in zip(panels, results):
        time = result.time * 1e3
        for name, series, style in (
            ("total", "total_energy", "-"),
            ("kinetic", "kinetic_energy", "-"),
            ("strain", "strain_energy", "-"),
            ("friction", "friction_dissipation", (0, (4, 1.5))),
        ):
            panel.plot(time, result.series(series), color=ENERGY_COLOURS[name], ls=style, clip_on=False)
        panel.set_title(result.published.title)
        panel.set(xlim=(0.0, time[-1]), ylim=(0.0, None), xlabel="time [ms]")
        panel.grid(axis="y", color="#ebebeb", lw=0.8)
        panel.set_axisbelow(True)
    panels[0].set_ylabel("energy [J/m]")
    label_energies(panels)
    save(figure, out, "energies")


def label_energies(panels):
    """Names beside the curves, where the three cases leave room."""
    labels = (
        (0, "total", "total", 1.6, 89.5),
        (0, "kinetic", "kinetic", 1.48, 62.0),
        (0, "strain", "strain", 1.48, 31.0),
        (0, "friction", "friction: 0", 1.85, 4.0),
        (1, "friction", "lost to friction", 1.3, 95.0),
        (1, "total", "total", 0.5, 80.0),
        (1, "kinetic", "kinetic", 2.25, 13.5),
        (1, "strain", "strain", 2.25, 4.6),
        (2, "friction", "lost to friction", 1.3, 95.0),
        (2, "total", "total", 0.45, 80.0),
        (2, "kinetic", "kinetic", 2.25, 4.3),
        (2, "strain", "strain", 2.25, 13.5),
    )
    for panel, name, text, x, y in labels:
        panels[panel].text(x, y, text, color=ENERGY_COLOURS[name], fontweight="bold", va="center")


def draw_centre_height(results, out):
    """Height of the centre over time, our lowest points, and the paper's times of the largest stress."""
    figure, axes = plt.subplots(figsize=(9.0, 4.6), layout="constrained")
    for result in results:
        published, time, height = result.published, result.time * 1e3, result.height * 1e3
        row = result.lowest
        axes.plot(time, height, color=published.colour, clip_on=False)
        axes.plot(time[row], height[row], "o", ms=8, mec="white", mew=1.2, color=published.colour, zorder=5)
        mark_paper_time(axes, published, np.interp(published.time, result.time, height))
        axes.annotate(
            published.title,
            (time[-1], height[-1]),
            (8, 0),
            textcoords="offset points",
            color=published.colour,
            fontweight="bold",
            va="center",
            annotation_clip=False,
        )
    axes.text(0.93, 2.0, "largest stress in the paper (Table 1)", color=INK, va="center")
    axes.text(0.93, 7.6, "● lowest point, ours", color=INK, va="center")
    axes.set(xlim=(0.0, results[0].time[-1] * 1e3), ylim=(0.0, None), xlabel="time [ms]")
    axes.set_ylabel("height of the cylinder's centre [mm]")
    axes.grid(axis="y", color="#ebebeb", lw=0.8)
    axes.set_axisbelow(True)
    save(figure, out, "centre_height")


def mark_paper_time(axes, published, height):
    """A tick at the paper's time, with a hair line up to our curve."""
    time = published.time * 1e3
    axes.plot([time] * 2, [0.0, 4.0], color=published.colour, lw=4.0, solid_capstyle="butt")
    axes.plot([time] * 2, [4.0, height], color=published.colour, lw=1.0, ls=":")


def draw_walls(axes, result, points, shift=0.0):
    for cell in result.cells(False)[1]:
        corners = points[cell] + [shift, 0.0]
        axes.fill(*corners.T, facecolor=WALL, edgecolor="#a8a8a5", lw=0.8, zorder=1)


def draw_body(axes, result, points, values=None, norm=None, shift=0.0):
    """The cells of the body, coloured by a cell field, or plain."""
    numbers, cells = result.cells(True)
    polygons = [points[cell] + [shift, 0.0] for cell in cells]
    mesh = PolyCollection(polygons, lw=0.35, edgecolor="#00000055", zorder=2)
    if values is None:
        mesh.set_facecolor(FOAM)
        mesh.set_edgecolor("#dad6cb")
    else:
        mesh.set(array=values[numbers], cmap=STRESS_MAP, norm=norm)
    axes.add_collection(mesh)
    outline = points[result.surface_edges()] + [shift, 0.0]
    axes.add_collection(LineCollection(outline, colors=INK, lw=0.9, zorder=3))


def body_points(result, frame):
    return result.points(frame)[np.unique(np.concatenate(result.cells(True)[1]))]


def vertical_limits(results, frames, margin=1.5):
    """Heights that hold groove and bodies in all panels of a row."""
    points = np.vstack([body_points(r, f) for r, f in zip(results, frames)])
    return min(points[:, 1].min(), 0.0) - margin, max(points[:, 1].max(), 35.0) + margin


def bare(axes, limits, half_width=16.0):
    """Equal scales and no frame; lengths are read off the groove and the scale bar."""
    axes.set(xlim=(-half_width, half_width), ylim=limits, aspect="equal")
    axes.axis("off")


def scale_bar(axes, left, height, length=10.0):
    """A length in mm instead of axes."""
    axes.plot([left, left + length], [height] * 2, color=INK, lw=2.0, solid_capstyle="butt")
    axes.text(left + length / 2.0, height + 0.7, f"{length:g} mm", ha="center", va="bottom", fontsize=9)


def stress_at(result, frame):
    """Cauchy von Mises of the cells, MPa; NaN in the obstacles."""
    return result.field("CellData", "von_mises", frame) / 1e6


def draw_shapes(results, out):
    """Deformed shapes with von Mises stress at the lowest point and at 2 ms."""
    rows = (
        ("lowest point, ", [r.frame_near(r.time[r.lowest]) for r in results]),
        ("", [r.frame_near(LATE_TIME) for r in results]),
    )
    limits = [vertical_limits(results, frames) for _, frames in rows]
    heights = [top - bottom for bottom, top in limits]
    figure, panels = plt.subplots(
        2, 3, figsize=(9.0, 9.3), layout="constrained", gridspec_kw={"height_ratios": heights}
    )
    figure.get_layout_engine().set(h_pad=0.1)
    for row, (name, frames) in enumerate(rows):
        norm = Normalize(0.0, max(np.nanmax(stress_at(r, f)) for r, f in zip(results, frames)))
        for axes, result, frame in zip(panels[row], results, frames):
            points = result.points(frame)
            draw_walls(axes, result, points)
            draw_body(axes, result, points, stress_at(result, frame), norm)
            bare(axes, limits[row])
            axes.set_title(f"{result.published.title}\n", loc="center")
            axes.text(0.5, 1.012, f"{name}{result.frames[frame] * 1e3:.2f} ms", transform=axes.transAxes, ha="center")
        bar = figure.colorbar(ScalarMappable(norm, STRESS_MAP), ax=panels[row], shrink=0.62, aspect=26, pad=0.02)
        bar.set_label("von Mises, Cauchy [MPa]")
        bar.outline.set_visible(False)
    scale_bar(panels[0][0], -5.0, limits[0][1] - 5.0)
    save(figure, out, "shapes")


def draw_dissipation(results, out):
    """Contact forces at the lowest point, and where friction took the energy by the end; cases with friction."""
    results = [r for r in results if r.published.friction > 0.0]
    lowest = [r.frame_near(r.time[r.lowest]) for r in results]
    last = [len(r.frames) - 1 for r in results]
    limits = vertical_limits(results * 2, lowest + last)
    figure, panels = plt.subplots(1, 4, figsize=(9.0, 3.75), layout="constrained", gridspec_kw={"wspace": 0.0})
    figure.get_layout_engine().set(h_pad=0.1)
    scale = 8.0 / largest_force(results, lowest)  # mm of arrow per N/m
    for axes, result, frame in zip(panels[:2], results, lowest):
        draw_forces(axes, result, frame, scale)
        bare(axes, limits)
    force_key(panels[0], scale, limits[1] - 8.5)
    top = max(result.field("PointData", "friction_energy", -1).max() for result in results)
    norm = Normalize(0.0, top)
    for axes, result, frame in zip(panels[2:], results, last):
        draw_friction_energy(axes, result, frame, norm)
        bare(axes, limits)
    bar = figure.colorbar(ScalarMappable(norm, LOSS_MAP), ax=panels, shrink=0.7, aspect=24, pad=0.01,
                          ticks=MaxNLocator(integer=True))
    bar.set_label("friction energy per node [J/m]")
    bar.outline.set_visible(False)
    save(figure, out, "dissipation")


def largest_force(results, frames):
    return max(
        np.linalg.norm(r.field("PointData", "contact_force", f), axis=1).max() for r, f in zip(results, frames)
    )


def draw_forces(axes, result, frame, scale):
    """Contact forces on the nodes, with their tails at the nodes."""
    points, forces = result.points(frame), result.field("PointData", "contact_force", frame)[:, :2]
    draw_walls(axes, result, points)
    draw_body(axes, result, points)
    held = np.linalg.norm(forces, axis=1) > 0.0
    axes.quiver(*points[held].T, *(forces[held] * scale).T, angles="xy", scale_units="xy", scale=1.0,
                color="#D55E00", width=0.012, headwidth=3.2, headlength=3.6, headaxislength=3.2, zorder=4)
    caption(axes, result, "contact forces,", f"{result.frames[frame] * 1e3:.2f} ms (lowest)")


def force_key(axes, scale, height, force=5000.0):
    axes.quiver(-force * scale / 2.0, height, force * scale, 0.0, angles="xy", scale_units="xy", scale=1.0,
                color="#D55E00", width=0.012, headwidth=3.2, headlength=3.6, headaxislength=3.2)
    axes.text(0.0, height + 0.9, f"{force / 1e3:g} kN/m", ha="center", va="bottom", fontsize=9)


def draw_friction_energy(axes, result, frame, norm):
    """A thick outline where a node lost energy, from edge middle to edge middle in the colour of the node."""
    points, energy = result.points(frame), result.field("PointData", "friction_energy", frame)
    draw_walls(axes, result, points)
    draw_body(axes, result, points)
    edges = result.surface_edges()
    before, after = {b: a for a, b in edges}, {a: b for a, b in edges}
    rubbed = [node for node in after if energy[node] > 0.0]
    around = points[[[before[n], n, after[n]] for n in rubbed]]
    paths = (around + around[:, 1:2]) / 2.0
    axes.add_collection(LineCollection(paths, array=energy[rubbed], cmap=LOSS_MAP, norm=norm, lw=6.0, zorder=4))
    caption(axes, result, "friction energy,", f"{result.frames[frame] * 1e3:.2f} ms (end)")


def caption(axes, result, *lines):
    axes.set_title(result.published.title + "\n" * len(lines), loc="center")
    axes.text(0.5, 1.02, "\n".join(lines), transform=axes.transAxes, ha="center", va="bottom", fontsize=9.5)


def draw_hero(result, out, pitch=33.0):
    """Five shapes of one fall, side by side in five copies of the groove, with where the energy is: for the top of the README."""
    lowest = result.time[result.lowest]
    times = (0.0, 0.45 * lowest, lowest, 1.15e-3, result.time[-1])
    frames = [result.frame_near(time) for time in times]
    norm = Normalize(0.0, max(np.nanmax(stress_at(result, frame)) for frame in frames))
    figure = plt.figure(figsize=(12.0, 5.6))
    axes = figure.add_axes((0.005, 0.13, 0.99, 0.87))
    for place, frame in enumerate(frames):
        points, shift = result.points(frame), place * pitch
        draw_walls(axes, result, points, shift)
        draw_body(axes, result, points, stress_at(result, frame), norm, shift)
        axes.text(shift, -2.6, f"{result.frames[frame] * 1e3:.2f} ms", ha="center", va="top", fontsize=15)
        draw_shares(axes, result, result.frames[frame], shift, pitch - 3.0)
    velocity = result.series("bodies/cylinder/velocity")[:, 1]
    draw_velocity(axes, 0.0, 17.5, velocity[0])
    draw_velocity(axes, 4 * pitch, 10.0, velocity[-1])
    axes.set(xlim=(-16.5, pitch * 4 + 16.5), ylim=(-12.5, vertical_limits([result] * 5, frames)[1]), aspect="equal")
    axes.axis("off")
    bar = figure.colorbar(ScalarMappable(norm, STRESS_MAP), cax=figure.add_axes((0.165, 0.065, 0.2, 0.026)),
                          orientation="horizontal")
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=12, length=0)
    figure.text(0.155, 0.078, "von Mises stress", ha="right", va="center", fontsize=13)
    figure.text(0.375, 0.078, "MPa", ha="left", va="center", fontsize=13)
    left = 0.46
    for name, _, colour in HERO_SHARES:
        figure.patches.append(plt.Rectangle((left, 0.065), 0.018, 0.026, transform=figure.transFigure, color=colour, lw=0))
        figure.text(left + 0.024, 0.078, name, ha="left", va="center", fontsize=13)
        left += 0.05 + 0.0105 * len(name)
    figure.savefig(out / "hero.png", dpi=100, metadata={"Software": None}, pil_kwargs={"optimize": True})
    plt.close(figure)


HERO_SHARES = (
    ("kinetic energy", "kinetic_energy", ENERGY_COLOURS["kinetic"]),
    ("strain energy", "strain_energy", ENERGY_COLOURS["strain"]),
    ("lost to friction", "friction_dissipation", ENERGY_COLOURS["friction"]),
)


def draw_shares(axes, result, time, centre, width, height=4.0, top=-7.6):
    """A bar of the initial energy, divided as it is at a time."""
    row = int(np.argmin(np.abs(result.time - time)))
    initial, left = result.series("total_energy")[0], centre - width / 2.0
    for _, column, colour in HERO_SHARES:
        part = width * result.series(column)[row] / initial
        axes.add_patch(plt.Rectangle((left, top - height), part, height, color=colour, lw=0))
        if part > 0.22 * width:
            axes.text(left + part / 2.0, top - height / 2.0, f"{100.0 * part / width:.0f} %", ha="center", va="center",
                      fontsize=13, color="white", fontweight="bold")
        left += part


def draw_velocity(axes, x, tail, speed, length=8.5):
    """A short arrow up or down with the speed beside it."""
    tip = tail + np.sign(speed) * length
    arrow = {"arrowstyle": "-|>", "lw": 2.2, "color": INK, "mutation_scale": 18}
    axes.annotate("", (x, tip), (x, tail), arrowprops=arrow)
    axes.text(x, min(tip, tail) - 0.8, f"{abs(speed):.0f} m/s", ha="center", va="top", fontsize=13)


# ---------------------------------------------------------------------------------------------------------------------


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for published in TABLE_1:
        parser.add_argument(
            f"result_{published.label.lower()}",
            metavar=f"RESULT_{published.label}",
            help=f"result file of case {published.label}, friction {published.friction:g}",
        )
    parser.add_argument("--finer", nargs=3, action="append", default=[], metavar=("A", "B", "C"), help="the same, finer")
    parser.add_argument("--out", type=Path, default=Path("results/vgroove"), metavar="DIR", help="where to write")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    paths = (arguments.result_a, arguments.result_b, arguments.result_c)
    try:
        results = [Result(path, published) for path, published in zip(paths, TABLE_1)]
        finer = [[Result(path, published) for path, published in zip(level, TABLE_1)] for level in arguments.finer]
    except (WrongInput, KeyError) as error:
        print(f"vgroove_study: {error}", file=sys.stderr)
        return 2
    arguments.out.mkdir(parents=True, exist_ok=True)
    text = table(results, finer)
    (arguments.out / "table.md").write_text(text, encoding="utf-8")
    print(text)
    set_style()
    draw_energies(results, arguments.out)
    draw_centre_height(results, arguments.out)
    draw_shapes(results, arguments.out)
    draw_dissipation(results, arguments.out)
    draw_hero(results[1], arguments.out)
    print(f"figures and table.md in {arguments.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
