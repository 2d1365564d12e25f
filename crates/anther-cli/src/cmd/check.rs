//! `check`: which keys may be in the set.

mod answer;
mod confirm;

use crate::exit::{Exit, Outcome, Stop};
use crate::extract::Extractor;
use crate::file;
use crate::input::Source;
use crate::keys::{ENOUGH, ON};
use crate::output::{self, Out};
use crate::recipe::RecipeArgs;
use crate::secret::KeyArgs;
use crate::warning::Warning;
use answer::{Asked, Subject, Tally};
use anther::Filter;
use confirm::Hits;
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
  anther check today.anther --also old.anther < x   which of several
  anther check seen.anther --confirm list.txt < x   exact: filter first, list after

No is certain, unless the filter is of a kind that forgets: stable or generalized.
Maybe is wrong as often as the filter's rate says (anther info). Keys
are taken from the input as they were when the filter was built; the options that
say how need not be repeated. Where the key is a column by name, the first line is
the header: it always passes and is never counted.";

const EXIT_CODES: &str = "Exit codes: 0 some key was selected; 1 none; 2 error.";

/// Ask a filter which keys may be in the set
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
// The file knows its recipe, so few need to say it here.
#[command(mut_args(|option| match option.get_id().as_str() {
    "null" | "column" | "delimiter" | "hex" | "ignore_case" | "trim" => option.hide_short_help(true),
    _ => option,
}))]
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
    /// Print the number of each line before it
    #[arg(short = 'n', long)]
    line_number: bool,
    /// Print nothing; the exit code tells
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
    /// Print each answer as a line of JSON; with -c one object
    #[arg(long)]
    json: bool,
    /// Ask this filter too; each line comes with those that said maybe
    #[arg(long, value_name = "FILTER")]
    also: Vec<PathBuf>,
    /// Look up in the original list what may be in, and answer exactly
    ///
    /// The list is read once, and only if there is something to look up. What the filter said maybe
    /// to is kept in memory until then; standard input is kept in a file unless it is one.
    #[arg(long, value_name = "LIST", conflicts_with = "also")]
    confirm: Vec<PathBuf>,
    /// Map the file instead of reading it: opens at once, skips the checksums of its cells
    ///
    /// The header and all lengths are still verified. Nobody may write to the file or truncate
    /// it while it is mapped: the answers would be undefined, or the program would crash.
    /// Replacing it is fine: anther add and anther build do that. A file that is open for
    /// anther add --shared is read, not mapped.
    #[arg(long, hide_short_help = true)]
    map: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let asked = self.open()?;
        let lists: Vec<Source> = self.confirm.iter().cloned().map(Source::File).collect();
        lists.iter().try_for_each(Source::check)?;

        let mut out = Out::stdout();
        let tally = match self.keys[..] {
            [] => self.records(&asked, &lists, &mut out)?,
            _ => self.arguments(&asked, &lists, &mut out)?,
        };
        let selected = tally.selected(self.invert);
        if self.count && !self.quiet {
            if self.json {
                out.json(&tally.shown(!lists.is_empty()))?;
            } else {
                out.line(format_args!("{selected}"))?;
            }
        }
        out.finish()?;
        Ok(if selected > 0 { Exit::Success } else { Exit::Nothing })
    }

    fn open(&self) -> Result<Asked, Stop> {
        let open = if self.map { file::map } else { file::open };
        let mut asked = Asked::default();
        for path in std::iter::once(&self.filter).chain(&self.also) {
            let how = match self.also[..] {
                [] => self.key.open(path)?,
                _ => self.key.open_if_keyed(path)?,
            };
            let filter = open(path, how)?;
            if !self.quiet && !filter.kind().capabilities().no_false_negatives {
                Warning::Forgets(filter.kind()).say(path);
            }
            let own = filter.about().recipe.as_ref();
            let recipe = self.recipe.recipe_for(path.display(), own)?;
            asked.add(path, filter, recipe)?;
        }
        Ok(asked)
    }

    /// Whether answers are printed one by one.
    fn prints(&self) -> bool {
        !self.quiet && !self.count
    }

    fn arguments(&self, asked: &Asked, lists: &[Source], out: &mut Out) -> Result<Tally, Stop> {
        let mut taken = Extractor::new(&asked.recipe);
        let mut keys = Vec::new();
        let mut hashes = vec![Vec::new(); asked.seeds.len()];
        for argument in &self.keys {
            let key = taken
                .argument(argument.as_encoded_bytes())
                .map_err(|error| Stop::about(argument.to_string_lossy(), error))?;
            for (seed, hashes) in asked.seeds.iter().zip(&mut hashes) {
                hashes.push(seed.hash_bytes(key));
            }
            keys.push(key.to_vec());
        }
        let mut answers = asked.answers(&hashes);
        if !lists.is_empty() {
            let mut hits = Hits::default();
            for at in (0..keys.len()).filter(|at| answers.any(*at)) {
                hits.add(hashes[0][at], &keys[at])?;
            }
            hits.look_up(asked.reading(lists), self.quiet)?;
            answers.listed =
                (0..keys.len()).map(|at| hits.are_with(hashes[0][at], &keys[at])).collect();
        }
        let mut tally = Tally::default();
        for (at, argument) in self.keys.iter().enumerate() {
            tally.add(answers.yes(at));
            if self.prints() {
                let subject = Subject::Key(argument.as_encoded_bytes());
                self.answer(asked, subject, &answers, at, out)?;
            }
        }
        Ok(tally)
    }

    fn records(&self, asked: &Asked, lists: &[Source], out: &mut Out) -> Result<Tally, Stop> {
        if !self.quiet && Source::Stdin.is_typed() {
            output::complain("reading keys from the terminal, one a line; end with Ctrl-D");
        }
        let mut hits = None;
        let mut source = Source::Stdin;
        if !lists.is_empty() {
            // What is to be looked up is known only when all of it was read.
            source = Source::held()?;
            let mut found = asked.hits(std::slice::from_ref(&source))?;
            found.look_up(asked.reading(lists), self.quiet)?;
            hits = Some(found);
        }
        let mut tally = Tally::default();
        asked.reading(std::slice::from_ref(&source)).each_part(
            &asked.seeds,
            hits.is_some(),
            |part| {
                let mut answers = asked.answers(part.hashes);
                if let Some(hits) = &hits {
                    let hashes = &part.hashes[0];
                    let mut listed = vec![false; hashes.len()];
                    for at in (0..hashes.len()).filter(|at| answers.any(*at)) {
                        listed[at] = hits.are_with(hashes[at], part.key(at));
                    }
                    answers.listed = listed;
                }
                answers
            },
            |keyed, answers| {
                if let Some(head) = keyed.head
                    && self.prints()
                    && !self.json
                {
                    // What comes out has the columns that went in, and whoever reads it next,
                    // such as another check, expects their names.
                    self.number(1, out)?;
                    out.record(head)?;
                }
                let numbered = (keyed.records.number()..).zip(keyed.records);
                for (at, (number, record)) in numbered.enumerate() {
                    tally.add(answers.yes(at));
                    if self.prints() && (self.json || answers.yes(at) != self.invert) {
                        let subject = Subject::Record(number, record);
                        self.answer(asked, subject, &answers, at, out)?;
                    }
                }
                let enough = self.quiet && tally.selected(self.invert) > 0;
                Ok(if enough { ENOUGH } else { ON })
            },
        )?;
        Ok(tally)
    }
}
