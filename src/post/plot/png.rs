//! A canvas painted as PNG, its text in a font that the program carries: it looks the same on a machine without fonts.

use tiny_skia::{FillRule, Mask, Paint, PathBuilder, Pixmap, Stroke as Pen, StrokeDash, Transform};
use ttf_parser::{Face, OutlineBuilder};

use super::canvas::{Anchor, Canvas, Colour, Segment, Shape, Text};

/// Paints a canvas at `scale` pixels per unit.
///
/// # Errors
/// The picture has no size, or is too large for the memory.
pub fn paint(canvas: &Canvas, scale: f32) -> Result<Vec<u8>, String> {
    let pixels = |length: f64| (length as f32 * scale).ceil() as u32;
    let mut picture = Pixmap::new(pixels(canvas.size.0), pixels(canvas.size.1)).ok_or("the picture has no size")?;
    picture.fill(tiny_skia::Color::WHITE);
    // the fonts are part of the program; signs that the first one lacks are looked for in the second
    let fonts = [epaint_default_fonts::UBUNTU_LIGHT, epaint_default_fonts::HACK_REGULAR];
    let fonts: Vec<Face<'static>> = fonts.into_iter().filter_map(|data| Face::parse(data, 0).ok()).collect();
    let place = Transform::from_scale(scale, scale);
    let mut mask: Option<Mask> = None;
    for shape in &canvas.shapes {
        match shape {
            Shape::Path(segments, fill, stroke) => {
                let Some(path) = path(segments) else { continue };
                if let Some(fill) = fill {
                    let paint = ink(fill.colour, fill.opacity);
                    picture.fill_path(&path, &paint, FillRule::Winding, place, mask.as_ref());
                }
                if let Some(stroke) = stroke {
                    let dash = StrokeDash::new(stroke.dash.to_vec(), 0.0);
                    let pen = Pen {
                        width: stroke.width as f32,
                        line_join: tiny_skia::LineJoin::Round,
                        dash,
                        ..Pen::default()
                    };
                    picture.stroke_path(&path, &ink(stroke.colour, 1.0), &pen, place, mask.as_ref());
                }
            }
            Shape::Text(text) => {
                if let Some(path) = outline(text, &fonts) {
                    let paint = ink(text.colour, 1.0);
                    picture.fill_path(&path, &paint, FillRule::Winding, place, mask.as_ref());
                    // the font is light; a hair around it makes it as dark as other fonts
                    let hair = Pen { width: 0.35, ..Pen::default() };
                    picture.stroke_path(&path, &paint, &hair, place, mask.as_ref());
                }
            }
            Shape::Clip(area) => {
                mask = area.and_then(|[x, y, w, h]| {
                    let mut mask = Mask::new(picture.width(), picture.height())?;
                    let area = tiny_skia::Rect::from_xywh(x as f32, y as f32, w as f32, h as f32)?;
                    mask.fill_path(&PathBuilder::from_rect(area), FillRule::Winding, true, place);
                    Some(mask)
                });
            }
        }
    }
    picture.encode_png().map_err(|error| error.to_string())
}

fn ink(colour: Colour, opacity: f64) -> Paint<'static> {
    let [_, red, green, blue] = colour.to_be_bytes();
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity.clamp(0.0, 1.0)).round() as u8);
    paint.anti_alias = true;
    paint
}

fn path(segments: &[Segment]) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    for segment in segments {
        match *segment {
            Segment::Move(x, y) => builder.move_to(x as f32, y as f32),
            Segment::Line(x, y) => builder.line_to(x as f32, y as f32),
            Segment::Close => builder.close(),
        }
    }
    builder.finish()
}

/// The outline of a glyph, moved to its place.
struct Glyph<'b> {
    builder: &'b mut PathBuilder,
    scale: f32,
    at: (f32, f32),
    upwards: bool,
}

impl Glyph<'_> {
    /// From the font's units, y upwards, to the canvas.
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        let (x, y) = (self.scale * x, self.scale * y);
        if self.upwards { (self.at.0 - y, self.at.1 - x) } else { (self.at.0 + x, self.at.1 - y) }
    }
}

impl OutlineBuilder for Glyph<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.builder.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}

/// A line of text as one path.
fn outline(text: &Text, fonts: &[Face<'static>]) -> Option<tiny_skia::Path> {
    // for each sign: font, glyph, scale, width
    let signs: Vec<_> = text
        .words
        .chars()
        .filter_map(|c| {
            let (font, glyph) = fonts.iter().find_map(|font| Some((font, font.glyph_index(c)?)))?;
            let scale = text.size as f32 / f32::from(font.units_per_em());
            Some((font, glyph, scale, scale * f32::from(font.glyph_hor_advance(glyph).unwrap_or(0))))
        })
        .collect();
    let length: f32 = signs.iter().map(|(_, _, _, width)| width).sum();
    let mut along = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -0.5 * length,
        Anchor::End => -length,
    };
    let mut builder = PathBuilder::new();
    let (x, y) = (text.at.0 as f32, text.at.1 as f32);
    for (font, glyph, scale, width) in signs {
        let at = if text.upwards { (x, y - along) } else { (x + along, y) };
        font.outline_glyph(glyph, &mut Glyph { builder: &mut builder, scale, at, upwards: text.upwards });
        along += width;
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_painted_without_the_fonts_of_the_machine() {
        let mut canvas = Canvas::new(120.0, 40.0);
        let blank = paint(&canvas, 1.0).unwrap_or_default();
        canvas.write((10.0, 25.0), 16.0, 0x22_2222, Anchor::Start, "µ = 0.2, ms²");
        let written = paint(&canvas, 1.0).unwrap_or_default();
        assert!(blank.starts_with(b"\x89PNG") && written.starts_with(b"\x89PNG"));
        assert!(written.len() > 2 * blank.len(), "{} and {} bytes", written.len(), blank.len());
        let signs = "µ = 0.2 [MPa], ms² −1e−5 · × …ν";
        let fonts = [epaint_default_fonts::UBUNTU_LIGHT, epaint_default_fonts::HACK_REGULAR];
        let fonts: Vec<Face<'_>> = fonts.into_iter().filter_map(|data| Face::parse(data, 0).ok()).collect();
        assert!(signs.chars().all(|c| fonts.iter().any(|f| f.glyph_index(c).is_some())), "a sign is missing");
    }
}
