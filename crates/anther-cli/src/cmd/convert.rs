//! `convert`: a filter as another kind, without its keys.

mod foreign;

use crate::description::{self, Description};
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file::{self, Destination};
use crate::foreign_file::{self, Contents, ForeignArgs, FormatArg};
use crate::kind_args;
use crate::out_args::OutArgs;
use crate::output::{self, Out};
use crate::recipe_args::form_parser;
use crate::units;
use crate::warning::Warning;
use anther::any::AnyFile;
use anther::recipe::KeyForm;
use anther::{AnyFilter, Classic, Compressed, Filter, Kind, LoadError, Open};
use serde::Serialize;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Converts a filter to another kind, without its keys. OUT comes first.

Examples:
  anther convert send.anther sessions.anther --kind classic     freeze counting
  anther convert small.anther seen.anther --kind compressed     pack classic
  anther convert seen.anther small.anther --kind classic        and unpack it
  anther convert closed.anther shared.anther                    after add --shared
  anther convert list.anther seen.anther --pages                for a web server

Both filters give the same answers. These conversions are possible:
  counting to classic     a quarter of the size; keys can no longer be removed
  classic to compressed   a smaller file, if the filter is far from full or overfull; the
                          cells of a filter that is half full cannot be compressed
  compressed to classic   its file can then be mapped, and shared

A filter of Parquet becomes a split filter, and back with --to parquet, with the same bits:
  anther convert ids.anther data.parquet --entry id --row-group 0
  anther convert ids.bloom ids.anther --to parquet

All others need the keys: rebuild the filter with anther build, and those of other systems
with anther build --to. Without --kind and --to a filter of anther
stays as it is, and is only written anew: a file that a killed anther add --shared left
open is closed, and checksums cover it again. A keyed filter needs no key for this.";

const EXIT_CODES: &str = "Exit codes: 0 converted; 2 error, and nothing was written.";

/// Convert a filter to another kind, without its keys
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    #[command(flatten)]
    out: OutArgs,
    /// The filter to convert; `-` is standard input
    #[arg(value_name = "FILTER")]
    input: Option<PathBuf>,
    /// Kind of the new filter [default: the same]
    #[arg(long, value_name = "KIND", value_parser = kind_args::kinds(Kind::ALL))]
    #[arg(hide_possible_values = true)]
    kind: Option<Kind>,
    /// Write a filter of another system, if the bits are the same
    #[arg(long, value_name = "FORMAT", value_parser = foreign_file::formats())]
    #[arg(hide_possible_values = true, conflicts_with = "kind")]
    to: Option<FormatArg>,
    /// Parquet: the row group whose filter is converted, from 0
    #[arg(long, value_name = "N", hide_short_help = true)]
    row_group: Option<usize>,
    /// Parquet: what the keys of a filter alone are, such as int64; a column tells it
    #[arg(long = "as", value_name = "FORM", value_parser = form_parser())]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    form: Option<KeyForm>,
    #[command(flatten)]
    foreign: ForeignArgs,
    /// Add a checksum of each page, for lookups over the web
    ///
    /// anther check https://host/FILTER then verifies what it fetches. The file gets 0.4 % larger, and
    /// cannot be changed with add --shared. Without the option they are left out.
    #[arg(long, hide_short_help = true, conflicts_with = "to")]
    pages: bool,
    /// Describe the result as one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Print only warnings and errors
    #[arg(short, long)]
    quiet: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct ConvertJson<'a> {
    file: Cow<'a, str>,
    /// The kind that it was converted from.
    from: &'static str,
    #[serde(flatten)]
    description: Description,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let inputs = self.out.inputs(self.input.as_slice());
        let [input] = &inputs[..] else {
            let message = "name one filter to convert: anther convert OUT FILTER, or \
                           anther convert -o OUT FILTER";
            return Err(Stop::Error(message.to_string()));
        };
        let mut destination = self.out.destination(self.json)?.with_pages(self.pages);
        // OUT may be the filter itself.
        destination.hold()?;
        let (from, filter) = match self.open(input, &destination)? {
            Contents::Own(AnyFile::Range(_)) => {
                return Err(filter_file::explained(input, LoadError::Range));
            }
            Contents::Own(AnyFile::Filter(filter)) => {
                self.refuse_foreign_options()?;
                if let Some(FormatArg(format)) = self.to {
                    return self.written(input, filter, format, &destination);
                }
                (filter.kind().name(), self.converted(input, filter)?)
            }
            Contents::Foreign(file) => {
                let filter = self.foreign.choose(input, file)?;
                let system = filter.info().system;
                if let Some(FormatArg(format)) = self.to {
                    return self.rewritten(input, &filter, format, &destination);
                }
                (system.name(), self.own_of(input, filter)?)
            }
        };
        if self.pages {
            filter_file::check_pages(filter.kind())?;
        }
        let bytes = destination.save(&filter)?;

        let profile = filter.profile();
        if let Some(warning) = Warning::of(&filter, &profile) {
            warning.say(destination.path());
        }
        if !self.quiet {
            let kind = filter.kind();
            let done = match from == kind.name() {
                true => format!("{kind} filter written anew"),
                false => format!("{from} filter converted to {kind}"),
            };
            let keys = description::distinct_keys(&profile, filter.about().reach());
            let size = units::size(bytes);
            let rate = description::rate_now(&profile);
            let name = destination.path().display();
            output::complain(&format!("{name}: {done}, {size}; {keys}, {rate}"));
        }
        if self.json {
            let file = self.out.path().to_string_lossy();
            let description = Description::new(&filter, &profile, Some(bytes));
            let description = description.pages(Some(self.pages));
            let mut out = Out::stdout();
            out.json(&ConvertJson { file, from, description })?;
            out.finish()?;
        }
        Ok(Exit::Success)
    }

    /// Reads the filter; if processes are still inserting into it, once they are done.
    fn open(&self, input: &Path, destination: &Destination) -> Result<Contents, Stop> {
        // Converting hashes no keys, so a keyed filter needs no secret key here.
        let open = Open::new().without_hashing();
        // A pipe can be read only once, and the file that is replaced is locked already.
        let is_own = !input.is_file() || destination.is(input);
        if is_own || !Open::is_shared(input).unwrap_or(false) {
            return self.foreign.open(input, open).map(|sized| sized.contents);
        }
        let lock = filter_file::lock(input)?;
        let filter = filter_file::open_locked(input, &lock, open)?;
        Ok(Contents::Own(AnyFile::Filter(filter)))
    }

    fn converted(&self, input: &Path, filter: AnyFilter) -> Result<AnyFilter, Stop> {
        let from = filter.kind();
        let to = self.kind.unwrap_or(from);
        let stop = |cause: String| Stop::about(output::shown(input), cause);
        match (filter, to) {
            (filter, to) if to == from => Ok(filter),
            (AnyFilter::Counting(counting), Kind::Classic) => {
                counting.to_classic().map(AnyFilter::from).map_err(|error| stop(error.to_string()))
            }
            (AnyFilter::Classic(classic), Kind::Compressed) => Ok(Compressed::from(classic).into()),
            (AnyFilter::Compressed(packed), Kind::Classic) => Ok(Classic::from(packed).into()),
            (AnyFilter::Counting(_), Kind::Compressed) => {
                let cause = "a counting filter cannot be converted to compressed at once; convert it \
                             to classic first, with --kind classic";
                Err(stop(cause.to_string()))
            }
            _ => {
                let how = match to {
                    Kind::Cascade => "--never-wrong-on LIST".to_string(),
                    _ => format!("--kind {to}"),
                };
                Err(stop(format!(
                    "{} {from} filter cannot be converted to {to}, because it does not store the \
                     keys; rebuild it from them: anther build OUT IN {how}",
                    from.article()
                )))
            }
        }
    }
}
