//! Cassandra's `Filter.db`, the Bloom filter of an sstable's partition keys.
//!
//! ```text
//! 0  4  probes, big-endian
//! 4  4  words, big-endian
//! 8     words of 64 bits
//! ```
//!
//! The file does not say how its words are written and in which order the two halves of the hash
//! are used. Both follow from the [`Sstable`]'s version, which is in the file's name:
//! `nb-1-big-Filter.db`.
//!
//! | Version | Cassandra | Words | Halves of the hash |
//! |---|---|---|---|
//! | `ia` to `lb` | 1.2 to 2.2 | big-endian | first, then second |
//! | `ma` to `me` | 3.0, 3.11 | big-endian | second, then first |
//! | `na` to `oa`, `da` of BTI | 4.0 to 5.0 | bytes in order | second, then first |
//!
//! Pre-releases of 3.0 called their sstables `la`, but hashed as `ma`: open these with the version
//! `ma`.
//!
//! A key is the serialised partition key: UTF-8 of text, big-endian integers.

use super::bits::{Bits, checked_probes};
use super::cursor::Cursor;
use super::info::Info;
use super::murmur3::murmur3_128;
use super::open::Source;
use super::{Entry, ForeignFilter, System, spark};
use crate::error::ForeignError;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

const HEADER: usize = 8;

/// The versions that there are, up to Cassandra 5.0. Another one may have another hash. The error names
/// them, too.
const VERSIONS: [&str; 18] = [
    "ia", "ib", "ic", "ja", "jb", "ka", "la", "lb", "ma", "mb", "mc", "md", "me", "na", "nb", "nc",
    "oa", "da",
];

/// The version of an sstable: `nb`.
///
/// ```
/// use anther::foreign::cassandra::Sstable;
///
/// let version: Sstable = "nb".parse()?;
/// assert_eq!(version.to_string(), "nb");
/// assert_eq!(Sstable::of_file("nb-1-big-Filter.db"), Some(version));
/// # Ok::<(), anther::ForeignError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sstable([u8; 2]);

impl Sstable {
    /// The version that is in a file's name, if it has one: `ks-table-ka-1-Filter.db` until 2.1,
    /// then `nb-1-big-Filter.db` and `da-1-bti-Filter.db`.
    pub fn of_file(path: impl AsRef<Path>) -> Option<Sstable> {
        Sstable::named(path.as_ref())?.ok()
    }

    /// The same; a version that is not known is an error.
    fn named(path: &Path) -> Option<Result<Sstable, ForeignError>> {
        let name = path.file_name()?.to_str()?.strip_suffix("-Filter.db")?;
        let parts: Vec<&str> = name.split('-').collect();
        let (version, is_bti) = match parts[..] {
            [.., version, _, "big"] => (version, false),
            [.., version, _, "bti"] => (version, true),
            [.., version, generation] if generation.parse::<u64>().is_ok() => (version, false),
            _ => return None,
        };
        let version: Result<Sstable, _> = version.parse();
        Some(version).filter(|version| version.as_ref().map_or(true, |it| it.is_bti() == is_bti))
    }

    fn is_bti(self) -> bool {
        self.0[0] == b'd'
    }

    fn has_raw_bytes(self) -> bool {
        self.is_bti() || self.0[0] >= b'n'
    }

    fn begins_with_second_half(self) -> bool {
        self.is_bti() || self.0[0] >= b'm'
    }
}

impl FromStr for Sstable {
    type Err = ForeignError;

    /// From two letters: `ia` to `oa`, or `da` of BTI. A version that there is not is refused: its
    /// hash would be guessed.
    fn from_str(text: &str) -> Result<Sstable, ForeignError> {
        match *text.as_bytes() {
            [first, second] if VERSIONS.contains(&text) => Ok(Sstable([first, second])),
            _ => Err(ForeignError::SstableVersion { got: text.to_string() }),
        }
    }
}

impl fmt::Display for Sstable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|letter| write!(f, "{}", char::from(*letter)))
    }
}

/// A filter of Cassandra.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cassandra {
    version: Sstable,
    probes: u32,
    cells: Bits,
}

impl Cassandra {
    /// Reads the filter of an sstable of this version.
    pub fn from_bytes(bytes: &[u8], version: Sstable) -> Result<Cassandra, ForeignError> {
        Cassandra::from_file(bytes.to_vec(), version)
    }

    fn from_file(file: Vec<u8>, version: Sstable) -> Result<Cassandra, ForeignError> {
        let mut cursor = Cursor::new(&file);
        let probes = checked_probes(cursor.big_endian_i32()?)?;
        let words = cursor.big_endian_i32()?;
        let cells = Bits::after_header(file, HEADER, words)?;
        let cells = if version.has_raw_bytes() { cells } else { cells.with_reversed_words() };
        Ok(Cassandra { version, probes, cells })
    }

    /// Whether a partition key is in the filter, or looks as if it were.
    pub fn contains(&self, key: &[u8]) -> bool {
        let hash = murmur3_128(key, |byte| i64::from(byte.cast_signed()).cast_unsigned());
        let [mut sum, mut step] = hash.map(u64::cast_signed);
        if self.version.begins_with_second_half() {
            (sum, step) = (step, sum);
        }
        let bits = self.cells.len().cast_signed();
        (0..i64::from(self.probes)).all(|probe| {
            let position = sum.wrapping_add(probe.wrapping_mul(step)) % bits;
            self.cells.get(position.unsigned_abs())
        })
    }

    pub(super) fn info(&self) -> Info {
        let format = match (self.version.has_raw_bytes(), self.version.begins_with_second_half()) {
            (true, _) => "Filter.db of 4.0 and later",
            (false, true) => "Filter.db of 3.0 and 3.11",
            (false, false) => "Filter.db of 1.2 to 2.2",
        };
        let mut info = Info::of_bits(System::Cassandra, format, &self.cells, self.probes);
        info.fields.push(("sstable", self.version.to_string()));
        info
    }
}

/// Whether a file looks like one of Cassandra's: the length fits the number of words, and there are
/// no more probes than Cassandra ever uses. A filter of Spark may look the same, but not the other
/// way round: that would take words of the right value.
pub(super) fn looks_like(source: &Source<'_>) -> bool {
    /// Cassandra's tables end at 20 bits per key, which have 14 probes.
    const MOST: i32 = 20;
    let mut cursor = Cursor::new(&source.start);
    let (Ok(probes), Ok(words)) = (cursor.big_endian_i32(), cursor.big_endian_i32()) else {
        return false;
    };
    let bytes = u64::try_from(words).map_or(0, |words| words * 8);
    (1..=MOST).contains(&probes)
        && bytes > 0
        && source.len == HEADER as u64 + bytes
        && !spark::looks_like(source)
}

pub(super) fn open(
    source: &mut Source<'_>,
    version: Option<Sstable>,
    limit: u64,
) -> Result<Vec<Entry>, ForeignError> {
    let version = version.map(Ok).or_else(|| source.path.and_then(Sstable::named));
    let version = version.ok_or(ForeignError::NoSstableVersion)??;
    let filter = Cassandra::from_file(source.all(limit)?, version)?;
    Ok(vec![Entry { name: String::new(), filter: ForeignFilter::Cassandra(filter) }])
}
