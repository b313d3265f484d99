//! scratch
use impakt::materials::{Hooke, Law, Material};
use impakt::mesh::generate::{GearCells, SpurGear};
use impakt::transmission::*;

fn main_study(flank: usize, frictions: Vec<f64>, positions: usize) -> Study {
    let cells = GearCells { modelled: 5, flank, fillet: 20, across: 20, rim: 10 };
    let shape = SpurGear {
        teeth: 20, module: 2.54e-3, pressure_angle: std::f64::consts::PI / 9.0, addendum: 0.75, dedendum: 1.4,
        cutter_radius: 0.39, shift: 0.0, backlash: 0.0, hub: 18.034e-3, relief: None, cells,
    };
    let material = Material { density: 7800.0, law: Law::Linear(Hooke::new(206.84e9, 0.3)) };
    let gear = |name: &str| Gear { name: name.into(), shape, material: material.clone(), width: 25.4e-3 };
    Study {
        gears: vec![gear("driver"), gear("driven")],
        meshes: vec![MeshPair { driver: 0, driven: 1, distance: 50.8e-3 }],
        plane_stress: false,
        torques: vec![112.98483],
        frictions,
        positions,
        range: [-0.5, 0.5],
        clockwise: false,
        rules: CandidateRules { places: CandidatePlaces::Moving(None), surface: Surface::Involute, corners: true, distance: None, arms: Arms::Ideal },
        mode: FrictionMode::Imposed,
        solver: "pivoting".into(),
    }
}

#[test]
fn scratch() {
    let flank: usize = std::env::var("FLANK").ok().and_then(|s| s.parse().ok()).unwrap_or(48);
    let mut study = main_study(flank, vec![0.0, 0.3], 50);
    if std::env::var("OWN").is_ok() { study.rules.arms = Arms::Own; }
    let out = study.run().unwrap();
    println!("{:?} unknowns {} kept {}", out.timing, out.bodies[0].elastic.unknowns(), out.bodies[0].compliance.size());
    for s in &out.series {
        println!("torque {} mu {}", s.torque, s.friction);
        for p in &s.positions {
            match p {
                Ok(p) => println!("{:+.3} th {:.4}e-6 sum {:.4} Mi {:.8} fillet {:.3e} {:.3e} press {:.4e} n {} res {:.1e} steps {} sec {:.3e} tan {:.3e} pairs {:?}", p.phase, p.error()*1e6, p.pairs.iter().map(|x| x.normal).sum::<f64>(), p.input_torque, p.fillets[0].stress, p.fillets[1].stress, p.pairs.iter().map(|x| x.pressure()).fold(0.0, f64::max), p.touching(0), p.residual, p.steps, p.secant, p.tangent, p.pairs.iter().map(|x| (x.pair, x.normal as i64, x.loaded.len())).collect::<Vec<_>>()),
                Err(e) => println!("ERR {e}"),
            }
        }
    }
}
