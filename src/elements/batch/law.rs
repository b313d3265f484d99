//! Laws as a batch sees them: with or without a memory at each point.

use crate::elements::section::Faces;
use crate::linalg::{Real, Sym};
use crate::materials::{Hyperelastic, J2, Law};
use crate::with_law;

/// Energy and stress at a point.
#[derive(Debug, Clone, Copy)]
pub struct Stored<T> {
    /// Stored energy per reference volume.
    pub energy: T,
    /// Energy per reference volume that the step turned into heat.
    pub dissipated: T,
    /// Second Piola–Kirchhoff stress.
    pub stress: Sym<T>,
}

/// A law with `M` numbers of memory at each point.
pub trait PointLaw<const M: usize>: Copy + Send + Sync {
    /// Whether it is fed the small strain.
    const SMALL: bool;
    /// Memory of a point that has not been strained.
    const VIRGIN: [f64; M];
    /// From the strain at the end of a step and the memory at its start; `memory` becomes that of its end.
    fn stored<T: Real>(&self, strain: &Sym<T>, memory: &mut [T; M]) -> Stored<T>;
}

/// An elastic law.
#[derive(Debug, Clone, Copy)]
pub struct Elastic<L, const SMALL: bool>(pub L);

impl<L: Hyperelastic + Copy, const SMALL: bool> PointLaw<0> for Elastic<L, SMALL> {
    const SMALL: bool = SMALL;
    const VIRGIN: [f64; 0] = [];

    #[inline(always)]
    fn stored<T: Real>(&self, strain: &Sym<T>, _: &mut [T; 0]) -> Stored<T> {
        let (energy, stress) = self.0.stored(strain);
        Stored { energy, dissipated: energy.of(0.0), stress }
    }
}

/// Any elastic law, point by point: for combinations that are rare enough not to have a kernel of their own.
#[derive(Debug, Clone, Copy)]
pub struct Pointwise<'a, const SMALL: bool> {
    /// The law.
    pub law: &'a Law,
    /// Energy and stress of a strain.
    pub stored: fn(&Law, &Sym) -> (f64, Sym),
}

impl<const SMALL: bool> PointLaw<0> for Pointwise<'_, SMALL> {
    const SMALL: bool = SMALL;
    const VIRGIN: [f64; 0] = [];

    #[inline(always)]
    fn stored<T: Real>(&self, strain: &Sym<T>, _: &mut [T; 0]) -> Stored<T> {
        let (energy, stress) = T::each(strain, |e| (self.stored)(self.law, e));
        Stored { energy, dissipated: energy.of(0.0), stress }
    }
}

/// Energy and stress of one point, with or without free faces.
#[inline(never)]
pub fn stored_at_point<F: Faces>(law: &Law, e: &Sym) -> (f64, Sym) {
    with_law!(law, law => F::wrap(law).stored(e))
}

impl PointLaw<7> for J2 {
    const SMALL: bool = false;
    const VIRGIN: [f64; 7] = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];

    #[inline(always)]
    fn stored<T: Real>(&self, strain: &Sym<T>, memory: &mut [T; 7]) -> Stored<T> {
        let (energy, dissipated, stress) = self.flow(strain, memory);
        Stored { energy, dissipated, stress }
    }
}
