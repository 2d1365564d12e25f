//! The state file: what was seen, so that the next run goes on with it. FORMAT.md describes it.

mod contents;
mod header;

use super::seen::{Horizon, Seen};
use crate::exit::Stop;
use crate::filter_file;
use crate::temporary;
use anther::Seed;
use anther_records::extract::Extraction;
pub use contents::Unread;
pub use header::{StateHeader, StatePart};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A state file. It is locked while this exists.
pub struct StateFile {
    path: PathBuf,
    /// The options that it goes with, and the seed.
    header: StateHeader,
    /// The locked file, once there is one.
    lock: Option<File>,
}

/// What a state file holds.
type Restored = (Seen, Seed);

/// Whether a file begins as a state does.
pub fn begins(start: &[u8]) -> bool {
    start.starts_with(&contents::SIGNATURE)
}

/// Reads a state to describe it: every byte is checked, and whatever options it was made with.
pub fn described(path: &Path) -> Result<(StateHeader, Horizon), Unread> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let (header, _) = contents::read_by(file, size, |header| Ok(header.horizon()))?;
    let horizon = header.horizon();
    Ok((header, horizon))
}

impl StateFile {
    /// Locks and reads a state file, or makes a new one. The seed is that of a new one, or one with
    /// the key that the user named.
    pub fn open(
        path: &Path,
        horizon: Horizon,
        how: &Extraction,
        (seed, is_named): (Seed, bool),
    ) -> Result<(StateFile, Option<Restored>), Stop> {
        let header = StateHeader::new(horizon, (&how.rule, &how.place), seed, is_named);
        // A symbolic link stays, and what it leads to is replaced.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let stop = |cause: &dyn std::fmt::Display| Stop::about(path.display(), cause);
        if fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()) {
            return Err(stop(
                &"is a symlink to a file that does not exist; remove it, or name another file",
            ));
        }
        let Some(file) = locked(path)? else {
            filter_file::check_folder(path)?;
            return Ok((StateFile { path: path.clone(), header, lock: None }, None));
        };
        let read = || contents::read(&file, file.metadata()?.len(), horizon, &header);
        let (found, seen) = read().map_err(|error| match error {
            Unread::Io(error) => stop(&format_args!("cannot read: {error}")),
            Unread::Cause(cause) => stop(&cause),
            Unread::Foreign => stop(
                &"not a state file of anther uniq; name another one, or remove it to start anew",
            ),
            Unread::Damaged => stop(&"the state file is corrupt; remove it to start anew"),
            Unread::Options(option) => stop(&format_args!(
                "was made with other options ({option}); use the same ones, or another file"
            )),
        })?;
        let seed = found.seed().unwrap_or(seed);
        let state = StateFile { path: path.clone(), header: found, lock: Some(file) };
        Ok((state, Some((seen, seed))))
    }

    /// Replaces the file.
    pub fn save(&mut self, seen: &Seen) -> Result<(), Stop> {
        let cannot = |error: &io::Error| {
            Stop::about(self.path.display(), format_args!("cannot write: {error}"))
        };
        let folder = filter_file::folder_of(&self.path);
        temporary::remove_leftovers(folder);
        let mut file = temporary::private_in(folder).map_err(|error| cannot(&error))?;
        // Locked before it has the name, so that no other process gets in between.
        let written =
            file.as_file().lock().and_then(|()| contents::write(&mut file, &self.header, seen));
        let written = written.and_then(|()| {
            if let Ok(old) = fs::metadata(&self.path) {
                file.as_file().set_permissions(old.permissions())?;
            }
            file.as_file().sync_all()
        });
        written.map_err(|error| cannot(&error))?;
        let persisted = match self.lock {
            Some(_) => file.persist(&self.path),
            None => file.persist_noclobber(&self.path),
        };
        let file = persisted.map_err(|error| match error.error.kind() {
            ErrorKind::AlreadyExists => {
                Stop::about(self.path.display(), "was created meanwhile; run this again")
            }
            _ => cannot(&error.error),
        })?;
        self.lock = Some(file);
        filter_file::sync_folder(folder).map_err(|error| cannot(&error))
    }
}

/// The file at the path, locked; `None` if it does not exist.
fn locked(path: &Path) -> Result<Option<File>, Stop> {
    let stop = |cause: &dyn std::fmt::Display| Stop::about(path.display(), cause);
    let cannot = |error: io::Error| stop(&format_args!("cannot read: {error}"));
    loop {
        // Before it is opened: a pipe without a writer would wait for one.
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
            return Err(stop(&"not a regular file; a state is saved in one"));
        }
        let file = match File::options().read(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(cannot)?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                return Err(stop(&"is in use by another process; wait for its end"));
            }
            Err(fs::TryLockError::Error(error)) => {
                return Err(stop(&format_args!("cannot lock: {error}")));
            }
        }
        // The other process may have replaced it meanwhile.
        if temporary::is_at(&file, path) {
            return Ok(Some(file));
        }
    }
}
