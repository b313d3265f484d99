//! The order of elimination follows the cells of a mesh and not its measures: a slab whose cells are a thousand times thinner
//! than long, straight or turned, has the factor of one with the same topology and cubes for cells. (Cut across its longest
//! side in metres, the slab of 3 × 3000 × 2 cells had 843 million entries instead of 12 million.)

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::bodies::{Deformable, DeformableSpec};
use impakt::materials::{Law, Material, NeoHooke};
use impakt::mesh::generate::{Block, SolidCells, block};
use support::claims::source;
use support::{Random, at_most};

/// Entries of the factor of a block of these cells, of these measures, turned.
fn entries(divisions: [usize; 3], max: [f64; 3], turn: &[[f64; 3]; 3], cells: SolidCells) -> f64 {
    let mut mesh = block(&Block { min: [0.0; 3], max, divisions, cells }).unwrap();
    for place in &mut mesh.nodes {
        *place = std::array::from_fn(|i| (0..3).map(|k| turn[i][k] * place[k]).sum());
    }
    let material = Material { density: 1.0, law: Law::NeoHooke(NeoHooke::new(1.0, 0.3)) };
    Deformable::new(DeformableSpec::new("block", mesh, material)).unwrap().factorization().entries() as f64
}

#[test]
fn thin_cells_fill_no_more_than_cubes() {
    source("the same graph in other coordinates: least fill is a property of the graph");
    let mut random = Random::new(21);
    for cells in [SolidCells::Hexes, SolidCells::Tets] {
        for divisions in [[3, 400, 2], [14, 14, 3], [9, 9, 9]] {
            let cubes = entries(divisions, divisions.map(|n| n as f64), &random.rotation(0), cells);
            for measures in [[60.0, 60.0, 20.0], [1.0, 1000.0, 30.0], [1000.0, 1.0, 1.0]] {
                for dim in [0, 3] {
                    let thin = entries(divisions, measures, &random.rotation(dim), cells);
                    let what = format!("{divisions:?} {cells:?}, {measures:?}, turned {}", dim > 0);
                    // a turned cut runs askew to the cells
                    let allowed = if dim > 0 { 1.6 } else { 1.05 };
                    at_most(format!("{what}: entries / those of cubes"), thin / cubes, allowed);
                }
            }
        }
    }
}

/// Entries grow with the length of a slab, not with its square.
#[test]
fn the_factor_of_a_slab_grows_with_its_length() {
    source("separators of a slab have the nodes of its cross-section, whatever its length");
    let none = Random::new(1).rotation(0);
    let [short, long] = [500, 4000].map(|n| entries([3, n, 2], [0.06, 0.06, 0.02], &none, SolidCells::Hexes));
    at_most("entries at 8 times the length, ratio", long / short, 8.4);
    at_most("entries of [3, 4000, 2] in millions", long / 1e6, 17.0);
}
