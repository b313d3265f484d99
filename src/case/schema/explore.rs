//! The shape of a case file, found by asking its reader: small documents with one value of each kind at each place are read,
//! and what the reader asks of that value says which keys, choices, kinds and ranges it takes there. Nothing is listed twice,
//! so the schema cannot say anything else than the reader does.

use std::path::Path;

use super::super::asked::Ask;
use super::super::decode::Range;
use super::super::diagnostic::Problems;
use super::super::tree::{Entry, Node, Place, Value};
use super::super::validate::validate;

/// A value of the case file and all forms it can take.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Key {
    /// Its path: names joined by dots, `*` for names of the user's choice and for items.
    pub path: String,
    /// The forms; none if the reader refuses everything.
    pub forms: Vec<Form>,
    /// Geometries in which it is read; empty if in all that were tried.
    pub only_in: Vec<&'static str>,
}

/// One form of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// A number.
    Number(Range),
    /// A whole number from the first to the second.
    Integer(u32, u32),
    /// Text.
    Text,
    /// `true` or `false`.
    Truth,
    /// A list of this many items, if that is known.
    List(Option<(usize, usize)>, Box<Key>),
    /// A map with names of the user's choice.
    Names(Box<Key>),
    /// A map with these keys.
    Map(Vec<Field>),
    /// One of several names with what it holds, and keys that may stand beside it.
    Choice(Vec<(&'static str, Key)>, Vec<Field>),
}

/// A key of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The key.
    pub name: String,
    /// Whether it must be there.
    pub required: bool,
    /// What it is if left out, as Rust writes it.
    pub default: Option<String>,
    /// Its value.
    pub key: Key,
}

/// Geometries that are tried; plane stress reads as plane strain does.
const GEOMETRIES: [&str; 3] = ["plane_strain", "axisymmetric", "solid"];

/// Deepest nesting that is followed: meshes made from meshes would go on.
const DEEPEST: usize = 14;

/// A step from a value to one inside it.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    /// A key, with other keys that must stand beside it.
    Key(String, Vec<(String, Value)>),
    /// A name of the user's choice.
    Name,
    /// The first of this many items.
    Item(usize),
}

/// What a document has at least.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Deformable bodies, as far as probes give any.
    Deformable,
    /// A rigid body, with which a case needs no deformable one.
    Rigid,
    /// A task, with which a case needs no time.
    Task,
}

/// A way to a value: the geometry of the document and the steps.
#[derive(Debug, Clone, PartialEq)]
struct Way {
    geometry: &'static str,
    /// What the document has at least.
    kind: Kind,
    steps: Vec<Step>,
}

const fn node(value: Value) -> Node {
    Node { value, place: Place::FILE }
}

fn entry(key: &str, value: Node) -> Entry {
    Entry { key: key.to_owned(), key_place: Place::FILE, node: value }
}

impl Way {
    fn then(&self, step: Step) -> Way {
        let mut steps = self.steps.clone();
        steps.push(step);
        Way { steps, ..*self }
    }

    /// The document with this value at the end of the way.
    fn document(&self, value: Value) -> Node {
        let mut inner = node(value);
        for step in self.steps.iter().rev() {
            inner = match step {
                Step::Key(name, beside) => {
                    let beside = beside.iter().map(|(key, value)| entry(key, node(value.clone())));
                    node(Value::Map(std::iter::once(entry(name, inner)).chain(beside).collect()))
                }
                Step::Name => node(Value::Map(vec![entry("a", inner)])),
                Step::Item(count) => node(Value::List(vec![inner; *count])),
            };
        }
        if let Value::Map(entries) = &mut inner.value
            && entries.iter().all(|e| e.key != "geometry")
        {
            entries.push(entry("geometry", node(Value::Text(self.geometry.to_owned()))));
        }
        if let Value::Map(entries) = &mut inner.value
            && self.kind == Kind::Rigid
            && entries.iter().all(|e| e.key != "obstacles")
        {
            let mass = node(Value::Map(vec![entry("mass", node(Value::Number(1.0, "1".to_owned())))]));
            entries.push(entry("obstacles", node(Value::Map(vec![entry("a", mass)]))));
        }
        if let Value::Map(entries) = &mut inner.value
            && self.kind == Kind::Task
            && entries.iter().all(|e| e.key != "task")
        {
            entries.push(entry("task", node(Value::Map(Vec::new()))));
        }
        inner
    }

    /// The path as the reader writes it.
    fn path(&self, item: &str, name: &str) -> String {
        let word = |step: &Step| match step {
            Step::Key(key, _) => key.clone(),
            Step::Name => name.to_owned(),
            Step::Item(_) => item.to_owned(),
        };
        self.steps.iter().map(word).collect::<Vec<String>>().join(".")
    }

    /// What the reader asks of this value at the end of the way.
    fn ask(&self, value: Value) -> Vec<Ask> {
        let problems = Problems::tracing();
        // files that a probe seems to name are looked for where there are none
        validate(&self.document(value), &problems, String::new(), Path::new("/nonexistent"));
        let path = self.path("0", "a");
        problems.into_asked().into_iter().filter(|asked| asked.path == path).map(|asked| asked.ask).collect()
    }
}

/// The whole case file.
pub fn explore() -> Key {
    let way = |geometry: &'static str, kind: Kind| Way { geometry, kind, steps: Vec::new() };
    let mut ways: Vec<Way> = GEOMETRIES.iter().map(|geometry| way(geometry, Kind::Deformable)).collect();
    ways.push(way(GEOMETRIES[0], Kind::Rigid));
    ways.push(way(GEOMETRIES[0], Kind::Task));
    key(&ways)
}

/// The value at the end of these ways, which all lead to the same place of the case file.
fn key(ways: &[Way]) -> Key {
    let mut forms: Vec<Form> = Vec::new();
    let mut seen: Vec<&'static str> = Vec::new();
    let mut add = |way: &Way, form: Option<Form>| {
        if let Some(form) = form {
            if !seen.contains(&way.geometry) {
                seen.push(way.geometry);
            }
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    };
    for way in ways {
        for ask in way.ask(Value::Number(1.0, "1".to_owned())) {
            add(
                way,
                match ask {
                    Ask::Number(range) => Some(Form::Number(range)),
                    Ask::Integer(low, high) => Some(Form::Integer(low, high)),
                    _ => None,
                },
            );
        }
        for ask in way.ask(Value::Text("?".to_owned())) {
            add(way, (ask == Ask::Text).then_some(Form::Text));
        }
        for ask in way.ask(Value::Bool(true)) {
            add(way, (ask == Ask::Truth).then_some(Form::Truth));
        }
    }
    let deeper = ways.iter().filter(|way| way.steps.len() < DEEPEST).cloned().collect::<Vec<Way>>();
    for found in [choice(&deeper), list(&deeper), map(&deeper), names(&deeper)].into_iter().flatten() {
        let (form, from) = found;
        for way in from {
            add(&way, Some(form.clone()));
        }
    }
    let tried = |geometry: &&&'static str| ways.iter().any(|way| way.geometry == **geometry);
    let all = GEOMETRIES.iter().filter(tried).all(|geometry| seen.contains(geometry));
    let path = ways.first().map_or_else(String::new, |way| way.path("*", "*"));
    Key { path, forms, only_in: if all { Vec::new() } else { seen } }
}

/// A form and the ways on which it is read.
type Found = Option<(Form, Vec<Way>)>;

fn empty() -> Value {
    Value::Map(Vec::new())
}

fn map(ways: &[Way]) -> Found {
    let mut keys: Vec<String> = Vec::new();
    // for each way the keys it takes, those it needs, and defaults
    let mut read: Vec<(&Way, Vec<String>, Vec<String>)> = Vec::new();
    let mut defaults: Vec<(String, String)> = Vec::new();
    for way in ways {
        let asks = way.ask(empty());
        // the keys beside a choice are read from the same map, but are not all of it
        if asks.iter().any(|ask| matches!(ask, Ask::Choice { .. })) {
            continue;
        }
        let known = asks.iter().find_map(|ask| if let Ask::Map(known) = ask { Some(known.clone()) } else { None });
        let Some(known) = known else { continue };
        keys.extend(known.iter().filter(|key| !keys.contains(key)).cloned().collect::<Vec<_>>());
        let mut needed = Vec::new();
        for ask in asks {
            match ask {
                Ask::Required(key) => needed.push(key),
                Ask::Default(key, value) => defaults.push((key, value)),
                _ => {}
            }
        }
        read.push((way, known, needed));
    }
    if read.is_empty() {
        return None;
    }
    let through: Vec<Way> = read.iter().map(|(way, ..)| (*way).clone()).collect();
    let inner = |name: &str, beside: &[(String, Value)]| {
        let takes = read.iter().filter(|(_, known, _)| known.iter().any(|k| k == name));
        let ways: Vec<Way> = takes.map(|(way, ..)| way.then(Step::Key(name.to_owned(), beside.to_vec()))).collect();
        let mut found = key(&ways);
        if ways.len() < read.len() && found.only_in.is_empty() {
            found.only_in = GEOMETRIES.into_iter().filter(|g| ways.iter().any(|way| way.geometry == *g)).collect();
            if GEOMETRIES.iter().filter(|g| read.iter().any(|(way, ..)| way.geometry == **g)).count()
                == found.only_in.len()
            {
                found.only_in.clear();
            }
        }
        found
    };
    let mut fields: Vec<Field> = keys
        .iter()
        .map(|name| {
            let mut takes = read.iter().filter(|(_, known, _)| known.contains(name));
            let required = takes.all(|(_, _, needed)| needed.contains(name))
                && read.iter().all(|(_, known, _)| known.contains(name));
            let default = defaults.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
            Field { name: name.clone(), required, default, key: inner(name, &[]) }
        })
        .collect();
    // a key that is refused alone may need another beside it (restitution needs a level, inertia a mass)
    let number = || Value::Number(1.0, "1".to_owned());
    let mut beside: Vec<(String, Value)> = Vec::new();
    for field in &fields {
        beside.extend(field.key.words().into_iter().map(|word| (field.name.clone(), Value::Text(word.to_owned()))));
        if field.key.forms.iter().any(|form| matches!(form, Form::Number(_))) {
            beside.push((field.name.clone(), number()));
        }
        if field.key.forms.iter().any(|form| matches!(form, Form::Map(_))) {
            beside.push((field.name.clone(), empty()));
        }
    }
    for field in fields.iter_mut().filter(|field| field.key.forms.is_empty()) {
        let found = beside.iter().map(|other| inner(&field.name, std::slice::from_ref(other)));
        if let Some(found) = found.into_iter().find(|key| !key.forms.is_empty()) {
            field.key = found;
        }
    }
    Some((Form::Map(fields), through))
}

fn names(ways: &[Way]) -> Found {
    let through: Vec<Way> = ways.iter().filter(|way| way.ask(empty()).contains(&Ask::Names)).cloned().collect();
    if through.is_empty() {
        return None;
    }
    let inner: Vec<Way> = through.iter().map(|way| way.then(Step::Name)).collect();
    Some((Form::Names(Box::new(key(&inner))), through))
}

fn list(ways: &[Way]) -> Found {
    let (mut through, mut inner): (Vec<Way>, Vec<Way>) = (Vec::new(), Vec::new());
    let mut counts: Option<(usize, usize)> = None;
    let mut bounded = true;
    for way in ways {
        let asks = way.ask(Value::List(Vec::new()));
        let lengths: Vec<Option<(usize, usize)>> =
            asks.iter().filter_map(|ask| if let Ask::List(count) = ask { Some(*count) } else { None }).collect();
        if lengths.is_empty() {
            continue;
        }
        through.push(way.clone());
        let known = lengths.iter().flatten().next().copied();
        bounded &= known.is_some();
        if let Some((low, high)) = known {
            counts = Some(counts.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
        }
        // a list that is too short is refused before its items are read
        let tried = known.map_or(1..=4, |(low, high)| low.max(1)..=high.max(1));
        inner.extend(tried.map(|count| way.then(Step::Item(count))));
    }
    if through.is_empty() {
        return None;
    }
    Some((Form::List(counts.filter(|_| bounded), Box::new(key(&inner))), through))
}

fn choice(ways: &[Way]) -> Found {
    let mut options: Vec<(&'static str, Vec<Way>)> = Vec::new();
    let mut others: Vec<(String, Vec<Way>)> = Vec::new();
    let mut through = Vec::new();
    let mut words: Vec<&'static str> = Vec::new();
    let found = |asks: Vec<Ask>| {
        asks.into_iter()
            .find_map(|ask| if let Ask::Choice { names, beside } = ask { Some((names, beside)) } else { None })
    };
    for way in ways {
        let Some((names, beside)) = found(way.ask(empty())) else {
            // a choice among plain words, where a map would be something else
            if let Some((names, _)) = found(way.ask(Value::Text("?".to_owned()))) {
                through.push(way.clone());
                words.extend(names.iter().filter(|name| !words.contains(name)).copied().collect::<Vec<_>>());
            }
            continue;
        };
        through.push(way.clone());
        for name in &names {
            let inner = way.then(Step::Key((*name).to_owned(), Vec::new()));
            match options.iter_mut().find(|(known, _)| known == name) {
                Some((_, ways)) => ways.push(inner),
                None => options.push((name, vec![inner])),
            }
        }
        for key in beside {
            let inner = names.iter().map(|name| way.then(Step::Key(key.clone(), vec![((*name).to_owned(), empty())])));
            match others.iter_mut().find(|(known, _)| *known == key) {
                Some((_, ways)) => ways.extend(inner),
                None => others.push((key.clone(), inner.collect())),
            }
        }
    }
    if through.is_empty() {
        return None;
    }
    let options: Vec<(&'static str, Key)> = options.into_iter().map(|(name, ways)| (name, key(&ways))).collect();
    // a name whose inside is never read is refused here (a solid mesh as the section of another)
    let mut options: Vec<(&'static str, Key)> = options.into_iter().filter(|(_, key)| !key.forms.is_empty()).collect();
    let above = through[0].path("*", "*");
    for word in words.into_iter().filter(|word| options.iter().all(|(name, _)| name != word)).collect::<Vec<_>>() {
        let forms = vec![Form::Map(Vec::new())];
        options.push((word, Key { path: format!("{above}.{word}"), forms, only_in: Vec::new() }));
    }
    let beside = others
        .into_iter()
        .map(|(name, ways)| Field { name, required: false, default: None, key: key(&ways) })
        .collect();
    Some((Form::Choice(options, beside), through))
}

impl Key {
    /// The names that can be written as plain words here.
    pub fn words(&self) -> Vec<&'static str> {
        let of = |form: &Form| match form {
            Form::Choice(options, _) => {
                options.iter().filter(|(_, key)| key.can_be_empty()).map(|(name, _)| *name).collect()
            }
            _ => Vec::new(),
        };
        self.forms.iter().flat_map(of).collect()
    }

    /// Whether an empty map will do.
    pub fn can_be_empty(&self) -> bool {
        self.forms.iter().any(|form| matches!(form, Form::Map(fields) if fields.iter().all(|f| !f.required)))
    }
}
