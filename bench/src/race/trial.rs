//! One table: all contenders, for one family of keys, one number of them and one rate.

use super::contender::{Ask, Contender, HashOf, Make, Take};
use super::keys::{Family, Integers, Sample, Work};
use super::line::Limit;
use super::memory;
use super::ours::REFERENCE;
use super::record::Row;
use super::rounds::{Runner, Times, alternate, timed};
use std::borrow::Cow;
use std::cell::RefCell;

/// The name of the limit, which is no contender.
pub const LIMIT: &str = "line limit";

/// From here on a contender is built once, in chunks that alternate; below, some times.
const ONCE: u64 = 10_000_000;
const CHUNK: u64 = 1 << 20;
/// Into how many parts the lookups are divided; a round does some, the next the following ones, so
/// that no round finds the lines of the one before in the cache.
const BLOCKS: usize = 8;

/// What a table is about.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Keys in the set.
    pub items: u64,
    /// The rate asked for.
    pub rate: f64,
    /// How often each is queried.
    pub rounds: usize,
    /// How often each is built, where that is fast.
    pub rebuilds: usize,
    /// About how many nanoseconds of lookups a contender gets in a round; slow ones get more.
    pub cell: f64,
    /// How many lookups there are.
    pub questions: usize,
}

/// A contender with its filter, and what that took.
struct Built<F: Family> {
    name: &'static str,
    hash: HashOf,
    ask: Box<dyn Ask<F>>,
    /// Ways of inserting, and their times.
    inserts: Vec<(&'static str, Times)>,
    /// By the allocator's count.
    bytes: i64,
}

impl<F: Family> Built<F> {
    fn bits_a_key(&self, items: u64) -> f64 {
        self.ask.bits().map_or(8.0 * self.bytes as f64, |bits| bits as f64) / items as f64
    }

    fn inserts(&self, way: &str) -> Option<&Times> {
        self.inserts.iter().find(|(other, _)| *other == way).map(|(_, times)| times)
    }
}

/// Builds all, queries all, and reports.
pub fn run<F: Family>(contenders: Vec<Contender<F>>, setting: Setting) -> Vec<Row> {
    let Setting { items, rate, .. } = setting;
    eprintln!("{}: {items} keys at {} %", F::NAME, 100.0 * rate);
    let stands_here = |of: &Contender<F>| of.only.is_none_or(|only| only == rate);
    let (runs, left): (Vec<_>, Vec<_>) = contenders
        .into_iter()
        .filter(stands_here)
        .partition(|of| of.left_out(items, rate).is_none());
    let built = if items < ONCE { rebuilt(&runs, setting) } else { built_once(&runs, setting) };
    let mut rows = Table { setting, rows: Vec::new() };
    let fprs = rows.questions(&built);
    rows.inserts(&built);
    for (built, fpr) in built.iter().zip(fprs) {
        let bits = built.bits_a_key(items);
        for row in rows.rows.iter_mut().filter(|row| row.contender == built.name) {
            row.bits = Some(bits);
            row.fpr = Some(fpr);
            row.hash = Some(built.hash);
        }
    }
    let not_run = |of: &Contender<F>| Row {
        contender: of.name,
        ns: f64::NAN,
        note: of.left_out(items, rate).unwrap_or_default(),
        ..blank::<F>(setting)
    };
    rows.rows.extend(left.iter().map(not_run));
    rows.rows
}

fn blank<F: Family>(setting: Setting) -> Row {
    let Setting { items, rate, .. } = setting;
    Row { section: "table", keys: F::NAME, items, rate, threads: 1, ..Row::default() }
}

/// A filter of one way or the other, and its bytes.
type Slot<F> = RefCell<Option<(Box<dyn Ask<F>>, i64)>>;

/// All keys at once in memory, and everybody built some times in turn, in each of its ways.
fn rebuilt<F: Family>(contenders: &[Contender<F>], setting: Setting) -> Vec<Built<F>> {
    let mut store = F::Store::default();
    F::fill(&mut store, 0..setting.items);
    let keys = F::keys(&store);
    let built: Vec<Slot<F>> = contenders.iter().map(|_| Slot::default()).collect();
    let mut whose = Vec::new();
    let mut runners: Vec<Runner<'_>> = Vec::new();
    for (of, built) in contenders.iter().zip(&built) {
        for &way in of.ways() {
            let keys = &keys;
            whose.push((of.name, way));
            runners.push(Box::new(move |_| {
                // The one before is dropped first, so that its memory is free again.
                built.take();
                let before = memory::live();
                let (time, ask) = timed(keys.len(), || whole(of, way, keys, setting));
                built.replace(Some((ask, memory::live() as i64 - before as i64)));
                time
            }));
        }
    }
    let times = alternate(setting.rebuilds, &mut runners);
    drop(runners);
    let with_times = |(of, built): (&Contender<F>, Slot<F>)| {
        let (ask, bytes) = built.into_inner()?;
        let own = whose.iter().zip(&times).filter(|((name, _), _)| *name == of.name);
        let inserts = own.map(|((_, way), times)| (*way, times.clone())).collect();
        Some(Built { name: of.name, hash: of.hash, ask, inserts, bytes })
    };
    contenders.iter().zip(built).filter_map(with_times).collect()
}

fn whole<F: Family>(
    of: &Contender<F>,
    way: &str,
    keys: &[F::Key<'_>],
    setting: Setting,
) -> Box<dyn Ask<F>> {
    match of.make {
        Make::Whole(make) => make(keys, setting.rate),
        Make::Empty(make) => {
            let mut filter = make(setting.items, setting.rate);
            put(filter.as_mut(), way, keys);
            filter
        }
    }
}

fn put<F: Family>(filter: &mut dyn Take<F>, way: &str, keys: &[F::Key<'_>]) {
    match way {
        "batch" => filter.put_batches(keys).expect("a way that it has"),
        _ => filter.put(keys),
    }
}

/// A filter that is being filled in one way.
struct Filling<F: Family> {
    filter: Box<dyn Take<F>>,
    way: &'static str,
    /// Nanoseconds until now.
    time: f64,
    bytes: i64,
}

/// Chunk after chunk of keys goes to everybody in turn, in each of its ways; then come those that
/// want all at once.
fn built_once<F: Family>(contenders: &[Contender<F>], setting: Setting) -> Vec<Built<F>> {
    let Setting { items, rate, .. } = setting;
    let mut fillings = Vec::new();
    for (at, of) in contenders.iter().enumerate() {
        let Make::Empty(make) = of.make else { continue };
        for &way in of.ways() {
            let before = memory::live();
            let (time, filter) = timed(1, || make(items, rate));
            let bytes = memory::live() as i64 - before as i64;
            fillings.push((at, Filling { filter, way, time, bytes }));
        }
    }
    let mut store = F::Store::default();
    let chunks = items.div_ceil(CHUNK);
    for chunk in 0..chunks {
        F::fill(&mut store, chunk * CHUNK..items.min((chunk + 1) * CHUNK));
        let keys = F::keys(&store);
        let count = fillings.len();
        for turn in 0..count {
            let (_, filling) = &mut fillings[(chunk as usize + turn) % count];
            let before = memory::live();
            filling.time += timed(1, || put(filling.filter.as_mut(), filling.way, &keys)).0;
            filling.bytes += memory::live() as i64 - before as i64;
        }
    }
    let once = |time: f64| Times(vec![time / items as f64]);
    let mut built: Vec<Option<Built<F>>> = contenders.iter().map(|_| None).collect();
    for (at, Filling { filter, way, time, bytes }) in fillings {
        let (of, before) = (&contenders[at], built[at].take());
        let mut inserts = before.map_or(Vec::new(), |before| before.inserts);
        inserts.push((way, once(time)));
        built[at] = Some(Built { name: of.name, hash: of.hash, ask: filter, inserts, bytes });
    }
    if contenders.iter().any(|of| matches!(of.make, Make::Whole(_))) {
        F::fill(&mut store, 0..items);
        let keys = F::keys(&store);
        for (of, built) in contenders.iter().zip(&mut built) {
            let Make::Whole(make) = of.make else { continue };
            eprintln!("  building {}", of.name);
            let before = memory::live();
            let (time, ask) = timed(1, || make(&keys, rate));
            let bytes = memory::live() as i64 - before as i64;
            let inserts = vec![("batch", once(time))];
            *built = Some(Built { name: of.name, hash: of.hash, ask, inserts, bytes });
        }
    }
    built.into_iter().flatten().collect()
}

struct Table {
    setting: Setting,
    rows: Vec<Row>,
}

impl Table {
    /// A row of a contender, whose ratio is against the reference's times.
    fn push<F: Family>(
        &mut self,
        (work, way): (&'static str, &'static str),
        name: &'static str,
        times: &Times,
        ours: Option<&Times>,
    ) -> &mut Row {
        let row = Row { work, way, contender: name, ..blank::<F>(self.setting) }.timed(times);
        self.rows.push(Row { ratio: ours.map(|ours| times.over(ours)), ..row });
        let last = self.rows.len() - 1;
        &mut self.rows[last]
    }

    fn inserts<F: Family>(&mut self, built: &[Built<F>]) {
        let reference = built.iter().find(|built| built.name == REFERENCE);
        for way in ["single", "batch"] {
            let ours = reference.and_then(|ours| ours.inserts(way));
            for built in built {
                let (own, single) = (built.inserts(way), built.inserts("single"));
                let Some(times) = own.or(single) else { continue };
                let row = self.push::<F>(("insert", way), built.name, times, ours);
                if own.is_none() {
                    row.note = "no batch call: inserted one by one".to_string();
                }
            }
        }
    }

    /// Does all lookups; returns the measured false-positive rates.
    fn questions<F: Family>(&mut self, built: &[Built<F>]) -> Vec<f64> {
        let mut fprs = Vec::new();
        for work in Work::ALL {
            eprintln!("  {}", work.name());
            let sample = Sample::<F>::new(work, self.setting.items, self.setting.questions);
            let asked: Vec<Asked> = built.iter().map(|built| Asked::new(built, &sample)).collect();
            if work == Work::Miss {
                fprs = asked.iter().map(|asked| asked.share(sample.members().len())).collect();
            }
            self.rounds(work, built, &asked, &sample);
        }
        fprs
    }

    fn rounds<F: Family>(
        &mut self,
        work: Work,
        built: &[Built<F>],
        asked: &[Asked],
        sample: &Sample<F>,
    ) {
        let keys = sample.keys();
        let Setting { items, rounds, cell, .. } = self.setting;
        let has_batch = |built: &Built<F>| built.ask.count_batches(&keys[..0]).is_some();
        let limit = (items >= ONCE).then(|| self.limit(built, sample.members().len())).flatten();
        let mut names = Vec::new();
        let mut runners: Vec<Runner<'_>> = Vec::new();
        for (built, asked) in built.iter().zip(asked) {
            names.push((built.name, "single"));
            let blocks = asked.blocks(cell, keys.len());
            let ask = &built.ask;
            let keys = &keys;
            let single = move |keys: &[F::Key<'_>]| ask.count(keys);
            runners.push(Box::new(move |round| asked.time(round, blocks, keys, single)));
            if has_batch(built) {
                names.push((built.name, "batch"));
                // It may be much faster than the single calls, by which the blocks were chosen.
                let blocks = 2 * blocks;
                let batch = move |keys: &[F::Key<'_>]| ask.count_batches(keys).unwrap_or(0);
                runners.push(Box::new(move |round| asked.time(round, blocks, keys, batch)));
            }
        }
        if let Some((limit, keys)) = &limit {
            names.push((LIMIT, "batch"));
            runners.push(Box::new(|_| {
                let (time, read) = timed(keys.len(), || limit.read(keys));
                assert_eq!(read, keys.len(), "a line was read for each key");
                time
            }));
        }
        let times = alternate(rounds, &mut runners);
        let of = |name: &str, way: &str| {
            names.iter().position(|known| *known == (name, way)).map(|at| &times[at])
        };
        for way in ["single", "batch"] {
            let ours = of(REFERENCE, way);
            for name in built.iter().map(|built| built.name).chain(limit.is_some().then_some(LIMIT))
            {
                let Some(times) = of(name, way).or(of(name, "single")) else { continue };
                let row = self.push::<F>((work.name(), way), name, times, ours);
                if way == "batch" && of(name, way).is_none() {
                    row.note = "no batch call: looked up one by one".to_string();
                }
            }
        }
    }

    /// Memory as large as the reference's, and integers to read it by, whatever the keys are.
    fn limit<F: Family>(&self, built: &[Built<F>], count: usize) -> Option<(Limit, Vec<u64>)> {
        let ours = built.iter().find(|built| built.name == REFERENCE)?;
        let limit = Limit::new(ours.ask.bits()?);
        let limit = limit.inspect_err(|error| eprintln!("  no line limit: {error}")).ok()?;
        let sample = Sample::<Integers>::new(Work::Miss, self.setting.items, count);
        Some((limit, Cow::into_owned(sample.keys())))
    }
}

/// What a contender answered at first, which it must answer again, and how fast.
struct Asked {
    found: Vec<usize>,
    ns: f64,
}

impl Asked {
    /// Looks up all keys once, untimed but for a hint, and checks the answers.
    fn new<F: Family>(built: &Built<F>, sample: &Sample<F>) -> Asked {
        let keys = sample.keys();
        let block = keys.len() / BLOCKS;
        let (ns, found) = timed(keys.len(), || {
            keys.chunks(block).map(|keys| built.ask.count(keys)).collect::<Vec<_>>()
        });
        for (found, members) in found.iter().zip(sample.members().chunks(block)) {
            let members = members.iter().filter(|member| **member).count();
            assert!(*found >= members, "{}: {found} found of {members} that are in", built.name);
        }
        Asked { found, ns }
    }

    fn share(&self, of: usize) -> f64 {
        self.found.iter().sum::<usize>() as f64 / of as f64
    }

    /// How many blocks a round looks up: enough to be timed well, and at least 2¹⁸ keys.
    fn blocks(&self, cell: f64, keys: usize) -> usize {
        let block = keys / BLOCKS;
        ((cell / self.ns) as usize).max(1 << 18).div_ceil(block)
    }

    fn time<K>(
        &self,
        round: usize,
        blocks: usize,
        keys: &[K],
        count: impl Fn(&[K]) -> usize,
    ) -> f64 {
        let block = keys.len() / BLOCKS;
        let turns = || (round * blocks..(round + 1) * blocks).map(|at| at % BLOCKS);
        let (time, found) = timed(blocks * block, || {
            turns().map(|at| count(&keys[at * block..][..block])).sum::<usize>()
        });
        assert_eq!(found, turns().map(|at| self.found[at]).sum(), "the answers stay the same");
        time
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ours, peers};
    use super::*;

    /// Built at once or in chunks, everybody has all keys, and a time for each way.
    #[test]
    fn everybody_is_built_in_each_way() {
        let setting = Setting {
            items: 3000,
            rate: 0.01,
            rounds: 1,
            rebuilds: 2,
            cell: 1.0,
            questions: 1 << 10,
        };
        let mut contenders = ours::all::<Integers>();
        contenders.extend(ours::solved());
        contenders.extend(peers::all());
        contenders.extend(peers::integers());
        let sample = Sample::<Integers>::new(Work::Hit, setting.items, setting.questions);
        for (build, rounds) in [(rebuilt as fn(&[_], _) -> Vec<_>, 2), (built_once, 1)] {
            let built = build(&contenders, setting);
            assert_eq!(built.len(), contenders.len());
            for (built, of) in built.iter().zip(&contenders) {
                assert_eq!(built.ask.count(&sample.keys()), setting.questions, "{}", of.name);
                let ways: Vec<&str> = built.inserts.iter().map(|(way, _)| *way).collect();
                let expected: &[&str] = match of.name {
                    "anther fuse" | "xorf BinaryFuse8" | "xorf BinaryFuse16" => &["batch"],
                    name if name.starts_with("anther") => &["single", "batch"],
                    _ => &["single"],
                };
                assert_eq!((built.name, ways.as_slice()), (of.name, expected));
                assert!(built.inserts.iter().all(|(_, times)| times.0.len() == rounds));
            }
        }
    }
}
