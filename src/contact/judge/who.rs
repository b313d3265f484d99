//! Who is judged against whom: every declared contact between surfaces, as the case says it and not as detection found it.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::Contact;
use super::super::detection::{Anchor, Level, Moment, Obstacle, Vector};
use super::caught::{Apart, Caught, Place};
use super::couple::Seen;
use super::path::Event;
use super::round::Against;
use super::{Couple, Feature, Finding, Hull, Report, Terms};
use crate::bodies::{Bodies, BodyState};
use crate::mesh::Facet;
use crate::parallel;

/// Who moves a surface.
#[derive(Debug, Clone, Copy)]
enum Mover {
    /// A deformable body.
    Body(usize),
    /// The obstacle of a zone, by the place of the zone: at rest, prescribed, or carried by a rigid body.
    Zone(usize),
}

/// Who declared that two surfaces may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::contact) enum Source {
    /// The zone in this place.
    Zone(usize),
    /// The pair of surfaces of bodies with this number.
    Pair(u32),
}

impl Source {
    /// As plain numbers.
    pub(super) fn memory(self) -> [f64; 2] {
        match self {
            Source::Zone(place) => [0.0, place as f64],
            Source::Pair(number) => [1.0, f64::from(number)],
        }
    }

    /// Takes over what [`Source::memory`] gave.
    pub(super) fn recall([kind, number]: [f64; 2]) -> Option<Self> {
        // whole numbers, exact
        match kind {
            0.0 => Some(Source::Zone(number as usize)),
            1.0 => Some(Source::Pair(number as u32)),
            _ => None,
        }
    }
}

/// The obstacle of a zone.
#[derive(Debug, Clone, Copy)]
enum Wall {
    /// With flat faces: the number of its surface.
    Flat(usize),
    /// With a distance of its own, and half its width.
    Curved(f64),
}

/// Part of a surface.
#[derive(Debug, Clone)]
struct Part {
    set: Option<Arc<Vec<bool>>>,
}

/// Surfaces of bodies of which those of one list may meet those of another.
#[derive(Debug)]
struct Listed {
    first: Vec<u32>,
    second: Vec<u32>,
    itself: bool,
    level: Level,
    both: bool,
}

/// The judge; made when a run begins, it keeps its surfaces.
#[derive(Debug, Default)]
pub(in crate::contact) struct Judge {
    made: bool,
    hulls: Vec<Hull>,
    movers: Vec<Mover>,
    obstacles: HashMap<String, usize>,
    /// Surface, obstacle and law of each zone.
    zones: Vec<(usize, Wall, Terms)>,
    /// Surfaces of the pairs' skins.
    parts: Vec<Part>,
    /// Those of each surface.
    parts_of: Vec<Vec<u32>>,
    listed: Vec<Listed>,
    report: Report,
    findings: Vec<Finding>,
    /// Pairs of features that came through each other in the step that was looked at last.
    caught: Vec<Caught>,
    /// Whether what nobody declared has been told of, and what belongs to the method.
    warned: [bool; 2],
    /// The depth that was told last.
    told: f64,
}

impl Judge {
    /// What it said of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    fn hull_of_body(&mut self, bodies: Bodies<'_>, body: usize) -> usize {
        let known = self.movers.iter().position(|mover| matches!(mover, Mover::Body(b) if *b == body));
        known.unwrap_or_else(|| {
            self.hulls.push(Hull::of_body(bodies.with_nodes(body)));
            self.movers.push(Mover::Body(body));
            self.hulls.len() - 1
        })
    }

    /// The facets of a hull that are among these; none if all are.
    fn part(&self, hull: usize, facets: &[Facet]) -> Option<Arc<Vec<bool>>> {
        let hull = &self.hulls[hull];
        let mut known: Vec<[u32; 4]> = facets
            .iter()
            .map(|facet| {
                let nodes = facet.nodes();
                let mut corners: [u32; 4] = std::array::from_fn(|k| nodes[k.min(nodes.len() - 1)].0);
                corners.sort_unstable();
                corners
            })
            .collect();
        known.sort_unstable();
        let set: Vec<bool> = (0..hull.facet_count() as u32)
            .map(|facet| known.binary_search(&hull.facet_numbers(facet)).is_ok())
            .collect();
        set.contains(&false).then(|| Arc::new(set))
    }

    /// Takes over who may touch whom.
    fn make(&mut self, contact: &Contact, bodies: Bodies<'_>) {
        self.made = true;
        for (place, zone) in contact.zones.iter().enumerate() {
            let hull = self.hull_of_body(bodies, zone.body);
            let set = self.part(hull, &zone.facets);
            let wall = match self.obstacles.get(&zone.obstacle.name) {
                Some(&flat) => Wall::Flat(flat),
                None => self.wall(&zone.obstacle, zone.carrier.map(|body| bodies.get(body).size()), place),
            };
            let source = Source::Zone(place);
            self.zones.push((hull, wall, Terms { level: zone.level, sets: [set, None], slave: None, source }));
        }
        for skin in contact.pairs.skins() {
            let hull = self.hull_of_body(bodies, skin.body);
            self.parts_of.resize_with(self.hulls.len(), Vec::new);
            self.parts_of[hull].push(self.parts.len() as u32);
            self.parts.push(Part { set: self.part(hull, &skin.facets) });
        }
        self.parts_of.resize_with(self.hulls.len(), Vec::new);
        for surfaces in contact.pairs.declared() {
            let [first, second] = surfaces.family.lists().map(|list| {
                let mut list = list.to_vec();
                list.sort_unstable();
                list
            });
            let (itself, rule) = (surfaces.family.may_meet_itself(), &surfaces.rule);
            self.listed.push(Listed { first, second, itself, level: rule.terms.level, both: rule.both });
        }
    }

    fn wall(&mut self, obstacle: &Obstacle, size: Option<f64>, zone: usize) -> Wall {
        match Hull::of_obstacle(obstacle, size.unwrap_or(f64::INFINITY)) {
            Some(hull) => {
                self.obstacles.insert(obstacle.name.clone(), self.hulls.len());
                self.hulls.push(hull);
                self.movers.push(Mover::Zone(zone));
                Wall::Flat(self.hulls.len() - 1)
            }
            None => Wall::Curved(obstacle.half_width()),
        }
    }

    /// Puts all surfaces where they are at the two ends of the step.
    fn place(&mut self, contact: &Contact, bodies: Bodies<'_>, old: &[BodyState], u: &[&[f64]]) {
        let movers = &self.movers;
        parallel::each(&mut self.hulls, |k, hull| match movers[k] {
            Mover::Body(b) => {
                let ends = [&old[b].u, u[b]];
                hull.place(|moment, number| bodies.with_nodes(b).position(ends[moment], number));
            }
            Mover::Zone(zone) => {
                let zone = &contact.zones[zone];
                if zone.carrier.is_some() || zone.obstacle.motion.is_some() {
                    hull.carry(&[zone.pose(Moment::Start), zone.pose(Moment::End)]);
                }
            }
        });
    }

    /// Parts of two bodies, or of one, that are declared against each other.
    fn terms(&self, contact: &Contact, [one, other]: [usize; 2]) -> Vec<Terms> {
        let mut all = Vec::new();
        if one == other && !self.listed.iter().any(|listed| listed.itself) {
            return all;
        }
        for &k in &self.parts_of[one] {
            for &l in &self.parts_of[other] {
                let (a, b) = (&self.parts[k as usize], &self.parts[l as usize]);
                for (listed, surfaces) in self.listed.iter().zip(contact.pairs.declared()) {
                    let has = |list: &Vec<u32>, skin: u32| list.binary_search(&skin).is_ok();
                    let meets = has(&listed.first, k) && has(&listed.second, l)
                        || has(&listed.first, l) && has(&listed.second, k);
                    if !meets || one == other && !listed.itself {
                        continue;
                    }
                    let pair = if has(&listed.first, k) && has(&listed.second, l) { [k, l] } else { [l, k] };
                    let slave = surfaces.rule.sides(pair, contact.pairs.grades())[0];
                    let slave = (!listed.both).then_some(usize::from(slave != k as usize));
                    let slave = slave.filter(|_| one != other);
                    let Some(number) = surfaces.family.number_of([k, l]) else { continue };
                    let source = Source::Pair(number);
                    all.push(Terms { level: listed.level, sets: [a.set.clone(), b.set.clone()], slave, source });
                }
            }
        }
        all
    }

    /// Pairs of bodies whose boxes meet.
    fn meeting(&self) -> Vec<[usize; 2]> {
        let mut bodies: Vec<usize> =
            (0..self.hulls.len()).filter(|&k| matches!(self.movers[k], Mover::Body(_))).collect();
        let low = |k: usize| self.hulls[k].bounds.low[0];
        bodies.sort_by(|a, b| low(*a).total_cmp(&low(*b)).then(a.cmp(b)));
        let mut pairs = Vec::new();
        for (place, &one) in bodies.iter().enumerate() {
            pairs.push([one, one]);
            let end = self.hulls[one].bounds.high[0];
            for &other in bodies[place + 1..].iter().take_while(|&&other| low(other) <= end) {
                if self.hulls[one].bounds.meets(&self.hulls[other].bounds) {
                    pairs.push([one.min(other), one.max(other)]);
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    /// Looks at the end of a step, and at the way that leads there.
    pub fn look(&mut self, contact: &Contact, bodies: Bodies<'_>, old: &[BodyState], u: &[&[f64]]) -> &[Finding] {
        if !self.made {
            self.make(contact, bodies);
        }
        self.place(contact, bodies, old, u);
        let mut tasks = self.tasks(contact);
        let seen = parallel::map(&mut tasks, |_, task| self.see(contact, task));
        self.caught.clear();
        for (task, seen) in tasks.iter().zip(&seen) {
            if let Task::Couple { numbers, .. } = task {
                let refused = seen.findings.iter().any(|finding| !finding.by_method);
                let entries = seen.slight.iter().chain(seen.entries.iter().filter(|_| refused));
                let before = Before { contact, bodies, old };
                let caught: Vec<Caught> = entries.filter_map(|entry| self.catch(&before, *numbers, entry)).collect();
                self.caught.extend(caught);
            }
            if let Task::Against { place, .. } = task {
                let key = ([self.zones[*place].0, self.hulls.len() + place], Source::Zone(*place));
                let before = Before { contact, bodies, old };
                let caught = seen.places.iter().filter_map(|on| self.catch_on_shape(&before, key, *on));
                let caught: Vec<Caught> = caught.collect();
                self.caught.extend(caught);
            }
        }
        self.join(contact, seen)
    }

    /// Pairs of features that came through each other.
    pub fn caught(&self) -> &[Caught] {
        &self.caught
    }

    fn catch(
        &self,
        before: &Before<'_>,
        numbers: [usize; 2],
        (way, source, event): &(usize, Source, Event),
    ) -> Option<Caught> {
        let surfaces = [numbers[*way], numbers[1 - way]];
        let hulls = surfaces.map(|k| &self.hulls[k]);
        Caught::of(event, (surfaces, *source), hulls, |side, point| self.before(before, surfaces[side], *source, point))
    }

    fn catch_on_shape(
        &self,
        before: &Before<'_>,
        (surfaces, source): ([usize; 2], Source),
        place: Place,
    ) -> Option<Caught> {
        let (hull, Source::Zone(zone)) = (self.hulls.get(surfaces[0])?, source) else { return None };
        let at = |point: u32| self.before(before, surfaces[0], source, point);
        Caught::on_shape(place, (surfaces, source), (hull, &before.contact.zones[zone].obstacle), at)
    }

    /// Where a point of a surface is when a step begins, in the frame of the obstacle that the contact is with.
    fn before(
        &self,
        Before { contact, bodies, old }: &Before<'_>,
        surface: usize,
        source: Source,
        point: u32,
    ) -> Vector {
        let hull = &self.hulls[surface];
        let Mover::Body(b) = self.movers[surface] else { return hull.rest[point as usize] };
        let x = bodies.with_nodes(b).position(&old[b].u, hull.numbers[point as usize] as usize);
        match source {
            Source::Zone(place) => contact.zones[place].pose(Moment::Start).own(x),
            Source::Pair(_) => x,
        }
    }

    /// A pair of features that was held in the last step, when the next one begins; none if they are past each other.
    pub fn again(
        &mut self,
        contact: &Contact,
        bodies: Bodies<'_>,
        old: &[BodyState],
        caught: Caught,
    ) -> Option<Caught> {
        if !self.made {
            self.make(contact, bodies);
        }
        let hulls = caught.surfaces.map(|k| self.hulls.get(k));
        let before = Before { contact, bodies, old };
        let [Some(one), Some(other)] = hulls else {
            return self.catch_on_shape(&before, (caught.surfaces, caught.source), caught.place()?);
        };
        let at = |side: usize, point: u32| self.before(&before, caught.surfaces[side], caught.source, point);
        caught.again([one, other], at)
    }

    /// Numbers of the bodies that a pair of features is of; none for an obstacle.
    pub fn bodies_of(&self, caught: &Caught) -> [Option<usize>; 2] {
        caught.surfaces.map(|surface| match self.movers.get(surface) {
            Some(Mover::Body(b)) => Some(*b),
            Some(Mover::Zone(_)) | None => None,
        })
    }

    /// Where two features are to each other, with places of nodes given by `at(body, node)`; in the frame of the obstacle, if there is
    /// one.
    pub fn apart(
        &self,
        caught: &Caught,
        obstacle: Option<&Obstacle>,
        at: impl Fn(usize, usize) -> Vector,
    ) -> Option<Apart> {
        let own = caught.surfaces[0];
        if let (Some(obstacle), Mover::Body(b), None) = (obstacle, self.movers[own], self.hulls.get(caught.surfaces[1]))
        {
            let hull = &self.hulls[own];
            return caught.at_shape(hull, obstacle, |point| at(b, hull.numbers[point as usize] as usize));
        }
        let hulls = caught.surfaces.map(|k| &self.hulls[k]);
        caught.apart(hulls, |side, point| {
            let hull = hulls[side];
            match self.movers[caught.surfaces[side]] {
                Mover::Body(b) => at(b, hull.numbers[point as usize] as usize),
                Mover::Zone(_) => hull.rest[point as usize],
            }
        })
    }

    /// A place of a body's surface as a combination of its nodes.
    pub fn anchor(&self, caught: &Caught, side: usize, body: usize, place: &Place) -> Anchor {
        let hull = &self.hulls[caught.surfaces[side]];
        let corners = hull.corner_points(place.facet);
        let nodes: Vec<u32> = corners.iter().map(|corner| hull.numbers[*corner as usize]).collect();
        match place.weights.iter().position(|w| *w == 1.0) {
            Some(k) => Anchor::node(body, nodes[k]),
            None => Anchor::combination(body, &nodes, &place.weights[..nodes.len()]),
        }
    }

    /// What is to be looked at: surfaces whose boxes meet on the way.
    fn tasks(&self, contact: &Contact) -> Vec<Task> {
        let mut couples: Vec<([usize; 2], Vec<Terms>)> = Vec::new();
        let mut tasks = Vec::new();
        for (place, (hull, wall, terms)) in self.zones.iter().enumerate() {
            match *wall {
                Wall::Flat(flat) if self.hulls[*hull].bounds.meets(&self.hulls[flat].bounds) => {
                    match couples.iter_mut().find(|(numbers, _)| *numbers == [*hull, flat]) {
                        Some((_, all)) => all.push(terms.clone()),
                        None => couples.push(([*hull, flat], vec![terms.clone()])),
                    }
                }
                Wall::Flat(_) => {}
                Wall::Curved(half_width) => tasks.push(Task::Against { place, half_width }),
            }
        }
        if !self.listed.is_empty() {
            couples.extend(self.meeting().into_iter().map(|pair| (pair, self.terms(contact, pair))));
        }
        couples.retain(|(_, terms)| !terms.is_empty());
        tasks.extend(couples.into_iter().map(|(numbers, terms)| Task::Couple { numbers, terms }));
        tasks
    }

    fn see(&self, contact: &Contact, task: &Task) -> Seen {
        match task {
            Task::Couple { numbers, terms } => {
                let hulls = numbers.map(|k| &self.hulls[k]);
                Couple { numbers: *numbers, hulls, terms }.look()
            }
            Task::Against { place, half_width } => {
                let (hull, _, terms) = &self.zones[*place];
                let zone = &contact.zones[*place];
                let poses = [zone.pose(Moment::Start), zone.pose(Moment::End)];
                let numbers = [*hull, self.hulls.len() + place];
                let (hull, obstacle) = (&self.hulls[*hull], &zone.obstacle);
                Against { numbers, hull, obstacle, poses, terms, half_width: *half_width }.look()
            }
        }
    }

    /// Joins what was seen, in the order of the tasks.
    fn join(&mut self, contact: &Contact, seen: Vec<Seen>) -> &[Finding] {
        self.report = Report::default();
        self.findings.clear();
        let (mut undeclared, mut deepest) = (None, None);
        for seen in seen {
            if seen.depth > self.report.depth {
                self.report.depth = seen.depth;
                deepest = seen.deepest;
            }
            self.report.crossings += seen.crossings;
            self.report.undeclared += seen.undeclared_crossings;
            self.report.beyond |= seen.beyond;
            undeclared = undeclared.or(seen.undeclared);
            self.findings.extend(seen.findings);
        }
        if let Some(finding) = undeclared.filter(|_| !std::mem::replace(&mut self.warned[0], true)) {
            log::warn!("{}, where no contact is declared", self.say(contact, &finding));
        }
        if let Some(finding) = deepest.filter(|finding| finding.depth > 2.0 * self.told) {
            self.told = finding.depth;
            log::debug!("{}, deeper than anything before", self.say(contact, &finding));
        }
        let lets_in = self.findings.iter().find(|finding| finding.by_method);
        if let Some(finding) = lets_in.filter(|_| !self.warned[1]) {
            let text = self.say(contact, finding);
            log::warn!("{text}: what this contact level and number of passes let in, see max_penetration");
            self.warned[1] = true;
        }
        self.findings.retain(|finding| !finding.by_method);
        &self.findings
    }

    /// A finding in words.
    pub fn say(&self, contact: &Contact, finding: &Finding) -> String {
        let name = |k: usize| match self.hulls.get(k) {
            Some(hull) => hull.name.as_str(),
            None => contact.zones[k - self.hulls.len()].obstacle.name.as_str(),
        };
        let [own, other] = finding.surfaces.map(name);
        let feature = match finding.feature {
            Feature::Node(node) => format!("node {node}"),
            Feature::Edge([a, b]) => format!("edge {a}-{b}"),
            Feature::Facet(facet) => format!("facet {facet}"),
        };
        let at = finding.place.iter().map(|x| format!("{x:.6e}")).collect::<Vec<_>>().join(", ");
        let facet =
            if finding.surfaces[1] < self.hulls.len() { format!(" (facet {})", finding.facet) } else { String::new() };
        match finding.through {
            true => {
                let depth = finding.depth;
                format!("{feature} of {own} goes through {other}{facet} within the step, {depth:.3e} m deep, at ({at})")
            }
            false => format!("{feature} of {own} is {:.3e} m inside {other}{facet}, at ({at})", finding.depth),
        }
    }
}

/// When a step begins.
struct Before<'a> {
    contact: &'a Contact,
    bodies: Bodies<'a>,
    old: &'a [BodyState],
}

/// Two things to be looked at.
enum Task {
    Couple {
        numbers: [usize; 2],
        terms: Vec<Terms>,
    },
    /// A zone by its place, and half the width of its obstacle.
    Against {
        place: usize,
        half_width: f64,
    },
}
