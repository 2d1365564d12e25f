//! `list`: prints the keys of files that store them.

use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file::{self, Sized};
use crate::output::{self, Out, Subject};
use crate::secret_key::KeyArgs;
use anther::format::{Readable, Tag};
use anther::iblt::{Difference, Elements, Iblt, Integers, Strings, Undecoded};
use anther::recipe::KeyForm;
use anther::{AnyFilter, ExactSet, Filter, LoadError, Open, Verified};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const ABOUT: &str = "\
Prints the keys of a file that stores them: an exact set, which anther build --exact
makes, or an invertible Bloom lookup table (iblt), which the library makes.

Examples:
  anther build ids.anther --exact --as int ids.txt
  anther list ids.anther
  anther list ids.anther --counts | sort -rn | head
  anther list ours.iblt --minus theirs.iblt       what only one of two sets has

An exact set prints each key once, in ascending order; --counts prints before it how often
it was inserted, and a tab.

An iblt holds a set that is small enough for its cells, or the difference of two sets that
are nearly the same. Each key gets a line: + and a tab before keys that were inserted, - and
a tab before those that were removed. With --minus, - is what only the other table has. If
there are more keys than its cells can tell, those that were found are printed, a message
says for how many to make it, and the exit code is 1.

Other filters do not store their keys.";

const EXIT_CODES: &str = "Exit codes: 0 all keys are listed; 1 some cannot be; 2 error.";

/// Print the keys of an exact set or of an iblt
#[derive(clap::Args, Debug)]
#[command(long_about = ABOUT, after_help = EXIT_CODES)]
pub struct Args {
    /// The exact set or iblt; `-` is standard input
    file: PathBuf,
    /// Subtract this iblt first: prints what only one of the two sets has
    #[arg(long, value_name = "FILE")]
    minus: Option<PathBuf>,
    /// Print how often each key of an exact set was inserted
    #[arg(short, long)]
    counts: bool,
    /// Print integers with a sign: those from 2^63 on are negative
    #[arg(long)]
    signed: bool,
    /// Print each key as a line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    key: KeyArgs,
}

/// A line of `--json`.
#[derive(Serialize)]
struct KeyJson<'a> {
    #[serde(flatten)]
    name: KeyName<'a>,
    /// Of an exact set: how often it was inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    /// Of an iblt: `+` or `-`.
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum KeyName<'a> {
    Text(Subject<'a>),
    Integer { key: i128 },
}

/// What a key is.
#[derive(Clone, Copy)]
enum Shown<'a> {
    Integer(u64),
    Text(&'a [u8]),
}

impl Args {
    /// Runs the verb.
    pub fn run(&self) -> Outcome {
        let paths: Vec<&Path> =
            std::iter::once(&self.file).chain(&self.minus).map(|path| &**path).collect();
        filter_file::check_stdin(&paths, &[])?;
        let bytes = self.bytes(&self.file)?;
        let mut out = Out::stdout();
        let is_whole =
            match self.read::<Verified>(&self.file, &bytes, Open::new().without_hashing())?.tag {
                Tag::Iblt => self.list_table(&bytes, &mut out)?,
                _ => self.list_set(&bytes, &mut out)?,
            };
        out.finish()?;
        Ok(if is_whole { Exit::Success } else { Exit::Nothing })
    }

    /// The bytes of a file. They are read more than once.
    fn bytes(&self, path: &Path) -> Result<Vec<u8>, Stop> {
        let mut bytes = Vec::new();
        let read = match filter_file::is_stdin(path) {
            true => io::stdin().lock().read_to_end(&mut bytes),
            false => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
        };
        match read {
            Ok(_) => Ok(bytes),
            Err(error) => Err(filter_file::explained(path, LoadError::Io(error))),
        }
    }

    fn read<C: Readable>(&self, path: &Path, bytes: &[u8], open: Open) -> Result<C, Stop> {
        open.bytes(bytes).map_err(|error| filter_file::explained(path, error))
    }

    fn list_set(&self, bytes: &[u8], out: &mut Out) -> Result<bool, Stop> {
        let stop = |cause: String| Err(Stop::about(output::shown(&self.file), cause));
        let filter: AnyFilter = self.read(&self.file, bytes, Open::new().without_hashing())?;
        let kind = filter.kind();
        // Without a recipe it is the library's, of integers.
        let is_text = filter.about().rule().is_some_and(|rule| rule.form == KeyForm::Text);
        let set = match filter {
            AnyFilter::Quotient(filter) => ExactSet::try_from(filter).ok(),
            _ => None,
        };
        let Some(set) = set else {
            return stop(format!(
                "{} {kind} filter does not store its keys; make a set that does from the list, with \
                 anther build --exact",
                kind.article()
            ));
        };
        if self.minus.is_some() {
            return stop("is no iblt; --minus subtracts one iblt from another".to_string());
        }
        let mut keys: Vec<u64> = set.iter().collect();
        match self.signed {
            true => keys.sort_unstable_by_key(|key| key.cast_signed()),
            false => keys.sort_unstable(),
        }
        for same in keys.chunk_by(|one, next| one == next) {
            let count = same.len() as u64;
            let text = ExactSet::text_of(same[0]);
            let key = if is_text { Shown::Text(&text) } else { Shown::Integer(same[0]) };
            let before = self.counts.then(|| count.to_string());
            self.print(key, before.as_deref(), (Some(count), None), out)?;
        }
        Ok(true)
    }

    fn list_table(&self, bytes: &[u8], out: &mut Out) -> Result<bool, Stop> {
        if self.counts {
            let cause = "--counts is for exact sets: an iblt has each key once";
            return Err(Stop::about(output::shown(&self.file), cause));
        }
        let open = self.key.open(&self.file)?.ignore_rule();
        // The file says which elements it has, and only the right type opens it.
        if open.bytes::<Iblt<Strings>>(bytes).is_ok() {
            return self.list_elements::<Strings>(bytes, open, out, |key| Shown::Text(key));
        }
        self.list_elements::<Integers>(bytes, open, out, |key| Shown::Integer(*key))
    }

    fn list_elements<E: Elements>(
        &self,
        bytes: &[u8],
        open: Open,
        out: &mut Out,
        shown: impl Fn(&E::Element) -> Shown<'_>,
    ) -> Result<bool, Stop> {
        let mut table: Iblt<E> = self.read(&self.file, bytes, open)?;
        if let Some(minus) = &self.minus {
            let open = self.key.open_if_keyed(minus)?.ignore_rule();
            let Sized { contents: other, .. } = filter_file::read::<Iblt<E>>(minus, open)
                .map_err(|error| filter_file::explained(minus, error))?;
            table =
                table.subtract(&other).map_err(|error| Stop::about(output::shown(minus), error))?;
        }
        let (found, trouble) = match table.decode() {
            Ok(found) => (found, None),
            Err(error) => {
                let message = error.to_string();
                let Undecoded { found, .. } = error;
                (found, Some(message))
            }
        };
        let Difference { ours, theirs } = &found;
        for (side, keys) in [("+", ours), ("-", theirs)] {
            for key in keys {
                self.print(shown(key), Some(side), (None, Some(side)), out)?;
            }
        }
        if let Some(message) = &trouble {
            out.flush()?;
            output::complain(&format!("{}: {message}", output::shown(&self.file)));
        }
        Ok(trouble.is_none())
    }

    fn print(
        &self,
        key: Shown<'_>,
        before: Option<&str>,
        (count, side): (Option<u64>, Option<&'static str>),
        out: &mut Out,
    ) -> Result<(), Stop> {
        let number = |key: u64| match self.signed {
            true => key.cast_signed().into(),
            false => i128::from(key),
        };
        if self.json {
            let name = match key {
                Shown::Integer(key) => KeyName::Integer { key: number(key) },
                Shown::Text(text) => KeyName::Text(Subject::key(text)),
            };
            return out.json(&KeyJson { name, count, side });
        }
        if let Some(before) = before {
            out.key(format!("{before}\t").as_bytes())?;
        }
        match key {
            Shown::Integer(key) => out.key(number(key).to_string().as_bytes())?,
            Shown::Text(text) => out.key(text)?,
        }
        out.key(b"\n")
    }
}
