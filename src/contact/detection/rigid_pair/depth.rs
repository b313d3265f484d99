//! How deep two rigid shapes are inside each other.

use super::super::Vector;
use super::super::motion::Moment;
use super::RigidPair;

impl RigidPair {
    /// Deepest penetration at the end of the step.
    pub fn penetration(&mut self) -> f64 {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.points(Moment::End, &mut found);
        let deepest = found.iter().map(|p| -p.gap).fold(0.0, f64::max);
        self.found = found;
        self.between.map_or(deepest, |between| deepest.max(-between.gap))
    }

    /// Where the shapes are deepest inside each other as they rest, the way out for the first, and how far that is; nothing if they are
    /// apart. Convex solids part along the plane that separates them best.
    pub fn deepest(&mut self) -> Option<(Vector, Vector, f64)> {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.points(Moment::End, &mut found);
        let point = found.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).copied();
        self.found = found;
        let centre = self.sides[0].at(Moment::End).centre;
        let point = point.map(|p| (centre + p.anchor.arm().unwrap_or_default(), p.frame[0], -p.gap));
        let apart = self.between.map(|between| (between.place, between.normal, -between.gap));
        apart.or(point).filter(|(_, _, depth)| *depth > 0.0)
    }
}
