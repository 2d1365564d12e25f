//! Filters in files: opening them with errors that name the file, and writing them only where
//! nothing is lost.

use crate::exit::Stop;
use crate::interrupt;
use crate::output;
use crate::secret;
use anther::{AnyFilter, LoadError, Lock, Open, Save, SaveError, ShareError, SharedFile};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process;

/// Opens a filter and verifies every byte of it.
pub fn open(path: &Path, how: Open) -> Result<AnyFilter, Stop> {
    how.file(path).map_err(|error| explained(path, error))
}

/// Maps a filter: at once, but its cells are taken on trust.
pub fn map(path: &Path, how: Open) -> Result<AnyFilter, Stop> {
    how.map(path).map_err(|error| explained(path, error))
}

/// Opens a filter to be changed in place, by others too.
pub fn share(path: &Path, how: Open) -> Result<SharedFile, Stop> {
    SharedFile::open(path, how).map_err(|error| match error {
        ShareError::Load(error) => explained(path, error),
        ShareError::Io(error) if error.kind() == ErrorKind::NotFound => {
            explained(path, error.into())
        }
        ShareError::Kind { .. } => {
            Stop::about(path.display(), format_args!("{error}; leave --shared out"))
        }
        other => Stop::about(path.display(), other),
    })
}

/// Whether a filter is being changed in place, or was when somebody was killed.
pub fn is_shared(path: &Path) -> Result<bool, Stop> {
    Open::is_shared(path).map_err(|error| explained(path, error))
}

/// Whether a file is a filter, whole or damaged.
fn is_filter(path: &Path) -> bool {
    let opened = Open::new().without_hashing().map(path);
    !matches!(opened, Err(LoadError::NotAnther | LoadError::Io(_)))
}

fn explained(path: &Path, error: LoadError) -> Stop {
    let next = match &error {
        LoadError::Io(cause) if cause.kind() == ErrorKind::NotFound => {
            return Stop::about(path.display(), "no such file; anther build makes filters");
        }
        LoadError::Io(cause) if cause.kind() == ErrorKind::IsADirectory => {
            return Stop::about(path.display(), "a folder; name a filter in it");
        }
        LoadError::NotAnther => "; anther build makes one from a list",
        LoadError::KeyNeeded => {
            return Stop::about(
                path.display(),
                format_args!("made with a secret key; {}", secret::NEXT),
            );
        }
        LoadError::WrongKey => "; look at --key-file, ANTHER_KEY_FILE or ANTHER_KEY",
        LoadError::NotKeyed => {
            return Stop::about(path.display(), "made without a secret key; leave --key-file out");
        }
        LoadError::ExternalHashes => " (from the library)",
        _ => "",
    };
    Stop::about(path.display(), format_args!("{error}{next}"))
}

/// Waits until nobody else changes a filter that exists; from then on nobody does.
pub fn lock(path: &Path, quiet: bool) -> Result<Lock, Stop> {
    let stop = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => explained(path, error.into()),
        _ => Stop::about(path.display(), format_args!("cannot lock it: {error}")),
    };
    if let Some(lock) = Lock::try_exclusive(path).map_err(stop)? {
        return Ok(lock);
    }
    if !quiet {
        let message = "waiting for another process that changes it";
        output::complain(&format!("{}: {message}", path.display()));
    }
    Lock::exclusive(path).map_err(stop)
}

/// The folder that a file is in, or is to be in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Tries to write beside a file: permissions alone do not tell.
pub fn check_folder(path: &Path) -> Result<(), Stop> {
    // A link stays, and what it leads to is replaced, in its own folder.
    let path = fs::canonicalize(path).unwrap_or(path.to_path_buf());
    let folder = folder_of(&path);
    if !folder.exists() {
        return Err(Stop::about(folder.display(), "no such folder; make it first"));
    }
    let probe = folder.join(format!(".anther-{}.probe", process::id()));
    let _whole = interrupt::not_now();
    let made = OpenOptions::new().write(true).create_new(true).open(&probe);
    made.and_then(|_| fs::remove_file(&probe))
        .map_err(|error| Stop::about(folder.display(), format_args!("cannot write there: {error}")))
}

/// Writes a small file that is no filter, whole or not at all.
#[cfg(feature = "lab")]
pub fn put(path: &Path, bytes: &[u8], force: bool) -> Result<(), Stop> {
    // A link stays, and what it leads to is replaced.
    let real = fs::canonicalize(path).unwrap_or(path.to_path_buf());
    // A device or a pipe would be gone, and a file in its place.
    if fs::metadata(&real).is_ok_and(|it| !it.is_file()) {
        let what = if real.is_dir() { "a folder; name a file" } else { "no regular file" };
        return Err(Stop::about(path.display(), what));
    }
    // It takes no time, and an interrupt must find no half of it.
    let _whole = interrupt::not_now();
    let written = temporary_in(folder_of(&real)).and_then(|mut file| {
        // Not through the temporary file itself, whose errors tell the name that it has by now.
        io::Write::write_all(file.as_file_mut(), bytes)?;
        file.as_file().sync_all()?;
        let named = if force { file.persist(&real) } else { file.persist_noclobber(&real) };
        named.map(|_| ()).map_err(|error| error.error)
    });
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Stop::about(path.display(), "exists already; --force replaces it")
        }
        ErrorKind::NotFound => {
            Stop::about(folder_of(path).display(), "no such folder; make it first")
        }
        _ => Stop::about(path.display(), format_args!("cannot write: {error}")),
    })
}

/// A file that others may read once it has its name, as those that any program makes.
#[cfg(feature = "lab")]
fn temporary_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".anther-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(|error| error.kind().into())
}

/// Where a filter is to be written.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    force: bool,
    /// Where the file is to stay as it is until it is replaced.
    held: Option<Lock>,
}

impl Destination {
    /// Makes sure that a filter can be written there, before any work is done for it.
    pub fn new(path: &Path, force: bool) -> Result<Destination, Stop> {
        if path.as_os_str() == "-" {
            let cause = "filters go to files; for a file of that name say ./-";
            return Err(Stop::about("-", cause));
        }
        let destination = Destination { path: path.to_path_buf(), force, held: None };
        destination.check_free()?;
        check_folder(path)?;
        Ok(destination)
    }

    /// Writes the filter; how many bytes that were. Where it replaces one that somebody is
    /// changing, it waits for them, or what they save would replace it.
    pub fn save(&self, filter: &AnyFilter) -> Result<u64, Stop> {
        let _lock = if self.held.is_some() { None } else { self.lock()? };
        let save = Save::new().cancel(&interrupt::SAVES);
        let save = if self.force { save } else { save.only_new() };
        save.file(filter, &self.path).map_err(|error| match error {
            SaveError::Cancelled => interrupt::wait(),
            SaveError::Io(cause) if cause.kind() == ErrorKind::AlreadyExists => {
                Stop::about(self.path.display(), "exists by now; --force replaces it")
            }
            other => Stop::about(self.path.display(), other),
        })?;
        let bytes = fs::metadata(&self.path).map(|meta| meta.len());
        bytes.map_err(|error| Stop::about(self.path.display(), error))
    }

    /// From here on nobody else changes the file, where there is one: for those who read it to
    /// replace it.
    pub fn hold(&mut self) -> Result<(), Stop> {
        self.held = self.lock()?;
        Ok(())
    }

    fn lock(&self) -> Result<Option<Lock>, Stop> {
        let replaces = self.force && self.path.is_file();
        if replaces { lock(&self.path, false).map(Some) } else { Ok(None) }
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is the same file as another that exists.
    pub fn is(&self, other: &Path) -> bool {
        match (fs::canonicalize(&self.path), fs::canonicalize(other)) {
            (Ok(ours), Ok(theirs)) => ours == theirs,
            _ => false,
        }
    }

    /// Whether it would be the same file as another that does not exist yet.
    pub fn would_be(&self, other: &Path) -> bool {
        let place = |path: &Path| {
            Some((fs::canonicalize(folder_of(path)).ok()?, path.file_name()?.to_owned()))
        };
        place(&self.path).is_some_and(|ours| place(other) == Some(ours))
    }

    fn check_free(&self) -> Result<(), Stop> {
        let trouble = |cause: &str| Err(Stop::about(self.path.display(), cause));
        match fs::symlink_metadata(&self.path) {
            Ok(_) if self.path.is_dir() => trouble("a folder; name a file"),
            // Whoever forgets OUT names a list in its place, and --force must not cost them that.
            Ok(meta) if meta.len() > 0 && self.path.is_file() && !is_filter(&self.path) => trouble(
                "exists already and is no filter, so it is not replaced; the filter to make \
                 comes first: anther build OUT IN…",
            ),
            Ok(_) if !self.force => trouble("exists already; --force replaces it"),
            _ => Ok(()),
        }
    }
}
