//! `check`: looks keys up.

mod answer;
mod confirm;

use crate::exit::{Exit, Outcome, Stop};
use crate::extract::Extractor;
use crate::filter_file;
use crate::input::Input;
use crate::keys::{ENOUGH, ON};
use crate::output::{self, Out};
use crate::recipe_args::RecipeArgs;
use crate::secret_key::KeyArgs;
use crate::warning::Warning;
use answer::{AnswerCounts, Filters, Queried};
use anther::Filter;
use confirm::Hits;
use std::ffi::OsString;
use std::path::PathBuf;

const ABOUT: &str = "\
Looks keys up in a filter.

Examples:
  anther check seen.anther https://example.org/
  anther check seen.anther < today.txt              lines that may be in the set
  anther check -v seen.anther < today.txt           lines that are certainly not in it
  anther check -c seen.anther < today.txt           the number of lines that may be
  if anther check -q seen.anther \"$url\"; then …; fi
  anther check seen.anther -- -v                    a key that looks like an option
  anther check today.anther --also old.anther < x   look up in both
  anther check seen.anther --confirm list.txt < x   exact: check hits against the list

Keys on the command line get a line each: maybe or no, a tab, and the key. Without keys,
check reads standard input and prints the lines that may be in the set, unchanged.

No is certain, except in kinds that forget (stable, generalized). Maybe can be a false
positive; anther info prints the rate.

The filter remembers how keys are read from the input, so you need not repeat those
options. If the key is a column by name, the first line is a header row: it is always
printed and never counted.";

const EXIT_CODES: &str = "Exit codes: 0 some key was selected; 1 none; 2 error.";

/// Look keys up in a filter
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
// The file has its recipe, so these are rarely needed.
#[command(mut_args(|option| match option.get_id().as_str() {
    "null" | "column" | "delimiter" | "hex" | "ignore_case" | "trim" | "binary" => {
        option.hide_short_help(true)
    }
    _ => option,
}))]
pub struct Args {
    /// The filter
    filter: PathBuf,
    /// Keys to look up [default: the lines of standard input]
    #[arg(value_name = "KEY")]
    keys: Vec<OsString>,
    /// Select keys that are not in the set
    #[arg(short = 'v', long)]
    invert: bool,
    /// Print only how many are selected
    #[arg(short, long)]
    count: bool,
    /// Print the line number before each line
    #[arg(short = 'n', long)]
    line_number: bool,
    /// Print nothing; only set the exit code
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
    /// Print each answer as a line of JSON; with -c one JSON object
    #[arg(long)]
    json: bool,
    /// Look keys up in this filter, too; lines name the filters that match
    #[arg(long, value_name = "FILTER")]
    also: Vec<PathBuf>,
    /// Look hits up in the original list, for exact answers
    ///
    /// The list is read once, and only if there are hits. Until then the hits are kept in memory,
    /// and standard input is copied to a temporary file unless it is a file.
    #[arg(long, value_name = "LIST", conflicts_with = "also")]
    confirm: Vec<PathBuf>,
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
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let filters = self.open()?;
        let lists: Vec<Input> = self.confirm.iter().cloned().map(Input::File).collect();
        lists.iter().try_for_each(Input::check)?;
        filters.reading(&lists).check()?;

        let mut out = Out::stdout();
        let tally = match self.keys[..] {
            [] => self.records(&filters, &lists, &mut out)?,
            _ => self.arguments(&filters, &lists, &mut out)?,
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

    fn open(&self) -> Result<Filters, Stop> {
        let open = if self.map { filter_file::map } else { filter_file::open };
        let mut filters = Filters::default();
        filters.binary = self.recipe.binary;
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
            filters.add(path, filter, recipe)?;
        }
        Ok(filters)
    }

    /// Whether answers are printed one by one.
    fn prints(&self) -> bool {
        !self.quiet && !self.count
    }

    fn arguments(
        &self,
        filters: &Filters,
        lists: &[Input],
        out: &mut Out,
    ) -> Result<AnswerCounts, Stop> {
        let mut taken = Extractor::new(&filters.recipe);
        let mut keys = Vec::new();
        let mut hashes = vec![Vec::new(); filters.seeds.len()];
        for argument in &self.keys {
            let key = taken
                .argument(argument.as_encoded_bytes())
                .map_err(|error| Stop::about(argument.to_string_lossy(), error))?;
            for (seed, hashes) in filters.seeds.iter().zip(&mut hashes) {
                hashes.push(seed.hash_bytes(key));
            }
            keys.push(key.to_vec());
        }
        let mut answers = filters.answers(&hashes);
        if !lists.is_empty() {
            let mut hits = Hits::default();
            for at in (0..keys.len()).filter(|at| answers.any(*at)) {
                hits.add(hashes[0][at], &keys[at])?;
            }
            hits.look_up(filters.reading(lists), self.quiet)?;
            answers.listed =
                (0..keys.len()).map(|at| hits.is_listed(hashes[0][at], &keys[at])).collect();
        }
        let mut tally = AnswerCounts::default();
        for (at, argument) in self.keys.iter().enumerate() {
            tally.add(answers.yes(at));
            if self.prints() {
                let subject = Queried::Key(argument.as_encoded_bytes());
                self.answer(filters, subject, &answers, at, out)?;
            }
        }
        Ok(tally)
    }

    fn records(
        &self,
        filters: &Filters,
        lists: &[Input],
        out: &mut Out,
    ) -> Result<AnswerCounts, Stop> {
        if !self.quiet && Input::Stdin.is_typed() {
            output::complain("reading keys from the terminal, one per line; end with Ctrl-D");
        }
        let mut hits = None;
        let mut source = Input::Stdin;
        if !lists.is_empty() {
            // All hits must be known before the list is read.
            source = Input::held()?;
            let mut found = filters.hits(std::slice::from_ref(&source))?;
            found.look_up(filters.reading(lists), self.quiet)?;
            hits = Some(found);
        }
        let mut tally = AnswerCounts::default();
        filters.reading(std::slice::from_ref(&source)).each_part(
            &filters.seeds,
            hits.is_some(),
            |part| {
                let mut answers = filters.answers(part.hashes);
                if let Some(hits) = &hits {
                    let hashes = &part.hashes[0];
                    let mut listed = vec![false; hashes.len()];
                    for at in (0..hashes.len()).filter(|at| answers.any(*at)) {
                        listed[at] = hits.is_listed(hashes[at], part.key(at));
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
                    // The output has the columns of the input, and the next program in the pipe,
                    // such as another check, expects the header row.
                    self.number(1, out)?;
                    out.record(head)?;
                }
                let numbered = (keyed.records.number()..).zip(keyed.records);
                for (at, (number, record)) in numbered.enumerate() {
                    tally.add(answers.yes(at));
                    if self.prints() && (self.json || answers.yes(at) != self.invert) {
                        let subject = Queried::Record(number, record);
                        self.answer(filters, subject, &answers, at, out)?;
                    }
                }
                let enough = self.quiet && tally.selected(self.invert) > 0;
                Ok(if enough { ENOUGH } else { ON })
            },
        )?;
        Ok(tally)
    }
}
