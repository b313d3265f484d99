"""Writes the reference meshes of this folder with Gmsh's own library (pip install gmsh==4.15.2):

    python generate.py

Each model is written as text and binary by Gmsh itself; the variants Gmsh cannot write on this machine (the other byte
order, counts of four bytes) are made from the text by `rewrite`. `expected.csv` lists what Gmsh says of each physical
group: dimension, name, elements, distinct nodes, and length, area or volume of the geometry.
"""

import csv
import pathlib
import struct

import gmsh

FOLDER = pathlib.Path(__file__).parent
rows = []


def save(name, order=1):
    gmsh.model.mesh.setOrder(order)
    gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
    for binary, suffix in [(0, "text"), (1, "binary")]:
        gmsh.option.setNumber("Mesh.Binary", binary)
        gmsh.write(str(FOLDER / f"{name}_{suffix}.msh"))
    for dim, tag in gmsh.model.getPhysicalGroups():
        label = gmsh.model.getPhysicalName(dim, tag) or str(tag)
        nodes, _ = gmsh.model.mesh.getNodesForPhysicalGroup(dim, tag)
        entities = gmsh.model.getEntitiesForPhysicalGroup(dim, tag)
        elements = sum(len(t) for e in entities for t in gmsh.model.mesh.getElements(dim, e)[1])
        size = sum(gmsh.model.occ.getMass(dim, e) for e in entities) if dim else 0.0
        rows.append([name, dim, label, elements, len(set(nodes)), repr(size)])


def plane():
    """Triangles beside quadrilaterals; the right half is a physical group without a name."""
    gmsh.model.add("plane")
    left = gmsh.model.occ.addRectangle(0, 0, 0, 1, 1)
    right = gmsh.model.occ.addRectangle(1, 0, 0, 2, 1)
    gmsh.model.occ.fragment([(2, left)], [(2, right)])
    gmsh.model.occ.synchronize()
    for _, curve in gmsh.model.getEntities(1):
        long = gmsh.model.occ.getMass(1, curve) > 1.5
        gmsh.model.mesh.setTransfiniteCurve(curve, 7 if long else 4)
    gmsh.model.mesh.setTransfiniteSurface(right)
    gmsh.model.mesh.setRecombine(2, right)
    gmsh.model.addPhysicalGroup(2, [left], 7, "soft part")
    gmsh.model.addPhysicalGroup(2, [right], 9)
    gmsh.model.addPhysicalGroup(2, [left, right], 11, "whole")
    at = lambda x: [c for _, c in gmsh.model.getEntitiesInBoundingBox(x - 0.01, -0.01, -0.01, x + 0.01, 1.01, 0.01, 1)]
    gmsh.model.addPhysicalGroup(1, at(0.0), 3, "wall")
    gmsh.model.addPhysicalGroup(1, at(1.0), 4, "seam")
    points = [p for _, p in gmsh.model.getEntitiesInBoundingBox(2.99, 0.99, -0.01, 3.01, 1.01, 0.01, 0)]
    gmsh.model.addPhysicalGroup(0, points, 5, "tip")
    gmsh.model.mesh.generate(2)
    save("plane")


def solid():
    """A block of hexahedra and, apart from it, one of tetrahedra."""
    gmsh.model.add("solid")
    hexes = gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    tets = gmsh.model.occ.addBox(2, 0, 0, 1, 2, 1)
    gmsh.model.occ.synchronize()
    for _, curve in gmsh.model.getEntities(1):
        gmsh.model.mesh.setTransfiniteCurve(curve, 3)
    for _, face in gmsh.model.getBoundary([(3, hexes)], oriented=False):
        gmsh.model.mesh.setTransfiniteSurface(face)
        gmsh.model.mesh.setRecombine(2, face)
    gmsh.model.mesh.setTransfiniteVolume(hexes)
    gmsh.model.addPhysicalGroup(3, [hexes], 1, "bricks")
    gmsh.model.addPhysicalGroup(3, [tets], 2, "needles")
    bottom = [f for _, f in gmsh.model.getEntitiesInBoundingBox(-0.01, -0.01, -0.01, 3.01, 2.01, 0.01, 2)]
    gmsh.model.addPhysicalGroup(2, bottom, 1, "bottom")
    gmsh.model.mesh.generate(3)
    save("solid")


def plain():
    """No physical groups: Gmsh then writes every element. Nodes carry their parameters on curves and surfaces."""
    gmsh.model.add("plain")
    gmsh.model.occ.addRectangle(0, 0, 0, 1, 1)
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.5)
    gmsh.model.mesh.generate(2)
    gmsh.option.setNumber("Mesh.SaveParametric", 1)
    save("plain")
    gmsh.option.setNumber("Mesh.SaveParametric", 0)
    gmsh.option.setNumber("Mesh.MeshSizeMax", 1e22)


def partly():
    """One square of two is a physical group, but every element is written."""
    gmsh.model.add("partly")
    grouped = gmsh.model.occ.addRectangle(0, 0, 0, 1, 1)
    gmsh.model.occ.addRectangle(2, 0, 0, 1, 1)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(2, [grouped], 1, "grouped")
    gmsh.option.setNumber("Mesh.MeshSizeMax", 1.0)
    gmsh.option.setNumber("Mesh.SaveAll", 1)
    gmsh.model.mesh.generate(2)
    save("partly")
    gmsh.option.setNumber("Mesh.SaveAll", 0)


def prisms():
    gmsh.model.add("prisms")
    base = gmsh.model.occ.addRectangle(0, 0, 0, 1, 1)
    gmsh.model.occ.extrude([(2, base)], 0, 0, 1, numElements=[1], recombine=True)
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMax", 1.0)
    gmsh.model.mesh.generate(3)
    save("prisms")
    gmsh.model.mesh.clear()


def quadratic():
    gmsh.model.add("quadratic")
    gmsh.model.occ.addRectangle(0, 0, 0, 1, 1)
    gmsh.model.occ.synchronize()
    gmsh.model.mesh.generate(2)
    save("quadratic", order=2)


def rewrite(source, target, order, size):
    """A text file as a binary one with the given byte order ('<' or '>') and bytes of a count."""
    lines = (FOLDER / source).read_text().split("\n")
    integer, count = order + "i", order + {4: "I", 8: "Q"}[size]
    out = bytearray(f"$MeshFormat\n4.1 1 {size}\n".encode() + struct.pack(integer, 1) + b"\n$EndMeshFormat\n")
    at = lines.index("$EndMeshFormat") + 1
    while at < len(lines) and lines[at]:
        name = lines[at][1:]
        end = lines.index(f"$End{name}", at)
        if name == "PhysicalNames":
            out += "\n".join(lines[at : end + 1]).encode() + b"\n"
            at = end + 1
            continue
        words = iter(" ".join(lines[at + 1 : end]).split())
        out += f"${name}\n".encode()

        def put(form, n=1):
            values = []
            for _ in range(n):
                word = next(words)
                values.append(float(word) if form.endswith("d") else int(word))
                out.extend(struct.pack(form, values[-1]))
            return values

        if name == "Entities":
            for dim, n in enumerate(put(count, 4)):
                for _ in range(n):
                    put(integer)
                    put(order + "d", 3 if dim == 0 else 6)
                    put(integer, put(count)[0])
                    if dim:
                        put(integer, put(count)[0])
        elif name == "Nodes":
            for _ in range(put(count, 4)[0]):
                put(integer, 3)
                n = put(count)[0]
                put(count, n)
                put(order + "d", 3 * n)
        elif name == "Elements":
            for _ in range(put(count, 4)[0]):
                kind = put(integer, 3)[2]
                put(count, put(count)[0] * (1 + {15: 1, 1: 2, 2: 3, 3: 4, 4: 4, 5: 8}[kind]))
        else:
            raise ValueError(name)
        out += f"\n$End{name}\n".encode()
        at = end + 1
    (FOLDER / target).write_bytes(out)


gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
for model in [plane, solid, plain, partly, prisms, quadratic]:
    model()
gmsh.finalize()
for old in ["partly_binary", "prisms_binary", "quadratic_binary"]:
    (FOLDER / f"{old}.msh").unlink()
rewrite("plane_text.msh", "plane_big_endian.msh", ">", 8)
rewrite("plane_text.msh", "plane_short_counts.msh", "<", 4)
with open(FOLDER / "expected.csv", "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["model", "dimension", "group", "elements", "nodes", "size"])
    writer.writerows(rows)
