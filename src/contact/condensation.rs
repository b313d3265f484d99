//! Condensation: `u = W r + q` on the contact points from the bodies' factors, `W = Σ H K̄⁻¹ Hᵀ`.
//!
//! Per body one forward substitution with all columns of `Hᵀ` at once gives `Y = L⁻¹Hᵀ`; then `W = Yᵀ D⁻¹ Y`, and the
//! reactions return through the same `Y`.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::detection::{ContactPoint, Level};
use super::problem::{BlockMatrix, LocalProblem};
use crate::bodies::Numbering;
use crate::integrator::Linearised;
use crate::linalg::factorization::Reach;
use crate::parallel;

/// Work space of one body.
#[derive(Debug, Default)]
struct Condensed {
    /// Contact points on this body.
    points: Vec<u32>,
    /// Equations that the substitution of the contact columns reaches.
    reach: Reach,
    /// `L⁻¹Hᵀ` on the rows of the reach, column by column.
    y: Vec<f64>,
    /// The same divided by `D`, where the factor is not definite.
    scaled: Vec<f64>,
    /// Dense `W` of the body.
    w: Vec<f64>,
    /// `q` of the body's points.
    q: Vec<f64>,
    /// Displacement of the free step on the reach.
    free: Vec<f64>,
    scratch: Vec<f64>,
}

/// Builds and undoes the condensation, keeping its memory from iteration to iteration.
#[derive(Debug, Default)]
pub struct Condensation {
    bodies: Vec<Condensed>,
    /// Body of each point.
    owner: Vec<usize>,
}

impl Condensation {
    /// Fills `problem` for `points`.
    pub fn condense(&mut self, points: &[ContactPoint], system: &[Linearised<'_>], problem: &mut LocalProblem) {
        self.bodies.resize_with(system.len(), Condensed::default);
        for body in &mut self.bodies {
            body.points.clear();
        }
        for (i, point) in points.iter().enumerate() {
            self.bodies[point.anchor.body].points.push(i as u32);
        }
        let dim = system.first().map_or(2, |s| s.body.dim());
        parallel::each(&mut self.bodies, |b, condensed| condensed.fill(points, &system[b], dim));
        problem.dim = dim;
        problem.friction.clear();
        problem.friction.extend(points.iter().map(|p| p.friction));
        problem.q.clear();
        problem.q.resize(points.len() * dim, 0.0);
        let w = &mut problem.w;
        self.owner.clear();
        self.owner.extend(points.iter().map(|p| p.anchor.body));
        pattern(&self.owner, dim, &self.bodies, w);
        for body in &self.bodies {
            let size = body.points.len() * dim;
            for (a, &i) in body.points.iter().enumerate() {
                let i = i as usize;
                for c in 0..dim {
                    problem.q[i * dim + c] += body.q[a * dim + c];
                }
                // the points of a body are its row's columns, in order
                for (b, _) in body.points.iter().enumerate() {
                    let block = &mut w.blocks[(w.offsets[i] + b) * dim * dim..][..dim * dim];
                    for c in 0..dim {
                        for d in 0..dim {
                            block[c * dim + d] += body.w[(b * dim + d) * size + a * dim + c];
                        }
                    }
                }
            }
        }
    }

    /// Adds `L⁻¹Hᵀr` to each body's right-hand side and writes `Hᵀr` to its nodes.
    pub fn apply(&self, points: &[ContactPoint], r: &[f64], system: &mut [Linearised<'_>]) {
        for (condensed, body) in self.bodies.iter().zip(system.iter_mut()) {
            body.reaction.fill(0.0);
            let dim = body.body.dim();
            let (rows, factor) = (condensed.reach.rows(), body.body.factorization());
            for (a, &i) in condensed.points.iter().enumerate() {
                let point = &points[i as usize];
                for c in 0..dim {
                    let force = r[i as usize * dim + c];
                    if force == 0.0 {
                        continue;
                    }
                    let column = &condensed.y[(a * dim + c) * rows..][..rows];
                    for (unknown, y) in factor.unknowns(&condensed.reach).zip(column) {
                        body.forward[unknown] += force * y;
                    }
                    for (node, weight) in point.anchor.parts() {
                        for axis in 0..dim {
                            body.reaction[node * dim + axis] += weight * point.frame[c][axis] * force;
                        }
                    }
                }
            }
        }
    }
}

/// Points that share a body are coupled.
fn pattern(owner: &[usize], dim: usize, bodies: &[Condensed], w: &mut BlockMatrix) {
    w.offsets.clear();
    w.columns.clear();
    w.diagonal.clear();
    w.offsets.push(0);
    for (i, &b) in owner.iter().enumerate() {
        let columns = &bodies[b].points;
        let own = columns.partition_point(|&c| (c as usize) < i);
        w.diagonal.push(w.columns.len() + own);
        w.columns.extend_from_slice(columns);
        w.offsets.push(w.columns.len());
    }
    w.blocks.clear();
    w.blocks.resize(w.columns.len() * dim * dim, 0.0);
}

impl Condensed {
    fn fill(&mut self, points: &[ContactPoint], system: &Linearised<'_>, dim: usize) {
        let numbering = system.body.numbering();
        let factor = system.body.factorization();
        let n = numbering.equation_count();
        let columns = self.points.len() * dim;
        self.reach.clear(factor);
        for (a, &i) in self.points.iter().enumerate() {
            for (node, _) in points[i as usize].anchor.parts() {
                for &equation in numbering.of_node(node).iter().filter(|e| **e != Numbering::HELD) {
                    // the columns of a point reach the same blocks: the first and the last stand for all
                    self.reach.add(factor, (a * dim) as u32, equation as usize);
                    self.reach.add(factor, (a * dim + dim - 1) as u32, equation as usize);
                }
            }
        }
        self.reach.close(factor);
        let rows = self.reach.rows();
        self.free.resize(n, 0.0);
        for unknown in factor.unknowns(&self.reach) {
            self.free[unknown] = system.forward[unknown];
        }
        factor.backward_within(&self.reach, &mut self.free);
        self.fill_q(points, system, dim);

        self.y.clear();
        self.y.resize(rows * columns, 0.0);
        for (a, &i) in self.points.iter().enumerate() {
            let point = &points[i as usize];
            for (node, weight) in point.anchor.parts() {
                for (axis, &equation) in numbering.of_node(node).iter().enumerate() {
                    if equation != Numbering::HELD {
                        for c in 0..dim {
                            let column = (a * dim + c) * rows;
                            self.y[column + self.reach.row(equation as usize)] += weight * point.frame[c][axis];
                        }
                    }
                }
            }
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
        matmul(
            MatMut::from_column_major_slice_mut(&mut self.w[..columns * columns], columns, columns),
            Accum::Replace,
            MatRef::from_column_major_slice(&self.y, rows, columns).transpose(),
            MatRef::from_column_major_slice(right, rows, columns),
            1.0,
            Par::Seq,
        );
    }

    /// `q`: the displacement of the free step and what [`ContactPoint::start`] adds, in normal rows at position level the gap
    /// that step leaves.
    fn fill_q(&mut self, points: &[ContactPoint], system: &Linearised<'_>, dim: usize) {
        let numbering = system.body.numbering();
        self.q.clear();
        for &i in &self.points {
            let point = &points[i as usize];
            let (mut so_far, mut free) = ([0.0; 3], [0.0; 3]);
            for (node, weight) in point.anchor.parts() {
                for (axis, &equation) in numbering.of_node(node).iter().enumerate() {
                    let dof = node * dim + axis;
                    so_far[axis] += weight * (system.u[dof] - system.old.u[dof]);
                    if equation != Numbering::HELD {
                        free[axis] += weight * self.free[equation as usize];
                    }
                }
            }
            for c in 0..dim {
                let along = |x: &[f64; 3]| (0..dim).map(|axis| point.frame[c][axis] * x[axis]).sum::<f64>();
                let start =
                    if c == 0 && point.level == Level::Position { point.gap } else { along(&so_far) + point.start[c] };
                self.q.push(start + along(&free));
            }
        }
    }
}
