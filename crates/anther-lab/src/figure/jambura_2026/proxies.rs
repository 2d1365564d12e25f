//! Proxies that tell each other by filters what they have (§7.1, figure 6; Fan et al. 1998).

use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::figure::tally::{Tally, seed};
use crate::figure::{Effort, Made, Picture, timing};
use crate::table::{Cell, Table};
use anther::sizing::bloom;
use anther::{Classic, Counting};
use std::collections::{HashMap, HashSet, VecDeque};

const PROXIES: usize = 16;
/// Documents in a cache.
const ROOM: usize = 2000;
/// A new summary is sent when this many documents are new: 1 %.
const NEW: usize = ROOM / 100;
const PROBES: u32 = 4;
/// Bits for each document, and the rate that is published for that.
const LOADS: [(u64, f64); 3] = [(8, 0.02397), (16, 0.002394), (32, 0.0001906)];

/// The documents that were requested last.
#[derive(Default)]
struct Cache {
    /// When each was last requested.
    latest: HashMap<u64, u64>,
    /// In the order of requests; only the latest request of a document counts.
    order: VecDeque<(u64, u64)>,
}

impl Cache {
    /// A document is requested. Returns the one that is dropped for it.
    fn touch(&mut self, document: u64, time: u64) -> Option<u64> {
        self.latest.insert(document, time);
        self.order.push_back((document, time));
        while self.latest.len() > ROOM {
            let (oldest, time) = self.order.pop_front()?;
            if self.latest.get(&oldest) == Some(&time) {
                self.latest.remove(&oldest);
                return Some(oldest);
            }
        }
        None
    }
}

struct Proxy {
    cache: Cache,
    /// A counting filter for each load, kept here; and the bits of it that the others have.
    counting: Vec<Counting>,
    summaries: Vec<Classic>,
    /// What was in the cache when those were sent.
    told: HashSet<u64>,
    new: usize,
}

impl Proxy {
    fn new(number: u32) -> Result<Proxy, Error> {
        let broken = |error: &dyn std::fmt::Display| Error::about("proxies", error);
        let mut counting = Vec::new();
        let mut summaries = Vec::new();
        for (bits, _) in LOADS {
            let filter = Counting::with_cells(bits * ROOM as u64, PROBES, 4, seed(number));
            let filter = filter.map_err(|error| broken(&error))?;
            summaries.push(filter.to_classic().map_err(|error| broken(&error))?);
            counting.push(filter);
        }
        let (cache, told) = (Cache::default(), HashSet::new());
        Ok(Proxy { cache, counting, summaries, told, new: 0 })
    }

    /// Takes a document in, and sends summaries when enough is new.
    fn take(&mut self, document: u64, time: u64) -> Result<(), Error> {
        let broken = |error: &dyn std::fmt::Display| Error::about("proxies", error);
        let old = self.cache.touch(document, time);
        for filter in &mut self.counting {
            filter.insert(document);
            if let Some(old) = old {
                filter.remove(old).map_err(|error| broken(&error))?;
            }
        }
        self.new += 1;
        if self.new >= NEW {
            self.new = 0;
            self.told = self.cache.latest.keys().copied().collect();
            for (summary, filter) in self.summaries.iter_mut().zip(&self.counting) {
                *summary = filter.to_classic().map_err(|error| broken(&error))?;
            }
        }
        Ok(())
    }
}

/// Documents of which the n-th is requested n^-0.8 times as often as the first.
struct Zipf(Vec<f64>);

impl Zipf {
    fn new(documents: u32) -> Zipf {
        let weights = (1..=documents).map(|rank| f64::from(rank).powf(-0.8));
        let sums = weights.scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        Zipf(sums.collect())
    }

    fn draw(&self, number: u64) -> u64 {
        let uniform = (timing::scattered(number) >> 11) as f64 / (1u64 << 53) as f64;
        let at = uniform * self.0.last().copied().unwrap_or(0.0);
        self.0.partition_point(|sum| *sum < at) as u64
    }
}

/// What the summaries of one load came to.
#[derive(Clone, Copy, Default)]
struct Outcome {
    /// Peers that were asked, and of these those that did not have it.
    asked: u64,
    in_vain: u64,
    /// Requests that a peer could have served, and none was asked that could.
    false_misses: u64,
    /// Answers about documents that nobody ever had.
    tally: Tally,
}

#[derive(Default)]
struct Counted {
    requests: u64,
    own: u64,
    elsewhere: u64,
    /// What asking everybody would have taken, and how many of those would not have had it.
    by_asking_all: u64,
    all_in_vain: u64,
    loads: [Outcome; LOADS.len()],
}

fn simulate(effort: &Effort<'_>) -> Result<Counted, Error> {
    let zipf = Zipf::new(1_000_000);
    let requests: u64 = effort.choose(150_000, 3_000_000);
    // Until caches are full.
    let warm = requests / 3;
    let mut proxies = Vec::new();
    for number in 0..16 {
        proxies.push(Proxy::new(number)?);
    }
    let mut ever = HashSet::new();
    let mut counted = Counted::default();
    for outcome in &mut counted.loads {
        outcome.tally.filters = 16;
    }
    for time in 0..requests {
        let document = zipf.draw(time);
        let here = usize::try_from(timing::scattered(!time) % PROXIES as u64).unwrap_or(0);
        let fresh = ever.insert(document);
        let counts = time >= warm;
        counted.requests += u64::from(counts);
        if proxies[here].cache.latest.contains_key(&document) {
            counted.own += u64::from(counts);
            proxies[here].cache.touch(document, time);
            continue;
        }
        if counts {
            count(&mut counted, &proxies, here, document, fresh);
        }
        proxies[here].take(document, time)?;
        if time % 10_000 == 0 {
            effort.tell(usize::try_from(time).unwrap_or(0), usize::try_from(requests).unwrap_or(0));
        }
    }
    Ok(counted)
}

/// A proxy does not have a document: what do the summaries of the others say, and what is true?
fn count(counted: &mut Counted, proxies: &[Proxy], here: usize, document: u64, fresh: bool) {
    let peers = || proxies.iter().enumerate().filter(|(at, _)| *at != here).map(|(_, peer)| peer);
    let has = |peer: &Proxy| peer.cache.latest.contains_key(&document);
    let somewhere = peers().any(has);
    counted.elsewhere += u64::from(somewhere);
    counted.by_asking_all += PROXIES as u64 - 1;
    counted.all_in_vain += peers().filter(|peer| !has(peer)).count() as u64;
    for (load, outcome) in counted.loads.iter_mut().enumerate() {
        let mut served = false;
        for peer in peers() {
            let maybe = peer.summaries[load].contains(document);
            outcome.asked += u64::from(maybe);
            outcome.in_vain += u64::from(maybe && !has(peer));
            served |= maybe && has(peer);
            if fresh {
                outcome.tally.asked += 1;
                outcome.tally.wrong += u64::from(maybe);
            }
        }
        outcome.false_misses += u64::from(somewhere && !served);
    }
}

/// Figure 6: with filters only those peers are asked that promise something.
pub fn proxies(effort: &Effort<'_>) -> Result<Made, Error> {
    let counted = simulate(effort)?;
    let per_request = |count: u64| count as f64 / counted.requests as f64;
    let mut table = Table::new([
        "peers asked",
        "summary",
        "asked per request",
        "in vain",
        "false misses",
        "rate measured",
        "rate predicted",
        "published",
    ]);
    table.row([
        "all".into(),
        Cell::Empty,
        Cell::Number(per_request(counted.by_asking_all), 4),
        Cell::Number(per_request(counted.all_in_vain), 4),
        Cell::Rate(0.0),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
    ]);
    let mut asked = Series::new("peers asked per request");
    let mut vain = Series::new("of them in vain");
    asked.measured.push((0.0, per_request(counted.by_asking_all)));
    vain.measured.push((0.0, per_request(counted.all_in_vain)));
    let (mut agree, mut printed) = (true, true);
    for (at, ((load, published), outcome)) in LOADS.into_iter().zip(&counted.loads).enumerate() {
        let bits = load * ROOM as u64;
        let predicted = bloom::rate(bits, ROOM as u64, PROBES);
        let approximate = bloom::approximate(bits as f64, ROOM as f64, PROBES.into());
        printed &= (approximate / published - 1.0).abs() < 1e-3;
        agree &= outcome.tally.agrees(predicted, bloom::spread(bits, ROOM as u64, PROBES));
        let x = at as f64 + 1.0;
        asked.measured.push((x, per_request(outcome.asked)));
        vain.measured.push((x, per_request(outcome.in_vain)));
        table.row([
            format!("by {load} bits per document").as_str().into(),
            Cell::Bytes(bits / 8),
            Cell::Number(per_request(outcome.asked), 4),
            Cell::Number(per_request(outcome.in_vain), 4),
            Cell::Rate(per_request(outcome.false_misses)),
            Cell::Rate(outcome.tally.rate()),
            Cell::Rate(predicted),
            Cell::Rate(published),
        ]);
    }
    let mut made = Made { table, ..Made::default() };
    let x = Axis::names(["ask all", "8 bits", "16 bits", "32 bits"]);
    made.pictures.push((
        "",
        Picture::Chart(Chart {
            title: "Peers asked per request: 16 proxies, by bits per document".to_string(),
            x,
            y: Axis::linear("peers", Unit::Plain),
            series: vec![asked, vain],
        }),
    ));
    let percent = |count: u64| anther::units::rate(per_request(count));
    made.notes.push(format!(
        "16 proxies with room for {} documents each, the least recently asked for goes; {} requests \
         after the caches were full, for a million documents by Zipf's law with exponent 0.8. {} \
         were served by the own cache, {} could be by another's. A proxy sends a new summary when \
         1 % of its documents are new, 4 functions, made from its counting filter.",
        anther::units::count(ROOM as u64),
        anther::units::count(counted.requests),
        percent(counted.own),
        percent(counted.elsewhere)
    ));
    made.notes.push(
        "Asked in vain: filters err, and summaries are older than the caches. A false miss: a peer \
         had it and had not told yet. The rate is that of documents that nobody had had before. \
         All peers' filters are looked at, not those that promise a hit, as the text has it; and \
         Squid's protocol is another one, Cache Digests."
            .to_string(),
    );
    made.claim("each measured rate is the predicted one, within what chance allows", agree);
    made.claim("the usual formula gives the published rates, to 0.1 %", printed);
    let fewer = counted.loads.iter().all(|one| 10 * one.asked < counted.by_asking_all);
    made.claim("with filters less than a tenth as many peers are asked", fewer);
    Ok(made)
}
