//! Blocks so stiff that they move as rigid bodies, with contact at velocity level: Newton's restitution and Housner's rocking
//! block. Both are impacts of a time-stepping scheme, so errors are of first order in the step.

mod runs;

use impakt::reference::bouncing::Bouncing;
use impakt::reference::housner::kept_spin;
use impakt::simulation::Summary;
use runs::claims::source;
use runs::{at_least, at_most, case_from, column, last, near, run, run_file};

/// Impacts of the block: end of each first step with a force.
fn impacts(summary: &Summary) -> Vec<f64> {
    let (time, force) = (column(summary, "time"), column(summary, "contact_force/1"));
    (1..time.len()).filter(|&k| force[k] > 0.0 && force[k - 1] == 0.0).map(|k| time[k]).collect()
}

#[test]
fn block_bounces_with_newtons_restitution() {
    source("ballistics with v+ = -e v-: Virlez, Brüls, Duysinx, fig. 9 (6 mm, e = 0.8), closed form");
    let exact = Bouncing { height: 6e-3, gravity: 9.81, restitution: 0.8 };
    let published = [0.034975, 0.090935, 0.135702, 0.171517, 0.200168, 0.223089];
    for (n, time) in published.into_iter().enumerate() {
        near(&format!("closed form: impact {n} (s)"), exact.impact(n as i32), time, 5e-7);
    }
    for (n, height) in [3.84e-3, 2.4576e-3, 1.572864e-3, 1.006633e-3, 0.644245e-3].into_iter().enumerate() {
        near(&format!("closed form: height after impact {n} (m)"), exact.peak(n as i32), height, 5e-10);
    }
    near("closed form: time of rest (s)", exact.rest(), 0.314774, 5e-7);

    // θ = ξ = 1 brings the vibrations of the block to rest within a step or two. With θ = ½ they stay, the restitution acts on
    // the velocity of the corners, which has them, and below 2e-5 s the error of the times no longer falls.
    let errors = [8e-5, 4e-5, 2e-5, 1e-5, 5e-6].map(|step| {
        let sets = [
            format!("time.step={step:e}"),
            "time.end=0.35".to_owned(),
            "time.scheme={jean: {theta: 1.0, xi: 1.0}}".to_owned(),
            "output.every=0.35".to_owned(),
        ];
        let summary = run_file("cases/levels/rigid_drop.yaml", &sets.each_ref().map(String::as_str));
        let times = impacts(&summary);
        let (time, height) = (column(&summary, "time"), column(&summary, "bodies/block/centre_of_mass/1"));
        let late = (0..6).map(|n| (times[n] - exact.impact(n as i32)).abs()).fold(0.0, f64::max);
        let peak = |n: usize| {
            let flight = (0..time.len()).filter(|&k| times[n] < time[k] && time[k] < times[n + 1]);
            flight.map(|k| height[k] - 5e-3).fold(0.0, f64::max)
        };
        let off = (0..5).map(|n| (peak(n) - exact.peak(n as i32)).abs()).fold(0.0, f64::max);
        // an impact is taken up to a step early or late, and each shifts all that follow: six impacts, six steps
        at_most(&format!("step {step:.1e} s: times of six impacts, largest error / step"), late / step, 6.0);
        let fall = 0.3431 * step; // way of one step at the speed of the first impact
        at_most(&format!("step {step:.1e} s: five heights, largest error / way of a step"), off / fall, 1.0);
        at_most(
            &format!("step {step:.1e} s: height at rest / way of a step"),
            (last(&height) - 5e-3).abs() / fall,
            0.01,
        );
        let speed = last(&column(&summary, "bodies/block/velocity/1"));
        at_most(&format!("step {step:.1e} s: speed at rest (m/s)"), speed.abs(), 1e-11);
        (late, off)
    });
    // where a step ends relative to an impact is an accident, so the order shows over a range of steps only
    let order = |coarse: f64, fine: f64| (coarse / fine).log2() / 4.0;
    at_least("order of the times of impact in the step, from 8e-5 to 5e-6 s", order(errors[0].0, errors[4].0), 0.9);
    at_least("order of the heights in the step, from 8e-5 to 5e-6 s", order(errors[0].1, errors[4].1), 0.9);
}

#[test]
fn rocking_block_keeps_housners_share_of_its_spin() {
    // The block turns about its right corner and comes down on the left one: a velocity field ω × (x − right corner) on a
    // block lifted on the left by 1e-6 rad, without gravity. In the step of the impact the right corner is free to leave the
    // ground. What differs from a rigid block is elastic: it falls with 1/E. θ = ξ = 1 takes the vibrations away, so that the
    // spin of ten steps later is that of the body.
    source("Housner's rocking block [Housner1963]: ω+/ω- = 1 − (3/2) sin²α, plastic impact without slip");
    for (width, height, published) in [(0.5, 1.0, 0.7), (0.25, 1.0, 0.91176)] {
        let name = format!("H/B = {}", height / width);
        near(&format!("{name}: closed form"), kept_spin(width, height), published, 5e-6);
        let errors = [1e15, 1e16, 1e17].map(|young| rocking(width, height, young) - kept_spin(width, height));
        near(&format!("{name}: ω+/ω-"), errors[2] + kept_spin(width, height), kept_spin(width, height), 1e-5);
        // the last one is as small as what the tilt and the turn of a step leave, 1e-6 rad
        near(&format!("{name}: elastic error at ten times the stiffness"), errors[1] / errors[0], 0.1, 0.02);
        at_most(&format!("{name}: elastic error at a hundred times the stiffness"), errors[2] / errors[0], 0.02);
    }
}

/// ω+/ω- of a block of this stiffness.
fn rocking(width: f64, height: f64, young: f64) -> f64 {
    let (spin, tilt, step) = (0.1, 1e-6f64, 2e-5);
    // turned about its centre the block would sink in with its right corner: it stands higher by this
    let (sin, cos) = tilt.sin_cos();
    let lift = 0.5 * (width * sin + height * cos) - 0.5 * height;
    let text = format!(
        "
geometry: plane_strain
time: {{ end: {end:e}, step: {step:e}, scheme: {{ jean: {{ theta: 1.0, xi: 1.0 }} }} }}
materials: {{ stone: {{ density: 2000.0, law: {{ linear: {{ young: {young:e}, poisson: 0.0 }} }} }} }}
bodies:
  block:
    mesh: {{ rectangle: {{ min: [0.0, {lift:e}], max: [{width}, {top:e}], divisions: [1, 1] }} }}
    material: stone
    rotation: {angle:e}
    velocity: [{vx:e}, {vy:e}]
    angular_velocity: {spin}
obstacles: {{ ground: {{ shape: {{ half_space: {{ point: [0.0, 0.0], normal: [0.0, 1.0] }} }} }} }}
contacts: [{{ between: [block.bottom, ground], level: velocity, friction: 10.0 }}]
output:
  probes: {{ left: {{ body: block, at: [0.0, {lift:e}] }}, right: {{ body: block, at: [{width}, {lift:e}] }} }}
",
        end = 10.0 * step,
        top = height + lift,
        angle = -tilt.to_degrees(),
        vx = -0.5 * height * spin,
        vy = -0.5 * width * spin,
    );
    let summary = run(&case_from(&text, "rocking.yaml", &[]));
    let velocity = |corner: &str, axis: usize| column(&summary, &format!("probes/{corner}/velocity/{axis}"));
    let (left, right) = (velocity("left", 1), velocity("right", 1));
    let omega: Vec<f64> = left.iter().zip(&right).map(|(l, r)| (r - l) / width).collect();
    // the corner that was the pivot leaves the ground, the other one is the new pivot: at the impact it neither lifts nor slips
    at_least("speed at which the old pivot leaves (m/s)", last(&right), 0.5 * width * spin);
    at_most("speed of the new pivot at the impact (m/s)", left[1].hypot(velocity("left", 0)[1]), 1e-9);
    last(&omega) / omega[0]
}
