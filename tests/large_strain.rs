//! Every law at large strain against closed forms: uniaxial stress, equibiaxial stress, simple shear, and the inflation of a thick
//! tube and a thick sphere.
//!
//! Incompressible closed forms (Ogden 1984, ch. 4 and 5; Rivlin 1948) are approached with a bulk modulus of `10⁶` or `10⁴` shear
//! moduli; what is left of the compressibility is of the order of stress over bulk modulus, and each tolerance says so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use std::f64::consts::PI;

use impakt::elements::{Formulation, Lumping, Section};
use impakt::linalg::Sym;
use impakt::materials::{
    BlatzKo, FoamTerm, Hooke, Hyperelastic, Hyperfoam, Law, MooneyRivlin, NeoHooke, Ogden, OgdenTerm, PlaneStress, Yeoh,
};
use impakt::mesh::Mesh;
use impakt::mesh::generate::{PlaneCells, Rectangle, rectangle};
use impakt::with_law;
use support::claims::source;
use support::{at_most, body_of, close, equilibrium};

const C1: f64 = 0.3;
const C2: f64 = 0.1;
/// A filled rubber, in units of its shear modulus at rest: softer at moderate strain, stiffer at large.
const YEOH: [f64; 3] = [0.5, -0.05, 0.005];
const OGDEN: [(f64, f64); 3] = [(0.63, 1.3), (0.0012, 5.0), (-0.01, -2.0)];

fn mooney(bulk: f64) -> Law {
    Law::MooneyRivlin(MooneyRivlin::new(C1, C2, bulk))
}

fn ogden(bulk: f64) -> Law {
    Law::Ogden(Ogden::new(&OGDEN.map(|(mu, alpha)| OgdenTerm { mu, alpha }), bulk))
}

fn foam(terms: &[(f64, f64, f64)]) -> Law {
    let terms: Vec<FoamTerm> = terms.iter().map(|&(mu, alpha, beta)| FoamTerm { mu, alpha, beta }).collect();
    Law::Hyperfoam(Hyperfoam::new(&terms))
}

/// `E` of principal stretches along the axes.
fn stretched(l: [f64; 3]) -> Sym {
    let e = l.map(|l| 0.5 * (l * l - 1.0));
    [e[0], e[1], e[2], 0.0, 0.0, 0.0]
}

/// Second Piola–Kirchhoff stress of a sheet and the strain it has across.
fn sheet(law: &Law, e: &Sym) -> (Sym, f64) {
    with_law!(law, l => (PlaneStress(l).stress(e), PlaneStress(l).complete(e)[2]))
}

/// Nominal stress and lateral stretch of a bar under uniaxial stress: the lateral stretch by bisection on `S₂₂` of a sheet, whose
/// third direction is free already.
fn uniaxial(law: &Law, stretch: f64) -> (f64, f64) {
    let (mut low, mut high) = (0.2, 3.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        let side = sheet(law, &stretched([stretch, middle, 1.0])).0[1];
        if side > 0.0 { high = middle } else { low = middle }
    }
    let lateral = 0.5 * (low + high);
    (stretch * sheet(law, &stretched([stretch, lateral, 1.0])).0[0], lateral)
}

const STRETCHES: [f64; 6] = [0.5, 0.8, 0.99, 1.2, 2.0, 3.0];

/// Uniaxial stress. Saint-Venant–Kirchhoff `P = E λ(λ²−1)/2`; Blatz–Ko and hyperfoam `λ₂ = λ^{-β/(1+2β)}`,
/// `P = Σ(2μ/α)(λ^α − J^{-αβ})/λ`; rubber in the incompressible limit `σ = 2(λ²−1/λ)(c₁+c₂/λ)` and `σ = Σμ(λ^α − λ^{-α/2})`.
#[test]
fn bars_are_pulled_as_the_books_say() {
    source("closed forms of uniaxial stress for each law [Ogden1972, Storakers1986]");
    for s in STRETCHES {
        let (p, lateral) = uniaxial(&Law::SaintVenantKirchhoff(Hooke::new(1.0, 0.2)), s);
        let strain = 0.5 * (s * s - 1.0);
        if strain < 1.5 {
            close(format!("SVK P at {s}"), p, s * strain, 1e-13 * (1.0 + s * s * s));
            close(format!("SVK λ₂ at {s}"), lateral, (1.0 - 0.4 * strain).sqrt(), 1e-13);
        }
        let beta = 0.7;
        for (name, law, terms, beta) in [
            ("Blatz–Ko", Law::BlatzKo(BlatzKo::new(0.4)), vec![(0.4, -2.0)], 0.5),
            ("Blatz–Ko as foam", foam(&[(0.4, -2.0, 0.5)]), vec![(0.4, -2.0)], 0.5),
            ("foam", foam(&[(0.3, 3.5, beta), (0.1, -1.5, beta)]), vec![(0.3, 3.5), (0.1, -1.5)], beta),
            ("foam without lateral strain", foam(&[(0.3, 4.0, 0.0)]), vec![(0.3, 4.0)], 0.0),
        ] {
            let (p, lateral) = uniaxial(&law, s);
            let side = s.powf(-beta / (1.0 + 2.0 * beta));
            let j = s * side * side;
            let expected: f64 = terms.iter().map(|&(mu, a)| 2.0 * mu / a * (s.powf(a) - j.powf(-a * beta)) / s).sum();
            close(format!("{name}: λ₂ at {s}"), lateral, side, 1e-12);
            close(format!("{name}: P at {s}"), p, expected, 1e-11 * (1.0 + expected.abs()));
        }
        // σ/κ = 1e-6 of compressibility
        let bulk = 1e6;
        let expected = 2.0 * (s * s - 1.0 / s) * (C1 + C2 / s) / s;
        close(format!("Mooney–Rivlin P at {s}"), uniaxial(&mooney(bulk), s).0, expected, 3e-5 * (1.0 + expected.abs()));
        let expected: f64 = OGDEN.iter().map(|&(mu, a)| mu * (s.powf(a) - s.powf(-0.5 * a)) / s).sum();
        close(format!("Ogden P at {s}"), uniaxial(&ogden(bulk), s).0, expected, 3e-5 * (1.0 + expected.abs()));
        let z = s * s + 2.0 / s - 3.0;
        let expected = 2.0 * (s * s - 1.0 / s) * (YEOH[0] + 2.0 * YEOH[1] * z + 3.0 * YEOH[2] * z * z) / s;
        let yeoh = Law::Yeoh(Yeoh::new(YEOH, bulk));
        close(format!("Yeoh P at {s}"), uniaxial(&yeoh, s).0, expected, 3e-5 * (1.0 + expected.abs()));
        // neo-Hooke with ν → ½
        let neo = Law::NeoHooke(NeoHooke::new(3.0, 0.5 - 1e-7));
        let expected = (s * s - 1.0 / s) / s;
        close(format!("neo-Hooke P at {s}"), uniaxial(&neo, s).0, expected, 3e-5 * (1.0 + expected.abs()));
    }
}

/// Equibiaxial stress of a sheet in the incompressible limit: `σ = 2(λ²−λ⁻⁴)(c₁+c₂λ²)`, `σ = Σμ(λ^α − λ^{-2α})`; thickness `λ⁻²`.
#[test]
fn sheets_are_stretched_both_ways_as_the_books_say() {
    source("closed forms of equibiaxial stress of an incompressible sheet [Ogden1972]");
    for s in STRETCHES {
        let bulk = 1e6;
        let shape = s * s - s.powi(-4);
        let treloar: f64 = OGDEN.iter().map(|&(mu, a)| mu * (s.powf(a) - s.powf(-2.0 * a))).sum();
        for (name, law, expected) in [
            ("Mooney–Rivlin", mooney(bulk), 2.0 * shape * (C1 + C2 * s * s)),
            ("Ogden", ogden(bulk), treloar),
            ("neo-Hooke", Law::NeoHooke(NeoHooke::new(3.0, 0.5 - 1e-7)), shape),
        ] {
            let (pk2, across) = sheet(&law, &stretched([s, s, 1.0]));
            let thickness = (1.0 + 2.0 * across).sqrt();
            close(format!("{name}: thickness at {s}"), thickness, s.powi(-2), 1e-4 * s.powi(-2));
            // σ = λ² S / J, J = 1 up to σ/κ
            let sigma = s * s * pk2[0] / (s * s * thickness);
            close(format!("{name}: σ at {s}"), sigma, expected, 1e-4 * (1.0 + expected.abs()));
        }
    }
}

/// Simple shear keeps the volume, so the closed forms hold at any bulk modulus, to round-off: with `γ = λ − 1/λ`,
/// `σ₁₂ = 2(c₁+c₂)γ`, `σ₁₁ − σ₂₂ = γσ₁₂` (universal), `σ₁₂ = Σμ(λ^α − λ^{-α})/(λ + 1/λ)`, and `2μ/α` in place of `μ` for foam.
#[test]
fn simple_shear_is_as_the_books_say() {
    source("closed forms of simple shear for each law");
    let terms = [(0.3, 3.5, 0.2), (0.1, -1.5, 0.9)];
    for gamma in [1e-3f64, 0.3, 1.0, 2.5] {
        let e = [0.0, 0.5 * gamma * gamma, 0.0, 0.5 * gamma, 0.0, 0.0];
        let l = 0.5 * gamma + (1.0 + 0.25 * gamma * gamma).sqrt();
        let power = |a: f64| (l.powf(a) - l.powf(-a)) / (l + 1.0 / l);
        let sum: f64 = OGDEN.iter().map(|&(mu, a)| mu * power(a)).sum();
        let foamy: f64 = terms.iter().map(|&(mu, a, _)| 2.0 * mu / a * power(a)).sum();
        for (name, law, expected) in [
            ("Mooney–Rivlin", mooney(5.0), 2.0 * (C1 + C2) * gamma),
            ("Ogden", ogden(5.0), sum),
            ("foam", foam(&terms), foamy),
        ] {
            let s = with_law!(&law, l => l.stress(&e));
            // σ = F S Fᵀ, F = [[1, γ, 0], [0, 1, 0], [0, 0, 1]]
            let shear = s[3] + gamma * s[1];
            let difference = s[0] + 2.0 * gamma * s[3] + gamma * gamma * s[1] - s[1];
            let size = 1e-13 * (1.0 + l.powi(6));
            close(format!("{name}: σ₁₂ at γ = {gamma}"), shear, expected, size);
            close(format!("{name}: σ₁₁ − σ₂₂ at γ = {gamma}"), difference, gamma * expected, 10.0 * size);
        }
    }
}

/// One foam term with `α = −2`, `β = ½` is the Blatz–Ko law: energy, stress and tangent to 1e-12 at random strains.
#[test]
fn blatz_ko_is_a_hyperfoam() {
    source("hyperfoam with alpha = -2, beta = 1/2 is Blatz and Ko's law [Storakers1986]");
    let (a, b) = (BlatzKo::new(3.0), Hyperfoam::new(&[FoamTerm { mu: 3.0, alpha: -2.0, beta: 0.5 }]));
    let mut random = support::Random::new(71);
    let mut strains: Vec<Sym> = (0..60).map(|_| std::array::from_fn(|_| 0.15 * random.signed())).collect();
    strains.extend([1e-9, 1e-4, 0.1, 1.0].map(|x| [x, x, x, 0.0, 0.0, 0.0]));
    strains.extend([1e-14, 1e-10, 1e-7, 1e-5].map(|gap| [0.2, 0.2 + gap, -0.1, 0.0, 0.0, 0.0]));
    strains.extend([1e-14, 1e-10, 1e-7, 1e-5].map(|gap| [0.2, 0.2, 0.2 + gap, gap, gap, 0.0]));
    for e in strains {
        let (x, y) = (a.response::<6>(&e), b.response::<6>(&e));
        let size = support::largest(x.tangent.as_flattened());
        close(format!("W at {e:?}"), y.energy, x.energy, 1e-12 * size);
        at_most(format!("S at {e:?}"), support::distance(&x.stress, &y.stress), 1e-12 * size);
        let apart = support::distance(x.tangent.as_flattened(), y.tangent.as_flattened());
        at_most(format!("D at {e:?}"), apart, 1e-12 * size);
    }
}

// ---- inflation ---------------------------------------------------------------------------------------------------------

/// `∫ f dR` from `a` to `b` by Simpson's rule with 2000 intervals.
fn integral(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
    let n = 2000;
    let h = (b - a) / f64::from(n);
    let weight = |k: i32| {
        if k == 0 || k == n {
            1.0
        } else if k % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    (0..=n).map(|k| weight(k) * f(a + h * f64::from(k))).sum::<f64>() * h / 3.0
}

/// The rubbers, nearly incompressible, with `λ dŴ/dλ` of the closed forms for the tube, `Ŵ(λ) = W(1/λ, λ, 1)`, and the sphere,
/// `Ŵ(λ) = W(λ⁻², λ, λ)`.
type Derivative = fn(f64) -> f64;
fn rubbers() -> [(&'static str, Law, Derivative, Derivative); 3] {
    let bulk = 1e4;
    let neo: (Derivative, Derivative) = (|l| l * l - l.powi(-2), |l| 2.0 * (l * l - l.powi(-4)));
    let mooney_tube: Derivative = |l| 2.0 * (C1 + C2) * (l * l - l.powi(-2));
    let mooney_sphere: Derivative = |l| 4.0 * (C1 + C2 * l * l) * (l * l - l.powi(-4));
    let ogden_tube: Derivative = |l| OGDEN.iter().map(|&(mu, a)| mu * (l.powf(a) - l.powf(-a))).sum();
    let ogden_sphere: Derivative = |l| OGDEN.iter().map(|&(mu, a)| 2.0 * mu * (l.powf(a) - l.powf(-2.0 * a))).sum();
    [
        // μ = 1: ν from λ/μ = 10⁴
        ("neo-Hooke", Law::NeoHooke(NeoHooke::new(2.0 * (1.0 + 0.499_95), 0.499_95)), neo.0, neo.1),
        ("Mooney–Rivlin", mooney(bulk), mooney_tube, mooney_sphere),
        ("Ogden", ogden(bulk), ogden_tube, ogden_sphere),
    ]
}

fn grid(inner: f64, outer: f64, height: f64, divisions: [usize; 2]) -> Mesh {
    rectangle(&Rectangle { min: [inner, 0.0], max: [outer, height], divisions, cells: PlaneCells::Quads }).unwrap()
}

/// A tube inflated at constant length to 1.8 times its inner radius: `p = ∫ λŴ'(λ) R/r² dR`, `r² = R² + c`. The reaction of the
/// prescribed inner radius is `p · 2πr h`. Mean dilatation with 32 cells; 0.2 % for the mesh (h²) and for `p/κ`.
#[test]
fn a_thick_tube_is_inflated_as_rivlin_says() {
    source("Rivlin's inflated tube: p = integral of lambda W'(lambda) R/r^2 dR");
    let (a, b, height, inner) = (1.0, 1.5, 0.1, 1.8);
    for (name, law, tube, _) in rubbers() {
        let mesh = grid(a, b, height, [32, 1]);
        let mut held: Vec<bool> = (0..2 * mesh.node_count()).map(|dof| dof % 2 == 1).collect();
        let on_inner: Vec<usize> = mesh.node_sets["left"].iter().map(|n| n.index()).collect();
        on_inner.iter().for_each(|n| held[2 * n] = true);
        let n = held.len();
        let radii: Vec<f64> = mesh.nodes.iter().map(|x| x[0]).collect();
        let (section, formulation) = (Section::Axisymmetric, Formulation::MeanDilatation);
        let mut body = body_of(mesh, law, 1.0, Lumping::Consistent, held, section, formulation);
        let mut u = vec![0.0; n];
        let mut reaction = vec![0.0; n];
        for part in 1..=8 {
            let now = a + (inner - a) * f64::from(part) / 8.0;
            let c = now * now - a * a;
            // the start of each load step keeps the volume
            for (node, r) in radii.iter().enumerate() {
                u[2 * node] = (r * r + c).sqrt() - r;
            }
            reaction = equilibrium(&mut body, &mut u, &vec![0.0; n]);
        }
        let measured = on_inner.iter().map(|n| reaction[2 * n]).sum::<f64>() / (2.0 * PI * inner * height);
        let c = inner * inner - a * a;
        let expected = integral(a, b, |r| tube((r * r + c).sqrt() / r) * r / (r * r + c));
        println!("{name}: tube pressure {measured:.6}, closed form {expected:.6}");
        close(format!("{name}: pressure in the tube"), measured, expected, 2e-3 * expected);
    }
}

/// A sphere inflated to 1.6 times its inner radius: `p = ∫ λŴ'(λ) R²/r³ dR`, `r³ = R³ + c`. The radial reactions of the
/// prescribed inner half sphere add up to `p 2πr²`. Mean dilatation, 16 × 24 cells; 0.5 % for the mesh (h²) and for `p/κ`.
#[test]
fn a_thick_sphere_is_inflated_as_the_books_say() {
    source("inflated sphere: p = integral of lambda W'(lambda) R^2/r^3 dR");
    let (a, b, inner) = (1.0, 1.5, 1.6);
    for (name, law, _, sphere) in rubbers() {
        let mut mesh = grid(a, b, 1.0, [16, 24]);
        for x in &mut mesh.nodes {
            // from the equator (z = 0) to the pole on the axis
            let (sin, cos) = (0.5 * PI * x[1]).sin_cos();
            *x = [if x[1] == 1.0 { 0.0 } else { x[0] * cos }, x[0] * sin, 0.0];
        }
        let mut held = vec![false; 2 * mesh.node_count()];
        let on_inner: Vec<usize> = mesh.node_sets["left"].iter().map(|n| n.index()).collect();
        for n in &on_inner {
            held[2 * n] = true;
            held[2 * n + 1] = true;
        }
        mesh.node_sets["bottom"].iter().for_each(|n| held[2 * n.index() + 1] = true);
        let n = held.len();
        let places = mesh.nodes.clone();
        let (section, formulation) = (Section::Axisymmetric, Formulation::MeanDilatation);
        let mut body = body_of(mesh, law, 1.0, Lumping::Consistent, held, section, formulation);
        let mut u = vec![0.0; n];
        let mut reaction = vec![0.0; n];
        for part in 1..=6 {
            let now = a + (inner - a) * f64::from(part) / 6.0;
            let c = now.powi(3) - a.powi(3);
            for (node, x) in places.iter().enumerate() {
                let r = x[0].hypot(x[1]);
                let factor = (r.powi(3) + c).cbrt() / r - 1.0;
                (u[2 * node], u[2 * node + 1]) = (factor * x[0], factor * x[1]);
            }
            reaction = equilibrium(&mut body, &mut u, &vec![0.0; n]);
        }
        let along = |n: &usize| {
            let (x, r) = (places[*n], places[*n][0].hypot(places[*n][1]));
            (reaction[2 * n] * x[0] + reaction[2 * n + 1] * x[1]) / r
        };
        let measured = on_inner.iter().map(along).sum::<f64>() / (2.0 * PI * inner * inner);
        let c = inner.powi(3) - a.powi(3);
        let expected = integral(a, b, |r| sphere((r.powi(3) + c).cbrt() / r) * r * r / (r.powi(3) + c));
        println!("{name}: sphere pressure {measured:.6}, closed form {expected:.6}");
        close(format!("{name}: pressure in the sphere"), measured, expected, 5e-3 * expected);
    }
}
