//! Cascade: a filter of the members, and a bit for each key that passes it.
//!
//! n members and g other keys, told apart without error. The first layer passes the members and a
//! share f of the others; the second has a bit for each key that passed: n·log2(1/f) + n + g·f bits
//! in all. A ribbon with rates between powers of two mixes columns, so its size is linear in f
//! between them, and the sum has its minimum at a power of two: the k-th column takes n bits and
//! saves half of the keys that passed k−1, so it pays while those are more than 2·n. That is
//! k = ⌊log2(g/n)⌋ (Schanck, "Clubcards for the WebPKI: smaller certificate revocation tests in
//! theory and practice", 2025). Where f may be any number, the minimum is at n/(g·ln 2), and 1 to
//! 2 % lower than a ribbon's.

use super::bound::hash_floor;
use super::ribbon;

/// Slots of a block: fewer members than this take as much space as this many.
const BLOCK: u64 = 64;

/// A column more pays off if more than this many other keys pass those that there are.
pub fn most_kept(n: u64) -> u64 {
    n.max(BLOCK).saturating_mul(2)
}

/// The columns of the first layer that make both layers smallest: of the narrower slots, and the
/// share of these. With a rate, no fewer than it takes to answer yes to at most that share of the
/// keys that are in neither list; the second layer halves what the first passes.
pub fn columns(n: u64, g: u64, fpr: Option<f64>) -> (u32, f64) {
    let (mut few, mut share) = least_columns(n, fpr);
    while kept(g, few) > most_kept(n) as f64 && few < ribbon::MAX_FEW {
        (few, share) = (few + 1, 1.0);
    }
    (few, share)
}

/// The columns that a false-positive rate takes, whatever the number of other keys.
pub fn least_columns(n: u64, fpr: Option<f64>) -> (u32, f64) {
    fpr.map_or((0, 1.0), |fpr| ribbon::columns((2.0 * ribbon::rate_of_columns(n, fpr)).min(1.0)))
}

/// How many of g keys pass this many columns.
fn kept(g: u64, columns: u32) -> f64 {
    g as f64 * 0.5f64.powi(columns.cast_signed())
}

/// The false-positive rate for keys of neither list.
pub fn fpr(n: u64, g: u64, fpr: Option<f64>) -> f64 {
    let (few, share) = columns(n, g, fpr);
    passed(few, share) / 2.0 + hash_floor(n)
}

/// The share of keys that pass the first layer.
fn passed(few: u32, share: f64) -> f64 {
    0.5f64.powi(few.cast_signed()) * (1.0 + share) / 2.0
}

/// Approximate bits of both layers.
pub fn bits(n: u64, g: u64, fpr: Option<f64>) -> u64 {
    if n == 0 {
        return 0;
    }
    let (few, share) = columns(n, g, fpr);
    let filter = if few == 0 && share >= 1.0 { 0 } else { ribbon::bits_of(n, few, share) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let kept = (g as f64 * passed(few, share)).round() as u64;
    filter.saturating_add(ribbon::bits_of(n.saturating_add(kept), 1, 1.0))
}

/// N·H(n/N) with N = n + g, where H is the entropy of a bit: no structure that tells n keys of a
/// known N from the others takes fewer bits on average, up to O(log N).
pub fn bound_bits(n: u64, g: u64) -> f64 {
    let (n, g) = (n as f64, g as f64);
    let part = |x: f64| if x == 0.0 { 0.0 } else { x * ((n + g) / x).log2() };
    part(n) + part(g)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mozilla's figures: k = ⌊lg(|U∖R|/|R|)⌋.
    #[test]
    fn columns_are_those_of_clubcard() {
        let clubcard = |n: u64, g: u64| (g as f64 / n as f64).log2().floor() as u32;
        for (n, g) in [(11_700_000, 804_300_000), (143_000, 9_857_000), (1000, 999_000)] {
            assert_eq!(columns(n, g, None), (clubcard(n, g), 1.0), "{n} of {g}");
        }
        assert_eq!(columns(1000, 1000, None), (0, 1.0), "the second layer alone");
        assert_eq!(columns(1, 100, None), (0, 1.0), "one block in any case");
        assert_eq!(columns(1000, 0, Some(0.01)), ribbon::columns(0.02 - 2.0 * hash_floor(1000)));
        assert_eq!(columns(1000, 9_000_000, Some(0.01)), (13, 1.0), "the other keys decide");
    }

    /// No other number of columns takes fewer bits.
    #[test]
    fn no_other_number_of_columns_is_smaller() {
        for (n, g) in [(100_000, 300_000), (143_000, 9_857_000), (11_700_000, 804_300_000)] {
            let best = bits(n, g, None);
            for columns in 0..20 {
                let rate = 0.5f64.powi(columns);
                let other = n as f64 * f64::from(columns) + n as f64 + g as f64 * rate;
                assert!(best as f64 <= 1.025 * other, "{n} of {g}: {best}, {other} at {columns}");
            }
        }
    }

    /// Clubcard's bound: 7.6 MB for 11.7 M of 816 M; and CRLite's proportion.
    #[test]
    fn the_bound_is_the_entropy() {
        assert!((bound_bits(1, 1) - 2.0).abs() < 1e-12);
        assert_eq!(bound_bits(0, 1000), 0.0);
        let over = bits(143_000, 9_857_000, None) as f64 / bound_bits(143_000, 9_857_000);
        assert!((1.07..1.09).contains(&over), "{over}");
    }

    #[test]
    fn the_rate_is_at_most_the_target() {
        for target in [0.9, 0.5, 0.3, 0.01, 1e-3, 1e-9] {
            for g in [0, 1000, 1_000_000] {
                let rate = fpr(10_000, g, Some(target));
                assert!(rate <= target * (1.0 + 1e-12), "{target} {g}: {rate}");
                assert!(rate > 0.9 * target || g > 10_000 || target > 0.5, "{target} {g}: {rate}");
            }
        }
        assert!((fpr(143_000, 9_857_000, None) - 1.0 / 128.0).abs() < 1e-9);
        assert_eq!(fpr(1 << 60, 0, None), 1.0 / 2.0 + 1.0 / 16.0, "hashes of 64 bits collide");
    }
}
