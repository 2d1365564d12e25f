//! `plan`: the size and false-positive rate of a filter, and which kind to use, before it is built.
//!
//! The library's [`Known`] does the mathematics. This module reads the numbers and prints them: for
//! one kind, for all ([`all`]), or for the best kind for some needs ([`advice`]).

mod advice;
mod all;
mod error_table;
mod numbers;
#[cfg(feature = "lab")]
mod plot;

use crate::exit::{Exit, Outcome, Stop};
use crate::kind_args::{self, OptionArgs};
use crate::output::Out;
use crate::units;
use anther::plan::{self, Known, Need, Numbers, Request};
use anther::{Kind, Options, SolveError};
use serde::Serialize;

const ABOUT: &str = "\
Computes the size and false-positive rate (FPR) of a filter before you build it, and
recommends a kind.

Examples:
  anther plan --items 10M --fpr 1%                   how large?
  anther plan --items 10M --memory 16MiB             which FPR?
  anther plan --fpr 0.1% --memory 64MiB              how many keys?
  anther plan --items 10M --fpr 1% --probes 4        how large with four probes?
  anther plan --items 10M --fpr 1% --memory 16MiB    the fewest probes that do
  anther plan --items 10M --all                      every kind, the smallest first
  anther plan --items 10M --remove                   which kind, if keys are removed?
  anther plan --table                                FPR by bits per key and probes
  anther plan --plot --kind classic,cuckoo           FPR by bits per key, as a plot
  anther plan --plot fill --kind blocked -o it.svg   FPR by fill, as a picture

Give two of --items, --fpr and --memory (or --bits), and plan computes the third. With
--items or --memory alone, the FPR is 1 %. You may add --probes for kinds that let you
choose them: classic, blocked, split and compressed. All three numbers without --probes
give the fewest probes that reach the FPR. Without --kind, plan shows blocked, which is
what build makes. Sizes are those of the cells in memory; a file adds a header. The bound
is the fewest bits that any filter can have: n log2(1/FPR).

An entry of a list that stands for what is below it takes several keys, 5 at 1 % and 3 at
0.1 %: every name with build --as domain, *@host with --as email, a network with --as ip.
Give --items that many times for each of them.

--remove, --grow, --count, --values, --static and --stream recommend a kind: the smallest
that does all of that, or with --memory the one with the lowest FPR or the most keys. Ties
go to the kind with fewer probes. Listed later: for --count, kinds whose counts have a
maximum, and last those that also fill up with copies of a repeated key; for --remove,
kinds that cannot remove every key. --grow means any number of keys at the FPR; quotient
and cuckoo can double, but their FPR then rises. Experimental kinds are never recommended.
Without numbers, plan compares the kinds for a million keys at 1 %.";

const EXIT_CODES: &str = "Exit codes: 0 planned; 2 error, or no kind can do it.";

/// Compute the size and false-positive rate of a filter, and recommend a kind
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// Number of distinct keys, such as 10M
    #[arg(long, value_name = "N", value_parser = kind_args::parse_items)]
    #[arg(allow_hyphen_values = true)]
    items: Option<u64>,
    /// False-positive rate (FPR), such as 0.1% [default: 1%]
    ///
    /// A false positive is a maybe for an absent key. With --items and --memory, the rate is
    /// computed.
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    #[arg(allow_hyphen_values = true)]
    fpr: Option<f64>,
    /// Memory of the filter, such as 64MiB
    #[arg(long, value_name = "SIZE", value_parser = parse_memory, conflicts_with = "bits")]
    #[arg(allow_hyphen_values = true)]
    memory: Option<u64>,
    /// Memory of the filter in bits
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    #[arg(allow_hyphen_values = true)]
    bits: Option<u64>,
    /// Probes per key, for kinds that let you choose
    #[arg(long, value_name = "N", value_parser = parse_probes)]
    #[arg(allow_hyphen_values = true)]
    probes: Option<u32>,
    /// Kind of filter; --help lists all [default: blocked]
    #[arg(long, value_name = "KIND", value_parser = kind_args::kinds(Kind::ALL), value_delimiter = ',')]
    #[arg(hide_possible_values = true, long_help = kind_args::describe_kinds() + DEFAULT_KIND)]
    kind: Vec<Kind>,
    /// Compare all kinds, and list what each can do
    #[arg(long, conflicts_with_all = ["kind", "probes"])]
    all: bool,
    #[command(flatten)]
    needs: Needs,
    /// Print a table of FPRs by bits per key and probes
    #[arg(long, conflicts_with_all = ["items", "fpr", "memory", "bits", "probes", "kind", "all"])]
    #[arg(conflicts_with = "OptionArgs")]
    table: bool,
    #[cfg(feature = "lab")]
    #[command(flatten)]
    plotting: plot::PlotArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: OptionArgs,
}

/// What the filter must be able to do.
#[derive(clap::Args, Debug)]
struct Needs {
    /// Recommend a kind: keys are removed
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    remove: bool,
    /// Recommend a kind: the number of keys is unknown
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    grow: bool,
    /// Recommend a kind: keys are counted
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    count: bool,
    /// Recommend a kind: each key has a value
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    values: bool,
    /// Recommend a kind: the set is complete and never changes
    #[arg(long = "static", conflicts_with_all = OTHER_FORMS)]
    fixed: bool,
    /// Recommend a kind: an endless stream, of which the latest keys matter
    #[arg(long, conflicts_with_all = OTHER_FORMS)]
    stream: bool,
}

/// What the needs conflict with: they choose the kind, and most kinds choose their probes.
#[cfg(feature = "lab")]
const OTHER_FORMS: [&str; 5] = ["kind", "all", "table", "probes", "plot"];
#[cfg(not(feature = "lab"))]
const OTHER_FORMS: [&str; 4] = ["kind", "all", "table", "probes"];

/// The end of the help of `--kind`.
#[cfg(feature = "lab")]
const DEFAULT_KIND: &str =
    "[default: blocked]\nWith --plot, several kinds, such as classic,cuckoo.";
#[cfg(not(feature = "lab"))]
const DEFAULT_KIND: &str = "[default: blocked]";

/// The default of `--fpr`, as in `build`.
const DEFAULT_FPR: f64 = 0.01;
/// The default of `--items`, for comparing kinds.
const DEFAULT_ITEMS: u64 = 1_000_000;

/// The bits of a cache line.
const CACHE_LINE_BITS: u64 = 512;

/// Bytes, few enough that the number of their bits fits into 64 bits.
fn parse_memory(text: &str) -> Result<u64, String> {
    let bytes = units::parse_bytes(text)?;
    match bytes.checked_mul(8) {
        Some(_) => Ok(bytes),
        None => Err(format!("too large; at most {} bytes", units::count(u64::MAX / 8))),
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

/// What `--json` prints of one kind.
#[derive(Serialize)]
struct SingleJson<'a> {
    kind: &'static str,
    #[serde(flatten)]
    numbers: &'a Numbers,
    can: Vec<&'static str>,
    notes: Vec<String>,
    /// The command that builds it; null if the program cannot.
    command: Option<String>,
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let mut out = Out::stdout();
        let needs = self.needs.all();
        if self.items.is_some() && self.options.options().window.is_some() {
            return Err(Stop::about("--items", "not with --window, which says the same"));
        }
        #[cfg(feature = "lab")]
        if let Some(against) = self.plotting.against() {
            if against == plot::Against::Bits && self.fpr.is_some() {
                return Err(Stop::about(
                    "--fpr",
                    "not needed: --plot shows all rates; leave it out",
                ));
            }
            self.plotting.print(&mut out, against, &self.kind, &self.request(), self.json)?;
            out.finish()?;
            return Ok(Exit::Success);
        }
        #[cfg(feature = "lab")]
        self.plotting.refuse_file()?;
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

    /// The request for one filter.
    fn request(&self) -> Request {
        let bits = self.bits.or(self.memory.map(|bytes| 8 * bytes));
        let items = self.items.or(self.options.options().window);
        let mut known = Known { items, fpr: self.fpr, bits, probes: self.probes };
        if known.items.is_some() != known.bits.is_some() {
            known.fpr = known.fpr.or(Some(DEFAULT_FPR));
        }
        Request { known, room: None, options: self.options.options() }
    }

    /// The request for comparing kinds, with defaults for what was not given.
    fn compared(&self) -> Request {
        let mut request = self.request();
        // Most kinds choose their probes, so with three numbers the memory is an upper limit.
        if request.known.items.is_some() && request.known.fpr.is_some() {
            request.room = request.known.bits.take();
        }
        if request.known.items.is_none() && request.known.bits.is_none() {
            request.known.items = Some(DEFAULT_ITEMS);
            request.known.fpr = request.known.fpr.or(Some(DEFAULT_FPR));
        }
        request
    }

    fn single(&self, out: &mut Out) -> Result<(), Stop> {
        let request = self.request();
        let kind = match self.kind[..] {
            [] => kind_args::DEFAULT,
            [kind] => kind,
            _ if cfg!(feature = "lab") => {
                return Err(Stop::about("--kind", "one kind only; several need --plot"));
            }
            _ => return Err(Stop::about("--kind", "one kind only")),
        };
        let numbers = Numbers::new(kind, &request).map_err(in_flags)?;
        let notes = numbers.notes(&request).iter().map(ToString::to_string).collect::<Vec<_>>();
        let command = numbers.command(&request);
        if self.json {
            let can = plan::can(kind);
            return out.json(&SingleJson {
                kind: kind.name(),
                numbers: &numbers,
                can,
                notes,
                command,
            });
        }
        numbers::print(&numbers, out, &request, None, &notes)?;
        if let Some(beside) = self.beside(&numbers, &request) {
            out.row("compare", numbers::NAMES, &beside)?;
        }
        Ok(())
    }

    /// The trade-off of the default kind, unless `--kind` was given.
    fn beside(&self, numbers: &Numbers, request: &Request) -> Option<String> {
        // With --probes, the question is about the probes.
        if !self.kind.is_empty() || numbers.probes_chosen || request.options != Options::default() {
            return None;
        }
        let other = Numbers::new(Kind::Classic, request).ok()?;
        let costs = match (request.known.items, request.known.bits) {
            (_, None) => format!("{:.2} bits per key", other.bits_per_key),
            (Some(_), _) => units::rate(other.fpr),
            (None, _) => format!("{} keys", units::count(other.items)),
        };
        // A small filter has fewer lines than probes.
        let lines = other.bits.div_ceil(CACHE_LINE_BITS).min(other.probes.into());
        let kind = numbers.kind;
        Some(match lines {
            1 => format!("classic: {costs}, and one cache line per lookup, as in {kind}"),
            _ => format!(
                "classic: {costs}, but up to {lines} cache lines per lookup; {kind} reads one"
            ),
        })
    }
}

/// An error in terms of the program's options.
fn in_flags(error: SolveError) -> Stop {
    Stop::Error(match error {
        SolveError::TooFew => {
            "too few numbers; give two of --items, --fpr and --memory (or --bits), \
            or --items or --memory alone for an FPR of 1 %"
                .to_string()
        }
        SolveError::TooMany { kind } => format!(
            "too many numbers for {kind}; leave out --items, --fpr or --memory{}, and plan \
             computes it",
            if kind.capabilities().shape { ", or --probes" } else { "" }
        ),
        error => error.to_string(),
    })
}
