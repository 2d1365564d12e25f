//! From a record to its key, by a recipe.
//!
//! Each record is looked at once. Where the key is the whole line, or a column that is not quoted,
//! it is a slice of the record; only case folding, hexadecimal and quotes within a field make a
//! copy.

use anther::Recipe;
use anther::recipe::{Column, Separator, Which};
use std::fmt;

/// A record from which no key can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// Too few columns.
    Columns {
        /// The column's number, from 1.
        wanted: usize,
        /// How many there are.
        have: usize,
    },
    /// The header row does not name the column.
    Name(String),
    /// A quoted field that does not end in its record.
    Quote,
    /// Not hexadecimal.
    Hex,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyError::Columns { wanted, have } => write!(
                f,
                "column {wanted} is missing: there are only {have}; check --column and --delimiter"
            ),
            KeyError::Name(name) => {
                write!(f, "the first line names no column {name:?}; check --column and --delimiter")
            }
            KeyError::Quote => f.write_str(
                "a quoted field does not end in its line; remove line endings from fields first",
            ),
            KeyError::Hex => f.write_str(
                "not hexadecimal: an even number of digits 0-9, a-f is needed; check --hex and \
                 --trim",
            ),
        }
    }
}

/// The first record of an input without a byte-order mark. Editors and spreadsheets put one before
/// the first line; nobody means it as part of the first key.
pub fn without_mark<'r>(recipe: &Recipe, first: &'r [u8]) -> &'r [u8] {
    match recipe.separator {
        Separator::Line => first.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(first),
        Separator::Nul => first,
    }
}

/// A record without its separator.
pub fn without_end<'r>(recipe: &Recipe, record: &'r [u8]) -> &'r [u8] {
    match recipe.separator {
        Separator::Nul => record.strip_suffix(b"\0").unwrap_or(record),
        Separator::Line => {
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            record.strip_suffix(b"\r").unwrap_or(record)
        }
    }
}

/// Whether the first record of each input is a header row: it names the columns and is no key.
pub fn has_head(recipe: &Recipe) -> bool {
    matches!(recipe.column, Some(Column { which: Which::Name(_), .. }))
}

/// Extracts keys from records.
#[derive(Debug)]
pub struct Extractor<'a> {
    recipe: &'a Recipe,
    /// The column's number, from 1; 0 when there is none, or none yet.
    column: usize,
    /// A field without its quotes.
    unquoted: Vec<u8>,
    /// A key that is not as it is in its record.
    made: Vec<u8>,
}

impl<'a> Extractor<'a> {
    /// By this recipe. For a column by name, each input begins with a [`head`](Extractor::head).
    pub fn new(recipe: &'a Recipe) -> Extractor<'a> {
        let column = match &recipe.column {
            Some(Column { which: Which::Number(number), .. }) => number.get() as usize,
            _ => 0,
        };
        Extractor { recipe, column, unquoted: Vec::new(), made: Vec::new() }
    }

    /// Reads the names of the columns.
    pub fn head(&mut self, record: &[u8]) -> Result<(), KeyError> {
        let Some(Column { which: Which::Name(name), delimiter }) = &self.recipe.column else {
            return Ok(());
        };
        let record = without_mark(self.recipe, without_end(self.recipe, record));
        for number in 1.. {
            match field(record, *delimiter, number, &mut self.unquoted) {
                Ok(field) if field == name.as_bytes() => {
                    self.column = number;
                    break;
                }
                Ok(_) => {}
                Err(KeyError::Columns { .. }) => return Err(KeyError::Name(name.clone())),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The key of a record, with or without its separator. The first record of an input goes
    /// through [`without_mark`] before.
    pub fn key<'r>(&'r mut self, record: &'r [u8]) -> Result<&'r [u8], KeyError> {
        let record = without_end(self.recipe, record);
        let key = match &self.recipe.column {
            None => record,
            Some(Column { which: Which::Name(name), .. }) if self.column == 0 => {
                return Err(KeyError::Name(name.clone()));
            }
            Some(Column { delimiter, .. }) => {
                field(record, *delimiter, self.column, &mut self.unquoted)?
            }
        };
        finish(self.recipe, key, &mut self.made)
    }

    /// The key of a text that is the key alone, such as an argument of the program: there are no
    /// columns. A line ending or a byte-order mark is dropped as from a record, since a script that
    /// reads the very list may hand it over.
    pub fn argument<'r>(&'r mut self, argument: &'r [u8]) -> Result<&'r [u8], KeyError> {
        let key = without_mark(self.recipe, without_end(self.recipe, argument));
        finish(self.recipe, key, &mut self.made)
    }
}

/// What is done to a key once it is found. `made` holds it where that is not as it was.
fn finish<'r>(recipe: &Recipe, key: &'r [u8], made: &'r mut Vec<u8>) -> Result<&'r [u8], KeyError> {
    let key = if recipe.trim { key.trim_ascii() } else { key };
    made.clear();
    if recipe.hex {
        // In either case, so that folding it before changes nothing.
        let (pairs, []) = key.as_chunks::<2>() else { return Err(KeyError::Hex) };
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(KeyError::Hex);
        for [high, low] in pairs {
            let byte = digit(*high)? * 16 + digit(*low)?;
            made.push(u8::try_from(byte).map_err(|_| KeyError::Hex)?);
        }
        return Ok(made);
    }
    if recipe.fold_case && key.iter().any(u8::is_ascii_uppercase) {
        made.extend(key.iter().map(u8::to_ascii_lowercase));
        return Ok(made);
    }
    Ok(key)
}

/// One field of a record, counted from 1: as it is there, or in `unquoted`.
fn field<'r>(
    record: &'r [u8],
    delimiter: u8,
    number: usize,
    unquoted: &'r mut Vec<u8>,
) -> Result<&'r [u8], KeyError> {
    if delimiter == b',' && memchr::memchr(b'"', record).is_some() {
        return quoted_field(record, number, unquoted);
    }
    let mut fields = record.split(|byte| *byte == delimiter);
    fields.nth(number - 1).ok_or_else(|| {
        let have = record.split(|byte| *byte == delimiter).count();
        KeyError::Columns { wanted: number, have }
    })
}

/// A field of CSV (RFC 4180): quotes around it are dropped, two quotes inside are one.
fn quoted_field<'r>(
    record: &[u8],
    number: usize,
    out: &'r mut Vec<u8>,
) -> Result<&'r [u8], KeyError> {
    let mut rest = record;
    for at in 1.. {
        out.clear();
        if let Some(mut inside) = rest.strip_prefix(b"\"") {
            loop {
                let quote = memchr::memchr(b'"', inside).ok_or(KeyError::Quote)?;
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
        let end = memchr::memchr(b',', rest);
        out.extend(&rest[..end.unwrap_or(rest.len())]);
        if at == number {
            break;
        }
        match end {
            Some(end) => rest = &rest[end + 1..],
            None => return Err(KeyError::Columns { wanted: number, have: at }),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZero;

    fn number(number: u32) -> Which {
        Which::Number(NonZero::new(number).unwrap())
    }

    fn column(which: Which, delimiter: u8) -> Recipe {
        Recipe { column: Some(Column { which, delimiter }), ..Recipe::default() }
    }

    #[test]
    fn line_ends_go_and_other_bytes_stay() {
        let plain = Recipe::default();
        let mut keys = Extractor::new(&plain);
        for record in [&b"key"[..], b"key\n", b"key\r\n"] {
            assert_eq!(keys.key(record).unwrap(), b"key");
        }
        assert_eq!(keys.key(b" k\x00\xFF\r \n").unwrap(), b" k\x00\xFF\r ");
        assert_eq!(keys.key(b"\n").unwrap(), b"");
        let nul = Recipe { separator: Separator::Nul, ..Recipe::default() };
        assert_eq!(Extractor::new(&nul).key(b"a\r\n\0").unwrap(), b"a\r\n");
    }

    #[test]
    fn columns_by_number_and_by_name() {
        let recipe = column(number(2), b',');
        let mut keys = Extractor::new(&recipe);
        for (record, key) in [
            (&b"a,b,c\r\n"[..], &b"b"[..]),
            (b"a,\"b\"\n", b"b"),
            (b"\"x,y\",\"b \"\"q\"\", c\",z", b"b \"q\", c"),
            (b"a,,c", b""),
            (b"a,\"\"", b""),
            (b"\"a\",b\"c", b"b\"c"),
        ] {
            assert_eq!(keys.key(record).unwrap(), key, "{:?}", record.escape_ascii());
        }
        assert_eq!(keys.key(b"a"), Err(KeyError::Columns { wanted: 2, have: 1 }));
        assert_eq!(keys.key(b"\"a\""), Err(KeyError::Columns { wanted: 2, have: 1 }));
        assert_eq!(keys.key(b"a,\"b"), Err(KeyError::Quote));
        for argument in [&b"a,b"[..], b"a,b\r", b"a,b\r\n", b"\xEF\xBB\xBFa,b"] {
            assert_eq!(keys.argument(argument).unwrap(), b"a,b");
        }

        let recipe = column(Which::Name("mail".to_string()), b'\t');
        let mut keys = Extractor::new(&recipe);
        assert!(keys.key(b"1\t2\n").is_err(), "no names yet");
        keys.head(b"\xEF\xBB\xBFid\tmail\tage\r\n").unwrap();
        assert_eq!(keys.key(b"1\t\"a@b\t3\n").unwrap(), b"\"a@b");
        assert_eq!(keys.head(b"id\tage\n"), Err(KeyError::Name("mail".to_string())));
    }

    #[test]
    fn steps_come_in_order() {
        let recipe = Recipe { trim: true, fold_case: true, ..column(number(1), b':') };
        assert_eq!(Extractor::new(&recipe).key(b"  AbC\xC3\x84 :17\r\n").unwrap(), b"abc\xC3\x84");
        let recipe = Recipe { hex: true, ..Recipe::default() };
        let mut keys = Extractor::new(&recipe);
        assert_eq!(keys.key(b"00fFA0\n").unwrap(), [0, 255, 160]);
        for bad in [&b"0"[..], b"0g", b" 00", b"+1"] {
            assert_eq!(keys.key(bad), Err(KeyError::Hex), "{bad:?}");
        }
    }

    #[test]
    fn a_key_that_is_as_in_its_record_is_not_copied() {
        let is_slice = |recipe: &Recipe, record: &[u8]| {
            let mut keys = Extractor::new(recipe);
            let key = keys.key(record).unwrap().as_ptr_range();
            record.as_ptr_range().contains(&key.start) && key.end <= record.as_ptr_range().end
        };
        let trim = Recipe { trim: true, fold_case: true, ..Recipe::default() };
        assert!(is_slice(&Recipe::default(), b"line\r\n"));
        assert!(is_slice(&trim, b" line \n"));
        assert!(!is_slice(&trim, b"Line\n"));
        assert!(is_slice(&column(number(2), b','), b"a,b,c\n"));
        assert!(!is_slice(&Recipe { hex: true, ..Recipe::default() }, b"cafe\n"));
    }
}
