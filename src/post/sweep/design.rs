//! Which runs a study consists of: all combinations of its axes, lists that go together, points of a table, or samples.

use std::collections::{HashMap, HashSet};

use super::axis::{Axis, Interval};
use super::sample::{self, Random, Sampling};

/// Largest number of runs of a study: beyond it something was mistyped.
pub const MOST_RUNS: usize = 100_000;

/// One run of a study.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Combination {
    /// The value on each axis.
    pub values: Vec<String>,
    /// The `--set` arguments that make it.
    pub sets: Vec<String>,
    /// A name for its files. It depends on paths and values alone, so that the same run has it in every study.
    pub name: String,
}

/// How the runs of a study were chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// All combinations.
    Product,
    /// Lists that go together, or points of a table.
    Points,
    /// Samples of the parameters (numbers of their axes), with the place of each run in the unit cube.
    Samples(Vec<usize>, Vec<Vec<f64>>),
}

/// A study: its axes and its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Design {
    /// The axes; the values of each in the order in which they come.
    pub axes: Vec<Axis>,
    /// The runs.
    pub members: Vec<Combination>,
    /// How they were chosen.
    pub choice: Choice,
}

impl Design {
    /// All combinations, the last axis running fastest.
    ///
    /// # Errors
    /// A value given twice, an interval, too many runs.
    pub fn product(axes: Vec<Axis>) -> Result<Self, String> {
        for axis in &axes {
            let mut seen = HashSet::new();
            if let Some(twice) = axis.values.iter().find(|value| !seen.insert(*value)) {
                return Err(format!("--set {}: the value {twice} is given twice", axis.path));
            }
            no_interval(axis)?;
        }
        let count = axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len()));
        if count.is_none_or(|count| count > MOST_RUNS) {
            return Err(format!("these axes make more than {MOST_RUNS} runs"));
        }
        let mut rows = vec![Vec::new()];
        for axis in &axes {
            let longer = |row: &Vec<String>| {
                let row = row.clone();
                axis.values.iter().map(move |v| row.iter().chain([v]).cloned().collect::<Vec<String>>())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        made(axes, rows, Choice::Product)
    }

    /// The first values of all lists, then the second ones, and so on; a list of one value goes with all.
    ///
    /// # Errors
    /// Lists of different length, an interval, a run that comes twice.
    pub fn together(axes: Vec<Axis>) -> Result<Self, String> {
        let count = axes.iter().map(|axis| axis.values.len()).max().unwrap_or(0);
        for axis in &axes {
            no_interval(axis)?;
            if axis.values.len() != 1 && axis.values.len() != count {
                let (path, have) = (&axis.path, axis.values.len());
                return Err(format!(
                    "--set {path}: {have} values, where another list has {count}; --zip takes lists of one length"
                ));
            }
        }
        let value = |axis: &Axis, k: usize| axis.values[if axis.values.len() == 1 { 0 } else { k }].clone();
        let rows = (0..count).map(|k| axes.iter().map(|axis| value(axis, k)).collect()).collect();
        made(axes, rows, Choice::Points)
    }

    /// The lines of a table, whose header names the paths; `axes` of one value go with all.
    ///
    /// # Errors
    /// What is wrong with the table, with its line.
    pub fn points(file: &str, text: &str, axes: &[Axis]) -> Result<Self, String> {
        if let Some(axis) = axes.iter().find(|axis| axis.values.len() != 1) {
            return Err(format!("--set {}: beside --points a path takes one value, for all runs", axis.path));
        }
        let lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let Some((at, header)) = lines.next() else { return Err(format!("{file}: no line names the paths")) };
        let paths = cells(header).map_err(|what| format!("{file}:{at}: {what}"))?;
        let mut all: Vec<Axis> = paths.into_iter().map(|path| Axis { path, values: Vec::new() }).collect();
        if let Some(column) = all.iter().position(|axis| axis.path.is_empty()) {
            return Err(format!("{file}:{at}: column {} has no path", column + 1));
        }
        let mut rows = Vec::new();
        for (at, line) in lines {
            let mut row = cells(line).map_err(|what| format!("{file}:{at}: {what}"))?;
            if row.len() != all.len() {
                return Err(format!("{file}:{at}: {} values for {} paths", row.len(), all.len()));
            }
            let one = |value: &String| Axis::parse(&format!("x={value}")).is_ok_and(|axis| axis.values.len() == 1);
            if let Some(column) = row.iter().position(|value| !one(value)) {
                return Err(format!("{file}:{at}: `{}` is not one value of {}", row[column], all[column].path));
            }
            row.extend(axes.iter().map(|axis| axis.values[0].clone()));
            rows.push(row);
        }
        if rows.is_empty() {
            return Err(format!("{file}: there are no points below the header"));
        }
        for (column, axis) in all.iter_mut().enumerate() {
            axis.values = rows.iter().map(|row: &Vec<String>| row[column].clone()).collect();
        }
        all.extend_from_slice(axes);
        made(all, rows, Choice::Points)
    }

    /// Samples of all axes that are intervals; the others have one value.
    ///
    /// # Errors
    /// No interval, a list, too many samples or parameters.
    pub fn samples(mut axes: Vec<Axis>, count: usize, sampling: Sampling, seed: u64) -> Result<Self, String> {
        if count == 0 || count > MOST_RUNS {
            return Err(format!("--sample {count}: must be between 1 and {MOST_RUNS}"));
        }
        let mut intervals: Vec<(usize, Interval)> = Vec::new();
        for (k, axis) in axes.iter().enumerate() {
            match axis.interval()? {
                Some(interval) => intervals.push((k, interval)),
                None if axis.values.len() == 1 => {}
                None => {
                    return Err(format!(
                        "--set {}: --sample takes an interval, such as 0..0.6, or one value",
                        axis.path
                    ));
                }
            }
        }
        if intervals.is_empty() {
            return Err("--sample: no path has an interval, such as --set contacts.*.friction=0..0.6".to_owned());
        }
        let places = sample::places(sampling, count, intervals.len(), seed)?;
        for (column, (k, interval)) in intervals.iter().enumerate() {
            axes[*k].values = places.iter().map(|place| format!("{:?}", interval.at(place[column]))).collect();
        }
        let value = |axis: &Axis, row: usize| axis.values[if axis.values.len() == 1 { 0 } else { row }].clone();
        let rows = (0..count).map(|row| axes.iter().map(|axis| value(axis, row)).collect()).collect();
        let parameters = intervals.iter().map(|(k, _)| *k).collect();
        made(axes, rows, Choice::Samples(parameters, places))
    }

    /// The two axes of a map, if exactly two vary and both are made of numbers.
    pub fn plane(&self) -> Option<[usize; 2]> {
        let varying: Vec<usize> = (0..self.axes.len()).filter(|k| self.axes[*k].values.len() > 1).collect();
        let [x, y] = varying.as_slice() else { return None };
        [x, y].iter().all(|k| self.axes[**k].numbers().is_some()).then_some([*x, *y])
    }
}

/// Numbers of the runs in share `k` of `n`, counted from 0.
///
/// Of `n` runs in a row each goes to another share; at which share a row begins is drawn anew, but the same in every call.
/// No period of an axis, a coarse and a fine mesh in turn, comes out in one share.
pub fn share(k: usize, n: usize, count: usize) -> Vec<usize> {
    let first = |row: usize| Random::new(row as u64).below(n);
    (0..count).filter(|run| (run + first(run / n)) % n == k).collect()
}

fn no_interval(axis: &Axis) -> Result<(), String> {
    match axis.interval()? {
        Some(_) => Err(format!("--set {}={}: an interval needs --sample N", axis.path, axis.values[0])),
        None => Ok(()),
    }
}

/// Names the runs of a study. Two that are the same would share their files.
fn made(axes: Vec<Axis>, rows: Vec<Vec<String>>, choice: Choice) -> Result<Design, String> {
    if let Some(twice) = (1..axes.len()).find(|&k| axes[..k].iter().any(|a| a.path == axes[k].path)) {
        return Err(format!("--set {}: the path is given twice", axes[twice].path));
    }
    if rows.len() > MOST_RUNS {
        return Err(format!("{} runs; a study has at most {MOST_RUNS}", rows.len()));
    }
    let alone = |axis: &Axis| axes.iter().filter(|other| other.name() == axis.name()).count() == 1;
    let labels: Vec<&str> = axes.iter().map(|axis| if alone(axis) { axis.name() } else { &axis.path }).collect();
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    let mut members = Vec::with_capacity(rows.len());
    for (k, values) in rows.into_iter().enumerate() {
        let joined = |names: &mut dyn Iterator<Item = &str>| -> Vec<String> {
            names.zip(&values).map(|(name, value)| format!("{name}={value}")).collect()
        };
        let name = file_name(&joined(&mut labels.iter().copied()).join(","));
        let sets = joined(&mut axes.iter().map(|axis| axis.path.as_str()));
        if let Some(before) = known.insert(values.clone(), k) {
            return Err(format!("runs {} and {} are the same: {}", before + 1, k + 1, sets.join(", ")));
        }
        members.push(Combination { values, sets, name });
    }
    Ok(Design { axes, members, choice })
}

/// Letters, digits and a few signs. What is cut or cannot stand in a name is told apart by a number made from the whole text.
pub(super) fn file_name(text: &str) -> String {
    const MOST: usize = 100;
    let safe = |c: char| if c.is_ascii_alphanumeric() || "=.,+-_".contains(c) { c } else { '_' };
    let name: String = text.chars().map(safe).collect();
    if name.len() <= MOST && name == text {
        return name;
    }
    format!("{}-{:016x}", &name[..name.len().min(MOST)], fingerprint(text))
}

/// A number that stands for a text (FNV-1a): the same in every run and on every machine.
pub fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The cells of a line of comma-separated values; one with commas of its own stands in quotes, a quote within it twice.
fn cells(line: &str) -> Result<Vec<String>, String> {
    let mut found = vec![String::new()];
    let mut letters = line.chars().peekable();
    let mut quoted = false;
    while let Some(c) = letters.next() {
        let last = found.len() - 1;
        match c {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => found[last].push('"'),
            '"' if quoted || found[last].trim().is_empty() => quoted = !quoted,
            ',' if !quoted => found.push(String::new()),
            c => found[last].push(c),
        }
    }
    if quoted {
        return Err("a quote is not closed".to_owned());
    }
    Ok(found.into_iter().map(|cell| cell.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(texts: &[&str]) -> Vec<Axis> {
        texts.iter().map(|text| Axis::parse(text).unwrap_or_else(|e| panic!("{e}"))).collect()
    }

    #[test]
    fn combinations_are_the_product_with_names_of_their_own() {
        let study = Design::product(axes(&["a.friction=0,0.2", "step=1e-5", "b.friction=1,2,3"])).unwrap();
        assert_eq!(study.members.len(), 6);
        let second = &study.members[1];
        assert_eq!(second.values, ["0", "1e-5", "2"]);
        assert_eq!(second.sets, ["a.friction=0", "step=1e-5", "b.friction=2"]);
        assert_eq!(second.name, "a.friction=0,step=1e-5,b.friction=2");
        let names: HashSet<&String> = study.members.iter().map(|c| &c.name).collect();
        assert_eq!(names.len(), 6);
        // a run alone has the name that it has in the study
        let alone = Design::product(axes(&["a.friction=0", "step=1e-5", "b.friction=2"])).unwrap();
        assert_eq!(alone.members.first(), Some(second));
        let vectors = Design::product(axes(&["v=[1,2],[1;2]"])).unwrap().members;
        assert_ne!(vectors[0].name, vectors[1].name);
        assert!(file_name(&"x".repeat(500)).len() < 130);
    }

    #[test]
    fn lists_and_tables_are_runs_as_they_stand() {
        let study = Design::together(axes(&["a=1,1,2", "b=3,4,4", "c=5"])).unwrap();
        let rows: Vec<String> = study.members.iter().map(|member| member.values.join(" ")).collect();
        assert_eq!(rows, ["1 3 5", "1 4 5", "2 4 5"]);
        let table = "# two bodies\na.x, \"v\"\n1,\"[0, -1]\"\n\n 2 ,[0]\n";
        let study = Design::points("p.csv", table, &axes(&["c=5"])).unwrap();
        assert_eq!(study.members[0].values, ["1", "[0, -1]", "5"]);
        assert_eq!(study.members[1].sets, ["a.x=2", "v=[0]", "c=5"]);
        for (wrong, part) in [
            ("", "no line"),
            ("a,b\n", "no points"),
            ("a,b\n1\n", "p.csv:2: 1 values for 2 paths"),
            ("a,b\n1,\n", "`` is not one value of b"),
            ("a,b\n1,\"2,3\"\n", "`2,3` is not one value of b"),
            ("a,b\n1,\"2\n", "not closed"),
            ("a,\n1,2\n", "column 2"),
            ("a,b\n1,2\n1,2\n", "runs 1 and 2 are the same"),
            ("a,a\n1,2\n", "twice"),
        ] {
            let said = Design::points("p.csv", wrong, &[]).expect_err(wrong);
            assert!(said.contains(part), "{wrong}: {said}");
        }
        assert!(Design::together(axes(&["a=1,2", "b=1,2,3"])).unwrap_err().contains("2 values"));
        assert!(Design::product(axes(&["a=1,1"])).unwrap_err().contains("twice"));
        assert!(Design::product(axes(&["a=0..1"])).unwrap_err().contains("--sample"));
    }

    /// Whatever the number of shares and the period of an axis: each run in one share, shares of one size, and in each of them
    /// what takes long about as often as in the whole: no farther from it than dice come within four standard deviations.
    #[test]
    fn shares_are_disjoint_complete_and_mixed() {
        for (n, count) in (1..9).flat_map(|n| [1, 7, 48, 200].map(|count| (n, count))) {
            let all: Vec<Vec<usize>> = (0..n).map(|k| share(k, n, count)).collect();
            let mut runs = all.concat();
            runs.sort_unstable();
            assert_eq!(runs, (0..count).collect::<Vec<usize>>());
            for (part, period) in all.iter().flat_map(|part| (1..6).map(move |period| (part, period))) {
                assert!(part.len().abs_diff(count / n) <= 1, "{n} shares of {count}: {all:?}");
                let long = part.iter().filter(|run| *run % period == 0).count() as f64;
                let fair = count.div_ceil(period) as f64 / n as f64;
                let said = format!("{n} shares of {count}, period {period}: {long} of {fair}");
                assert!((long - fair).abs() <= 4.0 * fair.max(1.0).sqrt(), "{said}");
            }
        }
    }
}
