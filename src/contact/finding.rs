//! The points of an iteration: found, thinned out, settled, and placed so that they give no moment.

use super::detection::source::{Halfway, Iterate};
use super::detection::{ContactPoint, Level, Moment, Pass, Vector, Zone};
use super::rigid::{self, placed, settle};
use super::{Contact, parallel};
use crate::bodies::Body;
use crate::integrator::Linearised;

impl Contact {
    /// Explicit steps start their iterations from where they lead without contact: of the points at velocity level those stay that
    /// this would close.
    fn foresee(&mut self, system: &[Linearised<'_>]) {
        self.held_points.retain(|p| {
            let slack = p.sides().map(|(anchor, _)| Self::SLACK * system[anchor.body].body.size()).fold(0.0, f64::max);
            p.level != Level::Velocity || p.gap + p.frame[0].dot(&(moved(p, system) - p.wall)) <= slack
        });
    }

    /// The points of the current iterate. The first iterations follow the geometry; later ones keep the frames and let
    /// the gap follow linearly.
    pub(super) fn find_points(&mut self, system: &[Linearised<'_>]) {
        let follow = self.iterations_in_step < self.updates;
        if self.foreseeing {
            self.foresee(system);
            self.foreseeing = false;
        }
        if follow {
            self.lingering.clear();
            if self.continued > 0 {
                self.lingering.note(&self.points, &self.r, &self.gap_at_start);
            }
            self.drift.take(&mut self.points, &self.r);
            let asked = |zone: &Zone| zone.level == Level::Position && zone.is_near();
            let whole = |pass: &Pass| pass.terms.level != Level::Velocity;
            let Contact { zones, pairs, .. } = self;
            let find_in_zones = || {
                parallel::each(zones, |_, zone| {
                    let body = &system[zone.body];
                    if let (true, Body::Deformable(surface)) = (asked(zone), body.body) {
                        rigid::carry(zone, Moment::End, |b| placed(system, b));
                        zone.find(surface, body.u);
                    }
                });
            };
            parallel::both(find_in_zones, || pairs.find(&Iterate(system), &Halfway(system), whole));
            for zone in self.zones.iter().filter(|zone| asked(zone)) {
                self.points.extend_from_slice(zone.found());
            }
            for pair in self.rigid.close_mut().filter(|p| p.level == Level::Position) {
                pair.place(Moment::End, |b| placed(system, b));
                pair.points(Moment::End, &mut self.points);
            }
            for pair in self.rigid.close_mut().filter(|p| p.level == Level::Rate) {
                pair.place(Moment::End, |b| placed(system, b));
                self.points.extend(pair.held_points(&self.span));
            }
            self.pairs.join(whole, &mut self.points);
            self.points.extend_from_slice(&self.held_points);
            self.add_held(system);
            self.redundancy.prune(&mut self.points, |body| Self::SLACK * system[body].body.size());
            self.points.retain(|p| can_react(p, system));
            self.settling.settle(&mut self.points, self.updates == 1, |body| system[body].body.size());
            for point in self.points.iter_mut().filter(|p| p.level == Level::Position && p.is_on_rigid()) {
                let body = &system[point.anchor.body];
                let zone = self.zones.binary_search_by_key(&point.identity.zone, |zone| zone.number);
                if let (Ok(k), Body::Deformable(surface)) = (zone, body.body) {
                    self.zones[k].conserve(surface, body.u, point);
                }
            }
            self.gap_at_start.clear();
        }
        let found = if follow { self.points.len() } else { 0 };
        if follow {
            self.lingering.join(&mut self.points);
        }
        self.points.iter_mut().for_each(|p| p.balance(&Halfway(system)));
        self.workless.turn(&mut self.points[..found]);
        if self.zones.iter().any(|zone| zone.carrier.is_some()) {
            for point in &mut self.points {
                // zones stand in the order of their numbers
                let zone = self.zones.binary_search_by_key(&point.identity.zone, |zone| zone.number);
                if let Some(zone) = zone.ok().map(|k| &self.zones[k]).filter(|zone| zone.carrier.is_some()) {
                    settle(zone, point, system);
                }
            }
        }
        for (i, point) in self.points.iter_mut().enumerate() {
            let mut approach = 0.0;
            for (anchor, sign) in point.sides() {
                let body = &system[anchor.body];
                for (dof, way) in anchor.unknowns(body.body.dim()) {
                    approach += sign * point.frame[0].dot(&way) * (body.u[dof] - body.old.u[dof]);
                }
            }
            if i < found {
                self.gap_at_start.push(point.gap - approach);
                continue;
            }
            if follow {
                self.gap_at_start.push(self.lingering.gap_at_start(i - found));
            }
            point.gap = self.gap_at_start[i] + approach;
        }
    }
}

/// Displacement of a point of the body relative to the master, over the step up to the current iterate.
fn moved(point: &ContactPoint, system: &[Linearised<'_>]) -> Vector {
    let mut way = Vector::zeros();
    for (anchor, sign) in point.sides() {
        let body = &system[anchor.body];
        for (dof, unit) in anchor.unknowns(body.body.dim()) {
            way += sign * (body.u[dof] - body.old.u[dof]) * unit;
        }
    }
    way
}

/// Whether a force along the normal of a point could move anything: not if supports hold all it acts on.
fn can_react(point: &ContactPoint, system: &[Linearised<'_>]) -> bool {
    point.sides().any(|(anchor, _)| {
        let body = system[anchor.body].body;
        let mut unknowns = anchor.unknowns(body.dim());
        unknowns.any(|(dof, way)| body.numbering().of(dof).is_some() && point.frame[0].dot(&way).abs() > 1e-12)
    })
}
