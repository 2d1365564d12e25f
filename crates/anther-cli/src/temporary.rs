//! Temporary files under a name, in the folder of the file that they become, and what killed
//! processes leave of them.
//!
//! A process that writes one holds its lock, and the system drops the lock when the process ends,
//! however it ends. So a temporary file that nobody has locked is a leftover. Verbs remove those of a
//! folder when they check that they can write to it.

use crate::file_system;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::NamedTempFile;

/// Makes one that only its owner can read and write, locked where the file system has locks. The
/// final file keeps the lock until it is closed.
pub fn private_in(folder: &Path) -> io::Result<NamedTempFile> {
    made_by(&mut tempfile::Builder::new(), folder)
}

/// The same with the usual permissions.
pub fn usual_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    made_by(&mut builder, folder)
}

fn made_by(builder: &mut tempfile::Builder<'_, '_>, folder: &Path) -> io::Result<NamedTempFile> {
    builder.prefix(".anther-").suffix(".tmp");
    loop {
        // The original message names a temporary file.
        let file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        // Before it was locked, another process may have removed it.
        if file.as_file().lock().is_err() || is_at(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// Whether a file is the one at a path.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |meta: fs::Metadata| (meta.dev(), meta.ino());
    file.metadata().ok().map(id) == fs::metadata(path).ok().map(id)
}

/// The standard library cannot tell on this platform.
#[cfg(not(unix))]
pub fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// How many entries of a folder are searched for leftovers.
const LOOKED_AT: usize = 10_000;

/// On a network file system a lock may bind one machine only, so there a leftover is one that was
/// not written to for an hour.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Removes the temporary files that killed processes have left in a folder.
pub fn remove_leftovers(folder: &Path) {
    let age = file_system::network(folder).map_or(Duration::ZERO, |_| ABANDONED);
    remove_older(folder, age);
}

fn remove_older(folder: &Path, least: Duration) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.take(LOOKED_AT).flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if !(name.starts_with(b".anther-") && name.ends_with(b".tmp")) {
            continue;
        }
        let Ok(meta) = entry.metadata() else { continue };
        let age = meta.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        let is_old = least.is_zero() || age.is_some_and(|age| age >= least);
        if meta.is_file()
            && is_old
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| File::create(folder.path().join(name)).unwrap();
        make(".anther-2.tmp");
        make("notes.tmp");
        make(".anther-3.txt");
        make(".anther-1.tmp").set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
        let ours = [private_in(folder.path()).unwrap(), usual_in(folder.path()).unwrap()];
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name());
            let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
            names.retain(|name| !ours.iter().any(|file| file.path().ends_with(name)));
            names.sort();
            names
        };
        remove_older(folder.path(), ABANDONED);
        assert_eq!(names(), [".anther-2.tmp", ".anther-3.txt", "notes.tmp"]);
        remove_leftovers(folder.path());
        assert_eq!(names(), [".anther-3.txt", "notes.tmp"]);
        assert!(ours.iter().all(|file| file.path().is_file()));
    }
}
