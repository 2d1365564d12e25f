//! Reading options, and hash keys as text.

use crate::server::Argument;
use std::fmt::Write;

/// Options that follow the fixed arguments of a command.
pub struct OptionsOf<'a> {
    rest: &'a [Argument<'a>],
}

impl<'a> OptionsOf<'a> {
    /// The options in these arguments.
    pub fn new(rest: &'a [Argument<'a>]) -> OptionsOf<'a> {
        OptionsOf { rest }
    }

    /// The next word.
    pub fn word(&mut self) -> Option<Argument<'a>> {
        let (word, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*word)
    }

    /// What is left.
    pub fn rest(&self) -> &'a [Argument<'a>] {
        self.rest
    }
}

/// A hash key from 32 hexadecimal digits.
pub fn hash_key(digits: &[u8]) -> Option<[u8; 16]> {
    let mut key = [0; 16];
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    if pairs.len() != key.len() {
        return None;
    }
    for (byte, pair) in key.iter_mut().zip(pairs) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
    }
    Some(key)
}

/// A hash key as 32 hexadecimal digits.
pub fn hex(key: &[u8; 16]) -> String {
    key.iter().fold(String::with_capacity(32), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_key_is_what_its_digits_say() {
        let key = *b"\x00\x01\x7f\x80\xff0123456789a";
        assert_eq!(hash_key(hex(&key).as_bytes()), Some(key));
        assert_eq!(hash_key(hex(&key).to_uppercase().as_bytes()), Some(key));
        for wrong in ["", "00", &"0".repeat(31), &"0".repeat(33), &"g".repeat(32)] {
            assert_eq!(hash_key(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
