//! What the property tests share: a fixed-seed generator, comparisons that print their numbers, small distorted meshes
//! and difference quotients.

#![allow(dead_code)] // each test file uses its part

pub mod catalogue;

#[path = "../claims/mod.rs"]
pub mod claims;

use impakt::bodies::{Deformable, DeformableSpec};
use impakt::elements::{ForceRule, Formulation, Lumping, Section};
use impakt::materials::{Law, Material};
use impakt::mesh::generate::{Block, PlaneCells, Rectangle, SolidCells, block, rectangle};
use impakt::mesh::{CellKind, Mesh};

/// The four shapes.
pub const SHAPES: [CellKind; 4] = [CellKind::Tri3, CellKind::Quad4, CellKind::Tet4, CellKind::Hex8];

/// SplitMix64: the same numbers on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [-1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    pub fn vector(&mut self, length: usize, amplitude: f64) -> Vec<f64> {
        (0..length).map(|_| amplitude * self.signed()).collect()
    }

    /// A proper rotation in the leading `dim` axes (none at all for 0), from a random quaternion (in the plane: a random angle).
    pub fn rotation(&mut self, dim: usize) -> [[f64; 3]; 3] {
        if dim == 0 {
            return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        }
        if dim == 2 {
            let (s, c) = (std::f64::consts::PI * self.signed()).sin_cos();
            return [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        }
        let q: [f64; 4] = std::array::from_fn(|_| self.signed());
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
        let [w, x, y, z] = q.map(|a| a / length);
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    }
}

/// Fails with measured, expected and tolerance unless `|measured − expected| ≤ tolerance` (not a number fails).
#[track_caller]
pub fn close(what: impl std::fmt::Display, measured: f64, expected: f64, tolerance: f64) {
    claims::record(&what.to_string(), "=", measured, expected, tolerance);
    let difference = (measured - expected).abs();
    assert!(
        difference <= tolerance,
        "{what}: measured {measured:.16e}, expected {expected:.16e}, difference {difference:.3e} > tolerance {tolerance:.1e}"
    );
}

/// Fails with measured value and limit unless `measured ≤ limit`.
#[track_caller]
pub fn at_most(what: impl std::fmt::Display, measured: f64, limit: f64) {
    claims::record(&what.to_string(), "<=", measured, limit, 0.0);
    assert!(measured <= limit, "{what}: measured {measured:.6e}, expected at most {limit:.1e}");
}

/// Largest absolute difference of two vectors.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, |m, x| if x > m || x.is_nan() { x } else { m })
}

/// Largest absolute entry; not a number is the largest of all.
pub fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |m, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
}

/// Fourth-order central difference `[8(f₁−f₋₁) − (f₂−f₋₂)]/(12h)` of a vector-valued function at 0.
pub fn difference(h: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let [m2, m1, p1, p2] = [-2.0, -1.0, 1.0, 2.0].map(|k| f(k * h));
    (0..p1.len()).map(|i| (8.0 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12.0 * h)).collect()
}

/// The unit square or cube, `n` cells along each axis.
pub fn unit_mesh(kind: CellKind, n: usize) -> Mesh {
    let plane = |cells| Rectangle { min: [0.0; 2], max: [1.0; 2], divisions: [n; 2], cells };
    let solid = |cells| Block { min: [0.0; 3], max: [1.0; 3], divisions: [n; 3], cells };
    match kind {
        CellKind::Tri3 => rectangle(&plane(PlaneCells::Triangles)).unwrap(),
        CellKind::Quad4 => rectangle(&plane(PlaneCells::Quads)).unwrap(),
        CellKind::Tet4 => block(&solid(SolidCells::Tets)).unwrap(),
        CellKind::Hex8 => block(&solid(SolidCells::Hexes)).unwrap(),
    }
}

/// Whether each node lies on the boundary of the unit square or cube (by its coordinates, not by the mesh's own sets).
pub fn on_boundary(mesh: &Mesh) -> Vec<bool> {
    let dim = mesh.dim();
    mesh.nodes.iter().map(|x| x[..dim].iter().any(|&c| c == 0.0 || c == 1.0)).collect()
}

/// The unit mesh with its interior nodes moved at random by up to `amount` cell widths along each axis.
pub fn distorted_mesh(kind: CellKind, n: usize, amount: f64, seed: u64) -> Mesh {
    let mut mesh = unit_mesh(kind, n);
    let mut random = Random::new(seed);
    let inside = on_boundary(&mesh).into_iter().map(|b| !b).collect::<Vec<_>>();
    assert!(inside.iter().any(|&x| x), "a mesh without interior nodes cannot be distorted");
    let dim = mesh.dim();
    for (x, inside) in mesh.nodes.iter_mut().zip(inside) {
        for c in &mut x[..dim] {
            let shift = amount / n as f64 * random.signed();
            if inside {
                *c += shift;
            }
        }
    }
    mesh
}

/// A body without gravity in plane strain or space; `held[dof]` says what a support holds.
pub fn body(mesh: Mesh, law: Law, density: f64, lumping: Lumping, held: Vec<bool>) -> Deformable {
    let section = if mesh.dim() == 2 { Section::PlaneStrain(1.0) } else { Section::Solid };
    body_of(mesh, law, density, lumping, held, section, Formulation::Standard)
}

/// A body without gravity.
pub fn body_of(
    mesh: Mesh,
    law: Law,
    density: f64,
    lumping: Lumping,
    held: Vec<bool>,
    section: Section,
    formulation: Formulation,
) -> Deformable {
    let free = DeformableSpec::new("body", mesh, Material { density, law });
    Deformable::new(DeformableSpec { section, formulation, lumping, held, ..free }).unwrap()
}

/// A body that nothing holds.
pub fn free_body(mesh: Mesh, law: Law, density: f64, lumping: Lumping) -> Deformable {
    let held = vec![false; mesh.node_count() * mesh.dim()];
    body(mesh, law, density, lumping, held)
}

/// Solves `f(u) = external` by Newton's method from `u`, whose held entries are the prescribed displacements, to a residual at
/// round-off. Returns the internal force at the solution: on held unknowns it is the reaction.
pub fn equilibrium(body: &mut Deformable, u: &mut [f64], external: &[f64]) -> Vec<f64> {
    let mut f = vec![0.0; u.len()];
    let mut last = f64::INFINITY;
    for iteration in 0..60 {
        body.internal_force(ForceRule::End, u, u, &mut f, Some((0.0, 1.0))).unwrap();
        let residual: Vec<f64> = f.iter().zip(external).map(|(f, e)| f - e).collect();
        body.factor().unwrap();
        let mut x = vec![0.0; body.numbering().equation_count()];
        body.numbering().gather(&residual, &mut x);
        body.factorization().solve(&mut x);
        body.numbering().scatter_add(&x, -1.0, u);
        let step = largest(&x);
        // quadratic until round-off: a correction that no longer shrinks is noise
        if step == 0.0 || (step < 1e-9 && step >= 0.5 * last) || iteration == 59 {
            break;
        }
        last = step;
    }
    body.internal_force(ForceRule::End, u, u, &mut f, None).unwrap();
    f
}

/// Nodal values of a vector field, `dim` numbers a node.
pub fn nodal(mesh: &Mesh, field: impl Fn(&[f64; 3]) -> [f64; 3]) -> Vec<f64> {
    let dim = mesh.dim();
    mesh.nodes.iter().flat_map(|x| field(x).into_iter().take(dim)).collect()
}

/// The effective matrix assembled last, dense, in the order of the nodal unknowns that are not held.
pub fn dense(body: &Deformable) -> Vec<Vec<f64>> {
    let unknowns = body.numbering().unknowns();
    let mut sorted: Vec<u32> = unknowns.to_vec();
    sorted.sort_unstable();
    let place = |equation: usize| sorted.binary_search(&unknowns[equation]).unwrap();
    let n = unknowns.len();
    let mut full = vec![vec![0.0; n]; n];
    for (&value, (row, column)) in body.effective_matrix().lower() {
        let (i, j) = (place(row), place(column));
        full[i][j] = value;
        full[j][i] = value;
    }
    full
}

/// Eigenvalues of a symmetric matrix, ascending, by cyclic Jacobi rotations.
pub fn eigenvalues(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    let norm: f64 = a.iter().flatten().map(|x| x * x).sum::<f64>();
    for _ in 0..60 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        if off <= 1e-32 * norm {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = angle.sin_cos();
                for row in a.iter_mut() {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut values: Vec<f64> = (0..n).map(|i| a[i][i]).collect();
    values.sort_by(f64::total_cmp);
    values
}
