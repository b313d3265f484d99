//! Deformable bodies and what they are made of.

pub use crate::bodies::Rayleigh;
use crate::case::decode::Located;
use crate::case::mesh::Mesh;
pub use crate::elements::{Formulation, Hourglass, Lumping as MassMatrix};
use crate::materials::Law;
pub use crate::mesh::generate::{PlaneCells, SolidCells};

/// A material.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Its name in the file.
    pub name: Located<String>,
    /// Mass per volume.
    pub density: f64,
    /// Constitutive law.
    pub law: Located<Law>,
    /// Rayleigh damping. Default none.
    pub damping: Rayleigh,
}

/// A deformable body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its name in the file.
    pub name: Located<String>,
    /// Its mesh.
    pub mesh: Located<Mesh>,
    /// What its cells are made of.
    pub material: BodyMaterial,
    /// Cell sets given by boxes, besides those of the mesh.
    pub cell_sets: Vec<CellBox>,
    /// How elements take the change of volume. Default standard.
    pub formulation: Located<Formulation>,
    /// Hourglass control of `formulation: reduced`. Default stiffness 0.05, viscosity 0.
    pub hourglass: Hourglass,
    /// Initial velocity; third component 0 in the plane.
    pub velocity: [f64; 3],
    /// Initial angular velocity about the centre of mass in rad/s; only the third component in the plane.
    pub angular_velocity: [f64; 3],
    /// Mass matrix.
    pub mass: MassMatrix,
    /// Rotation of the mesh about the body's centre of mass before the start: unit axis and angle in radians.
    pub rotation: Option<([f64; 3], f64)>,
    /// Rayleigh damping in place of that of the material.
    pub damping: Option<Rayleigh>,
}

/// Materials of a body: one for all cells, and others for cell sets.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyMaterial {
    /// Index into [`Case::materials`](super::Case::materials) of all cells that no set claims.
    pub default: usize,
    /// Cell sets with their index into [`Case::materials`](super::Case::materials). Not checked yet: the mesh decides.
    pub sets: Vec<(Located<String>, usize)>,
}

/// Cells whose centre lies in an axis-parallel box of the reference configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct CellBox {
    /// Name of the set.
    pub name: Located<String>,
    /// Lower corner; third component -1 in the plane.
    pub min: [f64; 3],
    /// Upper corner; third component 1 in the plane.
    pub max: [f64; 3],
}
