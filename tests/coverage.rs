//! `cases/` has a case for every entry of the catalogue. The names are those the validator itself offers when it meets one that it
//! does not know, so that a new law, mesh, load or obstacle fails here until a case shows it.

mod runs;

use std::collections::BTreeSet;

use impakt::case::tree::{Node, Origin, Value};
use impakt::case::{parse, yaml};

/// A case in which any one choice can be replaced by a name that does not exist.
const BASE: &str = "
geometry: GEOMETRY
time: { end: 1.0, step: 0.5 }
materials: { m: { density: 1.0, law: { linear: { young: 1.0, poisson: 0.0 } } } }
bodies: { b: { mesh: { MESH: { min: CORNER0, max: CORNER1, divisions: CORNER1 } }, material: m } }
obstacles: { o: { shape: { half_space: { point: CORNER0, normal: CORNER1 } } } }
boundary: [{ fixed: { on: b.all } }]
contacts: [{ between: [b.all, o] }]
";

/// The names offered in place of `no_such_name` at the place this argument of `--set` leads to.
fn offered(space: bool, set: &str) -> Vec<String> {
    let text = if space {
        BASE.replace("GEOMETRY", "solid")
            .replace("MESH", "box")
            .replace("CORNER0", "[0, 0, 0]")
            .replace("CORNER1", "[1, 1, 1]")
    } else {
        BASE.replace("GEOMETRY", "plane_strain")
            .replace("MESH", "rectangle")
            .replace("CORNER0", "[0, 0]")
            .replace("CORNER1", "[1, 1]")
    };
    assert!(parse(&text, "base.yaml", &[]).is_ok(), "the case itself is sound");
    let error = parse(&text, "base.yaml", &[set.to_owned()]).expect_err("a name that does not exist").to_string();
    let line = error.lines().find(|line| line.contains("expected: one of"));
    let line = line.unwrap_or_else(|| panic!("{set}: no list of names in\n{error}"));
    line.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Every node of a tree, with the key it stands under (of a list, the key of the list).
fn walk<'a>(key: &'a str, node: &'a Node, visit: &mut impl FnMut(&'a str, &'a Node)) {
    visit(key, node);
    match &node.value {
        Value::Map(entries) => entries.iter().for_each(|entry| walk(&entry.key, &entry.node, visit)),
        Value::List(items) => items.iter().for_each(|item| walk(key, item, visit)),
        _ => {}
    }
}

/// What all cases choose under these keys: the keys of a map, or the text.
fn chosen(trees: &[Node], sections: &[&str], keys: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for tree in trees {
        for section in sections {
            let Some(entry) = tree.get(section) else { continue };
            walk(&entry.key, &entry.node, &mut |key, node| {
                if !keys.is_empty() && !keys.contains(&key) {
                    return;
                }
                match &node.value {
                    Value::Map(entries) => found.extend(entries.iter().map(|entry| entry.key.clone())),
                    Value::Text(text) => drop(found.insert(text.clone())),
                    _ => {}
                }
            });
        }
    }
    found
}

fn trees() -> Vec<Node> {
    let mut folders = vec![runs::path("cases")];
    let mut trees = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "yaml") {
                let text = std::fs::read_to_string(&path).expect("a readable file");
                trees.push(yaml::parse(&text, Origin::File, 0).unwrap_or_else(|e| panic!("{}: {e:?}", path.display())));
            }
        }
    }
    trees
}

#[test]
fn every_entry_of_the_catalogue_has_a_case() {
    let trees = trees();
    // what the names are of, where the validator offers them, where a case chooses one, and what is taken if it does not
    let solid_mesh = "bodies.b.mesh={box: {min: [0, 0, 0], max: [1, 1, 1], divisions: [1, 1, 1], cells: no_such_name}}";
    let plane_mesh = "bodies.b.mesh={rectangle: {min: [0, 0], max: [1, 1], divisions: [1, 1], cells: no_such_name}}";
    let path = "bodies.b.mesh={sweep: {mesh: {rectangle: {min: [1, 0], max: [2, 1], divisions: [1, 1]}}, layers: 1, path: {no_such_name: 1}}}";
    let function = "boundary.0={displacement: {on: b.all, x: {no_such_name: 1}}}";
    let spring = "boundary.0={spring: {on: b.all, stiffness: 1.0, per: no_such_name}}";
    let passes = "contacts.0={between: [b.left, b.right], passes: no_such_name}";
    let overlap = "contacts.0={between: [b.left, b.right], overlap: no_such_name}";
    type Family<'a> = (&'a str, bool, &'a str, &'a [&'a str], &'a [&'a str], &'a str);
    let rough = "contacts.0.friction={mu1: 0.1, mu2: 0.2, axis: [1, 0, 0], slip: no_such_name}";
    let carried = "contacts.0.friction={mu1: 0.1, mu2: 0.2, axis: [1, 0, 0], carried_by: no_such_name}";
    let local = "contact_solver={gauss_seidel: {local: no_such_name}}";
    let step = "contact_solver={uzawa: {step: no_such_name}}";
    let failure = "contact_solver={hybrid: {on_failure: no_such_name}}";
    let operator = "contact_solver={hybrid: {operator: no_such_name}}";
    let families: [Family; 25] = [
        ("geometry", false, "geometry=no_such_name", &["geometry"], &["geometry"], ""),
        ("law", false, "materials.m.law={no_such_name: 1}", &["materials"], &["law"], ""),
        ("mesh", false, "bodies.b.mesh={no_such_name: 1}", &["bodies"], &["mesh"], ""),
        ("plane cells", false, plane_mesh, &["bodies"], &["cells"], "quads"),
        ("solid cells", true, solid_mesh, &["bodies"], &["cells"], "hexes"),
        ("path of a sweep", true, path, &["bodies"], &["path"], ""),
        ("formulation", false, "bodies.b.formulation=no_such_name", &["bodies"], &["formulation"], "standard"),
        ("mass", false, "bodies.b.mass=no_such_name", &["bodies"], &["mass"], "consistent"),
        ("load or support", false, "boundary.0={no_such_name: 1}", &["boundary"], &["boundary"], ""),
        ("function of time", false, function, &["boundary", "obstacles"], &[], ""),
        ("measure of a spring", false, spring, &["boundary"], &["per"], "node"),
        ("obstacle", false, "obstacles.o.shape={no_such_name: 1}", &["obstacles"], &["shape"], ""),
        ("contact level", false, "contacts.0.level=no_such_name", &["contacts"], &["level"], "position"),
        ("passes", false, passes, &["contacts"], &["passes"], "one"),
        ("remedy for overlap", false, overlap, &["contacts"], &["overlap"], "refuse"),
        ("slip rule", true, rough, &["contacts"], &["slip"], "associated"),
        ("carrier of an axis", true, carried, &["contacts"], &["carried_by"], "obstacle"),
        ("contact solver", false, "contact_solver={no_such_name: 1}", &["contact_solver"], &["contact_solver"], ""),
        ("solver of a point", false, local, &["contact_solver"], &["local"], "exact"),
        ("step of Uzawa", false, step, &["contact_solver"], &["step"], "fixed"),
        ("contact operator", false, operator, &["contact_solver"], &["operator"], "auto"),
        ("unsolved contact", false, failure, &["contact_solver"], &["on_failure"], "cut_step"),
        ("scheme", false, "time.scheme={no_such_name: 1}", &["time"], &["scheme"], "jean"),
        (
            "share of a reaction",
            false,
            "time.scheme={hht: {contact: no_such_name}}",
            &["time"],
            &["contact"],
            "impulse",
        ),
        ("force of a step", false, "time.scheme={jean: {force: no_such_name}}", &["time"], &["force"], "trapezoidal"),
    ];
    let (mut missing, mut shown) = (Vec::new(), 0);
    for (family, space, set, sections, keys, default) in families {
        let names = offered(space, set);
        let found = chosen(&trees, sections, keys);
        println!("{family}: {}", names.join(", "));
        shown += names.len();
        missing
            .extend(names.iter().filter(|n| *n != default && !found.contains(*n)).map(|n| format!("{family}: `{n}`")));
    }
    println!("{shown} entries in {} cases", trees.len());
    assert!(missing.is_empty(), "no case under cases/ shows\n{}", missing.join("\n"));
}
