//! Sketches: the rateless stream of a list of lines, as a file or a pipe has it.
//!
//! A sketch is a header, what it says about its list, and [symbols](super::rateless) in frames,
//! each under a checksum. It has no end: any prefix is useful, and a longer one finds more
//! differences. FORMAT.md has its bytes.
//!
//! A cell has room for the longest line, up to a limit (64 bytes by default). Longer lines travel
//! as hashes of 128 bits: the receiver learns that such a line is missing, and asks for it. Where
//! strangers choose lines, use [`Seed::keyed`].
//!
//! ```
//! use anther::Seed;
//! use anther::iblt::sketch::{Comparison, SketchHeader, SketchReader, SketchWriter};
//!
//! let header = SketchHeader { seed: Seed::FIXED, recipe: Default::default() };
//! let theirs = [&b"anther"[..], b"petal", b"sepal"];
//! let mut sketch = Vec::new();
//! let (mut writer, head) = SketchWriter::new(&header, &theirs, 64)?;
//! sketch.extend(head);
//! (0..4).for_each(|_| sketch.extend(writer.frame()));
//!
//! let mut reader = SketchReader::open(&sketch[..], None)?;
//! let set = reader.set()?;
//! let ours = [&b"anther"[..], b"petal", b"stamen"];
//! let mut comparison = Comparison::new(set, &ours, reader.header().seed)?;
//! while !comparison.is_done() && reader.frame(&mut comparison)? {}
//! let difference = comparison.difference()?;
//! assert_eq!((difference.ours.len(), difference.theirs.len()), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::format::sketch::{SketchHeader, SketchSet};

use super::element::Strings;
use super::rateless::{Decoder, Encoder};
use super::table::Difference;
use crate::error::SketchError;
use crate::format::sketch::{self as parts, PartReader};
use crate::parts::hash::{Seed, SeedKind};
use crate::sizing::iblt::{rateless_enough, rateless_symbols};
use std::borrow::Cow;
use std::io::Read;

/// Bytes of the symbols in a frame, about: a truncated stream loses at most one frame, and the
/// checksum adds 1 %.
const FRAME: usize = 1 << 10;

/// The bytes of a frame around its symbols: their number, and the checksum.
const AROUND: u64 = 10;

/// The hash of a line that does not travel whole.
pub type LineHash = [u8; 16];

/// A line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SketchedLine {
    /// The line.
    Whole(Vec<u8>),
    /// The hash of a line that is too long.
    Hash(LineHash),
}

/// The hash that a line travels as if it is too long: [128 bits](Seed::hash_bytes_again).
///
/// # Panics
/// If the seed [cannot hash](Seed::can_hash).
pub fn line_hash(line: &[u8], seed: &Seed) -> LineHash {
    let (low, high) = (seed.hash_bytes(line).0, seed.hash_bytes_again(line).0);
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

impl SketchSet {
    /// The longest possible line that travels whole: a length byte has to tell it from a hash.
    pub const MOST_WHOLE: usize = 254;
    /// The default for the longest line that travels whole.
    pub const WHOLE: usize = 64;

    /// For lines of these lengths, of which those up to `most` bytes travel whole. The number of
    /// lines is still 0.
    pub fn of(lengths: impl IntoIterator<Item = usize>, most: usize) -> SketchSet {
        let most = most.min(SketchSet::MOST_WHOLE);
        let mut set = SketchSet { lines: 0, whole: 0, hashed: false };
        for len in lengths {
            match u8::try_from(len) {
                Ok(short) if len <= most => set.whole = set.whole.max(short),
                _ => set.hashed = true,
            }
        }
        set
    }

    /// The elements of its symbols. With hashes, those of the longest possible length are hashes.
    pub fn elements(&self) -> Strings {
        let whole = usize::from(self.whole);
        let longest = if self.hashed { whole.max(size_of::<LineHash>()) + 1 } else { whole.max(1) };
        Strings::of_bytes(longest)
    }

    /// Bytes per symbol.
    pub fn symbol_bytes(&self) -> usize {
        super::cells::Layout::of(&self.elements()).bytes()
    }

    /// The element of a line; `None` if it is longer than every line of the set.
    pub fn element<'a>(&self, line: &'a [u8], seed: &Seed) -> Option<Cow<'a, [u8]>> {
        if line.len() <= self.whole.into() {
            return Some(Cow::Borrowed(line));
        }
        if !self.hashed {
            return None;
        }
        let mut element = line_hash(line, seed).to_vec();
        element.resize(self.elements().longest(), 0);
        Some(Cow::Owned(element))
    }

    /// The line of an element.
    fn line(&self, element: &[u8]) -> Result<SketchedLine, SketchError> {
        if element.len() <= self.whole.into() {
            return Ok(SketchedLine::Whole(element.to_vec()));
        }
        match element.split_first_chunk() {
            Some((hash, rest))
                if self.hashed
                    && element.len() == self.elements().longest()
                    && rest.iter().all(|byte| *byte == 0) =>
            {
                Ok(SketchedLine::Hash(*hash))
            }
            _ => Err(SketchError::Forged("a line that such a list cannot have")),
        }
    }

    /// Bytes of a sketch that finds this many differences 99 times in a hundred, without its
    /// header.
    pub fn bytes_for(&self, difference: u64) -> u64 {
        let symbols = rateless_symbols(difference);
        let width = self.symbol_bytes() as u64;
        // The first ones are shorter.
        let frames = symbols.saturating_mul(width) / FRAME as u64 + 6;
        symbols.saturating_mul(width).saturating_add(frames.saturating_mul(AROUND))
    }
}

/// Writes a sketch, frame by frame, without end.
#[derive(Debug)]
pub struct SketchWriter {
    encoder: Encoder<Strings>,
    set: SketchSet,
    /// The checksum of the part before.
    before: u64,
    /// The symbols of the next frame.
    next: usize,
    symbols: u64,
}

impl SketchWriter {
    /// The writer for these lines, and the bytes that come first. Lines of up to `most` bytes travel
    /// whole. Duplicates count once. It stores the lines: 24 bytes each, and the longest that
    /// travels whole, in whole words.
    pub fn new<L: AsRef<[u8]>>(
        header: &SketchHeader,
        lines: &[L],
        most: usize,
    ) -> Result<(SketchWriter, Vec<u8>), SketchError> {
        let (mut head, before) = parts::encode_header(header)?;
        let set = SketchSet::of(lines.iter().map(|line| line.as_ref().len()), most);
        let lines = lines.iter().map(AsRef::as_ref);
        let (writer, bytes) = SketchWriter::after(before, set, lines, &header.seed)?;
        head.extend(bytes);
        Ok((writer, head))
    }

    /// The same in two steps: the header can be sent before the list is read.
    pub fn after<'a>(
        header_checksum: u64,
        set: SketchSet,
        lines: impl IntoIterator<Item = &'a [u8]>,
        seed: &Seed,
    ) -> Result<(SketchWriter, Vec<u8>), SketchError> {
        let encoder =
            Encoder::of_bytes(set.elements(), lines, seed, |line| set.element(line, seed))?;
        let set = SketchSet { lines: encoder.len() as u64, ..set };
        let (bytes, before) = parts::encode_set(set, header_checksum);
        Ok((SketchWriter { encoder, set, before, next: 1, symbols: 0 }, bytes))
    }

    /// The header's bytes, and its checksum for [`after`](SketchWriter::after).
    pub fn header(header: &SketchHeader) -> Result<(Vec<u8>, u64), SketchError> {
        parts::encode_header(header)
    }

    /// The next frame: of one symbol first, then of 2, 4 and so on, up to a kilobyte.
    pub fn frame(&mut self) -> Vec<u8> {
        self.frame_of(u64::MAX)
    }

    /// The same with at most this many symbols, and at least one.
    pub fn frame_of(&mut self, most: u64) -> Vec<u8> {
        let full = (FRAME / self.set.symbol_bytes()).max(1);
        let count = usize::try_from(most).unwrap_or(full).clamp(1, self.next.min(full));
        let symbols: Vec<_> = self.encoder.by_ref().take(count).collect();
        self.next = (2 * self.next).min(full);
        self.symbols += symbols.len() as u64;
        let (bytes, sum) = parts::encode_frame(&symbols, self.before);
        self.before = sum;
        bytes
    }

    /// How many symbols a frame of at most this many bytes has room for.
    pub fn symbols_in(&self, bytes: u64) -> u64 {
        bytes.saturating_sub(AROUND) / self.set.symbol_bytes() as u64
    }

    /// What it says about its list.
    pub fn set(&self) -> SketchSet {
        self.set
    }

    /// Symbols written so far.
    pub fn symbols(&self) -> u64 {
        self.symbols
    }
}

/// Reads a sketch while it arrives.
#[derive(Debug)]
pub struct SketchReader<R> {
    parts: PartReader<R>,
    header: SketchHeader,
    symbols: Vec<u8>,
}

impl<R: Read> SketchReader<R> {
    /// Reads the header. A keyed sketch needs its key, and no other takes one.
    pub fn open(source: R, key: Option<Seed>) -> Result<SketchReader<R>, SketchError> {
        let mut reader = SketchReader::open_locked(source)?;
        reader.unlock(key)?;
        Ok(reader)
    }

    /// The same for a sketch of which nobody knows whether it is keyed. [`unlock`] it before use.
    ///
    /// [`unlock`]: SketchReader::unlock
    pub fn open_locked(source: R) -> Result<SketchReader<R>, SketchError> {
        let mut parts = PartReader::new(source);
        let header = parts.header()?;
        Ok(SketchReader { parts, header, symbols: Vec::new() })
    }

    /// Whether it takes a secret key.
    pub fn is_keyed(&self) -> bool {
        matches!(self.header.seed.kind(), SeedKind::Keyed { .. })
    }

    /// Checks the secret key.
    pub fn unlock(&mut self, key: Option<Seed>) -> Result<(), SketchError> {
        match (self.is_keyed(), key) {
            (false, None) => {}
            (false, Some(_)) => return Err(SketchError::NotKeyed),
            (true, None) => return Err(SketchError::KeyNeeded),
            (true, Some(key)) if key.kind() != self.header.seed.kind() => {
                return Err(SketchError::WrongKey);
            }
            (true, Some(key)) => self.header.seed = key,
        }
        Ok(())
    }

    /// How its lines are hashed, and what of its list's lines is compared.
    pub fn header(&self) -> &SketchHeader {
        &self.header
    }

    /// Reads what it says about its list.
    pub fn set(&mut self) -> Result<SketchSet, SketchError> {
        self.parts.set()
    }

    /// Reads the next frame into a comparison; false at the end.
    pub fn frame(&mut self, into: &mut Comparison) -> Result<bool, SketchError> {
        let width = into.set.symbol_bytes();
        if !self.parts.frame(width, &mut self.symbols)? {
            return Ok(false);
        }
        self.symbols.chunks(width).try_for_each(|symbol| into.push(symbol))?;
        Ok(true)
    }

    /// Reads the rest without comparing it, and verifies every checksum. Says what it says about its
    /// list, and how many symbols it has. A sketch that ends within a frame is as good as one without
    /// that frame; [`bytes`](SketchReader::bytes) are those before.
    pub fn verify(&mut self) -> Result<(SketchSet, u64), SketchError> {
        let set = self.set()?;
        let (width, mut symbols) = (set.symbol_bytes(), 0);
        while self.parts.frame(width, &mut self.symbols)? {
            symbols += (self.symbols.len() / width) as u64;
        }
        Ok((set, symbols))
    }

    /// Bytes of the parts that arrived whole.
    pub fn bytes(&self) -> u64 {
        self.parts.whole
    }
}

/// Compares a list with a sketch.
#[derive(Debug)]
pub struct Comparison {
    decoder: Decoder<Strings>,
    set: SketchSet,
    /// The most symbols that a difference can take.
    most: u64,
}

impl Comparison {
    /// Compares these lines with the list of a sketch.
    pub fn new<L: AsRef<[u8]>>(
        set: SketchSet,
        lines: &[L],
        seed: Seed,
    ) -> Result<Comparison, SketchError> {
        Comparison::of(set, lines.iter().map(AsRef::as_ref), seed)
    }

    /// The same for any iterator. A line that is longer than all of the sketch's is not compared:
    /// [`SketchSet::element`] says which.
    pub fn of<'a>(
        set: SketchSet,
        lines: impl IntoIterator<Item = &'a [u8]>,
        seed: Seed,
    ) -> Result<Comparison, SketchError> {
        let own = Encoder::of_bytes(set.elements(), lines, &seed, |line| set.element(line, &seed))?;
        let all = set.lines.saturating_add(own.len() as u64);
        // Twice what suffices 99 times in a hundred: never seen to be too few.
        let most = rateless_symbols(all).saturating_mul(2);
        Ok(Comparison { decoder: Decoder::of(own, seed), set, most })
    }

    fn push(&mut self, symbol: &[u8]) -> Result<(), SketchError> {
        if self.is_done() {
            return Ok(());
        }
        if self.decoder.symbols() == 0 && !self.counts(symbol) {
            return Err(SketchError::Forged("the first symbol counts another number of lines"));
        }
        let symbols = self.decoder.symbols() as u64;
        if symbols >= self.most {
            return Err(SketchError::Endless { symbols });
        }
        self.decoder.push(symbol)?;
        Ok(())
    }

    /// Whether a symbol's count is the number of lines, modulo 2³².
    fn counts(&self, symbol: &[u8]) -> bool {
        symbol.get(8..12) == self.set.lines.to_le_bytes().get(..4)
    }

    /// Whether all differences are found.
    pub fn is_done(&self) -> bool {
        self.decoder.is_done()
    }

    /// Symbols received.
    pub fn symbols(&self) -> u64 {
        self.decoder.symbols() as u64
    }

    /// The number of distinct lines of ours that are compared.
    pub fn lines(&self) -> u64 {
        self.decoder.own_len() as u64
    }

    /// About how many lines differ, from the symbols so far.
    pub fn estimate(&self) -> u64 {
        self.decoder.estimate()
    }

    /// A number of differences that the real one exceeds once in a hundred times, for the size of a
    /// longer sketch.
    pub fn enough(&self) -> u64 {
        let all = self.lines().saturating_add(self.set.lines);
        rateless_enough(self.estimate(), self.symbols()).min(all)
    }

    /// The differences found so far, sorted.
    pub fn difference(&self) -> Result<Difference<SketchedLine>, SketchError> {
        let found = self.decoder.found();
        let lines = |elements: &[Vec<u8>]| -> Result<Vec<SketchedLine>, SketchError> {
            let mut lines =
                elements.iter().map(|it| self.set.line(it)).collect::<Result<Vec<_>, _>>()?;
            lines.sort();
            Ok(lines)
        };
        let difference = Difference { ours: lines(&found.ours)?, theirs: lines(&found.theirs)? };
        let common = self.lines().checked_sub(difference.ours.len() as u64);
        let theirs = common.map(|common| common + difference.theirs.len() as u64);
        if self.is_done() && theirs != Some(self.set.lines) {
            return Err(SketchError::Forged("the differences are not those of the list's length"));
        }
        Ok(difference)
    }
}
