//! What filters can do: one small trait per capability.
//!
//! The traits work on hashes, so that a key is hashed once for many filters, and are object safe
//! where possible. Methods that take keys are inherent, so you rarely need to import a trait.

use crate::batch::blocks::{self, HashBlock};
use crate::batch::source::{KeySource, Work};
use crate::batch::threads::Threads;
use crate::batch::{ahead, hashes};
use crate::error::{BuildError, Full, Mismatch, RemoveError, SizeError};
use crate::options::Options;
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::view::{Row, Touch};
use crate::profile::{About, Profile};
use crate::target::{Plan, Shape, Target};
use std::ops::RangeInclusive;

/// A set that answers *no* or *maybe*.
pub trait Filter {
    /// What the filter was made for and with.
    fn about(&self) -> &About;

    /// Whether the key with this hash may be in the set. False is certain, unless the kind forgets
    /// keys.
    fn contains_hash(&self, key: KeyHash) -> bool;

    /// Prefetches the cache lines that a lookup of this key reads. Other work before the lookup, or
    /// other keys, then hides the cache misses. Some kinds prefetch nothing.
    fn prefetch_hash(&self, key: KeyHash) {
        let _ = key;
    }

    /// Whether each of the keys with these hashes may be in the set. Beyond the caches this is three
    /// times as fast as single lookups or more, for nearly all kinds: while memory is read for one
    /// key, others are looked up. `cargo xtask settle batches` measures it.
    ///
    /// # Panics
    /// When `found` is not as long as `keys`.
    fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        let (fetch, has) = (|key| self.prefetch_hash(key), |key| self.contains_hash(key));
        ahead::contains_ahead(found, keys.iter().copied(), fetch, has);
    }

    /// Whether each of the keys may be in the set. Keys are hashed while the cells of earlier ones
    /// are being prefetched.
    ///
    /// ```
    /// use anther::{Blocked, Filter, Target};
    ///
    /// let mut seen = Blocked::new(Target::new(1000, 0.01)?)?;
    /// seen.extend(["a", "b"]);
    /// let mut found = [false; 3];
    /// seen.contains_keys(&["a", "b", "c"], &mut found);
    /// assert_eq!(found, [true, true, false]);
    /// # Ok::<(), anther::SizeError>(())
    /// ```
    ///
    /// # Panics
    /// When `found` is not as long as `keys`, or the filter's seed
    /// [cannot hash](crate::Seed::can_hash).
    fn contains_keys<K: Key>(&self, keys: &[K], found: &mut [bool])
    where
        Self: Sized,
    {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        let (fetch, has) = (|key| self.prefetch_hash(key), |key| self.contains_hash(key));
        ahead::contains_ahead(found, hashes(keys, self.seed()), fetch, has);
    }

    /// The filter's numbers. Reads all cells.
    fn profile(&self) -> Profile;

    /// How the filter's keys are hashed.
    fn seed(&self) -> &Seed {
        &self.about().seed
    }
}

/// A filter whose cells can be inspected: for pictures, tests and the curious.
pub trait Inspect: Filter {
    /// All that the filter stores except its parameters, as rows of cells. Rows that a lookup reads
    /// first come first.
    fn rows(&self) -> Vec<Row<'_>>;

    /// The cells that the filter reads to look up or insert a key, in the order of its probes. A
    /// cell that two probes hit comes twice. A lookup may stop before it has read them all.
    ///
    /// ```
    /// use anther::{Classic, Filter, Inspect, Key, Target};
    ///
    /// let mut seen = Classic::new(Target::new(10, 0.01)?)?;
    /// seen.insert("a key");
    /// let touches = seen.touches("a key".key_hash(seen.seed()));
    /// assert_eq!(touches.len() as u32, seen.profile().probes);
    /// assert!(touches.iter().all(|touch| seen.rows()[touch.row].cells.get(touch.cell) == 1));
    /// # Ok::<(), anther::SizeError>(())
    /// ```
    fn touches(&self, key: KeyHash) -> Vec<Touch>;
}

/// A filter that keys can be inserted into one by one.
pub trait Insert: Filter {
    /// Inserts a key. Returns true if it is certainly new.
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full>;

    /// Inserts keys in order. Returns how many of them are certainly new.
    fn insert_hashes(&mut self, keys: &[KeyHash]) -> Result<u64, Full> {
        let mut new = 0;
        for key in keys {
            new += u64::from(self.insert_hash(*key)?);
        }
        Ok(new)
    }

    /// Inserts many keys as fast as possible, on several threads and in any order, for kinds of
    /// plain bits. Other kinds insert them in order, on this thread.
    fn bulk_insert_hashes(&mut self, keys: &[KeyHash], threads: Threads) -> Result<(), Full> {
        let _ = threads;
        self.insert_hashes(keys).map(drop)
    }

    /// The same for `count` keys that are hashed where they are needed, block by block: `hashes`
    /// writes the hashes of a range of them, and is called from all threads.
    fn bulk_insert_blocks(
        &mut self,
        count: usize,
        hashes: &HashBlock<'_>,
        threads: Threads,
    ) -> Result<(), Full> {
        let _ = threads;
        blocks::each(count, hashes, |block| self.insert_hashes(block).map(drop))
    }
}

/// A filter whose keys can be removed.
///
/// Remove only keys that were inserted. The filter sees cells, not keys: removing an absent key
/// that is a false positive damages keys that are present.
pub trait Remove: Filter {
    /// Removes a key. Returns false, and changes nothing, if the key is certainly absent.
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError>;
}

/// A filter that counts how often a key was inserted.
pub trait Count: Filter {
    /// How often the key with this hash was inserted: never too low, unless the kind's
    /// documentation says so, and too high as often as the false-positive rate says. 0 is certain.
    fn count_hash(&self, key: KeyHash) -> u64;
}

/// A filter that stores a value with each key.
pub trait Lookup: Filter {
    /// The key's value, or `None` if the key is certainly absent. An absent key gets an arbitrary
    /// value as often as the false-positive rate says.
    fn get_hash(&self, key: KeyHash) -> Option<u64>;

    /// What a value stands for: itself, or the counts of a [band](crate::Bands).
    fn counts(&self, value: u64) -> RangeInclusive<u64> {
        value..=value
    }
}

/// A filter whose size is known before it is made.
pub trait Planned: Filter + Sized {
    /// The size for a target, without making the filter. The options are the kind's own.
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError>;
}

/// A filter that can be made from a size and a number of probes.
pub trait Shaped: Planned {
    /// The numbers of a shape that holds `items` items, without making the filter.
    fn plan_shape(shape: Shape, items: u64) -> Result<Plan, SizeError>;
}

/// A filter that can be made empty, for a target.
pub trait ForTarget: Planned + Insert {
    /// An empty filter. With the target's items, its false-positive rate is at or below the
    /// target's.
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Self, SizeError>;

    /// The same, with the kind's default options.
    fn with_seed(target: Target, seed: Seed) -> Result<Self, SizeError> {
        Self::with_options(target, &Options::default(), seed)
    }
}

/// A static filter: built once from all keys.
pub trait Build: Planned {
    /// Builds the filter of these keys; duplicates count once. The target gives the approximate
    /// number of keys and the false-positive rate. [`Work`] sets memory and threads. Neither it nor
    /// the order of the keys changes the result.
    fn build(
        keys: &mut dyn KeySource,
        target: Target,
        options: &Options,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Self, BuildError>;
}

/// A filter that can be merged with another.
pub trait Merge: Filter {
    /// Inserts all keys of the other: bit for bit what building from both sets gives.
    ///
    /// If one filter's size is a multiple of the other's, the larger is folded to the size of the
    /// smaller first. **So this filter shrinks when the other is smaller**, and its false-positive
    /// rate rises. Compare their sizes before, or look at the [`Profile`] after.
    fn merge(&mut self, other: &Self) -> Result<(), Mismatch>;
}
