//! The tables of kinds in README.md and docs/kinds.md match the registry and the sizing.

use anther::{Kind, SizeError, Target, plan};

const README: &str = include_str!("../../../README.md");
const PAGE: &str = include_str!("../../../docs/kinds.md");

/// Enough items that rounding to whole cache lines does not show.
const ITEMS: u64 = 10_000_000;

/// Bits per key in a file, and the overhead over the lower bound.
fn bits_per_key(kind: Kind, fpr: f64) -> Result<(f64, f64), SizeError> {
    let rows = plan::compare(Target::new(ITEMS, fpr)?);
    let row = rows.into_iter().find(|row| row.kind == kind).expect("every kind");
    Ok((row.plan?.bits_sent as f64 / ITEMS as f64, row.overhead.expect("planned")))
}

/// The rows of a document's tables whose first cell is the name of a kind, and that kind.
fn rows_of_kinds(document: &str) -> Vec<(Kind, Vec<&str>)> {
    document
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>())
        .map(|row| {
            let kind = Kind::from_name(row[0].trim_matches('`'));
            (kind.expect("a row begins with the name of a kind"), row)
        })
        .collect()
}

fn able(able: bool) -> &'static str {
    if able { "yes" } else { "–" }
}

#[test]
fn the_page_of_kinds_matches_every_kind() {
    let rows = rows_of_kinds(PAGE);
    for kind in Kind::ALL {
        assert_eq!(rows.iter().filter(|row| row.0 == *kind).count(), 1, "rows of {kind}");
    }
    for (kind, row) in rows {
        let can = kind.capabilities();
        let [(percent, overhead), (permille, _)] =
            [0.01, 0.001].map(|fpr| bits_per_key(kind, fpr).unwrap());
        let figures = [
            format!("{percent:.2}"),
            format!("{permille:.2}"),
            format!("+{:.0} %", 100.0 * overhead),
        ];
        assert_eq!(row[1..4], figures, "the row of {kind}");
        let abilities =
            [can.insert, can.remove, can.count, can.values, can.grow, can.merge].map(able);
        assert_eq!(row[4..10], abilities, "the row of {kind}");
    }
}

/// Every kind has a section, which names all options of the kind and no others.
#[test]
fn the_sections_of_kinds_name_their_options() {
    let sections: Vec<&str> = PAGE.split("\n### `").skip(1).collect();
    assert_eq!(sections.len(), Kind::ALL.len());
    for kind in Kind::ALL {
        let heading = format!("{}`\n", kind.name());
        let section = sections.iter().find(|section| section.starts_with(&heading));
        let section = section.unwrap_or_else(|| panic!("no section of {kind}"));
        let listed = section.split("Options: ").nth(1).expect("a list of options");
        for name in anther::Options::TABLE.iter().map(|option| &option.name) {
            let named = listed.contains(&format!("`{name}`"));
            assert_eq!(named, kind.options().contains(name), "{name} in the section of {kind}");
        }
    }
}

#[test]
fn the_table_of_the_readme_is_correct() {
    let rows = rows_of_kinds(README);
    assert_eq!(rows.len(), 4);
    for (kind, row) in rows {
        let can = kind.capabilities();
        let bits = [0.01, 0.001].map(|fpr| format!("{:.2}", bits_per_key(kind, fpr).unwrap().0));
        assert_eq!(row[2..4], bits, "the row of {kind}");
        assert_eq!(row[5], able(can.remove), "the row of {kind}");
        assert_eq!(row[6] != "–", can.count, "the row of {kind}");
    }
}
