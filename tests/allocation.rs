//! Assembly and factorisation allocate nothing once they have run: counted by a global allocator of our own. Elements are
//! the hot loop of every run; a stray allocation there costs more than the arithmetic.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use impakt::bodies::{Deformable, DeformableSpec};
use impakt::elements::ForceRule;
use impakt::materials::{BlatzKo, Law, Material, NeoHooke};
use impakt::mesh::generate::{Block, Disc, PlaneCells, SolidCells, block, disc};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed on unchanged to the system allocator; counting has no effect on memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// One test only: a second one in this process would allocate at the same time.
#[test]
fn assembly_and_factorisation_do_not_allocate_after_the_first_time() {
    let disc = disc(&Disc { radius: 1.0, centre: [0.0; 2], core: 6, layers: 3, cells: PlaneCells::Quads });
    let corners = Block { min: [0.0; 3], max: [1.0; 3], divisions: [4, 4, 4], cells: SolidCells::Hexes };
    let laws = [Law::BlatzKo(BlatzKo::new(3e6)), Law::NeoHooke(NeoHooke::new(1e6, 0.3))];
    for (mesh, law) in [disc.expect("disc"), block(&corners).expect("block")].into_iter().zip(laws) {
        let (nodes, dim) = (mesh.node_count(), mesh.dim());
        let mut body =
            Deformable::new(DeformableSpec::new("body", mesh, Material { density: 1000.0, law })).expect("body");
        let (u0, mut force) = (vec![0.0; nodes * dim], vec![0.0; nodes * dim]);
        let u1: Vec<f64> = (0..nodes * dim).map(|k| 1e-3 * (k as f64).sin()).collect();
        let mut solution = vec![1.0; body.numbering().equation_count()];
        for round in 0..3 {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            for rule in [ForceRule::End, ForceRule::Intermediate(0.5), ForceRule::DiscreteGradient] {
                body.internal_force(rule, &u0, &u1, &mut force, Some((1e10, 0.5))).expect("force");
                body.internal_force(rule, &u0, &u1, &mut force, None).expect("force");
            }
            body.factor().expect("factor");
            body.factorization().solve(&mut solution);
            let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert!(round == 0 || count == 0, "{count} allocations in round {round} of a {dim}D body");
        }
    }
}
