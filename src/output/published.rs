//! Numbers and texts of a file that nobody vouches for: what is asked of a dataset is compared with what it has before any of
//! it is read.
//!
//! Only rows that the file announces are read. What a cut-off commit left beyond them may have a metadata checksum that does
//! not fit, and the library would refuse all of the dataset for it.

use hdf5::types::VarLenUnicode;
use hdf5::{Dataset, Error, H5Type, Result};

use crate::memory;

/// Most values in a row of anything a result holds.
const WIDEST: usize = 9;

fn refuse<T>(reason: String) -> Result<T> {
    Err(Error::Internal(reason))
}

/// A count or a place as the file stores it.
pub(super) fn whole(what: &str, number: i64) -> Result<usize> {
    usize::try_from(number).or_else(|_| refuse(format!("{what} is {number}")))
}

/// Values per row of a dataset of one or two dimensions.
pub(super) fn components(dataset: &Dataset) -> Result<usize> {
    match dataset.shape().as_slice() {
        [_] => Ok(1),
        &[_, components] if (1..=WIDEST).contains(&components) => Ok(components),
        shape => refuse(format!("its shape is {shape:?}, not rows of up to {WIDEST} numbers")),
    }
}

/// Rows `first` to `first + count` of a dataset, one after the other.
pub(super) fn rows<T: H5Type>(dataset: &Dataset, first: usize, count: usize) -> Result<Vec<T>> {
    let (components, there) = (components(dataset)?, dataset.shape()[0]);
    let Some(end) = first.checked_add(count).filter(|end| *end <= there) else {
        return refuse(format!("it has {there} rows, and {count} from row {first} on are asked for"));
    };
    let bytes = (count as u64).saturating_mul((components * size_of::<T>()) as u64);
    if let Some(free) = memory::free().filter(|free| free.bytes < bytes) {
        return refuse(format!("{count} rows take {}: {free}", memory::amount(bytes)));
    }
    if count == 0 {
        return Ok(Vec::new());
    }
    if dataset.ndim() == 1 {
        Ok(dataset.read_slice_1d::<T, _>(first..end)?.into_iter().collect())
    } else {
        Ok(dataset.read_slice_2d::<T, _>((first..end, ..))?.into_iter().collect())
    }
}

/// All rows of a dataset.
pub(super) fn all<T: H5Type>(dataset: &Dataset) -> Result<Vec<T>> {
    rows(dataset, 0, dataset.shape().first().copied().unwrap_or(0))
}

/// A text. The library hands over whatever bytes there are.
pub(super) fn text(value: &VarLenUnicode) -> Result<String> {
    match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => refuse("a text is not UTF-8".to_owned()),
    }
}
