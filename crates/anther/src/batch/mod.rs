//! Many keys at once: loops that prefetch, threads, sorting.
//!
//! | file | what it does |
//! |---|---|
//! | `ahead` | loops that test or insert a key some time after its lines were prefetched |
//! | `spread` | the same for probes that spread over all bits |
//! | [`source`] | keys that are read several times, and how a build may use the machine |
//! | `sort` | sorting hashes, on several threads |

pub(crate) mod ahead;
pub(crate) mod sort;
pub mod source;
pub(crate) mod spread;

use crate::parts::hash::{Key, KeyHash, Seed};

/// Where hashes come from: as many as there are keys.
pub trait Hashes: Iterator<Item = KeyHash> {}
impl<H: Iterator<Item = KeyHash>> Hashes for H {}

/// The hashes of keys in a row, each made some time after its bytes were asked for.
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
