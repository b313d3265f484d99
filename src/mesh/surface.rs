//! The boundary of a mesh: the faces that only one cell has.

use super::{CellId, Facet, Mesh, NodeId};

/// One face of one cell: its sorted nodes (what two neighbours agree on), then where it was found.
pub(super) type FaceRecord = ([u32; 4], CellId, u8);

/// Every face of every cell, equal ones next to each other.
pub(super) fn sorted_faces(mesh: &Mesh) -> Vec<FaceRecord> {
    let face_count = mesh.cells().map(|(_, kind, _)| kind.faces().len()).sum();
    let mut records: Vec<FaceRecord> = Vec::with_capacity(face_count);
    for (cell, kind, nodes) in mesh.cells() {
        for (face, local) in kind.faces().iter().enumerate() {
            // Unused places hold a number no node has, so that an edge never matches a triangle.
            let mut key = [u32::MAX; 4];
            for (slot, &i) in key.iter_mut().zip(*local) {
                *slot = nodes[i].0;
            }
            key.sort_unstable();
            records.push((key, cell, face as u8));
        }
    }
    // Sorting brings equal faces together, and unlike a seeded hash it gives the same order in every run.
    records.sort_unstable();
    records
}

/// The faces that belong to exactly one cell, outward-ordered, by cell and then by face within the cell.
pub fn boundary(mesh: &Mesh) -> Vec<Facet> {
    let records = sorted_faces(mesh);
    let mut single: Vec<(CellId, u8)> = Vec::new();
    for same in records.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, cell, face)] = *same {
            single.push((cell, face));
        }
    }
    single.sort_unstable();
    single.into_iter().map(|(cell, face)| cell_face(mesh, cell, face as usize)).collect()
}

/// The nodes of these facets, sorted and without repeats.
pub fn facet_nodes(facets: &[Facet]) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = facets.iter().flat_map(|facet| facet.nodes().iter().copied()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Adds the sets every generated mesh has: `surface`, a face set for each side (name, axis, coordinate) of the box, for
/// each face set the nodes on it, and `all` nodes and cells.
pub(super) fn name_sets(mesh: &mut Mesh, sides: &[(&str, usize, f64)]) {
    let surface = boundary(mesh);
    for &(name, axis, place) in sides {
        // The generators put the nodes of a side exactly there, so comparing floats is safe.
        let on_side = |facet: &&Facet| facet.nodes().iter().all(|node| mesh.nodes[node.index()][axis] == place);
        let facets = surface.iter().filter(on_side).copied().collect();
        mesh.face_sets.insert(name.into(), facets);
    }
    mesh.face_sets.insert("surface".into(), surface);
    for (name, facets) in &mesh.face_sets {
        mesh.node_sets.insert(name.clone(), facet_nodes(facets));
    }
    mesh.node_sets.insert("all".into(), (0..mesh.node_count() as u32).map(NodeId).collect());
    mesh.cell_sets.insert("all".into(), (0..mesh.cell_count() as u32).map(CellId).collect());
}

/// Face number `face` of a cell, in the outward order of [`super::CellKind::faces`].
pub(super) fn cell_face(mesh: &Mesh, cell: CellId, face: usize) -> Facet {
    let nodes = mesh.cell_nodes(cell);
    let local = mesh.kind(cell).faces()[face];
    let mut all = [NodeId::default(); 4];
    for (slot, &i) in all.iter_mut().zip(local) {
        *slot = nodes[i];
    }
    Facet::new(cell, &all[..local.len()])
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::mesh::CellKind;

    fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// `Σ x·n dA` over flat facets; for a closed outward surface it is `d` times the volume.
    pub fn flux(mesh: &Mesh, facets: &[Facet]) -> f64 {
        let at = |id: &NodeId| mesh.nodes[id.index()];
        let flux_of = |facet: &Facet| match facet.nodes() {
            // Edge A -> B with the body on its left: n dA = (dy, -dx), and x·n is constant along it.
            [a, b] => at(a)[0] * at(b)[1] - at(a)[1] * at(b)[0],
            [a, b, c] => 0.5 * dot(at(a), cross(sub(at(b), at(a)), sub(at(c), at(a)))),
            [a, b, c, d] => 0.5 * dot(at(a), cross(sub(at(c), at(a)), sub(at(d), at(b)))),
            other => unreachable!("{} nodes", other.len()),
        };
        facets.iter().map(flux_of).sum()
    }

    /// Area or volume of each cell, without using its faces; hexahedra are taken as parallelepipeds.
    pub fn measures(mesh: &Mesh) -> Vec<f64> {
        let of_cell = |(_, kind, nodes): (CellId, CellKind, &[NodeId])| {
            let p = |i: usize| mesh.nodes[nodes[i].index()];
            let e = |i: usize, j: usize| sub(p(j), p(i));
            match kind {
                CellKind::Tri3 => 0.5 * cross(e(0, 1), e(0, 2))[2],
                CellKind::Quad4 => {
                    for i in 0..4 {
                        let corner = cross(e(i, (i + 1) % 4), e(i, (i + 3) % 4))[2];
                        assert!(corner > 0.0, "a corner of a quad is not convex: {corner}");
                    }
                    0.5 * cross(e(0, 2), e(1, 3))[2]
                }
                CellKind::Tet4 => dot(e(0, 1), cross(e(0, 2), e(0, 3))) / 6.0,
                CellKind::Hex8 => dot(e(0, 1), cross(e(0, 3), e(0, 4))),
            }
        };
        mesh.cells().map(of_cell).collect()
    }

    fn ids(numbers: &[u32]) -> Vec<NodeId> {
        numbers.iter().map(|&n| NodeId(n)).collect()
    }

    #[test]
    fn no_cells_no_boundary() {
        assert!(boundary(&Mesh::new(vec![[0.0; 3]])).is_empty());
        assert!(facet_nodes(&[]).is_empty());
    }

    #[test]
    fn mixed_plane_cells_share_one_edge() {
        let mut mesh = Mesh::new(vec![[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [2., 0.5, 0.]]);
        mesh.push_cell(CellKind::Quad4, &ids(&[0, 1, 2, 3]));
        mesh.push_cell(CellKind::Tri3, &ids(&[1, 4, 2]));
        let facets = boundary(&mesh);
        let found: Vec<(u32, Vec<NodeId>)> = facets.iter().map(|f| (f.cell.0, f.nodes().to_vec())).collect();
        let expected = [(0, [0, 1]), (0, [2, 3]), (0, [3, 0]), (1, [1, 4]), (1, [4, 2])];
        assert_eq!(found, expected.map(|(cell, nodes)| (cell, ids(&nodes))));
        assert_eq!(facet_nodes(&facets), ids(&[0, 1, 2, 3, 4]));
        assert!((flux(&mesh, &facets) - 2.0 * 1.5).abs() < 1e-14);
    }

    #[test]
    fn single_solid_cells_close_outward() {
        let mut tet = Mesh::new(vec![[1., 1., 1.], [2., 1., 1.], [1., 3., 1.], [1., 1., 4.]]);
        tet.push_cell(CellKind::Tet4, &ids(&[0, 1, 2, 3]));
        let corners = [[0., 0.], [1., 0.], [1., 2.], [0., 2.]];
        let mut hex = Mesh::new([5.0, 8.0].iter().flat_map(|&z| corners.map(|[x, y]| [x, y, z])).collect());
        hex.push_cell(CellKind::Hex8, &ids(&[0, 1, 2, 3, 4, 5, 6, 7]));
        for (mesh, faces, volume) in [(tet, 4, 1.0), (hex, 6, 6.0)] {
            let facets = boundary(&mesh);
            assert_eq!(facets.len(), faces);
            assert!((measures(&mesh)[0] - volume).abs() < 1e-14);
            assert!((flux(&mesh, &facets) - 3.0 * volume).abs() < 1e-12);
        }
    }

    #[test]
    fn a_shared_face_of_two_tets_is_inside() {
        let mut mesh = Mesh::new(vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [0., 0., -1.]]);
        mesh.push_cell(CellKind::Tet4, &ids(&[0, 1, 2, 3]));
        mesh.push_cell(CellKind::Tet4, &ids(&[0, 2, 1, 4]));
        let facets = boundary(&mesh);
        assert_eq!(facets.len(), 6);
        assert!(facets.windows(2).all(|pair| pair[0].cell <= pair[1].cell));
        assert!((flux(&mesh, &facets) - 1.0).abs() < 1e-14);
    }
}
