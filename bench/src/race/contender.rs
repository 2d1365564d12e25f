//! Who takes part: what is asked of a filter or set, whoever wrote it.
//!
//! A call through these traits is for a whole slice of keys, and each contender compiles its own
//! loop around its own inlined call; nothing of the benchmark stands between two keys.

use super::keys::Family;

/// How many keys a batch call is given at once.
pub const BATCH: usize = 1024;

/// Something that answers.
pub trait Ask<F: Family>: Send + Sync {
    /// Whether one key may be in the set.
    fn has(&self, key: F::Key<'_>) -> bool;

    /// How many of the keys are found, looked up one by one.
    fn count(&self, keys: &[F::Key<'_>]) -> usize {
        keys.iter().filter(|key| self.has(**key)).count()
    }

    /// How many of the keys are found, looked up [`BATCH`] at a time. `None` where there is no call
    /// for many keys.
    fn count_batches(&self, keys: &[F::Key<'_>]) -> Option<usize> {
        let _ = keys;
        None
    }

    /// Bits that it stores, where it knows better than the allocator: where it maps memory, or
    /// where the allocator was asked for more.
    fn bits(&self) -> Option<u64> {
        None
    }
}

/// Something that takes keys.
pub trait Take<F: Family>: Ask<F> {
    /// Inserts the keys one by one. It may reject none of them.
    fn put(&mut self, keys: &[F::Key<'_>]);

    /// Inserts the keys, [`BATCH`] at a time. `None` where there is no call for many keys.
    fn put_batches(&mut self, keys: &[F::Key<'_>]) -> Option<()> {
        let _ = keys;
        None
    }
}

/// Something that many threads fill and query at once.
pub trait Many: Send + Sync {
    /// Inserts the keys one by one.
    fn put(&self, keys: &[u64]);

    /// Inserts the keys, [`BATCH`] at a time. `None` where there is no call for many keys.
    fn put_batches(&self, keys: &[u64]) -> Option<()> {
        let _ = keys;
        None
    }

    /// How many of the keys are found, looked up one by one.
    fn count(&self, keys: &[u64]) -> usize;

    /// The same by [`BATCH`] at a time.
    fn count_batches(&self, keys: &[u64]) -> Option<usize> {
        let _ = keys;
        None
    }
}

/// Makes an empty one for many threads, for a number of keys and a rate.
pub type EmptyMany = fn(u64, f64) -> Box<dyn Many>;
/// Makes an empty one for a number of keys and a rate.
pub type Empty<F> = fn(u64, f64) -> Box<dyn Take<F>>;
/// Makes one of these keys at a rate.
pub type Whole<F> = for<'a, 'b> fn(&'a [<F as Family>::Key<'b>], f64) -> Box<dyn Ask<F>>;

/// How a contender is made for a number of keys and a rate.
pub enum Make<F: Family> {
    /// Empty, and filled.
    Empty(Empty<F>),
    /// From all keys at once.
    Whole(Whole<F>),
}

/// Whose hash a contender uses. Only those with ours are compared by stars: with another hash, the
/// hash is compared as well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HashOf {
    /// Ours.
    Ours,
    /// Its own, or none.
    #[default]
    Own,
}

/// One of those who take part.
pub struct Contender<F: Family> {
    /// In tables and records.
    pub name: &'static str,
    /// How it is made.
    pub make: Make<F>,
    /// Whose hash it uses.
    pub hash: HashOf,
    /// The one rate in whose table it is listed, for those that take no rate.
    pub only: Option<f64>,
    /// The most keys that it is made for, and why not for more.
    pub most: (u64, &'static str),
    /// Whether 10⁸ keys take so long to build that once, at 1 %, is enough.
    pub slow: bool,
}

impl<F: Family> Contender<F> {
    fn new(name: &'static str, make: Make<F>) -> Contender<F> {
        let (hash, most) = (HashOf::Own, (u64::MAX, ""));
        Contender { name, make, hash, only: None, most, slow: false }
    }

    /// Made empty, for any rate.
    pub fn empty(name: &'static str, make: Empty<F>) -> Contender<F> {
        Contender::new(name, Make::Empty(make))
    }

    /// Made from all keys, for any rate.
    pub fn whole(name: &'static str, make: Whole<F>) -> Contender<F> {
        Contender::new(name, Make::Whole(make))
    }

    /// Hashes as we do.
    pub fn with_our_hash(self) -> Contender<F> {
        Contender { hash: HashOf::Ours, ..self }
    }

    /// Has a fixed rate, nearest to this one.
    pub fn only(self, rate: f64) -> Contender<F> {
        Contender { only: Some(rate), ..self }
    }

    /// Not for more keys than these, since this is short.
    pub fn most(self, most: u64, short: &'static str) -> Contender<F> {
        Contender { most: (most, short), ..self }
    }

    /// Takes half a minute for 10⁸ keys.
    pub fn slow(self) -> Contender<F> {
        Contender { slow: true, ..self }
    }

    /// Why it does not take part, if it does not.
    pub fn left_out(&self, items: u64, rate: f64) -> Option<String> {
        let (most, short) = self.most;
        if items > most {
            return Some(format!("not run: {short}"));
        }
        let again = self.slow && items >= 100_000_000 && rate < 0.01;
        again.then(|| "not run again: time; the table of 1 % has it".to_string())
    }

    /// In which ways keys are inserted: one by one, in batches, or both. What is made from all keys
    /// takes them in one batch.
    pub fn ways(&self) -> &'static [&'static str] {
        match self.make {
            Make::Whole(_) => &["batch"],
            Make::Empty(make) if make(1000, 0.01).put_batches(&[]).is_some() => {
                &["single", "batch"]
            }
            Make::Empty(_) => &["single"],
        }
    }
}
