//! The parser of formulas: recursive descent that writes operations in the order in which they are done.
//!
//! ```text
//! comparison: sum [(< | <= | > | >=) sum]          1 where it holds, 0 where not
//! sum:        term {(+ | -) term}
//! term:       sign {(* | /) sign}
//! sign:       [+ | -] power
//! power:      atom [^ sign]                        right to left: 2^3^2 = 2^9
//! atom:       number | t | pi | name(arguments) | (comparison)
//! ```

use std::f64::consts::PI;

use super::expression::{ExpressionError, FUNCTIONS, Operation, STACK};

/// Brackets and signs within each other: bounds the recursion.
const DEEPEST: usize = 50;

/// A text on its way to operations.
pub(super) struct Parser<'a> {
    text: &'a [char],
    at: usize,
    depth: usize,
    operations: Vec<Operation>,
    /// Values on the stack after the operations so far.
    waiting: usize,
}

type Parsed = Result<(), ExpressionError>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a [char]) -> Self {
        Parser { text, at: 0, depth: 0, operations: Vec::new(), waiting: 0 }
    }

    /// Reads the whole text.
    pub(super) fn read(mut self) -> Result<Vec<Operation>, ExpressionError> {
        self.comparison()?;
        self.skip_blanks();
        match self.peek() {
            None => Ok(self.operations),
            Some(c) => self.fail(format!("`{c}` was not expected")),
        }
    }

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
