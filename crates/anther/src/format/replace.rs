//! Atomic saving: write to a temporary file, fsync, rename.

use super::cancel::Cancel;
use super::lock::{Lock, is_at};
use crate::error::SaveError;
use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What to do if the file exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Existing {
    /// Replace it.
    #[default]
    Replace,
    /// Leave it alone and fail, even if it has just been created.
    Keep,
}

/// Replaces a file of any content atomically, as [`Save`](crate::Save) does for filters: a function
/// writes to a temporary file, which is synced and renamed. If anything fails, the old file is
/// intact and the temporary one is removed.
///
/// ```
/// use anther::SaveError;
/// use anther::format::Replace;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("list");
/// Replace::new().file(&path, |file| Ok::<_, SaveError>(file.write_all(b"new")?))?;
/// assert_eq!(std::fs::read(&path)?, b"new");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Replace<'a> {
    existing: Existing,
    cancel: Option<&'a Cancel>,
}

impl<'a> Replace<'a> {
    /// Replaces an existing file.
    pub fn new() -> Replace<'a> {
        Replace::default()
    }

    /// Creates a new file only: an existing file is left alone, and that is an error.
    pub fn only_new(self) -> Replace<'a> {
        Replace { existing: Existing::Keep, ..self }
    }

    /// Lets another thread cancel it.
    pub fn cancel(self, cancel: &'a Cancel) -> Replace<'a> {
        Replace { cancel: Some(cancel), ..self }
    }

    /// Writes a file.
    pub fn file<E: From<SaveError>>(
        self,
        path: impl AsRef<Path>,
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
    ) -> Result<(), E> {
        self.write(&Destination::of(path.as_ref(), self.existing)?, write)
    }

    /// Replaces a locked file, and no other.
    pub fn locked<E: From<SaveError>>(
        self,
        lock: &Lock,
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
    ) -> Result<(), E> {
        self.write(&Destination::of_locked(lock)?, write)
    }

    fn write<E: From<SaveError>>(
        self,
        destination: &Destination<'_>,
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
    ) -> Result<(), E> {
        let (nobody, mut failed) = (Cancel::new(), None);
        let written = write_file(destination, self.cancel.unwrap_or(&nobody), |file| {
            write(file).map_err(|error| {
                failed = Some(error);
                SaveError::Io(io::Error::other("not written"))
            })
        });
        match (written, failed) {
            (Ok(()), _) => Ok(()),
            (Err(SaveError::Cancelled), _) => Err(SaveError::Cancelled.into()),
            (Err(_), Some(error)) => Err(error),
            (Err(error), None) => Err(error.into()),
        }
    }
}

/// The destination of a file. Symbolic links are resolved once, when this is made.
#[derive(Debug)]
pub(super) struct Destination<'a> {
    /// The path without symbolic links.
    path: PathBuf,
    existing: Existing,
    /// The lock of the file to replace; no other file may be replaced.
    held: Option<&'a Lock>,
    /// Metadata of the file to replace.
    old: Option<Metadata>,
}

impl<'a> Destination<'a> {
    /// The file at a path, whatever it is.
    pub fn of(path: &Path, existing: Existing) -> Result<Destination<'a>, SaveError> {
        let path = behind_links(path)?;
        let old = fs::metadata(&path).ok();
        let destination = Destination { path, existing, held: None, old };
        destination.check()?;
        Ok(destination)
    }

    /// A locked file.
    pub fn of_locked(lock: &'a Lock) -> Result<Destination<'a>, SaveError> {
        let old = Some(lock.file().metadata()?);
        let path = lock.path().to_path_buf();
        let destination = Destination { path, existing: Existing::Replace, held: Some(lock), old };
        destination.check()?;
        Ok(destination)
    }

    fn check(&self) -> Result<(), SaveError> {
        match &self.old {
            Some(old) if !old.is_file() => {
                Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into())
            }
            Some(_) if self.existing == Existing::Keep => {
                Err(io::Error::from(io::ErrorKind::AlreadyExists).into())
            }
            _ => Ok(()),
        }
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }
}

/// Writes a temporary file next to the old one, syncs it, and renames it over the old one. If
/// anything fails, the old file is intact and the temporary one is removed.
///
/// Only a process that is killed leaves its temporary file. Linux has files without a name, but
/// those can only be linked to a free name, so replacing needs a temporary name anyway. The name is
/// random, so that a leftover blocks nobody, and the file is locked while it is written, so that
/// others can tell a leftover from a file being written.
pub(super) fn write_file(
    destination: &Destination<'_>,
    cancel: &Cancel,
    write: impl FnOnce(&mut Ours<'_>) -> Result<(), SaveError>,
) -> Result<(), SaveError> {
    // After a cancellation every failure is reported as cancelled.
    write_or_fail(destination, cancel, write).map_err(|error| match cancel.is_cancelled() {
        true => SaveError::Cancelled,
        false => error,
    })
}

fn write_or_fail(
    destination: &Destination<'_>,
    cancel: &Cancel,
    write: impl FnOnce(&mut Ours<'_>) -> Result<(), SaveError>,
) -> Result<(), SaveError> {
    let folder = destination.folder();
    // Opened first, and only to be synced. Skipped for a directory that may be written but not
    // read, and on systems that cannot open directories.
    let opened = File::open(folder).ok();

    let (file, temporary) = Temporary::within(folder, destination.old.is_some(), cancel)?;
    let mut ours = Ours { file, cancel };
    write(&mut ours)?;
    if let Some(old) = &destination.old {
        // From here on it may be read by those who could read the old one.
        keep_owner(&ours.file, old);
        ours.file.set_permissions(old.permissions())?;
    }
    ours.file.sync_all()?;
    temporary.move_to(destination)?;
    drop(ours);
    if cfg!(unix)
        && let Some(folder) = opened
    {
        folder.sync_all().map_err(SaveError::Unsynced)?;
    }
    Ok(())
}

/// Symbolic links stay: their target is replaced.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if fs::symlink_metadata(path).is_ok() {
                return Err(io::Error::new(error.kind(), "dangling symbolic link"));
            }
            Ok(path.to_path_buf())
        }
        other => other,
    }
}

/// If root saves a file, it keeps its owner, as far as the system allows.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// The file being written; writes fail once cancelled.
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

/// A file that is removed unless it is renamed to its final name.
struct Temporary<'a> {
    path: PathBuf,
    cancel: &'a Cancel,
}

impl<'a> Temporary<'a> {
    /// A new file. If it replaces another one, nobody else can read it yet: the old file may be one
    /// that others cannot read.
    fn within(
        folder: &Path,
        replaces: bool,
        cancel: &'a Cancel,
    ) -> io::Result<(File, Temporary<'a>)> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if replaces {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        #[cfg(not(unix))]
        let _ = replaces;
        loop {
            // Not derived from the file's own name, which may have the maximum length.
            let random = RandomState::new().hash_one(folder);
            let path = folder.join(format!(".anther-{random:016x}.tmp"));
            match cancel.begin(&path, || options.open(&path)) {
                Ok(file) => {
                    let temporary = Temporary { path, cancel };
                    // On file systems without locks, nobody uses them to find leftovers either.
                    if file.lock().is_err() || is_at(&file, &temporary.path).unwrap_or(false) {
                        return Ok((file, temporary));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn move_to(self, destination: &Destination<'_>) -> Result<(), SaveError> {
        let (path, mut moved) = (&destination.path, true);
        self.cancel.commit(|| {
            if let Some(lock) = destination.held {
                moved = lock.is_in_place().unwrap_or(false);
                if !moved {
                    return Ok(());
                }
            }
            if destination.existing == Existing::Keep {
                // A hard link, which unlike a rename fails if the name is taken; dropping the
                // temporary name does the rest.
                match fs::hard_link(&self.path, path) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {}
                    done => return done,
                }
                // No hard links on this file system. Another process may create the file in
                // between.
                if path.exists() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
            }
            fs::rename(&self.path, path)
        })?;
        if moved { Ok(()) } else { Err(SaveError::Replaced) }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // After a rename there is nothing to remove; otherwise the first error is the one to
        // report.
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
        super::write_file(&Destination::of(path, existing)?, &Cancel::new(), write)
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
        let kept = write_file(&path, Existing::Keep, |_| panic!("refused before it is written"));
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
            "a directory is not a file"
        );
        assert!(
            write_file(&path.join("x"), Existing::Replace, |_| Ok(())).is_err(),
            "a file is not a directory"
        );
    }

    /// A file that is created while the new one is being written.
    #[test]
    fn a_concurrent_file_is_not_replaced() {
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
        assert!(write_file(&link, Existing::Replace, |_| Ok(())).is_err(), "dangling");
    }

    /// Cancelled before, during and after: only the old file or the new one exists.
    #[test]
    fn what_is_called_off_leaves_the_old_file_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let count = || fs::read_dir(folder.path()).unwrap().count();
        for existing in [Existing::Keep, Existing::Replace] {
            let cancel = Cancel::new();
            let old = fs::read(&path).ok();
            let destination = || Destination::of(&path, existing).unwrap();
            let stopped = super::write_file(&destination(), &cancel, |file| {
                file.write_all(b"half")?;
                assert_eq!(count(), 1 + usize::from(old.is_some()));
                cancel.now();
                // Removed at once: the process may end right here.
                assert_eq!(count(), usize::from(old.is_some()));
                Ok(file.write_all(b"the rest")?)
            });
            assert!(matches!(stopped, Err(SaveError::Cancelled)), "{stopped:?}");
            // Between the last byte and the rename.
            let cancel = Cancel::new();
            let late = super::write_file(&destination(), &cancel, |file| {
                file.write_all(b"whole")?;
                cancel.now();
                Ok(())
            });
            assert!(matches!(late, Err(SaveError::Cancelled)), "{late:?}");
            let never = super::write_file(&destination(), &cancel, |_| unreachable!());
            assert!(matches!(never, Err(SaveError::Cancelled)), "{never:?}");
            assert_eq!(fs::read(&path).ok(), old);

            let cancel = Cancel::new();
            let done = |file: &mut Ours<'_>| Ok(file.write_all(b"new")?);
            super::write_file(&destination(), &cancel, done).unwrap();
            cancel.now();
            assert_eq!((fs::read(&path).unwrap(), count()), (b"new".to_vec(), 1));
        }
    }

    #[test]
    fn both_that_write_files_can_be_cancelled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let cancel = Cancel::new();
        let replaced = |bytes: &'static [u8]| {
            let write = |file: &mut (dyn Write + Send)| Ok::<_, SaveError>(file.write_all(bytes)?);
            Replace::new().cancel(&cancel).file(&path, write)
        };
        replaced(b"old").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        cancel.now();
        assert!(matches!(replaced(b"new"), Err(SaveError::Cancelled)));
        let target = crate::Target::new(100, 0.01).unwrap();
        let filter = crate::Blocked::new(target).unwrap();
        let saved = crate::Save::new().cancel(&cancel).file(&filter, &path);
        assert!(matches!(saved, Err(SaveError::Cancelled)));
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    /// Before the rename, others could read what the old file protects.
    #[cfg(unix)]
    #[test]
    fn a_file_is_never_wider_open_than_the_one_that_it_replaces() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for (old, most) in [(0o600, 0o600), (0o640, 0o600), (0o444, 0o600)] {
            fs::write(&path, b"old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(old)).unwrap();
            write_file(&path, Existing::Replace, |file| {
                let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
                let temporary = names.into_iter().find(|name| *name != path).unwrap();
                assert_eq!(mode(&temporary), most);
                assert_eq!(file.file.metadata().unwrap().permissions().mode() & 0o777, most);
                Ok(file.write_all(b"new")?)
            })
            .unwrap();
            assert_eq!((mode(&path), fs::read(&path).unwrap()), (old, b"new".to_vec()));
            fs::remove_file(&path).unwrap();
        }
    }

    /// Saving through a lock replaces the locked file, wherever the path it was opened by leads
    /// now.
    #[cfg(unix)]
    #[test]
    fn a_locked_file_is_replaced_and_no_other() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (path, other, link) = (at("file"), at("other"), at("link"));
        let write = |lock: &Lock| {
            super::write_file(&Destination::of_locked(lock)?, &Cancel::new(), |file| {
                Ok(file.write_all(b"new")?)
            })
        };
        fs::write(&path, b"old").unwrap();
        fs::write(&other, b"precious").unwrap();
        symlink(&path, &link).unwrap();
        let lock = Lock::exclusive(&link).unwrap();
        fs::remove_file(&link).unwrap();
        symlink(&other, &link).unwrap();
        write(&lock).unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), fs::read(&other).unwrap()),
            (b"new".to_vec(), b"precious".to_vec())
        );
        // It was replaced, so the lock no longer holds it.
        assert!(matches!(write(&lock), Err(SaveError::Replaced)));

        // Another file, or a symbolic link to one, at the path of the locked file.
        for by_link in [false, true] {
            let lock = Lock::exclusive(&path).unwrap();
            fs::remove_file(&path).unwrap();
            if by_link {
                symlink(&other, &path).unwrap();
            } else {
                fs::rename(&other, &path).unwrap();
            }
            assert!(matches!(write(&lock), Err(SaveError::Replaced)));
            assert_eq!(fs::read(&path).unwrap(), b"precious");
            if !by_link {
                fs::copy(&path, &other).unwrap();
            }
        }
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(names.len(), 3, "no temporary file is left: {names:?}");
    }
}
