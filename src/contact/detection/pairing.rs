//! Bodies against bodies, and against themselves: the nodes of one surface beside the facets of another.
//!
//! Each step a tree of boxes gives every node the facets it may reach; each iteration says where above them it is. A node in
//! front of several facets has a condition with each of them, as in a notch; one that is inside is pushed out through the
//! facet it is nearest to. Only facets that face the node count, so the back of a thin part never catches it.

mod memory;

use super::bvh::Bounds;
use super::foot::{Foot, LEVEL};
use super::obstacle::{TIE, counted_depth};
use super::skin::Skin;
use super::source::{Placed, Terms};
use super::zone::Intrusion;
use super::{Anchor, ContactPoint, Identity, Vector, frame};
use crate::bodies::Span;

/// How a surface moves: the mean over its nodes, and how far one of them differs from it at most.
#[derive(Debug, Clone, Copy, Default)]
struct Course {
    mean: Vector,
    deviation: f64,
}

impl Course {
    fn of(skin: &Skin, value: impl Fn(usize) -> Vector) -> Self {
        let count = skin.nodes.len().max(1) as f64;
        let mean = skin.nodes.iter().map(|&n| value(n as usize)).sum::<Vector>() / count;
        let deviation = skin.nodes.iter().map(|&n| (value(n as usize) - mean).norm()).fold(0.0, f64::max);
        Course { mean, deviation }
    }

    /// Bound on how far places of two surfaces move relative to each other.
    fn apart(&self, other: &Course) -> f64 {
        (self.mean - other.mean).norm() + self.deviation + other.deviation
    }
}

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
    /// Places of slave nodes with facets they may reach, sorted.
    near: Vec<(u32, u32)>,
    /// Slave nodes that are inside, with the facet each came through, sorted.
    through: Vec<(u32, u32)>,
    /// Slave nodes that take part in the whole step, at rate level.
    held: Vec<u32>,
    reach: f64,
    /// Largest reach of the run so far: a node may lie that deep inside.
    depth: f64,
    feet: Vec<(u32, Foot)>,
    facets: Vec<u32>,
    found: Vec<ContactPoint>,
}

impl Pass {
    fn new(terms: Terms, slave: usize, master: usize, second: bool) -> Self {
        Pass {
            terms,
            slave,
            master,
            second,
            near: Vec::new(),
            through: Vec::new(),
            held: Vec::new(),
            reach: 0.0,
            depth: 0.0,
            feet: Vec::new(),
            facets: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Whether anything is near.
    pub fn is_near(&self) -> bool {
        !self.near.is_empty()
    }

    /// Looks up what lies within `reach`; the trees of the surfaces are those of the same moment.
    fn look(&mut self, skins: &[Skin], at: &impl Placed, reach: f64) {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        self.reach = reach;
        self.near.clear();
        let around = master.bounds.inflated(reach);
        if slave.bounds.meets(&around) {
            self.depth = self.depth.max(reach);
            for (k, &node) in slave.nodes.iter().enumerate() {
                let x = at.position(slave.body, node as usize);
                if around.meets(&Bounds { low: x, high: x }) {
                    master.near(x, reach, |facet| self.near.push((k as u32, facet)));
                }
            }
            if slave.body == master.body {
                self.near.retain(|&(k, facet)| !slave.is_beside(k as usize, &master.facets[facet as usize]));
            }
            self.near.sort_unstable();
        }
        let near = &self.near;
        self.through.retain(|(k, _)| near.binary_search_by_key(k, |pair| pair.0).is_ok());
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
            if foot.normal.dot(&outward) >= 0.0 {
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
        // a node is behind a facet only if it is inside, nearest to that facet or in a concave corner with it
        self.feet.retain(|&(facet, foot)| {
            foot.gap >= 0.0 || facet == nearest.1 || nearest.1 != u32::MAX && master.meet_concave(facet, nearest.1, at)
        });
    }

    /// The contact points where the bodies are; of `held` nodes only, if given, and then the nearest of each.
    fn points_of(&mut self, skins: &[Skin], at: &impl Placed, held: bool, out: &mut Vec<ContactPoint>) {
        let near = std::mem::take(&mut self.near);
        let earlier = out.iter().rposition(|p| p.identity.zone != self.terms.number).map_or(0, |k| k + 1);
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
            for i in 0..self.feet.len() {
                let point = self.point(skins, k, &self.feet[i]);
                if !out[earlier..].iter().any(|p| is_mirror(p, &point)) {
                    out.push(point);
                }
            }
        }
        self.near = near;
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

    fn point(&self, skins: &[Skin], k: u32, (facet, foot): &(u32, Foot)) -> ContactPoint {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        let node = slave.nodes[k as usize];
        let nodes = master.facets[*facet as usize].nodes();
        let ids: [u32; 4] = std::array::from_fn(|i| nodes[i.min(nodes.len() - 1)].0);
        let other = Anchor::combination(master.body, &ids[..nodes.len()], &foot.weights[..nodes.len()]);
        ContactPoint {
            identity: Identity {
                zone: self.terms.number,
                pass: 6 + u8::from(self.second),
                first: node,
                second: *facet,
            },
            anchor: Anchor::node(slave.body, node),
            other: Some(other),
            frame: frame(foot.normal, if nodes.len() == 2 { 2 } else { 3 }),
            gap: foot.gap,
            friction: self.terms.friction,
            level: self.terms.level,
            wall: Vector::zeros(),
            start: [0.0; 3],
        }
    }

    /// The contact points where the bodies are.
    pub fn points(&mut self, skins: &[Skin], at: &impl Placed, out: &mut Vec<ContactPoint>) {
        self.points_of(skins, at, false, out);
    }

    /// At rate level: notes the slave nodes that touch, which take part in the whole step. Whether there are any.
    pub fn hold(&mut self, skins: &[Skin], at: &impl Placed) -> bool {
        let mut points = std::mem::take(&mut self.found);
        points.clear();
        self.points(skins, at, &mut points);
        self.held.clear();
        let touching = points.iter().filter(|p| p.gap <= 0.0).map(|p| p.identity.first);
        self.held.extend(touching.filter_map(|node| skins[self.slave].place_of(node)).map(|k| k as u32));
        self.held.sort_unstable();
        self.held.dedup();
        self.found = points;
        !self.held.is_empty()
    }

    /// The contact points of the nodes that take part in the whole step.
    pub fn held_points(&mut self, skins: &[Skin], at: &impl Placed, out: &mut Vec<ContactPoint>) {
        self.points_of(skins, at, true, out);
    }

    /// Deepest penetration of any node that is near.
    pub fn penetration(&mut self, skins: &[Skin], at: &impl Placed) -> f64 {
        let mut points = std::mem::take(&mut self.found);
        points.clear();
        self.points(skins, at, &mut points);
        let deepest = points.iter().map(|p| -p.gap).fold(0.0, f64::max);
        self.found = points;
        deepest
    }

    /// What is inside by more than `tolerance` where the bodies are at the end of a step, and how far things moved past each
    /// other if something entered that had not been looked up. The trees are those of the end.
    fn entered(&mut self, skins: &[Skin], at: &impl Placed, way: f64, tolerance: f64) -> (f64, f64) {
        let (slave, master) = (&skins[self.slave], &skins[self.master]);
        let around = master.bounds.inflated(way);
        let (mut deepest, mut farthest) = (0.0f64, 0.0f64);
        if !slave.bounds.meets(&around) {
            return (deepest, farthest);
        }
        for (k, &node) in slave.nodes.iter().enumerate() {
            let x = at.position(slave.body, node as usize);
            if !around.meets(&Bounds { low: x, high: x }) {
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
        (deepest, farthest)
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

/// All surfaces that may touch each other, and who touches whom.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    skins: Vec<Skin>,
    courses: Vec<Course>,
    passes: Vec<Pass>,
}

impl Pairs {
    /// Adds a surface and returns its number.
    pub fn add_skin(&mut self, skin: Skin) -> usize {
        self.skins.push(skin);
        self.courses.push(Course::default());
        self.skins.len() - 1
    }

    /// Declares that the nodes of one surface touch the facets of another, or of the same; with `both` also the other way
    /// round.
    pub fn declare(&mut self, terms: Terms, slave: usize, master: usize, both: bool) {
        self.passes.push(Pass::new(terms, slave, master, false));
        if both {
            self.passes.push(Pass::new(terms, master, slave, true));
        }
    }

    /// The surfaces.
    pub fn skins(&self) -> &[Skin] {
        &self.skins
    }

    /// Who touches whom.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// Surfaces, and passes to ask for points.
    pub fn parts(&mut self) -> (&[Skin], &mut [Pass]) {
        (&self.skins, &mut self.passes)
    }

    /// Bodies of a pass: slave and master.
    pub fn bodies_of(&self, pass: &Pass) -> [usize; 2] {
        [self.skins[pass.slave].body, self.skins[pass.master].body]
    }

    /// Looks up what lies within reach of a step: twice the way that places go relative to each other, or the case's own
    /// distance. `velocity(body, node)`.
    pub fn begin(
        &mut self,
        at: &impl Placed,
        velocity: impl Fn(usize, usize) -> Vector,
        size: impl Fn(usize) -> f64,
        span: &Span,
    ) {
        for (skin, course) in self.skins.iter_mut().zip(&mut self.courses) {
            skin.update(at);
            *course = Course::of(skin, |node| velocity(skin.body, node));
        }
        for pass in &mut self.passes {
            let way = span.dt * self.courses[pass.slave].apart(&self.courses[pass.master]);
            // the second term keeps bodies that rest on each other in the list
            let rest = 1e-6 * size(self.skins[pass.slave].body).max(size(self.skins[pass.master].body));
            let reach = pass.terms.search.unwrap_or(2.0 * way + rest);
            pass.look(&self.skins, at, reach);
        }
    }

    /// What is inside at the end of a step, for each pass that `asks`. Where something entered that had not been looked up, the
    /// pass looks again, from the start of the step, far enough to see it.
    pub fn intrusion(
        &mut self,
        start: &impl Placed,
        end: &impl Placed,
        asks: impl Fn(&Pass) -> bool,
        tolerance: impl Fn(usize) -> f64,
        mut report: impl FnMut([usize; 2], Intrusion),
    ) {
        if !self.passes.iter().any(&asks) {
            return;
        }
        for (skin, course) in self.skins.iter_mut().zip(&mut self.courses) {
            skin.update(end);
            let body = skin.body;
            *course = Course::of(skin, |node| end.position(body, node) - start.position(body, node));
        }
        let mut again = Vec::new();
        for (number, pass) in self.passes.iter_mut().enumerate().filter(|(_, pass)| asks(pass)) {
            let bodies = [self.skins[pass.slave].body, self.skins[pass.master].body];
            let way = self.courses[pass.slave].apart(&self.courses[pass.master]);
            let limit = tolerance(bodies[0]).min(tolerance(bodies[1]));
            let (deepest, farthest) = pass.entered(&self.skins, end, way.max(limit), limit);
            if farthest > 0.0 {
                again.push((number, 1.5 * farthest.max(pass.reach)));
                report(bodies, Intrusion::Unseen);
            } else if deepest > 0.0 {
                report(bodies, Intrusion::Seen(deepest));
            }
        }
        if again.is_empty() {
            return;
        }
        for skin in &mut self.skins {
            skin.update(start);
        }
        for (number, reach) in again {
            self.passes[number].look(&self.skins, start, reach);
        }
    }

    /// Deepest penetration of any node that is near.
    pub fn penetration(&mut self, at: &impl Placed) -> f64 {
        let Pairs { skins, passes, .. } = self;
        passes.iter_mut().filter(|p| p.is_near()).map(|p| p.penetration(skins, at)).fold(0.0, f64::max)
    }
}
