//! Times of lookups from the committed benchmark: `bench/records/2026-11-16.csv`, which a test
//! compares with this table.

/// Where the times come from.
pub const ABOUT: &str = "Benchmark of 16 November 2026 on an AMD EPYC (Zen 3): one key at a time, on one thread, half of the \
     keys present. From the row with the nearest number of keys and FPR.";

/// Kind; keys as a power of ten; rate; ns per lookup.
const TIMES: [(&str, i32, f64, f64); 39] = [
    ("blocked", 5, 0.01, 5.308),
    ("split", 5, 0.01, 3.271),
    ("classic", 5, 0.01, 13.88),
    ("cuckoo", 5, 0.01, 17.51),
    ("fuse", 5, 0.01, 11.11),
    ("blocked", 5, 0.001, 5.737),
    ("split", 5, 0.001, 3.196),
    ("classic", 5, 0.001, 15.98),
    ("cuckoo", 5, 0.001, 16.58),
    ("fuse", 5, 0.001, 19.18),
    ("blocked", 6, 0.01, 8.439),
    ("split", 6, 0.01, 6.104),
    ("classic", 6, 0.01, 23.88),
    ("cuckoo", 6, 0.01, 27.33),
    ("fuse", 6, 0.01, 17.84),
    ("blocked", 6, 0.001, 11.33),
    ("split", 6, 0.001, 6.395),
    ("classic", 6, 0.001, 29.03),
    ("cuckoo", 6, 0.001, 30.21),
    ("fuse", 6, 0.001, 29.59),
    ("blocked", 7, 0.01, 34.02),
    ("split", 7, 0.01, 34.54),
    ("classic", 7, 0.01, 62.12),
    ("cuckoo", 7, 0.01, 106.0),
    ("fuse", 7, 0.01, 105.1),
    ("blocked", 7, 0.001, 72.63),
    ("split", 7, 0.001, 33.53),
    ("classic", 7, 0.001, 103.4),
    ("cuckoo", 7, 0.001, 120.4),
    ("fuse", 7, 0.001, 131.3),
    ("blocked", 8, 0.01, 49.39),
    ("split", 8, 0.01, 51.72),
    ("classic", 8, 0.01, 100.3),
    ("cuckoo", 8, 0.01, 136.7),
    ("fuse", 8, 0.01, 105.5),
    ("blocked", 8, 0.001, 56.46),
    ("split", 8, 0.001, 50.51),
    ("classic", 8, 0.001, 151.1),
    ("fuse", 8, 0.001, 131.8),
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
        let record = include_str!("../../../../../bench/records/2026-11-16.csv");
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
        assert_eq!(nearest("blocked", 7_000_000, 0.02), Some((34.02, 10_000_000, 0.01)));
        assert_eq!(nearest("cuckoo", 1 << 40, 1e-9), Some((136.7, 100_000_000, 0.01)));
        assert_eq!(nearest("quotient", 1000, 0.01), None);
    }
}
