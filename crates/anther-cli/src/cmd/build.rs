//! `build`: a filter from lists of keys.

use crate::describe::{self, Description, whole};
use crate::distinct::Distinct;
use crate::exit::{Exit, Outcome, Stop};
use crate::file::Destination;
use crate::input::Source;
use crate::keys::KeyReader;
use crate::kind::KindArgs;
use crate::output::{self, Out};
use crate::progress::Progress;
use crate::recipe::RecipeArgs;
use crate::units;
use crate::values;
use crate::warning::Warning;
use anther::{AnyFilter, Filter, KeyHash, Profile, Queries, Recipe, Seed};
use serde::Serialize;
use std::path::PathBuf;

const ABOUT: &str = "\
Makes a filter from keys: one a line, or as the options below say.

Examples:
  anther build seen.anther urls.txt
  anther build seen.anther monday.txt tuesday.txt --fpr 0.1%
  zcat urls.gz | anther build seen.anther --items 10M
  anther build leaked.anther hashes.txt --hex --delimiter : --column 1
  anther build people.anther people.csv --column mail --ignore-case --trim

The file remembers how keys were taken from the input, and check does the same.

Without --items, keys are counted first: their hashes are kept in memory, 8 bytes
each, and the filter is made for exactly as many as are distinct. With --items the
filter is made at once and keys stream into it. Then a key that comes twice goes in
twice, which matters to kinds that remove or count. Kinds that count, or forget, get
every key as it comes in any case, and half of --memory for them.

Kinds that do not change, fuse and ribbon, are solved from all keys at once. bloomier
keeps a value with each key; its lines are key<TAB>value, the value a whole number.

Two kinds forget: stable, which remembers the latest keys of an endless stream, and
generalized. A no of theirs is not certain; all other kinds never forget a key.";

const EXIT_CODES: &str = "Exit codes: 0 made; 2 error.";

/// Make a filter from lists of keys
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The filter to make
    out: PathBuf,
    /// Lists of keys; `-` or none: standard input
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    kind: KindArgs,
    /// Rate of false alarms, such as 0.1% or 1e-6
    ///
    /// A false alarm is a maybe to an absent key.
    #[arg(long, value_name = "RATE", default_value = "1%", value_parser = units::parse_rate)]
    #[arg(allow_negative_numbers = true)]
    fpr: f64,
    /// For how many distinct keys, such as 10M [default: as come]
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    #[arg(allow_negative_numbers = true)]
    items: Option<u64>,
    /// Seed of the hash; another seed gives other false alarms, not secrecy
    #[arg(long, value_name = "N", default_value = "0", value_parser = parse_seed)]
    #[arg(allow_negative_numbers = true, hide_short_help = true)]
    seed: u64,
    /// Without --items: how much memory the hashes may take
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = units::parse_bytes)]
    #[arg(hide_short_help = true)]
    memory: u64,
    /// Replace OUT where it exists
    #[arg(short, long)]
    force: bool,
    /// Describe the filter as one JSON object on standard output
    #[arg(long, hide_short_help = true)]
    json: bool,
    /// Say nothing but warnings and errors
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    recipe: RecipeArgs,
}

fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a whole number is needed, from 0 to {}", u64::MAX))
}

/// What `--json` prints.
#[derive(Serialize)]
struct Made<'a> {
    file: std::borrow::Cow<'a, str>,
    /// Keys that came, with repetitions.
    read: u64,
    #[serde(flatten)]
    description: Description,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let destination = Destination::new(&self.out, self.force)?;
        let mut recipe = self.recipe.recipe()?;
        if self.kind.keeps_values() {
            recipe = values::recipe(recipe);
        }
        let sources = Source::all(&self.inputs);
        self.check(&destination, &sources)?;
        if !self.quiet && sources.iter().any(Source::is_typed) {
            output::complain("reading keys from the terminal, one a line; end with Ctrl-D");
        }

        let (mut filter, read) = match self.items {
            _ if self.kind.keeps_values() => self.map(&sources, &recipe)?,
            _ if self.kind.is_static() => self.solve(&sources, &recipe)?,
            Some(items) => self.stream(items, &sources, &recipe)?,
            None => self.collect(&sources, &recipe)?,
        };
        filter.set_recipe(Some(recipe));
        let bytes = destination.save(&filter)?;

        let profile = filter.profile();
        if let Some(warning) = Warning::of(&profile) {
            warning.say(destination.path());
        }
        if let AnyFilter::Weighted(weighted) = &filter
            && weighted.hot_keys() == 0
            && let Some(source) = self.kind.hot()?
        {
            Warning::NothingHot { queries: source.name().to_string() }.say(destination.path());
        }
        if !self.quiet {
            self.report(&profile, read, bytes);
        }
        if self.json {
            let file = self.out.to_string_lossy();
            let description = Description::new(&filter, &profile, Some(bytes));
            let mut out = Out::stdout();
            out.json(&Made { file, read, description })?;
            out.finish()?;
        }
        Ok(Exit::Success)
    }

    /// Finds what is wrong before anything is read.
    fn check(&self, destination: &Destination, sources: &[Source]) -> Result<(), Stop> {
        self.kind.check(self.items, self.fpr)?;
        self.kind.hot()?;
        for source in sources {
            source.check()?;
            if let Source::File(path) = source
                && destination.is(path)
            {
                let cause = "both input and output; name another file for the filter";
                return Err(Stop::about(path.display(), cause));
            }
        }
        Ok(())
    }

    fn empty(&self, items: u64, recipe: &Recipe) -> Result<AnyFilter, Stop> {
        let queries = self.kind.hot()?.map(|source| self.queries(source, recipe)).transpose()?;
        self.kind.empty(items, self.fpr, Seed::chosen(self.seed), queries)
    }

    /// How often each key was asked.
    fn queries(&self, source: Source, recipe: &Recipe) -> Result<Queries, Stop> {
        let mut asked = Distinct::keeping_all(self.memory);
        self.each(&[source], recipe, |source, hashes| self.keep(&mut asked, source, hashes))?;
        let asked = asked.finish().0.into_iter().map(|key| (key, 1));
        Queries::counted(asked).map_err(|error| Stop::Error(error.to_string()))
    }

    fn keep(&self, kept: &mut Distinct, source: &Source, hashes: &[KeyHash]) -> Result<(), Stop> {
        kept.extend(hashes).map_err(|_| {
            let cause = format!(
                "more keys than {} of memory hold; say how many there are with --items, \
                 or raise --memory",
                units::size(self.memory)
            );
            Stop::about(source.name(), cause)
        })
    }

    /// Puts keys in as they come.
    fn stream(
        &self,
        items: u64,
        sources: &[Source],
        recipe: &Recipe,
    ) -> Result<(AnyFilter, u64), Stop> {
        let mut filter = self.empty(items, recipe)?;
        let read = self.each(sources, recipe, |_, hashes| insert(&mut filter, hashes))?;
        Ok((filter, read))
    }

    /// Counts the distinct keys and makes a filter for just so many.
    fn collect(&self, sources: &[Source], recipe: &Recipe) -> Result<(AnyFilter, u64), Stop> {
        let mut distinct = match self.kind.takes_every_occurrence() {
            true => Distinct::keeping_all(self.memory),
            false => Distinct::within(self.memory),
        };
        let read =
            self.each(sources, recipe, |source, hashes| self.keep(&mut distinct, source, hashes))?;
        let (hashes, distinct) = distinct.finish();
        // A target needs an item; without any key the filter says no to everything.
        let mut filter = self.empty(distinct.max(1), recipe)?;
        insert(&mut filter, &hashes)?;
        Ok((filter, read))
    }

    /// Makes a filter from all keys at once.
    fn solve(&self, sources: &[Source], recipe: &Recipe) -> Result<(AnyFilter, u64), Stop> {
        let mut distinct = Distinct::within(self.memory);
        let read =
            self.each(sources, recipe, |source, hashes| self.keep(&mut distinct, source, hashes))?;
        let (hashes, distinct) = distinct.finish();
        let items = self.items.unwrap_or(distinct).max(1);
        let seed = Seed::chosen(self.seed);
        let filter = self.kind.build(&mut &hashes[..], items, self.fpr, seed)?;
        Ok((filter, read))
    }

    /// Makes a map from all keys and their values.
    fn map(&self, sources: &[Source], recipe: &Recipe) -> Result<(AnyFilter, u64), Stop> {
        let total = sources.iter().map(Source::len).sum();
        let mut progress = Progress::new(total, self.quiet);
        let most = usize::try_from(self.memory / 16).unwrap_or(usize::MAX);
        let seed = Seed::chosen(self.seed);
        let mut pairs = Vec::new();
        for source in sources {
            values::each(source, recipe, seed, |more, bytes| {
                if pairs.len() + more.len() > most || pairs.try_reserve(more.len()).is_err() {
                    let memory = units::size(self.memory);
                    let cause = format!("more keys than {memory} of memory hold; raise --memory");
                    return Err(Stop::about(source.name(), cause));
                }
                pairs.extend_from_slice(more);
                progress.advance(bytes);
                Ok(())
            })?;
        }
        let read = pairs.len() as u64;
        Ok((self.kind.map(pairs, self.fpr, seed)?, read))
    }

    /// Hands on the hashes of all keys; how many there were.
    fn each(
        &self,
        sources: &[Source],
        recipe: &Recipe,
        mut take: impl FnMut(&Source, &[KeyHash]) -> Result<(), Stop>,
    ) -> Result<u64, Stop> {
        let total = sources.iter().map(Source::len).sum();
        let mut progress = Progress::new(total, self.quiet);
        let mut read = 0;
        for source in sources {
            let mut keys = KeyReader::open(source, recipe, Seed::chosen(self.seed))?;
            while let Some(keyed) = keys.next()? {
                take(source, keyed.hashes)?;
                read += keyed.hashes.len() as u64;
                progress.advance(keyed.bytes);
            }
        }
        Ok(read)
    }

    fn report(&self, profile: &Profile, read: u64, bytes: u64) {
        let name = self.out.display();
        let size = units::size(bytes);
        if read == 0 {
            output::complain(&format!(
                "{name}: no keys, so it says {} ({size})",
                match profile.fpr_now {
                    0.0 => "no to everything",
                    _ => "no to nearly everything",
                }
            ));
            return;
        }
        let keys = match (self.items, profile.inserted) {
            (None, _) if self.kind.takes_every_occurrence() => {
                distinct_keys(profile.target.map_or(0, |target| target.items()))
            }
            (Some(_), _) => {
                format!("{} distinct keys", describe::about_so_many(profile))
            }
            (None, distinct) => distinct_keys(distinct),
        };
        let sent = profile.bits_sent as f64 / profile.bits as f64;
        let per_key = profile.bits_per_key().unwrap_or_default() * sent;
        output::complain(&format!(
            "{name}: {keys} of {} read; {} filter, {size}, {per_key:.2} bits a key",
            units::count(read),
            profile.kind,
        ));
        // A filter that holds too much does not do what was asked; the warning says so.
        if !profile.is_overfull() {
            output::complain(&self.meaning(profile));
        }
    }

    /// What the rate means, and what a lower one would cost.
    fn meaning(&self, profile: &Profile) -> String {
        let lookups = [(1e6, "a million"), (1e9, "a billion"), (1e12, "a trillion")];
        let seen = lookups.iter().find(|(number, _)| self.fpr * number >= 1.0);
        let mut meaning = match seen {
            Some((number, name)) => format!(
                "about {} in {name} lookups of absent keys",
                match whole(self.fpr * number) {
                    1 => "1 false alarm".to_string(),
                    alarms => format!("{} false alarms", units::count(alarms)),
                }
            ),
            None => "hardly ever a false alarm".to_string(),
        };
        let items = profile.target.map_or(1, |target| target.items());
        let rarer = self.fpr / 10.0;
        if let (Ok(now), Ok(then)) = (self.kind.plan(items, self.fpr), self.kind.plan(items, rarer))
        {
            let coded = now.bits_sent != now.bits;
            let more = 100.0 * (then.bits_sent as f64 / now.bits_sent as f64 - 1.0);
            let option = units::rate_option(rarer);
            // The smallest filters have room to spare.
            let cost = if more < 0.5 { "no".to_string() } else { format!("{more:.0} %") };
            let what = if coded { "to send" } else { "memory" };
            meaning += &format!("; --fpr {option} costs {cost} more {what}");
        }
        meaning
    }
}

fn distinct_keys(number: u64) -> String {
    match number {
        1 => "1 distinct key".to_string(),
        number => format!("{} distinct keys", units::count(number)),
    }
}

fn insert(filter: &mut AnyFilter, hashes: &[KeyHash]) -> Result<(), Stop> {
    let kind = filter.kind();
    let Some(filter) = filter.as_insert() else {
        return Err(Stop::about(kind, "cannot be made key by key; choose another --kind"));
    };
    filter.insert_hashes(hashes).map_err(|error| Stop::Error(error.to_string()))?;
    Ok(())
}
