//! Two solid boxes in space are apart if and only if a plane separates them: one along a face of either, or one along an edge of
//! each (the separating axes of two boxes, fifteen of them). Corners on faces and edges that cross are what touches in such a
//! plane, but beside the end of an edge neither may be seen; the planes see every overlap.

use super::Vector;

/// A box where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    centre: Vector,
    /// Unit vectors along its edges, and half of their lengths.
    axes: [Vector; 3],
    half: [f64; 3],
}

/// What would touch in the plane that separates two boxes best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Features {
    /// A corner of `slave` on a face of the other, across its axis `axis`, on the upper side of it or the lower.
    Corner { slave: usize, corner: usize, axis: usize, upper: bool },
    /// Two edges: number, place on the first's.
    Edges { edges: [u32; 2], place: Vector },
}

impl Features {
    /// Whether the same corner or the same edges touch.
    pub(crate) fn is_like(&self, other: &Features) -> bool {
        match (self, other) {
            (Features::Edges { edges: a, .. }, Features::Edges { edges: b, .. }) => a == b,
            (one, other) => one == other,
        }
    }
}

/// How two boxes are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Separation {
    /// Along `normal`, negative where they overlap: no plane separates them better.
    pub gap: f64,
    /// From the second to the first.
    pub normal: Vector,
    pub features: Features,
}

impl Placed {
    /// From its corners: those with number `1 << i` differ from the first along axis `i`.
    pub(crate) fn of(corner: impl Fn(usize) -> Vector) -> Self {
        let (low, high) = (corner(0), corner(7));
        let along = [1, 2, 4].map(|k| corner(k) - low);
        Placed { centre: 0.5 * (low + high), axes: along.map(|a| a.normalize()), half: along.map(|a| 0.5 * a.norm()) }
    }

    fn extent(&self, n: &Vector) -> f64 {
        (0..3).map(|i| self.half[i] * self.axes[i].dot(n).abs()).sum()
    }

    /// For each axis, whether the place farthest along `n` is on its upper side.
    fn farthest(&self, n: &Vector) -> [bool; 3] {
        self.axes.map(|axis| axis.dot(n) > 0.0)
    }

    fn corner(&self, upper: [bool; 3]) -> Vector {
        (0..3).map(|i| (if upper[i] { 1.0 } else { -1.0 }) * self.half[i] * self.axes[i]).sum::<Vector>() + self.centre
    }
}

/// Sine of the angle below which edges count as parallel: the plane along both is then one along a face.
const PARALLEL: f64 = 1e-4;

/// Share of the boxes' sizes by which a plane along edges must separate better than any along a face.
const PREFERRED: f64 = 1e-9;

/// The plane that separates two boxes best.
pub(crate) fn separation(boxes: &[Placed; 2]) -> Separation {
    let [a, b] = boxes;
    let apart = a.centre - b.centre;
    let along = |n: Vector| {
        let n = if n.dot(&apart) < 0.0 { -n } else { n };
        (n.dot(&apart) - a.extent(&n) - b.extent(&n), n)
    };
    let mut best = (f64::NEG_INFINITY, Vector::zeros());
    let mut face = (0, 0);
    for (which, own) in boxes.iter().enumerate() {
        for (i, axis) in own.axes.iter().enumerate() {
            let here = along(*axis);
            if here.0 > best.0 {
                (best, face) = (here, (which, i));
            }
        }
    }
    let margin = PREFERRED * boxes.iter().flat_map(|own| own.half).fold(0.0, f64::max);
    let mut edges = None;
    for i in 0..3 {
        for j in 0..3 {
            let Some(n) = a.axes[i].cross(&b.axes[j]).try_normalize(PARALLEL) else { continue };
            let here = along(n);
            if here.0 > best.0 + margin {
                (best, edges) = (here, Some((i, j)));
            }
        }
    }
    let (gap, normal) = best;
    let features = match edges {
        None => {
            let (master, axis) = face;
            // the normal points out of the second, into the first
            let out = if master == 1 { normal } else { -normal };
            let upper = boxes[master].axes[axis].dot(&out) > 0.0;
            let farthest = boxes[1 - master].farthest(&-out);
            let corner = (0..3).map(|k| usize::from(farthest[k]) << k).sum();
            Features::Corner { slave: 1 - master, corner, axis, upper }
        }
        Some((i, j)) => {
            let ends = [a.farthest(&-normal), b.farthest(&normal)];
            let (d, e) = (a.axes[i], b.axes[j]);
            // a place of either edge; its own axis does not matter
            let (x, y) = (a.corner(ends[0]), b.corner(ends[1]));
            // nearest place of the first line to the second: x + s d
            let (cos, offset) = (d.dot(&e), y - x);
            let s = (offset.dot(&d) - cos * offset.dot(&e)) / (1.0 - cos * cos);
            let middle = (a.centre - x).dot(&d);
            let place = x + s.clamp(middle - a.half[i], middle + a.half[i]) * d;
            Features::Edges { edges: [edge_number(i, ends[0]), edge_number(j, ends[1])], place }
        }
    };
    Separation { gap, normal, features }
}

/// Number of an edge along an axis, as [`super::shapes::Block::edges`] counts.
fn edge_number(along: usize, upper: [bool; 3]) -> u32 {
    let (p, q) = ((along + 1) % 3, (along + 2) % 3);
    (4 * along + usize::from(upper[p]) + 2 * usize::from(upper[q])) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    fn block(centre: Vector, half: [f64; 3], turn: Vector) -> Placed {
        let turn = Rotation3::from_scaled_axis(turn);
        Placed::of(|k| centre + turn * Vector::from_fn(|i, _| if k >> i & 1 == 1 { half[i] } else { -half[i] }))
    }

    #[test]
    fn a_corner_on_a_face_and_edges_that_cross() {
        let table = block(Vector::zeros(), [1.0, 1.0, 0.5], Vector::zeros());
        // on its corner: the diagonal upright
        let (edge, angle) = (0.2, (1.0f64 / 3.0f64.sqrt()).acos());
        let turn = Vector::new(1.0, -1.0, 0.0).normalize() * angle;
        let cube = block(Vector::new(0.1, 0.2, 0.5 + edge * 3.0f64.sqrt() - 0.01), [edge; 3], turn);
        let found = separation(&[cube, table]);
        assert!((found.gap + 0.01).abs() < 1e-12 && (found.normal - Vector::z()).norm() < 1e-12, "{found:?}");
        assert!(matches!(found.features, Features::Corner { slave: 0, axis: 2, upper: true, .. }), "{found:?}");
        // bars edge across edge
        let lower = block(Vector::zeros(), [1.0, 0.1, 0.1], Vector::x() * std::f64::consts::FRAC_PI_4);
        let height = 0.2 * 2.0f64.sqrt() + 0.003;
        let upper = block(Vector::new(0.3, 0.2, height), [0.1, 1.0, 0.1], Vector::y() * std::f64::consts::FRAC_PI_4);
        let found = separation(&[upper, lower]);
        assert!((found.gap - 0.003).abs() < 1e-12 && (found.normal - Vector::z()).norm() < 1e-12, "{found:?}");
        let Features::Edges { place, .. } = found.features else { panic!("{found:?}") };
        assert!((place - Vector::new(0.3, 0.0, height - 0.1 * 2.0f64.sqrt())).norm() < 1e-12, "{place:?}");
    }
}
