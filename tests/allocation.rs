//! Assembly, factorisation and contact solvers allocate nothing once they have run: counted by a global allocator of our own, for
//! the thread that asks (the work here is too little to be shared, and the harness allocates when it pleases).
//! Elements are the hot loop of every run; a stray allocation there costs more than the arithmetic.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use impakt::bodies::{Deformable, DeformableSpec};
use impakt::contact::problem::{BlockMatrix, LocalProblem};
use impakt::contact::solvers::ALL;
use impakt::elements::ForceRule;
use impakt::materials::{BlatzKo, Law, Material, NeoHooke};
use impakt::mesh::generate::{Block, Disc, PlaneCells, SolidCells, block, disc};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn allocations() -> u64 {
    ALLOCATIONS.get()
}

// SAFETY: every call is handed on unchanged to the system allocator; counting has no effect on memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn hot_loops_do_not_allocate_after_the_first_time() {
    contact_solvers();
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
            let before = allocations();
            for rule in [ForceRule::End, ForceRule::Intermediate(0.5), ForceRule::DiscreteGradient] {
                body.internal_force(rule, &u0, &u1, &mut force, Some((1e10, 0.5))).expect("force");
                body.internal_force(rule, &u0, &u1, &mut force, None).expect("force");
            }
            body.factor().expect("factor");
            body.factorization().solve(&mut solution);
            let count = allocations() - before;
            assert!(round == 0 || count == 0, "{count} allocations in round {round} of a {dim}D body");
        }
    }
}

/// Chains of points, each coupled to its neighbours (`W` sparse) or to all (dense): the second solution by the same solver, from
/// zero again, finds all its memory in place.
fn contact_solvers() {
    for (dim, points) in [(2, 12), (3, 12), (3, 60)] {
        let size = dim * points;
        let coupled = |i: usize, j: usize| points == 12 || (i / dim).abs_diff(j / dim) <= 1;
        let far = |i: usize, j: usize| 0.3 / (1.0 + i.abs_diff(j) as f64);
        let entry = |i: usize, j: usize| if i == j { 2.0 } else { far(i, j) };
        let w: Vec<f64> = (0..size * size)
            .map(|k| (k / size, k % size))
            .map(|(i, j)| if coupled(i, j) { entry(i, j) } else { 0.0 })
            .collect();
        let q: Vec<f64> = (0..size).map(|k| if k % dim == 0 { -1.0 } else { (k as f64).sin() }).collect();
        let mut problem = LocalProblem::dense(dim, &w, &q, &vec![0.3; points]);
        if points > 12 {
            problem = sparse(&problem, coupled);
        }
        for solver in &ALL {
            let mut built = (solver.build)(1e-10, None);
            for round in 0..3 {
                let mut r = vec![0.0; size];
                let before = allocations();
                let outcome = built.solve(&problem, &mut r);
                let count = allocations() - before;
                assert!(outcome.is_ok(), "{}: {outcome:?}", solver.name);
                assert!(
                    round == 0 || count == 0,
                    "{count} allocations in round {round} of {}, {points} points",
                    solver.name
                );
            }
        }
    }
}

/// The same problem without the blocks of points that are not coupled.
fn sparse(problem: &LocalProblem, coupled: impl Fn(usize, usize) -> bool) -> LocalProblem {
    let (d, mut w) = (problem.dim, BlockMatrix { offsets: vec![0], ..BlockMatrix::default() });
    for i in 0..problem.len() {
        for j in (0..problem.len()).filter(|&j| coupled(i * d, j * d)) {
            if i == j {
                w.diagonal.push(w.columns.len());
            }
            w.columns.push(j as u32);
            w.blocks.extend_from_slice(&problem.w.blocks[(i * problem.len() + j) * d * d..][..d * d]);
        }
        w.offsets.push(w.columns.len());
    }
    LocalProblem { w, ..problem.clone() }
}
