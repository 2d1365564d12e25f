//! The formulas of docs/scale.md. n keys, m bytes of a filter, P machines, a link of B bytes per
//! second; rates are those of the record.

use super::measure::RATE;
use super::read::{Point, Records};
use anther::{Kind, Target};

/// A number, and whether it was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The number.
    pub value: f64,
    /// False: predicted.
    pub measured: bool,
}

/// The orders of magnitude of the page.
pub fn sizes() -> impl Iterator<Item = u64> {
    (5..=12).map(|power| 10u64.pow(power))
}

/// Bytes of a blocked filter made for `items` keys: exact, at any size.
pub fn bytes(items: u64) -> f64 {
    bytes_of(Kind::Blocked, items)
}

/// The same of another kind.
pub fn bytes_of(kind: Kind, items: u64) -> f64 {
    let target = Target::new(items, RATE).expect("in range");
    kind.bits_for(target).expect("a size") as f64 / 8.0
}

/// Bytes per second of a link.
pub fn link(gigabits: f64) -> f64 {
    gigabits * 1e9 / 8.0
}

/// The share of a machine's memory that filters may take: the rest is for keys, buffers, the system.
pub const SHARE: f64 = 0.8;

/// A way to build a filter on several machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// Bytes that each machine needs for filters.
    pub memory: f64,
    /// Bytes over the network, in all.
    pub moved: f64,
    /// Seconds, with all machines and links at work.
    pub seconds: f64,
}

impl Records {
    fn points<'a>(&'a self, who: &'a str, work: &'a str) -> impl Iterator<Item = &'a Point> {
        self.points.iter().filter(move |point| point.who == who && point.work == work)
    }

    /// How many cores were measured.
    pub fn cores(&self) -> usize {
        self.points.iter().map(|point| point.threads).max().unwrap_or(1)
    }

    /// Nanoseconds per key: measured, or beyond the largest set as for that.
    pub fn ns(&self, who: &str, work: &str, threads: usize, items: u64) -> Number {
        let mut points: Vec<&Point> =
            self.points(who, work).filter(|point| point.threads == threads).collect();
        points.sort_by_key(|point| point.items);
        let known = points.iter().find(|point| point.items == items);
        match (known, points.last()) {
            (Some(point), _) => Number { value: point.ns, measured: true },
            (None, Some(last)) => Number { value: last.ns, measured: false },
            (None, None) => Number { value: f64::NAN, measured: false },
        }
    }

    /// The largest set that was measured.
    pub fn largest(&self) -> u64 {
        self.points("anther blocked", "insert").map(|point| point.items).max().unwrap_or(0)
    }

    /// Seconds to build a blocked filter from keys that are there: n · ns.
    pub fn build(&self, items: u64, threads: usize) -> Number {
        let ns = self.ns("anther blocked", "insert", threads, items);
        Number { value: ns.value * items as f64 / 1e9, ..ns }
    }

    /// Nanoseconds per lookup in a batch on one core: the mean of present and absent keys.
    pub fn lookup(&self, items: u64) -> Number {
        let [hit, miss] = ["hit", "miss"].map(|work| self.ns("anther blocked", work, 1, items));
        Number { value: (hit.value + miss.value) / 2.0, measured: hit.measured }
    }

    /// How many keys of a kind one machine holds.
    pub fn holds(&self, kind: Kind) -> f64 {
        SHARE * self.memory / (bytes_of(kind, 1_000_000_000) / 1e9)
    }

    /// How many machines `items` keys need, if each holds a part.
    pub fn machines(&self, items: u64) -> u64 {
        (bytes(items) / (SHARE * self.memory)).ceil().max(1.0) as u64
    }

    /// Each machine makes a filter of its keys, as large as the whole, and they are merged in a tree:
    /// (P - 1) · m bytes; n/P · build + ⌈log₂ P⌉ · (m/B + merge).
    pub fn merged(&self, items: u64, machines: u64, link: f64) -> Way {
        let (m, p) = (bytes(items), machines as f64);
        let rounds = p.log2().ceil();
        let merge = self.ns("anther blocked", "merge", 1, items).value * items as f64 / 1e9;
        let build = self.build(items, self.cores()).value / p;
        Way { memory: 2.0 * m, moved: (p - 1.0) * m, seconds: build + rounds * (m / link + merge) }
    }

    /// Each hash goes to the machine that holds its part: 8n · (P - 1)/P bytes;
    /// n/P · build + 8n · (P - 1)/P² / B.
    pub fn sharded(&self, items: u64, machines: u64, link: f64) -> Way {
        let (n, p) = (items as f64, machines as f64);
        let moved = 8.0 * n * (p - 1.0) / p;
        Way {
            memory: bytes(items) / p,
            moved,
            seconds: self.build(items, self.cores()).value / p + moved / p / link,
        }
    }

    /// Spark's seconds as a + b · n, by least squares, if two sizes were measured.
    pub fn spark_line(&self) -> Option<(f64, f64)> {
        let seconds = |b: &super::read::SparkBuild| b.seconds_partial + b.seconds_merge;
        let count = self.spark.len() as f64;
        if count < 2.0 {
            return None;
        }
        let mean_keys = self.spark.iter().map(|b| b.keys).sum::<f64>() / count;
        let mean_seconds = self.spark.iter().map(seconds).sum::<f64>() / count;
        let (mut both, mut square) = (0.0, 0.0);
        for build in &self.spark {
            both += (build.keys - mean_keys) * (seconds(build) - mean_seconds);
            square += (build.keys - mean_keys).powi(2);
        }
        let slope = both / square;
        Some((mean_seconds - slope * mean_keys, slope))
    }
}

/// The number of machines from which moving hashes takes fewer bytes than merging filters:
/// (P - 1) · m > 8n · (P - 1)/P, so P > 8n/m.
pub fn fewer_bytes_sharded(items: u64) -> f64 {
    8.0 * items as f64 / bytes(items)
}

/// The number of machines from which it is faster, where the network is what takes the time.
pub fn faster_sharded(items: u64) -> u64 {
    let (n, m) = (items as f64, bytes(items));
    let sharded = |p: f64| 8.0 * n * (p - 1.0) / (p * p);
    let is_faster = |p: &u64| sharded(*p as f64) < (*p as f64).log2().ceil() * m;
    (2..1000).find(is_faster).unwrap_or(1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Records {
        let point = |items, work: &str, threads, ns| Point {
            items,
            work: work.to_string(),
            threads,
            who: "anther blocked".to_string(),
            ns,
            bits: 9.92,
            peak: None,
        };
        let points = vec![
            point(1000, "insert", 1, 8.0),
            point(1000, "insert", 2, 4.0),
            point(1000, "merge", 1, 1.0),
            point(100, "insert", 1, 2.0),
        ];
        Records { points, memory: 1e9, ..Records::default() }
    }

    #[test]
    fn beyond_the_largest_set_the_rate_stays() {
        let records = records();
        assert_eq!(records.build(1000, 1), Number { value: 8e-6, measured: true });
        assert_eq!(records.build(10_000, 1), Number { value: 8e-5, measured: false });
        assert_eq!(records.build(100, 1).value, 2e-7);
    }

    /// By hand, for 10⁹ keys of 1.24 bytes, 4 machines and 10⁹ bytes per second.
    #[test]
    fn ways_by_hand() {
        let (records, n) = (records(), 1_000_000_000);
        let m = bytes(n);
        assert!((1.23e9..1.25e9).contains(&m), "{m}");
        let merged = records.merged(n, 4, 1e9);
        assert_eq!((merged.memory, merged.moved), (2.0 * m, 3.0 * m));
        assert!((merged.seconds - (1.0 + 2.0 * (m / 1e9 + 1.0))).abs() < 1e-9);
        let sharded = records.sharded(n, 4, 1e9);
        assert_eq!((sharded.memory, sharded.moved), (m / 4.0, 6e9));
        assert!((sharded.seconds - (1.0 + 1.5)).abs() < 1e-9);
        assert_eq!(records.machines(n), 2);
        assert!((6.0..7.0).contains(&fewer_bytes_sharded(n)));
        // Two machines: 1.24 against 2 bytes per key; three: 2.48 against 1.78.
        assert_eq!(faster_sharded(n), 3);
    }

    #[test]
    fn a_line_through_two_builds_on_spark() {
        let build = |keys, seconds| super::super::read::SparkBuild {
            keys,
            seconds_partial: seconds,
            seconds_merge: 1.0,
            bytes_moved: 0.0,
        };
        let records = Records { spark: vec![build(1e7, 9.0), build(1e8, 18.0)], ..records() };
        let (fixed, each) = records.spark_line().unwrap();
        assert!((fixed - 9.0).abs() < 1e-9 && (each - 1e-7).abs() < 1e-15, "{fixed} {each}");
    }
}
