//! Elements in batches, for explicit steps: no matrix, only forces, four elements at a time.
//!
//! `parent` maps nodal values to parent gradients and back, `kernel` computes an element of any kind of number, `sweep`
//! runs it over a chunk with the machine's vector instructions, and `layout` cuts the elements into chunks whose sums do
//! not depend on the number of threads.

/// A block for each of some numbers below `count`, written out: a loop that the compiler does not unroll keeps in memory what it
/// counts through.
macro_rules! unrolled {
    ($k:ident in $($n:literal)*, below $count:expr => $body:block) => {
        $(if $n < $count {
            let $k: usize = $n;
            $body
        })*
    };
}

mod kernel;
mod law;
mod layout;
mod parent;
mod sweep;

pub use layout::Hourglass;
pub use parent::{OnePoint, Parent};
pub use sweep::Sums;

use std::cell::RefCell;
use std::marker::PhantomData;

use kernel::{PointGeometry, determinant, gradient, hoop, strain};
use law::{Elastic, PointLaw, Pointwise, stored_at_point};
use layout::{Chunk, Layout};
use sweep::{Purpose, Scratch, Sweep};

use super::Shape;
use super::assembly::Scatter;
use super::error::ElementError;
use super::group::{ElementGroup, StressVisitor};
use super::kinematics::Gradient;
use super::mass::element_masses;
use super::recovery::{PointStress, push_forward};
use super::section::{Faces, Section};
use super::total_lagrangian::{ForceRule, Lumping};
use crate::linalg::Sym;
use crate::linalg::lanes::{LANES, available, dispatch};
use crate::materials::{Kinematics, Law, Material};
use crate::mesh::{CellId, CellKind, Mesh};
use crate::{for_each_law, parallel, with_each_law, with_law};

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Takes each law as the catalogue says.
macro_rules! taken_side_by_side {
    ({ $material:expr, $stored:ident, $given:ident }
        $($doc:literal $law:ident $name:literal $type:ident $strain:ident $volume:ident $batch:ident;)*) => {{
        let (layout, chunks, partial, u, purpose) = $given;
        match $material {
            $(law @ Law::$law(own) => {
                let law = taken_side_by_side!(@ $batch $strain, law, own, $stored);
                Self::with(law, layout, chunks, partial, u, purpose)
            })*
        }
    }};
    (@ lanes $strain:ident, $law:ident, $own:ident, $stored:ident) => {{
        let _ = ($law, $stored);
        Elastic::<_, { with_each_law!(@small $strain) }>(*$own)
    }};
    (@ points $strain:ident, $law:ident, $own:ident, $stored:ident) => {{
        let _ = $own;
        Pointwise::<{ with_each_law!(@small $strain) }> { law: $law, stored: $stored }
    }};
    (@ memory $strain:ident, $law:ident, $own:ident, $stored:ident) => {{
        let _ = ($law, $stored);
        *$own
    }};
}

/// Runs the kernel of a law over all chunks.
type Runner<const D: usize, const N: usize> =
    fn(&Material, &Layout<N>, &mut [Chunk<N>], &mut [[f64; D]], &[f64], Purpose<'_>);

/// Elements of one shape and material, computed in batches.
#[derive(Debug)]
pub struct Batched<K, F, const D: usize, const N: usize, const P: usize, const RING: bool> {
    material: Material,
    section: Section,
    layout: Layout<N>,
    chunks: Vec<Chunk<N>>,
    /// Forces on the nodes of each chunk, one chunk after the other.
    partial: Vec<[f64; D]>,
    run: Runner<D, N>,
    /// Whether hourglass control resists velocities.
    viscous: bool,
    kind: PhantomData<(K, F)>,
}

impl<K, F, const D: usize, const N: usize, const P: usize, const RING: bool> Batched<K, F, D, N, P, RING>
where
    K: Parent<D, N, P>,
    F: Faces,
{
    fn new(
        mesh: &Mesh,
        cells: Vec<CellId>,
        material: Material,
        section: Section,
        hourglass: Hourglass,
        run: Runner<D, N>,
    ) -> Result<Self, ElementError> {
        if !available() {
            return Err(ElementError::NoVectors);
        }
        let (lambda, mu) = material.law.lame();
        let virgin: &[f64] =
            if let Law::J2(_) = material.law { &<crate::materials::J2 as PointLaw<7>>::VIRGIN } else { &[] };
        let moduli = (lambda + 2.0 * mu, material.density);
        let (layout, chunks) = Layout::new::<K, D, P, RING>(mesh, cells, section, moduli, hourglass, virgin)?;
        let viscous = hourglass.viscosity > 0.0 && !K::HOURGLASS.is_empty();
        let partial = vec![[0.0; D]; layout.places.len()];
        Ok(Batched { material, section, layout, chunks, partial, run, viscous, kind: PhantomData })
    }

    fn sweep(&mut self, u: &[f64], purpose: Purpose<'_>) {
        (self.run)(&self.material, &self.layout, &mut self.chunks, &mut self.partial, u, purpose);
    }

    fn with<L: PointLaw<M>, const M: usize>(
        law: L,
        layout: &Layout<N>,
        chunks: &mut [Chunk<N>],
        partial: &mut [[f64; D]],
        u: &[f64],
        purpose: Purpose<'_>,
    ) {
        parallel::each_with_share(
            chunks,
            partial,
            |chunk| chunk.own.len(),
            |chunk, partial| {
                let parent = PhantomData::<K>;
                SCRATCH.with_borrow_mut(|scratch| {
                    let sweep =
                        Sweep::<K, L, D, N, P, M, RING> { layout, chunk, partial, scratch, law, u, purpose, parent };
                    let done = dispatch(sweep);
                    debug_assert!(done.is_some(), "the constructor has looked");
                });
            },
        );
    }

    /// Any law, point by point.
    fn pointwise(
        material: &Material,
        layout: &Layout<N>,
        chunks: &mut [Chunk<N>],
        partial: &mut [[f64; D]],
        u: &[f64],
        purpose: Purpose<'_>,
    ) {
        let (law, stored) = (&material.law, stored_at_point::<F> as fn(&Law, &Sym) -> (f64, Sym));
        match law {
            Law::J2(law) => Self::with(*law, layout, chunks, partial, u, purpose),
            Law::Linear(_) => Self::with(Pointwise::<true> { law, stored }, layout, chunks, partial, u, purpose),
            _ => Self::with(Pointwise::<false> { law, stored }, layout, chunks, partial, u, purpose),
        }
    }

    /// Laws that have kernels for it side by side, the others point by point.
    fn side_by_side(
        material: &Material,
        layout: &Layout<N>,
        chunks: &mut [Chunk<N>],
        partial: &mut [[f64; D]],
        u: &[f64],
        purpose: Purpose<'_>,
    ) {
        let stored = stored_at_point::<F> as fn(&Law, &Sym) -> (f64, Sym);
        let given = (layout, chunks, partial, u, purpose);
        for_each_law!([taken_side_by_side] & material.law, stored, given)
    }

    fn gather(&self, e: usize, u: &[f64]) -> [[f64; D]; N] {
        self.layout.nodes[e].map(|node| std::array::from_fn(|i| u[node as usize * D + i]))
    }

    fn point(&self, e: usize, p: usize) -> PointGeometry<f64, D> {
        let (stride, points) = (Layout::<N>::stride::<K, D, P, RING>(), Layout::<N>::point::<D, RING>());
        let at = |k: usize| self.layout.geometry[e / LANES * stride + p * points + k][e % LANES];
        PointGeometry {
            inverse: std::array::from_fn(|i| std::array::from_fn(|j| at(i * D + j))),
            volume: at(D * D),
            curvature: if RING { at(D * D + 1) } else { 0.0 },
        }
    }

    /// The first point of a state that is inside out.
    fn inverted(&self, u: &[f64]) -> Option<ElementError> {
        for chunk in self.chunks.iter().filter(|c| c.inverted) {
            for e in chunk.first..(chunk.first + chunk.slots.len()).min(self.layout.cells.len()) {
                let local = self.gather(e, u);
                let parent = K::gradients(&local);
                for p in 0..P {
                    let g = self.point(e, p);
                    let around = hoop::<K, f64, D, N, P, RING>(&local, p, g.curvature);
                    let det = determinant(&gradient(&parent[p], &g.inverse), around);
                    if det.is_nan() || det <= 0.0 {
                        return Some(ElementError::Inverted { cell: self.layout.cells[e], point: p, det });
                    }
                }
            }
        }
        None
    }
}

impl<K, F, const D: usize, const N: usize, const P: usize, const RING: bool> ElementGroup
    for Batched<K, F, D, N, P, RING>
where
    K: Parent<D, N, P>,
    F: Faces,
{
    fn cells(&self) -> &[CellId] {
        &self.layout.cells
    }

    fn material(&self) -> &Material {
        &self.material
    }

    fn locks(&self) -> bool {
        K::HOURGLASS.is_empty() && !F::FREE
    }

    fn nodes(&self, e: usize) -> &[u32] {
        &self.layout.nodes[e]
    }

    fn scatter_len(&self) -> usize {
        0
    }

    fn internal(
        &self,
        _: ForceRule,
        _: &[f64],
        _: &[f64],
        _: &mut [f64],
        _: Option<(&Scatter, f64, &mut [f64])>,
    ) -> Result<f64, ElementError> {
        Err(ElementError::NoMatrix { cell: self.layout.cells[0] })
    }

    fn advance(&mut self, u: &[f64], v: &[f64], force: &mut [f64], add: bool) -> Result<Sums, ElementError> {
        self.sweep(u, Purpose::Force { v: self.viscous.then_some(v) });
        let mut sums = Sums::default();
        for chunk in &self.chunks {
            sums.add(&chunk.sums);
        }
        if self.chunks.iter().any(|c| c.inverted)
            && let Some(error) = self.inverted(u)
        {
            return Err(error);
        }
        self.layout.combine(&self.partial, force, add);
        Ok(sums)
    }

    fn commit(&mut self) {
        for chunk in &mut self.chunks {
            std::mem::swap(&mut chunk.memory, &mut chunk.next_memory);
        }
    }

    fn memory(&self, out: &mut Vec<f64>) {
        self.chunks.iter().for_each(|chunk| out.extend_from_slice(chunk.memory.as_flattened()));
    }

    fn recall<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        let mut rest = memory;
        for chunk in &mut self.chunks {
            let into = chunk.memory.as_flattened_mut();
            let (own, after) = rest.split_at_checked(into.len())?;
            into.copy_from_slice(own);
            rest = after;
        }
        Some(rest)
    }

    fn knows_frequencies(&self) -> bool {
        true
    }

    fn add_weights(&self, out: &mut [f64]) {
        self.layout.add_weights(&self.chunks, out);
    }

    fn fastest(&mut self, u: &[f64], share: &[f64], steps: usize, adapt: Option<f64>) -> f64 {
        self.sweep(u, Purpose::Frequency { share, steps, adapt });
        self.chunks.iter().map(|c| c.fastest).fold(0.0, f64::max)
    }

    fn energy(&self, u: &[f64]) -> f64 {
        let mut total = 0.0;
        self.stresses(u, &mut |_, _, points| total += points.iter().map(|p| p.volume * p.energy).sum::<f64>());
        total
    }

    fn mass(&self, mesh: &Mesh, lumping: Lumping, add: &mut dyn FnMut(usize, usize, f64)) {
        let nodes = &self.layout.nodes[..self.layout.cells.len()];
        element_masses::<K::Shape, D, N>(mesh, nodes, self.material.density, self.section, lumping, add);
    }

    fn stresses(&self, u: &[f64], visit: StressVisitor<'_>) {
        let mut values = [PointStress::default(); 8];
        let one = |e: usize, values: &mut [PointStress; 8]| {
            let local = self.gather(e, u);
            let parent = K::gradients(&local);
            for (p, value) in values[..P].iter_mut().enumerate() {
                let g = self.point(e, p);
                let h = gradient(&parent[p], &g.inverse);
                let around = hoop::<K, f64, D, N, P, RING>(&local, p, g.curvature);
                let (pk2, energy, across, small) = if let Law::J2(law) = &self.material.law {
                    let chunk = &self.chunks[self.chunks.partition_point(|c| c.first <= e) - 1];
                    let at = ((e - chunk.first) / LANES * P + p) * 7;
                    let mut memory = std::array::from_fn(|m| chunk.memory[at + m][e % LANES]);
                    let (energy, _, stress) = law.flow(&strain(&h, around, false), &mut memory);
                    (stress, energy, 1.0 + around, false)
                } else {
                    let small = self.material.law.kinematics() == Kinematics::Small;
                    let e = strain(&h, around, small);
                    let (energy, stress) = stored_at_point::<F>(&self.material.law, &e);
                    let thickness = with_law!(&self.material.law, law => F::thickness_strain(law, &e));
                    (stress, energy, (1.0 + 2.0 * thickness).sqrt(), small)
                };
                let whole = Gradient { h, hoop: around };
                *value = PointStress {
                    pk2,
                    cauchy: if small { pk2 } else { push_forward(&whole, across, &pk2) },
                    energy,
                    volume: g.volume,
                };
            }
        };
        for e in 0..self.layout.cells.len() {
            one(e, &mut values);
            visit(e, &self.layout.nodes[e], &values[..P]);
        }
    }

    fn kinetic_densities(&self, v: &[f64], visit: &mut dyn FnMut(CellId, f64)) {
        // the mass is lumped: a node stands for its share of the element
        for (e, &cell) in self.layout.cells.iter().enumerate() {
            let squares: f64 = self.gather(e, v).iter().flatten().map(|v| v * v).sum();
            visit(cell, 0.5 * self.material.density * squares / N as f64);
        }
    }

    fn extrapolation(&self) -> [[f64; 8]; 8] {
        let mut weights = [[0.0; 8]; 8];
        for (row, node) in weights.iter_mut().zip(&K::Shape::NODES) {
            if P == N {
                row[..N].copy_from_slice(&K::Shape::values(&node.map(|x| x * 3f64.sqrt())));
            } else {
                row[0] = 1.0;
            }
        }
        weights
    }

    fn critical_step(&self) -> f64 {
        // n Σ b·b of the stiffest element
        let mut stiffest = 0.0f64;
        for e in 0..self.layout.cells.len() {
            let (mut squares, mut volumes) = (0.0, 0.0);
            for p in 0..P {
                let g = self.point(e, p);
                for gradient in &K::Shape::gradients(&K::POINTS[p].0) {
                    for j in 0..D {
                        squares += g.volume * (0..D).map(|k| gradient[k] * g.inverse[k][j]).sum::<f64>().powi(2);
                    }
                }
                volumes += g.volume;
            }
            stiffest = stiffest.max(squares / volumes);
        }
        2.0 / (self.material.wave_speed() * (N as f64 * stiffest).sqrt())
    }
}

/// A batch of one shape.
pub(super) fn batch(
    kind: CellKind,
    mesh: &Mesh,
    cells: Vec<CellId>,
    material: Material,
    section: Section,
    hourglass: Hourglass,
    one_point: bool,
) -> Result<Box<dyn ElementGroup>, ElementError> {
    use super::section::{Free, Held};
    use super::{Hex8, Quad4, Tet4, Tri3};
    macro_rules! of {
        ($parent:ty, $faces:ty, $d:literal, $n:literal, $p:literal, $ring:literal, $run:ident) => {
            Box::new(Batched::<$parent, $faces, $d, $n, $p, $ring>::new(
                mesh,
                cells,
                material,
                section,
                hourglass,
                Batched::<$parent, $faces, $d, $n, $p, $ring>::$run,
            )?)
        };
    }
    Ok(match (kind, section, one_point) {
        (CellKind::Tri3, Section::PlaneStress(_), _) => of!(Tri3, Free, 2, 3, 1, false, pointwise),
        (CellKind::Tri3, Section::Axisymmetric, _) => of!(Tri3, Held, 2, 3, 1, true, pointwise),
        (CellKind::Tri3, ..) => of!(Tri3, Held, 2, 3, 1, false, side_by_side),
        (CellKind::Quad4, Section::PlaneStress(_), false) => of!(Quad4, Free, 2, 4, 4, false, pointwise),
        (CellKind::Quad4, Section::Axisymmetric, false) => of!(Quad4, Held, 2, 4, 4, true, pointwise),
        (CellKind::Quad4, _, false) => of!(Quad4, Held, 2, 4, 4, false, side_by_side),
        (CellKind::Quad4, Section::PlaneStress(_), true) => of!(OnePoint<Quad4>, Free, 2, 4, 1, false, pointwise),
        (CellKind::Quad4, Section::Axisymmetric, true) => of!(OnePoint<Quad4>, Held, 2, 4, 1, true, pointwise),
        (CellKind::Quad4, _, true) => of!(OnePoint<Quad4>, Held, 2, 4, 1, false, side_by_side),
        (CellKind::Tet4, ..) => of!(Tet4, Held, 3, 4, 1, false, side_by_side),
        (CellKind::Hex8, _, false) => of!(Hex8, Held, 3, 8, 8, false, side_by_side),
        (CellKind::Hex8, _, true) => of!(OnePoint<Hex8>, Held, 3, 8, 1, false, side_by_side),
    })
}
