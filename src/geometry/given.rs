//! What a case says of a shape, as a shape asks for it. A reader answers; what is wrong there it reports, and answers nothing.

use super::{AnyShape, Vector};

/// What is written under the word of a shape.
pub trait Given {
    /// 2 or 3; none where the case does not tell.
    fn dim(&self) -> Option<usize>;

    /// A place.
    fn place(&self, key: &str) -> Option<Vector>;

    /// A unit vector.
    fn direction(&self, key: &str) -> Option<Vector>;

    /// A number above zero.
    fn length(&self, key: &str) -> Option<f64>;

    /// The same, that may be left out.
    fn maybe_length(&self, key: &str) -> Option<Option<f64>>;

    /// A number of zero or more that is zero if left out.
    fn length_or_zero(&self, key: &str) -> Option<f64>;

    /// Whether bodies are within the shape instead of outside, from the key `inside`.
    fn inside(&self) -> Option<bool>;

    /// Lower and upper corner, from the keys `min` and `max`.
    fn extremes(&self) -> Option<[Vector; 2]>;

    /// Lines that touch neither themselves nor each other; closed ones run counter-clockwise, holes clockwise.
    fn lines(&self, kind: Lines) -> Option<(Vec<Vec<[f64; 2]>>, bool)>;

    /// Reports what is wrong with a key.
    fn refuse(&self, key: &str, message: &str);
}

/// Lines that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// An outline and its holes, and whether bodies are within.
    Region,
    /// One open line.
    Chain,
    /// Several.
    Chains,
}

/// A shape that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Read {
    /// All of it.
    Shape(Box<AnyShape>),
    /// One whose triangles stand in a file.
    Triangles {
        /// Whether bodies are within it instead of outside.
        inside: bool,
    },
}

impl<S: Into<AnyShape>> From<S> for Read {
    fn from(shape: S) -> Self {
        Read::Shape(Box::new(shape.into()))
    }
}

/// A word under which a case gives a shape.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    /// The word.
    pub name: &'static str,
    /// Dimensions in which it has a meaning.
    pub dims: &'static [usize],
    /// Its keys; empty where lines stand there.
    pub keys: &'static [&'static str],
    /// Makes the shape.
    pub read: fn(&dyn Given) -> Option<Read>,
}
