//! From the declared contacts of a case to zones against obstacles and pairs of surfaces.

use super::build::unknown_set;
use super::data::{Case, Contact, Counterpart, Slave};
use super::decode::Located;
use super::diagnostic::Diagnostic;
use super::obstacle;
use super::overlap::{self, AtRest};
use crate::contact::detection::{Carrier, Grain, Marked, Obstacle, Pairs, Skin, Terms, Zone};
use crate::mesh::{Facet, Mesh};

/// Zones and pairs of a case. Sets that do not exist and bodies that start inside something are reported.
pub(super) fn zones(
    case: &Case,
    meshes: &mut [Mesh],
    obstacles: &[Obstacle],
    carriers: &[Option<usize>],
    problems: &mut Vec<Diagnostic>,
) -> (Vec<Zone>, Pairs) {
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
            Counterpart::Obstacle(number) => {
                let obstacle = &obstacles[*number];
                if let Some(overlap) = obstacle::overlap(&meshes[zone.body], obstacle, &facets) {
                    let (body, obstacle) = (&case.bodies[zone.body].name.value, &obstacle.name);
                    let message = format!("body `{body}` starts inside obstacle `{obstacle}`: {overlap}");
                    problems.push(contact.problem(message));
                }
                let mut made = against_obstacle(zone, &meshes[zone.body], facets, obstacle, &terms);
                made.carrier = carriers[*number];
                zones.push(made);
            }
            Counterpart::Body { body, set, slave, two_passes, push_out } => {
                let Some(others) = self::facets(case, meshes, *body, set, problems) else { continue };
                let first = made.skin(zone.body, &zone.set.value, facets);
                let second = made.skin(*body, &set.value, others);
                let fineness = |skin: usize| made.pairs.skins()[skin].fineness(&AtRest(meshes));
                let exchanged = match slave {
                    Slave::First => false,
                    Slave::Second => true,
                    Slave::Auto => fineness(second) < fineness(first),
                };
                let (slave, master) = if exchanged { (second, first) } else { (first, second) };
                let skins = [slave, master].map(|skin| &made.pairs.skins()[skin]);
                if *push_out {
                    overlap::push_out(meshes, skins);
                }
                if let Some(found) = overlap::find(meshes, skins) {
                    let [slave, master] = found.bodies.map(|body| &case.bodies[body].name.value);
                    let problem = contact.problem(format!("body `{slave}` starts inside body `{master}`: {found}"));
                    let remedy =
                        "bodies apart or just touching, or `overlap: push_out` to move such nodes to the surface";
                    problems.push(if *push_out { problem } else { problem.expecting(remedy) });
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
