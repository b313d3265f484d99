//! Frequencies of a cantilever from stiffness and mass of the elements, mode by mode, against Timoshenko's beam and the bar.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use std::f64::consts::FRAC_PI_2;

use impakt::elements::{ForceRule, Lumping};
use impakt::materials::{Hooke, Law};
use impakt::mesh::generate::{PlaneCells, Rectangle, rectangle};
use impakt::reference::timoshenko::Beam;
use nalgebra::{DMatrix, SymmetricEigen};
use support::claims::source;
use support::{at_most, close as near};

const MODES: usize = 5;

/// The lowest circular frequencies, by iteration of a subspace: V ← K⁻¹MV, made orthogonal by the small problem of Rayleigh and Ritz.
fn frequencies(divisions: [usize; 2], lumping: Lumping) -> Vec<f64> {
    let grid = Rectangle { min: [0.0, 0.0], max: [1.0, 0.1], divisions, cells: PlaneCells::Quads };
    let mesh = rectangle(&grid).expect("a mesh");
    let held = mesh.nodes.iter().flat_map(|x| [x[0] == 0.0; 2]).collect();
    let size = 2 * mesh.node_count();
    let mut body = support::body(mesh, Law::Linear(Hooke::new(1e8, 0.0)), 1000.0, lumping, held);
    let rest = vec![0.0; size];
    body.internal_force(ForceRule::End, &rest, &rest, &mut vec![0.0; size], Some((0.0, 1.0))).expect("a stiffness");
    body.factor().expect("a regular stiffness");
    let width = MODES + 3;
    let mut random = support::Random::new(7);
    let mut basis: Vec<Vec<f64>> = (0..width).map(|_| (0..size).map(|_| random.signed()).collect()).collect();
    let mut found = vec![0.0; width];
    for _ in 0..200 {
        // y = K⁻¹ M v; with K y = M v the small stiffness is yᵀMv
        let mut heavy = vec![vec![0.0; size]; width];
        let mut next = vec![vec![0.0; size]; width];
        for k in 0..width {
            body.mass().multiply(2, &basis[k], &mut heavy[k]);
            let mut x = vec![0.0; body.numbering().equation_count()];
            body.numbering().gather(&heavy[k], &mut x);
            body.factorization().solve(&mut x);
            body.numbering().scatter_add(&x, 1.0, &mut next[k]);
        }
        let mut moved = vec![vec![0.0; size]; width];
        (0..width).for_each(|k| body.mass().multiply(2, &next[k], &mut moved[k]));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let stiffness = DMatrix::from_fn(width, width, |i, j| dot(&next[i.min(j)], &heavy[i.max(j)]));
        let mass = DMatrix::from_fn(width, width, |i, j| dot(&next[i.min(j)], &moved[i.max(j)]));
        let lower = mass.cholesky().expect("independent vectors").l();
        let inverse = lower.clone().try_inverse().expect("a regular factor");
        let small = SymmetricEigen::new(&inverse * stiffness * inverse.transpose());
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by(|a, b| small.eigenvalues[*a].total_cmp(&small.eigenvalues[*b]));
        let shapes = inverse.transpose() * &small.eigenvectors;
        for (k, &mode) in order.iter().enumerate() {
            basis[k] = (0..size).map(|i| (0..width).map(|j| shapes[(j, mode)] * next[j][i]).sum()).collect();
        }
        let values: Vec<f64> = order.iter().map(|&mode| small.eigenvalues[mode].sqrt()).collect();
        let change = (0..MODES).map(|k| (values[k] / found[k] - 1.0).abs()).fold(0.0, f64::max);
        found = values;
        if change < 1e-12 {
            break;
        }
    }
    found.truncate(MODES);
    found
}

#[test]
fn cantilever_frequencies() {
    // Length ten times the height, ν = 0. Four-node elements are too stiff in bending by (G/E)(h/H)², half of that in the
    // frequency: 0.1 % of h = L/200. The section is not Timoshenko's: κ = 5/6 is right for long waves, good to some 1e-3 for
    // the third mode, whose half wave is four heights.
    source("Timoshenko's beam (shear coefficient 5/6) by shooting; longitudinal mode ω = (π/2) √(E/ρ)/L of the bar");
    let beam =
        Beam { length: 1.0, area: 0.1, inertia: 1e-3 / 12.0, young: 1e8, shear: 0.5e8 * 5.0 / 6.0, density: 1000.0 };
    let bending = |mode: usize, low: f64| {
        let slender = beam.slender_frequency(mode);
        beam.frequency_between(low * slender, slender)
    };
    let longitudinal = FRAC_PI_2 * (1e8f64 / 1000.0).sqrt();
    let mut exact = [bending(0, 0.9), bending(1, 0.8), longitudinal, bending(2, 0.7), bending(3, 0.6)];
    exact.sort_by(f64::total_cmp);
    let names = exact.map(|omega| if omega == longitudinal { "longitudinal" } else { "bending" });
    for lumping in [Lumping::Consistent, Lumping::Lumped] {
        let found = frequencies([200, 8], lumping);
        for mode in 0..MODES {
            let what = format!("{lumping:?} mass, mode {} ({}), circular frequency (1/s)", mode + 1, names[mode]);
            near(&what, found[mode], exact[mode], 4e-3 * exact[mode]);
        }
    }
    // too stiff by a quarter of the error with twice the elements along the beam: h² rules
    let first = |n: usize| frequencies([n, 4], Lumping::Consistent)[0];
    let (coarse, middle, fine) = (first(30), first(60), first(120));
    near(
        "order of the first frequency in the length of the elements",
        ((coarse - middle) / (middle - fine)).log2(),
        2.0,
        0.1,
    );
    at_most("elements of the displacement method are too stiff: fine / coarse frequency", fine / coarse, 1.0);
}
