//! Warnings. Each says what is wrong with what, and what to do about it.

use crate::describe::whole;
use crate::output;
use crate::units;
use anther::{Estimate, Profile};
use std::fmt;
use std::path::Path;

/// Everything that the program warns of.
pub enum Warning<'a> {
    /// A filter holds more than it was made for.
    Overfull {
        /// What it says of itself.
        profile: &'a Profile,
        /// How many keys it holds.
        items: Estimate,
    },
    /// Every bit is 1.
    Saturated,
}

impl Warning<'_> {
    /// What there is to warn of in a filter.
    pub fn of(profile: &Profile) -> Option<Warning<'_>> {
        if profile.is_saturated() {
            return Some(Warning::Saturated);
        }
        let items = profile.items?;
        profile.is_overfull().then_some(Warning::Overfull { profile, items })
    }

    /// Says it on standard error.
    pub fn say(&self, path: &Path) {
        output::complain(&format!("warning: {}: {self}", path.display()));
    }
}

impl fmt::Display for Warning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Overfull { profile, items } => {
                let target = profile.target.map_or(items.items, |target| target.items() as f64);
                write!(
                    f,
                    "filter is {:.0} % full, rate now {}; rebuild with --items {}, or use \
                     --kind scalable",
                    100.0 * items.items / target,
                    units::rate(profile.fpr_now),
                    enough(items.items + 4.0 * items.deviation)
                )
            }
            Warning::Saturated => f.write_str(
                "every bit is 1, so it says maybe to everything; rebuild with a larger --items",
            ),
        }
    }
}

/// A round number of items, not below an estimate.
fn enough(items: f64) -> u64 {
    let step = 10f64.powf(items.max(1.0).log10().floor() - 2.0).max(1.0);
    whole((items / step).ceil() * step)
}

#[cfg(test)]
mod tests {
    use super::enough;

    #[test]
    fn advice_is_round_and_enough() {
        assert_eq!(
            [0.2, 7.0, 123.0, 58_110.4, 999_999.0].map(enough),
            [1, 7, 123, 58_200, 1_000_000]
        );
    }
}
