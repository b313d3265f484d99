//! A chunk of elements, four at a time: gathers, computes, adds to the chunk's own nodal forces.

use std::marker::PhantomData;

use pulp::{Simd, WithSimd};

use super::kernel::{ElementState, Geometry, HourglassGeometry, PointGeometry, element};
use super::law::PointLaw;
use super::layout::{Chunk, Layout};
use super::parent::Parent;
use crate::linalg::Real;
use crate::linalg::lanes::{LANES, Lane, Quad};

/// Sums over the elements of a chunk or group.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sums {
    /// Stored energy, that of hourglass control excepted.
    pub energy: f64,
    /// Energy that the step turned into heat.
    pub dissipated: f64,
    /// Energy held by hourglass stiffness.
    pub hourglass: f64,
    /// Power taken by hourglass viscosity.
    pub viscous: f64,
}

impl Sums {
    /// Adds another sum.
    pub fn add(&mut self, other: &Sums) {
        self.energy += other.energy;
        self.dissipated += other.dissipated;
        self.hourglass += other.hourglass;
        self.viscous += other.viscous;
    }
}

/// What a sweep over the elements is for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// Forces and the new memory of the points.
    Force {
        /// Velocities, where hourglass control resists them.
        v: Option<&'a [f64]>,
    },
    /// Largest `ω²` of the elements, with this much mass per weight at the nodes.
    Frequency {
        /// Mass of a node divided by the sum of the weights of its elements.
        share: &'a [f64],
        /// Steps of the power method.
        steps: usize,
        /// Whether to change the claims of the elements by their `ω²` times this.
        adapt: Option<f64>,
    },
}

pub(super) struct Sweep<'a, K, L, const D: usize, const N: usize, const P: usize, const M: usize, const RING: bool> {
    pub layout: &'a Layout<N>,
    pub chunk: &'a mut Chunk<D, N>,
    pub law: L,
    pub u: &'a [f64],
    pub purpose: Purpose<'a>,
    pub parent: PhantomData<K>,
}

/// Displacement gradient of the small push by which the power method feels the stiffness of an element.
const PUSH: f64 = 1e-6;

impl<K, L, const D: usize, const N: usize, const P: usize, const M: usize, const RING: bool> WithSimd
    for Sweep<'_, K, L, D, N, P, M, RING>
where
    K: Parent<D, N, P>,
    L: PointLaw<M>,
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Sweep { layout, chunk, law, u, purpose, .. } = self;
        let zero = Lane::splat(simd, 0.0);
        let (mut sums, mut inverted, mut fastest) = ([zero; 4], zero, zero);
        let stride = Layout::<N>::stride::<K, D, P, RING>();
        let steps = match purpose {
            Purpose::Force { .. } => {
                chunk.partial.fill([0.0; D]);
                0
            }
            Purpose::Frequency { steps, .. } => steps,
        };
        for batch in 0..chunk.slots.len() / LANES {
            let first = chunk.first + batch * LANES;
            let geometry = &layout.geometry[first / LANES * stride..][..stride];
            let geometry = Stored::<K, S, D, N, P, RING> { simd, numbers: geometry, parent: PhantomData };
            let here = gather(simd, layout, u, first);
            let rates = match purpose {
                Purpose::Force { v: Some(v) } if !K::HOURGLASS.is_empty() => Some(gather(simd, layout, v, first)),
                _ => None,
            };
            let mut push = [[zero; D]; N];
            let mut rest = push;
            let mut mass = [zero; N];
            let mut size = zero;
            for step in 0..=steps {
                let mut at = here;
                if step > 0 {
                    for a in 0..N {
                        for i in 0..D {
                            at[a][i] = at[a][i] + push[a][i];
                        }
                    }
                }
                let mut memory = [[zero; M]; P];
                for p in 0..P {
                    for m in 0..M {
                        memory[p][m] = Lane::load(simd, &chunk.memory[(batch * P + p) * M + m]);
                    }
                }
                let velocities = rates.as_ref();
                let state = element::<K, L, Lane<S>, D, N, P, M, RING>(&law, &at, velocities, &geometry, &mut memory);
                if let Purpose::Force { .. } = purpose {
                    for p in 0..P {
                        for m in 0..M {
                            chunk.next_memory[(batch * P + p) * M + m] = memory[p][m].store();
                        }
                    }
                    let ElementState { energy, dissipated, hourglass, viscous, .. } = state;
                    let parts = [energy, dissipated, hourglass, viscous];
                    for k in 0..4 {
                        sums[k] = sums[k] + parts[k];
                    }
                    inverted = inverted + state.inverted;
                    let mut force = [[[0.0; LANES]; D]; N];
                    for a in 0..N {
                        for i in 0..D {
                            force[a][i] = state.force[a][i].store();
                        }
                    }
                    for lane in 0..LANES {
                        let slots = &chunk.slots[batch * LANES + lane];
                        for a in 0..N {
                            let into = &mut chunk.partial[slots[a] as usize];
                            for i in 0..D {
                                into[i] += force[a][i][lane];
                            }
                        }
                    }
                    continue;
                }
                if step == 0 {
                    rest = state.force;
                    // volume change is the fastest mode of most elements; a little of everything else lets others grow
                    let mut unit = [[[zero; D]; D]; P];
                    let mut volume = zero;
                    for p in 0..P {
                        let g = geometry.point(p);
                        volume = volume + g.volume;
                        for i in 0..D {
                            for k in 0..D {
                                unit[p][i][k] = g.inverse[k][i] * g.volume;
                            }
                        }
                    }
                    let mode = K::forces(&unit);
                    let Purpose::Frequency { share, .. } = purpose else { continue };
                    let weight = Lane::load(simd, &chunk.weights[batch]);
                    let mut shares = [[0.0; LANES]; N];
                    for lane in 0..LANES {
                        for (a, &node) in layout.nodes[first + lane].iter().enumerate() {
                            shares[a][lane] = share[node as usize];
                        }
                    }
                    for a in 0..N {
                        mass[a] = Lane::load(simd, &shares[a]) * weight;
                        for i in 0..D {
                            let ripple = 1.0 + 0.4 * ((7 * a + 3 * i) as f64).sin();
                            push[a][i] = mode[a][i] * ripple;
                            size = mode[a][i].fma(mode[a][i], size);
                        }
                    }
                    // a push of this length strains the element by PUSH: H = Σ u_a ⊗ mode_a / V
                    size = volume * PUSH / size;
                    for a in 0..N {
                        for i in 0..D {
                            push[a][i] = push[a][i] * size;
                        }
                    }
                    size = norm(&push);
                    continue;
                }
                // Rayleigh's quotient, and the next direction
                let (mut work, mut inertia) = (zero, zero);
                let mut next = push;
                for a in 0..N {
                    for i in 0..D {
                        let pull = state.force[a][i] - rest[a][i];
                        work = pull.fma(push[a][i], work);
                        inertia = (mass[a] * push[a][i]).fma(push[a][i], inertia);
                        next[a][i] = pull / mass[a];
                    }
                }
                if step == steps {
                    let squared = work / inertia;
                    fastest = (squared - fastest).if_positive(squared, fastest);
                    if let Purpose::Frequency { adapt: Some(scale), .. } = purpose {
                        // the faster an element, the more of the mass of its nodes it claims
                        let weight = Lane::load(simd, &chunk.weights[batch]);
                        let claim = weight * (squared * scale).sqrt();
                        chunk.weights[batch] = claim.if_positive(claim, weight).store();
                    }
                }
                let scale = size / norm(&next);
                for a in 0..N {
                    for i in 0..D {
                        push[a][i] = next[a][i] * scale;
                    }
                }
            }
        }
        let mut total = [0.0; 5];
        for (k, sum) in [sums[0], sums[1], sums[2], sums[3], inverted].into_iter().enumerate() {
            total[k] = sum.store().iter().sum::<f64>();
        }
        let [energy, dissipated, hourglass, viscous, inverted] = total;
        chunk.sums = Sums { energy, dissipated, hourglass, viscous };
        chunk.inverted = inverted > 0.0;
        chunk.fastest = fastest.store().iter().copied().fold(0.0, f64::max);
    }
}

#[inline(always)]
fn norm<T: Real, const D: usize, const N: usize>(x: &[[T; D]; N]) -> T {
    let mut sum = x[0][0] * x[0][0];
    for a in 0..N {
        for i in 0..D {
            sum = if a + i > 0 { x[a][i].fma(x[a][i], sum) } else { sum };
        }
    }
    sum.sqrt()
}

/// Nodal values of four elements, side by side.
#[inline(always)]
fn gather<S: Simd, const D: usize, const N: usize>(
    simd: S,
    layout: &Layout<N>,
    field: &[f64],
    first: usize,
) -> [[Lane<S>; D]; N] {
    // four numbers at a time, so that they meet in a register and not in memory
    let nodes = &layout.nodes[first..first + LANES];
    let mut out = [[Lane::splat(simd, 0.0); D]; N];
    for a in 0..N {
        let w = &field[nodes[0][a] as usize * D..][..D];
        let x = &field[nodes[1][a] as usize * D..][..D];
        let y = &field[nodes[2][a] as usize * D..][..D];
        let z = &field[nodes[3][a] as usize * D..][..D];
        for i in 0..D {
            out[a][i] = Lane::load(simd, &[w[i], x[i], y[i], z[i]]);
        }
    }
    out
}

/// Geometry of four elements as it is stored.
struct Stored<'a, K, S, const D: usize, const N: usize, const P: usize, const RING: bool> {
    simd: S,
    numbers: &'a [Quad],
    parent: PhantomData<K>,
}

impl<K: Parent<D, N, P>, S: Simd, const D: usize, const N: usize, const P: usize, const RING: bool> Geometry<Lane<S>, D>
    for Stored<'_, K, S, D, N, P, RING>
{
    #[inline(always)]
    fn point(&self, p: usize) -> PointGeometry<Lane<S>, D> {
        let own = &self.numbers[p * Layout::<N>::point::<D, RING>()..];
        let zero = Lane::splat(self.simd, 0.0);
        let mut inverse = [[zero; D]; D];
        for i in 0..D {
            for j in 0..D {
                inverse[i][j] = Lane::load(self.simd, &own[i * D + j]);
            }
        }
        PointGeometry {
            inverse,
            volume: Lane::load(self.simd, &own[D * D]),
            curvature: if RING { Lane::load(self.simd, &own[D * D + 1]) } else { zero },
        }
    }

    #[inline(always)]
    fn hourglass(&self) -> HourglassGeometry<Lane<S>, D> {
        let own = &self.numbers[P * Layout::<N>::point::<D, RING>()..];
        let patterns = K::HOURGLASS.len();
        let mut moments = [[Lane::splat(self.simd, 0.0); D]; 4];
        for m in 0..patterns {
            for j in 0..D {
                moments[m][j] = Lane::load(self.simd, &own[m * D + j]);
            }
        }
        HourglassGeometry {
            moments,
            stiffness: Lane::load(self.simd, &own[patterns * D]),
            viscosity: Lane::load(self.simd, &own[patterns * D + 1]),
        }
    }
}
