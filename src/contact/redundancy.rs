//! Contact points that say nothing new. Where a body lies flat across the seam of two slabs, the slabs' corners touch a facet
//! whose nodes stand on the slabs: the corners cannot enter unless the nodes do. Keeping them makes `W` singular, and how
//! the force is shared between a corner and the nodes beside it is then a matter of rounding.

use super::detection::ContactPoint;

/// Cosine of the angle within which two normals count as one: a facet rests on a face, bent by its elastic waves.
const ALIGNED: f64 = 1.0 - 1e-4;

/// Finds points that others imply; keeps its memory between calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Redundancy {
    /// Body, node and place of every point that acts on a single node, sorted.
    nodes: Vec<(usize, usize, usize)>,
    implied: Vec<bool>,
}

impl Redundancy {
    /// Drops every point between nodes whose gap is no less than what the gaps of those nodes leave it,
    /// `g ≥ Σ w_k g_k (n_k·n) − slack`, and every point that repeats an earlier one. `slack(body)` is the length below which
    /// gaps do not differ. Only points on what is rigid imply each other: the facets of a master move on their own.
    pub(super) fn prune(&mut self, points: &mut Vec<ContactPoint>, slack: impl Fn(usize) -> f64) {
        if points.iter().all(|p| p.identity.pass == 0 || !p.is_on_rigid()) {
            return;
        }
        self.nodes.clear();
        for (place, point) in points.iter().enumerate().filter(|(_, p)| p.identity.pass == 0 && p.is_on_rigid()) {
            self.nodes.extend(point.anchor.parts().map(|(node, _)| (point.anchor.body, node, place)));
        }
        self.nodes.sort_unstable();
        self.implied.clear();
        for (place, point) in points.iter().enumerate() {
            let slack = slack(point.anchor.body);
            let implied = point.identity.pass != 0
                && point.is_on_rigid()
                && (self.is_implied(points, point, slack) || points[..place].iter().any(|p| repeats(point, p, slack)));
            self.implied.push(implied);
        }
        let mut place = 0;
        points.retain(|_| {
            place += 1;
            !self.implied[place - 1]
        });
    }

    fn is_implied(&self, points: &[ContactPoint], point: &ContactPoint, slack: f64) -> bool {
        let mut floor = 0.0;
        for (node, weight) in point.anchor.parts().filter(|(_, weight)| *weight != 0.0) {
            let key = (point.anchor.body, node);
            let first = self.nodes.partition_point(|&(body, n, _)| (body, n) < key);
            let of_node = self.nodes[first..].iter().take_while(|&&(body, n, _)| (body, n) == key);
            let lowest = of_node
                .map(|&(_, _, place)| &points[place])
                .filter(|p| {
                    p.level == point.level && p.master() == point.master() && p.frame[0].dot(&point.frame[0]) >= ALIGNED
                })
                .map(|p| p.gap * p.frame[0].dot(&point.frame[0]))
                .fold(f64::INFINITY, f64::min);
            floor += weight * lowest;
        }
        // an uncovered node leaves the floor infinite
        point.gap >= floor - slack
    }
}

fn repeats(point: &ContactPoint, earlier: &ContactPoint, slack: f64) -> bool {
    let same_place = || {
        let pairs = point.anchor.parts().zip(earlier.anchor.parts());
        pairs.into_iter().all(|((m, w), (n, v))| m == n && (w - v).abs() <= 1e-9)
    };
    earlier.identity.pass == point.identity.pass
        && earlier.master() == point.master()
        && earlier.anchor.body == point.anchor.body
        && earlier.anchor.parts().count() == point.anchor.parts().count()
        && (earlier.gap - point.gap).abs() <= slack
        && earlier.frame[0].dot(&point.frame[0]) >= 1.0 - 1e-12
        && same_place()
}
