//! Many bodies: N foam discs of 192 elements thrown about in a box, N = 4, 16, 64, 256. Time per step against N on one and on two
//! threads, and where it goes. Prints a table and writes it as JSON below `target/bench/`.
//!
//!     cargo bench --bench pairs              everything
//!     cargo bench --bench pairs -- --quick   N = 4, 16, 64
//!
//! The discs start a little apart in rows, each with a velocity of its own, so that after a few steps every disc is in contact. The
//! first steps are not counted; times are wall clock of steps alone, without building the model and without output.
//!
//! What two threads can gain at most is up to the machine: cores share caches, memory and, rented ones, their time with strangers. So
//! the same steps are also done by two runs side by side, which have nothing to do with each other, and what those gain over one after
//! the other is shown beside the speed-up.

use std::fmt::Write as _;
use std::time::Instant;

use impakt::case::{build, parse};
use impakt::simulation::Simulation;

/// Steps before the clock starts.
const BEFORE: usize = 30;
/// Blocks of steps that count. One thread, two, and two runs side by side take turns, block by block over the same steps, so that
/// whatever else the machine does meets all of them; medians over the blocks are shown.
const BLOCKS: usize = 10;
/// Discs in all the runs of a size: small ones are short and are done several times over.
const DISCS: usize = 64;

/// Steps of a block: more where they are short.
fn block(across: usize) -> usize {
    (64 / (across * across)).clamp(2, 16)
}

/// A number in [-1, 1] that belongs to `k`: the fractional part of multiples of the golden ratio.
fn scattered(k: usize) -> f64 {
    2.0 * (0.618_033_988_749_895 * (k + 1) as f64).fract() - 1.0
}

fn scene(across: usize) -> String {
    let pitch = 0.0202;
    let side = pitch * across as f64;
    let mut text = String::from(
        "geometry: plane_strain\ntime: { end: 1.0, step: 2.0e-5, scheme: { jean: { theta: 0.55, xi: 0.55 } } }\n\
         materials: { foam: { density: 700.0, law: { blatz_ko: { shear_modulus: 3.0e6 } } } }\nbodies:\n",
    );
    for k in 0..across * across {
        let (x, y) = ((k % across) as f64 + 0.5, (k / across) as f64 + 0.5);
        let (u, v) = (3.0 * scattered(2 * k), 3.0 * scattered(2 * k + 1));
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "  d{k}: {{ mesh: {{ disc: {{ radius: 0.01, centre: [{:.6}, {:.6}], core: 8, layers: 4 }} }}, material: foam, \
             velocity: [{u:.6}, {v:.6}] }}",
            pitch * x,
            pitch * y
        );
    }
    let _ = writeln!(
        text,
        "obstacles: {{ box: {{ shape: {{ box: {{ min: [0.0, 0.0], max: [{side:.6}, {side:.6}], inside: true }} }} }} }}\n\
         contacts:\n  - {{ between: [d*, d*], friction: 0.2, passes: two }}\n  - {{ between: [d*, box], friction: 0.2 }}"
    );
    text
}

/// What the counted steps of a run took: seconds per step of each block, shares of contact's stages in the wall time, points and
/// Newton's iterations per step.
#[derive(Default)]
struct Measured {
    blocks: Vec<f64>,
    detection: f64,
    condensation: f64,
    solution: f64,
    points: f64,
    newton: f64,
}

fn fail(reason: impl std::fmt::Display) -> ! {
    eprintln!("{reason}");
    std::process::exit(1)
}

/// Lower quartile, median and upper quartile.
fn quartiles(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len() - 1;
    [1, 2, 3].map(|k| 0.5 * (values[k * last / 4] + values[(k * last).div_ceil(4)]))
}

/// A run of the scene on some threads.
struct Runner {
    threads: usize,
    pool: rayon::ThreadPool,
    simulation: Simulation,
}

impl Runner {
    fn new(across: usize, threads: usize) -> Self {
        let case = parse(&scene(across), "discs.yaml", &[]).unwrap_or_else(|error| fail(error));
        let assembly = build(&case).unwrap_or_else(|error| fail(error));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap_or_else(|error| fail(error));
        let simulation = Simulation::of(assembly);
        let mut runner = Runner { threads, pool, simulation };
        runner.advance(BEFORE, &mut Measured::default());
        runner
    }

    /// A block of steps.
    fn advance(&mut self, steps: usize, measured: &mut Measured) {
        let Runner { threads, pool, simulation } = self;
        let before = simulation.contact().times();
        let (seconds, points, newton) = pool.install(|| {
            let (mut points, mut newton) = (0, 0);
            let start = Instant::now();
            for _ in 0..steps {
                if let Err(error) = simulation.step() {
                    fail(error);
                }
                points += simulation.contact().problem().len();
                newton += simulation.last.converged.iterations;
            }
            (start.elapsed().as_secs_f64(), points, newton)
        });
        let after = simulation.contact().times();
        measured.blocks.push(seconds / steps as f64);
        measured.detection += after.detection - before.detection;
        // the bodies' own part of it is summed over threads
        measured.condensation += (after.condensation - before.condensation) / *threads as f64;
        measured.solution += after.solution - before.solution;
        measured.points += points as f64 / steps as f64;
        measured.newton += newton as f64 / steps as f64;
    }
}

/// A block of steps of two runs that have nothing to do with each other, side by side; seconds per step of both.
fn side_by_side(runners: &mut [Runner; 2], steps: usize) -> f64 {
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for runner in runners {
            scope.spawn(|| runner.advance(steps, &mut Measured::default()));
        }
    });
    begun.elapsed().as_secs_f64() / steps as f64
}

impl Measured {
    /// Sums over the blocks become shares of the wall time, and means.
    fn finish(&mut self, steps: usize) {
        let blocks = self.blocks.len() as f64;
        let wall = self.blocks.iter().sum::<f64>() * steps as f64;
        [&mut self.detection, &mut self.condensation, &mut self.solution].into_iter().for_each(|share| *share /= wall);
        [&mut self.points, &mut self.newton].into_iter().for_each(|mean| *mean /= blocks);
    }
}

fn main() {
    let asked = |flag: &str| std::env::args().any(|a| a == flag);
    // cargo also runs benches as tests: then only say that it works
    if asked("--test") {
        return;
    }
    let sizes: &[usize] = if asked("--quick") { &[2, 4, 8] } else { &[2, 4, 8, 16] };
    println!("N discs of 192 elements in a box; medians over blocks of steps, one and two threads in turns");
    println!(
        "{:>5} {:>8} {:>8} {:>8} {:>12} {:>10} {:>10} {:>13} {:>10}",
        "discs", "threads", "points", "newton", "ms per step", "per disc", "detection", "condensation", "solution"
    );
    let mut lines = Vec::new();
    for &across in sizes {
        let (discs, steps) = (across * across, block(across));
        let mut measured = [Measured::default(), Measured::default()];
        let mut apart = Vec::new();
        for _ in 0..(DISCS / discs).max(1) {
            let mut runners = [1, 2].map(|threads| Runner::new(across, threads));
            let mut strangers = [1, 1].map(|threads| Runner::new(across, threads));
            for _ in 0..BLOCKS {
                runners.iter_mut().zip(&mut measured).for_each(|(runner, measured)| runner.advance(steps, measured));
                apart.push(side_by_side(&mut strangers, steps));
            }
        }
        measured.iter_mut().for_each(|measured| measured.finish(steps));
        let ratios = measured[0].blocks.iter().zip(&measured[1].blocks).map(|(one, two)| one / two);
        let [low, speed_up, high] = quartiles(ratios);
        let most = quartiles(measured[0].blocks.iter().zip(&apart).map(|(one, both)| 2.0 * one / both))[1];
        for (threads, m) in (1..).zip(&measured) {
            let ms = 1e3 * quartiles(m.blocks.iter().copied())[1];
            println!(
                "{discs:>5} {threads:>8} {:>8.0} {:>8.1} {ms:>12.2} {:>10.3} {:>8.1} % {:>11.1} % {:>8.1} %",
                m.points,
                m.newton,
                ms / discs as f64,
                100.0 * m.detection,
                100.0 * m.condensation,
                100.0 * m.solution
            );
            lines.push(format!(
                "  {{\"discs\": {discs}, \"threads\": {threads}, \"points\": {:.1}, \"newton\": {:.2}, \"ms_per_step\": {ms:.3}, \
                 \"detection\": {:.4}, \"condensation\": {:.4}, \"solution\": {:.4}, \"speed_up\": {:.3}, \"side_by_side\": {most:.3}}}",
                m.points,
                m.newton,
                m.detection,
                m.condensation,
                m.solution,
                if threads == 1 { 1.0 } else { speed_up }
            ));
        }
        println!(
            "      two threads are {speed_up:.2} times as fast (half of the blocks: {low:.2} to {high:.2}); two runs side by side gain {most:.2}"
        );
    }
    let folder = format!("{}/target/bench", env!("CARGO_MANIFEST_DIR"));
    let json = format!("[\n{}\n]\n", lines.join(",\n"));
    match std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(format!("{folder}/pairs.json"), json)) {
        Ok(()) => println!("\nsummary: target/bench/pairs.json"),
        Err(error) => eprintln!("cannot write the summary: {error}"),
    }
}
