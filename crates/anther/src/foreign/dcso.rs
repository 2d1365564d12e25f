//! Filters of DCSO's `bloom` for Go, and of `flor`, `fleur` and `poppy`, which share its files.
//!
//! ```text
//! 0   8  flags; the lowest byte is 1, the version
//! 8   8  n: keys that it was made for
//! 16  8  p: false-positive rate that it was made for, f64
//! 24  8  k: probes
//! 32  8  m: bits
//! 40  8  N: inserts that set a bit which was 0
//! 48     words of 64 bits, as many as m needs
//!        data of the user's own, up to the end
//! ```
//!
//! Everything is little-endian. The whole file may be compressed with gzip.

use super::bits::{Bits, checked_probes};
use super::cursor::Cursor;
use super::gzip;
use super::info::Info;
use super::open::Source;
use super::write::bytes_of;
use super::{Checksum, Entry, ForeignFilter, System};
use crate::error::ForeignError;
use crate::target::Target;
use std::io::{self, Read, Write};

const HEADER: usize = 48;
/// The most data of the user's own in a compressed file. There, a few bytes may become gigabytes.
const MOST_DATA: u64 = 64 << 20;

/// A filter of DCSO's `bloom`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dcso {
    flags: u64,
    target: (u64, f64),
    probes: u32,
    inserted: u64,
    /// The user's data is behind the bits.
    cells: Bits,
}

/// The fields of a header, each within its range.
struct Header {
    flags: u64,
    target: (u64, f64),
    probes: u32,
    bits: u64,
    inserted: u64,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Header, ForeignError> {
        let mut cursor = Cursor::new(bytes);
        let flags = cursor.u64()?;
        if flags & 0xff != 1 {
            return Err(ForeignError::field("version", flags & 0xff, 1));
        }
        let (items, fpr) = (cursor.u64()?, cursor.f64()?);
        let (probes, bits, inserted) = (cursor.u64()?, cursor.u64()?, cursor.u64()?);
        // Neither NaN nor a number so small that it has lost its digits.
        if !(f64::MIN_POSITIVE..1.0).contains(&fpr) {
            return Err(ForeignError::field("p", fpr, "above 0 and below 1"));
        }
        let probes = checked_probes(probes)?;
        for (name, number) in [("n", items), ("m", bits)] {
            if number == 0 {
                return Err(ForeignError::field(name, number, "at least 1"));
            }
        }
        Ok(Header { flags, target: (items, fpr), probes, bits, inserted })
    }

    /// The bytes of a file without its user's data.
    fn file_bytes(&self) -> u64 {
        HEADER as u64 + 8 * self.bits.div_ceil(64)
    }

    /// The filter of these words, and of the user's data behind them.
    fn filter(self, words: Vec<u8>) -> Result<Dcso, ForeignError> {
        if self.file_bytes() - HEADER as u64 > words.len() as u64 {
            return Err(ForeignError::Truncated);
        }
        let Header { flags, target, probes, bits, inserted } = self;
        Ok(Dcso { flags, target, probes, inserted, cells: Bits::new(words, bits)? })
    }

    /// Whether bits and probes are those for the target. One more or less may come of another
    /// logarithm.
    fn is_likely(&self) -> bool {
        let (bits, probes) = sized(self.target.0, self.target.1);
        self.bits.abs_diff(bits) <= 1 && u64::from(self.probes).abs_diff(probes) <= 1
    }
}

impl Dcso {
    /// An empty filter with the size that DCSO's program gives it.
    pub fn new(target: Target) -> Result<Dcso, ForeignError> {
        let (bits, probes) = sized(target.items(), target.fpr());
        let probes = checked_probes(probes.max(1)).map_err(ForeignError::asked)?;
        let bits = bits.max(1);
        let cells = Bits::new(super::zeroed(8 * bits.div_ceil(64))?, bits)?;
        let target = (target.items(), target.fpr());
        Ok(Dcso { flags: 1, target, probes, inserted: 0, cells })
    }

    /// With this as the user's data.
    #[must_use]
    pub fn with_data(mut self, data: &[u8]) -> Dcso {
        let end = self.data_start();
        self.cells.replace_after(end, data);
        self
    }

    /// The user's data.
    pub fn data(&self) -> &[u8] {
        &self.cells.bytes()[self.data_start()..]
    }

    /// Words were there when the filter was made.
    fn data_start(&self) -> usize {
        let words = usize::try_from(self.cells.len().div_ceil(64)).unwrap_or(usize::MAX);
        words.saturating_mul(8).min(self.cells.bytes().len())
    }

    /// Reads a filter, which may be compressed. Fails if it needs more than `limit` bytes.
    pub fn from_bytes(bytes: &[u8], limit: u64) -> Result<Dcso, ForeignError> {
        match gzip::is_gzip(bytes) {
            true => Dcso::from_gzip(bytes, limit),
            false => Dcso::from_file(bytes.to_vec()),
        }
    }

    /// Reads a compressed filter. Its header comes first: what is wrong by then is not decompressed,
    /// since a few bytes may become any number of them.
    fn from_gzip(file: impl Read, limit: u64) -> Result<Dcso, ForeignError> {
        let mut stream = gzip::Decompressed::new(file);
        let mut start = Vec::new();
        stream.append(&mut start, HEADER as u64)?;
        let header = Header::read(&start)?;
        let cells = header.file_bytes() - HEADER as u64;
        if cells > limit {
            return Err(ForeignError::TooLarge { bytes: cells, limit });
        }
        let mut bytes = Vec::new();
        stream.append(&mut bytes, cells)?;
        let most = MOST_DATA.min(limit - cells);
        if bytes.len() as u64 == cells && stream.append(&mut bytes, most + 1)? > most {
            return Err(ForeignError::Data { limit: most });
        }
        header.filter(bytes)
    }

    fn from_file(mut file: Vec<u8>) -> Result<Dcso, ForeignError> {
        let header = Header::read(&file)?;
        file.drain(..HEADER);
        header.filter(file)
    }

    /// The bytes that DCSO's program writes, not compressed.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes_of(|out| self.write_to(out))
    }

    /// Writes these bytes, without a copy of them in memory.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let (items, fpr) = self.target;
        let probes = self.probes.into();
        let fields = [self.flags, items, fpr.to_bits(), probes, self.cells.len(), self.inserted];
        out.write_all(fields.map(u64::to_le_bytes).as_flattened())?;
        out.write_all(self.cells.bytes())
    }

    /// Whether a key is in the filter, or looks as if it were.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.positions(key).all(|bit| self.cells.get(bit))
    }

    /// Inserts a key. It counts if it sets a bit.
    pub fn insert(&mut self, key: &[u8]) {
        let mut is_new = false;
        for bit in self.positions(key) {
            is_new |= self.cells.set(bit);
        }
        self.inserted = self.inserted.saturating_add(is_new.into());
    }

    fn positions(&self, key: &[u8]) -> impl Iterator<Item = u64> + use<> {
        const MODULUS: u64 = 18_446_744_073_709_551_557;
        const FACTOR: u64 = 18_446_744_073_709_550_147;
        let bits = self.cells.len();
        let next = |hash: &u64| Some(hash.wrapping_mul(FACTOR) % MODULUS);
        let hashes = std::iter::successors(Some(fnv1(key) % MODULUS), next).skip(1);
        hashes.map(move |hash| hash % bits).take(self.probes as usize)
    }

    pub(super) fn info(&self) -> Info {
        let mut info = Info::of_bits(System::Dcso, "version 1", &self.cells, self.probes);
        (info.capacity, info.target_fpr) = (Some(self.target.0), Some(self.target.1));
        info.inserted = Some(self.inserted);
        if self.flags != 1 {
            info.fields.push(("flags", format!("{:#x}", self.flags)));
        }
        if !self.data().is_empty() {
            info.fields.push(("data", format!("{} bytes", self.data().len())));
        }
        info
    }
}

/// Bits and probes for these keys, by the formulas of DCSO's program: bits are rounded down.
#[expect(clippy::cast_possible_truncation, reason = "as in Go; what is too large saturates")]
fn sized(items: u64, fpr: f64) -> (u64, u64) {
    const LN_2: f64 = std::f64::consts::LN_2;
    let bits = (items as f64 * fpr.ln() / (LN_2 * LN_2)).ceil().abs() as u64;
    (bits, (LN_2 * bits as f64 / items as f64).ceil() as u64)
}

/// FNV-1 with 64 bits.
fn fnv1(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(*byte)
    })
}

/// Whether a file looks like one of these: the header's numbers fit each other. The length may be any,
/// and a truncated file is recognised, too.
pub(super) fn looks_like(source: &Source<'_>) -> bool {
    let header = match gzip::is_gzip(&source.start) {
        true => Header::read(&gzip::first_bytes(&source.start, HEADER)),
        false => Header::read(&source.start),
    };
    header.is_ok_and(|header| header.is_likely())
}

/// Of a file that was opened: gzip has a checksum, which was compared at its end.
pub(super) fn checksum(source: &Source<'_>) -> Checksum {
    match gzip::is_gzip(&source.start) {
        true => Checksum::Verified,
        false => Checksum::Absent,
    }
}

pub(super) fn open(source: &mut Source<'_>, limit: u64) -> Result<Vec<Entry>, ForeignError> {
    let filter = match gzip::is_gzip(&source.start) {
        true => Dcso::from_gzip(source.stream()?, limit)?,
        false => Dcso::from_file(source.all(limit)?)?,
    };
    Ok(vec![Entry { name: String::new(), filter: ForeignFilter::Dcso(filter) }])
}
