//! impakt: impact and contact of deformable bodies, with Signorini's and Coulomb's laws met without penalty and an energy
//! ledger that closes.
//!
//! The crate reads in the order in which data flows; a module uses only what stands before it:
//!
//! [`linalg`], [`parallel`] and [`time`] → [`geometry`] → [`mesh`] and [`materials`] → [`elements`] → [`bodies`] → [`integrator`] →
//! [`contact`] → [`output`] → [`model`] and [`transmission`] → [`simulation`] → [`case`] → [`post`]. Beside them [`reference`](mod@reference) holds closed solutions for the tests.
//!
//! # Conventions
//!
//! SI units. Reference coordinates `X`, `u = x − X`; `f(u) = ∂U/∂u` is the internal force. Local contact vectors are ordered
//! (n, t1, t2); the normal points from the obstacle to the body, `u_n > 0` opens, `r_n ≥ 0` pushes, and `r` is the mean force
//! over the step that acts on the body. Symmetric tensors have the order 11, 22, 33, 12, 23, 31. Plane bodies have two
//! unknowns a node, and their energies and forces are per metre of thickness unless the case gives a thickness.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo))]

pub mod bodies;
pub mod case;
pub mod contact;
pub mod docs {
    //! What a case file can say, where the equations come from and how the numbers changed.

    #[doc = include_str!("docs/first_case.md")]
    pub mod first_case {}

    #[doc = include_str!("docs/command.md")]
    pub mod command {}

    #[doc = include_str!("docs/studies.md")]
    pub mod studies {}

    #[doc = include_str!("docs/materials.md")]
    pub mod materials {}

    #[doc = include_str!("docs/meshes.md")]
    pub mod meshes {}

    #[doc = include_str!("docs/loads.md")]
    pub mod loads {}

    #[doc = include_str!("docs/contact.md")]
    pub mod contact {}

    #[doc = include_str!("docs/gears.md")]
    pub mod gears {}

    #[doc = include_str!("docs/paraview.md")]
    pub mod paraview {}

    #[doc = include_str!("docs/kept.md")]
    pub mod kept {}

    #[doc = include_str!("docs/theory.md")]
    pub mod theory {}

    #[doc = include_str!("docs/explicit.md")]
    pub mod explicit {}

    #[doc = include_str!("docs/limits.md")]
    pub mod limits {}

    #[doc = include_str!("docs/references.md")]
    pub mod references {}

    #[doc = include_str!("docs/changelog.md")]
    pub mod changelog {}
}
pub mod elements;
pub mod geometry;
pub mod integrator;
pub mod linalg;
pub mod materials;
pub mod memory;
pub mod mesh;
pub mod model;
pub mod output;
pub mod parallel;
pub mod post;
pub mod reference;
pub mod simulation;
pub mod time;
pub mod transmission;
