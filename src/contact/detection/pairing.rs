//! Bodies against bodies, and against themselves: the nodes of one surface beside the facets of another.
//!
//! Each step a tree of boxes gives every node the facets it may reach; each iteration says where above them it is. A node in
//! front of several facets has a condition with each of them, as in a notch; one that is inside is pushed out through the
//! facet it is nearest to. Only facets that face the node count, so the back of a thin part never catches it.

mod edges;
mod memory;
mod sides;

use super::foot::{Foot, LEVEL};
use super::grain::{Marked, frame_along};
use super::skin::{SMOOTH, Skin};
use super::source::{Placed, Terms};
use super::{Anchor, ContactPoint, Identity, Vector, frame};
use crate::geometry::Bounds;
use crate::geometry::features::{TIE, counted_depth};

/// Kind of point of edges that cross; nodes have 6, and 7 in the second pass of a contact.
const EDGES: u8 = 8;

/// The nodes of one surface against the facets of another.
#[derive(Debug, Clone)]
pub struct Pass {
    /// The law.
    pub terms: Terms,
    /// Number of the surface whose nodes are held.
    pub slave: usize,
    /// Number of the surface whose facets hold them.
    pub master: usize,
    /// Whether another pass of the same contact came before, with the surfaces exchanged.
    pub second: bool,
    /// Whether only nodes at sharp corners and edges are held: those of the master of a contact with one pass.
    corners: bool,
    /// Places of slave nodes near the master that are left alone for that, in this step, sorted.
    left_alone: Vec<u32>,
    /// The first axis of orthotropic friction, and whether it is drawn on the slave's surface or on the master's.
    grain: Option<(Marked, bool)>,
    /// Places of slave nodes with facets they may reach, sorted.
    near: Vec<(u32, u32)>,
    /// Edges of slave and master that may cross, sorted.
    near_edges: Vec<(u32, u32)>,
    /// Slave nodes that are inside, with the facet each came through, sorted.
    through: Vec<(u32, u32)>,
    /// Pairs of `near` in which the node is behind the facet from the start of the step on, sorted.
    behind: Vec<(u32, u32)>,
    /// Pairs of `near_edges` that are inside each other from the start of the step on, sorted.
    edges_behind: Vec<(u32, u32)>,
    /// How far behind a node may lie that is held.
    slack: f64,
    around: Vec<sides::Beside>,
    /// Pairs of `near_edges` that are or were in front of each other, sorted.
    edges_in_front: Vec<(u32, u32)>,
    /// Those of them that are inside each other, and how deep.
    edges_inside: Vec<((u32, u32), f64)>,
    /// Slave nodes that take part in the whole step, at rate level.
    held: Vec<u32>,
    /// Edges of slave and master that do, sorted.
    held_edges: Vec<(u32, u32)>,
    pub(super) reach: f64,
    /// Largest reach of the run so far: a node may lie that deep inside.
    depth: f64,
    /// How far things moved past each other in the step, where that bounds what entered: at position level, once it has ended.
    way: f64,
    feet: Vec<(u32, Foot)>,
    facets: Vec<u32>,
    found: Vec<ContactPoint>,
    /// What the last look at the end of a step found, see [`Pass::entered`].
    pub(super) entry: (f64, f64),
}

impl Pass {
    pub(super) fn new(terms: Terms, slave: usize, master: usize, second: bool, grain: Option<(Marked, bool)>) -> Self {
        Pass {
            terms,
            slave,
            master,
            second,
            corners: false,
            left_alone: Vec::new(),
            grain,
            near: Vec::new(),
            near_edges: Vec::new(),
            through: Vec::new(),
            behind: Vec::new(),
            edges_behind: Vec::new(),
            slack: 0.0,
            around: Vec::new(),
            edges_in_front: Vec::new(),
            edges_inside: Vec::new(),
            held: Vec::new(),
            held_edges: Vec::new(),
            reach: 0.0,
            depth: 0.0,
            way: f64::INFINITY,
            feet: Vec::new(),
            facets: Vec::new(),
            found: Vec::new(),
            entry: (0.0, 0.0),
        }
    }

    /// Holds only nodes at sharp corners and edges.
    pub(super) fn of_corners(self) -> Self {
        Pass { corners: true, ..self }
    }

    /// Number of its contact, and whether it is the second pass of it.
    pub(super) fn key(&self) -> (u32, bool) {
        (self.terms.number, self.second)
    }

    /// Whether anything is near.
    pub fn is_near(&self) -> bool {
        !self.near.is_empty() || !self.near_edges.is_empty()
    }

    /// The farthest look of the run so far.
    pub(super) fn widest(&self) -> f64 {
        self.depth
    }

    /// How far behind a facet a node may lie at the start of a step that came through it.
    pub(super) fn set_slack(&mut self, slack: f64) {
        self.slack = slack;
    }

    /// Looks up what lies within `reach`; the trees of the surfaces are those of the same moment.
    pub(super) fn look(&mut self, skins: &[Skin], at: &impl Placed, reach: f64) {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        self.reach = reach;
        self.way = f64::INFINITY;
        self.near.clear();
        self.near_edges.clear();
        self.left_alone.clear();
        self.behind.clear();
        let around = master.bounds.inflated(reach);
        if slave.bounds.meets(&around) {
            self.depth = self.depth.max(reach);
            for (k, &node) in slave.nodes.iter().enumerate() {
                let x = at.position(slave.body, node as usize);
                if !around.meets(&Bounds { low: x, high: x }) {
                    continue;
                }
                if self.corners && !self.holds_corner(skins, at, k as u32) {
                    self.left_alone.push(k as u32);
                    continue;
                }
                master.near(x, reach, |facet| self.near.push((k as u32, facet)));
            }
            if slave.body == master.body {
                self.near.retain(|&(k, facet)| !slave.is_beside(k as usize, &master.facets[facet as usize]));
            }
            self.near.sort_unstable();
            self.look_for_edges(skins, at);
        } else {
            self.edges_in_front.clear();
        }
        let near = &self.near;
        self.through.retain(|(k, _)| near.binary_search_by_key(k, |pair| pair.0).is_ok());
        self.note_sides(skins, at);
    }

    /// Whether the slave node in place `k` is at a sharp corner or edge. One that has become so while it was inside is left alone until
    /// it is out: pushing it there would throw the bodies apart.
    fn holds_corner(&mut self, skins: &[Skin], at: &impl Placed, k: u32) -> bool {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        if slave.smooth_normal(k as usize, at).is_some() {
            return false;
        }
        self.facets.clear();
        let x = at.position(slave.body, slave.nodes[k as usize] as usize);
        master.near(x, self.reach, |facet| self.facets.push(facet));
        self.place(skins, at, k, f64::INFINITY);
        let known = self.through.binary_search_by_key(&k, |t| t.0).is_ok();
        known || self.feet.iter().all(|(_, foot)| foot.gap >= -self.slack)
    }

    /// Where the slave node in place `k` is above the facets in `self.facets`, or inside: into `self.feet`.
    fn place(&mut self, skins: &[Skin], at: &impl Placed, k: u32, depth: f64) {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        let x = at.position(slave.body, slave.nodes[k as usize] as usize);
        let outward = slave.outward(k as usize, at);
        let smooth = slave.smooth_normal(k as usize, at);
        let through = self.through.binary_search_by_key(&k, |t| t.0).ok().map(|t| self.through[t].1);
        self.feet.clear();
        let mut nearest = (f64::INFINITY, u32::MAX);
        for &facet in &self.facets {
            let Some(mut foot) = Foot::of(master, facet, x, depth, at) else { continue };
            if foot.normal.dot(&outward) >= 0.0 || foot.gap < 0.0 && self.is_beyond(skins, at, (k, facet), &foot) {
                continue;
            }
            if let Some(outward) = smooth {
                foot = foot.between(master, facet, outward, at);
            }
            let repeated = |f: &(u32, Foot)| foot.shared.is_some() && f.1.shared == foot.shared;
            if self.feet.iter().any(repeated) {
                continue;
            }
            let counted = counted_depth(foot.gap.abs(), facet, through.filter(|_| foot.gap < 0.0));
            if counted < (1.0 - TIE) * nearest.0 {
                nearest = (counted, facet);
            }
            if (-depth..=self.reach).contains(&foot.gap) {
                self.feet.push((facet, foot));
            }
        }
        if through.is_none() && nearest.1 != u32::MAX {
            self.join_below_ridge(master, nearest.1, x, at);
        }
        // a node is behind a facet only if it is inside, nearest to that facet or in a concave corner with it
        self.feet.retain(|&(facet, foot)| {
            foot.gap >= 0.0 || facet == nearest.1 || nearest.1 != u32::MAX && master.meet_concave(facet, nearest.1, at)
        });
        self.join_on_ridges(master, at);
    }

    /// A node that is as deep under one facet of a sharp ridge or tip as under another lies straight below it and is held by that, along
    /// the mean of the normals: that one is the foot on the `nearest` facet then.
    fn join_below_ridge(&mut self, master: &Skin, nearest: u32, x: Vector, at: &impl Placed) {
        let Some(own) = self.feet.iter().position(|(facet, foot)| *facet == nearest && foot.gap < 0.0) else { return };
        let Foot { normal, gap, .. } = self.feet[own].1;
        let is_tied = |foot: &Foot| (foot.gap - gap).abs() <= -TIE * gap && foot.normal.dot(&normal) < SMOOTH;
        if !self.feet.iter().any(|(_, foot)| is_tied(foot)) {
            return;
        }
        let nodes = |facet: u32| master.facets[facet as usize].nodes();
        let mut shared = nodes(nearest).to_vec();
        let (mut normals, known) = (vec![normal], shared.len());
        for (facet, foot) in self.feet.iter().filter(|(_, foot)| is_tied(foot)) {
            let meets = nodes(*facet).iter().any(|node| shared.contains(node));
            if meets && !master.meet_concave(*facet, nearest, at) {
                shared.retain(|node| nodes(*facet).contains(node));
                if normals.iter().all(|n| n.dot(&foot.normal) < SMOOTH) {
                    normals.push(foot.normal);
                }
            }
        }
        let place = |node: crate::mesh::NodeId| at.position(master.body, node.index());
        let shares = match shared[..] {
            [_] => [1.0, 0.0],
            [p, q] if known > 2 => {
                let along = place(q) - place(p);
                let share = ((x - place(p)).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
                [1.0 - share, share]
            }
            _ => return,
        };
        let Some(normal) = normals.iter().sum::<Vector>().try_normalize(0.0) else { return };
        let mut weights = [0.0; 4];
        for (node, share) in shared.iter().zip(shares) {
            let corner = nodes(nearest).iter().position(|n| n == node);
            corner.into_iter().for_each(|k| weights[k] = share);
        }
        let on_ridge: Vector = shared.iter().zip(shares).map(|(node, share)| share * place(*node)).sum();
        self.feet[own].1 = Foot { weights, normal, gap: normal.dot(&(x - on_ridge)), shared: None };
    }

    /// A node exactly on a sharp ridge or a tip has one nearest feature and one condition, along the mean of the normals that meet there:
    /// facets that each held it would press against each other.
    fn join_on_ridges(&mut self, master: &Skin, at: &impl Placed) {
        let is_on_it = |foot: &Foot, facet: u32| foot.gap.abs() <= LEVEL * master.length(facet, at);
        let mut kept = 0;
        for k in 0..self.feet.len() {
            let (facet, foot) = self.feet[k];
            let same = self.feet[..kept].iter().position(|(other, earlier)| {
                is_on_it(earlier, *other)
                    && is_on_it(&foot, facet)
                    && earlier.is_at_rim_of(&foot, [*other, facet].map(|f| master.facets[f as usize].nodes()))
                    && earlier.normal.dot(&foot.normal) < SMOOTH
                    && !master.meet_concave(*other, facet, at)
            });
            match same.map(|earlier| &mut self.feet[earlier].1) {
                Some(earlier) => earlier.normal = (earlier.normal + foot.normal).normalize(),
                None => {
                    self.feet[kept] = (facet, foot);
                    kept += 1;
                }
            }
        }
        self.feet.truncate(kept);
    }

    /// Finds the contact points where the bodies are, into [`Pass::found`]; of `held` nodes only, if asked, and then the nearest
    /// of each.
    pub(super) fn find(&mut self, skins: &[Skin], at: &impl Placed, held: bool) {
        let near = std::mem::take(&mut self.near);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let alone = skins[self.slave].body == skins[self.master].body;
        for group in near.chunk_by(|a, b| a.0 == b.0) {
            let k = group[0].0;
            if held && self.held.binary_search(&k).is_err() {
                continue;
            }
            self.facets.clear();
            self.facets.extend(group.iter().map(|pair| pair.1));
            self.place(skins, at, k, self.depth);
            if held && let Some(best) = self.feet.iter().copied().min_by(|a, b| a.1.gap.abs().total_cmp(&b.1.gap.abs()))
            {
                self.feet.clear();
                self.feet.push(best);
            }
            self.remember(k);
            for foot in &self.feet {
                let point = self.point(skins, at, k, foot);
                if !(alone && found.iter().any(|p| is_mirror(p, &point))) {
                    found.push(point);
                }
            }
        }
        self.near = near;
        self.find_edges(skins, at, held, &mut found);
        self.found = found;
    }

    /// What was found last.
    pub fn found(&self) -> &[ContactPoint] {
        &self.found
    }

    /// Drops points that are the same pair of nodes as one of `earlier`, which the pass with the surfaces exchanged found.
    pub(super) fn leave_out(&mut self, earlier: &[ContactPoint]) {
        self.found.retain(|point| !earlier.iter().any(|p| is_mirror(p, point)));
    }

    /// Notes the facet that a node inside has come through: the only one it is behind.
    fn remember(&mut self, k: u32) {
        let mut behind = self.feet.iter().filter(|f| f.1.gap < 0.0);
        let passed = behind.next().map(|f| f.0).filter(|_| behind.next().is_none());
        match (self.through.binary_search_by_key(&k, |t| t.0), passed) {
            (Err(place), Some(facet)) => self.through.insert(place, (k, facet)),
            (Ok(place), None) if self.feet.iter().all(|f| f.1.gap >= 0.0) => {
                self.through.remove(place);
            }
            _ => {}
        }
    }

    /// Axes of a contact with the given normal between places of the slave and of the master.
    pub(super) fn frame(&self, normal: Vector, sides: [&Anchor; 2], at: &impl Placed, dim: usize) -> [Vector; 3] {
        match &self.grain {
            Some((marked, on_slave)) => {
                let carrier = sides[usize::from(!on_slave)];
                frame_along(normal, marked.direction(carrier, |node| at.position(carrier.body, node)))
            }
            None => frame(normal, dim),
        }
    }

    fn point(&self, skins: &[Skin], at: &impl Placed, k: u32, (facet, foot): &(u32, Foot)) -> ContactPoint {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        let node = slave.nodes[k as usize];
        let nodes = master.facets[*facet as usize].nodes();
        let ids: [u32; 4] = std::array::from_fn(|i| nodes[i.min(nodes.len() - 1)].0);
        let other = Anchor::combination(master.body, &ids[..nodes.len()], &foot.weights[..nodes.len()]);
        let anchor = Anchor::node(slave.body, node);
        let frame = self.frame(foot.normal, [&anchor, &other], at, if nodes.len() == 2 { 2 } else { 3 });
        ContactPoint {
            identity: Identity {
                zone: self.terms.number,
                pass: 6 + u8::from(self.second),
                first: node,
                second: *facet,
            },
            anchor,
            other: Some(other),
            frame,
            gap: foot.gap,
            friction: self.terms.friction,
            level: self.terms.level,
            wall: Vector::zeros(),
            start: [0.0; 3],
        }
    }

    /// At rate level: notes the slave nodes and the edges that touch, which take part in the whole step. Whether there are any.
    pub(super) fn hold(&mut self, skins: &[Skin], at: &impl Placed) -> bool {
        self.find(skins, at, false);
        self.held.clear();
        self.held_edges.clear();
        for Identity { pass, first, second, .. } in self.found.iter().filter(|p| p.gap <= 0.0).map(|p| p.identity) {
            match pass {
                EDGES => self.held_edges.push((first, second)),
                _ => self.held.extend(skins[self.slave].place_of(first).map(|k| k as u32)),
            }
        }
        self.held.sort_unstable();
        self.held.dedup();
        !self.held.is_empty() || !self.held_edges.is_empty()
    }

    /// Deepest penetration of any node that is near.
    pub(super) fn penetration(&mut self, skins: &[Skin], at: &impl Placed) -> f64 {
        let depth = self.depth;
        self.depth = depth.min(self.way.max(self.slack));
        self.find(skins, at, false);
        self.depth = depth;
        self.found.iter().map(|p| self.true_depth(skins, at, p)).fold(0.0, f64::max)
    }

    /// What is inside by more than `tolerance` where the bodies are at the end of a step, and how far things moved past each
    /// other if something entered that had not been looked up. The trees are those of the end.
    pub(super) fn entered(&mut self, skins: &[Skin], at: &impl Placed, way: f64, tolerance: f64) -> (f64, f64) {
        self.way = way;
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        let around = master.bounds.inflated(way);
        let (mut deepest, mut farthest) = (0.0f64, 0.0f64);
        if !slave.bounds.meets(&around) {
            return (deepest, farthest);
        }
        for (k, &node) in slave.nodes.iter().enumerate() {
            let x = at.position(slave.body, node as usize);
            if !around.meets(&Bounds { low: x, high: x }) || self.left_alone.binary_search(&(k as u32)).is_ok() {
                continue;
            }
            if self.corners && slave.smooth_normal(k, at).is_some() {
                continue;
            }
            self.facets.clear();
            let mut facets = std::mem::take(&mut self.facets);
            master.near(x, way, |facet| facets.push(facet));
            if slave.body == master.body {
                facets.retain(|&facet| !slave.is_beside(k, &master.facets[facet as usize]));
            }
            facets.sort_unstable();
            self.facets = facets;
            // what entered within the step is no deeper than things moved past each other
            self.place(skins, at, k as u32, way);
            for (facet, foot) in self.feet.iter().filter(|f| f.1.gap < -tolerance) {
                if self.near.binary_search(&(k as u32, *facet)).is_ok() {
                    deepest = deepest.max(-foot.gap);
                } else {
                    farthest = farthest.max(way);
                }
            }
        }
        let (deep, unseen) = self.entered_edges(skins, at, way, tolerance);
        (deepest.max(deep), if unseen { farthest.max(way) } else { farthest })
    }
}

/// Whether two points are the same pair of nodes seen from either side.
fn is_mirror(a: &ContactPoint, b: &ContactPoint) -> bool {
    let at_node =
        |anchor: &Anchor| anchor.parts().find(|part| (part.1 - 1.0).abs() <= LEVEL).map(|part| (anchor.body, part.0));
    let (Some(master_a), Some(master_b)) = (&a.other, &b.other) else { return false };
    match (at_node(master_a), at_node(master_b)) {
        (Some(m), Some(n)) => at_node(&a.anchor) == Some(n) && at_node(&b.anchor) == Some(m),
        _ => false,
    }
}
