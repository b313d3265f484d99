//! Housner's rocking block (Housner1963): a rigid rectangle that turns about one lower corner comes down flat on the other,
//! does not slip and does not rebound.

/// `ω⁺/ω⁻ = 1 − (3/2) sin² α` with `tan α = B/H`: the angular momentum about the new corner, `(4/3) m R² ω⁺` after the impact
/// and `m (R² cos 2α + R²/3) ω⁻` before it, is kept; `R` is half of the diagonal.
pub fn kept_spin(width: f64, height: f64) -> f64 {
    1.0 - 1.5 * width * width / (width * width + height * height)
}
