//! Replacing a file whole or not at all.

use crate::error::SaveError;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a new file beside the old one, brings it to the disk, and puts it in the old one's
/// place. Whatever fails, the old file stands and nothing is left beside it.
pub(super) fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<(), SaveError>,
) -> Result<(), SaveError> {
    // A link stays a link: what it points to is replaced.
    let path = match fs::canonicalize(path) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        Err(error) => return Err(error.into()),
    };
    let old = fs::metadata(&path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };

    let (mut file, temporary) = Temporary::beside(&path, folder)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    write(&mut file)?;
    file.sync_all()?;
    drop(file);
    temporary.rename_to(&path)?;
    sync_folder(folder)
}

/// A file that is removed again unless it is renamed.
struct Temporary(Option<PathBuf>);

impl Temporary {
    fn beside(path: &Path, folder: &Path) -> io::Result<(File, Temporary)> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let mut hidden = OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{number}.tmp", process::id()));
            let temporary = folder.join(hidden);
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => return Ok((file, Temporary(Some(temporary)))),
                // Left by a process that was killed and had our number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn rename_to(mut self, path: &Path) -> io::Result<()> {
        if let Some(temporary) = &self.0 {
            fs::rename(temporary, path)?;
        }
        self.0 = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(temporary) = &self.0 {
            // The first error is the one to report.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// A rename is on the disk when its folder is. Only Unix can open a folder to say so.
fn sync_folder(folder: &Path) -> Result<(), SaveError> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_failure_leaves_the_old_file_and_no_litter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace_file(&path, |file| Ok(file.write_all(b"old")?)).unwrap();
        let failed = replace_file(&path, |file| {
            file.write_all(b"half")?;
            Err(io::Error::other("disk full").into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        replace_file(&path, |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(replace_file(folder.path(), |_| Ok(())).is_err(), "a folder is no file");
        assert!(replace_file(&path.join("x"), |_| Ok(())).is_err(), "a file is no folder");
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
        replace_file(&link, |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
