//! Safe Browsing in small: a browser with a filter, and a server in another process that confirms.

pub mod server;

use super::{Outcome, Report, draw, secret_key};
use crate::safe_browsing::{FullHash, Guard, Local, PrefixSet, full_hash, prefix_number, requests};
use anther::{Classic, Options, Planned, Ribbon, Seed, Target};
use server::{Server, Traffic, hashes};
use std::collections::HashSet;
use std::error::Error;
use std::f64::consts::LOG2_E;
use std::path::PathBuf;

/// One page in this many is listed.
const EVERY: u64 = 1000;
/// Pages that an attacker makes.
const CRAFTED: usize = 100;
/// Browsers with a key each that open them, and the URLs of their lists: enough browsers and few
/// enough URLs that twice the rate would be noticed in seconds.
const BROWSERS: u64 = 1000;
const SHORT: usize = 1000;

/// A blocklist in the browser as a filter, confirmed by a server that does not learn the URL
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Listed URLs, one per line [default: 536,870 of them, made up: 2^32 / 8000]
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// False-positive rate of the local filter
    #[arg(long, default_value_t = 0.001, value_parser = super::rate)]
    fpr: f64,
    /// Pages that are visited, every thousandth of them listed
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1000..=10_000_000))]
    pages: u64,
}

impl Args {
    /// Visits pages with a filter and with a prefix set.
    pub fn run(&self, report: &mut Report) -> Outcome {
        let list = match &self.list {
            Some(path) => std::fs::read_to_string(path)
                .map_err(|error| format!("{}: {error}", path.display()))?,
            None => (0..(1_u64 << 32) / 8000).map(listed_url).collect::<Vec<_>>().join("\n"),
        };
        let urls: Vec<&str> = list.lines().collect();
        let name = self.list.as_ref().map_or("the list".into(), |path| path.display().to_string());
        let listed = hashes(urls.iter().copied()).map_err(|error| format!("{name}: {error}"))?;
        let mut server = Server::start(&list)?;
        let seed = Seed::keyed(secret_key(0).to_le_bytes());
        let filter = Local::filter(&listed, self.fpr, seed)?;
        let name = format!("ribbon filter at {}", self.fpr);
        self.visit(&name, Guard::new(filter), self.fpr, &urls, &mut server, report)?;
        let prefixes = Local::prefixes(&listed);
        let fpr = listed.len() as f64 / 2_f64.powi(32);
        self.visit("prefix set", Guard::new(prefixes), fpr, &urls, &mut server, report)?;
        self.attack(&listed, &mut server, report)?;
        sizes(&listed, report)
    }

    fn visit(
        &self,
        name: &str,
        mut guard: Guard,
        fpr: f64,
        urls: &[&str],
        server: &mut Server,
        report: &mut Report,
    ) -> Outcome {
        let (mut found, mut wrong, mut listed, mut length) = (0, 0, 0, 0);
        // Those of a short list come several times, and are asked for once.
        let mut different = HashSet::new();
        for round in 0..2 {
            for number in 0..self.pages {
                let is_listed = number.is_multiple_of(EVERY);
                let url = if is_listed {
                    let at = draw(number) % urls.len() as u64;
                    different.insert(at);
                    respelled(urls[usize::try_from(at)?])
                } else {
                    format!("https://site{}.example/{:x}", draw(number) % 5000, draw(number))
                };
                let says = guard.is_listed(&url, &mut |prefix| server.ask(prefix))?;
                if round == 0 {
                    listed += u64::from(is_listed);
                    found += u64::from(is_listed && says);
                    wrong += u64::from(says && !is_listed);
                    length += url.len() as u64;
                }
            }
            if round == 1 {
                let asked = server.requests;
                report.claim(format_args!("{name}: the same pages again"), 0, asked, asked == 0);
                continue;
            }
            report.claim(
                format_args!("{name}: listed pages blocked, in another spelling; others blocked"),
                format_args!("{listed}, 0"),
                format_args!("{found}, {wrong}"),
                found == listed && wrong == 0,
            );
            let predicted = requests(self.pages - listed, 0, fpr) + different.len() as f64;
            let bound = 5.0 * (self.pages as f64 * fpr).sqrt() + 1.0;
            let asked = server.requests;
            report.within(format_args!("{name}: requests"), predicted, bound, asked as f64, 0);
            let Traffic { sent, received, targets } = server.traffic()?;
            let is_prefix = |target: &&String| target.len() == "/hashes/".len() + 8;
            let prefixes = targets.iter().filter(is_prefix).count();
            report.claim(
                format_args!("{name}: requests in which the server saw only 4 bytes of a hash"),
                "all",
                format_args!("{prefixes} of {}", targets.len()),
                prefixes == targets.len() && targets.len() as u64 == asked,
            );
            report.note(format_args!(
                "{name}: {sent} bytes sent and {received} received; to send every URL takes {length}"
            ));
        }
        server.traffic().map(drop)
    }

    /// The attacker knows the list, builds the filter that everybody has, and makes pages that it
    /// accepts. Then others visit them.
    fn attack(&self, listed: &[FullHash], server: &mut Server, report: &mut Report) -> Outcome {
        let listed = &listed[..listed.len().min(SHORT)];
        let guess = Local::filter(listed, self.fpr, Seed::FIXED)?;
        let mut crafted = Vec::new();
        for url in (0_u64..).map(|number| format!("http://attacker.example/{number}")) {
            if guess.contains(&full_hash(&url)?) {
                crafted.push(url);
            }
            if crafted.len() == CRAFTED {
                break;
            }
        }
        let mut asked = |seed| -> Result<usize, Box<dyn Error>> {
            let mut guard = Guard::new(Local::filter(listed, self.fpr, seed)?);
            for url in &crafted {
                guard.is_listed(url, &mut |prefix| server.ask(prefix))?;
            }
            let asked = server.requests;
            server.traffic()?;
            Ok(usize::try_from(asked)?)
        };
        let fixed = asked(Seed::FIXED)?;
        report.claim(
            format_args!(
                "{CRAFTED} pages of an attacker, a list of {}, browser with the fixed seed: requests",
                listed.len()
            ),
            CRAFTED,
            fixed,
            fixed == CRAFTED,
        );
        let mut keyed = 0;
        for browser in 0..BROWSERS {
            keyed += asked(Seed::keyed(secret_key(1 + browser).to_le_bytes()))?;
        }
        let claim =
            format!("the same pages, {BROWSERS} browsers with a key each: requests per page");
        report.share(claim, self.fpr, keyed, CRAFTED * usize::try_from(BROWSERS)?);
        Ok(())
    }
}

/// What the list takes in each form, at the rate of the prefix set.
fn sizes(listed: &[FullHash], report: &mut Report) -> Outcome {
    if listed.len() < 100_000 {
        report.note("sizes per key say little about a list of less than 100,000 URLs");
        return Ok(());
    }
    let set = PrefixSet::new(listed.iter().map(prefix_number).collect());
    let fpr = set.fpr();
    let trials = 2_000_000;
    let found = (0..trials).filter(|number| set.contains((draw(*number) >> 32) as u32)).count();
    report.share("prefix set: false-positive rate", fpr, found, usize::try_from(trials)?);
    let items = listed.len() as f64;
    let per_key = |bits: u64| bits as f64 / items;
    report.within("prefix set: bits per key", set.expected_bits(), 0.1, per_key(set.bits()), 2);
    let target = Target::new(listed.len() as u64, fpr)?;
    let options = Options::default();
    let (classic, ribbon) = (Classic::plan(target, &options)?, Ribbon::plan(target, &options)?);
    let shannon = -fpr.log2();
    report.within(
        "Bloom filter of that rate: bits per key",
        LOG2_E * shannon,
        0.1,
        per_key(classic.bits),
        2,
    );
    report.within(
        "ribbon filter of that rate: bits per key",
        shannon,
        0.5,
        per_key(ribbon.bits),
        2,
    );
    Ok(())
}

/// The URL number `number` of the list.
fn listed_url(number: u64) -> String {
    format!("http://bad{}.example/~user/{:x}?id={number}", number % 9973, draw(number))
}

/// Another spelling of a URL: letter case, default port, dot segments, escapes, a fragment.
fn respelled(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_string() };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let port = match scheme {
        _ if host.contains([':', '@']) => return url.to_string(),
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let up = if path.starts_with('/') { "/x/.." } else { "" };
    let fragment = if path.contains('#') { "" } else { "#top" };
    let (scheme, host) = (scheme.to_uppercase(), host.to_uppercase());
    format!("{scheme}://{host}{port}{up}{}{fragment}", path.replace('~', "%7E"))
}
