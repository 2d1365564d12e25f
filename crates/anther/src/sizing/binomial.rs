//! Confidence intervals for a measured rate: Clopper and Pearson (1934).
//!
//! x of n independent trials were events. The interval's lower end is the rate p with P(X≥x | p) =
//! α/2, its upper end the p with P(X≤x | p) = α/2. It is exact: whatever the true rate, the
//! interval misses it in at most a share α of experiments. The usual p̂ ± z·√(p̂(1-p̂)/n) misses
//! far more often just where filters are, at few events in many trials, and gives 0 ± 0 for no
//! events. Wilson's interval is shorter but only approximate, and a verdict must not be.
//!
//! Binomial terms use Loader's saddle-point expansion (2000), which keeps all digits. Differences
//! of log-factorials would lose them: at n=10¹² those are about 10¹³.

use std::f64::consts::TAU;

/// A confidence interval for a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The Clopper–Pearson interval for the rate of an event that occurred x times in n trials. With
/// confidence 0.99 either end is wrong in at most one of 200 experiments. `None` without trials,
/// for more events than trials, and for a confidence outside 0 to 1.
pub fn interval(x: u64, n: u64, confidence: f64) -> Option<Interval> {
    if n == 0 || x > n || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let (each, share) = ((1.0 - confidence) / 2.0, x as f64 / n as f64);
    // At both edges the equations have closed solutions.
    let low = match x {
        0 => 0.0,
        _ if x == n => (each.ln() / n as f64).exp(),
        _ => crossing(0.0, share, |p| at_least(x, n, p) >= each),
    };
    let high = match x {
        0 => -(each.ln() / n as f64).exp_m1(),
        _ if x == n => 1.0,
        _ => crossing(share, 1.0, |p| at_most(x, n, p) <= each),
    };
    Some(Interval { low, high })
}

/// Where a monotone predicate becomes true.
fn crossing(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (low, high);
    // Sixty bisections leave 10⁻¹⁸ of the range, far below either end.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    f64::midpoint(low, high)
}

/// P(X≥x) for 0<x<n and a rate of at most x/n: the terms fall from the first on, and become
/// negligible after some ten standard deviations of X.
fn at_least(x: u64, n: u64, p: f64) -> f64 {
    let odds = p / (1.0 - p);
    let next = |i: u64| (n - i) as f64 / (i + 1) as f64 * odds;
    falling(term(x, n, p), (x..n).map(next))
}

/// P(X≤x) for 0<x<n and a rate of at least x/n.
fn at_most(x: u64, n: u64, p: f64) -> f64 {
    let odds = (1.0 - p) / p;
    let next = |i: u64| i as f64 / (n - i + 1) as f64 * odds;
    falling(term(x, n, p), (1..=x).rev().map(next))
}

/// Sums terms, each of which is the previous one times the next factor.
fn falling(first: f64, factors: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut term) = (first, first);
    for factor in factors {
        term *= factor;
        sum += term;
        if term <= sum * 1e-17 {
            break;
        }
    }
    sum
}

/// P(X=x): the probability that an event of rate p occurs exactly x times in n trials.
pub fn exactly(x: u64, n: u64, p: f64) -> f64 {
    match x {
        _ if x > n => 0.0,
        0 => (n as f64 * (-p).ln_1p()).exp(),
        _ if x == n => (n as f64 * p.ln()).exp(),
        _ => term(x, n, p),
    }
}

/// P(X=x) for 0<x<n.
fn term(x: u64, n: u64, p: f64) -> f64 {
    let (n, x) = (n as f64, x as f64);
    let rest = n - x;
    if p <= 0.0 || p >= 1.0 {
        return 0.0;
    }
    let exponent = stirling_error(n)
        - stirling_error(x)
        - stirling_error(rest)
        - deviance(x, n * p)
        - deviance(rest, n * (1.0 - p));
    exponent.exp() * (n / (TAU * x * rest)).sqrt()
}

/// ln n! - ln(√(2πn)·(n/e)ⁿ).
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        let (mut factorial, mut i) = (1.0, 2.0);
        while i <= n {
            factorial *= i;
            i += 1.0;
        }
        return f64::ln(factorial) - (0.5 * (TAU * n).ln() + n * n.ln() - n);
    }
    let square = n * n;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / 1680.0 / square) / square) / square) / n
}

/// x·ln(x/np) + np - x without cancellation where x is close to np: there it is np·(ε²/2-ε³/6+…),
/// with x = np(1+ε).
fn deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() >= 0.1 * (x + mean) {
        return x * (x / mean).ln() - difference;
    }
    // With v=(x-M)/(x+M): x·2·artanh(v) - (x-M), and the first term of the series cancels.
    let v = difference / (x + mean);
    let (square, mut power) = (v * v, 2.0 * x * v);
    let mut sum = difference * v;
    for i in 1..1000 {
        power *= square;
        let next = sum + power / f64::from(2 * i + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Newcombe 1998 ("Two-sided confidence intervals for the single proportion", table I), the
    /// rows of the exact method, to all printed digits.
    #[test]
    fn published_intervals() {
        for (x, n, low, high) in [
            (81, 263, "0.2527", "0.3676"),
            (15, 148, "0.0578", "0.1617"),
            (0, 20, "0.0000", "0.1684"),
            (1, 29, "0.0009", "0.1776"),
        ] {
            let found = interval(x, n, 0.95).unwrap();
            assert_eq!(format!("{:.4} {:.4}", found.low, found.high), format!("{low} {high}"));
        }
    }

    #[test]
    fn all_numbers_of_events_together_are_certain() {
        for (n, p) in [(1, 0.3), (7, 0.5), (100, 0.01), (20_000, 0.01)] {
            let sum: f64 = (0..=n).map(|x| exactly(x, n, p)).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{n} {p}: {sum}");
        }
        assert!((exactly(2, 4, 0.5) - 0.375).abs() < 1e-12 && exactly(5, 4, 0.5) == 0.0);
    }

    /// The ends solve their equations, checked the long way: every term of the tail from its own
    /// factors.
    #[test]
    fn the_ends_are_where_the_tails_say() {
        let tail = |range: std::ops::RangeInclusive<u64>, n: u64, p: f64| -> f64 {
            let term = |x: u64| {
                let choose: f64 = (0..x).map(|i| (n - i) as f64 / (x - i) as f64).product();
                choose * p.powf(x as f64) * (1.0 - p).powf((n - x) as f64)
            };
            range.map(term).sum()
        };
        for n in [1, 2, 3, 10, 47, 100] {
            for x in 0..=n {
                for confidence in [0.5, 0.95, 0.99, 0.999_999] {
                    let Interval { low, high } = interval(x, n, confidence).unwrap();
                    let each = (1.0 - confidence) / 2.0;
                    assert!(low < high && (0.0..=1.0).contains(&low) && high <= 1.0);
                    if x > 0 {
                        let above = tail(x..=n, n, low);
                        assert!((above / each - 1.0).abs() < 1e-7, "{x} {n}: {above} {each}");
                    }
                    if x < n {
                        let below = tail(0..=x, n, high);
                        assert!((below / each - 1.0).abs() < 1e-7, "{x} {n}: {below} {each}");
                    }
                }
            }
        }
    }

    /// Large numbers, against the Poisson interval, the limit for rare events, and against the
    /// normal one for frequent events.
    #[test]
    fn large_numbers_keep_their_digits() {
        // Garwood 1936: 10 events, 95 %: 4.795 to 18.390.
        let found = interval(10, 1_000_000_000_000, 0.95).unwrap();
        let events = [found.low, found.high].map(|end| format!("{:.3}", end * 1e12));
        assert_eq!(events, ["4.795", "18.390"]);
        let (x, n) = (10_000_000u64, 1_000_000_000u64);
        let sigma = f64::sqrt(0.01 * 0.99 / n as f64);
        let found = interval(x, n, 0.95).unwrap();
        for (end, side) in [(found.low, -1.0), (found.high, 1.0)] {
            let deviations = side * (end - 0.01) / sigma;
            assert!((deviations - 1.959_964).abs() < 1e-3, "{deviations}");
        }
        let all = interval(n, n, 0.95).unwrap();
        assert!(all.high == 1.0 && all.low > 1.0 - 1e-8);
        assert!(interval(n - 1, n, 0.95).unwrap().high < 1.0);
    }

    /// Whatever the rate, either end is wrong no more often than allowed: summed over every
    /// outcome, so nothing is left to chance.
    #[test]
    fn the_ends_are_wrong_as_seldom_as_they_may_be() {
        let n = 400;
        for p in [0.001f64, 0.01, 0.02, 0.3, 0.5, 0.99] {
            let (mut all, mut above, mut below) = (0.0, 0.0, 0.0);
            for x in 0..=n {
                let chance = match x {
                    0 => (1.0 - p).powf(n as f64),
                    _ if x == n => p.powf(n as f64),
                    _ => term(x, n, p),
                };
                let Interval { low, high } = interval(x, n, 0.9).unwrap();
                all += chance;
                above += if low > p { chance } else { 0.0 };
                below += if high < p { chance } else { 0.0 };
            }
            assert!((all - 1.0).abs() < 1e-12, "{p}: {all}");
            assert!(above <= 0.05 && below <= 0.05, "{p}: {above} {below}");
        }
    }

    #[test]
    fn what_has_no_interval_has_none() {
        for (x, n, confidence) in
            [(0, 0, 0.95), (2, 1, 0.95), (0, 1, 0.0), (0, 1, 1.0), (0, 1, -1.0), (0, 1, f64::NAN)]
        {
            assert_eq!(interval(x, n, confidence), None);
        }
    }
}
