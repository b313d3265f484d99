//! Closest places on facets, and what a surface is made of: pure geometry.

use super::Vector;
use crate::mesh::Facet;

/// Edges of a surface with the facets they belong to (twice the same one on a rim), in a fixed order.
pub(super) fn surface_edges(facets: &[Facet]) -> Vec<([u32; 2], [u32; 2])> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::new();
    for (k, facet) in facets.iter().enumerate() {
        let nodes = facet.nodes();
        for a in 0..nodes.len() {
            let (p, q) = (nodes[a].0, nodes[(a + 1) % nodes.len()].0);
            sides.push(([p.min(q), p.max(q)], k as u32));
        }
    }
    sides.sort_unstable();
    let mut edges: Vec<([u32; 2], [u32; 2])> = Vec::new();
    for (nodes, facet) in sides {
        match edges.last_mut() {
            Some((last, owners)) if *last == nodes => owners[1] = facet,
            _ => edges.push((nodes, [facet, facet])),
        }
    }
    edges
}

/// Barycentric foot of the perpendicular on a triangle's plane, and its outward normal.
pub(super) fn on_triangle(p: Vector, x: &[Vector; 4]) -> Option<([f64; 4], Vector)> {
    let (e1, e2, d) = ((x[1] - x[0]), (x[2] - x[0]), (p - x[0]));
    let (a, b, c) = (e1.dot(&e1), e1.dot(&e2), e2.dot(&e2));
    let (f, g) = (e1.dot(&d), e2.dot(&d));
    let det = a * c - b * b;
    let (s, t) = ((c * f - b * g) / det, (a * g - b * f) / det);
    Some(([1.0 - s - t, s, t, 0.0], e1.cross(&e2).try_normalize(0.0)?))
}

/// Place of a bilinear quad nearest to a point, and the normal there. Newton's method on the square of the distance; seen from
/// afar a warped quad has perpendiculars at which the distance is no minimum, so a step goes downhill: where the second
/// derivative has no sign, that of the quad taken as flat stands for it, and a step that does not come nearer is halved.
pub(super) fn on_quad(p: Vector, x: &[Vector; 4]) -> Option<([f64; 4], Vector)> {
    let weights = |s: f64, t: f64| {
        [
            0.25 * (1.0 - s) * (1.0 - t),
            0.25 * (1.0 + s) * (1.0 - t),
            0.25 * (1.0 + s) * (1.0 + t),
            0.25 * (1.0 - s) * (1.0 + t),
        ]
    };
    let sum = |w: [f64; 4]| -> Vector { (0..4).map(|k| w[k] * x[k]).sum() };
    let along = |s: f64, t: f64| {
        let by_s = sum([-0.25 * (1.0 - t), 0.25 * (1.0 - t), 0.25 * (1.0 + t), -0.25 * (1.0 + t)]);
        let by_t = sum([-0.25 * (1.0 - s), -0.25 * (1.0 + s), 0.25 * (1.0 + s), 0.25 * (1.0 - s)]);
        (by_s, by_t)
    };
    let away = |s: f64, t: f64| p - sum(weights(s, t));
    let twist = sum([0.25, -0.25, 0.25, -0.25]);
    let (mut s, mut t) = (0.0f64, 0.0f64);
    let mut d = away(s, t);
    if twist != Vector::zeros() {
        // the nearest of a few places, since a saddle may come near to the point on either side of its middle
        for (a, b) in [(-0.6, -0.6), (0.6, -0.6), (0.6, 0.6), (-0.6, 0.6)] {
            let there = away(a, b);
            if there.norm_squared() < (1.0 - 1e-9) * d.norm_squared() {
                (s, t, d) = (a, b, there);
            }
        }
    }
    for _ in 0..40 {
        let (by_s, by_t) = along(s, t);
        let (f, g) = (d.dot(&by_s), d.dot(&by_t));
        let (a, c, flat) = (by_s.dot(&by_s), by_t.dot(&by_t), by_s.dot(&by_t));
        let curved = flat - d.dot(&twist);
        let b = if a * c > curved * curved { curved } else { flat };
        let det = a * c - b * b;
        let (mut ds, mut dt) = ((c * f - b * g) / det, (a * g - b * f) / det);
        let before = d.norm_squared();
        for _ in 0..20 {
            let next = ((s + ds).clamp(-2.0, 2.0), (t + dt).clamp(-2.0, 2.0));
            d = away(next.0, next.1);
            // what is left is rounding
            if d.norm_squared() <= before || ds.abs() + dt.abs() < 1e-7 {
                break;
            }
            (ds, dt) = (0.5 * ds, 0.5 * dt);
        }
        s = (s + ds).clamp(-2.0, 2.0);
        t = (t + dt).clamp(-2.0, 2.0);
        if ds.abs() + dt.abs() < 1e-14 {
            break;
        }
    }
    let (by_s, by_t) = along(s, t);
    Some((weights(s, t), by_s.cross(&by_t).try_normalize(0.0)?))
}
