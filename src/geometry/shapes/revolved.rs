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

mod ridges;

use std::f64::consts::{PI, TAU};

use super::super::features::{Crossing, DOUBT, Near, Patch, Piece, Support, TIE, Touch, counted_depth};
use super::super::given::{Given, Read, Word};
use super::super::outline::Outline;
use super::super::shape::Shape;
use super::super::solid::{Solid, about_axis};
use super::super::{Pose, Vector, across};
use super::{Core, Round};

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
    fn touch(&self, x: &Vector) -> Touch {
        self.touch_through(x, None)
    }

    /// The same for a point that came `through` a face (see [`Near::through`]).
    fn touch_through(&self, x: &Vector, through: Option<u32>) -> Touch {
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
    fn walls(&self, x: &Vector, reach: f64, out: &mut Vec<Touch>) {
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

    /// The place of a rim, or the tip, that comes first.
    fn foremost(&self, end: usize, away: &Option<Vector>) -> Vector {
        let centre = self.origin + self.axis * (end as f64 * self.length);
        away.map_or(centre, |away| centre + away * self.radii[end])
    }
}

fn cylinder(given: &dyn Given) -> Option<Read> {
    let (point, direction) = (given.place("point"), given.direction("direction"));
    let (length, radius, inside) = (given.maybe_length("length"), given.length("radius"), given.inside());
    let (origin, axis, radius, inside) = (point?, direction?, radius?, inside?);
    Some(match length? {
        Some(length) => Revolved { origin, axis, length, radii: [radius; 2], inside }.into(),
        None => Round { core: Core::Line(origin, axis), radius, inside, dim: given.dim()? }.into(),
    })
}

fn cone(given: &dyn Given) -> Option<Read> {
    let (point, direction) = (given.place("point"), given.direction("direction"));
    let (length, tip) = (given.length("length"), given.length_or_zero("tip_radius"));
    let (radius, inside) = (given.length("radius"), given.inside());
    let radii = [radius?, tip?];
    Some(Revolved { origin: point?, axis: direction?, length: length?, radii, inside: inside? }.into())
}

impl Shape for Revolved {
    const WORDS: &'static [Word] = &[
        Word {
            name: "cylinder",
            dims: &[3],
            keys: &["point", "direction", "radius", "length", "inside"],
            read: cylinder,
        },
        Word {
            name: "cone",
            dims: &[3],
            keys: &["point", "direction", "radius", "tip_radius", "length", "inside"],
            read: cone,
        },
    ];

    fn touches(&self, x: &Vector, near: &Near, out: &mut Vec<Touch>) {
        match self.inside {
            true => self.walls(x, near.reach, out),
            false => out.extend(Some(self.touch_through(x, near.through)).filter(|t| t.gap <= near.reach)),
        }
    }

    fn distance(&self, x: &Vector) -> f64 {
        let gap = self.touch(x).gap;
        if self.inside { -gap } else { gap }
    }

    fn is_face(&self, feature: u32) -> bool {
        feature < RIM
    }

    fn is_container(&self) -> bool {
        self.inside
    }

    fn is_curved(&self) -> bool {
        true
    }

    fn rim_axis(&self) -> Option<Vector> {
        Some(self.axis)
    }

    /// On each rim the deepest in the direction of the facet and three fixed ones, or the tip.
    fn support_count(&self) -> usize {
        if self.inside { 0 } else { 2 * (1 + Self::LEGS) }
    }

    /// Under a rigid body that rolls the others turn with the deepest point
    /// (`rolls`), a third around from it: fixed ones would be bumps.
    fn support(&self, k: usize, towards: &Vector, rolls: bool) -> Option<Support> {
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

    fn supports_move(&self) -> bool {
        true
    }

    fn support_depth(&self) -> f64 {
        0.5 * self.length.min(self.radii[0].max(self.radii[1]))
    }

    /// The side, and each rim seen from either end of the edge.
    fn ridge_count(&self) -> usize {
        if self.inside { 0 } else { 5 }
    }

    fn is_smooth_ridge(&self, k: usize) -> bool {
        k == 0
    }

    fn ridge(&self, k: usize, x: &[Vector; 2]) -> Option<Crossing> {
        match (k, (k.max(1) - 1) / 2) {
            (0, _) => self.across_side(x),
            (1 | 3, end) => self.across_rim(end, 0, x).or_else(|| self.beside_rim(end, x)),
            (_, end) => self.across_rim(end, 1, x),
        }
    }

    fn is_convex(&self) -> bool {
        !self.inside
    }

    fn farthest(&self, d: &Vector) -> (Vector, u32) {
        let away = (d - self.axis * d.dot(&self.axis)).try_normalize(0.0);
        let ends = [0, 1].map(|end| self.foremost(end, &away));
        if (ends[1] - ends[0]).dot(d) > 0.0 { (ends[1], 1) } else { (ends[0], 0) }
    }

    fn piece(&self, number: u32) -> Piece {
        let end = number as usize;
        let (place, radius) = (self.foremost(end, &None), self.radii[end.min(1)]);
        if radius == 0.0 { Piece::Corner(place) } else { Piece::Rim(place, self.axis, radius) }
    }

    fn each_face(&self, visit: &mut dyn FnMut(Vector)) {
        (0..2).filter(|end| self.radii[*end] > 0.0).for_each(|end| visit(self.end_normal(end)));
    }

    fn patch(&self, d: &Vector) -> Patch {
        let up = d.dot(&self.axis);
        let tilt = d - self.axis * up;
        let end = usize::from(up > 0.0);
        if tilt.norm() <= Patch::TILT && self.radii[end] > 0.0 {
            let e1 = tilt.try_normalize(Patch::FLAT).unwrap_or_else(|| across(&self.axis));
            let e2 = self.axis.cross(&e1);
            let mut patch = Patch::of(&[], Some(self.axis * up.signum()));
            for k in 0..Patch::AROUND {
                let (sin, cos) = (TAU * k as f64 / Patch::AROUND as f64).sin_cos();
                patch.push(self.foremost(end, &Some(e1 * cos + e2 * sin)));
            }
            return patch;
        }
        let away = tilt.try_normalize(0.0);
        let ends = [0, 1].map(|end| self.foremost(end, &away));
        let line = ends[1] - ends[0];
        if line.dot(d).abs() <= Patch::TILT * line.norm() {
            return Patch::of(&ends, None);
        }
        Patch::of(&[ends[usize::from(line.dot(d) > 0.0)]], None)
    }

    /// Discs along the axis; three Gauss points are exact for `r⁴` with `r` linear.
    fn solid(&self) -> Option<Solid> {
        if self.inside {
            return None;
        }
        let (mut volume, mut first, mut along, mut across) = (0.0, 0.0, 0.0, 0.0);
        for (x, w) in [(-0.6f64.sqrt(), 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.6f64.sqrt(), 5.0 / 18.0)] {
            let share = 0.5 * (1.0 + x);
            let (z, dz) = (share * self.length, w * self.length);
            let r = (1.0 - share) * self.radii[0] + share * self.radii[1];
            let disc = PI * r * r * dz;
            volume += disc;
            first += disc * z;
            along += 0.5 * disc * r * r;
            across += disc * (0.25 * r * r + z * z);
        }
        let height = first / volume;
        let inertia = about_axis(self.axis, along, across - volume * height * height);
        Some(Solid { volume, centre: self.origin + height * self.axis, inertia })
    }

    fn enclosing_ball(&self, pose: &Pose) -> Option<(Vector, f64)> {
        let half = 0.5 * self.length;
        Some((pose.place(self.origin + half * self.axis), self.radii[0].max(self.radii[1]).hypot(half)))
    }

    fn half_width(&self) -> Option<f64> {
        (!self.inside).then(|| (0.5 * self.length).min(self.radii[0].max(self.radii[1])))
    }

    fn draw(&self, outline: &mut Outline) {
        let (from, to) = (self.origin, self.origin + self.axis * self.length);
        let mut profile = vec![(self.radii[0], from), (self.radii[1], to)];
        if !self.inside {
            profile.insert(0, (0.0, from));
            profile.push((0.0, to));
        }
        profile.dedup();
        outline.turned(&profile, self.axis, if self.inside { 0.5 } else { 1.0 });
    }
}
