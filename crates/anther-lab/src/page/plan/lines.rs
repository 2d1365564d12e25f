//! The lines that make a filter: in the shell, in Rust, in Python and with redis-cli.
//!
//! `tests/lines.json` has them for every kind. Other tests run them: the program's, and those of the Python
//! package and of the server module.

use super::rows::Row;
use super::{Needs, RANGE};
use anther::plan::{Numbers, Request};
use anther::{Kind, units};
use serde::Serialize;

/// Some lines to copy.
#[derive(Debug, Serialize)]
pub struct Line {
    /// Where they are for.
    pub title: &'static str,
    /// None where it cannot be done; the note says why.
    pub text: Option<String>,
    pub note: Option<&'static str>,
}

const NO_PROBES: &str = "Only Rust lets you choose the hash functions; leave the field empty, and they are chosen for you.";

/// What the lines are made from.
struct Made {
    items: String,
    fpr: String,
    keyed: bool,
}

/// The lines of a row.
pub fn all(row: &Row, request: &Request, span: u64, needs: &Needs) -> Vec<Line> {
    let keyed = needs.adversaries;
    let line = |title, text: Option<String>, note| Line { title, text, note };
    let Some(solved) = &row.solved else { return Vec::new() };
    if row.kind == RANGE {
        let made =
            Made { items: String::new(), fpr: literal(&units::rate_option(solved.fpr)), keyed };
        return vec![
            line("Shell", Some(range_program(span, &made)), None),
            line("Rust", Some(range_rust(span, &made)), None),
            line("Python", Some(range_python(span, &made)), None),
            line("redis-cli", Some(import(keyed, "BF.BETWEEN seen 1700000000 1700000060")), None),
        ];
    }
    let Some(numbers) = &row.numbers else { return Vec::new() };
    let fpr = literal(&numbers.fpr_option(request));
    let made = Made { items: units::count(numbers.items).replace(',', "_"), fpr, keyed };
    let chosen = numbers.probes_chosen.then_some(NO_PROBES);
    let unless_chosen = |text: String| chosen.is_none().then_some(text);
    let keyed_there = "Filters of the server always have a secret key.";
    let redis_note = chosen.or(keyed.then_some(keyed_there));
    vec![
        line(
            "Shell",
            numbers.command(request).map(|text| program(&text, numbers.kind, keyed)),
            chosen,
        ),
        line("Rust", Some(rust(numbers, &made)), None),
        line("Python", unless_chosen(python(numbers.kind, &made)), chosen),
        line("redis-cli", unless_chosen(redis(numbers, &made)), redis_note),
    ]
}

/// A rate as a number that every language reads.
fn literal(option: &str) -> String {
    units::parse_rate(option).map_or(option.to_string(), |rate| format!("{rate:?}"))
}

/// The name of a kind's type.
fn type_name(kind: Kind) -> String {
    format!("{kind:?}")
}

fn program(build: &str, kind: Kind, keyed: bool) -> String {
    let build = build.replace("OUT.anther IN", "seen.anther keys.txt").replace("LIST", "never.txt");
    let build = match kind {
        // Each line is a key, a tab and its value.
        Kind::Bloomier => build.replace("keys.txt", "keys.tsv"),
        _ => build,
    };
    let key = if keyed { " --keyed --key-file seen.key" } else { "" };
    let with = if keyed { " --key-file seen.key" } else { "" };
    let ask = match kind {
        Kind::Bloomier => "get",
        _ => "check",
    };
    format!("{build}{key}\nanther {ask} seen.anther{with} ada@example.org")
}

fn rust(numbers: &Numbers, made: &Made) -> String {
    let (kind, fpr) = (numbers.kind, &made.fpr);
    let (name, can) = (type_name(kind), kind.capabilities());
    let Made { items, keyed, .. } = made;
    match kind {
        Kind::Cascade if *keyed => return KEYED_CASCADE.replace("FPR", fpr),
        Kind::Cascade => return CASCADE.replace("FPR", fpr),
        Kind::Bloomier if *keyed => return KEYED_BLOOMIER.replace("FPR", fpr),
        Kind::Bloomier => return BLOOMIER.replace("FPR", fpr),
        _ if !can.insert && *keyed => {
            let mut names = ["Build", "Key", "Options", "Seed", "Target", "Work", &name];
            names.sort_unstable();
            let text = KEYED_STATIC.replace("NAMES", &names.join(", "));
            return text.replace("FPR", fpr).replace("KIND", &name);
        }
        _ if !can.insert => return STATIC.replace("FPR", fpr).replace("KIND", &name),
        _ => {}
    }
    let seed = if *keyed { "Seed::keyed(key)" } else { "Seed::FIXED" };
    let mut lines = Vec::new();
    if *keyed {
        lines.push("// `key`: 16 secret random bytes. The file does not contain them.".to_string());
    }
    lines.push(match (numbers.probes_chosen, keyed) {
        (true, _) => {
            let shape = format!(
                "Shape::bits({}).probes({})",
                units::count(numbers.bits).replace(',', "_"),
                numbers.probes
            );
            format!("let mut seen = {name}::with_shape({shape}, {seed})?;")
        }
        (false, true) => {
            format!("let mut seen = {name}::with_seed(Target::new({items}, {fpr})?, {seed})?;")
        }
        (false, false) => format!("let mut seen = {name}::new(Target::new({items}, {fpr})?)?;"),
    });
    let full = if can.fills_up || kind == Kind::Scalable { "?" } else { "" };
    lines.push(format!("seen.insert(\"ada@example.org\"){full};"));
    lines.push("assert!(seen.contains(\"ada@example.org\"));".to_string());
    if can.count {
        lines.push("assert_eq!(seen.count(\"ada@example.org\"), 1);".to_string());
    }
    if can.remove {
        lines.push("seen.remove(\"ada@example.org\")?;".to_string());
    }
    let mut names = vec![&*name];
    names.extend((numbers.probes_chosen || *keyed).then_some("Seed"));
    names.push(if numbers.probes_chosen { "Shape" } else { "Target" });
    names.sort_unstable();
    format!("use anther::{{{}}};\n\n{}", names.join(", "), lines.join("\n"))
}

const STATIC: &str = r#"use anther::KIND;

let seen = KIND::build(["ada@example.org", "grace@example.org"], FPR)?;
assert!(seen.contains("ada@example.org"));"#;

const KEYED_STATIC: &str = r#"use anther::{NAMES};

// `key`: 16 secret random bytes. The file does not contain them.
let (keys, seed) = (["ada@example.org", "grace@example.org"], Seed::keyed(key));
let mut hashes: Vec<_> = keys.iter().map(|key| key.key_hash(&seed)).collect();
let target = Target::new(hashes.len() as u64, FPR)?;
let seen = <KIND as Build>::build(&mut hashes, target, &Options::new(), seed, Work::new())?;
assert!(seen.contains("ada@example.org"));"#;

const CASCADE: &str = r#"use anther::Cascade;

let seen = Cascade::build(["ada@example.org"], ["grace@example.org"], Some(FPR))?;
assert!(seen.contains("ada@example.org"));
assert!(!seen.contains("grace@example.org"));"#;

const KEYED_CASCADE: &str = r#"use anther::{Cascade, Key, Seed, Work};

// `key`: 16 secret random bytes. The file does not contain them.
let seed = Seed::keyed(key);
let mut members = vec!["ada@example.org".key_hash(&seed)];
let mut others = vec!["grace@example.org".key_hash(&seed)];
let seen = Cascade::build_lists(&mut members, &mut others, Some(FPR), seed, Work::new())?;
assert!(seen.contains("ada@example.org"));"#;

const BLOOMIER: &str = r#"use anther::Bloomier;

let seen = Bloomier::of([("ada@example.org", 1), ("grace@example.org", 0)], FPR, 1)?;
assert_eq!(seen.get("ada@example.org"), Some(1));"#;

const KEYED_BLOOMIER: &str = r#"use anther::{Bloomier, Key, Options, Seed, Target, Work};

// `key`: 16 secret random bytes. The file does not contain them.
let seed = Seed::keyed(key);
let mut pairs = vec![("ada@example.org".key_hash(&seed), 1)];
let (target, options) = (Target::new(1, FPR)?, Options::new());
let seen = Bloomier::build_pairs(&mut pairs, target, &options, false, seed, Work::new())?;
assert_eq!(seen.get("ada@example.org"), Some(1));"#;

fn python(kind: Kind, made: &Made) -> String {
    let Made { items, fpr, keyed } = made;
    let can = kind.capabilities();
    let (import, key) = match keyed {
        true => ("import secrets\nimport anther\n\nkey = secrets.token_bytes(16)\n", ", key=key"),
        false => ("import anther\n\n", ""),
    };
    let keys = r#"["ada@example.org", "grace@example.org"]"#;
    let make = match kind {
        Kind::Cascade => {
            format!(r#"Filter.cascade(["ada@example.org"], ["grace@example.org"], {fpr}{key})"#)
        }
        Kind::Bloomier => {
            format!(r#"Filter.build({{"ada@example.org": 1}}, {fpr}, "bloomier"{key})"#)
        }
        _ if !can.insert => format!(r#"Filter.build({keys}, {fpr}, "{kind}"{key})"#),
        _ => format!(r#"Filter({items}, {fpr}, "{kind}"{key})"#),
    };
    let mut text = format!("{import}seen = anther.{make}\n");
    if can.insert {
        text += "seen.add(\"ada@example.org\")\n";
    }
    text += match can.values {
        true => "assert seen.get(\"ada@example.org\") == 1",
        false => "assert \"ada@example.org\" in seen",
    };
    if can.count {
        text += "\nassert seen.count(\"ada@example.org\") == 1";
    }
    if can.remove {
        text += "\nseen.remove(\"ada@example.org\")";
    }
    text
}

/// What the server makes itself, or what is built beside it and imported.
fn redis(numbers: &Numbers, made: &Made) -> String {
    // Above, the server takes a quarter.
    let reserves = numbers.fpr_target <= 0.25;
    let plain = if numbers.fpr_target < 1e-5 { Kind::Classic } else { Kind::Blocked };
    let (items, fpr) = (numbers.items, &made.fpr);
    let (prefix, reserve, more) = match numbers.kind {
        kind if kind == plain => ("BF", format!("{fpr} {items} NONSCALING"), ""),
        Kind::Scalable => ("BF", format!("{fpr} {items}"), ""),
        Kind::Counting => {
            ("BF", format!("{fpr} {items} NONSCALING COUNTING"), "BF.REM seen ada@example.org")
        }
        Kind::Aging => ("BF", format!("{fpr} {items} WINDOW {items}"), ""),
        Kind::Cuckoo => {
            ("CF", format!("{items} EXPANSION 0 ERROR {fpr}"), "CF.DEL seen ada@example.org")
        }
        Kind::Bloomier => return import(made.keyed, "BF.GET seen ada@example.org"),
        _ => return import(made.keyed, "BF.EXISTS seen ada@example.org"),
    };
    if !reserves {
        return import(made.keyed, "BF.EXISTS seen ada@example.org");
    }
    let mut text = format!(
        "redis-cli {prefix}.RESERVE seen {reserve}\n\
         redis-cli {prefix}.ADD seen ada@example.org\n\
         redis-cli {prefix}.EXISTS seen ada@example.org"
    );
    if !more.is_empty() {
        text += &format!("\nredis-cli {more}");
    }
    text
}

/// A file that the program has built, in the server.
fn import(keyed: bool, ask: &str) -> String {
    let key = if keyed { " HASHKEY \"$(cat seen.key)\"" } else { "" };
    format!("redis-cli -x BF.IMPORT seen{key} < seen.anther\nredis-cli {ask}")
}

fn range_program(span: u64, made: &Made) -> String {
    let Made { fpr, keyed, .. } = made;
    let key = if *keyed { " --keyed --key-file seen.key" } else { "" };
    let with = if *keyed { " --key-file seen.key" } else { "" };
    format!(
        "anther build seen.anther numbers.txt --as int --kind range --span {span} --fpr {fpr}{key}\n\
         anther check seen.anther{with} --between 1700000000 1700000060"
    )
}

fn range_rust(span: u64, made: &Made) -> String {
    let Made { fpr, keyed, .. } = made;
    let seed = if *keyed { "Seed::keyed(key)" } else { "Seed::FIXED" };
    let secret = match keyed {
        true => "// `key`: 16 secret random bytes. The file does not contain them.\n",
        false => "",
    };
    format!(
        "use anther::{{Range, Seed}};\n\n{secret}\
         let seen = Range::build([1_700_000_042], {span}, {fpr}, {seed})?;\n\
         assert!(seen.contains_any(1_700_000_000..=1_700_000_060)?);"
    )
}

fn range_python(span: u64, made: &Made) -> String {
    let Made { fpr, keyed, .. } = made;
    let (import, key) = match keyed {
        true => ("import secrets\nimport anther\n\nkey = secrets.token_bytes(16)\n", ", key=key"),
        false => ("import anther\n\n", ""),
    };
    format!(
        "{import}seen = anther.RangeFilter([1_700_000_042], span={span}, fpr={fpr}{key})\n\
         assert seen.contains_between(1_700_000_000, 1_700_000_060)"
    )
}
