"""The pictures of the README: runs the cases it shows, draws them and stores small PNG files in cases/pictures.

    .venv/bin/python scripts/gallery.py         after scripts/study.sh, whose figures it takes over

Every picture comes out of result files of the program; nothing is drawn by hand.
"""

import subprocess
import sys
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"
PICTURES = ROOT / "cases" / "pictures"
WIDTH = 900


def run(case, name, *sets):
    """Runs a case and returns its result file."""
    result = RESULTS / f"{name}.vtkhdf"
    command = [ROOT / "target/release/impakt", "run", ROOT / "cases" / case, "-o", result, "--quiet"]
    for change in sets:
        command += ["--set", change]
    subprocess.run(command, check=True)
    return result


def shrink(source, name, width=WIDTH, colours=128):
    """A small copy for the README: width in pixels, few colours."""
    image = Image.open(source).convert("RGB")
    if image.width > width:
        image = image.resize((width, round(image.height * width / image.width)), Image.LANCZOS)
    image.quantize(colours, dither=Image.Dither.NONE).save(PICTURES / name, optimize=True)
    print(f"{name}: {(PICTURES / name).stat().st_size // 1024} kB")


def render(result, name, *arguments):
    picture = RESULTS / name
    script = ROOT / "scripts/render_case.py"
    subprocess.run([sys.executable, script, result, picture, *arguments], check=True, stdout=subprocess.DEVNULL)
    shrink(picture, name, 600)


def draw_bar_force():
    """Wall force of the bar with two schemes beside the wave solution."""
    case = "bar_on_wall/quads.yaml"
    exact, theta_half = 300.0, run(case, "bar_half")
    smooth = run(case, "bar_smooth", "time.scheme={jean: {theta: 0.6, xi: 0.6}}")
    figure, axes = plt.subplots(figsize=(9.0, 3.4), layout="constrained")
    for path, label, colour, width in (
        (theta_half, "θ = ξ = ½", "#9ecae1", 0.9),
        (smooth, "θ = ξ = 0.6", "#0072B2", 2.0),
    ):
        with h5py.File(path) as file:
            rows = int(file["history"].attrs["rows"])
            time = file["history/time"][:rows]
            force = file["history/contact_force"][:rows, 0]
        axes.step(time, force, where="pre", color=colour, lw=width, label=label)
    start = 0.5 / 10.0
    axes.plot([0, start, start, start + 2 / 3, start + 2 / 3, 1], [0, 0, exact, exact, 0, 0], "--", color="#D55E00", lw=1.6, label="wave solution")
    axes.set(xlim=(0, 0.98), ylim=(0, 600), xlabel="time [s]", ylabel="force on the wall [N]")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=3, loc="upper center")
    figure.savefig(RESULTS / "bar_force.png", dpi=150)
    plt.close(figure)
    shrink(RESULTS / "bar_force.png", "bar_force.png")


def draw_catalogue():
    """One picture for some entries of the catalogue: cases of cases/ on finer meshes, without their promises."""
    bare = "expect=[]"
    sweep = ("{sweep: {mesh: {rectangle: {min: [0.010, -0.004], max: [0.018, 0.004], divisions: [2, 2]}}, "
             "path: {arc: {angle: 360, axis: y}}, layers: 24}, "
             "place: {rotate: {angle: 90, axis: [1, 0, 0]}, translate: [0, 0, -0.0105]}}")
    torus = run("obstacles/cone.yaml", "torus_on_cone", bare, f"bodies.block.mesh={sweep}", "time.end=3.0e-3",
                "bodies.block.velocity=[0.0, 0.0, -4.0]", "materials.rubber.law.neo_hooke.young=2.0e5")
    render(torus, "torus.png")
    pole = run("obstacles/cylinder.yaml", "block_on_pole", bare, "bodies.block.mesh.box.divisions=[8, 6, 3]",
               "time.end=1.8e-3")
    render(pole, "pole.png")
    funnel = run("obstacles/cone_container.yaml", "cube_in_funnel", bare, "time.end=5.0e-3",
                 "bodies.cube.mesh.box.divisions=[5, 5, 5]")
    render(funnel, "funnel.png")
    bowl = run("obstacles/circle_container.yaml", "disc_in_bowl", bare, "bodies.disc.mesh.disc.core=8",
               "bodies.disc.mesh.disc.layers=4", "bodies.disc.velocity=[25.0, 0.0]", "time.end=1.1e-3")
    render(bowl, "bowl.png")
    ball = run("rigid/circle_on_block.yaml", "rigid_ball", bare, "bodies.block.mesh.rectangle.divisions=[40, 16]",
               "time.end=3.5e-3", "output.every=5.0e-4", "obstacles.ball.velocity=[2.0, -8.0]")
    render(ball, "ball.png")
    render(run("rigid/mixed_pile.yaml", "mixed_pile"), "pile.png")
    render(run("pairs/two_rings_friction.yaml", "two_rings_friction"), "rings.png", "--time", "0.02")
    box = run("pairs/cylinders_in_a_box.yaml", "cylinders_in_a_box", bare, "bodies.*.mesh.disc.core=8",
              "bodies.*.mesh.disc.layers=4")
    render(box, "box.png")
    finer = ("bodies.tall.mesh.box.divisions=[4, 4, 12]", "bodies.base.mesh.box.divisions=[28, 20, 5]")
    blocks = run("pairs/block_tips_over.yaml", "block_tips_over", bare, "time.end=0.26", *finer)
    render(blocks, "blocks.png", "--up", "z")
    render(run("pairs/hopper.yaml", "hopper"), "hopper.png", "--near", "0.12")
    render(run("pairs/cylinder_on_rubber.yaml", "cylinder_on_rubber"), "rubber.png", "--time", "4.5e-4", "--near", "0.25")
    squeezed = run("levels/pressed_block.yaml", "squeezed_rubber", bare, "bodies.block.formulation=mean_dilatation",
                   "bodies.block.mesh.rectangle.divisions=[16, 16]", "time.step=0.025",
                   "materials.rubber.law={mooney_rivlin: {c1: 3.0e5, c2: 1.0e5, bulk_modulus: 4.0e8}}",
                   "boundary=[{fixed: {on: block.bottom}}, {displacement: {on: block.top, x: 0.0, y: {ramp: {to: -0.35, rise: 1.0}}}}]")
    render(squeezed, "squeezed.png", "--near", "0.2")


def draw_in_paraview():
    """Dissipation beside the ledger, by ParaView's own script, where ParaView is installed."""
    result = run("vgroove/b_friction_02.yaml", "b_friction_02")
    out = RESULTS / "paraview"
    command = [ROOT / "scripts/paraview/dissipation.sh", result, "--time", "1.5e-3", "--out", out]
    code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if code == 3:
        print("gallery: no ParaView; paraview.png is left as it is", file=sys.stderr)
        return
    if code != 0:
        raise subprocess.CalledProcessError(code, command)
    shrink(out / "frame_0000.png", "paraview.png", 1200, 256)


def main():
    PICTURES.mkdir(parents=True, exist_ok=True)
    study = RESULTS / "vgroove"
    if not (study / "hero.png").exists():
        print("gallery: run scripts/study.sh first", file=sys.stderr)
        return 2
    shrink(study / "hero.png", "hero.png", 1200)
    for name in ("energies.png", "dissipation.png", "shapes.png"):
        shrink(study / name, f"vgroove_{name}")
    draw_bar_force()
    render(run("solid/block_on_box_corner.yaml", "block_on_box_corner"), "block.png", "--time", "1.6e-3", "--up", "z")
    spike = run("spike/flat_block_on_spike.yaml", "flat_block_on_spike")
    render(spike, "spike.png", "--time", "2.6e-3")
    draw_catalogue()
    draw_in_paraview()
    return 0


if __name__ == "__main__":
    sys.exit(main())
