//! The golden files on another processor: what is made here has their bytes, and what they answer here, and
//! what becomes of them, has the digests of the list. `cargo xtask portable` runs this, on a big-endian
//! processor, too.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a panic is the message, as in the tests that this is shared with"
)]

use std::process::ExitCode;
use std::{env, fs};

#[path = "../../../crates/anther/tests/support/made.rs"]
mod made;
#[allow(clippy::allow_attributes, dead_code, reason = "the tests use all of it")]
#[path = "../../../crates/anther/tests/support/mod.rs"]
mod support;

fn main() -> ExitCode {
    let files = made::files();
    let is_golden =
        |(name, bytes): &(String, Vec<u8>)| fs::read(made::path(name)).unwrap() == *bytes;
    let mut differ: Vec<&str> = Vec::new();
    differ.extend(files.iter().filter(|file| !is_golden(file)).map(|(name, _)| name.as_str()));
    let list = fs::read_to_string(made::list()).unwrap();
    let digests = made::digests(&files);
    let is_listed = |line: &&String| list.lines().any(|listed| listed == *line);
    differ.extend(digests.iter().filter(|line| !is_listed(line)).map(String::as_str));
    differ.iter().for_each(|what| println!("differs: {what}"));
    let (count, lines) = (files.len(), digests.len());
    let (processor, is_big) = (env::consts::ARCH, cfg!(target_endian = "big"));
    let endian = if is_big { "big" } else { "little" };
    println!(
        "{processor}, {endian}-endian: {count} files, {lines} digests, {} differ",
        differ.len()
    );
    ExitCode::from(u8::from(!differ.is_empty()))
}
