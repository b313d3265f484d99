//! Cylinders and cones with flat ends: solids of revolution with one straight side. The nearest place of such a solid lies
//! in the half-plane of the axis and the point, so distances are those to a plane polygon, exact everywhere.
//!
//! ```text
//!        r1
//!   L +------+          z along the axis, ρ away from it
//!     |       \  side
//!   0 +--------+
//!        r0
//! ```
//!
//! Rims and tips are sharp. Where they press on the inside of a facet, the point of the rim deepest in the direction of the
//! facet is found for the current facet, so a tilted rim is held exactly; a rim flat on a facet, where that point is
//! anywhere, stands on three points of its own. The deepest one may follow the facet, since its way around the rim is across the
//! facet's normal; any other that did so would do work.

use super::super::obstacle::{DOUBT, TIE, Touch, counted_depth};
use super::round::between_lines;
use super::{Crossing, Support, Vector, across};

/// A cylinder or cone, or with `inside` the container around its hollow.
#[derive(Debug, Clone, PartialEq)]
pub struct Revolved {
    /// Centre of the first end.
    pub origin: Vector,
    /// Unit vector to the other end.
    pub axis: Vector,
    /// Distance of the ends, > 0.
    pub length: f64,
    /// Radii of the two ends, >= 0 and not both 0.
    pub radii: [f64; 2],
    /// Whether bodies are within it instead of outside.
    pub inside: bool,
}

/// Faces and rims by number: ends 0 and 1, side 2, rims or tips 3 and 4.
const SIDE: u32 = 2;
const RIM: u32 = 3;
/// Share of a face within which a point counts as level with its rim (see `Chain::is_level`).
const LEVEL: f64 = 1e-9;

impl Revolved {
    /// Fixed points of each rim: as many as it takes to carry a flat facet, since more would depend on each other.
    const LEGS: usize = 3;

    /// Sine of the angle to a facet below which a rim counts as flat on it and is held at fixed points; between them it may
    /// enter by half this share of its radius.
    const FLAT: f64 = 1e-6;

    /// Sine of the angle by which a facet may be turned beyond what a rim or tip can push against: a facet turned farther is
    /// another side of the body, which the rim lies behind without having entered there.
    const TURNED: f64 = 0.6;

    /// Whether a feature is an end or the side, not a rim or tip.
    pub fn is_face(&self, feature: u32) -> bool {
        feature < RIM
    }

    /// Length of the side and its outward normal (ρ, z).
    fn side(&self) -> (f64, [f64; 2]) {
        let (dr, dz) = (self.radii[1] - self.radii[0], self.length);
        let s = dr.hypot(dz);
        (s, [dz / s, -dr / s])
    }

    /// Height and distance from the axis of a point, and the direction away from the axis there.
    fn meridian(&self, x: &Vector) -> (f64, f64, Vector) {
        let d = x - self.origin;
        let z = d.dot(&self.axis);
        let radial = d - self.axis * z;
        let rho = radial.norm();
        (z, rho, radial.try_normalize(0.0).unwrap_or_else(|| across(&self.axis)))
    }

    /// Whether a place behind a face or a rim lies beyond another face, so that nothing has entered there.
    fn is_out(&self, x: &Vector) -> bool {
        self.touch(x).gap > 1e-12 * self.length
    }

    fn end_normal(&self, end: usize) -> Vector {
        if end == 0 { -self.axis } else { self.axis }
    }

    fn end_centre(&self, end: usize) -> Vector {
        self.origin + self.axis * (end as f64 * self.length)
    }

    /// Where a point is near the solid.
    pub fn touch(&self, x: &Vector) -> Touch {
        self.touch_through(x, None)
    }

    /// The same for a point that came `through` a face (see `Obstacle::touches_through`).
    pub fn touch_through(&self, x: &Vector, through: Option<u32>) -> Touch {
        let (z, rho, away) = self.meridian(x);
        let (length, n) = self.side();
        let side_normal = away * n[0] + self.axis * n[1];
        let side_gap = (rho - self.radii[0]) * n[0] + z * n[1];
        let end_gaps = [-z, z - self.length];
        if side_gap <= 0.0 && end_gaps.iter().all(|g| *g <= 0.0) {
            // the nearest of the faces there are
            let mut best = Touch { normal: side_normal, gap: side_gap, feature: SIDE, sharp: false };
            for end in 0..2 {
                let counted = |gap: f64, face: u32| counted_depth(-gap, face, through);
                let nearer = counted(end_gaps[end], end as u32) < (1.0 - TIE) * counted(best.gap, best.feature);
                if self.radii[end] > 0.0 && nearer {
                    best =
                        Touch { normal: self.end_normal(end), gap: end_gaps[end], feature: end as u32, sharp: false };
                }
            }
            return best;
        }
        for end in 0..2 {
            if end_gaps[end] >= 0.0 && rho <= self.radii[end] {
                let sharp = rho > (1.0 - LEVEL) * self.radii[end] - DOUBT * end_gaps[end];
                return Touch { normal: self.end_normal(end), gap: end_gaps[end], feature: end as u32, sharp };
            }
        }
        // place along the side, whose direction is (−n_z, n_ρ)
        let along = (rho - self.radii[0]) * -n[1] + z * n[0];
        if (0.0..=length).contains(&along) {
            let margin = LEVEL * length + DOUBT * side_gap;
            let sharp = along < margin || along > length - margin;
            return Touch { normal: side_normal, gap: side_gap, feature: SIDE, sharp };
        }
        let end = usize::from(along > length);
        let (dr, dz) = (rho - self.radii[end], z - end as f64 * self.length);
        let gap = dr.hypot(dz);
        Touch { normal: (away * dr + self.axis * dz) / gap, gap, feature: RIM + end as u32, sharp: true }
    }

    /// Every wall of the container within `reach` of a point; in the angle between two both count.
    pub fn walls(&self, x: &Vector, reach: f64, out: &mut Vec<Touch>) {
        let (z, rho, away) = self.meridian(x);
        let (_, n) = self.side();
        let mut wall = |gap: f64, normal: Vector, feature: u32| {
            if gap <= reach {
                out.push(Touch { normal, gap, feature, sharp: false });
            }
        };
        for (end, gap) in [z, self.length - z].into_iter().enumerate() {
            if self.radii[end] > 0.0 {
                wall(gap, -self.end_normal(end), end as u32);
            }
        }
        wall((self.radii[0] - rho) * n[0] - z * n[1], -(away * n[0] + self.axis * n[1]), SIDE);
    }

    /// Places that press on the inside of a facet: on each rim the deepest in the direction of the facet and three fixed ones,
    /// or the tip.
    pub fn support_count(&self) -> usize {
        if self.inside { 0 } else { 2 * (1 + Self::LEGS) }
    }

    /// Number `k` of them, for a facet in direction `towards`. Under a rigid body that rolls the others turn with the deepest point
    /// (`rolls`), a third around from it: fixed ones would be bumps.
    pub fn support(&self, k: usize, towards: &Vector, rolls: bool) -> Option<Support> {
        let (end, place) = (k / (1 + Self::LEGS), k % (1 + Self::LEGS));
        let outwards = self.end_normal(end);
        let tilt = towards - self.axis * towards.dot(&self.axis);
        // along the side, away from this end: a rim pushes against what does not point that way
        let n = self.side().1;
        let side = tilt.norm() * n[1] * outwards.dot(&self.axis) - towards.dot(&outwards) * n[0];
        // a facet may be the other side of a thin body; between rigid ones every place of a rim counts
        if side > Self::TURNED && !rolls {
            return None;
        }
        if self.radii[end] == 0.0 {
            return (place == 0).then(|| Support { core: self.end_centre(end), radius: 0.0 });
        }
        let away = if place == 0 && !rolls {
            tilt.try_normalize(Self::FLAT)?
        } else if rolls && place == Self::LEGS {
            return None;
        } else {
            let deepest = tilt.try_normalize(Self::FLAT).filter(|_| rolls);
            let e1 = deepest.unwrap_or_else(|| across(&self.axis));
            let (sin, cos) = (std::f64::consts::TAU * place as f64 / Self::LEGS as f64).sin_cos();
            e1 * cos + self.axis.cross(&e1) * sin
        };
        Some(Support { core: self.end_centre(end) + away * self.radii[end], radius: 0.0 })
    }

    /// How far behind a facet a rim may be taken to have entered it rather than to lie beyond the body.
    pub fn support_depth(&self) -> f64 {
        0.5 * self.length.min(self.radii[0].max(self.radii[1]))
    }

    /// Features an edge can lie across: the side, and each rim seen from either end of the edge.
    pub fn ridge_count(&self) -> usize {
        if self.inside { 0 } else { 5 }
    }

    /// Where the edge `x0 → x1` is nearest to feature `k`, if that is between its ends.
    pub fn ridge(&self, k: usize, x: &[Vector; 2]) -> Option<Crossing> {
        match (k, (k.max(1) - 1) / 2) {
            (0, _) => self.across_side(x),
            (1 | 3, end) => self.across_rim(end, 0, x).or_else(|| self.beside_rim(end, x)),
            (_, end) => self.across_rim(end, 1, x),
        }
    }

    /// Along a line the distance to the side is `c ρ(t) + s z(t)` and a constant, with ρ² quadratic in t: convex, with its
    /// lowest place in closed form.
    fn across_side(&self, x: &[Vector; 2]) -> Option<Crossing> {
        let (length, n) = self.side();
        let d = x[1] - x[0];
        let start = x[0] - self.origin;
        let (dz, z0) = (d.dot(&self.axis), start.dot(&self.axis));
        let (radial, start) = (d - self.axis * dz, start - self.axis * z0);
        let a = radial.dot(&radial);
        if a <= 1e-12 * d.dot(&d) {
            return None;
        }
        let b = radial.dot(&start);
        // ρ² = v² + k with v = (a t + b)/√a
        let offset = (start.dot(&start) - b * b / a).max(0.0);
        let slope = n[1] * dz / (n[0] * a.sqrt());
        if slope.abs() >= 1.0 {
            return None;
        }
        let v = -slope * offset.sqrt() / (1.0 - slope * slope).sqrt();
        let share = (v * a.sqrt() - b) / a;
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        let place = x[0] + d * share;
        let (z, rho, away) = self.meridian(&place);
        let along = (rho - self.radii[0]) * -n[1] + z * n[0];
        if !(0.0..=length).contains(&along) || rho == 0.0 {
            return None;
        }
        let gap = (rho - self.radii[0]) * n[0] + z * n[1];
        // what came in through an end is deep below the side, but not by way of it
        if gap < 0.0 && self.touch(&place).feature != SIDE {
            return None;
        }
        Some(Crossing { share, normal: away * n[0] + self.axis * n[1], gap })
    }

    /// The rim near an edge is taken as its tangent: the place of the tangent nearest to the edge gives the next tangent,
    /// until it stays. Returns the place along the edge and the direction of the place of the rim.
    fn nearest_on_rim(&self, end: usize, from: usize, x: &[Vector; 2]) -> Option<(f64, Vector)> {
        let (centre, d, radius) = (self.end_centre(end), x[1] - x[0], self.radii[end]);
        let mut away = self.meridian(&x[from]).2;
        for _ in 0..30 {
            let tangent = self.axis.cross(&away);
            let (share, along) = between_lines(x, &d, &(centre + away * radius), &tangent)?;
            let next = (away * radius + tangent * along.clamp(-radius, radius)).try_normalize(0.0)?;
            let moved = (next - away).norm();
            away = next;
            if moved < 1e-13 {
                return (0.0..=1.0).contains(&share).then_some((share, away));
            }
        }
        None
    }

    /// An edge that passes a rim outside, perhaps along its tangent: along a line the distance from a convex solid is convex,
    /// and where it is lowest the normal is across the edge.
    fn beside_rim(&self, end: usize, x: &[Vector; 2]) -> Option<Crossing> {
        let d = x[1] - x[0];
        let falls = |share: f64| self.touch(&(x[0] + d * share)).normal.dot(&d) < 0.0;
        if !falls(0.0) || falls(1.0) {
            return None;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..54 {
            let middle = 0.5 * (low + high);
            *(if falls(middle) { &mut low } else { &mut high }) = middle;
        }
        let share = 0.5 * (low + high);
        let touch = self.touch(&(x[0] + d * share));
        let here = touch.feature == RIM + end as u32 && touch.gap > 0.0;
        here.then_some(Crossing { share, normal: touch.normal, gap: touch.gap })
    }

    /// An edge across a rim: the normal is the common perpendicular of the edge and the tangent. An edge across an end
    /// meets its rim twice; the search starts from either end of the edge.
    fn across_rim(&self, end: usize, from: usize, x: &[Vector; 2]) -> Option<Crossing> {
        if self.radii[end] == 0.0 {
            return None;
        }
        let (share, away) = self.nearest_on_rim(end, from, x)?;
        if from == 1 && self.nearest_on_rim(end, 0, x).is_some_and(|(other, _)| (other - share).abs() < 1e-9) {
            return None;
        }
        let (n, d) = (self.side().1, x[1] - x[0]);
        let faces = [self.end_normal(end), away * n[0] + self.axis * n[1]];
        let mut normal = self.axis.cross(&away).cross(&d).try_normalize(0.0)?;
        if normal.dot(&faces[0]) + normal.dot(&faces[1]) < 0.0 {
            normal = -normal;
        }
        if faces.iter().any(|f| f.dot(&normal) < -1e-9) {
            return None;
        }
        let place = x[0] + d * share;
        let gap = normal.dot(&(place - self.end_centre(end) - away * self.radii[end]));
        if gap < 0.0 && self.is_out(&place) {
            return None;
        }
        Some(Crossing { share, normal, gap })
    }
}
