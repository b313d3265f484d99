//! The schema says what the reader says: every case of the project fits it (judged by PyPI's jsonschema), broken ones do not,
//! and every key has a sentence.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod command;

use std::path::Path;
use std::process::Command;

use command::cases;
use impakt::case::schema::{Descriptions, Form, Key, explore, json, markdown};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The key at a path of plain names, through maps, names and choices.
fn at<'k>(key: &'k Key, path: &str) -> Option<&'k Key> {
    let Some(step) = path.split('.').next().filter(|s| !s.is_empty()) else { return Some(key) };
    let rest = path.split_once('.').map_or("", |(_, rest)| rest);
    key.forms.iter().find_map(|form| match form {
        Form::Map(fields) => at(&fields.iter().find(|f| f.name == step)?.key, rest),
        Form::Choice(options, beside) => {
            let inner = options.iter().find(|(name, _)| *name == step).map(|(_, key)| key);
            at(inner.or_else(|| beside.iter().find(|f| f.name == step).map(|f| &f.key))?, rest)
        }
        Form::Names(inner) | Form::List(_, inner) if step == "*" => at(inner, rest),
        _ => None,
    })
}

/// What the reader is known to take is found by probing it: kinds, ranges, choices, defaults, keys that need another beside
/// them, and keys of one geometry only.
#[test]
fn the_reader_is_explored_as_it_is() {
    let root = explore();
    for path in [
        "time.scheme.jean.theta",
        "time.step.adaptive.iterations",
        "materials.*.law.ogden.terms.*.alpha",
        "bodies.*.mesh.sweep.mesh.disc.radius",
        "bodies.*.mesh.gmsh",
        "bodies.*.mesh.place.rotate",
        "obstacles.*.shape.polygon.holes.*.*.*",
        "obstacles.*.motion.rotation.angular_velocity.sine.frequency",
        "boundary.*.spring.stiffness",
        "contacts.*.restitution",
        "obstacles.*.inertia",
        "obstacles.*.force.x.ramp.to",
        "contact_solver.uzawa.rho",
        "output.probes.*.at",
        "expect.*.at",
    ] {
        let key = at(&root, path).unwrap_or_else(|| panic!("{path} is not found"));
        assert!(!key.forms.is_empty(), "{path} takes nothing");
    }
    assert_eq!(
        at(&root, "contacts.*.restitution").unwrap().forms,
        [Form::Number(impakt::case::decode::Range::Closed(0.0, 1.0))]
    );
    assert_eq!(at(&root, "output.compression").unwrap().forms, [Form::Integer(0, 9)]);
    assert_eq!(at(&root, "bodies.*.mesh.box.divisions").unwrap().only_in, Vec::<&str>::new());
    // a plane section takes no solid mesh
    assert!(at(&root, "bodies.*.mesh.sweep.mesh.box").is_none());
    let schema = json();
    assert_eq!(schema["properties"]["time"]["properties"]["max_halvings"]["default"], 8.0);
    assert_eq!(schema["required"], serde_json::json!(["geometry"]));
    assert_eq!(schema["anyOf"], serde_json::json!([{ "required": ["time"] }, { "required": ["task"] }]));
}

#[test]
fn every_key_has_a_sentence_and_every_sentence_a_key() {
    let missing = Descriptions::default().undescribed(&explore());
    assert!(missing.keys.is_empty(), "add to src/case/schema/keys.txt:\n{}", missing.keys.join("\n"));
    assert!(
        missing.patterns.is_empty(),
        "describe no key in src/case/schema/keys.txt:\n{}",
        missing.patterns.join("\n")
    );
    let page = markdown();
    assert!(page.contains("| `materials.*.density` | number > 0 | required |"), "{page}");
}

/// Each case of the project, each starter case, and each of them with one thing broken.
#[test]
fn jsonschema_takes_every_case_and_refuses_broken_ones() {
    let python = root().join(".venv/bin/python");
    assert!(python.exists(), "{} is missing: run scripts/setup.sh", python.display());
    let folder = std::env::temp_dir().join(format!("impakt-schema-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("scratch folder");
    let file = folder.join("schema.json");
    std::fs::write(&file, json().to_string()).expect("schema");
    let mut files = cases();
    files.extend(["starter_plane", "starter_solid"].map(|name| root().join(format!("src/cli/{name}.yaml"))));
    let done = Command::new(python)
        .arg(root().join("tests/readers/validate_cases.py"))
        .arg(&file)
        .args(&files)
        .output()
        .expect("python runs");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
    assert!(text.contains(&format!("{} cases fit", files.len())), "{text}");
    std::fs::remove_dir_all(folder).expect("clean up");
}
