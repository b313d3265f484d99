//! Coulomb's cone `K_μ = {‖r_t‖ ≤ μ r_n}` and the projection on it, the corrector of the bi-potential method: a closed form where
//! the cone is round, one root where it is elliptic. Local vectors are ordered (n, t1, t2).

use super::friction::Friction;

/// Euclidean projection of `tau` on the cone, in two (`D = 2`) or three dimensions.
#[inline(always)]
pub fn project<const D: usize>(tau: &[f64; D], friction: &Friction) -> [f64; D] {
    if D == 2 || friction.is_round() {
        return project_round(tau, friction.along[0]);
    }
    let (n, t) = friction.project(tau[0], [tau[1], tau[2]]);
    std::array::from_fn(|i| if i == 0 { n } else { t[i - 1] })
}

/// The same on the round cone.
#[inline(always)]
pub fn project_round<const D: usize>(tau: &[f64; D], friction: f64) -> [f64; D] {
    let tangential = norm_t(tau);
    let normal = tau[0];
    if friction * tangential <= -normal {
        return [0.0; D]; // open: tau lies in the polar cone
    }
    if tangential <= friction * normal {
        return *tau; // stick
    }
    let r_n = (normal + friction * tangential) / (1.0 + friction * friction);
    let scale = if tangential > 0.0 { friction * r_n / tangential } else { 0.0 };
    std::array::from_fn(|i| if i == 0 { r_n } else { scale * tau[i] })
}

/// Length of the tangential part.
#[inline(always)]
pub fn norm_t<const D: usize>(x: &[f64; D]) -> f64 {
    if D == 2 { x[1].abs() } else { x[1..].iter().map(|a| a * a).sum::<f64>().sqrt() }
}

/// De Saxcé's shifted displacement `û = u + μ‖u_t‖ n`: with it the contact law is `û ∈ K*`, `r ∈ K`, `û·r = 0`. For an elliptic
/// cone the shift is the dual norm of `u_t`, as the slip rule sees it.
#[inline(always)]
pub fn shifted<const D: usize>(u: &[f64; D], friction: &Friction) -> [f64; D] {
    let mut hat = *u;
    if D == 2 || friction.is_round() {
        hat[0] += friction.along[0] * norm_t(u);
        return hat;
    }
    let (shift, w) = friction.seen([u[1], u[2]]);
    std::array::from_fn(|i| if i == 0 { u[0] + shift } else { w[i - 1] })
}

/// How far the tangential force lies outside the cone, along its own direction; negative inside.
#[inline(always)]
pub fn excess(r: &[f64], friction: &Friction) -> f64 {
    if r.len() == 2 {
        return r[1].abs() - friction.along[0] * r[0];
    }
    let tangential = (r[1] * r[1] + r[2] * r[2]).sqrt();
    if friction.is_round() {
        return tangential - friction.along[0] * r[0];
    }
    let gauge = friction.gauge([r[1], r[2]]);
    if gauge > 0.0 { tangential * (1.0 - r[0] / gauge) } else { -friction.along[0].min(friction.along[1]) * r[0] }
}

/// State of a contact point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// No force.
    #[default]
    Open,
    /// Force inside the cone.
    Stick,
    /// Force on the cone.
    Slip,
}

/// Reads the status off a reaction. A frictionless point that carries force slips.
pub fn status(r: &[f64], friction: &Friction) -> Status {
    let tangential = r[1..].iter().map(|a| a * a).sum::<f64>().sqrt();
    let on_cone = if r.len() == 2 || friction.is_round() {
        tangential >= friction.along[0] * r[0] * (1.0 - 1e-9)
    } else {
        friction.gauge([r[1], r[2]]) >= r[0] * (1.0 - 1e-9)
    };
    if r[0] <= 0.0 {
        Status::Open
    } else if on_cone {
        Status::Slip
    } else {
        Status::Stick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point outside, on each side and inside: the projection stays in the cone, is idempotent, and the difference
    /// is normal to it (Moreau's decomposition).
    #[test]
    fn projection_is_the_nearest_point_of_the_cone() {
        let mut seed = 7u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0
        };
        for friction in [0.0, 0.2, 1.0, 3.0] {
            for _ in 0..500 {
                let tau = [random(), random(), random()];
                let r = project_round(&tau, friction);
                assert!(norm_t(&r) <= friction * r[0] + 1e-14);
                let again = project_round(&r, friction);
                assert!((0..3).all(|i| (again[i] - r[i]).abs() < 1e-14));
                let rest: [f64; 3] = std::array::from_fn(|i| tau[i] - r[i]);
                let product: f64 = (0..3).map(|i| rest[i] * r[i]).sum();
                assert!(product.abs() < 1e-13, "rest not orthogonal: {product:e}");
                assert!(friction * norm_t(&rest) <= -rest[0] + 1e-13, "rest not in the polar cone");
            }
        }
    }

    #[test]
    fn two_dimensions_agree_with_three() {
        for tau in [[1.0, 3.0], [-1.0, 0.2], [2.0, -0.1], [-0.5, -4.0]] {
            let flat = project_round(&tau, 0.4);
            let solid = project_round(&[tau[0], tau[1], 0.0], 0.4);
            assert!((flat[0] - solid[0]).abs() < 1e-15 && (flat[1] - solid[1]).abs() < 1e-15);
        }
    }
}
