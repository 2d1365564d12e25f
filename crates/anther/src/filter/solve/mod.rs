//! What static kinds share: filters that are built once, from all keys.
//!
//! | file | what it does | for |
//! |---|---|---|
//! | `shards` | keys in shards: within a memory budget, on all cores, in any order | all |
//! | `peel` | an order in which every key has a slot of its own, and cells filled in it | fuse, bloomier |
//! | `band` | linear equations over bits, each within 64 slots | ribbon |

pub(crate) mod band;
pub(crate) mod peel;
pub(crate) mod shards;

use crate::batch::sort::sort;
use crate::batch::source::Work;
use crate::error::{BuildError, SizeError};
use crate::options::Options;
use crate::parts::hash::{Key, Seed};
use crate::target::Target;
use crate::traits::Build;

/// The filter of these keys, at this rate, with the fixed seed and no options.
pub(crate) fn build_from_keys<F: Build, K: Key>(
    keys: impl IntoIterator<Item = K>,
    fpr: f64,
) -> Result<F, BuildError> {
    let seed = Seed::FIXED;
    let mut hashes: Vec<_> = keys.into_iter().map(|key| key.key_hash(&seed)).collect();
    let work = Work::new();
    sort(&mut hashes, work.cores());
    hashes.dedup();
    let items = (hashes.len() as u64).max(1);
    let target = Target::new(items, fpr).map_err(SizeError::from)?;
    F::build(&mut hashes, target, &Options::default(), seed, work)
}
