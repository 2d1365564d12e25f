//! `check`: looks keys up.

mod above;
mod answer;
mod confirm;
mod one;
mod range;
mod reload;

use crate::either_filter::EitherFilter;
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::foreign_file::{Contents, ForeignArgs};
#[cfg(feature = "http")]
use crate::http::{HttpArgs, WebFilter};
use crate::input::{self, Input};
use crate::input_args::InputArgs;
use crate::keys::{ENOUGH, ON};
use crate::output::{self, Out};
use crate::recipe_args::{Match, RecipeArgs};
use crate::secret_key::KeyArgs;
use crate::warning::Warning;
use answer::{AnswerCounts, Answers, Filters, Queried};
use anther::any::AnyFile;
use anther::recipe::{KeyForm, KeyRule, Reach};
#[cfg(feature = "http")]
use anther::remote::Reads;
use anther::{Key, Open};
use anther_records::extract::{self, Extractor};
use confirm::Hits;
use one::OneFilter;
use reload::{FileState, Reload};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Looks keys up in a filter.

Examples:
  anther check seen.anther https://example.org/
  anther check seen.anther < today.txt              lines that may be in the set
  anther check -v seen.anther < today.txt           lines that are certainly not in it
  anther check -c seen.anther < today.txt           the number of lines that may be
  anther check seen.anther -f monday.txt today.txt  the lines of files
  tail -f log | anther check -v seen.anther --reload | …
  if anther check -q seen.anther \"$url\"; then …; fi
  anther check seen.anther -- -v                    a key that looks like an option
  ssh host cat seen.anther | anther check - x        a filter from a pipe
  anther check today.anther --also old.anther < x   look up in both
  anther check seen.anther --confirm list.txt < x   exact: check hits against the list
  anther check log.anther --between 2026-11-17T08:00 2026-11-17T09:00
  anther check log.anther --ranges < hours.txt      lines whose two columns are a range
  anther check ads.anther https://a.ads.example/x   in a list of domains: by its host
  anther check threats.bloom.gz < today.txt         a filter of another system
  anther check dump.rdb --entry users alice         one of several filters in a file
  anther check data.parquet --entry trace_id 4bf92  which row groups may have it
  anther check https://host/list.anther alice       on a web server, by a few pages

Keys on the command line get a line each: maybe or no, a tab, and the key; with -v, only
keys that are not in the set do. Without keys, check reads standard input, or the files
of -f in order, and prints the lines that may be in the set, unchanged and without file
names. -f and -k take all names that follow, so the filter comes first.

A line that has arrived is answered at once, even if standard output is a pipe; only
--confirm waits for the end of the input. With --reload, a filter that was replaced on
disk answers from the next line on, and so do keys that anther add --shared has added.

A list of another format or letter case looks all clear. --expect LIST makes sure that
known members are found before anything is looked up.

Of a list of domains, URLs and e-mail addresses are found by their host, and hosts by
their parents: https://a.ads.example/x is found if ads.example is listed. --match exact
looks up the name alone. URLs are found by what they are below if build --match below
made the filter.

No is certain, except in kinds that forget (aging, stable, generalized). Maybe can be a
false positive; anther info prints the rate.

In a range filter (build --kind range), --between looks up a range, both bounds included. A
date as a bound is all its day, and 192.0.2.0/24 all addresses of the network. With --ranges, each
line has the bounds of a range in two columns, between blanks or tabs unless --format and
--column say otherwise. --also, --confirm, --expect and
--reload are for other filters.

Files of other systems (anther info --help lists them) are opened by their content, and
answer with that system's own hash. Most do not store what keys are: the default is text,
and --as int32, int64, float, double, utf16 or uuid is for other types. A column of a Parquet
file has its type, and keys on the command line get the numbers of the row groups that may
have them, from 0; --json prints them for lines, too.

A filter on a web server is not downloaded: check fetches the first 16 KiB of the file, which
it keeps, and then a page of 2 KiB per key, verified by its checksum. In a list of domains,
addresses or networks that is a page more for each level of the list at which the key is
below something; --match exact looks up the key alone. Any static server that answers range
requests will do. The filter is of kind blocked, split, fuse (three pages per key) or ribbon,
and is built with --pages; --page 64 fetches lines of 64 bytes, unverified, of any file of
these kinds. Up to 64 MiB of pages stay in memory, so that many keys fetch each page once. A
proxy is taken from ALL_PROXY, HTTPS_PROXY or HTTP_PROXY, in either case, and passed by for
the hosts of NO_PROXY. The server learns which pages are fetched, and so some bits of each
hash that is looked up: 20 of a filter of 2 GB, and 25 with --page 64. A keyed filter (build
--keyed) keeps what they mean from it. For https, cargo install takes --features https;
http needs nothing more.

The filter remembers how keys are read from the input, so you need not repeat those
options. If the key is a column by name, the first line is a header row: it is always
printed and never counted.";

const EXIT_CODES: &str = "Exit codes: 0 some key was selected; 1 none; 2 error.";

/// Look keys up in a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
// The file has its recipe, so these are rarely needed.
#[command(mut_args(|option| match option.get_id().as_str() {
    "null" | "form" | "ignore_case" | "trim" | "format" | "column" | "delimiter" | "header"
    | "no_header" | "no_quotes" | "keep_empty" | "skip_malformed" | "binary" => option.hide_short_help(true),
    _ => option,
}))]
pub struct Args {
    /// The filter; `-` is standard input, and http://… is on a web server
    filter: PathBuf,
    /// Keys to look up [default: the lines of standard input]
    #[arg(value_name = "KEY")]
    keys: Vec<OsString>,
    #[command(flatten)]
    inputs: InputArgs,
    /// Look up whether any key is from A to B; for range filters, repeatable
    #[arg(long, value_names = ["A", "B"], num_args = 2, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["keys", "named_keys", "ranges"])]
    between: Vec<OsString>,
    /// Lines are ranges, two columns each; for range filters
    #[arg(long, conflicts_with_all = ["keys", "named_keys"])]
    ranges: bool,
    /// Select keys that are not in the set
    #[arg(short = 'v', long, conflicts_with = "json")]
    invert: bool,
    /// Print only how many are selected
    #[arg(short, long)]
    count: bool,
    /// Print the line number before each line
    ///
    /// It starts at 1 in each file.
    #[arg(short = 'n', long, conflicts_with_all = ["count", "json", "keys", "named_keys"])]
    line_number: bool,
    /// Print nothing; only set the exit code
    #[arg(short, long, conflicts_with_all = ["count", "json", "line_number"])]
    quiet: bool,
    /// Print each answer as a line of JSON; with -c one JSON object
    #[arg(long)]
    json: bool,
    /// Flush after each line; lines that have arrived are answered at once anyway
    #[arg(long, hide_short_help = true)]
    #[arg(conflicts_with_all = ["count", "quiet", "confirm", "keys", "named_keys"])]
    line_buffered: bool,
    /// Find the key alone (exact), or also by what it is below (below)
    ///
    /// A domain is below its parent domains: a.b.example.org below b.example.org and example.org. An
    /// e-mail address is below @example.org if the list has that. A URL is below the same without its
    /// query, the folders that it is in, and the first page of its host and of the host's parents.
    /// An IP address or a network is below the networks that it is in.
    /// Looked up in a filter of domains, a URL or an address is its host. The default is how the filter
    /// was built, see build --match; below needs a filter that was built so. What a key is below is
    /// found by mistake less than once in a billion lookups, so the false-positive rate is that of one
    /// lookup.
    #[arg(long = "match", value_name = "HOW", hide_short_help = true, hide_possible_values = true)]
    matching: Option<Match>,
    /// Look keys up in this filter, too; lines name the filters that match
    #[arg(long, value_name = "FILTER")]
    also: Vec<PathBuf>,
    /// Look hits up in the original list, for exact answers
    ///
    /// The list is read once, as the filter's own list was, after all keys and only if there are
    /// hits. So answers come at the end of the input. Until then the hits are kept in memory, and
    /// standard input is copied to a temporary file unless it is a file.
    #[arg(long, value_name = "LIST", conflicts_with = "also")]
    confirm: Vec<PathBuf>,
    /// First make sure that all keys of this list are found
    ///
    /// A list of another format or letter case would look all clear. Give a few keys that are
    /// certainly in the set, in the format of the input: with --format and --column, they are read
    /// in the same way. They are looked up first, and if one is missing, check ends with exit code
    /// 2 before it looks up anything else.
    #[arg(long, value_name = "LIST")]
    expect: Vec<PathBuf>,
    /// Take up a filter that was replaced or added to on disk, between two lines
    ///
    /// A key is found from the line on that is read after anther add, or add --shared, has ended. On a
    /// network file system, changes by other machines are seen late, and a warning says so.
    ///
    /// If the new file cannot be read, the old filter answers, and a warning says so. If its seed
    /// is another, or what its keys are (--as, --ignore-case, --trim), check ends with an error.
    /// The input is read as before.
    ///
    /// To replace a filter, write a new file and rename it, as anther does. If a file that add --shared
    /// has open is truncated or overwritten in place, check ends with an error, or is ended by the
    /// system (SIGBUS) if that happens during a lookup.
    #[arg(long, hide_short_help = true)]
    #[arg(conflicts_with_all = ["confirm", "map", "keys", "named_keys"])]
    reload: bool,
    /// Map the file into memory instead of reading it: opens at once, but skips most checksums
    ///
    /// The header and all lengths are still verified, the cells are not. Nobody may write to the
    /// file or truncate it while it is mapped: answers would be undefined, or the program would
    /// crash. Replacing the file is safe, and anther add and anther build do just that. A file
    /// that is open for anther add --shared is read instead.
    #[arg(long, hide_short_help = true)]
    map: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
    #[command(flatten)]
    foreign: ForeignArgs,
    #[cfg(feature = "http")]
    #[command(flatten)]
    http: HttpArgs,
}

impl Args {
    /// The first option that makes no sense with `--quiet`, if one was given.
    pub fn conflict_with_quiet(&self) -> Option<&'static str> {
        let options = [
            ("--count", self.count),
            ("--json", self.json),
            ("--line-number", self.line_number),
            ("--line-buffered", self.line_buffered),
        ];
        options.iter().find(|(_, given)| *given).map(|(option, _)| *option)
    }

    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let files = match self.between.is_empty() || self.inputs.names_files() {
            true => self.inputs.files(&self.keys)?,
            false => Vec::new(),
        };
        if self.confirm.iter().any(|list| list.as_os_str() == "-") {
            let cause = "the list is read after the keys, and so must be a file; save it first";
            return Err(Stop::about("--confirm -", cause));
        }
        let lists: Vec<Input> = self.confirm.iter().cloned().map(Input::File).collect();
        lists.iter().try_for_each(Input::check)?;
        let expected = self.expected()?;
        if files.is_empty() && expected.is_empty() {
            self.recipe.refuse_input_options()?;
        }
        let paths: Vec<&Path> = self.filters().collect();
        filter_file::check_stdin(&paths, &[&files[..], &expected[..]].concat())?;
        if self.reload && paths.iter().any(|path| filter_file::is_stream(path)) {
            let cause = "needs a file that can be replaced, not standard input or a pipe";
            return Err(Stop::about("--reload", cause));
        }
        self.refuse_options_of_others(&paths)?;
        let states = paths.iter().map(|path| FileState::of(path)).collect();
        // Keys on the command line can be looked up again if the cache turns out to be old. What was
        // read of a stream cannot.
        let is_read_once = paths.iter().any(|path| filter_file::is_stream(path));
        let confirms = !files.is_empty() || !expected.is_empty() || is_read_once;
        let mut filters = if filter_file::is_web(&self.filter) {
            self.open(self.open_web(&self.filter, confirms)?, confirms)?
        } else {
            match self.open_file(&self.filter)? {
                Contents::Own(AnyFile::Range(range)) => return self.run_range(&range, &files),
                first => self.open(OneFilter::Here(self.one(&self.filter, first)?), confirms)?,
            }
        };
        filters.reading_built(&lists).check()?;
        if !expected.is_empty() {
            filters.expect(&expected)?;
        }
        let reload = self.reload.then(|| Reload::new(self, filters.clone(), states));

        let mut out = Out::stdout().line_buffered(self.line_buffered);
        let mut tally = AnswerCounts::default();
        match self.arguments(&filters, &lists, &mut tally, &mut out) {
            Err(_) if filters.is_replaced() && !confirms => {
                let again = self.open(self.open_one(&self.filter, true)?, true)?;
                again.count_also(&filters);
                filters = again;
                self.arguments(&filters, &lists, &mut tally, &mut out)?;
            }
            done => done?,
        }
        if tally.selected(false) == 0 {
            self.inputs.hint(&self.keys);
        }
        let is_known = self.quiet && tally.selected(self.invert) > 0;
        if !files.is_empty() && !is_known {
            self.records(files, (&filters, reload.as_ref()), &lists, &mut tally, &mut out)?;
        }
        let selected = tally.selected(self.invert);
        if self.count && !self.quiet {
            if self.json {
                out.json(&tally.shown(!lists.is_empty()))?;
            } else {
                out.line(format_args!("{selected}"))?;
            }
        }
        out.finish()?;
        #[cfg(feature = "http")]
        if self.http.stats {
            filters.say_stats(self.json);
        }
        Ok(if selected > 0 { Exit::Success } else { Exit::Nothing })
    }

    /// The paths of all filters.
    fn filters(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.filter).chain(&self.also).map(|path| &**path)
    }

    /// Refuses options for files if a filter is on the web, and the other way round.
    fn refuse_options_of_others(&self, paths: &[&Path]) -> Result<(), Stop> {
        let refuse = |option: &str, cause: String| {
            Err(Stop::about(option, format_args!("{cause}; leave it out")))
        };
        let Some(url) = paths.iter().find(|path| filter_file::is_web(path)) else {
            #[cfg(feature = "http")]
            if let Some(option) = self.http.first_given() {
                let path = output::shown(&self.filter);
                return refuse(option, format!("is for filters on the web, and {path} is not"));
            }
            return Ok(());
        };
        let url = output::shown(url);
        let given = [("--reload", self.reload), ("--map", self.map)];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            return refuse(option, format!("is for files, and {url} is on the web"));
        }
        match self.foreign.first_given() {
            Some(option) if paths.iter().all(|path| filter_file::is_web(path)) => refuse(
                option,
                format!(
                    "is for files of other systems, which are not read over the web as {url} is"
                ),
            ),
            _ => Ok(()),
        }
    }

    /// Opens all filters, of which the first is open.
    fn open(&self, first: OneFilter, confirms: bool) -> Result<Filters, Stop> {
        if !self.between.is_empty() || self.ranges {
            let option = if self.ranges { "--ranges" } else { "--between" };
            let path = output::shown(&self.filter);
            let cause = match (&first, first.kind()) {
                (OneFilter::Here(EitherFilter::Foreign(first)), _) => {
                    format!("{path} is a filter of {}", first.info().system)
                }
                (_, Some(kind)) => format!("{path} is {} {kind} filter", kind.article()),
                (_, None) => format!("{path} is no range filter"),
            };
            let next = "ranges are looked up in range filters: anther build OUT IN --kind range";
            return Err(Stop::about(option, format_args!("{cause}; {next}")));
        }
        let (mut filters, mut first) = (Filters::default(), Some(first));
        filters.says_row_groups = self.prints() && (self.json || self.also.is_empty());
        let mut says_form = !self.quiet && !self.recipe.names_form();
        for path in self.filters() {
            let filter = match first.take() {
                Some(first) => first,
                None => self.open_one(path, confirms)?,
            };
            let kind = filter.kind();
            if let Some(kind) = kind.filter(|kind| !kind.capabilities().no_false_negatives)
                && !self.quiet
            {
                Warning::Forgets(kind).say(path);
            }
            if kind.is_some() && filter.recipe().is_none() && says_form {
                output::complain(&format!(
                    "note: {}: made by a program, so its keys may be integers; if they are, use --as \
                     int (--as text if not)",
                    output::shown(path)
                ));
                says_form = false;
            }
            let how = filter.extraction(path, &self.recipe)?;
            let below = self.finds_below(path, how.rule, how.reach)?;
            filters.add(path, filter, how, below)?;
        }
        Ok(filters)
    }

    /// Opens a file.
    fn open_file(&self, path: &Path) -> Result<Contents, Stop> {
        let how = self.how_to_open(path)?;
        let opened = match self.map {
            true => filter_file::map(path, how).map(Contents::Own),
            false => {
                let files = self.foreign.among(!self.also.is_empty());
                files.open(path, how).map(|sized| sized.contents)
            }
        };
        opened.map_err(|error| filter_file::or_swapped(error, path, &self.keys))
    }

    /// The filter of a file that keys are looked up in.
    fn one(&self, path: &Path, contents: Contents) -> Result<EitherFilter, Stop> {
        match contents {
            Contents::Own(AnyFile::Filter(filter)) => Ok(EitherFilter::Own(Box::new(filter))),
            Contents::Own(AnyFile::Range(_)) => {
                Err(filter_file::explained(path, anther::LoadError::Range))
            }
            Contents::Foreign(file) => {
                if self.also.is_empty() {
                    self.key.refuse_for_foreign(path)?;
                }
                let files = self.foreign.among(!self.also.is_empty());
                files.choose(path, file).map(EitherFilter::Foreign)
            }
        }
    }

    /// Whether a key is found by what it is below.
    fn finds_below(&self, path: &Path, rule: KeyRule, reach: Option<Reach>) -> Result<bool, Stop> {
        let can = rule.form.has_levels() && rule.parts == 1;
        let form = rule.form.name();
        let stop = |cause: String| Err(Stop::about(output::shown(path), cause));
        match (self.matching, reach) {
            (Some(Match::Exact), _) => Ok(false),
            (_, Some(reach)) if reach.is_below() => Ok(true),
            (Some(Match::Below), _) if !can => stop(format!(
                "--match below is for filters of domains, e-mail addresses, URLs or networks, and its \
                 keys are {rule}; build it with --as domain, email, url or ip"
            )),
            (Some(Match::Below), _) => stop(format!(
                "its entries stand for themselves alone; build it again: anther build --as {form} \
                 --match below"
            )),
            // It has no networks, or says so.
            (None, None) if rule.form == KeyForm::Ip => Ok(false),
            (None, None) if can && rule.form != KeyForm::Url && !self.quiet => {
                output::note(&format!(
                    "note: {}: made by a program or an earlier release, so a key is not found by what it \
                     is below; build it again with --as {form} if it should be, or say --match exact",
                    output::shown(path)
                ));
                Ok(false)
            }
            (None, _) => Ok(false),
        }
    }

    /// Opens one of the filters.
    fn open_one(&self, path: &Path, confirms: bool) -> Result<OneFilter, Stop> {
        match filter_file::is_web(path) {
            true => self.open_web(path, confirms),
            false => self.one(path, self.open_file(path)?).map(OneFilter::Here),
        }
    }

    /// Opens a filter on a web server, and may confirm what the cache knows of it.
    #[cfg(feature = "http")]
    fn open_web(&self, path: &Path, confirms: bool) -> Result<OneFilter, Stop> {
        let how = self.key.open_web(!self.also.is_empty())?;
        let filter = WebFilter::open(path, how, &self.http, confirms)?;
        if self.http.reads() == Reads::Lines && !self.quiet {
            let path = output::shown(path);
            output::note(&format!("{path}: what is fetched with --page 64 is not verified"));
        }
        Ok(OneFilter::Web(Box::new(filter)))
    }

    #[cfg(not(feature = "http"))]
    fn open_web(&self, path: &Path, _confirms: bool) -> Result<OneFilter, Stop> {
        let cause = "this program was installed without lookups over the web; install it with \
                     --features http, or download the file";
        Err(Stop::about(output::shown(path), cause))
    }

    fn how_to_open(&self, path: &Path) -> Result<Open, Stop> {
        match self.also[..] {
            [] => self.key.open(path),
            _ => self.key.open_if_keyed(path),
        }
    }

    /// The lists of `--expect`.
    fn expected(&self) -> Result<Vec<Input>, Stop> {
        let lists = if self.expect.is_empty() { Vec::new() } else { Input::all(&self.expect) };
        lists.iter().try_for_each(Input::check)?;
        Ok(lists)
    }

    /// Whether answers are printed one by one.
    fn prints(&self) -> bool {
        !self.quiet && !self.count
    }

    /// Whether records are printed as they are, with nothing before or after each.
    fn prints_records(&self, out: &Out) -> bool {
        let has_more = self.json || self.line_number || !self.also.is_empty();
        self.prints() && !has_more && !out.is_by_record()
    }

    fn arguments(
        &self,
        filters: &Filters,
        lists: &[Input],
        tally: &mut AnswerCounts,
        out: &mut Out,
    ) -> Result<(), Stop> {
        let arguments = self.inputs.keys(&self.keys);
        let mut taken = Extractor::new(&filters.how);
        let mut keys = Vec::new();
        let mut hashes = vec![Vec::new(); filters.seeds.len()];
        for argument in &arguments {
            let key = taken.argument(argument.as_encoded_bytes()).map_err(|error| {
                let more = filters.how.about_refused(&error);
                Stop::about(argument.to_string_lossy(), format_args!("{error}{more}"))
            })?;
            for (seed, hashes) in filters.seeds.iter().zip(&mut hashes) {
                hashes.push(key.key_hash(seed));
            }
            keys.push(extract::bytes_of(key).into_owned());
        }
        let bytes = |at: usize| keys[at].as_slice();
        let mut hits = None;
        if !lists.is_empty() {
            let mut found = Hits::default();
            for (hash, key) in filters.hits_of(&hashes, bytes)? {
                found.add(hash, &key)?;
            }
            found.look_up(filters.reading_built(lists), self.quiet)?;
            hits = Some(found);
        }
        let answers = filters.answers_for(&hashes, bytes, hits.as_ref())?;
        tally.add(answers.yes());
        for (at, argument) in arguments.iter().enumerate() {
            // With -v only the keys that it selects; without it, each has its line.
            if self.prints() && !(self.invert && answers.yes()[at]) {
                let subject = Queried::Key(argument.as_encoded_bytes());
                self.answer(filters, subject, &answers, at, out)?;
                out.end_answer()?;
            }
        }
        Ok(())
    }

    fn records(
        &self,
        mut sources: Vec<Input>,
        (filters, reload): (&Filters, Option<&Reload<'_>>),
        lists: &[Input],
        tally: &mut AnswerCounts,
        out: &mut Out,
    ) -> Result<(), Stop> {
        input::say_if_typed(&sources);
        let mut hits = None;
        if !lists.is_empty() {
            // All hits must be known before the list is read, so the input is read twice.
            for source in &mut sources {
                if matches!(source, Input::Stdin) {
                    *source = Input::held()?;
                } else if !source.can_be_read_again() {
                    let cause =
                        "cannot be read twice, as --confirm does; pipe it to standard input";
                    return Err(Stop::about(source.name(), cause));
                }
            }
            let mut found = filters.hits(&sources)?;
            found.look_up(filters.reading_built(lists), self.quiet)?;
            hits = Some(found);
        }
        let end: Vec<u8> = filters.how.separator().into_iter().collect();
        let (mut last_head, mut last_is_whole) = (None, true);
        let read = filters.reading(&sources).each_part(
            &filters.seeds,
            hits.is_some() || filters.needs_keys(),
            |part| {
                // Once per block, after its lines have arrived.
                let reloaded = reload.map(Reload::filters).transpose()?;
                let filters = reloaded.as_deref().unwrap_or(filters);
                filters.answers_for(part.hashes, |at| part.key(at), hits.as_ref())
            },
            |keyed, answers: Result<Answers, Stop>| {
                let answers = answers?;
                if let Some(head) = keyed.head
                    && self.prints()
                    && !self.json
                    && last_head.as_deref() != Some(head)
                {
                    // The output has the columns of the input, and the next program in the pipe,
                    // such as another check, expects the header row.
                    last_head = Some(head.to_vec());
                    self.number(1, out)?;
                    out.record(head)?;
                }
                let yes = answers.yes();
                tally.add(yes);
                if self.prints_records(out) {
                    for run in keyed.records.runs(|at| yes[at] != self.invert) {
                        if !last_is_whole {
                            out.record(&end)?;
                        }
                        last_is_whole = filters.how.is_whole(run);
                        out.record(run)?;
                    }
                } else if self.prints() {
                    for (at, (number, record)) in keyed.records.numbered().enumerate() {
                        if !self.json && yes[at] == self.invert {
                            continue;
                        }
                        // The last line of a file may lack its end, and the next file goes on.
                        if !last_is_whole {
                            out.record(&end)?;
                        }
                        last_is_whole = self.json || filters.how.is_whole(record);
                        let subject = Queried::Record(number, record);
                        self.answer(filters, subject, &answers, at, out)?;
                        out.end_answer()?;
                    }
                }
                out.end_block(keyed.next_is_ready)?;
                let enough = self.quiet && tally.selected(self.invert) > 0;
                Ok(if enough { ENOUGH } else { ON })
            },
        )?;
        if !self.quiet {
            read.say_left_out();
        }
        Ok(())
    }
}
