//! Hashes of keys, and the places of hashes in filters too large for a file.

use crate::json::{Object, list, words};
use crate::keys::{VectorKey, hashed, hex};
use anther::parts::probes::{Lanes, Line, Spread};
use anther::{Key, KeyHash, Seed, SeedKind};

/// The seed of the files that have a chosen one: the ASCII text `anther`.
pub const CHOSEN: u64 = 0x616E_7468_6572;
/// The key of the files that have a secret one.
pub const SECRET: [u8; 16] = *b"conformance key!";

/// How an entry says which hash it takes.
pub fn how(seed: &Seed) -> Object {
    match seed.kind() {
        SeedKind::Fixed => Object::new().text("hash", "open").word("seed", 0),
        SeedKind::Chosen(seed) => Object::new().text("hash", "open").word("seed", seed),
        SeedKind::Keyed { check } => {
            Object::new().text("hash", "secret").text("secret", hex(&SECRET)).word("check", check)
        }
        _ => Object::new().text("hash", "elsewhere"),
    }
}

const SEEDS: [Seed; 4] =
    [Seed::FIXED, Seed::chosen(CHOSEN), Seed::chosen(u64::MAX), Seed::keyed(SECRET)];

pub fn seeds() -> Vec<String> {
    SEEDS.iter().map(|seed| how(seed).end()).collect()
}

/// A line for each key, with its hash under each of the seeds.
pub fn hashes() -> Vec<String> {
    let entry = |key: &VectorKey| {
        let values = words(SEEDS.iter().map(|seed| key.key_hash(seed).0));
        Object::new().raw("key", key.to_json()).raw("values", values).end()
    };
    hashed().iter().map(entry).collect()
}

/// Hashes at the ends of their range, and ordinary ones.
const HASHES: [u64; 6] = [0, 1, u64::MAX, 1 << 63, 0x0123_4567_89AB_CDEF, 0x9E37_79B9_7F4A_7C15];

/// Bits of the section, for the smallest sizes and the largest.
pub fn positions() -> Vec<String> {
    let mut entries = Vec::new();
    for hash in HASHES {
        let mut entry = |kind: &str, sizes: &[(&str, u64)], positions: &[u64]| {
            let mut entry = Object::new().text("kind", kind);
            for (name, size) in sizes {
                entry = entry.raw(name, size);
            }
            entries.push(entry.word("hash", hash).raw("positions", list(positions)).end());
        };
        let key = KeyHash(hash);
        for (bits, probes) in [(1, 1), (1000, 7), ((1 << 46) - 57, 64)] {
            let mut places = Vec::new();
            Spread::new(bits, probes).each(key, |bit| places.push(bit));
            entry("classic", &[("bits", bits), ("probes", probes.into())], &places);
        }
        for (lines, probes) in [(1, 1), (1000, 8), (1 << 37, 16)] {
            let line = Line::new(lines, probes);
            let mut places = Vec::new();
            line.each(key, |bit| places.push(line.line(key) * 512 + u64::from(bit)));
            entry("blocked", &[("lines", lines), ("probes", probes.into())], &places);
        }
        for blocks in [1, 1000, 1 << 28] {
            let lanes = Lanes::new(blocks);
            let mut places = Vec::new();
            lanes.each(key, |bit| places.push(lanes.block(key) * 256 + u64::from(bit)));
            entry("split", &[("blocks", blocks)], &places);
        }
    }
    entries
}
