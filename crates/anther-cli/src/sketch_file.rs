//! Sketches in files and pipes.

use crate::descriptors;
use crate::exit::Stop;
use crate::filter_file;
use crate::input::Input;
use crate::output;
use crate::secret_key::KeyArgs;
use crate::units;
use anther::SketchError;
use anther::iblt::sketch::{Comparison, SketchReader, SketchSet};
use clap::Arg;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Read};
use std::path::Path;

/// A sketch that is being read.
pub type Reader = SketchReader<Box<dyn Read>>;

/// The difference that a sketch in a file is made for, unless an option says otherwise.
pub const DEFAULT_DIFFERENCE: u64 = 1000;

/// Opens a sketch, of which no more is read than its header.
pub fn open(path: &Path, key: &KeyArgs) -> Result<Reader, Stop> {
    let source: Box<dyn Read> = match filter_file::is_stdin(path) {
        true => stdin().map_err(|error| explained(path, error.into()))?,
        false => match File::open(path) {
            Ok(file) => Box::new(file),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let cause = "no such file; make a sketch with: anther sketch LIST > SKETCH";
                return Err(Stop::about(output::shown(path), cause));
            }
            Err(error) => return Err(explained(path, error.into())),
        },
    };
    let mut reader = SketchReader::open_locked(source).map_err(|error| explained(path, error))?;
    let key = key.seed_for_sketch(reader.is_keyed())?;
    reader.unlock(key).map_err(|error| explained(path, error))?;
    Ok(reader)
}

/// Standard input without a buffer, which would read on after the last frame that is needed; and
/// with little of it in the pipe, so that a sender does not get far ahead.
#[cfg(target_os = "linux")]
fn stdin() -> io::Result<Box<dyn Read>> {
    use std::os::fd::AsFd;
    if !descriptors::is_stdin_readable() {
        return Ok(descriptors::stdin());
    }
    let stdin = io::stdin().as_fd().try_clone_to_owned()?;
    narrow(&stdin);
    Ok(Box::new(File::from(stdin)))
}

#[cfg(not(target_os = "linux"))]
fn stdin() -> io::Result<Box<dyn Read>> {
    Ok(descriptors::stdin())
}

/// Makes the buffer of a pipe a page. Whatever is no pipe stays as it is.
#[cfg(target_os = "linux")]
pub fn narrow(pipe: impl std::os::fd::AsFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, 4096);
}

#[cfg(not(target_os = "linux"))]
pub fn narrow<T>(_: T) {}

/// Closes standard input, so that the sender stops: the rest of the sketch is not needed.
#[cfg(target_os = "linux")]
pub fn close_stdin() {
    if let Ok(null) = File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(null);
    }
}

#[cfg(not(target_os = "linux"))]
pub fn close_stdin() {}

/// An error of a sketch, with the next step.
pub fn explained(path: &Path, error: SketchError) -> Stop {
    let next = match &error {
        SketchError::KeyNeeded => {
            let cause =
                format_args!("is keyed and needs its secret key; {}", filter_file::NAME_THE_KEY);
            return Stop::about(output::shown(path), cause);
        }
        SketchError::WrongKey => "; check --key-file, ANTHER_KEY_FILE or ANTHER_KEY",
        SketchError::NotKeyed => {
            return Stop::about(output::shown(path), "is not keyed; leave --key-file out");
        }
        _ => "",
    };
    Stop::about(output::shown(path), format_args!("{error}{next}"))
}

/// Rejects standard input for two things at once, and a sketch that would have to be typed.
pub fn check_stdin(path: &Path, lists: &[Input], is_sketch: bool) -> Result<(), Stop> {
    if !filter_file::is_stdin(path) {
        return Ok(());
    }
    let cause = if lists.iter().any(|list| matches!(list, Input::Stdin)) {
        "cannot be both the list and the other file; name one of them"
    } else if is_sketch && io::stdin().is_terminal() {
        "is a terminal, and a sketch is binary; pipe it in, or name its file"
    } else {
        return Ok(());
    };
    Err(Stop::about("standard input", cause))
}

/// From this many bytes on, the size advised after a sketch that is too short is nearly always
/// enough. Below, it was not in 26 of 175 cases.
const RELIABLE: u64 = 4000;

/// The error for a sketch that ended after `bytes` bytes, before all differences were found: it
/// says how many bytes would do.
pub fn too_short(path: &Path, comparison: &Comparison, set: SketchSet, bytes: u64) -> Stop {
    let (about, enough) = (differing(comparison.estimate()), comparison.enough());
    let (about, enough) = match bytes < RELIABLE {
        true => (
            format!("at least about {about}, but less than 4 kB tells little"),
            round_up(enough.saturating_mul(4)),
        ),
        false => (format!("about {about}"), round_up(enough)),
    };
    Stop::about(
        output::shown(path),
        format_args!(
            "too short after {}: {about}; make one of {} with: anther sketch --for {enough}",
            number(comparison.symbols(), "symbol"),
            units::size(set.bytes_for(enough)),
        ),
    )
}

/// `1 line differs`, `2 lines differ`.
pub fn differing(lines: u64) -> String {
    format!("{} differ{}", number(lines, "line"), if lines == 1 { "s" } else { "" })
}

/// The help of options that mean less here than for filters.
pub fn option_of_lists(option: Arg) -> Arg {
    let about = |option: Arg, short: &'static str, long: &str| {
        option.help(short).long_help(format!("{short}\n\n{long}"))
    };
    match option.get_id().as_str() {
        "form" => about(
            option,
            "What lines are: text, hex, domain, email or url [default: text]",
            "All spellings of a line are one line then. hex: bytes in hexadecimal, CAFE is cafe. domain \
             and email: letter case and a final dot make no difference. url: normalised by RFC 3986 and \
             without its fragment. Numbers are compared as they are written.",
        ),
        "column" => about(
            option,
            "Column that is compared: its number from 1, its name, or its JSON path",
            "With a name, the first line of each input is a header row. A name of digits is written in \
             quotes: --column '\"2025\"'. In a path, such as user.id, elements of arrays count from 0, \
             and \\. is a dot within a name.",
        ),
        "key_file" => about(
            option,
            "File with the secret key of the sketch",
            "It has 32 hexadecimal digits. Without the option, the environment variable ANTHER_KEY_FILE \
             names the file, or ANTHER_KEY is the key. A new sketch is keyed if there is a key; both \
             variables are ignored for a sketch that is not keyed.",
        ),
        "keep_empty" => option.hide(true),
        _ => option,
    }
}

/// `1 line`, `2 lines`.
pub fn number(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", units::count(number), if number == 1 { "" } else { "s" })
}

/// A round number, not below.
fn round_up(number: u64) -> u64 {
    let step = 10_u64.saturating_pow(number.max(1).ilog10().saturating_sub(1));
    number.div_ceil(step).saturating_mul(step)
}

#[cfg(test)]
mod tests {
    use super::round_up;

    #[test]
    fn advice_is_round_and_enough() {
        assert_eq!(
            [0, 7, 10, 99, 101, 1234, 99_999].map(round_up),
            [0, 7, 10, 99, 110, 1300, 100_000]
        );
    }
}
