//! The blocked Bloom filter: all probes of a key within one 512-bit line (Putze, Sanders and
//! Singler 2007).
//!
//! **For**: nearly everything; the default kind. A query touches one cache line, so it costs one
//! memory access however large the filter. **Not for** rates below 10⁻⁵, where lines that hold
//! more keys than the average cost too much: +3 % over classic at 1 %, +8 % at 0.1 %, +15 % at
//! 10⁻⁴, +24 % at 10⁻⁵, +35 % at 10⁻⁶.
//!
//! The rate is [`sizing::blocked::line_rate`](crate::sizing::blocked::line_rate).

use super::plain::plumbing::Row;
use crate::error::{LoadError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::probes::Line;
use crate::parts::view::{self, Touch};
use crate::profile::{About, Profile};
use crate::sizing::{blocked as sizing, bound};
use crate::target::{Plan, Probes, Shape, Target};
use crate::traits::{Filter, ForTarget, Planned, Shaped};

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
    row: Row<Line>,
}

/// 2³⁷ lines are 8 TiB.
const MAX_LINES: u64 = 1 << 37;

impl Blocked {
    /// An empty filter of a given size, in whole lines.
    pub fn with_shape(shape: Shape, seed: Seed) -> Result<Blocked, SizeError> {
        Ok(Blocked { row: Row::zeroed(shaped(shape)?, seed, None)? })
    }

    fn sized(
        lines: u64,
        probes: u32,
        seed: Seed,
        target: Option<Target>,
    ) -> Result<Blocked, SizeError> {
        Ok(Blocked { row: Row::zeroed(line(lines, probes)?, seed, target)? })
    }
}

/// The probes within the lines of a shape, if a filter can have them.
fn shaped(shape: Shape) -> Result<Line, SizeError> {
    let lines = shape.units(Line::BITS);
    if lines == 0 {
        let (got, least) = (shape.units(1), Line::BITS);
        return Err(SizeError::TooSmall { kind: Kind::Blocked, got, least });
    }
    let probes = match shape.probes {
        Probes::Given(probes) => probes,
        Probes::BestFor(items) => sizing::best_line_probes(lines, items),
    };
    line(lines, probes)
}

/// So many probes within so many lines, if a filter can have them.
fn line(lines: u64, probes: u32) -> Result<Line, SizeError> {
    if lines > MAX_LINES {
        return Err(too_large(lines));
    }
    if !(1..=Line::MAX_PROBES).contains(&probes) {
        let (least, most) = (1, Line::MAX_PROBES);
        return Err(SizeError::Probes { kind: Kind::Blocked, got: probes, least, most });
    }
    Ok(Line::new(lines, probes))
}

fn too_large(lines: u64) -> SizeError {
    let got = lines.saturating_mul(Line::BITS);
    SizeError::TooLarge { kind: Kind::Blocked, got, most: MAX_LINES * Line::BITS }
}

impl Filter for Blocked {
    fn about(&self) -> &About {
        &self.row.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.row.has(key)
    }

    super::plain::asks_many!();

    fn profile(&self) -> Profile {
        let probes = self.row.probes.probes().cast_signed();
        let (mut ones, mut rates) = (0, 0.0);
        for line in self.row.bits.words().chunks_exact(Line::WORDS) {
            let in_line: u32 = line.iter().map(|word| word.count_ones()).sum();
            ones += u64::from(in_line);
            rates += (f64::from(in_line) / Line::BITS as f64).powi(probes);
        }
        self.row.profile(Kind::Blocked, ones, rates / self.row.probes.lines() as f64)
    }

    fn rows(&self) -> Vec<view::Row<'_>> {
        self.row.rows()
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        self.row.touches(key)
    }
}

impl Planned for Blocked {
    fn plan(target: Target, _: &Options) -> Result<Plan, SizeError> {
        let size = size(target)?;
        let fpr = sizing::line_rate(size.lines, target.items(), size.probes);
        Ok(Plan::new(size.lines * Line::BITS, size.probes, fpr))
    }
}

impl Shaped for Blocked {
    fn plan_shape(shape: Shape, items: u64) -> Result<Plan, SizeError> {
        let line = shaped(shape)?;
        let fpr = sizing::line_rate(line.lines(), items, line.probes());
        Ok(Plan::new(line.lines() * Line::BITS, line.probes(), fpr))
    }
}

impl ForTarget for Blocked {
    fn with_options(target: Target, _: &Options, seed: Seed) -> Result<Blocked, SizeError> {
        let size = size(target)?;
        Blocked::sized(size.lines, size.probes, seed, Some(target))
    }
}

fn size(target: Target) -> Result<sizing::LineSize, SizeError> {
    let (items, fpr) = (target.items(), target.fpr());
    let floor = bound::hash_floor(items);
    let least = sizing::MIN_FPR.max(floor);
    if fpr < least || fpr <= floor {
        return Err(SizeError::Fpr { kind: Kind::Blocked, got: fpr, least });
    }
    match sizing::size_lines(items, fpr, u64::MAX / Line::BITS) {
        Some(size) if size.lines <= MAX_LINES => Ok(size),
        size => Err(too_large(size.map_or(u64::MAX, |size| size.lines))),
    }
}

impl Stored for Blocked {
    const KIND: Kind = Kind::Blocked;

    fn about_mut(&mut self) -> &mut About {
        &mut self.row.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("lines", self.row.probes.lines());
        sheet.field("probes", u64::from(self.row.probes.probes()));
        sheet.words("lines", self.row.bits.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Blocked, LoadError> {
        let lines = parts.number("lines", 1..=MAX_LINES)?;
        let probes = parts.small("probes", 1..=Line::MAX_PROBES)?;
        let row = Row::from_words(Line::new(lines, probes), parts.words("lines")?, about)
            .ok_or(LoadError::Section { name: "lines" })?;
        Ok(Blocked { row })
    }
}

super::plain::wraps_a_row!(Blocked, Line);
super::methods_by_key!(Blocked, row.about);
super::inserts!(Blocked, many: |filter, keys| filter.row.put_each(keys.len(), keys.iter().copied()));
super::merges!(Blocked);
