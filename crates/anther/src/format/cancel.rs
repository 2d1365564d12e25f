//! Cancelling saves from another thread.

use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Cancels saves from another thread, such as one that waits for Ctrl-C. Pass it to
/// [`Save`](crate::Save).
///
/// A file is written under a temporary name until it is complete. A process that is killed leaves
/// that file behind. One that first calls [`now`](Cancel::now) leaves nothing, and need not wait
/// for the save to notice: an fsync may take seconds.
///
/// ```
/// use anther::{AnyFilter, Blocked, Cancel, Save, SaveError, Target};
///
/// static SAVES: Cancel = Cancel::new();
///
/// let filter = AnyFilter::from(Blocked::new(Target::new(100, 0.01)?)?);
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("seen.anther");
/// Save::new().cancel(&SAVES).file(&filter, &path)?;
///
/// // In the thread that waits for signals; after this the process can end.
/// SAVES.now();
/// let late = Save::new().cancel(&SAVES).file(&filter, &path);
/// assert!(matches!(late, Err(SaveError::Cancelled)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Cancel(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: bool,
    /// The temporary files being written.
    temporaries: Vec<PathBuf>,
}

impl Cancel {
    /// Not cancelled.
    pub const fn new() -> Cancel {
        Cancel(Mutex::new(State { cancelled: false, temporaries: Vec::new() }))
    }

    /// Cancels all saves that use this, current and future ones. When it returns, their temporary
    /// files are removed, and each save has either renamed its file or fails with
    /// [`SaveError::Cancelled`](crate::SaveError::Cancelled).
    pub fn now(&self) {
        let mut state = self.lock();
        state.cancelled = true;
        for temporary in mem::take(&mut state.temporaries) {
            // A save that failed by itself has removed it already.
            let _ = std::fs::remove_file(temporary);
        }
    }

    /// Whether [`now`](Cancel::now) was called.
    pub fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// Creates a temporary file, unless cancelled. Both under one lock, so that none is missed.
    pub(super) fn begin<T>(
        &self,
        temporary: &Path,
        make: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.lock();
        state.check()?;
        let made = make()?;
        state.temporaries.push(temporary.to_path_buf());
        Ok(made)
    }

    /// Renames a file to its final name, unless cancelled. After that it cannot be cancelled.
    pub(super) fn commit(&self, place: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let state = self.lock();
        state.check()?;
        place()
    }

    /// An error if cancelled.
    pub(super) fn check(&self) -> io::Result<()> {
        self.lock().check()
    }

    /// Forgets a temporary file that no longer exists.
    pub(super) fn forget(&self, temporary: &Path) {
        self.lock().temporaries.retain(|other| other != temporary);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The list is consistent even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn check(&self) -> io::Result<()> {
        // Not `Interrupted`: writers retry on that.
        if self.cancelled { Err(io::Error::other("cancelled")) } else { Ok(()) }
    }
}
