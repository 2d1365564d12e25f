//! What a kind can be told besides a target.
//!
//! Every option of every kind has its name here, once: the builder method, the program's flag and
//! the messages take it from this list, and the registry says which kind has which.

use crate::error::SizeError;
use crate::kind::{Increments, Kind, Method};

/// A name, its type, and what it says. The flag of the program is the name with hyphens.
macro_rules! options {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $flag:literal;)*) => {
        /// Options of kinds; what is not said is chosen by the kind.
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
            $($(#[$doc])* pub $name: Option<$type>,)*
        }

        impl Options {
            /// The names of all options, as the program's flags have them.
            pub const ALL: &[&str] = &[$($flag),*];

            $($(#[$doc])*
            pub fn $name(self, $name: $type) -> Options {
                Options { $name: Some($name), ..self }
            })*

            /// The names of the options that were said.
            fn said(&self) -> impl Iterator<Item = &'static str> {
                [$(self.$name.is_some().then_some($flag)),*].into_iter().flatten()
            }
        }
    };
}

options! {
    /// Bits of a counter.
    counter_bits: u32 = "counter-bits";
    /// `variable-increment`: from which set the increments come.
    increments: Increments = "increments";
    /// `deletable`, `floom`: into how many regions the bits are divided.
    regions: u64 = "regions";
    /// `stable`: how many of the latest keys are to be remembered.
    window: u64 = "window";
    /// `stable`, `generalized`: which share of the keys may be forgotten, of the oldest that are
    /// to be remembered.
    misses: f64 = "misses";
    /// `scalable`: the kind of its layers.
    over: Kind = "over";
    /// `scalable`: how many times as many keys the next layer holds.
    growth: u32 = "growth";
    /// `scalable`: how many times lower the rate of the next layer is; below 1.
    tightening: f64 = "tightening";
    /// `spectral`: how counters are raised.
    method: Method = "method";
    /// `fuse`, `bloomier`: how many cells a key has, 3 or 4.
    arity: u32 = "arity";
    /// `bloomier`: bits of a value.
    value_bits: u32 = "value-bits";
    /// `cuckoo`: how many fingerprints a bucket holds: 2, 4 or 8.
    bucket_size: u32 = "bucket-size";
    /// `compressed`: how many times the memory of a classic filter it may take, to be smaller
    /// when it is sent.
    expansion: f64 = "expansion";
}

impl Options {
    /// Nothing said.
    pub fn new() -> Options {
        Options::default()
    }

    /// Whether the kind has all options that were said.
    pub fn check(&self, kind: Kind) -> Result<(), SizeError> {
        match self.said().find(|name| !kind.options().contains(name)) {
            Some(name) => Err(SizeError::NoSuchOption { kind, name }),
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

    /// Every option belongs to some kind, and the registry names none that is not here.
    #[test]
    fn options_and_kinds_know_each_other() {
        for &kind in Kind::ALL {
            assert!(kind.options().iter().all(|name| Options::ALL.contains(name)), "{kind}");
        }
    }
}
