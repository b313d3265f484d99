//! Bodies of both kinds, seen from above. They stand in two lists, deformable ones first, and share one numbering: loops
//! over elements never ask which kind they have, and what treats both alike takes a [`Body`].

use super::deformable::Deformable;
use super::numbering::Numbering;
use super::rigid::Rigid;
use crate::linalg::Factorization;

/// A body of either kind.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// With unknowns at its nodes.
    Deformable(&'a Deformable),
    /// With three or six unknowns.
    Rigid(&'a Rigid),
}

impl<'a> Body<'a> {
    /// Name in the case.
    pub fn name(&self) -> &'a str {
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
    pub fn numbering(&self) -> &'a Numbering {
        match self {
            Body::Deformable(body) => body.numbering(),
            Body::Rigid(body) => body.numbering(),
        }
    }

    /// The last factor of the effective matrix.
    pub fn factorization(&self) -> &'a Factorization {
        match self {
            Body::Deformable(body) => body.factorization(),
            Body::Rigid(body) => body.factorization(),
        }
    }

    /// The body, if it is deformable.
    pub fn deformable(&self) -> Option<&'a Deformable> {
        match self {
            Body::Deformable(body) => Some(body),
            Body::Rigid(_) => None,
        }
    }

    /// The body, if it is rigid.
    pub fn rigid(&self) -> Option<&'a Rigid> {
        match self {
            Body::Deformable(_) => None,
            Body::Rigid(body) => Some(body),
        }
    }
}

/// All bodies of a system. Indexing takes the number of a deformable one.
#[derive(Debug, Clone, Copy)]
pub struct Bodies<'a> {
    /// Deformable bodies: numbers from 0.
    pub deformable: &'a [Deformable],
    /// Rigid bodies: numbers after the deformable ones.
    pub rigid: &'a [Rigid],
}

impl<'a> Bodies<'a> {
    /// How many, of both kinds.
    pub fn len(&self) -> usize {
        self.deformable.len() + self.rigid.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Body by number.
    pub fn get(&self, number: usize) -> Body<'a> {
        match self.deformable.get(number) {
            Some(body) => Body::Deformable(body),
            None => Body::Rigid(&self.rigid[number - self.deformable.len()]),
        }
    }

    /// Rigid body by its number among all.
    pub fn rigid(&self, number: usize) -> Option<&'a Rigid> {
        self.rigid.get(number.checked_sub(self.deformable.len())?)
    }
}

impl std::ops::Index<usize> for Bodies<'_> {
    type Output = Deformable;

    fn index(&self, number: usize) -> &Deformable {
        &self.deformable[number]
    }
}
