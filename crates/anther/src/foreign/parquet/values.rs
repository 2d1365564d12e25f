//! Floats that are equal in SQL though their bytes differ.

/// The values that a float is equal to in SQL, by the bytes of their plain encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "no other floats are equal")]
pub enum Equals {
    /// Only itself.
    Itself,
    /// Both zeros.
    Zeros([&'static [u8]; 2]),
    /// Every NaN; these are the usual ones, quiet and without a payload, of either sign.
    Nans([&'static [u8]; 2]),
}

/// What a FLOAT of 4 bytes or a DOUBLE of 8 bytes is equal to.
///
/// A filter has to have all of them where it has one, or a reader that looks for `0.0` skips `-0.0`.
///
/// ```
/// use anther::foreign::parquet::{Equals, equals};
///
/// let Equals::Zeros(zeros) = equals(&0.0_f32.to_le_bytes()) else { panic!("no zero") };
/// assert_eq!(zeros[1], (-0.0_f32).to_le_bytes());
/// assert_eq!(equals(&1.5_f64.to_le_bytes()), Equals::Itself);
/// ```
pub fn equals(value: &[u8]) -> Equals {
    if let Ok(bytes) = value.try_into().map(f32::from_le_bytes) {
        return match bytes {
            0.0 => Equals::Zeros([&[0; 4], &[0, 0, 0, 0x80]]),
            nan if nan.is_nan() => Equals::Nans([&[0, 0, 0xC0, 0x7F], &[0, 0, 0xC0, 0xFF]]),
            _ => Equals::Itself,
        };
    }
    if let Ok(bytes) = value.try_into().map(f64::from_le_bytes) {
        return match bytes {
            0.0 => Equals::Zeros([&[0; 8], &[0, 0, 0, 0, 0, 0, 0, 0x80]]),
            nan if nan.is_nan() => {
                Equals::Nans([&[0, 0, 0, 0, 0, 0, 0xF8, 0x7F], &[0, 0, 0, 0, 0, 0, 0xF8, 0xFF]])
            }
            _ => Equals::Itself,
        };
    }
    Equals::Itself
}
