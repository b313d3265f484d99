//! The runs of a share, each in a process of its own.

use std::collections::{HashMap, HashSet, VecDeque};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use impakt::post::sweep::{Combination, Standing, standing};
use serde_json::json;

use super::super::display::duration;
use super::super::output::{failed, say, tell};
use super::claim::{self, Claim};
use super::list;
use super::study::Study;

/// How the attempt at a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum End {
    /// The result is there, and was before if so said.
    Done { before: bool },
    /// Another process is at it.
    Taken,
    /// With these values it is no valid case.
    Refused(String),
    /// It did not come to its end, with the reason.
    Failed(String),
    /// The command was stopped before.
    NotRun,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Done { before: false } => write!(f, "done"),
            End::Done { before: true } => write!(f, "done before"),
            End::Taken => write!(f, "taken by another process"),
            End::Refused(reason) => write!(f, "refused: {reason}"),
            End::Failed(reason) => write!(f, "{reason}, see its log"),
            End::NotRun => write!(f, "not run"),
        }
    }
}

/// What the workers share.
struct Crew<'a> {
    study: &'a Study<'a>,
    waiting: Mutex<VecDeque<usize>>,
    ends: Mutex<Vec<(usize, End)>>,
    /// Processes that run now, to be stopped with this one.
    running: Arc<Mutex<HashSet<u32>>>,
    stopped: Arc<AtomicBool>,
    runs: usize,
    threads: usize,
    start: Instant,
}

/// Does these runs, `jobs` at a time with `threads` threads each; returns how each ended.
pub(super) fn run(study: &Study, runs: &[usize], jobs: usize, threads: usize) -> Vec<End> {
    let crew = Crew {
        study,
        waiting: Mutex::new(runs.iter().copied().collect()),
        ends: Mutex::new(Vec::new()),
        running: Arc::default(),
        stopped: Arc::default(),
        runs: runs.len(),
        threads,
        start: Instant::now(),
    };
    crew.heed_stops();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| crew.work());
        }
    });
    let mut ends: HashMap<usize, End> =
        crew.ends.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
    runs.iter().map(|run| ends.remove(run).unwrap_or(End::NotRun)).collect()
}

/// What a share says at its end. Its runs that others are doing are no failure of its own.
pub(super) fn conclude(study: &Study, runs: &[usize], ends: &[End]) -> ExitCode {
    let count = |wanted: fn(&End) -> bool| ends.iter().filter(|end| wanted(end)).count();
    let refused = count(|end| matches!(end, End::Refused(_)));
    let missing = refused + count(|end| matches!(end, End::Failed(_) | End::NotRun));
    if missing == 0 {
        return ExitCode::SUCCESS;
    }
    let folder = study.folder.display();
    let code = failed(format!("{missing} of {} runs did not come to their end; see the logs in {folder}", runs.len()));
    if refused == ends.len() { ExitCode::from(2) } else { code }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Crew<'_> {
    /// At Ctrl-C or the end of a job the runs that go on close their files; no other begins.
    fn heed_stops(&self) {
        let (running, stopped) = (Arc::clone(&self.running), Arc::clone(&self.stopped));
        super::super::stop::when_told(move || {
            stopped.store(true, Ordering::Relaxed);
            super::super::stop::tell(lock(&running).iter().copied());
        });
    }

    /// Takes one run after the other.
    fn work(&self) {
        loop {
            let next = lock(&self.waiting).pop_front();
            let Some(run) = next.filter(|_| !self.stopped.load(Ordering::Relaxed)) else { return };
            let member = &self.study.design.members[run];
            let end = self
                .attend(member)
                .unwrap_or_else(|error| End::Failed(format!("{}: {error}", self.study.log(member).display())));
            let mut ends = lock(&self.ends);
            ends.push((run, end));
            self.report(run, ends.len(), &ends[ends.len() - 1].1);
        }
    }

    fn report(&self, run: usize, done: usize, end: &End) {
        let name = &self.study.design.members[run].name;
        if self.study.arguments.json {
            let word = match end {
                End::Done { .. } => "done",
                End::Taken => "taken",
                End::Refused(_) => "refused",
                End::Failed(_) => "failed",
                End::NotRun => "not run",
            };
            say(&json!({ "event": "run", "run": run + 1, "name": name, "outcome": word, "said": end.to_string() })
                .to_string());
        }
        if !self.study.arguments.quiet {
            let time = duration(self.start.elapsed().as_secs_f64());
            tell(&format!("[{done}/{}, {time}] {name}: {end}", self.runs));
        }
    }

    /// Does a run, unless its result is there or another process is at it.
    fn attend(&self, member: &Combination) -> std::io::Result<End> {
        let case = match self.study.case(member) {
            Ok(case) => case,
            Err(error) => {
                let said = error.to_string();
                let first = said.lines().next().unwrap_or_default();
                return Ok(End::Refused(first.trim_start_matches("error: ").to_owned()));
            }
        };
        let (result, log) = (self.study.result(member), self.study.log(member));
        let Some(mut claim) = Claim::take(&log)? else { return Ok(End::Taken) };
        let fresh = self.study.arguments.fresh;
        let stands = if fresh { Standing::Nothing } else { standing(&result, &case.text_as_run) };
        if stands == Standing::Done {
            return Ok(End::Done { before: true });
        }
        let mut status = self.attempt(member, &mut claim, stands == Standing::Half)?;
        // what cannot be taken up is begun again
        if stands == Standing::Half && status.code() == Some(2) {
            status = self.attempt(member, &mut claim, false)?;
        }
        if status.success() {
            return Ok(End::Done { before: false });
        }
        Ok(End::Failed(claim::reason(&log).unwrap_or_else(|| status.to_string())))
    }

    /// Runs a member from its start, or on from its checkpoint.
    fn attempt(&self, member: &Combination, claim: &mut Claim, restart: bool) -> std::io::Result<ExitStatus> {
        let mut command = Command::new(&self.study.program);
        command.arg("run").arg(&self.study.arguments.case).arg("-o").arg(self.study.result(member));
        command.arg("--threads").arg(self.threads.to_string());
        for set in &member.sets {
            command.arg("--set").arg(set);
        }
        if restart {
            command.arg("--restart");
        }
        claim.begin(&list::line(std::iter::once(command.get_program()).chain(command.get_args())))?;
        command.stdin(Stdio::null()).stdout(claim.output()?).stderr(claim.output()?);
        let child = command.spawn()?;
        drop(command);
        self.wait(child)
    }

    fn wait(&self, mut child: Child) -> std::io::Result<ExitStatus> {
        lock(&self.running).insert(child.id());
        if self.stopped.load(Ordering::Relaxed) {
            super::super::stop::tell([child.id()]);
        }
        let status = child.wait();
        lock(&self.running).remove(&child.id());
        status
    }
}
