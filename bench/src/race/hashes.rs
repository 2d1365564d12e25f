//! Hashes of short byte strings: ours beside foldhash, and what secrecy costs.

use super::ours;
use super::record::Row;
use super::rounds::{Runner, alternate, timed};
use crate::random::Random;
use anther::Key;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;
use std::hint::black_box;

/// How long keys are, and what that is called in tables and records; in the last, lengths vary.
pub const LENGTHS: [(&str, std::ops::RangeInclusive<usize>); 6] = [
    ("16 bytes", 16..=16),
    ("24 bytes", 24..=24),
    ("32 bytes", 32..=32),
    ("48 bytes", 48..=48),
    ("64 bytes", 64..=64),
    ("16 to 64 bytes", 16..=64),
];

/// Keys in the first cache.
const KEYS: usize = 256;
const PASSES: usize = 1 << 12;

/// Our hash, as filters use it unless told otherwise.
pub const DEFAULT: &str = "default hash";
/// Our hash with a secret.
const KEYED: &str = "keyed hash";
/// The middle of the rounds' differences of the two.
const MORE: &str = "keyed less default";
/// The hash of the fastest peers.
pub const FOLDHASH: &str = "foldhash";

/// The rows of the section.
pub fn run(rounds: usize) -> Vec<Row> {
    LENGTHS.into_iter().flat_map(|(name, lengths)| of_length(name, lengths, rounds)).collect()
}

fn of_length(
    name: &'static str,
    lengths: std::ops::RangeInclusive<usize>,
    rounds: usize,
) -> Vec<Row> {
    eprintln!("hash: keys of {name}");
    let mut random = Random::new(16);
    let keys: Vec<String> = (0..KEYS)
        .map(|_| {
            let digits: String = (0..4).map(|_| format!("{:016x}", random.draw())).collect();
            let spread = (lengths.end() - lengths.start() + 1) as u64;
            digits[..lengths.start() + (random.draw() % spread) as usize].to_string()
        })
        .collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    // Seeds and lengths are not known to the compiler, as they are not in a filter.
    let ((open, keyed), folded) = black_box((ours::byte_hashes(), FixedState::default()));
    let times = alternate(
        rounds,
        &mut [
            runner(&keys, |key| key.key_hash(&open).0),
            runner(&keys, |key| key.key_hash(&keyed).0),
            runner(&keys, |key| folded.hash_one(key)),
        ],
    );
    let row = |contender, at: usize| {
        let ratio = Some(times[at].over(&times[0]));
        let (section, work, way) = ("hash", "hash", "single");
        let row =
            Row { section, keys: name, work, way, threads: 1, contender, ratio, ..Row::default() };
        row.timed(&times[at])
    };
    let more = times[1].minus(&times[0]);
    let difference = Row { ns: more, ratio: None, contender: MORE, ..row(KEYED, 1) };
    vec![row(DEFAULT, 0), row(KEYED, 1), difference, row(FOLDHASH, 2)]
}

fn runner<'a>(keys: &'a [&str], hash: impl Fn(&str) -> u64 + 'a) -> Runner<'a> {
    Box::new(move |_| {
        let pass = || keys.iter().fold(0, |sum, key| sum ^ hash(key));
        timed(keys.len() * PASSES, || (0..PASSES).for_each(|_| _ = black_box(pass()))).0
    })
}
