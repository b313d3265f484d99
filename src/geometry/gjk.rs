//! The distance of two convex cores by what is farthest in a direction (GilbertJohnsonKeerthi1988): the place of their Minkowski
//! difference nearest to the origin, from the nearest places of simplices of its points.

use nalgebra::Matrix3;

use super::Vector;

/// Where two cores are nearest to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nearest {
    /// From the second to the first.
    pub apart: Vector,
    /// The place of the first.
    pub place: Vector,
    /// The pieces that the nearest places are between, those of the first and of the second, with their weights.
    pub pieces: [([u32; 2], f64); 3],
}

/// A place of a core farthest in a direction, and the piece of it that the place belongs to: a corner or a rim.
pub(super) type Farthest = (Vector, u32);

/// A point of the difference, and the place of the first core it comes from.
#[derive(Debug, Clone, Copy, Default)]
struct Vertex {
    difference: Vector,
    place: Vector,
    pieces: [u32; 2],
}

/// Corners of a tetrahedron at most, with their weights in the point nearest to the origin.
#[derive(Debug, Clone, Copy, Default)]
struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    count: usize,
}

const ITERATIONS: usize = 200;

/// Share of the distance that is left to win when the search ends; below it is rounding.
const TOLERANCE: f64 = 1e-15;

/// Share of the size below which there is no distance.
const TOUCHING: f64 = 1e-10;

/// The nearest places of two cores; none if they touch, overlap or are apart by no more than `least`. `farthest` is the place of the first
/// core farthest along a direction, and that of the second farthest against it.
pub(super) fn nearest(farthest: impl Fn(Vector) -> [Farthest; 2], start: Vector, least: f64) -> Option<Nearest> {
    let vertex = |d: Vector| {
        let [(a, p), (b, q)] = farthest(d);
        Vertex { difference: a - b, place: a, pieces: [p, q] }
    };
    let mut simplex = Simplex { weights: [1.0, 0.0, 0.0, 0.0], count: 1, ..Simplex::default() };
    simplex.vertices[0] = vertex(start);
    let mut size = simplex.vertices[0].difference.norm();
    for _ in 0..ITERATIONS {
        let v = simplex.nearest();
        let squared = v.norm_squared();
        if squared.sqrt() <= least.max(TOUCHING * size) {
            return None;
        }
        let next = vertex(-v);
        size = size.max(next.difference.norm());
        let left = squared - v.dot(&next.difference);
        let known = simplex.vertices[..simplex.count].iter().any(|known| known.difference == next.difference);
        if left <= TOLERANCE * squared.sqrt() * (squared.sqrt() + 0.1 * size) || known {
            break;
        }
        let mut larger = simplex;
        larger.vertices[larger.count] = next;
        larger.count += 1;
        if larger.reduce() {
            return None;
        }
        // at round-off a step may lead away again
        if larger.nearest().norm_squared() >= squared {
            break;
        }
        simplex = larger;
    }
    let place = (0..simplex.count).map(|k| simplex.weights[k] * simplex.vertices[k].place).sum();
    let pieces = std::array::from_fn(|k| (simplex.vertices[k].pieces, simplex.weights[k]));
    Some(Nearest { apart: simplex.nearest(), place, pieces })
}

impl Simplex {
    fn nearest(&self) -> Vector {
        (0..self.count).map(|k| self.weights[k] * self.vertices[k].difference).sum()
    }

    /// Keeps the vertices whose simplex holds the point nearest to the origin; true if that is the origin, inside. The last vertex is a
    /// new one, and among them: without it there is nothing nearer than before.
    fn reduce(&mut self) -> bool {
        let y = self.vertices.map(|vertex| vertex.difference);
        if self.count == 4 && inside(&y) {
            return true;
        }
        let mut best = (f64::INFINITY, [0.0; 4]);
        let newest = 1u32 << (self.count - 1);
        for subset in newest..2 * newest {
            let Some(weights) = foot(&y, subset) else { continue };
            let distance = (0..4).map(|k| weights[k] * y[k]).sum::<Vector>().norm_squared();
            if distance < best.0 {
                best = (distance, weights);
            }
        }
        let mut kept = Simplex::default();
        for (vertex, weight) in self.vertices.iter().zip(best.1).filter(|(_, weight)| *weight > 0.0) {
            kept.vertices[kept.count] = *vertex;
            kept.weights[kept.count] = weight;
            kept.count += 1;
        }
        *self = kept;
        false
    }
}

/// Whether a tetrahedron holds the origin.
fn inside(y: &[Vector; 4]) -> bool {
    let sides = Matrix3::from_columns(&[y[1] - y[0], y[2] - y[0], y[3] - y[0]]);
    let size = sides.column_iter().map(|c| c.norm()).fold(0.0, f64::max);
    if sides.determinant().abs() <= 1e-15 * size.powi(3) {
        return false;
    }
    sides.try_inverse().is_some_and(|inverse| {
        let w = -(inverse * y[0]);
        w.min() >= 0.0 && w.sum() <= 1.0
    })
}

/// Weights of the foot of the origin on the line or plane through up to three vertices, if it lies between them.
fn foot(y: &[Vector; 4], subset: u32) -> Option<[f64; 4]> {
    let mut members = [0; 4];
    let mut count = 0;
    for k in (0..4).filter(|k| subset >> k & 1 == 1) {
        members[count] = k;
        count += 1;
    }
    let mut weights = [0.0; 4];
    let [a, b, c, _] = members;
    match count {
        1 => weights[a] = 1.0,
        2 => {
            let e = y[b] - y[a];
            let share = -y[a].dot(&e) / e.norm_squared();
            (weights[a], weights[b]) = (1.0 - share, share);
        }
        3 => {
            let (e, f) = (y[b] - y[a], y[c] - y[a]);
            let n = e.cross(&f);
            let squared = n.norm_squared();
            if squared <= 1e-24 * e.norm_squared() * f.norm_squared() {
                return None;
            }
            let d = -y[a];
            let (s, t) = (d.cross(&f).dot(&n) / squared, e.cross(&d).dot(&n) / squared);
            (weights[a], weights[b], weights[c]) = (1.0 - s - t, s, t);
        }
        _ => return None,
    }
    // not a number where two vertices are one
    let between = members[..count].iter().all(|&k| weights[k] > 0.0);
    between.then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(centre: Vector, half: f64, d: Vector) -> Farthest {
        (centre + Vector::from_fn(|i, _| if d[i] > 0.0 { half } else { -half }), 0)
    }

    #[test]
    fn cubes_are_apart_by_faces_edges_and_corners() {
        for (at, distance) in [
            (Vector::new(3.0, 0.3, -0.2), 1.0),
            (Vector::new(3.0, 3.0, 0.4), 2f64.sqrt()),
            (Vector::new(3.0, -3.0, 3.0), 3f64.sqrt()),
        ] {
            let found = nearest(|d| [cube(at, 1.0, d), cube(Vector::zeros(), 1.0, -d)], Vector::y(), 0.0);
            let Some(found) = found else { panic!("{at:?} are apart") };
            assert!((found.apart.norm() - distance).abs() < 1e-14, "{at:?} {found:?}");
        }
        let overlap =
            nearest(|d| [cube(Vector::new(1.5, 0.2, 0.1), 1.0, d), cube(Vector::zeros(), 1.0, -d)], Vector::y(), 0.0);
        assert!(overlap.is_none());
    }
}
