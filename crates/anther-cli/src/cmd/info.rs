//! `info`: describes filters.

use super::kept::Kept;
use crate::description::{Description, RangeDescription};
use crate::escaped;
use crate::exit::{Exit, Outcome, Stop};
use crate::foreign_description::ForeignDescription;
use crate::foreign_file::{self, Contents, ForeignArgs};
#[cfg(feature = "index")]
use crate::index_description::IndexDescription;
#[cfg(feature = "index")]
use crate::index_file;
use crate::output::{self, Out};
use crate::warning::Warning;
use crate::{fill_picture, filter_file, terminal};
use anther::any::AnyFile;
use anther::foreign::{Entry, ForeignFile, System};
use anther::{AnyFilter, Filter, Open, Range};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Describes filters: kind, keys, size, false-positive rate, and how keys are read from text.

Examples:
  anther info seen.anther
  anther info *.anther
  anther info seen.anther --picture | less
  anther info seen.anther --json | jq .fpr_now
  anther info *.anther --json | jq -r 'select(.overfull) | .file'
  anther info dump.rdb                      all filters of RedisBloom in it

The file's checksums are verified first. The number of keys and the false-positive rate
are computed from the cells as they are now. A keyed filter needs no key for this.

The line of the format says if pages have checksums, which lookups over the web need
(build --pages).

An index of anther index is described, too: its roots, files, blocks and size. So are states
of anther uniq, and sketches.

Files of other systems are known by their content: filters of Guava, Spark, DCSO (also
within gzip), Squid's cache digests, Filter.db of Cassandra, HFiles of HBase, Parquet files and
filters of Parquet alone, RDB files, DUMP payloads and SCANDUMP chunks of RedisBloom. Where
the content does not tell, --from does: --from parquet-bitset is a bit set without a header,
and --from cassandra:nb an sstable of that version, whose file has lost its name. A file
with several filters gets a block for each, or only for --entry. Other files are named if their
bytes say what they are; Bitcoin's block filters (BIP 158), for example, have no mark that would.

On a terminal, a picture shows the fill from the first cell to the last; a column of two
whole rows is full. Most kinds are about half full when they hold the keys that they were
made for. scalable shows its layers, the newest last. Static kinds have no picture.";

const EXIT_CODES: &str =
    "Exit codes: 0 described; 2 error, and the other files are still described.";

/// Describe filters
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The filters; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Print a line of JSON for each file; of a file with an error, only that
    #[arg(long)]
    json: bool,
    /// Draw the fill even if the output is not a terminal
    #[arg(long, conflicts_with = "json")]
    picture: bool,
    #[command(flatten)]
    foreign: ForeignArgs,
}

/// A line of `--json`.
#[derive(Serialize)]
struct InfoJson<'a> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    description: Description,
}

/// The same for a range filter.
#[derive(Serialize)]
struct RangeJson<'a> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    description: RangeDescription,
}

/// The same for a state or a sketch.
#[derive(Serialize)]
struct KeptJson<'a> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    kept: &'a Kept,
}

/// The same for a search index.
#[cfg(feature = "index")]
#[derive(Serialize)]
struct IndexJson<'a> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    description: IndexDescription,
}

/// The same for a filter of another system.
#[derive(Serialize)]
struct ForeignJson<'a> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    description: ForeignDescription,
}

/// A line of `--json` for a file that cannot be described.
#[derive(Serialize)]
struct ErrorJson<'a> {
    file: Cow<'a, str>,
    error: &'a str,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let mut out = Out::stdout();
        let mut failed = false;
        for (at, path) in self.files.iter().enumerate() {
            let described = match filter_file::stdin_again(path, &self.files[..at]) {
                Some(cause) => Err(Stop::about(output::shown(path), cause)),
                None => self.describe(path, at > 0, &mut out),
            };
            if let (Err(Stop::Error(message)), true) = (&described, self.json) {
                let name = format!("{}: ", output::shown(path));
                let error = message.strip_prefix(&name).unwrap_or(message);
                out.json(&ErrorJson { file: path.to_string_lossy(), error })?;
            }
            match described {
                // The other files are described all the same.
                Err(Stop::Error(message)) if self.files.len() > 1 => {
                    // Keeps the order of the files if both streams go to the same place.
                    out.flush()?;
                    output::error(&message);
                    failed = true;
                }
                Err(stop) => {
                    out.flush()?;
                    return Err(stop);
                }
                Ok(()) => {}
            }
        }
        out.finish()?;
        Ok(if failed { Exit::Error } else { Exit::Success })
    }

    fn describe(&self, path: &Path, apart: bool, out: &mut Out) -> Result<(), Stop> {
        #[cfg(feature = "index")]
        if index_file::is_index(path) {
            return self.describe_index(path, apart, out);
        }
        if let Some(kept) = Kept::of(path) {
            let kept = kept.map_err(|error| Stop::about(output::shown(path), error.cause()))?;
            return self.describe_kept(path, &kept, apart, out);
        }
        // A pipe can be read only once.
        let is_open = path.is_file() && Open::is_shared(path).unwrap_or(false);
        let pages = if path.is_file() { Open::has_pages(path).ok() } else { None };
        let sized = self.foreign.open(path, Open::new().without_hashing())?;
        let bytes = sized.bytes;
        let filter = match sized.contents {
            Contents::Own(AnyFile::Filter(filter)) => filter,
            Contents::Own(AnyFile::Range(range)) => {
                return self.describe_range(path, &range, bytes, apart, out);
            }
            Contents::Foreign(file) => {
                return self.describe_foreign(path, &file, bytes, apart, out);
            }
        };
        let profile = filter.profile();
        let description = Description::new(&filter, &profile, bytes).open(is_open).pages(pages);
        if self.json {
            out.json(&InfoJson { file: path.to_string_lossy(), description })?;
        } else {
            if apart {
                out.line(format_args!(""))?;
            }
            out.line(format_args!("{}", output::shown(path)))?;
            for (name, words) in description.rows(filter.about().recipe.as_ref()) {
                out.row(name, 8, &words)?;
                if name == "fill" && (self.picture || io::stdout().is_terminal()) {
                    draw(&filter, out)?;
                }
            }
        }
        out.flush()?;
        if let Some(warning) = Warning::of(&filter, &profile) {
            warning.say(path);
        }
        Ok(())
    }
}

#[cfg(feature = "index")]
impl Args {
    /// Describes a search index.
    fn describe_index(&self, path: &Path, apart: bool, out: &mut Out) -> Result<(), Stop> {
        let index = index_file::open(path)?;
        index.verify().map_err(|error| index_file::explained(path, error))?;
        let description = IndexDescription::new(&index);
        if self.json {
            out.json(&IndexJson { file: path.to_string_lossy(), description })?;
            return out.flush();
        }
        print_rows(path, apart, description.rows(), out)
    }
}

impl Args {
    /// Describes a state of `uniq`, or a sketch.
    fn describe_kept(
        &self,
        path: &Path,
        kept: &Kept,
        apart: bool,
        out: &mut Out,
    ) -> Result<(), Stop> {
        if self.json {
            out.json(&KeptJson { file: path.to_string_lossy(), kept })?;
            return out.flush();
        }
        print_rows(path, apart, kept.rows(), out)
    }
}

impl Args {
    /// Describes a range filter.
    fn describe_range(
        &self,
        path: &Path,
        range: &Range,
        bytes: Option<u64>,
        apart: bool,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let description = RangeDescription::new(range, bytes);
        if self.json {
            out.json(&RangeJson { file: path.to_string_lossy(), description })?;
            return out.flush();
        }
        print_rows(path, apart, description.rows(), out)
    }
}

/// Prints what is known of a file, below its name.
fn print_rows(
    path: &Path,
    apart: bool,
    rows: Vec<(&'static str, String)>,
    out: &mut Out,
) -> Result<(), Stop> {
    if apart {
        out.line(format_args!(""))?;
    }
    out.line(format_args!("{}", output::shown(path)))?;
    for (name, words) in rows {
        out.row(name, 8, &words)?;
    }
    out.flush()
}

impl Args {
    /// Describes the filters of another system's file.
    fn describe_foreign(
        &self,
        path: &Path,
        file: &ForeignFile,
        bytes: Option<u64>,
        mut apart: bool,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let entries = self.foreign.entries(path, file)?;
        if entries.is_empty() {
            let cause = format!("a file of {} {}", file.system(), foreign_file::NO_FILTERS);
            return Err(Stop::about(output::shown(path), cause));
        }
        let bytes = bytes.filter(|_| !is_chunk(path, file));
        for Entry { name, filter, .. } in entries {
            let description = ForeignDescription::new(&filter.info(), name, bytes);
            let warning = description.warning();
            if self.json {
                out.json(&ForeignJson { file: path.to_string_lossy(), description })?;
            } else {
                if apart {
                    out.line(format_args!(""))?;
                }
                apart = true;
                let name = title(path, name);
                out.line(format_args!("{name}"))?;
                for (name, words) in description.rows() {
                    out.row(name, 8, &words)?;
                }
            }
            if let Some(warning) = warning {
                out.flush()?;
                output::complain(&format!("warning: {}: {warning}", title(path, name)));
            }
        }
        out.flush()
    }
}

/// Whether a file is one of the chunks of a SCANDUMP, all of which were read: its size is not theirs.
fn is_chunk(path: &Path, file: &ForeignFile) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let iterator = stem.rsplit_once('_').map(|(_, iterator)| iterator);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_bin = path.extension().is_some_and(|ending| ending == "bin");
    file.system() == System::RedisBloom && is_bin && iterator.is_some_and(is_number)
}

/// The file, and the name of the filter in it, if it has one.
fn title(path: &Path, entry: &str) -> String {
    match entry {
        "" => output::shown(path).to_string(),
        name => format!("{}: {}", output::shown(path), escaped::on_one_line(name.as_bytes())),
    }
}

/// Draws the fill, for kinds whose cells show it.
fn draw(filter: &AnyFilter, out: &mut Out) -> Result<(), Stop> {
    let densities = filter.densities(fill_picture::COLUMNS);
    if densities.is_empty() {
        return Ok(());
    }
    for row in fill_picture::rows(&densities, terminal::shows_unicode()) {
        out.line(format_args!("  {:8} |{row}|", ""))?;
    }
    Ok(())
}
