//! Times of lookups from the committed benchmark: `bench/records/2026-11-17.csv`, which a test
//! compares with this table.

/// Where the times come from.
pub const ABOUT: &str = "Benchmark of 17 November 2026 on an AMD EPYC (Zen 4): one key at a time, on one thread, half of the \
     keys present. From the row with the nearest number of keys and FPR.";

/// Kind; keys as a power of ten; rate; ns per lookup.
const TIMES: [(&str, i32, f64, f64); 39] = [
    ("blocked", 5, 0.01, 3.495),
    ("split", 5, 0.01, 2.677),
    ("classic", 5, 0.01, 15.24),
    ("cuckoo", 5, 0.01, 11.27),
    ("fuse", 5, 0.01, 9.162),
    ("blocked", 5, 0.001, 3.510),
    ("split", 5, 0.001, 2.704),
    ("classic", 5, 0.001, 16.97),
    ("cuckoo", 5, 0.001, 10.94),
    ("fuse", 5, 0.001, 17.34),
    ("blocked", 6, 0.01, 5.054),
    ("split", 6, 0.01, 3.979),
    ("classic", 6, 0.01, 19.43),
    ("cuckoo", 6, 0.01, 15.07),
    ("fuse", 6, 0.01, 10.75),
    ("blocked", 6, 0.001, 5.525),
    ("split", 6, 0.001, 4.419),
    ("classic", 6, 0.001, 23.66),
    ("cuckoo", 6, 0.001, 15.18),
    ("fuse", 6, 0.001, 20.81),
    ("blocked", 7, 0.01, 21.43),
    ("split", 7, 0.01, 15.98),
    ("classic", 7, 0.01, 35.17),
    ("cuckoo", 7, 0.01, 51.36),
    ("fuse", 7, 0.01, 34.73),
    ("blocked", 7, 0.001, 26.54),
    ("split", 7, 0.001, 22.81),
    ("classic", 7, 0.001, 94.96),
    ("cuckoo", 7, 0.001, 75.22),
    ("fuse", 7, 0.001, 92.82),
    ("blocked", 8, 0.01, 28.42),
    ("split", 8, 0.01, 24.08),
    ("classic", 8, 0.01, 92.56),
    ("cuckoo", 8, 0.01, 71.57),
    ("fuse", 8, 0.01, 69.27),
    ("blocked", 8, 0.001, 30.76),
    ("split", 8, 0.001, 23.31),
    ("classic", 8, 0.001, 115.4),
    ("fuse", 8, 0.001, 114.2),
];

/// The measured time of a kind whose numbers are nearest, in ns, and for how many keys and which rate.
pub fn nearest(kind: &str, items: u64, fpr: f64) -> Option<(f64, u64, f64)> {
    let (items, fpr) = ((items as f64).log10(), fpr.log10());
    let far = |(_, keys, rate, _): &(&str, i32, f64, f64)| {
        // The number of keys decides whether it is in a cache; the rate only adds probes.
        10.0 * (f64::from(*keys) - items).abs() + (rate.log10() - fpr).abs()
    };
    let rows = TIMES.iter().filter(|(name, ..)| *name == kind);
    let row = rows.min_by(|one, other| far(one).total_cmp(&far(other)))?;
    let (_, keys, rate, time) = *row;
    Some((time, 10u64.pow(keys.unsigned_abs()), rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_that_of_the_record() {
        let record = include_str!("../../../../../bench/records/2026-11-17.csv");
        let rows = record.lines().filter(|line| line.starts_with("table,u64,"));
        let rows = rows.map(|line| line.split(',').collect::<Vec<_>>());
        let ours = rows.filter(|row| row[4..7] == ["mixed", "single", "1"]);
        let ours: Vec<_> = ours.filter(|row| row[7].starts_with("anther ")).collect();
        assert_eq!(ours.len(), TIMES.len());
        for (row, (kind, keys, rate, time)) in ours.iter().zip(TIMES) {
            assert_eq!(row[7], format!("anther {kind}"));
            assert_eq!(row[2].parse(), Ok(10u64.pow(keys.unsigned_abs())));
            assert_eq!((row[3].parse(), row[8].parse()), (Ok(rate), Ok(time)));
        }
        assert_eq!(nearest("blocked", 7_000_000, 0.02), Some((21.43, 10_000_000, 0.01)));
        assert_eq!(nearest("cuckoo", 1 << 40, 1e-9), Some((71.57, 100_000_000, 0.01)));
        assert_eq!(nearest("quotient", 1000, 0.01), None);
    }
}
