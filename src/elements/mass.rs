//! Masses of elements.

use super::Shape;
use super::assembly::Vectors;
use super::kinematics::{invert, map_jacobian};
use super::section::Section;
use super::total_lagrangian::Lumping;
use crate::mesh::Mesh;

/// Calls `add(a, b, m)` with the node numbers and the mass `∫ρ N_a N_b` of every pair of nodes of every element; lumped, the
/// sum of each row goes to its node.
pub(super) fn element_masses<S: Shape<D, N>, const D: usize, const N: usize>(
    mesh: &Mesh,
    elements: &[[u32; N]],
    density: f64,
    section: Section,
    lumping: Lumping,
    add: &mut dyn FnMut(usize, usize, f64),
) {
    for nodes in elements {
        let x: Vectors<D, N> = nodes.map(|n| std::array::from_fn(|i| mesh.nodes[n as usize][i]));
        let points = S::MASS_RULE.iter().map(|(xi, weight)| {
            let n = S::values(xi);
            let (_, det) = invert(&map_jacobian(&x, &S::gradients(xi)));
            (n, density * section.measure((0..N).map(|a| n[a] * x[a][0]).sum()) * weight * det)
        });
        if lumping == Lumping::Lumped {
            // Σ_b N_b = 1
            let mut m = [0.0; N];
            for (n, mass) in points {
                for a in 0..N {
                    m[a] += mass * n[a];
                }
            }
            for a in 0..N {
                add(nodes[a] as usize, nodes[a] as usize, m[a]);
            }
            continue;
        }
        let mut m = [[0.0; N]; N];
        for (n, mass) in points {
            for a in 0..N {
                for b in 0..N {
                    m[a][b] += mass * n[a] * n[b];
                }
            }
        }
        for a in 0..N {
            for b in 0..N {
                add(nodes[a] as usize, nodes[b] as usize, m[a][b]);
            }
        }
    }
}
