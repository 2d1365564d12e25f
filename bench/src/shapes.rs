//! Keys as programs have them, and keys that are known to break weak hashes.

use crate::candidates::{FOLD_A, FOLD_B};
use crate::random::{GOLDEN, Random};

/// The i-th key of a shape.
pub type Shape = (&'static str, fn(u64) -> u64);

/// Shapes of keys for a whole filter; each gives distinct keys for i below 2²⁴.
pub const SHAPES: [Shape; 20] = [
    ("i", |i| i),
    ("i<<8", |i| i << 8),
    ("i<<16", |i| i << 16),
    ("i<<32", |i| i << 32),
    ("i<<40", |i| i << 40),
    ("1000·i", |i| i * 1000),
    ("4096·i", |i| i * 4096),
    ("(2^32+1)·i", |i| i * 0x1_0000_0001),
    ("i·φ", |i| i.wrapping_mul(GOLDEN)),
    ("i²", |i| i * i),
    ("−i", |i| 0u64.wrapping_sub(i)),
    ("bits reversed", u64::reverse_bits),
    ("bytes reversed", u64::swap_bytes),
    ("Gray code", |i| i ^ (i >> 1)),
    ("pairs (i/1000, i%1000)", |i| ((i / 1000) << 32) | (i % 1000)),
    ("pointers, 64 apart", |i| 0x7F3A_5C00_0000 + i * 64),
    ("microseconds", |i| 1_700_000_000_000_000 + i * 1_000_003),
    ("f64 of i", |i| (i as f64).to_bits()),
    ("f64 of i/10", |i| (i as f64 / 10.0).to_bits()),
    ("eight digits of text", digits),
];

/// Eight decimal digits as bytes.
fn digits(i: u64) -> u64 {
    (0..8).fold((i, 0), |(left, text), _| (left / 10, text << 8 | (b'0' as u64 + left % 10))).1
}

/// A family of sets of keys for the collision and bucket tests.
pub struct Family {
    /// For the table.
    pub name: &'static str,
    /// Each set is tested alone; the worst counts.
    pub sets: Vec<Vec<u64>>,
}

/// The families, without repeated keys in a set.
pub fn families() -> Vec<Family> {
    let mut families = vec![
        Family { name: "sparse, up to 4 bits set", sets: vec![sparse(4)] },
        Family {
            name: "sparse, up to 4 bits clear",
            sets: vec![sparse(4).into_iter().map(|x| !x).collect()],
        },
        Family { name: "i<<s, s = 0…48", sets: (0..=48).map(shifted).collect() },
        Family { name: "i·stride", sets: STRIDES.map(strided).into() },
        Family { name: "i from A, from B, around 2^63", sets: STARTS.map(counted).into() },
        Family { name: "low entropy in every byte", sets: bytes() },
        Family { name: "cyclic keys", sets: cyclic() },
        Family { name: "x with rotl(x,32)^A^B", sets: paired() },
        Family { name: "twenty shapes of programs", sets: SHAPES.map(first_keys).into() },
    ];
    for set in families.iter_mut().flat_map(|family| &mut family.sets) {
        set.sort_unstable();
        set.dedup();
    }
    families
}

const STRIDES: [u64; 12] = [
    3,
    10,
    24,
    100,
    1000,
    4104,
    1_000_003,
    0x1_0000_0000 - 1,
    0x1_0000_0001,
    0x1_0000_0000 + 65_536,
    0x0101_0101_0101,
    GOLDEN,
];

const STARTS: [u64; 5] = [0, FOLD_A - 100_000, FOLD_B - 100_000, 1 << 63, u64::MAX - 100_000];

fn counted(start: u64) -> Vec<u64> {
    (0..1 << 19).map(|i: u64| start.wrapping_add(i)).collect()
}

fn shifted(shift: u32) -> Vec<u64> {
    (0..1u64 << (64 - shift).min(18)).map(|i| i << shift).collect()
}

fn strided(stride: u64) -> Vec<u64> {
    (0..1 << 19).map(|i: u64| i.wrapping_mul(stride)).collect()
}

fn first_keys((_, key): Shape) -> Vec<u64> {
    (0..1 << 18).map(key).collect()
}

/// All keys with at most `most` bits set.
pub fn sparse(most: u32) -> Vec<u64> {
    let mut keys = vec![0];
    let mut newest = vec![(0u64, 0u32)];
    for _ in 0..most {
        newest = newest
            .iter()
            .flat_map(|&(key, from)| (from..64).map(move |bit| (key | 1 << bit, bit + 1)))
            .collect();
        keys.extend(newest.iter().map(|(key, _)| key));
    }
    keys
}

/// Six values in each byte; and all values in two bytes with the others constant.
fn bytes() -> Vec<Vec<u64>> {
    let base_six = |values: [u64; 6]| {
        (0..6u64.pow(7))
            .map(|i| {
                (0..8).fold(0, |key, at| key << 8 | values[(i / 6u64.pow(at % 7) % 6) as usize])
            })
            .collect()
    };
    let two = |fill: u64| {
        let pair = |at: u32, other: u32| {
            (0..=u64::from(u16::MAX))
                .map(move |i| fill ^ (i & 255) << (8 * at) ^ (i >> 8) << (8 * other))
        };
        (0..8).flat_map(|at| (0..at).flat_map(move |other| pair(at, other))).collect()
    };
    vec![
        base_six([0, 1, 2, 3, 4, 5]),
        base_six([0, 1, 2, 4, 8, 16]),
        base_six([0, 255, 1, 254, 127, 128]),
        two(0),
        two(0x2020_2020_2020_2020),
    ]
}

/// Keys that are their own rotation, or nearly.
fn cyclic() -> Vec<Vec<u64>> {
    let mut random = Random::new(4);
    let halves = |half: u64| half << 32 | half;
    vec![
        (0..1 << 19).map(halves).collect(),
        (0..1 << 19).map(|_| halves(random.draw() >> 32)).collect(),
        (0..1 << 16).map(|quarter: u64| quarter * 0x0001_0001_0001_0001).collect(),
        (0..1 << 19).map(|half: u64| half << 32 | (!half & 0xFFFF_FFFF)).collect(),
        (0..1 << 19).map(|half: u64| half << 32 | half ^ 1).collect(),
    ]
}

/// Each key with the partner that a folded product of the key and its rotation might confuse it
/// with, and with its plain rotation.
fn paired() -> Vec<Vec<u64>> {
    let mut random = Random::new(5);
    let with = |partner: fn(u64) -> u64, keys: &[u64]| {
        keys.iter().flat_map(|&x| [x, partner(x)]).collect()
    };
    let drawn: Vec<u64> = (0..1 << 18).map(|_| random.draw()).collect();
    let small: Vec<u64> = (0..1 << 18).collect();
    let swap = |x: u64| x.rotate_left(32) ^ FOLD_A ^ FOLD_B;
    let turn = |x: u64| x.rotate_left(32);
    vec![with(swap, &drawn), with(swap, &small), with(turn, &drawn), with(turn, &small)]
}
