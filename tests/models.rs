//! Models made without a case file: the same bits as the case that says the same, a checkpoint that only the same model takes up,
//! and problems with names and numbers.

mod runs;

use std::path::Path;

use impakt::elements::Section;
use impakt::materials::{Law, NeoHooke};
use impakt::mesh::generate::{Block, SolidCells, block};
use impakt::model::shapes::{Core, HalfSpace, Round, Vector};
use impakt::model::{
    Body, Boundary, Contact, Flaw, Inertial, Mass, Material, Model, Obstacle, Part, Place, Probe, RigidBody, Time,
    Watched,
};
use impakt::output::ResultFile;
use impakt::simulation::{RunError, RunOptions, Simulation};
use impakt::time::TimeFunction;
use runs::claims::source;
use runs::{at_most, case_from};

const CASE: &str = "
geometry: solid
time: { end: 5.0e-3, step: 2.0e-4 }
materials: { rubber: { density: 1000.0, law: { neo_hooke: { young: 5.0e6, poisson: 0.3 } } } }
bodies:
  block:
    mesh: { box: { min: [0, 0, 1.0e-3], max: [0.1, 0.1, 0.051], divisions: [2, 2, 1] } }
    material: rubber
    velocity: [0.5, 0.0, -1.0]
obstacles:
  floor: { shape: { half_space: { point: [0, 0, 0], normal: [0, 0, 1] } } }
  ball: { shape: { sphere: { centre: [0.5, 0.5, 0.02], radius: 0.02 } }, mass: 0.1, velocity: [0.0, 0.0, -1.0] }
boundary: [{ gravity: [0.0, 0.0, -9.81] }]
contacts:
  - { between: [block.z_min, floor], friction: 0.4 }
  - { between: [ball, floor], friction: 0.2 }
output: { probes: { tip: { body: block, at: [0.1, 0.1, 0.051] } } }
";

/// What the case says.
fn model(end: f64) -> Model {
    let (min, max, divisions) = ([0.0, 0.0, 1e-3], [0.1, 0.1, 0.051], [2, 2, 1]);
    let mesh = block(&Block { min, max, divisions, cells: SolidCells::Hexes }).expect("a mesh");
    let plane = HalfSpace { point: Vector::zeros(), normal: Vector::z() };
    let round = Round { core: Core::Point(Vector::new(0.5, 0.5, 0.02)), radius: 0.02, inside: false, dim: 3 };
    let mut model = Model::new("block_and_ball", Section::Solid, Time::new(end, 2e-4));
    model.materials.push(Material::new("rubber", 1000.0, Law::NeoHooke(NeoHooke::new(5e6, 0.3))));
    model.bodies.push(Body { velocity: [0.5, 0.0, -1.0], ..Body::new("block", mesh) });
    model.obstacles.push(Obstacle::fixed("floor", plane));
    let ball = Inertial { velocity: [0.0, 0.0, -1.0], ..Inertial::new(Mass::Total(0.1), 3) };
    model.rigid.push(RigidBody::new("ball", ball));
    model.obstacles.push(Obstacle::carried("ball", round, 0));
    model.boundary.push(Boundary::Gravity { value: [0.0, 0.0, -9.81], time: TimeFunction::Constant(1.0) });
    let (block, floor) = (model.body("block").expect("block"), model.obstacle("floor").expect("floor"));
    let ball = model.obstacle("ball").expect("ball");
    let sliding = Contact::on_obstacle("sliding", (block, "z_min"), floor);
    model.contacts.push(Contact { friction: 0.4.into(), ..sliding });
    model.contacts.push(Contact { friction: 0.2.into(), ..Contact::between_rigid("falling", ball, floor) });
    model.probes.push(Probe { name: "tip".to_owned(), on: Watched::Node { body: block, at: [0.1, 0.1, 0.051] } });
    model
}

/// What spoils a model.
type Spoil = fn(&mut Model);

fn run_to(model: Model, file: &Path, step: u64, restart: bool) -> Result<(), RunError> {
    let options = RunOptions { output: Some(file.to_path_buf()), restart, ..RunOptions::default() };
    let simulation = Simulation::new(model).unwrap_or_else(|error| panic!("{error}"));
    match simulation.run(&options, &mut |progress| progress.step < step) {
        Ok(_) | Err(RunError::Interrupted { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// All columns of a history with their bits.
fn bits(file: &Path) -> Vec<(String, Vec<u64>)> {
    let file = ResultFile::open(file).expect("a result");
    let column = |name: &str| file.history(name).expect("a column").data.iter().map(|x| x.to_bits()).collect();
    file.histories().expect("a history").into_iter().map(|h| (h.name.clone(), column(&h.name))).collect()
}

#[test]
fn a_model_has_the_bits_of_the_case_that_says_the_same() {
    source("the same as a case file");
    let folder = tempfile("bits");
    let (from_case, from_model) = (folder.join("case.vtkhdf"), folder.join("model.vtkhdf"));
    let options = RunOptions { output: Some(from_case.clone()), ..RunOptions::default() };
    runs::start(&case_from(CASE, "block_and_ball.yaml", &[])).run(&options, &mut |_| true).expect("a run");
    run_to(model(5e-3), &from_model, u64::MAX, false).expect("a run");
    let (a, b) = (bits(&from_case), bits(&from_model));
    assert!(a.len() > 40 && a.iter().any(|(name, _)| name.starts_with("probes/tip")), "{} columns", a.len());
    let differ = a.iter().zip(&b).filter(|(a, b)| a != b).count() + a.len().abs_diff(b.len());
    at_most("columns that differ", differ as f64, 0.0);
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn only_the_same_model_takes_up_a_checkpoint() {
    source("the run that was never stopped");
    let folder = tempfile("restart");
    let (whole, parts) = (folder.join("whole.vtkhdf"), folder.join("parts.vtkhdf"));
    run_to(model(5e-3), &whole, u64::MAX, false).expect("a run");
    run_to(model(4e-3), &parts, 7, false).expect("a run");
    run_to(model(4e-3), &parts, u64::MAX, true).expect("taken up");
    run_to(model(5e-3), &parts, u64::MAX, true).expect("made longer");
    assert_eq!(bits(&whole), bits(&parts));
    // what results depend on
    let print = model(5e-3).fingerprint();
    assert_eq!(print, model(4e-3).fingerprint(), "the length of a run does not count");
    let changes: [Spoil; 7] = [
        |model| model.bodies[0].velocity[0] = 0.5 + f64::EPSILON,
        |model| model.bodies[0].mesh.nodes[3][1] += 1e-15,
        |model| model.contacts[0].friction = 0.3.into(),
        |model| model.time.step = 1e-4,
        |model| model.obstacles[0].shape.name = "ground".to_owned(),
        |model| model.probes.clear(),
        |model| model.boundary.clear(),
    ];
    for (k, change) in changes.iter().enumerate() {
        let mut other = model(5e-3);
        change(&mut other);
        assert_ne!(print, other.fingerprint(), "change {k}");
        let refused = run_to(other, &parts, u64::MAX, true).expect_err("another model");
        assert!(
            matches!(refused, RunError::Restart { .. }) && refused.to_string().contains("fingerprint"),
            "{refused}"
        );
    }
    // the result of a case file is not that of a model
    let options = RunOptions { output: Some(parts.clone()), restart: true, ..RunOptions::default() };
    let case = case_from(CASE, "block_and_ball.yaml", &[]);
    assert!(matches!(runs::start(&case).run(&options, &mut |_| true), Err(RunError::Restart { .. })));
    std::fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn what_is_wrong_is_told_with_names_and_numbers() {
    model(5e-3).check().expect("a good model");
    let table: [(Spoil, Place, &str); 9] = [
        (
            |model| model.contacts.push(Contact::on_obstacle("top", (0, "z_mim"), 0)),
            Place::Contact(2),
            "contact `top`: body `block` has no face set `z_mim`: one of surface, ",
        ),
        (
            |model| model.contacts.push(Contact::on_obstacle("top", (0, "z_max"), 7)),
            Place::Contact(2),
            "contact `top`: there is no obstacle 7: there are 2",
        ),
        (
            |model| model.bodies[0].mesh.nodes.iter_mut().for_each(|x| x[2] -= 0.002),
            Place::Contact(0),
            "body `block` starts inside obstacle `floor`: node 0 at [0, 0, -0.001] is 1.000e-3 m deep",
        ),
        (
            |model| {
                let on = Part { body: 0, set: "lid".to_owned() };
                model.boundary.push(Boundary::Traction { on, value: [1.0; 3], time: TimeFunction::Constant(1.0) });
            },
            Place::Boundary(1),
            "boundary 1: body `block` has no face set `lid`",
        ),
        (
            |model| model.materials[0].material.density = -1.0,
            Place::Material(0),
            "the density is -1; it must be greater than zero",
        ),
        (
            |model| model.time.step = f64::NAN,
            Place::Model,
            "the step is NaN; it must be greater than zero, up to the end",
        ),
        (
            |model| model.probes[0].on = Watched::Node { body: 0, at: [9.0, 0.0, 0.0] },
            Place::Probe(0),
            "probe `tip`: [9, 0, 0] lies outside body `block`",
        ),
        (|model| model.rigid[0].name = "block".to_owned(), Place::Rigid(0), "the name `block` is taken"),
        (|model| model.section = Section::PlaneStrain(1.0), Place::Body(0), "has 3 dimensions, the model 2"),
    ];
    for (spoil, at, says) in table {
        let mut other = model(5e-3);
        spoil(&mut other);
        let error = other.check().expect_err(says);
        assert!(error.to_string().contains(says), "{says}: {error}");
        assert!(error.problems.iter().any(|problem| problem.at == at), "{says}: {:?}", error.problems);
    }
    assert!(matches!(model(5e-3).body("blok"), Err(Flaw::Unknown { known, .. }) if known == ["block"]));
}

/// A folder for results.
fn tempfile(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("impakt_models_{name}_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}
