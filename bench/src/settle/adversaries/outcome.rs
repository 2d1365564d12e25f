//! What chosen keys do to a filter whose seed the attacker knows, and to filters with secret keys,
//! where the attacker hashes with another one.

use super::attack::{build, candidates, clustered as clustered_keys, crowding, forged};
use super::attack::{polluting, shape, unsolvable};
use crate::random::Random;
use crate::statistics::median;
use anther::{AnyFilter, BuildError, Filter, Kind, Seed};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// Or why not.
pub type Measured<T> = Result<T, Box<dyn Error>>;

/// The key with which the attacker hashes where the filter's is secret.
pub const GUESS: Seed = Seed::keyed([0; 16]);

/// Where absent keys begin, beyond those of the attacker.
pub const ABSENT: u64 = 1 << 41;

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Size {
    /// Keys of a filter.
    pub items: u64,
    /// Filters with a secret key.
    pub secrets: usize,
    /// Lookups of absent keys in each.
    pub queries: u64,
    /// Keys that the attacker looks up.
    pub forged: usize,
    /// Those of them that the attacker removes.
    pub removals: usize,
    /// Candidates per inserted key.
    pub pool: usize,
}

impl Size {
    /// For SECURITY.md.
    pub const FULL: Size = Size {
        items: 10_000,
        secrets: 10,
        queries: 200_000,
        forged: 1000,
        removals: 100,
        pool: 30,
    };
}

/// Whether inserts or builds fail.
#[derive(Debug)]
pub enum Blocked {
    /// The kind takes every key.
    Never,
    /// A filter that holds nothing else rejects a key.
    Rejects {
        /// Chosen keys inserted before.
        after: usize,
        /// Candidates hashed for them.
        tried: u64,
        /// Filters with secret keys that reject one of the same keys.
        keyed: usize,
        /// Filters with secret keys.
        secrets: usize,
    },
    /// No filter of these keys can be built.
    Unsolved {
        /// How many of the keys are chosen.
        chosen: usize,
        /// Filters with secret keys that could not be built of the same keys.
        keyed: usize,
        /// Filters with secret keys.
        secrets: usize,
    },
}

/// Positive lookups.
#[derive(Clone, Copy, Debug, Default)]
pub struct Positives {
    pub found: u64,
    pub of: u64,
}

impl Positives {
    /// 0 without lookups.
    pub fn share(self) -> f64 {
        self.found as f64 / self.of.max(1) as f64
    }

    fn add(&mut self, filter: &AnyFilter, keys: impl IntoIterator<Item = u64>) -> Measured<()> {
        for key in keys {
            self.of += 1;
            self.found += u64::from(filter.contains(key)?);
        }
        Ok(())
    }
}

/// What came of all attacks on a kind. Of two, the first is with the fixed seed, the second the mean
/// over secret keys.
#[derive(Debug)]
pub struct Outcome {
    /// Absent keys in filters of honest keys with secret keys.
    pub honest: Positives,
    /// Absent keys in filters of chosen keys.
    pub polluted: [Positives; 2],
    /// Chosen absent keys in filters of honest keys.
    pub forged: [Positives; 2],
    /// Honest keys lost by removals of chosen keys; `None` if the kind cannot remove.
    pub lost: Option<[f64; 2]>,
    pub blocked: Blocked,
}

impl Outcome {
    pub fn measure(kind: Kind, size: Size) -> Measured<Outcome> {
        let Size { items, queries, .. } = size;
        let absent = || ABSENT..ABSENT + queries;
        let mut outcome = Outcome {
            honest: Positives::default(),
            polluted: Default::default(),
            forged: Default::default(),
            lost: kind.capabilities().remove.then_some([0.0; 2]),
            blocked: blocked(kind, size)?,
        };
        for (which, guess) in [Seed::FIXED, GUESS].into_iter().enumerate() {
            let looked_at = shape(kind, items, guess)?;
            let wanted = usize::try_from(items)?;
            let chosen = polluting(&looked_at, &guess, wanted, size.pool * wanted);
            let seeds = if which == 0 { vec![Seed::FIXED] } else { secrets(size.secrets) };
            for seed in &seeds {
                let attacked = build(kind, items, chosen.iter().copied(), *seed)?;
                outcome.polluted[which].add(&attacked, absent())?;
                let mut honest = build(kind, items, 0..items, *seed)?;
                if which == 1 {
                    outcome.honest.add(&honest, absent())?;
                }
                let keys = forged(&honest, &guess, size.forged);
                outcome.forged[which].add(&honest, keys.iter().copied())?;
                if let Some(lost) = &mut outcome.lost {
                    let keys = &keys[..size.removals.min(keys.len())];
                    lost[which] += lost_by(&mut honest, keys, items)? / seeds.len() as f64;
                }
            }
        }
        Ok(outcome)
    }

    /// False-positive rates after chosen inserts.
    pub fn rates(&self) -> [f64; 2] {
        self.polluted.map(Positives::share)
    }

    /// Shares of chosen lookups that match.
    pub fn matches(&self) -> [f64; 2] {
        self.forged.map(Positives::share)
    }
}

/// Keys that nobody knows, the same in every run.
pub fn secrets(number: usize) -> Vec<Seed> {
    let mut random = Random::new(16);
    let mut word = || random.draw().to_le_bytes();
    let mut secret = || {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&word());
        key[8..].copy_from_slice(&word());
        Seed::keyed(key)
    };
    (0..number).map(|_| secret()).collect()
}

/// How many of the honest keys are lost when these are removed. A rejected removal changes nothing.
fn lost_by(filter: &mut AnyFilter, keys: &[u64], items: u64) -> Measured<f64> {
    for key in keys {
        let _rejected = filter.remove(*key).is_err();
    }
    let mut present = Positives::default();
    present.add(filter, 0..items)?;
    Ok((present.of - present.found) as f64)
}

fn blocked(kind: Kind, size: Size) -> Measured<Blocked> {
    let items = size.items;
    let secrets = secrets(size.secrets);
    let mut keyed = 0;
    match kind {
        Kind::Fuse | Kind::Bloomier => {
            let found = unsolvable(kind, items, Seed::FIXED)?;
            let (keys, chosen) = found.ok_or("the build did not fail")?;
            for seed in &secrets {
                let built = build(kind, items, keys.iter().copied(), *seed);
                keyed += usize::from(matches!(built, Err(BuildError::Unsolved { .. })));
            }
            Ok(Blocked::Unsolved { chosen, keyed, secrets: secrets.len() })
        }
        Kind::Cuckoo | Kind::DLeft => {
            // Of dleft, a smaller part than a quarter has more cells than fingerprints at 1 %.
            let few = if kind == Kind::DLeft { items.div_ceil(80) } else { 1 };
            let empty = shape(kind, items, Seed::FIXED)?;
            let mut filter = empty.clone();
            let mut chosen = Vec::new();
            for key in crowding(&empty, &Seed::FIXED, usize::try_from(few)?) {
                // It would be counted, and take no cell.
                if kind == Kind::DLeft && filter.contains(key)? {
                    continue;
                }
                chosen.push(key);
                if filter.insert(key).is_err() {
                    break;
                }
            }
            for seed in &secrets {
                let mut filter = shape(kind, items, *seed)?;
                keyed += usize::from(!chosen.iter().all(|key| filter.insert(*key).is_ok()));
            }
            let tried = chosen.last().zip(candidates().next());
            let tried = tried.map_or(0, |(last, first)| last - first + 1);
            Ok(Blocked::Rejects { after: chosen.len() - 1, tried, keyed, secrets: secrets.len() })
        }
        _ => Ok(Blocked::Never),
    }
}

/// Bits of a filter, and nanoseconds per insert and lookup: of honest keys, of keys of the lowest
/// hashes, and of the same keys in a filter with a secret key.
pub fn clustered(kind: Kind, items: u64) -> Measured<String> {
    let honest: Vec<u64> = (0..items).collect();
    let chosen: Vec<u64> = clustered_keys(&Seed::FIXED).take(honest.len()).collect();
    let mut columns = Vec::new();
    for (keys, seed) in [(&honest, Seed::FIXED), (&chosen, Seed::FIXED), (&chosen, secrets(1)[0])] {
        let (mut build_times, mut lookup_times) = (Vec::new(), Vec::new());
        let mut bits = 0;
        for _ in 0..5 {
            let start = Instant::now();
            let filter = build(kind, items, keys.iter().copied(), seed)?;
            build_times.push(start.elapsed().as_nanos() as f64 / items as f64);
            bits = filter.profile().bits;
            let start = Instant::now();
            for key in keys {
                black_box(filter.contains(black_box(*key))?);
            }
            lookup_times.push(start.elapsed().as_nanos() as f64 / items as f64);
        }
        let (insert, lookup) = (median(&mut build_times), median(&mut lookup_times));
        columns.push(format!("{bits} bits, {insert:.0} ns, {lookup:.0} ns"));
    }
    Ok(columns.join(" → "))
}
