//! Reads what has changed, on all cores, and hands its columns to the groups.

mod part;

use crate::changes::Change;
use crate::cut::Cutter;
use crate::entry::Root;
use crate::error::IndexError;
use crate::index::Index;
use crate::indexer::Indexer;
use crate::parts::{self, Part};
use crate::pending::{BlockKey, Pending};
use crate::read_file::ReadFile;
use crate::tables::Settings;
use crate::walk::Found;
use part::Failed;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// All that the threads share.
pub struct Reading<'a> {
    pub indexer: &'a Indexer<'a>,
    pub roots: &'a [Root],
    pub settings: &'a Settings,
    /// Rows per key of a column.
    pub probes: u32,
    pub found: &'a [Found],
    /// What to do with each file.
    pub changes: &'a [Change],
    pub old: Option<&'a Index>,
    pub pending: Mutex<Pending<'a>>,
    /// Cutters that wait for the next file: their 2 MiB are made once per thread.
    pub cutters: Mutex<Vec<Cutter>>,
    /// What was found out about each file.
    pub files: Vec<Mutex<ReadFile>>,
}

/// A part of a file for one thread.
struct Job {
    file: u32,
    part: Part,
}

impl<'a> Reading<'a> {
    /// Takes over the groups of the old index, and reads all files that have changed. Gives the
    /// groups and what was found out about each file.
    pub fn run(self) -> Result<(Pending<'a>, Vec<ReadFile>), IndexError> {
        self.adopt()?;
        self.read()?;
        let pending = self.pending.into_inner().unwrap_or_else(PoisonError::into_inner);
        let files = self.files.into_iter();
        let files = files.map(|file| file.into_inner().unwrap_or_else(PoisonError::into_inner));
        Ok((pending, files.collect()))
    }

    fn adopt(&self) -> Result<(), IndexError> {
        let Some(old) = self.old else { return Ok(()) };
        let mut keys = vec![None; old.blocks() as usize];
        for (file, change) in (0..).zip(self.changes) {
            let Some((number, end)) = change.kept else { continue };
            let start = old.files()[number as usize].blocks.start;
            for block in start..end {
                keys[block as usize] = Some(BlockKey { file, part: 0, number: block - start });
            }
        }
        let mut pending = self.pending();
        for group in &old.tables.groups {
            let block = |block: &u32| keys.get(*block as usize).copied().flatten();
            let blocks: Vec<_> = group.blocks.iter().map(block).collect();
            pending.adopt((group.matrix, group.shape), old.rows(group), &blocks)?;
        }
        Ok(())
    }

    fn read(&self) -> Result<(), IndexError> {
        let changes = || (0u32..).zip(self.changes);
        let from = |change: &Change| change.read_from.map(|from| change.size.saturating_sub(from));
        self.indexer.watch.begin(changes().filter_map(|(_, change)| from(change)).sum());
        let sources = self.indexer.sources;
        let to_read =
            changes().filter_map(|(file, change)| Some((file, change, change.read_from?)));
        let jobs = to_read.flat_map(|(file, change, from)| {
            let split = self.settings.columns.is_empty()
                && parts::is_long(change.size - from.min(change.size))
                && parts::is_plain(&self.path(file), sources);
            let first = u32::from(change.keeps());
            parts::of(from..change.size, split, first).map(move |part| Job { file, part })
        });
        self.indexer.threads.try_each(jobs, |job| self.run_job(&job))
    }

    /// Reads one part. A file that cannot be read is left out; only the index must be written.
    fn run_job(&self, job: &Job) -> Result<(), IndexError> {
        let path = self.path(job.file);
        match self.read_part(job, &path) {
            Ok(()) => Ok(()),
            Err(Failed::Fatal(error)) => Err(error),
            Err(Failed::File(cause)) => {
                if !std::mem::replace(&mut self.file(job.file).failed, true) {
                    self.indexer.watch.warn(&path, &cause);
                }
                Ok(())
            }
        }
    }

    fn path(&self, file: u32) -> PathBuf {
        self.found[file as usize].full(self.roots)
    }

    fn pending(&self) -> MutexGuard<'_, Pending<'a>> {
        // After a panic nothing is written.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cutters(&self) -> MutexGuard<'_, Vec<Cutter>> {
        self.cutters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, file: u32) -> MutexGuard<'_, ReadFile> {
        self.files[file as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
