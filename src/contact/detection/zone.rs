//! A declared zone: part of a body's surface that may touch one obstacle. Each step it looks up what is near, and each
//! iteration it says where that is now.

use super::bulges::{Beside, Bulges, Surface};
use super::bvh::{Bounds, Bvh};
use super::motion::{Course, Moment, Seen};
use super::obstacle::{Corner, Edge, Obstacle, Touch};
use super::projection::{on_quad, on_triangle, surface_edges};
use super::{Anchor, ContactPoint, Identity, Vector, frame};
use crate::bodies::{Deformable, Span};
use crate::mesh::Facet;

/// What the normal condition is imposed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// The gap at the end of the step is not negative: no penetration.
    #[default]
    Position,
    /// Points that touch at the start of the step do not approach: exact energy conservation.
    Rate,
    /// Points that the start velocity would bring into contact within the step leave with `v₁ ≥ −e v₀` (Moreau–Jean):
    /// smooth reactions, restitution.
    Velocity,
}

/// Surface of one body against one obstacle.
#[derive(Debug, Clone)]
pub struct Zone {
    /// Number of the zone in the case.
    pub number: u32,
    /// Number of the body.
    pub body: usize,
    /// Nodes of the surface.
    pub nodes: Vec<u32>,
    /// Facets of the surface.
    pub facets: Vec<Facet>,
    /// What it may touch.
    pub obstacle: Obstacle,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// What the normal condition is imposed on.
    pub level: Level,
    /// Newton's coefficient of restitution, at velocity level.
    pub restitution: f64,
    /// Search distance, if the case gives one.
    pub search: Option<f64>,
    course: Course,
    corners: Vec<Corner>,
    edges: Vec<Edge>,
    /// Surface edges in space, each with the facets on its two sides.
    surface_edges: Vec<([u32; 2], [u32; 2])>,
    /// Places in `nodes` of the nodes that are near, and the face each came through if it is inside.
    near_nodes: Vec<(u32, Option<u32>)>,
    near_corners: Vec<(u32, u32)>,
    near_edges: Vec<(u32, u32)>,
    bulges: Bulges,
    corner_tree: Bvh,
    edge_tree: Bvh,
    pairs: Vec<(u32, u32)>,
    reach: f64,
    /// Largest reach of the run so far: a point may lie that deep behind an open chain.
    depth: f64,
    touches: Vec<Touch>,
    found: Vec<ContactPoint>,
}

/// A corner of the obstacle beside a facet.
struct OnFacet {
    anchor: Anchor,
    normal: Vector,
    gap: f64,
    /// Whether the corner can push along the normal; if not, the nodes of the facet touch first.
    pushes: bool,
}

/// What is inside at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Intrusion {
    /// Nothing.
    None,
    /// Something that had not been looked up.
    Unseen,
    /// Something that had been looked up, by this much.
    Seen(f64),
}

impl Zone {
    /// Share of a facet or edge within which a corner or edge counts as level with its end.
    const LEVEL: f64 = 1e-9;

    /// The same as a share of the distance that is still to go, see [`super::obstacle::DOUBT`].
    const DOUBT: f64 = super::obstacle::DOUBT;

    /// A zone over `facets` (and their nodes).
    pub fn new(number: u32, body: usize, facets: Vec<Facet>, obstacle: Obstacle, friction: f64, level: Level) -> Self {
        let nodes: Vec<u32> = crate::mesh::surface::facet_nodes(&facets).into_iter().map(|n| n.0).collect();
        let (corners, edges) = (obstacle.corners(), obstacle.edges());
        let course = Course::new(obstacle.motion.clone());
        let point = |c: &Corner| Bounds { low: c.point, high: c.point };
        let corner_tree = Bvh::new(&corners.iter().map(point).collect::<Vec<_>>());
        let edge_tree = Bvh::new(&edges.iter().map(|e| Bounds::around(e.ends)).collect::<Vec<_>>());
        let flat = edges.is_empty() && obstacle.ridge_count() == 0;
        let surface_edges = if flat { Vec::new() } else { surface_edges(&facets) };
        Zone {
            number,
            body,
            nodes,
            facets,
            obstacle,
            friction,
            level,
            restitution: 0.0,
            search: None,
            course,
            corners,
            edges,
            surface_edges,
            near_nodes: Vec::new(),
            near_corners: Vec::new(),
            near_edges: Vec::new(),
            bulges: Bulges::default(),
            corner_tree,
            edge_tree,
            pairs: Vec::new(),
            reach: 0.0,
            depth: 0.0,
            touches: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Looks up what lies within reach of a step: twice the way that the fastest node goes as the obstacle sees it, or the
    /// case's own distance.
    pub fn begin(&mut self, body: &Deformable, u: &[f64], v: &[f64], span: &Span) {
        self.course.begin(span);
        let (start, end) = (self.course.pose(Moment::Start), self.course.pose(Moment::End));
        let way = |node: &u32| {
            let x = body.position(u, *node as usize);
            let later = x + span.dt * Anchor::node(self.body, *node).value(body.dim(), v);
            (end.own(later) - start.own(x)).norm_squared()
        };
        let farthest = self.nodes.iter().map(way).fold(0.0, f64::max).sqrt();
        // the second term keeps a body at rest on its support in the list
        let reach = self.search.unwrap_or(2.0 * farthest + 1e-6 * body.size());
        self.begin_within(body, u, reach);
    }

    fn seen<'a>(&self, body: &'a Deformable, u: &'a [f64], moment: Moment) -> Seen<'a> {
        Seen { body, u, pose: self.course.pose(moment), moment }
    }

    /// Looks up what lies within `reach` at the start of the step.
    pub fn begin_within(&mut self, body: &Deformable, u: &[f64], reach: f64) {
        let seen = &self.seen(body, u, Moment::Start);
        self.reach = reach;
        self.depth = self.depth.max(reach);
        self.near_nodes.clear();
        let mut touches = std::mem::take(&mut self.touches);
        for k in 0..self.nodes.len() {
            touches.clear();
            self.obstacle.touches(seen.position(self.nodes[k] as usize), reach, self.depth, &mut touches);
            if !touches.is_empty() {
                self.near_nodes.push((k as u32, face_passed(&touches)));
            }
        }
        self.touches = touches;
        let mut pairs = std::mem::take(&mut self.near_corners);
        self.corner_pairs(seen, |_| reach, &mut pairs);
        self.near_corners = pairs;
        let mut pairs = std::mem::take(&mut self.near_edges);
        self.edge_pairs(seen, |_| reach, &mut pairs);
        self.near_edges = pairs;
        let mut bulges = std::mem::take(&mut self.bulges);
        bulges.begin(&self.surface(seen), reach);
        self.bulges = bulges;
    }

    fn surface<'a>(&'a self, seen: &Seen<'a>) -> Surface<'a> {
        let (facets, edges) = (&self.facets, &self.surface_edges);
        Surface { number: self.body, seen: *seen, facets, edges, obstacle: &self.obstacle }
    }

    /// Whether anything is near.
    pub fn is_near(&self) -> bool {
        let sharp = !(self.near_corners.is_empty() && self.near_edges.is_empty());
        sharp || !self.near_nodes.is_empty() || !self.bulges.is_empty()
    }

    /// What is inside by more than `tolerance` at the end of a step. If something entered that had not been looked
    /// up, the zone looks again, from the start of the step, far enough to see it, and asks for the step to be repeated.
    pub fn intrusion(&mut self, body: &Deformable, u0: &[f64], u1: &[f64], tolerance: f64) -> Intrusion {
        let (before, seen) = (self.seen(body, u0, Moment::Start), &self.seen(body, u1, Moment::End));
        let (mut farthest, mut deepest) = (0.0f64, 0.0f64);
        let mut touches = std::mem::take(&mut self.touches);
        for (k, &node) in self.nodes.iter().enumerate() {
            touches.clear();
            let x = seen.position(node as usize);
            let travelled = x - before.position(node as usize);
            let distance = travelled.norm();
            // what entered within the step is no deeper than it travelled
            self.obstacle.touches(x, 0.0, distance.max(tolerance), &mut touches);
            let depth = touches.iter().map(|t| -t.gap).fold(0.0, f64::max);
            if depth <= tolerance {
                continue;
            }
            if self.near_nodes.binary_search_by_key(&(k as u32), |near| near.0).is_err() {
                farthest = farthest.max(distance);
            } else {
                deepest = deepest.max(depth);
            }
        }
        self.touches = touches;
        let moved = |nodes: &[u32]| {
            let travel = |&n: &u32| (seen.position(n as usize) - before.position(n as usize)).norm();
            nodes.iter().map(travel).fold(0.0, f64::max)
        };
        let facet_moved = |facet: &Facet| facet.nodes().iter().map(|n| moved(&[n.0])).fold(0.0, f64::max);
        let mut pairs = std::mem::take(&mut self.pairs);
        self.corner_pairs(seen, facet_moved, &mut pairs);
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            // a corner is inside only if it is behind every facet it faces
            let mut best = f64::NEG_INFINITY;
            for pair in group {
                let (corner, facet) = (&self.corners[pair.0 as usize], &self.facets[pair.1 as usize]);
                let Some(OnFacet { gap, .. }) = self.corner_on_facet(seen, corner, facet) else { continue };
                let distance = facet_moved(facet);
                let known = self.near_corners.binary_search(pair).is_ok();
                if !known && (-distance..-tolerance).contains(&gap) {
                    farthest = farthest.max(distance);
                }
                best = best.max(gap);
            }
            if best.is_finite() && best < -tolerance {
                deepest = deepest.max(-best);
            }
        }
        self.edge_pairs(seen, |nodes| moved(nodes), &mut pairs);
        for pair in &pairs {
            let (edge, side) = (pair.0 as usize, pair.1 as usize);
            let Some((_, _, gap)) = self.edge_on_edge(seen, edge, side) else { continue };
            let distance = moved(&self.surface_edges[side].0);
            if self.near_edges.binary_search(pair).is_err() && (-distance..-tolerance).contains(&gap) {
                farthest = farthest.max(distance);
            }
        }
        self.pairs = pairs;
        let (deep, far) = self.bulges.entered(&self.surface(seen), tolerance, moved);
        (deepest, farthest) = (deepest.max(deep), farthest.max(far));
        if farthest > 0.0 {
            self.begin_within(body, u0, 1.5 * farthest.max(self.reach));
            return Intrusion::Unseen;
        }
        if deepest > 0.0 { Intrusion::Seen(deepest) } else { Intrusion::None }
    }

    /// Deepest penetration into the obstacle of anything that is near: nodes, and corners and edges of the obstacle.
    pub fn penetration(&mut self, body: &Deformable, u: &[f64]) -> f64 {
        let mut points = std::mem::take(&mut self.found);
        points.clear();
        self.points(body, u, Moment::End, &mut points);
        let deepest = points.iter().map(|p| -p.gap).fold(0.0, f64::max);
        self.found = points;
        deepest
    }

    /// The contact points of the configuration `u` at the start or the end of the step: nodes on faces, obstacle corners on facets, obstacle edges across
    /// surface edges. A node next to an edge or corner of the obstacle may pass on either side of it; if it enters, the
    /// face it entered through takes it up in the next iteration.
    pub fn points(&mut self, body: &Deformable, u: &[f64], moment: Moment, out: &mut Vec<ContactPoint>) {
        let seen = &self.seen(body, u, moment);
        let first = out.len();
        let mut touches = std::mem::take(&mut self.touches);
        let mut near_nodes = std::mem::take(&mut self.near_nodes);
        for (k, through) in &mut near_nodes {
            touches.clear();
            let node = self.nodes[*k as usize];
            self.obstacle.touches_through(seen.position(node as usize), self.reach, self.depth, *through, &mut touches);
            *through = through.or_else(|| face_passed(&touches));
            for t in touches.iter().filter(|t| !t.sharp) {
                let found = (Anchor::node(self.body, node), t.normal, t.gap);
                out.push(self.point(seen, 0, node, t.feature, found));
            }
        }
        self.near_nodes = near_nodes;
        self.touches = touches;
        // a corner that has entered is pushed out through the facet it is nearest to, or by the nodes of that facet
        let mut inside: Option<(ContactPoint, u32, bool)> = None;
        let push = |found: Option<(ContactPoint, u32, bool)>, out: &mut Vec<ContactPoint>| {
            out.extend(found.filter(|(_, _, pushes)| *pushes).map(|(best, ..)| best));
        };
        for &(corner, facet) in &self.near_corners {
            let place = &self.corners[corner as usize];
            let Some(found) = self.corner_on_facet(seen, place, &self.facets[facet as usize]) else { continue };
            if !(-self.depth..=self.reach).contains(&found.gap) {
                continue;
            }
            let point = self.point(seen, 1, corner, facet, (found.anchor, found.normal, found.gap));
            if found.gap >= 0.0 {
                out.extend(Some(point).filter(|_| found.pushes));
                continue;
            }
            match &mut inside {
                Some((best, owner, pushes)) if *owner == corner => {
                    if found.gap > best.gap {
                        (*best, *pushes) = (point, found.pushes);
                    }
                }
                _ => {
                    push(inside.take(), out);
                    inside = Some((point, corner, found.pushes));
                }
            }
        }
        push(inside, out);
        for &(edge, side) in &self.near_edges {
            if let Some(found) = self.edge_on_edge(seen, edge as usize, side as usize)
                && (-self.depth..=self.reach).contains(&found.2)
            {
                out.push(self.point(seen, 2, edge, side, found));
            }
        }
        let after_nodes = out[first..].iter().position(|p| p.identity.pass != 0).map_or(out.len(), |k| first + k);
        self.bulges.each(&self.surface(seen), self.depth, self.reach, |f| {
            let stands_for = match f.beside {
                Beside::Nothing => None,
                // nodes stand in the order of their numbers
                Beside::Node(node) => {
                    let known = out[first..after_nodes].binary_search_by_key(&node, |p| p.identity.first);
                    known.ok().map(|k| first + k)
                }
                Beside::Edge(nodes) => {
                    let side = self.surface_edges.binary_search_by_key(&nodes, |(nodes, _)| *nodes);
                    let same = |p: &ContactPoint| p.identity.pass == 4 && side == Ok(p.identity.second as usize);
                    out[after_nodes..].iter().position(same).map(|k| after_nodes + k)
                }
            };
            match stands_for {
                Some(k) => out[k].gap = out[k].gap.min(f.gap),
                None => out.push(self.point(seen, f.pass, f.first, f.second, (f.anchor, f.normal, f.gap))),
            }
        });
    }

    /// A place found in the obstacle's frame as a contact point in space.
    fn point(
        &self,
        seen: &Seen<'_>,
        pass: u8,
        first: u32,
        second: u32,
        (anchor, normal, gap): (Anchor, Vector, f64),
    ) -> ContactPoint {
        let dim = seen.body.dim();
        let normal = seen.pose.turn(normal);
        let frame = frame(normal, dim);
        let at = anchor.position(seen.body, seen.u) - gap * normal;
        let wall = self.course.displacement(seen.moment, at);
        ContactPoint {
            identity: Identity { zone: self.number, pass, first, second },
            anchor,
            frame,
            gap,
            friction: self.friction,
            level: self.level,
            wall,
            start: frame.map(|axis| -axis.dot(&wall)),
        }
    }

    /// Velocities of the obstacle at a contact point, at the start and the end of the step.
    pub fn wall_velocities(&self, body: &Deformable, u: &[f64], point: &ContactPoint) -> [Vector; 2] {
        self.course.velocities(point.anchor.position(body, u) - point.gap * point.frame[0])
    }

    /// Corners and facets whose boxes come within `reach(facet)` of each other, sorted.
    fn corner_pairs(&self, seen: &Seen<'_>, reach: impl Fn(&Facet) -> f64, out: &mut Vec<(u32, u32)>) {
        out.clear();
        if self.corners.is_empty() {
            return;
        }
        for (k, facet) in self.facets.iter().enumerate() {
            let bounds = Bounds::around(facet.nodes().iter().map(|n| seen.position(n.index())));
            let bounds = bounds.inflated(reach(facet));
            self.corner_tree.query(&bounds, |corner| {
                let p = self.corners[corner as usize].point;
                if bounds.meets(&Bounds { low: p, high: p }) {
                    out.push((corner, k as u32));
                }
            });
        }
        out.sort_unstable();
    }

    /// Obstacle edges and surface edges whose boxes come within `reach(surface edge)` of each other, sorted.
    fn edge_pairs(&self, seen: &Seen<'_>, reach: impl Fn(&[u32; 2]) -> f64, out: &mut Vec<(u32, u32)>) {
        out.clear();
        if self.edges.is_empty() {
            return;
        }
        for (k, (nodes, _)) in self.surface_edges.iter().enumerate() {
            let bounds = Bounds::around(nodes.iter().map(|n| seen.position(*n as usize))).inflated(reach(nodes));
            self.edge_tree.query(&bounds, |edge| {
                if bounds.meets(&Bounds::around(self.edges[edge as usize].ends)) {
                    out.push((edge, k as u32));
                }
            });
        }
        out.sort_unstable();
    }

    /// A corner of the obstacle above (or just inside) a facet of the body. The contact normal is that of the facet,
    /// reversed.
    fn corner_on_facet(&self, seen: &Seen<'_>, corner: &Corner, facet: &Facet) -> Option<OnFacet> {
        let nodes = facet.nodes();
        let x: [Vector; 4] = std::array::from_fn(|k| seen.position(nodes[k.min(nodes.len() - 1)].index()));
        let ids: [u32; 4] = std::array::from_fn(|k| nodes[k.min(nodes.len() - 1)].0);
        let (weights, outward): ([f64; 4], Vector) = match nodes.len() {
            2 => {
                let along = x[1] - x[0];
                let share = (corner.point - x[0]).dot(&along) / along.dot(&along);
                let t = along.try_normalize(0.0)?;
                ([1.0 - share, share, 0.0, 0.0], Vector::new(t[1], -t[0], 0.0))
            }
            3 => on_triangle(corner.point, &x)?,
            _ => on_quad(corner.point, &x)?,
        };
        if weights[..nodes.len()].iter().any(|w| *w < 0.0) {
            return None;
        }
        let foot: Vector = (0..nodes.len()).map(|k| weights[k] * x[k]).sum();
        let gap = (corner.point - foot).dot(&outward);
        // level with the rim of a facet in front of it: not about to hit it (see `Chain::is_level`)
        let size = (x[1] - x[0]).norm();
        let margin = Self::LEVEL + Self::DOUBT * gap / size;
        if gap > 0.0 && weights[..nodes.len()].iter().any(|w| *w < margin) {
            return None;
        }
        let normal = -outward;
        let pushes = corner.normals.iter().map(|n| n.dot(&normal)).fold(f64::NEG_INFINITY, f64::max);
        let within = if !corner.rays.is_empty() {
            pushes > 0.0 && corner.rays.iter().all(|ray| ray.dot(&normal) <= 1e-9)
        } else if corner.normals.len() == 2 {
            // in the plane: between the normals of the two sides
            let [a, b] = [corner.normals[0], corner.normals[1]];
            let turn = |p: Vector, q: Vector| p[0] * q[1] - p[1] * q[0];
            turn(a, normal) >= -1e-9 && turn(normal, b) >= -1e-9 && pushes > 0.0
        } else if corner.normals.len() == 1 {
            pushes > 0.0
        } else {
            corner.normals.iter().all(|n| n.dot(&normal) >= -1e-9)
        };
        let anchor = Anchor::combination(self.body, &ids[..nodes.len()], &weights[..nodes.len()]);
        Some(OnFacet { anchor, normal, gap, pushes: within })
    }

    /// An edge of the obstacle across an edge of the surface: the normal is their common perpendicular.
    fn edge_on_edge(&self, seen: &Seen<'_>, edge: usize, side: usize) -> Option<(Anchor, Vector, f64)> {
        let edge = &self.edges[edge];
        let (nodes, facets) = self.surface_edges[side];
        let x = nodes.map(|n| seen.position(n as usize));
        let (d1, d2) = ((edge.ends[1] - edge.ends[0]), (x[1] - x[0]));
        let across = d1.cross(&d2);
        // parallel edges meet in their ends, which the other passes see
        if across.dot(&across) < 1e-6 * d1.dot(&d1) * d2.dot(&d2) {
            return None;
        }
        let mut normal = across.try_normalize(0.0)?;
        if normal.dot(&edge.normals[0]) + normal.dot(&edge.normals[1]) < 0.0 {
            normal = -normal;
        }
        let offset = x[0] - edge.ends[0];
        let (a, b, c) = (d1.dot(&d1), d1.dot(&d2), d2.dot(&d2));
        let (e, f) = (d1.dot(&offset), d2.dot(&offset));
        let det = a * c - b * b;
        let on_obstacle = (e * c - b * f) / det;
        let on_body = (b * e - a * f) / det;
        if !(0.0..=1.0).contains(&on_obstacle) || !(0.0..=1.0).contains(&on_body) {
            return None;
        }
        if edge.normals.iter().any(|n| n.dot(&normal) < -1e-9) {
            return None;
        }
        // one side of the body's edge must face the obstacle, and the other must not turn its back on it
        let facing = facets.iter().filter_map(|&k| self.facet_normal(seen, k as usize)).map(|n| -n.dot(&normal));
        let (least, most) = facing.fold((1.0f64, -1.0f64), |(least, most), f| (least.min(f), most.max(f)));
        if least < -0.5 || most < 0.1 {
            return None;
        }
        let gap = normal.dot(&(offset + on_body * d2 - on_obstacle * d1));
        let size = d2.norm();
        let level = |s: f64, length: f64| {
            let margin = Self::LEVEL + Self::DOUBT * gap.max(0.0) / length;
            !(margin..=1.0 - margin).contains(&s)
        };
        if level(on_obstacle, d1.norm()) || level(on_body, size) {
            return None;
        }
        if gap < 0.0 {
            let deepest = |place: Vector| {
                let mut touches = Vec::with_capacity(1);
                self.obstacle.touches(place, 0.0, size, &mut touches);
                touches.iter().map(|t| -t.gap).fold(0.0, f64::max)
            };
            // right beside an end that is inside, that node is pushed out through a face, and the edge with it
            let shares = [on_body, 1.0 - on_body];
            if x.into_iter().zip(shares).any(|(end, share)| share * size <= 2.0 * deepest(end)) {
                return None;
            }
        }
        Some((Anchor::combination(self.body, &nodes, &[1.0 - on_body, on_body]), normal, gap))
    }

    fn facet_normal(&self, seen: &Seen<'_>, facet: usize) -> Option<Vector> {
        let nodes = self.facets[facet].nodes();
        let x = |k: usize| seen.position(nodes[k].index());
        let last = nodes.len() - 1;
        // diagonals of a quad, two sides of a triangle
        let (a, b) = if last == 3 { ((x(2) - x(0)), (x(3) - x(1))) } else { ((x(1) - x(0)), (x(2) - x(0))) };
        a.cross(&b).try_normalize(0.0)
    }
}

/// The face a point inside an obstacle is taken to have come through: the only one it is behind.
fn face_passed(touches: &[Touch]) -> Option<u32> {
    let mut behind = touches.iter().filter(|t| t.gap < 0.0 && !t.sharp);
    let first = behind.next()?;
    behind.next().is_none().then_some(first.feature)
}
