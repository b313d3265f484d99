//! Candidate pairs at a position: where lines parallel to the line of action cross both flanks of a pair of teeth.

use super::bodies::Body;
use super::kinematics::{Meshing, normal_from, roll_at, seen_from};
use super::{Arms, CandidatePlaces, CandidateRules, Surface};
use crate::contact::linearised::{Candidate, Side};
use crate::mesh::generate::Profile;

/// A line across both flanks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Distance from the line of action, positive away from the driver.
    pub across: f64,
    /// Roll lengths where it crosses the flanks.
    pub rolls: [f64; 2],
    /// Separation along it.
    pub gap: f64,
    /// The gear whose tip corner it passes through.
    pub corner: Option<usize>,
}

/// A pair of teeth near contact.
#[derive(Debug, Clone, PartialEq)]
pub struct ToothPair {
    /// Number of the mesh.
    pub mesh: usize,
    /// Number of the pair within its mesh.
    pub pair: i32,
    /// Distance past the pitch point.
    pub zeta: f64,
    /// Its candidates, from the driver's root to its tip.
    pub lines: Vec<Line>,
    /// Whether there are further lines, left out, before the first and behind the last one.
    pub cut: [bool; 2],
}

/// Half the width of what may close around the closest point, and the largest separation of a pair of teeth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Half width.
    pub width: f64,
    /// Largest separation.
    pub distance: f64,
}

/// The flanks of a pair of teeth at a position.
struct Flanks<'a> {
    profiles: [&'a Profile; 2],
    contacts: [f64; 2],
    /// Segments of each flank, for straight edges.
    segments: [usize; 2],
    surface: Surface,
}

impl Flanks<'_> {
    /// Distance from the line of action of a point of a flank, counted alike for both.
    fn across(&self, wheel: usize, roll: f64) -> f64 {
        let own = seen_from(self.profiles[wheel], self.contacts[wheel], roll)[0];
        if wheel == 0 { own } else { -own }
    }

    /// Height of a flank over the point of contact on a line, with the roll length there.
    fn height(&self, wheel: usize, across: f64) -> Option<(f64, f64)> {
        let (profile, contact) = (self.profiles[wheel], self.contacts[wheel]);
        let own = if wheel == 0 { across } else { -across };
        let roll = roll_at(profile, contact, own)?;
        if self.surface == Surface::Involute {
            return Some((seen_from(profile, contact, roll)[1], roll));
        }
        let [before, after] = self.edge(wheel, roll).map(|r| seen_from(profile, contact, r));
        let part = (own - before[0]) / (after[0] - before[0]);
        Some((before[1] + part * (after[1] - before[1]), roll))
    }

    /// Roll lengths at the ends of the edge of the mesh that holds a point.
    fn edge(&self, wheel: usize, roll: f64) -> [f64; 2] {
        let profile = self.profiles[wheel];
        let (from, to) = (profile.form_roll.powi(2), profile.tip_roll.powi(2));
        let n = self.segments[wheel] as f64;
        let k = (n * (roll * roll - from) / (to - from)).floor().clamp(0.0, n - 1.0);
        [k, k + 1.0].map(|k| (from + (to - from) * k / n).sqrt())
    }

    /// Nodes of a flank as distances from the line of action.
    fn nodes(&self, wheel: usize) -> impl Iterator<Item = f64> + '_ {
        let profile = self.profiles[wheel];
        let (from, to) = (profile.form_roll.powi(2), profile.tip_roll.powi(2));
        let n = self.segments[wheel];
        (0..=n).map(move |k| self.across(wheel, (from + (to - from) * k as f64 / n as f64).sqrt()))
    }

    fn line(&self, across: f64, corner: Option<usize>) -> Option<Line> {
        let (one, two) = (self.height(0, across)?, self.height(1, across)?);
        Some(Line { across, rolls: [one.1, two.1], gap: -(one.0 + two.0), corner })
    }

    /// The lines that cross both flanks: from the driven gear's tip or the driver's root to the driver's tip or the driven gear's root.
    fn common(&self) -> (f64, f64) {
        let [one, two] = self.profiles;
        let low = self.across(0, one.form_roll).max(self.across(1, two.tip_roll));
        let high = self.across(0, one.tip_roll).min(self.across(1, two.form_roll));
        (low, high)
    }
}

/// The pairs of teeth of a mesh that are near contact, with their candidates.
pub fn tooth_pairs(
    mesh: &Meshing,
    number: usize,
    travel: f64,
    segments: [usize; 2],
    rules: &CandidateRules,
    extent: Extent,
) -> Vec<ToothPair> {
    let reach = (mesh.contact_ratio().ceil() as i32) + 1;
    let nearest = (-(mesh.phase + travel) / mesh.pitch).round() as i32;
    (nearest - reach..=nearest + reach)
        .filter_map(|pair| {
            let zeta = mesh.zeta(travel, pair);
            let profiles = [&mesh.wheels[0].profile, &mesh.wheels[1].profile];
            let flanks = Flanks { profiles, contacts: mesh.rolls(zeta), segments, surface: rules.surface };
            let (lines, cut) = lines(&flanks, rules, extent)?;
            Some(ToothPair { mesh: number, pair, zeta, lines, cut })
        })
        .collect()
}

/// The candidates of a pair of teeth; `None` if it is too far from contact.
fn lines(flanks: &Flanks<'_>, rules: &CandidateRules, extent: Extent) -> Option<(Vec<Line>, [bool; 2])> {
    let (low, high) = flanks.common();
    if low >= high {
        return None;
    }
    let closest = flanks.line(0.0f64.clamp(low, high), None)?;
    if closest.gap > extent.distance {
        return None;
    }
    let inside = |x: &f64| (*x - closest.across).abs() <= extent.width && low <= *x && *x <= high;
    let mut places: Vec<(f64, Option<usize>)> = match rules.places {
        CandidatePlaces::Moving(spacing) => {
            let step = spacing.unwrap_or_else(|| spacing_of_nodes(flanks));
            let from = ((closest.across - extent.width) / step).ceil() as i64;
            let to = ((closest.across + extent.width) / step).floor() as i64;
            (from..=to).map(|k| (k as f64 * step, None)).collect()
        }
        CandidatePlaces::Driver => flanks.nodes(0).map(|x| (x, None)).collect(),
        CandidatePlaces::Driven => flanks.nodes(1).map(|x| (x, None)).collect(),
        CandidatePlaces::Both => flanks.nodes(0).chain(flanks.nodes(1)).map(|x| (x, None)).collect(),
    };
    places.retain(|(x, _)| inside(x));
    let spacing = spacing_of_nodes(flanks);
    for (wheel, tip) in [(0, flanks.profiles[0].tip_roll), (1, flanks.profiles[1].tip_roll)] {
        let corner = flanks.across(wheel, tip);
        // nodes at the corner are the corner
        places.retain(|(x, _)| (x - corner).abs() > 1e-3 * spacing);
        if rules.corners && inside(&corner) {
            places.push((corner, Some(wheel)));
        }
    }
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    places.dedup_by(|a, b| (a.0 - b.0).abs() < 1e-3 * spacing);
    let lines: Vec<Line> = places.iter().filter_map(|&(x, corner)| flanks.line(x, corner)).collect();
    let cut = [low < closest.across - extent.width, high > closest.across + extent.width];
    (!lines.is_empty()).then_some((lines, cut))
}

/// Distance of the nodes along the finer flank.
fn spacing_of_nodes(flanks: &Flanks<'_>) -> f64 {
    let spacing = |k: usize| {
        let p = flanks.profiles[k];
        (p.tip_roll.powi(2) - p.form_roll.powi(2)) / (2.0 * p.base * flanks.segments[k] as f64)
    };
    spacing(0).min(spacing(1))
}

/// Directions and lever arms of a candidate, in the coordinates of the line of action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arm {
    /// `(t, n)` components of the direction in which the driver pushes.
    pub normal: [f64; 2],
    /// Arms of the normal force about both centres.
    pub push: [f64; 2],
    /// Arms of friction about both centres.
    pub drag: [f64; 2],
}

/// The arms of a line: those of the line of action, or those of its own normal.
pub fn arm(mesh: &Meshing, zeta: f64, line: &Line, arms: Arms) -> Arm {
    let contacts = mesh.rolls(zeta);
    let [one, two] = [&mesh.wheels[0].profile, &mesh.wheels[1].profile];
    if arms == Arms::Ideal {
        return Arm { normal: [0.0, 1.0], push: [one.base, two.base], drag: contacts };
    }
    let a = normal_from(one, contacts[0], line.rolls[0]);
    let b = normal_from(two, contacts[1], line.rolls[1]);
    // the normal of a corner is that of the flank it stands on
    let normal = match line.corner {
        Some(0) => b,
        Some(_) => a,
        None => {
            let mean = [a[0] + b[0], a[1] + b[1]];
            let length = mean[0].hypot(mean[1]);
            [mean[0] / length, mean[1] / length]
        }
    };
    let tangent = [normal[1], -normal[0]];
    let mut arm = Arm { normal, push: [0.0; 2], drag: [0.0; 2] };
    for (k, profile) in [one, two].into_iter().enumerate() {
        let seen = seen_from(profile, contacts[k], line.rolls[k]);
        let place = [profile.base + seen[0], contacts[k] + seen[1]];
        arm.push[k] = place[0] * normal[1] - place[1] * normal[0];
        arm.drag[k] = -(place[0] * tangent[1] - place[1] * tangent[0]);
    }
    arm
}

/// What the candidates of a position need besides the mesh.
pub struct Setting<'a> {
    /// The meshes.
    pub meshes: &'a [Meshing],
    /// Condensed body of each gear.
    pub bodies: &'a [&'a Body],
    /// Unknown of each gear's rotation; the first driver has none.
    pub unknown: &'a [Option<usize>],
    /// Unknowns in all.
    pub frames: usize,
    /// Rules of the candidates.
    pub rules: CandidateRules,
}

/// The candidate of a line. Gear `k` is body `k`; each gear turns by `θ` against its motion.
pub fn candidate(setting: &Setting<'_>, travel: f64, pair: &ToothPair, line: &Line) -> Option<(Candidate, Arm)> {
    let mesh = &setting.meshes[pair.mesh];
    let arm = arm(mesh, pair.zeta, line, setting.rules.arms);
    let tangent = [arm.normal[1], -arm.normal[0]];
    let mut sides = Vec::with_capacity(2);
    let mut opening = vec![0.0; setting.frames];
    let mut sliding = opening.clone();
    for wheel in 0..2 {
        let own = &mesh.wheels[wheel];
        let body = setting.bodies[own.gear];
        let (tooth, side) = mesh.tooth(wheel, pair.pair);
        let (first, part) = body.segment(body.side(tooth, side)?, &own.profile, line.rolls[wheel]);
        // the driver is pushed back, the driven gear forward; friction holds back what slides faster
        let sign = if wheel == 0 { -1.0 } else { 1.0 };
        let push = mesh.in_frame(wheel, travel, arm.normal.map(|x| sign * x));
        let drag = mesh.in_frame(wheel, travel, tangent.map(|x| -sign * x));
        sides.push(Side::new(own.gear, first, part, push, drag));
        if let Some(j) = setting.unknown[own.gear] {
            opening[j] -= sign * arm.push[wheel];
            sliding[j] -= sign * arm.drag[wheel];
        }
    }
    let gap = line.gap * arm.normal[1];
    let sign = if pair.zeta.abs() <= 1e-12 * mesh.pitch { 0.0 } else { pair.zeta.signum() };
    Some((Candidate { sides, gap, sign, opening, sliding }, arm))
}
