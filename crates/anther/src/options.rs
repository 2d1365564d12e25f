//! Options of a kind, besides its target.
//!
//! Every option of every kind is in one table, [`Options::TABLE`]: the builder's methods, the
//! program's flags with their help, and messages come from it. [`Kind::options`] lists
//! the options of a kind.

use crate::error::SizeError;
use crate::kind::{Increments, Kind, Method};
use crate::units;
use std::fmt;

/// An option of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptionInfo {
    /// The name, as the program's flag has it.
    pub name: &'static str,
    /// What a value looks like.
    pub form: OptionForm,
    /// What the option is, in a line.
    pub about: &'static str,
    /// The default.
    pub default: &'static str,
}

impl OptionInfo {
    /// Parses a value as people write it: `8`, `1.5M`, `10%`, `B2`.
    ///
    /// ```
    /// use anther::{OptionValue, Options};
    ///
    /// let misses = Options::TABLE.iter().find(|option| option.name == "misses").unwrap();
    /// assert_eq!(misses.parse("10%"), Ok(OptionValue::Real(0.1)));
    /// assert!(misses.parse("ten").unwrap_err().starts_with("a rate is needed"));
    /// ```
    pub fn parse(&self, text: &str) -> Result<OptionValue, String> {
        let small = || text.parse::<u32>().map_err(|_| "must be a whole number, such as 4");
        match self.form {
            OptionForm::Small => Ok(OptionValue::Whole(small()?.into())),
            OptionForm::Count => units::parse_count(text).map(OptionValue::Whole),
            OptionForm::Rate => units::parse_rate(text).map(OptionValue::Real),
            OptionForm::Number => {
                let number = text.parse().map_err(|_| "must be a number, such as 0.8 or 6")?;
                Ok(OptionValue::Real(number))
            }
            OptionForm::Increments => named(text.parse().map(OptionValue::Increments)),
            OptionForm::Method => named(text.parse().map(OptionValue::Method)),
            OptionForm::Kind => named(text.parse().map(OptionValue::Kind)),
        }
    }
}

fn named<E: fmt::Display>(value: Result<OptionValue, E>) -> Result<OptionValue, String> {
    value.map_err(|error| error.to_string())
}

/// What the value of an option looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionForm {
    /// A small whole number.
    Small,
    /// A whole number that may be large, of keys or of cells.
    Count,
    /// A share, from 0 to 1.
    Rate,
    /// Any number.
    Number,
    /// The name of a set of increments.
    Increments,
    /// The name of a method.
    Method,
    /// The name of a kind.
    Kind,
}

/// The value of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum OptionValue {
    /// A whole number.
    Whole(u64),
    /// Any number.
    Real(f64),
    /// A set of increments.
    Increments(Increments),
    /// A method.
    Method(Method),
    /// A kind.
    Kind(Kind),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Whole(value) => value.fmt(f),
            OptionValue::Real(value) => value.fmt(f),
            OptionValue::Increments(value) => value.fmt(f),
            OptionValue::Method(value) => value.fmt(f),
            OptionValue::Kind(value) => value.fmt(f),
        }
    }
}

/// A type of options, to and from an [`OptionValue`].
trait Typed: Copy {
    fn to_value(self) -> OptionValue;
    fn of_value(value: OptionValue) -> Option<Self>;
}

macro_rules! typed {
    ($($type:ty: $variant:ident, $to:expr, $of:expr;)*) => {$(
        impl Typed for $type {
            fn to_value(self) -> OptionValue {
                OptionValue::$variant($to(self))
            }

            fn of_value(value: OptionValue) -> Option<$type> {
                match value {
                    OptionValue::$variant(value) => $of(value),
                    _ => None,
                }
            }
        }
    )*};
}
typed! {
    u32: Whole, u64::from, |value| u32::try_from(value).ok();
    u64: Whole, std::convert::identity, Some;
    f64: Real, std::convert::identity, Some;
    Increments: Increments, std::convert::identity, Some;
    Method: Method, std::convert::identity, Some;
    Kind: Kind, std::convert::identity, Some;
}

/// Makes the struct, the builder's methods and the table. It is a macro because nothing else
/// makes fields and methods from a list.
macro_rules! options {
    ($($name:ident: $type:ty = $flag:literal $form:ident, $about:literal, $default:literal;)*) => {
        /// Options of kinds; what is not given is chosen by the kind.
        ///
        /// ```
        /// use anther::{AnyFilter, Kind, Options, Seed, Target};
        ///
        /// let target = Target::new(1000, 0.01)?;
        /// let wide = Options::new().counter_bits(8);
        /// let filter = AnyFilter::with_options(Kind::Counting, target, &wide, Seed::FIXED)?;
        /// assert_eq!(filter.kind(), Kind::Counting);
        ///
        /// let error = AnyFilter::with_options(Kind::Blocked, target, &wide, Seed::FIXED);
        /// assert!(error.unwrap_err().to_string().starts_with("blocked has no option counter-bits"));
        /// # Ok::<(), anther::SizeError>(())
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[non_exhaustive]
        pub struct Options {
            $(#[doc = concat!("Option `", $flag, "`: ", $about, ". By default: ", $default, ".")]
            pub $name: Option<$type>,)*
        }

        impl Options {
            /// Every option.
            pub const TABLE: &[OptionInfo] = &[$(OptionInfo {
                name: $flag,
                form: OptionForm::$form,
                about: $about,
                default: $default,
            }),*];

            $(#[doc = concat!("Sets `", $flag, "`: ", $about, ". By default: ", $default, ".")]
            pub fn $name(self, $name: $type) -> Options {
                Options { $name: Some($name), ..self }
            })*

            /// Sets an option by name. `None` if there is no such option or the value has the
            /// wrong type.
            pub fn with(self, name: &str, value: OptionValue) -> Option<Options> {
                match name {
                    $($flag => Some(Options { $name: Some(Typed::of_value(value)?), ..self }),)*
                    _ => None,
                }
            }

            /// The options that were given, by name.
            pub fn given(&self) -> impl Iterator<Item = (&'static str, OptionValue)> {
                [$(self.$name.map(|value| ($flag, value.to_value()))),*].into_iter().flatten()
            }
        }
    };
}

options! {
    counter_bits: u32 = "counter-bits" Small,
        "bits per counter", "4; spectral 8; stable: chosen for the target";
    increments: Increments = "increments" Increments,
        "the set of increments, D2, D4, D8, D16 (one counter per cell), B2 or B3 (two)", "B2";
    regions: u64 = "regions" Count,
        "how many regions the bits are divided into",
        "as many as make most keys removable; floom 12";
    window: u64 = "window" Count,
        "how many of the latest keys to remember", "as many as the filter is made for";
    misses: f64 = "misses" Rate,
        "allowed false-negative rate for the oldest keys", "10%";
    over: Kind = "over" Kind,
        "the kind of its layers: blocked, classic or counting",
        "blocked, and classic for rates below 1e-5";
    growth: u32 = "growth" Small,
        "capacity of each layer relative to the one before", "2";
    tightening: f64 = "tightening" Number,
        "FPR of each layer relative to the one before", "0.85";
    method: Method = "method" Method,
        "minimum, increase (fewer errors, no removal) or recurring", "minimum";
    arity: u32 = "arity" Small,
        "cells per key: 3, or 4 (smaller, slower)", "3";
    value_bits: u32 = "value-bits" Small,
        "bits per value", "enough for the largest";
    others: u64 = "others" Count,
        "how many keys it must never report, to plan its size", "none; build counts them";
    bucket_size: u32 = "bucket-size" Small,
        "fingerprints per bucket: 2, 4 or 8", "4";
    expansion: f64 = "expansion" Number,
        "memory relative to classic; more makes a smaller file", "6";
}

impl Options {
    /// None given.
    pub fn new() -> Options {
        Options::default()
    }

    /// Whether the kind has all options that were given.
    pub fn check(&self, kind: Kind) -> Result<(), SizeError> {
        match self.given().find(|(name, _)| !kind.options().contains(name)) {
            Some((name, _)) => Err(SizeError::NoSuchOption { kind, name }),
            None => Ok(()),
        }
    }
}

/// A number within a range, or what an option must be.
pub(crate) fn within<T: PartialOrd + Copy + Into<f64>>(
    kind: Kind,
    name: &'static str,
    got: T,
    least: T,
    most: T,
) -> Result<T, SizeError> {
    // NaN is in no range.
    if got >= least && got <= most {
        return Ok(got);
    }
    Err(SizeError::Option { kind, name, got: got.into(), least: least.into(), most: most.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every option belongs to some kind, and no kind names one that is not in the table.
    #[test]
    fn options_and_kinds_know_each_other() {
        for &kind in Kind::ALL {
            let known = |name: &&str| Options::TABLE.iter().any(|option| option.name == *name);
            assert!(kind.options().iter().all(known), "{kind}");
        }
        for option in Options::TABLE {
            let owned = Kind::ALL.iter().any(|kind| kind.options().contains(&option.name));
            assert!(owned, "{}", option.name);
        }
    }

    #[test]
    fn options_by_name_are_those_by_method() {
        let wide = Options::new().counter_bits(8).misses(0.1).over(Kind::Counting);
        let by_name = wide
            .given()
            .try_fold(Options::new(), |options, (name, value)| options.with(name, value));
        assert_eq!(by_name, Some(wide));
        assert_eq!(Options::new().with("counter-bits", OptionValue::Real(8.0)), None);
        assert_eq!(Options::new().with("counter-bits", OptionValue::Whole(1 << 40)), None);
        assert_eq!(Options::new().with("counters", OptionValue::Whole(8)), None);
    }
}
