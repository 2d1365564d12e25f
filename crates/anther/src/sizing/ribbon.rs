//! Ribbon: how many columns, slots and layers a set of keys needs.
//!
//! A filter at false-positive rate ε needs log2(1/ε) bits per key. A ribbon has whole columns, each
//! of which halves the rate, so it mixes: where c < log2(1/ε) < c+1, a share q = 2·ε·2^c − 1 of the
//! slots has c columns and the others have c+1, and the mean rate is ε. That costs 2(1−2^−x) − x
//! bits per key for x = log2(1/ε) − c, at most 0.086: 1.1 % at ε = 1 %, 0.1 % at 0.1 % and at 10⁻⁶,
//! nothing at powers of 2. No mixture does better, as the logarithm of a mean rate is below the
//! mean logarithm.
//!
//! Keys that do not fit in a layer go to the next, so a layer may be too small for its keys. Then
//! nearly every slot is used, and all layers together have 1.0025·n slots.

use super::bound::hash_floor;
use std::num::NonZero;

/// Mean number of keys per shard. Solving one takes 0.5 MB, which fits in a second-level cache; its
/// word in the directory is 0.03 % of its bits at 1 %.
const SHARD: u64 = 1 << 15;
/// Slots per block.
const BLOCK: u64 = 64;
/// Up to this many keys are solved at once, as the last layer: 1 % more slots than keys suffice for
/// one try in ten (measured: 7 slots more at 1024 keys, 2 at 256, 0 at 64).
pub const LAST: u64 = 1024;
/// How often the last layer is tried before it gets another block.
const PATIENCE: u64 = 50;
/// One key in this many is too many for a layer. With 5 % too many, 0.15 % of the slots stay empty;
/// with 3 %, 0.3 %; with none, 1.3 %. With 8 % filters get no smaller, and more lookups go on to
/// the next layer.
const OVERLOAD: u64 = 20;
/// The share of slots that stay empty, measured in shards: few rows reach their ends.
const EMPTY: f64 = 0.0025;
/// The most blocks of a shard, limited by the directory.
pub const MAX_BLOCKS: u64 = (1 << 27) - 1;

/// Slots per bucket: the starts that share a threshold.
pub const BUCKET: u64 = 192;
/// Bits per threshold.
pub const THRESHOLD_BITS: usize = 2;
/// The thresholds: keys that start below it within a bucket go to the next layer.
///
/// Measured over 2¹⁹ keys, as empty slots and overhead at one bit per key: buckets of 128 with 20
/// and 40 leave 0.06 % empty but cost 1.6 %; 192 with 24 and 48, 0.15 % and 1.2 %; 192 with 32 and
/// 64, 0.3 % and 1.4 %; 256 with 24 and 48, 0.4 % and 1.2 %, and beyond that whole buckets fail.
pub const THRESHOLDS: [u64; 4] = [0, 24, 48, BUCKET];

/// The most columns of the narrower slots. Rates end at 10⁻¹⁸, which is 2^−59.8.
pub const MAX_FEW: u32 = 60;

/// The number of shards for about n keys.
pub fn shards(n: u64) -> NonZero<u64> {
    NonZero::new(n / SHARD).unwrap_or(NonZero::<u64>::MIN)
}

/// Blocks for k keys of a shard, fewer than they need; none when all should go to the next layer.
pub fn blocks(k: u64) -> u64 {
    if k <= LAST { 0 } else { ((k - k / OVERLOAD) / BLOCK).min(MAX_BLOCKS) }
}

/// Blocks for the last k keys, enough for all of them; more after many tries.
pub fn last_blocks(k: u64, tries: u64) -> u64 {
    (k + k / 100).div_ceil(BLOCK) + tries / PATIENCE
}

/// Slots where a row can start.
pub fn starts(blocks: u64) -> u64 {
    (blocks * BLOCK).saturating_sub(BLOCK - 1)
}

/// Buckets in this many blocks.
pub fn buckets(blocks: u64) -> u64 {
    starts(blocks).div_ceil(BUCKET)
}

/// c, the columns of the narrower slots, and q, the share of slots that may be narrow.
///
/// No logarithm, since a file must not depend on the platform's: doubling is exact.
pub fn columns(fpr: f64) -> (u32, f64) {
    let (mut few, mut scaled) = (0, fpr);
    while scaled <= 0.5 && few < MAX_FEW {
        scaled *= 2.0;
        few += 1;
    }
    (few, (2.0 * scaled - 1.0).clamp(0.0, 1.0))
}

/// The rate left for the columns, after the floor of the hash.
pub fn rate_of_columns(n: u64, fpr: f64) -> f64 {
    (fpr - hash_floor(n)).max(0.0)
}

/// Approximate bits of the filter of n keys, directory and thresholds included.
///
/// Follows the layers as the build does, with the mean for what a layer holds. Actual sizes differ
/// by 1 % at 10⁴ keys, where a block is 0.7 %, and by 0.1 % from 10⁵ on.
pub fn bits(n: u64, fpr: f64) -> u64 {
    let (few, share) = columns(rate_of_columns(n, fpr));
    bits_of(n, few, share)
}

/// The same for given columns: `few` in this share of the slots, one more in the others.
pub fn bits_of(n: u64, few: u32, share: f64) -> u64 {
    let (mut words, mut thresholds) = (0, 0);
    let mut add = |shards: u64, blocks: u64| {
        // The directory's word, then the blocks, which may be narrow up to a whole one.
        words += shards * (1 + blocks * (u64::from(few) + 1) - floor(blocks as f64 * share));
        thresholds += shards * buckets(blocks) * THRESHOLD_BITS as u64;
    };
    let mut left = n;
    while left > LAST {
        let shards = shards(left).get();
        let blocks = blocks(left / shards);
        add(shards, blocks);
        left -= floor((shards * blocks * BLOCK) as f64 * (1.0 - EMPTY));
    }
    if left > 0 {
        add(1, last_blocks(left, 0));
    }
    BLOCK * (words + thresholds.div_ceil(BLOCK))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, saturates")]
fn floor(x: f64) -> u64 {
    x as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::bound::overhead;

    #[test]
    fn columns_mix_to_the_rate() {
        for (fpr, few) in [(0.5, 1), (0.7, 0), (0.25, 2), (0.01, 6), (1e-3, 9), (1e-6, 19)] {
            let (got, share) = columns(fpr);
            assert_eq!(got, few, "{fpr}");
            assert!((0.0..=1.0).contains(&share));
            let mixed = 0.5f64.powi(few as i32) * (share + (1.0 - share) / 2.0);
            assert!((mixed / fpr - 1.0).abs() < 1e-12, "{fpr}: {mixed}");
        }
        assert_eq!(columns(0.5f64.powi(40)), (40, 1.0));
        assert_eq!(columns(1e-18).0, 59);
        assert_eq!(columns(0.0), (MAX_FEW, 0.0));
    }

    #[test]
    fn every_layer_gets_smaller() {
        for k in LAST + 1..10_000 {
            assert!((1..k / BLOCK + 1).contains(&blocks(k)), "{k}");
        }
        assert_eq!((blocks(0), blocks(LAST)), (0, 0));
        assert_eq!(blocks(u64::MAX), MAX_BLOCKS);
        assert_eq!((last_blocks(1, 0), last_blocks(64, 0), last_blocks(65, 0)), (1, 1, 2));
        assert_eq!((starts(0), starts(1), starts(2)), (0, 1, 65));
        assert_eq!((buckets(0), buckets(1), buckets(4), buckets(5)), (0, 1, 2, 2));
    }

    /// The mixture of columns is most of the overhead at 1 %; the rest is some tenths of a percent.
    #[test]
    fn the_plan_is_close_to_the_bound() {
        for (fpr, most) in [(0.5, 0.022), (0.01, 0.018), (1e-3, 0.007), (1e-6, 0.006)] {
            for n in [100_000, 1_000_000, 100_000_000, 1 << 34] {
                let over = overhead(bits(n, fpr), n, fpr);
                assert!(over > 0.001 && over < most, "{n} {fpr}: {over}");
            }
        }
        assert_eq!(bits(0, 0.01), 0);
    }
}
