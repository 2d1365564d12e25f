//! Real filters: the same answers, the same numbers, the same bytes.

use super::*;

/// Every key that is in is found, and the false positives are those of the real program.
#[test]
fn answers_are_those_of_redisbloom() {
    let cases = cases("redis");
    assert_eq!(cases.len(), 10);
    for case in cases {
        let from_dump = read_dump(&case.dump(), LIMIT).unwrap();
        for object in [from_chunks(&case), from_dump] {
            let name = &case.name;
            for key in &case.present {
                assert!(contains(&object, key), "{name}: {key:x?} is in");
            }
            for (key, found) in &case.absent {
                assert_eq!(contains(&object, key), *found, "{name}: {key:x?}");
            }
            let falsely = case.absent.iter().filter(|(_, found)| *found).count();
            assert!(falsely >= 6 && falsely < case.absent.len(), "{name}: {falsely}");
        }
    }
}

#[test]
fn both_dumps_hold_the_same_filter() {
    for case in cases("redis") {
        assert_eq!(from_chunks(&case), read_dump(&case.dump(), LIMIT).unwrap(), "{}", case.name);
    }
}

#[test]
fn numbers_are_those_that_info_states() {
    for case in cases("redis") {
        match from_chunks(&case) {
            Object::Bloom(filter) => {
                assert_eq!(filter.capacity(), case.number("Capacity"));
                assert_eq!(filter.info_size(), case.number("Size"));
                assert_eq!(filter.layers().len() as u64, case.number("Number_of_filters"));
                assert_eq!(filter.len(), case.number("Number_of_items_inserted"));
                let expansion = filter.expansion().map_or("None".into(), |rate| rate.to_string());
                assert_eq!(expansion, case.parameters["Expansion_rate"]);
            }
            Object::Cuckoo(filter) => {
                assert_eq!(filter.info_size(), case.number("Size"));
                assert_eq!(filter.buckets(), case.number("Number_of_buckets"));
                assert_eq!(filter.layers() as u64, case.number("Number_of_filters"));
                assert_eq!(filter.len(), case.number("Number_of_items_inserted"));
                assert_eq!(filter.deletes(), case.number("Number_of_items_deleted"));
                assert_eq!(u64::from(filter.bucket_size()), case.number("Bucket_size"));
                assert_eq!(u64::from(filter.expansion()), case.number("Expansion_rate"));
                assert_eq!(u64::from(filter.max_iterations()), case.number("Max_iterations"));
            }
        }
    }
}

/// What we write is what RedisBloom wrote: headers, chunks and iterators.
#[test]
fn dumps_go_back_byte_for_byte() {
    for case in cases("redis") {
        assert_eq!(scandump(&from_chunks(&case)), case.scandump(), "{}", case.name);
    }
}

#[test]
fn bloom_filters_are_built_byte_for_byte() {
    for (name, capacity, error, expansion) in [
        ("rb26_bf_100", 100, 0.01, Some(2)),
        ("rb26_bf_expansion1_1000", 150, 0.05, Some(1)),
        ("rb26_bf_hex_10000", 10_000, 0.001, Some(2)),
        ("rb26_bf_nonscaling_100", 100, 0.001, None),
        ("rbmaster_bf_100", 100, 0.01, Some(2)),
        ("rbmaster_bf_default_1000", 100, 0.01, Some(2)),
    ] {
        let case = case(name);
        let mut filter = Bloom::new(capacity, error, expansion).unwrap();
        for key in &case.present {
            if filter.insert(key).is_err() {
                filter.grow(LIMIT).unwrap();
                assert_eq!(filter.insert(key), Ok(true));
            }
        }
        assert_eq!(scandump(&Object::Bloom(filter)), case.scandump(), "{name}");
    }
}

#[test]
fn cuckoo_filters_are_built_byte_for_byte() {
    for (name, [capacity, bucket_size, max_iterations, expansion]) in [
        ("rb26_cf_100", [128, 2, 20, 1]),
        ("rb26_cf_bucket1_100", [300, 1, 50, 1]),
        ("rb26_cf_deleted_1000", [256, 2, 20, 1]),
        ("rb26_cf_scaled_10000", [1000, 4, 20, 2]),
    ] {
        let case = case(name);
        let mut filter =
            Cuckoo::new(capacity.into(), bucket_size, max_iterations, expansion).unwrap();
        let insert = |filter: &mut Cuckoo, key: &[u8]| {
            if filter.insert(key).is_err() {
                filter.grow(LIMIT).unwrap();
                filter.insert(key).unwrap();
            }
        };
        if name == "rb26_cf_deleted_1000" {
            let all: Vec<Vec<u8>> = lines("keys/utf8_1000.txt")
                .iter()
                .map(|line| key("redis", "", "utf8", line))
                .collect();
            all.iter().for_each(|key| insert(&mut filter, key));
            for key in all.iter().skip(3).step_by(5) {
                assert!(filter.remove(key));
            }
            (0..2).for_each(|_| insert(&mut filter, b"a"));
            assert_eq!(filter.count(b"a"), 3);
        } else {
            case.present.iter().for_each(|key| insert(&mut filter, key));
        }
        assert_eq!(scandump(&Object::Cuckoo(filter)), case.scandump(), "{name}");
    }
}
