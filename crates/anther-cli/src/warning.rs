//! Warnings. Each says what is wrong with what, and what to do about it.

use crate::output;
use crate::units::{self, whole};
use anther::{Estimate, Kind, Profile, RemoveError};
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
    /// It says maybe to everything.
    Saturated,
    /// A kind that forgets holds so much that it forgets more.
    ForgetsMore(&'a Profile),
    /// So many counters are at their end, and may have been passed.
    Stuck(u64),
    /// Whoever asks may take a no for certain.
    Forgets(Kind),
    /// Keys to be removed that were not in.
    NotIn {
        /// How many.
        absent: u64,
        /// How often the filter takes such a key for one that is in.
        rate: f64,
    },
    /// Keys to be removed that stay.
    Kept {
        /// How many.
        keys: u64,
        /// Why the first of them does.
        why: RemoveError,
    },
    /// Queries of which none is frequent enough for a table.
    NothingHot {
        /// Where they came from.
        queries: String,
    },
    /// Keys that were said to be absent.
    MembersAmongAbsent(u64),
    /// Too few to tell a kept promise from a broken one.
    FewTestValues {
        /// How many there were.
        asked: u64,
        /// How many would do.
        wanted: u64,
    },
}

impl Warning<'_> {
    /// What there is to warn of in a filter.
    pub fn of(profile: &Profile) -> Option<Warning<'_>> {
        // Whoever asks for nearly every answer to be maybe gets it.
        if profile.is_saturated() && profile.target.is_none_or(|target| target.fpr() < 0.9) {
            return Some(Warning::Saturated);
        }
        let Some(items) = profile.items else {
            return profile.is_overfull().then_some(Warning::ForgetsMore(profile));
        };
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
                if items.items <= target {
                    return write!(
                        f,
                        "rate now {}: keys came in more than once, and to this kind they are \
                         several; give each once, or use --kind counting",
                        units::rate(profile.fpr_now)
                    );
                }
                write!(
                    f,
                    "filter is {:.0} % full, rate now {}; rebuild with --items {}, or use \
                     --kind scalable",
                    100.0 * items.items / target,
                    units::rate(profile.fpr_now),
                    enough(items.items + 4.0 * items.deviation)
                )
            }
            Warning::Saturated => {
                f.write_str("it says maybe to everything; rebuild with a larger --items")
            }
            Warning::ForgetsMore(profile) => {
                let (held, made_for) = (profile.inserted, profile.target.map_or(0, |t| t.items()));
                write!(
                    f,
                    "{} keys went in, and it is made for {}: of the oldest it forgets more than was \
                     asked for; rebuild with --items {held}",
                    units::count(held),
                    units::count(made_for),
                )
            }
            Warning::Stuck(counters) => {
                let (are, them) =
                    if *counters == 1 { ("counter is", "it") } else { ("counters are", "them") };
                write!(
                    f,
                    "{} {are} at the top, so counts by {them} may be too low; rebuild with more \
                     --counter-bits, or use --kind quotient",
                    units::count(*counters)
                )
            }
            Warning::Forgets(kind) => {
                write!(f, "{kind} filters forget keys, so a no is not certain")
            }
            Warning::NotIn { absent, rate } => {
                let were = if *absent == 1 { "was" } else { "were" };
                write!(f, "{} of these keys {were} not in", units::count(*absent))?;
                // Of n such keys n·rate pass for present, and the others are those counted here.
                let alike = whole(*absent as f64 * rate / (1.0 - rate).max(1e-9));
                if alike > 0 {
                    let alike = units::count(alike);
                    write!(
                        f,
                        "; at its rate, up to about {alike} more of their sort passed for keys"
                    )?;
                    write!(f, " that are, and took the traces of others with them")?;
                }
                f.write_str("; remove only what was put in")
            }
            Warning::Kept { keys, why } => {
                write!(f, "{} could not be removed: {why}", units::count(*keys))
            }
            Warning::NothingHot { queries } => write!(
                f,
                "no key of {queries} is asked so often that a table pays, so there is none; \
                 --hot-keys makes one anyway"
            ),
            Warning::MembersAmongAbsent(keys) => write!(
                f,
                "{} of the keys that should be absent are members, and were not counted",
                units::count(*keys)
            ),
            Warning::FewTestValues { asked, wanted } => write!(
                f,
                "{} test values are few for such a rate, and would hardly show that it is broken; \
                 --random {} would",
                units::count(*asked),
                enough(*wanted as f64)
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
