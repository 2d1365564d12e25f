use super::*;
use crate::batch::source::Again;
use std::sync::Mutex;

fn keys(n: u64) -> Vec<KeyHash> {
    (0..n).map(|i| KeyHash(i).again(0)).collect()
}

#[test]
fn shards_do_not_depend_on_threads_or_memory() {
    let mut all = keys(10_000);
    let shards = NonZero::new(7).unwrap();
    let list = |_, keys: &mut [KeyHash]| Ok(keys.to_vec());
    let once = each_shard(&mut &all[..], 10_000, shards, Work::new(), list).unwrap();
    assert_eq!(once.len(), 7);
    assert_eq!(once.concat().len(), 10_000);
    assert!(once.concat().is_sorted());
    for (shard, keys) in (0..).zip(&once) {
        assert!(keys.iter().all(|key| shard_of(*key, 7) == shard));
    }
    all.reverse();
    all.extend_from_within(..5000);
    for (threads, memory) in [(1, 1), (1, 20_000), (2, 30_000), (3, u64::MAX), (16, 1)] {
        let work = Work::new().threads(Threads::new(threads)).memory(memory);
        let again = each_shard(&mut &all[..], 10_000, shards, work, list).unwrap();
        assert_eq!(again, once, "{threads} threads, {memory} bytes");
        let mut source = Again(|| all.iter().copied());
        let again = each_shard(&mut source, 10_000, shards, work, list).unwrap();
        assert_eq!(again, once, "{threads} threads, {memory} bytes, by iterator");
        let again = each_shard(&mut all.clone(), 10_000, shards, work, list).unwrap();
        assert_eq!(again, once, "{threads} threads, {memory} bytes, by value");
    }
}

#[test]
fn other_keys_in_a_second_pass_are_an_error() {
    let all = keys(10_000);
    let shards = NonZero::new(7).unwrap();
    let work = Work::new().threads(Threads::ONE).memory(30_000);
    let build = |change: &dyn Fn(usize, &mut Vec<KeyHash>)| {
        let mut readings = 0;
        let mut source = Again(|| {
            let mut keys = all.clone();
            change(readings, &mut keys);
            readings += 1;
            keys
        });
        let lens = each_shard(&mut source, 10_000, shards, work, |_, keys| Ok(keys.len()));
        lens.map(|lens| lens.iter().sum())
    };
    let changed = |again| Err(BuildError::Changed { first: 10_000, again });
    assert_eq!(build(&|_, _| ()), Ok(10_000));
    assert_eq!(build(&|reading, keys| keys.rotate_left(1000 * reading)), Ok(10_000));
    // One key less or more, in the second pass or in the last, and another in its place.
    assert_eq!(build(&|reading, keys| keys.truncate(10_000 - reading)), changed(9999));
    let more = |reading, keys: &mut Vec<_>| keys.extend((reading == 3).then_some(KeyHash(1)));
    assert_eq!(build(&more), changed(10_001));
    assert_eq!(build(&|reading, keys| keys[0].0 += u64::from(reading == 1)), changed(10_000));
    // External hashes may be small numbers, for which their sum alone would not do.
    let shift = |reading, keys: &mut Vec<KeyHash>| {
        let shift = u64::from(reading == 2);
        (keys[0].0, keys[1].0) = (10 - shift, 20 + shift);
    };
    assert_eq!(build(&shift), changed(10_000));
}

#[test]
fn an_overstated_number_takes_no_more_passes() {
    let all = keys(1000);
    let shards = NonZero::new(1000).unwrap();
    let work = Work::new().threads(Threads::ONE).memory(2000);
    // Two kilobytes hold a quarter of the keys.
    for (said, expected) in [(1000, 4), (1_000_000, 5), (u64::MAX, 5)] {
        let mut readings = 0;
        let mut source = Again(|| {
            readings += 1;
            all.iter().copied()
        });
        let lens = each_shard(&mut source, said, shards, work, |_, keys| Ok(keys.len())).unwrap();
        assert_eq!((lens.len(), lens.iter().sum::<usize>()), (1000, 1000));
        assert_eq!(readings, expected, "{said}");
    }
}

#[test]
fn another_value_in_a_second_pass_is_an_error() {
    let shards = NonZero::new(7).unwrap();
    let work = Work::new().threads(Threads::ONE).memory(1);
    let build = |changed: u64| {
        let mut readings = 0;
        let mut source = Again(|| {
            readings += 1;
            let value = if readings > 4 { changed } else { 50 };
            (0..100).map(move |i| (KeyHash(i).again(0), if i == 50 { value } else { i }))
        });
        each_shard(&mut source, 100, shards, work, |_, pairs| Ok(pairs.len()))
    };
    assert_eq!(build(50).unwrap().iter().sum::<usize>(), 100);
    assert_eq!(build(51), Err(BuildError::Changed { first: 100, again: 100 }));
}

#[test]
fn progress_counts_to_the_end_and_an_error_stops() {
    let all = keys(1000);
    let seen = Mutex::new(Vec::new());
    let tell = |done, total| seen.lock().unwrap().push((done, total));
    let shards = NonZero::new(5).unwrap();
    let work = Work::new().memory(3000).progress(&tell);
    each_shard(&mut &all[..], 1000, shards, work, |_, _| Ok(())).unwrap();
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, (1..=5).map(|done| (done, 5)).collect::<Vec<_>>());

    let fail = |shard, _: &mut [KeyHash]| match shard {
        3 => Err(BuildError::from(OutOfMemory { bytes: 1 })),
        _ => Ok(()),
    };
    assert!(each_shard(&mut &all[..], 1000, shards, Work::new(), fail).is_err());
}

#[test]
fn the_first_failure_is_reported_with_any_number_of_threads() {
    let all = keys(1000);
    let shards = NonZero::new(50).unwrap();
    let fail = |shard, _: &mut [KeyHash]| match shard {
        20.. => Err(BuildError::from(OutOfMemory { bytes: shard })),
        _ => Ok(()),
    };
    for threads in [1, 2, 8, 50] {
        let work = Work::new().threads(Threads::new(threads));
        let failed = each_shard(&mut &all[..], 1000, shards, work, fail);
        assert_eq!(failed, Err(OutOfMemory { bytes: 20 }.into()), "{threads} threads");
    }
}

#[test]
fn memory_is_allocated_for_the_keys_that_exist() {
    let collect = |all: &[KeyHash], items| {
        let (keys, _) = collect(&mut { all }, &(0..1), 1, items, Work::new()).unwrap();
        (keys.len(), keys.capacity())
    };
    let all = keys(10_000);
    assert_eq!(collect(&all[..3], u64::MAX), (3, AT_ONCE / 8));
    assert_eq!(collect(&all, 10_000), (10_000, 11_100));
    // More than announced, and repeated: that memory is freed.
    assert_eq!(collect(&all, 10), (10_000, 10_000));
    assert_eq!(collect(&all.repeat(20), 10_000), (10_000, 10_000));

    // The length before making room, the expected number, and the capacity after.
    let many = AT_ONCE / 8;
    for (full, expected, room) in [
        (0, 10_000, 10_000),
        (0, usize::MAX, many),
        (many, usize::MAX, 2 * many),
        (many, many + 9, many + 9),
        (many, many, 2 * many),
    ] {
        let mut row = Vec::with_capacity(full);
        row.extend((0..full as u64).map(KeyHash));
        make_room(&mut row, expected).unwrap();
        assert_eq!((row.len(), row.capacity()), (full, room), "{full} of {expected}");
    }
    let mut row = Vec::with_capacity(100);
    row.extend((0..100).map(|i| KeyHash(i % 80)));
    make_room(&mut row, 100).unwrap();
    assert_eq!((row.len(), row.capacity()), (80, 100), "repetitions made room");
}

#[test]
fn no_keys_are_empty_shards() {
    let shards = NonZero::new(3).unwrap();
    let none: &[KeyHash] = &[];
    let lens = each_shard(&mut { none }, 0, shards, Work::new(), |_, keys| Ok(keys.len()));
    assert_eq!(lens, Ok(vec![0, 0, 0]));
}

/// What is freed would be taken by results, and the next part would find no room as large.
#[test]
fn the_room_for_the_expected_keys_is_kept() {
    let all = keys(10);
    let (kept, _) = collect(&mut &all[..], &(0..1), 1, 10_000, Work::new()).unwrap();
    assert_eq!((kept.len(), kept.capacity()), (10, 10_100 + 1000));
}

#[test]
fn repeated_keys_are_dropped_before_more_is_allocated() {
    // An eighth of 800 keys is 100.
    for (distinct, capacity) in [(800, 1600), (701, 701 + 800), (700, 800), (1, 800)] {
        let repeated = |i: u64| KeyHash(i % distinct).again(0);
        let mut keys: Vec<KeyHash> = (0..800).map(repeated).collect();
        make_room(&mut keys, 800).unwrap();
        assert_eq!((keys.len() as u64, keys.capacity()), (distinct, capacity));
    }
}
