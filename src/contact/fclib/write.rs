//! Writing a local problem, readable by FCLIB and by [`super::read()`].

use std::path::Path;

use hdf5::Group;
use hdf5::types::FixedAscii;

use super::FclibError;
use crate::contact::friction::Friction;
use crate::contact::problem::LocalProblem;

/// Writes `problem` with a title, and `r` as the solution if given. `W` goes out in compressed rows. The format knows one
/// coefficient a point: a point with orthotropic friction is written in the scales that make its cone round, with μ = 1.
pub fn write(path: &Path, title: &str, problem: &LocalProblem, r: Option<&[f64]>) -> Result<(), FclibError> {
    let fault = |e: hdf5::Error| FclibError::Problem { path: path.to_path_buf(), what: format!("cannot write: {e}") };
    let file = hdf5::File::create(path).map_err(fault)?;
    fill(&file, title, problem, r).map_err(fault)
}

fn fill(file: &Group, title: &str, problem: &LocalProblem, r: Option<&[f64]>) -> hdf5::Result<()> {
    let dim = problem.dim;
    let scales: Vec<[[f64; 3]; 2]> = problem.friction.iter().map(|f| round_scales(f, dim)).collect();
    let root = file.create_group("fclib_local")?;
    single(&root, "spacedim", dim as i32)?;
    let w = root.create_group("W")?;
    let size = problem.len() * dim;
    let (mut offsets, mut columns, mut values) = (vec![0i32], Vec::<i32>::new(), Vec::<f64>::new());
    for i in 0..problem.len() {
        for a in 0..dim {
            for k in problem.w.offsets[i]..problem.w.offsets[i + 1] {
                for b in 0..dim {
                    columns.push((problem.w.columns[k] as usize * dim + b) as i32);
                    let scale = scales[i][0][a] * scales[problem.w.columns[k] as usize][1][b];
                    values.push(scale * problem.w.blocks[k * dim * dim + a * dim + b]);
                }
            }
            offsets.push(columns.len() as i32);
        }
    }
    for (name, value) in [("m", size as i32), ("n", size as i32), ("nz", -2), ("nzmax", values.len() as i32)] {
        single(&w, name, value)?;
    }
    w.new_dataset_builder().with_data(&offsets).create("p")?;
    w.new_dataset_builder().with_data(&columns).create("i")?;
    w.new_dataset_builder().with_data(&values).create("x")?;
    let vectors = root.create_group("vectors")?;
    let rows = |x: &[f64]| x.iter().enumerate().map(|(k, x)| scales[k / dim][0][k % dim] * x).collect::<Vec<f64>>();
    vectors.new_dataset_builder().with_data(&rows(&problem.q)).create("q")?;
    let friction = problem.friction.iter().map(|f| if dim == 2 || f.is_round() { f.along[0] } else { 1.0 });
    vectors.new_dataset_builder().with_data(&friction.collect::<Vec<f64>>()).create("mu")?;
    let info = root.create_group("info")?;
    for (name, text) in [("title", title), ("description", concat!("condensed by impakt ", env!("CARGO_PKG_VERSION")))]
    {
        let plain: String = text.chars().filter(char::is_ascii).take(200).collect();
        let plain = FixedAscii::<256>::from_ascii(plain.as_bytes()).unwrap_or_default();
        info.new_dataset::<FixedAscii<256>>().create(name)?.write_scalar(&plain)?;
    }
    if let Some(r) = r {
        let solution = file.create_group("solution")?;
        let u: Vec<f64> = (0..problem.len())
            .flat_map(|i| match dim {
                2 => problem.displacement::<2>(r, i).to_vec(),
                _ => problem.displacement::<3>(r, i).to_vec(),
            })
            .collect();
        let own =
            |k: usize, r: f64| if scales[k / dim][1][k % dim] > 0.0 { r / scales[k / dim][1][k % dim] } else { 0.0 };
        let scaled: Vec<f64> = r.iter().enumerate().map(|(k, r)| own(k, *r)).collect();
        solution.new_dataset_builder().with_data(&rows(&u)).create("u")?;
        solution.new_dataset_builder().with_data(&scaled).create("r")?;
    }
    Ok(())
}

/// Scales of rows and columns along n, t1, t2. A direction without friction vanishes with its scale.
fn round_scales(friction: &Friction, dim: usize) -> [[f64; 3]; 2] {
    if dim == 2 || friction.is_round() {
        return [[1.0; 3]; 2];
    }
    let (s, c) = friction.scales();
    [[1.0, c[0], c[1]], [1.0, s[0], s[1]]]
}

fn single(group: &Group, name: &str, value: i32) -> hdf5::Result<()> {
    group.new_dataset_builder().with_data(&[value]).create(name).map(|_| ())
}
