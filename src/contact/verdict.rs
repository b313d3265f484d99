//! Whether the contact law holds where a step has converged.

use super::Bounded;
use super::detection::{Displaced, InStates, Intrusion, Level, Moment, Zone};
use super::rigid::{self, placed_at, start};
use super::settling::Settling;
use super::{Contact, parallel};
use crate::bodies::{Bodies, BodyState};
use crate::integrator::Verdict;

impl Contact {
    /// How often a step may iterate on that left this much inside.
    fn rounds(&self, inside: f64) -> usize {
        let (most, shrinks) = if self.span.moves { (Self::CONTINUED[1], Self::SHRINKS) } else { Self::IN_LOAD_STEPS };
        if inside < shrinks * self.left_inside { most } else { Self::CONTINUED[0] }
    }

    /// The iterations to come follow the geometry this often. In a round in which contacts settle, once: every place found is then that
    /// of an equilibrium.
    pub(super) fn go_on(&mut self, updates: usize) {
        (self.iterations_in_step, self.updates) = (0, updates);
    }

    /// One round more in which contacts settle.
    fn settle_on(&mut self) -> Verdict {
        if self.resettled == 0 {
            self.settling.begin();
        }
        self.resettled += 1;
        self.go_on(1);
        Verdict::Iterate
    }

    /// Looks for anything that entered unnoticed, see [`crate::integrator::Reactions::verify`].
    pub(super) fn judge(&mut self, bodies: Bodies<'_>, old: &[BodyState], u: &[&[f64]]) -> Result<Verdict, String> {
        // geometry that was kept over the last iterations may have been kept anywhere
        let kept = self.updates > 1 && self.iterations_in_step > self.updates;
        let unloaded = self.r.chunks_exact(self.problem.dim.max(1)).all(|r| r[0] <= 0.0);
        let ways = self.drift.ways(&self.points, |body| bodies.get(body).size());
        let follows = unloaded || ways.are_done(kept);
        let rounds = Self::RESETTLED[usize::from(ways.shrink(Self::SHRINKS))];
        if !follows && !kept && ways.are_short() && self.resettled < rounds && self.span.moves {
            // nothing enters on so short a way that would not be seen at its end; load steps may snap
            return Ok(self.settle_on());
        }
        let (mut unseen, mut inside) = (false, None);
        let (mut deepest, mut rigid) = (0.0f64, false);
        // load steps lead from one equilibrium to the next by no way at all
        let moves = self.span.moves;
        let intrusions = parallel::map(&mut self.zones, |_, zone| {
            let (body, u0, u1) = (bodies.with_nodes(zone.body), &old[zone.body].u, u[zone.body]);
            rigid::carry(zone, Moment::End, |b| placed_at(bodies, u[b], b));
            let through = moves && zone.passes_through(body, u0, u1);
            match zone.level {
                Level::Position => (zone.intrusion(body, u0, u1, Self::INSIDE * body.size()), through),
                Level::Rate | Level::Velocity => (Intrusion::None, through),
            }
        });
        for (zone, (intrusion, through)) in self.zones.iter().zip(intrusions) {
            let body = &bodies.with_nodes(zone.body);
            if through {
                return Err(format!("body {} goes through {} within the step", body.name, zone.obstacle.name));
            }
            match intrusion {
                Intrusion::None => {}
                Intrusion::Unseen => unseen = true,
                Intrusion::Seen(depth) => {
                    deepest = deepest.max(depth / body.size());
                    let (body, obstacle) = (&body.name, &zone.obstacle.name);
                    inside = Some(format!("body {body} is {depth:.3e} m inside obstacle {obstacle}"));
                }
            }
        }
        self.rigid.arrive(&self.span, |b| start(bodies, old, b), |b| placed_at(bodies, u[b], b));
        for pair in self.rigid.close_mut() {
            if pair.passes_through() {
                let [first, second] = pair.names();
                return Err(format!("{first} goes through {second} within the step"));
            }
            let depth = if pair.level == Level::Position { pair.penetration() } else { 0.0 };
            deepest = deepest.max(depth / pair.size());
            if depth <= Self::INSIDE * pair.size() && pair.level == Level::Position && pair.crosses() {
                let [first, second] = pair.names();
                return Err(format!("{first} lies across {second} at the end of the step"));
            }
            if depth > Self::INSIDE * pair.size() {
                let [first, second] = pair.names();
                inside = Some(format!("{first} is {depth:.3e} m inside {second}"));
                rigid = true;
            }
        }
        self.pairs.intrusion(
            &InStates(bodies, old),
            &Displaced(bodies, u),
            |b| Self::INSIDE * bodies.with_nodes(b).size(),
            |[slave, master], intrusion| match intrusion {
                Intrusion::None => {}
                Intrusion::Unseen => unseen = true,
                Intrusion::Seen(depth) => {
                    deepest = deepest.max(depth / bodies.with_nodes(slave).size());
                    let (slave, master) = (&bodies.with_nodes(slave).name, &bodies.with_nodes(master).name);
                    inside = Some(format!("a node of body {slave} is {depth:.3e} m inside body {master}"));
                }
            },
        );
        if unseen {
            self.restart(bodies, old);
            return Ok(Verdict::Again);
        }
        let depths = parallel::map(&mut self.zones, |_, zone| match zone.level {
            Level::Position => zone.penetration(bodies.with_nodes(zone.body), u[zone.body]),
            Level::Rate | Level::Velocity => 0.0,
        });
        let mut settled = follows
            && self.settling.longest_way(&self.points, &self.r) <= Settling::STILL
            && !self.points.iter().zip(self.r.chunks_exact(self.problem.dim.max(1))).any(|(point, r)| {
                let limit = Self::APART * bodies.get(point.anchor.body).size();
                r[0] > 0.0 && rigid::apart(point, &self.span, bodies, old, u) > limit
            });
        for (zone, depth) in self.zones.iter().zip(depths) {
            let body = &bodies.with_nodes(zone.body);
            settled &= depth <= Self::INSIDE * body.size();
            if depth > Self::DEEPEST * body.size() {
                deepest = deepest.max(depth / body.size());
                let (body, obstacle) = (&body.name, &zone.obstacle.name);
                inside = inside.or_else(|| {
                    Some(format!("an edge or corner of obstacle {obstacle} is {depth:.3e} m inside body {body}"))
                });
            }
        }
        if let Some(problem) = &inside {
            log::debug!("{problem} after {} rounds of iterations", self.continued + 1);
            for (point, r) in self.points.iter().zip(self.r.chunks(self.problem.dim.max(1))) {
                log::trace!("{:?}, gap {:e}, n {:?}, r {r:?}", point.identity, point.gap, point.frame[0].as_slice());
            }
        }
        match inside {
            None if !settled && self.resettled < rounds => Ok(self.settle_on()),
            None if self.gives_energy(bodies, old, u) => {
                self.go_on(Self::GEOMETRY_UPDATES);
                Ok(Verdict::Iterate)
            }
            None => {
                self.refused = 0;
                Ok(Verdict::Holds)
            }
            Some(_) if self.continued < self.rounds(deepest) => {
                self.zones.iter_mut().for_each(Zone::insist);
                let rigid = self.rigid.close_mut().filter(|pair| pair.level == Level::Position);
                rigid.for_each(|pair| pair.insist(Self::INSIDE * pair.size()));
                self.continued += 1;
                self.left_inside = deepest;
                self.go_on(Self::GEOMETRY_UPDATES);
                Ok(Verdict::Iterate)
            }
            // what is left of deformable bodies is for the judge to measure
            Some(_) if !rigid && deepest <= Bounded::NODES => Ok(Verdict::Holds),
            Some(_) if deepest <= Self::LEFT && self.refused >= Self::PATIENCE => Ok(Verdict::Holds),
            Some(problem) => {
                self.refused += 1;
                Err(problem)
            }
        }
    }
}
