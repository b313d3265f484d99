//! What the passes take from one step to the next, as plain numbers. Lists of what is near, trees and courses are made anew at the
//! start of a step.

use super::Pairs;

impl Pairs {
    /// Appends, pass by pass, its largest reach, the number of nodes that are inside, and those nodes with the facet each came
    /// through.
    pub fn memory(&self, out: &mut Vec<f64>) {
        for pass in &self.passes {
            out.extend([pass.depth, pass.through.len() as f64]);
            out.extend(pass.through.iter().flat_map(|&(k, facet)| [f64::from(k), f64::from(facet)]));
        }
    }

    /// Takes over what [`Pairs::memory`] gave and returns what follows it; `None` if it does not fit.
    pub fn recall<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        let mut rest = memory;
        for pass in &mut self.passes {
            let [depth, count, after @ ..] = rest else { return None };
            let (inside, after) = after.split_at_checked((*count as usize).checked_mul(2)?)?;
            pass.depth = *depth;
            pass.through.clear();
            // whole numbers, exact
            pass.through.extend(inside.as_chunks::<2>().0.iter().map(|&[k, facet]| (k as u32, facet as u32)));
            rest = after;
        }
        Some(rest)
    }
}
