//! What output costs: the V-groove with every step written beside the same run in memory, and a mesh of 1e5 elements written frame
//! by frame beside a plain file of the same bytes, for some levels of compression.
//!
//!     cargo bench --bench output              both
//!     cargo bench --bench output -- --vgroove only the first
//!
//! Runs of the V-groove alternate, each is compared with the one before it, and the median of the ratios counts: what else the
//! machine does meets both alike. `taskset -c 0` shows what is left where the thread that writes has no core of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use impakt::case::{Case, build, parse, read};
use impakt::output::{CaseRecord, ResultWriter};
use impakt::simulation::scene::Scene;
use impakt::simulation::{RunOptions, Simulation, history};

fn stop(error: impl std::fmt::Display) -> ! {
    eprintln!("{error}");
    std::process::exit(1);
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// Median times of the V-groove (B) in memory and with every step written, and quartiles of what writing adds.
fn vgroove(folder: &Path, repeats: usize) -> ([f64; 2], [f64; 3]) {
    let path = format!("{}/cases/vgroove/b_friction_02.yaml", env!("CARGO_MANIFEST_DIR"));
    let case = read(path.as_ref(), &[]).unwrap_or_else(|e| stop(e));
    let once = |output: Option<PathBuf>| {
        let options = RunOptions { output, ..RunOptions::default() };
        seconds(|| {
            let simulation = Simulation::of(build(&case).unwrap_or_else(|e| stop(e)));
            drop(simulation.run(&options, &mut |_| true).unwrap_or_else(|e| stop(e)));
        })
    };
    // the first run pays for memory and code that later ones find ready
    once(None);
    let (mut memory, mut written, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..repeats {
        memory.push(once(None));
        written.push(once(Some(folder.join("vgroove.vtkhdf"))));
        ratios.push(written[written.len() - 1] / memory[memory.len() - 1] - 1.0);
    }
    let times = [&mut memory, &mut written].map(|list| quantile(list, 0.5));
    (times, [0.25, 0.5, 0.75].map(|part| quantile(&mut ratios, part)))
}

/// The value below which a part of the list lies.
fn quantile(list: &mut [f64], part: f64) -> f64 {
    list.sort_by(f64::total_cmp);
    list[(part * (list.len() - 1) as f64).round() as usize]
}

/// Points and fields of one frame.
type Frame = (f64, Vec<[f64; 3]>, Vec<Vec<f64>>);

/// A square of `n` × `n` quads falls onto the ground: frames of its first steps in contact.
fn frames(n: usize, count: usize) -> (Case, Simulation, Scene, Vec<Frame>) {
    let text = format!(
        "
geometry: plane_strain
time: {{ end: 1.0e-3, step: 1.0e-5 }}
materials: {{ foam: {{ density: 700.0, law: {{ blatz_ko: {{ shear_modulus: 3.0e6 }} }} }} }}
bodies: {{ b: {{ mesh: {{ rectangle: {{ min: [0.0, 1.0e-5], max: [0.1, 0.1], divisions: [{n}, {n}] }} }}, material: foam, velocity: [5.0, -20.0] }} }}
obstacles: {{ ground: {{ shape: {{ half_space: {{ point: [0.0, 0.0], normal: [0.0, 1.0] }} }} }} }}
contacts: [{{ between: [b.bottom, ground], friction: 0.3 }}]
"
    );
    let case = parse(&text, "bench.yaml", &[]).unwrap_or_else(|e| stop(e));
    let mut simulation = Simulation::of(build(&case).unwrap_or_else(|e| stop(e)));
    let mut scene = Scene::new(&simulation);
    let mut all = Vec::new();
    for _ in 0..count {
        simulation.step().unwrap_or_else(|e| stop(e));
        let time = simulation.time;
        let (points, values) = scene.update(&simulation);
        all.push((time, points.to_vec(), values.iter().map(|v| v.to_vec()).collect()));
    }
    (case, simulation, scene, all)
}

/// Seconds to write all frames, and the size of the file.
fn write(file: &Path, simulation: &Simulation, scene: &Scene, frames: &[Frame], level: u8) -> (f64, u64) {
    let specs = history::specs(simulation);
    let (mut row, mut scratch) = (Vec::new(), Vec::new());
    history::row(simulation, &mut row, &mut scratch);
    let taken = seconds(|| {
        let record = CaseRecord::default();
        let mut writer =
            ResultWriter::create(file, &scene.grid, &scene.specs(), &specs, &record, level).unwrap_or_else(|e| stop(e));
        for (time, points, values) in frames {
            let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
            writer.push_history(&row);
            writer.write_frame(*time, points, &values).unwrap_or_else(|e| stop(e));
        }
        writer.finish(0.0, "done").unwrap_or_else(|e| stop(e));
    });
    (taken, std::fs::metadata(file).map_or(0, |m| m.len()))
}

fn main() {
    // cargo also runs benches as tests: then only say that it works
    let smoke = std::env::args().any(|a| a == "--test");
    let only_vgroove = std::env::args().any(|a| a == "--vgroove");
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    let folder = std::env::temp_dir().join(format!("impakt-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| stop(e));
    let ([memory, written], added) = vgroove(&folder, if smoke { 1 } else { 25 });
    println!("V-groove, 300 steps, 192 elements: {memory:.3} s in memory, {written:.3} s with every step written");
    let [low, middle, high] = added.map(|part| 100.0 * part);
    println!("output adds {middle:.1} % (median of pairs; half of them lie between {low:.1} and {high:.1} %)");
    if !only_vgroove {
        let (n, count) = if smoke { (8, 2) } else { (317, 8) };
        let (_, simulation, scene, frames) = frames(n, count);
        let bytes = |f: &Frame| 8 * (3 * f.1.len() + f.2.iter().map(Vec::len).sum::<usize>());
        let handed: usize = frames.iter().map(bytes).sum();
        let mega = handed as f64 / 1e6;
        println!("\n{} elements, {count} frames, {mega:.0} MB handed over", n * n);
        let plain = folder.join("plain");
        let block = vec![1u8; 1 << 20];
        let raw = seconds(|| {
            let mut file = std::fs::File::create(&plain).unwrap_or_else(|e| stop(e));
            for _ in 0..handed.div_ceil(block.len()) {
                file.write_all(&block).unwrap_or_else(|e| stop(e));
            }
        });
        println!("{:<22} {:>8.0} MB/s", "plain file", mega / raw);
        for level in [0, 1, 4] {
            let (taken, size) = write(&folder.join("wide.vtkhdf"), &simulation, &scene, &frames, level);
            let name = format!("compression {level}");
            println!("{name:<22} {:>8.0} MB/s {:>8.0} MB on disk", mega / taken, size as f64 / 1e6);
        }
    }
    // scratch only
    let _ = std::fs::remove_dir_all(folder);
}
