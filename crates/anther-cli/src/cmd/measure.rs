//! `measure`: a filter's errors against its target. It is the reliability test of Peyer and Obrist
//! (2019), judged by exact comparison and with an interval: their ratio alone does not say whether
//! 1.1 % false positives miss a target of 1 %.

mod judge;
mod range;
mod report;

use crate::either_filter::EitherFilter;
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::foreign_description::{self, ForeignDescription};
use crate::foreign_file::{Contents, ForeignArgs};
use crate::input::Input;
use crate::output::{self, Out};
use crate::recipe_args::RecipeArgs;
use crate::secret_key::KeyArgs;
use crate::units;
use crate::warning::Warning;
use anther::any::AnyFile;
use anther::{Filter, KeyHash};
use clap::ArgGroup;
use judge::{Judge, KeyList, Lists};
use report::{Measured, Promise, Report, Tests, Verdict};
use std::path::PathBuf;

const ABOUT: &str = "\
Measures a filter's false negatives and false positives, and compares them with its
target.

Examples:
  anther measure words.anther --members words.txt --absent others.txt
  anther measure words.anther --members words.txt --probe mixed.txt
  anther measure words.anther --random 1M               without a list
  anther measure words.anther --members words.txt       false negatives only

The verdict is broken if the filter has a false negative, or if its measured
false-positive rate (FPR) is above the target by more than chance: the lower end of the
Clopper-Pearson interval is above it. At the default confidence of 99 %, chance alone
breaks one in 200 of the filters whose FPR is exactly the target.

The target is the FPR that the filter was made for. A small filter may exceed it by
chance; the FPR computed from its cells shows by how much, and that is allowed. A filter made
from a number of bits and probes has no target; the FPR computed from its cells counts
instead. A filter with more keys than it was made for keeps its target.

Filters of other systems often store no target; then the FPR computed from their cells counts, and
5 % more plus 2 in the number of bits, since they make all probes from two hashes.

Keys are compared by their 64-bit hashes, which take 8 bytes each of --memory. Repeated
keys count once. Members in the --absent list are not counted. Random keys have 16 bytes:
two consecutive SplitMix64 outputs, little-endian, seeded with --random-seed.

Where entries of a list stand for what is below them, keys are looked up as check does, with
what they are below. A test key that is below a member counts as a member.

aging, stable and generalized forget old keys. Their verdict is broken if they miss more
of the --members than they promise, which is none for aging; give the latest keys of the
stream, at most as many as the filter was made for.

A range filter is measured with its keys (--members) and random empty ranges of its span:
100,000 anywhere between its keys, and as many just behind a key; --random N changes that.

Reliability is the share of test keys that were answered correctly, in per cent. With
--probe, precision is the share of members among the positives. It depends on how many
of the test keys are members, so it says as much about the list as about the filter.";

const EXIT_CODES: &str = "Exit codes: 0 the target holds; 1 broken; 2 error.";

/// Measure a filter's errors and compare them with its target
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
#[command(group = ArgGroup::new("tests").args(["absent", "probe", "random"]).multiple(true))]
pub struct Args {
    /// The filter; `-` is standard input
    file: PathBuf,
    /// List of keys that are in the set; repeatable, `-` is standard input
    #[arg(long, value_name = "F")]
    members: Vec<PathBuf>,
    /// List of keys that are not in the set
    #[arg(long, value_name = "F", conflicts_with_all = ["probe", "random"])]
    absent: Vec<PathBuf>,
    /// List of present and absent keys; --members tells which are present
    #[arg(long, value_name = "F", requires = "members", conflicts_with = "random")]
    probe: Vec<PathBuf>,
    /// Test with N random keys, which are not in the set
    #[arg(long, value_name = "N", value_parser = parse_some)]
    #[arg(allow_hyphen_values = true)]
    random: Option<u64>,
    /// Seed of the random keys; the same seed gives the same keys
    #[arg(long, value_name = "N", requires = "random", default_value = "0")]
    #[arg(hide_short_help = true, allow_hyphen_values = true, value_parser = units::parse_count)]
    random_seed: u64,
    /// Confidence of the intervals and of the verdict
    #[arg(long, value_name = "RATE", default_value = "99%", value_parser = parse_confidence)]
    #[arg(hide_short_help = true, allow_hyphen_values = true, requires = "tests")]
    confidence: f64,
    /// Memory for the hashes
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = units::parse_bytes)]
    #[arg(allow_hyphen_values = true, hide_short_help = true)]
    memory: u64,
    /// Print nothing; only set the exit code
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
    #[command(flatten)]
    foreign: ForeignArgs,
}

fn parse_some(text: &str) -> Result<u64, String> {
    match units::parse_count(text)? {
        0 => Err("must be 1 or more".to_string()),
        some => Ok(some),
    }
}

fn parse_confidence(text: &str) -> Result<f64, String> {
    let confidence = units::parse_rate(text)?;
    // Nearer to 1, the difference from 1 loses its digits.
    match (0.5..=1.0 - 1e-12).contains(&confidence) {
        true => Ok(confidence),
        false => Err("must be between 50% and 100%, such as 95% or 99.9%".to_string()),
    }
}

impl Args {
    /// The option that makes no sense with `--quiet`, if it was given.
    pub fn conflict_with_quiet(&self) -> Option<&'static str> {
        self.json.then_some("--json")
    }

    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let [members, absent, probe] =
            [("--members", &self.members), ("--absent", &self.absent), ("--probe", &self.probe)]
                .map(|(option, paths)| List::new(option, paths));
        self.check(&[&members, &absent, &probe])?;
        let inputs: Vec<Input> =
            [&members, &absent, &probe].iter().flat_map(|list| list.sources.clone()).collect();
        filter_file::check_stdin(&[&self.file], &inputs)?;
        let opened = self.foreign.open(&self.file, self.key.open(&self.file)?)?;
        let filter = match opened.contents {
            Contents::Own(AnyFile::Filter(filter)) => EitherFilter::Own(Box::new(filter)),
            Contents::Own(AnyFile::Range(range)) => {
                return self.run_range(&range, &members.sources);
            }
            Contents::Foreign(file) => {
                self.key.refuse_for_foreign(&self.file)?;
                EitherFilter::Foreign(self.foreign.choose(&self.file, file)?)
            }
        };
        let how = filter.extraction(&self.file, &self.recipe)?;
        let (memory, quiet) = (self.memory, self.quiet);
        let lists = Lists { how: &how, filter: &filter, memory, quiet };
        for list in [&members, &absent, &probe] {
            lists.reading(&list.sources).check()?;
        }

        let known = members.read(&lists, None)?;
        let judge = Judge { filter: &filter, members: &known.keys };
        let tests = match (self.random, absent.is_given(), probe.is_given()) {
            (Some(count), ..) => Some((false, judge.random(count, self.random_seed))),
            (None, true, _) => Some((false, judge.list(&absent.read(&lists, Some(&known.keys))?))),
            (None, _, true) => Some((true, judge.list(&probe.read(&lists, Some(&known.keys))?))),
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
                    "all {all} keys are members, so false positives cannot be measured; \
                     add absent keys, or use --random 100k"
                ),
            ));
        }
        let own = members.is_given().then(|| judge.list(&known));
        let measured = Measured { members: own, tests, confidence: self.confidence };
        match &filter {
            EitherFilter::Own(filter) => {
                let profile = filter.profile();
                let promise = Promise::own(filter, &profile, own);
                let warning = Warning::of(filter, &profile).map(|warning| warning.to_string());
                let target = profile.target.filter(|_| profile.may_forget());
                let window = target.map(|target| target.items());
                self.report(&promise, &measured, warning.as_deref(), window)
            }
            EitherFilter::Foreign(filter) => {
                let info = filter.info();
                let promise = Promise::foreign(&info, foreign_description::is_overfull(&info));
                let description = ForeignDescription::new(&info, "", None);
                self.report(&promise, &measured, description.warning().as_deref(), None)
            }
        }
    }

    /// Checks the arguments before anything is read.
    fn check(&self, lists: &[&List]) -> Result<(), Stop> {
        if self.random.is_none() && !lists.iter().any(|list| list.is_given()) {
            return Err(Stop::Error(
                "nothing to measure with; give a list of members (--members F), a list of absent keys \
                 (--absent F), or a number of random keys (--random 100k)"
                    .to_string(),
            ));
        }
        let sources = || lists.iter().flat_map(|list| &list.sources);
        if sources().filter(|source| matches!(source, Input::Stdin)).count() > 1 {
            let cause = "can be read only once; use files for the other lists";
            return Err(Stop::about("standard input", cause));
        }
        if filter_file::is_stdin(&self.file) && sources().any(|it| matches!(it, Input::Stdin)) {
            let cause = "cannot be both the filter and a list; name a file for one of them";
            return Err(Stop::about("standard input", cause));
        }
        sources().try_for_each(Input::check)?;
        if sources().any(Input::is_typed) {
            output::note("reading keys from the terminal, one per line; end with Ctrl-D");
        }
        Ok(())
    }

    fn report(
        &self,
        promise: &Promise,
        measured: &Measured,
        warning: Option<&str>,
        window: Option<u64>,
    ) -> Outcome {
        let set_aside = match &measured.tests {
            Some(tests) if !tests.mixed => tests.outcomes.present(),
            _ => 0,
        };
        let report = Report::new(&self.file, promise, measured, set_aside);
        if !self.quiet {
            let mut out = Out::stdout();
            if self.json {
                out.json(&report)?;
            } else {
                out.line(format_args!("{}", output::shown(&self.file)))?;
                for (name, words) in report.rows() {
                    out.row(name, 16, &words)?;
                }
            }
            out.finish()?;
            if let Some(warning) = warning {
                output::complain(&format!("warning: {}: {warning}", output::shown(&self.file)));
            }
            if let Some((missed, members)) = report.members_of_another() {
                Warning::OtherMembers { missed, members, window }.say(&self.file);
            }
            if set_aside > 0 {
                Warning::MembersAmongAbsent(set_aside).say(&self.file);
            }
            if let Some(wanted) = report.wanted_test_keys() {
                Warning::FewTestKeys { tested: report.absent(), wanted }.say(&self.file);
            }
        }
        Ok(match report.verdict() {
            Verdict::Holds => Exit::Success,
            Verdict::Broken => Exit::Nothing,
        })
    }
}

/// The lists of an option.
struct List {
    option: &'static str,
    sources: Vec<Input>,
}

impl List {
    fn new(option: &'static str, paths: &[PathBuf]) -> List {
        // Elsewhere no path means standard input; here it means no list.
        let sources = if paths.is_empty() { Vec::new() } else { Input::all(paths) };
        List { option, sources }
    }

    fn is_given(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Its keys. A list that is given must not be empty.
    fn read(&self, lists: &Lists<'_>, members: Option<&[KeyHash]>) -> Result<KeyList, Stop> {
        if !self.is_given() {
            return Ok(KeyList::default());
        }
        let list = lists.read(&self.sources, members)?;
        if list.keys.is_empty() {
            let names: Vec<_> = self.sources.iter().map(Input::name).collect();
            let cause = format!("{} has no keys; name a list that has some", names.join(", "));
            return Err(Stop::about(self.option, cause));
        }
        Ok(list)
    }
}
