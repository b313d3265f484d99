//! The stable step, `2/ω` of the fastest mode of the bodies.
//!
//! Two bounds of `ω`, and the better of them counts. The fastest element with the mass of its nodes shared among elements by
//! their stiffness is one for any share, and cheap. Where many elements share a node none is close, and Lanczos' method on the whole
//! body (see [`super::lanczos`]) says by how much: that is done at the start and again when the elements have changed.

use super::Explicit;
use super::body::Stepped;
use super::lanczos::fastest_mode;
use super::nodes::Nodes;
use super::rigid::Carried;
use crate::bodies::{Body, BodyState, Deformable};
use crate::integrator::System;

/// The stable step and when to look at it again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    pub(super) limit: f64,
    pub(super) age: u32,
    pub(super) interval: u32,
}

impl Default for Estimate {
    fn default() -> Self {
        Estimate { limit: 0.0, age: 0, interval: LOOKS.0 }
    }
}

/// Steps of the power method in an element.
const POWER: usize = 12;
/// Rounds in which elements divide the masses of their nodes, and steps of the power method in each: any division is good for
/// a bound.
const ROUNDS_OF_CLAIMS: usize = 6;
const POWER_OF_CLAIMS: usize = 4;
/// Steps between two estimates, shortest and longest.
const LOOKS: (u32, u32) = (10, 160);
/// An estimate that changed by less than this lets the next one wait twice as long.
const CALM: f64 = 0.01;
/// Elements are all there is to look at where the whole body allows less than this share of `ω²` to be saved.
const WORTH: f64 = 0.1;
/// Change of the elements' `ω²` after which the whole body is looked at again, and looks after which it is in any case.
const CHANGED: f64 = 0.1;
const OLD: u32 = 4;

/// What a body remembers of its frequencies.
#[derive(Debug)]
pub(super) struct Stable {
    /// Mass of each node over the claims of its elements.
    share: Vec<f64>,
    /// `ω²` of the whole over that of the fastest element, at most one.
    ratio: f64,
    /// `ω²` of the fastest element when that was found, and looks since then.
    found_at: f64,
    looks: u32,
}

impl Stable {
    pub(super) fn new(body: &mut Deformable, state: &BodyState, mass: &[f64]) -> Self {
        // any division of the masses gives a bound; a few rounds make the fastest elements alike, and the bound close
        let mut share = vec![0.0; mass.len()];
        let mut scale = None;
        for round in 0..=ROUNDS_OF_CLAIMS {
            share.fill(0.0);
            body.groups().iter().for_each(|group| group.add_weights(&mut share));
            for (share, mass) in share.iter_mut().zip(mass) {
                *share = if *share > 0.0 { mass / *share } else { 0.0 };
            }
            if round < ROUNDS_OF_CLAIMS {
                let squared =
                    body.fastest(&state.u, &share, POWER_OF_CLAIMS, scale.or(Some(1.0)).filter(|_| round > 0));
                scale = (squared > 0.0).then_some(1.0 / squared);
            }
        }
        Stable { share, ratio: 1.0, found_at: 0.0, looks: 0 }
    }

    /// What it takes from one look to the next, as numbers.
    pub(super) fn memory(&self) -> [f64; 3] {
        [self.ratio, self.found_at, f64::from(self.looks)]
    }

    /// Takes over what [`Stable::memory`] gave.
    pub(super) fn recall(&mut self, [ratio, found_at, looks]: [f64; 3]) {
        // looks are a whole number, exact
        (self.ratio, self.found_at, self.looks) = (ratio, found_at, looks as u32);
    }

    /// Bound of the largest `ω²` of a body at a state; `inverse` has one over the mass of each unknown, zero where it is held.
    fn squared(&mut self, body: &mut Deformable, state: &BodyState, inverse: &[f64]) -> f64 {
        if !body.knows_frequencies() {
            // the undeformed elements are a bound as long as nothing has moved; the whole knows its state
            let undeformed = body.fastest(&state.u, &self.share, POWER, None);
            return fastest_mode(body, state, inverse).unwrap_or(undeformed);
        }
        let elements = body.fastest(&state.u, &self.share, POWER, None);
        if body.has_memory() {
            // from a yielding state a push finds the plastic tangent, the elements the elastic one
            return elements;
        }
        self.looks += 1;
        let saves = self.ratio < 1.0;
        let changed = (elements - self.found_at).abs() > CHANGED * self.found_at;
        let doubled = elements > 2.0 * self.found_at || elements < 0.5 * self.found_at;
        if doubled || saves && (changed || self.looks > OLD) {
            let whole = fastest_mode(body, state, inverse).unwrap_or(elements);
            let ratio = whole / elements;
            self.ratio = if ratio < 1.0 - WORTH { ratio } else { 1.0 };
            (self.found_at, self.looks) = (elements, 0);
        }
        self.ratio * elements
    }
}

impl Nodes {
    /// Bound of the largest `ω²` of the body with its springs, and its largest damping by mass.
    fn rates(&mut self, body: &mut Deformable, state: &BodyState) -> (f64, f64) {
        let Nodes { stable, inverse, .. } = self;
        let largest = |list: &[(u32, f64)]| {
            list.iter().map(|&(dof, coefficient)| coefficient * inverse[dof as usize]).fold(0.0, f64::max)
        };
        let squared = stable.squared(body, state, inverse) + largest(&body.loads().springs);
        (squared, largest(&body.loads().dashpots).max(body.lumped_damping_rate(squared)))
    }
}

impl Explicit {
    /// The largest step that the case's safety factor allows, at the current shape and stress. Looked at every few steps;
    /// infinite without deformable bodies and springs.
    pub fn stable_step(&mut self, system: &mut System) -> f64 {
        if self.estimate.limit > 0.0 && self.estimate.age < self.estimate.interval {
            return self.estimate.limit;
        }
        self.fresh_stable_step(system)
    }

    /// The same, looked up now.
    pub fn fresh_stable_step(&mut self, system: &mut System) -> f64 {
        let mut squared = 0.0f64;
        let mut damping = 0.0f64;
        for (own, (body, state)) in self.bodies.iter_mut().zip(system.bodies.iter_mut().zip(&system.states)) {
            let (fastest, damped) = match (body, own) {
                (Body::Deformable(body), Stepped::Nodal(own)) => own.rates(body, state),
                (Body::Rigid(body), _) => Carried::rates(body),
                _ => continue,
            };
            squared = squared.max(fastest);
            damping = damping.max(damped);
        }
        // Δt ≤ 2/ω (√(1+ζ²) − ζ) with ζ = c/(2mω)
        let rate = 0.5 * damping;
        let limit = self.courant * 2.0 / ((squared + rate * rate).sqrt() + rate);
        let before = self.estimate.limit;
        let calm = (limit - before).abs() <= CALM * before;
        let interval = if calm { (2 * self.estimate.interval).min(LOOKS.1) } else { LOOKS.0 };
        self.estimate = Estimate { limit, age: 0, interval };
        limit
    }
}
