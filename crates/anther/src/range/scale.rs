//! From keys to unsigned integers and back: numbers with a sign, and times in seconds.

use crate::error::{LoadError, OutOfMemory, RangeError};
use crate::format::Parts;
use std::num::NonZero;

/// How the integers of keys become unsigned ones of 64 bits: divided by a step, and moved up if some
/// are negative.
///
/// The step of times is a second in nanoseconds, say. All that is within a step is one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    signed: bool,
    step: NonZero<u64>,
    exact: bool,
}

/// The sign of a word: flipped, signed numbers are in the order of unsigned ones.
const SIGN: u64 = 1 << 63;

impl Default for Scale {
    /// Unsigned integers as they are.
    fn default() -> Scale {
        Scale { signed: false, step: NonZero::<u64>::MIN, exact: false }
    }
}

impl Scale {
    /// Whether negative keys are on it: then none is above 2⁶³ − 1.
    pub fn is_signed(self) -> bool {
        self.signed
    }

    /// The step: 1 unless keys were made coarser.
    pub fn step(self) -> NonZero<u64> {
        self.step
    }

    /// Whether all keys were multiples of the step, so that what is between two multiples is no key.
    /// Otherwise all that is within a step is one key.
    pub fn is_exact(self) -> bool {
        self.exact
    }

    /// The unsigned integers of a range, or of the part of it that is on the scale; `None` if nothing
    /// of it is.
    pub fn clamped(self, first: i128, last: i128) -> Option<(u64, u64)> {
        let on_scale = match self.signed {
            true => i128::from(i64::MIN)..=i128::from(i64::MAX),
            false => 0..=i128::from(u64::MAX),
        };
        let first = match self.exact {
            true => steps_above(first, self.step),
            false => steps(first, self.step),
        };
        let first = first.max(*on_scale.start());
        let last = steps(last, self.step).min(*on_scale.end());
        (first <= last).then(|| (self.word(first), self.word(last)))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the two's complement of a number on the scale"
    )]
    fn word(self, steps: i128) -> u64 {
        if self.signed { steps as u64 ^ SIGN } else { steps as u64 }
    }

    pub(super) fn read(parts: &mut Parts) -> Result<Scale, LoadError> {
        let signed = parts.number("signed", 0..=1)? == 1;
        let step = NonZero::new(parts.number("step", 1..=u64::MAX)?);
        let step = step.ok_or(LoadError::Missing { name: "step" })?;
        let exact = parts.peek("exact").is_some() && parts.number("exact", 1..=1)? == 1;
        Ok(Scale { signed, step, exact })
    }
}

/// 2^bits, for up to 63 of them.
fn two_to(bits: u32) -> NonZero<u64> {
    NonZero::new(1 << bits).unwrap_or(NonZero::<u64>::MIN)
}

/// Rounded down, so that no key leaves a range that it is in.
fn steps(number: i128, step: NonZero<u64>) -> i128 {
    number.div_euclid(step.get().into())
}

/// Rounded up.
fn steps_above(number: i128, step: NonZero<u64>) -> i128 {
    steps(number.saturating_add(i128::from(step.get()) - 1), step)
}

/// Keys for a [range filter](super::Range), 8 bytes each, in any order. They may be negative, if none is
/// above 2⁶³ − 1.
///
/// ```
/// use anther::range::{Keys, Range};
/// use anther::Seed;
///
/// let mut degrees = Keys::default();
/// for degree in [-40, -3, 17, 21] {
///     degrees.push(degree)?;
/// }
/// let degrees = Range::from_keys(degrees, 10, 0.001, Seed::FIXED)?;
/// assert!(degrees.contains_between(-5, 0)?);
/// assert!(!degrees.contains_between(-2, 10)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Keys {
    step: NonZero<u64>,
    /// Their two's complement, in steps.
    words: Vec<u64>,
    least: i128,
    most: i128,
    /// Whether all of them are known to be multiples of a step above 1.
    exact: bool,
}

impl Default for Keys {
    fn default() -> Keys {
        Keys::with_step(NonZero::<u64>::MIN)
    }
}

impl Keys {
    /// None yet. Keys will be divided by the step, and rounded down.
    pub fn with_step(step: NonZero<u64>) -> Keys {
        Keys { step, words: Vec::new(), least: i128::MAX, most: i128::MIN, exact: false }
    }

    /// Adds a key.
    pub fn push(&mut self, key: i128) -> Result<(), RangeError> {
        let steps = steps(key, self.step);
        if !(i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&steps) {
            return Err(RangeError::Wide { got: steps });
        }
        if self.words.len() == self.words.capacity() {
            let bytes = self.words.len().saturating_mul(16) as u64;
            self.words.try_reserve(1).map_err(|_| OutOfMemory { bytes })?;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the two's complement of 64 bits"
        )]
        self.words.push(steps as u64);
        (self.least, self.most) = (self.least.min(steps), self.most.max(steps));
        self.exact = self.exact && key.rem_euclid(self.step.get().into()) == 0;
        Ok(())
    }

    /// Adds the keys of another, which has the same step.
    ///
    /// # Panics
    /// If it has another step.
    pub fn append(&mut self, mut other: Keys) -> Result<(), RangeError> {
        assert_eq!(self.step, other.step, "keys in different steps");
        let bytes = (self.words.len() + other.words.len()).saturating_mul(8) as u64;
        self.words.try_reserve(other.words.len()).map_err(|_| OutOfMemory { bytes })?;
        self.words.append(&mut other.words);
        (self.least, self.most) = (self.least.min(other.least), self.most.max(other.most));
        self.exact = self.exact && other.exact;
        Ok(())
    }

    /// Makes the step as large as the zero bytes at the end of all keys allow. For text, whose keys are
    /// filled with zeros to eight bytes: of words of three bytes, `bee` and `bef` become neighbours,
    /// and a span counts values of three bytes. Longer words are no keys then, and are not found.
    pub fn without_zero_bytes(mut self) -> Keys {
        let all = self.words.iter().fold(0, |all, word| all | word);
        let bits = (all.trailing_zeros() / 8 * 8).min(56);
        let wider = self.step.checked_mul(two_to(bits));
        // Negative keys would need the sign, and a step beyond 64 bits is none.
        let (Some(step), 0..) = (wider, self.least) else { return self };
        self.words.iter_mut().for_each(|word| *word >>= bits);
        if bits > 0 {
            self.exact |= self.step.get() == 1;
        }
        (self.step, self.least, self.most) = (step, self.least >> bits, self.most >> bits);
        self
    }

    /// How many there are, with repetitions.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Their scale, and each as its unsigned integer.
    pub(super) fn finish(mut self) -> Result<(Scale, Vec<u64>), RangeError> {
        let signed = self.least < 0;
        if signed && self.most > i64::MAX.into() {
            return Err(RangeError::Mixed { least: self.least, most: self.most });
        }
        if signed {
            self.words.iter_mut().for_each(|word| *word ^= SIGN);
        }
        Ok((Scale { signed, step: self.step, exact: self.exact }, self.words))
    }
}
