//! Shapes that go through each other within a step: apart at its start and at its end, and one inside the other in between.

use nalgebra::Rotation3;

use super::super::motion::Moment;
use super::super::obstacle::{Obstacle, Shape};
use super::super::{Pose, Vector};
use super::{RigidPair, RigidPlace, Side};

impl RigidPair {
    /// Depth, as a share of half their widths together, from which shapes that meet on the way count as inside each other: ways that curve
    /// are looked at along chords.
    const THROUGH: f64 = 0.1;

    /// Most places on the way that are looked at.
    const LOOKS: usize = 64;

    /// Whether one goes through the other on the way from the start of the step to its end.
    pub fn passes_through(&self) -> bool {
        let widths: f64 = self.sides.iter().map(|side| side.half_width).sum();
        let [a, b] = &self.sides;
        let ways = [Moment::Start, Moment::End].map(|moment| a.middle(moment) - b.middle(moment));
        let way = (ways[1] - ways[0]).norm() + a.turned() + b.turned();
        if !widths.is_finite() || way <= widths {
            return false;
        }
        let looks = ((2.0 * way / widths).ceil() as usize).min(Self::LOOKS);
        let mut probe = self.clone();
        (1..looks).any(|k| {
            let share = k as f64 / looks as f64;
            for (side, own) in probe.sides.iter_mut().zip(&self.sides) {
                side.placed[Moment::End as usize] = own.between(share);
            }
            probe.crosses() || probe.penetration() > Self::THROUGH * widths
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
        let rotation = self.turn().powf(share).into_inner() * start.pose.rotation();
        let rest = self.around.map_or_else(Vector::zeros, |(centre, _)| centre);
        let middle = self.middle(Moment::Start).lerp(&self.middle(Moment::End), share);
        RigidPlace { pose: Pose::carried(rotation, rest, middle), centre: start.centre.lerp(&end.centre, share) }
    }

    /// Sides of a polygon.
    fn segments(&self, moment: Moment) -> Vec<[Vector; 2]> {
        let Shape::Chain(chain) = &self.shape.shape else { return Vec::new() };
        let pose = &self.at(moment).pose;
        let place = |[x, y]: [f64; 2]| pose.place(self.shape.pose.place(Vector::new(x, y, 0.0)));
        let lines = chain.lines().iter().filter(|line| line.closed);
        let sides = lines
            .flat_map(|line| (0..line.points.len()).map(|k| [k, (k + 1) % line.points.len()].map(|k| line.points[k])));
        sides.map(|ends| ends.map(place)).collect()
    }
}

/// Half the width of a solid where it is narrowest; none for what has no end or no inside.
pub(super) fn half_width(obstacle: &Obstacle) -> f64 {
    match &obstacle.shape {
        Shape::Round(round) if !round.inside => round.radius,
        Shape::Revolved(solid) if !solid.inside => (0.5 * solid.length).min(solid.radii[0].max(solid.radii[1])),
        Shape::Block(block) if !block.inside => 0.5 * (block.max - block.min).min(),
        Shape::Chain(chain) if chain.is_closed() => across(obstacle, 2),
        Shape::Surface(surface) if surface.is_closed() => across(obstacle, 3),
        _ => f64::INFINITY,
    }
}

/// Half the least distance of two parallel planes around the corners, of planes in many directions.
fn across(obstacle: &Obstacle, dim: usize) -> f64 {
    let corners: Vec<Vector> = obstacle.corners().iter().map(|corner| corner.point).collect();
    let steps = if dim == 2 { 0..=0 } else { -2..=2 };
    let ways = (-4i32..=4)
        .flat_map(|x| (-4i32..=4).map(move |y| (x, y)))
        .flat_map(|(x, y)| steps.clone().map(move |z| (x, y, z)));
    let directions = ways.filter_map(|(x, y, z)| Vector::new(x.into(), y.into(), z.into()).try_normalize(0.0));
    let width = |d: Vector| {
        let along = corners.iter().map(|corner| corner.dot(&d));
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    };
    0.5 * directions.map(width).fold(f64::INFINITY, f64::min).max(0.0)
}
