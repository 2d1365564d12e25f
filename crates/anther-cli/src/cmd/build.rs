//! `build`: a filter from lists of keys.

mod make;
mod report;

use crate::describe::Description;
use crate::exit::{Exit, Outcome, Stop};
use crate::file::Destination;
use crate::input::{self, Source};
use crate::kind::KindArgs;
use crate::output::Out;
use crate::recipe::RecipeArgs;
use crate::secret::{KeyArgs, NewKey};
use crate::units;
use crate::values;
use crate::warning::Warning;
use anther::{AnyFilter, Filter, Seed};
use make::Input;
use serde::Serialize;
use std::path::PathBuf;

const ABOUT: &str = "\
Makes a filter from keys: one a line, or as the options below say.

Examples:
  anther build seen.anther urls.txt
  anther build seen.anther monday.txt tuesday.txt --fpr 0.1%
  anther build seen.anther urls.gz --items 10M          gzip and zstd are unpacked
  anther build leaked.anther hashes.txt --hex --delimiter : --column 1
  anther build seen.anther urls.txt --keyed --key-file seen.key
  anther build people.anther people.csv --column mail --ignore-case --trim

The file remembers how keys were taken from the input, and check does the same. A line
ends with LF or CR LF, and a byte order mark before the first one is no part of it.

Without --items, keys are counted first: their hashes are kept in memory, 8 bytes
each, and the filter is made for exactly as many as are distinct. With --items the
filter is made at once and keys stream into it. Then a key that comes twice goes in
twice, which matters to kinds that remove or count. Kinds that count, or forget, get
every key as it comes in any case, and half of --memory for them; with --distinct
they get each once.

Kinds that do not change, fuse and ribbon, are solved from all keys at once. With
--items the hashes may be more than --memory holds: files are then read several times.
bloomier keeps a value with each key; its lines are key<TAB>value: the key is the first
column, or --column, and the value the last one, a whole number. anther get asks for it.

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
    /// Make a keyed filter: only whoever has its secret key can ask it
    ///
    /// For keys that strangers choose: nobody can aim at the filter without the key. It is read
    /// from --key-file, which is made with a new random key where it does not exist; or from the
    /// file that the environment variable ANTHER_KEY_FILE names; or it is ANTHER_KEY.
    #[arg(long, conflicts_with = "seed", hide_short_help = true)]
    keyed: bool,
    #[command(flatten)]
    key: KeyArgs,
    /// Without --items: how much memory the hashes may take
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = units::parse_bytes)]
    #[arg(hide_short_help = true)]
    memory: u64,
    /// Kinds that count: take each key once, however often it comes
    #[arg(long, conflicts_with = "items", hide_short_help = true)]
    distinct: bool,
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
        let key = if self.keyed { Some(self.key.for_new(&destination)?) } else { None };
        let seed = key.as_ref().map_or(Seed::chosen(self.seed), NewKey::seed);
        if !self.quiet {
            input::say_if_typed(&sources);
        }

        let input = Input { args: self, sources: &sources, recipe: &recipe, seed };
        let (mut filter, read) = input.make()?;
        filter.set_recipe(Some(recipe));
        let key_file = key.as_ref().map(NewKey::write).transpose()?;
        let bytes = destination.save(&filter)?;
        if let Some(file) = key_file {
            file.keep(self.quiet);
        }

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
            self.report(&filter, &profile, read, bytes);
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
        if !self.keyed {
            self.key.refuse()?;
        }
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

    /// Whether the filter gets a key as often as it comes.
    fn takes_every_occurrence(&self) -> bool {
        self.kind.takes_every_occurrence() && !self.distinct
    }
}
