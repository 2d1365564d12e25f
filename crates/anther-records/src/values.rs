//! Values of keys, for `bloomier`: where they are, and what they may be.

use anther::recipe::{Column, Format, Place, Quotes, Separator};
use std::num::NonZero;

/// Where the value of a key is, and what is stored of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueColumn {
    /// Its column; none: the last.
    pub column: Option<Column>,
    /// Whether a record has the key, the value and nothing else.
    pub two_columns: bool,
    /// Whether it is a count of which the band is stored.
    pub bands: bool,
}

/// The place of keys with values: by default the first column, with a tab as the delimiter.
pub fn place(told: Place) -> Place {
    if !told.columns.is_empty() {
        return told;
    }
    let separator = if told.format == Format::Nul { Separator::Nul } else { Separator::Line };
    let format = Format::Delimited { delimiter: b'\t', quotes: Quotes::None, separator };
    Place { format, columns: vec![Column::Number(NonZero::<u32>::MIN)], ..told }
}

impl ValueColumn {
    /// The value in this text of its column.
    pub fn parse(&self, text: &[u8]) -> Result<u64, String> {
        let value = whole_number(text)?;
        if self.bands && value == 0 {
            return Err(
                "the value 0 has no band; bands begin at 1: leave such records out, or store \
                        values as they are, without --bands"
                    .to_string(),
            );
        }
        Ok(value)
    }
}

/// Why a record without a last column has no value.
pub const NO_VALUE: &str = "no value; a record is the key, a delimiter (by default a tab) and a whole number; for \
     CSV, use --column 1 --values 2";
/// Why a record may have no third column.
pub const THREE_COLUMNS: &str =
    "more than two columns; name the key's column, such as --column 1 --delimiter tab";

fn whole_number(text: &[u8]) -> Result<u64, String> {
    // Digits only: what the parser also accepts, such as +7, is more often an accident.
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let shown = String::from_utf8_lossy(text);
    if !digits {
        return Err(format!("the value {shown:?} is not a whole number such as 7"));
    }
    shown.parse().map_err(|_| format!("the value {shown} is larger than {}", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_a_whole_number() {
        let any = ValueColumn::default();
        assert_eq!(any.parse(b"17"), Ok(17));
        assert_eq!(any.parse(b"007"), Ok(7));
        assert_eq!(any.parse(b"0"), Ok(0));
        assert_eq!(any.parse(b"18446744073709551615"), Ok(u64::MAX));
        for (wrong, cause) in [
            (&b""[..], "\"\" is not a whole number"),
            (b"-1", "\"-1\" is not"),
            (b"+1", "\"+1\" is not"),
            (b"\"1\"", "is not"),
            (b" 1", "\" 1\" is not"),
            (b"1.5", "\"1.5\" is not"),
            (b"x", "\"x\" is not"),
            (b"18446744073709551616", "larger than 18446744073709551615"),
        ] {
            let error = any.parse(wrong).unwrap_err();
            assert!(error.contains(cause), "{wrong:?}: {error}");
        }
        let bands = ValueColumn { bands: true, ..ValueColumn::default() };
        assert_eq!(bands.parse(b"1"), Ok(1));
        assert!(bands.parse(b"0").unwrap_err().contains("no band"));
    }
}
