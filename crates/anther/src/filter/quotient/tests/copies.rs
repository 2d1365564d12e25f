//! Keys inserted many times.

use super::*;
use crate::filter::quotient::table::NoRoom;

/// A table of these pairs, with enough blocks for the longest count in the narrowest slots.
fn table(width: u32, pairs: &[(u64, u64, u64)]) -> Result<Table, NoRoom> {
    let size = Size { blocks: 4, remainder_bits: width };
    let pair = |(quotient, remainder, count)| (Pair { quotient, remainder }, count);
    Table::of(size, pairs.iter().copied().map(pair))
}

/// The filter of a table that no keys left behind.
fn filter(table: Table) -> Quotient {
    Quotient { table, exact: false, about: About::new(Seed::FIXED, None) }
}

/// The content of quotient 0's run.
fn run(table: &Table) -> Vec<u64> {
    (0..table.slots.held()).map(|slot| table.slots.get(slot)).collect()
}

/// The table with these slots as the only run, that of quotient 0.
fn forged(width: u32, run: &[u64]) -> Result<Table, &'static str> {
    let size = Size { blocks: 4, remainder_bits: width };
    let mut slots = Packed::zeroed(size.slots(), width).unwrap();
    run.iter().zip(0..).for_each(|(value, slot)| slots.set(slot, *value));
    let (last, mut ends) = (run.len() - 1, vec![0; 4]);
    ends[last / 64] = 1 << (last % 64);
    let mut offsets = Packed::zeroed(4, 8).unwrap();
    (0..4).for_each(|block| offsets.set(block, (run.len() as u64).saturating_sub(block * 64)));
    offsets.set(0, 0);
    let rows = [slots.words().to_vec(), vec![1, 0, 0, 0], ends, offsets.words().to_vec()];
    from_rows(&rows, size)
}

/// The example of FORMAT.md, and where one form gives way to the other.
#[test]
fn a_run_has_the_shorter_form() {
    for (width, items, expected) in [
        (3, &[(2, 1), (5, 9)][..], &[1, 0, 2, 4, 5, 0, 4, 4][..]),
        (3, &[(2, 1), (5, 6)], &[2, 5, 5, 5, 5, 5, 5]),
        (3, &[(2, 1), (5, 7)], &[1, 0, 2, 4, 5, 1, 6]),
        (7, &[(0, 4)], &[0, 0, 0, 0]),
        (7, &[(0, 5)], &[1, 0, 0, 0b001_0100]),
        (7, &[(0, 16)], &[1, 0, 0, 0b000_0100, 0b000_0000]),
        (1, &[(0, 2), (1, 3)], &[0, 0, 1, 1, 1]),
        (1, &[(1, 10)], &[1; 10]),
        (1, &[(1, 11)], &[1, 0, 1, 0, 0, 0, 1, 0, 1, 1]),
        (58, &[(7, u64::MAX)], &[1, 0, 7, 0, (1 << 53) - 1, ((1 << 11) - 1) << 47]),
    ] {
        let pairs: Vec<_> = items.iter().map(|(x, count)| (0, *x, *count)).collect();
        let table = table(width, &pairs).unwrap();
        assert_eq!(run(&table), expected, "{width} {items:?}");
        assert_eq!(forged(width, expected), Ok(table), "{width} {items:?}");
    }
}

/// Every count of every width, alone and between others, in the middle and at the end of the ring.
#[test]
fn counts_are_read_back() {
    let around = |bit: u32| [-1, 0, 1].map(|by| (1u64 << bit).wrapping_add_signed(by));
    let counts: Vec<u64> = (1..70).chain((7..64).flat_map(around)).chain([u64::MAX - 3]).collect();
    for width in 1..=58 {
        let most = u64::MAX >> (64 - width);
        for &count in &counts {
            for quotient in [0, 100, 255] {
                let mut pairs = vec![(quotient, most / 2, count)];
                if width > 2 {
                    pairs.insert(0, (quotient, 0, 1));
                    pairs.push((quotient, most, 2));
                }
                let table = table(width, &pairs).unwrap();
                let model = pairs.iter().map(|(quotient, remainder, count)| {
                    (Pair { quotient: *quotient, remainder: *remainder }, *count)
                });
                let model: Multiset = model.collect();
                assert_holds(&table, &model, &format!("{width} {pairs:?}"));
                assert!(model.iter().all(|(pair, count)| table.count(*pair) == *count));
                let absent = Pair { quotient, remainder: most / 2 + 1 };
                assert!(!table.contains(absent) || most / 2 + 1 == most && width > 2);
                let total = table.len();
                assert!(table.slots.held() <= total, "no more slots than copies");
            }
        }
    }
}

/// Each takes the time of one, in few slots: with a slot per copy this would not end.
#[test]
fn a_million_copies_are_inserted_and_removed() {
    let million = 1_000_000;
    for (blocks, bits, copies, slots) in
        [(1, 7, million, 9), (1, 58, million, 4), (1, 2, 100_000, 20), (2, 1, 100_000, 36)]
    {
        let mut filter = of(blocks, bits);
        let empty = filter.table.clone();
        for i in 0..copies {
            assert_eq!(filter.insert_hash(hash(1)), Ok(i == 0));
        }
        assert_eq!((filter.count_hash(hash(1)), filter.len()), (copies, copies));
        assert_eq!((filter.table.slots.held(), filter.table.size()), (slots, empty.size()));
        assert_eq!(filter.profile().fill, slots as f64 / (64.0 * blocks as f64));
        for _ in 0..copies {
            assert_eq!(filter.remove_hash(hash(1)), Ok(true));
        }
        assert_eq!(filter.remove_hash(hash(1)), Ok(false));
        assert_eq!(filter.table, empty);
    }
}

/// Few keys, inserted and removed by the hundred, in filters that must double for their counts, or
/// reject them.
#[test]
fn the_order_of_few_keys_does_not_matter() {
    for bits in [1, 2, 3, 7, 30, 58] {
        let (mut doubled, mut refused) = (0, 0);
        for round in 0..20u64 {
            let mut filter = of(1 + round % 3, bits);
            let mut held: BTreeMap<KeyHash, u64> = BTreeMap::new();
            for step in 0..150 {
                let draw = hash(step ^ round << 32);
                let key = hash(draw.0 % (8 + 4 * round));
                let (times, before) = (1 << (draw.0 >> 8 & 7), filter.table.size());
                let known = held.entry(key).or_default();
                for _ in 0..times {
                    if draw.0 >> 20 & 3 == 0 {
                        // Another key may have its fingerprint.
                        if *known > 0 {
                            assert_eq!(filter.remove_hash(key), Ok(true));
                            *known -= 1;
                        }
                    } else {
                        let unchanged = filter.clone();
                        match filter.insert_hash(key) {
                            Ok(_) => *known += 1,
                            Err(_) => {
                                assert_eq!(filter, unchanged);
                                refused += 1;
                            }
                        }
                    }
                }
                doubled += u64::from(filter.table.size() != before);
                let mut model = Multiset::new();
                for (key, count) in held.iter().filter(|(_, count)| **count > 0) {
                    *model.entry(filter.pair(*key)).or_default() += count;
                }
                assert_holds(&filter.table, &model, &format!("{bits} {round} {step}"));
            }
        }
        assert!(doubled > 0 || bits == 1, "{bits}");
        assert_eq!(refused > 0, bits < 7, "{bits}: {refused}");
    }
}

/// More than 2⁶⁴-1 copies of one key, or of all together, are rejected, and nothing changes.
#[test]
fn counts_end_at_the_largest_number() {
    let most = u64::MAX;
    let full = table(9, &[(0, 3, most - 1), (5, 8, 1)]).unwrap();
    assert_eq!(full.len(), most);
    for at in [Pair { quotient: 0, remainder: 3 }, Pair { quotient: 9, remainder: 0 }] {
        let mut changed = full.clone();
        assert_eq!(changed.insert(at), Err(NoRoom::Ever));
        assert_eq!(changed, full);
    }
    for other in [table(9, &[(0, 3, 1)]), table(9, &[(7, 7, 1)])] {
        let mut merged = filter(full.clone());
        assert_eq!(merged.merge(&filter(other.unwrap())), Err(Mismatch::Full(FULL)));
        assert_eq!(merged.table, full);
    }
    let mut merged = filter(full.clone());
    merged.merge(&filter(table(9, &[]).unwrap())).unwrap();
    assert_eq!(merged.table, full);
    assert!(merged.table.remove(Pair { quotient: 5, remainder: 8 }));
    assert_eq!(merged.table, table(9, &[(0, 3, most - 1)]).unwrap());
    merged.double().unwrap();
    assert_eq!(merged.len(), most - 1);

    let [one, two] = [[(0, 3, most), (5, 8, 0)], [(0, 3, most), (5, 8, 1)]];
    assert_eq!(table(9, &one[..1]).unwrap().len(), most);
    assert_eq!(table(9, &two), Err(NoRoom::Ever));
    let rows = |pairs: &[(u64, u64, u64)]| {
        let model = pairs.iter().map(|(quotient, remainder, count)| {
            (Pair { quotient: *quotient, remainder: *remainder }, *count)
        });
        laid_out(&model.collect(), full.size())
    };
    assert!(from_rows(&rows(&one), full.size()).is_ok());
    assert_eq!(from_rows(&rows(&two), full.size()), Err("remainders"));
    assert_eq!(from_rows(&rows(&[(0, 3, most), (0, 8, 1)]), full.size()), Err("remainders"));
}

/// Runs that no inserts leave behind.
#[test]
fn forged_counts_are_rejected() {
    for (width, run, why) in [
        (3, &[1, 0][..], "a mark alone"),
        (3, &[1, 0, 5], "no count"),
        (3, &[1, 0, 5, 0], "a count that does not begin"),
        (3, &[1, 0, 5, 0, 4], "a count that does not end"),
        (3, &[1, 0, 5, 0, 4, 5], "padding that is not zero"),
        (3, &[1, 0, 5, 0, 4, 0, 0], "a slot too many"),
        (3, &[1, 0, 5, 0, 4, 0, 6], "a remainder without count"),
        (3, &[1, 0, 5, 0, 4, 0, 4, 0, 4, 0], "remainders that descend"),
        (3, &[1, 0, 5, 0, 4, 0, 5, 0, 4, 0], "a repeated remainder"),
        (3, &[1, 0, 5, 1, 0], "counted, which is longer than plain"),
        (3, &[1, 0, 5, 1, 2], "counted, which is as long as plain"),
        (3, &[5, 5, 5, 5, 5, 5], "plain, which is longer than counted"),
        (3, &[2, 1], "a descent that is not a mark"),
        (3, &[2, 0, 5, 0, 4, 0], "a descent that is not a mark"),
        (7, &[1, 0, 0, 0b010_0000], "a count of 2"),
    ] {
        assert_eq!(forged(width, run), Err("remainders"), "{why}");
    }
    // A mark counts as one only at the beginning of a run.
    assert!(forged(3, &[1, 0, 5, 0, 4, 0]).is_ok());
    assert!(forged(3, &[0, 1]).is_ok());
    // Any number of leading zeros: 64 are one too many.
    for (width, zeros) in [(1, 64), (1, 65), (1, 200), (2, 32), (2, 150), (58, 1), (58, 2), (58, 9)]
    {
        let mut run = vec![1, 0, 1];
        run.resize(3 + zeros, 0);
        assert_eq!(forged(width, &run), Err("remainders"), "{width} {zeros}");
        let most = u64::MAX >> (64 - width);
        run.resize(3 + zeros + 40, most);
        assert_eq!(forged(width, &run), Err("remainders"), "{width} {zeros}");
    }
}
