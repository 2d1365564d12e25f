//! The key recipe: how keys are taken from text.
//!
//! A list that was read with upper-case hexadecimal decoded, or by its third column, must be
//! asked in the same way, or a present key looks absent. So the file carries the recipe, and
//! whoever asks applies it.
//!
//! The order of the steps is fixed: a byte-order mark before the first line of an input goes; the
//! record is cut at its separator; with newlines, one carriage return before it goes too; the
//! column is taken; white space is trimmed; letters are
//! folded; hexadecimal is decoded. White space and letters are those of ASCII: what Unicode calls
//! a letter changes between releases of Unicode, and files must not.

use std::fmt;
use std::num::NonZero;
use thiserror::Error;

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

/// A record from which no key can be taken.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Too few columns.
    #[error("column {wanted} is wanted, but there are only {have}; check --column and --delimiter")]
    Columns {
        /// The column's number, from 1.
        wanted: usize,
        /// How many there are.
        have: usize,
    },
    /// The first record does not name the column.
    #[error("the first line names no column {name:?}; check --column and --delimiter")]
    Name {
        /// The name.
        name: String,
    },
    /// A quoted field that does not end in its record.
    #[error("a quoted field does not end in its line; take line ends out of fields first")]
    Quote,
    /// Not hexadecimal.
    #[error("not hexadecimal: an even number of digits 0-9, a-f is needed; check --hex and --trim")]
    Hex,
}

impl Recipe {
    /// Takes keys by this recipe. For a column by name, each input begins with a
    /// [`head`](Keys::head).
    pub fn keys(&self) -> Keys<'_> {
        let column = match &self.column {
            Some(Column { which: Which::Number(number), .. }) => number.get() as usize,
            _ => 0,
        };
        Keys { recipe: self, column, key: Vec::new() }
    }

    /// The first record of an input without a byte-order mark. Editors and spreadsheets put one
    /// before the first line; nobody means it as part of the first key.
    pub fn without_mark<'r>(&self, first: &'r [u8]) -> &'r [u8] {
        match self.separator {
            Separator::Line => first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first),
            Separator::Nul => first,
        }
    }

    /// A record without its separator.
    pub fn without_end<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        match self.separator {
            Separator::Nul => record.strip_suffix(b"\0").unwrap_or(record),
            Separator::Line => {
                let record = record.strip_suffix(b"\n").unwrap_or(record);
                record.strip_suffix(b"\r").unwrap_or(record)
            }
        }
    }

    /// Whether the first record of each input names the columns and is no key itself.
    pub fn has_head(&self) -> bool {
        matches!(self.column, Some(Column { which: Which::Name(_), .. }))
    }
}

/// In the words of the program's options.
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

/// Takes keys from records by a [`Recipe`].
///
/// ```
/// use anther::recipe::Recipe;
///
/// let recipe = Recipe { hex: true, trim: true, ..Recipe::default() };
/// let mut keys = recipe.keys();
/// assert_eq!(keys.of_record(b" CAFE\r\n")?, [0xCA, 0xFE]);
/// assert_eq!(keys.of_record(b"cafe\n")?, [0xCA, 0xFE]);
/// assert!(keys.of_record(b"coffee\n").is_err());
/// # Ok::<(), anther::recipe::KeyError>(())
/// ```
#[derive(Debug)]
pub struct Keys<'a> {
    recipe: &'a Recipe,
    /// The column's number, from 1; 0 when there is none, or none yet.
    column: usize,
    key: Vec<u8>,
}

impl Keys<'_> {
    /// Reads the names of the columns.
    pub fn head(&mut self, record: &[u8]) -> Result<(), KeyError> {
        if let Some(Column { which: Which::Name(name), delimiter }) = &self.recipe.column {
            let record = self.recipe.without_mark(self.recipe.without_end(record));
            let mut number = 0;
            loop {
                number += 1;
                match field(record, *delimiter, number, &mut self.key) {
                    Ok(()) if self.key == name.as_bytes() => break,
                    Ok(()) => {}
                    Err(KeyError::Columns { .. }) => {
                        return Err(KeyError::Name { name: name.clone() });
                    }
                    Err(error) => return Err(error),
                }
            }
            self.column = number;
        }
        Ok(())
    }

    /// The key of a record, with or without its separator. The first record of an input goes
    /// through [`Recipe::without_mark`] before.
    pub fn of_record(&mut self, record: &[u8]) -> Result<&[u8], KeyError> {
        let record = self.recipe.without_end(record);
        match &self.recipe.column {
            Some(Column { which: Which::Name(name), .. }) if self.column == 0 => {
                return Err(KeyError::Name { name: name.clone() });
            }
            Some(column) => field(record, column.delimiter, self.column, &mut self.key)?,
            None => {
                self.key.clear();
                self.key.extend(record);
            }
        }
        self.finish()
    }

    /// The key of a text that is the key alone, such as an argument of the program: there are no
    /// columns. A line end or a byte-order mark goes as from a record, since a script that reads
    /// the very list may hand it over.
    pub fn of_argument(&mut self, argument: &[u8]) -> Result<&[u8], KeyError> {
        self.key.clear();
        self.key.extend(self.recipe.without_mark(self.recipe.without_end(argument)));
        self.finish()
    }

    fn finish(&mut self) -> Result<&[u8], KeyError> {
        if self.recipe.trim {
            let end = self.key.trim_ascii_end().len();
            self.key.truncate(end);
            let start = end - self.key.trim_ascii_start().len();
            self.key.drain(..start);
        }
        if self.recipe.fold_case {
            self.key.make_ascii_lowercase();
        }
        if self.recipe.hex {
            let (pairs, []) = self.key.as_chunks::<2>() else { return Err(KeyError::Hex) };
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let bytes: Option<Vec<u8>> = pairs
                .iter()
                .map(|[high, low]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok())
                .collect();
            self.key = bytes.ok_or(KeyError::Hex)?;
        }
        Ok(&self.key)
    }
}

/// Writes one field of a record, counted from 1, to `out`.
fn field(record: &[u8], delimiter: u8, number: usize, out: &mut Vec<u8>) -> Result<(), KeyError> {
    out.clear();
    if delimiter == b',' && record.contains(&b'"') {
        return quoted_field(record, number, out);
    }
    let mut fields = record.split(|byte| *byte == delimiter);
    match fields.nth(number - 1) {
        Some(field) => out.extend(field),
        None => {
            let have = record.split(|byte| *byte == delimiter).count();
            return Err(KeyError::Columns { wanted: number, have });
        }
    }
    Ok(())
}

/// A field of CSV (RFC 4180): quotes around it go, two quotes inside are one.
fn quoted_field(record: &[u8], number: usize, out: &mut Vec<u8>) -> Result<(), KeyError> {
    let mut rest = record;
    for at in 1.. {
        out.clear();
        if let Some(mut inside) = rest.strip_prefix(b"\"") {
            loop {
                let quote = inside.iter().position(|byte| *byte == b'"').ok_or(KeyError::Quote)?;
                out.extend(&inside[..quote]);
                inside = &inside[quote + 1..];
                match inside.strip_prefix(b"\"") {
                    Some(after) => {
                        out.push(b'"');
                        inside = after;
                    }
                    None => break,
                }
            }
            rest = inside;
        }
        let end = rest.iter().position(|byte| *byte == b',');
        out.extend(&rest[..end.unwrap_or(rest.len())]);
        if at == number {
            break;
        }
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return Err(KeyError::Columns { wanted: number, have: at }),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u32) -> Which {
        Which::Number(NonZero::new(number).unwrap())
    }

    fn column(which: Which, delimiter: u8) -> Recipe {
        Recipe { column: Some(Column { which, delimiter }), ..Recipe::default() }
    }

    #[test]
    fn a_recipe_survives_the_file() {
        for recipe in [
            Recipe::default(),
            Recipe { separator: Separator::Nul, hex: true, ..Recipe::default() },
            Recipe { trim: true, fold_case: true, ..column(number(u32::MAX), b':') },
            column(Which::Name("naïve, \"x\"".to_string()), b','),
            column(Which::Name(String::new()), 0xFF),
        ] {
            assert_eq!(Recipe::decode(&recipe.encode()).unwrap(), recipe);
        }
        for bytes in [&[64][..], &[48, 1], &[0, 0], &[16, 1], &[16, 1, 0, 0, 0, 0], &[32, 1, 255]] {
            assert!(Recipe::decode(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn line_ends_go_and_other_bytes_stay() {
        let plain = Recipe::default();
        let mut keys = plain.keys();
        for record in [&b"key"[..], b"key\n", b"key\r\n"] {
            assert_eq!(keys.of_record(record).unwrap(), b"key");
        }
        assert_eq!(keys.of_record(b" k\x00\xFF\r \n").unwrap(), b" k\x00\xFF\r ");
        assert_eq!(keys.of_record(b"\n").unwrap(), b"");
        let nul = Recipe { separator: Separator::Nul, ..Recipe::default() };
        assert_eq!(nul.keys().of_record(b"a\r\n\0").unwrap(), b"a\r\n");
    }

    #[test]
    fn columns_by_number_and_by_name() {
        let recipe = column(number(2), b',');
        let mut keys = recipe.keys();
        for (record, key) in [
            (&b"a,b,c\r\n"[..], &b"b"[..]),
            (b"a,\"b\"\n", b"b"),
            (b"\"x,y\",\"b \"\"q\"\", c\",z", b"b \"q\", c"),
            (b"a,,c", b""),
            (b"a,\"\"", b""),
            (b"\"a\",b\"c", b"b\"c"),
        ] {
            assert_eq!(keys.of_record(record).unwrap(), key, "{:?}", record.escape_ascii());
        }
        assert_eq!(keys.of_record(b"a"), Err(KeyError::Columns { wanted: 2, have: 1 }));
        assert_eq!(keys.of_record(b"\"a\""), Err(KeyError::Columns { wanted: 2, have: 1 }));
        assert_eq!(keys.of_record(b"a,\"b"), Err(KeyError::Quote));
        for argument in [&b"a,b"[..], b"a,b\r", b"a,b\r\n", b"\xEF\xBB\xBFa,b"] {
            assert_eq!(keys.of_argument(argument).unwrap(), b"a,b");
        }

        let recipe = column(Which::Name("mail".to_string()), b'\t');
        let mut keys = recipe.keys();
        assert!(keys.of_record(b"1\t2\n").is_err(), "no names yet");
        keys.head(b"\xEF\xBB\xBFid\tmail\tage\r\n").unwrap();
        assert_eq!(keys.of_record(b"1\t\"a@b\t3\n").unwrap(), b"\"a@b");
        assert_eq!(keys.head(b"id\tage\n"), Err(KeyError::Name { name: "mail".to_string() }));
    }

    #[test]
    fn steps_come_in_order() {
        let recipe = Recipe { trim: true, fold_case: true, ..column(number(1), b':') };
        assert_eq!(recipe.keys().of_record(b"  AbC\xC3\x84 :17\r\n").unwrap(), b"abc\xC3\x84");
        let recipe = Recipe { hex: true, ..Recipe::default() };
        let mut keys = recipe.keys();
        assert_eq!(keys.of_record(b"00fFA0\n").unwrap(), [0, 255, 160]);
        for bad in [&b"0"[..], b"0g", b" 00", b"+1"] {
            assert_eq!(keys.of_record(bad), Err(KeyError::Hex), "{bad:?}");
        }
    }
}
