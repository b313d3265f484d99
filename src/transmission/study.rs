//! The study: meshes, bodies, and all positions for all torques and coefficients of friction.

use std::collections::BTreeSet;
use std::time::Instant;

use super::bodies::{Body, condense};
use super::kinematics::{Meshing, Stance};
use super::pairs::{Extent, Setting, tooth_pairs};
use super::position::{Measures, Position, PositionError, Scene, lap};
use super::rolled::{History, roll};
use super::{CandidatePlaces, CandidateRules, FrictionMode, Gear, MeshPair, StudyError};
use crate::contact::linearised;
use crate::mesh::generate::{GearError, Profile};
use crate::parallel;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The gears.
    pub gears: Vec<Gear>,
    /// Who drives whom; the torque goes through in this order.
    pub meshes: Vec<MeshPair>,
    /// Whether gears are thin: plane stress in place of plane strain.
    pub plane_stress: bool,
    /// Torques on the last gear.
    pub torques: Vec<f64>,
    /// Coefficients of friction.
    pub frictions: Vec<f64>,
    /// Positions in the range.
    pub positions: usize,
    /// Range as shares of the cycle of the first driver's teeth; 0 is the pitch point.
    pub range: [f64; 2],
    /// Whether the first driver turns clockwise.
    pub clockwise: bool,
    /// Rules of the candidates.
    pub rules: CandidateRules,
    /// How friction is found.
    pub mode: FrictionMode,
    /// Name of the solver of positions with sliding imposed.
    pub solver: String,
}

/// The positions for one torque and friction.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Torque on the last gear.
    pub torque: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// What came out, position by position.
    pub positions: Vec<Result<Position, PositionError>>,
}

/// Seconds of each part.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timing {
    /// Meshing.
    pub mesh: f64,
    /// Assembly and factorisation.
    pub factor: f64,
    /// Compliance of the flanks.
    pub compliance: f64,
    /// Candidates and their coupling, summed over positions.
    pub candidates: f64,
    /// Solutions and what follows from them, summed over positions.
    pub solution: f64,
    /// All positions by the clock.
    pub positions: f64,
}

/// What came out of a study.
#[derive(Debug)]
pub struct Outcome {
    /// For each torque and friction, torques first.
    pub series: Vec<Series>,
    /// The meshes.
    pub meshes: Vec<Meshing>,
    /// The condensed bodies.
    pub bodies: Vec<Body>,
    /// Body of each gear.
    pub body_of: Vec<usize>,
    /// Seconds of each part.
    pub timing: Timing,
    /// What is worth knowing.
    pub notes: Vec<String>,
}

/// How often the automatic distance of candidates is doubled.
const ENLARGED: usize = 5;

impl Study {
    /// The meshes, checked.
    pub fn meshings(&self) -> Result<Vec<Meshing>, StudyError> {
        let mut profiles = Vec::with_capacity(self.gears.len());
        for gear in &self.gears {
            let named = |source: GearError| StudyError::Gear { name: gear.name.clone(), source: source.into() };
            profiles.push(Profile::new(&gear.shape).map_err(named)?);
        }
        let mut stances: Vec<Option<Stance>> = vec![None; self.gears.len()];
        let mut meshes = Vec::with_capacity(self.meshes.len());
        for pair in &self.meshes {
            let gears = [pair.driver, pair.driven].map(|g| (g, profiles[g]));
            let mesh = Meshing::new(gears, pair.distance, stances[pair.driver].ok_or(self.clockwise))?;
            for wheel in 0..2 {
                let own = &mesh.wheels[wheel];
                let clockwise = mesh.mirrored != (wheel == 1);
                stances[own.gear] = Some(Stance { centre: own.centre, angle: mesh.stance(wheel, 0.0), clockwise });
            }
            self.check_friction(&mesh)?;
            meshes.push(mesh);
        }
        self.check_teeth(&meshes)?;
        Ok(meshes)
    }

    /// All teeth that may touch in the range must be part of their meshes.
    fn check_teeth(&self, meshes: &[Meshing]) -> Result<(), StudyError> {
        let sides = self.sides(meshes, &self.travels(meshes), self.extent(meshes, 1.0));
        for (gear, near) in self.gears.iter().zip(&sides) {
            let cells = gear.shape.cells;
            if let Some(&(tooth, _)) = near.iter().find(|(tooth, _)| !cells.teeth().contains(tooth)) {
                let (name, modelled) = (gear.name.clone(), cells.modelled);
                return Err(StudyError::ToothMissing { name, tooth, modelled });
            }
        }
        Ok(())
    }

    /// On approach friction takes from the arm of the driven gear what the tangent is long; at most to its tip.
    fn check_friction(&self, mesh: &Meshing) -> Result<(), StudyError> {
        let driven = &mesh.wheels[1].profile;
        for &friction in &self.frictions {
            let rest = driven.base - friction * driven.tip_roll;
            if rest <= 0.0 {
                return Err(StudyError::Locked { friction, rest });
            }
        }
        Ok(())
    }

    /// Unknown of each gear's rotation.
    fn unknowns(&self) -> Vec<Option<usize>> {
        let mut unknown = vec![None; self.gears.len()];
        for (j, pair) in self.meshes.iter().enumerate() {
            unknown[pair.driven] = Some(j);
        }
        unknown
    }

    /// Travel of each position with its share of the cycle.
    fn travels(&self, meshes: &[Meshing]) -> Vec<(f64, f64)> {
        let pitch = meshes.first().map_or(0.0, |mesh| mesh.pitch);
        let [from, to] = self.range;
        // the pitch point is met to the bit where it is one of the positions
        let share = |i: usize| (from * (self.positions - i) as f64 + to * i as f64) / self.positions as f64;
        (0..self.positions).map(|i| (share(i) * pitch, share(i))).collect()
    }

    /// Width of what may close and distance of what may touch, from Hertz and from the usual stiffness of teeth.
    fn extent(&self, meshes: &[Meshing], factor: f64) -> Extent {
        let largest = |list: &[f64]| list.iter().fold(0.0f64, |a, x| a.max(*x));
        let (torque, friction) = (largest(&self.torques), largest(&self.frictions));
        let mut extent = Extent { width: 0.0, distance: 0.0 };
        let last = meshes.last().map(|mesh| mesh.wheels[1].profile);
        for mesh in meshes {
            let [one, two] = mesh.wheels;
            let arm = last.map_or(1.0, |p| p.base - friction * p.tip_roll);
            let width = self.gears[one.gear].width.min(self.gears[two.gear].width);
            let line = torque / (arm * width);
            let flexible = |gear: usize| {
                let (lambda, mu) = self.gears[gear].material.law.lame();
                // (1 − ν²)/E = (1 − ν)/2μ
                let poisson = 0.5 * lambda / (lambda + mu);
                (1.0 - poisson) / (2.0 * mu)
            };
            let soft = flexible(one.gear) + flexible(two.gear);
            let radius = one.pitch_roll * two.pitch_roll / (one.pitch_roll + two.pitch_roll);
            let hertz = (4.0 * line * radius * soft / std::f64::consts::PI).sqrt();
            extent.width = extent.width.max(1.8 * factor * hertz);
            // teeth are some 0.07 E stiff for each unit of width
            extent.distance = extent.distance.max(2.0 * factor * line * soft / 0.14);
        }
        match self.rules.distance {
            Some(distance) => {
                let flattest = meshes.iter().map(|m| m.wheels[0].pitch_roll.min(m.wheels[1].pitch_roll));
                // all of a flank that is no further apart: d = x²/2R
                Extent { distance, width: (4.0 * distance * flattest.fold(f64::INFINITY, f64::min)).sqrt() }
            }
            None => extent,
        }
    }

    /// Runs the study.
    pub fn run(&self) -> Result<Outcome, StudyError> {
        let meshes = self.meshings()?;
        let mut factor = 1.0;
        for _ in 0..ENLARGED {
            let outcome = self.attempt(meshes.clone(), factor)?;
            let excluded = outcome
                .series
                .iter()
                .flat_map(|s| &s.positions)
                .any(|p| matches!(p, Err(PositionError::Excluded { .. })));
            if !excluded || self.rules.distance.is_some() {
                return Ok(outcome);
            }
            factor *= 2.0;
        }
        self.attempt(meshes, factor)
    }

    fn attempt(&self, meshes: Vec<Meshing>, factor: f64) -> Result<Outcome, StudyError> {
        let extent = self.extent(&meshes, factor);
        let travels = self.travels(&meshes);
        let sides = self.sides(&meshes, &travels, extent);
        let mut timing = Timing::default();
        let (mut bodies, mut body_of) = (Vec::new(), Vec::new());
        for (g, gear) in self.gears.iter().enumerate() {
            let same = |other: &Gear| {
                other.shape == gear.shape && other.material == gear.material && other.width == gear.width
            };
            if let Some(first) = self.gears[..g].iter().position(same) {
                body_of.push(body_of[first]);
                continue;
            }
            let all: BTreeSet<_> = (g..self.gears.len())
                .filter(|&k| same(&self.gears[k]))
                .flat_map(|k| sides[k].iter().copied())
                .collect();
            let (body, [mesh, factored, compliance]) = condense(gear, self.plane_stress, &all)?;
            timing.mesh += mesh;
            timing.factor += factored;
            timing.compliance += compliance;
            body_of.push(bodies.len());
            bodies.push(body);
        }
        let clock = Instant::now();
        let (series, [candidates, solution]) = self.positions(&meshes, &bodies, &body_of, &travels, extent);
        timing.positions = clock.elapsed().as_secs_f64();
        (timing.candidates, timing.solution) = (candidates, solution);
        let notes = self.notes(&meshes);
        Ok(Outcome { series, meshes, bodies, body_of, timing, notes })
    }

    /// What a user should know about the model.
    pub fn notes(&self, meshes: &[Meshing]) -> Vec<String> {
        let few = self.gears.iter().filter(|g| g.shape.cells.modelled < 5);
        let mut notes: Vec<String> = few.map(|g| {
            format!(
                "gear `{}`: only {} teeth are modelled; their free ends make the transmission error larger (3 teeth: by some 11 %), take 5 or more",
                g.name, g.shape.cells.modelled
            )
        })
        .collect();
        let nodes = meshes.iter().map(|mesh| self.spacing(mesh)).fold(f64::INFINITY, f64::min);
        if let CandidatePlaces::Moving(Some(spacing)) = self.rules.places
            && spacing < 0.5 * nodes
        {
            notes.push(format!(
                "candidates every {spacing:.3e} m are denser than the nodes ({nodes:.3e} m): single forces and pressures are not \
                 unique, transmission error and sums are"
            ));
        }
        notes
    }

    /// Distance of the nodes along the finer flank of a mesh.
    fn spacing(&self, mesh: &Meshing) -> f64 {
        let spacing = mesh.wheels.map(|w| {
            let length = (w.profile.tip_roll.powi(2) - w.profile.form_roll.powi(2)) / (2.0 * w.profile.base);
            length / self.gears[w.gear].shape.cells.flank as f64
        });
        spacing[0].min(spacing[1])
    }

    /// The sides of teeth of each gear that come near contact.
    fn sides(&self, meshes: &[Meshing], travels: &[(f64, f64)], extent: Extent) -> Vec<BTreeSet<(i32, usize)>> {
        let mut sides = vec![BTreeSet::new(); self.gears.len()];
        for (number, mesh) in meshes.iter().enumerate() {
            let segments = mesh.wheels.map(|w| self.gears[w.gear].shape.cells.flank);
            for (travel, _) in travels {
                for pair in tooth_pairs(mesh, number, *travel, segments, &self.rules, extent) {
                    for wheel in 0..2 {
                        sides[mesh.wheels[wheel].gear].insert(mesh.tooth(wheel, pair.pair));
                    }
                }
            }
        }
        sides
    }

    fn positions(
        &self,
        meshes: &[Meshing],
        bodies: &[Body],
        body_of: &[usize],
        travels: &[(f64, f64)],
        extent: Extent,
    ) -> (Vec<Series>, [f64; 2]) {
        let of_gear: Vec<&Body> = body_of.iter().map(|&b| &bodies[b]).collect();
        let unknown = self.unknowns();
        let setting =
            Setting { meshes, bodies: &of_gear, unknown: &unknown, frames: self.meshes.len(), rules: self.rules };
        let cases: Vec<(f64, f64)> =
            self.torques.iter().flat_map(|&m| self.frictions.iter().map(move |&f| (m, f))).collect();
        let mut seconds = [0.0; 2];
        let mut series: Vec<Series> = cases
            .iter()
            .map(|&(torque, friction)| Series { torque, friction, positions: Vec::with_capacity(travels.len()) })
            .collect();
        match self.mode {
            FrictionMode::Imposed => {
                let solver =
                    linearised::ALL.iter().find(|entry| entry.name == self.solver).map(|entry| (entry.build)());
                let solver = solver.unwrap_or_else(|| (linearised::ALL[0].build)());
                let mut places = travels.to_vec();
                let rows = parallel::map(&mut places, |_, &mut (travel, phase)| {
                    let mut clock = Instant::now();
                    let scene = Scene::new(&setting, travel, extent, false);
                    let built = lap(&mut clock);
                    let one = |&(torque, friction): &(f64, f64)| {
                        let loads = self.loads(torque);
                        scene.has_candidates(&setting)?;
                        let (solution, drags, measures) = scene.solve(solver.as_ref(), friction, &loads)?;
                        scene.check(&setting, &solution, extent)?;
                        let position = scene.evaluate(&setting, &solution, &drags, measures, torque);
                        Ok(Position { phase, ..position })
                    };
                    let found: Vec<Result<Position, PositionError>> = cases.iter().map(one).collect();
                    (found, [built, lap(&mut clock)])
                });
                for (row, spent) in rows {
                    seconds.iter_mut().zip(spent).for_each(|(sum, s)| *sum += s);
                    series.iter_mut().zip(row).for_each(|(series, found)| series.positions.push(found));
                }
            }
            FrictionMode::Rolled => {
                let mut clock = Instant::now();
                parallel::each(&mut series, |_, series| {
                    self.roll(&setting, travels, extent, series);
                });
                seconds[1] = lap(&mut clock);
            }
        }
        (series, seconds)
    }

    /// All positions of a series in sequence.
    fn roll(&self, setting: &Setting<'_>, travels: &[(f64, f64)], extent: Extent, series: &mut Series) {
        let loads = self.loads(series.torque);
        let mut history = History::default();
        for &(travel, phase) in travels {
            let scene = Scene::new(setting, travel, extent, true);
            let found = scene
                .has_candidates(setting)
                .and_then(|()| roll(&scene, setting, series.friction, &loads, &mut history))
                .map_err(PositionError::from);
            let found = found.and_then(|rolled| {
                scene.check(setting, &rolled.solution, extent)?;
                let measures = Measures { residual: 0.0, slope: f64::NAN };
                let position = scene.evaluate(setting, &rolled.solution, &rolled.drags, measures, series.torque);
                Ok(Position { phase, ..position })
            });
            series.positions.push(found);
        }
    }

    /// The torque loads the last gear alone.
    fn loads(&self, torque: f64) -> Vec<f64> {
        let mut loads = vec![0.0; self.meshes.len()];
        loads.last_mut().into_iter().for_each(|x| *x = torque);
        loads
    }
}
