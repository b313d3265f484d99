pub mod bodies;
pub mod contact;
pub mod elements;
pub mod integrator;
pub mod linalg;
pub mod materials;
pub mod mesh;
pub mod parallel;
