//! Squid's cache digest: the URLs that a proxy has in its cache, for its siblings.
//!
//! ```text
//! 0    2  version: 5
//! 2    2  the oldest version that can read it: 3
//! 4    4  capacity
//! 8    4  entries
//! 12   4  entries removed since
//! 16   4  bytes of the mask: capacity × bits per entry / 8, rounded up
//! 20   1  bits per entry, `digest_bits_per_entry` of squid.conf
//! 21   1  probes: 4
//! 22 106  zeros
//! 128     the mask
//! ```
//!
//! Everything is big-endian. A key is the URL as it was requested, of the method GET: no `%` is
//! decoded, and a fragment stays. Squid 5.7 misreads the masks of its siblings beyond 128 bytes.

use super::bits::Bits;
use super::cursor::Cursor;
use super::info::Info;
use super::open::Source;
use super::write::bytes_of;
use super::{Entry, ForeignFilter, System};
use crate::error::ForeignError;
use crate::target::Target;
use std::io::{self, Write};

const HEADER: usize = 128;
const VERSION: u16 = 5;
/// The oldest version that Squid reads, and the one that a digest demands.
const OLDEST: u16 = 3;
/// An MD5 has four words.
const PROBES: u8 = 4;

/// A cache digest of Squid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Squid {
    header: Header,
    mask: Bits,
}

/// The fields of a header, each within its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    version: u16,
    oldest: u16,
    capacity: u32,
    entries: u32,
    removed: u32,
    bits_per_entry: u8,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Header, ForeignError> {
        let mut cursor = Cursor::new(bytes);
        let [version, oldest] = [cursor.u16()?, cursor.u16()?].map(u16::swap_bytes);
        if version < OLDEST {
            return Err(ForeignError::field("version", version, format!("at least {OLDEST}")));
        }
        if oldest > VERSION.min(version) {
            let (got, newest) = (oldest.into(), VERSION.into());
            return Err(ForeignError::Version { format: "Squid's cache digest", got, newest });
        }
        let mut number = |name, least| {
            let got = cursor.big_endian_i32()?;
            let number = u32::try_from(got).ok().filter(|number| *number >= least);
            number.ok_or_else(|| ForeignError::field(name, got, format!("{least} to 2^31 - 1")))
        };
        let (capacity, entries) = (number("capacity", 1)?, number("count", 0)?);
        let (removed, mask_size) = (number("del_count", 0)?, number("mask_size", 1)?);
        let [bits_per_entry, probes] = cursor.array()?;
        if bits_per_entry == 0 {
            return Err(ForeignError::field("bits_per_entry", bits_per_entry, "1 to 255"));
        }
        if probes != PROBES {
            return Err(ForeignError::field("hash_func_count", probes, PROBES));
        }
        if cursor.array::<106>()?.iter().any(|byte| *byte != 0) {
            return Err(ForeignError::Malformed("reserved bytes that are not 0"));
        }
        let header = Header { version, oldest, capacity, entries, removed, bits_per_entry };
        if u64::from(mask_size) != header.mask_bytes() {
            return Err(ForeignError::field("mask_size", mask_size, header.mask_bytes()));
        }
        Ok(header)
    }

    fn mask_bytes(&self) -> u64 {
        (u64::from(self.capacity) * u64::from(self.bits_per_entry)).div_ceil(8)
    }
}

impl Squid {
    /// An empty digest for as many URLs. The number of probes is fixed; the bits per entry follow
    /// from the false-positive rate, and are Squid's default of 5 for 9.2 %.
    pub fn new(target: Target) -> Result<Squid, ForeignError> {
        let fpr =
            |bits: u8| (1.0 - (-f64::from(PROBES) / f64::from(bits)).exp()).powi(PROBES.into());
        let bits_per_entry = (1..=u8::MAX).find(|bits| fpr(*bits) <= target.fpr());
        let bits_per_entry = bits_per_entry.ok_or_else(|| {
            let (got, least) = (target.fpr(), fpr(u8::MAX));
            let cause = format!(
                "a false-positive rate of {got:e}, and a digest of Squid has {least:.1e} at least, \
                 with 255 bits per entry"
            );
            ForeignError::Size { cause }
        })?;
        let (version, oldest, entries, removed) = (VERSION, OLDEST, 0, 0);
        let capacity = u32::try_from(target.items()).unwrap_or(u32::MAX);
        let header = Header { version, oldest, capacity, entries, removed, bits_per_entry };
        let bytes = header.mask_bytes();
        if target.items() > i32::MAX as u64 || bytes > i32::MAX as u64 {
            let items = target.items();
            let cause = format!(
                "{bytes} bytes for {items} entries, and a digest of Squid has at most 2^31 - 1 of both"
            );
            return Err(ForeignError::Size { cause });
        }
        Ok(Squid { header, mask: Bits::zeros(bytes * 8)? })
    }

    /// Reads a digest.
    pub fn from_bytes(bytes: &[u8]) -> Result<Squid, ForeignError> {
        Squid::from_file(bytes.to_vec())
    }

    fn from_file(mut file: Vec<u8>) -> Result<Squid, ForeignError> {
        let header = Header::read(&file)?;
        let mut cursor = Cursor::new(&file);
        cursor.take(HEADER as u64)?;
        cursor.take(header.mask_bytes())?;
        cursor.end()?;
        file.drain(..HEADER);
        Ok(Squid { header, mask: Bits::new(file, header.mask_bytes() * 8)? })
    }

    /// The bytes that Squid writes.
    pub fn to_bytes(&self) -> Vec<u8> {
        bytes_of(|out| self.write_to(out))
    }

    /// Writes these bytes, without a copy of them in memory.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let Header { version, oldest, capacity, entries, removed, bits_per_entry } = self.header;
        let mask_size = u32::try_from(self.mask.bytes().len()).unwrap_or(u32::MAX);
        let mut bytes = [version, oldest].map(u16::to_be_bytes).concat();
        bytes.extend([capacity, entries, removed, mask_size].iter().flat_map(|n| n.to_be_bytes()));
        bytes.extend([bits_per_entry, PROBES]);
        bytes.resize(HEADER, 0);
        out.write_all(&bytes)?;
        out.write_all(self.mask.bytes())
    }

    /// Whether a URL is in the cache, or looks as if it were.
    pub fn contains(&self, url: &[u8]) -> bool {
        self.positions(url).iter().all(|bit| self.mask.get(*bit))
    }

    /// Inserts a URL.
    pub fn insert(&mut self, url: &[u8]) {
        for bit in self.positions(url) {
            self.mask.set(bit);
        }
        // Squid counts with the sign.
        self.header.entries = self.header.entries.saturating_add(1).min(i32::MAX as u32);
    }

    fn positions(&self, url: &[u8]) -> [u64; PROBES as usize] {
        const GET: [u8; 1] = [1];
        let mut digest = md5::Context::new();
        digest.consume(GET);
        digest.consume(url);
        let hash = digest.finalize().0;
        let word =
            |at: usize| u32::from_be_bytes([hash[at], hash[at + 1], hash[at + 2], hash[at + 3]]);
        [0, 4, 8, 12].map(|at| u64::from(word(at)) % self.mask.len())
    }

    pub(super) fn info(&self) -> Info {
        let mut info = Info::of_bits(System::Squid, "cache digest", &self.mask, PROBES.into());
        info.capacity = Some(self.header.capacity.into());
        info.inserted = Some(self.header.entries.into());
        info.fields.push(("version", self.header.version.to_string()));
        info.fields.push(("bits per entry", self.header.bits_per_entry.to_string()));
        if self.header.removed > 0 {
            info.fields.push(("removals", self.header.removed.to_string()));
        }
        info
    }
}

/// Whether a file looks like a digest: its header's numbers fit each other, and 106 bytes are 0. A
/// truncated one is recognised, too.
pub(super) fn looks_like(source: &Source<'_>) -> bool {
    Header::read(&source.start).is_ok()
}

pub(super) fn open(source: &mut Source<'_>, limit: u64) -> Result<Vec<Entry>, ForeignError> {
    let filter = Squid::from_file(source.all(limit)?)?;
    Ok(vec![Entry { name: String::new(), filter: ForeignFilter::Squid(filter) }])
}
