//! Shapes that go through each other within a step: apart at its start and at its end, and one inside the other in between.

use nalgebra::Rotation3;

use super::super::Vector;
use super::super::motion::Moment;
use super::super::zone::Level;
use super::{RigidPair, RigidPlace, Side};
use crate::geometry::Passage;

impl RigidPair {
    /// Depth, as a share of half their widths together, from which shapes that meet on the way count as inside each other: ways that curve
    /// are looked at along chords.
    const THROUGH: f64 = 0.1;

    /// At the other levels steps may end inside, by this share of half the width of the thinner one deeper than they begin.
    const DEEPER: f64 = 0.5;

    /// Way between two looks, as a share of the width.
    const APART: f64 = 0.5;

    /// Whether one goes through the other on the way from the start of the step to its end.
    pub fn passes_through(&self) -> bool {
        let [one, other] = self.sides.each_ref().map(|side| side.half_width);
        let exact = self.level == Level::Position;
        let width = if exact { one + other } else { Self::DEEPER * one.min(other) };
        let [a, b] = &self.sides;
        let ways = [Moment::Start, Moment::End].map(|moment| a.middle(moment) - b.middle(moment));
        let way = (ways[1] - ways[0]).norm() + a.turned() + b.turned();
        let passage = Passage {
            way,
            seen: if one.is_finite() && other.is_finite() { width } else { f64::INFINITY },
            apart: Self::APART * width,
            deeper: if exact { Self::THROUGH * width } else { width },
        };
        let mut probe = None;
        passage.leads_through(|share| {
            let probe = probe.get_or_insert_with(|| self.clone());
            for (side, own) in probe.sides.iter_mut().zip(&self.sides) {
                side.placed[Moment::End as usize] = own.between(share);
            }
            if exact && probe.crosses() { f64::INFINITY } else { probe.penetration() }
        })
    }

    /// Whether the sides of two polygons cross at the end of the step: in the plane long ones do so without a corner in each other. The ends
    /// of both must lie clearly on either side of the other: what rests on a side crosses it by rounding.
    pub fn crosses(&self) -> bool {
        let [ones, others] = self.sides.each_ref().map(|side| side.segments(Moment::End));
        let clearly = Self::BACK * self.size;
        let parted = |[p, q]: [Vector; 2], ends: [Vector; 2]| {
            let d = q - p;
            let [one, other] = ends.map(|x| (d[0] * (x - p)[1] - d[1] * (x - p)[0]) / d.norm());
            one.abs().min(other.abs()) > clearly && one * other < 0.0
        };
        ones.iter().any(|&one| others.iter().any(|&other| parted(one, other) && parted(other, one)))
    }
}

impl Side {
    /// The middle of the shape.
    fn middle(&self, moment: Moment) -> Vector {
        self.at(moment).pose.place(self.around.map_or_else(Vector::zeros, |(centre, _)| centre))
    }

    /// The turn over the step.
    fn turn(&self) -> Rotation3<f64> {
        let [start, end] = [Moment::Start, Moment::End].map(|moment| *self.at(moment).pose.rotation());
        Rotation3::from_matrix_unchecked(end * start.transpose())
    }

    /// How far its places go at most because it turns.
    fn turned(&self) -> f64 {
        if self.is_ball() { 0.0 } else { self.turn().angle() * self.around.map_or(0.0, |(_, radius)| radius) }
    }

    /// Where it is when a share of the step is over: its middle on the chord, turned as far.
    fn between(&self, share: f64) -> RigidPlace {
        let [start, end] = [Moment::Start, Moment::End].map(|moment| self.at(moment));
        let middle = self.around.map_or_else(Vector::zeros, |(centre, _)| centre);
        RigidPlace { pose: start.pose.between(&end.pose, middle, share), centre: start.centre.lerp(&end.centre, share) }
    }

    /// Sides of a polygon.
    fn segments(&self, moment: Moment) -> Vec<[Vector; 2]> {
        let pose = &self.at(moment).pose;
        let Some(faces) = self.shape.faces().filter(|_| self.shape.is_closed()) else { return Vec::new() };
        let side = |facet: &Vec<u32>| match facet[..] {
            [a, b] => Some([a, b].map(|k| pose.place(faces.points[k as usize]))),
            _ => None,
        };
        faces.facets.iter().filter_map(side).collect()
    }
}
