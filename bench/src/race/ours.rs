//! The library's own kinds: the only file of the benchmark that makes and queries them.

use super::contender::{Ask, BATCH, Contender, EmptyMany, Many, Take};
use super::keys::{Family, Integers};
use anther::{
    Blocked, Build, Classic, Cuckoo, Filter, Fuse, Insert, Key, KeyHash, Options, PlainBits, Seed,
    Shared, Split, Target, Threads, Work,
};

/// The kind that ratios are against.
pub const REFERENCE: &str = "anther blocked";
/// The kind with sbbf-rs's layout.
pub const SPLIT: &str = "anther split";
/// The kind of the textbook.
pub const CLASSIC: &str = "anther classic";
/// The kind whose keys can be removed.
pub const CUCKOO: &str = "anther cuckoo";
/// The static kind, for the section about static kinds.
pub const FUSE: &str = "anther fuse";

/// 2⁻⁸, the rate of fingerprints of eight bits.
pub const EIGHT_BITS: f64 = 0.004;

/// Kinds that take every family of keys.
pub fn all<F: Family>() -> Vec<Contender<F>> {
    vec![
        Contender::empty(REFERENCE, |n, rate| Box::new(Ours(plain(Blocked::new, n, rate)))),
        Contender::empty(SPLIT, |n, rate| Box::new(Ours(plain(Split::new, n, rate)))),
        Contender::empty(CLASSIC, |n, rate| Box::new(Ours(plain(Classic::new, n, rate)))),
        Contender::empty(CUCKOO, |n, rate| Box::new(Removes(plain(Cuckoo::new, n, rate)))).slow(),
    ]
    .into_iter()
    .map(Contender::with_our_hash)
    .collect()
}

/// Kinds that are solved from all keys at once.
pub fn solved() -> Vec<Contender<Integers>> {
    vec![
        Contender::whole(FUSE, |keys, rate| {
            // Eight bits beside xorf's, where its rate is nearest.
            Box::new(Solved(fuse(keys, if rate >= 0.01 { EIGHT_BITS } else { rate }, 1)))
        })
        .with_our_hash(),
    ]
}

fn target(items: u64, rate: f64) -> Target {
    Target::new(items, rate).expect("the benchmark asks for possible targets")
}

fn plain<T>(new: fn(Target) -> Result<T, anther::SizeError>, items: u64, rate: f64) -> T {
    new(target(items, rate)).expect("memory for a filter")
}

/// A filter of plain bits.
struct Ours<T>(T);

impl<F: Family, T: PlainBits + Calls> Ask<F> for Ours<T> {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.has(key)
    }

    fn count_batches(&self, keys: &[F::Key<'_>]) -> Option<usize> {
        Some(count_batches(&self.0, keys))
    }

    fn bits(&self) -> Option<u64> {
        Some(self.0.profile().bits)
    }
}

impl<F: Family, T: PlainBits + Calls> Take<F> for Ours<T> {
    fn put(&mut self, keys: &[F::Key<'_>]) {
        for key in keys {
            self.0.put(*key);
        }
    }

    fn put_batches(&mut self, keys: &[F::Key<'_>]) -> Option<()> {
        keys.chunks(BATCH).for_each(|keys| self.0.put_keys(keys));
        Some(())
    }
}

/// The calls that each kind has itself, not through a trait.
trait Calls {
    fn has(&self, key: impl Key) -> bool;
    fn put(&mut self, key: impl Key);
    fn put_keys<K: Key>(&mut self, keys: &[K]);
}

macro_rules! calls {
    ($($kind:ident),+) => {$(
        impl Calls for $kind {
            #[inline]
            fn has(&self, key: impl Key) -> bool {
                self.contains(key)
            }

            #[inline]
            fn put(&mut self, key: impl Key) {
                self.insert(key);
            }

            fn put_keys<K: Key>(&mut self, keys: &[K]) {
                self.insert_keys(keys);
            }
        }
    )+};
}
calls!(Blocked, Split, Classic);

fn count_batches<T: Filter, K: Key>(filter: &T, keys: &[K]) -> usize {
    count_found(keys, |keys, found| filter.contains_keys(keys, found))
}

fn count_found<K>(keys: &[K], contains_keys: impl Fn(&[K], &mut [bool])) -> usize {
    let mut found = [false; BATCH];
    let batch = |keys: &[K]| {
        let found = &mut found[..keys.len()];
        contains_keys(keys, found);
        found.iter().filter(|found| **found).count()
    };
    keys.chunks(BATCH).map(batch).sum()
}

/// A filter that may refuse a key.
struct Removes(Cuckoo);

impl<F: Family> Ask<F> for Removes {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.contains(key)
    }

    fn count_batches(&self, keys: &[F::Key<'_>]) -> Option<usize> {
        Some(count_batches(&self.0, keys))
    }

    fn bits(&self) -> Option<u64> {
        Some(self.0.profile().bits)
    }
}

impl<F: Family> Take<F> for Removes {
    fn put(&mut self, keys: &[F::Key<'_>]) {
        for key in keys {
            assert!(self.0.insert(*key).is_ok(), "{ROOM}");
        }
    }

    fn put_batches(&mut self, keys: &[F::Key<'_>]) -> Option<()> {
        let mut hashes = [KeyHash(0); BATCH];
        for keys in keys.chunks(BATCH) {
            let hashes = &mut hashes[..keys.len()];
            for (hash, key) in hashes.iter_mut().zip(keys) {
                *hash = key.key_hash(self.0.seed());
            }
            assert!(self.0.insert_hashes(hashes).is_ok(), "{ROOM}");
        }
        Some(())
    }
}

const ROOM: &str = "a filter made for these keys has room for them";

/// A filter that was solved.
struct Solved(Fuse);

impl Ask<Integers> for Solved {
    #[inline]
    fn has(&self, key: u64) -> bool {
        self.0.contains(key)
    }

    fn count_batches(&self, keys: &[u64]) -> Option<usize> {
        Some(count_batches(&self.0, keys))
    }

    fn bits(&self) -> Option<u64> {
        Some(self.0.profile().bits)
    }
}

fn fuse(keys: &[u64], rate: f64, threads: usize) -> Fuse {
    let mut hashes: Vec<KeyHash> = keys.iter().map(|key| key.key_hash(&Seed::FIXED)).collect();
    let target = target(keys.len() as u64, rate);
    let work = Work::new().threads(Threads::new(threads));
    <Fuse as Build>::build(&mut hashes, target, &Options::default(), Seed::FIXED, work)
        .expect("distinct keys are solved")
}

/// Fingerprints of eight bits, solved on `threads` threads.
pub fn solve(keys: &[u64], threads: usize) -> Box<dyn Ask<Integers>> {
    Box::new(Solved(fuse(keys, EIGHT_BITS, threads)))
}

/// The same hash for a peer that takes hashes.
#[inline]
pub fn hash(key: impl Key) -> u64 {
    key.key_hash(&Seed::FIXED).0
}

/// Bits of a split filter for a target, for a peer of the same layout that must be told.
pub fn split_bits(items: u64, rate: f64) -> u64 {
    let plan = <Split as anther::Planned>::plan(target(items, rate), &Options::default());
    plan.expect("the benchmark asks for possible targets").bits
}

/// Filters that many threads fill and query: their names, and how they are made.
pub fn shared() -> [(&'static str, EmptyMany); 2] {
    fn made<T: PlainBits + Send + Sync + 'static>(filter: T) -> Box<dyn Many> {
        Box::new(Shared::new(filter).expect("memory that is there already"))
    }
    [
        (SHARED_BLOCKED, |items, rate| made(plain(Blocked::new, items, rate))),
        (SHARED_SPLIT, |items, rate| made(plain(Split::new, items, rate))),
    ]
}

/// The names of ours when many threads insert into them.
pub const SHARED_BLOCKED: &str = "anther blocked, shared";
/// The same of `split`.
pub const SHARED_SPLIT: &str = "anther split, shared";

impl<T: PlainBits + Send + Sync> Many for Shared<T> {
    fn put(&self, keys: &[u64]) {
        for key in keys {
            self.insert(*key);
        }
    }

    fn put_batches(&self, keys: &[u64]) -> Option<()> {
        keys.chunks(BATCH).for_each(|keys| _ = self.insert_keys(keys));
        Some(())
    }

    fn count(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|key| self.contains(**key)).count()
    }

    fn count_batches(&self, keys: &[u64]) -> Option<usize> {
        Some(count_found(keys, |keys, found| self.contains_keys(keys, found)))
    }
}

/// A filter built from all keys on `threads` threads.
pub fn bulk(keys: &[u64], rate: f64, threads: usize) -> Box<dyn Ask<Integers>> {
    let mut filter: Blocked = plain(Blocked::new, keys.len() as u64, rate);
    filter.bulk_insert_keys(keys, Threads::new(threads));
    Box::new(Ours(filter))
}

/// The two hashes of byte strings: anybody's, and the keyed one.
pub fn byte_hashes() -> (Seed, Seed) {
    (Seed::FIXED, Seed::keyed([7; 16]))
}
