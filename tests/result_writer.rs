//! The writer of result files, whose thread works while the run goes on: what is handed over comes back bit by bit, whatever is
//! repeated, early or left unfinished; what goes wrong in the thread comes back to the run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

use std::path::{Path, PathBuf};

use impakt::output::{
    At, CaseRecord, Checkpoint, FieldKind, FieldSpec, Grid, HistorySpec, OutputError, ResultFile, ResultWriter,
};

const POINTS: usize = 4;

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("impakt-writer-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn writer(path: &Path) -> ResultWriter {
    let square = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let grid = Grid {
        points: square,
        cell_types: vec![9],
        offsets: vec![0, 4],
        connectivity: vec![0, 1, 2, 3],
        parts: vec![("square".to_owned(), "body".to_owned())],
        materials: vec!["foam".to_owned()],
    };
    let field = |name: &str, kind| FieldSpec {
        name: name.to_owned(),
        components: 1,
        at: At::Points,
        unit: "1".to_owned(),
        description: String::new(),
        kind,
        sparse: false,
    };
    let fields = [field("number", FieldKind::Float), field("status", FieldKind::Int32)];
    let history = [HistorySpec {
        group: String::new(),
        name: "time".to_owned(),
        components: 1,
        unit: "s".to_owned(),
        description: String::new(),
        integer: false,
    }];
    ResultWriter::create(path, &grid, &fields, &history, &CaseRecord::default(), 0).expect("a new file")
}

/// Values of frame `k`: `number` changes in most frames, stands still in every third and is not a number in some; `status` seldom.
fn values(k: usize) -> [Vec<f64>; 2] {
    let still = if k % 3 == 2 { k - 1 } else { k };
    let number = (0..POINTS).map(|i| if still % 10 == 7 { f64::NAN } else { (still * POINTS + i) as f64 * 0.1 });
    [number.collect(), vec![(k / 50 % 3) as f64; POINTS]]
}

fn points(k: usize) -> Vec<[f64; 3]> {
    (0..POINTS).map(|i| [k as f64, i as f64, 0.5]).collect()
}

fn write(writer: &mut ResultWriter, k: usize) -> Result<(), OutputError> {
    writer.push_history(&[k as f64]);
    let all = values(k);
    writer.write_frame(k as f64, &points(k), &[&all[0], &all[1]])
}

fn check(path: &Path, frames: usize) {
    let file = ResultFile::open(path).expect("a whole file");
    assert_eq!(file.times().len(), frames);
    assert_eq!(file.history("time").expect("the history").data.len(), frames);
    let bits = |list: &[f64]| list.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    for k in 0..frames {
        let [number, status] = values(k);
        assert_eq!(file.points(k).expect("points"), points(k), "points of frame {k}");
        assert_eq!(bits(&file.point_field(k, "number").expect("a field").data), bits(&number), "frame {k}");
        assert_eq!(file.point_field(k, "status").expect("a field").data, status, "frame {k}");
    }
}

#[test]
fn frames_come_back_bit_by_bit_and_repeated_ones_are_stored_once() {
    let folder = scratch("frames");
    let path = folder.join("r.vtkhdf");
    let mut writer = writer(&path);
    for k in 0..20_000 {
        write(&mut writer, k).expect("it is written");
        if k == 700 {
            writer.checkpoint(Checkpoint::default()).expect("a checkpoint");
        }
    }
    assert_eq!(writer.frames(), 20_000);
    writer.finish(1.0, "done").expect("it ends");
    check(&path, 20_000);
    // a third of the frames repeats the one before
    let rows = hdf5::File::open(&path).and_then(|f| f.dataset("VTKHDF/PointData/number")).expect("it is there").shape();
    assert!(rows[0] < 14_000 * POINTS, "{rows:?}");
    std::fs::remove_dir_all(folder).expect("clean up");
}

/// What a kill cannot harm, see `create_file`: no mark "open for writing" (superblock 3 has one), everything in pages, and the
/// number of steps in one page with the times and their index.
#[test]
fn the_count_of_steps_shares_a_page_with_the_times_it_counts() {
    const PAGE: usize = 4096;
    let folder = scratch("page");
    let path = folder.join("r.vtkhdf");
    let mut writer = writer(&path);
    for k in 0..3000 {
        write(&mut writer, k).expect("it is written");
    }
    writer.finish(1.0, "done").expect("it ends");
    let bytes = std::fs::read(&path).expect("the file");
    assert_eq!(bytes[8], 2, "version of the superblock");
    let file = hdf5::File::open(&path).expect("HDF5");
    assert_eq!(file.create_plist().expect("properties").file_space_page_size(), PAGE as u64);
    let find = |bytes: &[u8], mark: &[u8]| -> Vec<usize> {
        bytes.windows(mark.len()).enumerate().filter(|(_, w)| *w == mark).map(|(at, _)| at).collect()
    };
    let counts = find(&bytes, b"NSteps");
    assert_eq!(counts.len(), 1);
    let start = counts[0] / PAGE * PAGE;
    let page = &bytes[start..start + PAGE];
    let index = find(page, b"EAHD");
    assert_eq!((index.len(), find(page, b"EAIB").len(), find(page, b"EADB").len()), (1, 1, 6), "parts of the index");
    // the dataset and the seven blocks of the index name its header
    assert_eq!(find(page, &((start + index[0]) as u64).to_le_bytes()).len(), 8);
    std::fs::remove_dir_all(folder).expect("clean up");
}

#[test]
fn a_writer_that_is_dropped_keeps_what_it_was_given() {
    let folder = scratch("dropped");
    let path = folder.join("r.vtkhdf");
    let mut unfinished = writer(&path);
    for k in 0..100 {
        write(&mut unfinished, k).expect("it is written");
    }
    drop(unfinished);
    check(&path, 100);
    // and one that never had a frame leaves what was there
    drop(writer(&path));
    check(&path, 100);
    let left: Vec<_> = std::fs::read_dir(&folder).expect("the folder").collect();
    assert_eq!(left.len(), 2, "the result and its sidecar: {left:?}");
    std::fs::remove_dir_all(folder).expect("clean up");
}

#[test]
fn what_goes_wrong_comes_back_to_the_run() {
    let folder = scratch("wrong");
    let path = folder.join("r.vtkhdf");
    let mut early = writer(&path);
    let [number, status] = values(0);
    let refused = early.write_frame(0.0, &points(0), &[&number, &status]);
    assert!(matches!(refused, Err(OutputError::Description { .. })), "no history row yet: {refused:?}");
    early.push_history(&[0.0]);
    let refused = early.write_frame(0.0, &points(0), &[&number, &status[1..]]);
    assert!(matches!(refused, Err(OutputError::Length { expected: POINTS, got: 3, .. })), "{refused:?}");
    assert!(matches!(early.finish(0.0, "done"), Err(OutputError::NoFrame { .. })));
    assert!(matches!(write(&mut early, 1), Err(OutputError::Closed { .. })));
    // the thread cannot give the file its name: a folder has it
    let mut blocked = writer(&path);
    std::fs::create_dir_all(path.join("inside")).expect("a folder in the way");
    let told = write(&mut blocked, 0).and_then(|()| blocked.flush());
    assert!(matches!(told, Err(OutputError::Io { .. })), "{told:?}");
    let told = write(&mut blocked, 1).and_then(|()| blocked.flush());
    assert!(matches!(told, Err(OutputError::Closed { .. })), "{told:?}");
    drop(blocked);
    std::fs::remove_dir_all(folder).expect("clean up");
}
