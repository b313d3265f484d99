//! Files written by Gmsh, read by us: `tests/data/gmsh/` holds the same models as text and binary, with what Gmsh says of
//! their physical groups (`expected.csv`).

mod support;

use impakt::geometry::{Shape, Surface};
use impakt::mesh::check::measure;
use impakt::mesh::gmsh::{Read, read, triangles};
use impakt::mesh::{CellKind, Mesh};
use support::claims::source;
use support::{claims, close};

const PLANE: [&str; 4] = ["plane_text", "plane_binary", "plane_big_endian", "plane_short_counts"];
const SOLID: [&str; 2] = ["solid_text", "solid_binary"];

fn bytes(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/data/gmsh/{name}.msh", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn open(name: &str, dim: usize, group: Option<&str>) -> Read {
    read(&bytes(name), dim, group).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn refusal(bytes: &[u8], dim: usize, group: Option<&str>) -> String {
    read(bytes, dim, group).expect_err("refused").to_string()
}

fn size(mesh: &Mesh) -> f64 {
    mesh.cells().map(|(cell, _, _)| measure(mesh, cell)).sum()
}

fn kinds(mesh: &Mesh) -> [usize; 4] {
    [CellKind::Tri3, CellKind::Quad4, CellKind::Tet4, CellKind::Hex8]
        .map(|kind| mesh.cells().filter(|(_, k, _)| *k == kind).count())
}

#[test]
fn groups_are_what_gmsh_says_they_are() {
    claims::source("Gmsh 4.15.2: sizes of its physical groups (tests/data/gmsh/expected.csv)");
    let text = std::fs::read_to_string(format!("{}/tests/data/gmsh/expected.csv", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut compared = 0;
    for line in text.lines().skip(1) {
        let [model, dim, group, elements, nodes, length] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (files, body): (&[&str], usize) = match model {
            "plane" => (&PLANE, 2),
            "solid" => (&SOLID, 3),
            _ => (&["partly_text"], 2),
        };
        let (dim, elements, nodes): (usize, usize, usize) =
            (dim.parse().unwrap(), elements.parse().unwrap(), nodes.parse().unwrap());
        let length: f64 = length.parse().unwrap();
        let set = group.replace(' ', "_");
        for file in files {
            let whole = open(file, body, None).mesh;
            assert_eq!(whole.node_sets[&set].len(), nodes, "{file}: nodes of {group}");
            if dim == body {
                assert_eq!(whole.cell_sets[&set].len(), elements, "{file}: cells of {group}");
                for name in [group, set.as_str()] {
                    let part = open(file, body, Some(name)).mesh;
                    assert_eq!((part.cell_count(), part.node_count()), (elements, nodes), "{file}: body {name}");
                    close(format!("{file}: size of {name}"), size(&part), length, 1e-14);
                }
            } else if dim + 1 == body && group != "seam" {
                assert_eq!(whole.face_sets[&set].len(), elements, "{file}: faces of {group}");
            }
            compared += 1;
        }
    }
    assert!(compared > 20, "only {compared} groups were compared");
}

#[test]
fn every_encoding_gives_the_same_mesh() {
    claims::source("the same model as text, of 16 digits");
    for (files, dim) in [(&PLANE[..], 2), (&SOLID[..], 3), (&["plain_text", "plain_binary"][..], 2)] {
        let first = open(files[0], dim, None).mesh;
        for file in &files[1..] {
            let other = open(file, dim, None).mesh;
            assert!(first.cells().eq(other.cells()), "{file}");
            assert_eq!((&first.node_sets, &first.face_sets), (&other.node_sets, &other.face_sets), "{file}");
            assert_eq!(first.cell_sets, other.cell_sets, "{file}");
            for (a, b) in first.nodes.iter().flatten().zip(other.nodes.iter().flatten()) {
                // Text has 16 digits.
                close(file, *b, *a, 1e-15);
            }
        }
    }
}

#[test]
fn mixed_cells_are_read() {
    claims::source("area and volume of the modelled boxes");
    let mesh = open("plane_text", 2, None).mesh;
    assert_eq!(kinds(&mesh), [26, 18, 0, 0]);
    close("area", size(&mesh), 3.0, 1e-14);
    let solid = open("solid_text", 3, None);
    assert_eq!(kinds(&solid.mesh), [0, 0, 56, 8]);
    close("volume", size(&solid.mesh), 3.0, 1e-14);
    assert!(solid.notes.iter().any(|note| note.contains("2 separate parts")), "{:?}", solid.notes);
}

#[test]
fn facets_lie_on_the_boundary_of_the_body_that_is_read() {
    // The seam is inside the whole, and on the boundary of each part.
    let whole = open("plane_text", 2, Some("whole")).mesh;
    assert!(!whole.face_sets.contains_key("seam"));
    assert_eq!(whole.node_sets["seam"].len(), 4);
    for part in ["soft_part", "9"] {
        let mesh = open("plane_text", 2, Some(part)).mesh;
        assert_eq!(mesh.face_sets["seam"].len(), 3);
        for node in &mesh.node_sets["seam"] {
            assert_eq!(mesh.nodes[node.index()][0], 1.0);
        }
    }
    // What is nowhere on the body is not one of its sets.
    assert!(!open("plane_text", 2, Some("9")).mesh.node_sets.contains_key("wall"));
    let tip = &whole.node_sets["tip"];
    assert_eq!(tip.iter().map(|n| whole.nodes[n.index()]).collect::<Vec<_>>(), [[3.0, 1.0, 0.0]]);
    assert_eq!(open("solid_text", 3, Some("bricks")).mesh.face_sets["bottom"].len(), 4);
}

#[test]
fn without_groups_every_cell_is_taken() {
    source("areas and counts that Gmsh states of its own file (expected.csv)");
    let plain = open("plain_text", 2, None);
    close("area", size(&plain.mesh), 1.0, 1e-14);
    assert_eq!(plain.notes, Vec::<String>::new());
    assert!(
        refusal(&bytes("plain_text"), 2, Some("x")).contains("no physical group `x` of plane cells; the file has none")
    );
}

#[test]
fn with_groups_only_their_cells_are_taken() {
    source("areas and counts that Gmsh states of its own file (expected.csv)");
    let partly = open("partly_text", 2, None);
    close("area", size(&partly.mesh), 1.0, 1e-14);
    let count = partly.mesh.cell_count();
    // The other square has as many.
    assert_eq!(partly.notes, [format!("{count} cells belong to no physical group and are left out")]);
}

#[test]
fn what_cannot_be_used_is_named() {
    let plane = bytes("plane_text");
    assert!(refusal(&plane, 3, None).contains("there are no solid cells in the file"));
    let message = refusal(&plane, 2, Some("soft"));
    assert!(
        message.ends_with("there is no physical group `soft` of plane cells; the file has `9`, `soft part`, `whole`"),
        "{message}"
    );
    let prism = refusal(&bytes("prisms_text"), 3, None);
    assert!(prism.contains("is a prism, which is not supported") && prism.contains("(line "), "{prism}");
    let quadratic = refusal(&bytes("quadratic_text"), 2, None);
    assert!(quadratic.contains("is a six-node triangle, which is not supported"), "{quadratic}");
    // Of a solid model a plane case sees the faces in physical groups: here those in z = 0.
    assert_eq!(kinds(&open("solid_text", 2, None).mesh), [6, 4, 0, 0]);
}

/// The square of two triangles, ready to be broken; lines 12 to 17 hold the nodes, 20 to 22 the cells.
const SQUARE: &str = "\
$MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 0 1 0
1 0 0 0 1 1 0 0 0
$EndEntities
$Nodes
1 4 1 4
2 1 0 4
1
2
3
4
0 0 0
1 0 0
1 1 0
0 1 0
$EndNodes
$Elements
1 2 1 2
2 1 2 2
1 1 2 3
2 1 3 4
$EndElements
";

#[test]
fn clockwise_cells_are_turned_and_orphans_left_out() {
    source("area of the square, by hand");
    let clockwise = SQUARE.replace("2 1 3 4", "2 1 4 3");
    let found = read(clockwise.as_bytes(), 2, None).unwrap();
    let note = "1 cell was inside out or clockwise, the first one cell 2 (line 24); it has been turned around";
    assert_eq!(found.notes, [note]);
    close("area", size(&found.mesh), 1.0, 1e-15);
    let orphan = SQUARE.replace("1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n", "1 5 1 9\n2 1 0 5\n9\n1\n2\n3\n4\n5 5 5\n");
    let found = read(orphan.as_bytes(), 2, None).unwrap();
    assert_eq!(found.notes, ["1 node belongs to no element, the first one node 9 (line 11); it is left out"]);
    assert_eq!(found.mesh.node_count(), 4);
}

#[test]
fn defects_name_cell_and_line() {
    for (from, to, says) in [
        ("2 1 3 4\n", "2 1 3 3\n", "cell 2 (line 24) has node 3 (line 13) twice"),
        ("2 1 3 4\n", "2 3 1 2\n", "cell 1 (line 23) and cell 2 (line 24) have the same nodes"),
        ("2 1 3 4\n", "2 1 3 7\n", "cell 2 (line 24) has node 7, which the file does not have"),
        ("0 1 0\n$EndNodes", "2 2 0\n$EndNodes", "cell 2 (line 24) is flat"),
        ("0 1 0\n$EndNodes", "0.9 0.5 0\n$EndNodes", "overlap"),
        ("0 1 0\n$EndNodes", "0 1 0.5\n$EndNodes", "node 4 (line 14) has z = 0.5; a plane mesh must lie in z = 0"),
        ("1 1 0\n0 1 0", "1 1 0\n0 nan 0", "line 18: NaN is not a finite number"),
        ("3\n4\n0 0 0", "3\n3\n0 0 0", "node 3 (line 13) and node 3 (line 14) have the same tag"),
    ] {
        assert!(SQUARE.contains(from), "{from}");
        let message = refusal(SQUARE.replace(from, to).as_bytes(), 2, None);
        assert!(message.contains(says), "{to:?}: `{message}` does not contain `{says}`");
    }
}

#[test]
fn names_with_a_meaning_of_their_own_are_refused() {
    let text = String::from_utf8(bytes("plane_text")).unwrap();
    let surface = text.replace("\"wall\"", "\"surface\"");
    assert!(
        refusal(surface.as_bytes(), 2, None).contains("`surface`, which always means the whole boundary; rename it")
    );
    let all = text.replace("\"whole\"", "\"all\"");
    assert!(refusal(all.as_bytes(), 2, None).contains("`all`, which always means all cells; rename it"));
}

/// A case with a mesh from a file, as if it stood in `tests/data/`.
fn case(mesh: &str) -> String {
    let text = format!(
        "geometry: plane_strain\ntime: {{ end: 1.0, step: 0.1 }}\nmaterials:\n  m: {{ density: 1, law: {{ linear: {{ young: 1, \
         poisson: 0 }} }} }}\nbodies:\n  part:\n    mesh: {mesh}\n    material: m\nboundary: [{{ fixed: {{ on: part.wall }} }}]\n"
    );
    let name = format!("{}/tests/data/x.yaml", env!("CARGO_MANIFEST_DIR"));
    let case = impakt::case::parse(&text, &name, &[]).unwrap_or_else(|error| panic!("{error}"));
    match impakt::case::build(&case) {
        Ok(model) => format!("{} cells", model.system.with_nodes(0).mesh.cell_count()),
        Err(error) => error.to_string().replace(env!("CARGO_MANIFEST_DIR"), ""),
    }
}

#[test]
fn files_are_found_from_the_folder_of_the_case_and_problems_name_both_files() {
    assert_eq!(case("{ gmsh: gmsh/plane_text.msh, group: whole }"), "44 cells");
    assert_eq!(case("{ gmsh: gmsh/plane_binary.msh }"), "44 cells");
    for (mesh, says) in [
        ("{ gmsh: gmsh/none.msh }", "/tests/data/x.yaml:7:19: bodies.part.mesh.gmsh: gmsh/none.msh: cannot be opened"),
        ("{ gmsh: gmsh }", "bodies.part.mesh.gmsh: gmsh: cannot be read"),
        ("{ gmsh: gmsh/README.md }", "gmsh/README.md: line 1: `Reference` stands where a section should begin"),
        (
            "{ gmsh: gmsh/plane_text.msh, group: hard }",
            "there is no physical group `hard` of plane cells; the file has `9`",
        ),
        ("{ gmsh: gmsh/quadratic_text.msh }", "is a six-node triangle, which is not supported"),
        ("{ gmsh: gmsh/plane_text.msh, group: 9 }", "body `part` has no node set `wall`"),
    ] {
        let message = case(mesh);
        assert!(message.contains(says), "{mesh}: `{message}` does not contain `{says}`");
    }
}

/// Signed volume under triangles.
fn enclosed(triangles: &[[[f64; 3]; 3]]) -> f64 {
    let det = |[a, b, c]: &[[f64; 3]; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    triangles.iter().map(det).sum::<f64>() / 6.0
}

/// The surface of solid cells: closed, and around the volume that Gmsh itself gives for the group.
#[test]
fn solid_cells_give_their_outer_faces() {
    for name in ["solid_text", "solid_binary"] {
        for (group, volume) in [(Some("bricks"), 1.0), (Some("needles"), 2.0), (None, 3.0)] {
            let found = triangles(&bytes(name), group).unwrap_or_else(|error| panic!("{name}: {error}"));
            let measured = enclosed(&found);
            assert!((measured - volume).abs() < 1e-12, "{name} {group:?}: {measured} in place of {volume}");
            let surface = Surface::new(&found, false).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(surface.is_closed(), "{name} {group:?}");
        }
        let bottom = triangles(&bytes(name), Some("bottom")).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(bottom.iter().flatten().all(|p| p[2] == bottom[0][0][2]), "a group of faces is one plane");
    }
    let said = triangles(&bytes("solid_text"), Some("botom")).expect_err("no such group").to_string();
    assert!(said.contains("no physical group `botom` of surface or solid cells; the file has `bottom`"), "{said}");
}

/// A cube of six quads typed with every second one facing inward: cut, turned to agree, and closed.
#[test]
fn surface_cells_in_space_are_turned_to_agree() {
    let quads = [[1, 3, 4, 2], [5, 7, 8, 6], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 6, 8, 4]];
    let mut text =
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 8 1 8\n2 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n".to_owned();
    for k in 0..8 {
        text += &format!("{} {} {}\n", k & 1, k >> 1 & 1, k >> 2 & 1);
    }
    text += "$EndNodes\n$Elements\n1 6 1 6\n2 1 3 6\n";
    for (k, [a, b, c, d]) in quads.iter().enumerate() {
        text += &format!("{} {a} {b} {c} {d}\n", k + 1);
    }
    text += "$EndElements\n";
    let found = triangles(text.as_bytes(), None).expect("a surface");
    assert_eq!(found.len(), 12);
    assert!((enclosed(&found).abs() - 1.0).abs() < 1e-14, "{}", enclosed(&found));
    assert!(Surface::new(&found, false).expect("a surface").is_closed());
    assert!(read(text.as_bytes(), 2, None).is_err(), "a plane mesh lies in z = 0");
}
