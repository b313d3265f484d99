//! Curved obstacles against facets and edges: a ball smaller than a facet touches it between its nodes, and the rim of a
//! cylinder dents what lies across it. For each facet the deepest place of the obstacle in its direction, for each surface
//! edge the place where it is nearest to the obstacle.
//!
//! Both are places of the obstacle and of the body, so each condition is one that truly holds; together with the nodes
//! they leave no place of a flat facet inside a convex obstacle. Where a smooth obstacle dents a surface at a node, several
//! facets and edges touch it at the node, and their conditions are the same: they become one, that of the node with the smallest
//! of the gaps. Only right at the node: a force at the node in place of one beside it does work on the way between them, and makes
//! the node yield farther than the obstacle comes. Limit: an edge of a body that has entered a rim along its tangent is
//! seen only through its nodes and facets.

use super::motion::Seen;
use super::projection::{on_quad, on_triangle};
use super::{Anchor, Vector};
use crate::geometry::{Obstacle, Touch};
use crate::mesh::Facet;

/// A surface edge: its nodes and the facets on its two sides.
type SurfaceEdge = ([u32; 2], [u32; 2]);

/// What of a surface is near a curved obstacle.
#[derive(Debug, Clone, Default)]
pub(super) struct Bulges {
    facets: Vec<u32>,
    edges: Vec<u32>,
}

/// Where a smooth obstacle touches beside a node or an edge: whose condition stands for it, if that one takes part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Beside {
    Nothing,
    Node(u32),
    Edge([u32; 2]),
}

/// One place found: pass and numbers for its identity, the place, and what it is right beside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub beside: Beside,
    /// Whether the feature is a rim or tip, which is held less exactly than a smooth one.
    pub sharp: bool,
    pub pass: u8,
    pub first: u32,
    pub second: u32,
    pub anchor: Anchor,
    pub normal: Vector,
    pub gap: f64,
}

/// The surface a zone looks at.
#[derive(Clone, Copy)]
pub(super) struct Surface<'a> {
    pub number: usize,
    pub seen: Seen<'a>,
    pub facets: &'a [Facet],
    pub edges: &'a [SurfaceEdge],
    pub obstacle: &'a Obstacle,
}

/// Share of a facet or edge within which a place counts as level with its end (see `Chain::is_level`).
const LEVEL: f64 = 1e-9;

/// Share of a facet or edge within which a place counts as beside its rim.
const BESIDE: f64 = 1e-3;

/// What a place of a facet or edge with these weights is beside.
fn beside(nodes: &[u32], weights: &[f64]) -> Beside {
    let count = nodes.len();
    let far = |k: usize| match count {
        // the share of the way to the node: along the edge, across the triangle, along both sides of the quad
        2 | 3 => weights[k] >= 1.0 - BESIDE,
        _ => {
            let (before, after) = (weights[(k + 3) % 4], weights[(k + 1) % 4]);
            weights[k] + before >= 1.0 - BESIDE && weights[k] + after >= 1.0 - BESIDE
        }
    };
    if let Some(k) = (0..count).find(|&k| far(k)) {
        return Beside::Node(nodes[k]);
    }
    let side = |k: &usize| weights[*k] + weights[(k + 1) % count] >= 1.0 - BESIDE;
    match (0..count).find(side) {
        Some(k) if count > 2 => {
            Beside::Edge([nodes[k].min(nodes[(k + 1) % count]), nodes[k].max(nodes[(k + 1) % count])])
        }
        _ => Beside::Nothing,
    }
}

impl Found {
    /// A node on a face.
    pub fn node(body: usize, node: u32, touch: &Touch) -> Self {
        Found {
            beside: Beside::Nothing,
            sharp: touch.sharp,
            pass: 0,
            first: node,
            second: touch.feature,
            anchor: Anchor::node(body, node),
            normal: touch.normal,
            gap: touch.gap,
        }
    }
}

impl Surface<'_> {
    /// Distance of the obstacle from anything of the polygon of these nodes: no less than that from its middle, less its
    /// half size. None if the obstacle is not curved.
    fn clearance(&self, nodes: impl Iterator<Item = usize> + Clone) -> Option<f64> {
        let (mut sum, mut count) = (Vector::zeros(), 0.0);
        for n in nodes.clone() {
            sum += self.seen.position(n);
            count += 1.0;
        }
        let middle = sum / count;
        let half = nodes.map(|n| (self.seen.position(n) - middle).norm()).fold(0.0, f64::max);
        Some(self.obstacle.curved_distance(middle)? - half)
    }

    fn facet_clearance(&self, facet: usize) -> Option<f64> {
        self.clearance(self.facets[facet].nodes().iter().map(|n| n.index()))
    }

    fn edge_clearance(&self, edge: usize) -> Option<f64> {
        self.clearance(self.edges[edge].0.into_iter().map(|n| n as usize))
    }

    /// Place `k` of the obstacle on a facet: above it, or just inside.
    fn on_facet(&self, k: usize, facet: usize) -> Option<Found> {
        let nodes = self.facets[facet].nodes();
        let count = nodes.len();
        let x: [Vector; 4] = std::array::from_fn(|a| self.seen.position(nodes[a.min(count - 1)].index()));
        let ids: [u32; 4] = std::array::from_fn(|a| nodes[a.min(count - 1)].0);
        let mut outward = match count {
            2 => Vector::new(x[1][1] - x[0][1], x[0][0] - x[1][0], 0.0),
            3 => (x[1] - x[0]).cross(&(x[2] - x[0])),
            _ => (x[2] - x[0]).cross(&(x[3] - x[1])),
        }
        .try_normalize(0.0)?;
        // The deepest place of a rim depends on the normal, which on a warped quad depends on the place: found by turns, and where
        // these swing, by half turns. Only where it is deepest may it follow the facet.
        let (mut weights, mut support) = ([0.0; 4], self.obstacle.support(k, -outward)?);
        let (mut share, mut last) = (1.0, f64::INFINITY);
        for _ in 0..60 {
            let next = match count {
                2 => {
                    let along = x[1] - x[0];
                    let share = (support.core - x[0]).dot(&along) / along.dot(&along);
                    ([1.0 - share, share, 0.0, 0.0], outward)
                }
                3 => on_triangle(support.core, &x)?,
                _ => on_quad(support.core, &x)?,
            };
            weights = next.0;
            let turned = (next.1 - outward).norm();
            if turned > 0.5 * last {
                share = 0.5;
            }
            last = turned;
            let towards = (outward + share * (next.1 - outward)).try_normalize(0.0)?;
            outward = next.1;
            if count < 4 || turned < 1e-14 {
                break;
            }
            let moved = self.obstacle.support(k, -towards)?;
            if moved.core == support.core {
                break;
            }
            (support, outward) = (moved, towards);
        }
        if weights[..count].iter().any(|w| *w < 0.0) {
            return None;
        }
        let foot: Vector = (0..count).map(|a| weights[a] * x[a]).sum();
        let gap = (support.core - foot).dot(&outward) - support.radius;
        if gap > 0.0 && weights[..count].iter().any(|w| *w < LEVEL) {
            return None;
        }
        if gap < -self.obstacle.support_depth() {
            return None;
        }
        let anchor = Anchor::combination(self.number, &ids[..count], &weights[..count]);
        let smooth = support.radius > 0.0;
        let beside = if smooth { beside(&ids[..count], &weights[..count]) } else { Beside::Nothing };
        Some(Found {
            beside,
            sharp: !smooth,
            pass: 3,
            first: k as u32,
            second: facet as u32,
            anchor,
            normal: -outward,
            gap,
        })
    }

    /// Curved feature `k` of the obstacle across a surface edge.
    fn on_edge(&self, k: usize, edge: usize) -> Option<Found> {
        let nodes = self.edges[edge].0;
        let x = nodes.map(|n| self.seen.position(n as usize));
        let c = self.obstacle.ridge(k, x)?;
        if c.gap > 0.0 && !(LEVEL..=1.0 - LEVEL).contains(&c.share) {
            return None;
        }
        if c.gap < -self.obstacle.support_depth() {
            return None;
        }
        let anchor = Anchor::combination(self.number, &nodes, &[1.0 - c.share, c.share]);
        let smooth = self.obstacle.is_smooth_ridge(k);
        let beside = if smooth { beside(&nodes, &[1.0 - c.share, c.share]) } else { Beside::Nothing };
        Some(Found {
            beside,
            sharp: !smooth,
            pass: 4,
            first: k as u32,
            second: edge as u32,
            anchor,
            normal: c.normal,
            gap: c.gap,
        })
    }
}

impl Bulges {
    /// Notes the facets and edges within `reach`.
    pub fn begin(&mut self, surface: &Surface<'_>, reach: f64) {
        self.facets.clear();
        self.edges.clear();
        if surface.obstacle.support_count() > 0 {
            let near = |f: &usize| surface.facet_clearance(*f).is_some_and(|d| d <= reach);
            self.facets.extend((0..surface.facets.len()).filter(near).map(|f| f as u32));
        }
        if surface.obstacle.ridge_count() > 0 {
            let near = |e: &usize| surface.edge_clearance(*e).is_some_and(|d| d <= reach);
            self.edges.extend((0..surface.edges.len()).filter(near).map(|e| e as u32));
        }
    }

    /// Whether anything is near.
    pub fn is_empty(&self) -> bool {
        self.facets.is_empty() && self.edges.is_empty()
    }

    /// Calls `each` with the places of the current configuration, those within `[-depth, reach]`: edges first.
    pub fn each(&self, surface: &Surface<'_>, depth: f64, reach: f64, mut each: impl FnMut(&Found)) {
        let range = -depth..=reach;
        for k in 0..surface.obstacle.ridge_count() {
            for &edge in &self.edges {
                if let Some(found) = surface.on_edge(k, edge as usize).filter(|f| range.contains(&f.gap)) {
                    each(&found);
                }
            }
        }
        for k in 0..surface.obstacle.support_count() {
            for &facet in &self.facets {
                if let Some(found) = surface.on_facet(k, facet as usize).filter(|f| range.contains(&f.gap)) {
                    each(&found);
                }
            }
        }
    }

    /// At the end of a step: how deep something lies that was near, and how far something moved that had not been noted
    /// and has entered. `moved` gives the largest displacement of some nodes within the step, `can_enter` says what can have
    /// come where it is by moving that far.
    pub fn entered(
        &self,
        surface: &Surface<'_>,
        tolerance: f64,
        moved: impl Fn(&[u32]) -> f64,
        can_enter: impl Fn(&Found, f64) -> bool,
    ) -> (f64, f64) {
        let (mut deepest, mut farthest) = (0.0f64, 0.0f64);
        let mut judge = |found: Option<Found>, known: bool, travelled: f64| {
            let Some(found) = found.filter(|f| f.gap < -tolerance) else { return };
            if known && found.sharp {
                // judged with the corners and edges of other obstacles, see `Contact`
            } else if known && can_enter(&found, travelled) {
                deepest = deepest.max(-found.gap);
            } else if !known && found.gap >= -travelled {
                farthest = farthest.max(travelled);
            }
        };
        for facet in 0..surface.facets.len() {
            if surface.obstacle.support_count() == 0 || surface.facet_clearance(facet).is_none_or(|d| d > 0.0) {
                continue;
            }
            let nodes = surface.facets[facet].nodes();
            let travelled = nodes.iter().map(|n| moved(&[n.0])).fold(0.0, f64::max);
            let known = self.facets.binary_search(&(facet as u32)).is_ok();
            for k in 0..surface.obstacle.support_count() {
                judge(surface.on_facet(k, facet), known, travelled);
            }
        }
        for edge in 0..surface.edges.len() {
            if surface.obstacle.ridge_count() == 0 || surface.edge_clearance(edge).is_none_or(|d| d > 0.0) {
                continue;
            }
            let known = self.edges.binary_search(&(edge as u32)).is_ok();
            let travelled = moved(&surface.edges[edge].0);
            for k in 0..surface.obstacle.ridge_count() {
                judge(surface.on_edge(k, edge), known, travelled);
            }
        }
        (deepest, farthest)
    }
}
