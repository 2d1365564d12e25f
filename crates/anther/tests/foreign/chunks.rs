//! Dumps in chunks: any order, any size, and chunks that do not fit.

use super::*;
use anther::{ChunkError, ForeignError};

/// Chunks in an order of their own, cut at other places, and some of them twice.
#[test]
fn chunks_come_in_any_order_and_overlap() {
    let case = case("rb26_bf_expansion1_1000");
    let chunks = case.scandump();
    let Object::Bloom(filter) = from_chunks(&case) else { panic!("a Bloom filter") };
    for (round, size) in [1, 7, 64, 100, 1000].into_iter().enumerate() {
        let mut pieces = Vec::new();
        for (iterator, data) in &chunks[1..] {
            let start = iterator - data.len() as i64;
            for at in (0..data.len()).step_by(size) {
                let end = (at + size + round * 10).min(data.len());
                pieces.push((start + end as i64, &data[at..end]));
            }
        }
        // A fixed shuffle: by a multiple of the position.
        pieces.sort_by_key(|(iterator, _)| iterator * 7919 % 1601);
        let mut loading = Bloom::from_header(&chunks[0].1, LIMIT).unwrap();
        for (number, (iterator, data)) in pieces.iter().enumerate() {
            loading.load_chunk(*iterator, data).unwrap();
            if number == pieces.len() / 2 {
                // Saved in the middle, and resumed.
                let mut resumed = Bloom::from_header(&loading.header(), LIMIT).unwrap();
                for (iterator, data) in loading.chunks() {
                    resumed.load_chunk(iterator, data).unwrap();
                }
                assert_eq!(resumed.received(), loading.received());
                loading = resumed;
            }
            let last = number == pieces.len() - 1;
            assert!(!last || loading.is_complete(), "{size}: {}", loading.received());
        }
        assert_eq!(loading.finish().unwrap(), filter);
    }
}

#[test]
fn the_later_chunk_counts() {
    let empty = Bloom::new(1000, 0.01, None).unwrap();
    let len = empty.bytes() as usize;
    for (first, second) in [(100..300, 200..400), (200..400, 100..300), (100..400, 200..300)] {
        let mut loading = Bloom::from_header(&empty.header(), LIMIT).unwrap();
        let mut expected = vec![0; len];
        for (value, range) in [(0, 0..len), (1, first), (2, second)] {
            let data = vec![value; range.len()];
            loading.load_chunk(range.end as i64 + 1, &data).unwrap();
            expected[range].fill(value);
        }
        assert_eq!(loading.finish().unwrap().chunk(1).unwrap().1, expected);
    }
    // Into the gap between two, over the edges of both.
    let mut loading = Bloom::from_header(&empty.header(), LIMIT).unwrap();
    for (value, range) in [(1, 0..100), (2, 200..len), (3, 50..250)] {
        loading.load_chunk(range.end as i64 + 1, &vec![value; range.len()]).unwrap();
    }
    assert_eq!(loading.received(), len as u64);
    let filter = loading.finish().unwrap();
    let (_, bytes) = filter.chunk(1).unwrap();
    assert_eq!([bytes[49], bytes[50], bytes[249], bytes[250]], [1, 3, 3, 2]);
}

#[test]
fn chunks_that_do_not_fit_change_nothing() {
    let case = case("rb26_bf_expansion1_1000");
    let chunks = case.scandump();
    let mut loading = Bloom::from_header(&chunks[0].1, LIMIT).unwrap();
    // One byte too many for the first layer.
    let long = [&chunks[1].1[..], b"a"].concat();
    for (iterator, data, error) in [
        (0, &b""[..], ChunkError::BadData),
        (-1, b"", ChunkError::BadData),
        (i64::MIN, b"a", ChunkError::BadData),
        (1, b"ab", ChunkError::BadData),
        (1, b"a", ChunkError::NoLayer),
        (1602, b"a", ChunkError::NoLayer),
        (i64::MAX, b"a", ChunkError::NoLayer),
        (146, &long, ChunkError::TooBig),
    ] {
        assert_eq!(loading.load_chunk(iterator, data), Err(error), "{iterator}");
    }
    assert_eq!(loading.load_chunk(145, b""), Ok(()));
    assert_eq!(loading.received(), 0);
    let expected = 1600;
    assert_eq!(loading.finish().unwrap_err(), ForeignError::Incomplete { got: 0, expected });
}

#[test]
fn a_load_is_incomplete_until_the_last_byte() {
    for name in ["rb26_bf_expansion1_1000", "rb26_cf_scaled_10000"] {
        let chunks = case(name).scandump();
        for missing in 1..chunks.len() {
            let mut rest = chunks.clone();
            rest.remove(missing);
            let load = rest[1..].iter().map(|(iterator, data)| (*iterator, &data[..]));
            let incomplete = if name.contains("_cf_") {
                let mut loading = Cuckoo::from_header(&chunks[0].1, LIMIT).unwrap();
                load.for_each(|(iterator, data)| loading.load_chunk(iterator, data).unwrap());
                !loading.is_complete() && loading.finish().is_err()
            } else {
                let mut loading = Bloom::from_header(&chunks[0].1, LIMIT).unwrap();
                load.for_each(|(iterator, data)| loading.load_chunk(iterator, data).unwrap());
                !loading.is_complete() && loading.finish().is_err()
            };
            assert!(incomplete, "{name} without chunk {missing}");
        }
    }
}

/// A layer of more than 16 MiB goes in several chunks.
#[test]
fn large_layers_go_in_several_chunks() {
    let mut filter = Bloom::new(20_000_000, 0.01, Some(2)).unwrap();
    filter.insert(b"key").unwrap();
    let bytes = filter.bytes() as i64;
    let chunk = 16 << 20;
    let iterators: Vec<i64> = filter.chunks().map(|(iterator, _)| iterator).collect();
    assert_eq!(iterators, [chunk + 1, bytes + 1]);
    assert_eq!(filter.chunk(bytes + 1), None);
    assert_eq!(filter.chunk(0), None);
    let mut loading = Bloom::from_header(&filter.header(), u64::MAX).unwrap();
    filter.chunks().for_each(|(iterator, data)| loading.load_chunk(iterator, data).unwrap());
    assert!(loading.finish().unwrap() == filter);
}
