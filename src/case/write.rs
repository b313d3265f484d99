//! A tree back to YAML text: how the case as run, with `--set` applied, is stored beside its results.

use super::tree::{Node, Value};

/// Writes a tree as YAML that reads back to the same values. Aliases are written out and comments are gone; numbers
/// keep the characters they were typed with.
pub fn to_yaml(node: &Node) -> String {
    let mut out = String::new();
    match &node.value {
        Value::Map(entries) if !entries.is_empty() => block(node, 0, &mut out),
        Value::List(items) if !items.is_empty() && !flows(node) => block(node, 0, &mut out),
        _ => {
            flow(node, &mut out);
            out.push('\n');
        }
    }
    out
}

/// True if a value is written on one line: scalars, empty collections, and lists of such.
fn flows(node: &Node) -> bool {
    match &node.value {
        Value::Map(entries) => entries.is_empty(),
        Value::List(items) => items.iter().all(flows),
        _ => true,
    }
}

/// Writes a list or map one item per line; the caller has put the cursor at column `indent` of a fresh line.
fn block(node: &Node, indent: usize, out: &mut String) {
    let mut first = true;
    let mut start = |out: &mut String| {
        if !std::mem::take(&mut first) {
            out.push_str(&" ".repeat(indent));
        }
    };
    match &node.value {
        Value::List(items) => {
            for item in items {
                start(out);
                out.push_str("- ");
                value(item, indent + 2, true, out);
            }
        }
        Value::Map(entries) => {
            for entry in entries {
                start(out);
                text(&entry.key, out);
                out.push(':');
                value(&entry.node, indent + 2, false, out);
            }
        }
        _ => {}
    }
}

/// Writes what follows a dash or a colon, with the line break.
fn value(node: &Node, indent: usize, after_dash: bool, out: &mut String) {
    if !flows(node) {
        if !after_dash {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        }
        block(node, indent, out);
        return;
    }
    if !after_dash {
        out.push(' ');
    }
    flow(node, out);
    out.push('\n');
}

fn flow(node: &Node, out: &mut String) {
    match &node.value {
        Value::Null => out.push('~'),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(_, typed) => out.push_str(typed),
        Value::Text(value) => text(value, out),
        Value::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                flow(item, out);
            }
            out.push(']');
        }
        // Only empty maps are written in flow style, see `flows`.
        Value::Map(_) => out.push_str("{}"),
    }
}

/// Writes text plain where that is certain to read back as the same text, and in double quotes otherwise.
fn text(value: &str, out: &mut String) {
    let plain = value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ' '))
        && !value.ends_with(' ')
        && matches!(Value::from_plain(value), Value::Text(_));
    if plain {
        out.push_str(value);
        return;
    }
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            // Letters of other scripts stay readable; whatever may be a line break or invisible is escaped.
            c if c.is_alphanumeric() => out.push(c),
            c => out.push_str(&format!("\\U{:08X}", u32::from(c))),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::tree::Origin;
    use super::super::yaml::parse;
    use super::*;

    fn round_trip(source: &str) -> String {
        let tree = parse(source, Origin::File, 0).unwrap_or_else(|problems| panic!("{source}: {problems:?}"));
        let text = to_yaml(&tree);
        let again = parse(&text, Origin::File, 0).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
        assert!(tree.same_values(&again), "{source}\nbecame\n{text}");
        text
    }

    #[test]
    fn values_survive() {
        for source in [
            "a",
            "~",
            "[]",
            "{}",
            "[1, [2, 3], []]",
            "- - - 1\n    - {a: 1}\n- {}\n- []\n- {a: {b: {c: [1, {d: 2}]}}}",
            "a: [{b: 1, c: [x, y]}, {b: 2}]\nd: {}\ne: []\nf: ~\ng: false",
            "{\"1\": 1, \"true\": \"true\", \"~\": \"~\", \"\": \"\", \"<<\": 1, \"a: b\": \"c # d\"}",
            "[\"1e5\", \" a\", \"a \", \"- b\", \"#\", \"a\\nb\\n\"]",
            "[\"\\u2028\\u0085\\ufeff\\e\\0\\t\\\"\\\\\", \"\u{e9}\u{1f600}\", \"...\", \"---\"]",
            "[0x1F, 0o17, .inf, -.INF, .nan, 1e400, +1, .5, 5., 1E-5, -0.0]",
            "text: |\n  two\n  lines\nmore: >\n  folded\n  text\n",
            "a: &a {x: [1, 2]}\nb: {<<: *a, y: *a}\n",
            "a:\n- b:\n  - c\n  -\n  - - d\n",
        ] {
            let once = round_trip(source);
            assert_eq!(once, round_trip(&once), "writing is not stable");
        }
    }

    #[test]
    fn it_looks_like_a_case_file() {
        let text = round_trip("contacts: [{between: [c.surface, right], friction: 0.2}]\ntime: {end: 3.0e-3}\n");
        assert_eq!(text, "contacts:\n  - between: [c.surface, right]\n    friction: 0.2\ntime:\n  end: 3.0e-3\n");
    }
}
