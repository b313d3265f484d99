//! Reading a tree: each step returns what it could read and leaves a diagnostic behind for what it could not, so that
//! the reader goes on and one run finds every problem of a file.

use std::ops::RangeInclusive;

use super::asked::Ask;
use super::diagnostic::{Diagnostic, Problems};
use super::tree::{Entry, Node, Place, Value, clip};

/// A value of the tree on its way to becoming checked data: the node, its key path, and where problems go.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    node: &'a Node,
    place: Place,
    path: String,
    problems: &'a Problems,
}

/// A value with the place and key path it was read from, for problems that only show once the model is built.
#[derive(Debug, Clone, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Place,
    /// Its key path, for example `contacts.0`.
    pub path: String,
}

/// The interval a number must lie in. Every bound is checked on a finite number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// Any finite number.
    Any,
    /// x > 0.
    Positive,
    /// x >= 0.
    NonNegative,
    /// low < x <= high.
    LeftOpen(f64, f64),
    /// low < x < high.
    Open(f64, f64),
    /// low <= x <= high.
    Closed(f64, f64),
}

impl Range {
    fn contains(self, x: f64) -> bool {
        match self {
            Range::Any => true,
            Range::Positive => x > 0.0,
            Range::NonNegative => x >= 0.0,
            Range::LeftOpen(low, high) => low < x && x <= high,
            Range::Closed(low, high) => low <= x && x <= high,
            Range::Open(low, high) => low < x && x < high,
        }
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Range::Any => write!(f, "finite"),
            Range::Positive => write!(f, "> 0"),
            Range::NonNegative => write!(f, ">= 0"),
            Range::LeftOpen(low, high) => write!(f, "> {low:?} and <= {high:?}"),
            Range::Closed(low, high) => write!(f, ">= {low:?} and <= {high:?}"),
            Range::Open(low, high) => write!(f, "> {low:?} and < {high:?}"),
        }
    }
}

/// The names a choice can have: those of this version, and those of the agreed interface that are still to come.
#[derive(Debug, Clone, Copy)]
pub struct Names<'n> {
    /// Names that can be used.
    pub ready: &'n [&'static str],
    /// Names that are part of the interface but not of this version.
    pub later: &'n [&'static str],
}

// An empty body for a variant written as plain text, `scheme: jean`.
static EMPTY: Node = Node { value: Value::Map(Vec::new()), place: Place::FILE };

/// Unknown keys of one map for which the nearest valid one is looked up: the search is slow and nobody reads more.
const MOST_SUGGESTIONS: usize = 200;

/// Backticked names, comma separated.
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{}`", clip(name))).collect();
    quoted.join(", ")
}

impl<'a> Cursor<'a> {
    /// The top of a tree.
    pub fn root(node: &'a Node, problems: &'a Problems) -> Cursor<'a> {
        Cursor { node, place: node.place, path: String::new(), problems }
    }

    /// The key path of this value.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Where this value stands.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The value itself.
    pub fn value(&self) -> &'a Value {
        &self.node.value
    }

    /// Attaches place and path of this cursor to a value.
    pub fn locate<T>(&self, value: T) -> Located<T> {
        Located { value, place: self.place, path: self.path.clone() }
    }

    /// A diagnostic at this value; `report` hands it in.
    pub fn problem(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.place, self.path.clone(), message)
    }

    /// Hands in a diagnostic. Returns `None`, so that a failing reader can end with it.
    pub fn report<T>(&self, problem: Diagnostic) -> Option<T> {
        self.problems.push(problem);
        None
    }

    /// Reports a message at this value.
    pub fn fail<T>(&self, message: impl Into<String>) -> Option<T> {
        self.report(self.problem(message))
    }

    /// Reports "must be ..., got ..." at this value.
    fn mismatch<T>(&self, wanted: &str) -> Option<T> {
        self.fail(format!("must be {wanted}, got {}", self.node.value))
    }

    fn note(&self, ask: impl FnOnce() -> Ask) {
        self.problems.note(&self.path, ask);
    }

    fn step(&self, name: &str) -> String {
        let name = clip(name);
        if self.path.is_empty() { name } else { format!("{}.{name}", self.path) }
    }

    fn child(&self, name: &str, node: &'a Node) -> Cursor<'a> {
        Cursor { node, place: node.place, path: self.step(name), problems: self.problems }
    }

    fn entry(&self, entry: &'a Entry) -> Cursor<'a> {
        let mut cursor = self.child(&entry.key, &entry.node);
        // An empty value has no place of its own that would help: the key is what the user sees.
        if matches!(entry.node.value, Value::Null) {
            cursor.place = entry.key_place;
        }
        cursor
    }

    /// The value as a map with the given keys; any other key is refused, with the nearest valid one.
    pub fn fields(&self, known: &[&str]) -> Option<Fields<'a>> {
        self.fields_with_later(known, &[])
    }

    /// Like [`Cursor::fields`], with keys that the interface has but this version has not.
    pub fn fields_with_later(&self, known: &[&str], later: &[&str]) -> Option<Fields<'a>> {
        self.note(|| Ask::Map(known.iter().map(|key| (*key).to_owned()).collect()));
        let entries: &'a [Entry] = match &self.node.value {
            Value::Map(entries) => entries,
            Value::Null => &[],
            _ => {
                return self.report(
                    self.wrong_type("a map").expecting(format!("a map with {}", listed(known.iter().copied()))),
                );
            }
        };
        let unknown = entries.iter().filter(|entry| !known.contains(&entry.key.as_str()));
        for (count, entry) in unknown.enumerate() {
            let problem = if later.contains(&entry.key.as_str()) {
                let message = format!("`{}` is known but not available in this version", entry.key);
                Diagnostic::new(entry.key_place, self.step(&entry.key), message)
            } else {
                let message = format!("unknown key `{}`", clip(&entry.key));
                Diagnostic::new(entry.key_place, self.step(&entry.key), message)
                    .suggesting(&entry.key, if count < MOST_SUGGESTIONS { known } else { &[] }.iter().copied())
            };
            let expected = match known {
                [] => "nothing inside".to_owned(),
                _ => format!("one of {}", listed(known.iter().copied())),
            };
            self.problems.push(problem.expecting(expected));
        }
        Some(Fields { owner: self.clone(), entries })
    }

    fn wrong_type(&self, wanted: &str) -> Diagnostic {
        self.problem(format!("must be {wanted}, got {}", self.node.value))
    }

    /// The value as a map from names of the user's choice to values. Malformed names are reported and kept out.
    pub fn names(&self) -> Option<Vec<(Located<String>, Cursor<'a>)>> {
        self.note(|| Ask::Names);
        let Value::Map(entries) = &self.node.value else { return self.mismatch("a map of names") };
        let mut named = Vec::with_capacity(entries.len());
        for entry in entries {
            let path = self.step(&entry.key);
            match check_name(&entry.key) {
                Ok(()) => {
                    let name = Located { value: entry.key.clone(), place: entry.key_place, path };
                    named.push((name, self.entry(entry)));
                }
                Err(reason) => self.problems.push(
                    Diagnostic::new(entry.key_place, path, format!("`{}` is not a name: {reason}", clip(&entry.key)))
                        .expecting("letters a-z and A-Z, digits, `_` and `-`"),
                ),
            }
        }
        Some(named)
    }

    /// The value as a list.
    pub fn list(&self) -> Option<Vec<Cursor<'a>>> {
        self.note(|| Ask::List(None));
        match &self.node.value {
            Value::List(items) => {
                Some(items.iter().enumerate().map(|(i, item)| self.child(&i.to_string(), item)).collect())
            }
            _ => self.mismatch("a list"),
        }
    }

    /// The value as text. A number is taken as the characters that were typed: `title: 42` is a title.
    pub fn text(&self) -> Option<&'a str> {
        self.note(|| Ask::Text);
        match &self.node.value {
            Value::Text(text) | Value::Number(_, text) => Some(text),
            _ => self.mismatch("text"),
        }
    }

    /// The value as `true` or `false`.
    pub fn truth(&self) -> Option<bool> {
        self.note(|| Ask::Truth);
        match &self.node.value {
            Value::Bool(value) => Some(*value),
            _ => self.mismatch("`true` or `false`"),
        }
    }

    /// The value as a number in a range.
    pub fn number(&self, range: Range) -> Option<f64> {
        self.note(|| Ask::Number(range));
        let Value::Number(number, typed) = &self.node.value else { return self.mismatch("a number") };
        if !number.is_finite() {
            return self.fail(format!("must be finite, got {}", clip(typed)));
        }
        if !range.contains(*number) {
            return self.fail(format!("must be {range}, got {}", clip(typed)));
        }
        Some(*number)
    }

    /// The value as a whole number in a range. `8.0` counts as whole.
    pub fn integer(&self, range: RangeInclusive<u32>) -> Option<u32> {
        self.note(|| Ask::Integer(*range.start(), *range.end()));
        let Value::Number(number, typed) = &self.node.value else { return self.mismatch("a whole number") };
        let (low, high) = (f64::from(*range.start()), f64::from(*range.end()));
        if number.fract() != 0.0 || !(low..=high).contains(number) {
            return self.fail(format!("must be a whole number from {low} to {high}, got {}", clip(typed)));
        }
        // Exact: the number is whole and within the bounds of the type.
        Some(*number as u32)
    }

    /// The value as a list of `N` items, each read by `read`.
    pub fn array<T, const N: usize>(&self, what: &str, read: impl Fn(&Cursor<'a>) -> Option<T>) -> Option<[T; N]> {
        self.note(|| Ask::List(Some((N, N))));
        let items = self.list()?;
        if items.len() != N {
            return self.fail(format!("must have {N} {what}, got {}", items.len()));
        }
        // All items are read before any is missed, so that each problem is reported.
        let read: Vec<Option<T>> = items.iter().map(read).collect();
        read.into_iter().collect::<Option<Vec<T>>>()?.try_into().ok()
    }

    /// The value as a vector of 2 or 3 finite components; in the plane the third is zero. Without a known dimension
    /// both lengths pass: the geometry is then the problem, not the vector.
    pub fn vector(&self, dimension: Option<usize>) -> Option<[f64; 3]> {
        self.note(|| Ask::List(Some(dimension.map_or((2, 3), |dimension| (dimension, dimension)))));
        let items = self.list()?;
        let fits = dimension.map_or(items.len() == 2 || items.len() == 3, |dimension| items.len() == dimension);
        if !fits {
            let wanted = dimension.map_or("2 or 3".to_owned(), |dimension| dimension.to_string());
            return self.fail(format!("must have {wanted} components, got {}", items.len()));
        }
        let read: Vec<Option<f64>> = items.iter().map(|item| item.number(Range::Any)).collect();
        let mut vector = [0.0; 3];
        for (component, read) in vector.iter_mut().zip(read) {
            *component = read?;
        }
        Some(vector)
    }

    /// The value as a choice `{ name: { ... } }`, or plain `name` when everything inside has a default. Returns the
    /// name and the cursor on what it holds.
    pub fn variant(&self, names: Names<'_>) -> Option<(&'static str, Cursor<'a>)> {
        self.variant_beside(names, &[])
    }

    /// Like [`Cursor::variant`], for a map in which these other keys may stand beside the choice.
    pub fn variant_beside(&self, names: Names<'_>, beside: &[&str]) -> Option<(&'static str, Cursor<'a>)> {
        self.note(|| Ask::Choice {
            names: names.ready.to_vec(),
            beside: beside.iter().map(|key| (*key).to_owned()).collect(),
        });
        let one_of = || format!("one of {}", listed(names.ready.iter().copied()));
        let (typed, place, body) = match &self.node.value {
            Value::Text(text) => (text.as_str(), self.place, None),
            Value::Map(entries) => {
                let later = |entry: &&&Entry| names.later.contains(&entry.key.as_str());
                let ready = |entry: &&&Entry| names.ready.contains(&entry.key.as_str());
                let choices: Vec<&Entry> =
                    entries.iter().filter(|entry| !beside.contains(&entry.key.as_str())).collect();
                match (choices.as_slice(), choices.iter().find(later)) {
                    ([entry], _) | (_, Some(entry)) => (entry.key.as_str(), entry.key_place, Some(*entry)),
                    ([], _) => return self.report(self.problem("is empty").expecting(one_of())),
                    // One choice and a key that is none: it was meant to stand beside the choice.
                    (choices, _) if !beside.is_empty() && choices.iter().filter(ready).count() == 1 => {
                        for entry in choices.iter().filter(|entry| !ready(entry)).take(MOST_SUGGESTIONS) {
                            let message = format!("unknown key `{}`", clip(&entry.key));
                            let problem = Diagnostic::new(entry.key_place, self.step(&entry.key), message);
                            self.problems.push(
                                problem
                                    .suggesting(&entry.key, beside.iter().copied())
                                    .expecting(format!("one of {}", listed(beside.iter().copied()))),
                            );
                        }
                        return None;
                    }
                    ([_, second, ..], _) => {
                        let found = listed(entries.iter().take(5).map(|entry| entry.key.as_str()));
                        let message = format!("must have exactly one choice, got {found}");
                        let problem = Diagnostic::new(second.key_place, self.path.clone(), message);
                        return self.report(problem.expecting(one_of()));
                    }
                }
            }
            _ => return self.report(self.wrong_type("a choice").expecting(one_of())),
        };
        if let Some(name) = names.ready.iter().find(|name| **name == typed) {
            let body = match body {
                Some(entry) => self.entry(entry),
                None => Cursor { node: &EMPTY, place, path: self.step(typed), problems: self.problems },
            };
            return Some((name, body));
        }
        if names.later.contains(&typed) {
            let message = format!("`{typed}` is known but not available in this version");
            return self.report(Diagnostic::new(place, self.path.clone(), message).expecting(one_of()));
        }
        let problem = Diagnostic::new(place, self.path.clone(), format!("unknown choice `{}`", clip(typed)));
        self.report(problem.suggesting(typed, names.ready.iter().copied()).expecting(one_of()))
    }

    /// The value as a map whose keys have been checked elsewhere; no entries if it is no map.
    pub fn open_fields(&self) -> Fields<'a> {
        let entries: &'a [Entry] = match &self.node.value {
            Value::Map(entries) => entries,
            _ => &[],
        };
        Fields { owner: self.clone(), entries }
    }

    /// The value as one of several plain words.
    pub fn choice<T: Copy>(&self, words: &[(&'static str, T)], later: &[&'static str]) -> Option<T> {
        let ready: Vec<&'static str> = words.iter().map(|(word, _)| *word).collect();
        let (name, body) = self.variant(Names { ready: &ready, later })?;
        body.fields(&[])?;
        words.iter().find(|(word, _)| *word == name).map(|(_, value)| *value)
    }
}

/// A map whose keys have been checked.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    owner: Cursor<'a>,
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// The value of a key, if it is there and not empty.
    pub fn optional(&self, key: &str) -> Option<Cursor<'a>> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        if matches!(entry.node.value, Value::Null) { None } else { Some(self.owner.entry(entry)) }
    }

    /// The value of a key; its absence is a problem.
    pub fn required(&self, key: &str) -> Option<Cursor<'a>> {
        self.owner.note(|| Ask::Required(key.to_owned()));
        self.optional(key).or_else(|| self.missing(key, None))
    }

    /// The value of a key that another may stand in for; the absence of both, found by the caller, is a problem.
    pub fn required_or(&self, key: &str, other: &str) -> Option<Cursor<'a>> {
        self.optional(key).or_else(|| self.missing(key, Some(other)))
    }

    fn missing<T>(&self, key: &str, other: Option<&str>) -> Option<T> {
        let empty = self.entries.iter().find(|entry| entry.key == key);
        let (place, message) = match empty {
            Some(entry) => (entry.key_place, "has no value".to_owned()),
            None => (self.owner.place, format!("missing key `{key}`")),
        };
        let problem = Diagnostic::new(place, self.owner.step(key), message);
        self.owner.report(match other {
            Some(other) => problem.expecting(format!("`{key}` or `{other}`")),
            None => problem,
        })
    }

    /// Reads a key if it is there, and takes the default otherwise. `None` if it is there and wrong.
    pub fn or<T: std::fmt::Debug>(
        &self,
        key: &str,
        default: T,
        read: impl FnOnce(&Cursor<'a>) -> Option<T>,
    ) -> Option<T> {
        self.owner.note(|| Ask::Default(key.to_owned(), format!("{default:?}")));
        match self.optional(key) {
            Some(cursor) => read(&cursor),
            None => Some(default),
        }
    }

    /// The map itself.
    pub fn owner(&self) -> &Cursor<'a> {
        &self.owner
    }
}

/// Why a text cannot name a body, an obstacle, a material or a probe: names appear in paths (`--set`, node sets, groups
/// of the result file), so the separators of paths are kept out of them.
pub fn check_name(name: &str) -> Result<(), &'static str> {
    const LONGEST: usize = 100;
    if name.is_empty() {
        return Err("it is empty");
    }
    if name.len() > LONGEST {
        return Err("it is longer than 100 characters");
    }
    match name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        true => Ok(()),
        false => Err("it has a character that is not allowed"),
    }
}
