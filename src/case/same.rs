//! Whether two cases are the same model, so that a run of one can be taken up by the other.

use super::tree::{Node, Origin, Value};
use super::yaml;

/// Keys that may differ: what the case is called and promises, how long it runs, how steps are solved, and
/// how often it is saved.
const FREE: [&[&str]; 8] = [
    &["title"],
    &["source"],
    &["expect"],
    &["contact_solver"],
    &["time", "end"],
    &["time", "newton"],
    &["time", "max_halvings"],
    &["output", "checkpoint"],
];

/// Compares the texts of two cases that were read before.
///
/// # Errors
/// The first section in which they differ.
pub fn same_model(before: &str, now: &str) -> Result<(), String> {
    let read = |text: &str| {
        let mut root = yaml::parse(text, Origin::File, 0).map_err(|_| "its case cannot be read".to_owned())?;
        FREE.iter().for_each(|path| remove(&mut root, path));
        Ok::<Node, String>(root)
    };
    let (before, now) = (read(before)?, read(now)?);
    let sections = |root: &Node| match &root.value {
        Value::Map(entries) => entries.iter().map(|e| e.key.clone()).collect::<Vec<String>>(),
        _ => Vec::new(),
    };
    for section in sections(&before).into_iter().chain(sections(&now)) {
        let of = |root: &Node| root.get(&section).map(|entry| entry.node.clone());
        let same = of(&before).zip(of(&now)).is_some_and(|(a, b)| a.same_values(&b));
        if !same {
            let free = "time.end, time.newton, time.max_halvings, output.checkpoint, contact_solver and expect";
            return Err(format!("`{section}` is not what it was in that run; only {free} may change"));
        }
    }
    Ok(())
}

fn remove(node: &mut Node, path: &[&str]) {
    let (Value::Map(entries), [first, rest @ ..]) = (&mut node.value, path) else { return };
    if rest.is_empty() {
        entries.retain(|entry| entry.key != *first);
    } else if let Some(entry) = entries.iter_mut().find(|entry| entry.key == *first) {
        remove(&mut entry.node, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_length_and_the_solvers_may_change() {
        let case = "geometry: solid\ntime: { end: 1, step: 0.1 }\ncontacts: [{ friction: 0.2 }]\n";
        let longer =
            "geometry: solid\ntitle: x\ntime: { end: 2, step: 0.1, max_halvings: 3 }\ncontacts: [{ friction: 0.20 }]\n";
        assert_eq!(same_model(case, longer), Ok(()));
        for (other, section) in
            [(case.replace("0.2", "0.3"), "contacts"), (case.replace("step: 0.1", "step: 0.2"), "time")]
        {
            assert!(same_model(case, &other).is_err_and(|e| e.contains(section)), "{other}");
        }
    }
}
