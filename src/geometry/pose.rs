//! A rigid placement: from a shape's own frame to space.

use super::Vector;

/// `x = Q X + c`, with `Q` a rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    rotation: nalgebra::Matrix3<f64>,
    translation: Vector,
    identity: bool,
}

impl Default for Pose {
    fn default() -> Self {
        Pose { rotation: nalgebra::Matrix3::identity(), translation: Vector::zeros(), identity: true }
    }
}

impl Pose {
    /// Rotation by the angle `|turn|` about the direction `turn`, about the point `about`, and then a shift.
    pub fn new(turn: Vector, about: Vector, shift: Vector) -> Self {
        let rotation = nalgebra::Rotation3::from_scaled_axis(turn).into_inner();
        let translation = about - rotation * about + shift;
        let identity = turn == Vector::zeros() && translation == Vector::zeros();
        Pose { rotation, translation, identity }
    }

    /// Of a shape that a rigid body carries along: `x = Q (X − from) + to`.
    pub fn carried(rotation: nalgebra::Matrix3<f64>, from: Vector, to: Vector) -> Self {
        Pose { rotation, translation: to - rotation * from, identity: false }
    }

    /// The same, and then a shift.
    pub fn shifted(&self, shift: Vector) -> Self {
        let translation = self.translation + shift;
        Pose { rotation: self.rotation, translation, identity: self.identity && shift == Vector::zeros() }
    }

    /// Where the shape is when a share of the way to another place is over: its place `about` on the straight line, turned as far.
    pub fn between(&self, end: &Pose, about: Vector, share: f64) -> Self {
        if self == end {
            return *self;
        }
        let turn = nalgebra::Rotation3::from_matrix_unchecked(end.rotation * self.rotation.transpose());
        let rotation = turn.powf(share).into_inner() * self.rotation;
        Pose::carried(rotation, about, self.place(about).lerp(&end.place(about), share))
    }

    /// The rotation in it.
    pub fn rotation(&self) -> &nalgebra::Matrix3<f64> {
        &self.rotation
    }

    /// Whether it leaves everything where it is.
    pub fn is_identity(&self) -> bool {
        self.identity
    }

    /// A place of the shape in space.
    pub fn place(&self, x: Vector) -> Vector {
        if self.identity { x } else { self.rotation * x + self.translation }
    }

    /// A direction of the shape in space.
    pub fn turn(&self, d: Vector) -> Vector {
        if self.identity { d } else { self.rotation * d }
    }

    /// A place in space in the frame of the shape.
    pub fn own(&self, x: Vector) -> Vector {
        if self.identity { x } else { self.rotation.tr_mul(&(x - self.translation)) }
    }

    /// A direction in space in the frame of the shape.
    pub fn own_direction(&self, d: Vector) -> Vector {
        if self.identity { d } else { self.rotation.tr_mul(&d) }
    }
}
