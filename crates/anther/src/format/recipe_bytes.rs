//! A key recipe as bytes of the header.

use super::header::Cursor;
use crate::error::LoadError;
use crate::recipe::{Column, Recipe, Separator, Which};
use std::num::NonZero;

impl Recipe {
    const NUL: u8 = 1;
    const TRIM: u8 = 2;
    const FOLD: u8 = 4;
    const HEX: u8 = 8;
    const BY_NUMBER: u8 = 16;
    const BY_NAME: u8 = 32;

    /// A byte of flags; with a column, its delimiter, and its number or its name to the end.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let flag = |on, flag| if on { flag } else { 0 };
        let mut flags = flag(self.separator == Separator::Nul, Recipe::NUL)
            | flag(self.trim, Recipe::TRIM)
            | flag(self.fold_case, Recipe::FOLD)
            | flag(self.hex, Recipe::HEX);
        let mut rest = Vec::new();
        if let Some(Column { which, delimiter }) = &self.column {
            rest.push(*delimiter);
            match which {
                Which::Number(number) => {
                    flags |= Recipe::BY_NUMBER;
                    rest.extend(number.get().to_le_bytes());
                }
                Which::Name(name) => {
                    flags |= Recipe::BY_NAME;
                    rest.extend(name.as_bytes());
                }
            }
        }
        [vec![flags], rest].concat()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Recipe, LoadError> {
        let broken = LoadError::Header("a key recipe that is none");
        let mut bytes = Cursor(bytes);
        let [flags] = bytes.take()?;
        let has = |flag| flags & flag != 0;
        if flags >= 64 {
            return Err(broken);
        }
        let column = match (has(Recipe::BY_NUMBER), has(Recipe::BY_NAME)) {
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
            return Err(LoadError::Header("bytes after a key recipe"));
        }
        Ok(Recipe {
            separator: if has(Recipe::NUL) { Separator::Nul } else { Separator::Line },
            column,
            trim: has(Recipe::TRIM),
            fold_case: has(Recipe::FOLD),
            hex: has(Recipe::HEX),
        })
    }
}
