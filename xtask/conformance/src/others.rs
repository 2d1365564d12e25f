//! Files of what has other answers than maybe and no: recipes, external hashes, iblts, ranges.

use crate::hashes::{CHOSEN, SECRET, how};
use crate::json::{Object, list, words};
use crate::keys::hex;
use crate::{Outcome, VectorFile};
use anther::iblt::{Integers, Strata, Strings};
use anther::range::Keys;
use anther::recipe::{Column, Format, Given, KeyForm, KeyRule, Place, Quotes, Recipe, Separator};
use anther::{
    AnyFilter, ExactSet, Filter, Iblt, Kind, Open, Quotient, Range, Seed, Target, TupleKey,
};
use std::num::NonZero;

pub fn files() -> Outcome<Vec<VectorFile>> {
    let mut files = recipes()?;
    files.push(elsewhere()?);
    files.extend(iblts()?);
    files.extend(ranges()?);
    Ok(files)
}

/// A file, what to insert, and what to look up: the texts of a key's parts.
struct Case {
    name: &'static str,
    kind: Kind,
    recipe: Recipe,
    insert: &'static [&'static [&'static str]],
    more: &'static [&'static [&'static str]],
}

fn delimited(delimiter: u8, quotes: Quotes, separator: Separator, columns: Vec<Column>) -> Place {
    Place { format: Format::Delimited { delimiter, quotes, separator }, columns, header: false }
}

fn cases() -> Vec<Case> {
    let rule = |form| KeyRule { form, ..KeyRule::default() };
    let of = |form| Recipe { rule: rule(form), place: Place::default() };
    let url = vec![Column::Name("url".to_string())];
    let named = delimited(b'\t', Quotes::None, Separator::Line, url);
    let third = NonZero::new(3).map(Column::Number).into_iter().collect();
    let third = delimited(b',', Quotes::WithinLine, Separator::Nul, third);
    let pair = ["name", "mail"].map(|name| Column::Name(name.to_string())).into();
    let pair = delimited(b',', Quotes::Csv, Separator::Line, pair);
    let trim = KeyRule { trim: true, ignore_case: true, ..KeyRule::default() };
    let hex = KeyRule { form: KeyForm::Hex, ..trim };
    vec![
        Case {
            name: "recipe-text",
            kind: Kind::Blocked,
            recipe: Recipe { rule: trim, place: named },
            insert: &[&["https://example.org/1"], &["Abc"], &[""]],
            more: &[
                &[" ABC\t"],
                &["\tabc\r "],
                &["https://EXAMPLE.org/1"],
                &["ab c"],
                &["abd"],
                &["a", "b"],
            ],
        },
        Case {
            name: "recipe-hex",
            kind: Kind::Classic,
            recipe: Recipe { rule: hex, place: third },
            insert: &[&["00ff"], &["416E74686572"]],
            more: &[&[" 00Ff "], &["416e74686572"], &["00fe"], &["00f"], &["0x00"], &["Anther"]],
        },
        Case {
            name: "recipe-int",
            kind: Kind::Blocked,
            recipe: of(KeyForm::Int),
            insert: &[&["0777"], &["-5"], &["18446744073709551616"], &["81"]],
            more: &[
                &["777"],
                &["+777"],
                &["-05"],
                &["18446744073709551611"],
                &["778"],
                &["0x7"],
                &[""],
            ],
        },
        Case {
            name: "recipe-csv",
            kind: Kind::Cuckoo,
            recipe: Recipe { rule: KeyRule { parts: 2, ..trim }, place: pair },
            insert: &[&["Ann", " ann@example.org"], &["a", "bc"]],
            more: &[&["ANN ", "ann@example.org"], &["ab", "c"], &["a"], &["a", "bc", ""]],
        },
        Case {
            name: "recipe-domain",
            kind: Kind::Ribbon,
            recipe: of(KeyForm::Domain),
            insert: &[&["WWW.Example.org."], &["example.net"]],
            more: &[&["www.example.org"], &["example.net."], &["example.com"], &["a..b"], &["-"]],
        },
        Case {
            name: "recipe-url",
            kind: Kind::Split,
            recipe: of(KeyForm::Url),
            insert: &[&["HTTPS://Ex.org.:443/a/../%7eb?Q=%41#x"], &["http://example.org"]],
            more: &[
                &["https://ex.org/~b?Q=A"],
                &["http://EXAMPLE.org:80/"],
                &["http://example.org/1"],
                &["example.org"],
            ],
        },
        Case {
            name: "recipe-time",
            kind: Kind::Classic,
            recipe: of(KeyForm::Time),
            insert: &[&["2026-11-17T08:30:00Z"], &["1969-12-31"]],
            more: &[
                &["2026-11-17 09:30+01:00"],
                &["-86400"],
                &["2026-11-17"],
                &["2026-11-31"],
                &["17.11.2026"],
            ],
        },
        Case {
            name: "recipe-ip",
            kind: Kind::Blocked,
            recipe: of(KeyForm::Ip),
            insert: &[&["192.0.2.1"], &["10.0.0.1"]],
            more: &[&["192.0.2.2"], &["10.0.0.01"], &["10.0.1"], &["3221225985"]],
        },
    ]
}

fn recipes() -> Outcome<Vec<VectorFile>> {
    let seed = Seed::chosen(CHOSEN);
    let mut files = Vec::new();
    for case in cases() {
        let rule = case.recipe.rule;
        let hash = |parts: &[&str]| match parts {
            [one] => rule.key_hash(*one, &seed),
            parts => {
                let mut key = TupleKey::new();
                for part in parts {
                    key.push(*part);
                }
                rule.key_hash(&key, &seed)
            }
        };
        let held = case.insert.iter().map(|parts| hash(parts)).collect::<Result<Vec<_>, _>>()?;
        let target = Target::new(100, 0.01)?;
        let (options, work) = Default::default();
        let mut filter = AnyFilter::build(case.kind, &mut &*held, target, &options, seed, work)?;
        filter.set_recipe(Some(case.recipe.clone()));
        let mut bytes = Vec::new();
        filter.write_to(&mut bytes)?;
        let read: AnyFilter = Open::new().bytes(&bytes)?;
        let lookup = |parts: &&[&str]| {
            let says = match hash(parts) {
                Ok(key) if read.contains_hash(key) => "maybe",
                Ok(_) => "no",
                Err(_) => "refused",
            };
            let parts = list(parts.iter().map(|part| format!("\"{}\"", hex(part.as_bytes()))));
            Object::new().raw("parts", parts).text("says", says).end()
        };
        let lookups = list(case.insert.iter().chain(case.more).map(lookup));
        let entry = VectorFile::entry(case.name, case.kind.name(), &bytes, how(&seed))?;
        let entry = entry.raw("lookups", lookups).end();
        files.push(VectorFile { name: format!("files/{}.anther", case.name), bytes, entry });
    }
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

fn iblts() -> Outcome<Vec<VectorFile>> {
    let seed = Seed::chosen(CHOSEN);
    let mut files = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>, of: &dyn Fn(Object) -> Object| -> Outcome<()> {
        let entry = of(VectorFile::entry(name, "iblt", &bytes, how(&seed))?).end();
        files.push(VectorFile { name: format!("files/{name}.anther"), bytes, entry });
        Ok(())
    };
    let mut integers = Iblt::with_seed(Integers, 10, seed)?;
    integers.insert_all(0..7)?;
    integers.remove(1000)?;
    let mut bytes = Vec::new();
    integers.write_to(&mut bytes)?;
    let read = Iblt::<Integers>::from_bytes(&bytes)?.decode().map_err(|_| "undecoded")?;
    add("iblt-integers", bytes, &|entry| {
        entry.raw("ours", words(read.ours.clone())).raw("theirs", words(read.theirs.clone()))
    })?;

    let mut strings = Iblt::with_seed(Strings::up_to(30)?, 10, seed)?;
    strings.insert_all([b"one".as_slice(), b"", b"https://example.org/7"])?;
    strings.remove(b"two")?;
    let mut bytes = Vec::new();
    strings.write_to(&mut bytes)?;
    let read = Iblt::<Strings>::from_bytes(&bytes)?.decode().map_err(|_| "undecoded")?;
    add("iblt-strings", bytes, &|entry| {
        let hexes = |items: &[Vec<u8>]| list(items.iter().map(|item| format!("\"{}\"", hex(item))));
        entry.raw("ours", hexes(&read.ours)).raw("theirs", hexes(&read.theirs))
    })?;

    let mut strata = Strata::new(seed)?;
    (0..100u64).for_each(|x| strata.insert(x));
    let mut bytes = Vec::new();
    strata.write_to(&mut bytes)?;
    add("iblt-strata", bytes, &|entry| {
        entry.raw("inserted", Object::new().raw("from", 0).raw("to", 99).end())
    })?;
    Ok(files)
}

fn ranges() -> Outcome<Vec<VectorFile>> {
    let keys = || (0..60).map(|i| i * i * 1_000_003);
    let mut files = Vec::new();
    for (name, seed) in [("range", Seed::chosen(CHOSEN)), ("range-keyed", Seed::keyed(SECRET))] {
        let bytes = Range::build(keys(), 32, 0.01, seed)?.to_bytes()?;
        let open = if name == "range" { Open::new() } else { Open::new().key(SECRET) };
        let read: Range = open.bytes(&bytes)?;
        let mut answers = Vec::new();
        for low in keys().step_by(4).chain((0..40).map(|i| i * 7_919_993)).chain([u64::MAX - 40]) {
            for len in [0, 31, 1 << 20] {
                let high = low.saturating_add(len);
                let says = if read.contains_any(low..=high)? { "maybe" } else { "no" };
                answers.push(format!("[\"{low:016x}\",\"{high:016x}\",\"{says}\"]"));
            }
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
