//! Keys as other systems store them: bytes of a type, the lowest byte first.
//!
//! A Parquet column, a Java program or a database hashes the bytes of a value, so its type decides
//! which key a text is: `1` is other bytes as an `int32`, as an `int64` and as a `double`. Floats
//! are their bit pattern, as these systems hash them: `0` and `-0` are two keys, and so are `nan`
//! and `-nan`.

use super::normal::{self, hex};
use crate::error::KeyError;

/// The sign bits, and the quiet NaN whose other bits are 0: `f64::NAN` may differ by platform.
const NAN_32: u32 = 0x7FC0_0000;
const NAN_64: u64 = 0x7FF8_0000_0000_0000;

pub(super) fn int32(number: i128, out: &mut Vec<u8>) -> Result<(), KeyError> {
    let number = i32::try_from(number).map_err(|_| KeyError::Int32)?;
    out.extend(number.to_le_bytes());
    Ok(())
}

pub(super) fn int64(number: i128, out: &mut Vec<u8>) -> Result<(), KeyError> {
    let number = i64::try_from(number).map_err(|_| KeyError::Int64)?;
    out.extend(number.to_le_bytes());
    Ok(())
}

/// An integer as a float, if one is equal to it.
pub(super) fn exact_float(number: i128, out: &mut Vec<u8>) -> Result<(), KeyError> {
    if significant_bits(number) > 24 {
        return Err(KeyError::Inexact { form: "float" });
    }
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    out.extend((number as f32).to_le_bytes());
    Ok(())
}

/// An integer as a double, if one is equal to it.
pub(super) fn exact_double(number: i128, out: &mut Vec<u8>) -> Result<(), KeyError> {
    if significant_bits(number) > 53 {
        return Err(KeyError::Inexact { form: "double" });
    }
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    out.extend((number as f64).to_le_bytes());
    Ok(())
}

/// Bits from the highest one that is set to the lowest.
fn significant_bits(number: i128) -> u32 {
    let size = number.unsigned_abs();
    if size == 0 { 0 } else { u128::BITS - size.leading_zeros() - size.trailing_zeros() }
}

pub(super) fn float(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let (text, number) = parse::<f32>(text)?;
    if number.is_infinite() && has_digits(text) {
        return Err(KeyError::RealRange { form: "float" });
    }
    let sign = u32::from(text.starts_with('-')) << 31;
    let bits = if number.is_nan() { NAN_32 | sign } else { number.to_bits() };
    out.extend(bits.to_le_bytes());
    Ok(())
}

pub(super) fn double(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let (text, number) = parse::<f64>(text)?;
    if number.is_infinite() && has_digits(text) {
        return Err(KeyError::RealRange { form: "double" });
    }
    let sign = u64::from(text.starts_with('-')) << 63;
    let bits = if number.is_nan() { NAN_64 | sign } else { number.to_bits() };
    out.extend(bits.to_le_bytes());
    Ok(())
}

/// The nearest number. The standard library's grammar is the one in FORMAT.md; a text has few
/// digits, so a long one is refused before its cost is felt.
fn parse<T: std::str::FromStr>(text: &[u8]) -> Result<(&str, T), KeyError> {
    let text = str::from_utf8(text).ok().filter(|text| text.len() <= 1100);
    let text = text.ok_or(KeyError::Real)?;
    text.parse().map(|number| (text, number)).map_err(|_| KeyError::Real)
}

fn has_digits(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

/// UTF-16 of UTF-8, two bytes per code unit.
pub(super) fn utf16(text: &[u8], fold: bool, out: &mut Vec<u8>) -> Result<(), KeyError> {
    let text = str::from_utf8(text).map_err(|_| KeyError::Utf8)?;
    let fold = |c: char| if fold { c.to_ascii_lowercase() } else { c };
    for c in text.chars().map(fold) {
        out.extend(c.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_le_bytes()));
    }
    Ok(())
}

/// The 16 bytes in the order in which they are written, with hyphens in their places or without.
pub(super) fn uuid(text: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
    let mut digits = [0; 32];
    match text.len() {
        32 => digits.copy_from_slice(text),
        36 if [8, 13, 18, 23].into_iter().all(|at| text[at] == b'-') => {
            let groups = [&text[..8], &text[9..13], &text[14..18], &text[19..23], &text[24..]];
            digits.copy_from_slice(&groups.concat());
        }
        _ => return Err(KeyError::Uuid),
    }
    hex(&digits, out).map_err(|_| KeyError::Uuid)
}

/// The whole number of a text, for keys of a width.
pub(super) fn whole(text: &[u8], wide: KeyError) -> Result<i128, KeyError> {
    normal::whole(text).map_err(|error| match error {
        KeyError::WideInt => wide,
        other => other,
    })
}
