//! Keys that are read as often as a build needs them, and how it may use the machine.

use super::threads::Threads;
use crate::error::BuildError;
use crate::parts::hash::{KeyHash, fold};

/// What goes into shards: a hash, alone or with a value. It is sorted by the hash first.
pub trait Hashed: Copy + Ord + Send + Sync {
    /// The hash.
    fn hash(&self) -> KeyHash;
    /// 64 bits of all that there is, so mixed that the sum of many tells them from any others.
    fn digest(&self) -> u64;
}

impl Hashed for KeyHash {
    #[inline]
    fn hash(&self) -> KeyHash {
        *self
    }

    /// Folded once, not mixed as by [`KeyHash::again`], which takes half as long again. Among small
    /// numbers, as hashes from elsewhere may be, no two sums of three agreed in two million.
    #[inline]
    fn digest(&self) -> u64 {
        let x = self.0 ^ SPREAD;
        fold(x, x.rotate_left(29))
    }
}

impl Hashed for (KeyHash, u64) {
    #[inline]
    fn hash(&self) -> KeyHash {
        self.0
    }

    #[inline]
    fn digest(&self) -> u64 {
        KeyHash(self.0.0 ^ self.1.wrapping_mul(SPREAD)).digest()
    }
}

/// An odd number of no pattern: the first fractional bits of pi.
const SPREAD: u64 = 0x243F_6A88_85A3_08D3;

/// Hashes that can be read several times: where they do not all fit in memory at once, they are
/// read again for each part of them.
///
/// So they must be the same each time. Keys that come, go or get another value in between would be
/// missing in a part that was solved before; that is
/// [`BuildError::Changed`]. Each reading is counted and summed up for that, which takes 1 ns per key,
/// and nothing where one reading is enough.
pub trait KeySource<T = KeyHash> {
    /// Passes on all hashes, in any order; they may repeat. Every call passes on the same hashes, each
    /// as often as before.
    fn each(&mut self, take: &mut dyn FnMut(&[T])) -> Result<(), BuildError>;

    /// Gives away all hashes at once, if they are in memory and not needed again. Called where one
    /// reading is enough; saves a copy.
    fn give(&mut self) -> Option<Vec<T>> {
        None
    }
}

/// Hashes that are given away: the row is empty afterwards, or as it was.
impl<T> KeySource<T> for Vec<T> {
    fn each(&mut self, take: &mut dyn FnMut(&[T])) -> Result<(), BuildError> {
        take(self);
        Ok(())
    }

    fn give(&mut self) -> Option<Vec<T>> {
        Some(std::mem::take(self))
    }
}

impl<T> KeySource<T> for &[T] {
    fn each(&mut self, take: &mut dyn FnMut(&[T])) -> Result<(), BuildError> {
        take(self);
        Ok(())
    }
}

/// A source from a function that gives an iterator, each time from the beginning.
#[derive(Clone, Copy, Debug)]
pub struct Again<F>(pub F);

impl<T, F: FnMut() -> I, I: IntoIterator<Item = T>> KeySource<T> for Again<F> {
    fn each(&mut self, take: &mut dyn FnMut(&[T])) -> Result<(), BuildError> {
        let mut buffer = Vec::with_capacity(BATCH);
        for key in (self.0)() {
            buffer.push(key);
            if buffer.len() == BATCH {
                take(&buffer);
                buffer.clear();
            }
        }
        take(&buffer);
        Ok(())
    }
}

const BATCH: usize = 4096;

/// How a build may use the machine. None of it changes what is built.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    threads: Threads,
    memory: u64,
    progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
}

impl Default for Work<'_> {
    fn default() -> Self {
        Work::new()
    }
}

impl std::fmt::Debug for Work<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Work {{ threads: {}, memory: {} }}", self.threads.get(), self.memory)
    }
}

impl<'a> Work<'a> {
    /// All cores, and as much memory as the hashes take.
    pub fn new() -> Work<'a> {
        Work { threads: Threads::all(), memory: u64::MAX, progress: None }
    }

    /// The number of threads.
    pub fn threads(self, threads: Threads) -> Work<'a> {
        Work { threads, ..self }
    }

    pub(crate) fn cores(&self) -> Threads {
        self.threads
    }

    pub(crate) fn most_memory(&self) -> u64 {
        self.memory
    }

    pub(crate) fn teller(&self) -> Option<&'a (dyn Fn(u64, u64) + Sync)> {
        self.progress
    }

    /// The most memory for hashes, in bytes, but at least one shard per thread. Less memory means
    /// more passes over the keys.
    pub fn memory(self, bytes: u64) -> Work<'a> {
        Work { memory: bytes, ..self }
    }

    /// Called with the number of finished shards and of all shards, from many threads.
    pub fn progress(self, tell: &'a (dyn Fn(u64, u64) + Sync)) -> Work<'a> {
        Work { progress: Some(tell), ..self }
    }

    /// The same without progress: for what comes after the keys' own shards.
    pub(crate) fn quiet(self) -> Work<'a> {
        Work { progress: None, ..self }
    }
}
