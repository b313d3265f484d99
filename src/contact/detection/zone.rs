//! A declared zone: part of a body's surface that may touch one obstacle. Each step it looks up what is near, and each
//! iteration it says where that is now.

use super::bulges::{Beside, Bulges, Found, Surface};
use super::corners::Corners;
use super::edges::Edges;
use super::grain::{Grain, frame_along};
use super::motion::{Course, Moment, Seen};
use super::onset::Onset;
use super::projection::surface_edges;
use super::{Anchor, ContactPoint, Identity, Pose, RigidPlace, Vector, frame};
use crate::bodies::{Deformable, Span};
use crate::contact::friction::Friction;
use crate::geometry::{Obstacle, Touch};
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

impl Level {
    /// How far to look in a step that needs `reach`, `widest` being the farthest look so far. Explicit steps at velocity level let
    /// a gap stay open by the way of the step that closed it; what moves on together keeps that gap and no speed that tells of it.
    pub(super) fn look(self, span: &Span, reach: f64, widest: f64) -> f64 {
        if self == Level::Velocity && span.is_explicit() { reach.max(widest) } else { reach }
    }
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
    /// Coulomb's law.
    pub friction: Friction,
    /// The first axis of orthotropic friction.
    pub grain: Option<Grain>,
    /// What the normal condition is imposed on.
    pub level: Level,
    /// Newton's coefficient of restitution, at velocity level.
    pub restitution: f64,
    /// Search distance, if the case gives one.
    pub search: Option<f64>,
    /// Half the obstacle's width where it is narrowest.
    pub(super) half_width: f64,
    /// Number of the rigid body that carries the obstacle, if one does.
    pub carrier: Option<usize>,
    /// Its centre of mass at the start and the end of the step.
    centres: [Vector; 2],
    course: Course,
    corners: Corners,
    edges: Edges,
    /// Surface edges in space, each with the facets on its two sides.
    surface_edges: Vec<([u32; 2], [u32; 2])>,
    /// Places in `nodes` of the nodes that are near, and the face each came through if it is inside.
    near_nodes: Vec<(u32, Option<u32>)>,
    bulges: Bulges,
    onset: Onset,
    /// Whether corners that can push no facet are held nevertheless.
    insists: bool,
    reach: f64,
    /// Largest reach of the run so far: a point may lie that deep behind an open chain.
    depth: f64,
    touches: Vec<Touch>,
    found: Vec<ContactPoint>,
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
    /// A zone over `facets` (and their nodes).
    pub fn new(
        number: u32,
        body: usize,
        facets: Vec<Facet>,
        obstacle: Obstacle,
        friction: impl Into<Friction>,
        level: Level,
    ) -> Self {
        let nodes: Vec<u32> = crate::mesh::surface::facet_nodes(&facets).into_iter().map(|n| n.0).collect();
        let (corners, edges) = (obstacle.corners(), obstacle.edges());
        let course = Course::new(obstacle.motion.clone());
        let flat = edges.is_empty() && obstacle.ridge_count() == 0;
        let surface_edges = if flat { Vec::new() } else { surface_edges(&facets) };
        Zone {
            half_width: obstacle.half_width(),
            number,
            body,
            nodes,
            facets,
            obstacle,
            friction: friction.into(),
            grain: None,
            level,
            restitution: 0.0,
            search: None,
            carrier: None,
            centres: [Vector::zeros(); 2],
            course,
            corners: Corners::new(corners),
            edges: Edges::new(edges),
            surface_edges,
            near_nodes: Vec::new(),
            bulges: Bulges::default(),
            onset: Onset::default(),
            insists: false,
            reach: 0.0,
            depth: 0.0,
            touches: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Puts the obstacle where the body that carries it is at one end of the step.
    pub fn carry(&mut self, moment: Moment, placed: &RigidPlace) {
        self.course.carry(moment, placed.pose);
        self.centres[moment as usize] = placed.centre;
    }

    /// From rest to where the obstacle is at one end of the step.
    pub(in crate::contact) fn pose(&self, moment: Moment) -> Pose {
        self.course.pose(moment)
    }

    /// Largest reach of the run so far.
    pub fn depth(&self) -> f64 {
        self.depth
    }

    /// Takes over the largest reach of a run that is taken up again.
    pub fn set_depth(&mut self, depth: f64) {
        self.depth = depth;
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
        let needed = 2.0 * farthest + 1e-6 * body.size();
        let reach = self.search.unwrap_or(0.0).max(self.level.look(span, needed, self.depth));
        self.begin_within(body, u, reach);
    }

    pub(super) fn seen<'a>(&self, body: &'a Deformable, u: &'a [f64], moment: Moment) -> Seen<'a> {
        Seen { body, u, pose: self.course.pose(moment), moment }
    }

    /// Looks up what lies within `reach` at the start of the step.
    pub fn begin_within(&mut self, body: &Deformable, u: &[f64], reach: f64) {
        let seen = &self.seen(body, u, Moment::Start);
        self.reach = reach;
        self.depth = self.depth.max(reach);
        self.near_nodes.clear();
        self.onset.clear();
        self.insists = false;
        let mut touches = std::mem::take(&mut self.touches);
        for k in 0..self.nodes.len() {
            touches.clear();
            self.obstacle.touches(seen.position(self.nodes[k] as usize), reach, self.depth, &mut touches);
            if !touches.is_empty() {
                self.near_nodes.push((k as u32, face_passed(&touches)));
            }
        }
        self.touches = touches;
        let surface = Surface {
            number: self.body,
            seen: *seen,
            facets: &self.facets,
            edges: &self.surface_edges,
            obstacle: &self.obstacle,
        };
        self.corners.begin(&surface, reach);
        self.edges.begin(&surface, reach);
        self.bulges.begin(&surface, reach);
    }

    fn surface<'a>(&'a self, seen: &Seen<'a>) -> Surface<'a> {
        let (facets, edges) = (&self.facets, &self.surface_edges);
        Surface { number: self.body, seen: *seen, facets, edges, obstacle: &self.obstacle }
    }

    /// Whether anything is near.
    pub fn is_near(&self) -> bool {
        let sharp = !(self.corners.is_empty() && self.edges.is_empty());
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
        let surface = Surface {
            number: self.body,
            seen: *seen,
            facets: &self.facets,
            edges: &self.surface_edges,
            obstacle: &self.obstacle,
        };
        let (onset, number, size) = (&self.onset, self.number, body.size());
        let can_enter = |pass: u8, (first, second): (u32, u32), depth: f64, travelled: f64| {
            onset.can_enter(&Identity { zone: number, pass, first, second }, depth, travelled, size)
        };
        let corner = |pair, depth, travelled| can_enter(1, pair, depth, travelled);
        let (deep, far) = self.corners.entered(&surface, tolerance, moved, corner);
        (deepest, farthest) = (deepest.max(deep), farthest.max(far));
        farthest = farthest.max(self.edges.entered(&surface, tolerance, moved));
        let bulge = |f: &Found, travelled| can_enter(f.pass, (f.first, f.second), -f.gap, travelled);
        let (deep, far) = self.bulges.entered(&surface, tolerance, moved, bulge);
        (deepest, farthest) = (deepest.max(deep), farthest.max(far));
        // what lies deeper than anything came so far is not found among the points either: bodies that snap in a load step
        if deepest > self.depth {
            farthest = farthest.max(deepest);
        }
        if farthest > 0.0 {
            self.begin_within(body, u0, 1.5 * farthest.max(self.reach));
            return Intrusion::Unseen;
        }
        if deepest > 0.0 { Intrusion::Seen(deepest) } else { Intrusion::None }
    }

    /// Deepest penetration into the obstacle of anything that is near: nodes, and corners and edges of the obstacle.
    pub fn penetration(&mut self, body: &Deformable, u: &[f64]) -> f64 {
        self.find(body, u);
        self.found.iter().map(|p| -p.gap).fold(0.0, f64::max)
    }

    /// The same on the way, with the obstacle at `pose`. Nothing is remembered of it.
    pub(super) fn penetration_at(&mut self, body: &Deformable, u: &[f64], pose: Pose) -> f64 {
        let (end, near) = (self.course.pose(Moment::End), self.near_nodes.clone());
        self.course.carry(Moment::End, pose);
        let mut points = std::mem::take(&mut self.found);
        points.clear();
        self.true_points(body, u, &mut points);
        self.found = points;
        self.course.carry(Moment::End, end);
        self.near_nodes = near;
        self.found.iter().map(|p| -p.gap).fold(0.0, f64::max)
    }

    /// Finds the contact points of the configuration `u` at the end of the step, into [`Zone::found`]; at position level with the
    /// mean normals and places of the step.
    pub fn find(&mut self, body: &Deformable, u: &[f64]) {
        let mut points = std::mem::take(&mut self.found);
        points.clear();
        if self.level == Level::Position {
            self.true_points(body, u, &mut points);
            points.iter_mut().for_each(|point| self.onset.mean(point));
        } else {
            self.points(body, u, Moment::End, &mut points);
        }
        self.found = points;
    }

    /// What was found last.
    pub fn found(&self) -> &[ContactPoint] {
        &self.found
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
                out.push(self.point(seen, &Found::node(self.body, node, t)));
            }
        }
        self.near_nodes = near_nodes;
        self.touches = touches;
        let surface = self.surface(seen);
        let mut push = |found: &Found| out.push(self.point(seen, found));
        self.corners.each(&surface, (self.depth, self.reach), self.insists, &mut push);
        self.edges.each(&surface, self.depth, self.reach, &mut push);
        let after_nodes = out[first..].iter().position(|p| p.identity.pass != 0).map_or(out.len(), |k| first + k);
        self.bulges.each(&surface, self.depth, self.reach, |f| {
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
                None => out.push(self.point(seen, f)),
            }
        });
    }

    /// Notes where the points are at the start of a step in which the body `moves`: what the end of the step is compared with.
    pub fn note_start(&mut self, body: &Deformable, u: &[f64], moves: bool) {
        let mut points = std::mem::take(&mut self.found);
        points.clear();
        self.points(body, u, Moment::Start, &mut points);
        let seen = self.seen(body, u, Moment::Start);
        self.onset.note(&seen, &self.nodes, &points, moves);
        self.found = points;
    }

    /// Gives a point at the end of the step the normal along which its reaction does the work of its gap.
    pub fn conserve(&self, body: &Deformable, u: &[f64], point: &mut ContactPoint) {
        self.onset.conserve(&self.seen(body, u, Moment::End), point);
    }

    /// Holds corners, for the rest of the step, by the facet they are nearest to where they can push none: something stayed inside.
    pub fn insist(&mut self) {
        self.insists = true;
    }

    /// The contact points at the end of a step: of those that [`Zone::points`] gives the ones that came there within it.
    fn true_points(&mut self, body: &Deformable, u: &[f64], out: &mut Vec<ContactPoint>) {
        let first = out.len();
        self.points(body, u, Moment::End, out);
        let seen = &self.seen(body, u, Moment::End);
        let mut place = 0;
        out.retain(|point| {
            place += 1;
            place <= first || self.onset.is_true(seen, point)
        });
    }

    /// A place found in the obstacle's frame as a contact point in space.
    fn point(&self, seen: &Seen<'_>, found: &Found) -> ContactPoint {
        let Found { pass, first, second, anchor, normal, gap, .. } = *found;
        let dim = seen.body.dim();
        let normal = seen.pose.turn(normal);
        let frame = match &self.grain {
            Some(grain) if dim == 3 => {
                frame_along(normal, grain.direction(&seen.pose, &anchor, |node| seen.body.position(seen.u, node)))
            }
            _ => frame(normal, dim),
        };
        let at = anchor.position(seen.body, seen.u) - gap * normal;
        let wall = self.course.displacement(seen.moment, at);
        ContactPoint {
            identity: Identity { zone: self.number, pass, first, second },
            anchor,
            other: self.carrier.map(|body| Anchor::rigid(body, at - self.centres[seen.moment as usize])),
            frame,
            gap,
            friction: self.friction,
            level: self.level,
            wall,
            start: frame.map(|axis| -axis.dot(&wall)),
        }
    }

    /// A place of the body beside one of the obstacle as a contact point, by kind and numbers; `normal` is in the obstacle's frame.
    pub(in crate::contact) fn point_at(
        &self,
        body: &Deformable,
        u: &[f64],
        (pass, first, second): (u8, u32, u32),
        anchor: Anchor,
        (normal, gap): (Vector, f64),
    ) -> ContactPoint {
        let found = Found { beside: Beside::Nothing, sharp: false, pass, first, second, anchor, normal, gap };
        self.point(&self.seen(body, u, Moment::End), &found)
    }

    /// Velocities of the obstacle at a contact point, at the start and the end of the step.
    pub fn wall_velocities(&self, body: &Deformable, u: &[f64], point: &ContactPoint) -> [Vector; 2] {
        self.course.velocities(point.anchor.position(body, u) - point.gap * point.frame[0])
    }
}

/// The face a point inside an obstacle is taken to have come through: the only one it is behind.
fn face_passed(touches: &[Touch]) -> Option<u32> {
    let mut behind = touches.iter().filter(|t| t.gap < 0.0 && !t.sharp);
    let first = behind.next()?;
    behind.next().is_none().then_some(first.feature)
}
