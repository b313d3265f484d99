//! GMRES (SaadSchultz1986) with a right preconditioner and restarts, for systems that are known by their products.

/// Products between restarts, and in all.
const MEMORY: usize = 60;
const MOST: usize = 180;

/// Share of the right-hand side that is left: Newton's method corrects the rest in its next step.
const LEFT: f64 = 1e-3;

/// Work space.
#[derive(Debug, Clone, Default)]
pub(super) struct Krylov {
    /// Orthonormal directions, one after the other.
    basis: Vec<f64>,
    conditioned: Vec<f64>,
    /// The triangular factor of Hessenberg's matrix, column by column, and the rotations that made it.
    triangle: Vec<[f64; MEMORY + 1]>,
    rotations: Vec<(f64, f64)>,
}

impl Krylov {
    /// Solves `A x = b` from zero. `apply` is `A`, `condition` an approximate inverse of it.
    pub(super) fn solve(
        &mut self,
        mut apply: impl FnMut(&[f64], &mut [f64]),
        condition: impl Fn(&[f64], &mut [f64]),
        b: &[f64],
        x: &mut [f64],
    ) {
        let size = b.len();
        x.fill(0.0);
        self.basis.resize((MEMORY + 1) * size, 0.0);
        self.conditioned.resize(size, 0.0);
        let wanted = LEFT * norm(b);
        let mut done = 0;
        while done < MOST {
            // what is left
            if done == 0 {
                self.basis[..size].copy_from_slice(b);
            } else {
                apply(x, &mut self.basis[..size]);
                self.basis[..size].iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
            }
            let start = norm(&self.basis[..size]);
            if start <= wanted || !start.is_finite() {
                return;
            }
            self.basis[..size].iter_mut().for_each(|v| *v /= start);
            self.triangle.clear();
            self.rotations.clear();
            let mut right = [0.0; MEMORY + 1];
            right[0] = start;
            let mut k = 0;
            while k < MEMORY && done < MOST && right[k].abs() > wanted {
                done += 1;
                self.extend(&mut apply, &condition, k, &mut right);
                k += 1;
                // the space is exhausted
                if self.basis[k * size..(k + 1) * size].iter().all(|v| *v == 0.0) {
                    break;
                }
            }
            let mut weights = [0.0; MEMORY];
            for i in (0..k).rev() {
                let above: f64 = (i + 1..k).map(|j| self.triangle[j][i] * weights[j]).sum();
                let pivot = self.triangle[i][i];
                weights[i] = if pivot == 0.0 { 0.0 } else { (right[i] - above) / pivot };
            }
            // x += M⁻¹ V y, by way of the last direction's place
            let (directions, sum) = self.basis.split_at_mut(MEMORY * size);
            sum.fill(0.0);
            for (weight, direction) in weights[..k].iter().zip(directions.chunks_exact(size)) {
                sum.iter_mut().zip(direction).for_each(|(sum, v)| *sum += weight * v);
            }
            condition(sum, &mut self.conditioned);
            x.iter_mut().zip(&self.conditioned).for_each(|(x, step)| *x += step);
        }
    }

    /// Adds a direction and rotates its column into the triangle.
    fn extend(
        &mut self,
        apply: &mut impl FnMut(&[f64], &mut [f64]),
        condition: &impl Fn(&[f64], &mut [f64]),
        k: usize,
        right: &mut [f64; MEMORY + 1],
    ) {
        let size = self.conditioned.len();
        let (known, new) = self.basis.split_at_mut((k + 1) * size);
        let new = &mut new[..size];
        condition(&known[k * size..], &mut self.conditioned);
        apply(&self.conditioned, new);
        let mut column = [0.0; MEMORY + 1];
        // twice is enough for orthogonality to the last digit
        for _ in 0..2 {
            for (j, direction) in known.chunks_exact(size).enumerate() {
                let along = dot(direction, new);
                column[j] += along;
                new.iter_mut().zip(direction).for_each(|(v, d)| *v -= along * d);
            }
        }
        let length = norm(new);
        if length > 0.0 {
            new.iter_mut().for_each(|v| *v /= length);
        }
        column[k + 1] = length;
        for (j, &(cos, sin)) in self.rotations.iter().enumerate() {
            (column[j], column[j + 1]) = (cos * column[j] + sin * column[j + 1], cos * column[j + 1] - sin * column[j]);
        }
        let radius = column[k].hypot(length);
        let (cos, sin) = if radius > 0.0 { (column[k] / radius, length / radius) } else { (1.0, 0.0) };
        (column[k], column[k + 1]) = (radius, 0.0);
        self.rotations.push((cos, sin));
        (right[k], right[k + 1]) = (cos * right[k], -sin * right[k]);
        self.triangle.push(column);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A system without symmetry, larger than the memory, with its diagonal as preconditioner: restarts lead to the solution.
    #[test]
    fn a_system_is_solved_by_its_products() {
        let n = 200;
        let entry = |i: usize, j: usize| {
            if i == j { 3.0 + (i as f64).sin() } else { 0.8 / (1.0 + (i as f64 - 1.3 * j as f64).abs()) }
        };
        let wanted: Vec<f64> = (0..n).map(|k| (0.3 * k as f64).cos()).collect();
        let product = |x: &[f64], out: &mut [f64]| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = x.iter().enumerate().map(|(j, x)| entry(i, j) * x).sum();
            }
        };
        let mut b = vec![0.0; n];
        product(&wanted, &mut b);
        let condition = |x: &[f64], out: &mut [f64]| {
            for (i, out) in out.iter_mut().enumerate() {
                *out = x[i] / entry(i, i);
            }
        };
        let mut x = vec![0.0; n];
        Krylov::default().solve(product, condition, &b, &mut x);
        let mut left = vec![0.0; n];
        product(&x, &mut left);
        left.iter_mut().zip(&b).for_each(|(l, b)| *l -= b);
        assert!(norm(&left) <= 1.01 * LEFT * norm(&b), "{:e}", norm(&left) / norm(&b));
    }
}
