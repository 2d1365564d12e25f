//! The key recipe: how keys were taken from text, as a file remembers it.
//!
//! Keys that were taken from the third column, or decoded from hexadecimal, must be looked up in the
//! same way, or a present key looks absent. So the file carries the recipe, and the program applies
//! it. The library only stores it.
//!
//! The order of the steps is fixed: a byte-order mark before the first line of an input is dropped;
//! the record is cut at its separator; with newlines, one carriage return before it is dropped too;
//! the column is taken; white space is trimmed; case is folded; hexadecimal is decoded. White space
//! and letters are those of ASCII: what Unicode calls a letter changes between releases of Unicode,
//! and files must not.

use std::fmt;
use std::num::NonZero;

/// How keys are taken from text. The default: a line is a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// What ends a record.
    pub separator: Separator,
    /// The column of the record that is the key; the whole record without.
    pub column: Option<Column>,
    /// Whether ASCII white space around the key goes.
    pub trim: bool,
    /// Whether A to Z become a to z.
    pub fold_case: bool,
    /// Whether the key is hexadecimal and its bytes are meant.
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
    /// What stands between columns. With a comma, fields may be quoted as in CSV; with any other
    /// delimiter a quote is a character like any other.
    pub delimiter: u8,
}

/// Which column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// By number, from 1.
    Number(NonZero<u32>),
    /// By the name that the first record of each input gives it.
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
