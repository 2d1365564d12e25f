//! The key recipe: what the key is, and where it is in an input. It is stored in the file.
//!
//! **What the key is** ([`KeyRule`]) belongs to the filter: letter case, white space, hexadecimal,
//! integers, domains. It is applied to every key, on every surface, or a present key would look
//! absent. **Where the key is** ([`Place`]) belongs to an input: the file remembers where it was
//! when the filter was built, as a default for other inputs.

mod ip;
mod normal;
mod place;
mod reach;
mod rule;
pub(crate) mod time;
mod typed;

pub use crate::parts::hash::Given;
pub use place::{Column, Format, Place, Quotes, Separator};
pub use reach::{Entries, Reach};
pub use rule::{KeyForm, KeyRule, RuledKey, parts_of};

use std::fmt;

/// What the key is, and where it was in the input. The default: a line is a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// What the key is. It is applied to every key of the filter.
    pub rule: KeyRule,
    /// What the entries of a list stand for: keys that are below them, in forms that have such. `None`:
    /// nobody has said, and each stands for itself alone.
    pub reach: Option<Reach>,
    /// Where the key is in an input, unless the input's own options say otherwise.
    pub place: Place,
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)?;
        if self.rule != KeyRule::default() {
            write!(f, ", {}", self.rule)?;
        }
        let is_said = |reach: &Reach| reach.levels() != 0 || !reach.is_below();
        if let Some(reach) = self.reach.filter(is_said) {
            write!(f, ", {}", reach.in_words(self.rule.form))?;
        }
        Ok(())
    }
}
