//! From a key to the 64 bits that a filter sees.
//!
//! A filter never sees a key, only its [`KeyHash`]. The way from one to the other is part of the
//! file format: the same key gives the same hash on every machine, in every release and in every
//! language that follows FORMAT.md. That is why there is a [`Key`] trait here and not
//! [`std::hash::Hash`], whose bytes differ between platforms and compiler versions.
//!
//! | seed | bytes and strings | integers |
//! |---|---|---|
//! | [`Seed::FIXED`], [`Seed::chosen`] | XXH3-64 with the seed | two folded products |
//! | [`Seed::keyed`] | SipHash-1-3 with a secret key | SipHash-1-3 of 8 bytes, apart from text |
//! | [`Seed::XXH64`] | XXH64 with seed 0, as Parquet hashes | XXH64 of 8 bytes |
//! | [`Seed::EXTERNAL`] | computed elsewhere | computed elsewhere |

mod xxh3;

use super::words::prefetch;
use siphasher::sip::SipHasher13;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use twox_hash::XxHash64;

/// The 64-bit hash of a key: all that a filter sees of it. It has the layout of a `u64`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyHash(pub u64);

impl KeyHash {
    /// Another 64 bits of the same key, for kinds that need more than the hash: draw number `salt`
    /// of SplitMix64, seeded with the hash. Two keys with the same hash stay the same key.
    #[inline]
    pub const fn again(self, salt: u64) -> KeyHash {
        self.draw(Draw::new(salt))
    }

    /// The same for a draw at hand.
    #[inline]
    pub(crate) const fn draw(self, draw: Draw) -> KeyHash {
        KeyHash(mix(self.0.wrapping_add(draw.0)))
    }
}

/// What is the same for all keys in [`KeyHash::again`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Draw(u64);

impl Draw {
    #[inline]
    pub(crate) const fn new(salt: u64) -> Draw {
        Draw(FACTORS[0].wrapping_mul(salt.wrapping_add(1)))
    }
}

/// Integers are xored with this, so that 0 is not special: the first fractional bits of pi.
const START: u64 = 0x243F_6A88_85A3_08D3;
/// The two odd multipliers of the integer hash: the golden ratio, and more bits of pi.
const FACTORS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xA409_3822_299F_31D1];

/// A keyed filter's file stores SipHash of this text, to recognise its key. No user key has this
/// length and content by accident, and this hash reveals nothing about others.
const KEY_CHECK: &[u8] = b"anther key check: tells a wrong key from the right one";

/// How keys are hashed: with which function and which seed.
///
/// ```
/// use anther::{Key, Seed};
///
/// let here = "https://example.org/".key_hash(&Seed::FIXED);
/// let there = "https://example.org/".key_hash(&Seed::FIXED);
/// assert_eq!(here, there, "the fixed seed gives the same file on every machine");
///
/// // For keys that untrusted parties choose: without the secret key, nobody can attack the filter.
/// let keyed = Seed::keyed([7; 16]);
/// assert_ne!("https://example.org/".key_hash(&keyed), here);
/// assert_eq!(format!("{keyed:?}"), "Seed(keyed)", "a secret key is never shown");
/// ```
#[derive(Clone, Copy)]
pub struct Seed(Form);

#[derive(Clone, Copy)]
enum Form {
    /// `mask` is [`START`] combined with the seed, computed once and not per key.
    Open {
        seed: u64,
        mask: u64,
    },
    Keyed {
        key: [u64; 2],
    },
    Xxh64,
    External,
    Locked {
        check: u64,
    },
}

/// The public part of a [`Seed`]: everything but a secret key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeedKind {
    /// The documented default seed.
    Fixed,
    /// A seed chosen by the user; not secret.
    Chosen(u64),
    /// A secret key; the number is its check value, which the file stores.
    Keyed {
        /// SipHash of a fixed text under the key.
        check: u64,
    },
    /// XXH64 of the key's bytes, as Parquet hashes.
    Xxh64,
    /// Hashes are computed elsewhere; keys cannot be hashed here.
    External,
}

impl Seed {
    /// The default: seed 0, the same on every machine.
    pub const FIXED: Seed = Seed::chosen(0);

    /// For hashes computed elsewhere, passed to the `…_hash` methods.
    ///
    /// Hashing a key with this seed panics, since any answer would be wrong.
    pub const EXTERNAL: Seed = Seed(Form::External);

    /// XXH64 with seed 0 of the key's bytes, with which Parquet hashes: for filters whose bits go to
    /// Parquet or come from it. An integer is hashed as 8 bytes, so as an `INT64` of Parquet; for
    /// other columns give the bytes, as [`KeyForm::Int32`](crate::recipe::KeyForm::Int32) and its
    /// like make them. XXH3 is faster, and no slower to attack.
    ///
    /// ```
    /// use anther::{Key, Seed};
    ///
    /// let parquet = Seed::XXH64;
    /// assert_eq!(7u64.key_hash(&parquet), 7u64.to_le_bytes().key_hash(&parquet));
    /// assert_eq!("".key_hash(&parquet).0, 0xEF46_DB37_51D8_E999);
    /// ```
    pub const XXH64: Seed = Seed(Form::Xxh64);

    /// A seed of the user's choice. It changes which keys are false positives, but gives no
    /// secrecy: see [`Seed::keyed`] for that. `chosen(0)` is [`Seed::FIXED`].
    pub const fn chosen(seed: u64) -> Seed {
        Seed(Form::Open { seed, mask: START ^ mix(seed) })
    }

    /// A secret 128-bit key, for keys that untrusted parties choose: without it, nobody can raise
    /// the false-positive rate or find a false positive on purpose.
    pub const fn keyed(key: [u8; 16]) -> Seed {
        let both = u128::from_le_bytes(key);
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of 128 bits")]
        let key = [both as u64, (both >> 64) as u64];
        Seed(Form::Keyed { key })
    }

    /// A keyed seed of which only the check value is known: enough to describe and compare filters,
    /// not to hash.
    pub(crate) const fn locked(check: u64) -> Seed {
        Seed(Form::Locked { check })
    }

    /// The public part of this seed.
    pub fn kind(&self) -> SeedKind {
        match self.0 {
            Form::Open { seed: 0, .. } => SeedKind::Fixed,
            Form::Open { seed, .. } => SeedKind::Chosen(seed),
            Form::Keyed { key } => SeedKind::Keyed { check: sip(key, Domain::Bytes, KEY_CHECK) },
            Form::Locked { check } => SeedKind::Keyed { check },
            Form::Xxh64 => SeedKind::Xxh64,
            Form::External => SeedKind::External,
        }
    }

    /// Whether keys can be hashed with this seed: false for external hashes, and for a keyed file
    /// that was opened without its key.
    pub const fn can_hash(&self) -> bool {
        matches!(self.0, Form::Open { .. } | Form::Keyed { .. } | Form::Xxh64)
    }

    /// The hash of a byte string.
    ///
    /// # Panics
    /// If [`can_hash`](Seed::can_hash) is false.
    // The choice is inlined, the hash itself is a call: inlined as well it would be 160 instructions
    // at each place that hashes text, for 4 % of a lookup.
    #[inline(always)]
    pub fn hash_bytes(&self, bytes: &[u8]) -> KeyHash {
        match self.0 {
            Form::Open { seed: 0, .. } => KeyHash(xxh3::fixed(bytes)),
            Form::Open { seed, .. } => KeyHash(xxh3::seeded(bytes, seed)),
            _ => self.hash_slowly(Domain::Bytes, bytes),
        }
    }

    /// Another 64 bits of a byte string, to tell long lines apart by 128: XXH3-64 with another seed,
    /// SipHash-1-3 with another key, or XXH64 with another seed.
    ///
    /// # Panics
    /// If [`can_hash`](Seed::can_hash) is false.
    pub fn hash_bytes_again(&self, bytes: &[u8]) -> KeyHash {
        match self.0 {
            Form::Open { seed, .. } => Seed::chosen(seed ^ FACTORS[0]).hash_bytes(bytes),
            Form::Xxh64 => KeyHash(XxHash64::oneshot(FACTORS[0], bytes)),
            _ => self.hash_slowly(Domain::Again, bytes),
        }
    }

    /// The hash of a tuple or of a [`Hashed`](super::hashed::Hashed) key, by its frame.
    pub(crate) fn hash_frame(&self, frame: &[u8]) -> KeyHash {
        match self.0 {
            Form::Open { .. } => self.hash_bytes(frame),
            _ => self.hash_slowly(Domain::Tuple, frame),
        }
    }

    /// The hash of an integer: two 128-bit products, the halves of each xored.
    ///
    /// One product is not enough. With a constant, keys i<<16 measure a false-positive rate of 5.16
    /// % instead of 1 %; with x's own rotation, 10,000 sequential keys load the blocks of `split`
    /// unevenly and measure 1.27 %. Two products pass every test that XXH3 of 8 bytes passes, for
    /// 0.1 ns more than one (XXH3: 0.8 ns). docs/decisions.md has the measurements.
    ///
    /// # Panics
    /// If [`can_hash`](Seed::can_hash) is false.
    #[inline]
    pub fn hash_integer(&self, x: u64) -> KeyHash {
        match self.0 {
            Form::Open { mask, .. } => KeyHash(fold(fold(x ^ mask, FACTORS[0]), FACTORS[1])),
            _ => self.hash_slowly(Domain::Integer, &x.to_le_bytes()),
        }
    }

    #[cold]
    #[inline(never)]
    fn hash_slowly(&self, domain: Domain, bytes: &[u8]) -> KeyHash {
        match self.0 {
            Form::Keyed { key } => KeyHash(sip(key, domain, bytes)),
            Form::Xxh64 => KeyHash(XxHash64::oneshot(0, bytes)),
            Form::Open { .. } => self.hash_bytes(bytes),
            #[expect(clippy::panic, reason = "any hash would be a wrong answer later")]
            Form::External => panic!(
                "this filter was built from external hashes; \
                 use the methods that end in _hash"
            ),
            #[expect(clippy::panic, reason = "any hash would be a wrong answer later")]
            Form::Locked { .. } => panic!(
                "this filter was opened without its secret key; open it with Open::key to query it"
            ),
        }
    }
}

/// Two seeds are equal when they give equal hashes. For a keyed filter opened without its key the
/// check value decides.
impl PartialEq for Seed {
    fn eq(&self, other: &Seed) -> bool {
        match (self.0, other.0) {
            (Form::Keyed { key: ours }, Form::Keyed { key: theirs }) => ours == theirs,
            _ => self.kind() == other.kind(),
        }
    }
}

impl Eq for Seed {}

impl Default for Seed {
    fn default() -> Seed {
        Seed::FIXED
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            SeedKind::Fixed => f.write_str("Seed(fixed)"),
            SeedKind::Chosen(seed) => write!(f, "Seed({seed})"),
            SeedKind::Keyed { .. } => f.write_str("Seed(keyed)"),
            SeedKind::Xxh64 => f.write_str("Seed(XXH64)"),
            SeedKind::External => f.write_str("Seed(external)"),
        }
    }
}

/// The xor of both halves of the 128-bit product.
#[inline]
pub(crate) fn fold(x: u64, factor: u64) -> u64 {
    let product = u128::from(x) * u128::from(factor);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    (product as u64 ^ (product >> 64) as u64)
}

/// Separates text, integers, tuples and the second hash of text under a secret key. Otherwise 8 bytes of text and an integer
/// could be the same key, a certain false positive for anyone who knows that. The key's second word
/// is xored, as SipHash itself does for its longer output.
#[derive(Clone, Copy)]
enum Domain {
    Bytes = 0,
    Integer = 1,
    Tuple = 2,
    Again = 3,
}

fn sip([low, high]: [u64; 2], domain: Domain, bytes: &[u8]) -> u64 {
    SipHasher13::new_with_keys(low, high ^ domain as u64).hash(bytes)
}

/// A bijection that diffuses every bit of a seed (the finalizer of SplitMix64); 0 stays 0.
pub(crate) const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(MIX[0]);
    x = (x ^ (x >> 27)).wrapping_mul(MIX[1]);
    x ^ (x >> 31)
}

/// The inverse of [`mix`]: each step undone, the last first. A shift is undone by shifting twice, a
/// product by the inverse of its factor modulo 2⁶⁴.
pub(crate) const fn unmix(mut x: u64) -> u64 {
    const INVERSE: [u64; 2] = [0x96DE_1B17_3F11_9089, 0x3196_42B2_D24D_8EC3];
    const { assert!(MIX[0].wrapping_mul(INVERSE[0]) == 1 && MIX[1].wrapping_mul(INVERSE[1]) == 1) };
    x = (x ^ (x >> 31) ^ (x >> 62)).wrapping_mul(INVERSE[1]);
    x = (x ^ (x >> 27) ^ (x >> 54)).wrapping_mul(INVERSE[0]);
    x ^ (x >> 30) ^ (x >> 60)
}

/// The two odd multipliers of [`mix`].
const MIX: [u64; 2] = [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB];

/// A key: bytes, text, integers, `bool`, and tuples of them.
///
/// `5u8`, `5u64` and `5usize` are the same key; `"5"` is a different one. Negative numbers are
/// sign-extended, so `-1i8` and `-1i64` are the same key. `false` is 0 and `true` is 1. 128-bit
/// integers hash as 16 bytes, whatever their value. Text hashes as its UTF-8 bytes, so `"ab"` and
/// `b"ab"` are the same key.
pub trait Key {
    /// The key's hash under a seed.
    fn key_hash(&self, seed: &Seed) -> KeyHash;

    /// Prefetches the key's bytes, if they are behind a pointer. Batches prefetch strings some keys
    /// before hashing them.
    #[inline]
    fn prefetch(&self) {}

    /// Appends the key to a tuple's bytes unambiguously: a tag, a length if it varies, the bytes.
    fn frame(&self, out: &mut Vec<u8>);

    /// The key as text or as an integer, for filters whose keys have a
    /// [rule](crate::recipe::KeyRule). `None`: the rule takes the parts of the frame.
    #[inline]
    fn given(&self) -> Option<Given<'_>> {
        None
    }
}

/// A key as it was given, before a [rule](crate::recipe::KeyRule) is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given<'a> {
    /// Text, such as a line, a field or an argument.
    Text(&'a [u8]),
    /// Bytes that are no text, such as a binary record: what hexadecimal text stands for.
    Bytes(&'a [u8]),
    /// An integer.
    Integer(i128),
}

/// Tags of [`Key::frame`]. They are part of the format.
const FRAME_BYTES: u8 = 0;
const FRAME_INTEGER: u8 = 1;
const FRAME_TUPLE: u8 = 2;
/// Tag of [`Hashed`](super::hashed::Hashed) keys; files with such keys are not portable.
pub(super) const FRAME_HASHED: u8 = 3;

/// Makes `frame` the beginning of the frame of a tuple; the frames of its parts follow.
pub(crate) fn begin_tuple(frame: &mut Vec<u8>, parts: u8) {
    frame.clear();
    frame.extend([FRAME_TUPLE, parts]);
}

/// The parts of a key from its frame: one, or those of a tuple. `None` for tuples of tuples and
/// [`Hashed`](super::hashed::Hashed) keys.
pub(crate) fn unframe(frame: &[u8]) -> Option<Vec<Given<'_>>> {
    let (count, mut rest) = match frame {
        [FRAME_TUPLE, count, rest @ ..] => (usize::from(*count), rest),
        rest => (1, rest),
    };
    let mut parts = Vec::with_capacity(count);
    for _ in 0..count {
        let (tag, after) = rest.split_first()?;
        let (word, after) = after.split_first_chunk()?;
        let word = u64::from_le_bytes(*word);
        rest = after;
        match *tag {
            FRAME_INTEGER => parts.push(Given::Integer(word.into())),
            FRAME_BYTES => {
                let (bytes, after) = after.split_at_checked(usize::try_from(word).ok()?)?;
                parts.push(Given::Text(bytes));
                rest = after;
            }
            _ => return None,
        }
    }
    Some(parts)
}

impl Key for [u8] {
    #[inline]
    fn key_hash(&self, seed: &Seed) -> KeyHash {
        seed.hash_bytes(self)
    }

    /// The first two cache lines, enough for a URL.
    #[inline]
    fn prefetch(&self) {
        prefetch(self.as_ptr());
        if self.len() > 64 {
            prefetch(self.as_ptr().wrapping_add(64));
        }
    }

    fn frame(&self, out: &mut Vec<u8>) {
        out.push(FRAME_BYTES);
        out.extend_from_slice(&(self.len() as u64).to_le_bytes());
        out.extend_from_slice(self);
    }

    #[inline]
    fn given(&self) -> Option<Given<'_>> {
        Some(Given::Text(self))
    }
}

/// A type whose key is that of what it derefs or converts to.
macro_rules! same_key_as {
    ($($type:ty, $self:ident => $inner:expr $(, [$($generics:tt)*])?;)*) => {$(
        impl$(<$($generics)*>)? Key for $type {
            #[inline]
            fn key_hash(&$self, seed: &Seed) -> KeyHash {
                $inner.key_hash(seed)
            }
            #[inline]
            fn prefetch(&$self) {
                $inner.prefetch();
            }
            fn frame(&$self, out: &mut Vec<u8>) {
                $inner.frame(out);
            }
            #[inline]
            fn given(&$self) -> Option<Given<'_>> {
                $inner.given()
            }
        }
    )*};
}

same_key_as! {
    str, self => self.as_bytes();
    String, self => self.as_bytes();
    Vec<u8>, self => self.as_slice();
    [u8; N], self => self.as_slice(), [const N: usize];
    &K, self => (**self), [K: Key + ?Sized];
    Box<K>, self => (**self), [K: Key + ?Sized];
    Arc<K>, self => (**self), [K: Key + ?Sized];
    Cow<'_, K>, self => (**self), [K: Key + ToOwned + ?Sized];
}

/// Wider than a word: hashed as 16 bytes, but to a rule they are integers.
macro_rules! wide_keys {
    ($($type:ty)*) => {$(
        impl Key for $type {
            #[inline]
            fn key_hash(&self, seed: &Seed) -> KeyHash {
                self.to_le_bytes().key_hash(seed)
            }
            fn frame(&self, out: &mut Vec<u8>) {
                self.to_le_bytes().frame(out);
            }
            #[inline]
            fn given(&self) -> Option<Given<'_>> {
                i128::try_from(*self).ok().map(Given::Integer)
            }
        }
    )*};
}

wide_keys!(u128 i128);

macro_rules! integer_keys {
    ($($type:ty)*) => {$(
        impl Key for $type {
            #[inline]
            fn key_hash(&self, seed: &Seed) -> KeyHash {
                #[allow(
                    clippy::allow_attributes,
                    clippy::cast_lossless,
                    clippy::cast_possible_truncation,
                    reason = "sign-extended or zero-extended; usize has at most 64 bits"
                )]
                seed.hash_integer(*self as u64)
            }
            fn frame(&self, out: &mut Vec<u8>) {
                out.push(FRAME_INTEGER);
                #[allow(
                    clippy::allow_attributes,
                    clippy::cast_lossless,
                    clippy::cast_possible_truncation,
                    reason = "as in hash"
                )]
                out.extend_from_slice(&(*self as u64).to_le_bytes());
            }
            #[inline]
            fn given(&self) -> Option<Given<'_>> {
                #[allow(clippy::allow_attributes, clippy::cast_lossless, reason = "fits")]
                Some(Given::Integer(*self as i128))
            }
        }
    )*};
}

integer_keys!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

macro_rules! tuple_keys {
    ($($count:literal: $($part:ident $index:tt),+;)*) => {$(
        impl<$($part: Key),+> Key for ($($part,)+) {
            fn key_hash(&self, seed: &Seed) -> KeyHash {
                let mut framed = Vec::with_capacity(64);
                self.frame(&mut framed);
                seed.hash_frame(&framed)
            }
            fn frame(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&[FRAME_TUPLE, $count]);
                $(self.$index.frame(out);)+
            }
        }
    )*};
}

tuple_keys! {
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
}

/// A tuple of keys whose number is known only at run time; the same key as the tuple of Rust.
///
/// ```
/// use anther::{Key, Seed, TupleKey};
///
/// let mut key = TupleKey::new();
/// key.push("Ada").push(1815);
/// assert_eq!(key.key_hash(&Seed::FIXED), ("Ada", 1815).key_hash(&Seed::FIXED));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TupleKey {
    frame: Vec<u8>,
}

impl TupleKey {
    /// The most parts.
    pub const MAX_PARTS: usize = u8::MAX as usize;

    /// A tuple without parts. Files know tuples of two parts or more; see FORMAT.md.
    pub fn new() -> TupleKey {
        let mut frame = Vec::with_capacity(64);
        begin_tuple(&mut frame, 0);
        TupleKey { frame }
    }

    /// Appends a part, which may be a tuple itself.
    ///
    /// # Panics
    /// When it has [`MAX_PARTS`](TupleKey::MAX_PARTS) already.
    pub fn push(&mut self, part: impl Key) -> &mut TupleKey {
        assert!(self.parts() < TupleKey::MAX_PARTS, "a tuple has at most 255 parts");
        self.frame[1] += 1;
        part.frame(&mut self.frame);
        self
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.frame[1].into()
    }

    /// Drops all parts and keeps the memory.
    pub fn clear(&mut self) {
        begin_tuple(&mut self.frame, 0);
    }
}

impl Default for TupleKey {
    fn default() -> TupleKey {
        TupleKey::new()
    }
}

impl Key for TupleKey {
    fn key_hash(&self, seed: &Seed) -> KeyHash {
        seed.hash_frame(&self.frame)
    }

    fn frame(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.frame);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_made_at_run_time_are_those_of_rust() {
        for seed in [Seed::FIXED, Seed::chosen(9), Seed::keyed([5; 16])] {
            let (mut pair, mut nested) = (TupleKey::new(), TupleKey::new());
            pair.push("a").push(-1);
            assert_eq!(pair.key_hash(&seed), ("a", -1).key_hash(&seed));
            nested.push(&pair).push(1u128 << 70).push(b"");
            assert_eq!(nested.parts(), 3);
            let same = (("a", -1), 1u128 << 70, b"");
            assert_eq!(nested.key_hash(&seed), same.key_hash(&seed));
            nested.clear();
            nested.push(1).push(2);
            assert_eq!(nested.key_hash(&seed), (1, 2).key_hash(&seed));
        }
    }

    #[test]
    fn widths_of_one_integer_are_one_key_and_text_is_another() {
        let seed = Seed::chosen(3);
        assert_eq!(5u8.key_hash(&seed), 5u64.key_hash(&seed));
        assert_eq!(5usize.key_hash(&seed), 5i32.key_hash(&seed));
        assert_eq!((-1i8).key_hash(&seed), (-1i64).key_hash(&seed));
        assert_eq!(
            [false, true].map(|bit| bit.key_hash(&seed)),
            [0, 1].map(|bit| bit.key_hash(&seed))
        );
        assert_eq!(("a", true).key_hash(&seed), ("a", 1).key_hash(&seed));
        assert_eq!(true.given(), Some(Given::Integer(1)));
        assert_ne!(5u64.key_hash(&seed), "5".key_hash(&seed));
        assert_eq!("ab".key_hash(&seed), b"ab".key_hash(&seed));
        assert_eq!(5u128.key_hash(&seed), 5u128.to_le_bytes().as_slice().key_hash(&seed));
    }

    #[test]
    fn what_is_mixed_can_be_told() {
        for x in (0..64).flat_map(|bit| [1 << bit, u64::MAX << bit, u64::MAX >> bit, bit]) {
            assert_eq!(unmix(mix(x)), x);
            assert_eq!(mix(unmix(x)), x);
        }
    }

    #[test]
    fn composites_are_framed() {
        let seed = Seed::FIXED;
        assert_ne!(("ab", "c").key_hash(&seed), ("a", "bc").key_hash(&seed));
        assert_ne!((1u8, "a").key_hash(&seed), ("a", 1u8).key_hash(&seed));
        assert_ne!((("a", "b"), "c").key_hash(&seed), ("a", ("b", "c")).key_hash(&seed));
        assert_eq!(("a", 1u8).key_hash(&seed), ("a".to_string(), 1i64).key_hash(&seed));
    }

    #[test]
    fn a_seed_changes_bytes_and_integers() {
        for (one, other) in [(0, 1), (1, 2), (5, u64::MAX)] {
            let (one, other) = (Seed::chosen(one), Seed::chosen(other));
            assert_ne!("a".key_hash(&one), "a".key_hash(&other));
            assert_ne!(7u64.key_hash(&one), 7u64.key_hash(&other));
        }
        assert_eq!(Seed::chosen(0), Seed::FIXED);
    }

    #[test]
    fn a_secret_key_is_never_shown() {
        let seed = Seed::keyed(*b"0123456789abcdef");
        assert_eq!(format!("{seed:?}"), "Seed(keyed)");
        let SeedKind::Keyed { check } = seed.kind() else { unreachable!() };
        assert_ne!(check, sip([0, 0], Domain::Bytes, KEY_CHECK));
        assert_eq!(Seed::locked(check), seed);
        assert_ne!(Seed::keyed([0; 16]), seed);
        assert!(!Seed::locked(check).can_hash());
    }

    #[test]
    fn text_integers_and_tuples_are_apart_under_a_secret_key() {
        let seed = Seed::keyed([3; 16]);
        assert_ne!(0x6867_6665_6463_6261u64.key_hash(&seed), "abcdefgh".key_hash(&seed));
        let mut frame = Vec::new();
        ("a", 5u8).frame(&mut frame);
        assert_ne!(("a", 5u8).key_hash(&seed), frame.key_hash(&seed));
    }

    #[test]
    #[should_panic(expected = "external hashes")]
    fn external_hashes_are_not_made_here() {
        "key".key_hash(&Seed::EXTERNAL);
    }
}
