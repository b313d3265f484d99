//! Stresses of a body for output: cell means, nodal values and the largest of each measure.

use super::deformable::Deformable;
use crate::elements::{Section, StressMeasures};
use crate::linalg::Sym;
use crate::linalg::symmetric::{trace, von_mises};

/// Stress fields of one body, kept between outputs so that a step allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct StressField {
    /// Cell: von Mises of the Cauchy stress, volume mean over the integration points.
    pub von_mises: Vec<f64>,
    /// Cell: von Mises of the PK2 stress, volume mean over the integration points.
    pub von_mises_pk2: Vec<f64>,
    /// Cell: pressure `−tr σ/3`, volume mean.
    pub pressure: Vec<f64>,
    /// Cell: stored energy per reference volume, mean.
    pub energy_density: Vec<f64>,
    /// Node: the in-plane PK2 measure (see [`StressMeasures::pk2_inplane`]).
    pub inplane: Vec<f64>,
    /// The largest values, each by name.
    pub largest: StressMeasures,
    /// Node at which the in-plane measure is largest.
    pub inplane_node: usize,
    cauchy_nodal: Vec<Sym>,
    pk2_nodal: Vec<Sym>,
    pk2_extrapolated: Vec<Sym>,
    count: Vec<f64>,
}

impl StressField {
    /// Room for a body.
    pub fn new(body: &Deformable) -> Self {
        let (cells, nodes) = (body.mesh.cell_count(), body.mesh.node_count());
        StressField {
            von_mises: vec![0.0; cells],
            von_mises_pk2: vec![0.0; cells],
            pressure: vec![0.0; cells],
            energy_density: vec![0.0; cells],
            inplane: vec![0.0; nodes],
            cauchy_nodal: vec![[0.0; 6]; nodes],
            pk2_nodal: vec![[0.0; 6]; nodes],
            pk2_extrapolated: vec![[0.0; 6]; nodes],
            count: vec![0.0; nodes],
            ..StressField::default()
        }
    }

    /// Evaluates everything at a state.
    pub fn update(&mut self, body: &Deformable, u: &[f64]) {
        for list in [&mut self.cauchy_nodal, &mut self.pk2_nodal, &mut self.pk2_extrapolated] {
            list.fill([0.0; 6]);
        }
        self.count.fill(0.0);
        self.largest = StressMeasures::default();
        let rebuilt = matches!(body.section(), Section::PlaneStrain(_));
        for group in body.groups() {
            let poisson = group.material().law.poisson();
            let cells = group.cells();
            let weights = group.extrapolation();
            group.stresses(u, &mut |e, nodes, points| {
                let volume: f64 = points.iter().map(|p| p.volume).sum();
                let mut mean = [0.0; 4];
                for p in points {
                    let cauchy = von_mises(&p.cauchy);
                    self.largest.cauchy_points = self.largest.cauchy_points.max(cauchy);
                    let values = [cauchy, von_mises(&p.pk2), -trace(&p.cauchy) / 3.0, p.energy];
                    for (m, value) in mean.iter_mut().zip(values) {
                        *m += p.volume / volume * value;
                    }
                }
                let cell = cells[e].index();
                [self.von_mises[cell], self.von_mises_pk2[cell], self.pressure[cell], self.energy_density[cell]] = mean;
                for (a, &node) in nodes.iter().enumerate() {
                    let node = node as usize;
                    let nearest = &points[a.min(points.len() - 1)];
                    for q in 0..6 {
                        self.cauchy_nodal[node][q] += nearest.cauchy[q];
                        self.pk2_nodal[node][q] += nearest.pk2[q];
                    }
                    let mut carried: Sym =
                        std::array::from_fn(|q| points.iter().zip(&weights[a]).map(|(p, w)| w * p.pk2[q]).sum());
                    if rebuilt {
                        carried[2] = poisson * (carried[0] + carried[1]);
                    }
                    for q in 0..6 {
                        self.pk2_extrapolated[node][q] += carried[q];
                    }
                    self.count[node] += 1.0;
                }
            });
        }
        for node in 0..self.count.len() {
            let share = if self.count[node] > 0.0 { 1.0 / self.count[node] } else { 0.0 };
            let cauchy = von_mises(&self.cauchy_nodal[node].map(|x| x * share));
            let pk2 = von_mises(&self.pk2_nodal[node].map(|x| x * share));
            let inplane = von_mises(&self.pk2_extrapolated[node].map(|x| x * share));
            self.inplane[node] = inplane;
            self.largest.cauchy_nodal = self.largest.cauchy_nodal.max(cauchy);
            self.largest.pk2_nodal = self.largest.pk2_nodal.max(pk2);
            if inplane > self.largest.pk2_inplane {
                self.largest.pk2_inplane = inplane;
                self.inplane_node = node;
            }
        }
    }
}
