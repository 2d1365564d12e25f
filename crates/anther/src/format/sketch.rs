//! The bytes of a sketch: a header, the set, and frames of symbols, each under its checksum.
//!
//! ```text
//! header  0  8  signature  89 41 4E 53 0D 0A 1A 0A
//!         8  2  version
//!        10  2  header length
//!        12  1  hash: 0 open seed, 1 secret key
//!        13  3  zeros
//!        16  8  seed, or check value of the secret key
//!        24     key recipe, as in the section `recipe`
//!        -8  8  checksum of all bytes before
//! set     0  8  number of distinct lines
//!         8  1  bytes of the longest line that travels whole
//!         9  1  1 if longer lines travel as hashes, otherwise 0
//!        10  6  zeros
//!        16  8  checksum
//! frame   0  2  number of symbols
//!         2     symbols
//!        -8  8  checksum
//! ```
//! The checksum of the set is seeded with the header's, that of a frame with the one before it. So
//! a frame counts only in its place, and a stream that ends anywhere is the frames before.

use super::recipe;
use crate::error::SketchError;
use crate::parts::hash::{Seed, SeedKind};
use crate::recipe::Recipe;
use std::io::{self, ErrorKind, Read};
use twox_hash::XxHash3_64;

const SIGNATURE: [u8; 8] = *b"\x89ANS\r\n\x1A\n";
/// The version that this release writes and reads.
pub const VERSION: u16 = 1;
const FIXED: usize = 24;
const CHECKSUM: usize = 8;
const HASH_OPEN: u8 = 0;
const HASH_KEYED: u8 = 1;

/// The most bytes of a frame's symbols: what a reader allocates before it has a checksum.
pub const MOST_IN_FRAME: usize = 1 << 16;

/// The header: how lines are hashed, and what of a list's lines is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct SketchHeader {
    /// How lines are hashed.
    pub seed: Seed,
    /// What the key is, and where it is in a record.
    pub recipe: Recipe,
}

/// What a sketch says about its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SketchSet {
    /// The number of distinct lines.
    pub lines: u64,
    /// Bytes of the longest line that travels whole: 0 to 254.
    pub whole: u8,
    /// Whether longer lines travel as hashes; otherwise there are none.
    pub hashed: bool,
}

/// Appends the checksum of bytes and returns it.
fn seal(bytes: &mut Vec<u8>, before: u64) -> u64 {
    let sum = XxHash3_64::oneshot_with_seed(before, bytes);
    bytes.extend(sum.to_le_bytes());
    sum
}

/// The header's bytes, and its checksum.
pub fn encode_header(header: &SketchHeader) -> Result<(Vec<u8>, u64), SketchError> {
    let (hash, seed) = match header.seed.kind() {
        SeedKind::Fixed => (HASH_OPEN, 0),
        SeedKind::Chosen(seed) => (HASH_OPEN, seed),
        SeedKind::Keyed { check } => (HASH_KEYED, check),
        _ => return Err(SketchError::Symbols(crate::error::TableError::Seed)),
    };
    let recipe = recipe::encode_section(&header.recipe);
    let len =
        u16::try_from(FIXED + 8 * recipe.len() + CHECKSUM).map_err(|_| SketchError::Recipe)?;
    if recipe::decode_words(&recipe).ok().as_ref() != Some(&header.recipe) {
        return Err(SketchError::Recipe);
    }
    let mut bytes = Vec::with_capacity(len.into());
    bytes.extend(SIGNATURE);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(len.to_le_bytes());
    bytes.extend([hash, 0, 0, 0]);
    bytes.extend(seed.to_le_bytes());
    bytes.extend(recipe.iter().flat_map(|word| word.to_le_bytes()));
    let sum = seal(&mut bytes, 0);
    Ok((bytes, sum))
}

/// The bytes of the set, and their checksum.
pub fn encode_set(set: SketchSet, before: u64) -> (Vec<u8>, u64) {
    let mut bytes = set.lines.to_le_bytes().to_vec();
    bytes.extend([set.whole, set.hashed.into(), 0, 0, 0, 0, 0, 0]);
    let sum = seal(&mut bytes, before);
    (bytes, sum)
}

/// The bytes of a frame, and their checksum.
pub fn encode_frame<S: AsRef<[u8]>>(symbols: &[S], before: u64) -> (Vec<u8>, u64) {
    let count = u16::try_from(symbols.len()).unwrap_or(u16::MAX);
    let mut bytes = count.to_le_bytes().to_vec();
    for symbol in &symbols[..count.into()] {
        bytes.extend_from_slice(symbol.as_ref());
    }
    let sum = seal(&mut bytes, before);
    (bytes, sum)
}

/// Reads the parts of a sketch, in order.
#[derive(Debug)]
pub struct PartReader<R> {
    source: R,
    /// Bytes of the parts that were read whole, and of all that were read.
    pub whole: u64,
    pub read: u64,
    /// The checksum of the part before.
    before: u64,
}

impl<R: Read> PartReader<R> {
    pub fn new(source: R) -> PartReader<R> {
        PartReader { source, whole: 0, read: 0, before: 0 }
    }

    /// Reads up to this many bytes: fewer at the end only.
    fn read(&mut self, len: usize, into: &mut Vec<u8>) -> io::Result<bool> {
        let start = into.len();
        into.resize(start + len, 0);
        let mut got = start;
        while got < into.len() {
            match self.source.read(&mut into[got..]) {
                Ok(0) => break,
                Ok(more) => got += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.read += (got - start) as u64;
        into.truncate(got);
        Ok(got == start + len)
    }

    /// Checks that a part ends with its checksum.
    fn verify(&mut self, bytes: &[u8], part: &'static str) -> Result<(), SketchError> {
        let mismatch = SketchError::Checksum { part, at: self.whole };
        let Some((bytes, sum)) = bytes.split_last_chunk::<CHECKSUM>() else { return Err(mismatch) };
        let sum = u64::from_le_bytes(*sum);
        if XxHash3_64::oneshot_with_seed(self.before, bytes) != sum {
            return Err(mismatch);
        }
        (self.before, self.whole) = (sum, self.read);
        Ok(())
    }

    /// The header, whose seed is locked if it is keyed.
    pub fn header(&mut self) -> Result<SketchHeader, SketchError> {
        let mut bytes = Vec::new();
        let is_whole = self.read(FIXED, &mut bytes)?;
        let known = bytes.len().min(SIGNATURE.len());
        if bytes.is_empty() || bytes[..known] != SIGNATURE[..known] {
            return Err(SketchError::NotSketch);
        }
        let field = |at: usize| match bytes.get(at..at + 2) {
            Some(&[low, high]) => Ok(u16::from_le_bytes([low, high])),
            _ => Err(SketchError::Truncated { bytes: bytes.len() as u64 }),
        };
        let (version, len) = (field(8)?, usize::from(field(10)?));
        if version != VERSION {
            return Err(SketchError::Version { got: version, ours: VERSION });
        }
        if len < FIXED + CHECKSUM || !len.is_multiple_of(8) {
            return Err(SketchError::Field("invalid header length"));
        }
        if !is_whole || !self.read(len - FIXED, &mut bytes)? {
            return Err(SketchError::Truncated { bytes: self.read });
        }
        self.verify(&bytes, "header")?;
        let (words, _) = bytes.as_chunks::<8>();
        let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let seed = match (&bytes[12..16], words[2]) {
            ([HASH_OPEN, 0, 0, 0], seed) => Seed::chosen(seed),
            ([HASH_KEYED, 0, 0, 0], check) => Seed::locked(check),
            _ => return Err(SketchError::Field("unknown hash")),
        };
        let recipe = recipe::decode_words(&words[FIXED / 8..words.len() - 1])?;
        Ok(SketchHeader { seed, recipe })
    }

    /// The set, which follows the header.
    pub fn set(&mut self) -> Result<SketchSet, SketchError> {
        let mut bytes = Vec::new();
        if !self.read(16 + CHECKSUM, &mut bytes)? {
            return Err(SketchError::Truncated { bytes: self.read });
        }
        self.verify(&bytes, "set")?;
        let (lines, rest) = bytes.split_first_chunk().unwrap_or((&[0; 8], &[]));
        match rest {
            [whole @ 0..=254, hashed @ (0 | 1), 0, 0, 0, 0, 0, 0, ..] => Ok(SketchSet {
                lines: u64::from_le_bytes(*lines),
                whole: *whole,
                hashed: *hashed == 1,
            }),
            _ => Err(SketchError::Field("invalid set")),
        }
    }

    /// The symbols of the next frame, `width` bytes each, one after the other; `None` at the end,
    /// or if the rest is no whole frame.
    pub fn frame(&mut self, width: usize, symbols: &mut Vec<u8>) -> Result<bool, SketchError> {
        symbols.clear();
        if !self.read(2, symbols)? {
            return Ok(false);
        }
        let count = usize::from(u16::from_le_bytes([symbols[0], symbols[1]]));
        let len = count * width;
        if count == 0 || len > MOST_IN_FRAME {
            // An unlikely accident; the checksum would come too late to tell.
            return Err(SketchError::Checksum { part: "frame", at: self.whole });
        }
        if !self.read(len + CHECKSUM, symbols)? {
            return Ok(false);
        }
        self.verify(symbols, "frame")?;
        symbols.truncate(2 + len);
        symbols.drain(..2);
        Ok(true)
    }
}
