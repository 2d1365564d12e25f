//! Cuckoo filters beyond the laws that all kinds share.

use super::*;

fn of(buckets: u64, bucket_size: u32, tag_bits: u32) -> Cuckoo {
    Cuckoo::with_buckets(buckets, bucket_size, tag_bits, Seed::FIXED).unwrap()
}

fn keys(set: u64) -> impl Iterator<Item = KeyHash> {
    (0u64..).map(move |i| KeyHash(set << 32 | i).again(7))
}

/// Inserts keys until one is rejected; returns those inserted, and that one.
fn fill(filter: &mut Cuckoo) -> (Vec<KeyHash>, KeyHash) {
    let mut held = Vec::new();
    for key in keys(0) {
        match filter.insert_hash(key) {
            Ok(_) => held.push(key),
            Err(error) => {
                assert_eq!(error, Full::of(Kind::Cuckoo));
                return (held, key);
            }
        }
    }
    unreachable!("keys do not end");
}

/// A present key's tag is among the cells that it touches.
#[test]
fn a_key_touches_its_tag() {
    for (bucket_size, tag_bits) in [(1, 8), (2, 4), (4, 4), (8, 12)] {
        let mut filter = of(40, bucket_size, tag_bits);
        let (held, _) = fill(&mut filter);
        for key in held.into_iter().chain(keys(1).take(1000)) {
            let (tag, _) = filter.tag_and_buckets(key);
            let touches = filter.touches(key);
            assert_eq!(touches.len() as u32, 2 * bucket_size);
            let among = touches.iter().any(|touch| filter.rows()[0].cells.get(touch.cell) == tag);
            assert_eq!(among, filter.contains_hash(key));
        }
    }
}

/// This lets a tag move without its key.
#[test]
fn the_other_bucket_leads_back() {
    for buckets in [1, 2, 3, 7, 8, 1000, (1 << 40) + 1] {
        let size = Size { buckets, bucket_size: 4, tag_bits: 12 };
        let filter = Cuckoo { size, ..of(1, 4, 12) };
        for key in keys(1).take(2000) {
            let (tag, [left, right]) = filter.tag_and_buckets(key);
            assert!((1..1 << 12).contains(&tag), "never 0");
            assert!(left < buckets && (buckets..2 * buckets).contains(&right));
            assert_eq!((filter.other(left, tag), filter.other(right, tag)), (right, left));
        }
    }
}

#[test]
fn a_full_filter_rejects_keys_and_loses_none() {
    for (buckets, bucket_size, least) in [
        (1, 4, 1.0),
        (50, 4, 0.92),
        (2000, 1, 0.45),
        (2000, 2, 0.87),
        (2000, 4, 0.97),
        (2000, 8, 0.99),
    ] {
        let mut filter = of(buckets, bucket_size, 16);
        let (mut held, refused) = fill(&mut filter);
        let load = filter.profile().fill;
        assert!((least..=1.0).contains(&load), "{buckets} of {bucket_size}: {load}");
        assert_eq!(held.len() as u64, filter.taken().cells);
        let before = filter.clone();
        assert!(filter.insert_hash(refused).is_err() && filter == before, "nothing changed");
        assert!(held.iter().all(|key| filter.contains_hash(*key)), "{buckets}");
        // Removals make room, and in the end leave an empty filter.
        while let Some(key) = held.pop() {
            assert_eq!(filter.remove_hash(key), Ok(true));
        }
        assert_eq!(filter.taken(), Taken::default());
        assert_eq!(filter.insert_hash(refused), Ok(true));
    }
}

/// A batch fills the cells that single inserts fill, and ends with the key that is rejected. Buckets
/// of all sizes, some of which can be read at once and some of which cannot.
#[test]
fn a_batch_is_the_same_as_single_inserts() {
    for (buckets, bucket_size, tag_bits) in [
        (1, 4, 8),
        (97, 1, 5),
        (97, 2, 31),
        (1000, 4, 10),
        (1000, 4, 17),
        (500, 8, 8),
        (300, 8, 32),
    ] {
        let mut filter = of(buckets, bucket_size, tag_bits);
        let (held, refused) = fill(&mut filter);
        let mut batch = of(buckets, bucket_size, tag_bits);
        let keys = [held.as_slice(), &[refused, held[0]]].concat();
        assert!(batch.insert_hashes(&keys).is_err() && batch == filter);
    }
}

/// It fills both its buckets, whatever else is there; then it is rejected, cheaply.
#[test]
fn one_key_a_million_times() {
    for (bucket_size, others) in [(1, 0), (2, 500), (4, 1500), (8, 3000)] {
        let mut filter = of(250, bucket_size, 20);
        let others: Vec<_> = keys(2).take(others).collect();
        others.iter().for_each(|key| assert!(filter.insert_hash(*key).is_ok()));
        let often = KeyHash(5);
        let most = u64::from(2 * bucket_size);
        for copies in 0..most {
            assert_eq!(filter.insert_hash(often), Ok(copies == 0));
            assert_eq!(filter.count_hash(often), copies + 1);
        }
        let full = filter.clone();
        for _ in 0..if bucket_size == 4 { 1_000_000 } else { 10_000 } {
            let rejected = Full { copies: Some(most), ..Full::of(Kind::Cuckoo) };
            assert_eq!(filter.insert_hash(often), Err(rejected));
        }
        assert_eq!(filter, full, "nothing changed");
        assert!(others.iter().all(|key| filter.contains_hash(*key)));
        for copies in (0..most).rev() {
            assert_eq!(filter.remove_hash(often), Ok(true));
            assert_eq!(filter.count_hash(often), copies);
        }
        assert_eq!(filter.remove_hash(often), Ok(false));
        assert!(others.iter().all(|key| filter.contains_hash(*key)));
    }
}

/// The current rate is a count: every possible fingerprint is looked up.
#[test]
fn the_current_rate_is_exact() {
    for (buckets, bucket_size, tag_bits) in [(1, 4, 4), (2, 2, 4), (7, 4, 5), (20, 8, 6)] {
        let mut filter = of(buckets, bucket_size, tag_bits);
        fill(&mut filter);
        let all = (0..buckets).flat_map(|left| (0..1 << tag_bits).map(move |bits| (left, bits)));
        let found = all.filter(|(left, bits)| {
            let tag = 1.max(*bits);
            filter.holds(tag, [*left, filter.other(*left, tag)])
        });
        let expected = found.count() as f64 / (buckets << tag_bits) as f64;
        assert_eq!(filter.profile().fpr_now, expected, "{buckets}");
    }
}

/// No set within the capacity is rejected, from one key on. Also measured with the same code:
/// none of 20,000 sets of each size from 1 to 300, for each bucket size, at rates of 0.9 and
/// 0.01; nor of 5000 sets of 500, 500 of 3000, 20 of 100,000, and one of 3 million.
#[test]
fn its_capacity_always_fits() {
    for bucket_size in [2, 4, 8] {
        let options = Options::new().bucket_size(bucket_size);
        for (items, sets) in (1..=300).map(|items| (items, 4)).chain([(3000, 2), (40_000, 1)]) {
            for fpr in [0.9, 0.01, 1e-8] {
                let target = Target::new(items, fpr).unwrap();
                let made = Cuckoo::with_options(target, &options, Seed::FIXED).unwrap();
                for set in 0..sets {
                    let mut filter = made.clone();
                    for key in keys(set).take(items as usize) {
                        assert!(
                            filter.insert_hash(key).is_ok(),
                            "{items} of {bucket_size} at {fpr}"
                        );
                    }
                }
            }
        }
    }
}

/// A doubled filter answers like one made with twice the buckets, and keeps growing.
#[test]
fn a_doubled_filter_is_the_filter_of_twice_the_size() {
    for (buckets, bucket_size, tag_bits) in [(1, 4, 6), (7, 4, 8), (100, 8, 9), (3000, 4, 12)] {
        let mut filter = of(buckets, bucket_size, tag_bits);
        let (mut held, mut next) = fill(&mut filter);
        for times in 1..=tag_bits - 4 {
            let (before, counts) = (filter.profile(), held.len());
            filter.double().unwrap();
            let after = filter.profile();
            assert_eq!(filter.taken().cells, counts as u64);
            assert_eq!((after.fill, after.inserted), (before.fill / 2.0, before.inserted));
            // A few more fingerprints have tag 1.
            assert!(after.fpr_now >= before.fpr_now && after.fpr_now < 1.3 * before.fpr_now);

            let mut made = of(buckets << times, bucket_size, tag_bits - times);
            held.iter().for_each(|key| assert!(made.insert_hash(*key).is_ok()));
            for key in held.iter().copied().chain(keys(9).take(20_000)) {
                assert_eq!(filter.count_hash(key), made.count_hash(key));
            }
            assert_eq!(filter.insert_hash(next).err(), None, "there is room again");
            held.push(next);
            next = keys(10 + u64::from(times)).next().unwrap();
        }
        let before = filter.clone();
        assert_eq!((filter.double(), filter == before), (Err(FULL), true), "tags of 4 bits");
        held.iter().for_each(|key| assert_eq!(filter.remove_hash(*key), Ok(true)));
        assert_eq!(filter.taken(), Taken::default());
    }
}

#[test]
fn sizes_out_of_range_are_named() {
    for (buckets, bucket_size, bits, text) in [
        (0, 4, 12, "cuckoo cannot have 0 bits; it needs at least 96"),
        (1, 4, 3, "tag-bits of a cuckoo filter cannot be 3; it can be 4 to 32"),
        (1, 4, 33, "tag-bits of a cuckoo filter cannot be 33; it can be 4 to 32"),
        (
            1,
            3,
            8,
            "a bucket of a cuckoo filter cannot hold 3 fingerprints; it can hold 1, 2, 4 or 8",
        ),
    ] {
        let error = Cuckoo::with_buckets(buckets, bucket_size, bits, Seed::FIXED).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
    for buckets in [1 << 41, u64::MAX] {
        let error = Cuckoo::with_buckets(buckets, 4, 14, Seed::FIXED).unwrap_err();
        assert!(matches!(error, SizeError::TooLarge { .. }), "{error}");
    }
    for size in [0, 1, 3, 16] {
        let target = Target::new(100, 0.01).unwrap();
        let error = Cuckoo::plan(target, &Options::new().bucket_size(size)).unwrap_err();
        let text = format!(
            "a bucket of a cuckoo filter cannot hold {size} fingerprints; it can hold 2, 4 or 8"
        );
        assert_eq!(error.to_string(), text);
    }
}

/// Tags have at most 32 bits, which bounds the false-positive rate from below.
#[test]
fn the_lowest_rate_is_named() {
    for items in [1, 100, 1_000_000] {
        for bucket_size in [2, 4, 8] {
            let options = Options::new().bucket_size(bucket_size);
            let at = |fpr| Cuckoo::plan(Target::new(items, fpr).unwrap(), &options);
            let error = at(1e-12).unwrap_err();
            let SizeError::Fpr { least, .. } = error else { panic!("{error}") };
            assert!(
                least < f64::from(bucket_size) * 2f64.powi(-32),
                "{items} {bucket_size}: {least}"
            );
            assert!(at(least).unwrap().fpr <= least);
            assert!(at(least * 0.999).is_err());
        }
    }
}

/// Which cell a key gets is part of the promise that the same input gives the same file. The numbers
/// are those of the first release: the XOR of all cells, each mixed with its position, of filters
/// that were filled until they rejected a key, with the number of keys that they took.
#[test]
fn keys_are_where_they_always_were() {
    let pins = [
        ((1, 4, 12), (8, 0x44D0_89D2_BD0D_2788)),
        ((40, 1, 8), (60, 0xCE6B_D31C_819F_585E)),
        ((40, 2, 16), (132, 0x5745_56FE_E723_1FF3)),
        ((300, 2, 32), (1_021, 0xB84B_ABF9_BE2B_E25F)),
        ((1000, 4, 4), (7_802, 0x5E2B_729E_65D0_D0DE)),
        ((1000, 4, 10), (7_830, 0x64CA_C4E2_B16B_5090)),
        ((777, 4, 13), (6_082, 0xDED4_FBB6_640B_7CB9)),
        ((500, 4, 17), (3_888, 0x809E_BF11_6B0D_AE17)),
        ((64, 8, 8), (1_023, 0x8244_7CDA_D5F5_89B1)),
        ((250, 8, 9), (3_990, 0xDB71_5110_171E_BA21)),
        ((333, 8, 32), (5_306, 0xF265_C293_7676_15E7)),
    ];
    for ((buckets, bucket_size, tag_bits), pin) in pins {
        let mut filter = of(buckets, bucket_size, tag_bits);
        let (held, _) = fill(&mut filter);
        let cells =
            (0..filter.tags.cells()).map(|cell| KeyHash(filter.tags.get(cell)).again(cell).0);
        let digest = cells.fold(0, |digest, cell| digest ^ cell);
        assert_eq!(
            (held.len(), digest),
            pin,
            "{buckets} buckets of {bucket_size} tags of {tag_bits} bits"
        );
    }
}

/// Large filters have more buckets than a search keeps bits for.
#[test]
fn cells_are_counted_as_ones_are() {
    for bucket_size in [1, 2, 4, 8] {
        for tag_bits in 4..=32 {
            let masks = Masks::of(Size { buckets: 10, bucket_size, tag_bits });
            for some in 0..1u64 << bucket_size {
                let cell = if masks.ones == 0 { 1 } else { tag_bits };
                let first = if masks.ones == 0 { 0 } else { tag_bits - 1 };
                let bit = |at| (some >> at & 1) << (first + at * cell);
                let holding = (0..bucket_size).fold(0, |all, at| all | bit(at));
                assert_eq!(masks.count(holding), some.count_ones().into(), "{masks:?}");
            }
        }
    }
}

#[test]
fn a_search_knows_the_buckets_that_it_has_seen() {
    for bucket in [0, 63, 64, 4095, 4096, 1 << 18, u64::MAX] {
        let mut seen = Seen::default();
        assert!(seen.insert(bucket) && !seen.insert(bucket), "{bucket}");
        assert!(seen.insert(bucket ^ 1) && seen.insert(bucket ^ 64), "{bucket}");
    }
}
