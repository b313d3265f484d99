//! The energy ledger of a step, for every law, element, geometry, formulation and force rule: it closes to 1e-10 of the energy, and
//! the discrete gradient loses nothing (THEORY 2.2, 2.3).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails loudly

mod support;

use impakt::bodies::BodyState;
use impakt::elements::{Lumping, Section};
use impakt::integrator::{Force, Jean, Ledger, Newton, NewtonOptions, NoReactions, System};
use impakt::materials::Kinematics;
use support::catalogue::{combinations, label, made};
use support::claims::source;
use support::{Random, at_most, nodal, unit_mesh};

/// A body that spins, stretches and shakes freely for ten steps of about a tenth of the time a wave needs to cross it. (The
/// linear law has no energy that is invariant under large turns and gets no spin, and so does a body of revolution.)
#[test]
fn the_ledger_closes_for_every_law_element_geometry_and_rule() {
    source("energy identity of the scheme: T + U changes by the work and the losses that are booked");
    let mut largest = [0.0f64; 3];
    for (kind, section, formulation, law) in combinations() {
        for (rule, force) in [Force::Trapezoidal, Force::Midpoint, Force::DiscreteGradient].into_iter().enumerate() {
            let body = made(unit_mesh(kind, 2), section, formulation, law.clone(), Lumping::Consistent);
            let n = body.dof_count();
            let spins = section != Section::Axisymmetric && law.kinematics() == Kinematics::Finite;
            let spin = if spins { 0.8 } else { 0.0 };
            let mut random = Random::new(81);
            let mut start = BodyState::zero(n);
            start.v = nodal(&body.mesh, |x| [0.3 * x[0] - spin * x[1], spin * x[0] - 0.2 * x[1], 0.1 * x[0]]);
            start.v.iter_mut().for_each(|v| *v += 0.05 * random.signed());
            let scheme = Jean { theta: 0.5, xi: 0.5, force };
            let mut system = System::new(vec![body.into()], vec![start]);
            let newton = Newton { options: NewtonOptions::default() };
            let mut ledger = Ledger::open(&system);
            let initial = ledger.initial();
            let dt = 0.1;
            let name = format!("{}, {force:?}", label(kind, section, formulation, &law));
            for step in 0..10 {
                newton
                    .step(&scheme, &mut system, &mut NoReactions, dt)
                    .unwrap_or_else(|e| panic!("{name}: step {step}: {e}"));
                let mut next = BodyState::moving(system.trial(0).to_vec(), vec![0.0; n]);
                system.end_velocity(&scheme, 0, dt, &mut next.v);
                let next = vec![next];
                ledger.book(&scheme, &system, &next, dt, impakt::integrator::ContactWork::default());
                system.states = next;
                system.time += dt;
            }
            at_most(format!("{name}: ledger error"), ledger.now.error.abs() / initial, 1e-10);
            largest[rule] = largest[rule].max(ledger.now.error.abs() / initial);
            assert!(ledger.now.strain > 1e-4 * initial, "{name}: the body must store energy");
            if force == Force::DiscreteGradient {
                at_most(format!("{name}: lost to the scheme"), ledger.now.numerical.abs() / initial, 1e-10);
                let kept = (ledger.now.total() / initial - 1.0).abs();
                at_most(format!("{name}: change of the total energy"), kept, 1e-10);
            }
        }
    }
    println!(
        "largest ledger error: trapezoidal {:.1e}, midpoint {:.1e}, discrete gradient {:.1e}",
        largest[0], largest[1], largest[2]
    );
}
