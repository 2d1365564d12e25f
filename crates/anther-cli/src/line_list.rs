//! The lines of a list in memory, for verbs that compare lists.

use crate::exit::Stop;
use crate::input::Input;
use crate::keys::{Counts, ON, Reading};
use crate::progress::Progress;
use anther::Seed;
use anther::recipe::{KeyForm, KeyRule};
use anther_records::extract::Extraction;

/// The keys of a list, one after the other.
#[derive(Debug, Default)]
pub struct LineList {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl LineList {
    /// Reads a list on all cores.
    pub fn read(sources: &[Input], how: &Extraction) -> Result<(LineList, Counts), Stop> {
        let reading = Reading { sources, how, seed: Seed::FIXED };
        let progress = Progress::reading(sources.iter().map(Input::len).sum(), false);
        let mut list = LineList::default();
        let counts = reading.each_part(
            &[Seed::FIXED],
            true,
            |part| {
                let mut block = LineList::default();
                part.keys().for_each(|key| block.push(key));
                block
            },
            |keyed, block| {
                progress.advance(keyed.bytes);
                let before = list.bytes.len();
                list.bytes.extend_from_slice(&block.bytes);
                list.ends.extend(block.ends.iter().map(|end| before + end));
                Ok(ON)
            },
        )?;
        Ok((list, counts))
    }

    fn push(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.ends.push(self.bytes.len());
    }

    /// The lines, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }
}

/// Rejects keys that are no text: nobody could read them in the answer.
pub fn check_rule(rule: &KeyRule) -> Result<(), Stop> {
    match rule.form {
        _ if rule.parts != 1 => {
            Err(Stop::about("--column", "lists are compared by one column; name one"))
        }
        KeyForm::Text | KeyForm::Hex | KeyForm::Domain | KeyForm::Email | KeyForm::Url => Ok(()),
        form => {
            let cause = "lists are compared as text, hex, domain, email or url; leave --as out, and \
                         compare numbers as they are written";
            Err(Stop::about(format_args!("--as {}", form.name()), cause))
        }
    }
}

/// A key as it is printed: hexadecimal if its rule says so.
pub fn printed(key: &[u8], rule: &KeyRule) -> Vec<u8> {
    match rule.form {
        KeyForm::Hex => hex(key).into_bytes(),
        _ => key.to_vec(),
    }
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
