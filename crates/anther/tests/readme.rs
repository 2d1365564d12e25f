//! The README's table of kinds says what the registry and the sizing say.

use anther::{AnyFilter, Filter, Kind, Seed, SizeError, Target};

/// Enough items that rounding to whole lines does not show.
const ITEMS: u64 = 10_000_000;

fn bits_per_key(kind: Kind, fpr: f64) -> Result<f64, SizeError> {
    let filter = AnyFilter::new(kind, Target::new(ITEMS, fpr)?, Seed::FIXED)?;
    Ok(filter.profile().bits as f64 / ITEMS as f64)
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
        assert!(named.contains(name), "{name} has no row in the README");
    }
    for (row, name) in rows.iter().zip(&named) {
        let kind = Kind::from_name(name).unwrap_or_else(|| panic!("{name} is no kind"));
        let can = kind.capabilities();
        let [percent, permille] = [0.01, 0.001].map(|fpr| bits_per_key(kind, fpr).unwrap());
        let expected = [
            format!("{percent:.2}"),
            format!("{permille:.2}"),
            format!("+{:.0} %", 100.0 * (percent / 100f64.log2() - 1.0)),
            if can.insert { "yes" } else { "no" }.to_string(),
            if can.merge { "yes" } else { "no" }.to_string(),
        ];
        assert_eq!(row[1..6], expected, "the row of {name}");
    }
}
