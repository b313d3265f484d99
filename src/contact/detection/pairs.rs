//! All surfaces that may touch each other: who touches whom, looked up once a step and asked in every iteration.

use super::family::Family;
use super::grain::{Carrier, Marked};
use super::pairing::Pass;
use super::skin::Skin;
use super::source::{Placed, Terms};
use super::zone::{Intrusion, Level};
use super::{Anchor, ContactPoint, Identity, Vector, frame};
use crate::bodies::Span;
use crate::parallel;

/// Share of a body's size within which bodies rest on each other: `Contact::LEFT`, which may be left inside.
const REST: f64 = 1e-6;

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

/// What decides whose nodes are held where two surfaces touch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grade {
    /// Mean length of the surface's edges at rest.
    pub edge: f64,
    /// Its name.
    pub name: String,
}

impl Grade {
    /// Whether this surface is the slave of another: the finer one. Of equally fine ones rounding must not decide, which differs where the
    /// same bodies stand elsewhere: their names do, whatever their order in the file.
    pub fn is_before(&self, other: &Grade) -> bool {
        const ALIKE: f64 = 1e-6;
        let finer = |a: &Grade, b: &Grade| a.edge < (1.0 - ALIKE) * b.edge;
        finer(self, other) || !finer(other, self) && self.name < other.name
    }
}

/// Surfaces of which those of a first list may touch those of a second, and how.
#[derive(Debug, Clone)]
pub struct Surfaces {
    /// Numbers of the surfaces, and of their pairs.
    pub family: Family,
    /// What holds for each pair.
    pub rule: Rule,
}

/// What holds where two surfaces touch.
#[derive(Debug, Clone, Default)]
pub struct Rule {
    /// The law; each pair puts its own number in.
    pub terms: Terms,
    /// Whose nodes are held: of the first of a pair, of the second, or of the finer one.
    pub slave: Option<Carrier>,
    /// Whether the nodes of either side are held by the facets of the other.
    pub both: bool,
    /// First axis of orthotropic friction, drawn on each of the surfaces of one side.
    pub grain: Option<(Carrier, Vec<(u32, Marked)>)>,
}

impl Rule {
    /// Slave and master of a pair of surfaces.
    pub fn sides(&self, pair: [u32; 2], grades: &[Grade]) -> [usize; 2] {
        let [first, second] = pair.map(|skin| skin as usize);
        let exchanged = match self.slave {
            Some(side) => side == Carrier::Second,
            None => grades[second].is_before(&grades[first]),
        };
        if exchanged { [second, first] } else { [first, second] }
    }

    /// Adds the passes of a pair of surfaces.
    fn make(&self, number: u32, pair: [u32; 2], grades: &[Grade], passes: &mut Vec<Pass>) {
        let [first, second] = pair.map(|skin| skin as usize);
        let [slave, master] = self.sides(pair, grades);
        let drawn = |on: usize| {
            let (side, marked) = self.grain.as_ref()?;
            let carrier = if *side == Carrier::First { first } else { second };
            let (_, marked) = marked.iter().find(|(skin, _)| *skin as usize == carrier)?;
            Some((marked.clone(), carrier == on))
        };
        let terms = Terms { number, ..self.terms };
        passes.push(Pass::new(terms, slave, master, false, drawn(slave)));
        if slave != master {
            let second = Pass::new(terms, master, slave, true, drawn(master));
            passes.push(if self.both { second } else { second.of_corners() });
        }
    }
}

/// All surfaces that may touch each other, and who touches whom.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    skins: Vec<Skin>,
    courses: Vec<Course>,
    grades: Vec<Grade>,
    /// Size of the body of each surface.
    sizes: Vec<f64>,
    declared: Vec<Surfaces>,
    /// Passes of the pairs that have come close so far, in the order of their numbers.
    passes: Vec<Pass>,
    /// Places of the passes that have something near, ascending.
    near: Vec<u32>,
    /// Places of passes whose surfaces have come close.
    close: Vec<u32>,
}

impl Pairs {
    /// Adds a surface and returns its number.
    pub fn add_skin(&mut self, skin: Skin, grade: Grade) -> usize {
        self.skins.push(skin);
        self.courses.push(Course::default());
        self.grades.push(grade);
        self.skins.len() - 1
    }

    /// Declares that surfaces may touch each other.
    pub fn declare(&mut self, surfaces: Surfaces) {
        self.declared.push(surfaces);
    }

    /// Who may touch whom.
    pub(in crate::contact) fn declared(&self) -> &[Surfaces] {
        &self.declared
    }

    /// Whose nodes may touch whose facets, and the rule.
    pub fn named(&self) -> impl Iterator<Item = (&Skin, &Skin, &Rule)> {
        self.declared.iter().flat_map(move |Surfaces { family, rule }| {
            let pairs = family.numbers().filter_map(|number| family.pair(number));
            let sides = pairs.flat_map(move |pair| {
                let [slave, master] = rule.sides(pair, &self.grades);
                let second = (rule.both && slave != master).then_some([master, slave]);
                [Some([slave, master]), second].into_iter().flatten()
            });
            let skins = sides.map(|pair| pair.map(|skin| &self.skins[skin]));
            let met = skins.filter(move |[a, b]| a.body != b.body || family.may_meet_itself());
            met.map(move |[slave, master]| (slave, master, rule))
        })
    }

    /// Whether any pass is imposed at this level.
    pub fn has_level(&self, level: Level) -> bool {
        self.declared.iter().any(|surfaces| surfaces.rule.terms.level == level)
    }

    /// Passes that have something near.
    pub(in crate::contact) fn near(&self) -> &[u32] {
        &self.near
    }

    /// What decides whose nodes are held, of each surface.
    pub fn grades(&self) -> &[Grade] {
        &self.grades
    }

    /// The surfaces.
    pub fn skins(&self) -> &[Skin] {
        &self.skins
    }

    /// Who has come close to whom so far.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
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

    /// A place of one body beside one of another as a contact point: of the pair of surfaces with this number, by kind and numbers.
    pub(in crate::contact) fn point_at(
        &self,
        (number, pass, first, second): (u32, u8, u32, u32),
        [anchor, other]: [Anchor; 2],
        (normal, gap): (Vector, f64),
        at: &impl Placed,
        dim: usize,
    ) -> Option<ContactPoint> {
        let declared = self.declared.iter().find(|surfaces| surfaces.family.numbers().contains(&number))?;
        let terms = declared.rule.terms;
        let of_pair = self.passes.iter().filter(|pass| pass.terms.number == number);
        let axes = of_pair.clone().find(|pass| self.skins[pass.slave].body == anchor.body);
        let frame = axes.map_or_else(|| frame(normal, dim), |pass| pass.frame(normal, [&anchor, &other], at, dim));
        Some(ContactPoint {
            identity: Identity { zone: number, pass, first, second },
            anchor,
            other: Some(other),
            frame,
            gap,
            friction: terms.friction,
            level: terms.level,
            wall: Vector::zeros(),
            start: [0.0; 3],
        })
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
        self.sizes.clear();
        self.sizes.extend(self.skins.iter().map(|skin| size(skin.body)));
        self.meet(|_| true, |way, body, search| search.unwrap_or(0.0).max(2.0 * span.dt * way + REST * size(body)));
        let Pairs { skins, courses, sizes, passes, near, close, .. } = self;
        let reach = |pass: &Pass| {
            let way = span.dt * courses[pass.slave].apart(&courses[pass.master]);
            // the second term keeps bodies that rest on each other in the list
            let rest = REST * sizes[pass.slave].max(sizes[pass.master]);
            let Terms { search, level, .. } = pass.terms;
            search.unwrap_or(0.0).max(level.look(span, 2.0 * way + rest, pass.widest()))
        };
        close.clear();
        for (place, pass) in passes.iter().enumerate() {
            // one that had something near has to let go of it
            if pass.is_near() || skins[pass.slave].bounds.meets(&skins[pass.master].bounds.inflated(reach(pass))) {
                close.push(place as u32);
            }
        }
        parallel::each_of(passes, close, |pass| {
            pass.set_slack(2.0 * REST * sizes[pass.slave].max(sizes[pass.master]));
            pass.look(skins, at, reach(pass));
        });
        near.clear();
        near.extend(close.iter().filter(|&&number| passes[number as usize].is_near()));
    }

    /// Makes passes of the pairs that may come close for the first time: their boxes, each larger by what `margin(way, body, search)`
    /// makes of the way that its places go, meet. Seen from the mean of all, ways of two add up to at least that between them.
    fn meet(&mut self, asks: impl Fn(&Terms) -> bool, margin: impl Fn(f64, usize, Option<f64>) -> f64) {
        let Pairs { skins, courses, grades, declared, passes, near, .. } = self;
        let mean = courses.iter().map(|course| course.mean).sum::<Vector>() / courses.len().max(1) as f64;
        let known = passes.len();
        for Surfaces { family, rule } in declared.iter_mut().filter(|surfaces| asks(&surfaces.rule.terms)) {
            let itself = family.may_meet_itself();
            let around = |skin: u32| {
                let (skin, course) = (&skins[skin as usize], &courses[skin as usize]);
                let way = (course.mean - mean).norm() + course.deviation;
                skin.bounds.inflated(margin(way, skin.body, rule.terms.search))
            };
            family.meeting(around, |number, pair| {
                let [first, second] = pair.map(|skin| skins[skin as usize].body);
                let made = || passes[..known].binary_search_by_key(&(number, false), Pass::key).is_ok();
                if (itself || first != second) && !made() {
                    rule.make(number, pair, grades, passes);
                }
            });
        }
        if passes.len() > known {
            passes.sort_by_key(Pass::key);
            near.clear();
            near.extend((0..).zip(passes.iter()).filter(|(_, pass)| pass.is_near()).map(|(place, _)| place));
        }
    }

    /// What the passes take from one step to the next: their number, then each behind its key.
    pub(in crate::contact) fn memory(&self, out: &mut Vec<f64>) {
        out.push(self.passes.len() as f64);
        for pass in &self.passes {
            let (number, second) = pass.key();
            out.extend([f64::from(number), f64::from(u8::from(second))]);
            pass.memory(out);
        }
    }

    /// Takes over what [`Pairs::memory`] gave and returns what follows it; `None` if it does not fit.
    pub(in crate::contact) fn recall<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        let (count, mut rest) = memory.split_first()?;
        self.passes.clear();
        self.near.clear();
        // whole numbers, exact
        for place in 0..*count as usize {
            let [number, _, after @ ..] = rest else { return None };
            let number = *number as u32;
            if place == self.passes.len() {
                let mut declared = self.declared.iter();
                let Surfaces { family, rule } =
                    declared.find(|surfaces| surfaces.family.numbers().contains(&number))?;
                rule.make(number, family.pair(number)?, &self.grades, &mut self.passes);
            }
            rest = self.passes.get_mut(place)?.recall(after)?;
        }
        Some(rest)
    }

    /// Takes over where the bodies are, and how they move: `way(body, node)`.
    fn follow(&mut self, at: &impl Placed, way: impl Fn(usize, usize) -> Vector + Sync) {
        parallel::pairs_of_many(&mut self.skins, &mut self.courses, |_, skin, course| {
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
        // an absolute length, whatever a case says of its search
        self.meet(|terms| terms.level == Level::Position, |way, body, _| way + tolerance(body));
        let Pairs { skins, courses, sizes, passes, near, close, .. } = self;
        let limits = |slave: usize, master: usize| {
            let limit = tolerance(skins[slave].body).min(tolerance(skins[master].body));
            (courses[slave].apart(&courses[master]).max(limit), limit)
        };
        close.clear();
        for (place, pass) in passes.iter().enumerate().filter(|(_, pass)| pass.terms.level == Level::Position) {
            let around = skins[pass.master].bounds.inflated(limits(pass.slave, pass.master).0);
            if skins[pass.slave].bounds.meets(&around) {
                close.push(place as u32);
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
            let pass = &mut passes[number as usize];
            pass.set_slack(2.0 * REST * sizes[pass.slave].max(sizes[pass.master]));
            pass.look(skins, start, reach);
            if let (true, Err(place)) = (pass.is_near(), near.binary_search(&number)) {
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
