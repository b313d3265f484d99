//! Formulas in the time `t`, evaluated together with their derivative.
//!
//! `step(x)` is 1 for `x >= 0` and 0 before; `if(c, a, b)` is `a` where `c` is not zero. The derivative is carried along with the
//! value (dual numbers), so it is exact to rounding; that of a comparison or of `step` is zero.

use super::parser::Parser;

/// Longest formula: nobody types more.
const LONGEST: usize = 4096;
/// Values that wait for an operation at the same time.
pub(super) const STACK: usize = 128;

/// Why a text is not a formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column} of the formula: {message}")]
pub struct ExpressionError {
    /// Where, in characters from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// A value and its derivative by the time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Dual {
    /// The value.
    pub value: f64,
    /// Its derivative.
    pub rate: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Number(f64),
    Time,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Less,
    LessOrEqual,
    Call(Function),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Sin,
    Cos,
    Tan,
    Tanh,
    Exp,
    Log,
    Sqrt,
    Abs,
    Step,
    Min,
    Max,
    If,
}

/// Functions by name, with the number of their arguments.
pub(super) const FUNCTIONS: [(&str, Function, usize); 12] = [
    ("sin", Function::Sin, 1),
    ("cos", Function::Cos, 1),
    ("tan", Function::Tan, 1),
    ("tanh", Function::Tanh, 1),
    ("exp", Function::Exp, 1),
    ("log", Function::Log, 1),
    ("sqrt", Function::Sqrt, 1),
    ("abs", Function::Abs, 1),
    ("step", Function::Step, 1),
    ("min", Function::Min, 2),
    ("max", Function::Max, 2),
    ("if", Function::If, 3),
];

/// A formula, ready to be evaluated: operations in the order in which they are done.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    operations: Vec<Operation>,
}

impl Expression {
    /// Reads a formula.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let characters: Vec<char> = text.chars().collect();
        if characters.len() > LONGEST {
            return Err(ExpressionError { column: LONGEST, message: format!("is longer than {LONGEST} characters") });
        }
        Parser::new(&characters).read().map(|operations| Expression { operations })
    }

    /// The formula multiplied by a number.
    pub fn times(&self, factor: f64) -> Self {
        let mut operations = self.operations.clone();
        operations.extend([Operation::Number(factor), Operation::Multiply]);
        Expression { operations }
    }

    /// Value and derivative at a time. Not a number where the formula has no value.
    pub fn evaluate(&self, t: f64) -> Dual {
        let mut stack = [Dual::default(); STACK];
        let mut top = 0;
        for operation in &self.operations {
            let count = operation.arguments();
            // the parser has counted: there are `count` values below `top`, and room for the result
            let at = top - count;
            stack[at] = operation.apply(&stack[at..top], t);
            top = at + 1;
        }
        stack[0]
    }
}

impl Operation {
    pub(super) fn arguments(self) -> usize {
        match self {
            Operation::Number(_) | Operation::Time => 0,
            Operation::Negate => 1,
            Operation::Call(function) => FUNCTIONS.iter().find(|f| f.1 == function).map_or(1, |f| f.2),
            _ => 2,
        }
    }

    fn apply(self, x: &[Dual], t: f64) -> Dual {
        let flag = |holds: bool| Dual { value: f64::from(u8::from(holds)), rate: 0.0 };
        match (self, x) {
            (Operation::Number(value), _) => Dual { value, rate: 0.0 },
            (Operation::Negate, [a]) => Dual { value: -a.value, rate: -a.rate },
            (Operation::Add, [a, b]) => Dual { value: a.value + b.value, rate: a.rate + b.rate },
            (Operation::Subtract, [a, b]) => Dual { value: a.value - b.value, rate: a.rate - b.rate },
            (Operation::Multiply, [a, b]) => {
                Dual { value: a.value * b.value, rate: a.rate * b.value + a.value * b.rate }
            }
            (Operation::Divide, [a, b]) => {
                let value = a.value / b.value;
                Dual { value, rate: (a.rate - value * b.rate) / b.value }
            }
            (Operation::Power, [a, b]) => power(*a, *b),
            (Operation::Less, [a, b]) => flag(a.value < b.value),
            (Operation::LessOrEqual, [a, b]) => flag(a.value <= b.value),
            (Operation::Call(function), _) => function.apply(x),
            _ => Dual { value: t, rate: 1.0 },
        }
    }
}

impl Function {
    fn apply(self, x: &[Dual]) -> Dual {
        let chain = |a: &Dual, value: f64, slope: f64| {
            // a constant argument has no slope to multiply, whatever the function's is (sqrt at 0)
            Dual { value, rate: if a.rate == 0.0 { 0.0 } else { slope * a.rate } }
        };
        match (self, x) {
            (Function::Sin, [a]) => chain(a, a.value.sin(), a.value.cos()),
            (Function::Cos, [a]) => chain(a, a.value.cos(), -a.value.sin()),
            (Function::Tan, [a]) => chain(a, a.value.tan(), 1.0 + a.value.tan().powi(2)),
            (Function::Tanh, [a]) => chain(a, a.value.tanh(), 1.0 - a.value.tanh().powi(2)),
            (Function::Exp, [a]) => chain(a, a.value.exp(), a.value.exp()),
            (Function::Log, [a]) => chain(a, a.value.ln(), 1.0 / a.value),
            (Function::Sqrt, [a]) => chain(a, a.value.sqrt(), 0.5 / a.value.sqrt()),
            (Function::Abs, [a]) => chain(a, a.value.abs(), a.value.signum()),
            (Function::Step, [a]) => Dual { value: f64::from(u8::from(a.value >= 0.0)), rate: 0.0 },
            (Function::Min, [a, b]) => {
                if b.value < a.value {
                    *b
                } else {
                    *a
                }
            }
            (Function::Max, [a, b]) => {
                if b.value > a.value {
                    *b
                } else {
                    *a
                }
            }
            (Function::If, [c, a, b]) => {
                if c.value != 0.0 {
                    *a
                } else {
                    *b
                }
            }
            _ => Dual { value: f64::NAN, rate: f64::NAN },
        }
    }
}

/// `a^b`; with a constant exponent also for negative `a`, as far as that has a value.
fn power(a: Dual, b: Dual) -> Dual {
    let value = a.value.powf(b.value);
    let by_base = if a.rate == 0.0 || b.value == 0.0 { 0.0 } else { b.value * a.value.powf(b.value - 1.0) * a.rate };
    let by_exponent = if b.rate == 0.0 { 0.0 } else { value * a.value.ln() * b.rate };
    Dual { value, rate: by_base + by_exponent }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, t: f64) -> Dual {
        Expression::parse(text).unwrap_or_else(|e| panic!("{text}: {e}")).evaluate(t)
    }

    #[test]
    fn arithmetic_as_in_a_book() {
        for (text, value) in [
            ("1 + 2*3", 7.0),
            ("2^3^2", 512.0),
            ("-2^2", -4.0),
            ("(1+2)*3 - 4/2", 7.0),
            ("1e-3*t", 2e-3),
            ("2e3", 2000.0),
            (".5 + 5.", 5.5),
            ("10 - 3 - 2", 5.0),
            ("--t", 2.0),
            ("2^-1", 0.5),
            ("min(t, 1) + max(t, 5)", 6.0),
            ("if(t < 3, 10, 20)", 10.0),
            ("if(t > 2, 10, 20) + if(t >= 2, 1, 2) + if(t <= 2, 4, 8)", 25.0),
            ("step(t - 2) + step(1 - t)", 1.0),
            ("abs(-t) + sqrt(4*t^2)", 6.0),
            ("sin(pi/2) + cos(0) + tanh(0) + log(exp(3)) + tan(0)", 5.0),
            ("if(0, sqrt(-1), 1)", 1.0),
        ] {
            assert!((at(text, 2.0).value - value).abs() < 1e-14, "{text} = {}", at(text, 2.0).value);
        }
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        for text in [
            "sin(3*t)*exp(-t/2)",
            "tanh(t)^3/(1+t^2)",
            "t^t",
            "sqrt(1 + cos(t)^2) - log(t)",
            "min(t^2, 3*t) + max(sin(t), cos(t))",
            "abs(sin(5*t)) + tan(t/4) - 2^t",
            "if(t < 1, t^2, 2*t - 1)",
        ] {
            for t in [0.31, 0.77, 1.53, 2.9] {
                let h = 1e-5;
                let difference = (at(text, t + h).value - at(text, t - h).value) / (2.0 * h);
                assert!((at(text, t).rate - difference).abs() < 2e-8, "{text} at {t}: {}", at(text, t).rate);
            }
        }
        assert_eq!(at("sqrt(0)*t", 1.0), Dual { value: 0.0, rate: 0.0 });
        assert_eq!(at("t^0", 0.0), Dual { value: 1.0, rate: 0.0 });
    }

    #[test]
    fn mistakes_are_found_at_their_column() {
        for (text, column, says) in [
            ("", 1, "missing at the end"),
            ("1 +", 4, "missing at the end"),
            ("1 + * 2", 5, "`*` was not expected"),
            ("sin t", 5, "needs its argument in brackets"),
            ("sine(t)", 1, "`sine` is not known"),
            ("min(t)", 1, "takes 2 arguments, got 1"),
            ("sin(t, 2)", 1, "takes 1 arguments, got 2"),
            ("(1 + t", 7, "`)` is missing"),
            ("2 t", 3, "`t` was not expected"),
            ("1.2.3", 1, "is not a number"),
            ("1e999", 1, "is not a number"),
            ("x", 1, "known are t, pi"),
            ("3 € t", 3, "`€` was not expected"),
        ] {
            let error = Expression::parse(text).unwrap_err();
            assert_eq!(error.column, column, "{text}: {error}");
            assert!(error.message.contains(says), "{text}: {error}");
        }
    }

    /// Nesting, length and width are bounded, and no mutilated text brings the parser down.
    #[test]
    fn hostile_formulas_are_refused() {
        assert!(Expression::parse(&"(".repeat(4000)).is_err());
        assert!(Expression::parse(&"-".repeat(4000)).is_err());
        assert!(Expression::parse(&"2^".repeat(2000)).is_err());
        assert!(Expression::parse(&"1+".repeat(100_000)).is_err());
        assert!(Expression::parse(&format!("{}1", "1+".repeat(2000))).is_ok());
        let mut state = 1u64;
        let alphabet: Vec<char> = "t0.e+-*/^(),<>= sinminifxpé".chars().collect();
        for _ in 0..20_000 {
            let text: String = (0..12)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    alphabet[(state >> 33) as usize % alphabet.len()]
                })
                .collect();
            if let Ok(expression) = Expression::parse(&text) {
                let _ = expression.evaluate(0.5);
            }
        }
    }
}
