//! `build`: makes a filter from lists of keys.

mod exact;
mod foreign;
mod make;
#[cfg(feature = "parquet")]
mod parquet;
mod protected;
mod range;
mod report;

use crate::description::Description;
use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file::{self, Destination};
use crate::foreign_file::{self, FormatArg};
use crate::input::{self, Input};
use crate::input_args::InputArgs;
use crate::keys::Counts;
use crate::kind_args::{HEADING, KindArgs, parse_items};
use crate::out_args::OutArgs;
use crate::output;
use crate::recipe_args::{Match, RecipeArgs, parse_column};
use crate::secret_key::{KeyArgs, NewKey};
use crate::units;
use crate::warning::Warning;
use anther::recipe::{Column, KeyForm, KeyRule, Reach};
use anther::{AnyFilter, Filter, Kind, Seed};
use anther_records::extract::Extraction;
use anther_records::looks::Look;
use make::{BuildInput, Built, Wide};
use serde::Serialize;
use std::borrow::Cow;
use std::path::PathBuf;

const ABOUT: &str = "\
Makes a filter from lists of keys, one key per line.

Examples:
  anther build seen.anther urls.txt
  anther build seen.anther monday.txt tuesday.txt --fpr 0.1%
  anther build seen.anther urls.gz --items 10M          zstd, xz and bzip2 work, too
  anther build seen.anther -k alice bob                 keys instead of files
  anther build -o - urls.txt | ssh host 'cat > seen.anther'
  anther build leaked.anther hashes.txt --as hex --delimiter : --column 1
  anther build seen.anther urls.txt --keyed --key-file seen.key
  anther build people.anther people.csv --column mail --ignore-case --trim
  anther build bad.anther bad.txt --never-wrong-on good.txt
  anther build seen.anther log.csv --column time --as time --kind range --span 1h
  anther build ids.anther ids.txt --exact --as int      a set that can be listed
  anther build seen.anther pwned.csv --kind bloomier --column hash --values count --bands
  anther build list.anther urls.txt --pages             to be put on a web server
  anther build users.bloom ids.txt --to guava64 --as int64     for a Java service
  anther build out.parquet in.parquet --to parquet --column id  a copy with filters

The filter remembers how keys were read from the input, and all other verbs read theirs
the same way. A line ends with LF or CR LF. A byte order mark is skipped. Inputs that are
no such lists are refused by name: lines that end with CR, or with NUL without -0, text in
UTF-16, archives, databases, executables. --binary reads them all the same.

Without --items, anther first counts the distinct keys, then makes the filter for exactly
that number, or --headroom times as many. This keeps the hashes in memory, 8 bytes each.
With --items it makes the filter first and inserts the keys as it reads them.

Kinds that remove (counting, dleft, variable-increment, deletable, spectral, quotient,
cuckoo) and kinds that forget (aging, stable, generalized) get every copy of a repeated
key, in order. So a key that is listed twice is still there after it was removed once. Without
--items, only half as many keys then fit into --memory. With --distinct they get each key
once. variable-increment and deletable are not made for copies: in the first they raise
the false-positive rate, and in the second such keys cannot be removed.

Static kinds (fuse, ribbon, cascade, bloomier) are built once, from all keys, however many
--items says. With it, files are read several times if the hashes do not fit into --memory.
bloomier stores a value with each key, from lines of key<TAB>value: the key is the first
column, or --column, and the value is the last column, or --values, a whole number. With
--bands, counts are stored as powers of two, in three bits. anther get looks values up.

With --to the filter is one of another system, as that would write it. Without --items the
input is read twice. A Parquet file as the input of --to parquet is copied, with a filter for
each --column in every row group; that needs anther installed with --features parquet.

With --never-wrong-on LIST the filter is a cascade: it says yes to every key of IN and no
to every key of LIST, without exception. Only keys in neither list can be false positives.
Each list is read once. Building takes about 40 bytes of memory per key of IN, of which 8
count for --memory, and none per key of LIST, however long it is.

aging keeps the latest keys of an endless stream and forgets older ones. --window or
--items says how many are surely found; every copy of a key counts. stable keeps about
the latest keys; generalized forgets, too. Only these three kinds have false negatives.

range answers whether any key is between two others: anther check --between A B. Its keys
are whole numbers, times, IPv4 addresses (--as int, time or ip), or text of up to eight
bytes (--as text, if all of it is digits). It is static, takes 8 bytes of --memory per key,
and its file shows how far keys are apart, even if it is keyed.";

const USAGE: &str = "anther build [OPTIONS] <OUT> [IN]...
       anther build [OPTIONS] -o <OUT> [IN]...";

const EXIT_CODES: &str = "Exit codes: 0 built; 2 error.";

/// Make a filter from lists of keys
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES, override_usage = USAGE)]
pub struct Args {
    #[command(flatten)]
    out: OutArgs,
    /// Lists of keys; `-` is standard input [default: -]
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    named: InputArgs,
    #[command(flatten)]
    kind: KindArgs,
    /// bloomier: column of the value, by number, name or JSON path [default: the last]
    ///
    /// The input is CSV unless --format says otherwise, and the key is the first column unless
    /// --column does.
    #[arg(long, value_name = "COLUMN", value_parser = parse_column)]
    #[arg(help_heading = HEADING, hide_short_help = true)]
    values: Option<Column>,
    /// bloomier: store the band of each count, 1, 2-3, 4-7, 8-15 and so on, in three bits
    ///
    /// A band is a power of two. The last one, 128 in three bits, has all larger counts;
    /// --value-bits 4 gives 16 bands and 5 gives 32.
    #[arg(long, help_heading = HEADING, hide_short_help = true)]
    bands: bool,
    /// Store the keys themselves: no false positives, and anther list prints them
    ///
    /// Keys are integers of 64 bits (--as int) or texts of up to eight bytes. A hundred thousand take
    /// 64 bits each, sixty million 45. -1 and 2^64-1 are the same 64 bits: list --signed prints the
    /// first.
    #[arg(long, hide_short_help = true)]
    #[arg(conflicts_with_all = ["kind", "headroom", "keyed", "seed", "distinct", "memory", "never_wrong_on", "span"])]
    exact: bool,
    /// Make a filter of another system: guava64, spark2, parquet and others; --help lists all
    ///
    /// The filter has the size that this system would give it, and the bytes that it would write. Keys
    /// are the bytes that it hashes: text as UTF-8, or another type with --as, such as --as int64 for
    /// Guava's longFunnel. Such a file does not store what keys are.
    #[arg(long, value_name = "FORMAT", value_parser = foreign_file::formats())]
    #[arg(hide_short_help = true)]
    to: Option<FormatArg>,
    /// False-positive rate, such as 0.1% or 1e-6 [default: 1%]
    ///
    /// A false positive is a maybe for an absent key. With --never-wrong-on, the rate is that of
    /// keys in neither list, and by default whatever makes the filter smallest.
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    #[arg(allow_hyphen_values = true)]
    fpr: Option<f64>,
    /// Number of distinct keys, such as 10M [default: counted]
    ///
    /// Give the number of entries with --as domain, and with --as url --match below. With --as email
    /// and ip, an entry that stands for many keys counts as several of these; see --match.
    #[arg(long, value_name = "N", value_parser = parse_items)]
    #[arg(allow_hyphen_values = true)]
    items: Option<u64>,
    /// Make it for this many times the counted keys, such as 2x, to leave room
    ///
    /// For keys that are added or merged later. Filters merge only if they have the same size: give
    /// parts with different numbers of keys the same --items instead.
    #[arg(long, value_name = "FACTOR", conflicts_with = "items", value_parser = parse_headroom)]
    #[arg(allow_hyphen_values = true, hide_short_help = true)]
    headroom: Option<f64>,
    /// range: longest range to look up, such as 1024, 1h or /24
    ///
    /// Ranges of this length have at most the false-positive rate of --fpr. Longer ones are answered,
    /// too, at a higher rate. A number of integers; of texts as long as the longest key, so that 256 is
    /// any last byte; or of seconds. With --as time a duration in ns, us, ms, s, m, h, d or w; with
    /// --as ip a network such as /24. Times are kept to the second, or to the unit of a shorter span.
    #[arg(long, value_name = "SPAN", value_parser = range::parse_span)]
    #[arg(allow_hyphen_values = true)]
    #[arg(help_heading = "Options for specific kinds", hide_short_help = true)]
    span: Option<range::Span>,
    /// Seed of the hash; another seed gives other false positives, but no security
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_seed)]
    #[arg(allow_hyphen_values = true, hide_short_help = true)]
    seed: u64,
    /// Make a keyed filter: only the owner of its secret key can query it
    ///
    /// Use this if strangers choose the keys: without the secret key, nobody can craft keys that
    /// are false positives. The key is read from --key-file; if that file does not exist, it is
    /// made with a new random key. Without the option, the environment variable ANTHER_KEY_FILE
    /// names the file, or ANTHER_KEY is the key.
    #[arg(long, conflicts_with = "seed", hide_short_help = true)]
    keyed: bool,
    #[command(flatten)]
    key: KeyArgs,
    /// Add a checksum of each page, for lookups over the web
    ///
    /// anther check https://host/FILTER then verifies what it fetches. The file gets 0.4 % larger, and
    /// cannot be changed with add --shared; add and remove keep the checksums.
    #[arg(long, hide_short_help = true, conflicts_with_all = ["to", "exact", "span"])]
    pages: bool,
    /// Memory for the hashes, without --items or for static kinds [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_bytes, hide_short_help = true)]
    #[arg(allow_hyphen_values = true)]
    memory: Option<u64>,
    /// Insert each key once, for kinds that remove or forget
    #[arg(long, conflicts_with = "items", hide_short_help = true)]
    distinct: bool,
    /// Describe the result as one JSON object on standard output
    #[arg(long, hide_short_help = true)]
    json: bool,
    /// Print only warnings and errors
    #[arg(short, long)]
    quiet: bool,
    /// What domains, e-mail addresses, URLs and networks of the list stand for: below or exact
    ///
    /// below: ads.example stands for every host below it, *@spam.example for every address there,
    /// 203.0.113.0/24 for its addresses, and a URL for what is below its path. check then also looks
    /// up what a key is below, at the levels that the list has. Such an entry is inserted as several
    /// keys, 5 at 1 % and 3 at 0.1 %, since one false positive of it would take everything below.
    /// The default for --as domain, email and ip. With --as email only entries such as
    /// *@spam.example take more than one key, and with --as ip only networks.
    /// exact: every entry stands for itself alone. The default for URLs, for cascades, and for kinds
    /// that forget. But networks, and entries such as *@spam.example, are refused there unless you
    /// say --match exact, since their addresses would not be found.
    #[arg(long = "match", value_name = "HOW", hide_short_help = true, hide_possible_values = true)]
    #[arg(conflicts_with_all = ["to", "exact", "span"])]
    matching: Option<Match>,
    #[command(flatten)]
    recipe: RecipeArgs,
}

/// What to do about a network, or all addresses of a domain, in the list of a filter of this kind.
fn no_networks(kind: Kind) -> Cow<'static, str> {
    match kind.capabilities().no_false_negatives {
        true => "add --match below, and its addresses are found".into(),
        false => format!(
            "{}: list its addresses, or choose another --kind; with --match exact it is a key of its own",
            forgets_entries(kind)
        )
        .into(),
    }
}

fn forgets_entries(kind: Kind) -> String {
    format!("{} {kind} filter forgets entries key by key", kind.article())
}

fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("not a whole number from 0 to {}", u64::MAX))
}

/// `2x`, `2` or `1.5x`.
fn parse_headroom(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix(['x', 'X']).unwrap_or(text);
    let factor = number.parse::<f64>().ok().filter(|factor| (1.0..=1000.0).contains(factor));
    factor.ok_or("a factor from 1 to 1000 is needed, such as 2x or 1.5x".to_string())
}

/// What `--json` prints.
#[derive(Serialize)]
struct BuildJson<'a> {
    file: Cow<'a, str>,
    #[serde(flatten)]
    read: Counts,
    /// What was read of the lists of --never-wrong-on.
    #[serde(rename = "never_wrong_on", skip_serializing_if = "Option::is_none")]
    others: Option<Counts>,
    #[serde(flatten)]
    description: Description,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        if let Some(stop) = self.out.given_twice() {
            return Err(stop);
        }
        if let Some(format) = self.to {
            return self.run_foreign(format);
        }
        if self.kind.is_range() {
            if self.pages {
                let cause = "is for lookups over the web, which range filters do not have";
                return Err(Stop::about("--pages", format_args!("{cause}; leave it out")));
            }
            return self.run_range();
        }
        if self.span.is_some() {
            return Err(Stop::about("--span", "is for range filters; add --kind range"));
        }
        if self.pages {
            filter_file::check_pages(self.kind.kind())?;
        }
        let destination = self.out.destination(self.json)?.with_pages(self.pages);
        let mut how = self.extraction()?;
        how.reach = self.reach(how.rule)?;
        how.counts_networks =
            !self.recipe.names_form() && how.rule.form == KeyForm::Text && how.rule.parts == 1;
        let has_no_networks = match how.rule.form {
            KeyForm::Ip => how.reach.is_none(),
            KeyForm::Email => self.matching.is_none() && how.reach == Some(Reach::EXACT),
            _ => false,
        };
        how.no_networks = has_no_networks.then(|| no_networks(self.kind.kind()));
        let sources = self.named.sources(&self.out.inputs(&self.inputs), "insert")?;
        let others = self.kind.others()?;
        let all: Vec<Input> = sources.iter().chain(&others).cloned().collect();
        filter_file::check_stdin(&[], &all)?;
        self.check(&destination, &all)?;
        if self.exact {
            input::say_if_typed(&sources);
            return self.run_exact(&destination, &sources, &how);
        }
        if self.distinct && !self.kind.takes_every_occurrence() {
            let kind = self.kind.kind();
            let article = kind.article();
            output::note(&format!(
                "--distinct: {article} {kind} filter has each key once in any case"
            ));
        }
        let key = if self.keyed { Some(self.key.for_new(&destination)?) } else { None };
        let seed = key.as_ref().map_or(Seed::chosen(self.seed), NewKey::seed);
        input::say_if_typed(&all);

        let wide = Wide::default();
        let (sources, others, how) = (&sources[..], &others[..], &how);
        let input = BuildInput { args: self, sources, others, how, seed, wide: &wide };
        let mut built = input.make()?;
        built.filter.set_recipe(Some(how.recipe()));
        built.filter.add_levels(built.levels);
        let Built { filter, read, others, .. } = &built;
        self.say_looks(sources, read);
        let key_file = key.as_ref().map(NewKey::write).transpose()?;
        let keep = || key_file.into_iter().for_each(|file| file.keep(self.quiet));
        let bytes = destination.save_then(filter, keep)?;

        let profile = filter.profile();
        if let Some(warning) = Warning::of(filter, &profile) {
            warning.say(destination.path());
        }
        if let AnyFilter::Weighted(weighted) = filter
            && weighted.hot_keys() == 0
            && let Some(source) = self.kind.hot()?
        {
            Warning::NothingHot { queries: source.name().to_string() }.say(destination.path());
        }
        if !self.quiet {
            self.report(destination.path(), &built, &profile, bytes);
        }
        if self.json {
            self.report_json(&destination, filter, (*read, *others), bytes)?;
        }
        Ok(Exit::Success)
    }

    /// Says what the keys look like, if nobody said what they are.
    fn say_looks(&self, sources: &[Input], read: &Counts) {
        let list = sources.iter().find(|source| !matches!(source, Input::Keys(_)));
        let (Some(list), false) = (list.or(sources.first()), self.recipe.names_form()) else {
            return;
        };
        let (look, Counts { networks, keys, .. }) = (read.looks.look(), *read);
        if networks > 0 {
            let alone = matches!(look, Some((Look::Addresses, true))) || networks == keys;
            Warning::Networks { networks, keys, alone }.say_of_input(&list.name());
        } else if let Some((look, all)) = look {
            Warning::LooksLike { look, all }.say_of_input(&list.name());
        }
    }

    /// Prints what `--json` does.
    fn report_json(
        &self,
        destination: &Destination,
        filter: &AnyFilter,
        (read, others): (Counts, Option<Counts>),
        bytes: u64,
    ) -> Result<(), Stop> {
        let file = self.out.path().to_string_lossy();
        let description = Description::new(filter, &filter.profile(), Some(bytes));
        let description = description.pages(Some(self.pages));
        let done = format_args!("{} is written", destination.path().display());
        output::report(&BuildJson { file, read, others, description }, done)
    }

    /// What the entries of the list stand for.
    fn reach(&self, rule: KeyRule) -> Result<Option<Reach>, Stop> {
        let kind = self.kind.kind();
        let can = rule.form.has_levels() && rule.parts == 1;
        let forgets = !kind.capabilities().no_false_negatives;
        match self.matching {
            Some(Match::Below) if !can => Err(Stop::about(
                "--match below",
                format_args!(
                    "is for lists of domains, e-mail addresses, URLs or networks, and these keys are \
                     {rule}; add --as domain, email, url or ip"
                ),
            )),
            Some(Match::Below) if forgets => Err(Stop::about(
                "--match below",
                format_args!("{}; choose another --kind", forgets_entries(kind)),
            )),
            Some(Match::Below) => Ok(Some(Reach::below(self.fpr()))),
            _ if !can => Ok(None),
            None if rule.form == KeyForm::Url => Ok(None),
            None if !forgets && kind != Kind::Cascade => Ok(Some(Reach::below(self.fpr()))),
            // A network would be a key of its own, and its addresses would not be found.
            None if rule.form == KeyForm::Ip => Ok(None),
            _ => Ok(Some(Reach::EXACT)),
        }
    }

    /// How keys, and values, are read from the inputs.
    fn extraction(&self) -> Result<Extraction, Stop> {
        if self.kind.keeps_values() {
            let mut how = self.recipe.extraction_of_values(self.values.as_ref())?;
            if let Some(value) = &mut how.value {
                value.bands = self.bands;
            }
            return Ok(how);
        }
        for (option, given) in [("--values", self.values.is_some()), ("--bands", self.bands)] {
            if given {
                let kind = self.kind.kind();
                let cause = format!("{kind} filters store no values; add --kind bloomier");
                return Err(Stop::about(option, cause));
            }
        }
        self.recipe.extraction()
    }

    /// Checks the arguments before anything is read.
    fn check(&self, destination: &Destination, sources: &[Input]) -> Result<(), Stop> {
        self.kind.check(self.items, self.fpr())?;
        self.kind.hot()?;
        if self.headroom.is_some()
            && let Some(cause) = self.kind.no_headroom()
        {
            return Err(Stop::about("--headroom", cause));
        }
        if !self.keyed {
            self.key.refuse()?;
        }
        if self.memory.is_some() && self.streams().is_some() && self.kind.hot()?.is_none() {
            let cause = "is for counting keys, and their number is given; leave it out";
            return Err(Stop::about("--memory", cause));
        }
        if sources.iter().all(|source| matches!(source, Input::Keys(_))) {
            self.recipe.refuse_input_options()?;
        }
        for source in sources {
            if matches!(source, Input::Keys(_)) && self.kind.keeps_values() {
                let cause = "a key alone has no value; give lines of key<TAB>value";
                return Err(Stop::about("-k", cause));
            }
            if let Input::File(path) = source
                && destination.is(path)
            {
                let cause = "is both input and output; name another file for the filter";
                return Err(Stop::about(path.display(), cause));
            }
        }
        Ok(())
    }

    /// How many keys the filter is made for, if keys are inserted as they are read, without being
    /// kept in memory.
    fn streams(&self) -> Option<u64> {
        let window = self.kind.window().filter(|_| !self.distinct);
        self.items.or(window).filter(|_| !self.kind.is_static())
    }

    /// The false-positive rate.
    fn fpr(&self) -> f64 {
        self.fpr.unwrap_or(0.01)
    }

    /// The rate of a cascade; `None`: whatever makes it smallest. An entry that stands for many keys
    /// would then be inserted as up to 64.
    fn cascade_fpr(&self) -> Option<f64> {
        self.fpr.or((self.matching == Some(Match::Below)).then_some(self.fpr()))
    }

    /// The memory for hashes.
    fn memory(&self) -> u64 {
        self.memory.unwrap_or(1 << 30)
    }

    /// How many keys the filter is made for if `keys` were counted.
    fn with_headroom(&self, keys: u64) -> u64 {
        match self.headroom {
            Some(factor) => units::whole((keys as f64 * factor).ceil()),
            None => keys,
        }
    }

    /// Whether every copy of a repeated key is inserted.
    fn takes_every_occurrence(&self) -> bool {
        self.kind.takes_every_occurrence() && !self.distinct
    }
}
