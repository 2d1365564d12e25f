//! The types of elements: 64-bit integers, or byte strings up to a chosen length.
//!
//! A cell is the xor of its elements, so all have the same width as their *code*: an integer is its
//! eight bytes, a byte string its length, its bytes and zeros. The xor of several is rarely a valid
//! code, and then it is not even hashed.

use crate::error::{LoadError, TableError, TooLong};
use crate::format::{Parts, Sheet};
use crate::parts::hash::{KeyHash, Seed};
use std::fmt;

/// A type of elements: [`Integers`] or [`Strings`].
pub trait Elements: Copy + PartialEq + fmt::Debug + sealed::Sealed {
    /// An element as input: `u64` or `&[u8]`.
    type Given<'a>: Copy;
    /// An element as output: `u64` or `Vec<u8>`.
    type Element: Clone + Ord + fmt::Debug;
    /// The name in messages.
    const NAME: &'static str;
    /// The number in files.
    const FORM: u64;

    /// Bytes per code.
    fn width(&self) -> usize;

    /// The hash of an element.
    ///
    /// # Panics
    /// If the seed [cannot hash](Seed::can_hash).
    fn hash(&self, element: Self::Given<'_>, seed: &Seed) -> KeyHash;

    /// Writes the code of an element as words, the first byte lowest; there is a word for every
    /// eight bytes of [`width`](Elements::width).
    fn encode(&self, element: Self::Given<'_>, code: &mut [u64]) -> Result<(), TooLong>;

    /// The element of a code; `None` if the code is invalid.
    fn decode(&self, code: &[u64]) -> Option<Self::Element>;

    /// Converts an output element to an input element.
    fn given(element: &Self::Element) -> Self::Given<'_>;

    /// Adds the fields to a file that are not implied by the [`FORM`](Elements::FORM).
    fn describe(&self, sheet: &mut Sheet<'_>);

    /// Reads those fields.
    fn restore(parts: &mut Parts) -> Result<Self, LoadError>;
}

mod sealed {
    #[expect(unnameable_types, reason = "sealed")]
    pub trait Sealed {}
    impl Sealed for super::Integers {}
    impl Sealed for super::Strings {}
    impl Sealed for super::Hashes {}
}

/// 64-bit integers, or keys that fit into 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integers;

impl Elements for Integers {
    type Given<'a> = u64;
    type Element = u64;
    const NAME: &'static str = "64-bit integers";
    const FORM: u64 = 0;

    fn width(&self) -> usize {
        8
    }

    fn hash(&self, element: u64, seed: &Seed) -> KeyHash {
        seed.hash_integer(element)
    }

    fn encode(&self, element: u64, code: &mut [u64]) -> Result<(), TooLong> {
        code.fill(element);
        Ok(())
    }

    fn decode(&self, code: &[u64]) -> Option<u64> {
        code.first().copied()
    }

    fn given(element: &u64) -> u64 {
        *element
    }

    fn describe(&self, _: &mut Sheet<'_>) {}

    fn restore(_: &mut Parts) -> Result<Integers, LoadError> {
        Ok(Integers)
    }
}

/// Byte strings up to a length. Every cell has room for the longest, so a large limit costs bytes
/// in every cell. For long strings, use [`Integers`] that are their hashes, and request from the
/// other side the strings whose hashes differ.
///
/// ```
/// use anther::iblt::{Iblt, Strings};
///
/// let names = Strings::up_to(20)?;
/// let (mut ours, mut theirs) = (Iblt::new(names, 10)?, Iblt::new(names, 10)?);
/// ours.insert_all([&b"anther"[..], b"", b"petal"])?;
/// theirs.insert_all([&b"anther"[..], b"sepal"])?;
/// let difference = ours.subtract(&theirs)?.decode()?;
/// assert_eq!(difference.ours, [&b""[..], b"petal"]);
/// assert_eq!(difference.theirs, [b"sepal"]);
/// assert!(ours.insert(b"a name that is too long").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strings {
    longest: u16,
}

impl Strings {
    /// The largest possible limit.
    pub const MAX_LENGTH: usize = u16::MAX as usize;

    /// Byte strings of 0 to `longest` bytes, where `longest` is 1 to 65,535.
    pub fn up_to(longest: usize) -> Result<Strings, TableError> {
        match u16::try_from(longest) {
            Ok(longest @ 1..) => Ok(Strings { longest }),
            _ => Err(TableError::Length { got: longest, most: Strings::MAX_LENGTH }),
        }
    }

    /// The same for a limit that a byte or so holds: at least 1, at most the largest.
    pub(super) fn of_bytes(longest: usize) -> Strings {
        Strings { longest: u16::try_from(longest.max(1)).unwrap_or(u16::MAX) }
    }

    /// The length limit.
    pub fn longest(&self) -> usize {
        self.longest.into()
    }

    /// Bytes of the length prefix.
    fn prefix(&self) -> usize {
        if self.longest < 256 { 1 } else { 2 }
    }
}

impl Elements for Strings {
    type Given<'a> = &'a [u8];
    type Element = Vec<u8>;
    const NAME: &'static str = "byte strings";
    const FORM: u64 = 1;

    fn width(&self) -> usize {
        self.prefix() + self.longest()
    }

    fn hash(&self, element: &[u8], seed: &Seed) -> KeyHash {
        seed.hash_bytes(element)
    }

    fn encode(&self, element: &[u8], code: &mut [u64]) -> Result<(), TooLong> {
        if element.len() > self.longest() {
            return Err(TooLong { got: element.len(), most: self.longest() });
        }
        code.fill(0);
        let len = (element.len() as u64).to_le_bytes();
        let bytes = len.iter().take(self.prefix()).chain(element);
        for (at, byte) in bytes.enumerate() {
            code[at / 8] |= u64::from(*byte) << (8 * (at % 8));
        }
        Ok(())
    }

    fn decode(&self, code: &[u64]) -> Option<Vec<u8>> {
        let mut bytes = code.iter().flat_map(|word| word.to_le_bytes());
        let len = bytes.by_ref().take(self.prefix()).zip([1, 256]);
        let len: usize = len.map(|(byte, unit)| usize::from(byte) * unit).sum();
        if len > self.longest() {
            return None;
        }
        let element: Vec<u8> = bytes.by_ref().take(len).collect();
        bytes.all(|byte| byte == 0).then_some(element)
    }

    fn given(element: &Vec<u8>) -> &[u8] {
        element
    }

    fn describe(&self, sheet: &mut Sheet<'_>) {
        sheet.field("longest", self.longest.into());
    }

    fn restore(parts: &mut Parts) -> Result<Strings, LoadError> {
        let longest = parts.number("longest", 1..=u16::MAX.into())?;
        #[expect(clippy::cast_possible_truncation, reason = "in the range of u16")]
        Ok(Strings { longest: longest as u16 })
    }
}

/// Hashes of keys, which are not hashed again: the elements of [`Strata`](super::Strata).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hashes;

impl Elements for Hashes {
    type Given<'a> = u64;
    type Element = u64;
    const NAME: &'static str = "strata";
    const FORM: u64 = 2;

    fn width(&self) -> usize {
        8
    }

    fn hash(&self, element: u64, _: &Seed) -> KeyHash {
        KeyHash(element)
    }

    fn encode(&self, element: u64, code: &mut [u64]) -> Result<(), TooLong> {
        Integers.encode(element, code)
    }

    fn decode(&self, code: &[u64]) -> Option<u64> {
        Integers.decode(code)
    }

    fn given(element: &u64) -> u64 {
        *element
    }

    fn describe(&self, _: &mut Sheet<'_>) {}

    fn restore(_: &mut Parts) -> Result<Hashes, LoadError> {
        Ok(Hashes)
    }
}

/// Rejects a file with other elements. Consumes the field that says so.
pub(super) fn check_form<E: Elements>(parts: &mut Parts) -> Result<(), LoadError> {
    let got = match parts.number("form", Integers::FORM..=Hashes::FORM)? {
        form if form == E::FORM => return Ok(()),
        Integers::FORM => Integers::NAME,
        Strings::FORM => Strings::NAME,
        _ => Hashes::NAME,
    };
    Err(LoadError::Elements { expected: E::NAME, got })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_has_a_code_of_its_own() {
        for longest in [1, 6, 7, 8, 255, 256, 300] {
            let strings = Strings::up_to(longest).unwrap();
            let mut code = vec![u64::MAX; strings.width().div_ceil(8)];
            for len in [0, 1, longest / 2, longest - 1, longest] {
                let string = vec![b'a'; len];
                strings.encode(&string, &mut code).unwrap();
                assert_eq!(strings.decode(&code), Some(string));
            }
            let long = vec![0; longest + 1];
            let error = strings.encode(&long, &mut code);
            assert_eq!(error, Err(TooLong { got: longest + 1, most: longest }));
        }
        for longest in [0, 1 << 16] {
            let error = TableError::Length { got: longest, most: 65_535 };
            assert_eq!(Strings::up_to(longest), Err(error));
        }
    }

    #[test]
    fn what_no_string_has_is_no_code() {
        let strings = Strings::up_to(10).unwrap();
        assert_eq!(strings.decode(&[0x6101, 0]), Some(b"a".to_vec()));
        assert_eq!(strings.decode(&[0x6100, 0]), None, "a byte beyond the length");
        assert_eq!(strings.decode(&[0x6101, 1 << 16]), None);
        assert_eq!(strings.decode(&[0x610B, 0]), None, "a length beyond the longest");
        assert_eq!(strings.decode(&[0, 0]), Some(Vec::new()));
    }
}
