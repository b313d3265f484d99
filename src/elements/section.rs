//! What a plane mesh stands for, and how an element takes the change of volume.

use crate::materials::{Hyperelastic, PlaneStress};

/// What a mesh stands for in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Section {
    /// A slice of a long body: no strain across. Holds the thickness.
    PlaneStrain(f64),
    /// A sheet with free faces: no stress across. Holds the thickness.
    PlaneStress(f64),
    /// A body of revolution, `r = x`, `z = y`, all of it: integrals carry `2πR`.
    Axisymmetric,
    /// Three dimensions.
    Solid,
}

impl Section {
    /// Space dimensions.
    pub fn dim(self) -> usize {
        if self == Section::Solid { 3 } else { 2 }
    }

    /// The thickness; 1 where there is none.
    pub fn thickness(self) -> f64 {
        match self {
            Section::PlaneStrain(thickness) | Section::PlaneStress(thickness) => thickness,
            Section::Axisymmetric | Section::Solid => 1.0,
        }
    }

    /// What an area (in space: a volume) at radius `r` is multiplied with.
    pub fn measure(self, r: f64) -> f64 {
        match self {
            Section::PlaneStrain(thickness) | Section::PlaneStress(thickness) => thickness,
            Section::Axisymmetric => std::f64::consts::TAU * r,
            Section::Solid => 1.0,
        }
    }
}

/// How an element takes the change of volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulation {
    /// At each integration point. Locks as the law becomes incompressible.
    #[default]
    Standard,
    /// The volumetric part of the law at the mean of the element (Q1P0; B-bar for the linear law).
    MeanDilatation,
    /// One point at the centre of quads and hexes, with hourglass control. Explicit scheme only.
    Reduced,
}

/// How a section sees a law, at compile time: as it is, or condensed to free faces.
pub trait Faces: Send + Sync + 'static {
    /// The law the elements use.
    type Law<'a, L: Hyperelastic + 'a>: Hyperelastic;
    /// Whether the thickness is free.
    const FREE: bool;
    /// Wraps a law.
    fn wrap<L: Hyperelastic>(law: &L) -> Self::Law<'_, L>;
    /// The strain across for an in-plane strain, if the faces are free.
    fn thickness_strain<L: Hyperelastic>(law: &L, strain: &crate::linalg::Sym) -> f64;
}

/// The strain across is given (plane strain, axisymmetry, space).
#[derive(Debug)]
pub struct Held;

/// The stress across vanishes.
#[derive(Debug)]
pub struct Free;

impl Faces for Held {
    type Law<'a, L: Hyperelastic + 'a> = &'a L;
    const FREE: bool = false;

    #[inline(always)]
    fn wrap<L: Hyperelastic>(law: &L) -> &L {
        law
    }

    fn thickness_strain<L: Hyperelastic>(_: &L, strain: &crate::linalg::Sym) -> f64 {
        strain[2]
    }
}

impl Faces for Free {
    type Law<'a, L: Hyperelastic + 'a> = PlaneStress<&'a L>;
    const FREE: bool = true;

    #[inline(always)]
    fn wrap<L: Hyperelastic>(law: &L) -> PlaneStress<&L> {
        PlaneStress(law)
    }

    fn thickness_strain<L: Hyperelastic>(law: &L, strain: &crate::linalg::Sym) -> f64 {
        PlaneStress(law).complete(strain)[2]
    }
}
