//! How much memory a filter takes, and the lines of files in a set: `tour --weigh`, which the tour
//! runs once a structure.

use crate::error::Error;
use crate::memory::{self, Weight};
use anther::{AnyFilter, Filter, Open};
use std::any::Any;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Fills a structure and weighs it.
pub fn weigh(structure: &Path, files: &[PathBuf]) -> Result<Weight, Error> {
    memory::weighed(|| -> Result<(u64, Box<dyn Any>), Error> {
        match (structure.to_str(), files) {
            (Some("filter"), [path]) => {
                let filter: AnyFilter = Open::new()
                    .without_hashing()
                    .file(path)
                    .map_err(|error| Error::about(path.display(), error))?;
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
                Err(Error::about(structure.display(), cause))
            }
        }
    })
}

/// Hands on every line as a string of its own; how many bytes the new ones take at least.
fn each_line(files: &[PathBuf], mut insert: impl FnMut(String) -> bool) -> Result<u64, Error> {
    let mut least = 0;
    for path in files {
        let trouble = |error| Error::about(path.display(), error);
        for line in BufReader::new(File::open(path).map_err(trouble)?).lines() {
            // Without the room that reading left behind its end.
            let line = line.map_err(trouble)?.into_boxed_str().into_string();
            let bytes = (line.len() + size_of::<String>()) as u64;
            least += if insert(line) { bytes } else { 0 };
        }
    }
    Ok(least)
}
