//! RedisBloom's Bloom filter: layers of plain bits, each larger than the one before.

use super::bloom_header::{BloomHeader, BloomLayer, option};
use super::scandump::{self, Layered, Loading};
use crate::error::{ForeignError, LayerFull};
use crate::foreign::murmur2::{murmur_32, murmur_64};
use crate::foreign::zeroed;

/// A Bloom filter of RedisBloom, the value behind its `BF.` commands.
///
/// It has RedisBloom's hash and layout, so it answers every query as RedisBloom does, false
/// positives included. The hash has no secret key: anyone who knows the filter can find false
/// positives.
///
/// ```
/// use anther::foreign::redisbloom::Bloom;
/// let mut filter = Bloom::new(100, 0.01, Some(2)).unwrap();
/// assert_eq!(filter.insert(b"apple"), Ok(true));
/// assert_eq!(filter.insert(b"apple"), Ok(false));
/// assert!(filter.contains(b"apple"));
/// assert_eq!((filter.len(), filter.capacity(), filter.info_size()), (1, 100, 240));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bloom {
    header: BloomHeader,
    /// As many as layers in the header, each of the length that it says.
    layers: Vec<Vec<u8>>,
}

impl Layered for Bloom {
    fn layer_bytes(&self, layer: usize) -> Option<u64> {
        self.header.layers.get(layer).map(|layer| layer.bytes)
    }

    fn with_layers(self, layers: Vec<Vec<u8>>) -> Bloom {
        Bloom { layers, ..self }
    }

    fn header_bytes(&self) -> Vec<u8> {
        self.header.to_bytes()
    }
}

impl Bloom {
    /// An empty filter, as `BF.RESERVE` makes it: its capacity in keys, its false-positive rate, and
    /// how much larger each new layer is (`None`: it never grows).
    pub fn new(capacity: u64, error: f64, expansion: Option<u32>) -> Result<Bloom, ForeignError> {
        let scaling = if expansion.is_some() { 0 } else { option::NO_SCALING };
        let options = option::NO_ROUND | option::HASH_64 | scaling;
        if !(error > 0.0 && error < 1.0) {
            return Err(ForeignError::field("error", error, "between 0 and 1"));
        }
        // The rates of layers that halve add up to the rate asked for.
        let error = if expansion.is_some() { error / 2.0 } else { error };
        let first = BloomLayer::sized(capacity, error)?;
        let header = BloomHeader {
            items: 0,
            options,
            expansion: expansion.unwrap_or(2),
            layers: vec![first],
        };
        header.check()?;
        Ok(Bloom { header, layers: vec![zeroed(first.bytes)?] })
    }

    /// Begins to load a dump from its header, which `SCANDUMP` returns with the iterator 1. Fails
    /// if the filter needs more than `limit` bytes.
    pub fn from_header(header: &[u8], limit: u64) -> Result<Loading<Bloom>, ForeignError> {
        let header = BloomHeader::parse(header)?;
        Loading::new(Bloom { header, layers: Vec::new() }, limit)
    }

    /// A filter of fields that are not checked yet, and of cells that have come with them.
    pub(super) fn from_parts(
        header: BloomHeader,
        layers: Vec<Vec<u8>>,
        limit: u64,
    ) -> Result<Bloom, ForeignError> {
        header.check()?;
        let filter = Bloom { header, layers };
        scandump::check_limit(&filter, limit)?;
        Ok(filter)
    }

    /// The header of its dump: what `SCANDUMP` answers to the iterator 0, together with 1.
    pub fn header(&self) -> Vec<u8> {
        self.header_bytes()
    }

    /// What `SCANDUMP` answers to an iterator from 1 on: the next iterator, and at most 16 MiB of
    /// one layer. `None` at the end.
    pub fn chunk(&self, iterator: i64) -> Option<(i64, &[u8])> {
        scandump::chunk(self, &self.layers, iterator)
    }

    /// All chunks of its dump after the header.
    pub fn chunks(&self) -> impl Iterator<Item = (i64, &[u8])> {
        let first = self.chunk(1);
        std::iter::successors(first, |(iterator, _)| self.chunk(*iterator))
    }

    /// Whether the key is in the filter, or looks as if it were.
    pub fn contains(&self, key: &[u8]) -> bool {
        let hash = self.hash(key);
        let mut layers = self.header.layers.iter().zip(&self.layers);
        layers
            .any(|(layer, bits)| positions(layer, hash).all(|(byte, mask)| bits[byte] & mask != 0))
    }

    /// Inserts a key into the last layer, unless some layer contains it. Returns whether it was
    /// new. If the last layer has as many keys as it was made for, nothing is inserted: call
    /// [`grow`](Bloom::grow) if the filter [is scaling](Bloom::is_scaling).
    pub fn insert(&mut self, key: &[u8]) -> Result<bool, LayerFull> {
        if self.contains(key) {
            return Ok(false);
        }
        let hash = self.hash(key);
        let layer = self.header.layers.last_mut().ok_or(LayerFull)?;
        let bits = self.layers.last_mut().ok_or(LayerFull)?;
        if layer.items >= layer.capacity {
            return Err(LayerFull);
        }
        positions(layer, hash).for_each(|(byte, mask)| bits[byte] |= mask);
        layer.items += 1;
        self.header.items += 1;
        Ok(true)
    }

    /// Inserts a key, into a new layer if the last one is full, as `BF.ADD` does. Fails if it is
    /// full and does not grow.
    pub(in crate::foreign) fn insert_and_grow(&mut self, key: &[u8]) -> Result<(), ForeignError> {
        if self.insert(key).is_ok() {
            return Ok(());
        }
        if !self.is_scaling() {
            return Err(ForeignError::Full);
        }
        self.grow(u64::MAX)?;
        self.insert(key).map(drop).map_err(|LayerFull| ForeignError::Full)
    }

    /// Adds the layer that RedisBloom would add when the last one is full. Fails if the filter is
    /// not scaling, if it would then need more than `limit` bytes, and for filters of RedisBloom 1,
    /// whose layers were sized in another way.
    pub fn grow(&mut self, limit: u64) -> Result<(), ForeignError> {
        let options = self.header.options;
        let grows = option::NO_ROUND | option::HASH_64;
        if options != grows {
            return Err(ForeignError::field("options", options, format!("{grows} to grow")));
        }
        let Some(last) = self.header.layers.last() else { return Ok(()) };
        let capacity = last.capacity.saturating_mul(self.header.expansion.into());
        let layer = BloomLayer::sized(capacity, last.error / 2.0)?;
        let bytes = layer.bytes.saturating_add(self.bytes());
        if bytes > limit {
            return Err(ForeignError::TooLarge { bytes, limit });
        }
        self.layers.push(zeroed(layer.bytes)?);
        self.header.layers.push(layer);
        Ok(())
    }

    /// The number of keys, as RedisBloom counted them.
    pub fn len(&self) -> u64 {
        self.header.items
    }

    /// Whether no key was counted.
    pub fn is_empty(&self) -> bool {
        self.header.items == 0
    }

    /// The number of keys that all layers were made for.
    pub fn capacity(&self) -> u64 {
        self.header.layers.iter().fold(0, |sum, layer| sum.saturating_add(layer.capacity))
    }

    /// The fields of its header, and the bits of its layers.
    pub(super) fn parts(&self) -> (&BloomHeader, &[Vec<u8>]) {
        (&self.header, &self.layers)
    }

    /// Its layers, the oldest first.
    pub fn layers(&self) -> &[BloomLayer] {
        &self.header.layers
    }

    /// The bytes of its bits.
    pub fn bytes(&self) -> u64 {
        self.layers.iter().map(|bits| bits.len() as u64).sum()
    }

    /// Its size as `BF.INFO` states it: its bits and RedisBloom's own bookkeeping.
    pub fn info_size(&self) -> u64 {
        32 + 64 * self.layers.len() as u64 + self.bytes()
    }

    /// How much larger each new layer is; `None` if it never grows.
    pub fn expansion(&self) -> Option<u32> {
        self.is_scaling().then_some(self.header.expansion)
    }

    /// Whether a layer is added when the last one is full.
    pub fn is_scaling(&self) -> bool {
        self.header.is_scaling()
    }

    /// The false-positive rate that it was made for: that of its first layer, twice if it grows, since
    /// the rates of layers halve.
    pub fn target_fpr(&self) -> Option<f64> {
        let growth = if self.is_scaling() { 2.0 } else { 1.0 };
        self.header.layers.first().map(|layer| layer.error * growth)
    }

    /// The share of bits that are set.
    pub fn fill(&self) -> f64 {
        let ones = self.layers.iter().flatten().map(|byte| u64::from(byte.count_ones()));
        let bits = self.header.layers.iter().map(BloomLayer::range).fold(0, u64::saturating_add);
        ones.sum::<u64>() as f64 / bits.max(1) as f64
    }

    /// The false-positive rate by the bits that are set now. A filter for fewer than a thousand keys
    /// has up to half as many again, since the steps between a key's bits are equal.
    pub fn fpr(&self) -> f64 {
        let layers = self.header.layers.iter().zip(&self.layers);
        let passes = layers.map(|(layer, bits)| {
            let ones: u64 = bits.iter().map(|byte| u64::from(byte.count_ones())).sum();
            let fill = (ones as f64 / layer.range() as f64).min(1.0);
            1.0 - fill.powf(layer.probes.into())
        });
        1.0 - passes.product::<f64>()
    }

    fn hash(&self, key: &[u8]) -> [u64; 2] {
        if self.header.options & option::HASH_64 == 0 {
            let first = murmur_32(key, 0x9747_b28c, u32::from);
            return [first.into(), murmur_32(key, first, u32::from).into()];
        }
        let first = murmur_64(key, 0xc6a4_a793_5bd1_e995);
        [first, murmur_64(key, first)]
    }
}

/// The bytes and the bits in them to which a hash leads in a layer.
fn positions(layer: &BloomLayer, [first, step]: [u64; 2]) -> impl Iterator<Item = (usize, u8)> {
    let range = layer.range();
    (0..u64::from(layer.probes)).map(move |probe| {
        let bit = first.wrapping_add(probe.wrapping_mul(step)) % range;
        ((bit / 8) as usize, 1 << (bit % 8))
    })
}
