//! From an obstacle of a case to the shape that contact looks at.

use std::path::Path;

use nalgebra::Unit;

use super::data::{self, SurfaceSource};
use super::diagnostic::Diagnostic;
use super::input;
use super::loads::Turn;
use crate::geometry::{Coordinate, Motion, Obstacle, Pose, Surface};
use crate::mesh::{gmsh, stl};
use crate::time::TimeFunction;

/// The obstacle, placed.
pub(super) fn build(case: &data::Case, obstacle: &data::Obstacle) -> Result<Obstacle, Box<Diagnostic>> {
    let shape = match &obstacle.shape.value {
        data::Shape::Made(shape) => (**shape).clone(),
        data::Shape::Triangles { source, inside } => surface(case, source, *inside)?.into(),
    };
    let place = obstacle.place;
    let pose = Pose::new(place.turn.into(), place.about.into(), place.shift.into());
    // the motion of a body with mass is that of its guides
    let motion = obstacle.motion.as_ref().filter(|_| obstacle.carrier.is_none()).map(motion);
    Ok(Obstacle { name: obstacle.name.value.clone(), shape, pose, motion })
}

fn motion(motion: &data::Motion) -> Motion {
    let degrees = 1f64.to_radians();
    let (centre, axis, angle) = match &motion.rotation {
        None => ([0.0; 3], [0.0, 0.0, 1.0], Coordinate::Place(TimeFunction::ZERO)),
        Some((centre, axis, Turn::Angle(angle))) => (*centre, *axis, Coordinate::Place(angle.times(degrees))),
        Some((centre, axis, Turn::Rate(rate))) => (*centre, *axis, Coordinate::Rate(rate.clone())),
    };
    Motion { shift: motion.shift.clone(), centre: centre.into(), axis: Unit::new_normalize(axis.into()), angle }
}

/// Largest file of triangles: five million of them as STL.
const MAX_SURFACE_BYTES: u64 = 250_000_084;

/// A surface from a file; the path starts at the folder of the case.
fn surface(case: &data::Case, source: &SurfaceSource, inside: bool) -> Result<Surface, Box<Diagnostic>> {
    let (SurfaceSource::Stl(file) | SurfaceSource::Gmsh { file, .. }) = source;
    let folder = Path::new(&case.sources.file).parent().unwrap_or(Path::new(""));
    let path = folder.join(&file.value);
    let problem = |message: String| Box::new(file.problem(format!("{}: {message}", path.display())));
    let bytes = input::read(&path, MAX_SURFACE_BYTES).map_err(&problem)?;
    let triangles = match source {
        SurfaceSource::Stl(_) => stl::parse(&bytes).map_err(|error| problem(error.to_string()))?,
        SurfaceSource::Gmsh { group, .. } => {
            gmsh::triangles(&bytes, group.as_deref()).map_err(|error| problem(error.to_string()))?
        }
    };
    Surface::new(&triangles, inside).map_err(|error| problem(error.to_string()))
}
