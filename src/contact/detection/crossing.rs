//! Edges of two rigid solids that cross: the normal is their common perpendicular. Corners on faces do not see them.

use super::Vector;
use super::corners::LEVEL;
use crate::geometry::Edge;
use crate::geometry::{Bounds, Bvh};

/// The edges of two solids, each as its solid rests.
#[derive(Debug, Clone, Default)]
pub(super) struct Crossings {
    first: Vec<Edge>,
    second: Vec<Edge>,
    /// Boxes of the second ones.
    tree: Bvh,
}

/// Where two edges come nearest to each other, in the frame of the second solid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossed {
    /// Numbers of the edges.
    pub edges: [u32; 2],
    /// The place on the edge of the first.
    pub place: Vector,
    /// From the second to the first.
    pub normal: Vector,
    /// Distance along it.
    pub gap: f64,
}

impl Crossings {
    /// Cosine of an angle that counts as a right one.
    const LEVEL: f64 = 1e-9;

    /// Square of the sine of the angle below which edges count as parallel: they meet in their ends, which are corners.
    const PARALLEL: f64 = 1e-6;

    pub(super) fn new(first: Vec<Edge>, second: Vec<Edge>) -> Self {
        // slight folds stand for a smooth surface
        let sharp = |edges: Vec<Edge>| -> Vec<Edge> { edges.into_iter().filter(|edge| !edge.slight).collect() };
        let (first, second) = (sharp(first), sharp(second));
        let tree = match first.is_empty() {
            true => Bvh::default(),
            false => Bvh::new(&second.iter().map(|edge| Bounds::around(edge.ends)).collect::<Vec<_>>()),
        };
        Crossings { first, second, tree }
    }

    /// Calls `visit` with the crossings whose gap is in `[-depth, reach]`. `seen` takes places of the first solid at rest to the
    /// frame of the second, `turned` its directions.
    pub(super) fn each(
        &self,
        seen: impl Fn(Vector) -> Vector,
        turned: impl Fn(Vector) -> Vector,
        (depth, reach): (f64, f64),
        mut visit: impl FnMut(Crossed),
    ) {
        if self.tree.is_empty() {
            return;
        }
        for (k, edge) in self.first.iter().enumerate() {
            let ends = edge.ends.map(&seen);
            let normals = edge.normals.map(&turned);
            let bounds = Bounds::around(ends).inflated(reach.max(depth));
            self.tree.query(&bounds, |other| {
                if let Some((place, normal, gap)) = crossed(&ends, &normals, &self.second[other as usize])
                    && (-depth..=reach).contains(&gap)
                {
                    visit(Crossed { edges: [k as u32, other], place, normal, gap });
                }
            });
        }
    }
}

/// Two edges, if they come nearest between their ends and each can push the other along the normal there.
fn crossed(x: &[Vector; 2], normals: &[Vector; 2], edge: &Edge) -> Option<(Vector, Vector, f64)> {
    let (d1, d2) = (x[1] - x[0], edge.ends[1] - edge.ends[0]);
    let perpendicular = d1.cross(&d2);
    let (a, b, c) = (d1.dot(&d1), d1.dot(&d2), d2.dot(&d2));
    let det = a * c - b * b;
    if det < Crossings::PARALLEL * a * c {
        return None;
    }
    let mut normal = perpendicular.try_normalize(0.0)?;
    if normal.dot(&(edge.normals[0] + edge.normals[1])) < 0.0 {
        normal = -normal;
    }
    let pushes = edge.normals.iter().all(|n| n.dot(&normal) >= -Crossings::LEVEL);
    let pushed = normals.iter().all(|n| n.dot(&normal) <= Crossings::LEVEL);
    if !(pushes && pushed) {
        return None;
    }
    let offset = edge.ends[0] - x[0];
    let (e, f) = (d1.dot(&offset), d2.dot(&offset));
    let (s, t) = ((e * c - b * f) / det, (b * e - a * f) / det);
    let place = x[0] + s * d1;
    let gap = normal.dot(&(place - edge.ends[0] - t * d2));
    // beside an end that is inside the corner is pushed out through a face, and the edge with it
    let within = |share: f64, length: f64| {
        let margin = LEVEL + 2.0 * (-gap).max(0.0) / length;
        (margin..=1.0 - margin).contains(&share)
    };
    (within(s, a.sqrt()) && within(t, c.sqrt())).then_some((place, normal, gap))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_1_SQRT_2;

    /// An edge along x with its faces below, and one along y above it with its faces upwards.
    #[test]
    fn roofs_that_cross_touch_in_one_point() {
        let h = FRAC_1_SQRT_2;
        let lower = Edge {
            ends: [Vector::new(-1.0, 0.0, 0.0), Vector::new(1.0, 0.0, 0.0)],
            normals: [Vector::new(0.0, h, h), Vector::new(0.0, -h, h)],
            slight: false,
        };
        let upper = |z: f64, x: f64| Edge {
            ends: [Vector::new(x, -1.0, z), Vector::new(x, 1.0, z)],
            normals: [Vector::new(h, 0.0, -h), Vector::new(-h, 0.0, -h)],
            slight: false,
        };
        let found = |edge: Edge, within: (f64, f64)| {
            let mut all = Vec::new();
            let crossings = Crossings::new(vec![edge], vec![lower.clone()]);
            crossings.each(|x| x, |d| d, within, |crossed| all.push(crossed));
            all
        };
        for z in [0.25, 0.0, -0.1] {
            let all = found(upper(z, 0.3), (0.2, 0.5));
            assert_eq!(all.len(), 1, "{z}");
            assert!((all[0].gap - z).abs() < 1e-15 && (all[0].normal - Vector::z()).norm() < 1e-15);
            assert!((all[0].place - Vector::new(0.3, 0.0, z)).norm() < 1e-15);
        }
        // too far, beside the end, too deep, from behind
        assert!(found(upper(0.6, 0.3), (0.2, 0.5)).is_empty());
        assert!(found(upper(0.1, 1.1), (0.2, 0.5)).is_empty());
        assert!(found(upper(-0.3, 0.3), (0.2, 0.5)).is_empty());
        let mut behind = upper(0.1, 0.3);
        behind.normals = behind.normals.map(|n| -n);
        assert!(found(behind, (0.2, 0.5)).is_empty());
    }
}
