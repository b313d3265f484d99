//! A function given by points, linear between them. Before the first point it has the first value and after the last one
//! the last value.

use super::Side;

/// Why points do not make a table.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TableError {
    /// No point at all.
    #[error("a table needs at least one point")]
    Empty,
    /// A time or value that is not finite.
    #[error("point {0} is not finite")]
    NotFinite(usize),
    /// A time that is not after the one before.
    #[error("times must increase: point {index} has {time:e} after {before:e}")]
    NotIncreasing {
        /// Number of the point, from 0.
        index: usize,
        /// Its time.
        time: f64,
        /// The time before.
        before: f64,
    },
}

/// Points in the order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    points: Vec<[f64; 2]>,
    /// Integral from the first point to each.
    integrals: Vec<f64>,
}

impl Table {
    /// From pairs of time and value.
    pub fn new(points: Vec<[f64; 2]>) -> Result<Self, TableError> {
        if points.is_empty() {
            return Err(TableError::Empty);
        }
        if let Some(index) = points.iter().position(|p| !(p[0].is_finite() && p[1].is_finite())) {
            return Err(TableError::NotFinite(index));
        }
        if let Some(k) = points.windows(2).position(|w| w[1][0] <= w[0][0]) {
            return Err(TableError::NotIncreasing { index: k + 1, time: points[k + 1][0], before: points[k][0] });
        }
        let mut integrals = vec![0.0];
        let mut sum = 0.0;
        for w in points.windows(2) {
            sum += 0.5 * (w[0][1] + w[1][1]) * (w[1][0] - w[0][0]);
            integrals.push(sum);
        }
        Ok(Table { points, integrals })
    }

    /// All values multiplied by a number.
    pub fn times(&self, factor: f64) -> Self {
        let points = self.points.iter().map(|[t, value]| [*t, factor * value]).collect();
        Table { points, integrals: self.integrals.iter().map(|i| factor * i).collect() }
    }

    /// The points.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Value at a time.
    pub fn value(&self, t: f64) -> f64 {
        let after = self.points.partition_point(|p| p[0] <= t);
        match after {
            0 => self.points[0][1],
            k if k == self.points.len() => self.points[k - 1][1],
            k => {
                let ([a, x], [b, y]) = (self.points[k - 1], self.points[k]);
                x + (y - x) * ((t - a) / (b - a))
            }
        }
    }

    /// Slope at a time.
    pub fn rate(&self, t: f64, side: Side) -> f64 {
        let after = match side {
            Side::Before => self.points.partition_point(|p| p[0] < t),
            Side::After => self.points.partition_point(|p| p[0] <= t),
        };
        if after == 0 || after == self.points.len() {
            return 0.0;
        }
        let ([a, x], [b, y]) = (self.points[after - 1], self.points[after]);
        (y - x) / (b - a)
    }

    /// Integral from the first point to a time, negative before it.
    pub fn integral(&self, t: f64) -> f64 {
        let after = self.points.partition_point(|p| p[0] <= t);
        if after == 0 {
            return self.points[0][1] * (t - self.points[0][0]);
        }
        let [a, x] = self.points[after - 1];
        self.integrals[after - 1] + 0.5 * (x + self.value(t)) * (t - a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_outside_its_points() {
        let table = Table::new(vec![[1.0, 2.0], [3.0, 6.0]]).unwrap();
        assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|t| table.value(t)), [2.0, 2.0, 4.0, 6.0, 6.0]);
        assert_eq!([0.0, 2.0, 4.0].map(|t| table.rate(t, Side::Before)), [0.0, 2.0, 0.0]);
        assert_eq!((table.integral(0.0), table.integral(3.0), table.integral(4.0)), (-2.0, 8.0, 14.0));
    }

    #[test]
    fn bad_points_are_named() {
        assert_eq!(Table::new(vec![]), Err(TableError::Empty));
        assert_eq!(Table::new(vec![[0.0, f64::NAN]]), Err(TableError::NotFinite(0)));
        let twice = Table::new(vec![[0.0, 1.0], [1.0, 1.0], [1.0, 2.0]]);
        assert!(matches!(twice, Err(TableError::NotIncreasing { index: 2, .. })));
    }
}
