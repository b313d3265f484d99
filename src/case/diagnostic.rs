//! What is wrong with a case file: one diagnostic per problem, all of them in one error.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::asked::{Ask, Asked};
use super::nearest::nearest;
use super::tree::{Origin, Place};

/// More problems than this are counted but not kept: nobody reads them, and a broken generator can produce millions.
const MOST_KEPT: usize = 200;
/// Characters of a message: a value that someone typed may be longer than any screen.
const MESSAGE_WIDTH: usize = 600;
/// Characters of a source line shown around the caret.
const SNIPPET_WIDTH: usize = 100;

/// One problem of a case file.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// Where the offending value or key stands.
    pub place: Place,
    /// The key path from the top of the file, as `--set` takes it: `bodies.cylinder.mesh.disc.radius`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub expected: Option<String>,
    /// The valid name nearest to the one that was typed.
    pub nearest: Option<String>,
}

impl Diagnostic {
    /// A problem at a place.
    pub fn new(place: Place, path: impl Into<String>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { place, path: path.into(), message: message.into(), expected: None, nearest: None }
    }

    /// The same with a line on what is expected.
    #[must_use]
    pub fn expecting(mut self, expected: impl Into<String>) -> Diagnostic {
        self.expected = Some(expected.into());
        self
    }

    /// The same with the valid name nearest to `name`, if one is near.
    #[must_use]
    pub fn suggesting<'a>(mut self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Diagnostic {
        self.nearest = nearest(name, candidates).map(str::to_owned);
        self
    }
}

/// The texts a case was read from, kept so that a problem found later can still show its line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources {
    /// The case file as the user named it.
    pub file: String,
    /// The text of the case file.
    pub text: String,
    /// The `--set` arguments in order.
    pub sets: Vec<String>,
}

impl Sources {
    /// The line a place points into.
    fn line(&self, place: Place) -> Option<&str> {
        let number = usize::try_from(place.line).ok()?.checked_sub(1)?;
        match place.origin {
            Origin::File => self.text.lines().nth(number),
            Origin::Set(index) => self.sets.get(usize::try_from(index).ok()?)?.lines().nth(number),
        }
    }
}

/// A case file that cannot be run, with every problem found in it, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseError {
    /// The case file as the user named it.
    pub file: String,
    /// The problems, sorted by place; at most a few hundred.
    pub diagnostics: Vec<Diagnostic>,
    /// Problems beyond those kept in `diagnostics`.
    pub dropped: usize,
    /// Whether it is the machine that does not do: the case itself may be right.
    pub of_machine: bool,
    sources: Arc<Sources>,
}

impl CaseError {
    /// Collects problems found in these sources.
    pub fn new(sources: Arc<Sources>, mut diagnostics: Vec<Diagnostic>) -> CaseError {
        diagnostics.sort_by_key(|problem| problem.place);
        let dropped = diagnostics.len().saturating_sub(MOST_KEPT);
        diagnostics.truncate(MOST_KEPT);
        CaseError { file: sources.file.clone(), diagnostics, dropped, of_machine: false, sources }
    }

    /// A problem of the file as a whole: it is missing, unreadable or too large.
    pub fn whole_file(file: &str, message: impl Into<String>) -> CaseError {
        let sources = Sources { file: file.to_owned(), ..Sources::default() };
        CaseError::new(Arc::new(sources), vec![Diagnostic::new(Place::FILE, "", message)])
    }

    /// What the machine cannot do for a case that may be right.
    pub fn of_machine(file: &str, message: impl Into<String>) -> CaseError {
        CaseError { of_machine: true, ..CaseError::whole_file(file, message) }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, problem: &Diagnostic) -> fmt::Result {
        write!(f, "error: ")?;
        match problem.place.origin {
            Origin::File => {
                write!(f, "{}:", printable(&self.file))?;
                if problem.place.line > 0 {
                    write!(f, "{}:{}:", problem.place.line, problem.place.column)?;
                }
            }
            Origin::Set(index) => {
                let set = usize::try_from(index).ok().and_then(|index| self.sources.sets.get(index));
                write!(f, "--set {}:", cut(&printable(set.map_or("", String::as_str)), SNIPPET_WIDTH))?;
            }
        }
        if !problem.path.is_empty() {
            write!(f, " {}:", cut(&printable(&problem.path), MESSAGE_WIDTH))?;
        }
        writeln!(f, " {}", cut(&printable(&problem.message), MESSAGE_WIDTH))?;
        if let Some(expected) = &problem.expected {
            writeln!(f, "    expected: {}", printable(expected))?;
        }
        if let Some(nearest) = &problem.nearest {
            writeln!(f, "    did you mean `{}`?", printable(nearest))?;
        }
        if let Some(line) = self.sources.line(problem.place) {
            let (shown, before) = snippet(line, problem.place.column);
            let number = problem.place.line.to_string();
            let gutter = if problem.place.origin == Origin::File { number } else { "--set".to_owned() };
            writeln!(f, "    {gutter} | {shown}")?;
            writeln!(f, "    {:width$} | {before}^", "", width = gutter.len())?;
        }
        Ok(())
    }
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.diagnostics {
            self.write(f, problem)?;
        }
        match self.diagnostics.len() + self.dropped {
            0 | 1 => Ok(()),
            count if self.dropped > 0 => {
                writeln!(f, "{count} problems, the first {} are shown", self.diagnostics.len())
            }
            count => writeln!(f, "{count} problems"),
        }
    }
}

impl Error for CaseError {}

/// The part of a line around a column, and the blanks that put a caret under that column.
fn snippet(line: &str, column: u32) -> (String, String) {
    let letters: Vec<char> = line.chars().collect();
    let caret = usize::try_from(column).unwrap_or(1).saturating_sub(1).min(letters.len());
    let start = if letters.len() <= SNIPPET_WIDTH { 0 } else { caret.saturating_sub(SNIPPET_WIDTH / 2) };
    let end = letters.len().min(start + SNIPPET_WIDTH);
    let lead = if start > 0 { "..." } else { "" };
    let tail = if end < letters.len() { "..." } else { "" };
    let shown: String = letters[start..end].iter().collect();
    // A tab stays a tab, so that the caret lands under its column whatever the terminal's tab width.
    let before: String = letters[start..caret].iter().map(|c| if *c == '\t' { '\t' } else { ' ' }).collect();
    (format!("{lead}{}{tail}", printable(&shown)), format!("{}{before}", " ".repeat(lead.len())))
}

/// The text without control characters: a case file must not be able to steer the terminal it is reported on.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

/// The beginning of a text, and that it goes on.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Collects problems while a tree is read, so that one run of the reader reports them all.
#[derive(Debug, Default)]
pub struct Problems {
    // Interior mutability lets the cursors of `decode` share the collection: they are many and nested.
    found: RefCell<Vec<Diagnostic>>,
    /// What the readers asked for, if someone wants to know: the schema is made from it.
    asked: Option<RefCell<Vec<Asked>>>,
}

impl Problems {
    /// A collection that also takes down what is asked of each value.
    pub fn tracing() -> Self {
        Problems { asked: Some(RefCell::default()), ..Problems::default() }
    }

    /// Takes down what is asked of the value at a path; costs nothing where nobody wants to know.
    pub(super) fn note(&self, path: &str, ask: impl FnOnce() -> Ask) {
        if let Some(asked) = &self.asked {
            asked.borrow_mut().push(Asked { path: path.to_owned(), ask: ask() });
        }
    }

    /// What was asked, in order.
    pub(super) fn into_asked(self) -> Vec<Asked> {
        self.asked.map(RefCell::into_inner).unwrap_or_default()
    }

    /// Adds a problem.
    pub fn push(&self, problem: Diagnostic) {
        self.found.borrow_mut().push(problem);
    }

    /// True if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// The problems found, in the order in which they were found.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        self.found.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_shown_with_its_line_and_a_caret() {
        let sources = Sources { file: "a.yaml".into(), text: "time:\n  end: -1\n".into(), sets: vec!["x=1".into()] };
        let problems = vec![
            Diagnostic::new(Place::new(Origin::Set(0), 1, 1), "x", "unknown key `x`"),
            Diagnostic::new(Place::new(Origin::File, 2, 8), "time.end", "must be > 0, got -1").expecting("seconds"),
        ];
        let text = CaseError::new(Arc::new(sources), problems).to_string();
        let expected = [
            "error: a.yaml:2:8: time.end: must be > 0, got -1",
            "    expected: seconds",
            "    2 |   end: -1",
            "      |        ^",
            "error: --set x=1: x: unknown key `x`",
            "    --set | x=1",
            "          | ^",
            "2 problems\n",
        ];
        assert_eq!(text, expected.join("\n"));
    }

    #[test]
    fn long_lines_are_cut_around_the_caret_and_control_characters_are_not_printed() {
        let line = format!("{}\u{1b}[31mX{}", "a".repeat(300), "b".repeat(300));
        let (shown, before) = snippet(&line, 306);
        assert!(shown.len() < 120 && shown.starts_with("...") && shown.ends_with("..."), "{shown}");
        assert_eq!(shown.chars().nth(before.chars().count()), Some('X'));
        assert!(!shown.contains('\u{1b}'));
    }
}
