//! Where a mesh stands: scaled, turned and shifted before anything else is done with it, so that the body is free of
//! stress there.

use nalgebra::Vector3;

use super::{Mesh, MeshError};

/// A turn about an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Angle in degrees, right-handed. Quarter turns are exact.
    pub angle: f64,
    /// Direction of the axis, of any length; z in the plane.
    pub axis: [f64; 3],
    /// A point of the axis.
    pub about: [f64; 3],
}

/// Scale about the origin, then the turns in their order, then the shift.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Factors along x, y and z, all > 0: a mirrored mesh would be inside out.
    pub scale: [f64; 3],
    /// Turns, the first one first.
    pub turns: Vec<Turn>,
    /// Shift.
    pub shift: [f64; 3],
}

impl Default for Placement {
    fn default() -> Self {
        Placement { scale: [1.0; 3], turns: Vec::new(), shift: [0.0; 3] }
    }
}

impl Placement {
    /// Moves the nodes of a mesh.
    pub fn apply(&self, mesh: &mut Mesh) -> Result<(), MeshError> {
        for factor in self.scale {
            if !(factor > 0.0 && factor.is_finite()) {
                return Err(MeshError::NotPositive("a factor of the scale", factor));
            }
        }
        let turns = self.turns.iter().map(Rotation::new).collect::<Result<Vec<_>, _>>()?;
        for node in &mut mesh.nodes {
            let mut x = Vector3::from(*node).component_mul(&Vector3::from(self.scale));
            for turn in &turns {
                x = turn.apply(x);
            }
            *node = (x + Vector3::from(self.shift)).into();
            if let Some(value) = node.iter().find(|value| !value.is_finite()) {
                return Err(MeshError::NotFinite("a coordinate after placing", *value));
            }
        }
        Ok(())
    }
}

/// Rodrigues' formula with its numbers at hand.
struct Rotation {
    axis: Vector3<f64>,
    about: Vector3<f64>,
    sin: f64,
    cos: f64,
}

impl Rotation {
    fn new(turn: &Turn) -> Result<Self, MeshError> {
        let axis = Vector3::from(turn.axis);
        let largest = axis.amax();
        if largest == 0.0 || !turn.axis.iter().all(|c| c.is_finite()) {
            return Err(MeshError::NoDirection(turn.axis));
        }
        if !turn.angle.is_finite() {
            return Err(MeshError::NotFinite("the angle", turn.angle));
        }
        let (sin, cos) = match turn.angle.rem_euclid(360.0) {
            0.0 => (0.0, 1.0),
            90.0 => (1.0, 0.0),
            180.0 => (0.0, -1.0),
            270.0 => (-1.0, 0.0),
            angle => angle.to_radians().sin_cos(),
        };
        Ok(Rotation { axis: (axis / largest).normalize(), about: turn.about.into(), sin, cos })
    }

    fn apply(&self, x: Vector3<f64>) -> Vector3<f64> {
        let (k, r) = (self.axis, x - self.about);
        // r cos φ + (k × r) sin φ + k (k·r)(1 − cos φ)
        self.about + r * self.cos + k.cross(&r) * self.sin + k * (k.dot(&r) * (1.0 - self.cos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(placement: &Placement, x: [f64; 3]) -> [f64; 3] {
        let mut mesh = Mesh::new(vec![x]);
        placement.apply(&mut mesh).unwrap();
        mesh.nodes[0]
    }

    #[test]
    fn scale_comes_before_turns_and_turns_before_the_shift() {
        let z = |angle: f64, about: [f64; 3]| Turn { angle, axis: [0.0, 0.0, 3.0], about };
        let placement = Placement {
            scale: [2.0, 3.0, 1.0],
            turns: vec![z(90.0, [0.0; 3]), z(-180.0, [1.0, 0.0, 0.0])],
            shift: [10.0, 20.0, 30.0],
        };
        // (1, 1, 1) -> (2, 3, 1) -> (-3, 2, 1) -> (5, -2, 1) -> (15, 18, 31), without rounding.
        assert_eq!(placed(&placement, [1.0; 3]), [15.0, 18.0, 31.0]);
    }

    #[test]
    fn a_third_of_a_turn_about_the_diagonal_exchanges_the_axes() {
        let turns = vec![Turn { angle: 120.0, axis: [1e-3; 3], about: [5.0; 3] }];
        let x = placed(&Placement { turns, ..Placement::default() }, [1.0, 2.0, 4.0]);
        for (measured, expected) in x.iter().zip([4.0, 1.0, 2.0]) {
            assert!((measured - expected).abs() < 1e-14, "{x:?}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let mut mesh = Mesh::new(vec![[1.0, 2.0, 3.0]]);
        for scale in [[0.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, f64::NAN], [f64::INFINITY; 3]] {
            assert!(Placement { scale, ..Placement::default() }.apply(&mut mesh).is_err(), "{scale:?}");
        }
        for turn in [
            Turn { angle: 5.0, axis: [0.0; 3], about: [0.0; 3] },
            Turn { angle: f64::NAN, axis: [0.0, 0.0, 1.0], about: [0.0; 3] },
        ] {
            assert!(Placement { turns: vec![turn], ..Placement::default() }.apply(&mut mesh).is_err());
        }
        assert!(
            Placement { shift: [f64::MAX; 3], scale: [f64::MAX; 3], ..Placement::default() }.apply(&mut mesh).is_err()
        );
    }
}
