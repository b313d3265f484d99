//! From the declared contacts of a case to zones against obstacles and pairs of surfaces.

use std::collections::HashMap;

use super::build::unknown_set;
use super::data::{Case, Contact, Counterpart, Slave};
use super::decode::Located;
use super::diagnostic::Diagnostic;
use super::obstacle;
use super::overlap::{self, AtRest};
use crate::contact::detection::{Carrier, Family, Grain, Marked, Obstacle, Pairs, Rule, Skin, Surfaces, Terms, Zone};
use crate::mesh::{Facet, Mesh};

/// Zones and pairs of a case. Sets that do not exist and bodies that start inside something are reported.
pub(super) fn zones(
    case: &Case,
    meshes: &mut [Mesh],
    obstacles: &[Obstacle],
    carriers: &[Option<usize>],
    problems: &mut Vec<Diagnostic>,
) -> (Vec<Zone>, Pairs) {
    let (mut zones, mut made, mut number) = (Vec::new(), Made::default(), 0);
    for contact in &case.contacts {
        let Contact { set, with, friction, level, restitution, search, .. } = &contact.value;
        let (friction, level, restitution, search) = (*friction, *level, *restitution, *search);
        let terms = Terms { number, friction, level, restitution, search };
        match with {
            Counterpart::Obstacles(pairs) => {
                for (number, &[body, with]) in (number..).zip(pairs) {
                    let Some(facets) = facets(case, meshes, body, set, problems) else { continue };
                    let obstacle = &obstacles[with];
                    if let Some(overlap) = obstacle::overlap(&meshes[body], obstacle, &facets) {
                        let (body, obstacle) = (&case.bodies[body].name.value, &obstacle.name);
                        let message = format!("body `{body}` starts inside obstacle `{obstacle}`: {overlap}");
                        problems.push(contact.problem(message));
                    }
                    let terms = Terms { number, ..terms };
                    let mut zone = against_obstacle(&contact.value, (body, &meshes[body]), facets, obstacle, &terms);
                    zone.carrier = carriers[with];
                    zones.push(zone);
                }
            }
            Counterpart::Bodies { between: [first, second], set: other, itself, slave, two_passes, push_out } => {
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
                let slave = match slave {
                    Slave::First => Some(Carrier::First),
                    Slave::Second => Some(Carrier::Second),
                    Slave::Auto => None,
                };
                let [first, second] = lists;
                let family = Family::new(number, first, second, *itself);
                let mut surfaces = Surfaces { family, rule: Rule { terms, slave, both: *two_passes, grain } };
                made.free(case, meshes, &mut surfaces.family, *push_out, contact, problems);
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
        let fineness = skin.fineness(&AtRest(meshes));
        let number = self.pairs.add_skin(skin, fineness) as u32;
        self.skins.insert(key, number);
        Some(number)
    }

    /// Reports pairs that start inside each other, or moves their nodes out.
    fn free(
        &self,
        case: &Case,
        meshes: &mut [Mesh],
        family: &mut Family,
        push_out: bool,
        contact: &Located<Contact>,
        problems: &mut Vec<Diagnostic>,
    ) {
        let skin = |number: u32| &self.pairs.skins()[number as usize];
        // nodes that are moved out of one body may come to others
        let near = |number: u32| {
            let bounds = skin(number).bounds;
            bounds.inflated((bounds.high - bounds.low).norm() * if push_out { 0.5 } else { 1e-9 })
        };
        let mut meeting = Vec::new();
        family.meeting(near, |number, pair| meeting.push((number, pair)));
        meeting.sort_unstable();
        for (_, pair) in meeting {
            let skins = pair.map(skin);
            if push_out {
                overlap::push_out(meshes, skins);
            }
            if let Some(found) = overlap::find(meshes, skins) {
                let [slave, master] = found.bodies.map(|body| &case.bodies[body].name.value);
                let problem = contact.problem(format!("body `{slave}` starts inside body `{master}`: {found}"));
                let remedy = "bodies apart or just touching, or `overlap: push_out` to move such nodes to the surface";
                problems.push(if push_out { problem } else { problem.expecting(remedy) });
            }
        }
    }
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
