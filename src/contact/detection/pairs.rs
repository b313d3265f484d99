//! All surfaces that may touch each other: who touches whom, looked up once a step and asked in every iteration.

use super::pairing::Pass;
use super::skin::Skin;
use super::source::{Placed, Terms};
use super::zone::{Intrusion, Level};
use super::{ContactPoint, Vector};
use crate::bodies::Span;
use crate::parallel;

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

    pub(in crate::contact) fn passes_mut(&mut self) -> &mut [Pass] {
        &mut self.passes
    }

    /// At rate level: notes what touches where the bodies are and takes part in the whole step. Whether anything of a pass does.
    pub(in crate::contact) fn hold(&mut self, number: usize, at: &impl Placed) -> bool {
        self.passes[number].hold(&self.skins, at)
    }

    /// Finds the contact points of every pass that is near and `asks`: of those at rate level where the bodies are `halfway`, of
    /// held nodes only. Passes are independent of each other; what they found is joined in their order.
    pub fn points(
        &mut self,
        at: &impl Placed,
        halfway: &impl Placed,
        asks: impl Fn(&Pass) -> bool + Sync,
        out: &mut Vec<ContactPoint>,
    ) {
        let Pairs { skins, passes, .. } = self;
        parallel::each(passes, |_, pass| {
            if pass.is_near() && asks(pass) {
                match pass.terms.level {
                    // where forces and velocities of a conserving scheme are taken: no moment, no work
                    Level::Rate => pass.find(skins, halfway, true),
                    Level::Position | Level::Velocity => pass.find(skins, at, false),
                }
            }
        });
        let mut before = 0..0;
        for pass in passes.iter_mut().filter(|pass| pass.is_near() && asks(pass)) {
            // the second pass of a contact follows the first, if that is near too
            let first = out[before.clone()].first().map(|p| (p.identity.zone, p.anchor.body, p.master()));
            let (slave, master) = (skins[pass.slave].body, skins[pass.master].body);
            if pass.second && first == Some((pass.terms.number, master, Some(slave))) {
                pass.leave_out(&out[before]);
            }
            before = out.len()..out.len() + pass.found().len();
            out.extend_from_slice(pass.found());
        }
    }

    /// Newton's coefficient of restitution of a contact; passes stand in the order of the contacts.
    pub fn restitution(&self, number: u32) -> f64 {
        let at = self.passes.partition_point(|pass| pass.terms.number < number);
        self.passes.get(at).map_or(0.0, |pass| pass.terms.restitution)
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
        velocity: impl Fn(usize, usize) -> Vector + Sync,
        size: impl Fn(usize) -> f64 + Sync,
        span: &Span,
    ) {
        self.follow(at, velocity);
        let Pairs { skins, courses, passes } = self;
        parallel::each(passes, |_, pass| {
            let way = span.dt * courses[pass.slave].apart(&courses[pass.master]);
            // the second term keeps bodies that rest on each other in the list
            let rest = 1e-6 * size(skins[pass.slave].body).max(size(skins[pass.master].body));
            let terms = &pass.terms;
            let reach = terms.search.unwrap_or_else(|| terms.level.look(span, 2.0 * way + rest, pass.widest()));
            pass.look(skins, at, reach);
        });
    }

    /// Takes over where the bodies are, and how they move: `way(body, node)`.
    fn follow(&mut self, at: &impl Placed, way: impl Fn(usize, usize) -> Vector + Sync) {
        parallel::pairs(&mut self.skins, &mut self.courses, |_, skin, course| {
            skin.update(at);
            *course = Course::of(skin, |node| way(skin.body, node));
        });
    }

    /// What is inside at the end of a step, for each pass that `asks`. Where something entered that had not been looked up, the
    /// pass looks again, from the start of the step, far enough to see it.
    pub fn intrusion(
        &mut self,
        start: &impl Placed,
        end: &impl Placed,
        asks: impl Fn(&Pass) -> bool + Sync,
        tolerance: impl Fn(usize) -> f64 + Sync,
        mut report: impl FnMut([usize; 2], Intrusion),
    ) {
        if !self.passes.iter().any(&asks) {
            return;
        }
        self.follow(end, |body, node| end.position(body, node) - start.position(body, node));
        let Pairs { skins, courses, passes } = self;
        parallel::each(passes, |_, pass| {
            pass.entry = (0.0, 0.0);
            if asks(pass) {
                let way = courses[pass.slave].apart(&courses[pass.master]);
                let limit = tolerance(skins[pass.slave].body).min(tolerance(skins[pass.master].body));
                pass.entry = pass.entered(skins, end, way.max(limit), limit);
            }
        });
        let mut again = Vec::new();
        for (number, pass) in passes.iter().enumerate() {
            let bodies = [skins[pass.slave].body, skins[pass.master].body];
            let (deepest, farthest) = pass.entry;
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
        parallel::each(skins, |_, skin| skin.update(start));
        for (number, reach) in again {
            passes[number].look(skins, start, reach);
        }
    }

    /// Deepest penetration of any node that is near.
    pub fn penetration(&mut self, at: &impl Placed) -> f64 {
        let Pairs { skins, passes, .. } = self;
        parallel::each(passes, |_, pass| pass.entry.0 = if pass.is_near() { pass.penetration(skins, at) } else { 0.0 });
        passes.iter().map(|pass| pass.entry.0).fold(0.0, f64::max)
    }
}
