//! The floor table of STYLE part 2, kept by a machine: a module may use what stands on a lower floor, never what stands on a
//! higher one, and neighbours on one floor do not use each other.
//!
//! Reads every path that leaves a module (`crate::…`, `$crate::…`, `super::…` up to the crate root, grouped or not) in
//! `src/**/*.rs`. Comments, strings and `#[cfg(test)]` items do not count. A new module needs its line in [`FLOORS`].

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Lowest floor first.
const FLOORS: [&[&str]; 14] = [
    &["error", "memory"],
    &["linalg", "parallel", "time"],
    &["geometry"],
    &["mesh", "materials", "reference"],
    &["elements"],
    &["bodies"],
    &["integrator"],
    &["contact"],
    &["output"],
    &["model", "transmission"],
    &["simulation"],
    &["case"],
    &["post"],
    &["cli", "main", "python"],
];

/// The binary's own files: they see the library from outside, as `impakt::…`.
const BINARY: [&str; 2] = ["main", "cli"];

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

/// A use of one module by another.
#[derive(Debug, PartialEq)]
struct Use {
    line: usize,
    from: String,
    to: String,
}

/// Replaces comments and the insides of strings and characters by blanks; lines stay where they are.
fn without_comments_and_strings(source: &str) -> String {
    let text: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
    let mut i = 0;
    while i < text.len() {
        let rest = &text[i..];
        let starts = |pattern: &str| pattern.chars().enumerate().all(|(k, c)| rest.get(k) == Some(&c));
        let identifier_before = i > 0 && (text[i - 1].is_alphanumeric() || text[i - 1] == '_');
        let mut end;
        if starts("//") {
            end = i + rest.iter().position(|&c| c == '\n').unwrap_or(rest.len());
        } else if starts("/*") {
            let mut depth = 0;
            end = i;
            loop {
                match (text.get(end), text.get(end + 1)) {
                    (Some('/'), Some('*')) => (depth, end) = (depth + 1, end + 2),
                    (Some('*'), Some('/')) => (depth, end) = (depth - 1, end + 2),
                    (Some(_), _) => end += 1,
                    (None, _) => break,
                }
                if depth == 0 {
                    break;
                }
            }
        } else if !identifier_before && (starts("r\"") || starts("r#")) {
            let hashes = rest[1..].iter().take_while(|&&c| c == '#').count();
            if rest.get(1 + hashes) != Some(&'"') {
                out.push(text[i]); // a raw identifier
                i += 1;
                continue;
            }
            let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            let body = i + hashes + 2;
            end = (body..text.len()).find(|&k| text[k..].starts_with(&close)).map_or(text.len(), |k| k + close.len());
        } else if starts("\"") {
            end = i + 1;
            while end < text.len() && text[end] != '"' {
                end += if text[end] == '\\' { 2 } else { 1 };
            }
            end = (end + 1).min(text.len());
        } else if starts("'\\") {
            end = (i + 3..text.len()).find(|&k| text[k] == '\'').map_or(text.len(), |k| k + 1);
        } else if starts("'") && rest.get(2) == Some(&'\'') {
            end = i + 3;
        } else {
            out.push(text[i]);
            i += 1;
            continue;
        }
        out.extend(text[i..end].iter().map(|&c| blank(c)));
        i = end;
    }
    out
}

/// Blanks every item that stands under `#[cfg(test)]`. Expects text without comments and strings.
fn without_tests(source: &str) -> String {
    let mut text: Vec<char> = source.chars().collect();
    let marker: Vec<char> = "#[cfg(test)]".chars().collect();
    let mut i = 0;
    while i + marker.len() <= text.len() {
        if !text[i..].starts_with(&marker) {
            i += 1;
            continue;
        }
        let mut depth = 0;
        let mut end = i + marker.len();
        while end < text.len() {
            match text[end] {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            end += 1;
            if depth == 0 && matches!(text[end - 1], '}' | ';') {
                break;
            }
        }
        text[i..end].iter_mut().filter(|c| **c != '\n').for_each(|c| *c = ' ');
        i = end;
    }
    text.into_iter().collect()
}

/// The first names of a path's continuation: one, or those of a group `{a::b, c}`.
fn heads(after: &str) -> Vec<String> {
    let name =
        |s: &str| -> String { s.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let Some(group) = after.trim_start().strip_prefix('{') else { return vec![name(after)] };
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (k, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.push(name(&group[start..k]));
                start = k + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// Modules used by the text of a file whose own module path is `module` (empty for the crate root).
fn uses(module: &[&str], source: &str) -> Vec<Use> {
    let text = without_tests(&without_comments_and_strings(source));
    let mut found = Vec::new();
    let from = module.first().map_or("lib", |m| m).to_string();
    for word in ["crate::", "super::", "impakt::"] {
        for (at, _) in text.match_indices(word) {
            let before = &text[..at];
            if before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue; // within a longer word or path
            }
            let line = before.matches('\n').count() + 1;
            let mut after = &text[at + word.len()..];
            if word == "super::" {
                let mut level = 1;
                while let Some(rest) = after.strip_prefix("super::") {
                    (after, level) = (rest, level + 1);
                }
                if level < module.len() {
                    continue; // stays inside
                }
                assert!(level == module.len(), "{module:?}, line {line}: more `super` than modules");
            }
            for to in heads(after) {
                let to = if word == "impakt::" { format!("impakt::{to}") } else { to };
                found.push(Use { line, from: from.clone(), to });
            }
        }
    }
    found.sort_by_key(|u| u.line);
    found
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Module path of a file: `contact/solvers/mod.rs` is `contact::solvers`, `lib.rs` the crate root.
fn module_of(relative: &Path) -> Vec<String> {
    let mut parts: Vec<String> = relative.with_extension("").iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib")) {
        parts.pop();
    }
    parts
}

/// What is wrong with a use, if anything. `macros` maps exported macros, which live at the crate root, to their module.
fn objection(u: &Use, macros: &BTreeMap<String, String>) -> Option<String> {
    let binary = BINARY.contains(&u.from.as_str());
    if let Some(to) = u.to.strip_prefix("impakt::") {
        return (!binary).then(|| format!("the library calls itself `impakt::{to}`; inside it is `crate::{to}`"));
    }
    let to = macros.get(&u.to).unwrap_or(&u.to);
    if u.from == "lib" || *to == u.from {
        return None;
    }
    let Some(here) = floor(&u.from) else {
        return Some(format!("module `{}` has no floor: add it to the table", u.from));
    };
    let Some(there) = floor(to) else {
        return Some(format!("`{to}` has no floor: add it to the table, or name the module it comes from"));
    };
    match there.cmp(&here) {
        std::cmp::Ordering::Less => None,
        std::cmp::Ordering::Equal if binary && BINARY.contains(&to.as_str()) => None,
        std::cmp::Ordering::Equal => Some(format!("`{}` and `{to}` are neighbours on floor {here}", u.from)),
        std::cmp::Ordering::Greater => {
            Some(format!("`{}` (floor {here}) uses `{to}` above it (floor {there})", u.from))
        }
    }
}

#[test]
fn modules_use_only_lower_floors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    assert!(files.len() > 40, "found only {} files under {}", files.len(), root.display());
    let sources: Vec<(PathBuf, Vec<String>, String)> = files
        .iter()
        .map(|path| {
            let relative = path.strip_prefix(&root).unwrap().to_path_buf();
            let module = module_of(&relative);
            (relative, module, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    let mut macros = BTreeMap::new();
    for (_, module, source) in &sources {
        let text = without_comments_and_strings(source);
        for (at, _) in text.match_indices("#[macro_export]") {
            if let Some((_, after)) = text[at..].split_once("macro_rules! ") {
                macros.insert(heads(after).remove(0), module[0].clone());
            }
        }
    }
    let (mut checked, mut objections) = (0, Vec::new());
    for (relative, module, source) in &sources {
        let module: Vec<&str> = module.iter().map(String::as_str).collect();
        for u in uses(&module, source) {
            checked += 1;
            if let Some(reason) = objection(&u, &macros) {
                objections.push(format!("src/{}:{}: {reason}", relative.display(), u.line));
            }
        }
    }
    assert!(checked > 60, "found only {checked} uses between modules: the reader is blind");
    assert!(
        objections.is_empty(),
        "{} of {checked} uses break the floor table:\n{}",
        objections.len(),
        objections.join("\n")
    );
}

/// Every module `lib.rs` declares has a floor, so that none escapes the table.
#[test]
fn every_module_has_a_floor() {
    let lib = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let text = without_comments_and_strings(&lib);
    let declared: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert!(declared.len() >= 10, "lib.rs declares {declared:?}");
    for module in declared {
        assert!(floor(module).is_some(), "module `{module}` of lib.rs has no floor: add it to FLOORS in {}", file!());
    }
}

/// Names that follow `prefix::` in a text, each once.
fn variants<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let word = format!("{prefix}::");
    let starts =
        text.match_indices(&word).filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    let name = |at: usize| {
        let rest = &text[at + word.len()..];
        &rest[..rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())]
    };
    let mut names: Vec<&str> =
        starts.map(|(at, _)| name(at)).filter(|name| name.starts_with(char::is_uppercase)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Shapes answer for themselves: outside their registry no file tells more than two of them apart.
#[test]
fn shapes_are_told_apart_in_their_registry_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    let registry = std::fs::read_to_string(root.join("geometry/registry.rs")).unwrap();
    assert!(registry.contains("enum AnyShape"), "the registry of shapes is elsewhere");
    for path in files.iter().filter(|path| !path.ends_with("geometry/registry.rs")) {
        let text = without_tests(&without_comments_and_strings(&std::fs::read_to_string(path).unwrap()));
        let named = variants(&text, "AnyShape");
        assert!(named.len() <= 2, "{} tells shapes apart by name: {named:?}; let `Shape` answer", path.display());
    }
    let text =
        "match s { AnyShape::Block(b) => 1, AnyShape::Round(_) | crate::AnyShape::Chain(_) => 2, MyAnyShape::No => 3 }";
    assert_eq!(variants(text, "AnyShape"), ["Block", "Chain", "Round"]);
}

/// The reader itself: what it must see, and what it must not.
#[test]
fn the_reader_sees_paths_and_nothing_else() {
    let source = r##"
use crate::linalg::Sym;
use crate::{mesh::{Mesh, NodeId}, materials, parallel::each};
// use crate::post::comment;
/// [`crate::post::link`]
/* use crate::post::block; /* nested */ */
const TEXT: &str = "crate::post::string \" crate::post";
const RAW: &str = r#"crate::post"quoted"#;
const QUOTE: char = '"'; fn f<'a>(x: &'a crate::bodies::Body) -> char { '\'' }
use super::super::contact::Zone; use super::inner::Thing;
macro_rules! m { () => { $crate::output::x() } }
use mycrate::post::A;
use other::crate_like;
#[cfg(test)]
mod tests { use crate::simulation::X; fn g() { if true { } } }
use impakt::case::read;
"##;
    let found: Vec<(usize, String)> =
        uses(&["elements", "kernel"], source).into_iter().map(|u| (u.line, u.to)).collect();
    let expected = [
        (2, "linalg"),
        (3, "mesh"),
        (3, "materials"),
        (3, "parallel"),
        (9, "bodies"),
        (10, "contact"),
        (11, "output"),
        (16, "impakt::case"),
    ];
    assert_eq!(found, expected.map(|(line, to)| (line, to.to_string())));
    let none = BTreeMap::new();
    let ask = |from: &str, to: &str| objection(&Use { line: 1, from: from.into(), to: to.into() }, &none).is_some();
    assert!(!ask("contact", "integrator") && !ask("contact", "contact") && !ask("cli", "impakt::case"));
    assert!(ask("integrator", "contact"), "upwards");
    assert!(ask("mesh", "materials"), "neighbours");
    assert!(ask("mesh", "unheard_of"), "unknown");
    assert!(ask("mesh", "impakt::linalg"), "the library by its own name");
}
