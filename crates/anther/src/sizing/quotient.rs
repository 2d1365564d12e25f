//! Quotient filters: one slot per key, of a remainder and a little more than two bits.
//!
//! Equal keys may take fewer: c copies take c slots or, alone in their run, 3+⌈(2⌊log₂c⌋+1)/r⌉,
//! whichever is less. So all numbers here hold for at least n keys, whatever their fingerprints.
//!
//! A key is one of N=s·2^r fingerprints: s slots, one of which is the key's home, and r bits of
//! remainder. An absent key is a false positive when its fingerprint is present. Doubling moves a
//! bit from the remainder to the slot, so N stays the same, and so does the false-positive rate.

use super::dleft;
use super::first;

/// Slots per block: the bits of a word.
pub const BLOCK: u64 = 64;
/// r with a single block, which uses 6 of the 64 bits of a hash.
pub const MAX_REMAINDER_BITS: u32 = 58;

/// Bits of a block besides its remainders: two for each slot and an offset of eight.
const BLOCK_METADATA: u64 = 2 * BLOCK + 8;

/// Blocks and remainders of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Of 64 slots each.
    pub blocks: u64,
    /// r.
    pub remainder_bits: u32,
}

impl Size {
    /// s.
    pub fn slots(&self) -> u64 {
        self.blocks.saturating_mul(BLOCK)
    }

    /// s·(r+2.125).
    pub fn bits(&self) -> u64 {
        self.blocks.saturating_mul(BLOCK_METADATA + BLOCK * u64::from(self.remainder_bits))
    }

    /// How many slots may be occupied, and so the least number of keys that fit.
    pub fn capacity(&self) -> u64 {
        capacity(self.slots())
    }

    /// N=s·2^r, at most 2⁶⁴.
    pub fn fingerprints(&self) -> f64 {
        dleft::fingerprints(self.slots(), self.remainder_bits)
    }

    /// Twice the slots for one bit of each remainder; `None` when that is the last bit.
    pub fn doubled(&self) -> Option<Size> {
        let Size { blocks, remainder_bits } = *self;
        (remainder_bits > 1).then_some(Size {
            blocks: blocks.saturating_mul(2),
            remainder_bits: remainder_bits - 1,
        })
    }
}

/// 0.95·s: how many of `slots` slots may be occupied. At load α an insert moves ½·(1/(1-α)²-1)
/// others: 200 at the very last, 10 on average over all inserts.
pub fn capacity(slots: u64) -> u64 {
    slots - slots.div_ceil(20)
}

/// 2.125: the bits of a slot besides its remainder.
pub fn metadata_bits() -> f64 {
    BLOCK_METADATA as f64 / BLOCK as f64
}

/// (r+2.125)/α: bits per item at load α.
pub fn bits_per_item(r: u32, load: f64) -> f64 {
    (f64::from(r) + metadata_bits()) / load
}

/// α·2^-r: a bound on the rate at load α. It counts equal fingerprints repeatedly.
pub fn bound(r: u32, load: f64) -> f64 {
    load * 2f64.powi(-r.cast_signed())
}

/// The true rate with n items: the share of fingerprints that are present, as for [`dleft::rate`]
/// with slots instead of buckets.
pub fn rate(slots: u64, r: u32, n: u64) -> f64 {
    dleft::rate(slots, r, n)
}

/// The fewest blocks that hold n keys.
fn blocks_for(n: u64) -> Option<u64> {
    // The least s with 0.95·s ≥ n.
    Some(n.checked_mul(20)?.div_ceil(19).div_ceil(BLOCK).max(1))
}

/// The fewest bits for n items at rate p. `None` when p is not above the floor of the hash.
pub fn size(n: u64, p: f64) -> Option<Size> {
    let least = blocks_for(n)?;
    (1..=MAX_REMAINDER_BITS)
        .filter_map(|r| {
            let most = least.max(1 << (MAX_REMAINDER_BITS - r));
            let blocks = first(least, most, |blocks| rate(BLOCK * blocks, r, n) <= p)?;
            Some(Size { blocks, remainder_bits: r })
        })
        .min_by_key(Size::bits)
}

/// The size of 2^q slots and remainders of 64-q bits that holds n keys: it keeps all 64 bits of a
/// key.
pub fn exact_size(n: u64) -> Option<Size> {
    let blocks = blocks_for(n)?.checked_next_power_of_two()?;
    let remainder_bits = MAX_REMAINDER_BITS.checked_sub(blocks.ilog2()).filter(|r| *r > 0)?;
    Some(Size { blocks, remainder_bits })
}

#[cfg(test)]
mod tests {
    use super::super::bound::hash_floor;
    use super::*;

    #[test]
    fn a_size_is_the_smallest_that_holds() {
        for n in [1, 2, 60, 61, 100, 1000, 98_304, 1 << 40] {
            for p in [0.999_999, 0.5, 0.1, 0.01, 1e-3, 1e-7, 1e-12, 1e-18] {
                let Some(size) = size(n, p) else {
                    assert!(p <= hash_floor(n), "{n} {p}");
                    continue;
                };
                let (slots, r) = (size.slots(), size.remainder_bits);
                assert!(p > hash_floor(n) && rate(slots, r, n) <= p, "{n} {p}: {size:?}");
                assert!(size.capacity() >= n, "{n} {p}: {size:?}");
                let fewer = Size { blocks: size.blocks - 1, ..size };
                let enough = fewer.capacity() >= n && rate(fewer.slots(), r, n) <= p;
                assert!(fewer.blocks == 0 || !enough, "{n} {p}: {size:?}");
                let shorter = r > 1 && rate(slots, r - 1, n) <= p;
                assert!(!shorter, "{n} {p}: {size:?}");
            }
        }
    }

    /// Any number of slots, not only powers of two, so that every n takes nearly the same bits per
    /// key.
    #[test]
    fn bits_a_key_do_not_depend_on_the_number_of_keys() {
        for n in [100_000, 131_072, 140_000, 200_000, 1_000_000] {
            let bits = size(n, 0.01).unwrap().bits() as f64 / n as f64;
            assert!((bits / bits_per_item(7, 0.95) - 1.0).abs() < 0.002, "{n}: {bits}");
        }
    }

    #[test]
    fn exact_sizes_have_all_64_bits() {
        for n in [1, 60, 61, 1000, 60_000_000, 1 << 40] {
            let size = exact_size(n).unwrap();
            assert!(size.capacity() >= n && size.blocks.is_power_of_two());
            assert_eq!(size.slots().ilog2() + size.remainder_bits, 64, "{size:?}");
            assert_eq!(size.fingerprints(), 2f64.powi(64));
            assert_eq!(size.doubled().unwrap().fingerprints(), 2f64.powi(64));
        }
        assert_eq!(exact_size(60_000_000).unwrap().slots(), 1 << 26);
        assert_eq!(exact_size(u64::MAX), None);
    }
}
