//! Edges that pass through facets at one moment, by exact predicates: a sign is never a matter of rounding.

use robust::{Coord, Coord3D, orient2d, orient3d};

use super::super::detection::Vector;
use super::couple::SAGS;
use super::hull::{Hull, normal};
use crate::geometry::Bounds;

/// Where an edge passes through a piece of a facet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    /// Edge, and facet of the other surface.
    pub edge: u32,
    pub facet: u32,
    /// Place along the edge.
    pub share: f64,
    /// Whether it goes from front to back.
    pub inwards: bool,
    /// Height below the piece of the end behind it.
    pub below: f64,
}

/// On which side of the piece a place is: positive behind, exactly zero on its line or plane.
fn side(dim: usize, [a, b, c]: &[Vector; 3], x: &Vector) -> f64 {
    if dim == 2 {
        let flat = |p: &Vector| Coord { x: p[0], y: p[1] };
        return orient2d(flat(a), flat(b), flat(x));
    }
    let coord = |p: &Vector| Coord3D { x: p[0], y: p[1], z: p[2] };
    orient3d(coord(a), coord(b), coord(c), coord(x))
}

/// Whether the line through both ends of an edge meets the piece, its rim included.
fn meets(dim: usize, ends: &[Vector; 2], [a, b, c]: &[Vector; 3]) -> bool {
    let [p, q] = ends;
    let beside = if dim == 2 {
        let corner = [*p, *q, *q];
        [side(2, &corner, a), -side(2, &corner, b), 0.0]
    } else {
        [[a, b], [b, c], [c, a]].map(|[one, other]| side(3, &[*p, *q, *one], other))
    };
    beside.iter().all(|s| *s >= 0.0) || beside.iter().all(|s| *s <= 0.0)
}

/// Where the edge passes through the piece: place along it, whether inwards, and how far the end behind lies below.
pub(super) fn passage(dim: usize, ends: &[Vector; 2], piece: &[Vector; 3]) -> Option<(f64, bool, f64)> {
    let [first, second] = [side(dim, piece, &ends[0]), side(dim, piece, &ends[1])];
    if (first > 0.0) == (second > 0.0) || !meets(dim, ends, piece) {
        return None;
    }
    let scale = normal(dim, piece).norm();
    (scale > 0.0).then(|| (first / (first - second), second > 0.0, first.max(second) / scale))
}

/// Adds the places where an edge of one surface passes through a facet of another at one moment of the step.
pub(super) fn passages((one, edge): (&Hull, u32), (other, facet): (&Hull, u32), moment: usize, out: &mut Vec<Passage>) {
    let ends = one.ends(moment, edge);
    let bounds = Bounds::around(ends);
    if !bounds.meets(&other.boxes[facet as usize]) {
        return;
    }
    for piece in other.pieces(facet) {
        let corners = other.corners(moment, piece);
        if !bounds.meets(&Bounds::around(corners)) {
            continue;
        }
        if let Some((share, inwards, below)) = passage(one.dim, &ends, &corners) {
            out.push(Passage { edge, facet, share, inwards, below });
        }
    }
}

/// The parts of an edge that lie inside another surface, by the places where it passes through that surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Inside {
    /// Depth of the deepest place, and where that is.
    pub depth: f64,
    pub place: Vector,
    /// Depths of the ends, zero outside.
    pub ends: [f64; 2],
    /// Facets of the other surface at the two ends of the deepest part, the same twice where the edge ends inside.
    pub facets: [u32; 2],
}

/// Places along a part that are looked at.
const LOOKS: usize = 8;

/// The parts at one moment; `passages` are those of one edge, in order along it. Of a body against itself facets beside the edge do not
/// count, and passages through them are not known: every stretch between two may be a part. `is_real(place, depth, sags)` is asked at the
/// deepest place of each and at nodes, with the middle of the part: that is on no rim.
pub(super) fn parts(
    (one, other): (&Hull, &Hull),
    moment: usize,
    passages: &[Passage],
    alone: bool,
    counts: impl Fn(u32) -> bool,
    is_real: impl Fn([&Vector; 2], f64, f64) -> bool,
) -> Option<Inside> {
    let ends = one.ends(moment, passages.first()?.edge);
    let mut entered = (alone || !passages[0].inwards).then_some((0.0, passages[0].facet));
    let mut inside = Inside { depth: 0.0, place: ends[0], ends: [0.0; 2], facets: [passages[0].facet; 2] };
    let mut part = |from: f64, to: f64, facets: [u32; 2]| {
        let depths: [(f64, Vector); LOOKS + 1] = std::array::from_fn(|k| {
            let place = ends[0].lerp(&ends[1], from + (to - from) * k as f64 / LOOKS as f64);
            (other.distance(moment, &place, &counts), place)
        });
        let deepest = depths.iter().fold(depths[0], |best, next| if next.0 > best.0 { *next } else { best });
        let middle = depths[LOOKS / 2].1;
        if deepest.0 > inside.depth && is_real([&deepest.1, &middle], deepest.0, SAGS) {
            (inside.depth, inside.place, inside.facets) = (deepest.0, deepest.1, facets);
        }
        for (end, is_there, (depth, place)) in [(0, from == 0.0, depths[0]), (1, to == 1.0, depths[LOOKS])] {
            if is_there && is_real([&place, &middle], depth, 1.0) {
                inside.ends[end] = depth;
            }
        }
    };
    for passage in passages {
        match (entered, passage.inwards) {
            (Some((from, facet)), inwards) if alone || !inwards => {
                part(from, passage.share, [facet, passage.facet]);
                entered = alone.then_some((passage.share, passage.facet));
            }
            (None, true) => entered = Some((passage.share, passage.facet)),
            _ => {}
        }
    }
    if let Some((from, facet)) = entered {
        part(from, 1.0, [facet, facet]);
    }
    Some(inside)
}
