//! Keys of range filters: from text to integers in their order.

use crate::escaped;
use crate::exit::Stop;
use crate::input::Input;
use crate::keys::{Counts, ON, Reading};
use crate::progress::Progress;
use anther::recipe::{Format, Given, KeyForm, KeyRule};
use anther::{KeyError, Seed};
use anther_records::extract::Extraction;
use anther_records::hashed::Part;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// Forms in whose order keys are not in that of text, and what keys of them are.
const FORMS: [(KeyForm, &str); 3] =
    [(KeyForm::Int, "whole numbers"), (KeyForm::Ip, "IP addresses"), (KeyForm::Time, "times")];

/// How many keys of a list of text could be of a form of their own.
#[derive(Default)]
pub struct Forms {
    keys: AtomicU64,
    of: [AtomicU64; FORMS.len()],
}

impl Forms {
    /// Of a key: the position of its form.
    fn of(key: &[u8]) -> Option<usize> {
        let takes = |form| KeyRule { form, ..KeyRule::default() }.order(Given::Text(key)).is_ok();
        FORMS.iter().position(|(form, _)| takes(*form))
    }

    fn see(&self, key: &[u8]) {
        self.keys.fetch_add(1, Ordering::Relaxed);
        if let Some(at) = Forms::of(key) {
            self.of[at].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Refuses text that is nearly all of another form, which would find no range of it.
    pub fn check(&self) -> Result<(), Stop> {
        let number = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let keys = number(&self.keys);
        let is_most = |of: u64| keys > 0 && u128::from(of) * 10 >= u128::from(keys) * 9;
        let Some(at) = self.of.iter().position(|of| is_most(number(of))) else { return Ok(()) };
        let (form, name) = FORMS[at];
        let all = if number(&self.of[at]) == keys { "all" } else { "nearly all" };
        let order = match form {
            KeyForm::Int => ", and as text 10 comes before 9",
            KeyForm::Ip => ", and as text 10.0.0.10 comes before 10.0.0.9",
            _ => ", and as text other spellings of a time are other keys",
        };
        let next = format_args!("add --as {}, or --as text if this is meant", form.name());
        Err(Stop::about("--kind range", format_args!("{all} keys are {name}{order}; {next}")))
    }
}

/// What to do about a refused key, if it could be of another form than text.
fn other_form(key: &[u8]) -> String {
    let advice = |at: usize| {
        let (form, name) = FORMS[at];
        format!("; if keys are {name}, add --as {}", form.name())
    };
    Forms::of(key).map_or_else(String::new, advice)
}

/// Reads all keys, as integers in their order, and returns how many there were. Keys of text that
/// nobody has called so may be of other forms, which are counted.
pub fn each(
    sources: &[Input],
    how: &Extraction,
    quiet: bool,
    forms: Option<&Forms>,
    mut take: impl FnMut(&Input, &[i128]) -> Result<(), Stop>,
) -> Result<Counts, Stop> {
    let raw = as_text(how);
    let total = sources.iter().map(Input::len).sum();
    let progress = Progress::reading(total, quiet);
    let reading = Reading { sources, how: &raw, seed: Seed::FIXED };
    let mut malformed = 0;
    let order = |key: &[u8]| {
        if let Some(forms) = forms {
            forms.see(key);
        }
        how.rule.order(given(how, key)).map_err(|error| {
            let advice = forms.map_or_else(String::new, |_| other_form(key));
            format!("{}{advice}", refused(key, &error))
        })
    };
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
