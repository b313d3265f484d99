//! Where edges lie across the side of a cylinder or cone, or across its rims.

use super::super::super::Vector;
use super::super::super::features::Crossing;
use super::super::round::between_lines;
use super::{RIM, Revolved, SIDE};

impl Revolved {
    /// Along a line the distance to the side is `c ρ(t) + s z(t)` and a constant, with ρ² quadratic in t: convex, with its
    /// lowest place in closed form.
    pub(super) fn across_side(&self, x: &[Vector; 2]) -> Option<Crossing> {
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
    pub(super) fn beside_rim(&self, end: usize, x: &[Vector; 2]) -> Option<Crossing> {
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
    pub(super) fn across_rim(&self, end: usize, from: usize, x: &[Vector; 2]) -> Option<Crossing> {
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
