//! The two that are no kinds: `iblt`, which is decoded, and `range`, which is queried by ranges.

use super::attack::{FPR, candidates};
use super::outcome::{ABSENT, GUESS, Measured, Positives, Size, secrets};
use crate::random::{mix, scale};
use anther::iblt::Integers;
use anther::{Iblt, Range, Seed};
use std::collections::{BTreeSet, HashMap};

/// What elements do to a table that were chosen in pairs, each of which shares all its cells.
#[derive(Debug)]
pub struct Undecodable {
    /// Candidates hashed for the first pair.
    pub tried: u64,
    /// Tables with secret keys that could not be decoded with that pair.
    pub keyed: usize,
    /// Tables with secret keys.
    pub secrets: usize,
    /// Elements of honest parties in the table: half of what it is made for.
    pub honest: usize,
    /// How many of those were not decoded because of the first pair.
    pub hidden_by_pair: usize,
    /// Chosen elements in a second table: a tenth of what it is made for.
    pub more: usize,
    /// How many of the honest ones were not decoded because of these.
    pub hidden_by_more: usize,
}

/// What came of the attacks on an iblt that is made for `items` elements.
pub fn iblt(size: Size) -> Measured<Undecodable> {
    let honest = usize::try_from(size.items)? / 2;
    let more = usize::try_from(size.items)? / 10;
    let (pairs, tried) = twins(size.items, &Seed::FIXED, more.div_ceil(2))?;
    let chosen: Vec<u64> = pairs.into_iter().flatten().collect();
    let hidden = |chosen: &[u64], seed: Seed| -> Measured<Option<usize>> {
        let mut table = Iblt::with_seed(Integers, size.items, seed)?;
        table.insert_all((0..honest as u64).chain(chosen.iter().copied()))?;
        let is_honest = |element: &&u64| **element < honest as u64;
        Ok(table
            .decode()
            .err()
            .map(|error| honest - error.found.ours.iter().filter(is_honest).count()))
    };
    let mut keyed = 0;
    for seed in secrets(size.secrets) {
        keyed += usize::from(hidden(&chosen[..2], seed)?.is_some());
    }
    Ok(Undecodable {
        tried,
        keyed,
        secrets: size.secrets,
        honest,
        hidden_by_pair: hidden(&chosen[..2], Seed::FIXED)?.ok_or("a pair was decoded")?,
        more: chosen.len(),
        hidden_by_more: hidden(&chosen, Seed::FIXED)?.ok_or("pairs were decoded")?,
    })
}

/// Pairs of elements that share all their cells, and how many candidates the first one took.
fn twins(items: u64, guess: &Seed, wanted: usize) -> Measured<(Vec<[u64; 2]>, u64)> {
    let table = Iblt::with_seed(Integers, items, *guess)?;
    let part = table.cells() / u64::from(table.probes());
    let place = |element: u64| {
        let hash = guess.hash_integer(element);
        let cells = (0..table.probes()).map(|probe| scale(hash.again(probe.into()).0, part));
        cells.fold(0u128, |all, cell| all * u128::from(part) + u128::from(cell))
    };
    let (mut pairs, mut first, mut by_cells) = (Vec::new(), 0, HashMap::new());
    for (tried, element) in (1..).zip(candidates()) {
        // An element belongs to one pair.
        if let Some(twin) = by_cells.remove(&place(element)) {
            pairs.push([twin, element]);
            first = if pairs.len() == 1 { tried } else { first };
        } else {
            by_cells.insert(place(element), element);
        }
        if pairs.len() == wanted {
            break;
        }
    }
    Ok((pairs, first))
}

/// The longest range.
pub const SPAN: u64 = 1024;

/// An integer as far from others as keys of 64 bits are.
pub fn spread(number: u64) -> u64 {
    // The range behind it must not end beyond the last integer.
    mix(number) >> 1
}

/// What came of all attacks on range filters. Of two, the first is with the fixed seed, the second
/// the mean over secret keys.
#[derive(Debug, Default)]
pub struct RangeOutcome {
    /// Empty ranges in filters of chosen keys.
    pub polluted: [Positives; 2],
    /// Chosen empty ranges in filters of honest keys.
    pub forged: [Positives; 2],
    /// Empty ranges for each of which a key was chosen, since the attacker knew them.
    pub aimed: [Positives; 2],
    /// Chosen empty ranges by someone who has the file and knows three keys of a block.
    pub aligned: [Positives; 2],
}

impl RangeOutcome {
    pub fn measure(size: Size) -> Measured<RangeOutcome> {
        let mut outcome = RangeOutcome::default();
        for (which, guess) in [Seed::FIXED, GUESS].into_iter().enumerate() {
            let honest: Vec<u64> = (0..size.items).map(spread).collect();
            let looked_at = range(&honest, guess)?;
            let absent: Vec<u64> = (ABSENT..ABSENT + size.queries).map(spread).collect();
            let polluting = polluting(&looked_at, size);
            let known = &absent[..size.forged];
            let mut aimed = honest.clone();
            for (key, first) in aimed.iter_mut().zip(known) {
                *key = same_code(&looked_at, *first);
            }
            let seeds = if which == 0 { vec![Seed::FIXED] } else { secrets(size.secrets) };
            for seed in seeds {
                let filter = range(&honest, seed)?;
                add(&mut outcome.polluted[which], &range(&polluting, seed)?, &absent)?;
                add(&mut outcome.forged[which], &filter, &forged(&filter, &looked_at, size))?;
                add(&mut outcome.aimed[which], &range(&aimed, seed)?, known)?;
                let clustered = clustered(&filter, size.items);
                let filter = range(&clustered, seed)?;
                let chosen = aligned(&filter, &clustered, size.forged);
                add(&mut outcome.aligned[which], &filter, &chosen)?;
            }
        }
        Ok(outcome)
    }
}

pub fn range(keys: &[u64], seed: Seed) -> Measured<Range> {
    Ok(Range::build(keys.iter().copied(), SPAN, FPR, seed)?)
}

/// Looks up the range of [`SPAN`] integers at each of these.
fn add(positives: &mut Positives, filter: &Range, firsts: &[u64]) -> Measured<()> {
    for first in firsts {
        positives.of += 1;
        positives.found += u64::from(filter.contains_any(*first..=*first + (SPAN - 1))?);
    }
    Ok(())
}

/// Keys whose codes are a span apart, so that no range of codes is covered twice.
fn polluting(looked_at: &Range, size: Size) -> Vec<u64> {
    let wanted = size.items as usize;
    let pool = candidates().take(size.pool * wanted).map(spread);
    let mut pool: Vec<(u64, u64)> = pool.map(|key| (looked_at.code(key), key)).collect();
    pool.sort_unstable();
    let mut next = 0;
    pool.retain(|(code, _)| {
        let is_free = *code >= next;
        next = if is_free { code + SPAN } else { next };
        is_free
    });
    pool.into_iter().take(wanted).map(|(_, key)| key).collect()
}

/// Another integer, in another block, with the code that this one has under the guessed seed.
fn same_code(looked_at: &Range, first: u64) -> u64 {
    let code = looked_at.code(first);
    let moved = |key: u64| key.wrapping_sub(looked_at.code(key)).wrapping_add(code);
    let mut others = candidates().map(|number| moved(spread(number ^ first)));
    // Out of its block, it has another code.
    others.find(|key| looked_at.code(*key) == code).unwrap_or(first)
}

/// Ranges in which the guessed seed has one of the filter's codes.
fn forged(filter: &Range, looked_at: &Range, size: Size) -> Vec<u64> {
    let codes: Vec<u64> = filter.codes().collect();
    let tried = candidates().map(spread).take(size.forged * (10.0 / FPR) as usize);
    let matches = |first: &u64| {
        let code = looked_at.code(*first);
        let next = codes.partition_point(|other| *other < code);
        codes.get(next).is_some_and(|next| next - code < SPAN)
    };
    tried.filter(matches).take(size.forged).collect()
}

/// Keys in a hundred blocks, as many in each.
fn clustered(filter: &Range, items: u64) -> Vec<u64> {
    let codes = filter.profile().bound + 1;
    let within = |number: u64| scale(mix(number), codes - SPAN);
    (0..items).map(|number| number / (items / 100) * 1000 * codes + within(number)).collect()
}

/// Empty ranges of the first block, by someone who knows three of its keys. Distances between keys
/// are in the file, keyed or not: three codes that are as far apart as the known keys are theirs, and
/// give away the block's offset.
fn aligned(filter: &Range, keys: &[u64], wanted: usize) -> Vec<u64> {
    let (count, known) = (filter.profile().bound + 1, &keys[..3]);
    let codes: BTreeSet<u64> = filter.codes().collect();
    let is_first = |code: &&u64| {
        let distance = |key: &u64| (key + count - known[0]) % count;
        known.iter().all(|key| codes.contains(&((**code + distance(key)) % count)))
    };
    let Some(first) = codes.iter().find(is_first) else { return Vec::new() };
    // The integers of the block whose codes are those of keys, and which are no keys themselves.
    let start = known[0] / count * count;
    let offset = (first + count - known[0] % count) % count;
    let mut firsts: Vec<u64> =
        codes.iter().map(|code| start + (code + count - offset) % count).collect();
    firsts.retain(|first| !keys.iter().any(|key| (*first..*first + SPAN).contains(key)));
    firsts.sort_unstable();
    firsts.truncate(wanted);
    firsts
}
