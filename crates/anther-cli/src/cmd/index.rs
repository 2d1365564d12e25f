//! `index`: makes and updates a search index.

use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::index_file;
use crate::indexed_text::IndexedText;
use crate::interrupt;
use crate::output;
use crate::progress::Progress;
use crate::units;
use crate::warning::Warning;
use anther::Threads;
use anther_index::{BLOCK, Index, Indexer, LEAST_MEMORY, Settings, Summary, Watch};
use serde::Serialize;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const ABOUT: &str = "\
Makes an index of text files, so that anther grep opens only what can match.

Examples:
  anther index logs.idx /var/log            make it
  anther index logs.idx                     update it: read only what has changed
  anther grep logs.idx 'connection reset'
  anther index code.idx src tests --hidden
  anther index traces.idx logs --column trace_id

The index is one file, about 4 % of log text and 8 % of source code. Files are searched as
ripgrep does: those that .gitignore, .ignore and .rgignore name are left out, and hidden ones;
symbolic links are not followed, except those that are named here. Files compressed with
gzip, zstd, xz or bzip2 are known by their content. Files that cannot be read are left out,
with a warning, and anther grep tries them again.

An index that exists is updated. Files are known by size, times and inode; one that was
modified less than two seconds before it was read counts as changed. Of a log that grew only the
end is read, if the last 1 KiB of each block are still the same; otherwise it is read whole. What is
not noticed: bytes overwritten in the middle of a block of a file that also grew. --force, with
the paths, reads everything. New files are found, and those that are gone are dropped; if a folder
that was named is gone or empty, as one that is not mounted, the index stays as it was. The new
index replaces the old one when it is complete: after a crash, on a full disk or after Ctrl-C
the old one is still there.

anther grep prints paths as they are given here. If it runs in another folder, where a relative
path would mean something else, it prints the absolute one.

Text is cut into blocks of about 128 KiB, at line ends. The index knows which four and five
bytes follow each other in each block, whatever their case. --fpr is the share of blocks that
are opened in vain for eight bytes that are nowhere: for longer ones it is far lower, for
shorter ones higher. It was measured on logs; source code has a third as many. Rates below
0.3 % make the index larger and few searches faster.

--column also stores the values of a column of CSV files with a header row, and of JSON lines,
where it may be a path such as request.id. anther grep --column looks one up as a whole, and its
help says what has no key. Columns of Parquet files are stored, too, if anther was installed
with --features parquet: row groups that have a filter for the column are left to it, and the
index has the values of others.

All cores work, within --memory for what waits to be written; each thread takes up to 24 MiB
more, and each file 200 bytes; a row group of a Parquet file takes 80 bytes for each value that
it has once or more. Decompressing xz takes what the file asks for, up to 256 MiB per
thread.";

const EXIT_CODES: &str =
    "Exit codes: 0 the index is written; 2 error, and an old index is as it was.";

/// Make or update an index of text files
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The index
    #[arg(value_name = "INDEX")]
    index: PathBuf,
    /// Folders and files to search; none to update an index
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Share of blocks opened in vain for eight bytes that are nowhere [default: 1.5%]
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    #[arg(allow_hyphen_values = true)]
    fpr: Option<f64>,
    /// Also store the values of this column of CSV files and JSON lines; may be repeated
    #[arg(long, value_name = "NAME", value_parser = parse_column)]
    column: Vec<String>,
    /// Index hidden files and folders, too
    #[arg(short = '.', long)]
    hidden: bool,
    /// Index what .gitignore, .ignore and .rgignore name, too
    #[arg(long)]
    no_ignore: bool,
    /// Memory for what waits to be written, at least 16MiB [default: 256MiB]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_bytes)]
    #[arg(allow_hyphen_values = true)]
    memory: Option<u64>,
    /// The length of blocks, for tests
    #[arg(long, value_name = "SIZE", value_parser = units::parse_bytes, hide = true)]
    #[arg(allow_hyphen_values = true)]
    block_size: Option<u64>,
    /// Make an index anew that exists
    #[arg(long)]
    force: bool,
    /// Describe the result as one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Print only warnings and errors
    #[arg(short, long)]
    quiet: bool,
}

fn parse_column(text: &str) -> Result<String, String> {
    if text.is_empty() || text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("name the column as the header row or the JSON does".to_string());
    }
    if let Some(path) = text.strip_prefix('.') {
        return Err(format!("a path has no dot before its first name: {path}"));
    }
    Ok(text.to_string())
}

/// What `--json` prints.
#[derive(Serialize)]
struct IndexJson<'a> {
    index: Cow<'a, str>,
    updated: bool,
    files: u64,
    read: u64,
    grown: u64,
    kept: u64,
    dropped: u64,
    skipped: u64,
    blocks: u64,
    text_bytes: u64,
    index_bytes: u64,
    fpr: f64,
    columns: &'a [String],
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let old = self.old()?;
        let settings = match &old {
            Some(old) => old.settings().clone(),
            None => self.settings()?,
        };
        let watch = Terminal { quiet: self.quiet, progress: OnceLock::new() };
        let sources = IndexedText::new(&settings.columns);
        let indexer = Indexer {
            sources: &sources,
            watch: &watch,
            threads: Threads::all(),
            memory: self.memory(),
            block: self.block_size.unwrap_or(BLOCK),
            cancel: &interrupt::SAVES,
        };
        let done = match &old {
            Some(_) => indexer.update(&self.index),
            None => indexer.create(&self.index, &self.paths, &settings, self.force),
        };
        drop(watch);
        let summary = done.map_err(|error| index_file::explained(&self.index, error))?;
        // An update has read what changed, which need not have them all.
        if old.is_none() && summary.read > 0 {
            sources.not_found().for_each(|name| Warning::NoColumn(name).say(&self.index));
        }
        if !self.quiet {
            output::note(&format!("{}: {}", output::shown(&self.index), in_words(&summary)));
        }
        if self.json {
            let done = format_args!("{} is written", self.index.display());
            let json = IndexJson {
                index: self.index.to_string_lossy(),
                updated: old.is_some(),
                files: summary.files,
                read: summary.read,
                grown: summary.grown,
                kept: summary.kept,
                dropped: summary.dropped,
                skipped: summary.skipped,
                blocks: summary.blocks,
                text_bytes: summary.text,
                index_bytes: summary.bytes,
                fpr: settings.fpr,
                columns: &settings.columns,
            };
            output::report(&json, done)?;
        }
        Ok(Exit::Success)
    }

    /// The index to update, if there is one. Checks the arguments before anything is read.
    fn old(&self) -> Result<Option<Index>, Stop> {
        let stop = |cause: String| Err(Stop::about(output::shown(&self.index), cause));
        if self.memory.is_some_and(|memory| memory < LEAST_MEMORY) {
            return Err(Stop::about("--memory", "at least 16MiB are needed"));
        }
        filter_file::check_folder(&self.index)?;
        if self.index.is_dir() {
            return stop("is a folder; name the index first: anther index INDEX DIR".to_string());
        }
        let exists = self.index.symlink_metadata().is_ok();
        if !exists || self.force {
            if exists && !index_file::is_index(&self.index) {
                return stop("is no index, and is not replaced; choose another name".to_string());
            }
            if self.paths.is_empty() {
                let cause = "name the folders and files to index: anther index INDEX DIR";
                return stop(cause.to_string());
            }
            return Ok(None);
        }
        let old = index_file::open(&self.index)?;
        if let Some(option) = self.contradiction(old.settings()) {
            return stop(format!(
                "was made {option}; leave the option out to update it, or make it anew with --force"
            ));
        }
        let absolute = |path: &PathBuf| std::path::absolute(path).ok();
        let same = self.paths.len() == old.roots().len()
            && self
                .paths
                .iter()
                .zip(old.roots())
                .all(|(path, root)| absolute(path).is_some_and(|path| path == root.path));
        if !self.paths.is_empty() && !same {
            let roots: Vec<_> = old.roots().iter().map(|root| root.path.display()).collect();
            let roots: Vec<_> = roots.iter().map(ToString::to_string).collect();
            return stop(format!(
                "is an index of {}; leave the paths out to update it, or make it anew with --force",
                roots.join(" ")
            ));
        }
        Ok(Some(old))
    }

    /// What is asked for that the index does not have, in words.
    fn contradiction(&self, own: &Settings) -> Option<String> {
        if self.fpr.is_some_and(|fpr| fpr != own.fpr) {
            return Some(format!("with --fpr {}", units::rate_option(own.fpr)));
        }
        if !self.column.is_empty() && self.column != own.columns {
            return Some(match &own.columns[..] {
                [] => "without --column".to_string(),
                columns => format!("with --column {}", columns.join(" --column ")),
            });
        }
        match (self.hidden && !own.hidden, self.no_ignore && !own.no_ignore) {
            (true, _) => Some("without --hidden".to_string()),
            (_, true) => Some("without --no-ignore".to_string()),
            _ => None,
        }
    }

    fn settings(&self) -> Result<Settings, Stop> {
        let mut columns = self.column.clone();
        columns.dedup();
        if columns.len() > 64 {
            return Err(Stop::about("--column", "at most 64 columns; make several indexes"));
        }
        let Settings { fpr, .. } = Settings::default();
        let (hidden, no_ignore) = (self.hidden, self.no_ignore);
        Ok(Settings { fpr: self.fpr.unwrap_or(fpr), hidden, no_ignore, columns })
    }

    fn memory(&self) -> u64 {
        self.memory.unwrap_or(256 << 20)
    }
}

/// `812 files, 1.2 GB of text: 3 read, 1 grown, 808 kept, 2 dropped; 4.1 MB of index (3.4 %)`.
fn in_words(summary: &Summary) -> String {
    let Summary { files, read, grown, kept, dropped, skipped, text, bytes, .. } = *summary;
    let counts = [
        (read, "read"),
        (grown, "grown"),
        (kept, "kept"),
        (dropped, "dropped"),
        (skipped, "skipped"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, name)| *count > 0 || *name == "read")
        .map(|(count, name)| format!("{} {name}", units::count(*count)))
        .collect();
    // An index of little text is larger than the text, and its share tells nothing.
    let share = match bytes < text {
        true => format!(" ({})", units::percent(bytes as f64 / text as f64)),
        false => String::new(),
    };
    format!(
        "{} {}, {} of text: {}; {} of index{share}",
        units::count(files),
        if files == 1 { "file" } else { "files" },
        units::size(text),
        counts.join(", "),
        units::size(bytes),
    )
}

/// Shows the progress and the warnings.
struct Terminal {
    quiet: bool,
    progress: OnceLock<Progress>,
}

impl Watch for Terminal {
    fn begin(&self, bytes: u64) {
        let _ = self.progress.set(Progress::reading(Some(bytes), self.quiet));
    }

    fn advance(&self, bytes: u64) {
        if let Some(progress) = self.progress.get() {
            progress.advance(bytes);
        }
    }

    fn warn(&self, path: &Path, cause: &str) {
        output::complain(&format!("warning: {}: {cause}", output::shown(path)));
    }
}
