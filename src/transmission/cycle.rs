//! A cycle of teeth as a whole: mean, harmonics, contact ratio under load.

use std::f64::consts::TAU;

use super::Position;
use super::study::Series;

/// What a cycle comes to. A position that failed is left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cycle {
    /// Mean of the transmission error in radians.
    pub mean: f64,
    /// Least and largest value.
    pub range: [f64; 2],
    /// Amplitudes of its first harmonics.
    pub harmonics: Vec<f64>,
    /// Mean number of pairs in contact.
    pub contact_ratio: f64,
    /// Share of the positions with two pairs or more.
    pub double: f64,
    /// Largest tension in a fillet of each gear.
    pub fillets: Vec<f64>,
    /// Largest pressure away from tip corners.
    pub pressure: f64,
}

/// Harmonics that are given.
const HARMONICS: usize = 8;

impl Series {
    /// Positions that were solved.
    pub fn solved(&self) -> impl Iterator<Item = &Position> {
        self.positions.iter().flatten()
    }

    /// The cycle as a whole.
    pub fn cycle(&self) -> Cycle {
        let errors: Vec<f64> = self.solved().map(Position::error).collect();
        let count = errors.len().max(1) as f64;
        let touching: Vec<usize> = self.solved().map(|p| p.touching(0)).collect();
        let extreme = |start: f64, pick: fn(f64, f64) -> f64| errors.iter().copied().fold(start, pick);
        let gears = self.solved().map(|p| p.fillets.len()).max().unwrap_or(0);
        let fillet = |k: usize| self.solved().map(|p| p.fillets[k].stress).fold(f64::NEG_INFINITY, f64::max);
        Cycle {
            mean: errors.iter().sum::<f64>() / count,
            range: [extreme(f64::INFINITY, f64::min), extreme(f64::NEG_INFINITY, f64::max)],
            harmonics: (1..=HARMONICS).map(|k| harmonic(&errors, k)).collect(),
            contact_ratio: touching.iter().sum::<usize>() as f64 / count,
            double: touching.iter().filter(|n| **n >= 2).count() as f64 / count,
            fillets: (0..gears).map(fillet).collect(),
            pressure: self.solved().flat_map(|p| &p.pairs).map(super::PairLoad::pressure).fold(0.0, f64::max),
        }
    }
}

impl Cycle {
    /// Largest less least value.
    pub fn peak_to_peak(&self) -> f64 {
        self.range[1] - self.range[0]
    }
}

/// Amplitude of a harmonic of values at equal distances over a whole cycle.
fn harmonic(values: &[f64], number: usize) -> f64 {
    let n = values.len();
    if 2 * number >= n {
        return 0.0;
    }
    let (mut re, mut im) = (0.0, 0.0);
    for (i, value) in values.iter().enumerate() {
        let (sin, cos) = (TAU * (number * i % n) as f64 / n as f64).sin_cos();
        re += value * cos;
        im += value * sin;
    }
    2.0 * re.hypot(im) / n as f64
}
