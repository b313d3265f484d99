//! Where the teeth of two gears meet.
//!
//! A mesh is described as if its driver turned counter-clockwise and its driven gear stood to the right of it; the left flanks work then.
//! A driver that turns clockwise is the same mesh seen in the mirror: y changes its sign and the right flanks work.
//!
//! On the line of action `n` points the way the driver pushes, `t` away from the driver's centre: at `(r_b, L)` along `(t, n)` from the
//! centre of a gear lies the point of contact with the roll length `L`. The driven gear sees the same with both turned by half a turn.
//! Contact is followed by `ζ`, its distance past the pitch point: `L₁ = r_b₁ tan α + ζ`, `L₂ = r_b₂ tan α − ζ`, and the driver's angle
//! `φ` is `ζ/r_b₁`.

use std::f64::consts::{PI, TAU};

use super::StudyError;
use crate::mesh::generate::Profile;

/// One of the two gears of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wheel {
    /// Number of the gear.
    pub gear: usize,
    /// Its profile.
    pub profile: Profile,
    /// Roll length at the pitch point, `r_b tan α`.
    pub pitch_roll: f64,
    /// Number of the tooth of pair 0, counted counter-clockwise in the picture of the mesh.
    pub tooth: i32,
    /// Place of the centre.
    pub centre: [f64; 2],
}

/// Two gears in mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meshing {
    /// Driver and driven gear.
    pub wheels: [Wheel; 2],
    /// Working pressure angle in radians.
    pub angle: f64,
    /// Base pitch.
    pub pitch: f64,
    /// Whether the driver turns clockwise.
    pub mirrored: bool,
    /// `ζ` of pair 0 where the first driver of the train has turned by 0.
    pub phase: f64,
    /// Largest play between the flanks that do not work, along the line of action.
    pub play: f64,
}

/// A gear of a train as the mesh before it leaves it: its centre, the angle of its tooth 0 and whether it turns clockwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stance {
    /// Place of the centre.
    pub centre: [f64; 2],
    /// Angle of the axis of tooth 0 where the first driver has turned by 0.
    pub angle: f64,
    /// Whether the gear turns clockwise.
    pub clockwise: bool,
}

impl Meshing {
    /// Meshes two gears at a centre distance. The driver stands as `stance` says; if it is the first one its tooth 0 begins at the pitch
    /// point.
    pub fn new(gears: [(usize, Profile); 2], distance: f64, stance: Result<Stance, bool>) -> Result<Self, StudyError> {
        let [one, two] = [gears[0].1, gears[1].1];
        let cos = (one.base + two.base) / distance;
        if cos >= 1.0 {
            return Err(StudyError::TooClose { distance, least: one.base + two.base });
        }
        let pitches = [one, two].map(|p| TAU * p.base / p.teeth as f64);
        if (pitches[0] - pitches[1]).abs() > 1e-9 * pitches[0] {
            return Err(StudyError::BasePitches { driver: pitches[0], driven: pitches[1] });
        }
        let angle = cos.acos();
        let (centre, mirrored) = match stance {
            Ok(stance) => (stance.centre, stance.clockwise),
            Err(clockwise) => ([0.0; 2], clockwise),
        };
        let wheel = |k: usize, x: f64| Wheel {
            gear: gears[k].0,
            profile: gears[k].1,
            pitch_roll: gears[k].1.base * angle.tan(),
            tooth: 0,
            centre: [centre[0] + x, centre[1]],
        };
        let mut mesh = Meshing {
            wheels: [wheel(0, 0.0), wheel(1, distance)],
            angle,
            pitch: pitches[0],
            mirrored,
            phase: 0.0,
            play: 0.0,
        };
        if let Ok(stance) = stance {
            mesh.join(stance.angle);
        }
        mesh.check(distance)?;
        Ok(mesh)
    }

    /// Takes the tooth of the driver that is nearest to the pitch point as that of pair 0.
    fn join(&mut self, angle: f64) {
        let driver = &self.wheels[0];
        let seen = if self.mirrored { -angle } else { angle };
        let roll = |number: i32| {
            let turned =
                seen + TAU * f64::from(number) / driver.profile.teeth as f64 + self.angle + driver.profile.base_angle;
            // within half a turn of the pitch point
            let off = (turned - driver.pitch_roll / driver.profile.base + PI).rem_euclid(TAU) - PI;
            off * driver.profile.base
        };
        let numbers = 0..driver.profile.teeth as i32;
        let nearest = numbers.map(|n| (roll(n), n)).min_by(|a, b| a.0.abs().total_cmp(&b.0.abs())).unwrap_or((0.0, 0));
        self.phase = nearest.0;
        self.wheels[0].tooth = wrapped(nearest.1, self.wheels[0].profile.teeth);
    }

    /// What two gears must not do to each other.
    fn check(&mut self, distance: f64) -> Result<(), StudyError> {
        let [one, two] = self.wheels.map(|w| w.profile);
        for (tip, root) in [(one.tip, two.root), (two.tip, one.root)] {
            if tip + root >= distance {
                return Err(StudyError::TipInRoot { tip, root, distance });
            }
        }
        let total = self.wheels[0].pitch_roll + self.wheels[1].pitch_roll;
        for (gear, mate) in [(one, two), (two, one)] {
            let starts = total - mate.tip_roll;
            if starts < gear.form_roll {
                return Err(StudyError::Interference { starts, form: gear.form_roll });
            }
        }
        let ratio = self.contact_ratio();
        if ratio < 1.0 {
            return Err(StudyError::ContactRatio { ratio });
        }
        // teeth and play fill the pitch on the working pitch circles: p = s₁ + s₂ + j, with s = 2 r (φ_b − inv α)
        let thick = |w: &Wheel| 2.0 * w.profile.base / self.angle.cos() * w.profile.half_angle(w.pitch_roll);
        self.play = self.pitch - (thick(&self.wheels[0]) + thick(&self.wheels[1])) * self.angle.cos();
        if self.play < -1e-9 * self.pitch {
            return Err(StudyError::Jammed { overlap: -self.play });
        }
        self.play = self.play.max(0.0);
        Ok(())
    }

    /// Length of the rigid path of contact over the base pitch.
    pub fn contact_ratio(&self) -> f64 {
        let [one, two] = self.wheels.map(|w| w.profile.tip_roll - w.pitch_roll);
        (one + two) / self.pitch
    }

    /// `ζ` of pair `k` where the first driver's base circle has rolled by `travel`.
    pub fn zeta(&self, travel: f64, pair: i32) -> f64 {
        self.phase + travel + f64::from(pair) * self.pitch
    }

    /// Roll lengths at the point of contact.
    pub fn rolls(&self, zeta: f64) -> [f64; 2] {
        [self.wheels[0].pitch_roll + zeta, self.wheels[1].pitch_roll - zeta]
    }

    /// Number of the tooth of a wheel in pair `k`, as the wheel's mesh counts it, and its side: 0 left, 1 right.
    pub fn tooth(&self, wheel: usize, pair: i32) -> (i32, usize) {
        let step = if wheel == 0 { pair } else { -pair };
        let seen = self.wheels[wheel].tooth + step;
        let number = if self.mirrored { -seen } else { seen };
        (wrapped(number, self.wheels[wheel].profile.teeth), usize::from(self.mirrored))
    }

    /// Angle of the axis of a wheel's tooth 0.
    pub fn stance(&self, wheel: usize, travel: f64) -> f64 {
        let own = &self.wheels[wheel];
        let roll = self.rolls(self.zeta(travel, 0))[wheel];
        let seen = f64::from(own.tooth);
        let turned =
            roll / own.profile.base - self.angle - own.profile.base_angle - TAU * seen / own.profile.teeth as f64;
        let in_picture = if wheel == 0 { turned } else { turned + PI };
        if self.mirrored { -in_picture } else { in_picture }
    }

    /// Place of the point of a wheel's flank with this roll length, for a pair at `zeta`.
    pub fn place(&self, wheel: usize, zeta: f64, roll: f64) -> [f64; 2] {
        let own = &self.wheels[wheel];
        let contact = self.rolls(zeta)[wheel];
        let seen = seen_from(&own.profile, contact, roll);
        let sign = if wheel == 0 { 1.0 } else { -1.0 };
        let (along_t, along_n) = (sign * (own.profile.base + seen[0]), sign * (contact + seen[1]));
        let (sin, cos) = self.angle.sin_cos();
        let y = -along_t * sin + along_n * cos;
        [own.centre[0] + along_t * cos + along_n * sin, own.centre[1] + if self.mirrored { -y } else { y }]
    }

    /// A direction given along `(t, n)`, in the frame of a wheel's mesh.
    pub fn in_frame(&self, wheel: usize, travel: f64, [along_t, along_n]: [f64; 2]) -> [f64; 2] {
        let (sin, cos) = self.angle.sin_cos();
        let x = along_t * cos + along_n * sin;
        let y = -along_t * sin + along_n * cos;
        let seen = [x, if self.mirrored { -y } else { y }];
        let (sin, cos) = self.stance(wheel, travel).sin_cos();
        [cos * seen[0] + sin * seen[1], -sin * seen[0] + cos * seen[1]]
    }
}

/// A tooth number between `-z/2` and `z/2`.
pub(super) fn wrapped(number: i32, teeth: usize) -> i32 {
    let z = teeth as i32;
    let number = number.rem_euclid(z);
    if 2 * number > z { number - z } else { number }
}

/// A point of a flank seen from the point of contact at the roll length `contact`: its distance from the line of action and its height
/// along the normal. Both follow from turning the base circle by `η = (L − contact)/r_b`.
pub fn seen_from(profile: &Profile, contact: f64, roll: f64) -> [f64; 2] {
    let eta = (roll - contact) / profile.base;
    let (sin, cos) = eta.sin_cos();
    let along = roll - profile.relief(roll).0;
    // 1 − cos η without cancellation
    let versine = 2.0 * (0.5 * eta).sin().powi(2);
    [along * sin - profile.base * versine, along * cos - profile.base * sin - contact]
}

/// Direction of a flank's outward normal from that of the line of action: `(t, n)` components.
pub fn normal_from(profile: &Profile, contact: f64, roll: f64) -> [f64; 2] {
    let eta = (roll - contact) / profile.base;
    let (off, slope) = profile.relief(roll);
    let tilt = (slope * profile.base / (roll - off)).atan();
    let (sin, cos) = (eta + tilt).sin_cos();
    [sin, cos]
}

/// Roll length at which a flank crosses the line at distance `across` from the line of action; `None` beyond its ends.
pub fn roll_at(profile: &Profile, contact: f64, across: f64) -> Option<f64> {
    let (first, last) = (profile.form_roll, profile.tip_roll);
    let [low, high] = [first, last].map(|roll| seen_from(profile, contact, roll)[0]);
    if across < low || across > high {
        return None;
    }
    let mut roll = (contact * contact + 2.0 * profile.base * across).max(first * first).sqrt().min(last);
    for _ in 0..50 {
        let eta = (roll - contact) / profile.base;
        let (off, drop) = profile.relief(roll);
        let slope = (roll - off) * eta.cos() / profile.base - drop * eta.sin();
        let step = (seen_from(profile, contact, roll)[0] - across) / slope.max(1e-3);
        let next = (roll - step).clamp(first, last);
        let done = (next - roll).abs() <= 4.0 * f64::EPSILON * last;
        roll = next;
        if done {
            break;
        }
    }
    Some(roll)
}
