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

/// A sketch that ended before all differences were found: what would do.
pub fn too_short(path: &Path, comparison: &Comparison, set: SketchSet) -> Stop {
    let (about, enough) = (comparison.estimate(), round_up(comparison.enough()));
    Stop::about(
        output::shown(path),
        format_args!(
            "too short after {}: about {} differ; make one of {} with: anther sketch --for {enough}",
            number(comparison.symbols(), "symbol"),
            number(about, "line"),
            units::size(set.bytes_for(enough)),
        ),
    )
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
