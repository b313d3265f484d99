//! Elements of one shape and material, seen from a body that holds several such groups.

use super::assembly::Scatter;
use super::batch::{Hourglass, Sums, batch};
use super::error::ElementError;
use super::recovery::PointStress;
use super::section::{Faces, Formulation, Free, Held, Section};
use super::total_lagrangian::{Elements, ForceRule, Lumping};
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
    /// Whether the group is of a shape and formulation that lock as the law becomes incompressible.
    fn locks(&self) -> bool;
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
    /// Force of a state into `force` (with `add`, to what is there) with its energies, for explicit steps. Points with a
    /// memory get a new one, which [`ElementGroup::commit`] makes theirs.
    fn advance(&mut self, u: &[f64], _v: &[f64], force: &mut [f64], add: bool) -> Result<Sums, ElementError> {
        if !add {
            force.fill(0.0);
        }
        let energy = self.internal(ForceRule::End, u, u, force, None)?;
        Ok(Sums { energy, ..Sums::default() })
    }
    /// Accepts the memory of the last state.
    fn commit(&mut self) {}
    /// Appends the accepted memory of all points.
    fn memory(&self, _out: &mut Vec<f64>) {}
    /// Takes over what [`ElementGroup::memory`] gave and returns what follows it; `None` if it does not fit.
    fn recall<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        Some(memory)
    }
    /// Whether [`ElementGroup::fastest`] knows the current state.
    fn knows_frequencies(&self) -> bool {
        false
    }
    /// Adds to each node the share of its mass that each element claims where frequencies are bounded element by element.
    fn add_weights(&self, _out: &mut [f64]) {}
    /// Largest `ω²` of an element at a state, by `steps` of the power method, with the mass that it claims: `share` is the
    /// mass of a node over the sum of its claims. With `adapt`, elements change their claims by `ω` times its root.
    fn fastest(&mut self, _u: &[f64], _share: &[f64], _steps: usize, _adapt: Option<f64>) -> f64 {
        (2.0 / self.critical_step()).powi(2)
    }
    /// See [`Elements::energy`].
    fn energy(&self, u: &[f64]) -> f64;
    /// See [`Elements::mass`].
    fn mass(&self, mesh: &Mesh, lumping: Lumping, add: &mut dyn FnMut(usize, usize, f64));
    /// See [`Elements::stresses`].
    fn stresses(&self, u: &[f64], visit: StressVisitor<'_>);
    /// See [`Elements::kinetic_densities`].
    fn kinetic_densities(&self, v: &[f64], visit: &mut dyn FnMut(CellId, f64));
    /// See [`Elements::extrapolation`].
    fn extrapolation(&self) -> [[f64; 8]; 8];
    /// See [`Elements::critical_step`].
    fn critical_step(&self) -> f64;
}

impl<S: Shape<D, N>, F: Faces, const D: usize, const V: usize, const N: usize> ElementGroup
    for Elements<S, F, D, V, N>
{
    fn cells(&self) -> &[CellId] {
        self.cells()
    }

    fn material(&self) -> &Material {
        self.material()
    }

    fn locks(&self) -> bool {
        self.locks()
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

    fn mass(&self, mesh: &Mesh, lumping: Lumping, add: &mut dyn FnMut(usize, usize, f64)) {
        self.mass(mesh, lumping, add);
    }

    fn stresses(&self, u: &[f64], visit: StressVisitor<'_>) {
        self.stresses(u, visit);
    }

    fn kinetic_densities(&self, v: &[f64], visit: &mut dyn FnMut(CellId, f64)) {
        self.kinetic_densities(v, visit);
    }

    fn extrapolation(&self) -> [[f64; 8]; 8] {
        Self::extrapolation()
    }

    fn critical_step(&self) -> f64 {
        self.critical_step()
    }
}

/// What the cells of a mesh are made of and how they are computed.
#[derive(Debug, Clone, Copy)]
pub struct Groups<'a> {
    /// The materials that occur.
    pub materials: &'a [Material],
    /// Number in `materials` for each cell; empty if all cells are of the first.
    pub of_cell: &'a [u32],
    /// What the mesh stands for.
    pub section: Section,
    /// How the change of volume is taken.
    pub formulation: Formulation,
    /// Forces only, in batches, with this hourglass control; else matrices too.
    pub batches: Option<Hourglass>,
}

/// The groups of a mesh: one for each shape and material that occur together.
pub fn groups(mesh: &Mesh, made: &Groups<'_>) -> Result<Vec<Box<dyn ElementGroup>>, ElementError> {
    let &Groups { materials, of_cell, section, formulation, batches } = made;
    let mut groups: Vec<Box<dyn ElementGroup>> = Vec::new();
    for kind in [CellKind::Tri3, CellKind::Quad4, CellKind::Tet4, CellKind::Hex8] {
        for (number, material) in materials.iter().enumerate() {
            let own = |cell: CellId| of_cell.get(cell.index()).map_or(0, |&m| m as usize) == number;
            let cells: Vec<CellId> =
                mesh.cells().filter(|&(id, k, _)| k == kind && own(id)).map(|(id, _, _)| id).collect();
            let Some(&cell) = cells.first() else { continue };
            let mixed = formulation == Formulation::MeanDilatation;
            let simplex = matches!(kind, CellKind::Tri3 | CellKind::Tet4);
            let sheet = matches!(section, Section::PlaneStress(_));
            if mixed && (simplex || sheet || !material.law.has_volumetric_part()) {
                let (shape, law) = (kind.name(), material.law.name());
                return Err(ElementError::NoMeanDilatation { cell, shape, law });
            }
            groups.push(match batches {
                Some(hourglass) if !mixed => {
                    let one_point = formulation == Formulation::Reduced;
                    batch(kind, mesh, cells, material.clone(), section, hourglass, one_point)?
                }
                _ => one(kind, mesh, cells, material.clone(), section, formulation)?,
            });
        }
    }
    Ok(groups)
}

fn one(
    kind: CellKind,
    mesh: &Mesh,
    cells: Vec<CellId>,
    material: Material,
    section: Section,
    formulation: Formulation,
) -> Result<Box<dyn ElementGroup>, ElementError> {
    macro_rules! of {
        ($shape:ty, $faces:ty, $d:literal, $v:literal, $n:literal) => {
            Box::new(Elements::<$shape, $faces, $d, $v, $n>::new(mesh, cells, material, section, formulation)?)
        };
    }
    Ok(match (kind, section) {
        (CellKind::Tri3, Section::PlaneStress(_)) => of!(Tri3, Free, 2, 3, 3),
        (CellKind::Tri3, Section::Axisymmetric) => of!(Tri3, Held, 2, 4, 3),
        (CellKind::Tri3, _) => of!(Tri3, Held, 2, 3, 3),
        (CellKind::Quad4, Section::PlaneStress(_)) => of!(Quad4, Free, 2, 3, 4),
        (CellKind::Quad4, Section::Axisymmetric) => of!(Quad4, Held, 2, 4, 4),
        (CellKind::Quad4, _) => of!(Quad4, Held, 2, 3, 4),
        (CellKind::Tet4, _) => of!(Tet4, Held, 3, 6, 4),
        (CellKind::Hex8, _) => of!(Hex8, Held, 3, 6, 8),
    })
}
