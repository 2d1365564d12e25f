//! The kinds of filters by name: tag, name, capabilities, options, purpose.
//!
//! One entry per kind, in the table `with_kinds`. Nothing here knows the filter types: dispatch over
//! kinds is in [`any`](mod@crate::any), which reads the same table.

mod choices;

pub use choices::{Increments, Method, NoSuchName};

use std::fmt;

/// What a kind can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Inserts keys one by one.
    pub insert: bool,
    /// Removes keys.
    pub remove: bool,
    /// Removes most keys and reports those that it cannot remove; see
    /// [`Profile::removable`](crate::Profile::removable).
    pub leaves_some: bool,
    /// Counts how often a key was inserted.
    pub count: bool,
    /// Stores a value with each key.
    pub values: bool,
    /// Holds any number of keys at its false-positive rate.
    pub grow: bool,
    /// Merges with another filter.
    pub merge: bool,
    /// Folds to a fraction of its size.
    pub fold: bool,
    /// Can be made from a size and a number of probes: a [`Shape`](crate::Shape).
    pub shape: bool,
    /// Several processes can insert into its file at once.
    pub share: bool,
    /// Has no false negatives.
    pub no_false_negatives: bool,
    /// Rejects inserts when full.
    pub fills_up: bool,
    /// Experimental: a later release may not read its files.
    pub experimental: bool,
}

/// The table: each kind's tag in files, name, type, options, capabilities and purpose. Two macros
/// read it: the one below makes [`Kind`], the other [`AnyFilter`](crate::AnyFilter).
macro_rules! with_kinds {
    ($reader:ident) => {
        $reader! {
            1 "classic" Classic []: insert merge fold shape share no_false_negatives,
                "the fewest plain bits; FPRs below 1e-5; small filters";
            2 "blocked" Blocked []: insert merge fold shape share no_false_negatives,
                "nearly everything: fast, one cache line per lookup";
            3 "split" Split []: insert merge fold shape share no_false_negatives,
                "the bit layout of Apache Parquet";
            4 "counting" Counting ["counter-bits"]: insert remove count merge no_false_negatives,
                "keys can be removed; counts; freezes to classic";
            5 "dleft" DLeft []: insert remove count no_false_negatives fills_up,
                "keys can be removed; cuckoo and quotient are smaller";
            6 "variable-increment" VariableIncrement ["increments" "counter-bits"]:
                insert remove merge no_false_negatives,
                "removal in two thirds of the space of counting; merges";
            7 "deletable" Deletable ["regions"]: insert remove leaves_some merge no_false_negatives,
                "most keys can be removed, in a third of the space";
            8 "compressed" Compressed ["expansion"]: insert merge fold shape no_false_negatives,
                "small files to send, at the cost of memory";
            9 "scalable" Scalable ["over" "growth" "tightening" "counter-bits"]:
                insert grow no_false_negatives,
                "an unknown number of keys: grows as needed";
            21 "aging" Aging ["window"]: insert,
                "the latest keys of an endless stream; forgets older ones";
            10 "stable" Stable ["window" "misses" "counter-bits"]: insert,
                "duplicates in an endless stream; forgets old keys";
            11 "weighted" Weighted []: insert no_false_negatives,
                "fewer false positives for the most queried keys";
            12 "spectral" Spectral ["method" "counter-bits"]: insert remove count merge no_false_negatives,
                "how often each key was inserted";
            13 "generalized" Generalized ["misses"]: insert experimental,
                "bits set by untrusted parties; forgets keys; experimental";
            14 "robust" Robust []: insert merge no_false_negatives experimental,
                "to test a claim; worse than classic; experimental";
            15 "floom" Floom ["regions"]: insert merge no_false_negatives experimental,
                "to test an idea; worse than classic; experimental";
            16 "fuse" Fuse ["arity"]: no_false_negatives,
                "static sets: small, three reads per lookup";
            17 "ribbon" Ribbon []: no_false_negatives,
                "static sets: the smallest, at any FPR";
            22 "cascade" Cascade ["others"]: no_false_negatives,
                "static sets: no error on any key of a second list";
            18 "bloomier" Bloomier ["arity" "value-bits"]: values no_false_negatives,
                "a value for each key of a static set";
            20 "quotient" Quotient []: insert remove count merge no_false_negatives fills_up,
                "removes, counts, merges, doubles without its keys";
            19 "cuckoo" Cuckoo ["bucket-size"]: insert remove count no_false_negatives fills_up,
                "keys can be removed, fast; counts up to eight";
        }
    };
}
pub(crate) use with_kinds;

macro_rules! kinds {
    ($($tag:literal $name:literal $kind:ident [$($option:literal)*]:
        $($capability:ident)*, $purpose:literal;)*) => {
        /// The kinds of filters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $(#[doc = concat!("[`", stringify!($kind), "`](crate::", stringify!($kind), ")")] $kind,)*
        }

        impl Kind {
            /// Every kind, in the order in which the program lists them.
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];

            /// The kind's number in files.
            pub const fn tag(self) -> u16 {
                match self { $(Kind::$kind => $tag,)* }
            }

            /// The kind's name in the program and in messages.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name,)* }
            }

            /// What the kind is for, in one line.
            pub const fn purpose(self) -> &'static str {
                match self { $(Kind::$kind => $purpose,)* }
            }

            /// The options that the kind has, as [`Options::TABLE`](crate::Options::TABLE) names them.
            pub const fn options(self) -> &'static [&'static str] {
                match self { $(Kind::$kind => &[$($option),*],)* }
            }

            /// What the kind can do.
            pub const fn capabilities(self) -> Capabilities {
                let mut can = Capabilities {
                    insert: false,
                    remove: false,
                    leaves_some: false,
                    count: false,
                    values: false,
                    grow: false,
                    merge: false,
                    fold: false,
                    shape: false,
                    share: false,
                    no_false_negatives: false,
                    fills_up: false,
                    experimental: false,
                };
                match self { $(Kind::$kind => { $(can.$capability = true;)* })* }
                can
            }
        }
    };
}
with_kinds!(kinds);

impl Kind {
    /// The kind with this number in files.
    pub fn from_tag(tag: u16) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.tag() == tag)
    }

    /// The highest count of a key, with the kind's default options: `u64::MAX` if memory is the
    /// limit, `None` if the kind does not count.
    pub const fn max_count(self) -> Option<u64> {
        match self {
            Kind::Quotient => Some(u64::MAX),
            Kind::Spectral => Some(255),
            Kind::Counting => Some(15),
            Kind::Cuckoo => Some(8),
            Kind::DLeft => Some(3),
            _ => None,
        }
    }

    /// The article before its name in messages: a classic filter, an aging filter.
    pub const fn article(self) -> &'static str {
        match self.name().as_bytes() {
            [b'a' | b'e' | b'i' | b'o' | b'u', ..] => "an",
            _ => "a",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_tags_are_unique_and_lead_back() {
        for &kind in Kind::ALL {
            assert_eq!(Kind::from_tag(kind.tag()), Some(kind));
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            assert_eq!(kind.max_count().is_some(), kind.capabilities().count);
        }
        assert_eq!((Kind::Aging.article(), Kind::Classic.article()), ("an", "a"));
        assert_eq!(Kind::from_tag(0), None);
        assert_eq!(Kind::from_name(""), None);
    }
}
