//! Formulas in the time `t`: a parser of ordinary arithmetic and an evaluator that returns the derivative too.
//!
//! ```text
//! comparison: sum [(< | <= | > | >=) sum]          1 where it holds, 0 where not
//! sum:        term {(+ | -) term}
//! term:       sign {(* | /) sign}
//! sign:       [+ | -] power
//! power:      atom [^ sign]                        right to left: 2^3^2 = 2^9
//! atom:       number | t | pi | name(arguments) | (comparison)
//! ```
//! `step(x)` is 1 for `x >= 0` and 0 before; `if(c, a, b)` is `a` where `c` is not zero. The derivative is carried along with the
//! value (dual numbers), so it is exact to rounding; that of a comparison or of `step` is zero.

use std::f64::consts::PI;

/// Longest formula: nobody types more.
const LONGEST: usize = 4096;
/// Brackets and signs within each other: bounds the recursion of the parser.
const DEEPEST: usize = 50;
/// Values that wait for an operation at the same time.
const STACK: usize = 128;

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
enum Operation {
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
enum Function {
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
const FUNCTIONS: [(&str, Function, usize); 12] = [
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
        let mut parser = Parser { text: &characters, at: 0, depth: 0, operations: Vec::new(), waiting: 0 };
        parser.comparison()?;
        parser.skip_blanks();
        match parser.peek() {
            None => Ok(Expression { operations: parser.operations }),
            Some(c) => parser.fail(format!("`{c}` was not expected")),
        }
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
    fn arguments(self) -> usize {
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

struct Parser<'a> {
    text: &'a [char],
    at: usize,
    depth: usize,
    operations: Vec<Operation>,
    /// Values on the stack after the operations so far.
    waiting: usize,
}

type Parsed = Result<(), ExpressionError>;

impl Parser<'_> {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, ExpressionError> {
        Err(ExpressionError { column: self.at + 1, message: message.into() })
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Takes `c` if it comes next.
    fn take(&mut self, c: char) -> bool {
        self.skip_blanks();
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn push(&mut self, operation: Operation) -> Parsed {
        self.waiting = self.waiting + 1 - operation.arguments();
        // one place stays free for a factor
        if self.waiting >= STACK {
            return self.fail("has too many values waiting for an operation");
        }
        self.operations.push(operation);
        Ok(())
    }

    fn comparison(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(format!("is nested more than {DEEPEST} levels deep"));
        }
        self.sum()?;
        self.skip_blanks();
        if let Some(sign @ ('<' | '>')) = self.peek() {
            self.at += 1;
            let or_equal = self.peek() == Some('=');
            self.at += usize::from(or_equal);
            self.sum()?;
            // a > b is not (a <= b): 1 − flag keeps the order of evaluation
            if sign == '>' {
                self.push(if or_equal { Operation::Less } else { Operation::LessOrEqual })?;
                self.push(Operation::Negate)?;
                self.push(Operation::Number(1.0))?;
                self.push(Operation::Add)?;
            } else {
                self.push(if or_equal { Operation::LessOrEqual } else { Operation::Less })?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn sum(&mut self) -> Parsed {
        self.term()?;
        loop {
            if self.take('+') {
                self.term()?;
                self.push(Operation::Add)?;
            } else if self.take('-') {
                self.term()?;
                self.push(Operation::Subtract)?;
            } else {
                return Ok(());
            }
        }
    }

    fn term(&mut self) -> Parsed {
        self.sign()?;
        loop {
            if self.take('*') {
                self.sign()?;
                self.push(Operation::Multiply)?;
            } else if self.take('/') {
                self.sign()?;
                self.push(Operation::Divide)?;
            } else {
                return Ok(());
            }
        }
    }

    fn sign(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(format!("is nested more than {DEEPEST} levels deep"));
        }
        if self.take('-') {
            self.sign()?;
            self.push(Operation::Negate)?;
        } else if self.take('+') {
            self.sign()?;
        } else {
            self.atom()?;
            if self.take('^') {
                self.sign()?;
                self.push(Operation::Power)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn atom(&mut self) -> Parsed {
        self.skip_blanks();
        match self.peek() {
            None => self.fail("something is missing at the end"),
            Some('(') => {
                self.at += 1;
                self.comparison()?;
                self.close()
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            Some(c) => self.fail(format!("`{c}` was not expected")),
        }
    }

    fn close(&mut self) -> Parsed {
        if self.take(')') { Ok(()) } else { self.fail("`)` is missing") }
    }

    fn number(&mut self) -> Parsed {
        let start = self.at;
        let digits = |p: &mut Self| {
            while p.peek().is_some_and(|c| c.is_ascii_digit() || c == '.') {
                p.at += 1;
            }
        };
        digits(self);
        if let Some('e' | 'E') = self.peek() {
            let signed = matches!(self.text.get(self.at + 1), Some('+' | '-'));
            if self.text.get(self.at + 1 + usize::from(signed)).is_some_and(char::is_ascii_digit) {
                self.at += 1 + usize::from(signed);
                digits(self);
            }
        }
        let typed: String = self.text[start..self.at].iter().collect();
        match typed.parse::<f64>() {
            Ok(value) if value.is_finite() => self.push(Operation::Number(value)),
            _ => Err(ExpressionError { column: start + 1, message: format!("`{typed}` is not a number") }),
        }
    }

    fn name(&mut self) -> Parsed {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        let name: String = self.text[start..self.at].iter().collect();
        let problem = |message: String| ExpressionError { column: start + 1, message };
        match name.as_str() {
            "t" => return self.push(Operation::Time),
            "pi" => return self.push(Operation::Number(PI)),
            _ => {}
        }
        let Some((_, function, count)) = FUNCTIONS.iter().find(|f| f.0 == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|f| f.0).collect();
            return Err(problem(format!("`{name}` is not known; known are t, pi, {}", known.join(", "))));
        };
        if !self.take('(') {
            return self.fail(format!("`{name}` needs its argument in brackets"));
        }
        let mut given = 0;
        loop {
            self.comparison()?;
            given += 1;
            if !self.take(',') {
                break;
            }
        }
        self.close()?;
        if given != *count {
            return Err(problem(format!("`{name}` takes {count} arguments, got {given}")));
        }
        self.push(Operation::Call(*function))
    }
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
