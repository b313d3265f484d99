//! Slight folds: a fine triangulation of a smooth shape, pressed into a facet of a body. Many of its corners and edges lie on
//! one facet or across one edge, each with nearly the same condition, and which of them is lowest changes with every tilt of
//! the facet: a solver would take forever to share one force among equals, and would hop from one to the next.
//!
//! So each place of the body's surface — beside a node, beside an edge, on a facet — has one condition: the smallest of the
//! gaps there, which is exact, at the mean of those places whose gap is within the height that the folds stand out, weighted
//! so that a place enters and leaves the mean without a jump. As in [`super::bulges`], where the condition holds, no gap of the
//! place is negative.

use super::bulges::{Beside, Found, Surface};
use super::obstacle::SlightFold;
use super::{Anchor, Vector};

/// Gap within which the neighbours of a fold take part in its condition, on a facet or edge of this size: how far the next
/// fold lies below it.
pub(super) fn blend(fold: &SlightFold, size: f64) -> f64 {
    fold.angle * fold.spacing.min(size)
}

/// What was found of slight folds in the current configuration; keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Slight {
    /// Kind of place and its numbers, what was found there, and its blend.
    found: Vec<([u32; 3], Found, f64)>,
}

impl Slight {
    /// Adds a corner on a facet or an edge across an edge.
    pub fn push(&mut self, found: Found, blend: f64) {
        let place = match (found.beside, found.pass) {
            (Beside::Node(node), _) => [0, node, 0],
            (Beside::Edge([a, b]), _) => [1, a, b],
            (Beside::Nothing, 2) => {
                let nodes = found.anchor.nodes;
                [1, nodes[0].min(nodes[1]), nodes[0].max(nodes[1])]
            }
            (Beside::Nothing, _) => [2, found.second, 0],
        };
        self.found.push((place, found, blend));
    }

    /// Calls `each` with the one condition of every place, and forgets them.
    pub fn each(&mut self, surface: &Surface<'_>, mut each: impl FnMut(&Found)) {
        // no two have the same key, so the sums are the same in every run; a stable sort would allocate
        self.found.sort_unstable_by_key(|(place, f, _)| (*place, f.pass, f.first, f.second));
        for group in self.found.chunk_by(|a, b| a.0 == b.0) {
            if let Some(found) = condition(surface, group) {
                each(&found);
            }
        }
        self.found.clear();
    }
}

fn condition(surface: &Surface<'_>, group: &[([u32; 3], Found, f64)]) -> Option<Found> {
    let gap = group.iter().map(|(_, f, _)| f.gap).fold(f64::INFINITY, f64::min);
    let share = |f: &Found, blend: f64| {
        let above = f.gap - gap;
        if above < blend { (1.0 - above / blend).powi(2) } else { f64::from(u8::from(above == 0.0)) }
    };
    let (kind, a, b) = (group[0].0[0], group[0].0[1], group[0].0[2]);
    let (mut sum, mut normal, mut weights, mut along) = (0.0, Vector::zeros(), [0.0; 4], 0.0);
    for (_, f, blend) in group {
        let share = share(f, *blend);
        sum += share;
        normal += share * f.normal;
        weights.iter_mut().zip(f.anchor.weights).for_each(|(sum, w)| *sum += share * w);
        let weight =
            |node: u32| f.anchor.parts().filter(|part| part.0 == node as usize).map(|part| part.1).sum::<f64>();
        along += share * weight(b) / (weight(a) + weight(b)).max(f64::MIN_POSITIVE);
    }
    let (anchor, beside, second) = match kind {
        0 => (Anchor::node(surface.number, a), Beside::Node(a), a),
        1 => {
            let along = along / sum;
            let side = surface.edges.binary_search_by_key(&[a, b], |(nodes, _)| *nodes).ok()?;
            (Anchor::combination(surface.number, &[a, b], &[1.0 - along, along]), Beside::Nothing, side as u32)
        }
        _ => {
            let mut anchor = group[0].1.anchor;
            anchor.weights = weights.map(|w| w / sum);
            (anchor, Beside::Nothing, a)
        }
    };
    let normal = normal.try_normalize(0.0)?;
    Some(Found { beside, sharp: true, pass: 5, first: kind, second, anchor, normal, gap })
}
