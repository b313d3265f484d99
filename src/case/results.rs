//! What a case says about its results: what to write, and which values to expect.

use std::time::Duration;

use super::decode::Located;

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

/// A point whose motion is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Its name in the file.
    pub name: String,
    /// Index into [`Case::bodies`](super::Case::bodies).
    pub body: usize,
    /// Place in the undeformed body; third component 0 in the plane.
    pub at: [f64; 3],
}

macro_rules! fields {
    ($($variant:ident $name:literal $doc:literal),* $(,)?) => {
        /// Fields of the result file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Field { $(#[doc = $doc] $variant),* }

        impl Field {
            /// All fields with their names in the case file and in the result file.
            pub const ALL: &'static [(&'static str, Field)] = &[$(($name, Field::$variant)),*];

            /// The name in the case file and in the result file.
            pub fn name(self) -> &'static str {
                match self { $(Field::$variant => $name),* }
            }
        }
    };
}

fields! {
    Displacement "displacement" "Displacement of the points.",
    Velocity "velocity" "Velocity of the points.",
    ContactForce "contact_force" "Contact force on the points.",
    ContactStatus "contact_status" "Open, sticking or slipping.",
    Slip "slip" "Accumulated slip of the points.",
    FrictionEnergy "friction_energy" "Energy lost to friction at the points.",
    ContactPressure "contact_pressure" "Normal contact force per current area, positive in compression.",
    ContactTraction "contact_traction" "Contact force per current area.",
    FrictionEnergyDensity "friction_energy_density" "Energy lost to friction per undeformed area.",
    FrictionPowerDensity "friction_power_density" "Power lost to friction per undeformed area.",
    Body "body" "Index of the body of a cell.",
    Material "material" "Index of the material of a cell.",
    VonMises "von_mises" "Von Mises measure of the Cauchy stress.",
    VonMisesPk2 "von_mises_pk2" "Von Mises measure of the second Piola-Kirchhoff stress.",
    VonMisesPk2Inplane "von_mises_pk2_inplane" "The same from the in-plane components alone.",
    StrainEnergyDensity "strain_energy_density" "Strain energy per undeformed volume.",
    KineticEnergyDensity "kinetic_energy_density" "Kinetic energy per undeformed volume.",
    Pressure "pressure" "Minus a third of the trace of the Cauchy stress.",
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
