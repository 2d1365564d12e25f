//! `diff`: finds what a list and another host's sketch differ in.

use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::input::Input;
use crate::line_list::{self, LineList};
use crate::output::{self, Out, Subject};
use crate::recipe_args::RecipeArgs;
use crate::secret_key::KeyArgs;
use crate::sketch_file;
use crate::units;
use anther::Seed;
use anther::iblt::sketch::{Comparison, LineHash, SketchSet, SketchedLine, line_hash};
use anther::recipe::Format;
use anther_records::extract::Extraction;
use serde::Serialize;
use std::collections::HashSet;
use std::path::PathBuf;

const ABOUT: &str = "\
Finds the lines that only one of two lists has, from one list and a sketch of the other,
which anther sketch makes on another host. It reads no more of the sketch than it needs.

Examples:
  anther diff hosts.txt a.sketch
  ssh host anther sketch hosts.txt | anther diff hosts.txt -
  anther diff hosts.txt a.sketch | sed -n 's/^> //p' >> hosts.txt    take over what is new
  anther diff hosts.txt a.sketch --exchange > wanted.txt             hashes to ask for

Prints lines as diff(1) does: < before those that only LIST has, > before those that only
the list of the sketch has, sorted by their bytes. The number of bytes that it took is on
standard error. A line that comes twice counts once, and order makes no difference.

Lines too long to travel whole (more than 64 bytes, unless anther sketch --whole says
otherwise) are known by their hash if only the sketch has them, and printed as >hash and 32
hexadecimal digits. To get these lines in a second round:
  anther diff hosts.txt a.sketch --exchange > wanted.txt
  ssh host anther sketch hosts.txt --answer - < wanted.txt

If the sketch is too short to find all differences, none is printed, and a message says
about how many there are and what would do. --as, --ignore-case, --trim and the column are
those of the sketch; --column, --format and so on are needed only if LIST is laid out in
another way.";

const EXIT_CODES: &str = "\
Exit codes: 0 the same lines; 1 some differ; 2 error, or too short a sketch.";

/// Find what a list and another host's sketch differ in
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
#[command(mut_args(sketch_file::option_of_lists))]
pub struct Args {
    /// The list on this host; `-` is standard input
    list: PathBuf,
    /// The sketch of the other list; `-` is standard input
    sketch: PathBuf,
    /// Print only the hashes of lines that are too long to travel, to ask for them
    #[arg(long, conflicts_with = "json")]
    exchange: bool,
    /// Print each line as a line of JSON, and at the end the numbers
    #[arg(long)]
    json: bool,
    /// Give up after this much of the sketch: then sending the list is cheaper
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = units::parse_bytes)]
    #[arg(allow_hyphen_values = true, hide_short_help = true)]
    limit: u64,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

/// A line that differs, in `--json`.
#[derive(Serialize)]
struct LineJson<'a> {
    side: &'static str,
    #[serde(flatten)]
    line: Option<Subject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

/// The numbers, at the end of `--json`.
#[derive(Serialize)]
struct SummaryJson {
    only_list: u64,
    only_sketch: u64,
    /// Of these, lines known by their hash.
    hashes: u64,
    list_lines: u64,
    sketch_lines: u64,
    symbols: u64,
    bytes: u64,
}

/// A line that differs, and its side.
type Differing = (SketchedLine, Side);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    List,
    Sketch,
}

impl Side {
    fn sign(self) -> &'static str {
        match self {
            Side::List => "<",
            Side::Sketch => ">",
        }
    }
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        self.recipe.refuse_keep_empty()?;
        let source = Input::all(std::slice::from_ref(&self.list));
        source.iter().try_for_each(Input::check)?;
        sketch_file::check_stdin(&self.sketch, &source, true)?;
        let explained = |error| sketch_file::explained(&self.sketch, error);
        let mut reader = sketch_file::open(&self.sketch, &self.key)?;
        let (seed, recipe) = (reader.header().seed, reader.header().recipe.clone());
        let how = self.recipe.extraction_for_sketch(output::shown(&self.sketch), &recipe)?;
        line_list::check_rule(&how.rule)?;
        let (list, counts) = LineList::read(&source, &how)?;
        let set = reader.set().map_err(explained)?;
        let mut comparison = Comparison::of(set, list.iter(), seed).map_err(explained)?;
        while !comparison.is_done() {
            if !reader.frame(&mut comparison).map_err(explained)? {
                return Err(sketch_file::too_short(&self.sketch, &comparison, set, reader.bytes()));
            }
            if reader.bytes() > self.limit && !comparison.is_done() {
                let cause = format!(
                    "not decoded after {}, and about {}; send the list instead, or raise \
                     --limit",
                    units::size(self.limit),
                    sketch_file::differing(comparison.estimate())
                );
                return Err(Stop::about(output::shown(&self.sketch), cause));
            }
        }
        if filter_file::is_stdin(&self.sketch) {
            sketch_file::close_stdin();
        }
        let found = comparison.difference().map_err(explained)?;
        let ours = own_lines(&list, &found.ours, set, &seed);
        let longer = list.iter().filter(|line| set.element(line, &seed).is_none());
        let longer: HashSet<&[u8]> = longer.collect();
        let summary = SummaryJson {
            only_list: ours.len() as u64,
            only_sketch: found.theirs.len() as u64,
            hashes: hashes(&found.theirs).count() as u64,
            list_lines: comparison.lines() + longer.len() as u64,
            sketch_lines: set.lines,
            symbols: comparison.symbols(),
            bytes: reader.bytes(),
        };
        drop(longer);
        let mut all: Vec<Differing> = ours.into_iter().map(|line| (line, Side::List)).collect();
        all.extend(found.theirs.into_iter().map(|line| (line, Side::Sketch)));
        all.sort();
        self.check_lines(&all, recipe.place.format)?;
        self.print(&all, &summary, &how)?;
        self.report(&summary, &counts.left_out());
        Ok(if all.is_empty() { Exit::Success } else { Exit::Nothing })
    }

    /// Rejects a line of the sketch with a line ending within, which its list cannot have: it would
    /// be printed as two.
    fn check_lines(&self, all: &[Differing], format: Format) -> Result<(), Stop> {
        let ending = match format {
            Format::Lines | Format::Fields => b'\n',
            Format::Nul => 0,
            _ => return Ok(()),
        };
        let is_two = |(line, side): &Differing| match line {
            SketchedLine::Whole(line) => *side == Side::Sketch && line.contains(&ending),
            SketchedLine::Hash(_) => false,
        };
        match all.iter().any(is_two) {
            false => Ok(()),
            true => Err(Stop::about(
                output::shown(&self.sketch),
                "a line with a line ending within; the sketch is corrupt or forged",
            )),
        }
    }

    fn print(
        &self,
        all: &[Differing],
        summary: &SummaryJson,
        how: &Extraction,
    ) -> Result<(), Stop> {
        let mut out = Out::stdout();
        let end = if how.separator() == Some(0) { "\0" } else { "\n" };
        for (line, side) in all {
            match line {
                SketchedLine::Hash(hash) if self.exchange => {
                    out.text(&format!("{}\n", line_list::hex(hash)))?;
                }
                _ if self.exchange => {}
                SketchedLine::Whole(line) => {
                    let line = line_list::printed(line, &how.rule);
                    if self.json {
                        let line = Some(Subject::key(&line));
                        out.json(&LineJson { side: side.sign(), line, hash: None })?;
                        continue;
                    }
                    out.text(side.sign())?;
                    out.text(" ")?;
                    // Within CSV a key may have a line ending.
                    match end == "\n" && line.contains(&b'\n') {
                        true => line.split(|byte| *byte == b'\n').enumerate().try_for_each(
                            |(at, part)| {
                                out.text(if at > 0 { "\\n" } else { "" })?;
                                out.key(part)
                            },
                        )?,
                        false => out.key(&line)?,
                    }
                    out.text(end)?;
                }
                SketchedLine::Hash(hash) if self.json => {
                    let hash = Some(line_list::hex(hash));
                    out.json(&LineJson { side: side.sign(), line: None, hash })?;
                }
                SketchedLine::Hash(hash) => {
                    out.text(&format!("{}hash {}{end}", side.sign(), line_list::hex(hash)))?;
                }
            }
        }
        if self.json {
            out.json(summary)?;
        }
        out.finish()
    }

    fn report(&self, summary: &SummaryJson, left_out: &str) {
        let SummaryJson { only_list, only_sketch, hashes, .. } = *summary;
        let lines = |number| sketch_file::number(number, "line");
        let took = format!(
            "{} of the sketch, {}{left_out}",
            sketch_file::number(summary.bytes, "byte"),
            sketch_file::number(summary.symbols, "symbol")
        );
        output::note(&match only_list + only_sketch {
            0 => format!("the same {}; {took}", lines(summary.list_lines)),
            _ => format!(
                "{} only in {}, {} only in the sketch; {took}",
                lines(only_list),
                output::shown(&self.list),
                lines(only_sketch),
            ),
        });
        if hashes > 0 && !self.exchange {
            output::note(&format!(
                "{} too long to travel whole; to get {}: anther diff --exchange, then anther sketch \
                 --answer on the other host",
                if hashes == 1 {
                    "1 line is".to_string()
                } else {
                    format!("{} lines are", units::count(hashes))
                },
                if hashes == 1 { "it" } else { "them" },
            ));
        }
    }
}

/// The lines that only our list has: those found, by their hashes if they are long, and those that
/// are longer than every line of the sketch. Sorted, each once.
fn own_lines(
    list: &LineList,
    found: &[SketchedLine],
    set: SketchSet,
    seed: &Seed,
) -> Vec<SketchedLine> {
    let by_hash: HashSet<LineHash> = hashes(found).copied().collect();
    let is_only_ours = |line: &[u8]| match set.element(line, seed) {
        None => true,
        Some(_) if line.len() <= set.whole.into() || by_hash.is_empty() => false,
        Some(_) => by_hash.contains(&line_hash(line, seed)),
    };
    let long = list.iter().filter(|line| line.len() > set.whole.into());
    let long =
        long.filter(|line| is_only_ours(line)).map(|line| SketchedLine::Whole(line.to_vec()));
    let short = found.iter().filter(|line| matches!(line, SketchedLine::Whole(_))).cloned();
    let mut all: Vec<SketchedLine> = short.chain(long).collect();
    all.sort();
    all.dedup();
    all
}

fn hashes(lines: &[SketchedLine]) -> impl Iterator<Item = &LineHash> {
    lines.iter().filter_map(|line| match line {
        SketchedLine::Hash(hash) => Some(hash),
        SketchedLine::Whole(_) => None,
    })
}
