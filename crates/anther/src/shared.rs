//! One filter for many threads: inserts and queries through `&self`. And [one file](mod@file) for many
//! processes.

pub mod file;

use crate::any::AnyFilter;
use crate::batch::{Hashes, ahead, hashes};
use crate::error::{LoadError, OutOfMemory, ShareError};
use crate::filter::blocked::Blocked;
use crate::filter::classic::Classic;
use crate::filter::compressed::Compressed;
use crate::filter::plain::PlainBits;
use crate::filter::plain::plumbing::Pattern;
use crate::filter::split::Split;
use crate::parts::hash::{Key, KeyHash};
use crate::parts::words::{AtomicWords, Words, prefetch};
use crate::profile::About;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// A filter of plain bits that many threads fill and ask at once, on the same memory as the
/// filter it came from and goes back to.
///
/// Bits are only ever set, each by an atomic OR, so nothing is lost and the order of inserts does
/// not matter: many threads give bit for bit the filter of one. Once an insert happened before a
/// query (a join, a lock, a channel), the query finds it. Of several threads that insert the same
/// key first, at least one is told that it is new, unless it was a false positive already.
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
    /// How often insert was called here; `frame` knows how often before.
    inserted: AtomicU64,
}

/// Gives the filter to many threads.
macro_rules! into_shared {
    ($($kind:ident)*) => {$(
        impl $kind {
            /// Gives the filter to many threads at once, without copying.
            pub fn into_shared(self) -> Result<Shared<$kind>, OutOfMemory> {
                Shared::new(self)
            }
        }
    )*};
}
into_shared!(Classic Blocked Split Compressed);

impl<F: PlainBits> Shared<F> {
    /// Takes a filter over. Its memory is not copied, unless it is borrowed from a file.
    pub fn new(mut filter: F) -> Result<Shared<F>, OutOfMemory> {
        let none = Words::zeroed(0)?;
        let row = filter.row_mut();
        let words = AtomicWords::new(std::mem::replace(row.bits.storage_mut(), none))?;
        Ok(Shared { frame: filter, words, inserted: AtomicU64::new(0) })
    }

    /// A filter on other words than its own, which are as many: those of a file.
    fn over(mut filter: F, words: AtomicWords) -> Result<Shared<F>, OutOfMemory> {
        *filter.row_mut().bits.storage_mut() = Words::zeroed(0)?;
        Ok(Shared { frame: filter, words, inserted: AtomicU64::new(0) })
    }

    /// Gives the filter back, without copying.
    pub fn into_inner(self) -> F {
        let mut filter = self.frame;
        let row = filter.row_mut();
        *row.bits.storage_mut() = self.words.into_words();
        row.about.count(self.inserted.into_inner());
        filter
    }

    /// Puts a key in; true when it surely was not in before.
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

    /// Puts a key in by its hash; true when it surely was not in before.
    pub fn insert_hash(&self, key: KeyHash) -> bool {
        self.inserted.fetch_add(1, Ordering::Relaxed);
        self.set(key)
    }

    /// Whether the key with this hash may be in the set.
    pub fn contains_hash(&self, key: KeyHash) -> bool {
        let words = self.words.as_slice();
        self.frame
            .row()
            .probes
            .all_masks(key, |word, mask| words[word].load(Ordering::Relaxed) & mask == mask)
    }

    /// Puts keys in, on this thread, while others may do the same; how many of them surely were not
    /// in before. Beyond the caches it is several times as fast as one insert after the other. Who
    /// has all keys before, and no reader meanwhile, is faster with
    /// [`PlainBits::insert_keys`], where threads own parts of the filter.
    ///
    /// # Panics
    /// When the filter's seed [cannot hash](crate::Seed::can_hash).
    pub fn insert_keys<K: Key>(&self, keys: &[K]) -> u64 {
        self.inserted.fetch_add(keys.len() as u64, Ordering::Relaxed);
        self.set_each(keys.len(), hashes(keys, self.frame.seed()))
    }

    /// Whether each of the keys may be in the set; as [`Filter::contains_keys`](crate::Filter::contains_keys).
    ///
    /// # Panics
    /// When `found` is not as long as `keys`, or the filter's seed
    /// [cannot hash](crate::Seed::can_hash).
    pub fn contains_keys<K: Key>(&self, keys: &[K], found: &mut [bool]) {
        assert_eq!(keys.len(), found.len(), "an answer for each key");
        let hashes = hashes(keys, self.frame.seed());
        ahead::contains_ahead(found, hashes, |key| self.fetch(key), |key| self.contains_hash(key));
    }

    /// Puts many keys in, on so many threads; how many of them surely were not in before. Of threads
    /// that put the same key in at once, each may count it.
    pub fn insert_hashes(&self, keys: &[KeyHash], threads: NonZero<usize>) -> u64 {
        self.inserted.fetch_add(keys.len() as u64, Ordering::Relaxed);
        let set = |part: &[KeyHash]| self.set_each(part.len(), part.iter().copied());
        if threads.get() == 1 {
            return set(keys);
        }
        let share = keys.len().div_ceil(threads.get());
        let new = AtomicU64::new(0);
        thread::scope(|scope| {
            for part in keys.chunks(share.max(1)) {
                scope.spawn(|| new.fetch_add(set(part), Ordering::Relaxed));
            }
        });
        new.into_inner()
    }

    fn set_each(&self, count: usize, hashes: impl Hashes) -> u64 {
        ahead::insert_ahead(count, hashes, |key| self.fetch(key), |key| self.set(key))
    }

    /// Asks for the lines of a key.
    #[inline]
    fn fetch(&self, key: KeyHash) {
        let words = self.words.as_slice().as_ptr();
        self.frame.row().probes.each_line(key, |word| prefetch(words.wrapping_add(word)));
    }

    #[inline]
    fn set(&self, key: KeyHash) -> bool {
        let words = self.words.as_slice();
        let mut new = false;
        self.frame.row().probes.each_word(key, |word, mask| {
            // A plain read first: an atomic OR takes the line away from all other cores, and in
            // a well-filled filter every second one would change nothing. What it was before is
            // not asked of the OR itself, which would make it a loop of compare and swap.
            let word = &words[word];
            if word.load(Ordering::Relaxed) & mask != mask {
                word.fetch_or(mask, Ordering::Relaxed);
                new = true;
            }
        });
        new
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
/// assert!(AnyFilter::from(seen).contains("key"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnyShared(Box<dyn Erased>);

/// What [`Shared`] does, whatever the kind.
trait Erased: std::fmt::Debug + Send + Sync {
    fn about(&self) -> &About;
    fn insert_hashes(&self, keys: &[KeyHash]) -> u64;
    fn contains_hash(&self, key: KeyHash) -> bool;
    fn into_any(self: Box<Self>) -> AnyFilter;
}

impl<F: PlainBits + std::fmt::Debug> Erased for Shared<F>
where
    AnyFilter: From<F>,
{
    fn about(&self) -> &About {
        self.frame.about()
    }

    fn insert_hashes(&self, keys: &[KeyHash]) -> u64 {
        Shared::insert_hashes(self, keys, NonZero::<usize>::MIN)
    }

    fn contains_hash(&self, key: KeyHash) -> bool {
        Shared::contains_hash(self, key)
    }

    fn into_any(self: Box<Self>) -> AnyFilter {
        self.into_inner().into()
    }
}

impl AnyShared {
    /// Puts keys in, on this thread; others may do the same meanwhile. How many of them surely
    /// were not in before.
    pub fn insert_hashes(&self, keys: &[KeyHash]) -> u64 {
        self.0.insert_hashes(keys)
    }

    /// Whether the key with this hash may be in the set.
    pub fn contains_hash(&self, key: KeyHash) -> bool {
        self.0.contains_hash(key)
    }

    fn new<F: PlainBits + std::fmt::Debug + 'static>(filter: F) -> Result<AnyShared, NotShared>
    where
        AnyFilter: From<F>,
    {
        Ok(AnyShared(Box::new(Shared::new(filter)?)))
    }
}

impl AnyShared {
    /// A filter of a kind that can be shared as a file, on the words of one.
    fn over(filter: AnyFilter, words: AtomicWords) -> Result<AnyShared, ShareError> {
        let no_memory = LoadError::OutOfMemory;
        Ok(AnyShared(match filter {
            AnyFilter::Classic(filter) => Box::new(Shared::over(filter, words).map_err(no_memory)?),
            AnyFilter::Blocked(filter) => Box::new(Shared::over(filter, words).map_err(no_memory)?),
            AnyFilter::Split(filter) => Box::new(Shared::over(filter, words).map_err(no_memory)?),
            other => return Err(ShareError::Kind { kind: other.kind() }),
        }))
    }
}

/// Why a filter is not for many threads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotShared {
    /// It has no plain bits. Here it is again.
    #[error("a {} filter takes keys from one thread only", .0.kind())]
    Kind(Box<AnyFilter>),
    /// No memory for bits that it borrows from a file.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl TryFrom<AnyFilter> for AnyShared {
    type Error = NotShared;

    fn try_from(filter: AnyFilter) -> Result<AnyShared, NotShared> {
        match filter {
            AnyFilter::Classic(filter) => AnyShared::new(filter),
            AnyFilter::Blocked(filter) => AnyShared::new(filter),
            AnyFilter::Split(filter) => AnyShared::new(filter),
            AnyFilter::Compressed(filter) => AnyShared::new(filter),
            other => Err(NotShared::Kind(Box::new(other))),
        }
    }
}

impl From<AnyShared> for AnyFilter {
    fn from(shared: AnyShared) -> AnyFilter {
        shared.0.into_any()
    }
}
