//! One position: its candidates, their problem, and what follows from the forces.

use std::time::Instant;

use super::bodies::Body;
use super::pairs::{Arm, Extent, Line, Setting, ToothPair, candidate, tooth_pairs};
use crate::contact::linearised::{Candidate, Coupling, LinearisedError, LinearisedSolver, Solution, couple};

/// A candidate that carries load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loaded {
    /// Roll lengths on driver and driven gear.
    pub rolls: [f64; 2],
    /// Normal force.
    pub force: f64,
    /// Friction, positive as past the pitch point.
    pub friction: f64,
    /// Force over its share of the flank.
    pub pressure: f64,
    /// Whether it is a tip corner, where no pressure is bounded.
    pub corner: bool,
}

/// The load of a pair of teeth.
#[derive(Debug, Clone, PartialEq)]
pub struct PairLoad {
    /// Number of the mesh.
    pub mesh: usize,
    /// Number of the pair in its mesh.
    pub pair: i32,
    /// Distance past the pitch point.
    pub zeta: f64,
    /// Sum of the normal forces.
    pub normal: f64,
    /// Sum of friction.
    pub friction: f64,
    /// What carries it.
    pub loaded: Vec<Loaded>,
}

impl PairLoad {
    /// The largest pressure away from corners.
    pub fn pressure(&self) -> f64 {
        self.loaded.iter().filter(|l| !l.corner).fold(0.0, |a, l| a.max(l.pressure))
    }
}

/// The largest tension in the fillets of a gear.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fillet {
    /// Tangential stress.
    pub stress: f64,
    /// Number of the tooth.
    pub tooth: i32,
    /// Distance from the centre of the gear.
    pub radius: f64,
}

/// What came out of a position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Position {
    /// Roll of the first driver's base circle from the pitch point.
    pub travel: f64,
    /// Share of the cycle.
    pub phase: f64,
    /// What each gear stays behind in radians, the first driver with 0.
    pub behind: Vec<f64>,
    /// Torque on the first driver.
    pub input_torque: f64,
    /// Loads of the pairs that touch.
    pub pairs: Vec<PairLoad>,
    /// Fillet of each gear.
    pub fillets: Vec<Fillet>,
    /// Load along the line of action over the transmission error there.
    pub secant: f64,
    /// Its derivative.
    pub tangent: f64,
    /// Strain energy of all gears.
    pub energy: f64,
    /// What the judge says of the solution.
    pub residual: f64,
    /// Pivots or iterations.
    pub steps: usize,
    /// Forces on the kept unknowns of each gear: number and value.
    pub forces: Vec<Vec<(usize, f64)>>,
    /// All candidates: both ends and the normal force.
    pub candidates: Vec<([[f64; 2]; 2], f64)>,
}

impl Position {
    /// Transmission error of the last gear in radians.
    pub fn error(&self) -> f64 {
        self.behind.last().copied().unwrap_or(0.0)
    }

    /// Pairs of teeth of a mesh that carry load.
    pub fn touching(&self, mesh: usize) -> usize {
        self.pairs.iter().filter(|p| p.mesh == mesh && p.normal > 0.0).count()
    }
}

/// The candidates of a position and how they are coupled.
pub(super) struct Scene {
    pub(super) travel: f64,
    pub(super) pairs: Vec<ToothPair>,
    /// Pair and line of each candidate.
    pub(super) of: Vec<(usize, usize)>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) arms: Vec<Arm>,
    pub(super) coupling: Coupling,
}

/// Why a position has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PositionError {
    /// The problem was not solved.
    #[error("{0}")]
    Unsolved(#[from] LinearisedError),
    /// A pair that was left out would have closed.
    #[error(
        "a pair that was left out, further apart than {distance:.3e} m or beside the candidates, would have closed"
    )]
    Excluded {
        /// Largest separation of the candidates.
        distance: f64,
    },
}

impl Scene {
    pub(super) fn new(setting: &Setting<'_>, travel: f64, extent: Extent, tangential: bool) -> Self {
        let mut pairs = Vec::new();
        for (number, mesh) in setting.meshes.iter().enumerate() {
            let segments = [0, 1].map(|k| setting.bodies[mesh.wheels[k].gear].flank);
            pairs.extend(tooth_pairs(mesh, number, travel, segments, &setting.rules, extent));
        }
        let mut scene = Scene {
            travel,
            pairs,
            of: Vec::new(),
            candidates: Vec::new(),
            arms: Vec::new(),
            coupling: Coupling::default(),
        };
        for (p, pair) in scene.pairs.iter().enumerate() {
            for (l, line) in pair.lines.iter().enumerate() {
                if let Some((candidate, arm)) = candidate(setting, travel, pair, line) {
                    scene.of.push((p, l));
                    scene.candidates.push(candidate);
                    scene.arms.push(arm);
                }
            }
        }
        let compliances: Vec<_> = setting.bodies.iter().map(|body| &body.compliance).collect();
        scene.coupling = couple(&scene.candidates, &compliances, setting.frames, tangential);
        scene
    }

    /// Where there is no candidate nothing can carry the load; the smallest separation of all teeth says how far off they are.
    pub(super) fn has_candidates(&self, setting: &Setting<'_>) -> Result<(), LinearisedError> {
        if !self.candidates.is_empty() {
            return Ok(());
        }
        let mut smallest = f64::INFINITY;
        for (number, mesh) in setting.meshes.iter().enumerate() {
            let segments = [0, 1].map(|k| setting.bodies[mesh.wheels[k].gear].flank);
            let all = Extent { width: mesh.pitch, distance: f64::INFINITY };
            let pairs = tooth_pairs(mesh, number, self.travel, segments, &setting.rules, all);
            smallest = pairs.iter().flat_map(|p| &p.lines).fold(smallest, |a, line| a.min(line.gap));
        }
        Err(LinearisedError::Unstable { smallest })
    }

    pub(super) fn line(&self, candidate: usize) -> (&ToothPair, &Line) {
        let (p, l) = self.of[candidate];
        (&self.pairs[p], &self.pairs[p].lines[l])
    }

    /// Solves with sliding imposed.
    pub(super) fn solve(
        &self,
        solver: &dyn LinearisedSolver,
        friction: f64,
        loads: &[f64],
    ) -> Result<(Solution, Vec<f64>, Measures), LinearisedError> {
        let problem = self.coupling.imposed(friction, loads);
        let solution = solver.solve(&problem)?;
        let drags = solution.forces.iter().zip(&self.coupling.signs).map(|(p, s)| friction * s * p).collect();
        let mut unit = vec![0.0; loads.len()];
        unit.last_mut().into_iter().for_each(|x| *x = 1.0);
        let slope = problem.response(&solution, &unit).and_then(|x| x.last().copied()).unwrap_or(f64::NAN);
        let measures = Measures { residual: problem.residual(&solution), slope };
        Ok((solution, drags, measures))
    }

    /// Whether a pair that is no candidate would have closed.
    pub(super) fn check(
        &self,
        setting: &Setting<'_>,
        solution: &Solution,
        extent: Extent,
    ) -> Result<(), PositionError> {
        let excluded = Err(PositionError::Excluded { distance: extent.distance });
        let most = solution.forces.iter().fold(0.0f64, |a, x| a.max(*x));
        for (i, force) in solution.forces.iter().enumerate() {
            let (pair, _) = self.line(i);
            let l = self.of[i].1;
            let edge = l == 0 && pair.cut[0] || l + 1 == pair.lines.len() && pair.cut[1];
            if edge && *force > 1e-9 * most {
                return excluded;
            }
        }
        // a pair of teeth that is left out is opened further by every force near it; only the turning closes it
        for (number, mesh) in setting.meshes.iter().enumerate() {
            let behind = |k: usize| setting.unknown[mesh.wheels[k].gear].map_or(0.0, |j| solution.frames[j]);
            let closed = behind(1) * mesh.wheels[1].profile.base - behind(0) * mesh.wheels[0].profile.base;
            let segments = [0, 1].map(|k| setting.bodies[mesh.wheels[k].gear].flank);
            let all = Extent { distance: closed.max(extent.distance), ..extent };
            let wider = tooth_pairs(mesh, number, self.travel, segments, &setting.rules, all);
            if closed > extent.distance && wider.iter().any(|p| !self.has(number, p.pair)) {
                return excluded;
            }
        }
        Ok(())
    }

    fn has(&self, mesh: usize, pair: i32) -> bool {
        self.pairs.iter().any(|p| p.mesh == mesh && p.pair == pair)
    }

    /// Everything that follows from the forces.
    pub(super) fn evaluate(
        &self,
        setting: &Setting<'_>,
        solution: &Solution,
        drags: &[f64],
        measures: Measures,
        torque: f64,
    ) -> Position {
        let behind: Vec<f64> = setting.unknown.iter().map(|u| u.map_or(0.0, |j| solution.frames[j])).collect();
        let base = setting.meshes.last().map_or(1.0, |mesh| mesh.wheels[1].profile.base);
        let input = |i: usize| self.arms[i].push[0] * solution.forces[i] + self.arms[i].drag[0] * drags[i];
        let first = setting.meshes.first().map_or(0, |mesh| mesh.wheels[0].gear);
        let drives = |i: &usize| setting.meshes[self.line(*i).0.mesh].wheels[0].gear == first;
        let forces = self.nodal(setting, &solution.forces, drags);
        let moved: Vec<Vec<f64>> =
            setting.bodies.iter().zip(&forces).map(|(body, list)| displacements(body, list)).collect();
        let energy = forces.iter().zip(&moved).map(|(f, u)| 0.5 * f.iter().map(|(k, x)| x * u[*k]).sum::<f64>()).sum();
        Position {
            travel: self.travel,
            phase: 0.0,
            input_torque: (0..self.candidates.len()).filter(drives).map(input).sum(),
            pairs: self.loads(setting, &solution.forces, drags),
            fillets: setting.bodies.iter().zip(&moved).map(|(body, u)| fillet(body, u)).collect(),
            secant: torque / (base * base * behind.last().copied().unwrap_or(f64::NAN)),
            tangent: 1.0 / (base * base * measures.slope),
            behind,
            energy,
            residual: measures.residual,
            steps: solution.steps,
            forces,
            candidates: (0..self.candidates.len()).map(|i| (self.ends(setting, i), solution.forces[i])).collect(),
        }
    }

    /// Places of both points of a candidate.
    fn ends(&self, setting: &Setting<'_>, i: usize) -> [[f64; 2]; 2] {
        let (pair, line) = self.line(i);
        let mesh = &setting.meshes[pair.mesh];
        [0, 1].map(|wheel| mesh.place(wheel, pair.zeta, line.rolls[wheel]))
    }

    /// Forces on the kept unknowns of each gear: number and value.
    pub(super) fn nodal(&self, setting: &Setting<'_>, forces: &[f64], drags: &[f64]) -> Vec<Vec<(usize, f64)>> {
        let mut lists = vec![Vec::new(); setting.bodies.len()];
        for (candidate, (p, f)) in self.candidates.iter().zip(forces.iter().zip(drags)) {
            if *p == 0.0 && *f == 0.0 {
                continue;
            }
            for side in &candidate.sides {
                let list: &mut Vec<(usize, f64)> = &mut lists[side.body];
                list.extend((0..4).map(|k| (2 * side.first + k, p * side.push[k] + f * side.drag[k])));
            }
        }
        lists
    }

    fn loads(&self, setting: &Setting<'_>, forces: &[f64], drags: &[f64]) -> Vec<PairLoad> {
        let mut loads: Vec<PairLoad> = Vec::new();
        for (p, pair) in self.pairs.iter().enumerate() {
            let own: Vec<usize> = (0..self.of.len()).filter(|&i| self.of[i].0 == p).collect();
            let normal: f64 = own.iter().map(|&i| forces[i]).sum();
            if normal <= 0.0 {
                continue;
            }
            let wheels = &setting.meshes[pair.mesh].wheels;
            let width = wheels.iter().map(|w| setting.bodies[w.gear].width).fold(f64::INFINITY, f64::min);
            let loaded = own.iter().filter(|&&i| forces[i] > 0.0).map(|&i| {
                let (l, lines) = (self.of[i].1, &pair.lines);
                let line = &lines[l];
                Loaded {
                    rolls: line.rolls,
                    force: forces[i],
                    friction: drags[i],
                    pressure: pressure(lines, l, |k| own.get(k).map_or(0.0, |&i| forces[i])) / width,
                    corner: line.corner.is_some() || beside_corner(lines, l),
                }
            });
            loads.push(PairLoad {
                mesh: pair.mesh,
                pair: pair.pair,
                zeta: pair.zeta,
                normal,
                friction: own.iter().map(|&i| drags[i]).sum(),
                loaded: loaded.collect(),
            });
        }
        loads
    }
}

/// Force over length at a line, of it and its neighbours as 1 : 2 : 1: between the nodes of two meshes of like spacing single forces
/// alternate, and their mean does not.
fn pressure(lines: &[Line], l: usize, force: impl Fn(usize) -> f64) -> f64 {
    let share = |k: usize| {
        let (before, after) = (k.max(1) - 1, (k + 1).min(lines.len() - 1));
        0.5 * (lines[after].across - lines[before].across)
    };
    let (mut sum, mut length) = (0.0, 0.0);
    for (k, weight) in [(l.wrapping_sub(1), 1.0), (l, 2.0), (l + 1, 1.0)] {
        if k < lines.len() {
            sum += weight * force(k);
            length += weight * share(k);
        }
    }
    sum / length
}

/// Whether a line stands next to a tip corner or at the end of the flank.
fn beside_corner(lines: &[Line], l: usize) -> bool {
    let near = |k: usize| lines.get(k).is_none_or(|line| line.corner.is_some());
    near(l + 1) || l == 0 || near(l - 1)
}

/// What only the solved problem knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measures {
    pub(super) residual: f64,
    /// Turning of the last gear for a unit of torque.
    pub(super) slope: f64,
}

/// Displacements of the kept unknowns of a body.
pub(super) fn displacements(body: &Body, forces: &[(usize, f64)]) -> Vec<f64> {
    let mut u = vec![0.0; body.compliance.size()];
    for (k, force) in forces {
        u.iter_mut().zip(body.compliance.column(*k)).for_each(|(u, g)| *u += g * force);
    }
    u
}

/// The largest tangential stress in the fillets of the sides that work: on a free surface `σ = E' ε`, and the strain is the stretch of a
/// segment.
fn fillet(body: &Body, u: &[f64]) -> Fillet {
    let mut largest = Fillet { stress: f64::NEG_INFINITY, ..Fillet::default() };
    for side in &body.sides {
        for k in side.first..side.first + side.fillet {
            let (a, b) = (body.places[k], body.places[k + 1]);
            let way = [b[0] - a[0], b[1] - a[1]];
            let stretch = (u[2 * k + 2] - u[2 * k]) * way[0] + (u[2 * k + 3] - u[2 * k + 1]) * way[1];
            let stress = body.surface_modulus * stretch / (way[0] * way[0] + way[1] * way[1]);
            if stress > largest.stress {
                let radius = (0.5 * (a[0] + b[0])).hypot(0.5 * (a[1] + b[1]));
                largest = Fillet { stress, tooth: side.tooth, radius };
            }
        }
    }
    largest
}

/// Seconds since a moment, which becomes now.
pub(super) fn lap(clock: &mut Instant) -> f64 {
    let now = Instant::now();
    now.duration_since(std::mem::replace(clock, now)).as_secs_f64()
}
