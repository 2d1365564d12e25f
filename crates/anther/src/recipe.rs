//! The key recipe: how keys are extracted from text. It is stored in the file.
//!
//! Keys that were taken from the third column, or decoded from hexadecimal, must be looked up in
//! the same way, or a present key looks absent. So the file carries the recipe, and the program
//! applies it. The library only stores it.
//!
//! The order of the steps is fixed: drop a byte-order mark before the first line of an input; split
//! records at the separator; with newlines, drop one carriage return before each; take the column;
//! trim white space; fold case; decode hexadecimal. White space and letters are those of ASCII:
//! Unicode's definitions change between its releases, and files must not.

use std::fmt;
use std::num::NonZero;

/// How keys are extracted from text. The default: a line is a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// What ends a record.
    pub separator: Separator,
    /// The column that holds the key; `None` for the whole record.
    pub column: Option<Column>,
    /// Whether to trim ASCII white space around the key.
    pub trim: bool,
    /// Whether A to Z become a to z.
    pub fold_case: bool,
    /// Whether to decode the key from hexadecimal.
    pub hex: bool,
}

/// What ends a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// A newline, or carriage return and newline.
    #[default]
    Line,
    /// A NUL byte.
    Nul,
}

impl Separator {
    /// The byte that ends a record.
    pub fn byte(self) -> u8 {
        match self {
            Separator::Line => b'\n',
            Separator::Nul => 0,
        }
    }
}

/// A column of delimited text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Which one.
    pub which: Which,
    /// The delimiter between columns. With a comma, fields may be quoted as in CSV; with any other
    /// delimiter a quote has no special meaning.
    pub delimiter: u8,
}

/// Which column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// By number, from 1.
    Number(NonZero<u32>),
    /// By name, from the first record of each input.
    Name(String),
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.separator {
            Separator::Line => "lines",
            Separator::Nul => "NUL-separated",
        })?;
        if let Some(Column { which, delimiter }) = &self.column {
            match which {
                Which::Number(number) => write!(f, ", column {number}")?,
                Which::Name(name) => write!(f, ", column {name:?}")?,
            }
            write!(f, " by {:?}", char::from(*delimiter))?;
        }
        for (on, name) in [
            (self.trim, ", trimmed"),
            (self.fold_case, ", case folded"),
            (self.hex, ", hex decoded"),
        ] {
            f.write_str(if on { name } else { "" })?;
        }
        Ok(())
    }
}
