//! `/checkpoint`: what a run needs to be taken up again. Two slots are written in turn and the number of the good one last,
//! so that a kill at any moment leaves one whole. Each carries a sum over its bits: what was damaged since is not taken up.

use hdf5::{Error, File, Group};

use super::history::{Doing, Fault};
use super::published::{all, whole};

/// Named numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checkpoint {
    entries: Vec<(String, Vec<f64>)>,
}

impl Checkpoint {
    /// Adds numbers under a name.
    pub fn put(&mut self, name: &str, values: &[f64]) {
        self.entries.push((name.to_owned(), values.to_vec()));
    }

    /// The numbers of a name.
    ///
    /// # Errors
    /// There is no such name, or not that many numbers.
    pub fn get(&self, name: &str, count: usize) -> Result<&[f64], String> {
        let values = self.list(name)?;
        if values.len() != count {
            return Err(format!("{name} has {} numbers, the case asks for {count}", values.len()));
        }
        Ok(values)
    }

    /// The numbers of a name, however many there are.
    ///
    /// # Errors
    /// There is no such name.
    pub fn list(&self, name: &str) -> Result<&[f64], String> {
        let found = self.entries.iter().find(|(known, _)| known == name);
        found.map(|(_, values)| values.as_slice()).ok_or_else(|| format!("it holds no {name}"))
    }

    /// A single number.
    ///
    /// # Errors
    /// There is no such name, or several numbers.
    pub fn number(&self, name: &str) -> Result<f64, String> {
        self.get(name, 1).map(|values| values[0])
    }
}

const GROUP: &str = "checkpoint";

/// What the numbers of a checkpoint mean. To be raised with every change of names, orders or meanings, here or where numbers
/// are put in; an older checkpoint is then refused instead of misread.
const LAYOUT: i64 = 2;

/// A sum over names, counts and the bits of the numbers, in their order.
fn sum(layout: &[u8], numbers: &[f64]) -> i64 {
    let words = layout.iter().map(|byte| u64::from(*byte)).chain(numbers.iter().map(|x| x.to_bits()));
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    words.fold(0, mix) as i64
}

/// Creates the group, without a checkpoint yet.
pub(super) fn create(file: &File) -> Result<(), Fault> {
    let write = || -> hdf5::Result<()> {
        let group = file.create_group(GROUP)?;
        group.new_attr::<i64>().create("layout")?.write_scalar(&LAYOUT)?;
        group.new_attr::<i64>().create("current")?.write_scalar(&-1i64)?;
        for slot in ["0", "1"] {
            let slot = group.create_group(slot)?;
            slot.new_dataset::<f64>().chunk((4096,)).shape((0..,)).create("numbers")?;
            slot.new_dataset::<u8>().chunk((4096,)).shape((0..,)).create("layout")?;
            slot.new_attr::<i64>().create("sum")?.write_scalar(&0i64)?;
        }
        Ok(())
    };
    write().doing(|| "creating /checkpoint".to_string())
}

/// Writes a checkpoint beside the last one and makes it the good one.
pub(super) fn write(file: &File, checkpoint: &Checkpoint) -> Result<(), Fault> {
    let layout: String = checkpoint.entries.iter().map(|(name, values)| format!("{} {name}\n", values.len())).collect();
    let numbers: Vec<f64> = checkpoint.entries.iter().flat_map(|(_, values)| values.iter().copied()).collect();
    let write = || -> hdf5::Result<()> {
        let group = file.group(GROUP)?;
        let current = group.attr("current")?;
        let next = i64::from(current.read_scalar::<i64>()? == 0);
        let slot = group.group(&next.to_string())?;
        let (flat, text) = (slot.dataset("numbers")?, slot.dataset("layout")?);
        flat.resize(numbers.len())?;
        flat.write_raw(&numbers)?;
        text.resize(layout.len())?;
        text.write_raw(layout.as_bytes())?;
        slot.attr("sum")?.write_scalar(&sum(layout.as_bytes(), &numbers))?;
        file.flush()?;
        current.write_scalar(&next)?;
        file.flush()
    };
    write().doing(|| "writing /checkpoint".to_string())
}

/// Reads the good checkpoint; none if the run wrote none.
pub(super) fn read(file: &File) -> Result<Option<Checkpoint>, Fault> {
    if !file.link_exists(GROUP) {
        return Ok(None);
    }
    let Some((numbers, layout)) = current(file).doing(|| "reading /checkpoint".to_string())? else { return Ok(None) };
    let mut checkpoint = Checkpoint::default();
    let mut rest = numbers.as_slice();
    for line in String::from_utf8_lossy(&layout).lines() {
        let entry = line.split_once(' ').and_then(|(count, name)| Some((count.parse::<usize>().ok()?, name)));
        let Some((count, name)) = entry.filter(|(count, _)| *count <= rest.len()) else {
            return Err(Fault { what: "reading /checkpoint".to_string(), reason: "its parts do not fit".to_string() });
        };
        let (values, after) = rest.split_at(count);
        checkpoint.put(name, values);
        rest = after;
    }
    Ok(Some(checkpoint))
}

/// Numbers and layout of the good slot.
fn current(file: &File) -> hdf5::Result<Option<(Vec<f64>, Vec<u8>)>> {
    let group: Group = file.group(GROUP)?;
    let known = group.attr("layout").and_then(|layout| layout.read_scalar::<i64>()).unwrap_or(1);
    if known != LAYOUT {
        let reason = format!("its layout is {known}, this program reads and writes {LAYOUT}");
        return Err(Error::Internal(reason));
    }
    let current = group.attr("current")?.read_scalar::<i64>()?;
    if current < 0 {
        return Ok(None);
    }
    let slot = group.group(&whole("its slot", current)?.to_string())?;
    let (numbers, layout) = (all::<f64>(&slot.dataset("numbers")?)?, all::<u8>(&slot.dataset("layout")?)?);
    if slot.attr("sum")?.read_scalar::<i64>()? != sum(&layout, &numbers) {
        return Err(Error::Internal("it is damaged: its numbers are not those that were written".to_owned()));
    }
    Ok(Some((numbers, layout)))
}
