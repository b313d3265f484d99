//! Every mesh generator against closed forms: volumes converge at second order to those of the true body (or are exact),
//! surfaces are closed, outward and of the right topology, elements have positive Jacobians and the right mass.

mod support;

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use impakt::elements::Lumping;
use impakt::materials::{Hooke, Law};
use impakt::mesh::check::{Labels, check, measure};
use impakt::mesh::generate::{
    Cylinder, Disc, Extrude, Path, PlaneCells, Rectangle, Ring, Screw, SolidCells, Sphere, Sweep, Tube, cylinder, disc,
    extrude, rectangle, ring, sphere, sweep, tube,
};
use impakt::mesh::placement::{Placement, Turn};
use impakt::mesh::{Facet, Mesh, NodeId};
use nalgebra::Vector3;
use support::{at_most, claims, close, free_body};

const SOLIDS: [SolidCells; 2] = [SolidCells::Hexes, SolidCells::Tets];

fn volume(mesh: &Mesh) -> f64 {
    mesh.cells().map(|(cell, _, _)| measure(mesh, cell)).sum()
}

/// `∫ x·n dA` over a surface with straight or bilinear facets, by Gauss' rule with two points a direction.
fn flux(mesh: &Mesh, facets: &[Facet]) -> f64 {
    let at = |node: &NodeId| Vector3::from(mesh.nodes[node.index()]);
    let of_facet = |facet: &Facet| match facet.nodes() {
        [a, b] => at(a).cross(&at(b)).z,
        [a, b, c] => 0.5 * at(a).dot(&(at(b) - at(a)).cross(&(at(c) - at(a)))),
        [a, b, c, d] => {
            let g = 0.5 / 3f64.sqrt();
            let (a, b, c, d) = (at(a), at(b), at(c), at(d));
            [[-g, -g], [g, -g], [g, g], [-g, g]]
                .map(|[s, t]| [0.5 + s, 0.5 + t])
                .map(|[s, t]| {
                    let x = (a * (1.0 - s) + b * s) * (1.0 - t) + (d * (1.0 - s) + c * s) * t;
                    let x_s = (b - a) * (1.0 - t) + (c - d) * t;
                    let x_t = (d - a) * (1.0 - s) + (c - b) * s;
                    0.25 * x.dot(&x_s.cross(&x_t))
                })
                .iter()
                .sum()
        }
        other => panic!("a facet with {} nodes", other.len()),
    };
    facets.iter().map(of_facet).sum()
}

/// Vertices − edges + faces of the surface of a solid, after a look that each edge has two faces, once in each direction.
fn euler(mesh: &Mesh) -> i64 {
    let surface = &mesh.face_sets["surface"];
    let mut edges: BTreeMap<(NodeId, NodeId), i32> = BTreeMap::new();
    for facet in surface {
        let nodes = facet.nodes();
        for k in 0..nodes.len() {
            *edges.entry((nodes[k], nodes[(k + 1) % nodes.len()])).or_default() += 1;
        }
    }
    for (&(a, b), &count) in &edges {
        assert_eq!((count, edges.get(&(b, a))), (1, Some(&1)), "the surface is open or crossed at edge {a:?} {b:?}");
    }
    mesh.node_sets["surface"].len() as i64 - edges.len() as i64 / 2 + surface.len() as i64
}

/// What every generated mesh must be.
fn sound(what: &str, mesh: &Mesh) {
    assert_eq!(check(mesh, &Labels::default()), Ok(Vec::new()), "{what}");
    let size = volume(mesh);
    close(format!("{what}: flux"), flux(mesh, &mesh.face_sets["surface"]), mesh.dim() as f64 * size, 1e-11 * size);
    for (name, facets) in &mesh.face_sets {
        assert!(!facets.is_empty(), "{what}: face set {name} is empty");
        assert!(mesh.node_sets.contains_key(name), "{what}: face set {name} has no node set");
    }
    for (name, nodes) in &mesh.node_sets {
        assert!(!nodes.is_empty() && nodes.is_sorted_by(|a, b| a < b), "{what}: node set {name}");
    }
    for (name, cells) in &mesh.cell_sets {
        assert!(!cells.is_empty() && cells.is_sorted_by(|a, b| a < b), "{what}: cell set {name}");
    }
    // Building the elements refuses a Jacobian that is not positive at an integration point.
    let body = free_body(mesh.clone(), Law::Linear(Hooke::new(1.0, 0.3)), 3.0, Lumping::Consistent);
    close(format!("{what}: mass"), body.total_mass(), 3.0 * size, 1e-12 * size);
}

/// The parts of the surface add up to it.
fn covers(mesh: &Mesh, names: &[&str]) {
    let sum: usize = names.iter().map(|name| mesh.face_sets[*name].len()).sum();
    assert_eq!(sum, mesh.face_sets["surface"].len(), "{names:?}");
}

/// Errors of the volume on meshes each twice as fine as the one before fall by four.
fn second_order(what: &str, exact: f64, meshes: [Mesh; 3]) {
    let errors = meshes.map(|mesh| (volume(&mesh) - exact).abs() / exact);
    for pair in errors.windows(2) {
        let rate = (pair[0] / pair[1]).log2();
        println!("{what}: error {:.3e} -> {:.3e}, rate {rate:.3}", pair[0], pair[1]);
        close(format!("{what}: rate of {errors:?}"), rate, 2.0, 0.1);
    }
}

#[test]
fn rings_converge() {
    claims::source("area of a ring, pi (b^2 - a^2)");
    for cells in [PlaneCells::Quads, PlaneCells::Triangles] {
        let make =
            |around| ring(&Ring { inner: 0.5, outer: 2.0, centre: [3.0, 4.0], around, layers: 3, cells }).unwrap();
        sound("ring", &make(10));
        covers(&make(10), &["inner", "outer"]);
        second_order("ring", PI * (4.0 - 0.25), [16, 32, 64].map(make));
    }
}

#[test]
fn cylinders_converge() {
    claims::source("volume of a cylinder, pi r^2 L");
    for cells in SOLIDS {
        let make = |core: usize| {
            let (centre, along) = ([1.0, -2.0, 3.0], [1.0, 2.0, -2.0]);
            let (radius, length, layers, slices) = (0.7, 2.5, core / 2, core);
            cylinder(&Cylinder { radius, length, centre, along, core, layers, slices, cells }).unwrap()
        };
        let mesh = make(4);
        sound("cylinder", &mesh);
        covers(&mesh, &["bottom", "top", "side"]);
        assert_eq!(euler(&mesh), 2);
        assert_eq!(mesh.cell_sets["core"].len() + mesh.cell_sets["shell"].len(), mesh.cell_count());
        let axis = Vector3::new(1.0, 2.0, -2.0) / 3.0;
        let from_centre = |node: &NodeId| Vector3::from(mesh.nodes[node.index()]) - Vector3::new(1.0, -2.0, 3.0);
        for node in &mesh.node_sets["side"] {
            close("radius", (from_centre(node) - axis * from_centre(node).dot(&axis)).norm(), 0.7, 1e-14);
        }
        for (name, place) in [("bottom", -1.25), ("top", 1.25)] {
            for node in &mesh.node_sets[name] {
                close(name, from_centre(node).dot(&axis), place, 1e-14);
            }
        }
        for node in &mesh.node_sets["axis"] {
            close("axis", from_centre(node).cross(&axis).norm(), 0.0, 1e-14);
        }
        second_order("cylinder", PI * 0.49 * 2.5, [4, 8, 16].map(make));
    }
}

#[test]
fn tubes_converge() {
    claims::source("volume of a tube, pi (b^2 - a^2) L");
    for cells in SOLIDS {
        let make = |around: usize| {
            let (centre, along) = ([0.0; 3], [0.0, 1.0, 0.0]);
            tube(&Tube { inner: 0.5, outer: 0.8, length: 1.0, centre, along, around, layers: 2, slices: 3, cells })
                .unwrap()
        };
        let mesh = make(9);
        sound("tube", &mesh);
        covers(&mesh, &["inner", "outer", "bottom", "top"]);
        assert_eq!(euler(&mesh), 0);
        for (name, radius) in [("inner", 0.5), ("outer", 0.8)] {
            for node in &mesh.node_sets[name] {
                let [x, _, z] = mesh.nodes[node.index()];
                close(name, x.hypot(z), radius, 1e-15);
            }
        }
        second_order("tube", PI * (0.64 - 0.25), [16, 32, 64].map(make));
    }
}

#[test]
fn spheres_converge() {
    claims::source("volume of a ball, 4/3 pi r^3");
    for cells in SOLIDS {
        let make = |core: usize, layers: usize| {
            sphere(&Sphere { radius: 1.5, centre: [0.25, 0.5, -1.0], core, layers, cells }).unwrap()
        };
        for (core, layers) in [(1, 1), (1, 4), (2, 1), (3, 2), (4, 6), (7, 3)] {
            let mesh = make(core, layers);
            sound("sphere", &mesh);
            assert_eq!(euler(&mesh), 2);
            assert_eq!(mesh.cell_sets["core"].len() + mesh.cell_sets["shell"].len(), mesh.cell_count());
            for node in &mesh.node_sets["surface"] {
                let [x, y, z] = mesh.nodes[node.index()];
                close("radius", Vector3::new(x - 0.25, y - 0.5, z + 1.0).norm(), 1.5, 2e-15);
            }
        }
        second_order("sphere", 4.0 / 3.0 * PI * 1.5f64.powi(3), [(4, 2), (8, 4), (16, 8)].map(|(c, l)| make(c, l)));
    }
}

#[test]
fn spheres_are_symmetric_to_the_bit() {
    let mesh = sphere(&Sphere { radius: 0.3, centre: [0.0; 3], core: 5, layers: 3, cells: SolidCells::Hexes }).unwrap();
    let image = |map: fn([f64; 3]) -> [f64; 3]| {
        let mut nodes: Vec<[u64; 3]> = mesh.nodes.iter().map(|&x| map(x).map(|c| (c + 0.0).to_bits())).collect();
        nodes.sort_unstable();
        nodes
    };
    let plain = image(|x| x);
    let maps: [fn([f64; 3]) -> [f64; 3]; 4] =
        [|[x, y, z]| [-x, y, z], |[x, y, z]| [x, -y, z], |[x, y, z]| [x, y, -z], |[x, y, z]| [y, z, x]];
    for map in maps {
        assert_eq!(image(map), plain);
    }
}

#[test]
fn extrusions_are_exact_and_keep_the_sets_of_their_section() {
    claims::source("volume of a prism, area times height");
    let section = |cells| rectangle(&Rectangle { min: [1.0, 2.0], max: [3.0, 3.0], divisions: [4, 3], cells }).unwrap();
    for (plane, solid) in [
        (PlaneCells::Quads, None),
        (PlaneCells::Quads, Some(SolidCells::Tets)),
        (PlaneCells::Triangles, None),
        (PlaneCells::Triangles, Some(SolidCells::Tets)),
    ] {
        let mesh = extrude(&section(plane), &Extrude { height: 0.5, layers: 2, cells: solid }).unwrap();
        sound("extrusion", &mesh);
        close("volume", volume(&mesh), 1.0, 1e-14);
        assert_eq!(euler(&mesh), 2);
        covers(&mesh, &["start", "end", "side"]);
        covers(&mesh, &["start", "end", "left", "right", "bottom", "top"]);
        for (name, axis, place) in [
            ("start", 2, 0.0),
            ("end", 2, 0.5),
            ("left", 0, 1.0),
            ("right", 0, 3.0),
            ("bottom", 1, 2.0),
            ("top", 1, 3.0),
        ] {
            assert!(mesh.node_sets[name].iter().all(|n| mesh.nodes[n.index()][axis] == place), "{name}");
        }
        let edge = &mesh.node_sets["top_right"];
        assert_eq!(edge.len(), 3);
        assert!(edge.iter().all(|n| mesh.nodes[n.index()][..2] == [3.0, 3.0]));
    }
    let hexes = Extrude { height: 1.0, layers: 1, cells: Some(SolidCells::Hexes) };
    assert!(extrude(&section(PlaneCells::Triangles), &hexes).unwrap_err().to_string().contains("prisms"));
    let mut named = section(PlaneCells::Quads);
    named.node_sets.insert("side".into(), vec![NodeId(0)]);
    assert!(extrude(&named, &hexes).unwrap_err().to_string().contains("a set `side`"));
    let solid = extrude(&section(PlaneCells::Quads), &hexes).unwrap();
    assert!(extrude(&solid, &hexes).unwrap_err().to_string().contains("only a plane mesh"));
}

fn round(cells: PlaneCells, centre: [f64; 2], core: usize) -> Mesh {
    disc(&Disc { radius: 0.25, centre, core, layers: core.div_ceil(2), cells }).unwrap()
}

fn turned(section: &Mesh, angle: f64, rise: f64, layers: usize) -> Mesh {
    let path = Path::Screw(Screw { angle, rise, point: [0.5, 0.0], axis: [0.0, 2.0] });
    sweep(section, &Sweep { path, layers, cells: None }).unwrap()
}

/// Pappus: area times the way of its centroid. The section is 2 from the axis, on either side of it.
#[test]
fn arcs_and_helices_converge_to_pappus() {
    claims::source("Pappus: area times the way of its centroid");
    for (angle, rise, closed, kind) in [
        (TAU, 0.0, true, 0),
        (-TAU, 0.0, true, 0),
        (PI / 2.0, 0.0, false, 2),
        (-1.25 * PI, 0.0, false, 2),
        (2.5 * TAU, 2.0, false, 2),
        (-1.5 * TAU, 1.5, false, 2),
    ] {
        for (cells, side) in [(PlaneCells::Quads, 2.5), (PlaneCells::Quads, -1.5), (PlaneCells::Triangles, 2.5)] {
            let per_turn = |core: usize| ((4 * core) as f64 * angle.abs() / TAU).ceil() as usize;
            let make = |core: usize| turned(&round(cells, [side, 1.0], core), angle, rise, per_turn(core));
            let mesh = make(4);
            sound("sweep", &mesh);
            assert_eq!(euler(&mesh), kind, "angle {angle}");
            assert_eq!(mesh.face_sets.contains_key("start"), !closed);
            if !closed {
                covers(&mesh, &["start", "end", "side"]);
            }
            second_order("sweep", PI * 0.0625 * 2.0 * angle.abs(), [4, 8, 16].map(make));
        }
    }
}

#[test]
fn sections_of_a_quarter_arc_stand_where_they_should() {
    claims::source("rotation by a quarter turn");
    let mesh = turned(&round(PlaneCells::Quads, [2.5, 1.0], 2), PI / 2.0, 0.0, 3);
    // A right-handed quarter turn about y takes +x to -z.
    for node in &mesh.node_sets["end"] {
        let [x, y, z] = mesh.nodes[node.index()];
        close("x", x, 0.5, 1e-15);
        at_most("distance", (z + 2.0).hypot(y - 1.0), 0.25 + 1e-15);
    }
}

/// The section is centred on the path, so that the volume is its area times the length of the path, whatever the bends.
#[test]
fn broken_lines_are_exact() {
    claims::source("area times the length of the path of its centroid");
    let points = vec![[1.0, 0.0, 0.0], [1.0, 0.0, 2.0], [3.0, 0.0, 3.0], [3.5, 2.0, 3.0], [3.5, 4.0, 5.0]];
    let length: f64 = points.windows(2).map(|p| (Vector3::from(p[1]) - Vector3::from(p[0])).norm()).sum();
    for cells in [PlaneCells::Quads, PlaneCells::Triangles] {
        let section = round(cells, [0.0; 2], 3);
        let path = Path::Polyline(points.clone());
        let mesh = sweep(&section, &Sweep { path, layers: 24, cells: None }).unwrap();
        sound("broken line", &mesh);
        assert_eq!(euler(&mesh), 2);
        covers(&mesh, &["start", "end", "side"]);
        close("volume", volume(&mesh), volume(&section) * length, 1e-13);
    }
}

#[test]
fn impossible_sweeps_are_refused() {
    let section = round(PlaneCells::Quads, [0.6, 0.0], 2);
    let attempt =
        |path: Path, layers: usize| sweep(&section, &Sweep { path, layers, cells: None }).unwrap_err().to_string();
    let screw = |angle, rise, point| Path::Screw(Screw { angle, rise, point, axis: [0.0, 1.0] });
    assert!(attempt(screw(1.0, 0.0, [0.5, 0.0]), 3).contains("axis touches the section"));
    assert!(attempt(screw(TAU, 0.0, [0.0; 2]), 2).contains("is 2; it must be at least 3"));
    assert!(attempt(screw(2.0 * TAU, 0.5, [0.0; 2]), 30).contains("the turns overlap"));
    assert!(attempt(screw(TAU, 0.1, [0.0; 2]), 30).contains("the turns overlap"));
    assert!(attempt(screw(f64::NAN, 0.1, [0.0; 2]), 30).contains("the angle is NaN"));
    assert!(attempt(Path::Polyline(vec![[0.0; 3]]), 3).contains("at least 2"));
    assert!(attempt(Path::Polyline(vec![[0.0; 3], [0.0; 3]]), 3).contains("not a direction"));
    let back = vec![[0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]];
    assert!(attempt(Path::Polyline(back), 3).contains("bends too sharply for its section at the end of piece 1"));
    let tight = vec![[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
    assert!(attempt(Path::Polyline(tight), 3).contains("bends too sharply"));
}

/// A mesh that is scaled, turned and shifted keeps its sets, scales its volume and stays sound.
#[test]
fn placed_meshes_are_sound() {
    claims::source("volume times the determinant of the scale");
    for cells in SOLIDS {
        let ball = Sphere { radius: 1.0, centre: [0.0; 3], core: 3, layers: 2, cells };
        let mut mesh = sphere(&ball).unwrap();
        let before = volume(&mesh);
        let turn = |angle, axis| Turn { angle, axis, about: [1.0, 2.0, 3.0] };
        let turns = vec![turn(33.0, [1.0, 1.0, 0.0]), turn(-120.0, [0.0, 1.0, 5.0])];
        Placement { scale: [2.0, 3.0, 0.5], turns, shift: [10.0, -20.0, 30.0] }.apply(&mut mesh).unwrap();
        close("volume", volume(&mesh), 3.0 * before, 1e-12);
        sound("placed sphere", &mesh);
        assert_eq!(euler(&mesh), 2);
    }
}
