//! Any number of bodies: names with `*` stand for deformable and rigid ones alike, what they declare is what the pairs one by one
//! would, and work and memory follow the bodies, not their pairs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use std::fmt::Write as _;

use impakt::case::{build, parse};
use impakt::contact::detection::{Family, Vector};
use impakt::geometry::Bounds;
use impakt::simulation::Simulation;
use support::Random;
use support::claims::source;

fn simulation(text: &str) -> Simulation {
    let case = parse(text, "many.yaml", &[]).unwrap_or_else(|error| panic!("{error}"));
    Simulation::of(build(&case).unwrap_or_else(|error| panic!("{error}")))
}

fn states(text: &str, steps: usize) -> Vec<Vec<f64>> {
    let mut simulation = simulation(text);
    let mut touched = 0;
    for _ in 0..steps {
        simulation.step().unwrap_or_else(|error| panic!("{error}"));
        touched += simulation.last.stick + simulation.last.slip;
    }
    assert!(touched > steps, "hardly anything touches");
    simulation.system.states.iter().map(|state| state.u.clone()).collect()
}

fn refused(text: &str) -> String {
    parse(text, "many.yaml", &[]).err().map_or_else(|| panic!("accepted"), |error| error.to_string())
}

#[test]
fn the_tree_finds_the_pairs_that_comparing_all_boxes_finds() {
    source("brute force");
    let mut random = Random::new(4);
    let boxes: Vec<Bounds> = (0..60)
        .map(|_| {
            let low = Vector::from_fn(|_, _| random.unit());
            Bounds { low, high: low + Vector::from_fn(|_, _| 0.3 * random.unit()) }
        })
        .collect();
    // all against all, parts that overlap, parts that do not, few enough for no tree, and one against itself
    let lists: [(Vec<u32>, Vec<u32>, bool); 5] = [
        ((0..60).collect(), (0..60).collect(), false),
        ((0..40).collect(), (25..60).rev().collect(), false),
        ((0..30).collect(), (30..60).collect(), false),
        ((3..9).collect(), (5..12).collect(), false),
        (vec![7], vec![7], true),
    ];
    for (first, second, itself) in lists {
        let mut family = Family::new(1000, first.clone(), second.clone(), itself);
        let mut found = Vec::new();
        family.meeting(|thing| boxes[thing as usize], |number, pair| found.push((number, pair)));
        found.sort_unstable();
        let mut expected: Vec<[u32; 2]> = Vec::new();
        for &a in &first {
            for &b in &second {
                let known = expected.contains(&[b, a]);
                if (itself || a != b) && !known && boxes[a as usize].meets(&boxes[b as usize]) {
                    expected.push([a, b]);
                }
            }
        }
        assert_eq!(found.iter().map(|f| f.1).collect::<Vec<_>>(), expected);
        for (number, pair) in found {
            assert!(family.numbers().contains(&number) && family.pair(number) == Some(pair));
        }
    }
}

/// Rigid circles and boxes above a floor, a deformable disc among them.
fn heap(contacts: &str) -> String {
    format!(
        "geometry: plane_strain\ntime: {{ end: 1.0, step: 1.0e-3, scheme: {{ jean: {{ theta: 0.55, xi: 0.55 }} }} }}\n\
         materials: {{ rubber: {{ density: 1000.0, law: {{ neo_hooke: {{ young: 1.0e6, poisson: 0.3 }} }} }} }}\n\
         bodies: {{ soft: {{ mesh: {{ disc: {{ radius: 0.05, centre: [0.0, 0.051], core: 4, layers: 1 }} }}, material: rubber }} }}\n\
         obstacles:\n  \
         round: {{ shape: {{ circle: {{ centre: [0.09, 0.0405], radius: 0.04 }} }}, density: 1000.0, velocity: [-0.5, 0.0] }}\n  \
         brick: {{ shape: {{ box: {{ min: [0.0, 0.103], max: [0.12, 0.15] }} }}, density: 1000.0, velocity: [0.0, -0.5] }}\n  \
         floor: {{ shape: {{ half_space: {{ point: [0.0, 0.0], normal: [0.0, 1.0] }} }} }}\n  \
         wall: {{ shape: {{ half_space: {{ point: [-0.051, 0.0], normal: [1.0, 0.0] }} }} }}\n\
         boundary: [{{ gravity: [0.0, -9.81] }}]\ncontacts:\n{contacts}"
    )
}

#[test]
fn everything_against_everything_is_what_the_pairs_one_by_one_are() {
    source("the same case written out");
    // names with `*` stand for bodies in the order of their names
    let pairs = [
        ["soft", "brick"],
        ["soft", "floor"],
        ["soft", "round"],
        ["soft", "wall"],
        ["brick", "floor"],
        ["brick", "round"],
        ["brick", "wall"],
        ["floor", "round"],
        ["round", "wall"],
    ];
    let mut one_by_one = String::new();
    for [a, b] in pairs {
        writeln!(one_by_one, "  - {{ between: [{a}, {b}], friction: 0.3 }}").unwrap();
    }
    let all = states(&heap("  - { between: [\"*\", \"*\"], friction: 0.3 }\n"), 60);
    let named = states(&heap(&one_by_one), 60);
    assert_eq!(all, named);
    // moving ones against each other and against what stands still, as people would write it
    let parts = "  - { between: [soft, \"*\"], friction: 0.3 }\n  - { between: [\"*r*\", \"*r*\"], friction: 0.3 }\n  \
                 - { between: [wall, \"*r*\"], friction: 0.3 }\n";
    assert_eq!(states(&heap(parts), 60), named);
}

#[test]
fn names_that_say_nothing_or_too_much_are_refused() {
    source("the case file's own rules");
    let says = |contacts: &str, message: &str| {
        let error = refused(&heap(contacts));
        assert!(error.contains(message), "{error}");
    };
    says("  - { between: [floor, wall] }\n", "two obstacles never move");
    says("  - { between: [\"*l*\", \"*l*\"] }\n", "two obstacles never move");
    says("  - { between: [brick, brick] }\n", "cannot touch itself");
    says("  - { between: [\"br*\", \"br*\"] }\n", "no two different bodies");
    says("  - { between: [\"x*\", soft] }\n", "no body or obstacle has a name like `x*`");
    let twice = "the same pair is already given as contacts.0";
    says("  - { between: [\"*\", \"*\"] }\n  - { between: [soft, floor] }\n", twice);
    says("  - { between: [\"*\", \"*\"] }\n  - { between: [floor, brick] }\n", twice);
    says("  - { between: [round, brick] }\n  - { between: [\"b*\", \"*\"] }\n", twice);
    says("  - { between: [\"*\", \"*\"], slave: soft }\n", "belongs to contact between two bodies");
}

#[test]
fn passes_are_made_for_neighbours_only() {
    source("a square lattice: eight neighbours each");
    let side = 20;
    let mut text = String::from(
        "geometry: plane_strain\ntime: { end: 1.0, step: 1.0e-5 }\n\
         materials: { foam: { density: 700.0, law: { neo_hooke: { young: 1.0e6, poisson: 0.3 } } } }\nbodies:\n",
    );
    for k in 0..side * side {
        let at = [k % side, k / side].map(|c| 0.0202 * f64::from(c));
        writeln!(
            text,
            "  d{k}: {{ mesh: {{ disc: {{ radius: 0.01, centre: {at:?}, core: 2, layers: 1 }} }}, material: foam }}"
        )
        .unwrap();
    }
    text += "contacts: [{ between: [d*, d*], passes: two, search: 5.0e-4 }]\n";
    let mut simulation = simulation(&text);
    simulation.step().unwrap_or_else(|error| panic!("{error}"));
    // beside and across
    let neighbours = 2 * side * (side - 1) + 2 * (side - 1) * (side - 1);
    assert_eq!(simulation.contact().pairs.passes().len(), 2 * neighbours as usize);
    assert_eq!(simulation.pairs, ["d0.surface on d1.surface and 79799 more"]);
}
