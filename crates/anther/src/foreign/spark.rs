//! Spark's `BloomFilter` of `spark-sketch`, as its `writeTo` writes it.
//!
//! ```text
//! Version 1                   Version 2, Spark 4.1 and later
//! 0  4  version: 1            0  4  version: 2
//! 4  4  probes                4  4  probes
//! 8  4  words                 8  4  seed
//! 12    words of 64 bits     12  4  words
//!                            16     words of 64 bits
//! ```
//!
//! Everything is big-endian. `putString` hashes UTF-8, `putBinary` the bytes, and `putLong` the
//! same as eight little-endian bytes, which is what `put` does with every integer.

use super::bits::{Bits, checked_probes};
use super::cursor::Cursor;
use super::guava::optimal_bits;
use super::info::Info;
use super::open::Source;
use super::write::bytes_of;
use super::{Entry, ForeignFilter, System};
use crate::error::ForeignError;
use crate::target::Target;
use std::io::{self, Write};

/// The version of the layout, which is that of the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Of every Spark; its 32-bit hash makes filters of more than a few million keys worse than
    /// asked for.
    V1 = 1,
    /// The default since Spark 4.1, with 64-bit sums and a seed.
    V2 = 2,
}

impl Version {
    const fn header(self) -> usize {
        match self {
            Version::V1 => 12,
            Version::V2 => 16,
        }
    }
}

/// A filter of Spark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spark {
    version: Version,
    probes: u32,
    /// 0 in version 1.
    seed: i32,
    cells: Bits,
}

impl Spark {
    /// An empty filter with the size that Spark gives it, and with the seed 0, which is Spark's.
    pub fn new(version: Version, target: Target) -> Result<Spark, ForeignError> {
        let bits = optimal_bits(target.items(), target.fpr());
        let words = bits.div_ceil(64).max(1);
        if words > i32::MAX as u64 {
            let cause =
                format!("{words} words of 64 bits, and a filter of Spark has at most 2^31 - 1");
            return Err(ForeignError::Size { cause });
        }
        let probes = checked_probes(optimal_probes(target.items(), bits));
        let probes = probes.map_err(ForeignError::asked)?;
        Ok(Spark { version, probes, seed: 0, cells: Bits::zeros(words * 64)? })
    }

    /// An empty filter of version 2 with a seed of one's own.
    pub fn with_seed(seed: i32, target: Target) -> Result<Spark, ForeignError> {
        Ok(Spark { seed, ..Spark::new(Version::V2, target)? })
    }

    /// Reads a filter.
    pub fn from_bytes(bytes: &[u8]) -> Result<Spark, ForeignError> {
        Spark::from_file(bytes.to_vec())
    }

    fn from_file(file: Vec<u8>) -> Result<Spark, ForeignError> {
        let mut cursor = Cursor::new(&file);
        let version = match cursor.big_endian_i32()? {
            1 => Version::V1,
            2 => Version::V2,
            other => return Err(ForeignError::field("version", other, "1 or 2")),
        };
        let probes = checked_probes(cursor.big_endian_i32()?)?;
        let seed = match version {
            Version::V1 => 0,
            Version::V2 => cursor.big_endian_i32()?,
        };
        let words = cursor.big_endian_i32()?;
        let cells = Bits::after_header(file, version.header(), words)?.with_reversed_words();
        Ok(Spark { version, probes, seed, cells })
    }

    /// The bytes that Spark writes.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes_of(|out| self.write_to(out))
    }

    /// Writes these bytes, without a copy of them in memory.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let seed = (self.version == Version::V2).then_some(self.seed as u32);
        let fields = [Some(self.version as u32), Some(self.probes), seed, Some(self.cells.words())];
        for field in fields.into_iter().flatten() {
            out.write_all(&field.to_be_bytes())?;
        }
        self.cells.write_big_endian_words(out)
    }

    /// Whether a key is in the filter, or looks as if it were.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.positions(key).all(|bit| self.cells.get(bit))
    }

    /// Inserts a key.
    pub fn insert(&mut self, key: &[u8]) {
        for bit in self.positions(key) {
            self.cells.set(bit);
        }
    }

    fn positions(&self, key: &[u8]) -> impl Iterator<Item = u64> + use<> {
        let (version, bits) = (self.version, self.cells.len());
        let first = murmur3_32(key, self.seed);
        let step = murmur3_32(key, first);
        // The sum keeps its sign from probe to probe; only the position loses it.
        (1..=self.probes.cast_signed()).map(move |probe| match version {
            Version::V1 => {
                let sum = first.wrapping_add(probe.wrapping_mul(step));
                u64::from(if sum < 0 { !sum } else { sum } as u32) % bits
            }
            Version::V2 => {
                let start = i64::from(first) * i64::from(i32::MAX);
                let sum = start.wrapping_add(i64::from(probe).wrapping_mul(step.into()));
                (if sum < 0 { !sum } else { sum } as u64) % bits
            }
        })
    }

    pub(super) fn info(&self) -> Info {
        let format = match self.version {
            Version::V1 => "version 1",
            Version::V2 => "version 2",
        };
        let mut info = Info::of_bits(System::Spark, format, &self.cells, self.probes);
        if self.version == Version::V2 {
            info.fields.push(("seed", self.seed.to_string()));
        }
        info
    }
}

#[expect(clippy::cast_possible_truncation, reason = "as in Java; what is too large saturates")]
fn optimal_probes(items: u64, bits: u64) -> u64 {
    (bits as f64 / items as f64 * std::f64::consts::LN_2).round().max(1.0) as u64
}

/// Spark's MurmurHash3 for x86: each byte after the last four is a round of its own, with its sign.
fn murmur3_32(key: &[u8], seed: i32) -> i32 {
    let mixed = |sum: u32, word: u32| {
        let word = word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        (sum ^ word).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    };
    let (words, tail) = key.as_chunks::<4>();
    let words = words.iter().map(|word| u32::from_le_bytes(*word));
    let tail = tail.iter().map(|byte| i32::from(byte.cast_signed()).cast_unsigned());
    let mut sum = words.chain(tail).fold(seed.cast_unsigned(), mixed);
    #[expect(clippy::cast_possible_truncation, reason = "Java's lengths have 31 bits")]
    let len = key.len() as u32;
    sum ^= len;
    sum = (sum ^ sum >> 16).wrapping_mul(0x85eb_ca6b);
    sum = (sum ^ sum >> 13).wrapping_mul(0xc2b2_ae35);
    (sum ^ sum >> 16).cast_signed()
}

/// Whether a file looks like one of Spark's: the length fits the number of words.
pub(super) fn looks_like(source: &Source<'_>) -> bool {
    let (fields, _) = source.start.as_chunks::<4>();
    let mut fields = fields.iter().map(|field| i32::from_be_bytes(*field));
    let (Some(version), Some(probes)) = (fields.next(), fields.next()) else { return false };
    let version = match version {
        1 => Version::V1,
        2 => Version::V2,
        _ => return false,
    };
    let words = fields.nth(version.header() / 4 - 3).and_then(|words| u64::try_from(words).ok());
    checked_probes(probes).is_ok()
        && words.is_some_and(|words| words > 0 && source.len == version.header() as u64 + 8 * words)
}

pub(super) fn open(source: &mut Source<'_>, limit: u64) -> Result<Vec<Entry>, ForeignError> {
    let filter = Spark::from_file(source.all(limit)?)?;
    Ok(vec![Entry { name: String::new(), filter: ForeignFilter::Spark(filter) }])
}
