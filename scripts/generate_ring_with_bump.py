#!/usr/bin/env python3
"""Writes cases/pairs/ring_with_bump.msh: a ring of 64 x 3 quads with a bump of 10 mm inside, which marks how it is turned.

    scripts/generate_ring_with_bump.py

Gmsh's text format 4.1. Centre in the origin, radii 80 and 100 mm, the bump on the negative x axis: a cosine over six cells.
"""

import math
from pathlib import Path

AROUND, LAYERS, INNER, OUTER, BUMP, HALF = 64, 3, 0.08, 0.10, 0.01, 3
FILE = Path(__file__).resolve().parent.parent / "cases" / "pairs" / "ring_with_bump.msh"


def place(layer, k):
    away = abs((k - AROUND // 2 + AROUND // 2) % AROUND - AROUND // 2)
    bump = BUMP * 0.5 * (1.0 + math.cos(math.pi * away / HALF)) if away < HALF else 0.0
    inner = INNER - bump
    radius = inner + (OUTER - inner) * layer / LAYERS
    angle = 2.0 * math.pi * k / AROUND
    return radius * math.cos(angle), radius * math.sin(angle)


def tag(layer, k):
    return layer * AROUND + k % AROUND + 1


def main():
    nodes = [(tag(layer, k), *place(layer, k)) for layer in range(LAYERS + 1) for k in range(AROUND)]
    inner = [(tag(0, k + 1), tag(0, k)) for k in range(AROUND)]
    outer = [(tag(LAYERS, k), tag(LAYERS, k + 1)) for k in range(AROUND)]
    quads = [
        (tag(layer, k), tag(layer + 1, k), tag(layer + 1, k + 1), tag(layer, k + 1))
        for layer in range(LAYERS)
        for k in range(AROUND)
    ]
    box = f"{-OUTER} {-OUTER} 0 {OUTER} {OUTER} 0"
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat"]
    lines += ["$PhysicalNames", "3", '1 1 "inner"', '1 2 "outer"', '2 3 "ring"', "$EndPhysicalNames"]
    lines += ["$Entities", "0 2 1 0", f"1 {box} 1 1 0", f"2 {box} 1 2 0", f"1 {box} 1 3 2 1 2", "$EndEntities"]
    lines += ["$Nodes", f"1 {len(nodes)} 1 {len(nodes)}", f"2 1 0 {len(nodes)}"]
    lines += [str(number) for number, _, _ in nodes]
    lines += [f"{x:.17g} {y:.17g} 0" for _, x, y in nodes]
    lines += ["$EndNodes", "$Elements"]
    blocks = [(1, 1, 1, inner), (1, 2, 1, outer), (2, 1, 3, quads)]
    count = sum(len(cells) for *_, cells in blocks)
    lines.append(f"{len(blocks)} {count} 1 {count}")
    number = 0
    for dimension, entity, kind, cells in blocks:
        lines.append(f"{dimension} {entity} {kind} {len(cells)}")
        for cell in cells:
            number += 1
            lines.append(" ".join(map(str, (number, *cell))))
    lines.append("$EndElements")
    FILE.write_text("\n".join(lines) + "\n")
    print(FILE.name, len(nodes), "nodes", len(quads), "quads")


if __name__ == "__main__":
    main()
