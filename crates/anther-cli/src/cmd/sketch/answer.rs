//! `sketch --answer`: the lines of hashes that the other host asked for.

use crate::exit::{Exit, Outcome, Stop};
use crate::filter_file;
use crate::line_list::{self, LineList};
use crate::output::{self, Out, Subject};
use crate::units;
use anther::Seed;
use anther::iblt::sketch::{LineHash, line_hash};
use anther::recipe::KeyRule;
use serde::Serialize;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of hashes: a million of them.
const MOST: u64 = 33 << 20;

/// A line of `--json`.
#[derive(Serialize)]
struct AnswerJson<'a> {
    hash: String,
    #[serde(flatten)]
    line: Subject<'a>,
}

/// Reads hashes, one per line.
pub fn read(path: &Path) -> Result<HashSet<LineHash>, Stop> {
    let trouble = |cause: String| Stop::about(output::shown(path), cause);
    let source: Box<dyn Read> = match filter_file::is_stdin(path) {
        true => Box::new(io::stdin()),
        false => {
            Box::new(File::open(path).map_err(|error| trouble(format!("cannot read: {error}")))?)
        }
    };
    let mut text = Vec::new();
    let read = source.take(MOST + 1).read_to_end(&mut text);
    if read.map_err(|error| trouble(format!("cannot read: {error}")))? as u64 > MOST {
        return Err(trouble("more than a million hashes; send the list instead".to_string()));
    }
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty());
    let hash = |(line, number): (&[u8], u64)| {
        let wrong = "not a hash of 32 hexadecimal digits, as anther diff --exchange prints them";
        parse(line).ok_or_else(|| trouble(format!("line {number}: {wrong}")))
    };
    lines.map(hash).collect()
}

fn parse(line: &[u8]) -> Option<LineHash> {
    let text =
        str::from_utf8(line).ok().filter(|text| text.len() == 32 && !text.starts_with('+'))?;
    // As it is printed: the bytes in order.
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

/// Prints the lines of these hashes, sorted.
pub fn print(
    list: &LineList,
    wanted: &HashSet<LineHash>,
    seed: &Seed,
    rule: &KeyRule,
    json: bool,
) -> Outcome {
    let hashed = list.iter().map(|line| (line, line_hash(line, seed)));
    let mut lines: Vec<_> = hashed.filter(|(_, hash)| wanted.contains(hash)).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut out = Out::stdout();
    for (line, hash) in &lines {
        let line = line_list::printed(line, rule);
        if json {
            out.json(&AnswerJson { hash: line_list::hex(hash), line: Subject::key(&line) })?;
        } else {
            out.key(&line)?;
            out.text("\n")?;
        }
    }
    out.finish()?;
    match wanted.len() - lines.len() {
        0 => Ok(Exit::Success),
        missing => {
            output::complain(&format!(
                "{} of {} hashes are of no line here; give the options and the key of the sketch",
                units::count(missing as u64),
                units::count(wanted.len() as u64)
            ));
            Ok(Exit::Nothing)
        }
    }
}
