//! What the tests assert, written down as they assert it: `scripts/verification_report.py` makes the verification report
//! from these lines, so that nothing in it is typed by hand. One file per test process under
//! `target/tmp/verification/`, one JSON line per claim; of a claim checked many times (same line of the same test) those
//! that come nearer to their limit than any before.
#![allow(dead_code)] // each test crate uses its own part

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{File, create_dir_all};
use std::io::Write;
use std::panic::Location;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

struct Current {
    source: String,
    since: Instant,
}

thread_local! {
    static CURRENT: RefCell<Current> = RefCell::new(Current { source: String::new(), since: Instant::now() });
}

/// Names what the following claims of this test are measured against: paper, table, closed form.
pub fn source(text: &str) {
    CURRENT.with_borrow_mut(|current| *current = Current { source: text.to_owned(), since: Instant::now() });
}

/// Different claims of one line that are written down as they are. Beyond that the line is a sweep over a catalogue, of which the
/// report shows the worst.
const SINGLE: usize = 8;

struct Book {
    file: Option<File>,
    /// Of each line of each test, the largest share that was used by each of its first claims and by all.
    lines: HashMap<(String, u32), (HashMap<String, f64>, f64)>,
}

impl Book {
    /// Whether a claim tells more than those before it.
    fn is_news(&mut self, key: (String, u32), what: &str, used: f64) -> bool {
        let (single, worst) = self.lines.entry(key).or_insert_with(|| (HashMap::new(), f64::NEG_INFINITY));
        let worse = used > *worst;
        *worst = worst.max(used);
        match single.get(what) {
            Some(before) if used <= *before => false,
            None if single.len() > SINGLE => worse,
            _ => {
                single.insert(what.to_owned(), used);
                true
            }
        }
    }
}

fn open() -> Option<File> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verification");
    create_dir_all(&folder).ok()?;
    let binary = std::env::current_exe().ok()?;
    let stem = binary.file_stem()?.to_string_lossy().into_owned();
    let name = stem.rsplit_once('-').map_or(stem.clone(), |(name, _)| name.to_owned());
    let place = module_path!().replace("::", "-");
    File::create(folder.join(format!("{name}-{place}-{}.jsonl", std::process::id()))).ok()
}

/// Writes a claim down. `relation` is `=`, `<=` or `>=`; `used` is the share of the tolerance that was needed.
#[track_caller]
pub fn record(what: &str, relation: &str, measured: f64, expected: f64, tolerance: f64) {
    let used = match relation {
        "=" if tolerance > 0.0 => (measured - expected).abs() / tolerance,
        "=" => f64::from(u8::from(measured != expected)),
        "<=" => measured / expected,
        _ => expected / measured,
    };
    // outside of the closure, which would be its own caller
    let place = Location::caller();
    CURRENT.with_borrow(|current| {
        let numbers = (relation, measured, expected, tolerance, used);
        note(place.file(), place.line(), what, &current.source, numbers, current.since);
    });
}

/// The same for a claim that belongs to a file other than the test's own, e.g. a case.
pub fn note(
    file: &str,
    line: u32,
    what: &str,
    source: &str,
    (relation, measured, expected, tolerance, used): (&str, f64, f64, f64, f64),
    since: Instant,
) {
    static BOOK: OnceLock<Mutex<Book>> = OnceLock::new();
    let book = BOOK.get_or_init(|| Mutex::new(Book { file: open(), lines: HashMap::new() }));
    // a test that failed while writing does not matter to the others
    let mut book = book.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let test = std::thread::current().name().unwrap_or("").to_owned();
    if !book.is_news((format!("{file}/{test}"), line), what, used) {
        return;
    }
    let number = |x: f64| if x.is_finite() { format!("{x:e}") } else { "null".to_owned() };
    let text = format!(
        "{{\"file\": {}, \"line\": {line}, \"test\": {}, \"what\": {}, \"source\": {}, \"relation\": {}, \"measured\": {}, \
         \"expected\": {}, \"tolerance\": {}, \"used\": {}, \"seconds\": {:.3}}}\n",
        json(file),
        json(&test),
        json(what),
        json(source),
        json(relation),
        number(measured),
        number(expected),
        number(tolerance),
        number(used),
        since.elapsed().as_secs_f64()
    );
    if let Some(out) = &mut book.file {
        // the report is a by-product: a full disk must not fail a test
        let _ = out.write_all(text.as_bytes());
    }
}

/// A JSON string; control characters become spaces.
fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out.push('"');
    out
}
