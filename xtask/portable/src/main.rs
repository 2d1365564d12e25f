//! Opens every golden file, looks keys up, inserts and removes where the kind can, saves, and
//! builds a filter of every kind. Each step becomes a digest; together they must be the lines of
//! `expected.txt`, on every machine. `cargo xtask portable` runs this on a big-endian one.
//!
//! No test harness and no threads: programs that start threads may hang under qemu-user.
//!
//! For a new kind or a new golden file, add what `cargo run -p portable -- --print` adds to
//! `expected.txt`. Lines that are there never change.

use anther::iblt::{Elements, Integers, Strata, Strings};
use anther::{
    AnyFilter, Cascade, Filter, Iblt, Key, KeyHash, Kind, Open, Options, Quotient, Range, Save,
    Seed, Target, Threads, Work,
};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

const EXPECTED: &str = include_str!("../expected.txt");
/// The key of `keyed.anther`; `frozen.rs` made it.
const SECRET: [u8; 16] = *b"known to no one!";

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let lines = match lines() {
        Ok(lines) => lines,
        Err(error) => {
            eprintln!("portable: {error}");
            return ExitCode::FAILURE;
        }
    };
    if env::args().nth(1).as_deref() == Some("--print") {
        lines.iter().for_each(|line| println!("{line}"));
        return ExitCode::SUCCESS;
    }
    let expected: Vec<&str> = EXPECTED.lines().collect();
    let (mut same, mut differ) = (0, 0);
    for line in &lines {
        if expected.contains(&line.as_str()) {
            same += 1;
            continue;
        }
        differ += 1;
        // A line is known by its name, its first word.
        let known = expected.iter().find(|known| known.split(' ').next() == line.split(' ').next());
        println!("expected {}\n     got {line}", known.unwrap_or(&"no such line"));
    }
    let missing = expected.len().saturating_sub(lines.len());
    println!(
        "{}, {}-endian: {same} lines as expected, {differ} differ, {missing} missing",
        env::consts::ARCH,
        if cfg!(target_endian = "big") { "big" } else { "little" },
    );
    if differ + missing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A line for each golden file, by name, and one for a new filter of each kind.
fn lines() -> Outcome<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/anther/tests/golden");
    let files = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        files.map(|file| file.map(|file| file.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let mut lines = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let line = golden(&name, &fs::read(&path)?).map_err(|error| format!("{name}: {error}"))?;
        lines.push(format!("{name} {line}"));
    }
    for &kind in Kind::ALL {
        let filter = built(kind).map_err(|error| format!("new {kind}: {error}"))?;
        lines.push(format!("new-{kind} {}", steps(filter)?));
    }
    Ok(lines)
}

/// What happens to one golden file. All but `open` and `recipe-open`, which say that a process has
/// them open, are saved as they were.
fn golden(name: &str, bytes: &[u8]) -> Outcome<String> {
    let (saved, line) = match name {
        "iblt-integers" => iblt::<Integers>(bytes, 99, 3)?,
        "iblt-strings" => iblt::<Strings>(bytes, b"another", b"one")?,
        "iblt-strata" => strata(bytes)?,
        "range" | "range-text" | "range-times" => range(&Range::from_bytes(bytes)?)?,
        "range-keyed" => range(&Open::new().key(SECRET).bytes(bytes)?)?,
        "elsewhere" => {
            let filter: Quotient = Open::new().without_hashing().bytes(bytes)?;
            let filter = AnyFilter::from(filter);
            (saved(&filter)?, steps(filter)?)
        }
        _ => {
            let open = if name == "keyed" { Open::new().key(SECRET) } else { Open::new() };
            let filter = open.bytes(bytes)?;
            let saved = match name.starts_with("pages") {
                true => Save::new().pages(true).bytes(&filter)?,
                false => saved(&filter)?,
            };
            (saved, steps(filter)?)
        }
    };
    let same = if saved == bytes { "as-it-was" } else { "changed" };
    Ok(format!("saved={same}:{:016x} {line}", digest(&saved)))
}

/// Lookups, inserts, removals, lookups: a digest of the answers and of the bytes at the end.
fn steps(mut filter: AnyFilter) -> Outcome<String> {
    let kind = filter.kind();
    let before = answers(&filter);
    let more: Vec<KeyHash> = (0..30).map(|i| hash(&filter, &format!("more {i}"))).collect();
    let mut inserted = 0;
    if let Some(insert) = filter.as_insert() {
        // Files are small: some of these are rejected, and everywhere the same ones.
        inserted = more.iter().filter(|key| insert.insert_hash(**key).is_ok()).count();
    }
    let mut removed = 0;
    if let Some(remove) = filter.as_remove() {
        removed = more.iter().step_by(3).filter(|key| remove.remove_hash(**key).is_ok()).count();
    }
    let after = answers(&filter);
    Ok(format!(
        "kind={kind} answers={before:016x} inserted={inserted} removed={removed} \
         answers={after:016x} saved={:016x}",
        digest(&saved(&filter)?)
    ))
}

/// Keys of every type that a file may have been built from, and as many that are in none: what the
/// filter says to each, alone and in a batch, with counts and values where it has them.
fn answers(filter: &AnyFilter) -> u64 {
    let mut said = Vec::new();
    let mut hashes: Vec<KeyHash> = (0..200).map(|i| hash(filter, &i.to_string())).collect();
    hashes.extend((0..80).map(|i| hash(filter, &format!("https://example.org/{i}"))));
    hashes.extend((0..30).map(|i| hash(filter, &format!("more {i}"))));
    // Hashes that were made elsewhere are the keys themselves.
    if filter.seed().can_hash() {
        // By hash: a recipe's rule refuses some of these.
        let seed = filter.seed();
        let found = |key: KeyHash| u64::from(filter.contains_hash(key));
        said.extend((0..80u64).map(|i| found((i * i).key_hash(seed))));
        said.extend((0..40u8).map(|i| found(("pair", i).key_hash(seed))));
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
    let bytes: Vec<u8> = said.iter().flat_map(|said| said.to_le_bytes()).collect();
    digest(&bytes)
}

fn hash(filter: &AnyFilter, key: &str) -> KeyHash {
    if filter.seed().can_hash() {
        filter.seed().hash_bytes(key.as_bytes())
    } else {
        KeyHash(digest(key.as_bytes()))
    }
}

/// A filter of 1000 keys on one thread; static kinds are solved here.
fn built(kind: Kind) -> Outcome<AnyFilter> {
    let seed = Seed::FIXED;
    let keys: Vec<KeyHash> =
        (0..1000).map(|i| seed.hash_bytes(format!("{i}").as_bytes())).collect();
    let (target, work) = (Target::new(1030, 0.01)?, Work::new().threads(Threads::ONE));
    if kind == Kind::Cascade {
        let mut others: Vec<_> =
            (1000..20_000).map(|i| seed.hash_bytes(format!("{i}").as_bytes())).collect();
        let fpr = Some(target.fpr());
        let built = Cascade::build_lists(&mut keys.as_slice(), &mut others, fpr, seed, work)?;
        return Ok(built.into());
    }
    Ok(AnyFilter::build(kind, &mut keys.as_slice(), target, &Options::new(), seed, work)?)
}

fn saved(filter: &AnyFilter) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    filter.write_to(&mut bytes)?;
    Ok(bytes)
}

/// The bytes as they are saved, and a digest of those after an insert and a removal.
fn iblt<E: Elements>(
    bytes: &[u8],
    insert: E::Given<'_>,
    remove: E::Given<'_>,
) -> Outcome<(Vec<u8>, String)> {
    let mut table = Iblt::<E>::from_bytes(bytes)?;
    let (mut saved, mut changed) = (Vec::new(), Vec::new());
    table.write_to(&mut saved)?;
    table.insert(insert)?;
    table.remove(remove)?;
    table.write_to(&mut changed)?;
    let listed = table.decode().map_or(0, |difference| difference.len());
    Ok((saved, format!("kind=iblt listed={listed} saved={:016x}", digest(&changed))))
}

/// A digest of what a range filter says to keys, and to ranges of several lengths.
fn range(filter: &Range) -> Outcome<(Vec<u8>, String)> {
    let mut said = Vec::new();
    for key in (0..60).map(|i| i * i * 1_000_003).chain([1_794_904_200, u64::MAX]) {
        said.push(u8::from(filter.contains(key)));
        for len in [1, 31, 1023, 100_000, 1 << 40] {
            said.push(u8::from(filter.contains_any(key..=key.saturating_add(len))?));
        }
    }
    let again = Range::build((0..1000).map(|i| i * i * 1_000_003), 1024, 0.01, *filter.seed())?;
    let again = digest(&again.to_bytes()?);
    Ok((
        filter.to_bytes()?,
        format!("kind=range answers={:016x} again={again:016x}", digest(&said)),
    ))
}

fn strata(bytes: &[u8]) -> Outcome<(Vec<u8>, String)> {
    let before = Strata::from_bytes(bytes)?;
    let mut after = Strata::from_bytes(bytes)?;
    (0..50u64).for_each(|key| after.insert(key * 1_000_003));
    let (mut saved, mut changed) = (Vec::new(), Vec::new());
    before.write_to(&mut saved)?;
    after.write_to(&mut changed)?;
    let enough = after.estimate(&before)?.enough();
    Ok((saved, format!("kind=strata enough={enough} saved={:016x}", digest(&changed))))
}

/// FNV-1a, which is short and not the hash that is being checked.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    })
}
