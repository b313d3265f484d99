//! Two surfaces that may touch: what of either is inside the other, and what went through it within the step.

use std::sync::Arc;

use super::caught::Place;
use super::crossing::{Inside, Passage, parts, passages};
use super::hull::{Edge, Hull, nearest_on};
use super::path::{Event, edges_through, is_ridge, points_through, winding};
use super::{Bounded, Feature, Finding, SLIGHT, SMOOTH, Source, THROUGH_CORNERS, Terms, WEDGE};
use crate::contact::detection::{Level, Vector};
use crate::geometry::Bounds;

/// Share of the full angle under which a surface is seen from a place that is clearly outside.
const OUTSIDE: f64 = 1e-6;

/// By how much more than between two corners a warped facet sags from the straight line between two places of its sides: an edge is
/// held where it crosses those.
pub(super) const SAGS: f64 = 4.0;

/// What two surfaces did to each other.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The deepest place of either inside the other, and what that is of.
    pub depth: f64,
    pub deepest: Option<Finding>,
    /// Edges of declared parts that are inside by more than rounding, and of parts that nobody declared.
    pub crossings: usize,
    pub undeclared: Option<Finding>,
    pub undeclared_crossings: usize,
    /// Whether anything is inside by more than the bound.
    pub beyond: bool,
    pub findings: Vec<Finding>,
    /// What came in on the way and has to be held if anything is refused: from which of the two surfaces, who says so, and how.
    pub entries: Vec<(usize, Source, Event)>,
    /// The same of edges that are inside, to be held although so little may be left.
    pub slight: Vec<(usize, Source, Event)>,
    /// Those edges, by the surface they are of.
    inside: Vec<(usize, u32)>,
    /// Places of facets that are inside a shape without any and have to be held.
    pub places: Vec<Place>,
}

/// Two surfaces by their numbers, the law between them, and where they are.
pub(super) struct Couple<'a> {
    pub numbers: [usize; 2],
    pub hulls: [&'a Hull; 2],
    pub terms: &'a [Terms],
}

impl Couple<'_> {
    /// The law under which a facet of the first and one of the second are declared; `way` 1 exchanges the two.
    fn terms(&self, way: usize, [own, others]: [&[u32]; 2]) -> Option<&Terms> {
        self.terms.iter().find(|terms| {
            let holds = |set: &Option<Arc<Vec<bool>>>, facets: &[u32]| {
                set.as_ref().is_none_or(|set| facets.iter().any(|facet| set[*facet as usize]))
            };
            let [a, b] = [&terms.sets[way], &terms.sets[1 - way]];
            let straight = holds(a, own) && holds(b, others);
            // within one body, either set may be that of either facet
            straight || self.numbers[0] == self.numbers[1] && holds(b, own) && holds(a, others)
        })
    }

    /// Whether a facet of the other surface is none of those at a feature of the same body, or beside them.
    fn is_another(&self, way: usize, own: &[u32], facet: u32) -> bool {
        !self.is_alone() || !own.iter().any(|one| self.hulls[way].share_a_point(*one, facet))
    }

    /// Whether a place of some facets of one of the surfaces is inside the other; of a body against itself, inside it twice.
    fn is_inside(&self, way: usize, moment: usize, x: &Vector, own: &[u32]) -> bool {
        let other = self.hulls[1 - way];
        if self.is_alone() { winding(other, moment, x, own) > 1.0 } else { winding(other, moment, x, &[]) > 0.5 }
    }

    /// Whether it is one body against itself.
    fn is_alone(&self) -> bool {
        self.numbers[0] == self.numbers[1]
    }

    /// Size of the smaller body.
    fn size(&self) -> f64 {
        self.hulls[0].size.min(self.hulls[1].size)
    }

    /// Pairs of facets whose boxes meet on the way.
    fn near(&self) -> Vec<(u32, u32)> {
        let [one, other] = self.hulls;
        let alone = self.is_alone();
        let mut near = Vec::new();
        for f in 0..one.facet_count() as u32 {
            let bounds = one.boxes[f as usize].inflated(Bounded::NODES * self.size());
            if bounds.meets(&other.bounds) {
                other.meeting(&bounds, |g| {
                    if !alone || f < g && !one.share_a_point(f, g) {
                        near.push((f, g));
                    }
                });
            }
        }
        near.sort_unstable();
        near
    }

    pub(super) fn look(&self) -> Seen {
        let mut seen = Seen::default();
        let near = self.near();
        if near.is_empty() {
            return seen;
        }
        let mut through = Vec::new();
        for way in 0..2 {
            let (one, other) = (self.hulls[way], self.hulls[1 - way]);
            through.clear();
            for &(f, g) in &near {
                let (own, others) = if way == 0 { (f, g) } else { (g, f) };
                for edge in one.edges_of(own) {
                    passages((one, edge), (other, others), 1, &mut through);
                }
            }
            let order = |a: &Passage, b: &Passage| {
                (a.edge.cmp(&b.edge)).then(a.share.total_cmp(&b.share)).then(b.inwards.cmp(&a.inwards))
            };
            through.sort_unstable_by(order);
            for group in through.chunk_by(|a, b| a.edge == b.edge) {
                self.weigh(way, group, &mut seen);
            }
        }
        for way in 0..2 {
            self.follow(way, &near, &mut seen);
        }
        seen
    }

    /// Judges one edge by the places where it passes through the other surface.
    fn weigh(&self, way: usize, group: &[Passage], seen: &mut Seen) {
        let (one, other) = (self.hulls[way], self.hulls[1 - way]);
        let edge = one.edges[group[0].edge as usize];
        let below = group.iter().map(|passage| passage.below).fold(0.0, f64::max);
        let rounding = Bounded::ROUNDING * self.size();
        let through: Vec<u32> = group.iter().map(|passage| passage.facet).collect();
        let terms = self.terms(way, [&edge.facets, &through]);
        if below <= rounding {
            if terms.is_some() {
                seen.depth = seen.depth.max(below);
            }
            return;
        }
        let counts = |facet: u32| {
            self.is_another(way, &edge.facets, facet)
                && (terms.is_none() || self.terms(way, [&edge.facets, &[facet]]).is_some())
        };
        let Some(inside) = self.inside(way, 1, group, &counts) else { return };
        let depth = inside.depth;
        let Some(terms) = terms else {
            if depth > Bounded::NODES * self.size() {
                seen.undeclared_crossings += 1;
                let feature = Feature::Edge(edge.ends.map(|end| one.numbers[end as usize]));
                seen.undeclared.get_or_insert(self.finding(way, feature, &inside, depth, false));
            }
            return;
        };
        let deepest = inside.ends.into_iter().fold(depth, f64::max);
        if deepest <= 0.0 {
            return;
        }
        if deepest > seen.depth {
            seen.depth = deepest;
            let feature = Feature::Edge(edge.ends.map(|end| one.numbers[end as usize]));
            seen.deepest = Some(self.finding(way, feature, &inside, deepest, false));
        }
        if deepest <= rounding {
            return;
        }
        seen.crossings += 1;
        let mut began = None;
        let mut refuse = |feature: Feature,
                          depth: f64,
                          place: Vector,
                          started: fn(&Inside) -> [f64; 2],
                          end: usize,
                          by_method: bool| {
            seen.beyond = true;
            let at = Inside { depth, place, ..inside };
            let began = *began.get_or_insert_with(|| self.began(way, group[0].edge, &counts));
            let began = began.map_or(0.0, |began| started(&began)[end]);
            // one pass: what came in where a surface was smooth is left alone until it is out
            let by_method = by_method || terms.slave.is_some() && began > Bounded::NODES * self.size();
            let by_method = by_method && !self.is_past_the_middle(way, &at, &counts);
            if by_method || depth > began + rounding {
                seen.findings.push(self.finding(way, feature, &at, depth, by_method));
            }
        };
        let mut let_in = false;
        for end in 0..2 {
            let point = edge.ends[end];
            let (depth, allowed) = (inside.ends[end], terms.lets_node_in(way, one, point));
            let_in |= depth > 0.0 && allowed;
            if depth > Bounded::NODES * self.size() {
                let feature = Feature::Node(one.numbers[point as usize]);
                refuse(feature, depth, one.points[1][point as usize], |began| began.ends, end, allowed);
            }
        }
        if one.dim == 2 && self.tells(way, &inside) {
            return;
        }
        let allowed = let_in || terms.lets_edge_in(way, [one, other], &edge, &inside);
        if depth > Bounded::NODES * self.size() && !allowed {
            seen.inside.push((way, group[0].edge));
            let between = (terms.level == Level::Position).then(|| self.between(way, group[0].edge, &inside)).flatten();
            seen.slight.extend(between.map(|event| (way, terms.source, event)));
        }
        if depth > Bounded::EDGES * self.size() {
            let feature = Feature::Edge(edge.ends.map(|end| one.numbers[end as usize]));
            refuse(feature, depth, inside.place, |began| [began.depth; 2], 0, allowed);
        }
    }

    /// The parts of an edge inside the other surface, if they are really inside; what warped facets sag is left out.
    fn inside(&self, way: usize, moment: usize, group: &[Passage], counts: &impl Fn(u32) -> bool) -> Option<Inside> {
        let (one, other) = (self.hulls[way], self.hulls[1 - way]);
        let own = one.edges[group.first()?.edge as usize].facets;
        let rounding = Bounded::ROUNDING * self.size();
        // places of passage that rounding exchanged are no part; of a warped facet nodes stay in front, edges sag between two corners
        let net = |place: &Vector, depth: f64, sags: f64| depth - sags * other.warp_near(moment, place, depth);
        let is_real = |[place, middle]: [&Vector; 2], depth: f64, sags: f64| {
            let slight = net(place, depth, sags) <= rounding;
            if slight || !other.closed {
                return !(slight && self.is_alone());
            }
            // a node on the rim of what may be touched is neither inside nor outside: the middle of the part tells
            let is_on_rim = || !self.is_alone() && other.distance(moment, place, |_| true) <= rounding;
            self.is_inside(way, moment, place, &own) || is_on_rim() && self.is_inside(way, moment, middle, &own)
        };
        let mut inside = parts((one, other), moment, group, self.is_alone(), counts, is_real)?;
        inside.depth = net(&inside.place, inside.depth, SAGS);
        for (depth, place) in inside.ends.iter_mut().zip(one.ends(moment, group[0].edge)) {
            *depth = net(&place, *depth, 1.0);
        }
        Some(inside)
    }

    /// An edge that lies across the one between the two facets that it is inside of, however it came there.
    fn between(&self, way: usize, edge: u32, inside: &Inside) -> Option<Event> {
        let (one, other) = (self.hulls[way], self.hulls[1 - way]);
        let [first, second] = inside.facets;
        let is_sharp = is_ridge(one, edge);
        let sides = other.sides(first).iter().filter(|side| first != second && other.sides(second).contains(side));
        let theirs = sides.copied().find(|side| one.dim == 3 && (is_sharp || is_ridge(other, *side)))?;
        let (time, inwards, normal, place) = (1.0, true, Vector::zeros(), inside.place);
        let (is_edge, other_edge) = (true, Some(theirs));
        Some(Event { feature: edge, is_edge, facet: first, part: 0, other_edge, time, inwards, normal, place })
    }

    /// Whether in the plane a corner of the other surface, inside here, tells as much by its own segments.
    fn tells(&self, way: usize, inside: &Inside) -> bool {
        let [one, other] = [self.hulls[way], self.hulls[1 - way]];
        let mut corners = inside.facets.iter().flat_map(|facet| other.corner_points(*facet));
        // more than half of the full angle: not one that is on the surface
        corners.any(|corner| winding(one, 1, &other.points[1][*corner as usize], &[]) > 0.75)
    }

    /// How deep an edge was inside at the start of the step.
    fn began(&self, way: usize, edge: u32, counts: &impl Fn(u32) -> bool) -> Option<Inside> {
        let (one, other) = (self.hulls[way], self.hulls[1 - way]);
        let mut through = Vec::new();
        let facets = one.edges[edge as usize].facets;
        other.meeting(&Bounds::around(one.ends(0, edge)), |facet| {
            if self.is_another(way, &facets, facet) {
                passages((one, edge), (other, facet), 0, &mut through);
            }
        });
        through.sort_unstable_by(|a, b| a.share.total_cmp(&b.share).then(b.inwards.cmp(&a.inwards)));
        self.inside(way, 0, &through, counts)
    }

    /// Whether a place is deeper inside than half the thickness of the other surface's body there.
    fn is_past_the_middle(&self, way: usize, inside: &Inside, counts: &impl Fn(u32) -> bool) -> bool {
        let (other, x) = (self.hulls[1 - way], inside.place);
        let around = Bounds { low: x, high: x }.inflated(other.distance(1, &x, counts) * (1.0 + Bounded::ROUNDING));
        let (mut away, mut nearest) = (f64::INFINITY, x);
        other.meeting(&around, |facet| {
            for piece in other.pieces(facet).iter().filter(|_| counts(facet)) {
                let place = nearest_on(&x, &other.corners(1, piece));
                if (place - x).norm() < away {
                    (away, nearest) = ((place - x).norm(), place);
                }
            }
        });
        let Some(inwards) = (x - nearest).try_normalize(0.0) else { return false };
        // the other side is met before the place is as far behind as it is deep; beside a corner there is none
        let way_on = [x, x + inside.depth * inwards];
        let mut is_met = false;
        other.meeting(&Bounds::around(way_on), |facet| {
            let normal = other.normal(1, facet);
            if normal.dot(&inwards) < -WEDGE * normal.norm() {
                return;
            }
            let meets = |piece| super::crossing::passage(other.dim, &way_on, &other.corners(1, piece)).is_some();
            is_met |= other.pieces(facet).iter().any(meets);
        });
        is_met
    }

    fn finding(&self, way: usize, feature: Feature, inside: &Inside, depth: f64, by_method: bool) -> Finding {
        let surfaces = [self.numbers[way], self.numbers[1 - way]];
        let (facet, place) = (inside.facets[0], inside.place);
        Finding { surfaces, feature, facet, depth, place, through: false, by_method }
    }

    /// Judges what went through on the way.
    fn follow(&self, way: usize, near: &[(u32, u32)], seen: &mut Seen) {
        let (one, other) = (self.hulls[way], self.hulls[1 - way]);
        let mut events = Vec::new();
        let tolerance = Bounded::NODES * self.size();
        for &(f, g) in near {
            let (own, others) = if way == 0 { (f, g) } else { (g, f) };
            points_through((one, own), (other, others), tolerance, &mut events);
            if one.dim == 3 && way == 0 {
                edges_through((one, own), (other, others), tolerance, &mut events);
            }
        }
        if !events.iter().any(|event| event.inwards) {
            return;
        }
        events.sort_by(|a, b| (a.is_edge, a.feature).cmp(&(b.is_edge, b.feature)).then(a.time.total_cmp(&b.time)));
        for group in events.chunk_by(|a, b| (a.is_edge, a.feature) == (b.is_edge, b.feature)) {
            let Some(first) = group.iter().position(|event| event.inwards) else { continue };
            let entry = &group[first];
            let own = if entry.is_edge {
                one.edges[entry.feature as usize].facets.to_vec()
            } else {
                one.around(entry.feature).to_vec()
            };
            let Some(terms) = self.terms(way, [&own, &[entry.facet]]) else { continue };
            let exit = group[first..].iter().rev().find(|event| !event.inwards);
            let found = match exit {
                Some(exit) => self.passed(entry, exit),
                None if entry.is_edge => None,
                None => self.stayed(way, entry, terms),
            };
            let leaves = exit.is_some() && found.is_none();
            let held = entry.is_edge || !terms.lets_node_in(way, one, entry.feature);
            if held && !leaves && terms.level == Level::Position {
                for event in group.iter().filter(|event| event.inwards) {
                    let edges = [Some((way, event.feature)), event.other_edge.map(|edge| (1 - way, edge))];
                    let is_inside = event.is_edge && edges.iter().flatten().any(|edge| seen.inside.contains(edge));
                    let entries = if is_inside { &mut seen.slight } else { &mut seen.entries };
                    entries.push((way, terms.source, *event));
                }
            }
            if let Some((depth, place)) = found {
                let feature = match entry.is_edge {
                    true => Feature::Edge(one.edges[entry.feature as usize].ends.map(|end| one.numbers[end as usize])),
                    false => Feature::Node(one.numbers[entry.feature as usize]),
                };
                let surfaces = [self.numbers[way], self.numbers[1 - way]];
                let facet = entry.facet;
                seen.findings.push(Finding { surfaces, feature, facet, depth, place, through: true, by_method: false });
            }
        }
    }

    /// Whether what came in and went out again went through: out of the other side, or far from any corner that it may have cut.
    fn passed(&self, entry: &Event, exit: &Event) -> Option<(f64, Vector)> {
        let middle = 0.5 * (entry.place + exit.place);
        let below = |event: &Event| (event.place - middle).dot(&event.normal);
        let depth = below(entry).min(below(exit));
        let through =
            entry.normal.dot(&exit.normal) < WEDGE && (exit.place - entry.place).norm() > Bounded::EDGES * self.size();
        (through || depth > THROUGH_CORNERS * self.size()).then_some((depth.max(0.0), entry.place))
    }

    /// Whether a point that came in and was not seen to go out is behind the surface, where it must not be.
    fn stayed(&self, way: usize, entry: &Event, terms: &Terms) -> Option<(f64, Vector)> {
        let (one, other) = (self.hulls[way], self.hulls[1 - way]);
        if terms.lets_node_in(way, one, entry.feature) {
            return None;
        }
        let x = one.points[1][entry.feature as usize];
        let own = one.around(entry.feature);
        let counts = |facet: u32| self.is_another(way, own, facet) && self.terms(way, [own, &[facet]]).is_some();
        let depth = other.distance(1, &x, counts) - other.warp(1, entry.facet);
        // one that came in and ends on the rim of what may be touched is on neither side of that
        let behind = match other.closed {
            true if self.is_alone() => self.is_inside(way, 1, &x, own),
            true => winding(other, 1, &x, &[]) > OUTSIDE,
            false => self.is_behind(other, entry.facet, &x),
        };
        (behind && depth > Bounded::NODES * self.size()).then_some((depth, x))
    }

    /// Whether a place lies straight behind a facet at the end of the step.
    fn is_behind(&self, other: &Hull, facet: u32, x: &Vector) -> bool {
        other.pieces(facet).iter().any(|piece| {
            let corners = other.corners(1, piece);
            let n = super::hull::normal(other.dim, &corners);
            let height = n.dot(&(x - corners[0])) / n.norm_squared();
            let foot = x - height * n;
            height < 0.0 && (nearest_on(&foot, &corners) - foot).norm() <= Bounded::NODES * self.size()
        })
    }
}

impl Terms {
    /// Whether it belongs to the method that an edge is inside between its ends: see the guide on what is held.
    fn lets_edge_in(&self, way: usize, [one, other]: [&Hull; 2], edge: &Edge, inside: &Inside) -> bool {
        let (own, others) = (one.bend(1, edge.facets), other.bend(1, inside.facets));
        // in the plane segments do not bend
        let slight = one.dim == 3 && own.max(others) > SLIGHT && own.min(others) > SMOOTH;
        // a node of the master between two of the slave
        self.level != Level::Position || slight || self.slave == Some(way) && others > SMOOTH
    }

    /// The same of a node: one pass holds those of the slave, and of the master's those at sharp edges and corners.
    fn lets_node_in(&self, way: usize, one: &Hull, point: u32) -> bool {
        self.level != Level::Position || self.slave.is_some_and(|slave| slave != way && is_smooth(one, point))
    }
}

/// Whether the facets at a point meet at angles of a smooth surface.
fn is_smooth(hull: &Hull, point: u32) -> bool {
    let around = hull.around(point);
    around.iter().all(|one| around.iter().all(|other| hull.bend(1, [*one, *other]) > SMOOTH))
}
