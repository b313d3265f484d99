//! Stacks, walls and towers of rigid boxes as contact problems: four points on each pair of faces that meet, so that points
//! outnumber the bodies' unknowns and `W` is singular, as in the stored problems of rigid-body codes. Sizes and offsets come from a
//! fixed seed. What is known about the solution: nothing moves, and the ground carries the weight.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::contact::problem::{BlockMatrix, LocalProblem};
use impakt::contact::quality::Quality;
use impakt::contact::solvers::{ALL, ContactSolver, Jacobi};
use support::claims::source;
use support::{Random, at_most, close};

/// A box by its centre and edges.
#[derive(Clone, Copy)]
struct Brick {
    centre: [f64; 3],
    edges: [f64; 3],
}

/// A corner of the face that two bricks (or a brick and the ground) share.
struct Corner {
    above: usize,
    below: Option<usize>,
    place: [f64; 3],
}

const GRAVITY: f64 = 9.81;
const STEP: f64 = 0.01;
const DENSITY: f64 = 1000.0;

impl Brick {
    fn mass(&self) -> f64 {
        DENSITY * self.edges.iter().product::<f64>()
    }

    /// Velocity at `at` from a unit impulse along `along` at `from`: `(1/m) d + (J⁻¹(p × d)) × q`, in the axes of the brick.
    fn response(&self, from: [f64; 3], along: usize, at: [f64; 3]) -> [f64; 3] {
        let [a, b, c] = self.edges;
        let inertia = [b * b + c * c, a * a + c * c, a * a + b * b].map(|x| self.mass() * x / 12.0);
        let (p, q) = (less(from, self.centre), less(at, self.centre));
        let mut d = [0.0; 3];
        d[along] = 1.0;
        let moment = cross(p, d);
        let spin: [f64; 3] = std::array::from_fn(|k| moment[k] / inertia[k]);
        let turned = cross(spin, q);
        std::array::from_fn(|k| d[k] / self.mass() + turned[k])
    }
}

fn less(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Corners of all shared faces.
fn corners(bricks: &[Brick]) -> Vec<Corner> {
    let mut found = Vec::new();
    for (above, top) in bricks.iter().enumerate() {
        let height = top.centre[2] - 0.5 * top.edges[2];
        let mut face = |below: Option<usize>, low: [f64; 2], high: [f64; 2]| {
            if (0..2).all(|k| high[k] - low[k] > 1e-3) {
                for (x, y) in [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])] {
                    found.push(Corner { above, below, place: [x, y, height] });
                }
            }
        };
        let side = |brick: &Brick, sign: f64| [0, 1].map(|k| brick.centre[k] + 0.5 * sign * brick.edges[k]);
        if height.abs() < 1e-9 {
            face(None, side(top, -1.0), side(top, 1.0));
        }
        for (below, base) in bricks.iter().enumerate() {
            if (base.centre[2] + 0.5 * base.edges[2] - height).abs() < 1e-9 {
                let low = [0, 1].map(|k| side(top, -1.0)[k].max(side(base, -1.0)[k]));
                let high = [0, 1].map(|k| side(top, 1.0)[k].min(side(base, 1.0)[k]));
                face(Some(below), low, high);
            }
        }
    }
    found
}

/// The problem of one step under gravity, local axes (z, x, y).
fn problem(bricks: &[Brick], friction: f64) -> LocalProblem {
    const AXES: [usize; 3] = [2, 0, 1];
    let corners = corners(bricks);
    let sides = |c: &Corner| [(Some(c.above), 1.0), (c.below, -1.0)];
    let mut w = BlockMatrix { offsets: vec![0], ..BlockMatrix::default() };
    for (i, own) in corners.iter().enumerate() {
        for (j, other) in corners.iter().enumerate() {
            let (mut block, mut coupled) = ([0.0; 9], false);
            for (body, sign) in sides(own).into_iter().filter_map(|(b, s)| b.map(|b| (b, s))) {
                for (_, with) in sides(other).into_iter().filter(|(b, _)| *b == Some(body)) {
                    coupled = true;
                    for (b, &along) in AXES.iter().enumerate() {
                        let velocity = bricks[body].response(other.place, along, own.place);
                        for (a, &axis) in AXES.iter().enumerate() {
                            block[3 * a + b] += sign * with * velocity[axis];
                        }
                    }
                }
            }
            if coupled {
                if i == j {
                    w.diagonal.push(w.columns.len());
                }
                w.columns.push(j as u32);
                w.blocks.extend(block);
            }
        }
        w.offsets.push(w.columns.len());
    }
    // bricks on the ground fall towards it; those on others fall together
    let q = corners.iter().flat_map(|c| [if c.below.is_none() { -GRAVITY * STEP } else { 0.0 }, 0.0, 0.0]).collect();
    LocalProblem { dim: 3, w, q, friction: vec![friction.into(); corners.len()], rounding: 0.0 }
}

/// Boxes on top of each other, a little beside.
fn stack(seed: u64, count: usize) -> Vec<Brick> {
    let mut random = Random::new(seed);
    let mut height = 0.0;
    (0..count)
        .map(|_| {
            let edges = [1.0 + 0.2 * random.unit(), 1.0 + 0.2 * random.unit(), 0.5];
            height += edges[2];
            Brick { centre: [0.05 * random.signed(), 0.05 * random.signed(), height - 0.5 * edges[2]], edges }
        })
        .collect()
}

/// Bricks in bond.
fn wall(across: usize, courses: usize) -> Vec<Brick> {
    let course = |k: usize| {
        (0..across - k % 2).map(move |i| {
            let centre = [i as f64 + 0.5 * (k % 2) as f64, 0.0, 0.4 * k as f64 + 0.2];
            Brick { centre, edges: [0.96, 0.5, 0.4] }
        })
    };
    (0..courses).flat_map(course).collect()
}

/// Planks laid crosswise.
fn tower(layers: usize, planks: usize) -> Vec<Brick> {
    let layer = |k: usize| {
        (0..planks).map(move |i| {
            let aside = (i as f64 - 0.5 * (planks - 1) as f64) * 1.2 / (planks - 1) as f64;
            let height = 0.08 * k as f64 + 0.04;
            let (long, wide) = (1.56, 0.24);
            let (centre, edges) = if k.is_multiple_of(2) {
                ([0.0, aside, height], [long, wide, 0.08])
            } else {
                ([aside, 0.0, height], [wide, long, 0.08])
            };
            Brick { centre, edges }
        })
    };
    (0..layers).flat_map(layer).collect()
}

/// The default brings each pile to rest to 1e-8 of what gravity would do, and the ground carries the weight.
#[test]
fn piles_stand_on_the_ground() {
    source("statics: a pile at rest, its weight on the ground");
    let piles = [
        ("stack of 6", stack(1, 6), 0.7),
        ("stack of 13", stack(2, 13), 0.3),
        ("wall", wall(4, 6), 0.5),
        ("tower of 12 layers", tower(12, 2), 0.3),
        ("tower of 10 layers", tower(10, 3), 0.4),
    ];
    for (name, bricks, friction) in piles {
        let problem = problem(&bricks, friction);
        let mut r = vec![0.0; problem.q.len()];
        let solver = ALL.iter().find(|entry| entry.name == "hybrid").unwrap();
        (solver.build)(1e-10, None).solve(&problem, &mut r).unwrap_or_else(|e| panic!("{name}: {e}"));
        let quality = Quality::of(&problem, &r);
        at_most(format!("{name}, {} points: error relative to q", problem.len()), quality.relative_to_q, 1e-8);
        let weight: f64 = bricks.iter().map(Brick::mass).sum::<f64>() * GRAVITY * STEP;
        let corners = corners(&bricks);
        let ground = corners.iter().zip(r.chunks_exact(3)).filter(|(c, _)| c.below.is_none());
        let carried: f64 = ground.map(|(_, r)| r[0]).sum();
        close(format!("{name}: impulse on the ground over the weight"), carried / weight, 1.0, 1e-6);
    }
}

/// The same bits from one thread and from two.
#[test]
fn threads_do_not_matter() {
    source("the same solver with another number of threads");
    let problem = problem(&wall(6, 6), 0.5);
    let solve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut r = vec![0.0; problem.q.len()];
        // what it reached counts, not whether that is enough
        let _ = pool.install(|| Jacobi::new(1e-10, 300).solve(&problem, &mut r));
        r
    };
    let (one, two) = (solve(1), solve(2));
    assert!(problem.len() > 64 && one.iter().zip(&two).all(|(a, b)| a.to_bits() == b.to_bits()), "bits differ");
}
