//! A surface as the judge sees it: points, flat pieces and edges, at the start and at the end of a step.

use std::collections::HashMap;

use super::caught::Place;
use crate::bodies::Deformable;
pub(super) use crate::geometry::nearest_on;
use crate::geometry::{Bounds, Bvh, Obstacle, Pose, Vector};
use crate::mesh::surface::boundary;
use crate::parallel;

/// An edge between two points and the facets on its sides, twice the same at a rim. In the plane a facet is its own edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub ends: [u32; 2],
    pub facets: [u32; 2],
}

/// The surface of a body or an obstacle.
#[derive(Debug)]
pub(super) struct Hull {
    pub name: String,
    /// Size of the body; infinite for an obstacle.
    pub size: f64,
    pub dim: usize,
    /// Points at the start and at the end of the step. Behind those of the surface stand the means of four-sided facets.
    pub points: [Vec<Vector>; 2],
    /// Points of an obstacle where it rests.
    pub rest: Vec<Vector>,
    /// Number in the mesh of each point of the surface.
    pub numbers: Vec<u32>,
    /// Corners of each facet; those with three (two in the plane) repeat the last.
    facets: Vec<[u32; 4]>,
    /// Flat pieces: segments (the last point twice), triangles, and the four triangles of a four-sided facet about its mean.
    pieces: Vec<[u32; 3]>,
    /// Pieces of facet `f`: `first_piece[f]..first_piece[f + 1]`.
    first_piece: Vec<u32>,
    /// Edges in the order of their first facet, and where those of each facet begin.
    pub edges: Vec<Edge>,
    first_edge: Vec<u32>,
    /// Edges of each facet: those of facet `f` are `sides[first_side[f]..first_side[f + 1]]`.
    sides: Vec<u32>,
    first_side: Vec<u32>,
    /// Facets whose means stand behind the points of the surface.
    with_mean: Vec<u32>,
    /// Points in the order of the first facet that has them, and where those of each facet begin.
    owned: Vec<u32>,
    first_owned: Vec<u32>,
    /// Facets at each point: those of point `p` are `around[first_around[p]..first_around[p + 1]]`.
    around: Vec<u32>,
    first_around: Vec<u32>,
    /// Box of each facet over the whole step.
    pub boxes: Vec<Bounds>,
    tree: Bvh,
    built: f64,
    pub bounds: Bounds,
    /// Whether it bounds a solid.
    pub closed: bool,
}

impl Hull {
    /// Growth of the tree's boxes from which it is built anew.
    const DEGRADED: f64 = 2.0;

    /// Of a body: its whole boundary. Facets stand in the order of [`boundary`].
    pub fn of_body(body: &Deformable) -> Self {
        let mut place: HashMap<u32, u32> = HashMap::new();
        let mut numbers = Vec::new();
        let mut facets = Vec::new();
        for facet in boundary(&body.mesh) {
            let corners: Vec<u32> = facet
                .nodes()
                .iter()
                .map(|node| {
                    *place.entry(node.0).or_insert_with(|| {
                        numbers.push(node.0);
                        numbers.len() as u32 - 1
                    })
                })
                .collect();
            facets.push(corners);
        }
        Hull::new(&body.name, body.size(), body.dim(), numbers, &facets)
    }

    /// Of an obstacle that is made of flat faces, with its points where it rests.
    pub fn of_obstacle(obstacle: &Obstacle, size: f64) -> Option<Self> {
        let faces = obstacle.faces()?;
        let numbers = (0..faces.points.len() as u32).collect();
        let dim = faces.facets.first()?.len();
        let mut hull = Hull::new(&obstacle.name, size, dim, numbers, &faces.facets);
        hull.rest = faces.points;
        hull.carry(&[Pose::default(); 2]);
        Some(hull)
    }

    fn new(name: &str, size: f64, dim: usize, numbers: Vec<u32>, facets: &[Vec<u32>]) -> Self {
        let mut edges: Vec<Edge> = Vec::new();
        let mut pieces = Vec::new();
        let mut first_piece = vec![0];
        let mut with_mean = Vec::new();
        let mut middle = numbers.len() as u32;
        let mut known: HashMap<[u32; 2], usize> = HashMap::new();
        for (f, corners) in facets.iter().enumerate() {
            let f = f as u32;
            match corners[..] {
                [a, b] => {
                    pieces.push([a, b, b]);
                    edges.push(Edge { ends: [a, b], facets: [f, f] });
                }
                [a, b, c] => pieces.push([a, b, c]),
                _ => {
                    pieces.extend((0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()], middle]));
                    with_mean.push(f);
                    middle += 1;
                }
            }
            first_piece.push(pieces.len() as u32);
            if corners.len() > 2 {
                for k in 0..corners.len() {
                    let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
                    match known.get(&[a.min(b), a.max(b)]) {
                        Some(&edge) => edges[edge].facets[1] = f,
                        None => {
                            known.insert([a.min(b), a.max(b)], edges.len());
                            edges.push(Edge { ends: [a, b], facets: [f, f] });
                        }
                    }
                }
            }
        }
        let mut owned_by: Vec<(u32, u32)> =
            edges.iter().zip(0..).flat_map(|(edge, k)| edge.facets.map(|facet| (facet, k))).collect();
        owned_by.sort_unstable();
        owned_by.dedup();
        let first_side = begins(facets.len(), owned_by.iter().map(|(facet, _)| *facet));
        let sides = owned_by.into_iter().map(|(_, edge)| edge).collect();
        let rims = edges.iter().any(|edge| edge.facets[0] == edge.facets[1]);
        let first_edge = begins(facets.len(), edges.iter().map(|edge| edge.facets[0]));
        let mut at: Vec<(u32, u32)> =
            facets.iter().zip(0..).flat_map(|(corners, f)| corners.iter().map(move |corner| (*corner, f))).collect();
        at.sort_unstable();
        let first_around = begins(numbers.len(), at.iter().map(|(point, _)| *point));
        let around = at.into_iter().map(|(_, facet)| facet).collect();
        let mut seen = vec![false; numbers.len()];
        let mut owned = Vec::with_capacity(numbers.len());
        let mut first_owned = vec![0];
        for corners in facets {
            owned.extend(corners.iter().filter(|point| !std::mem::replace(&mut seen[**point as usize], true)));
            first_owned.push(owned.len() as u32);
        }
        let last = |corners: &Vec<u32>| std::array::from_fn(|k| corners[k.min(corners.len() - 1)]);
        // a closed line comes to every point as often as it leaves it
        let lines = (0..numbers.len()).all(|point| first_around[point + 1] - first_around[point] == 2);
        let closed = if dim == 2 { lines } else { !rims };
        Hull {
            name: name.into(),
            size,
            dim,
            points: [vec![Vector::zeros(); middle as usize], vec![Vector::zeros(); middle as usize]],
            rest: Vec::new(),
            numbers,
            facets: facets.iter().map(last).collect(),
            pieces,
            first_piece,
            edges,
            first_edge,
            sides,
            first_side,
            with_mean,
            owned,
            first_owned,
            around,
            first_around,
            boxes: vec![Bounds::empty(); facets.len()],
            tree: Bvh::default(),
            built: 0.0,
            bounds: Bounds::empty(),
            closed,
        }
    }

    /// Puts the points of the surface where they are at the start and the end of the step: `place(moment, number)`.
    pub fn place(&mut self, place: impl Fn(usize, usize) -> Vector + Sync) {
        let Hull { points, numbers, .. } = self;
        for (moment, points) in points.iter_mut().enumerate() {
            for (point, number) in points.iter_mut().zip(&*numbers) {
                *point = place(moment, *number as usize);
            }
        }
        self.settle();
    }

    /// Puts an obstacle where it is at the start and the end of the step.
    pub fn carry(&mut self, poses: &[Pose; 2]) {
        for (points, pose) in self.points.iter_mut().zip(poses) {
            points.iter_mut().zip(&self.rest).for_each(|(point, rest)| *point = pose.place(*rest));
        }
        self.settle();
    }

    /// Means of four-sided facets, boxes and tree.
    fn settle(&mut self) {
        let Hull { points, pieces, facets, first_piece, boxes, .. } = self;
        for points in points.iter_mut() {
            for (f, corners) in facets.iter().enumerate() {
                if first_piece[f + 1] - first_piece[f] == 4 {
                    let mean = corners.iter().map(|corner| points[*corner as usize]).sum::<Vector>() / 4.0;
                    points[pieces[first_piece[f] as usize][2] as usize] = mean;
                }
            }
        }
        let [before, after] = points;
        parallel::pairs_of_many(boxes, facets, |_, bounds, corners| {
            let places = corners.iter().flat_map(|corner| [before[*corner as usize], after[*corner as usize]]);
            *bounds = Bounds::around(places);
        });
        self.tree.refit(&self.boxes);
        if self.tree.is_empty() || self.tree.size() > Self::DEGRADED * self.built {
            self.tree = Bvh::new(&self.boxes);
            self.built = self.tree.size();
        }
        self.bounds = self.tree.bounds();
    }

    /// Number of facets.
    pub fn facet_count(&self) -> usize {
        self.facets.len()
    }

    /// Numbers of the points of a facet, sorted: what identifies it within its body.
    pub fn facet_numbers(&self, facet: u32) -> [u32; 4] {
        let mut corners = self.facets[facet as usize].map(|corner| self.numbers[corner as usize]);
        corners.sort_unstable();
        corners
    }

    /// Flat pieces of a facet.
    pub fn pieces(&self, facet: u32) -> &[[u32; 3]] {
        &self.pieces[self.first_piece[facet as usize] as usize..self.first_piece[facet as usize + 1] as usize]
    }

    /// Edges of which a facet is the first.
    pub fn edges_of(&self, facet: u32) -> std::ops::Range<u32> {
        self.first_edge[facet as usize]..self.first_edge[facet as usize + 1]
    }

    /// Points of which a facet is the first.
    pub fn points_of(&self, facet: u32) -> &[u32] {
        &self.owned[self.first_owned[facet as usize] as usize..self.first_owned[facet as usize + 1] as usize]
    }

    /// Whether two facets have a point in common.
    pub fn share_a_point(&self, one: u32, other: u32) -> bool {
        let others = &self.facets[other as usize];
        self.facets[one as usize].iter().any(|point| others.contains(point))
    }

    /// Corners of a facet, each once.
    pub fn corner_points(&self, facet: u32) -> &[u32] {
        let count = if self.dim == 2 { 2 } else { 3 + usize::from(self.pieces(facet).len() == 4) };
        &self.facets[facet as usize][..count]
    }

    /// Places of the corners of a piece, given those of points; a mean is that of the corners of its facet.
    pub fn corners_at(&self, piece: &[u32; 3], at: impl Fn(u32) -> Vector) -> [Vector; 3] {
        piece.map(|point| match self.mean_of(point) {
            Some(facet) => self.middle(facet, &at),
            None => at(point),
        })
    }

    /// The facet whose mean a point is.
    fn mean_of(&self, point: u32) -> Option<u32> {
        (point as usize).checked_sub(self.numbers.len()).map(|k| self.with_mean[k])
    }

    /// Mean of the corners of a facet, given their places.
    pub fn middle(&self, facet: u32, at: impl Fn(u32) -> Vector) -> Vector {
        let corners = self.corner_points(facet);
        corners.iter().map(|corner| at(*corner)).sum::<Vector>() / corners.len() as f64
    }

    /// Outward unit normal of a facet, given the places of its corners.
    pub fn outward(&self, facet: u32, at: impl Fn(u32) -> Vector) -> Vector {
        let normals = self.pieces(facet).iter().map(|piece| normal(self.dim, &self.corners_at(piece, &at)));
        normals.sum::<Vector>().try_normalize(0.0).unwrap_or_else(Vector::zeros)
    }

    /// Edges of a facet.
    pub fn sides(&self, facet: u32) -> &[u32] {
        &self.sides[self.first_side[facet as usize] as usize..self.first_side[facet as usize + 1] as usize]
    }

    /// Edges at a point.
    pub fn edges_at(&self, point: u32) -> Vec<u32> {
        let sides = self.around(point).iter().flat_map(|facet| self.sides(*facet));
        let mut edges: Vec<u32> =
            sides.copied().filter(|edge| self.edges[*edge as usize].ends.contains(&point)).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    fn place_with(&self, facet: u32, weight: impl Fn(u32) -> f64) -> Place {
        let mut weights = [0.0; 4];
        for (w, corner) in weights.iter_mut().zip(self.corner_points(facet)) {
            *w = weight(*corner);
        }
        Place { facet, weights }
    }

    /// A point as a place of the first facet at it.
    pub fn at_point(&self, point: u32) -> Place {
        self.place_with(self.around(point)[0], |corner| f64::from(u8::from(corner == point)))
    }

    /// A place along an edge as one of its first facet.
    pub fn on_edge(&self, edge: u32, share: f64) -> Place {
        let Edge { ends, facets } = self.edges[edge as usize];
        let weight = |corner: u32| match ends.iter().position(|end| *end == corner) {
            Some(0) => 1.0 - share,
            Some(_) => share,
            None => 0.0,
        };
        self.place_with(facets[0], weight)
    }

    /// A place of a piece, by the weights of its corners.
    pub fn in_piece(&self, facet: u32, piece: &[u32; 3], weights: [f64; 3]) -> Place {
        let known = self.numbers.len() as u32;
        let own = |corner: u32| (0..3).filter(|k| piece[*k] == corner).map(|k| weights[k]).sum::<f64>();
        let shared = (0..3).filter(|k| piece[*k] >= known).map(|k| 0.25 * weights[k]).sum::<f64>();
        self.place_with(facet, |corner| own(corner) + shared)
    }

    /// Places of the corners of a piece.
    pub fn corners(&self, moment: usize, piece: &[u32; 3]) -> [Vector; 3] {
        piece.map(|point| self.points[moment][point as usize])
    }

    /// Outward normal of a facet, its length that of a segment or twice the area of its pieces.
    pub fn normal(&self, moment: usize, facet: u32) -> Vector {
        self.pieces(facet).iter().map(|piece| normal(self.dim, &self.corners(moment, piece))).sum()
    }

    /// Cosine of the angle between the outward normals of two facets.
    pub fn bend(&self, moment: usize, [one, other]: [u32; 2]) -> f64 {
        let [n, m] = [one, other].map(|facet| self.normal(moment, facet));
        n.dot(&m) / (n.norm() * m.norm())
    }

    /// Facets at a point.
    pub fn around(&self, point: u32) -> &[u32] {
        &self.around[self.first_around[point as usize] as usize..self.first_around[point as usize + 1] as usize]
    }

    /// By how much a four-sided facet leaves its four triangles at the most.
    pub fn warp(&self, moment: usize, facet: u32) -> f64 {
        if self.pieces(facet).len() != 4 {
            return 0.0;
        }
        let [a, b, c, d] = self.facets[facet as usize].map(|corner| self.points[moment][corner as usize]);
        (a - b + c - d).norm() / 16.0
    }

    /// The most of that among the facets that come as near to a place.
    pub fn warp_near(&self, moment: usize, x: &Vector, distance: f64) -> f64 {
        let mut warp = 0.0f64;
        let around = Bounds { low: *x, high: *x }.inflated(distance);
        self.meeting(&around, |facet| warp = warp.max(self.warp(moment, facet)));
        warp
    }

    /// Calls `each` with every facet whose box meets another.
    pub fn meeting(&self, bounds: &Bounds, mut each: impl FnMut(u32)) {
        self.tree.query(bounds, |facet| {
            if bounds.meets(&self.boxes[facet as usize]) {
                each(facet);
            }
        });
    }

    /// Ends of an edge at one moment.
    pub fn ends(&self, moment: usize, edge: u32) -> [Vector; 2] {
        self.edges[edge as usize].ends.map(|end| self.points[moment][end as usize])
    }

    /// Distance of a place from the facets that count, at one moment.
    pub fn distance(&self, moment: usize, x: &Vector, counts: impl Fn(u32) -> bool) -> f64 {
        let of_facet = |facet: u32| {
            let pieces = self.pieces(facet).iter().filter(|_| counts(facet));
            let nearest = pieces.map(|piece| (x - nearest_on(x, &self.corners(moment, piece))).norm_squared());
            nearest.fold(f64::INFINITY, f64::min)
        };
        self.tree.nearest(x, of_facet).sqrt()
    }
}

/// Where the things of each of `count` owners begin, whose things stand one after the other in the order of the owners.
fn begins(count: usize, owners: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut begins = vec![0u32; count + 1];
    owners.for_each(|owner| begins[owner as usize + 1] += 1);
    (0..count).for_each(|k| begins[k + 1] += begins[k]);
    begins
}

/// Outward normal of a piece: as long as a segment, or twice the area of a triangle.
pub(super) fn normal(dim: usize, [a, b, c]: &[Vector; 3]) -> Vector {
    let along = b - a;
    if dim == 2 { Vector::new(along[1], -along[0], 0.0) } else { along.cross(&(c - a)) }
}
