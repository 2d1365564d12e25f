//! What has other answers than maybe and no: external hashes, iblts and their symbols, ranges.

use crate::container::Container;
use crate::hashes::{CHOSEN, SECRET, how};
use crate::json::{list, words};
use crate::keys::hex;
use crate::{Outcome, VectorFile};
use anther::iblt::{Encoder, Integers, Strata, Strings};
use anther::range::Keys;
use anther::recipe::{Given, KeyForm, KeyRule, Recipe};
use anther::{AnyFilter, ExactSet, Filter, Iblt, Open, Quotient, Range, Seed};
use std::num::NonZero;

pub fn files() -> Outcome<Vec<VectorFile>> {
    let mut files = vec![elsewhere()?];
    files.extend(iblts()?);
    files.extend(ranges()?);
    Ok(files)
}

/// The form of `quotient` that lists its elements: `h = mix(x)`.
fn elsewhere() -> Outcome<VectorFile> {
    let mut set = ExactSet::new(20)?;
    for x in 0..20u64 {
        set.insert(x * x)?;
    }
    let mut bytes = Vec::new();
    AnyFilter::from(Quotient::from(set)).write_to(&mut bytes)?;
    let read: Quotient = Open::new().without_hashing().bytes(&bytes)?;
    let entry = VectorFile::entry("elsewhere", "quotient", &bytes, how(read.seed()))?;
    let elements = words(ExactSet::try_from(read).map_err(|_| "no exact set")?.iter());
    let entry = entry.raw("elements", elements).end();
    Ok(VectorFile { name: "files/elsewhere.anther".to_string(), bytes, entry })
}

/// An iblt's file and its entry.
fn iblt(
    name: &str,
    seed: &Seed,
    bytes: Vec<u8>,
    lists: [(&str, String); 2],
) -> Outcome<VectorFile> {
    let mut entry = VectorFile::entry(name, "iblt", &bytes, how(seed))?;
    for (list, elements) in lists {
        entry = entry.raw(list, elements);
    }
    Ok(VectorFile { name: format!("files/{name}.anther"), bytes, entry: entry.end() })
}

fn iblts() -> Outcome<Vec<VectorFile>> {
    let seed = Seed::chosen(CHOSEN);
    let mut files = Vec::new();
    for (name, seed) in [("iblt-integers", seed), ("iblt-integers-keyed", Seed::keyed(SECRET))] {
        let mut integers = Iblt::with_seed(Integers, 10, seed)?;
        integers.insert_all(0..7)?;
        integers.remove(1000)?;
        let mut bytes = Vec::new();
        integers.write_to(&mut bytes)?;
        let open = if name == "iblt-integers" { Open::new() } else { Open::new().key(SECRET) };
        let read: Iblt<Integers> = open.bytes(&bytes)?;
        let read = read.decode().map_err(|_| "undecoded")?;
        let lists = [("ours", words(read.ours)), ("theirs", words(read.theirs))];
        files.push(iblt(name, &seed, bytes, lists)?);
    }
    let mut strings = Iblt::with_seed(Strings::up_to(30)?, 10, seed)?;
    strings.insert_all([b"one".as_slice(), b"", b"https://example.org/7"])?;
    strings.remove(b"two")?;
    let mut bytes = Vec::new();
    strings.write_to(&mut bytes)?;
    let read = Iblt::<Strings>::from_bytes(&bytes)?.decode().map_err(|_| "undecoded")?;
    let hexes = |items: &[Vec<u8>]| list(items.iter().map(|item| format!("\"{}\"", hex(item))));
    let lists = [("ours", hexes(&read.ours)), ("theirs", hexes(&read.theirs))];
    files.push(iblt("iblt-strings", &seed, bytes, lists)?);

    let mut strata = Strata::new(seed)?;
    (0..100u64).for_each(|x| strata.insert(x));
    let mut bytes = Vec::new();
    strata.write_to(&mut bytes)?;
    let lists = [("ours", words(0..100)), ("theirs", words([]))];
    files.push(iblt("iblt-strata", &seed, bytes, lists)?);
    Ok(files)
}

/// The first symbols of the endless form, which have no container.
pub fn symbols() -> Outcome<Vec<String>> {
    let seed = Seed::chosen(CHOSEN);
    let integers = Encoder::new(Integers, 0..20, seed)?.take(16);
    let integers = list(integers.map(|symbol| format!("\"{}\"", hex(symbol.as_bytes()))));
    Ok(vec![how(&seed).raw("integers", words(0..20)).raw("symbols", integers).end()])
}

/// A field of a file.
fn parameter(bytes: &[u8], name: &str) -> Outcome<u64> {
    let fields = Container::parse(bytes).map(|parts| parts.fields).unwrap_or_default();
    let found = fields.iter().find(|field| field.0 == name);
    Ok(found.ok_or_else(|| format!("no field {name}"))?.2)
}

fn ranges() -> Outcome<Vec<VectorFile>> {
    let keys = || (0..60).map(|i| i * i * 1_000_003);
    let mut files = Vec::new();
    for (name, seed) in [("range", Seed::chosen(CHOSEN)), ("range-keyed", Seed::keyed(SECRET))] {
        let bytes = Range::build(keys(), 32, 0.01, seed)?.to_bytes()?;
        let open = if name == "range" { Open::new() } else { Open::new().key(SECRET) };
        let read: Range = open.bytes(&bytes)?;
        let mut answers = Vec::new();
        let mut ask = |low: u64, high: u64| -> Outcome<()> {
            let says = if read.contains_any(low..=high)? { "maybe" } else { "no" };
            answers.push(format!("[\"{low:016x}\",\"{high:016x}\",\"{says}\"]"));
            Ok(())
        };
        let others = (0..20).map(|i| i * 7_919_993).chain([u64::MAX - 40]);
        for low in keys().step_by(6).chain(others) {
            for len in [0, 31, 1 << 20] {
                ask(low, low.saturating_add(len))?;
            }
        }
        // Across the end of a block of r integers, and where the codes of a block go round.
        let r = parameter(&bytes, "bound")? + 1;
        for block in 1..=30 {
            let begin = block * r;
            ask(begin - 300, begin + 300)?;
            let round = begin + r - read.code(begin);
            ask(round - 300, round + 300)?;
        }
        let entry = VectorFile::entry(name, "range", &bytes, how(&seed))?;
        let entry = entry.raw("ranges", list(answers)).end();
        files.push(VectorFile { name: format!("files/{name}.anther"), bytes, entry });
    }
    files.push(times()?);
    Ok(files)
}

/// Times in seconds, some before 1970: signed, and with a step.
fn times() -> Outcome<VectorFile> {
    let (seed, form) = (Seed::chosen(CHOSEN), KeyForm::Time);
    let rule = KeyRule { form, ..KeyRule::default() };
    let mut keys = Keys::with_step(NonZero::new(1_000_000_000).ok_or("0")?);
    for time in ["2026-11-17T08:30:00Z", "1969-12-31", "2026-11-18 00:00:00.5+01:00"] {
        keys.push(rule.order(Given::Text(time.as_bytes()))?)?;
    }
    let mut times = Range::from_keys(keys, 3600, 0.01, seed)?;
    times.set_recipe(Some(Recipe { rule, ..Recipe::default() }));
    let bytes = times.to_bytes()?;
    let read = Range::from_bytes(&bytes)?;
    let mut answers = Vec::new();
    for (first, last) in [
        ("2026-11-17T08:00", "2026-11-17T09:00"),
        ("2026-11-17T07:00", "2026-11-17T08:00"),
        ("1969-12-31", "1969-12-31"),
        ("1970-01-01", "2026-11-17T08:29:59"),
        ("2026-11-17T23:00:00Z", "2026-11-17T23:00:00Z"),
    ] {
        let says = if read.contains_between(first, last)? { "maybe" } else { "no" };
        answers.push(format!("[\"{first}\",\"{last}\",\"{says}\"]"));
    }
    let entry = VectorFile::entry("range-times", "range", &bytes, how(&seed))?;
    let entry = entry.raw("times", list(answers)).end();
    Ok(VectorFile { name: "files/range-times.anther".to_string(), bytes, entry })
}
