//! Contact in three stages: [`detection`] finds the points, [`condensation`] reduces the bodies to them, and a solver
//! ([`solvers`]) returns the reactions of the one [`problem`].

pub mod condensation;
pub mod cone;
pub mod detection;
pub mod fclib;
pub mod friction;
mod lumped;
pub mod problem;
pub mod quality;
mod redundancy;
mod rigid;
mod settling;
pub mod solvers;

use condensation::Condensation;
use cone::Status;
use detection::source::{Halfway, Iterate};
use detection::{
    Anchor, ContactPoint, Displaced, Identity, InStates, Intrusion, Level, Moment, Pairs, Pass, RigidPair, Vector, Zone,
};
use problem::LocalProblem;
use redundancy::Redundancy;
use rigid::{drifted, placed, placed_at, settle, start};
use settling::{Lingering, Settling};
use solvers::ContactSolver;

use crate::bodies::{Bodies, Body, BodyState, Span};
use crate::integrator::{Linearised, ReactionReport, Reactions, Verdict};

/// All declared contacts and the solver of their common problem.
pub struct Contact {
    /// The zones: bodies against obstacles.
    pub zones: Vec<Zone>,
    /// Rigid bodies against rigid bodies and obstacles.
    pub rigid: Vec<RigidPair>,
    /// Bodies against bodies.
    pub pairs: Pairs,
    solver: Box<dyn ContactSolver>,
    condensation: Condensation,
    problem: LocalProblem,
    redundancy: Redundancy,
    settling: Settling,
    lingering: Lingering,
    points: Vec<ContactPoint>,
    r: Vec<f64>,
    /// Reactions of the last solution by identity, sorted: the guess for the next one.
    remembered: Vec<(Identity, [f64; 3])>,
    /// Points at rate level that take part in the whole step, with the frame of its start.
    held_points: Vec<ContactPoint>,
    /// Gap of each point at the start of the step, in the frame of its last update.
    gap_at_start: Vec<f64>,
    iterations_in_step: usize,
    /// Times that the iterations of this step were taken up again.
    continued: usize,
    /// What was inside then, as a share of the size of its body.
    left_inside: f64,
    /// Steps in a row that were refused because something was inside.
    refused: usize,
    near: Vec<bool>,
    /// Whether the points at velocity level have still to be looked through, see [`Contact::foresee`].
    foreseeing: bool,
    /// The step.
    span: Span,
}

impl std::fmt::Debug for Contact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Contact({} zones, {})", self.zones.len(), self.solver.name())
    }
}

/// What contact did to one point in the last step.
#[derive(Debug, Clone, Copy)]
pub struct PointOutcome<'a> {
    /// The point.
    pub point: &'a ContactPoint,
    /// Mean reaction over the step in the point's frame.
    pub reaction: &'a [f64],
    /// Local displacement over the step, relative to the obstacle or the master.
    pub slide: [f64; 3],
    /// Work that the obstacle's own motion does on the body.
    pub wall_work: f64,
    /// Open, stick or slip.
    pub status: Status,
}

impl Contact {
    /// Iterations after which the geometry of a step is frozen: beyond it a point that hops between two faces would
    /// keep Newton's method from converging.
    const GEOMETRY_UPDATES: usize = 8;

    /// Times that a step which converged with something inside may iterate on, and how often while that halves each time what
    /// is inside: the place of contact on a curved obstacle settles linearly.
    const CONTINUED: [usize; 2] = [2, 20];

    /// Share of a body's size below which gaps do not differ.
    const SLACK: f64 = 1e-10;

    /// Share of a body's size by which edges and corners may enter at the end of a step at position level. They are held
    /// where edges cross, less exactly than nodes; a step that leaves them deeper is refused rather than believed.
    const DEEPEST: f64 = 1e-5;

    /// Share of a body's size that may be left inside where shorter and shorter steps do not settle on their contacts either. It
    /// is shown in `max_penetration`.
    const LEFT: f64 = 1e-6;

    /// Steps in a row, each shorter than the last, that are refused before that much is left inside.
    const PATIENCE: usize = 4;

    /// With a solver, zones and pairs.
    pub fn new(zones: Vec<Zone>, pairs: Pairs, solver: Box<dyn ContactSolver>) -> Self {
        Contact {
            zones,
            pairs,
            rigid: Vec::new(),
            solver,
            condensation: Condensation::default(),
            problem: LocalProblem::default(),
            redundancy: Redundancy::default(),
            settling: Settling::default(),
            lingering: Lingering::default(),
            points: Vec::new(),
            r: Vec::new(),
            remembered: Vec::new(),
            held_points: Vec::new(),
            gap_at_start: Vec::new(),
            iterations_in_step: 0,
            continued: 0,
            left_inside: f64::INFINITY,
            refused: 0,
            near: Vec::new(),
            foreseeing: false,
            span: Span::default(),
        }
    }

    /// Adds contacts between rigid bodies.
    pub fn with_rigid(mut self, pairs: Vec<RigidPair>) -> Self {
        self.rigid = pairs;
        self
    }

    /// Points and reactions of the last step, in order of identity, with their displacement from `u0` to `u1`.
    pub fn outcomes<'a>(
        &'a self,
        dim: usize,
        old: &'a [BodyState],
        new: &'a [BodyState],
    ) -> impl Iterator<Item = PointOutcome<'a>> + 'a {
        self.points.iter().enumerate().map(move |(i, point)| {
            let reaction = &self.r[i * dim..(i + 1) * dim];
            let mut moved = -point.wall;
            for (anchor, sign) in point.sides() {
                let (u0, u1) = (&old[anchor.body].u, &new[anchor.body].u);
                for (dof, way) in anchor.unknowns(dim) {
                    moved += sign * (u1[dof] - u0[dof]) * way;
                }
            }
            let slide = point.frame.map(|axis| axis.dot(&moved));
            let wall_work = (0..dim).map(|c| reaction[c] * point.frame[c].dot(&point.wall)).sum();
            PointOutcome { point, reaction, slide, wall_work, status: cone::status(reaction, &point.friction) }
        })
    }

    /// Deepest penetration of any surface node.
    pub fn penetration(&mut self, bodies: Bodies<'_>, states: &[BodyState]) -> f64 {
        let zones = self.zones.iter_mut();
        let deepest = zones.map(|z| z.penetration(&bodies[z.body], &states[z.body].u)).fold(0.0, f64::max);
        let deepest = self.rigid.iter_mut().map(RigidPair::penetration).fold(deepest, f64::max);
        self.pairs.penetration(&InStates(bodies, states)).max(deepest)
    }

    /// Whether any contact is imposed at this level.
    pub fn has_level(&self, level: Level) -> bool {
        self.zones.iter().any(|z| z.level == level)
            || self.rigid.iter().any(|p| p.level == level)
            || self.pairs.passes().iter().any(|p| p.terms.level == level)
    }

    /// What the next step takes from the last ones, as numbers: the largest reach of each zone and pair, then the reactions that the
    /// solver starts from, each behind its identity.
    pub fn memory(&self) -> Vec<f64> {
        let reactions = self.remembered.iter().flat_map(|(identity, r)| {
            let Identity { zone, pass, first, second } = *identity;
            [f64::from(zone), f64::from(pass), f64::from(first), f64::from(second), r[0], r[1], r[2]]
        });
        self.zones.iter().map(Zone::depth).chain(self.rigid.iter().map(RigidPair::depth)).chain(reactions).collect()
    }

    /// Takes over what [`Contact::memory`] gave.
    ///
    /// # Errors
    /// It belongs to another model.
    pub fn recall(&mut self, memory: &[f64]) -> Result<(), String> {
        let Some((depths, reactions)) = memory.split_at_checked(self.zones.len() + self.rigid.len()) else {
            return Err("its contacts do not fit".to_owned());
        };
        let (zones, pairs) = depths.split_at(self.zones.len());
        self.zones.iter_mut().zip(zones).for_each(|(zone, depth)| zone.set_depth(*depth));
        self.rigid.iter_mut().zip(pairs).for_each(|(pair, depth)| pair.set_depth(*depth));
        let (entries, []) = reactions.as_chunks::<7>() else { return Err("its reactions do not fit".to_owned()) };
        self.remembered.clear();
        // whole numbers, exact
        self.remembered.extend(entries.iter().map(|&[zone, pass, first, second, n, t1, t2]| {
            let identity = Identity { zone: zone as u32, pass: pass as u8, first: first as u32, second: second as u32 };
            (identity, [n, t1, t2])
        }));
        Ok(())
    }

    /// The condensed problem of the last iteration.
    pub fn problem(&self) -> &LocalProblem {
        &self.problem
    }

    /// Its solution, point by point.
    pub fn reactions(&self) -> &[f64] {
        &self.r
    }

    /// After the zones have looked around: points at rate level, and which bodies are near anything.
    fn restart(&mut self, bodies: Bodies<'_>, old: &[BodyState]) {
        let span = self.span;
        self.iterations_in_step = 0;
        self.continued = 0;
        self.left_inside = f64::INFINITY;
        self.settling.begin();
        self.foreseeing = span.is_explicit();
        self.near.clear();
        self.near.resize(bodies.len(), false);
        self.held_points.clear();
        for zone in self.zones.iter_mut().filter(|z| z.is_near()) {
            match zone.level {
                Level::Position => {
                    self.near[zone.body] = true;
                    zone.carrier.into_iter().for_each(|b| self.near[b] = true);
                }
                Level::Rate => {
                    let first = self.held_points.len();
                    zone.points(&bodies[zone.body], &old[zone.body].u, Moment::Start, &mut self.held_points);
                    let mut place = 0;
                    self.held_points.retain(|p| {
                        place += 1;
                        place <= first || p.gap <= 0.0
                    });
                    self.near[zone.body] |= self.held_points.len() > first;
                    zone.carrier.into_iter().for_each(|b| self.near[b] |= self.held_points.len() > first);
                }
                Level::Velocity => {
                    let (body, state) = (&bodies[zone.body], &old[zone.body]);
                    let first = self.held_points.len();
                    zone.points(body, &state.u, Moment::Start, &mut self.held_points);
                    let walls = |p: &ContactPoint| zone.wall_velocities(body, &state.u, p);
                    let slack = Self::SLACK * body.size();
                    impacts(&mut self.held_points, first, bodies, old, &span, (zone.restitution, slack), walls);
                    self.near[zone.body] |= self.held_points.len() > first;
                    zone.carrier.into_iter().for_each(|b| self.near[b] |= self.held_points.len() > first);
                }
            }
        }
        self.restart_rigid(old);
        let start = InStates(bodies, old);
        let (skins, passes) = self.pairs.parts();
        for pass in passes.iter_mut().filter(|p| p.is_near()) {
            let pair = [skins[pass.slave].body, skins[pass.master].body];
            let taking_part = match pass.terms.level {
                Level::Position => true,
                Level::Rate => pass.hold(skins, &start),
                Level::Velocity => {
                    let first = self.held_points.len();
                    pass.points(skins, &start, &mut self.held_points);
                    let slack = Self::SLACK * bodies[pair[0]].size().max(bodies[pair[1]].size());
                    let law = (pass.terms.restitution, slack);
                    impacts(&mut self.held_points, first, bodies, old, &span, law, |_| [Vector::zeros(); 2]);
                    self.held_points.len() > first
                }
            };
            for body in pair {
                self.near[body] |= taking_part;
            }
        }
    }

    fn remember(&mut self, dim: usize) {
        self.remembered.clear();
        for (point, r) in self.points.iter().zip(self.r.chunks_exact(dim)) {
            let mut reaction = [0.0; 3];
            reaction[..dim].copy_from_slice(r);
            self.remembered.push((point.identity, reaction));
        }
        self.remembered.sort_unstable_by_key(|(identity, _)| *identity);
    }

    /// Explicit steps start their iterations from where they lead without contact: of the points at velocity level those stay that
    /// this would close.
    fn foresee(&mut self, system: &[Linearised<'_>]) {
        self.held_points.retain(|p| {
            let mut way = -p.wall;
            let mut slack = 0.0f64;
            for (anchor, sign) in p.sides() {
                let body = &system[anchor.body];
                slack = slack.max(Self::SLACK * body.body.size());
                for (dof, unit) in anchor.unknowns(body.body.dim()) {
                    way += sign * (body.u[dof] - body.old.u[dof]) * unit;
                }
            }
            p.level != Level::Velocity || p.gap + p.frame[0].dot(&way) <= slack
        });
    }

    /// The points of the current iterate. The first iterations follow the geometry; later ones keep the frames and let
    /// the gap follow linearly.
    fn find_points(&mut self, system: &[Linearised<'_>]) {
        let follow = self.iterations_in_step < Self::GEOMETRY_UPDATES;
        if self.foreseeing {
            self.foresee(system);
            self.foreseeing = false;
        }
        if follow {
            self.lingering.clear();
            if self.continued > 0 {
                self.lingering.note(&self.points, &self.r, &self.gap_at_start);
            }
            self.points.clear();
            for zone in self.zones.iter_mut().filter(|z| z.level == Level::Position && z.is_near()) {
                let body = &system[zone.body];
                if let Body::Deformable(surface) = body.body {
                    rigid::carry(zone, Moment::End, |b| placed(system, b));
                    zone.points(surface, body.u, Moment::End, &mut self.points);
                }
            }
            for pair in self.rigid.iter_mut().filter(|p| p.level == Level::Position) {
                pair.place(Moment::End, |b| placed(system, b));
                pair.points(Moment::End, &mut self.points);
            }
            let (skins, passes) = self.pairs.parts();
            for pass in passes.iter_mut().filter(|p| p.is_near()) {
                match pass.terms.level {
                    Level::Position => pass.points(skins, &Iterate(system), &mut self.points),
                    // where forces and velocities of a conserving scheme are taken: no moment, no work
                    Level::Rate => pass.held_points(skins, &Halfway(system), &mut self.points),
                    Level::Velocity => {}
                }
            }
            self.points.extend_from_slice(&self.held_points);
            self.redundancy.prune(&mut self.points, |body| Self::SLACK * system[body].body.size());
            self.points.retain(|p| can_react(p, system));
            self.settling.settle(&mut self.points);
            self.points.iter_mut().for_each(|p| p.balance(&Halfway(system)));
            self.gap_at_start.clear();
        }
        let found = if follow { self.points.len() } else { 0 };
        if follow {
            self.lingering.join(&mut self.points);
        }
        for zone in self.zones.iter().filter(|z| z.carrier.is_some()) {
            let own = self.points.iter_mut().filter(|p| p.identity.zone == zone.number);
            own.for_each(|point| settle(zone, point, system));
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

impl Reactions for Contact {
    fn begin(&mut self, bodies: Bodies<'_>, old: &[BodyState], span: &Span) {
        self.span = *span;
        for zone in &mut self.zones {
            let state = &old[zone.body];
            rigid::carry(zone, Moment::Start, |b| start(bodies, old, b));
            rigid::carry(zone, Moment::End, |b| drifted(bodies, old, span.dt, b));
            zone.begin(&bodies[zone.body], &state.u, &state.v, span);
        }
        for pair in &mut self.rigid {
            pair.begin(span, |b| start(bodies, old, b), |b| drifted(bodies, old, span.dt, b));
        }
        let velocity =
            |body: usize, node: usize| Anchor::node(body, node as u32).value(bodies[body].dim(), &old[body].v);
        self.pairs.begin(&InStates(bodies, old), velocity, |body| bodies[body].size(), span);
        self.restart(bodies, old);
    }

    fn is_near(&self, body: usize) -> bool {
        self.near[body]
    }

    fn react(&mut self, system: &mut [Linearised<'_>]) -> Result<ReactionReport, String> {
        self.find_points(system);
        self.iterations_in_step += 1;
        let dim = system.first().map_or(2, |s| s.body.dim());
        self.condensation.condense(&self.points, system, &mut self.problem);
        self.r.clear();
        for point in &self.points {
            let known = self.remembered.binary_search_by_key(&point.identity, |(identity, _)| *identity);
            let guess = known.map_or([0.0; 3], |k| self.remembered[k].1);
            self.r.extend_from_slice(&guess[..dim]);
        }
        let report = if self.points.is_empty() {
            solvers::SolverReport::default()
        } else {
            // a guess that led nowhere must not follow the run into its shorter steps
            let remembered = &mut self.remembered;
            self.solver
                .solve(&self.problem, &mut self.r)
                .inspect_err(|_| remembered.clear())
                .map_err(|e| e.to_string())?
        };
        self.condensation.apply(&self.points, &self.r, system);
        self.remember(dim);
        let unsolved = usize::from(report.unsolved);
        if report.unsolved {
            log::warn!("the contact problem is solved to {:.3e} only; the run goes on", report.residual);
        }
        let points = self.points.len();
        Ok(ReactionReport { iterations: report.iterations, residual: report.residual, points, unsolved })
    }

    fn rescale(&mut self, share: f64) {
        self.r.iter_mut().for_each(|r| *r *= share);
    }

    fn verify(&mut self, bodies: Bodies<'_>, old: &[BodyState], u: &[&[f64]]) -> Result<Verdict, String> {
        let (mut unseen, mut inside) = (false, None);
        let mut deepest = 0.0f64;
        for zone in self.zones.iter_mut().filter(|z| z.level == Level::Position) {
            let body = &bodies[zone.body];
            rigid::carry(zone, Moment::End, |b| placed_at(bodies, u[b], b));
            match zone.intrusion(body, &old[zone.body].u, u[zone.body], 1e-9 * body.size()) {
                Intrusion::None => {}
                Intrusion::Unseen => unseen = true,
                Intrusion::Seen(depth) => {
                    deepest = deepest.max(depth / body.size());
                    let (body, obstacle) = (&body.name, &zone.obstacle.name);
                    inside = Some(format!("body {body} is {depth:.3e} m inside obstacle {obstacle}"));
                }
            }
        }
        for pair in &mut self.rigid {
            pair.place(Moment::End, |b| placed_at(bodies, u[b], b));
            let depth = if pair.level == Level::Position { pair.penetration() } else { 0.0 };
            deepest = deepest.max(depth / pair.size());
            if depth > 1e-9 * pair.size() {
                let [first, second] = pair.names();
                inside = Some(format!("{first} is {depth:.3e} m inside {second}"));
            }
        }
        let (start, end) = (InStates(bodies, old), Displaced(bodies, u));
        let at_position = |pass: &Pass| pass.terms.level == Level::Position;
        self.pairs.intrusion(
            &start,
            &end,
            at_position,
            |b| 1e-9 * bodies[b].size(),
            |[slave, master], intrusion| match intrusion {
                Intrusion::None => {}
                Intrusion::Unseen => unseen = true,
                Intrusion::Seen(depth) => {
                    deepest = deepest.max(depth / bodies[slave].size());
                    let (slave, master) = (&bodies[slave].name, &bodies[master].name);
                    inside = Some(format!("a node of body {slave} is {depth:.3e} m inside body {master}"));
                }
            },
        );
        if unseen {
            self.restart(bodies, old);
            return Ok(Verdict::Again);
        }
        for zone in self.zones.iter_mut().filter(|z| z.level == Level::Position) {
            let body = &bodies[zone.body];
            let depth = zone.penetration(body, u[zone.body]);
            deepest = deepest.max(depth / body.size());
            if inside.is_none() && depth > Self::DEEPEST * body.size() {
                let (body, obstacle) = (&body.name, &zone.obstacle.name);
                inside = Some(format!("an edge or corner of obstacle {obstacle} is {depth:.3e} m inside body {body}"));
            }
        }
        if let Some(problem) = &inside {
            log::debug!("{problem} after {} rounds of iterations", self.continued + 1);
            for (point, r) in self.points.iter().zip(self.r.chunks(self.problem.dim.max(1))) {
                log::trace!("{:?}, gap {:e}, n {:?}, r {r:?}", point.identity, point.gap, point.frame[0].as_slice());
            }
        }
        match inside {
            None => {
                self.refused = 0;
                Ok(Verdict::Holds)
            }
            Some(_) if self.continued < Self::CONTINUED[usize::from(deepest < 0.5 * self.left_inside)] => {
                self.continued += 1;
                self.left_inside = deepest;
                self.iterations_in_step = 0;
                Ok(Verdict::Iterate)
            }
            Some(_) if deepest <= Self::LEFT && self.refused >= Self::PATIENCE => Ok(Verdict::Holds),
            Some(problem) => {
                self.refused += 1;
                Err(problem)
            }
        }
    }
}

/// Of the points from `first` on, keeps those where the start velocity would close the gap within the step (Newton's law acts
/// there) and notes what that velocity makes of them. `law` is the restitution and the length below which gaps do not differ,
/// `walls` the velocities of an obstacle at the two ends of the step.
fn impacts(
    points: &mut Vec<ContactPoint>,
    first: usize,
    bodies: Bodies<'_>,
    old: &[BodyState],
    span: &Span,
    (restitution, slack): (f64, f64),
    walls: impl Fn(&ContactPoint) -> [Vector; 2],
) {
    let keep = 1.0 - span.rate * span.dt;
    let mut place = 0;
    points.retain_mut(|p| {
        place += 1;
        if place <= first {
            return true;
        }
        let v = p.relative(bodies.get(p.anchor.body).dim(), |body| old[body].v.as_slice());
        let wall = walls(p);
        let approach = p.frame[0].dot(&(v - wall[0]));
        p.start = p.frame.map(|axis| axis.dot(&(keep * v - wall[1])) / span.rate);
        p.start[0] += restitution * approach.min(0.0) / span.rate;
        // explicit steps know better where they lead, see [`Contact::foresee`]
        span.is_explicit() || p.gap + span.dt * approach <= slack
    });
}

/// Whether a force along the normal of a point could move anything: not if supports hold all it acts on.
fn can_react(point: &ContactPoint, system: &[Linearised<'_>]) -> bool {
    point.sides().any(|(anchor, _)| {
        let body = system[anchor.body].body;
        let mut unknowns = anchor.unknowns(body.dim());
        unknowns.any(|(dof, way)| body.numbering().of(dof).is_some() && point.frame[0].dot(&way).abs() > 1e-12)
    })
}
