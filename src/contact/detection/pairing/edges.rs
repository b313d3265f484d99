//! Edges of two deforming surfaces in space that cross between their nodes: no node is near a facet there. They are held apart
//! along their common perpendicular, by the points of either that come nearest to the other.
//!
//! Only convex edges that stand on each other count: their perpendicular lies between the normals of the two facets of either. Where a
//! body lies flat on another it lies along a face of either, and the part of an edge that hangs over begins to bend down there.
//! Facets that meet at less than 20° stand for a smooth surface: of two such the nodes say enough, between them they lie a few hundredths
//! of a facet deep. A sharp edge enters a fold by the tangent of its angle, however slight.
//!
//! Edges that were inside each other when the step began did not meet in it: they turned to face each other, and pushing them out
//! would throw the bodies apart. Unless they were in front of each other before: then they have met since, at rate and velocity level
//! because what has met stays inside a little, at position level because they did not stand on each other for a while, or were those
//! of a smooth surface. Such edges go no deeper.
//!
//! Halfway through a step the two places are apart by the mean of the gaps, and the reaction there has a moment on the master about
//! its own edge, which the two nodes of a segment cannot take: a facet beside the edge carries the place along, see [`Anchor`].

use super::super::skin::{SMOOTH, Skin};
use super::super::source::Placed;
use super::super::zone::Level;
use super::super::{Anchor, ContactPoint, Identity, Vector};
use super::{EDGES, Pass};
use crate::geometry::Bounds;

/// An edge where it is.
struct Ridge {
    ends: [Vector; 2],
    /// Cosine of the angle between its facets.
    bend: f64,
    /// Of each of its facets: from the ends along its other sides, and on which side of the edge it lies.
    facets: [([Vector; 2], f64); 2],
}

/// Where two edges come nearest to each other.
struct Crossing {
    /// Places along the edges of slave and master.
    shares: [f64; 2],
    /// From the master to the slave.
    normal: Vector,
    gap: f64,
    /// Whether they are convex and stand on each other.
    faces: bool,
}

/// Sine of the angle by which the perpendicular may lean over a face of an edge. An edge that lies on a face leans over it by as much
/// as that face is bent, and facets of a smooth surface are by half of 20°. What leans over a face from behind was never in front.
const LEANING: f64 = -0.2;

/// Square of the sine of the angle below which edges count as parallel.
const PARALLEL: f64 = 1e-6;

/// Cosines of the angles between facets beyond which edges count: of both, of the flatter one, and of the sharper one in its place.
#[derive(Clone, Copy)]
struct Bends {
    both: f64,
    flatter: f64,
    sharper: f64,
}

/// Beyond 0.1° both, and beyond 20° both or one beyond 45°.
const HELD: Bends = Bends { both: 0.999_998_476_913_288, flatter: 0.939_692_620_785_908_4, sharper: SMOOTH };

/// Those that may be bent as far later, so that it is known who was in front of whom: any two of which both are beyond 10° or one is
/// beyond 30°.
const LOOKED_UP: Bends = Bends { both: 2.0, flatter: 0.984_807_753_012_208, sharper: 0.866_025_403_784_438_7 };

impl Bends {
    fn count(&self, one: &Ridge, other: &Ridge) -> bool {
        one.bend.max(other.bend) < self.flatter || one.bend.min(other.bend) < self.sharper
    }
}

impl Skin {
    /// An edge, if its facets meet at an angle that counts.
    fn ridge(&self, number: u32, bends: &Bends, at: &impl Placed) -> Option<Ridge> {
        let (nodes, facets) = self.edges[number as usize];
        let bend = self.normal(facets[0], at).dot(&self.normal(facets[1], at));
        if facets[0] == facets[1] || bend >= bends.both {
            return None;
        }
        let ends = nodes.map(|node| at.position(self.body, node as usize));
        let facets = facets.map(|facet| {
            let around = self.facets[facet as usize].nodes();
            let place = |node: u32| around.iter().position(|n| n.0 == node).unwrap_or(0);
            let (count, [i, j]) = (around.len(), nodes.map(place));
            // nodes go round the outward normal
            let forward = (i + 1) % count == j;
            let before = |k: usize| (k + count - 1) % count;
            let beside = if forward { [before(i), (j + 1) % count] } else { [(i + 1) % count, before(j)] };
            let sides = std::array::from_fn(|k| at.position(self.body, around[beside[k]].index()) - ends[k]);
            (sides, if forward { 1.0 } else { -1.0 })
        });
        Some(Ridge { ends, bend, facets })
    }

    /// A place on an edge as a combination of the nodes of the first of its facets.
    fn on_edge(&self, number: u32, share: f64) -> Anchor {
        let (ends, [facet, _]) = self.edges[number as usize];
        let nodes = self.facets[facet as usize].nodes();
        let ids: [u32; 4] = std::array::from_fn(|k| nodes[k.min(nodes.len() - 1)].0);
        let weights =
            ids.map(|id| if id == ends[0] { 1.0 - share } else { f64::from(u8::from(id == ends[1])) * share });
        Anchor::combination(self.body, &ids[..nodes.len()], &weights[..nodes.len()])
    }
}

impl Ridge {
    /// Outward normals of the two facets at a place of the edge, and whether they meet there at a convex angle.
    fn normals(&self, share: f64) -> Option<([Vector; 2], bool)> {
        let along = self.ends[1] - self.ends[0];
        let into = |k: usize| self.facets[k].0[0] + share * (self.facets[k].0[1] - self.facets[k].0[0]);
        let normal = |k: usize| (self.facets[k].1 * along.cross(&into(k))).try_normalize(0.0);
        let [a, b] = [normal(0)?, normal(1)?];
        // either facet lies behind the plane of the other
        Some(([a, b], a.dot(&into(1)) < 0.0))
    }
}

/// Whether a direction across an edge lies between the normals of its facets, as `n = α a + β b` with neither below zero, or beside
/// them by no more than leaning.
fn pushes([a, b]: &[Vector; 2], n: Vector) -> bool {
    let (c, p, q) = (a.dot(b), n.dot(a), n.dot(b));
    // sine of the angle from n to either, times that between them
    let least = LEANING * a.cross(b).norm();
    p - c * q > least && q - c * p > least && p + q > 0.0
}

/// Where two edges come nearest to each other between their ends.
fn nearest(slave: &Ridge, master: &Ridge) -> Option<Crossing> {
    let (d, e) = (slave.ends[1] - slave.ends[0], master.ends[1] - master.ends[0]);
    let (a, b, c) = (d.dot(&d), d.dot(&e), e.dot(&e));
    let det = a * c - b * b;
    if det <= PARALLEL * a * c {
        return None;
    }
    let offset = master.ends[0] - slave.ends[0];
    let (f, g) = (d.dot(&offset), e.dot(&offset));
    let shares = [(f * c - b * g) / det, (b * f - a * g) / det];
    if !shares.iter().all(|share| (0.0..=1.0).contains(share)) {
        return None;
    }
    let ((own, own_convex), (others, convex)) = (slave.normals(shares[0])?, master.normals(shares[1])?);
    let normal = d.cross(&e).try_normalize(0.0)?;
    let normal = if normal.dot(&(others[0] + others[1])) < 0.0 { -normal } else { normal };
    let gap = normal.dot(&(slave.ends[0] + shares[0] * d - master.ends[0] - shares[1] * e));
    let faces = convex && own_convex && pushes(&others, normal) && pushes(&own, -normal);
    Some(Crossing { shares, normal, gap, faces })
}

/// Where two edges cross that stand on each other.
fn crossing(slave: &Ridge, master: &Ridge) -> Option<Crossing> {
    nearest(slave, master).filter(|found| found.faces)
}

impl Pass {
    /// Whether edges are looked at: once for two passes, and between two bodies.
    fn crosses(&self, skins: &[Skin]) -> bool {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        !self.second && slave.body != master.body && !slave.edges.is_empty() && !master.edges.is_empty()
    }

    /// Calls `visit` with every pair of edges that count and come within `reach` of each other, as slave and master.
    fn beside(
        &self,
        skins: &[Skin],
        at: &impl Placed,
        (reach, bends): (f64, &Bends),
        mut visit: impl FnMut((u32, u32), &Ridge, &Ridge),
    ) {
        if !self.crosses(skins) {
            return;
        }
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        let around = master.bounds.inflated(reach);
        let mut found: Vec<u32> = Vec::new();
        for (k, (nodes, _)) in slave.edges.iter().enumerate() {
            let bounds = Bounds::around(nodes.map(|node| at.position(slave.body, node as usize))).inflated(reach);
            if !bounds.meets(&around) {
                continue;
            }
            let Some(own) = slave.ridge(k as u32, bends, at) else { continue };
            found.clear();
            master.meeting(&bounds, |facet| found.extend(master.edges_of(facet)));
            found.sort_unstable();
            found.dedup();
            for &other in &found {
                if let Some(ridge) = master.ridge(other, bends, at).filter(|ridge| bends.count(&own, ridge)) {
                    visit((k as u32, other), &own, &ridge);
                }
            }
        }
    }

    /// Looks up the edges within reach.
    pub(super) fn look_for_edges(&mut self, skins: &[Skin], at: &impl Placed) {
        let mut near = std::mem::take(&mut self.near_edges);
        near.clear();
        let mut behind = std::mem::take(&mut self.edges_behind);
        behind.clear();
        let mut inside = std::mem::take(&mut self.edges_inside);
        inside.clear();
        let mut in_front = Vec::with_capacity(self.edges_in_front.len());
        self.beside(skins, at, (self.reach, &LOOKED_UP), |pair, own, ridge| {
            near.push(pair);
            match nearest(own, ridge).map(|found| found.gap) {
                Some(gap) if gap < -self.slack => {
                    if self.edges_in_front.binary_search(&pair).is_err() {
                        behind.push(pair);
                        return;
                    }
                    inside.push((pair, -gap));
                }
                // one that passes the end of another goes on along the next
                None if self.terms.level == Level::Position => return,
                _ => {}
            }
            in_front.push(pair);
        });
        (self.near_edges, self.edges_behind, self.edges_inside, self.edges_in_front) = (near, behind, inside, in_front);
    }

    /// How deep a pair of edges may lie inside at the end of the step, at position level: as deep as at its start.
    pub(super) fn allowed(&self, pair: (u32, u32)) -> f64 {
        if self.terms.level != Level::Position {
            return 0.0;
        }
        let known = self.edges_inside.binary_search_by_key(&pair, |inside| inside.0);
        known.map_or(0.0, |k| self.edges_inside[k].1)
    }

    /// Adds the crossings of edges that are near, or `held`.
    pub(super) fn find_edges(&self, skins: &[Skin], at: &impl Placed, held: bool, out: &mut Vec<ContactPoint>) {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        for &(k, other) in if held { &self.held_edges } else { &self.near_edges } {
            let (Some(own), Some(ridge)) = (slave.ridge(k, &HELD, at), master.ridge(other, &HELD, at)) else {
                continue;
            };
            let Some(found) = crossing(&own, &ridge).filter(|_| HELD.count(&own, &ridge)) else { continue };
            let allowed = self.allowed((k, other));
            let turned = found.gap < 0.0 && self.edges_behind.binary_search(&(k, other)).is_ok();
            if turned || !(-self.depth..=self.reach).contains(&(found.gap + allowed)) {
                continue;
            }
            let nodes = slave.edges[k as usize].0;
            let own = Anchor::combination(slave.body, &nodes, &[1.0 - found.shares[0], found.shares[0]]);
            let others = master.on_edge(other, found.shares[1]);
            out.push(ContactPoint {
                identity: Identity { zone: self.terms.number, pass: EDGES, first: k, second: other },
                anchor: own,
                other: Some(others),
                frame: self.frame(found.normal, [&own, &others], at, 3),
                gap: found.gap + allowed,
                friction: self.terms.friction,
                level: self.terms.level,
                wall: Vector::zeros(),
                start: [0.0; 3],
            });
        }
    }

    /// How deep edges are inside each other by more than `tolerance` where the bodies are at the end of a step: those that had been
    /// looked up, and whether others are. What crossed within the step is no deeper than things moved past each other.
    pub(super) fn entered_edges(&self, skins: &[Skin], at: &impl Placed, way: f64, tolerance: f64) -> (f64, bool) {
        let (mut deepest, mut unseen) = (0.0f64, false);
        self.beside(skins, at, (way, &HELD), |pair, own, ridge| {
            let gap = crossing(own, ridge).map_or(0.0, |found| found.gap + self.allowed(pair));
            let turned = self.edges_behind.binary_search(&pair).is_ok();
            if !turned && (-way..-tolerance).contains(&gap) {
                match self.near_edges.binary_search(&pair) {
                    Ok(_) => deepest = deepest.max(-gap),
                    Err(_) => unseen = true,
                }
            }
        });
        (deepest, unseen)
    }
}
