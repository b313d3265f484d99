//! Where in the file what is wrong with a model stands, and what would be right there.

use super::data::{Case, Counterpart};
use super::decode::Located;
use super::diagnostic::{CaseError, Diagnostic};
use super::tree::Place as At;
use crate::bodies::BodyError;
use crate::elements::ElementError;
use crate::model::{Flaw, ModelError, Place, Problem};

/// What is wrong with the model of a case, told with places in its file.
pub(super) fn error(case: &Case, error: ModelError) -> CaseError {
    let of_machine = error.problems.iter().find(|problem| matches!(problem.flaw, Flaw::TooLarge { .. }));
    match of_machine {
        Some(problem) => CaseError::of_machine(&case.sources.file, problem.flaw.to_string()),
        None => case.problems(diagnostics(case, error)),
    }
}

/// The same as a list.
pub(super) fn diagnostics(case: &Case, error: ModelError) -> Vec<Diagnostic> {
    error.problems.into_iter().map(|problem| diagnostic(case, problem)).collect()
}

fn diagnostic(case: &Case, Problem { at, flaw, .. }: Problem) -> Diagnostic {
    let message = flaw.to_string();
    match at {
        Place::Model => match (&flaw, case.bodies.first()) {
            (Flaw::Step(_), Some(body)) => body.mesh.problem(message),
            _ => Diagnostic::new(At::FILE, "", message),
        },
        Place::Material(number) => case.materials[number].name.problem(message),
        Place::Body(number) => in_body(case, number, &flaw, message),
        Place::Obstacle(number) => case.obstacles[number].name.problem(message),
        Place::Rigid(number) => in_rigid(case, number, &flaw, message),
        Place::Boundary(number) => in_boundary(case, number, &flaw, message),
        Place::Contact(number) => in_contact(case, number, &flaw, message),
        Place::Probe(number) => case.output.probes[number].problem(message),
    }
}

fn in_body(case: &Case, number: usize, flaw: &Flaw, message: String) -> Diagnostic {
    let body = &case.bodies[number];
    match flaw {
        Flaw::BeyondAxis { .. } => body.mesh.problem(message).expecting("x >= 0: the radius of a body of revolution"),
        Flaw::Body(BodyError::Element { source: ElementError::NoMeanDilatation { shape, law, .. }, .. }) => {
            let message = format!("mean dilatation is not available for {shape} cells of law `{law}`");
            let laws = "`linear`, `neo_hooke`, `mooney_rivlin`, `ogden`";
            body.formulation.problem(message).expecting(format!("quads or hexes of {laws}"))
        }
        Flaw::Body(_) => body.mesh.problem(message),
        _ => body.name.problem(message),
    }
}

fn in_rigid(case: &Case, number: usize, flaw: &Flaw, message: String) -> Diagnostic {
    let item = &case.rigid[number];
    let remedy = match flaw {
        Flaw::NoRigidScheme { .. } => "`scheme: jean`, `scheme: explicit`, or a `motion` instead of mass",
        Flaw::NoVolume { .. } => "`mass` instead",
        Flaw::NoInertia { .. } => "`inertia`, or `free` without rotation",
        _ => return item.name.problem(message),
    };
    item.inertial.mass.problem(message).expecting(remedy)
}

fn in_boundary(case: &Case, number: usize, flaw: &Flaw, message: String) -> Diagnostic {
    let item = &case.boundary[number];
    match (flaw, item.value.part()) {
        (Flaw::UnknownSet { known, .. }, Some(part)) => unknown_set(&part.set, message, known),
        (Flaw::EmptySet { .. }, Some(part)) => part.set.problem(message),
        (Flaw::MovedTwice { node, body, axis, first }, _) => {
            let first = &case.boundary[*first].path;
            item.problem(format!(
                "node {node} of body `{body}` is already moved along {axis} by {first}, and differently"
            ))
        }
        _ => item.problem(message),
    }
}

fn in_contact(case: &Case, number: usize, flaw: &Flaw, message: String) -> Diagnostic {
    // those of deformable bodies stand before those of rigid ones
    let Some(contact) = case.contacts.get(number) else {
        let problem = case.rigid_contacts[number - case.contacts.len()].problem(message);
        return match flaw {
            Flaw::RigidOverlap { pushed: false, .. } => {
                problem.expecting("bodies apart or just touching, or `overlap: push_out` to move what has mass")
            }
            _ => problem,
        };
    };
    let problem = contact.problem(message.clone());
    match flaw {
        Flaw::UnknownSet { known, second, .. } => {
            let set = match &contact.value.with {
                Counterpart::Bodies { set, .. } if *second => set,
                _ => &contact.value.set,
            };
            unknown_set(set, message, known)
        }
        Flaw::InObstacle { pushed: false, .. } | Flaw::InBody { pushed: false, .. } => {
            problem.expecting("bodies apart or just touching, or `overlap: push_out` to move such nodes to the surface")
        }
        Flaw::TooDeep { .. } => problem.expecting("bodies that overlap by less than a cell, or that stand apart"),
        _ => problem,
    }
}

/// A set that a mesh does not have, with those it has.
pub(super) fn unknown_set(set: &Located<String>, message: String, known: &[String]) -> Diagnostic {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    set.problem(message).expecting(format!("one of {}", known.join(", "))).suggesting(&set.value, known)
}
