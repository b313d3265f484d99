//! A node beside a triangle or a bilinear quad of a deforming surface in space.
//!
//! As in the plane, facets that meet at slight angles stand for a smooth surface: each node has the mean of the normals of
//! those facets, and the normal turns over a facet from one node's to the next, `n = Σ N_a n_a`. The foot solves
//! `Σ N_a (x_a + g n_a) = x`.

use std::cmp::Ordering;

use nalgebra::Matrix3;

use super::Vector;
use super::foot::{Foot, LEVEL};
use super::skin::{SMOOTH, Skin};
use super::source::Placed;
use crate::geometry::features::END;

/// Share of a facet's size by which a place may be missed by its foot and gap.
const MISSED: f64 = 1e-9;

/// Weights of a facet's nodes and their derivatives, at barycentric `(s, t)` of a triangle or `[−1, 1]²` of a quad.
fn shape(count: usize, s: f64, t: f64) -> ([f64; 4], [f64; 4], [f64; 4]) {
    if count == 3 {
        return ([1.0 - s - t, s, t, 0.0], [-1.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0]);
    }
    let (a, b, c, d) = (0.25 * (1.0 - s), 0.25 * (1.0 + s), 1.0 - t, 1.0 + t);
    let weights = [a * c, b * c, b * d, a * d];
    (weights, [-0.25 * c, 0.25 * c, 0.25 * d, -0.25 * d], [-a, -b, b, a])
}

/// The foot of `x` on a facet, see [`Foot::of`].
pub(super) fn foot(skin: &Skin, facet: u32, x: Vector, beyond: f64, at: &impl Placed) -> Option<Foot> {
    let nodes = skin.facets[facet as usize].nodes();
    let count = nodes.len();
    let own = skin.normal(facet, at);
    let place: [Vector; 4] = std::array::from_fn(|k| at.position(skin.body, nodes[k.min(count - 1)].index()));
    let normals: [Vector; 4] = std::array::from_fn(|k| node_normal(skin, nodes[k.min(count - 1)].0, own, at));
    let sum = |w: &[f64; 4], v: &[Vector; 4]| -> Vector { (0..count).map(|k| w[k] * v[k]).sum() };
    let (mut s, mut t) = if count == 3 { (1.0 / 3.0, 1.0 / 3.0) } else { (0.0, 0.0) };
    let mut g = (x - sum(&shape(count, s, t).0, &place)).dot(&own);
    let size = (place[1] - place[0]).norm().max((place[2] - place[0]).norm());
    for _ in 0..20 {
        let (w, ds, dt) = shape(count, s, t);
        let normal = sum(&w, &normals);
        let rest = x - sum(&w, &place) - g * normal;
        let columns = [sum(&ds, &place) + g * sum(&ds, &normals), sum(&dt, &place) + g * sum(&dt, &normals), normal];
        let step = Matrix3::from_columns(&columns).lu().solve(&rest)?;
        // far from the facet the map is not one to one: stay near it
        s = (s + step[0]).clamp(-3.0, 3.0);
        t = (t + step[1]).clamp(-3.0, 3.0);
        g += step[2];
        if step[0].abs() + step[1].abs() + step[2].abs() / size < 1e-14 {
            break;
        }
    }
    let outside = |s: f64, t: f64| match count {
        3 => (-s).max(-t).max(s + t - 1.0),
        _ => 0.5 * (s.abs().max(t.abs()) - 1.0),
    };
    let out = outside(s, t);
    // far from a curved facet the iterations may end nowhere
    let (w, _, _) = shape(count, s, t);
    let missed = (x - sum(&w, &place) - g * sum(&w, &normals)).norm();
    if !out.is_finite() || (out <= LEVEL && missed.partial_cmp(&(MISSED * size)) != Some(Ordering::Less)) {
        return None;
    }
    if out > LEVEL {
        // behind a concave edge: the facets that meet there push together
        let (s0, t0) = (s, t);
        (s, t) = if count == 3 {
            let (p, q) = (s.max(0.0), t.max(0.0));
            (p / (p + q).max(1.0), q / (p + q).max(1.0))
        } else {
            (s.clamp(-1.0, 1.0), t.clamp(-1.0, 1.0))
        };
        let (w, _, _) = shape(count, s, t);
        let edge = edge_of(&w, count, nodes.iter().map(|n| n.0));
        let far = size * ((s - s0).abs() + (t - t0).abs());
        let behind = (x - sum(&w, &place)).dot(&own) < 0.0 && far <= beyond;
        let beside = |edge: [u32; 2]| {
            let sharing = |k: &&u32| **k != facet && edge.iter().all(|n| has(skin, **k, *n));
            skin.place_of(edge[0]).and_then(|place| skin.around(place).iter().find(sharing))
        };
        let concave = edge.and_then(beside).is_some_and(|&other| skin.meet_concave(facet, other, at));
        let ends = out <= END && edge.is_some_and(|edge| beside(edge).is_none());
        if !(behind && concave || ends) {
            return None;
        }
    }
    let (weights, _, _) = shape(count, s, t);
    let normal = sum(&weights, &normals).try_normalize(0.0)?;
    let gap = (x - sum(&weights, &place)).dot(&normal);
    let shared = edge_of(&weights, count, nodes.iter().map(|n| n.0)).filter(|edge| {
        let smooth = |n: &u32| skin.place_of(*n).is_some_and(|place| skin.smooth_normal(place, at).is_some());
        edge.iter().all(smooth)
    });
    Some(Foot { weights, normal, gap, shared })
}

fn has(skin: &Skin, facet: u32, node: u32) -> bool {
    skin.facets[facet as usize].nodes().iter().any(|n| n.0 == node)
}

/// The edge (or twice the node) that weights lie on.
fn edge_of(weights: &[f64; 4], count: usize, nodes: impl Iterator<Item = u32>) -> Option<[u32; 2]> {
    let mut on = nodes.zip(&weights[..count]).filter(|(_, w)| **w > LEVEL).map(|(n, _)| n);
    let first = on.next()?;
    let second = on.next().unwrap_or(first);
    on.next().is_none().then_some([first.min(second), first.max(second)])
}

/// Mean of the normals at a node of the facets that go on smoothly from one with normal `own`.
fn node_normal(skin: &Skin, node: u32, own: Vector, at: &impl Placed) -> Vector {
    let Some(place) = skin.place_of(node) else { return own };
    let normals = skin.around(place).iter().map(|&facet| skin.normal(facet, at));
    let sum: Vector = normals.filter(|n| n.dot(&own) >= SMOOTH).sum();
    sum.try_normalize(0.0).unwrap_or(own)
}
