//! What a case says about its results: what to write, and which values to expect.

use std::time::Duration;

use super::decode::Located;
pub use crate::model::{Field, Probe, Watched};

/// What is written to the result file.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Simulated time between two frames; at least the time step, which is the default (a hundredth of the run
    /// if the step adapts).
    pub every: f64,
    /// Fields, without repetition. Default all.
    pub fields: Vec<Field>,
    /// Points whose motion is recorded, in the order of the file.
    pub probes: Vec<Located<Probe>>,
    /// Deflate level of the frames, 0 to 9. Default 0: on the V-groove level 1 makes the file 40 % smaller and the run 50 %
    /// slower.
    pub compression: u32,
    /// Wall-clock time between two checkpoints. Default 30 s.
    pub checkpoint: Duration,
}

/// A value that the results of the case must have.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// Path below `/history`, for example `bodies/cylinder/velocity/1`. Not checked yet.
    pub quantity: String,
    /// When.
    pub at: ExpectAt,
    /// The expected value.
    pub value: f64,
    /// How far off the result may be.
    pub tolerance: Tolerance,
    /// Where the value comes from.
    pub source: Option<String>,
    /// For a value without an outside source: what produced it.
    pub pinned: Option<String>,
}

/// Which moment of a history is meant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ExpectAt {
    /// The last value.
    Final,
    /// The first value.
    Initial,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The time of the smallest value.
    TimeOfMin,
    /// The time of the largest value.
    TimeOfMax,
    /// The value at this time, between 0 and the end of the case.
    Time(f64),
}

/// Allowed deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// In the unit of the value, >= 0.
    Absolute(f64),
    /// As a fraction of the magnitude of the value, >= 0.
    Relative(f64),
}

impl Tolerance {
    /// The allowed deviation from `value` in its unit.
    pub fn around(self, value: f64) -> f64 {
        match self {
            Tolerance::Absolute(tolerance) => tolerance,
            Tolerance::Relative(fraction) => fraction * value.abs(),
        }
    }
}
