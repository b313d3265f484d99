//! Contact in three stages: [`detection`] finds the points, [`condensation`] reduces the bodies to them, and a solver
//! ([`solvers`]) returns the reactions of the one [`problem`].

pub mod by_products;
pub mod condensation;
pub mod cone;
pub mod detection;
mod drift;
pub mod fclib;
mod finding;
pub mod friction;
mod held;
mod islands;
mod judge;
pub mod linearised;
mod lingering;
mod lumped;
mod memory;
pub mod problem;
pub mod quality;
mod redundancy;
mod restart;
mod rigid;
mod settling;
pub mod solvers;
mod verdict;
mod workless;

use condensation::{Condensation, Operator};
use cone::Status;
use detection::{Anchor, ContactPoint, Identity, InStates, Level, Moment, Pairs, RigidPair, RigidPairs, Zone};
use drift::Drift;
use held::Held;
use islands::Islands;
pub use judge::Report;
use judge::{Bounded, Judge};
use lingering::Lingering;
use problem::LocalProblem;
use redundancy::Redundancy;
use rigid::{drifted, start};
use settling::Settling;
use solvers::{ContactSolver, LeastWork};
use workless::Workless;

use std::time::Instant;

use crate::bodies::{Bodies, BodyState, Span};
use crate::integrator::{Linearised, ReactionReport, Reactions, Verdict};
use crate::parallel;

/// All declared contacts and the solver of their common problem.
pub struct Contact {
    /// The zones: bodies against obstacles.
    pub zones: Vec<Zone>,
    /// Rigid bodies against rigid bodies and obstacles.
    pub rigid: RigidPairs,
    /// Bodies against bodies.
    pub pairs: Pairs,
    solver: Box<dyn ContactSolver>,
    operator: Operator,
    condensation: Condensation,
    problem: LocalProblem,
    least_work: LeastWork,
    islands: Islands,
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
    /// How many of them follow the geometry.
    updates: usize,
    /// Times that the iterations of this step were taken up again.
    continued: usize,
    /// Times that they were because places of contact had not settled.
    resettled: usize,
    drift: Drift,
    /// What was inside then, as a share of the size of its body.
    left_inside: f64,
    /// Steps in a row that were refused because something was inside.
    refused: usize,
    near: Vec<bool>,
    workless: Workless,
    /// Whether the points at velocity level have still to be looked through, see [`Contact::foresee`].
    foreseeing: bool,
    /// The step.
    span: Span,
    judge: Judge,
    held: Held,
    times: Times,
}

impl std::fmt::Debug for Contact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Contact({} zones, {})", self.zones.len(), self.solver.name())
    }
}

/// Seconds spent so far in the stages of contact.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// Finding points, in every iteration and when a step begins and ends.
    pub detection: f64,
    /// Reducing the bodies to them, and back; summed over threads.
    pub condensation: f64,
    /// Solving for the reactions.
    pub solution: f64,
    /// Judging what is inside where a step ends.
    pub judgement: f64,
}

/// Adds the time that `work` takes.
fn timed<R>(seconds: &mut f64, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let done = work();
    *seconds += start.elapsed().as_secs_f64();
    done
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

    /// Times that a step which converged with something inside may iterate on, and how often while that shrinks each time what
    /// is inside: places of contact on curved obstacles and beside facets that turn settle linearly, and where several facets roll
    /// over an obstacle, in turns.
    const CONTINUED: [usize; 2] = [8, 30];

    /// Times that it may do so because places of contact have not settled although nodes are outside: a place that is off by `δ` leaves
    /// `δ²/2R` inside, so that gaps tell little of it. And how often while they come nearer each time.
    const RESETTLED: [usize; 2] = [8, 16];

    /// By what factor at least.
    const SHRINKS: f64 = 0.75;

    /// The same in load steps: a shorter step does not bring an equilibrium nearer, so that patience is all there is.
    const IN_LOAD_STEPS: (usize, f64) = (200, 0.98);

    /// Share of a body's size below which gaps do not differ.
    const SLACK: f64 = 1e-10;

    /// Share of a body's size by which a reaction may act on two rigid bodies apart from each other.
    const APART: f64 = 1e-11;

    /// Share of a body's size beyond which something is inside at the end of a step at position level, so that iterations go on.
    const INSIDE: f64 = 1e-9;

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
            rigid: RigidPairs::default(),
            solver,
            operator: Operator::Auto,
            condensation: Condensation::default(),
            problem: LocalProblem::default(),
            least_work: LeastWork::default(),
            islands: Islands::default(),
            redundancy: Redundancy::default(),
            settling: Settling::default(),
            lingering: Lingering::default(),
            points: Vec::new(),
            r: Vec::new(),
            remembered: Vec::new(),
            held_points: Vec::new(),
            gap_at_start: Vec::new(),
            iterations_in_step: 0,
            updates: Self::GEOMETRY_UPDATES,
            continued: 0,
            resettled: 0,
            drift: Drift::default(),
            left_inside: f64::INFINITY,
            refused: 0,
            near: Vec::new(),
            workless: Workless::default(),
            foreseeing: false,
            span: Span::default(),
            judge: Judge::default(),
            held: Held::default(),
            times: Times::default(),
        }
    }

    /// Adds contacts between rigid bodies.
    pub fn with_rigid(mut self, pairs: RigidPairs) -> Self {
        self.rigid = pairs;
        self
    }

    /// Decides how `W` is handed to the solver; one that needs its rows gets them anyway.
    pub fn handing_over(mut self, operator: Operator) -> Self {
        self.operator = operator;
        self
    }

    /// From now on `W` is a matrix, for those who want to look at it.
    pub fn keep_matrix(&mut self) {
        self.operator = Operator::Stored;
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

    /// What is inside at the end of the last step that was verified. Nodes that are inside note the facet they came through.
    pub fn report(&mut self, bodies: Bodies<'_>, states: &[BodyState]) -> Report {
        self.pairs.penetration(&InStates(bodies, states));
        let report = self.judge.report().clone();
        let depth = self.rigid.close_mut().map(RigidPair::penetration).fold(report.depth, f64::max);
        Report { depth, ..report }
    }

    /// Whether any contact is imposed at this level.
    pub fn has_level(&self, level: Level) -> bool {
        self.zones.iter().any(|z| z.level == level) || self.rigid.has_level(level) || self.pairs.has_level(level)
    }

    /// Seconds spent so far.
    pub fn times(&self) -> Times {
        let condensation = self.times.condensation + self.condensation.seconds();
        Times { condensation, ..self.times }
    }

    /// The condensed problem of the last iteration; its `W` is empty where it was handed over by products.
    pub fn problem(&self) -> &LocalProblem {
        &self.problem
    }

    /// Its solution, point by point.
    pub fn reactions(&self) -> &[f64] {
        &self.r
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
}

impl Contact {
    /// Lets the judge look at a step that detection believes in.
    fn confirm(&mut self, bodies: Bodies<'_>, old: &[BodyState], u: &[&[f64]]) -> Result<Verdict, String> {
        let begun = Instant::now();
        let mut judge = std::mem::take(&mut self.judge);
        let found = judge.look(self, bodies, old, u).first().copied();
        let refused = found.map(|finding| judge.say(self, &finding));
        self.judge = judge;
        self.times.judgement += begun.elapsed().as_secs_f64();
        if self.catch() {
            log::debug!("{}: held, and the step is done again", refused.as_deref().unwrap_or("edges are inside"));
            self.restart(bodies, old);
            return Ok(Verdict::Again);
        }
        if let Some(refused) = refused {
            return Err(refused);
        }
        self.keep();
        Ok(Verdict::Holds)
    }
}

impl Reactions for Contact {
    fn begin(&mut self, bodies: Bodies<'_>, old: &[BodyState], span: &Span) {
        let begun = Instant::now();
        self.span = *span;
        self.workless.begin();
        let velocity = |body: usize, node: usize| {
            Anchor::node(body, node as u32).value(bodies.with_nodes(body).dim(), &old[body].v)
        };
        let Contact { zones, pairs, .. } = self;
        let begin_zones = || {
            parallel::each(zones, |_, zone| {
                let state = &old[zone.body];
                rigid::carry(zone, Moment::Start, |b| start(bodies, old, b));
                rigid::carry(zone, Moment::End, |b| drifted(bodies, old, span.dt, b));
                zone.begin(bodies.with_nodes(zone.body), &state.u, &state.v, span);
            });
        };
        parallel::both(begin_zones, || {
            pairs.begin(&InStates(bodies, old), velocity, |body| bodies.with_nodes(body).size(), span);
        });
        self.rigid.begin(span, |b| start(bodies, old, b), |b| drifted(bodies, old, span.dt, b));
        self.restart(bodies, old);
        self.hold_on(bodies, old);
        self.times.detection += begun.elapsed().as_secs_f64();
    }

    fn is_near(&self, body: usize) -> bool {
        self.near[body]
    }

    fn find(&mut self, system: &[Linearised<'_>]) {
        let begun = Instant::now();
        self.find_points(system);
        self.iterations_in_step += 1;
        let operator = if self.solver.works_by_products() { self.operator } else { Operator::Stored };
        self.condensation.share_out(&self.points, system, operator);
        self.times.detection += begun.elapsed().as_secs_f64();
    }

    fn condense(&self, b: usize, body: &Linearised<'_>) {
        self.condensation.condense(&self.points, b, body);
    }

    fn solve(&mut self, system: &[Linearised<'_>]) -> Result<ReactionReport, String> {
        let dim = system.first().map_or(2, |s| s.body.dim());
        let Times { condensation, solution, .. } = &mut self.times;
        timed(condensation, || self.condensation.gather(&self.points, system, &mut self.problem))
            .map_err(|e| e.to_string())?;
        self.problem.rounding = rigid::rounding(&self.points, system);
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
            timed(solution, || match self.condensation.products(&self.problem, system) {
                Some(products) => self.solver.solve(&products, &mut self.r),
                None if self.points.iter().any(rigid::is_between_rigid) => {
                    let Contact { solver, least_work, points, problem, r, .. } = self;
                    self.islands.solve(solver.as_mut(), least_work, points, problem, r)
                }
                None => self.solver.solve(&self.problem, &mut self.r),
            })
            .inspect_err(|_| remembered.clear())
            .map_err(|e| e.to_string())?
        };
        self.remember(dim);
        let unsolved = usize::from(report.unsolved);
        if report.unsolved {
            log::warn!("the contact problem is solved to {:.3e} only; the run goes on", report.residual);
        }
        let points = self.points.len();
        Ok(ReactionReport { iterations: report.iterations, residual: report.residual, points, unsolved })
    }

    fn push(&self, b: usize, body: &mut Linearised<'_>) {
        self.condensation.push(&self.points, &self.r, b, body);
    }

    fn rescale(&mut self, share: f64) {
        self.r.iter_mut().for_each(|r| *r *= share);
    }

    fn verify(&mut self, bodies: Bodies<'_>, old: &[BodyState], u: &[&[f64]]) -> Result<Verdict, String> {
        let begun = Instant::now();
        let verdict = self.judge(bodies, old, u);
        self.times.detection += begun.elapsed().as_secs_f64();
        match verdict {
            Ok(Verdict::Holds) => self.confirm(bodies, old, u),
            other => other,
        }
    }
}
