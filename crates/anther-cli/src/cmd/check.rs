//! `check`: which keys may be in the set.

use crate::exit::{Exit, Outcome, Stop};
use crate::file;
use crate::input::Source;
use crate::keys::{ENOUGH, ON, Reading};
use crate::output::{self, Out};
use crate::recipe::RecipeArgs;
use crate::secret::KeyArgs;
use crate::warning::Warning;
use anther::{AnyFilter, Filter, KeyHash, Recipe};
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;

const ABOUT: &str = "\
Asks a filter. Keys as arguments get a line each: maybe or no, a tab, and the key.
Without keys, the lines of standard input that may be in the set pass through, byte
for byte.

Examples:
  anther check seen.anther https://example.org/
  anther check seen.anther < today.txt              lines that may be in the set
  anther check -v seen.anther < today.txt           lines that are not
  anther check -c seen.anther < today.txt           how many may be
  if anther check -q seen.anther \"$url\"; then …; fi
  anther check seen.anther -- -v                    a key that looks like an option

No is certain, unless the filter is of a kind that forgets: stable or generalized.
Maybe is wrong as often as the filter's rate says (anther info). Keys
are taken from the input as they were when the filter was built; the options that
say how need not be repeated. Where the key is a column by name, the first line is
the header: it always passes and is never counted.";

const EXIT_CODES: &str = "Exit codes: 0 some key was selected; 1 none; 2 error.";

/// Ask a filter which keys may be in the set
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The filter to ask
    filter: PathBuf,
    /// Keys; none: the lines of standard input
    #[arg(value_name = "KEY")]
    keys: Vec<OsString>,
    /// Select what is not in the set
    #[arg(short = 'v', long)]
    invert: bool,
    /// Print only how many are selected
    #[arg(short, long)]
    count: bool,
    /// Print nothing; the exit code tells
    #[arg(short, long)]
    quiet: bool,
    /// Print each answer as a line of JSON; with -c one object
    #[arg(long)]
    json: bool,
    /// Map the file: at once, but its checksums go unchecked
    ///
    /// The header and all lengths are still verified. Whoever can write to the file is trusted
    /// not to change it meanwhile.
    #[arg(long)]
    map: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

/// A line of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    /// The record's number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Cow<'a, str>>,
    /// The same in hexadecimal, where it is no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_hex: Option<String>,
    maybe: bool,
}

/// How many answers there were of each sort.
#[derive(Default, Serialize)]
struct Tally {
    maybe: u64,
    no: u64,
}

impl Tally {
    fn add(&mut self, maybe: bool) {
        *(if maybe { &mut self.maybe } else { &mut self.no }) += 1;
    }

    fn selected(&self, invert: bool) -> u64 {
        if invert { self.no } else { self.maybe }
    }
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let open = if self.map { file::map } else { file::open };
        let filter = open(&self.filter, self.key.open()?)?;
        if !self.quiet && !filter.kind().capabilities().no_false_negatives {
            Warning::Forgets(filter.kind()).say(&self.filter);
        }
        let own = filter.about().recipe.as_ref();
        let recipe = self.recipe.recipe_for(self.filter.display(), own)?;

        let mut out = Out::stdout();
        let tally = match self.keys[..] {
            [] => self.records(&filter, &recipe, &mut out)?,
            _ => self.arguments(&filter, &recipe, &mut out)?,
        };
        let selected = tally.selected(self.invert);
        if self.count && !self.quiet {
            if self.json {
                out.json(&tally)?;
            } else {
                out.line(format_args!("{selected}"))?;
            }
        }
        out.finish()?;
        Ok(if selected > 0 { Exit::Success } else { Exit::Nothing })
    }

    /// Whether answers are printed one by one.
    fn prints(&self) -> bool {
        !self.quiet && !self.count
    }

    fn arguments(&self, filter: &AnyFilter, recipe: &Recipe, out: &mut Out) -> Result<Tally, Stop> {
        let mut keys = recipe.keys();
        let mut hashes = Vec::new();
        for argument in &self.keys {
            let key = keys
                .of_argument(argument.as_encoded_bytes())
                .map_err(|error| Stop::about(argument.to_string_lossy(), error))?;
            hashes.push(filter.seed().hash_bytes(key));
        }
        let mut tally = Tally::default();
        for (argument, maybe) in self.keys.iter().zip(answers(filter, &hashes)) {
            tally.add(maybe);
            let key = argument.as_encoded_bytes();
            match (self.prints(), self.json) {
                (false, _) => {}
                (true, true) => {
                    let (key, bytes_hex) =
                        (Some(String::from_utf8_lossy(key)), hex_unless_text(key));
                    out.json(&Answer { line: None, key, record: None, bytes_hex, maybe })?;
                }
                (true, false) => {
                    out.key(if maybe { b"maybe\t" } else { b"no\t" })?;
                    out.key(key)?;
                    out.key(b"\n")?;
                }
            }
        }
        Ok(tally)
    }

    fn records(&self, filter: &AnyFilter, recipe: &Recipe, out: &mut Out) -> Result<Tally, Stop> {
        if !self.quiet && Source::Stdin.is_typed() {
            output::complain("reading keys from the terminal, one a line; end with Ctrl-D");
        }
        let reading = Reading { sources: &[Source::Stdin], recipe, seed: *filter.seed() };
        let mut tally = Tally::default();
        reading.each(
            |_, hashes| answers(filter, hashes),
            |keyed, found| {
                if let Some(head) = keyed.head
                    && self.prints()
                    && !self.json
                {
                    // What comes out has the columns that went in, and whoever reads it next,
                    // such as another check, expects their names.
                    out.record(head)?;
                }
                let numbered = (keyed.records.number()..).zip(keyed.records);
                for ((number, record), maybe) in numbered.zip(found) {
                    tally.add(maybe);
                    if !self.prints() {
                        continue;
                    }
                    if self.json {
                        let record = recipe.without_end(record);
                        let bytes_hex = hex_unless_text(record);
                        let record = Some(String::from_utf8_lossy(record));
                        let line = Some(number);
                        out.json(&Answer { line, key: None, record, bytes_hex, maybe })?;
                    } else if maybe != self.invert {
                        out.record(record)?;
                    }
                }
                let enough = self.quiet && tally.selected(self.invert) > 0;
                Ok(if enough { ENOUGH } else { ON })
            },
        )?;
        Ok(tally)
    }
}

fn answers(filter: &AnyFilter, hashes: &[KeyHash]) -> Vec<bool> {
    let mut found = vec![false; hashes.len()];
    filter.contains_hashes(hashes, &mut found);
    found
}

/// Where text would lose bytes, the bytes too.
pub fn hex_unless_text(bytes: &[u8]) -> Option<String> {
    match str::from_utf8(bytes) {
        Ok(_) => None,
        Err(_) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    }
}
