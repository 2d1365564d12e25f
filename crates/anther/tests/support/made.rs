//! What the files in `tests/golden` and the list `conformance/golden.sha256` are made of, and how they are
//! compared: shared by `golden.rs` and by `xtask/portable`, which runs it on other processors.
//!
//! One thread, and no test harness: programs that start threads may hang under qemu-user.

use super::support::{build, bytes_of, column, csv, put};
use anther::iblt::{Elements, Encoder, Integers, Strata, Strings};
use anther::range::{Keys, Range};
use anther::recipe::{Column, Given, KeyForm, KeyRule, Place, Reach, Recipe, Separator};
use anther::{
    AnyFilter, Bloomier, Cascade, ExactSet, Filter, Iblt, Increments, Key, KeyHash, Kind, Method,
    Open, Options, Queries, Quotient, Save, Seed, SharedFile, Target, Threads, Weighted, Work,
};
use std::num::NonZero;
use std::path::PathBuf;
use std::{env, fs, process};

pub const SEED: Seed = Seed::chosen(0x0061_6E74_6865_7200);
pub const SECRET: [u8; 16] = *b"known to no one!";

/// The repository, by the manifest of a crate that is two folders below it.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A golden file.
pub fn path(name: &str) -> PathBuf {
    root().join("crates/anther/tests/golden").join(format!("{name}.anther"))
}

/// The list of digests, as sha256sum prints it: of every golden file by its path from the root, and of what is
/// too much for files: by the names of [`digests`].
pub fn list() -> PathBuf {
    root().join("conformance/golden.sha256")
}

/// A line of the list.
pub fn line(name: &str, bytes: &[u8]) -> String {
    let digest = hmac_sha256::Hash::hash(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "  " + name
}

// ---------------------------------------------------------------------------------------------
// Golden files
// ---------------------------------------------------------------------------------------------

/// Integers, text and pairs.
pub fn keys(seed: &Seed) -> Vec<KeyHash> {
    let mut keys: Vec<_> = (0..40u64).map(|i| (i * i).key_hash(seed)).collect();
    keys.extend((0..40).map(|i| format!("https://example.org/{i}").key_hash(seed)));
    keys.extend((0..20u8).map(|i| ("pair", i).key_hash(seed)));
    keys
}

/// The value of a key in a map.
pub fn value(key: KeyHash) -> u64 {
    key.0 >> 48
}

pub fn rule(form: KeyForm) -> KeyRule {
    KeyRule { form, ..KeyRule::default() }
}

fn work() -> Work<'static> {
    Work::new().threads(Threads::ONE)
}

fn target(items: u64, fpr: f64) -> Target {
    Target::new(items, fpr).unwrap()
}

fn filled(kind: Kind, items: u64, fpr: f64, seed: Seed, keys: &[KeyHash]) -> AnyFilter {
    build(kind, keys, target(items, fpr), &Options::new(), seed, work()).unwrap()
}

fn with(kind: Kind, items: u64, options: Options) -> AnyFilter {
    build(kind, &keys(&SEED), target(items, 0.01), &options, SEED, work()).unwrap()
}

/// A filter of the keys above and of more, which has this recipe.
fn recipe(
    kind: Kind,
    (items, fpr): (u64, f64),
    (rule, reach, place): (KeyRule, Option<Reach>, Place),
    more: &[&str],
) -> AnyFilter {
    let mut filter = filled(kind, items, fpr, SEED, &keys(&SEED));
    filter.set_recipe(Some(Recipe { rule, reach, place }));
    filter.insert_keys(more).unwrap();
    filter
}

/// Golden files that are filters and nothing else, and how each is opened.
pub fn filters() -> Vec<(String, AnyFilter, Open)> {
    let mut all: Vec<(String, AnyFilter, Open)> = Vec::new();
    let mut add = |name: &str, filter| all.push((name.to_string(), filter, Open::new()));
    let lines = Place::default;
    for &kind in Kind::ALL {
        let mut filter = filled(kind, 100, 0.01, SEED, &keys(&SEED));
        let rule = KeyRule { trim: true, ..KeyRule::default() };
        let place = column(Column::Name("url".to_string()), b'\t', Separator::Line);
        filter.set_recipe(Some(Recipe { rule, reach: None, place }));
        add(kind.name(), filter);
    }
    forms().into_iter().for_each(|(name, filter)| add(name, filter));
    let mut filter = filled(Kind::Split, 100, 0.01, Seed::XXH64, &keys(&Seed::XXH64));
    filter.set_recipe(Some(Recipe { rule: rule(KeyForm::Int32), ..Recipe::default() }));
    filter.insert_keys(&["-5", "2147483647"]).unwrap();
    add("split-xxh64", filter);
    let integers = ["0777", "-5", "18446744073709551616"];
    let rules = (rule(KeyForm::Int), None, lines());
    add("recipe-int", recipe(Kind::Blocked, (100, 0.01), rules, &integers));
    let folded = KeyRule { trim: true, ignore_case: true, parts: 2, ..KeyRule::default() };
    let rules = (folded, None, csv(&["name", "mail"]));
    let mut filter = recipe(Kind::Cuckoo, (200, 0.01), rules, &[]);
    filter.insert(("Ann", " ann@example.org")).unwrap();
    filter.insert(("a", "bc")).unwrap();
    add("recipe-csv", filter);
    let numbers = ["-0", "1e-3", "-Infinity", "nan", "16777217"];
    let rules = (rule(KeyForm::Double), None, lines());
    add("recipe-double", recipe(Kind::Split, (100, 0.01), rules, &numbers));
    let rules = (rule(KeyForm::Email), Some(Reach::below(0.001)), lines());
    let mails = ["bob@example.org", "*@spam.example", "*@a.bulk.example"];
    add("recipe-below", recipe(Kind::Blocked, (100, 0.001), rules, &mails));

    let seed = Seed::keyed(SECRET);
    let mut filter = filled(Kind::Blocked, 100, 0.01, seed, &keys(&seed));
    let rule = KeyRule { form: KeyForm::Hex, trim: true, ignore_case: true, ..KeyRule::default() };
    let place = column(Column::Number(3.try_into().unwrap()), b',', Separator::Nul);
    filter.set_recipe(Some(Recipe { rule, reach: None, place }));
    all.push(("keyed".to_string(), filter, Open::new().key(SECRET)));
    all
}

/// Forms of the kinds that a target alone does not produce.
fn forms() -> Vec<(&'static str, AnyFilter)> {
    let (options, keys) = (Options::new(), keys(&SEED));
    let increase = options.method(Method::Increase);
    let recurring = options.method(Method::Recurring);
    let interval = options.increments(Increments::Interval(4));
    let map = |options: Options, mutable| {
        let mut pairs: Vec<_> = keys.iter().map(|key| (*key, value(*key))).collect();
        let target = target(100, 0.01);
        Bloomier::build_pairs(&mut pairs, target, &options, mutable, SEED, work()).unwrap()
    };
    let mut counts: Vec<_> = keys.iter().map(|key| (*key, value(*key) + 1)).collect();
    let bands =
        Bloomier::build_bands(&mut counts, target(100, 0.01), &options, false, SEED, work());
    let asked = (0..50u64).map(|key| ((key * key).key_hash(&SEED), 1000 / (key + 1)));
    let queries = Queries::counted(asked).unwrap().hot(30);
    let weighted = Weighted::for_queries(target(100, 0.01), &queries, SEED).unwrap();
    let mut weighted = AnyFilter::from(weighted);
    put(&mut weighted, &keys);
    // With so many other keys the filter has a column for each halving of them; with few, no filter.
    let cascade = |others| {
        let mut others: Vec<_> = (0..others).map(|i| KeyHash(i).again(22)).collect();
        let built = Cascade::build_lists(&mut &*keys, &mut others, None, SEED, work());
        AnyFilter::from(built.unwrap())
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
        ("bloomier-bands", bands.unwrap().into()),
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

/// All golden files.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let all = filters().into_iter().map(|(name, filter, _)| (name, bytes_of(&filter)));
    let others = [others(), iblts(), ranges()].concat().into_iter();
    all.chain(others.map(|(name, bytes)| (name.to_string(), bytes))).collect()
}

/// What `recipe-open` had before somebody added to it in place, and what was added.
pub fn mails() -> AnyFilter {
    let mut filter = filled(Kind::Blocked, 100, 0.01, SEED, &keys(&SEED)[..60]);
    let place = csv(&["mail"]);
    filter.set_recipe(Some(Recipe { rule: rule(KeyForm::Email), reach: None, place }));
    filter
}

pub const MAILS: [&str; 2] = ["Bob@Example.org", "ann@example.com"];

fn others() -> Vec<(&'static str, Vec<u8>)> {
    let mut elements = ExactSet::new(20).unwrap();
    for key in 0..20u64 {
        elements.insert(key * key).unwrap();
    }
    // As left by a process that was killed while it added in place.
    let half = filled(Kind::Classic, 100, 0.01, SEED, &keys(&SEED)[..60]);
    let open = in_place("open", &half, |shared| shared.insert_hashes(&keys(&SEED)[60..]));
    let recipe_open =
        in_place("recipe-open", &mails(), |shared| shared.insert_keys(&MAILS).unwrap());
    // The last page is shorter than the others.
    let pages = |filter: &AnyFilter| Save::new().pages(true).bytes(filter).unwrap();
    let many: Vec<_> = (0..4000u64).map(|i| i.key_hash(&SEED)).chain(keys(&SEED)).collect();
    let mut fuse = filled(Kind::Fuse, 4100, 0.01, SEED, &many);
    fuse.set_recipe(Some(Recipe { rule: rule(KeyForm::Int), ..Recipe::default() }));
    vec![
        ("elsewhere", bytes_of(&Quotient::from(elements).into())),
        ("open", open),
        ("recipe-open", recipe_open),
        ("pages", pages(&filled(Kind::Blocked, 4000, 0.01, SEED, &keys(&SEED)))),
        ("pages-recipe", pages(&fuse)),
    ]
}

/// The file of a filter, while somebody has it open. Big-endian machines read such files and make none.
fn in_place(name: &str, filter: &AnyFilter, add: impl FnOnce(&SharedFile) -> u64) -> Vec<u8> {
    if cfg!(target_endian = "big") {
        return fs::read(path(name)).unwrap();
    }
    let path = env::temp_dir().join(format!("{}-{name}.anther", process::id()));
    filter.save(&path).unwrap();
    let shared = SharedFile::open(&path, Open::new()).unwrap();
    add(&shared);
    let bytes = fs::read(&path).unwrap();
    drop(shared);
    fs::remove_file(&path).unwrap();
    bytes
}

fn iblts() -> Vec<(&'static str, Vec<u8>)> {
    let mut integers = Iblt::with_seed(Integers, 10, SEED).unwrap();
    integers.insert_all(0..7).unwrap();
    integers.remove(1000).unwrap();
    let mut strings = Iblt::with_seed(Strings::up_to(30).unwrap(), 10, SEED).unwrap();
    strings.insert_all([b"one".as_slice(), b"", b"https://example.org/7"]).unwrap();
    let mut strata = Strata::new(SEED).unwrap();
    keys(&SEED).into_iter().for_each(|key| strata.insert_hash(key));
    vec![
        ("iblt-integers", table(&integers)),
        ("iblt-strings", table(&strings)),
        ("iblt-strata", estimator(&strata)),
    ]
}

fn table<E: Elements>(table: &Iblt<E>) -> Vec<u8> {
    let mut bytes = Vec::new();
    table.write_to(&mut bytes).unwrap();
    bytes
}

fn estimator(strata: &Strata) -> Vec<u8> {
    let mut bytes = Vec::new();
    strata.write_to(&mut bytes).unwrap();
    bytes
}

fn ranges() -> Vec<(&'static str, Vec<u8>)> {
    let keys = || (0..60).map(|i| i * i * 1_000_003);
    let range = Range::build(keys(), 32, 0.01, SEED).unwrap();
    let keyed = Range::build(keys(), 1024, 0.001, Seed::keyed(SECRET)).unwrap();
    // Times in seconds, some before 1970; the rule is in the file.
    let time = rule(KeyForm::Time);
    let mut times = Keys::with_step(NonZero::new(1_000_000_000).unwrap());
    for text in ["2026-11-17T08:30:00Z", "1969-12-31", "2026-11-18 00:00:00.5+01:00"] {
        times.push(time.order(Given::Text(text.as_bytes())).unwrap()).unwrap();
    }
    let mut times = Range::from_keys(times, 3600, 0.01, SEED).unwrap();
    times.set_recipe(Some(Recipe { rule: time, ..Recipe::default() }));
    // Words of up to five bytes, so longer ones are no keys.
    let trimmed = KeyRule { trim: true, ..KeyRule::default() };
    let mut texts = Keys::default();
    for word in ["ant", "bee", "crow", "eagle", "gnu"] {
        texts.push(trimmed.order(Given::Text(word.as_bytes())).unwrap()).unwrap();
    }
    let mut texts = Range::from_keys(texts.without_zero_bytes(), 256, 1e-6, SEED).unwrap();
    texts.set_recipe(Some(Recipe { rule: trimmed, ..Recipe::default() }));
    [("range", range), ("range-keyed", keyed), ("range-times", times), ("range-text", texts)]
        .map(|(name, range)| (name, range.to_bytes().unwrap()))
        .into()
}

// ---------------------------------------------------------------------------------------------
// Digests
// ---------------------------------------------------------------------------------------------

/// Lines of the list that are of no file: what becomes of each golden file that is opened and changed, and
/// of what is too large to keep.
pub fn digests(files: &[(String, Vec<u8>)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, golden) in files {
        lines.push(line(&format!("{name}, changed"), &changed(name, golden)));
    }
    for &kind in Kind::ALL {
        for fpr in [0.01, 1e-4] {
            let keys: Vec<_> = (0..10_000u64).map(|key| key.key_hash(&Seed::FIXED)).collect();
            let filter = filled(kind, 10_000, fpr, Seed::FIXED, &keys);
            lines.push(line(&format!("{kind} of 10000 keys at {fpr}"), &steps(filter)));
        }
    }
    for over in [Kind::Classic, Kind::Blocked, Kind::Counting] {
        let options = Options::new().over(over);
        let keys: Vec<_> = (0..10_000u64).map(|key| key.key_hash(&Seed::FIXED)).collect();
        let grown =
            build(Kind::Scalable, &keys, target(100, 0.01), &options, Seed::FIXED, work()).unwrap();
        lines.push(line(&format!("scalable over {over}, grown"), &steps(grown)));
    }
    // The shards of a ribbon follow from its keys.
    let keys: Vec<_> = (0..100_000u64).map(|key| key.key_hash(&SEED)).collect();
    let ribbon = filled(Kind::Ribbon, 100_000, 0.01, SEED, &keys);
    lines.push(line("ribbon of several shards", &steps(ribbon)));
    for (name, mut filter) in with_options() {
        let keys: Vec<_> = (0..3000u64).map(|key| (key % 1000).key_hash(&Seed::FIXED)).collect();
        put(&mut filter, &keys);
        lines.push(line(name, &steps(filter)));
    }
    let seed = Seed::chosen(7);
    let mut integers = Iblt::with_seed(Integers, 100, seed).unwrap();
    integers.insert_all(0..1000).unwrap();
    lines.push(line("iblt of 1000 integers", &table(&integers)));
    let symbols = Encoder::new(Integers, 0..1000, seed).unwrap().take(2000);
    let symbols: Vec<u8> = symbols.flat_map(|symbol| symbol.as_bytes().to_vec()).collect();
    lines.push(line("2000 symbols of 1000 integers", &symbols));
    for (seed, span) in [(seed, 1), (seed, 1024), (Seed::keyed([7; 16]), 32)] {
        let keys = (0..1000u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let range = Range::build(keys, span, 0.01, seed).unwrap();
        lines.push(line(&format!("range of 1000 keys, span {span}"), &range.to_bytes().unwrap()));
    }
    lines
}

fn with_options() -> [(&'static str, AnyFilter); 4] {
    let target = target(1000, 0.01);
    let spectral = |method| {
        let options = Options::new().method(method);
        AnyFilter::with_options(Kind::Spectral, target, &options, Seed::FIXED).unwrap()
    };
    let asked = (0..50u64).map(|key| (key.key_hash(&Seed::FIXED), 1000 / (key + 1)));
    let queries = Queries::counted(asked).unwrap().hot(30);
    let weighted = Weighted::for_queries(target, &queries, Seed::FIXED).unwrap();
    [
        ("spectral by increase", spectral(Method::Increase)),
        ("spectral, recurring", spectral(Method::Recurring)),
        ("weighted with a table", weighted.into()),
        ("quotient, exact and doubled", Quotient::from(ExactSet::new(1000).unwrap()).into()),
    ]
}

/// What a golden file answers, and its bytes after a change.
fn changed(name: &str, golden: &[u8]) -> Vec<u8> {
    match name {
        "iblt-integers" => iblt::<Integers>(golden, 99, 3),
        "iblt-strings" => iblt::<Strings>(golden, b"another", b"one"),
        "iblt-strata" => {
            let before = Strata::from_bytes(golden).unwrap();
            let mut after = Strata::from_bytes(golden).unwrap();
            (0..50u64).for_each(|key| after.insert(key * 1_000_003));
            let enough = after.estimate(&before).unwrap().enough().to_string();
            [&estimator(&after)[..], enough.as_bytes()].concat()
        }
        "range" | "range-text" | "range-times" => range(&Range::from_bytes(golden).unwrap()),
        "range-keyed" => range(&Open::new().key(SECRET).bytes(golden).unwrap()),
        "elsewhere" => {
            let filter: Quotient = Open::new().without_hashing().bytes(golden).unwrap();
            steps(filter.into())
        }
        "keyed" => steps(Open::new().key(SECRET).bytes(golden).unwrap()),
        _ => steps(Open::new().bytes(golden).unwrap()),
    }
}

/// Lookups, inserts, removals, lookups: the answers, and the bytes before and after.
fn steps(mut filter: AnyFilter) -> Vec<u8> {
    let mut all = bytes_of(&filter);
    all.extend(answers(&filter));
    let more: Vec<KeyHash> = (0..30).map(|i| hash(&filter, &format!("more {i}"))).collect();
    if let Some(insert) = filter.as_insert() {
        // Files are small: some of these are rejected, and everywhere the same ones.
        all.extend(more.iter().map(|key| u8::from(insert.insert_hash(*key).is_ok())));
    }
    if let Some(remove) = filter.as_remove() {
        let some = more.iter().step_by(3);
        all.extend(some.map(|key| u8::from(remove.remove_hash(*key).is_ok())));
    }
    all.extend(answers(&filter));
    all.extend(bytes_of(&filter));
    all
}

/// Keys of every type that a filter here may have been built from, and more that are in none: what the
/// filter says to each, alone and in a batch, with counts and values where it has them.
fn answers(filter: &AnyFilter) -> Vec<u8> {
    let mut said = Vec::new();
    let mut hashes: Vec<KeyHash> = (0..200).map(|i| hash(filter, &i.to_string())).collect();
    hashes.extend((0..80).map(|i| hash(filter, &format!("https://example.org/{i}"))));
    hashes.extend((0..30).map(|i| hash(filter, &format!("more {i}"))));
    // Hashes that were made elsewhere are the keys themselves.
    if filter.seed().can_hash() {
        // By hash: a recipe's rule refuses some of these.
        let seed = filter.seed();
        hashes.extend((0..80u64).map(|i| (i * i).key_hash(seed)));
        hashes.extend((0..40u8).map(|i| ("pair", i).key_hash(seed)));
        hashes.extend((10_000..15_000u64).map(|i| i.key_hash(seed)));
    } else {
        hashes.extend((0..400).map(KeyHash));
    }
    let mut found = vec![false; hashes.len()];
    filter.contains_hashes(&hashes, &mut found);
    said.extend(found.into_iter().map(u64::from));
    for key in hashes {
        said.push(u64::from(filter.contains_hash(key)));
        said.extend(filter.as_count().map(|filter| filter.count_hash(key)));
        said.extend(filter.as_lookup().and_then(|filter| filter.get_hash(key)));
    }
    said.iter().flat_map(|said| said.to_le_bytes()).collect()
}

fn hash(filter: &AnyFilter, key: &str) -> KeyHash {
    if filter.seed().can_hash() {
        filter.seed().hash_bytes(key.as_bytes())
    } else {
        KeyHash(
            key.bytes()
                .fold(7, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)),
        )
    }
}

fn iblt<E: Elements>(golden: &[u8], insert: E::Given<'_>, remove: E::Given<'_>) -> Vec<u8> {
    let mut changed = Iblt::<E>::from_bytes(golden).unwrap();
    changed.insert(insert).unwrap();
    changed.remove(remove).unwrap();
    let listed = changed.decode().map_or(0, |difference| difference.len() as u64);
    [&table(&changed)[..], &listed.to_le_bytes()].concat()
}

/// What a range filter says to keys, and to ranges of several lengths.
fn range(filter: &Range) -> Vec<u8> {
    let mut said = Vec::new();
    for key in (0..60).map(|i| i * i * 1_000_003).chain([1_794_904_200, u64::MAX]) {
        said.push(u8::from(filter.contains(key)));
        for len in [1, 31, 1023, 100_000, 1 << 40] {
            said.push(u8::from(filter.contains_any(key..=key.saturating_add(len)).unwrap()));
        }
    }
    said
}
