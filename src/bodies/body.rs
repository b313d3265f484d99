//! Bodies of all kinds in one list with one numbering.

use super::deformable::Deformable;
use super::numbering::Numbering;
use super::rigid::Rigid;
use crate::linalg::Factorization;

/// A body.
#[derive(Debug)]
pub enum Body {
    /// With unknowns at its nodes.
    Deformable(Box<Deformable>),
    /// With three or six unknowns.
    Rigid(Box<Rigid>),
}

impl Body {
    /// Name in the case.
    pub fn name(&self) -> &str {
        match self {
            Body::Deformable(body) => &body.name,
            Body::Rigid(body) => &body.name,
        }
    }

    /// 2 in the plane, 3 in space.
    pub fn dim(&self) -> usize {
        match self {
            Body::Deformable(body) => body.dim(),
            Body::Rigid(body) => body.dim(),
        }
    }

    /// The length displacements are measured by.
    pub fn size(&self) -> f64 {
        match self {
            Body::Deformable(body) => body.size(),
            Body::Rigid(body) => body.size(),
        }
    }

    /// Unknowns, held ones included.
    pub fn dof_count(&self) -> usize {
        match self {
            Body::Deformable(body) => body.dof_count(),
            Body::Rigid(body) => body.dof_count(),
        }
    }

    /// Equation numbers.
    pub fn numbering(&self) -> &Numbering {
        match self {
            Body::Deformable(body) => body.numbering(),
            Body::Rigid(body) => body.numbering(),
        }
    }

    /// The last factor of the effective matrix.
    pub fn factorization(&self) -> &Factorization {
        match self {
            Body::Deformable(body) => body.factorization(),
            Body::Rigid(body) => body.factorization(),
        }
    }

    /// The body, if it is deformable.
    pub fn deformable(&self) -> Option<&Deformable> {
        match self {
            Body::Deformable(body) => Some(body),
            Body::Rigid(_) => None,
        }
    }

    /// The body, if it is rigid.
    pub fn rigid(&self) -> Option<&Rigid> {
        match self {
            Body::Deformable(_) => None,
            Body::Rigid(body) => Some(body),
        }
    }
}

impl From<Deformable> for Body {
    fn from(body: Deformable) -> Self {
        Body::Deformable(Box::new(body))
    }
}

impl From<Rigid> for Body {
    fn from(body: Rigid) -> Self {
        Body::Rigid(Box::new(body))
    }
}

/// All bodies of a system.
#[derive(Debug, Clone, Copy)]
pub struct Bodies<'a>(pub &'a [Body]);

impl<'a> Bodies<'a> {
    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Body by number.
    pub fn get(&self, number: usize) -> &'a Body {
        &self.0[number]
    }

    /// The deformable ones with their numbers.
    pub fn deformable(&self) -> impl Iterator<Item = (usize, &'a Deformable)> + use<'a> {
        self.0.iter().enumerate().filter_map(|(number, body)| Some((number, body.deformable()?)))
    }

    /// The rigid ones with their numbers.
    pub fn rigid(&self) -> impl Iterator<Item = (usize, &'a Rigid)> + use<'a> {
        self.0.iter().enumerate().filter_map(|(number, body)| Some((number, body.rigid()?)))
    }

    /// A body that is known to have nodes: its number comes from a set of them.
    ///
    /// # Panics
    /// If it has none.
    pub fn with_nodes(&self, number: usize) -> &'a Deformable {
        match self.get(number) {
            Body::Deformable(body) => body,
            Body::Rigid(body) => unreachable!("rigid body {} has no nodes", body.name),
        }
    }
}
