use super::super::generate::{Block, PlaneCells, Rectangle, SolidCells, block, rectangle};
use super::super::{CellKind, Mesh, NodeId};
use super::*;

fn plane(points: &[[f64; 2]], cells: &[&[u32]]) -> Mesh {
    let mut mesh = Mesh::new(points.iter().map(|&[x, y]| [x, y, 0.0]).collect());
    for cell in cells {
        push(&mut mesh, if cell.len() == 3 { CellKind::Tri3 } else { CellKind::Quad4 }, cell);
    }
    mesh
}

fn push(mesh: &mut Mesh, kind: CellKind, nodes: &[u32]) {
    let nodes: Vec<NodeId> = nodes.iter().map(|&n| NodeId(n)).collect();
    mesh.push_cell(kind, &nodes);
}

const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

fn says(mesh: &Mesh, expected: &str) {
    let message = check(mesh, &Labels::default()).unwrap_err().to_string();
    assert!(message.contains(expected), "`{message}` does not contain `{expected}`");
}

#[test]
fn plane_defects_are_named() {
    says(&Mesh::new(vec![[0.0; 3]]), "no cells");
    let mut bad = plane(&SQUARE, &[&[0, 1, 2, 3]]);
    bad.nodes[2][1] = f64::NAN;
    says(&bad, "node 2 has the coordinates [1.0, NaN, 0.0]");
    bad.nodes[2] = [1.0, 1.0, 1e-3];
    says(&bad, "node 2 has z = 0.001");
    says(&plane(&SQUARE, &[&[0, 1, 2]]), "node 3 belongs to no cell");
    says(&plane(&SQUARE, &[&[0, 1, 2], &[0, 2, 3, 3]]), "cell 1 has node 3 twice");
    says(&plane(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], &[&[0, 1, 2]]), "cell 0 is flat");
    says(&plane(&SQUARE, &[&[0, 3, 2, 1]]), "cell 0 is inside out: its area or volume is -1.000e0");
    says(&plane(&[[0.0, 0.0], [1.0, 0.0], [0.2, 0.2], [0.0, 1.0]], &[&[0, 1, 2, 3]]), "not convex at node 2");
    says(&plane(&SQUARE, &[&[0, 1, 2, 3], &[1, 2, 3, 0]]), "cell 0 and cell 1 have the same nodes");
    says(&plane(&SQUARE, &[&[0, 1, 2], &[0, 1, 3], &[1, 2, 3]]), "overlap");
    let fan = [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0], [0.5, -1.0], [0.3, 2.0]];
    says(&plane(&fan, &[&[0, 1, 2], &[1, 0, 3], &[0, 1, 4]]), "share one face");
    let mut split = SQUARE.to_vec();
    split.extend([[0.0, 1e-9], [1.0, 1.0]]);
    says(&plane(&split, &[&[0, 1, 2], &[4, 5, 3]]), "node 0 and node 4 are at the same place");
}

#[test]
fn a_straight_angle_in_a_quadrilateral_is_allowed() {
    let mesh = plane(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.5, 1.0]], &[&[0, 1, 2, 3]]);
    assert_eq!(check(&mesh, &Labels::default()), Ok(Vec::new()));
}

#[test]
fn solid_defects_are_named() {
    let cube = || block(&Block { min: [0.0; 3], max: [1.0; 3], divisions: [1; 3], cells: SolidCells::Hexes }).unwrap();
    assert_eq!(check(&cube(), &Labels::default()), Ok(Vec::new()));
    let mut folded = cube();
    folded.nodes[7] = [0.3, 0.3, 0.3];
    says(&folded, "cell 0 is folded or not convex at node");
    // A tetrahedron glued to half of a hexahedron's face.
    let mut mixed = cube();
    mixed.nodes.push([0.7, 0.3, -1.0]);
    push(&mut mixed, CellKind::Tet4, &[0, 3, 1, 8]);
    says(&mixed, "cell 0 has a quadrilateral face where cell 1 has a triangle");
    let mut dimensions = cube();
    push(&mut dimensions, CellKind::Tri3, &[0, 1, 2]);
    says(&dimensions, "cell 1 is plane and cell 0 is solid");
}

#[test]
fn labels_give_number_and_line() {
    let tags = |first: u64| (0..4).map(|i| Tag { number: first + i, line: 2 * i }).collect::<Vec<_>>();
    let labels = Labels { nodes: tags(100), cells: tags(900) };
    let mesh = plane(&SQUARE, &[&[0, 1, 2], &[0, 2, 3, 3]]);
    assert_eq!(
        check(&mesh, &labels).unwrap_err().to_string(),
        "cell 901 (line 2) has node 103 (line 6) twice; collapsed cells are not supported"
    );
    assert_eq!(labels.cell(CellId(0)), "cell 900");
}

#[test]
fn inverted_cells_can_be_turned_around() {
    for (kind, list) in [
        (CellKind::Tri3, vec![0, 3, 1]),
        (CellKind::Quad4, vec![0, 2, 3, 1]),
        (CellKind::Tet4, vec![0, 2, 1, 4]),
        (CellKind::Hex8, vec![0, 2, 3, 1, 4, 6, 7, 5]),
    ] {
        let mut mesh =
            block(&Block { min: [0.0; 3], max: [2.0; 3], divisions: [1; 3], cells: SolidCells::Hexes }).unwrap();
        let mut one = Mesh::new(std::mem::take(&mut mesh.nodes));
        push(&mut one, kind, &list);
        let before = measure(&one, CellId(0));
        assert!(before < 0.0, "{kind:?}");
        assert_eq!(turn_around(&mut one), Some((1, CellId(0))));
        assert_eq!(measure(&one, CellId(0)), -before, "{kind:?}");
        assert_eq!(form(&one, CellId(0)), Form::Sound);
        assert_eq!(turn_around(&mut one), None);
    }
}

#[test]
fn separate_parts_are_noted() {
    let mut points = SQUARE.to_vec();
    points.extend(SQUARE.map(|[x, y]| [x + 3.0, y]));
    let notes = check(&plane(&points, &[&[0, 1, 2, 3], &[4, 5, 6, 7]]), &Labels::default()).unwrap();
    assert_eq!(notes, ["the mesh has 2 separate parts; cell 1 is not connected to the first cell"]);
}

#[test]
fn regular_meshes_pass() {
    for cells in [PlaneCells::Quads, PlaneCells::Triangles] {
        let mesh = rectangle(&Rectangle { min: [0.0; 2], max: [3.0, 1e-3], divisions: [40, 7], cells }).unwrap();
        assert_eq!(check(&mesh, &Labels::default()), Ok(Vec::new()));
    }
    let mesh =
        block(&Block { min: [0.0; 3], max: [1.0, 2.0, 3.0], divisions: [9, 8, 7], cells: SolidCells::Tets }).unwrap();
    assert_eq!(check(&mesh, &Labels::default()), Ok(Vec::new()));
}
