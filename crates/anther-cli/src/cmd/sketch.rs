//! `sketch`: writes a list's sketch, from which another host finds what differs.

mod answer;
mod pace;

use crate::exit::{Exit, Outcome, Stop};
use crate::input::{self, Input};
use crate::line_list::{self, LineList};
use crate::output;
use crate::recipe_args::RecipeArgs;
use crate::secret_key::KeyArgs;
use crate::sketch_file::{self, DEFAULT_DIFFERENCE};
use crate::units;
use anther::Seed;
use anther::iblt::sketch::{Comparison, SketchHeader, SketchSet, SketchWriter};
use anther::sizing::iblt::rateless_symbols;
use pace::Paced;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Writes a sketch of a list to standard output. From it, anther diff finds the lines that
only one of two lists has. It takes bytes for the lines that differ, not for the list: 100
differences in a million lines take about 12 kB.

Examples:
  anther sketch hosts.txt > a.sketch                              a file, for 1000 differences
  ssh host anther sketch hosts.txt | anther diff hosts.txt -      what differs, in one pass
  anther sketch hosts.txt --for 100 > a.sketch                    for 100
  anther sketch hosts.txt --size 4kB > a.sketch                   a first estimate
  anther sketch hosts.txt --against b.sketch > a.sketch           as long as that one says
  anther sketch hosts.txt --answer wanted.txt                     lines by their hashes

A sketch is a stream without an end, of which any beginning is useful. In a pipe it goes on
until the reader has enough and closes the pipe, which is no error; it is sent in small
parts at first, with pauses, so that little is sent in vain. A sketch that was too short
says so, and for how many differences to make the next one.

Lines of up to 64 bytes travel whole. Longer ones travel as hashes of 128 bits, and anther
diff names those. With --exchange it prints the hashes of lines that it lacks, and --answer
prints the lines of these hashes: a second round, which brings them.

A line that comes twice counts once, order makes no difference, and blank lines are left
out. The list is in memory meanwhile: its lines, and for each 40 bytes and as many as the
longest that travels whole, so 170 MB for a million lines of 46 to 64 bytes. --as,
--ignore-case, --trim and --column say what is compared; the sketch stores them, and anther
diff follows.

Where strangers choose lines, they can make two whose hashes collide, so that nothing is
found. A secret key on both hosts prevents that: --key-file, or the variable ANTHER_KEY_FILE
or ANTHER_KEY. If one is set, every new sketch is keyed.";

const EXIT_CODES: &str = "\
Exit codes: 0 success, or the reader has enough; 1 some hashes of --answer are not of this
list; 2 error.";

/// Write a list's sketch, from which diff finds what differs
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
#[command(mut_args(sketch_file::option_of_lists))]
pub struct Args {
    /// The list; several count as one; `-` is standard input [default: -]
    #[arg(value_name = "LIST")]
    lists: Vec<PathBuf>,
    /// End after this many bytes: a number and kB, MB, KiB or MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    #[arg(allow_hyphen_values = true)]
    size: Option<u64>,
    /// End when this many differences would be found, 99 times in a hundred
    ///
    /// The default is 1000 for a file. In a pipe, the sketch goes on until the reader closes it, or
    /// until it would find twice as many differences as the list has lines, or a million, whichever
    /// is more.
    #[arg(long = "for", value_name = "N", value_parser = units::parse_count)]
    #[arg(allow_hyphen_values = true, conflicts_with = "size")]
    differences: Option<u64>,
    /// End when the differences to the list of this sketch would be found, as far as it shows
    ///
    /// A sketch of 4 kB is enough for an estimate; shorter ones may be far off.
    #[arg(long, value_name = "SKETCH", conflicts_with_all = ["size", "differences"])]
    against: Option<PathBuf>,
    /// Lines of up to this many bytes travel whole, longer ones as hashes: 0 to 254
    ///
    /// A shorter limit makes smaller sketches: 30 bytes per symbol with 0, 78 with 64.
    #[arg(long, value_name = "BYTES", default_value_t = SketchSet::WHOLE, value_parser = parse_whole)]
    whole: usize,
    /// Print the lines of the hashes in this file instead; `-` is standard input
    #[arg(long, value_name = "HASHES", conflicts_with_all = ["size", "differences", "against", "whole"])]
    answer: Option<PathBuf>,
    /// Print each line of --answer as a line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        if self.json && self.answer.is_none() {
            return Err(Stop::about(
                "--json",
                "is for --answer; a sketch is binary, so leave it out",
            ));
        }
        let sources = Input::all(&self.lists);
        sources.iter().try_for_each(Input::check)?;
        for path in self.answer.iter().chain(&self.against) {
            sketch_file::check_stdin(path, &sources, self.answer.is_none())?;
        }
        self.recipe.refuse_keep_empty()?;
        let how = self.recipe.extraction()?;
        line_list::check_rule(&how.rule)?;
        let seed = self.key.seed_of_new_sketch()?.unwrap_or(Seed::FIXED);
        if let Some(hashes) = &self.answer {
            let wanted = answer::read(hashes)?;
            let (list, _) = LineList::read(&sources, &how)?;
            return answer::print(&list, &wanted, &seed, &how.rule, self.json);
        }
        if io::stdout().is_terminal() {
            let cause = "is a terminal, and a sketch is binary; write it to a file (> a.sketch), or \
                         pipe it to anther diff";
            return Err(Stop::about("standard output", cause));
        }
        input::say_if_typed(&sources);

        let header = SketchHeader { seed, recipe: how.recipe() };
        let stop = |error| Stop::about("sketch", error);
        let mut against =
            self.against.as_deref().map(|path| self.open(path, &header)).transpose()?;
        let (head, before) = SketchWriter::header(&header).map_err(stop)?;
        let mut out = Paced::stdout();
        // At once: the other side reads its list while we read ours.
        out.write(&head)?;
        let (list, counts) = LineList::read(&sources, &how)?;
        let set = SketchSet::of(list.iter().map(<[u8]>::len), self.whole);
        let differences = match &mut against {
            Some(sketch) => Some(sketch.estimate(&list)?),
            None => self.differences,
        };
        let (mut writer, bytes) =
            SketchWriter::after(before, set, list.iter(), &seed).map_err(stop)?;
        drop(list);
        out.write(&bytes)?;

        let lines = writer.set().lines;
        let most = match (self.size, differences) {
            (Some(_), _) => u64::MAX,
            (None, Some(differences)) => rateless_symbols(differences),
            (None, None) if out.is_pipe() => rateless_symbols((2 * lines).max(1_000_000)),
            (None, None) => rateless_symbols(DEFAULT_DIFFERENCE),
        };
        while writer.symbols() < most {
            let left = match self.size {
                Some(size) => writer.symbols_in(size.saturating_sub(out.sent())),
                None => most - writer.symbols(),
            };
            if left == 0 {
                break;
            }
            out.write(&writer.frame_of(left))?;
        }
        out.flush()?;
        output::note(&format!(
            "{}{}, {}, {}",
            sketch_file::number(lines, "distinct line"),
            counts.left_out(),
            sketch_file::number(writer.symbols(), "symbol"),
            units::size(out.sent()),
        ));
        Ok(Exit::Success)
    }

    /// Opens the sketch of `--against`, whose lines must be compared in the same way.
    fn open<'a>(&self, path: &'a Path, header: &SketchHeader) -> Result<Against<'a>, Stop> {
        let reader = sketch_file::open(path, &self.key)?;
        let theirs = reader.header();
        if !theirs.recipe.rule.makes_same_keys(&header.recipe.rule) || theirs.seed != header.seed {
            let cause = format!(
                "its lines are compared as {}; make both with the same options and key",
                theirs.recipe.rule
            );
            return Err(Stop::about(output::shown(path), cause));
        }
        Ok(Against { path, reader })
    }
}

/// The sketch of `--against`.
struct Against<'a> {
    path: &'a Path,
    reader: sketch_file::Reader,
}

impl Against<'_> {
    /// How many lines may differ from its list.
    fn estimate(&mut self, list: &LineList) -> Result<u64, Stop> {
        let Against { path, reader } = self;
        let explained = |error| sketch_file::explained(path, error);
        let seed = reader.header().seed;
        let set = reader.set().map_err(explained)?;
        let mut comparison = Comparison::of(set, list.iter(), seed).map_err(explained)?;
        while !comparison.is_done() && reader.frame(&mut comparison).map_err(explained)? {}
        let longer = list.iter().filter(|line| set.element(line, &seed).is_none()).count() as u64;
        let enough = match comparison.is_done() {
            true => comparison.estimate(),
            false => comparison.enough(),
        };
        Ok(enough + longer)
    }
}

/// The least size has room for a symbol, whatever the lines are.
fn parse_size(text: &str) -> Result<u64, String> {
    match units::parse_bytes(text)? {
        0..1000 => Err("a sketch has at least 1 kB".to_string()),
        size => Ok(size),
    }
}

fn parse_whole(text: &str) -> Result<usize, String> {
    let whole = units::parse_count_to(text, SketchSet::MOST_WHOLE as u64)?;
    usize::try_from(whole).map_err(|error| error.to_string())
}
