//! `grep`: prints the lines of indexed files that match.

mod column;
mod command;
mod files;
mod page;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod pattern;
mod pieces;
mod print;
mod record_end;
#[cfg(feature = "parquet")]
mod row_json;
mod search;
mod source;
mod tally;

use crate::exit::{Exit, Outcome, Stop};
use crate::index_file;
use crate::output;
use anther_index::{Candidates, Index, Query, Unread};
use column::ColumnKey;
use files::Known;
use grep_matcher::{LineTerminator, Matcher};
use grep_printer::SummaryKind;
use grep_searcher::SearcherBuilder;
use page::Press;
use pattern::{Boundary, Case, Patterns};
use pieces::Context;
use print::{Mode, Style};
use record_end::{RECORD_END, RecordEnds};
use search::Search;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use tally::Tally;

const ABOUT: &str = "\
Prints the lines of indexed files that match a pattern, as ripgrep does, and opens only
what can match.

Examples:
  anther index logs.idx /var/log/app                make the index, or bring it up to date
  anther grep logs.idx 'connection refused'
  anther grep logs.idx -i 'timeout|refused' -C 2    any case, with two lines around each match
  anther grep logs.idx -F 'price (EUR)' -c          no regular expression; only counts
  anther grep logs.idx -l 4bf92f35 -- zstd -dc      hand the files to another program
  anther grep logs.idx --column trace_id 4bf92f35   lines whose column is just this
  anther grep logs.idx --stats refused              what the index was good for

The output is that of rg -z --sort path PATTERN with the folders and files that were
given to index, run where they were given: the same syntax (docs.rs/regex), the same
ignored, hidden and binary files, and colours, headings and line numbers on a terminal.
From another folder, the paths of what was given as a relative path are printed absolute.
Files are told to be compressed by their content, not by their name. NUL bytes are looked
for as rg --no-mmap does in each file by itself.

No match is missed. Files that are new or have changed since they were indexed are
searched without the index. From the pattern, grep derives which literals a block must
contain: of (foo|bar)[0-9]+baz it needs foo or bar, and baz. Literals of fewer than four bytes
tell nothing; if there are no others, everything is searched, and a message says so. So it
is with -v.

With -- and a command behind -l, the paths are not printed, but become the last arguments
of the command. It runs several times if there are more than fit on a command line.";

const EXIT_CODES: &str = "\
Exit codes: 0 a line matched, and the command succeeded if there is one; 1 no line matched; 2 error.";

/// Print the lines of indexed files that match
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The index, made by anther index
    index: PathBuf,
    /// A regular expression [with --column: the key]
    #[arg(required_unless_present = "patterns")]
    pattern: Option<String>,
    /// A command that gets the files as its last arguments; with -l
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Search for this pattern; repeatable, and for patterns that begin with -
    #[arg(short = 'e', long = "regexp", value_name = "PATTERN", allow_hyphen_values = true)]
    #[arg(conflicts_with = "pattern")]
    patterns: Vec<String>,
    /// Patterns are literal text, and no regular expressions
    #[arg(short = 'F', long)]
    fixed_strings: bool,
    /// Ignore case
    #[arg(short, long, overrides_with_all = ["case_sensitive", "smart_case"])]
    ignore_case: bool,
    /// Ignore case unless a pattern has a capital letter
    #[arg(short = 'S', long, overrides_with_all = ["case_sensitive", "ignore_case"])]
    smart_case: bool,
    /// Do not ignore case; the default
    #[arg(short = 's', long, hide_short_help = true)]
    #[arg(overrides_with_all = ["ignore_case", "smart_case"])]
    case_sensitive: bool,
    /// Match whole words only
    #[arg(short, long, overrides_with = "line_regexp")]
    word_regexp: bool,
    /// Match whole lines only
    #[arg(short = 'x', long, overrides_with = "word_regexp")]
    line_regexp: bool,
    /// Print records whose column is just PATTERN, a key
    ///
    /// The column of CSV files with a header row, or a path of JSON lines, such as request.id. The
    /// index must have been made with the same --column. A key that begins with - comes behind -e, and
    /// -e '' finds empty cells.
    /// -c and -m count records. Of Parquet files, rows are printed as JSON, and the line number is
    /// that of the row.
    ///
    /// These have no key: lines that are no JSON objects; true, false, null, objects and arrays; a
    /// name that two columns of a header row have; CSV with comments before the header row; UTF-16.
    #[arg(long, value_name = "NAME")]
    #[arg(conflicts_with_all = ["fixed_strings", "ignore_case", "smart_case", "word_regexp"])]
    #[arg(conflicts_with_all = ["line_regexp", "invert_match", "only_matching"])]
    #[arg(conflicts_with_all = ["after_context", "before_context", "context"])]
    column: Option<String>,
    /// Print lines that do not match; searches everything
    #[arg(short = 'v', long)]
    invert_match: bool,
    /// Print only the paths of files that match
    #[arg(short = 'l', long, overrides_with_all = ["files_without_match", "count"])]
    files_with_matches: bool,
    /// Print only the paths of files that do not match
    #[arg(long, overrides_with_all = ["files_with_matches", "count"])]
    files_without_match: bool,
    /// Print only how many lines match, by file; with -o how many matches there are
    #[arg(short, long, overrides_with_all = ["files_with_matches", "files_without_match"])]
    count: bool,
    /// Print only the parts of lines that match
    #[arg(short, long)]
    only_matching: bool,
    /// Print line numbers [default: on a terminal]
    #[arg(short = 'n', long, overrides_with = "no_line_number")]
    line_number: bool,
    /// Print no line numbers
    #[arg(short = 'N', long, hide_short_help = true, overrides_with = "line_number")]
    no_line_number: bool,
    /// Print this many lines after each match
    #[arg(short = 'A', long, value_name = "LINES")]
    after_context: Option<usize>,
    /// Print this many lines before each match
    #[arg(short = 'B', long, value_name = "LINES")]
    before_context: Option<usize>,
    /// Print this many lines before and after each match
    #[arg(short = 'C', long, value_name = "LINES")]
    context: Option<usize>,
    /// Stop after this many matching lines in each file
    #[arg(short, long, value_name = "LINES")]
    max_count: Option<u64>,
    /// Print the path before each line [default: unless one file is indexed]
    #[arg(short = 'H', long, hide_short_help = true, overrides_with = "no_filename")]
    with_filename: bool,
    /// Print no paths
    #[arg(short = 'I', long, hide_short_help = true, overrides_with = "with_filename")]
    no_filename: bool,
    /// Print the path above the lines of a file [default: on a terminal]
    #[arg(long, hide_short_help = true, overrides_with = "no_heading")]
    heading: bool,
    /// Print the path before each line
    #[arg(long, hide_short_help = true, overrides_with = "heading")]
    no_heading: bool,
    /// End each path with a NUL byte
    #[arg(short = '0', long, hide_short_help = true)]
    null: bool,
    /// Print matches as lines of JSON, as rg --json does
    #[arg(long)]
    #[arg(conflicts_with_all = ["files_with_matches", "files_without_match", "count", "only_matching"])]
    json: bool,
    /// Print at the end how many blocks were skipped, opened, and opened in vain
    #[arg(long)]
    stats: bool,
    /// Print nothing; the exit code tells whether a line matches
    #[arg(short, long, conflicts_with_all = ["json", "stats", "command"])]
    quiet: bool,
    /// Search everything, without the index
    #[arg(long, hide_short_help = true)]
    no_index: bool,
}

impl Args {
    /// The first option that makes no sense with `--quiet`, if one was given.
    pub fn conflict_with_quiet(&self) -> Option<&'static str> {
        let options = [
            (self.json, "--json"),
            (self.stats, "--stats"),
            (!self.command.is_empty(), "a command"),
        ];
        options.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let started = Instant::now();
        // Not left to clap, for which an option that overrides -l stands for it.
        if !self.command.is_empty() && !self.files_with_matches {
            return Err(Stop::about("--", "a command goes with -l (--files-with-matches)"));
        }
        let (matcher, query) = match &self.column {
            Some(_) => (column::matcher()?, Query::All),
            None => {
                let patterns = self.patterns();
                let query = if self.invert_match { Query::All } else { patterns.query() };
                (patterns.matcher()?, query)
            }
        };
        // Left to the end of the process: to free 10,000 paths takes half a millisecond of twenty.
        let index = ManuallyDrop::new(index_file::open(&self.index)?);
        let explained = |error| index_file::explained(&self.index, error);
        let key = self.column_key()?;
        let candidates = match &key {
            Some(ColumnKey { column, key }) => {
                let found = index.column_candidates(column, key).map_err(explained)?;
                // Empty cells are not in the index.
                Some(found).filter(|_| !self.no_index && !key.is_empty())
            }
            _ if self.no_index => None,
            _ if query == Query::All => {
                output::note(match self.invert_match {
                    true => "-v searches everything, since the index only knows what matches",
                    false => "no literal of four bytes in the pattern; everything is searched",
                });
                None
            }
            _ => Some(index.candidates(&query).map_err(explained)?),
        };
        self.search(matcher, key, &index, candidates.as_ref(), started)
    }

    fn patterns(&self) -> Patterns<'_> {
        Patterns {
            texts: match &self.pattern {
                Some(pattern) => std::slice::from_ref(pattern),
                None => &self.patterns[..],
            },
            is_fixed: self.fixed_strings,
            case: match () {
                () if self.ignore_case => Case::Ignored,
                () if self.smart_case => Case::Smart,
                () => Case::Sensitive,
            },
            boundary: match () {
                () if self.word_regexp => Boundary::Word,
                () if self.line_regexp => Boundary::Line,
                () => Boundary::None,
            },
        }
    }

    fn search<M: Matcher + Clone + Send + Sync>(
        &self,
        matcher: M,
        column: Option<ColumnKey>,
        index: &Index,
        candidates: Option<&Candidates>,
        started: Instant,
    ) -> Outcome {
        let quiet = self.quiet;
        let known = Known { index, candidates, context: self.context() };
        let has_unreadable = AtomicBool::new(false);
        let warn = |what: Unread, path: &Path, cause: &str| {
            // A rule that means nothing is no error, as for ripgrep.
            has_unreadable.fetch_or(what == Unread::Entry, Ordering::Relaxed);
            output::complain(&format!("{}: {cause}", path.display()));
        };
        let jobs = known.jobs(&self.index, self.files_without_match, &warn);
        let terminal = io::stdout().is_terminal();
        let press = self.press(terminal);
        let style = self.style(index, quiet, terminal);
        let search = Search {
            known,
            matcher,
            searcher: self.searcher(style, terminal),
            style,
            column,
            is_quick: quiet,
            press: &press,
        };
        let mut tally = search.run(&jobs.list)?;
        tally.index.files_skipped = jobs.files_skipped;
        tally.index.blocks_skipped += jobs.blocks_skipped;
        tally.has_unreadable |= has_unreadable.into_inner();
        self.report(&tally, &press, started)?;
        if !self.command.is_empty() && tally.has_match {
            tally.matching.sort_unstable();
            let paths = tally.matching.iter().map(|number| &*jobs.list[*number].path);
            command::run(&self.command, paths)?;
        }
        Ok(match tally {
            Tally { has_match: true, .. } if quiet => Exit::Success,
            Tally { has_unreadable: true, .. } => Exit::Error,
            Tally { has_match: true, .. } => Exit::Success,
            Tally { has_match: false, .. } => Exit::Nothing,
        })
    }

    fn column_key(&self) -> Result<Option<ColumnKey>, Stop> {
        let Some(column) = self.column.clone() else { return Ok(None) };
        match self.patterns().texts {
            [key] => Ok(Some(ColumnKey { column, key: key.clone().into_bytes() })),
            _ => Err(Stop::about("--column", "takes one key; search for others one by one")),
        }
    }

    fn context(&self) -> Context {
        let lines = |own: Option<usize>| own.or(self.context).unwrap_or(0) as u64;
        Context { before: lines(self.before_context), after: lines(self.after_context) }
    }

    fn searcher(&self, style: Style, terminal: bool) -> SearcherBuilder {
        let numbered = match style.mode {
            Mode::Json => true,
            Mode::Lines => terminal,
            Mode::Summary(_) => false,
        };
        let numbered = (numbered || self.line_number) && !self.no_line_number;
        let lines = |own: Option<usize>| own.or(self.context).unwrap_or(0);
        let mut builder = SearcherBuilder::new();
        builder
            .max_matches(self.max_count)
            .invert_match(self.invert_match)
            .line_number(numbered)
            .before_context(lines(self.before_context))
            .after_context(lines(self.after_context));
        if self.column.is_some() {
            builder.line_terminator(LineTerminator::byte(RECORD_END));
        }
        builder
    }

    fn style(&self, index: &Index, quiet: bool, terminal: bool) -> Style {
        let mode = match () {
            () if quiet || !self.command.is_empty() => {
                Mode::Summary(match self.files_without_match {
                    true => SummaryKind::QuietWithoutMatch,
                    false => SummaryKind::QuietWithMatch,
                })
            }
            () if self.files_with_matches => Mode::Summary(SummaryKind::PathWithMatch),
            () if self.files_without_match => Mode::Summary(SummaryKind::PathWithoutMatch),
            () if self.count && self.only_matching && !self.invert_match => {
                Mode::Summary(SummaryKind::CountMatches)
            }
            () if self.count => Mode::Summary(SummaryKind::Count),
            () if self.json => Mode::Json,
            () => Mode::Lines,
        };
        Style {
            mode,
            with_path: self.with_filename || (!self.no_filename && !files::is_one_file(index)),
            with_heading: self.with_heading(terminal),
            only_matching: self.only_matching,
            with_stats: self.stats,
            null: self.null,
        }
    }

    fn with_heading(&self, terminal: bool) -> bool {
        (self.heading || terminal) && !self.no_heading
    }

    fn press(&self, terminal: bool) -> Press {
        let is_summary = self.files_with_matches || self.files_without_match || self.count;
        let Context { before, after } = self.context();
        let separator: Option<&[u8]> = match () {
            () if is_summary || self.json => None,
            () if self.with_heading(terminal) => Some(b""),
            () if before > 0 || after > 0 => Some(b"--"),
            () => None,
        };
        let out = Box::new(BufWriter::with_capacity(1 << 16, io::stdout()));
        let ends = match () {
            () if self.column.is_none() => RecordEnds::Lines,
            () if self.json => RecordEnds::Json,
            () => RecordEnds::Bytes,
        };
        Press::new(out, terminal, output::is_coloured(&io::stdout()), separator, ends)
    }

    fn report(&self, tally: &Tally, press: &Press, started: Instant) -> Result<(), Stop> {
        let text = match () {
            () if self.json => tally.summary(started.elapsed()),
            () if self.stats => tally.text(started.elapsed()),
            () => return Ok(()),
        };
        output::done(press.end(text.as_bytes()))
    }
}
