//! Round numbers along an axis, and units that keep them short (ms, kJ, MPa).

/// Round values between two limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    /// Lower end of the axis: a tick at or below the data.
    pub low: f64,
    /// Upper end of the axis.
    pub high: f64,
    /// The values, in order.
    pub values: Vec<f64>,
    step: f64,
    logarithmic: bool,
}

impl Ticks {
    /// About `wanted` ticks of 1, 2 or 5 times a power of ten that enclose the data.
    pub fn linear(low: f64, high: f64, wanted: usize) -> Self {
        let (mut low, mut high) = if low.is_finite() && high.is_finite() { (low, high) } else { (0.0, 1.0) };
        let size = low.abs().max(high.abs());
        if high - low <= 1e-12 * size || high <= low {
            // a constant gets room on both sides
            let room = if size > 0.0 { 0.5 * size } else { 1.0 };
            (low, high) = (low - room, high + room);
        }
        let rough = (high - low) / wanted.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let factors = [1.0, 2.0, 5.0, 10.0];
        let step = power * factors.into_iter().find(|f| f * power >= rough * (1.0 - 1e-9)).unwrap_or(10.0);
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let values = (0..=(last - first) as usize).map(|k| (first + k as f64) * step).collect();
        Ticks { low: first * step, high: last * step, values, step, logarithmic: false }
    }

    /// Powers of ten that enclose the data, not more than about eight of them.
    pub fn logarithmic(low: f64, high: f64) -> Self {
        let (low, high) = if low > 0.0 && high.is_finite() { (low, high.max(low)) } else { (1e-1, 1.0) };
        let (first, mut last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        last = last.max(first + 1);
        let stride = ((last - first) as usize).div_ceil(8).max(1);
        let values = (first..=last).step_by(stride).map(|k| 10f64.powi(k)).collect();
        Ticks { low: 10f64.powi(first), high: 10f64.powi(last), values, step: 10.0, logarithmic: true }
    }

    /// Place of a value along the axis: 0 at its lower and 1 at its upper end.
    pub fn place(&self, value: f64) -> f64 {
        if self.logarithmic {
            (value.max(self.low) / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// A tick in as few digits as tell it from its neighbours.
    pub fn label(&self, value: f64) -> String {
        if self.logarithmic {
            return format!("1e{}", value.log10().round() as i32);
        }
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        let size = self.low.abs().max(self.high.abs());
        if digits > 5 || size >= 1e6 {
            let text = format!("{value:.1e}");
            return if value.abs() < 1e-9 * self.step { "0".to_owned() } else { text.replace(".0e", "e") };
        }
        // no "-0"
        let value = if value.abs() < 1e-9 * self.step { 0.0 } else { value };
        format!("{value:.digits$}").replace('-', "−")
    }
}

/// A factor and the name of the unit it leads to, so that `size` becomes a number from 1 to 1000. Only units that people
/// write with a prefix have one.
pub fn scaled(unit: &str, size: f64) -> (f64, String) {
    const PREFIXES: [(&str, i32); 8] =
        [("G", 9), ("M", 6), ("k", 3), ("", 0), ("m", -3), ("µ", -6), ("n", -9), ("p", -12)];
    let known = ["s", "m", "J", "N", "Pa", "W", "m/s", "N m", "J/m^3"];
    let scales = known.contains(&unit) && size.is_finite() && size > 0.0;
    if !scales {
        return (1.0, pretty(unit));
    }
    // seconds and metres have no kilo in a plot of an impact
    let most = if matches!(unit, "s" | "m" | "m/s") { 0 } else { 9 };
    let fits = |&&(_, power): &&(&str, i32)| power <= most && size >= 0.999 * 10f64.powi(power);
    let (prefix, power) = PREFIXES.iter().find(fits).copied().unwrap_or(("", 0));
    (10f64.powi(-power), format!("{prefix}{}", pretty(unit)))
}

/// Units as they are printed.
fn pretty(unit: &str) -> String {
    match unit {
        "1" | "count" => String::new(),
        _ => unit.replace("^3", "³").replace("^2", "²").replace(' ', "·"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_enclose_the_data() {
        for (low, high) in [(0.0, 3e-3), (-0.37, 98.0), (1.0, 1.0), (-5e-14, 2e-14), (0.0, 0.0), (f64::NAN, 1.0)] {
            let ticks = Ticks::linear(low, high, 6);
            assert!(ticks.values.len() >= 2 && ticks.values.len() <= 12, "{ticks:?}");
            if low.is_finite() {
                assert!(ticks.low <= low && ticks.high >= high, "{ticks:?}");
            }
            let labels: Vec<String> = ticks.values.iter().map(|v| ticks.label(*v)).collect();
            assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
        }
        let ticks = Ticks::logarithmic(3e-12, 0.4);
        assert!(ticks.low <= 3e-12 && ticks.high >= 0.4 && ticks.values.len() <= 9);
        assert_eq!(ticks.label(1e-12), "1e-12");
    }

    #[test]
    fn units_get_the_prefix_that_people_use() {
        assert_eq!(scaled("s", 3e-3), (1e3, "ms".to_owned()));
        assert_eq!(scaled("Pa", 4.5e6), (1e-6, "MPa".to_owned()));
        assert_eq!(scaled("J", 98.0), (1.0, "J".to_owned()));
        assert_eq!(scaled("s", 5000.0), (1.0, "s".to_owned()));
        assert_eq!(scaled("kg m/s", 1e-9), (1.0, "kg·m/s".to_owned()));
        assert_eq!(scaled("m", 0.0), (1.0, "m".to_owned()));
    }
}
