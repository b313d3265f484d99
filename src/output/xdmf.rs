//! The XDMF sidecar: text that points into the HDF5 file, for ParaView versions whose VTKHDF reader knows no time.
//!
//! Every array of every step is a slab of a growing dataset, written into the path text
//! (`file:/path|start:stride:count:shape`), the form of the Xdmf3 readers. ParaView 5.11 takes those by default for
//! `.xdmf` files and crashes on the `HyperSlab` items that only its older `XDMFReader` understands; so `XDMFReader`
//! cannot read this sidecar. XDMF wants mixed cells interleaved with their types: that array is stored once as
//! `/xdmf/topology`.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::field_data::FieldData;
use super::history::{Doing, Fault, History};
use super::vtkhdf::{Field, VtkHdf};
use super::{At, FieldKind, Grid, OutputError};

/// Rewritten at most this often, and after 50 times what the last rewrite cost, so that it stays below 2 % of a run.
const LEAST_WAIT: Duration = Duration::from_secs(2);
const COST_FACTOR: u32 = 50;
/// Text that is written in one go: it is long, and less memory is faster.
const BUFFER: usize = 64 << 10;

/// The sidecar of a result file.
pub(super) struct Sidecar {
    path: PathBuf,
    /// Name of the HDF5 file, relative to the sidecar, ready for XML.
    file: String,
    topology: usize,
    last: Option<(Instant, Duration)>,
}

impl Sidecar {
    /// Stores the interleaved topology. `None` if a cell type has no XDMF form: then there is no sidecar.
    pub(super) fn create(file: &hdf5::File, result: &Path, name: &str, grid: &Grid) -> Result<Option<Self>, Fault> {
        let topology = match interleave(grid) {
            Ok(topology) => topology,
            Err(kind) => {
                log::warn!("{}: VTK cell type {kind} has no XDMF form; no XDMF sidecar is written", result.display());
                return Ok(None);
            }
        };
        file.create_group("xdmf")
            .and_then(|g| g.new_dataset_builder().with_data(&topology).create("topology"))
            .doing(|| "writing /xdmf/topology".to_string())?;
        let path = result.with_extension("xdmf");
        Ok(Some(Self { path, file: escape(name), topology: topology.len(), last: None }))
    }

    /// Whether enough time has passed to write it again.
    pub(super) fn is_due(&self) -> bool {
        self.last.is_none_or(|(at, cost)| at.elapsed() >= LEAST_WAIT.max(cost * COST_FACTOR))
    }

    /// Writes the sidecar for the frames in the file, under a temporary name first.
    pub(super) fn write(&mut self, vtk: &VtkHdf, data: &FieldData, history: &History) -> Result<(), OutputError> {
        let start = Instant::now();
        let mut part = self.path.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        let done = std::fs::File::create(&part)
            .and_then(|file| self.text(vtk, data, history.stored_rows(), &mut BufWriter::with_capacity(BUFFER, file)))
            .and_then(|()| std::fs::rename(&part, &self.path));
        self.last = Some((Instant::now(), start.elapsed()));
        done.map_err(|source| {
            // Whatever is left of it is of no use.
            let _ = std::fs::remove_file(&part);
            OutputError::Io { path: self.path.clone(), what: "cannot write the XDMF sidecar", source }
        })
    }

    fn text(&self, vtk: &VtkHdf, data: &FieldData, rows: usize, out: &mut impl Write) -> io::Result<()> {
        let (steps, points, cells) = (vtk.committed(), vtk.n_points, vtk.n_cells);
        // All but the first row of each slab is the same in every step: the text is long, and numbers are slow to print.
        let mesh = format!(
            "<Topology TopologyType=\"Mixed\" NumberOfElements=\"{cells}\">\n\
             <DataItem Dimensions=\"{n}\" NumberType=\"Int\" Precision=\"8\" Format=\"HDF\">{file}:/xdmf/topology\
             </DataItem>\n</Topology>\n<Geometry GeometryType=\"XYZ\">\n",
            n = self.topology,
            file = self.file,
        );
        let place = self.slab("/VTKHDF/Points", FieldKind::Float, points, 3, steps * points);
        let fields: Vec<[String; 2]> = vtk.fields.iter().map(|field| self.field(field, points, cells)).collect();
        let ledger: Vec<[String; 2]> = data
            .ledger()
            .iter()
            .map(|name| {
                let name = escape(name);
                let slab = self.slab(&format!("/history/{name}"), FieldKind::Float, 1, 1, rows);
                attribute(&name, "Scalar", "Grid", slab)
            })
            .collect();
        out.write_all(b"<?xml version=\"1.0\" ?>\n<Xdmf Version=\"2.0\">\n<Domain>\n")?;
        out.write_all(b"<Grid Name=\"impakt\" GridType=\"Collection\" CollectionType=\"Temporal\">\n")?;
        let put = |out: &mut dyn Write, [before, after]: &[String; 2], first: usize| {
            out.write_all(before.as_bytes())?;
            write!(out, "{first}")?;
            out.write_all(after.as_bytes())
        };
        for (step, time) in vtk.times().iter().take(steps).enumerate() {
            write!(out, "<Grid Name=\"step {step}\" GridType=\"Uniform\">\n<Time Value=\"{time:?}\"/>\n{mesh}")?;
            put(out, &place, step * points)?;
            out.write_all(b"</Geometry>\n")?;
            for (field, text) in vtk.fields.iter().zip(&fields) {
                put(out, text, field.starts.get(step).map_or(0, |s| *s as usize))?;
            }
            for text in &ledger {
                put(out, text, data.row(step))?;
            }
            out.write_all(b"</Grid>\n")?;
        }
        out.write_all(b"</Grid>\n</Domain>\n</Xdmf>\n")?;
        out.flush()
    }

    /// The text of a field before and after the row it starts at.
    fn field(&self, field: &Field, points: usize, cells: usize) -> [String; 2] {
        let spec = &field.spec;
        let (centre, home, count) = match spec.at {
            At::Points => ("Node", "PointData", points),
            At::Cells => ("Cell", "CellData", cells),
        };
        let name = escape(&spec.name);
        let path = format!("/VTKHDF/{home}/{name}");
        let slab = self.slab(&path, spec.kind, count, spec.components, field.stored_rows() as usize);
        attribute(&name, if spec.components == 3 { "Vector" } else { "Scalar" }, centre, slab)
    }

    /// `count` rows of a dataset of `all` rows with `n` numbers each: the text before and after the first of them.
    fn slab(&self, path: &str, kind: FieldKind, count: usize, n: usize, all: usize) -> [String; 2] {
        let kind = match kind {
            FieldKind::Float => "NumberType=\"Float\" Precision=\"8\"",
            FieldKind::Int32 => "NumberType=\"Int\" Precision=\"4\"",
        };
        let (shape, after) = if n == 1 {
            (format!("{count}"), format!(":1:{count}:{all}</DataItem>\n"))
        } else {
            (format!("{count} {n}"), format!(" 0:1 1:{count} {n}:{all} {n}</DataItem>\n"))
        };
        [format!("<DataItem Format=\"HDF\" Dimensions=\"{shape}\" {kind}>{}:{path}|", self.file), after]
    }
}

/// A slab as an attribute of the grid.
fn attribute(name: &str, kind: &str, centre: &str, [before, after]: [String; 2]) -> [String; 2] {
    [
        format!("<Attribute Name=\"{name}\" AttributeType=\"{kind}\" Center=\"{centre}\">\n{before}"),
        after + "</Attribute>\n",
    ]
}

/// Cell types and points in one array, as XDMF's mixed topology has it; the VTK type that has no counterpart on error.
fn interleave(grid: &Grid) -> Result<Vec<i64>, u8> {
    let mut all = Vec::with_capacity(grid.connectivity.len() + 2 * grid.cell_types.len());
    for (kind, ends) in grid.cell_types.iter().zip(grid.offsets.windows(2)) {
        let cell = &grid.connectivity[ends[0] as usize..ends[1] as usize];
        // XDMF number, and whether the number of points follows it.
        let (number, counted) = match kind {
            1 | 2 => (1, true),  // vertices
            3 | 4 => (2, true),  // line, polyline
            5 => (4, false),     // triangle
            7 => (3, true),      // polygon
            9 => (5, false),     // quadrilateral
            10 => (6, false),    // tetrahedron
            12 => (9, false),    // hexahedron
            13 => (8, false),    // wedge
            14 => (7, false),    // pyramid
            21 => (0x22, false), // quadratic line
            22 => (0x24, false), // quadratic triangle
            23 => (0x25, false), // quadratic quadrilateral, 8 points
            24 => (0x26, false), // quadratic tetrahedron
            25 => (0x30, false), // quadratic hexahedron, 20 points
            28 => (0x23, false), // quadratic quadrilateral, 9 points
            29 => (0x32, false), // quadratic hexahedron, 27 points
            _ => return Err(*kind),
        };
        all.push(number);
        if counted {
            all.push(cell.len() as i64);
        }
        all.extend_from_slice(cell);
    }
    Ok(all)
}

/// Text inside XML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
