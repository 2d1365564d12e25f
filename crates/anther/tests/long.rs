//! Tests that need gigabytes or minutes: `cargo xtask long`. All combinations of sizes, rates and
//! key shapes are in `accuracy`.
#![cfg(feature = "long")]

use crate::support;
use crate::support::{assert_rate, in_parallel, six_sigma};
use anther::parts::probes::Line;
use anther::sizing::{blocked, bloom, cascade as cascade_sizing};
use anther::{
    AnyFilter, Blocked, Cascade, Classic, Filter, ForTarget, Key, KeyHash, Kind, Open, PlainBits,
    Seed, Shape, Shared, SizeError, Split, Target,
};
use std::ops::Range;
use std::time::Instant;

/// Inserted keys are 0 to n, as integers; queried keys are those after them.
fn hashes(keys: Range<u64>, seed: &Seed) -> Vec<KeyHash> {
    keys.map(|key| key.key_hash(seed)).collect()
}

/// Divides a range into pieces that fit a cache, and works on them on all cores.
fn over<R: Send>(keys: Range<u64>, work: impl Fn(Range<u64>) -> R + Sync) -> Vec<R> {
    const PIECE: u64 = 1 << 16;
    let pieces: Vec<_> = keys
        .clone()
        .step_by(PIECE as usize)
        .map(|start| start..keys.end.min(start + PIECE))
        .collect();
    in_parallel(&pieces, |piece| work(piece.clone()))
}

/// Fills an empty filter of any size with the keys 0 to n.
fn fill<F: PlainBits>(filter: F, n: u64) -> F {
    let seed = *filter.seed();
    let shared = Shared::new(filter).unwrap();
    over(0..n, |keys| shared.insert_hashes(&hashes(keys, &seed)));
    shared.into_inner()
}

fn count<F: PlainBits>(filter: &F, keys: Range<u64>) -> u64 {
    let seed = *filter.seed();
    let count = |keys| {
        let hashes = hashes(keys, &seed);
        let mut found = vec![false; hashes.len()];
        filter.contains_hashes(&hashes, &mut found);
        found.into_iter().map(u64::from).sum::<u64>()
    };
    over(keys, count).into_iter().sum()
}

fn model(kind: Kind, bits: u64, probes: u32, n: u64) -> f64 {
    match kind {
        Kind::Classic => bloom::rate(bits, n, probes),
        Kind::Blocked => blocked::line_rate(bits / 512, n, probes),
        _ => blocked::lanes_rate(bits / 256, n),
    }
}

/// No key is lost, and the rate is the model's. With millions of lines the variation between
/// filters is below 0.3 %, so six of it are below 2 %.
fn check<F: PlainBits>(filter: &F, n: u64, queries: u64) {
    let profile = filter.profile();
    let what = format!("{}, {n} keys in {} bits", profile.kind, profile.bits);
    let start = Instant::now();
    assert_eq!(count(filter, 0..n), n, "{what}: all keys are found");
    let hits = count(filter, n..n + queries);
    let expected = model(profile.kind, profile.bits, profile.probes, n);
    assert_rate(hits, queries, profile.fpr_now, &what);
    assert!((profile.fpr_now / expected - 1.0).abs() < 0.02, "{what}: {profile:?} {expected}");
    let items = profile.items.unwrap();
    let error = (items.items - n as f64).abs();
    assert!(error <= 6.0 * items.deviation + 0.5, "{what}: {items:?}");
    println!(
        "{what}: model {expected:.4e}, reported {:.4e}, measured {:.4e} (checked in {:.0?})",
        profile.fpr_now,
        hits as f64 / queries as f64,
        start.elapsed()
    );
}

/// Every sixteenth of the cells is as full as the whole, and the last words are in use: an index
/// truncated to 32 bits somewhere would leave the upper part empty.
fn check_evenness<F: PlainBits>(filter: &F) {
    let words = filter.bits().words();
    let ones = |words: &[u64]| words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    let fill = ones(words) as f64 / filter.bits().len() as f64;
    for part in words.chunks(words.len() / 16) {
        let expected = part.len() as f64 * 64.0 * fill;
        // A key sets several ones in a part at once, so the variance of the ones is that much
        // larger.
        let variance = expected * f64::from(filter.profile().probes);
        let got = ones(part) as f64;
        assert!((got - expected).abs() <= six_sigma(variance), "{got} for {expected}");
    }
    assert!(ones(&words[words.len() - 64..]) > 0, "the last words are in use");
}

/// 2³¹, 3·2²⁹, 2³² and 2³³ bits, where other filters lost their upper half.
#[test]
fn sizes_beyond_32_bits_work() {
    fn law<F: PlainBits + Into<AnyFilter> + TryFrom<AnyFilter>>(
        shaped: fn(Shape, Seed) -> Result<F, SizeError>,
        probes: u32,
    ) {
        for bits in [3 << 29, 1 << 31, 1 << 32, 1u64 << 33] {
            let start = Instant::now();
            let filter = shaped(Shape::bits(bits).probes(probes), Seed::FIXED).unwrap();
            assert_eq!(filter.profile().bits, bits);
            let n = bits / 32;
            let filter = fill(filter, n);
            println!("{bits} bits filled in {:.0?}", start.elapsed());
            check_evenness(&filter);
            check(&filter, n, 20_000_000);
            if bits == 1 << 33 {
                // Folded, it keeps its keys; saved, it can be mapped.
                let folded = filter.fold(4).unwrap();
                check_evenness(&folded);
                assert_eq!(count(&folded, n - 10_000_000..n), 10_000_000);
                drop(folded);
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("large.anther");
                let hits = count(&filter, n..n + 1_000_000);
                let any: AnyFilter = filter.into();
                any.save(&path).unwrap();
                drop(any);
                let Ok(mapped) =
                    F::try_from(support::map::<AnyFilter>(Open::new(), &path).unwrap())
                else {
                    panic!("another kind");
                };
                assert_eq!(count(&mapped, n - 1_000_000..n), 1_000_000);
                assert_eq!(count(&mapped, n..n + 1_000_000), hits);
            }
        }
    }
    law::<Classic>(Classic::with_shape, 2);
    law::<Blocked>(Blocked::with_shape, 3);
    law::<Split>(Split::with_shape, 8);
}

/// A hundred million keys at 1 %, the size at which 1 % became 76 % elsewhere.
#[test]
fn a_hundred_million_keys_keep_the_rate() {
    fn law<F: PlainBits + ForTarget>() {
        const KEYS: u64 = 100_000_000;
        let target = Target::new(KEYS, 0.01).unwrap();
        let filter = fill(F::with_seed(target, Seed::chosen(1)).unwrap(), KEYS);
        check_evenness(&filter);
        check(&filter, KEYS, 20_000_000);
        let profile = filter.profile();
        assert!(profile.fpr_now < 0.01 * 1.002 && !profile.is_overfull(), "{profile:?}");
    }
    law::<Classic>();
    law::<Blocked>();
    law::<Split>();
}

/// Keys of 300 MB that differ in one byte or in length.
#[test]
fn keys_can_have_hundreds_of_megabytes() {
    const LEN: usize = 300 << 20;
    let mut key = vec![0x80u8; LEN];
    for seed in [Seed::FIXED, Seed::chosen(1), Seed::keyed([1; 16])] {
        let whole = key.key_hash(&seed);
        let mut others = vec![key[1..].key_hash(&seed), key[..LEN - 1].key_hash(&seed)];
        others.push((&key[..], "").key_hash(&seed));
        for at in [0, 1, LEN / 2, LEN - 1] {
            key[at] ^= 1;
            others.push(key.key_hash(&seed));
            key[at] ^= 1;
        }
        assert_eq!(key.key_hash(&seed), whole);
        for kind in support::faithful() {
            let mut filter = support::filled(kind, 100, 1e-6, seed, &[whole]);
            assert_eq!(filter.contains(&key), Ok(true), "{kind}");
            assert!(others.iter().all(|other| !filter.contains_hash(*other)), "{kind}");
            support::put(&mut filter, &others);
            assert!(others.iter().all(|other| filter.contains_hash(*other)), "{kind}");
        }
    }
}

/// A fifth of the 2³² patterns of a line. Positions are odd multiples of the pattern, so those of
/// round patterns meet; the others must meet no more often than independent positions do. What
/// counts is the mean of fillᵈ for d different positions: it is the rate of a line at that fill.
///
/// A pattern and its negative have mirrored positions, and so equally many different ones: half of
/// them are enough. All of them give +6.5e-10 for sixteen probes, where 1.9e-5 is expected.
#[test]
fn patterns_of_a_line_are_as_good_as_independent_positions() {
    const PROBES: usize = Line::MAX_PROBES as usize;
    const PATTERNS: u64 = (1 << 31) / 5;
    const INVERSE: u64 = 0xF1DE_83E1_9937_733D;
    let histogram = |patterns: Range<u64>| {
        let mut counts = [[0u64; PROBES + 1]; PROBES + 1];
        for pattern in patterns {
            let key = KeyHash(((5 * pattern) << 32).wrapping_mul(INVERSE));
            let (mut line, mut probe, mut different) = ([0u64; 8], 0, 0);
            Line::new(1, Line::MAX_PROBES).each(key, |place| {
                let (word, mask) = (place as usize / 64, 1 << (place % 64));
                different += usize::from(line[word] & mask == 0);
                line[word] |= mask;
                probe += 1;
                counts[probe][different] += 1;
            });
        }
        counts
    };
    let parts = over(0..PATTERNS, histogram);
    // A line of 512 bits that is half full; d different positions of k by the recursion of
    // `sizing`.
    let mut independent = [0.0; PROBES + 1];
    independent[0] = 1.0;
    for k in 1..=PROBES {
        for d in (1..=PROBES).rev() {
            let new = (512.0 - d as f64 + 1.0) / 512.0;
            independent[d] = independent[d] * (d as f64 / 512.0) + independent[d - 1] * new;
        }
        independent[0] = 0.0;
        let power = |d: usize| 0.5f64.powi(d as i32);
        let expected: f64 = independent.iter().enumerate().map(|(d, p)| p * power(d)).sum();
        let count = |d: usize| parts.iter().map(|counts| counts[k][d]).sum::<u64>();
        let sum: f64 = (1..=PROBES).map(|d| count(d) as f64 * power(d)).sum();
        let got = sum / PATTERNS as f64;
        println!("{k:2} probes: {got:.6e}, independent {expected:.6e}, +{:.1e}", got - expected);
        assert!((got - expected).abs() < 0.001 * expected, "{k} probes: {got} {expected}");
    }
}

/// CRLite's proportion, 1.43 % of a universe of ten million: not one error, and at most 1.12 times
/// the entropy.
#[test]
fn a_cascade_of_a_large_universe() {
    let (universe, members) = (10_000_000, 143_000);
    let start = Instant::now();
    let cascade = Cascade::build(0..members, members..universe, None).unwrap();
    let took = start.elapsed().as_secs_f64();
    let wrong: u64 = over(0..universe, |keys| {
        keys.filter(|key| cascade.contains(*key) != (*key < members)).count() as u64
    })
    .into_iter()
    .sum();
    assert_eq!(wrong, 0, "errors in the universe");
    let bits = cascade.profile().bits as f64;
    let times = bits / cascade_sizing::bound_bits(members, universe - members);
    let each = bits / members as f64;
    println!(
        "cascade: {each:.3} bits per member, {times:.4} times the entropy, built in {took:.1} s"
    );
    assert!(times <= 1.12, "{times}");
    let found = over(1 << 40..(1 << 40) + 10_000_000, |keys| {
        keys.filter(|key| cascade.contains(*key)).count() as u64
    });
    assert_rate(found.into_iter().sum(), 10_000_000, cascade.profile().fpr_now, "elsewhere");
}
