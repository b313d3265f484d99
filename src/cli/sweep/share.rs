//! `--shard`: which share of a study one command does.

/// A share, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    /// Share `k` of `n`, counted from 1.
    Given(usize, usize),
    /// The one that a scheduler's variables name.
    Auto,
}

/// What an array of Slurm sets in each of its jobs [slurm.schedmd.com/job_array.html].
const SLURM: [&str; 3] = ["SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"];
/// Distance between its numbers; 1 where Slurm does not say.
const SLURM_STEP: &str = "SLURM_ARRAY_TASK_STEP";
/// What Kubernetes sets in each pod of an indexed job; the number of pods it does not set, the job's file has to.
const KUBERNETES: [&str; 2] = ["JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"];

impl Share {
    /// Reads `k/N` or `auto`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Share::Auto);
        }
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((k, n)) if (1..=n).contains(&k) => Ok(Share::Given(k, n)),
            Some((_, 0)) => Err("there are no shares: N must be at least 1".to_owned()),
            Some((k, n)) => Err(format!("there is no share {k} of {n}: k runs from 1 to {n}")),
            None => Err("expected k/N, such as 3/8, or auto".to_owned()),
        }
    }

    /// The share, counted from 0, and the number of shares.
    pub(super) fn resolve(&self) -> Result<(usize, usize), String> {
        match *self {
            Share::Given(k, n) => Ok((k - 1, n)),
            Share::Auto => automatic(&|name| std::env::var(name).ok()),
        }
    }
}

/// The share that the environment names.
fn automatic(variable: &dyn Fn(&str) -> Option<String>) -> Result<(usize, usize), String> {
    let number = |name: &str| match variable(name) {
        None => Err(format!("--shard auto: {name} is not set")),
        Some(text) => text.trim().parse::<usize>().map_err(|_| format!("--shard auto: {name}={text} is no number")),
    };
    let within = |k: Option<usize>, n: usize, what: &str| match k {
        Some(k) if k < n => Ok((k, n)),
        _ => Err(format!("--shard auto: {what} do not name one of {n} shares")),
    };
    if variable(SLURM[0]).is_some() {
        let [id, least, count] = [number(SLURM[0])?, number(SLURM[1])?, number(SLURM[2])?];
        let step = if variable(SLURM_STEP).is_some() { number(SLURM_STEP)?.max(1) } else { 1 };
        // an array such as 1,3,4 has no step
        let along = id.checked_sub(least).filter(|way| way % step == 0).map(|way| way / step);
        return within(along, count, &SLURM.join(", "));
    }
    if variable(KUBERNETES[0]).is_some() {
        return within(Some(number(KUBERNETES[0])?), number(KUBERNETES[1])?, &KUBERNETES.join(" and "));
    }
    Err(format!("--shard auto: neither {} nor {} is set; give k/N", SLURM[0], KUBERNETES[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_two_numbers_or_auto() {
        assert_eq!(Share::parse("3/8"), Ok(Share::Given(3, 8)));
        assert_eq!(Share::parse("auto"), Ok(Share::Auto));
        for wrong in ["0/8", "9/8", "1/0", "0/0", "3", "a/b", "-1/2", "1/2/3"] {
            assert!(Share::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn schedulers_name_a_share() {
        let of = |variables: &[(&str, &str)]| {
            automatic(&|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
        };
        let slurm =
            |id, least, count, step| of(&[(SLURM[0], id), (SLURM[1], least), (SLURM[2], count), (SLURM_STEP, step)]);
        assert_eq!(slurm("0", "0", "8", "1"), Ok((0, 8)));
        assert_eq!(slurm("8", "1", "8", "1"), Ok((7, 8)));
        assert_eq!(slurm("5", "1", "4", "2"), Ok((2, 4)));
        assert_eq!(of(&[(SLURM[0], "2"), (SLURM[1], "1"), (SLURM[2], "3")]), Ok((1, 3)));
        assert!(slurm("7", "1", "3", "1").is_err() && slurm("2", "1", "4", "2").is_err());
        assert_eq!(of(&[(KUBERNETES[0], "3"), (KUBERNETES[1], "4")]), Ok((3, 4)));
        assert!(of(&[(KUBERNETES[0], "4"), (KUBERNETES[1], "4")]).is_err());
        assert!(of(&[(KUBERNETES[0], "4")]).is_err_and(|e| e.contains(KUBERNETES[1])));
        assert!(of(&[(SLURM[0], "x"), (SLURM[1], "1"), (SLURM[2], "1")]).is_err());
        assert!(of(&[]).is_err());
    }
}
