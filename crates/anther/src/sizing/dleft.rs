//! Fingerprints in d-left hash tables: one table per fingerprint, so the false-positive rate is
//! exact.
//!
//! A key is one of N=b·2^r fingerprints: b buckets of a subtable, r bits of remainder. Each
//! subtable permutes them, so two keys match in all subtables or in none. An absent key is a false
//! positive when its fingerprint is present.

use super::{fingerprint, first};

/// d: the number of buckets a key may be in.
pub const SUBTABLES: u64 = 4;
/// Cells per bucket.
pub const CELLS: u64 = 8;
/// The mean number of occupied cells per bucket at capacity.
///
/// With many buckets, an insert at this load finds all four buckets full with a probability of
/// 2·10⁻¹³⁵, at 6.75 of 10⁻¹⁷, at 7 of 8·10⁻⁹. Few buckets do not change that: of 36 million tables
/// with 2 to 512 buckets per subtable and 12-bit remainders, the first to reject a key did so at
/// 6.92; with 5-bit remainders, where a permutation has little to work with, at 6.62.
pub const LOAD: u64 = 6;
/// A remainder and a 2-bit counter must fit in a cell of 64 bits.
pub const MAX_REMAINDER_BITS: u32 = 62;

/// Buckets and remainders of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// b, per subtable.
    pub buckets: u64,
    /// r.
    pub remainder_bits: u32,
}

impl Size {
    /// d·8·b·(r+2): a remainder and a 2-bit counter per cell.
    pub fn bits(&self) -> u64 {
        (SUBTABLES * CELLS * u64::from(self.remainder_bits + 2)).saturating_mul(self.buckets)
    }
}

/// N=b·2^r. At most 2⁶⁴, since a hash has 64 bits.
pub fn fingerprints(b: u64, r: u32) -> f64 {
    (b as f64 * 2f64.powi(r.cast_signed())).min(2f64.powi(64))
}

/// d·6·2^-r: the paper's bound on the rate. It counts equal fingerprints repeatedly.
pub fn bound(r: u32) -> f64 {
    (SUBTABLES * LOAD) as f64 * 2f64.powi(-r.cast_signed())
}

/// The true rate with n items: see [`fingerprint::rate`].
pub fn rate(b: u64, r: u32, n: u64) -> f64 {
    fingerprint::rate(fingerprints(b, r), n)
}

/// The fewest bits for n items at rate p. `None` when p is not above the floor.
///
/// One more bit of remainder costs 1/(r+2) and halves the rate. Where less is enough, more buckets
/// are cheaper.
pub fn size(n: u64, p: f64) -> Option<Size> {
    let least = n.div_ceil(SUBTABLES * LOAD).max(1);
    (1..=MAX_REMAINDER_BITS)
        .filter_map(|r| {
            let most = least.max(1 << (64 - r));
            let buckets = first(least, most, |b| rate(b, r, n) <= p)?;
            Some(Size { buckets, remainder_bits: r })
        })
        .min_by_key(Size::bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::bound::hash_floor;

    #[test]
    fn a_size_is_the_smallest_that_holds() {
        for n in [1, 2, 24, 25, 100, 1000, 98_304, 1 << 40] {
            for p in [0.999_999, 0.5, 0.1, 0.01, 1e-3, 1e-7, 1e-12, 1e-18] {
                let Some(size) = size(n, p) else {
                    assert!(p <= hash_floor(n), "{n} {p}");
                    continue;
                };
                let (b, r) = (size.buckets, size.remainder_bits);
                assert!(p > hash_floor(n) && rate(b, r, n) <= p, "{n} {p}: {size:?}");
                assert!(b * SUBTABLES * LOAD >= n, "{n} {p}: {size:?}");
                let fewer = b > 1 && (b - 1) * SUBTABLES * LOAD >= n && rate(b - 1, r, n) <= p;
                assert!(!fewer, "{n} {p}: {size:?}");
            }
        }
    }

    /// Just above the floor only all bits of the hash suffice; that is always possible.
    #[test]
    fn the_floor_is_reached() {
        for n in [1, 1000, 1 << 40] {
            let floor = hash_floor(n);
            let size = size(n, floor * 1.000_001).unwrap();
            assert_eq!(fingerprints(size.buckets, size.remainder_bits), 2f64.powi(64));
            assert_eq!(rate(size.buckets, size.remainder_bits, n), floor);
        }
    }
}
