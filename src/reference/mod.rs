//! Closed solutions the tests measure against. Nothing here is used by a simulation.

pub mod bouncing;
pub mod hertz;
pub mod housner;
pub mod timoshenko;
pub mod top;
