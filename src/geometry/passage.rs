//! Whether the way of a step leads through a shape: outside at its start and at its end, and inside in between. A step shows only its
//! ends; where a shape is thinner than the way, places in between are looked at too.

/// A way that may lead through something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Passage {
    /// How far anything goes at most, as what it may go through sees it.
    pub way: f64,
    /// Way up to which nothing is on the other side unseen; infinite of what has no other side.
    pub seen: f64,
    /// Way between two looks.
    pub apart: f64,
    /// How much deeper than at the start something must be on the way to be inside: ways that curve are looked at along chords, and
    /// where steps may end inside they also begin so.
    pub deeper: f64,
}

/// Most places on the way that are looked at. A step that is longer is cut, and looked at again.
const LOOKS: usize = 128;

impl Passage {
    /// Whether it does; `depth` is how deep something is inside when a share of the way is over.
    pub fn leads_through(&self, mut depth: impl FnMut(f64) -> f64) -> bool {
        if !self.seen.is_finite() || self.way <= self.seen {
            return false;
        }
        let looks = ((self.way / self.apart).ceil() as usize).min(LOOKS);
        let limit = self.deeper + depth(0.0);
        (1..=looks).any(|k| depth(k as f64 / looks as f64) > limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A place that goes along a line through a ball of radius one, and one that passes it by.
    #[test]
    fn a_ball_on_the_way_is_seen() {
        let passage = Passage { way: 20.0, seen: 0.25, apart: 0.2, deeper: 0.2 };
        let depth = |height: f64| move |share: f64| (1.0 - (20.0 * share - 10.0).hypot(height)).max(0.0);
        assert!(passage.leads_through(depth(0.5)));
        assert!(!passage.leads_through(depth(0.9)), "less deep than the limit");
        assert!(!Passage { way: 0.2, ..passage }.leads_through(|_| 1.0), "a short way is seen at its ends");
        assert!(!Passage { seen: f64::INFINITY, ..passage }.leads_through(|_| 1.0), "a half space has no other side");
        // what begins inside goes through only where it comes deeper
        assert!(!passage.leads_through(|share| 0.5 + 0.1 * share));
    }
}
