//! How much memory a filter takes, and the lines of files in a set: `tour --weigh`, which the tour
//! runs once a structure.

use crate::exit::{Outcome, Stop};
use crate::{file, weigh};
use anther::{Filter, Open};
use std::any::Any;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Fills a structure and prints its weight.
pub fn run(structure: &Path, files: &[PathBuf]) -> Outcome {
    weigh::print(|| -> Result<(u64, Box<dyn Any>), Stop> {
        match (structure.to_str(), files) {
            (Some("filter"), [path]) => {
                let filter = file::open(path, Open::new().without_hashing())?;
                Ok((filter.profile().bits / 8, Box::new(filter)))
            }
            (Some("hash-set"), _) => {
                let mut set = HashSet::new();
                let least = each_line(files, |line| set.insert(line))?;
                Ok((least, Box::new(set)))
            }
            (Some("b-tree"), _) => {
                let mut set = BTreeSet::new();
                let least = each_line(files, |line| set.insert(line))?;
                Ok((least, Box::new(set)))
            }
            _ => {
                let cause = "cannot be weighed; one filter can, and the lines of files in a \
                             hash-set or a b-tree";
                Err(Stop::about(structure.display(), cause))
            }
        }
    })
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
