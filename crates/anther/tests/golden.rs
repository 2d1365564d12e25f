//! Golden files: `tests/golden` has one of each kind, and of the other forms that files can have. They are what
//! FORMAT.md guarantees: a release reads them, with the same answers, and writes the same bytes from the same
//! keys. `support/made.rs` makes them.
//!
//! `conformance/golden.sha256` has the digests of all golden files of the repository, and of filters that are
//! too large for files. `ANTHER_NEW_GOLDEN=1 cargo test -p anther golden::` writes both anew: if it
//! changes a file that was there, the format has changed. From 0.1.0 on nothing there may change: a new form of
//! file gets a new kind, a new field name or a new version, beside the old ones.
//!
//! Sizes derived from a target are not part of the format. If they change one day, the filters here
//! are made with the old sizes, and the files stay. Experimental kinds are not guaranteed.

use self::made::{SECRET, SEED, keys, rule, value};
use crate::support;
use crate::support::bytes_of;
use anther::iblt::{Integers, Strata, Strings};
use anther::range::Range;
use anther::recipe::{KeyForm, KeyRule, Reach};
use anther::remote::Reads;
use anther::{
    AnyFilter, Blocked, ExactSet, Filter, Iblt, Key, KeyError, KeyHash, Kind, LoadError, Open,
    Quotient, Remote, Save, Seed, SharedFile, SharedView, Target,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::LazyLock;

#[path = "support/made.rs"]
mod made;

/// Where golden files of the repository are.
const FOLDERS: [&str; 6] = [
    "conformance/files",
    "conformance/refused",
    "conformance/sketches",
    "crates/anther-cli/tests/golden",
    "crates/anther-index/tests/golden",
    "crates/anther/tests/golden",
];

/// What is made today.
struct Now {
    files: Vec<(String, Vec<u8>)>,
    list: String,
}

/// Where new files were asked for, they are written first.
static NOW: LazyLock<Now> = LazyLock::new(|| {
    let is_new = std::env::var_os("ANTHER_NEW_GOLDEN").is_some();
    let files = made::files();
    if is_new {
        files.iter().for_each(|(name, bytes)| fs::write(made::path(name), bytes).unwrap());
    }
    let mut list = BTreeMap::new();
    for folder in FOLDERS {
        for file in fs::read_dir(made::root().join(folder)).unwrap() {
            let file = file.unwrap();
            let path = format!("{folder}/{}", file.file_name().to_str().unwrap());
            let line = made::line(&path, &fs::read(file.path()).unwrap());
            list.insert(path, line);
        }
    }
    let lines = list.into_values().chain(made::digests(&files));
    let list = lines.map(|line| line + "\n").collect();
    if is_new {
        fs::write(made::list(), &list).unwrap();
    }
    Now { files, list }
});

/// A golden file.
fn golden(name: &str) -> (PathBuf, Vec<u8>) {
    LazyLock::force(&NOW);
    let path = made::path(name);
    let golden = fs::read(&path).unwrap();
    (path, golden)
}

fn opened(name: &str) -> AnyFilter {
    AnyFilter::open(golden(name).0).unwrap()
}

/// What is made from the recorded keys, byte for byte, and no other file.
#[test]
fn golden_files_are_what_is_made() {
    let mut names = BTreeSet::new();
    for (name, now) in &NOW.files {
        let golden = fs::read(made::path(name)).unwrap_or_default();
        assert!(now == &golden, "{name} is made differently; ANTHER_NEW_GOLDEN=1 writes it anew");
        assert!(golden[8..10] == [1, 0], "{name}: of version 1");
        names.insert(format!("{name}.anther"));
    }
    let files = fs::read_dir(made::path("").parent().unwrap()).unwrap();
    let found = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(found.collect::<BTreeSet<_>>(), names);
}

/// Golden files of the whole repository, and filters that are too large for files.
#[test]
fn the_list_has_the_digests_of_today() {
    let list = fs::read_to_string(made::list()).unwrap();
    let (listed, now): (BTreeSet<_>, BTreeSet<_>) =
        (list.lines().collect(), NOW.list.lines().collect());
    let name = |line: &&str| line.split_once("  ").unwrap().1.to_string();
    let differ: BTreeSet<_> = listed.symmetric_difference(&now).map(name).collect();
    assert!(differ.is_empty(), "not as listed; ANTHER_NEW_GOLDEN=1 lists them anew: {differ:#?}");
}

/// Read in every way, a file equals the filter that was written.
#[test]
fn golden_files_are_the_filters() {
    for (name, filter, open) in made::filters() {
        check(&name, &filter, open);
    }
}

/// A file of a filter: read in every way, it equals that filter.
fn check(name: &str, filter: &AnyFilter, open: Open) {
    let (path, golden) = golden(name);
    assert!(golden.len() < 8192, "{name}: small");
    let read: AnyFilter = open.bytes(&golden).unwrap();
    assert_eq!(read, *filter, "{name}");
    assert_eq!(open.file::<AnyFilter>(&path).unwrap(), *filter, "{name}: from the file");
    assert_eq!(support::map::<AnyFilter>(open, &path).unwrap(), *filter, "{name}: mapped");
    for key in keys(filter.seed()) {
        assert_eq!(read.contains_hash(key), filter.contains_hash(key), "{name}");
        let faithful = filter.kind().capabilities().no_false_negatives;
        assert!(!faithful || read.contains_hash(key), "{name}: a present key");
    }
    assert_eq!(read.about().target, filter.about().target, "{name}");
    assert_eq!(read.about().recipe, filter.about().recipe, "{name}");
}

#[test]
fn a_file_of_each_kind() {
    for &kind in Kind::ALL {
        // By key and not by hash: the file says how keys are hashed.
        let mut read = opened(kind.name());
        let faithful = kind.capabilities().no_false_negatives;
        let found = |key| read.contains(key).unwrap();
        assert!(!faithful || found("https://example.org/7") && found("\thttps://example.org/7 "));
        assert!(!found("https://example.net/7"), "{kind}");
        // Its keys are lines, by its recipe, so other types are refused. Without it they are as
        // they were.
        assert!(matches!(read.contains(81u64), Err(KeyError::Type { form: "text", .. })));
        assert!(matches!(read.contains(("pair", 19u64)), Err(KeyError::Parts { got: 2, .. })));
        read.set_recipe(None);
        assert!(!faithful || read.contains(81u64).unwrap(), "{kind}");
        assert!(read.contains(("pair", 19u64)).unwrap(), "{kind}");
        assert_eq!(read.about().target, Some(Target::new(100, 0.01).unwrap()));
    }
}

#[test]
fn a_file_of_each_form() {
    let field = |name: &str, field: &str| {
        let read = opened(name);
        let value = read.parameters().into_iter().find(|(name, _)| name == field);
        value.map(|(_, value)| value.to_string())
    };
    let grown = field("scalable-blocked", "layers").unwrap();
    assert!(grown.parse::<u32>().unwrap() > 1, "several layers: {grown}");
    for name in ["fuse-shards", "bloomier-shards"] {
        let shards = field(name, "shards").unwrap();
        assert!(shards.parse::<u32>().unwrap() > 2, "{name}: {shards}");
    }
    for (name, layers, others) in
        [("cascade", "2", "20"), ("cascade-columns", "2", "5000"), ("cascade-map", "1", "100")]
    {
        assert_eq!(field(name, "layers").as_deref(), Some(layers), "{name}");
        assert_eq!(field(name, "others").as_deref(), Some(others), "{name}");
    }
    assert_eq!(field("bloomier-mutable", "mutable").as_deref(), Some("1"));
    assert_eq!(field("spectral-recurring", "method").as_deref(), Some("2"));
    assert_eq!(field("variable-increment", "increments.form").as_deref(), Some("1"));
    assert_eq!(field("variable-increment-interval", "increments.form").as_deref(), Some("0"));

    for name in ["bloomier-values", "bloomier-wide", "bloomier-mutable"] {
        let map = opened(name);
        let map = map.as_lookup().unwrap();
        assert!(keys(&SEED).iter().all(|key| map.get_hash(*key) == Some(value(*key))), "{name}");
    }
    let bands = opened("bloomier-bands");
    let bands = bands.as_lookup().unwrap();
    let counts = |key| bands.get_hash(key).map(|band| bands.counts(band));
    assert!(keys(&SEED).iter().all(|key| counts(*key).unwrap().contains(&(value(*key) + 1))));
    let counts = opened("quotient-counts");
    let counts = counts.as_count().unwrap();
    assert_eq!((counts.count_hash(keys(&SEED)[0]), counts.count_hash(keys(&SEED)[9])), (41, 1));
}

#[test]
fn a_file_with_a_secret_key_and_a_recipe_of_columns() {
    let (path, seed) = (golden("keyed").0, Seed::keyed(SECRET));
    let read: AnyFilter = Open::new().key(SECRET).file(&path).unwrap();
    let hash = |key: &dyn Fn(&Seed) -> KeyHash| read.contains_hash(key(&seed));
    assert!(hash(&|seed| 81u64.key_hash(seed)) && hash(&|seed| ("pair", 19u64).key_hash(seed)));
    assert!(!hash(&|seed| 2u64.key_hash(seed)));
    assert!(matches!(read.contains(81u64), Err(KeyError::Type { form: "hex", .. })));
    // The bytes of "https://example.org/7" in hexadecimal.
    let digits: Vec<_> =
        "https://example.org/7".bytes().map(|byte| format!("{byte:02X}")).collect();
    assert!(read.contains(digits.concat()).unwrap());
    assert_eq!(read.contains("https://example.org/7"), Err(KeyError::Hex));
    let locked = AnyFilter::open(&path);
    assert!(matches!(locked, Err(LoadError::KeyNeeded)));
    let wrong = Open::new().key([0; 16]).file::<AnyFilter>(&path);
    assert!(matches!(wrong, Err(LoadError::WrongKey)));
}

/// External hashes, in the form of `quotient` that lists its keys.
#[test]
fn a_file_of_external_hashes() {
    let mut elements = ExactSet::new(20).unwrap();
    for key in 0..20u64 {
        elements.insert(key * key).unwrap();
    }
    let (path, golden) = golden("elsewhere");
    let read: Quotient = Open::new().without_hashing().bytes(&golden).unwrap();
    assert_eq!(read, Quotient::from(elements));
    assert!(matches!(AnyFilter::open(path), Err(LoadError::ExternalHashes)));
    let listed: BTreeSet<u64> = ExactSet::try_from(read).unwrap().iter().collect();
    assert_eq!(listed, (0..20).map(|key| key * key).collect());
}

/// The filter of a Parquet column, hashed as Parquet hashes.
#[test]
fn a_file_of_parquets_hash() {
    let read = opened("split-xxh64");
    assert_eq!(read.seed(), &Seed::XXH64);
    assert!(read.contains("-05").unwrap() && !read.contains("5").unwrap());
    // XXH64 of the four bytes of -5, by another implementation.
    assert!(read.contains_hash(KeyHash(0x085A_0B0C_02CD_A0F1)));
    let external =
        Open::new().without_hashing().bytes::<AnyFilter>(&golden("split-xxh64").1).unwrap();
    assert_eq!(external.seed(), &Seed::XXH64);
}

/// As left by a process that was killed while it added in place.
#[test]
fn a_file_that_is_open() {
    let (path, golden) = golden("open");
    assert!(Open::is_shared(&path).unwrap());
    let mut expected = opened("classic");
    expected.set_recipe(None);
    assert_eq!(Open::new().bytes::<AnyFilter>(&golden).unwrap(), expected);
    assert_eq!(AnyFilter::open(&path).unwrap(), expected);
}

/// A recipe that the header cannot hold is a section. Lines of integers, and a pair of CSV columns.
#[test]
fn files_with_a_section_for_the_recipe() {
    let path = golden("recipe-int").0;
    let read = AnyFilter::open(&path).unwrap();
    for key in ["81", "777", "+777", "-05", "18446744073709551616"] {
        assert!(read.contains(key).unwrap(), "{key}");
    }
    for key in [81i128, 777, -5, 1 << 64] {
        assert!(read.contains(key).unwrap(), "{key}");
    }
    assert!(!read.contains("778").unwrap());
    assert_eq!(read.contains("https://example.org/7"), Err(KeyError::Int));
    assert!(matches!(Blocked::open(&path), Err(LoadError::Rule { .. })));
    let unruled: Blocked = Open::new().ignore_rule().file(&path).unwrap();
    assert!(unruled.contains(777) && unruled.contains("https://example.org/7"));

    let read = opened("recipe-csv");
    assert!(read.contains(("ANN ", "ann@example.org")).unwrap());
    assert!(read.contains(("a", "bc")).unwrap() && !read.contains(("ab", "c")).unwrap());
    assert_eq!(read.contains("a"), Err(KeyError::Parts { expected: 2, got: 1 }));
}

/// Checksums of pages, of which the last is shorter than the others.
#[test]
fn files_with_checksums_of_pages() {
    let keys = keys(&SEED);
    for name in ["pages", "pages-recipe"] {
        let (path, golden) = golden(name);
        assert!((4096..8192).contains(&golden.len()), "{name}: small");
        let filter: AnyFilter = Open::new().bytes(&golden).unwrap();
        assert!(Save::new().pages(true).bytes(&filter).unwrap() == golden, "{name}");
        assert_eq!(support::map::<AnyFilter>(Open::new(), &path).unwrap(), filter, "{name}");
        assert!(Open::has_pages(&path).unwrap());
        for reads in [Reads::Pages, Reads::Lines] {
            let mut file = File::open(&path).unwrap();
            let mut remote = Remote::open(&mut file, Open::new(), reads).unwrap();
            assert_eq!(remote.contains_hashes(&mut file, &keys).unwrap(), [true; 100], "{name}");
        }
    }
}

/// Keys of a type, as other systems hash them: forms from 8 on.
#[test]
fn a_file_of_typed_keys() {
    let read = opened("recipe-double");
    for key in ["-0.0", ".001", "-inf", "NaN", "+1.6777217E7"] {
        assert!(read.contains(key).unwrap(), "{key}");
    }
    assert!(read.contains(16_777_217).unwrap());
    assert!(!read.contains("0").unwrap(), "zero has another sign");
    assert_eq!(read.contains("one"), Err(KeyError::Real));
}

/// Entries that stand for what is below them, at two levels.
#[test]
fn a_file_of_entries_that_stand_for_many() {
    let read = opened("recipe-below");
    assert_eq!(read.about().reach(), Reach::new(3, 1 << 2 | 1 << 3).unwrap());
    for key in ["Bob@Example.org", "x@spam.example", "x@mx.spam.example", "x@y.a.bulk.example"] {
        assert!(read.contains(key).unwrap(), "{key}");
    }
    for key in ["ann@example.org", "x@example", "x@bulk.example"] {
        assert!(!read.contains(key).unwrap(), "{key}");
    }
}

/// As left by a process that was killed while it added in place; then the next one closes it.
#[test]
fn an_open_file_with_a_section_for_the_recipe() {
    let (golden_path, golden) = golden("recipe-open");
    let mut filter = made::mails();
    filter.insert_keys(&made::MAILS).unwrap();
    assert!(Open::is_shared(&golden_path).unwrap());
    assert_eq!(Open::new().bytes::<AnyFilter>(&golden).unwrap(), filter);
    assert_eq!(AnyFilter::open(&golden_path).unwrap(), filter);
    let view = SharedView::open(&golden_path, Open::new()).unwrap();
    assert!(view.contains("BOB@example.org").unwrap() && view.contains("bob").is_err());
    assert!(matches!(support::map::<AnyFilter>(Open::new(), &golden_path), Err(LoadError::Shared)));

    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("open.anther");
    fs::write(&path, &golden).unwrap();
    assert!(SharedFile::open(&path, Open::new()).unwrap().close().unwrap());
    assert_eq!(fs::read(&path).unwrap(), bytes_of(&filter), "closed: the file of one process");
}

/// The keys that rules make of text, by the hashes of what they make.
#[test]
fn rules_make_the_same_keys_for_ever() {
    for (form, text, key) in [
        (KeyForm::Text, " A\u{a0}", &b" A\xC2\xA0"[..]),
        (KeyForm::Hex, "00fF", b"\x00\xFF"),
        (KeyForm::Domain, "WWW.Example.org.", b"www.example.org"),
        (KeyForm::Email, "Bob+List@Example.ORG", b"bob+list@example.org"),
        (KeyForm::Url, "HTTPS://Ex.org.:443/a/../%7eb?Q=%c3%A4#x", b"https://ex.org/~b?Q=%C3%A4"),
        (KeyForm::Int32, "-0002", b"\xFE\xFF\xFF\xFF"),
        (KeyForm::Int64, "258", b"\x02\x01\0\0\0\0\0\0"),
        (KeyForm::Float, "-0", b"\0\0\0\x80"),
        (KeyForm::Double, "NAN", b"\0\0\0\0\0\0\xF8\x7F"),
        (KeyForm::Utf16, "ä𝄞", b"\xE4\0\x34\xD8\x1E\xDD"),
        (
            KeyForm::Uuid,
            "00112233-4455-6677-8899-AABBCCDDEEFF",
            b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xAA\xBB\xCC\xDD\xEE\xFF",
        ),
    ] {
        assert_eq!(rule(form).key_hash(text, &SEED), Ok(key.key_hash(&SEED)), "{text}");
    }
    let int = |text: &str| rule(KeyForm::Int).key_hash(text, &SEED).unwrap();
    assert_eq!(int("-1"), u64::MAX.key_hash(&SEED));
    assert_eq!(int("00"), 0u8.key_hash(&SEED));
    assert_eq!(int("-9223372036854775809"), (-9_223_372_036_854_775_809i128).key_hash(&SEED));
    let both = KeyRule { trim: true, ignore_case: true, ..KeyRule::default() };
    assert_eq!(both.key_hash("\x0C Ä B\r", &SEED), Ok("Ä b".key_hash(&SEED)));
}

#[test]
fn files_of_iblts() {
    let (_, integers) = golden("iblt-integers");
    let difference = Iblt::<Integers>::from_bytes(&integers).unwrap().decode().unwrap();
    assert_eq!((difference.ours, difference.theirs), ((0..7).collect(), vec![1000]));

    let (_, strings) = golden("iblt-strings");
    let difference = Iblt::<Strings>::from_bytes(&strings).unwrap().decode().unwrap();
    let listed: BTreeSet<&[u8]> = difference.ours.iter().map(AsRef::as_ref).collect();
    assert_eq!(listed, BTreeSet::from([b"one".as_slice(), b"", b"https://example.org/7"]));

    let (_, strata) = golden("iblt-strata");
    let mut again = Vec::new();
    Strata::from_bytes(&strata).unwrap().write_to(&mut again).unwrap();
    assert!(again == strata);
}

#[test]
fn files_of_range_filters() {
    let range = |name: &str| {
        let open = if name == "range-keyed" { Open::new().key(SECRET) } else { Open::new() };
        let (_, golden) = golden(name);
        let read: Range = open.bytes(&golden).unwrap();
        assert!(read.to_bytes().unwrap() == golden, "{name}");
        read
    };
    let keys = || (0..60).map(|i| i * i * 1_000_003);
    let read = range("range");
    assert!(keys().all(|key| read.contains(key) && read.contains_any(key..=key + 31).unwrap()));
    assert!(!read.contains_any(2_000_006..=2_000_037).unwrap());

    let read = range("range-keyed");
    assert!(keys().all(|key| read.contains(key)));

    let read = range("range-times");
    assert_eq!(read.contains_between("2026-11-17T08:00", "2026-11-17T09:00"), Ok(true));
    assert_eq!(read.contains_between("2026-11-17T07:00", "2026-11-17T08:00"), Ok(false));
    assert_eq!(read.contains_key("1969-12-31T00:00:00Z"), Ok(true));

    let read = range("range-text");
    let words = ["ant", "bee", "crow", "eagle", "gnu"];
    assert!(read.scale().is_exact() && words.iter().all(|word| read.contains_key(word).unwrap()));
    assert_eq!(read.contains_key("eagles"), Ok(false));
    assert_eq!(read.contains_between("eaglea", "eaglez"), Ok(false));
    assert_eq!(read.contains_between("eaglds", "eagles"), Ok(true));
}

/// Files of other versions are rejected by their number, whatever follows.
#[test]
fn other_versions_are_rejected_by_name() {
    let classic = golden("classic").1;
    let of_version = |version: u16, len: usize| {
        let mut bytes = classic[..len].to_vec();
        bytes[8..10].copy_from_slice(&version.to_le_bytes());
        Open::new().bytes::<AnyFilter>(&bytes).unwrap_err()
    };
    for len in [16, classic.len()] {
        let error = of_version(0, len);
        assert!(matches!(error, LoadError::Unsettled));
        let text = "format version 0, from before the format was stable; rebuild it from its keys";
        assert_eq!(error.to_string(), text);
        for version in [2, 256, u16::MAX] {
            let error = of_version(version, len);
            assert!(matches!(error, LoadError::Version { got, ours: 1 } if got == version));
            assert!(error.to_string().contains("use a newer release"), "{error}");
        }
    }
}
