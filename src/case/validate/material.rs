//! The section `materials`.

use super::super::data::{Geometry, Material, Rayleigh};
use super::super::decode::{Cursor, Fields, Located, Names, Range};
use super::{Context, all};
use crate::materials::{Allowed, Constant, Given, Law};

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

fn law(cursor: &Cursor<'_>, context: &Context) -> Option<Located<Law>> {
    let (name, body) = cursor.variant(Names { ready: Law::NAMES, later: &[] })?;
    let given = constants(&body, Law::constants(name))?;
    let law = Law::made(name, &given).or_else(|reason| body.fail(reason).ok_or(())).ok()?;
    if law.has_memory() && !context.explicit {
        return body.fail(format!("`{name}` belongs to the explicit scheme: its memory is that of accepted steps"));
    }
    if law.has_memory() && context.geometry == Some(Geometry::PlaneStress) {
        return body.fail(format!("`{name}` is not available in plane stress"));
    }
    Some(body.locate(law))
}

/// The values of the keys that a law asks for. All are read before any is missed.
fn constants(cursor: &Cursor<'_>, asked: &[Constant]) -> Option<Given> {
    let keys: Vec<&str> = asked.iter().flat_map(Constant::keys).collect();
    let fields = cursor.fields(&keys)?;
    let (mut numbers, mut terms) = (Vec::new(), Some(Vec::new()));
    for constant in asked {
        match *constant {
            Constant::Number(key, allowed) => {
                numbers.push(fields.required(key).and_then(|cursor| number(&cursor, allowed)));
            }
            Constant::Optional(key, allowed, default) => {
                numbers.push(fields.or(key, default, |cursor| number(cursor, allowed)));
            }
            Constant::Either(keys, second) => numbers.push(either(cursor, &fields, keys, second)),
            Constant::Terms(key, each) => {
                terms = fields.required(key).and_then(|cursor| {
                    let items = cursor.list()?;
                    if items.is_empty() {
                        return cursor.fail("must have at least one term");
                    }
                    all(items.iter().map(|item| Some(constants(item, each)?.numbers)).collect())
                });
            }
        }
    }
    Some(Given { numbers: numbers.into_iter().collect::<Option<_>>()?, terms: terms? })
}

/// The first of two numbers, or what the second comes to.
fn either(
    owner: &Cursor<'_>,
    fields: &Fields<'_>,
    [(first, own), (second, other)]: [(&str, Allowed); 2],
    turned: fn(f64) -> f64,
) -> Option<f64> {
    let expected = "exactly one of the two";
    match (fields.optional(first), fields.optional(second)) {
        (Some(cursor), None) => number(&cursor, own),
        (None, Some(cursor)) => number(&cursor, other).map(turned),
        (None, None) => owner.report(owner.problem(format!("missing key `{first}` or `{second}`")).expecting(expected)),
        (Some(_), Some(given)) => {
            given.report(given.problem(format!("both `{first}` and `{second}` are given")).expecting(expected))
        }
    }
}

fn number(cursor: &Cursor<'_>, allowed: Allowed) -> Option<f64> {
    /// Powers of stretches beyond these are beyond all numbers.
    const EXPONENTS: Range = Range::Open(-100.0, 100.0);
    let value = cursor.number(match allowed {
        Allowed::Any => Range::Any,
        Allowed::Positive => Range::Positive,
        Allowed::NonNegative => Range::NonNegative,
        Allowed::Open(low, high) => Range::Open(low, high),
        Allowed::Exponent => EXPONENTS,
    })?;
    if allowed == Allowed::Exponent && value == 0.0 {
        return cursor.fail("alpha = 0 divides by zero");
    }
    Some(value)
}
