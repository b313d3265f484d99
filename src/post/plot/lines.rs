//! Charts drawn on a canvas.

use super::canvas::{Anchor, Canvas, Segment, Stroke};
use super::{COLOURS, Chart, Series, Ticks, scaled};

/// Size of a chart.
const SIZE: (f64, f64) = (820.0, 460.0);
/// Room left, right, above and below the frame; the names of the lines stand on the right.
const ROOM: (f64, f64, f64, f64) = (78.0, 190.0, 64.0, 56.0);
/// Dash patterns; the first is a plain line.
const DASHES: [&[f32]; 4] = [&[], &[7.0, 4.0], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];
/// Ink of text, of faint text, of the grid and of axes.
const INK: (u32, u32, u32, u32) = (0x22_2222, 0x66_6666, 0xe4_e4e4, 0x9a_9a9a);

/// Least and largest finite value.
fn limits<'a>(values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    let finite = values.filter(|v| v.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)))
}

/// How data become pixels.
struct Frame {
    x: Ticks,
    y: Ticks,
    factors: (f64, f64),
    logarithmic: bool,
}

impl Frame {
    /// The frame of a chart, and the units along its axes.
    fn of(chart: &Chart) -> (Self, String, String) {
        let shown = |y: &&f64| !chart.logarithmic || **y > 0.0;
        let (x0, x1) = limits(chart.series.iter().flat_map(|s| &s.x));
        let (y0, y1) = limits(chart.series.iter().flat_map(|s| s.y.iter().filter(shown)));
        let (fx, ux) = scaled(&chart.x.1, x0.abs().max(x1.abs()));
        let size = if chart.logarithmic { 0.0 } else { y0.abs().max(y1.abs()) };
        let (fy, uy) = scaled(&chart.y.1, size);
        let y = if chart.logarithmic { Ticks::logarithmic(y0, y1) } else { Ticks::linear(fy * y0, fy * y1, 6) };
        let mut x = Ticks::linear(fx * x0, fx * x1, 8);
        if x0 < x1 {
            // a run ends where it ends, not at a round time
            (x.low, x.high) = (fx * x0, fx * x1);
            let slack = 1e-9 * (x.high - x.low);
            x.values.retain(|v| *v >= fx * x0 - slack && *v <= fx * x1 + slack);
        }
        (Frame { x, y, factors: (fx, fy), logarithmic: chart.logarithmic }, ux, uy)
    }

    fn x(&self, value: f64) -> f64 {
        ROOM.0 + (SIZE.0 - ROOM.0 - ROOM.1) * self.x.place(self.factors.0 * value)
    }

    fn y(&self, value: f64) -> f64 {
        SIZE.1 - ROOM.3 - (SIZE.1 - ROOM.2 - ROOM.3) * self.y.place(self.factors.1 * value)
    }

    fn shows(&self, x: f64, y: f64) -> bool {
        x.is_finite() && y.is_finite() && (!self.logarithmic || y > 0.0)
    }
}

/// Points of a line, not a number where it has a hole. Of a long line's points that fall on one pixel column the first,
/// least, largest and last are kept.
fn thinned(frame: &Frame, series: &Series) -> Vec<(f64, f64)> {
    let place = |(x, y): (&f64, &f64)| match frame.shows(*x, *y) {
        true => (frame.x(*x), frame.y(*y)),
        false => (f64::NAN, f64::NAN),
    };
    let points: Vec<(f64, f64)> = series.x.iter().zip(&series.y).map(place).collect();
    if points.len() < 2500 {
        return points;
    }
    let mut kept = Vec::new();
    for column in points.chunk_by(|a, b| (2.0 * a.0).floor() == (2.0 * b.0).floor()) {
        let by = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let mut at = vec![0, column.len() - 1];
        at.extend((0..column.len()).min_by(by));
        at.extend((0..column.len()).max_by(by));
        at.sort_unstable();
        at.dedup();
        kept.extend(at.into_iter().map(|k| column[k]));
    }
    kept
}

impl Chart {
    /// The chart as a picture.
    pub fn draw(&self) -> Canvas {
        let (frame, x_unit, y_unit) = Frame::of(self);
        let mut canvas = Canvas::new(SIZE.0, SIZE.1);
        let (left, right, top, bottom) = (ROOM.0, SIZE.0 - ROOM.1, ROOM.2, SIZE.1 - ROOM.3);
        canvas.write((left, 27.0), 18.0, INK.0, Anchor::Start, &self.title);
        canvas.write((left, 47.0), 12.0, INK.1, Anchor::Start, clipped(&self.subtitle, 100));
        for &value in &frame.y.values {
            let y = frame.y(value / frame.factors.1);
            // zero stands out: energies are lost and gained from it
            let ink = if value == 0.0 { INK.3 } else { INK.2 };
            canvas.line((left, y), (right, y), Stroke::plain(ink, 1.0));
            canvas.write((left - 8.0, y + 4.5), 13.0, INK.1, Anchor::End, frame.y.label(value));
        }
        for &value in &frame.x.values {
            let x = frame.x(value / frame.factors.0);
            canvas.line((x, bottom), (x, bottom + 5.0), Stroke::plain(INK.3, 1.0));
            canvas.write((x, bottom + 20.0), 13.0, INK.1, Anchor::Middle, frame.x.label(value));
        }
        canvas.line((left, bottom), (right, bottom), Stroke::plain(INK.3, 1.0));
        let named = |name: &str, unit: &str| match unit {
            "" => name.to_owned(),
            _ => format!("{name} [{unit}]"),
        };
        let middle = (0.5 * (left + right), SIZE.1 - 14.0);
        canvas.write(middle, 13.0, INK.0, Anchor::Middle, named(&self.x.0, &x_unit));
        canvas.write((20.0, 0.5 * (top + bottom)), 13.0, INK.0, Anchor::Middle, named(&self.y.0, &y_unit));
        if let Some(super::canvas::Shape::Text(text)) = canvas.shapes.last_mut() {
            text.upwards = true;
        }
        for series in &self.series {
            draw_line(&mut canvas, &thinned(&frame, series), series);
        }
        let named = self.series.iter().zip(self.label_places(&frame)).filter(|(series, _)| !series.label.is_empty());
        for (series, y) in named {
            let stroke = Stroke { colour: colour(series), width: 2.5, dash: DASHES[series.dash % DASHES.len()] };
            canvas.line((right + 8.0, y), (right + 26.0, y), stroke);
            canvas.write((right + 31.0, y + 4.5), 13.0, INK.0, Anchor::Start, clipped(&series.label, 23));
        }
        canvas
    }

    /// Where the names stand: beside the end of their line, pushed apart where they would overlap.
    fn label_places(&self, frame: &Frame) -> Vec<f64> {
        const APART: f64 = 18.0;
        let (top, bottom) = (ROOM.2, SIZE.1 - ROOM.3);
        let end = |s: &Series| {
            let last = s.x.iter().zip(&s.y).rev().find(|(x, y)| frame.shows(**x, **y));
            last.map_or(bottom, |(_, y)| frame.y(*y).clamp(top, bottom))
        };
        let mut places: Vec<f64> = self.series.iter().map(end).collect();
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by(|a, b| places[*a].total_cmp(&places[*b]));
        let apart = APART.min((bottom - top) / places.len().max(1) as f64);
        for pair in 1..order.len() {
            places[order[pair]] = places[order[pair]].max(places[order[pair - 1]] + apart);
        }
        // those pushed below the frame push the others up again
        let mut lowest = bottom;
        for &k in order.iter().rev() {
            places[k] = places[k].min(lowest);
            lowest = places[k] - apart;
        }
        places
    }
}

/// A name that fits beside the chart.
fn clipped(label: &str, most: usize) -> String {
    if label.chars().count() <= most { label.to_owned() } else { label.chars().take(most - 1).chain(['…']).collect() }
}

fn colour(series: &Series) -> u32 {
    COLOURS[series.colour % COLOURS.len()]
}

fn draw_line(canvas: &mut Canvas, points: &[(f64, f64)], series: &Series) {
    let mut path = Vec::with_capacity(points.len());
    let mut pen = false;
    for &(x, y) in points {
        if x.is_finite() {
            path.push(if pen { Segment::Line(x, y) } else { Segment::Move(x, y) });
        }
        pen = x.is_finite();
    }
    let stroke = Stroke { colour: colour(series), width: 1.8, dash: DASHES[series.dash % DASHES.len()] };
    canvas.path(path, None, Some(stroke));
    for &point in points.iter().filter(|p| series.marked && p.0.is_finite()) {
        canvas.ring(point, 4.0, Stroke::plain(colour(series), 1.8));
    }
}
