"""Where friction took its energy, in ParaView: a field on the deformed surface beside the chart of the energies, as PNG
frames and, where ffmpeg is installed, as a video.

    scripts/paraview/dissipation.sh RESULT.vtkhdf [--out DIR] [--frames N | --time T] [--field NAME] [--from X,Y,Z]

Or with `pvpython` directly, where there is a display. ParaView 5.12 and newer read the `.vtkhdf` file itself; 5.10 and 5.11, whose
reader knows no time, read the `.xdmf` beside it. RESULT may be either.

Plane bodies carry the field on their outline, solids on their surface; obstacles are grey. Exit codes: 0 done, 2 an input
is wrong.
"""

import argparse
import os
import shutil
import subprocess
import sys

from paraview import servermanager, simple
from paraview.simple import GetParaViewVersion
from vtkmodules.vtkCommonCore import vtkDoubleArray
from vtkmodules.vtkCommonDataModel import vtkTable

INK, WALL, BODY, EDGE = [0.13, 0.13, 0.13], [0.82, 0.82, 0.81], [0.96, 0.95, 0.92], [0.72, 0.71, 0.68]
RAMP = ((0.0, (0.82, 0.81, 0.78)), (0.12, (0.99, 0.86, 0.50)), (0.35, (0.97, 0.58, 0.20)), (0.60, (0.82, 0.25, 0.25)),
        (0.80, (0.48, 0.09, 0.38)), (1.0, (0.10, 0.03, 0.18)))
# what the chart shows: column, name, colour
ENERGIES = (
    ("kinetic_energy", "kinetic", (0.00, 0.45, 0.70)),
    ("strain_energy", "stored", (0.00, 0.62, 0.45)),
    ("friction_dissipation", "lost to friction", (0.84, 0.37, 0.00)),
    ("numerical_dissipation", "lost to the scheme", (0.80, 0.47, 0.65)),
    ("plastic_dissipation", "lost to plastic flow", (0.90, 0.62, 0.00)),
    ("total_energy", "kinetic + stored", (0.35, 0.35, 0.35)),
)
# unit and what to call it; other fields go by their own name
FIELDS = {
    "friction_energy_density": ("J/m²", "lost to friction"),
    "friction_power_density": ("W/m²", "power of friction"),
    "friction_energy": ("J", "lost to friction at the node"),
    "contact_pressure": ("Pa", "contact pressure"),
    "slip": ("m", "distance slid"),
    "contact_status": ("", "0 open, 1 stick, 2 slip"),
}
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"))


MARK = "now"  # name of the line in the chart that marks the time of the picture


class WrongInput(Exception):
    """Something that a person must change."""


def open_result(path):
    """The reader this ParaView has for the file, and the times of the frames."""
    path = os.path.abspath(path)  # the Xdmf3 reader cannot follow a sidecar without folder
    stem, _ = os.path.splitext(path)
    knows_time = GetParaViewVersion() >= (5, 12)
    path = stem + (".vtkhdf" if knows_time else ".xdmf")
    for needed in {path, stem + ".vtkhdf"}:
        if not os.path.isfile(needed):
            raise WrongInput(f"{needed}: no such file; make it with `impakt run`")
    reader = simple.OpenDataFile(path)
    reader.UpdatePipelineInformation()
    times = list(reader.TimestepValues) if hasattr(reader.TimestepValues, "__len__") else [reader.TimestepValues]
    if not times:
        raise WrongInput(f"{path}: the run wrote no frame yet")
    return reader, times


def energies(reader, time):
    """Times and columns of the ledger: what *Plot Global Variables Over Time* draws."""
    reader.UpdatePipeline(time)  # the filter takes the names from what is there
    plot = simple.PlotGlobalVariablesOverTime(Input=reader)
    plot.UpdatePipeline()
    table = servermanager.Fetch(plot)
    if not table.IsA("vtkTable"):
        table = table.GetBlock(0)
    columns = {}
    for i in range(table.GetNumberOfColumns()):
        column = table.GetColumn(i)
        if column.IsA("vtkDataArray") and column.GetNumberOfComponents() == 1:
            columns[column.GetName()] = [column.GetTuple1(k) for k in range(column.GetNumberOfTuples())]
    simple.Delete(plot)
    if "Time" not in columns or "kinetic_energy" not in columns:
        raise WrongInput("the result has no energies as field data; run the case again with this version of impakt")
    return columns


def part(reader, low, high):
    """Cells whose material number lies between two numbers; obstacles have -1."""
    cells = simple.Threshold(Input=reader, Scalars=["CELLS", "material"])
    cells.LowerThreshold, cells.UpperThreshold, cells.ThresholdMethod = low, high, "Between"
    return cells


def bounds(source, times):
    """The box that holds a source at all these times."""
    box = None
    for time in times:
        source.UpdatePipeline(time)
        now = source.GetDataInformation().GetBounds()
        if now[0] <= now[1]:
            pairs = [(min, max)[i % 2] for i in range(6)]
            box = list(now) if box is None else [pick(a, b) for pick, a, b in zip(pairs, box, now)]
    return box


def field_range(source, name, times):
    """Largest size of a point or cell field over these times, and where it lives."""
    largest, home = 0.0, None
    for time in times:
        source.UpdatePipeline(time)
        for kind, data in (("POINTS", source.PointData), ("CELLS", source.CellData)):
            array = data.GetArray(name)
            if array:
                home = kind
                low, high = array.GetRange(-1 if array.GetNumberOfComponents() > 1 else 0)
                largest = max(largest, abs(low), abs(high))
    if home is None:
        there = sorted({a.Name for a in source.PointData} | {a.Name for a in source.CellData})
        raise WrongInput(f"no field `{name}`; there are {', '.join(there)}")
    return largest, home


def flat(display, colour=None):
    """No light and shade: a plane picture."""
    display.Ambient, display.Diffuse, display.Specular = 1.0, 0.0, 0.0
    if colour:
        simple.ColorBy(display, None)
        display.AmbientColor = display.DiffuseColor = colour


def colour_table(name, largest):
    """From grey over orange to almost black."""
    table = simple.GetColorTransferFunction(name)
    table.ColorSpace = "Lab"
    table.RGBPoints = [x for place, colour in RAMP for x in (place * (largest or 1.0), *colour)]
    table.NanColor = BODY
    return table


def scale_title(name, largest):
    unit, title = FIELDS.get(name, ("", name.replace("_", " ")))
    factor, prefix = next(((f, p) for f, p in PREFIXES if largest >= f), (1.0, "")) if unit else (1.0, "")
    return title, f"{prefix}{unit}", factor


def draw_bodies(view, bodies, name, home, largest, plane, size):
    """The deformed bodies; returns the display that carries the colours."""
    title, unit, factor = scale_title(name, largest)
    shown = simple.Calculator(Input=bodies, ResultArrayName="shown")
    shown.AttributeType = "Point Data" if home == "POINTS" else "Cell Data"
    vector = (bodies.PointData if home == "POINTS" else bodies.CellData)[name].GetNumberOfComponents() > 1
    shown.Function = f"mag({name})/{factor!r}" if vector else f"{name}/{factor!r}"
    surface = simple.ExtractSurface(Input=shown)
    if plane and home == "POINTS":
        body = simple.Show(surface, view)
        flat(body, BODY)
        body.SetRepresentationType("Surface With Edges")
        body.EdgeColor = EDGE
        rim = simple.FeatureEdges(Input=surface, BoundaryEdges=1, FeatureEdges=0, NonManifoldEdges=0, ManifoldEdges=0)
        outline = simple.Tube(Input=rim, Radius=0.008 * size, NumberofSides=12, Capping=1)
        outline.Scalars, outline.Vectors = [None, ""], [None, ""]
        display = simple.Show(outline, view)
        flat(display)
    else:
        display = simple.Show(surface, view)
        display.SetRepresentationType("Surface With Edges")
        display.EdgeColor = EDGE
        display.Ambient, display.Diffuse, display.Specular = 0.4, 0.6, 0.0
        if plane:
            flat(display)
    simple.ColorBy(display, ("POINTS" if home == "POINTS" else "CELLS", "shown"))
    table = colour_table("shown", largest / factor)
    display.LookupTable = table
    display.InterpolateScalarsBeforeMapping = 1
    bar = simple.GetScalarBar(table, view)
    bar.Title, bar.ComponentTitle = f"{title} [{unit}]" if unit else title, ""
    bar.Orientation, bar.WindowLocation, bar.Position = "Horizontal", "Any Location", [0.22, 0.045]
    bar.ScalarBarLength, bar.ScalarBarThickness = 0.56, 16
    bar.TitleColor = bar.LabelColor = INK
    bar.TitleFontSize, bar.LabelFontSize = 18, 16
    bar.AutomaticLabelFormat, bar.LabelFormat, bar.RangeLabelFormat = 0, "%.3g", "%.3g"
    display.SetScalarBarVisibility(view, True)
    return display


def draw_obstacles(view, obstacles, plane):
    display = simple.Show(obstacles, view)
    display.SetRepresentationType("Surface")
    if plane:
        flat(display, WALL)
    else:
        simple.ColorBy(display, None)
        display.AmbientColor = display.DiffuseColor = WALL
        display.Opacity = 0.55
    display.LineWidth = 3.0


def aim(view, box, plane, direction):
    """Fits a box into the upper part of the view; the scale lies below."""
    middle = [(box[i] + box[i + 1]) / 2.0 for i in (0, 2, 4)]
    size = [box[i + 1] - box[i] for i in (0, 2, 4)]
    width, height = view.ViewSize
    if plane:
        room = 0.80  # share of the height for the scene
        half = max(size[1] / (2.0 * room), size[0] * height / width / 2.0) * 1.04
        centre = [middle[0], middle[1] - (1.0 - room) * half * 0.75, 0.0]
        view.CameraParallelProjection, view.CameraParallelScale = 1, half
        view.CameraFocalPoint, view.CameraPosition = centre, [centre[0], centre[1], 10.0 * half]
        view.CameraViewUp = [0.0, 1.0, 0.0]
        return
    diagonal = sum(s * s for s in size) ** 0.5
    length = sum(d * d for d in direction) ** 0.5
    middle[2] -= 0.12 * size[2]  # room for the scale
    view.CameraFocalPoint = middle
    view.CameraPosition = [m + 2.1 * diagonal * d / length for m, d in zip(middle, direction)]
    view.CameraViewUp = [0.0, 0.0, 1.0]


def fill(source, columns):
    """Gives a source the table of these numbers."""
    table = vtkTable()
    for name, values in columns.items():
        array = vtkDoubleArray()
        array.SetName(name)
        for value in values:
            array.InsertNextValue(value)
        table.AddColumn(array)
    source.GetClientSideObject().SetOutput(table)
    source.MarkModified(source)
    return source


def clock(ledger):
    """Factor and unit in which the times of a run are shown."""
    end = max(ledger["Time"])
    return next((f, u) for f, u, least in ((1.0, "s", 1.0), (1e3, "ms", 1e-3), (1e6, "µs", 0.0)) if end >= least)


def draw_chart(ledger):
    """The chart of the energies and the source of its time mark."""
    factor, unit = clock(ledger)
    view = simple.CreateView("XYChartView")
    top = max(max(ledger[c]) for c, _, _ in ENERGIES if c in ledger)
    low = min(0.0, min(min(ledger[c]) for c, _, _ in ENERGIES if c in ledger))
    times = [factor * t for t in ledger["Time"]]
    every = max(1, len(times) // 600)
    curves = {"t": times[::every]}
    for column, name, _ in ENERGIES:
        # a scheme that loses nothing needs no line
        if column in ledger and max(abs(v) for v in ledger[column]) > 1e-3 * top:
            curves[name] = ledger[column][::every]
    chart = simple.Show(fill(simple.TrivialProducer(), curves), view, "XYChartRepresentation")
    chart.UseIndexForXAxis, chart.XArrayName = 0, "t"
    names = [name for _, name, _ in ENERGIES if name in curves]
    chart.SeriesVisibility = names
    colours = {name: colour for _, name, colour in ENERGIES}
    chart.SeriesColor = [str(x) for name in names for x in (name, *colours[name])]
    chart.SeriesLineThickness = [str(x) for name in names for x in (name, 3)]
    chart.SeriesLineStyle = [str(x) for name in names for x in (name, 1)]
    chart.SeriesLabel = [x for name in names for x in (name, name)]
    high = (1.1 + 0.03 * len(names)) * top  # room for the legend above the curves
    mark = fill(simple.TrivialProducer(), {"t": [times[0]] * 2, MARK: [low, high]})
    line = simple.Show(mark, view, "XYChartRepresentation")
    line.UseIndexForXAxis, line.XArrayName, line.SeriesVisibility = 0, "t", [MARK]
    line.SeriesColor, line.SeriesLineThickness = [MARK, "0.5", "0.5", "0.5"], [MARK, "1"]
    line.SeriesLineStyle, line.SeriesLabel = ["now", "2"], ["now", "now"]
    view.LeftAxisUseCustomRange, view.LeftAxisRangeMinimum, view.LeftAxisRangeMaximum = 1, 1.05 * low, high
    view.BottomAxisUseCustomRange, view.BottomAxisRangeMinimum, view.BottomAxisRangeMaximum = 1, times[0], times[-1]
    view.BottomAxisTitle, view.LeftAxisTitle = f"time [{unit}]", "energy [J]"
    view.BottomAxisTitleFontSize = view.LeftAxisTitleFontSize = 16
    view.BottomAxisLabelFontSize = view.LeftAxisLabelFontSize = 14
    view.BottomAxisTitleBold = view.LeftAxisTitleBold = 0
    view.LegendFontSize, view.LegendLocation = 14, "TopRight"
    return view, mark, (low, high)


def choose_times(times, count, wanted):
    """The frame nearest to a time, or some spread over the run."""
    if wanted is not None:
        return [min(times, key=lambda t: abs(t - wanted))]
    count = max(1, min(count, len(times)))
    return [times[round(k * (len(times) - 1) / max(1, count - 1))] for k in range(count)]


def scene_box(bodies, obstacles, times):
    """What the picture should hold: the bodies on their way, and the obstacles near it."""
    box, near = bounds(bodies, times), bounds(obstacles, times)
    deformable = box is not None
    if not deformable:  # rigid bodies only, which are drawn as obstacles are
        box = near
    size = max(box[i + 1] - box[i] for i in (0, 2, 4))
    if near and deformable:
        for i in (0, 2, 4):
            box[i] = min(box[i], max(near[i], box[i] - 0.6 * size))
            box[i + 1] = max(box[i + 1], min(near[i + 1], box[i + 1] + 0.6 * size))
    return box, size, deformable, near is not None


def draw(result, out, frames, wanted, field, size, direction):
    """Writes the frames and returns their names."""
    reader, times = open_result(result)
    reader.UpdatePipeline(times[0])
    if not reader.CellData.GetArray("material"):
        raise WrongInput(f"{result}: no field `material`, which tells bodies from obstacles; add it to output.fields")
    ledger = energies(reader, times[0])
    chosen = choose_times(times, frames, wanted)
    bodies, obstacles = part(reader, 0, 1e9), part(reader, -1, -1)
    box, extent, deformable, walled = scene_box(bodies, obstacles, choose_times(times, 12, None))
    plane = box[5] - box[4] <= 1e-9 * extent

    width, height = (max(200, int(n)) for n in size)
    picture = simple.CreateView("RenderView")
    picture.ViewSize = [round(0.56 * width), height]
    picture.UseColorPaletteForBackground, picture.Background = 0, [1.0, 1.0, 1.0]
    picture.OrientationAxesVisibility = 0
    if walled:
        draw_obstacles(picture, obstacles, plane)
    if deformable:
        largest, home = field_range(bodies, field, choose_times(times, 60, None) + chosen)
        now = bodies.GetDataInformation().GetBounds()
        draw_bodies(picture, bodies, field, home, largest, plane, max(now[i + 1] - now[i] for i in (0, 2, 4)))
    note = simple.Text(Text="")
    words = simple.Show(note, picture)
    words.Color, words.FontSize, words.WindowLocation, words.Position = INK, 20, "Any Location", [0.03, 0.93]
    aim(picture, box, plane, direction)
    chart, mark, span = draw_chart(ledger)
    layout = simple.CreateLayout("dissipation")
    layout.SplitHorizontal(0, 0.56)
    layout.AssignView(1, picture)
    layout.AssignView(2, chart)
    layout.SetSize(width, height)

    os.makedirs(out, exist_ok=True)
    factor, unit = clock(ledger)
    names = []
    for k, time in enumerate(chosen):
        row = min(range(len(ledger["Time"])), key=lambda i: abs(ledger["Time"][i] - time))
        lost = ledger.get("friction_dissipation", [0.0] * (row + 1))[row]
        note.Text = f"t = {factor * time:.3f} {unit}     lost to friction: {lost:.3g} J"
        fill(mark, {"t": [factor * time] * 2, MARK: list(span)})
        picture.ViewTime = chart.ViewTime = time
        name = os.path.join(out, f"frame_{k:04d}.png")
        simple.SaveScreenshot(name, layout, ImageResolution=[width, height])
        names.append(name)
    # while the display is still there; ParaView 5.11 would do it after that
    simple.Delete(picture)
    simple.Delete(chart)
    print(f"lost to friction: {ledger['friction_dissipation'][-1]:.9e} J at {ledger['Time'][-1]:.9e} s")
    return names


def video(out):
    """A video of the frames if ffmpeg is there; its name."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        return None
    name = os.path.join(out, "dissipation.mp4")
    command = [ffmpeg, "-y", "-loglevel", "error", "-framerate", "20", "-i", os.path.join(out, "frame_%04d.png"),
               "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", name]
    return name if subprocess.run(command, check=False).returncode == 0 else None


def numbers(separator, count):
    """Reads so many numbers with a separator between them."""

    def read(text):
        values = [float(n) for n in text.lower().split(separator)]
        if len(values) != count or not any(values):
            raise ValueError
        return values

    read.__name__ = "list"  # what argparse calls it in its message
    return read


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("result", metavar="RESULT.vtkhdf")
    parser.add_argument("--out", default=None, metavar="DIR", help="folder for the frames [<result>_dissipation]")
    parser.add_argument("--frames", type=int, default=60, metavar="N", help="how many, spread over the run [60]")
    parser.add_argument("--time", type=float, metavar="T", help="only the frame nearest to T seconds")
    parser.add_argument("--field", default="friction_energy_density", metavar="NAME",
                        help="point or cell field [friction_energy_density]")
    parser.add_argument("--size", default="1600x800", metavar="WxH", type=numbers("x", 2), help="pixels [1600x800]")
    parser.add_argument("--from", dest="direction", default="1,-1.7,0.8", metavar="X,Y,Z", type=numbers(",", 3),
                        help="where a solid is looked at from; z points up [1,-1.7,0.8]")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    out = arguments.out or os.path.splitext(arguments.result)[0] + "_dissipation"
    try:
        names = draw(arguments.result, out, arguments.frames, arguments.time, arguments.field, arguments.size, arguments.direction)
    except WrongInput as error:
        print(f"dissipation: {error}", file=sys.stderr)
        return 2
    print(f"{len(names)} frames: {names[0]} ... {names[-1]}" if len(names) > 1 else names[0])
    film = video(out) if len(names) > 1 else None
    if film:
        print(film)
    return 0


if __name__ == "__main__":
    sys.exit(main())
