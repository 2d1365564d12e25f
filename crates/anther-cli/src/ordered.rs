//! Keys of range filters: from text to integers in their order.

use crate::escaped;
use crate::exit::Stop;
use crate::extract::Extraction;
use crate::input::Input;
use crate::keys::{Counts, ON, Part, Reading};
use crate::progress::Progress;
use anther::recipe::{Format, Given, KeyForm, KeyRule};
use anther::{KeyError, Seed};

/// How much of a key a message shows.
const SHOWN: usize = 100;

/// The same places, with their text as it is: a range filter needs the key, and not its hash.
pub fn as_text(how: &Extraction) -> Extraction {
    let rule = KeyRule { form: KeyForm::Text, ignore_case: false, ..how.rule };
    Extraction { rule, ..how.clone() }
}

/// A key as it was read.
pub fn given<'a>(how: &Extraction, key: &'a [u8]) -> Given<'a> {
    match how.place.format {
        Format::Records(_) => Given::Bytes(key),
        _ => Given::Text(key),
    }
}

/// Refuses forms without an order.
pub fn check_form(rule: &KeyRule) -> Result<(), Stop> {
    if rule.parts > 1 {
        return Err(Stop::about("--column", "a key of a range filter is one column; name one"));
    }
    if !rule.form.has_order() {
        let error = KeyError::NoOrder { form: rule.form.name() };
        return Err(Stop::about("--as", error));
    }
    Ok(())
}

/// A key that was refused, in words.
pub fn refused(key: &[u8], error: &KeyError) -> String {
    let shown = escaped::on_one_line(&key[..key.len().min(SHOWN)]);
    format!("{shown:?}: {error}; go on with --skip-malformed")
}

/// What was made of the keys of a block.
pub struct Made<T> {
    /// A result for each key; `None` if it was left out.
    pub results: Vec<Option<T>>,
    /// Which key behind them was refused, and why.
    pub refused: Option<(usize, String)>,
}

/// Makes something of each key of a block. Refused keys are left out, or the first one stops it.
pub fn of_part<T>(
    part: Part<'_>,
    skip: bool,
    make: impl Fn(&[u8]) -> Result<T, String>,
) -> Made<T> {
    let mut made = Made { results: Vec::new(), refused: None };
    for at in 0..part.hashes[0].len() {
        match make(part.key(at)) {
            Ok(result) => made.results.push(Some(result)),
            Err(_) if skip => made.results.push(None),
            Err(cause) => {
                made.refused = Some((at, cause));
                break;
            }
        }
    }
    made
}

/// An error about a key of an input.
pub fn stop(how: &Extraction, source: &Input, line: Option<u64>, cause: &str) -> Stop {
    match line {
        Some(line) => {
            Stop::about(source.name(), format_args!("{} {line}: {cause}", how.record_name()))
        }
        None => Stop::about(source.name(), cause),
    }
}

/// Reads all keys, as integers in their order, and returns how many there were.
pub fn each(
    sources: &[Input],
    how: &Extraction,
    quiet: bool,
    mut take: impl FnMut(&Input, &[i128]) -> Result<(), Stop>,
) -> Result<Counts, Stop> {
    let raw = as_text(how);
    let total = sources.iter().map(Input::len).sum();
    let progress = Progress::reading(total, quiet);
    let reading = Reading { sources, how: &raw, seed: Seed::FIXED };
    let mut malformed = 0;
    let order = |key: &[u8]| how.rule.order(given(how, key)).map_err(|error| refused(key, &error));
    let read = reading.each_part(
        &[Seed::FIXED],
        true,
        |part| of_part(part, how.skip_malformed, order),
        |keyed, made| {
            if let Some((at, cause)) = made.refused {
                let has_lines = !matches!(keyed.source, Input::Keys(_));
                let line = has_lines.then(|| keyed.records.line(at));
                return Err(stop(how, keyed.source, line, &cause));
            }
            let keys: Vec<i128> = made.results.iter().flatten().copied().collect();
            malformed += (made.results.len() - keys.len()) as u64;
            take(keyed.source, &keys)?;
            progress.advance(keyed.bytes);
            Ok(ON)
        },
    )?;
    Ok(Counts { keys: read.keys - malformed, malformed: read.malformed + malformed, ..read })
}
