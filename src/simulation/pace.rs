//! The length of the next step: of fixed length, or adapted to how hard the last one was. Both end each stretch of time (a
//! fixed step, or the interval between two frames) exactly, and both answer a step that failed with a shorter one.

use crate::model::Adaptive;

/// Where a run stands between the times it has to meet.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    end: f64,
    /// Length of a stretch.
    stretch: f64,
    /// Time before the end that is not worth a stretch of its own, see [`Pace::SLIVER`].
    sliver: f64,
    /// Stretches done.
    done: u64,
    rule: Rule,
}

#[derive(Debug, Clone)]
enum Rule {
    /// The stretch itself, halved `halvings` times.
    Fixed { halvings: u32, max_halvings: u32 },
    /// `wanted`, as far as it divides what is left of the stretch.
    Adaptive { wanted: f64, options: Adaptive },
    /// The stable step of the explicit scheme, halved `halvings` times.
    Stable { limit: f64, halvings: u32, max_halvings: u32 },
}

/// What a step was like, for the length of the next one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Newton iterations.
    pub(super) iterations: usize,
    /// Numerical dissipation of the step relative to the largest energy so far.
    pub(super) dissipation: f64,
}

impl Pace {
    /// Bounds of the change from one step to the next.
    const CHANGE: (f64, f64) = (0.5, 1.5);
    /// A step no longer than this many times the shortest one counts as the shortest: equal parts of a stretch may be longer
    /// than the length wanted by a rounding unit.
    const SHORTEST: f64 = 1.0 + 1e-6;
    /// What is left before the end, as a share of a step, that is not worth one of its own and joins the last one: a velocity is
    /// a difference of places over the length of the step, so that the round-off of a sliver's velocities grows with one over its
    /// length. At a hundredth it leaves some 1e-12 of the energy.
    pub(super) const SLIVER: f64 = 1e-2;
    /// Share by which equal steps may be longer than what was wanted: that of rounding.
    pub(super) const LONGER: f64 = 1e-6;
    /// Halvings for the sake of accuracy.
    const REFINED: u32 = 4;
    /// Differences of times, as a share of the time, that are rounding.
    const ROUNDING: f64 = 4.0 * f64::EPSILON;

    pub(super) fn fixed(end: f64, step: f64, max_halvings: u32) -> Self {
        Pace {
            end,
            stretch: step,
            sliver: Self::SLIVER * step,
            done: 0,
            rule: Rule::Fixed { halvings: 0, max_halvings },
        }
    }

    pub(super) fn adaptive(end: f64, every: f64, initial: f64, options: Adaptive) -> Self {
        let rule = Rule::Adaptive { wanted: initial, options };
        Pace { end, stretch: every, sliver: Self::SLIVER * initial.min(every), done: 0, rule }
    }

    pub(super) fn stable(end: f64, every: f64, limit: f64, max_halvings: u32) -> Self {
        let rule = Rule::Stable { limit, halvings: 0, max_halvings };
        Pace { end, stretch: every, sliver: Self::SLIVER * limit.min(every), done: 0, rule }
    }

    /// Tells the stable step, where that is what steps follow.
    pub(super) fn limit(&mut self, stable: f64) {
        if let Rule::Stable { limit, .. } = &mut self.rule {
            *limit = stable;
        }
    }

    /// Stretches of the whole run.
    pub(super) fn stretches(&self) -> u64 {
        ((self.end - self.sliver) / self.stretch).ceil().max(1.0) as u64
    }

    pub(super) fn is_done(&self) -> bool {
        self.done >= self.stretches()
    }

    /// The time at which a stretch begins.
    fn boundary(&self, stretch: u64) -> f64 {
        if stretch >= self.stretches() {
            return self.end;
        }
        // Where the stretch is one n-th of a second, k/n is the decimal number a reader would ask for; k·Δt may miss it by a
        // rounding unit, and VTK then returns the frame before.
        let per_second = (1.0 / self.stretch).round();
        if (per_second * self.stretch - 1.0).abs() < 1e-12 {
            stretch as f64 / per_second
        } else {
            stretch as f64 * self.stretch
        }
    }

    /// The next step from `time`: its length, and the time it must end at if it ends a stretch.
    pub(super) fn next(&self, time: f64) -> (f64, Option<f64>) {
        let target = self.boundary(self.done + 1);
        let remaining = target - time;
        let dt = match &self.rule {
            Rule::Fixed { halvings, .. } => {
                let parts = f64::from(1u32 << halvings);
                let wanted = (target - self.boundary(self.done)) / parts;
                let ends = wanted * (1.0 + Self::SLIVER) >= remaining;
                let dt = if ends { remaining } else { wanted };
                // the rounding of times must not make every step another one: matrices of linear bodies would never be the same
                let nominal = self.stretch / parts;
                let dt = if (dt - nominal).abs() <= Self::ROUNDING * target { nominal } else { dt };
                return (dt, ends.then_some(target));
            }
            // as many equal steps as it takes: no sliver is left before the end of the stretch
            Rule::Adaptive { wanted, .. } => remaining / (remaining / wanted - Self::LONGER).ceil().max(1.0),
            Rule::Stable { limit, halvings, .. } => {
                remaining / (remaining * f64::from(1u32 << halvings) / limit - Self::LONGER).ceil().max(1.0)
            }
        };
        (dt, (dt == remaining).then_some(target))
    }

    /// Stretches done, and where the rule stands.
    pub(super) fn state(&self) -> [f64; 2] {
        let rule = match &self.rule {
            Rule::Fixed { halvings, .. } | Rule::Stable { halvings, .. } => f64::from(*halvings),
            Rule::Adaptive { wanted, .. } => *wanted,
        };
        [self.done as f64, rule]
    }

    /// Goes on from `time` with a state that was taken there.
    pub(super) fn resume(&mut self, time: f64, state: &[f64]) -> Result<(), String> {
        let [done, rule] = *state else { return Err("its step lengths do not fit".to_owned()) };
        self.done = done as u64;
        if self.done < self.stretches() && self.boundary(self.done) > time + self.sliver {
            // it had ended within a stretch, and now goes on to the end of it
            self.done = ((time + self.sliver) / self.stretch).floor() as u64;
        }
        match &mut self.rule {
            // the stable step itself is told before each step
            Rule::Fixed { halvings, max_halvings } | Rule::Stable { halvings, max_halvings, .. } => {
                *halvings = (rule as u32).min(*max_halvings);
            }
            Rule::Adaptive { wanted, options } => *wanted = rule.clamp(options.min, options.max),
        }
        Ok(())
    }

    /// Largest share of the energy that the scheme may lose or make in a step.
    fn bound(&self) -> f64 {
        match &self.rule {
            Rule::Adaptive { options, .. } => options.energy.unwrap_or(f64::INFINITY),
            Rule::Fixed { .. } | Rule::Stable { .. } => f64::INFINITY,
        }
    }

    /// Whether a step loses or makes more energy than the case allows.
    pub(super) fn exceeds(&self, effort: Effort) -> bool {
        effort.dissipation > self.bound()
    }

    /// Whether a converged step may stay: not if the scheme lost or made more energy than the case allows and a shorter
    /// one can be tried.
    pub(super) fn tolerates(&self, dt: f64, effort: Effort) -> bool {
        match &self.rule {
            Rule::Adaptive { options, .. } => !self.exceeds(effort) || dt <= Self::SHORTEST * options.min,
            Rule::Fixed { .. } | Rule::Stable { .. } => true,
        }
    }

    /// Whether a step that converged, but not well, is worth doing again shorter: to a sixteenth, or the shortest one.
    pub(super) fn refines(&self, dt: f64) -> bool {
        match &self.rule {
            Rule::Fixed { halvings, max_halvings } | Rule::Stable { halvings, max_halvings, .. } => {
                *halvings < Self::REFINED.min(*max_halvings)
            }
            Rule::Adaptive { options, .. } => dt > Self::SHORTEST * options.min,
        }
    }

    /// After a step of length `dt` that stays; `ended` says that it ended a stretch.
    pub(super) fn accept(&mut self, dt: f64, ended: bool, effort: Effort) {
        self.done += u64::from(ended);
        match &mut self.rule {
            Rule::Fixed { halvings, .. } | Rule::Stable { halvings, .. } => *halvings = halvings.saturating_sub(1),
            Rule::Adaptive { wanted, options } => {
                let (slow, fast) = Self::CHANGE;
                let iterations = effort.iterations.max(1) as f64;
                let mut change = (f64::from(options.iterations) / iterations).sqrt();
                if let Some(bound) = options.energy
                    && effort.dissipation > 0.0
                {
                    // the loss of a step grows at least with the square of its length
                    change = change.min(0.9 * (bound / effort.dissipation).sqrt());
                }
                let change = change.clamp(slow, fast);
                // a step cut to meet a time says nothing against the length that was wanted
                let next = if change >= 1.0 { wanted.max(change * dt) } else { change * dt };
                *wanted = next.clamp(options.min, options.max);
            }
        }
    }

    /// After a step of length `dt` that failed: `false` if no shorter one is allowed.
    pub(super) fn retry(&mut self, dt: f64) -> bool {
        match &mut self.rule {
            Rule::Fixed { halvings, max_halvings } | Rule::Stable { halvings, max_halvings, .. } => {
                let shorter = *halvings < *max_halvings;
                *halvings += u32::from(shorter);
                shorter
            }
            Rule::Adaptive { wanted, options } => {
                let shorter = dt > Self::SHORTEST * options.min;
                *wanted = (0.5 * dt).max(options.min);
                shorter
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EASY: Effort = Effort { iterations: 1, dissipation: 0.0 };

    fn adaptive(min: f64, max: f64) -> Adaptive {
        Adaptive { min, max, iterations: 8, energy: Some(0.1) }
    }

    /// Steps that always fail end, also where equal parts of a stretch are longer than the shortest step by rounding.
    #[test]
    fn failing_steps_come_to_an_end() {
        for stretch in [0.1, 0.3 * (1.0 + 1e-10), 1e-3] {
            let mut pace = Pace::adaptive(1.0, stretch, 0.1, adaptive(0.1 / 3.0, 0.1));
            let tries = (0..100).take_while(|_| pace.retry(pace.next(0.0).0)).count();
            assert!(tries < 10, "{tries} tries in a stretch of {stretch}");
            let hard = Effort { iterations: 1, dissipation: 1.0 };
            assert!(pace.tolerates(pace.next(0.0).0, hard), "the shortest step is taken as it is");
        }
        let mut pace = Pace::fixed(1.0, 0.5, 3);
        assert_eq!((0..100).take_while(|_| pace.retry(pace.next(0.0).0)).count(), 3);
        assert_eq!(pace.next(0.0), (0.0625, None));
    }

    /// √(8/n), between one half and one and a half, and never beyond the limits.
    #[test]
    fn the_length_follows_the_iterations() {
        for (iterations, wanted) in [(1, 0.15), (8, 0.1), (18, 0.1 * f64::sqrt(8.0 / 18.0)), (200, 0.05)] {
            let mut pace = Pace::adaptive(100.0, 100.0, 0.1, adaptive(1e-3, 10.0));
            let (dt, _) = pace.next(0.0);
            pace.accept(dt, false, Effort { iterations, dissipation: 0.0 });
            let (next, _) = pace.next(dt);
            assert!((next - wanted).abs() < 1e-3 * wanted, "{iterations} iterations: {next} in place of {wanted}");
        }
        let mut pace = Pace::adaptive(100.0, 100.0, 0.1, adaptive(1e-3, 0.12));
        for _ in 0..20 {
            pace.accept(pace.next(0.0).0, false, EASY);
        }
        assert!(pace.next(0.0).0 <= 0.12);
    }

    /// What is left before a frame is cut into equal parts, and the length wanted comes back after it.
    #[test]
    fn frames_are_met_without_slivers() {
        let mut pace = Pace::adaptive(1.0, 0.25, 0.1, adaptive(1e-3, 0.1));
        let (mut time, mut lengths) = (0.0, Vec::new());
        while !pace.is_done() {
            let (dt, target) = pace.next(time);
            time = target.unwrap_or(time + dt);
            pace.accept(dt, target.is_some(), EASY);
            lengths.push(dt);
        }
        assert_eq!(time, 1.0);
        assert_eq!(lengths.len(), 12);
        assert!(lengths.iter().all(|dt| (dt - 0.25 / 3.0).abs() < 1e-12), "{lengths:?}");
    }

    /// An end that is a whole number of steps but for a sliver, above or below, takes that number of steps of about that length.
    #[test]
    fn no_sliver_is_left_before_the_end() {
        for off in [-1e-4, -1e-8, -1e-12, 0.0, 1e-12, 1e-10, 1e-8, 3e-7, 1e-5, 9e-4] {
            for adapts in [false, true] {
                let end = 10.0 * 0.1 * (1.0 + off);
                let mut pace = match adapts {
                    true => Pace::adaptive(end, 0.1, 0.1, adaptive(1e-3, 0.1)),
                    false => Pace::fixed(end, 0.1, 8),
                };
                let (mut time, mut count) = (0.0, 0);
                while !pace.is_done() {
                    let (dt, target) = pace.next(time);
                    // steps that adapt are equal parts of what is left, no longer than wanted
                    let least = if adapts { 0.05 } else { 0.0998 };
                    assert!((least..=0.10101).contains(&dt), "a step of {dt} at {time}, end {end}");
                    time = target.unwrap_or(time + dt);
                    pace.accept(dt, target.is_some(), EASY);
                    count += 1;
                }
                assert!(time == end && (10..=11).contains(&count), "{count} steps to {time}");
            }
        }
        // a remainder that is more than rounding is a step
        let pace = Pace::fixed(1.0 + 2e-3, 0.1, 8);
        assert_eq!(pace.stretches(), 11);
    }
}
