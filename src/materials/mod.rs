//! Hyperelastic laws: from the Green–Lagrange strain `E` to the stored energy `W`, the second
//! Piola–Kirchhoff stress `S = ∂W/∂E` and the tangent `∂S/∂E = 2 ∂S/∂C`.
//!
//! A law sees a three-dimensional strain; plane strain hands in `E_33 = E_23 = E_31 = 0` and asks for the
//! in-plane rows of the tangent only. The strain, not `F` or `C`, is the argument because `C − I` loses
//! its digits at small strain, and with them the energy ledger of a stiff body.

mod blatz_ko;
mod hooke;
mod hyperfoam;
mod j2;
mod mooney_rivlin;
mod neo_hooke;
mod ogden;
mod plane_stress;
mod spectral;
pub mod volumetric;

pub use blatz_ko::BlatzKo;
pub use hooke::Hooke;
pub use hyperfoam::{FoamTerm, Hyperfoam};
pub use j2::J2;
pub use mooney_rivlin::MooneyRivlin;
pub use neo_hooke::NeoHooke;
pub use ogden::{Ogden, OgdenTerm};
pub use plane_stress::PlaneStress;
pub use volumetric::Volumetric;

use crate::linalg::{Real, Sym};

/// Which strain a law is fed: the whole Green–Lagrange strain, or its linear part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinematics {
    /// `E = ½(H + Hᵀ + HᵀH)`, forces through `F S`, geometric stiffness.
    Finite,
    /// `ε = ½(H + Hᵀ)`, forces through `S`, no geometric stiffness.
    Small,
}

/// Energy, stress and tangent at one point. `V` is 3 in the plane (rows 11, 22, 12), 4 with the hoop direction (11, 22, 33,
/// 12) and 6 in space.
#[derive(Debug, Clone, Copy)]
pub struct Response<const V: usize> {
    /// Stored energy per reference volume.
    pub energy: f64,
    /// Second Piola–Kirchhoff stress, all six components.
    pub stress: Sym,
    /// `∂S/∂E` as a matrix acting on strains that carry `2E_ij`.
    pub tangent: [[f64; V]; V],
}

/// What every law provides. The strain belongs to a deformation with `det F > 0`; the kernel sees to that.
pub trait Hyperelastic: Send + Sync {
    /// Stored energy per reference volume.
    fn energy(&self, strain: &Sym) -> f64;
    /// Second Piola–Kirchhoff stress.
    fn stress(&self, strain: &Sym) -> Sym;
    /// Stored energy and stress at once, at one point or at several side by side. Laws that exist for one point only are
    /// applied to each.
    #[inline(always)]
    fn stored<T: Real>(&self, strain: &Sym<T>) -> (T, Sym<T>) {
        T::each(strain, |e| (self.energy(e), self.stress(e)))
    }
    /// Energy, stress and tangent at once.
    fn response<const V: usize>(&self, strain: &Sym) -> Response<V>;
    /// Lamé's constants `(λ, μ)` at the reference state.
    fn lame(&self) -> (f64, f64);
    /// `E₃₃` that makes `S₃₃` vanish for an in-plane strain; not a number where there is none.
    fn thickness_strain(&self, plane: &Sym) -> f64
    where
        Self: Sized,
    {
        plane_stress::solve_thickness(self, plane)
    }
}

impl<L: Hyperelastic> Hyperelastic for &L {
    #[inline(always)]
    fn energy(&self, strain: &Sym) -> f64 {
        (**self).energy(strain)
    }

    #[inline(always)]
    fn stress(&self, strain: &Sym) -> Sym {
        (**self).stress(strain)
    }

    #[inline(always)]
    fn response<const V: usize>(&self, strain: &Sym) -> Response<V> {
        (**self).response(strain)
    }

    fn lame(&self) -> (f64, f64) {
        (**self).lame()
    }

    #[inline(always)]
    fn thickness_strain(&self, plane: &Sym) -> f64 {
        (**self).thickness_strain(plane)
    }
}

/// The catalogue of laws, as a case names them.
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// Hooke's law in small strain.
    Linear(Hooke),
    /// Hooke's law between `S` and `E`: large rotation, small strain.
    SaintVenantKirchhoff(Hooke),
    /// Blatz–Ko foam.
    BlatzKo(BlatzKo),
    /// Compressible neo-Hooke.
    NeoHooke(NeoHooke),
    /// Mooney–Rivlin rubber.
    MooneyRivlin(MooneyRivlin),
    /// Ogden rubber.
    Ogden(Ogden),
    /// Hill–Storåkers foam.
    Hyperfoam(Hyperfoam),
    /// Metal with a yield stress. Its memory belongs to explicit steps; everything else sees it before its first yield.
    J2(J2),
}

/// Calls `$body` with `$law` bound to the concrete law, so that the point loop is compiled once for each. With a second
/// name, that is a constant which says whether the law is fed the small strain.
#[macro_export]
#[doc(hidden)]
macro_rules! with_law {
    ($material:expr, $law:ident => $body:expr) => {
        $crate::with_law!($material, $law, _SMALL => $body)
    };
    ($material:expr, $law:ident, $small:ident => $body:expr) => {
        match $material {
            $crate::materials::Law::Linear($law) => {
                const $small: bool = true;
                $body
            }
            $crate::materials::Law::SaintVenantKirchhoff($law) => $crate::with_law!(@finite $law, $small => $body),
            $crate::materials::Law::BlatzKo($law) => $crate::with_law!(@finite $law, $small => $body),
            $crate::materials::Law::NeoHooke($law) => $crate::with_law!(@finite $law, $small => $body),
            $crate::materials::Law::MooneyRivlin($law) => $crate::with_law!(@finite $law, $small => $body),
            $crate::materials::Law::Ogden($law) => $crate::with_law!(@finite $law, $small => $body),
            $crate::materials::Law::Hyperfoam($law) => $crate::with_law!(@finite $law, $small => $body),
            $crate::materials::Law::J2($law) => $crate::with_law!(@finite $law, $small => $body),
        }
    };
    (@finite $law:ident, $small:ident => $body:expr) => {{
        const $small: bool = false;
        $body
    }};
}

impl Law {
    /// Whether a point remembers what happened to it.
    pub fn has_memory(&self) -> bool {
        matches!(self, Law::J2(_))
    }

    /// The name by which a case file knows the law.
    pub fn name(&self) -> &'static str {
        match self {
            Law::Linear(_) => "linear",
            Law::SaintVenantKirchhoff(_) => "saint_venant_kirchhoff",
            Law::BlatzKo(_) => "blatz_ko",
            Law::NeoHooke(_) => "neo_hooke",
            Law::MooneyRivlin(_) => "mooney_rivlin",
            Law::Ogden(_) => "ogden",
            Law::Hyperfoam(_) => "hyperfoam",
            Law::J2(_) => "j2",
        }
    }

    /// The strain this law is fed.
    pub fn kinematics(&self) -> Kinematics {
        match self {
            Law::Linear(_) => Kinematics::Small,
            _ => Kinematics::Finite,
        }
    }

    /// Whether the law has a volumetric part of its own, which mean dilatation needs.
    pub fn has_volumetric_part(&self) -> bool {
        matches!(self, Law::Linear(_) | Law::NeoHooke(_) | Law::MooneyRivlin(_) | Law::Ogden(_))
    }

    /// Lamé's constants `(λ, μ)` at the reference state.
    pub fn lame(&self) -> (f64, f64) {
        with_law!(self, law => law.lame())
    }

    /// Poisson's ratio at the reference state.
    pub fn poisson(&self) -> f64 {
        let (lambda, mu) = self.lame();
        lambda / (2.0 * (lambda + mu))
    }
}

/// A law with a mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Reference density.
    pub density: f64,
    /// Constitutive law.
    pub law: Law,
}

impl Material {
    /// Speed of pressure waves at the reference state, `√((λ+2μ)/ρ)`.
    pub fn wave_speed(&self) -> f64 {
        let (lambda, mu) = self.law.lame();
        ((lambda + 2.0 * mu) / self.density).sqrt()
    }
}
