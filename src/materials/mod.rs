//! Hyperelastic laws: from the Green–Lagrange strain `E` to the stored energy `W`, the second
//! Piola–Kirchhoff stress `S = ∂W/∂E` and the tangent `∂S/∂E = 2 ∂S/∂C`.
//!
//! A law sees a three-dimensional strain; plane strain hands in `E_33 = E_23 = E_31 = 0` and asks for the
//! in-plane rows of the tangent only. The strain, not `F` or `C`, is the argument because `C − I` loses
//! its digits at small strain, and with them the energy ledger of a stiff body.

mod blatz_ko;
mod hooke;
mod neo_hooke;

pub use blatz_ko::BlatzKo;
pub use hooke::Hooke;
pub use neo_hooke::NeoHooke;

use crate::linalg::Sym;

/// Which strain a law is fed: the whole Green–Lagrange strain, or its linear part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinematics {
    /// `E = ½(H + Hᵀ + HᵀH)`, forces through `F S`, geometric stiffness.
    Finite,
    /// `ε = ½(H + Hᵀ)`, forces through `S`, no geometric stiffness.
    Small,
}

/// Energy, stress and tangent at one point. `V` is 3 in the plane (rows 11, 22, 12) and 6 in space.
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
pub trait Hyperelastic: Copy + Send + Sync {
    /// Stored energy per reference volume.
    fn energy(&self, strain: &Sym) -> f64;
    /// Second Piola–Kirchhoff stress.
    fn stress(&self, strain: &Sym) -> Sym;
    /// Energy, stress and tangent at once.
    fn response<const V: usize>(&self, strain: &Sym) -> Response<V>;
    /// Lamé's constants `(λ, μ)` at the reference state.
    fn lame(&self) -> (f64, f64);
}

/// The catalogue of laws, as a case names them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Hooke's law in small strain.
    Linear(Hooke),
    /// Hooke's law between `S` and `E`: large rotation, small strain.
    SaintVenantKirchhoff(Hooke),
    /// Blatz–Ko foam.
    BlatzKo(BlatzKo),
    /// Compressible neo-Hooke.
    NeoHooke(NeoHooke),
}

/// Calls `$body` with `$law` bound to the concrete law, so that the point loop is compiled once for each.
#[macro_export]
#[doc(hidden)]
macro_rules! with_law {
    ($material:expr, $law:ident => $body:expr) => {
        match $material {
            $crate::materials::Law::Linear($law) | $crate::materials::Law::SaintVenantKirchhoff($law) => $body,
            $crate::materials::Law::BlatzKo($law) => $body,
            $crate::materials::Law::NeoHooke($law) => $body,
        }
    };
}

impl Law {
    /// The name by which a case file knows the law.
    pub fn name(&self) -> &'static str {
        match self {
            Law::Linear(_) => "linear",
            Law::SaintVenantKirchhoff(_) => "saint_venant_kirchhoff",
            Law::BlatzKo(_) => "blatz_ko",
            Law::NeoHooke(_) => "neo_hooke",
        }
    }

    /// The strain this law is fed.
    pub fn kinematics(&self) -> Kinematics {
        match self {
            Law::Linear(_) => Kinematics::Small,
            Law::SaintVenantKirchhoff(_) | Law::BlatzKo(_) | Law::NeoHooke(_) => Kinematics::Finite,
        }
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
#[derive(Debug, Clone, Copy, PartialEq)]
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
