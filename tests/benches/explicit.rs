//! Speed of explicit steps: element updates a second for each element and law, one and two threads, 10³ to 10⁶ elements, whole
//! steps (gather, force, scatter, update of velocities and places, energies of the ledger, the stable step now and then).
//! Prints a table and writes it as JSON to `target/bench/explicit.json`.
//!
//!     cargo bench --bench explicit               10³ to 10⁵ elements
//!     cargo bench --bench explicit -- --all      10⁶ too
//!     cargo bench --bench explicit -- --quick    neo-Hooke at 10⁵ only
//!
//! One thread is timed by what the system says it was given of a core, so that other work on the machine counts as little as
//! possible; two threads by the clock on the wall, the best of several short runs.
//!
//! Beside each rate stands the memory that a step has to move per element and the rate at which this machine could do nothing but
//! that (measured with a copy of an array too large for the caches).

use std::fmt::Write as _;
use std::time::Instant;

use impakt::bodies::{BodyState, Deformable, DeformableSpec};
use impakt::elements::{Formulation, Hourglass};
use impakt::integrator::{Explicit, NoReactions, System};
use impakt::materials::{BlatzKo, Hooke, J2, Law, Material, MooneyRivlin, NeoHooke};
use impakt::mesh::Mesh;
use impakt::mesh::generate::{Block, PlaneCells, Rectangle, SolidCells, block, rectangle};

/// Name, formulation, numbers that a step reads and writes per element (geometry, nodes, slots, partial sums) and per node.
const KINDS: [(&str, Formulation); 6] = [
    ("T3", Formulation::Standard),
    ("Q4", Formulation::Standard),
    ("Q4 one-point", Formulation::Reduced),
    ("Tet4", Formulation::Standard),
    ("Hex8", Formulation::Standard),
    ("Hex8 one-point", Formulation::Reduced),
];

fn mesh(name: &str, elements: usize) -> Mesh {
    let plane = |cells, per: f64| {
        let n = (elements as f64 / per).sqrt().round().max(1.0) as usize;
        rectangle(&Rectangle { min: [0.0; 2], max: [1.0; 2], divisions: [n; 2], cells })
    };
    let solid = |cells, per: f64| {
        let n = (elements as f64 / per).cbrt().round().max(1.0) as usize;
        block(&Block { min: [0.0; 3], max: [1.0; 3], divisions: [n; 3], cells })
    };
    let made = match name {
        "T3" => plane(PlaneCells::Triangles, 2.0),
        "Q4" | "Q4 one-point" => plane(PlaneCells::Quads, 1.0),
        "Tet4" => solid(SolidCells::Tets, 6.0),
        _ => solid(SolidCells::Hexes, 1.0),
    };
    made.unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(1)
    })
}

fn laws() -> [(&'static str, Law); 6] {
    [
        ("linear", Law::Linear(Hooke::new(1.0, 0.3))),
        ("saint_venant_kirchhoff", Law::SaintVenantKirchhoff(Hooke::new(1.0, 0.3))),
        ("blatz_ko", Law::BlatzKo(BlatzKo::new(0.4))),
        ("neo_hooke", Law::NeoHooke(NeoHooke::new(1.0, 0.3))),
        ("mooney_rivlin", Law::MooneyRivlin(MooneyRivlin::new(0.15, 0.05, 0.8))),
        ("j2", Law::J2(J2::new(1.0, 0.3, 0.001, 0.1))),
    ]
}

/// Bytes that this process holds.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}

struct Measured {
    elements: usize,
    nodes: usize,
    rate: f64,
    bytes: f64,
}

fn measure(kind: &str, formulation: Formulation, law: Law, elements: usize, threads: usize) -> Option<Measured> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
    pool.install(|| {
        let before = resident();
        let mesh = mesh(kind, elements);
        let (elements, nodes, dim) = (mesh.cell_count(), mesh.node_count(), mesh.dim());
        let spec = DeformableSpec::new("body", mesh, Material { density: 1.0, law });
        let batches = Some(Hourglass { stiffness: 0.05, viscosity: 0.0 });
        let body = Deformable::new(DeformableSpec { formulation, batches, ..spec }).ok()?;
        let mut state = BodyState::zero(body.dof_count());
        for (dof, v) in state.v.iter_mut().enumerate() {
            // waves of a few per cent strain
            *v = 0.02 * (5.0 * body.mesh.nodes[dof / dim][dof % dim]).sin();
        }
        let mut next = vec![state.clone()];
        let mut system = System::lean(vec![body], vec![state]);
        let mut explicit = Explicit::new(&mut system, 0.9).ok()?;
        let bytes = (resident() - before) / elements as f64;
        let step = |explicit: &mut Explicit, system: &mut System, next: &mut Vec<BodyState>| {
            let dt = explicit.stable_step(system);
            explicit.step(system, &mut NoReactions, dt, next).ok()?;
            explicit.accept(system, dt);
            std::mem::swap(&mut system.states, next);
            Some(())
        };
        step(&mut explicit, &mut system, &mut next)?;
        let count = (1_000_000 / elements).clamp(5, 400);
        let mut best = f64::INFINITY;
        for _ in 0..8 {
            let (start, given) = (Instant::now(), core_seconds());
            for _ in 0..count {
                step(&mut explicit, &mut system, &mut next)?;
            }
            let seconds = match (threads, given, core_seconds()) {
                (1, Some(before), Some(after)) => after - before,
                _ => start.elapsed().as_secs_f64(),
            };
            best = best.min(seconds / count as f64);
        }
        Some(Measured { elements, nodes, rate: elements as f64 / best, bytes })
    })
}

/// Seconds that this thread has had a core for, where the system tells.
fn core_seconds() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| 1e-9 * nanoseconds)
}

/// Bytes a second of a copy that no cache holds, read and written.
fn bandwidth() -> f64 {
    let from = vec![1.0f64; 1 << 24];
    let mut to = vec![0.0f64; 1 << 24];
    let mut best = 0.0f64;
    for _ in 0..5 {
        let start = Instant::now();
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&mut to);
        best = best.max(2.0 * 8.0 * from.len() as f64 / start.elapsed().as_secs_f64());
    }
    best
}

/// Bytes that a step moves for an element: its geometry, nodes and slots; and for its share of the nodes the copies of forces
/// (written, read), places and velocities (two of each), forces (two), masses, and their use in the ledger.
fn traffic(kind: &str, nodes: f64) -> f64 {
    let (own, dim) = match kind {
        "T3" => (5 * 8 + 3 * 6, 2.0),
        "Q4" => (20 * 8 + 4 * 6, 2.0),
        "Q4 one-point" => (9 * 8 + 4 * 6, 2.0),
        "Tet4" => (10 * 8 + 4 * 6, 3.0),
        "Hex8" => (80 * 8 + 8 * 6, 3.0),
        _ => (24 * 8 + 8 * 6, 3.0),
    };
    f64::from(own) + nodes * 8.0 * dim * (1.3 * 2.0 + 6.0 + 7.0)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |flag: &str| arguments.iter().any(|a| a == flag);
    // `cargo test` runs benches once: the smallest mesh shows that they work
    let smoke = !has("--bench");
    let sizes: &[usize] = match (smoke, has("--quick"), has("--all")) {
        (true, ..) => &[1_000],
        (_, true, _) => &[100_000],
        (_, _, true) => &[1_000, 10_000, 100_000, 1_000_000],
        _ => &[1_000, 10_000, 100_000],
    };
    let limit = bandwidth();
    println!("copy: {:.1} GB/s", limit / 1e9);
    println!(
        "{:<15} {:<23} {:>9} {:>12} {:>12} {:>8} {:>10} {:>14}",
        "element", "law", "elements", "1 thread/s", "2 threads/s", "ratio", "bytes/el.", "bound/s (1)"
    );
    let mut lines = Vec::new();
    for (kind, formulation) in KINDS {
        for (law, value) in laws() {
            if (smoke || has("--quick")) && law != "neo_hooke" {
                continue;
            }
            for &elements in sizes {
                let one = measure(kind, formulation, value.clone(), elements, 1);
                let two = measure(kind, formulation, value.clone(), elements, 2);
                let (Some(one), Some(two)) = (one, two) else {
                    eprintln!("{kind}, {law}: failed");
                    std::process::exit(1);
                };
                let bound = limit / traffic(kind, one.nodes as f64 / one.elements as f64);
                println!(
                    "{kind:<15} {law:<23} {:>9} {:>12.3e} {:>12.3e} {:>8.2} {:>10.0} {bound:>14.2e}",
                    one.elements,
                    one.rate,
                    two.rate,
                    two.rate / one.rate,
                    one.bytes
                );
                let mut line = String::new();
                let _ = write!(
                    line,
                    "    {{\"element\": \"{kind}\", \"law\": \"{law}\", \"elements\": {}, \"one_thread\": {:.0}, \
                     \"two_threads\": {:.0}, \"bytes_per_element\": {:.0}, \"bandwidth_bound\": {bound:.0}}}",
                    one.elements, one.rate, two.rate, one.bytes
                );
                lines.push(line);
            }
        }
    }
    if smoke {
        return;
    }
    let json =
        format!("{{\n  \"copy_bytes_per_second\": {limit:.0},\n  \"steps\": [\n{}\n  ]\n}}\n", lines.join(",\n"));
    let folder = format!("{}/target/bench", env!("CARGO_MANIFEST_DIR"));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(format!("{folder}/explicit.json"), json)) {
        Ok(()) => println!("summary: target/bench/explicit.json"),
        Err(error) => eprintln!("cannot write the summary: {error}"),
    }
}
