//! What a case would run: bodies, unknowns, zones, the explicit limit, memory and file size.

use crate::case::{Case, Scheme};
use crate::memory::amount;
use crate::model::Assembly;
use crate::simulation::Simulation;
use crate::simulation::forecast::{self, TooLarge};
use crate::simulation::history;
use crate::simulation::scene::Scene;

/// Rigid bodies, and contacts between them, that are listed one by one.
const LISTED: usize = 12;

/// A choice as a case file writes it: `DiscreteGradient` is `discrete_gradient`. Options of its own are left out.
fn typed(choice: impl std::fmt::Debug) -> String {
    let name = format!("{choice:?}");
    let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
    let mut out = String::new();
    for (k, c) in name[..end].char_indices() {
        if c.is_uppercase() && k > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The text of `impakt check`, and whether the run fits into the memory there is.
pub fn describe(case: &Case, assembly: Assembly) -> (String, Result<(), TooLarge>) {
    let simulation = Simulation::of(assembly);
    let mut text = format!("{}\n", case.title);
    let steps = match &case.time.adaptive {
        None if case.time.auto => {
            let stable = simulation.explicit().map_or(0.0, |explicit| explicit.last_limit());
            format!("about {} steps of at most {stable:.3e} s", simulation.planned_steps())
        }
        None => format!("{} steps of {:e} s", simulation.planned_steps(), case.time.step),
        Some(a) => format!("adaptive steps of {:e} to {:e} s, first {:e} s,", a.min, a.max, case.time.step),
    };
    text += &format!("geometry {}, {steps} to t = {:e} s\n", typed(case.geometry), case.time.end);
    text += &match case.time.scheme {
        Scheme::Jean { theta, xi, force } => format!("scheme jean: theta {theta}, xi {xi}, force {}\n", typed(force)),
        Scheme::Explicit { courant } => format!("scheme explicit: courant {courant}\n"),
        Scheme::QuasiStatic => "scheme quasi_static: load steps without inertia\n".to_owned(),
        Scheme::Newmark { beta, gamma, contact } => {
            format!("scheme newmark: beta {beta}, gamma {gamma}, contact {}\n", typed(contact))
        }
        Scheme::Hht { alpha, contact } => format!("scheme hht: alpha {alpha}, contact {}\n", typed(contact)),
        Scheme::GeneralizedAlpha { spectral_radius, contact } => {
            format!("scheme generalized_alpha: spectral radius {spectral_radius}, contact {}\n", typed(contact))
        }
    };
    let solver = &case.contact_solver;
    text += &format!(
        "contact solver {}: tolerance {:e}, at most {} iterations{}\n",
        typed(solver.method),
        solver.tolerance,
        solver.max_iterations,
        if solver.go_on { ", goes on where it does not converge" } else { "" }
    );
    let laws: Vec<&str> = case.materials.iter().map(|m| m.law.value.name()).collect();
    let mut critical = f64::INFINITY;
    for (k, ((_, body), entry)) in simulation.system.all().deformable().zip(&case.bodies).enumerate() {
        let mut used = vec![entry.material.default];
        used.extend(entry.material.sets.iter().map(|(_, material)| *material));
        used.sort_unstable();
        used.dedup();
        let names: Vec<String> = used
            .iter()
            .map(|&m| {
                let (name, law) = (&case.materials[m].name.value, laws[m]);
                format!("{name} ({law})")
            })
            .collect();
        let factor = body.factorization().entries();
        critical = critical.min(body.critical_step());
        if let Some(warning) = body.locking() {
            text += &format!("warning: {warning}\n");
        }
        if k >= LISTED {
            continue;
        }
        text += &format!(
            "body {}: {} nodes, {} elements, {} unknowns, material {}, mass {:.6e} kg, {} factor entries\n",
            body.name,
            body.mesh.node_count(),
            body.mesh.cell_count(),
            body.numbering().equation_count(),
            names.join(", "),
            body.total_mass(),
            factor
        );
    }
    text += &others(simulation.system.all().deformable().count().saturating_sub(LISTED), "bodies");
    for (_, body) in simulation.system.all().rigid().take(LISTED) {
        text += &format!(
            "rigid body {}: {} unknowns, mass {:.6e} kg\n",
            body.name,
            body.numbering().equation_count(),
            body.mass()
        );
    }
    text += &others(simulation.system.all().rigid().count().saturating_sub(LISTED), "rigid bodies");
    for (body, support) in
        simulation.system.all().deformable().flat_map(|(_, b)| b.supports().iter().map(move |s| (b, s)))
    {
        let kind = if support.moves() { "moves" } else { "holds" };
        text += &format!("boundary {} {kind} {} unknowns of body {}\n", support.entry, support.dofs.len(), body.name);
    }
    let name = |body: usize| &case.bodies[body].name.value;
    let zones = &simulation.contact().zones;
    for zone in zones.iter().take(LISTED) {
        text += &format!(
            "contact {}.{} against {}: {} nodes, friction {}, level {}\n",
            name(zone.body),
            case.contact(zone.number).map_or("", |contact| contact.value.set.value.as_str()),
            zone.obstacle.name,
            zone.nodes.len(),
            zone.friction,
            typed(zone.level)
        );
    }
    text += &others(zones.len().saturating_sub(LISTED), "contacts with obstacles");
    let rigid = &simulation.contact().rigid;
    for ([first, second], terms) in rigid.named().take(LISTED) {
        let (friction, level) = (terms.friction, typed(terms.level));
        text += &format!("contact {first} against {second}, friction {friction}, level {level}\n");
    }
    text += &others(rigid.named().skip(LISTED).count(), "contacts between rigid bodies");
    let pairs = &simulation.contact().pairs;
    for (slave, master, rule) in pairs.named().take(LISTED) {
        text += &format!(
            "contact {} nodes of {} against {} facets of {}: friction {}, level {}\n",
            slave.nodes.len(),
            name(slave.body),
            master.facets.len(),
            name(master.body),
            rule.terms.friction,
            typed(rule.terms.level)
        );
    }
    text += &others(pairs.named().skip(LISTED).count(), "contacts of nodes with facets");
    let scene = Scene::new(&simulation);
    let (per_frame, frames) = (forecast::frame(&scene), forecast::frames(&simulation));
    let specs = history::specs(&simulation);
    let columns: usize = specs.iter().map(|s| s.components).sum();
    let file = per_frame * frames + 8 * columns * (simulation.planned_steps() as usize + 1);
    let peak = forecast::peak(&simulation, &scene, &specs);
    if critical.is_finite() {
        text += &match case.time.auto {
            true => format!("explicit limit {critical:.3e} s in the reference state\n"),
            false => {
                format!(
                    "explicit limit {critical:.3e} s (the case's step is {:.2} times that)\n",
                    case.time.step / critical
                )
            }
        };
    }
    text += &format!(
        "memory about {} at the peak, result file at most {:.1} MB before compression ({frames} frames)",
        amount(peak[0]),
        file as f64 / 1e6
    );
    (text, forecast::fits(peak))
}

/// How many of a kind are not listed.
fn others(count: usize, what: &str) -> String {
    if count > 0 { format!("and {count} more {what}\n") } else { String::new() }
}
