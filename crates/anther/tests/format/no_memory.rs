//! Out of memory.

use super::*;

/// A machine with little memory: everything that makes a filter reports how much it needs, and
/// existing filters are unchanged.
#[test]
fn out_of_memory_is_an_error() {
    const LIMIT: usize = 100_000;
    for kind in Kind::ALL.iter().copied().filter(|kind| !taking().any(|taking| taking == *kind)) {
        let (keys, target) = (Random::new(106).hashes(50_000), Target::new(50_000, 0.01).unwrap());
        let work = Work::new().threads(Threads::ONE);
        let build = || {
            let options = Options::default();
            support::build(kind, &keys, target, &options, Seed::FIXED, work)
        };
        let error = with_limit(LIMIT, build).unwrap_err();
        assert!(matches!(error, BuildError::OutOfMemory(_)), "{kind}: {error:?}");
    }
    for kind in taking() {
        let target = Target::new(1_000_000, 0.01).unwrap();
        let need = kind.bits_for(target).unwrap() / 8;
        let error = with_limit(LIMIT, || AnyFilter::new(kind, target, Seed::FIXED)).unwrap_err();
        let SizeError::OutOfMemory(OutOfMemory { bytes }) = error else { panic!("{error:?}") };
        // With several rows, the first that does not fit.
        assert!((need / 4..need + 128).contains(&bytes), "{kind}: {bytes} for {need}");
        let start = format!("out of memory: needs {};", anther::units::size(bytes));
        assert!(error.to_string().starts_with(&start), "{error}");

        let file = bytes_of(&empty(kind, 1_000_000, 0.01, Seed::FIXED));
        for result in with_limit(LIMIT, || {
            [Open::new().bytes::<AnyFilter>(&file), Open::new().reader(&file[..])]
        }) {
            assert!(matches!(result, Err(LoadError::OutOfMemory(_))), "{kind}: {result:?}");
        }
    }

    let large: Blocked = Blocked::new(Target::new(1_000_000, 0.01).unwrap()).unwrap();
    let lines = large.profile().bits / 512;
    let ratio = (2..).find(|ratio| lines.is_multiple_of(*ratio)).unwrap();
    let folded = with_limit(LIMIT, || large.fold(ratio));
    assert!(matches!(folded, Err(FoldError::OutOfMemory(_))), "{folded:?}");
    let mut small = large.fold(ratio).unwrap();
    let before = small.clone();
    let merged = with_limit(LIMIT, || small.merge(&large));
    assert!(matches!(merged, Err(Mismatch::OutOfMemory(_))), "{merged:?}");
    assert_eq!(small, before);

    // Bulk inserts use memory for buckets, but work without it.
    let keys: Vec<u64> = (0..10_000).collect();
    let [mut with, mut without] = [large.clone(), large.clone()];
    let two = Threads::new(2);
    with.bulk_insert_keys(&keys, two);
    with_limit(LIMIT, || without.bulk_insert_keys(&keys, two));
    assert_eq!(with, without);

    // A mapped filter that would have to be copied.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.anther");
    large.save(&path).unwrap();
    let mapped_file = || map::<Blocked>(Open::new(), &path).unwrap();
    let shared = with_limit(LIMIT, || mapped_file().into_shared().map(|_| ()));
    assert!(matches!(shared, Err(OutOfMemory { .. })), "{shared:?}");
    let mut mapped = mapped_file();
    let merged = with_limit(LIMIT, || mapped.merge(&large));
    assert!(matches!(merged, Err(Mismatch::OutOfMemory(_))), "{merged:?}");
    let intersected = with_limit(LIMIT, || mapped.intersect(&large));
    assert!(matches!(intersected, Err(Mismatch::OutOfMemory(_))), "{intersected:?}");
    assert_eq!(mapped, large);
    assert!(
        with_limit(LIMIT, mapped_file).contains_hash(KeyHash(1)) == large.contains_hash(KeyHash(1))
    );
}

/// A filter that cannot grow rejects the key with a named error and is unchanged; with memory it
/// grows on.
#[test]
fn a_filter_that_cannot_grow_reports_it() {
    const LIMIT: usize = 100_000;
    let keys = Random::new(105).hashes(100_000);
    for &kind in Kind::ALL.iter().filter(|kind| kind.capabilities().grow) {
        let mut filter = empty(kind, 1000, 0.01, Seed::FIXED);
        let (error, at) = with_limit(LIMIT, || {
            let insert = filter.as_insert().unwrap();
            let refused =
                |(at, key): (usize, &KeyHash)| Some((insert.insert_hash(*key).err()?, at));
            keys.iter().enumerate().find_map(refused).unwrap()
        });
        assert_eq!(
            error.to_string(),
            format!("the {kind} filter is full; it is out of memory and cannot grow further")
        );
        assert!(at > 10_000 && filter.about().inserted == at as u64, "{kind}: {at}");
        let before = filter.clone();
        with_limit(LIMIT, || filter.as_insert().unwrap().insert_hash(keys[at])).unwrap_err();
        assert_eq!(filter, before, "{kind}");
        // Present keys are accepted, full or not.
        let again = with_limit(LIMIT, || filter.as_insert().unwrap().insert_hash(keys[0]));
        assert_eq!(again, Ok(false), "{kind}");
        put(&mut filter, &keys[at..]);
        assert_eq!(count_found(&filter, keys.iter().copied()), keys.len() as u64, "{kind}");
    }
}
