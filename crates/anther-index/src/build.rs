//! Making and updating an index.

use crate::assembly::Assembly;
use crate::changes::Change;
use crate::container;
use crate::entry::Root;
use crate::error::{IndexError, LEAST_FPR};
use crate::index::Index;
use crate::indexer::{Indexer, LEAST_MEMORY, Summary};
use crate::key;
use crate::pending::Pending;
use crate::reading::Reading;
use crate::tables::{Settings, Tables};
use crate::walk::{self, Found};
use anther::format::Replace;
use anther::{Lock, SaveError};
use std::fs;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

impl Indexer<'_> {
    /// Makes an index of these roots. An existing file is replaced only if `replace` is set.
    pub fn create(
        &self,
        path: &Path,
        roots: &[PathBuf],
        settings: &Settings,
        replace: bool,
    ) -> Result<Summary, IndexError> {
        if !(LEAST_FPR..1.0).contains(&settings.fpr) {
            return Err(IndexError::Fpr { got: settings.fpr });
        }
        let roots = roots.iter().map(|root| absolute(root)).collect::<Result<Vec<_>, _>>()?;
        let how = Replace::new().cancel(self.cancel);
        let mut summary = Summary::default();
        let write = |out: &mut (dyn Write + Send)| {
            summary = self.write(path, roots, settings.clone(), None, out)?;
            Ok::<(), IndexError>(())
        };
        if replace && path.exists() {
            let lock = Lock::try_exclusive(path)?.ok_or(IndexError::Busy)?;
            how.locked(&lock, write)?;
        } else {
            how.only_new().file(path, write)?;
        }
        Ok(summary)
    }

    /// Updates an index: reads only what has changed.
    pub fn update(&self, path: &Path) -> Result<Summary, IndexError> {
        let lock = Lock::try_exclusive(path)?.ok_or(IndexError::Busy)?;
        let old = Index::open(lock.path())?;
        let (roots, settings) = (old.roots().to_vec(), old.settings().clone());
        (0..).zip(&roots).try_for_each(|(number, root)| check_root(number, root, &old))?;
        let mut summary = Summary::default();
        Replace::new().cancel(self.cancel).locked(&lock, |out| {
            summary = self.write(lock.path(), roots, settings, Some(&old), out)?;
            Ok::<(), IndexError>(())
        })?;
        Ok(summary)
    }

    fn write(
        &self,
        path: &Path,
        roots: Vec<Root>,
        settings: Settings,
        old: Option<&Index>,
        out: &mut (dyn Write + Send),
    ) -> Result<Summary, IndexError> {
        let found = self.find(path, &roots, &settings)?;
        let mut out = BufWriter::with_capacity(1 << 20, out);
        out.write_all(&container::header()).map_err(SaveError::Io)?;
        let pending = Pending::new(&mut out, container::HEADER, self.memory.max(LEAST_MEMORY));
        let changes: Vec<Change> = found.iter().map(|file| Change::of(file, &roots, old)).collect();
        let probes = old.map_or_else(|| key::probes(settings.fpr), |old| old.tables.probes);
        let reading = Reading {
            indexer: self,
            roots: &roots,
            settings: &settings,
            probes,
            found: &found,
            changes: &changes,
            old,
            pending: Mutex::new(pending),
            cutters: Mutex::default(),
            files: found.iter().map(|_| Mutex::default()).collect(),
        };
        let (mut pending, read) = reading.run()?;
        if read.iter().any(|file| file.failed) {
            pending.drop_files(|file| read.get(file as usize).is_some_and(|file| file.failed));
        }
        let (written, end) = pending.finish()?;

        let (files, blocks, groups) = (Vec::new(), Vec::new(), Vec::new());
        let tables = Tables { probes, settings, roots, files, blocks, groups };
        let mut assembly = Assembly::new(tables, old);
        for ((file, change), read) in found.into_iter().zip(&changes).zip(read) {
            assembly.add_file(file, change, read)?;
        }
        assembly.add_groups(written);
        let Assembly { tables, mut summary, .. } = assembly;
        summary.bytes = container::finish(&tables, end, &mut out).map_err(SaveError::Io)?;
        out.flush().map_err(SaveError::Io)?;
        let kept = summary.kept + summary.grown;
        let before = old.map_or(0, |old| old.files().len() as u64);
        let is_again = |change: &&Change| change.is_old && !change.keeps();
        let again = changes.iter().filter(is_again).count() as u64;
        summary.dropped = before.saturating_sub(kept + again);
        Ok(summary)
    }

    /// All files below the roots except the index at this path.
    fn find(
        &self,
        path: &Path,
        roots: &[Root],
        settings: &Settings,
    ) -> Result<Vec<Found>, IndexError> {
        let warn = |_, path: &Path, cause: &str| self.watch.warn(path, cause);
        let mut found = walk::files(roots, settings, self.threads.get(), &warn);
        let own = fs::metadata(path).ok();
        found.retain(|file| !is_own(&file.full(roots), own.as_ref()));
        u32::try_from(found.len()).map_err(|_| IndexError::TooMany("files"))?;
        Ok(found)
    }
}

/// A root that was given, if it exists.
fn absolute(given: &Path) -> Result<Root, IndexError> {
    let failed = |error| IndexError::Root { path: given.to_path_buf(), error };
    fs::metadata(given).map_err(failed)?;
    let path = std::path::absolute(given).map_err(failed)?;
    Ok(Root { path, given: given.to_path_buf() })
}

/// Refuses a root that is gone: an update would drop all its files. A file system that is not
/// mounted often leaves an empty folder.
fn check_root(number: u32, root: &Root, old: &Index) -> Result<(), IndexError> {
    let gone = |cause: String| {
        let cause = format!("{cause}; mount it, or make the index anew with --force");
        Err(IndexError::RootGone { path: root.path.clone(), cause })
    };
    let is_empty = match fs::metadata(&root.path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return gone("no such file or folder, but the index has it".to_string());
        }
        Ok(metadata) if !metadata.is_dir() => Ok(false),
        Ok(_) => fs::read_dir(&root.path).map(|mut entries| entries.next().is_none()),
        Err(error) => Err(error),
    };
    let files = old.files().iter().filter(|file| file.root == number).count();
    match is_empty {
        Err(error) => gone(format!("cannot read: {error}")),
        Ok(true) if files > 0 => {
            let noun = if files == 1 { "file" } else { "files" };
            gone(format!("is empty, but the index has {files} {noun} of it"))
        }
        Ok(_) => Ok(()),
    }
}

/// Whether a file is the index itself, or one that is being written in its place.
fn is_own(path: &Path, own: Option<&fs::Metadata>) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let random = name.strip_prefix(".anther-").and_then(|name| name.strip_suffix(".tmp"));
    if random.is_some_and(|random| random.len() == 16) {
        return true;
    }
    match (own, fs::metadata(path)) {
        (Some(own), Ok(file)) => is_same(own, &file),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// The standard library cannot tell on this platform; a time and a size do.
#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    crate::entry::Stamp::of(one) == crate::entry::Stamp::of(other)
}
