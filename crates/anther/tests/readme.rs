//! The README's table of kinds says what the registry and the sizing say.

use anther::{Kind, SizeError, Target, plan};

/// Enough items that rounding to whole lines does not show.
const ITEMS: u64 = 10_000_000;

/// Bits a key in a file, and how many times the bound that is.
fn bits_per_key(kind: Kind, fpr: f64) -> Result<(f64, f64), SizeError> {
    let rows = plan::compare(Target::new(ITEMS, fpr)?);
    let row = rows.into_iter().find(|row| row.kind == kind).expect("every kind");
    Ok((row.plan?.bits_sent as f64 / ITEMS as f64, row.overhead.expect("planned")))
}

#[test]
fn the_table_of_kinds_is_true() {
    let readme = include_str!("../../../README.md");
    let rows: Vec<Vec<&str>> = readme
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let named: Vec<&str> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
    let registered: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    for name in &registered {
        let rows = named.iter().filter(|named| *named == name).count();
        assert_eq!(rows, 1, "rows of {name} in the README");
    }
    for (row, name) in rows.iter().zip(&named) {
        let kind = Kind::from_name(name).unwrap_or_else(|| panic!("{name} is no kind"));
        let can = kind.capabilities();
        let [(percent, overhead), (permille, _)] =
            [0.01, 0.001].map(|fpr| bits_per_key(kind, fpr).unwrap());
        let able = |able: bool| if able { "yes" } else { "–" }.to_string();
        let expected = [
            format!("{percent:.2}"),
            format!("{permille:.2}"),
            format!("+{:.0} %", 100.0 * overhead),
            able(can.insert),
            able(can.remove),
            able(can.count),
            able(can.values),
            able(can.grow),
            able(can.merge),
        ];
        assert_eq!(row[1..10], expected, "the row of {name}");
    }
}
