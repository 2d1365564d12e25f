//! `--reload`: takes up filters that were replaced on disk, or that processes add to in place.
//!
//! A file in shared use is mapped and read by atomic loads, so that a key is found once it was added.
//! Any other is read and verified, so that nobody who copies something over it does harm.

use super::Args;
use super::answer::Filters;
use super::one::OneFilter;
use crate::exit::Stop;
use crate::file_system;
use crate::output;
use crate::warning::Warning;
use anther::SharedView;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Which file a path leads to, and in which state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    device_and_inode: (u64, u64),
    len: u64,
    /// The last word: of our files a checksum of everything, or `IN_USE`. The time does not tell of
    /// stores to a mapped file: on tmpfs they never move it, elsewhere only the first one to a page.
    last: [u8; 8],
    modified: Option<SystemTime>,
    /// The first bytes, which stay while processes add.
    start: [u8; 64],
}

/// The last word of a file while processes add to it; see FORMAT.md, "Open files".
const IN_USE: [u8; 8] = *b"inserted";

impl FileState {
    /// The state now; none if there is no file.
    pub fn of(path: &Path) -> Option<FileState> {
        // First, since opening a pipe would wait for its writer.
        if !fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let mut file = File::open(path).ok()?;
        let meta = file.metadata().ok()?;
        let (mut start, mut last) = ([0; 64], [0; 8]);
        let begin = start.len().min(usize::try_from(meta.len()).unwrap_or(start.len()));
        file.read_exact(&mut start[..begin]).ok()?;
        if meta.len() >= 8 {
            file.seek(SeekFrom::End(-8)).ok()?;
            file.read_exact(&mut last).ok()?;
        }
        #[cfg(unix)]
        let device_and_inode = {
            use std::os::unix::fs::MetadataExt;
            (meta.dev(), meta.ino())
        };
        #[cfg(not(unix))]
        let device_and_inode = (0, 0);
        let modified = meta.modified().ok().filter(|_| last != IN_USE);
        Some(FileState { device_and_inode, len: meta.len(), last, modified, start })
    }

    /// Whether both are the same file, if that can be told, of another length.
    fn is_resized(&self, other: &FileState) -> bool {
        self.is_same_file(other) && self.len != other.len
    }

    fn is_same_file(&self, other: &FileState) -> bool {
        cfg!(unix) && self.device_and_inode == other.device_and_inode
    }

    fn is_in_use(&self) -> bool {
        self.last == IN_USE
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
    /// Those of them that are mapped.
    mapped: Vec<Option<FileState>>,
    warned: bool,
}

impl<'a> Reload<'a> {
    /// For filters that were opened after their files had this state.
    pub fn new(args: &'a Args, filters: Filters, mut files: Vec<Option<FileState>>) -> Reload<'a> {
        for (path, file) in args.filters().zip(&mut files) {
            // It was read, and has to be mapped.
            *file = file.filter(|file| !file.is_in_use());
            if let Some(name) = file_system::network(path)
                && !args.quiet
            {
                Warning::OnNetwork(name).say(path);
            }
        }
        let mapped = vec![None; files.len()];
        let state = State { filters: Arc::new(filters), files, mapped, warned: false };
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
            let mapped = state.mapped[at].zip(now);
            if mapped.is_some_and(|(mapped, now)| mapped.is_resized(&now)) {
                return Err(overwritten(path));
            }
            match self.open(path, now) {
                Ok(filter) => {
                    let is_mapped = matches!(filter, OneFilter::Shared(_));
                    state.mapped[at] = now.filter(|_| is_mapped);
                    let recipe = filter.recipe();
                    let rule = recipe.map_or(state.filters.how.rule, |recipe| recipe.rule);
                    let reach = recipe.and_then(|recipe| recipe.reach);
                    let below = self.args.finds_below(path, rule, reach)?;
                    let changed = state.filters.replaced(at, filter, below)?;
                    (state.filters, state.warned) = (Arc::new(changed), false);
                }
                Err(Stop::Error(_)) if mapped.is_some_and(|(old, now)| old.is_same_file(&now)) => {
                    return Err(overwritten(path));
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

    /// Opens a file in this state.
    fn open(&self, path: &Path, now: Option<FileState>) -> Result<OneFilter, Stop> {
        if now.is_some_and(|now| now.is_in_use())
            && let Ok(view) = SharedView::open(path, self.args.how_to_open(path)?)
        {
            return Ok(OneFilter::Shared(Box::new(view)));
        }
        self.args.open_one(path, false)
    }
}

/// The mapped filter is gone: its cells are what was written over them, or end early.
fn overwritten(path: &Path) -> Stop {
    let cause = "was overwritten in place while it was in use, so nothing more can be looked up; write a \
                 new file, rename it to this name, and start check again";
    Stop::about(output::shown(path), cause)
}
