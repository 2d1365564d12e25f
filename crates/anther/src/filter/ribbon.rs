//! The ribbon filter: a row of equations over bits, solved for all keys at once (Dillinger and
//! Walzer 2021), bumped so that nearly no slot is wasted (Dillinger, Hübschle-Schneider, Sanders and
//! Walzer 2022).
//!
//! **For**: the smallest filter there is, at any rate: 0.4 to 2.1 % over the bound n·log2(1/ε) from
//! ten thousand keys on, where [`Classic`](crate::Classic) takes 44 %: 6.75 bits a key at 1 % in place
//! of 9.59. **Not for** sets that change: nothing can be put in afterwards. Nor where queries are
//! what counts: for a key that is in it reads a bit of every column, two to six cache lines, and takes
//! twice as long as classic, for one that is not 1.7 times. [`Fuse`](crate::Fuse) takes two thirds of
//! that, and an eighth more space, or a sixth at rates between powers of two, as 1 % is.
//!
//! Building takes five times as long as inserting into classic; its 11 bytes a key are the least of
//! the kinds that are solved. For keys that go again there are [`Cuckoo`](crate::Cuckoo) and
//! [`Quotient`](crate::Quotient), which take half as much again.
//!
//! The rate is a mixture of two powers of two, so that the target is met and not undercut
//! ([`sizing::ribbon::columns`](crate::sizing::ribbon::columns)). How it is solved stands in
//! [`solve::ribbon`](crate::solve::ribbon).

use super::cells;
use crate::batch::source::{Source, Work};
use crate::error::{BuildError, LoadError, SizeError};
use crate::format::{Parts, Sheet, Stored};
use crate::kind::Kind;
use crate::options::Options;
use crate::parts::hash::{KeyHash, Seed};
use crate::parts::view::{Row, Touch};
use crate::profile::{About, Profile};
use crate::sizing::estimate::Estimate;
use crate::sizing::{bound, ribbon as sizing};
use crate::solve::ribbon;
use crate::target::{Plan, Target};
use crate::traits::{Build, Filter, Planned};

/// The ribbon filter.
///
/// ```
/// use anther::Ribbon;
///
/// let words = Ribbon::build((0..100_000u32).map(|i| format!("word {i}")), 0.001)?;
/// assert!((0..100_000).all(|i| words.contains(format!("word {i}"))));
/// let wrong = (100_000..300_000).filter(|i| words.contains(format!("word {i}"))).count();
/// assert!(wrong < 300, "0.1 % of 200,000, and chance");
/// assert!(words.profile().overhead() < Some(0.01), "1 % over what no filter can beat");
/// # Ok::<(), anther::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ribbon {
    solved: ribbon::Ribbon,
    /// How many distinct hashes it was made from.
    items: u64,
    about: About,
}

/// Whether a target can be met.
fn check(target: Target) -> Result<(), SizeError> {
    let (items, fpr) = (target.items(), target.fpr());
    let floor = bound::hash_floor(items);
    // A filter of 60 columns adds nothing that the floor does not hide.
    if fpr <= floor || sizing::columns(sizing::rate_of_columns(items, fpr)).0 >= sizing::MAX_FEW {
        let least = floor.max(2f64.powi(-sizing::MAX_FEW.cast_signed()));
        return Err(SizeError::Fpr { kind: Kind::Ribbon, got: fpr, least });
    }
    cells::check_bits(Kind::Ribbon, sizing::bits(items, fpr), 1)
}

impl Filter for Ribbon {
    fn about(&self) -> &About {
        &self.about
    }

    #[inline]
    fn contains_hash(&self, key: KeyHash) -> bool {
        self.solved.contains(key)
    }

    fn profile(&self) -> Profile {
        let bits = self.solved.bits();
        let fpr_now = self.solved.fpr();
        Profile {
            items: Some(Estimate::exactly(self.items)),
            fpr_now: if self.items == 0 { 0.0 } else { fpr_now + bound::hash_floor(self.items) },
            // Every slot of a ribbon is taken, but for one in a thousand.
            fill: if self.items == 0 { 0.0 } else { 1.0 },
            ..self.about.profile(Kind::Ribbon, bits, self.solved.columns() + 1)
        }
    }

    fn rows(&self) -> Vec<Row<'_>> {
        self.solved.rows()
    }

    fn touches(&self, key: KeyHash) -> Vec<Touch> {
        self.solved.touches(key)
    }
}

impl Planned for Ribbon {
    fn plan(target: Target, _: &Options) -> Result<Plan, SizeError> {
        check(target)?;
        let (items, fpr) = (target.items(), target.fpr());
        let (columns, _) = sizing::columns(sizing::rate_of_columns(items, fpr));
        Ok(Plan::new(sizing::bits(items, fpr), columns + 1, fpr))
    }
}

impl Build for Ribbon {
    fn build(
        keys: &mut dyn Source,
        target: Target,
        options: &Options,
        seed: Seed,
        work: Work<'_>,
    ) -> Result<Ribbon, BuildError> {
        options.check(Kind::Ribbon)?;
        check(target)?;
        let (solved, items) = ribbon::Ribbon::build(keys, target.items(), target.fpr(), work)?;
        let mut about = About::new(seed, Some(target));
        about.count(items);
        Ok(Ribbon { solved, items, about })
    }
}

impl Stored for Ribbon {
    const KIND: Kind = Kind::Ribbon;

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }

    fn describe<'a>(&'a self, sheet: &mut Sheet<'a>) {
        sheet.field("columns", u64::from(self.solved.columns()));
        sheet.field("shards", self.solved.shards());
        sheet.field("items", self.items);
        sheet.words("ribbon", self.solved.words());
    }

    fn restore(parts: &mut Parts, about: About) -> Result<Ribbon, LoadError> {
        let columns = parts.small("columns", 0..=sizing::MAX_FEW)?;
        let words = parts.words("ribbon")?;
        let shards = parts.number("shards", 0..=u64::MAX)?;
        let items = parts.number("items", 0..=Target::MAX_ITEMS)?;
        let solved = ribbon::Ribbon::from_words(columns, shards, words)
            .ok_or(LoadError::Section { name: "ribbon" })?;
        Ok(Ribbon { solved, items, about })
    }
}

super::methods_by_key!(Ribbon, about);
super::builds!(Ribbon);
