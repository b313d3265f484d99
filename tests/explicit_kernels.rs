//! Elements in batches against elements one by one: the same forces and energies for every shape, law and geometry, the same
//! bits for any number of threads; hourglass control; the stable step against the power method.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::bodies::Body;
use impakt::bodies::{Deformable, DeformableSpec};
use impakt::elements::{ForceRule, Formulation, Hourglass, Section};
use impakt::integrator::{Explicit, System};
use impakt::materials::{Hooke, J2, Kinematics, Law, Material, NeoHooke};
use impakt::mesh::{CellKind, Mesh};
use support::catalogue::laws;
use support::claims::source;
use support::{Random, SHAPES, at_most, close, distance, distorted_mesh, largest, nodal};

const PLAIN: Hourglass = Hourglass { stiffness: 0.05, viscosity: 0.0 };

fn made(mesh: &Mesh, law: Law, section: Section, formulation: Formulation, batches: Option<Hourglass>) -> Deformable {
    let mut mesh = mesh.clone();
    if section == Section::Axisymmetric {
        mesh.nodes.iter_mut().for_each(|x| x[0] += 0.5);
    }
    let spec = DeformableSpec::new("body", mesh, Material { density: 1.0, law });
    Deformable::new(DeformableSpec { section, formulation, batches, ..spec }).unwrap()
}

fn sections(kind: CellKind) -> Vec<Section> {
    match kind.dim() {
        2 => vec![Section::PlaneStrain(1.0), Section::PlaneStress(1.0), Section::Axisymmetric],
        _ => vec![Section::Solid],
    }
}

/// A turn (but of a ring), stretches of up to a fifth, and shaken nodes; for the linear law a tenth of that.
fn state(body: &Deformable, cells: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let dim = body.dim();
    let turn = random.rotation(if body.section() == Section::Axisymmetric { 0 } else { dim });
    let stretch: Vec<f64> = (0..3).map(|_| 1.0 + 0.2 * random.signed()).collect();
    let mut u = nodal(&body.mesh, |x| {
        std::array::from_fn(|i| (0..3).map(|j| turn[i][j] * stretch[j] * x[j]).sum::<f64>() - x[i])
    });
    u.iter_mut().for_each(|u| *u += 0.1 / cells as f64 * random.signed());
    let small = body.groups()[0].material().law.kinematics() == Kinematics::Small;
    if small { u.iter().map(|u| 0.1 * u).collect() } else { u }
}

/// One source of truth: the laws are written once for numbers and for rows of numbers, the elements twice.
#[test]
fn batches_are_equal_to_elements_one_by_one() {
    source("elements one by one (tests/elements.rs), every shape, law and geometry");
    for kind in SHAPES {
        // not a multiple of four elements, and more than one chunk
        let cells = if kind.dim() == 2 { 27 } else { 9 };
        let mesh = distorted_mesh(kind, cells, 0.2, 3);
        for section in sections(kind) {
            for law in laws() {
                let mut one = made(&mesh, law.clone(), section, Formulation::Standard, None);
                let mut batch = made(&mesh, law.clone(), section, Formulation::Standard, Some(PLAIN));
                let u = state(&one, cells, 5);
                let (mut expected, mut got) = (vec![0.0; u.len()], vec![0.0; u.len()]);
                let energy = one.internal_force(ForceRule::End, &u, &u, &mut expected, None).unwrap();
                let sums = batch.explicit_force(&u, &u, &mut got).unwrap();
                let what = format!("{kind:?} {section:?} {}", law.name());
                at_most(format!("{what}: force"), distance(&expected, &got), 1e-12 * largest(&expected).max(1.0));
                close(format!("{what}: energy"), sums.energy, energy, 1e-12 * energy.abs());
                let direct = batch.strain_energy(&u);
                close(format!("{what}: energy point by point"), direct, energy, 1e-12 * energy.abs());
            }
        }
    }
}

/// Forces, energies and the memory of points do not depend on who computes them.
#[test]
fn one_and_two_threads_give_the_same_bits() {
    let mesh = distorted_mesh(CellKind::Hex8, 14, 0.2, 3);
    for (law, formulation) in [
        (Law::NeoHooke(NeoHooke::new(1.0, 0.3)), Formulation::Standard),
        (Law::J2(J2::new(1.0, 0.3, 0.01, 0.1)), Formulation::Reduced),
    ] {
        let results: Vec<_> = [1, 2]
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut body = made(&mesh, law.clone(), Section::Solid, formulation, Some(PLAIN));
                    let u = state(&body, 14, 5);
                    let mut force = vec![0.0; u.len()];
                    body.explicit_force(&u, &u, &mut force).unwrap();
                    body.commit();
                    let sums = body.explicit_force(&u, &u, &mut force).unwrap();
                    (force, sums, body.fastest(&u, &vec![1.0; body.mesh.node_count()], 5, None))
                })
            })
            .into();
        assert!(results[0] == results[1], "{}", law.name());
    }
}

/// One point: a homogeneous motion, however large, does not feel hourglass control; its pattern does, with the energy that the
/// force is the gradient of.
#[test]
fn hourglass_control_holds_its_patterns_only() {
    source("Flanagan, Belytschko 1981: hourglass patterns are orthogonal to linear fields");
    for kind in [CellKind::Quad4, CellKind::Hex8] {
        let mesh = distorted_mesh(kind, 3, 0.2, 3);
        let section = sections(kind)[0];
        let law = Law::NeoHooke(NeoHooke::new(1.0, 0.3));
        let mut body = made(&mesh, law.clone(), section, Formulation::Reduced, Some(PLAIN));
        let mut random = Random::new(4);
        let turn = random.rotation(kind.dim());
        let linear = nodal(&mesh, |x| {
            std::array::from_fn(|i| (0..3).map(|j| turn[i][j] * (1.0 + 0.1 * j as f64) * x[j]).sum::<f64>() - x[i])
        });
        let mut force = vec![0.0; linear.len()];
        let sums = body.explicit_force(&linear, &linear, &mut force).unwrap();
        at_most(format!("{kind:?}: hourglass energy of a homogeneous motion"), sums.hourglass, 1e-28);
        // a force is the derivative of all that is stored
        let u: Vec<f64> = linear.iter().map(|u| u + 0.03 * random.signed()).collect();
        let direction = random.vector(u.len(), 1.0);
        body.explicit_force(&u, &u, &mut force).unwrap();
        let slope: f64 = force.iter().zip(&direction).map(|(f, d)| f * d).sum();
        let mut energy = |h: f64| {
            let moved: Vec<f64> = u.iter().zip(&direction).map(|(u, d)| u + h * d).collect();
            let sums = body.explicit_force(&moved, &moved, &mut vec![0.0; u.len()]).unwrap();
            sums.energy + sums.hourglass
        };
        let h = 1e-4;
        let difference = (8.0 * (energy(h) - energy(-h)) - (energy(2.0 * h) - energy(-2.0 * h))) / (12.0 * h);
        close(format!("{kind:?}: force along a direction"), slope, difference, 1e-9 * largest(&force));
        assert!(
            body.explicit_force(&u, &u, &mut force).unwrap().hourglass > 0.0,
            "shaken nodes have hourglass patterns"
        );
    }
}

/// The stable step of a distorted mesh, undeformed and squeezed, against `2/ω` of the whole by the power method: below it, and
/// within 30 %.
#[test]
fn the_stable_step_is_safe_and_close() {
    source("2/omega of the whole body by the power method, to 1e-4");
    let stiff = |poisson| [Law::Linear(Hooke::new(1.0, poisson)), Law::NeoHooke(NeoHooke::new(1.0, poisson))];
    let all = [0.0, 0.3, 0.45].into_iter().flat_map(stiff);
    let mut worst = (f64::INFINITY, 0.0f64);
    for law in all {
        for kind in SHAPES {
            for formulation in [Formulation::Standard, Formulation::Reduced, Formulation::MeanDilatation] {
                if formulation != Formulation::Standard && matches!(kind, CellKind::Tri3 | CellKind::Tet4) {
                    continue;
                }
                let mesh = distorted_mesh(kind, if kind.dim() == 2 { 10 } else { 6 }, 0.2, 3);
                let body = made(&mesh, law.clone(), sections(kind)[0], formulation, Some(PLAIN));
                let n = body.dof_count();
                let dim = body.dim();
                let mass: Vec<f64> = (0..n).map(|d| body.mass().row(d / dim).map(|(_, m)| m).sum()).collect();
                let mut u: Vec<f64> = vec![0.0; n];
                if law.kinematics() == Kinematics::Finite {
                    // squeezed by a fifth along the last axis
                    u = nodal(&mesh, |x| std::array::from_fn(|i| if i + 1 == dim { -0.2 * x[i] } else { 0.0 }));
                }
                let state = impakt::bodies::BodyState::moving(u.clone(), vec![0.0; n]);
                let mut system = System::lean(vec![body.into()], vec![state]);
                let estimate = Explicit::new(&mut system, 1.0).unwrap().stable_step(&mut system);
                let Body::Deformable(body) = &mut system.bodies[0] else { unreachable!("a body with nodes") };
                let mut rest = vec![0.0; n];
                body.explicit_force(&u, &u, &mut rest).unwrap();
                let mut x = Random::new(9).vector(n, 1e-6);
                let (mut squared, mut force) = (0.0, vec![0.0; n]);
                for _ in 0..4000 {
                    let at: Vec<f64> = u.iter().zip(&x).map(|(u, x)| u + x).collect();
                    body.explicit_force(&at, &at, &mut force).unwrap();
                    let pull: Vec<f64> = force.iter().zip(&rest).map(|(f, r)| f - r).collect();
                    let work: f64 = pull.iter().zip(&x).map(|(f, x)| f * x).sum();
                    let inertia: f64 = mass.iter().zip(&x).map(|(m, x)| m * x * x).sum();
                    let before = squared;
                    squared = work / inertia;
                    x = pull.iter().zip(&mass).map(|(f, m)| f / m).collect();
                    let scale = 1e-6 / largest(&x);
                    x.iter_mut().for_each(|x| *x *= scale);
                    if (squared - before).abs() < 1e-8 * squared {
                        break;
                    }
                }
                let share = estimate / (2.0 / squared.sqrt());
                worst = (worst.0.min(share), worst.1.max(share));
                let what = format!("{kind:?} {formulation:?} {} {:.2}", law.name(), law.poisson());
                println!("{what}: {share:.4} of the limit");
                at_most(format!("{what}: estimate over limit"), share, 1.0);
                at_most(format!("{what}: limit over estimate"), 1.0 / share, 1.0 / 0.7);
            }
        }
    }
    println!("between {:.3} and {:.3} of the limit", worst.0, worst.1);
}
