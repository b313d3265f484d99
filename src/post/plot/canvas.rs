//! A picture as a list of shapes, written as SVG or painted as PNG ([`super::png`]).

use std::fmt::Write as _;

/// A colour, `0xRRGGBB`.
pub type Colour = u32;

/// One stretch of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Segment {
    /// Lifts the pen to here.
    Move(f64, f64),
    /// Draws to here.
    Line(f64, f64),
    /// Draws back to the last lift.
    Close,
}

/// How an area is filled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fill {
    /// Its colour.
    pub colour: Colour,
    /// How much hides what is below, 0 to 1.
    pub opacity: f64,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// Its width.
    pub width: f64,
    /// Lengths drawn and left out in turn; none for a plain line.
    pub dash: &'static [f32],
}

impl Stroke {
    /// A plain line.
    pub fn plain(colour: Colour, width: f64) -> Self {
        Stroke { colour, width, dash: &[] }
    }
}

/// Which part of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its start.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Place of its anchor on the base line.
    pub at: (f64, f64),
    /// Height of the font.
    pub size: f64,
    /// Its colour.
    pub colour: Colour,
    /// What stands at its place.
    pub anchor: Anchor,
    /// Whether it runs upwards.
    pub upwards: bool,
    /// The words.
    pub words: String,
}

/// Something on a canvas.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Lines and areas.
    Path(Vec<Segment>, Option<Fill>, Option<Stroke>),
    /// A line of text.
    Text(Text),
    /// From here on only what lies in this rectangle (left, top, width, height) is seen; everything again without one.
    Clip(Option<[f64; 4]>),
}

/// A white picture and what is on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Canvas {
    /// Width and height.
    pub size: (f64, f64),
    /// What is on it, in order.
    pub shapes: Vec<Shape>,
}

impl Canvas {
    /// A white picture.
    pub fn new(width: f64, height: f64) -> Self {
        Canvas { size: (width, height), shapes: Vec::new() }
    }

    /// Adds a path.
    pub fn path(&mut self, path: Vec<Segment>, fill: Option<Fill>, stroke: Option<Stroke>) {
        if path.len() > 1 {
            self.shapes.push(Shape::Path(path, fill, stroke));
        }
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.path(vec![Segment::Move(from.0, from.1), Segment::Line(to.0, to.1)], None, Some(stroke));
    }

    /// Adds a circle, white inside.
    pub fn ring(&mut self, centre: (f64, f64), radius: f64, stroke: Stroke) {
        const CORNERS: usize = 24;
        let corner = |k: usize| {
            let angle = std::f64::consts::TAU * k as f64 / CORNERS as f64;
            (centre.0 + radius * angle.cos(), centre.1 + radius * angle.sin())
        };
        let mut path = vec![Segment::Move(corner(0).0, corner(0).1)];
        path.extend((1..CORNERS).map(|k| Segment::Line(corner(k).0, corner(k).1)));
        path.push(Segment::Close);
        self.path(path, Some(Fill { colour: 0xff_ffff, opacity: 1.0 }), Some(stroke));
    }

    /// Adds a line of text.
    pub fn write(&mut self, at: (f64, f64), size: f64, colour: Colour, anchor: Anchor, words: impl Into<String>) {
        self.shapes.push(Shape::Text(Text { at, size, colour, anchor, upwards: false, words: words.into() }));
    }

    /// The picture as SVG.
    pub fn svg(&self) -> String {
        let (width, height) = self.size;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Ubuntu, 'Helvetica Neue', Arial, sans-serif\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        let (mut clips, mut open) = (0, false);
        // writing to a string cannot fail
        for shape in &self.shapes {
            match shape {
                Shape::Path(path, fill, stroke) => {
                    let _ = write!(text, "<path d=\"{}\"", path_data(path));
                    match fill {
                        Some(Fill { colour, opacity }) if *opacity < 1.0 => {
                            let _ = write!(text, " fill=\"#{colour:06x}\" fill-opacity=\"{opacity:.3}\"");
                        }
                        Some(Fill { colour, .. }) => {
                            let _ = write!(text, " fill=\"#{colour:06x}\"");
                        }
                        None => text.push_str(" fill=\"none\""),
                    }
                    if let Some(Stroke { colour, width, dash }) = stroke {
                        let _ = write!(
                            text,
                            " stroke=\"#{colour:06x}\" stroke-width=\"{width}\" stroke-linejoin=\"round\""
                        );
                        if !dash.is_empty() {
                            let dash: Vec<String> = dash.iter().map(f32::to_string).collect();
                            let _ = write!(text, " stroke-dasharray=\"{}\"", dash.join(" "));
                        }
                    }
                    text.push_str("/>\n");
                }
                Shape::Text(t) => {
                    let anchor = match t.anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    let (x, y) = t.at;
                    let turn =
                        if t.upwards { format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"") } else { String::new() };
                    let _ = writeln!(
                        text,
                        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{}\" fill=\"#{:06x}\" text-anchor=\"{anchor}\"{turn}>{}</text>",
                        t.size,
                        t.colour,
                        escape(&t.words)
                    );
                }
                Shape::Clip(area) => {
                    if std::mem::take(&mut open) {
                        text.push_str("</g>\n");
                    }
                    if let Some([x, y, w, h]) = area {
                        clips += 1;
                        open = true;
                        let _ = writeln!(
                            text,
                            "<clipPath id=\"clip{clips}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"/>\
                             </clipPath>\n<g clip-path=\"url(#clip{clips})\">"
                        );
                    }
                }
            }
        }
        text.push_str(if open { "</g>\n</svg>\n" } else { "</svg>\n" });
        text
    }
}

fn path_data(path: &[Segment]) -> String {
    let mut data = String::new();
    for segment in path {
        let _ = match segment {
            Segment::Move(x, y) => write!(data, "M{x:.1} {y:.1}"),
            Segment::Line(x, y) => write!(data, "L{x:.1} {y:.1}"),
            Segment::Close => write!(data, "Z"),
        };
    }
    data
}

/// Text inside XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
