//! What a pass takes from one step to the next, as plain numbers. Lists of what is near, trees and courses are made anew at the
//! start of a step.

use super::Pass;

impl Pass {
    /// Appends its largest reach, the numbers of nodes that are inside and of edges in front of each other, those nodes with the facet
    /// each came through, and those edges.
    pub(in crate::contact) fn memory(&self, out: &mut Vec<f64>) {
        out.extend([self.depth, self.through.len() as f64, self.edges_in_front.len() as f64]);
        let pairs = self.through.iter().chain(&self.edges_in_front);
        out.extend(pairs.flat_map(|&(k, other)| [f64::from(k), f64::from(other)]));
    }

    /// Takes over what [`Pass::memory`] gave and returns what follows it; `None` if it does not fit.
    pub(in crate::contact) fn recall<'a>(&mut self, memory: &'a [f64]) -> Option<&'a [f64]> {
        let [depth, inside, in_front, after @ ..] = memory else { return None };
        // whole numbers, exact
        let pairs_of = |count: &f64, from: &'a [f64], out: &mut Vec<(u32, u32)>| {
            let (pairs, after) = from.split_at_checked((*count as usize).checked_mul(2)?)?;
            out.clear();
            out.extend(pairs.as_chunks::<2>().0.iter().map(|&[k, other]| (k as u32, other as u32)));
            Some(after)
        };
        self.depth = *depth;
        let after = pairs_of(inside, after, &mut self.through)?;
        pairs_of(in_front, after, &mut self.edges_in_front)
    }
}
