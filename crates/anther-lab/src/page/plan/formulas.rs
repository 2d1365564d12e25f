//! The short formulas of the texts, for a classic filter with the numbers of the page.

use anther::plan::Known;
use anther::sizing::bloom;
use anther::units;
use serde::Serialize;
use std::f64::consts::LN_2;

/// A formula, and what it comes to.
#[derive(Debug, Serialize)]
pub struct Formula {
    formula: &'static str,
    value: String,
}

/// The formulas for two of n keys, a rate p and m bits.
pub fn all(known: &Known) -> Vec<Formula> {
    // Bits per key, by the first formula.
    let needed = |p: f64| -p.ln() / (LN_2 * LN_2);
    let (n, m) = match (known.items, known.fpr, known.bits) {
        (Some(n), Some(p), None) => (n as f64, n as f64 * needed(p)),
        (Some(n), None, Some(m)) => (n as f64, m as f64),
        (None, Some(p), Some(m)) => (m as f64 / needed(p), m as f64),
        _ => return Vec::new(),
    };
    let best = bloom::optimal_probes(m, n);
    let k = best.round().max(1.0);
    // Bits that stay 0, without the approximation of e^(−kn/m).
    let zeros = (k * n * (-1.0 / m).ln_1p()).exp();
    let slope = zeros.ln() * (1.0 - zeros).ln() / (n * (-1.0 / m).ln_1p());
    let number = |number: f64| format!("{number:.3}");
    let row = |formula, value| Formula { formula, value };
    vec![
        row("m/n = −ln p / (ln 2)² = 1.44 · log₂(1/p)", format!("{} bits per key", number(m / n))),
        row("k = (m/n) · ln 2", format!("{}, so {k} hash functions", number(best))),
        row("k ≈ 9m / 13n", number(9.0 * m / (13.0 * n))),
        row("p = (1/2)^k = 0.6185^(m/n)", units::rate(0.5_f64.powf(best))),
        row("p = (1 − e^(−kn/m))^k, with the whole k", units::rate(bloom::approximate(m, n, k))),
        row(
            "p′ = (1 − 1/m)^(kn), best at 1/2",
            format!("{} of the bits are 0", units::rate(zeros)),
        ),
        row("g′ = ln p′ · ln(1 − p′) / (n · ln(1 − 1/m)), p = e^g′", units::rate(slope.exp())),
    ]
}
