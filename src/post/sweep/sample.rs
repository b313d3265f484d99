//! Points that fill the unit cube evenly: Latin hypercubes and Sobol' sets.

use sobol::Sobol;
use sobol::params::JoeKuoD6;

/// Which points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// As many intervals of each parameter as samples, each used once \[McKay1979\].
    Latin,
    /// Sobol' points with the direction numbers of \[JoeKuo2008\], moved by a digital shift; more samples keep those that
    /// were there.
    Sobol,
}

/// Largest number of parameters: those for which the direction numbers are at hand.
const MOST_PARAMETERS: usize = 100;
/// Binary digits of a place.
const DIGITS: u32 = 52;

/// The places of `count` samples, `parameters` numbers in [0, 1) each. The same seed gives the same places.
///
/// # Errors
/// Too many parameters.
pub fn places(sampling: Sampling, count: usize, parameters: usize, seed: u64) -> Result<Vec<Vec<f64>>, String> {
    if parameters > MOST_PARAMETERS {
        return Err(format!("--sample: {parameters} parameters; at most {MOST_PARAMETERS} can be sampled"));
    }
    let mut random = Random::new(seed);
    Ok(match sampling {
        Sampling::Latin => latin(count, parameters, &mut random),
        Sampling::Sobol => shifted(count, parameters, &mut random),
    })
}

fn latin(count: usize, parameters: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let mut places = vec![vec![0.0; parameters]; count];
    for parameter in 0..parameters {
        let mut intervals: Vec<usize> = (0..count).collect();
        for k in (1..count).rev() {
            intervals.swap(k, random.below(k + 1));
        }
        for (place, interval) in places.iter_mut().zip(intervals) {
            place[parameter] = (interval as f64 + random.unit()) / count as f64;
        }
    }
    places
}

/// The same digits flipped in all points: what makes the set even is kept, and zero is no point of it.
fn shifted(count: usize, parameters: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let shift: Vec<u64> = (0..parameters).map(|_| random.next() >> (64 - DIGITS)).collect();
    let whole = (1u64 << DIGITS) as f64;
    let moved = |(x, flip): (&f64, &u64)| ((x * whole) as u64 ^ flip) as f64 / whole;
    let points = Sobol::<f64>::new(parameters, &JoeKuoD6::minimal());
    points.take(count).map(|point| point.iter().zip(&shift).map(moved).collect()).collect()
}

/// SplitMix64: the same numbers on every machine.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of 0, 1, ... n − 1.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In one dimension each of `count` intervals is hit once, by both sets (Sobol': for powers of two).
    #[test]
    fn every_interval_is_hit_once() {
        for (sampling, count) in [(Sampling::Latin, 50), (Sampling::Latin, 64), (Sampling::Sobol, 64)] {
            for seed in [0, 1, u64::MAX] {
                let places = places(sampling, count, 5, seed).unwrap();
                for parameter in 0..5 {
                    let mut hit: Vec<usize> = places.iter().map(|p| (p[parameter] * count as f64) as usize).collect();
                    hit.sort_unstable();
                    assert_eq!(hit, (0..count).collect::<Vec<usize>>(), "{sampling:?}, seed {seed}");
                }
            }
        }
    }

    /// The first two dimensions are a (0, 2)-sequence [Sobol1967]: 2^m points hit each box of size 2^-a × 2^-(m-a) once.
    #[test]
    fn sobol_points_hit_every_elementary_box_once() {
        let m = 6;
        let places = places(Sampling::Sobol, 1 << m, 2, 7).unwrap();
        for a in 0..=m {
            let (across, up) = ((1 << a) as f64, (1 << (m - a)) as f64);
            let mut hit: Vec<usize> =
                places.iter().map(|p| (p[0] * across) as usize * (1 << (m - a)) + (p[1] * up) as usize).collect();
            hit.sort_unstable();
            assert_eq!(hit, (0..1 << m).collect::<Vec<usize>>(), "boxes of 2^-{a}");
        }
    }

    #[test]
    fn seeds_tell_sets_apart_and_more_sobol_points_keep_the_first() {
        let of = |sampling, count, seed| places(sampling, count, 3, seed).unwrap();
        for sampling in [Sampling::Latin, Sampling::Sobol] {
            assert_eq!(of(sampling, 20, 3), of(sampling, 20, 3));
            assert_ne!(of(sampling, 20, 3), of(sampling, 20, 4));
        }
        assert_eq!(of(Sampling::Sobol, 40, 3)[..20], of(Sampling::Sobol, 20, 3));
        assert!(places(Sampling::Sobol, 2, 101, 0).is_err());
    }
}
