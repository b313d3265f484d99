//! Maps of a study of two parameters: a result as a colour over their plane.

use super::super::column::Measure;
use super::super::plot::canvas::{Anchor, Canvas, Colour, Fill, Segment, Stroke};
use super::super::plot::{Ticks, scaled};
use super::charts::{measure_file, number};
use super::{Choice, Design, Row};

/// Size of a map.
const SIZE: (f64, f64) = (760.0, 560.0);
/// Room left, right, above and below the frame; the scale of colours stands on the right.
const ROOM: (f64, f64, f64, f64) = (84.0, 150.0, 64.0, 60.0);
/// Ink of text, of faint text, of axes, and of runs without a result.
const INK: [Colour; 4] = [0x22_2222, 0x66_6666, 0x9a_9a9a, 0xe4_e4e4];
/// Steps of the scale from least to largest: `viridis` \[Smith2015\], as even for readers who see red and green alike.
const SCALE: [Colour; 10] =
    [0x44_0154, 0x48_2878, 0x3e_4989, 0x31_688e, 0x26_828e, 0x1f_9e89, 0x35_b779, 0x6e_ce58, 0xb5_de2b, 0xfd_e725];

/// A map of each measure with the name of its file; none unless exactly two axes vary and both are made of numbers.
pub fn maps(
    title: &str,
    design: &Design,
    measures: &[Measure],
    rows: &[Row],
    shown: &[Measure],
) -> Vec<(String, Canvas)> {
    let Some(axes) = design.plane() else { return Vec::new() };
    let mut maps = Vec::new();
    for measure in shown {
        let Some(k) = measures.iter().position(|m| m == measure) else { continue };
        let value = |row: &Row| if row.is_done() { row.values[k] } else { f64::NAN };
        let points: Vec<[f64; 3]> = rows.iter().map(|r| [number(r, axes[0]), number(r, axes[1]), value(r)]).collect();
        if points.iter().filter(|p| p[2].is_finite()).count() > 1 {
            let map = Map { title, design, axes, measure, points };
            maps.push((format!("map_{}", measure_file(measure)), map.draw()));
        }
    }
    maps
}

/// A result over the plane of two parameters.
struct Map<'a> {
    title: &'a str,
    design: &'a Design,
    axes: [usize; 2],
    measure: &'a Measure,
    /// Parameters and result of each run.
    points: Vec<[f64; 3]>,
}

impl Map<'_> {
    fn draw(&self) -> Canvas {
        let mut canvas = Canvas::new(SIZE.0, SIZE.1);
        let (left, right, top, bottom) = (ROOM.0, SIZE.0 - ROOM.1, ROOM.2, SIZE.1 - ROOM.3);
        canvas.write((left, 27.0), 18.0, INK[0], Anchor::Start, self.measure.to_string());
        canvas.write((left, 47.0), 12.0, INK[1], Anchor::Start, self.title);
        let scale = Scale::of(&self.points, self.measure.unit());
        let tiled = self.design.choice == Choice::Product;
        let x = Along::of(self.points.iter().map(|p| p[0]), tiled, [left, right]);
        let y = Along::of(self.points.iter().map(|p| p[1]), tiled, [bottom, top]);
        for &[a, b, value] in &self.points {
            let colour = scale.colour(value);
            if tiled {
                tile(&mut canvas, x.cell(a), y.cell(b), colour);
            } else {
                dot(&mut canvas, (x.place(a), y.place(b)), colour);
            }
        }
        frame(&mut canvas, (left, right), (top, bottom));
        for (value, label) in &x.ticks {
            let at = x.place(*value);
            canvas.line((at, bottom), (at, bottom + 5.0), Stroke::plain(INK[2], 1.0));
            canvas.write((at, bottom + 20.0), 13.0, INK[1], Anchor::Middle, label.clone());
        }
        for (value, label) in &y.ticks {
            let at = y.place(*value);
            canvas.line((left - 5.0, at), (left, at), Stroke::plain(INK[2], 1.0));
            canvas.write((left - 8.0, at + 4.5), 13.0, INK[1], Anchor::End, label.clone());
        }
        let name = |k: usize| self.design.axes[self.axes[k]].path.clone();
        canvas.write((0.5 * (left + right), SIZE.1 - 14.0), 13.0, INK[0], Anchor::Middle, name(0));
        canvas.write((20.0, 0.5 * (top + bottom)), 13.0, INK[0], Anchor::Middle, name(1));
        if let Some(super::super::plot::canvas::Shape::Text(text)) = canvas.shapes.last_mut() {
            text.upwards = true;
        }
        scale.draw(&mut canvas, right + 24.0, (top, bottom));
        canvas
    }
}

/// A parameter along a side of the frame.
struct Along {
    /// Values that occur, in order.
    values: Vec<f64>,
    ticks: Vec<(f64, String)>,
    /// Data at both ends of the side, and the ends.
    data: [f64; 2],
    side: [f64; 2],
    logarithmic: bool,
}

/// Values with a tick each; beyond that ticks are round numbers.
const FEW: usize = 8;
/// Room beside the outermost dots, as a share of their distance.
const BESIDE: f64 = 0.03;

impl Along {
    fn of(values: impl Iterator<Item = f64>, tiled: bool, side: [f64; 2]) -> Self {
        let mut values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let middle = values[values.len() / 2];
        values.dedup();
        let (low, high) = (values[0], values[values.len() - 1]);
        // over decades, and filled as exponents rather than as numbers
        let logarithmic = low > 0.0 && high / low >= 100.0 && middle < 0.25 * (low + high);
        let mut along = Along { values, ticks: Vec::new(), data: [0.0, 1.0], side, logarithmic };
        let ends = [along.measure(low), along.measure(high)];
        let room = BESIDE * (ends[1] - ends[0]);
        let last = along.values.len() - 1;
        along.data = if tiled { [along.edge(0), along.edge(last + 1)] } else { [ends[0] - room, ends[1] + room] };
        along.ticks = if tiled && last < FEW {
            along.values.iter().map(|v| (*v, v.to_string())).collect()
        } else {
            let ticks = if logarithmic { Ticks::logarithmic(low, high) } else { Ticks::linear(low, high, 6) };
            let seen = |v: &&f64| (along.data[0]..=along.data[1]).contains(&along.measure(**v));
            ticks.values.iter().filter(seen).map(|v| (*v, ticks.label(*v))).collect()
        };
        along
    }

    fn measure(&self, value: f64) -> f64 {
        if self.logarithmic { value.log10() } else { value }
    }

    /// Where cell `k` begins: in the middle between two values, beyond the outer ones as far as within.
    fn edge(&self, k: usize) -> f64 {
        let last = self.values.len() - 1;
        let at = |k: usize| self.measure(self.values[k]);
        match k {
            _ if last == 0 => at(0) + (k as f64 - 0.5) * at(0).abs().max(1.0),
            0 => 1.5 * at(0) - 0.5 * at(1),
            k if k > last => 1.5 * at(last) - 0.5 * at(last - 1),
            k => 0.5 * (at(k - 1) + at(k)),
        }
    }

    fn on_side(&self, measure: f64) -> f64 {
        let share = (measure - self.data[0]) / (self.data[1] - self.data[0]);
        self.side[0] + share * (self.side[1] - self.side[0])
    }

    fn place(&self, value: f64) -> f64 {
        self.on_side(self.measure(value))
    }

    fn cell(&self, value: f64) -> [f64; 2] {
        let k = self.values.partition_point(|v| *v < value);
        [self.on_side(self.edge(k)), self.on_side(self.edge(k + 1))]
    }
}

/// Colours of results.
struct Scale {
    ticks: Ticks,
    limits: [f64; 2],
    unit: String,
    factor: f64,
}

impl Scale {
    fn of(points: &[[f64; 3]], unit: &str) -> Self {
        let results = points.iter().map(|p| p[2]).filter(|v| v.is_finite());
        let (low, high) = results.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (factor, unit) = scaled(unit, low.abs().max(high.abs()));
        let mut ticks = Ticks::linear(factor * low, factor * high, 6);
        // a constant is all one colour
        let limits = if low < high { [factor * low, factor * high] } else { [ticks.low, ticks.high] };
        ticks.values.retain(|v| *v >= limits[0] && *v <= limits[1]);
        Scale { ticks, limits, unit, factor }
    }

    fn colour(&self, value: f64) -> Colour {
        if !value.is_finite() {
            return INK[3];
        }
        let share = (self.factor * value - self.limits[0]) / (self.limits[1] - self.limits[0]);
        blend(share.clamp(0.0, 1.0))
    }

    fn draw(&self, canvas: &mut Canvas, left: f64, (top, bottom): (f64, f64)) {
        const PIECES: usize = 100;
        let right = left + 18.0;
        let height = |share: f64| bottom - share * (bottom - top);
        for k in 0..PIECES {
            let share = |k: usize| k as f64 / PIECES as f64;
            tile(
                canvas,
                [left, right],
                [height(share(k)), height(share(k + 1))],
                blend(share(k) + 0.5 / PIECES as f64),
            );
        }
        frame(canvas, (left, right), (top, bottom));
        for &value in &self.ticks.values {
            let y = height((value - self.limits[0]) / (self.limits[1] - self.limits[0]));
            canvas.line((right, y), (right + 4.0, y), Stroke::plain(INK[2], 1.0));
            canvas.write((right + 8.0, y + 4.5), 13.0, INK[1], Anchor::Start, self.ticks.label(value));
        }
        canvas.write((left, top - 10.0), 13.0, INK[0], Anchor::Start, &*self.unit);
    }
}

/// The colour at a share of the scale, between the two steps nearest to it.
fn blend(share: f64) -> Colour {
    let place = share * (SCALE.len() - 1) as f64;
    let below = (place as usize).min(SCALE.len() - 2);
    let part = place - below as f64;
    [16, 8, 0].into_iter().fold(0, |colour, shift| {
        let of = |k: usize| f64::from((SCALE[k] >> shift) & 0xff);
        colour | (((1.0 - part) * of(below) + part * of(below + 1)).round() as Colour) << shift
    })
}

fn tile(canvas: &mut Canvas, x: [f64; 2], y: [f64; 2], colour: Colour) {
    let corners = [Segment::Line(x[1], y[0]), Segment::Line(x[1], y[1]), Segment::Line(x[0], y[1]), Segment::Close];
    let path = std::iter::once(Segment::Move(x[0], y[0])).chain(corners).collect();
    // a line of its own colour closes the hair between two tiles
    canvas.path(path, Some(Fill { colour, opacity: 1.0 }), Some(Stroke::plain(colour, 0.6)));
}

fn dot(canvas: &mut Canvas, at: (f64, f64), colour: Colour) {
    canvas.ring(at, 5.0, Stroke::plain(INK[2], 0.8));
    if let Some(super::super::plot::canvas::Shape::Path(_, Some(fill), _)) = canvas.shapes.last_mut() {
        fill.colour = colour;
    }
}

fn frame(canvas: &mut Canvas, (left, right): (f64, f64), (top, bottom): (f64, f64)) {
    let corners = [(right, top), (right, bottom), (left, bottom)].map(|(x, y)| Segment::Line(x, y));
    let path = std::iter::once(Segment::Move(left, top)).chain(corners).chain([Segment::Close]).collect();
    canvas.path(path, None, Some(Stroke::plain(INK[2], 1.0)));
}

#[cfg(test)]
mod tests {
    use super::super::Axis;
    use super::*;

    fn study() -> (Design, Vec<Measure>, Vec<Row>) {
        let axes = ["a=0,0.1,0.4", "b=1,10,1000"].map(|t| Axis::parse(t).unwrap()).to_vec();
        let design = Design::product(axes).unwrap();
        let row = |(k, member): (usize, &super::super::Combination)| {
            let mut row = Row::without_result(member, if k == 4 { "failed" } else { "done" }.to_owned(), 1);
            row.values = vec![k as f64];
            row
        };
        let rows = design.members.iter().enumerate().map(row).collect();
        (design, vec![Measure::largest("max_von_mises")], rows)
    }

    /// Nine tiles that fill the frame without overlap, the failed run in grey, the extremes at the ends of the scale.
    #[test]
    fn tiles_fill_the_frame() {
        let (design, measures, rows) = study();
        let maps = maps("t", &design, &measures, &rows, &measures);
        let [(name, canvas)] = maps.as_slice() else { panic!("one map") };
        assert_eq!(name, "map_max_von_mises_max");
        let area = |path: &[Segment]| match path {
            [Segment::Move(a, b), Segment::Line(c, _), Segment::Line(_, d), ..] => ((c - a) * (d - b)).abs(),
            _ => 0.0,
        };
        let tiles: Vec<(f64, Colour)> = canvas
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                super::super::super::plot::canvas::Shape::Path(path, Some(fill), _) => Some((area(path), fill.colour)),
                _ => None,
            })
            .take(9)
            .collect();
        let all = (SIZE.0 - ROOM.0 - ROOM.1) * (SIZE.1 - ROOM.2 - ROOM.3);
        assert!((tiles.iter().map(|(area, _)| area).sum::<f64>() - all).abs() < 1e-6 * all);
        assert_eq!((tiles[0].1, tiles[4].1, tiles[8].1), (SCALE[0], INK[3], SCALE[9]));
    }

    #[test]
    fn one_parameter_or_three_make_no_map() {
        let (_, measures, rows) = study();
        for texts in [vec!["a=0,1"], vec!["a=0,1", "b=x,y"], vec!["a=0,1", "b=0,1", "c=0,1"]] {
            let axes = texts.iter().map(|t| Axis::parse(t).unwrap()).collect();
            assert!(maps("t", &Design::product(axes).unwrap(), &measures, &rows[..1], &measures).is_empty());
        }
    }
}
