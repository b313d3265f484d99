//! Condensation where the effective matrix is diagonal: `W = Δt² H M⁻¹ Hᵀ` of an explicit step couples only points that share a
//! node or a rigid body, and is stored as sparsely. The turn of a rigid body in space, whose compliance is not diagonal, is taken
//! along directions in which it is.

use super::detection::{Anchor, ContactPoint, Level, Vector};
use super::problem::LocalProblem;
use crate::integrator::Linearised;

/// One unknown under one point: the column of `Hᵀ` there.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Number of its body in the order in which the points name them.
    body: u32,
    dof: u32,
    point: u32,
    compliance: f64,
    /// Along the point's frame, signed.
    way: [f64; 3],
}

/// Calls `each` with the independent directions in which a body moves a point: unknown, way of the point for a unit of it,
/// compliance, and the reaction at hand along it.
fn directions(anchor: &Anchor, dim: usize, body: &Linearised<'_>, mut each: impl FnMut(usize, Vector, f64, f64)) {
    let Some(compliance) = body.lumped else { return };
    let Some(root) = compliance.turns.filter(|_| anchor.arm().is_some()) else {
        anchor.unknowns(dim).for_each(|(dof, way)| each(dof, way, compliance.of(dof), body.reaction[dof]));
        return;
    };
    let mut turned = [Vector::zeros(); 3];
    for (dof, way) in anchor.unknowns(dim) {
        match dof.checked_sub(dim) {
            None => each(dof, way, compliance.of(dof), body.reaction[dof]),
            Some(k) => turned[k] = way,
        }
    }
    for k in 0..3 {
        let (mut way, mut moment) = (Vector::zeros(), 0.0);
        for (j, turned) in turned.iter().enumerate() {
            way += root[(j, k)] * turned;
            moment += root[(j, k)] * body.reaction[dim + j];
        }
        each(dim + k, way, if root[(k, k)] > 0.0 { 1.0 } else { 0.0 }, moment);
    }
}

/// Work space, kept from step to step.
#[derive(Debug, Default)]
pub(super) struct Lumped {
    entries: Vec<Entry>,
    pairs: Vec<(u32, u32)>,
    /// Of each body its number in the order in which the points name them: sums in that order do not depend on the order of bodies.
    ranks: Vec<Option<u32>>,
}

impl Lumped {
    /// Fills `problem` for `points`. Bodies stand at the iterate `u`, which holds the reactions of the last one: the free
    /// step leads from there back to where the body would go without them.
    pub(super) fn condense(
        &mut self,
        points: &[ContactPoint],
        system: &[Linearised<'_>],
        dim: usize,
        problem: &mut LocalProblem,
    ) {
        problem.dim = dim;
        problem.friction.clear();
        problem.friction.extend(points.iter().map(|p| p.friction));
        problem.q.clear();
        self.entries.clear();
        self.pairs.clear();
        self.ranks.clear();
        self.ranks.resize(system.len(), None);
        let mut named = 0;
        for (i, point) in points.iter().enumerate() {
            let (mut so_far, mut free) = (Vector::zeros(), Vector::zeros());
            for (anchor, sign) in point.sides() {
                let body = &system[anchor.body];
                let rank = *self.ranks[anchor.body].get_or_insert_with(|| {
                    named += 1;
                    named
                });
                for (dof, way) in anchor.unknowns(dim) {
                    so_far += sign * (body.u[dof] - body.old.u[dof]) * way;
                }
                directions(anchor, dim, body, |dof, way, compliance, reaction| {
                    free -= sign * compliance * reaction * way;
                    if compliance > 0.0 {
                        let way = point.frame.map(|axis| sign * axis.dot(&way));
                        let (body, dof, point) = (rank, dof as u32, i as u32);
                        self.entries.push(Entry { body, dof, point, compliance, way });
                    }
                });
            }
            for (c, axis) in point.frame[..dim].iter().enumerate() {
                let before = if c == 0 && point.level == Level::Position {
                    point.gap
                } else {
                    axis.dot(&so_far) + point.start[c]
                };
                problem.q.push(before + axis.dot(&free));
            }
            self.pairs.push((i as u32, i as u32));
        }
        self.entries.sort_unstable_by_key(|e| (e.body, e.dof, e.point));
        let same = |a: &Entry, b: &Entry| (a.body, a.dof) == (b.body, b.dof);
        for group in self.entries.chunk_by(same) {
            for a in group {
                self.pairs.extend(group.iter().filter(|b| b.point != a.point).map(|b| (a.point, b.point)));
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        let w = &mut problem.w;
        w.offsets.clear();
        w.columns.clear();
        w.diagonal.clear();
        w.offsets.push(0);
        for row in self.pairs.chunk_by(|a, b| a.0 == b.0) {
            for &(i, j) in row {
                if i == j {
                    w.diagonal.push(w.columns.len());
                }
                w.columns.push(j);
            }
            w.offsets.push(w.columns.len());
        }
        w.blocks.clear();
        w.blocks.resize(w.columns.len() * dim * dim, 0.0);
        for group in self.entries.chunk_by(same) {
            for a in group {
                let row = w.offsets[a.point as usize]..w.offsets[a.point as usize + 1];
                for b in group {
                    let Ok(at) = w.columns[row.clone()].binary_search(&b.point) else { continue };
                    let block = &mut w.blocks[(row.start + at) * dim * dim..][..dim * dim];
                    for c in 0..dim {
                        for d in 0..dim {
                            block[c * dim + d] += a.compliance * a.way[c] * b.way[d];
                        }
                    }
                }
            }
        }
    }

    /// Adds `Hᵀr` of its points to the reaction of body `b`.
    pub(super) fn push(
        points: &[ContactPoint],
        own: &[u32],
        r: &[f64],
        dim: usize,
        b: usize,
        body: &mut Linearised<'_>,
    ) {
        for &i in own {
            let (point, r) = (&points[i as usize], &r[i as usize * dim..][..dim]);
            let force: Vector = point.frame.iter().zip(r).map(|(axis, r)| *r * axis).sum();
            for (anchor, sign) in point.sides_of(b) {
                for (dof, way) in anchor.unknowns(dim) {
                    body.reaction[dof] += sign * force.dot(&way);
                }
            }
        }
    }
}
