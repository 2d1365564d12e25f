//! Which files are searched, and what of them.

use super::pieces::Context;
use anther::Threads;
use anther_index::{Candidates, FileEntry, Found, Index, Root, below};
use std::fs;
use std::path::{self, Path, PathBuf};
use std::thread;

/// All files below the roots of an index except itself, in the order in which they are printed.
pub fn found(index: &Index, own: &Path, warn: &(dyn Fn(&Path, &str) + Sync)) -> Vec<Found> {
    let threads = Threads::all().get();
    let mut found = anther_index::files(index.roots(), index.settings(), threads, warn);
    if let Ok(own) = fs::canonicalize(own) {
        found
            .retain(|file| !own.ends_with(&file.path) || !is_same(&own, &file.full(index.roots())));
    }
    found
}

fn is_same(one: &Path, two: &Path) -> bool {
    fs::canonicalize(two).is_ok_and(|two| one == two)
}

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

impl<'a> Known<'a> {
    /// The files that must be searched, in the order in which they are printed. Also says how many
    /// blocks of unchanged files were skipped with all their file.
    pub fn jobs(&self, found: &[Found], keep_all: bool) -> (Vec<Job<'a>>, u64) {
        let roots: Vec<PathBuf> = self.index.roots().iter().map(shown).collect();
        let threads = Threads::all().get();
        let share = found.len().div_ceil(threads).max(1);
        let mut jobs = Vec::new();
        let mut skipped = 0;
        thread::scope(|scope| {
            let parts: Vec<_> = found
                .chunks(share)
                .map(|part| {
                    let roots = &roots;
                    scope.spawn(move || self.part(part, roots, keep_all))
                })
                .collect();
            for part in parts {
                // A thread that panics has printed why, and takes the program with it.
                let (more, skips) =
                    part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                jobs.extend(more);
                skipped += skips;
            }
        });
        (jobs, skipped)
    }

    fn part(&self, found: &[Found], roots: &[PathBuf], keep_all: bool) -> (Vec<Job<'a>>, u64) {
        let mut skipped = 0;
        let mut jobs = Vec::new();
        for Found { root, path } in found {
            let Some(shown) = roots.get(*root as usize) else { continue };
            let full = below(shown, path);
            let entry = self.index.file(*root, path).filter(|_| self.candidates.is_some());
            let entry = entry.filter(|entry| {
                fs::metadata(&full).is_ok_and(|metadata| entry.is_unchanged(&metadata))
            });
            if let (Some(entry), Some(candidates)) = (entry, self.candidates)
                && !keep_all
                && !entry.blocks.clone().any(|block| candidates.contains(block))
            {
                skipped += u64::from(entry.blocks.end - entry.blocks.start);
                continue;
            }
            jobs.push(Job { path: full, is_given: path.as_os_str().is_empty(), entry });
        }
        (jobs, skipped)
    }
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
