//! Which parameter moves which result: first-order indices and exponents from the samples of a study.
//!
//! The first-order index of a parameter, `S_i = Var(E[y | u_i]) / Var(y)`, is the share of the variance of `y` that goes when
//! the parameter is held \[Sobol1993\]. `y` is fitted by a sum of polynomials in each parameter alone, orthonormal on the unit
//! interval; the squares of the coefficients of parameter `i` add up to the variance of `E[y | u_i]` \[Sudret2008\].

use nalgebra::{Cholesky, DMatrix, DVector};

use super::super::column::Measure;
use super::charts::number;
use super::table::{aligned, comma_separated};
use super::{Choice, Design, Row};

/// Samples for each coefficient of the polynomials.
const SAMPLES: usize = 4;
/// Largest degree.
const MOST_DEGREE: usize = 8;

/// What one result has to do with one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// The result.
    pub measure: String,
    /// Path of the parameter.
    pub parameter: String,
    /// First-order index; not a number for a result that does not vary, and for too few samples.
    pub first_order: f64,
    /// Exponent of the parameter in the power law through all samples; not a number where signs change.
    pub exponent: f64,
    /// Share of the variance of the result's logarithm that this power law explains.
    pub explained: f64,
    /// Runs that came to their end.
    pub runs: usize,
}

/// The sensitivities of a sampled study: of each result that varies to each parameter. Empty for other studies.
pub fn sensitivities(design: &Design, measures: &[Measure], rows: &[Row]) -> Vec<Sensitivity> {
    let Choice::Samples(parameters, places) = &design.choice else { return Vec::new() };
    let mut all = Vec::new();
    for (k, measure) in measures.iter().enumerate() {
        let used: Vec<usize> =
            (0..rows.len()).filter(|r| rows[*r].is_done() && rows[*r].values[k].is_finite()).collect();
        let y: Vec<f64> = used.iter().map(|r| rows[*r].values[k]).collect();
        if y.iter().all(|value| *value == y[0]) {
            continue;
        }
        let u: Vec<&[f64]> = used.iter().map(|r| places[*r].as_slice()).collect();
        let of = |r: &usize| parameters.iter().map(|axis| number(&rows[*r], *axis)).collect::<Vec<f64>>();
        let x: Vec<Vec<f64>> = used.iter().map(of).collect();
        let first = first_order(&u, &y);
        let law = power_law(&x, &y);
        for (i, axis) in parameters.iter().enumerate() {
            all.push(Sensitivity {
                measure: measure.to_string(),
                parameter: design.axes[*axis].path.clone(),
                first_order: first.as_ref().map_or(f64::NAN, |first| first[i]),
                exponent: law.as_ref().map_or(f64::NAN, |(exponents, _)| exponents[i]),
                explained: law.as_ref().map_or(f64::NAN, |(_, explained)| *explained),
                runs: used.len(),
            });
        }
    }
    all
}

/// First-order indices of samples at places `u` of the unit cube; none for fewer samples than coefficients ask for.
pub fn first_order(u: &[&[f64]], y: &[f64]) -> Option<Vec<f64>> {
    let (samples, parameters) = (y.len(), u.first()?.len());
    let degree = (samples / (SAMPLES * parameters)).min(MOST_DEGREE);
    if degree == 0 {
        return None;
    }
    let row = |place: &&[f64]| {
        let each = place.iter().flat_map(|u| (1..=degree).map(|k| legendre(k, *u)).collect::<Vec<f64>>());
        std::iter::once(1.0).chain(each).collect::<Vec<f64>>()
    };
    let fit = Fit::new(&u.iter().map(row).collect::<Vec<Vec<f64>>>(), y)?;
    // the square of a coefficient is too large by its own variance
    let variance = |k: usize| fit.coefficients[k].powi(2) - fit.noise * fit.inverse[(k, k)];
    let of = |i: usize| (1..=degree).map(|k| variance(i * degree + k)).sum::<f64>() / fit.variance;
    Some((0..parameters).map(|i| of(i).clamp(0.0, 1.0)).collect())
}

/// Exponents `b` of `y = c Π |x_i|^b_i` by least squares in the logarithms, and the share of the variance they explain. None
/// unless each parameter has one sign, and `y` as well.
pub fn power_law(x: &[Vec<f64>], y: &[f64]) -> Option<(Vec<f64>, f64)> {
    let one_sign = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<f64> = values.collect();
        values.iter().all(|value| *value > 0.0) || values.iter().all(|value| *value < 0.0)
    };
    let parameters = x.first()?.len();
    if !one_sign(&mut y.iter().copied()) || !(0..parameters).all(|k| one_sign(&mut x.iter().map(|x| x[k]))) {
        return None;
    }
    let row = |x: &Vec<f64>| std::iter::once(1.0).chain(x.iter().map(|x| x.abs().ln())).collect::<Vec<f64>>();
    let logarithms: Vec<f64> = y.iter().map(|y| y.abs().ln()).collect();
    let fit = Fit::new(&x.iter().map(row).collect::<Vec<Vec<f64>>>(), &logarithms)?;
    Some((fit.coefficients.iter().skip(1).copied().collect(), 1.0 - fit.rest / fit.variance))
}

/// Legendre's polynomial of degree `k` on the unit interval, of norm 1.
fn legendre(k: usize, u: f64) -> f64 {
    let t = 2.0 * u - 1.0;
    let (mut before, mut now) = (1.0, t);
    for n in 1..k {
        let n = n as f64;
        (before, now) = (now, ((2.0 * n + 1.0) * t * now - n * before) / (n + 1.0));
    }
    ((2 * k + 1) as f64).sqrt() * now
}

/// A fit by least squares.
struct Fit {
    coefficients: DVector<f64>,
    /// (AᵀA)⁻¹.
    inverse: DMatrix<f64>,
    /// Variance of what was fitted, and mean square of what is left of it.
    variance: f64,
    rest: f64,
    /// Variance of the error of one value.
    noise: f64,
}

impl Fit {
    /// None if there are not more values than coefficients, or the columns are not independent.
    fn new(rows: &[Vec<f64>], y: &[f64]) -> Option<Self> {
        let (n, m) = (rows.len(), rows.first()?.len());
        if n <= m {
            return None;
        }
        // columns of one size: logarithms of moduli lie far from zero, and the constant takes their means
        let means: Vec<f64> =
            (0..m).map(|k| if k == 0 { 0.0 } else { rows.iter().map(|r| r[k]).sum::<f64>() / n as f64 }).collect();
        let a = DMatrix::from_fn(n, m, |r, k| rows[r][k] - means[k]);
        let y = DVector::from_column_slice(y);
        let inverse = Cholesky::new(a.transpose() * &a)?.inverse();
        let coefficients = &inverse * (a.transpose() * &y);
        let left = (&y - &a * &coefficients).norm_squared();
        let variance = y.add_scalar(-y.mean()).norm_squared() / n as f64;
        (variance > 0.0).then(|| Fit {
            coefficients,
            inverse,
            variance,
            rest: left / n as f64,
            noise: left / (n - m) as f64,
        })
    }
}

/// Sensitivities for people.
pub fn sensitivity_table(all: &[Sensitivity]) -> String {
    let number = |value: f64| if value.is_nan() { "-".to_owned() } else { format!("{value:.3}") };
    let header = ["result", "parameter", "first order", "exponent", "explained"].map(str::to_owned).to_vec();
    let line = |s: &Sensitivity| {
        let values = [s.first_order, s.exponent, s.explained].map(number);
        [s.measure.clone(), s.parameter.clone()].into_iter().chain(values).collect()
    };
    aligned(&std::iter::once(header).chain(all.iter().map(line)).collect::<Vec<Vec<String>>>())
}

/// Sensitivities for programs.
pub fn sensitivity_csv(all: &[Sensitivity]) -> String {
    let header = ["result", "parameter", "first_order", "exponent", "explained", "runs"].map(str::to_owned).to_vec();
    let line = |s: &Sensitivity| {
        let values = [s.first_order, s.exponent, s.explained].map(|value| format!("{value:?}"));
        let names = [s.measure.clone(), s.parameter.clone()];
        names.into_iter().chain(values).chain([s.runs.to_string()]).collect()
    };
    comma_separated(std::iter::once(header).chain(all.iter().map(line)))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::super::sample::{Sampling, places};
    use super::*;

    /// y = sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁ on [−π, π]³ [Ishigami1990]: its variance is 13.845, S = (0.3139, 0.4424, 0).
    /// A quarter of it is interaction, which a sum of functions of one parameter leaves as noise.
    #[test]
    fn indices_of_the_function_of_ishigami() {
        let ishigami = |u: &[f64]| {
            let x: Vec<f64> = u.iter().map(|u| PI * (2.0 * u - 1.0)).collect();
            x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin()
        };
        for sampling in [Sampling::Latin, Sampling::Sobol] {
            let points = places(sampling, 1024, 3, 5).unwrap();
            let u: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
            let y: Vec<f64> = u.iter().map(|u| ishigami(u)).collect();
            let found = first_order(&u, &y).unwrap();
            for (found, exact) in found.iter().zip([0.3139, 0.4424, 0.0]) {
                assert!((found - exact).abs() < 0.03, "{sampling:?}: {found} against {exact}");
            }
        }
    }

    /// A product of powers of independent parameters, of which E[y | u_i] is known in closed form.
    #[test]
    fn a_power_law_gives_back_its_exponents_and_its_indices() {
        let exponents = [1.0, 0.4, -0.4, -0.2];
        let points = places(Sampling::Sobol, 256, 4, 1).unwrap();
        let x: Vec<Vec<f64>> = points.iter().map(|p| p.iter().map(|u| -2f64.powf(*u)).collect()).collect();
        let law = |x: &Vec<f64>| -3.0 * x.iter().zip(exponents).map(|(x, b)| x.abs().powf(b)).product::<f64>();
        let y: Vec<f64> = x.iter().map(law).collect();
        let (found, explained) = power_law(&x, &y).unwrap();
        for (found, exact) in found.iter().zip(exponents) {
            assert!((found - exact).abs() < 1e-10, "{found} against {exact}");
        }
        assert!((explained - 1.0).abs() < 1e-10);
        // with x = 2^u, E[x^b] = (2^b − 1)/(b ln 2); Var(y) = Π E[x^2b] − Π E[x^b]²
        let mean = |b: f64| (2f64.powf(b) - 1.0) / (b * 2f64.ln());
        let spread = exponents.map(|b| mean(2.0 * b) / mean(b).powi(2));
        let all: f64 = spread.iter().product::<f64>() - 1.0;
        let u: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        for (found, spread) in first_order(&u, &y).unwrap().iter().zip(spread) {
            let exact = (spread - 1.0) / all;
            assert!((found - exact).abs() < 0.01, "{found} against {exact}");
        }
    }

    #[test]
    fn what_cannot_be_said_is_left_out() {
        let u = [[0.1], [0.5], [0.9]];
        assert_eq!(first_order(&u.each_ref().map(|u| u.as_slice()), &[1.0, 2.0, 3.0]), None);
        assert_eq!(power_law(&[vec![1.0], vec![2.0], vec![3.0]], &[1.0, -1.0, 2.0]), None);
        assert_eq!(power_law(&[vec![0.0], vec![2.0], vec![3.0]], &[1.0, 1.5, 2.0]), None);
        assert_eq!(power_law(&[vec![1.0], vec![1.0], vec![1.0]], &[1.0, 1.5, 2.0]), None);
    }
}
