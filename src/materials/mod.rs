//! Hyperelastic laws: from the Green–Lagrange strain `E` to the stored energy `W`, the second
//! Piola–Kirchhoff stress `S = ∂W/∂E` and the tangent `∂S/∂E = 2 ∂S/∂C`.
//!
//! A law sees a three-dimensional strain; plane strain hands in `E_33 = E_23 = E_31 = 0` and asks for the
//! in-plane rows of the tangent only. The strain, not `F` or `C`, is the argument because `C − I` loses
//! its digits at small strain, and with them the energy ledger of a stiff body.

mod blatz_ko;
pub mod constants;
mod hooke;
mod hyperfoam;
mod j2;
mod mooney_rivlin;
mod neo_hooke;
mod ogden;
mod plane_stress;
mod spectral;
pub mod volumetric;
mod yeoh;

pub use blatz_ko::BlatzKo;
pub use constants::{Allowed, Constant, FromConstants, Given};
pub use hooke::Hooke;
pub use hyperfoam::{FoamTerm, Hyperfoam};
pub use j2::J2;
pub use mooney_rivlin::MooneyRivlin;
pub use neo_hooke::NeoHooke;
pub use ogden::{Ogden, OgdenTerm};
pub use plane_stress::PlaneStress;
pub use volumetric::Volumetric;
pub use yeoh::Yeoh;

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

/// The catalogue of laws, a line each: its name in Rust and in a case file, its type, the strain that it is fed (`finite` or
/// `small`), whether it has a volumetric part of its own, which mean dilatation needs (`parted` or `whole`), and how explicit steps
/// take it: side by side in vectors (`lanes`), point by point (`points`), or with a memory at each point (`memory`).
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_law {
    ([$($callback:tt)*] $($given:tt)*) => {
        $($callback)*! { { $($given)* }
            "Hooke's law in small strain." Linear "linear" Hooke small parted lanes;
            "Hooke's law between `S` and `E`: large rotation, small strain."
                SaintVenantKirchhoff "saint_venant_kirchhoff" Hooke finite whole lanes;
            "Blatz–Ko foam." BlatzKo "blatz_ko" BlatzKo finite whole lanes;
            "Compressible neo-Hooke." NeoHooke "neo_hooke" NeoHooke finite parted lanes;
            "Mooney–Rivlin rubber." MooneyRivlin "mooney_rivlin" MooneyRivlin finite parted lanes;
            "Yeoh rubber." Yeoh "yeoh" Yeoh finite parted lanes;
            "Ogden rubber." Ogden "ogden" Ogden finite parted points;
            "Hill–Storåkers foam." Hyperfoam "hyperfoam" Hyperfoam finite whole points;
            "Metal with a yield stress. Its memory belongs to explicit steps; all else sees it before its first yield."
                J2 "j2" J2 finite whole memory;
        }
    };
}

macro_rules! catalogue {
    ({} $($doc:literal $law:ident $name:literal $type:ident $strain:ident $volume:ident $batch:ident;)*) => {
        /// The catalogue of laws, as a case names them.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Law { $(#[doc = $doc] $law($type)),* }

        impl Law {
            /// All names by which a case file knows a law.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The name by which a case file knows the law.
            pub fn name(&self) -> &'static str {
                match self { $(Law::$law(_) => $name),* }
            }

            /// The keys of the law with a name.
            pub fn constants(name: &str) -> &'static [Constant] {
                match name { $($name => <$type>::CONSTANTS,)* _ => &[] }
            }

            /// The law with a name, of the values of its keys.
            ///
            /// # Errors
            /// Why they make no law.
            pub fn made(name: &str, given: &Given) -> Result<Law, String> {
                match name {
                    $($name => <$type>::from_constants(given).map(Law::$law),)*
                    _ => Err(format!("there is no law `{name}`")),
                }
            }

            /// The strain this law is fed.
            pub fn kinematics(&self) -> Kinematics {
                match self { $(Law::$law(_) => catalogue!(@strain $strain)),* }
            }

            /// Whether the law has a volumetric part of its own, which mean dilatation needs.
            pub fn has_volumetric_part(&self) -> bool {
                match self { $(Law::$law(_) => catalogue!(@parted $volume)),* }
            }

            /// Whether a point remembers what happened to it.
            pub fn has_memory(&self) -> bool {
                match self { $(Law::$law(_) => catalogue!(@memory $batch)),* }
            }
        }
    };
    (@strain small) => { Kinematics::Small };
    (@strain finite) => { Kinematics::Finite };
    (@parted parted) => { true };
    (@parted whole) => { false };
    (@memory memory) => { true };
    (@memory $other:ident) => { false };
}
for_each_law!([catalogue]);

/// Calls `$body` with `$law` bound to the concrete law, so that the point loop is compiled once for each. With a second
/// name, that is a constant which says whether the law is fed the small strain.
#[macro_export]
#[doc(hidden)]
macro_rules! with_law {
    ($material:expr, $law:ident => $body:expr) => {
        $crate::with_law!($material, $law, _SMALL => $body)
    };
    ($material:expr, $law:ident, $small:ident => $body:expr) => {
        $crate::for_each_law!([$crate::with_each_law] $material, $law, $small, $body)
    };
}

/// The arms of [`with_law!`].
#[macro_export]
#[doc(hidden)]
macro_rules! with_each_law {
    ({ $material:expr, $law:ident, $small:ident, $body:expr }
        $($doc:literal $variant:ident $name:literal $type:ident $strain:ident $volume:ident $batch:ident;)*) => {
        match $material {
            $($crate::materials::Law::$variant($law) => {
                const $small: bool = $crate::with_each_law!(@small $strain);
                $body
            })*
        }
    };
    (@small small) => { true };
    (@small finite) => { false };
}

impl Law {
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
