//! Threads: no key is lost, and the bits equal those of one thread.

use super::*;

#[test]
fn many_threads_build_the_same_filter_as_one() {
    fn law<F: Plain>() {
        for n in [0, 1, 7, 50_000] {
            let keys = Random::new(23).hashes(n);
            let mut serial = F::for_items(40_000, Seed::FIXED);
            serial.insert_hashes(&keys).unwrap();
            for threads in [1, 2, 3, 8] {
                let shared = Shared::new(F::for_items(40_000, Seed::FIXED)).unwrap();
                thread::scope(|scope| {
                    for part in keys.chunks(n.div_ceil(threads).max(1)) {
                        scope.spawn(|| shared.insert_hashes(part));
                    }
                });
                assert!(keys.iter().all(|key| shared.contains_hash(*key)));
                assert_eq!(shared.into_inner(), serial, "{threads} threads");

                // Key by key, each thread on its own.
                let shared = Shared::new(F::for_items(40_000, Seed::FIXED)).unwrap();
                thread::scope(|scope| {
                    for part in keys.chunks(n.div_ceil(threads).max(1)) {
                        let shared = &shared;
                        scope.spawn(move || {
                            for key in part {
                                shared.insert_hash(*key);
                            }
                        });
                    }
                });
                let filter = shared.into_inner();
                assert_eq!(filter, serial, "{threads} threads");
                assert_eq!(count_found(&filter, keys.iter().copied()), n as u64);
            }
        }
    }
    over_plain_kinds!(law);
}

/// On one thread, a shared filter answers like the plain one.
#[test]
fn a_shared_filter_answers_like_the_plain_one() {
    fn law<F: Plain>() {
        let mut plain = F::for_items(2000, Seed::FIXED);
        let shared = Shared::new(plain.clone()).unwrap();
        for key in Random::new(24).hashes(10_000) {
            assert_eq!(shared.contains_hash(key), plain.contains_hash(key));
            assert_eq!(shared.insert_hash(key), plain.insert_hash(key).unwrap());
        }
        for key in 0..1000u64 {
            let hash = key.key_hash(&Seed::FIXED);
            assert_eq!(shared.contains(key), plain.contains_hash(hash));
            assert_eq!(shared.insert(key), plain.insert_hash(hash).unwrap());
        }
        let keys: Vec<u64> = (900..2000).collect();
        let hashes: Vec<KeyHash> = keys.iter().map(|key| key.key_hash(&Seed::FIXED)).collect();
        let [mut ours, mut theirs] = [(); 2].map(|()| vec![false; keys.len()]);
        shared.contains_keys(&keys, &mut ours);
        plain.contains_hashes(&hashes, &mut theirs);
        assert_eq!(ours, theirs);
        shared.contains_hashes(&hashes, &mut ours);
        assert_eq!(ours, theirs);
        assert_eq!(shared.insert_keys(&keys), plain.insert_hashes(&hashes).unwrap());
        assert_eq!(shared.into_inner(), plain);
    }
    over_plain_kinds!(law);
}

/// When threads race to insert the same fresh key, at least one of them is told that it is new. The
/// filter is so large that no key is a false positive of the others.
#[test]
fn a_race_has_a_winner() {
    const THREADS: usize = 4;
    fn law<F: Plain>() {
        let keys = Random::new(25).hashes(20_000);
        for round in 0..5 {
            let target = Target::new(keys.len() as u64, 1e-8).unwrap();
            let shared = Shared::new(F::with_seed(target, Seed::chosen(round)).unwrap()).unwrap();
            let news: Vec<AtomicU32> = keys.iter().map(|_| AtomicU32::new(0)).collect();
            let start = Barrier::new(THREADS);
            thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| {
                        start.wait();
                        for (key, news) in keys.iter().zip(&news) {
                            if shared.insert_hash(*key) {
                                news.fetch_add(1, Ordering::Relaxed);
                            }
                            assert!(shared.contains_hash(*key), "a thread sees its own insert");
                        }
                    });
                }
            });
            let news: Vec<_> = news.into_iter().map(AtomicU32::into_inner).collect();
            assert!(news.iter().all(|news| (1..=THREADS as u32).contains(news)));
            let filter = shared.into_inner();
            assert_eq!(filter.about().inserted, (THREADS * keys.len()) as u64);
        }
    }
    over_plain_kinds!(law);
}

/// A key inserted before a message was sent is present when it is received.
#[test]
fn an_insert_that_happened_before_is_found() {
    fn law<F: Plain>() {
        let keys = Random::new(26).hashes(100_000);
        let shared = Shared::new(F::for_items(keys.len() as u64, Seed::FIXED)).unwrap();
        let published = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                for (at, key) in keys.iter().enumerate() {
                    shared.insert_hash(*key);
                    published.store(at + 1, Ordering::Release);
                }
            });
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut checked = 0;
                    while checked < keys.len() {
                        let there = published.load(Ordering::Acquire);
                        for key in &keys[checked..there] {
                            assert!(shared.contains_hash(*key));
                        }
                        checked = there;
                        thread::yield_now();
                    }
                });
            }
        });
        assert_eq!(count_found(&shared.into_inner(), keys.iter().copied()), keys.len() as u64);
    }
    over_plain_kinds!(law);
}

/// Keys that are hashed block by block, on any number of threads, make the filter that they make in
/// a row, and get its answers: for every kind that takes keys.
#[test]
fn blocks_of_keys_are_as_keys_in_a_row() {
    for kind in taking() {
        let count = 70_000;
        let keys = Random::new(26).hashes(2 * count);
        let items = for_copies(kind, count as u64, 1);
        let in_a_row = filled(kind, items, 0.01, Seed::FIXED, &keys[..count]);
        let hash = |rows: Range<usize>, out: &mut [KeyHash]| out.copy_from_slice(&keys[rows]);
        let mut expected = vec![false; keys.len()];
        in_a_row.contains_hashes(&keys, &mut expected);
        for threads in [1, 2, 3].map(Threads::new) {
            let mut filter = empty(kind, items, 0.01, Seed::FIXED);
            filter.bulk_insert_blocks(count, &hash, threads).unwrap();
            assert_eq!(filter, in_a_row, "{kind}, {threads:?}");
            let mut found = vec![false; keys.len()];
            let hash = |rows, out: &mut [KeyHash]| {
                hash(rows, out);
                Ok::<(), ()>(())
            };
            filter.contains_blocks(&mut found, hash, threads).unwrap();
            assert_eq!(found, expected, "{kind}, {threads:?}");
            let fails = |_: Range<usize>, _: &mut [KeyHash]| Err("refused");
            assert_eq!(filter.contains_blocks(&mut found, fails, threads), Err("refused"));
        }
    }
}

/// The same for shared filters; and a snapshot is what the filter is.
#[test]
fn blocks_of_keys_in_shared_filters() {
    for kind in PLAIN {
        let keys = Random::new(27).hashes(70_000);
        let in_a_row = filled(kind, 70_000, 0.01, Seed::FIXED, &keys);
        let hash = |rows: Range<usize>, out: &mut [KeyHash]| out.copy_from_slice(&keys[rows]);
        for threads in [1, 2, 3].map(Threads::new) {
            let shared = AnyShared::try_from(empty(kind, 70_000, 0.01, Seed::FIXED)).unwrap();
            shared.insert_blocks(keys.len(), &hash, threads);
            assert_eq!(shared.snapshot().unwrap(), in_a_row, "{kind}, {threads:?}");
            let mut found = vec![false; keys.len()];
            let hash = |rows, out: &mut [KeyHash]| {
                hash(rows, out);
                Ok::<(), ()>(())
            };
            shared.contains_blocks(&mut found, hash, threads).unwrap();
            assert!(found.iter().all(|found| *found));
            shared.insert_hash(KeyHash(5));
            assert!(shared.snapshot().unwrap().contains_hash(KeyHash(5)));
            assert_eq!(AnyFilter::from(shared).profile().inserted, 70_001);
        }
    }
}
