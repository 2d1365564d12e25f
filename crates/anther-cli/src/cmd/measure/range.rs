//! `measure` of a range filter: every key and every range around one is found, and empty ranges are
//! answered maybe no more often than the target says, anywhere and next to keys.

use super::Args;
use super::report::Verdict;
use crate::exit::{Exit, Outcome, Stop};
use crate::input::Input;
use crate::output::{self, Out};
use crate::{ordered, units};
use anther::recipe::Recipe;
use anther::sizing::binomial;
use anther::{Key, Range, Seed};
use serde::Serialize;

/// How many ranges are looked up without `--random`.
const RANGES: u64 = 100_000;
/// Draws for each empty range: among dense keys few ranges are empty.
const DRAWS: u64 = 20;

/// The report. The names of its fields are API; tests pin them.
#[derive(Debug, Serialize)]
struct Report {
    file: String,
    kind: &'static str,
    /// Distinct members that were looked up.
    members: u64,
    /// Members, and ranges around members, that were answered no.
    false_negatives: u64,
    /// The length of the ranges, in steps.
    span: u64,
    fpr_target: f64,
    /// What ℓ·n/r is at most.
    fpr_now: f64,
    confidence: f64,
    /// Empty ranges anywhere between the least and the largest key.
    anywhere: Share,
    /// Empty ranges that begin just behind a key.
    next_to_keys: Share,
    verdict: Verdict,
}

/// The share of empty ranges that were answered maybe.
#[derive(Clone, Copy, Debug, Serialize)]
struct Share {
    ranges: u64,
    false_positives: u64,
    /// Null if no range was empty.
    fpr_measured: Option<f64>,
    fpr_low: Option<f64>,
    fpr_high: Option<f64>,
}

impl Share {
    fn new(ranges: u64, false_positives: u64, confidence: f64) -> Share {
        let interval = binomial::interval(false_positives, ranges, confidence);
        Share {
            ranges,
            false_positives,
            fpr_measured: (ranges > 0).then(|| false_positives as f64 / ranges as f64),
            fpr_low: interval.map(|interval| interval.low),
            fpr_high: interval.map(|interval| interval.high),
        }
    }

    fn in_words(&self) -> String {
        let Some(rate) = self.fpr_measured else {
            return "no range of this length is empty".to_string();
        };
        let ends = [self.fpr_low, self.fpr_high].map(|end| units::rate(end.unwrap_or(rate)));
        format!(
            "{} of {} empty ranges, {} ({} to {})",
            units::count(self.false_positives),
            units::count(self.ranges),
            units::rate(rate),
            ends[0],
            ends[1]
        )
    }
}

impl Args {
    /// Measures a range filter.
    pub(super) fn run_range(&self, filter: &Range, members: &[Input]) -> Outcome {
        for (option, given) in
            [("--absent", !self.absent.is_empty()), ("--probe", !self.probe.is_empty())]
        {
            if given {
                let cause = "a range filter is measured with random ranges; give --members, and their \
                             number with --random";
                return Err(Stop::about(option, cause));
            }
        }
        if members.is_empty() {
            let cause =
                "which ranges are empty is only known from all keys; give them with --members";
            return Err(Stop::about("--random", cause));
        }
        let default = Recipe { rule: filter.rule(), ..Recipe::default() };
        let own = filter.about().recipe.as_ref().unwrap_or(&default);
        let how = self.recipe.extraction_for(output::shown(&self.file), Some(own))?;
        let (mut keys, mut off_scale) = (Vec::new(), 0_u64);
        let read = ordered::each(members, &how, self.quiet, None, |source, more| {
            if (keys.len() + more.len()) as u64 > self.memory / 8 {
                let memory = units::size(self.memory);
                let cause = format!("the keys need more than {memory} of memory; raise --memory");
                return Err(Stop::about(source.name(), cause));
            }
            for key in more {
                match filter.scale().clamped(*key, *key) {
                    Some((key, _)) => keys.push(key),
                    None => off_scale += 1,
                }
            }
            Ok(())
        })?;
        keys.sort_unstable();
        keys.dedup();
        let (Some(&least), Some(&most)) = (keys.first(), keys.last()) else {
            let names: Vec<_> = members.iter().map(Input::name).collect();
            let cause = format!("{} has no keys; name a list that has some", names.join(", "));
            return Err(Stop::about("--members", cause));
        };
        let wanted = self.random.unwrap_or(RANGES);
        let beyond = filter.span() - 1;
        let share = |start: &dyn Fn(u64) -> u64| self.share(filter, &keys, wanted, start);
        let draw = |number: u64| number.key_hash(&Seed::chosen(self.random_seed)).0;
        let width = u128::from(most - least) + 1;
        let anywhere = share(&|number| least + ((u128::from(draw(number)) * width) >> 64) as u64);
        #[expect(clippy::cast_possible_truncation, reason = "below the length")]
        let next_to_keys = share(&|number| {
            let at = ((u128::from(draw(number)) * keys.len() as u128) >> 64) as usize;
            keys[at].saturating_add(1 + draw(!number) % 16)
        });
        let missed = |key: &&u64| {
            let (first, last) =
                (key.saturating_sub(beyond / 2), key.saturating_add(beyond.div_ceil(2)));
            !filter.contains(**key) || filter.contains_any(first..=last) == Ok(false)
        };
        let false_negatives = keys.iter().filter(missed).count() as u64 + off_scale;
        let profile = filter.profile();
        let is_over = |share: &Share| share.fpr_low.is_some_and(|low| low > profile.target);
        let broken = false_negatives > 0 || is_over(&anywhere) || is_over(&next_to_keys);
        let report = Report {
            file: self.file.to_string_lossy().into_owned(),
            kind: "range",
            members: keys.len() as u64 + off_scale,
            false_negatives,
            span: filter.span(),
            fpr_target: profile.target,
            fpr_now: profile.fpr_now,
            confidence: self.confidence,
            anywhere,
            next_to_keys,
            verdict: if broken { Verdict::Broken } else { Verdict::Holds },
        };
        if !self.quiet {
            read.say_left_out();
            self.print_range(&report)?;
        }
        Ok(if broken { Exit::Nothing } else { Exit::Success })
    }

    fn print_range(&self, report: &Report) -> Result<(), Stop> {
        let mut out = Out::stdout();
        if self.json {
            out.json(report)?;
            return out.finish();
        }
        out.line(format_args!("{}", output::shown(&self.file)))?;
        let verdict = match report.verdict {
            Verdict::Holds => "holds",
            Verdict::Broken => "broken",
        };
        let negatives = format!(
            "{} of {} keys and the ranges around them",
            units::count(report.false_negatives),
            units::count(report.members)
        );
        for (name, words) in [
            ("verdict", verdict.to_string()),
            ("false negatives", negatives),
            (
                "target",
                format!(
                    "{} for ranges of {}",
                    units::rate(report.fpr_target),
                    units::count(report.span)
                ),
            ),
            ("anywhere", report.anywhere.in_words()),
            ("next to keys", report.next_to_keys.in_words()),
        ] {
            out.row(name, 16, &words)?;
        }
        out.finish()
    }

    /// Looks up empty ranges of the span, at these starts.
    fn share(
        &self,
        filter: &Range,
        keys: &[u64],
        wanted: u64,
        start: &dyn Fn(u64) -> u64,
    ) -> Share {
        let (mut ranges, mut wrong) = (0, 0);
        for number in 0..wanted.saturating_mul(DRAWS) {
            let first = start(number);
            let Some(last) = first.checked_add(filter.span() - 1) else { continue };
            let next = keys.partition_point(|key| *key < first);
            if keys.get(next).is_some_and(|key| *key <= last) {
                continue;
            }
            ranges += 1;
            wrong += u64::from(filter.contains_any(first..=last) == Ok(true));
            if ranges == wanted {
                break;
            }
        }
        Share::new(ranges, wrong, self.confidence)
    }
}
