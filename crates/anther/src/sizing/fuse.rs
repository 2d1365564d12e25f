//! Binary fuse filters: slots for n keys, in shards, and the width of a fingerprint.
//!
//! The lengths and factors are those that Graf and Lemire (2022) found by experiment for n keys in
//! one piece. Beyond a few million keys they no longer change, so larger sets are split into
//! shards; see [`shards`].

use super::bound::hash_floor;
use std::num::NonZero;

/// A segment is 4 to 2¹⁸ slots long. 2¹⁸ is theirs; below 4, which they use at k=4 and n < 30, a
/// key's later slots would hardly differ from its neighbours'.
pub const SEGMENT_LOG2: std::ops::RangeInclusive<u32> = 2..=18;

/// The widest fingerprint: its false-positive rate is 2.3·10⁻¹⁰.
pub const MAX_WIDTH: u32 = 32;

/// log2 of the slots of a segment, for n keys in one piece with k slots each, 3 or 4: the integer
/// part of ln n/ln 3.33 + 2.25, or of ln n/ln 2.91 - 0.5.
pub fn segment_log2(n: u64, k: u32) -> u32 {
    let ln = (n.max(1) as f64).ln();
    let log2 = if k == 3 { ln / 3.33f64.ln() + 2.25 } else { ln / 2.91f64.ln() - 0.5 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let log2 = log2 as u32;
    log2.clamp(*SEGMENT_LOG2.start(), *SEGMENT_LOG2.end())
}

/// Slots per key before rounding: max(1.125, 0.875 + 0.25·ln 10⁶/ln n), or for k=4 max(1.075, 0.77
/// + 0.305·ln(6·10⁵)/ln n).
pub fn factor(n: u64, k: u32) -> f64 {
    // ln 1 is 0; one key takes the fewest segments anyway.
    let ln = (n.max(2) as f64).ln();
    if k == 3 {
        (0.875 + 0.25 * 1e6f64.ln() / ln).max(1.125)
    } else {
        (0.77 + 0.305 * 6e5f64.ln() / ln).max(1.075)
    }
}

/// Slots for n keys in one piece: whole segments, at least k of them. No keys take no slots.
pub fn shard_slots(n: u64, k: u32) -> u64 {
    if n == 0 {
        return 0;
    }
    let log2 = segment_log2(n, k);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
    let slots = (n as f64 * factor(n, k)).round() as u64;
    slots.div_ceil(1 << log2).max(u64::from(k)) << log2
}

/// The fewest keys of a shard, if there are several: below 10⁶ the factor grows.
const LEAST_SHARD: u64 = 1 << 20;
/// The most keys of a shard: 2.6 million, which need 25 MB for slots and order while building.
const MOST_SHARD: u64 = 5 << 19;

/// The number of shards for n keys: a function of n alone, so that nothing else changes the result.
/// Whole segments cost 0 to 0.8 % in every shard. So of the numbers that give shards of 1.0 to 2.6
/// million keys, the one with the fewest slots is taken, and of those the largest.
pub fn shards(n: u64, k: u32) -> NonZero<u64> {
    let fewest = n.div_ceil(MOST_SHARD).max(1);
    let most = (n / LEAST_SHARD).max(1);
    // Up to twice the fewest, in at most 256 steps: 2⁴⁸ keys would have 10⁸ candidates.
    let step = (fewest / 256).max(1);
    let candidates = (0..256).map(|i| fewest + i * step).take_while(|shards| *shards <= most);
    let best = candidates.min_by(|a, b| {
        let (slots_a, slots_b) = (slots_in(n, k, *a), slots_in(n, k, *b));
        slots_a.total_cmp(&slots_b).then(b.cmp(a))
    });
    best.and_then(NonZero::new).unwrap_or(NonZero::<u64>::MIN)
}

/// Slots for n keys, in as many shards as [`shards`] says. For several shards it is the mean, since
/// the number of keys in a shard is random.
pub fn slots(n: u64, k: u32) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
    let slots = slots_in(n, k, shards(n, k).get()).round() as u64;
    slots
}

fn slots_in(n: u64, k: u32, shards: u64) -> f64 {
    if shards == 1 {
        return shard_slots(n, k) as f64;
    }
    // The number of keys in a shard is Poisson, and slots come in steps of a segment. So the mean
    // is taken over three points, those of Gauss–Hermite quadrature.
    let mean = n as f64 / shards as f64;
    let at = |deviations: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive")]
        let keys = (mean + deviations * mean.sqrt()).round() as u64;
        shard_slots(keys, k) as f64
    };
    let away = 3f64.sqrt();
    shards as f64 * (at(-away) + 4.0 * at(0.0) + at(away)) / 6.0
}

/// Bits for n keys with fingerprints of w bits.
pub fn bits(n: u64, k: u32, w: u32) -> u64 {
    slots(n, k).saturating_mul(u64::from(w))
}

/// 2⁻ʷ + n·2⁻⁶⁴: the false-positive rate of n keys with fingerprints of w bits.
pub fn fpr(n: u64, w: u32) -> f64 {
    2f64.powi(-w.cast_signed()) + hash_floor(n)
}

/// The narrowest fingerprint that meets the rate; `None` when even [`MAX_WIDTH`] bits do not.
pub fn width(n: u64, rate: f64) -> Option<u32> {
    (1..=MAX_WIDTH).find(|w| fpr(n, *w) <= rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_a_key_are_those_of_the_paper() {
        let published = [(3, [1.280, 1.188, 1.1305, 1.1272]), (4, [1.229, 1.126, 1.0772, 1.0764])];
        for (k, factors) in published {
            for (n, factor) in [10_000, 100_000, 1_000_000, 10_000_000].into_iter().zip(factors) {
                let at_once = shard_slots(n, k) as f64 / n as f64;
                assert!((at_once - factor).abs() < 0.0005, "{n} keys, {k}-wise: {at_once:.4}");
                // 1.1272 and 1.0757 at 10⁷: shards cost nothing.
                assert!(slots(n, k) <= shard_slots(n, k), "{n} keys, {k}-wise");
            }
        }
        // The size of 8-bit fingerprints at 10⁶ keys.
        assert!((bits(1_000_000, 3, 8) as f64 / 1e6 - 9.04).abs() < 0.005);
        assert!((bits(1_000_000, 4, 8) as f64 / 1e6 - 8.62).abs() < 0.005);
    }

    #[test]
    fn shards_stay_in_size_and_cost_little() {
        for k in [3, 4] {
            let limit = if k == 3 { 1.13 } else { 1.08 };
            assert_eq!(shards(0, k).get(), 1);
            assert_eq!(shards((1 << 21) - 1, k).get(), 1);
            let mut n = 1u64 << 21;
            while n < 1 << 47 {
                let shards = shards(n, k).get();
                let mean = n / shards;
                assert!((LEAST_SHARD..=MOST_SHARD).contains(&mean), "{n}: {mean}");
                let factor = slots(n, k) as f64 / n as f64;
                // With only one to three candidates there may be no good one.
                let limit = if n < 8_000_000 { limit + 0.006 } else { limit };
                assert!(factor < limit, "{n} keys, {k}-wise: {factor:.4}");
                n += n / 13;
            }
        }
    }

    #[test]
    fn few_keys_take_few_slots() {
        assert_eq!([0, 1, 2, 3].map(|n| shard_slots(n, 3)), [0, 12, 12, 24]);
        assert_eq!([0, 1, 2, 3].map(|n| shard_slots(n, 4)), [0, 16, 16, 16]);
    }

    #[test]
    fn width_is_the_least_that_keeps_the_rate() {
        assert_eq!(width(1000, 0.01), Some(7));
        assert_eq!(width(1000, 2f64.powi(-8)), Some(9), "the hash errs too");
        assert_eq!(width(1000, 0.6), Some(1));
        assert_eq!(width(1000, 1e-9), Some(30));
        assert_eq!(width(1000, 1e-10), None);
        assert_eq!(width(1 << 48, 1e-5), None);
        assert!((fpr(1_000_000, 8) - 0.00390625).abs() < 1e-9);
    }
}
