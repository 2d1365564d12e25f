//! Calling saves off from another thread.

use std::io;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Calls saves off from another thread, such as one that waits for Ctrl-C. [`Save`](crate::Save)
/// takes it.
///
/// The file that is being written has a temporary name until it is whole. A process that is ended
/// in the middle leaves it behind; one that first calls [`now`](Cancel::now) leaves nothing, and
/// need not wait for the save to notice: a disk may take seconds to do what it was told.
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
    /// What is being written.
    temporaries: Vec<PathBuf>,
}

impl Cancel {
    /// Nothing is called off yet.
    pub const fn new() -> Cancel {
        Cancel(Mutex::new(State { cancelled: false, temporaries: Vec::new() }))
    }

    /// Calls off all saves that have this, those under way and those to come. When it returns,
    /// their temporary files are gone, and each of them either has put its file in place or fails
    /// with [`SaveError::Cancelled`](crate::SaveError::Cancelled).
    pub fn now(&self) {
        let mut state = self.lock();
        state.cancelled = true;
        for temporary in mem::take(&mut state.temporaries) {
            // Whoever gave up by itself has removed it.
            let _ = std::fs::remove_file(temporary);
        }
    }

    /// Whether [`now`](Cancel::now) was called.
    pub fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// Makes a temporary file, unless that was called off: none is made unnoticed meanwhile.
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

    /// Puts a file in its place, unless that was called off: from here on it cannot be.
    pub(super) fn commit(&self, place: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let state = self.lock();
        state.check()?;
        place()
    }

    /// Where nothing was called off.
    pub(super) fn check(&self) -> io::Result<()> {
        self.lock().check()
    }

    /// A temporary file that is no longer there.
    pub(super) fn forget(&self, temporary: &Path) {
        self.lock().temporaries.retain(|other| other != temporary);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Whatever panicked, the list is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn check(&self) -> io::Result<()> {
        // Not `Interrupted`, which writers take for a reason to try again.
        if self.cancelled { Err(io::Error::other("called off")) } else { Ok(()) }
    }
}
