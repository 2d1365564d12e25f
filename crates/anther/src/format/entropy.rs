//! Compressed rows of bits: a static binary arithmetic coder, for rows with few ones or few zeros.
//!
//! Every bit narrows an interval in proportion to its probability, and the code is a number in the
//! final interval. The probability of a one is the share of ones, so a row of m bits takes m·H bits
//! and some 20 bytes. Every part of a row has the same share of ones, so an adaptive coder could
//! not do better.
//!
//! The interval is 64 bits wide and at least 2³² when it is split, and the probability has 32 bits.
//! So a split is off by less than one in a million down to a probability of 2⁻¹²; coarser
//! arithmetic, such as 16-bit probabilities, could not tell a row with one key in 10⁵ bits from an
//! empty one. FORMAT.md has the rules for readers in other languages, with an example.

use crate::error::OutOfMemory;
use crate::parts::bits::Bits;
use crate::parts::words::Words;

/// Before the coded units: the number of bits and the number of ones.
const HEAD: usize = 2;

/// Below this, the interval is widened and a unit is output.
const NARROW: u64 = 1 << 32;

/// The most bytes that a compressed section may take in memory. An empty row of any length
/// compresses to 16 bytes, so without a limit a small file could exhaust memory. A section is only
/// compressed if it can be read back.
fn most_bytes(section: usize) -> u64 {
    (section as u64).saturating_mul(8).saturating_mul(1024).max(64 << 20)
}

/// The probability of a one in units of 2⁻³²: 1 to 2³²-1, for rows with some ones and some zeros.
fn chance(bits: u64, ones: u64) -> u64 {
    let share = (u128::from(ones) << 32) / u128::from(bits);
    #[expect(clippy::cast_possible_truncation, reason = "below 2³², as there are zeros")]
    (share as u64).max(1)
}

/// The part of an interval for a one: its upper end. Zeros, usually the majority, then leave the
/// lower end where it is.
#[inline]
fn part_of_one(range: u64, chance: u64) -> u64 {
    #[expect(clippy::cast_possible_truncation, reason = "below the range")]
    let part = ((u128::from(range) * u128::from(chance)) >> 32) as u64;
    part
}

/// The words of a compressed section; `None` if plain words are as short, or if the section could
/// not be read back.
pub(super) fn encode(row: &Bits) -> Result<Option<Vec<u64>>, OutOfMemory> {
    let (plain, ones) = (row.words().len(), row.ones());
    if plain <= HEAD || plain as u64 * 8 > most_bytes(most_words(row.len(), ones)) {
        return Ok(None);
    }
    let Some(units) = code(row, ones, 2 * (plain - HEAD))? else {
        return Ok(None);
    };
    let len = HEAD + units.len().div_ceil(2);
    if len >= plain || plain as u64 * 8 > most_bytes(len) {
        return Ok(None);
    }
    let mut section = Vec::new();
    section.try_reserve_exact(len).map_err(|_| OutOfMemory { bytes: len as u64 * 8 })?;
    section.extend([row.len(), ones]);
    section.extend(units.chunks(2).map(|pair| {
        let high = pair.get(1).copied().unwrap_or_default();
        u64::from(high) << 32 | u64::from(pair[0])
    }));
    Ok(Some(section))
}

/// An upper bound on the words of a section in which ones are rare. It avoids compressing a large,
/// nearly empty row, an hour for 2⁴⁰ bits, only to find that it could not be read back. A one takes
/// at most 33 bits, since its probability is at least 2⁻³²; the zeros take 1.5 bits per one
/// together, or 2⁻³¹ each.
fn most_words(bits: u64, ones: u64) -> usize {
    let most = ones.saturating_mul(40).saturating_add(bits >> 31) / 64;
    usize::try_from(most).map_or(usize::MAX, |words| words.saturating_add(HEAD + 2))
}

/// The units of a row, without trailing zeros; `None` if there are more than `most`.
fn code(row: &Bits, ones: u64, most: usize) -> Result<Option<Vec<u32>>, OutOfMemory> {
    let mut units = Vec::new();
    if ones == 0 || ones == row.len() {
        return Ok(Some(units));
    }
    let chance = chance(row.len(), ones);
    let (mut low, mut range) = (0u64, u64::MAX);
    let mut left = row.len();
    for &word in row.words() {
        let (mut rest, len) = (word, left.min(64));
        left -= len;
        // A bit outputs at most one unit, and so does the end. Reserving here makes running out of
        // memory an error instead of an abort in `push`.
        units.try_reserve(65).map_err(|_| OutOfMemory { bytes: units.len() as u64 * 8 })?;
        for _ in 0..len {
            let one = part_of_one(range, chance);
            range -= one;
            if rest & 1 == 1 {
                let (sum, carry) = low.overflowing_add(range);
                if carry {
                    carry_into(&mut units);
                }
                (low, range) = (sum, one);
            }
            rest >>= 1;
            if range < NARROW {
                units.push(upper(low));
                (low, range) = (low << 32, range << 32);
            }
        }
        if units.len() > most {
            return Ok(None);
        }
    }
    // The interval is wider than 2³², so it holds a number whose lower half is 0.
    let (end, carry) = low.overflowing_add(NARROW - 1);
    if carry {
        carry_into(&mut units);
    }
    units.push(upper(end));
    while units.last() == Some(&0) {
        units.pop();
    }
    Ok(Some(units))
}

fn upper(x: u64) -> u32 {
    (x >> 32) as u32
}

/// Adds one to the last unit. The interval never reaches 1, so some unit absorbs the carry.
fn carry_into(units: &mut [u32]) {
    for unit in units.iter_mut().rev() {
        *unit = unit.wrapping_add(1);
        if *unit != 0 {
            return;
        }
    }
}

/// The words of a row of `bits` bits from those of a section; `None` if the section is invalid, or
/// larger than its length allows.
pub(super) fn decode(section: &[u64], bits: u64) -> Result<Option<Words>, OutOfMemory> {
    let Some((&[stored, ones], coded)) = section.split_first_chunk::<HEAD>() else {
        return Ok(None);
    };
    let too_large = bits.div_ceil(8) > most_bytes(section.len());
    if stored != bits || ones > bits || too_large || coded.last() == Some(&0) {
        return Ok(None);
    }
    let count = usize::try_from(bits.div_ceil(64));
    let mut words = Words::zeroed(count.map_err(|_| OutOfMemory { bytes: bits / 8 })?)?;
    if ones == 0 || ones == bits {
        if ones > 0 {
            fill(words.to_mut(), bits);
        }
        return Ok(coded.is_empty().then_some(words));
    }

    let mut units = Units { words: coded, next: 0 };
    let chance = chance(bits, ones);
    let (mut value, mut range) = (units.take() << 32 | units.take(), u64::MAX);
    // From here on the value stays below the range, whatever the units are.
    if value == range {
        return Ok(None);
    }
    let (mut left, mut found) = (bits, 0);
    for word in words.to_mut() {
        let len = left.min(64);
        left -= len;
        let mut decoded = 0u64;
        for bit in 0..len {
            let one = part_of_one(range, chance);
            range -= one;
            if value >= range {
                value -= range;
                range = one;
                decoded |= 1 << bit;
            }
            if range < NARROW {
                (value, range) = (value << 32 | units.take(), range << 32);
            }
        }
        found += u64::from(decoded.count_ones());
        *word = decoded;
    }
    // Only the writer's own number is accepted: the first in the interval whose second unit is 0.
    // So a row has exactly one code. Corruption is found by the checksum, since nearly every code
    // is valid.
    let own = value < NARROW && units.rest_is_zero();
    Ok((found == ones && own).then_some(words))
}

/// Sets all bits, but none beyond the end.
fn fill(words: &mut [u64], bits: u64) {
    words.fill(u64::MAX);
    if let (Some(last), used @ 1..) = (words.last_mut(), bits % 64) {
        *last >>= 64 - used;
    }
}

/// The units of a section: each word's lower half, then its upper half, then endless zeros.
struct Units<'a> {
    words: &'a [u64],
    next: usize,
}

impl Units<'_> {
    #[inline]
    fn take(&mut self) -> u64 {
        let unit = self.at(self.next);
        self.next += 1;
        unit
    }

    #[inline]
    fn at(&self, unit: usize) -> u64 {
        let word = self.words.get(unit / 2).copied().unwrap_or_default();
        if unit.is_multiple_of(2) { word & (NARROW - 1) } else { word >> 32 }
    }

    /// Whether the last unit taken and all that follow are 0.
    fn rest_is_zero(&self) -> bool {
        (self.next - 1..2 * self.words.len()).all(|unit| self.at(unit) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::wire;

    /// A row whose bits are 1 where `is_one` is true.
    fn row(bits: u64, is_one: impl Fn(u64) -> bool) -> Bits {
        let mut row = Bits::zeroed(bits).unwrap();
        (0..bits).filter(|bit| is_one(*bit)).for_each(|bit| {
            row.set(bit);
        });
        row
    }

    fn random(bits: u64, share: f64, seed: u64) -> Bits {
        use crate::parts::hash::KeyHash;
        row(bits, |bit| (KeyHash(seed).again(bit).0 as f64) < share * 2f64.powi(64))
    }

    /// Compressed and decompressed, whether or not a file would compress it.
    fn there_and_back(row: &Bits) -> Vec<u32> {
        let ones = row.ones();
        let units = code(row, ones, usize::MAX).unwrap().unwrap();
        let mut section = vec![row.len(), ones];
        section.extend(
            units.chunks(2).map(|pair| {
                u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32
            }),
        );
        let words = decode(&section, row.len()).unwrap().expect("its own code");
        assert_eq!(words.as_slice(), row.words(), "{} bits, {ones} ones", row.len());
        units
    }

    /// The example of FORMAT.md.
    #[test]
    fn the_example_of_the_format() {
        let row = row(640, |bit| bit % 53 == 0);
        assert_eq!(row.ones(), 13);
        assert_eq!(chance(640, 13), 0x0533_3333);
        let section = encode(&row).unwrap().unwrap();
        assert_eq!(section, [640, 13, 0x5E22_440B_FC90_952C, 0x200B_80F5], "{section:#X?}");
    }

    #[test]
    fn every_row_comes_back() {
        for bits in [1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 1000, 4096, 10_007] {
            for share in [0.0, 1e-4, 0.01, 0.3, 0.5, 0.9, 0.999, 1.0] {
                for seed in 0..20 {
                    there_and_back(&random(bits, share, seed));
                }
            }
            // One at either end, all but one.
            for at in [0, bits - 1] {
                there_and_back(&row(bits, |bit| bit == at));
                there_and_back(&row(bits, |bit| bit != at));
            }
        }
        // Runs, where the interval straddles a unit's end for long.
        for run in [1, 7, 64, 500] {
            there_and_back(&row(20_000, |bit| bit / run % 2 == 0));
            there_and_back(&row(20_000, |bit| bit / run % 17 == 3));
        }
        // The rarest ones: a probability of 2⁻³² is too rare for a test, 2⁻²² is not.
        there_and_back(&row(1 << 22, |bit| bit == 3_000_000));
    }

    /// m·H and a constant, from half full to nearly empty.
    #[test]
    fn the_length_is_the_entropy() {
        for bits in [100_000u64, 3_000_000] {
            for share in [0.5, 0.2, 0.05, 0.01, 1e-3, 0.9, 0.99] {
                let row = random(bits, share, 7);
                let ideal = bits as f64 * wire::entropy(row.ones() as f64 / bits as f64);
                let got = there_and_back(&row).len() as f64 * 32.0;
                assert!(got < ideal * 1.0001 + 64.0, "{bits} {share}: {got} for {ideal}");
                assert!(got > ideal - 64.0, "{bits} {share}: {got} for {ideal}");
            }
        }
    }

    /// Plain words where they are as short, and where a reader would reject the compressed ones.
    #[test]
    fn rows_are_coded_where_that_is_shorter_and_can_be_read() {
        assert_eq!(encode(&random(100_000, 0.5, 1)), Ok(None));
        assert_eq!(encode(&random(128, 0.0, 1)), Ok(None));
        assert_eq!(encode(&random(129, 0.0, 1)), Ok(Some(vec![129, 0])));
        assert_eq!(encode(&random(200, 1.0, 1)), Ok(Some(vec![200, 200])));
        // 64 MiB from nothing, and not one bit more.
        let most = 64 << 23;
        assert_eq!(encode(&Bits::zeroed(most).unwrap()), Ok(Some(vec![most, 0])));
        assert_eq!(encode(&Bits::zeroed(most + 1).unwrap()), Ok(None));
        assert!(decode(&[most, 0], most).unwrap().is_some());
        for bits in [most + 1, most + 64, 1 << 40, 1 << 46, u64::MAX] {
            assert_eq!(decode(&[bits, 0], bits), Ok(None), "{bits}");
        }
        assert_eq!(most_bytes(8192 * 2), 128 << 20);
        assert_eq!(most_bytes(usize::MAX), u64::MAX);
    }

    /// The interval of a row holds many numbers, and only the first is its code. Where the last bit
    /// widens the interval, the next number is exactly as far away as the limit.
    #[test]
    fn the_next_number_of_the_same_row_is_refused() {
        for seed in 0..100 {
            let few = random(1000, 0.01, seed);
            let row = row(1000, |bit| few.get(bit) || bit == 999);
            let mut section = encode(&row).unwrap().unwrap();
            assert!(decode(&section, 1000).unwrap().is_some());
            let last = section.last_mut().unwrap();
            *last += if *last >= NARROW { NARROW } else { 1 };
            assert_eq!(decode(&section, 1000), Ok(None), "{seed}");
        }
    }

    #[test]
    fn sections_that_are_none_are_refused() {
        let row = random(5000, 0.03, 3);
        let section = encode(&row).unwrap().unwrap();
        let refused = |section: &[u64], bits| decode(section, bits) == Ok(None);
        assert!(!refused(&section, 5000));
        assert!(refused(&section, 5001) && refused(&section, 4999), "another length");
        assert!(refused(&[], 5000) && refused(&section[..1], 5000), "no head");
        let len = section.len();
        assert!(refused(&section[..len - 1], 5000) && refused(&section[..2], 5000), "cut");
        assert!(refused(&[&section[..], &[0]].concat(), 5000), "a zero at the end");
        assert!(refused(&[&section[..], &[1]].concat(), 5000), "a word too many");
        for ones in [0, 1, row.ones() - 1, row.ones() + 1, 4999, 5000, 5001, u64::MAX] {
            let mut forged = section.clone();
            forged[1] = ones;
            assert!(refused(&forged, 5000), "{ones} ones");
        }
        assert!(refused(&[5000, 0, 1], 5000) && refused(&[5000, 5000, 1], 5000));
        // Any words at all: rejected, or the code of the decoded row.
        for seed in 0..200u64 {
            let words = random(640, 0.5, seed);
            for ones in [1, 100, 2500, 4999] {
                let forged = [&[5000, ones], words.words()].concat();
                if let Some(decoded) = decode(&forged, 5000).unwrap() {
                    let row = Bits::from_words(decoded, 5000).unwrap();
                    assert_eq!(encode(&row), Ok(Some(forged)));
                }
            }
        }
        assert!(refused(&[5000, 100, u64::MAX, u64::MAX], 5000));
    }
}
