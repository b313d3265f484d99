//! A ring: the plane between two circles.

use std::f64::consts::FRAC_PI_2;

use super::super::surface::{boundary, name_sets};
use super::super::{Facet, Mesh, MeshError};
use super::{PlaneCells, at_least_one, finite, id, limited, plane_factor, positive, push_quad, resolved};

/// A ring of equal cells around and across.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ring {
    /// Radius of the inner circle.
    pub inner: f64,
    /// Radius of the outer circle, larger.
    pub outer: f64,
    /// Centre of both.
    pub centre: [f64; 2],
    /// Cells around, at least 3.
    pub around: usize,
    /// Cells from the inner to the outer circle.
    pub layers: usize,
    /// Shape of the cells; triangles alternate their diagonal.
    pub cells: PlaneCells,
}

/// Meshes a ring; the nodes lie on circles and are numbered circle by circle from the inside. Face and node sets
/// `inner`, `outer`, `surface`; node set `all`; cell set `all`.
pub fn ring(ring: &Ring) -> Result<Mesh, MeshError> {
    let &Ring { inner, outer, centre, around, layers, cells } = ring;
    positive("the inner radius", inner)?;
    positive("the outer radius", outer)?;
    finite("the centre's x", centre[0])?;
    finite("the centre's y", centre[1])?;
    at_least_one("the number of layers", layers)?;
    if outer <= inner {
        return Err(MeshError::Empty("the radius", inner, outer));
    }
    if around < 3 {
        return Err(MeshError::TooFew("the number of cells around", around, 3));
    }
    let boxes = (around as u128).saturating_mul(layers as u128);
    limited(boxes.saturating_add(around as u128), boxes, plane_factor(cells))?;
    let spacing = ((outer - inner) / layers as f64).min(inner / around as f64);
    resolved(spacing, outer + centre[0].abs().max(centre[1].abs()))?;

    let mut nodes = Vec::with_capacity((layers + 1) * around);
    for layer in 0..=layers {
        let part = layer as f64 / layers as f64;
        let radius = inner * (1.0 - part) + outer * part;
        nodes.extend((0..around).map(|k| {
            let [x, y] = on_circle(k, around);
            [centre[0] + radius * x, centre[1] + radius * y, 0.0]
        }));
    }
    let mut mesh = Mesh::new(nodes);
    let at = |layer: usize, k: usize| id(layer * around + k % around);
    for layer in 0..layers {
        for k in 0..around {
            let quad = [at(layer, k), at(layer + 1, k), at(layer + 1, k + 1), at(layer, k + 1)];
            push_quad(&mut mesh, cells, quad, (layer + k) % 2 == 0);
        }
    }
    // An edge of the boundary lies on the first or on the last circle.
    let (inside, outside): (Vec<Facet>, Vec<Facet>) =
        boundary(&mesh).into_iter().partition(|facet| facet.nodes().iter().all(|node| node.index() < around));
    mesh.face_sets.insert("inner".into(), inside);
    mesh.face_sets.insert("outer".into(), outside);
    name_sets(&mut mesh, &[]);
    Ok(mesh)
}

/// Cosine and sine of `2π k/n`. Only angles up to π/4 are computed and the others are their mirror images, so that
/// points that should be symmetric are so to the bit.
pub(super) fn on_circle(k: usize, n: usize) -> [f64; 2] {
    let (quarter, rest) = (4 * k / n, 4 * k % n);
    let part = |rest: usize| (FRAC_PI_2 * (rest as f64 / n as f64)).sin_cos();
    let (sin, cos) = if 2 * rest <= n {
        part(rest)
    } else {
        let (sin, cos) = part(n - rest);
        (cos, sin)
    };
    // At 45 degrees the rounded sine and cosine differ.
    let (sin, cos) = if 2 * rest == n { (sin, sin) } else { (sin, cos) };
    [[cos, sin], [-sin, cos], [-cos, -sin], [sin, -cos]][quarter % 4]
}

#[cfg(test)]
mod tests {
    use super::super::tests::sound;
    use super::*;

    const RING: Ring =
        Ring { inner: 0.5, outer: 1.25, centre: [0.25, -1.0], around: 12, layers: 3, cells: PlaneCells::Quads };

    #[test]
    fn rings_are_sound() {
        for (around, layers) in [(3, 1), (4, 2), (7, 3), (12, 1), (64, 9)] {
            for cells in [PlaneCells::Quads, PlaneCells::Triangles] {
                let mesh = ring(&Ring { around, layers, cells, ..RING }).unwrap();
                // Between two regular polygons.
                let n = around as f64;
                sound(&mesh, 0.5 * n * (std::f64::consts::TAU / n).sin() * (1.25 * 1.25 - 0.25));
                assert_eq!(mesh.face_sets["inner"].len(), around);
                assert_eq!(mesh.face_sets["outer"].len(), around);
                assert_eq!(mesh.face_sets["surface"].len(), 2 * around);
                for (name, radius) in [("inner", 0.5), ("outer", 1.25)] {
                    for node in &mesh.node_sets[name] {
                        let [x, y, _] = mesh.nodes[node.index()];
                        assert!(((x - 0.25).hypot(y + 1.0) - radius).abs() < 1e-15);
                    }
                }
            }
        }
    }

    #[test]
    fn points_on_the_circle_are_true_and_symmetric() {
        for n in [3, 4, 5, 8, 12, 360, 1000] {
            for k in 0..n {
                let [x, y] = on_circle(k, n);
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
                // The angle here is itself rounded, up to twice by half a unit in the last place of 2π.
                assert!((x - cos).abs() < 2e-15 && (y - sin).abs() < 2e-15, "{k} of {n}");
                assert_eq!(on_circle((n - k) % n, n), [x, -y], "{k} of {n}");
                if n % 4 == 0 {
                    assert_eq!(on_circle((k + n / 4) % n, n), [-y, x], "{k} of {n}");
                }
            }
        }
    }

    #[test]
    fn bad_numbers_are_refused() {
        let message = |ring: &Ring| super::ring(ring).unwrap_err().to_string();
        assert!(message(&Ring { inner: 0.0, ..RING }).contains("inner radius is 0"));
        assert!(message(&Ring { outer: 0.5, ..RING }).contains("from 0.5 to 0.5"));
        assert!(message(&Ring { around: 2, ..RING }).contains("is 2; it must be at least 3"));
        assert!(message(&Ring { layers: usize::MAX, ..RING }).contains("limit"));
        assert!(message(&Ring { centre: [f64::NAN, 0.0], ..RING }).contains("centre's x is NaN"));
    }
}
