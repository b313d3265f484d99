//! Deformable bodies and what they are made of.

pub use crate::bodies::Rayleigh;
use crate::case::decode::Located;
use crate::case::mesh::Mesh;
pub use crate::elements::{Formulation, Hourglass, Lumping as MassMatrix};
pub use crate::materials::{FoamTerm, OgdenTerm};
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

/// Constitutive laws.
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// Hooke's law on small strains.
    Linear {
        /// Young's modulus, > 0.
        young: f64,
        /// Poisson's ratio, in (-1, 1/2).
        poisson: f64,
    },
    /// Hooke's law on the Green-Lagrange strain.
    SaintVenantKirchhoff {
        /// Young's modulus, > 0.
        young: f64,
        /// Poisson's ratio, in (-1, 1/2).
        poisson: f64,
    },
    /// Compressible foam rubber.
    BlatzKo {
        /// Shear modulus, > 0.
        shear_modulus: f64,
    },
    /// Compressible neo-Hooke.
    NeoHooke {
        /// Young's modulus of the linear limit, > 0.
        young: f64,
        /// Poisson's ratio of the linear limit, in (-1, 1/2).
        poisson: f64,
    },
    /// Mooney-Rivlin rubber with a decoupled volume.
    MooneyRivlin {
        /// Constant of the first invariant.
        c1: f64,
        /// Constant of the second invariant; c1 + c2 > 0.
        c2: f64,
        /// Bulk modulus, > 0.
        bulk_modulus: f64,
    },
    /// Ogden rubber with a decoupled volume.
    Ogden {
        /// One to eight terms with a positive shear modulus in all.
        terms: Vec<OgdenTerm>,
        /// Bulk modulus, > 0.
        bulk_modulus: f64,
    },
    /// Hill-Storakers foam: one to eight terms with positive shear and bulk modulus in all.
    Hyperfoam(Vec<FoamTerm>),
    /// Metal that yields, with linear isotropic hardening. Explicit scheme only.
    J2 {
        /// Young's modulus, > 0.
        young: f64,
        /// Poisson's ratio, in (-1, 1/2).
        poisson: f64,
        /// Yield stress, > 0.
        yield_stress: f64,
        /// Slope of the yield stress over plastic strain, >= 0. Default 0.
        hardening: f64,
    },
}

impl Law {
    /// The name of the law in a case file.
    pub fn name(&self) -> &'static str {
        match self {
            Law::Linear { .. } => "linear",
            Law::SaintVenantKirchhoff { .. } => "saint_venant_kirchhoff",
            Law::BlatzKo { .. } => "blatz_ko",
            Law::NeoHooke { .. } => "neo_hooke",
            Law::MooneyRivlin { .. } => "mooney_rivlin",
            Law::Ogden { .. } => "ogden",
            Law::Hyperfoam(_) => "hyperfoam",
            Law::J2 { .. } => "j2",
        }
    }
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
