//! What is wished of the results.

use std::time::Duration;

use super::Time;

/// What is written to the result file, and how often.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Simulated time between two frames; at least the time step.
    pub every: f64,
    /// Fields, without repetition.
    pub fields: Vec<Field>,
    /// Deflate level of the frames, 0 to 9.
    pub compression: u32,
    /// Wall-clock time between two checkpoints.
    pub checkpoint: Duration,
}

impl Output {
    /// Time between two checkpoints where nothing else is said: what a killed run loses at most.
    pub const CHECKPOINT: Duration = Duration::from_secs(30);

    /// All fields, in every step, or a hundred times where steps have no length of their own.
    pub fn of(time: &Time) -> Self {
        Output {
            every: if time.auto || time.adaptive.is_some() { time.end / 100.0 } else { time.step },
            fields: Field::ALL.iter().map(|(_, field)| *field).collect(),
            compression: 0,
            checkpoint: Self::CHECKPOINT,
        }
    }
}

/// A point whose motion is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// Its name.
    pub name: String,
    /// Which point.
    pub on: Watched,
}

/// A point of a body, at rest; third components are 0 in the plane.
#[derive(Debug, Clone, PartialEq)]
pub enum Watched {
    /// Of a deformable body the node nearest to a place.
    Node {
        /// Number of the body.
        body: usize,
        /// The place.
        at: [f64; 3],
    },
    /// A place that a rigid body carries along.
    Place {
        /// Number of the rigid body.
        body: usize,
        /// The place in space, where the body starts.
        at: [f64; 3],
    },
    /// A named point of a rigid body.
    Point {
        /// Number of the rigid body.
        body: usize,
        /// Name of the point.
        point: String,
    },
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
