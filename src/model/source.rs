//! What a result says of the model it is of, so that a run is taken up with the same model only.

use std::fmt::{self, Write};

use super::{Model, Newton, Output, Time};

/// What a model was made from.
#[derive(Clone)]
pub struct Source {
    /// File name without folders.
    pub file_name: String,
    /// The text; what the result keeps.
    pub text: String,
    /// Whether two texts, the one of a result and this one, are of the same model: how long it runs, how its steps are solved and how
    /// often it is saved may differ. The error names the first part that is not the same.
    pub same: fn(&str, &str) -> Result<(), String>,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.file_name)
    }
}

impl Source {
    /// Of a model that was made from nothing but itself: its fingerprint.
    pub(super) fn of(model: &Model) -> Self {
        let text = format!("title: {:?}\n{FINGERPRINT}{:016x}\n", model.title, model.fingerprint());
        Source { file_name: model.name.clone(), text, same }
    }
}

/// Heads the fingerprint in the text that stands for a model.
const FINGERPRINT: &str = "# made without a case file; fingerprint ";

fn same(before: &str, now: &str) -> Result<(), String> {
    let print = |text: &str| text.lines().find_map(|line| line.strip_prefix(FINGERPRINT).map(str::to_owned));
    match print(before) {
        Some(before) if Some(&before) == print(now).as_ref() => Ok(()),
        Some(before) => Err(format!(
            "its model has the fingerprint {before}, this one {}; only the end, the solvers and checkpoints may change",
            print(now).unwrap_or_default()
        )),
        None => Err("it is the result of a case file".to_owned()),
    }
}

impl Model {
    /// A number made from everything in the model that its results depend on, the same on every machine; another version of the
    /// program may make another. How long it runs, how its steps are solved, how often it is saved and what it is called do not
    /// count.
    pub fn fingerprint(&self) -> u64 {
        let Model { section, materials, bodies, rigid, obstacles, boundary, contacts, time, output, probes, .. } = self;
        let Output { every, fields, compression, checkpoint: _ } = output;
        // where steps follow the stable one, this length only says what counts as an instant
        let step = if time.auto { 0.0 } else { time.step };
        let time = Time { end: 0.0, step, newton: Newton::default(), max_halvings: 0, ..*time };
        let mut print = Print(0xcbf2_9ce4_8422_2325);
        // `{:?}` writes numbers to the last bit, and a field that is added counts by itself; writing into a sum cannot fail
        let parts = (section, materials, bodies, rigid, obstacles, boundary, contacts);
        let _ = write!(print, "{parts:?}{:?}", (time, every, fields, compression, probes));
        print.0
    }
}

/// The sum of Fowler, Noll and Vo over the bytes written into it.
struct Print(u64);

impl Write for Print {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}
