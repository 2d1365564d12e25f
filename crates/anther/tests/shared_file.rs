//! One file for many processes. Here they are threads with maps of their own, which look the same
//! to a file; the program's tests have real processes.

use anther::recipe::{Column, Format, KeyForm, KeyRule, Place, Reach, Recipe};
use anther::{
    AnyFilter, Classic, Compressed, FileMap, Filter, KeyError, Kind, LoadError, Lock, Open, Seed,
    Shape, ShareError, SharedFile, SharedView, Target, Verified,
};
use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const ITEMS: u64 = 20_000;
const KINDS: [Kind; 3] = [Kind::Classic, Kind::Blocked, Kind::Split];

fn empty(kind: Kind) -> AnyFilter {
    AnyFilter::new(kind, Target::new(ITEMS, 0.01).unwrap(), Seed::FIXED).unwrap()
}

fn hashes(range: std::ops::Range<u64>) -> Vec<anther::KeyHash> {
    range.map(|key| Seed::FIXED.hash_integer(key)).collect()
}

/// The file that one process writes for these keys.
fn expected(kind: Kind, range: std::ops::Range<u64>) -> Vec<u8> {
    let mut filter = empty(kind);
    filter.as_insert().unwrap().insert_hashes(&hashes(range)).unwrap();
    let mut bytes = Vec::new();
    filter.write_to(&mut bytes).unwrap();
    bytes
}

fn has_all(filter: &AnyFilter, range: std::ops::Range<u64>) -> bool {
    hashes(range).iter().all(|key| filter.contains_hash(*key))
}

/// A file with the keys below 100.
fn file(kind: Kind) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.anther");
    fs::write(&path, expected(kind, 0..100)).unwrap();
    (folder, path)
}

fn is_open(path: &Path) -> bool {
    Open::is_shared(path).unwrap()
}

#[test]
fn maps_that_add_concurrently_write_the_file_of_one() {
    for kind in KINDS {
        let (_folder, path) = file(kind);
        thread::scope(|scope| {
            for part in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let seen = SharedFile::open(path, Open::new()).unwrap();
                    let keys = hashes(100 + part * 4000..100 + (part + 1) * 4000);
                    // Two threads per map.
                    let (one, two) = keys.split_at(1234);
                    thread::scope(|scope| {
                        scope.spawn(|| {
                            one.chunks(100).map(|keys| seen.insert_hashes(keys)).sum::<u64>()
                        });
                        two.chunks(7).for_each(|keys| {
                            seen.insert_hashes(keys);
                        });
                    });
                    assert!(keys.iter().all(|key| seen.contains_hash(*key)));
                    seen.close().unwrap();
                });
            }
        });
        assert!(!is_open(&path));
        assert!(fs::read(&path).unwrap() == expected(kind, 0..16_100), "{kind}");
    }
}

#[test]
fn the_last_process_closes_the_file() {
    let (_folder, path) = file(Kind::Blocked);
    let before = fs::read(&path).unwrap();
    let first = SharedFile::open(&path, Open::new()).unwrap();
    let second = SharedFile::open(&path, Open::new()).unwrap();
    assert!(first.insert("first").unwrap() && second.contains("first").unwrap());
    assert!(!second.insert("first").unwrap());
    assert!(is_open(&path));
    assert!(!first.close().unwrap(), "the other one is still adding");
    assert!(is_open(&path));
    assert!(second.insert("second").unwrap());
    assert!(second.close().unwrap());
    assert!(!is_open(&path));
    let filter = AnyFilter::open(&path).unwrap();
    for key in ["first", "second"] {
        assert!(filter.contains(key).unwrap());
    }
    assert!(has_all(&filter, 0..100));
    assert_eq!(filter.about().inserted, 103);

    // Opened and closed without an insert, a file is unchanged.
    fs::write(&path, &before).unwrap();
    assert!(SharedFile::open(&path, Open::new()).unwrap().close().unwrap());
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// A process that opens the file at the same moment joins, and does not wait for others to finish.
#[test]
fn no_process_waits_for_another() {
    let (_folder, path) = file(Kind::Blocked);
    for _ in 0..30 {
        let all = Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let seen = SharedFile::open(&path, Open::new()).unwrap();
                    all.wait();
                    seen.close().unwrap();
                });
            }
        });
        assert!(!is_open(&path));
    }
}

/// Every way of reading finds the present keys, with the current number of inserts.
#[test]
fn an_open_file_can_be_read() {
    for kind in KINDS {
        let (_folder, path) = file(kind);
        let seen = SharedFile::open(&path, Open::new()).unwrap();
        let view = SharedView::open(&path, Open::new()).unwrap();
        seen.insert_hashes(&hashes(100..5000));
        let found = hashes(0..5000).iter().all(|key| view.contains_hash(*key));
        assert!(found, "{kind}: a view sees later inserts");
        let bytes = fs::read(&path).unwrap();
        for filter in [
            Open::new().file::<AnyFilter>(&path).unwrap(),
            Open::new().bytes(&bytes).unwrap(),
            Open::new().reader(&bytes[..]).unwrap(),
            Open::new().shared_bytes(bytes.clone().into()).unwrap(),
        ] {
            assert!(has_all(&filter, 0..5000), "{kind}");
            assert_eq!(filter.about().inserted, 5000);
            let mut saved = Vec::new();
            filter.write_to(&mut saved).unwrap();
            assert!(saved == expected(kind, 0..5000), "{kind}: a saved copy is closed");
        }
    }
}

#[expect(unsafe_code, reason = "mapping a file is")]
fn map(path: &Path) -> Result<AnyFilter, LoadError> {
    // SAFETY: callers change the file only after the filter is dropped.
    Open::new().map(&unsafe { FileMap::open(path) }?)
}

/// Plain maps are for files that do not change.
#[test]
fn an_open_file_is_not_mapped_as_plain_memory() {
    for kind in KINDS {
        let (_folder, path) = file(kind);
        assert!(has_all(&map(&path).unwrap(), 0..100));
        let seen = SharedFile::open(&path, Open::new()).unwrap();
        let refused = map(&path).unwrap_err();
        assert!(matches!(refused, LoadError::Shared), "{kind}: {refused}");
        // Nor one that a killed process left open.
        stop(seen, &path);
        assert!(matches!(map(&path), Err(LoadError::Shared)), "{kind}");
        SharedFile::open(&path, Open::new()).unwrap().close().unwrap();
        assert!(has_all(&map(&path).unwrap(), 0..100));
    }
}

#[test]
fn a_view_needs_no_write_access_and_reads_closed_files_too() {
    for kind in KINDS {
        let (_folder, path) = file(kind);
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let before = fs::read(&path).unwrap();
        let view = SharedView::open(&path, Open::new()).unwrap();
        let found = |range| hashes(range).iter().filter(|key| view.contains_hash(**key)).count();
        assert_eq!(found(0..100), 100, "{kind}");
        assert!(found(1_000_000..1_010_000) < 10, "{kind}");
        assert_eq!(view.about().inserted, 100);
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.anther");
    AnyFilter::new(Kind::Counting, Target::new(100, 0.01).unwrap(), Seed::FIXED)
        .unwrap()
        .save(&path)
        .unwrap();
    assert!(matches!(SharedView::open(&path, Open::new()), Err(ShareError::Kind { .. })));
    let (_folder, path) = file(Kind::Blocked);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 8]).unwrap();
    let error = SharedView::open(&path, Open::new()).unwrap_err();
    assert!(matches!(error, ShareError::Load(LoadError::Truncated { .. })), "{error}");
}

/// Bits beyond the last one are not cells, and are checked without reading the cells.
#[test]
fn bits_beyond_the_last_are_detected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.anther");
    let mut small = Classic::with_shape(Shape::bits(70).probes(2), Seed::FIXED).unwrap();
    small.insert("key");
    small.save(&path).unwrap();
    let seen = SharedFile::open(&path, Open::new()).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    drop(seen);
    // Open, so under no checksum: the last byte of the two words.
    let at = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize + 15;
    bytes[at] |= 128;
    fs::write(&path, &bytes).unwrap();
    for error in [
        SharedFile::open(&path, Open::new()).unwrap_err(),
        SharedView::open(&path, Open::new()).unwrap_err(),
        Open::new().file::<Classic>(&path).unwrap_err().into(),
    ] {
        let told = error.to_string();
        assert!(matches!(error, ShareError::Load(LoadError::Section { .. })), "{told}");
    }
}

/// Leaves the file as a killed process would, without closing it.
fn stop(seen: SharedFile, path: &Path) {
    let bytes = fs::read(path).unwrap();
    drop(seen);
    assert!(!is_open(path), "dropping it closes it");
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_file_left_open_is_closed_by_the_next_process() {
    for kind in KINDS {
        let (_folder, path) = file(kind);
        let killed = SharedFile::open(&path, Open::new()).unwrap();
        killed.insert_hashes(&hashes(100..3000));
        stop(killed, &path);
        assert!(is_open(&path));
        let next = SharedFile::open(&path, Open::new()).unwrap();
        next.insert_hashes(&hashes(3000..3001));
        assert!(next.close().unwrap());
        assert!(fs::read(&path).unwrap() == expected(kind, 0..3001), "{kind}");
    }
}

/// The stores of opening and closing in their order; the process may be killed after each.
#[test]
fn every_step_leaves_a_file_that_can_be_read_and_closed() {
    for kind in KINDS {
        let (_folder, path) = file(kind);
        let closed = fs::read(&path).unwrap();
        let seen = SharedFile::open(&path, Open::new()).unwrap();
        let fresh = fs::read(&path).unwrap();
        seen.insert_hashes(&hashes(100..900));
        let open = fs::read(&path).unwrap();
        assert!(seen.close().unwrap());
        let done = fs::read(&path).unwrap();
        assert!(done == expected(kind, 0..900));

        let header = u32::from_le_bytes(*open[12..].first_chunk().unwrap()) as usize;
        let footer = open.len() - 16;
        let inserted = 32 + 10..32 + 18;
        let with = |base: &[u8], from: &[u8], ranges: &[std::ops::Range<usize>]| {
            let mut bytes = base.to_vec();
            for range in ranges {
                bytes[range.clone()].copy_from_slice(&from[range.clone()]);
            }
            bytes
        };
        let sum = header - 8..header;
        let opening = [
            with(&closed, &fresh, std::slice::from_ref(&sum)),
            with(&closed, &fresh, &[sum.clone(), footer..footer + 8]),
        ];
        for bytes in opening {
            fs::write(&path, bytes).unwrap();
            assert!(is_open(&path));
            assert!(has_all(&AnyFilter::open(&path).unwrap(), 0..100));
            let seen = SharedFile::open(&path, Open::new()).unwrap();
            seen.insert_hashes(&hashes(100..900));
            assert!(seen.close().unwrap());
            assert!(fs::read(&path).unwrap() == done, "{kind}");
        }
        let closing = [
            with(&open, &done, std::slice::from_ref(&inserted)),
            with(&open, &done, &[inserted.clone(), footer + 8..footer + 16]),
            with(&open, &done, &[inserted.clone(), footer..footer + 16]),
        ];
        for (step, bytes) in closing.into_iter().enumerate() {
            fs::write(&path, bytes).unwrap();
            assert!(is_open(&path));
            assert!(has_all(&AnyFilter::open(&path).unwrap(), 0..900));
            let view = SharedView::open(&path, Open::new()).unwrap();
            assert!(hashes(0..900).iter().all(|key| view.contains_hash(*key)));
            // Before the second store the inserts are counted twice, and never anything else.
            assert!(SharedFile::open(&path, Open::new()).unwrap().close().unwrap());
            let inserted = AnyFilter::open(&path).unwrap().about().inserted;
            assert_eq!(inserted, if step == 0 { 1700 } else { 900 }, "{kind}");
            assert_eq!(fs::read(&path).unwrap() == done, step > 0, "{kind}");
        }
    }
}

#[test]
fn a_damaged_header_of_an_open_file_is_detected() {
    let (_folder, path) = file(Kind::Classic);
    let seen = SharedFile::open(&path, Open::new()).unwrap();
    seen.insert_hashes(&hashes(100..200));
    stop(seen, &path);
    let open = fs::read(&path).unwrap();
    let header = u32::from_le_bytes(*open[12..].first_chunk().unwrap()) as usize;
    let inserted = 8 * (32 + 10)..8 * (32 + 18);
    for bit in (0..8 * header).filter(|bit| !inserted.contains(bit)) {
        let mut damaged = open.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Open::new().bytes::<AnyFilter>(&damaged).is_err(), "bit {bit}");
    }
    for len in [0, 8, header - 1, header, open.len() - 1] {
        assert!(Open::new().bytes::<AnyFilter>(&open[..len]).is_err(), "{len} bytes");
    }
    assert!(Open::new().bytes::<AnyFilter>(&[&open[..], b"x"].concat()).is_err());
    // Opening it to add detects that as well.
    let mut damaged = open.clone();
    damaged[11] ^= 64;
    fs::write(&path, &damaged).unwrap();
    let error = SharedFile::open(&path, Open::new()).unwrap_err();
    assert!(matches!(error, ShareError::Load(LoadError::Checksum { .. })), "{error}");
    assert_eq!(fs::read(&path).unwrap(), damaged);
}

#[test]
fn a_file_that_cannot_be_shared_is_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.anther");
    for &kind in Kind::ALL.iter().filter(|kind| !KINDS.contains(kind)) {
        let Ok(filter) = AnyFilter::new(kind, Target::new(100, 0.01).unwrap(), Seed::FIXED) else {
            continue;
        };
        filter.save(&path).unwrap();
        let before = fs::read(&path).unwrap();
        let error = SharedFile::open(&path, Open::new()).unwrap_err();
        assert!(matches!(error, ShareError::Kind { kind: got } if got == kind), "{error}");
        assert!(error.to_string().contains("several can with classic, blocked, split"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    // A row that is plain by chance still belongs to its kind.
    let mut full = Compressed::new(Target::new(10, 0.5).unwrap()).unwrap();
    full.extend(0..1000u64);
    full.save(&path).unwrap();
    assert!(matches!(SharedFile::open(&path, Open::new()), Err(ShareError::Kind { .. })));

    // Closing would write valid checksums over the damage.
    let mut damaged = expected(Kind::Blocked, 0..100);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(&path, &damaged).unwrap();
    let error = SharedFile::open(&path, Open::new()).unwrap_err();
    assert!(error.to_string().contains("checksum mismatch in the section"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), damaged);
    for bytes in [&b"no filter at all"[..], b"", &damaged[..damaged.len() - 1]] {
        fs::write(&path, bytes).unwrap();
        assert!(SharedFile::open(&path, Open::new()).is_err());
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    assert!(SharedFile::open(folder.path().join("none"), Open::new()).is_err());
}

#[test]
fn a_keyed_file_needs_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.anther");
    let keyed = Seed::keyed([7; 16]);
    AnyFilter::new(Kind::Blocked, Target::new(100, 1e-6).unwrap(), keyed)
        .unwrap()
        .save(&path)
        .unwrap();
    let before = fs::read(&path).unwrap();
    for how in [Open::new(), Open::new().key([8; 16])] {
        assert!(SharedFile::open(&path, how).is_err());
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    let how = Open::new().key([7; 16]);
    let seen = SharedFile::open(&path, how).unwrap();
    assert!(seen.insert("key").unwrap() && seen.contains("key").unwrap());
    assert!(!seen.contains("other").unwrap());
    assert!(seen.close().unwrap());
    assert!(how.file::<AnyFilter>(&path).unwrap().contains("key").unwrap());
}

/// Replacing the file waits for the processes that add to it, and then includes their keys.
#[test]
fn a_lock_waits_for_processes_that_add() {
    let (_folder, path) = file(Kind::Blocked);
    let seen = SharedFile::open(&path, Open::new()).unwrap();
    assert!(Lock::try_exclusive(&path).unwrap().is_none());
    thread::scope(|scope| {
        let replacing = scope.spawn(|| {
            let _lock = Lock::exclusive(&path).unwrap();
            let mut filter = AnyFilter::open(&path).unwrap();
            filter.as_insert().unwrap().insert_hashes(&hashes(200..300)).unwrap();
            filter.save(&path).unwrap();
        });
        seen.insert_hashes(&hashes(100..200));
        seen.close().unwrap();
        replacing.join().unwrap();
    });
    assert!(fs::read(&path).unwrap() == expected(Kind::Blocked, 0..300));
}

/// Readers open the file at any time, even in the middle of opening and closing: never an error,
/// never a false negative.
#[test]
fn readers_never_fail() {
    let (_folder, path) = file(Kind::Blocked);
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        for way in 0..3 {
            let (path, ended) = (&path, &ended);
            scope.spawn(move || {
                while !ended.load(Ordering::Relaxed) {
                    match way {
                        0 => assert!(has_all(&Open::new().file(path).unwrap(), 0..100)),
                        1 => {
                            let view = SharedView::open(path, Open::new()).unwrap();
                            assert!(hashes(0..100).iter().all(|key| view.contains_hash(*key)));
                        }
                        _ => assert!(Open::is_shared(path).is_ok()),
                    }
                }
            });
        }
        for round in 0..100 {
            let seen = SharedFile::open(&path, Open::new()).unwrap();
            seen.insert_hashes(&hashes(100 + round * 10..110 + round * 10));
            seen.close().unwrap();
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert!(fs::read(&path).unwrap() == expected(Kind::Blocked, 0..1100));
}

/// A file whose recipe is a section after the cells.
fn ruled(kind: Kind) -> (tempfile::TempDir, std::path::PathBuf, AnyFilter) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.anther");
    let rule = KeyRule { form: KeyForm::Int, ..KeyRule::default() };
    let columns = vec![Column::Name("user.id".to_string())];
    let place = Place { format: Format::Json, columns, header: false };
    let mut filter = empty(kind);
    filter.set_recipe(Some(Recipe { rule, reach: None, place }));
    filter.insert_keys(&["1", "2"]).unwrap();
    filter.save(&path).unwrap();
    (folder, path, filter)
}

/// An entry that stands for many counts as the keys that it is inserted as, in a file, too.
#[test]
fn entries_for_many_count_alike_in_memory_and_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.anther");
    let mut expected = empty(Kind::Blocked);
    let rule = KeyRule { form: KeyForm::Domain, ..KeyRule::default() };
    expected.set_recipe(Some(Recipe {
        rule,
        reach: Some(Reach::below(0.01)),
        ..Recipe::default()
    }));
    expected.insert("a.example").unwrap();
    expected.save(&path).unwrap();
    let shared = SharedFile::open(&path, Open::new()).unwrap();
    assert_eq!(shared.insert_keys(&["b.example", "c.example"]), Ok(2));
    assert!(shared.close().unwrap());
    expected.insert_keys(&["b.example", "c.example"]).unwrap();
    assert_eq!(AnyFilter::open(&path).unwrap(), expected);
}

#[test]
fn a_file_with_a_section_for_its_recipe_is_shared() {
    for kind in KINDS {
        let (_folder, path, mut expected) = ruled(kind);
        let first = SharedFile::open(&path, Open::new()).unwrap();
        let second = SharedFile::open(&path, Open::new()).unwrap();
        let view = SharedView::open(&path, Open::new()).unwrap();
        assert!(first.insert("0042").unwrap() && !second.insert(42).unwrap());
        assert!(view.contains("+42").unwrap() && view.contains(1).unwrap());
        assert_eq!(view.contains("1.5"), Err(KeyError::Int));
        assert_eq!(first.insert("x"), Err(KeyError::Int));
        assert_eq!(first.insert_keys(&["3", "x"]), Err(KeyError::Int));
        assert!(!first.contains("3").unwrap(), "neither of the two");
        second.insert_keys(&["5", "6"]).unwrap();
        let mut found = [false; 3];
        view.contains_keys(&["05", "6", "7"], &mut found).unwrap();
        assert_eq!(found, [true, true, false]);
        assert!(is_open(&path));
        let read = AnyFilter::open(&path).unwrap();
        assert_eq!(read.about().inserted, 6, "{kind}: refused keys do not count");
        assert_eq!(read.about().recipe, expected.about().recipe);
        assert!(!first.close().unwrap() && second.close().unwrap());
        expected.insert_keys(&["42", "42", "5", "6"]).unwrap();
        let mut bytes = Vec::new();
        expected.write_to(&mut bytes).unwrap();
        assert!(fs::read(&path).unwrap() == bytes, "{kind}: the file of one process");
        // Opened again, and left open by a process that was killed.
        let killed = SharedFile::open(&path, Open::new()).unwrap();
        killed.insert("-1").unwrap();
        stop(killed, &path);
        assert!(SharedFile::open(&path, Open::new()).unwrap().close().unwrap());
        expected.insert(-1).unwrap();
        Open::new().file::<Verified>(&path).unwrap();
        assert_eq!(AnyFilter::open(&path).unwrap(), expected, "{kind}");
    }
}

/// As without a recipe: each store may be the last.
#[test]
fn every_step_with_a_recipe_leaves_a_file_that_can_be_read_and_closed() {
    let (_folder, path, _) = ruled(Kind::Blocked);
    let closed = fs::read(&path).unwrap();
    let seen = SharedFile::open(&path, Open::new()).unwrap();
    let fresh = fs::read(&path).unwrap();
    seen.insert_keys(&["3", "4"]).unwrap();
    let open = fs::read(&path).unwrap();
    assert!(seen.close().unwrap());
    let done = fs::read(&path).unwrap();
    let header = u32::from_le_bytes(*open[12..].first_chunk().unwrap()) as usize;
    let footer = open.len() - 24;
    let (sum, first, last) = (header - 8..header, footer..footer + 8, footer + 16..footer + 24);
    let inserted = 32 + 10..32 + 18;
    let differ: Vec<_> = (0..open.len()).filter(|at| closed[*at] != fresh[*at]).collect();
    let allowed = |at: &usize| [&sum, &first, &last].iter().any(|range| range.contains(at));
    assert!(differ.iter().all(allowed), "opening changes three words");
    let with = |base: &[u8], from: &[u8], ranges: &[&std::ops::Range<usize>]| {
        let mut bytes = base.to_vec();
        for range in ranges {
            bytes[(*range).clone()].copy_from_slice(&from[(*range).clone()]);
        }
        bytes
    };
    for bytes in [with(&closed, &fresh, &[&sum]), with(&closed, &fresh, &[&sum, &first])] {
        fs::write(&path, bytes).unwrap();
        assert!(is_open(&path) && AnyFilter::open(&path).unwrap().contains("1").unwrap());
        let seen = SharedFile::open(&path, Open::new()).unwrap();
        seen.insert_keys(&["3", "4"]).unwrap();
        assert!(seen.close().unwrap());
        assert!(fs::read(&path).unwrap() == done);
    }
    for ranges in [&[&inserted, &last][..], &[&inserted, &first, &last]] {
        fs::write(&path, with(&open, &done, ranges)).unwrap();
        assert!(is_open(&path) && AnyFilter::open(&path).unwrap().contains("4").unwrap());
        assert!(SharedView::open(&path, Open::new()).unwrap().contains("3").unwrap());
        assert!(SharedFile::open(&path, Open::new()).unwrap().close().unwrap());
        assert!(fs::read(&path).unwrap() == done);
    }
}

/// The recipe has its checksum in an open file, too.
#[test]
fn a_damaged_recipe_is_detected_open_and_closed() {
    let (_folder, path, _) = ruled(Kind::Classic);
    let closed = fs::read(&path).unwrap();
    let seen = SharedFile::open(&path, Open::new()).unwrap();
    seen.insert("7").unwrap();
    stop(seen, &path);
    let open = fs::read(&path).unwrap();
    // Before the footer of three words: a section of 24 bytes, and zeros.
    let section = open.len() - 24 - 64..open.len() - 24;
    for good in [closed, open] {
        for at in section.clone().chain(good.len() - 16..good.len() - 8) {
            let mut damaged = good.clone();
            damaged[at] ^= 4;
            fs::write(&path, &damaged).unwrap();
            assert!(AnyFilter::open(&path).is_err(), "byte {at}");
            assert!(Open::new().bytes::<AnyFilter>(&damaged).is_err(), "byte {at}");
            assert!(Open::new().shared_bytes::<AnyFilter>(damaged.clone().into()).is_err());
            assert!(Open::new().file::<Verified>(&path).is_err(), "byte {at}");
            assert!(SharedView::open(&path, Open::new()).is_err(), "byte {at}");
            let error = SharedFile::open(&path, Open::new()).unwrap_err().to_string();
            assert!(error.contains("checksum") || error.contains("padding"), "{error}");
            assert_eq!(fs::read(&path).unwrap(), damaged, "and is unchanged");
        }
    }
}
