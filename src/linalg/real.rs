//! Numbers that formulas are written for once: one point at a time (`f64`) or several side by side
//! ([`Lane`](super::lanes::Lane)).

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Sym;

/// A number, or a row of numbers that go through the same formula.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// A constant of the same kind as `self`.
    fn of(self, value: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// `ln(1 + x)`, exact for small `x`.
    fn ln_1p(self) -> Self;
    /// `eˣ`.
    fn exp(self) -> Self;
    /// `eˣ − 1`, exact for small `x`.
    fn exp_m1(self) -> Self;
    /// `self · b + c`, rounded once where the machine can.
    fn fma(self, b: Self, c: Self) -> Self;
    /// `a` where `self > 0`, else `b`; `b` where `self` is not a number.
    fn if_positive(self, a: Self, b: Self) -> Self;
    /// A formula that exists for one point only, applied to each.
    fn each(e: &Sym<Self>, formula: impl Fn(&Sym) -> (f64, Sym)) -> (Self, Sym<Self>);
}

impl Real for f64 {
    #[inline(always)]
    fn of(self, value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        self.sqrt()
    }

    #[inline(always)]
    fn ln_1p(self) -> f64 {
        self.ln_1p()
    }

    #[inline(always)]
    fn exp(self) -> f64 {
        self.exp()
    }

    #[inline(always)]
    fn exp_m1(self) -> f64 {
        self.exp_m1()
    }

    // not `mul_add`: without hardware support that is a call of a library function
    #[inline(always)]
    fn fma(self, b: f64, c: f64) -> f64 {
        self * b + c
    }

    #[inline(always)]
    fn if_positive(self, a: f64, b: f64) -> f64 {
        if self > 0.0 { a } else { b }
    }

    #[inline(always)]
    fn each(e: &Sym, formula: impl Fn(&Sym) -> (f64, Sym)) -> (f64, Sym) {
        formula(e)
    }
}
