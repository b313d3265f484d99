//! Detection: from surfaces and obstacles to contact points, each with a gap, a frame and the nodes it acts on.

mod bulges;
mod corners;
mod crossing;
mod edges;
pub mod family;
mod foot;
pub mod grain;
pub mod motion;
mod onset;
pub mod pairing;
pub mod pairs;
mod passing;
mod plane;
mod projection;
pub mod rigid_pair;
pub mod rigid_pairs;
pub mod skin;
pub mod source;
mod space;
pub mod zone;

pub use family::Family;
pub use foot::{depth, depth_towards};
pub use grain::{Carrier, Grain, Marked, frame_along};
pub use motion::Moment;
pub use pairing::Pass;
pub use pairs::{Grade, Pairs, Rule, Surfaces};
pub use rigid_pair::{RigidPair, RigidPlace};
pub use rigid_pairs::{RigidPairs, RigidTerms};
pub use skin::Skin;
pub use source::{Displaced, InStates, Placed, Terms};
pub use zone::{Intrusion, Level, Zone};

use nalgebra::Matrix3;

use super::friction::Friction;
pub use crate::geometry::{Obstacle, Pose, Touch, Vector, frame};

/// A point of a body: a combination of its nodes, or a place that a rigid body carries along.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    /// Number of the body.
    pub body: usize,
    nodes: [u32; 4],
    weights: [f64; 4],
    count: u8,
    /// Of a rigid body: the place, seen from the point whose displacement the body's first unknowns are.
    arm: Option<Vector>,
    /// Of a facet that carries a place beside it along as it turns, see [`Anchor::carry`].
    carried: Option<Carried>,
}

/// A place that a facet carries along.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Carried {
    /// The nodes, seen from their mean.
    arms: [Vector; 4],
    /// Way of the place for a unit of `Σ a × δx` over the nodes.
    lever: Matrix3<f64>,
}

impl Anchor {
    /// One node.
    pub fn node(body: usize, node: u32) -> Self {
        Self::combination(body, &[node], &[1.0])
    }

    /// A weighted combination of up to four nodes.
    pub fn combination(body: usize, nodes: &[u32], weights: &[f64]) -> Self {
        let mut anchor =
            Anchor { body, nodes: [0; 4], weights: [0.0; 4], count: nodes.len() as u8, arm: None, carried: None };
        anchor.nodes[..nodes.len()].copy_from_slice(nodes);
        anchor.weights[..nodes.len()].copy_from_slice(weights);
        anchor
    }

    /// A place of a rigid body, `arm` away from the point whose displacement its first unknowns are. Its other unknowns turn
    /// it: one angle in the plane, a rotation vector in space.
    pub fn rigid(body: usize, arm: Vector) -> Self {
        Anchor { arm: Some(arm), ..Self::combination(body, &[], &[]) }
    }

    /// The place of a rigid body, seen from the point whose displacement its first unknowns are.
    pub fn arm(&self) -> Option<Vector> {
        self.arm
    }

    /// Another place of the same rigid body.
    pub(super) fn set_arm(&mut self, arm: Vector) {
        self.arm = self.arm.map(|_| arm);
    }

    /// The place a share of the way towards another combination of the same nodes.
    pub(super) fn towards(mut self, other: &Anchor, share: f64) -> Self {
        self.weights.iter_mut().zip(other.weights).for_each(|(a, b)| *a += share * (b - *a));
        self
    }

    /// The weights of its nodes.
    pub(super) fn weights(&self) -> [f64; 4] {
        self.weights
    }

    /// Another combination of the same nodes.
    pub(super) fn set_weights(&mut self, weights: [f64; 4]) {
        self.weights = weights;
    }

    /// Makes a facet carry the place `x` along as it moves and turns: `δx = Σ N δx_m + δφ × (x − Σ N x_m)`, where
    /// `δφ = J⁻¹ Σ a_m × δx_m` is the mean turn of its nodes, seen from their middle by `a_m`, and `J = Σ (a·a I − a aᵀ)`. A rigid
    /// turn of the facet is met exactly, so that a force at the place has the same moment on the facet, however far the two
    /// are apart.
    fn carry(&mut self, x: Vector, at: &impl Placed) {
        let count = self.count as usize;
        if count < 2 {
            return;
        }
        let places: [Vector; 4] =
            std::array::from_fn(|k| at.position(self.body, self.nodes[k.min(count - 1)] as usize));
        let middle = places[..count].iter().sum::<Vector>() / count as f64;
        let mut arms = [Vector::zeros(); 4];
        let (mut inertia, mut offset) = (Matrix3::zeros(), x);
        for k in 0..count {
            arms[k] = places[k] - middle;
            offset -= self.weights[k] * places[k];
            inertia += Matrix3::from_diagonal_element(arms[k].norm_squared());
            // the nodes of a segment give no moment about itself: there `J` is a multiple of one
            if count > 2 {
                inertia -= arms[k] * arms[k].transpose();
            }
        }
        self.carried = inertia.try_inverse().map(|inverse| Carried { arms, lever: -offset.cross_matrix() * inverse });
    }

    /// Where it is.
    pub fn position(&self, body: &crate::bodies::Deformable, u: &[f64]) -> Vector {
        self.parts().map(|(node, weight)| weight * body.position(u, node)).sum()
    }

    /// The value there of a field over the body's unknowns: a velocity, a small displacement.
    pub fn value(&self, dim: usize, field: &[f64]) -> Vector {
        self.unknowns(dim).map(|(dof, way)| field[dof] * way).sum()
    }

    /// The unknowns of the body that move the point, each with the way that the point goes for a unit of it: the columns of
    /// `∂x/∂u`, for a rigid body `[I, −[arm]×]`.
    pub fn unknowns(&self, dim: usize) -> impl Iterator<Item = (usize, Vector)> + '_ {
        let unit = |axis: usize| Vector::ith(axis, 1.0);
        let turn = move |k: usize, axis: usize| {
            self.carried.as_ref().map_or_else(Vector::zeros, |c| c.lever * c.arms[k].cross(&unit(axis)))
        };
        let nodal = self.parts().enumerate().flat_map(move |(k, (node, weight))| {
            (0..dim).map(move |axis| (node * dim + axis, Vector::ith(axis, weight) + turn(k, axis)))
        });
        let rigid = self.arm.into_iter().flat_map(move |arm| {
            let shifts = (0..dim).map(move |axis| (axis, unit(axis)));
            let turns = if dim == 2 { 2..3 } else { 0..3 };
            shifts.chain(turns.enumerate().map(move |(k, axis)| (dim + k, unit(axis).cross(&arm))))
        });
        nodal.chain(rigid)
    }

    /// Nodes and weights; none of a rigid body.
    pub fn parts(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let n = self.count as usize;
        self.nodes[..n].iter().zip(&self.weights[..n]).map(|(&node, &weight)| (node as usize, weight))
    }
}

/// Who a contact point belongs to; the same pair has the same identity in the next iteration and the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// Number of the zone.
    pub zone: u32,
    /// 0: node on obstacle; 1: obstacle corner on facet; 2: obstacle edge on edge; 3: curved obstacle on facet; 4: curved
    /// obstacle on edge; 6 and 7: node on a facet of a body, in the first and the second pass; 8: edge across an edge of a body.
    pub pass: u8,
    /// Node, corner, obstacle edge, curved feature or kind of place.
    pub first: u32,
    /// Obstacle feature, facet, surface edge or node.
    pub second: u32,
}

/// One place where a body may touch an obstacle or another body (or itself).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    /// Identity.
    pub identity: Identity,
    /// The point of the body, the slave.
    pub anchor: Anchor,
    /// The point of the body it touches, the master; none on an obstacle.
    pub other: Option<Anchor>,
    /// Rows n, t1, t2: `n` points from the master or obstacle to the body. The reaction on the body is
    /// `r_n n + r_t1 t1 + r_t2 t2`; the opposite acts on the master.
    pub frame: [Vector; 3],
    /// Distance along `n`, positive when open.
    pub gap: f64,
    /// Coulomb's law; where it is orthotropic, `t1` is its first axis.
    pub friction: Friction,
    /// What the normal condition is imposed on.
    pub level: Level,
    /// Displacement of the obstacle over the step at this place.
    pub wall: Vector,
    /// What the displacement of the body over the step lacks to the local unknown, along `frame`: that of the wall, taken
    /// away. At velocity level the unknown is `(v₁ + e v₀)/(∂v₁/∂u₁)` in the normal and `v₁/(∂v₁/∂u₁)` in the tangential
    /// directions, relative to the wall: what the start velocity makes of it.
    pub start: [f64; 3],
}

impl ContactPoint {
    /// The sides of the point with the sign of their share in the relative displacement.
    pub fn sides(&self) -> impl Iterator<Item = (&Anchor, f64)> {
        std::iter::once((&self.anchor, 1.0)).chain(self.other.as_ref().map(|other| (other, -1.0)))
    }

    /// Those of one body: both where a body touches itself.
    pub fn sides_of(&self, body: usize) -> impl Iterator<Item = (&Anchor, f64)> {
        self.sides().filter(move |(anchor, _)| anchor.body == body)
    }

    /// Whether what it touches is rigid: an obstacle, or a rigid body with mass.
    pub fn is_on_rigid(&self) -> bool {
        self.other.is_none_or(|other| other.arm().is_some())
    }

    /// Number of the master, if it is a body.
    pub fn master(&self) -> Option<usize> {
        self.other.map(|other| other.body)
    }

    /// Turns the frame so that its normal points in another direction, given at any length.
    pub(super) fn turn(&mut self, normal: Vector) {
        let Some(n) = normal.try_normalize(0.0) else { return };
        let across = |t: Vector| (t - n * n.dot(&t)).try_normalize(0.0);
        let Some(t1) = across(self.frame[1]) else { return };
        let Some(t2) = across(self.frame[2] - t1 * t1.dot(&self.frame[2])) else { return };
        self.frame = [n, t1, t2];
        self.start = self.frame.map(|axis| -axis.dot(&self.wall));
    }

    /// Makes the forces on the two bodies free of moment where the bodies are halfway through the step, which is where midpoint
    /// schemes take their moments.
    pub(super) fn balance(&mut self, halfway: &impl Placed) {
        if let Some(other) = &mut self.other {
            let x = self.anchor.parts().map(|(node, w)| w * halfway.position(self.anchor.body, node)).sum();
            other.carry(x, halfway);
        }
    }

    /// Displacement of the body relative to the master, for displacements of all bodies given by `field`.
    pub fn relative<'a>(&self, dim: usize, field: impl Fn(usize) -> &'a [f64]) -> Vector {
        self.sides().map(|(anchor, sign)| sign * anchor.value(dim, field(anchor.body))).sum()
    }
}
