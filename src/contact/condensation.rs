//! Condensation: `u = W r + q` on the contact points from the bodies' factors, `W = Σ H K̄⁻¹ Hᵀ`.
//!
//! Per body one forward substitution with all columns of `Hᵀ` at once gives `Y = L⁻¹Hᵀ`; then `W = Yᵀ D⁻¹ Y`, and the
//! reactions return through the same `Y`. A body with many columns keeps neither: its share in a product with `W` is a
//! substitution with the factor ([`super::by_products`]).

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

use super::by_products::{ByProducts, Substituted};
use super::detection::{ContactPoint, Level, Vector};
use super::lumped::Lumped;
use super::problem::{BlockMatrix, LocalProblem};
use crate::integrator::Linearised;
use crate::linalg::factorization::{Factorization, Reach};
use crate::memory::{NoRoom, room};

/// How `W` is handed to the solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Operator {
    /// By products where a body has many contact displacements and the solver is content with them, otherwise as a matrix.
    #[default]
    Auto,
    /// As a matrix.
    Stored,
    /// By products through the factors.
    MatrixFree,
}

/// Contact displacements of a body from which on products are cheaper than its part of `W`: measured on blocks on a floor.
const MANY: usize = 2000;

/// Work space of one body.
#[derive(Debug, Default)]
pub(super) struct Condensed {
    /// Contact points on this body.
    pub(super) points: Vec<u32>,
    /// `Hᵀ` by entries: column, equation, value.
    pub(super) entries: Vec<(u32, u32, f64)>,
    /// Whether products go through the factor: then there is no `y` and no `w`, but diagonal blocks.
    pub(super) by_factor: bool,
    pub(super) substituted: Substituted,
    /// That of `y` and `w`, and the factor they were made with. A factor that is kept over iterations, with points that stay where they
    /// are, needs no new substitution.
    made: (Vec<(u32, u32, f64)>, u64),
    /// Equations that the substitution of the contact columns reaches.
    pub(super) reach: Reach,
    /// `L⁻¹Hᵀ` on the rows of the reach, column by column.
    y: Vec<f64>,
    /// The same divided by `D`, where the factor is not definite.
    scaled: Vec<f64>,
    /// Dense `W` of the body.
    pub(super) w: Vec<f64>,
    /// The body's share in `q` of its points.
    q: Vec<f64>,
    /// Displacement of the free step on the reach.
    free: Vec<f64>,
    scratch: Vec<f64>,
    /// Seconds spent so far.
    seconds: f64,
}

/// Builds and undoes the condensation, keeping its memory from iteration to iteration. Bodies are reduced side by side, each under
/// a lock of its own that nobody else asks for.
#[derive(Debug, Default)]
pub struct Condensation {
    bodies: Vec<Mutex<Condensed>>,
    lumped: Lumped,
    operator: Operator,
    /// Diagonal blocks of `W`, where it is given by products.
    blocks: Vec<f64>,
    by_products: bool,
}

/// What a lock holds; after a panic elsewhere too, as every use starts by writing.
pub(super) fn own<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Condensation {
    /// Tells every body its points, and how `W` will be handed over.
    pub fn share_out(&mut self, points: &[ContactPoint], system: &[Linearised<'_>], operator: Operator) {
        self.operator = operator;
        self.bodies.resize_with(system.len(), Mutex::default);
        let mut lists: Vec<MutexGuard<'_, Condensed>> = self.bodies.iter().map(own).collect();
        lists.iter_mut().for_each(|body| body.points.clear());
        for (i, point) in points.iter().enumerate() {
            for body in bodies_of(point) {
                lists[body].points.push(i as u32);
            }
        }
    }

    /// Reduces body `b` to its points.
    pub fn condense(&self, points: &[ContactPoint], b: usize, body: &Linearised<'_>) {
        if body.lumped.is_none() {
            let begun = Instant::now();
            let mut condensed = own(&self.bodies[b]);
            let dim = body.body.dim();
            let many = condensed.points.len() * dim >= MANY;
            let by_factor = self.operator == Operator::MatrixFree || self.operator == Operator::Auto && many;
            condensed.fill(points, b, body, dim, by_factor);
            condensed.seconds += begun.elapsed().as_secs_f64();
        }
    }

    /// Seconds that the bodies have spent so far, summed over them: they are reduced side by side.
    pub fn seconds(&self) -> f64 {
        self.bodies.iter().map(|body| own(body).seconds).sum()
    }

    /// Fills `problem` for `points` from the bodies, each reduced to its own; without its `W` where [`Condensation::products`]
    /// has it, which is also what is left where the system has no room for it.
    ///
    /// # Errors
    /// No room for `W`, and a solver that needs it.
    pub fn gather(
        &mut self,
        points: &[ContactPoint],
        system: &[Linearised<'_>],
        problem: &mut LocalProblem,
    ) -> Result<(), NoRoom> {
        self.by_products = false;
        let dim = system.first().map_or(2, |s| s.body.dim());
        if system.iter().all(|body| body.lumped.is_some()) {
            self.lumped.condense(points, system, dim, problem);
            return Ok(());
        }
        let bodies: Vec<MutexGuard<'_, Condensed>> = self.bodies.iter().map(own).collect();
        self.by_products = bodies.iter().any(|body| body.by_factor && !body.points.is_empty());
        problem.dim = dim;
        problem.friction.clear();
        problem.friction.extend(points.iter().map(|p| p.friction));
        problem.q.clear();
        problem.q.resize(points.len() * dim, 0.0);
        for body in &bodies {
            for (&i, own) in body.points.iter().zip(body.q.chunks_exact(dim)) {
                problem.q[i as usize * dim..].iter_mut().zip(own).for_each(|(q, own)| *q += own);
            }
        }
        // behind the two bodies, whose sum does not depend on which comes first
        for (point, q) in points.iter().zip(problem.q.chunks_exact_mut(dim)) {
            // at position level the normal row starts from the gap, which holds what has been moved so far
            q[0] += if point.level == Level::Position { point.gap } else { point.start[0] };
            q[1..].iter_mut().zip(&point.start[1..]).for_each(|(q, start)| *q += start);
        }
        let fits = if self.by_products {
            Err(own_entries(&bodies, dim))
        } else {
            pattern(points, dim, &bodies, &mut problem.w)
        };
        match fits {
            Ok(()) => fill_matrix(dim, &bodies, &mut problem.w),
            Err(entries) if self.operator == Operator::Stored => {
                return Err(NoRoom { what: format!("W of {} contact points", points.len()), entries });
            }
            Err(_) => {
                self.by_products = true;
                problem.w = BlockMatrix::default();
                self.blocks.clear();
                self.blocks.resize(points.len() * dim * dim, 0.0);
                fill_blocks(&bodies, dim, &mut self.blocks);
            }
        }
        Ok(())
    }

    /// The condensed problem with `W` by products, where that is how it was condensed.
    pub fn products<'a>(&'a self, problem: &'a LocalProblem, system: &'a [Linearised<'_>]) -> Option<ByProducts<'a>> {
        let factors = || system.iter().map(|body| body.body.factorization()).collect();
        self.by_products.then(|| ByProducts::new(problem, &self.bodies, factors(), &self.blocks))
    }

    /// Adds `L⁻¹Hᵀr` to the right-hand side of body `b` and writes `Hᵀr` to its nodes.
    pub fn push(&self, points: &[ContactPoint], r: &[f64], b: usize, body: &mut Linearised<'_>) {
        let begun = Instant::now();
        let mut condensed = own(&self.bodies[b]);
        let dim = body.body.dim();
        body.reaction.fill(0.0);
        if body.lumped.is_some() {
            return Lumped::push(points, &condensed.points, r, dim, b, body);
        }
        let (rows, factor) = (condensed.reach.rows(), body.body.factorization());
        if condensed.by_factor {
            condensed.forward(factor, r, dim, body.forward);
        }
        for (a, &i) in condensed.points.iter().enumerate() {
            let point = &points[i as usize];
            for c in 0..dim {
                let force = r[i as usize * dim + c];
                if force == 0.0 {
                    continue;
                }
                if !condensed.by_factor {
                    let column = &condensed.y[(a * dim + c) * rows..][..rows];
                    for (unknown, y) in factor.unknowns(&condensed.reach).zip(column) {
                        body.forward[unknown] += force * y;
                    }
                }
                for (anchor, sign) in point.sides_of(b) {
                    for (dof, way) in anchor.unknowns(dim) {
                        body.reaction[dof] += sign * point.frame[c].dot(&way) * force;
                    }
                }
            }
        }
        condensed.seconds += begun.elapsed().as_secs_f64();
    }
}

/// Diagonal blocks from the bodies'.
fn fill_blocks(bodies: &[MutexGuard<'_, Condensed>], dim: usize, blocks: &mut [f64]) {
    for body in bodies {
        for (a, &i) in body.points.iter().enumerate() {
            let block = &mut blocks[i as usize * dim * dim..][..dim * dim];
            for c in 0..dim {
                for d in 0..dim {
                    block[c * dim + d] += body.own(a, c, d, dim);
                }
            }
        }
    }
}

/// Numbers of the dense `W` of all bodies.
fn own_entries(bodies: &[MutexGuard<'_, Condensed>], dim: usize) -> usize {
    bodies.iter().map(|body| (body.points.len() * dim).pow(2)).sum()
}

/// `W` from the bodies'.
fn fill_matrix(dim: usize, bodies: &[MutexGuard<'_, Condensed>], w: &mut BlockMatrix) {
    for body in bodies {
        let size = body.points.len() * dim;
        for (a, &i) in body.points.iter().enumerate() {
            let i = i as usize;
            // the points of a body are among its row's columns, in order
            let mut at = w.offsets[i];
            for (b, &j) in body.points.iter().enumerate() {
                while w.columns[at] != j {
                    at += 1;
                }
                let block = &mut w.blocks[at * dim * dim..][..dim * dim];
                for c in 0..dim {
                    for d in 0..dim {
                        block[c * dim + d] += body.w[(b * dim + d) * size + a * dim + c];
                    }
                }
            }
        }
    }
}

/// The bodies that a point touches, each once.
fn bodies_of(point: &ContactPoint) -> impl Iterator<Item = usize> {
    let own = point.anchor.body;
    std::iter::once(own).chain(point.other.map(|other| other.body).filter(move |other| *other != own))
}

/// Points that share a body are coupled. Where there is no room for that: the numbers that it would take.
fn pattern(
    points: &[ContactPoint],
    dim: usize,
    bodies: &[MutexGuard<'_, Condensed>],
    w: &mut BlockMatrix,
) -> Result<(), usize> {
    w.offsets.clear();
    w.columns.clear();
    w.diagonal.clear();
    w.offsets.push(0);
    for (i, point) in points.iter().enumerate() {
        let first = w.columns.len();
        let mut touched = bodies_of(point).map(|b| bodies[b].points.as_slice());
        let (own, other) = (touched.next().unwrap_or_default(), touched.next().unwrap_or_default());
        w.columns.try_reserve(own.len() + other.len()).map_err(|_| own_entries(bodies, dim))?;
        merge(own, other, &mut w.columns);
        w.diagonal.push(first + w.columns[first..].partition_point(|&c| (c as usize) < i));
        w.offsets.push(w.columns.len());
    }
    let entries = w.columns.len() * dim * dim;
    if !room(&mut w.blocks, entries) {
        return Err(entries);
    }
    w.blocks.resize(entries, 0.0);
    Ok(())
}

/// Appends the union of two sorted lists.
fn merge(a: &[u32], b: &[u32], out: &mut Vec<u32>) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        out.push(a[i].min(b[j]));
        let (low, high) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(low);
        j += usize::from(high);
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
}

impl Condensed {
    /// Condenses body number `number` on its points.
    fn fill(&mut self, points: &[ContactPoint], number: usize, system: &Linearised<'_>, dim: usize, by_factor: bool) {
        let numbering = system.body.numbering();
        let factor = system.body.factorization();
        let n = numbering.equation_count();
        let columns = self.points.len() * dim;
        if columns == 0 {
            return;
        }
        self.entries.clear();
        for (a, &i) in self.points.iter().enumerate() {
            let point = &points[i as usize];
            for (anchor, sign) in point.sides_of(number) {
                for (dof, way) in anchor.unknowns(dim) {
                    if let Some(equation) = numbering.of(dof) {
                        let value = |c: usize| sign * point.frame[c].dot(&way);
                        self.entries.extend((0..dim).map(|c| ((a * dim + c) as u32, equation as u32, value(c))));
                    }
                }
            }
        }
        let other = self.made.1 != factor.version() || self.made.0 != self.entries;
        if other || self.by_factor != by_factor || !by_factor && self.w.len() != columns * columns {
            self.fill_reach(factor);
            self.by_factor = by_factor || !self.makes_room(factor, columns);
            if self.by_factor {
                (self.y, self.scaled, self.w) = Default::default();
                self.substituted.fill_blocks(factor, &self.entries, self.points.len(), dim);
            } else {
                self.substitute(factor, columns);
            }
            self.made.0.clone_from(&self.entries);
            self.made.1 = factor.version();
        }
        self.free.resize(n, 0.0);
        for unknown in factor.unknowns(&self.reach) {
            self.free[unknown] = system.forward[unknown];
        }
        factor.backward_within(&self.reach, &mut self.free);
        self.fill_q(points, number, system, dim);
    }

    /// Makes room for `Y` and `W`; where the system has none, products through the factor take their place.
    fn makes_room(&mut self, factor: &Factorization, columns: usize) -> bool {
        let entries = self.reach.rows() * columns;
        let scaled = if factor.is_definite() { 0 } else { entries };
        let wanted = [(&mut self.y, entries), (&mut self.scaled, scaled), (&mut self.w, columns * columns)];
        wanted.into_iter().all(|(list, size)| list.try_reserve(size.saturating_sub(list.len())).is_ok())
    }

    fn fill_reach(&mut self, factor: &Factorization) {
        self.reach.clear(factor);
        // columns ascend from point to point, and each block of a point is reached by the first of its columns first
        for &(column, equation, _) in &self.entries {
            self.reach.add(factor, column, equation as usize);
        }
        self.reach.close(factor);
    }

    /// Entry of the diagonal block of the body's point `a`.
    fn own(&self, a: usize, c: usize, d: usize, dim: usize) -> f64 {
        if self.by_factor {
            return self.substituted.blocks[(a * dim + c) * dim + d];
        }
        self.w[(a * dim + d) * self.points.len() * dim + a * dim + c]
    }

    /// `Y = L⁻¹Hᵀ` and `W = Yᵀ D⁻¹ Y`.
    fn substitute(&mut self, factor: &Factorization, columns: usize) {
        let rows = self.reach.rows();
        self.y.clear();
        self.y.resize(rows * columns, 0.0);
        for &(column, equation, value) in &self.entries {
            self.y[column as usize * rows + self.reach.row(equation as usize)] += value;
        }
        factor.forward_many(&self.reach, &mut self.y, &mut self.scratch);
        let right = if factor.is_definite() {
            &self.y
        } else {
            self.scaled.clone_from(&self.y);
            factor.scale_many(&self.reach, &mut self.scaled);
            &self.scaled
        };
        self.w.resize(columns * columns, 0.0);
        // one half: W is symmetric
        triangular::matmul(
            MatMut::from_column_major_slice_mut(&mut self.w, columns, columns),
            BlockStructure::TriangularLower,
            Accum::Replace,
            MatRef::from_column_major_slice(&self.y, rows, columns).transpose(),
            BlockStructure::Rectangular,
            MatRef::from_column_major_slice(right, rows, columns),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        for j in 0..columns {
            for i in 0..j {
                self.w[j * columns + i] = self.w[i * columns + j];
            }
        }
    }

    /// The body's share in `q`: its displacement in the free step; in normal rows at position level only what is still to come,
    /// as the gap holds the rest.
    fn fill_q(&mut self, points: &[ContactPoint], number: usize, system: &Linearised<'_>, dim: usize) {
        let numbering = system.body.numbering();
        self.q.clear();
        for &i in &self.points {
            let point = &points[i as usize];
            let (mut so_far, mut free) = (Vector::zeros(), Vector::zeros());
            for (anchor, sign) in point.sides_of(number) {
                for (dof, way) in anchor.unknowns(dim) {
                    so_far += sign * (system.u[dof] - system.old.u[dof]) * way;
                    if let Some(equation) = numbering.of(dof) {
                        free += sign * self.free[equation] * way;
                    }
                }
            }
            for (c, axis) in point.frame[..dim].iter().enumerate() {
                let in_gap = c == 0 && point.level == Level::Position;
                let before = if in_gap { 0.0 } else { axis.dot(&so_far) };
                self.q.push(before + axis.dot(&free));
            }
        }
    }
}
