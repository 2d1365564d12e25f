//! Guava's `BloomFilter`, as its `writeTo` writes it.
//!
//! ```text
//! 0  1  strategy: 0 MURMUR128_MITZ_32, 1 MURMUR128_MITZ_64
//! 1  1  probes
//! 2  4  words, big-endian
//! 6     words of 64 bits, big-endian
//! ```
//!
//! What is hashed depends on the funnel, of which the file says nothing: UTF-8 of `stringFunnel`,
//! UTF-16 of `unencodedCharsFunnel`, little-endian integers of `integerFunnel` and `longFunnel`.

use super::bits::Bits;
use super::cursor::Cursor;
use super::info::Info;
use super::murmur3::murmur3_128;
use super::open::Source;
use super::write::bytes_of;
use super::{Entry, ForeignFilter, System};
use crate::error::ForeignError;
use crate::target::Target;
use std::io::{self, Write};

const HEADER: usize = 6;

/// How the positions of a key are made from its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// `MURMUR128_MITZ_32`, of Guava before 16 and of old files.
    Mitz32 = 0,
    /// `MURMUR128_MITZ_64`, the default.
    Mitz64 = 1,
}

impl Strategy {
    fn name(self) -> &'static str {
        match self {
            Strategy::Mitz32 => "MURMUR128_MITZ_32",
            Strategy::Mitz64 => "MURMUR128_MITZ_64",
        }
    }
}

/// A filter of Guava.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guava {
    strategy: Strategy,
    probes: u8,
    cells: Bits,
}

impl Guava {
    /// An empty filter with the size that Guava gives it.
    pub fn new(strategy: Strategy, target: Target) -> Result<Guava, ForeignError> {
        let probes = optimal_probes(target.fpr());
        let bits = optimal_bits(target.items(), target.fpr());
        let words = bits.div_ceil(64).max(1);
        if words > i32::MAX as u64 {
            let cause =
                format!("{words} words of 64 bits, and a filter of Guava has at most 2^31 - 1");
            return Err(ForeignError::Size { cause });
        }
        Ok(Guava { strategy, probes, cells: Bits::zeros(words * 64)? })
    }

    /// Reads a filter.
    pub fn from_bytes(bytes: &[u8]) -> Result<Guava, ForeignError> {
        Guava::from_file(bytes.to_vec())
    }

    fn from_file(file: Vec<u8>) -> Result<Guava, ForeignError> {
        let mut cursor = Cursor::new(&file);
        let strategy = match cursor.u8()? {
            0 => Strategy::Mitz32,
            1 => Strategy::Mitz64,
            other => return Err(ForeignError::field("strategy", other, "0 or 1")),
        };
        let probes = cursor.u8()?;
        if probes == 0 {
            return Err(ForeignError::field("probes", probes, "1 to 255"));
        }
        let words = cursor.big_endian_i32()?;
        let cells = Bits::after_header(file, HEADER, words)?.with_reversed_words();
        Ok(Guava { strategy, probes, cells })
    }

    /// The bytes that Guava writes.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes_of(|out| self.write_to(out))
    }

    /// Writes these bytes, without a copy of them in memory.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&[self.strategy as u8, self.probes])?;
        out.write_all(&self.cells.words().to_be_bytes())?;
        self.cells.write_big_endian_words(out)
    }

    /// Whether a key is in the filter, or looks as if it were.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.positions(key).all(|bit| self.cells.get(bit))
    }

    /// Inserts a key.
    pub fn insert(&mut self, key: &[u8]) {
        let Guava { strategy, probes, ref mut cells } = *self;
        positions(strategy, probes, cells.len(), key).for_each(|bit| _ = cells.set(bit));
    }

    fn positions(&self, key: &[u8]) -> impl Iterator<Item = u64> {
        positions(self.strategy, self.probes, self.cells.len(), key)
    }

    pub(super) fn info(&self) -> Info {
        Info::of_bits(System::Guava, self.strategy.name(), &self.cells, self.probes.into())
    }
}

/// Bits for these keys, by the formula of Guava and Spark, which rounds down.
#[expect(clippy::cast_possible_truncation, reason = "as in Java; what is too large saturates")]
pub(super) fn optimal_bits(items: u64, fpr: f64) -> u64 {
    const LN_2: f64 = std::f64::consts::LN_2;
    (-(items as f64) * fpr.ln() / (LN_2 * LN_2)) as u64
}

/// Probes by the false-positive rate alone, as since Guava 33; before, they followed from the bits,
/// which made one less for some filters of up to ten keys.
#[expect(clippy::cast_possible_truncation, reason = "at most 60 for any target")]
fn optimal_probes(fpr: f64) -> u8 {
    (-fpr.ln() / std::f64::consts::LN_2).round().max(1.0) as u8
}

#[expect(clippy::cast_possible_truncation, reason = "the halves of a hash, as Guava takes them")]
fn positions(strategy: Strategy, probes: u8, bits: u64, key: &[u8]) -> impl Iterator<Item = u64> {
    let [low, high] = murmur3_128(key, u64::from);
    (0..u64::from(probes)).map(move |probe| match strategy {
        Strategy::Mitz64 => {
            let sum = low.wrapping_add(probe.wrapping_mul(high));
            (sum & i64::MAX as u64) % bits
        }
        Strategy::Mitz32 => {
            let step = (low >> 32) as u32;
            let sum = (low as u32).wrapping_add((probe as u32 + 1).wrapping_mul(step)) as i32;
            u64::from(if sum < 0 { !sum } else { sum } as u32) % bits
        }
    })
}

/// Whether a file looks like one of Guava's: the length fits the number of words.
pub(super) fn looks_like(source: &Source<'_>) -> bool {
    let &[0 | 1, probes, a, b, c, d, ..] = &source.start[..] else { return false };
    let words = u64::from(u32::from_be_bytes([a, b, c, d]));
    probes > 0 && words > 0 && source.len == HEADER as u64 + 8 * words
}

pub(super) fn open(source: &mut Source<'_>, limit: u64) -> Result<Vec<Entry>, ForeignError> {
    let filter = Guava::from_file(source.all(limit)?)?;
    Ok(vec![Entry { name: String::new(), filter: ForeignFilter::Guava(filter) }])
}
