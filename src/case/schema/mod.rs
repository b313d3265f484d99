//! The schema of the case file: for editors as JSON Schema, for people as a table of every key. Keys, choices, kinds, ranges
//! and defaults come from the reader itself ([`mod@explore`]); only the sentences are written down, in `keys.txt`.

mod describe;
pub mod explore;
mod json;
mod markdown;

pub use describe::{Descriptions, Undescribed};
pub use explore::{Field, Form, Key, explore};
pub use json::json;
pub use markdown::markdown;
