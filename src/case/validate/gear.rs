//! The mesh generator `spur_gear`.

use super::super::decode::{Cursor, Fields, Range};
use super::super::mesh::Source;
use crate::mesh::generate::{GearCells, Profile, SpurGear, TipRelief};

/// Keys of a spur gear.
const KEYS: [&str; 16] = [
    "teeth",
    "module",
    "diametral_pitch",
    "pressure_angle",
    "addendum",
    "dedendum",
    "cutter_radius",
    "shift",
    "backlash",
    "hub",
    "tip_relief",
    "modelled",
    "flank",
    "fillet",
    "across",
    "rim",
];

/// An inch in metres, for diametral pitches.
const INCH: f64 = 25.4e-3;

/// Teeth of a gear; more have no use as a gear.
const MOST_TEETH: u32 = 1000;

/// Cells along one part of a tooth.
const MOST_CELLS: u32 = 10_000;

/// Reads a gear; what no rack can cut is a problem of the whole gear, with the number that is wrong.
pub(super) fn spur_gear(cursor: &Cursor<'_>) -> Option<Source> {
    let fields = cursor.fields(&KEYS)?;
    let teeth = fields.required("teeth").and_then(|c| c.integer(5..=MOST_TEETH)).map(|n| n as usize);
    let module = module(&fields);
    let angle = fields.or("pressure_angle", 20.0, |c| c.number(Range::Closed(10.0, 35.0)));
    let addendum = fields.or("addendum", 1.0, |c| c.number(Range::Any));
    let dedendum = fields.or("dedendum", 1.25, |c| c.number(Range::Positive));
    let cutter_radius = fields.or("cutter_radius", 0.38, |c| c.number(Range::NonNegative));
    let shift = fields.or("shift", 0.0, |c| c.number(Range::Any));
    let backlash = fields.or("backlash", 0.0, |c| c.number(Range::NonNegative));
    let hub = fields.required("hub").and_then(|c| c.number(Range::Positive));
    let relief = fields.or("tip_relief", None, |c| tip_relief(c).map(Some));
    let cells = cells(&fields, teeth);
    let gear = SpurGear {
        teeth: teeth?,
        module: module?,
        pressure_angle: angle?.to_radians(),
        addendum: addendum?,
        dedendum: dedendum?,
        cutter_radius: cutter_radius?,
        shift: shift?,
        backlash: backlash?,
        hub: hub?,
        relief: relief?.filter(|relief: &TipRelief| relief.amount > 0.0),
        cells: cells?,
    };
    match Profile::new(&gear) {
        Ok(_) => Some(Source::SpurGear(gear)),
        Err(error) => cursor.fail(error.to_string()),
    }
}

/// `module`, or `diametral_pitch` in teeth per inch of the pitch diameter.
fn module(fields: &Fields<'_>) -> Option<f64> {
    let module = fields.optional("module");
    let pitch = fields.optional("diametral_pitch");
    match (module, pitch) {
        (Some(module), None) => module.number(Range::Positive),
        (None, Some(pitch)) => pitch.number(Range::Positive).map(|p| INCH / p),
        (Some(_), Some(pitch)) => pitch.fail("stands beside `module`: give one of the two"),
        (None, None) => fields.owner().fail("missing key `module` (or `diametral_pitch`)"),
    }
}

fn tip_relief(cursor: &Cursor<'_>) -> Option<TipRelief> {
    let fields = cursor.fields(&["amount", "start"])?;
    let amount = fields.required("amount").and_then(|c| c.number(Range::NonNegative));
    let start = fields.required("start").and_then(|c| c.number(Range::Positive));
    Some(TipRelief { amount: amount?, start: start? })
}

fn cells(fields: &Fields<'_>, teeth: Option<usize>) -> Option<GearCells> {
    let count = |key: &str, default: u32, least: u32| {
        fields.or(key, default, |c| c.integer(least..=MOST_CELLS)).map(|n| n as usize)
    };
    let modelled = fields.or("modelled", None, |cursor| {
        let modelled = cursor.integer(1..=MOST_TEETH)? as usize;
        match teeth {
            Some(teeth) if modelled > teeth => {
                cursor.fail(format!("must be at most `teeth` = {teeth}, got {modelled}"))
            }
            _ => Some(Some(modelled)),
        }
    });
    let (flank, fillet) = (count("flank", 64, 2), count("fillet", 16, 4));
    let (across, rim) = (count("across", 16, 2), count("rim", 8, 1));
    let across = across.and_then(|n| match n % 2 {
        0 => Some(n),
        _ => fields.optional("across").and_then(|c| c.fail(format!("must be even, got {n}"))),
    });
    Some(GearCells {
        modelled: modelled?.or(teeth).unwrap_or(5),
        flank: flank?,
        fillet: fillet?,
        across: across?,
        rim: rim?,
    })
}
