mod copies;

use super::table::{Pair, Table};
use super::*;
use crate::format::Open;
use crate::parts::packed::Packed;
use crate::parts::words::Words;
use crate::sizing::quotient::BLOCK;
use std::collections::BTreeMap;

fn of(blocks: u64, remainder_bits: u32) -> Quotient {
    Quotient::with_blocks(blocks, remainder_bits, Seed::FIXED).unwrap()
}

fn hash(i: u64) -> KeyHash {
    KeyHash(i).again(7)
}

fn rows(table: &Table) -> [Vec<u64>; 4] {
    [
        table.slots.remainders.words().to_vec(),
        table.slots.occupied.words().to_vec(),
        table.slots.run_ends.words().to_vec(),
        table.slots.offsets.words().to_vec(),
    ]
}

fn from_rows(rows: &[Vec<u64>; 4], size: Size) -> Result<Table, &'static str> {
    let words = |row: &Vec<u64>| {
        let bytes: Vec<u8> = row.iter().flat_map(|word| word.to_le_bytes()).collect();
        Words::copied(&bytes).unwrap()
    };
    let [remainders, occupied, run_ends, offsets] = rows;
    Table::from_rows(
        Rows {
            remainders: words(remainders),
            occupied: words(occupied),
            run_ends: words(run_ends),
            offsets: words(offsets),
        },
        size,
    )
}

/// Pairs and how many copies of each are present.
type Multiset = BTreeMap<Pair, u64>;

/// The content of a run by its definition: the shorter of all copies, and of a mark and counts in
/// Elias's gamma code.
fn says(items: &[(u64, u64)], width: u32) -> Vec<u64> {
    let mut counted = vec![1, 0];
    for (remainder, count) in items {
        let binary = format!("{count:b}");
        let mut code = "0".repeat(binary.len() - 1) + &binary;
        while !code.len().is_multiple_of(width as usize) {
            code.push('0');
        }
        counted.push(*remainder);
        for digits in code.as_bytes().chunks(width as usize) {
            let digits = str::from_utf8(digits).unwrap();
            counted.push(u64::from_str_radix(digits, 2).unwrap());
        }
    }
    let total: u128 = items.iter().map(|(_, count)| u128::from(*count)).sum();
    if total <= counted.len() as u128 {
        items.iter().flat_map(|(remainder, count)| (0..*count).map(|_| *remainder)).collect()
    } else {
        counted
    }
}

/// The layout by its definition, without rank and select: the content of the runs, in order, each
/// slot at home or next to the one before it, beginning after a slot that stays free.
fn laid_out(pairs: &Multiset, size: Size) -> [Vec<u64>; 4] {
    let slots = size.slots();
    let mut runs: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for (pair, count) in pairs.iter().filter(|(_, count)| **count > 0) {
        runs.entry(pair.quotient).or_default().push((pair.remainder, *count));
    }
    // For each slot the quotient, its content, and whether the run ends.
    let mut filled = Vec::new();
    for (quotient, items) in runs {
        let run = says(&items, size.remainder_bits);
        filled.extend(run.iter().map(|value| (quotient, *value, false)));
        filled.last_mut().unwrap().2 = true;
    }
    // Twice around: the first round shows how far the last runs reach beyond the last slot.
    let mut next = 0;
    for _ in 0..2 {
        for (quotient, ..) in &filled {
            next = u64::max(next, *quotient) + 1;
        }
        next = next.saturating_sub(slots);
    }
    let mut remainders = Packed::zeroed(slots, size.remainder_bits).unwrap();
    let mut bits = [vec![0u64; size.blocks as usize], vec![0u64; size.blocks as usize]];
    let mut reach = vec![0u64; size.blocks as usize];
    reach[0] = next;
    for (quotient, value, ends) in filled {
        let position = u64::max(next, quotient);
        next = position + 1;
        let slot = position % slots;
        remainders.set(slot, value);
        bits[0][(quotient / 64) as usize] |= 1 << (quotient % 64);
        bits[1][(slot / 64) as usize] |= u64::from(ends) << (slot % 64);
        for block in quotient / 64 + 1..size.blocks {
            let beyond = next.saturating_sub(block * BLOCK);
            reach[block as usize] = reach[block as usize].max(beyond);
        }
    }
    let mut offsets = Packed::zeroed(size.blocks, 8).unwrap();
    // A run that reaches beyond the last slot may cover any number of blocks.
    for block in 0..size.blocks {
        let around = reach[0].saturating_sub(block * BLOCK);
        offsets.set(block, reach[block as usize].max(around).min(255));
    }
    let [occupied, run_ends] = bits;
    [remainders.words().to_vec(), occupied, run_ends, offsets.words().to_vec()]
}

/// The table is exactly the multiset's, and can be restored from its rows.
fn assert_holds(table: &Table, model: &Multiset, what: &str) {
    let expected = laid_out(model, table.size());
    assert_eq!(rows(table), expected, "{what}");
    let held = model.iter().filter(|(_, count)| **count > 0);
    assert!(table.pairs().eq(held.map(|(pair, count)| (*pair, *count))), "{what}");
    assert_eq!(table.len(), model.values().sum::<u64>(), "{what}");
    assert_eq!(from_rows(&expected, table.size()).as_ref(), Ok(table), "{what}");
}

/// Pairs inserted and removed in any order, against the definition of the layout and against a
/// multiset: spread evenly, clustered in one place, at the end of the ring, and nearly full; with
/// most pairs once or twice, and with most of them often.
#[test]
fn the_layout_does_not_depend_on_the_order() {
    let sizes = [(1, 1), (1, 3), (2, 2), (3, 5), (7, 9), (16, 4), (2, 7), (3, 30), (2, 58)];
    for (blocks, remainder_bits) in sizes {
        let size = Size { blocks, remainder_bits };
        for (spread, kinds) in [(1, 1), (2, 2), (7, 3), (64, u64::MAX), (size.slots(), u64::MAX)] {
            for (first, up) in [(0, 3), (size.slots() - 1, 3), (size.slots() / 2, 2)] {
                let what = format!("{size:?} {spread} {first}");
                let mut table = Table::new(size).unwrap();
                let mut model = Multiset::new();
                let mut state = blocks ^ spread << 8 ^ first << 16;
                let mut draw = || {
                    state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                    KeyHash(state).again(0).0
                };
                let (mut seen_full, mut seen_often) = (false, false);
                for step in 0..3 * size.slots() + 100 {
                    let quotient = (first + draw() % spread) % size.slots();
                    let remainder = KeyHash(draw() % kinds).again(1).0 >> (64 - remainder_bits);
                    let pair = Pair { quotient, remainder };
                    let held = model.entry(pair).or_default();
                    assert_eq!((table.count(pair), table.contains(pair)), (*held, *held > 0));
                    // Few pairs, inserted and removed in bursts.
                    let times = if kinds < 4 { 1 << (draw() % 7) } else { 1 };
                    let goes_in = draw() % 4 < up;
                    for _ in 0..times {
                        if !goes_in {
                            assert_eq!(table.remove(pair), *held > 0);
                            *held = held.saturating_sub(1);
                        } else if let Ok(new) = table.insert(pair) {
                            assert_eq!(new, *held == 0);
                            *held += 1;
                        }
                    }
                    seen_full |= table.slots.held() == size.capacity();
                    seen_often |= table.len() > 2 * table.slots.held();
                    if step % 17 == 0 || seen_full && step % 5 == 0 {
                        assert_holds(&table, &model, &format!("{what} {step}"));
                    }
                }
                assert!(seen_full || up == 2 || kinds < 4, "{what}");
                assert!(seen_often || kinds > 4, "{what}");
            }
        }
    }
}

/// A key is present when its home has a run and its remainder is in the slots that it touches, of
/// which only the last one ends the run.
#[test]
fn a_key_touches_its_run() {
    let mut filter = of(3, 5);
    (0..180).for_each(|i| {
        filter.insert_hash(hash(i)).unwrap();
    });
    assert_eq!(filter.table.size().blocks, 3, "nearly full");
    for key in (0..1000).map(hash) {
        let Pair { quotient, remainder } = filter.pair(key);
        let rows = filter.rows();
        let touches = filter.touches(key);
        let of = |row| touches.iter().filter(move |touch| touch.row == row);
        let says = |row| of(row).map(|touch| rows[row].cells.get(touch.cell)).collect::<Vec<_>>();
        assert!(of(1).map(|touch| touch.cell).eq([quotient]));
        assert!(of(3).map(|touch| touch.cell).eq([quotient / BLOCK]));
        assert!(of(0).map(|touch| touch.cell).eq(of(2).map(|touch| touch.cell)));
        let occupied = says(1) == [1];
        assert_eq!(filter.contains_hash(key), occupied && says(0).contains(&remainder));
        if occupied {
            let ends = says(2);
            assert_eq!(ends.iter().position(|end| *end == 1), Some(ends.len() - 1));
        }
    }
}

#[test]
fn pairs_are_listed_in_order() {
    let mut filter = of(3, 6);
    for i in 0..182 {
        filter.insert_hash(KeyHash((u64::MAX - i) << 40)).unwrap();
    }
    assert!(filter.table.pairs().is_sorted());
    assert_eq!(filter.table.pairs().map(|(_, count)| count).sum::<u64>(), 182);
}

/// Keys clustered beyond what eight bits of offset can say, inserted and removed.
#[test]
fn long_clusters_hold() {
    let mut filter = of(40, 20);
    let near_end = (0..2000u64).map(|i| KeyHash(u64::MAX - (i << 33)));
    let keys: Vec<KeyHash> = near_end.chain((0..300).map(hash)).collect();
    let mut part = filter.clone();
    for (at, key) in keys.iter().enumerate() {
        filter.insert_hash(*key).unwrap();
        if at.is_multiple_of(3) {
            part.insert_hash(*key).unwrap();
        }
    }
    assert_eq!(filter.table.size().blocks, 40, "clustering alone does not double it");
    let offsets = &filter.table.slots.offsets;
    assert!((0..40).filter(|block| offsets.get(*block) == 255).count() > 20);
    assert!(keys.iter().all(|key| filter.contains_hash(*key)));
    let pairs: Multiset = filter.table.pairs().collect();
    assert_eq!(rows(&filter.table), laid_out(&pairs, filter.table.size()));
    for (at, key) in keys.iter().enumerate() {
        if !at.is_multiple_of(3) {
            assert_eq!(filter.remove_hash(*key), Ok(true));
        }
    }
    assert_eq!(filter.table, part.table, "as if they had never been inserted");
}

#[test]
fn a_full_filter_doubles_until_it_rejects_keys() {
    let mut filter = of(1, 3);
    let capacities = [60, 121, 243];
    let mut held = Vec::new();
    for i in 0..243 {
        filter.insert_hash(hash(i)).unwrap();
        held.push(hash(i));
        let doublings = capacities.iter().filter(|capacity| i >= **capacity).count() as u32;
        let size = Size { blocks: 1 << doublings, remainder_bits: 3 - doublings };
        assert_eq!((filter.table.size(), filter.len()), (size, i + 1));
        assert!(held.iter().all(|key| filter.contains_hash(*key)), "{i}");
    }
    let before = filter.clone();
    assert_eq!(filter.insert_hash(hash(243)), Err(FULL));
    assert_eq!(filter.insert_hash(hash(0)), Err(FULL), "it would have to be counted");
    assert_eq!(filter.double(), Err(FULL));
    assert_eq!(filter, before, "nothing changed");
    assert!(FULL.to_string().contains("make it for more items"), "{FULL}");
    assert_eq!(filter.remove_hash(hash(5)), Ok(true));
    assert!(filter.insert_hash(hash(5)).is_ok(), "there is room again");
}

/// Equals the filter of twice the slots and one bit less per remainder, for any number of slots.
#[test]
fn doubling_is_building_in_twice_the_slots() {
    for (blocks, bits) in [(1, 2), (3, 7), (5, 12), (100, 30), (7, 58)] {
        let (mut filter, mut twice) = (of(blocks, bits), of(2 * blocks, bits - 1));
        for i in 0..60 * blocks {
            // Every tenth key is one of three.
            let key = if i % 10 == 0 { hash(i % 3) } else { hash(i) };
            filter.insert_hash(key).unwrap();
            twice.insert_hash(key).unwrap();
        }
        let rate = filter.profile().fpr_now;
        filter.double().unwrap();
        assert_eq!(filter, twice);
        assert_eq!(filter.profile().fpr_now, rate);
    }
}

/// As if the keys of both had been inserted into one, in either direction.
#[test]
fn filters_of_one_origin_merge_at_any_size() {
    let build = |keys: std::ops::Range<u64>, often: u64| {
        let mut filter = of(3, 10);
        keys.for_each(|i| assert!(filter.insert_hash(hash(i)).is_ok()));
        // Keys that are in both, most of them many times.
        (0..often * often).for_each(|i| assert!(filter.insert_hash(hash(i % often)).is_ok()));
        filter
    };
    for (upto, of_both) in [(100, 150), (100, 1000), (1000, 1100), (1000, 3000), (0, 700)] {
        for often in [0, 12, 40] {
            let (one, other) = (build(0..upto, often), build(upto..of_both, 0));
            for (mut ours, theirs) in [(one.clone(), &other), (other.clone(), &one)] {
                ours.merge(theirs).unwrap();
                assert_eq!(ours, build(0..of_both, often), "{upto} of {of_both}, {often}");
            }
            let mut twice = one.clone();
            twice.merge(&one).unwrap();
            assert!((0..often).all(|i| twice.count_hash(hash(i)) == 2 * one.count_hash(hash(i))));
            assert_eq!(twice.len(), 2 * one.len());
        }
    }
    let mut filter = build(0..100, 0);
    for (other, expected) in [
        (of(3, 9), Mismatch::Cells { ours: 192, theirs: 192 }),
        (of(4, 10), Mismatch::Cells { ours: 192, theirs: 256 }),
        (of(6, 10), Mismatch::Cells { ours: 192, theirs: 384 }),
        (of(6, 8), Mismatch::Cells { ours: 192, theirs: 384 }),
    ] {
        let before = filter.clone();
        assert_eq!(filter.merge(&other), Err(expected));
        assert_eq!(filter, before);
    }
    let mut small = of(1, 1);
    (0..60).for_each(|i| assert!(small.insert_hash(hash(i)).is_ok()));
    let before = small.clone();
    assert_eq!(small.merge(&before), Err(Mismatch::Full(FULL)));
    assert_eq!(small, before);
}

#[test]
fn sizes_out_of_range_are_named() {
    for bits in [0, 59] {
        let error = Quotient::with_blocks(1, bits, Seed::FIXED).unwrap_err().to_string();
        assert!(error.ends_with(&format!("cannot be {bits}; it can be 1 to 58")), "{error}");
    }
    let error = Quotient::with_blocks(0, 7, Seed::FIXED).unwrap_err();
    assert_eq!(error, SizeError::TooSmall { kind: Kind::Quotient, got: 0, least: 584 });
    let error = Quotient::with_blocks(u64::MAX, 7, Seed::FIXED).unwrap_err();
    assert!(matches!(error, SizeError::TooLarge { .. }));
    assert!(matches!(ExactSet::new(u64::MAX), Err(SizeError::TooLarge { .. })));
    assert!(matches!(ExactSet::new(1 << 44), Err(SizeError::TooLarge { .. })));
    for (items, fpr) in [(1, 0.999_999), (1, 1e-8), (1, 1e-18), (1000, 1e-15)] {
        let target = Target::new(items, fpr).unwrap();
        let mut filter = Quotient::new(target).unwrap();
        for i in 0..items {
            filter.insert_hash(hash(i)).unwrap();
        }
        assert!((0..items).all(|i| filter.contains_hash(hash(i))), "{target:?}");
        assert!(filter.profile().fpr_now <= fpr, "{target:?}");
    }
}

/// Every row with every bit flipped: rejected, or another valid table. Then random rows, which must
/// neither panic nor hang.
#[test]
fn forged_rows_are_rejected_or_valid() {
    let size = Size { blocks: 6, remainder_bits: 3 };
    let mut table = Table::new(size).unwrap();
    for i in 0..275 {
        let KeyHash(x) = hash(i);
        // Clustered in the upper half of the ring and beyond its end, and some pairs often.
        let quotient = if i < 250 { 364 + x % 20 } else { x % 384 };
        for _ in 0..if i.is_multiple_of(40) { 1 << (i / 20) } else { 1 } {
            table.insert(Pair { quotient, remainder: x >> 61 }).unwrap();
        }
    }
    let original = rows(&table);
    assert!((0..6).any(|block| table.slots.offsets.get(block) == 255));
    let try_all = |forged: &[Vec<u64>; 4]| {
        let Ok(accepted) = from_rows(forged, size) else { return 0 };
        let pairs: Multiset = accepted.pairs().collect();
        assert_holds(&accepted, &pairs, "only what inserts leave behind");
        assert_eq!(rows(&accepted), *forged);
        let mut changed = accepted.clone();
        for pair in pairs.keys() {
            assert!(changed.remove(*pair));
        }
        assert!(pairs.keys().all(|pair| changed.insert(*pair).is_ok()));
        assert_eq!(changed, accepted);
        1
    };
    let (mut accepted, mut tried) = (0, 0);
    for row in 0..4 {
        for bit in 0..original[row].len() * 64 {
            let mut forged = original.clone();
            forged[row][bit / 64] ^= 1 << (bit % 64);
            accepted += try_all(&forged);
            tried += 1;
        }
    }
    assert!(accepted > 100, "{accepted}: most changed remainders are still valid");
    assert!(accepted * 2 < tried, "{accepted} of {tried}");
    let mut state = 0;
    for round in 0..20_000u64 {
        let mut forged = original.clone();
        for row in forged.iter_mut().take(1 + (round % 4) as usize) {
            for word in row.iter_mut() {
                state += 1;
                let x = hash(state).0;
                // Dense, sparse, none, all.
                *word = [x, x & hash(state + 1).0 & hash(state + 2).0, 0, u64::MAX]
                    [(x >> 7) as usize % (1 + (round / 4 % 4) as usize)];
            }
        }
        forged[3][0] &= u64::MAX >> 16;
        try_all(&forged);
    }
    let empty = from_rows(&[vec![0; 18], vec![0; 6], vec![0; 6], vec![0; 1]], size);
    assert_eq!(empty, Ok(Table::new(size).unwrap()));
    // The most slots that may be used, and more than that.
    let full = |pairs| -> Multiset {
        (0..pairs).map(|quotient| (Pair { quotient, remainder: 1 }, 1)).collect()
    };
    assert!(from_rows(&laid_out(&full(364), size), size).is_ok());
    assert_eq!(from_rows(&laid_out(&full(365), size), size), Err("occupied"));
    assert_eq!(from_rows(&laid_out(&full(384), size), size), Err("occupied"));
}

#[test]
fn keys_are_listed_as_inserted() {
    let mut set = ExactSet::new(10).unwrap();
    let mut model: BTreeMap<u64, u64> = BTreeMap::new();
    for i in 0..20_000u64 {
        let x = [i / 3, u64::MAX - i, i << 44, 0][i as usize % 4];
        if !hash(i).0.is_multiple_of(3) {
            let held = model.entry(x).or_default();
            assert_eq!(set.insert(x), Ok(*held == 0));
            *held += 1;
        } else if let Some(held) = model.get_mut(&x) {
            assert_eq!(set.remove(x), Ok(*held > 0));
            *held = held.saturating_sub(1);
        }
    }
    let listed = |set: &ExactSet| {
        let mut listed: Vec<u64> = set.iter().collect();
        assert!(listed.is_sorted_by_key(|x| ExactSet::hash(*x)));
        listed.sort_unstable();
        listed
    };
    let expected: Vec<u64> = model.iter().flat_map(|(x, held)| (0..*held).map(|_| *x)).collect();
    assert_eq!(listed(&set), expected);
    assert_eq!(set.len(), expected.len() as u64);
    assert_eq!(set.profile().fpr_now, 0.0, "no false positives");
    for (x, held) in &model {
        assert_eq!((set.contains(*x), set.count(*x)), (*held > 0, *held));
    }

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.anther");
    set.save(&path).unwrap();
    assert_eq!(ExactSet::open(&path).unwrap(), set);
    assert!(Open::new().file::<Quotient>(&path).is_err(), "keys cannot be hashed for it");
    let filter: Quotient = Open::new().without_hashing().file(&path).unwrap();
    assert!(filter.contains_hash(ExactSet::hash(0)) && filter == *set.as_filter());
    assert_eq!(ExactSet::try_from(filter).unwrap(), set);

    let mut twice = set.clone();
    twice.merge(&set).unwrap();
    let doubled: Vec<u64> = expected.iter().flat_map(|x| [*x, *x]).collect();
    assert_eq!(listed(&twice), doubled);

    let target = Target::new(10, 0.01).unwrap();
    let mut other = Quotient::with_seed(target, Seed::EXTERNAL).unwrap();
    assert_eq!(other.merge(set.as_filter()), Err(Mismatch::Option { name: "exact" }));
    other.save(&path).unwrap();
    assert!(matches!(ExactSet::open(&path), Err(LoadError::Field { name: "exact", .. })));
    assert!(ExactSet::try_from(other).is_err());
}

#[test]
fn short_texts_are_keys_in_their_order() {
    let texts: [&[u8]; 7] =
        [b"", b"\x01", b"a", b"aa", b"ab", b"abcdefgh", b"\xff\xff\xff\xff\xff\xff\xff\xff"];
    let keys = texts.map(|text| ExactSet::of_text(text).unwrap());
    assert!(keys.is_sorted() && keys.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(keys.map(ExactSet::text_of), texts);
    assert_eq!((ExactSet::of_text(b"abcdefghi"), ExactSet::of_text(b"a\0")), (None, None));
}
