//! `impakt sweep`: a parameter study, here or on a scheduler. Each run is a process of its own, so that nothing it does can harm
//! the others; one whose result is already there is not run again.

mod claim;
mod collect;
mod list;
mod share;
mod study;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use impakt::post::column::Measure;
use impakt::post::sweep::{Axis, Design, Sampling};

use super::output::wrong_input;
use share::Share;
use study::Study;

/// Shown below the options.
pub(super) const EXAMPLES: &str = "Examples:
  impakt sweep cases/vgroove/b_friction_02.yaml --set contacts.*.friction=0,0.1,0.2,0.3,0.4
  impakt sweep my.yaml --set contacts.0.friction=0.1,0.2 --set time.step=1e-5,5e-6 --jobs 4
  impakt sweep my.yaml --set bodies.a.velocity=[0,-1],[0,-2] --show max_von_mises:max -o results/speeds
  impakt sweep my.yaml --zip --set time.step=1e-5,5e-6 --set time.end=1e-3,2e-3
  impakt sweep my.yaml --sample 200 --set contacts.*.friction=0..0.6 --set materials.foam.density=100..1000:log
  impakt sweep my.yaml --points designs.csv
On a scheduler (the same study with):
  --list                    the runs, one a line: commands for GNU parallel, xargs, Snakemake, Dask (--json: as objects)
  --shard 3/8               one share of eight; --shard auto in a Slurm array or a Kubernetes indexed job
  --collect                 tables, charts and maps of what is there; says what is missing or failed

The folder gets one result and one log for each run; tables (table.txt, table.csv, costs.csv), charts over the first axis made
of numbers, for two parameters maps, for samples sensitivity.csv. Called again, it runs only what is missing, failed or changed,
and takes up what was interrupted. Any number of these commands may work on one folder at once.
Exit codes: 0 all done, 1 some runs failed (the others are kept), 2 the input is wrong.";

#[derive(Args)]
pub(super) struct SweepArguments {
    /// Case file
    case: PathBuf,
    /// An axis: dotted path and its values, commas between them; several axes give all combinations. With --sample an
    /// interval, low..high or low..high:log
    #[arg(long = "set", value_name = "PATH=V1,V2,...", required_unless_present = "points")]
    sets: Vec<String>,
    /// Lists go together, the first values of all, the second ones, and so on
    #[arg(long, conflicts_with_all = ["sample", "points"])]
    zip: bool,
    /// Sample the intervals at N points
    #[arg(long, value_name = "N", conflicts_with = "points")]
    sample: Option<usize>,
    /// Which points: sobol (more samples keep those that were there) or latin (a Latin hypercube)
    #[arg(long, value_name = "KIND", value_parser = sampling, default_value = "sobol", requires = "sample")]
    sampling: Sampling,
    /// Number that the points are made from
    #[arg(long, default_value_t = 1, requires = "sample")]
    seed: u64,
    /// Runs from a table: the header names the paths, each line below is a run
    #[arg(long, value_name = "FILE.csv")]
    points: Option<PathBuf>,
    /// Folder of the study [default: results/<case name>-sweep]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Runs at a time [default: one for each core]
    #[arg(long)]
    jobs: Option<usize>,
    /// Threads of each run [default: the cores over the runs at a time]; results do not depend on it
    #[arg(long)]
    threads: Option<usize>,
    /// A quantity of the history for the table and a chart of its own: its path, and after a colon end, start, min, max,
    /// time_of_min, time_of_max, range, duration, jump or a time; what the case expects is in the table anyway
    #[arg(long, value_name = "MEASURE", default_value = "friction_dissipation")]
    show: Vec<Measure>,
    /// Print the runs as commands, one a line, and run nothing
    #[arg(long, conflicts_with_all = ["collect", "fresh"])]
    list: bool,
    /// Do one share of the runs and leave tables to --collect: k/N, or auto in an array of Slurm or Kubernetes
    #[arg(long, value_name = "k/N", value_parser = Share::parse)]
    shard: Option<Share>,
    /// Run nothing; make tables and charts of the results that are there
    #[arg(long, conflicts_with_all = ["shard", "fresh"])]
    collect: bool,
    /// Run everything again
    #[arg(long)]
    fresh: bool,
    /// Only the final table
    #[arg(long)]
    quiet: bool,
    /// One JSON object a line on standard output: runs as they end, rows of the table
    #[arg(long)]
    json: bool,
}

/// Reads the name of a kind of samples.
fn sampling(text: &str) -> Result<Sampling, String> {
    match text {
        "latin" => Ok(Sampling::Latin),
        "sobol" => Ok(Sampling::Sobol),
        _ => Err("expected sobol or latin".to_owned()),
    }
}

impl SweepArguments {
    /// The runs that the arguments ask for.
    fn design(&self) -> Result<Design, String> {
        let axes = self.sets.iter().map(|text| Axis::parse(text)).collect::<Result<Vec<Axis>, String>>()?;
        if let Some(file) = &self.points {
            let name = file.display().to_string();
            let text = std::fs::read_to_string(file).map_err(|error| format!("--points {name}: {error}"))?;
            return Design::points(&name, &text, &axes);
        }
        match self.sample {
            Some(count) => Design::samples(axes, count, self.sampling, self.seed),
            None if self.zip => Design::together(axes),
            None => Design::product(axes),
        }
    }

    /// Runs at a time, and threads of each.
    fn crew(&self, runs: usize) -> Result<(usize, usize), String> {
        for (option, count) in [("--jobs", self.jobs), ("--threads", self.threads)] {
            if let Some(count) = count.filter(|count| *count == 0 || *count > 1024) {
                return Err(format!("{option} {count}: must be between 1 and 1024"));
            }
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.jobs.unwrap_or(cores).min(runs).max(1);
        Ok((jobs, self.threads.unwrap_or(cores / jobs).max(1)))
    }
}

/// Runs a study, a share of it, or none of it.
pub(super) fn sweep_case(arguments: &SweepArguments) -> ExitCode {
    let prepared = arguments.design().and_then(|design| {
        let share = arguments.shard.as_ref().map_or(Ok((0, 1)), Share::resolve)?;
        let mine = impakt::post::sweep::share(share.0, share.1, design.members.len());
        let crew = arguments.crew(mine.len())?;
        Ok((design, mine, crew))
    });
    let (design, mine, (jobs, threads)) = match prepared {
        Ok(prepared) => prepared,
        Err(message) => return wrong_input(format!("error: {message}")),
    };
    let study = match Study::new(arguments, design) {
        Ok(study) => study,
        Err(message) => return wrong_input(message),
    };
    if arguments.list {
        return list::print(&study, &mine);
    }
    if arguments.collect {
        return collect::collect(&study);
    }
    if let Err(message) = study.open() {
        return wrong_input(message);
    }
    let ends = work::run(&study, &mine, jobs, threads);
    if arguments.shard.is_some() { work::conclude(&study, &mine, &ends) } else { collect::conclude(&study) }
}
