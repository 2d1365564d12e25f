//! Why a record has no key, and what to do.

use crate::json_lines::Malformed;
use anther::KeyError;
use anther::recipe::KeyForm;
use std::fmt;

/// Why a record has no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// Too few columns.
    Columns {
        /// The column's number, from 1.
        wanted: usize,
        /// How many the record has.
        have: usize,
        /// The names of all columns, if there is a header row.
        names: String,
        /// Whether a delimiter, and not white space, separates them.
        is_delimited: bool,
    },
    /// The header row does not name the column.
    Name {
        /// The column.
        name: String,
        /// Those that it names.
        names: String,
    },
    /// The header row names two columns so.
    Ambiguous {
        /// The column.
        name: String,
        /// The numbers of the first two.
        numbers: [usize; 2],
    },
    /// A quoted field whose closing quote is missing.
    Quote,
    /// Malformed JSON.
    Json(Malformed),
    /// The JSON has no value at the path.
    NoValue {
        /// The path.
        path: String,
        /// Those that lead to a value.
        paths: String,
    },
    /// A JSON value that cannot be a key.
    NoKey {
        /// Its path.
        path: String,
        /// What it is.
        found: &'static str,
        /// The paths that lead to a value.
        paths: String,
    },
    /// Its value is none.
    Value(String),
    /// The last record is too short.
    Short(usize, usize),
    /// An entry for all addresses of a domain, where it would stand for none.
    AddressesOfDomain,
    /// The rule refuses the key.
    Key {
        /// Why.
        error: KeyError,
        /// The part of the key that it refuses, if that is text.
        text: Option<Vec<u8>>,
        /// What to do, if the line has a key in its first column.
        advice: Option<Box<str>>,
    },
}

impl RecordError {
    /// The rule of this form refuses a key, or this part of it.
    pub fn of(
        form: KeyForm,
        error: KeyError,
        text: Option<Vec<u8>>,
        advice: Option<Box<str>>,
    ) -> RecordError {
        match (form, error) {
            (KeyForm::Email, KeyError::Network) => RecordError::AddressesOfDomain,
            (_, error) => RecordError::Key { error, text, advice },
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Columns { wanted, have, names, is_delimited } => {
                let columns = if *have == 1 { "column" } else { "columns" };
                write!(f, "no column {wanted}: the record has {have} {columns}")?;
                if !names.is_empty() {
                    write!(f, ", the header row {names}")?;
                }
                let advice =
                    if *is_delimited { "check --column and --delimiter" } else { "check --column" };
                write!(f, "; {advice}, or go on with --skip-malformed")
            }
            RecordError::Name { name, names } => {
                write!(f, "no column {name:?}; the header row has {names}")?;
                let is_json = names.starts_with("\"{");
                f.write_str(match is_json {
                    true => "; is it JSON? use --format json",
                    false => {
                        "; check --column and --delimiter, or for a plain list use --format lines"
                    }
                })
            }
            RecordError::Ambiguous { name, numbers: [first, second] } => write!(
                f,
                "columns {first} and {second} are both named {name:?}; use --column {first} --header"
            ),
            RecordError::Quote => f.write_str(
                "a quoted field has no closing quote; if quotes are ordinary characters here, use \
                 --no-quotes",
            ),
            RecordError::Json(malformed) => malformed.fmt(f),
            RecordError::NoValue { path, paths } => {
                write!(f, "no value at {path:?}; ")?;
                if !paths.is_empty() {
                    write!(f, "the line has {paths}; ")?;
                }
                f.write_str("check --column, or go on with --skip-malformed")
            }
            RecordError::NoKey { path, found, paths } => {
                match path.is_empty() {
                    true => write!(f, "the line is {found}")?,
                    false => write!(f, "the value at {path:?} is {found}")?,
                }
                f.write_str(", and a key is a string or a number; ")?;
                if !paths.is_empty() {
                    write!(f, "the line has {paths}; ")?;
                }
                f.write_str("name the key with --column, or go on with --skip-malformed")
            }
            RecordError::Value(cause) => f.write_str(cause),
            RecordError::Short(have, width) => {
                write!(f, "has only {have} of {width} bytes; check --format records:{width}")
            }
            RecordError::AddressesOfDomain => f.write_str(
                "it stands for all addresses of a domain, and keys are single ones here",
            ),
            RecordError::Key { error: KeyError::Parts { expected, got }, .. } => {
                let example = vec!["x"; usize::from(*expected)].join(",");
                write!(f, "{}; ", KeyError::Parts { expected: *expected, got: *got })?;
                write!(f, "separate them by commas, as in CSV: '{example}'")
            }
            RecordError::Key { error, text: None, .. } => error.fmt(f),
            RecordError::Key { error, text: Some(text), advice } => {
                write!(f, "{:?}: {error}; ", Shortened(text))?;
                match advice {
                    Some(advice) => write!(f, "{advice}, or go on with --skip-malformed"),
                    None if text.trim_ascii() == text => {
                        f.write_str("check --column, or go on with --skip-malformed")
                    }
                    None => f.write_str("build with --trim to ignore white space around keys"),
                }
            }
        }
    }
}

/// A text for a message.
struct Shortened<'a>(&'a [u8]);

impl fmt::Debug for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 60;
        match self.0.get(..LONGEST) {
            Some(start) => write!(f, "{:?}…", String::from_utf8_lossy(start)),
            None => write!(f, "{:?}", String::from_utf8_lossy(self.0)),
        }
    }
}
