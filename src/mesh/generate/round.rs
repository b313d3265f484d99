//! Cylinders and tubes: discs and rings, extruded and turned into place.

use nalgebra::Vector3;

use super::super::{Mesh, MeshError};
use super::prism::between;
use super::{Disc, PlaneCells, Ring, SolidCells, disc, finite, positive, ring};

/// A solid cylinder with an O-grid as its section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    /// Radius of the circle on which the nodes of the side lie.
    pub radius: f64,
    /// Distance between the end faces.
    pub length: f64,
    /// Middle of the axis.
    pub centre: [f64; 3],
    /// Direction of the axis, of any length, from the bottom to the top.
    pub along: [f64; 3],
    /// Cells along each side of the section's core.
    pub core: usize,
    /// Rings of cells between core and circle.
    pub layers: usize,
    /// Cells along the axis.
    pub slices: usize,
    /// Shape of the cells.
    pub cells: SolidCells,
}

/// A hollow cylinder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tube {
    /// Inner radius.
    pub inner: f64,
    /// Outer radius, larger.
    pub outer: f64,
    /// Distance between the end faces.
    pub length: f64,
    /// Middle of the axis.
    pub centre: [f64; 3],
    /// Direction of the axis, of any length, from the bottom to the top.
    pub along: [f64; 3],
    /// Cells around, at least 3.
    pub around: usize,
    /// Cells across the wall.
    pub layers: usize,
    /// Cells along the axis.
    pub slices: usize,
    /// Shape of the cells.
    pub cells: SolidCells,
}

/// Meshes a cylinder. Face and node sets `bottom`, `top`, `side`, `surface`; node sets `axis`, `all`; cell sets `all`,
/// `core`, `shell`.
pub fn cylinder(cylinder: &Cylinder) -> Result<Mesh, MeshError> {
    let &Cylinder { radius, length, centre, along, core, layers, slices, cells } = cylinder;
    let section = disc(&Disc { radius, centre: [0.0; 2], core, layers, cells: PlaneCells::Quads })?;
    let mut mesh = stand(&section, length, centre, along, slices, cells)?;
    if let Some(axis) = mesh.node_sets.remove("centre") {
        mesh.node_sets.insert("axis".into(), axis);
    }
    Ok(mesh)
}

/// Meshes a tube. Face and node sets `inner`, `outer`, `bottom`, `top`, `surface`; node set `all`; cell set `all`.
pub fn tube(tube: &Tube) -> Result<Mesh, MeshError> {
    let &Tube { inner, outer, length, centre, along, around, layers, slices, cells } = tube;
    let section = ring(&Ring { inner, outer, centre: [0.0; 2], around, layers, cells: PlaneCells::Quads })?;
    let mut mesh = stand(&section, length, centre, along, slices, cells)?;
    // `inner` and `outer` say more.
    mesh.face_sets.remove("side");
    mesh.node_sets.remove("side");
    Ok(mesh)
}

/// A section about the origin, extruded along its normal, with the middle of its axis at `centre`.
fn stand(
    section: &Mesh,
    length: f64,
    centre: [f64; 3],
    along: [f64; 3],
    slices: usize,
    cells: SolidCells,
) -> Result<Mesh, MeshError> {
    positive("the length", length)?;
    for (what, value) in ["the centre's x", "the centre's y", "the centre's z"].into_iter().zip(centre) {
        finite(what, value)?;
    }
    let [x, y, z] = frame(along)?;
    let mut mesh = between(section, -0.5 * length, 0.5 * length, slices, Some(cells))?;
    for node in &mut mesh.nodes {
        *node = (Vector3::from(centre) + node[0] * x + node[1] * y + node[2] * z).into();
    }
    for (old, new) in [("start", "bottom"), ("end", "top")] {
        if let Some(faces) = mesh.face_sets.remove(old) {
            mesh.face_sets.insert(new.into(), faces);
        }
        if let Some(nodes) = mesh.node_sets.remove(old) {
            mesh.node_sets.insert(new.into(), nodes);
        }
    }
    Ok(mesh)
}

/// Three perpendicular unit vectors, right-handed, the last along `direction`. Directions along an axis give unit vectors
/// along axes, so that no coordinate is rounded; z gives the axes themselves.
pub(super) fn frame(direction: [f64; 3]) -> Result<[Vector3<f64>; 3], MeshError> {
    let d = Vector3::from(direction);
    // Dividing by the largest component first, the squares neither under- nor overflow.
    let largest = d.amax();
    if largest == 0.0 || !direction.iter().all(|c| c.is_finite()) {
        return Err(MeshError::NoDirection(direction));
    }
    let z = (d / largest).normalize();
    let mut least = 0;
    for axis in 1..3 {
        if z[axis].abs() < z[least].abs() {
            least = axis;
        }
    }
    let across = Vector3::ith(least, 1.0);
    let x = (across - across.dot(&z) * z).normalize();
    Ok([x, z.cross(&x), z])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_right_handed_and_exact_along_axes() {
        for direction in [[0.0, 0.0, 2.0], [0.0, -3.0, 0.0], [1e-200, 0.0, 0.0], [1.0, 2.0, -3.0], [1e200, 1e200, 0.0]]
        {
            let [x, y, z] = frame(direction).unwrap();
            assert!((x.cross(&y) - z).norm() < 1e-15, "{direction:?}");
            assert!((x.norm() - 1.0).abs() < 1e-15 && x.dot(&y).abs() < 1e-15 && x.dot(&z).abs() < 1e-15);
            let d = Vector3::from(direction) / Vector3::from(direction).amax();
            assert!((d.normalize() - z).norm() < 1e-15);
        }
        let [x, y, z] = frame([0.0, 0.0, 7.0]).unwrap();
        assert_eq!([x, y, z], [Vector3::x(), Vector3::y(), Vector3::z()]);
        for bad in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
            assert!(frame(bad).is_err(), "{bad:?}");
        }
    }
}
