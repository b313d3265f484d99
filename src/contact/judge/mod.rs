//! The judge: whether anything is inside anything at the end of a step, or went through it on the way.
//!
//! It shares no filter, angle or rule of sides with detection: edges pass through facets by exact predicates, nodes go through facets
//! on their straight ways, shapes without facets answer by their distance. What it finds is either refused, or belongs to the method
//! and is told: in `max_penetration`, in `crossings`, and in a warning.

mod caught;
mod couple;
mod crossing;
mod hull;
mod path;
mod round;
mod who;

use std::sync::Arc;

use super::detection::{Level, Vector};
pub(super) use caught::{Apart, Caught};
use couple::Couple;
use hull::Hull;
pub(super) use who::{Judge, Source};

/// Bounds, as shares of the smaller body's size.
pub(super) struct Bounded;

impl Bounded {
    /// What is inside by less is rounding.
    pub const ROUNDING: f64 = 1e-9;
    /// A node that is inside by more is refused.
    pub const NODES: f64 = 1e-8;
    /// The same between nodes, where edges cross: held less exactly than nodes.
    pub const EDGES: f64 = 1e-5;
}

/// Cosine of the angle between the normals where something came in and where it went out beyond which it went through: the two sides
/// of a sheet or a wedge. The straight way of a step that leads round a blunt corner cuts it.
const WEDGE: f64 = -0.5;

/// Share of the smaller body's size by which it may.
const THROUGH_CORNERS: f64 = 0.02;

/// Cosine of the angle between facets up to which they stand for a smooth surface: at a node, and at an edge (20°).
const SMOOTH: f64 = std::f64::consts::FRAC_1_SQRT_2;
const SLIGHT: f64 = 0.939_692_620_785_908_4;

/// What holds between parts of two surfaces.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub level: Level,
    /// Facets of either that may touch; none stands for all.
    pub sets: [Option<Arc<Vec<bool>>>; 2],
    /// Of a contact with one pass between bodies: which of the two is the slave.
    pub slave: Option<usize>,
    /// Who says so.
    pub source: Source,
}

/// A part of a surface that is inside another, or went through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feature {
    /// A node of a mesh or a corner of an obstacle.
    Node(u32),
    /// An edge between two.
    Edge([u32; 2]),
    /// A facet, by its place on the surface.
    Facet(u32),
}

/// What was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    /// Numbers of the surface whose feature it is, and of the other.
    pub surfaces: [usize; 2],
    pub feature: Feature,
    /// Facet of the other, by its place on the surface.
    pub facet: u32,
    pub depth: f64,
    pub place: Vector,
    /// Whether it went through on the way.
    pub through: bool,
    /// Whether it belongs to the method.
    pub by_method: bool,
}

/// What the judge says of a step.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Depth of the deepest place that is inside.
    pub depth: f64,
    /// Edges of declared parts that are inside by more than rounding.
    pub crossings: usize,
    /// The same where a part of a declared body is concerned that no contact names.
    pub undeclared: usize,
    /// Whether anything is inside by more than the bound.
    pub beyond: bool,
}
