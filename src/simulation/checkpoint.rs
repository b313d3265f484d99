//! The state of a simulation as plain numbers, complete to the last bit: a run taken up from it goes on as if it had never
//! stopped.

use super::{Simulation, ZoneAccount};
use crate::elements::StressMeasures;
use crate::integrator::{Converged, Reuse};
use crate::output::Checkpoint;

impl Simulation {
    /// Everything that the next step depends on, and everything that is summed up over a run.
    pub fn checkpoint(&self) -> Checkpoint {
        let mut out = Checkpoint::default();
        out.put("time", &[self.time]);
        // steps fit exactly up to 2^53
        out.put("steps", &[self.steps as f64]);
        out.put("pace", &self.pace.state());
        let now = &self.ledger.now;
        let ledger = [now.kinetic, now.strain, now.spring, now.external_work, now.contact_work, now.friction];
        out.put("ledger", &ledger);
        out.put("ledger_losses", &[now.damping, now.plastic, now.numerical, now.error]);
        out.put("ledger_rest", &[now.hourglass, self.ledger.initial()]);
        out.put("largest_energy", &[self.largest_energy, self.system.largest_energy()]);
        let last = &self.last;
        let converged = &last.converged;
        let counts = [
            converged.iterations as f64,
            converged.contact_iterations as f64,
            last.stick as f64,
            last.slip as f64,
            converged.contact_unsolved as f64,
            converged.linearisations as f64,
        ];
        out.put("last_counts", &counts);
        let [declared, undeclared] = last.crossings.map(|count| count as f64);
        let residuals = [converged.residual, converged.contact_residual];
        out.put("last", &[residuals[0], residuals[1], last.penetration, last.dt, declared, undeclared]);
        for (b, (state, nodes)) in self.system.states.iter().zip(&self.nodes).enumerate() {
            out.put(&format!("bodies/{b}/u"), &state.u);
            out.put(&format!("bodies/{b}/v"), &state.v);
            out.put(&format!("bodies/{b}/a"), &state.a);
            out.put(&format!("bodies/{b}/force"), &nodes.force);
            out.put(&format!("bodies/{b}/status"), &nodes.status);
            out.put(&format!("bodies/{b}/slip"), &nodes.slip);
            out.put(&format!("bodies/{b}/friction"), &nodes.energy);
            out.put(&format!("bodies/{b}/pressure"), &nodes.pressure);
            out.put(&format!("bodies/{b}/traction"), &nodes.traction);
            out.put(&format!("bodies/{b}/friction_density"), &nodes.energy_density);
            out.put(&format!("bodies/{b}/friction_power"), &nodes.power_density);
        }
        for (b, stress) in self.stresses.iter().enumerate() {
            let Some(stress) = stress else { continue };
            let StressMeasures { cauchy_points, cauchy_nodal, pk2_nodal, pk2_inplane } = stress.largest;
            out.put(&format!("bodies/{b}/stress"), &[cauchy_points, cauchy_nodal, pk2_nodal, pk2_inplane]);
        }
        if self.newton.options.reuse != Reuse::Never {
            for b in 0..self.system.bodies.len() {
                out.put(&format!("bodies/{b}/matrix"), &self.system.kept_matrix(b));
            }
        }
        if let Some(explicit) = &self.explicit {
            out.put("explicit", &explicit.memory());
            for b in 0..self.system.bodies.len() {
                out.put(&format!("bodies/{b}/explicit"), &explicit.body_memory(&self.system, b));
            }
        }
        let accounts: Vec<f64> = self.zones.iter().flat_map(|z| [z.friction, z.work, z.force]).collect();
        out.put("contacts", &accounts);
        out.put("contact_memory", &self.contact.memory());
        out
    }

    /// Takes over a state. The simulation must have been made from the same model.
    ///
    /// # Errors
    /// What does not fit.
    pub fn restore(&mut self, from: &Checkpoint) -> Result<(), String> {
        self.time = from.number("time")?;
        self.system.time = self.time;
        self.steps = from.number("steps")? as u64;
        self.pace.resume(self.time, from.list("pace")?)?;
        let now = &mut self.ledger.now;
        let energies = from.get("ledger", 6)?;
        [now.kinetic, now.strain, now.spring] = [energies[0], energies[1], energies[2]];
        [now.external_work, now.contact_work, now.friction] = [energies[3], energies[4], energies[5]];
        let losses = from.get("ledger_losses", 4)?;
        [now.damping, now.plastic, now.numerical, now.error] = [losses[0], losses[1], losses[2], losses[3]];
        let rest = from.get("ledger_rest", 2)?;
        now.hourglass = rest[0];
        self.ledger.reopen(rest[1]);
        let largest = from.get("largest_energy", 2)?;
        self.largest_energy = largest[0];
        self.system.set_largest_energy(largest[1]);
        let (counts, last) = (from.get("last_counts", 6)?, from.get("last", 6)?);
        self.last.converged = Converged {
            iterations: counts[0] as usize,
            residual: last[0],
            contact_iterations: counts[1] as usize,
            contact_residual: last[1],
            contact_unsolved: counts[4] as usize,
            linearisations: counts[5] as usize,
        };
        (self.last.stick, self.last.slip) = (counts[2] as usize, counts[3] as usize);
        (self.last.penetration, self.last.dt) = (last[2], last[3]);
        self.last.crossings = [last[4] as usize, last[5] as usize];
        if let Some(explicit) = &mut self.explicit {
            let memory = from.list("explicit")?;
            explicit.recall(memory).ok_or_else(|| "its explicit steps do not fit".to_owned())?;
            for b in 0..self.system.bodies.len() {
                let memory = from.list(&format!("bodies/{b}/explicit"))?;
                let fits = explicit.recall_body(&mut self.system, b, memory);
                fits.ok_or_else(|| format!("the material points of body {b} do not fit"))?;
            }
        }
        // a run of another rule may lack them, and begins with new factors
        for b in 0..self.system.bodies.len() {
            let matrix = from.list(&format!("bodies/{b}/matrix")).unwrap_or_default();
            let fits = self.system.recall_matrix(b, matrix);
            fits.ok_or_else(|| format!("the matrix of body {b} does not fit"))?;
        }
        for b in 0..self.system.states.len() {
            let take = |name: &str, into: &mut Vec<f64>| -> Result<(), String> {
                let values = from.get(&format!("bodies/{b}/{name}"), into.len())?;
                into.copy_from_slice(values);
                Ok(())
            };
            let (state, nodes) = (&mut self.system.states[b], &mut self.nodes[b]);
            take("u", &mut state.u)?;
            take("v", &mut state.v)?;
            // none before the first step of a scheme that carries one, and none in the others
            let carried = from.list(&format!("bodies/{b}/a"))?;
            if !carried.is_empty() && carried.len() != state.u.len() {
                return Err(format!("the accelerations of body {b} do not fit"));
            }
            state.a = carried.to_vec();
            take("force", &mut nodes.force)?;
            take("status", &mut nodes.status)?;
            take("slip", &mut nodes.slip)?;
            take("friction", &mut nodes.energy)?;
            take("pressure", &mut nodes.pressure)?;
            take("traction", &mut nodes.traction)?;
            take("friction_density", &mut nodes.energy_density)?;
            take("friction_power", &mut nodes.power_density)?;
            self.next[b].copy_from(&self.system.states[b]);
            if let (Some(stress), Some(body)) = (&mut self.stresses[b], self.system.bodies[b].deformable()) {
                stress.update(body, &self.system.states[b].u);
                // explicit steps show those of the last frame until the next one
                let largest = from.get(&format!("bodies/{b}/stress"), 4)?;
                let [cauchy_points, cauchy_nodal, pk2_nodal, pk2_inplane] = [0, 1, 2, 3].map(|k| largest[k]);
                stress.largest = StressMeasures { cauchy_points, cauchy_nodal, pk2_nodal, pk2_inplane };
            }
        }
        self.stresses_current = self.explicit.is_none();
        let accounts = from.get("contacts", 3 * self.zones.len())?;
        for (zone, values) in self.zones.iter_mut().zip(accounts.chunks_exact(3)) {
            *zone = ZoneAccount { friction: values[0], work: values[1], force: values[2] };
        }
        self.contact.recall(from.list("contact_memory")?)
    }
}
