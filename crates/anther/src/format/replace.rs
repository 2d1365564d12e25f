//! Writing a file whole or not at all.

use super::cancel::Cancel;
use crate::error::SaveError;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// What to do where a file is already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Existing {
    /// Put the new one in its place.
    #[default]
    Replace,
    /// Leave it alone and fail, even if it appeared only just now.
    Keep,
}

/// Writes a new file beside the old one, brings it to the disk, and puts it in the old one's
/// place. Whatever fails, the old file stands and nothing is left beside it.
///
/// Only a process that is killed leaves its temporary file. Linux has files without a name, but
/// one of those can only be given a name that is free, so replacing needs a temporary name after
/// all. And whether the process that left a file is gone cannot be told from its number: another
/// machine or container may share the folder.
pub(super) fn write_file(
    path: &Path,
    existing: Existing,
    cancel: &Cancel,
    write: impl FnOnce(&mut Ours<'_>) -> Result<(), SaveError>,
) -> Result<(), SaveError> {
    // Whatever fails after a save was called off fails for that reason.
    write_or_fail(path, existing, cancel, write).map_err(|error| match cancel.is_cancelled() {
        true => SaveError::Cancelled,
        false => error,
    })
}

fn write_or_fail(
    path: &Path,
    existing: Existing,
    cancel: &Cancel,
    write: impl FnOnce(&mut Ours<'_>) -> Result<(), SaveError>,
) -> Result<(), SaveError> {
    let path = behind_links(path)?;
    let old = fs::metadata(&path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
    }
    if old.is_some() && existing == Existing::Keep {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Opened before anything is done, and only to be synced: a folder that may be written but not
    // read, and systems that cannot open folders, do without.
    let opened = File::open(folder).ok();

    let (file, temporary) = Temporary::within(folder, cancel)?;
    if let Some(old) = old {
        keep_owner(&file, &old);
        file.set_permissions(old.permissions())?;
    }
    let mut ours = Ours { file, cancel };
    write(&mut ours)?;
    ours.file.sync_all()?;
    drop(ours);
    temporary.move_to(&path, existing)?;
    if cfg!(unix)
        && let Some(folder) = opened
    {
        folder.sync_all()?;
    }
    Ok(())
}

/// A link stays a link: what it points to is replaced.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(io::Error::new(error.kind(), "a link that leads nowhere"));
            }
            Ok(path.to_path_buf())
        }
        other => other,
    }
}

/// A file that root writes anew stays its owner's, as far as the system lets us.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// The file that is being written, until that is called off.
pub(super) struct Ours<'a> {
    file: File,
    cancel: &'a Cancel,
}

impl Write for Ours<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.cancel.check()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A file that is removed again unless it is moved to its place.
struct Temporary<'a> {
    path: PathBuf,
    cancel: &'a Cancel,
}

impl<'a> Temporary<'a> {
    fn within(folder: &Path, cancel: &'a Cancel) -> io::Result<(File, Temporary<'a>)> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        loop {
            // Not made from the file's own name, which may be as long as names can be.
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".anther-{}-{number}.tmp", process::id()));
            let make = || OpenOptions::new().write(true).create_new(true).open(&path);
            match cancel.begin(&path, make) {
                Ok(file) => return Ok((file, Temporary { path, cancel })),
                // Left by a process that was killed and had our number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn move_to(self, path: &Path, existing: Existing) -> io::Result<()> {
        self.cancel.commit(|| {
            if existing == Existing::Keep {
                // A second name, which unlike a rename fails where the name is taken; dropping
                // the first one does the rest.
                match fs::hard_link(&self.path, path) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
                    done => return done,
                }
                // No hard links on this file system. Another process may now come between.
                if path.exists() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
            }
            fs::rename(&self.path, path)
        })
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // After a rename there is nothing to remove; else the first error is the one to report.
        let _ = fs::remove_file(&self.path);
        self.cancel.forget(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_file(
        path: &Path,
        existing: Existing,
        write: impl FnOnce(&mut Ours<'_>) -> Result<(), SaveError>,
    ) -> Result<(), SaveError> {
        super::write_file(path, existing, &Cancel::new(), write)
    }

    #[test]
    fn a_failure_leaves_the_old_file_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_file(&path, Existing::Replace, |file| Ok(file.write_all(b"old")?)).unwrap();
        let failed = write_file(&path, Existing::Replace, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("disk full").into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_file(&path, Existing::Replace, |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let kept = write_file(&path, Existing::Keep, |file| Ok(file.write_all(b"other")?));
        assert!(
            matches!(kept, Err(SaveError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists)
        );
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let fresh = folder.path().join("x".repeat(255));
        write_file(&fresh, Existing::Keep, |file| Ok(file.write_all(b"fresh")?)).unwrap();
        assert_eq!(fs::read(&fresh).unwrap(), b"fresh");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(
            write_file(folder.path(), Existing::Replace, |_| Ok(())).is_err(),
            "a folder is no file"
        );
        assert!(
            write_file(&path.join("x"), Existing::Replace, |_| Ok(())).is_err(),
            "a file is no folder"
        );
    }

    /// A file that appears while the new one is being written.
    #[test]
    fn a_rival_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let late = write_file(&path, Existing::Keep, |file| {
            fs::write(&path, b"rival")?;
            Ok(file.write_all(b"ours")?)
        });
        assert!(matches!(late, Err(SaveError::Io(e)) if e.kind() == io::ErrorKind::AlreadyExists));
        assert_eq!(fs::read(&path).unwrap(), b"rival");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&path, &link).unwrap();
        write_file(&link, Existing::Replace, |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_file(&path).unwrap();
        assert!(write_file(&link, Existing::Replace, |_| Ok(())).is_err(), "leads nowhere");
    }

    /// Called off before, during and after: the file is the old one or the new one, and alone.
    #[test]
    fn what_is_called_off_leaves_the_old_file_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let count = || fs::read_dir(folder.path()).unwrap().count();
        for existing in [Existing::Keep, Existing::Replace] {
            let cancel = Cancel::new();
            let old = fs::read(&path).ok();
            let stopped = super::write_file(&path, existing, &cancel, |file| {
                file.write_all(b"half")?;
                assert_eq!(count(), 1 + usize::from(old.is_some()));
                cancel.now();
                // Gone at once: the process may end right here.
                assert_eq!(count(), usize::from(old.is_some()));
                Ok(file.write_all(b"the rest")?)
            });
            assert!(matches!(stopped, Err(SaveError::Cancelled)), "{stopped:?}");
            // Between the last byte and the new name.
            let cancel = Cancel::new();
            let late = super::write_file(&path, existing, &cancel, |file| {
                file.write_all(b"whole")?;
                cancel.now();
                Ok(())
            });
            assert!(matches!(late, Err(SaveError::Cancelled)), "{late:?}");
            let never = super::write_file(&path, existing, &cancel, |_| unreachable!());
            assert!(matches!(never, Err(SaveError::Cancelled)), "{never:?}");
            assert_eq!(fs::read(&path).ok(), old);

            let cancel = Cancel::new();
            let done = |file: &mut Ours<'_>| Ok(file.write_all(b"new")?);
            super::write_file(&path, existing, &cancel, done).unwrap();
            cancel.now();
            assert_eq!((fs::read(&path).unwrap(), count()), (b"new".to_vec(), 1));
        }
    }
}
