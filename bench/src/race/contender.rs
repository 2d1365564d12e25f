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

    /// How many of the keys are found, asked by [`BATCH`] at a time. Nothing where there is no call
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

/// Something that takes keys one by one.
pub trait Take<F: Family>: Ask<F> {
    /// Puts the keys in, none of which it may refuse.
    fn put(&mut self, keys: &[F::Key<'_>]);
}

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

/// One of those who take part.
pub struct Contender<F: Family> {
    /// In tables and records.
    pub name: &'static str,
    /// How it is made.
    pub make: Make<F>,
    /// The one rate whose table it stands in, for those that cannot be asked for a rate.
    pub only: Option<f64>,
    /// The most keys for which its memory is to be had here.
    pub most: u64,
    /// Whether 10⁸ keys take so long to build that once, at 1 %, is enough.
    pub slow: bool,
}

impl<F: Family> Contender<F> {
    /// Made empty, for any rate.
    pub fn empty(name: &'static str, make: Empty<F>) -> Contender<F> {
        Contender { name, make: Make::Empty(make), only: None, most: u64::MAX, slow: false }
    }

    /// Made from all keys, for any rate.
    pub fn whole(name: &'static str, make: Whole<F>) -> Contender<F> {
        Contender { name, make: Make::Whole(make), only: None, most: u64::MAX, slow: false }
    }

    /// Has a rate of its own, which is nearest to this one.
    pub fn only(self, rate: f64) -> Contender<F> {
        Contender { only: Some(rate), ..self }
    }

    /// Not for more keys than these.
    pub fn most(self, most: u64) -> Contender<F> {
        Contender { most, ..self }
    }

    /// Takes half a minute for 10⁸ keys.
    pub fn slow(self) -> Contender<F> {
        Contender { slow: true, ..self }
    }

    /// Why it does not take part, if it does not.
    pub fn left_out(&self, items: u64, rate: f64) -> Option<&'static str> {
        if items > self.most {
            return Some("not run: memory");
        }
        let again = self.slow && items >= 100_000_000 && rate < 0.01;
        again.then_some("not run again: time; the table of 1 % has it")
    }
}
