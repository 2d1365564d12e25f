//! Who may change a file: a lock on the file itself.
//!
//! The lock is advisory, as all locks of files are here: it binds those who ask for it. Whoever
//! reads a filter, changes it and puts the result in its place holds it meanwhile, or the keys of
//! somebody who does the same are lost. Readers need none.
//!
//! It lies on the file and not on one beside it, which would be litter and would not survive a
//! move of the filter. Saving puts a new file in the old one's place, so whoever waited for the
//! old one looks again: a lock counts only while its file is still the one at the path.

use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::Path;

/// A file that only its holder changes. Dropping it lets the next one have it.
///
/// ```
/// use anther::{AnyFilter, Blocked, Lock, Target};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.anther");
/// Blocked::new(Target::new(100, 0.01)?)?.save(&path)?;
///
/// let lock = Lock::exclusive(&path)?; // waits for whoever has it
/// let mut seen = Blocked::open(&path)?;
/// seen.insert("key");
/// seen.save(&path)?;
/// drop(lock);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until nobody else holds the file, and holds it.
    pub fn exclusive(path: impl AsRef<Path>) -> io::Result<Lock> {
        loop {
            let file = File::open(&path)?;
            file.lock()?;
            if is_at(&file, path.as_ref())? {
                return Ok(Lock { _file: file });
            }
        }
    }

    /// Holds the file, unless somebody else does.
    pub fn try_exclusive(path: impl AsRef<Path>) -> io::Result<Option<Lock>> {
        loop {
            let file = File::open(&path)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, path.as_ref())? => return Ok(Some(Lock { _file: file })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

/// Whether the file is still the one at the path, links followed.
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    Ok(same(&file.metadata()?, &fs::metadata(path)?))
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
