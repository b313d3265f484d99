//! What a pass takes from one step to the next, as plain numbers. Lists of what is near, trees and courses are made anew at the
//! start of a step.

use super::Pass;

impl Pass {
    /// Appends its largest reach, the number of nodes that are inside, and those nodes with the facet each came through.
    pub(in crate::contact) fn memory(&self, out: &mut Vec<f64>) {
        out.extend([self.depth, self.through.len() as f64]);
        out.extend(self.through.iter().flat_map(|&(k, facet)| [f64::from(k), f64::from(facet)]));
    }

    /// Takes over what [`Pass::memory`] gave and returns what follows it; `None` if it does not fit.
    pub(in crate::contact) fn recall<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        let [depth, count, after @ ..] = memory else { return None };
        let (inside, after) = after.split_at_checked((*count as usize).checked_mul(2)?)?;
        self.depth = *depth;
        self.through.clear();
        // whole numbers, exact
        self.through.extend(inside.as_chunks::<2>().0.iter().map(|&[k, facet]| (k as u32, facet as u32)));
        Some(after)
    }
}
