//! Which files are searched: those that ripgrep would search, by the same rules.

use crate::entry::{Root, below, path_order};
use crate::tables::Settings;
use ignore::{DirEntry, WalkBuilder};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The walk below a root, with ripgrep's rules: hidden and ignored files are left out unless the
/// settings say otherwise, and symbolic links are not followed, except for the root itself.
pub fn walk(root: &Path, settings: &Settings) -> WalkBuilder {
    let mut walk = WalkBuilder::new(root);
    walk.hidden(!settings.hidden).require_git(true);
    for rule in [WalkBuilder::parents, WalkBuilder::ignore, WalkBuilder::git_global] {
        rule(&mut walk, !settings.no_ignore);
    }
    walk.git_ignore(!settings.no_ignore).git_exclude(!settings.no_ignore);
    if !settings.no_ignore {
        walk.add_custom_ignore_filename(".rgignore");
    }
    walk
}

/// A file to search.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// The number of its root.
    pub root: u32,
    /// Its path below the root; empty for the root itself.
    pub path: PathBuf,
}

impl Found {
    /// Its whole path.
    pub fn full(&self, roots: &[Root]) -> PathBuf {
        below(&roots[self.root as usize].path, &self.path)
    }
}

/// All files below the roots, sorted. Calls a function with what cannot be read, and why.
pub fn files(
    roots: &[Root],
    settings: &Settings,
    threads: usize,
    warn: &(dyn Fn(&Path, &str) + Sync),
) -> Vec<Found> {
    let found = Mutex::new(Vec::new());
    for (number, root) in (0..).zip(roots) {
        let visit = |entry: Result<DirEntry, ignore::Error>| {
            match entry {
                Err(error) => warn(&root.path, &error.to_string()),
                Ok(entry) => {
                    if let Some(error) = entry.error() {
                        warn(entry.path(), &error.to_string());
                    }
                    if is_searched(&entry, warn) {
                        let path = entry.path().strip_prefix(&root.path).unwrap_or(entry.path());
                        let path = path.to_path_buf();
                        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                        found.push(Found { root: number, path });
                    }
                }
            }
            ignore::WalkState::Continue
        };
        walk(&root.path, settings).threads(threads).build_parallel().run(|| Box::new(visit));
    }
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let order = |one: &Found, two: &Found| {
        one.root.cmp(&two.root).then_with(|| path_order(&one.path, &two.path))
    };
    found.sort_unstable_by(order);
    found
}

/// Regular files only. What was given is followed if it is a link, and must be one.
fn is_searched(entry: &DirEntry, warn: &(dyn Fn(&Path, &str) + Sync)) -> bool {
    if entry.depth() > 0 {
        return entry.file_type().is_some_and(|kind| kind.is_file());
    }
    match std::fs::metadata(entry.path()) {
        Ok(metadata) if metadata.is_dir() => false,
        Ok(metadata) if metadata.is_file() => true,
        Ok(_) => {
            warn(entry.path(), "not a regular file, so it is not indexed");
            false
        }
        Err(error) => {
            warn(entry.path(), &error.to_string());
            false
        }
    }
}
