//! Work shared among threads with results that do not depend on their number: items are independent, and what they
//! return is combined in their own order.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

/// Handing work to other threads takes as long as some thousand operations, and with one thread it is for nothing.
fn is_worth_it(items: usize, least: usize) -> bool {
    items >= least && rayon::current_num_threads() > 1
}

/// Items with little work each from which on it is shared.
const MANY: usize = 8;

/// Tells the other threads that a stretch of work is over, also where it ends in a panic.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// How long a stretch of work waits for the other threads to come.
const PATIENCE: Duration = Duration::from_micros(100);

/// Does a stretch of work made of many short parallel regions with serial work between them, and keeps the other threads awake
/// meanwhile: a thread that fell asleep takes some 50 µs to wake up, as long as a region of a few small bodies lasts.
///
/// The others have to be there before the work begins: a thread that came later could do so while it waits in the middle of a part
/// of this very work, which would then never be finished. Where they are busy elsewhere the work is done without them.
pub fn awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let others = rayon::current_num_threads() - 1;
    if others == 0 {
        return work();
    }
    let (over, here) = (&AtomicBool::new(false), &AtomicUsize::new(0));
    rayon::scope(|scope| {
        let own = rayon::current_thread_index();
        let _end = Over(over);
        scope.spawn_broadcast(move |_, at| {
            if own == Some(at.index()) {
                return;
            }
            here.fetch_add(1, Ordering::AcqRel);
            while !over.load(Ordering::Acquire) {
                if rayon::yield_now() == Some(rayon::Yield::Idle) {
                    // to other programs on the same cores
                    std::thread::yield_now();
                }
            }
        });
        let begun = Instant::now();
        while here.load(Ordering::Acquire) < others && begun.elapsed() < PATIENCE {
            std::thread::yield_now();
        }
        if here.load(Ordering::Acquire) < others {
            over.store(true, Ordering::Release);
        }
        work()
    })
}

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

/// Applies `work` to every item and its share of `data`, of which each takes `len` from the front, in parallel when there is
/// more than one.
pub fn each_with_share<T: Send, D: Send>(
    items: &mut [T],
    data: &mut [D],
    len: impl Fn(&T) -> usize + Sync,
    work: impl Fn(&mut T, &mut [D]) + Sync,
) {
    if !is_worth_it(items.len(), 2) {
        let mut rest = data;
        for item in items {
            let (own, after) = rest.split_at_mut(len(item));
            work(item, own);
            rest = after;
        }
        return;
    }
    share_out(items, data, &len, &work);
}

fn share_out<T: Send, D: Send>(
    items: &mut [T],
    data: &mut [D],
    len: &(impl Fn(&T) -> usize + Sync),
    work: &(impl Fn(&mut T, &mut [D]) + Sync),
) {
    if let [item] = items {
        return work(item, data);
    }
    let (left, right) = items.split_at_mut(items.len() / 2);
    let (own, others) = data.split_at_mut(left.iter().map(len).sum());
    rayon::join(|| share_out(left, own, len, work), || share_out(right, others, len, work));
}

/// Applies `work` to the pairs of two lists of equal length, in parallel when there is more than one. This is for items with work of
/// unequal amount. They are begun in the given `order`, best the longest first: then threads end together. Those that are light go
/// to a thread several at a time.
pub fn pairs<A: Send, B: Send>(a: &mut [A], b: &mut [B], order: &Order, work: impl Fn(usize, &mut A, &mut B) + Sync) {
    if !is_worth_it(order.tasks(a.len()), 2) {
        return a.iter_mut().zip(b).enumerate().for_each(|(i, (a, b))| work(i, a, b));
    }
    let mut waiting: Vec<Option<(&mut A, &mut B)>> = a.iter_mut().zip(b).map(Some).collect();
    let work = &work;
    rayon::scope_fifo(|scope| {
        let mut few = Vec::with_capacity(MANY);
        for i in order.of(waiting.len()) {
            let Some(pair) = waiting[i].take() else { continue };
            few.push((i, pair));
            if !order.is_light(i) || few.len() == MANY {
                let few = std::mem::replace(&mut few, Vec::with_capacity(MANY));
                scope.spawn_fifo(move |_| few.into_iter().for_each(|(i, (a, b))| work(i, a, b)));
            }
        }
        scope.spawn_fifo(move |_| few.into_iter().for_each(|(i, (a, b))| work(i, a, b)));
    });
}

/// The order in which items are begun.
#[derive(Debug, Clone, Default)]
pub struct Order {
    numbers: Vec<u32>,
    /// Which items have so little work that handing one over is not worth it; none if empty.
    light: Vec<bool>,
}

impl Order {
    /// Their own order, with those that are light.
    pub fn new(light: impl Iterator<Item = bool>) -> Self {
        Order { numbers: Vec::new(), light: light.collect() }
    }

    /// Those that took longest of late come first, light ones last. What they return does not depend on it.
    pub fn longest_first(&mut self, spent: impl Iterator<Item = f64>) {
        let spent: Vec<f64> = spent.collect();
        let Order { numbers, light } = self;
        numbers.clear();
        numbers.extend(0..spent.len() as u32);
        let of = |i: u32| (light.get(i as usize).copied().unwrap_or(false), -spent[i as usize]);
        numbers.sort_by(|&i, &j| of(i).0.cmp(&of(j).0).then(of(i).1.total_cmp(&of(j).1)));
    }

    fn is_light(&self, item: usize) -> bool {
        self.light.get(item).copied().unwrap_or(false)
    }

    /// How often work is handed over.
    fn tasks(&self, count: usize) -> usize {
        let light = self.light.iter().filter(|light| **light).count();
        count - light + light.div_ceil(MANY)
    }

    /// The numbers of `count` items: their own order as long as none is known for them.
    fn of(&self, count: usize) -> impl Iterator<Item = usize> {
        let known = self.numbers.len() == count;
        (0..count).map(move |k| if known { self.numbers[k] as usize } else { k })
    }
}

/// Applies a little `work` to the pairs of two lists of equal length, in parallel when there are many.
pub fn pairs_of_many<A: Send, B: Send>(a: &mut [A], b: &mut [B], work: impl Fn(usize, &mut A, &mut B) + Sync) {
    if !is_worth_it(a.len(), MANY) {
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

/// Applies `work` to the items with the given numbers, which ascend, in parallel when there is more than one.
pub fn each_of<T: Send>(items: &mut [T], numbers: &[u32], work: impl Fn(&mut T) + Sync) {
    if !is_worth_it(numbers.len(), 2) {
        return numbers.iter().for_each(|&k| work(&mut items[k as usize]));
    }
    let mut rest = items.iter_mut();
    let mut next = 0;
    let mut chosen: Vec<&mut T> = Vec::with_capacity(numbers.len());
    for &k in numbers {
        chosen.extend(rest.nth(k as usize - next));
        next = k as usize + 1;
    }
    chosen.into_par_iter().for_each(&work);
}

/// What `work` makes of every item, in their order, in parallel when there is more than one.
pub fn map<T: Send, R: Send>(items: &mut [T], work: impl Fn(usize, &mut T) -> R + Sync) -> Vec<R> {
    if !is_worth_it(items.len(), 2) {
        return items.iter_mut().enumerate().map(|(i, item)| work(i, item)).collect();
    }
    items.par_iter_mut().enumerate().map(|(i, item)| work(i, item)).collect()
}

/// Does two things that have nothing to do with each other, in parallel.
pub fn both(one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    if rayon::current_num_threads() > 1 {
        rayon::join(one, other);
    } else {
        one();
        other();
    }
}

/// [`pairs`] with work that may fail. The first error in the order of the lists wins.
pub fn try_pairs<A: Send, B: Send, E: Send>(
    a: &mut [A],
    b: &mut [B],
    order: &Order,
    work: impl Fn(usize, &mut A, &mut B) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if !is_worth_it(a.len(), 2) {
        return a.iter_mut().zip(b).enumerate().try_for_each(|(i, (a, b))| work(i, a, b));
    }
    let mut with_outcome: Vec<(&mut B, Result<(), E>)> = b.iter_mut().map(|b| (b, Ok(()))).collect();
    pairs(a, &mut with_outcome, order, |i, a, (b, outcome)| *outcome = work(i, a, b));
    with_outcome.into_iter().try_for_each(|(_, outcome)| outcome)
}
