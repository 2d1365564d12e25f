//! Building a bumped ribbon: static, at any false-positive rate, within 1 or 2 % of the lower
//! bound.
//!
//! **How.** Every key is an equation: the xor of some of the 64 slots from its start on is its
//! fingerprint (`filter/solve/band.rs`). A key whose equation holds is present; for other keys it
//! holds with probability 2^-columns. A band with as many slots as keys can rarely be solved, and
//! one with 5 % more slots wastes them. So a layer gets 5 % fewer slots than keys, and keys that
//! cannot be solved are *bumped* to the next layer: for each bucket of 192 starts a threshold of 2
//! bits says that the keys below it are elsewhere. Buckets are filled from left to right and each
//! from right to left, so that the bumped keys are where the bucket before has taken the slots. 5 %
//! of the keys go to the second layer, 5 % of those to the third. The last layer holds at most 1024
//! keys and is retried with other hashes until all of them fit. (Dillinger, Hübschle-Schneider,
//! Sanders, Walzer, "Fast succinct retrieval and approximate membership using ribbon", 2022.)
//!
//! **Fractional columns.** The first blocks of every shard have one column less than the others.
//! Their number is chosen after the elimination, which does not depend on it, such that the mean
//! over the starts that are not bumped, each with its own columns, is the target's rate. So every
//! shard of every layer meets the target exactly, and the rate needs no margin.
//!
//! **Shards.** A layer is divided into shards of some 32,768 keys that are solved separately, on
//! all cores. Each has the slots that its own keys need, so a wrong number of items costs nothing.
//!
//! **Overhead** over n·log2(1/ε), measured, with everything counted:
//!
//! | keys | ½ | 1 % | 0.1 % | 10⁻⁶ |
//! |---|---|---|---|---|
//! | 10⁴ | 4.3 % | 2.1 % | 0.9 % | 0.8 % |
//! | 10⁵ | 2.0 % | 1.7 % | 0.5 % | 0.4 % |
//! | 10⁶ | 1.7 % | 1.6 % | 0.5 % | 0.4 % |
//! | 10⁷ | 1.7 % | 1.6 % | 0.5 % | 0.4 % |
//!
//! At 1 % the mixture of columns is 1.1 % of it, at 0.1 % and 10⁻⁶ 0.1 %; thresholds are 0.01 bits
//! per key, empty slots 0.25 %, the directory 0.03 %. At 10⁴ keys a block is 0.7 %.
//!
//! **Speed**, in processor time on one busy core, including sorting: building takes 120 ns per key
//! at 1 % and 150 at 10⁻⁶. A query takes 30 ns at 10⁵ keys, 45 at 10⁶ and 100 to 150 at 10⁷, where
//! it waits for memory; present keys read all columns. **Peak memory**, with 10⁷ keys: 9.6 bytes
//! per key at 1 %, 11.2 at 10⁻⁶, of which 8 are the hashes; a shard takes 16 bytes per slot while
//! it is solved.
//!
//! **Rejected.** Plain ribbons of 128 slots per row in shards: 2 to 3 % of slots empty, twice as
//! much to read. Homogeneous ribbons never fail, but the rate rises where keys cluster, so they
//! need slack, too. Shards of a fixed size would need no directory, but then the number of keys
//! must be known before they are read. A hash table for the remaining keys costs more than a small
//! last layer.

use super::super::solve::band::{Added, Band, Columns, Equation, WIDTH};
use super::super::solve::shards::each_shard;
use super::directory::{
    DRAW_AT, Directory, LAST_AT, Layer, MAX_DRAW, MAX_LAYERS, SPLIT_AT, Shard, THRESHOLDS_OF_WORD,
    kept, threshold_place,
};
use super::{Ribbon, equation, index, no_room, start};
use crate::batch::source::{Again, Hashed, KeySource, Work};
use crate::error::{BuildError, OutOfMemory};
use crate::parts::hash::KeyHash;
use crate::parts::words::Words;
use crate::profile::About;
use crate::sizing::ribbon::{self as sizing, BUCKET, THRESHOLDS};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a ribbon is solved for.
pub(crate) trait Solvable: Hashed {
    /// The same with another draw of its hash.
    fn again(self, draw: u64) -> Self;

    /// Which columns of its value differ from those of a key that is in the set.
    fn differs(&self) -> u64;
}

impl Solvable for KeyHash {
    fn again(self, draw: u64) -> KeyHash {
        KeyHash::again(self, draw)
    }

    fn differs(&self) -> u64 {
        0
    }
}

/// A hash, and in which columns its equation must not hold. With one column, the ribbon says yes to
/// the keys with 0 and no to those with 1: a map to one bit.
impl Solvable for (KeyHash, u64) {
    fn again(self, draw: u64) -> (KeyHash, u64) {
        (self.0.again(draw), self.1)
    }

    fn differs(&self) -> u64 {
        self.1
    }
}

/// A layer while it is built. Many shards have no keys where the number of items was overstated.
struct Solved<T> {
    draw: u64,
    shards: Vec<Option<Box<SolvedShard<T>>>>,
}

struct SolvedShard<T> {
    blocks: u64,
    split: u64,
    /// An index into [`THRESHOLDS`] for each bucket.
    levels: Vec<u8>,
    words: Vec<u64>,
    /// The layer's hashes of the keys that are bumped.
    bumped: Vec<T>,
}

impl Ribbon {
    /// Builds the ribbon of these hashes. `items` is roughly how many there are; it only decides
    /// the number of shards.
    pub(crate) fn solve<T: Solvable>(
        keys: &mut dyn KeySource<T>,
        items: u64,
        width: Width,
        mut about: About,
        work: Work<'_>,
    ) -> Result<Ribbon, BuildError> {
        let solve = |keys: &mut dyn KeySource<T>, items, work, counted: &AtomicU64| {
            let shards = sizing::shards(items);
            each_shard(keys, items, shards, work, |_, keys: &mut [T]| {
                counted.fetch_add(keys.len() as u64, Ordering::Relaxed);
                let solve = || solve_shard(keys, shards.get(), width).map(Box::new);
                Ok((!keys.is_empty()).then(solve).transpose()?)
            })
        };
        let (distinct, again) = (AtomicU64::new(0), AtomicU64::new(0));
        let mut shards = solve(keys, items, work, &distinct)?;
        let mut bumped = take_bumped(&mut shards)?;
        let mut layers = Vec::new();
        // If no shard has kept a key, the keys still have their own hashes.
        if shards.iter().flatten().any(|shard| shard.blocks > 0) {
            layers.push(Solved { draw: 0, shards });
        }
        // Every layer draws other hashes, so no choice of keys makes all of them fail.
        while !bumped.is_empty() {
            if layers.len() == MAX_LAYERS as usize {
                return Err(BuildError::Unsolved { keys: bumped.len() as u64, tries: MAX_LAYERS });
            }
            if let Some(last) = solve_last(&bumped, width)? {
                layers.push(last);
                break;
            }
            let mut keys = Again(|| bumped.iter().map(|key| key.again(1)));
            let mut shards = solve(&mut keys, bumped.len() as u64, work.quiet(), &again)?;
            bumped = take_bumped(&mut shards)?;
            layers.push(Solved { draw: 1, shards });
        }
        let items = distinct.into_inner();
        about.count(items);
        let (directory, words) = assemble(width.few, &layers)?;
        Ok(Ribbon { directory, words, items, about })
    }

    /// The same ribbon with fewer columns: the first ones of every block. Its keys are still in it,
    /// and all that this one says yes to.
    pub(crate) fn narrowed(&self, width: Width) -> Result<Ribbon, OutOfMemory> {
        let (directory, words) = (&self.directory, self.words());
        let narrow = |shard: Shard| {
            let blocks = index(shard.starts).div_ceil(WIDTH);
            let buckets = index(sizing::buckets(blocks as u64));
            let level = |bucket| directory.level(words, shard.buckets + bucket);
            // The levels are 0 to 3.
            let levels: Vec<u8> =
                (0..buckets).map(|bucket| level(bucket).to_le_bytes()[0]).collect();
            let wide = Columns { few: directory.few, split: shard.split };
            let columns = width.columns(&levels, blocks);
            let mut own = zeros(columns.words(blocks))?;
            for block in 0..blocks {
                let (from, to) = (shard.words + wide.words(block), columns.words(block));
                let count = columns.of(block);
                own[to..to + count].copy_from_slice(&words[from..from + count]);
            }
            let (blocks, split) = (blocks as u64, columns.split as u64);
            let bumped: Vec<KeyHash> = Vec::new();
            Ok(Some(Box::new(SolvedShard { blocks, split, levels, words: own, bumped })))
        };
        let of_layer = |layer: &Layer| {
            let shards = directory.of_layer(words, layer).map(narrow);
            Ok(Solved { draw: layer.draw, shards: shards.collect::<Result<_, OutOfMemory>>()? })
        };
        let layers = directory.layers.iter().map(of_layer);
        let layers = layers.collect::<Result<Vec<_>, OutOfMemory>>()?;
        let (directory, words) = assemble(width.few, &layers)?;
        Ok(Ribbon { directory, words, items: self.items, about: self.about.clone() })
    }
}

fn zeros(len: usize) -> Result<Vec<u64>, OutOfMemory> {
    let mut words = Vec::new();
    words.try_reserve_exact(len).map_err(|_| no_room(len))?;
    words.resize(len, 0);
    Ok(words)
}

/// The words of the layers: directory, thresholds and blocks.
fn assemble<T>(few: u32, layers: &[Solved<T>]) -> Result<(Directory, Words), OutOfMemory> {
    let all = || layers.iter().flat_map(|layer| &layer.shards).flatten();
    let directory = layers.iter().map(|layer| layer.shards.len()).sum();
    let thresholds = all().map(|shard| shard.levels.len()).sum::<usize>();
    let thresholds = thresholds.div_ceil(THRESHOLDS_OF_WORD);
    let total = directory + thresholds + all().map(|shard| shard.words.len()).sum::<usize>();
    let mut words = Words::zeroed(total)?;
    let (entries, rest) = words.to_mut().split_at_mut(directory);
    let (levels, mut rest) = rest.split_at_mut(thresholds);
    let mut entries = entries.iter_mut();
    for layer in layers {
        for ((number, shard), entry) in layer.shards.iter().enumerate().zip(&mut entries) {
            let draw = if number == 0 { layer.draw } else { 0 };
            *entry = draw << DRAW_AT | u64::from(number + 1 == layer.shards.len()) << LAST_AT;
            let Some(shard) = shard else { continue };
            *entry |= shard.blocks | shard.split << SPLIT_AT;
            let (own, others) = rest.split_at_mut(shard.words.len());
            own.copy_from_slice(&shard.words);
            rest = others;
        }
    }
    for (bucket, level) in all().flat_map(|shard| &shard.levels).enumerate() {
        let (word, shift) = threshold_place(bucket);
        levels[word] |= u64::from(*level) << shift;
    }
    let directory = Directory::read(few, directory as u64, words.as_slice())?;
    Ok((directory.ok_or(no_room(total))?, words))
}

/// How wide a ribbon is: `few` columns in a `share` of the starts, one more in the others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Width {
    few: u32,
    share: f64,
    /// The bits of a value that are read at any start.
    mask: u64,
}

impl Width {
    pub(crate) fn new(few: u32, share: f64) -> Width {
        let most = few + u32::from(share < 1.0);
        Width { few, share, mask: !u64::MAX.unbounded_shl(most) }
    }

    /// The columns for a false-positive rate.
    pub(super) fn of_rate(items: u64, fpr: f64) -> Width {
        let (few, share) = sizing::columns(sizing::rate_of_columns(items, fpr));
        Width::new(few, share)
    }

    /// How wide the blocks of a shard are.
    fn columns(self, levels: &[u8], blocks: usize) -> Columns {
        let split = narrow_blocks(levels, sizing::starts(blocks as u64), self.share);
        Columns { few: self.few, split: split.min(blocks) }
    }
}

/// Solves what can be solved of a shard's sorted keys, and returns the others.
fn solve_shard<T: Solvable>(
    keys: &[T],
    shards: u64,
    width: Width,
) -> Result<SolvedShard<T>, OutOfMemory> {
    let blocks = sizing::blocks(keys.len() as u64);
    let starts = sizing::starts(blocks);
    let start = |key: &T| start(key.hash(), shards, starts);
    let mut band = Band::new(index(blocks))?;
    let mut levels = vec![0; index(sizing::buckets(blocks))];
    let (mut bumped, mut taken) = (Vec::new(), Vec::new());
    let mut rest = keys;
    for (bucket, level) in (0..).zip(&mut levels) {
        let first = bucket * BUCKET;
        let count = rest.iter().take_while(|key| start(key) < first + BUCKET).count();
        let (mut own, others) = rest.split_at(count);
        rest = others;
        for (next, least) in (1..=3).zip(THRESHOLDS).rev() {
            let above = own.iter().rev().take_while(|key| start(key) >= first + least).count();
            let (below, part) = own.split_at(own.len() - above);
            taken.clear();
            if !add_all(&mut band, part.iter().rev(), start, width, &mut taken) {
                // A threshold has no finer steps, so the whole part is bumped.
                taken.iter().for_each(|slot| band.remove(*slot));
                bumped.try_reserve(own.len()).map_err(|_| no_room(own.len()))?;
                bumped.extend_from_slice(own);
                *level = next;
                break;
            }
            own = below;
        }
    }
    // Few keys, or clustered hashes: those of another layer are spread better.
    if bumped.len() + rest.len() >= keys.len() / 2 {
        bumped.clear();
        bumped.try_reserve_exact(keys.len()).map_err(|_| no_room(keys.len()))?;
        bumped.extend_from_slice(keys);
        let (levels, words) = (Vec::new(), Vec::new());
        return Ok(SolvedShard { blocks: 0, split: 0, levels, words, bumped });
    }
    bumped.shrink_to_fit();
    Ok(SolvedShard { bumped, ..finish(&band, levels, width)? })
}

/// Solves all of the last keys. `None` when they are too many, or when no draw works, which has
/// not been seen for any set of keys.
fn solve_last<T: Solvable>(keys: &[T], width: Width) -> Result<Option<Solved<T>>, OutOfMemory> {
    let count = keys.len() as u64;
    if count > sizing::LAST {
        return Ok(None);
    }
    let mut taken = Vec::new();
    for draw in 1..=MAX_DRAW {
        let blocks = sizing::last_blocks(count, draw - 1);
        let starts = sizing::starts(blocks);
        let mut drawn: Vec<T> = keys.iter().map(|key| key.again(draw)).collect();
        // Sorted, as the shards of other layers are: neighbours share cache lines.
        drawn.sort_unstable();
        let mut band = Band::new(index(blocks))?;
        taken.clear();
        let start = |key: &T| start(key.hash(), 1, starts);
        if add_all(&mut band, drawn.iter(), start, width, &mut taken) {
            let levels = vec![0; index(sizing::buckets(blocks))];
            let last = Box::new(finish(&band, levels, width)?);
            return Ok(Some(Solved { draw, shards: vec![Some(last)] }));
        }
    }
    Ok(None)
}

/// Adds the equations of keys until one cannot be added; returns the slots they took.
fn add_all<'a, T: Solvable + 'a>(
    band: &mut Band,
    mut keys: impl Iterator<Item = &'a T>,
    start: impl Fn(&T) -> u64,
    width: Width,
    taken: &mut Vec<usize>,
) -> bool {
    keys.all(|key| {
        let equation = equation(key.hash(), start(key));
        let value = (equation.value ^ key.differs()) & width.mask;
        match band.add(Equation { value, ..equation }) {
            Added::At(slot) => taken.push(slot),
            Added::Implied => {}
            Added::Contradicted => return false,
        }
        true
    })
}

/// Chooses the columns, and solves for the blocks.
fn finish<T>(band: &Band, levels: Vec<u8>, width: Width) -> Result<SolvedShard<T>, OutOfMemory> {
    let blocks = band.slots() / WIDTH;
    let columns = width.columns(&levels, blocks);
    let mut words = zeros(columns.words(blocks))?;
    band.solve(columns, &mut words);
    let (blocks, split) = (blocks as u64, columns.split as u64);
    Ok(SolvedShard { blocks, split, levels, words, bumped: Vec::new() })
}

/// How many blocks may have one column less, so that at most this share of the starts that are not
/// bumped is in them.
fn narrow_blocks(levels: &[u8], starts: u64, share: f64) -> usize {
    let kept = || kept(levels.iter().map(|level| usize::from(*level)), starts);
    let all: u64 = kept().map(|kept| kept.end - kept.start).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "share is 0 to 1")]
    let mut room = (all as f64 * share) as u64;
    for kept in kept() {
        let len = kept.end - kept.start;
        if len > room {
            return index(kept.start + room) / WIDTH;
        }
        room -= len;
    }
    usize::MAX
}

/// The keys that the shards of a layer bumped.
fn take_bumped<T>(shards: &mut [Option<Box<SolvedShard<T>>>]) -> Result<Vec<T>, OutOfMemory> {
    let count = shards.iter().flatten().map(|shard| shard.bumped.len()).sum();
    let mut all = Vec::new();
    all.try_reserve_exact(count).map_err(|_| no_room(count))?;
    for shard in shards.iter_mut().flatten() {
        all.append(&mut std::mem::take(&mut shard.bumped));
    }
    Ok(all)
}
