//! What the readers of a case ask of its values. Taken down while probing documents are read, it is all that the schema
//! knows: a key that the reader learns is in the schema without further ado.

use super::decode::Range;

/// What is asked of one value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ask {
    /// A map with these keys.
    Map(Vec<String>),
    /// A map with names of the user's choice.
    Names,
    /// A list, of this many items (fewest and most) if that is known.
    List(Option<(usize, usize)>),
    /// Text, or a number taken as text.
    Text,
    /// `true` or `false`.
    Truth,
    /// A number.
    Number(Range),
    /// A whole number from the first to the second.
    Integer(u32, u32),
    /// One of these names, and keys that may stand beside it.
    Choice {
        /// The names.
        names: Vec<&'static str>,
        /// The keys.
        beside: Vec<String>,
    },
    /// Of a map: this key must be there.
    Required(String),
    /// Of a map: this key may be left out and then has this value, as Rust writes it.
    Default(String, String),
}

/// What was asked, and where.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    /// Key path of the value.
    pub(super) path: String,
    /// What was asked of it.
    pub(super) ask: Ask,
}
