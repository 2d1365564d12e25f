//! Exclusive access to a file: a lock on the file itself.
//!
//! The lock is advisory, as all file locks are here: it binds only those who take it. A process
//! that reads, changes and saves a filter holds the lock meanwhile; otherwise the keys of another
//! process that does the same are lost. Readers need none.
//!
//! The lock is on the file itself. A separate lock file would be litter and would not move with the
//! filter. Saving renames a new file over the old one, so a process that waited for the old one
//! checks again: a lock counts only while its file is still the one at the path.

use crate::parts::sync::file_lock;
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// An exclusive lock on a file. Dropping it unlocks the file.
///
/// Symbolic links are resolved when the file is locked, and not again:
/// [`Open::locked`](crate::Open::locked) reads the locked file, and
/// [`Save::locked`](crate::Save::locked) replaces exactly that file, even if the link has changed
/// meanwhile.
///
/// ```
/// use anther::{Blocked, Lock, Open, Save, Target};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.anther");
/// Blocked::new(Target::new(100, 0.01)?)?.save(&path)?;
///
/// let lock = Lock::exclusive(&path)?; // waits until nobody else holds it
/// let mut seen: Blocked = Open::new().locked(&lock)?;
/// seen.insert("key");
/// Save::new().locked(&seen, &lock)?;
/// drop(lock);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Lock {
    file: File,
    /// Its path, without symbolic links.
    path: PathBuf,
}

impl Lock {
    /// Waits until nobody else holds the lock, and takes it.
    pub fn exclusive(path: impl AsRef<Path>) -> io::Result<Lock> {
        loop {
            let lock = Lock::unlocked(path.as_ref())?;
            file_lock::exclusive(&lock.file)?;
            if lock.is_in_place()? {
                return Ok(lock);
            }
        }
    }

    /// Takes the lock, unless another process or thread holds it.
    pub fn try_exclusive(path: impl AsRef<Path>) -> io::Result<Option<Lock>> {
        loop {
            let lock = Lock::unlocked(path.as_ref())?;
            match file_lock::try_exclusive(&lock.file) {
                Ok(()) if lock.is_in_place()? => return Ok(Some(lock)),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    fn unlocked(path: &Path) -> io::Result<Lock> {
        let path = fs::canonicalize(path)?;
        Ok(Lock { file: File::open(&path)?, path })
    }

    /// The file's path when it was locked, without symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Whether the file is still at its path.
    pub(super) fn is_in_place(&self) -> io::Result<bool> {
        is_at(&self.file, &self.path)
    }
}

/// Whether the file is still the one at a path, which is not a symbolic link.
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(there) => Ok(same(&file.metadata()?, &there)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn same(ours: &Metadata, there: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (ours.dev(), ours.ino()) == (there.dev(), there.ino())
}

/// The standard library cannot tell on this platform.
#[cfg(not(unix))]
fn same(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error is no answer: whoever takes it for one would open a file a second time.
    #[test]
    fn a_file_is_at_its_path_or_not_or_nobody_knows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let file = File::create(&path).unwrap();
        assert!(is_at(&file, &path).unwrap());
        assert!(!is_at(&file, &folder.path().join("b")).unwrap());
        let below_a_file = is_at(&file, &path.join("b")).unwrap_err();
        assert_eq!(below_a_file.kind(), io::ErrorKind::NotADirectory);
    }
}
