//! `plan`: how large, how sure, how many, and which kind, before anything is made.
//!
//! The mathematics is the library's: [`Known`] works out the numbers. Here they are asked for and
//! laid out, for one kind, for all ([`all`]), or for the kind that needs choose ([`advice`]).

mod advice;
mod all;
mod error_table;
mod numbers;
#[cfg(feature = "lab")]
mod plot;

use crate::exit::{Exit, Outcome, Stop};
use crate::kind::{self, OptionArgs};
use crate::output::Out;
use crate::units;
use advice::Need;
use anther::plan::Known;
use anther::{Kind, Options, SolveError};
use numbers::{Asked, Numbers};
use serde::Serialize;

const ABOUT: &str = "\
Works out a filter before it is made: bits, probes, size, rate, and what that is
beside the fewest bits that any filter could do with.

Examples:
  anther plan --items 10M --fpr 1%                   how large?
  anther plan --items 10M --memory 16MiB             how sure?
  anther plan --fpr 0.1% --memory 64MiB              how many?
  anther plan --items 10M --fpr 1% --probes 4        how large with four probes?
  anther plan --items 10M --fpr 1% --memory 16MiB    the fewest probes that do
  anther plan --items 10M --all                      every kind, the smallest first
  anther plan --items 10M --remove                   which kind, if keys go again?
  anther plan --table                                rates by bits a key and probes
  anther plan --plot --kind classic,cuckoo           rates by bits a key, drawn
  anther plan --plot fill --kind blocked -o it.svg   rates by fill, in a picture

Two of --items, --fpr and --memory (or --bits) give the third. The rate is 1 % where
one of the others stands alone. --probes may come on top, for kinds that let you choose
them: classic, blocked, split and compressed. All three without --probes give the
fewest probes that do. The size is that of the cells in memory; a file adds a header.

Needs choose a kind: of those that do all that is needed, the smallest, and of equal
ones the one with fewer probes; with --memory the one with the lowest rate, or with the
most keys. With all three numbers, kinds that take more memory are out. Kinds stand
back that refuse a key which comes often (for --count) or that cannot give every key
back (for --remove). Experimental kinds are never recommended. Without numbers, a
million keys at 1 % decide.";

const EXIT_CODES: &str = "Exit codes: 0 planned; 2 error, or no kind does that.";

/// Work out a filter: size, rate, number of keys, kind
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// How many distinct keys, such as 10M
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    #[arg(allow_negative_numbers = true)]
    items: Option<u64>,
    /// Rate of false alarms, such as 0.1% [default: 1%]
    ///
    /// A false alarm is a maybe to an absent key. Where --items and --memory are said, it is
    /// computed.
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    #[arg(allow_negative_numbers = true)]
    fpr: Option<f64>,
    /// Memory of the filter, such as 64MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, conflicts_with = "bits")]
    #[arg(allow_negative_numbers = true)]
    memory: Option<u64>,
    /// The same in bits
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    #[arg(allow_negative_numbers = true)]
    bits: Option<u64>,
    /// Probes a key, for kinds that let you choose
    #[arg(long, value_name = "N", value_parser = parse_probes)]
    #[arg(allow_negative_numbers = true)]
    probes: Option<u32>,
    /// Kind of filter, see --help [default: classic]
    #[arg(long, value_name = "KIND", value_parser = kind::kinds(Kind::ALL), value_delimiter = ',')]
    #[arg(hide_possible_values = true, long_help = kind::describe_kinds() + DEFAULT_KIND)]
    kind: Vec<Kind>,
    /// Every kind, and what each can do
    #[arg(long, conflicts_with_all = ["kind", "probes"])]
    all: bool,
    #[command(flatten)]
    needs: Needs,
    /// The error table: rates by bits a key and probes
    #[arg(long, conflicts_with_all = ["items", "fpr", "memory", "bits", "probes", "kind", "all"])]
    #[arg(conflicts_with = "OptionArgs")]
    table: bool,
    #[cfg(feature = "lab")]
    #[command(flatten)]
    plotting: plot::PlotArgs,
    /// One JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: OptionArgs,
}

/// What the filter must be able to do.
#[derive(clap::Args, Debug)]
struct Needs {
    /// Recommend a kind: keys go again
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    remove: bool,
    /// Recommend a kind: nobody knows how many keys come
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    grow: bool,
    /// Recommend a kind: how often was a key seen?
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    count: bool,
    /// Recommend a kind: each key has a value
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    values: bool,
    /// Recommend a kind: the set is whole and does not change
    #[arg(long = "static", conflicts_with_all = OTHER_FORMS)]
    fixed: bool,
    /// Recommend a kind: the latest keys of an endless stream
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    stream: bool,
}

/// What needs do not go with: they choose the kind, and most kinds choose their probes.
#[cfg(feature = "lab")]
const OTHER_FORMS: [&str; 5] = ["kind", "all", "table", "probes", "plot"];
#[cfg(not(feature = "lab"))]
const OTHER_FORMS: [&str; 4] = ["kind", "all", "table", "probes"];

/// What `--kind` says beside its kinds.
#[cfg(feature = "lab")]
const DEFAULT_KIND: &str = "[default: classic]\nSeveral with --plot, such as classic,cuckoo.";
#[cfg(not(feature = "lab"))]
const DEFAULT_KIND: &str = "[default: classic]";

/// What a rate is where nobody says one, as in `build`.
const DEFAULT_FPR: f64 = 0.01;
/// What kinds are compared for where nobody says a number.
const DEFAULT_ITEMS: u64 = 1_000_000;

/// Bytes, as many as have a number of bits.
fn parse_memory(text: &str) -> Result<u64, String> {
    let bytes = units::parse_bytes(text)?;
    match bytes.checked_mul(8) {
        Some(_) => Ok(bytes),
        None => Err(format!("no more than {} bytes have a number of bits", u64::MAX / 8)),
    }
}

fn parse_probes(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "a whole number is needed, such as 7".to_string())
}

impl Needs {
    fn all(&self) -> Vec<Need> {
        let said = |need: &Need| match need {
            Need::Remove => self.remove,
            Need::Grow => self.grow,
            Need::Count => self.count,
            Need::Values => self.values,
            Need::Static => self.fixed,
            Need::Stream => self.stream,
        };
        Need::ALL.into_iter().filter(said).collect()
    }
}

/// One kind, as `--json` has it.
#[derive(Serialize)]
struct Single<'a> {
    kind: &'static str,
    #[serde(flatten)]
    numbers: &'a Numbers,
    can: Vec<&'static str>,
    notes: Vec<&'static str>,
    /// What makes it; nothing where the program cannot.
    command: Option<String>,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let mut out = Out::stdout();
        let needs = self.needs.all();
        #[cfg(feature = "lab")]
        if let Some(against) = self.plotting.against() {
            if against == plot::Against::Bits && self.fpr.is_some() {
                return Err(Stop::about("--fpr", "all rates are drawn; leave it out"));
            }
            self.plotting.print(&mut out, against, &self.kind, &self.asked(), self.json)?;
            out.finish()?;
            return Ok(Exit::Success);
        }
        if self.table {
            error_table::print(&mut out, self.json)?;
        } else if self.all {
            all::print(&mut out, &self.compared(), self.json)?;
        } else if !needs.is_empty() {
            advice::print(&mut out, &needs, &self.compared(), self.json)?;
        } else {
            self.single(&mut out)?;
        }
        out.finish()?;
        Ok(Exit::Success)
    }

    /// What was said of one filter.
    fn asked(&self) -> Asked<'_> {
        let bits = self.bits.or(self.memory.map(|bytes| 8 * bytes));
        let mut known = Known { items: self.items, fpr: self.fpr, bits, probes: self.probes };
        if known.items.is_some() != known.bits.is_some() {
            known.fpr = known.fpr.or(Some(DEFAULT_FPR));
        }
        Asked { known, room: None, options: self.options.options(), said: &self.options }
    }

    /// What was said of all, or what decides where nothing was.
    fn compared(&self) -> Asked<'_> {
        let mut asked = self.asked();
        // Most kinds choose their probes, so three numbers ask which of them do with that.
        if asked.known.items.is_some() && asked.known.fpr.is_some() {
            asked.room = asked.known.bits.take();
        }
        if asked.known.items.is_none() && asked.known.bits.is_none() {
            asked.known.items = Some(DEFAULT_ITEMS);
            asked.known.fpr = asked.known.fpr.or(Some(DEFAULT_FPR));
        }
        asked
    }

    fn single(&self, out: &mut Out) -> Result<(), Stop> {
        let asked = self.asked();
        let kind = match self.kind[..] {
            [] => Kind::Classic,
            [kind] => kind,
            _ if cfg!(feature = "lab") => {
                return Err(Stop::about("--kind", "one kind at a time; several with --plot"));
            }
            _ => return Err(Stop::about("--kind", "one kind at a time")),
        };
        let numbers = Numbers::new(kind, &asked).map_err(in_flags)?;
        let (notes, command) = (numbers.notes(&asked), numbers.command(&asked));
        if self.json {
            let can = numbers::can(kind);
            return out.json(&Single { kind: kind.name(), numbers: &numbers, can, notes, command });
        }
        numbers.print(out, &asked, None)?;
        if let Some(beside) = self.beside(&numbers, &asked) {
            out.line(format_args!("  beside   {beside}"))?;
        }
        Ok(())
    }

    /// What `build` makes unless told, where nobody asked for a kind.
    fn beside(&self, numbers: &Numbers, asked: &Asked<'_>) -> Option<String> {
        // Where probes are chosen they are what one wants to know.
        if !self.kind.is_empty() || numbers.probes_chosen || asked.options != Options::default() {
            return None;
        }
        let other = Numbers::new(Kind::Blocked, asked).ok()?;
        let costs = match (asked.known.items, asked.known.bits) {
            (_, None) => format!("{:.2} bits a key", other.bits_per_key),
            (Some(_), _) => units::rate(other.fpr),
            (None, _) => format!("{} keys", units::count(other.items)),
        };
        Some(format!("blocked, the default of build: {costs}, one cache line a query"))
    }
}

/// An error of the numbers in the words of the options.
fn in_flags(error: SolveError) -> Stop {
    Stop::Error(match error {
        SolveError::TooFew => "too few numbers: say two of --items, --fpr and --memory (or \
            --bits), and the third is computed; --items or --memory alone is taken at 1 %"
            .to_string(),
        SolveError::TooMany { kind } => format!(
            "too many numbers for {kind}: leave out --items, --fpr or --memory{}, and it is \
             computed",
            if kind.capabilities().shape { ", or --probes" } else { "" }
        ),
        error => error.to_string(),
    })
}
