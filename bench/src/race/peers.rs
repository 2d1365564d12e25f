//! The peers, each as its own documentation calls it: made by its own constructor for the number
//! of keys and the rate, with its own default hash unless its name says another.
//!
//! | peer | what it was given |
//! |---|---|
//! | fastbloom (foldhash) | `foldhash::fast::FixedState`, as its documentation advises for speed |
//! | sbbf-rs | our hash, since it takes hashes; and as many bits as our `split`, since it takes bits |
//! | xorf | the integers themselves, which it hashes |
//! | cuckoofilter | a sixteenth more room than keys: it takes a power of two, and is lost above 95 % |

use super::contender::{Ask, Contender, Take};
use super::keys::{Family, Integers, Strings};
use super::ours;
use bloomfilter::Bloom;
use cuckoofilter::CuckooFilter;
use fastbloom::{AtomicBloomFilter, BloomFilter};
use foldhash::fast::FixedState;
use growable_bloom_filter::GrowableBloom;
use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasher;
use xorf::{BinaryFuse8, BinaryFuse16, Filter};

/// The peer that most goals name.
pub const FOLDED: &str = "fastbloom (foldhash)";
/// The peer with the same kind of lines.
pub const SPLIT: &str = "sbbf-rs";
/// The static peer.
pub const XORF: &str = "xorf BinaryFuse8";
/// The peer for many threads.
pub const ATOMIC: &str = "fastbloom atomic (foldhash)";

/// Those that take every family of keys.
pub fn all<F: Family>() -> Vec<Contender<F>> {
    vec![
        Contender::empty("fastbloom (default)", |n, rate| {
            Box::new(Fast(BloomFilter::with_false_pos(rate).expected_items(n as usize)))
        })
        .slow(),
        Contender::empty(FOLDED, |n, rate| {
            let hasher = FixedState::default();
            let builder = BloomFilter::with_false_pos(rate).hasher(hasher);
            Box::new(Fast(builder.expected_items(n as usize)))
        }),
        Contender::empty(SPLIT, |n, rate| {
            let bits = ours::split_bits(n, rate);
            Box::new(Sbbf(sbbf_rs_safe::Filter::new(1, bits as usize)))
        }),
        Contender::empty("cuckoofilter", |n, _| {
            Box::new(Cuckoo(CuckooFilter::with_capacity((n + n / 16) as usize)))
        })
        .only(0.01)
        .slow(),
        Contender::empty("qfilter", |n, rate| {
            Box::new(Quotient(qfilter::Filter::new(n, rate).expect("a possible target")))
        }),
        Contender::empty("growable-bloom-filter", |n, rate| {
            Box::new(Growable(GrowableBloom::new(rate, n as usize)))
        })
        .slow(),
    ]
}

/// Those of integers alone, and those whose type depends on the key's.
pub fn integers() -> Vec<Contender<Integers>> {
    vec![
        Contender::empty("bloomfilter", |n, rate| Box::new(bloom::<u64>(n, rate))).slow(),
        Contender::whole(XORF, |keys, _| Box::new(xorf8(keys))).only(0.01),
        Contender::whole("xorf BinaryFuse16", |keys, _| {
            Box::new(Fuse(BinaryFuse16::try_from(keys).expect("distinct keys are solved")))
        })
        .only(0.001),
    ]
}

/// Those whose type depends on the key's.
pub fn strings() -> Vec<Contender<Strings>> {
    vec![Contender::empty("bloomfilter", |n, rate| Box::new(bloom::<str>(n, rate))).slow()]
}

/// A solved filter of bytes.
pub fn xorf8(keys: &[u64]) -> impl Ask<Integers> + 'static {
    Fuse(BinaryFuse8::try_from(keys).expect("distinct keys are solved"))
}

struct Fast<S>(BloomFilter<S>);

impl<F: Family, S: BuildHasher + Send + Sync> Ask<F> for Fast<S> {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.contains(&key)
    }
}

impl<F: Family, S: BuildHasher + Send + Sync> Take<F> for Fast<S> {
    fn put(&mut self, keys: &[F::Key<'_>]) {
        for key in keys {
            self.0.insert(key);
        }
    }
}

struct Sbbf(sbbf_rs_safe::Filter);

impl<F: Family> Ask<F> for Sbbf {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.contains_hash(ours::hash(key))
    }
}

impl<F: Family> Take<F> for Sbbf {
    fn put(&mut self, keys: &[F::Key<'_>]) {
        for key in keys {
            self.0.insert_hash(ours::hash(*key));
        }
    }
}

struct Cuckoo(CuckooFilter<DefaultHasher>);

impl<F: Family> Ask<F> for Cuckoo {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.contains(&key)
    }
}

impl<F: Family> Take<F> for Cuckoo {
    fn put(&mut self, keys: &[F::Key<'_>]) {
        for key in keys {
            assert!(self.0.add(key).is_ok(), "cuckoofilter has room");
        }
    }
}

struct Quotient(qfilter::Filter);

impl<F: Family> Ask<F> for Quotient {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.contains(key)
    }
}

impl<F: Family> Take<F> for Quotient {
    fn put(&mut self, keys: &[F::Key<'_>]) {
        for key in keys {
            assert!(self.0.insert(*key).is_ok(), "qfilter has room");
        }
    }
}

struct Growable(GrowableBloom);

impl<F: Family> Ask<F> for Growable {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.contains(key)
    }
}

impl<F: Family> Take<F> for Growable {
    fn put(&mut self, keys: &[F::Key<'_>]) {
        for key in keys {
            self.0.insert(*key);
        }
    }
}

/// A fixed seed, so that the rate is the same in every run. Its halves must differ: they seed the two
/// hashes, and with equal ones the rate is four times as high.
fn bloom<T: ?Sized>(items: u64, rate: f64) -> Bloom<T> {
    let seed: [u8; 32] = std::array::from_fn(|at| at as u8);
    Bloom::new_for_fp_rate_with_seed(items as usize, rate, &seed).expect("a possible target")
}

impl Ask<Integers> for Bloom<u64> {
    #[inline]
    fn has(&self, key: u64) -> bool {
        self.check(&key)
    }
}

impl Take<Integers> for Bloom<u64> {
    fn put(&mut self, keys: &[u64]) {
        for key in keys {
            self.set(key);
        }
    }
}

impl Ask<Strings> for Bloom<str> {
    #[inline]
    fn has(&self, key: &str) -> bool {
        self.check(key)
    }
}

impl Take<Strings> for Bloom<str> {
    fn put(&mut self, keys: &[&str]) {
        for key in keys {
            self.set(key);
        }
    }
}

struct Fuse<T>(T);

impl<T: Filter<u64> + Send + Sync> Ask<Integers> for Fuse<T> {
    #[inline]
    fn has(&self, key: u64) -> bool {
        self.0.contains(&key)
    }
}

/// The peer's filter that many threads fill and ask.
pub struct Many(AtomicBloomFilter<FixedState>);

impl Many {
    /// Empty.
    pub fn new(items: u64, rate: f64) -> Many {
        let builder = AtomicBloomFilter::with_false_pos(rate).hasher(FixedState::default());
        Many(builder.expected_items(items as usize))
    }

    /// Puts keys in, while others do the same.
    pub fn put(&self, keys: &[u64]) {
        for key in keys {
            self.0.insert(key);
        }
    }

    /// How many are found.
    pub fn count(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|key| self.0.contains(*key)).count()
    }
}
