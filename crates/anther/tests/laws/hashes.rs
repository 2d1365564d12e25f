//! Hashes that break weak probe rules.

use super::*;
use crate::laws::files::through_every_loader;

/// Hashes that are degenerate in one half, in both, or in their multiples.
fn degenerate_hashes() -> Vec<KeyHash> {
    let mut hashes =
        vec![0, 1, 2, 3, u64::MAX, u64::MAX - 1, u64::MAX - 2, 1 << 63, i64::MAX as u64];
    hashes.extend((0..64).map(|bit| 1 << bit));
    hashes.extend((0..64).map(|bit| u64::MAX << bit));
    hashes.extend((0..64).map(|bit| u64::MAX >> bit));
    hashes.extend((0..64).map(|bit| !(1 << bit)));
    for half in [1, 2, 3, 0x8000_0000, 0xFFFF_FFFF, 0x5555_5555, 0xAAAA_AAAA] {
        hashes.extend([half, half << 32, half << 32 | half, half << 32 | (half ^ 0xFFFF_FFFF)]);
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into_iter().map(KeyHash).collect()
}

#[test]
fn degenerate_hashes_are_keys_like_others() {
    for &kind in Kind::ALL {
        for fpr in [0.5, 0.01, 1e-6] {
            let hashes = degenerate_hashes();
            let filter = filled(kind, hashes.len() as u64, fpr, Seed::EXTERNAL, &hashes);
            if kind.capabilities().no_false_negatives {
                assert_eq!(count_found(&filter, hashes.iter().copied()), hashes.len() as u64);
            }
            for (way, loaded) in through_every_loader(&filter, Open::new().without_hashing()) {
                assert_eq!(loaded, filter, "{kind}, {way}");
            }
        }
    }
}

/// Probes that all meet in one cell are one probe. Over a million cells, k probes of any hash find
/// k different cells, give or take the one that a zero step repeats.
#[test]
fn probes_do_not_meet() {
    for probes in [2, 3, 7, 17, 64] {
        for cells in [1 << 20, 1_000_003, 3 << 29, 1 << 33, 1 << 46] {
            for key in degenerate_hashes() {
                let mut seen = HashSet::new();
                Spread::new(cells, probes).each(key, |cell| {
                    assert!(cell < cells);
                    seen.insert(cell);
                });
                assert!(
                    seen.len() + 1 + probes as usize / 16 >= probes as usize,
                    "{key:?}: {} cells of {cells} with {probes} probes",
                    seen.len()
                );
                assert!(probes == 2 || seen.len() > 1, "{key:?}");
            }
        }
    }
    // One bit in each lane: they cannot meet, for any hash.
    for key in degenerate_hashes() {
        let mut lanes = HashSet::new();
        Lanes::new(1000).each(key, |place| {
            lanes.insert(place / 32);
        });
        assert_eq!(lanes.len(), 8, "{key:?}");
    }
}

/// Within a cache line the positions are odd multiples of 32 bits, so they meet only where those 32
/// bits end in zeros: 2 of 2³² patterns give one position (0 and 2³¹), 2 more give two, 4 more give
/// at most four, and so on. Together they add less than 10⁻⁹ to the false-positive rate, a tenth of
/// the lowest that `blocked` accepts. The long run goes through a fifth of them all.
#[test]
fn positions_in_a_line_meet_only_for_round_patterns() {
    let places = |pattern: u32| line_places(pattern).len();
    for bits in 0..9u32 {
        for odd in (1..1u32 << bits).step_by(2) {
            let pattern = odd << (32 - bits);
            assert!(places(pattern) <= 1 << bits, "{pattern:x}");
            assert!(bits == 1 || places(pattern) > 1, "{pattern:x}");
        }
    }
    assert_eq!((places(0), places(1 << 31)), (1, 1));
    let mut random = Random::new(15);
    let fewest = (0..1_000_000).map(|_| places(random.draw() as u32)).min();
    assert!(fewest >= Some(9), "{fewest:?}");
}

/// The distinct positions of sixteen probes for the 32 bits that a hash gives a line.
fn line_places(pattern: u32) -> HashSet<u32> {
    // The inverse, modulo 2⁶⁴, of the multiplier that moves the low bits of the hash up.
    const INVERSE: u64 = 0xF1DE_83E1_9937_733D;
    const { assert!(INVERSE.wrapping_mul(0x9E37_79B9_7F4A_7C15) == 1) };
    let key = KeyHash((u64::from(pattern) << 32).wrapping_mul(INVERSE));
    let mut places = HashSet::new();
    Line::new(1, 16).each(key, |place| {
        places.insert(place);
    });
    places
}
