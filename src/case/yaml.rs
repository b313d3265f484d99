//! YAML text to a located tree, through the event parser of `serde-saphyr`.
//!
//! Anchors, aliases and merge keys are resolved here, under a budget: a case file is small, and a text of a few lines
//! must not be able to fill the memory (the "billion laughs"). Problems that leave the structure readable (a duplicate
//! key, an unknown tag) are collected; a syntax error ends the reading, because what follows would be guessed.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_saphyr::granit_parser::{Event, Marker, Options, Parser, ScalarStyle, Tag};

use super::diagnostic::Diagnostic;
use super::tree::{Entry, Node, Origin, Place, Value, clip};

/// Nesting of lists and maps. The deepest legitimate case has less than ten levels; the limit keeps every recursive
/// walk over the tree far from the end of the stack.
pub const MAX_DEPTH: usize = 64;
/// Nodes of the document with all aliases written out.
pub const MAX_NODES: usize = 500_000;
/// Bytes of text of the document with all aliases written out.
pub const MAX_TEXT: usize = 64 << 20;

/// Parses one YAML document.
///
/// `offset` is the number of characters before the text on its first line; it moves the columns of a `--set` value to
/// where they stand in the argument. An empty text gives a null node.
///
/// # Errors
/// All problems found, in the order of the text.
pub fn parse(text: &str, origin: Origin, offset: usize) -> Result<Node, Vec<Diagnostic>> {
    let mut builder = Builder {
        origin,
        offset,
        stack: Vec::new(),
        root: None,
        anchors: HashMap::new(),
        open_anchors: Vec::new(),
        nodes: 0,
        text: 0,
        problems: Vec::new(),
    };
    if let Err(problem) = builder.run(text) {
        builder.problems.push(*problem);
    }
    if !builder.problems.is_empty() {
        return Err(builder.problems);
    }
    Ok(builder.root.unwrap_or(Node { value: Value::Null, place: Place::new(origin, 1, offset + 1) }))
}

/// What an anchored node costs when it is copied.
#[derive(Debug, Clone, Copy)]
struct Weight {
    nodes: usize,
    text: usize,
    depth: usize,
}

/// A list or map whose end has not been read yet.
struct Frame {
    place: Place,
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, index: HashMap<String, Place>, key: Option<Key>, merges: Vec<Node> },
}

/// A key whose value has not been read yet.
enum Key {
    Plain(String, Place),
    Merge,
    /// A key that has been reported already; its value is read and dropped.
    Refused,
}

struct Builder {
    origin: Origin,
    offset: usize,
    stack: Vec<Frame>,
    root: Option<Node>,
    anchors: HashMap<usize, (Node, Weight)>,
    open_anchors: Vec<usize>,
    nodes: usize,
    text: usize,
    problems: Vec<Diagnostic>,
}

/// A problem that ends the reading; boxed because it is rare and large.
type Fatal = Box<Diagnostic>;

impl Builder {
    fn run(&mut self, text: &str) -> Result<(), Fatal> {
        let mut options = Options::default();
        options.set_emit_comments(false);
        let mut documents = 0;
        for event in Parser::new_from_str_with_options(text, options) {
            let (event, span) = event.map_err(|error| {
                let place = self.place(error.marker());
                Box::new(Diagnostic::new(place, "", format!("not valid YAML: {}", error.info())))
            })?;
            let place = self.place(&span.start);
            match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(Box::new(
                            Diagnostic::new(place, "", "a second YAML document starts here")
                                .expecting("one document per file"),
                        ));
                    }
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let plain = style == ScalarStyle::Plain;
                    let value = self.scalar(&text, plain, tag.as_deref(), place);
                    self.node(Node { value, place }, anchor, plain && text == "<<" && tag.is_none())?;
                }
                Event::SequenceStart(_, anchor, tag) => {
                    self.check_tag(tag, "seq", place);
                    self.open(place, anchor, Content::List(Vec::new()))?;
                }
                Event::MappingStart(_, anchor, tag) => {
                    self.check_tag(tag, "map", place);
                    let content =
                        Content::Map { entries: Vec::new(), index: HashMap::new(), key: None, merges: Vec::new() };
                    self.open(place, anchor, content)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close()?,
                Event::Alias(id) => self.alias(id, place)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn place(&self, marker: &Marker) -> Place {
        let shift = if marker.line() <= 1 { self.offset } else { 0 };
        Place::new(self.origin, marker.line().max(1), marker.col() + 1 + shift)
    }

    fn scalar(&mut self, text: &str, plain: bool, tag: Option<&Tag>, place: Place) -> Value {
        match tag.map(|tag| (tag, tag.core_suffix())) {
            None if plain => Value::from_plain(text),
            None => Value::Text(text.to_owned()),
            Some((_, Some("str"))) => Value::Text(text.to_owned()),
            Some((_, Some("int" | "float" | "bool" | "null"))) => Value::from_plain(text),
            Some((tag, _)) => {
                self.refuse_tag(tag, place);
                Value::Null
            }
        }
    }

    fn check_tag(&mut self, tag: Option<Cow<'_, Tag>>, expected: &str, place: Place) {
        if let Some(tag) = tag.filter(|tag| tag.core_suffix() != Some(expected)) {
            self.refuse_tag(&tag, place);
        }
    }

    fn refuse_tag(&mut self, tag: &Tag, place: Place) {
        let message = format!("the YAML tag `{}` has no meaning here", clip(&tag.original()));
        self.problems.push(Diagnostic::new(place, "", message).expecting("a value without a tag"));
    }

    fn open(&mut self, place: Place, anchor: usize, content: Content) -> Result<(), Fatal> {
        self.check_depth(1, place)?;
        if anchor != 0 {
            self.open_anchors.push(anchor);
        }
        self.stack.push(Frame { place, anchor, content });
        Ok(())
    }

    fn check_depth(&self, more: usize, place: Place) -> Result<(), Fatal> {
        if self.stack.len() + more > MAX_DEPTH {
            let message = format!("lists and maps are nested more than {MAX_DEPTH} levels deep");
            return Err(Box::new(Diagnostic::new(place, "", message)));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fatal> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let value = match frame.content {
            Content::List(items) => Value::List(items),
            Content::Map { entries, index, merges, .. } => Value::Map(self.merge(entries, index, merges)),
        };
        if frame.anchor != 0 {
            self.open_anchors.retain(|id| *id != frame.anchor);
        }
        self.node(Node { value, place: frame.place }, frame.anchor, false)
    }

    /// Adds what `<<` brings: keys written out win over merged ones, earlier maps win over later ones.
    fn merge(&mut self, mut entries: Vec<Entry>, mut index: HashMap<String, Place>, merges: Vec<Node>) -> Vec<Entry> {
        let mut sources = Vec::new();
        for node in merges {
            match node.value {
                Value::Map(_) => sources.push(node),
                Value::List(items) => sources.extend(items),
                _ => sources.push(node),
            }
        }
        for node in sources {
            let Value::Map(merged) = node.value else {
                let message = format!("a merge key needs a map or a list of maps, got {}", node.value);
                let path = path(&self.stack, "<<");
                self.problems.push(Diagnostic::new(node.place, path, message).expecting("`<<: *name`"));
                continue;
            };
            for entry in merged {
                if !index.contains_key(&entry.key) {
                    index.insert(entry.key.clone(), entry.key_place);
                    entries.push(entry);
                }
            }
        }
        entries
    }

    fn alias(&mut self, id: usize, place: Place) -> Result<(), Fatal> {
        if self.open_anchors.contains(&id) {
            return Err(Box::new(Diagnostic::new(place, "", "this alias refers to the value it is part of")));
        }
        let Some((node, weight)) = self.anchors.get(&id) else {
            return Err(Box::new(Diagnostic::new(place, "", "this alias refers to an anchor that has no value")));
        };
        // Cheap before the budget is checked: the copy is no larger than a copy that was paid for at the anchor.
        let (node, weight) = (node.clone(), *weight);
        self.check_depth(weight.depth, place)?;
        self.spend(weight.nodes, weight.text, place)?;
        self.attach(node, false);
        Ok(())
    }

    fn node(&mut self, node: Node, anchor: usize, merge_key: bool) -> Result<(), Fatal> {
        let own_text = match &node.value {
            Value::Text(text) | Value::Number(_, text) => text.len(),
            _ => 0,
        };
        self.spend(1, own_text, node.place)?;
        if anchor != 0 {
            let weight = weigh(&node);
            // The stored copy is memory too.
            self.spend(weight.nodes, weight.text, node.place)?;
            self.anchors.insert(anchor, (node.clone(), weight));
        }
        self.attach(node, merge_key);
        Ok(())
    }

    fn spend(&mut self, nodes: usize, text: usize, place: Place) -> Result<(), Fatal> {
        self.nodes += nodes;
        self.text += text;
        if self.nodes > MAX_NODES || self.text > MAX_TEXT {
            let message = format!(
                "the document is too large with its aliases written out: over {MAX_NODES} values or {} MiB of text",
                MAX_TEXT >> 20
            );
            return Err(Box::new(Diagnostic::new(place, "", message)));
        }
        Ok(())
    }

    /// Puts a finished node where it belongs: the document, a list, or a map as key or value.
    fn attach(&mut self, node: Node, merge_key: bool) {
        let mut problem = None;
        let Some(frame) = self.stack.last_mut() else {
            self.root.get_or_insert(node);
            return;
        };
        match &mut frame.content {
            Content::List(items) => items.push(node),
            Content::Map { entries, index, key, merges } => match key.take() {
                None => match read_key(node, merge_key, index, !merges.is_empty()) {
                    Ok(read) => *key = Some(read),
                    Err(found) => {
                        problem = Some(found);
                        *key = Some(Key::Refused);
                    }
                },
                Some(Key::Plain(name, key_place)) => entries.push(Entry { key: name, key_place, node }),
                Some(Key::Merge) => merges.push(node),
                Some(Key::Refused) => {}
            },
        }
        if let Some(mut problem) = problem {
            problem.path = path(&self.stack[..self.stack.len().saturating_sub(1)], &problem.path);
            self.problems.push(*problem);
        }
    }
}

/// The key path of `last` in the list or map that stands where the innermost of the `outer` ones is being read.
fn path(outer: &[Frame], last: &str) -> String {
    let mut path = String::new();
    for frame in outer {
        match &frame.content {
            Content::List(items) => path.push_str(&items.len().to_string()),
            Content::Map { key: Some(Key::Plain(name, _)), .. } => path.push_str(&clip(name)),
            Content::Map { .. } => path.push_str("<<"),
        }
        path.push('.');
    }
    path.push_str(last);
    path
}

/// Reads a node in key position. A problem carries the key alone as its path.
fn read_key(node: Node, merge_key: bool, index: &mut HashMap<String, Place>, merged: bool) -> Result<Key, Fatal> {
    let place = node.place;
    let refuse = |path: &str, message: String, expected: &str| {
        Err(Box::new(Diagnostic::new(place, path, message).expecting(expected)))
    };
    if merge_key {
        return match merged {
            true => refuse("<<", "a second merge key in one map".to_owned(), "`<<: [*first, *second]`"),
            false => Ok(Key::Merge),
        };
    }
    let name = match node.value {
        Value::Text(text) | Value::Number(_, text) => text,
        Value::Bool(value) => value.to_string(),
        Value::Null => String::new(),
        value @ (Value::List(_) | Value::Map(_)) => {
            return refuse("", format!("a key must be a name, got {value}"), "a name");
        }
    };
    if let Some(first) = index.get(&name) {
        let message =
            format!("duplicate key `{}`: first given in line {}, column {}", clip(&name), first.line, first.column);
        return refuse(&clip(&name), message, "each key once");
    }
    index.insert(name.clone(), place);
    Ok(Key::Plain(name, place))
}

/// Nodes, text and depth of a tree. The recursion is bounded by [`MAX_DEPTH`].
fn weigh(node: &Node) -> Weight {
    let mut total = Weight { nodes: 1, text: 0, depth: 0 };
    let mut add = |node: &Node, key: usize| {
        let part = weigh(node);
        total.nodes += part.nodes;
        total.text += part.text + key;
        total.depth = total.depth.max(part.depth);
    };
    match &node.value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(_, text) | Value::Text(text) => total.text = text.len(),
        Value::List(items) => {
            items.iter().for_each(|item| add(item, 0));
            total.depth += 1;
        }
        Value::Map(entries) => {
            entries.iter().for_each(|entry| add(&entry.node, entry.key.len()));
            total.depth += 1;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Node {
        parse(text, Origin::File, 0).unwrap_or_else(|problems| panic!("{problems:?}"))
    }

    #[test]
    fn every_value_knows_its_place() {
        let root = tree("a: 1\nb:\n  - {c: [x, 2]}\n");
        let b = root.get("b").unwrap();
        assert_eq!((b.key_place.line, b.key_place.column), (2, 1));
        let Value::List(items) = &b.node.value else { panic!() };
        let c = items[0].get("c").unwrap();
        assert_eq!((c.key_place.line, c.key_place.column), (3, 6));
        let Value::List(items) = &c.node.value else { panic!() };
        assert_eq!((items[1].place.line, items[1].place.column), (3, 13));
    }

    #[test]
    fn aliases_and_merge_keys_are_written_out() {
        let root = tree("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\nc: {<<: [{y: 5}, *a], z: 4}\nd: *a\n\"<<\": 1\n");
        let plain = tree("a: {x: 1, y: 2}\nb: {y: 3, x: 1}\nc: {z: 4, y: 5, x: 1}\nd: {x: 1, y: 2}\n\"<<\": 1\n");
        assert!(root.same_values(&plain), "{root:?}");
    }

    #[test]
    fn tags_of_the_core_schema_are_honoured() {
        let root = tree("a: !!str 5\nb: !!float \"5\"\n");
        assert_eq!(root.get("a").unwrap().node.value, Value::Text("5".into()));
        assert_eq!(root.get("b").unwrap().node.value, Value::Number(5.0, "5".into()));
    }

    #[test]
    fn structure_problems_are_collected() {
        let problems = parse("a: 1\na: 2\nb: {c: !x 1, d: 1, d: 2}\n[1]: 2\n<<: 3\n", Origin::File, 0).unwrap_err();
        let places: Vec<_> = problems.iter().map(|p| (p.place.line, p.place.column, p.path.as_str())).collect();
        assert_eq!(places, [(2, 1, "a"), (3, 11, ""), (3, 20, "b.d"), (4, 1, ""), (5, 5, "<<")]);
    }
}
