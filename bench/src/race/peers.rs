//! The peers, each as its own documentation calls it: made by its own constructor for the number
//! of keys and the rate, with its own default hash unless its name says another.
//!
//! | peer | what it was given |
//! |---|---|
//! | fastbloom (foldhash) | `foldhash::fast::FixedState`, as its documentation advises for speed |
//! | fastbloom (our hash) | our hashes, by its calls for hashes |
//! | sbbf-rs | our hash, since it takes hashes; and as many bits as our `split`, since it takes bits |
//! | sbbf-rs (foldhash) | the hashes of `foldhash::fast::FixedState`; strings only |
//! | xorf | the integers themselves, which it mixes whatever they are: it has no second row |
//! | cuckoofilter | a sixteenth more room than keys: it takes a power of two, and is lost above 95 % |
//! | cuckoofilter (our hash) | the same, and our hash for keys and for its fingerprints |
//! | qfilter (our hash) | our hashes, by its calls for fingerprints |
//!
//! bloomfilter and growable-bloom-filter take neither a hash nor a hasher.

use super::contender::{Ask, Contender, Many, Take};
use super::hasher::OurHasher;
use super::keys::{Family, Integers, Strings};
use super::ours;
use bloomfilter::Bloom;
use cuckoofilter::CuckooFilter;
use fastbloom::{AtomicBloomFilter, BloomFilter};
use foldhash::fast::FixedState;
use growable_bloom_filter::GrowableBloom;
use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasher, Hasher};
use xorf::{BinaryFuse8, BinaryFuse16, Filter};

/// The peer that most goals name.
pub const FOLDED: &str = "fastbloom (foldhash)";
/// The peer with the same kind of lines.
pub const SBBF: &str = "sbbf-rs";
/// The static peer.
pub const XORF: &str = "xorf BinaryFuse8";
/// The peer whose keys can be removed.
pub const CUCKOOFILTER: &str = "cuckoofilter";
/// The peer for many threads.
pub const ATOMIC: &str = "fastbloom atomic (foldhash)";

/// Where the slowest peers and second rows end: each would take another minute at 10⁸ keys.
pub const SHORT_OF_TIME: u64 = 10_000_000;

/// Those that take every family of keys.
pub fn all<F: Family>() -> Vec<Contender<F>> {
    vec![
        Contender::empty("fastbloom (default)", |n, rate| {
            Box::new(Fast(BloomFilter::with_false_pos(rate).expected_items(n as usize)))
        })
        .slow(),
        Contender::empty(FOLDED, |n, rate| Box::new(fastbloom(n, rate))),
        Contender::empty("fastbloom (our hash)", |n, rate| Box::new(Hashed(fastbloom(n, rate).0)))
            .with_our_hash(),
        Contender::empty(SBBF, |n, rate| Box::new(Hashed(sbbf(n, rate)))).with_our_hash(),
        Contender::empty(CUCKOOFILTER, |n, _| Box::new(cuckoo::<DefaultHasher>(n)))
            .only(0.01)
            .slow(),
        Contender::empty("cuckoofilter (our hash)", |n, _| Box::new(cuckoo::<OurHasher>(n)))
            .only(0.01)
            .with_our_hash()
            .most(SHORT_OF_TIME, "time"),
        Contender::empty("qfilter", |n, rate| Box::new(Quotient(quotient(n, rate)))),
        Contender::empty("qfilter (our hash)", |n, rate| Box::new(Hashed(quotient(n, rate))))
            .with_our_hash()
            .most(SHORT_OF_TIME, "time"),
        Contender::empty("growable-bloom-filter", |n, rate| {
            Box::new(Growable(GrowableBloom::new(rate, n as usize)))
        })
        .most(SHORT_OF_TIME, "time"),
    ]
}

/// Those of integers alone, and those whose type depends on the key's.
pub fn integers() -> Vec<Contender<Integers>> {
    vec![
        Contender::empty("bloomfilter", |n, rate| Box::new(bloom::<u64>(n, rate)))
            .most(SHORT_OF_TIME, "time"),
        Contender::whole(XORF, |keys, _| Box::new(xorf8(keys))).only(0.01),
        Contender::whole("xorf BinaryFuse16", |keys, _| {
            Box::new(Fuse(BinaryFuse16::try_from(keys).expect("distinct keys are solved")))
        })
        .only(0.001),
    ]
}

/// Those whose type depends on the key's.
pub fn strings() -> Vec<Contender<Strings>> {
    vec![
        Contender::empty("sbbf-rs (foldhash)", |n, rate| Box::new(Folded(sbbf(n, rate)))),
        Contender::empty("bloomfilter", |n, rate| Box::new(bloom::<str>(n, rate)))
            .most(SHORT_OF_TIME, "time"),
    ]
}

fn fastbloom(items: u64, rate: f64) -> Fast<FixedState> {
    let builder = BloomFilter::with_false_pos(rate).hasher(FixedState::default());
    Fast(builder.expected_items(items as usize))
}

/// As large as our `split`.
fn sbbf(items: u64, rate: f64) -> sbbf_rs_safe::Filter {
    sbbf_rs_safe::Filter::new(1, ours::split_bits(items, rate) as usize)
}

fn cuckoo<H: Hasher + Default>(items: u64) -> Cuckoo<H> {
    Cuckoo(CuckooFilter::with_capacity((items + items / 16) as usize))
}

fn quotient(items: u64, rate: f64) -> qfilter::Filter {
    qfilter::Filter::new(items, rate).expect("a possible target")
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

/// A peer's calls for hashes.
trait Hashes: Send + Sync {
    fn has_hash(&self, hash: u64) -> bool;
    fn put_hash(&mut self, hash: u64);
}

impl<S: Send + Sync + BuildHasher> Hashes for BloomFilter<S> {
    #[inline]
    fn has_hash(&self, hash: u64) -> bool {
        self.contains_hash(hash)
    }

    #[inline]
    fn put_hash(&mut self, hash: u64) {
        self.insert_hash(hash);
    }
}

impl Hashes for sbbf_rs_safe::Filter {
    #[inline]
    fn has_hash(&self, hash: u64) -> bool {
        self.contains_hash(hash)
    }

    #[inline]
    fn put_hash(&mut self, hash: u64) {
        self.insert_hash(hash);
    }
}

impl Hashes for qfilter::Filter {
    #[inline]
    fn has_hash(&self, hash: u64) -> bool {
        self.contains_fingerprint(hash)
    }

    #[inline]
    fn put_hash(&mut self, hash: u64) {
        assert!(self.insert_fingerprint(false, hash).is_ok(), "qfilter has room");
    }
}

/// A peer that is given our hashes.
struct Hashed<T>(T);

impl<F: Family, T: Hashes> Ask<F> for Hashed<T> {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.has_hash(ours::hash(key))
    }
}

impl<F: Family, T: Hashes> Take<F> for Hashed<T> {
    fn put(&mut self, keys: &[F::Key<'_>]) {
        for key in keys {
            self.0.put_hash(ours::hash(*key));
        }
    }
}

/// A peer that is given foldhash's hashes.
struct Folded<T>(T);

impl<F: Family, T: Hashes> Ask<F> for Folded<T> {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.has_hash(FixedState::default().hash_one(key))
    }
}

impl<F: Family, T: Hashes> Take<F> for Folded<T> {
    fn put(&mut self, keys: &[F::Key<'_>]) {
        for key in keys {
            self.0.put_hash(FixedState::default().hash_one(key));
        }
    }
}

struct Cuckoo<H>(CuckooFilter<H>);

impl<F: Family, H: Hasher + Default + Send + Sync> Ask<F> for Cuckoo<H> {
    #[inline]
    fn has(&self, key: F::Key<'_>) -> bool {
        self.0.contains(&key)
    }
}

impl<F: Family, H: Hasher + Default + Send + Sync> Take<F> for Cuckoo<H> {
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

/// The peer's filter that many threads fill and query.
pub fn atomic(items: u64, rate: f64) -> Box<dyn Many> {
    let builder = AtomicBloomFilter::with_false_pos(rate).hasher(FixedState::default());
    Box::new(builder.expected_items(items as usize))
}

impl Many for AtomicBloomFilter<FixedState> {
    fn put(&self, keys: &[u64]) {
        for key in keys {
            self.insert(key);
        }
    }

    fn count(&self, keys: &[u64]) -> usize {
        keys.iter().filter(|key| self.contains(*key)).count()
    }
}

/// A filter of all keys, inserted one by one: the peer for a build on one thread.
pub fn folded(keys: &[u64], rate: f64) -> Box<dyn Ask<Integers>> {
    let mut filter = fastbloom(keys.len() as u64, rate);
    Take::<Integers>::put(&mut filter, keys);
    Box::new(filter)
}
