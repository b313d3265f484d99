//! The section `materials`.

use super::super::data::{Law, Material, Rayleigh};
use super::super::decode::{Cursor, Located, Names, Range};
use super::all;

pub(super) fn read(cursor: &Cursor<'_>) -> Option<Vec<Material>> {
    let named = cursor.names()?;
    all(named.into_iter().map(|(name, cursor)| material(name, &cursor)).collect())
}

fn material(name: Located<String>, cursor: &Cursor<'_>) -> Option<Material> {
    let fields = cursor.fields(&["density", "law", "damping"])?;
    let density = fields.required("density").and_then(|cursor| cursor.number(Range::Positive));
    let law = fields.required("law").and_then(|cursor| law(&cursor));
    let damping = fields.or("damping", Rayleigh::default(), damping);
    Some(Material { name, density: density?, law: law?, damping: damping? })
}

/// Rayleigh damping `C = mass · M + stiffness · K₀`.
pub(super) fn damping(cursor: &Cursor<'_>) -> Option<Rayleigh> {
    let fields = cursor.fields(&["mass", "stiffness"])?;
    let mass = fields.or("mass", 0.0, |cursor| cursor.number(Range::NonNegative));
    let stiffness = fields.or("stiffness", 0.0, |cursor| cursor.number(Range::NonNegative));
    Some(Rayleigh { mass: mass?, stiffness: stiffness? })
}

fn law(cursor: &Cursor<'_>) -> Option<Located<Law>> {
    let names = Names { ready: &["linear", "saint_venant_kirchhoff", "blatz_ko", "neo_hooke"], later: &[] };
    let (name, body) = cursor.variant(names)?;
    let law = match name {
        "blatz_ko" => {
            let fields = body.fields(&["shear_modulus"])?;
            let shear_modulus = fields.required("shear_modulus").and_then(|cursor| cursor.number(Range::Positive));
            Law::BlatzKo { shear_modulus: shear_modulus? }
        }
        hookean => {
            let (young, poisson) = young_poisson(&body)?;
            match hookean {
                "linear" => Law::Linear { young, poisson },
                "neo_hooke" => Law::NeoHooke { young, poisson },
                _ => Law::SaintVenantKirchhoff { young, poisson },
            }
        }
    };
    Some(body.locate(law))
}

fn young_poisson(cursor: &Cursor<'_>) -> Option<(f64, f64)> {
    let fields = cursor.fields(&["young", "poisson"])?;
    let young = fields.required("young").and_then(|cursor| cursor.number(Range::Positive));
    let poisson = fields.required("poisson").and_then(|cursor| cursor.number(Range::Open(-1.0, 0.5)));
    Some((young?, poisson?))
}
