//! The set-up of a case as a picture: meshes, obstacles, surfaces that may touch, supports, loads, initial velocities. Solid cases
//! are seen from above one corner, nearer faces over farther ones.

mod names;
mod supports;

use std::path::Path;

use nalgebra::Vector3;

use super::plot::canvas::{Anchor, Canvas, Colour, Fill, Segment, Shape, Stroke};
use super::plot::png;
use super::{PostError, write_file};
use crate::case::Case;
use crate::geometry::Outline;
use crate::mesh::Facet;
use crate::mesh::surface::boundary;
use crate::model::Assembly;

type Point = Vector3<f64>;

/// Width of the drawing, and the largest height.
const SIZE: (f64, f64) = (900.0, 900.0);
/// Room for title and legend.
const ROOM: (f64, f64) = (64.0, 92.0);
/// Arrows of a body at most.
const ARROWS: usize = 9;
/// Inks: mesh lines, contact surface, held nodes, moved nodes, velocity, obstacle.
const INK: [Colour; 6] = [0x8b_a3b8, 0xd5_5e00, 0x22_2222, 0xcc_79a7, 0x00_9e73, 0xb9_b2a6];
/// Colours of bodies, light.
const BODIES: [Colour; 4] = [0xdb_e9f4, 0xfb_e7cf, 0xdc_efe2, 0xef_e0ee];
/// Colours of obstacles, of faces that may touch, and of shade.
const FACES: [Colour; 3] = [0xe8_e4dc, 0xf4_c9a8, 0x33_4455];
/// Text and faint text.
const TEXT: [Colour; 2] = [0x22_2222, 0x66_6666];

/// How space becomes paper.
struct View {
    solid: bool,
    low: [f64; 2],
    scale: f64,
    height: f64,
}

impl View {
    /// A place as the eye sees it: right, up, towards the eye.
    fn eye(solid: bool, x: &Point) -> [f64; 3] {
        if !solid {
            return [x[0], x[1], 0.0];
        }
        let towards = Vector3::new(0.65, -1.0, 0.55).normalize();
        let right = Vector3::z().cross(&towards).normalize();
        let up = towards.cross(&right);
        [x.dot(&right), x.dot(&up), x.dot(&towards)]
    }

    /// Bodies, and of the obstacles what lies around them.
    fn of(solid: bool, bodies: &[Point], obstacles: &[Point]) -> Self {
        let limits = |points: &mut dyn Iterator<Item = [f64; 3]>| {
            let start = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
            points.fold(start, |(low, high), p| {
                ([low[0].min(p[0]), low[1].min(p[1])], [high[0].max(p[0]), high[1].max(p[1])])
            })
        };
        let (mut low, mut high) = limits(&mut bodies.iter().map(|x| Self::eye(solid, x)));
        let size = (high[0] - low[0]).max(high[1] - low[1]).max(f64::MIN_POSITIVE);
        if !obstacles.is_empty() {
            let (l, h) = limits(&mut obstacles.iter().map(|x| Self::eye(solid, x)));
            for axis in 0..2 {
                low[axis] = low[axis].min(l[axis].max(low[axis] - 1.2 * size));
                high[axis] = high[axis].max(h[axis].min(high[axis] + 1.2 * size));
            }
        }
        for axis in 0..2 {
            low[axis] -= 0.12 * size;
            high[axis] += 0.12 * size;
        }
        let room = SIZE.1 - ROOM.0 - ROOM.1;
        let scale = (SIZE.0 / (high[0] - low[0])).min(room / (high[1] - low[1]));
        // centred if the height decides
        low[0] -= 0.5 * (SIZE.0 / scale - (high[0] - low[0]));
        View { solid, low, scale, height: scale * (high[1] - low[1]) }
    }

    fn paper(&self, x: &Point) -> (f64, f64) {
        let [right, up, _] = Self::eye(self.solid, x);
        (self.scale * (right - self.low[0]), ROOM.0 + self.height - self.scale * (up - self.low[1]))
    }

    fn depth(&self, x: &Point) -> f64 {
        Self::eye(self.solid, x)[2]
    }

    fn path(&self, points: &[Point], closed: bool) -> Vec<Segment> {
        let mut path: Vec<Segment> = Vec::with_capacity(points.len() + 1);
        for x in points {
            let (x, y) = self.paper(x);
            path.push(if path.is_empty() { Segment::Move(x, y) } else { Segment::Line(x, y) });
        }
        if closed {
            path.push(Segment::Close);
        }
        path
    }
}

/// A face to be drawn, with its depth.
struct Face {
    points: Vec<Point>,
    fill: Option<Fill>,
    stroke: Option<Stroke>,
    depth: f64,
    closed: bool,
}

/// Writes the drawing, as PNG if the file ends so and as SVG otherwise.
///
/// # Errors
/// The file cannot be written.
pub fn write(case: &Case, model: &Assembly, path: &Path) -> Result<(), PostError> {
    let picture = draw(case, model);
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        let png = png::paint(&picture, 2.0).map_err(|reason| PostError::Draw { path: path.to_path_buf(), reason })?;
        return write_file(path, &png);
    }
    write_file(path, picture.svg().as_bytes())
}

/// The drawing.
pub fn draw(case: &Case, model: &Assembly) -> Canvas {
    let solid = case.dimension() == 3;
    let places: Vec<Vec<Point>> = model
        .system
        .bodies
        .iter()
        .zip(&model.system.states)
        .map(|(body, state)| match body.deformable() {
            Some(body) => (0..body.mesh.node_count()).map(|node| body.position(&state.u, node)).collect(),
            None => Vec::new(),
        })
        .collect();
    // rigid bodies belong to the picture as bodies do
    let carried = model
        .obstacles
        .iter()
        .zip(&model.carriers)
        .filter(|(obstacle, body)| body.is_some() && obstacle.endless().is_none());
    let rigid = carried.flat_map(|(obstacle, _)| Outline::of(obstacle, case.dimension(), [0.0; 3], [0.0; 3]).points);
    let bodies: Vec<Point> = places.iter().flatten().copied().chain(rigid.map(Point::from)).collect();
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for x in &bodies {
        for axis in 0..3 {
            (low[axis], high[axis]) = (low[axis].min(x[axis]), high[axis].max(x[axis]));
        }
    }
    if bodies.is_empty() {
        (low, high) = ([-1.0; 3], [1.0; 3]);
    }
    let outlines: Vec<Outline> =
        model.obstacles.iter().map(|o| Outline::among(model.obstacles.len(), o, case.dimension(), low, high)).collect();
    let around: Vec<Point> = outlines.iter().flat_map(|o| o.points.iter().map(|p| Point::from(*p))).collect();
    let corners = [Point::from(low), Point::from(high)];
    let view = View::of(solid, if bodies.is_empty() { &corners } else { &bodies }, &around);
    let mut faces = Vec::new();
    for (outline, body) in outlines.iter().zip(&model.carriers) {
        // with mass it is a body
        let colour = body.map_or(FACES[0], |body| BODIES[body % BODIES.len()]);
        obstacle_faces(outline, colour, &view, &mut faces);
    }
    body_faces(model, &places, &view, &mut faces);
    // obstacles first in the plane (all depths are zero and the order stays), by depth in space
    faces.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    let mut canvas = Canvas::new(SIZE.0, ROOM.0 + view.height + ROOM.1);
    canvas.shapes.push(Shape::Clip(Some([0.0, ROOM.0, SIZE.0, view.height])));
    for face in &faces {
        canvas.path(view.path(&face.points, face.closed), face.fill, face.stroke);
    }
    zone_lines(model, &places, &view, &mut canvas);
    supports::draw(model, &places, &view, &mut canvas);
    let arrows = arrows(model, &places);
    velocities(&arrows, &view, &mut canvas);
    names::write(model, &places, &outlines, &view, &mut canvas);
    canvas.shapes.push(Shape::Clip(None));
    legend(case, model, fastest(&arrows), &view, &mut canvas);
    canvas
}

fn obstacle_faces(outline: &Outline, colour: Colour, view: &View, faces: &mut Vec<Face>) {
    const POLYLINE: u8 = 4;
    const HEXAHEDRON: u8 = 12;
    const SIDES: [[usize; 4]; 6] = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    let point = |k: &usize| Point::from(outline.points[*k]);
    for (kind, corners) in &outline.cells {
        let rings: Vec<Vec<Point>> = match *kind {
            HEXAHEDRON if corners.len() == 8 => {
                SIDES.iter().map(|s| s.iter().map(|k| point(&corners[*k])).collect()).collect()
            }
            _ => vec![corners.iter().map(point).collect()],
        };
        for points in rings {
            let closed = *kind != POLYLINE;
            let depth = mean_depth(view, &points);
            let fill = Fill { colour, opacity: if view.solid { 0.55 } else { 1.0 } };
            let stroke = Stroke::plain(INK[5], if closed { 0.8 } else { 3.0 });
            faces.push(Face { points, fill: closed.then_some(fill), stroke: Some(stroke), depth, closed });
        }
    }
}

fn mean_depth(view: &View, points: &[Point]) -> f64 {
    points.iter().map(|p| view.depth(p)).sum::<f64>() / points.len().max(1) as f64
}

/// Cells in the plane; outer faces in space, shaded by how they lie, those that may touch in the colour of contact.
fn body_faces(model: &Assembly, places: &[Vec<Point>], view: &View, faces: &mut Vec<Face>) {
    let light = Vector3::new(0.3, -0.5, 0.8).normalize();
    for (b, body) in model.system.all().deformable() {
        let fill = BODIES[b % BODIES.len()];
        let stroke = Some(Stroke::plain(INK[0], 0.6));
        let opaque = |colour: Colour| Some(Fill { colour, opacity: 1.0 });
        if !view.solid {
            for (_, _, nodes) in body.mesh.cells() {
                let points: Vec<Point> = nodes.iter().map(|n| places[b][n.index()]).collect();
                faces.push(Face { points, fill: opaque(fill), stroke, depth: 0.0, closed: true });
            }
            continue;
        }
        let touching: std::collections::HashSet<Vec<u32>> = touching(model)
            .filter(|(body, _)| *body == b)
            .map(|(_, facet)| sorted(facet.nodes().iter().map(|n| n.0)))
            .collect();
        for facet in boundary(&body.mesh) {
            let points: Vec<Point> = facet.nodes().iter().map(|n| places[b][n.index()]).collect();
            let normal = (points[1] - points[0]).cross(&(points[2] - points[0])).normalize();
            let shade = 0.25 * (1.0 - normal.dot(&light).abs());
            let fill = if touching.contains(&sorted(facet.nodes().iter().map(|n| n.0))) { FACES[1] } else { fill };
            let depth = mean_depth(view, &points);
            faces.push(Face { points: points.clone(), fill: opaque(fill), stroke, depth, closed: true });
            let shade = Some(Fill { colour: FACES[2], opacity: shade });
            faces.push(Face { points, fill: shade, stroke: None, depth, closed: true });
        }
    }
}

/// Facets that may touch an obstacle or a body, with the number of their body.
fn touching(model: &Assembly) -> impl Iterator<Item = (usize, &Facet)> {
    let zones = model.contact.zones.iter().flat_map(|zone| zone.facets.iter().map(|facet| (zone.body, facet)));
    let skins = model.contact.pairs.skins().iter();
    zones.chain(skins.flat_map(|skin| skin.facets.iter().map(|facet| (skin.body, facet))))
}

fn sorted(nodes: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut nodes: Vec<u32> = nodes.collect();
    nodes.sort_unstable();
    nodes
}

/// In the plane, the surfaces that may touch.
fn zone_lines(model: &Assembly, places: &[Vec<Point>], view: &View, canvas: &mut Canvas) {
    if view.solid {
        return;
    }
    let mut path = Vec::new();
    for (body, facet) in touching(model) {
        let points: Vec<Point> = facet.nodes().iter().map(|n| places[body][n.index()]).collect();
        path.extend(view.path(&points, false));
    }
    canvas.path(path, None, Some(Stroke::plain(INK[1], 2.4)));
}

/// Some points far from each other: the first, and always the one farthest from all before.
fn spread(points: &[Point], count: usize) -> Vec<usize> {
    let mut chosen = Vec::new();
    let mut distance = vec![f64::INFINITY; points.len()];
    let mut next = 0;
    while chosen.len() < count.min(points.len()) {
        chosen.push(next);
        for (d, p) in distance.iter_mut().zip(points) {
            *d = d.min((p - points[next]).norm_squared());
        }
        next = (0..points.len()).fold(0, |best, k| if distance[k] > distance[best] { k } else { best });
    }
    chosen
}

/// Places and initial velocities: some nodes of each deformable body, the centre of each rigid one.
fn arrows(model: &Assembly, places: &[Vec<Point>]) -> Vec<(Point, Point)> {
    let mut arrows = Vec::new();
    for (b, body) in model.system.all().deformable() {
        let dim = body.dim();
        for node in spread(&places[b], ARROWS) {
            let v = &model.system.states[b].v[node * dim..(node + 1) * dim];
            arrows.push((places[b][node], Point::new(v[0], v[1], v.get(2).copied().unwrap_or(0.0))));
        }
    }
    for (b, body) in model.system.all().rigid() {
        let state = &model.system.states[b];
        arrows.push((body.centre(&state.u), body.parts(&state.v).0));
    }
    arrows
}

fn fastest(arrows: &[(Point, Point)]) -> f64 {
    arrows.iter().map(|(_, v)| v.norm()).fold(0.0, f64::max)
}

/// Arrows, as long as the fastest place of all is fast.
fn velocities(arrows: &[(Point, Point)], view: &View, canvas: &mut Canvas) {
    let fastest = fastest(arrows);
    if fastest == 0.0 {
        return;
    }
    let longest = 70.0 / view.scale;
    for (place, v) in arrows {
        if v.norm() >= 1e-3 * fastest {
            let (x0, y0) = view.paper(place);
            let (x1, y1) = view.paper(&(place + longest / fastest * v));
            let length = (x1 - x0).hypot(y1 - y0);
            if length < 3.0 {
                continue;
            }
            // the head, seen along the shaft
            let (dx, dy) = ((x1 - x0) / length, (y1 - y0) / length);
            let head = |side: f64| (x1 - 8.0 * dx - side * 3.2 * dy, y1 - 8.0 * dy + side * 3.2 * dx);
            let ((ax, ay), (bx, by)) = (head(1.0), head(-1.0));
            let stroke = Stroke::plain(INK[4], 1.5);
            canvas.line((x0, y0), (x1, y1), stroke);
            let barbs = vec![Segment::Move(ax, ay), Segment::Line(x1, y1), Segment::Line(bx, by)];
            canvas.path(barbs, None, Some(stroke));
        }
    }
}

/// Title above; below what the colours mean, and a bar of known length.
fn legend(case: &Case, model: &Assembly, speed: f64, view: &View, canvas: &mut Canvas) {
    canvas.write((24.0, 28.0), 18.0, TEXT[0], Anchor::Start, &case.title);
    let cells: usize = model.system.all().deformable().map(|(_, body)| body.mesh.cell_count()).sum();
    let several = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let under = format!(
        "{}: {}, {}, {}",
        case.file_name,
        several(model.system.bodies.len(), "body", "bodies"),
        several(cells, "cell", "cells"),
        several(model.carriers.iter().filter(|body| body.is_none()).count(), "obstacle", "obstacles")
    );
    canvas.write((24.0, 49.0), 12.0, TEXT[1], Anchor::Start, under);
    let base = ROOM.0 + view.height + 30.0;
    let held = model.system.all().deformable().flat_map(|(_, body)| body.supports()).any(|s| !s.moves());
    let moved = model.system.all().deformable().flat_map(|(_, body)| body.supports()).any(|s| s.moves());
    let mut entries: Vec<(Colour, String)> = Vec::new();
    if touching(model).next().is_some() {
        entries.push((INK[1], "may touch".to_owned()));
    }
    if !model.obstacles.is_empty() {
        entries.push((INK[5], "obstacle".to_owned()));
    }
    if held {
        entries.push((INK[2], "held".to_owned()));
    }
    if moved {
        entries.push((INK[3], "moved".to_owned()));
    }
    if model.system.all().deformable().any(|(_, body)| !supports::loaded(body).is_empty()) {
        entries.push((supports::LOADS[0], "loaded".to_owned()));
    }
    if model.system.all().deformable().any(|(_, body)| !supports::sprung(body).is_empty()) {
        entries.push((supports::LOADS[1], "spring or dashpot".to_owned()));
    }
    if speed > 0.0 {
        entries.push((INK[4], format!("initial velocity, up to {} m/s", (speed * 1e3).round() / 1e3)));
    }
    let mut x = 24.0;
    for (colour, text) in entries {
        canvas.line((x, base - 5.0), (x + 16.0, base - 5.0), Stroke::plain(colour, 5.0));
        let width = 50.0 + 7.0 * text.chars().count() as f64;
        canvas.write((x + 22.0, base), 13.0, TEXT[0], Anchor::Start, text);
        x += width;
    }
    // a power of ten, twice or five times it, not longer than a fifth of the width
    let longest = 0.2 * SIZE.0 / view.scale;
    let power = 10f64.powf(longest.log10().floor());
    let length = [5.0, 2.0, 1.0].into_iter().map(|f| f * power).find(|l| *l <= longest).unwrap_or(power);
    let (from, to, y) = (24.0, 24.0 + length * view.scale, base + 30.0);
    let ink = Stroke::plain(TEXT[0], 1.0);
    canvas.line((from, y), (to, y), ink);
    for end in [from, to] {
        canvas.line((end, y - 4.0), (end, y + 4.0), ink);
    }
    let (factor, unit) = super::plot::scaled("m", length);
    let text = format!("{} {unit}", (factor * length * 1e6).round() / 1e6);
    canvas.write((to + 10.0, y + 4.5), 13.0, TEXT[0], Anchor::Start, text);
}
