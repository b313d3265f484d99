//! Speed of explicit steps: element updates a second for each element and law, one and two threads, 10³ to 10⁶ elements, whole
//! steps (gather, force, scatter, update of velocities and places, energies of the ledger). The length of the stable step is looked
//! up every 10 to 160 steps; what one look costs stands in a column of its own, in steps.
//! Prints a table and keeps it as JSON in `target/bench/explicit.json`, where what was measured before stays unless it is measured
//! again.
//!
//!     cargo bench --bench explicit                                           everything: about twenty minutes
//!     cargo bench --bench explicit -- --quick                                neo-Hooke at 10⁵
//!     cargo bench --bench explicit -- --size 1000000 --law j2 --element Tet4
//!
//! `--size`, `--law` and `--element` may be given several times. One thread is timed by what the system says it was given of a
//! core, so that other work on the machine counts as little as possible; two threads by the clock on the wall. Short runs with one and
//! with two threads follow each other, and the best of each counts.
//!
//! Memory is what the program holds after set-up beyond what it held before: mesh, body, states and all that belongs to the scheme,
//! counted where it is allocated. Beside each rate stands the memory that a step has to move at the least and the rate at which this
//! machine could do nothing but that (measured with a copy of an array too large for the caches).

use std::alloc::{GlobalAlloc, Layout};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use impakt::bodies::{BodyState, Deformable, DeformableSpec};
use impakt::elements::{Formulation, Hourglass};
use impakt::integrator::{Explicit, NoReactions, System};
use impakt::materials::{BlatzKo, Hooke, J2, Law, Material, MooneyRivlin, NeoHooke};
use impakt::mesh::Mesh;
use impakt::mesh::generate::{Block, PlaneCells, Rectangle, SolidCells, block, rectangle};
use rayon::ThreadPool;
use serde_json::{Value, json};

/// Hands everything to the allocator of the system and knows how much is out.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on unchanged to the system allocator; counting has no effect on memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { std::alloc::System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { std::alloc::System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { std::alloc::System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Name, formulation, nodes, points, and numbers of geometry that a step reads per element.
const KINDS: [(&str, Formulation, usize, usize, usize); 6] = [
    ("T3", Formulation::Standard, 3, 1, 5),
    ("Q4", Formulation::Standard, 4, 4, 20),
    ("Q4 one-point", Formulation::Reduced, 4, 1, 8),
    ("Tet4", Formulation::Standard, 4, 1, 10),
    ("Hex8", Formulation::Standard, 8, 8, 80),
    ("Hex8 one-point", Formulation::Reduced, 8, 1, 23),
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

struct Measured {
    elements: usize,
    nodes: usize,
    /// Element updates a second with one and with two threads.
    rates: [f64; 2],
    /// Seconds of a look at the stable step over those of a step.
    look: f64,
    bytes: f64,
}

fn measure(
    kind: &str,
    formulation: Formulation,
    law: Law,
    elements: usize,
    pools: &[ThreadPool; 2],
) -> Option<Measured> {
    let before = HELD.load(Ordering::Relaxed);
    let mesh = mesh(kind, elements);
    let (elements, nodes, dim) = (mesh.cell_count(), mesh.node_count(), mesh.dim());
    let spec = DeformableSpec::new("body", mesh, Material { density: 1.0, law });
    let batches = Some(Hourglass { stiffness: 0.05, viscosity: 0.0 });
    let body = pools[1].install(|| Deformable::new(DeformableSpec { formulation, batches, ..spec })).ok()?;
    let mut state = BodyState::zero(body.dof_count());
    for (dof, v) in state.v.iter_mut().enumerate() {
        // waves of a few per cent strain
        *v = 0.02 * (5.0 * body.mesh.nodes[dof / dim][dof % dim]).sin();
    }
    let mut next = vec![state.clone()];
    let mut system = System::lean(vec![body.into()], vec![state]);
    let mut explicit = pools[1].install(|| Explicit::new(&mut system, 0.7)).ok()?;
    let bytes = (HELD.load(Ordering::Relaxed) - before) as f64 / elements as f64;
    // the first look also asks how much less the whole body allows; later ones are like those to come
    let mut dt = explicit.fresh_stable_step(&mut system);
    let start = Instant::now();
    let mut looks = 0;
    while looks == 0 || start.elapsed().as_secs_f64() < 0.2 {
        dt = pools[0].install(|| explicit.fresh_stable_step(&mut system));
        looks += 1;
    }
    let look = start.elapsed().as_secs_f64() / f64::from(looks);
    let mut steps = |count: usize| {
        for _ in 0..count {
            explicit.step(&mut system, &mut NoReactions, dt, &mut next).ok()?;
            explicit.accept(&mut system, dt);
            std::mem::swap(&mut system.states, &mut next);
        }
        Some(())
    };
    pools[1].install(|| steps(2))?;
    // the system counts what it gave of a core in ticks of some milliseconds: a timed run is a hundred of them
    let start = Instant::now();
    pools[1].install(|| steps(2))?;
    let count = (0.8 / start.elapsed().as_secs_f64()).ceil().clamp(4.0, 1e5) as usize;
    let mut best = [f64::INFINITY; 2];
    for _ in 0..4 {
        for (pool, best) in pools.iter().zip(&mut best) {
            let seconds = pool.install(|| {
                let start = Seconds::now();
                steps(count)?;
                Some(start.passed(pool.current_num_threads() == 1))
            })?;
            *best = best.min(seconds / count as f64);
        }
    }
    Some(Measured {
        elements,
        nodes,
        rates: best.map(|seconds| elements as f64 / seconds),
        look: look / best[0],
        bytes,
    })
}

/// A moment, on the wall and in what this thread was given of a core.
struct Seconds {
    wall: Instant,
    given: Option<f64>,
}

impl Seconds {
    fn now() -> Self {
        Seconds { wall: Instant::now(), given: core_seconds() }
    }

    /// Seconds since then: with one thread those of its core, where the system tells.
    fn passed(&self, one_thread: bool) -> f64 {
        match (one_thread, self.given, core_seconds()) {
            (true, Some(before), Some(after)) => after - before,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
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

/// Bytes that a step moves for an element at the least: its geometry, slots and memory (old and new); and for its share of the nodes
/// places, velocities and forces (read, and written anew), places once more for the elements, the copies of forces (written,
/// read), masses, and two indices.
fn traffic(numbers: usize, corners: usize, memory: usize, dim: usize, nodes: f64) -> f64 {
    let own = 8 * (numbers + 2 * memory) + 2 * corners;
    let node = 8 * dim * (3 + 3 + 1 + 2) + 8 + 12;
    own as f64 + nodes * node as f64
}

/// What follows each occurrence of an option.
fn values<'a>(arguments: &'a [String], option: &str) -> Vec<&'a str> {
    let places = arguments.iter().enumerate().filter(|(_, a)| *a == option);
    places.filter_map(|(k, _)| arguments.get(k + 1)).map(String::as_str).collect()
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |flag: &str| arguments.iter().any(|a| a == flag);
    // `cargo test` runs benches once: the smallest mesh shows that they work
    let smoke = !has("--bench");
    let quick = smoke || has("--quick");
    let named = |option: &str| values(&arguments, option);
    let mut sizes: Vec<usize> = named("--size")
        .iter()
        .map(|text| text.parse().unwrap_or_else(|_| fail(&format!("--size {text}: not a number of elements"))))
        .collect();
    if sizes.is_empty() {
        sizes = if smoke { vec![1_000] } else { vec![1_000, 10_000, 100_000, 1_000_000] };
        if has("--quick") {
            sizes = vec![100_000];
        }
    }
    let wanted = |option: &str, name: &str| named(option).is_empty() || named(option).contains(&name);
    let pools = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap_or_else(|error| fail(&format!("no threads: {error}")))
    });
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench/explicit.json");
    let mut kept = std::fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
    // other work on the machine slows a copy down: the best that was ever measured counts
    let before = kept.as_ref().and_then(|kept| kept["copy_bytes_per_second"].as_f64()).unwrap_or(0.0);
    let limit = bandwidth().max(before);
    println!("copy: {:.1} GB/s", limit / 1e9);
    println!(
        "{:<15} {:<23} {:>9} {:>12} {:>12} {:>8} {:>10} {:>14} {:>6}",
        "element", "law", "elements", "1 thread/s", "2 threads/s", "ratio", "bytes/el.", "bound/s (1)", "look"
    );
    let mut rows: Vec<Value> =
        kept.as_mut().and_then(|kept| kept["steps"].as_array_mut()).map(std::mem::take).unwrap_or_default();
    for elements in sizes {
        for (kind, formulation, corners, points, numbers) in KINDS.into_iter().filter(|k| wanted("--element", k.0)) {
            for (law, value) in laws() {
                if quick && named("--law").is_empty() && law != "neo_hooke" || !wanted("--law", law) {
                    continue;
                }
                let memory = if law == "j2" { 7 * points } else { 0 };
                let Some(measured) = measure(kind, formulation, value, elements, &pools) else {
                    fail(&format!("{kind}, {law}: failed"));
                };
                let Measured { elements: count, nodes, rates: [one, two], look, bytes } = measured;
                let dim = if corners == 8 || kind == "Tet4" { 3 } else { 2 };
                let moved = traffic(numbers, corners, memory, dim, nodes as f64 / count as f64);
                let bound = limit / moved;
                println!(
                    "{kind:<15} {law:<23} {count:>9} {one:>12.3e} {two:>12.3e} {:>8.2} {bytes:>10.0} {bound:>14.2e} {look:>6.1}",
                    two / one
                );
                rows.retain(|r| !(r["element"] == kind && r["law"] == law && r["size"] == elements));
                rows.push(json!({
                    "element": kind, "law": law, "size": elements, "elements": count, "one_thread": one.round(),
                    "two_threads": two.round(), "bytes_per_element": bytes.round(), "bytes_moved": moved.round(),
                    "look_in_steps": look,
                }));
            }
            if !smoke {
                keep(&file, limit, &rows);
            }
        }
    }
    if !smoke {
        println!("summary: target/bench/explicit.json");
    }
}

/// Writes the summary anew, so that a run that is stopped keeps what it has.
fn keep(file: &Path, limit: f64, rows: &[Value]) {
    let summary = json!({ "copy_bytes_per_second": limit.round(), "steps": rows });
    let text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    let written = file.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(file, text));
    if let Err(error) = written {
        fail(&format!("cannot write the summary: {error}"));
    }
}
