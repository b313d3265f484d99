//! The result file of a study: time counts the positions, series after series; the gears turn, deformed and coloured by stress, with
//! their candidate pairs as lines.

use std::path::Path;

use super::position::Position;
use super::study::{Outcome, Series, Study};
use crate::output::{At, CaseRecord, FieldKind, FieldSpec, Grid, HistorySpec, OutputError, ResultWriter};
use crate::parallel;

/// Frames that are computed at a time, on all threads, before they are written one after the other.
const AT_A_TIME: usize = 8;

/// How a study is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Picture {
    /// How much larger displacements are drawn than they are.
    pub scale: f64,
    /// Positions of each series that are drawn, spread evenly; the history has all.
    pub frames: usize,
}

/// Writes the result file.
pub fn write(
    study: &Study,
    outcome: &Outcome,
    picture: Picture,
    case: &CaseRecord,
    path: &Path,
    seconds: f64,
) -> Result<(), OutputError> {
    let most = outcome.series.iter().flat_map(Series::solved).map(|p| p.candidates.len()).max().unwrap_or(0);
    let scene = Scene { study, outcome, scale: picture.scale, lines: most };
    let (body, material) = scene.parts();
    let mut rows: Vec<(f64, &Series, &Position, bool)> = Vec::new();
    let (mut count, mut failed) = (0, 0);
    for series in &outcome.series {
        let step = series.positions.len().div_ceil(picture.frames.max(1)).max(1);
        for (k, position) in series.positions.iter().enumerate() {
            match position {
                Ok(position) => rows.push((f64::from(count), series, position, k % step == 0)),
                Err(_) => failed += 1,
            }
            count += 1;
        }
    }
    if let Some(first) = rows.first_mut() {
        first.3 = true;
    }
    let mut writer = ResultWriter::create(path, &scene.grid(), &fields(), &history(study), case, 1)?;
    for some in rows.chunks_mut(AT_A_TIME) {
        let frames = parallel::map(some, |_, (_, _, position, drawn)| drawn.then(|| scene.frame(position)));
        for ((number, series, position, _), frame) in some.iter().zip(frames) {
            writer.push_history(&scene.row(series, *number, position));
            if let Some(Frame { points, displacement, stress, force }) = frame {
                writer.write_frame(*number, &points, &[&displacement, &stress, &force, &body, &material])?;
            }
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let outcome = if failed == 0 { "done".to_owned() } else { format!("{failed} positions failed") };
    writer.finish(seconds, &outcome)
}

/// What one frame holds.
struct Frame {
    points: Vec<[f64; 3]>,
    displacement: Vec<f64>,
    stress: Vec<f64>,
    force: Vec<f64>,
}

fn fields() -> Vec<FieldSpec> {
    let spec = |name: &str, components, at, unit: &str, description: &str, kind| FieldSpec {
        name: name.into(),
        components,
        at,
        unit: unit.into(),
        description: description.into(),
        kind,
        sparse: false,
    };
    vec![
        spec("displacement", 3, At::Points, "m", "elastic displacement, unscaled", FieldKind::Float),
        spec("von_mises", 1, At::Cells, "Pa", "mean over the points of a cell", FieldKind::Float),
        spec("candidate_force", 1, At::Cells, "N", "normal force of a candidate pair", FieldKind::Float),
        spec("body", 1, At::Cells, "", "number of the gear; behind them the candidate pairs", FieldKind::Int32),
        spec("material", 1, At::Cells, "", "0 in gears, -1 for candidate pairs", FieldKind::Int32),
    ]
}

/// Name, unit and meaning of each column of the history.
const COLUMNS: [(&str, &str, &str); 16] = [
    ("time", "", "number of the position, series after series"),
    ("torque", "N m", "on the last gear"),
    ("friction", "", "coefficient of friction"),
    ("phase", "", "share of the cycle, 0 at the pitch point"),
    ("driver_angle", "rad", "angle of the first driver from the pitch point"),
    ("transmission_error", "rad", "what the last gear stays behind"),
    ("transmission_error_length", "m", "the same along the line of action"),
    ("input_torque", "N m", "on the first driver"),
    ("secant_stiffness", "N/m", "load along the line of action over the error"),
    ("tangent_stiffness", "N/m", "its derivative"),
    ("strain_energy", "J", "of all gears"),
    ("pairs", "", "pairs of teeth in contact"),
    ("normal_load", "N", "sum of the normal forces"),
    ("friction_force", "N", "sum of friction"),
    ("pressure", "Pa", "largest pressure away from tip corners"),
    ("residual", "", "complementarity residual"),
];

fn history(study: &Study) -> Vec<HistorySpec> {
    let spec = |group: String, (name, unit, description): (&str, &str, &str)| HistorySpec {
        group,
        name: name.into(),
        components: 1,
        unit: unit.into(),
        description: description.into(),
        integer: false,
    };
    let mut list: Vec<HistorySpec> = COLUMNS.iter().map(|column| spec(String::new(), *column)).collect();
    for gear in &study.gears {
        let group = format!("gears/{}", gear.name);
        list.push(spec(group.clone(), ("behind", "rad", "what the gear stays behind rigid motion")));
        list.push(spec(group, ("fillet_stress", "Pa", "largest tension in its fillets")));
    }
    list
}

struct Scene<'a> {
    study: &'a Study,
    outcome: &'a Outcome,
    scale: f64,
    lines: usize,
}

impl Scene<'_> {
    fn grid(&self) -> Grid {
        let mut grid = Grid { offsets: vec![0], ..Grid::default() };
        for (gear, &body) in self.study.gears.iter().zip(&self.outcome.body_of) {
            let mesh = &self.outcome.bodies[body].gear.mesh;
            let first = grid.points.len() as i64;
            grid.points.extend_from_slice(&mesh.nodes);
            for (_, kind, nodes) in mesh.cells() {
                grid.cell_types.push(kind.vtk_type());
                grid.connectivity.extend(nodes.iter().map(|n| first + i64::from(n.0)));
                grid.offsets.push(grid.connectivity.len() as i64);
            }
            grid.parts.push((gear.name.clone(), "body".into()));
        }
        for _ in 0..self.lines {
            let first = grid.points.len() as i64;
            grid.points.extend([[0.0; 3]; 2]);
            // a VTK line
            grid.cell_types.push(3);
            grid.connectivity.extend([first, first + 1]);
            grid.offsets.push(grid.connectivity.len() as i64);
        }
        grid.parts.push(("candidates".into(), "obstacle".into()));
        grid.materials.push("gear".into());
        grid
    }

    /// Number of the part and of the material of each cell.
    fn parts(&self) -> (Vec<f64>, Vec<f64>) {
        let gears = self.outcome.body_of.iter().enumerate();
        let mut parts: Vec<f64> =
            gears.flat_map(|(g, &body)| vec![g as f64; self.outcome.bodies[body].gear.mesh.cell_count()]).collect();
        let mut materials = vec![0.0; parts.len()];
        parts.extend(vec![self.study.gears.len() as f64; self.lines]);
        materials.extend(vec![-1.0; self.lines]);
        (parts, materials)
    }

    /// Places, displacements, stresses and candidate forces at a position.
    fn frame(&self, position: &Position) -> Frame {
        let (mut points, mut displacement, mut stress) = (Vec::new(), Vec::new(), Vec::new());
        for (g, &number) in self.outcome.body_of.iter().enumerate() {
            let body = &self.outcome.bodies[number];
            let mesh = &body.gear.mesh;
            let mut force = vec![0.0; 2 * mesh.node_count()];
            for (k, value) in &position.forces[g] {
                force[2 * body.elastic.kept()[k / 2].index() + k % 2] += value;
            }
            let u = body.elastic.displacements(&force);
            stress.extend(body.elastic.von_mises(&u));
            let (centre, angle) = self.stance(g, position);
            let (sin, cos) = angle.sin_cos();
            for (x, u) in mesh.nodes.iter().zip(u.chunks_exact(2)) {
                let turn = |v: [f64; 2]| [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]];
                let (x, u) = (turn([x[0], x[1]]), turn([u[0], u[1]]));
                points.push([centre[0] + x[0] + self.scale * u[0], centre[1] + x[1] + self.scale * u[1], 0.0]);
                displacement.extend([u[0], u[1], 0.0]);
            }
        }
        let mut force = vec![0.0; stress.len()];
        for k in 0..self.lines {
            let (ends, carried) = position.candidates.get(k).copied().unwrap_or(([[0.0; 2]; 2], 0.0));
            points.extend(ends.map(|[x, y]| [x, y, 0.0]));
            displacement.extend([0.0; 6]);
            stress.push(0.0);
            force.push(carried);
        }
        Frame { points, displacement, stress, force }
    }

    /// Centre and angle of a gear; what it stays behind is exaggerated like the displacements.
    fn stance(&self, gear: usize, position: &Position) -> ([f64; 2], f64) {
        for mesh in &self.outcome.meshes {
            for wheel in 0..2 {
                if mesh.wheels[wheel].gear == gear {
                    let clockwise = mesh.mirrored != (wheel == 1);
                    let behind = self.scale * position.behind[gear] * if clockwise { 1.0 } else { -1.0 };
                    return (mesh.wheels[wheel].centre, mesh.stance(wheel, position.travel) + behind);
                }
            }
        }
        ([0.0; 2], 0.0)
    }

    fn row(&self, series: &Series, number: f64, p: &Position) -> Vec<f64> {
        let base = |mesh: Option<&super::Meshing>, wheel: usize| mesh.map_or(1.0, |m| m.wheels[wheel].profile.base);
        let sum = |value: fn(&super::PairLoad) -> f64| p.pairs.iter().map(value).sum::<f64>();
        let mut row = vec![
            number,
            series.torque,
            series.friction,
            p.phase,
            p.travel / base(self.outcome.meshes.first(), 0),
            p.error(),
            p.error() * base(self.outcome.meshes.last(), 1),
            p.input_torque,
            p.secant,
            p.tangent,
            p.energy,
            p.pairs.len() as f64,
            sum(|l| l.normal),
            sum(|l| l.friction),
            p.pairs.iter().map(super::PairLoad::pressure).fold(0.0, f64::max),
            p.residual,
        ];
        for (behind, fillet) in p.behind.iter().zip(&p.fillets) {
            row.extend([*behind, fillet.stress]);
        }
        row
    }
}
