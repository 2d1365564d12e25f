//! Is any key in a range? A filter whose rate holds for every query, beside one that keeps prefixes.

use super::super::sample::{Random, Sample, broken};
use super::super::tally::seed;
use super::super::{Effort, Made};
use crate::chart::{Axis, Chart, Series, Unit};
use crate::error::Error;
use crate::table::{Cell, Table};
use anther::{Classic, Range, Seed, Target};

/// The rate that all are made for.
const FPR: f64 = 0.01;

/// What a common heuristic does: a Bloom filter of the keys without their lowest bits, as many as the
/// span has. A query looks up the prefixes of its range, of which there are at most two.
struct Prefixes {
    filter: Classic,
    dropped: u32,
}

impl Prefixes {
    fn new(keys: &[u64], span: u64, seed: Seed) -> Result<Prefixes, Error> {
        let target = Target::new(keys.len() as u64, FPR / 2.0).map_err(broken)?;
        let mut filter = Classic::with_seed(target, seed).map_err(broken)?;
        let dropped = span.ilog2();
        for key in keys {
            filter.insert(key >> dropped);
        }
        Ok(Prefixes { filter, dropped })
    }

    fn contains_any(&self, first: u64, last: u64) -> bool {
        (first >> self.dropped..=last >> self.dropped).any(|prefix| self.filter.contains(prefix))
    }
}

/// Where queries begin.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    Anywhere,
    /// At most this far behind a key.
    Behind(u64),
}

/// The share of empty ranges that are answered maybe.
fn wrong(
    keys: &[u64],
    span: u64,
    start: Start,
    asked: u64,
    random: &mut Random,
    contains_any: impl Fn(u64, u64) -> bool,
) -> f64 {
    let (mut done, mut wrong) = (0, 0_u64);
    while done < asked {
        let first = match start {
            Start::Anywhere => random.draw(),
            Start::Behind(most) => {
                #[expect(clippy::cast_possible_truncation, reason = "below the length")]
                let at = random.below(keys.len() as u64) as usize;
                keys[at].saturating_add(1 + random.below(most))
            }
        };
        let Some(last) = first.checked_add(span - 1) else { continue };
        let next = keys.partition_point(|key| *key < first);
        if keys.get(next).is_some_and(|key| *key <= last) {
            continue;
        }
        done += 1;
        wrong += u64::from(contains_any(first, last));
    }
    wrong as f64 / asked as f64
}

/// Costa, Ferragina and Vinciguerra 2024: the rate of a range is at most ℓ·n/r, wherever it begins.
pub fn range(effort: &Effort<'_>) -> Result<Made, Error> {
    let (items, filters, asked) =
        (effort.choose(20_000, 100_000), effort.choose(6, 20), effort.choose(5000, 20_000));
    let starts = [("anywhere", Start::Anywhere), ("next to a key", Start::Behind(16))];
    let spans = [1, 32, 1024];
    let head =
        ["span", "queries", "law", "range", "prefixes", "range bits", "formula", "prefix bits"];
    let mut table = Table::new(head);
    let mut lines: [[Series; 2]; 2] = [
        ["range, anywhere", "range, next to a key"].map(Series::new),
        ["prefixes, anywhere", "prefixes, next to a key"].map(Series::new),
    ];
    let (mut within, mut as_small, mut fails) = (true, true, true);
    for (row, span) in spans.into_iter().enumerate() {
        let mut rates =
            [[Sample::default(), Sample::default()], [Sample::default(), Sample::default()]];
        let (mut law, mut bits, mut prefix_bits) = (0.0_f64, 0.0_f64, 0.0);
        for number in 0..filters {
            let mut random = Random::new(number);
            let mut keys: Vec<u64> = (0..items).map(|_| random.draw()).collect();
            keys.sort_unstable();
            keys.dedup();
            let own = seed(number);
            let range = Range::build(keys.iter().copied(), span, FPR, own).map_err(broken)?;
            let prefixes = Prefixes::new(&keys, span, own)?;
            law = law.max(range.fpr(span));
            bits = bits.max(range.profile().bits_per_key());
            prefix_bits = prefixes.filter.profile().bits_per_key().unwrap_or_default();
            for (at, (_, start)) in starts.into_iter().enumerate() {
                let found = |first, last| range.contains_any(first..=last).unwrap_or(true);
                let of_range = wrong(&keys, span, start, asked, &mut random, found);
                let found = |first, last| prefixes.contains_any(first, last);
                let of_prefixes = wrong(&keys, span, start, asked, &mut random, found);
                rates[0][at].push(of_range, asked);
                rates[1][at].push(of_prefixes, asked);
            }
        }
        let formula = (span as f64 / FPR).log2() + 2.0;
        for (at, (name, _)) in starts.into_iter().enumerate() {
            let [range, prefixes] = [&rates[0][at], &rates[1][at]];
            within &= range.mean() <= law || range.agrees(law);
            table.row([
                Cell::Count(span),
                Cell::Text(name.to_string()),
                Cell::Rate(law),
                Cell::Rate(range.mean()),
                Cell::Rate(prefixes.mean()),
                Cell::Number(bits, 2),
                Cell::Number(formula, 2),
                Cell::Number(prefix_bits, 2),
            ]);
            lines[0][at].measured.push((span as f64, range.mean()));
            lines[1][at].measured.push((span as f64, prefixes.mean()));
        }
        as_small &= bits < formula + 0.3;
        fails &= span == 1 || rates[1][1].mean() > 0.4;
        effort.tell(row + 1, spans.len());
    }
    let mut made = Made { table, ..Made::default() };
    let [ours, theirs] = lines;
    made.chart(
        "",
        Chart {
            title: "Empty ranges that are answered maybe, against their length".into(),
            x: Axis::log("integers in a range", Unit::Count),
            y: Axis::log("false-positive rate", Unit::Rate),
            series: ours.into_iter().chain(theirs).collect(),
        },
    );
    made.claim("the rate is within the law ℓ·n/r, anywhere and next to keys", within);
    made.claim("a range filter takes at most 0.3 bits per key more than log2(L/ε) + 2", as_small);
    made.claim(
        "a Bloom filter of prefixes is wrong about more than 40 % of the ranges of 32 and more that \
         begin next to a key",
        fails,
    );
    made.note(format!(
        "{} random keys of 64 bits, {filters} filters each. Next to a key: 1 to 16 behind it. Prefixes: a \
         classic filter of keys without their log2(L) lowest bits, made for half of 1 % since a range \
         has two prefixes.",
        anther::units::count(items)
    ));
    Ok(made)
}
