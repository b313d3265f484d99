//! Stored friction-contact problems: the file format, the measures, and problems that nobody here wrote.
//!
//! Problems of others are not part of this repository. Their tests read the folder `IMPAKT_FCLIB` names, or
//! `../shared/fclib`, and say so when it is absent; our own dumped problems under `tests/data/contact` always run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

use std::path::{Path, PathBuf};

use impakt::contact::fclib;
use impakt::contact::problem::LocalProblem;
use impakt::contact::quality::Quality;
use impakt::contact::solvers::ALL;

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("impakt-fclib-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("scratch folder");
        Scratch(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// All problems of a folder, by name.
fn problems_in(folder: &Path) -> Vec<(String, LocalProblem)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "hdf5"));
    files.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), fclib::read(path).unwrap_or_else(|error| panic!("{error}")))).collect()
}

/// Problems of others, if they are at hand.
fn foreign() -> Vec<(String, LocalProblem)> {
    let folder = std::env::var_os("IMPAKT_FCLIB")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fclib"), PathBuf::from);
    let found = problems_in(&folder);
    if found.is_empty() {
        eprintln!("NOT RUN: no FCLIB problems in {} (set IMPAKT_FCLIB to a folder that has some)", folder.display());
    }
    found
}

/// Our own, dumped by `impakt run --dump-contact`.
fn own() -> Vec<(String, LocalProblem)> {
    let found = problems_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/contact"));
    assert!(found.len() >= 3, "only {} stored problems of our own", found.len());
    found
}

/// `u = Wr + q`, all points.
fn displacements(problem: &LocalProblem, r: &[f64]) -> Vec<f64> {
    (0..problem.len())
        .flat_map(|i| match problem.dim {
            2 => problem.displacement::<2>(r, i).to_vec(),
            _ => problem.displacement::<3>(r, i).to_vec(),
        })
        .collect()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// The published measure a second time: THEORY 3.2's other form of the projection, and `W` as a full matrix.
fn natural_map(problem: &LocalProblem, r: &[f64]) -> f64 {
    let (d, size) = (problem.dim, problem.q.len());
    let mut w = vec![0.0; size * size];
    for i in 0..problem.len() {
        for k in problem.w.offsets[i]..problem.w.offsets[i + 1] {
            for a in 0..d {
                for b in 0..d {
                    let column = problem.w.columns[k] as usize * d + b;
                    w[(i * d + a) * size + column] = problem.w.blocks[(k * d + a) * d + b];
                }
            }
        }
    }
    let u: Vec<f64> = (0..size)
        .map(|i| problem.q[i] + w[i * size..(i + 1) * size].iter().zip(r).map(|(w, r)| w * r).sum::<f64>())
        .collect();
    let mut total = 0.0;
    for i in 0..problem.len() {
        let (mu, at) = (problem.friction[i].along[0], i * d);
        let mut tau: Vec<f64> = (0..d).map(|a| r[at + a] - u[at + a]).collect();
        tau[0] -= mu * norm(&u[at + 1..at + d]);
        let length = norm(&tau[1..]);
        let projected: Vec<f64> = if mu * length <= -tau[0] {
            vec![0.0; d]
        } else if length <= mu * tau[0] {
            tau.clone()
        } else {
            let excess = (length - mu * tau[0]) / (1.0 + mu * mu);
            (0..d).map(|a| tau[a] - excess * if a == 0 { -mu } else { tau[a] / length }).collect()
        };
        total += (0..d).map(|a| (r[at + a] - projected[a]).powi(2)).sum::<f64>();
    }
    total.sqrt()
}

/// Solves with one solver until the published measure holds, as `impakt contact` does.
fn solve(problem: &LocalProblem, solver: usize, tolerance: f64) -> Result<Vec<f64>, String> {
    let mut r = vec![0.0; problem.q.len()];
    let mut own = tolerance;
    for _ in 0..6 {
        (ALL[solver].build)(own, None).solve(problem, &mut r).map_err(|error| error.to_string())?;
        let quality = Quality::of(problem, &r);
        if quality.relative_to_q <= tolerance {
            return Ok(r);
        }
        own = 0.3 * quality.residual * tolerance / quality.relative_to_q;
    }
    Err(format!("{:?}", Quality::of(problem, &r)))
}

/// Signorini and Coulomb on what a solver returned.
fn obeys(label: &str, problem: &LocalProblem, r: &[f64], tolerance: f64) {
    let (d, u) = (problem.dim, displacements(problem, r));
    let scale = norm(&problem.q);
    let mut power = 0.0;
    for i in 0..problem.len() {
        let (r, u, mu) = (&r[i * d..(i + 1) * d], &u[i * d..(i + 1) * d], problem.friction[i].along[0]);
        assert!(r[0] >= 0.0, "{label}, point {i}: r_n = {:e}", r[0]);
        assert!(norm(&r[1..]) <= mu * r[0] * (1.0 + 1e-12), "{label}, point {i}: {r:?} outside the cone");
        assert!(u[0] >= -tolerance * scale, "{label}, point {i}: penetration {:e} of {scale:e}", -u[0]);
        power += (1..d).map(|a| r[a] * u[a]).sum::<f64>();
    }
    assert!(power <= tolerance * scale * norm(r), "{label}: friction puts in {power:e}");
}

/// What is written is read back, number by number, for both dimensions and with a sparse `W`.
#[test]
fn a_problem_survives_the_file() {
    let scratch = Scratch::new("round");
    for dim in [2, 3] {
        let size = 3 * dim;
        let w: Vec<f64> = (0..size * size).map(|k| ((k * k) as f64 * 0.37).sin()).collect();
        let q: Vec<f64> = (0..size).map(|k| (k as f64).cos() / 3.0).collect();
        let problem = LocalProblem::dense(dim, &w, &q, &[0.0, 0.3, 1.0 / 7.0]);
        let path = scratch.0.join(format!("{dim}.hdf5"));
        fclib::write(&path, "three points", &problem, Some(&q)).expect("write");
        let read = fclib::read(&path).expect("read");
        assert_eq!((read.dim, &read.q, &read.friction), (dim, &problem.q, &problem.friction));
        assert_eq!((&read.w.offsets, &read.w.columns), (&problem.w.offsets, &problem.w.columns));
        assert_eq!((&read.w.blocks, &read.w.diagonal), (&problem.w.blocks, &problem.w.diagonal));
    }
}

/// The same matrix as columns, rows and triplets; and the global form of a problem whose `W` is known by hand:
/// `M = diag(2, 4, 5)`, `H = [1 0; 0 1; 1 1]`, so `W = HᵀM⁻¹H = [0.7 0.2; 0.2 0.45]`, and with `f = (2, 4, 5)` and
/// `w = (−3, 0)` `q = w + HᵀM⁻¹f = (−1, 2)`.
#[test]
fn every_storage_gives_the_same_matrix() {
    let scratch = Scratch::new("storage");
    let save = |name: &str, fill: &dyn Fn(&hdf5::File)| {
        let path = scratch.0.join(name);
        fill(&hdf5::File::create(&path).expect("create"));
        fclib::read(&path).unwrap_or_else(|error| panic!("{error}"))
    };
    let expected = LocalProblem::dense(2, &[0.7, 0.2, 0.2, 0.45], &[-1.0, 2.0], &[0.3]);
    for (kind, p, i, x) in [
        (-1, vec![0, 2, 4], vec![0, 1, 0, 1], vec![0.7, 0.2, 0.2, 0.45]),
        (-2, vec![0, 2, 4], vec![1, 0, 0, 1], vec![0.2, 0.7, 0.2, 0.45]),
        (5, vec![0, 1, 1, 0, 1], vec![0, 0, 1, 1, 1], vec![0.7, 0.2, 0.4, 0.2, 0.05]),
    ] {
        let read = save(&format!("local{kind}.hdf5"), &|file| {
            local(file, 2, (2, 2, kind), &p, &i, &x, &[-1.0, 2.0], &[0.3]);
        });
        for (a, b) in read.w.blocks.iter().zip(&expected.w.blocks) {
            assert!((a - b).abs() < 1e-15, "storage {kind}: {:?}", read.w.blocks);
        }
        assert_eq!(read.q, expected.q);
    }
    let read = save("global.hdf5", &|file| {
        let root = file.create_group("fclib_global").unwrap();
        put(&root, "spacedim", &[2]);
        matrix(&root, "M", (3, 3, 3), &[0, 1, 2], &[0, 1, 2], &[2.0, 4.0, 5.0]);
        matrix(&root, "H", (3, 2, 4), &[0, 1, 0, 1], &[0, 1, 2, 2], &[1.0, 1.0, 1.0, 1.0]);
        let vectors = root.create_group("vectors").unwrap();
        put(&vectors, "f", &[2.0, 4.0, 5.0]);
        put(&vectors, "w", &[-3.0, 0.0]);
        put(&vectors, "mu", &[0.3]);
    });
    for (a, b) in read.w.blocks.iter().chain(&read.q).zip(expected.w.blocks.iter().chain(&expected.q)) {
        assert!((a - b).abs() < 1e-14, "global: {read:?}");
    }
}

fn put<T: hdf5::H5Type>(group: &hdf5::Group, name: &str, data: &[T]) {
    group.new_dataset_builder().with_data(data).create(name).unwrap();
}

fn matrix(group: &hdf5::Group, name: &str, (m, n, nz): (i32, i32, i32), p: &[i32], i: &[i32], x: &[f64]) {
    let group = group.create_group(name).unwrap();
    for (name, value) in [("m", m), ("n", n), ("nz", nz), ("nzmax", x.len() as i32)] {
        put(&group, name, &[value]);
    }
    put(&group, "p", p);
    put(&group, "i", i);
    put(&group, "x", x);
}

#[allow(clippy::too_many_arguments)] // the fields of the format
fn local(file: &hdf5::File, dim: i32, size: (i32, i32, i32), p: &[i32], i: &[i32], x: &[f64], q: &[f64], mu: &[f64]) {
    let root = file.create_group("fclib_local").unwrap();
    put(&root, "spacedim", &[dim]);
    matrix(&root, "W", size, p, i, x);
    let vectors = root.create_group("vectors").unwrap();
    put(&vectors, "q", q);
    put(&vectors, "mu", mu);
}

/// Files that are not problems: each is refused with what is wrong, none panics.
#[test]
fn damaged_files_are_refused_by_name() {
    type Fill = Box<dyn Fn(&hdf5::File)>;
    let scratch = Scratch::new("damaged");
    let (p, i, x) = ([0, 2, 4], [0, 1, 0, 1], [0.7, 0.2, 0.2, 0.45]);
    let (q, mu) = ([-1.0, 2.0], [0.3]);
    let broken: Vec<(&str, Fill)> = vec![
        ("neither /fclib_local nor /fclib_global", Box::new(|_| ())),
        ("spacedim = 4", Box::new(move |f| local(f, 4, (2, 2, -1), &p, &i, &x, &q, &mu))),
        ("nz = -7", Box::new(move |f| local(f, 2, (2, 2, -7), &p, &i, &x, &q, &mu))),
        ("nz promises 9 entries", Box::new(move |f| local(f, 2, (2, 2, 9), &p, &i, &x, &q, &mu))),
        ("/p holds 3 numbers, expected 8", Box::new(move |f| local(f, 2, (7, 7, -1), &p, &i, &x, &q, &mu))),
        ("/m = -2", Box::new(move |f| local(f, 2, (-2, 2, -1), &p, &i, &x, &q, &mu))),
        ("/i[1] = 9", Box::new(move |f| local(f, 2, (2, 2, -1), &p, &[0, 9, 0, 1], &x, &q, &mu))),
        ("does not fit 4 entries", Box::new(move |f| local(f, 2, (2, 2, -1), &[0, 2, 40], &i, &x, &q, &mu))),
        ("does not fit 4 entries", Box::new(move |f| local(f, 2, (2, 2, -1), &[0, -2, 4], &i, &x, &q, &mu))),
        ("not a finite number", Box::new(move |f| local(f, 2, (2, 2, -1), &p, &i, &[f64::NAN; 4], &q, &mu))),
        ("q[1] = inf", Box::new(move |f| local(f, 2, (2, 2, -1), &p, &i, &x, &[0.0, f64::INFINITY], &mu))),
        ("mu[0] = -0.3", Box::new(move |f| local(f, 2, (2, 2, -1), &p, &i, &x, &q, &[-0.3]))),
        ("sizes contradict", Box::new(move |f| local(f, 2, (2, 2, -1), &p, &i, &x, &q, &[0.3, 0.3]))),
        ("sizes contradict", Box::new(move |f| local(f, 2, (2, 2, -1), &p, &i, &x, &[1.0], &mu))),
        (
            "vectors is missing",
            Box::new(|f| {
                let root = f.create_group("fclib_local").unwrap();
                put(&root, "spacedim", &[2]);
                matrix(&root, "W", (0, 0, -1), &[0], &[0; 0], &[]);
            }),
        ),
        ("W is missing", Box::new(|f| drop(f.create_group("fclib_local").unwrap()))),
    ];
    for (k, (expected, fill)) in broken.iter().enumerate() {
        let path = scratch.0.join(format!("{k}.hdf5"));
        fill(&hdf5::File::create(&path).expect("create"));
        let error = fclib::read(&path).expect_err(expected).to_string();
        assert!(error.contains(expected) && error.contains(&format!("{k}.hdf5")), "`{error}` lacks `{expected}`");
    }
    let text = scratch.0.join("text.hdf5");
    std::fs::write(&text, "not HDF5").unwrap();
    assert!(fclib::read(&text).expect_err("text").to_string().contains("not a readable HDF5 file"));
    assert!(fclib::read(&scratch.0.join("none.hdf5")).expect_err("none").to_string().contains("cannot open"));
    // cut short at every kilobyte
    let whole = scratch.0.join("whole.hdf5");
    local(&hdf5::File::create(&whole).unwrap(), 2, (2, 2, -1), &p, &i, &x, &q, &mu);
    let bytes = std::fs::read(&whole).unwrap();
    for length in (0..bytes.len()).step_by(1024) {
        let cut = scratch.0.join("cut.hdf5");
        std::fs::write(&cut, &bytes[..length]).unwrap();
        assert!(fclib::read(&cut).is_err(), "{length} of {} bytes were enough", bytes.len());
    }
}

/// The measures against a second computation, at the zero guess and at a rough solution.
#[test]
fn the_measures_are_what_they_say() {
    for (name, problem) in own().into_iter().chain(foreign()).filter(|(_, p)| p.q.len() <= 900) {
        let mut r = vec![0.0; problem.q.len()];
        for round in 0..2 {
            let quality = Quality::of(&problem, &r);
            let map = natural_map(&problem, &r);
            let (q, u) = (norm(&problem.q), norm(&displacements(&problem, &r)));
            let rounding = 1e-13 * (norm(&r) + u + q);
            assert!((quality.relative_to_q * q - map).abs() <= rounding, "{name}, {round}: {quality:?}, {map:e}");
            let size = q.max(norm(&r)).max(u);
            assert!((quality.siconos * size - map).abs() <= rounding, "{name}, {round}: {quality:?}, {map:e}");
            let _ = (ALL[0].build)(1e-3, Some(5)).solve(&problem, &mut r);
        }
    }
}

/// Our own problems, from 2D and 3D runs: every solver that converges finds the same motion `u` (reactions may be split in many
/// ways where points outnumber unknowns), and Newton and the hybrid always converge.
#[test]
fn all_solvers_agree_on_our_own_problems() {
    for (name, problem) in own() {
        let mut motions: Vec<(&str, Vec<f64>)> = Vec::new();
        for (k, entry) in ALL.iter().enumerate() {
            match solve(&problem, k, 1e-9) {
                Ok(r) => {
                    obeys(&format!("{name}, {}", entry.name), &problem, &r, 1e-8);
                    motions.push((entry.name, displacements(&problem, &r)));
                }
                Err(error) => assert!(!["newton", "hybrid"].contains(&entry.name), "{name}: {error}"),
            }
        }
        for (solver, u) in &motions[1..] {
            let apart = u.iter().zip(&motions[0].1).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let limit = 1e-6 * norm(&problem.q);
            assert!(apart <= limit, "{name}: {solver} and {} differ by {apart:e} > {limit:e}", motions[0].0);
        }
    }
}

/// Problems nobody here wrote, rigid and finite-element, 2D and 3D, 1 to 2020 points: the hybrid and Newton solve each to
/// 1e-8 of `‖q‖`.
#[test]
fn foreign_problems_are_solved_to_eight_digits() {
    for (name, problem) in foreign() {
        for (k, entry) in ALL.iter().enumerate().filter(|(_, e)| ["newton", "hybrid"].contains(&e.name)) {
            let r = solve(&problem, k, 1e-8).unwrap_or_else(|error| panic!("{name}, {}: {error}", entry.name));
            obeys(&format!("{name}, {}", entry.name), &problem, &r, 1e-7);
        }
    }
}
