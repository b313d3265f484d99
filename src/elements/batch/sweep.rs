//! A chunk of elements, four at a time: gathers, computes, adds to the chunk's own nodal forces.

use std::marker::PhantomData;

use pulp::{Simd, WithSimd};

use super::kernel::{Geometry, HourglassGeometry, PointGeometry, element};
use super::law::PointLaw;
use super::layout::{Chunk, Layout};
use super::parent::Parent;
use crate::linalg::Real;
use crate::linalg::lanes::{LANES, Lane, Quad, bring_near};

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
    pub chunk: &'a mut Chunk<N>,
    /// Forces on the chunk's nodes.
    pub partial: &'a mut [[f64; D]],
    pub scratch: &'a mut Scratch,
    pub law: L,
    pub u: &'a [f64],
    pub purpose: Purpose<'a>,
    pub parent: PhantomData<K>,
}

/// What a thread needs for one chunk, in rows of four numbers a node: small enough for the first caches.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    places: Vec<Quad>,
    speeds: Vec<Quad>,
    forces: Vec<Quad>,
}

/// Displacement gradient of the small push by which the power method feels the stiffness of an element.
const PUSH: f64 = 1e-6;

/// Relative growth of `ω²` in a step of the power method below which it has come to its end.
const SETTLED: f64 = 1e-3;

impl<K, L, const D: usize, const N: usize, const P: usize, const M: usize, const RING: bool> WithSimd
    for Sweep<'_, K, L, D, N, P, M, RING>
where
    K: Parent<D, N, P>,
    L: PointLaw<M>,
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.purpose {
            Purpose::Force { v } => self.forces(simd, v.filter(|_| !K::HOURGLASS.is_empty())),
            Purpose::Frequency { share, steps, adapt } => self.frequencies(simd, share, steps, adapt),
        }
    }
}

impl<K, L, const D: usize, const N: usize, const P: usize, const M: usize, const RING: bool>
    Sweep<'_, K, L, D, N, P, M, RING>
where
    K: Parent<D, N, P>,
    L: PointLaw<M>,
{
    #[inline(always)]
    fn geometry<S: Simd>(simd: S, layout: &Layout<N>, batch: usize) -> Stored<'_, K, S, D, N, P, RING> {
        let stride = Layout::<N>::stride::<K, D, P, RING>();
        let numbers = &layout.geometry[batch * stride..][..stride];
        Stored { simd, numbers, control: layout.control, parent: PhantomData }
    }

    #[inline(always)]
    fn recall<S: Simd>(simd: S, memory: &[Quad], batch: usize) -> [[Lane<S>; M]; P] {
        let mut out = [[Lane::splat(simd, 0.0); M]; P];
        for p in 0..P {
            for m in 0..M {
                out[p][m] = Lane::load(simd, &memory[(batch * P + p) * M + m]);
            }
        }
        out
    }

    #[inline(always)]
    fn forces<S: Simd>(self, simd: S, v: Option<&[f64]>) {
        let Sweep { layout, chunk, partial, scratch, law, u, .. } = self;
        let Scratch { places, speeds, forces } = scratch;
        let zero = Lane::splat(simd, 0.0);
        let (mut sums, mut inverted) = ([zero; 4], zero);
        let nodes = &layout.places[chunk.own.clone()];
        fetch::<D>(places, u, nodes);
        if let Some(v) = v {
            fetch::<D>(speeds, v, nodes);
        }
        forces.clear();
        forces.resize(nodes.len(), [0.0; LANES]);
        let mut ahead = Ahead::new(layout, chunk);
        let (places, speeds, forces) = (&places[..], &speeds[..], &mut forces[..]);
        for (batch, slots) in chunk.slots.as_chunks::<LANES>().0.iter().enumerate() {
            let geometry = Self::geometry(simd, layout, chunk.first / LANES + batch);
            ahead.look::<D>(&layout.geometry, Layout::<N>::stride::<K, D, P, RING>(), u);
            let here = gather::<S, D, N>(simd, places, slots);
            let rates = if v.is_some() { Some(gather::<S, D, N>(simd, speeds, slots)) } else { None };
            let mut memory = Self::recall(simd, &chunk.memory, batch);
            let state = element::<K, L, Lane<S>, D, N, P, M, RING>(&law, &here, rates.as_ref(), &geometry, &mut memory);
            for p in 0..P {
                for m in 0..M {
                    chunk.next_memory[(batch * P + p) * M + m] = memory[p][m].store();
                }
            }
            let parts = [state.energy, state.dissipated, state.hourglass, state.viscous];
            for k in 0..4 {
                sums[k] = sums[k] + parts[k];
            }
            inverted = inverted + state.inverted;
            unrolled!(a in 0 1 2 3 4 5 6 7, below N => {
                let mut columns = [zero; LANES];
                columns[0] = state.force[a][0];
                columns[1] = state.force[a][1];
                if D == 3 {
                    columns[2] = state.force[a][2];
                }
                let rows = Lane::transpose(columns);
                unrolled!(lane in 0 1 2 3, below LANES => {
                    let into = &mut forces[slots[lane][a] as usize];
                    *into = (Lane::load(simd, into) + rows[lane]).store();
                });
            });
        }
        for (out, row) in partial.iter_mut().zip(forces.iter()) {
            out[..D].copy_from_slice(&row[..D]);
        }
        let mut total = [0.0; 5];
        for (k, sum) in [sums[0], sums[1], sums[2], sums[3], inverted].into_iter().enumerate() {
            total[k] = sum.store().iter().sum::<f64>();
        }
        let [energy, dissipated, hourglass, viscous, inverted] = total;
        chunk.sums = Sums { energy, dissipated, hourglass, viscous };
        chunk.inverted = inverted > 0.0;
    }

    /// Largest `ω²`, by the power method with the element's own forces.
    #[inline(always)]
    fn frequencies<S: Simd>(self, simd: S, share: &[f64], steps: usize, adapt: Option<f64>) {
        let Sweep { layout, chunk, scratch, law, u, .. } = self;
        let places = &mut scratch.places;
        let zero = Lane::splat(simd, 0.0);
        let mut fastest = zero;
        let nodes = &layout.places[chunk.own.clone()];
        fetch::<D>(places, u, nodes);
        for (batch, slots) in chunk.slots.as_chunks::<LANES>().0.iter().enumerate() {
            let geometry = Self::geometry(simd, layout, chunk.first / LANES + batch);
            let here = gather::<S, D, N>(simd, places, slots);
            let weight = Lane::load(simd, &chunk.weights[batch]);
            let mut shares = [[0.0; LANES]; N];
            for lane in 0..LANES {
                for a in 0..N {
                    shares[a][lane] = share[nodes[slots[lane][a] as usize] as usize];
                }
            }
            let mut mass = [zero; N];
            for a in 0..N {
                mass[a] = Lane::load(simd, &shares[a]) * weight;
            }
            let mut push = first_push::<K, S, D, N, P>(zero, &geometry);
            let (size, mut rest, mut squared) = (norm(&push), push, zero);
            for step in 0..=steps {
                let mut at = here;
                if step > 0 {
                    for a in 0..N {
                        for i in 0..D {
                            at[a][i] = at[a][i] + push[a][i];
                        }
                    }
                }
                let mut memory = Self::recall(simd, &chunk.memory, batch);
                let force = element::<K, L, Lane<S>, D, N, P, M, RING>(&law, &at, None, &geometry, &mut memory).force;
                if step == 0 {
                    rest = force;
                    continue;
                }
                // Rayleigh's quotient, and the next direction
                let (mut work, mut inertia, before) = (zero, zero, squared);
                let mut next = push;
                for a in 0..N {
                    for i in 0..D {
                        let pull = force[a][i] - rest[a][i];
                        work = pull.fma(push[a][i], work);
                        inertia = (mass[a] * push[a][i]).fma(push[a][i], inertia);
                        next[a][i] = pull / mass[a];
                    }
                }
                squared = work / inertia;
                let growth = (squared - before - squared * SETTLED).store();
                if growth[0] <= 0.0 && growth[1] <= 0.0 && growth[2] <= 0.0 && growth[3] <= 0.0 {
                    break;
                }
                let scale = size / norm(&next);
                for a in 0..N {
                    for i in 0..D {
                        push[a][i] = next[a][i] * scale;
                    }
                }
            }
            fastest = (squared - fastest).if_positive(squared, fastest);
            if let Some(scale) = adapt {
                // the faster an element, the more of the mass of its nodes it claims
                let claim = weight * (squared * scale).sqrt();
                chunk.weights[batch] = claim.if_positive(claim, weight).store();
            }
        }
        chunk.fastest = fastest.store().iter().copied().fold(0.0, f64::max);
    }
}

/// The change of volume, the fastest mode of most elements, with a little of everything else that lets others grow. It strains
/// the element by `PUSH`.
#[inline(always)]
fn first_push<K: Parent<D, N, P>, S: Simd, const D: usize, const N: usize, const P: usize>(
    zero: Lane<S>,
    geometry: &impl Geometry<Lane<S>, D>,
) -> [[Lane<S>; D]; N] {
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
    let mut push = mode;
    let mut size = zero;
    for a in 0..N {
        for i in 0..D {
            let ripple = 1.0 + 0.4 * ((7 * a + 3 * i) as f64).sin();
            push[a][i] = mode[a][i] * ripple;
            size = mode[a][i].fma(mode[a][i], size);
        }
    }
    // H = Σ u_a ⊗ mode_a / V
    size = volume * PUSH / size;
    for a in 0..N {
        for i in 0..D {
            push[a][i] = push[a][i] * size;
        }
    }
    push
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

/// What the next elements will need: the geometry of the next batch, and a few nodes of the next chunk at a time.
struct Ahead<'a> {
    batch: usize,
    nodes: &'a [u32],
    at_a_time: usize,
}

impl<'a> Ahead<'a> {
    #[inline(always)]
    fn new<const N: usize>(layout: &'a Layout<N>, chunk: &Chunk<N>) -> Self {
        let batches = (chunk.slots.len() / LANES).max(1);
        let nodes = &layout.places[chunk.own.end..];
        Ahead { batch: chunk.first / LANES + 1, nodes, at_a_time: chunk.own.len().div_ceil(batches) }
    }

    #[inline(always)]
    fn look<const D: usize>(&mut self, geometry: &[Quad], stride: usize, u: &[f64]) {
        // two rows of four numbers are a line of the cache
        let start = self.batch * stride;
        let mut row = start;
        while row < start + stride && row < geometry.len() {
            bring_near(&geometry[row..]);
            row += 2;
        }
        self.batch += 1;
        let (now, later) = self.nodes.split_at(self.at_a_time.min(self.nodes.len()));
        for &node in now {
            bring_near(&u[node as usize * D..]);
        }
        self.nodes = later;
    }
}

/// Values of a chunk's nodes, in rows of four.
#[inline(always)]
fn fetch<const D: usize>(rows: &mut Vec<Quad>, field: &[f64], nodes: &[u32]) {
    let (field, _) = field.as_chunks::<D>();
    rows.resize(nodes.len(), [0.0; LANES]);
    for (row, &node) in rows.iter_mut().zip(nodes) {
        let value = &field[node as usize];
        row[..D].copy_from_slice(&value[..D]);
    }
}

/// Nodal values of four elements, side by side.
#[inline(always)]
fn gather<S: Simd, const D: usize, const N: usize>(
    simd: S,
    rows: &[Quad],
    slots: &[[u16; N]; LANES],
) -> [[Lane<S>; D]; N] {
    let mut out = [[Lane::splat(simd, 0.0); D]; N];
    unrolled!(a in 0 1 2 3 4 5 6 7, below N => {
        let mut own = [out[0][0]; LANES];
        unrolled!(lane in 0 1 2 3, below LANES => {
            own[lane] = Lane::load(simd, &rows[slots[lane][a] as usize]);
        });
        let columns = Lane::transpose(own);
        out[a][0] = columns[0];
        out[a][1] = columns[1];
        if D == 3 {
            out[a][2] = columns[2];
        }
    });
    out
}

/// Geometry of four elements as it is stored.
struct Stored<'a, K, S, const D: usize, const N: usize, const P: usize, const RING: bool> {
    simd: S,
    numbers: &'a [Quad],
    control: [f64; 2],
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
    fn hourglass(&self, viscous: bool) -> HourglassGeometry<Lane<S>, D> {
        let own = &self.numbers[P * Layout::<N>::point::<D, RING>()..];
        let patterns = K::HOURGLASS.len();
        let zero = Lane::splat(self.simd, 0.0);
        let mut moments = [[zero; D]; 4];
        for m in 0..patterns {
            for k in 0..D {
                moments[m][k] = Lane::load(self.simd, &own[m * D + k]);
            }
        }
        let bound = Lane::load(self.simd, &own[patterns * D]);
        let volume = Lane::load(self.simd, &self.numbers[D * D]);
        let viscosity = if viscous { (bound * volume).sqrt() * self.control[1] } else { zero };
        HourglassGeometry { moments, stiffness: bound * self.control[0], viscosity }
    }
}
