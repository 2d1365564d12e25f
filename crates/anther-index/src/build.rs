//! Making and updating an index.

use crate::container;
use crate::cut::{Cutter, PieceKeys};
use crate::entry::{Block, FileEntry, Root, Stamp};
use crate::error::IndexError;
use crate::index::Index;
use crate::key;
use crate::parts::{self, Part};
use crate::pending::{BlockKey, Pending};
use crate::read_at::read_exact_at;
use crate::source::{Opened, Sources};
use crate::tables::{DEAD, Group, Settings, Tables};
use crate::walk::{self, Found};
use anther::format::Replace;
use anther::{Cancel, Lock, SaveError, Threads};
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use twox_hash::XxHash3_64;

/// A file that was modified this short before it was read counts as changed: clocks of file systems
/// are coarse, FAT's ticks every two seconds.
const SETTLED: Duration = Duration::from_secs(2);

/// Bytes at each end of a file whose checksum tells whether it only grew.
const ENDS: u64 = 4096;

/// Why a file is left out that is written to all the time; the next update reads it.
const CHANGED: &str = "it changed while it was read";

/// The least memory for columns that wait.
pub const LEAST_MEMORY: u64 = 16 << 20;

/// Hears how the work goes on, from any thread.
pub trait Watch: Sync {
    /// So many bytes of files will be read.
    fn begin(&self, _bytes: u64) {}
    /// So many more were read.
    fn advance(&self, _bytes: u64) {}
    /// A file is left out, and why.
    fn warn(&self, _path: &Path, _cause: &str) {}
}

/// Makes and updates indexes.
#[derive(Clone, Copy)]
pub struct Indexer<'a> {
    /// Reads and decompresses files.
    pub sources: &'a dyn Sources,
    /// Hears how it goes on.
    pub watch: &'a dyn Watch,
    /// How many threads work.
    pub threads: Threads,
    /// Bytes for columns that wait for their group. Each thread needs a few MiB more.
    pub memory: u64,
    /// The length of a block, up to the end of its last line: [`BLOCK`](crate::BLOCK), except in tests.
    pub block: u64,
    /// Cancels it from another thread.
    pub cancel: &'a Cancel,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files in the index.
    pub files: u64,
    /// Files that were read whole.
    pub read: u64,
    /// Files that grew and were read from their last block on.
    pub grown: u64,
    /// Files that are unchanged and were not read.
    pub kept: u64,
    /// Files of the old index that are gone.
    pub dropped: u64,
    /// Files that could not be read, and are not in the index.
    pub skipped: u64,
    /// Blocks in the index.
    pub blocks: u64,
    /// Bytes of decompressed text in the index.
    pub text: u64,
    /// Bytes of the index file.
    pub bytes: u64,
}

impl Indexer<'_> {
    /// Makes an index of these roots. An existing file is replaced only if `replace` is set.
    pub fn create(
        &self,
        path: &Path,
        roots: &[PathBuf],
        settings: &Settings,
        replace: bool,
    ) -> Result<Summary, IndexError> {
        let roots = roots.iter().map(|root| absolute(root)).collect::<Result<Vec<_>, _>>()?;
        let how = Replace::new().cancel(self.cancel);
        let mut summary = Summary::default();
        let write = |out: &mut (dyn Write + Send)| {
            summary = self.write(path, roots, settings.clone(), None, out)?;
            Ok::<(), IndexError>(())
        };
        if replace && path.exists() {
            let lock = Lock::try_exclusive(path)?.ok_or(IndexError::Busy)?;
            how.locked(&lock, write)?;
        } else {
            how.only_new().file(path, write)?;
        }
        Ok(summary)
    }

    /// Updates an index: reads only what has changed.
    pub fn update(&self, path: &Path) -> Result<Summary, IndexError> {
        let lock = Lock::try_exclusive(path)?.ok_or(IndexError::Busy)?;
        let old = Index::open(lock.path())?;
        let (roots, settings) = (old.roots().to_vec(), old.settings().clone());
        let mut summary = Summary::default();
        Replace::new().cancel(self.cancel).locked(&lock, |out| {
            summary = self.write(lock.path(), roots, settings, Some(&old), out)?;
            Ok::<(), IndexError>(())
        })?;
        Ok(summary)
    }

    fn write(
        &self,
        path: &Path,
        roots: Vec<Root>,
        settings: Settings,
        old: Option<&Index>,
        out: &mut (dyn Write + Send),
    ) -> Result<Summary, IndexError> {
        let warn = |_, path: &Path, cause: &str| self.watch.warn(path, cause);
        let mut found = walk::files(&roots, &settings, self.threads.get(), &warn);
        let own = fs::metadata(path).ok();
        found.retain(|file| !is_own(&file.full(&roots), own.as_ref()));
        u32::try_from(found.len()).map_err(|_| IndexError::TooMany("files"))?;

        let mut out = BufWriter::with_capacity(1 << 20, out);
        out.write_all(&container::header()).map_err(SaveError::Io)?;
        let pending = Pending::new(&mut out, container::HEADER, self.memory.max(LEAST_MEMORY));
        let plans: Vec<Plan> = found.iter().map(|file| Plan::of(file, &roots, old)).collect();
        let work = Work {
            indexer: self,
            roots: &roots,
            settings: &settings,
            probes: probes(&settings, old),
            found: &found,
            plans: &plans,
            old,
            pending: Mutex::new(pending),
            cutters: Mutex::default(),
            files: found.iter().map(|_| Mutex::default()).collect(),
        };
        work.adopt()?;
        work.read()?;
        let Work { pending, files, .. } = work;
        let pending = pending.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (written, end) = pending.finish()?;

        let mut summary = Summary::default();
        let mut tables = Tables {
            probes: probes(&settings, old),
            settings,
            roots,
            files: Vec::new(),
            blocks: Vec::new(),
            groups: Vec::new(),
        };
        // For each file, if it is in the index, where the blocks of its parts begin.
        let mut starts: Vec<Vec<u32>> = Vec::with_capacity(found.len());
        for ((file, plan), state) in found.into_iter().zip(&plans).zip(files) {
            let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
            starts.push(add_file(&mut tables, &mut summary, file, plan, state, old)?);
        }
        let number = |key: &Option<BlockKey>| {
            let starts = key.and_then(|key| Some((key, starts.get(key.file as usize)?)));
            let Some((key, starts)) = starts else { return DEAD };
            let part = key.part as usize;
            match (starts.get(part), starts.get(part + 1)) {
                (Some(start), Some(end)) if key.number < end - start => start + key.number,
                _ => DEAD,
            }
        };
        let mut offset = container::HEADER;
        for group in written {
            let blocks = group.blocks.iter().map(number).collect();
            tables.groups.push(Group { matrix: group.matrix, shape: group.shape, offset, blocks });
            offset += group.shape.len();
        }
        summary.bytes = container::finish(&tables, end, &mut out).map_err(SaveError::Io)?;
        out.flush().map_err(SaveError::Io)?;
        let kept = summary.kept + summary.grown;
        let before = old.map_or(0, |old| old.files().len() as u64);
        let again = plans.iter().filter(|plan| plan.is_old && !plan.keeps()).count() as u64;
        summary.dropped = before.saturating_sub(kept + again);
        Ok(summary)
    }
}

/// Rows per key: those of the old index, if there is one.
fn probes(settings: &Settings, old: Option<&Index>) -> u32 {
    old.map_or_else(|| key::probes(settings.fpr), |old| old.tables.probes)
}

/// A root that was given, if it exists.
fn absolute(given: &Path) -> Result<Root, IndexError> {
    let failed = |error| IndexError::Root { path: given.to_path_buf(), error };
    fs::metadata(given).map_err(failed)?;
    let path = std::path::absolute(given).map_err(failed)?;
    Ok(Root { path, given: given.to_path_buf() })
}

/// Whether a file is the index itself, or one that is being written in its place.
fn is_own(path: &Path, own: Option<&fs::Metadata>) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let random = name.strip_prefix(".anther-").and_then(|name| name.strip_suffix(".tmp"));
    if random.is_some_and(|random| random.len() == 16) {
        return true;
    }
    match (own, fs::metadata(path)) {
        (Some(own), Ok(file)) => is_same(own, &file),
        _ => false,
    }
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// The standard library cannot tell on this platform; a time and a size do.
#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    Stamp::of(one) == Stamp::of(other)
}

/// What to do with a file.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// Its number in the old index, whose blocks are kept up to here, if any are.
    kept: Option<(u32, u32)>,
    /// Where reading begins; nothing is read of a file that has not changed.
    read_from: Option<u64>,
    /// Whether it is in the old index.
    is_old: bool,
    size: u64,
}

impl Plan {
    fn of(file: &Found, roots: &[Root], old: Option<&Index>) -> Plan {
        let path = file.full(roots);
        let metadata = fs::metadata(&path).ok();
        let size = metadata.as_ref().map_or(0, fs::Metadata::len);
        let whole = Plan { kept: None, read_from: Some(0), is_old: false, size };
        let Some((number, entry)) = old.and_then(|old| old.entry(file.root, &file.path)) else {
            return whole;
        };
        let whole = Plan { is_old: true, ..whole };
        let (Some(metadata), Some(old)) = (metadata, old) else { return whole };
        if entry.is_unchanged(&metadata) {
            return Plan { kept: Some((number, entry.blocks.end)), read_from: None, ..whole };
        }
        let grew =
            File::open(&path).is_ok_and(|file| is_longer(&file, Stamp::of(&metadata), entry));
        let text = !entry.is_compressed && !entry.is_binary && !entry.is_whole;
        let last = entry.blocks.end.checked_sub(1).filter(|last| *last >= entry.blocks.start);
        match last.and_then(|last| Some((last, old.block(last)?))) {
            Some((last, block)) if text && grew => {
                Plan { kept: Some((number, last)), read_from: Some(block.offset), ..whole }
            }
            _ => whole,
        }
    }

    fn keeps(self) -> bool {
        self.kept.is_some()
    }
}

/// Whether a file only grew: the same inode, longer, with the bytes at both ends of what was indexed.
fn is_longer(file: &File, now: Stamp, entry: &FileEntry) -> bool {
    now.inode == entry.stamp.inode
        && now.size > entry.stamp.size
        && ends_of(file, entry.stamp.size).is_ok_and(|ends| ends == entry.ends)
}

/// The checksum of the ends of a file's first bytes.
fn ends_of(file: &File, size: u64) -> io::Result<u64> {
    let len = size.min(ENDS);
    let mut bytes = vec![0; usize::try_from(2 * len).unwrap_or_default()];
    let (first, last) = bytes.split_at_mut(usize::try_from(len).unwrap_or_default());
    read_exact_at(file, first, 0)?;
    read_exact_at(file, last, size - len)?;
    Ok(XxHash3_64::oneshot(&bytes))
}

/// What was found out about a file while it was read.
#[derive(Default)]
struct State {
    stamp: Option<Stamp>,
    ends: u64,
    is_compressed: bool,
    is_binary: bool,
    is_fresh: bool,
    is_whole: bool,
    is_parquet: bool,
    /// Whether it is left out.
    failed: bool,
    /// The blocks of each part that was read, as lengths and numbers of lines.
    parts: Vec<ReadPart>,
}

#[derive(Clone, Default)]
struct ReadPart {
    blocks: Vec<(u64, u64)>,
    /// Whether the text ends here, at a NUL byte.
    is_last: bool,
}

/// All that the threads share.
struct Work<'a> {
    indexer: &'a Indexer<'a>,
    roots: &'a [Root],
    settings: &'a Settings,
    /// Rows per key of a column.
    probes: u32,
    found: &'a [Found],
    plans: &'a [Plan],
    old: Option<&'a Index>,
    pending: Mutex<Pending<'a>>,
    /// Cutters that wait for the next file: their 2 MiB are made once per thread.
    cutters: Mutex<Vec<Cutter>>,
    files: Vec<Mutex<State>>,
}

/// A part of a file for one thread.
struct Job {
    file: u32,
    part: Part,
}

impl<'a> Work<'a> {
    /// Takes over the groups of the old index.
    fn adopt(&self) -> Result<(), IndexError> {
        let Some(old) = self.old else { return Ok(()) };
        let mut keys = vec![None; old.blocks() as usize];
        for (file, plan) in (0..).zip(self.plans) {
            let Some((number, end)) = plan.kept else { continue };
            let start = old.files()[number as usize].blocks.start;
            for block in start..end {
                keys[block as usize] = Some(BlockKey { file, part: 0, number: block - start });
            }
        }
        let mut pending = self.pending();
        for group in &old.tables.groups {
            let block = |block: &u32| keys.get(*block as usize).copied().flatten();
            let blocks: Vec<_> = group.blocks.iter().map(block).collect();
            pending.adopt((group.matrix, group.shape), old.rows(group), &blocks)?;
        }
        Ok(())
    }

    fn pending(&self) -> MutexGuard<'_, Pending<'a>> {
        // After a panic nothing is written.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cutters(&self) -> MutexGuard<'_, Vec<Cutter>> {
        self.cutters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self, file: u32) -> MutexGuard<'_, State> {
        self.files[file as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads all files that have changed.
    fn read(&self) -> Result<(), IndexError> {
        let plans = || (0u32..).zip(self.plans);
        let from = |plan: &Plan| plan.read_from.map(|from| plan.size.saturating_sub(from));
        self.indexer.watch.begin(plans().filter_map(|(_, plan)| from(plan)).sum());
        let sources = self.indexer.sources;
        let jobs = plans().filter_map(|(file, plan)| Some((file, plan, plan.read_from?))).flat_map(
            |(file, plan, from)| {
                let split = self.settings.columns.is_empty()
                    && parts::is_long(plan.size - from.min(plan.size))
                    && parts::is_plain(&self.path(file), sources);
                let first = u32::from(plan.keeps());
                parts::of(from..plan.size, split, first).map(move |part| Job { file, part })
            },
        );
        self.indexer.threads.try_each(jobs, |job| self.run(&job))
    }

    fn path(&self, file: u32) -> PathBuf {
        self.found[file as usize].full(self.roots)
    }

    /// Reads one part. A file that cannot be read is left out; only the index must be written.
    fn run(&self, job: &Job) -> Result<(), IndexError> {
        let path = self.path(job.file);
        match self.read_part(job, &path) {
            Ok(()) => Ok(()),
            Err(Failed::Fatal(error)) => Err(error),
            Err(Failed::File(cause)) => {
                let mut state = self.state(job.file);
                if !std::mem::replace(&mut state.failed, true) {
                    self.indexer.watch.warn(&path, &cause);
                }
                Ok(())
            }
        }
    }

    fn read_part(&self, job: &Job, path: &Path) -> Result<(), Failed> {
        let found = &self.found[job.file as usize];
        let mut file = File::open(path)?;
        let now = SystemTime::now();
        let metadata = file.metadata()?;
        let stamp = Stamp::of(&metadata);
        let settled = metadata.modified()?.checked_add(SETTLED).is_some_and(|time| time < now);
        let ends = ends_of(&file, stamp.size)?;
        if let Some((number, _)) = self.plans[job.file as usize].kept
            && let Some(entry) = self.old.and_then(|old| old.files().get(number as usize))
            && !is_longer(&file, stamp, entry)
        {
            return Err(Failed::File(CHANGED.to_string()));
        }
        let (begin, end) = job.part.bytes(stamp.size);
        file.seek(SeekFrom::Start(begin))?;
        let opened = Opened { file, path, offset: begin, len: end.saturating_sub(begin) };
        let mut source = self.indexer.sources.open(opened)?;

        let columns = self.settings.columns.len();
        let waiting = self.cutters().pop();
        let mut cutter =
            waiting.unwrap_or_else(|| Cutter::new(columns, self.probes, self.indexer.block));
        // What is below a folder is searched up to the first NUL byte, as ripgrep does.
        let is_given = found.path.as_os_str().is_empty();
        let (mut read, mut done) = (ReadPart::default(), 0);
        let mut marks = Marks::default();
        let mut window = job.part.window();
        let (mut is_first, mut is_parquet) = (begin == 0, false);
        loop {
            match source.read() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Err(Failed::File(source.explain(&error))),
            }
            // Only texts that are read in one part have keys.
            let keys = match columns {
                0 => PieceKeys::default(),
                _ => PieceKeys::of(&mut *source, columns, cutter.probes()),
            };
            if let Some(group) = source.row_group() {
                is_parquet = true;
                let block = cutter.row_group(group, &keys);
                self.take(job, &marks, &mut read, block)?;
                continue;
            }
            let piece = source.piece();
            if std::mem::take(&mut is_first) {
                marks = Marks::of(piece);
            }
            let (mut text, is_end) = window.of(piece);
            if !marks.is_utf16
                && let Some(nul) = memchr::memchr(0, &piece[text.clone()])
            {
                marks.is_binary = true;
                if !is_given {
                    (text.end, read.is_last) = (text.start + nul, true);
                }
            }
            let is_end = is_end || read.is_last;
            cutter.push(&piece[text], &keys, |block| self.take(job, &marks, &mut read, block))?;
            let bytes = source.bytes_read();
            self.indexer.watch.advance(bytes - done);
            done = bytes;
            if is_end {
                break;
            }
        }
        if let Some(block) = cutter.finish() {
            self.take(job, &marks, &mut read, block)?;
        }
        // It is empty again. One that was left with half a file is dropped.
        self.cutters().push(cutter);
        let is_settled = settled && Stamp::of(&fs::metadata(path)?) == stamp;
        let mut state = self.state(job.file);
        // Parts of different versions of a file do not make one.
        if state.stamp.is_some_and(|other| other != stamp) {
            return Err(Failed::File(CHANGED.to_string()));
        }
        state.stamp = Some(stamp);
        state.ends = ends;
        state.is_compressed = source.is_compressed();
        state.is_whole = source.is_whole() || is_parquet;
        state.is_parquet = is_parquet;
        state.is_binary |= marks.is_binary || is_parquet;
        state.is_fresh |= !is_settled;
        let number = job.part.number as usize;
        let parts = state.parts.len().max(number + 1);
        state.parts.resize(parts, ReadPart::default());
        state.parts[number] = read;
        Ok(())
    }

    /// Takes a block that was cut.
    fn take(
        &self,
        job: &Job,
        marks: &Marks,
        read: &mut ReadPart,
        block: crate::cut::CutBlock,
    ) -> Result<(), IndexError> {
        let number = u32::try_from(read.blocks.len()).map_err(|_| IndexError::TooMany("blocks"))?;
        read.blocks.push((block.len, block.lines));
        let key = BlockKey { file: job.file, part: job.part.number, number };
        let mut pending = self.pending();
        for (matrix, hashes) in (0..).zip(block.hashes) {
            // A block without a column is always searched: its text is other than its bytes.
            if marks.is_utf16 && matrix == 0 {
                continue;
            }
            let load = if matrix == 0 { crate::load::of(self.settings.fpr) } else { key::LOAD };
            if let Some(hashes) = hashes {
                pending.insert(matrix, key, hashes, load)?;
            }
        }
        Ok(())
    }
}

/// Adds a file to the tables. Returns where the blocks of each of its parts begin, and the last
/// end; nothing if it is left out.
fn add_file(
    tables: &mut Tables,
    summary: &mut Summary,
    file: Found,
    plan: &Plan,
    state: State,
    old: Option<&Index>,
) -> Result<Vec<u32>, IndexError> {
    let number = |tables: &Tables| {
        let number = u32::try_from(tables.blocks.len()).ok().filter(|number| *number < DEAD);
        number.ok_or(IndexError::TooMany("blocks"))
    };
    if state.failed {
        summary.skipped += 1;
        return Ok(Vec::new());
    }
    let first = number(tables)?;
    let mut starts = vec![first];
    let entry = plan.kept.and_then(|(number, end)| Some((old?.files().get(number as usize)?, end)));
    let (mut offset, mut first_line) = (0, 1);
    let mut push = |blocks: &mut Vec<Block>, len, lines| {
        blocks.push(Block { offset, len, first_line, lines });
        (offset, first_line) = (offset + len, first_line + lines);
    };
    if let (Some((entry, end)), Some(old)) = (entry, old) {
        for block in (entry.blocks.start..end).filter_map(|block| old.block(block)) {
            push(&mut tables.blocks, block.len, block.lines);
        }
        starts.push(number(tables)?);
    }
    let is_cut = state.parts.iter().position(|part| part.is_last);
    let parts = is_cut.map_or(state.parts.len(), |last| last + 1);
    // The first part of a file that grew is what was kept.
    for part in state.parts.iter().take(parts).skip(starts.len() - 1) {
        part.blocks.iter().for_each(|(len, lines)| push(&mut tables.blocks, *len, *lines));
        starts.push(number(tables)?);
    }
    summary.text += offset;
    summary.files += 1;
    let blocks = first..number(tables)?;
    summary.blocks += u64::from(blocks.end - blocks.start);
    tables.files.push(match (state.stamp, entry) {
        (None, Some((entry, _))) => {
            summary.kept += 1;
            FileEntry { blocks, ..entry.clone() }
        }
        (stamp, _) => {
            *(if plan.keeps() { &mut summary.grown } else { &mut summary.read }) += 1;
            FileEntry {
                root: file.root,
                path: file.path,
                stamp: stamp.unwrap_or(Stamp { size: 0, modified_ns: 0, inode: 0 }),
                is_compressed: state.is_compressed,
                is_binary: state.is_binary,
                is_parquet: state.is_parquet,
                is_fresh: state.is_fresh,
                is_whole: state.is_whole,
                ends: state.ends,
                blocks,
            }
        }
    });
    Ok(starts)
}

/// What the first bytes of a text say about it.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    /// It has a byte-order mark, or a NUL byte was found.
    is_binary: bool,
    is_utf16: bool,
}

impl Marks {
    fn of(start: &[u8]) -> Marks {
        let is_utf16 = start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF");
        Marks { is_binary: is_utf16 || start.starts_with(b"\xEF\xBB\xBF"), is_utf16 }
    }
}

/// Why a part was not read.
enum Failed {
    /// The file is left out.
    File(String),
    /// The index cannot be written.
    Fatal(IndexError),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        Failed::File(error.to_string())
    }
}

impl From<IndexError> for Failed {
    fn from(error: IndexError) -> Failed {
        Failed::Fatal(error)
    }
}
