//! The fields of a Bloom filter, and what they must satisfy.

use crate::error::ForeignError;
use crate::foreign::cursor::Cursor;

/// Options of a filter.
pub(super) mod option {
    /// Exactly as many bits as the keys need, up to the next 64. Without it, a power of two.
    pub(crate) const NO_ROUND: u32 = 1;
    /// 64-bit hashes. Filters of the first releases have 32-bit hashes.
    pub(crate) const HASH_64: u32 = 4;
    /// A full filter rejects keys.
    pub(crate) const NO_SCALING: u32 = 8;
    /// All that there are, with one that sizes a filter by its bits, which no command sets.
    pub(crate) const ALL: u32 = 15;
}

/// RedisBloom's own constants, with its digits, so that it computes the same sizes.
#[expect(clippy::approx_constant, reason = "the digits that RedisBloom has")]
const LN_2: f64 = 0.693_147_180_559_945;
const LN_2_SQUARED: f64 = 0.480_453_013_918_201;

/// Bits per entry at the smallest positive rate.
const MOST_BITS_PER_ENTRY: f64 = 1550.0;

/// A layer of a [`Bloom`](super::Bloom) filter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BloomLayer {
    /// The bytes of its bits.
    pub bytes: u64,
    /// Its bits.
    pub bits: u64,
    /// The keys inserted into it, as RedisBloom counted them.
    pub items: u64,
    /// The false-positive rate that it was made for.
    pub error: f64,
    /// Bits per key at that rate.
    pub bits_per_entry: f64,
    /// Hash functions.
    pub probes: u32,
    /// The number of keys that it was made for.
    pub capacity: u64,
    /// Logarithm of the bits that are used, if they are a power of two; otherwise 0.
    pub log2_bits: u8,
}

impl BloomLayer {
    /// A new layer, with the size that RedisBloom would give it.
    pub(super) fn sized(capacity: u64, error: f64) -> Result<BloomLayer, ForeignError> {
        // The half of the smallest rate is 0.
        if !(error > 0.0 && error < 1.0) {
            return Err(ForeignError::field("error", error, "between 0 and 1"));
        }
        if !(1..=1 << 53).contains(&capacity) {
            return Err(ForeignError::field("capacity", capacity, "1 to 2^53"));
        }
        let bits_per_entry = (error.ln() / LN_2_SQUARED).abs();
        let bits = bits_for(capacity, bits_per_entry).max(1).next_multiple_of(64);
        let probes = probes(bits_per_entry);
        let log2_bits = 0;
        let items = 0;
        let bytes = bits / 8;
        Ok(BloomLayer { bytes, bits, items, error, bits_per_entry, probes, capacity, log2_bits })
    }

    /// The number of bits that keys are hashed to.
    pub(super) fn range(&self) -> u64 {
        if self.log2_bits > 0 { 1 << self.log2_bits } else { self.bits }
    }

    pub(super) fn check(&self) -> Result<(), ForeignError> {
        let BloomLayer { bytes, bits, items, error, bits_per_entry, capacity, .. } = *self;
        if !(error > 0.0 && error < 1.0) {
            return Err(ForeignError::field("error", error, "between 0 and 1"));
        }
        if !(bits_per_entry > 0.0 && bits_per_entry <= MOST_BITS_PER_ENTRY) {
            return Err(ForeignError::field(
                "bits per entry",
                bits_per_entry,
                "between 0 and 1550",
            ));
        }
        if self.probes != probes(bits_per_entry) {
            return Err(ForeignError::field("hashes", self.probes, probes(bits_per_entry)));
        }
        if bits == 0 {
            return Err(ForeignError::field("bits", bits, "at least 1"));
        }
        if bytes != bits.div_ceil(8) {
            return Err(ForeignError::field(
                "bytes",
                bytes,
                format!("{}, for {bits} bits", bits.div_ceil(8)),
            ));
        }
        if self.log2_bits > 63 || self.range() > bits {
            return Err(ForeignError::field(
                "n2",
                self.log2_bits,
                format!("the logarithm of {bits} at most"),
            ));
        }
        // With more entries than it has bits for, a layer would fill far beyond its rate. RedisBloom
        // rounds down the bits of all entries to a number, or the entries of all bits.
        let most = (self.range() as f64 + 1.0) * (1.0 + 1e-9) / bits_per_entry + 1.0;
        if capacity == 0 || capacity as f64 > most {
            return Err(ForeignError::field("entries", capacity, format!("1 to {most:.0}")));
        }
        if items > capacity {
            return Err(ForeignError::field(
                "size of a layer",
                items,
                format!("at most {capacity}"),
            ));
        }
        Ok(())
    }
}

/// The bits for this many entries, before they are rounded up.
#[expect(clippy::cast_possible_truncation, reason = "as RedisBloom does; and it saturates")]
pub(super) fn bits_for(capacity: u64, bits_per_entry: f64) -> u64 {
    (capacity as f64 * bits_per_entry) as u64
}

#[expect(clippy::cast_possible_truncation, reason = "at most 1075")]
fn probes(bits_per_entry: f64) -> u32 {
    (LN_2 * bits_per_entry).ceil() as u32
}

/// The fields of a filter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BloomHeader {
    pub(super) items: u64,
    pub(super) options: u32,
    pub(super) expansion: u32,
    pub(super) layers: Vec<BloomLayer>,
}

/// The lengths of the two parts of a header.
const HEAD: u64 = 20;
const LAYER: u64 = 53;

impl BloomHeader {
    pub(super) fn parse(bytes: &[u8]) -> Result<BloomHeader, ForeignError> {
        let mut cursor = Cursor::new(bytes);
        let items = cursor.u64()?;
        let layers = cursor.u32()?;
        let options = cursor.u32()?;
        let expansion = cursor.u32()?;
        match (HEAD + LAYER * u64::from(layers)).cmp(&(bytes.len() as u64)) {
            std::cmp::Ordering::Less => return Err(ForeignError::Trailing),
            std::cmp::Ordering::Greater => return Err(ForeignError::Truncated),
            std::cmp::Ordering::Equal => {}
        }
        let layers = (0..layers).map(|_| {
            Ok(BloomLayer {
                bytes: cursor.u64()?,
                bits: cursor.u64()?,
                items: cursor.u64()?,
                error: cursor.f64()?,
                bits_per_entry: cursor.f64()?,
                probes: cursor.u32()?,
                capacity: cursor.u64()?,
                log2_bits: cursor.u8()?,
            })
        });
        let layers = layers.collect::<Result<_, ForeignError>>()?;
        let header = BloomHeader { items, options, expansion, layers };
        header.check()?;
        Ok(header)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(self.items.to_le_bytes());
        // As many as were read from a field of 32 bits, or fewer than memory has room for.
        let layers = u32::try_from(self.layers.len()).unwrap_or(u32::MAX);
        bytes.extend(layers.to_le_bytes());
        bytes.extend(self.options.to_le_bytes());
        bytes.extend(self.expansion.to_le_bytes());
        for layer in &self.layers {
            bytes.extend(layer.bytes.to_le_bytes());
            bytes.extend(layer.bits.to_le_bytes());
            bytes.extend(layer.items.to_le_bytes());
            bytes.extend(layer.error.to_le_bytes());
            bytes.extend(layer.bits_per_entry.to_le_bytes());
            bytes.extend(layer.probes.to_le_bytes());
            bytes.extend(layer.capacity.to_le_bytes());
            bytes.push(layer.log2_bits);
        }
        bytes
    }

    pub(super) fn is_scaling(&self) -> bool {
        self.options & option::NO_SCALING == 0
    }

    pub(super) fn check(&self) -> Result<(), ForeignError> {
        if self.options & !option::ALL != 0 {
            return Err(ForeignError::field("options", self.options, "0 to 15"));
        }
        if self.is_scaling() && self.expansion == 0 {
            return Err(ForeignError::field("growth", 0, "at least 1"));
        }
        if self.layers.is_empty() {
            return Err(ForeignError::field("number of filters", 0, "at least 1"));
        }
        let mut items: u64 = 0;
        for layer in &self.layers {
            layer.check()?;
            items = items.saturating_add(layer.items);
        }
        if items != self.items {
            return Err(ForeignError::field("size", self.items, format!("{items}, as in layers")));
        }
        Ok(())
    }
}
