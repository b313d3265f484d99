//! Deformable bodies and what they are made of.

use crate::bodies::Rayleigh;
use crate::elements::{Formulation, Hourglass, Lumping};
use crate::materials::{self, Law};
use crate::mesh::Mesh;

/// A material.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: String,
    /// Law and density.
    pub material: materials::Material,
    /// Rayleigh damping. Default none.
    pub damping: Rayleigh,
}

impl Material {
    /// Without damping.
    pub fn new(name: &str, density: f64, law: Law) -> Self {
        let material = materials::Material { density, law };
        Material { name: name.to_owned(), material, damping: Rayleigh::default() }
    }
}

/// A deformable body.
#[derive(Debug, Clone)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// Its mesh, free of stress where it stands.
    pub mesh: Mesh,
    /// Number in [`Model::materials`](super::Model::materials) for each cell; empty if all cells are of the first.
    pub material_of_cell: Vec<u32>,
    /// How elements take the change of volume.
    pub formulation: Formulation,
    /// Hourglass control of [`Formulation::Reduced`].
    pub hourglass: Hourglass,
    /// Mass matrix; explicit steps lump it.
    pub lumping: Lumping,
    /// Initial velocity; third component 0 in the plane.
    pub velocity: [f64; 3],
    /// Initial angular velocity about the centre of mass in rad/s; only the third component in the plane.
    pub angular_velocity: [f64; 3],
    /// Rayleigh damping in place of that of the material.
    pub damping: Option<Rayleigh>,
}

impl Body {
    /// Hourglass control where nothing else is said: holds the mesh in shape and stays a few per cent of the stored energy.
    pub const HOURGLASS: Hourglass = Hourglass { stiffness: 0.05, viscosity: 0.0 };

    /// At rest, of the first material, with standard elements and consistent mass.
    pub fn new(name: &str, mesh: Mesh) -> Self {
        Body {
            name: name.to_owned(),
            mesh,
            material_of_cell: Vec::new(),
            formulation: Formulation::Standard,
            hourglass: Self::HOURGLASS,
            lumping: Lumping::Consistent,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            damping: None,
        }
    }

    /// The material of each cell.
    pub(super) fn materials_of_cells(&self) -> Vec<u32> {
        match self.material_of_cell.is_empty() {
            true => vec![0; self.mesh.cell_count()],
            false => self.material_of_cell.clone(),
        }
    }
}
