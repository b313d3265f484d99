//! Bodies that start inside each other or inside an obstacle: where and how deep, and how to get them out.

mod crossing;
mod entered;
mod pierced;

pub(super) use entered::entered;

use super::error::Inside;
use super::inside::contains;
use crate::contact::detection::{Placed, Skin, depth, depth_towards};
use crate::geometry::{Obstacle, Touch, Vector};
use crate::mesh::{Facet, Mesh};

/// Bodies at rest where their meshes are.
pub(super) struct AtRest<'a>(pub &'a [Mesh]);

impl Placed for AtRest<'_> {
    fn position(&self, body: usize, node: usize) -> Vector {
        Vector::from(self.0[body].nodes[node])
    }
}

/// A place of a body that starts inside another.
struct Overlap {
    /// The body of the place and the one it is inside of.
    bodies: [usize; 2],
    place: Place,
    at: Vector,
    depth: f64,
    out: Vector,
}

/// What is inside.
enum Place {
    Node(u32),
    Edge([u32; 2]),
    Cell(u32),
}

impl Overlap {
    fn inside(&self) -> Inside {
        let (at, depth) = (self.at.into(), self.depth);
        match self.place {
            Place::Node(node) => Inside::Node(node, at, depth),
            Place::Edge(_) => Inside::Edge(at, depth),
            Place::Cell(cell) => Inside::Cell(cell, at, depth),
        }
    }
}

/// Share of a body's coordinates within which a place counts as on the surface.
const ROUNDING: f64 = 1e-9;

/// The same for what is pushed out: a body at rest has no energy to which the work of pushing what is left inside would be small.
const PUSHED: f64 = 1e-14;

/// How many times the depth of an edge its ends may be moved.
const FARTHEST: f64 = 3.0;

/// Cells whose middles are looked at where no surface crosses another: one that lies inside is one of many.
const CELLS: usize = 64;

/// Box around a mesh, and the distance that counts as rounding there.
fn extent(mesh: &Mesh, rounding: f64) -> ([Vector; 2], f64) {
    let (mut low, mut high) = (Vector::repeat(f64::INFINITY), Vector::repeat(f64::NEG_INFINITY));
    for x in &mesh.nodes {
        (low, high) = (low.inf(&Vector::from(*x)), high.sup(&Vector::from(*x)));
    }
    ([low, high], rounding * low.abs().max().max(high.abs().max()))
}

/// How deep a place is inside the body of a surface, and the way out.
fn deep_inside(
    meshes: &[Mesh],
    master: &Skin,
    at: Vector,
    ([low, high], tolerance): ([Vector; 2], f64),
) -> Option<(f64, Vector)> {
    let near = (0..3).all(|i| low[i] <= at[i] && at[i] <= high[i]);
    // inside a cell or on a face between two of them
    let found = (near && contains(&meshes[master.body], at, -tolerance)).then(|| depth(master, at, &AtRest(meshes)))?;
    found.filter(|(depth, _)| *depth > tolerance)
}

/// Nodes of `slave` inside the body of `master`.
fn nodes_inside(meshes: &[Mesh], slave: &Skin, master: &Skin, rounding: f64) -> Vec<Overlap> {
    if slave.body == master.body {
        return Vec::new();
    }
    let (bodies, extent) = ([slave.body, master.body], extent(&meshes[master.body], rounding));
    let inside = |&node: &u32| {
        let at = Vector::from(meshes[slave.body].nodes[node as usize]);
        let (depth, out) = deep_inside(meshes, master, at, extent)?;
        Some(Overlap { bodies, place: Place::Node(node), at, depth, out })
    };
    slave.nodes.iter().filter_map(inside).collect()
}

/// Edges of `slave` that run through the body of `master` without a node in it.
fn edges_inside(meshes: &[Mesh], slave: &Skin, master: &Skin, rounding: f64) -> Vec<Overlap> {
    let (bodies, extent) = ([slave.body, master.body], extent(&meshes[master.body], rounding));
    let own = self::extent(&meshes[slave.body], rounding).0;
    if slave.body == master.body || (0..3).any(|i| own[0][i] > extent.0[1][i] || own[1][i] < extent.0[0][i]) {
        return Vec::new();
    }
    let inside = |(nodes, at): ([u32; 2], Vector)| {
        let (depth, out) = deep_inside(meshes, master, at, extent)?;
        Some(Overlap { bodies, place: Place::Edge(nodes), at, depth, out })
    };
    crossing::pieces(meshes, slave, master).into_iter().filter_map(inside).collect()
}

/// Cells of `slave` in the body of `master`: the bodies fill the same space.
fn cells_inside(meshes: &[Mesh], slave: &Skin, master: &Skin, rounding: f64) -> Vec<Overlap> {
    if slave.body == master.body {
        return Vec::new();
    }
    let (bodies, extent, mesh) =
        ([slave.body, master.body], extent(&meshes[master.body], rounding), &meshes[slave.body]);
    let every = mesh.cell_count().div_ceil(CELLS).max(1);
    let inside = mesh.cells().step_by(every).filter_map(|(cell, _, nodes)| {
        let sum: Vector = nodes.iter().map(|n| Vector::from(mesh.nodes[n.index()])).sum();
        let at = sum / nodes.len() as f64;
        let (depth, out) = deep_inside(meshes, master, at, extent)?;
        Some(Overlap { bodies, place: Place::Cell(cell.0), at, depth, out })
    });
    inside.collect()
}

/// Looks for places of one surface in the body of another, deeper than a share of the coordinates.
type Find = fn(&[Mesh], &Skin, &Skin, f64) -> Vec<Overlap>;

/// The deepest place of either surface inside the other's body: the body of the place and the one it is inside of, and where.
pub(super) fn find(meshes: &[Mesh], [slave, master]: [&Skin; 2]) -> Option<([usize; 2], Inside)> {
    let deepest = |found: Vec<Overlap>| found.into_iter().max_by(|a, b| a.depth.total_cmp(&b.depth));
    let both = |find: Find| {
        let there = find(meshes, slave, master, ROUNDING).into_iter();
        deepest(there.chain(find(meshes, master, slave, ROUNDING)).collect())
    };
    let found = both(nodes_inside).or_else(|| both(edges_inside)).or_else(|| both(cells_inside));
    found.map(|overlap| (overlap.bodies, overlap.inside()))
}

/// Lets places that are as near to one face as to another go out through the one that most of them leave by.
fn together(meshes: &[Mesh], master: &Skin, found: &mut [Overlap]) {
    let most: Vector = found.iter().map(|overlap| overlap.depth * overlap.out).sum();
    let deepest = found.iter().map(|overlap| overlap.depth).fold(0.0, f64::max);
    let Some(most) = most.try_normalize(0.0) else { return };
    for overlap in found.iter_mut().filter(|overlap| overlap.out.dot(&most) < std::f64::consts::FRAC_1_SQRT_2) {
        let other = depth_towards(master, overlap.at, most, &AtRest(meshes));
        if let Some((depth, out)) = other.filter(|(depth, _)| *depth <= deepest * (1.0 + ROUNDING)) {
            (overlap.depth, overlap.out) = (depth, out);
        }
    }
}

/// Moves nodes of either side that start inside to the surface they are nearest to, before anything is strained; if there are none, the
/// ends of edges that run through the other body. Whether any moved.
pub(super) fn push_out(meshes: &mut [Mesh], [slave, master]: [&Skin; 2]) -> bool {
    let mut moved = false;
    for find in [nodes_inside as Find, edges_inside] {
        for (own, other) in [(slave, master), (master, slave)] {
            let mut found = find(meshes, own, other, PUSHED);
            together(meshes, other, &mut found);
            for overlap in found {
                let on_surface = overlap.at + overlap.depth * overlap.out;
                let nodes = match overlap.place {
                    Place::Node(node) => [node; 2],
                    Place::Edge(nodes) => nodes,
                    Place::Cell(_) => continue,
                };
                // to the plane that touches the surface where the place comes out
                let ways = nodes.map(|node| {
                    let x = Vector::from(meshes[own.body].nodes[node as usize]);
                    overlap.out.dot(&(on_surface - x)).max(0.0)
                });
                // the ends of a bar that runs right through lie far beyond
                if ways.iter().any(|way| *way > FARTHEST * overlap.depth) {
                    continue;
                }
                let ends = if nodes[0] == nodes[1] { 1 } else { 2 };
                for (node, way) in nodes.into_iter().zip(ways).take(ends) {
                    let x = &mut meshes[own.body].nodes[node as usize];
                    *x = (Vector::from(*x) + way * overlap.out).into();
                }
                moved = true;
            }
        }
        if moved {
            break;
        }
    }
    moved
}

/// The same for a body in an obstacle.
pub(super) fn push_out_of(mesh: &mut Mesh, obstacle: &Obstacle, facets: &[Facet]) -> bool {
    // an open shape has no inside: only a body on both sides of a face overlaps it
    if !obstacle.is_closed() && entered(mesh, obstacle, facets).is_none() {
        return false;
    }
    let tolerance = extent(mesh, PUSHED).1;
    let (mut touches, mut moved): (Vec<Touch>, bool) = (Vec::new(), false);
    for node in crate::mesh::surface::facet_nodes(facets) {
        let x = &mut mesh.nodes[node.index()];
        touches.clear();
        obstacle.touches(Vector::from(*x), 0.0, f64::INFINITY, &mut touches);
        let deepest = touches.iter().filter(|t| t.gap < -tolerance).min_by(|a, b| a.gap.total_cmp(&b.gap));
        if let Some(touch) = deepest {
            *x = (Vector::from(*x) - touch.gap * touch.normal).into();
            moved = true;
        }
    }
    moved
}
