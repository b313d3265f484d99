//! `impakt sweep`: a parameter study. Each combination runs in a process of its own, so that nothing it does can harm the
//! others; a combination whose result is already there is not run again.

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use impakt::case;
use impakt::post::column::Measure;
use impakt::post::sweep::{self, Axis, Combination, Row};
use impakt::post::{charts, write_file};

use super::display::duration;
use super::output::{failed, say, tell, wrong_input};

/// Shown below the options.
pub(super) const EXAMPLES: &str = "Examples:
  impakt sweep cases/vgroove/b_friction_02.yaml --set contacts.*.friction=0,0.1,0.2,0.3,0.4
  impakt sweep my.yaml --set contacts.0.friction=0.1,0.2 --set time.step=1e-5,5e-6 --jobs 4
  impakt sweep my.yaml --set bodies.a.velocity=[0,-1],[0,-2] --show max_von_mises:max -o results/speeds

The folder gets one result and one log for each combination, table.txt, table.csv, and charts over the first axis made of
numbers. Called again, it runs only what is missing, failed or changed.
Exit codes: 0 all done, 1 some runs failed (the others are kept), 2 the input is wrong.";

#[derive(Args)]
pub(super) struct SweepArguments {
    /// Case file
    case: PathBuf,
    /// An axis: dotted path and its values, commas between them; several axes give all combinations
    #[arg(long = "set", value_name = "PATH=V1,V2,...", required = true)]
    sets: Vec<String>,
    /// Folder of the study [default: results/<case name>-sweep]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Runs at a time [default: one for each core]
    #[arg(long)]
    jobs: Option<usize>,
    /// A quantity of the history for the table and a chart of its own: path[:start|end|min|max|range|jump]
    #[arg(long, value_name = "MEASURE", default_value = "friction_dissipation")]
    show: Vec<Measure>,
    /// Run all combinations again
    #[arg(long)]
    fresh: bool,
    /// Only the final table
    #[arg(long)]
    quiet: bool,
}

/// Largest number of runs of a study: beyond it something was mistyped.
const MOST_RUNS: usize = 100_000;

/// Runs a study.
pub(super) fn sweep_case(arguments: &SweepArguments) -> ExitCode {
    let axes = match arguments.sets.iter().map(|text| Axis::parse(text)).collect::<Result<Vec<Axis>, String>>() {
        Ok(axes) => axes,
        Err(message) => return wrong_input(format!("error: {message}")),
    };
    if let Some(twice) = (1..axes.len()).find(|&k| axes[..k].iter().any(|a| a.path == axes[k].path)) {
        return wrong_input(format!("error: --set {}: the path is given twice", axes[twice].path));
    }
    let count = axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len()));
    if count.is_none_or(|count| count > MOST_RUNS) {
        return wrong_input(format!("error: these axes make more than {MOST_RUNS} runs"));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.unwrap_or(cores);
    if jobs == 0 || jobs > 1024 {
        return wrong_input(format!("error: --jobs {jobs}: must be between 1 and 1024"));
    }
    let study = match Study::new(arguments, &axes) {
        Ok(study) => study,
        Err(message) => return wrong_input(message),
    };
    let rows = study.run(jobs, (cores / jobs.min(study.members.len()).max(1)).max(1));
    match study.conclude(&axes, &rows) {
        Ok(text) => say(&text),
        Err(error) => return failed(error),
    }
    match (rows.iter().filter(|row| !row.is_done()).count(), rows.iter().all(|row| row.outcome == REFUSED)) {
        (0, _) => ExitCode::SUCCESS,
        (_, true) => ExitCode::from(2),
        (missing, _) => failed(format!(
            "{missing} of {} runs did not come to their end; see the logs in {}",
            rows.len(),
            study.folder.display()
        )),
    }
}

/// Outcome of a combination that is not a valid case.
const REFUSED: &str = "refused";

struct Study<'a> {
    arguments: &'a SweepArguments,
    program: PathBuf,
    folder: PathBuf,
    name: String,
    members: Vec<Combination>,
    measures: Vec<Measure>,
}

impl<'a> Study<'a> {
    fn new(arguments: &'a SweepArguments, axes: &[Axis]) -> Result<Self, String> {
        let members = sweep::combinations(axes);
        // the first combination is read here: what is wrong with it is most often wrong with all
        let first = members.first().map_or(&[][..], |member| &member.sets);
        let case = case::read(&arguments.case, first).map_err(|error| error.to_string())?;
        let name = case.name;
        let folder = arguments.output.clone().unwrap_or_else(|| Path::new("results").join(format!("{name}-sweep")));
        let cannot = |what: &str, error: std::io::Error| format!("error: {what} {}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(|error| cannot("cannot create", error))?;
        let program = std::env::current_exe().map_err(|error| cannot("cannot find the program for", error))?;
        // a task has none of the energies of a run in time
        let measures = if case.task.is_some() { arguments.show.clone() } else { sweep::measures(&arguments.show) };
        Ok(Study { arguments, program, folder, name, members, measures })
    }

    fn file(&self, member: &Combination, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", member.name))
    }

    /// Runs all members, `jobs` at a time with `threads` threads each; returns them in order.
    fn run(&self, jobs: usize, threads: usize) -> Vec<Row> {
        let stopped = std::sync::Arc::new(AtomicBool::new(false));
        let flag = std::sync::Arc::clone(&stopped);
        // Ctrl-C reaches the runs too: they close their files
        if let Err(error) = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)) {
            log::warn!("Ctrl-C is not handled: {error}");
        }
        let waiting: Mutex<VecDeque<usize>> = Mutex::new((0..self.members.len()).collect());
        let rows: Mutex<Vec<Option<Row>>> = Mutex::new(vec![None; self.members.len()]);
        let start = Instant::now();
        let work = || {
            loop {
                let next = waiting.lock().unwrap_or_else(|e| e.into_inner()).pop_front();
                let Some(k) = next.filter(|_| !stopped.load(Ordering::Relaxed)) else { return };
                let (row, how) = self.member(&self.members[k], threads);
                let mut rows = rows.lock().unwrap_or_else(|e| e.into_inner());
                let outcome = row.outcome.lines().next().unwrap_or_default().to_owned();
                rows[k] = Some(row);
                if !self.arguments.quiet {
                    let done = rows.iter().flatten().count();
                    let (name, time) = (&self.members[k].name, duration(start.elapsed().as_secs_f64()));
                    tell(&format!("[{done}/{}, {time}] {name}: {outcome}{how}", self.members.len()));
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(self.members.len()) {
                scope.spawn(work);
            }
        });
        let rows = rows.into_inner().unwrap_or_else(|e| e.into_inner());
        let not_run = |k: usize| Row::without_result(&self.members[k], "not run".to_owned(), self.measures.len());
        rows.into_iter().enumerate().map(|(k, row)| row.unwrap_or_else(|| not_run(k))).collect()
    }

    /// Runs one member, unless its result is there.
    fn member(&self, member: &Combination, threads: usize) -> (Row, String) {
        let (result, log) = (self.file(member, "vtkhdf"), self.file(member, "log"));
        let lost = |outcome: String| Row::without_result(member, outcome, self.measures.len());
        let case = match case::read(&self.arguments.case, &member.sets) {
            Ok(case) => case,
            Err(error) => {
                let said = error.to_string();
                let _ = std::fs::write(&log, &said);
                let reason = said.lines().next().unwrap_or_default();
                return (lost(REFUSED.to_owned()), format!(": {}", reason.trim_start_matches("error: ")));
            }
        };
        let read = || Row::read(member, &result, &self.measures).unwrap_or_else(|error| lost(error.to_string()));
        if !self.arguments.fresh && sweep::is_result_of(&result, &case.text_as_run) {
            return (read(), " before".to_owned());
        }
        let mut command = Command::new(&self.program);
        command.arg("run").arg(&self.arguments.case).arg("-o").arg(&result).arg("--threads").arg(threads.to_string());
        for set in &member.sets {
            command.arg("--set").arg(set);
        }
        let outputs = File::create(&log).and_then(|out| out.try_clone().map(|err| (out, err)));
        if let Ok((out, err)) = outputs {
            command.stdout(out).stderr(err);
        } else {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        match command.stdin(Stdio::null()).status() {
            Err(error) => (lost(format!("could not be started: {error}")), String::new()),
            Ok(status) if status.success() => (read(), String::new()),
            Ok(status) => {
                let said = std::fs::read_to_string(&log).unwrap_or_default();
                let reason = said.lines().find_map(|line| line.strip_prefix("error: ").map(str::to_owned));
                let mut row = if result.exists() { read() } else { lost(String::new()) };
                if row.is_done() || row.outcome.is_empty() {
                    // an older result was left as it was
                    row = lost(reason.unwrap_or_else(|| status.to_string()));
                }
                (row, ", see its log".to_owned())
            }
        }
    }

    /// Writes tables and charts; returns what to print.
    fn conclude(&self, axes: &[Axis], rows: &[Row]) -> Result<String, impakt::post::PostError> {
        let table = sweep::table(axes, &self.measures, rows);
        write_file(&self.folder.join("table.txt"), table.as_bytes())?;
        write_file(&self.folder.join("table.csv"), sweep::csv(axes, &self.measures, rows).as_bytes())?;
        let drawn = sweep::charts(&self.name, axes, &self.measures, rows, &self.arguments.show);
        charts::write(&self.folder, &drawn)?;
        let pictures = match drawn.len() {
            0 => String::new(),
            1 => ", 1 chart".to_owned(),
            n => format!(", {n} charts"),
        };
        Ok(format!("{table}results, table.csv{pictures}: {}", self.folder.display()))
    }
}
