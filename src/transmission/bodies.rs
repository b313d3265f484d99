//! The gears as bodies: meshed, held at their hubs, and condensed to the flanks that can touch and the fillets beside them.

use std::collections::BTreeSet;

use super::{Gear, StudyError};
use crate::bodies::{Compliance, Elastic, ElasticSpec};
use crate::elements::Section;
use crate::mesh::NodeId;
use crate::mesh::generate::{GearMesh, Profile};

/// One side of a tooth among the kept nodes of its gear. Its nodes follow each other from the fillet to the tip corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptSide {
    /// Number of the tooth.
    pub tooth: i32,
    /// 0 left, 1 right.
    pub side: usize,
    /// Its first kept node.
    pub first: usize,
    /// Kept nodes of its fillet before the involute begins.
    pub fillet: usize,
    /// Kept nodes in all.
    pub count: usize,
}

/// A gear that is condensed.
#[derive(Debug)]
pub struct Body {
    /// The meshed gear.
    pub gear: GearMesh,
    /// Its stiffness.
    pub elastic: Elastic,
    /// Its compliance at the kept nodes.
    pub compliance: Compliance,
    /// The sides that are kept.
    pub sides: Vec<KeptSide>,
    /// Kept nodes' places.
    pub places: Vec<[f64; 2]>,
    /// `E` that belongs to a free surface: `E/(1 − ν²)` in plane strain, `E` in plane stress.
    pub surface_modulus: f64,
    /// Segments along a flank.
    pub flank: usize,
    /// Face width.
    pub width: f64,
}

impl Body {
    /// The kept side of a tooth.
    pub fn side(&self, tooth: i32, side: usize) -> Option<&KeptSide> {
        self.sides.iter().find(|kept| kept.tooth == tooth && kept.side == side)
    }

    /// First kept node of the segment of a flank that holds a roll length, and the share of the way to the next one. Places along an
    /// involute go with the square of the roll length.
    pub fn segment(&self, side: &KeptSide, profile: &Profile, roll: f64) -> (usize, f64) {
        let (from, to) = (profile.form_roll.powi(2), profile.tip_roll.powi(2));
        let at = self.flank as f64 * ((roll * roll - from) / (to - from)).clamp(0.0, 1.0);
        let k = (at.floor() as usize).min(self.flank - 1);
        (side.first + side.fillet + k, at - k as f64)
    }
}

/// Meshes and condenses a gear to these sides of its teeth.
pub fn condense(
    gear: &Gear,
    plane_stress: bool,
    sides: &BTreeSet<(i32, usize)>,
) -> Result<(Body, [f64; 3]), StudyError> {
    let clock = std::time::Instant::now();
    let made = GearMesh::new(&gear.shape).map_err(|source| StudyError::Gear { name: gear.name.clone(), source })?;
    let mut kept: Vec<NodeId> = Vec::new();
    let mut list = Vec::new();
    for &(tooth, side) in sides {
        let Some(found) = made.teeth.iter().find(|t| t.number == tooth) else {
            let (name, modelled) = (gear.name.clone(), gear.shape.cells.modelled);
            return Err(StudyError::ToothMissing { name, tooth, modelled });
        };
        // the node in the middle of the space belongs to two sides
        let nodes = &found.sides[side][1..];
        let fillet = gear.shape.cells.fillet - 1;
        list.push(KeptSide { tooth, side, first: kept.len(), fillet, count: nodes.len() });
        kept.extend_from_slice(nodes);
    }
    let places = kept.iter().map(|n| [made.mesh.nodes[n.index()][0], made.mesh.nodes[n.index()][1]]).collect();
    let (lambda, mu) = gear.material.law.lame();
    let (young, poisson) = (mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), 0.5 * lambda / (lambda + mu));
    let section = if plane_stress { Section::PlaneStress(gear.width) } else { Section::PlaneStrain(gear.width) };
    let failed = |error: &dyn std::fmt::Display| StudyError::Body(error.to_string());
    let meshed = clock.elapsed().as_secs_f64();
    let mut elastic = Elastic::new(ElasticSpec {
        name: gear.name.clone(),
        mesh: made.mesh.clone(),
        material: gear.material.clone(),
        section,
        held: made.mesh.node_sets["hub"].clone(),
        kept,
    })
    .map_err(|e| failed(&e))?;
    elastic.factor().map_err(|e| failed(&e))?;
    let factored = clock.elapsed().as_secs_f64();
    let compliance = elastic.compliance();
    let surface_modulus = if plane_stress { young } else { young / (1.0 - poisson * poisson) };
    let timing = [meshed, factored - meshed, clock.elapsed().as_secs_f64() - factored];
    let flank = gear.shape.cells.flank;
    Ok((
        Body { gear: made, elastic, compliance, sides: list, places, surface_modulus, flank, width: gear.width },
        timing,
    ))
}
