//! Four numbers side by side, for kernels that treat four elements at once.
//!
//! On x86 the instructions are AVX2 with fused multiply-add, looked for at run time ([`dispatch`]); elsewhere arrays of four
//! that the compiler maps to what the target has. Results of the two differ in their last digits; on one machine they depend
//! on nothing but the input.

use std::ops::{Add, Div, Mul, Neg, Sub};

use pulp::{Simd, WithSimd, bytemuck};

use super::Sym;
use super::real::Real;

/// How many.
pub const LANES: usize = 4;

/// Four numbers in memory.
pub type Quad = [f64; LANES];

#[cfg(target_arch = "x86")]
use std::arch::x86::__m256d as Wide;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m256d as Wide;

/// An expression for each of four patterns of bits. (Functions of the standard library that take a closure are compiled without
/// the vector instructions of their caller, so that kernels are written with loops and macros.)
macro_rules! each_bit {
    ($bits:expr, $bit:ident => $value:expr) => {{
        let mut bits = $bits;
        for lane in 0..LANES {
            let $bit = bits[lane];
            bits[lane] = $value;
        }
        bits
    }};
}

/// Four numbers in a register of the instruction set `S`.
#[derive(Debug, Clone, Copy)]
pub struct Lane<S: Simd> {
    simd: S,
    value: S::f64s,
}

/// Whether this machine can run kernels: not an x86 processor without AVX2 and fused multiply-add (those built before about
/// 2015). A second version of every kernel for them would double the code.
pub fn available() -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return pulp::x86::V3::is_available();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    true
}

/// Runs a kernel with the vector instructions of this machine; `None` if it has none.
#[inline]
pub fn dispatch<Op: WithSimd>(kernel: Op) -> Option<Op::Output> {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return pulp::x86::V3::try_new().map(|simd| Simd::vectorize(simd, kernel));
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    Some(Simd::vectorize(pulp::Scalar256b, kernel))
}

/// Asks for the start of a list to be brought near, for lists that are read in an order that the processor does not foresee.
#[inline(always)]
pub fn bring_near<T>(list: &[T]) {
    // Measured on one-point hexahedra, 1e5 elements: a sixth of the time of a step was spent waiting for the first number of an
    // element and of a node.
    // SAFETY: a hint that reads nothing and cannot fault, whatever the address; SSE is part of x86_64.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(list.as_ptr().cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = list;
}

impl<S: Simd> Lane<S> {
    /// Four equal numbers.
    #[inline(always)]
    pub fn splat(simd: S, value: f64) -> Self {
        Lane { simd, value: simd.splat_f64s(value) }
    }

    /// From memory.
    #[inline(always)]
    pub fn load(simd: S, from: &Quad) -> Self {
        Lane { simd, value: bytemuck::cast(*from) }
    }

    /// To memory.
    #[inline(always)]
    pub fn store(self) -> Quad {
        bytemuck::cast(self.value)
    }

    #[inline(always)]
    fn with(self, value: S::f64s) -> Self {
        Lane { value, ..self }
    }

    /// The numbers `which` of the eight in `self` and `other`.
    #[inline(always)]
    fn pick(self, other: Self, which: [usize; LANES]) -> Self {
        let (own, others) = (self.store(), other.store());
        let mut out = own;
        for lane in 0..LANES {
            let from = which[lane];
            out[lane] = if from < LANES { own[from] } else { others[from - LANES] };
        }
        Lane::load(self.simd, &out)
    }

    /// Rows of a square become its columns.
    #[inline(always)]
    pub fn transpose([a, b, c, d]: [Self; LANES]) -> [Self; LANES] {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Some(v3) = (&a.simd as &dyn std::any::Any).downcast_ref::<pulp::x86::V3>() {
            // the compiler would go through memory, number by number
            let avx = v3.avx;
            let [p, q, r, s]: [Wide; LANES] =
                [bytemuck::cast(a.value), bytemuck::cast(b.value), bytemuck::cast(c.value), bytemuck::cast(d.value)];
            let (even, odd) = (avx._mm256_unpacklo_pd(p, q), avx._mm256_unpackhi_pd(p, q));
            let (even2, odd2) = (avx._mm256_unpacklo_pd(r, s), avx._mm256_unpackhi_pd(r, s));
            return [
                a.with(bytemuck::cast(avx._mm256_permute2f128_pd::<0x20>(even, even2))),
                a.with(bytemuck::cast(avx._mm256_permute2f128_pd::<0x20>(odd, odd2))),
                a.with(bytemuck::cast(avx._mm256_permute2f128_pd::<0x31>(even, even2))),
                a.with(bytemuck::cast(avx._mm256_permute2f128_pd::<0x31>(odd, odd2))),
            ];
        }
        let (even, odd, low, high) = ([0, 4, 2, 6], [1, 5, 3, 7], [0, 1, 4, 5], [2, 3, 6, 7]);
        let (ab, ab1, cd, cd1) = (a.pick(b, even), a.pick(b, odd), c.pick(d, even), c.pick(d, odd));
        [ab.pick(cd, low), ab1.pick(cd1, low), ab.pick(cd, high), ab1.pick(cd1, high)]
    }

    #[inline(always)]
    fn bits(self) -> [u64; LANES] {
        bytemuck::cast(self.value)
    }

    #[inline(always)]
    fn with_bits(self, bits: [u64; LANES]) -> Self {
        self.with(bytemuck::cast(bits))
    }
}

macro_rules! operator {
    ($name:ident $call:ident $simd:ident) => {
        impl<S: Simd> $name for Lane<S> {
            type Output = Self;

            #[inline(always)]
            fn $call(self, other: Self) -> Self {
                self.with(self.simd.$simd(self.value, other.value))
            }
        }

        impl<S: Simd> $name<f64> for Lane<S> {
            type Output = Self;

            #[inline(always)]
            fn $call(self, other: f64) -> Self {
                self.with(self.simd.$simd(self.value, self.simd.splat_f64s(other)))
            }
        }
    };
}

operator!(Add add add_f64s);
operator!(Sub sub sub_f64s);
operator!(Mul mul mul_f64s);
operator!(Div div div_f64s);

impl<S: Simd> Neg for Lane<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.with(self.simd.neg_f64s(self.value))
    }
}

/// Bits of 1 and of √½: a number is split into a power of two and a factor from √½ to √2.
const ONE: u64 = 0x3ff0_0000_0000_0000;
const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// `ln 2` in two parts, the first with trailing zeros so that its multiples are exact.
const LN2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
/// Coefficients of the minimax polynomial of `ln((1+s)/(1−s))/s − 2` in `s²` (the classic one of fdlibm).
const LOG: [f64; 7] = [
    6.666_666_666_666_735e-1,
    3.999_999_999_940_942e-1,
    2.857_142_874_366_239e-1,
    2.222_219_843_214_978_4e-1,
    1.818_357_216_161_805e-1,
    1.531_383_769_920_937_3e-1,
    1.479_819_860_511_658_6e-1,
];
/// 1.5·2⁵²: adding it rounds to an integer and leaves that integer in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// 2⁵².
const TWO_52: f64 = 4_503_599_627_370_496.0;

impl<S: Simd> Lane<S> {
    /// `eˣ − 1` of the part of `x` below a multiple of `ln 2`, and that power of two.
    #[inline(always)]
    fn exp_parts(self) -> (Self, Self) {
        let shifted = self * std::f64::consts::LOG2_E + ROUND;
        let k = shifted - ROUND;
        let r = self - k * LN2.0 - k * LN2.1;
        // Taylor to r¹³: |r| ≤ ½ ln 2, the next term is below 1e-17
        let mut p = self.of(1.0 / 6_227_020_800.0);
        for factorial in
            [479_001_600.0, 39_916_800.0, 3_628_800.0, 362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0]
        {
            p = p.fma(r, self.of(1.0 / factorial));
        }
        let p = (p * r).fma(r, r);
        let power = self.with_bits(each_bit!(shifted.bits(), b => b.wrapping_add(1023) << 52));
        (p, power)
    }
}

impl<S: Simd> Real for Lane<S> {
    #[inline(always)]
    fn of(self, value: f64) -> Self {
        Lane::splat(self.simd, value)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.with(self.simd.sqrt_f64s(self.value))
    }

    #[inline(always)]
    fn ln_1p(self) -> Self {
        let u = self + 1.0;
        // what the sum lost, to first order
        let lost = (self - (u - 1.0)) / u;
        let shifted = each_bit!(u.bits(), b => b.wrapping_add(ONE - ROOT_HALF));
        let k = self.with_bits(each_bit!(shifted, b => (b >> 52) | TWO_52.to_bits())) - (TWO_52 + 1023.0);
        let m = self.with_bits(each_bit!(shifted, b => (b & 0x000f_ffff_ffff_ffff).wrapping_add(ROOT_HALF)));
        let f = m - 1.0;
        let s = f / (f + 2.0);
        let z = s * s;
        let mut p = self.of(LOG[6]);
        for c in [LOG[5], LOG[4], LOG[3], LOG[2], LOG[1], LOG[0]] {
            p = p.fma(z, self.of(c));
        }
        let half = f * f * 0.5;
        let tail = s.fma(p.fma(z, half), k.fma(self.of(LN2.1), lost));
        k.fma(self.of(LN2.0), f - (half - tail))
    }

    #[inline(always)]
    fn exp(self) -> Self {
        let (p, power) = self.exp_parts();
        p.fma(power, power)
    }

    #[inline(always)]
    fn exp_m1(self) -> Self {
        let (p, power) = self.exp_parts();
        p.fma(power, power - 1.0)
    }

    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        self.with(self.simd.mul_add_e_f64s(self.value, b.value, c.value))
    }

    #[inline(always)]
    fn if_positive(self, a: Self, b: Self) -> Self {
        let zero = self.simd.splat_f64s(0.0);
        let mask = self.simd.less_than_f64s(zero, self.value);
        self.with(self.simd.select_f64s(mask, a.value, b.value))
    }

    #[inline(always)]
    fn each(e: &Sym<Self>, formula: impl Fn(&Sym) -> (f64, Sym)) -> (Self, Sym<Self>) {
        let mut columns = [[0.0; LANES]; 6];
        for q in 0..6 {
            columns[q] = e[q].store();
        }
        let (mut energy, mut stress) = ([0.0; LANES], [[0.0; LANES]; 6]);
        for lane in 0..LANES {
            let mut here = [0.0; 6];
            for q in 0..6 {
                here[q] = columns[q][lane];
            }
            let (w, s) = formula(&here);
            energy[lane] = w;
            for q in 0..6 {
                stress[q][lane] = s[q];
            }
        }
        let mut out = *e;
        for q in 0..6 {
            out[q] = Lane::load(e[0].simd, &stress[q]);
        }
        (Lane::load(e[0].simd, &energy), out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Functions(Quad);

    impl WithSimd for Functions {
        type Output = [Quad; 4];

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> [Quad; 4] {
            let x = Lane::load(simd, &self.0);
            [x.ln_1p(), x.exp(), x.exp_m1(), (x * x).sqrt()].map(Lane::store)
        }
    }

    struct Transposed([Quad; 4]);

    impl WithSimd for Transposed {
        type Output = [Quad; 4];

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> [Quad; 4] {
            Lane::transpose(self.0.map(|row| Lane::load(simd, &row))).map(Lane::store)
        }
    }

    #[test]
    fn rows_become_columns() {
        let rows = [0.0, 10.0, 20.0, 30.0].map(|x| [x, x + 1.0, x + 2.0, x + 3.0]);
        let columns = [0.0, 1.0, 2.0, 3.0].map(|x| [x, x + 10.0, x + 20.0, x + 30.0]);
        assert_eq!(Simd::vectorize(pulp::Scalar256b, Transposed(rows)), columns);
        dispatch(Transposed(rows)).into_iter().for_each(|got| assert_eq!(got, columns));
    }

    /// The functions against those of the standard library, from tiny to large arguments: a few rounding units.
    #[test]
    fn functions_of_four_numbers_are_those_of_one() {
        let mut x = 1e-18;
        while x < 30.0 {
            for numbers in [[x, -x, 0.5 * x, -0.1 * x], [1.1 * x, 3.0 * x, -0.7 * x, 0.0]] {
                let check = |name: &str, got: Quad, expected: fn(f64) -> f64| {
                    for (x, got) in numbers.iter().zip(got) {
                        let expected = expected(*x);
                        let wrong = (got - expected).abs() > 4.0 * f64::EPSILON * expected.abs();
                        assert!(!wrong || expected.is_nan(), "{name}({x:e}) = {got:e}, expected {expected:e}");
                    }
                };
                let fast = dispatch(Functions(numbers));
                for results in fast.into_iter().chain([Simd::vectorize(pulp::Scalar256b, Functions(numbers))]) {
                    let [ln, exp, exp_m1, root] = results;
                    check("ln_1p", ln, |x| if x > -1.0 { x.ln_1p() } else { f64::NAN });
                    check("exp", exp, f64::exp);
                    check("exp_m1", exp_m1, f64::exp_m1);
                    check("sqrt of the square", root, f64::abs);
                }
            }
            x *= 1.7;
        }
    }
}
