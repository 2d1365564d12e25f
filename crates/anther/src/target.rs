//! What a user asks for: a number of items and the highest false-positive rate.

use thiserror::Error;

/// How many items a filter is made for, and its false-positive rate when it holds them. Ranges are
/// checked here, once.
///
/// ```
/// use anther::Target;
///
/// let target = Target::new(58_110, 0.01)?;
/// assert_eq!((target.items(), target.fpr()), (58_110, 0.01));
/// assert_eq!(
///     Target::new(58_110, 1.5).unwrap_err().to_string(),
///     "a false-positive rate of 1.5 is not possible; it must be at least 1e-18 and below 1"
/// );
/// # Ok::<(), anther::TargetError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    items: u64,
    fpr: f64,
}

impl Target {
    /// 2⁴⁸ items: at one bit each they would take 32 TiB.
    pub const MAX_ITEMS: u64 = 1 << 48;
    /// Below this, the 64-bit hash alone gives more false positives, even with a handful of items.
    pub const MIN_FPR: f64 = 1e-18;

    /// A target, if both numbers are in range.
    pub fn new(items: u64, fpr: f64) -> Result<Target, TargetError> {
        if !(1..=Target::MAX_ITEMS).contains(&items) {
            return Err(TargetError::Items { got: items });
        }
        // NaN is in no range.
        if !(Target::MIN_FPR..1.0).contains(&fpr) {
            return Err(TargetError::Fpr { got: fpr });
        }
        Ok(Target { items, fpr })
    }

    /// Number of distinct items.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// The highest false-positive rate with that many items.
    pub fn fpr(&self) -> f64 {
        self.fpr
    }

    /// The same false-positive rate for this many items, or for the nearest possible number.
    pub(crate) fn of_items(self, items: u64) -> Target {
        Target { items: items.clamp(1, Target::MAX_ITEMS), ..self }
    }

    /// The target of a filter folded to one `ratio`-th: the same false-positive rate for as many
    /// times fewer items.
    pub(crate) fn folded(self, ratio: u64) -> Target {
        Target { items: (self.items / ratio).max(1), ..self }
    }
}

/// A [`Target`] out of range.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TargetError {
    /// The number of items.
    #[error("{got} items are not possible; the number must be 1 to 281,474,976,710,656")]
    Items {
        /// The given number.
        got: u64,
    },
    /// The false-positive rate.
    #[error(
        "a false-positive rate of {got:?} is not possible; it must be at least {} and below 1",
        format_args!("{:e}", Target::MIN_FPR)
    )]
    Fpr {
        /// The given rate.
        got: f64,
    },
}

/// The numbers of a filter of one kind that meets a target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// Bits in memory.
    pub bits: u64,
    /// Bits in a file, without its header: the same, unless the kind compresses them.
    pub bits_sent: u64,
    /// Probes per key.
    pub probes: u32,
    /// The computed false-positive rate with the target's items, at or below the target's.
    pub fpr: f64,
}

impl Plan {
    pub(crate) fn new(bits: u64, probes: u32, fpr: f64) -> Plan {
        Plan { bits, bits_sent: bits, probes, fpr }
    }
}

/// An alternative to a target: the exact size and the number of probes.
///
/// ```
/// use anther::{Blocked, Classic, Seed, Shape};
///
/// let example = Classic::with_shape(Shape::bits(10).probes(3), Seed::FIXED)?;
/// assert_eq!(example.profile().bits, 10);
///
/// // A budget is never exceeded; probes are chosen for the number of items.
/// let cache = Blocked::with_shape(Shape::memory(64 << 10).items(50_000), Seed::FIXED)?;
/// assert_eq!(cache.profile().bits, 8 * (64 << 10));
/// # Ok::<(), anther::SizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    pub(crate) extent: Extent,
    pub(crate) probes: Probes,
}

/// How large a [`Shape`] is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Extent {
    /// At least this many bits: kinds of lines and blocks round up.
    Bits(u64),
    /// At most this many bytes: kinds of lines and blocks round down.
    Bytes(u64),
}

/// How many probes a [`Shape`] has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Probes {
    Given(u32),
    BestFor(u64),
}

impl Shape {
    /// At least this many bits. Next, set the probes.
    pub fn bits(bits: u64) -> ShapeOf {
        ShapeOf(Extent::Bits(bits))
    }

    /// At most this many bytes for the cells. Next, set the probes.
    pub fn memory(bytes: u64) -> ShapeOf {
        ShapeOf(Extent::Bytes(bytes))
    }

    /// The extent in units of `unit` bits.
    pub(crate) fn units(&self, unit: u64) -> u64 {
        match self.extent {
            Extent::Bits(bits) => bits.div_ceil(unit),
            Extent::Bytes(bytes) => bytes.saturating_mul(8) / unit,
        }
    }
}

/// A [`Shape`] without its probes.
#[derive(Clone, Copy, Debug)]
pub struct ShapeOf(Extent);

impl ShapeOf {
    /// With this many probes per key.
    pub fn probes(self, probes: u32) -> Shape {
        Shape { extent: self.0, probes: Probes::Given(probes) }
    }

    /// With the number of probes that gives the lowest false-positive rate for this many items.
    pub fn items(self, items: u64) -> Shape {
        Shape { extent: self.0, probes: Probes::BestFor(items) }
    }
}
