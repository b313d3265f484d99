//! Frames and history rows on their way to the file.

/// Frames and rows that are written in one commit.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Time of each frame.
    pub(super) times: Vec<f64>,
    /// Points of all frames, one frame after the other.
    pub(super) points: Vec<f64>,
    /// Values of each field, one frame after the other.
    pub(super) values: Vec<Vec<f64>>,
    /// History row of each frame.
    pub(super) rows_of_frames: Vec<i64>,
    /// History rows, one after the other.
    pub(super) rows: Vec<f64>,
}

impl Batch {
    /// Adds a frame that belongs to history row `row`.
    pub(super) fn push(&mut self, time: f64, points: &[[f64; 3]], values: &[&[f64]], row: i64) {
        self.times.push(time);
        self.rows_of_frames.push(row);
        self.points.extend_from_slice(points.as_flattened());
        self.values.resize_with(values.len(), Vec::new);
        for (all, frame) in self.values.iter_mut().zip(values) {
            all.extend_from_slice(frame);
        }
    }

    /// Memory its numbers take.
    pub(super) fn bytes(&self) -> usize {
        8 * (self.points.len() + self.rows.len() + self.values.iter().map(Vec::len).sum::<usize>())
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.times.is_empty() && self.rows.is_empty()
    }

    /// Empties it; the memory stays, to be filled again.
    pub(super) fn clear(&mut self) {
        self.times.clear();
        self.rows_of_frames.clear();
        self.points.clear();
        self.rows.clear();
        self.values.iter_mut().for_each(Vec::clear);
    }
}
