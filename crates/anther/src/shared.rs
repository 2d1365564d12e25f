//! One filter for many threads: inserts and lookups through `&self`; and [one file](mod@file) for many
//! processes.

pub mod file;
#[cfg(all(test, anther_loom))]
mod model;

use crate::any::AnyFilter;
use crate::batch::blocks::{self, HashBlock};
use crate::batch::threads::Threads;
use crate::batch::{Hashes, ahead, hashes};
use crate::error::{KeyError, LoadError, OutOfMemory, ShareError};
use crate::filter::plain::{Pattern, PlainBits, PlainFilter, Rule};
use crate::parts::hash::{Key, KeyHash};
use crate::parts::sync::AtomicU64;
use crate::parts::words::{AtomicWords, Words, prefetch};
use crate::profile::About;
use crate::recipe::Entries;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A filter of plain bits that many threads insert into and query at once. It uses the memory of
/// the filter that it was made from.
///
/// Bits are only ever set, each by an atomic OR, so nothing is lost and the order of inserts does
/// not matter: the result is bit for bit that of one thread. A lookup finds every key whose insert
/// happened before it (by a join, a lock or a channel). If several threads insert the same new key
/// at once, at least one of them is told that it is new, unless it was a false positive before.
///
/// ```
/// use anther::{Blocked, PlainBits, Target};
///
/// let seen = Blocked::new(Target::new(10_000, 0.01)?)?.into_shared()?;
/// std::thread::scope(|scope| {
///     for thread in 0..4u64 {
///         let seen = &seen;
///         scope.spawn(move || (0..1000u64).for_each(|i| { seen.insert(thread * 1000 + i); }));
///     }
/// });
/// let seen = seen.into_inner();
/// assert!((0..4000u64).all(|key| seen.contains(key)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Shared<F> {
    /// The filter without its words: it knows where a key's bits are.
    frame: F,
    words: AtomicWords,
    /// How often `insert` was called here; `frame` counts the calls before.
    inserted: StripedCount,
}

impl<R: Rule> PlainFilter<R> {
    /// Makes the filter usable by many threads at once, without copying.
    pub fn into_shared(self) -> Result<Shared<PlainFilter<R>>, OutOfMemory> {
        Shared::new(self)
    }
}

impl<F: PlainBits> Shared<F> {
    /// Takes over a filter. Its memory is not copied, unless it is borrowed.
    pub fn new(mut filter: F) -> Result<Shared<F>, OutOfMemory> {
        let none = Words::zeroed(0)?;
        let bits = &mut filter.plain_mut().bits;
        let words = AtomicWords::new(std::mem::replace(bits.storage_mut(), none))?;
        Ok(Shared { frame: filter, words, inserted: StripedCount::default() })
    }

    /// A filter over the words of a file instead of its own; there are as many.
    fn over(mut filter: F, words: AtomicWords) -> Result<Shared<F>, OutOfMemory> {
        *filter.plain_mut().bits.storage_mut() = Words::zeroed(0)?;
        Ok(Shared { frame: filter, words, inserted: StripedCount::default() })
    }

    /// Returns the filter, without copying.
    pub fn into_inner(self) -> F {
        let mut filter = self.frame;
        let plain = filter.plain_mut();
        *plain.bits.storage_mut() = self.words.into_words();
        plain.about.count(self.inserted.sum());
        filter
    }

    /// Inserts a key. Returns true if it is certainly new.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn insert(&self, key: impl Key) -> bool {
        self.insert_hash(key.key_hash(self.frame.seed()))
    }

    /// Whether the key may be in the set. False is certain.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn contains(&self, key: impl Key) -> bool {
        self.contains_hash(key.key_hash(self.frame.seed()))
    }

    /// Inserts a key by its hash. Returns true if it is certainly new.
    pub fn insert_hash(&self, key: KeyHash) -> bool {
        self.inserted.add(1);
        self.insert_one(key)
    }

    /// Whether the key with this hash may be in the set.
    pub fn contains_hash(&self, key: KeyHash) -> bool {
        self.frame.plain().pattern.contains_atomic(self.words.as_slice(), key)
    }

    /// Inserts keys on this thread, while other threads may insert, too. Returns how many of them are
    /// certainly new. Beyond the caches this is several times as fast as single inserts. If you have
    /// all keys at once and no readers yet, [`PlainBits::bulk_insert_keys`] is faster: there each
    /// thread owns parts of the filter.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn insert_keys<K: Key>(&self, keys: &[K]) -> u64 {
        self.inserted.add(keys.len() as u64);
        self.insert_many(keys.len(), hashes(keys, self.frame.seed()))
    }

    /// Whether each of the keys may be in the set; as [`Filter::contains_keys`](crate::Filter::contains_keys).
    ///
    /// # Panics
    /// When `found` is not as long as `keys`, or the filter's seed
    /// [cannot hash](crate::Seed::can_hash).
    pub fn contains_keys<K: Key>(&self, keys: &[K], found: &mut [bool]) {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        let hashes = hashes(keys, self.frame.seed());
        ahead::contains_ahead(
            found,
            hashes,
            |key| self.prefetch(key),
            |key| self.contains_hash(key),
        );
    }

    /// Inserts keys by their hashes, as [`insert_keys`](Shared::insert_keys).
    pub fn insert_hashes(&self, keys: &[KeyHash]) -> u64 {
        self.inserted.add(keys.len() as u64);
        self.insert_many(keys.len(), keys.iter().copied())
    }

    /// Whether each of the keys with these hashes may be in the set.
    ///
    /// # Panics
    /// When `found` is not as long as `keys`.
    pub fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        let hashes = keys.iter().copied();
        ahead::contains_ahead(
            found,
            hashes,
            |key| self.prefetch(key),
            |key| self.contains_hash(key),
        );
    }

    /// The filter's target, seed and recipe. The insert count is as of the time when it was shared.
    pub fn about(&self) -> &About {
        self.frame.about()
    }

    /// A copy of the filter as it is now. Keys that other threads insert meanwhile may be in it or
    /// not; those inserted before are.
    pub fn snapshot(&self) -> Result<F, OutOfMemory> {
        let words = self.words.as_slice();
        let mut copy = Words::zeroed(words.len())?;
        for (copy, word) in copy.to_mut().iter_mut().zip(words) {
            *copy = word.load(Ordering::Relaxed);
        }
        let mut filter = self.frame.clone();
        let plain = filter.plain_mut();
        *plain.bits.storage_mut() = copy;
        plain.about.count(self.inserted.sum());
        Ok(filter)
    }

    fn insert_many(&self, count: usize, hashes: impl Hashes) -> u64 {
        ahead::insert_ahead(count, hashes, |key| self.prefetch(key), |key| self.insert_one(key))
    }

    /// Prefetches the cache lines of a key.
    #[inline]
    fn prefetch(&self, key: KeyHash) {
        let words = self.words.as_slice().as_ptr();
        self.frame.plain().pattern.each_line(key, |word| prefetch(words.wrapping_add(word)));
    }

    #[inline]
    fn insert_one(&self, key: KeyHash) -> bool {
        self.frame.plain().pattern.insert_atomic(self.words.as_slice(), key)
    }
}

/// A count to which many threads add. Each adds to one of several numbers, each on a cache line of
/// its own: with one number for all, two threads that insert one key at a time took twice the time.
#[derive(Debug, Default)]
struct StripedCount([Stripe; StripedCount::STRIPES]);

#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe(AtomicU64);

impl StripedCount {
    const STRIPES: usize = 16;

    #[inline]
    fn add(&self, count: u64) {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static THREAD: usize = THREADS.fetch_add(1, Ordering::Relaxed);
        }
        // A thread that ends has no number any more.
        let thread = THREAD.try_with(|thread| *thread).unwrap_or(0);
        self.0[thread % StripedCount::STRIPES].0.fetch_add(count, Ordering::Relaxed);
    }

    fn sum(&self) -> u64 {
        self.0.iter().map(|stripe| stripe.0.load(Ordering::Relaxed)).sum()
    }
}

/// A filter of any kind of plain bits, for many threads; see [`Shared`].
///
/// ```
/// use anther::{AnyFilter, AnyShared, Kind, Seed, Target};
///
/// let filter = AnyFilter::new(Kind::Blocked, Target::new(1000, 0.01)?, Seed::FIXED)?;
/// let seen = AnyShared::try_from(filter).expect("blocked has plain bits");
/// seen.insert_hashes(&[Seed::FIXED.hash_bytes(b"key")]);
/// assert!(AnyFilter::from(seen).contains("key")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnyShared(Box<dyn Erased>);

/// What [`Shared`] does, whatever the kind.
trait Erased: std::fmt::Debug + Send + Sync {
    fn about(&self) -> &About;
    fn insert_hash(&self, key: KeyHash) -> bool;
    fn insert_hashes(&self, keys: &[KeyHash]) -> u64;
    fn contains_hash(&self, key: KeyHash) -> bool;
    fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]);
    fn snapshot(&self) -> Result<AnyFilter, OutOfMemory>;
    fn into_any(self: Box<Self>) -> AnyFilter;
}

impl<F: PlainBits + std::fmt::Debug> Erased for Shared<F>
where
    AnyFilter: From<F>,
{
    fn about(&self) -> &About {
        Shared::about(self)
    }

    fn insert_hash(&self, key: KeyHash) -> bool {
        Shared::insert_hash(self, key)
    }

    fn insert_hashes(&self, keys: &[KeyHash]) -> u64 {
        Shared::insert_hashes(self, keys)
    }

    fn contains_hash(&self, key: KeyHash) -> bool {
        Shared::contains_hash(self, key)
    }

    fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        Shared::contains_hashes(self, keys, found);
    }

    fn snapshot(&self) -> Result<AnyFilter, OutOfMemory> {
        Ok(Shared::snapshot(self)?.into())
    }

    fn into_any(self: Box<Self>) -> AnyFilter {
        self.into_inner().into()
    }
}

impl AnyShared {
    /// Inserts a key. Returns true if it is certainly new.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn insert(&self, key: impl Key) -> Result<bool, KeyError> {
        if self.about().reach().is_below() {
            return Ok(self.insert_keys(&[key])? > 0);
        }
        Ok(self.insert_hash(self.about().key_hash(key)?))
    }

    /// Whether the key may be in the set. False is certain.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn contains(&self, key: impl Key) -> Result<bool, KeyError> {
        if self.about().reach().levels() == 0 {
            return Ok(self.contains_hash(self.about().key_hash(key)?));
        }
        let mut found = [false];
        self.contains_keys(&[key], &mut found)?;
        Ok(found[0])
    }

    /// Inserts a key by its hash. Returns true if it is certainly new.
    pub fn insert_hash(&self, key: KeyHash) -> bool {
        self.0.insert_hash(key)
    }

    /// Whether the key with this hash may be in the set.
    pub fn contains_hash(&self, key: KeyHash) -> bool {
        self.0.contains_hash(key)
    }

    /// Inserts keys on this thread; other threads may insert, too. Returns how many of them are
    /// certainly new.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn insert_keys<K: Key>(&self, keys: &[K]) -> Result<u64, KeyError> {
        if self.about().reach().is_below() {
            return self.insert_entries(&self.about().entries(keys)?);
        }
        let mut new = 0;
        self.about().in_blocks(keys, |_, hashes| {
            new += self.insert_hashes(hashes);
            Ok::<(), KeyError>(())
        })?;
        Ok(new)
    }

    /// Inserts the entries of a list, if the filter knows their
    /// [levels](AnyShared::check_levels). Returns how many entries are certainly new.
    pub fn insert_entries(&self, entries: &Entries) -> Result<u64, KeyError> {
        self.check_levels(entries.levels())?;
        self.insert_hashes(&entries.more_hashes());
        Ok(self.insert_hashes(&entries.hashes))
    }

    /// Whether each of the keys may be in the set.
    ///
    /// # Panics
    /// When `found` is not as long as `keys`, or the filter's seed
    /// [cannot hash](crate::Seed::can_hash).
    pub fn contains_keys<K: Key>(&self, keys: &[K], found: &mut [bool]) -> Result<(), KeyError> {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        self.about().contains_keys(keys, found, |hashes, found| {
            self.contains_hashes(hashes, found);
            Ok(())
        })
    }

    /// Checks that the filter knows these levels of entries that stand for many keys. What lookups
    /// read of a shared filter cannot change.
    pub fn check_levels(&self, levels: u128) -> Result<(), KeyError> {
        let about = self.about();
        let reach = about.reach();
        let is_new = reach.is_below() && levels & !reach.levels() != 0;
        if is_new { Err(KeyError::Level) } else { Ok(()) }
    }

    /// Inserts keys by their hashes, as [`insert_keys`](AnyShared::insert_keys).
    pub fn insert_hashes(&self, keys: &[KeyHash]) -> u64 {
        self.0.insert_hashes(keys)
    }

    /// Whether each of the keys with these hashes may be in the set.
    ///
    /// # Panics
    /// When `found` is not as long as `keys`.
    pub fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool]) {
        self.0.contains_hashes(keys, found);
    }

    /// Inserts `count` keys on several threads where that pays; other threads may insert, too.
    /// `hashes` writes the hashes of a range of keys, and is called from all threads; see
    /// [`AnyFilter::bulk_insert_blocks`].
    pub fn insert_blocks(&self, count: usize, hashes: &HashBlock<'_>, threads: Threads) {
        blocks::share(
            count,
            hashes,
            |block| {
                self.insert_hashes(block);
            },
            threads,
        );
    }

    /// Whether each of many keys may be in the set; see [`AnyFilter::contains_blocks`].
    pub fn contains_blocks<E: Send>(
        &self,
        found: &mut [bool],
        hashes: impl Fn(Range<usize>, &mut [KeyHash]) -> Result<(), E> + Sync,
        threads: Threads,
    ) -> Result<(), E> {
        blocks::contains(found, hashes, |keys, found| self.contains_hashes(keys, found), threads)
    }

    /// A copy of the filter as it is now; see [`Shared::snapshot`].
    pub fn snapshot(&self) -> Result<AnyFilter, OutOfMemory> {
        self.0.snapshot()
    }

    /// The filter's target, seed and recipe. The insert count is as of the time when it was shared.
    pub fn about(&self) -> &About {
        self.0.about()
    }

    /// A filter of a kind that can be shared as a file, on the words of one.
    fn over(filter: AnyFilter, words: AtomicWords) -> Result<AnyShared, ShareError> {
        let kind = filter.kind();
        if !kind.capabilities().share {
            return Err(ShareError::Kind { kind });
        }
        erased(filter, Some(words)).map_err(|error| match error {
            NotShared::Kind(_) => ShareError::Kind { kind },
            NotShared::OutOfMemory(error) => LoadError::OutOfMemory(error).into(),
        })
    }
}

/// The kinds that can be shared, on their own words or on others.
fn erased(filter: AnyFilter, words: Option<AtomicWords>) -> Result<AnyShared, NotShared> {
    fn erase<F>(filter: F, words: Option<AtomicWords>) -> Result<AnyShared, NotShared>
    where
        F: PlainBits + std::fmt::Debug + 'static,
        AnyFilter: From<F>,
    {
        Ok(AnyShared(match words {
            Some(words) => Box::new(Shared::over(filter, words)?),
            None => Box::new(Shared::new(filter)?),
        }))
    }
    match filter {
        AnyFilter::Classic(filter) => erase(filter, words),
        AnyFilter::Blocked(filter) => erase(filter, words),
        AnyFilter::Split(filter) => erase(filter, words),
        AnyFilter::Compressed(filter) => erase(filter, words),
        other => Err(NotShared::Kind(Box::new(other))),
    }
}

/// Why a filter cannot be shared between threads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotShared {
    /// The kind has no plain bits. Returns the filter.
    #[error("{} {} filter takes keys from one thread only", .0.kind().article(), .0.kind())]
    Kind(Box<AnyFilter>),
    /// No memory for bits that it borrows from a file.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl TryFrom<AnyFilter> for AnyShared {
    type Error = NotShared;

    fn try_from(filter: AnyFilter) -> Result<AnyShared, NotShared> {
        erased(filter, None)
    }
}

impl From<AnyShared> for AnyFilter {
    fn from(shared: AnyShared) -> AnyFilter {
        shared.0.into_any()
    }
}
