//! Keys chosen against a hash whose seed is known (§2.1: the hash functions need "no cryptographic
//! properties"): see [`chosen_keys`](crate::chosen_keys).

use crate::chart::{Axis, Chart, Series, Unit};
use crate::chosen_keys::{Chosen, crowding, forged, polluting};
use crate::error::Error;
use crate::figure::tally::Tally;
use crate::figure::{Effort, Made, grid};
use crate::table::{Cell, Table};
use anther::sizing::bloom;
use anther::units;
use anther::{Classic, Cuckoo, Seed, Target};

const ITEMS: u64 = 10_000;
const RATE: f64 = 0.01;
/// Where honest absent keys begin.
const ABSENT: u64 = 1 << 41;
const ASKED: u64 = 200_000;
/// Nobody's secret but for this figure, so that it gives the same digits again.
const SECRET: Seed = Seed::keyed(*b"not for real use");

fn broken(error: impl std::fmt::Display) -> Error {
    Error::about("attack", error)
}

fn empty(seed: Seed) -> Result<Classic, Error> {
    let target = Target::new(ITEMS, RATE).map_err(broken)?;
    Classic::with_seed(target, seed).map_err(broken)
}

fn measured(filter: &Classic) -> Tally {
    let mut tally = Tally::default();
    tally.ask(filter, ABSENT..ABSENT + ASKED);
    tally
}

/// Three attacks on a filter with the default seed, and on the same filter with a secret key.
pub fn attack(effort: &Effort<'_>) -> Result<Made, Error> {
    const CHOSEN: usize = 1000;
    let mut table =
        Table::new(["attack", "tried for each", "default seed", "secret key", "no attack"]);
    let mut made = Made::default();

    // Lookups: false positives, by the bits of the filter that is attacked.
    let mut passed = [0.0; 2];
    let mut tried_for_each = 0.0;
    for (passed, seed) in passed.iter_mut().zip([Seed::FIXED, SECRET]) {
        let mut filter = empty(seed)?;
        filter.extend(0..ITEMS);
        let chosen = forged(&filter, &empty(Seed::FIXED)?, CHOSEN, u64::MAX)?;
        let keys = &chosen.keys;
        *passed = keys.iter().filter(|key| filter.contains(**key)).count() as f64 / CHOSEN as f64;
        if seed == Seed::FIXED {
            tried_for_each = chosen.tried_for_each();
        } else {
            let wrong = keys.iter().filter(|key| filter.contains(**key)).count() as u64;
            let tally = Tally { asked: CHOSEN as u64, wrong, filters: 1 };
            made.claim(
                "with a secret key, chosen lookups are false positives as often as others, within \
                 what chance allows",
                tally.agrees(RATE, 0.05),
            );
        }
    }
    effort.tell(1, 3);
    made.claim(
        format!(
            "with the default seed, all {} chosen lookups are false positives",
            units::count(CHOSEN as u64)
        ),
        passed[0] == 1.0,
    );
    table.row([
        "lookups that are false positives".into(),
        Cell::Number(tried_for_each, 0),
        Cell::Rate(passed[0]),
        Cell::Rate(passed[1]),
        Cell::Rate(RATE),
    ]);

    // Inserts: keys that set only new bits.
    let inserts = usize::try_from(ITEMS).map_err(broken)?;
    let Chosen { keys, tried } = polluting(&empty(Seed::FIXED)?, inserts, u64::MAX)?;
    let names = ["chosen keys, default seed", "chosen keys, secret key"];
    let mut series = names.map(Series::new);
    let (mut within, mut last) = (true, [0.0; 2]);
    let (bits, probes) = {
        let profile = empty(Seed::FIXED)?.profile();
        (profile.bits, profile.probes)
    };
    let full = |items: u64| (f64::from(probes) * items as f64 / bits as f64).powf(probes.into());
    for (at, seed) in [Seed::FIXED, SECRET].into_iter().enumerate() {
        let mut filter = empty(seed)?;
        for (items, keys) in (1..).zip(keys.chunks(1000)) {
            filter.extend(keys.iter().copied());
            let items = 1000 * items;
            let tally = measured(&filter);
            let due = if at == 0 { full(items) } else { bloom::rate(bits, items, probes) };
            within &= tally.agrees(due, bloom::spread(bits, items, probes));
            series[at].measured.push((items as f64, tally.rate()));
            last[at] = tally.rate();
        }
    }
    for items in grid(1000, ITEMS) {
        series[0].predicted.push((items as f64, full(items)));
        series[1].predicted.push((items as f64, bloom::rate(bits, items, probes)));
    }
    effort.tell(2, 3);
    table.row([
        format!("{} inserts that set only new bits: FPR", units::count(ITEMS)).as_str().into(),
        Cell::Number(tried as f64 / ITEMS as f64, 0),
        Cell::Rate(last[0]),
        Cell::Rate(last[1]),
        Cell::Rate(bloom::rate(bits, ITEMS, probes)),
    ]);

    // Inserts into a cuckoo filter: keys with one pair of buckets.
    let target = Target::new(1000, RATE).map_err(broken)?;
    let mut accepted = [0u64; 2];
    let mut tried = 0;
    let mut count = 0;
    for (accepted, seed) in accepted.iter_mut().zip([Seed::FIXED, SECRET]) {
        let mut filter = Cuckoo::with_seed(target, seed).map_err(broken)?;
        let chosen = crowding(&filter, u64::MAX);
        let keys = chosen.keys;
        (count, tried) = (keys.len() as u64, chosen.tried);
        *accepted = keys.iter().filter(|key| filter.insert(**key).is_ok()).count() as u64;
    }
    effort.tell(3, 3);
    table.row([
        format!("{count} inserts into one pair of buckets: accepted").as_str().into(),
        Cell::Number(tried as f64 / count as f64, 0),
        Cell::Count(accepted[0]),
        Cell::Count(accepted[1]),
        Cell::Count(count),
    ]);
    made.table = table;
    made.chart(
        "",
        Chart {
            title: format!(
                "Keys chosen to set only new bits: a filter for {} keys at 1 %",
                units::count(ITEMS)
            ),
            x: Axis::linear("keys inserted", Unit::Count),
            y: Axis::linear("false-positive rate", Unit::Rate),
            series: series.to_vec(),
        },
    );
    made.claim(
        "chosen inserts raise the false-positive rate to (kn/m)^k with the default seed, and not at \
         all with a secret key, within what chance allows",
        within,
    );
    made.claim(
        "of nine chosen keys an empty cuckoo filter rejects the ninth; with a secret key it accepts all",
        (count, accepted) == (9, [8, 9]),
    );
    made.note(
        "The attacker knows the program, the default seed and the bits of the filter, and not the \
         secret key. Tried for each: how many candidates were hashed for each key found. Cuckoo: a \
         filter made for 1,000 keys at 1 %.",
    );
    Ok(made)
}
