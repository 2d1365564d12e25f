//! The key recipe in a header.

use super::header::Cursor;
use crate::error::LoadError;
use crate::recipe::{Column, Recipe, Separator, Which};
use std::num::NonZero;

const NUL: u8 = 1;
const TRIM: u8 = 2;
const FOLD: u8 = 4;
const HEX: u8 = 8;
const BY_NUMBER: u8 = 16;
const BY_NAME: u8 = 32;

/// A byte of flags; with a column, its delimiter, and its number or its name to the end.
pub(super) fn encode(recipe: &Recipe) -> Vec<u8> {
    let flag = |on, flag| if on { flag } else { 0 };
    let mut flags = flag(recipe.separator == Separator::Nul, NUL)
        | flag(recipe.trim, TRIM)
        | flag(recipe.fold_case, FOLD)
        | flag(recipe.hex, HEX);
    let mut rest = Vec::new();
    if let Some(Column { which, delimiter }) = &recipe.column {
        rest.push(*delimiter);
        match which {
            Which::Number(number) => {
                flags |= BY_NUMBER;
                rest.extend(number.get().to_le_bytes());
            }
            Which::Name(name) => {
                flags |= BY_NAME;
                rest.extend(name.as_bytes());
            }
        }
    }
    [vec![flags], rest].concat()
}

/// Decodes a recipe.
pub(super) fn decode(bytes: &[u8]) -> Result<Recipe, LoadError> {
    let broken = LoadError::Header("invalid key recipe");
    let mut bytes = Cursor(bytes);
    let [flags] = bytes.take()?;
    let has = |flag| flags & flag != 0;
    if flags >= 64 {
        return Err(broken);
    }
    let column = match (has(BY_NUMBER), has(BY_NAME)) {
        (false, false) => None,
        (true, true) => return Err(broken),
        (by_number, _) => {
            let [delimiter] = bytes.take()?;
            let which = if by_number {
                Which::Number(NonZero::new(bytes.u32()?).ok_or(broken)?)
            } else {
                let name = bytes.slice(bytes.0.len())?;
                let Ok(name) = str::from_utf8(name) else { return Err(broken) };
                Which::Name(name.to_string())
            };
            Some(Column { which, delimiter })
        }
    };
    if !bytes.0.is_empty() {
        return Err(LoadError::Header("trailing bytes in the key recipe"));
    }
    Ok(Recipe {
        separator: if has(NUL) { Separator::Nul } else { Separator::Line },
        column,
        trim: has(TRIM),
        fold_case: has(FOLD),
        hex: has(HEX),
    })
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
            assert_eq!(decode(&encode(&recipe)).unwrap(), recipe);
        }
        for bytes in [&[64][..], &[48, 1], &[0, 0], &[16, 1], &[16, 1, 0, 0, 0, 0], &[32, 1, 255]] {
            assert!(decode(bytes).is_err(), "{bytes:?}");
        }
    }
}
