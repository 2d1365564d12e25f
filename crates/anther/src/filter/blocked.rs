//! The blocked Bloom filter: all probes of a key within one 512-bit line (Putze, Sanders and
//! Singler 2007).
//!
//! **For**: nearly everything; the default kind. A query touches one cache line, so it costs one
//! memory access however large the filter. **Not for** rates below 10⁻⁵, where lines that hold
//! more keys than the average cost too much: +3 % over classic at 1 %, +8 % at 0.1 %, +14 % at
//! 10⁻⁴, +23 % at 10⁻⁵, +34 % at 10⁻⁶.
//!
//! The rate is [`sizing::blocked::line_rate`](crate::sizing::blocked::line_rate).

use super::plain::{PlainBits, Row, merge, plumbing::Plumbing};
use crate::error::{Full, LoadError, Mismatch, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kinds::Kind;
use crate::parts::bits::Bits;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Line;
use crate::profile::{About, Profile};
use crate::sizing::{blocked as sizing, estimate};
use crate::target::{Probes, Shape, Target};
use crate::traits::{Filter, ForTarget, Insert, Merge};

/// The blocked Bloom filter.
///
/// ```
/// use anther::{Blocked, Target};
///
/// let mut seen = Blocked::new(Target::new(1_000_000, 0.01)?)?;
/// assert!(seen.profile().bits_per_key().unwrap() < 9.99);
/// seen.extend(["https://example.org/", "https://example.com/"]);
/// assert!(seen.contains("https://example.org/"));
/// assert!(!seen.contains("https://example.net/"));
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    probes: Line,
    row: Row,
}

/// 2³⁷ lines are 8 TiB.
const MAX_LINES: u64 = 1 << 37;

impl Blocked {
    /// An empty filter of a given size, in whole lines.
    pub fn with_shape(shape: Shape, seed: Seed) -> Result<Blocked, SizeError> {
        let lines = shape.units(Line::BITS);
        if lines == 0 {
            return Err(SizeError::TooSmall { kind: Kind::Blocked, least: Line::BITS });
        }
        let probes = match shape.probes {
            Probes::Given(probes) => probes,
            Probes::BestFor(items) => sizing::best_line_probes(lines, items),
        };
        Blocked::sized(lines, probes, seed, None)
    }

    fn sized(
        lines: u64,
        probes: u32,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Blocked, SizeError> {
        if lines > MAX_LINES {
            return Err(too_large());
        }
        if !(1..=Line::MAX_PROBES).contains(&probes) {
            return Err(SizeError::Probes {
                kind: Kind::Blocked,
                got: probes,
                least: 1,
                most: Line::MAX_PROBES,
            });
        }
        let row = Row::zeroed(lines * Line::BITS, seed, target)?;
        Ok(Blocked { probes: Line::new(lines, probes), row })
    }

    /// The first word of the key's line.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "below the number of words in memory")]
    fn first_word(&self, key: KeyHash) -> usize {
        self.probes.line(key) as usize * Line::WORDS
    }

    #[inline]
    fn put(&mut self, key: KeyHash) -> bool {
        let first = self.first_word(key);
        let line = &mut self.row.for_insert()[first..first + Line::WORDS];
        let mut new = false;
        self.probes.each(key, |place| {
            let (word, mask) = (place as usize / 64, 1 << (place % 64));
            new |= line[word] & mask == 0;
            line[word] |= mask;
        });
        new
    }
}

fn too_large() -> SizeError {
    SizeError::TooLarge { kind: Kind::Blocked, most: MAX_LINES * Line::BITS }
}

impl Filter for Blocked {
    fn about(&self) -> &About {
        &self.row.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        let first = self.first_word(key);
        let line = &self.row.bits.words()[first..first + Line::WORDS];
        self.probes.all(key, |place| line[place as usize / 64] >> (place % 64) & 1 == 1)
    }

    fn profile(&self) -> Profile {
        let probes = self.probes.probes();
        let (mut ones, mut rates) = (0, 0.0);
        for line in self.row.bits.words().chunks_exact(Line::WORDS) {
            let in_line: u32 = line.iter().map(|word| word.count_ones()).sum();
            ones += u64::from(in_line);
            rates += (f64::from(in_line) / Line::BITS as f64).powi(probes.cast_signed());
        }
        Profile {
            kind: Kind::Blocked,
            items: self.estimate(ones),
            inserted: self.row.about.inserted,
            bits: self.row.bits.len(),
            probes,
            target: self.row.about.target,
            fpr_now: rates / self.probes.lines() as f64,
            fill: ones as f64 / self.row.bits.len() as f64,
            seed: self.row.about.seed,
        }
    }
}

impl Insert for Blocked {
    #[inline]
    fn insert_hash(&mut self, key: KeyHash) -> Result<bool, Full> {
        Ok(self.put(key))
    }
}

impl ForTarget for Blocked {
    fn with_seed(target: Target, seed: Seed) -> Result<Blocked, SizeError> {
        let (items, fpr) = (target.items(), target.fpr());
        if fpr < sizing::MIN_FPR {
            let least = sizing::MIN_FPR;
            return Err(SizeError::Fpr { kind: Kind::Blocked, got: fpr, least });
        }
        let size = sizing::size_lines(items, fpr, MAX_LINES).ok_or(too_large())?;
        Blocked::sized(size.lines, size.probes, seed, Some(target))
    }
}

impl Merge for Blocked {
    fn merge(&mut self, other: &Blocked) -> Result<(), Mismatch> {
        merge(self, other)
    }
}

impl PlainBits for Blocked {}

impl Plumbing for Blocked {
    fn row(&self) -> &Row {
        &self.row
    }

    fn row_mut(&mut self) -> &mut Row {
        &mut self.row
    }

    fn probes(&self) -> u32 {
        self.probes.probes()
    }

    fn units(&self) -> u64 {
        self.probes.lines()
    }

    fn resized(&self, lines: u64, row: Row) -> Blocked {
        Blocked { probes: Line::new(lines, self.probes.probes()), row }
    }

    fn estimate(&self, ones: u64) -> estimate::Estimate {
        estimate::line(self.probes.lines(), self.probes.probes(), ones)
    }

    fn each_mask(&self, key: KeyHash, mut visit: impl FnMut(usize, u64)) {
        let first = self.first_word(key);
        self.probes.each(key, |place| visit(first + place as usize / 64, 1 << (place % 64)));
    }

    fn all_masks(&self, key: KeyHash, mut test: impl FnMut(usize, u64) -> bool) -> bool {
        let first = self.first_word(key);
        self.probes.all(key, |place| test(first + place as usize / 64, 1 << (place % 64)))
    }
}

impl Stored for Blocked {
    const KIND: Kind = Kind::Blocked;

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("lines", self.probes.lines());
        sheet.field("probes", u64::from(self.probes.probes()));
        sheet.words("lines", self.row.bits.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Blocked, LoadError> {
        let lines = parts.number("lines", 1..=MAX_LINES)?;
        let probes = parts.small("probes", 1..=Line::MAX_PROBES)?;
        let bits = Bits::from_words(parts.words("lines")?, lines * Line::BITS)
            .ok_or(LoadError::Section { name: "lines" })?;
        Ok(Blocked { probes: Line::new(lines, probes), row: Row { bits, about } })
    }
}

super::methods_by_key!(Blocked);
