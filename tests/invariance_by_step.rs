//! What must not matter to contact, where whole trajectories cannot tell: in a pile every impact makes differences in the last digit
//! grow, by three to ten times, so that after some fifteen of them bodies end elsewhere, as they do if one is nudged by 1e-15. So a
//! pile and its image (shifted, turned) go step by step side by side, and each step of the image begins where the pile is.

mod runs;

use impakt::bodies::BodyState;
use impakt::case::build;
use impakt::simulation::Simulation;
use nalgebra::{Quaternion, Rotation3, UnitQuaternion, Vector3};
use runs::claims::source;
use runs::{at_least, at_most, case_from, distance, path, size};

/// A turn about the origin and a shift.
struct Motion {
    axis: Vector3<f64>,
    degrees: f64,
    shift: Vector3<f64>,
}

impl Motion {
    fn turn(&self) -> Rotation3<f64> {
        Rotation3::from_scaled_axis(self.axis * self.degrees.to_radians())
    }

    /// The text of a case with everything moved; initial velocities are left to [`Motion::of_state`].
    fn of_case(&self, text: &str, dim: usize, gravity: Vector3<f64>) -> String {
        let list = |v: &Vector3<f64>| format!("{:?}", &v.as_slice()[..dim]);
        // where a rotation about a place leads, as one about the origin and a shift
        let place = |own: Rotation3<f64>, about: Vector3<f64>| {
            let whole = self.turn() * own;
            let shift = self.turn() * (about - own * about) + self.shift;
            let axis = whole.axis().map_or(Vector3::z(), |axis| axis.into_inner());
            // in the plane about z, in either sense
            let (angle, axis) = match dim {
                2 => (whole.angle() * axis.z.signum(), String::new()),
                _ => (whole.angle(), format!(", axis: {}", list(&axis))),
            };
            let rotate = format!("{{ angle: {:?}{axis}, about: {} }}", angle.to_degrees(), list(&Vector3::zeros()));
            format!("place: {{ rotate: {rotate}, translate: {} }}", list(&shift))
        };
        let mut moved = String::new();
        for line in text.lines() {
            moved += &match line.split_once("place: { rotate: {") {
                Some((before, after)) => {
                    let (own, rest) = after.split_once("} }").expect("the end of a place");
                    let axis = if dim == 3 { Vector3::from_row_slice(&numbers(own, "axis:")) } else { Vector3::z() };
                    let about = numbers(own, "about:");
                    let about = Vector3::from_fn(|k, _| about.get(k).copied().unwrap_or(0.0));
                    let angle = numbers(own, "angle:")[0].to_radians();
                    format!("{before}{}{rest}", place(Rotation3::from_scaled_axis(axis.normalize() * angle), about))
                }
                None => {
                    let whole = place(Rotation3::identity(), Vector3::zeros());
                    line.replace("{ shape:", &format!("{{ {whole}, shape:"))
                }
            };
            moved.push('\n');
        }
        let (before, after) = moved.split_once("{ gravity: ").expect("gravity");
        let (_, after) = after.split_once('}').expect("its end");
        format!("{before}{{ gravity: {} }}{after}", list(&(self.turn() * gravity)))
    }

    /// The state of a rigid body.
    fn of_state(&self, state: &BodyState, dim: usize) -> BodyState {
        let turn = self.turn();
        let mut image = state.clone();
        let vector = |from: &[f64], to: &mut [f64]| {
            let v = Vector3::from_fn(|k, _| from.get(k).copied().unwrap_or(0.0));
            to.copy_from_slice(&(turn * v).as_slice()[..from.len()]);
        };
        for (from, to) in [(&state.u, &mut image.u), (&state.v, &mut image.v)] {
            vector(&from[..dim], &mut to[..dim]);
            if dim == 3 {
                vector(&from[3..6], &mut to[3..6]);
            }
        }
        if dim == 3 {
            let turn = UnitQuaternion::from_rotation_matrix(&turn);
            let q = UnitQuaternion::new_unchecked(Quaternion::new(state.u[6], state.u[7], state.u[8], state.u[9]));
            let q = turn * q * turn.inverse();
            image.u[6..10].copy_from_slice(&[q.w, q.i, q.j, q.k]);
        }
        image
    }
}

/// The numbers behind a key: one, or a list.
fn numbers(text: &str, key: &str) -> Vec<f64> {
    let (_, value) = text.split_once(key).expect("the key");
    let value = match value.trim_start().strip_prefix('[') {
        Some(list) => list.split(']').next(),
        None => value.split(',').next(),
    };
    value.expect("a value").split(',').map(|n| n.trim().parse().expect("a number")).collect()
}

/// Entries that say where a body is, without what only its change over a step means something of.
fn place(state: &BodyState, dim: usize) -> Vec<f64> {
    let turned = if dim == 2 { 3 } else { 6 };
    state.u.iter().enumerate().filter(|(k, _)| *k < dim || *k >= turned).map(|(_, u)| *u).collect()
}

/// What one step makes different at most, and in how many.
#[derive(Default)]
struct Differences {
    /// Steps, and those with contact.
    steps: usize,
    touching: usize,
    /// Largest differences of places in metres and of velocities as a share of the largest one.
    places: f64,
    velocities: f64,
    /// Steps whose places differ by more than the limit.
    beyond: usize,
}

/// Goes through a case and its image.
fn by_step(file: &str, dim: usize, gravity: Vector3<f64>, sets: &[&str], motion: &Motion, limit: f64) -> Differences {
    let text = std::fs::read_to_string(path(file)).expect("the case");
    let make = |text: &str| {
        let case = case_from(text, file, sets);
        Simulation::of(build(&case).expect("a model"))
    };
    let (mut plain, mut image) = (make(&text), make(&motion.of_case(&text, dim, gravity)));
    let (mut found, mut fastest) = (Differences::default(), 0.0f64);
    while !plain.is_done() {
        for (to, from) in image.system.states.iter_mut().zip(&plain.system.states) {
            *to = motion.of_state(from, dim);
        }
        plain.step().expect("a step");
        image.step().expect("a step of the image");
        assert_eq!(plain.time, image.time, "{file}: steps of one length");
        found.steps += 1;
        found.touching += usize::from(plain.last.stick + plain.last.slip > 0);
        let mut own = 0.0f64;
        for (a, b) in plain.system.states.iter().zip(&image.system.states) {
            let expected = motion.of_state(a, dim);
            fastest = fastest.max(size(&a.v));
            own = own.max(distance(&place(&expected, dim), &place(b, dim)));
            found.velocities = found.velocities.max(distance(&expected.v, &b.v));
        }
        found.places = found.places.max(own);
        found.beyond += usize::from(own > limit);
    }
    found.velocities /= fastest;
    found
}

/// The motions: a shift, and a turn.
fn motions(dim: usize) -> [(&'static str, Motion); 2] {
    let axis = if dim == 2 { Vector3::z() } else { Vector3::new(1.0, 2.0, 3.0).normalize() };
    let shift = Vector3::new(0.03, -0.02, if dim == 3 { 0.01 } else { 0.0 });
    [
        ("shifted", Motion { axis, degrees: 0.0, shift }),
        ("turned", Motion { axis, degrees: 37.0, shift: Vector3::zeros() }),
    ]
}

#[test]
fn each_step_of_a_pile_in_the_plane_is_the_same_elsewhere() {
    source("invariance, step by step");
    // the size of the smallest body; angles count as lengths of the same share
    let (file, size) = ("cases/rigid/pile.yaml", 0.035);
    for (what, motion) in motions(2) {
        let gravity = Vector3::new(0.0, -9.81, 0.0);
        let found = by_step(file, 2, gravity, &["time.end=0.5"], &motion, 1e-8 * size);
        at_least(&format!("{file}: steps with contact"), found.touching as f64, 300.0);
        at_most(&format!("{file}, {what}: places after a step / size"), found.places / size, 1e-8);
        at_most(&format!("{file}, {what}: velocities after a step / largest"), found.velocities, 1e-8);
    }
}

/// Also where bodies slide on more points than statics determines, which they do in most steps. A few steps may go either way, one in
/// a thousand or so at other coefficients of friction: the one looked into had a corner on a rim, where two normals are possible. The
/// limit leaves room for those; it follows that count.
#[test]
fn steps_of_a_mixed_pile_in_space_are_the_same_elsewhere() {
    source("invariance, step by step");
    let (file, size) = ("cases/rigid/mixed_pile.yaml", 0.035);
    for (what, motion) in motions(3) {
        for friction in [0.2, 0.3, 0.4] {
            let sets = ["time.end=1.0".to_owned(), format!("contacts.*.friction={friction}")];
            let gravity = Vector3::new(0.0, 0.0, -9.81);
            let found = by_step(file, 3, gravity, &sets.each_ref().map(String::as_str), &motion, 1e-8 * size);
            let name = format!("{file}, friction {friction}, {what}");
            at_least(&format!("{name}: steps with contact"), found.touching as f64, 800.0);
            println!("{name}: {:.1e} m, {:.1e} of the velocity at most", found.places, found.velocities);
            at_most(&format!("{name}: share of steps beyond 1e-8"), found.beyond as f64 / found.steps as f64, 2e-3);
        }
    }
}
