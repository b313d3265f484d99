//! What contact leaves at the nodes of a body: forces, pressures, slip and what friction took.

use crate::bodies::{Body, Tributary};
use crate::contact::cone::Status;
use crate::contact::detection::{Anchor, Vector};

/// Contact at the nodes of one body. Areas are those that face the obstacle ([`Tributary::facing`]).
#[derive(Debug, Clone, Default)]
pub struct NodeContact {
    /// Mean contact force of the last step, `dim` numbers per node; of a rigid body the force and then the moment about its centre
    /// of mass.
    pub force: Vec<f64>,
    /// 0 open, 1 stick, 2 slip.
    pub status: Vec<f64>,
    /// Distance slid so far while in contact.
    pub slip: Vec<f64>,
    /// Energy lost to friction so far; of a rigid body one number, and nothing else below.
    pub energy: Vec<f64>,
    /// Normal contact force per current area, positive in compression.
    pub pressure: Vec<f64>,
    /// Contact force per current area, `dim` numbers per node.
    pub traction: Vec<f64>,
    /// Energy lost to friction so far, per undeformed area.
    pub energy_density: Vec<f64>,
    /// Power of friction in the last step, per undeformed area.
    pub power_density: Vec<f64>,
    surface: Tributary,
    /// Sum of the normal forces of the step, and what friction took in it.
    pushed: Vec<Vector>,
    lost: Vec<f64>,
    /// Nodes in contact.
    touched: Vec<usize>,
}

/// What one contact point did in a step to the body of an anchor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    /// Normal force on the body.
    pub(super) push: Vector,
    /// Stick or slip.
    pub(super) status: Status,
    /// Distance slid.
    pub(super) path: f64,
    /// Energy lost to friction.
    pub(super) lost: f64,
}

impl NodeContact {
    /// Nothing has happened yet.
    pub fn new(body: &Body) -> Self {
        let force = vec![0.0; body.dof_count()];
        let Some(body) = body.deformable() else {
            return NodeContact { force, energy: vec![0.0], ..NodeContact::default() };
        };
        let n = body.mesh.node_count();
        let scalar = vec![0.0; n];
        NodeContact {
            traction: force.clone(),
            force,
            status: scalar.clone(),
            slip: scalar.clone(),
            energy: scalar.clone(),
            pressure: scalar.clone(),
            energy_density: scalar.clone(),
            power_density: scalar.clone(),
            surface: Tributary::new(body),
            pushed: vec![Vector::zeros(); n],
            lost: scalar,
            touched: Vec::with_capacity(n),
        }
    }

    /// Starts a step: nothing touches.
    pub(super) fn begin(&mut self) {
        for values in
            [&mut self.status, &mut self.pressure, &mut self.traction, &mut self.power_density, &mut self.lost]
        {
            values.fill(0.0);
        }
        self.pushed.fill(Vector::zeros());
        self.touched.clear();
    }

    /// Shares what a contact point did among the nodes of its anchor.
    pub(super) fn take(&mut self, anchor: &Anchor, touch: &Touch) {
        let status = match touch.status {
            Status::Open => return,
            Status::Stick => 1.0,
            Status::Slip => 2.0,
        };
        if anchor.arm().is_some() {
            self.energy[0] += touch.lost;
        }
        for (node, weight) in anchor.parts() {
            if self.status[node] == 0.0 {
                self.touched.push(node);
            }
            self.status[node] = f64::max(self.status[node], status);
            self.slip[node] += weight * touch.path;
            self.energy[node] += weight * touch.lost;
            self.lost[node] += weight * touch.lost;
            self.pushed[node] += weight * touch.push;
        }
    }

    /// Ends a step of length `dt` that led to `u` under the nodal contact forces `force`.
    pub(super) fn finish(&mut self, body: &Body, u: &[f64], force: &[f64], dt: f64) {
        self.force.copy_from_slice(force);
        let Some(body) = body.deformable() else { return };
        let dim = body.dim();
        for &node in &self.touched {
            let push = self.pushed[node].norm();
            if push == 0.0 {
                continue;
            }
            let area = self.surface.facing(body, u, node, &(self.pushed[node] / push));
            if area.current > 0.0 && area.reference > 0.0 {
                self.pressure[node] = push / area.current;
                for axis in node * dim..(node + 1) * dim {
                    self.traction[axis] = force[axis] / area.current;
                }
                self.energy_density[node] += self.lost[node] / area.reference;
                self.power_density[node] = self.lost[node] / (dt * area.reference);
            }
        }
    }
}
