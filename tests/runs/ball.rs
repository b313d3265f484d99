//! A ball as a mesh that is fine where it touches a plane.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use std::fmt::Write;

/// Spacing `h` up to `fine`, then growing by `growth`, ending at `total`.
fn graded(mut h: f64, fine: f64, growth: f64, total: f64) -> Vec<f64> {
    let mut line = vec![0.0f64];
    while line[line.len() - 1] < total {
        if line[line.len() - 1] >= fine {
            h *= growth;
        }
        line.push(line[line.len() - 1] + h);
    }
    let share = total / line[line.len() - 1];
    line.iter().map(|x| share * x).collect()
}

/// The half section of a ball that stands on the origin, as a file in Gmsh's format: physical groups `ball`, `axis` and
/// `equator` (of a whole section, its upper end).
///
/// A grid of u in [0, 1] and v from −1 is bent into the disc by x = R u √(1 − v²/2), y = R v √(1 − u²/2), whose image of the
/// sides of the square is the circle.
pub fn half_section(name: &str, radius: f64, cell: f64, fine: f64, growth: f64, whole: bool) -> String {
    section(name, radius, [cell, fine, growth], whole, false)
}

/// The same, or its mirror image that hangs below the origin.
pub fn section(name: &str, radius: f64, [cell, fine, growth]: [f64; 3], whole: bool, below: bool) -> String {
    let sign = if below { -1.0 } else { 1.0 };
    let scale = SQRT_2 / radius;
    let u = graded(scale * cell, scale * fine, growth, 1.0);
    let v = graded(scale * cell * FRAC_1_SQRT_2, scale * fine, growth, if whole { 2.0 } else { 1.0 });
    let (columns, rows) = (u.len(), v.len());
    let mut nodes = String::new();
    for v in v.iter().map(|v| v - 1.0) {
        for u in &u {
            let (x, y) = (u * (1.0 - 0.5 * v * v).sqrt(), 1.0 + v * (1.0 - 0.5 * u * u).sqrt());
            // the lowest point touches the plane exactly
            writeln!(nodes, "{:e} {:e} 0", radius * x, sign * radius * y).expect("text");
        }
    }
    let at = |i: usize, j: usize| j * columns + i + 1;
    let mut tags = String::new();
    (1..=columns * rows).for_each(|tag| writeln!(tags, "{tag}").expect("text"));
    let (cells, left, top) = ((columns - 1) * (rows - 1), rows - 1, columns - 1);
    let total = cells + left + top;
    let mut elements = format!("1 1 1 {left}\n");
    (0..left).for_each(|j| writeln!(elements, "{} {} {}", j + 1, at(0, j), at(0, j + 1)).expect("text"));
    writeln!(elements, "1 2 1 {top}").expect("text");
    (0..top).for_each(|i| {
        writeln!(elements, "{} {} {}", left + i + 1, at(i, rows - 1), at(i + 1, rows - 1)).expect("text");
    });
    writeln!(elements, "2 1 3 {cells}").expect("text");
    for (k, (i, j)) in (0..rows - 1).flat_map(|j| (0..columns - 1).map(move |i| (i, j))).enumerate() {
        let [a, mut b, c, mut d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        if below {
            (b, d) = (d, b);
        }
        writeln!(elements, "{} {a} {b} {c} {d}", left + top + k + 1).expect("text");
    }
    let count = columns * rows;
    let (low, high) = (-2.0 * radius, 2.0 * radius);
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 1 \"axis\"\n1 2 \"equator\"\n2 3 \"ball\"\n$EndPhysicalNames\n\
         $Entities\n0 2 1 0\n1 0 {low} 0 0 {high} 0 1 1 0\n2 0 {low} 0 {high} {high} 0 1 2 0\n1 0 {low} 0 {high} {high} 0 1 3 2 1 2\n\
         $EndEntities\n$Nodes\n1 {count} 1 {count}\n2 1 0 {count}\n{tags}{nodes}$EndNodes\n\
         $Elements\n3 {total} 1 {total}\n{elements}$EndElements\n"
    );
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.msh"));
    std::fs::write(&path, text).expect("a writable folder");
    path.display().to_string()
}
