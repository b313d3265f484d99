//! From the declared contacts of a model to zones against obstacles and pairs of surfaces.

use std::collections::HashMap;

use super::boundary::unknown_set;
use super::error::{Flaw, Place, Problems};
use super::overlap::{self, AtRest};
use super::{Between, Contact, Model};
use crate::contact::detection::{
    Carrier, Family, Grade, Grain, Marked, Obstacle, Pairs, Rule, Skin, Surfaces, Terms, Zone,
};
use crate::mesh::check::{Labels, check};
use crate::mesh::{Facet, Mesh};

/// Zones and pairs of a model. Sets that do not exist and bodies that start inside something are reported.
pub(super) fn zones(
    model: &Model,
    meshes: &mut [Mesh],
    obstacles: &[Obstacle],
    carriers: &[Option<usize>],
    problems: &mut Problems,
) -> (Vec<Zone>, Pairs) {
    let spoilt = push_out(model, meshes, obstacles, problems);
    let (mut zones, mut made) = (Vec::new(), Made::default());
    for (number, place, contact) in model.numbered() {
        let (at, spoilt) = (Place::Contact(place), spoilt.contains(&place));
        let Contact { between, friction, level, restitution, search, push_out: pushed, .. } = contact;
        let (friction, level, restitution, search, pushed) = (*friction, *level, *restitution, *search, *pushed);
        let terms = Terms { number, friction, level, restitution, search };
        match between {
            Between::Rigid { .. } => {}
            Between::Obstacles { set, pairs } => {
                for (number, &[body, with]) in (number..).zip(pairs) {
                    let facets = match facets(model, meshes, body, set) {
                        Ok(facets) => facets,
                        Err(flaw) => {
                            problems.add(at, flaw);
                            continue;
                        }
                    };
                    let obstacle = &obstacles[with];
                    if let Some(inside) = overlap::entered(&meshes[body], obstacle, &facets).filter(|_| !spoilt) {
                        let (body, obstacle) = (model.bodies[body].name.clone(), obstacle.name.clone());
                        problems.add(at, Flaw::InObstacle { body, obstacle, inside, pushed });
                    }
                    let terms = Terms { number, ..terms };
                    let mut zone = against_obstacle(contact, (body, &meshes[body]), facets, obstacle, &terms);
                    zone.carrier = carriers[with];
                    zones.push(zone);
                }
            }
            Between::Bodies { bodies, sets, itself, slave, two_passes } => {
                let lists = [0, 1].map(|side| {
                    let skin = |&body: &usize| match made.skin(model, meshes, body, &sets[side]) {
                        Ok(number) => Some(number),
                        Err(flaw) => {
                            problems.add(at, of_side(flaw, side));
                            None
                        }
                    };
                    bodies[side].iter().filter_map(skin).collect::<Vec<u32>>()
                });
                let grain = contact.grain.map(|(axis, carrier)| {
                    let carriers = if carrier == Carrier::First { &lists[0] } else { &lists[1] };
                    let marked = carriers.iter().map(|&skin| {
                        let Skin { body, facets, .. } = &made.pairs.skins()[skin as usize];
                        (skin, Marked::new(axis.into(), facets, &meshes[*body].nodes))
                    });
                    (carrier, marked.collect())
                });
                let [first, second] = lists;
                let family = Family::new(number, first, second, *itself);
                let mut surfaces = Surfaces { family, rule: Rule { terms, slave: *slave, both: *two_passes, grain } };
                if !spoilt {
                    for pair in made.meeting(&mut surfaces.family, 1e-9) {
                        let skins = surfaces.rule.sides(pair, made.pairs.grades()).map(|k| &made.pairs.skins()[k]);
                        if let Some((bodies, inside)) = overlap::find(meshes, skins) {
                            let [body, other] = bodies.map(|body| model.bodies[body].name.clone());
                            problems.add(at, Flaw::InBody { body, other, inside, pushed });
                        }
                    }
                }
                made.pairs.declare(surfaces);
            }
        }
    }
    (zones, made.pairs)
}

/// Tells that a set that is missing is that of the second side.
fn of_side(mut flaw: Flaw, side: usize) -> Flaw {
    if let Flaw::UnknownSet { second, .. } = &mut flaw {
        *second = side == 1;
    }
    flaw
}

/// Pairs so far; a surface that takes part in several contacts is kept once.
#[derive(Default)]
struct Made {
    pairs: Pairs,
    skins: HashMap<(usize, String), u32>,
}

impl Made {
    /// Number of a surface.
    fn skin(&mut self, model: &Model, meshes: &[Mesh], body: usize, set: &str) -> Result<u32, Flaw> {
        let key = (body, set.to_owned());
        if let Some(known) = self.skins.get(&key) {
            return Ok(*known);
        }
        let mut skin = Skin::new(body, facets(model, meshes, body, set)?);
        skin.update(&AtRest(meshes));
        let name = format!("{}.{set}", model.bodies[body].name);
        let grade = Grade { edge: skin.fineness(&AtRest(meshes)), name };
        let number = self.pairs.add_skin(skin, grade) as u32;
        self.skins.insert(key, number);
        Ok(number)
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

/// Pushes out what starts inside, where a contact asks for it. Nodes carry their facets along, and what one contact moves may enter
/// another body: all contacts take turns. Returns the contacts whose bodies it spoilt.
fn push_out(model: &Model, meshes: &mut [Mesh], obstacles: &[Obstacle], problems: &mut Problems) -> Vec<usize> {
    const ROUNDS: usize = 20;
    let asking = || model.contacts.iter().enumerate().filter(|(_, contact)| contact.push_out && !contact.is_rigid());
    for _ in 0..ROUNDS {
        let mut moved = false;
        for (_, contact) in asking() {
            moved |= push_out_once(model, meshes, obstacles, contact);
        }
        if !moved {
            break;
        }
    }
    let mut spoilt = Vec::new();
    for (place, contact) in asking() {
        let mut bodies: Vec<usize> = match &contact.between {
            Between::Obstacles { pairs, .. } => pairs.iter().map(|pair| pair[0]).collect(),
            Between::Bodies { bodies, .. } => bodies.concat(),
            Between::Rigid { .. } => Vec::new(),
        };
        bodies.sort_unstable();
        bodies.dedup();
        let crushed = |&body: &usize| check(&meshes[body], &Labels::default()).err().map(|defect| (body, defect));
        if let Some((body, defect)) = bodies.iter().find_map(crushed) {
            let (body, defect) = (model.bodies[body].name.clone(), defect.to_string());
            problems.add(Place::Contact(place), Flaw::TooDeep { body, defect });
            spoilt.push(place);
        }
    }
    spoilt
}

/// One turn of a contact. Whether anything moved.
fn push_out_once(model: &Model, meshes: &mut [Mesh], obstacles: &[Obstacle], contact: &Contact) -> bool {
    let (mut moved, mut made) = (false, Made::default());
    match &contact.between {
        Between::Rigid { .. } => {}
        Between::Obstacles { set, pairs } => {
            for &[body, obstacle] in pairs {
                let facets = meshes[body].face_sets.get(set).cloned().unwrap_or_default();
                moved |= overlap::push_out_of(&mut meshes[body], &obstacles[obstacle], &facets);
            }
        }
        Between::Bodies { bodies, sets, itself, slave, .. } => {
            // sets that do not exist are reported later
            let [first, second] = [0, 1].map(|side| {
                let skin = |&body: &usize| made.skin(model, meshes, body, &sets[side]).ok();
                bodies[side].iter().filter_map(skin).collect::<Vec<u32>>()
            });
            let rule = Rule { slave: *slave, ..Rule::default() };
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
fn facets(model: &Model, meshes: &[Mesh], body: usize, set: &str) -> Result<Vec<Facet>, Flaw> {
    let sets = &meshes[body].face_sets;
    sets.get(set).cloned().ok_or_else(|| unknown_set(model, body, set, "face", sets.keys()))
}
