//! `uniq`: passes each line when it is first seen.

mod available;
pub mod seen;
mod settle;
mod spill;
pub mod state;
mod stream;
mod summary;
mod timed;

use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::input::{self, Input};
use crate::keys::Reading;
use crate::recipe_args::RecipeArgs;
use crate::secret_key::KeyArgs;
use crate::units;
use anther::Seed;
use anther::recipe::Place;
use anther_records::extract::Extraction;
use seen::Horizon;
use settle::Wanted;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

const ABOUT: &str = "\
Passes each line when it is first seen, and drops it when it comes again.

Examples:
  anther uniq < urls.txt                        each line once, in the order of the input
  tail -f app.log | anther uniq --ttl 10min     each message once in ten minutes
  anther uniq --column id orders.csv.zst        whole lines, each id once
  anther uniq --minus old.txt new.txt           what is new
  anther uniq --column id --minus-keys ids.txt orders.csv    without these ids
  anther uniq -c access.log | sort -rn | head   how often each line comes
  anther uniq --memory 1GB huge.txt             within a memory limit
  anther uniq --state seen.state < today.txt    goes on where the last run stopped

The input need not be sorted, and its order is kept. A line that has arrived is passed at
once, even if standard output is a pipe. Lines are the same if they differ only in how they
end (LF or CRLF). With --column, --as, --ignore-case or --trim the key decides, and the
first line with that key is printed as it is. A header row is printed once per run, also
with --state and -c. In JSON, 1 and \"1\" are one key. A last line without a line ending gets
one.

Without other options, the fingerprints of all lines are in memory: 64 bits of a hash with a
random seed, in 6.7 to 9.3 bytes per distinct line. Two different lines with the same
fingerprint are taken for one. The chance that this happens at all, among n distinct lines,
is n^2/2^65: 0.00007 for 50 million, 2.7 % for a billion.

--memory SIZE  keeps to a limit, and is exact. Lines that are surely new pass at once. All
  others go to a temporary file. At the end of the input they are compared by fingerprints
  of 128 bits, and those that are new after all follow, in the order of the input. The more
  lines there are for the memory, the more come at the end; none is lost or comes twice.
  The least is 40MB. Lines longer than 1 MB take memory beside it: up to twice as many of
  them as there are cores are in memory at once, of up to 256 MiB each.
--fpr RATE  keeps shorter fingerprints: at most this share of new lines is dropped wrongly,
  however many come. 1e-6 takes 4.4 to 6.6 bytes per distinct line, 1% takes 2.4 to 4.
--window N, --ttl TIME  drop a line only if it was passed among the latest N lines that were
  passed, or within the time. It may be dropped until twice as many, or twice the time. In
  fixed memory, for endless streams. --fpr says how many new lines may be dropped wrongly
  [default: 1e-6].
-c, -d, -u  print at the end, in the order of first lines: every line with its count and a tab,
  lines that come twice or more, lines that come once. Counts are exact, as with --memory,
  which is 1 GB here unless it is given. All lines go to temporary files, if there are more
  than a few.

These temporary files have no name, and nothing is left of them if the program is killed.

--state FILE saves what was seen, every 30 seconds (--checkpoint), at the end, and on Ctrl-C.
After a crash, lines that came since may be passed again; none is lost, since the output is
flushed first, and synced if it is a file. The state is 8 bytes per distinct line, is
replaced atomically, and is locked against a second process. A kill during a save may leave
a file .anther-*.tmp beside it, which a later run removes. The state goes with the same
options only.

A summary is printed to standard error; -q leaves it out.";

const EXIT_CODES: &str = "Exit codes: 0 success, also if no line is passed; 2 error.";

/// Pass each line once, in a pipe
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
#[command(mut_args(|option| match option.get_id().as_str() {
    "form" | "trim" | "format" | "delimiter" | "header" | "no_quotes" | "skip_malformed"
    | "binary" => option.hide_short_help(true),
    // Blank lines are lines, and nothing remembers a header row.
    "keep_empty" | "no_header" => option.hide(true),
    "key_file" => option.help("File with a secret key to hash lines with, instead of a random seed"),
    _ => option,
}))]
pub struct Args {
    /// Files to read, also compressed ones [default: standard input]
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print how often each line comes, at the end
    #[arg(short, long)]
    count: bool,
    /// Print only lines that come twice or more, once each, at the end
    #[arg(short = 'd', long, conflicts_with = "unique")]
    repeated: bool,
    /// Print only lines that come once, at the end
    #[arg(short = 'u', long)]
    unique: bool,
    /// Drop the lines of this file, too; repeatable
    #[arg(long, value_name = "FILE")]
    minus: Vec<PathBuf>,
    /// Drop the lines with these keys, one per line of this file; for --column
    #[arg(long, value_name = "FILE", requires = "column")]
    minus_keys: Vec<PathBuf>,
    /// Memory limit, such as 1GB, at least 40MB; what cannot be told within it comes at the end
    #[arg(long, value_name = "SIZE", value_parser = units::parse_bytes)]
    #[arg(allow_hyphen_values = true, conflicts_with_all = ["fpr", "window", "ttl", "state"])]
    memory: Option<u64>,
    /// Use less memory, and drop at most this share of new lines wrongly
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    #[arg(allow_hyphen_values = true, conflicts_with_all = ["count", "repeated", "unique"])]
    fpr: Option<f64>,
    /// Drop a line only if it is among the latest N to 2N that were passed
    #[arg(long, value_name = "N", value_parser = units::parse_count)]
    #[arg(allow_hyphen_values = true, conflicts_with_all = ["ttl", "count", "repeated", "unique"])]
    window: Option<u64>,
    /// Drop a line only if it was passed within this time, such as 10min
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    #[arg(allow_hyphen_values = true, conflicts_with_all = ["count", "repeated", "unique"])]
    ttl: Option<Duration>,
    /// Go on where the last run with this file stopped, and save it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "repeated", "unique"])]
    state: Option<PathBuf>,
    /// How often the state is saved [default: 30s]
    ///
    /// Less often if saving takes more than a twentieth of the time.
    #[arg(long, value_name = "TIME", value_parser = units::parse_time, requires = "state")]
    #[arg(allow_hyphen_values = true, hide_short_help = true)]
    checkpoint: Option<Duration>,
    /// Folder for temporary files [default: that of the system]
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,
    /// Print each line as JSON, and the summary as JSON on standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    key: KeyArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
}

/// The least `--memory`: blocks of input, buffers of temporary files and the program itself take
/// half of it.
const LEAST_MEMORY: u64 = 40_000_000;

/// The memory of `-c`, `-d` and `-u`.
const COUNT_MEMORY: u64 = 1_000_000_000;

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let sources = Input::all(&self.files);
        let how = self.how()?;
        let minus = self.subtrahends(&how)?;
        let all = || sources.iter().chain(minus.iter().flat_map(|minus| &minus.sources));
        all().try_for_each(Input::check)?;
        if all().filter(|source| matches!(source, Input::Stdin)).count() > 1 {
            let cause = "standard input can be read once; name a file";
            return Err(Stop::about("-", cause));
        }
        self.check_state(all())?;
        if let Some(folder) = &self.temp {
            filter_file::check_folder(&folder.join("file"))?;
        }
        if self.temp.is_some() && !self.spills() {
            let cause = "only --memory, -c, -d and -u make temporary files; leave it out";
            return Err(Stop::about("--temp", cause));
        }
        input::say_if_typed(&sources);
        match self.spills() {
            true => self.settle(&sources, &minus, &how)?,
            false => self.stream(&sources, &minus, &how)?,
        }
        Ok(Exit::Success)
    }

    /// The files of `--minus` and `--minus-keys`.
    fn subtrahends(&self, how: &Extraction) -> Result<Vec<Subtrahend>, Stop> {
        let mut all = Vec::new();
        if !self.minus.is_empty() {
            all.push(Subtrahend { sources: Input::all(&self.minus), how: how.clone() });
        }
        if !self.minus_keys.is_empty() {
            if how.rule.parts > 1 {
                let cause = "a line is one key; with several columns, use --minus";
                return Err(Stop::about("--minus-keys", cause));
            }
            let how = Extraction { place: Place::default(), ..how.clone() };
            all.push(Subtrahend { sources: Input::all(&self.minus_keys), how });
        }
        Ok(all)
    }

    /// Rejects a state that is an input, too: it would be replaced while it is read.
    fn check_state<'a>(&self, mut inputs: impl Iterator<Item = &'a Input>) -> Result<(), Stop> {
        let Some(state) = &self.state else { return Ok(()) };
        let Ok(real) = fs::canonicalize(state) else { return Ok(()) };
        let is_state = |input: &Input| match input {
            Input::File(path) => fs::canonicalize(path).is_ok_and(|path| path == real),
            _ => false,
        };
        match inputs.any(is_state) {
            true => Err(Stop::about(
                state.display(),
                "is both the state and an input; name another file for one of them",
            )),
            false => Ok(()),
        }
    }

    /// Blank lines are lines, too, and the lines of ad blockers' lists are taken as they are.
    fn how(&self) -> Result<Extraction, Stop> {
        let how = self.recipe.extraction()?;
        Ok(Extraction { keep_empty: true, block_list: None, ..how })
    }

    /// Whether lines may go to temporary files.
    fn spills(&self) -> bool {
        self.memory.is_some() || self.wanted() != Wanted::First
    }

    fn wanted(&self) -> Wanted {
        match (self.count, self.repeated, self.unique) {
            (_, true, _) => Wanted::Repeated,
            (_, _, true) => Wanted::Unique,
            (true, ..) => Wanted::All,
            _ => Wanted::First,
        }
    }

    fn memory_limit(&self) -> Result<u64, Stop> {
        match self.memory {
            Some(bytes) if bytes < LEAST_MEMORY => Err(Stop::about(
                "--memory",
                format_args!("at least {} are needed", units::size(LEAST_MEMORY)),
            )),
            Some(bytes) => Ok(bytes),
            None => Ok(COUNT_MEMORY),
        }
    }

    fn temporary_folder(&self) -> PathBuf {
        self.temp.clone().unwrap_or_else(env::temp_dir)
    }

    /// How far back lines are remembered.
    fn horizon(&self) -> Horizon {
        let rate = self.fpr.unwrap_or(seen::WINDOW_RATE);
        match (self.window, self.ttl, self.fpr) {
            (Some(lines), ..) => Horizon::Window { lines, rate },
            (_, Some(time), _) => Horizon::Timed { time, rate },
            (_, _, Some(rate)) => Horizon::Share { rate },
            _ => Horizon::All,
        }
    }

    /// A seed that nobody can know: chosen lines must not make the table slow, or have the
    /// fingerprints of others.
    fn seeds(&self) -> Result<[Seed; 2], Stop> {
        if let Some(key) = self.key.given()? {
            let other = key.map(|byte| byte ^ 0x5C);
            return Ok([Seed::keyed(key), Seed::keyed(other)]);
        }
        Ok([random_seed()?, random_seed()?])
    }
}

/// Files whose lines are dropped.
struct Subtrahend {
    sources: Vec<Input>,
    how: Extraction,
}

impl Subtrahend {
    fn reading(&self, seed: Seed) -> Reading<'_> {
        Reading { sources: &self.sources, how: &self.how, seed }
    }

    /// An error of reading it, and what else the file may have been meant for.
    fn explained(&self, stop: Stop) -> Stop {
        match stop {
            Stop::Error(message) if !self.how.place.columns.is_empty() => Stop::Error(format!(
                "{message}; if the file is a plain list of keys, name it with --minus-keys"
            )),
            other => other,
        }
    }
}

fn random_seed() -> Result<Seed, Stop> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)
        .map_err(|error| Stop::about("cannot get random bytes from the system", error))?;
    Ok(Seed::chosen(u64::from_le_bytes(bytes)))
}
