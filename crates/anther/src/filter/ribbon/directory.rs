//! The directory of a ribbon: where the slots and thresholds of every shard are.
//!
//! The directory has one word per shard, layer after layer: bits 0 to 26 are its blocks, 27 to 53
//! the number of those with one column less, 54 to 62 the draw that makes the layer's hash from the
//! previous layer's (in a layer's first shard only; 0 for the keys' own hash), and bit 63 is set in
//! the layer's last shard. Then come the thresholds, 32 per word, and then the blocks of all
//! shards.

use super::super::solve::shards::shard_of;
use super::index;
use crate::error::OutOfMemory;
use crate::parts::hash::KeyHash;
use crate::sizing::ribbon::{self as sizing, BUCKET, THRESHOLD_BITS, THRESHOLDS};
use crate::target::Target;
use std::ops::Range;

/// The fields of the directory's words.
pub(super) const SPLIT_AT: u32 = 27;
pub(super) const DRAW_AT: u32 = 54;
pub(super) const MAX_DRAW: u64 = (1 << 9) - 1;
pub(super) const LAST_AT: u32 = 63;

pub(super) const THRESHOLDS_OF_WORD: usize = 64 / THRESHOLD_BITS;

/// How many shards are kept decoded, in 32 bytes each: enough for 10⁹ keys. So a ribbon takes at
/// most 1 MiB beyond the size of its file. With more shards, only the beginning of every `step`-th
/// is kept, and a lookup decodes the directory from there on.
const LISTED: usize = 1 << 15;

/// The most layers. A shard that keeps keys keeps more than half of them, and from the second layer
/// on shards are alike, so each layer has at most half the keys of the one before: 38 halvings take
/// the most items to what the last layer holds. The first layer, whose shards may differ, and the
/// last come on top. Usually one key in 20 is bumped, and 10⁷ keys take five layers.
pub(super) const MAX_LAYERS: u32 = Target::MAX_ITEMS.ilog2() - sizing::LAST.ilog2() + 2;

/// A ribbon's directory, decoded.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Directory {
    /// The fewest columns of a block; the other blocks have one more.
    pub(super) few: u32,
    pub(super) layers: Vec<Layer>,
    /// Its words, one per shard.
    pub(super) len: usize,
    /// The words decoded, up to [`LISTED`] shards; empty where there are more.
    shards: Vec<Shard>,
    /// With more shards: where every `step`-th begins.
    begins: Vec<Begin>,
    step: usize,
}

/// Where a layer's shards are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) first: usize,
    pub(super) shards: u64,
    /// The draw that makes this layer's hash from the previous layer's; 0 for that hash itself.
    pub(super) draw: u64,
}

/// Where a shard's blocks and thresholds are. The default has no keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shard {
    /// The first word of its blocks.
    pub(super) words: usize,
    /// The first of its thresholds.
    pub(super) buckets: usize,
    /// Slots where a row can start; 0 when all its keys are in the next layer.
    pub(super) starts: u64,
    pub(super) split: usize,
}

/// Where a shard begins: the words and the thresholds of all before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Begin {
    words: usize,
    buckets: usize,
}

impl Begin {
    /// The shard of this entry, which begins here, and the beginning of the next. `None` when the
    /// entry is malformed.
    fn pass(self, entry: u64, columns: u32) -> Option<(Shard, Begin)> {
        let Begin { words, buckets } = self;
        let blocks = entry & sizing::MAX_BLOCKS;
        let split = entry >> SPLIT_AT & sizing::MAX_BLOCKS;
        let wide = blocks.checked_sub(split)?;
        let count = usize::try_from(blocks * u64::from(columns) + wide).ok()?;
        let split = usize::try_from(split).ok()?;
        let own = usize::try_from(sizing::buckets(blocks)).ok()?;
        let next = Begin { words: words.checked_add(count)?, buckets: buckets.checked_add(own)? };
        Some((Shard { words, buckets, starts: sizing::starts(blocks), split }, next))
    }
}

impl Directory {
    /// The directory of `shards` shards, from the words of a ribbon: itself, the thresholds and the
    /// blocks. `None` when they are inconsistent.
    pub(super) fn read(
        columns: u32,
        shards: u64,
        words: &[u64],
    ) -> Result<Option<Directory>, OutOfMemory> {
        let entries = usize::try_from(shards).ok().and_then(|len| words.get(..len));
        let Some(entries) = entries else { return Ok(None) };
        let read = Directory::of(columns, entries, words.len())?;
        Ok(read
            .filter(|(_, buckets)| {
                let (word, shift) = threshold_place(*buckets);
                shift == 0 || words[entries.len() + word] >> shift == 0
            })
            .map(|(directory, _)| directory))
    }

    /// The directory with these entries, of a ribbon of `count` words, and the number of its
    /// thresholds. `None` when they are inconsistent.
    pub(super) fn of(
        columns: u32,
        entries: &[u64],
        count: usize,
    ) -> Result<Option<(Directory, usize)>, OutOfMemory> {
        if columns > sizing::MAX_FEW {
            return Ok(None);
        }
        let Some((layers, end)) = layers(entries, columns) else { return Ok(None) };
        let len = entries.len();
        let before = len + end.buckets.div_ceil(THRESHOLDS_OF_WORD);
        if before.checked_add(end.words) != Some(count) {
            return Ok(None);
        }
        let step = len.div_ceil(LISTED).max(1);
        let (listed, noted) = if step == 1 { (len, 0) } else { (0, len.div_ceil(step)) };
        let (mut shards, mut begins) = (Vec::new(), Vec::new());
        shards.try_reserve_exact(listed).map_err(|_| super::no_room(4 * listed))?;
        begins.try_reserve_exact(noted).map_err(|_| super::no_room(2 * noted))?;
        let first = Begin { words: before, buckets: 0 };
        for (number, shard) in shards_from(first, entries, columns).enumerate() {
            if step == 1 {
                shards.push(shard);
            } else if number.is_multiple_of(step) {
                begins.push(Begin { words: shard.words, buckets: shard.buckets });
            }
        }
        Ok(Some((Directory { few: columns, layers, len, shards, begins, step }, end.buckets)))
    }

    /// The number of the key's shard in a layer.
    #[inline]
    pub(super) fn number(layer: &Layer, key: KeyHash) -> usize {
        layer.first + index(shard_of(key, layer.shards))
    }

    /// The shard of this number.
    #[inline]
    pub(super) fn shard(&self, words: &[u64], number: usize) -> Shard {
        match self.shards.get(number) {
            Some(shard) => *shard,
            None => self.shard_beyond(words, number),
        }
    }

    /// A shard beyond the decoded ones.
    #[cold]
    #[inline(never)]
    fn shard_beyond(&self, words: &[u64], number: usize) -> Shard {
        let noted = number / self.step;
        let Some(begin) = self.begins.get(noted) else { return Shard::default() };
        let entries = &words[noted * self.step..self.len];
        shards_from(*begin, entries, self.few).nth(number % self.step).unwrap_or_default()
    }

    /// All shards, in one pass.
    pub(super) fn all<'a>(&self, words: &'a [u64]) -> impl Iterator<Item = Shard> + use<'a> {
        let Shard { words: first, buckets, .. } = self.shard(words, 0);
        shards_from(Begin { words: first, buckets }, &words[..self.len], self.few)
    }

    /// The shards of a layer, in one pass.
    pub(super) fn of_layer<'a>(
        &self,
        words: &'a [u64],
        layer: &Layer,
    ) -> impl Iterator<Item = Shard> + use<'a> {
        let Shard { words: first, buckets, .. } = self.shard(words, layer.first);
        let entries = &words[layer.first..][..index(layer.shards)];
        shards_from(Begin { words: first, buckets }, entries, self.few)
    }

    /// The word of a bucket's threshold, in the words of the ribbon.
    #[inline]
    pub(super) fn threshold_word(&self, bucket: usize) -> usize {
        self.len + threshold_place(bucket).0
    }

    /// The threshold of a bucket of all shards, as an index into [`THRESHOLDS`].
    #[inline]
    pub(super) fn level(&self, words: &[u64], bucket: usize) -> usize {
        let (word, shift) = threshold_place(bucket);
        index(words[self.len + word] >> shift & (THRESHOLDS.len() as u64 - 1))
    }
}

/// The layers of a directory, and where its last shard ends. `None` when it is malformed.
fn layers(entries: &[u64], columns: u32) -> Option<(Vec<Layer>, Begin)> {
    let (mut layers, mut open) = (Vec::new(), None);
    let mut begin = Begin { words: 0, buckets: 0 };
    for (number, entry) in entries.iter().enumerate() {
        begin = begin.pass(*entry, columns)?.1;
        let draw = entry >> DRAW_AT & MAX_DRAW;
        let layer = open.get_or_insert(Layer { first: number, shards: 0, draw });
        // With the keys' own hash once more, the same keys would be bumped again.
        let drawn = layer.shards == 0 && (draw > 0 || layers.is_empty());
        let follows = layer.shards > 0 && draw == 0;
        if !(drawn || follows) || layers.len() == MAX_LAYERS as usize {
            return None;
        }
        layer.shards += 1;
        if entry >> LAST_AT == 1 {
            layers.extend(open.take());
        }
    }
    open.is_none().then_some((layers, begin))
}

/// Consecutive shards, of which the first begins here.
fn shards_from(
    mut begin: Begin,
    entries: &[u64],
    columns: u32,
) -> impl Iterator<Item = Shard> + use<'_> {
    entries.iter().map_while(move |entry| {
        let (shard, next) = begin.pass(*entry, columns)?;
        begin = next;
        Some(shard)
    })
}

/// The starts that are not bumped, bucket by bucket.
pub(super) fn kept(
    levels: impl Iterator<Item = usize>,
    starts: u64,
) -> impl Iterator<Item = Range<u64>> {
    (0..).zip(levels).map(move |(bucket, level)| {
        let first = bucket * BUCKET;
        (first + THRESHOLDS[level]).min(starts)..(first + BUCKET).min(starts)
    })
}

/// The word and the bit of a bucket's threshold.
#[inline]
pub(super) fn threshold_place(bucket: usize) -> (usize, usize) {
    (bucket / THRESHOLDS_OF_WORD, bucket % THRESHOLDS_OF_WORD * THRESHOLD_BITS)
}
