//! Opens filter files, with errors that name the file, and writes them without overwriting anything
//! by accident.

use crate::exit::Stop;
#[cfg(feature = "index")]
use crate::index_file;
use crate::input::Input;
use crate::interrupt;
use crate::output::{self, shown};
use crate::signature;
use crate::temporary;
use anther::foreign::{ForeignFilter, OpenForeign, System};
use anther::format::{Readable, Writable};
use anther::{
    AnyFilter, FileMap, ForeignError, Kind, LoadError, Lock, Open, Remote, Save, SaveError,
    ShareError, SharedFile,
};
use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

/// What to do if a filter needs a secret key.
pub const NAME_THE_KEY: &str =
    "name the key file with --key-file or ANTHER_KEY_FILE, or set ANTHER_KEY";

/// How a filter of ours begins.
pub const SIGNATURE: &[u8] = b"\x89ANT\r\n\x1A\n";

/// A filter, and the size of its file or stream.
pub struct Sized<C> {
    /// The filter.
    pub contents: C,
    /// The number of bytes.
    pub bytes: Option<u64>,
}

/// Opens a filter and verifies every byte of it. `-` is standard input.
pub fn open(path: &Path, how: Open) -> Result<AnyFilter, Stop> {
    open_sized(path, how).map(|sized| sized.contents)
}

/// A filter, with its size.
pub fn open_sized(path: &Path, how: Open) -> Result<Sized<AnyFilter>, Stop> {
    read(path, how).map_err(|error| explained(path, error))
}

/// The same for contents of any type, with the library's error.
pub fn read<C: Readable>(path: &Path, how: Open) -> Result<Sized<C>, LoadError> {
    let count = Cell::new(0);
    let contents = if is_stdin(path) {
        how.reader(Counted { reader: io::stdin().lock(), count: &count })?
    } else if is_stream(path) {
        let reader = BufReader::new(File::open(path)?);
        how.reader(Counted { reader, count: &count })?
    } else {
        count.set(fs::metadata(path).map_or(0, |meta| meta.len()));
        how.file(path)?
    };
    Ok(Sized { contents, bytes: Some(count.get()).filter(|bytes| *bytes > 0) })
}

/// The same for a stream.
pub fn read_stream<C: Readable>(reader: impl Read, how: Open) -> Result<Sized<C>, LoadError> {
    let count = Cell::new(0);
    let contents = how.reader(Counted { reader, count: &count })?;
    Ok(Sized { contents, bytes: Some(count.get()) })
}

/// Whether a path means standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether it can be read only once: standard input, or a pipe with a name.
pub fn is_stream(path: &Path) -> bool {
    is_stdin(path) || fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// Rejects standard input for two things at once, and a filter that would have to be typed.
pub fn check_stdin(filters: &[&Path], inputs: &[Input]) -> Result<(), Stop> {
    let filters = filters.iter().filter(|path| is_stdin(path)).count();
    let keys = inputs.iter().filter(|input| matches!(input, Input::Stdin)).count();
    match stdin_misused(filters, keys) {
        Some(cause) => Err(Stop::about("standard input", cause)),
        None => Ok(()),
    }
}

/// The same for one of several filters, for verbs that go on with the others: what is wrong with it
/// if it is standard input, and standard input comes before it, too.
pub fn stdin_again(path: &Path, before: &[PathBuf]) -> Option<&'static str> {
    let filters = before.iter().filter(|earlier| is_stdin(earlier)).count() + 1;
    stdin_misused(filters, 0).filter(|_| is_stdin(path))
}

/// What is wrong with reading these filters and inputs from standard input, which can be read once.
fn stdin_misused(filters: usize, keys: usize) -> Option<&'static str> {
    Some(match (filters, keys) {
        (1, 0) if io::stdin().is_terminal() => {
            "is a terminal, and a filter is binary; pipe it in, or name its file"
        }
        (0, 0 | 1) | (1, 0) => return None,
        (0, _) => "can be read only once; leave one - out",
        (_, 0) => "can be only one of the filters; name files for the others",
        _ => "cannot be both the filter and the keys; name a file of keys with -f, or keys with -k",
    })
}

/// An error of opening a filter in which keys are looked up, unless the filter is among the keys.
pub fn or_swapped(error: Stop, path: &Path, keys: &[OsString]) -> Stop {
    let is_list = matches!(Open::is_shared(path), Err(LoadError::NotAnther))
        && foreign_system(path).is_none();
    let is_filter = |key: &&Path| {
        key.is_file() && (Open::is_shared(key).is_ok() || foreign_system(key).is_some())
    };
    match keys.iter().map(Path::new).filter(|_| is_list).find(is_filter) {
        Some(filter) if is_list => {
            let (list, filter) = (path.display(), filter.display());
            let cause = format!("is not a filter, but {filter} is one, and comes first");
            Stop::about(&list, format_args!("{cause}: {filter} -f {list}"))
        }
        _ => error,
    }
}

/// A reader that counts its bytes.
struct Counted<'a, R> {
    reader: R,
    count: &'a Cell<u64>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

/// Maps a filter, for `--map`: opens at once, but does not verify the cells. A file that is open for
/// `add --shared` is read instead.
pub fn map<C: Readable>(path: &Path, how: Open) -> Result<C, Stop> {
    if is_stream(path) {
        let cause = "cannot be mapped, because it is not a file; leave --map out";
        return Err(Stop::about(shown(path), cause));
    }
    match mapped(path).map_err(LoadError::from).and_then(|map| how.map(&map)) {
        Err(LoadError::Shared) => {
            read(path, how).map(|sized| sized.contents).map_err(|error| explained(path, error))
        }
        other => other.map_err(|error| explained(path, error)),
    }
}

#[expect(unsafe_code, reason = "mapping a file is unsafe; the help of --map has the contract")]
fn mapped(path: &Path) -> io::Result<FileMap> {
    // SAFETY: nobody changes the file while it is mapped. The user promises that with --map, whose
    // help states the contract, and this program itself replaces files by a rename.
    unsafe { FileMap::open(path) }
}

/// Opens a filter to change it in place, together with other processes.
pub fn share(path: &Path, how: Open) -> Result<SharedFile, Stop> {
    SharedFile::open(path, how).map_err(|error| match error {
        ShareError::Load(error) => explained(path, error),
        ShareError::Io(error) if error.kind() == ErrorKind::NotFound => {
            explained(path, error.into())
        }
        ShareError::Kind { .. } => {
            Stop::about(path.display(), format_args!("{error}; leave --shared out"))
        }
        ShareError::Pages => Stop::about(
            path.display(),
            "has a checksum of each page (--pages), so it cannot be changed in place; leave --shared \
             out, or write it without them: anther convert OUT FILTER",
        ),
        other => Stop::about(path.display(), other),
    })
}

/// Whether processes are changing a filter in place, or one was killed while it did.
pub fn is_shared(path: &Path) -> Result<bool, Stop> {
    Open::is_shared(path).map_err(|error| explained(path, error))
}

/// Whether the pages of a filter have checksums.
pub fn has_pages(path: &Path) -> Result<bool, Stop> {
    Open::has_pages(path).map_err(|error| explained(path, error))
}

/// Reads a locked filter and verifies every byte of it.
pub fn open_locked(path: &Path, lock: &Lock, how: Open) -> Result<AnyFilter, Stop> {
    how.locked(lock).map_err(|error| explained(path, error))
}

/// Whether a filter may replace this file: it is a filter, intact or corrupt, or it is empty. A file
/// with several filters is more than a filter: an RDB file, a Parquet file.
fn is_replaceable(path: &Path) -> bool {
    let is_empty = fs::metadata(path).is_ok_and(|meta| meta.len() == 0);
    match Open::is_shared(path) {
        Err(LoadError::NotAnther) => is_empty || is_lone_foreign(path),
        Err(LoadError::Io(_)) => is_empty,
        _ => true,
    }
}

/// Whether a file is one filter of another system, and nothing else.
fn is_lone_foreign(path: &Path) -> bool {
    let opened = OpenForeign::new().file(path);
    opened.is_ok_and(|file| matches!(file.entries(), [only] if only.name.is_empty()))
}

/// Whether a file is a Parquet file with filters, as `build --to parquet` writes it.
fn has_parquet_filters(path: &Path) -> bool {
    OpenForeign::new().file(path).is_ok_and(|file| file.system() == System::Parquet)
}

/// The system whose file this is, if it is none of ours.
fn foreign_system(path: &Path) -> Option<System> {
    let is_ours = is_stream(path) || !matches!(Open::is_shared(path), Err(LoadError::NotAnther));
    if is_ours { None } else { OpenForeign::new().file(path).ok().map(|file| file.system()) }
}

/// Whether a filter is named by an address on the web.
pub fn is_web(path: &Path) -> bool {
    let Some(text) = path.to_str() else { return false };
    let begins =
        |start: &str| text.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start));
    begins("http://") || begins("https://")
}

/// What to do about a file that is not there.
pub fn no_such_file(path: &Path) -> &'static str {
    match is_web(path) {
        true => "is on the web, where only anther check reads filters; download it",
        false => "no such file; make a filter with: anther build OUT IN",
    }
}

/// An error of opening a file, with what to do.
pub fn explained(path: &Path, error: LoadError) -> Stop {
    let next = match &error {
        LoadError::Io(cause) if cause.kind() == ErrorKind::NotFound => {
            return Stop::about(shown(path), no_such_file(path));
        }
        LoadError::Io(cause) if cause.kind() == ErrorKind::IsADirectory => {
            return Stop::about(shown(path), "is a folder; name a filter in it");
        }
        #[cfg(feature = "index")]
        LoadError::NotAnther if index_file::is_index(path) => {
            return Stop::about(shown(path), "is a search index; use anther grep INDEX PATTERN");
        }
        LoadError::NotAnther => match foreign_system(path) {
            Some(system) => {
                return Stop::about(
                    shown(path),
                    format_args!(
                        "is a file of {system}, in which anther check looks keys up; for anything \
                         else, build a filter of your own from the keys: anther build OUT IN"
                    ),
                );
            }
            None => match signature::of_file(path) {
                Some(what) => {
                    let cause = signature::refusal(what);
                    return Stop::about(shown(path), cause);
                }
                None => match json_advice(path) {
                    Some(cause) => return Stop::about(shown(path), cause),
                    None => "; make one from a list with: anther build OUT IN",
                },
            },
        },
        LoadError::KeyNeeded => {
            return Stop::about(
                shown(path),
                format_args!("is keyed and needs its secret key; {}", NAME_THE_KEY),
            );
        }
        LoadError::WrongKey => "; check --key-file, ANTHER_KEY_FILE or ANTHER_KEY",
        LoadError::NotKeyed => {
            return Stop::about(shown(path), "is not keyed; leave --key-file out");
        }
        LoadError::Range => {
            return Stop::about(
                shown(path),
                "is a range filter, which is looked up in with anther check and cannot be changed, \
                 merged or converted; build it again from its list",
            );
        }
        LoadError::ExternalHashes => {
            " (from the library), or if it is an exact set, print it: anther list"
        }
        _ => "",
    };
    Stop::about(shown(path), format_args!("{error}{next}"))
}

/// What to do with a text in JSON.
fn json_advice(path: &Path) -> Option<&'static str> {
    let mut start = Vec::new();
    let file = if is_stream(path) { None } else { File::open(path).ok() };
    file?.take(64).read_to_end(&mut start).ok()?;
    signature::json_advice(&start)
}

/// Locks an existing filter, waiting for other processes that change it.
pub fn lock(path: &Path) -> Result<Lock, Stop> {
    let stop = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => explained(path, error.into()),
        _ => Stop::about(path.display(), format_args!("cannot lock it: {error}")),
    };
    if let Some(lock) = Lock::try_exclusive(path).map_err(stop)? {
        return Ok(lock);
    }
    let message = "waiting for another process that is changing it";
    output::note(&format!("{}: {message}", path.display()));
    Lock::exclusive(path).map_err(stop)
}

/// The folder of a file, which need not exist.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Checks by trying that files can be written in the folder of this one; permissions alone do not
/// tell.
pub fn check_folder(path: &Path) -> Result<(), Stop> {
    // A symlink stays, and its target is replaced, in its own folder.
    let path = fs::canonicalize(path).unwrap_or(path.to_path_buf());
    let folder = folder_of(&path);
    if !folder.exists() {
        return Err(Stop::about(folder.display(), "no such folder; make it with mkdir -p"));
    }
    let _whole = interrupt::not_now();
    temporary::remove_leftovers(folder);
    // On Linux the file has no name; elsewhere a random one, which is removed at once.
    tempfile::tempfile_in(folder).map(drop).map_err(|error| {
        // The original message names a temporary file.
        let cause = io::Error::from(error.kind());
        Stop::about(folder.display(), format_args!("cannot write there: {cause}"))
    })
}

/// Writes a small file atomically, such as a picture.
#[cfg(feature = "lab")]
pub fn put(path: &Path, bytes: &[u8], force: bool) -> Result<(), Stop> {
    put_with(path, force, |file| file.write_all(bytes).map_err(|error| error.to_string()))
}

/// Writes a file atomically: `write` gets a temporary one, and an error of it leaves nothing.
fn put_with(
    path: &Path,
    force: bool,
    write: impl FnOnce(&mut File) -> Result<(), String>,
) -> Result<(), Stop> {
    // A symlink stays, and its target is replaced.
    let real = fs::canonicalize(path).unwrap_or(path.to_path_buf());
    // The rename would replace a device or a pipe by a file.
    if fs::metadata(&real).is_ok_and(|it| !it.is_file()) {
        let what = if real.is_dir() {
            "is a folder; name a file"
        } else {
            "not a regular file; name another"
        };
        return Err(Stop::about(path.display(), what));
    }
    // Short, and an interrupt in between would leave a temporary file.
    let _whole = interrupt::not_now();
    let mut file = temporary::usual_in(folder_of(&real)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            Stop::about(folder_of(path).display(), "no such folder; make it with mkdir -p")
        }
        _ => Stop::about(path.display(), format_args!("cannot write: {error}")),
    })?;
    // Not through the temporary file itself, whose errors name it.
    write(file.as_file_mut())
        .map_err(|error| Stop::about(path.display(), format_args!("cannot write: {error}")))?;
    let written = file.as_file().sync_all().and_then(|()| {
        let named = if force { file.persist(&real) } else { file.persist_noclobber(&real) };
        named.map(|_| ()).map_err(|error| error.error)
    });
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Stop::about(path.display(), "exists already; --force replaces it")
        }
        _ => Stop::about(path.display(), format_args!("cannot write: {error}")),
    })?;
    let synced = sync_folder(folder_of(&real));
    synced.map_err(|error| Stop::about(path.display(), SaveError::Unsynced(error)))
}

/// Syncs a folder, so that a new name in it outlasts a power cut. As the library does, this skips a
/// folder that may be written but not read, and systems that cannot open folders.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        Ok(folder) if cfg!(unix) => folder.sync_all(),
        _ => Ok(()),
    }
}

/// Refuses checksums of pages for a kind that nobody would read by pages.
pub fn check_pages(kind: Kind) -> Result<(), Stop> {
    let kinds = Remote::kinds();
    if kinds.contains(&kind) {
        return Ok(());
    }
    let names = kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    let (article, next) = (kind.article(), "leave it out, or choose one of these with --kind");
    let cause = format!(
        "is for lookups over the web, in filters of kind {names}; this is {article} {kind}"
    );
    Err(Stop::about("--pages", format_args!("{cause} filter; {next}")))
}

/// Where a filter will be written. Symlinks are resolved once, at the beginning, so that the file
/// that is checked is the file that is replaced.
#[derive(Debug)]
pub struct Destination {
    /// As the user named it.
    path: PathBuf,
    /// The same with symlinks resolved.
    real: PathBuf,
    /// Not to a file, but to standard output.
    is_stdout: bool,
    force: bool,
    /// Whether a Parquet file with filters may be replaced, since another one is written.
    replaces_parquet: bool,
    /// Whether pages get checksums.
    pages: bool,
    /// The lock that keeps the file as it is until it is replaced.
    held: Option<Lock>,
}

impl Destination {
    /// Checks that a filter can be written there, before any work is done. A Parquet file with
    /// filters is a table, too, so it gives way only to another one.
    pub fn new(path: &Path, force: bool, replaces_parquet: bool) -> Result<Destination, Stop> {
        let (path, real) = (path.to_path_buf(), behind_links(path));
        let (is_stdout, held, pages) = (false, None, false);
        let destination =
            Destination { path, real, is_stdout, force, replaces_parquet, pages, held };
        destination.check_free()?;
        check_folder(&destination.real)?;
        Ok(destination)
    }

    /// Standard output.
    pub fn stdout() -> Result<Destination, Stop> {
        if io::stdout().is_terminal() {
            let cause = "is a terminal, and a filter is binary; redirect it to a pipe or a file";
            return Err(Stop::about("standard output", cause));
        }
        let path = PathBuf::from("standard output");
        let (real, is_stdout, held) = (PathBuf::new(), true, None);
        let (force, replaces_parquet, pages) = (false, false, false);
        Ok(Destination { path, real, is_stdout, force, replaces_parquet, pages, held })
    }

    /// With checksums of pages, for lookups over the web.
    pub fn with_pages(self, pages: bool) -> Destination {
        Destination { pages, ..self }
    }

    /// Writes the filter and returns the number of bytes. If another process is changing the file,
    /// waits for it; otherwise that process would overwrite this filter.
    pub fn save(&self, filter: &impl Writable) -> Result<u64, Stop> {
        self.save_then(filter, || ())
    }

    /// The same. `placed` is called once the filter is in its place, also if its folder cannot be
    /// synced after that.
    pub fn save_then(&self, filter: &impl Writable, placed: impl FnOnce()) -> Result<u64, Stop> {
        if self.is_stdout {
            return self.write(filter).inspect(|_| placed());
        }
        let save = Save::new().pages(self.pages).cancel(&interrupt::SAVES);
        let saved = match (&self.held, self.lock_if_replaced()?) {
            (Some(lock), _) => save.locked(filter, lock),
            (None, Some(lock)) => save.locked(filter, &lock),
            (None, None) => save.only_new().file(filter, &self.real),
        };
        if matches!(saved, Ok(()) | Err(SaveError::Unsynced(_))) {
            placed();
        }
        saved.map_err(|error| match error {
            SaveError::Cancelled => interrupt::wait(),
            SaveError::Io(cause) if cause.kind() == ErrorKind::AlreadyExists => {
                self.stop("was created meanwhile; --force replaces it")
            }
            other => self.stop(other),
        })?;
        fs::metadata(&self.real).map(|meta| meta.len()).map_err(|error| self.stop(error))
    }

    /// The same for a filter of another system. No second copy of it is in memory.
    pub fn save_foreign(&self, filter: &ForeignFilter) -> Result<u64, Stop> {
        if self.is_stdout {
            let mut out = io::stdout().lock();
            let bytes = filter.write_to(&mut out).map_err(|error| match error {
                ForeignError::Io { kind, message } => {
                    self.not_written(&io::Error::new(kind, message))
                }
                other => self.stop(other),
            })?;
            out.flush().map_err(|error| self.not_written(&error))?;
            return Ok(bytes);
        }
        let _lock = self.lock_if_replaced()?;
        let mut bytes = 0;
        put_with(&self.path, self.force, |file| {
            bytes = filter.write_to(file).map_err(|error| error.to_string())?;
            Ok(())
        })?;
        Ok(bytes)
    }

    /// The same for a file that is written bit by bit; `write` returns the number of bytes.
    #[cfg(feature = "parquet")]
    pub fn save_with(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<u64, String>,
    ) -> Result<u64, Stop> {
        if self.is_stdout {
            return write(&mut io::stdout().lock()).map_err(|error| self.stop(error));
        }
        let _lock = self.lock_if_replaced()?;
        let mut bytes = 0;
        put_with(&self.path, self.force, |file| {
            bytes = write(file)?;
            Ok(())
        })?;
        Ok(bytes)
    }

    fn not_written(&self, error: &io::Error) -> Stop {
        match error.kind() {
            ErrorKind::BrokenPipe => {
                self.stop("closed by its reader before the filter was complete")
            }
            _ => self.stop(format_args!("cannot write: {error}")),
        }
    }

    /// Writes the filter to standard output. A reader that went away is an error here: it has no
    /// filter.
    fn write(&self, filter: &impl Writable) -> Result<u64, Stop> {
        let cause = |error: io::Error| self.not_written(&error);
        let mut out = Written { out: BufWriter::with_capacity(1 << 16, io::stdout()), bytes: 0 };
        match Save::new().pages(self.pages).writer(filter, &mut out) {
            Err(SaveError::Io(error)) => return Err(cause(error)),
            other => other.map_err(|error| self.stop(error))?,
        }
        out.flush().map_err(cause)?;
        Ok(out.bytes)
    }

    /// Locks the file, if it exists, until this is dropped. For verbs that read it before they
    /// replace it.
    pub fn hold(&mut self) -> Result<(), Stop> {
        self.held = self.lock_if_replaced()?;
        Ok(())
    }

    /// Locks the file that will be replaced, if there is one, and checks it again: it may be another
    /// file by now.
    fn lock_if_replaced(&self) -> Result<Option<Lock>, Stop> {
        if self.is_stdout || self.held.is_some() || !self.force || !self.real.is_file() {
            return Ok(None);
        }
        let lock = lock(&self.real)?;
        if lock.path() != self.real {
            return Err(self.stop("was replaced by a symlink meanwhile; nothing was written"));
        }
        self.check_free()?;
        Ok(Some(lock))
    }

    /// The file's path, as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is the same file as another existing file.
    pub fn is(&self, other: &Path) -> bool {
        match (fs::canonicalize(&self.real), fs::canonicalize(other)) {
            (Ok(ours), Ok(theirs)) => !self.is_stdout && ours == theirs,
            _ => false,
        }
    }

    /// Whether it would be the same file as another that need not exist yet.
    pub fn would_be(&self, other: &Path) -> bool {
        !self.is_stdout && self.real == behind_links(other)
    }

    fn stop(&self, cause: impl std::fmt::Display) -> Stop {
        Stop::about(self.path.display(), cause)
    }

    fn may_replace(&self) -> bool {
        is_replaceable(&self.real) || self.replaces_parquet && has_parquet_filters(&self.real)
    }

    fn check_free(&self) -> Result<(), Stop> {
        match fs::symlink_metadata(&self.real) {
            Ok(meta) if meta.is_dir() => Err(self.stop("is a folder; name a file")),
            // A user who forgets OUT names a list in its place; --force must not overwrite that.
            Ok(meta) if meta.is_file() && !self.may_replace() => Err(self.stop(
                "exists already and is not a filter, so it is not replaced; OUT, the filter to \
                 make, comes first",
            )),
            // The target of a link that leads to a file was resolved.
            Ok(meta) if meta.is_symlink() => {
                Err(self.stop("is a symlink to a file that does not exist; remove it first"))
            }
            Ok(_) if !self.force => Err(self.stop("exists already; --force replaces it")),
            _ => Ok(()),
        }
    }
}

/// A writer that counts its bytes.
struct Written<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Written<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The path with symlinks resolved. If the file does not exist, only those of its folder.
fn behind_links(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| {
        let folder = fs::canonicalize(folder_of(path));
        match (folder, path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name),
            _ => path.to_path_buf(),
        }
    })
}
