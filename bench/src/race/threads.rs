//! One thread and two: lookups, a build, and inserts into one filter at once.

use super::contender::Ask;
use super::keys::{Family, Integers, Sample, Work};
use super::ours::{self, REFERENCE};
use super::peers::{self, ATOMIC};
use super::record::Row;
use super::rounds::{Runner, Times, alternate, timed};
use std::thread;

const THREADS: usize = 2;
const QUESTIONS: usize = 1 << 21;
/// The name of ours when many threads insert into it.
pub const SHARED: &str = "anther blocked, shared";

/// The rows for so many keys at a rate.
pub fn run(items: u64, rate: f64, rounds: usize) -> Vec<Row> {
    eprintln!("threads: {items} keys at {} %", 100.0 * rate);
    let blank = Row { section: "threads", keys: Integers::NAME, items, rate, ..Row::default() };
    let mut keys = Vec::new();
    Integers::fill(&mut keys, 0..items);
    let mut rows = Vec::new();

    // Builds, of which the last is asked.
    let mut built = None;
    let mut builds = Vec::new();
    for threads in [1, THREADS] {
        drop(built.take());
        let (time, filter) = timed(keys.len(), || ours::bulk(&keys, rate, threads));
        built = Some(filter);
        builds.push(Times(vec![time]));
        rows.push(Row {
            work: "insert",
            way: "bulk",
            threads,
            contender: REFERENCE,
            ns: time,
            ratio: Some(builds[0].over(&builds[threads - 1])),
            note: "times as fast as one thread".to_string(),
            ..blank.clone()
        });
    }
    if let Some(filter) = &built {
        for work in [Work::Hit, Work::Miss] {
            rows.extend(lookups(work, &blank, filter.as_ref(), rounds));
        }
    }
    drop(built);
    rows.extend(at_once(&blank, &keys, rounds));
    rows
}

/// The same questions by one thread and by two, each of which asks a half.
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
    let row = |(threads, own): (usize, &Times)| Row {
        work: work.name(),
        way: "batch",
        threads,
        contender: REFERENCE,
        ns: own.median(),
        ratio: Some(times[0].over(own)),
        note: "times as fast as one thread".to_string(),
        ..blank.clone()
    };
    [1, THREADS].into_iter().zip(&times).map(row).collect()
}

/// How many of the keys are found.
type Count<'a> = dyn Fn(&[u64]) -> usize + Sync + 'a;

/// Two threads put halves of the keys into one filter, ours and the peer's, and ask it.
fn at_once(blank: &Row, keys: &[u64], rounds: usize) -> Vec<Row> {
    let Row { items, rate, .. } = *blank;
    let fill = |put: &(dyn Fn(&[u64]) + Sync)| {
        in_parts(keys, THREADS, &|part| {
            put(part);
            part.len()
        })
    };
    let (our_time, ours) = timed(keys.len(), || {
        let filter = ours::Many::new(items, rate);
        fill(&|keys| filter.put(keys));
        filter
    });
    eprintln!("  {ATOMIC}");
    let (their_time, theirs) = timed(keys.len(), || {
        let filter = peers::Many::new(items, rate);
        fill(&|keys| filter.put(keys));
        filter
    });
    let row = |contender, work, ns, ratio| Row {
        work,
        way: if work == "insert" { "shared" } else { "single" },
        threads: THREADS,
        contender,
        ns,
        ratio: Some(ratio),
        ..blank.clone()
    };
    let mut rows = vec![
        row(SHARED, "insert", our_time, 1.0),
        row(ATOMIC, "insert", their_time, their_time / our_time),
    ];
    for work in [Work::Hit, Work::Miss] {
        let sample = Sample::<Integers>::new(work, items, QUESTIONS);
        let keys = sample.keys();
        let counts: [&Count; 2] = [&|keys| ours.count(keys), &|keys| theirs.count(keys)];
        let runner = |at: usize| -> Runner<'_> {
            let (keys, count) = (&keys, counts[at]);
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
        let times = alternate(rounds, &mut [runner(0), runner(1)]);
        rows.push(row(SHARED, work.name(), times[0].median(), 1.0));
        rows.push(row(ATOMIC, work.name(), times[1].median(), times[1].over(&times[0])));
    }
    rows
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
