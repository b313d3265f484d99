//! Speed of the implicit path on the V-groove: the three published cases, growth with the mesh, and the stages of one Newton
//! iteration. Prints a table and writes it as JSON below `target/bench/`.
//!
//!     cargo bench --bench vgroove              everything (a few minutes)
//!     cargo bench --bench vgroove -- --quick   without the two largest meshes
//!     cargo bench --bench vgroove -- --stages  the stages of one iteration only
//!
//! One thread: one body is one task. Times are wall clock of a run in memory, best of three for the small mesh.

use std::fmt::Write as _;
use std::time::Instant;

use impakt::bodies::{Deformable, DeformableSpec};
use impakt::case::{Case, build, read};
use impakt::elements::ForceRule;
use impakt::materials::{BlatzKo, Law, Material};
use impakt::mesh::generate::{Disc, PlaneCells, disc};
use impakt::simulation::{RunOptions, Simulation, Summary};

fn case(name: &str, core: usize) -> Case {
    let path = format!("{}/cases/vgroove/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let sets = vec![
        format!("bodies.cylinder.mesh.disc.core={core}"),
        format!("bodies.cylinder.mesh.disc.layers={}", core / 2),
    ];
    match read(path.as_ref(), &sets) {
        Ok(case) => case,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2);
        }
    }
}

fn timed(case: &Case, repeats: usize) -> (f64, Summary) {
    let mut best: Option<(f64, Summary)> = None;
    for _ in 0..repeats {
        let start = Instant::now();
        match Simulation::of(build(case).expect("a model")).run(&RunOptions::default(), &mut |_| true) {
            Ok(summary) => {
                let seconds = start.elapsed().as_secs_f64();
                if best.as_ref().is_none_or(|(b, _)| seconds < *b) {
                    best = Some((seconds, summary));
                }
            }
            Err(error) => {
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
    }
    match best {
        Some(best) => best,
        None => std::process::exit(1),
    }
}

fn per_call(mut work: impl FnMut()) -> f64 {
    work();
    let start = Instant::now();
    let mut calls = 0u32;
    while start.elapsed().as_secs_f64() < 0.3 {
        work();
        calls += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}

/// Seconds of assembly (force and tangent), force alone, factorisation and one solution.
fn stages(core: usize) -> [f64; 4] {
    let spec = Disc { radius: 0.01, centre: [0.0, 0.03], core, layers: core / 2, cells: PlaneCells::Quads };
    let Ok(mesh) = disc(&spec) else { std::process::exit(1) };
    let nodes = mesh.node_count();
    let material = Material { density: 700.0, law: Law::BlatzKo(BlatzKo::new(3e6)) };
    let Ok(mut body) = Deformable::new(DeformableSpec::new("disc", mesh, material)) else { std::process::exit(1) };
    let u: Vec<f64> = (0..2 * nodes).map(|k| 1e-6 * (k as f64).sin()).collect();
    let mut force = vec![0.0; 2 * nodes];
    let mut x = vec![1.0; body.numbering().equation_count()];
    let coefficients = Some((2e10, 0.5));
    [
        per_call(|| drop(body.internal_force(ForceRule::End, &u, &u, &mut force, coefficients))),
        per_call(|| drop(body.internal_force(ForceRule::End, &u, &u, &mut force, None))),
        {
            // a matrix that has not changed keeps its factor
            let mut mass = 2e10;
            per_call(|| {
                mass *= 1.0 + 1e-9;
                let _ = body.internal_force(ForceRule::End, &u, &u, &mut force, Some((mass, 0.5)));
                let _ = body.factor();
            })
        },
        per_call(|| body.factorization().solve(&mut x)),
    ]
}

fn main() {
    let quick = std::env::args().any(|a| a == "--quick");
    // cargo also runs benches as tests: then only say that it works
    let smoke = std::env::args().any(|a| a == "--test");
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    let mut json = String::from("{\n  \"cases\": [\n");
    println!("V-groove, 300 steps, one thread");
    println!(
        "{:<20} {:>9} {:>9} {:>9} {:>9} {:>10} {:>14}",
        "case", "elements", "seconds", "newton", "factors", "contact", "us per newton"
    );
    let names = ["a_frictionless", "b_friction_02", "c_friction_04"];
    let mut lines = Vec::new();
    let mut growth = Vec::new();
    let meshes: &[usize] = if smoke {
        &[]
    } else if quick {
        &[8, 16]
    } else {
        &[8, 16, 32, 64]
    };
    let stages_only = std::env::args().any(|a| a == "--stages");
    for &core in meshes.iter().filter(|_| !stages_only) {
        for name in &names {
            let case = case(name, core);
            let (seconds, summary) = timed(&case, if core == 8 { 3 } else { 1 });
            let elements = 3 * core * core;
            let each = 1e6 * seconds / summary.newton_iterations as f64;
            println!(
                "{name:<20} {elements:>9} {seconds:>9.3} {:>9} {:>9} {:>10} {each:>14.1}",
                summary.newton_iterations, summary.linearisations, summary.contact_iterations
            );
            lines.push(format!(
                "    {{\"case\": \"{name}\", \"elements\": {elements}, \"seconds\": {seconds:.4}, \"newton\": {}, \
                 \"factors\": {}}}",
                summary.newton_iterations, summary.linearisations
            ));
            if core >= 16 {
                growth.push((elements as f64, seconds));
            }
        }
    }
    json += &lines.join(",\n");
    json += "\n  ],\n  \"stages\": [\n";
    if let (Some(first), Some(last)) = (growth.first(), growth.last())
        && growth.len() > 1
    {
        let exponent = (last.1 / first.1).ln() / (last.0 / first.0).ln();
        println!("time grows as n^{exponent:.2} from {} to {} elements", first.0, last.0);
    }
    println!("\nStages of one Newton iteration [us]");
    println!("{:>9} {:>14} {:>12} {:>14} {:>10}", "elements", "force+tangent", "force", "factorisation", "solution");
    let mut lines = Vec::new();
    for &core in if quick { &meshes[..1] } else { meshes } {
        let [both, force, factor, solve] = stages(core).map(|s| 1e6 * s);
        let elements = 3 * core * core;
        println!("{elements:>9} {both:>14.1} {force:>12.1} {:>14.1} {solve:>10.1}", factor - both);
        let mut line = String::new();
        let _ = write!(
            line,
            "    {{\"elements\": {elements}, \"assembly_us\": {both:.1}, \"force_us\": {force:.1}, \
             \"factor_us\": {:.1}, \"solve_us\": {solve:.1}}}",
            factor - both
        );
        lines.push(line);
    }
    json += &lines.join(",\n");
    json += "\n  ]\n}\n";
    if !smoke {
        let folder = format!("{}/target/bench", env!("CARGO_MANIFEST_DIR"));
        let written =
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(format!("{folder}/vgroove.json"), json));
        match written {
            Ok(()) => println!("\nsummary: target/bench/vgroove.json"),
            Err(error) => eprintln!("cannot write the summary: {error}"),
        }
    }
}
