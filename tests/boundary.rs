//! What only the mesh can tell about loads and supports: sets that do not exist, and entries that contradict each other. And
//! tables from files.

mod runs;

use impakt::case::{build, parse, read};
use runs::claims::source;
use runs::{column, near, run};

const CASE: &str = "geometry: plane_strain
time: { end: 0.1, step: 0.01 }
materials: { m: { density: 1000.0, law: { linear: { young: 1.0e6, poisson: 0.3 } } } }
bodies: { b: { mesh: { rectangle: { min: [0.0, 0.0], max: [0.1, 0.1], divisions: [2, 2] } }, material: m } }
boundary:
";

fn outcome(entries: &[&str]) -> Result<(), String> {
    let list: String = entries.iter().map(|entry| format!("  - {{ {entry} }}\n")).collect();
    let case = parse(&format!("{CASE}{list}"), "x.yaml", &[]).map_err(|e| e.to_string())?;
    build(&case).map(|_| ()).map_err(|e| e.to_string())
}

#[test]
fn contradictions_are_refused_by_name() {
    let slide = "displacement: { on: b.left, x: { ramp: { to: 1.0e-3, rise: 0.1 } } }";
    let other = "displacement: { on: b.bottom, x: { ramp: { to: 2.0e-3, rise: 0.1 } } }";
    let same = "displacement: { on: b.bottom, x: { ramp: { to: 1.0e-3, rise: 0.1 } } }";
    let turn = "rotation: { on: b.bottom, angular_velocity: 1.0 }";
    for (entries, says) in [
        (
            vec![slide, other],
            "boundary.1.displacement: node 0 of body `b` is already moved along x by boundary.0.displacement",
        ),
        (
            vec!["fixed: { on: b.left }", slide],
            "boundary.1.displacement: node 0 of body `b` is already moved along x by boundary.0.fixed",
        ),
        (vec![slide, "velocity: { on: b.left, x: 1.0 }"], "boundary.1.velocity: node 0"),
        (
            vec!["fixed: { on: b.left, axes: [y] }", turn],
            "boundary.1.rotation: node 0 of body `b` is already moved along y",
        ),
        (
            vec![slide, turn],
            "boundary.1.rotation: node 0 of body `b` is already moved along x by boundary.0.displacement, and differently",
        ),
    ] {
        let said = outcome(&entries).unwrap_err();
        assert!(said.contains(says), "{entries:?}: expected `{says}` in\n{said}");
        assert!(said.contains("x.yaml:7:"), "the place of the second entry is named:\n{said}");
    }
    for entries in [
        vec![slide, same],
        vec!["fixed: { on: b.left }", "fixed: { on: b.bottom }"],
        vec!["fixed: { on: b.left }", "displacement: { on: b.left, x: 0, y: 0.0 }", "velocity: { on: b.left, y: 0 }"],
        vec!["fixed: { on: b.left, axes: [y] }", slide],
        vec![turn, "rotation: { on: b.left, angular_velocity: 1.0 }"],
    ] {
        outcome(&entries).unwrap_or_else(|said| panic!("{entries:?} agree:\n{said}"));
    }
}

#[test]
fn sets_that_do_not_exist() {
    for (entry, says) in [
        ("force: { on: b.lft, total: [1, 0] }", "has no node set `lft`"),
        ("displacement: { on: b.lft, x: 0 }", "did you mean `left`?"),
        ("pressure: { on: b.all, value: 1 }", "body `b` has no face set `all`"),
        ("traction: { on: b.inside, value: [1, 0] }", "body `b` has no face set `inside`"),
        ("spring: { on: b.all, stiffness: 1, per: area }", "body `b` has no face set `all`"),
        ("rotation: { on: b.hub, angular_velocity: 1 }", "body `b` has no node set `hub`"),
        ("dashpot: { on: b.hub, coefficient: 1 }", "body `b` has no node set `hub`"),
    ] {
        let said = outcome(&[entry]).unwrap_err();
        assert!(said.contains(says), "{entry}: expected `{says}` in\n{said}");
    }
    outcome(&["spring: { on: b.all, stiffness: 1 }"]).unwrap();
}

/// A table is read beside its case; what is wrong in it is named with its line.
#[test]
fn tables_from_files() {
    source("closed form: integral of the table, exact by the trapezoidal rule");
    let folder = std::env::temp_dir().join(format!("impakt-tables-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "{CASE}  - {{ body_force: {{ on: b, per_mass: [1.0, 0.0], time: {{ table: {{ file: load.csv }} }} }} }}\n"
    );
    let file = folder.join("case.yaml");
    std::fs::write(&file, text).unwrap();
    let table = |content: &[u8]| {
        std::fs::write(folder.join("load.csv"), content).unwrap();
        read(&file, &[]).map_err(|e| e.to_string())
    };
    for content in [
        "time,factor\n0.0,2.0\n0.05,2.0\n0.1,4.0\n",
        "\u{feff}# a comment\n\n0 2\r\n0.05 2 99\r\n0.1 4\r\n",
        "t;f\n0.0; 2.0\n0.05;\t2\n1e-1; 4\n",
    ] {
        let summary = run(&table(content.as_bytes()).unwrap_or_else(|e| panic!("{e}")));
        // ∫ of the table, exact by the trapezoidal mean because its corner falls on a step
        near("velocity", column(&summary, "bodies/b/velocity/0")[10], 0.1 + 0.15, 1e-12);
    }
    for (content, says) in [
        (&b"0,1\nx,2\n"[..], "line 2 is not a time and a value"),
        (b"0,1\n1\n", "line 2 is not a time and a value"),
        (b"0,1\n1,inf\n", "line 2 is not a time and a value"),
        (b"time,value\nmore,text\n", "line 2"),
        (b"0,1\n1,1\n1,2\n", "times must increase: point 2"),
        (b"time,value\n", "a table needs at least one point"),
        (b"0,\xff\n", "is not UTF-8 text"),
    ] {
        let said = table(content).unwrap_err();
        assert!(said.contains(says), "expected `{says}` in\n{said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
