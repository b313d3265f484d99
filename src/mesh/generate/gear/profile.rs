//! The exact profile of an involute tooth as a rack cuts it: the envelope of the rack's straight flank is the involute, that of its
//! rounded tip corner the fillet (an offset trochoid).
//!
//! Coordinates of a tooth: the centre of the gear is the origin, the tooth's own axis is x, its left flank lies at `y > 0`. An involute
//! is followed by its roll length `L`, the distance along the line of action from the base circle: `r² = r_b² + L²`. A fillet is
//! followed by the angle `γ` between the radius through the pitch point and the normal while the rack cuts there.
//!
//! Litvin and Fuentes, Gear Geometry and Applied Theory (2004), chapters 4 and 6.

use super::{GearError, SpurGear, TipRelief};

/// A point with the unit normal that points out of the gear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfilePoint {
    /// Place.
    pub place: [f64; 2],
    /// Normal.
    pub normal: [f64; 2],
}

/// Radii, angles and the curves of a tooth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// Number of teeth.
    pub teeth: usize,
    /// Pitch radius of the rack, `z m/2`.
    pub pitch: f64,
    /// Base radius.
    pub base: f64,
    /// Radius of the tip circle.
    pub tip: f64,
    /// Radius of the root circle.
    pub root: f64,
    /// Roll length at which the involute begins.
    pub form_roll: f64,
    /// Roll length of the tip corner.
    pub tip_roll: f64,
    /// Half the angle of the tooth at the base circle.
    pub base_angle: f64,
    /// Pressure angle of the rack in radians.
    pub pressure_angle: f64,
    relief: Option<TipRelief>,
    relief_roll: f64,
    corner: Corner,
}

/// The rounded corner of the rack's tip, seen from the pitch line.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Corner {
    /// Radius.
    radius: f64,
    /// Depth of its centre below the pitch line.
    depth: f64,
    /// Distance of its centre from the middle of the rack's tooth.
    half: f64,
}

impl Profile {
    /// The profile of a gear, or what is wrong with its numbers.
    pub fn new(gear: &SpurGear) -> Result<Self, GearError> {
        let m = gear.module;
        let alpha = gear.pressure_angle;
        let (sin, cos, tan) = (alpha.sin(), alpha.cos(), alpha.tan());
        let pitch = 0.5 * gear.teeth as f64 * m;
        let base = pitch * cos;
        let tip = pitch + (gear.addendum + gear.shift) * m;
        let root = pitch - (gear.dedendum - gear.shift) * m;
        let corner = corner(gear, sin, cos, tan)?;
        if root <= gear.hub {
            return Err(GearError::HubInRoot { hub: gear.hub, root });
        }
        // where the rack's flank ends and its corner begins, along the line of action (gear side of the pitch point)
        let form_roll = pitch * sin - (corner.depth + corner.radius * sin) / sin;
        if form_roll < 0.0 {
            let least = (corner.depth + gear.shift * m + corner.radius * sin) / m - 0.5 * gear.teeth as f64 * sin * sin;
            return Err(GearError::Undercut { shift: gear.shift, least, by: -form_roll });
        }
        let form = base.hypot(form_roll);
        if tip <= form {
            return Err(GearError::NoFlank { tip, form });
        }
        let tip_roll = (tip * tip - base * base).sqrt();
        let thickness = 0.5 * std::f64::consts::PI * m + 2.0 * gear.shift * m * tan - gear.backlash;
        let base_angle = 0.5 * thickness / pitch + tan - alpha;
        let mut profile = Profile {
            teeth: gear.teeth,
            pitch,
            base,
            tip,
            root,
            form_roll,
            tip_roll,
            base_angle,
            pressure_angle: alpha,
            relief: None,
            relief_roll: tip_roll,
            corner,
        };
        let land = 2.0 * tip * profile.half_angle(tip_roll);
        if land <= 0.0 {
            return Err(GearError::Pointed { tip, land });
        }
        if let Some(relief) = gear.relief {
            if !(form < relief.start && relief.start < tip) {
                return Err(GearError::ReliefStart { start: relief.start, form, tip });
            }
            if relief.amount >= 0.25 * m {
                return Err(GearError::ReliefAmount { amount: relief.amount, most: 0.25 * m });
            }
            profile.relief_roll = (relief.start * relief.start - base * base).sqrt();
            profile.relief = Some(relief);
        }
        Ok(profile)
    }

    /// Half the angle of the unrelieved tooth where the roll length is `roll`: `φ_b − inv α(L)`.
    pub fn half_angle(&self, roll: f64) -> f64 {
        let x = roll / self.base;
        self.base_angle - (x - x.atan())
    }

    /// What the relief takes off along the normal, and its slope over the roll length.
    pub fn relief(&self, roll: f64) -> (f64, f64) {
        match self.relief {
            Some(relief) if roll > self.relief_roll => {
                let slope = relief.amount / (self.tip_roll - self.relief_roll);
                (slope * (roll - self.relief_roll), slope)
            }
            _ => (0.0, 0.0),
        }
    }

    /// A point of the left flank. The normal of an involute touches the base circle.
    pub fn involute(&self, roll: f64) -> ProfilePoint {
        let (sin, cos) = (self.base_angle - roll / self.base).sin_cos();
        let (radial, tangent) = ([cos, sin], [-sin, cos]);
        let (off, slope) = self.relief(roll);
        let along = roll - off;
        let place = std::array::from_fn(|i| self.base * radial[i] + along * tangent[i]);
        // surface direction (L − e)/r_b r̂ − e' t̂, turned by a right angle
        let ratio = slope * self.base / along.max(f64::MIN_POSITIVE);
        let length = ratio.hypot(1.0);
        let normal = std::array::from_fn(|i| (tangent[i] + ratio * radial[i]) / length);
        ProfilePoint { place, normal }
    }

    /// The angle `γ` at which the fillet meets the involute; it runs from there to 0 at the root circle.
    pub fn fillet_start(&self) -> f64 {
        std::f64::consts::FRAC_PI_2 - self.pressure_angle
    }

    /// A point of the left fillet: the corner's centre `C` stands at `(−d tan γ, −d)` from the pitch point, the cut at
    /// `C (1 + ρ/|C|)`, and the gear has turned with the rack.
    pub fn fillet(&self, gamma: f64) -> ProfilePoint {
        let Corner { radius, depth, half } = self.corner;
        let (sin, cos) = gamma.sin_cos();
        let along = -depth * gamma.tan();
        let (x, y) = (along - radius * sin, -depth - radius * cos);
        let turned = std::f64::consts::PI / self.teeth as f64 - (along + half) / self.pitch;
        let frame = turned.sin_cos();
        let place = turn([self.pitch + y, x], frame);
        ProfilePoint { place, normal: turn([cos, sin], frame) }
    }

    /// Half the angle of the root land, between the fillets of a space.
    pub fn root_half_angle(&self) -> f64 {
        self.corner.half / self.pitch
    }
}

/// A vector turned by an angle with this sine and cosine.
pub(super) fn turn([x, y]: [f64; 2], (sin, cos): (f64, f64)) -> [f64; 2] {
    [cos * x - sin * y, sin * x + cos * y]
}

/// The rack's corner: it touches flank and tip, and must fit between the two flanks.
fn corner(gear: &SpurGear, sin: f64, cos: f64, tan: f64) -> Result<Corner, GearError> {
    let m = gear.module;
    let radius = gear.cutter_radius * m;
    let centre = gear.dedendum * m - radius;
    let width = 0.25 * std::f64::consts::PI * m + 0.5 * gear.backlash;
    let half = width - centre * tan - radius / cos;
    if half < 0.0 {
        // width − hf m tan α = ρ m (1/cos α − tan α)
        let most = (width - gear.dedendum * m * tan) / (m * (1.0 - sin) / cos);
        return Err(GearError::CutterRadius { radius: gear.cutter_radius, most });
    }
    let depth = centre - gear.shift * m;
    if depth <= 0.0 {
        return Err(GearError::Shift { shift: gear.shift, most: gear.dedendum - gear.cutter_radius });
    }
    Ok(Corner { radius, depth, half })
}

#[cfg(test)]
mod tests {
    use super::super::tests::REFERENCE;
    use super::*;

    fn profile(gear: &SpurGear) -> Profile {
        Profile::new(gear).unwrap()
    }

    /// Vijayakar, Busby and Houser (1986): 20 teeth, 20°, 10/in.
    #[test]
    fn radii_of_the_reference_gear() {
        let p = profile(&REFERENCE);
        assert!((p.base - 23.8682e-3).abs() < 5e-8);
        assert!((p.tip - 27.305e-3).abs() < 1e-12 && (p.root - 21.844e-3).abs() < 1e-12);
        let pitch = std::f64::consts::TAU * p.base / 20.0;
        assert!((pitch - 7.49841e-3).abs() < 5e-9);
        let path = 2.0 * p.tip_roll - 50.8e-3 * p.pressure_angle.sin();
        assert!((path / pitch - 1.22009).abs() < 5e-6, "{}", path / pitch);
        // half a pitch thick on the pitch circle
        let at_pitch = p.half_angle(p.pitch * p.pressure_angle.sin());
        assert!((at_pitch - std::f64::consts::PI / 40.0).abs() < 1e-15);
    }

    /// Where fillet and involute meet they share place and normal; at the root the fillet touches the root circle.
    #[test]
    fn fillet_and_involute_join_smoothly() {
        for gear in [
            REFERENCE,
            SpurGear { teeth: 31, shift: 0.3, backlash: 1e-4, ..REFERENCE },
            SpurGear { teeth: 47, dedendum: 1.25, cutter_radius: 0.25, addendum: 1.0, ..REFERENCE },
        ] {
            let p = profile(&gear);
            let (a, b) = (p.fillet(p.fillet_start()), p.involute(p.form_roll));
            for i in 0..2 {
                assert!((a.place[i] - b.place[i]).abs() < 1e-15 * 64.0, "{a:?} {b:?}");
                assert!((a.normal[i] - b.normal[i]).abs() < 1e-12, "{a:?} {b:?}");
            }
            let end = p.fillet(0.0).place;
            assert!((end[0].hypot(end[1]) - p.root).abs() < 1e-15);
            let space = std::f64::consts::PI / p.teeth as f64;
            assert!((end[1].atan2(end[0]) - (space - p.root_half_angle())).abs() < 1e-12);
        }
    }

    /// Both curves against differences: the normal is square to the way from point to point.
    #[test]
    fn normals_are_those_of_the_curves() {
        let relief = Some(TipRelief { amount: 20e-6, start: 26.0e-3 });
        let p = profile(&SpurGear { relief, ..REFERENCE });
        let square = |a: ProfilePoint, n: ProfilePoint, b: ProfilePoint| {
            let way = [b.place[0] - a.place[0], b.place[1] - a.place[1]];
            (way[0] * n.normal[0] + way[1] * n.normal[1]).abs() / way[0].hypot(way[1])
        };
        for k in 1..40 {
            let roll = p.form_roll + (p.tip_roll - p.form_roll) * k as f64 / 40.0;
            if (roll - p.relief_roll).abs() > 1e-6 {
                assert!(square(p.involute(roll - 1e-7), p.involute(roll), p.involute(roll + 1e-7)) < 1e-7);
            }
            let gamma = p.fillet_start() * k as f64 / 40.0;
            assert!(square(p.fillet(gamma - 1e-6), p.fillet(gamma), p.fillet(gamma + 1e-6)) < 1e-7);
        }
        let (bare, relieved) = (profile(&REFERENCE).involute(p.tip_roll), p.involute(p.tip_roll));
        let off = (bare.place[0] - relieved.place[0]).hypot(bare.place[1] - relieved.place[1]);
        assert!((off - 20e-6).abs() < 1e-15);
    }

    #[test]
    fn impossible_gears_name_the_number() {
        let message = |gear: SpurGear| Profile::new(&gear).unwrap_err().to_string();
        let undercut = message(SpurGear { teeth: 12, hub: 5e-3, ..REFERENCE });
        assert!(undercut.contains("undercut") && undercut.contains("shift"), "{undercut}");
        assert!(message(SpurGear { addendum: 1.9, ..REFERENCE }).contains("pointed"));
        assert!(message(SpurGear { cutter_radius: 0.5, ..REFERENCE }).contains("0.39"));
        assert!(message(SpurGear { hub: 22e-3, ..REFERENCE }).contains("0.022"));
        assert!(message(SpurGear { addendum: -1.2, ..REFERENCE }).contains("tip circle"));
        let relief = Some(TipRelief { amount: 20e-6, start: 28.0e-3 });
        assert!(message(SpurGear { relief, ..REFERENCE }).contains("0.028"));
    }

    /// The least shift that is named does avoid the undercut, and a little less does not.
    #[test]
    fn the_least_shift_is_the_limit() {
        let gear = SpurGear { teeth: 12, hub: 5e-3, cutter_radius: 0.3, ..REFERENCE };
        let Err(GearError::Undercut { least, .. }) = Profile::new(&gear) else { panic!("no undercut") };
        assert!(Profile::new(&SpurGear { shift: least + 1e-9, ..gear }).is_ok());
        assert!(Profile::new(&SpurGear { shift: least - 1e-9, ..gear }).is_err());
    }
}
