//! An oracle for the overlap of convex solids, apart from everything the program knows of features: support functions, and a search
//! over the directions of separating planes. Any direction gives a lower bound of the distance, so that what it finds apart is apart.

use nalgebra::{Matrix3, Rotation3, Vector3};

/// A repeatable sequence of numbers.
pub struct Random(pub u64);

impl Random {
    /// One of them.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A vector in a cube.
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.within(-1.0, 1.0))
    }
}

/// The convex hull of circles about one axis (or points, of radius 0), and a radius around it.
#[derive(Debug, Clone)]
pub struct Solid {
    pub centres: Vec<(Vector3<f64>, f64)>,
    pub axis: Vector3<f64>,
    pub radius: f64,
}

impl Solid {
    /// Largest `n·x`, for `n` of any length.
    pub fn height(&self, n: &Vector3<f64>) -> f64 {
        let across = (n - self.axis * n.dot(&self.axis)).norm();
        self.centres.iter().map(|(c, r)| c.dot(n) + r * across).fold(f64::NEG_INFINITY, f64::max)
            + self.radius * n.norm()
    }

    /// Turned and moved by `x → Q (x − from) + to`.
    pub fn moved(&self, turn: &Matrix3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Solid {
        let centres = self.centres.iter().map(|(c, r)| (turn * (c - from) + to, *r)).collect();
        Solid { centres, axis: turn * self.axis, radius: self.radius }
    }

    fn middle(&self) -> Vector3<f64> {
        self.centres.iter().map(|(c, _)| c).sum::<Vector3<f64>>() / self.centres.len() as f64
    }
}

/// Largest value of a concave function of one variable within `±range`, by thirds.
fn highest(value: impl Fn(f64) -> f64, range: f64) -> (f64, f64) {
    let (mut low, mut high) = (-range, range);
    for _ in 0..90 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        *(if value(a) < value(b) { &mut low } else { &mut high }) = if value(a) < value(b) { a } else { b };
    }
    let at = 0.5 * (low + high);
    (at, value(at))
}

/// Where a function of directions, concave and of degree one, is largest on the plane `n₀ + p e₁ + q e₂` around a direction: there it is
/// concave in `p` and in `q`, sharp or not.
pub fn highest_beside(value: impl Fn(&Vector3<f64>) -> f64, n0: Vector3<f64>, range: f64) -> Vector3<f64> {
    let e1 = n0.cross(&Vector3::ith(n0.iamin(), 1.0)).normalize();
    let e2 = n0.cross(&e1).normalize();
    let at = |p: f64, q: f64| n0 + p * e1 + q * e2;
    let best = |p: f64| highest(|q| value(&at(p, q)), range);
    let (p, _) = highest(|p| best(p).1, range);
    at(p, best(p).0)
}

/// How far the best plane separates two solids; negative where they overlap. Exact where they just touch.
pub fn separation(a: &Solid, b: &Solid) -> f64 {
    let along = |n: &Vector3<f64>| -a.height(&-n) - b.height(n);
    let mut starts = vec![a.middle() - b.middle(), a.axis, -a.axis, b.axis, -b.axis];
    starts.extend([1.0, -1.0].map(|sign| sign * a.axis.cross(&b.axis)));
    let mut random = Random(3);
    starts.extend((0..1000).map(|_| random.vector()));
    let best = starts.iter().filter_map(|n| n.try_normalize(1e-9)).map(|n| (along(&n), n));
    let (gap, start) = best.max_by(|x, y| x.0.total_cmp(&y.0)).unwrap_or((f64::NEG_INFINITY, Vector3::z()));
    if gap > 0.0 {
        return gap;
    }
    along(&highest_beside(along, start, 3.0).normalize())
}

/// A solid of the case file's kinds, some 0.1 m large, about `at` with its axis along z at first, and turned there: its lines of the case
/// and what the oracle knows of it.
pub fn solid(kind: &str, at: Vector3<f64>, random: &mut Random) -> (String, Solid) {
    let list = |v: &Vector3<f64>| format!("[{:e}, {:e}, {:e}]", v[0], v[1], v[2]);
    let up = |h: f64| at + Vector3::z() * h;
    let (r, h) = (random.within(0.03, 0.07), random.within(0.02, 0.07));
    let (shape, centres, radius) = match kind {
        "box" => {
            let half = Vector3::from_fn(|_, _| random.within(0.03, 0.07));
            let corner = |k: usize| Vector3::from_fn(|i, _| if k >> i & 1 == 1 { half[i] } else { -half[i] });
            let corners = (0..8).map(|k| (at + corner(k), 0.0)).collect();
            (format!("box: {{ min: {}, max: {} }}", list(&(at - half)), list(&(at + half))), corners, 0.0)
        }
        "sphere" => (format!("sphere: {{ centre: {}, radius: {r:e} }}", list(&at)), vec![(at, 0.0)], r),
        "capsule" => {
            let (r, ends) = (0.6 * r, [up(-h), up(h)]);
            let text = format!("capsule: {{ from: {}, to: {}, radius: {r:e} }}", list(&ends[0]), list(&ends[1]));
            (text, ends.map(|end| (end, 0.0)).to_vec(), r)
        }
        _ => {
            let tip = if kind == "cylinder" { r } else { 0.0 };
            let name = if kind == "cylinder" { "cylinder" } else { "cone" };
            let keys =
                format!("point: {}, direction: [0.0, 0.0, 1.0], radius: {r:e}, length: {:e}", list(&up(-h)), 2.0 * h);
            (format!("{name}: {{ {keys} }}"), vec![(up(-h), r), (up(h), tip)], 0.0)
        }
    };
    let (axis, angle) = (random.vector().normalize(), random.within(0.0, 180.0));
    let turn = Rotation3::from_scaled_axis(axis * angle.to_radians()).into_inner();
    let text = format!(
        "shape: {{ {shape} }}\n    place: {{ rotate: {{ angle: {angle:e}, axis: {}, about: {} }} }}",
        list(&axis),
        list(&at)
    );
    (text, Solid { centres, axis: Vector3::z(), radius }.moved(&turn, &at, &at))
}
