//! Keys with values, `key<TAB>value`, for `bloomier`.

use crate::blocks::Batch;
use crate::extract;
use anther::recipe::{Column, Which};
use anther::{KeyHash, Recipe};
use std::num::NonZero;

/// The recipe for such keys: by default the first column, with a tab as the delimiter.
pub fn recipe(told: Recipe) -> Recipe {
    let first = Which::Number(NonZero::<u32>::MIN);
    let column = told.column.unwrap_or(Column { which: first, delimiter: b'\t' });
    Recipe { column: Some(column), ..told }
}

/// The hashes and values of a batch of records, or the position of the first without a value, and
/// why. The value is the last column. Without `--column` there must be exactly two.
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
            let cause =
                "more than two columns; name the key's column, such as --column 1 --delimiter tab";
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
        return Err(format!("no value; a line is the key, {name} and a whole number"));
    };
    let text = &record[at + 1..];
    // Some CSV writers quote every field.
    let unquoted = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
    let text = unquoted.filter(|_| delimiter == b',').unwrap_or(text);
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
    use super::value;

    #[test]
    fn a_value_is_the_last_column() {
        assert_eq!(value(b"key\t17", b'\t'), Ok(17));
        assert_eq!(value(b"key\t007", b'\t'), Ok(7));
        assert_eq!(value(b"key,a,18446744073709551615", b','), Ok(u64::MAX));
        assert_eq!(value(b"\"key\",\"7\"", b','), Ok(7));
        for (wrong, cause) in [
            (&b"key"[..], "no value; a line is the key, a tab and a whole number"),
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
