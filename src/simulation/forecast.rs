//! How much memory a run will hold at its peak: what the model holds already, and what steps and results take besides.
//!
//! Factors are counted by the analysis before they are made. What contact takes hangs on how much touches, which nobody knows
//! before the run: a share of the nodes that may is assumed.

use super::Simulation;
use super::scene::Scene;
use crate::bodies::Deformable;
use crate::memory::{self, Free, amount};
use crate::mesh::surface::boundary;
use crate::output::{At, HistorySpec};

/// A run that would not fit.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the run would hold about {} at its peak, {} more than now; {free}", amount(*.peak), amount(*.more))]
pub struct TooLarge {
    /// Bytes at the peak.
    pub peak: u64,
    /// Bytes that are still to be taken.
    pub more: u64,
    /// What may be taken.
    pub free: Free,
}

/// Vectors over the unknowns of a body that a step works with.
const VECTORS: usize = 30;
/// Share of the nodes that may touch that do so at once.
const TOUCHING: f64 = 0.2;
/// Contact displacements of a body from which on `W` is not made.
const MOST_ROWS: usize = 2000;
/// Bytes that the HDF5 library keeps of a dataset while it is open, with the chunk at hand.
const DATASET: usize = 32 << 10;
/// Bytes of a facet of the judge's surfaces, with what making them takes.
const FACET: [usize; 2] = [300, 600];
/// Buffers of the result file and stacks of threads.
const FIXED: usize = 9 << 20;

/// Bytes that a run takes besides those held once its model is there.
fn later(simulation: &Simulation, scene: &Scene, history: &[HistorySpec]) -> usize {
    let of_bodies: usize = simulation.system.all().deformable().map(|(b, body)| of_body(simulation, b, body)).sum();
    let columns: usize = history.iter().map(|spec| spec.components).sum();
    let rows = simulation.planned_steps() as usize + 1;
    let frame = frame(scene);
    // the frame at hand, two batches, and what was stored last, to see what has changed
    let batch = frame.max((2 << 20).min(frame * frames(simulation)));
    of_bodies + 8 * columns * rows + DATASET * history.len() + 2 * frame + 2 * batch + FIXED
}

/// The surface of a body that may touch something, as the judge sees it: all of its boundary.
fn surface(simulation: &Simulation, b: usize, body: &Deformable) -> usize {
    let contact = simulation.contact();
    let touches = contact.zones.iter().any(|zone| zone.body == b) || contact.pairs.skins().iter().any(|s| s.body == b);
    if touches { FACET[body.dim() - 2] * boundary(&body.mesh).len() } else { 0 }
}

fn of_body(simulation: &Simulation, b: usize, body: &Deformable) -> usize {
    let vectors = 8 * VECTORS * body.dof_count() + surface(simulation, b, body);
    if simulation.explicit().is_some() {
        return vectors;
    }
    let (factor, matrix) = (body.factorization().entries(), body.effective_matrix().lower().nnz());
    let (zones, pairs) = (&simulation.contact().zones, &simulation.contact().pairs);
    let near = zones.iter().filter(|zone| zone.body == b).map(|zone| zone.nodes.len()).max().unwrap_or(0);
    let near =
        near.max(pairs.named().filter(|(slave, ..)| slave.body == b).map(|pair| pair.0.nodes.len()).max().unwrap_or(0));
    let touching = (TOUCHING * near as f64) as usize * body.dim();
    let touching = if touching < MOST_ROWS { touching } else { 0 };
    let equations = body.numbering().equation_count();
    // the kept matrix besides the factor; Y on half of the equations, W of the body and of the problem
    8 * (factor + matrix + touching * equations / 2 + 2 * touching * touching) + vectors
}

/// Bytes of one frame.
pub fn frame(scene: &Scene) -> usize {
    let count = |at: At| if at == At::Points { scene.grid.points.len() } else { scene.grid.cell_types.len() };
    let fields: usize = scene.specs().iter().map(|field| 8 * field.components * count(field.at)).sum();
    fields + 24 * scene.grid.points.len()
}

/// Frames of a run.
pub fn frames(simulation: &Simulation) -> usize {
    let (end, every) = (simulation.plan.time.end, simulation.plan.output.every);
    (end / every - 1e-9).ceil() as usize + 1
}

/// Bytes held at the peak, and how many of them are still to be taken. Where the system does not say what is held, the
/// second number is all there is.
pub fn peak(simulation: &Simulation, scene: &Scene, history: &[HistorySpec]) -> [u64; 2] {
    let [now, most] = memory::held().unwrap_or_default();
    let more = later(simulation, scene, history) as u64;
    [(now + more).max(most), more]
}

/// Refuses a run that would not fit.
///
/// # Errors
/// What it needs and what there is.
pub fn fits([peak, more]: [u64; 2]) -> Result<(), TooLarge> {
    match memory::free() {
        Some(free) if free.bytes < more => Err(TooLarge { peak, more, free }),
        _ => Ok(()),
    }
}
