//! How keys are chosen against a filter. The attacker has this library, knows kind and size, and
//! hashes with a seed of their own: the filter's, or a guess.

use anther::{
    AnyFilter, BuildError, Cascade, Filter, Inspect, Key, KeyHash, Kind, Options, Seed, SizeError,
    Target, Touch, Work,
};
use std::collections::{HashMap, HashSet};

/// Where the attacker's keys begin. Honest keys are the integers from 0 on.
const CANDIDATES: u64 = 1 << 40;

pub const FPR: f64 = 0.01;

/// Keys in the order in which the attacker tries them.
pub fn candidates() -> impl Iterator<Item = u64> {
    CANDIDATES..
}

/// A filter of these keys, of any kind, made for as many as `items`.
pub fn build(
    kind: Kind,
    items: u64,
    keys: impl IntoIterator<Item = u64>,
    seed: Seed,
) -> Result<AnyFilter, BuildError> {
    let target = Target::new(items, FPR).map_err(SizeError::from)?;
    let mut keys: Vec<KeyHash> = keys.into_iter().map(|key| key.key_hash(&seed)).collect();
    if kind == Kind::Cascade {
        let mut others = Vec::<KeyHash>::new();
        let built = Cascade::build_lists(&mut keys, &mut others, Some(FPR), seed, Work::new());
        return built.map(AnyFilter::from);
    }
    AnyFilter::build(kind, &mut keys, target, &Options::new(), seed, Work::new())
}

/// A filter to look at cells in: empty, or of honest keys for kinds that are never empty.
pub fn shape(kind: Kind, items: u64, seed: Seed) -> Result<AnyFilter, BuildError> {
    build(kind, items, 0..if kind.capabilities().insert { 0 } else { items }, seed)
}

/// Of the first `pool` candidates those that touch the most cells anew: first those all of whose
/// cells are untouched, then those with one less, and so on.
pub fn polluting(shape: &AnyFilter, guess: &Seed, wanted: usize, pool: usize) -> Vec<u64> {
    let mut begins = vec![0];
    for row in shape.rows() {
        begins.push(begins[begins.len() - 1] + row.cells.cells());
    }
    let number = |touch: Touch| (begins[touch.row] + touch.cell) as usize;
    let mut untouched = vec![true; begins[begins.len() - 1] as usize + 1];
    let mut rest: Vec<(u64, Vec<usize>)> = candidates()
        .take(pool)
        .map(|key| {
            let touches = shape.touches(key.key_hash(guess)).into_iter();
            let mut cells: Vec<usize> = touches.map(number).collect();
            cells.sort_unstable();
            cells.dedup();
            (key, cells)
        })
        .collect();
    let most = rest.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    let mut chosen = Vec::with_capacity(wanted);
    for least in (0..=most).rev() {
        rest.retain(|(key, cells)| {
            let new = cells.iter().filter(|cell| untouched[**cell]).count();
            let take = new >= least && chosen.len() < wanted;
            if take {
                cells.iter().for_each(|cell| untouched[*cell] = false);
                chosen.push(*key);
            }
            !take
        });
    }
    chosen
}

/// Keys that are false positives of the filter's cells under the guessed seed. Fewer than `wanted`
/// if ten times as many candidates as the false-positive rate takes do not suffice.
pub fn forged(filter: &AnyFilter, guess: &Seed, wanted: usize) -> Vec<u64> {
    let tried = candidates().take(wanted * (10.0 / FPR) as usize);
    tried.filter(|key| filter.contains_hash(key.key_hash(guess))).take(wanted).collect()
}

/// Keys that touch no cells but those of the first `few` candidates, which come first themselves.
pub fn crowding(shape: &AnyFilter, guess: &Seed, few: usize) -> impl Iterator<Item = u64> {
    let touches = |key: u64| shape.touches(key.key_hash(guess));
    let crowded: HashSet<Touch> = candidates().take(few).flat_map(touches).collect();
    candidates().filter(move |key| touches(*key).iter().all(|touch| crowded.contains(touch)))
}

/// Keys whose hashes are in the lowest 1/64 of all.
pub fn clustered(guess: &Seed) -> impl Iterator<Item = u64> {
    candidates().filter(|key| key.key_hash(guess).0 >> 58 == 0)
}

/// Honest keys, the last of which are replaced by pairs that share all their cells, until no
/// attempt to build a filter of them succeeds; and how many were replaced. `None` if they still
/// build when half of them are replaced.
pub fn unsolvable(
    kind: Kind,
    items: u64,
    guess: Seed,
) -> Result<Option<(Vec<u64>, usize)>, BuildError> {
    let mut keys: Vec<u64> = (0..items).collect();
    let mut unused = candidates();
    for pairs in 0..keys.len() / 4 {
        // Each attempt places keys anew. The cells that we see are those of the one that succeeded.
        let built = match build(kind, items, keys.iter().copied(), guess) {
            Err(BuildError::Unsolved { .. }) => return Ok(Some((keys, 2 * pairs))),
            built => built?,
        };
        let mut by_cells = HashMap::<Vec<Touch>, u64>::new();
        let twins = unused.find_map(|key| {
            let twin = by_cells.insert(built.touches(key.key_hash(&guess)), key)?;
            Some([twin, key])
        });
        let replaced = keys.iter_mut().rev().skip(2 * pairs);
        replaced.zip(twins.into_iter().flatten()).for_each(|(key, twin)| *key = twin);
    }
    Ok(None)
}
