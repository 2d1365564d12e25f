//! A browser's cache that stores everything, and one that stores what is asked for twice, on the same
//! requests.

use super::web_proxies::cache::Cache;
use super::web_proxies::{drawn, running_sums};
use super::{Outcome, Report, draw};
use crate::browser_cache::{Admission, Prediction, predict, predict_plain, wrongly_admitted};
use crate::web_proxies::zipf;
use anther::Seed;
use std::collections::HashSet;
use std::mem;

/// A browser's cache that stores only what is asked for a second time
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Pages of the web, requested by Zipf's law
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    pages: u32,
    /// Pages in the cache
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    room: u32,
    /// Requests that the filters remember at least
    #[arg(long, default_value_t = 8000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    period: u32,
    /// Requests that are measured, after half as many that fill the cache
    #[arg(long, default_value_t = 200_000, value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    requests: u32,
    /// False-positive rate of each filter
    #[arg(long, default_value_t = 0.01, value_parser = super::rate)]
    fpr: f64,
}

/// What happened in the measured requests.
#[derive(Default)]
struct Counts {
    hits: usize,
    writes: usize,
    /// Requests that are not remembered, and how many of them the filters admit.
    forgotten: usize,
    wrong: usize,
}

impl Args {
    /// Runs both caches on the same requests.
    pub fn run(&self, report: &mut Report) -> Outcome {
        if self.room > self.pages / 2 {
            return Err("--room must be at most half of --pages; give fewer or more".into());
        }
        let chances = zipf(self.pages, 0.8);
        let admission = Admission::new(self.period.into(), self.fpr, Seed::FIXED)?;
        let (shape, bytes) = (admission.shape(), admission.bytes());
        let plain = self.replay(&chances, None);
        let twice = self.replay(&chances, Some(admission));
        let fpr = wrongly_admitted(&chances, self.period.into(), shape);
        let room = f64::from(self.room);
        let formula = predict(&chances, room, self.period.into(), fpr);
        self.compare("every page stored", &plain, predict_plain(&chances, room), report);
        self.compare("stored when asked for twice", &twice, formula, report);
        report.share(
            "false positives, of requests not remembered",
            fpr,
            twice.wrong,
            twice.forgotten,
        );
        // Both counts deviate as those above: of the share of writes that is left, 2 % each for the
        // formula, and five standard deviations of both together.
        let left = formula.writes / predict_plain(&chances, room).writes;
        let counted = (1.0 / twice.writes.max(1) as f64 + 1.0 / plain.writes.max(1) as f64).sqrt();
        let bound = left * (5.0 * counted + 0.04);
        let saved = 1.0 - twice.writes as f64 / plain.writes as f64;
        report.within("writes saved", 1.0 - left, bound, saved, 3);
        report.note(format_args!("both filters together have {bytes} bytes"));
        Ok(())
    }

    fn compare(&self, name: &str, counts: &Counts, formula: Prediction, report: &mut Report) {
        let requests = f64::from(self.requests);
        for (what, predicted, count) in
            [("hits", formula.hits, counts.hits), ("writes", formula.writes, counts.writes)]
        {
            // Five standard deviations, and 2 % for the formula: T is not quite the same for all.
            let bound = 5.0 * (predicted / requests).sqrt() + 0.02 * predicted;
            let claim = format!("{name}: {what} per request");
            report.within(claim, predicted, bound, count as f64 / requests, 4);
        }
    }

    fn replay(&self, chances: &[f64], mut admission: Option<Admission>) -> Counts {
        let sums = running_sums(chances);
        let mut cache = Cache::new(self.room as usize);
        let mut counts = Counts::default();
        // What two exact filters would have.
        let (mut current, mut previous) = (HashSet::new(), HashSet::new());
        let warm = self.requests / 2;
        for number in 0..warm + self.requests {
            if number == warm {
                counts = Counts::default();
            }
            let page = drawn(&sums, draw(number.into()));
            let url = format!("http://{page}.example/");
            let admits = admission.as_mut().is_none_or(|admission| admission.admits(&url));
            if current.insert(page) && !previous.contains(&page) {
                counts.forgotten += 1;
                counts.wrong += usize::from(admits);
            }
            if (number + 1).is_multiple_of(self.period) {
                previous = mem::take(&mut current);
            }
            if cache.request(&url).is_some() {
                counts.hits += 1;
            } else if admits {
                cache.insert(&url, Vec::new());
                counts.writes += 1;
            }
        }
        counts
    }
}
