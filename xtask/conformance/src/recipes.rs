//! Files with a recipe, in the header or in its section, with texts to look up: maybe in, not in, or
//! refused by the rule.

use crate::filters::inserted_in_place;
use crate::hashes::{CHOSEN, how};
use crate::json::{Object, list};
use crate::keys::hex;
use crate::{Outcome, VectorFile};
use anther::recipe::{Column, Format, KeyForm, KeyRule, Place, Quotes, Recipe, Separator};
use anther::{AnyFilter, Filter, Kind, Open, Save, Seed, Target, TupleKey};
use std::num::NonZero;

/// A file, what to insert, and what to look up: the texts of a key's parts.
struct Case {
    name: &'static str,
    kind: Kind,
    /// As a process leaves it that was killed while it inserted in place.
    open: bool,
    recipe: Recipe,
    insert: &'static [&'static [&'static str]],
    more: &'static [&'static [&'static str]],
}

fn delimited(delimiter: u8, quotes: Quotes, separator: Separator, columns: Vec<Column>) -> Place {
    Place { format: Format::Delimited { delimiter, quotes, separator }, columns, header: false }
}

fn cases() -> Vec<Case> {
    let rule = |form| KeyRule { form, ..KeyRule::default() };
    let of = |form| Recipe { rule: rule(form), reach: None, place: Place::default() };
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
            open: false,
            recipe: Recipe { rule: trim, reach: None, place: named },
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
            open: false,
            recipe: Recipe { rule: hex, reach: None, place: third },
            insert: &[&["00ff"], &["416E74686572"]],
            more: &[&[" 00Ff "], &["416e74686572"], &["00fe"], &["00f"], &["0x00"], &["Anther"]],
        },
        Case {
            name: "recipe-int",
            kind: Kind::Blocked,
            open: false,
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
            open: false,
            recipe: Recipe { rule: KeyRule { parts: 2, ..trim }, reach: None, place: pair },
            insert: &[&["Ann", " ann@example.org"], &["a", "bc"]],
            more: &[&["ANN ", "ann@example.org"], &["ab", "c"], &["a"], &["a", "bc", ""]],
        },
        Case {
            name: "recipe-domain",
            kind: Kind::Ribbon,
            open: false,
            recipe: of(KeyForm::Domain),
            insert: &[&["WWW.Example.org."], &["example.net"]],
            more: &[&["www.example.org"], &["example.net."], &["example.com"], &["a..b"], &["-"]],
        },
        Case {
            name: "recipe-url",
            kind: Kind::Split,
            open: false,
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
            open: false,
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
            open: false,
            recipe: of(KeyForm::Ip),
            insert: &[&["192.0.2.1"], &["10.0.0.1"]],
            more: &[&["192.0.2.2"], &["10.0.0.01"], &["10.0.1"], &["3221225985"]],
        },
        Case {
            name: "recipe-open",
            kind: Kind::Blocked,
            open: true,
            recipe: of(KeyForm::Email),
            insert: &[&["Bob+List@Example.ORG"], &["ann@example.com"]],
            more: &[
                &["bob+list@example.org"],
                &["ann@example.org"],
                &["ann"],
                &["a b@example.org"],
            ],
        },
    ]
}

pub fn files() -> Outcome<Vec<VectorFile>> {
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
        let bytes = if case.open {
            inserted_in_place(&filter, &held)?
        } else {
            Save::new().bytes(&filter)?
        };
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
        let mut entry = VectorFile::entry(case.name, case.kind.name(), &bytes, how(&seed))?;
        if case.open {
            entry = entry.raw("open", "true");
        }
        let entry = entry.raw("lookups", lookups).end();
        files.push(VectorFile { name: format!("files/{}.anther", case.name), bytes, entry });
    }
    Ok(files)
}
