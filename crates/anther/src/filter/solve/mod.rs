//! Shared by the static kinds, which are built once from all keys.
//!
//! | file | what it does | for |
//! |---|---|---|
//! | `shards` | divides keys into shards, within a memory budget and on all cores | all |
//! | `slots` | where the slots of a key are | fuse, bloomier |
//! | `peel` | orders the keys so that each has its own slot, and fills the cells | fuse, bloomier |
//! | `band` | solves linear equations over bits, each within 64 slots | ribbon, cascade |

pub(crate) mod band;
pub(crate) mod peel;
pub(crate) mod shards;
pub(crate) mod slots;

use crate::batch::sort::sort;
use crate::batch::source::Work;
use crate::error::{BuildError, SizeError};
use crate::options::Options;
use crate::parts::hash::{Key, Seed};
use crate::target::Target;
use crate::traits::Build;

/// Builds the filter of these keys, at this false-positive rate, with the fixed seed and no
/// options.
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
