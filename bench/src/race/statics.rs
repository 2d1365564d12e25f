//! Filters that are solved from all keys at once: what it takes to build them, and to query them.
//!
//! Ratios are against our one-threaded build here, and against our lookups of the same way.

use super::contender::Ask;
use super::keys::{Family, Integers, Sample, Work};
use super::memory::Peak;
use super::ours::{self, FUSE};
use super::peers::{XORF, xorf8};
use super::record::Row;
use super::rounds::{Runner, Times, alternate, timed};

const QUESTIONS: usize = 1 << 20;

type Builder = (&'static str, usize, fn(&[u64]) -> Box<dyn Ask<Integers>>);

const BUILDERS: [Builder; 3] = [
    (FUSE, 1, |keys| ours::solve(keys, 1)),
    (FUSE, 2, |keys| ours::solve(keys, 2)),
    (XORF, 1, |keys| Box::new(xorf8(keys))),
];

/// The rows for `items` keys.
pub fn run(items: u64, rounds: usize) -> Vec<Row> {
    eprintln!("static: {items} keys");
    let blank = Row {
        section: "static",
        keys: Integers::NAME,
        items,
        rate: ours::EIGHT_BITS,
        ..Row::default()
    };
    let mut keys = Vec::new();
    Integers::fill(&mut keys, 0..items);
    let mut built: [Option<Box<dyn Ask<Integers>>>; 3] = [const { None }; 3];
    let mut peaks = [0.0f64; 3];
    let mut bytes = [0; 3];
    let mut builds: Vec<Runner<'_>> = Vec::new();
    for (((_, _, build), built), (peak, bytes)) in
        BUILDERS.iter().zip(&mut built).zip(peaks.iter_mut().zip(&mut bytes))
    {
        let keys = &keys;
        builds.push(Box::new(move |_| {
            *built = None;
            let before = super::memory::live();
            let at_most = Peak::begin();
            let (time, filter) = timed(keys.len(), || build(keys));
            *peak = peak.max(at_most.bytes() as f64 / keys.len() as f64);
            *bytes = super::memory::live().saturating_sub(before);
            *built = Some(filter);
            time
        }));
    }
    let rebuilds = match items {
        items if items <= 100_000 => 2 * rounds,
        items if items <= 10_000_000 => 3,
        _ => 1,
    };
    let inserts = alternate(rebuilds, &mut builds);
    drop(builds);
    drop(keys);
    let mut rows = Vec::new();
    for (at, (name, threads, _)) in BUILDERS.into_iter().enumerate() {
        let row = Row {
            work: "insert",
            way: "bulk",
            threads,
            contender: name,
            ratio: Some(inserts[at].over(&inserts[0])),
            peak: Some(peaks[at]),
            ..blank.clone()
        };
        rows.push(row.timed(&inserts[at]));
    }
    let [Some(ours), _, Some(theirs)] = &built else { return rows };
    let mut fprs = [0.0; 2];
    for work in [Work::Hit, Work::Miss] {
        rows.extend(questions(work, &blank, [ours.as_ref(), theirs.as_ref()], rounds, &mut fprs));
    }
    let bits =
        [ours.bits().unwrap_or(0), 8 * bytes[2] as u64].map(|bits| bits as f64 / items as f64);
    for row in &mut rows {
        let at = usize::from(row.contender == XORF);
        (row.fpr, row.bits) = (Some(fprs[at]), Some(bits[at]));
    }
    rows
}

fn questions(
    work: Work,
    blank: &Row,
    filters: [&dyn Ask<Integers>; 2],
    rounds: usize,
    fprs: &mut [f64; 2],
) -> Vec<Row> {
    let sample = Sample::<Integers>::new(work, blank.items, QUESTIONS);
    let keys = sample.keys();
    let found = filters.map(|filter| filter.count(&keys));
    if work == Work::Hit {
        assert_eq!(found, [QUESTIONS; 2], "all that are in are found");
    } else {
        *fprs = found.map(|found| found as f64 / QUESTIONS as f64);
    }
    let runner = |at: usize, batch: bool| -> Runner<'_> {
        let (filter, keys, expected) = (filters[at], &keys, found[at]);
        Box::new(move |_| {
            let batches = || filter.count_batches(keys).unwrap_or(0);
            let ask = || if batch { batches() } else { filter.count(keys) };
            let (time, found) = timed(keys.len(), ask);
            assert_eq!(found, expected, "the answers stay the same");
            time
        })
    };
    let times = alternate(rounds, &mut [runner(0, false), runner(0, true), runner(1, false)]);
    let row = |contender, way, times: &Times, ours: &Times, note: &str| {
        let row = Row {
            work: work.name(),
            way,
            threads: 1,
            contender,
            ratio: Some(times.over(ours)),
            note: note.to_string(),
            ..blank.clone()
        };
        row.timed(times)
    };
    vec![
        row(FUSE, "single", &times[0], &times[0], ""),
        row(XORF, "single", &times[2], &times[0], ""),
        row(FUSE, "batch", &times[1], &times[1], ""),
        row(XORF, "batch", &times[2], &times[1], "no batch call: looked up one by one"),
    ]
}
