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
    /// The other body, if the impact was with one body alone; none if it was with obstacles.
    pub partner: Option<String>,
    /// The velocities seen from that body; none if several bodies, or a body and obstacles, took part.
    relative: Option<(Vec<f64>, Vec<f64>)>,
    /// Impulse of the contact forces.
    pub impulse: Vec<f64>,
    /// Kinetic energy before and after.
    pub kinetic: (f64, f64),
    /// Whether the run goes on without contact after it.
    pub has_left: bool,
}

impl Rebound {
    /// Minus the velocity after over that before, along the direction of the impulse and relative to what was hit. None
    /// without an approach, and where several took part.
    pub fn restitution(&self) -> Option<f64> {
        let (before, after) = self.relative.as_ref()?;
        let along = |v: &[f64]| v.iter().zip(&self.impulse).map(|(v, n)| v * n).sum::<f64>();
        let before = along(before);
        (before < 0.0 && self.has_left).then(|| -along(after) / before)
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
        let velocities = (velocity.row(first - 1).to_vec(), velocity.row(last).to_vec());
        let partners = partners(file, body, first..last + 1)?;
        let (partner, relative) = match partners.as_slice() {
            [] | [None] => (None, Some(velocities.clone())),
            [Some(other)] => {
                let theirs = file.history(&format!("bodies/{other}/velocity"))?;
                let from = |own: &[f64], row: usize| own.iter().zip(theirs.row(row)).map(|(v, w)| v - w).collect();
                (Some(other.clone()), Some((from(&velocities.0, first - 1), from(&velocities.1, last))))
            }
            _ => (None, None),
        };
        Ok(Some(Rebound {
            times: (times[first - 1], times[last]),
            velocities,
            partner,
            relative,
            impulse,
            kinetic: (kinetic[first - 1], kinetic[last]),
            has_left: times[rows - 1] - times[last] > pause || last + 1 < rows && !touches(&(rows - 1)),
        }))
    }
}

/// What a body touched in some rows: the names of bodies, `None` for all obstacles together.
fn partners(file: &ResultFile, body: &str, rows: std::ops::Range<usize>) -> Result<Vec<Option<String>>, ReadError> {
    let known = file.histories()?;
    let is_body = |name: &str| known.iter().any(|h| h.name == format!("bodies/{name}/velocity"));
    let mut found: Vec<Option<String>> = Vec::new();
    for info in known.iter().filter(|h| h.name.starts_with("contacts/") && h.name.ends_with("/normal_force")) {
        // "what it is: one.set on other.set", where rigid bodies and obstacles have no set
        let Some((one, other)) = info.description.split_once(": ").and_then(|(_, pair)| pair.split_once(" on ")) else {
            continue;
        };
        let owner = |side: &str| {
            let name = side.rsplit_once('.').map_or(side, |(body, _)| body);
            [side, name].into_iter().find(|name| is_body(name)).map(str::to_owned)
        };
        let met = match (owner(one), owner(other)) {
            (Some(one), other) if one == body => other,
            (one, Some(other)) if other == body => one,
            _ => continue,
        };
        let force = file.history(&info.name)?.data;
        let touched = rows.clone().any(|k| force.get(k).is_some_and(|f| *f != 0.0));
        // a body that folds onto itself meets nobody
        if touched && met.as_deref() != Some(body) && !found.contains(&met) {
            found.push(met);
        }
    }
    Ok(found)
}
