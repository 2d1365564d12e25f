//! What the types of Parquet columns mean for the text of their values.

use parquet::basic::{ConvertedType, LogicalType};
use parquet::schema::types::ColumnDescriptor;
#[cfg(feature = "index")]
use parquet::schema::types::Type;
#[cfg(feature = "index")]
use std::fmt::Write as _;

/// Whether its integers have no sign. Older files have only the converted type.
pub fn is_unsigned(column: &ColumnDescriptor) -> bool {
    let by_logical = match column.logical_type_ref() {
        Some(LogicalType::Integer(integer)) => !integer.is_signed,
        _ => false,
    };
    let converted = column.converted_type();
    by_logical
        || matches!(
            converted,
            ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64
        )
}

/// Whether its values stand for something that nobody would write so: 1234 for 12.34, or for a day.
pub fn means_more(column: &ColumnDescriptor) -> bool {
    matches!(
        column.logical_type_ref(),
        Some(
            LogicalType::Decimal(_)
                | LogicalType::Date
                | LogicalType::Time(_)
                | LogicalType::Timestamp(_)
                | LogicalType::Float16
        )
    ) || matches!(
        column.converted_type(),
        ConvertedType::DECIMAL
            | ConvertedType::DATE
            | ConvertedType::TIME_MILLIS
            | ConvertedType::TIME_MICROS
            | ConvertedType::TIMESTAMP_MILLIS
            | ConvertedType::TIMESTAMP_MICROS
            | ConvertedType::INTERVAL
    )
}

/// Whether its values are months, days and milliseconds in one.
#[cfg(feature = "index")]
pub fn is_interval(column: &ColumnDescriptor) -> bool {
    column.converted_type() == ConvertedType::INTERVAL
}

/// Whether its values are UUIDs.
#[cfg(feature = "index")]
pub fn is_uuid(column: &Type) -> bool {
    column.get_basic_info().logical_type_ref() == Some(&LogicalType::Uuid)
}

/// A UUID as text, in lower case; other bytes in hexadecimal.
#[cfg(feature = "index")]
pub fn uuid_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if bytes.len() == 16 && matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The bytes of a UUID that is written as [`uuid_text`] does.
#[cfg(feature = "index")]
pub fn uuid_bytes(text: &str) -> Option<[u8; 16]> {
    let number = u128::from_str_radix(&text.replace('-', ""), 16).ok()?;
    // The first digits are the first bytes.
    let bytes = number.swap_bytes().to_le_bytes();
    (uuid_text(&bytes) == text).then_some(bytes)
}

#[cfg(all(test, feature = "index"))]
mod tests {
    use super::{uuid_bytes, uuid_text};

    #[test]
    fn uuids_have_one_text() {
        let text = "00010203-0405-0607-0809-0a0b0c0d0e0f";
        let bytes: [u8; 16] = std::array::from_fn(|at| u8::try_from(at).unwrap_or_default());
        assert_eq!(uuid_text(&bytes), text);
        assert_eq!(uuid_bytes(text), Some(bytes));
        for other in ["", "0", "00010203-0405-0607-0809-0A0B0C0D0E0F", "+0010203", "é"] {
            assert_eq!(uuid_bytes(other), None, "{other}");
        }
    }
}
