//! Many keys at once: loops that prefetch, threads, sorting.
//!
//! | file | what it does |
//! |---|---|
//! | [`threads`] | how many threads, and the queue from which they take jobs |
//! | `bulk` | inserting many keys into plain bits, by threads that own parts of the memory |
//! | `blocks` | keys that are hashed block by block, for lookups and inserts on threads |
//! | `ahead` | loops that test or insert a key some time after its lines were prefetched |
//! | `spread` | the same for probes that spread over all bits |
//! | `steps` | the same for lookups that read one line after the other |
//! | [`source`] | keys that are read several times, and how a build may use the machine |
//! | [`sort`](mod@sort) | sorting hashes, on several threads |

pub(crate) mod ahead;
pub(crate) mod blocks;
pub(crate) mod bulk;
pub mod sort;
pub mod source;
pub(crate) mod spread;
pub(crate) mod steps;
pub mod threads;

use crate::parts::hash::{Key, KeyHash, Seed};
use std::ops::Range;

/// Where hashes come from: as many as there are keys.
pub trait Hashes: Iterator<Item = KeyHash> {}
impl<H: Iterator<Item = KeyHash>> Hashes for H {}

/// The hashes of a slice of keys. The bytes of later keys are prefetched.
pub(crate) fn hashes<'k, K: Key>(
    keys: &'k [K],
    seed: &'k Seed,
) -> impl ExactSizeIterator<Item = KeyHash> {
    const AHEAD: usize = 32;
    keys.iter().enumerate().map(|(at, key)| {
        if let Some(later) = keys.get(at + AHEAD) {
            later.prefetch();
        }
        key.key_hash(seed)
    })
}

/// Hashes keys block by block, and passes on each block with the range of its keys.
pub(crate) fn in_blocks<K: Key, E>(
    keys: &[K],
    seed: &Seed,
    mut take: impl FnMut(Range<usize>, &[KeyHash]) -> Result<(), E>,
) -> Result<(), E> {
    const BLOCK: usize = 512;
    let mut block = [KeyHash(0); BLOCK];
    for (number, keys) in keys.chunks(BLOCK).enumerate() {
        for (slot, hash) in block.iter_mut().zip(hashes(keys, seed)) {
            *slot = hash;
        }
        let start = number * BLOCK;
        take(start..start + keys.len(), &block[..keys.len()])?;
    }
    Ok(())
}
