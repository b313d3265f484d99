//! A plane mesh swept along a path: about an axis, along a helix, or along a broken line.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use super::super::{Mesh, MeshError};
use super::prism::Columns;
use super::ring::on_circle;
use super::round::frame;
use super::{SolidCells, at_least_one, finite, resolved};

/// A turn about an axis in the plane of the section, with or without a shift along the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Screw {
    /// Whole angle in radians; its sign is that of a right-handed turn about the axis.
    pub angle: f64,
    /// Whole shift along the axis; 0 for an arc.
    pub rise: f64,
    /// A point of the axis.
    pub point: [f64; 2],
    /// Direction of the axis, of any length.
    pub axis: [f64; 2],
}

/// Where a section moves.
#[derive(Debug, Clone, PartialEq)]
pub enum Path {
    /// About an axis; the section stays in planes through the axis. A whole turn without rise closes on itself.
    Screw(Screw),
    /// Along the straight pieces between points. The origin of the section moves on the path, the section stays
    /// perpendicular to each piece and is mitred where two meet. It starts turned from z into the first piece.
    Polyline(Vec<[f64; 3]>),
}

/// A section and its path.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Where the section moves.
    pub path: Path,
    /// Cells along the path. On a broken line they are shared out by length, and each piece has at least one.
    pub layers: usize,
    /// Shape of the cells. By default hexahedra of a section of quadrilaterals, otherwise tetrahedra.
    pub cells: Option<SolidCells>,
}

/// Sweeps a plane mesh. Sets as of [`extrude`](super::extrude); a closed sweep has neither `start` nor `end`.
///
/// Limit: whether pieces of a broken line that are not neighbours run into each other is not checked.
pub fn sweep(section: &Mesh, how: &Sweep) -> Result<Mesh, MeshError> {
    at_least_one("the number of layers", how.layers)?;
    match &how.path {
        Path::Screw(screw) => turn(section, screw, how),
        Path::Polyline(points) => follow(section, points, how),
    }
}

fn turn(section: &Mesh, screw: &Screw, how: &Sweep) -> Result<Mesh, MeshError> {
    let &Screw { angle, rise, point, axis } = screw;
    for (what, value) in
        [("the angle", angle), ("the rise", rise), ("the point's x", point[0]), ("the point's y", point[1])]
    {
        finite(what, value)?;
    }
    let [_, _, d] = frame([axis[0], axis[1], 0.0])?;
    let (p, across) = (Vector3::new(point[0], point[1], 0.0), Vector3::new(-d[1], d[0], 0.0));
    // Each node by its distance from the axis (signed) and its place along the axis.
    let polar: Vec<[f64; 2]> =
        section.nodes.iter().map(|&x| Vector3::from(x) - p).map(|x| [x.dot(&across), x.dot(&d)]).collect();
    let bounds = |k: usize| {
        polar.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x[k]), high.max(x[k])])
    };
    let ([near, far], [first, last]) = (bounds(0), bounds(1));
    let size = far.abs().max(near.abs());
    if !(near > 1e-9 * size || far < -1e-9 * size) {
        return Err(MeshError::AxisThroughSection);
    }
    let whole = (angle.abs() - TAU).abs() <= 1e-12 * TAU;
    let closed = whole && rise == 0.0;
    let pitch = (rise * TAU / angle).abs();
    if angle.abs() > TAU * (1.0 + 1e-12) || (whole && !closed) {
        // From the second turn on the section stands beside the first one.
        if pitch <= last - first {
            return Err(MeshError::TurnsOverlap { pitch, width: last - first });
        }
    }
    let least = (angle.abs() / (TAU / 3.0) * (1.0 - 1e-12)).ceil().max(1.0) as usize;
    if how.layers < least {
        return Err(MeshError::TooFew("the number of layers of a turn", how.layers, least));
    }
    let step = angle.abs() / how.layers as f64;
    resolved(near.abs().min(far.abs()) * step.min(PI), size + first.abs().max(last.abs()) + rise.abs())?;

    let mut columns = Columns::new(section, how.layers, how.cells)?;
    columns.closed = closed;
    // A turn moves a section on the positive side of the axis along its normal: d × across = z.
    columns.backward = (near < 0.0) != (angle < 0.0);
    let count = if closed { how.layers } else { how.layers + 1 };
    let mut nodes = Vec::with_capacity(count * polar.len());
    for layer in 0..count {
        let part = layer as f64 / how.layers as f64;
        let [cos, sin] = if whole {
            let [cos, sin] = on_circle(layer, how.layers);
            [cos, sin * angle.signum()]
        } else {
            [(angle * part).cos(), (angle * part).sin()]
        };
        let outward = cos * across + sin * Vector3::z();
        nodes.extend(polar.iter().map(|&[r, a]| <[f64; 3]>::from(p + r * outward + (a + rise * part) * d)));
    }
    columns.build(nodes)
}

fn follow(section: &Mesh, points: &[[f64; 3]], how: &Sweep) -> Result<Mesh, MeshError> {
    if points.len() < 2 {
        return Err(MeshError::TooFew("the number of points of the path", points.len(), 2));
    }
    for point in points {
        for value in point {
            finite("a coordinate of the path", *value)?;
        }
    }
    let pieces: Vec<Vector3<f64>> =
        points.windows(2).map(|pair| Vector3::from(pair[1]) - Vector3::from(pair[0])).collect();
    let directions =
        pieces.iter().map(|piece| frame((*piece).into()).map(|[_, _, t]| t)).collect::<Result<Vec<_>, _>>()?;
    let whole: f64 = pieces.iter().map(|piece| piece.norm()).sum();
    let share = |piece: &Vector3<f64>| ((how.layers as f64 * (piece.norm() / whole)).round() as usize).max(1);
    let layers: Vec<usize> = pieces.iter().map(share).collect();
    let columns = Columns::new(section, layers.iter().sum(), how.cells)?;

    let [x, y, _] = frame(pieces[0].into())?;
    let start = Vector3::from(points[0]);
    let mut ends: Vec<Vector3<f64>> = section.nodes.iter().map(|node| start + node[0] * x + node[1] * y).collect();
    let mut nodes: Vec<[f64; 3]> = ends.iter().map(|&p| p.into()).collect();
    let mut advances = vec![0.0; ends.len()];
    for (k, (&t, &count)) in directions.iter().zip(&layers).enumerate() {
        // Every node goes on to the plane that halves the angle to the next piece.
        let normal = t + directions.get(k + 1).copied().unwrap_or(t);
        let corner = Vector3::from(points[k + 1]);
        let limit = 1e-6 * pieces[k].norm();
        for (advance, p) in advances.iter_mut().zip(&ends) {
            *advance = (corner - p).dot(&normal) / t.dot(&normal);
            // Not a number where the path turns straight back.
            if advance.is_nan() || *advance <= limit {
                return Err(MeshError::TooSharp(k + 1));
            }
        }
        for layer in 1..=count {
            let part = layer as f64 / count as f64;
            nodes.extend(ends.iter().zip(&advances).map(|(p, s)| <[f64; 3]>::from(p + part * *s * t)));
        }
        ends.iter_mut().zip(&advances).for_each(|(p, s)| *p += *s * t);
    }
    columns.build(nodes)
}
