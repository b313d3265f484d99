//! From pairs of points on factored bodies to the matrices of the problem.

use super::Linearised;
use crate::bodies::Compliance;

/// A point of a body on the way between two neighbouring kept nodes, with directions in the body's own frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Number of the body.
    pub body: usize,
    /// Number of the first kept node; the other one follows it.
    pub first: usize,
    /// Nodal forces of a unit normal force on this body: x and y at both nodes.
    pub push: [f64; 4],
    /// Nodal forces of a unit friction force on this body.
    pub drag: [f64; 4],
}

impl Side {
    /// A point that takes the share `part` of the way from the first node to the second one, pushed along `push` and dragged along `drag`.
    pub fn new(body: usize, first: usize, part: f64, push: [f64; 2], drag: [f64; 2]) -> Self {
        let spread = |v: [f64; 2]| [(1.0 - part) * v[0], (1.0 - part) * v[1], part * v[0], part * v[1]];
        Side { body, first, push: spread(push), drag: spread(drag) }
    }
}

/// A pair of points that may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The bodies on both sides; one alone if the other is rigid.
    pub sides: Vec<Side>,
    /// Separation before anything deforms.
    pub gap: f64,
    /// Direction of friction along `drag`: 1, -1, or 0 where nothing slides.
    pub sign: f64,
    /// Opening of the pair for a unit of each unknown of the frames.
    pub opening: Vec<f64>,
    /// Motion of both points along their `drag` for a unit of each unknown.
    pub sliding: Vec<f64>,
}

/// Compliance and arms of all candidates, from which a problem follows for any friction and loads. Blocks are dense, row by row; forces
/// along `drag` count without the sign.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Coupling {
    /// Separations before anything deforms.
    pub gaps: Vec<f64>,
    /// Direction of friction of each candidate.
    pub signs: Vec<f64>,
    /// Normal displacements of unit normal forces.
    pub normal: Vec<f64>,
    /// Normal displacements of unit friction forces.
    pub mixed: Vec<f64>,
    /// Tangential displacements of unit friction forces.
    pub tangential: Vec<f64>,
    /// Opening for a unit of each unknown of the frames.
    pub opening: Vec<f64>,
    /// Sliding for a unit of each unknown.
    pub sliding: Vec<f64>,
    frames: usize,
}

/// Couples candidates through the compliances of their bodies. The tangential block is only needed where sticking is computed.
pub fn couple(candidates: &[Candidate], bodies: &[&Compliance], frames: usize, tangential: bool) -> Coupling {
    let m = candidates.len();
    let mut coupling = Coupling {
        gaps: candidates.iter().map(|c| c.gap).collect(),
        signs: candidates.iter().map(|c| c.sign).collect(),
        normal: vec![0.0; m * m],
        mixed: vec![0.0; m * m],
        tangential: if tangential { vec![0.0; m * m] } else { Vec::new() },
        opening: candidates.iter().flat_map(|c| c.opening.iter().copied()).collect(),
        sliding: candidates.iter().flat_map(|c| c.sliding.iter().copied()).collect(),
        frames,
    };
    for (number, body) in bodies.iter().enumerate() {
        let sides = |c: &Candidate| c.sides.iter().find(|side| side.body == number).copied();
        let on_body: Vec<(usize, Side)> =
            candidates.iter().enumerate().filter_map(|(i, c)| Some((i, sides(c)?))).collect();
        add_body(&mut coupling, &on_body, body, m, tangential);
    }
    coupling
}

/// Adds `NᵀGN`, `NᵀGS` and `SᵀGS` of one body.
fn add_body(coupling: &mut Coupling, sides: &[(usize, Side)], body: &Compliance, m: usize, tangential: bool) {
    let dot = |a: &[f64; 4], b: &[f64]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    for (j, loaded) in sides {
        let columns: [&[f64]; 4] = std::array::from_fn(|k| body.column(2 * loaded.first + k));
        for (i, moved) in sides {
            let rows = 2 * moved.first..2 * moved.first + 4;
            let own: [&[f64]; 4] = columns.map(|column| &column[rows.clone()]);
            let at = i * m + j;
            let opened: [f64; 4] = own.map(|u| dot(&moved.push, u));
            coupling.normal[at] += dot(&loaded.push, &opened);
            coupling.mixed[at] += dot(&loaded.drag, &opened);
            if tangential {
                coupling.tangential[at] += dot(&loaded.drag, &own.map(|u| dot(&moved.drag, u)));
            }
        }
    }
}

impl Coupling {
    /// Candidate pairs.
    pub fn candidates(&self) -> usize {
        self.gaps.len()
    }

    /// Unknowns of the frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The problem with sliding imposed: `A = A_p + μ A_f S`, `B = −(C + μ S C_f)ᵀ`, with the signs of sliding `S`.
    pub fn imposed(&self, friction: f64, loads: &[f64]) -> Linearised {
        let (m, l) = (self.candidates(), self.frames);
        let factor: Vec<f64> = self.signs.iter().map(|s| friction * s).collect();
        let mut compliance = self.normal.clone();
        if friction != 0.0 {
            for (row, mixed) in compliance.chunks_exact_mut(m.max(1)).zip(self.mixed.chunks_exact(m.max(1))) {
                for j in 0..m {
                    row[j] += factor[j] * mixed[j];
                }
            }
        }
        let mut arms = vec![0.0; m * l];
        for i in 0..m {
            for j in 0..l {
                arms[j * m + i] = -(self.opening[i * l + j] + factor[i] * self.sliding[i * l + j]);
            }
        }
        let (gaps, opening) = (self.gaps.clone(), self.opening.clone());
        Linearised { gaps, loads: loads.to_vec(), compliance, opening, arms }
    }
}
