//! Hands the files that match to another program.

use crate::exit::{Exit, Outcome, Stop};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most bytes of arguments per run. Linux takes 2 MiB together with the environment; other
/// systems take 1 MiB or 256 KiB, and xargs uses 128 KiB.
const ARGUMENTS: usize = 128 << 10;

/// Runs the command with the files as its last arguments, as often as that takes.
pub fn run<'a>(command: &[OsString], files: impl Iterator<Item = &'a Path>) -> Outcome {
    let Some((program, arguments)) = command.split_first() else { return Ok(Exit::Success) };
    let size = |argument: &OsStr| argument.len() + 1 + size_of::<usize>();
    let fixed: usize = command.iter().map(|argument| size(argument)).sum();
    let mut files = files.map(as_argument).peekable();
    let mut failed = None;
    while files.peek().is_some() {
        let mut left = ARGUMENTS.saturating_sub(fixed);
        let mut batch = Vec::new();
        while let Some(file) =
            files.next_if(|file| batch.is_empty() || size(file.as_os_str()) <= left)
        {
            left = left.saturating_sub(size(file.as_os_str()));
            batch.push(file);
        }
        let status = Command::new(program).args(arguments).args(&batch).status();
        let status = status.map_err(|error| {
            Stop::about(program.display(), format_args!("cannot run it: {error}"))
        })?;
        if !status.success() {
            failed = Some(status);
        }
    }
    match failed {
        None => Ok(Exit::Success),
        Some(status) => Err(Stop::about(program.display(), format_args!("failed: {status}"))),
    }
}

/// The path, such that nobody takes it for an option.
fn as_argument(path: &Path) -> PathBuf {
    match path.as_os_str().as_encoded_bytes() {
        [b'-', ..] => Path::new(".").join(path),
        _ => path.to_path_buf(),
    }
}
