//! Work shared among threads with results that do not depend on their number: items are independent, and what they
//! return is combined in their own order.

use rayon::prelude::*;

/// Applies `work` to every item, in parallel when there is more than one.
pub fn each<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    if let [only] = items {
        return work(0, only);
    }
    items.par_iter_mut().enumerate().for_each(|(i, item)| work(i, item));
}

/// Applies `work` to the pairs of two lists of equal length, in parallel when there is more than one.
pub fn pairs<A: Send, B: Send>(a: &mut [A], b: &mut [B], work: impl Fn(usize, &mut A, &mut B) + Sync) {
    if let ([a], [b]) = (&mut *a, &mut *b) {
        return work(0, a, b);
    }
    a.par_iter_mut().zip(b.par_iter_mut()).enumerate().for_each(|(i, (a, b))| work(i, a, b));
}

/// What `work` makes of every item, in their order, in parallel when there is more than one.
pub fn map<T: Send, R: Send>(items: &mut [T], work: impl Fn(usize, &mut T) -> R + Sync) -> Vec<R> {
    if let [only] = items {
        return vec![work(0, only)];
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
    if let ([a], [b]) = (&mut *a, &mut *b) {
        return work(0, a, b);
    }
    let pairs = a.par_iter_mut().zip(b.par_iter_mut()).enumerate();
    let outcomes: Vec<Result<(), E>> = pairs.map(|(i, (a, b))| work(i, a, b)).collect();
    outcomes.into_iter().collect()
}
