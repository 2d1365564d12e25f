//! `merge`: the union or intersection of filters.

use crate::description::{self, Description};
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::out_args::OutArgs;
use crate::output;
use crate::units;
use crate::warning::Warning;
use anther::{AnyFilter, Filter, Mismatch, Open};
use serde::Serialize;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Merges filters into one. OUT comes first, or is named by -o.

Examples:
  anther build monday.anther monday.txt --items 10M
  anther build tuesday.anther tuesday.txt --items 10M
  anther merge week.anther monday.anther tuesday.anther
  anther merge both.anther monday.anther tuesday.anther --intersect
  ssh host cat a.anther | anther merge -o - - b.anther > all.anther

The result is bit for bit the filter that building from all the inputs would give. The
filters must have the same kind, size, seed and recipe: build each with the --items of
all of them together. Parts with equally many keys may also be built with --headroom.
anther plan --all marks the kinds that merge. With --fold, sizes may also be multiples of
each other: the larger filters are folded to the size of the smallest, which raises their
false-positive rate. --fold and --intersect need classic, blocked, split or compressed.

If the result holds so many keys that it exceeds the false-positive rate that the filters
were made for, a warning says so before it is written. With --strict that is an error,
and nothing is written.

With --intersect, the result has the keys that are in all of the filters. It has no
false negatives, but more false positives than a filter built from those keys alone. Where
entries stand for what is below them, it works only if all are domains of as many labels:
else an entry of one may be below an entry of the other, and the result would lose it.";

const USAGE: &str = "anther merge [OPTIONS] <OUT> <FILTER> <FILTER>...
       anther merge [OPTIONS] -o <OUT> <FILTER> <FILTER>...";

const EXIT_CODES: &str = "Exit codes: 0 merged; 2 error, and nothing was written.";

/// Merge filters into one
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES, override_usage = USAGE)]
pub struct Args {
    #[command(flatten)]
    out: OutArgs,
    /// The filters to merge, two or more; `-` is standard input
    #[arg(value_name = "FILTER")]
    inputs: Vec<PathBuf>,
    /// Keep the keys that are in all of them
    #[arg(long, conflicts_with = "fold")]
    intersect: bool,
    /// Fold larger filters to the size of the smallest
    #[arg(long, hide_short_help = true)]
    fold: bool,
    /// Write nothing if the result exceeds its false-positive rate
    #[arg(long)]
    strict: bool,
    /// Add a checksum of each page, for lookups over the web
    ///
    /// Without the option the result has them if all inputs are files that do.
    #[arg(long, hide_short_help = true)]
    pages: bool,
    /// Describe the result as one JSON object on standard output
    #[arg(long, hide_short_help = true)]
    json: bool,
    /// Print only warnings and errors
    #[arg(short, long)]
    quiet: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct MergeJson<'a> {
    file: Cow<'a, str>,
    /// The number of filters that were merged.
    merged: usize,
    #[serde(flatten)]
    description: Description,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let inputs = self.out.inputs(&self.inputs);
        if inputs.len() < 2 {
            let message = "name two or more filters to merge: anther merge OUT FILTER FILTER, or \
                           anther merge -o OUT FILTER FILTER";
            return Err(Stop::Error(message.to_string()));
        }
        let paths: Vec<&Path> = inputs.iter().map(|path| &**path).collect();
        filter_file::check_stdin(&paths, &[])?;
        self.check_order(&inputs)?;
        let mut destination = self.out.destination(self.json)?;
        // OUT may be one of the inputs.
        destination.hold()?;
        let Some((first, others)) = inputs.split_first() else {
            return Err(Stop::Error("nothing to merge".to_string()));
        };
        // Merging hashes no keys, so a keyed filter needs no secret key here.
        let open = |path| filter_file::open(path, Open::new().without_hashing());
        let mut filter = open(first)?;
        if self.pages {
            filter_file::check_pages(filter.kind())?;
        }
        // A pipe is read only once, so what it had is not known.
        let has_pages = |path: &PathBuf| path.is_file() && Open::has_pages(path).unwrap_or(false);
        let pages = self.pages || inputs.iter().all(has_pages);
        let destination = destination.with_pages(pages);
        let part = filter.profile();
        let bits = part.bits;
        let mut parts = vec![part];
        for path in others {
            let (ours, theirs) = (output::shown(first), output::shown(path));
            let other = open(path)?;
            let part = other.profile();
            let other_bits = part.bits;
            parts.push(part);
            let folds = bits != other_bits
                && bits.max(other_bits).is_multiple_of(bits.min(other_bits))
                && filter.kind() == other.kind()
                && filter.kind().capabilities().fold;
            if folds && !self.fold && !self.intersect {
                return Err(Stop::Error(format!(
                    "{theirs}: has {} bits, but {ours} has {}; build both with the same --items and \
                     --fpr, or fold the larger with --fold, which raises its false-positive rate",
                    units::count(other_bits),
                    units::count(bits),
                )));
            }
            let combined =
                if self.intersect { filter.intersect(&other) } else { filter.merge(&other) };
            combined.map_err(|error| {
                let next = match error {
                    Mismatch::Bits { .. } | Mismatch::Cells { .. } | Mismatch::Probes { .. } => {
                        "\nbuild filters that you want to merge with the same --items and --fpr"
                    }
                    _ => "",
                };
                let combined = if self.intersect { "intersected" } else { "merged" };
                Stop::Error(format!("{theirs}: cannot be {combined} with {ours}: {error}{next}"))
            })?;
        }
        let profile = filter.profile();
        if let Some(warning) = Warning::of_merged(&filter, &profile, &parts) {
            if self.strict {
                let cause = format!("{warning}; not written because of --strict");
                return Err(Stop::about(self.out.path().display(), cause));
            }
            warning.say(destination.path());
        }
        let bytes = destination.save(&filter)?;
        if !self.quiet {
            output::complain(&self.report(destination.path(), inputs.len(), &filter, bytes));
        }
        if self.json {
            let file = self.out.path().to_string_lossy();
            let description = Description::new(&filter, &profile, Some(bytes)).pages(Some(pages));
            let done = format_args!("{} is written", destination.path().display());
            output::report(&MergeJson { file, merged: inputs.len(), description }, done)?;
        }
        Ok(Exit::Success)
    }

    /// Notices OUT at the end, where other programs have it.
    fn check_order(&self, inputs: &[PathBuf]) -> Result<(), Stop> {
        let (out, Some((last, others))) = (self.out.path(), inputs.split_last()) else {
            return Ok(());
        };
        if filter_file::is_stdin(last) || last.exists() || !out.is_file() {
            return Ok(());
        }
        let others = [out].into_iter().chain(others.iter().map(|path| &**path));
        let others: Vec<String> = others.map(|path| path.display().to_string()).collect();
        let cause = format!(
            "no such file; OUT, the filter to make, comes first: anther merge {} {}",
            last.display(),
            others.join(" ")
        );
        Err(Stop::about(last.display(), cause))
    }

    fn report(&self, path: &Path, merged: usize, filter: &AnyFilter, bytes: u64) -> String {
        let profile = filter.profile();
        format!(
            "{}: {merged} filters {}, {}; {}, {}",
            path.display(),
            if self.intersect { "intersected" } else { "merged" },
            units::size(bytes),
            description::distinct_keys(&profile, filter.about().reach()),
            description::rate_now(&profile),
        )
    }
}
