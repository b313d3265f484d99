//! All surfaces that may touch each other: who touches whom, looked up once a step and asked in every iteration.

use super::grain::Marked;
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
    /// What says whether a pass may have anything near, close together: there are as many as pairs of bodies, and few have.
    declared: Vec<Declared>,
    /// Numbers of the passes that have something near, ascending.
    near: Vec<u32>,
    /// Numbers of passes whose surfaces have come close.
    close: Vec<u32>,
}

/// A pass as far as the boxes around its surfaces are concerned.
#[derive(Debug, Clone, Copy)]
struct Declared {
    slave: u32,
    master: u32,
    level: Level,
    search: Option<f64>,
}

impl Pairs {
    /// Adds a surface and returns its number.
    pub fn add_skin(&mut self, skin: Skin) -> usize {
        self.skins.push(skin);
        self.courses.push(Course::default());
        self.skins.len() - 1
    }

    /// Declares that the nodes of one surface touch the facets of another, or of the same; with `both` also the other way
    /// round. The first axis of orthotropic friction is drawn on the surface of the given number.
    pub fn declare(&mut self, terms: Terms, slave: usize, master: usize, both: bool, grain: Option<(usize, Marked)>) {
        let drawn = |on: usize| grain.as_ref().map(|(skin, marked)| (marked.clone(), *skin == on));
        let (level, search) = (terms.level, terms.search);
        let declared =
            |slave: usize, master: usize| Declared { slave: slave as u32, master: master as u32, level, search };
        self.passes.push(Pass::new(terms, slave, master, false, drawn(slave)));
        self.declared.push(declared(slave, master));
        if both {
            self.passes.push(Pass::new(terms, master, slave, true, drawn(master)));
            self.declared.push(declared(master, slave));
        }
    }

    /// Whether any pass is imposed at this level.
    pub fn has_level(&self, level: Level) -> bool {
        self.declared.iter().any(|pass| pass.level == level)
    }

    /// Passes that have something near.
    pub(in crate::contact) fn near(&self) -> &[u32] {
        &self.near
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
    /// held nodes only. Passes are independent of each other.
    pub fn find(&mut self, at: &impl Placed, halfway: &impl Placed, asks: impl Fn(&Pass) -> bool + Sync) {
        let Pairs { skins, passes, near, .. } = self;
        parallel::each_of(passes, near, |pass| {
            if asks(pass) {
                match pass.terms.level {
                    // where forces and velocities of a conserving scheme are taken: no moment, no work
                    Level::Rate => pass.find(skins, halfway, true),
                    Level::Position | Level::Velocity => pass.find(skins, at, false),
                }
            }
        });
    }

    /// At position level: notes the points of every pass that is near where the bodies are at the start of a step that `moves`.
    pub(in crate::contact) fn note_start(&mut self, at: &impl Placed, moves: bool) {
        let Pairs { skins, passes, near, .. } = self;
        parallel::each_of(passes, near, |pass| {
            pass.note_start(skins, at, moves && pass.terms.level == Level::Position)
        });
    }

    /// The pass that found a point.
    fn finder(&self, point: &ContactPoint) -> Option<&Pass> {
        // a second pass stands behind the first of its contact
        let first = self.passes.partition_point(|pass| pass.terms.number < point.identity.zone);
        self.passes.get(first + usize::from(point.identity.pass == 7))
    }

    /// The gap of a point at the start of the step, if its pair was one then.
    pub(in crate::contact) fn gap_before(&self, point: &ContactPoint) -> Option<f64> {
        self.finder(point)?.gap_before(point)
    }

    /// Gives a point at position level the means over the step.
    pub(in crate::contact) fn mean(&self, point: &mut ContactPoint) {
        if let Some(pass) = self.finder(point) {
            pass.mean(point);
        }
    }

    /// Joins what [`Pairs::find`] found, in the order of the passes.
    pub fn join(&mut self, asks: impl Fn(&Pass) -> bool, out: &mut Vec<ContactPoint>) {
        let Pairs { skins, passes, near, .. } = self;
        let mut before = 0..0;
        for &number in near.iter() {
            let pass = &mut passes[number as usize];
            if !asks(pass) {
                continue;
            }
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
        parallel::each(&mut self.skins, |_, skin| skin.note_start(at));
        let Pairs { skins, courses, passes, declared, near, close } = self;
        let reach = |slave: usize, master: usize, search: Option<f64>, level: Level, widest: f64| {
            let way = span.dt * courses[slave].apart(&courses[master]);
            // the second term keeps bodies that rest on each other in the list
            let rest = 1e-6 * size(skins[slave].body).max(size(skins[master].body));
            search.unwrap_or_else(|| level.look(span, 2.0 * way + rest, widest))
        };
        close.clear();
        let mut before = near.iter().copied().peekable();
        for (number, pass) in declared.iter().enumerate() {
            let (slave, master) = (pass.slave as usize, pass.master as usize);
            let widest = if pass.level == Level::Velocity { passes[number].widest() } else { 0.0 };
            let reach = reach(slave, master, pass.search, pass.level, widest);
            // one that had something near has to let go of it
            let had = before.next_if_eq(&(number as u32)).is_some();
            if had || skins[slave].bounds.meets(&skins[master].bounds.inflated(reach)) {
                close.push(number as u32);
            }
        }
        parallel::each_of(passes, close, |pass| {
            let Terms { search, level, .. } = pass.terms;
            pass.size = size(skins[pass.slave].body).min(size(skins[pass.master].body));
            pass.look(skins, at, reach(pass.slave, pass.master, search, level, pass.widest()));
        });
        near.clear();
        near.extend(close.iter().filter(|&&number| passes[number as usize].is_near()));
    }

    /// Takes over where the bodies are, and how they move: `way(body, node)`.
    fn follow(&mut self, at: &impl Placed, way: impl Fn(usize, usize) -> Vector + Sync) {
        parallel::pairs(&mut self.skins, &mut self.courses, |_, skin, course| {
            skin.update(at);
            *course = Course::of(skin, |node| way(skin.body, node));
        });
    }

    /// What is inside at the end of a step, for each pass at position level. Where something entered that had not been looked up, the
    /// pass looks again, from the start of the step, far enough to see it.
    pub fn intrusion(
        &mut self,
        start: &impl Placed,
        end: &impl Placed,
        tolerance: impl Fn(usize) -> f64 + Sync,
        mut report: impl FnMut([usize; 2], Intrusion),
    ) {
        if !self.has_level(Level::Position) {
            return;
        }
        self.follow(end, |body, node| end.position(body, node) - start.position(body, node));
        let Pairs { skins, courses, passes, declared, near, close } = self;
        let limits = |slave: usize, master: usize| {
            let limit = tolerance(skins[slave].body).min(tolerance(skins[master].body));
            (courses[slave].apart(&courses[master]).max(limit), limit)
        };
        close.clear();
        for (number, pass) in declared.iter().enumerate().filter(|(_, pass)| pass.level == Level::Position) {
            let (slave, master) = (pass.slave as usize, pass.master as usize);
            if skins[slave].bounds.meets(&skins[master].bounds.inflated(limits(slave, master).0)) {
                close.push(number as u32);
            }
        }
        parallel::each_of(passes, close, |pass| {
            let (way, limit) = limits(pass.slave, pass.master);
            pass.entry = pass.entered(skins, end, way, limit);
        });
        let mut again = Vec::new();
        for &number in close.iter() {
            let pass = &passes[number as usize];
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
            passes[number as usize].look(skins, start, reach);
            if let (true, Err(place)) = (passes[number as usize].is_near(), near.binary_search(&number)) {
                near.insert(place, number);
            }
        }
    }

    /// Deepest penetration of any node that is near.
    pub fn penetration(&mut self, at: &impl Placed) -> f64 {
        let Pairs { skins, passes, near, .. } = self;
        parallel::each_of(passes, near, |pass| pass.entry.0 = pass.penetration(skins, at));
        near.iter().map(|&number| passes[number as usize].entry.0).fold(0.0, f64::max)
    }
}
