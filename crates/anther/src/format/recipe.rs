//! The key recipe in a file: in the header as version 1 began with it, where that says all, and
//! otherwise in a section of its own.

use super::header::Cursor;
use crate::error::LoadError;
use crate::recipe::{Column, Format, KeyForm, KeyRule, Place, Quotes, Reach, Recipe, Separator};
use std::num::NonZero;

const NUL: u8 = 1;
const TRIM: u8 = 2;
const FOLD: u8 = 4;
const HEX: u8 = 8;
const BY_NUMBER: u8 = 16;
const BY_NAME: u8 = 32;
/// In a section.
const REACH: u8 = 8;

/// The section's name. No kind has a section of this name.
pub(super) const SECTION: &str = "recipe";
/// The longest section; a header has as much room.
pub(super) const MAX_LEN: usize = 1 << 16;

const BROKEN: LoadError = LoadError::Header("invalid key recipe");

/// The recipe for the header, if that can hold it: a byte of flags; with a column, its delimiter,
/// and its number or its name to the end.
pub(super) fn encode_header(recipe: &Recipe) -> Option<Vec<u8>> {
    let Recipe { rule, reach, place } = recipe;
    let mut flags = match (place.format, &place.columns[..]) {
        (Format::Lines, []) => 0,
        (Format::Nul, []) => NUL,
        (Format::Delimited { delimiter, quotes, separator }, [column])
            if quotes == header_quotes(delimiter) =>
        {
            let nul = if separator == Separator::Nul { NUL } else { 0 };
            nul | match column {
                Column::Number(_) => BY_NUMBER,
                Column::Name(_) => BY_NAME,
            }
        }
        _ => return None,
    };
    flags |= match rule.form {
        KeyForm::Text => 0,
        KeyForm::Hex => HEX,
        _ => return None,
    };
    // A column by name implies a header row.
    let is_named = matches!(place.columns[..], [Column::Name(_)]);
    if place.header && !is_named || rule.parts != 1 || reach.is_some() {
        return None;
    }
    flags |= if rule.trim { TRIM } else { 0 } | if rule.ignore_case { FOLD } else { 0 };
    let mut bytes = vec![flags];
    if let (Format::Delimited { delimiter, .. }, [column]) = (place.format, &place.columns[..]) {
        bytes.push(delimiter);
        match column {
            Column::Number(number) => bytes.extend(number.get().to_le_bytes()),
            Column::Name(name) => bytes.extend(name.as_bytes()),
        }
    }
    Some(bytes)
}

/// What a quote means in recipes of the header: with a comma, fields may be quoted within their
/// line; with any other delimiter a quote is an ordinary character.
fn header_quotes(delimiter: u8) -> Quotes {
    if delimiter == b',' { Quotes::WithinLine } else { Quotes::None }
}

/// Decodes a recipe of a header.
pub(super) fn decode_header(bytes: &[u8]) -> Result<Recipe, LoadError> {
    let mut bytes = Cursor(bytes);
    let [flags] = bytes.take()?;
    let has = |flag| flags & flag != 0;
    if flags >= 64 {
        return Err(BROKEN);
    }
    let separator = if has(NUL) { Separator::Nul } else { Separator::Line };
    let place = match (has(BY_NUMBER), has(BY_NAME)) {
        (false, false) => {
            let format = if has(NUL) { Format::Nul } else { Format::Lines };
            Place { format, ..Place::default() }
        }
        (true, true) => return Err(BROKEN),
        (by_number, _) => {
            let [delimiter] = bytes.take()?;
            let column = if by_number {
                Column::Number(NonZero::new(bytes.u32()?).ok_or(BROKEN)?)
            } else {
                Column::Name(text(bytes.slice(bytes.0.len())?)?)
            };
            let quotes = header_quotes(delimiter);
            let format = Format::Delimited { delimiter, quotes, separator };
            Place { format, columns: vec![column], header: false }
        }
    };
    if !bytes.0.is_empty() {
        return Err(LoadError::Header("trailing bytes in the key recipe"));
    }
    let form = if has(HEX) { KeyForm::Hex } else { KeyForm::Text };
    let rule = KeyRule { form, trim: has(TRIM), ignore_case: has(FOLD), parts: 1 };
    Ok(Recipe { rule, reach: None, place })
}

/// The recipe as a section of words: the rule, the format, the columns.
///
/// ```text
/// 0  1  form: text, hex, int, domain, email, url, time, ip, int32, int64, float, double, utf16, uuid
/// 1  1  flags: 1 trim, 2 ignore case, 4 header row, 8 entries stand for what is below them
/// 2  1  parts of a key
/// 3  1  format: lines, nul, delimited, fields, json, parquet, records
/// 4  1  delimiter, or 0
/// 5  1  quotes: csv, within a line, none; 16 more: records end in NUL
/// 6  2  number of columns
/// 8  4  width of a record, or 0
/// 12    columns: byte 0 and a number (4 bytes), or byte 1, a length (4 bytes) and a name
///       with flag 8: keys of an entry that stands for many (1 byte), levels (16 bytes)
///       zeros to a multiple of 8
/// ```
pub(super) fn encode_section(recipe: &Recipe) -> Vec<u64> {
    let Recipe { rule, reach, place } = recipe;
    let flag = |on, flag| if on { flag } else { 0 };
    let (format, delimiter, quotes, width) = match place.format {
        Format::Lines => (0, 0, 0, 0),
        Format::Nul => (1, 0, 0, 0),
        Format::Delimited { delimiter, quotes, separator } => {
            (2, delimiter, quotes as u8 | flag(separator == Separator::Nul, 16), 0)
        }
        Format::Fields => (3, 0, 0, 0),
        Format::Json => (4, 0, 0, 0),
        Format::Parquet => (5, 0, 0, 0),
        Format::Records(width) => (6, 0, 0, width.get()),
    };
    let flags = flag(rule.trim, 1)
        | flag(rule.ignore_case, 2)
        | flag(place.header, 4)
        | flag(reach.is_some(), REACH);
    let mut bytes = vec![rule.form as u8, flags, rule.parts, format, delimiter, quotes];
    // A recipe with more columns, or longer names, than a section may have is refused by its length.
    bytes.extend(u16::try_from(place.columns.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(width.to_le_bytes());
    for column in &place.columns {
        match column {
            Column::Number(number) => {
                bytes.push(0);
                bytes.extend(number.get().to_le_bytes());
            }
            Column::Name(name) => {
                bytes.push(1);
                bytes.extend(u32::try_from(name.len()).unwrap_or(u32::MAX).to_le_bytes());
                bytes.extend(name.as_bytes());
            }
        }
    }
    if let Some(reach) = reach {
        bytes.push(reach.keys());
        bytes.extend(reach.levels().to_le_bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

/// Decodes a section. Every recipe has one form: what the header can hold is not in a section.
pub(super) fn decode_section(words: &[u64]) -> Result<Recipe, LoadError> {
    let recipe = decode_words(words)?;
    if encode_header(&recipe).is_some() {
        return Err(BROKEN);
    }
    Ok(recipe)
}

/// Decodes the words of any recipe: those of a sketch, which has no other form.
pub(super) fn decode_words(words: &[u64]) -> Result<Recipe, LoadError> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut cursor = Cursor(&bytes);
    let [form, flags, parts, format, delimiter, quotes] = cursor.take()?;
    let (columns, width) = (cursor.u16()?, cursor.u32()?);
    let form = KeyForm::ALL.get(usize::from(form)).copied().ok_or(BROKEN)?;
    let format = match format {
        0 => Format::Lines,
        1 => Format::Nul,
        2 => Format::Delimited {
            delimiter,
            quotes: match quotes & 15 {
                0 => Quotes::Csv,
                1 => Quotes::WithinLine,
                2 => Quotes::None,
                _ => return Err(BROKEN),
            },
            separator: if quotes & 16 == 0 { Separator::Line } else { Separator::Nul },
        },
        3 => Format::Fields,
        4 => Format::Json,
        5 => Format::Parquet,
        6 => Format::Records(NonZero::new(width).ok_or(BROKEN)?),
        _ => return Err(BROKEN),
    };
    let column = |_| match cursor.take()? {
        [0] => Ok(Column::Number(NonZero::new(cursor.u32()?).ok_or(BROKEN)?)),
        [1] => {
            let len = usize::try_from(cursor.u32()?).map_err(|_| BROKEN)?;
            Ok(Column::Name(text(cursor.slice(len)?)?))
        }
        _ => Err(BROKEN),
    };
    let columns = (0..columns).map(column).collect::<Result<Vec<_>, _>>()?;
    let rule = KeyRule { form, trim: flags & 1 != 0, ignore_case: flags & 2 != 0, parts };
    let reach = match flags & REACH {
        0 => None,
        _ => {
            let [keys] = cursor.take()?;
            let levels = u128::from_le_bytes(cursor.take()?);
            Some(Reach::new(keys, levels).ok_or(BROKEN)?)
        }
    };
    let recipe = Recipe { rule, reach, place: Place { format, columns, header: flags & 4 != 0 } };
    // Whatever was not decoded, padding and unused fields, must be as it is written.
    if check(&recipe).is_err() || encode_section(&recipe) != words {
        return Err(BROKEN);
    }
    Ok(recipe)
}

/// Whether a file may hold this recipe in a section.
pub(super) fn check(recipe: &Recipe) -> Result<(), &'static str> {
    let Recipe { rule, reach, place } = recipe;
    if rule.parts == 0 {
        return Err("a key has at least one part");
    }
    if reach.is_some_and(Reach::is_below) && (rule.parts > 1 || !rule.form.has_levels()) {
        return Err("no key of this form is below another");
    }
    match place.format {
        Format::Delimited { quotes: Quotes::Csv, separator: Separator::Nul, .. } => {
            Err("records of CSV end in a newline, not in NUL")
        }
        _ => Ok(()),
    }
}

fn text(bytes: &[u8]) -> Result<String, LoadError> {
    str::from_utf8(bytes).map(str::to_string).map_err(|_| BROKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u32) -> Column {
        Column::Number(NonZero::new(number).unwrap())
    }

    fn name(name: &str) -> Column {
        Column::Name(name.to_string())
    }

    fn delimited(column: Column, delimiter: u8, quotes: Quotes) -> Place {
        let format = Format::Delimited { delimiter, quotes, separator: Separator::Line };
        Place { format, columns: vec![column], header: false }
    }

    fn rule(form: KeyForm) -> KeyRule {
        KeyRule { form, ..KeyRule::default() }
    }

    #[test]
    fn a_recipe_of_the_header_survives() {
        let at = |rule, place| Recipe { rule, reach: None, place };
        let folded = KeyRule { trim: true, ignore_case: true, ..KeyRule::default() };
        let nul = Place { format: Format::Nul, ..Place::default() };
        for recipe in [
            Recipe::default(),
            at(rule(KeyForm::Hex), nul),
            at(folded, delimited(number(u32::MAX), b':', Quotes::None)),
            at(rule(KeyForm::Text), delimited(name("naïve, \"x\""), b',', Quotes::WithinLine)),
            at(rule(KeyForm::Text), delimited(name(""), 0xFF, Quotes::None)),
        ] {
            let bytes = encode_header(&recipe).unwrap();
            assert_eq!(decode_header(&bytes).unwrap(), recipe);
            assert!(decode_section(&encode_section(&recipe)).is_err(), "one form for each");
        }
        // A name implies the header row, so one that says so again is the same recipe.
        let tabs = delimited(name("url"), b'\t', Quotes::None);
        let again = at(KeyRule::default(), Place { header: true, ..tabs.clone() });
        let tabs = at(KeyRule::default(), tabs);
        assert_eq!(encode_header(&again), encode_header(&tabs));
        for bytes in [&[64][..], &[48, 1], &[0, 0], &[16, 1], &[16, 1, 0, 0, 0, 0], &[32, 1, 255]] {
            assert!(decode_header(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_recipe_of_a_section_survives() {
        let at = |rule, place| Recipe { rule, reach: None, place };
        let place = |format, columns| Place { format, columns, header: false };
        let records = Format::Records(NonZero::new(20).unwrap());
        let pair = KeyRule { parts: 2, ..KeyRule::default() };
        let csv = delimited(name("mail"), b',', Quotes::Csv);
        let reach = Reach::new(5, 1 << 2 | 1 << 127);
        let all = [
            at(rule(KeyForm::Int), Place::default()),
            at(rule(KeyForm::Url), place(Format::Fields, vec![number(7)])),
            at(rule(KeyForm::Hex), place(records, vec![])),
            at(pair, place(Format::Json, vec![name("user.id"), name("ä")])),
            at(rule(KeyForm::Text), Place { header: true, ..csv.clone() }),
            at(rule(KeyForm::Text), Place { header: true, ..Place::default() }),
            at(rule(KeyForm::Text), csv),
            Recipe { reach: Some(Reach::EXACT), ..Recipe::default() },
            Recipe { reach, ..at(rule(KeyForm::Domain), place(Format::Json, vec![name("host")])) },
        ];
        for recipe in &all {
            let words = encode_section(recipe);
            assert_eq!(decode_section(&words).unwrap(), *recipe);
            assert_eq!(encode_header(recipe), None);
            for at in 0..words.len() * 64 {
                let mut forged = words.clone();
                forged[at / 64] ^= 1 << (at % 64);
                if let Ok(other) = decode_section(&forged) {
                    assert_eq!(encode_section(&other), forged, "one form for each");
                }
            }
            assert!(decode_section(&words[1..]).is_err());
            assert!(decode_section(&[&words[..], &[0]].concat()).is_err());
        }
        assert!(decode_section(&[]).is_err());
    }
}
