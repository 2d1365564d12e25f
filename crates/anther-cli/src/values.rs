//! Keys with values, `key<TAB>value`, for maps.

use crate::extract;
use crate::records::Batch;
use anther::recipe::{Column, Which};
use anther::{KeyHash, Recipe};
use std::num::NonZero;

/// How such keys are taken, unless told otherwise: the first column, before a tab.
pub fn recipe(told: Recipe) -> Recipe {
    let first = Which::Number(NonZero::<u32>::MIN);
    let column = told.column.unwrap_or(Column { which: first, delimiter: b'\t' });
    Recipe { column: Some(column), ..told }
}

/// The hashes and values of some records, or which of them has no value, and why. A value is the
/// last column, a whole number; where nobody named the key's column, there must be two.
pub fn of(
    recipe: &Recipe,
    two_columns: bool,
    records: Batch<'_>,
    hashes: &[KeyHash],
) -> Result<Vec<(KeyHash, u64)>, (usize, String)> {
    let delimiter = recipe.column.as_ref().map_or(b'\t', |column| column.delimiter);
    let numbered = records.enumerate().zip(hashes);
    let pair = |((at, record), hash): ((usize, &[u8]), &KeyHash)| {
        let record = extract::without_end(recipe, record);
        if two_columns && memchr::memchr_iter(delimiter, record).count() > 1 {
            let cause = "more than two columns; say which is the key's: --column 1 --delimiter tab";
            return Err((at, cause.to_string()));
        }
        let value = value(record, delimiter);
        Ok((*hash, value.map_err(|cause| (at, cause))?))
    };
    numbered.map(pair).collect()
}

fn value(record: &[u8], delimiter: u8) -> Result<u64, String> {
    let Some(at) = memchr::memrchr(delimiter, record) else {
        let name = match delimiter {
            b'\t' => "a tab".to_string(),
            other => format!("{:?}", char::from(other)),
        };
        return Err(format!("no value: the key, {name} and a whole number are needed"));
    };
    let text = &record[at + 1..];
    // As CSV has it where every field is quoted.
    let unquoted = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    let text = unquoted.filter(|_| delimiter == b',').unwrap_or(text);
    // Digits alone: what a parser lets pass beside them, such as +7, is more often an accident.
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let shown = String::from_utf8_lossy(text);
    if !digits {
        return Err(format!("the value {shown:?} is not a whole number such as 7"));
    }
    shown.parse().map_err(|_| format!("the value {shown} is larger than {}", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn a_value_is_the_last_column() {
        assert_eq!(value(b"key\t17", b'\t'), Ok(17));
        assert_eq!(value(b"key\t007", b'\t'), Ok(7));
        assert_eq!(value(b"key,a,18446744073709551615", b','), Ok(u64::MAX));
        assert_eq!(value(b"\"key\",\"7\"", b','), Ok(7));
        for (wrong, cause) in [
            (&b"key"[..], "no value: the key, a tab and a whole number are needed"),
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
            let error = value(wrong, b'\t').unwrap_err();
            assert!(error.contains(cause), "{wrong:?}: {error}");
        }
    }
}
