//! What may touch what, and under which law.

use super::Model;
use crate::contact::detection::{Carrier, Level};
use crate::contact::friction::Friction;

/// Surfaces that may touch something, all under one law.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Its name; contacts of one kind that stand one after the other under one name have one account in the results.
    pub name: String,
    /// What may touch what.
    pub between: Between,
    /// Coulomb's law. Default no friction.
    pub friction: Friction,
    /// First axis of orthotropic friction, as things stand at the start, and what carries it.
    pub grain: Option<([f64; 3], Carrier)>,
    /// On what the contact condition is imposed. Default position: no penetration.
    pub level: Level,
    /// Newton's coefficient of restitution, at velocity level.
    pub restitution: f64,
    /// Distance within which contacts are looked for, in metres. Default by the motion.
    pub search: Option<f64>,
    /// Whether what starts inside is moved out before the start.
    pub push_out: bool,
}

/// What may touch what. Bodies and obstacles are numbers in the lists of the model, sets are face sets of the bodies.
#[derive(Debug, Clone, PartialEq)]
pub enum Between {
    /// Bodies and obstacles.
    Obstacles {
        /// Set of the bodies.
        set: String,
        /// A body and an obstacle each.
        pairs: Vec<[usize; 2]>,
    },
    /// Surfaces of bodies: each of the first list may touch each of the second.
    Bodies {
        /// The bodies.
        bodies: [Vec<usize>; 2],
        /// Set of the first, and of the second.
        sets: [String; 2],
        /// Whether it is one body against itself.
        itself: bool,
        /// Whose nodes are held by the other's facets; by default those of the finer surface.
        slave: Option<Carrier>,
        /// Whether the nodes of either side are held by the facets of the other.
        two_passes: bool,
    },
    /// Rigid shapes, of every two one at least with mass: each of the first list may touch each of the second.
    Rigid {
        /// The shapes.
        obstacles: [Vec<usize>; 2],
    },
}

impl Contact {
    /// Without friction.
    pub fn new(name: &str, between: Between) -> Self {
        Contact {
            name: name.to_owned(),
            between,
            friction: Friction::default(),
            grain: None,
            level: Level::Position,
            restitution: 0.0,
            search: None,
            push_out: false,
        }
    }

    /// A set of faces of a body on an obstacle, without friction.
    pub fn on_obstacle(name: &str, (body, set): (usize, &str), obstacle: usize) -> Self {
        Contact::new(name, Between::Obstacles { set: set.to_owned(), pairs: vec![[body, obstacle]] })
    }

    /// Faces of a body on faces of another, or on some of its own, without friction.
    pub fn between_bodies(name: &str, first: (usize, &str), second: (usize, &str)) -> Self {
        let between = Between::Bodies {
            bodies: [vec![first.0], vec![second.0]],
            sets: [first.1.to_owned(), second.1.to_owned()],
            itself: first.0 == second.0,
            slave: None,
            two_passes: false,
        };
        Contact::new(name, between)
    }

    /// Two rigid shapes, without friction.
    pub fn between_rigid(name: &str, first: usize, second: usize) -> Self {
        Contact::new(name, Between::Rigid { obstacles: [vec![first], vec![second]] })
    }

    /// Numbers that its pairs need.
    pub fn numbers(&self) -> usize {
        match &self.between {
            Between::Obstacles { pairs, .. } => pairs.len(),
            Between::Bodies { bodies: [first, second], .. } | Between::Rigid { obstacles: [first, second] } => {
                first.len() * second.len()
            }
        }
    }

    /// Whether it is between rigid shapes alone.
    pub fn is_rigid(&self) -> bool {
        matches!(self.between, Between::Rigid { .. })
    }
}

impl Model {
    /// The contacts in the order in which their pairs are numbered, those of deformable bodies first: the number of its first pair, its
    /// place in the list, and itself.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, usize, &Contact)> {
        let of = |rigid: bool| self.contacts.iter().enumerate().filter(move |(_, contact)| contact.is_rigid() == rigid);
        let mut end = 0;
        of(false).chain(of(true)).map(move |(place, contact)| {
            let number = end;
            end += contact.numbers() as u32;
            (number, place, contact)
        })
    }
}
