//! Where a batch keeps its elements: in the order of a space-filling curve, cut into chunks that own their nodal forces.
//!
//! A chunk adds the forces of its elements to its own copy of its nodes; a node's force is then the sum of its copies in
//! the order of the chunks. No two threads write to one place, and the order of every sum is that of the mesh.

use std::ops::Range;

use rayon::prelude::*;

use super::parent::Parent;
use super::sweep::Sums;
use crate::elements::kinematics::{invert, map_jacobian};
use crate::elements::section::Section;
use crate::elements::{ElementError, Shape};
use crate::linalg::lanes::{LANES, Quad, bring_near};
use crate::mesh::{CellId, Mesh};

/// Elements of a chunk: few enough for its nodes to stay in the first caches, many enough to share most of them.
const CHUNK: usize = 512;

/// What all chunks share.
#[derive(Debug)]
pub(super) struct Layout<const N: usize> {
    /// Cells in the order of the elements.
    pub cells: Vec<CellId>,
    /// Nodes of each element, filled up with copies of the last one to whole batches.
    pub nodes: Vec<[u32; N]>,
    /// For each batch: its points, then its hourglass data.
    pub geometry: Vec<Quad>,
    /// Hourglass stiffness over the bound that is stored, and viscosity over the root of that bound times the volume.
    pub control: [f64; 2],
    /// Nodes of all chunks, one chunk after the other, each in the order in which its elements meet them.
    pub places: Vec<u32>,
    /// Where the copies of each node start in `copies`.
    offsets: Vec<u32>,
    /// Places among the forces on the nodes of all chunks.
    copies: Vec<u32>,
}

/// Elements that are computed together.
#[derive(Debug)]
pub(super) struct Chunk<const N: usize> {
    /// Number of its first element.
    pub first: usize,
    /// Where its nodes stand in the list of all chunks.
    pub own: Range<usize>,
    /// For each element, filled up to whole batches, the places of its nodes among them.
    pub slots: Vec<[u16; N]>,
    /// For each batch how much of the mass of its nodes its elements claim when frequencies are bounded.
    pub weights: Vec<Quad>,
    /// Memory of the points at the last accepted state and at the state of the last sweep.
    pub memory: Vec<Quad>,
    pub next_memory: Vec<Quad>,
    pub sums: Sums,
    pub inverted: bool,
    pub fastest: f64,
}

/// Stiffness and viscosity of hourglass control relative to the fastest mode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hourglass {
    /// `ε = (ω_hg/ω_bound)²`.
    pub stiffness: f64,
    /// Damping ratio of an hourglass mode.
    pub viscosity: f64,
}

impl<const N: usize> Layout<N> {
    /// Numbers of a point.
    pub(super) const fn point<const D: usize, const RING: bool>() -> usize {
        D * D + 1 + RING as usize
    }

    /// Numbers of a batch.
    pub(super) fn stride<K: Parent<D, N, P>, const D: usize, const P: usize, const RING: bool>() -> usize {
        let hourglass = if K::HOURGLASS.is_empty() { 0 } else { K::HOURGLASS.len() * D + 1 };
        P * Self::point::<D, RING>() + hourglass
    }

    /// Prepares `cells` of `mesh`. `modulus` is `λ + 2μ`, `memory` that of an unstrained point.
    #[allow(clippy::type_complexity)]
    pub(super) fn new<K: Parent<D, N, P>, const D: usize, const P: usize, const RING: bool>(
        mesh: &Mesh,
        cells: Vec<CellId>,
        section: Section,
        (modulus, density): (f64, f64),
        hourglass: Hourglass,
        memory: &[f64],
    ) -> Result<(Self, Vec<Chunk<N>>), ElementError> {
        let cells = along_curve(mesh, cells);
        let count = cells.len();
        let mut nodes: Vec<[u32; N]> =
            cells.iter().map(|&cell| std::array::from_fn(|a| mesh.cell_nodes(cell)[a].0)).collect();
        let stride = Self::stride::<K, D, P, RING>();
        let points = Self::point::<D, RING>();
        let batches = count.div_ceil(LANES);
        let mut geometry = vec![[0.0; LANES]; batches * stride];
        let mut weights = vec![[0.0; LANES]; batches];
        for (e, corners) in nodes.iter().enumerate() {
            let x: [[f64; D]; N] = corners.map(|n| std::array::from_fn(|i| mesh.nodes[n as usize][i]));
            let own = &mut geometry[e / LANES * stride..][..stride];
            let lane = e % LANES;
            let mut squares = 0.0;
            let mut to_parent = [[0.0; D]; D];
            for (p, (xi, weight)) in K::POINTS.iter().enumerate() {
                let (parent, values) = (K::Shape::gradients(xi), K::Shape::values(xi));
                let (inverse, det) = invert(&map_jacobian(&x, &parent));
                let radius: f64 = (0..N).map(|a| values[a] * x[a][0]).sum();
                let volume = weight * det * section.measure(radius);
                if det.is_nan() || det <= 0.0 || volume.is_nan() || volume <= 0.0 {
                    return Err(ElementError::Degenerate { cell: cells[e], det: if det > 0.0 { volume } else { det } });
                }
                for k in 0..D {
                    for j in 0..D {
                        own[p * points + k * D + j][lane] = inverse[k][j];
                    }
                }
                own[p * points + D * D][lane] = volume;
                if RING {
                    own[p * points + D * D + 1][lane] = 1.0 / radius;
                }
                let mut here = 0.0;
                for g in &parent {
                    for j in 0..D {
                        here += (0..D).map(|k| g[k] * inverse[k][j]).sum::<f64>().powi(2);
                    }
                }
                squares += volume * here;
                to_parent = inverse;
            }
            // Σ_p V (λ+2μ) Σ b·b: the stiffness of an element against its nodes
            weights[e / LANES][lane] = modulus * squares;
            if !K::HOURGLASS.is_empty() {
                // m = J⁻¹ Σ_a h_a X_a, and the bound (λ+2μ) V Σ b·b / n of what an hourglass mode may feel
                let rest = P * points;
                for (m, pattern) in K::HOURGLASS.iter().enumerate() {
                    let moment: [f64; D] = std::array::from_fn(|j| (0..N).map(|a| pattern[a] * x[a][j]).sum());
                    for k in 0..D {
                        own[rest + m * D + k][lane] = (0..D).map(|j| to_parent[k][j] * moment[j]).sum();
                    }
                }
                own[rest + K::HOURGLASS.len() * D][lane] = modulus * squares / N as f64;
            }
        }
        let control = [hourglass.stiffness, 2.0 * hourglass.viscosity * density.sqrt() / N as f64];
        // empty places of the last batch are copies without volume
        for e in count..batches * LANES {
            let last = nodes[count - 1];
            nodes.push(last);
            let own = &mut geometry[e / LANES * stride..][..stride];
            for p in 0..P {
                for k in 0..D * D {
                    own[p * points + k][e % LANES] = own[p * points + k][(count - 1) % LANES];
                }
            }
        }
        let mut chunks = Vec::with_capacity(count.div_ceil(CHUNK));
        let mut places: Vec<u32> = Vec::new();
        let mut place = vec![u32::MAX; mesh.node_count()];
        for (number, elements) in nodes.chunks(CHUNK).enumerate() {
            let start = places.len();
            let mut slots = Vec::with_capacity(elements.len());
            for corners in elements {
                slots.push(corners.map(|node| {
                    let known = &mut place[node as usize];
                    if *known == u32::MAX {
                        *known = (places.len() - start) as u32;
                        places.push(node);
                    }
                    *known as u16
                }));
            }
            places[start..].iter().for_each(|&node| place[node as usize] = u32::MAX);
            let kept: Vec<Quad> =
                (0..elements.len() / LANES * P).flat_map(|_| memory.iter().map(|&m| [m; LANES])).collect();
            chunks.push(Chunk {
                first: number * CHUNK,
                own: start..places.len(),
                slots,
                weights: weights[number * CHUNK / LANES..(number * CHUNK + elements.len()) / LANES].to_vec(),
                next_memory: kept.clone(),
                memory: kept,
                sums: Sums::default(),
                inverted: false,
                fastest: 0.0,
            });
        }
        // copies of a node in the order of the chunks
        let mut offsets = vec![0u32; mesh.node_count() + 1];
        for &node in &places {
            offsets[node as usize + 1] += 1;
        }
        for node in 0..mesh.node_count() {
            offsets[node + 1] += offsets[node];
        }
        let (mut copies, mut next) = (vec![0; places.len()], offsets.clone());
        for (at, &node) in places.iter().enumerate() {
            copies[next[node as usize] as usize] = at as u32;
            next[node as usize] += 1;
        }
        Ok((Layout { cells, nodes, geometry, control, places, offsets, copies }, chunks))
    }

    /// Sums the copies of each node into `force`; with `add` to what is there.
    pub(super) fn combine<const D: usize>(&self, partial: &[[f64; D]], force: &mut [f64], add: bool) {
        const BLOCK: usize = 512;
        let (force, _) = force.as_chunks_mut::<D>();
        force.par_chunks_mut(BLOCK).enumerate().for_each(|(block, force)| {
            /// Copies between the one that is added and the one that is asked for.
            const AHEAD: usize = 24;
            let mut start = self.offsets[block * BLOCK] as usize;
            for (force, end) in force.iter_mut().zip(&self.offsets[block * BLOCK + 1..]) {
                let end = *end as usize;
                let mut sum = if add { *force } else { [0.0; D] };
                if let Some(&later) = self.copies.get(end + AHEAD) {
                    bring_near(&partial[later as usize..]);
                }
                for &place in &self.copies[start..end] {
                    let part = &partial[place as usize];
                    for i in 0..D {
                        sum[i] += part[i];
                    }
                }
                *force = sum;
                start = end;
            }
        });
    }

    /// Adds the weight of each element to its nodes.
    pub(super) fn add_weights(&self, chunks: &[Chunk<N>], out: &mut [f64]) {
        for chunk in chunks {
            for k in 0..chunk.slots.len().min(self.cells.len() - chunk.first) {
                for &node in &self.nodes[chunk.first + k] {
                    out[node as usize] += chunk.weights[k / LANES][k % LANES];
                }
            }
        }
    }
}

/// Cells in the order in which Morton's curve meets their centres: neighbours in the list are neighbours in space.
fn along_curve(mesh: &Mesh, cells: Vec<CellId>) -> Vec<CellId> {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in &mesh.nodes {
        for i in 0..3 {
            low[i] = low[i].min(x[i]);
            high[i] = high[i].max(x[i]);
        }
    }
    let size = (0..3).map(|i| high[i] - low[i]).fold(f64::MIN_POSITIVE, f64::max);
    let spread = |x: u64| {
        let mut x = x & 0x1f_ffff;
        for (shift, mask) in [
            (32, 0x1f_0000_0000_ffff),
            (16, 0x1f_0000_ff00_00ff),
            (8, 0x100f_00f0_0f00_f00f),
            (4, 0x10c3_0c30_c30c_30c3),
            (2, 0x1249_2492_4924_9249),
        ] {
            x = (x | x << shift) & mask;
        }
        x
    };
    let code = |cell: CellId| {
        let nodes = mesh.cell_nodes(cell);
        (0..3).fold(0, |code, i| {
            let centre = nodes.iter().map(|n| mesh.nodes[n.index()][i]).sum::<f64>() / nodes.len() as f64;
            code | spread(((centre - low[i]) / size * 2_097_151.0) as u64) << i
        })
    };
    let mut order: Vec<(u64, CellId)> = cells.into_iter().map(|cell| (code(cell), cell)).collect();
    order.sort_by_key(|(code, _)| *code);
    order.into_iter().map(|(_, cell)| cell).collect()
}
