//! The mesh of a body as a case describes it, and how it is made.

use std::path::{Path, PathBuf};

use super::input;
use crate::mesh::check::{Labels, check};
use crate::mesh::generate::{self, Block, Cylinder, Disc, Extrude, Rectangle, Ring, Sphere, SpurGear, Sweep, Tube};
use crate::mesh::placement::Placement;
use crate::mesh::{self, gmsh};

/// Largest mesh file: beyond it the memory of a workstation ends before the reader does.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// What a mesh is made from, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// Generator or file.
    pub source: Source,
    /// Applied to the reference coordinates: the body is free of stress where it is placed.
    pub placement: Placement,
}

/// Generators and files. Plane ones occur in plane cases and as sections only, solid ones in solid cases only.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A disc: a square core with rings around it.
    Disc(Disc),
    /// A ring between two circles.
    Ring(Ring),
    /// An axis-parallel rectangle.
    Rectangle(Rectangle),
    /// A spur gear.
    SpurGear(SpurGear),
    /// An axis-parallel box.
    Box(Block),
    /// A cylinder with a disc as its section.
    Cylinder(Cylinder),
    /// A tube with a ring as its section.
    Tube(Tube),
    /// A ball.
    Sphere(Sphere),
    /// A plane mesh moved along z.
    Extrude {
        /// The plane mesh.
        section: std::boxed::Box<Mesh>,
        /// Height and cells.
        how: Extrude,
    },
    /// A plane mesh moved along a path.
    Sweep {
        /// The plane mesh.
        section: std::boxed::Box<Mesh>,
        /// Path and cells.
        how: Sweep,
    },
    /// A file written by Gmsh.
    Gmsh {
        /// Path, from the folder of the case file unless it is absolute.
        file: PathBuf,
        /// Physical group whose cells are taken.
        group: Option<String>,
    },
}

impl Mesh {
    /// Makes the mesh in `dim` dimensions. Returns it with what is worth knowing about it.
    ///
    /// # Errors
    /// Why it cannot be made, for the user to read.
    pub fn build(&self, dim: usize, folder: &Path) -> Result<(mesh::Mesh, Vec<String>), String> {
        let text = |error: generate::MeshError| error.to_string();
        let mut labels = Labels::default();
        let mut notes = Vec::new();
        let mut mesh = match &self.source {
            Source::Disc(disc) => generate::disc(disc).map_err(text)?,
            Source::Ring(ring) => generate::ring(ring).map_err(text)?,
            Source::Rectangle(rectangle) => generate::rectangle(rectangle).map_err(text)?,
            Source::SpurGear(gear) => generate::spur_gear(gear).map_err(text)?,
            Source::Box(block) => generate::block(block).map_err(text)?,
            Source::Cylinder(cylinder) => generate::cylinder(cylinder).map_err(text)?,
            Source::Tube(tube) => generate::tube(tube).map_err(text)?,
            Source::Sphere(sphere) => generate::sphere(sphere).map_err(text)?,
            Source::Extrude { section, how } => {
                let (section, from_section) = section.build(2, folder)?;
                notes = from_section;
                generate::extrude(&section, how).map_err(text)?
            }
            Source::Sweep { section, how } => {
                let (section, from_section) = section.build(2, folder)?;
                notes = from_section;
                generate::sweep(&section, how).map_err(text)?
            }
            Source::Gmsh { file, group } => {
                let bytes = input::read(&folder.join(file), MAX_FILE_BYTES)
                    .map_err(|error| format!("{}: {error}", file.display()))?;
                let read = gmsh::read(&bytes, dim, group.as_deref())
                    .map_err(|error| format!("{}: {error}", file.display()))?;
                (labels, notes) = (read.labels, read.notes);
                read.mesh
            }
        };
        self.placement.apply(&mut mesh).map_err(text)?;
        let from_check = check(&mesh, &labels).map_err(|defect| defect.to_string())?;
        notes.extend(from_check.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
        Ok((mesh, notes))
    }
}
