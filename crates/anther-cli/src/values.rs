//! Keys with values, `key<TAB>value`, for maps.

use crate::exit::Stop;
use crate::input::Source;
use crate::keys::KeyReader;
use anther::format::recipe::{Column, Which};
use anther::{KeyHash, Recipe, Seed};
use std::num::NonZero;

/// How such keys are taken, unless told otherwise: the first column, before a tab.
pub fn recipe(told: Recipe) -> Recipe {
    let first = Which::Number(NonZero::<u32>::MIN);
    let column = told.column.unwrap_or(Column { which: first, delimiter: b'\t' });
    Recipe { column: Some(column), ..told }
}

/// The hashes and values of an input, handed on with how many bytes were read for them. A value is
/// the last column, a whole number.
pub fn each(
    source: &Source,
    recipe: &Recipe,
    seed: Seed,
    mut take: impl FnMut(&[(KeyHash, u64)], u64) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let delimiter = recipe.column.as_ref().map_or(b'\t', |column| column.delimiter);
    let mut keys = KeyReader::open(source, recipe, seed)?;
    let mut pairs = Vec::new();
    while let Some(keyed) = keys.next()? {
        pairs.clear();
        let numbered = (keyed.records.number()..).zip(keyed.records);
        for ((number, record), hash) in numbered.zip(keyed.hashes) {
            let value = value(recipe.without_end(record), delimiter).ok_or_else(|| {
                let cause = "no value: after the key, a whole number is needed in the last column";
                Stop::about(source.name(), format_args!("line {number}: {cause}"))
            })?;
            pairs.push((*hash, value));
        }
        take(&pairs, keyed.bytes)?;
    }
    Ok(())
}

fn value(record: &[u8], delimiter: u8) -> Option<u64> {
    let (at, _) = record.iter().enumerate().rfind(|(_, byte)| **byte == delimiter)?;
    str::from_utf8(&record[at + 1..]).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn a_value_is_the_last_column() {
        assert_eq!(value(b"key\t17", b'\t'), Some(17));
        assert_eq!(value(b"key,a,18446744073709551615", b','), Some(u64::MAX));
        for wrong in [&b"key"[..], b"key\t", b"key\t-1", b"key\t1.5", b"key\tx", b"17", b""] {
            assert_eq!(value(wrong, b'\t'), None, "{wrong:?}");
        }
    }
}
