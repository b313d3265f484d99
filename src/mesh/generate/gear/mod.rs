//! Spur gears: the exact profile a rack cuts, and a structured mesh of all teeth or of some of them.

mod cells;
mod profile;

pub use cells::{GearMesh, Tooth};
pub use profile::{Profile, ProfilePoint};

use super::super::{Mesh, MeshError};

/// A spur gear cut by a rack, centred at the origin with the middle of a tooth on the x axis. Lengths in metres; factors are
/// multiples of the module.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpurGear {
    /// Number of teeth.
    pub teeth: usize,
    /// Module.
    pub module: f64,
    /// Pressure angle of the rack in radians.
    pub pressure_angle: f64,
    /// Addendum factor.
    pub addendum: f64,
    /// Dedendum factor.
    pub dedendum: f64,
    /// Radius of the corner of the rack's tip, as a factor.
    pub cutter_radius: f64,
    /// Profile shift factor: the rack stands this far off.
    pub shift: f64,
    /// By how much the teeth are thinner on the pitch circle.
    pub backlash: f64,
    /// Radius of the bore, where the gear is held.
    pub hub: f64,
    /// Relief of the tips.
    pub relief: Option<TipRelief>,
    /// How the gear is meshed.
    pub cells: GearCells,
}

/// What is taken off the involute towards the tip, growing in proportion to the roll length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TipRelief {
    /// What is taken off at the tip, along the normal.
    pub amount: f64,
    /// Radius at which it begins.
    pub start: f64,
}

/// Cells of a gear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GearCells {
    /// Teeth that are meshed, around the one on the x axis; all teeth make a ring.
    pub modelled: usize,
    /// Segments along an involute, of equal length.
    pub flank: usize,
    /// Segments along a fillet, from the involute to the middle of the space.
    pub fillet: usize,
    /// Cells across a tooth, an even number; those at the flanks are as thick as a segment of the flank is long.
    pub across: usize,
    /// Cells from the fillet to the hub.
    pub rim: usize,
}

impl GearCells {
    /// Numbers of the teeth that are meshed: 0 stands on the x axis, the next one counter-clockwise of it is 1.
    pub fn teeth(&self) -> std::ops::RangeInclusive<i32> {
        let last = self.modelled as i32 / 2;
        last + 1 - self.modelled as i32..=last
    }
}

/// Why a gear cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GearError {
    /// The corner of the cutter does not fit between its flanks.
    #[error(
        "a cutter tip radius of {radius} modules does not fit between the flanks of the rack; the most is {most:.6}"
    )]
    CutterRadius {
        /// As given.
        radius: f64,
        /// The largest that fits.
        most: f64,
    },
    /// The rack's corner stands outside the pitch circle.
    #[error("a profile shift of {shift} is too large: it must be less than dedendum - cutter radius = {most}")]
    Shift {
        /// As given.
        shift: f64,
        /// Limit.
        most: f64,
    },
    /// The hub cuts the teeth.
    #[error("the hub radius {hub} is not less than the root radius {root}")]
    HubInRoot {
        /// Radius of the hub.
        hub: f64,
        /// Radius of the root circle.
        root: f64,
    },
    /// The rack cuts away part of the involute.
    #[error(
        "the teeth are undercut (the fillet begins {by:.3e} m before the base circle); a profile shift of at least {least:.6} avoids it, here it is {shift}"
    )]
    Undercut {
        /// As given.
        shift: f64,
        /// The least shift without undercut.
        least: f64,
        /// Roll length that is missing.
        by: f64,
    },
    /// The tip circle lies below the fillet.
    #[error("the tip circle of radius {tip} does not reach beyond the fillet, which ends at {form}")]
    NoFlank {
        /// Radius of the tip circle.
        tip: f64,
        /// Radius at which the involute begins.
        form: f64,
    },
    /// The flanks meet below the tip circle.
    #[error("the teeth are pointed: on the tip circle of radius {tip} they are {land:.3e} m thick")]
    Pointed {
        /// Radius of the tip circle.
        tip: f64,
        /// Thickness there.
        land: f64,
    },
    /// The relief begins beside the flank.
    #[error("the tip relief begins at a radius of {start}; it must lie between {form} and {tip}")]
    ReliefStart {
        /// As given.
        start: f64,
        /// Radius at which the involute begins.
        form: f64,
        /// Radius of the tip circle.
        tip: f64,
    },
    /// The relief is no small change.
    #[error("a tip relief of {amount} m is too large; the most is a quarter of the module, {most} m")]
    ReliefAmount {
        /// As given.
        amount: f64,
        /// Limit.
        most: f64,
    },
    /// More teeth are to be meshed than there are.
    #[error("{modelled} teeth are to be meshed, but the gear has {teeth}")]
    Modelled {
        /// As given.
        modelled: usize,
        /// Number of teeth.
        teeth: usize,
    },
}

/// Meshes a gear. Face and node sets `hub`, `left_flanks`, `right_flanks`, `left_fillets`, `right_fillets`, `tips`, `surface`, and
/// `ends` where not all teeth are meshed; node set `all`; cell set `all`.
pub fn spur_gear(gear: &SpurGear) -> Result<Mesh, MeshError> {
    GearMesh::new(gear).map(|made| made.mesh)
}

impl SpurGear {
    /// Numbers that make no sense for any gear.
    fn plausible(&self) -> Result<(), MeshError> {
        super::positive("the module", self.module)?;
        super::positive("the pressure angle", self.pressure_angle)?;
        super::positive("the dedendum", self.dedendum)?;
        super::positive("the hub radius", self.hub)?;
        for (what, value) in [
            ("the addendum", self.addendum),
            ("the cutter radius", self.cutter_radius),
            ("the profile shift", self.shift),
            ("the backlash", self.backlash),
        ] {
            super::finite(what, value)?;
        }
        for (what, count, least) in [
            ("the number of teeth", self.teeth, 5),
            ("the number of teeth meshed", self.cells.modelled, 1),
            ("the number of segments along a flank", self.cells.flank, 2),
            ("the number of segments along a fillet", self.cells.fillet, 2),
            ("the number of cells across a tooth", self.cells.across, 2),
            ("the number of cells in the rim", self.cells.rim, 1),
        ] {
            if count < least {
                return Err(MeshError::TooFew(what, count, least));
            }
        }
        if self.cells.modelled > self.teeth {
            return Err(GearError::Modelled { modelled: self.cells.modelled, teeth: self.teeth }.into());
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The gear of Vijayakar, Busby and Houser (1986), with our choices where the paper is silent.
    pub const REFERENCE: SpurGear = SpurGear {
        teeth: 20,
        module: 2.54e-3,
        pressure_angle: std::f64::consts::PI / 9.0,
        addendum: 0.75,
        dedendum: 1.4,
        cutter_radius: 0.39,
        shift: 0.0,
        backlash: 0.0,
        hub: 18.034e-3,
        relief: None,
        cells: GearCells { modelled: 5, flank: 48, fillet: 16, across: 16, rim: 8 },
    };
}
