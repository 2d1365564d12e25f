//! Longest prefix match on a real table: tries beside the formula, answers beside a trie's.

use super::{NotRun, Outcome, Report, draw, secret};
use crate::longest_prefix::{Address, PrefixTable, expected_probes};
use anther::Seed;
use routes::{BothRoutes, Routes, generated};
use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;
use trie::Trie;

mod routes;
mod trie;

/// Longest prefix match, with a filter per prefix length
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Routes, a line each: 10.0.0.0/8,64500 or 10.0.0.0,10.255.255.255,64500 [default: which
    /// autonomous system has which addresses, 19 MB that npm fetches and caches]
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Only a generated table, without npm
    #[arg(long, conflicts_with = "table")]
    generated: bool,
    /// Tries above one, on average: the sum of the filters' rates
    #[arg(long, default_value_t = 0.25, value_parser = extra)]
    extra: f64,
    /// Lookups
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(10_000..=100_000_000))]
    lookups: u32,
}

fn extra(text: &str) -> Result<f64, String> {
    let extra = text.parse().ok().filter(|extra| (0.01..=1.0).contains(extra));
    extra.ok_or_else(|| "must be a number from 0.01 to 1".to_string())
}

/// Prefixes of the generated table.
const GENERATED: u64 = 200_000;

impl Args {
    /// Looks up addresses in a real table, and in a generated one.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let mut missing = None;
        let mut both = BothRoutes::default();
        if let Some(path) = &self.table {
            both.read(path)?;
            if both.v4.is_empty() && both.v6.is_empty() {
                return Err(format!("{}: has no routes", path.display()).into());
            }
        } else if !self.generated {
            match BothRoutes::fetch() {
                Ok(routes) => both = routes,
                Err(error) => missing = Some(error.downcast::<NotRun>()?),
            }
        }
        let lookups = u64::from(self.lookups);
        if !both.v4.is_empty() {
            self.compare("IPv4", &both.v4, &addresses(&both.v4, lookups, 0), report)?;
        }
        if !both.v6.is_empty() {
            // Routes are below 2000::/3.
            let addresses = addresses(&both.v6, lookups / 5, 0b001 << 125);
            self.compare("IPv6", &both.v6, &addresses, report)?;
        }
        if self.table.is_none() {
            let routes = generated(GENERATED);
            self.compare("generated", &routes, &addresses(&routes, lookups, 0), report)?;
        }
        if both.v4.is_empty() && self.table.is_none() {
            both.v4 = generated(GENERATED);
        }
        self.attack(&both.v4, report)?;
        missing.map_or(Ok(()), |missing| Err(missing as Box<dyn Error>))
    }

    /// The table's answers beside a trie's, and its tries beside the formula.
    fn compare<A: Address>(
        &self,
        name: &str,
        routes: &Routes<A>,
        addresses: &[A],
        report: &mut Report,
    ) -> Outcome {
        let table = PrefixTable::build(routes.iter().copied(), self.extra, Seed::FIXED)?;
        let trie = Trie::build(routes)?;
        let differ = addresses.iter().filter(|one| table.lookup(**one).value != trie.lookup(**one));
        let (differ, count) = (differ.count(), addresses.len());
        let claim = format!(
            "{name}, {} prefixes: routes that differ from a trie's, of {count}",
            routes.len()
        );
        report.claim(claim, 0, differ, differ == 0);
        let measured = probes(&table, addresses);
        let most = expected_probes(&table.rates());
        let (predicted, deviation) = prediction(&table, addresses);
        // For any addresses it is at most 1+Σf over all lengths.
        let claim = format!(
            "{name}: tries per lookup, by Σf over the lengths longer than the match; {} lengths, for any \
             addresses at most {most:.4}",
            table.rates().len()
        );
        report.within(claim, predicted, 4.0 * deviation, measured, 4);

        let time = |lookup: &dyn Fn(A) -> Option<u32>| {
            let start = Instant::now();
            for address in addresses {
                black_box(lookup(*address));
            }
            start.elapsed().as_nanos() / count.max(1) as u128
        };
        let (ours, theirs) = (time(&|one| table.lookup(one).value), time(&|one| trie.lookup(one)));
        let bits: u64 = table.lengths().map(|(_, _, bits)| bits).sum();
        report.note(format_args!(
            "{name}: filters of {:.2} Mbit in fast memory, {ours} ns per lookup; trie of {:.1} Mbit, {theirs} ns",
            bits as f64 / 1e6,
            trie.bytes() as f64 * 8.0 / 1e6
        ));
        Ok(())
    }

    /// A stranger who knows the table, as everybody does, chooses addresses that cost tries.
    fn attack(&self, routes: &Routes<u32>, report: &mut Report) -> Outcome {
        let copy = PrefixTable::build(routes.iter().copied(), self.extra, Seed::FIXED)?;
        let mut chosen = addresses(routes, u64::from(self.lookups) / 4, 0);
        chosen.retain(|address| copy.lookup(*address).probes >= 3);
        if chosen.is_empty() {
            report.note("no address takes three tries, so that a stranger has nothing to choose");
            return Ok(());
        }
        let measured = probes(&copy, &chosen);
        let claim =
            format!("tries of {} addresses that a stranger chose, fixed seed", chosen.len());
        report.at_least(claim, (3.0, ""), measured, 4);
        let keyed = PrefixTable::build(routes.iter().copied(), self.extra, Seed::keyed(secret()))?;
        let (predicted, deviation) = prediction(&keyed, &chosen);
        let claim = "tries of the same addresses, keyed filters";
        report.within(claim, predicted, 4.0 * deviation, probes(&keyed, &chosen), 4);
        Ok(())
    }
}

/// Half of them anywhere below a number, half of them inside routes.
fn addresses<A: Address>(routes: &Routes<A>, count: u64, below: u128) -> Vec<A> {
    let space = if A::BITS == 32 { 0 } else { 3 };
    let random = |number| {
        let [high, low] = [2 * number, 2 * number + 1].map(|half| u128::from(draw(half)));
        let bits = (high << 64 | low) >> space | below;
        bits >> (128 - u32::from(A::BITS))
    };
    let address = |number| {
        let any = random(number);
        let at = usize::try_from(draw(u64::MAX / 2 + number) >> 32).ok()? % routes.len().max(1);
        match routes.get(at) {
            Some((prefix, length, _)) if number % 2 == 1 => prefix.filled(*length, any),
            _ => A::from_number(any),
        }
    };
    (0..count).filter_map(address).collect()
}

/// Tries per lookup.
fn probes<A: Address>(table: &PrefixTable<A, u32>, addresses: &[A]) -> f64 {
    let probes = addresses.iter().map(|address| u64::from(table.lookup(*address).probes));
    probes.sum::<u64>() as f64 / addresses.len().max(1) as f64
}

/// What the formula says for these addresses, and its standard deviation.
///
/// A length is tried in vain with its filter's rate, if no longer length matched. The rate of a
/// blocked filter varies by 0.7/√lines, as the number of keys of its lines does. And addresses
/// with the same prefix are one trial.
fn prediction<A: Address>(table: &PrefixTable<A, u32>, addresses: &[A]) -> (f64, f64) {
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    let count = sorted.len().max(1) as f64;
    let found: Vec<_> = sorted.iter().map(|address| table.lookup(*address)).collect();
    let matched = found.iter().filter(|found| found.value.is_some()).count() as f64;
    let (mut mean, mut variance) = (matched / count, 0.0);
    for ((length, _, bits), rate) in table.lengths().zip(table.rates()) {
        let (mut tried, mut squares, mut run) = (0.0, 0.0, 0.0);
        for (at, (address, found)) in sorted.iter().zip(&found).enumerate() {
            let prefix = address.prefix(length);
            if at > 0 && sorted[at - 1].prefix(length) != prefix {
                squares += run * run;
                run = 0.0;
            }
            if found.value.is_none() || found.length < length {
                tried += 1.0;
                run += 1.0;
            }
        }
        squares += run * run;
        mean += rate * tried / count;
        variance += rate * squares / (count * count);
        variance += (rate * tried / count).powi(2) * 0.49 * 512.0 / bits as f64;
    }
    (mean, variance.sqrt())
}
