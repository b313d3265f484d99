//! Linear algebra the mechanics needs and the libraries do not have ready: symmetric tensors in Voigt order,
//! sparse patterns that are assembled again and again, and a factorisation that condenses.

pub mod eigen;
pub mod factorization;
pub mod lanes;
pub mod multifrontal;
pub mod ordering;
mod panels;
pub mod real;
pub mod sparse;
mod substitution;
pub mod symmetric;
mod tiles;
pub mod unsymmetric;

pub use factorization::{Factorization, FactorizationError};
pub use multifrontal::{Blocks, Multifrontal};
pub use real::Real;
pub use sparse::{NodeGraph, SymmetricMatrix};
pub use symmetric::Sym;
pub use unsymmetric::Unsymmetric;
