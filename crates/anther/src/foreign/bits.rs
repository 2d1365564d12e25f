//! A row of bits, as all these systems have it once its bytes are in order.

use super::cursor::Cursor;
use crate::error::{ForeignError, OutOfMemory};
use std::io::{self, Write};

/// The most probes of a filter. A false-positive rate of 5e-324, the lowest that a file can state,
/// takes 1074; a forged number would keep every lookup busy.
pub(super) const MAX_PROBES: u32 = 4096;

/// A number of probes that a file states.
pub(super) fn checked_probes(
    got: impl TryInto<u32> + ToString + Copy,
) -> Result<u32, ForeignError> {
    let probes = got.try_into().ok().filter(|probes| (1..=MAX_PROBES).contains(probes));
    probes.ok_or_else(|| ForeignError::field("probes", got, format!("1 to {MAX_PROBES}")))
}

/// Bits in bytes: bit `i` is bit `i % 8` of byte `i / 8`.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Bits {
    bytes: Vec<u8>,
    len: u64,
}

impl Bits {
    /// The first `len` bits of these bytes, which must have as many.
    pub(super) fn new(bytes: Vec<u8>, len: u64) -> Result<Bits, ForeignError> {
        match len.div_ceil(8) <= bytes.len() as u64 {
            true => Ok(Bits { bytes, len }),
            false => Err(ForeignError::Truncated),
        }
    }

    /// The words of 64 bits after the header of a file, which end it. Uses the file's memory.
    pub(super) fn after_header(
        mut file: Vec<u8>,
        header: usize,
        words: i32,
    ) -> Result<Bits, ForeignError> {
        let words = u64::try_from(words)
            .ok()
            .filter(|words| *words > 0)
            .ok_or_else(|| ForeignError::field("words", words, "1 to 2^31 - 1"))?;
        let mut cells = Cursor::new(&file);
        cells.take(header as u64)?;
        cells.take(words * 8)?;
        cells.end()?;
        file.drain(..header);
        Ok(Bits { bytes: file, len: words * 64 })
    }

    /// Turns the bytes of each word around: most systems write the highest first.
    #[must_use]
    pub(super) fn with_reversed_words(mut self) -> Bits {
        self.bytes.as_chunks_mut::<8>().0.iter_mut().for_each(|word| word.reverse());
        self
    }

    /// Writes all words, each with its highest byte first. A copy of a few kilobytes is turned
    /// around at a time: one of all words may not fit into memory.
    pub(super) fn write_big_endian_words(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut turned = [[0; 8]; 1024];
        for words in self.bytes.as_chunks::<8>().0.chunks(turned.len()) {
            let turned = &mut turned[..words.len()];
            turned.copy_from_slice(words);
            turned.iter_mut().for_each(|word| word.reverse());
            out.write_all(turned.as_flattened())?;
        }
        Ok(())
    }

    /// A row of zeros.
    pub(super) fn zeros(len: u64) -> Result<Bits, OutOfMemory> {
        Ok(Bits { bytes: super::zeroed(len.div_ceil(8))?, len })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The number of words of 64 bits, as files state it.
    pub(super) fn words(&self) -> u32 {
        u32::try_from(self.len / 64).unwrap_or(u32::MAX)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Puts other bytes behind those before `start`, which must hold all bits.
    pub(super) fn replace_after(&mut self, start: usize, bytes: &[u8]) {
        self.bytes.truncate(start);
        self.bytes.extend(bytes);
    }

    /// Whether a bit is set; one beyond the end is not.
    pub(super) fn get(&self, at: u64) -> bool {
        let byte = usize::try_from(at / 8).ok().and_then(|byte| self.bytes.get(byte));
        at < self.len && byte.is_some_and(|byte| byte >> (at % 8) & 1 == 1)
    }

    /// Sets a bit; returns whether it was 0.
    pub(super) fn set(&mut self, at: u64) -> bool {
        let byte = usize::try_from(at / 8).ok().and_then(|byte| self.bytes.get_mut(byte));
        let Some(byte) = byte.filter(|_| at < self.len) else { return false };
        let was = *byte;
        *byte |= 1 << (at % 8);
        was != *byte
    }

    /// The number of ones.
    pub(super) fn ones(&self) -> u64 {
        let whole = usize::try_from(self.len / 8).unwrap_or(usize::MAX).min(self.bytes.len());
        let (whole, rest) = self.bytes.split_at(whole);
        let ones: u64 = whole.iter().map(|byte| u64::from(byte.count_ones())).sum();
        let last = rest.first().map_or(0, |byte| byte & ((1 << (self.len % 8)) - 1));
        ones + u64::from(last.count_ones())
    }
}

/// Long rows would drown everything else.
impl std::fmt::Debug for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bits({} of {})", self.ones(), self.len)
    }
}
