//! The gear pair of Vijayakar, Busby and Houser at 50 positions for two torques and two coefficients of friction, beside a script that
//! does the same with SuperLU: bodies (assembly, factor, compliance of the flanks) and positions, on one thread and on two.
//!
//!     cargo bench --bench gears [-- PYTHON]
//!
//! PYTHON is an interpreter with scipy; without it only our own times are printed. The best of five runs counts.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use impakt::materials::{Hooke, Law, Material};
use impakt::mesh::generate::{GearCells, SpurGear};
use impakt::output::CaseRecord;
use impakt::transmission::{
    Arms, CandidatePlaces, CandidateRules, FrictionMode, Gear, MeshPair, Outcome, Study, Surface, Timing,
    record::{self, Picture},
};

fn study() -> Study {
    let shape = SpurGear {
        teeth: 20,
        module: 2.54e-3,
        pressure_angle: 20f64.to_radians(),
        addendum: 0.75,
        dedendum: 1.4,
        cutter_radius: 0.39,
        shift: 0.0,
        backlash: 0.0,
        hub: 18.034e-3,
        relief: None,
        cells: GearCells { modelled: 5, flank: 112, fillet: 18, across: 16, rim: 10 },
    };
    let material = Material { density: 7850.0, law: Law::Linear(Hooke::new(206.84e9, 0.3)) };
    let gear = |name: &str| Gear { name: name.into(), shape, material: material.clone(), width: 25.4e-3 };
    Study {
        gears: vec![gear("driver"), gear("driven")],
        meshes: vec![MeshPair { driver: 0, driven: 1, distance: 50.8e-3 }],
        plane_stress: false,
        torques: vec![112.98483, 11.298483],
        frictions: vec![0.0, 0.3],
        positions: 50,
        range: [-0.5, 0.5],
        clockwise: false,
        rules: CandidateRules {
            places: CandidatePlaces::Moving(None),
            surface: Surface::Involute,
            corners: true,
            distance: None,
            arms: Arms::Ideal,
        },
        mode: FrictionMode::Imposed,
        solver: "pivoting".into(),
    }
}

/// The best of five runs on this many threads.
fn best(study: &Study, threads: usize) -> (Outcome, Timing) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let total = |t: &Timing| t.mesh + t.factor + t.compliance + t.positions;
    let mut runs: Vec<Outcome> = (0..5).map(|_| pool.install(|| study.run()).expect("a study")).collect();
    runs.sort_by(|a, b| total(&a.timing).total_cmp(&total(&b.timing)));
    let first = runs.swap_remove(0);
    let timing = first.timing;
    (first, timing)
}

/// Stiffness and flanks for the script.
fn export(outcome: &Outcome, folder: &Path) {
    let body = &outcome.bodies[0];
    let lower = body.elastic.stiffness().lower();
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).expect("a file");
    let whole = |list: &[usize]| list.iter().flat_map(|x| (*x as i64).to_le_bytes()).collect::<Vec<u8>>();
    write("pointers.bin", whole(lower.indptr().raw_storage()));
    write("rows.bin", whole(lower.indices()));
    write("values.bin", lower.data().iter().flat_map(|x| x.to_le_bytes()).collect());
    let kept: Vec<usize> =
        (0..body.elastic.kept().len()).flat_map(|k| [0, 1].map(|axis| body.elastic.equation(k, axis))).collect();
    write("kept.bin", whole(&kept));
    let places = body.places.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    write("places.bin", places);
    let sides: Vec<String> =
        body.sides.iter().map(|s| format!("{} {} {}", s.tooth, s.first + s.fillet, s.first + s.count)).collect();
    write("sides.txt", sides.join("\n").into_bytes());
}

fn main() {
    let study = study();
    let python = std::env::args().nth(1).filter(|a| !a.starts_with("--"));
    let folder = std::env::temp_dir().join(format!("impakt-gears-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    println!("threads     mesh   factor  compliance  bodies  candidates  solution  positions  one position [ms]");
    for threads in [1, 2] {
        let (outcome, t) = best(&study, threads);
        let count = 4.0 * study.positions as f64;
        println!(
            "{threads:7} {:8.4} {:8.4} {:11.4} {:7.4} {:11.4} {:9.4} {:10.4} {:18.4}",
            t.mesh,
            t.factor,
            t.compliance,
            t.mesh + t.factor + t.compliance,
            t.candidates,
            t.solution,
            t.positions,
            1e3 * t.positions / count
        );
        if threads == 1 {
            println!(
                "        {} unknowns, {} of them kept",
                outcome.bodies[0].elastic.unknowns(),
                outcome.bodies[0].compliance.size()
            );
            export(&outcome, &folder);
            let clock = Instant::now();
            let file = folder.join("gears.vtkhdf");
            record::write(&study, &outcome, Picture { scale: 100.0, frames: 50 }, &CaseRecord::default(), &file, 0.0)
                .expect("a result");
            println!("        output of {count} positions: {:.3} s", clock.elapsed().as_secs_f64());
        }
    }
    if let Some(python) = python {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/gear_superlu.py");
        let done = Command::new(python).arg(script).arg(&folder).status();
        if !done.is_ok_and(|status| status.success()) {
            println!("the script did not run");
        }
    }
    let _ = std::fs::remove_dir_all(folder);
}
