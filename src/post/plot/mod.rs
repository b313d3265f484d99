//! Line charts, as SVG and as PNG.

mod axis;
pub mod canvas;
mod lines;
pub mod png;

pub use axis::{Ticks, scaled};
pub use canvas::{Canvas, escape};

/// Colours of the series: those of Okabe and Ito, told apart by readers who see red and green alike.
pub const COLOURS: [canvas::Colour; 8] =
    [0x00_72b2, 0xd5_5e00, 0x00_9e73, 0xcc_79a7, 0xe6_9f00, 0x56_b4e9, 0x5b_4b8a, 0x8a_8a8a];

/// One line of a chart.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// Its name, written where it ends.
    pub label: String,
    /// Abscissae.
    pub x: Vec<f64>,
    /// Ordinates; what is not finite leaves a hole.
    pub y: Vec<f64>,
    /// Number of its colour.
    pub colour: usize,
    /// Dashes in place of a line: number of the pattern, 0 for none.
    pub dash: usize,
    /// Whether points are marked, for series of few of them.
    pub marked: bool,
}

/// Lines over a common abscissa.
#[derive(Debug, Clone, Default)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// Which run, smaller.
    pub subtitle: String,
    /// Name and unit of the abscissa.
    pub x: (String, String),
    /// Name and unit of the ordinate.
    pub y: (String, String),
    /// Whether the ordinate is logarithmic.
    pub logarithmic: bool,
    /// The lines.
    pub series: Vec<Series>,
}

impl Chart {
    /// An empty chart.
    pub fn new(title: &str, x: (&str, &str), y: (&str, &str)) -> Self {
        let pair = |(name, unit): (&str, &str)| (name.to_owned(), unit.to_owned());
        Chart { title: title.to_owned(), x: pair(x), y: pair(y), ..Chart::default() }
    }

    /// With one more line, in the next colour.
    pub fn line(&mut self, label: impl Into<String>, x: &[f64], y: &[f64]) -> &mut Series {
        let colour = self.series.len();
        self.series.push(Series { label: label.into(), x: x.to_vec(), y: y.to_vec(), colour, ..Series::default() });
        let last = self.series.len() - 1;
        &mut self.series[last]
    }

    /// Whether there is anything to see: a line with two finite points.
    pub fn is_empty(&self) -> bool {
        let seen = |s: &Series| s.x.iter().zip(&s.y).filter(|(x, y)| x.is_finite() && y.is_finite()).count() > 1;
        !self.series.iter().any(seen)
    }

    /// Without lines that are zero throughout.
    pub fn without_zeros(mut self) -> Self {
        self.series.retain(|s| s.y.iter().any(|y| *y != 0.0));
        self
    }
}
