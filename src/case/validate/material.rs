//! The section `materials`.

use super::super::data::{FoamTerm, Geometry, Law, Material, OgdenTerm, Rayleigh};
use super::super::decode::{Cursor, Located, Names, Range};
use super::{Context, all};

pub(super) fn read(cursor: &Cursor<'_>, context: &Context) -> Option<Vec<Material>> {
    let named = cursor.names()?;
    all(named.into_iter().map(|(name, cursor)| material(name, &cursor, context)).collect())
}

fn material(name: Located<String>, cursor: &Cursor<'_>, context: &Context) -> Option<Material> {
    let fields = cursor.fields(&["density", "law", "damping"])?;
    let density = fields.required("density").and_then(|cursor| cursor.number(Range::Positive));
    let law = fields.required("law").and_then(|cursor| law(&cursor, context));
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

const LAWS: [&str; 8] =
    ["linear", "saint_venant_kirchhoff", "blatz_ko", "neo_hooke", "mooney_rivlin", "ogden", "hyperfoam", "j2"];

fn law(cursor: &Cursor<'_>, context: &Context) -> Option<Located<Law>> {
    let (name, body) = cursor.variant(Names { ready: &LAWS, later: &[] })?;
    let law = match name {
        "blatz_ko" => {
            let fields = body.fields(&["shear_modulus"])?;
            let shear_modulus = fields.required("shear_modulus").and_then(|cursor| cursor.number(Range::Positive));
            Law::BlatzKo { shear_modulus: shear_modulus? }
        }
        "mooney_rivlin" => mooney_rivlin(&body)?,
        "ogden" => ogden(&body)?,
        "hyperfoam" => hyperfoam(&body)?,
        "j2" => j2(&body, context)?,
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

fn j2(cursor: &Cursor<'_>, context: &Context) -> Option<Law> {
    let fields = cursor.fields(&["young", "poisson", "yield_stress", "hardening"])?;
    let young = fields.required("young").and_then(|cursor| cursor.number(Range::Positive));
    let poisson = fields.required("poisson").and_then(|cursor| cursor.number(Range::Open(-1.0, 0.5)));
    let yield_stress = fields.required("yield_stress").and_then(|cursor| cursor.number(Range::Positive));
    let hardening = fields.or("hardening", 0.0, |cursor| cursor.number(Range::NonNegative));
    if !context.explicit {
        return cursor.fail("`j2` belongs to the explicit scheme: its memory is that of accepted steps");
    }
    if context.geometry == Some(Geometry::PlaneStress) {
        return cursor.fail("`j2` is not available in plane stress");
    }
    Some(Law::J2 { young: young?, poisson: poisson?, yield_stress: yield_stress?, hardening: hardening? })
}

fn mooney_rivlin(cursor: &Cursor<'_>) -> Option<Law> {
    let fields = cursor.fields(&["c1", "c2", "bulk_modulus"])?;
    let constant = |key| fields.required(key).and_then(|cursor| cursor.number(Range::Any));
    let (c1, c2) = (constant("c1"), constant("c2"));
    let bulk_modulus = fields.required("bulk_modulus").and_then(|cursor| cursor.number(Range::Positive));
    let (c1, c2, bulk_modulus) = (c1?, c2?, bulk_modulus?);
    if c1 + c2 <= 0.0 {
        return cursor.fail(format!("the shear modulus at rest, 2 (c1 + c2), must be > 0, got {:?}", 2.0 * (c1 + c2)));
    }
    Some(Law::MooneyRivlin { c1, c2, bulk_modulus })
}

/// The list `terms`, each read by `read`.
fn terms<T>(cursor: &Cursor<'_>, read: impl Fn(&Cursor<'_>) -> Option<T>) -> Option<Vec<T>> {
    let items = cursor.list()?;
    if items.is_empty() {
        return cursor.fail("must have at least one term");
    }
    all(items.iter().map(read).collect())
}

/// An exponent: any number but zero, and within what a power of a stretch can bear.
fn exponent(cursor: &Cursor<'_>) -> Option<f64> {
    let alpha = cursor.number(Range::Open(-100.0, 100.0))?;
    if alpha == 0.0 {
        return cursor.fail("alpha = 0 divides by zero");
    }
    Some(alpha)
}

fn ogden(cursor: &Cursor<'_>) -> Option<Law> {
    let fields = cursor.fields(&["terms", "bulk_modulus"])?;
    let terms = fields.required("terms").and_then(|cursor| terms(&cursor, ogden_term));
    let bulk_modulus = fields.required("bulk_modulus").and_then(|cursor| cursor.number(Range::Positive));
    let (terms, bulk_modulus) = (terms?, bulk_modulus?);
    let shear: f64 = terms.iter().map(|term| 0.5 * term.mu * term.alpha).sum();
    if shear <= 0.0 {
        return cursor
            .fail(format!("the shear modulus at rest, half the sum of mu * alpha, must be > 0, got {shear:?}"));
    }
    Some(Law::Ogden { terms, bulk_modulus })
}

fn ogden_term(cursor: &Cursor<'_>) -> Option<OgdenTerm> {
    let fields = cursor.fields(&["mu", "alpha"])?;
    let mu = fields.required("mu").and_then(|cursor| cursor.number(Range::Any));
    let alpha = fields.required("alpha").and_then(|cursor| exponent(&cursor));
    Some(OgdenTerm { mu: mu?, alpha: alpha? })
}

fn hyperfoam(cursor: &Cursor<'_>) -> Option<Law> {
    let fields = cursor.fields(&["terms"])?;
    let terms = fields.required("terms").and_then(|cursor| terms(&cursor, foam_term))?;
    let shear: f64 = terms.iter().map(|term| term.mu).sum();
    let bulk: f64 = terms.iter().map(|term| 2.0 * term.mu * (term.beta + 1.0 / 3.0)).sum();
    if shear <= 0.0 {
        return cursor.fail(format!("the shear modulus at rest, the sum of mu, must be > 0, got {shear:?}"));
    }
    if bulk <= 0.0 {
        return cursor
            .fail(format!("the bulk modulus at rest, the sum of 2 mu (beta + 1/3), must be > 0, got {bulk:?}"));
    }
    Some(Law::Hyperfoam(terms))
}

fn foam_term(cursor: &Cursor<'_>) -> Option<FoamTerm> {
    let fields = cursor.fields(&["mu", "alpha", "beta", "poisson"])?;
    let mu = fields.required("mu").and_then(|cursor| cursor.number(Range::Any));
    let alpha = fields.required("alpha").and_then(|cursor| exponent(&cursor));
    let beta = match (fields.optional("beta"), fields.optional("poisson")) {
        (Some(cursor), None) => cursor.number(Range::Open(-1.0 / 3.0, 1e6)),
        (None, Some(cursor)) => cursor.number(Range::Open(-1.0, 0.5)).map(|nu| nu / (1.0 - 2.0 * nu)),
        (None, None) => {
            cursor.report(cursor.problem("missing key `beta` or `poisson`").expecting("exactly one of the two"))
        }
        (Some(_), Some(second)) => {
            second.report(second.problem("both `beta` and `poisson` are given").expecting("exactly one of the two"))
        }
    };
    Some(FoamTerm { mu: mu?, alpha: alpha?, beta: beta? })
}
