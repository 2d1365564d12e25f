//! How much memory a structure takes: `tour --weigh`, which the tour runs once a structure, in a
//! process of its own.
//!
//! On Linux the system tells how much memory the process has touched; what came with the
//! structure is its weight, with all that the allocator adds. Elsewhere the weight is computed
//! from what the structure must hold at least.

use crate::exit::{Exit, Outcome, Stop};
use crate::file;
use crate::output::Out;
use anther::{Filter, Open};
use serde::Serialize;
use std::any::Any;
use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Weight {
    bytes: u64,
    method: &'static str,
}

/// Fills a structure and prints its weight.
pub fn run(structure: &Path, files: &[PathBuf]) -> Outcome {
    let before = resident();
    // What it must hold at least, and the structure itself, alive until it was weighed.
    let (least, structure): (u64, Box<dyn Any>) = match (structure.to_str(), files) {
        (Some("filter"), [path]) => {
            let filter = file::open(path, Open::new().without_hashing())?;
            (filter.profile().bits / 8, Box::new(filter))
        }
        (Some("hash-set"), _) => {
            let mut set = HashSet::new();
            let least = each_line(files, |line| set.insert(line))?;
            (least, Box::new(set))
        }
        (Some("b-tree"), _) => {
            let mut set = BTreeSet::new();
            let least = each_line(files, |line| set.insert(line))?;
            (least, Box::new(set))
        }
        _ => {
            let cause = "cannot be weighed; one filter can, and the lines of files in a \
                         hash-set or a b-tree";
            return Err(Stop::about(structure.display(), cause));
        }
    };
    let after = resident();
    black_box(structure);
    let weight = match (before, after) {
        (Some(before), Some(after)) if after > before => {
            Weight { bytes: after - before, method: "measured: growth of the process" }
        }
        _ => Weight { bytes: least, method: "computed: what it must hold at least" },
    };
    let mut out = Out::stdout();
    out.json(&weight)?;
    out.finish()?;
    Ok(Exit::Success)
}

/// Hands on every line as a string of its own; how many bytes the new ones take at least.
fn each_line(files: &[PathBuf], mut insert: impl FnMut(String) -> bool) -> Result<u64, Stop> {
    let mut least = 0;
    for path in files {
        let trouble = |error| Stop::about(path.display(), error);
        for line in BufReader::new(File::open(path).map_err(trouble)?).lines() {
            // Without the room that reading left behind its end.
            let line = line.map_err(trouble)?.into_boxed_str().into_string();
            let bytes = (line.len() + size_of::<String>()) as u64;
            least += if insert(line) { bytes } else { 0 };
        }
    }
    Ok(least)
}

/// The memory that this process has touched, where the system tells.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
