//! Broken case files: each must be refused with the place, the key path and the reason, and none may bring the reader
//! down. The good case below is complete, so that every section can be broken by one replacement; line and column are
//! those a user would look for.

use impakt::case::{Boundary, CaseError, ContactMethod, Counterpart, Field, Geometry, Shape, parse, read};
use impakt::geometry::{AnyShape, HalfSpace, Vector};

const GOOD: &str = "\
title: Foam cylinder in a V-groove
geometry: plane_strain
thickness: 1.0
time:
  end: 3.0e-3
  step: 1.0e-5
  scheme: { jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }
  newton: { residual: 1e-10, increment: 1e-10, max_iterations: 30 }
  max_halvings: 8
materials:
  foam: { density: 700.0, law: { blatz_ko: { shear_modulus: 3.0e6 } } }
  steel: { density: 7800.0, law: { linear: { young: 2.1e11, poisson: 0.3 } } }
bodies:
  cylinder:
    mesh: { disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }
    material: foam
    velocity: [0.0, -30.0]
    angular_velocity: 5.0
    mass: consistent
  block:
    mesh: { rectangle: { min: [0.1, 0.0], max: [0.2, 0.1], divisions: [4, 4] } }
    material: steel
obstacles:
  right: { shape: { polygon: [[0.005, 0.0], [0.015, 0.0], [0.015, 0.035], [0.012, 0.035]] } }
  floor: { shape: { half_space: { point: [0.0, 0.0], normal: [0.0, 2.0] } } }
  ramp: { shape: { chain: [[1.0, 0.0], [0.0, 0.0], [-1.0, 1.0]] } }
  step: { shape: { box: { min: [0.0, 0.0], max: [1.0, 1.0] } } }
boundary:
  - { gravity: [0.0, -9.81] }
  - { fixed: { on: block.bottom, axes: [x, y] } }
contacts:
  - { between: [cylinder.surface, right], friction: 0.2, level: position, search: 0.01 }
  - { between: [floor, cylinder], friction: 0 }
contact_solver: { uzawa: { tolerance: 1.0e-10, max_iterations: 1000, rho: 1.0 } }
output:
  every: 1.0e-5
  fields: [displacement, velocity]
  probes: { centre: { body: cylinder, at: [0.0, 0.03] } }
  compression: 4
expect:
  - { quantity: friction_dissipation, at: final, value: 1.5, tolerance: 0.1, source: table 2 }
  - { quantity: bodies/cylinder/velocity/1, at: 1.0e-3, value: 12.0, relative: 0.02, pinned: abc123 }
";

const SOLID: &str = "\
geometry: solid
time: { end: 1.0, step: 0.1 }
materials:
  rubber: { density: 1000, law: { neo_hooke: { young: 1e6, poisson: 0.4 } } }
bodies:
  cube:
    mesh: { box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }
    material: rubber
    angular_velocity: [0, 0, 1]
obstacles:
  ground: { shape: { half_space: { point: [0, 0, 0], normal: [0, 0, 1] } } }
contacts: [{ between: [cube, ground] }]
";

/// A good case with every load, support and function of time.
const LOADED: &str = "\
geometry: plane_strain
time: { end: 1.0, step: { adaptive: { initial: 0.01, min: 0.001, max: 0.1, iterations: 6, energy: 1e-3 } } }
materials:
  rubber: { density: 1000, law: { neo_hooke: { young: 1e6, poisson: 0.4 } }, damping: { mass: 1, stiffness: 1e-5 } }
bodies:
  b:
    mesh: { rectangle: { min: [0, 0], max: [1, 1], divisions: [2, 2] } }
    material: rubber
    rotation: 30
    damping: { mass: 2 }
boundary:
  - { gravity: { value: [0, -9.81], time: { ramp: { from: 0, to: 1, start: 0.1, rise: 0.2 } } } }
  - { displacement: { on: b.left, x: { sine: { amplitude: 1e-3, frequency: 2 } } } }
  - { velocity: { on: b.left, y: { expression: \"if(t < 0.5, sin(2*pi*t)^2, 0)\" } } }
  - { rotation: { on: b.right, centre: [1, 0.5], angle: { table: [[0, 0], [0.5, 10]] } } }
  - { force: { on: b.all, total: [1, 0], time: { constant: 2 } } }
  - { traction: { on: b.top, value: [0, -5], time: 2 } }
  - { pressure: { on: b.surface, value: { sine: { amplitude: 10, frequency: 1, phase: 90, offset: 5 } }, follows: false } }
  - { body_force: { on: b, per_volume: [1, 0] } }
  - { spring: { on: b.bottom, stiffness: [1, 2], per: area } }
  - { dashpot: { on: b.bottom, coefficient: 3, per: total } }
output: { every: 0.1 }
";

const RING: &str = "\
geometry: axisymmetric
time: { end: 1.0, step: 0.1 }
materials:
  rubber: { density: 1000, law: { neo_hooke: { young: 1e6, poisson: 0.49 } } }
bodies:
  ring:
    mesh: { rectangle: { min: [0, 0], max: [1, 1], divisions: [2, 2] } }
    material: rubber
    formulation: mean_dilatation
boundary:
  - { gravity: [0.0, -9.81] }
";

const BLATZ_KO: &str = "{ blatz_ko: { shear_modulus: 3.0e6 } }";

/// A broken case: its name, what is replaced in which good case, and what the message must contain.
struct Broken {
    name: &'static str,
    base: &'static str,
    from: &'static str,
    to: &'static str,
    says: &'static [&'static str],
}

const fn plane(name: &'static str, from: &'static str, to: &'static str, says: &'static [&'static str]) -> Broken {
    Broken { name, base: GOOD, from, to, says }
}

const fn solid(name: &'static str, from: &'static str, to: &'static str, says: &'static [&'static str]) -> Broken {
    Broken { name, base: SOLID, from, to, says }
}

#[rustfmt::skip]
const BROKEN: &[Broken] = &[
    // The text itself
    plane("bad indentation", "  step: 1.0e-5\n", "   step: 1.0e-5\n", &["cases/x.yaml:6:", "not valid YAML"]),
    plane("unclosed list", "[0.0, -30.0]", "[0.0, -30.0", &["cases/x.yaml:", "not valid YAML"]),
    plane("tab", "  end: 3.0e-3", "\tend: 3.0e-3", &["cases/x.yaml:5:", "not valid YAML"]),
    plane("duplicate key", "  max_halvings: 8\n", "  max_halvings: 8\n  end: 1\n", &["cases/x.yaml:10:3: time.end: duplicate key `end`: first given in line 5, column 3", "each key once", "10 |   end: 1", "   |   ^"]),
    plane("duplicate key in flow", "core: 8,", "core: 8, core: 9,", &["cases/x.yaml:15:65: bodies.cylinder.mesh.disc.core: duplicate key"]),
    plane("two documents", "time:\n", "---\ntime:\n", &["cases/x.yaml:4:", "a second YAML document"]),
    plane("unknown alias", "[0.0, -30.0]", "*v", &["cases/x.yaml:17:15: ", "not valid YAML"]),
    plane("alias of itself", "[0.0, -30.0]", "&v [0.0, *v]", &["cases/x.yaml:17:24: this alias refers to the value it is part of"]),
    plane("merge of a number", "    mass: consistent", "    <<: 5", &["cases/x.yaml:19:9: bodies.cylinder.<<: a merge key needs a map or a list of maps, got number 5"]),
    plane("two merge keys", "    mass: consistent", "    <<: {}\n    <<: {}", &["cases/x.yaml:20:5: bodies.cylinder.<<: a second merge key"]),
    plane("tag", "title: Foam", "title: !!binary Foam", &["cases/x.yaml:1:", "the YAML tag `!!binary` has no meaning here"]),
    plane("list as key", "title: Foam", "[1, 2]: Foam", &["cases/x.yaml:1:1: a key must be a name, got a list of 2"]),
    Broken { name: "empty", base: "x", from: "x", to: "", says: &["cases/x.yaml:1:1: the file is empty"] },
    Broken { name: "only a comment", base: "x", from: "x", to: "# nothing\n", says: &["the file is empty"] },
    Broken { name: "a list", base: "x", from: "x", to: "- a\n- b\n", says: &["cases/x.yaml:1:1: a case file must be a map, got a list of 2"] },
    Broken { name: "text", base: "x", from: "x", to: "hello", says: &["cases/x.yaml:1:1: a case file must be a map, got text `hello`"] },
    Broken { name: "empty map", base: "x", from: "x", to: "{}", says: &["geometry: missing key `geometry`", "time: missing key `time`", "materials: missing", "bodies: missing"] },
    // Top level
    plane("unknown key", "boundary:", "boundery:", &["cases/x.yaml:28:1: boundery: unknown key `boundery`", "expected: one of `title`", "did you mean `boundary`?"]),
    plane("far unknown key", "boundary:", "foo:", &["cases/x.yaml:28:1: foo: unknown key `foo`"]),
    plane("title is a list", "Foam cylinder in a V-groove", "[a]", &["cases/x.yaml:1:8: title: must be text, got a list of 1"]),
    plane("no geometry", "geometry: plane_strain\n", "", &["cases/x.yaml:1:1: geometry: missing key `geometry`"]),
    plane("geometry without value", "geometry: plane_strain\n", "geometry:\n", &["cases/x.yaml:2:1: geometry: has no value"]),
    plane("geometry nearly plane stress", "plane_strain", "plane_stres", &["cases/x.yaml:2:11: geometry: unknown choice `plane_stres`", "did you mean `plane_stress`?", "one of `plane_strain`, `plane_stress`, `axisymmetric`, `solid`"]),
    plane("thickness of a ring", "plane_strain", "axisymmetric", &["cases/x.yaml:3:12: thickness: a body of revolution has no thickness", "cases/x.yaml:18:23: bodies.cylinder.angular_velocity: a body of revolution cannot turn in its plane"]),
    Broken { name: "turned ring", base: RING, from: "    formulation: mean_dilatation", to: "    rotation: 30", says: &["cases/x.yaml:9:15: bodies.ring.rotation: a body of revolution cannot be turned in its plane"] },
    Broken { name: "ring that turns", base: RING, from: "{ gravity: [0.0, -9.81] }", to: "{ rotation: { on: ring.top, angle: 3 } }", says: &["cases/x.yaml:11:17: boundary.0.rotation: a body of revolution cannot turn in its plane"] },
    Broken { name: "radial gravity", base: RING, from: "[0.0, -9.81]", to: "[1.0, -9.81]", says: &["cases/x.yaml:11:16: boundary.0.gravity: gravity along the radius has no axis, got 1.0", "gravity acts along the axis"] },
    plane("geometry misspelt", "plane_strain", "plain_strain", &["cases/x.yaml:2:11: geometry: unknown choice `plain_strain`", "did you mean `plane_strain`?"]),
    plane("geometry is a number", "plane_strain", "3", &["cases/x.yaml:2:11: geometry: must be a choice, got number 3"]),
    plane("thickness zero", "thickness: 1.0", "thickness: 0", &["cases/x.yaml:3:12: thickness: must be > 0, got 0"]),
    solid("thickness of a solid", "geometry: solid\n", "geometry: solid\nthickness: 2\n", &["cases/x.yaml:2:12: thickness: a solid case has no thickness"]),
    // Time
    plane("time is text", "time:\n  end: 3.0e-3\n  step: 1.0e-5\n  scheme: { jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }\n  newton: { residual: 1e-10, increment: 1e-10, max_iterations: 30 }\n  max_halvings: 8\n", "time: long\n", &["cases/x.yaml:4:7: time: must be a map, got text `long`"]),
    plane("negative end", "end: 3.0e-3", "end: -3.0e-3", &["cases/x.yaml:5:8: time.end: must be > 0, got -3.0e-3"]),
    plane("end not finite", "end: 3.0e-3", "end: .inf", &["cases/x.yaml:5:8: time.end: must be finite, got .inf"]),
    plane("end not a number", "end: 3.0e-3", "end: .nan", &["cases/x.yaml:5:8: time.end: must be finite, got .nan"]),
    plane("end overflows", "end: 3.0e-3", "end: 1e999", &["cases/x.yaml:5:8: time.end: must be finite, got 1e999"]),
    plane("end with unit", "end: 3.0e-3", "end: 3 ms", &["cases/x.yaml:5:8: time.end: must be a number, got text `3 ms`"]),
    plane("end with comma", "end: 3.0e-3", "end: 0,003", &["time.end: must be a number, got text `0,003`"]),
    plane("step missing", "  step: 1.0e-5\n", "", &["cases/x.yaml:5:3: time.step: missing key `step`"]),
    plane("step beyond end", "step: 1.0e-5", "step: 4.0e-3", &["cases/x.yaml:6:9: time.step: must be <= time.end = 0.003, got 0.004"]),
    plane("step auto", "step: 1.0e-5", "step: auto", &["cases/x.yaml:6:9: time.step: `auto` belongs to the explicit scheme"]),
    plane("too many steps", "step: 1.0e-5", "step: 1.0e-300", &["cases/x.yaml:6:9: time.step: asks for"]),
    plane("courant", "  max_halvings: 8", "  courant: 0.8", &["cases/x.yaml:9:3: time.courant: unknown key `courant`"]),
    plane("theta zero", "theta: 0.5", "theta: 0.0", &["cases/x.yaml:7:28: time.scheme.jean.theta: theta = 0 divides by zero", "theta > 0 and <= 1"]),
    plane("theta too large", "theta: 0.5", "theta: 1.5", &["cases/x.yaml:7:28: time.scheme.jean.theta: must be > 0.0 and <= 1.0, got 1.5"]),
    plane("xi zero", "xi: 0.5", "xi: 0", &["cases/x.yaml:7:37: time.scheme.jean.xi: xi = 0 is the explicit scheme"]),
    plane("discrete gradient", "xi: 0.5, force: trapezoidal", "xi: 0.6, force: discrete_gradient", &["cases/x.yaml:7:49: time.scheme.jean.force: `discrete_gradient` needs theta = 0.5 and xi = 0.5, got theta = 0.5, xi = 0.6"]),
    plane("force misspelt", "trapezoidal", "trapezodal", &["cases/x.yaml:7:49: time.scheme.jean.force: unknown choice `trapezodal`", "did you mean `trapezoidal`?"]),
    plane("courant too large", "{ jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }", "{ explicit: { courant: 1.5 } }", &["cases/x.yaml:7:34: time.scheme.explicit.courant: must be > 0.0 and <= 1.0, got 1.5"]),
    plane("explicit adaptive", "  step: 1.0e-5\n  scheme: { jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }", "  step: { adaptive: { initial: 1.0e-5, max: 1.0e-5 } }\n  scheme: explicit", &["cases/x.yaml:6:9: time.step: the explicit scheme does not iterate"]),
    plane("reduced without explicit", "    mass: consistent", "    formulation: reduced", &["bodies.cylinder.formulation: `reduced` belongs to the explicit scheme"]),
    plane("hourglass without reduced", "    mass: consistent", "    hourglass: { stiffness: 0.05 }", &["bodies.cylinder.hourglass: hourglass control belongs to `formulation: reduced`"]),
    plane("j2 without explicit", BLATZ_KO, "{ j2: { young: 1e9, poisson: 0.3, yield_stress: 1e6 } }", &["materials.foam.law.j2: `j2` belongs to the explicit scheme"]),
    plane("newmark without displacement", "{ jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }", "{ newmark: { beta: 0 } }", &["cases/x.yaml:7:30: time.scheme.newmark.beta: must be > 0.0 and <= 1.0, got 0"]),
    plane("newmark unstable", "{ jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }", "{ newmark: { gamma: 0.4 } }", &["time.scheme.newmark.gamma: must be >= 0.5 and <= 1.0, got 0.4"]),
    plane("newmark misspelt", "{ jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }", "{ newmark: { bta: 0.4 } }", &["time.scheme.newmark.bta: unknown key `bta`", "did you mean `beta`?"]),
    plane("hht too much", "{ jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }", "{ hht: { alpha: 0.5 } }", &["time.scheme.hht.alpha: must be >= 0.0 and <= 0.3333333333333333, got 0.5"]),
    plane("radius of more than one", "{ jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }", "{ generalized_alpha: { spectral_radius: 1.2 } }", &["time.scheme.generalized_alpha.spectral_radius: must be >= 0.0 and <= 1.0, got 1.2"]),
    plane("share misspelt", "{ jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }", "{ hht: { contact: impuls } }", &["time.scheme.hht.contact: unknown choice `impuls`", "did you mean `impulse`?"]),
    plane("two schemes", "trapezoidal } }", "trapezoidal }, moreau: {} }", &["cases/x.yaml:7:64: time.scheme: must have exactly one choice, got `jean`, `moreau`"]),
    plane("no scheme", "{ jean: { theta: 0.5, xi: 0.5, force: trapezoidal } }", "{}", &["cases/x.yaml:7:11: time.scheme: is empty", "expected: one of `jean`"]),
    plane("newton too loose", "residual: 1e-10", "residual: 0.1", &["cases/x.yaml:8:23: time.newton.residual: must be > 0.0 and <= 0.01, got 0.1"]),
    plane("newton reuse", "max_iterations: 30", "max_iterations: 30, reuse: alway", &["time.newton.reuse: unknown choice `alway`", "did you mean `always`?"]),
    plane("newton iterations", "max_iterations: 30", "max_iterations: 0", &["time.newton.max_iterations: must be a whole number from 1 to 1000, got 0"]),
    plane("half an iteration", "max_iterations: 30", "max_iterations: 2.5", &["must be a whole number from 1 to 1000, got 2.5"]),
    plane("halvings", "max_halvings: 8", "max_halvings: 31", &["cases/x.yaml:9:17: time.max_halvings: must be a whole number from 0 to 30, got 31"]),
    plane("halvings not a number", "max_halvings: 8", "max_halvings: .nan", &["cases/x.yaml:9:17: time.max_halvings: must be a whole number from 0 to 30, got .nan"]),
    // Materials
    plane("density", "density: 700.0", "density: -700.0", &["cases/x.yaml:11:20: materials.foam.density: must be > 0, got -700.0"]),
    plane("law missing", ", law: { blatz_ko: { shear_modulus: 3.0e6 } }", "", &["cases/x.yaml:11:9: materials.foam.law: missing key `law`"]),
    plane("law misspelt", "blatz_ko", "blatzko", &["cases/x.yaml:11:34: materials.foam.law: unknown choice `blatzko`", "did you mean `blatz_ko`?"]),
    plane("law as text", "{ blatz_ko: { shear_modulus: 3.0e6 } }", "blatz_ko", &["cases/x.yaml:11:32: materials.foam.law.blatz_ko.shear_modulus: missing key `shear_modulus`"]),
    plane("law with a foreign key", "shear_modulus: 3.0e6", "shear_modulus: 3.0e6, poisson: 0.2", &["cases/x.yaml:11:68: materials.foam.law.blatz_ko.poisson: unknown key `poisson`"]),
    plane("incompressible", "poisson: 0.3", "poisson: 0.5", &["cases/x.yaml:12:70: materials.steel.law.linear.poisson: must be > -1.0 and < 0.5, got 0.5"]),
    plane("young zero", "young: 2.1e11", "young: 0", &["materials.steel.law.linear.young: must be > 0, got 0"]),
    plane("mooney without c2", BLATZ_KO, "{ mooney_rivlin: { c1: 1e6, bulk_modulus: 1e8 } }", &["cases/x.yaml:11:49: materials.foam.law.mooney_rivlin.c2: missing key `c2`"]),
    plane("mooney without shear", BLATZ_KO, "{ mooney_rivlin: { c1: 1e6, c2: -1e6, bulk_modulus: 1e8 } }", &["materials.foam.law.mooney_rivlin: the shear modulus at rest, 2 (c1 + c2), must be > 0, got 0.0"]),
    plane("mooney without bulk", BLATZ_KO, "{ mooney_rivlin: { c1: 1e6, c2: 0, bulk_modulus: 0 } }", &["materials.foam.law.mooney_rivlin.bulk_modulus: must be > 0, got 0"]),
    plane("mooney misspelt", BLATZ_KO, "{ mooney_rivlen: { c1: 1e6 } }", &["materials.foam.law: unknown choice `mooney_rivlen`", "did you mean `mooney_rivlin`?"]),
    plane("ogden without terms", BLATZ_KO, "{ ogden: { terms: [], bulk_modulus: 1e8 } }", &["materials.foam.law.ogden.terms: must have at least one term"]),
    plane("ogden with an empty term far down", BLATZ_KO, "{ ogden: { terms: [&t { mu: 1e6, alpha: 2 }, *t, *t, *t, *t, *t, *t, *t, *t, {}], bulk_modulus: 1e8 } }", &["materials.foam.law.ogden.terms.9.mu: missing key `mu`"]),
    plane("foam without terms", BLATZ_KO, "{ hyperfoam: { terms: [] } }", &["materials.foam.law.hyperfoam.terms: must have at least one term"]),
    plane("ogden exponent", BLATZ_KO, "{ ogden: { terms: [{ mu: 1e6, alpha: 0 }], bulk_modulus: 1e8 } }", &["materials.foam.law.ogden.terms.0.alpha: alpha = 0 divides by zero"]),
    plane("ogden unstable", BLATZ_KO, "{ ogden: { terms: [{ mu: 1e6, alpha: -2 }], bulk_modulus: 1e8 } }", &["materials.foam.law.ogden: the shear modulus at rest, half the sum of mu * alpha, must be > 0, got -1000000.0"]),
    plane("ogden terms as a map", BLATZ_KO, "{ ogden: { terms: { mu: 1e6, alpha: 2 }, bulk_modulus: 1e8 } }", &["materials.foam.law.ogden.terms: must be a list"]),
    plane("ogden foreign key", BLATZ_KO, "{ ogden: { terms: [{ mu: 1e6, alpha: 2, beta: 1 }], bulk_modulus: 1e8 } }", &["materials.foam.law.ogden.terms.0.beta: unknown key `beta`", "one of `mu`, `alpha`"]),
    plane("foam without volume", BLATZ_KO, "{ hyperfoam: { terms: [{ mu: 1e6, alpha: 2 }] } }", &["materials.foam.law.hyperfoam.terms.0: missing key `beta` or `poisson`", "exactly one of the two"]),
    plane("foam with both", BLATZ_KO, "{ hyperfoam: { terms: [{ mu: 1e6, alpha: 2, beta: 0, poisson: 0 }] } }", &["materials.foam.law.hyperfoam.terms.0.poisson: both `beta` and `poisson` are given"]),
    plane("foam beta", BLATZ_KO, "{ hyperfoam: { terms: [{ mu: 1e6, alpha: 2, beta: -0.5 }] } }", &["materials.foam.law.hyperfoam.terms.0.beta: must be > -0.3333333333333333 and < 1000000.0, got -0.5"]),
    plane("foam without bulk", BLATZ_KO, "{ hyperfoam: { terms: [{ mu: 3e6, alpha: 2, beta: 0 }, { mu: -1e6, alpha: 2, beta: 2 }] } }", &["materials.foam.law.hyperfoam: the bulk modulus at rest, the sum of 2 mu (beta + 1/3), must be > 0"]),
    plane("material name", "  foam: {", "  fo am: {", &["cases/x.yaml:11:3: materials.fo am: `fo am` is not a name: it has a character that is not allowed"]),
    // Bodies
    plane("no bodies", "bodies:\n", "bodies: {}\nx:\n", &["cases/x.yaml:13:9: bodies: a case needs at least one body"]),
    plane("bodies is a list", "bodies:\n", "bodies: [a]\nx:\n", &["cases/x.yaml:13:9: bodies: must be a map of names, got a list of 1"]),
    plane("body name with a dot", "  block:", "  blo.ck:", &["cases/x.yaml:20:3: bodies.blo.ck: `blo.ck` is not a name"]),
    plane("empty body name", "  block:", "  \"\":", &["cases/x.yaml:20:3: bodies.: `` is not a name: it is empty"]),
    plane("mesh missing", "    mesh: { disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }\n", "", &["cases/x.yaml:15:5: bodies.cylinder.mesh: missing key `mesh`"]),
    plane("negative radius", "radius: 0.01", "radius: -0.01", &["error: cases/x.yaml:15:29: bodies.cylinder.mesh.disc.radius: must be > 0, got -0.01"]),
    plane("radius misspelt", "radius: 0.01", "raduis: 0.01", &["cases/x.yaml:15:21: bodies.cylinder.mesh.disc.raduis: unknown key `raduis`", "did you mean `radius`?", "bodies.cylinder.mesh.disc.radius: missing key `radius`"]),
    plane("centre in space", "centre: [0.0, 0.03]", "centre: [0.0, 0.03, 1]", &["bodies.cylinder.mesh.disc.centre: must have 2 components, got 3"]),
    plane("core zero", "core: 8", "core: 0", &["bodies.cylinder.mesh.disc.core: must be a whole number from 1 to 100000, got 0"]),
    plane("too many cells", "core: 8", "core: 8000", &["cases/x.yaml:15:19: bodies.cylinder.mesh.disc: asks for 64128000 cells: more than 50000000"]),
    plane("cells misspelt", "cells: quads", "cells: hexes", &["bodies.cylinder.mesh.disc.cells: unknown choice `hexes`", "one of `quads`, `triangles`"]),
    plane("flat rectangle", "max: [0.2, 0.1]", "max: [0.1, 0.1]", &["cases/x.yaml:21:48: bodies.block.mesh.rectangle.max: must be larger than `min` in x, got [0.1, 0.1] with min [0.1, 0.0]"]),
    plane("divisions in space", "divisions: [4, 4]", "divisions: [4, 4, 4]", &["bodies.block.mesh.rectangle.divisions: must have 2 divisions, got 3"]),
    plane("too many divisions", "divisions: [4, 4]", "divisions: [100001, 4]", &["bodies.block.mesh.rectangle.divisions.0: must be a whole number from 1 to 100000, got 100001"]),
    plane("too many rectangle cells", "divisions: [4, 4]", "divisions: [100000, 1000]", &["bodies.block.mesh.rectangle: asks for 100000000 cells"]),
    plane("box in the plane", "{ rectangle: { min: [0.1, 0.0], max: [0.2, 0.1], divisions: [4, 4] } }", "{ box: {} }", &["cases/x.yaml:21:11: bodies.block.mesh: `box` is a solid mesh, the geometry is plane", "one of `disc`, `ring`, `rectangle`, `spur_gear`, `gmsh`"]),
    plane("material map without default", "material: foam", "material: { sets: { core: steel } }", &["cases/x.yaml:16:15: bodies.cylinder.material.default: missing key `default`"]),
    plane("material map without sets", "material: foam", "material: { default: foam }", &["cases/x.yaml:16:15: bodies.cylinder.material.sets: missing key `sets`"]),
    plane("unknown material of a set", "material: foam", "material: { default: foam, sets: { core: stel } }", &["bodies.cylinder.material.sets.core: there is no material `stel`", "did you mean `steel`?"]),
    plane("material map with a foreign key", "material: foam", "material: { default: foam, cells: { core: steel } }", &["bodies.cylinder.material.cells: unknown key `cells`"]),
    plane("formulation misspelt", "mass: consistent", "formulation: mean_dilation", &["cases/x.yaml:19:18: bodies.cylinder.formulation: unknown choice `mean_dilation`", "did you mean `mean_dilatation`?"]),
    plane("formulation is a number", "mass: consistent", "formulation: 1", &["bodies.cylinder.formulation: must be a choice, got number 1"]),
    plane("cell set without size", "mass: consistent", "cell_sets: { half: { min: [0, 0], max: [0, 1] } }", &["bodies.cylinder.cell_sets.half.max: must be larger than `min` in x"]),
    plane("cell set in space", "mass: consistent", "cell_sets: { half: { min: [0, 0, 0], max: [1, 1, 1] } }", &["bodies.cylinder.cell_sets.half.min: must have 2 components, got 3"]),
    plane("cell set without max", "mass: consistent", "cell_sets: { half: { min: [0, 0] } }", &["bodies.cylinder.cell_sets.half.max: missing key `max`"]),
    plane("unknown material", "material: foam", "material: fom", &["cases/x.yaml:16:15: bodies.cylinder.material: there is no material `fom`", "did you mean `foam`?", "one of `foam`, `steel`"]),
    plane("velocity in space", "velocity: [0.0, -30.0]", "velocity: [0.0, -30.0, 0.0]", &["cases/x.yaml:17:15: bodies.cylinder.velocity: must have 2 components, got 3"]),
    plane("velocity of text", "velocity: [0.0, -30.0]", "velocity: [0.0, down]", &["cases/x.yaml:17:21: bodies.cylinder.velocity.1: must be a number, got text `down`"]),
    plane("velocity as a number", "velocity: [0.0, -30.0]", "velocity: -30.0", &["cases/x.yaml:17:15: bodies.cylinder.velocity: must be a list, got number -30.0"]),
    plane("spin as a vector", "angular_velocity: 5.0", "angular_velocity: [0, 0, 5]", &["cases/x.yaml:18:23: bodies.cylinder.angular_velocity: must be a number, got a list of 3"]),
    plane("mass misspelt", "mass: consistent", "mass: lumpd", &["cases/x.yaml:19:11: bodies.cylinder.mass: unknown choice `lumpd`", "did you mean `lumped`?"]),
    solid("spin as a number", "angular_velocity: [0, 0, 1]", "angular_velocity: 1", &["cases/x.yaml:9:23: bodies.cube.angular_velocity: must be a list, got number 1"]),
    solid("disc in space", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ disc: {} }", &["cases/x.yaml:7:11: bodies.cube.mesh: `disc` is a plane mesh, the geometry is solid"]),
    solid("too many tets", "[2, 2, 2]", "[300, 300, 300]", &["bodies.cube.mesh.box: asks for 162000000 cells"]),
    solid("box upside down", "max: [1, 1, 1]", "max: [1, -1, -1]", &["bodies.cube.mesh.box.max: must be larger than `min` in y, z"]),
    // Meshes from files and their groups
    plane("gmsh number", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ gmsh: [1] }", &["cases/x.yaml:15:19: bodies.cylinder.mesh.gmsh: must be text, got a list of 1"]),
    plane("gmsh without file", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ gmsh: \"\" }", &["bodies.cylinder.mesh.gmsh: is empty; it must be the path of a `.msh` file"]),
    plane("gmsh as a word", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "gmsh", &["bodies.cylinder.mesh.gmsh: must be text, got an empty map"]),
    plane("gmsh group", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ gmsh: a.msh, group: [a] }", &["cases/x.yaml:15:33: bodies.cylinder.mesh.group: must be text, got a list of 1"]),
    plane("group of a generator", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads }, group: a }", &["bodies.cylinder.mesh.group: a group is chosen from a file, see `gmsh`"]),
    plane("gmsh misspelt", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ gsmh: a.msh }", &["cases/x.yaml:15:13: bodies.cylinder.mesh: unknown choice `gsmh`", "did you mean `gmsh`?"]),
    plane("two meshes", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads }, ring: {} }", &["bodies.cylinder.mesh: must have exactly one choice, got `disc`, `ring`"]),
    // Rings, cylinders, tubes, spheres
    plane("ring inside out", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ ring: { inner: 2, outer: 1, around: 8, layers: 2 } }", &["cases/x.yaml:15:38: bodies.cylinder.mesh.ring.outer: must be larger than `inner` = 2, got 1"]),
    plane("ring of two cells", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ ring: { inner: 1, outer: 2, around: 2, layers: 2 } }", &["bodies.cylinder.mesh.ring.around: must be a whole number from 3 to 100000, got 2"]),
    plane("ring without layers", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ ring: { inner: 1, outer: 2, around: 8 } }", &["cases/x.yaml:15:19: bodies.cylinder.mesh.ring.layers: missing key `layers`"]),
    plane("ring in space", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ ring: { inner: 1, outer: 2, around: 8, layers: 1, centre: [0, 0, 0] } }", &["bodies.cylinder.mesh.ring.centre: must have 2 components, got 3"]),
    plane("sphere in the plane", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ sphere: { radius: 1, core: 1, layers: 1 } }", &["bodies.cylinder.mesh: `sphere` is a solid mesh, the geometry is plane", "one of `disc`, `ring`, `rectangle`, `spur_gear`, `gmsh`"]),
    solid("cylinder without slices", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ cylinder: { radius: 1, length: 1, core: 2, layers: 1 } }", &["bodies.cube.mesh.cylinder.slices: missing key `slices`"]),
    solid("cylinder along nothing", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ cylinder: { radius: 1, length: 1, core: 2, layers: 1, slices: 1, along: [0, 0, 0] } }", &["bodies.cube.mesh.cylinder.along: has no direction: all components are zero"]),
    solid("cylinder along w", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ cylinder: { radius: 1, length: 1, core: 2, layers: 1, slices: 1, along: w } }", &["bodies.cube.mesh.cylinder.along: unknown choice `w`", "one of `x`, `y`, `z`"]),
    solid("cylinder of many cells", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ cylinder: { radius: 1, length: 1, core: 1000, layers: 1, slices: 1000 } }", &["bodies.cube.mesh.cylinder: asks for 1004000000 cells"]),
    solid("tube inside out", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ tube: { inner: 2, outer: 1, length: 1, around: 8, layers: 1, slices: 1 } }", &["bodies.cube.mesh.tube.outer: must be larger than `inner` = 2, got 1"]),
    solid("tube without length", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ tube: { inner: 1, outer: 2, length: 0, around: 8, layers: 1, slices: 1 } }", &["bodies.cube.mesh.tube.length: must be > 0, got 0"]),
    solid("tube cells", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ tube: { inner: 1, outer: 2, length: 1, around: 8, layers: 1, slices: 1, cells: quads } }", &["bodies.cube.mesh.tube.cells: unknown choice `quads`", "one of `hexes`, `tets`"]),
    solid("sphere without radius", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sphere: { raduis: 1, core: 2, layers: 1 } }", &["bodies.cube.mesh.sphere.raduis: unknown key `raduis`", "did you mean `radius`?"]),
    solid("sphere without core", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sphere: { radius: 1, core: 0, layers: 1 } }", &["bodies.cube.mesh.sphere.core: must be a whole number from 1 to 100000, got 0"]),
    solid("sphere centre", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sphere: { radius: 1, core: 1, layers: 1, centre: [0, .nan, 0] } }", &["bodies.cube.mesh.sphere.centre.1: must be finite, got .nan"]),
    // Extrusions and sweeps
    solid("extrude a solid", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ extrude: { mesh: { sphere: {} }, height: 1, layers: 1 } }", &["bodies.cube.mesh.extrude.mesh: `sphere` is a solid mesh, the geometry is plane"]),
    solid("extrude nothing", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ extrude: { height: 1, layers: 1 } }", &["bodies.cube.mesh.extrude.mesh: missing key `mesh`"]),
    solid("extrude downward", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ extrude: { mesh: { ring: { inner: 1, outer: 2, around: 8, layers: 1 } }, height: -1, layers: 1 } }", &["bodies.cube.mesh.extrude.height: must be > 0, got -1"]),
    solid("section wrong", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ extrude: { mesh: { ring: { inner: 1, outer: 2, around: 8 } }, height: 1, layers: 1 } }", &["bodies.cube.mesh.extrude.mesh.ring.layers: missing key `layers`"]),
    solid("sweep without path", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sweep: { mesh: { ring: { inner: 1, outer: 2, around: 8, layers: 1 } }, layers: 3 } }", &["bodies.cube.mesh.sweep.path: missing key `path`"]),
    solid("unknown path", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sweep: { mesh: { ring: { inner: 1, outer: 2, around: 8, layers: 1 } }, path: { circle: {} }, layers: 3 } }", &["bodies.cube.mesh.sweep.path: unknown choice `circle`", "one of `arc`, `helix`, `polyline`"]),
    solid("arc of more than a turn", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sweep: { mesh: { ring: { inner: 1, outer: 2, around: 8, layers: 1 } }, path: { arc: { angle: 400, axis: y } }, layers: 3 } }", &["bodies.cube.mesh.sweep.path.arc.angle: must be from -360 to 360 degrees and not 0, got 400"]),
    solid("arc without axis", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sweep: { mesh: { ring: { inner: 1, outer: 2, around: 8, layers: 1 } }, path: { arc: { angle: 90 } }, layers: 3 } }", &["bodies.cube.mesh.sweep.path.arc.axis: missing key `axis`"]),
    solid("helix of no turns", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sweep: { mesh: { ring: { inner: 1, outer: 2, around: 8, layers: 1 } }, path: { helix: { turns: 0, pitch: 1, axis: y } }, layers: 3 } }", &["bodies.cube.mesh.sweep.path.helix.turns: must be from -1000 to 1000 and not 0, got 0"]),
    solid("helix about z", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sweep: { mesh: { ring: { inner: 1, outer: 2, around: 8, layers: 1 } }, path: { helix: { turns: 1, pitch: 1, axis: z } }, layers: 3 } }", &["bodies.cube.mesh.sweep.path.helix.axis: unknown choice `z`", "one of `x`, `y`"]),
    solid("path of one point", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sweep: { mesh: { ring: { inner: 1, outer: 2, around: 8, layers: 1 } }, path: { polyline: [[0, 0, 0]] }, layers: 3 } }", &["bodies.cube.mesh.sweep.path.polyline: must have from 2 to 100000 points, got 1"]),
    solid("path that stands still", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ sweep: { mesh: { ring: { inner: 1, outer: 2, around: 8, layers: 1 } }, path: { polyline: [[0, 0, 0], [0, 0, 0]] }, layers: 3 } }", &["bodies.cube.mesh.sweep.path.polyline.1: is the same point as the one before"]),
    // Placement
    plane("place misspelt", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads }, plase: { scale: 2 } }", &["bodies.cylinder.mesh.plase: unknown key `plase`", "did you mean `place`?"]),
    plane("scale zero", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads }, place: { scale: 0 } }", &["bodies.cylinder.mesh.place.scale: must be > 0, got 0"]),
    plane("scale mirrors", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads }, place: { scale: [1, -1] } }", &["bodies.cylinder.mesh.place.scale.1: must be > 0, got -1"]),
    plane("scale in space", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads }, place: { scale: [1, 1, 1] } }", &["bodies.cylinder.mesh.place.scale: must have 2 components, got 3"]),
    plane("turn about an axis in the plane", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads }, place: { rotate: { angle: 5, axis: x } } }", &["bodies.cylinder.mesh.place.rotate.axis: unknown key `axis`", "one of `angle`, `about`"]),
    plane("turn in words", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads }, place: { rotate: half } }", &["bodies.cylinder.mesh.place.rotate: must be a map, got text `half`"]),
    plane("shift in space", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads } }", "{ disc: { radius: 0.01, centre: [0.0, 0.03], core: 8, layers: 4, cells: quads }, place: { translate: [1, 2, 3] } }", &["bodies.cylinder.mesh.place.translate: must have 2 components, got 3"]),
    solid("turn without axis", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets }, place: { rotate: [{ angle: 5 }] } }", &["bodies.cube.mesh.place.rotate.0.axis: missing key `axis`"]),
    solid("turn by a number in space", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets }, place: { rotate: 30 } }", &["bodies.cube.mesh.place.rotate: must be a map, got number 30"]),
    solid("place unknown", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets } }", "{ box: { min: [0, 0, 0], max: [1, 1, 1], divisions: [2, 2, 2], cells: tets }, place: { move: [0, 0, 1] } }", &["bodies.cube.mesh.place.move: unknown key `move`", "one of `scale`, `rotate`, `translate`"]),
    // Obstacles
    plane("obstacle named like a body", "  floor:", "  block:", &["cases/x.yaml:25:3: obstacles.block: `block` is also the name of a body"]),
    plane("shape unknown", "half_space", "halfspace", &["cases/x.yaml:25:21: obstacles.floor.shape: unknown choice `halfspace`", "did you mean `half_space`?"]),
    plane("normal zero", "normal: [0.0, 2.0]", "normal: [0.0, 0.0]", &["cases/x.yaml:25:62: obstacles.floor.shape.half_space.normal: must not be zero"]),
    plane("polygon of two", ", [0.015, 0.035], [0.012, 0.035]]", "]", &["cases/x.yaml:24:30: obstacles.right.shape.polygon: must have 3 to 10000 points, got 2"]),
    plane("polygon closed by hand", "[0.012, 0.035]]", "[0.012, 0.035], [0.005, 0.0]]", &["obstacles.right.shape.polygon.4: the last point repeats the first"]),
    plane("polygon with a repeated point", "[0.015, 0.0],", "[0.015, 0.0], [0.015, 0.0],", &["cases/x.yaml:24:59: obstacles.right.shape.polygon.2: repeats the point before it"]),
    plane("polygon crossing itself", "[[0.005, 0.0], [0.015, 0.0], [0.015, 0.035], [0.012, 0.035]]", "[[0, 0], [1, 1], [1, 0], [0, 1]]", &["obstacles.right.shape.polygon.2: the edge from here touches the edge from point 0"]),
    plane("polygon touching itself", "[[0.005, 0.0], [0.015, 0.0], [0.015, 0.035], [0.012, 0.035]]", "[[0, 0], [2, 0], [2, 1], [1, 0], [0, 1]]", &["touches the edge from point 0"]),
    plane("flat polygon", "[[0.005, 0.0], [0.015, 0.0], [0.015, 0.035], [0.012, 0.035]]", "[[0, 0], [1, 0], [2, 0]]", &["obstacles.right.shape.polygon", "the line turns back on itself here"]),
    plane("sliver polygon", "[[0.005, 0.0], [0.015, 0.0], [0.015, 0.035], [0.012, 0.035]]", "[[0, 0], [1, 1e-15], [2, 0]]", &["obstacles.right.shape.polygon: the polygon has no area"]),
    plane("polygon of scalars", "[0.005, 0.0],", "0.005,", &["obstacles.right.shape.polygon.0: must be a list, got number 0.005"]),
    plane("chain of one", "[[1.0, 0.0], [0.0, 0.0], [-1.0, 1.0]]", "[[1.0, 0.0]]", &["cases/x.yaml:26:27: obstacles.ramp.shape.chain: must have 2 to 10000 points, got 1"]),
    plane("chain turning back", "[0.0, 0.0], [-1.0, 1.0]", "[0.0, 0.0], [0.5, 0.0]", &["obstacles.ramp.shape.chain.1: the line turns back on itself here"]),
    plane("flat box", "min: [0.0, 0.0], max: [1.0, 1.0]", "min: [0.0, 0.0], max: [1.0, 0.0]", &["cases/x.yaml:27:49: obstacles.step.shape.box.max: must be larger than `min` in y"]),
    plane("box in space", "min: [0.0, 0.0], max: [1.0, 1.0]", "min: [0.0, 0.0, 0.0], max: [1.0, 1.0]", &["cases/x.yaml:27:32: obstacles.step.shape.box.min: must have 2 components, got 3"]),
    plane("circle without a radius", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ circle: { centre: [0, 0] } }", &["cases/x.yaml:27:28: obstacles.step.shape.circle.radius: missing key `radius`"]),
    plane("circle of no size", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ circle: { centre: [0, 0], radius: 0 } }", &["obstacles.step.shape.circle.radius: must be > 0, got 0"]),
    plane("circle in space", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ circle: { centre: [0, 0, 0], radius: 1 } }", &["obstacles.step.shape.circle.centre: must have 2 components, got 3"]),
    plane("circle half inside", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ circle: { centre: [0, 0], radius: 1, inside: maybe } }", &["obstacles.step.shape.circle.inside: must be `true` or `false`, got text `maybe`"]),
    plane("circle misspelt", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ circel: { centre: [0, 0], radius: 1 } }", &["obstacles.step.shape: unknown choice `circel`", "did you mean `circle`?"]),
    plane("sphere in the plane", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ sphere: { centre: [0, 0], radius: 1 } }", &["obstacles.step.shape: `sphere` is a solid shape, the geometry is plane", "`circle`"]),
    plane("capsule of one point", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ capsule: { from: [0, 0], to: [0, 0], radius: 1 } }", &["obstacles.step.shape.capsule.to: is the same point as `from`"]),
    plane("capsule without an end", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ capsule: { from: [0, 0], radius: 1 } }", &["obstacles.step.shape.capsule.to: missing key `to`"]),
    plane("capsule with a length", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ capsule: { from: [0, 0], to: [1, 0], radius: 1, length: 2 } }", &["obstacles.step.shape.capsule.length: unknown key `length`"]),
    plane("polygon without outline", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ polygon: { holes: [] } }", &["obstacles.step.shape.polygon.outer: missing key `outer`"]),
    plane("hole outside", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ polygon: { outer: [[0, 0], [1, 0], [0, 1]], holes: [[[2, 2], [3, 2], [2, 3]]] } }", &["obstacles.step.shape.polygon.holes.0: does not lie within the outline"]),
    plane("hole across a concave outline", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ polygon: { outer: [[0, 0], [4, 0], [4, 4], [2, 1], [0, 4]], holes: [[[0.5, 0.5], [3.5, 0.5], [3.5, 2.5], [0.5, 2.5]]] } }", &["obstacles.step.shape.polygon.holes.0: touches the outline"]),
    plane("holes that touch", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ polygon: { outer: [[0, 0], [9, 0], [0, 9]], holes: [[[1, 1], [2, 1], [1, 2]], [[1.5, 1], [3, 1], [1, 3]]] } }", &["obstacles.step.shape.polygon.holes.1: touches hole 0"]),
    plane("hole in a hole", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ polygon: { outer: [[0, 0], [9, 0], [0, 9]], holes: [[[1, 1], [4, 1], [1, 4]], [[1.5, 1.5], [2, 1.5], [1.5, 2]]] } }", &["obstacles.step.shape.polygon.holes.1: overlaps hole 0"]),
    plane("hole of two points", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ polygon: { outer: [[0, 0], [9, 0], [0, 9]], holes: [[[1, 1], [4, 1]]] } }", &["obstacles.step.shape.polygon.holes.0: must have 3 to 10000 points, got 2"]),
    plane("no chains", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ chains: [] }", &["obstacles.step.shape.chains: must have at least one chain"]),
    plane("chains that touch", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ chains: [[[0, 0], [2, 0]], [[1, -1], [1, 1]]] }", &["obstacles.step.shape.chains.1: touches chain 0"]),
    plane("a chain among chains", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ chains: [[0, 0], [2, 0]] }", &["obstacles.step.shape.chains.0.0: must be a list, got number 0"]),
    plane("place unknown", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }, place: { turn: 5 }", &["obstacles.step.place.turn: unknown key `turn`", "one of `rotate`, `translate`"]),
    plane("place in space", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }, place: { translate: [1, 2, 3] }", &["obstacles.step.place.translate: must have 2 components, got 3"]),
    plane("rotation about an axis of the plane", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }", "{ box: { min: [0.0, 0.0], max: [1.0, 1.0] } }, place: { rotate: { angle: 5, axis: [0, 0, 1] } }", &["obstacles.step.place.rotate.axis: unknown key `axis`"]),
    solid("circle for a sphere", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ circle: { centre: [0, 0, 0], radius: 1 } }", &["obstacles.ground.shape: `circle` is a plane shape, the geometry is solid", "`sphere`"]),
    solid("sphere in the plane of a solid", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ sphere: { centre: [0, 0], radius: 1 } }", &["obstacles.ground.shape.sphere.centre: must have 3 components, got 2"]),
    solid("cylinder without direction", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ cylinder: { point: [0, 0, 0], direction: [0, 0, 0], radius: 1 } }", &["obstacles.ground.shape.cylinder.direction: must not be zero"]),
    solid("cylinder of negative length", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ cylinder: { point: [0, 0, 0], direction: [0, 0, 1], radius: 1, length: -1 } }", &["obstacles.ground.shape.cylinder.length: must be > 0, got -1"]),
    solid("cylinder without radius", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ cylinder: { point: [0, 0, 0], direction: [0, 0, 1] } }", &["obstacles.ground.shape.cylinder.radius: missing key `radius`"]),
    solid("cone without length", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ cone: { point: [0, 0, 0], direction: [0, 0, 1], radius: 1 } }", &["obstacles.ground.shape.cone.length: missing key `length`"]),
    solid("cone with a negative tip", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ cone: { point: [0, 0, 0], direction: [0, 0, 1], radius: 1, length: 1, tip_radius: -1 } }", &["obstacles.ground.shape.cone.tip_radius: must be >= 0, got -1"]),
    solid("cone misspelt", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ cone: { point: [0, 0, 0], direction: [0, 0, 1], radius: 1, length: 1, tipradius: 1 } }", &["obstacles.ground.shape.cone.tipradius: unknown key `tipradius`", "did you mean `tip_radius`?"]),
    solid("rotation without an axis", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }, place: { rotate: { angle: 5 } }", &["obstacles.ground.place.rotate.axis: missing key `axis`"]),
    solid("surface of nothing", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ surface: {} }", &["obstacles.ground.shape.surface: names no file: give `stl` or `gmsh`"]),
    solid("surface of a list", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ surface: { stl: [a] } }", &["obstacles.ground.shape.surface.stl: must be text, got a list of 1"]),
    solid("surface from two files", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ surface: { stl: a.stl, gmsh: a.msh } }", &["obstacles.ground.shape.surface.gmsh: `stl` is given too: one of the two"]),
    solid("group of an STL file", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ surface: { stl: a.stl, group: b } }", &["obstacles.ground.shape.surface.group: an STL file has no groups"]),
    solid("surface from a nameless file", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ surface: { gmsh: \"\" } }", &["obstacles.ground.shape.surface.gmsh: is empty; it must be the path of a file"]),
    solid("surface group of a list", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ surface: { gmsh: a.msh, group: [b] } }", &["obstacles.ground.shape.surface.group: must be text, got a list of 1"]),
    solid("surface misspelt", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ surface: { gmesh: a.msh } }", &["obstacles.ground.shape.surface.gmesh: unknown key `gmesh`", "did you mean `gmsh`?"]),
    solid("polygon in space", "{ half_space: { point: [0, 0, 0], normal: [0, 0, 1] } }", "{ polygon: [[0, 0], [1, 0], [0, 1]] }", &["cases/x.yaml:11:20: obstacles.ground.shape: `polygon` is a plane shape, the geometry is solid"]),
    // Boundary
    plane("gravity in space", "gravity: [0.0, -9.81]", "gravity: [0.0, 0.0, -9.81]", &["cases/x.yaml:29:16: boundary.0.gravity: must have 2 components, got 3"]),
    plane("gravity twice", "  - { fixed:", "  - { gravity: [1, 0] }\n  - { fixed:", &["cases/x.yaml:30:16: boundary.1.gravity: gravity is given twice, first as boundary.0.gravity"]),
    plane("boundary misspelt", "gravity: [0.0, -9.81]", "presure: 1.0", &["cases/x.yaml:29:7: boundary.0: unknown choice `presure`", "did you mean `pressure`?"]),
    plane("gravity without a value", "gravity: [0.0, -9.81]", "gravity: { time: 1.0 }", &["cases/x.yaml:29:16: boundary.0.gravity.value: missing key `value`"]),
    // Moved supports
    plane("displacement of nothing", "gravity: [0.0, -9.81]", "displacement: { on: block.top }", &["cases/x.yaml:29:21: boundary.0.displacement: prescribes no axis"]),
    plane("displacement across the plane", "gravity: [0.0, -9.81]", "displacement: { on: block.top, z: 0 }", &["cases/x.yaml:29:38: boundary.0.displacement.z: unknown key `z`"]),
    plane("displacement that starts elsewhere", "gravity: [0.0, -9.81]", "displacement: { on: block.top, x: 0.1 }", &["cases/x.yaml:29:41: boundary.0.displacement.x: must be 0 at t = 0, where the body is as meshed, got 1e-1", "a ramp"]),
    plane("velocity as text", "gravity: [0.0, -9.81]", "velocity: { on: block.top, x: fast }", &["boundary.0.velocity.x: unknown choice `fast`", "one of `constant`, `ramp`, `table`, `sine`, `expression`"]),
    plane("velocity without a set", "gravity: [0.0, -9.81]", "velocity: { on: block, x: 1 }", &["boundary.0.velocity.on: names no set"]),
    plane("velocity of nobody", "gravity: [0.0, -9.81]", "velocity: { on: nobody.top, x: 1 }", &["boundary.0.velocity.on: there is no body `nobody`"]),
    plane("rotation of nothing", "gravity: [0.0, -9.81]", "rotation: { on: block.top }", &["cases/x.yaml:29:17: boundary.0.rotation: needs `angle` (degrees) or `angular_velocity` (rad/s)"]),
    plane("rotation twice", "gravity: [0.0, -9.81]", "rotation: { on: block.top, angle: 0, angular_velocity: 1 }", &["boundary.0.rotation.angular_velocity: `angle` is given too"]),
    plane("rotation about an axis in the plane", "gravity: [0.0, -9.81]", "rotation: { on: block.top, angle: 0, axis: [0, 0, 1] }", &["boundary.0.rotation.axis: unknown key `axis`"]),
    plane("rotation with an offset", "gravity: [0.0, -9.81]", "rotation: { on: block.top, angle: { sine: { amplitude: 1, frequency: 2, phase: 90 } } }", &["boundary.0.rotation.angle: must be 0 at t = 0"]),
    // Loads
    plane("force of nothing", "gravity: [0.0, -9.81]", "force: { on: block.top }", &["cases/x.yaml:29:14: boundary.0.force: needs `each`"]),
    plane("force twice", "gravity: [0.0, -9.81]", "force: { on: block.top, each: [1, 0], total: [1, 0] }", &["boundary.0.force.total: `each` is given too"]),
    plane("force in space", "gravity: [0.0, -9.81]", "force: { on: block.top, total: [1, 0, 0] }", &["boundary.0.force.total: must have 2 components, got 3"]),
    plane("traction without a value", "gravity: [0.0, -9.81]", "traction: { on: block.top }", &["boundary.0.traction.value: missing key `value`"]),
    plane("traction as a number", "gravity: [0.0, -9.81]", "traction: { on: block.top, value: 3 }", &["boundary.0.traction.value: must be a list, got number 3"]),
    plane("traction misspelt", "gravity: [0.0, -9.81]", "traction: { on: block.top, vaule: [1, 0] }", &["boundary.0.traction.vaule: unknown key `vaule`", "did you mean `value`?"]),
    plane("pressure without a set", "gravity: [0.0, -9.81]", "pressure: { value: 3 }", &["boundary.0.pressure.on: missing key `on`"]),
    plane("pressure as a list", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: [1, 2] }", &["boundary.0.pressure.value: must be a choice, got a list of 2"]),
    plane("pressure follows a number", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: 1, follows: 1 }", &["boundary.0.pressure.follows: must be true or false, got number 1"]),
    plane("body force of nothing", "gravity: [0.0, -9.81]", "body_force: { on: block }", &["boundary.0.body_force: needs `per_mass` (m/s^2) or `per_volume` (N/m^3)"]),
    plane("body force twice", "gravity: [0.0, -9.81]", "body_force: { on: block, per_mass: [1, 0], per_volume: [1, 0] }", &["boundary.0.body_force.per_volume: `per_mass` is given too"]),
    plane("body force on an obstacle", "gravity: [0.0, -9.81]", "body_force: { on: right, per_mass: [1, 0] }", &["boundary.0.body_force.on: `right` is an obstacle"]),
    plane("spring pushes", "gravity: [0.0, -9.81]", "spring: { on: block.top, stiffness: -1 }", &["boundary.0.spring.stiffness: must be >= 0, got -1"]),
    plane("spring pushes along y", "gravity: [0.0, -9.81]", "spring: { on: block.top, stiffness: [1, -2] }", &["boundary.0.spring.stiffness: must be >= 0, got -2.0 along y"]),
    plane("spring per length", "gravity: [0.0, -9.81]", "spring: { on: block.top, stiffness: 1, per: length }", &["boundary.0.spring.per: unknown choice `length`", "one of `node`, `area`, `total`"]),
    plane("dashpot without a coefficient", "gravity: [0.0, -9.81]", "dashpot: { on: block.top }", &["boundary.0.dashpot.coefficient: missing key `coefficient`"]),
    plane("dashpot with a stiffness", "gravity: [0.0, -9.81]", "dashpot: { on: block.top, stiffness: 1 }", &["boundary.0.dashpot.stiffness: unknown key `stiffness`"]),
    plane("dashpot drives", "gravity: [0.0, -9.81]", "dashpot: { on: block.top, coefficient: -3 }", &["boundary.0.dashpot.coefficient: must be >= 0, got -3"]),
    // Functions of time
    plane("ramp without an end", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { ramp: { to: 1 } } }", &["boundary.0.pressure.value.ramp: needs `end` or `rise`"]),
    plane("ramp backwards", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { ramp: { to: 1, start: 2, end: 1 } } }", &["boundary.0.pressure.value.ramp.end: must be > start = 2.0, got 1.0"]),
    plane("ramp with both", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { ramp: { to: 1, end: 2, rise: 1 } } }", &["boundary.0.pressure.value.ramp.rise: `end` is given too"]),
    plane("ramp without a target", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { ramp: { end: 2 } } }", &["boundary.0.pressure.value.ramp.to: missing key `to`"]),
    plane("table backwards", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { table: [[0, 1], [2, 1], [1, 1]] } }", &["boundary.0.pressure.value.table: times must increase: point 2 has 1e0 after 2e0"]),
    plane("table of triples", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { table: [[0, 1, 2]] } }", &["boundary.0.pressure.value.table.0: must have 2 numbers (time and value), got 3"]),
    plane("table without points", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { table: [] } }", &["boundary.0.pressure.value.table: a table needs at least one point"]),
    plane("table as a number", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { table: 3 } }", &["boundary.0.pressure.value.table: must be a list or a file, got number 3"]),
    plane("table from nowhere", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { table: { file: nowhere.csv } } }", &["boundary.0.pressure.value.table.file: cases/nowhere.csv: cannot be opened"]),
    plane("sine without a frequency", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { sine: { amplitude: 1 } } }", &["boundary.0.pressure.value.sine.frequency: missing key `frequency`"]),
    plane("sine backwards", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { sine: { amplitude: 1, frequency: -1 } } }", &["boundary.0.pressure.value.sine.frequency: must be >= 0, got -1"]),
    plane("sine misspelt", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { sine: { amplitud: 1, frequency: 1 } } }", &["did you mean `amplitude`?"]),
    plane("formula with a gap", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { expression: '1 + * t' } }", &["boundary.0.pressure.value.expression: column 5 of the formula: `*` was not expected"]),
    plane("formula with a stranger", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { expression: '2*x' } }", &["boundary.0.pressure.value.expression: column 3 of the formula: `x` is not known"]),
    plane("formula without a value", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { expression: 'sqrt(t - 1)' } }", &["boundary.0.pressure.value.expression: must be finite, got NaN at t = 0e0"]),
    plane("constant as text", "gravity: [0.0, -9.81]", "pressure: { on: block.top, value: { constant: big } }", &["boundary.0.pressure.value.constant: must be a number, got text `big`"]),
    // Damping, rotation and the adaptive step
    plane("damping drives", "density: 700.0,", "density: 700.0, damping: { mass: -1 },", &["materials.foam.damping.mass: must be >= 0, got -1"]),
    plane("damping misspelt", "density: 700.0,", "density: 700.0, damping: { stifness: 1 },", &["materials.foam.damping.stifness: unknown key `stifness`", "did you mean `stiffness`?"]),
    plane("damping as a number", "mass: consistent", "damping: 0.1", &["bodies.cylinder.damping: must be a map, got number 0.1"]),
    plane("rotation as a list", "mass: consistent", "rotation: [0, 0, 1]", &["bodies.cylinder.rotation: must be a number, got a list of 3"]),
    plane("rotation not finite", "mass: consistent", "rotation: .inf", &["bodies.cylinder.rotation: must be finite, got .inf"]),
    solid("rotation without an axis", "angular_velocity: [0, 0, 1]", "rotation: { angle: 30 }", &["bodies.cube.rotation.axis: missing key `axis`"]),
    solid("rotation about nothing", "angular_velocity: [0, 0, 1]", "rotation: { axis: [0, 0, 0], angle: 30 }", &["bodies.cube.rotation.axis: must not be zero"]),
    plane("adaptive without a first step", "step: 1.0e-5", "step: { adaptive: { max: 1.0e-4 } }", &["time.step.adaptive.initial: missing key `initial`"]),
    plane("adaptive upside down", "step: 1.0e-5", "step: { adaptive: { initial: 1.0e-3, max: 1.0e-4 } }", &["time.step.adaptive.initial: must lie between min = 1e-6 and max = 0.0001, got 0.001"]),
    plane("adaptive beyond the end", "step: 1.0e-5", "step: { adaptive: { initial: 1.0e-5, max: 1.0 } }", &["time.step.adaptive.max: must be <= time.end = 0.003, got 1.0"]),
    plane("adaptive energy", "step: 1.0e-5", "step: { adaptive: { initial: 1.0e-5, max: 1.0e-4, energy: 2 } }", &["time.step.adaptive.energy: must be > 0.0 and <= 1.0, got 2"]),
    plane("frames between adaptive steps", "step: 1.0e-5", "step: { adaptive: { initial: 1.0e-4, min: 5.0e-5, max: 1.0e-4 } }", &["output.every: must be >= time.step.adaptive.min = 5e-5, got 1e-5"]),
    plane("adaptive misspelt", "step: 1.0e-5", "step: { adaptve: { initial: 1.0e-5 } }", &["time.step: unknown choice `adaptve`", "did you mean `adaptive`?"]),
    plane("fixed on nobody", "block.bottom", "blok.bottom", &["cases/x.yaml:30:20: boundary.1.fixed.on: there is no body `blok`", "did you mean `block`?"]),
    plane("fixed obstacle", "block.bottom", "right.bottom", &["boundary.1.fixed.on: `right` is an obstacle, not a body"]),
    plane("fixed without a set", "block.bottom", "block", &["boundary.1.fixed.on: names no set", "expected: `block.<set>`"]),
    plane("fixed on a path", "block.bottom", "block.a.b", &["boundary.1.fixed.on: `a.b` is not the name of a set"]),
    plane("fixed across the plane", "axes: [x, y]", "axes: [x, z]", &["cases/x.yaml:30:44: boundary.1.fixed.axes.1: unknown choice `z`", "one of `x`, `y`"]),
    plane("fixed twice along x", "axes: [x, y]", "axes: [x, x]", &["boundary.1.fixed.axes.1: axis `x` is given twice"]),
    plane("fixed along nothing", "axes: [x, y]", "axes: []", &["boundary.1.fixed.axes: holds no axis"]),
    // Rigid bodies with mass
    plane("mass zero", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 0 }", &["cases/x.yaml:27:", "obstacles.step.mass: must be > 0, got 0"]),
    plane("mass and density", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, density: 2 }", &["obstacles.step.density: `mass` is given too: one of the two"]),
    plane("mass and motion", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, motion: { velocity: { x: 1 } } }", &["obstacles.step.motion: moves the body along `x`, which `free` names: one of the two"]),
    plane("mass and prescribed turn", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, free: [x, rotation], motion: { rotation: { angular_velocity: 1 } } }", &["obstacles.step.motion: turns the body, which `free` lets turn"]),
    plane("force without mass", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, force: { x: 1 } }", &["obstacles.step.force: belongs to a body with mass: give `mass` or `density` too"]),
    plane("free nothing", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, free: [] }", &["obstacles.step.free: frees nothing"]),
    plane("free out of the plane", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, free: [x, z] }", &["obstacles.step.free.1: unknown direction `z`", "one of `x`, `y`, `rotation`"]),
    plane("free misspelt", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, free: [rotaton] }", &["obstacles.step.free.0: unknown direction `rotaton`", "did you mean `rotation`?"]),
    plane("velocity along a held axis", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, free: [x], velocity: [0, 1] }", &["obstacles.step.velocity: acts along `y`, which `free` does not name"]),
    plane("spin of what cannot turn", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, free: [x], angular_velocity: 3 }", &["obstacles.step.angular_velocity: acts along `rotation`"]),
    plane("force along a held axis", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, free: [x], force: { y: 3 } }", &["obstacles.step.force: acts along `y`"]),
    plane("torque on what cannot turn", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, free: [x], torque: 3 }", &["obstacles.step.torque: acts along `rotation`"]),
    plane("force out of the plane", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, force: { z: 3 } }", &["obstacles.step.force.z: unknown key `z`"]),
    plane("force along no axis", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, force: {} }", &["obstacles.step.force: names no axis"]),
    plane("spring along a held axis", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, free: [x], spring: { y: 3 } }", &["obstacles.step.spring: acts along `y`"]),
    plane("negative dashpot", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, dashpot: { y: -3 } }", &["obstacles.step.dashpot.y: must be >= 0, got -3"]),
    plane("negative inertia", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, inertia: -3 }", &["obstacles.step.inertia: must be > 0, got -3"]),
    plane("centre in space", "max: [1.0, 1.0] } } }", "max: [1.0, 1.0] } }, mass: 1, centre: [0, 0, 0] }", &["obstacles.step.centre: must have 2"]),
    solid("turns about two axes", "normal: [0, 0, 1] } } }", "normal: [0, 0, 1] } }, mass: 1, free: [x, rotation_x, rotation_y] }", &["obstacles.ground.free: a body turns about one axis or about all three"]),
    solid("impossible inertia", "normal: [0, 0, 1] } } }", "normal: [0, 0, 1] } }, mass: 1, inertia: [1, 1, 3] }", &["obstacles.ground.inertia: no body has moments [1.0, 1.0, 3.0]"]),
    // Contacts
    plane("contact of strangers", "[cylinder.surface, right]", "[cylinder.surface, rihgt]", &["cases/x.yaml:32:35: contacts.0.between.1: there is no body or obstacle `rihgt`", "did you mean `right`?"]),
    plane("slave of an obstacle", "level: position", "level: position, slave: cylinder", &["contacts.0.slave: belongs to contact between two bodies"]),
    plane("passes of an obstacle", "level: position", "level: position, passes: two", &["contacts.0.passes: belongs to contact between two bodies"]),
    plane("unknown number of passes", "[cylinder.surface, right], friction: 0.2", "[cylinder.surface, block], passes: three", &["contacts.0.passes: unknown choice `three`"]),
    plane("slave that takes no part", "[cylinder.surface, right], friction: 0.2", "[cylinder.surface, block], slave: right", &["contacts.0.slave: unknown choice `right`"]),
    plane("slave of two passes", "[cylinder.surface, right], friction: 0.2", "[cylinder.surface, block], passes: two, slave: block", &["contacts.0.slave: with two passes the nodes of either side are held"]),
    plane("slave of a body with itself", "[cylinder.surface, right], friction: 0.2", "[block, block], slave: block", &["contacts.0.slave: unknown choice `block`"]),
    plane("the same two bodies twice", "[cylinder.surface, right], friction: 0.2", "[cylinder.surface, block] }
  - { between: [block, cylinder]", &["contacts.1: the same pair is already given as contacts.0"]),
    plane("unknown remedy for overlap", "[cylinder.surface, right], friction: 0.2", "[cylinder.surface, block], overlap: ignore", &["contacts.0.overlap: unknown choice `ignore`"]),
    plane("a pattern that fits nothing", "[cylinder.surface, right]", "[cylinder.surface, grain_*]", &["contacts.0.between.1: no body or obstacle has a name like `grain_*`"]),
    plane("a pattern that fits one body only", "[cylinder.surface, right]", "[cyl*, cyl*]", &["contacts.0.between: no two different bodies have these names"]),
    plane("contact of two obstacles", "[cylinder.surface, right]", "[floor, right]", &["cases/x.yaml:32:16: contacts.0.between: two obstacles never move"]),
    plane("contact of three", "[cylinder.surface, right]", "[cylinder, right, floor]", &["contacts.0.between: must have 2 names, got 3"]),
    plane("contact with a set of an obstacle", "[cylinder.surface, right]", "[cylinder.surface, right.top]", &["contacts.0.between.1: obstacle `right` has no sets, got `top`"]),
    plane("contact twice", "[floor, cylinder]", "[right, cylinder]", &["cases/x.yaml:33:5: contacts.1: the same pair is already given as contacts.0"]),
    plane("negative friction", "friction: 0.2", "friction: -0.2", &["cases/x.yaml:32:53: contacts.0.friction: must be >= 0, got -0.2"]),
    plane("orthotropic friction in the plane", "friction: 0.2", "friction: { mu1: 0.1, mu2: 0.2 }", &["cases/x.yaml:32:53: contacts.0.friction: orthotropic friction needs a second tangent: `geometry: solid`"]),
    solid("orthotropic friction without an axis", "[cube, ground]", "[cube, ground], friction: { mu1: 0.1, mu2: 0.2 }", &["contacts.0.friction.axis: missing key `axis`"]),
    solid("orthotropic friction without a coefficient", "[cube, ground]", "[cube, ground], friction: { mu1: 0.1, axis: [1, 0, 0] }", &["contacts.0.friction.mu2: missing key `mu2`"]),
    solid("negative coefficient along an axis", "[cube, ground]", "[cube, ground], friction: { mu1: -0.1, mu2: 1e7, axis: [1, 0, 0] }", &["contacts.0.friction.mu1: must be >= 0, got -0.1", "contacts.0.friction.mu2: must be at most 1e6, got 1e7"]),
    solid("axis without direction", "[cube, ground]", "[cube, ground], friction: { mu1: 0.1, mu2: 0.2, axis: [0, 0, 0] }", &["contacts.0.friction.axis: must not be zero"]),
    solid("axis in the plane", "[cube, ground]", "[cube, ground], friction: { mu1: 0.1, mu2: 0.2, axis: [1, 0] }", &["contacts.0.friction.axis: must have 3 components, got 2"]),
    solid("slip rule misspelt", "[cube, ground]", "[cube, ground], friction: { mu1: 0.1, mu2: 0.2, axis: [1, 0, 0], slip: colinear }", &["contacts.0.friction.slip: unknown choice `colinear`", "did you mean `collinear`?"]),
    solid("slip ellipse without half axes", "[cube, ground]", "[cube, ground], friction: { mu1: 0.1, mu2: 0.2, axis: [1, 0, 0], slip: { ellipse: { q1: 0 } } }", &["contacts.0.friction.slip.ellipse.q1: must be > 0, got 0", "contacts.0.friction.slip.ellipse.q2: missing key `q2`"]),
    solid("collinear slip without friction along an axis", "[cube, ground]", "[cube, ground], friction: { mu1: 0.1, mu2: 0, axis: [1, 0, 0], slip: collinear }", &["contacts.0.friction.slip: needs friction along both axes"]),
    solid("carrier of the axis", "[cube, ground]", "[cube, ground], friction: { mu1: 0.1, mu2: 0.2, axis: [1, 0, 0], carried_by: ground }", &["contacts.0.friction.carried_by: unknown choice `ground`", "one of `obstacle`, `body`"]),
    solid("carrier of the axis as between two bodies", "[cube, ground]", "[cube, ground], friction: { mu1: 0.1, mu2: 0.2, axis: [1, 0, 0], carried_by: first }", &["contacts.0.friction.carried_by: a body on an obstacle: `body` or `obstacle`"]),
    solid("carrier of the axis as on an obstacle", "[cube, ground]", "[cube.z_min, cube.z_max], friction: { mu1: 0.1, mu2: 0.2, axis: [1, 0, 0], carried_by: body }", &["contacts.0.friction.carried_by: neither is a body on an obstacle: `first` or `second` of `between`"]),
    solid("orthotropic friction misspelt", "[cube, ground]", "[cube, ground], friction: { mu_1: 0.1, mu1: 0.1, mu2: 0.2, axis: [1, 0, 0] }", &["contacts.0.friction.mu_1: unknown key `mu_1`", "did you mean `mu1`?"]),
    plane("motion of nothing", "normal: [0.0, 2.0] } } }", "normal: [0.0, 2.0] } }, motion: {} }", &["obstacles.floor.motion: moves nothing: give `displacement`, `velocity` or `rotation`"]),
    plane("motion in two ways", "normal: [0.0, 2.0] } } }", "normal: [0.0, 2.0] } }, motion: { displacement: { y: 0.0 }, velocity: { y: 1.0 } } }", &["obstacles.floor.motion.velocity: `displacement` is given too: one of the two"]),
    plane("motion along no axis", "normal: [0.0, 2.0] } } }", "normal: [0.0, 2.0] } }, motion: { velocity: {} } }", &["obstacles.floor.motion.velocity: prescribes no axis"]),
    plane("motion out of the plane", "normal: [0.0, 2.0] } } }", "normal: [0.0, 2.0] } }, motion: { velocity: { z: 1.0 } } }", &["obstacles.floor.motion.velocity.z: unknown key `z`"]),
    plane("motion that jumps", "normal: [0.0, 2.0] } } }", "normal: [0.0, 2.0] } }, motion: { displacement: { y: 0.5 } } }", &["obstacles.floor.motion.displacement.y"]),
    plane("rotation without turn", "normal: [0.0, 2.0] } } }", "normal: [0.0, 2.0] } }, motion: { rotation: { centre: [0.0, 0.0] } } }", &["obstacles.floor.motion.rotation: needs `angle` (degrees) or `angular_velocity` (rad/s)"]),
    plane("motion misspelt", "normal: [0.0, 2.0] } } }", "normal: [0.0, 2.0] } }, motion: { velocty: { y: 1.0 } } }", &["did you mean `velocity`?"]),
    plane("contact level", "level: position", "level: acceleration", &["contacts.0.level: unknown choice `acceleration`"]),
    plane("restitution above one", "level: position", "level: velocity, restitution: 1.2", &["contacts.0.restitution: must be >= 0.0 and <= 1.0, got 1.2"]),
    plane("restitution below zero", "level: position", "level: velocity, restitution: -0.1", &["contacts.0.restitution: must be >= 0.0 and <= 1.0, got -0.1"]),
    plane("restitution at position level", "level: position", "level: position, restitution: 0.5", &["contacts.0.restitution: restitution belongs to contact at velocity level: add `level: velocity`"]),
    plane("quasi-static option", "scheme: { jean:", "scheme: { quasi_static: { theta: 1 }, jean:", &["time.scheme"]),
    plane("search distance", "search: 0.01", "search: 0", &["contacts.0.search: must be > 0, got 0"]),
    plane("contact misspelt", "friction: 0.2", "fricton: 0.2", &["cases/x.yaml:32:43: contacts.0.fricton: unknown key `fricton`", "did you mean `friction`?"]),
    plane("rho of Newton", "uzawa:", "newton:", &["cases/x.yaml:34:71: contact_solver.newton.rho: unknown key `rho`"]),
    plane("hybrid misspelt", "uzawa:", "hybird:", &["cases/x.yaml:34:19: contact_solver: unknown choice `hybird`", "did you mean `hybrid`?"]),
    plane("steps of Newton", "uzawa: { tolerance: 1.0e-10, max_iterations: 1000, rho: 1.0 }", "newton: { max_iterations: 0 }", &["contact_solver.newton.max_iterations: must be"]),
    plane("two solvers", "uzawa:", "hybrid: {}, uzawa:", &["contact_solver"]),
    plane("solver misspelt", "uzawa:", "usawa:", &["cases/x.yaml:34:19: contact_solver: unknown choice `usawa`", "did you mean `uzawa`?"]),
    plane("solver tolerance", "tolerance: 1.0e-10", "tolerance: 0", &["contact_solver.uzawa.tolerance: must be > 0.0 and <= 0.01, got 0"]),
    plane("solver rho", "rho: 1.0", "rho: 2.5", &["contact_solver.uzawa.rho: must be > 0.0 and <= 2.0, got 2.5"]),
    plane("step of Uzawa", "rho: 1.0", "step: adaptiv", &["contact_solver.uzawa.step: unknown choice `adaptiv`", "did you mean `adaptive`?"]),
    plane("local solver", "uzawa: { tolerance: 1.0e-10, max_iterations: 1000, rho: 1.0 }", "gauss_seidel: { local: quartic }", &["contact_solver.gauss_seidel.local: unknown choice `quartic`", "one of `exact`, `projection`, `newton`, `enumerative`"]),
    plane("local solver of Jacobi", "uzawa: { tolerance: 1.0e-10, max_iterations: 1000, rho: 1.0 }", "jacobi: { local: exact }", &["contact_solver.jacobi.local: unknown key `local`"]),
    plane("contact operator", "rho: 1.0", "operator: sparse", &["contact_solver.uzawa.operator: unknown choice `sparse`", "one of `auto`, `stored`, `matrix_free`"]),
    plane("operator of Gauss-Seidel", "uzawa: { tolerance: 1.0e-10, max_iterations: 1000, rho: 1.0 }", "gauss_seidel: { operator: matrix_free }", &["contact_solver.gauss_seidel.operator: unknown key `operator`"]),
    plane("what to do on failure", "rho: 1.0", "on_failure: continue", &["contact_solver.uzawa.on_failure: unknown choice `continue`", "one of `cut_step`, `go_on`"]),
    plane("rho of the extragradient", "uzawa:", "extragradient:", &["contact_solver.extragradient.rho: unknown key `rho`"]),
    plane("projected gradient misspelt", "uzawa:", "projected_gradiant:", &["contact_solver: unknown choice `projected_gradiant`", "did you mean `projected_gradient`?"]),
    plane("rho of the other solver", "uzawa:", "gauss_seidel:", &["contact_solver.gauss_seidel.rho: unknown key `rho`"]),
    // Output
    plane("output too often", "every: 1.0e-5", "every: 1.0e-6", &["cases/x.yaml:36:10: output.every: must be >= time.step = 1e-5, got 1e-6"]),
    plane("field misspelt", "[displacement, velocity]", "[displacement, velocty]", &["cases/x.yaml:37:26: output.fields.1: unknown choice `velocty`", "did you mean `velocity`?"]),
    plane("field half remembered", "[displacement, velocity]", "[displacement, friction_density]", &["output.fields.1: unknown choice `friction_density`", "friction_energy_density"]),
    plane("field twice", "[displacement, velocity]", "[velocity, velocity]", &["cases/x.yaml:37:22: output.fields.1: field `velocity` is given twice"]),
    plane("probe of nobody", "body: cylinder", "body: sphere", &["cases/x.yaml:38:29: output.probes.centre.body: there is no body `sphere`", "one of `cylinder`, `block`"]),
    plane("probe without a place", ", at: [0.0, 0.03]", "", &["cases/x.yaml:38:21: output.probes.centre.at: missing key `at`"]),
    plane("probe name", "{ centre: {", "{ a/b: {", &["output.probes.a/b: `a/b` is not a name"]),
    plane("compression", "compression: 4", "compression: 10", &["cases/x.yaml:39:16: output.compression: must be a whole number from 0 to 9, got 10"]),
    // Expectations
    plane("quantity is no path", "friction_dissipation", "/friction dissipation", &["cases/x.yaml:41:17: expect.0.quantity: `/friction dissipation` is not the path of a quantity"]),
    plane("moment misspelt", "at: final", "at: finally", &["expect.0.at: unknown choice `finally`", "did you mean `final`?"]),
    plane("moment after the end", "at: 1.0e-3", "at: 1.0", &["cases/x.yaml:42:49: expect.1.at: must be <= time.end = 0.003, got 1.0"]),
    plane("value missing", "value: 1.5, ", "", &["cases/x.yaml:41:5: expect.0.value: missing key `value`"]),
    plane("no tolerance", "tolerance: 0.1, ", "", &["cases/x.yaml:41:5: expect.0: missing key `tolerance` or `relative`"]),
    plane("two tolerances", "tolerance: 0.1", "tolerance: 0.1, relative: 0.1", &["expect.0.relative: both `tolerance` and `relative` are given"]),
    plane("negative tolerance", "tolerance: 0.1", "tolerance: -0.1", &["expect.0.tolerance: must be >= 0, got -0.1"]),
    plane("relative to zero", "value: 12.0", "value: 0", &["expect.1.relative: a fraction of the value 0 allows no deviation"]),
];

fn message(text: &str, sets: &[&str]) -> String {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    match parse(text, "cases/x.yaml", &sets) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_good_cases_are_good() {
    let case = parse(GOOD, "cases/groove.yaml", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((case.name.as_str(), case.file_name.as_str()), ("groove", "groove.yaml"));
    assert_eq!(case.text_as_run, GOOD);
    assert_eq!((case.bodies.len(), case.bodies[1].material.default, case.obstacles.len()), (2, 1, 4));
    assert_eq!(case.bodies[0].angular_velocity, [0.0, 0.0, 5.0]);
    assert_eq!(case.contacts[1].value.with, Counterpart::Obstacles(vec![[0, 1]]));
    assert_eq!(case.contacts[1].value.set.value, "surface");
    let floor = HalfSpace { point: Vector::zeros(), normal: Vector::y() };
    assert_eq!(case.obstacles[1].shape.value, Shape::Made(Box::new(floor.into())));
    let case = parse(SOLID, "cube.yaml", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((case.geometry, case.title.as_str(), case.output.every), (Geometry::Solid, "cube", 0.1));
    assert_eq!(case.output.fields.len(), Field::ALL.len());
    assert_eq!((case.contact_solver.method, case.contact_solver.max_iterations), (ContactMethod::Hybrid, 10_000));
}

#[test]
fn a_clockwise_polygon_is_turned() {
    let text =
        GOOD.replace("[[0.005, 0.0], [0.015, 0.0], [0.015, 0.035]", "[[0.015, 0.035], [0.015, 0.0], [0.005, 0.0]");
    let outline = |text: &str| {
        let case = parse(text, "x.yaml", &[]).unwrap_or_else(|error| panic!("{error}"));
        let Shape::Made(shape) = &case.obstacles[0].shape.value else { panic!("no file is named") };
        let AnyShape::Chain(chain) = &**shape else { panic!("a polygon is a chain") };
        chain.lines()[0].points.clone()
    };
    let (typed, turned) = (outline(GOOD), outline(&text));
    assert_eq!(typed[0], [0.005, 0.0]);
    assert_eq!(turned[0], [0.012, 0.035]);
}

#[test]
fn each_broken_case_says_what_is_wrong_and_where() {
    let mut failures = Vec::new();
    for case in BROKEN {
        assert!(case.base.contains(case.from), "{}: `{}` is not in the good case", case.name, case.from);
        let said = message(&case.base.replacen(case.from, case.to, 1), &[]);
        for part in case.says.iter().filter(|part| !said.contains(**part)) {
            failures.push(format!("{}: expected `{part}` in\n{said}", case.name));
        }
        if case.says.is_empty() || said.is_empty() {
            failures.push(format!("{}: passes, or expects nothing", case.name));
        }
    }
    assert!(BROKEN.len() >= 70);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn all_problems_come_in_one_go_in_the_order_of_the_file() {
    let text = GOOD
        .replace("plane_strain", "plane_stres")
        .replace("theta: 0.5", "theta: 0")
        .replace("radius: 0.01", "radius: -1")
        .replace("material: steel", "material: stel")
        .replace("friction: 0.2", "friction: -1")
        .replace("velocity]", "velocty]");
    let error = parse(&text, "x.yaml", &["output.compression=99".to_owned()]).unwrap_err();
    let paths: Vec<&str> = error.diagnostics.iter().map(|problem| problem.path.as_str()).collect();
    let expected = [
        "geometry",
        "time.scheme.jean.theta",
        "bodies.cylinder.mesh.disc.radius",
        "bodies.block.material",
        "contacts.0.friction",
        "output.fields.1",
        "output.compression",
    ];
    assert_eq!(paths, expected, "{error}");
    assert!(error.to_string().ends_with("7 problems\n"));
}

/// What only the mesh can tell: cell sets that do not exist, overlap or are empty, formulations a cell cannot have, and bodies
/// of revolution across their axis.
#[test]
fn what_only_the_mesh_can_tell_is_reported_with_its_place() {
    let build = |text: String| impakt::case::build(&parse(&text, "x.yaml", &[]).unwrap()).unwrap_err().to_string();
    let plane = |from: &str, to: &str| build(GOOD.replace(from, to));
    let ring = |from: &str, to: &str| build(RING.replace(from, to));
    let table = [
        (
            plane("material: foam", "material: { default: foam, sets: { cor: steel } }"),
            vec![
                "x.yaml:16:",
                "bodies.cylinder.material.sets.cor: body `cylinder` has no cell set `cor`",
                "did you mean `core`?",
                "one of all, core, shell",
            ],
        ),
        (
            plane("material: foam", "material: { default: foam, sets: { core: steel, all: steel } }"),
            vec!["bodies.cylinder.material.sets.all: cell 0 is in set `all` and in set `core`"],
        ),
        (
            plane("mass: consistent", "cell_sets: { far: { min: [5, 5], max: [6, 6] } }"),
            vec!["x.yaml:19:18: bodies.cylinder.cell_sets.far: no cell has its centre in this box"],
        ),
        (
            plane("mass: consistent", "cell_sets: { core: { min: [-1, -1], max: [1, 1] } }"),
            vec!["bodies.cylinder.cell_sets.core: the mesh has a cell set `core` of its own"],
        ),
        (
            plane("mass: consistent", "formulation: mean_dilatation"),
            vec![
                "x.yaml:19:18: bodies.cylinder.formulation: mean dilatation is not available for Quad4 cells of law `blatz_ko`",
                "`linear`, `neo_hooke`, `mooney_rivlin`, `ogden`",
            ],
        ),
        (
            ring("divisions: [2, 2]", "divisions: [2, 2], cells: triangles"),
            vec![
                "x.yaml:9:18: bodies.ring.formulation: mean dilatation is not available for Tri3 cells of law `neo_hooke`",
            ],
        ),
        (
            ring("min: [0, 0]", "min: [-1, 0]"),
            vec!["x.yaml:7:", "bodies.ring.mesh.rectangle: node 0 at [-1, 0] lies beyond the axis x = 0"],
        ),
        (
            ring("{ gravity: [0.0, -9.81] }", "{ velocity: { on: ring.top, x: 0.1 } }"),
            vec!["x.yaml:11:17: boundary.0.velocity: moves node 6 off the axis of the body"],
        ),
        (
            ring("    material: rubber", "    material: rubber\n    velocity: [1, 0]"),
            vec!["bodies.ring: the body touches the axis: a radial velocity of 1 would tear it"],
        ),
    ];
    for (message, says) in table {
        for part in says {
            assert!(message.contains(part), "expected `{part}` in:\n{message}");
        }
    }
    let sheet =
        GOOD.replace("plane_strain", "plane_stress").replace("mass: consistent", "formulation: mean_dilatation");
    let error = parse(&sheet, "x.yaml", &[]).unwrap_err().to_string();
    assert!(error.contains("bodies.cylinder.formulation: a sheet in plane stress does not lock"), "{error}");
    for good in [RING.to_owned(), GOOD.replace("plane_strain", "plane_stress")] {
        assert!(parse(&good, "x.yaml", &[]).is_ok());
    }
}

#[test]
fn a_broken_section_is_not_reported_through_its_neighbours() {
    let error = parse(&GOOD.replace("plane_strain", "flat"), "x.yaml", &[]).unwrap_err();
    assert_eq!(error.diagnostics.len(), 1, "{error}");
    let error = parse(&GOOD.replace("end: 3.0e-3", "end: soon"), "x.yaml", &[]).unwrap_err();
    assert_eq!(error.diagnostics.len(), 1, "{error}");
    let error = parse(&GOOD.replace("density: 700.0", "density: 0"), "x.yaml", &[]).unwrap_err();
    assert_eq!(error.diagnostics.len(), 1, "{error}");
}

#[test]
fn set_changes_the_case_and_is_named_when_wrong() {
    let set = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        parse(GOOD, "x.yaml", &arguments)
    };
    let case = set(&["contacts.*.friction=0.3", "time.scheme.jean.theta=1", "contact_solver=gauss_seidel"]).unwrap();
    assert!(case.contacts.iter().all(|contact| contact.value.friction == 0.3.into()));
    assert!(matches!(case.contact_solver.method, ContactMethod::GaussSeidel(_)));
    let again = parse(&case.text_as_run, "x.yaml", &[]).unwrap_or_else(|error| panic!("{}{error}", case.text_as_run));
    assert_eq!((again.time, again.contact_solver), (case.time, case.contact_solver));
    assert_eq!((&again.materials.len(), &again.output.fields), (&case.materials.len(), &case.output.fields));

    for (argument, says) in [
        ("contacts.0.friction=-1", "error: --set contacts.0.friction=-1: contacts.0.friction: must be >= 0, got -1"),
        ("contacts.0.friction=-1", "--set | contacts.0.friction=-1\n          |                     ^"),
        ("contacts.7.friction=1", "contacts.7: there is no item 7: the list has 2"),
        ("time.step.x=1", "time.step.x: the path leads through number 1.0e-5"),
        ("tmie.step=1", "tmie: unknown key `tmie`"),
        ("time.step", "there is no `=` in it"),
        ("time.step=[1", "not valid YAML"),
        ("time..step=1", "a name in the path is empty"),
        ("contacts.0.friction=", "there is nothing after the `=`"),
        ("contacts.0.friction=1e300", "contacts.0.friction: must be at most 1e6, got 1e300"),
        ("thickness=1e-200", "thickness: must be from 1e-9 to 1e9 m, got 1e-200"),
    ] {
        let said = set(&[argument]).unwrap_err().to_string();
        assert!(said.contains(says), "{argument}: expected `{says}` in\n{said}");
    }
}

#[test]
fn anchors_and_merge_keys_work_and_keep_their_places() {
    let text = GOOD
        .replace("foam: { density: 700.0,", "foam: { density: &d 700.0,")
        .replace("{ density: 7800.0, law:", "{ density: *d, law:")
        .replace(
            "  - { between: [cylinder.surface, right], friction: 0.2,",
            "  - &c { between: [cylinder.surface, right], friction: -2,",
        )
        .replace("  - { between: [floor, cylinder], friction: 0 }", "  - { <<: *c, between: [floor, cylinder] }");
    let said = message(&text, &[]);
    assert!(said.contains("cases/x.yaml:32:56: contacts.0.friction: must be >= 0, got -2"), "{said}");
    assert!(said.contains("cases/x.yaml:32:56: contacts.1.friction: must be >= 0, got -2"), "{said}");
    assert!(said.ends_with("2 problems\n"), "{said}");
}

#[test]
fn bombs_are_refused() {
    let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let alias = format!("*a{}", level - 1);
        laughs.push_str(&format!("a{level}: &a{level} [{}]\n", vec![alias; 10].join(", ")));
    }
    let wide = format!("a: &a {}\nb: [{}]\n", "x".repeat(1 << 20), "*a, ".repeat(1000));
    let mut chain = "a0: &a0 [x]\n".to_owned();
    for level in 1..2000 {
        chain.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    let mut merges = "a0: &a0 {k: 1}\n".to_owned();
    for level in 1..2000 {
        merges.push_str(&format!("a{level}: &a{level} {{<<: *a{}, k{level}: 1}}\n", level - 1));
    }
    for (text, says) in [
        (laughs, "the document is too large with its aliases written out"),
        (wide, "the document is too large with its aliases written out"),
        (chain, "nested more than 64 levels deep"),
        (merges, "the document is too large with its aliases written out"),
        (format!("a: [{}]", "1,".repeat(600_000)), "the document is too large"),
        (" ".repeat((16 << 20) + 1), "is larger than 16 MiB"),
    ] {
        let said = message(&text, &[]);
        assert!(said.contains(says), "expected `{says}` in\n{said}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let block: String = (0..3000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    for text in [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        format!("a: {}{}", "[".repeat(80), "]".repeat(80)),
        block,
    ] {
        let said = message(&text, &[]);
        assert!(said.contains("cases/x.yaml:") && said.starts_with("error: "), "{said}");
        assert!(said.contains("levels deep") || said.contains("recursion limit"), "{said}");
    }
    let path = "a.".repeat(100_000) + "a=1";
    let said = message(GOOD, &[&path]);
    assert!(said.contains("the path has more than 64 names"), "{}", &said[..200]);
}

#[test]
fn many_problems_are_counted_but_not_all_shown() {
    let many: String = (0..1000).map(|i| format!("k{i}: 1\n")).collect();
    let error = parse(&format!("{GOOD}{many}"), "x.yaml", &[]).unwrap_err();
    assert_eq!((error.diagnostics.len(), error.dropped), (200, 800));
    assert!(error.to_string().ends_with("1000 problems, the first 200 are shown\n"));
}

#[test]
fn files_that_cannot_be_read() {
    let folder = std::env::temp_dir().join(format!("impakt-bad-cases-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let said = |error: CaseError| error.to_string();
    let missing = said(read(&folder.join("missing.yaml"), &[]).unwrap_err());
    assert!(missing.contains("missing.yaml: cannot be opened"), "{missing}");
    let directory = said(read(&folder, &[]).unwrap_err());
    assert!(directory.contains("cannot be"), "{directory}");
    let file = folder.join("latin1.yaml");
    std::fs::write(&file, b"title: a\nsource: M\xfcller\n").unwrap();
    let latin = said(read(&file, &[]).unwrap_err());
    assert!(latin.contains("latin1.yaml:2:10: byte 0xfc is not valid UTF-8"), "{latin}");
    std::fs::write(&file, format!("\u{feff}{}", GOOD.replace('\n', "\r\n"))).unwrap();
    assert!(read(&file, &[]).is_ok());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn every_load_is_read() {
    let case = parse(LOADED, "x.yaml", &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(case.boundary.len(), 10);
    impakt::case::build(&case).unwrap_or_else(|error| panic!("{error}"));
    let set = ["boundary.4.force.time={ ramp: { to: 3, end: 1 } }".to_owned()];
    let changed = parse(LOADED, "x.yaml", &set).unwrap_or_else(|error| panic!("{error}"));
    let again = parse(&changed.text_as_run, "x.yaml", &[]).unwrap_or_else(|error| panic!("{error}"));
    let force = |case: &impakt::case::Case| match &case.boundary[4].value {
        Boundary::Force { value, share, time, .. } => (*value, *share, time.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(force(&again), force(&changed));
}

#[test]
fn truncated_and_mutated_cases_never_panic() {
    for end in 0..GOOD.len() {
        let _ = message(&GOOD[..end], &[]);
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let alphabet = b"[]{}:,-&*!|>'\"%@`#?<=. \n\t\r\0~019eExyz_\x1b\x80\xff";
    for base in [GOOD, SOLID, LOADED] {
        for _ in 0..3000 {
            let mut bytes = base.as_bytes().to_vec();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                match random(3) {
                    0 => bytes[at] = alphabet[random(alphabet.len())],
                    1 => bytes.insert(at, alphabet[random(alphabet.len())]),
                    _ => {
                        let end = (at + random(40)).min(bytes.len());
                        bytes.drain(at..end);
                    }
                }
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // A mutated case may still be good; then its text as run must be good as well.
            let set = ["output.compression=3".to_owned()];
            if let Ok(case) = parse(&text, "x.yaml", &set) {
                let again =
                    parse(&case.text_as_run, "x.yaml", &[]).unwrap_or_else(|e| panic!("{}\n{e}", case.text_as_run));
                assert_eq!(again.bodies.len(), case.bodies.len());
            }
        }
    }
}
