//! One step of a filter's story with everything that there is to say of it.

use super::reasons::{Headline, Reason};
use super::scene::Step;
use anther::{AnyFilter, Filter, KeyHash, Profile};

/// How many absent keys are looked up to measure a false-positive rate.
const LOOKUPS: u64 = 10_000;
/// Where the absent keys begin. They are integers: no text has the same hash by intention.
const ABSENT: u64 = 1 << 40;

/// A step, the reasons behind it, and the filter after it in numbers.
#[derive(Debug)]
pub struct Detail {
    /// The title of the scene.
    pub title: String,
    /// What else there is to know of the filter.
    pub about: String,
    /// What was said in each step, in order.
    pub all: Vec<Headline>,
    /// The step.
    pub step: Step,
    /// The hash of its key. None where formulas take its place.
    pub hash: Option<KeyHash>,
    /// Whose cells those of the step's key are: one for each of its touches.
    pub reasons: Vec<Reason>,
    /// What the step left behind.
    pub numbers: Numbers,
}

/// A filter in numbers, beside what is known of its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// The filter itself.
    pub profile: Profile,
    /// How many keys are truly in.
    pub keys: u64,
    /// How many of them the filter says no to.
    pub forgotten: u64,
    /// How many absent keys were looked up.
    pub asked: u64,
    /// How many of those were answered with maybe.
    pub matched: u64,
}

impl Numbers {
    /// Of a filter with these keys.
    pub fn of(filter: &AnyFilter, mut keys: Vec<KeyHash>) -> Numbers {
        keys.sort_unstable_by_key(|key| key.0);
        keys.dedup();
        let absent = (ABSENT..ABSENT + LOOKUPS).map(|key| filter.seed().hash_integer(key));
        Numbers {
            profile: filter.profile(),
            keys: keys.len() as u64,
            forgotten: keys.iter().filter(|key| !filter.contains_hash(**key)).count() as u64,
            asked: LOOKUPS,
            matched: absent.filter(|key| filter.contains_hash(*key)).count() as u64,
        }
    }

    /// The measured false-positive rate.
    pub fn measured(&self) -> f64 {
        self.matched as f64 / self.asked.max(1) as f64
    }
}
