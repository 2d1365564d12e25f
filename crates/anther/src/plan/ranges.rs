//! The same for range filters, which are of no kind: from two of items, rate and bits to the third.

use super::Known;
use crate::error::{SizeError, SolveError};
use crate::sizing::{first, range};
use crate::target::Target;
use crate::units;

/// A range filter that is to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RangePlan {
    /// Distinct keys.
    pub items: u64,
    /// The longest range that the rate is for.
    pub span: u64,
    /// The highest rate of such a range.
    pub fpr: f64,
    /// Bits in memory and in the file, without the tenth of a bit per key that finds them.
    pub bits: u64,
}

impl RangePlan {
    /// The filter for ranges of up to `span` numbers, from two of items, rate and bits. `None` if
    /// no such filter fits into the bits.
    ///
    /// ```
    /// use anther::plan::{Known, RangePlan};
    ///
    /// let known = Known { items: Some(1_000_000), fpr: Some(0.01), ..Known::default() };
    /// let plan = RangePlan::new(&known, 1024)?.unwrap();
    /// assert!((18.4..18.64).contains(&(plan.bits as f64 / 1e6)));
    ///
    /// let known = Known { fpr: None, bits: Some(plan.bits), ..known };
    /// let rate = RangePlan::new(&known, 1024)?.unwrap();
    /// assert!((0.01..0.010_02).contains(&rate.fpr) && rate.bits <= plan.bits);
    /// # Ok::<(), anther::error::SolveError>(())
    /// ```
    pub fn new(known: &Known, span: u64) -> Result<Option<RangePlan>, SolveError> {
        let with = |items, fpr| {
            let bits = range::bits_per_key(items, range::bound(items, span, fpr)) * items as f64;
            RangePlan { items, span, fpr, bits: units::whole(bits.ceil()) }
        };
        let target = |items, fpr| Target::new(items, fpr).map_err(SizeError::from);
        match (known.items, known.fpr, known.bits) {
            (Some(items), Some(fpr), room) => {
                target(items, fpr)?;
                let plan = with(items, fpr);
                Ok(Some(plan).filter(|plan| room.is_none_or(|room| plan.bits <= room)))
            }
            (Some(items), None, Some(bits)) => {
                target(items, 0.5)?;
                // Rates in steps of a thousandth, from the lowest.
                const STEP: f64 = 1.001;
                let rate = |step: u64| Target::MIN_FPR * STEP.powf(step as f64);
                let most = units::whole((0.999 / Target::MIN_FPR).log(STEP).floor());
                let step = first(0, most, |step| with(items, rate(step)).bits <= bits);
                Ok(step.map(|step| with(items, rate(step))))
            }
            (None, Some(fpr), Some(bits)) => {
                target(1, fpr)?;
                let most = Target::MAX_ITEMS;
                let beyond = first(1, most, |items| with(items, fpr).bits > bits);
                let items = beyond.map_or(most, |beyond| beyond - 1);
                Ok((items > 0).then(|| with(items, fpr)))
            }
            (None, None, _) | (None, _, None) | (_, None, None) => Err(SolveError::TooFew),
        }
    }
}
