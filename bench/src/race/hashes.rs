//! What secrecy costs: the keyed hash beside the default one.

use super::ours;
use super::record::Row;
use super::rounds::{Runner, alternate, timed};
use crate::random::Random;
use std::hint::black_box;

/// Keys of 16 bytes, in the first cache.
const KEYS: usize = 1 << 10;
const PASSES: usize = 1 << 12;

/// What the goal is about: the middle of the rounds' differences.
pub const MORE: &str = "keyed less default";

/// The rows of the section.
pub fn run(rounds: usize) -> Vec<Row> {
    eprintln!("hash: 16-byte keys");
    let mut random = Random::new(16);
    let keys: Vec<[u8; 16]> = (0..KEYS)
        .map(|_| (u128::from(random.draw()) << 64 | u128::from(random.draw())).to_le_bytes())
        .collect();
    let hashes = ours::byte_hashes();
    let runner = |(_, seed): &(_, anther::Seed)| -> Runner<'_> {
        let (seed, keys) = (*seed, &keys);
        Box::new(move |_| {
            let pass = || keys.iter().fold(0, |sum, key| sum ^ seed.hash_bytes(key).0);
            timed(KEYS * PASSES, || (0..PASSES).for_each(|_| _ = black_box(pass()))).0
        })
    };
    let times = alternate(rounds, &mut hashes.iter().map(runner).collect::<Vec<_>>());
    let row = |contender, ns, ratio| Row {
        section: "hash",
        keys: "16 bytes",
        work: "hash",
        way: "single",
        threads: 1,
        contender,
        ns,
        ratio,
        ..Row::default()
    };
    let [(open, _), (keyed, _)] = hashes;
    vec![
        row(open, times[0].median(), Some(1.0)),
        row(keyed, times[1].median(), Some(times[1].over(&times[0]))),
        row(MORE, times[1].minus(&times[0]), None),
    ]
}
