//! Web proxies that exchange filters or lists, and a real Squid.
//!
//! One client sends one request after the other, so that every run is the same: a proxy sends its
//! summary before it answers. A fetch by a peer does not count as a request there, so that what is
//! in the caches does not depend on the summaries, and runs can be compared.

pub(super) mod cache;
mod counts;
pub mod proxy;
pub mod squid;

use super::child::Child;
use super::http::Client;
use super::{NotRun, Outcome, Report, draw};
use crate::web_proxies::{Prediction, Setting, predict, zipf};
use anther::sizing::bloom;
use anther::{Classic, Filter, Key, Open, Seed};
use counts::Counts;
use proxy::page;
use std::error::Error;
use std::path::PathBuf;

const PEERS: u32 = 2;
const PROXIES: usize = PEERS as usize + 1;
/// Pages that an attacker makes.
const CRAFTED: usize = 1500;

/// Proxies that tell each other by filters which pages they have (Summary Cache), and Squid
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Pages of the site
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1000..=1_000_000))]
    pages: u32,
    /// Pages in a proxy's cache
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(100..=100_000))]
    room: u32,
    /// Requests that are measured, after as many as fill the caches
    #[arg(long, default_value_t = 9000, value_parser = clap::value_parser!(u32).range(1000..=1_000_000))]
    requests: u32,
    /// Bits per page in a summary
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(4..=32))]
    load: u64,
    /// Probes per page in a summary
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=8))]
    probes: u32,
    /// The program squid, if it is elsewhere
    #[arg(long, value_name = "PROGRAM")]
    squid: Option<PathBuf>,
    /// Leave Squid out
    #[arg(long)]
    without_squid: bool,
}

/// How proxies of one run tell each other what they have.
#[derive(Clone, Copy)]
struct Manner {
    threshold: f64,
    lists: bool,
    keyed: bool,
}

/// What one run came to.
struct Measured {
    counts: Counts,
    /// Pages that came from the site.
    from_site: u64,
    /// Peers asked in vain for the attacker's pages.
    fooled: u64,
}

impl Args {
    /// Runs proxies with lists and filters, then Squid.
    pub fn run(&self, report: &mut Report) -> Outcome {
        if self.room > self.pages / 2 {
            return Err("--room must be at most half of --pages; give fewer or more".into());
        }
        let chances = zipf(self.pages, 0.8);
        let (mut site, port) = Child::server("web-site", &[])?;
        let fpr = bloom::rate(self.load * u64::from(self.room), self.room.into(), self.probes);
        let setting =
            |threshold, fpr| Setting { peers: PEERS, room: self.room.into(), threshold, fpr };
        let exact = Manner { threshold: 0.01, lists: true, keyed: false };
        let lists = self.exchange(exact, &chances, (&mut site, port))?;
        let keyed = Manner { lists: false, keyed: true, ..exact };
        let fresh = self.exchange(keyed, &chances, (&mut site, port))?;
        let fixed = Manner { threshold: 0.1, keyed: false, ..keyed };
        let stale = self.exchange(fixed, &chances, (&mut site, port))?;

        for (name, measured, formula) in [
            ("lists, 1 % new", &lists, predict(&chances, setting(0.01, 0.0))),
            ("filters, 1 % new", &fresh, predict(&chances, setting(0.01, fpr))),
            ("filters, 10 % new", &stale, predict(&chances, setting(0.1, fpr))),
        ] {
            self.compare(name, measured, &formula, report);
        }
        self.exchanged(&lists.counts, &fresh.counts, fpr, report);
        let claim = format!("{CRAFTED} pages of an attacker, fixed seed: peers asked in vain");
        report.at_least(claim, (CRAFTED as f64, ""), stale.fooled as f64, 0);
        let fooled = usize::try_from(fresh.fooled)?;
        let lookups = CRAFTED * PEERS as usize;
        report.share("the same with a shared secret key, per lookup", fpr, fooled, lookups);
        if self.without_squid {
            return Ok(());
        }
        let program = self.squid.clone().or_else(squid::program).filter(|path| path.exists());
        let program = program.ok_or_else(|| {
            NotRun("Squid is missing; install squid, or name it with --squid".into())
        })?;
        squid::compare(&program, port, report)
    }

    /// Shares of requests beside the formula.
    fn compare(&self, name: &str, measured: &Measured, formula: &Prediction, report: &mut Report) {
        let requests = f64::from(self.requests);
        let Counts { local, remote, in_vain, .. } = measured.counts;
        let rows = [
            ("from the own cache", formula.local, local),
            ("from a peer", formula.remote, remote),
            ("from the site", 1.0 - formula.local - formula.remote, measured.from_site),
            ("peers asked in vain", formula.in_vain, in_vain),
        ];
        // The first run tells about the caches, but asks in vain too rarely to be counted; the others
        // differ in what they tell each other.
        let told = if name.starts_with("lists") { 0..3 } else { 1..4 };
        for (what, predicted, count) in rows[told].iter().copied() {
            // Five standard deviations, and 2 % for the formula: T is not quite the same for all.
            let bound = 5.0 * (predicted / requests).sqrt() + 0.02 * predicted;
            let claim = format!("{name}: {what}, per request");
            report.within(claim, predicted, bound, count as f64 / requests, 4);
        }
    }

    /// Filters beside lists: what they cost and what they miss.
    fn exchanged(&self, lists: &Counts, filters: &Counts, fpr: f64, report: &mut Report) {
        let claim = "misses saved by filters, those of lists among them";
        report.at_least(claim, (lists.remote as f64, ""), filters.remote as f64, 0);
        // Caches are the same in both runs, so that the difference is the filter's alone.
        let lookups = (lists.requests - lists.local) * u64::from(PEERS);
        let silent = lookups - lists.remote - lists.in_vain;
        let extra = filters.in_vain.saturating_sub(lists.in_vain);
        let [extra, silent] = [extra, silent].map(|count| usize::try_from(count).unwrap_or(0));
        report.share("false positives of filters, per lookup", fpr, extra, silent);
        let per_page = |counts: &Counts| {
            counts.update_bytes as f64 / counts.updates.max(1) as f64 / f64::from(self.room)
        };
        let urls: usize = (0..self.pages).map(|page| url(page as usize).len() + 1).sum();
        let mean = urls as f64 / f64::from(self.pages);
        report.within("bytes per page of a list", mean, 1.0, per_page(lists), 2);
        // Headers of HTTP and of the filter's file.
        let headers = 300.0 / f64::from(self.room);
        let bits = self.load as f64 / 8.0;
        report.within("bytes per page of a filter", bits, headers, per_page(filters), 2);
        report.note(format_args!(
            "{} updates: {:.2} MB of lists or {:.2} MB of filters",
            filters.updates,
            lists.update_bytes as f64 / 1e6,
            filters.update_bytes as f64 / 1e6
        ));
    }

    /// Runs three proxies: first until their caches are full, then measured.
    fn exchange(
        &self,
        manner: Manner,
        chances: &[f64],
        (site, port): (&mut Child, u16),
    ) -> Result<Measured, Box<dyn Error>> {
        let mut arguments: Vec<String> = Vec::new();
        for (name, value) in [
            ("site", port.to_string()),
            ("room", self.room.to_string()),
            ("load", self.load.to_string()),
            ("probes", self.probes.to_string()),
            ("threshold", manner.threshold.to_string()),
        ] {
            arguments.extend([format!("--{name}"), value]);
        }
        arguments.extend(manner.lists.then(|| "--lists".to_string()));
        arguments.extend(manner.keyed.then(|| "--keyed".to_string()));
        let mut proxies = Vec::new();
        for _ in 0..PROXIES {
            proxies.push(Child::server("web-proxy", &arguments)?);
        }
        let ports: Vec<u16> = proxies.iter().map(|(_, port)| *port).collect();
        let mut clients = Vec::new();
        for (proxy, own) in &mut proxies {
            let others = ports.iter().filter(|port| **port != *own).map(u16::to_string);
            proxy.ask(&others.collect::<Vec<_>>().join(" "))?;
            clients.push(Client::new(*own)?);
        }
        let sums = running_sums(chances);
        let mut counts = |proxies: &mut [(Child, u16)]| -> Result<(Counts, u64), Box<dyn Error>> {
            let mut sum = Counts::default();
            for (proxy, _) in proxies {
                let line = proxy.ask("counts")?;
                sum.add(&Counts::parse(&line).ok_or_else(|| format!("counts are {line:?}"))?);
            }
            Ok((sum, site.ask("count")?.parse()?))
        };
        let warm = u64::from(self.room) * PROXIES as u64 * 3;
        for number in 0..warm + u64::from(self.requests) {
            if number == warm {
                counts(&mut proxies)?;
            }
            let at = (draw(2 * number) >> 32) as usize % PROXIES;
            let url = url(drawn(&sums, draw(2 * number + 1)));
            if clients[at].get(&url)?.body != page(&url) {
                return Err(format!("a proxy has another page at {url}").into());
            }
        }
        let (measured, from_site) = counts(&mut proxies)?;
        if !manner.lists {
            attack(&mut clients)?;
        }
        let fooled = counts(&mut proxies)?.0.in_vain;
        Ok(Measured { counts: measured, from_site, fooled })
    }
}

/// The attacker gets the summary of the first proxy, as anybody gets Squid's, makes pages that it
/// promises if its seed is the fixed one, and asks another proxy for them.
fn attack(proxies: &mut [Client]) -> Outcome {
    let summary = proxies[0].get("/summary")?.body;
    let bits: Classic = Open::new().without_hashing().bytes(&summary)?;
    let crafted = (0_u64..)
        .map(|number| format!("http://attacker.example/{number}"))
        .filter(|url| bits.contains_hash(url.key_hash(&Seed::FIXED)));
    for url in crafted.take(CRAFTED) {
        proxies[1].get(&url)?;
    }
    Ok(())
}

/// The URL of a page, as long as many are.
fn url(page: usize) -> String {
    format!("http://pages.example/archive/{:016x}/{page}.html", draw(page as u64))
}

pub(super) fn running_sums(chances: &[f64]) -> Vec<f64> {
    let sums = chances.iter().scan(0.0, |sum, chance| {
        *sum += chance;
        Some(*sum)
    });
    sums.collect()
}

/// The page that a random number stands for.
pub(super) fn drawn(sums: &[f64], random: u64) -> usize {
    let uniform = (random >> 11) as f64 / (1_u64 << 53) as f64;
    sums.partition_point(|sum| *sum < uniform).min(sums.len() - 1)
}
