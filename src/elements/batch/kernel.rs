//! One element, or several side by side: from nodal displacements to energy and nodal forces.
//!
//! `H = H_ξ J⁻¹`, `E = ½(H + Hᵀ + HᵀH)`, `(W, S)` from the law, `P = F S`, `f = w P J⁻ᵀ` back through the parent map. With
//! one point, hourglass patterns `h` are held by `f_ai = κ q_i γ_a`, `q_i = Σ γ_a u_ai`, `γ_a = h_a − Σ_k m_k N_a,ξk`, where
//! `m = J⁻¹ Σ_b h_b X_b` is what a pattern sees of the shape (FlanaganBelytschko1981, with its `1/n` in `κ`). `γ` is orthogonal
//! to every linear field of the reference shape, so that no homogeneous motion, however large, feels it, and `κ|q|²/2` is its
//! energy. In the parent element this takes its gradients and no others.

use super::law::PointLaw;
use super::parent::Parent;
use crate::elements::Shape;
use crate::linalg::Real;
use crate::linalg::symmetric::{INDEX, Sym};

/// Geometry of a point: `J⁻¹`, volume and, in axisymmetry, `1/R`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointGeometry<T, const D: usize> {
    pub inverse: [[T; D]; D],
    pub volume: T,
    pub curvature: T,
}

/// Where an element's geometry is read from. (A trait, as a closure would be compiled without vector instructions.)
pub(super) trait Geometry<T, const D: usize> {
    /// The geometry of a point.
    fn point(&self, p: usize) -> PointGeometry<T, D>;
    /// The data of hourglass control, with its viscosity or not.
    fn hourglass(&self, viscous: bool) -> HourglassGeometry<T, D>;
}

/// What hourglass control needs to know of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct HourglassGeometry<T, const D: usize> {
    /// `m` of each pattern.
    pub moments: [[T; D]; 4],
    /// Stiffness `κ`.
    pub stiffness: T,
    /// Viscosity; known where velocities are.
    pub viscosity: T,
}

/// What an element returns.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementState<T, const D: usize, const N: usize> {
    pub force: [[T; D]; N],
    pub energy: T,
    pub dissipated: T,
    /// Energy held by hourglass stiffness.
    pub hourglass: T,
    /// Power taken by hourglass viscosity.
    pub viscous: T,
    /// Positive where a point is inside out.
    pub inverted: T,
}

/// The gradient at a point, filled up to space.
#[inline(always)]
pub(super) fn gradient<T: Real, const D: usize>(parent: &[[T; D]; D], inverse: &[[T; D]; D]) -> [[T; D]; D] {
    let mut out = *parent;
    for i in 0..D {
        for j in 0..D {
            let mut h = parent[i][0] * inverse[0][j];
            for k in 1..D {
                h = parent[i][k].fma(inverse[k][j], h);
            }
            out[i][j] = h;
        }
    }
    out
}

/// Green–Lagrange strain, or its linear part; `hoop` is `u_r/R`.
#[inline(always)]
pub(super) fn strain<T: Real, const D: usize>(h: &[[T; D]; D], hoop: T, small: bool) -> Sym<T> {
    let mut e = [hoop.of(0.0); 6];
    for i in 0..D {
        for j in i..D {
            let mut twice = h[i][j] + h[j][i];
            if !small {
                for k in 0..D {
                    twice = h[k][i].fma(h[k][j], twice);
                }
            }
            e[INDEX[i][j]] = twice * 0.5;
        }
    }
    if D == 2 {
        e[2] = if small { hoop } else { hoop.fma(hoop * 0.5, hoop) };
    }
    e
}

#[inline(always)]
pub(super) fn determinant<T: Real, const D: usize>(h: &[[T; D]; D], hoop: T) -> T {
    let mut f = [[hoop; 3]; 3];
    for i in 0..D {
        for j in 0..D {
            f[i][j] = if i == j { h[i][j] + 1.0 } else { h[i][j] };
        }
    }
    if D == 2 {
        // a point mirrored in the plane and across the axis would have a positive product
        let plane = f[0][0] * f[1][1] - f[0][1] * f[1][0];
        let stretch = hoop + 1.0;
        return stretch.if_positive(plane * stretch, stretch);
    }
    f[0][0] * (f[1][1] * f[2][2] - f[1][2] * f[2][1]) - f[0][1] * (f[1][0] * f[2][2] - f[1][2] * f[2][0])
        + f[0][2] * (f[1][0] * f[2][1] - f[1][1] * f[2][0])
}

/// `u_r/R` at point `p`, zero but in axisymmetry.
#[inline(always)]
pub(super) fn hoop<K: Parent<D, N, P>, T: Real, const D: usize, const N: usize, const P: usize, const RING: bool>(
    u: &[[T; D]; N],
    p: usize,
    curvature: T,
) -> T {
    if !RING {
        return curvature.of(0.0);
    }
    let values = K::Shape::values(&K::POINTS[p].0);
    let mut r = u[0][0] * values[0];
    for a in 1..N {
        r = r + u[a][0] * values[a];
    }
    r * curvature
}

/// Amplitude `q = Σ h_a u_a − H_ξ m` of an hourglass pattern.
#[inline(always)]
fn amplitude<T: Real, const D: usize>(sums: &[T; D], moment: &[T; D], parent: &[[T; D]; D]) -> [T; D] {
    let mut out = *sums;
    for i in 0..D {
        let mut linear = parent[i][0] * moment[0];
        for k in 1..D {
            linear = parent[i][k].fma(moment[k], linear);
        }
        out[i] = sums[i] - linear;
    }
    out
}

/// Force, energies and the new memory of an element at displacements `u` and, for hourglass viscosity, velocities `v`.
#[inline(always)]
pub(super) fn element<K, L, T, const D: usize, const N: usize, const P: usize, const M: usize, const RING: bool>(
    law: &L,
    u: &[[T; D]; N],
    v: Option<&[[T; D]; N]>,
    geometry: &impl Geometry<T, D>,
    memory: &mut [[T; M]; P],
) -> ElementState<T, D, N>
where
    K: Parent<D, N, P>,
    L: PointLaw<M>,
    T: Real,
{
    let zero = u[0][0].of(0.0);
    let parent = K::gradients(u);
    let mut q = [[[zero; D]; D]; P];
    let mut ring = [[zero; N]; P];
    let (mut energy, mut dissipated, mut inverted) = (zero, zero, zero);
    for p in 0..P {
        let g = geometry.point(p);
        let h = gradient(&parent[p], &g.inverse);
        let around = hoop::<K, T, D, N, P, RING>(u, p, g.curvature);
        if !L::SMALL {
            inverted = inverted + determinant(&h, around).if_positive(zero, zero + 1.0);
        }
        let stored = law.stored(&strain(&h, around, L::SMALL), &mut memory[p]);
        energy = g.volume.fma(stored.energy, energy);
        dissipated = g.volume.fma(stored.dissipated, dissipated);
        let mut s = stored.stress;
        for k in 0..6 {
            s[k] = s[k] * g.volume;
        }
        // P = S + H S
        let mut pk1 = h;
        for i in 0..D {
            for j in 0..D {
                let mut sum = s[INDEX[i][j]];
                if !L::SMALL {
                    for k in 0..D {
                        sum = h[i][k].fma(s[INDEX[k][j]], sum);
                    }
                }
                pk1[i][j] = sum;
            }
        }
        for i in 0..D {
            for k in 0..D {
                let mut sum = pk1[i][0] * g.inverse[k][0];
                for j in 1..D {
                    sum = pk1[i][j].fma(g.inverse[k][j], sum);
                }
                q[p][i][k] = sum;
            }
        }
        if RING {
            let pull = if L::SMALL { s[2] } else { around.fma(s[2], s[2]) } * g.curvature;
            let values = K::Shape::values(&K::POINTS[p].0);
            for a in 0..N {
                ring[p][a] = pull * values[a];
            }
        }
    }
    let (mut held, mut viscous) = (zero, zero);
    let mut strength = [[zero; D]; 4];
    if P == 1 && !K::HOURGLASS.is_empty() {
        let hg = geometry.hourglass(v.is_some());
        let sums = K::patterns(u);
        let (mut speeds, mut speed_gradients) = (sums, parent);
        if let Some(v) = v {
            (speeds, speed_gradients) = (K::patterns(v), K::gradients(v));
        }
        unrolled!(m in 0 1 2 3, below K::HOURGLASS.len() => {
            let moment = &hg.moments[m];
            let mode = amplitude(&sums[m], moment, &parent[0]);
            for i in 0..D {
                held = mode[i].fma(mode[i], held);
                strength[m][i] = mode[i] * hg.stiffness;
            }
            if v.is_some() {
                let speed = amplitude(&speeds[m], moment, &speed_gradients[0]);
                for i in 0..D {
                    let drag = speed[i] * hg.viscosity;
                    viscous = drag.fma(speed[i], viscous);
                    strength[m][i] = strength[m][i] + drag;
                }
            }
            // −Σ_k κ q_i m_k N_a,ξk
            for i in 0..D {
                for k in 0..D {
                    q[0][i][k] = q[0][i][k] - strength[m][i] * moment[k];
                }
            }
        });
        held = held * hg.stiffness * 0.5;
    }
    let mut force = K::forces(&q);
    if P == 1 && !K::HOURGLASS.is_empty() {
        K::hold(&strength, &mut force);
    }
    if RING {
        for values in &ring {
            for a in 0..N {
                force[a][0] = force[a][0] + values[a];
            }
        }
    }
    ElementState { force, energy, dissipated, hourglass: held, viscous, inverted }
}
