//! The task `transmission_error`: gears in mesh at a sequence of positions, by linearised contact.
//!
//! The hub of each gear is rigid. That of the first one has a prescribed position, the others turn freely: what they stay behind the
//! motion of rigid gears is the transmission error. Each position is a problem of its own over bodies that are factored once.

mod bodies;
pub mod cycle;
mod kinematics;
mod pairs;
mod position;
pub mod record;
mod rolled;
mod study;
pub mod table;

pub use bodies::{Body, KeptSide};
pub use kinematics::{Meshing, Stance, Wheel};
pub use position::{Fillet, Loaded, PairLoad, Position, PositionError};
pub use study::{Outcome, Series, Study, Timing};

use crate::materials::Material;
use crate::mesh::MeshError;
use crate::mesh::generate::SpurGear;

/// A gear of the study.
#[derive(Debug, Clone, PartialEq)]
pub struct Gear {
    /// Its name.
    pub name: String,
    /// Its shape and cells.
    pub shape: SpurGear,
    /// What it is made of; the law at rest counts.
    pub material: Material,
    /// Face width.
    pub width: f64,
}

/// Which gear drives which, and how far their centres are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshPair {
    /// Number of the driver.
    pub driver: usize,
    /// Number of the driven gear.
    pub driven: usize,
    /// Centre distance.
    pub distance: f64,
}

/// Where the candidates stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CandidatePlaces {
    /// On lines beside the line of action, this far apart; by default as far as the nodes of the flanks.
    Moving(Option<f64>),
    /// At the nodes of the driver.
    Driver,
    /// At the nodes of the driven gear.
    Driven,
    /// At the nodes of both.
    Both,
}

/// The surface that separations are measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Exact involutes.
    Involute,
    /// The straight edges of the mesh.
    Straight,
}

/// Normals and moment arms of the candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arms {
    /// Those of the line of action: base radius, and the tangent lengths for friction.
    Ideal,
    /// Those of each candidate's own normal.
    Own,
}

/// How friction is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrictionMode {
    /// Sliding the way the kinematics says.
    Imposed,
    /// Signorini and Coulomb, position after position, with the slip of material points.
    Rolled,
}

/// How candidates are chosen and how they act.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CandidateRules {
    /// Where they stand.
    pub places: CandidatePlaces,
    /// What their separation is measured on.
    pub surface: Surface,
    /// Whether tip corners are among them.
    pub corners: bool,
    /// Largest separation of a pair; by default what the load can close.
    pub distance: Option<f64>,
    /// Normals and arms.
    pub arms: Arms,
}

/// What is wrong with a study.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StudyError {
    /// A gear cannot be meshed.
    #[error("gear `{name}`: {source}")]
    Gear {
        /// Its name.
        name: String,
        /// Why.
        source: MeshError,
    },
    /// The base circles overlap.
    #[error("a centre distance of {distance} m is too small: the base radii together are {least} m")]
    TooClose {
        /// As given.
        distance: f64,
        /// Sum of the base radii.
        least: f64,
    },
    /// Gears that do not fit.
    #[error(
        "the base pitches differ, {driver:.9} m and {driven:.9} m: gears in mesh need the same module and pressure angle"
    )]
    BasePitches {
        /// Of the driver.
        driver: f64,
        /// Of the driven gear.
        driven: f64,
    },
    /// A tip circle reaches the root circle of the mate.
    #[error("a tip radius of {tip} m and a root radius of {root} m overlap at a centre distance of {distance} m")]
    TipInRoot {
        /// Radius of the tip circle.
        tip: f64,
        /// Radius of the mate's root circle.
        root: f64,
        /// Centre distance.
        distance: f64,
    },
    /// The tip of the mate meets the fillet.
    #[error(
        "interference: contact would begin at a roll length of {starts:.6e} m, below the involute, which begins at {form:.6e} m"
    )]
    Interference {
        /// Roll length at which contact begins.
        starts: f64,
        /// Roll length at which the involute begins.
        form: f64,
    },
    /// There are positions at which no teeth touch.
    #[error("the contact ratio is {ratio:.4}: it must be at least 1 for motion to be passed on without a break")]
    ContactRatio {
        /// The ratio.
        ratio: f64,
    },
    /// The teeth are thicker than the spaces.
    #[error(
        "the teeth are too thick for their spaces by {overlap:.3e} m along the line of action: give them backlash or a larger centre distance"
    )]
    Jammed {
        /// By how much.
        overlap: f64,
    },
    /// Friction locks the gears.
    #[error(
        "friction {friction} locks the gears on approach: base radius - friction x tangent length = {rest:.3e} m, and must be > 0"
    )]
    Locked {
        /// Coefficient of friction.
        friction: f64,
        /// What is left of the arm.
        rest: f64,
    },
    /// A tooth that may touch is not part of the mesh.
    #[error("gear `{name}`: tooth {tooth} may touch but is not among those modelled ({modelled})")]
    ToothMissing {
        /// Name of the gear.
        name: String,
        /// Number of the tooth.
        tooth: i32,
        /// Teeth in the mesh.
        modelled: usize,
    },
    /// A body cannot be factored.
    #[error("{0}")]
    Body(String),
    /// A pair that was left out would have closed.
    #[error(
        "pairs further apart than the candidates' distance of {distance:.3e} m would close (travel {travel:.6e} m): make it larger"
    )]
    Excluded {
        /// The distance.
        distance: f64,
        /// Position.
        travel: f64,
    },
}
