//! Shared by the tests: random numbers, key shapes, bounds, and filters made of them.

use anther::format::Readable;
use anther::recipe::{Column, Format, Place, Quotes, Separator};
use anther::{
    AnyFilter, BuildError, Cascade, FileMap, Filter, Key, KeyHash, Kind, LoadError, Open, Options,
    Seed, Target, Work,
};
use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Maps a file that its test does not change.
#[expect(unsafe_code, reason = "mapping a file is")]
pub fn map<C: Readable>(open: Open, path: &Path) -> Result<C, LoadError> {
    // SAFETY: the file is the test's own, and the test only ever replaces it by a rename.
    open.map(&unsafe { FileMap::open(path) }?)
}

/// A column as the recipes of the header have it: quotes mean something with a comma only.
pub fn column(column: Column, delimiter: u8, separator: Separator) -> Place {
    let quotes = if delimiter == b',' { Quotes::WithinLine } else { Quotes::None };
    let format = Format::Delimited { delimiter, quotes, separator };
    Place { format, columns: vec![column], header: false }
}

/// CSV columns by their names, which needs a section of its own in the file.
pub fn csv(names: &[&str]) -> Place {
    let format =
        Format::Delimited { delimiter: b',', quotes: Quotes::Csv, separator: Separator::Line };
    let columns = names.iter().map(|name| Column::Name(name.to_string())).collect();
    Place { format, columns, header: false }
}

/// Pseudorandom hashes from a fixed seed (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(mix(seed ^ 0xA076_1D64_78BD_642F))
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    pub fn hashes(&mut self, count: usize) -> Vec<KeyHash> {
        (0..count).map(|_| KeyHash(self.draw())).collect()
    }
}

/// The finalizer of SplitMix64: a bijection, so different numbers give different keys.
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Typical keys. Each shape has 2³² different keys to insert, and as many others to look up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// 0, 1, 2, … are inserted; the next ones are looked up.
    Sequential,
    /// Even numbers are inserted, odd ones looked up.
    EvenOdd,
    /// 64 equal bytes before each.
    Prefixed,
    /// Decimal text.
    Decimal,
    /// Four bytes, from 10.0.0.0 on.
    Ipv4,
    /// Sixteen bytes: milliseconds, a version, and random bits.
    UuidV7,
    /// Sixteen random bytes.
    Random,
    /// One bit of entropy per byte, so 8 bits in every 64.
    LowEntropy,
}

impl Keys {
    pub const ALL: [Keys; 8] = [
        Keys::Sequential,
        Keys::EvenOdd,
        Keys::Prefixed,
        Keys::Decimal,
        Keys::Ipv4,
        Keys::UuidV7,
        Keys::Random,
        Keys::LowEntropy,
    ];

    /// The hash of the i-th key of a set of n.
    #[inline]
    pub fn present(self, i: u64, n: u64, seed: &Seed) -> KeyHash {
        debug_assert!(i < n);
        match self {
            Keys::EvenOdd => (2 * i).key_hash(seed),
            _ => self.nth(i, seed),
        }
    }

    /// The hash of the i-th key outside a set of n.
    #[inline]
    pub fn absent(self, i: u64, n: u64, seed: &Seed) -> KeyHash {
        match self {
            Keys::EvenOdd => (2 * i + 1).key_hash(seed),
            _ => self.nth(n + i, seed),
        }
    }

    fn nth(self, i: u64, seed: &Seed) -> KeyHash {
        debug_assert!(i < 1 << 32);
        match self {
            Keys::Sequential | Keys::EvenOdd => i.key_hash(seed),
            Keys::Prefixed => {
                let mut key = [b'/'; 72];
                key[64..].copy_from_slice(&i.to_le_bytes());
                key.key_hash(seed)
            }
            Keys::Decimal => {
                let mut digits = [0; 20];
                decimal(i, &mut digits).key_hash(seed)
            }
            Keys::Ipv4 => {
                let address = 0x0A00_0000u32.wrapping_add(i as u32);
                address.swap_bytes().to_le_bytes().key_hash(seed)
            }
            Keys::UuidV7 => {
                // Sixteen to a millisecond; six bytes of time, most significant first.
                let time = (0x0190_0000_0000 + i / 16).swap_bytes().to_le_bytes();
                let mut key = [0; 16];
                key[..6].copy_from_slice(&time[2..]);
                key[6..14].copy_from_slice(&mix(i).to_le_bytes());
                key[6] = 0x70 | key[6] & 0x0F;
                key[8] = 0x80 | key[8] & 0x3F;
                // Not random: the shape promises that all keys differ.
                key[14..].copy_from_slice(&(i as u16).to_le_bytes());
                key.key_hash(seed)
            }
            Keys::Random => {
                let key = u128::from(mix(i)) << 64 | u128::from(mix(i ^ 1 << 40));
                key.key_hash(seed)
            }
            Keys::LowEntropy => {
                let mut key = [b'a'; 32];
                for (bit, byte) in key.iter_mut().enumerate() {
                    *byte += (i >> bit & 1) as u8;
                }
                key.key_hash(seed)
            }
        }
    }
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Keys::Sequential => "sequential",
            Keys::EvenOdd => "even/odd",
            Keys::Prefixed => "prefixed",
            Keys::Decimal => "decimal",
            Keys::Ipv4 => "IPv4",
            Keys::UuidV7 => "UUIDv7",
            Keys::Random => "random",
            Keys::LowEntropy => "low entropy",
        })
    }
}

fn decimal(mut i: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (i % 10) as u8;
        i /= 10;
        if i == 0 {
            return &digits[at..];
        }
    }
}

/// How far a sum of this variance may be from its mean: chance exceeds it once in 65 million (e⁻¹⁸,
/// six sigmas of a normal variable). For few and rare hits the normal tail is too thin, so this is
/// Bernstein's inequality solved for the distance; for many hits it is 6σ.
pub fn six_sigma(variance: f64) -> f64 {
    6.0 + 6.0 * (1.0 + variance).sqrt()
}

/// Asserts that `hits` of `trials` match this rate, up to chance.
#[track_caller]
pub fn assert_rate(hits: u64, trials: u64, rate: f64, what: impl fmt::Display) {
    let (expected, bound) = (trials as f64 * rate, six_sigma(trials as f64 * rate * (1.0 - rate)));
    assert!(
        (hits as f64 - expected).abs() <= bound,
        "{what}: {hits} of {trials}, expected {expected:.0} ± {bound:.0}"
    );
}

/// The kinds that are nothing but a bit array, and whose rates are known to the last digit.
pub const PLAIN: [Kind; 4] = [Kind::Classic, Kind::Blocked, Kind::Split, Kind::Compressed];

/// The kinds without false negatives.
pub fn faithful() -> impl Iterator<Item = Kind> {
    Kind::ALL.iter().copied().filter(|kind| kind.capabilities().no_false_negatives)
}

/// Whether a kind accepts more keys than its capacity, at a rising rate.
pub fn overfills(kind: Kind) -> bool {
    let can = kind.capabilities();
    can.insert && !can.fills_up && !can.grow && can.no_false_negatives
}

/// How many of n keys a filter for this many items accepts.
pub fn room(kind: Kind, items: u64, n: u64) -> u64 {
    if kind.capabilities().fills_up { n.min(items) } else { n }
}

/// The number of items a filter must be made for to accept this many keys with this many copies.
/// Where keys are rejected, a copy may take the room of a key, and all copies need the same cells.
pub fn for_copies(kind: Kind, keys: u64, copies: u64) -> u64 {
    if kind.capabilities().fills_up { 2 * keys * copies } else { keys }
}

/// The kinds that insert keys one by one.
pub fn taking() -> impl Iterator<Item = Kind> {
    Kind::ALL.iter().copied().filter(|kind| kind.capabilities().insert)
}

/// An empty filter for a target.
pub fn empty(kind: Kind, items: u64, fpr: f64, seed: Seed) -> AnyFilter {
    filled(kind, items, fpr, seed, &[])
}

/// A filter for a target with these keys, inserted one by one where the kind can.
pub fn filled(kind: Kind, items: u64, fpr: f64, seed: Seed, keys: &[KeyHash]) -> AnyFilter {
    let (target, options) = (Target::new(items, fpr).unwrap(), Options::default());
    build(kind, keys, target, &options, seed, Work::new()).unwrap()
}

/// A filter of any kind, as [`AnyFilter::build`] makes it; a cascade never reports [`others`].
pub fn build(
    kind: Kind,
    mut keys: &[KeyHash],
    target: Target,
    options: &Options,
    seed: Seed,
    work: Work<'_>,
) -> Result<AnyFilter, BuildError> {
    if kind != Kind::Cascade {
        return AnyFilter::build(kind, &mut keys, target, options, seed, work);
    }
    let cascade = Cascade::build_lists(&mut keys, &mut others(), Some(target.fpr()), seed, work)?;
    assert!(others().iter().all(|key| !cascade.contains_hash(*key)), "a key of the other list");
    Ok(cascade.into())
}

/// The second list of the cascades here: few, so that their size is that of the plan without them.
pub fn others() -> Vec<KeyHash> {
    (0..20).map(|i| KeyHash(mix(mix(i) ^ 0x6F74_6865_7273))).collect()
}

pub fn put(filter: &mut AnyFilter, keys: &[KeyHash]) {
    let filter = filter.as_insert().expect("a kind that inserts keys");
    for key in keys {
        filter.insert_hash(*key).unwrap();
    }
}

/// How many of these keys the filter reports.
pub fn count_found(filter: &impl Filter, keys: impl IntoIterator<Item = KeyHash>) -> u64 {
    keys.into_iter().map(|key| u64::from(filter.contains_hash(key))).sum()
}

/// The filter as the bytes of its file.
pub fn bytes_of(filter: &AnyFilter) -> Vec<u8> {
    let mut bytes = Vec::new();
    filter.write_to(&mut bytes).unwrap();
    bytes
}

/// Runs all jobs on as many threads as there are cores and returns their results in order.
pub fn in_parallel<T: Sync, R: Send>(jobs: &[T], run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((at, job)) = Some(next.fetch_add(1, Ordering::Relaxed))
            .and_then(|at| jobs.get(at).map(|job| (at, job)))
        {
            done.push((at, run(job)));
        }
        done
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
