//! Mean dilatation (Q1P0): the volumetric part of a law at the mean change of volume of the element (SimoTaylorPister1985).
//!
//! `U_e = ∫W' dV + V U(θ̄)`, `θ̄ = (1/V)∫θ dV`, with `W'` the law without its volumetric part. It has a potential, so forces stay
//! conservative and the energy ledger exact:
//!
//! - force: that of the law `W' + p̄θ` with the common pressure `p̄ = U'(θ̄)`;
//! - tangent: that of the same law at fixed `p̄`, and `U''(θ̄)/V g gᵀ`, `g = ∂(Vθ̄)/∂u = ∫B_Lᵀ ∂θ/∂E dV`;
//! - discrete gradient: Gonzalez' correction with all points of the element taken as one strain, so that `Δu·f̄ = ΔU_e` and the
//!   stress at each point stays symmetric (no moment).
//!
//! With the small strain, `θ = tr ε`, this is the B-bar element (Hughes1980).

use super::Shape;
use super::assembly::{Blocks, Scatter, Vectors, add_point};
use super::error::ElementError;
use super::kinematics::Gradient;
use super::recovery::{PointStress, push_forward};
use super::section::Faces;
use super::total_lagrangian::{Elements, ForceRule};
use crate::linalg::Sym;
use crate::linalg::symmetric::{INDEX, dot, pair};
use crate::materials::volumetric::{Pressurised, Volumetric, dilatation, dilatation_gradient};
use crate::materials::{Hyperelastic, Law};
use crate::{for_each_law, with_each_law};

/// Most integration points of an element.
const POINTS: usize = 8;

/// Calls `$body` with the parts of a law that has a volumetric one, and `$otherwise` for the others.
macro_rules! with_parts {
    ({ @all $material:expr, $rest:ident, $volumetric:ident, $small:ident, $body:expr, $otherwise:expr }
        $($doc:literal $law:ident $name:literal $type:ident $strain:ident $volume:ident $batch:ident;)*) => {
        match $material {
            $(Law::$law(_law) => {
                with_parts!(@ $volume, _law, $strain, $rest, $volumetric, $small => $body, $otherwise)
            })*
        }
    };
    (@ parted, $law:ident, $strain:ident, $rest:ident, $volumetric:ident, $small:ident => $body:expr, $_:expr) => {{
        const $small: bool = with_each_law!(@small $strain);
        let ($rest, $volumetric) = $law.split();
        $body
    }};
    (@ whole, $law:ident, $strain:ident, $rest:ident, $volumetric:ident, $small:ident => $body:expr, $otherwise:expr) => {
        $otherwise
    };
    ($law:expr, $rest:ident, $volumetric:ident, $small:ident => $body:expr, $otherwise:expr) => {
        for_each_law!([with_parts] @all $law, $rest, $volumetric, $small, $body, $otherwise)
    };
}

/// The strains of an element's points, and what follows from them.
struct Strains {
    at: [Sym; POINTS],
    /// Mean dilatation.
    mean: f64,
}

impl<S: Shape<D, N>, F: Faces, const D: usize, const V: usize, const N: usize> Elements<S, F, D, V, N> {
    fn volume(&self, e: usize) -> f64 {
        let points = S::RULE.len();
        self.volumes[e * points..(e + 1) * points].iter().sum()
    }

    fn strains<const SMALL: bool>(&self, e: usize, strain: impl Fn(usize) -> Sym) -> Strains {
        let points = S::RULE.len();
        let (mut at, mut sum) = ([[0.0; 6]; POINTS], 0.0);
        for p in 0..points {
            at[p] = strain(p);
            sum += self.volumes[e * points + p] * dilatation::<SMALL>(&at[p]);
        }
        Strains { at, mean: sum / self.volume(e) }
    }

    /// Energy of an element.
    fn stored<L: Hyperelastic>(&self, law: &L, volumetric: &Volumetric, e: usize, strains: &Strains) -> f64 {
        let points = S::RULE.len();
        let rest: f64 = (0..points).map(|p| self.volumes[e * points + p] * law.energy(&strains.at[p])).sum();
        rest + self.volume(e) * volumetric.energy(strains.mean)
    }

    /// See [`Elements::internal`].
    pub(super) fn mean_dilatation_internal(
        &self,
        rule: ForceRule,
        u0: &[f64],
        u1: &[f64],
        force: &mut [f64],
        tangent: Option<(&Scatter, f64, &mut [f64])>,
    ) -> Result<f64, ElementError> {
        let wanted = tangent.is_some();
        with_parts!(&self.material.law, law, volumetric, SMALL => {
            self.assemble(force, tangent, |e, k| {
                self.mixed_element::<_, SMALL>(&law, &volumetric, rule, e, u0, u1, wanted.then_some(k))
            })
        }, Ok(0.0))
    }

    #[allow(clippy::too_many_arguments)] // two parts of a law and two ends of a step
    fn mixed_element<L: Hyperelastic, const SMALL: bool>(
        &self,
        law: &L,
        volumetric: &Volumetric,
        rule: ForceRule,
        e: usize,
        u0: &[f64],
        u1: &[f64],
        tangent: Option<&mut Blocks<D, N>>,
    ) -> Result<(f64, Vectors<D, N>), ElementError> {
        let points = S::RULE.len();
        let [start, u, end] = self.states(rule, e, u0, u1);
        let gradient = |p: usize, u: &Vectors<D, N>| Gradient::new::<V, N>(self.point(e, p), u);
        if !SMALL {
            for p in 0..points {
                self.check(rule, e, p, &gradient(p, &u), &end)?;
            }
        }
        let mut strains = self.strains::<SMALL>(e, |p| gradient(p, &u).strain::<V, SMALL>());
        let mut energy = self.stored(law, volumetric, e, &strains);
        let discrete = rule == ForceRule::DiscreteGradient;
        // change of strain over the step, and Gonzalez' factor on it
        let (mut change, mut correction) = ([[0.0; 6]; POINTS], 0.0);
        if discrete {
            let first = self.strains::<SMALL>(e, |p| gradient(p, &start).strain::<V, SMALL>());
            let rise = energy - self.stored(law, volumetric, e, &first);
            let last = strains.at;
            strains = self.strains::<SMALL>(e, |p| std::array::from_fn(|q| 0.5 * (first.at[p][q] + last[p][q])));
            let middle = Pressurised::<_, SMALL> { law, pressure: volumetric.pressure(strains.mean) };
            let (mut work, mut norm) = (0.0, 0.0);
            for p in 0..points {
                change[p] = std::array::from_fn(|q| last[p][q] - first.at[p][q]);
                let volume = self.volumes[e * points + p];
                work += volume * dot(&middle.stress(&strains.at[p]), &change[p]);
                norm += volume * dot(&change[p], &change[p]);
            }
            // below this the difference quotient is round-off
            correction = if 4.0 * norm < 1e-24 * self.volume(e) { 0.0 } else { (rise - work) / norm };
            energy = self.stored(law, volumetric, e, &strains);
        }
        let pressurised = Pressurised::<_, SMALL> { law, pressure: volumetric.pressure(strains.mean) };
        let mut f = [[0.0; D]; N];
        let mut g = [[0.0; D]; N];
        let mut unused = [[[[0.0; D]; D]; N]; N];
        let wanted = tangent.is_some();
        let k = tangent.unwrap_or(&mut unused);
        for p in 0..points {
            let at = self.point(e, p);
            let volume = self.volumes[e * points + p];
            let h = if discrete { gradient(p, &start).mean(&gradient(p, &u)) } else { gradient(p, &u) };
            let mut response = pressurised.response::<V>(&strains.at[p]);
            for q in 0..6 {
                response.stress[q] += correction * change[p][q];
            }
            if wanted {
                add_point::<D, V, N, SMALL, true>(at, &h, volume, &response, &mut f, k);
                let slope = dilatation_gradient::<SMALL>(&strains.at[p]);
                let b = h.strain_displacement::<V, N, SMALL>(at);
                for a in 0..N {
                    for q in 0..V {
                        let (row, column) = pair::<V>(q);
                        for i in 0..D {
                            g[a][i] += volume * b[a][q][i] * slope[INDEX[row][column]];
                        }
                    }
                }
            } else {
                add_point::<D, V, N, SMALL, false>(at, &h, volume, &response, &mut f, k);
            }
        }
        if wanted {
            let stiffness = volumetric.stiffness(strains.mean) / self.volume(e);
            for c in 0..N {
                for a in 0..=c {
                    for i in 0..D {
                        for j in 0..D {
                            k[a][c][i][j] += stiffness * g[a][i] * g[c][j];
                        }
                    }
                }
            }
        }
        Ok((energy, f))
    }

    /// See [`Elements::energy`].
    pub(super) fn mean_dilatation_energy(&self, u: &[f64]) -> f64 {
        with_parts!(&self.material.law, law, volumetric, SMALL => {
            let element = |e: usize| {
                let local = self.gather(e, u);
                let strain = |p| Gradient::new::<V, N>(self.point(e, p), &local).strain::<V, SMALL>();
                self.stored(&law, &volumetric, e, &self.strains::<SMALL>(e, strain))
            };
            (0..self.nodes.len()).map(element).sum()
        }, 0.0)
    }

    /// See [`Elements::stresses`].
    pub(super) fn mean_dilatation_stresses(&self, u: &[f64], mut visit: impl FnMut(usize, &[u32], &[PointStress])) {
        let points = S::RULE.len();
        let mut values = [PointStress::default(); POINTS];
        with_parts!(&self.material.law, law, volumetric, SMALL => for e in 0..self.nodes.len() {
            let local = self.gather(e, u);
            let gradient = |p: usize| Gradient::new::<V, N>(self.point(e, p), &local);
            let strains = self.strains::<SMALL>(e, |p| gradient(p).strain::<V, SMALL>());
            let pressurised = Pressurised::<_, SMALL> { law: &law, pressure: volumetric.pressure(strains.mean) };
            for (p, value) in values[..points].iter_mut().enumerate() {
                let h = gradient(p);
                let pk2 = pressurised.stress(&strains.at[p]);
                *value = PointStress {
                    pk2,
                    cauchy: if SMALL { pk2 } else { push_forward(&h, 1.0 + h.hoop, &pk2) },
                    energy: law.energy(&strains.at[p]) + volumetric.energy(strains.mean),
                    volume: self.volumes[e * points + p],
                };
            }
            visit(e, &self.nodes[e], &values[..points]);
        }, ());
    }
}
