//! Dumps in chunks, as `SCANDUMP` writes them and `LOADCHUNK` reads them.
//!
//! A dump is a header and the cells of every layer. Each reply is an iterator and data; the
//! iterator that comes with a chunk is one more than the number of cells up to its end.

use super::CHUNK_BYTES;
use crate::error::{ChunkError, ForeignError, OutOfMemory};
use std::collections::BTreeMap;

/// A filter whose cells are in layers.
pub(super) trait Layered: Sized {
    /// The length of a layer by the header's fields; `None` after the last one.
    fn layer_bytes(&self, layer: usize) -> Option<u64>;
    /// Takes the cells of all layers, each as long as the header says.
    fn with_layers(self, layers: Vec<Vec<u8>>) -> Self;
    fn header_bytes(&self) -> Vec<u8>;
}

/// The bytes of all layers, if they are within a limit. Nothing has been allocated for them yet.
pub(super) fn check_limit(filter: &impl Layered, limit: u64) -> Result<u64, ForeignError> {
    let mut bytes: u64 = 0;
    for layer in (0..).map_while(|layer| filter.layer_bytes(layer)) {
        bytes = bytes.saturating_add(layer);
    }
    // An iterator is a signed number, one more than a position.
    let limit = limit.min(i64::MAX as u64 - 1);
    if bytes > limit { Err(ForeignError::TooLarge { bytes, limit }) } else { Ok(bytes) }
}

/// The layer and the position in it to which a position in the whole dump belongs.
fn place(filter: &impl Layered, mut position: u64) -> Option<(usize, u64, u64)> {
    let mut layer = 0;
    while let Some(bytes) = filter.layer_bytes(layer) {
        if position < bytes {
            return Some((layer, position, bytes));
        }
        position -= bytes;
        layer += 1;
    }
    None
}

/// The chunk after an iterator, and the iterator that goes with it.
pub(super) fn chunk<'a>(
    filter: &'a impl Layered,
    layers: &'a [Vec<u8>],
    iterator: i64,
) -> Option<(i64, &'a [u8])> {
    let position = u64::try_from(iterator).ok()?.checked_sub(1)?;
    let (layer, start, _) = place(filter, position)?;
    let rest = layers.get(layer)?.get(usize::try_from(start).ok()?..)?;
    let data = &rest[..rest.len().min(CHUNK_BYTES)];
    Some((iterator + data.len() as i64, data))
}

/// A filter of which the header is known, and the cells are being loaded.
///
/// Chunks may come in any order and overlap; the later one counts. Memory is only used for what
/// has come, whatever the header says.
///
/// ```
/// use anther::foreign::redisbloom::Bloom;
/// # let mut filter = Bloom::new(100, 0.01, Some(2)).unwrap();
/// # filter.insert(b"apple").unwrap();
/// let mut loading = Bloom::from_header(&filter.header(), 1 << 20).unwrap();
/// for (iterator, data) in filter.chunks() {
///     loading.load_chunk(iterator, data).unwrap();
/// }
/// assert!(loading.is_complete());
/// assert!(loading.finish().unwrap().contains(b"apple"));
/// ```
#[derive(Clone, Debug)]
pub struct Loading<F> {
    filter: F,
    /// What has come, by layer and start. Neighbours are joined, so that a complete layer is one.
    segments: BTreeMap<(usize, u64), Vec<u8>>,
    received: u64,
    /// Of the whole filter.
    bytes: u64,
}

impl<F> Loading<F> {
    /// The bytes of cells that have been loaded.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// The bytes of cells of the whole filter.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether every cell has been loaded.
    pub fn is_complete(&self) -> bool {
        self.received == self.bytes
    }
}

#[expect(private_bounds, reason = "for the two filters of this folder, and no others")]
impl<F: Layered> Loading<F> {
    pub(super) fn new(filter: F, limit: u64) -> Result<Loading<F>, ForeignError> {
        let bytes = check_limit(&filter, limit)?;
        Ok(Loading { filter, segments: BTreeMap::new(), received: 0, bytes })
    }

    /// The header that the filter is loaded from.
    pub fn header(&self) -> Vec<u8> {
        self.filter.header_bytes()
    }

    /// Loads a chunk, given with the iterator that came with it. An empty chunk changes nothing.
    pub fn load_chunk(&mut self, iterator: i64, data: &[u8]) -> Result<(), ChunkError> {
        let end = u64::try_from(iterator).map_err(|_| ChunkError::BadData)?;
        let start = end.checked_sub(data.len() as u64).ok_or(ChunkError::BadData)?;
        if end == 0 {
            return Err(ChunkError::BadData);
        }
        let start = start.checked_sub(1).ok_or(ChunkError::NoLayer)?;
        let (layer, start, bytes) = place(&self.filter, start).ok_or(ChunkError::NoLayer)?;
        if data.len() as u64 > bytes - start {
            return Err(ChunkError::TooBig);
        }
        if !data.is_empty() {
            self.store(layer, start, data)?;
        }
        Ok(())
    }

    fn store(&mut self, layer: usize, start: u64, data: &[u8]) -> Result<(), OutOfMemory> {
        let end = start + data.len() as u64;
        let before = self.segments.range((layer, 0)..=(layer, start)).next_back();
        let touched = before.filter(|(at, held)| at.1 + held.len() as u64 >= start);
        let key = touched.map_or((layer, start), |(at, _)| *at);
        // The segments that the chunk reaches; all but the last are covered by it.
        let reached = self.segments.range((layer, key.1 + 1)..=(layer, end));
        let reached: Vec<_> = reached.map(|(at, _)| *at).collect();
        let tail = reached.last().map_or(&[][..], |at| {
            let held = &self.segments[at];
            &held[held.len().min(index(end - at.1))..]
        });
        let tail = tail.to_vec();

        let mut segment = self.segments.remove(&key).unwrap_or_default();
        let held = segment.len();
        let offset = index(start - key.1);
        let replaced = held.min(offset + data.len());
        let more = offset + data.len() - replaced + tail.len();
        if segment.try_reserve(more).is_err() {
            if held > 0 {
                self.segments.insert(key, segment);
            }
            return Err(OutOfMemory { bytes: more as u64 });
        }
        let (over, beyond) = data.split_at(replaced - offset);
        segment[offset..replaced].copy_from_slice(over);
        segment.extend_from_slice(beyond);
        segment.extend_from_slice(&tail);
        let mut received = self.received + (segment.len() - held) as u64;
        self.segments.insert(key, segment);
        for at in reached {
            received -= self.segments.remove(&at).map_or(0, |held| held.len() as u64);
        }
        self.received = received;
        Ok(())
    }

    /// The cells that have been loaded, as chunks with their iterators: what an unfinished load
    /// must keep to go on later.
    pub fn chunks(&self) -> impl Iterator<Item = (i64, &[u8])> {
        self.segments.iter().flat_map(move |((layer, start), held)| {
            let before: u64 = (0..*layer).filter_map(|layer| self.filter.layer_bytes(layer)).sum();
            let mut end = before + start + 1;
            held.chunks(CHUNK_BYTES).map(move |data| {
                end += data.len() as u64;
                (end as i64, data)
            })
        })
    }

    /// The filter, if every cell has been loaded.
    pub fn finish(self) -> Result<F, ForeignError> {
        if !self.is_complete() {
            let (got, expected) = (self.received, self.bytes);
            return Err(ForeignError::Incomplete { got, expected });
        }
        Ok(self.filter.with_layers(self.segments.into_values().collect()))
    }
}

/// A distance within cells that are in memory.
#[expect(clippy::cast_possible_truncation, reason = "they are in memory")]
fn index(distance: u64) -> usize {
    distance as usize
}
