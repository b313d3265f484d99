//! A chunk of elements, four at a time: gathers, computes, adds to the chunk's own nodal forces.

use pulp::{Simd, WithSimd};

use super::kernel::{ElementState, HourglassGeometry, PointGeometry, element};
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
    },
}

pub(super) struct Sweep<'a, K, L, const D: usize, const N: usize, const P: usize, const M: usize, const RING: bool> {
    pub layout: &'a Layout<N>,
    pub chunk: &'a mut Chunk<D, N>,
    pub law: L,
    pub u: &'a [f64],
    pub purpose: Purpose<'a>,
    pub parent: std::marker::PhantomData<K>,
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
        let (stride, points) = (Layout::<N>::stride::<K, D, P, RING>(), Layout::<N>::point::<D, RING>());
        let steps = match purpose {
            Purpose::Force { .. } => {
                chunk.partial.fill([0.0; D]);
                0
            }
            Purpose::Frequency { steps, .. } => steps,
        };
        let gather = |field: &[f64], first: usize| -> [[Lane<S>; D]; N] {
            let mut buffer = [[[0.0; LANES]; D]; N];
            for lane in 0..LANES {
                for (a, &node) in layout.nodes[first + lane].iter().enumerate() {
                    let values = &field[node as usize * D..][..D];
                    for i in 0..D {
                        buffer[a][i][lane] = values[i];
                    }
                }
            }
            buffer.map(|node| node.map(|q| Lane::load(simd, &q)))
        };
        for batch in 0..chunk.slots.len() / LANES {
            let first = chunk.first + batch * LANES;
            let geometry = &layout.geometry[first / LANES * stride..][..stride];
            let load = |k: usize| Lane::load(simd, &geometry[k]);
            let point = |p: usize| PointGeometry {
                inverse: std::array::from_fn(|i| std::array::from_fn(|j| load(p * points + i * D + j))),
                volume: load(p * points + D * D),
                curvature: if RING { load(p * points + D * D + 1) } else { zero },
            };
            let hourglass = || HourglassGeometry {
                moments: std::array::from_fn(|m| {
                    std::array::from_fn(|j| if m < K::HOURGLASS.len() { load(P * points + m * D + j) } else { zero })
                }),
                stiffness: load(P * points + K::HOURGLASS.len() * D),
                viscosity: load(P * points + K::HOURGLASS.len() * D + 1),
            };
            let here = gather(u, first);
            let rates = match purpose {
                Purpose::Force { v: Some(v) } if !K::HOURGLASS.is_empty() => Some(gather(v, first)),
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
                let state = element::<K, L, Lane<S>, D, N, P, M, RING>(
                    &law,
                    &at,
                    rates.as_ref(),
                    point,
                    hourglass,
                    &mut memory,
                );
                if let Purpose::Force { .. } = purpose {
                    for p in 0..P {
                        for m in 0..M {
                            chunk.next_memory[(batch * P + p) * M + m] = memory[p][m].store();
                        }
                    }
                    let ElementState { energy, dissipated, hourglass, viscous, .. } = state;
                    for (sum, part) in sums.iter_mut().zip([energy, dissipated, hourglass, viscous]) {
                        *sum = *sum + part;
                    }
                    inverted = inverted + state.inverted;
                    let force: [[Quad; D]; N] = state.force.map(|f| f.map(Lane::store));
                    for lane in 0..LANES {
                        for (a, &slot) in chunk.slots[batch * LANES + lane].iter().enumerate() {
                            let into = &mut chunk.partial[slot as usize];
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
                    let unit: [[[Lane<S>; D]; D]; P] = std::array::from_fn(|p| point(p).inverse_transposed());
                    let mode = K::forces(&unit);
                    let Purpose::Frequency { share, .. } = purpose else { continue };
                    let weight = Lane::load(simd, &layout.weights[first / LANES]);
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
                    let mut volume = point(0).volume;
                    for p in 1..P {
                        volume = volume + point(p).volume;
                    }
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
                }
                let scale = size / norm(&next);
                for a in 0..N {
                    for i in 0..D {
                        push[a][i] = next[a][i] * scale;
                    }
                }
            }
        }
        let total = |x: Lane<S>| x.store().iter().sum::<f64>();
        let [energy, dissipated, hourglass, viscous] = sums.map(total);
        chunk.sums = Sums { energy, dissipated, hourglass, viscous };
        chunk.inverted = total(inverted) > 0.0;
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

impl<T: Real, const D: usize> PointGeometry<T, D> {
    /// `J⁻ᵀ` times the volume: parent stresses of a unit pressure.
    #[inline(always)]
    fn inverse_transposed(&self) -> [[T; D]; D] {
        std::array::from_fn(|i| std::array::from_fn(|k| self.inverse[k][i] * self.volume))
    }
}
