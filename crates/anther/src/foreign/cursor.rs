//! Fields one after the other, from bytes that nobody vouches for.

use crate::error::ForeignError;

/// A position in bytes. Every read checks that the bytes are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { rest: bytes }
    }

    /// The bytes that were not taken.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn take(&mut self, len: u64) -> Result<&'a [u8], ForeignError> {
        let len = usize::try_from(len).map_err(|_| ForeignError::Truncated)?;
        let (taken, rest) = self.rest.split_at_checked(len).ok_or(ForeignError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn array<const LEN: usize>(&mut self) -> Result<[u8; LEN], ForeignError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(ForeignError::Truncated)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, ForeignError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, ForeignError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ForeignError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, ForeignError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Result<f64, ForeignError> {
        self.array().map(f64::from_le_bytes)
    }

    /// Java writes the highest byte first.
    pub(super) fn big_endian_i32(&mut self) -> Result<i32, ForeignError> {
        self.array().map(i32::from_be_bytes)
    }

    /// See [`Cursor::big_endian_i32`].
    pub(super) fn big_endian_i64(&mut self) -> Result<i64, ForeignError> {
        self.array().map(i64::from_be_bytes)
    }

    /// Fails if there are bytes left.
    pub(super) fn end(self) -> Result<(), ForeignError> {
        if self.rest.is_empty() { Ok(()) } else { Err(ForeignError::Trailing) }
    }
}
