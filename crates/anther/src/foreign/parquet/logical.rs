//! What the values of a column stand for: a date may be stored as a number of days.

use super::footer::Physical;
use super::thrift::Struct;
use crate::error::ForeignError;
use crate::recipe::{KeyForm, time};
use std::fmt;

/// A unit of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// 1/1,000 s.
    Milliseconds,
    /// 1/1,000,000 s.
    Microseconds,
    /// 1/1,000,000,000 s.
    Nanoseconds,
}

impl Unit {
    /// Its name: `microseconds`.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Milliseconds => "milliseconds",
            Unit::Microseconds => "microseconds",
            Unit::Nanoseconds => "nanoseconds",
        }
    }

    fn nanoseconds(self) -> i128 {
        match self {
            Unit::Milliseconds => 1_000_000,
            Unit::Microseconds => 1000,
            Unit::Nanoseconds => 1,
        }
    }
}

/// What a column's values stand for, where nobody would write them as they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Logical {
    /// Themselves: numbers, text, bytes.
    Plain,
    /// UUIDs, of 16 bytes.
    Uuid,
    /// Floats of 16 bits.
    Float16,
    /// Decimals: whole numbers, with this many digits behind the point.
    Decimal {
        /// Digits behind the point.
        scale: i32,
    },
    /// Days since 1970-01-01.
    Date,
    /// Times of a day, since midnight.
    Time(Unit),
    /// Times since 1970-01-01 00:00.
    Timestamp(Unit),
    /// Months, days and milliseconds.
    Interval,
}

impl fmt::Display for Logical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Logical::Plain => f.write_str("plain"),
            Logical::Uuid => f.write_str("UUID"),
            Logical::Float16 => f.write_str("FLOAT16"),
            Logical::Decimal { scale } => write!(f, "decimal with {scale} digits after the point"),
            Logical::Date => f.write_str("date in days"),
            Logical::Time(unit) => write!(f, "time of day in {}", unit.name()),
            Logical::Timestamp(unit) => write!(f, "timestamp in {}", unit.name()),
            Logical::Interval => f.write_str("interval"),
        }
    }
}

impl Logical {
    /// The integer that stands for a date, a time of day or a timestamp that is written so:
    /// `2026-11-17`, `08:30:00.25` or `2026-11-17T08:30:00+01:00`, UTC without an offset. None if the
    /// column has no such values, or only coarser ones; a whole number is an integer already.
    ///
    /// ```
    /// use anther::foreign::parquet::{Logical, Unit};
    ///
    /// assert_eq!(Logical::Date.integer(b"2020-01-01"), Some(18_262));
    /// let timestamp = Logical::Timestamp(Unit::Milliseconds);
    /// assert_eq!(timestamp.integer(b"1970-01-02 00:00:00.5"), Some(86_400_500));
    /// assert_eq!(timestamp.integer(b"17"), None);
    /// ```
    pub fn integer(self, text: &[u8]) -> Option<i128> {
        let dated;
        let (text, size) = match self {
            Logical::Date => (text, 86_400_000_000_000),
            Logical::Timestamp(unit) => (text, unit.nanoseconds()),
            Logical::Time(unit) if is_time_of_day(text) => {
                dated = [b"1970-01-01T", text].concat();
                (&dated[..], unit.nanoseconds())
            }
            _ => return None,
        };
        // Unix seconds are times, too, but not here.
        if !text.get(1..)?.contains(&b'-') {
            return None;
        }
        let at = time::parse(text).ok()?.first;
        (at % size == 0).then_some(at / size)
    }

    /// What its integers are, if it has integers: `days since 1970-01-01`.
    pub fn integers(self) -> Option<String> {
        match self {
            Logical::Decimal { scale } => {
                Some(format!("decimals without their point, which stands before {scale} digits"))
            }
            Logical::Date => Some("days since 1970-01-01".to_string()),
            Logical::Time(unit) => Some(format!("{} since midnight", unit.name())),
            Logical::Timestamp(unit) => Some(format!("{} since 1970-01-01 00:00", unit.name())),
            _ => None,
        }
    }
}

/// Whether a text begins with hours and minutes, and has no offset: a time of day has none.
fn is_time_of_day(text: &[u8]) -> bool {
    text.get(2) == Some(&b':') && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b':' | b'.'))
}

/// A leaf of the schema, which is a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub logical: Logical,
    /// Bytes of each value, if the schema gives them.
    pub len: Option<u32>,
}

impl Leaf {
    /// Of a column that the schema does not have.
    pub(super) const UNKNOWN: Leaf = Leaf { logical: Logical::Plain, len: None };
}

/// The columns of a schema, in their order.
pub(super) fn leaves(metadata: &Struct<'_>) -> Result<Vec<Leaf>, ForeignError> {
    let mut leaves = Vec::new();
    let Some(mut schema) = metadata.list(2)? else { return Ok(leaves) };
    while let Some(element) = schema.next_struct()? {
        // A group has children.
        if element.i32(5)?.is_some_and(|children| children > 0) {
            continue;
        }
        let logical = match element.child(10)? {
            Some(logical) => by_logical_type(&logical)?,
            None => None,
        };
        // Older files have only the converted type.
        let logical = match logical {
            Some(logical) => logical,
            None => by_converted_type(element.i32(6)?, element.i32(7)?.unwrap_or(0)),
        };
        let len = element.i32(2)?.and_then(|len| u32::try_from(len).ok());
        leaves.push(Leaf { logical, len });
    }
    Ok(leaves)
}

fn by_logical_type(logical: &Struct<'_>) -> Result<Option<Logical>, ForeignError> {
    let found = match logical {
        it if it.has(14) => Logical::Uuid,
        it if it.has(15) => Logical::Float16,
        it if it.has(6) => Logical::Date,
        it if it.has(5) => {
            let decimal = it.child(5)?.map_or(Ok(None), |decimal| decimal.i32(1))?;
            Logical::Decimal { scale: decimal.unwrap_or(0) }
        }
        it if it.has(7) => return Ok(unit(it, 7)?.map(Logical::Time)),
        it if it.has(8) => return Ok(unit(it, 8)?.map(Logical::Timestamp)),
        _ => return Ok(None),
    };
    Ok(Some(found))
}

fn unit(logical: &Struct<'_>, id: i16) -> Result<Option<Unit>, ForeignError> {
    let Some(time) = logical.child(id)? else { return Ok(None) };
    let Some(unit) = time.child(2)? else { return Ok(None) };
    let units = [(1, Unit::Milliseconds), (2, Unit::Microseconds), (3, Unit::Nanoseconds)];
    Ok(units.into_iter().find(|(id, _)| unit.has(*id)).map(|(_, unit)| unit))
}

fn by_converted_type(converted: Option<i32>, scale: i32) -> Logical {
    match converted {
        Some(5) => Logical::Decimal { scale },
        Some(6) => Logical::Date,
        Some(7) => Logical::Time(Unit::Milliseconds),
        Some(8) => Logical::Time(Unit::Microseconds),
        Some(9) => Logical::Timestamp(Unit::Milliseconds),
        Some(10) => Logical::Timestamp(Unit::Microseconds),
        Some(21) => Logical::Interval,
        _ => Logical::Plain,
    }
}

/// What a text is to become a value.
pub(super) fn form(physical: Physical, logical: Logical) -> KeyForm {
    match (physical, logical) {
        (Physical::Int32, _) => KeyForm::Int32,
        (Physical::Int64, _) => KeyForm::Int64,
        (Physical::Float, _) => KeyForm::Float,
        (Physical::Double, _) => KeyForm::Double,
        (Physical::Boolean | Physical::Int96, _) => KeyForm::Hex,
        (Physical::FixedLenByteArray, Logical::Uuid) => KeyForm::Uuid,
        (Physical::ByteArray | Physical::FixedLenByteArray, Logical::Plain) => KeyForm::Text,
        // No text is such a value: only its bytes are.
        (Physical::ByteArray | Physical::FixedLenByteArray, _) => KeyForm::Hex,
    }
}
