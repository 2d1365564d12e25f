//! What the numbers were to be, beside what they are; at 1 % unless a goal says another rate.

use super::hashes::{DEFAULT, FOLDHASH, LENGTHS};
use super::ours::{
    CLASSIC, CUCKOO, EIGHT_BITS, FUSE, REFERENCE, SHARED_BLOCKED, SHARED_SPLIT, SPLIT,
};
use super::peers::{ATOMIC, CUCKOOFILTER, FOLDED, SBBF, XORF};
use super::record::Row;
use super::tables::count;
use std::fmt;

/// What a number must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This or more.
    Least(f64),
    /// This or less.
    Most(f64),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Least(least) => write!(f, "≥{least}"),
            Bound::Most(most) => write!(f, "≤{most}"),
        }
    }
}

/// A goal that the run covered.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What it is about.
    pub text: String,
    /// What it must be.
    pub bound: Bound,
    /// What it was.
    pub measured: f64,
    /// Behind the numbers.
    pub unit: &'static str,
}

impl Goal {
    /// Whether the number is as it must be.
    pub fn is_met(&self) -> bool {
        match self.bound {
            Bound::Least(least) => self.measured >= least,
            Bound::Most(most) => self.measured <= most,
        }
    }
}

/// What two runs of the same code differ by: a batch is "not slower" than single calls from here on.
const LEVEL: f64 = 0.97;
const IN_CACHE: [u64; 2] = [100_000, 1_000_000];
const SIZES: [u64; 4] = [100_000, 1_000_000, 10_000_000, 100_000_000];
const LOOKUPS: [&str; 3] = ["hit", "miss", "mixed"];
const LARGE: u64 = 100_000_000;
const RATES: [f64; 2] = [0.01, 0.001];

/// The goals that these rows can tell of; those of a build for this very machine, or the others.
pub fn goals(rows: &[Row], native: bool) -> Vec<Goal> {
    let mut found = Found { rows, goals: Vec::new() };
    if native {
        found.native();
    } else {
        found.split();
        found.blocked();
        found.batches();
        found.fuse();
        found.cuckoo();
        found.strings();
        found.shared();
        found.sizes();
    }
    found.goals
}

/// Whether a goal compares one of ours with this peer.
pub fn names(peer: &str) -> bool {
    [ATOMIC, CUCKOOFILTER, FOLDED, SBBF, XORF].contains(&peer)
}

/// What picks a row of the tables: all but the contender.
#[derive(Clone, Copy)]
struct Cell {
    section: &'static str,
    keys: &'static str,
    items: u64,
    rate: f64,
    work: &'static str,
    way: &'static str,
    threads: usize,
}

impl Cell {
    /// Of the large tables, for integers at 1 %.
    const fn table(items: u64, work: &'static str, way: &'static str) -> Cell {
        let (section, keys) = ("table", "u64");
        Cell { section, keys, items, rate: RATES[0], work, way, threads: 1 }
    }

    fn named(&self) -> String {
        let Cell { items, rate, work, way, .. } = self;
        format!("{} {work} {way} at {} %", count(*items), 100.0 * rate)
    }
}

struct Found<'a> {
    rows: &'a [Row],
    goals: Vec<Goal>,
}

/// Two cells of the same rounds, each with a contender: ours, and what it is compared with.
type Pair = [(Cell, &'static str); 2];

impl Found<'_> {
    fn row(&self, (cell, who): (Cell, &'static str)) -> Option<&Row> {
        let Cell { section, keys, items, rate, work, way, threads } = cell;
        let is = |row: &&Row| {
            (row.section, row.keys, row.items, row.rate) == (section, keys, items, rate)
                && (row.work, row.way, row.threads, row.contender) == (work, way, threads, who)
        };
        self.rows.iter().find(is)
    }

    fn add(&mut self, text: String, bound: Bound, measured: Option<f64>, unit: &'static str) {
        if let Some(measured) = measured {
            self.goals.push(Goal { text, bound, measured, unit });
        }
    }

    /// How many times as fast as the other ours is: the middle of the rounds' ratios.
    fn speed(&self, [ours, other]: Pair) -> Option<f64> {
        Some(self.row(other)?.times.over(&self.row(ours)?.times))
    }

    /// Ours is at least `least` times as fast as the peer in the same cell.
    fn faster(&mut self, text: &str, cell: Cell, least: f64, [ours, peer]: [&'static str; 2]) {
        let speed = self.speed([(cell, ours), (cell, peer)]);
        self.add(format!("{text}, {peer}"), Bound::Least(least), speed, "×");
    }

    /// The same of several pairs; the worst is told.
    fn worst(&mut self, text: &str, least: f64, pairs: impl IntoIterator<Item = Pair>) {
        let speeds = pairs.into_iter().filter_map(|pair| Some((self.speed(pair)?, pair[0].0)));
        let worst = speeds.min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((speed, cell)) = worst {
            let text = format!("{text}; worst: {}", cell.named());
            self.add(text, Bound::Least(least), Some(speed), "×");
        }
    }

    fn split(&mut self) {
        for keys in ["u64", "strings"] {
            for items in SIZES {
                let pair = |work, rate| {
                    let cell = Cell { keys, rate, ..Cell::table(items, work, "single") };
                    [(cell, SPLIT), (cell, SBBF)]
                };
                let text = format!("split, single, {} {keys}", count(items));
                let lookups = LOOKUPS.into_iter().flat_map(|work| RATES.map(|r| pair(work, r)));
                self.worst(&format!("{text}, lookups, {SBBF}"), 1.0, lookups);
                self.worst(
                    &format!("{text}, inserts, {SBBF}"),
                    1.0,
                    RATES.map(|r| pair("insert", r)),
                );
            }
        }
    }

    fn blocked(&mut self) {
        for items in IN_CACHE {
            let text = |work| format!("blocked, single, {} {work}", count(items));
            for work in LOOKUPS {
                let cell = Cell::table(items, work, "single");
                self.faster(&text(work), cell, 0.85, [REFERENCE, SBBF]);
            }
            for (work, least) in [("hit", 3.0), ("miss", 4.5)] {
                let cell = Cell::table(items, work, "single");
                self.faster(&text(work), cell, least, [REFERENCE, FOLDED]);
            }
            let insert = Cell::table(items, "insert", "single");
            let times = self.speed([(insert, SPLIT), (insert, REFERENCE)]);
            self.add(text("insert") + ", time over split", Bound::Most(1.6), times, "×");
        }
        let bulk = Cell { section: "threads", ..Cell::table(LARGE, "insert", "bulk") };
        self.faster("blocked, 10^8 bulk_insert, one thread", bulk, 9.0, [REFERENCE, FOLDED]);
        let batch = Cell::table(LARGE, "insert", "batch");
        self.faster("blocked, 10^8 insert, batch", batch, 9.0, [REFERENCE, FOLDED]);
    }

    /// Batches beside single calls.
    fn batches(&mut self) {
        for keys in ["u64", "strings"] {
            for who in [REFERENCE, SPLIT, CLASSIC, CUCKOO, FUSE] {
                let cells = IN_CACHE.into_iter().flat_map(|items| {
                    let works = LOOKUPS.into_iter().chain(["insert"]);
                    let rates = move |work| RATES.map(|rate| (items, work, rate));
                    works.flat_map(rates)
                });
                let pairs = cells.map(|(items, work, rate)| {
                    let cell = |way| Cell { keys, rate, ..Cell::table(items, work, way) };
                    [(cell("batch"), who), (cell("single"), who)]
                });
                self.worst(&format!("{who}, in cache, {keys}, batch over single"), LEVEL, pairs);
            }
        }
        for items in IN_CACHE {
            let cell = |work, way| Cell::table(items, work, way);
            let text = |work| format!("classic, batch, {} {work}", count(items));
            let own = [(cell("hit", "batch"), CLASSIC), (cell("hit", "single"), CLASSIC)];
            let speed = self.speed(own);
            self.add(text("hit") + ", over single", Bound::Least(1.0), speed, "×");
            self.faster(&text("miss"), cell("miss", "batch"), 1.5, [CLASSIC, FOLDED]);
        }
    }

    fn fuse(&mut self) {
        let levels = [(IN_CACHE[0], "single", 0.9), (IN_CACHE[1], "single", 0.9)];
        for (items, way, least) in
            levels.into_iter().chain([(LARGE, "single", 0.9), (LARGE, "batch", 3.0)])
        {
            for work in ["hit", "miss"] {
                let text = format!("fuse, {way}, {} {work}", count(items));
                self.faster(&text, Cell::table(items, work, way), least, [FUSE, XORF]);
            }
        }
        for items in SIZES {
            let cell = Cell::table(items, "insert", "bulk");
            let build = Cell { section: "static", rate: EIGHT_BITS, ..cell };
            let text = format!("fuse, build, {}", count(items));
            if items < LARGE {
                self.faster(&text, build, 1.0, [FUSE, XORF]);
            }
            let peak = self.row((build, FUSE)).and_then(|row| row.peak);
            self.add(text + ", peak", Bound::Most(20.0), peak, " bytes per key");
        }
    }

    fn cuckoo(&mut self) {
        for items in IN_CACHE {
            for (work, least) in [("insert", 1.3), ("hit", 4.0), ("miss", 4.0)] {
                let text = format!("cuckoo, single, {} {work}", count(items));
                let cell = Cell::table(items, work, "single");
                self.faster(&text, cell, least, [CUCKOO, CUCKOOFILTER]);
            }
        }
        for work in ["hit", "miss"] {
            let cell = |way| (Cell::table(LARGE, work, way), CUCKOO);
            let speed = self.speed([cell("batch"), cell("single")]);
            let text = format!("cuckoo, 10^8 {work}, batch over single");
            self.add(text, Bound::Least(4.0), speed, "×");
        }
    }

    fn strings(&mut self) {
        for (work, least) in [("hit", 1.6), ("miss", 2.2)] {
            let cell = Cell { keys: "strings", ..Cell::table(IN_CACHE[1], work, "single") };
            let text = format!("blocked, single, 10^6 strings, {work}");
            self.faster(&text, cell, least, [REFERENCE, FOLDED]);
        }
        for (keys, _) in LENGTHS {
            let cell =
                Cell { section: "hash", keys, rate: 0.0, ..Cell::table(0, "hash", "single") };
            let times = self.speed([(cell, FOLDHASH), (cell, DEFAULT)]);
            self.add(format!("hash of {keys}, time over foldhash"), Bound::Most(1.3), times, "×");
        }
    }

    /// Two threads and one filter. Ours are measured one by one and in batches; the peer has no
    /// batches.
    fn shared(&mut self) {
        let cell = |items, work, way| Cell {
            section: "shared",
            threads: 2,
            ..Cell::table(items, work, way)
        };
        for (who, large, small) in [(SHARED_BLOCKED, 4.0, 1.3), (SHARED_SPLIT, 6.0, 1.0)] {
            let mut goal = |items, work, way, least| {
                let text = format!("{who}, two threads, {} {work}, {way}", count(items));
                let peer = (cell(items, work, "single"), ATOMIC);
                let speed = self.speed([(cell(items, work, way), who), peer]);
                self.add(format!("{text}, {ATOMIC}"), Bound::Least(least), speed, "×");
            };
            goal(LARGE, "insert", "batch", large);
            for work in ["insert", "hit", "miss"] {
                for way in ["single", "batch"] {
                    goal(IN_CACHE[1], work, way, small);
                }
            }
        }
    }

    fn sizes(&mut self) {
        for (rate, most) in RATES.into_iter().zip([9.99, 15.7]) {
            let ours = |row: &&Row| row.rate == rate && row.contender == REFERENCE;
            let bits = self.rows.iter().filter(ours).filter_map(|row| row.bits).reduce(f64::max);
            let text = format!("blocked at {} %", 100.0 * rate);
            self.add(text, Bound::Most(most), bits, " bits per key");
        }
    }

    fn native(&mut self) {
        for work in ["hit", "miss"] {
            let text = format!("10^6 keys, single, {work}, target-cpu=native");
            let cell = Cell::table(IN_CACHE[1], work, "single");
            self.faster(&text, cell, 1.1, [REFERENCE, SBBF]);
            self.faster(&text, cell, 4.0, [REFERENCE, FOLDED]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::rounds::Times;

    fn row(work: &'static str, contender: &'static str, times: [f64; 3]) -> Row {
        let row = Row {
            section: "table",
            keys: "u64",
            items: 1_000_000,
            rate: 0.01,
            work,
            way: "single",
            threads: 1,
            contender,
            ..Row::default()
        };
        row.timed(&Times(times.to_vec()))
    }

    /// A goal needs both of its rows, and a ratio is of the same rounds.
    #[test]
    fn only_what_was_measured_is_judged() {
        let rows = [
            row("hit", REFERENCE, [1.0, 10.0, 1.0]),
            row("hit", FOLDED, [3.5, 35.0, 2.0]),
            row("hit", SBBF, [0.8, 8.0, 0.8]),
            row("miss", FOLDED, [3.0; 3]),
        ];
        let judged = |native| {
            goals(&rows, native)
                .into_iter()
                .map(|goal| {
                    let met = goal.is_met();
                    (goal.bound, goal.measured, met)
                })
                .collect::<Vec<_>>()
        };
        let least = Bound::Least;
        assert_eq!(judged(false), [(least(0.85), 0.8, false), (least(3.0), 3.5, true)]);
        assert_eq!(judged(true), [(least(1.1), 0.8, false), (least(4.0), 3.5, false)]);
        assert_eq!(goals(&[], false), []);
    }

    #[test]
    fn the_worst_cell_is_named() {
        let rare = |row| Row { rate: 0.001, ..row };
        let rows = [
            row("miss", SPLIT, [1.0; 3]),
            row("miss", SBBF, [2.0; 3]),
            rare(row("hit", SPLIT, [1.0; 3])),
            rare(row("hit", SBBF, [1.5; 3])),
        ];
        let goals = goals(&rows, false);
        assert_eq!(goals.len(), 1);
        assert_eq!((goals[0].measured, goals[0].is_met()), (1.5, true));
        assert!(goals[0].text.ends_with("worst: 10^6 hit single at 0.1 %"), "{}", goals[0].text);
    }

    #[test]
    fn bits_are_the_worst_of_all_sizes() {
        let bits = |bits| Row { bits: Some(bits), ..row("hit", REFERENCE, [1.0; 3]) };
        let goals = goals(&[bits(9.9), bits(10.1)], false);
        assert_eq!(goals.len(), 1);
        assert!(goals[0].measured == 10.1 && !goals[0].is_met());
    }
}
