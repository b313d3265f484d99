//! Being told to stop: Ctrl-C, the SIGTERM by which schedulers end a job a while before they kill it, and the SIGHUP of a terminal that
//! goes away, but for a run under `nohup`, which has it ignored.

#[cfg(unix)]
use nix::sys::signal::{SigSet, Signal, kill};
#[cfg(unix)]
use nix::unistd::Pid;

/// Calls `stop` each time the process is told to stop. To be called before other threads are started: they inherit that
/// the signal waits for the one that takes it.
pub(super) fn when_told(stop: impl Fn() + Send + Sync + 'static) {
    let stop = std::sync::Arc::new(stop);
    #[cfg(unix)]
    heed_termination(std::sync::Arc::clone(&stop));
    if let Err(error) = ctrlc::set_handler(move || stop()) {
        log::warn!("Ctrl-C is not handled: {error}");
    }
}

/// Whether SIGHUP was ignored when the program started; only Linux tells.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// Has a thread wait for SIGTERM and SIGHUP, which no other may take from here on.
#[cfg(unix)]
fn heed_termination(stop: std::sync::Arc<impl Fn() + Send + Sync + 'static>) {
    let mut terminations = SigSet::empty();
    terminations.add(Signal::SIGTERM);
    if !ignores_hangup() {
        terminations.add(Signal::SIGHUP);
    }
    let blocked = terminations.thread_block();
    let listen = move || {
        while terminations.wait().is_ok() {
            stop();
        }
    };
    let listening = std::thread::Builder::new().name("signals".to_owned()).spawn(listen);
    if blocked.is_err() || listening.is_err() {
        log::warn!("SIGTERM and SIGHUP are not handled");
    }
}

/// Tells processes to stop.
#[cfg(unix)]
pub(super) fn tell(processes: impl IntoIterator<Item = u32>) {
    for process in processes.into_iter().filter_map(|id| i32::try_from(id).ok()) {
        // one that has just ended need not be told
        let _ = kill(Pid::from_raw(process), Signal::SIGTERM);
    }
}

/// Tells processes to stop; elsewhere Ctrl-C has reached them already.
#[cfg(not(unix))]
pub(super) fn tell(_processes: impl IntoIterator<Item = u32>) {}
