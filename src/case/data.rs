//! The case as meant: checked, complete with defaults, references resolved to indices. SI units throughout.

use std::path::Path;
use std::sync::Arc;

use super::decode::Located;
use super::diagnostic::{CaseError, Diagnostic, Sources};
pub use super::loads::Boundary;
use super::loads::Turn;
use super::mesh::Mesh;
use super::results::{Expect, Output};
pub use crate::bodies::Rayleigh;
pub use crate::contact::detection::Carrier;
use crate::contact::detection::Coordinate;
pub use crate::contact::detection::Level as ContactLevel;
pub use crate::contact::friction::{Friction, SlipRule};
pub use crate::contact::solvers::{LocalSolver, Step as UzawaStep};
pub use crate::elements::{Formulation, Hourglass, Lumping as MassMatrix};
pub use crate::integrator::{ContactShare, Force as StepForce, Reuse};
pub use crate::materials::{FoamTerm, OgdenTerm};
pub use crate::mesh::generate::{PlaneCells, SolidCells};
use crate::time::TimeFunction;

/// A case that passed every check that needs no mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Stem of the file name; names the result file.
    pub name: String,
    /// File name without folders.
    pub file_name: String,
    /// The case as run: the text of the file, or the changed tree written out if there were `--set` arguments.
    pub text_as_run: String,
    /// The texts the case was read from, for problems found later.
    pub sources: Arc<Sources>,
    /// What the case is called; by default [`Case::name`].
    pub title: String,
    /// Where the case comes from (a paper, a report).
    pub source: Option<String>,
    /// Plane or three-dimensional.
    pub geometry: Geometry,
    /// Thickness of a plane case in metres. Default 1: energies and forces per metre. Always 1 in a solid case.
    pub thickness: f64,
    /// Time interval and scheme.
    pub time: Time,
    /// Materials in the order of the file.
    pub materials: Vec<Material>,
    /// Deformable bodies in the order of the file; at least one.
    pub bodies: Vec<Body>,
    /// Rigid obstacles in the order of the file.
    pub obstacles: Vec<Obstacle>,
    /// Loads and supports in the order of the file.
    pub boundary: Vec<Located<Boundary>>,
    /// Zones that may touch, in the order of the file.
    pub contacts: Vec<Located<Contact>>,
    /// Contacts between obstacles of which one at least has mass.
    pub rigid_contacts: Vec<Located<RigidContact>>,
    /// How contact problems are solved.
    pub contact_solver: ContactSolver,
    /// What is written to the result file.
    pub output: Output,
    /// Values the results must have.
    pub expect: Vec<Located<Expect>>,
}

impl Case {
    /// A problem found after reading, in the format of all others.
    pub fn problem<T>(&self, item: &Located<T>, message: impl Into<String>) -> CaseError {
        self.problems(vec![item.problem(message)])
    }

    /// Several problems found after reading. [`Located::problem`] makes the diagnostics.
    pub fn problems(&self, diagnostics: Vec<Diagnostic>) -> CaseError {
        CaseError::new(Arc::clone(&self.sources), diagnostics)
    }

    /// Number of space dimensions, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.geometry.dimension()
    }

    /// The entries of `contacts`, for people: those with deformable bodies, then those of rigid ones. And the entry of each pair
    /// that may touch: an entry with `*` stands for many.
    pub fn entries(&self) -> (Vec<String>, Vec<usize>) {
        let obstacle = |k: usize| self.obstacles[k].name.value.as_str();
        let surface = |body: usize, set: &str| format!("{}.{set}", self.bodies[body].name.value);
        let zones = self.contacts.iter().map(|contact| {
            let contact = &contact.value;
            let other = match &contact.with {
                Counterpart::Obstacle(k) => obstacle(*k).to_owned(),
                Counterpart::Body { body, set, .. } => surface(*body, &set.value),
            };
            format!("{} on {other}", surface(contact.body, &contact.set.value))
        });
        let rigid = self.rigid_contacts.iter().map(|contact| {
            let [first, second] = contact.value.between.map(obstacle);
            format!("{first} on {second}")
        });
        let paths = self.contacts.iter().map(|c| &c.path).chain(self.rigid_contacts.iter().map(|c| &c.path));
        let (mut names, mut entry_of, mut before): (Vec<(String, usize)>, Vec<usize>, _) =
            (Vec::new(), Vec::new(), None);
        for (pair, path) in zones.chain(rigid).zip(paths) {
            match names.last_mut() {
                Some((_, others)) if before == Some(path) => *others += 1,
                _ => names.push((pair, 0)),
            }
            entry_of.push(names.len() - 1);
            before = Some(path);
        }
        let named = |(pair, others): (String, usize)| match others {
            0 => pair,
            _ => format!("{pair} and {others} more"),
        };
        (names.into_iter().map(named).collect(), entry_of)
    }
}

impl<T> Located<T> {
    /// A diagnostic at the place of this item; `expecting` and `suggesting` add to it.
    pub fn problem(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.place, self.path.clone(), message)
    }
}

/// The stem of a file name, the name of a case.
pub fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// Space of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Geometry {
    /// Plane, no strain across.
    PlaneStrain,
    /// Plane, no stress across.
    PlaneStress,
    /// Revolved about the axis `x = 0`: `r = x`, `z = y`. Masses, forces and energies are those of the whole ring.
    Axisymmetric,
    /// Three-dimensional.
    Solid,
}

impl Geometry {
    /// Number of space dimensions.
    pub fn dimension(self) -> usize {
        match self {
            Geometry::PlaneStrain | Geometry::PlaneStress | Geometry::Axisymmetric => 2,
            Geometry::Solid => 3,
        }
    }
}

/// Time interval, scheme and what to do when a step fails.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// End of the simulated time; it starts at 0.
    pub end: f64,
    /// Step, > 0 and at most `end`; the first one if the step adapts.
    pub step: f64,
    /// How the step adapts. Default not at all.
    pub adaptive: Option<Adaptive>,
    /// Whether the step follows the limit of the explicit scheme; `step` then only says what counts as an instant.
    pub auto: bool,
    /// Time scheme.
    pub scheme: Scheme,
    /// Stopping rule of the Newton iteration.
    pub newton: Newton,
    /// How often a failing step may be halved, 0 to 30. Default 8: a step 256 times smaller that still fails does not
    /// fail for its size.
    pub max_halvings: u32,
}

/// Limits of an adaptive step. After a step that took n Newton iterations the next one is `√(iterations/n)` times as long, at
/// least half and at most one and a half times; frames are met by cutting what is left before them into equal steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptive {
    /// Shortest step. Default a thousandth of the first one.
    pub min: f64,
    /// Longest step.
    pub max: f64,
    /// Newton iterations that keep the length. Default 8.
    pub iterations: u32,
    /// Largest energy the scheme may lose or make in one step, as a share of the largest energy of the run so far (in
    /// bodies and springs, or put in by loads). A step that exceeds it is done again shorter, down to `min`.
    pub energy: Option<f64>,
}

/// Time scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// Load steps without inertia.
    QuasiStatic,
    /// Leapfrog with lumped mass.
    Explicit {
        /// Share of the stable step that a step of length `auto` takes, in (0, 1]. Default 0.9.
        courant: f64,
    },
    /// The two-parameter scheme of Jean: displacement with theta, forces with xi.
    Jean {
        /// Weight of the end velocity in the displacement, in (0, 1]. Default 1/2, second order.
        theta: f64,
        /// Weight of the end forces, in (0, 1]. Default 1/2, no algorithmic loss on linear bodies.
        xi: f64,
        /// How the internal force of a step is formed. Default trapezoidal.
        force: StepForce,
    },
    /// Newmark's scheme.
    Newmark {
        /// Weight of the end acceleration in the displacement, in (0, 1]. Default 1/4.
        beta: f64,
        /// Weight of the end acceleration in the velocity, in [1/2, 1]. Default 1/2, second order.
        gamma: f64,
        /// What becomes of a reaction. Default impulse.
        contact: ContactShare,
    },
    /// The scheme of Hilber, Hughes and Taylor.
    Hht {
        /// Numerical damping, in [0, 1/3]. Default 0.1.
        alpha: f64,
        /// What becomes of a reaction. Default impulse.
        contact: ContactShare,
    },
    /// The generalised-α scheme of Chung and Hulbert.
    GeneralizedAlpha {
        /// Spectral radius at high frequency, in [0, 1]: 1 damps nothing, 0 annihilates. Default 0.8.
        spectral_radius: f64,
        /// What becomes of a reaction. Default impulse.
        contact: ContactShare,
    },
}

/// Stopping rule of the Newton iteration; both relative measures must be met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newton {
    /// Relative residual, in (0, 1e-2]. Default 1e-10.
    pub residual: f64,
    /// Relative increment, in (0, 1e-2]. Default 1e-10.
    pub increment: f64,
    /// Most iterations of a step, 1 to 1000. Default 30.
    pub max_iterations: u32,
    /// When a factor is kept while it contracts. Default without contact.
    pub reuse: Reuse,
}

/// A material.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Its name in the file.
    pub name: Located<String>,
    /// Mass per volume.
    pub density: f64,
    /// Constitutive law.
    pub law: Located<Law>,
    /// Rayleigh damping. Default none.
    pub damping: Rayleigh,
}

/// Constitutive laws.
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// Hooke's law on small strains.
    Linear {
        /// Young's modulus, > 0.
        young: f64,
        /// Poisson's ratio, in (-1, 1/2).
        poisson: f64,
    },
    /// Hooke's law on the Green-Lagrange strain.
    SaintVenantKirchhoff {
        /// Young's modulus, > 0.
        young: f64,
        /// Poisson's ratio, in (-1, 1/2).
        poisson: f64,
    },
    /// Compressible foam rubber.
    BlatzKo {
        /// Shear modulus, > 0.
        shear_modulus: f64,
    },
    /// Compressible neo-Hooke.
    NeoHooke {
        /// Young's modulus of the linear limit, > 0.
        young: f64,
        /// Poisson's ratio of the linear limit, in (-1, 1/2).
        poisson: f64,
    },
    /// Mooney-Rivlin rubber with a decoupled volume.
    MooneyRivlin {
        /// Constant of the first invariant.
        c1: f64,
        /// Constant of the second invariant; c1 + c2 > 0.
        c2: f64,
        /// Bulk modulus, > 0.
        bulk_modulus: f64,
    },
    /// Ogden rubber with a decoupled volume.
    Ogden {
        /// One to eight terms with a positive shear modulus in all.
        terms: Vec<OgdenTerm>,
        /// Bulk modulus, > 0.
        bulk_modulus: f64,
    },
    /// Hill-Storakers foam: one to eight terms with positive shear and bulk modulus in all.
    Hyperfoam(Vec<FoamTerm>),
    /// Metal that yields, with linear isotropic hardening. Explicit scheme only.
    J2 {
        /// Young's modulus, > 0.
        young: f64,
        /// Poisson's ratio, in (-1, 1/2).
        poisson: f64,
        /// Yield stress, > 0.
        yield_stress: f64,
        /// Slope of the yield stress over plastic strain, >= 0. Default 0.
        hardening: f64,
    },
}

impl Law {
    /// The name of the law in a case file.
    pub fn name(&self) -> &'static str {
        match self {
            Law::Linear { .. } => "linear",
            Law::SaintVenantKirchhoff { .. } => "saint_venant_kirchhoff",
            Law::BlatzKo { .. } => "blatz_ko",
            Law::NeoHooke { .. } => "neo_hooke",
            Law::MooneyRivlin { .. } => "mooney_rivlin",
            Law::Ogden { .. } => "ogden",
            Law::Hyperfoam(_) => "hyperfoam",
            Law::J2 { .. } => "j2",
        }
    }
}

/// A deformable body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Its name in the file.
    pub name: Located<String>,
    /// Its mesh.
    pub mesh: Located<Mesh>,
    /// What its cells are made of.
    pub material: BodyMaterial,
    /// Cell sets given by boxes, besides those of the mesh.
    pub cell_sets: Vec<CellBox>,
    /// How elements take the change of volume. Default standard.
    pub formulation: Located<Formulation>,
    /// Hourglass control of `formulation: reduced`. Default stiffness 0.05, viscosity 0.
    pub hourglass: Hourglass,
    /// Initial velocity; third component 0 in the plane.
    pub velocity: [f64; 3],
    /// Initial angular velocity about the centre of mass in rad/s; only the third component in the plane.
    pub angular_velocity: [f64; 3],
    /// Mass matrix.
    pub mass: MassMatrix,
    /// Rotation of the mesh about the body's centre of mass before the start: unit axis and angle in radians.
    pub rotation: Option<([f64; 3], f64)>,
    /// Rayleigh damping in place of that of the material.
    pub damping: Option<Rayleigh>,
}

/// Materials of a body: one for all cells, and others for cell sets.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyMaterial {
    /// Index into [`Case::materials`] of all cells that no set claims.
    pub default: usize,
    /// Cell sets with their index into [`Case::materials`]. Not checked yet: the mesh decides.
    pub sets: Vec<(Located<String>, usize)>,
}

/// Cells whose centre lies in an axis-parallel box of the reference configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct CellBox {
    /// Name of the set.
    pub name: Located<String>,
    /// Lower corner; third component -1 in the plane.
    pub min: [f64; 3],
    /// Upper corner; third component 1 in the plane.
    pub max: [f64; 3],
}

/// A rigid obstacle, fixed or moved.
#[derive(Debug, Clone, PartialEq)]
pub struct Obstacle {
    /// Its name in the file.
    pub name: Located<String>,
    /// Its shape.
    pub shape: Located<Shape>,
    /// Where the shape is put. Default where its own coordinates put it.
    pub place: Placement,
    /// How it moves from there. Default not at all.
    pub motion: Option<Motion>,
    /// What makes it a body with mass. Default nothing.
    pub inertial: Option<Inertial>,
}

/// Mass of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mass {
    /// All of it, in the plane that of the whole thickness.
    Total(f64),
    /// That of its volume.
    Density(f64),
}

/// What makes an obstacle a body with mass.
#[derive(Debug, Clone, PartialEq)]
pub struct Inertial {
    /// Its mass.
    pub mass: Located<Mass>,
    /// Centre of mass at rest. Default that of the shape, or the point of a half space.
    pub centre: Option<[f64; 3]>,
    /// Moments of inertia about the centre along the axes of space at rest; in the plane the last. Default those of the shape.
    pub inertia: Option<[f64; 3]>,
    /// Which unknowns are free: along the axes, then about them. Default all.
    pub free: Vec<bool>,
    /// Initial velocity of the centre.
    pub velocity: [f64; 3],
    /// Initial spin.
    pub angular_velocity: [f64; 3],
    /// Force at the centre along each axis.
    pub force: [TimeFunction; 3],
    /// Torque about each axis of space; in the plane the first.
    pub torque: [TimeFunction; 3],
    /// Springs to ground along each axis.
    pub springs: [f64; 3],
    /// Dashpots to ground along each axis.
    pub dashpots: [f64; 3],
}

/// Prescribed motion of an obstacle: turned about an axis, then shifted.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Shift along each axis.
    pub shift: [Coordinate; 3],
    /// A point of the axis of rotation, its direction and the turn (an angle in degrees or a rate in rad/s).
    pub rotation: Option<([f64; 3], [f64; 3], Turn)>,
}

/// Shape of an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Everything on the side of a plane that its normal points away from.
    HalfSpace {
        /// A point of the surface; third component 0 in the plane.
        point: [f64; 3],
        /// Unit normal, out of the solid.
        normal: [f64; 3],
    },
    /// A simple polygon with non-zero area, with holes or without. Plane cases only.
    Polygon {
        /// Its outline, counter-clockwise whichever way it was typed.
        outer: Vec<[f64; 2]>,
        /// Its holes, clockwise whichever way they were typed; within the outline and apart from each other.
        holes: Vec<Vec<[f64; 2]>>,
        /// Whether bodies are within the outline instead of outside; the holes are then islands.
        inside: bool,
    },
    /// Open polylines that neither cross themselves nor each other, solid on the left of travel: with the tangent t the
    /// outward normal is (t_y, -t_x). Plane cases only.
    Chains(Vec<Vec<[f64; 2]>>),
    /// A rectangle or box along the axes; third components 0 in the plane.
    Box {
        /// Lower corner.
        min: [f64; 3],
        /// Upper corner, larger in every component of the space.
        max: [f64; 3],
        /// Whether bodies are within it instead of outside.
        inside: bool,
    },
    /// A circle (plane cases) or sphere (solid cases).
    Ball {
        /// Centre; third component 0 in the plane.
        centre: [f64; 3],
        /// Radius, > 0.
        radius: f64,
        /// Whether bodies are within it instead of outside.
        inside: bool,
    },
    /// Everything within a radius of a segment.
    Capsule {
        /// Ends of the segment, not equal; third components 0 in the plane.
        ends: [[f64; 3]; 2],
        /// Radius, > 0.
        radius: f64,
        /// Whether bodies are within it instead of outside.
        inside: bool,
    },
    /// A cylinder without end. Solid cases only.
    EndlessCylinder {
        /// A point of the axis.
        point: [f64; 3],
        /// Unit vector along the axis.
        direction: [f64; 3],
        /// Radius, > 0.
        radius: f64,
        /// Whether bodies are within it instead of outside.
        inside: bool,
    },
    /// A cylinder or cone with flat ends. Solid cases only.
    Revolved {
        /// Centre of the first end.
        point: [f64; 3],
        /// Unit vector to the other end.
        direction: [f64; 3],
        /// Distance of the ends, > 0.
        length: f64,
        /// Radii of the ends: the first > 0, the second >= 0.
        radii: [f64; 2],
        /// Whether bodies are within it instead of outside.
        inside: bool,
    },
    /// A triangulated surface from a file. Solid cases only.
    Surface {
        /// The file.
        source: SurfaceSource,
        /// Whether bodies are within it instead of outside.
        inside: bool,
    },
}

/// A file of triangles; a relative path starts at the folder of the case file.
#[derive(Debug, Clone, PartialEq)]
pub enum SurfaceSource {
    /// STL, text or binary.
    Stl(Located<String>),
    /// Gmsh 4.1: surface cells, or the outer faces of solid cells.
    Gmsh {
        /// The file.
        file: Located<String>,
        /// Physical group whose cells are taken.
        group: Option<String>,
    },
}

/// Where a shape is put: turned about a point, then shifted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Placement {
    /// Rotation vector: angle in radians times unit axis.
    pub turn: [f64; 3],
    /// Point that the rotation leaves where it is.
    pub about: [f64; 3],
    /// Shift after it.
    pub shift: [f64; 3],
}

/// What a body may touch.
#[derive(Debug, Clone, PartialEq)]
pub enum Counterpart {
    /// Index into [`Case::obstacles`].
    Obstacle(usize),
    /// A surface of another body, or of the same.
    Body {
        /// Index into [`Case::bodies`].
        body: usize,
        /// Its face set.
        set: Located<String>,
        /// Whose nodes are held by the other's facets.
        slave: Slave,
        /// Whether the nodes of either side are held by the facets of the other.
        two_passes: bool,
        /// Whether nodes that start inside are moved out before the start.
        push_out: bool,
    },
}

/// Whose nodes are held, where two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slave {
    /// Those of the finer surface; of two alike, of the first.
    Auto,
    /// Those of the first body of the pair.
    First,
    /// Those of the second.
    Second,
}

/// A zone in which a body may touch something.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Index into [`Case::bodies`].
    pub body: usize,
    /// Face set of the body. Not checked yet: the mesh decides. Its place is that of the text `body.set`.
    pub set: Located<String>,
    /// What it may touch.
    pub with: Counterpart,
    /// Coulomb's law. Default no friction.
    pub friction: Friction,
    /// First axis of orthotropic friction, as things stand at the start, and what carries it.
    pub grain: Option<([f64; 3], Carrier)>,
    /// On what the contact condition is imposed. Default position: no penetration.
    pub level: ContactLevel,
    /// Newton's coefficient of restitution, at velocity level.
    pub restitution: f64,
    /// Distance within which contacts are looked for, in metres.
    pub search: Option<f64>,
}

/// Two obstacles that may touch, one of them at least with mass.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidContact {
    /// Indices into [`Case::obstacles`], first one with mass.
    pub between: [usize; 2],
    /// Coulomb's coefficient, >= 0. Default 0.
    pub friction: f64,
    /// On what the contact condition is imposed. Default position: no penetration.
    pub level: ContactLevel,
    /// Newton's coefficient of restitution, at velocity level.
    pub restitution: f64,
    /// Distance within which contacts are looked for, in metres.
    pub search: Option<f64>,
}

/// How contact problems are solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSolver {
    /// The method.
    pub method: ContactMethod,
    /// Tolerance on the common error measure, in (0, 1e-2]. Default 1e-10.
    pub tolerance: f64,
    /// Most sweeps, corrections or Newton steps. Default 10 000; 100 000 for first-order methods, 500 for Newton's.
    pub max_iterations: u32,
    /// Whether a run goes on with what the solver reached where it does not converge, instead of cutting the step.
    pub go_on: bool,
    /// How the contact operator is handed to the solver. Default auto.
    pub operator: ContactOperator,
}

/// Ways to hand over the contact operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactOperator {
    /// By products where a body has many contact displacements, otherwise as a matrix.
    Auto,
    /// As a matrix.
    Stored,
    /// By products through the bodies' factors.
    MatrixFree,
}

/// Contact solvers with the options of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ContactMethod {
    /// Contact by contact.
    GaussSeidel(LocalSolver),
    /// Predictor-corrector on the bipotential.
    Uzawa {
        /// Factor on the projection step that the solver derives from the problem, in (0, 2]. Default 1.
        rho: f64,
        /// How that step is derived.
        step: UzawaStep,
    },
    /// Predictor and two corrections, with adaptive steps.
    Extragradient,
    /// Accelerated projected gradient inside De Saxce's loop.
    ProjectedGradient,
    /// All points at once, shared among threads.
    Jacobi,
    /// Semismooth Newton on Alart and Curnier's form, with a proximal term.
    Newton,
    /// The same on the natural map of the bi-potential.
    BipotentialNewton,
    /// Gauss-Seidel that hands over to Newton where it contracts too slowly.
    Hybrid,
}
