//! Files of filters: every kind, every form, with the answers that the library gives once it has
//! read the file.

use crate::hashes::{CHOSEN, SECRET, how};
use crate::json::{Object, list, words};
use crate::keys::{self, hashes, numbered, sets};
use crate::reads;
use crate::{Outcome, VectorFile};
use anther::{
    AnyFilter, Bloomier, Cascade, Filter, Increments, Key, KeyHash, Kind, Method, Open, Options,
    Queries, Seed, SharedFile, Target, Weighted, Work,
};
use std::fs;

/// Keys of no filter, `absent 0` and so on: of each file, exactly the listed ones are maybe in.
const ABSENT: usize = 1000;
/// The second list of a cascade, `other 0` and so on: none of them is in the filter.
const OTHERS: [usize; 2] = [200, 5000];
/// The fewest keys that a ribbon of two shards takes.
const MEMBERS: usize = 66_000;

pub fn files() -> Outcome<Vec<VectorFile>> {
    let mut files = Vec::new();
    for &kind in Kind::ALL {
        for (form, seed) in [("", Seed::FIXED), ("-keyed", Seed::keyed(SECRET))] {
            if kind.capabilities().experimental && !form.is_empty() {
                continue;
            }
            let filter = built(kind, 0, &Options::new(), seed)?;
            files.push(file(&format!("{kind}{form}"), &filter, Form::Whole)?);
        }
    }
    for (name, filter) in forms()? {
        files.push(file(name, &filter, Form::Whole)?);
    }
    files.push(ribbon_of_shards()?);
    files.push(empty_ribbon()?);
    files.push(open()?);
    Ok(files)
}

/// What a file holds, beyond the keys of the sets.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// All sets.
    Whole,
    /// All sets, in a file that a process has open.
    Open,
    /// The keys `member 0` and so on.
    Members,
    /// No key.
    Empty,
    /// The set of this many keys, and as many absent ones.
    Many(usize),
}

impl Form {
    /// How many keys that were not inserted are looked up.
    fn absent(self) -> usize {
        if let Form::Many(count) = self { count } else { ABSENT }
    }
}

/// A file of this kind with very many keys, once with an open seed and once with a secret key.
pub fn many(kind: Kind, count: usize) -> Outcome<Vec<VectorFile>> {
    let set = keys::many(count);
    let target = Target::new(count as u64, 0.01)?;
    [("open", Seed::chosen(CHOSEN)), ("keyed", Seed::keyed(SECRET))]
        .into_iter()
        .map(|(name, seed)| {
            let keys = hashes(&set, &seed);
            let work = Work::new();
            let filter = AnyFilter::build(kind, &mut &*keys, target, &Options::new(), seed, work)?;
            file(name, &filter, Form::Many(count))
        })
        .collect()
}

fn all_keys(seed: &Seed) -> Vec<KeyHash> {
    sets().iter().flat_map(|(_, keys)| hashes(keys, seed)).collect()
}

fn texts(prefix: &str, count: usize, seed: &Seed) -> Vec<KeyHash> {
    (0..count).map(|number| numbered(prefix, number).key_hash(seed)).collect()
}

/// With 0 items, for as many as there are.
fn built(kind: Kind, items: u64, options: &Options, seed: Seed) -> Outcome<AnyFilter> {
    let keys = all_keys(&seed);
    let items = if items == 0 { keys.len() as u64 } else { items };
    if kind == Kind::Cascade {
        return cascade(OTHERS[0], seed);
    }
    let target = Target::new(items, 0.01)?;
    Ok(AnyFilter::build(kind, &mut &*keys, target, options, seed, Work::new())?)
}

fn cascade(others: usize, seed: Seed) -> Outcome<AnyFilter> {
    let (keys, mut others) = (all_keys(&seed), texts("other", others, &seed));
    Ok(Cascade::build_lists(&mut &*keys, &mut others, None, seed, Work::new())?.into())
}

/// What a map has for a key.
fn value(key: KeyHash) -> u64 {
    key.again(7).0
}

/// Forms that a target alone does not produce.
fn forms() -> Outcome<Vec<(&'static str, AnyFilter)>> {
    let seed = Seed::chosen(CHOSEN);
    let (options, all) = (Options::new(), all_keys(&seed));
    let form = |kind, items, options: Options| built(kind, items, &options, seed);
    let target = Target::new(all.len() as u64, 0.01)?;
    let map = |bits: u32, mutable| {
        let mut pairs: Vec<_> = all.iter().map(|key| (*key, value(*key) >> (64 - bits))).collect();
        let options = options.value_bits(bits);
        Bloomier::build_pairs(&mut pairs, target, &options, mutable, seed, Work::new())
    };
    let mut counts: Vec<_> = all.iter().map(|key| (*key, (value(*key) >> 56) + 1)).collect();
    let bands = Bloomier::build_bands(&mut counts, target, &options, false, seed, Work::new())?;
    // Absent keys that are often looked up: some of them pass with fewer probes.
    let absent = texts("absent", 200, &seed);
    let asked = absent.iter().zip(1..).map(|(key, number)| (*key, 1000 / number));
    let often_asked = Target::new(all.len() as u64, 0.2)?;
    let hot = Weighted::for_queries(often_asked, &Queries::counted(asked)?.hot(60), seed)?;
    let mut hot = AnyFilter::from(hot);
    hot.insert_hashes(&all)?;
    let mut often = form(Kind::Quotient, 300, options)?;
    for _ in 0..40 {
        often.insert_hashes(&all[..2])?;
    }
    let recurring = options.method(Method::Recurring);
    let interval = options.increments(Increments::Interval(4));
    Ok(vec![
        ("classic-chosen", form(Kind::Classic, 0, options)?),
        ("blocked-chosen", form(Kind::Blocked, 0, options)?),
        ("ribbon-chosen", form(Kind::Ribbon, 0, options)?),
        ("scalable-blocked", form(Kind::Scalable, 16, options.over(Kind::Blocked))?),
        ("scalable-classic", form(Kind::Scalable, 16, options.over(Kind::Classic))?),
        ("scalable-counting", form(Kind::Scalable, 16, options.over(Kind::Counting))?),
        ("compressed-plain", form(Kind::Compressed, 60, options.expansion(1.0))?),
        ("counting-wide", form(Kind::Counting, 0, options.counter_bits(7))?),
        ("variable-increment-interval", form(Kind::VariableIncrement, 0, interval)?),
        ("spectral-increase", form(Kind::Spectral, 0, options.method(Method::Increase))?),
        // Too small for its keys, so that the second row decides many counts.
        ("spectral-recurring", form(Kind::Spectral, 40, recurring)?),
        ("weighted-hot", hot),
        // A seed of which two tries fail: the third takes another hash.
        ("fuse-tries", built(Kind::Fuse, 0, &options, Seed::chosen(1338))?),
        ("fuse-four", form(Kind::Fuse, 0, options.arity(4))?),
        // The number of shards follows from the announced items, not from the actual keys.
        ("fuse-shards", form(Kind::Fuse, 7_000_000, options)?),
        ("bloomier-shards", form(Kind::Bloomier, 7_000_000, options)?),
        ("bloomier-values", map(16, false)?.into()),
        ("bloomier-wide", map(64, false)?.into()),
        ("bloomier-mutable", map(16, true)?.into()),
        ("bloomier-bands", bands.into()),
        ("cuckoo-two", form(Kind::Cuckoo, 0, options.bucket_size(2))?),
        ("cuckoo-eight", form(Kind::Cuckoo, 0, options.bucket_size(8))?),
        ("quotient-counts", often),
        // Three windows have passed: every slice was emptied and filled again.
        ("aging-window", form(Kind::Aging, 100, options.window(30))?),
        ("cascade-columns", cascade(OTHERS[1], seed)?),
    ])
}

/// Few columns, since the shards of a ribbon follow from its keys.
fn ribbon_of_shards() -> Outcome<VectorFile> {
    let (seed, target) = (Seed::FIXED, Target::new(MEMBERS as u64, 0.4)?);
    let keys = texts("member", MEMBERS, &seed);
    let work = Work::new();
    let ribbon = AnyFilter::build(Kind::Ribbon, &mut &*keys, target, &Options::new(), seed, work)?;
    file("ribbon-shards", &ribbon, Form::Members)
}

fn empty_ribbon() -> Outcome<VectorFile> {
    let (target, options, work) = (Target::new(10, 0.01)?, Options::new(), Work::new());
    let keys: &[KeyHash] = &[];
    let ribbon = AnyFilter::build(Kind::Ribbon, &mut &*keys, target, &options, Seed::FIXED, work)?;
    file("ribbon-empty", &ribbon, Form::Empty)
}

fn open() -> Outcome<VectorFile> {
    let all = all_keys(&Seed::FIXED);
    let target = Target::new(all.len() as u64, 0.01)?;
    let mut filter = AnyFilter::new(Kind::Classic, target, Seed::FIXED)?;
    filter.insert_hashes(&all[..60])?;
    described("classic-open", inserted_in_place(&filter, &all[60..])?, Form::Open)
}

/// The file that a process leaves which was killed while it inserted these keys in place.
pub fn inserted_in_place(filter: &AnyFilter, keys: &[KeyHash]) -> Outcome<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("open.anther");
    filter.save(&path)?;
    let shared = SharedFile::open(&path, Open::new())?;
    shared.insert_hashes(keys);
    let bytes = fs::read(&path)?;
    drop(shared);
    Ok(bytes)
}

fn file(name: &str, filter: &AnyFilter, form: Form) -> Outcome<VectorFile> {
    let mut bytes = Vec::new();
    filter.write_to(&mut bytes)?;
    described(name, bytes, form)
}

/// The file's entry, by the answers of the filter that is read from it.
fn described(name: &str, bytes: Vec<u8>, form: Form) -> Outcome<VectorFile> {
    let keyed = bytes.get(16) == Some(&1);
    let open = if keyed { Open::new().key(SECRET) } else { Open::new() };
    let filter: AnyFilter = open.bytes(&bytes)?;
    let seed = filter.seed();
    let mut entry = VectorFile::entry(name, filter.kind().name(), &bytes, how(seed))?;
    if form == Form::Open {
        entry = entry.raw("open", "true");
    }
    let mut held = Vec::new();
    if form == Form::Members {
        let members = Object::new().text("prefix", "member").raw("count", MEMBERS).end();
        entry = entry.raw("numbered", members);
        held.extend(texts("member", MEMBERS, seed));
    } else if form == Form::Empty {
        entry = entry.raw("holds", "[]");
    } else if let Form::Many(count) = form {
        entry = entry.raw("holds", format!("[\"{}\"]", keys::MANY));
        held.extend(hashes(&keys::many(count), seed));
    } else {
        entry = entry.raw("holds", list(sets().iter().map(|(name, _)| format!("\"{name}\""))));
        held.extend(all_keys(seed));
    }
    let positions = |keys: &[KeyHash], says: bool| {
        let all = keys.iter().map(|key| filter.contains_hash(*key)).enumerate();
        all.filter(|(_, found)| *found == says).map(|(at, _)| at).collect::<Vec<_>>()
    };
    let forgotten = positions(&held, false);
    if filter.kind().capabilities().no_false_negatives && !forgotten.is_empty() {
        return Err(format!("{name}: keys are missing").into());
    }
    entry = entry.raw("forgotten", list(forgotten));
    let absent = texts("absent", form.absent(), seed);
    let maybe = positions(&absent, true);
    let numbers = Object::new().text("prefix", "absent").raw("count", absent.len());
    entry = entry.raw("absent", numbers.raw("maybe", list(&maybe)).end());
    if filter.kind() == Kind::Cascade {
        let count = if name.ends_with("columns") { OTHERS[1] } else { OTHERS[0] };
        let found = positions(&texts("other", count, seed), true);
        let numbers = Object::new().text("prefix", "other").raw("count", count);
        entry = entry.raw("others", numbers.raw("maybe", list(found)).end());
    }
    if let Some(count) = filter.as_count() {
        entry = entry.raw("counts", list(held.iter().map(|key| count.count_hash(*key))));
    }
    if let Some(map) = filter.as_lookup() {
        let values: Option<Vec<u64>> = held.iter().map(|key| map.get_hash(*key)).collect();
        entry = entry.raw("values", words(values.ok_or("a key without a value")?));
    }
    let of_maybe = maybe.first().map(|at| absent[*at]);
    let sample: Vec<_> = held.iter().take(2).chain(&absent[..1]).copied().chain(of_maybe).collect();
    // A key makes other hashes, and these the same cells.
    let reads = if keyed { None } else { reads::of(&filter, &sample) };
    if let Some(reads) = reads {
        entry = entry.raw("reads", list(reads));
    }
    Ok(VectorFile { name: format!("files/{name}.anther"), bytes, entry: entry.end() })
}
