//! How much memory a structure takes: made by a process of its own, which a verb starts with a
//! hidden option, so that nothing else is in the way.
//!
//! On Linux the system tells how much memory the process has touched; what came with the
//! structure is its weight, with all that the allocator adds. Elsewhere the weight is computed
//! from what the structure must hold at least.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fs;
use std::hint::black_box;

/// What such a process prints, as JSON.
#[derive(Debug, Deserialize, Serialize)]
pub struct Weight {
    /// The memory of the structure.
    pub bytes: u64,
    method: String,
}

impl Weight {
    /// Whether the system told it.
    pub fn is_measured(&self) -> bool {
        self.method.starts_with("measured")
    }
}

/// Makes a structure and weighs it. Making gives what it must hold at least, and the structure
/// itself, which is alive until it was weighed.
pub fn weighed(make: impl FnOnce() -> Result<(u64, Box<dyn Any>), Error>) -> Result<Weight, Error> {
    let before = resident();
    let (least, structure) = make()?;
    let after = resident();
    black_box(structure);
    let (bytes, method) = match (before, after) {
        (Some(before), Some(after)) if after > before => {
            (after - before, "measured: growth of the process")
        }
        _ => (least, "computed: what it must hold at least"),
    };
    Ok(Weight { bytes, method: method.to_string() })
}

/// The memory that this process has touched, where the system tells; without the pages of the
/// program itself, of which new ones come with every function that is called first.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let find = |name| status.lines().find_map(|line| line.strip_prefix(name));
    let line = find("RssAnon:").or_else(|| find("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
