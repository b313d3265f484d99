//! What a law asks a case file for. A law lists its keys with what they may be and makes itself of the values; whoever reads
//! files needs to know no law.

/// What a number may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Allowed {
    /// Any number.
    Any,
    /// Above zero.
    Positive,
    /// Zero or above.
    NonNegative,
    /// Between two numbers, ends excluded.
    Open(f64, f64),
    /// An exponent: not zero, and within what a power of a stretch can bear.
    Exponent,
}

/// A key of a law.
#[derive(Debug, Clone, Copy)]
pub enum Constant {
    /// A number.
    Number(&'static str, Allowed),
    /// A number with a default.
    Optional(&'static str, Allowed, f64),
    /// One of two numbers; the second is turned into the first.
    Either([(&'static str, Allowed); 2], fn(f64) -> f64),
    /// A list of terms with numbers each.
    Terms(&'static str, &'static [Constant]),
}

impl Constant {
    /// The keys it stands for.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        let (first, second) = match *self {
            Constant::Number(key, _) | Constant::Optional(key, ..) | Constant::Terms(key, _) => (key, None),
            Constant::Either([(first, _), (second, _)], _) => (first, Some(second)),
        };
        std::iter::once(first).chain(second)
    }
}

/// Young's modulus and Poisson's ratio at small strain.
pub const HOOKEAN: [Constant; 2] =
    [Constant::Number("young", Allowed::Positive), Constant::Number("poisson", Allowed::Open(-1.0, 0.5))];

/// The values of the keys of a law.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// Numbers in the order of the keys.
    pub numbers: Vec<f64>,
    /// The terms, if the law has any: their numbers in the order of their keys.
    pub terms: Vec<Vec<f64>>,
}

/// A law that can be made of what a case file gives.
pub trait FromConstants: Sized {
    /// Its keys.
    const CONSTANTS: &'static [Constant];
    /// The law, of values that are what they may be one by one.
    ///
    /// # Errors
    /// Why these values together make no law.
    fn from_constants(given: &Given) -> Result<Self, String>;
}
