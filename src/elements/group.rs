//! Elements of one shape and material, seen from a body that holds several such groups.

use super::recovery::PointStress;
use super::total_lagrangian::{ElementError, Elements, ForceRule, Lumping, Scatter};
use super::{Hex8, Quad4, Shape, Tet4, Tri3};
use crate::materials::Material;
use crate::mesh::{CellId, CellKind, Mesh};

/// Receives, element by element, its number, its nodes and the stresses at its integration points.
pub type StressVisitor<'a> = &'a mut dyn FnMut(usize, &[u32], &[PointStress]);

/// The object-safe face of [`Elements`].
pub trait ElementGroup: Send + Sync {
    /// The cells of the group, in the order of all per-element results.
    fn cells(&self) -> &[CellId];
    /// The material of the group.
    fn material(&self) -> &Material;
    /// Node numbers of element `e`.
    fn nodes(&self, e: usize) -> &[u32];
    /// Entries of the upper triangle of one element matrix.
    fn scatter_len(&self) -> usize;
    /// See [`Elements::internal`].
    fn internal(
        &self,
        rule: ForceRule,
        u0: &[f64],
        u1: &[f64],
        force: &mut [f64],
        tangent: Option<(&Scatter, f64, &mut [f64])>,
    ) -> Result<f64, ElementError>;
    /// See [`Elements::energy`].
    fn energy(&self, u: &[f64]) -> f64;
    /// See [`Elements::mass`].
    fn mass(&self, mesh: &Mesh, thickness: f64, lumping: Lumping, add: &mut dyn FnMut(usize, usize, f64));
    /// See [`Elements::stresses`].
    fn stresses(&self, u: &[f64], visit: StressVisitor<'_>);
    /// See [`Elements::extrapolation`].
    fn extrapolation(&self) -> [[f64; 8]; 8];
    /// See [`Elements::critical_step`].
    fn critical_step(&self) -> f64;
}

impl<S: Shape<D, N>, const D: usize, const V: usize, const N: usize> ElementGroup for Elements<S, D, V, N> {
    fn cells(&self) -> &[CellId] {
        self.cells()
    }

    fn material(&self) -> &Material {
        self.material()
    }

    fn nodes(&self, e: usize) -> &[u32] {
        self.nodes(e)
    }

    fn scatter_len(&self) -> usize {
        Self::scatter_len()
    }

    fn internal(
        &self,
        rule: ForceRule,
        u0: &[f64],
        u1: &[f64],
        force: &mut [f64],
        tangent: Option<(&Scatter, f64, &mut [f64])>,
    ) -> Result<f64, ElementError> {
        self.internal(rule, u0, u1, force, tangent)
    }

    fn energy(&self, u: &[f64]) -> f64 {
        self.energy(u)
    }

    fn mass(&self, mesh: &Mesh, thickness: f64, lumping: Lumping, add: &mut dyn FnMut(usize, usize, f64)) {
        self.mass(mesh, thickness, lumping, add);
    }

    fn stresses(&self, u: &[f64], visit: StressVisitor<'_>) {
        self.stresses(u, visit);
    }

    fn extrapolation(&self) -> [[f64; 8]; 8] {
        Self::extrapolation()
    }

    fn critical_step(&self) -> f64 {
        self.critical_step()
    }
}

/// The groups of a mesh made of one material: one for each shape that occurs.
pub fn groups(mesh: &Mesh, material: Material, thickness: f64) -> Result<Vec<Box<dyn ElementGroup>>, ElementError> {
    let mut groups: Vec<Box<dyn ElementGroup>> = Vec::new();
    for kind in [CellKind::Tri3, CellKind::Quad4, CellKind::Tet4, CellKind::Hex8] {
        let cells: Vec<CellId> = mesh.cells().filter(|(_, k, _)| *k == kind).map(|(id, _, _)| id).collect();
        if cells.is_empty() {
            continue;
        }
        groups.push(match kind {
            CellKind::Tri3 => Box::new(Elements::<Tri3, 2, 3, 3>::new(mesh, cells, material, thickness)?),
            CellKind::Quad4 => Box::new(Elements::<Quad4, 2, 3, 4>::new(mesh, cells, material, thickness)?),
            CellKind::Tet4 => Box::new(Elements::<Tet4, 3, 6, 4>::new(mesh, cells, material, thickness)?),
            CellKind::Hex8 => Box::new(Elements::<Hex8, 3, 6, 8>::new(mesh, cells, material, thickness)?),
        });
    }
    Ok(groups)
}
