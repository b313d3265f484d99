//! What contact takes from one step to the next, as plain numbers: for a run that is taken up again.

use super::Contact;
use super::detection::{Identity, Zone};

impl Contact {
    /// What the next step takes from the last ones: the largest reach of each zone, how often steps were refused, what
    /// rigid pairs and passes between bodies remember, pairs of features that are held, then the reactions that the solver starts from, each behind its identity.
    pub fn memory(&self) -> Vec<f64> {
        let mut out: Vec<f64> = self.zones.iter().map(Zone::depth).collect();
        out.push(self.refused as f64);
        self.rigid.memory(&mut out);
        self.pairs.memory(&mut out);
        self.held.memory(&mut out);
        out.extend(self.remembered.iter().flat_map(|(identity, r)| {
            let Identity { zone, pass, first, second } = *identity;
            [f64::from(zone), f64::from(pass), f64::from(first), f64::from(second), r[0], r[1], r[2]]
        }));
        out
    }

    /// Takes over what [`Contact::memory`] gave.
    ///
    /// # Errors
    /// It belongs to another model.
    pub fn recall(&mut self, memory: &[f64]) -> Result<(), String> {
        let misfit = || "its contacts do not fit".to_owned();
        let (zones, rest) = memory.split_at_checked(self.zones.len()).ok_or_else(misfit)?;
        self.zones.iter_mut().zip(zones).for_each(|(zone, depth)| zone.set_depth(*depth));
        let (refused, rest) = rest.split_first().ok_or_else(misfit)?;
        // whole numbers, exact
        self.refused = *refused as usize;
        let rest = self.rigid.recall(rest).ok_or_else(misfit)?;
        let rest = self.pairs.recall(rest).ok_or_else(misfit)?;
        let reactions = self.held.recall(rest).ok_or_else(misfit)?;
        let (entries, []) = reactions.as_chunks::<7>() else { return Err("its reactions do not fit".to_owned()) };
        self.remembered.clear();
        self.remembered.extend(entries.iter().map(|&[zone, pass, first, second, n, t1, t2]| {
            let identity = Identity { zone: zone as u32, pass: pass as u8, first: first as u32, second: second as u32 };
            (identity, [n, t1, t2])
        }));
        Ok(())
    }
}
