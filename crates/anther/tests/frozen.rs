//! Files of version 1 of the format, frozen in `tests/golden`: one of each kind, and of other forms
//! that files can have. They are what FORMAT.md guarantees: every release reads them, with the same
//! answers, and writes the same bytes from the same keys.
//!
//! An existing file is never written again; there is no switch for it. If this test fails after a
//! change, the change breaks files that people have: undo it, or give the new bytes a new kind, a
//! new field name or a new version, beside the old ones. A new kind or form gets its file by
//! `ANTHER_NEW_GOLDEN=1 cargo test -p anther --test frozen`, which writes only missing files.
//!
//! Sizes derived from a target are not part of the format. If they change one day, the filters here
//! are made with the old sizes, and the files stay. Experimental kinds are not guaranteed: one that
//! changes takes a new number, and a new file replaces the old one.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "tests: small numbers, and a panic is the message"
)]

use anther::iblt::{Integers, Strata, Strings};
use anther::range::{Keys, Range};
use anther::recipe::{Column, Given, KeyForm, KeyRule, Reach, Recipe, Separator};
use anther::remote::Reads;
use anther::{
    AnyFilter, Blocked, Bloomier, Cascade, ExactSet, Filter, Iblt, Increments, Key, KeyError,
    KeyHash, Kind, LoadError, Method, Open, Options, Queries, Quotient, Remote, Save, Seed,
    SharedFile, SharedView, Target, Weighted, Work,
};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use support::{bytes_of, column, csv, filled, put};

#[allow(clippy::allow_attributes, dead_code, reason = "each test program uses a part of it")]
mod support;

const SEED: Seed = Seed::chosen(0x0061_6E74_6865_7200);
const SECRET: [u8; 16] = *b"known to no one!";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join("golden")
}

/// The frozen file of this name, which must equal what is written now.
fn frozen(name: &str, now: &[u8]) -> (PathBuf, Vec<u8>) {
    let path = folder().join(format!("{name}.anther"));
    if std::env::var_os("ANTHER_NEW_GOLDEN").is_some() {
        match File::create_new(&path) {
            Ok(mut file) => file.write_all(now).unwrap(),
            Err(error) => assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{name}"),
        }
    }
    let golden = fs::read(&path).unwrap_or_default();
    assert!(!golden.is_empty(), "{name}: no golden file yet; ANTHER_NEW_GOLDEN=1 makes it");
    assert!(golden[8..10] == [1, 0], "{name}: of version 1");
    assert!(now == golden, "{name}: what is written now differs from the frozen file");
    (path, golden)
}

/// Integers, text and pairs.
fn keys(seed: &Seed) -> Vec<KeyHash> {
    let mut keys: Vec<_> = (0..40u64).map(|i| (i * i).key_hash(seed)).collect();
    keys.extend((0..40).map(|i| format!("https://example.org/{i}").key_hash(seed)));
    keys.extend((0..20u8).map(|i| ("pair", i).key_hash(seed)));
    keys
}

/// A file of a filter: read in every way, it equals that filter.
fn check(name: &str, filter: &AnyFilter, open: Open) {
    let (path, golden) = frozen(name, &bytes_of(filter));
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

/// The names of all files that this test knows.
fn names() -> BTreeSet<String> {
    let kinds = Kind::ALL.iter().map(|kind| kind.name().to_string());
    let forms = forms().into_iter().map(|(name, _)| name.to_string());
    let others = [
        "keyed",
        "elsewhere",
        "split-xxh64",
        "open",
        "iblt-integers",
        "iblt-strings",
        "iblt-strata",
    ];
    let recipes = ["recipe-int", "recipe-csv", "recipe-open", "recipe-double", "recipe-below"];
    let pages = ["pages", "pages-recipe"];
    let ranges = ["range", "range-keyed", "range-text", "range-times"];
    let others = others.into_iter().chain(recipes).chain(pages).chain(ranges).map(str::to_string);
    kinds.chain(forms).chain(others).collect()
}

#[test]
fn every_golden_file_is_known_and_none_is_missing() {
    let files = fs::read_dir(folder()).unwrap();
    let found: BTreeSet<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .map(|name| name.strip_suffix(".anther").unwrap_or(&name).to_string())
        .collect();
    // While files are being made, the other tests are writing them.
    if std::env::var_os("ANTHER_NEW_GOLDEN").is_none() {
        assert_eq!(found, names());
    }
}

#[test]
fn a_file_of_each_kind() {
    for &kind in Kind::ALL {
        let keys = keys(&SEED);
        let mut filter = filled(kind, 100, 0.01, SEED, &keys);
        let rule = KeyRule { trim: true, ..KeyRule::default() };
        let place = column(Column::Name("url".to_string()), b'\t', Separator::Line);
        filter.set_recipe(Some(Recipe { rule, reach: None, place }));
        check(kind.name(), &filter, Open::new());

        // By key and not by hash: the file says how keys are hashed.
        let mut read = AnyFilter::open(folder().join(format!("{kind}.anther"))).unwrap();
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

/// The value of a key in a map.
fn value(key: KeyHash) -> u64 {
    key.0 >> 48
}

fn with(kind: Kind, items: u64, options: Options) -> AnyFilter {
    let (target, keys) = (Target::new(items, 0.01).unwrap(), keys(&SEED));
    AnyFilter::build(kind, &mut &*keys, target, &options, SEED, Work::new()).unwrap()
}

/// Forms of the kinds that a target alone does not produce.
fn forms() -> Vec<(&'static str, AnyFilter)> {
    let (options, keys) = (Options::new(), keys(&SEED));
    let increase = options.method(Method::Increase);
    let recurring = options.method(Method::Recurring);
    let interval = options.increments(Increments::Interval(4));
    let map = |options: Options, mutable| {
        let mut pairs: Vec<_> = keys.iter().map(|key| (*key, value(*key))).collect();
        let target = Target::new(100, 0.01).unwrap();
        Bloomier::build_pairs(&mut pairs, target, &options, mutable, SEED, Work::new()).unwrap()
    };
    let mut counts: Vec<_> = keys.iter().map(|key| (*key, value(*key) + 1)).collect();
    let target = Target::new(100, 0.01).unwrap();
    let bands = Bloomier::build_bands(&mut counts, target, &options, false, SEED, Work::new());
    let bands = bands.unwrap();
    let asked = (0..50u64).map(|key| ((key * key).key_hash(&SEED), 1000 / (key + 1)));
    let queries = Queries::counted(asked).unwrap().hot(30);
    let target = Target::new(100, 0.01).unwrap();
    let mut weighted = AnyFilter::from(Weighted::for_queries(target, &queries, SEED).unwrap());
    put(&mut weighted, &keys);
    // With so many other keys the filter has a column for each halving of them; with few, no filter.
    let cascade = |others| {
        let mut others: Vec<_> = (0..others).map(|i| KeyHash(i).again(22)).collect();
        let work = Work::new();
        AnyFilter::from(Cascade::build_lists(&mut &*keys, &mut others, None, SEED, work).unwrap())
    };
    let mut often = with(Kind::Quotient, 200, options);
    (0..40).for_each(|_| put(&mut often, &keys[..2]));
    vec![
        ("scalable-blocked", with(Kind::Scalable, 12, options.over(Kind::Blocked))),
        ("scalable-classic", with(Kind::Scalable, 12, options.over(Kind::Classic))),
        ("scalable-counting", with(Kind::Scalable, 12, options.over(Kind::Counting))),
        ("compressed-plain", with(Kind::Compressed, 50, options.expansion(1.0))),
        ("counting-wide", with(Kind::Counting, 100, options.counter_bits(7))),
        ("variable-increment-interval", with(Kind::VariableIncrement, 100, interval)),
        ("spectral-increase", with(Kind::Spectral, 100, increase)),
        ("spectral-recurring", with(Kind::Spectral, 100, recurring)),
        ("weighted-hot", weighted),
        ("fuse-four", with(Kind::Fuse, 100, options.arity(4))),
        ("bloomier-values", map(options.value_bits(16), false).into()),
        ("bloomier-wide", map(options.value_bits(64), false).into()),
        ("bloomier-mutable", map(options.value_bits(16), true).into()),
        ("bloomier-bands", bands.into()),
        ("cuckoo-two", with(Kind::Cuckoo, 100, options.bucket_size(2))),
        ("cuckoo-eight", with(Kind::Cuckoo, 100, options.bucket_size(8))),
        // The number of shards follows from the announced items, not from the actual keys.
        ("fuse-shards", with(Kind::Fuse, 7_000_000, options)),
        ("bloomier-shards", with(Kind::Bloomier, 7_000_000, options)),
        ("quotient-counts", often),
        // Three windows have passed: every slice was emptied and filled again.
        ("aging-window", with(Kind::Aging, 100, options.window(30))),
        ("cascade-columns", cascade(5000)),
        ("cascade-map", cascade(100)),
    ]
}

#[test]
fn a_file_of_each_form() {
    for (name, filter) in forms() {
        check(name, &filter, Open::new());
    }
    let field = |name: &str, field: &str| {
        let read = AnyFilter::open(folder().join(format!("{name}.anther"))).unwrap();
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
        let map = AnyFilter::open(folder().join(format!("{name}.anther"))).unwrap();
        let map = map.as_lookup().unwrap();
        assert!(keys(&SEED).iter().all(|key| map.get_hash(*key) == Some(value(*key))), "{name}");
    }
    let bands = AnyFilter::open(folder().join("bloomier-bands.anther")).unwrap();
    let bands = bands.as_lookup().unwrap();
    let counts = |key| bands.get_hash(key).map(|band| bands.counts(band));
    assert!(keys(&SEED).iter().all(|key| counts(*key).unwrap().contains(&(value(*key) + 1))));
    let counts = AnyFilter::open(folder().join("quotient-counts.anther")).unwrap();
    let counts = counts.as_count().unwrap();
    assert_eq!((counts.count_hash(keys(&SEED)[0]), counts.count_hash(keys(&SEED)[9])), (41, 1));
}

/// The shards of a ribbon follow from its keys, so a file with several is large: this is its hash.
#[test]
fn a_ribbon_of_several_shards() {
    let keys: Vec<_> = (0..100_000u64).map(|key| key.key_hash(&SEED)).collect();
    let bytes = bytes_of(&filled(Kind::Ribbon, 100_000, 0.01, SEED, &keys));
    assert_eq!(bytes.as_slice().key_hash(&Seed::FIXED), KeyHash(11_396_686_987_593_429_620));
}

#[test]
fn a_file_with_a_secret_key_and_a_recipe_of_columns() {
    let seed = Seed::keyed(SECRET);
    let mut filter = filled(Kind::Blocked, 100, 0.01, seed, &keys(&seed));
    let rule = KeyRule { form: KeyForm::Hex, trim: true, ignore_case: true, ..KeyRule::default() };
    let place = column(Column::Number(3.try_into().unwrap()), b',', Separator::Nul);
    filter.set_recipe(Some(Recipe { rule, reach: None, place }));
    check("keyed", &filter, Open::new().key(SECRET));
    let read: AnyFilter = Open::new().key(SECRET).file(folder().join("keyed.anther")).unwrap();
    let hash = |key: &dyn Fn(&Seed) -> KeyHash| read.contains_hash(key(&seed));
    assert!(hash(&|seed| 81u64.key_hash(seed)) && hash(&|seed| ("pair", 19u64).key_hash(seed)));
    assert!(!hash(&|seed| 2u64.key_hash(seed)));
    assert!(matches!(read.contains(81u64), Err(KeyError::Type { form: "hex", .. })));
    // The bytes of "https://example.org/7" in hexadecimal.
    let digits: Vec<_> =
        "https://example.org/7".bytes().map(|byte| format!("{byte:02X}")).collect();
    assert!(read.contains(digits.concat()).unwrap());
    assert_eq!(read.contains("https://example.org/7"), Err(KeyError::Hex));
    let locked = AnyFilter::open(folder().join("keyed.anther"));
    assert!(matches!(locked, Err(LoadError::KeyNeeded)));
    let wrong = Open::new().key([0; 16]).file::<AnyFilter>(folder().join("keyed.anther"));
    assert!(matches!(wrong, Err(LoadError::WrongKey)));
}

/// External hashes, in the form of `quotient` that lists its keys.
#[test]
fn a_file_of_external_hashes() {
    let mut elements = ExactSet::new(20).unwrap();
    for key in 0..20u64 {
        elements.insert(key * key).unwrap();
    }
    let (path, golden) = frozen("elsewhere", &bytes_of(&Quotient::from(elements.clone()).into()));
    let read: Quotient = Open::new().without_hashing().bytes(&golden).unwrap();
    assert_eq!(read, Quotient::from(elements));
    assert!(matches!(AnyFilter::open(path), Err(LoadError::ExternalHashes)));
    let listed: BTreeSet<u64> = ExactSet::try_from(read).unwrap().iter().collect();
    assert_eq!(listed, (0..20).map(|key| key * key).collect());
}

/// The filter of a Parquet column, hashed as Parquet hashes.
#[test]
fn a_file_of_parquets_hash() {
    let mut filter = filled(Kind::Split, 100, 0.01, Seed::XXH64, &keys(&Seed::XXH64));
    filter.set_recipe(Some(Recipe { rule: rule(KeyForm::Int32), ..Recipe::default() }));
    filter.insert_keys(&["-5", "2147483647"]).unwrap();
    check("split-xxh64", &filter, Open::new());
    let read = AnyFilter::open(folder().join("split-xxh64.anther")).unwrap();
    assert_eq!(read.seed(), &Seed::XXH64);
    assert!(read.contains("-05").unwrap() && !read.contains("5").unwrap());
    // XXH64 of the four bytes of -5, by another implementation.
    assert!(read.contains_hash(KeyHash(0x085A_0B0C_02CD_A0F1)));
    let external = Open::new().without_hashing().bytes::<AnyFilter>(&bytes_of(&filter)).unwrap();
    assert_eq!(external.seed(), &Seed::XXH64);
}

/// As left by a process that was killed while it added in place.
#[test]
fn a_file_that_is_open() {
    let all = keys(&SEED);
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("open.anther");
    filled(Kind::Classic, 100, 0.01, SEED, &all[..60]).save(&path).unwrap();
    let shared = SharedFile::open(&path, Open::new()).unwrap();
    shared.insert_hashes(&all[60..]);
    let (golden_path, golden) = frozen("open", &fs::read(&path).unwrap());
    drop(shared);
    assert!(Open::is_shared(&golden_path).unwrap());
    let expected = filled(Kind::Classic, 100, 0.01, SEED, &all);
    assert_eq!(Open::new().bytes::<AnyFilter>(&golden).unwrap(), expected);
    assert_eq!(AnyFilter::open(&golden_path).unwrap(), expected);
}

fn rule(form: KeyForm) -> KeyRule {
    KeyRule { form, ..KeyRule::default() }
}

/// A recipe that the header cannot hold is a section. Lines of integers, and a pair of CSV columns.
#[test]
fn files_with_a_section_for_the_recipe() {
    let mut filter = filled(Kind::Blocked, 100, 0.01, SEED, &keys(&SEED));
    filter.set_recipe(Some(Recipe { rule: rule(KeyForm::Int), ..Recipe::default() }));
    for key in ["0777", "-5", "18446744073709551616"] {
        filter.insert(key).unwrap();
    }
    check("recipe-int", &filter, Open::new());
    let path = folder().join("recipe-int.anther");
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

    let mut filter = filled(Kind::Cuckoo, 200, 0.01, SEED, &keys(&SEED));
    let rule = KeyRule { trim: true, ignore_case: true, parts: 2, ..KeyRule::default() };
    filter.set_recipe(Some(Recipe { rule, reach: None, place: csv(&["name", "mail"]) }));
    filter.insert(("Ann", " ann@example.org")).unwrap();
    filter.insert(("a", "bc")).unwrap();
    check("recipe-csv", &filter, Open::new());
    let read = AnyFilter::open(folder().join("recipe-csv.anther")).unwrap();
    assert!(read.contains(("ANN ", "ann@example.org")).unwrap());
    assert!(read.contains(("a", "bc")).unwrap() && !read.contains(("ab", "c")).unwrap());
    assert_eq!(read.contains("a"), Err(KeyError::Parts { expected: 2, got: 1 }));
}

/// Checksums of pages, of which the last is shorter than the others.
#[test]
fn files_with_checksums_of_pages() {
    let keys = keys(&SEED);
    for (name, kind) in [("pages", Kind::Blocked), ("pages-recipe", Kind::Fuse)] {
        let mut filter = filled(kind, 4000, 0.01, SEED, &keys);
        if kind == Kind::Fuse {
            let many: Vec<_> =
                (0..4000u64).map(|i| i.key_hash(&SEED)).chain(keys.clone()).collect();
            filter = filled(kind, 4100, 0.01, SEED, &many);
            filter.set_recipe(Some(Recipe { rule: rule(KeyForm::Int), ..Recipe::default() }));
        }
        let (path, golden) = frozen(name, &Save::new().pages(true).bytes(&filter).unwrap());
        assert!((4096..8192).contains(&golden.len()), "{name}: small");
        assert_eq!(Open::new().bytes::<AnyFilter>(&golden).unwrap(), filter, "{name}");
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
    let mut filter = filled(Kind::Split, 100, 0.01, SEED, &keys(&SEED));
    filter.set_recipe(Some(Recipe { rule: rule(KeyForm::Double), ..Recipe::default() }));
    let numbers = ["-0", "1e-3", "-Infinity", "nan", "16777217"];
    filter.insert_keys(&numbers).unwrap();
    check("recipe-double", &filter, Open::new());
    let read = AnyFilter::open(folder().join("recipe-double.anther")).unwrap();
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
    let mut filter = filled(Kind::Blocked, 100, 0.001, SEED, &keys(&SEED));
    let reach = Some(Reach::below(0.001));
    filter.set_recipe(Some(Recipe { rule: rule(KeyForm::Email), reach, ..Recipe::default() }));
    filter.insert_keys(&["bob@example.org", "*@spam.example", "*@a.bulk.example"]).unwrap();
    check("recipe-below", &filter, Open::new());
    let read = AnyFilter::open(folder().join("recipe-below.anther")).unwrap();
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
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("open.anther");
    let mut filter = filled(Kind::Blocked, 100, 0.01, SEED, &keys(&SEED)[..60]);
    filter.set_recipe(Some(Recipe {
        rule: rule(KeyForm::Email),
        reach: None,
        place: csv(&["mail"]),
    }));
    filter.save(&path).unwrap();
    let shared = SharedFile::open(&path, Open::new()).unwrap();
    let mails = ["Bob@Example.org", "ann@example.com"];
    shared.insert_keys(&mails).unwrap();
    let (golden_path, golden) = frozen("recipe-open", &fs::read(&path).unwrap());
    drop(shared);
    filter.insert_keys(&mails).unwrap();
    assert!(Open::is_shared(&golden_path).unwrap());
    assert_eq!(Open::new().bytes::<AnyFilter>(&golden).unwrap(), filter);
    assert_eq!(AnyFilter::open(&golden_path).unwrap(), filter);
    let view = SharedView::open(&golden_path, Open::new()).unwrap();
    assert!(view.contains("BOB@example.org").unwrap() && view.contains("bob").is_err());
    assert!(matches!(support::map::<AnyFilter>(Open::new(), &golden_path), Err(LoadError::Shared)));

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
    let mut bytes = Vec::new();
    let mut integers = Iblt::with_seed(Integers, 10, SEED).unwrap();
    integers.insert_all(0..7).unwrap();
    integers.remove(1000).unwrap();
    integers.write_to(&mut bytes).unwrap();
    let (_, golden) = frozen("iblt-integers", &bytes);
    let difference = Iblt::<Integers>::from_bytes(&golden).unwrap().decode().unwrap();
    assert_eq!((difference.ours, difference.theirs), ((0..7).collect(), vec![1000]));

    bytes.clear();
    let mut strings = Iblt::with_seed(Strings::up_to(30).unwrap(), 10, SEED).unwrap();
    strings.insert_all([b"one".as_slice(), b"", b"https://example.org/7"]).unwrap();
    strings.write_to(&mut bytes).unwrap();
    let (_, golden) = frozen("iblt-strings", &bytes);
    let difference = Iblt::<Strings>::from_bytes(&golden).unwrap().decode().unwrap();
    let listed: BTreeSet<&[u8]> = difference.ours.iter().map(AsRef::as_ref).collect();
    assert_eq!(listed, BTreeSet::from([b"one".as_slice(), b"", b"https://example.org/7"]));

    bytes.clear();
    let mut strata = Strata::new(SEED).unwrap();
    keys(&SEED).into_iter().for_each(|key| strata.insert_hash(key));
    strata.write_to(&mut bytes).unwrap();
    let (_, golden) = frozen("iblt-strata", &bytes);
    assert_eq!(Strata::from_bytes(&golden).unwrap(), strata);
}

#[test]
fn files_of_range_filters() {
    let keys = || (0..60).map(|i| i * i * 1_000_003);
    let range = Range::build(keys(), 32, 0.01, SEED).unwrap();
    let (_, golden) = frozen("range", &range.to_bytes().unwrap());
    let read = Range::from_bytes(&golden).unwrap();
    assert_eq!(read, range);
    assert!(keys().all(|key| read.contains(key) && read.contains_any(key..=key + 31).unwrap()));
    assert!(!read.contains_any(2_000_006..=2_000_037).unwrap());

    let keyed = Range::build(keys(), 1024, 0.001, Seed::keyed(SECRET)).unwrap();
    let (_, golden) = frozen("range-keyed", &keyed.to_bytes().unwrap());
    let read: Range = Open::new().key(SECRET).bytes(&golden).unwrap();
    assert_eq!(read, keyed);
    assert!(keys().all(|key| read.contains(key)));

    // Times in seconds, some before 1970; the rule is in the file.
    let rule = KeyRule { form: KeyForm::Time, ..KeyRule::default() };
    let mut times = Keys::with_step(NonZero::new(1_000_000_000).unwrap());
    for time in ["2026-11-17T08:30:00Z", "1969-12-31", "2026-11-18 00:00:00.5+01:00"] {
        times.push(rule.order(Given::Text(time.as_bytes())).unwrap()).unwrap();
    }
    let mut times = Range::from_keys(times, 3600, 0.01, SEED).unwrap();
    times.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    let (_, golden) = frozen("range-times", &times.to_bytes().unwrap());
    let read = Range::from_bytes(&golden).unwrap();
    assert_eq!(read, times);
    assert_eq!(read.contains_between("2026-11-17T08:00", "2026-11-17T09:00"), Ok(true));
    assert_eq!(read.contains_between("2026-11-17T07:00", "2026-11-17T08:00"), Ok(false));
    assert_eq!(read.contains_key("1969-12-31T00:00:00Z"), Ok(true));

    // Words of up to five bytes, so longer ones are no keys.
    let rule = KeyRule { trim: true, ..KeyRule::default() };
    let words = ["ant", "bee", "crow", "eagle", "gnu"];
    let mut texts = Keys::default();
    for word in words {
        texts.push(rule.order(Given::Text(word.as_bytes())).unwrap()).unwrap();
    }
    let mut texts = Range::from_keys(texts.without_zero_bytes(), 256, 1e-6, SEED).unwrap();
    texts.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    let (_, golden) = frozen("range-text", &texts.to_bytes().unwrap());
    let read = Range::from_bytes(&golden).unwrap();
    assert_eq!(read, texts);
    assert!(read.scale().is_exact() && words.iter().all(|word| read.contains_key(word).unwrap()));
    assert_eq!(read.contains_key("eagles"), Ok(false));
    assert_eq!(read.contains_between("eaglea", "eaglez"), Ok(false));
    assert_eq!(read.contains_between("eaglds", "eagles"), Ok(true));
}

/// Files of other versions are rejected by their number, whatever follows.
#[test]
fn other_versions_are_rejected_by_name() {
    let classic = fs::read(folder().join("classic.anther")).unwrap();
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
