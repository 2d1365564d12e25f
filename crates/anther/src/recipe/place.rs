//! Where the key is in an input.

use std::fmt;
use std::num::NonZero;

/// Where the key is in an input. The default: a line is a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// How the input is split into records, and records into columns.
    pub format: Format,
    /// The columns of the key; none: the whole record. Several make one key, a tuple.
    pub columns: Vec<Column>,
    /// Whether the first record of each input is a header row although no column has a name.
    pub header: bool,
}

/// How an input is split into records and columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// A record is a line; a byte-order mark before the first one and a carriage return before
    /// each newline are dropped.
    #[default]
    Lines,
    /// A record ends with NUL.
    Nul,
    /// Delimited text: CSV, TSV and the like.
    Delimited {
        /// The delimiter between columns.
        delimiter: u8,
        /// What a quote means.
        quotes: Quotes,
        /// What ends a record. NUL only without [`Quotes::Csv`].
        separator: Separator,
    },
    /// Lines of fields between runs of blanks and tabs, as awk splits them.
    Fields,
    /// A JSON value per line; a column is a path, such as `user.id`.
    Json,
    /// A Parquet file.
    Parquet,
    /// Binary records of this many bytes.
    Records(NonZero<u32>),
}

/// What a quote means in delimited text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// A field may be quoted, also over several lines; two quotes inside are one.
    Csv,
    /// The same, but a record is a line. Recipes of format version 1 with a comma say this.
    WithinLine,
    /// Nothing: it is an ordinary character.
    None,
}

/// What ends a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// A newline, or carriage return and newline.
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

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By number, from 1.
    Number(NonZero<u32>),
    /// By its name in the header row or the schema; in JSON by its path.
    Name(String),
}

impl Place {
    /// Whether the first record of each input is a header row, which has no key.
    pub fn has_header(&self) -> bool {
        let named = self.columns.iter().any(|column| matches!(column, Column::Name(_)));
        match self.format {
            Format::Delimited { .. } | Format::Fields => self.header || named,
            Format::Lines | Format::Nul => self.header,
            Format::Json | Format::Parquet | Format::Records(_) => false,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            Format::Lines => f.write_str("lines")?,
            Format::Nul => f.write_str("NUL-separated")?,
            Format::Delimited { delimiter, quotes, separator } => {
                f.write_str(match (quotes, separator) {
                    (Quotes::Csv, _) => "CSV",
                    (_, Separator::Line) => "lines",
                    (_, Separator::Nul) => "NUL-separated",
                })?;
                if delimiter != b',' || quotes != Quotes::Csv {
                    write!(f, " by {:?}", char::from(delimiter))?;
                }
            }
            Format::Fields => f.write_str("fields by white space")?,
            Format::Json => f.write_str("JSON lines")?,
            Format::Parquet => f.write_str("Parquet")?,
            Format::Records(width) => write!(f, "records of {width} bytes")?,
        }
        for (at, column) in self.columns.iter().enumerate() {
            f.write_str(if at == 0 { ", column " } else { " and " })?;
            match column {
                Column::Number(number) => write!(f, "{number}")?,
                Column::Name(name) => write!(f, "{name:?}")?,
            }
        }
        if self.header && self.has_header() {
            f.write_str(", below a header row")?;
        }
        Ok(())
    }
}
