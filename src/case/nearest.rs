//! "Did you mean ...?": the valid name nearest to a mistyped one.

/// The candidate nearest to `name`, if it is near enough to be a typing error: at most two edits or a third of the
/// length, whichever is larger, and never as many edits as the name has characters.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody mistypes a name of this length, and the distance costs the product of both lengths.
    const LONGEST: usize = 100;
    let typed: Vec<char> = name.chars().collect();
    if typed.is_empty() || typed.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 4 * LONGEST)
        .map(|candidate| {
            let letters: Vec<char> = candidate.chars().collect();
            let allowed = (typed.len().max(letters.len()) / 3).max(2).min(typed.len().max(letters.len()) - 1);
            (letters, allowed, candidate)
        })
        // At least as many edits as the lengths differ: most candidates need no table.
        .filter(|(letters, allowed, _)| letters.len().abs_diff(typed.len()) <= *allowed)
        .map(|(letters, allowed, candidate)| (distance(&typed, &letters), allowed, candidate))
        .filter(|(distance, allowed, _)| distance <= allowed)
        .min_by_key(|(distance, _, _)| *distance)
        .map(|(_, _, candidate)| candidate)
}

/// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and swaps of
/// neighbours, without regard to upper and lower case.
fn distance(a: &[char], b: &[char]) -> usize {
    let same = |x: char, y: char| x == y || x.to_lowercase().eq(y.to_lowercase());
    let width = b.len() + 1;
    let mut before = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; width];
        for j in 1..=b.len() {
            let cost = usize::from(!same(a[i - 1], b[j - 1]));
            let mut best = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) {
                best = best.min(before[j - 2] + 1);
            }
            row[j] = best;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(a: &str, b: &str) -> usize {
        distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    #[test]
    fn distances() {
        assert_eq!(measure("radius", "radius"), 0);
        assert_eq!(measure("raduis", "radius"), 1);
        assert_eq!(measure("radus", "radius"), 1);
        assert_eq!(measure("", "abc"), 3);
        assert_eq!(measure("Foam", "foam"), 0);
        assert_eq!(measure("ca", "abc"), 3);
    }

    #[test]
    fn a_far_name_is_no_suggestion() {
        let keys = ["radius", "centre", "core", "layers", "cells"];
        assert_eq!(nearest("raduis", keys), Some("radius"));
        assert_eq!(nearest("center", keys), Some("centre"));
        assert_eq!(nearest("velocity", keys), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("", keys), None);
    }
}
