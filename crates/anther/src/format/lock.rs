//! Who may change a file: a lock on the file itself.
//!
//! The lock is advisory, as all file locks are here: it binds those who take it. A process that
//! reads a filter, changes it and saves it holds the lock meanwhile, or the keys of another process
//! that does the same are lost. Readers need none.
//!
//! It is a lock on the file and not on one beside it, which would be litter and would not move with
//! the filter. Saving puts a new file in the old one's place, so a process that waited for the old
//! one looks again: a lock counts only while its file is still the one at the path.

use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A file that only the holder of this changes. Dropping it unlocks the file.
///
/// Links are followed when the file is locked, and not again: [`Open::locked`](crate::Open::locked)
/// reads the locked file, and [`Save::locked`](crate::Save::locked) replaces that very file, even
/// if somebody has changed the link meanwhile.
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
    /// Where it is, without links.
    path: PathBuf,
}

impl Lock {
    /// Waits until nobody else holds the file, and holds it.
    pub fn exclusive(path: impl AsRef<Path>) -> io::Result<Lock> {
        loop {
            let lock = Lock::unlocked(path.as_ref())?;
            lock.file.lock()?;
            if lock.is_in_place()? {
                return Ok(lock);
            }
        }
    }

    /// Holds the file, unless another process or thread does.
    pub fn try_exclusive(path: impl AsRef<Path>) -> io::Result<Option<Lock>> {
        loop {
            let lock = Lock::unlocked(path.as_ref())?;
            match lock.file.try_lock() {
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

    /// Where the file was when it was locked, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Whether the file is still there.
    pub(super) fn is_in_place(&self) -> io::Result<bool> {
        is_at(&self.file, &self.path)
    }
}

/// Whether the file is still the one at a path, which is no link.
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

/// The standard library cannot tell here.
#[cfg(not(unix))]
fn same(_: &Metadata, _: &Metadata) -> bool {
    true
}
