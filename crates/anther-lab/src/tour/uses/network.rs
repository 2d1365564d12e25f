//! Networks: routes, signatures, and peers that have an object.

use super::{Line, SECRET, by_chance};
use anther::sizing::bloom;
use anther::{KeyHash, Seed, units};
use anther_uses::intrusion_detection::Detector;
use anther_uses::longest_prefix::{Address, PrefixTable, expected_probes};
use anther_uses::peer_routing::{Router, Shape, wrong_turn};
use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::Path;

/// An address of 0.0.0.0/4, so that routes from /8 on are nested, and a number below 17.
fn draw(number: u64) -> (u32, u8) {
    let drawn = KeyHash(7).again(number).0;
    ((drawn >> 36) as u32, (drawn % 17) as u8)
}

pub(super) fn longest_prefix(_: &Path) -> Result<Line, Box<dyn Error>> {
    const LOOKUPS: u64 = 50_000;
    let mut exact: HashMap<(u32, u8), u64> = HashMap::new();
    for number in 0..20_000 {
        let (address, longer) = draw(number);
        exact.insert((address.prefix(8 + longer), 8 + longer), number);
    }
    let routes = exact.iter().map(|((prefix, length), value)| (*prefix, *length, *value));
    let table = PrefixTable::build(routes, 0.2, Seed::keyed(SECRET))?;
    let (mut tries, mut wrong) = (0, 0);
    for number in 0..LOOKUPS {
        let (address, _) = draw(100_000 + number);
        let found = table.lookup(address);
        let best = (8..=24).rev().find_map(|length| exact.get(&(address.prefix(length), length)));
        wrong += u64::from(found.value != best.copied());
        tries += u64::from(found.probes);
    }
    let (most, mean) = (expected_probes(&table.rates()), tries as f64 / LOOKUPS as f64);
    Ok(Line {
        source: "[5]",
        claim: format!("longest prefix: at most 1+Σf={most:.2} tries"),
        measured: format!("{mean:.2} tries, {wrong} wrong"),
        holds: wrong == 0 && mean <= most,
    })
}

pub(super) fn intrusion_detection(_: &Path) -> Result<Line, Box<dyn Error>> {
    let random = |seed: u64, length: u64| -> Vec<u8> {
        (0..length).map(|at| KeyHash(seed).again(at).0.to_le_bytes()[0]).collect()
    };
    let signatures: Vec<Vec<u8>> = (0..2000).map(|number| random(number, 8 + number % 8)).collect();
    // Every twentieth signature is in the traffic.
    let mut traffic = random(1 << 40, 100_000);
    for (at, signature) in (0..).step_by(900).zip(signatures.iter().step_by(20)) {
        traffic[at..at + signature.len()].copy_from_slice(signature);
    }
    let detector = Detector::new(signatures.iter().cloned(), 0.001, Seed::keyed(SECRET))?;
    let scan = detector.scan(&traffic);
    let exact: HashSet<&[u8]> = signatures.iter().map(Vec::as_slice).collect();
    let count = |length: usize| traffic.windows(length).filter(|it| exact.contains(it)).count();
    let (found, there) = (scan.matches.len(), detector.lengths().map(count).sum::<usize>());
    let bytes = traffic.len() as u64;
    let predicted = detector.false_checks_per_byte();
    Ok(Line {
        source: "[5]",
        claim: format!("intrusions: Σε={predicted:.4} checks in vain per byte"),
        measured: format!(
            "{:.4}, {found} of {there} signatures",
            scan.false_checks() as f64 / bytes as f64
        ),
        holds: found == there && by_chance(predicted, scan.false_checks(), bytes),
    })
}

/// A ring of peers: what is i hops away in one direction is at level i of that link, and nothing
/// else is.
pub(super) fn peer_routing(_: &Path) -> Result<Line, Box<dyn Error>> {
    const PEERS: usize = 32;
    const OBJECTS: usize = 60;
    const DEPTH: usize = 3;
    let shape = Shape { depth: DEPTH, bits: 512, probes: 4, seed: Seed::keyed(SECRET) };
    let mut peers = (0..PEERS).map(|_| Router::new(shape, 2)).collect::<Result<Vec<_>, _>>()?;
    for (at, peer) in peers.iter_mut().enumerate() {
        (0..OBJECTS).for_each(|object| peer.insert((at as u64, object as u64)));
    }
    for _ in 0..DEPTH {
        for at in 0..PEERS {
            // Link 0 leads to the peer before, link 1 to the one after.
            let [before, after] = [(at + PEERS - 1) % PEERS, (at + 1) % PEERS];
            let (left, right) = (peers[at].advertise(0)?, peers[at].advertise(1)?);
            peers[before].receive(1, left)?;
            peers[after].receive(0, right)?;
        }
    }
    let (mut wrong, mut missed, mut lookups) = (0, 0, 0);
    for (at, peer) in peers.iter().enumerate() {
        for (link, away) in [(0, PEERS - DEPTH), (1, DEPTH)] {
            for object in 0..OBJECTS {
                let object = (((at + away) % PEERS) as u64, object as u64);
                let found = peer.candidates(object);
                missed += u64::from(!found.iter().any(|(_, way)| *way == link));
                wrong += u64::from(found.first().is_none_or(|(_, way)| *way != link));
                lookups += 1;
            }
        }
    }
    // Of the other link, the levels before the last one come first; of link 0 the last one, too.
    let rate = bloom::rate(shape.bits, OBJECTS as u64, shape.probes);
    let turns = [DEPTH - 1, DEPTH].map(|before| wrong_turn(vec![rate; before]));
    let predicted = turns.iter().sum::<f64>() / 2.0;
    let measured = units::rate(wrong as f64 / lookups as f64);
    Ok(Line {
        source: "[3]",
        claim: format!("peers, {DEPTH} hops: 1-Π(1-f)={} wrong turns", units::rate(predicted)),
        measured: format!("{measured}, {missed} of {lookups} missed"),
        holds: missed == 0 && by_chance(predicted, wrong, lookups),
    })
}
