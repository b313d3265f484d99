//! Work shared among threads with results that do not depend on their number: items are independent, and what they
//! return is combined in their own order.

use rayon::prelude::*;

/// Handing work to other threads takes as long as some thousand operations, and with one thread it is for nothing.
fn is_worth_it(items: usize, least: usize) -> bool {
    items >= least && rayon::current_num_threads() > 1
}

/// Items with little work each from which on it is shared.
const MANY: usize = 8;

/// Applies `work` to every item, in parallel when there is more than one.
pub fn each<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    if !is_worth_it(items.len(), 2) {
        return items.iter_mut().enumerate().for_each(|(i, item)| work(i, item));
    }
    items.par_iter_mut().enumerate().for_each(|(i, item)| work(i, item));
}

/// Applies `work` to stretches of `size` items with the number of the first, in parallel when there is more than one.
pub fn stretches<T: Send>(items: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    if !is_worth_it(items.len().div_ceil(size), 2) {
        return items.chunks_mut(size).enumerate().for_each(|(k, stretch)| work(k * size, stretch));
    }
    items.par_chunks_mut(size).enumerate().for_each(|(k, stretch)| work(k * size, stretch));
}

/// Applies `work` to the pairs of two lists of equal length, in parallel when there is more than one.
pub fn pairs<A: Send, B: Send>(a: &mut [A], b: &mut [B], work: impl Fn(usize, &mut A, &mut B) + Sync) {
    if !is_worth_it(a.len(), 2) {
        return a.iter_mut().zip(b).enumerate().for_each(|(i, (a, b))| work(i, a, b));
    }
    a.par_iter_mut().zip(b.par_iter_mut()).enumerate().for_each(|(i, (a, b))| work(i, a, b));
}

/// Applies a little `work` to every item, in parallel when there are many.
pub fn each_of_many<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    if !is_worth_it(items.len(), MANY) {
        return items.iter_mut().enumerate().for_each(|(i, item)| work(i, item));
    }
    each(items, work);
}

/// What a little `work` makes of every item, in their order, in parallel when there are many.
pub fn map_many<T: Send, R: Send>(items: &mut [T], work: impl Fn(usize, &mut T) -> R + Sync) -> Vec<R> {
    if !is_worth_it(items.len(), MANY) {
        return items.iter_mut().enumerate().map(|(i, item)| work(i, item)).collect();
    }
    items.par_iter_mut().enumerate().map(|(i, item)| work(i, item)).collect()
}

/// Applies `work` to the pairs of two lists of equal length, in parallel when there is more than one. The first error in
/// order wins.
pub fn try_pairs<A: Send, B: Send, E: Send>(
    a: &mut [A],
    b: &mut [B],
    work: impl Fn(usize, &mut A, &mut B) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if !is_worth_it(a.len(), 2) {
        return a.iter_mut().zip(b).enumerate().try_for_each(|(i, (a, b))| work(i, a, b));
    }
    let pairs = a.par_iter_mut().zip(b.par_iter_mut()).enumerate();
    let outcomes: Vec<Result<(), E>> = pairs.map(|(i, (a, b))| work(i, a, b)).collect();
    outcomes.into_iter().collect()
}
