//! Studies: the same table by every way of running them, shards that are killed and begun again, what is refused, and
//! sensitivities against a closed form.
//!
//! GNU parallel, Snakemake and Dask are tried where they are installed (`parallel` and `snakemake` on the PATH or beside the
//! Python of `IMPAKT_SCHEDULERS`, an environment's `bin`); where not, the test says so. Slurm and Kubernetes are stood in for
//! by the variables that they set.

#![cfg(unix)]

mod command;
mod runs;

use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use command::{Scratch, case, done, impakt, text};
use runs::claims::source;
use runs::{at_most, near};

const PROGRAM: &str = env!("CARGO_BIN_EXE_impakt");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of a study.
fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{}: {e}", folder.join(name).display()))
}

/// Calls `impakt sweep` with the arguments of a study and some more.
fn sweep(study: &[String], more: &[&str]) -> Output {
    Command::new(PROGRAM).arg("sweep").args(study).args(more).output().expect("impakt runs")
}

/// A program of the PATH, or of the environment named by `IMPAKT_SCHEDULERS`.
fn installed(name: &str) -> Option<PathBuf> {
    let named = std::env::var_os("IMPAKT_SCHEDULERS");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = named.into_iter().map(PathBuf::from).chain(std::env::split_paths(&path));
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A Python that knows Dask.
fn python_with_dask() -> Option<PathBuf> {
    let knows = |python: &PathBuf| {
        let tried = Command::new(python).args(["-c", "import dask.distributed"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    installed("python3").filter(knows)
}

/// The V-groove over 24 values of friction and two meshes, cut short.
fn groove(folder: &Path) -> Vec<String> {
    let frictions: Vec<String> = (0..24).map(|k| format!("{}", f64::from(k) / 40.0)).collect();
    [
        case("vgroove/b_friction_02.yaml"),
        "--set".to_owned(),
        format!("contacts.*.friction={}", frictions.join(",")),
        "--set".to_owned(),
        "bodies.cylinder.mesh.disc.core=6,8".to_owned(),
        "--set".to_owned(),
        "time.end=2.5e-4".to_owned(),
        "-o".to_owned(),
        folder.to_string_lossy().into_owned(),
    ]
    .to_vec()
}

/// Runs one of the examples of `scripts/schedulers` on a study.
fn example(program: &Path, script: &str, study: &[String]) -> Output {
    let mut command = Command::new(program);
    command.arg(root().join("scripts/schedulers").join(script)).args(study).env("IMPAKT", PROGRAM).env("JOBS", "2");
    command.output().expect("the example runs")
}

#[test]
fn every_way_of_running_a_study_makes_the_same_table() {
    source("the plain sweep: the same runs, whoever starts them");
    let scratch = Scratch::new("ways");
    let folder = |way: &str| scratch.0.join(way);
    let plain = groove(&folder("plain"));
    assert_eq!(sweep(&plain, &["--quiet"]).status.code(), Some(0));
    let table = read(&folder("plain"), "table.csv");
    assert_eq!(table.lines().count(), 49);
    let mut ways = vec!["shards", "list", "slurm", "kubernetes"];

    let study = groove(&folder("shards"));
    for (shard, tables) in [("1/2", false), ("2/2", false)] {
        let share = sweep(&study, &["--shard", shard, "--jobs", "1"]);
        assert_eq!(share.status.code(), Some(0), "{}", text(&share.stderr));
        assert_eq!(text(&share.stderr).matches(": done").count(), 24);
        assert_eq!(folder("shards").join("table.csv").exists(), tables, "a share wrote a table");
    }
    let listed = text(&sweep(&groove(&folder("list")), &["--list"]).stdout);
    assert_eq!(listed.lines().count(), 48);
    assert!(!folder("list").exists(), "a list wrote something");
    let shell = Command::new("sh").arg("-c").arg(&listed).output().expect("sh");
    assert!(shell.status.success(), "{}", text(&shell.stderr));
    for id in ["3", "5", "7"] {
        let mut job = Command::new("bash");
        job.arg(root().join("scripts/schedulers/slurm.sh")).args(groove(&folder("slurm"))).env("IMPAKT", PROGRAM);
        job.env("SLURM_ARRAY_TASK_ID", id).env("SLURM_ARRAY_TASK_MIN", "3").env("SLURM_ARRAY_TASK_COUNT", "3");
        let job = job.env("SLURM_ARRAY_TASK_STEP", "2").output().expect("bash");
        assert!(job.status.success(), "{}", text(&job.stderr));
    }
    for index in ["0", "1", "2", "3"] {
        let mut pod = Command::new(PROGRAM);
        pod.arg("sweep").args(groove(&folder("kubernetes"))).args(["--shard", "auto"]);
        let pod = pod.env("JOB_COMPLETION_INDEX", index).env("JOB_COMPLETIONS", "4").output().expect("impakt");
        assert!(pod.status.success(), "{}", text(&pod.stderr));
    }
    if let Some(parallel) = installed("parallel") {
        let run = Command::new("bash")
            .arg(root().join("scripts/schedulers/parallel.sh"))
            .args(groove(&folder("parallel")))
            .env("IMPAKT", PROGRAM)
            .env("JOBS", "2")
            .env("PATH", format!("{}:/usr/bin:/bin", parallel.parent().expect("a folder").display()))
            .output()
            .expect("bash");
        assert!(run.status.success(), "{}", text(&run.stderr));
        ways.push("parallel");
    }
    if let Some(snakemake) = installed("snakemake") {
        let words: Vec<String> = groove(&folder("snakemake"));
        let run = Command::new(snakemake)
            .arg("-s")
            .arg(root().join("scripts/schedulers/Snakefile"))
            .args(["--cores", "2", "--quiet", "all", "--config"])
            .args([format!("program={PROGRAM}"), format!("study={}", words.join(" "))])
            .current_dir(&scratch.0)
            .output()
            .expect("snakemake");
        assert!(run.status.success(), "{}", text(&run.stderr));
        ways.push("snakemake");
    }
    if let Some(python) = python_with_dask() {
        let run = example(&python, "dask_study.py", &groove(&folder("dask")));
        assert!(run.status.success(), "{}", text(&run.stderr));
        ways.push("dask");
    }
    for way in ["parallel", "snakemake", "dask"] {
        if !ways.contains(&way) {
            eprintln!("{way} is not installed: not tried");
        }
    }
    for way in ways {
        let collected = sweep(&groove(&folder(way)), &["--collect"]);
        assert_eq!(collected.status.code(), Some(0), "{way}: {}", text(&collected.stderr));
        for name in ["table.csv", "table.txt"] {
            assert!(read(&folder(way), name) == read(&folder("plain"), name), "{way}: {name} differs");
        }
    }
}

/// A share that can be killed: alone, or with the runs it has started.
fn start(study: &[String]) -> Child {
    let mut command = Command::new(PROGRAM);
    command.arg("sweep").args(study).args(["--shard", "1/1", "--jobs", "2", "--quiet"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().expect("impakt")
}

#[test]
fn shards_that_are_killed_lose_nothing_and_run_nothing_twice_to_its_end() {
    let scratch = Scratch::new("killed");
    let folder = scratch.0.join("study");
    let frictions: Vec<String> = (0..60).map(|k| format!("{}", f64::from(k) / 100.0)).collect();
    let study: Vec<String> = [
        case("vgroove/b_friction_02.yaml"),
        "--set".to_owned(),
        format!("contacts.*.friction={}", frictions.join(",")),
        "--set".to_owned(),
        "time.end=1e-3".to_owned(),
        "-o".to_owned(),
        folder.to_string_lossy().into_owned(),
    ]
    .to_vec();
    let mut random = 7u64;
    let mut below = |n: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    let mut shards = [start(&study), start(&study)];
    for kill in 0..30 {
        std::thread::sleep(Duration::from_millis(20 + below(150)));
        let shard = &mut shards[below(2) as usize];
        if kill % 2 == 0 {
            // with all that it has started, as the end of a job does
            let group = format!("-{}", shard.id());
            Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status().expect("kill");
        } else {
            let _ = shard.kill();
        }
        shard.wait().expect("a shard that was killed");
        *shard = start(&study);
    }
    for mut shard in shards {
        shard.wait().expect("a shard that ended");
    }
    // runs whose shard was killed may still be going on
    let collected = loop {
        let again = sweep(&study, &["--quiet"]);
        if again.status.success() {
            break text(&again.stdout);
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    assert_eq!(collected.matches("  done  ").count(), 60, "{collected}");
    let (mut attempts, mut twice) = (0, Vec::new());
    for friction in &frictions {
        let log = read(&folder, &format!("friction={friction},end=1e-3.log"));
        attempts += log.lines().filter(|line| line.starts_with("$ ")).count();
        let ends = log.lines().filter(|line| line.starts_with("  result: ")).count();
        if ends > 1 {
            twice.push(log);
        }
    }
    assert!(twice.is_empty(), "run twice to its end:\n{}", twice.join("\n"));
    println!("{attempts} attempts at 60 runs");
    assert!(attempts > 60, "no run was hit");
}

/// A share that a scheduler ends tells its runs, which leave a checkpoint; the next one goes on from there.
#[test]
fn an_ended_job_is_taken_up_from_its_checkpoint() {
    let scratch = Scratch::new("ended");
    let folder = scratch.0.join("study");
    let words = ["--set", "time.step=1e-6", "--set", "output.every=1e-4", "-o"];
    let mut study = vec![case("vgroove/b_friction_02.yaml")];
    study.extend(words.map(str::to_owned));
    study.push(folder.to_string_lossy().into_owned());
    let mut shard = start(&study);
    let (log, result) = (folder.join("step=1e-6,every=1e-4.log"), folder.join("step=1e-6,every=1e-4.vtkhdf"));
    while !result.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    let taken = sweep(&study, &["--shard", "1/1"]);
    assert_eq!(taken.status.code(), Some(0));
    assert!(text(&taken.stderr).contains("taken by another process"), "{}", text(&taken.stderr));
    let status = Command::new("kill").args(["-TERM", &shard.id().to_string()]).status().expect("kill");
    assert!(status.success());
    assert_eq!(shard.wait().expect("the shard").code(), Some(1));
    let collected = sweep(&study, &["--collect"]);
    assert!(text(&collected.stderr).contains("  interrupted: step=1e-6"), "{}", text(&collected.stderr));
    let before = impakt::output::ResultFile::open(&result).expect("a result").history_rows();
    assert!(before > 1 && before < 3001, "{before} rows");
    let again = sweep(&study, &[]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    let log = std::fs::read_to_string(log).expect("log");
    let starts: Vec<&str> = log.lines().filter(|line| line.starts_with("$ ")).collect();
    assert!(starts.len() == 2 && !starts[0].ends_with("--restart") && starts[1].ends_with("--restart"), "{log}");
    let file = impakt::output::ResultFile::open(&result).expect("a result");
    assert_eq!(file.history_rows(), 3001);
    assert!(file.history("time").expect("time").data.windows(2).all(|t| t[1] > t[0]));
}

#[test]
fn lists_samples_and_tables_of_points_are_studies_too() {
    let scratch = Scratch::new("designs");
    let file = case("vgroove/b_friction_02.yaml");
    let csv = |folder: &str| read(&scratch.0.join(folder), "table.csv");
    let run = |folder: &str, arguments: &[&str]| {
        let folder = scratch.path(folder);
        let mut all = vec!["sweep", &file, "-o", &folder, "--set", "time.end=1e-4", "--quiet"];
        all.extend(arguments);
        done(&all)
    };
    run("zip", &["--zip", "--set", "contacts.0.friction=0,0.1,0.1", "--set", "contacts.1.friction=0,0.2,0.3"]);
    let rows: Vec<String> = csv("zip").lines().map(|l| l.split(',').take(3).collect::<Vec<_>>().join(" ")).collect();
    let expected = ["time.end contacts.0.friction contacts.1.friction", "1e-4 0 0", "1e-4 0.1 0.2", "1e-4 0.1 0.3"];
    assert_eq!(rows, expected);
    let points = scratch.path("points.csv");
    let table = "contacts.*.friction,bodies.cylinder.velocity\n0.1,\"[0, -30]\"\n0.3,\"[1, -20]\"\n";
    std::fs::write(&points, table).expect("points");
    run("points", &["--points", &points]);
    assert!(csv("points").starts_with("contacts.*.friction,bodies.cylinder.velocity,time.end,result,"));
    assert!(csv("points").contains("\n0.3,\"[1, -20]\",1e-4,"), "{}", csv("points"));
    let two = ["--set", "contacts.*.friction=0..0.6", "--set", "materials.foam.density=300..1200:log"];
    // more points of Sobol' keep those that were there
    run("sobol", &[&["--sample", "8"], &two[..]].concat());
    let first = csv("sobol");
    let more = run("sobol", &[&["--sample", "16", "--show", "max_von_mises:max"], &two[..]].concat());
    assert!(csv("sobol").starts_with(&first), "{more}");
    assert!(more.contains("first order") && !more.contains("2 charts"), "{more}");
    for name in ["map_max_von_mises_max.svg", "map_max_von_mises_max.png", "sensitivity.csv", "costs.csv"] {
        assert!(scratch.0.join("sobol").join(name).exists(), "{name} is missing");
    }
    // what the case expects is a column by its own name
    assert!(
        first.lines().next().is_some_and(|line| line.contains(",max_von_mises_pk2_inplane:time_of_max,")),
        "{first}"
    );
    run("latin", &[&["--sample", "8", "--sampling", "latin", "--seed", "5"], &two[..]].concat());
    let json = run("latin", &[&["--sample", "8", "--sampling", "latin", "--seed", "5", "--json"], &two[..]].concat());
    let frictions: BTreeSet<u64> = json
        .lines()
        .filter(|line| line.contains("\"event\":\"row\""))
        .map(|line| {
            let value = line.split("\"contacts.*.friction\":\"").nth(1).and_then(|rest| rest.split('"').next());
            (value.and_then(|v| v.parse::<f64>().ok()).expect("a number") / 0.6 * 8.0) as u64
        })
        .collect();
    assert_eq!(frictions, (0..8).collect(), "a Latin hypercube has one sample in each eighth: {json}");
}

#[test]
fn wrong_studies_are_refused_before_anything_runs() {
    let scratch = Scratch::new("refused");
    let file = case("vgroove/b_friction_02.yaml");
    let other = case("vgroove/a_frictionless.yaml");
    let (new, used) = (scratch.path("new"), scratch.path("used"));
    let friction = "contacts.*.friction=0,0.1";
    let short = ["--set", "time.end=2e-5"];
    done(&[&["sweep", &file, "--set", friction, "-o", &used, "--quiet"], &short[..]].concat());
    let missing = scratch.path("no.csv");
    let cases: [(&[&str], &str); 18] = [
        (&[&file, "--set", "bodies.cylinder.velocty=[0, 1]", "-o", &new], "did you mean `velocity`"),
        (&[&file, "--set", "contacts.*.friction=", "-o", &new], "a value is empty"),
        (&[&file, "--set", "contacts.*.friction", "-o", &new], "no `=`"),
        (&[&file, "--set", friction, "--set", friction, "-o", &new], "given twice"),
        (&[&file, "--set", friction, "--shard", "0/3", "-o", &new], "no share 0 of 3"),
        (&[&file, "--set", friction, "--shard", "4/3", "-o", &new], "no share 4 of 3"),
        (&[&file, "--set", friction, "--shard", "auto", "-o", &new], "SLURM_ARRAY_TASK_ID"),
        (&[&file, "--set", friction, "--collect", "-o", &new], "none of the runs"),
        (&[&other, "--set", "time.step=1e-5,5e-6", "-o", &used], "holds a study of"),
        (
            &[&file, "--set", friction, "--set", "time.end=2e-5", "--collect", "--show", "enrgy", "-o", &used],
            "no history enrgy",
        ),
        (&[&file, "--set", "contacts.*.friction=0..1", "-o", &new], "needs --sample"),
        (&[&file, "--set", friction, "--sample", "4", "-o", &new], "takes an interval"),
        (&[&file, "--set", "contacts.*.friction=1..0", "--sample", "4", "-o", &new], "to a larger one"),
        (&[&file, "--set", "contacts.*.friction=0..1", "--sample", "0", "-o", &new], "--sample 0"),
        (&[&file, "--zip", "--set", friction, "--set", "time.step=1e-5,5e-6,2e-6", "-o", &new], "2 values"),
        (&[&file, "--points", &missing, "-o", &new], "no.csv"),
        (&[&file, "--set", friction, "--jobs", "0", "-o", &new], "--jobs 0"),
        (&[&file, "--set", friction, "--list", "--collect", "-o", &new], "cannot be used with"),
    ];
    for (arguments, part) in cases {
        let refused = Command::new(PROGRAM)
            .arg("sweep")
            .args(arguments)
            .env_remove("SLURM_ARRAY_TASK_ID")
            .env_remove("JOB_COMPLETION_INDEX")
            .output()
            .expect("impakt");
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(part), "{arguments:?}: {}", text(&refused.stderr));
        assert!(!Path::new(&new).exists(), "{arguments:?} wrote something");
    }
    // one run that is no case does not stop the others, and is named
    let some = impakt(&[&["sweep", &file, "--set", "contacts.*.friction=0,-1", "-o", &used], &short[..]].concat());
    assert_eq!(some.status.code(), Some(1));
    assert!(text(&some.stderr).contains("must be >= 0, got -1"), "{}", text(&some.stderr));
    assert!(text(&some.stderr).contains("done before"), "{}", text(&some.stderr));
}

/// Hertz' contact time t = 2.868 (m²/(R E*² v))^(1/5) is R ρ^(2/5) E^(−2/5) v^(−1/5) but for a constant [Johnson1985, ch. 11].
///
/// The ball is slow, 2 cm/s, so that the contact is small against the ball (a/R < 0.01) and long against the time that waves
/// take across it: what is left of Hertz' assumptions moves the exponents by less than the tolerance.
#[test]
fn a_sampled_study_finds_the_exponents_of_hertz() {
    source(
        "Hertz's impact [Johnson1985, ch. 11]: contact time R ρ^0.4 E^-0.4 v^-0.2, largest force R² ρ^0.6 E^0.4 v^1.2",
    );
    let scratch = Scratch::new("hertz");
    let a = 0.0089;
    let mesh = runs::ball::half_section("study_of_hertz", 1.0, a / 14.0, 1.2 * a, 1.25, true);
    let file = scratch.path("ball.yaml");
    let case = format!(
        "geometry: axisymmetric
time: {{ end: 2.6e-4, step: 5.0e-7 }}
materials: {{ metal: {{ density: 2700.0, law: {{ linear: {{ young: 7.0e+10, poisson: 0.3 }} }} }} }}
bodies:
  ball: {{ mesh: {{ gmsh: \"{mesh}\", group: ball, place: {{ scale: 0.01 }} }}, material: metal, velocity: [0.0, -0.02] }}
obstacles: {{ floor: {{ shape: {{ half_space: {{ point: [0.0, 0.0], normal: [0.0, 1.0] }} }} }} }}
contacts: [{{ between: [ball.surface, floor], search: 2.0e-5 }}]
output: {{ every: 1.0, fields: [displacement] }}
"
    );
    std::fs::write(&file, case).expect("a case");
    let folder = scratch.path("study");
    done(&[
        "sweep",
        &file,
        "-o",
        &folder,
        "--quiet",
        "--sample",
        "32",
        "--set",
        "bodies.ball.mesh.place.scale=0.008..0.0125:log",
        "--set",
        "materials.metal.density=2000..3500:log",
        "--set",
        "materials.metal.law.linear.young=5e10..9e10:log",
        "--set",
        "bodies.ball.velocity.1=-0.03..-0.0133",
        "--show",
        "contact_force/1:duration",
        "--show",
        "contact_force/1:max",
    ]);
    let table = read(Path::new(&folder), "sensitivity.csv");
    for (result, exponents) in
        [("contact_force/1:duration", [1.0, 0.4, -0.4, -0.2]), ("contact_force/1:max", [2.0, 0.6, 0.4, 1.2])]
    {
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
        let found = lines.iter().filter(|line| line[0] == result);
        for (line, exact) in found.zip(exponents) {
            let exponent: f64 = line[3].parse().expect("a number");
            near(&format!("{result} over {}: exponent", line[1]), exponent, exact, 0.01 * exact.abs());
            at_most(
                &format!("{result}: what the power law leaves of the variance"),
                1.0 - line[4].parse::<f64>().expect("a number"),
                1e-4,
            );
        }
    }
}
