//! What a run shows while it goes: a bar on a terminal, a line a second elsewhere, every line in a log file if asked for.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use impakt::simulation::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use super::output::{lose, tell};

/// Shortest time between two lines where nobody watches.
const PAUSE: Duration = Duration::from_secs(1);
/// Shortest time between two changes of a bar.
const BLINK: Duration = Duration::from_millis(50);

/// The display of a run.
pub(super) struct Display {
    bar: Option<ProgressBar>,
    quiet: bool,
    log: Option<(PathBuf, File)>,
    start: Instant,
    last_line: Instant,
    last_bar: Instant,
    name: String,
}

impl Display {
    /// Opens the log, if there is to be one.
    pub(super) fn new(name: &str, quiet: bool, log: Option<&Path>) -> std::io::Result<Self> {
        let log = match log {
            Some(path) => {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                Some((path.to_owned(), File::create(path)?))
            }
            None => None,
        };
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && !quiet).then(|| {
            let bar = ProgressBar::new(1_000_000);
            let style = ProgressStyle::with_template("{prefix} [{bar:30}] {percent:>3} % {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
            bar.set_prefix(name.to_owned());
            bar
        });
        let now = Instant::now();
        let name = name.to_owned();
        Ok(Display { bar, quiet, log, start: now, last_line: now, last_bar: now, name })
    }

    /// Shows where a run is, if it is time to.
    pub(super) fn update(&mut self, p: &Progress) {
        let (time, step) = p.started;
        let ended = p.time >= p.end;
        let line = ended || self.last_line.elapsed() >= PAUSE;
        let blink = self.bar.is_some() && (ended || self.last_bar.elapsed() >= BLINK);
        if !(blink || line && (self.log.is_some() || self.bar.is_none() && !self.quiet)) {
            return;
        }
        let seconds = self.start.elapsed().as_secs_f64();
        // from the share of simulated time done since this start
        let done = (p.time - time) / (p.end - time);
        let left = if done > 0.0 { seconds * (1.0 - done) / done } else { f64::INFINITY };
        let message = format!(
            "t = {:.4e} s  step {}  {}/s  {} {}  contact {}  {} stick {} slip  drift {:+.1e}  {}",
            p.time,
            p.step,
            rate((p.step - step) as f64 / seconds.max(1e-9)),
            if p.explicit { "rounds" } else { "newton" },
            p.iterations,
            p.contact,
            p.stick,
            p.slip,
            p.drift,
            if ended { format!("took {}", duration(seconds)) } else { format!("ETA {}", duration(left)) }
        );
        if let Some(bar) = self.bar.as_ref().filter(|_| blink) {
            self.last_bar = Instant::now();
            bar.set_position((1e6 * p.time / p.end) as u64);
            bar.set_message(message.clone());
        }
        if line {
            self.last_line = Instant::now();
            let percent = 100.0 * p.time / p.end;
            let whole = format!("{}: {percent:>5.1} %  {message}", self.name);
            self.log(&whole);
            if self.bar.is_none() && !self.quiet {
                tell(&whole);
            }
        }
    }

    /// Adds a line to the log. One that cannot be written does not stop the run, whose results are worth more, but counts.
    pub(super) fn log(&mut self, text: &str) {
        if let Some((path, log)) = &mut self.log
            && let Err(error) = writeln!(log, "{text}")
        {
            lose(&format!("--log {}", path.display()), &error);
        }
    }

    /// Leaves the bar as it is.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}

/// Steps a second in few digits.
fn rate(per_second: f64) -> String {
    if per_second >= 100.0 { format!("{per_second:.0}") } else { format!("{per_second:.2}") }
}

/// Seconds as people say them.
pub(super) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "unknown".to_owned();
    }
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        3600..172_800 => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_are_said_in_their_own_unit() {
        let said: Vec<String> = [0.25, 59.0, 61.0, 3661.0, 2e5, f64::INFINITY].map(duration).to_vec();
        assert_eq!(said, ["0.2 s", "59 s", "1 min 01 s", "1 h 01 min", "2.3 days", "unknown"]);
    }
}
