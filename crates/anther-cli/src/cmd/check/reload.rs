//! `--reload`: takes up filters that were replaced on disk.

use super::Args;
use super::answer::Filters;
use crate::exit::Stop;
use crate::output;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Which file a path leads to, and in which state. A filter is replaced by another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    device_and_inode: (u64, u64),
    len: u64,
    modified: Option<SystemTime>,
}

impl FileState {
    /// The state now; none if there is no file.
    pub fn of(path: &Path) -> Option<FileState> {
        let meta = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let device_and_inode = {
            use std::os::unix::fs::MetadataExt;
            (meta.dev(), meta.ino())
        };
        #[cfg(not(unix))]
        let device_and_inode = (0, 0);
        Some(FileState { device_and_inode, len: meta.len(), modified: meta.modified().ok() })
    }
}

/// Filters that are opened again when their files change.
pub struct Reload<'a> {
    args: &'a Args,
    state: Mutex<State>,
}

struct State {
    filters: Arc<Filters>,
    /// The files that they were read from, or that could not be read.
    files: Vec<Option<FileState>>,
    warned: bool,
}

impl<'a> Reload<'a> {
    /// For filters that were opened after their files had this state.
    pub fn new(args: &'a Args, filters: Filters, files: Vec<Option<FileState>>) -> Reload<'a> {
        let state = State { filters: Arc::new(filters), files, warned: false };
        Reload { args, state: Mutex::new(state) }
    }

    /// The filters as they are on disk now. If one cannot be opened, the old one stays.
    pub fn filters(&self) -> Result<Arc<Filters>, Stop> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for (at, path) in self.args.filters().enumerate() {
            let now = FileState::of(path);
            if now == state.files[at] {
                continue;
            }
            match self.args.open_one(path, false) {
                Ok(filter) => {
                    let changed = state.filters.replaced(at, filter)?;
                    (state.filters, state.warned) = (Arc::new(changed), false);
                }
                Err(Stop::Error(_)) if state.warned => {}
                Err(Stop::Error(message)) => {
                    let next = "looking up in the old filter until there is a new one";
                    output::complain(&format!("warning: {message}; {next}"));
                    state.warned = true;
                }
                Err(other) => return Err(other),
            }
            state.files[at] = now;
        }
        Ok(Arc::clone(&state.filters))
    }
}
