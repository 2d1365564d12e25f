//! Ranges: a code of log2(L/ε) + 2 bits for each key ([`range`](crate::range)).
//!
//! Costa, Ferragina and Vinciguerra, "Grafite: Taming Adversarial Queries with Optimal Range
//! Filters", 2024. Keys are mapped to codes below r = n·L/ε, in such a way that neighbours stay
//! neighbours. A query of ℓ numbers then covers ℓ codes, and each of the n codes of the keys is one of
//! them by accident with a chance of 1/r: a false positive in at most ℓ·n/r, whatever the keys and
//! the queries are.

/// The largest code, r − 1, for ranges of up to `span` numbers. At most `u64::MAX`: then every
/// integer is its own code, and there are no false positives.
pub fn bound(items: u64, span: u64, fpr: f64) -> u64 {
    let codes = (items.max(1) as f64 * span.max(1) as f64 / fpr).ceil();
    // Above 2⁶⁴ the conversion saturates. A single code would be no filter.
    crate::units::whole(codes).max(2) - if codes >= 2f64.powi(64) { 0 } else { 1 }
}

/// The false-positive rate of ranges of `len` numbers, among `items` codes of at most `bound`.
pub fn fpr(items: u64, bound: u64, len: u64) -> f64 {
    if bound == u64::MAX {
        return 0.0;
    }
    (len as f64 * items as f64 / (bound as f64 + 1.0)).min(1.0)
}

/// Bits per key, without the 0.1 to 0.2 that count zeros: log2(L/ε) + 2, or up to 0.09 less.
///
/// ```
/// use anther::sizing::range::{bits_per_key, bound};
///
/// let bits = |span| bits_per_key(1_000_000, bound(1_000_000, span, 0.01));
/// assert!((8.4..8.64).contains(&bits(1)), "below a classic filter, which takes 9.59");
/// assert!((18.4..18.64).contains(&bits(1024)));
/// ```
pub fn bits_per_key(items: u64, bound: u64) -> f64 {
    let items = items.max(1) as f64;
    let gap = (bound as f64 + 1.0) / items;
    let low = gap.log2().floor().clamp(0.0, 63.0);
    low + 1.0 + gap / low.exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_follows_the_formula() {
        assert_eq!(bound(1000, 1, 0.01), 99_999);
        assert_eq!(bound(0, 0, 0.5), 1);
        assert_eq!(bound(1000, 1024, 0.01), 102_399_999);
        assert_eq!(bound(1 << 40, 1 << 40, 0.01), u64::MAX);
        assert_eq!(bound(1, u64::MAX, 0.999), u64::MAX);
        assert_eq!(bound(1 << 48, 1, 1e-18), u64::MAX);
    }

    #[test]
    fn the_rate_of_the_span_is_the_target() {
        for (items, span, rate) in [(1000, 1, 0.01), (12_345, 1024, 0.003), (7, 32, 0.5)] {
            let bound = bound(items, span, rate);
            assert!(fpr(items, bound, span) <= rate);
            assert!(fpr(items, bound, span) > 0.98 * rate);
            assert!(fpr(items, bound, 2 * span) > 1.9 * fpr(items, bound, span));
        }
        assert_eq!(fpr(10, 99, u64::MAX), 1.0);
        assert_eq!(fpr(1 << 48, u64::MAX, 1 << 60), 0.0);
    }

    #[test]
    fn bits_stay_below_two_more_than_the_logarithm() {
        for span in [1, 3, 32, 100, 1024, 3600] {
            for rate in [0.5, 0.1, 0.01, 0.001, 1e-6] {
                let bits = bits_per_key(1_000_000, bound(1_000_000, span, rate));
                let least = (span as f64 / rate).log2() + 2.0;
                assert!(bits < least + 1e-6 && bits > least - 0.09, "{span}, {rate}: {bits}");
            }
        }
    }
}
