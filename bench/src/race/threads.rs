//! One thread and two: lookups, a build, and inserts into one filter at once.

use super::contender::{Ask, EmptyMany, Many};
use super::keys::{Family, Integers, Sample, Work};
use super::ours::{self, REFERENCE};
use super::peers::{self, ATOMIC, FOLDED};
use super::record::Row;
use super::rounds::{Runner, Times, alternate, timed};
use std::cell::RefCell;
use std::thread;

const THREADS: usize = 2;
const QUESTIONS: usize = 1 << 21;
/// From here on everything is built once.
const ONCE: u64 = 10_000_000;

/// The rows for `items` keys at this false-positive rate.
pub fn run(items: u64, rate: f64, rounds: usize) -> Vec<Row> {
    eprintln!("threads: {items} keys at {} %", 100.0 * rate);
    let blank = Row { section: "threads", keys: Integers::NAME, items, rate, ..Row::default() };
    let mut keys = Vec::new();
    Integers::fill(&mut keys, 0..items);
    let rebuilds = if items < ONCE { rounds } else { 1 };
    let mut rows = builds(&blank, &keys, rebuilds);
    let filter = ours::bulk(&keys, rate, THREADS);
    for work in [Work::Hit, Work::Miss] {
        rows.extend(lookups(work, &blank, filter.as_ref(), rounds));
    }
    drop(filter);
    rows.extend(at_once(&blank, &keys, rebuilds, rounds));
    rows
}

type Builder = (&'static str, usize, fn(&[u64], f64) -> Box<dyn Ask<Integers>>);

const BUILDERS: [Builder; 3] = [
    (REFERENCE, 1, |keys, rate| ours::bulk(keys, rate, 1)),
    (REFERENCE, THREADS, |keys, rate| ours::bulk(keys, rate, THREADS)),
    (FOLDED, 1, peers::folded),
];

/// A filter of all keys: ours at once on one thread and on two, and the peer's one by one.
fn builds(blank: &Row, keys: &[u64], rebuilds: usize) -> Vec<Row> {
    let runner = |(_, _, build): &Builder| -> Runner<'_> {
        let (build, rate) = (*build, blank.rate);
        Box::new(move |_| timed(keys.len(), || build(keys, rate)).0)
    };
    let times = alternate(rebuilds, &mut BUILDERS.iter().map(runner).collect::<Vec<_>>());
    let row = |((contender, threads, _), own): (Builder, &Times)| {
        let row = Row { work: "insert", way: "bulk", threads, contender, ..blank.clone() };
        as_fast(row, &times[0], own)
    };
    BUILDERS.into_iter().zip(&times).map(row).collect()
}

/// The row, with the ratio of speeds that shows what a second thread gives.
fn as_fast(row: Row, one: &Times, own: &Times) -> Row {
    let note = "ratio: times as fast as anther blocked on one thread".to_string();
    Row { ratio: Some(one.over(own)), note, ..row }.timed(own)
}

/// The same lookups by one thread and by two, each of which does a half.
fn lookups(work: Work, blank: &Row, filter: &dyn Ask<Integers>, rounds: usize) -> Vec<Row> {
    let sample = Sample::<Integers>::new(work, blank.items, QUESTIONS);
    let keys = sample.keys();
    let expected = filter.count(&keys);
    assert!(work != Work::Hit || expected == QUESTIONS, "all that are in are found");
    // Twice each, so that starting a thread does not count.
    let ask = |keys: &[u64]| (0..2).filter_map(|_| filter.count_batches(keys)).sum::<usize>();
    let runner = |threads: usize| -> Runner<'_> {
        let (keys, ask) = (&keys, &ask);
        Box::new(move |_| {
            let (time, found) = timed(2 * keys.len(), || in_parts(keys, threads, ask));
            assert_eq!(found, 2 * expected, "the answers stay the same");
            time
        })
    };
    let times = alternate(rounds, &mut [runner(1), runner(THREADS)]);
    let row = |(threads, own): (usize, &Times)| {
        let work = work.name();
        let row = Row { work, way: "batch", threads, contender: REFERENCE, ..blank.clone() };
        as_fast(row, &times[0], own)
    };
    [1, THREADS].into_iter().zip(&times).map(row).collect()
}

/// One filter for both threads, and in which ways it is filled and queried.
struct Contest {
    name: &'static str,
    make: EmptyMany,
    way: &'static str,
}

impl Contest {
    fn all() -> Vec<Contest> {
        let both = |(name, make)| ["single", "batch"].map(|way| Contest { name, make, way });
        let mut all: Vec<Contest> = ours::shared().into_iter().flat_map(both).collect();
        all.push(Contest { name: ATOMIC, make: peers::atomic, way: "single" });
        all
    }

    fn put(&self, filter: &dyn Many, keys: &[u64]) {
        match self.way {
            "batch" => filter.put_batches(keys).expect("a way that it has"),
            _ => filter.put(keys),
        }
    }

    fn count(&self, filter: &dyn Many, keys: &[u64]) -> usize {
        match self.way {
            "batch" => filter.count_batches(keys).expect("a way that it has"),
            _ => filter.count(keys),
        }
    }
}

/// Two threads each insert half of the keys into one filter, ours and the peer's, and look up keys.
fn at_once(blank: &Row, keys: &[u64], rebuilds: usize, rounds: usize) -> Vec<Row> {
    let Row { items, rate, .. } = *blank;
    let contests = Contest::all();
    let filters: Vec<RefCell<Option<Box<dyn Many>>>> =
        contests.iter().map(|_| RefCell::default()).collect();
    let runner = |(contest, filter)| -> Runner<'_> {
        let (contest, filter): (&Contest, &RefCell<_>) = (contest, filter);
        Box::new(move |_| {
            filter.take();
            let (time, filled) = timed(keys.len(), || {
                let filter = (contest.make)(items, rate);
                in_parts(keys, THREADS, &|keys| {
                    contest.put(filter.as_ref(), keys);
                    keys.len()
                });
                filter
            });
            filter.replace(Some(filled));
            time
        })
    };
    let times =
        alternate(rebuilds, &mut contests.iter().zip(&filters).map(runner).collect::<Vec<_>>());
    let mut rows = shared_rows(blank, "insert", &contests, &times);
    let filters: Vec<Box<dyn Many>> =
        filters.into_iter().filter_map(|filter| filter.into_inner()).collect();
    let filters = || filters.iter().map(AsRef::as_ref);
    for work in [Work::Hit, Work::Miss] {
        let sample = Sample::<Integers>::new(work, items, QUESTIONS);
        let keys = sample.keys();
        let runner = |(contest, filter)| -> Runner<'_> {
            let (contest, filter, keys): (&Contest, &dyn Many, _) = (contest, filter, &keys);
            let count = |keys: &[u64]| contest.count(filter, keys);
            let expected = count(keys);
            assert!(
                work != Work::Hit || expected == keys.len(),
                "what both threads put in is found"
            );
            Box::new(move |_| {
                let (time, found) = timed(keys.len(), || in_parts(keys, THREADS, &count));
                assert_eq!(found, expected, "the answers stay the same");
                time
            })
        };
        let times =
            alternate(rounds, &mut contests.iter().zip(filters()).map(runner).collect::<Vec<_>>());
        rows.extend(shared_rows(blank, work.name(), &contests, &times));
    }
    rows
}

/// A row for each, with its time beside that of the first; a table of its own.
fn shared_rows(blank: &Row, work: &'static str, contests: &[Contest], times: &[Times]) -> Vec<Row> {
    let row = |(contest, own): (&Contest, &Times)| {
        let row = Row {
            section: "shared",
            work,
            way: contest.way,
            threads: THREADS,
            contender: contest.name,
            ratio: Some(own.over(&times[0])),
            note: "ratio: times the time of anther blocked, shared, one by one".to_string(),
            ..blank.clone()
        };
        row.timed(own)
    };
    contests.iter().zip(times).map(row).collect()
}

/// The sum of what each thread gets for its part; one part is done here.
fn in_parts(
    keys: &[u64],
    threads: usize,
    work: &(impl Fn(&[u64]) -> usize + Sync + ?Sized),
) -> usize {
    if threads == 1 {
        return work(keys);
    }
    let parts = keys.chunks(keys.len().div_ceil(threads).max(1));
    thread::scope(|scope| {
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        parts.into_iter().filter_map(|part| part.join().ok()).sum()
    })
}
