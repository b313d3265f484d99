//! From the declared contacts of a case to zones against obstacles and pairs of surfaces.

use std::collections::HashMap;

use super::build::unknown_set;
use super::data::{Case, Contact, Counterpart};
use super::decode::Located;
use super::diagnostic::Diagnostic;
use super::obstacle;
use super::overlap::{self, AtRest};
use crate::contact::detection::{
    Carrier, Family, Grade, Grain, Marked, Obstacle, Pairs, Rule, Skin, Surfaces, Terms, Zone,
};
use crate::mesh::check::{Labels, check};
use crate::mesh::{Facet, Mesh};

/// Zones and pairs of a case. Sets that do not exist and bodies that start inside something are reported.
pub(super) fn zones(
    case: &Case,
    meshes: &mut [Mesh],
    obstacles: &[Obstacle],
    carriers: &[Option<usize>],
    problems: &mut Vec<Diagnostic>,
) -> (Vec<Zone>, Pairs) {
    let spoilt = push_out(case, meshes, obstacles, problems);
    let (mut zones, mut made, mut number) = (Vec::new(), Made::default(), 0);
    for (place, contact) in case.contacts.iter().enumerate() {
        let spoilt = spoilt.contains(&place);
        let Contact { set, with, friction, level, restitution, search, .. } = &contact.value;
        let (friction, level, restitution, search) = (*friction, *level, *restitution, *search);
        let terms = Terms { number, friction, level, restitution, search };
        match with {
            Counterpart::Obstacles(pairs) => {
                for (number, &[body, with]) in (number..).zip(pairs) {
                    let Some(facets) = facets(case, meshes, body, set, problems) else { continue };
                    let obstacle = &obstacles[with];
                    if let Some(overlap) = obstacle::overlap(&meshes[body], obstacle, &facets).filter(|_| !spoilt) {
                        let (body, obstacle) = (&case.bodies[body].name.value, &obstacle.name);
                        let message = format!("body `{body}` starts inside obstacle `{obstacle}`: {overlap}");
                        problems.push(refused(contact, message));
                    }
                    let terms = Terms { number, ..terms };
                    let mut zone = against_obstacle(&contact.value, (body, &meshes[body]), facets, obstacle, &terms);
                    zone.carrier = carriers[with];
                    zones.push(zone);
                }
            }
            Counterpart::Bodies { between: [first, second], set: other, itself, slave, two_passes } => {
                let mut surfaces = |bodies: &[usize], set: &Located<String>| -> Vec<u32> {
                    bodies.iter().filter_map(|&body| made.skin(case, meshes, body, set, problems)).collect()
                };
                let lists = [surfaces(first, set), surfaces(second, other)];
                let grain = contact.value.grain.map(|(axis, carrier)| {
                    let carriers = if carrier == Carrier::First { &lists[0] } else { &lists[1] };
                    let marked = carriers.iter().map(|&skin| {
                        let Skin { body, facets, .. } = &made.pairs.skins()[skin as usize];
                        (skin, Marked::new(axis.into(), facets, &meshes[*body].nodes))
                    });
                    (carrier, marked.collect())
                });
                let slave = slave.side();
                let [first, second] = lists;
                let family = Family::new(number, first, second, *itself);
                let mut surfaces = Surfaces { family, rule: Rule { terms, slave, both: *two_passes, grain } };
                if !spoilt {
                    for pair in made.meeting(&mut surfaces.family, 1e-9) {
                        let skins = surfaces.rule.sides(pair, made.pairs.grades()).map(|k| &made.pairs.skins()[k]);
                        if let Some(found) = overlap::find(meshes, skins) {
                            let [slave, master] = found.bodies.map(|body| &case.bodies[body].name.value);
                            let message = format!("body `{slave}` starts inside body `{master}`: {found}");
                            problems.push(refused(contact, message));
                        }
                    }
                }
                made.pairs.declare(surfaces);
            }
        }
        number += contact.value.numbers() as u32;
    }
    (zones, made.pairs)
}

/// Pairs so far; a surface that takes part in several contacts is kept once.
#[derive(Default)]
struct Made {
    pairs: Pairs,
    skins: HashMap<(usize, String), u32>,
}

impl Made {
    /// Number of a surface; `None` and a problem if the body has no such set.
    fn skin(
        &mut self,
        case: &Case,
        meshes: &[Mesh],
        body: usize,
        set: &Located<String>,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<u32> {
        let key = (body, set.value.clone());
        if let Some(known) = self.skins.get(&key) {
            return Some(*known);
        }
        let mut skin = Skin::new(body, facets(case, meshes, body, set, problems)?);
        skin.update(&AtRest(meshes));
        let name = format!("{}.{}", case.bodies[body].name.value, set.value);
        let grade = Grade { edge: skin.fineness(&AtRest(meshes)), name };
        let number = self.pairs.add_skin(skin, grade) as u32;
        self.skins.insert(key, number);
        Some(number)
    }

    /// Pairs whose boxes, each larger by a share of its size, meet at rest, in order.
    fn meeting(&self, family: &mut Family, share: f64) -> Vec<[u32; 2]> {
        let near = |number: u32| {
            let bounds = self.pairs.skins()[number as usize].bounds;
            bounds.inflated(share * (bounds.high - bounds.low).norm())
        };
        let mut meeting = Vec::new();
        family.meeting(near, |number, pair| meeting.push((number, pair)));
        meeting.sort_unstable();
        meeting.into_iter().map(|(_, pair)| pair).collect()
    }
}

/// A contact of bodies that start inside each other; with what would help, unless that has been tried.
fn refused(contact: &Located<Contact>, message: String) -> Diagnostic {
    let remedy = "bodies apart or just touching, or `overlap: push_out` to move such nodes to the surface";
    let problem = contact.problem(message);
    if contact.value.push_out { problem } else { problem.expecting(remedy) }
}

/// Pushes out what starts inside, where a contact asks for it. Nodes carry their facets along, and what one contact moves may enter
/// another body: all contacts take turns. Returns the contacts whose bodies it spoilt.
fn push_out(case: &Case, meshes: &mut [Mesh], obstacles: &[Obstacle], problems: &mut Vec<Diagnostic>) -> Vec<usize> {
    const ROUNDS: usize = 20;
    let asking = || case.contacts.iter().enumerate().filter(|(_, contact)| contact.value.push_out);
    for _ in 0..ROUNDS {
        let mut moved = false;
        for (_, contact) in asking() {
            moved |= push_out_once(case, meshes, obstacles, &contact.value);
        }
        if !moved {
            break;
        }
    }
    let mut spoilt = Vec::new();
    for (place, contact) in asking() {
        let mut bodies: Vec<usize> = match &contact.value.with {
            Counterpart::Obstacles(pairs) => pairs.iter().map(|pair| pair[0]).collect(),
            Counterpart::Bodies { between, .. } => between.concat(),
        };
        bodies.sort_unstable();
        bodies.dedup();
        let crushed = |&body: &usize| check(&meshes[body], &Labels::default()).err().map(|defect| (body, defect));
        if let Some((body, defect)) = bodies.iter().find_map(crushed) {
            let name = &case.bodies[body].name.value;
            let problem = contact.problem(format!("body `{name}` lies too deep inside to be pushed out: {defect}"));
            problems.push(problem.expecting("bodies that overlap by less than a cell, or that stand apart"));
            spoilt.push(place);
        }
    }
    spoilt
}

/// One turn of a contact. Whether anything moved.
fn push_out_once(case: &Case, meshes: &mut [Mesh], obstacles: &[Obstacle], contact: &Contact) -> bool {
    let (mut moved, mut made) = (false, Made::default());
    // sets that do not exist are reported later
    let mut known = Vec::new();
    match &contact.with {
        Counterpart::Obstacles(pairs) => {
            for &[body, obstacle] in pairs {
                let facets = meshes[body].face_sets.get(&contact.set.value).cloned().unwrap_or_default();
                moved |= overlap::push_out_of(&mut meshes[body], &obstacles[obstacle], &facets);
            }
        }
        Counterpart::Bodies { between, set, itself, slave, .. } => {
            let mut lists = [&contact.set, set].into_iter().zip(between).map(|(set, bodies)| {
                bodies.iter().filter_map(|&body| made.skin(case, meshes, body, set, &mut known)).collect::<Vec<u32>>()
            });
            let (first, second) = (lists.next().unwrap_or_default(), lists.next().unwrap_or_default());
            drop(lists);
            let rule = Rule { slave: slave.side(), ..Rule::default() };
            let mut family = Family::new(0, first, second, *itself);
            // what is moved out of one body may come to others
            for pair in made.meeting(&mut family, 0.5) {
                let skins = rule.sides(pair, made.pairs.grades()).map(|k| &made.pairs.skins()[k]);
                moved |= overlap::push_out(meshes, skins);
            }
        }
    }
    moved
}

fn against_obstacle(
    zone: &Contact,
    (body, mesh): (usize, &Mesh),
    facets: Vec<Facet>,
    obstacle: &Obstacle,
    terms: &Terms,
) -> Zone {
    let grain = zone.grain.map(|(axis, carrier)| match carrier {
        Carrier::First => Grain::Drawn(Marked::new(axis.into(), &facets, &mesh.nodes)),
        Carrier::Second => Grain::Rigid(axis.into()),
    });
    let mut made = Zone::new(terms.number, body, facets, obstacle.clone(), terms.friction, terms.level);
    made.grain = grain;
    made.search = terms.search;
    made.restitution = terms.restitution;
    made
}

/// The facets of a set of a body.
fn facets(
    case: &Case,
    meshes: &[Mesh],
    body: usize,
    set: &Located<String>,
    problems: &mut Vec<Diagnostic>,
) -> Option<Vec<Facet>> {
    let sets = &meshes[body].face_sets;
    let found = sets.get(&set.value);
    if found.is_none() {
        problems.push(unknown_set(&case.bodies[body].name.value, set, "face", sets.keys()));
    }
    found.cloned()
}
