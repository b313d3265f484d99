//! Work shared among threads with results that do not depend on their number: items are independent, and what they
//! return is combined in their own order.

use rayon::prelude::*;

/// Applies `work` to every item, in parallel when there is more than one. The first error in item order wins.
pub fn try_each<T: Send, E: Send>(
    items: &mut [T],
    work: impl Fn(usize, &mut T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if let [only] = items {
        return work(0, only);
    }
    let outcomes: Vec<Result<(), E>> = items.par_iter_mut().enumerate().map(|(i, item)| work(i, item)).collect();
    outcomes.into_iter().collect()
}

/// Applies `work` to every item, in parallel when there is more than one.
pub fn each<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    if let [only] = items {
        return work(0, only);
    }
    items.par_iter_mut().enumerate().for_each(|(i, item)| work(i, item));
}
