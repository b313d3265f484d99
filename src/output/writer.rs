//! The run's side of the result file: it collects frames and rows and hands them to a thread that writes.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::batch::Batch;
use super::claim::Claim;
use super::store::{Contents, Store, part_name};
use super::{At, CaseRecord, Checkpoint, FieldSpec, Grid, HistorySpec, OutputError, history, vtkhdf};

/// Longest time frames and history rows stay in memory only, as long as frames keep coming and the thread keeps up.
const LONGEST_WAIT: Duration = Duration::from_millis(500);
/// A batch of this size is handed over when the thread is free.
const ENOUGH_BYTES: usize = 2 << 20;
/// A batch of this size is handed over in any case: the run waits for the thread.
const MOST_BYTES: usize = 32 << 20;

/// What the thread is asked to do.
enum Order {
    Commit(Batch),
    Hold(bool),
    Checkpoint(Checkpoint),
    Finish(f64, String),
}

/// What it answers to each order, and once when the file is laid out: whether it worked, and the empty batch.
type Answer = (Result<(), OutputError>, Option<Batch>);

/// Writes the result file of a run. See the module's description for how and when things reach the disk.
pub struct ResultWriter {
    path: PathBuf,
    /// Length of the array of each field, with its name.
    lengths: Vec<(String, usize)>,
    points: usize,
    width: usize,
    /// Rows handed over, and those of them that wait for the next batch.
    row_count: usize,
    rows: Vec<f64>,
    bad_row: Option<usize>,
    frames: usize,
    batch: Batch,
    spare: Option<Batch>,
    last_commit: Instant,
    held: bool,
    orders: Option<Sender<Order>>,
    answers: Receiver<Answer>,
    /// Orders not answered yet.
    open_orders: usize,
    thread: Option<JoinHandle<()>>,
}

impl ResultWriter {
    /// Creates the result file under a temporary name beside `path` (and the folders above it). It takes the name
    /// `path`, replacing an older result, when the first frame is written. An error if another run is writing `path`.
    ///
    /// `compression` is the deflate level of the frames: 0 none, 1 to 9; 1 is plenty (level 4 costs 33 MB/s).
    pub fn create(
        path: &Path,
        grid: &Grid,
        fields: &[FieldSpec],
        history: &[HistorySpec],
        case: &CaseRecord,
        compression: u8,
    ) -> Result<Self, OutputError> {
        // The library would print its error stack to stderr; our errors carry what matters.
        hdf5::silence_errors(true);
        let refuse = |what: String| OutputError::Description { path: path.to_path_buf(), what };
        vtkhdf::check(grid, fields).and_then(|()| history::check(history)).map_err(refuse)?;
        let name = path.file_name().ok_or_else(|| refuse("the path names no file".to_string()))?.to_string_lossy();
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|source| OutputError::Io {
            path: folder.to_path_buf(),
            what: "cannot create the folder for results",
            source,
        })?;
        let claim = Claim::new(part_name(folder, &name), path)?;
        let file = vtkhdf::create_file(&claim.part).map_err(|fault| {
            let _ = std::fs::remove_file(&claim.part);
            fault.at(path)
        })?;
        let contents = Contents {
            grid: grid.clone(),
            fields: fields.to_vec(),
            history: history.to_vec(),
            case: case.clone(),
            compression: compression.min(9),
        };
        let (orders, inbox) = channel();
        let (outbox, answers) = channel();
        let target = path.to_path_buf();
        let work = move || serve(Store::create(file, claim, target, &contents), &inbox, &outbox);
        let thread = std::thread::Builder::new().name("results".to_string()).spawn(work);
        let thread = thread.map_err(|source| OutputError::Io {
            path: path.to_path_buf(),
            what: "cannot start the thread that writes results",
            source,
        })?;
        let length = |f: &FieldSpec| {
            let count = if f.at == At::Points { grid.points.len() } else { grid.cell_types.len() };
            (f.name.clone(), count * f.components)
        };
        Ok(Self {
            path: path.to_path_buf(),
            lengths: fields.iter().map(length).collect(),
            points: grid.points.len(),
            width: history.iter().map(|s| s.components).sum(),
            row_count: 0,
            rows: Vec::new(),
            bad_row: None,
            frames: 0,
            batch: Batch::default(),
            spare: None,
            last_commit: Instant::now(),
            held: false,
            orders: Some(orders),
            answers,
            // the layout of the file
            open_orders: 1,
            thread: Some(thread),
        })
    }

    /// Appends a frame: the points as they are now, and one flat array per field in the order given to `create`. The last
    /// history row handed over belongs to it.
    ///
    /// The thread gets it at once if it is the first, later with its batch, with [`Self::flush`] or with [`Self::finish`].
    /// What goes wrong there is reported by a later call.
    pub fn write_frame(&mut self, time: f64, points: &[[f64; 3]], values: &[&[f64]]) -> Result<(), OutputError> {
        self.listen(usize::MAX)?;
        self.fits("the list of points", self.points, points.len())?;
        self.fits("the list of fields", self.lengths.len(), values.len())?;
        for ((name, expected), v) in self.lengths.iter().zip(values) {
            self.fits(name, *expected, v.len())?;
        }
        let Some(row) = self.row_count.checked_sub(1) else {
            let what = "a frame came before its history row".to_string();
            return Err(OutputError::Description { path: self.path.clone(), what });
        };
        // memory that was filled before rather than new
        if self.batch.is_empty() {
            self.batch = self.spare.take().unwrap_or_default();
        }
        self.batch.push(time, points, values, row as i64);
        self.frames += 1;
        let bytes = self.batch.bytes();
        let due = (self.frames == 1 && !self.held)
            || bytes >= MOST_BYTES
            || self.open_orders == 0 && (bytes >= ENOUGH_BYTES || self.last_commit.elapsed() >= LONGEST_WAIT);
        if due { self.commit() } else { Ok(()) }
    }

    /// Takes one row of the history: the values of all quantities in the order given to `create`. In memory only.
    ///
    /// A row of another length is a mistake in the caller; it is reported by the next commit.
    pub fn push_history(&mut self, row: &[f64]) {
        if row.len() == self.width {
            self.rows.extend_from_slice(row);
            self.row_count += 1;
        } else {
            self.bad_row.get_or_insert(row.len());
        }
    }

    /// Brings everything handed over so far to the file.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        self.commit()?;
        self.listen(0)
    }

    /// Writes what is left, the wall-clock time and the outcome, closes the file and writes the final sidecar.
    pub fn finish(&mut self, wall_clock_seconds: f64, outcome: &str) -> Result<(), OutputError> {
        self.commit()?;
        self.order(Order::Finish(wall_clock_seconds, outcome.to_string()))?;
        let done = self.listen(0);
        self.orders = None;
        self.wait();
        done
    }

    /// Waits for the end of the thread, which gives up the claim to the result.
    fn wait(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// Brings everything handed over so far to the file, and what the run needs to be taken up from here.
    pub fn checkpoint(&mut self, state: Checkpoint) -> Result<(), OutputError> {
        self.commit()?;
        self.order(Order::Checkpoint(state))
    }

    /// Keeps the temporary name, and so an older result of that name, until [`Self::release`].
    pub fn hold(&mut self) -> Result<(), OutputError> {
        self.held = true;
        self.order(Order::Hold(true))
    }

    /// Brings everything to the file and gives it its name.
    pub fn release(&mut self) -> Result<(), OutputError> {
        self.held = false;
        self.order(Order::Hold(false))?;
        self.flush()
    }

    /// The final path of the result.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of frames handed over so far.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames
    }

    fn fits(&self, what: &str, expected: usize, got: usize) -> Result<(), OutputError> {
        if expected == got {
            return Ok(());
        }
        Err(OutputError::Length { path: self.path.clone(), what: what.to_string(), expected, got })
    }

    /// Hands over what has been collected, once the batch before is written.
    fn commit(&mut self) -> Result<(), OutputError> {
        if let Some(got) = self.bad_row {
            self.fits("a history row", self.width, got)?;
        }
        // the layout of the file need not be waited for
        self.listen(usize::from(self.frames <= 1))?;
        let mut batch = std::mem::take(&mut self.batch);
        std::mem::swap(&mut batch.rows, &mut self.rows);
        self.last_commit = Instant::now();
        self.order(Order::Commit(batch))
    }

    fn order(&mut self, order: Order) -> Result<(), OutputError> {
        let closed = || OutputError::Closed { path: self.path.clone() };
        self.orders.as_ref().ok_or_else(closed)?.send(order).map_err(|_| closed())?;
        self.open_orders += 1;
        Ok(())
    }

    /// Takes the answers that are there, and waits until no more than `most` are missing. After an error there is nothing more to
    /// be written.
    fn listen(&mut self, most: usize) -> Result<(), OutputError> {
        while self.open_orders > 0 {
            let answer = if self.open_orders > most { self.answers.recv().ok() } else { self.answers.try_recv().ok() };
            let Some((outcome, batch)) = answer else {
                if self.open_orders <= most {
                    break;
                }
                self.orders = None;
                return Err(OutputError::Closed { path: self.path.clone() });
            };
            self.open_orders -= 1;
            self.spare = batch.or(self.spare.take());
            if let Err(error) = outcome {
                self.orders = None;
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Lets the thread do what is asked until nobody asks any more.
fn serve(created: Result<Store, OutputError>, inbox: &Receiver<Order>, outbox: &Sender<Answer>) {
    let (mut store, laid_out) = match created {
        Ok(store) => (Some(store), Ok(())),
        Err(error) => (None, Err(error)),
    };
    // Nobody listens any more where the run has met an error: the answers then are of no use.
    let _ = outbox.send((laid_out, None));
    let Some(store) = store.as_mut() else { return };
    for order in inbox {
        let answer = match order {
            Order::Commit(mut batch) => {
                let outcome = store.commit(&mut batch);
                batch.clear();
                (outcome, Some(batch))
            }
            Order::Hold(held) => {
                store.hold(held);
                (Ok(()), None)
            }
            Order::Checkpoint(state) => (store.checkpoint(&state), None),
            Order::Finish(seconds, outcome) => (store.finish(seconds, &outcome), None),
        };
        let _ = outbox.send(answer);
    }
}

impl Drop for ResultWriter {
    /// A run that stops early keeps what it handed over; the thread ends before the run does.
    fn drop(&mut self) {
        if self.orders.is_some()
            && !self.held
            && let Err(error) = self.flush()
        {
            log::error!("{error}");
        }
        self.orders = None;
        self.wait();
    }
}
