//! Times of lookups from the committed benchmark. `cargo xtask bench` writes them anew.

/// The first line says when and where, the second names the columns.
const TIMES: &str = include_str!("times.csv");

/// Where the times come from.
pub fn about() -> String {
    let measured = TIMES.lines().next().unwrap_or_default().trim_start_matches("# ");
    format!(
        "Benchmark of {measured}: one key at a time, on one thread, half of the keys present. From the row with \
         the nearest number of keys and FPR."
    )
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lookup {
    pub items: u64,
    pub fpr: f64,
    pub ns: f64,
}

/// The lookups of a kind that were measured.
fn lookups(kind: &str) -> impl Iterator<Item = Lookup> {
    TIMES.lines().filter_map(move |line| {
        let mut fields = line.strip_prefix(kind)?.strip_prefix(',')?.split(',');
        let mut next = || fields.next();
        Some(Lookup {
            items: next()?.parse().ok()?,
            fpr: next()?.parse().ok()?,
            ns: next()?.parse().ok()?,
        })
    })
}

/// The measured lookup of a kind whose numbers are nearest.
pub fn nearest(kind: &str, items: u64, fpr: f64) -> Option<Lookup> {
    let far = |row: &Lookup| {
        // The number of keys decides whether it is in a cache; the rate only adds probes.
        10.0 * (row.items as f64 / items as f64).log10().abs() + (row.fpr / fpr).log10().abs()
    };
    lookups(kind).min_by(|one, other| far(one).total_cmp(&far(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_read() {
        let kinds = ["blocked", "split", "classic", "cuckoo", "fuse"];
        let rows = kinds.map(|kind| lookups(kind).count());
        assert_eq!(rows.iter().sum::<usize>(), TIMES.lines().count() - 2);
        assert!(rows.iter().all(|&rows| rows > 6), "{rows:?}");
        assert!(kinds.into_iter().flat_map(lookups).all(|row| row.ns > 0.5 && row.ns < 1e4));
        assert!(about().starts_with("Benchmark of 20"));
    }

    #[test]
    fn the_nearest_row_is_found() {
        let of = |items, fpr| nearest("blocked", items, fpr).map(|row| (row.items, row.fpr));
        assert_eq!(of(7_000_000, 0.02), Some((10_000_000, 0.01)));
        assert_eq!(of(1 << 40, 1e-9), Some((100_000_000, 0.001)));
        assert_eq!(nearest("quotient", 1000, 0.01), None);
    }
}
