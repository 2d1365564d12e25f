//! Lookups in files of which only ranges are read, and the checksums of pages.

use crate::support;
use anther::recipe::{Column, KeyForm, KeyRule, Recipe, Separator};
use anther::remote::{Opening, ReadRanges, Reads, Remote};
use anther::{
    AnyFilter, Blocked, Filter, Key, KeyHash, Kind, LoadError, Open, Options, RemoteError, Save,
    Seed, ShareError, SharedFile, Target, Verified, Work,
};
use std::io::{self, Cursor};
use std::ops::Range;

/// Of `the_tree_of_checksums_is_pinned`.
const ROOT: u64 = 0xB615_2C26_4A0E_71C8;
const LEN: usize = 622_616;
const SECRET: [u8; 16] = *b"known to no one!";

/// A file in memory that notes what is read of it.
struct Noted {
    bytes: Vec<u8>,
    rounds: Vec<Vec<Range<u64>>>,
}

impl Noted {
    fn new(bytes: Vec<u8>) -> Noted {
        Noted { bytes, rounds: Vec::new() }
    }

    /// Bytes read from this position of the file on, since the last call.
    fn read_from(&mut self, start: u64) -> u64 {
        let ranges = std::mem::take(&mut self.rounds).into_iter().flatten();
        ranges.map(|range| range.end.saturating_sub(range.start.max(start))).sum()
    }
}

impl ReadRanges for Noted {
    fn read_ranges(&mut self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        assert!(ranges.windows(2).all(|two| two[0].end < two[1].start), "apart and in order");
        self.rounds.push(ranges.to_vec());
        let end = self.bytes.len() as u64;
        let part = |it: &Range<u64>| {
            self.bytes[it.start.min(end) as usize..it.end.min(end) as usize].to_vec()
        };
        Ok(ranges.iter().map(part).collect())
    }
}

/// A filter of this kind with `items` keys: the squares of the first numbers.
fn filter(kind: Kind, items: u64, seed: Seed, options: &Options) -> AnyFilter {
    let target = Target::new(items, 0.003).unwrap();
    let keys: Vec<KeyHash> = (0..items).map(|i| (i * i).key_hash(&seed)).collect();
    support::build(kind, &keys, target, options, seed, Work::new()).unwrap()
}

fn some_keys(seed: Seed) -> Vec<KeyHash> {
    (0..500u64).flat_map(|i| [(i * i).key_hash(&seed), (i * i + 2).key_hash(&seed)]).collect()
}

fn pages(filter: &AnyFilter) -> Vec<u8> {
    Save::new().pages(true).bytes(filter).unwrap()
}

#[test]
fn remote_answers_are_those_of_the_filter() {
    let mut four = Options::default();
    four.arity = Some(4);
    for (kind, items, options) in [
        (Kind::Blocked, 3, Options::default()),
        (Kind::Blocked, 2_000_000, Options::default()),
        (Kind::Split, 300_000, Options::default()),
        (Kind::Fuse, 40, Options::default()),
        (Kind::Fuse, 300_000, Options::default()),
        (Kind::Fuse, 100_000, four),
        (Kind::Ribbon, 10, Options::default()),
        (Kind::Ribbon, 1_000_000, Options::default()),
    ] {
        for seed in [Seed::FIXED, Seed::keyed(SECRET)] {
            let filter = filter(kind, items, seed, &options);
            let keys = some_keys(seed);
            let mut expected = vec![false; keys.len()];
            filter.contains_hashes(&keys, &mut expected);
            let how = Open::new().key_if_keyed(SECRET);
            for reads in [Reads::Pages, Reads::Lines] {
                let mut file = Noted::new(pages(&filter));
                let mut remote = Remote::open(&mut file, how, reads).unwrap();
                assert_eq!((remote.kind(), remote.about()), (kind, filter.about()));
                remote.check_len(file.bytes.len() as u64).unwrap();
                assert!(matches!(remote.check_len(9), Err(LoadError::Truncated { .. })));
                assert!(file.rounds.len() <= 2, "{kind}: opened in {} rounds", file.rounds.len());
                file.rounds.clear();
                let found = remote.contains_hashes(&mut file, &keys).unwrap();
                assert_eq!(found, expected, "{kind} {items} {reads:?}");
                let most = if kind == Kind::Ribbon { 6 } else { 1 };
                assert!(file.rounds.len() <= most, "{kind}: {} rounds", file.rounds.len());
                let unit = if reads == Reads::Pages { 2048 } else { 64 };
                let places = match kind {
                    Kind::Fuse => 4 + 1,
                    // A row of ten columns has up to three lines, and one key in twenty is bumped.
                    Kind::Ribbon => 5,
                    _ => 1,
                };
                let read = file.read_from(remote.cells().start);
                assert!(read <= keys.len() as u64 * unit * places, "{kind} {reads:?}: {read}");
            }
            // Without checksums of pages, lines alone can be read.
            let mut plain = Cursor::new(Save::new().bytes(&filter).unwrap());
            let refused = Remote::open(&mut plain, how, Reads::Pages);
            assert!(matches!(refused, Err(RemoteError::NoPages)));
            let mut remote = Remote::open(&mut plain, how, Reads::Lines).unwrap();
            assert_eq!(remote.contains_hashes(&mut plain, &keys).unwrap(), expected);
        }
    }
}

#[test]
fn what_is_kept_is_not_read_again() {
    for (kind, reads) in [(Kind::Blocked, Reads::Pages), (Kind::Fuse, Reads::Lines)] {
        let filter = filter(kind, 300_000, Seed::FIXED, &Options::default());
        let keys = some_keys(Seed::FIXED);
        let mut file = Noted::new(pages(&filter));
        let mut remote = Remote::open(&mut file, Open::new(), reads).unwrap();
        let mut look_up = |kept: usize| {
            remote.keep(kept);
            let first = remote.contains_hashes(&mut file, &keys).unwrap();
            file.rounds.clear();
            let found = remote.contains_hashes(&mut file, &keys).unwrap();
            assert_eq!(found, first, "{kind}");
            file.read_from(remote.cells().start)
        };
        let all = look_up(0);
        assert!(all > 50_000, "{kind}: {all}");
        let part = look_up(40_000);
        assert!(part < all && part > 0, "{kind}: {part} of {all}");
        assert_eq!(look_up(64 << 20), 0, "{kind}");
    }
}

#[test]
fn a_file_of_one_read_has_its_answers_in_it() {
    let filter = filter(Kind::Fuse, 1000, Seed::FIXED, &Options::default());
    let mut file = Noted::new(pages(&filter));
    let mut remote = Remote::open(&mut file, Open::new(), Reads::Pages).unwrap();
    assert!(remote.contains(&mut file, 49u64).unwrap());
    assert_eq!(file.rounds.len(), 1, "the first 16 KiB");
}

#[test]
fn recipes_are_applied() {
    for (form, columns) in
        [(KeyForm::Int, 1), (KeyForm::Text, 1), (KeyForm::Text, 300), (KeyForm::Domain, 300)]
    {
        let rule = KeyRule { form, ignore_case: true, ..KeyRule::default() };
        // A long name makes a header, or a section, of more than the first 16 KiB.
        let name = "x".repeat(60 * columns);
        let place = match form {
            KeyForm::Text => support::column(Column::Name(name), b',', Separator::Line),
            _ => support::csv(&[&name]),
        };
        let mut filter =
            AnyFilter::new(Kind::Blocked, Target::new(50_000, 0.01).unwrap(), Seed::FIXED).unwrap();
        filter.set_recipe(Some(Recipe { rule, reach: None, place }));
        let key = if form == KeyForm::Int { "0042" } else { "Example.ORG" };
        filter.insert(key).unwrap();
        for reads in [Reads::Pages, Reads::Lines] {
            let mut file = Noted::new(pages(&filter));
            let mut remote = Remote::open(&mut file, Open::new(), reads).unwrap();
            assert_eq!(remote.about(), filter.about(), "{form:?}");
            assert!(file.rounds.len() <= 2);
            assert!(remote.contains(&mut file, key).unwrap(), "{form:?}");
        }
        let error =
            Remote::open(&mut Cursor::new(&pages(&filter)[..100]), Open::new(), Reads::Pages);
        assert!(error.is_err(), "{form:?}");
    }
}

#[test]
fn other_kinds_are_refused_with_what_to_do() {
    for &kind in Kind::ALL.iter().filter(|kind| !Remote::kinds().contains(kind)) {
        let target = Target::new(100, 0.01).unwrap();
        let Ok(filter) = AnyFilter::new(kind, target, Seed::FIXED) else { continue };
        let mut file = Cursor::new(pages(&filter));
        let error = Remote::open(&mut file, Open::new(), Reads::Pages).unwrap_err();
        assert!(matches!(error, RemoteError::Kind { .. }), "{kind}");
        assert!(error.to_string().contains("rebuild it as blocked"), "{error}");
    }
    let mut nothing = Cursor::new(b"<!doctype html>".to_vec());
    let error = Remote::open(&mut nothing, Open::new(), Reads::Pages);
    assert!(matches!(error, Err(RemoteError::Load(LoadError::NotAnther))));
}

/// Each byte of the file is changed, in turn: the answer is right, or an error.
#[test]
fn no_changed_byte_changes_an_answer() {
    for kind in [Kind::Blocked, Kind::Split, Kind::Fuse, Kind::Ribbon] {
        let filter = filter(kind, 600_000, Seed::FIXED, &Options::default());
        let keys = &some_keys(Seed::FIXED)[..40];
        let mut expected = vec![false; keys.len()];
        filter.contains_hashes(keys, &mut expected);
        let file = pages(&filter);
        let step = file.len() / 1999;
        let places = (0..400).chain((400..file.len()).step_by(step));
        let (mut noticed, mut unread) = (0, 0);
        for at in places {
            let mut changed = Noted::new(file.clone());
            changed.bytes[at] ^= 1 << (at % 8);
            let opened = Remote::open(&mut changed, Open::new(), Reads::Pages);
            match opened.and_then(|mut remote| remote.contains_hashes(&mut changed, keys)) {
                Ok(found) => {
                    assert_eq!(found, expected, "{kind}: byte {at}");
                    unread += 1;
                }
                Err(_) => noticed += 1,
            }
        }
        assert!(noticed >= 300 && unread > 0, "{kind}: {noticed} noticed, {unread} not read");
    }
}

/// Replies that are too short, too long, or not there at all.
#[test]
fn wrong_lengths_are_errors() {
    let filter = filter(Kind::Ribbon, 300_000, Seed::FIXED, &Options::default());
    let bytes = pages(&filter);
    let mut file = Cursor::new(bytes.clone());
    for cut in [0, 1, 7, 15, 16, 63, 100, 300, 16_383, 16_384, bytes.len() / 2] {
        let mut short = Cursor::new(bytes[..cut].to_vec());
        let opened = Remote::open(&mut short, Open::new(), Reads::Pages);
        let result = opened
            .and_then(|mut remote| remote.contains_hashes(&mut short, &some_keys(Seed::FIXED)));
        assert!(result.is_err(), "{cut}");
    }
    let mut opening = Opening::new(Open::new(), Reads::Pages);
    assert!(opening.supply(&[]).is_err());
    let mut remote = Remote::open(&mut file, Open::new(), Reads::Pages).unwrap();
    for change in 0..4 {
        let mut lookup = remote.lookup(&some_keys(Seed::FIXED)).unwrap();
        let mut wrong = file.read_ranges(lookup.ranges()).unwrap();
        match change {
            0 => drop(wrong.pop()),
            1 => drop(wrong[0].pop()),
            2 => wrong[0].push(0),
            _ => wrong.clear(),
        }
        assert!(matches!(lookup.supply(&wrong), Err(RemoteError::Length { .. })), "{change}");
        // The right ones may still come.
        while !lookup.ranges().is_empty() {
            let right = file.read_ranges(lookup.ranges()).unwrap();
            lookup.supply(&right).unwrap();
        }
        assert!(lookup.found()[0]);
    }
}

#[test]
fn files_with_pages_are_files() {
    let folder = tempfile::tempdir().unwrap();
    for &kind in Kind::ALL {
        let filter = filter(kind, 1000, Seed::FIXED, &Options::default());
        let bytes = pages(&filter);
        let plain = Save::new().bytes(&filter).unwrap();
        assert!(bytes.len() > plain.len() && bytes.len() < plain.len() + plain.len() / 200 + 256);
        assert_eq!(Open::new().bytes::<AnyFilter>(&bytes).unwrap(), filter, "{kind}");
        let read: AnyFilter = Open::new().bytes(&bytes).unwrap();
        assert_eq!(Save::new().bytes(&read).unwrap(), plain, "{kind}: as before, byte for byte");
        let sections = |bytes: &[u8]| Open::new().bytes::<Verified>(bytes).unwrap().sections;
        assert_eq!(sections(&bytes), sections(&plain), "{kind}");
        let path = folder.path().join(kind.name());
        Save::new().pages(true).file(&filter, &path).unwrap();
        assert!(Open::has_pages(&path).unwrap());
        assert_eq!(
            support::map::<AnyFilter>(Open::new(), &path).unwrap(),
            filter,
            "{kind}: mapped"
        );
        // Every byte is verified.
        for at in (0..bytes.len()).step_by(bytes.len() / 300 + 1) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert!(Open::new().bytes::<AnyFilter>(&changed).is_err(), "{kind}: byte {at}");
        }
    }
}

#[test]
fn files_with_pages_are_not_changed_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.anther");
    let filter = Blocked::new(Target::new(1000, 0.01).unwrap()).unwrap();
    Save::new().pages(true).file(&filter, &path).unwrap();
    let before = std::fs::read(&path).unwrap();
    match SharedFile::open(&path, Open::new()) {
        Err(ShareError::Pages) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// Two levels of checksums, as FORMAT.md describes them; computed with another implementation of
/// XXH3 (the Python reader of `conformance`).
#[test]
fn the_tree_of_checksums_is_pinned() {
    let target = Target::new(500_000, 0.01).unwrap();
    let filter = AnyFilter::new(Kind::Blocked, target, Seed::FIXED).unwrap();
    let bytes = pages(&filter);
    // Pages of zeros have one checksum, and the last page has another.
    let field = bytes.windows(7).position(|it| it == b"\x05pages\x01").unwrap() + 7;
    assert_eq!(u64::from_le_bytes(bytes[field..field + 8].try_into().unwrap()), ROOT);
    assert_eq!(bytes.len(), LEN);
}
