//! Regions of bits, each with a mark if keys share bits in it: which keys can be removed.
//!
//! The deletable filter clears a bit of a key only if the bit's region has no mark, that is if no
//! bit of the region was set twice. A key is removed once one of its bits is cleared.

use super::{bloom, first};
use crate::parts::probes::Spread;

/// Bits, probes and regions of a deletable filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// m: the bits that keys set, without the r marks.
    pub bits: u64,
    /// k.
    pub probes: u32,
    /// r.
    pub regions: u64,
}

/// (1-1/m)^throws: the probability that `throws` throws miss a bit.
fn spared(m: u64, throws: f64) -> f64 {
    // 0·ln 0 is NaN, and no throws miss everything.
    if throws <= 0.0 { 1.0 } else { (throws * (-1.0 / m as f64).ln_1p()).exp() }
}

/// 1-pc: the probability that a bit is set at most once in N throws.
fn not_shared(m: u64, throws: f64) -> f64 {
    let once = throws / m as f64 * spared(m, throws - 1.0);
    (spared(m, throws) + once).min(1.0)
}

/// The share of n keys that can be removed from m bits in r regions: P=1-(1-ρ)^k with
/// ρ=(1-pc)^(m/r-1)·(1-1/m)^(kn-1). A bit of the key can be cleared when no other throw hit it, and
/// when none of the m/r-1 others of its region was hit twice.
///
/// At most 1-ε, with a region for each bit: then a key stays exactly when all its bits were hit by
/// others. The probes of a key are treated as independent, which costs 2 % of the value where few
/// keys can be removed: .0294 at n=1000, m=15,500, k=11, r=500, where .0300 are measured.
pub fn removable(m: u64, n: u64, k: u32, r: u64) -> f64 {
    let throws = f64::from(k) * n as f64;
    let others = m as f64 / r as f64 - 1.0;
    any_of(k, not_shared(m, throws).powf(others) * spared(m, throws - 1.0))
}

/// The form usually attributed to the paper, 1-(1-(1-pc)^(m/r))^k. Too high, since it ignores
/// whether the key's own bit was hit: .19 where .11 are measured. For comparison.
pub fn removable_in_print(m: u64, n: u64, k: u32, r: u64) -> f64 {
    let throws = f64::from(k) * n as f64;
    any_of(k, not_shared(m, throws).powf(m as f64 / r as f64))
}

/// The same from the cells of a filter: `free` ones are in regions without a mark, so each belongs
/// to one key only, and `items` keys with k probes each set them all.
pub fn removable_now(free: u64, items: f64, k: u32) -> f64 {
    any_of(k, (free as f64 / (items * f64::from(k))).clamp(0.0, 1.0))
}

/// 1-(1-ρ)^k: at least one of k.
fn any_of(k: u32, rho: f64) -> f64 {
    1.0 - (1.0 - rho).powi(k.cast_signed())
}

/// Of the keys that could be removed with a region for each bit, the share that must be removable.
pub const SHARE: f64 = 0.9;

/// The fewest bits and marks for n keys at rate p of which [`SHARE`] can be removed. `None` when p
/// is below the floor or the bits alone would be more than `most`.
///
/// Fewer probes than in a classic filter share fewer bits: at 1 %, k=5 takes 9.85 bits and 1.55
/// marks per key, while k=7 would take 9.59 and 2.35.
pub fn size(n: u64, p: f64, most: u64) -> Option<Size> {
    let classic = bloom::size(n, p, most)?;
    (1..=classic.probes.min(Spread::MAX_PROBES))
        .filter_map(|k| {
            let bits = bloom::bits_for(n, p, k, most)?;
            Some(Size { bits, probes: k, regions: regions_for(bits, n, k) })
        })
        .min_by_key(|size| size.bits.saturating_add(size.regions))
}

/// The fewest regions with which [`SHARE`] of the keys can be removed.
fn regions_for(m: u64, n: u64, k: u32) -> u64 {
    let wanted = SHARE * removable(m, n, k, m);
    first(1, m, |r| removable(m, n, k, r) >= wanted).unwrap_or(m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_lies_between_nothing_and_all_but_the_rate() {
        for (m, n, k) in [(1, 1, 1), (2, 1, 2), (15_500, 1000, 11), (95_000, 10_000, 7)] {
            let shares: Vec<f64> = (1..=m).map(|r| removable(m, n, k, r)).collect();
            assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{m} {n} {k}");
            assert!(shares.is_sorted(), "{m} {n} {k}: more regions free more keys");
            let most = 1.0 - bloom::standard(m, n, k);
            assert!((shares[m as usize - 1] - most).abs() < 2e-3 + 4.0 / m as f64, "{m} {n} {k}");
        }
        for m in [1, 3, 1 << 46] {
            for n in [1, 1 << 48] {
                for (k, r) in [(1, 1), (64, m)] {
                    for share in [removable(m, n, k, r), removable_in_print(m, n, k, r)] {
                        assert!((0.0..=1.0).contains(&share), "{m} {n} {k} {r}: {share}");
                    }
                }
            }
        }
    }

    /// The numbers of the documentation.
    #[test]
    fn a_size_frees_nine_keys_in_ten() {
        let n = 1_000_000;
        for (p, k, bits, marks) in [(0.01, 5, 9.849, 1.551), (1e-3, 8, 14.608, 1.701)] {
            let size = size(n, p, 1 << 46).unwrap();
            let per_key = |bits: u64| bits as f64 / n as f64;
            assert_eq!(size.probes, k);
            assert!((per_key(size.bits) - bits).abs() < 1e-3, "{p}: {size:?}");
            assert!((per_key(size.regions) - marks).abs() < 2e-3, "{p}: {size:?}");
            assert!(bloom::rate(size.bits, n, k) <= p);
            let share = removable(size.bits, n, k, size.regions);
            assert!((share - 0.9 * (1.0 - p)).abs() < 1e-3, "{share}");
        }
        assert_eq!(size(1 << 48, 1e-18, 1 << 46), None);
    }
}
