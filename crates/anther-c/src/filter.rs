//! What the functions do with a filter, without a pointer.

use crate::failure::{Failure, Status};
use crate::settings::Settings;
use anther::error::OutOfMemory;
use anther::{
    About, AnyFilter, Filter as _, Key, KeyHash, Kind, Lock, Mismatch, Open, Save, SaveError, Seed,
    SeedKind, Target, Threads, Work,
};
use std::convert::Infallible;
use std::ffi::{CStr, c_char};
use std::io::{self, ErrorKind, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// `anther_filter`.
#[derive(Debug)]
pub struct Filter {
    pub(crate) any: AnyFilter,
    /// How its keys become hashes. Nothing changes that, and finding it in a filter of any kind
    /// would take as long as half a lookup.
    keys: Keys,
}

/// How keys become hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keys {
    /// Keys as they are.
    Plain(Seed),
    /// Keys by a rule.
    Ruled,
    /// No keys: hashing one would panic.
    None(SeedKind),
}

impl Keys {
    pub(crate) fn of(about: &About) -> Keys {
        match (about.seed.can_hash(), about.rule()) {
            (false, _) => Keys::None(about.seed.kind()),
            (true, None) => Keys::Plain(about.seed),
            (true, Some(_)) => Keys::Ruled,
        }
    }

    /// Whether they can be hashed at all: with another seed that would panic.
    #[inline]
    pub(crate) fn check(self) -> Result<(), Failure> {
        match self {
            Keys::None(seed) => Err(cannot_hash(seed)),
            _ => Ok(()),
        }
    }
}

/// `anther_info`. Fields are only ever added at the end: `size` says how many the caller knows.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[expect(missing_docs, reason = "the header documents them")]
pub struct Info {
    pub size: usize,
    pub kind: *const c_char,
    pub items: u64,
    pub items_error: f64,
    pub items_target: u64,
    pub inserted: u64,
    pub bits: u64,
    pub bits_sent: u64,
    pub bits_per_key: f64,
    pub fpr_target: f64,
    pub fpr_now: f64,
    pub fill: f64,
    pub probes: u32,
    pub layers: u32,
    pub stuck: u64,
    pub may_forget: u8,
    pub saturated: u8,
    pub overfull: u8,
    pub keyed: u8,
    pub can_hash: u8,
    pub has_rule: u8,
}

/// `anther_plan`, which grows in the same way.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[expect(missing_docs, reason = "the header documents them")]
pub struct Plan {
    pub size: usize,
    pub bits: u64,
    pub bits_sent: u64,
    pub fpr: f64,
    pub probes: u32,
}

/// The names of all kinds as C has them, in the order of [`Kind::ALL`].
const NAMES: &[&CStr] = &[
    c"classic",
    c"blocked",
    c"split",
    c"counting",
    c"dleft",
    c"variable-increment",
    c"deletable",
    c"compressed",
    c"scalable",
    c"aging",
    c"stable",
    c"weighted",
    c"spectral",
    c"generalized",
    c"robust",
    c"floom",
    c"fuse",
    c"ribbon",
    c"cascade",
    c"bloomier",
    c"quotient",
    c"cuckoo",
];

/// The name of the kind with this number in the list of kinds.
pub(crate) fn kind_name(index: usize) -> Option<&'static CStr> {
    NAMES.get(index).copied()
}

pub(crate) fn kind(name: &str) -> Result<Kind, Failure> {
    name.parse().map_err(|error| Failure::argument(format_args!("kind {error}")))
}

pub(crate) fn plan(kind: Kind, items: u64, fpr: f64, settings: &Settings) -> Result<Plan, Failure> {
    let plan = kind.plan(Target::new(items, fpr)?, &settings.options)?;
    Ok(Plan {
        size: size_of::<Plan>(),
        bits: plan.bits,
        bits_sent: plan.bits_sent,
        fpr: plan.fpr,
        probes: plan.probes,
    })
}

/// How a filter is opened.
pub(crate) struct Opening {
    pub secret: Option<[u8; 16]>,
    /// Filters that cannot hash keys open, too.
    pub any: bool,
}

impl Opening {
    pub fn how(&self) -> Open {
        let open = if self.any { Open::new().without_hashing() } else { Open::new() };
        match self.secret {
            Some(key) => open.key(key),
            None => open,
        }
    }

    pub fn file(&self, path: &Path) -> Result<Filter, Failure> {
        let read = self.how().file(path).map_err(Failure::from);
        read.map(Filter::of).map_err(|failure| failure.about(path.display()))
    }

    pub fn bytes(&self, bytes: &[u8]) -> Result<Filter, Failure> {
        Ok(Filter::of(self.how().bytes(bytes)?))
    }
}

impl Filter {
    pub(crate) fn new(
        kind: Kind,
        items: u64,
        fpr: f64,
        secret: Option<[u8; 16]>,
        settings: &Settings,
    ) -> Result<Filter, Failure> {
        let seed = settings.seed(secret)?;
        let target = Target::new(items, fpr)?;
        let mut filter = AnyFilter::with_options(kind, target, &settings.options, seed)?;
        filter.set_recipe(settings.recipe());
        Ok(Filter::of(filter))
    }

    /// A filter of all these keys, of any kind.
    pub(crate) fn build<K: Key + Sync>(
        kind: Kind,
        keys: &[K],
        fpr: f64,
        secret: Option<[u8; 16]>,
        settings: &Settings,
        threads: Threads,
    ) -> Result<Filter, Failure> {
        let seed = settings.seed(secret)?;
        let target = Target::new((keys.len() as u64).max(1), fpr)?;
        // A filter of no keys, to hash by its rule.
        let mut empty = AnyFilter::new(Kind::Blocked, Target::new(1, 0.5)?, seed)?;
        empty.set_recipe(settings.recipe());
        let mut hashes = Filter::of(empty).hashes(keys, threads)?;
        let work = Work::new().threads(threads);
        let built = AnyFilter::build(kind, &mut hashes, target, &settings.options, seed, work);
        let mut filter = built?;
        filter.set_recipe(settings.recipe());
        Ok(Filter::of(filter))
    }

    pub(crate) fn of(any: AnyFilter) -> Filter {
        let keys = Keys::of(any.about());
        Filter { any, keys }
    }

    /// The hash of a key, by the rule if there is one.
    #[inline]
    pub(crate) fn hash(&self, key: impl Key) -> Result<KeyHash, Failure> {
        match &self.keys {
            Keys::Plain(seed) => Ok(key.key_hash(seed)),
            _ => self.hash_slowly(key),
        }
    }

    #[cold]
    #[inline(never)]
    fn hash_slowly(&self, key: impl Key) -> Result<KeyHash, Failure> {
        self.keys.check()?;
        Ok(self.any.key_hash(key)?)
    }

    /// Whether the key may be in the set.
    #[inline]
    pub(crate) fn contains(&self, key: impl Key) -> Result<bool, Failure> {
        match &self.keys {
            Keys::Plain(seed) => Ok(self.any.contains_hash(key.key_hash(seed))),
            _ => self.contains_slowly(key),
        }
    }

    #[cold]
    #[inline(never)]
    fn contains_slowly(&self, key: impl Key) -> Result<bool, Failure> {
        self.keys.check()?;
        Ok(self.any.contains(key)?)
    }

    /// Inserts a key. True if it is certainly new.
    #[inline]
    pub(crate) fn insert(&mut self, key: impl Key) -> Result<bool, Failure> {
        match &self.keys {
            Keys::Plain(seed) => Ok(self.any.insert_hash(key.key_hash(seed))?),
            _ => self.insert_slowly(key),
        }
    }

    #[cold]
    #[inline(never)]
    fn insert_slowly(&mut self, key: impl Key) -> Result<bool, Failure> {
        self.keys.check()?;
        Ok(self.any.insert(key)?)
    }

    /// Removes a key. False if it was certainly absent.
    pub(crate) fn remove(&mut self, key: impl Key) -> Result<bool, Failure> {
        self.keys.check()?;
        Ok(self.any.remove(key)?)
    }

    /// Whether each of the keys may be in the set. If a key is refused, the answers mean nothing.
    pub(crate) fn contains_many<K: Key + Sync>(
        &self,
        keys: &[K],
        found: &mut [bool],
        threads: Threads,
    ) -> Result<(), Failure> {
        self.keys.check()?;
        if self.any.about().reach().is_below() {
            return in_chunks(found, threads, |rows, found| {
                for (row, found) in rows.zip(found) {
                    *found = self.contains(&keys[row]).map_err(|failure| of_key(failure, row))?;
                }
                Ok(())
            });
        }
        let hash = |rows: Range<usize>, hashes: &mut [KeyHash]| self.hash_rows(keys, rows, hashes);
        self.any.contains_blocks(found, hash, threads)
    }

    pub(crate) fn contains_hashes(&self, keys: &[KeyHash], found: &mut [bool], threads: Threads) {
        let copy = |rows: Range<usize>, hashes: &mut [KeyHash]| {
            hashes.copy_from_slice(&keys[rows]);
            Ok::<(), Infallible>(())
        };
        let Ok(()) = self.any.contains_blocks(found, copy, threads);
    }

    /// Inserts keys, in any order. A key that is refused changes nothing.
    pub(crate) fn insert_many<K: Key + Sync>(
        &mut self,
        keys: &[K],
        threads: Threads,
    ) -> Result<(), Failure> {
        self.keys.check()?;
        if let Keys::Plain(seed) = self.keys {
            let hash = |rows: Range<usize>, hashes: &mut [KeyHash]| {
                for (slot, key) in hashes.iter_mut().zip(ahead(keys, rows)) {
                    *slot = key.key_hash(&seed);
                }
            };
            return Ok(self.any.bulk_insert_blocks(keys.len(), &hash, threads)?);
        }
        let hashes = self.hashes(keys, threads)?;
        if self.any.about().reach().is_below() {
            self.any.insert_keys(keys)?;
            return Ok(());
        }
        Ok(self.any.bulk_insert_hashes(&hashes, threads)?)
    }

    #[inline]
    fn hash_rows<K: Key>(
        &self,
        keys: &[K],
        rows: Range<usize>,
        hashes: &mut [KeyHash],
    ) -> Result<(), Failure> {
        let first = rows.start;
        for (at, (slot, key)) in hashes.iter_mut().zip(ahead(keys, rows)).enumerate() {
            *slot = self.hash(key).map_err(|failure| of_key(failure, first + at))?;
        }
        Ok(())
    }

    fn hashes<K: Key + Sync>(&self, keys: &[K], threads: Threads) -> Result<Vec<KeyHash>, Failure> {
        self.keys.check()?;
        let mut hashes = Vec::new();
        let bytes = keys.len() as u64 * 8;
        hashes.try_reserve_exact(keys.len()).map_err(|_| OutOfMemory { bytes })?;
        hashes.resize(keys.len(), KeyHash(0));
        in_chunks(&mut hashes, threads, |rows, hashes| self.hash_rows(keys, rows, hashes))?;
        Ok(hashes)
    }

    /// Inserts all keys of another filter, or of itself.
    pub(crate) fn merge(&mut self, other: Option<&Filter>) -> Result<(), Failure> {
        match other {
            Some(other) => Ok(self.any.merge(&other.any)?),
            None if self.any.kind().capabilities().merge => Ok(()),
            None => Err(Mismatch::Unsupported { kind: self.any.kind() }.into()),
        }
    }

    /// Saves to a file. One that others are changing is left alone: what they insert would be lost.
    pub(crate) fn save(&self, path: &Path) -> Result<(), Failure> {
        // What is no regular file cannot be saved to, and opening a pipe to lock it would block.
        if !path.metadata().is_ok_and(|there| there.is_file()) {
            return Ok(Save::new().file(&self.any, path)?);
        }
        match Lock::try_exclusive(path) {
            Ok(Some(lock)) => Ok(Save::new().locked(&self.any, &lock)?),
            Ok(None) => Err(Failure::new(Status::Io, "is being changed by another process")),
            // It has just gone, or its file system has no locks: then nobody can share it either.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Unsupported) => {
                Ok(Save::new().file(&self.any, path)?)
            }
            Err(error) => {
                Err(Failure::new(Status::Io, format_args!("cannot lock it to replace it: {error}")))
            }
        }
    }

    /// The bytes of its file.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, Failure> {
        let mut out = Careful(Vec::new());
        self.any.write_to(&mut out).map_err(|error| match error {
            SaveError::Io(error) if error.kind() == ErrorKind::OutOfMemory => {
                Failure::new(Status::Memory, "out of memory for the bytes of the filter")
            }
            other => other.into(),
        })?;
        Ok(out.0)
    }

    /// The filter in numbers.
    pub(crate) fn info(&self) -> Info {
        let profile = self.any.profile();
        let number = Kind::ALL.iter().position(|kind| *kind == profile.kind);
        let name = number.and_then(kind_name).unwrap_or_default();
        Info {
            size: size_of::<Info>(),
            kind: name.as_ptr(),
            items: profile.keys().map_or(u64::MAX, anther::units::whole),
            items_error: profile.items.map_or(f64::NAN, |items| items.deviation),
            items_target: profile.target.map_or(u64::MAX, |target| target.items()),
            inserted: profile.inserted,
            bits: profile.bits,
            bits_sent: profile.bits_sent,
            bits_per_key: profile.bits_per_key().unwrap_or(f64::NAN),
            fpr_target: profile.target.map_or(f64::NAN, |target| target.fpr()),
            fpr_now: profile.fpr_now,
            fill: profile.fill,
            probes: profile.probes,
            layers: profile.layers,
            stuck: profile.stuck,
            may_forget: profile.may_forget().into(),
            saturated: profile.holds_at_least().into(),
            overfull: profile.is_overfull().into(),
            keyed: matches!(profile.seed.kind(), SeedKind::Keyed { .. }).into(),
            can_hash: profile.seed.can_hash().into(),
            has_rule: self.any.about().rule().is_some().into(),
        }
    }
}

/// Bytes in memory. Out of memory, writing fails; `Vec` alone would abort.
struct Careful(Vec<u8>);

impl Write for Careful {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_reserve(bytes.len()).map_err(|_| ErrorKind::OutOfMemory)?;
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Fewer keys than this are not worth a thread: it takes 20 µs to start.
const LEAST_CHUNK: usize = 1 << 14;

#[cold]
fn cannot_hash(seed: SeedKind) -> Failure {
    let text = match seed {
        SeedKind::Keyed { .. } => "the filter was opened without its secret key; open it with it",
        _ => "the filter was built from external hashes; use the functions that end in _hash",
    };
    Failure::new(Status::Secret, text)
}

/// A failure with the number of its key.
#[cold]
pub(crate) fn of_key(failure: Failure, number: usize) -> Failure {
    failure.about(format_args!("key {number}"))
}

/// 0 is one thread per core. Counting those reads files of the system, which takes as long as some
/// thousand lookups, so it is not done for fewer keys.
pub(crate) fn threads(number: u32, keys: usize) -> Threads {
    match usize::try_from(number) {
        _ if keys < 2 * LEAST_CHUNK => Threads::ONE,
        Ok(0) | Err(_) => Threads::all(),
        Ok(number) => Threads::new(number),
    }
}

/// Keys of these rows. The bytes of later ones are prefetched, as the library's batches do.
fn ahead<K: Key>(keys: &[K], rows: Range<usize>) -> impl Iterator<Item = &K> {
    const AHEAD: usize = 32;
    rows.map(move |at| {
        if let Some(later) = keys.get(at + AHEAD) {
            later.prefetch();
        }
        &keys[at]
    })
}

/// Does the work for ranges of rows and their results, on several threads. This one works, too: if
/// no other can be started, it does everything.
pub(crate) fn in_chunks<T: Send>(
    results: &mut [T],
    threads: Threads,
    work: impl Fn(Range<usize>, &mut [T]) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let most = (results.len() / LEAST_CHUNK).max(1);
    let threads = threads.get().min(most);
    let chunk = results.len().div_ceil(threads).max(1);
    let jobs = Mutex::new(results.chunks_mut(chunk).enumerate());
    // A function of its own, so that the lock is released before the work begins.
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || -> Result<(), (usize, Failure)> {
        while let Some((number, results)) = next() {
            let first = number * chunk;
            work(first..first + results.len(), results).map_err(|failure| (number, failure))?;
        }
        Ok(())
    };
    let failed = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let workers: Vec<_> = (1..threads).map_while(start).collect();
        let here = run();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        // Chunks are handed out in order, so the first failure is the same on any number of threads.
        let failed = workers.into_iter().map(join).chain([here]).filter_map(Result::err);
        failed.min_by_key(|(number, _)| *number)
    });
    failed.map_or(Ok(()), |(_, failure)| Err(failure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_library() {
        assert_eq!(NAMES.len(), Kind::ALL.len());
        for (name, kind) in NAMES.iter().zip(Kind::ALL) {
            assert_eq!(name.to_str(), Ok(kind.name()));
        }
    }

    #[test]
    fn chunks_cover_every_key_on_any_number_of_threads() {
        for number in 1..=7 {
            let mut doubled = vec![0; 100_003];
            let work = |rows: Range<usize>, results: &mut [usize]| {
                for (result, row) in results.iter_mut().zip(rows) {
                    *result = row * 2;
                }
                Ok(())
            };
            in_chunks(&mut doubled, Threads::new(number), work).unwrap();
            assert!(doubled.iter().enumerate().all(|(row, result)| *result == row * 2));
        }
    }

    #[test]
    fn all_chunks_are_worked_on_at_once() {
        const THREADS: usize = 4;
        let (begun, changed) = (Mutex::new(0), std::sync::Condvar::new());
        let work = |_: Range<usize>, _: &mut [u8]| {
            let mut count = begun.lock().unwrap();
            *count += 1;
            changed.notify_all();
            let limit = std::time::Duration::from_secs(60);
            let waited = changed.wait_timeout_while(count, limit, |count| *count < THREADS);
            assert!(!waited.unwrap().1.timed_out(), "a chunk waited for another");
            Ok(())
        };
        in_chunks(&mut [0; THREADS * LEAST_CHUNK], Threads::new(THREADS), work).unwrap();
    }

    #[test]
    fn the_first_refused_key_is_named() {
        let filter = {
            let settings = Settings::parse("as=domain").unwrap();
            Filter::new(Kind::Blocked, 10, 0.01, None, &settings).unwrap()
        };
        let keys: Vec<&str> =
            (0..200_000).map(|row| if row % 50_000 == 49_999 { "a b" } else { "a.b" }).collect();
        for number in 1..=5 {
            let threads = Threads::new(number);
            let mut found = vec![false; keys.len()];
            let failures = [
                filter.hashes(&keys, threads).unwrap_err(),
                filter.contains_many(&keys, &mut found, threads).unwrap_err(),
            ];
            for failure in failures {
                assert!(failure.text.starts_with("key 49999: "), "{}", failure.text);
            }
        }
    }
}
