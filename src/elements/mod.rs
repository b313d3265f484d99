//! Finite elements: one file for each shape (geometry), one total-Lagrangian kernel for all (physics).

mod assembly;
pub mod batch;
mod error;
mod group;
mod hex8;
mod kinematics;
mod mass;
mod mean_dilatation;
mod quad4;
pub mod recovery;
pub mod section;
mod tet4;
pub mod total_lagrangian;
mod tri3;

pub use assembly::Scatter;
pub use batch::{Hourglass, Sums};
pub use error::ElementError;
pub use group::{ElementGroup, Groups, groups};
pub use hex8::Hex8;
pub use quad4::Quad4;
pub use recovery::{PointStress, StressMeasures};
pub use section::{Formulation, Section};
pub use tet4::Tet4;
pub use total_lagrangian::{Elements, ForceRule, Lumping};
pub use tri3::Tri3;

/// A point of an integration rule: place in the parent element and weight.
pub type QuadraturePoint<const D: usize> = ([f64; D], f64);

/// The geometry of an element with `N` nodes in `D` dimensions. Node order is that of VTK.
pub trait Shape<const D: usize, const N: usize>: Send + Sync + 'static {
    /// Parent coordinates of the nodes.
    const NODES: [[f64; D]; N];
    /// Rule for forces and stiffness. Rules with `N` points list them in the order of the nodes they are next to.
    const RULE: &'static [QuadraturePoint<D>];
    /// Rule that integrates products of two shape functions exactly on an undistorted element.
    const MASS_RULE: &'static [QuadraturePoint<D>];
    /// Shape functions at a parent point.
    fn values(xi: &[f64; D]) -> [f64; N];
    /// Their derivatives by the parent coordinates.
    fn gradients(xi: &[f64; D]) -> [[f64; D]; N];
}

/// Half the distance between the two Gauss points on [-1, 1], `1/√3`.
const GAUSS: f64 = 0.577_350_269_189_625_8;
