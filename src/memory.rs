//! How much memory this process may still take: what the machine has free, its control group allows, and its address space
//! is limited to (`ulimit -v`). Read from `/proc` and `/sys`; elsewhere nothing is known and nothing refused.

use std::fmt;
use std::path::{Path, PathBuf};

/// What may still be taken, and whose limit that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Free {
    /// Bytes.
    pub bytes: u64,
    /// What sets the limit.
    pub limit: &'static str,
}

impl fmt::Display for Free {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {} free", self.limit, amount(self.bytes))
    }
}

/// Numbers that were counted and found no room.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} has {entries} entries, {:.1} GB: more than the system gives", 8e-9 * *entries as f64)]
pub struct NoRoom {
    /// What is made of them.
    pub what: String,
    /// How many.
    pub entries: usize,
}

/// Empties a list and makes room for `size` entries. False where the system has none.
#[must_use]
pub fn room<T>(list: &mut Vec<T>, size: usize) -> bool {
    list.clear();
    list.try_reserve(size).is_ok()
}

/// Bytes as people say them.
pub fn amount(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes < 1e9 { format!("{:.0} MB", bytes / 1e6) } else { format!("{:.1} GB", bytes / 1e9) }
}

/// The tightest limit.
pub fn free() -> Option<Free> {
    let found = [
        machine().map(|bytes| Free { bytes, limit: "the machine" }),
        group().map(|bytes| Free { bytes, limit: "the control group" }),
        address_space().map(|bytes| Free { bytes, limit: "the address space (ulimit -v)" }),
    ];
    found.into_iter().flatten().min_by_key(|free| free.bytes)
}

/// What the process holds now, and the most it has held.
pub fn held() -> Option<[u64; 2]> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some([kilobytes(&status, "VmRSS:")?, kilobytes(&status, "VmHWM:")?])
}

/// A line `Name:  123 kB` of a file of `/proc`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|k| k << 10)
}

fn machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    Some(kilobytes(&text, "MemAvailable:")? + kilobytes(&text, "SwapFree:").unwrap_or(0))
}

/// The tightest of the groups that the process is in; what they keep of files can be given back.
fn group() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let free = |line: &str| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        match controllers {
            "" => tightest("/sys/fs/cgroup", path, ["memory.max", "memory.current"], "inactive_file"),
            "memory" => {
                let files = ["memory.limit_in_bytes", "memory.usage_in_bytes"];
                tightest("/sys/fs/cgroup/memory", path, files, "total_inactive_file")
            }
            _ => None,
        }
    };
    groups.lines().filter_map(free).min()
}

/// Over a group and those above it. Within a container its own group is the root.
fn tightest(root: &str, path: &str, [limit, usage]: [&str; 2], cached: &str) -> Option<u64> {
    let number = |file: PathBuf| std::fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let free = |folder: &Path| {
        let stat = std::fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cached = stat.lines().find_map(|line| line.strip_prefix(cached)?.trim().parse::<u64>().ok()).unwrap_or(0);
        let used = number(folder.join(usage))?.saturating_sub(cached);
        Some(number(folder.join(limit))?.saturating_sub(used))
    };
    let own = Path::new(root).join(path.trim_start_matches('/'));
    own.ancestors().take_while(|folder| folder.starts_with(root)).filter_map(free).min()
}

fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(limit.saturating_sub(kilobytes(&status, "VmSize:")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_lines_are_read_as_they_are_written() {
        assert_eq!(kilobytes("VmPeak:\t 9 kB\nVmRSS:\t    1024 kB\n", "VmRSS:"), Some(1 << 20));
        assert_eq!([amount(250_000_000), amount(8_400_000_000)], ["250 MB", "8.4 GB"]);
        if cfg!(target_os = "linux") {
            let ([now, most], free) = (held().unwrap(), free().unwrap());
            assert!(now > 0 && most >= now && free.bytes > 0, "{now} {most} {free}");
        }
    }
}
