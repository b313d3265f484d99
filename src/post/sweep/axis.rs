//! One `--set` of a study: a dotted path into the case and the values it takes.

/// A parameter and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// Dotted path into the case.
    pub path: String,
    /// Values, as typed.
    pub values: Vec<String>,
}

impl Axis {
    /// Reads `path=v1,v2,...`. Commas within brackets, braces and quotes belong to a value.
    ///
    /// # Errors
    /// What is missing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((path, list)) = text.split_once('=') else {
            return Err(format!("--set {text}: there is no `=` in it; expected path=v1,v2,..."));
        };
        let values = split(list);
        if path.trim().is_empty() || values.iter().any(String::is_empty) {
            return Err(format!("--set {text}: a path or a value is empty; expected path=v1,v2,..."));
        }
        Ok(Axis { path: path.trim().to_owned(), values })
    }

    /// The part of the path that says most: its last name, and what follows it where that is the item of a list.
    pub fn name(&self) -> &str {
        let is_item = |part: &str| part == "*" || part.parse::<usize>().is_ok();
        let mut starts = self.path.rmatch_indices('.').map(|(dot, _)| dot + 1);
        let named = starts.find(|start| !self.path[*start..].split('.').next().is_some_and(is_item));
        &self.path[named.unwrap_or(0)..]
    }

    /// The values as numbers, if all of them are and there are several.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let numbers: Option<Vec<f64>> = self.values.iter().map(|v| v.parse().ok()).collect();
        numbers.filter(|numbers| numbers.len() > 1)
    }

    /// The interval of a value `low..high`, or `low..high:log` for one that is filled evenly in the logarithm.
    ///
    /// # Errors
    /// The ends are not in order, or a logarithm does not exist. None if the value is no interval at all.
    pub fn interval(&self) -> Result<Option<Interval>, String> {
        let [value] = self.values.as_slice() else { return Ok(None) };
        let (ends, logarithmic) = value.strip_suffix(":log").map_or((value.as_str(), false), |ends| (ends, true));
        let Some((low, high)) = ends.split_once("..") else { return Ok(None) };
        let (Ok(low), Ok(high)) = (low.trim().parse::<f64>(), high.trim().parse::<f64>()) else { return Ok(None) };
        let wrong = |what: &str| Err(format!("--set {}={value}: {what}", self.path));
        if !(low.is_finite() && high.is_finite() && low < high) {
            return wrong("an interval runs from a number to a larger one");
        }
        if logarithmic && low <= 0.0 {
            return wrong("an interval in the logarithm begins above 0");
        }
        Ok(Some(Interval { low, high, logarithmic }))
    }
}

/// The values that a sampled parameter takes, all with the same probability, or their logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Interval {
    /// The value below which the share `u` of all values lies.
    pub fn at(&self, u: f64) -> f64 {
        if self.logarithmic {
            // u = 1 may be beyond by rounding
            (self.low * (self.high / self.low).powf(u)).clamp(self.low, self.high)
        } else {
            self.low + (self.high - self.low) * u
        }
    }
}

/// Splits a list at its commas.
fn split(list: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let (mut depth, mut quote) = (0i32, None);
    for c in list.chars() {
        match (c, quote) {
            (',', None) if depth == 0 => {
                values.push(String::new());
                continue;
            }
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth -= 1,
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(q)) if c == q => quote = None,
            _ => {}
        }
        if let Some(last) = values.last_mut() {
            last.push(c);
        }
    }
    values.iter().map(|v| v.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_split_at_commas_outside_of_brackets_and_quotes() {
        let axis =
            Axis::parse("bodies.a.velocity=[0, -1],[0, -2],{a: [1,2]},\"x,y\"").unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(axis.values, ["[0, -1]", "[0, -2]", "{a: [1,2]}", "\"x,y\""]);
        assert_eq!(axis.name(), "velocity");
        for (path, name) in [("a.v.1", "v.1"), ("step", "step"), ("a.*", "a.*"), ("c.0.friction", "friction")] {
            assert_eq!(Axis { path: path.to_owned(), values: Vec::new() }.name(), name);
        }
        for wrong in ["friction", "=1", "a=", "a=1,,2"] {
            assert!(Axis::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn intervals_are_two_numbers_in_order() {
        let of = |text: &str| Axis::parse(text).and_then(|axis| axis.interval());
        let at = |text: &str, u: f64| of(text).ok().flatten().map(|interval| interval.at(u));
        assert_eq!(at("a=0..0.6", 0.5), Some(0.3));
        assert_eq!(at("a=1e2..1e4:log", 0.5).map(f64::round), Some(1e3));
        for none in ["a=../mesh.msh", "a=1..2,3", "a=1.5"] {
            assert_eq!(of(none), Ok(None), "{none}");
        }
        for wrong in ["a=1..1", "a=2..1", "a=0..1:log", "a=0..inf"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
