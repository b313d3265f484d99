//! One sentence for each key, from `keys.txt`.

use super::explore::{Form, Key};

/// `pattern | sentence` on each line. A pattern is the end of a path: the longest one that fits a key describes it.
const TEXT: &str = include_str!("keys.txt");

/// The sentences.
#[derive(Debug, Clone)]
pub struct Descriptions {
    lines: Vec<(Vec<&'static str>, &'static str)>,
}

/// Keys without a sentence and sentences without a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undescribed {
    /// Paths of keys that nothing describes.
    pub keys: Vec<String>,
    /// Patterns that describe nothing.
    pub patterns: Vec<String>,
}

impl Default for Descriptions {
    fn default() -> Self {
        let line = |line: &'static str| {
            let (pattern, sentence) = line.split_once('|')?;
            Some((pattern.trim().split('.').collect(), sentence.trim()))
        };
        Descriptions { lines: TEXT.lines().filter(|l| !l.starts_with('#')).filter_map(line).collect() }
    }
}

impl Descriptions {
    /// The number of the line that describes a path.
    fn find(&self, path: &str) -> Option<usize> {
        let path: Vec<&str> = path.split('.').collect();
        let fits = |pattern: &[&str]| {
            pattern.len() <= path.len()
                && pattern.iter().rev().zip(path.iter().rev()).all(|(p, step)| p == step || *p == "*")
        };
        // longer patterns first, then those with fewer stars
        let weight = |pattern: &[&str]| (pattern.len(), pattern.iter().filter(|p| **p != "*").count());
        (0..self.lines.len()).filter(|&k| fits(&self.lines[k].0)).max_by_key(|&k| weight(&self.lines[k].0))
    }

    /// The sentence of a key.
    pub fn of(&self, path: &str) -> &'static str {
        self.find(path).map_or("", |k| self.lines[k].1)
    }

    /// What is missing on either side.
    pub fn undescribed(&self, root: &Key) -> Undescribed {
        let mut used = vec![false; self.lines.len()];
        let mut missing = Undescribed::default();
        visit(root, &mut |path| match self.find(path) {
            Some(k) => used[k] = true,
            None => missing.keys.push(path.to_owned()),
        });
        let unused = self.lines.iter().zip(used).filter(|(_, used)| !used);
        missing.patterns = unused.map(|((pattern, _), _)| pattern.join(".")).collect();
        missing
    }
}

/// Calls `see` with the path of every key and choice below a key.
pub fn visit(key: &Key, see: &mut dyn FnMut(&str)) {
    for form in &key.forms {
        match form {
            Form::List(_, item) | Form::Names(item) => visit(item, see),
            Form::Map(fields) => {
                for field in fields {
                    see(&field.key.path);
                    visit(&field.key, see);
                }
            }
            Form::Choice(options, beside) => {
                for (_, option) in options {
                    see(&option.path);
                    visit(option, see);
                }
                for field in beside {
                    see(&field.key.path);
                    visit(&field.key, see);
                }
            }
            _ => {}
        }
    }
}
