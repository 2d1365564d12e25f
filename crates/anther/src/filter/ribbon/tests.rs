use super::directory::{DRAW_AT, LAST_AT, SPLIT_AT, THRESHOLDS_OF_WORD};
use super::*;
use crate::batch::threads::Threads;
use crate::sizing::bound::overhead;
use crate::traits::Inspect;

const RATES: [f64; 4] = [0.5, 0.01, 1e-3, 1e-6];

/// Hashes that occur in no other `set`.
fn keys(n: u64, set: u64) -> Vec<KeyHash> {
    (0..n).map(|i| KeyHash(i).again(set)).collect()
}

fn about() -> About {
    About::new(Seed::FIXED, None)
}

fn solved(mut keys: &[KeyHash], items: u64, fpr: f64, work: Work<'_>) -> Ribbon {
    Ribbon::solve(&mut keys, items, Width::of_rate(items, fpr), about(), work).unwrap()
}

fn build(keys: &[KeyHash], fpr: f64) -> Ribbon {
    solved(keys, keys.len() as u64, fpr, Work::new().threads(Threads::ONE))
}

#[test]
fn every_key_is_found() {
    for fpr in RATES.into_iter().chain([0.9, 0.3, 1e-18, 0.5f64.powi(40)]) {
        for n in (0..=300).chain([1000, 1024, 1025, 1100, 2000, 5000, 10_000]) {
            let keys = keys(n, n);
            let ribbon = build(&keys, fpr);
            assert!(keys.iter().all(|key| ribbon.contains_hash(*key)), "{n} at {fpr}");
            assert!(ribbon.fpr() <= fpr * (1.0 + 1e-12), "{n} at {fpr}: {}", ribbon.fpr());
        }
    }
    assert_eq!(build(&[], 0.01).bits(), 0);
    assert!(!build(&[], 0.01).contains_hash(KeyHash(0)));
}

/// Inspection agrees with the answers: the xor of the slots that a key touches is its value, in as
/// many columns as there are where its row begins, for the keys that are found and no others; in
/// the first layer and in the last, in narrow blocks, in wide ones and across.
#[test]
fn the_slots_that_a_key_touches_give_the_answer() {
    let (mut later, mut narrow, mut across) = (0, 0, 0);
    for (fpr, n) in [(0.01, 300), (0.01, 3000), (1e-3, 40_000), (0.3, 500), (0.9, 500), (0.5, 0)] {
        let keys = [keys(n, n), keys(500, 1 << 40)].concat();
        let ribbon = build(&keys[..n as usize], fpr);
        let rows = ribbon.rows();
        for key in keys {
            let touches = ribbon.touches(key);
            let slots = touches.iter().filter(|touch| rows[touch.row].name == "slots");
            let slots: Vec<_> = slots.map(|touch| (rows[touch.row], touch.cell)).collect();
            let Some((_, equation)) = ribbon.find(key, |_, _| {}) else {
                assert!(slots.is_empty() && n == 0);
                continue;
            };
            // A block without columns has no row, and an equation that begins there always holds.
            let shown = slots.len() == equation.coefficients.count_ones() as usize;
            let width = if shown { slots[0].0.cells.width() } else { 0 };
            let xor = slots.iter().fold(0, |xor, (row, slot)| xor ^ row.cells.get(*slot));
            let holds = (xor ^ equation.value) & !u64::MAX.unbounded_shl(width) == 0;
            assert_eq!(holds, ribbon.contains_hash(key), "{n} at {fpr}");
            let last = slots.last().map_or(0, |(row, _)| row.cells.width());
            later += u32::from(slots.first().is_some_and(|(row, _)| row.layer > 0));
            narrow += u32::from(width == ribbon.directory.few && last == width);
            across += u32::from(width < last);
        }
    }
    assert!(later > 100 && narrow > 100 && across > 100, "{later} {narrow} {across}");
}

/// The rate computed from the columns is the measured one, and at most the target's. From 1000 keys
/// on it equals the target's, as no more blocks than needed are wide.
#[test]
fn the_rate_is_the_target() {
    let others = keys(400_000, 1 << 40);
    for fpr in RATES {
        for n in [1, 50, 300, 1000, 10_000, 100_000] {
            let keys = keys(n, n);
            let ribbon = build(&keys, fpr);
            assert!(keys.iter().all(|key| ribbon.contains_hash(*key)), "{n} at {fpr}");
            let rate = ribbon.fpr();
            assert!(rate <= fpr && (n < 1000 || rate > 0.95 * fpr), "{n} at {fpr}: {rate}");
            let found = others.iter().filter(|key| ribbon.contains_hash(**key)).count() as f64;
            let expected = rate * others.len() as f64;
            let sigma = (expected * (1.0 - rate)).sqrt().max(1.0);
            assert!((found - expected).abs() < 6.0 * sigma, "{n} at {fpr}: {found}");
        }
    }
}

#[test]
fn order_repetition_threads_and_memory_change_nothing() {
    let mut all = keys(150_000, 3);
    let once = build(&all, 0.01);
    assert_eq!(once.directory.len, 4 + 1 + 1, "three layers");
    all.reverse();
    all.extend_from_within(..50_000);
    for (threads, memory) in [(1, 1), (2, 500_000), (5, u64::MAX)] {
        let work = Work::new().threads(Threads::new(threads)).memory(memory);
        let again = solved(&all, 150_000, 0.01, work);
        assert_eq!(again, once, "{threads} threads, {memory} bytes");
    }
}

/// The number of items decides the number of shards, and nothing else.
#[test]
fn a_wrong_number_of_items_costs_little() {
    let keys = keys(40_000, 4);
    let right = build(&keys, 1e-3).bits() as f64;
    for items in [1, 20_000, 80_000, 400_000, 10_000_000] {
        let ribbon = solved(&keys, items, 1e-3, Work::new());
        assert_eq!(ribbon.items, keys.len() as u64);
        assert!(keys.iter().all(|key| ribbon.contains_hash(*key)), "{items}");
        let cost = ribbon.bits() as f64 / right;
        assert!((0.99..1.02).contains(&cost), "{items}: {cost}");
    }
}

/// Clustered hashes cost a layer, or none where no shard keeps them.
#[test]
fn clustered_hashes_are_found() {
    for n in [100, 5000, 50_000] {
        let one_crowd: Vec<KeyHash> = (0..n).map(KeyHash).collect();
        let mut half = keys(n / 2, 5);
        half.extend((0..n / 2).map(|i| KeyHash(i | 1 << 63)));
        for keys in [one_crowd, half] {
            let ribbon = build(&keys, 0.01);
            assert!(keys.iter().all(|key| ribbon.contains_hash(*key)), "{n}");
            assert!(ribbon.bits() < 15 * n + 2000, "{n}: {}", ribbon.bits());
        }
    }
}

#[test]
fn inconsistent_parts_are_rejected() {
    let ribbon = build(&keys(40_000, 6), 0.01);
    let (columns, shards) = (ribbon.directory.few, ribbon.directory.len as u64);
    let restore = |columns, shards, words: &[u64]| {
        let mut copy = Words::zeroed(words.len()).unwrap();
        copy.to_mut().copy_from_slice(words);
        Ribbon::from_words(columns, shards, copy, 40_000, ribbon.about.clone()).unwrap()
    };
    let words = ribbon.words().to_vec();
    assert_eq!(restore(columns, shards, &words), Some(ribbon.clone()));
    for columns in [columns - 1, columns + 1, 61, 64, u32::MAX] {
        assert_eq!(restore(columns, shards, &words), None);
    }
    for shards in [0, shards - 1, shards + 1, 1 << 32, u64::MAX] {
        assert_eq!(restore(columns, shards, &words), None);
    }
    assert_eq!(restore(columns, shards, &words[1..]), None);
    assert_eq!(restore(columns, shards, &words[..words.len() - 1]), None);
    let with = |at: usize, xor: u64| {
        let mut words = words.clone();
        words[at] ^= xor;
        restore(columns, shards, &words)
    };
    assert_eq!(with(0, 1 << LAST_AT), None, "a second shard in a layer that draws");
    assert_eq!(with(shards as usize - 1, 1 << LAST_AT), None, "no end");
    assert_eq!(with(0, sizing::MAX_BLOCKS << SPLIT_AT), None, "more narrow blocks than blocks");
    let thresholds = ribbon.directory.all(&words).last().unwrap().buckets + 2;
    assert_ne!(thresholds % THRESHOLDS_OF_WORD, 0);
    let word = shards as usize + thresholds / THRESHOLDS_OF_WORD;
    assert_eq!(with(word, 1 << 63), None, "a threshold of no bucket");
    assert!(restore(0, 0, &[]).is_some());
    assert_eq!(restore(0, 0, &[0]), None);
}

/// With any numbers: rejected, or a filter that answers.
#[test]
fn forged_words_do_no_harm() {
    let mut taken = 0;
    for forged in 0..20_000u64 {
        let draw = |salt| KeyHash(forged).again(salt).0;
        let shards = draw(0) % 4;
        let columns = (draw(1) % 3) as u32;
        let mut words: Vec<u64> = (0..shards)
            .map(|shard| {
                let (blocks, split) = (draw(10 + shard) % 4, draw(20 + shard) % 4);
                let (draw, last) = (draw(30 + shard) % 2, draw(40 + shard) % 2);
                blocks | split << SPLIT_AT | draw << DRAW_AT | last << LAST_AT
            })
            .collect();
        words.extend((0..draw(2) % 12).map(|word| draw(50 + word) >> (draw(3) % 60)));
        let mut copy = Words::zeroed(words.len()).unwrap();
        copy.to_mut().copy_from_slice(&words);
        if let Some(ribbon) = Ribbon::from_words(columns, shards, copy, 1, about()).unwrap() {
            taken += 1;
            assert!((0.0..=1.0).contains(&ribbon.fpr()));
            for key in (0..50).map(|i| KeyHash(i).again(forged)).chain([KeyHash(u64::MAX)]) {
                ribbon.contains_hash(key);
            }
        }
    }
    assert!(taken > 100, "{taken}");
}

/// The table in the header of `build.rs`.
#[test]
fn overhead_is_small() {
    let sizes: &[u64] = match cfg!(feature = "long") {
        true => &[10_000, 100_000, 1_000_000, 10_000_000],
        false => &[10_000, 100_000],
    };
    println!("keys, then overhead and the plan's, in percent, at {RATES:?}");
    for &n in sizes {
        let keys = keys(n, 7);
        print!("{n:>9}");
        for fpr in RATES {
            let ribbon = solved(&keys, n, fpr, Work::new());
            let over = overhead(ribbon.bits(), n, fpr);
            let planned = overhead(sizing::bits(n, fpr), n, fpr);
            print!("  {:.2} ({:.2})", over * 100.0, planned * 100.0);
            let most = if n == 10_000 { 0.05 } else { 0.02 };
            assert!(over < most, "{n} at {fpr}: {over}");
            let most = if n == 10_000 { 0.012 } else { 0.003 };
            assert!((over - planned).abs() < most, "{n} at {fpr}: {over}, planned {planned}");
        }
        println!();
    }
}
