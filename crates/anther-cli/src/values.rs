//! Keys with values, `key<TAB>value`, for `bloomier`.

use crate::blocks::Batch;
use crate::extract::{Extraction, Extractor};
use anther::KeyHash;
use anther::recipe::{Column, Format, Place, Quotes, Separator};
use std::num::NonZero;

/// The place of such keys: by default the first column, with a tab as the delimiter.
pub fn place(told: Place) -> Place {
    if !told.columns.is_empty() {
        return told;
    }
    let separator = if told.format == Format::Nul { Separator::Nul } else { Separator::Line };
    let format = Format::Delimited { delimiter: b'\t', quotes: Quotes::None, separator };
    Place { format, columns: vec![Column::Number(NonZero::<u32>::MIN)], ..told }
}

/// The hashes and values of a batch of records, or the position of the first without a value, and
/// why. The value is the last column. Without `--column` there must be exactly two.
pub fn of(
    how: &Extraction,
    two_columns: bool,
    records: Batch<'_>,
    hashes: &[KeyHash],
) -> Result<Vec<(KeyHash, u64)>, (usize, String)> {
    let mut extractor = Extractor::new(how);
    let numbered = records.enumerate().zip(hashes);
    let pair = |((at, record), hash): ((usize, &[u8]), &KeyHash)| {
        if two_columns && memchr::memchr_iter(b'\t', record).count() > 1 {
            let cause =
                "more than two columns; name the key's column, such as --column 1 --delimiter tab";
            return Err((at, cause.to_string()));
        }
        let value = value(extractor.last(record));
        Ok((*hash, value.map_err(|cause| (at, cause))?))
    };
    numbered.map(pair).collect()
}

fn value(last: Option<&[u8]>) -> Result<u64, String> {
    let Some(text) = last else {
        return Err(
            "no value; a record is the key, a delimiter (by default a tab) and a whole number"
                .to_string(),
        );
    };
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

    fn of_record(record: &[u8], delimiter: u8, quotes: Quotes) -> Result<u64, String> {
        let format = Format::Delimited { delimiter, quotes, separator: Separator::Line };
        let columns = vec![Column::Number(NonZero::<u32>::MIN)];
        let place = Place { format, columns, header: false };
        let how = Extraction { place, ..Extraction::default() };
        value(Extractor::new(&how).last(record))
    }

    #[test]
    fn a_value_is_the_last_column() {
        let tab = |record| of_record(record, b'\t', Quotes::None);
        assert_eq!(tab(b"key\t17\n"), Ok(17));
        assert_eq!(tab(b"key\t007"), Ok(7));
        assert_eq!(of_record(b"key,a,18446744073709551615", b',', Quotes::Csv), Ok(u64::MAX));
        assert_eq!(of_record(b"\"key\",\"7\"\r\n", b',', Quotes::Csv), Ok(7));
        for (wrong, cause) in [
            (&b"key"[..], "no value; a record is the key, a delimiter"),
            (b"", "no value"),
            (b"17", "no value"),
            (b"key\t", "\"\" is not a whole number"),
            (b"key\t-1", "\"-1\" is not"),
            (b"key\t+1", "\"+1\" is not"),
            (b"key\t\"1\"", "is not"),
            (b"key\t 1", "\" 1\" is not"),
            (b"key\t1.5", "\"1.5\" is not"),
            (b"key\tx", "\"x\" is not"),
            (b"key\t18446744073709551616", "larger than 18446744073709551615"),
        ] {
            let error = tab(wrong).unwrap_err();
            assert!(error.contains(cause), "{wrong:?}: {error}");
        }
    }
}
