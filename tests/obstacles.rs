//! Bodies against every shape of obstacle, in whole runs: energy kept to round-off at rate level, facets (not only nodes)
//! outside at position level, sliding friction on flat parts, and a triangulated surface that does what the shape it
//! describes does.

mod runs;

use impakt::case::build;
use impakt::simulation::Simulation;
use runs::claims::source;
use runs::{case, case_from, column, last, near, path, run, size};

fn files() -> Vec<String> {
    let entries = std::fs::read_dir(path("cases/obstacles")).expect("the folder of cases");
    let mut names: Vec<String> = entries
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        // what moves does work
        .filter(|n| n.ends_with(".yaml") && !n.starts_with("moving"))
        .map(|n| format!("cases/obstacles/{n}"))
        .collect();
    names.sort();
    assert!(names.len() >= 17, "{names:?}");
    names
}

/// With the discrete gradient and contact at rate level nothing is lost and nothing gained, whatever is hit (THEORY 3.6).
#[test]
fn every_shape_keeps_the_energy_at_rate_level() {
    for file in files() {
        let case = case(&file, &["contacts.0.level=rate", "contacts.0.friction=0"]);
        let summary = run(&case);
        let energy = column(&summary, "total_energy");
        let lost: Vec<f64> = energy.iter().map(|e| e / energy[0] - 1.0).collect();
        let force = size(&column(&summary, "contact_force/0")) + size(&column(&summary, "contact_force/1"));
        println!("{file}: {:.1e} of the energy, deepest {:.1e} m", size(&lost), summary.largest_penetration);
        assert!(size(&lost) < 1e-9, "{file}: the energy changes by {:e}", size(&lost));
        assert!(summary.ledger.contact_work.abs() < 1e-9 * energy[0], "{file}: reactions do work");
        assert!(force > 0.0 || size(&column(&summary, "contact_force/2")) > 0.0, "{file}: nothing was hit");
    }
}

/// Points all over the facets of a block, against the distance of a circle and a sphere in closed form.
#[test]
fn no_place_of_a_facet_enters_a_small_round_obstacle() {
    for (file, centre, radius) in [
        ("cases/obstacles/circle_small.yaml", [0.0, -0.004, 0.0], 0.004),
        ("cases/obstacles/sphere.yaml", [0.0, 0.0, -0.005], 0.005),
    ] {
        let case = case(file, &[]);
        let mut simulation = Simulation::of(build(&case).expect("a model"));
        let (mut deepest, mut nearest) = (0.0f64, f64::INFINITY);
        while !simulation.is_done() {
            simulation.step().expect("a step");
            let (body, u) = (simulation.system.with_nodes(0), &simulation.system.states[0].u);
            for facet in &body.mesh.face_sets["surface"] {
                let x: Vec<[f64; 3]> = facet.nodes().iter().map(|n| body.position(u, n.index()).into()).collect();
                let steps = if x.len() == 2 { 400 } else { 40 };
                for i in 0..=steps {
                    for j in 0..=if x.len() == 2 { 0 } else { steps } {
                        let (s, t) = (f64::from(i) / f64::from(steps), f64::from(j) / f64::from(steps));
                        let weights = match x.len() {
                            2 => vec![1.0 - s, s],
                            _ => vec![(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t],
                        };
                        let d: f64 = (0..3)
                            .map(|c| (x.iter().zip(&weights).map(|(p, w)| w * p[c]).sum::<f64>() - centre[c]).powi(2))
                            .sum::<f64>()
                            .sqrt();
                        deepest = deepest.max(radius - d);
                        nearest = nearest.min(d - radius);
                    }
                }
            }
        }
        println!("{file}: deepest place {deepest:e} m, nearest {nearest:e} m");
        assert!(deepest < 1e-9, "{file}: a place of a facet is {deepest:e} m inside");
        assert!(nearest < 1e-6, "{file}: they never met");
    }
}

/// A block slides over the flat part of each shape: v = v0 - mu g t exactly, as on any plane.
#[test]
fn friction_on_flat_parts_is_coulombs() {
    source("Coulomb: v = v0 - mu g t");
    for shape in [
        "box: { min: [-9.0, -9.0, -1.0], max: [9.0, 9.0, 0.0] }",
        "box: { min: [-9.0, -9.0, 0.0], max: [9.0, 9.0, 5.0], inside: true }",
        "cylinder: { point: [0.0, 0.0, -2.0], direction: [0.0, 0.0, 1.0], radius: 9.0, length: 2.0 }",
        "cylinder: { point: [0.0, 0.0, 0.0], direction: [0.0, 0.0, 1.0], radius: 9.0, length: 5.0, inside: true }",
        "cone: { point: [0.0, 0.0, -2.0], direction: [0.0, 0.0, 1.0], radius: 9.0, tip_radius: 8.0, length: 2.0 }",
        "cone: { point: [0.0, 0.0, 0.0], direction: [0.0, 0.0, -1.0], radius: 9.0, length: 3.0 }",
    ] {
        let text = format!(
            "
geometry: solid
time: {{ end: 0.2, step: 2.0e-3 }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e8, poisson: 0.0 }} }} }} }}
bodies: {{ b: {{ mesh: {{ box: {{ min: [0.0, 0.0, 0.0], max: [0.4, 0.4, 0.1], divisions: [2, 2, 1] }} }}, material: m, velocity: [2.0, 1.0, 0.0] }} }}
obstacles: {{ o: {{ shape: {{ {shape} }} }} }}
boundary: [{{ gravity: [0.0, 0.0, -9.81] }}]
contacts: [{{ between: [b.surface, o], friction: 0.2 }}]
"
        );
        let summary = run(&case_from(&text, "slide.yaml", &[]));
        let lost = 0.2 * 9.81 * 0.2 / 5.0f64.sqrt();
        // the first step, in which the block settles by its own elasticity, is not that of a rigid block
        near(&format!("{shape}: v_x"), last(&column(&summary, "bodies/b/velocity/0")), 2.0 - 2.0 * lost, 5e-3);
        near(&format!("{shape}: v_y"), last(&column(&summary, "bodies/b/velocity/1")), 1.0 - lost, 5e-3);
    }
}

/// A box told by its triangles does what the box does.
#[test]
fn a_triangulated_box_does_what_the_box_does() {
    let stl = std::env::temp_dir().join(format!("impakt_box_{}.stl", std::process::id()));
    let (low, high) = ([-0.05, -0.01, -0.01], [0.05, 0.01, 0.01]);
    let p = |k: usize| -> [f64; 3] { std::array::from_fn(|i| if k >> i & 1 == 1 { high[i] } else { low[i] }) };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut text = "solid box\n".to_owned();
    for [a, b, c, d] in quads {
        for corners in [[a, b, c], [a, c, d]] {
            text += "facet normal 0 0 0\nouter loop\n";
            for k in corners {
                text += &format!("vertex {} {} {}\n", p(k)[0], p(k)[1], p(k)[2]);
            }
            text += "endloop\nendfacet\n";
        }
    }
    std::fs::write(&stl, text + "endsolid box\n").expect("a file");
    let solid = std::fs::read_to_string(path("cases/obstacles/box_turned.yaml")).expect("the case");
    let shape = "box: { min: [-0.05, -0.01, -0.01], max: [0.05, 0.01, 0.01] }";
    assert!(solid.contains(shape));
    let surface = solid.replace(shape, &format!("surface: {{ stl: {} }}", stl.display()));
    let (a, b) = (run(&case_from(&solid, "box.yaml", &[])), run(&case_from(&surface, "surface.yaml", &[])));
    std::fs::remove_file(&stl).expect("removed");
    for quantity in ["bodies/block/velocity/1", "bodies/block/velocity/2", "total_energy"] {
        let (a, b) = (column(&a, quantity), column(&b, quantity));
        let difference = runs::distance(&a, &b);
        println!("{quantity}: {difference:e} of {:e}", size(&a));
        assert!(difference < 1e-6 * size(&a).max(1.0), "{quantity} differs by {difference:e}");
    }
}

/// A body that starts inside is refused, with where and how deep, also where no node is inside.
#[test]
fn an_overlap_at_the_start_is_refused() {
    for (shape, says) in [
        ("sphere: { centre: [0.5, 0.5, 1.0], radius: 0.1 }", "inside the body"),
        ("sphere: { centre: [0.0, 0.0, 0.0], radius: 0.1 }", "m deep"),
        ("sphere: { centre: [0.5, 0.5, 0.5], radius: 0.8, inside: true }", "m deep"),
        ("capsule: { from: [0.5, 0.5, -1.0], to: [0.5, 0.5, 0.01], radius: 0.1 }", "inside the body"),
        ("cylinder: { point: [-1.0, 0.25, 0.02], direction: [1.0, 0.0, 0.0], radius: 0.1 }", "of an edge is"),
        (
            "cylinder: { point: [0.5, 0.5, -1.0], direction: [0.0, 0.0, 1.0], radius: 0.1, length: 1.01 }",
            "inside the body",
        ),
        ("cone: { point: [0.5, 0.5, -1.0], direction: [0.0, 0.0, 1.0], radius: 0.1, length: 1.01 }", "inside the body"),
        (
            "cylinder: { point: [0.5, 0.5, -1.0], direction: [0.0, 0.0, 1.0], radius: 0.6, length: 5.0, inside: true }",
            "m deep",
        ),
        ("box: { min: [0.1, -1.0, -1.0], max: [2.0, 2.0, 2.0], inside: true }", "1.000e-1 m deep"),
    ] {
        let text = format!(
            "
geometry: solid
time: {{ end: 0.1, step: 0.1 }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e8, poisson: 0.0 }} }} }} }}
bodies: {{ b: {{ mesh: {{ box: {{ min: [0.0, 0.0, 0.0], max: [1.0, 1.0, 1.0], divisions: [1, 2, 1] }} }}, material: m }} }}
obstacles: {{ o: {{ shape: {{ {shape} }} }} }}
contacts: [{{ between: [b.surface, o] }}]
"
        );
        let said = build(&case_from(&text, "overlap.yaml", &[])).expect_err(shape).to_string();
        assert!(
            said.contains("contacts.0: body `b` starts inside obstacle `o`") && said.contains(says),
            "{shape}: {said}"
        );
    }
}

/// Hostile STL files end in a message at the place of the key.
#[test]
fn a_broken_stl_file_is_refused() {
    let folder = std::env::temp_dir().join(format!("impakt_stl_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut huge = vec![0u8; 84];
    huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut not_a_number = vec![0u8; 134];
    not_a_number[80] = 1;
    not_a_number[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    let files: [(&str, Vec<u8>, &str); 5] = [
        ("empty", Vec::new(), "is not an STL file"),
        ("huge", huge, "says it has 4294967295 triangles, which takes 214748364834 bytes, but it has 84 bytes"),
        ("nan", not_a_number, "triangle 0 has a coordinate that is not finite"),
        ("flat", [&[0u8; 80][..], &[1, 0, 0, 0], &[0; 50]].concat(), "triangle 0 at [0, 0, 0] has no area"),
        ("text", b"solid x\nfacet\nvertex 0 0\n".to_vec(), "line 3: expected `vertex` and three numbers"),
    ];
    for (name, bytes, says) in files {
        let stl = folder.join(name);
        std::fs::write(&stl, bytes).expect("a file");
        let text = format!(
            "
geometry: solid
time: {{ end: 0.1, step: 0.1 }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e8, poisson: 0.0 }} }} }} }}
bodies: {{ b: {{ mesh: {{ box: {{ min: [0, 0, 0], max: [1, 1, 1], divisions: [1, 1, 1] }} }}, material: m }} }}
obstacles: {{ o: {{ shape: {{ surface: {{ stl: {} }} }} }} }}
",
            stl.display()
        );
        let said = build(&case_from(&text, "stl.yaml", &[])).expect_err(name).to_string();
        assert!(
            said.contains("stl.yaml:6:") && said.contains("obstacles.o.shape.surface.stl: ") && said.contains(says),
            "{said}"
        );
    }
    let missing = "geometry: solid\ntime: { end: 0.1, step: 0.1 }\nmaterials: { m: { density: 1.0, law: { linear: { young: 1.0, poisson: 0.0 } } } }\nbodies: { b: { mesh: { box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [1, 1, 1] } }, material: m } }\nobstacles: { o: { shape: { surface: { stl: no_such_file.stl } } } }\n";
    let said = build(&case_from(missing, "stl.yaml", &[])).expect_err("missing").to_string();
    assert!(said.contains("no_such_file.stl: cannot be opened: No such file"), "{said}");
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// Hostile and missing Gmsh files end in a message at the place of the key; so does a group that is not there.
#[test]
fn a_broken_gmsh_surface_is_refused() {
    let folder = std::env::temp_dir().join(format!("impakt_surface_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let good = std::fs::read_to_string(path("tests/data/gmsh/solid_text.msh")).expect("the file");
    let files = [
        ("empty.msh", String::new(), "the file is empty"),
        ("cut.msh", good[..good.len() / 2].to_owned(), "ends too early"),
        (
            "group.msh",
            good,
            "there is no physical group `lid` of surface or solid cells; the file has `bottom`, `bricks`",
        ),
    ];
    for (name, text, says) in files {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("a file");
        let text = format!(
            "
geometry: solid
time: {{ end: 0.1, step: 0.1 }}
materials: {{ m: {{ density: 1000.0, law: {{ linear: {{ young: 1.0e8, poisson: 0.0 }} }} }} }}
bodies: {{ b: {{ mesh: {{ box: {{ min: [0, 0, 0], max: [1, 1, 1], divisions: [1, 1, 1] }} }}, material: m }} }}
obstacles: {{ o: {{ shape: {{ surface: {{ gmsh: {}, group: lid }} }} }} }}
",
            file.display()
        );
        let said = build(&case_from(&text, "gmsh.yaml", &[])).expect_err(name).to_string();
        assert!(
            said.contains("gmsh.yaml:6:") && said.contains("obstacles.o.shape.surface.gmsh: ") && said.contains(says),
            "{said}"
        );
    }
    std::fs::remove_dir_all(&folder).expect("removed");
}
