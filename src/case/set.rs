//! `--set path=value`: changes to the tree before it is read.

use super::diagnostic::Diagnostic;
use super::tree::{Entry, Node, Origin, Place, Value, clip};
use super::yaml::{self, MAX_DEPTH};

/// Applies one `--set` argument to the tree.
///
/// The path is dotted: names lead into maps, numbers into lists (from 0), and `*` into every item of a list or map.
/// The value is YAML. Missing keys are created, missing list items are not.
///
/// # Errors
/// What is wrong with the argument; the tree may then be half changed.
pub fn apply(root: &mut Node, argument: &str, index: usize) -> Result<(), Vec<Diagnostic>> {
    let origin = Origin::Set(u32::try_from(index).unwrap_or(u32::MAX));
    let fail = |column: usize, path: &str, message: String| {
        let place = Place::new(origin, 1, column);
        vec![
            Diagnostic::new(place, clip(path), message)
                .expecting("`path=value`, for example `contacts.0.friction=0.2`"),
        ]
    };
    let Some((path, value)) = argument.split_once('=') else {
        return Err(fail(1, "", "there is no `=` in it".to_owned()));
    };
    let steps: Vec<Step<'_>> = steps(path, origin);
    if let Some(step) = steps.iter().find(|step| step.name.is_empty()) {
        return Err(fail(column(step.place), path, "a name in the path is empty".to_owned()));
    }
    if steps.len() >= MAX_DEPTH {
        return Err(fail(1, path, format!("the path has more than {MAX_DEPTH} names")));
    }
    if value.trim().is_empty() {
        return Err(fail(path.chars().count() + 1, path, "there is nothing after the `=`".to_owned()));
    }
    let value = yaml::parse(value, origin, path.chars().count() + 1)?;
    let setter = Setter { value: &value, steps: &steps };
    setter.set(root, 0).map_err(|problem| vec![*problem])
}

fn column(place: Place) -> usize {
    usize::try_from(place.column).unwrap_or(1)
}

/// One name of the path with its place in the argument.
struct Step<'a> {
    name: &'a str,
    place: Place,
}

fn steps(path: &str, origin: Origin) -> Vec<Step<'_>> {
    let mut start = 1;
    path.split('.')
        .map(|name| {
            let place = Place::new(origin, 1, start);
            start += name.chars().count() + 1;
            Step { name: name.trim(), place }
        })
        .collect()
}

struct Setter<'a> {
    value: &'a Node,
    steps: &'a [Step<'a>],
}

impl Setter<'_> {
    /// Follows the path from its name number `depth` on. The recursion is bounded by the length of the path.
    fn set(&self, node: &mut Node, depth: usize) -> Result<(), Box<Diagnostic>> {
        let Some(step) = self.steps.get(depth) else {
            *node = self.value.clone();
            return Ok(());
        };
        self.open(node, step);
        match &mut node.value {
            Value::Map(entries) if step.name == "*" => self.every(entries.iter_mut().map(|e| &mut e.node), depth),
            Value::List(items) if step.name == "*" => self.every(items.iter_mut(), depth),
            Value::Map(entries) => {
                if let Some(entry) = entries.iter_mut().find(|entry| entry.key == step.name) {
                    return self.set(&mut entry.node, depth + 1);
                }
                let mut node = Node { value: Value::Null, place: step.place };
                self.set(&mut node, depth + 1)?;
                entries.push(Entry { key: step.name.to_owned(), key_place: step.place, node });
                Ok(())
            }
            Value::List(items) => {
                let count = items.len();
                match step.name.parse::<usize>() {
                    Ok(index) => match items.get_mut(index) {
                        Some(item) => self.set(item, depth + 1),
                        None => Err(self.fail(
                            depth,
                            format!("there is no item {index}: the list has {count}"),
                            "0, 1, ... or *",
                        )),
                    },
                    Err(_) => Err(self.fail(
                        depth,
                        format!("`{}` is not an item of a list", clip(step.name)),
                        "0, 1, ... or *",
                    )),
                }
            }
            other => {
                let message = format!("the path leads through {other}, not through a map or list");
                Err(self.fail(depth, message, "a path through maps and lists"))
            }
        }
    }

    /// Makes room for a key where nothing stands yet, and turns a choice written as plain text (`contact_solver:
    /// gauss_seidel`) into a map when the path names its options.
    fn open(&self, node: &mut Node, step: &Step<'_>) {
        let entries = match &node.value {
            // A number asks for an item of a list, and which items a list should have is not for a path to say.
            Value::Null if step.name != "*" && step.name.parse::<usize>().is_err() => Vec::new(),
            Value::Text(text) if text == step.name => {
                let inner = Node { value: Value::Map(Vec::new()), place: node.place };
                vec![Entry { key: text.clone(), key_place: node.place, node: inner }]
            }
            _ => return,
        };
        node.value = Value::Map(entries);
    }

    fn every<'n>(&self, nodes: impl Iterator<Item = &'n mut Node>, depth: usize) -> Result<(), Box<Diagnostic>> {
        let mut count = 0;
        for node in nodes {
            self.set(node, depth + 1)?;
            count += 1;
        }
        if count == 0 {
            return Err(self.fail(
                depth,
                "`*` stands for nothing: there are no items".to_owned(),
                "a list or map with items",
            ));
        }
        Ok(())
    }

    fn fail(&self, depth: usize, message: String, expected: &str) -> Box<Diagnostic> {
        let place = self.steps.get(depth).map_or(self.value.place, |step| step.place);
        let path: Vec<&str> = self.steps.iter().take(depth + 1).map(|step| step.name).collect();
        Box::new(Diagnostic::new(place, clip(&path.join(".")), message).expecting(expected))
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::to_yaml;
    use super::*;

    fn changed(text: &str, argument: &str) -> String {
        let mut root = yaml::parse(text, Origin::File, 0).unwrap();
        match apply(&mut root, argument, 0) {
            Ok(()) => to_yaml(&root),
            Err(problems) => format!("{}:{}: {}", problems[0].place.column, problems[0].path, problems[0].message),
        }
    }

    #[test]
    fn paths() {
        let text = "a: {b: 1, c: [{d: 1}, {d: 2}]}\ns: gauss_seidel\n";
        assert!(changed(text, "a.b=2.5e3").contains("b: 2.5e3\n"));
        assert!(changed(text, "a.c.1.d=[x, y]").contains("- d: 1\n    - d: [x, y]\n"));
        assert!(changed(text, "a.c.*.e=3").contains("- d: 1\n      e: 3\n    - d: 2\n      e: 3\n"));
        assert!(changed(text, "a.*=3").contains("b: 3\n  c: 3\n"));
        assert!(changed(text, "x.y.z=3").contains("x:\n  y:\n    z: 3\n"));
        assert!(changed(text, "s.gauss_seidel.tolerance=1").contains("s:\n  gauss_seidel:\n    tolerance: 1\n"));
        assert!(changed(text, "t=a=b").contains("t: \"a=b\"\n"));
        assert!(changed("", "t=1").contains("t: 1\n"));
    }

    #[test]
    fn wrong_paths_are_named_with_their_column() {
        let text = "a: {b: 1, c: [{d: 1}]}\nl: []\n";
        for (argument, expected) in [
            ("a.b", "1:: there is no `=` in it"),
            ("a..b=1", "3:a..b: a name in the path is empty"),
            ("=1", "1:: a name in the path is empty"),
            ("a.c.1.d=1", "5:a.c.1: there is no item 1: the list has 1"),
            ("a.c.x=1", "5:a.c.x: `x` is not an item of a list"),
            ("a.b.c=1", "5:a.b.c: the path leads through number 1"),
            ("l.*.d=1", "3:l.*: `*` stands for nothing: there are no items"),
            ("m.0.d=1", "3:m.0: the path leads through nothing"),
            ("a.b=[1", "5:: not valid YAML"),
        ] {
            assert!(changed(text, argument).starts_with(expected), "{argument}: {}", changed(text, argument));
        }
    }
}
