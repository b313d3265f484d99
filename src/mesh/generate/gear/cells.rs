//! The structured mesh of a gear, tooth by tooth. The profile of a tooth is cut in the middle of its fillets. What stands above is one
//! block of cells from flank to flank, what lies below one block from the profile to the hub; the line between them leaves the
//! profile at a right angle and sags into the rim. Four cells meet at every node inside, and all nodes of the surface lie on the
//! exact profile.

use std::f64::consts::PI;

use super::super::super::surface::{boundary, name_sets};
use super::super::super::{CellKind, Facet, Mesh, MeshError, NodeId};
use super::super::{id, limited, resolved};
use super::profile::{Profile, turn};
use super::{GearCells, SpurGear};

/// A meshed gear.
#[derive(Debug, Clone)]
pub struct GearMesh {
    /// Nodes, cells and sets.
    pub mesh: Mesh,
    /// The exact profile.
    pub profile: Profile,
    /// The teeth that are meshed, counter-clockwise.
    pub teeth: Vec<Tooth>,
}

/// Nodes of a tooth's surface.
#[derive(Debug, Clone)]
pub struct Tooth {
    /// Its number, counted counter-clockwise from the tooth on the x axis.
    pub number: i32,
    /// From the middle of the space to the tip corner: left side, then right side.
    pub sides: [Vec<NodeId>; 2],
}

/// Points of one tooth in its own coordinates. The upper block holds rows from the dividing line to the tip, each from left to right;
/// the lower one rows from the profile to the hub, from the left space to the right one.
struct Sector {
    /// Parameters along the left side: where the involute begins is point `fillet`.
    upper: Vec<Vec<[f64; 2]>>,
    lower: Vec<Vec<[f64; 2]>>,
}

impl GearMesh {
    /// Meshes a gear.
    pub fn new(gear: &SpurGear) -> Result<Self, MeshError> {
        gear.plausible()?;
        let profile = Profile::new(gear)?;
        let cells = gear.cells;
        let columns = (cells.across + 2 * lower_part(cells.fillet)) as u128;
        let rows = (cells.flank + cells.fillet) as u128;
        let boxes = (columns * cells.rim as u128 + rows * cells.across as u128) * cells.modelled as u128;
        limited(boxes + boxes / 2, boxes, 1)?;
        resolved((profile.tip - profile.root) / (cells.flank.max(cells.across) as f64 * 1e3), profile.tip)?;
        let sector = sector(gear, &profile);
        let mut made = Assembly::new(&sector, cells, gear.teeth);
        for k in 0..cells.modelled {
            made.tooth(k, &sector);
        }
        let Assembly { mesh, teeth, .. } = made;
        let mut made = GearMesh { mesh, profile, teeth };
        made.name_sides(gear);
        Ok(made)
    }

    /// Names the parts of the surface.
    fn name_sides(&mut self, gear: &SpurGear) {
        let fillet = gear.cells.fillet;
        let mut side = vec![0u8; self.mesh.node_count()];
        for tooth in &self.teeth {
            for (mark, nodes) in [1, 2].into_iter().zip(&tooth.sides) {
                nodes[..=fillet].iter().for_each(|n| side[n.index()] |= mark);
                nodes[fillet..].iter().for_each(|n| side[n.index()] |= mark << 2);
            }
        }
        let all = |facet: &Facet, mark: u8| facet.nodes().iter().all(|n| side[n.index()] & mark != 0);
        let radius = |node: &NodeId| self.mesh.nodes[node.index()][0].hypot(self.mesh.nodes[node.index()][1]);
        let half_height = 0.5 * (self.profile.root + self.profile.tip);
        let mut sets: std::collections::BTreeMap<&str, Vec<Facet>> = Default::default();
        for facet in boundary(&self.mesh) {
            let at_hub = facet.nodes().iter().all(|n| (radius(n) - gear.hub).abs() < 1e-6 * gear.hub);
            let name = match facet {
                _ if all(&facet, 1) => "left_fillets",
                _ if all(&facet, 2) => "right_fillets",
                _ if all(&facet, 4) => "left_flanks",
                _ if all(&facet, 8) => "right_flanks",
                _ if at_hub => "hub",
                _ if facet.nodes().iter().all(|n| radius(n) > half_height) => "tips",
                _ => "ends",
            };
            sets.entry(name).or_default().push(facet);
        }
        self.mesh.face_sets.extend(sets.into_iter().map(|(name, facets)| (name.to_owned(), facets)));
        name_sets(&mut self.mesh, &[]);
    }
}

/// Segments of a fillet below the dividing line.
fn lower_part(fillet: usize) -> usize {
    fillet / 2
}

/// Mesh under construction: tooth after tooth, neighbours share the nodes in the middle of their space.
struct Assembly {
    mesh: Mesh,
    teeth: Vec<Tooth>,
    cells: GearCells,
    total: usize,
    /// Nodes along the right end of the last tooth, and along the left end of the first.
    last: Vec<NodeId>,
    first: Vec<NodeId>,
}

impl Assembly {
    fn new(sector: &Sector, cells: GearCells, total: usize) -> Self {
        let size = sector.lower.iter().chain(&sector.upper).map(Vec::len).sum::<usize>();
        let mesh = Mesh::new(Vec::with_capacity(size * cells.modelled));
        Assembly { mesh, teeth: Vec::new(), cells, total, last: Vec::new(), first: Vec::new() }
    }

    fn push(&mut self, place: [f64; 2], frame: (f64, f64)) -> NodeId {
        let [x, y] = turn(place, frame);
        self.mesh.nodes.push([x, y, 0.0]);
        id(self.mesh.nodes.len() - 1)
    }

    /// Adds tooth `k` of those that are meshed, clockwise from the first one: its left end is the right end of the one before.
    fn tooth(&mut self, k: usize, sector: &Sector) {
        let number = self.cells.teeth().end() - k as i32;
        let frame = (std::f64::consts::TAU * f64::from(number) / self.total as f64).sin_cos();
        let closes = k + 1 == self.total;
        let mut lower: Vec<Vec<NodeId>> = Vec::new();
        for (row, places) in sector.lower.iter().enumerate() {
            let end = places.len() - 1;
            let mut nodes = Vec::with_capacity(places.len());
            for (column, place) in places.iter().enumerate() {
                nodes.push(match column {
                    0 if k > 0 => self.last[row],
                    _ if column == end && closes => self.first[row],
                    _ => self.push(*place, frame),
                });
            }
            lower.push(nodes);
        }
        let below = lower_part(self.cells.fillet);
        let mut upper: Vec<Vec<NodeId>> = vec![lower[0][below..=below + self.cells.across].to_vec()];
        for places in &sector.upper[1..] {
            upper.push(places.iter().map(|place| self.push(*place, frame)).collect());
        }
        for (rows, downwards) in [(&lower, true), (&upper, false)] {
            for pair in rows.windows(2) {
                self.cells_between(&pair[0], &pair[1], downwards);
            }
        }
        self.last = lower.iter().map(|row| row[row.len() - 1]).collect();
        if k == 0 {
            self.first = lower.iter().map(|row| row[0]).collect();
        }
        let above = |column: usize| upper[1..].iter().map(move |row| row[column]);
        let left = lower[0][..=below].iter().copied().chain(above(0)).collect();
        let right =
            lower[0][below + self.cells.across..].iter().rev().copied().chain(above(self.cells.across)).collect();
        self.teeth.push(Tooth { number, sides: [left, right] });
    }

    /// Cells between two rows that run from left to right: the second lies nearer to the hub, or else nearer to the tip.
    fn cells_between(&mut self, one: &[NodeId], other: &[NodeId], downwards: bool) {
        for c in 1..one.len() {
            // seen with the tip up, left flank on the left: left to right is clockwise about the centre
            let quad = match downwards {
                true => [one[c - 1], other[c - 1], other[c], one[c]],
                false => [other[c - 1], one[c - 1], one[c], other[c]],
            };
            self.mesh.push_cell(CellKind::Quad4, &quad);
        }
    }
}

fn sector(gear: &SpurGear, profile: &Profile) -> Sector {
    let cells = gear.cells;
    let below = lower_part(cells.fillet);
    let split = 0.5 * profile.fillet_start();
    let flank = flank(profile, cells.flank);
    let upper_fillet =
        even(|t| profile.fillet(split + t * (profile.fillet_start() - split)).place, cells.fillet - below);
    let side: Vec<[f64; 2]> = upper_fillet.into_iter().chain(flank.into_iter().skip(1)).collect();
    let shares = shares(profile, cells);
    let base = dividing_line(profile, split, &shares);
    let upper = tooth_block(profile, &side, &base, &shares);
    let space = space(profile, split, below);
    let top: Vec<[f64; 2]> = space
        .iter()
        .copied()
        .take(below)
        .chain(base.iter().copied())
        .chain(space.iter().rev().skip(1).map(|x| mirrored(*x)))
        .collect();
    Sector { upper, lower: rim_block(gear, &top) }
}

fn mirrored([x, y]: [f64; 2]) -> [f64; 2] {
    [x, -y]
}

/// Points of the left flank at equal distances along the involute, `s = L²/2r_b`; the first where it begins.
fn flank(profile: &Profile, segments: usize) -> Vec<[f64; 2]> {
    (0..=segments).map(|k| profile.involute(flank_roll(profile, k, segments)).place).collect()
}

/// Roll length of point `k` of a flank of that many segments.
pub(crate) fn flank_roll(profile: &Profile, k: usize, segments: usize) -> f64 {
    let (from, to) = (profile.form_roll.powi(2), profile.tip_roll.powi(2));
    let part = k as f64 / segments as f64;
    (from * (1.0 - part) + to * part).sqrt()
}

/// Half a space, from its middle to the middle of the fillet: half the root land and the lower part of the fillet.
fn space(profile: &Profile, split: f64, segments: usize) -> Vec<[f64; 2]> {
    let middle = PI / profile.teeth as f64;
    let (land, fillet) = (profile.root_half_angle(), profile.fillet(split).place);
    let corner = profile.fillet(0.0).place;
    let share = land * profile.root / (land * profile.root + (fillet[0] - corner[0]).hypot(fillet[1] - corner[1]));
    let curve = |t: f64| match t < share {
        true => {
            let (sin, cos) = (middle - land * t / share).sin_cos();
            [profile.root * cos, profile.root * sin]
        }
        false => profile.fillet(split * (t - share) / (1.0 - share)).place,
    };
    even(curve, segments)
}

/// Points at equal distances along a curve over `t` from 0 to 1.
fn even(curve: impl Fn(f64) -> [f64; 2], segments: usize) -> Vec<[f64; 2]> {
    let fine = 64 * segments;
    let mut length = vec![0.0; fine + 1];
    let mut before = curve(0.0);
    for k in 1..=fine {
        let next = curve(k as f64 / fine as f64);
        length[k] = length[k - 1] + (next[0] - before[0]).hypot(next[1] - before[1]);
        before = next;
    }
    let at = |part: f64| {
        let wanted = part * length[fine];
        let k = length.partition_point(|s| *s < wanted).clamp(1, fine);
        (k as f64 - (length[k] - wanted) / (length[k] - length[k - 1])) / fine as f64
    };
    let inner = (1..segments).map(|k| curve(at(k as f64 / segments as f64)));
    std::iter::once(curve(0.0)).chain(inner).chain([curve(1.0)]).collect()
}

/// Places across a tooth from 0 to 1, growing geometrically from both flanks: the outermost cells are as thick on the pitch circle as
/// the segments of the flank are long.
fn shares(profile: &Profile, cells: GearCells) -> Vec<f64> {
    let length = (profile.tip_roll.powi(2) - profile.form_roll.powi(2)) / (2.0 * profile.base * cells.flank as f64);
    let width = 2.0 * profile.pitch * profile.half_angle(profile.pitch * profile.pressure_angle.sin());
    let thickness = |ratio: f64, k: usize| ratio.powi(k.min(cells.across - 1 - k) as i32);
    let total = |ratio: f64| (0..cells.across).map(|k| thickness(ratio, k)).sum::<f64>();
    let (mut low, mut high) = (1.0, 4.0);
    for _ in 0..60 {
        let ratio = 0.5 * (low + high);
        if total(ratio) < width / length { low = ratio } else { high = ratio }
    }
    let whole = total(low);
    let mut sum = 0.0;
    let mut places: Vec<f64> = (0..cells.across)
        .map(|k| {
            let place = sum / whole;
            sum += thickness(low, k);
            place
        })
        .collect();
    places.push(1.0);
    places
}

/// From the middle of the left fillet to that of the right one: a cubic that leaves both at right angles.
fn dividing_line(profile: &Profile, split: f64, shares: &[f64]) -> Vec<[f64; 2]> {
    let start = profile.fillet(split);
    let reach = 0.5 * start.place[1];
    let inner: [f64; 2] = std::array::from_fn(|i| start.place[i] - reach * start.normal[i]);
    let corners = [start.place, inner, mirrored(inner), mirrored(start.place)];
    let at = |t: f64| {
        let s = 1.0 - t;
        let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
        std::array::from_fn(|i| weights.iter().zip(&corners).map(|(w, c)| w * c[i]).sum())
    };
    shares.iter().map(|&t| at(t)).collect()
}

/// The tooth above the dividing line by transfinite interpolation between its four sides (Gordon and Hall 1973).
fn tooth_block(profile: &Profile, side: &[[f64; 2]], base: &[[f64; 2]], shares: &[f64]) -> Vec<Vec<[f64; 2]>> {
    let top_angle = profile.involute(profile.tip_roll).place;
    let (radius, half) = (top_angle[0].hypot(top_angle[1]), top_angle[1].atan2(top_angle[0]));
    let top: Vec<[f64; 2]> = shares
        .iter()
        .map(|t| {
            let (sin, cos) = (half * (1.0 - 2.0 * t)).sin_cos();
            [radius * cos, radius * sin]
        })
        .collect();
    let heights: Vec<f64> = {
        let mut sum = 0.0;
        let mut list = vec![0.0];
        list.extend(side.windows(2).map(|w| {
            sum += (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1]);
            sum
        }));
        list.iter().map(|s| s / sum).collect()
    };
    let (n, m) = (side.len() - 1, shares.len() - 1);
    let place = |row: usize, column: usize| {
        let (v, u) = (heights[row], shares[column]);
        let (left, right) = (side[row], mirrored(side[row]));
        std::array::from_fn(|i| {
            (1.0 - u) * left[i] + u * right[i] + (1.0 - v) * base[column][i] + v * top[column][i]
                - (1.0 - v) * ((1.0 - u) * side[0][i] + u * mirrored(side[0])[i])
                - v * ((1.0 - u) * side[n][i] + u * mirrored(side[n])[i])
        })
    };
    let inner = |row: usize, column: usize| match (row, column) {
        (0, _) => base[column],
        (_, 0) => side[row],
        (_, c) if c == m => mirrored(side[row]),
        (r, c) if r == n => top[c],
        _ => place(row, column),
    };
    (0..=n).map(|row| (0..=m).map(|column| inner(row, column)).collect()).collect()
}

/// The rim below a row of points: straight lines to the hub, with cells that grow inwards.
fn rim_block(gear: &SpurGear, top: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let (columns, rows) = (top.len() - 1, gear.cells.rim);
    let middle = PI / gear.teeth as f64;
    let angle = |place: &[f64; 2]| place[1].atan2(place[0]);
    let feet: Vec<[f64; 2]> = top
        .iter()
        .enumerate()
        .map(|(k, place)| {
            // between the angle above and equal spacing, so that no cell is left thin at the hub
            let even = middle * (1.0 - 2.0 * k as f64 / columns as f64);
            let (sin, cos) = match k {
                0 => middle.sin_cos(),
                k if k == columns => (-middle).sin_cos(),
                _ => (0.6 * angle(place) + 0.4 * even).sin_cos(),
            };
            [gear.hub * cos, gear.hub * sin]
        })
        .collect();
    let growth = 1.25f64;
    let whole = growth.powi(rows as i32) - 1.0;
    (0..=rows)
        .map(|row| {
            let part = (growth.powi(row as i32) - 1.0) / whole;
            let between = |(a, b): (&[f64; 2], &[f64; 2])| match row {
                0 => *a,
                r if r == rows => *b,
                _ => std::array::from_fn(|i| (1.0 - part) * a[i] + part * b[i]),
            };
            top.iter().zip(&feet).map(between).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::REFERENCE;
    use super::*;
    use crate::mesh::surface::tests::{flux, measures};

    /// Area inside the exact profile by the boundary, for comparison with that of the mesh.
    #[test]
    fn meshes_are_sound_for_many_gears() {
        for teeth in [16, 20, 47, 120] {
            for (shift, flank, across) in [(0.0, 24, 8), (0.4, 64, 12), (0.15, 192, 20)] {
                for modelled in [1, 5, teeth] {
                    let cells = GearCells { modelled, flank, fillet: 12, across, rim: 6 };
                    let pitch = 0.5 * teeth as f64 * REFERENCE.module;
                    let hub = pitch - 3.0 * REFERENCE.module;
                    let gear = SpurGear {
                        teeth,
                        shift,
                        addendum: 0.8,
                        dedendum: 1.25,
                        cutter_radius: 0.3,
                        hub,
                        cells,
                        ..REFERENCE
                    };
                    let Ok(made) = GearMesh::new(&gear) else {
                        assert!(teeth == 16 && shift == 0.0, "{teeth} teeth, shift {shift}");
                        continue;
                    };
                    let mesh = &made.mesh;
                    let smallest = measures(mesh).into_iter().fold(f64::INFINITY, f64::min);
                    assert!(smallest > 0.0, "{teeth} {shift} {flank}");
                    let area: f64 = measures(mesh).iter().sum();
                    assert!((flux(mesh, &mesh.face_sets["surface"]) - 2.0 * area).abs() < 1e-11 * area);
                    let ends = mesh.face_sets.get("ends").map_or(0, Vec::len);
                    assert_eq!(ends, if modelled == teeth { 0 } else { 2 * cells.rim });
                    let count = modelled * flank;
                    assert_eq!(["left_flanks", "right_flanks"].map(|s| mesh.face_sets[s].len()), [count; 2]);
                    assert_eq!(mesh.face_sets["left_fillets"].len(), modelled * cells.fillet);
                    assert_eq!(mesh.face_sets["tips"].len(), modelled * across);
                }
            }
        }
    }

    /// Without the nodes of its hub the mesh is still one piece: no slit between the sectors.
    #[test]
    fn the_teeth_hang_together() {
        let made = GearMesh::new(&REFERENCE).unwrap();
        let mesh = &made.mesh;
        let mut piece: Vec<usize> = (0..mesh.node_count()).collect();
        fn root(piece: &mut [usize], mut n: usize) -> usize {
            while piece[n] != n {
                piece[n] = piece[piece[n]];
                n = piece[n];
            }
            n
        }
        let hub = &mesh.node_sets["hub"];
        for (_, _, nodes) in mesh.cells() {
            let free: Vec<usize> = nodes.iter().filter(|n| hub.binary_search(n).is_err()).map(|n| n.index()).collect();
            for pair in free.windows(2) {
                let (a, b) = (root(&mut piece, pair[0]), root(&mut piece, pair[1]));
                piece[a] = b;
            }
        }
        let free = (0..mesh.node_count()).filter(|&n| hub.binary_search(&id(n)).is_err());
        let roots: std::collections::BTreeSet<usize> = free.map(|n| root(&mut piece, n)).collect();
        assert_eq!(roots.len(), 1);
    }

    /// Every node of a side lies on the exact curve.
    #[test]
    fn nodes_lie_on_the_profile() {
        let made = GearMesh::new(&REFERENCE).unwrap();
        let (p, cells) = (&made.profile, REFERENCE.cells);
        for tooth in &made.teeth {
            let frame = (-std::f64::consts::TAU * f64::from(tooth.number) / 20.0).sin_cos();
            for (side, sign) in tooth.sides.iter().zip([1.0, -1.0]) {
                assert_eq!(side.len(), cells.fillet + cells.flank + 1);
                for k in 0..=cells.flank {
                    let [x, y, _] = made.mesh.nodes[side[cells.fillet + k].index()];
                    let place = turn([x, y], frame);
                    let exact = p.involute(flank_roll(p, k, cells.flank)).place;
                    assert!((place[0] - exact[0]).hypot(sign * place[1] - exact[1]) < 1e-16 * 200.0);
                }
            }
        }
        assert_eq!(made.teeth.iter().map(|t| t.number).collect::<Vec<_>>(), [2, 1, 0, -1, -2]);
    }
}
