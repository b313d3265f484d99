//! The case file as typed: a tree of values in which every value and every key remembers where it stands.

use std::fmt;

/// Where a value comes from: the case file or a `--set` argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The case file.
    File,
    /// The `--set` argument with this index, counted from zero in the order of the command line.
    Set(u32),
}

/// A position in a text. Lines and columns count from 1, columns in characters; line 0 means "the text as a whole".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The text this position refers to.
    pub origin: Origin,
    /// Line, from 1; 0 when the whole text is meant.
    pub line: u32,
    /// Column in characters, from 1; 0 when the whole text is meant.
    pub column: u32,
}

impl Place {
    /// The case file as a whole, for problems that have no line (an unreadable file, for example).
    pub const FILE: Place = Place { origin: Origin::File, line: 0, column: 0 };

    /// A position in the given text.
    pub fn new(origin: Origin, line: usize, column: usize) -> Place {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Place { origin, line: clamp(line), column: clamp(column) }
    }
}

/// A value together with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it starts. A value reached through an alias or a merge key keeps the place where it was written.
    pub place: Place,
}

/// What a YAML node can hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing: an empty value, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number with the characters that were typed, so that messages and copies show it unchanged.
    Number(f64, String),
    /// Text, quoted or plain.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the file.
    Map(Vec<Entry>),
}

/// One key of a map with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_place: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// The entry of this key if the node is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// True if both trees hold the same values, wherever they were written. Numbers compare by their bits.
    pub fn same_values(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::Number(a, _), Value::Number(b, _)) => a.to_bits() == b.to_bits(),
            (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_values(b)),
            (Value::Map(a), Value::Map(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.key == b.key && a.node.same_values(&b.node))
            }
            (a, b) => a == b,
        }
    }
}

impl Value {
    /// Reads a plain (unquoted) scalar by the YAML 1.2 core schema: null, booleans, integers (also `0x1f`, `0o17`),
    /// floats (also `.5`, `1e-5`, `.inf`, `.nan`), and text for everything else.
    pub fn from_plain(text: &str) -> Value {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
            "true" | "True" | "TRUE" => return Value::Bool(true),
            "false" | "False" | "FALSE" => return Value::Bool(false),
            _ => {}
        }
        match number(text) {
            Some(number) => Value::Number(number, text.to_owned()),
            None => Value::Text(text.to_owned()),
        }
    }
}

/// The number that a plain scalar spells by the YAML 1.2 core schema, if any.
fn number(text: &str) -> Option<f64> {
    let (sign, body) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    match body {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if body.len() == text.len() => return Some(f64::NAN),
        _ => {}
    }
    // The core schema has no sign before a base prefix.
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return based_integer(digits, radix);
        }
    }
    // `f64::from_str` also accepts "inf", "nan" and "infinity", which YAML reads as text: only its digits are wanted.
    let decimal = body.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    let starts_well = matches!(body.as_bytes().first(), Some(b'0'..=b'9' | b'.'));
    if decimal && starts_well { text.parse().ok() } else { None }
}

/// The value of digits in the given base; digits beyond the 53 bits of a double are rounded.
fn based_integer(digits: &str, radix: u32) -> Option<f64> {
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0.0, |sum, c| Some(sum * f64::from(radix) + f64::from(c.to_digit(radix)?)))
}

impl fmt::Display for Value {
    /// A short description for messages: `number 0.2`, ``text `foam` ``, `a list of 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => write!(f, "nothing"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Number(_, text) => write!(f, "number {}", clip(text)),
            Value::Text(text) => write!(f, "text `{}`", clip(text)),
            Value::List(items) => write!(f, "a list of {}", items.len()),
            Value::Map(entries) if entries.is_empty() => write!(f, "an empty map"),
            Value::Map(entries) => {
                let keys: Vec<String> = entries.iter().take(3).map(|e| format!("`{}`", clip(&e.key))).collect();
                let more = if entries.len() > 3 { ", ..." } else { "" };
                write!(f, "a map with {}{more}", keys.join(", "))
            }
        }
    }
}

/// At most 60 characters of a text, so that a message stays a line whatever was typed.
pub fn clip(text: &str) -> String {
    const LIMIT: usize = 60;
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(LIMIT - 3).collect();
    short.push_str("...");
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        for (text, number) in [
            ("0", 0.0),
            ("-12", -12.0),
            ("+3", 3.0),
            ("1e-5", 1e-5),
            ("1.0e-5", 1e-5),
            ("1E+5", 1e5),
            (".5", 0.5),
            ("-.5", -0.5),
            ("5.", 5.0),
            ("0x1f", 31.0),
            ("0o17", 15.0),
            ("1e400", f64::INFINITY),
            ("-.inf", f64::NEG_INFINITY),
        ] {
            assert_eq!(Value::from_plain(text), Value::Number(number, text.to_owned()), "{text}");
        }
        assert!(matches!(Value::from_plain(".nan"), Value::Number(n, _) if n.is_nan()));
        for text in
            ["inf", "nan", "infinity", "1_000", "0,5", "1e", "e5", ".", "-", "+", "0x", "1.2.3", "yes", "--1", "-.nan"]
        {
            assert_eq!(Value::from_plain(text), Value::Text(text.to_owned()), "{text}");
        }
        assert_eq!(Value::from_plain("~"), Value::Null);
        assert_eq!(Value::from_plain("True"), Value::Bool(true));
    }
}
