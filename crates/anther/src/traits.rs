//! What filters can do: one small trait a capability.
//!
//! They work on hashes, so that a key is hashed once for many filters, and are object safe where
//! they can be. The methods that take keys stand on the filters themselves, and nobody has to
//! import a trait for the first ten minutes.

use crate::batch::source::{KeySource, Work};
use crate::batch::threads::Threads;
use crate::batch::{ahead, hashes};
use crate::error::{BuildError, Full, Mismatch, RemoveError, SizeError};
use crate::options::Options;
use crate::parts::hash::{Key, KeyHash, Seed};
use crate::parts::view::{Row, Touch};
use crate::profile::{About, Profile};
use crate::target::{Plan, Shape, Target};

/// Something that may have seen a key.
pub trait Filter {
    /// What the filter was made for and with.
    fn about(&self) -> &About;

    /// Whether the key with this hash may be in the set. False is certain, unless
    /// the kind forgets.
    fn contains_hash(&self, key: KeyHash) -> bool;

    /// Prefetches the cache lines that a lookup of this key reads. Other work before the lookup, or
    /// other keys, then hides the cache misses. Some kinds prefetch nothing.
    fn prefetch_hash(&self, key: KeyHash) {
        let _ = key;
    }

    /// Whether each of the keys with these hashes may be in the set. Beyond the caches it is several
    /// times as fast as one question after the other, for kinds that can ask for lines before they
    /// are needed: those of plain bits, [`Fuse`](crate::Fuse) and [`Cuckoo`](crate::Cuckoo).
    ///
    /// # Panics
    /// When `found` is not as long as `keys`.
    fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        let (fetch, has) = (|key| self.prefetch_hash(key), |key| self.contains_hash(key));
        ahead::contains_ahead(found, keys.iter().copied(), fetch, has);
    }

    /// Whether each of the keys may be in the set. The hash of a key is made while the cells of
    /// those before it are on their way from memory.
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

    /// The filter described in numbers. Reads all cells.
    fn profile(&self) -> Profile;

    /// How the filter's keys are hashed.
    fn seed(&self) -> &Seed {
        &self.about().seed
    }
}

/// A filter whose cells can be looked at: for pictures, tests and the curious.
pub trait Inspect: Filter {
    /// All that the filter stores but for its numbers, as rows of cells, those that a query
    /// reads first in front.
    fn rows(&self) -> Vec<Row<'_>>;

    /// The cells that the filter reads to look a key up or to insert it, in the order of its
    /// probes; some twice, where probes meet. A query may be done before it has read them all.
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

/// A filter that takes keys one by one.
pub trait Insert: Filter {
    /// Inserts a key; true when it surely was not in before.
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full>;

    /// Inserts keys in order; how many of them surely were not in before.
    fn insert_hashes(&mut self, keys: &[KeyHash]) -> Result<u64, Full> {
        let mut new = 0;
        for key in keys {
            new += u64::from(self.insert_hash(*key)?);
        }
        Ok(new)
    }

    /// Inserts many keys as fast as it can, on so many threads, in whatever order: for kinds of
    /// plain bits. Others insert them in order, on this thread.
    fn bulk_insert_hashes(&mut self, keys: &[KeyHash], threads: Threads) -> Result<(), Full> {
        let _ = threads;
        self.insert_hashes(keys).map(drop)
    }
}

/// A filter whose keys can be removed.
///
/// Remove only what was inserted. A filter sees no keys, only cells: where an absent key looks
/// present, which happens as often as the rate says, removing it damages keys that are in.
pub trait Remove: Filter {
    /// Removes a key; false when it surely was not in, and then nothing changed.
    fn remove_hash(&mut self, key: KeyHash) -> Result<bool, RemoveError>;
}

/// A filter that says how often a key was inserted.
pub trait Count: Filter {
    /// How often the key with this hash was inserted: never too low, unless the kind says so, and
    /// too high for as many keys as the rate says. 0 is certain.
    fn count_hash(&self, key: KeyHash) -> u64;
}

/// A filter that keeps a value with each key.
pub trait Lookup: Filter {
    /// The key's value. Nothing when the key surely is not in; and now and then, as often as the
    /// rate says, some value for a key that is not.
    fn get_hash(&self, key: KeyHash) -> Option<u64>;
}

/// A filter whose size is known before it is made.
pub trait Planned: Filter + Sized {
    /// What the target comes to, without making the filter. The options are the kind's own.
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError>;
}

/// A filter that can be made of a size and a number of probes.
pub trait Shaped: Planned {
    /// What the shape comes to with so many items in it, without making the filter.
    fn plan_shape(shape: Shape, items: u64) -> Result<Plan, SizeError>;
}

/// A filter that can be made empty, for a target.
pub trait ForTarget: Planned + Insert {
    /// An empty filter that measures at or below the target's rate with the target's items.
    fn with_options(target: Target, options: &Options, seed: Seed) -> Result<Self, SizeError>;

    /// The same, with every option as the kind chooses.
    fn with_seed(target: Target, seed: Seed) -> Result<Self, SizeError> {
        Self::with_options(target, &Options::default(), seed)
    }
}

/// A filter that is made from all its keys at once, and does not change afterwards.
pub trait Build: Planned {
    /// The filter of these keys, each of which counts once however often it comes. The target
    /// says about how many there are, and the rate. [`Work`] says how the machine may be used
    /// and changes nothing in the result; neither does the order of the keys.
    fn build(
        keys: &mut dyn KeySource,
        target: Target,
        options: &Options,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Self, BuildError>;
}

/// A filter that can take in another.
pub trait Merge: Filter {
    /// Inserts all keys of the other: bit for bit what building from both would give.
    ///
    /// Where one filter is a whole number of times larger than the other, the larger is folded to
    /// the size of the smaller first. **So this filter shrinks when the other is smaller**, and
    /// its rate rises; compare their sizes before, or look at the [`Profile`] after.
    fn merge(&mut self, other: &Self) -> Result<(), Mismatch>;
}
