//! Which files are searched, and what of them.

use super::pieces::Context;
use anther::Threads;
use anther_index::{Candidates, FileEntry, Found, Index, Root, Warn, below};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{self, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A file to search.
#[derive(Debug)]
pub struct Job<'a> {
    /// Its path, as ripgrep would print it.
    pub path: PathBuf,
    /// Whether it was given to index, and not found in a folder.
    pub is_given: bool,
    /// What the index knows, if the file is still the same.
    pub entry: Option<&'a FileEntry>,
}

/// What a search knows from the index.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub index: &'a Index,
    /// The blocks that can match. `None` if each of them must be searched.
    pub candidates: Option<&'a Candidates>,
    pub context: Context,
}

/// The files that must be searched, and what was skipped instead.
pub struct Jobs<'a> {
    /// In the order in which they are printed.
    pub list: Vec<Job<'a>>,
    pub files_skipped: u64,
    /// Those of files that were skipped.
    pub blocks_skipped: u64,
}

impl<'a> Known<'a> {
    /// Walks through the roots of the index. The threads of the walk also look up what they find:
    /// of 10,000 files most of the time goes into their metadata. The index itself, at `own`, is left out.
    pub fn jobs(&self, own: &Path, keep_all: bool, warn: Warn<'_>) -> Jobs<'a> {
        let (index, own) = (self.index, fs::canonicalize(own).ok());
        let roots: Vec<PathBuf> = index.roots().iter().map(shown).collect();
        let entries = self.entries();
        let list = Mutex::new(Vec::new());
        let (files_skipped, blocks_skipped) = (AtomicU64::new(0), AtomicU64::new(0));
        let visit = |found: Found| {
            let Some(root) = roots.get(found.root as usize) else { return };
            let full = below(root, &found.path);
            let is_given = found.path.as_os_str().is_empty();
            if own.as_ref().is_some_and(|own| is_same(own, &full, is_given)) {
                return;
            }
            let entry = entries.get(&(found.root, found.path.as_os_str())).copied();
            let entry = entry.filter(|entry| {
                fs::metadata(&full).is_ok_and(|metadata| entry.is_unchanged(&metadata))
            });
            if let (Some(entry), Some(candidates)) = (entry, self.candidates)
                && !keep_all
                && !entry.blocks.clone().any(|block| candidates.contains(block))
            {
                let blocks = u64::from(entry.blocks.end - entry.blocks.start);
                files_skipped.fetch_add(1, Ordering::Relaxed);
                blocks_skipped.fetch_add(blocks, Ordering::Relaxed);
                return;
            }
            let job = Job { path: full, is_given, entry };
            list.lock().unwrap_or_else(PoisonError::into_inner).push((found, job));
        };
        let threads = Threads::all().get();
        anther_index::visit(index.roots(), index.settings(), threads, warn, &visit);
        let mut list = list.into_inner().unwrap_or_else(PoisonError::into_inner);
        list.sort_unstable_by(|(one, _), (two, _)| one.order(two));
        Jobs {
            list: list.into_iter().map(|(_, job)| job).collect(),
            files_skipped: files_skipped.into_inner(),
            blocks_skipped: blocks_skipped.into_inner(),
        }
    }

    /// The entries of the index by root and path, if it is used.
    fn entries(&self) -> HashMap<(u32, &'a OsStr), &'a FileEntry> {
        let files = self.candidates.map_or(&[][..], |_| self.index.files());
        files.iter().map(|entry| ((entry.root, entry.path.as_os_str()), entry)).collect()
    }
}

/// Whether a path leads to a file whose canonical path is known. Only what was given may be a link,
/// and have another name.
fn is_same(known: &Path, path: &Path, is_given: bool) -> bool {
    (is_given || known.file_name() == path.file_name())
        && fs::canonicalize(path).is_ok_and(|path| path == known)
}

/// The root as it was given, if that means the same in this folder.
fn shown(root: &Root) -> PathBuf {
    match path::absolute(&root.given) {
        Ok(absolute) if absolute == root.path => root.given.clone(),
        _ => root.path.clone(),
    }
}

/// Whether all that was given is one file, so that its path need not be printed.
pub fn is_one_file(index: &Index) -> bool {
    matches!(index.roots(), [root] if !Path::new(&root.path).is_dir())
}
