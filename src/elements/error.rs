//! What can go wrong in an element.

use crate::mesh::CellId;

/// What can go wrong in an element.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ElementError {
    /// A trial state turned an element inside out; the step has to be shorter.
    #[error("element {} is inverted: det F = {det:.3e} at integration point {point}", cell.0)]
    Inverted {
        /// The cell, numbered as in its mesh.
        cell: CellId,
        /// The integration point.
        point: usize,
        /// Its volume ratio.
        det: f64,
    },
    /// No thickness of a sheet frees its faces of stress at a trial state; the step has to be shorter.
    #[error("element {}: no thickness frees the faces of stress at integration point {point}", cell.0)]
    NoThickness {
        /// The cell, numbered as in its mesh.
        cell: CellId,
        /// The integration point.
        point: usize,
    },
    /// Mean dilatation was asked of a shape or law that has none.
    #[error("mean dilatation needs Q4 or Hex8 and a law with a volumetric part, in plane strain, axisymmetry or space; cell {} is {shape} of {law}", cell.0)]
    NoMeanDilatation {
        /// The first such cell.
        cell: CellId,
        /// Its shape.
        shape: &'static str,
        /// Its law.
        law: &'static str,
    },
    /// A matrix was asked of elements that only know forces.
    #[error("elements of the explicit scheme have no matrix; the first is cell {}", cell.0)]
    NoMatrix {
        /// The first such cell.
        cell: CellId,
    },
    /// The processor lacks what the elements of the explicit scheme are written for.
    #[error(
        "the explicit scheme needs an x86 processor with AVX2 and FMA (built since about 2015), or one of another kind"
    )]
    NoVectors,
    /// A mesh cell with no or negative volume.
    #[error("cell {} has no positive volume: det = {det:.3e}", cell.0)]
    Degenerate {
        /// The cell, numbered as in its mesh.
        cell: CellId,
        /// The determinant of the map from the parent element.
        det: f64,
    },
}
