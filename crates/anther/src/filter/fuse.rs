//! The binary fuse filter: fingerprints that are the xor of three or four cells, solved for all
//! keys at once (Graf and Lemire 2022).
//!
//! **For**: sets that are known before and do not change, where [`Classic`](crate::Classic)'s 44 %
//! over the bound is too much: 9.04 bits a key at 0.39 % for a million keys, where
//! [`Blocked`](crate::Blocked) takes 12.08. A query reads three cells, whatever the rate: 1.1 to 1.5
//! times as long as in classic at 1 %, and as long at 0.1 %; beside blocked 0.8 times among 10⁶ keys,
//! and 1.5 for absent keys among 10⁸. **Not for** sets that change: nothing can be put in
//! afterwards. Nor for rates between powers of two, which are rounded down to the next: 1 % becomes
//! 0.78 %. Building takes five times as long as inserting into classic, and 18 bytes a key.
//!
//! [`Ribbon`](crate::Ribbon) has any rate and is a tenth smaller; its queries take half as long
//! again. [`Bloomier`](crate::Bloomier) keeps a value with each key in the same cells. For keys that
//! go again there are [`Cuckoo`](crate::Cuckoo) and [`Quotient`](crate::Quotient).
//!
//! The rate is 2⁻ʷ for fingerprints of w bits
//! ([`sizing::fuse::fpr`](crate::sizing::fuse::fpr)), in
//! [`sizing::fuse::slots`](crate::sizing::fuse::slots) cells. How it is solved stands in
//! [`solve::peel`](crate::solve::peel).

use super::cells;
use crate::batch::source::{Source, Work};
use crate::error::{BuildError, LoadError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::{self, Options};
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::view::{Row, Touch};
use crate::profile::{About, Profile};
use crate::sizing::estimate::Estimate;
use crate::sizing::fuse as sizing;
use crate::solve::fuse;
use crate::target::{Plan, Target};
use crate::traits::{Build, Filter, Planned};

/// The binary fuse filter.
///
/// ```
/// use anther::Fuse;
///
/// let words = Fuse::build((0..100_000u32).map(|i| format!("word {i}")), 0.004)?;
/// assert!((0..100_000).all(|i| words.contains(format!("word {i}"))));
/// let wrong = (100_000..200_000).filter(|i| words.contains(format!("word {i}"))).count();
/// assert!(wrong < 500, "0.39 % of 100,000, and chance");
/// // 9.5 bits a key, where the bound for this rate is 7.97 and classic takes 11.5.
/// assert!(words.profile().bits_per_key() < Some(9.6));
/// # Ok::<(), anther::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fuse {
    solved: fuse::Fuse,
    about: About,
}

/// What a target comes to: cells a key, and bits of a fingerprint.
fn size(target: Target, options: &Options) -> Result<(u32, u32), SizeError> {
    let arity = options::within(Kind::Fuse, "arity", options.arity.unwrap_or(3), 3, 4)?;
    let (items, fpr) = (target.items(), target.fpr());
    let width = sizing::width(items, fpr).ok_or(SizeError::Fpr {
        kind: Kind::Fuse,
        got: fpr,
        least: sizing::fpr(items, sizing::MAX_WIDTH),
    })?;
    cells::check_bits(Kind::Fuse, sizing::bits(items, arity, width), 1)?;
    Ok((arity, width))
}

impl Filter for Fuse {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.solved.contains(key)
    }

    #[inline]
    fn prefetch_hash(&self, key: KeyHash) {
        self.solved.prefetch(key);
    }

    super::asks_each!(|filter, keys, found| filter.solved.contains_each(keys, found));

    fn profile(&self) -> Profile {
        Profile {
            items: Some(Estimate::exactly(self.solved.items())),
            fpr_now: self.solved.fpr(),
            fill: self.solved.items() as f64 / self.solved.cells().max(1) as f64,
            ..self.about.profile(Kind::Fuse, self.solved.bits(), self.solved.arity())
        }
    }

    fn rows(&self) -> Vec<Row<'_>> {
        self.solved.rows()
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        self.solved.touches(key)
    }
}

impl Planned for Fuse {
    fn plan(target: Target, options: &Options) -> Result<Plan, SizeError> {
        let (arity, width) = size(target, options)?;
        let items = target.items();
        let bits = sizing::bits(items, arity, width) + 64 * sizing::shards(items, arity).get();
        Ok(Plan::new(bits, arity, sizing::fpr(items, width)))
    }
}

impl Build for Fuse {
    fn build(
        keys: &mut dyn Source,
        target: Target,
        options: &Options,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Fuse, BuildError> {
        options.check(Kind::Fuse)?;
        let (arity, width) = size(target, options)?;
        let solved = fuse::Fuse::build(keys, target.items(), width, arity, work)?;
        let mut about = About::new(seed, Some(target));
        about.count(solved.items());
        Ok(Fuse { solved, about })
    }
}

impl Stored for Fuse {
    const KIND: Kind = Kind::Fuse;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("arity", u64::from(self.solved.arity()));
        sheet.field("fingerprint.bits", u64::from(self.solved.width()));
        sheet.field("items", self.solved.items());
        sheet.field("shards", self.solved.table().len() as u64);
        sheet.words("shards", self.solved.table());
        sheet.words("fingerprints", self.solved.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Fuse, LoadError> {
        let arity = parts.small("arity", 3..=4)?;
        let width = parts.small("fingerprint.bits", fuse::Fuse::WIDTHS)?;
        let items = parts.number("items", 0..=Target::MAX_ITEMS)?;
        let table = parts.table("shards")?;
        let cells = parts.words("fingerprints")?;
        let solved = fuse::Fuse::from_parts(table.as_slice(), cells, items, width, arity)
            .ok_or(LoadError::Section { name: "fingerprints" })?;
        Ok(Fuse { solved, about })
    }
}

super::methods_by_key!(Fuse, about);
super::builds!(Fuse);
