//! RedisBloom's cuckoo filter: layers of buckets of 8-bit fingerprints.

use super::cuckoo_header::CuckooHeader;
use super::scandump::{self, Layered, Loading};
use crate::error::ForeignError;
use crate::foreign::murmur2::murmur_64;
use crate::foreign::zeroed;

/// A cuckoo filter of RedisBloom, the value behind its `CF.` commands.
///
/// It has RedisBloom's hash and layout, so it answers every query as RedisBloom does. Its
/// fingerprints have 8 bits, so its false-positive rate is about 2 × slots per bucket × layers
/// / 255 when it is full.
///
/// ```
/// use anther::foreign::redisbloom::Cuckoo;
/// let mut filter = Cuckoo::new(1024, 2, 20, 1).unwrap();
/// filter.insert(b"apple").unwrap();
/// filter.insert(b"apple").unwrap();
/// assert_eq!(filter.count(b"apple"), 2);
/// assert!(filter.remove(b"apple"));
/// assert_eq!((filter.len(), filter.deletes()), (1, 1));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuckoo {
    pub(super) header: CuckooHeader,
    /// As many as the header says, each of the length that it says. A slot of 0 is empty.
    pub(super) layers: Vec<Vec<u8>>,
}

impl Layered for Cuckoo {
    fn layer_bytes(&self, layer: usize) -> Option<u64> {
        let layer = layer as u64;
        if layer < self.header.filters { self.header.layer_bytes(layer) } else { None }
    }

    /// Counts the keys anew: a dump that was made while keys came in has another number.
    fn with_layers(self, layers: Vec<Vec<u8>>) -> Cuckoo {
        let items = layers.iter().map(|slots| used(slots)).sum();
        Cuckoo { header: CuckooHeader { items, ..self.header }, layers }
    }

    fn header_bytes(&self) -> Vec<u8> {
        self.header.to_bytes()
    }
}

fn used(slots: &[u8]) -> u64 {
    slots.iter().filter(|slot| **slot != 0).count() as u64
}

/// A key's fingerprint, and its hash, whose last bits are the number of its first bucket.
#[derive(Clone, Copy)]
pub(super) struct Print {
    pub(super) fingerprint: u8,
    pub(super) hash: u64,
}

impl Print {
    #[expect(clippy::cast_possible_truncation, reason = "1 to 255")]
    pub(super) fn of(key: &[u8]) -> Print {
        let hash = murmur_64(key, 0);
        Print { fingerprint: (hash % 255 + 1) as u8, hash }
    }
}

/// The other bucket of a fingerprint, which leads back to the first one. More bits than a layer has
/// buckets do no harm: there is a power of two of them, so only the last bits count.
pub(super) fn other(fingerprint: u8, bucket: u64) -> u64 {
    bucket ^ (u64::from(fingerprint) * 0x5bd1_e995)
}

impl Cuckoo {
    /// An empty filter, as `CF.RESERVE` makes it. `max_iterations` is how many fingerprints move
    /// for a new key before the filter is full; `expansion` how much larger each new layer is,
    /// rounded up to a power of two, or 0 if it never grows.
    pub fn new(
        capacity: u64,
        bucket_size: u16,
        max_iterations: u16,
        expansion: u16,
    ) -> Result<Cuckoo, ForeignError> {
        let buckets = capacity.checked_div(bucket_size.into()).unwrap_or(0);
        let header = CuckooHeader {
            items: 0,
            buckets: buckets.max(1).checked_next_power_of_two().unwrap_or(0),
            deletes: 0,
            filters: 1,
            bucket_size,
            max_iterations,
            expansion: match expansion {
                0 => 0,
                _ => expansion.checked_next_power_of_two().unwrap_or(u16::MAX),
            },
        };
        header.check()?;
        let mut filter = Cuckoo { header, layers: Vec::new() };
        let bytes = filter.layer_bytes(0).unwrap_or(u64::MAX);
        filter.layers.push(zeroed(bytes)?);
        Ok(filter)
    }

    /// Begins to load a dump from its header, which `SCANDUMP` returns with the iterator 1. Fails
    /// if the filter needs more than `limit` bytes.
    pub fn from_header(header: &[u8], limit: u64) -> Result<Loading<Cuckoo>, ForeignError> {
        let header = CuckooHeader::parse(header)?;
        Loading::new(Cuckoo { header, layers: Vec::new() }, limit)
    }

    /// A filter of fields, checked here, without its cells.
    pub(super) fn empty(header: CuckooHeader, limit: u64) -> Result<Cuckoo, ForeignError> {
        header.check()?;
        let filter = Cuckoo { header, layers: Vec::new() };
        scandump::check_limit(&filter, limit)?;
        Ok(filter)
    }

    /// The header of its dump: what `SCANDUMP` answers to the iterator 0, together with 1. For an
    /// empty filter RedisBloom answers 0 and nothing instead.
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
        let print = Print::of(key);
        let mut layers = 0..self.layers.len();
        layers.any(|layer| self.find(layer, print, print.fingerprint).is_some())
    }

    /// How often the key was inserted, or more often.
    pub fn count(&self, key: &[u8]) -> u64 {
        let print = Print::of(key);
        let mut count = 0;
        for (layer, slots) in self.layers.iter().enumerate() {
            for bucket in [print.hash, other(print.fingerprint, print.hash)] {
                let slots = &slots[self.bucket(layer, bucket)];
                count += slots.iter().filter(|slot| **slot == print.fingerprint).count();
            }
        }
        count as u64
    }

    /// Adds the layer that RedisBloom would add when a key finds no room. Fails if the expansion is
    /// 0, or if the filter would then need more than `limit` bytes.
    pub fn grow(&mut self, limit: u64) -> Result<(), ForeignError> {
        let filters = self.header.filters + 1;
        let grown = Cuckoo::empty(CuckooHeader { filters, ..self.header }, limit)?;
        let bytes = grown.layer_bytes(self.layers.len()).unwrap_or(u64::MAX);
        self.layers.push(zeroed(bytes)?);
        self.header.filters = filters;
        Ok(())
    }

    /// The number of keys: fingerprints in its slots.
    pub fn len(&self) -> u64 {
        self.header.items
    }

    /// Whether it has no keys.
    pub fn is_empty(&self) -> bool {
        self.header.items == 0
    }

    /// The keys removed since fingerprints were last moved to the first layers.
    pub fn deletes(&self) -> u64 {
        self.header.deletes
    }

    /// The buckets of its first layer.
    pub fn buckets(&self) -> u64 {
        self.header.buckets
    }

    /// The number of its layers.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// Slots per bucket.
    pub fn bucket_size(&self) -> u16 {
        self.header.bucket_size
    }

    /// How many fingerprints move for a new key at most.
    pub fn max_iterations(&self) -> u16 {
        self.header.max_iterations
    }

    /// How much larger each new layer is; 0 if it never grows.
    pub fn expansion(&self) -> u16 {
        self.header.expansion
    }

    /// The slots of all layers.
    pub fn capacity(&self) -> u64 {
        self.bytes()
    }

    /// The bytes of its slots, one each.
    pub fn bytes(&self) -> u64 {
        self.layers.iter().map(|slots| slots.len() as u64).sum()
    }

    /// Its size as `CF.INFO` states it: its slots and RedisBloom's own bookkeeping.
    pub fn info_size(&self) -> u64 {
        40 + 16 * self.layers.len() as u64 + self.bytes()
    }

    /// The false-positive rate by the slots that are used now.
    pub fn fpr(&self) -> f64 {
        let queried = 2.0 * f64::from(self.header.bucket_size);
        let load = |slots: &Vec<u8>| used(slots) as f64 / slots.len() as f64;
        let compared: f64 = self.layers.iter().map(|slots| queried * load(slots)).sum();
        1.0 - (254.0f64 / 255.0).powf(compared)
    }

    /// The slots of a bucket, which is given by a number whose last bits count.
    #[expect(clippy::cast_possible_truncation, reason = "below the layer's length, in memory")]
    pub(super) fn bucket(&self, layer: usize, number: u64) -> std::ops::Range<usize> {
        let size = usize::from(self.header.bucket_size);
        let buckets = (self.layers[layer].len() / size) as u64;
        let start = (number & (buckets - 1)) as usize * size;
        start..start + size
    }

    /// The first slot with a value in the two buckets of a key.
    pub(super) fn find(&self, layer: usize, print: Print, value: u8) -> Option<usize> {
        [print.hash, other(print.fingerprint, print.hash)].into_iter().find_map(|number| {
            let bucket = self.bucket(layer, number);
            let at = self.layers[layer][bucket.clone()].iter().position(|slot| *slot == value)?;
            Some(bucket.start + at)
        })
    }
}
