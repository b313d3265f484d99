//! The first impact of a body: how it came, how it left, and the coefficient of restitution that this makes.

use super::column::column;
use crate::output::{ReadError, ResultFile};

/// An impact is over when nothing touched for this share of the run.
const PAUSE: f64 = 0.02;

/// The first impact of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Rebound {
    /// First and last time with a contact force.
    pub times: (f64, f64),
    /// Velocity of the centre of mass before and after.
    pub velocities: (Vec<f64>, Vec<f64>),
    /// Impulse of the contact forces.
    pub impulse: Vec<f64>,
    /// Kinetic energy before and after.
    pub kinetic: (f64, f64),
    /// Whether the run goes on without contact after it.
    pub has_left: bool,
}

impl Rebound {
    /// Minus the velocity after over that before, along the direction of the impulse. None without an approach.
    pub fn restitution(&self) -> Option<f64> {
        let along = |v: &[f64]| v.iter().zip(&self.impulse).map(|(v, n)| v * n).sum::<f64>();
        let before = along(&self.velocities.0);
        (before < 0.0 && self.has_left).then(|| -along(&self.velocities.1) / before)
    }

    /// Reads the history of a body. None if it touched nothing.
    ///
    /// # Errors
    /// The result lacks the history of that body.
    pub fn of(file: &ResultFile, body: &str) -> Result<Option<Self>, ReadError> {
        let times = column(file, "time")?;
        let of = |name: &str| file.history(&format!("bodies/{body}/{name}"));
        let (force, velocity, kinetic) = (of("contact_force")?, of("velocity")?, of("kinetic_energy")?.data);
        let rows = times.len().min(force.rows()).min(velocity.rows()).min(kinetic.len());
        let touches = |k: &usize| force.row(*k).iter().any(|f| *f != 0.0);
        let Some(first) = (1..rows).find(touches) else { return Ok(None) };
        let pause = PAUSE * (times[rows - 1] - times[0]);
        let mut last = first;
        for k in (first..rows).filter(touches) {
            if times[k] - times[last] > pause {
                break;
            }
            last = k;
        }
        let mut impulse = vec![0.0; force.components];
        for k in first..=last {
            // forces are means over the step that ends here
            let dt = times[k] - times[k - 1];
            impulse.iter_mut().zip(force.row(k)).for_each(|(sum, f)| *sum += dt * f);
        }
        Ok(Some(Rebound {
            times: (times[first - 1], times[last]),
            velocities: (velocity.row(first - 1).to_vec(), velocity.row(last).to_vec()),
            impulse,
            kinetic: (kinetic[first - 1], kinetic[last]),
            has_left: times[rows - 1] - times[last] > pause || last + 1 < rows && !touches(&(rows - 1)),
        }))
    }
}
