//! Plane stress: the thickness strain `E₃₃` follows from `S₃₃ = 0`, and what is left is a law of the in-plane strain with its
//! own energy, stress and tangent `ℂ − ℂ_··33 ℂ_33··/ℂ_3333`.

use super::{Hyperelastic, Response};
use crate::linalg::symmetric::{Sym, pair};

/// Steps before the thickness counts as not found; bisection alone would need about 60.
const STEPS: usize = 100;
/// Bounds of the logarithmic thickness stretch.
const THINNEST: f64 = -30.0;
const THICKEST: f64 = 30.0;

/// A law between two stress-free faces. It looks at the in-plane strain only. Where no thickness frees the faces of stress,
/// the energy is not a number.
#[derive(Debug, Clone, Copy)]
pub struct PlaneStress<L>(pub L);

impl<L: Hyperelastic> PlaneStress<L> {
    /// The whole strain that belongs to an in-plane one.
    #[inline(always)]
    pub fn complete(&self, e: &Sym) -> Sym {
        let plane = [e[0], e[1], 0.0, e[3], 0.0, 0.0];
        let thickness = self.0.thickness_strain(&plane);
        [e[0], e[1], if thickness > -0.5 { thickness } else { f64::NAN }, e[3], 0.0, 0.0]
    }
}

impl<L: Hyperelastic> Hyperelastic for PlaneStress<L> {
    #[inline(always)]
    fn energy(&self, e: &Sym) -> f64 {
        self.0.energy(&self.complete(e))
    }

    #[inline(always)]
    fn stress(&self, e: &Sym) -> Sym {
        let s = self.0.stress(&self.complete(e));
        [s[0], s[1], 0.0, s[3], 0.0, 0.0]
    }

    #[inline(always)]
    fn response<const V: usize>(&self, e: &Sym) -> Response<V> {
        let full = self.0.response::<4>(&self.complete(e));
        let d = &full.tangent;
        // rows 11, 22, 33, 12 of the whole tangent; 33 is condensed
        let row = |p: usize| match pair::<V>(p) {
            (0, 0) => Some(0),
            (1, 1) => Some(1),
            (0, 1) => Some(3),
            _ => None,
        };
        let mut tangent = [[0.0; V]; V];
        for p in 0..V {
            for q in 0..V {
                if let (Some(i), Some(j)) = (row(p), row(q)) {
                    tangent[p][q] = d[i][j] - d[i][2] * d[2][j] / d[2][2];
                }
            }
        }
        let s = full.stress;
        Response { energy: full.energy, stress: [s[0], s[1], 0.0, s[3], 0.0, 0.0], tangent }
    }

    fn lame(&self) -> (f64, f64) {
        self.0.lame()
    }
}

/// `E₃₃` from `S₃₃ = 0` by Newton's method in the logarithmic thickness stretch `l`, kept inside a bracket.
///
/// The start `l = −ν/(1−ν) ln J₂` is exact at small strain, for incompressible laws and for the Blatz–Ko foam.
pub fn solve_thickness<L: Hyperelastic>(law: &L, plane: &Sym) -> f64 {
    let strain = |l: f64| [plane[0], plane[1], 0.5 * (2.0 * l).exp_m1(), plane[3], 0.0, 0.0];
    let (lambda, mu) = law.lame();
    // det(I + 2E) of the in-plane block, less one
    let excess = 2.0 * (plane[0] + plane[1]) + 4.0 * (plane[0] * plane[1] - plane[3] * plane[3]);
    let start = -lambda / (lambda + 2.0 * mu) * 0.5 * excess.ln_1p();
    if !start.is_finite() {
        return f64::NAN;
    }
    let (mut low, mut high) = (THINNEST, THICKEST);
    let mut l = start.clamp(low, high);
    for _ in 0..STEPS {
        let e = strain(l);
        let response = law.response::<4>(&e);
        // S₃₃ and its derivative by l, dE₃₃ = (1 + 2E₃₃) dl
        let (s, slope) = (response.stress[2], response.tangent[2][2] * (1.0 + 2.0 * e[2]));
        if s == 0.0 {
            return e[2];
        }
        // pulled faces make the body too thick, pushed ones too thin
        if s > 0.0 {
            high = l;
        } else if s < 0.0 {
            low = l;
        } else {
            return f64::NAN;
        }
        let newton = l - s / slope;
        let next = if slope > 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let step = next - l;
        l = next;
        // quadratic: the step after one of 1e-9 is below round-off
        if slope > 0.0 && step.abs() <= (1e-9 * l.abs().min(1.0)).max(4.0 * f64::EPSILON) {
            let e = strain(l);
            let polished = law.response::<4>(&e);
            let correction = polished.stress[2] / polished.tangent[2][2];
            return e[2] - if correction.is_finite() { correction } else { 0.0 };
        }
        if high - low <= 4.0 * f64::EPSILON * l.abs() {
            return strain(l)[2];
        }
    }
    f64::NAN
}
