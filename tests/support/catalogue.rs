//! The one list that drives law × element × geometry × formulation. A new law joins in [`laws`], a new section or formulation in
//! [`combinations`], and every property test follows.

use impakt::bodies::Deformable;
use impakt::elements::{Formulation, Lumping, Section};
use impakt::materials::{BlatzKo, FoamTerm, Hooke, Hyperfoam, Law, MooneyRivlin, NeoHooke, Ogden, OgdenTerm, Yeoh};
use impakt::mesh::{CellKind, Mesh};

use super::{SHAPES, body_of};

/// Every law, all with a modulus near 1 so that tolerances can be read as relative.
pub fn laws() -> Vec<Law> {
    vec![
        Law::Linear(Hooke::new(1.0, 0.3)),
        Law::SaintVenantKirchhoff(Hooke::new(1.0, 0.3)),
        Law::BlatzKo(BlatzKo::new(0.4)),
        Law::NeoHooke(NeoHooke::new(1.0, 0.3)),
        Law::MooneyRivlin(MooneyRivlin::new(0.15, 0.05, 0.8)),
        Law::Yeoh(Yeoh::new([0.2, -0.03, 0.01], 0.8)),
        Law::Ogden(Ogden::new(&[OgdenTerm { mu: 0.3, alpha: 1.3 }, OgdenTerm { mu: -0.1, alpha: -2.0 }], 0.8)),
        Law::Hyperfoam(Hyperfoam::new(&[
            FoamTerm { mu: 0.3, alpha: 3.5, beta: 0.3 },
            FoamTerm { mu: 0.1, alpha: -1.5, beta: 0.8 },
        ])),
    ]
}

/// Shape, what the mesh stands for, how volume is taken, and the law.
pub fn combinations() -> Vec<(CellKind, Section, Formulation, Law)> {
    let mut all = Vec::new();
    for kind in SHAPES {
        let sections = if kind.dim() == 2 {
            vec![Section::PlaneStrain(1.0), Section::PlaneStress(1.0), Section::Axisymmetric]
        } else {
            vec![Section::Solid]
        };
        for section in sections {
            for law in laws() {
                all.push((kind, section, Formulation::Standard, law.clone()));
                let brick = matches!(kind, CellKind::Quad4 | CellKind::Hex8);
                let sheet = matches!(section, Section::PlaneStress(_));
                let volumetric = law.has_volumetric_part();
                if brick && !sheet && volumetric {
                    all.push((kind, section, Formulation::MeanDilatation, law));
                }
            }
        }
    }
    all
}

/// A body of one of the combinations that nothing holds; a body of revolution stands half a unit off its axis.
pub fn made(mesh: Mesh, section: Section, formulation: Formulation, law: Law, lumping: Lumping) -> Deformable {
    let mut mesh = mesh;
    if section == Section::Axisymmetric {
        let inner = mesh.nodes.iter().fold(f64::INFINITY, |m, x| m.min(x[0]));
        mesh.nodes.iter_mut().for_each(|x| x[0] += 0.5 - inner);
    }
    let held = vec![false; mesh.node_count() * mesh.dim()];
    body_of(mesh, law, 1.0, lumping, held, section, formulation)
}

/// Names a combination in messages.
pub fn label(kind: CellKind, section: Section, formulation: Formulation, law: &Law) -> String {
    format!("{kind:?}, {section:?}, {formulation:?}, {}", law.name())
}
