//! A filter of Parquet alone: a header in Thrift's compact protocol, and the bit set.
//!
//! ```text
//! 1  i32     bytes of the bit set
//! 2  union   algorithm: 1 split blocks
//! 3  union   hash: 1 XXH64
//! 4  union   compression: 1 none
//!            blocks of 32 bytes: eight little-endian words
//! ```
//!
//! The bits are those of [`Split`], whose words have the same bytes.

use super::thrift::{I32, Struct};
use crate::error::ForeignError;
use crate::filter::split::Split;
use crate::parts::bits::Bits;
use crate::parts::hash::Seed;
use crate::parts::probes::Lanes;
use crate::parts::words::Words;
use crate::profile::About;
use crate::target::Target;

/// Bytes of a block.
const BLOCK: u64 = 32;
/// No writer's header is longer than 21 bytes.
pub(super) const MAX_HEADER: u64 = 64;
/// The largest filter that Arrow and parquet-java read.
pub(super) const MAX_BYTES: u64 = 128 << 20;

/// The bytes of a bit set, and where it begins.
pub(super) fn read_header(bytes: &[u8]) -> Result<(u64, u64), ForeignError> {
    let (header, rest) = Struct::read(bytes)?;
    let len = header.i32(1)?.ok_or(ForeignError::Malformed("a filter without its length"))?;
    let len = checked_len(len.into())?;
    let names = [(2, "algorithm", "split blocks"), (3, "hash", "XXH64")];
    for (id, name, only) in names.into_iter().chain([(4, "compression", "none")]) {
        let union = header.child(id)?.ok_or(ForeignError::Malformed("a filter's header"))?;
        if union.child(1)?.is_none() {
            return Err(ForeignError::field(name, "another one", only));
        }
    }
    Ok((len, (bytes.len() - rest.len()) as u64))
}

/// Whole blocks, as many as the header's 32 bits can say.
pub(super) fn checked_len(len: i64) -> Result<u64, ForeignError> {
    let most = i64::from(i32::MAX);
    match u64::try_from(len) {
        Ok(bytes) if bytes > 0 && bytes.is_multiple_of(BLOCK) && len <= most => Ok(bytes),
        _ => Err(ForeignError::field("bytes", len, "a positive multiple of 32, below 2^31")),
    }
}

/// Whether all readers take a filter of this size. Arrow refuses all but powers of two.
pub(super) fn check_size(len: u64) -> Result<(), ForeignError> {
    if len.is_power_of_two() && (BLOCK..=MAX_BYTES).contains(&len) {
        return Ok(());
    }
    Err(ForeignError::Refused(
        "Arrow reads filters only if their bytes are a power of two from 32 to 128 MiB, and this one \
         has another size; build one from the keys with --to parquet",
    ))
}

/// The header of a filter, as pyarrow, DuckDB and parquet-java write it.
pub(super) fn header(filter: &Split) -> Result<Vec<u8>, ForeignError> {
    let len = filter.bits.len() / 8;
    check_size(len)?;
    let (mut header, mut union) = (Struct::default(), Struct::default());
    #[expect(clippy::cast_possible_wrap, reason = "at most 128 MiB")]
    header.set_number(1, I32, len as i64);
    union.set_child(1, &Struct::default());
    (2..=4).for_each(|id| header.set_child(id, &union));
    let mut bytes = Vec::new();
    header.write(&mut bytes);
    Ok(bytes)
}

/// The bytes of the bit set.
pub(super) fn bits(filter: &Split) -> impl Iterator<Item = u8> {
    filter.bits.words().iter().flat_map(|word| word.to_le_bytes())
}

/// The filter of a bit set.
pub(super) fn filter(bytes: &[u8]) -> Result<Split, ForeignError> {
    let blocks = bytes.len() as u64 / BLOCK;
    let words = Words::copied(bytes)?;
    let bits = Bits::from_words(words, blocks * Lanes::BITS).ok_or(ForeignError::Truncated)?;
    Ok(Split { pattern: Lanes::new(blocks), bits, about: About::new(Seed::XXH64, None) })
}

/// An empty filter of the size that Arrow and DuckDB choose for this many distinct keys: the bytes
/// are a power of two.
pub(super) fn empty(target: Target) -> Result<Split, ForeignError> {
    let bits = -8.0 * target.items() as f64 / (1.0 - target.fpr().powf(1.0 / 8.0)).ln();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as in Arrow")]
    let bits = (bits as u64).max(BLOCK * 8);
    match bits.checked_next_power_of_two().map(|bits| bits / Lanes::BITS) {
        Some(blocks) if blocks * BLOCK <= MAX_BYTES => {
            Ok(Split::zeroed(Lanes::new(blocks), Seed::XXH64, None)?)
        }
        _ => Err(ForeignError::Refused(
            "a filter of Parquet has 128 MiB at most; write smaller row groups, or choose a higher \
             false-positive rate",
        )),
    }
}
