//! Bands: a count to its power of two, so that three bits are enough for counts.

use crate::batch::source::KeySource;
use crate::error::BuildError;
use crate::parts::hash::KeyHash;
use std::ops::RangeInclusive;

/// Counts as powers of two: band b holds the counts from 2ᵇ to 2ᵇ⁺¹−1, and the last band all that
/// are larger.
///
/// Three bits make eight bands: 1, 2-3, 4-7, 8-15, 16-31, 32-63, 64-127, and 128 or more. Whether a
/// password was seen in 9 or in 12 breaches decides nothing, and the exact count would take 26 bits.
///
/// ```
/// use anther::Bands;
///
/// let bands = Bands::new(3).unwrap();
/// assert_eq!(bands.of(9), Some(3));
/// assert_eq!(bands.range(3), 8..=15);
/// assert_eq!(bands.range(bands.of(1_000_000).unwrap()), 128..=u64::MAX);
/// assert_eq!(bands.of(0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bands {
    bits: u32,
}

impl Bands {
    /// Bits of a band. Six make 64 bands, as many as a 64-bit count has powers of two.
    pub const BITS: RangeInclusive<u32> = 1..=6;
    /// Eight bands.
    pub const DEFAULT_BITS: u32 = 3;

    /// Bands of this number of bits; `None` if it is not in [`Bands::BITS`].
    pub fn new(bits: u32) -> Option<Bands> {
        Bands::BITS.contains(&bits).then_some(Bands { bits })
    }

    fn last(self) -> u32 {
        (1 << self.bits) - 1
    }

    /// The band of a count; 0 has none.
    pub fn of(self, count: u64) -> Option<u64> {
        count.checked_ilog2().map(|power| power.min(self.last()).into())
    }

    /// The counts of a band.
    pub fn range(self, band: u64) -> RangeInclusive<u64> {
        let power = u32::try_from(band).unwrap_or(u32::MAX).min(self.last());
        let least = 1 << power;
        let most = if power == self.last() { u64::MAX } else { least + (least - 1) };
        least..=most
    }
}

/// Keys with the bands of their counts.
pub(super) struct InBands<'a> {
    pub(super) pairs: &'a mut dyn KeySource<(KeyHash, u64)>,
    pub(super) bands: Bands,
}

impl InBands<'_> {
    /// The smallest count of a key in each of two bands, for an error in numbers that the caller
    /// gave. This reads all pairs once more; if that fails, the counts are the largest of each band.
    pub(super) fn counts(&mut self, key: KeyHash, bands: [u64; 2]) -> [u64; 2] {
        let mut counts = bands.map(|band| *self.bands.range(band).end());
        let _ = self.pairs.each(&mut |pairs| {
            for (_, count) in pairs.iter().filter(|(other, _)| *other == key) {
                for (least, band) in counts.iter_mut().zip(bands) {
                    if self.bands.of(*count) == Some(band) {
                        *least = (*least).min(*count);
                    }
                }
            }
        });
        counts
    }
}

impl KeySource<(KeyHash, u64)> for InBands<'_> {
    fn each(&mut self, take: &mut dyn FnMut(&[(KeyHash, u64)])) -> Result<(), BuildError> {
        let (mut some, mut zero) = (Vec::new(), None);
        self.pairs.each(&mut |pairs| {
            some.clear();
            for &(key, count) in pairs {
                match self.bands.of(count) {
                    Some(band) => some.push((key, band)),
                    None => zero = zero.or(Some(key)),
                }
            }
            take(&some);
        })?;
        zero.map_or(Ok(()), |key| Err(BuildError::NoBand { key }))
    }
}
