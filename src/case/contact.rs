//! From the declared contacts of a case to zones against obstacles and pairs of surfaces.

use super::build::unknown_set;
use super::data::{Case, Contact, Counterpart, Slave};
use super::decode::Located;
use super::diagnostic::Diagnostic;
use super::obstacle;
use super::overlap::{self, AtRest};
use crate::contact::detection::{Carrier, Grain, Marked, Obstacle, Pairs, Skin, Terms, Zone};
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
    let (mut zones, mut made) = (Vec::new(), Made { pairs: Pairs::default(), skins: Vec::new() });
    for (number, contact) in case.contacts.iter().enumerate() {
        let zone = &contact.value;
        let Some(facets) = facets(case, meshes, zone.body, &zone.set, problems) else { continue };
        let terms = Terms {
            number: number as u32,
            friction: zone.friction,
            level: zone.level,
            restitution: zone.restitution,
            search: zone.search,
        };
        match &zone.with {
            Counterpart::Obstacle(against) => {
                let obstacle = &obstacles[*against];
                if let Some(overlap) = obstacle::overlap(&meshes[zone.body], obstacle, &facets)
                    && !spoilt.contains(&number)
                {
                    let (body, obstacle) = (&case.bodies[zone.body].name.value, &obstacle.name);
                    let problem =
                        contact.problem(format!("body `{body}` starts inside obstacle `{obstacle}`: {overlap}"));
                    problems.push(if zone.push_out { problem } else { problem.expecting(REMEDY) });
                }
                let mut made = against_obstacle(zone, &meshes[zone.body], facets, obstacle, &terms);
                made.carrier = carriers[*against];
                zones.push(made);
            }
            Counterpart::Body { body, set, two_passes, .. } => {
                let Some(others) = self::facets(case, meshes, *body, set, problems) else { continue };
                let first = made.skin(zone.body, &zone.set.value, facets);
                let second = made.skin(*body, &set.value, others);
                let finer = [first, second].map(|skin| made.pairs.skins()[skin].fineness(&AtRest(meshes)));
                let exchanged = is_exchanged(case, zone, finer);
                let (slave, master) = if exchanged { (second, first) } else { (first, second) };
                let skins = [slave, master].map(|skin| &made.pairs.skins()[skin]);
                if let Some(found) = overlap::find(meshes, skins)
                    && !spoilt.contains(&number)
                {
                    let [slave, master] = found.bodies.map(|body| &case.bodies[body].name.value);
                    let problem = contact.problem(format!("body `{slave}` starts inside body `{master}`: {found}"));
                    problems.push(if zone.push_out { problem } else { problem.expecting(REMEDY) });
                }
                let grain = zone.grain.map(|(axis, carrier)| {
                    let skin = if carrier == Carrier::First { first } else { second };
                    let Skin { body, facets, .. } = &made.pairs.skins()[skin];
                    (skin, Marked::new(axis.into(), facets, &meshes[*body].nodes))
                });
                made.pairs.declare(terms, slave, master, *two_passes && slave != master, grain);
            }
        }
    }
    (zones, made.pairs)
}

/// What helps bodies that start inside each other.
const REMEDY: &str = "bodies apart or just touching, or `overlap: push_out` to move such nodes to the surface";

/// Whether the second side of a contact between bodies is the slave.
fn is_exchanged(case: &Case, zone: &Contact, fineness: [f64; 2]) -> bool {
    let Counterpart::Body { body, set, slave, .. } = &zone.with else { return false };
    match slave {
        Slave::First => false,
        Slave::Second => true,
        Slave::Auto => {
            let name = |body: usize| case.bodies[body].name.value.as_str();
            let names = [(name(zone.body), &zone.set.value), (name(*body), &set.value)];
            is_finer(fineness) || !is_finer([fineness[1], fineness[0]]) && names[1] < names[0]
        }
    }
}

/// Pushes out what starts inside, where a contact asks for it. Nodes carry their facets along, and what one contact moves may enter
/// another body: all contacts take turns. Returns the contacts whose bodies it spoilt.
fn push_out(case: &Case, meshes: &mut [Mesh], obstacles: &[Obstacle], problems: &mut Vec<Diagnostic>) -> Vec<usize> {
    const ROUNDS: usize = 20;
    let asking: Vec<&Located<Contact>> = case.contacts.iter().filter(|contact| contact.value.push_out).collect();
    let face_set =
        |meshes: &[Mesh], body: usize, set: &Located<String>| meshes[body].face_sets.get(&set.value).cloned();
    for _ in 0..ROUNDS {
        let mut moved = false;
        for contact in &asking {
            let zone = &contact.value;
            let Some(facets) = face_set(meshes, zone.body, &zone.set) else { continue };
            match &zone.with {
                Counterpart::Obstacle(number) => {
                    moved |= overlap::push_out_of(&mut meshes[zone.body], &obstacles[*number], &facets);
                }
                Counterpart::Body { body, set, .. } => {
                    let Some(others) = face_set(meshes, *body, set) else { continue };
                    let skins = [Skin::new(zone.body, facets), Skin::new(*body, others)];
                    let exchanged = is_exchanged(case, zone, [0, 1].map(|k| skins[k].fineness(&AtRest(meshes))));
                    let slave = usize::from(exchanged);
                    moved |= overlap::push_out(meshes, [&skins[slave], &skins[1 - slave]]);
                }
            }
        }
        if !moved {
            break;
        }
    }
    let mut spoilt = Vec::new();
    for (number, contact) in case.contacts.iter().enumerate().filter(|(_, contact)| contact.value.push_out) {
        let first = contact.value.body;
        let second = match contact.value.with {
            Counterpart::Body { body, .. } if body != first => Some(body),
            _ => None,
        };
        let crushed = |body: usize| check(&meshes[body], &Labels::default()).err().map(|defect| (body, defect));
        if let Some((body, defect)) = crushed(first).or_else(|| second.and_then(crushed)) {
            let name = &case.bodies[body].name.value;
            let problem = contact.problem(format!("body `{name}` lies too deep inside to be pushed out: {defect}"));
            problems.push(problem.expecting("bodies that overlap by less than a cell, or that stand apart"));
            spoilt.push(number);
        }
    }
    spoilt
}

/// Whether the second of two surfaces has the smaller facets. Of equally fine ones rounding must not decide, which differs where the same
/// bodies stand elsewhere: their names do, whatever their order in the file.
fn is_finer([first, second]: [f64; 2]) -> bool {
    const ALIKE: f64 = 1e-6;
    second < (1.0 - ALIKE) * first
}

/// Pairs so far; a surface that takes part in several contacts is kept once.
struct Made {
    pairs: Pairs,
    skins: Vec<(usize, String)>,
}

impl Made {
    fn skin(&mut self, body: usize, set: &str, facets: Vec<Facet>) -> usize {
        let known = self.skins.iter().position(|(b, s)| *b == body && s == set);
        known.unwrap_or_else(|| {
            self.skins.push((body, set.to_owned()));
            self.pairs.add_skin(Skin::new(body, facets))
        })
    }
}

fn against_obstacle(zone: &Contact, mesh: &Mesh, facets: Vec<Facet>, obstacle: &Obstacle, terms: &Terms) -> Zone {
    let grain = zone.grain.map(|(axis, carrier)| match carrier {
        Carrier::First => Grain::Drawn(Marked::new(axis.into(), &facets, &mesh.nodes)),
        Carrier::Second => Grain::Rigid(axis.into()),
    });
    let mut made = Zone::new(terms.number, zone.body, facets, obstacle.clone(), terms.friction, terms.level);
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
