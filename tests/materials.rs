//! What every material law owes the elements, driven by one list of laws. A new law joins by one line in [`laws`].
//!
//! Formulas: THEORY 1.2 (Blatz–Ko after Knowles and Sternberg 1975, compressible neo-Hooke after Simo and Hughes).
//! Strains come from random deformation gradients with `det F > 0.3`, from a fixed seed. Stresses are measured in units
//! of the pressure-wave modulus `λ + 2μ`, so that one tolerance serves steel and foam.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::linalg::Sym;
use impakt::linalg::symmetric::INDEX;
use impakt::materials::{
    BlatzKo, FoamTerm, Hooke, Hyperelastic, Hyperfoam, Kinematics, Law, Material, MooneyRivlin, NeoHooke, Ogden,
    OgdenTerm, Response,
};
use impakt::with_law;
use support::claims::source;
use support::{Random, at_most, close, difference};

type Tensor = [[f64; 3]; 3];

/// Every law, with parameters from foam to steel and from no lateral strain to nearly incompressible.
fn laws() -> Vec<Law> {
    let mut laws = Vec::new();
    for (young, poisson) in [(1.0, 0.0), (5e6, 0.45), (2.1e11, 0.3), (70.0, -0.3), (3.0, 0.49)] {
        laws.push(Law::Linear(Hooke::new(young, poisson)));
        laws.push(Law::SaintVenantKirchhoff(Hooke::new(young, poisson)));
        laws.push(Law::NeoHooke(NeoHooke::new(young, poisson)));
    }
    laws.extend([1.0, 3e6].map(|g| Law::BlatzKo(BlatzKo::new(g))));
    for (c1, c2, bulk) in [(1.0, 0.0, 3.0), (0.3e6, 0.1e6, 2e7), (2.0, -0.5, 100.0)] {
        laws.push(Law::MooneyRivlin(MooneyRivlin::new(c1, c2, bulk)));
    }
    let ogden = |terms: &[(f64, f64)], bulk: f64| {
        let terms: Vec<OgdenTerm> = terms.iter().map(|&(mu, alpha)| OgdenTerm { mu, alpha }).collect();
        Law::Ogden(Ogden::new(&terms, bulk))
    };
    laws.push(ogden(&[(1.0, 2.0)], 3.0));
    // Treloar's rubber with Ogden's three terms (Ogden 1972: 6.3, 0.012, -0.1 kg/cm^2; 1.3, 5, -2), moderate bulk modulus
    laws.push(ogden(&[(0.63e6, 1.3), (0.0012e6, 5.0), (-0.01e6, -2.0)], 2e7));
    let foam = |terms: &[(f64, f64, f64)]| {
        let terms: Vec<FoamTerm> = terms.iter().map(|&(mu, alpha, beta)| FoamTerm { mu, alpha, beta }).collect();
        Law::Hyperfoam(Hyperfoam::new(&terms))
    };
    laws.push(foam(&[(3e6, -2.0, 0.5)]));
    laws.push(foam(&[(1.0, 3.5, 0.0), (0.2, -1.5, 1.0)]));
    // any number of terms: twelve of them, exponents from -5.5 to 5.5
    let exponents = || (0..12).map(|p| f64::from(p) - 5.5);
    laws.push(ogden(&exponents().map(|alpha| (0.1 * alpha.signum(), alpha)).collect::<Vec<_>>(), 3.0));
    laws.push(foam(&exponents().map(|alpha| (0.1, alpha, 0.4 + 0.05 * alpha)).collect::<Vec<_>>()));
    laws
}

fn energy(law: &Law, e: &Sym) -> f64 {
    with_law!(law, l => l.energy(e))
}

fn stress(law: &Law, e: &Sym) -> Sym {
    with_law!(law, l => l.stress(e))
}

fn response<const V: usize>(law: &Law, e: &Sym) -> Response<V> {
    with_law!(law, l => l.response::<V>(e))
}

/// `λ + 2μ`, the unit of stress.
fn modulus(law: &Law) -> f64 {
    let (lambda, mu) = law.lame();
    lambda + 2.0 * mu
}

fn label(law: &Law) -> String {
    let (lambda, mu) = law.lame();
    format!("{} (λ = {lambda:.3e}, μ = {mu:.3e})", law.name())
}

fn times(a: &Tensor, b: &Tensor) -> Tensor {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

fn transpose(a: &Tensor) -> Tensor {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

fn det(a: &Tensor) -> f64 {
    (0..3).map(|i| a[0][i] * (a[1][(i + 1) % 3] * a[2][(i + 2) % 3] - a[1][(i + 2) % 3] * a[2][(i + 1) % 3])).sum()
}

fn full(s: &Sym) -> Tensor {
    std::array::from_fn(|i| std::array::from_fn(|j| s[INDEX[i][j]]))
}

fn packed(a: &Tensor) -> Sym {
    [a[0][0], a[1][1], a[2][2], a[0][1], a[1][2], a[2][0]]
}

/// `E = ½(FᵀF − I)`.
fn green_lagrange(f: &Tensor) -> Sym {
    let c = times(&transpose(f), f);
    packed(&std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (c[i][j] - f64::from(u8::from(i == j))))))
}

/// `σ = F S Fᵀ/J`.
fn cauchy(law: &Law, f: &Tensor) -> Tensor {
    let s = full(&stress(law, &green_lagrange(f)));
    times(&times(f, &s), &transpose(f)).map(|row| row.map(|x| x / det(f)))
}

/// Random `F = I + H`, `|H_ij| < 0.4`, `det F > 0.3`; plane ones leave the third axis alone.
fn random_f(random: &mut Random, dim: usize) -> Tensor {
    loop {
        let mut f = [[0.0; 3]; 3];
        for i in 0..3 {
            f[i][i] = 1.0;
            for j in 0..3 {
                if i < dim && j < dim {
                    f[i][j] += 0.4 * random.signed();
                }
            }
        }
        if det(&f) > 0.3 {
            return f;
        }
    }
}

fn random_strains(dim: usize) -> Vec<Sym> {
    let mut random = Random::new(20 + dim as u64);
    (0..40).map(|_| green_lagrange(&random_f(&mut random, dim))).collect()
}

/// `λ I⊗I + 2μ I⊙I` acting on a strain: an independent Hooke.
fn hooke(lambda: f64, mu: f64, e: &Sym) -> Sym {
    let pressure = lambda * (e[0] + e[1] + e[2]);
    std::array::from_fn(|k| 2.0 * mu * e[k] + if k < 3 { pressure } else { 0.0 })
}

/// `a : b`.
fn contract(a: &Sym, b: &Sym) -> f64 {
    (0..6).map(|k| a[k] * b[k] * if k < 3 { 1.0 } else { 2.0 }).sum()
}

/// At rest nothing is stored and nothing pulls. Exact: no tolerance.
#[test]
fn the_reference_state_is_free_of_energy_and_stress() {
    for law in laws() {
        let at_rest = response::<6>(&law, &[0.0; 6]);
        assert_eq!(energy(&law, &[0.0; 6]), 0.0, "{}: W(0)", label(&law));
        assert_eq!(at_rest.energy, 0.0, "{}: W(0) of the response", label(&law));
        for k in 0..6 {
            assert_eq!(stress(&law, &[0.0; 6])[k], 0.0, "{}: S(0), component {k}", label(&law));
            assert_eq!(at_rest.stress[k], 0.0, "{}: S(0) of the response, component {k}", label(&law));
        }
    }
}

/// `S = ∂W/∂E` by fourth-order differences with a step of 1e-4: truncation `h⁴ W⁽⁵⁾/30` stays below 1e-11 (`W⁽⁵⁾` reaches
/// 1e6 moduli in squeezed foam), rounding is `ε_machine/h ≈ 2e-12` of the largest term. 1e-8 leaves room for both.
#[test]
fn stress_is_the_derivative_of_energy() {
    source("finite differences of fourth order of the energy");
    for law in laws() {
        for e in random_strains(3) {
            let s = stress(&law, &e);
            let size = modulus(&law) + support::largest(&s);
            for k in 0..6 {
                let slope = difference(1e-4, |h| {
                    let mut moved = e;
                    moved[k] += h;
                    vec![energy(&law, &moved)]
                })[0];
                // a shear component stands twice in the tensor
                let expected = s[k] * if k < 3 { 1.0 } else { 2.0 };
                close(format!("{}: S_{k} at E = {e:?}", label(&law)), expected, slope, 1e-8 * size);
            }
        }
    }
}

/// `tangent = ∂S/∂E`, by the same differences. The tangent acts on `2E_ij`, so a unit step of a shear component moves the
/// stress by twice the column.
#[test]
fn tangent_is_the_derivative_of_stress() {
    source("finite differences of fourth order of the stress");
    for law in laws() {
        for e in random_strains(3) {
            let tangent = response::<6>(&law, &e).tangent;
            let size = support::largest(tangent.as_flattened());
            for k in 0..6 {
                let slope = difference(1e-4, |h| {
                    let mut moved = e;
                    moved[k] += h;
                    stress(&law, &moved).to_vec()
                });
                for i in 0..6 {
                    let expected = tangent[i][k] * if k < 3 { 1.0 } else { 2.0 };
                    close(format!("{}: D_{i}{k} at E = {e:?}", label(&law)), expected, slope[i], 1e-8 * size);
                }
            }
        }
    }
}

/// One point, asked in four ways, gives one answer: the response holds the same energy and stress as the single calls, the
/// tangent is symmetric, and the plane tangent is the rows and columns 11, 22, 12 of the solid one. The same operations
/// in the same order: 1e-15.
#[test]
fn plane_and_solid_responses_agree_and_are_symmetric() {
    source("one state asked in four ways; symmetry of the tangent");
    const ROWS: [usize; 3] = [0, 1, 3];
    for law in laws() {
        for e in random_strains(2).into_iter().chain(random_strains(3)) {
            let (plane, solid) = (response::<3>(&law, &e), response::<6>(&law, &e));
            let size = support::largest(solid.tangent.as_flattened());
            close(format!("{}: W of the response", label(&law)), solid.energy, energy(&law, &e), 1e-15 * size);
            assert_eq!(plane.energy, solid.energy, "{}: W, plane and solid", label(&law));
            assert_eq!(plane.stress, solid.stress, "{}: S, plane and solid", label(&law));
            at_most(
                format!("{}: S of the response", label(&law)),
                support::distance(&solid.stress, &stress(&law, &e)),
                1e-15 * size,
            );
            for i in 0..6 {
                for k in 0..6 {
                    close(
                        format!("{}: D_{i}{k} = D_{k}{i}", label(&law)),
                        solid.tangent[i][k],
                        solid.tangent[k][i],
                        1e-15 * size,
                    );
                }
            }
            for i in 0..3 {
                for k in 0..3 {
                    close(
                        format!("{}: plane D_{i}{k}", label(&law)),
                        plane.tangent[i][k],
                        solid.tangent[ROWS[i]][ROWS[k]],
                        1e-15 * size,
                    );
                }
            }
        }
    }
}

/// A rotation of the deformed body changes neither energy nor second Piola–Kirchhoff stress. Laws of finite strain get `E`
/// from `QF`; the linear law owes the same to first order only, and gets a spin added to `H`. Tolerance: ten roundings of
/// `E`, through a tangent that reaches 1e2 moduli.
#[test]
fn laws_are_objective() {
    source("objectivity: W(QF) = W(F)");
    let mut random = Random::new(3);
    for law in laws() {
        for _ in 0..40 {
            let f = random_f(&mut random, 3);
            let q = random.rotation(3);
            let (before, after) = match law.kinematics() {
                Kinematics::Finite => (green_lagrange(&f), green_lagrange(&times(&q, &f))),
                Kinematics::Small => {
                    let w: [f64; 3] = std::array::from_fn(|_| random.signed());
                    let spin = [[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]];
                    let small = |h: &Tensor| {
                        packed(&std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (h[i][j] + h[j][i]))))
                    };
                    let spun: Tensor = std::array::from_fn(|i| std::array::from_fn(|j| f[i][j] + spin[i][j]));
                    (small(&f), small(&spun))
                }
            };
            let size = support::largest(response::<6>(&law, &before).tangent.as_flattened());
            close(format!("{}: W(QF) = W(F)", label(&law)), energy(&law, &after), energy(&law, &before), 1e-14 * size);
            let drift = support::distance(&stress(&law, &after), &stress(&law, &before));
            at_most(format!("{}: S(QF) − S(F), relative", label(&law)), drift / size, 1e-14);
        }
    }
}

/// Turning the material before it is strained changes nothing: `W(RERᵀ) = W(E)`, `S(RERᵀ) = R S(E) Rᵀ`.
#[test]
fn laws_are_isotropic() {
    source("isotropy: W(R E R^T) = W(E)");
    let mut random = Random::new(4);
    for law in laws() {
        for e in random_strains(3) {
            let r = random.rotation(3);
            let turn = |a: &Sym| packed(&times(&times(&r, &full(a)), &transpose(&r)));
            let size = support::largest(response::<6>(&law, &e).tangent.as_flattened());
            close(format!("{}: W(RERᵀ)", label(&law)), energy(&law, &turn(&e)), energy(&law, &e), 1e-14 * size);
            let difference = support::distance(&stress(&law, &turn(&e)), &turn(&stress(&law, &e)));
            at_most(format!("{}: S(RERᵀ) − RSRᵀ, relative", label(&law)), difference / size, 1e-14);
        }
    }
}

/// At rest every law is Hooke's with the constants of `lame()`, and those are the ones it was made from.
#[test]
fn every_law_is_hookes_at_rest() {
    source("Hooke's law with the Lame constants of the law at rest");
    let mut random = Random::new(5);
    for law in laws() {
        let (lambda, mu) = law.lame();
        let tangent = response::<6>(&law, &[0.0; 6]).tangent;
        for _ in 0..5 {
            let e: Sym = std::array::from_fn(|_| random.signed());
            let engineering: Sym = std::array::from_fn(|k| e[k] * if k < 3 { 1.0 } else { 2.0 });
            let measured: Sym = std::array::from_fn(|i| (0..6).map(|k| tangent[i][k] * engineering[k]).sum());
            let difference = support::distance(&measured, &hooke(lambda, mu, &e));
            at_most(format!("{}: D at rest, relative", label(&law)), difference / modulus(&law), 1e-14);
        }
    }
    let steel = |lambda: f64, mu: f64, what: &str| {
        close(format!("{what}: λ"), lambda, 2.1e11 * 0.3 / (1.3 * 0.4), 1.0);
        close(format!("{what}: μ"), mu, 2.1e11 / 2.6, 1.0);
    };
    let (lambda, mu) = Hooke::new(2.1e11, 0.3).lame();
    steel(lambda, mu, "Hooke");
    let (lambda, mu) = NeoHooke::new(2.1e11, 0.3).lame();
    steel(lambda, mu, "neo-Hooke");
    close("Poisson's ratio given back", Law::Linear(Hooke::new(2.1e11, 0.3)).poisson(), 0.3, 1e-15);
    let material = Material { density: 7800.0, law: Law::Linear(Hooke::new(2.1e11, 0.3)) };
    close("wave speed", material.wave_speed(), (2.1e11 * 0.7 / (1.3 * 0.4) / 7800.0f64).sqrt(), 1e-8);
}

/// At a strain of 1e-8 the energy is `½ε:D:ε` to six digits. The cubic terms of a law are of relative size `10·1e-8`, and
/// sums of first-order terms that cancel keep `ε_machine/1e-8 ≈ 2e-8`. An energy written with `C − I` would keep no digit.
#[test]
fn energy_keeps_its_digits_at_small_strain() {
    source("Hooke's energy at a strain of 1e-8");
    let mut random = Random::new(6);
    for law in laws() {
        let (lambda, mu) = law.lame();
        let mut directions: Vec<Sym> = (0..20).map(|_| std::array::from_fn(|_| random.signed())).collect();
        directions.push([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]); // pure dilatation
        directions.push([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]); // pure shear
        directions.push([1.0, -0.5, -0.5, 0.0, 0.0, 0.0]); // no first invariant
        for direction in directions {
            let e = direction.map(|x| 1e-8 * x);
            let expected = 0.5 * contract(&hooke(lambda, mu, &e), &e);
            close(format!("{}: W at {e:?}", label(&law)), energy(&law, &e), expected, 1e-6 * expected);
            let s = stress(&law, &e);
            let difference = support::distance(&s, &hooke(lambda, mu, &e));
            at_most(format!("{}: S − D:ε in moduli", label(&law)), difference / modulus(&law), 1e-13);
        }
    }
}

/// THEORY 1.2: `λ = μ = G`, hence `ν = 1/4`, `E = 5G/2`, `c_p = √(3G/ρ)`; and the laws it is known by. Closed forms: the
/// tolerance is a hundred roundings.
#[test]
fn blatz_ko_has_its_known_closed_forms() {
    source("closed forms of Blatz and Ko's law [KnowlesSternberg1975]");
    let g = 3e6;
    let law = Law::BlatzKo(BlatzKo::new(g));
    assert_eq!(law.lame(), (g, g), "Lamé's constants at rest");
    close("ν", law.poisson(), 0.25, 1e-16);
    let (lambda, mu) = law.lame();
    close("E = 5G/2", mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), 2.5 * g, 1e-8);
    close("c_p = √(3G/ρ)", Material { density: 700.0, law: law.clone() }.wave_speed(), (3.0 * g / 700.0).sqrt(), 1e-12);

    // uniaxial stress: lateral stretch λ^(−1/4), P = G(λ^(−1/2) − λ^(−3))
    for stretch in [0.4f64, 0.7, 0.99, 1.0, 1.3, 2.0, 3.5] {
        let lateral = stretch.powf(-0.25);
        let f = [[stretch, 0.0, 0.0], [0.0, lateral, 0.0], [0.0, 0.0, lateral]];
        let s = stress(&law, &green_lagrange(&f));
        let size = g * (1.0 + stretch.powi(-3));
        close(format!("P at λ = {stretch}"), stretch * s[0], g * (stretch.powf(-0.5) - stretch.powi(-3)), 1e-13 * size);
        for k in [1, 2, 3, 4, 5] {
            close(format!("lateral stress {k} at λ = {stretch}"), s[k], 0.0, 1e-13 * size);
        }
    }

    let mut random = Random::new(7);
    for _ in 0..40 {
        // σ = G(I − b⁻¹/J)
        let f = random_f(&mut random, 3);
        let j = det(&f);
        let b = times(&f, &transpose(&f));
        let b_inverse = full(&impakt::linalg::symmetric::inverse(&packed(&b)));
        let sigma = cauchy(&law, &f);
        let size = g * (1.0 + support::largest(b_inverse.as_flattened()) / j);
        for i in 0..3 {
            for k in 0..3 {
                let expected = g * (f64::from(u8::from(i == k)) - b_inverse[i][k] / j);
                close(format!("σ_{i}{k} at F = {f:?}"), sigma[i][k], expected, 1e-12 * size);
            }
        }
        // W = G/2 (tr C⁻¹ + 2J − 5); b has the eigenvalues of C
        let w = 0.5 * g * (b_inverse[0][0] + b_inverse[1][1] + b_inverse[2][2] + 2.0 * j - 5.0);
        close(format!("W at F = {f:?}"), energy(&law, &green_lagrange(&f)), w, 1e-13 * size);
        // plane strain: S₃₃ = G(J − 1)
        let f = random_f(&mut random, 2);
        close(format!("S₃₃ at F = {f:?}"), stress(&law, &green_lagrange(&f))[2], g * (det(&f) - 1.0), 1e-13 * size);
    }
}

/// Simple shear, uniaxial strain and uniaxial stress of `W = μ/2(I₁−3) − μ ln J + λ/2 ln²J`.
#[test]
fn neo_hooke_has_its_known_closed_forms() {
    source("closed forms of simple shear, uniaxial strain and uniaxial stress");
    for poisson in [0.0, 0.3, 0.45] {
        let law = Law::NeoHooke(NeoHooke::new(5e6, poisson));
        let (lambda, mu) = law.lame();
        let size = 1e-12 * modulus(&law);
        // simple shear keeps the volume: σ₁₂ = μγ, σ₁₁ = μγ², nothing else, W = μγ²/2
        for shear in [-1.5, 0.1, 0.8] {
            let f = [[1.0, shear, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let sigma = cauchy(&law, &f);
            close(format!("σ₁₂ at γ = {shear}"), sigma[0][1], mu * shear, size);
            close(format!("σ₁₁ at γ = {shear}"), sigma[0][0], mu * shear * shear, size);
            close(format!("σ₂₂ at γ = {shear}"), sigma[1][1], 0.0, size);
            close(format!("σ₃₃ at γ = {shear}"), sigma[2][2], 0.0, size);
            close(format!("W at γ = {shear}"), energy(&law, &green_lagrange(&f)), 0.5 * mu * shear * shear, size);
        }
        // uniaxial strain: J = λ₁, σ₁₁ = [μ(λ₁²−1) + λ ln λ₁]/λ₁
        for stretch in [0.5f64, 0.9, 1.4] {
            let f = [[stretch, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            let expected = (mu * (stretch * stretch - 1.0) + lambda * stretch.ln()) / stretch;
            close(format!("σ₁₁ in uniaxial strain {stretch}"), cauchy(&law, &f)[0][0], expected, size);
        }
        // uniaxial stress, by the lateral stretch a: μ(a²−1) + λ ln J = 0, then σ₁₁ = μ(λ₁²−a²)/J
        for a in [0.8f64, 0.95, 1.1] {
            let j = if lambda == 0.0 { 1.4 } else { (mu * (1.0 - a * a) / lambda).exp() };
            let a = if lambda == 0.0 { 1.0 } else { a };
            let stretch = j / (a * a);
            let f = [[stretch, 0.0, 0.0], [0.0, a, 0.0], [0.0, 0.0, a]];
            let sigma = cauchy(&law, &f);
            let expected = mu * (stretch * stretch - a * a) / j;
            close(format!("σ₁₁, ν = {poisson}, λ₁ = {stretch}"), sigma[0][0], expected, size * stretch * stretch / j);
            close(format!("σ₂₂, ν = {poisson}, λ₁ = {stretch}"), sigma[1][1], 0.0, size * stretch * stretch / j);
        }
    }
}

/// In uniaxial strain `P = (λ+2μ)(s³−s)/2` has its least value at the stretch `s = 1/√3`: beyond it the law softens
/// (THEORY 1.2).
#[test]
fn saint_venant_kirchhoff_has_its_limit_point() {
    source("limit point of Saint-Venant and Kirchhoff's law at the stretch 1/sqrt 3");
    let law = Law::SaintVenantKirchhoff(Hooke::new(2.0, 0.3));
    let nominal = |s: f64| s * stress(&law, &green_lagrange(&[[s, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))[0];
    for s in [0.3, 0.8, 1.7] {
        close(format!("P at stretch {s}"), nominal(s), 0.5 * modulus(&law) * (s * s * s - s), 1e-13 * modulus(&law));
    }
    let limit = 1.0 / 3f64.sqrt();
    let slope = difference(1e-3, |h| vec![nominal(limit + h)])[0];
    close("dP/ds at the limit point", slope, 0.0, 1e-11);
}
