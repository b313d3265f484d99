//! Stretches of work that keep threads awake end, whoever else uses the same threads: several at once, nested regions, a panic.

mod runs;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use impakt::parallel::{awake, both, each};
use runs::claims::source;

/// Regions with nested ones in them, and serial work between; the sum of all.
fn stretch(rounds: usize) -> f64 {
    awake(|| {
        let mut sum = 0.0;
        for round in 0..rounds {
            let mut values = [0.0f64; 9];
            each(&mut values, |k, value| {
                let (mut a, mut b) = ([0.0f64; 3], [0.0f64; 3]);
                both(|| each(&mut a, |i, x| *x = (k * i + round) as f64), || each(&mut b, |i, x| *x = (k + i) as f64));
                *value = a.iter().chain(&b).sum();
            });
            sum += values.iter().sum::<f64>();
        }
        sum
    })
}

#[test]
fn stretches_of_work_that_share_threads_all_end() {
    source("each stretch alone on one thread gives the same sum; none may wait for another for ever");
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let expected = alone.install(|| stretch(20));
    for threads in [2, 3] {
        let (send, done) = mpsc::channel();
        std::thread::spawn(move || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..100 {
                            assert_eq!(pool.install(|| stretch(20)), expected);
                        }
                    });
                }
            });
            send.send(()).expect("somebody listens");
        });
        done.recv_timeout(Duration::from_secs(120)).expect("all stretches end");
    }
}

#[test]
fn a_panic_ends_a_stretch() {
    source("a panic passes through");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(|| awake(|| assert!(std::hint::black_box(false))))));
    assert!(outcome.is_err());
    assert!(pool.install(|| stretch(3)) > 0.0);
}
