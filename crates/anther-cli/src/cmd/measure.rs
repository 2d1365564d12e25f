//! `measure`: what a filter does beside what it promises. It is the reliability test of Peyer and
//! Obrist (2019), judged by exact comparison and with an interval: their ratio alone does not say
//! whether 1.1 % of so many values breaks a promise of 1 %.

mod ask;
mod report;

use crate::exit::{Exit, Outcome, Stop};
use crate::file;
use crate::input::Source;
use crate::output::{self, Out};
use crate::recipe::RecipeArgs;
use crate::secret::KeyArgs;
use crate::units;
use crate::warning::Warning;
use anther::{AnyFilter, Filter};
use ask::{Judge, Lists};
use report::{Measured, Report, Tests, Verdict};
use std::path::PathBuf;

const ABOUT: &str = "\
Measures a filter: how many of its own keys it misses, how many others it waves
through, and whether that is what it promises.

Examples:
  anther measure words.anther --members words.txt --absent others.txt
  anther measure words.anther --members words.txt --probe mixed.txt
  anther measure words.anther --random 1M               no list at hand
  anther measure words.anther --members words.txt       only: is any word missed?

A filter is broken when a key that is in is answered no, or when the rate that was
measured is above the promise by more than chance: the lower end of its interval, that
of Clopper and Pearson, is above it. At the usual confidence of 99 % chance alone does
that to one filter in 200 of those whose rate is the promised one exactly.

The promise is the rate that the filter was made for. One of few keys may be above it
by chance, and its cells show that; up to so much is allowed. Without a target, made
from a shape, the cells' own rate counts. A filter that holds more than it was made for
is measured by the same promise.

Keys are compared by 64-bit hashes, which take 8 bytes each of --memory; two keys with
one hash are one key to every filter as well. Keys that come twice are asked once.
Keys of --absent that are members are not counted. Random keys have 16 bytes, two
draws of SplitMix64 begun at --random-seed, little-endian, and are taken as they are.

Two kinds may forget: stable and generalized. They are broken when they forget more of
the members than they promise of keys as old as those they were made for: name the
latest of a stream. Of longer lists stable promises nothing.

Reliability is the share of test values that were answered rightly, in per cent. With
--probe, precision is the share of members among the positives. It depends on how many
of the test values are members, so it says as much of the list as of the filter.";

const EXIT_CODES: &str = "Exit codes: 0 the promise holds; 1 broken; 2 error.";

/// Measure a filter's errors and compare them with its promise
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The filter
    file: PathBuf,
    /// Keys that are in; again for more lists, `-` is standard input
    #[arg(long, value_name = "F")]
    members: Vec<PathBuf>,
    /// Keys that are not in
    #[arg(long, value_name = "F", conflicts_with_all = ["probe", "random"])]
    absent: Vec<PathBuf>,
    /// Keys of both sorts, to be told apart by --members
    #[arg(long, value_name = "F", requires = "members", conflicts_with = "random")]
    probe: Vec<PathBuf>,
    /// So many random keys, which are not in
    #[arg(long, value_name = "N", value_parser = parse_some)]
    #[arg(allow_negative_numbers = true)]
    random: Option<u64>,
    /// Where random keys begin; the same number gives the same keys
    #[arg(long, value_name = "N", requires = "random", default_value = "0")]
    #[arg(hide_short_help = true, allow_negative_numbers = true)]
    random_seed: u64,
    /// Of the intervals, and so of the verdict
    #[arg(long, value_name = "RATE", default_value = "99%", value_parser = parse_confidence)]
    #[arg(hide_short_help = true, allow_negative_numbers = true)]
    confidence: f64,
    /// How much memory the hashes may take
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = units::parse_bytes)]
    #[arg(hide_short_help = true)]
    memory: u64,
    /// Print nothing; the exit code tells
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

fn parse_some(text: &str) -> Result<u64, String> {
    match units::parse_count(text)? {
        0 => Err("at least one random key is needed".to_string()),
        some => Ok(some),
    }
}

fn parse_confidence(text: &str) -> Result<f64, String> {
    let confidence = units::parse_rate(text)?;
    // Nearer to 1 its distance from 1 has no digits left.
    match (0.5..=1.0 - 1e-12).contains(&confidence) {
        true => Ok(confidence),
        false => Err("a confidence is between 50% and 100%, such as 95% or 99.9%".to_string()),
    }
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let [members, absent, probe] =
            [("--members", &self.members), ("--absent", &self.absent), ("--probe", &self.probe)]
                .map(|(option, paths)| List::new(option, paths));
        self.check(&[&members, &absent, &probe])?;
        let filter = file::open(&self.file, self.key.open(&self.file)?)?;
        let own = filter.about().recipe.as_ref();
        let recipe = self.recipe.recipe_for(self.file.display(), own)?;
        let (memory, quiet) = (self.memory, self.quiet);
        let lists = Lists { recipe: &recipe, seed: *filter.seed(), memory, quiet };

        let known = members.read(&lists, 0)?;
        let judge = Judge { filter: &filter, members: &known };
        let tests = match (self.random, absent.is_given(), probe.is_given()) {
            (Some(count), ..) => Some((false, judge.random(count, self.random_seed))),
            (None, true, _) => Some((false, judge.list(&absent.read(&lists, known.len())?))),
            (None, _, true) => Some((true, judge.list(&probe.read(&lists, known.len())?))),
            (None, false, false) => None,
        };
        let tests = tests.map(|(mixed, outcomes)| Tests { mixed, outcomes });
        if let Some(tests) = &tests
            && tests.outcomes.absent() == 0
        {
            let all = units::count(tests.outcomes.present());
            let option = if tests.mixed { "--probe" } else { "--absent" };
            return Err(Stop::about(
                option,
                format_args!(
                    "all {all} keys are members, so no false positive can show; \
                     add keys that are not, or use --random 100k"
                ),
            ));
        }
        let asked = members.is_given().then(|| judge.list(&known));
        self.report(&filter, &Measured { members: asked, tests, confidence: self.confidence })
    }

    /// Finds what is wrong before anything is read.
    fn check(&self, lists: &[&List]) -> Result<(), Stop> {
        if self.random.is_none() && !lists.iter().any(|list| list.is_given()) {
            return Err(Stop::Error(
                "nothing to measure with: name keys that are in (--members F), keys that are not \
                 (--absent F), or a number of random ones (--random 100k)"
                    .to_string(),
            ));
        }
        let sources = || lists.iter().flat_map(|list| &list.sources);
        if sources().filter(|source| matches!(source, Source::Stdin)).count() > 1 {
            let cause = "can be read once; name files for the other lists";
            return Err(Stop::about("standard input", cause));
        }
        sources().try_for_each(Source::check)?;
        if !self.quiet && sources().any(Source::is_typed) {
            output::complain("reading keys from the terminal, one a line; end with Ctrl-D");
        }
        Ok(())
    }

    fn report(&self, filter: &AnyFilter, measured: &Measured) -> Outcome {
        let profile = filter.profile();
        let set_aside = match &measured.tests {
            Some(tests) if !tests.mixed => tests.outcomes.present(),
            _ => 0,
        };
        let report = Report::new(&self.file, filter, &profile, measured, set_aside);
        if !self.quiet {
            let mut out = Out::stdout();
            if self.json {
                out.json(&report)?;
            } else {
                out.line(format_args!("{}", self.file.display()))?;
                for (name, words) in report.rows() {
                    out.line(format_args!("  {name:<16} {words}"))?;
                }
            }
            out.finish()?;
            if let Some(warning) = Warning::of(&profile) {
                warning.say(&self.file);
            }
            if set_aside > 0 {
                Warning::MembersAmongAbsent(set_aside).say(&self.file);
            }
            if let Some(wanted) = report.wanted_test_values() {
                Warning::FewTestValues { asked: report.absent(), wanted }.say(&self.file);
            }
        }
        Ok(match report.verdict() {
            Verdict::Holds => Exit::Success,
            Verdict::Broken => Exit::Nothing,
        })
    }
}

/// The inputs of an option.
struct List {
    option: &'static str,
    sources: Vec<Source>,
}

impl List {
    fn new(option: &'static str, paths: &[PathBuf]) -> List {
        // No path is standard input elsewhere, and nothing here.
        let sources = if paths.is_empty() { Vec::new() } else { Source::all(paths) };
        List { option, sources }
    }

    fn is_given(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Its keys, of which there must be some if it was given.
    fn read(&self, lists: &Lists<'_>, held: usize) -> Result<Vec<anther::KeyHash>, Stop> {
        if !self.is_given() {
            return Ok(Vec::new());
        }
        let keys = lists.read(&self.sources, held)?;
        if keys.is_empty() {
            let names: Vec<_> = self.sources.iter().map(Source::name).collect();
            let cause = format!("{} holds no key; name a list with some", names.join(", "));
            return Err(Stop::about(self.option, cause));
        }
        Ok(keys)
    }
}
