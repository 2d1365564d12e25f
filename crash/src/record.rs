//! Records what a program does to the files of a folder: what changed, and what was synced.
//!
//! Arguments of system calls are hardly read. Whatever a call did is seen by comparing the folder
//! before and after it, so no way to write goes unnoticed; not even stores to a mapped file, for
//! which the files are compared before each system call.

use crate::trace::{Call, Observer, Verdict};
use nix::libc;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Number of a file, whatever its names are.
pub type Inode = u64;

/// What a disk may write or not, alone.
#[derive(Clone, Debug)]
pub enum Unit {
    /// Bytes at an offset, not longer than what a disk writes at once.
    Data {
        inode: Inode,
        at: usize,
        bytes: Vec<u8>,
    },
    Length {
        inode: Inode,
        bytes: usize,
    },
    /// What one system call did to the names of the folder.
    Names {
        set: Vec<(String, Inode)>,
        removed: Vec<String>,
    },
}

/// What happened, in its order.
#[derive(Clone, Debug)]
pub enum Event {
    /// By one system call, or by stores to a map between two of them.
    Changed(Vec<Unit>),
    /// All that had changed of a file before the first `until` events is on disk.
    Synced { inode: Inode, until: usize },
    /// The same for a range of its bytes.
    SyncedRange { inode: Inode, range: Range<usize>, until: usize },
    /// The same for the names.
    SyncedNames { until: usize },
    /// The program said that it succeeded.
    Acknowledged,
}

/// The names of a folder and the content of its files.
#[derive(Clone, Debug, Default)]
pub struct Content {
    pub names: BTreeMap<String, Inode>,
    pub files: HashMap<Inode, Vec<u8>>,
}

/// Looks on while programs change a folder.
pub struct Recorder {
    folder: PathBuf,
    device: u64,
    /// Whether files are changed through maps.
    is_mapped: bool,
    /// The most bytes that a disk writes at once.
    grain: usize,
    /// Of each file a handle, which also keeps its number from being given to another.
    handles: HashMap<Inode, File>,
    now: Content,
    maps: Vec<(u64, u64, Inode, u64)>,
    syncing: HashMap<i32, usize>,
    pub before: Content,
    pub events: Vec<Event>,
    /// At which call of msync to kill the program.
    pub kill_at_msync: Option<usize>,
}

impl Recorder {
    pub fn new(folder: &Path, is_mapped: bool, grain: usize) -> io::Result<Recorder> {
        let mut recorder = Recorder {
            folder: folder.to_path_buf(),
            device: fs::metadata(folder)?.dev(),
            is_mapped,
            grain,
            handles: HashMap::new(),
            now: Content::default(),
            maps: Vec::new(),
            syncing: HashMap::new(),
            before: Content::default(),
            events: Vec::new(),
            kill_at_msync: None,
        };
        recorder.now.names = recorder.list()?;
        for (name, inode) in recorder.now.names.clone() {
            let path = folder.join(name);
            recorder.now.files.insert(inode, fs::read(&path)?);
            recorder.handles.insert(inode, File::open(path)?);
        }
        recorder.before = recorder.now.clone();
        Ok(recorder)
    }

    fn list(&self) -> io::Result<BTreeMap<String, Inode>> {
        let entries = fs::read_dir(&self.folder)?;
        let named = |entry: fs::DirEntry| {
            Ok((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.ino()))
        };
        // A file may go between two steps: then another comparison sees that.
        Ok(entries.flatten().map(named).filter_map(io::Result::ok).collect())
    }

    /// Compares the folder with what it was.
    fn look(&mut self) {
        let mut units = Vec::new();
        for (inode, handle) in &self.handles {
            let Ok(new) = read_all(handle) else { continue };
            let old = self.now.files.entry(*inode).or_default();
            if *old != new {
                units.extend(difference(*inode, old, &new, self.grain));
                *old = new;
            }
        }
        if let Ok(names) = self.list()
            && names != self.now.names
        {
            let old = &self.now.names;
            let set = names.iter().filter(|(name, inode)| old.get(*name) != Some(inode));
            let set = set.map(|(name, inode)| (name.clone(), *inode)).collect();
            let removed = old.keys().filter(|name| !names.contains_key(*name)).cloned().collect();
            units.push(Unit::Names { set, removed });
            self.now.names = names;
        }
        if !units.is_empty() {
            self.events.push(Event::Changed(units));
        }
    }

    /// The file that a descriptor stands for, if it is one of the folder.
    fn file_of(&mut self, thread: i32, descriptor: u64) -> Option<Inode> {
        let link = format!("/proc/{thread}/fd/{}", descriptor.cast_signed());
        let meta = fs::metadata(&link).ok()?;
        let target = fs::read_link(&link).ok()?;
        let is_ours = meta.dev() == self.device && target.starts_with(&self.folder);
        if !is_ours || !meta.is_file() {
            return None;
        }
        let inode = meta.ino();
        if let Entry::Vacant(place) = self.handles.entry(inode) {
            // Just made: it was empty.
            place.insert(File::open(&link).ok()?);
            self.now.files.insert(inode, Vec::new());
        }
        Some(inode)
    }

    fn is_folder(&self, thread: i32, descriptor: u64) -> bool {
        let link = format!("/proc/{thread}/fd/{}", descriptor.cast_signed());
        fs::read_link(link).is_ok_and(|target| target == self.folder)
    }

    fn synced(&mut self, call: &Call, until: usize) {
        let [first, second, ..] = call.arguments;
        if call.number == libc::SYS_msync {
            let pages = second.next_multiple_of(4096);
            let found = self
                .maps
                .iter()
                .rev()
                .find(|(start, len, ..)| (*start..start + len).contains(&first));
            if let Some(&(start, _, inode, offset)) = found {
                let from = usize::try_from(first - start + offset).unwrap_or(usize::MAX);
                let range = from..from + usize::try_from(pages).unwrap_or(0);
                self.events.push(Event::SyncedRange { inode, range, until });
            }
        } else if let Some(inode) = self.file_of(call.thread, first) {
            self.events.push(Event::Synced { inode, until });
        } else if self.is_folder(call.thread, first) {
            self.events.push(Event::SyncedNames { until });
        }
    }
}

/// Whether a call writes files to disk.
fn syncs(number: i64) -> bool {
    [libc::SYS_fsync, libc::SYS_fdatasync, libc::SYS_msync].contains(&number)
}

impl Observer for Recorder {
    fn enters(&mut self, call: &Call) -> Verdict {
        if self.is_mapped || syncs(call.number) {
            self.look();
        }
        if syncs(call.number) {
            self.syncing.insert(call.thread, self.events.len());
        }
        if call.number == libc::SYS_msync
            && let Some(more) = &mut self.kill_at_msync
        {
            if *more == 0 {
                self.kill_at_msync = None;
                return Verdict::Kill;
            }
            *more -= 1;
        }
        Verdict::Run
    }

    fn leaves(&mut self, call: &Call, result: i64) {
        if result < 0 {
            return;
        }
        let [_, len, _, flags, descriptor, offset] = call.arguments;
        match call.number {
            libc::SYS_openat | libc::SYS_open => {
                self.file_of(call.thread, result.cast_unsigned());
                self.look();
            }
            libc::SYS_mmap if flags & 1 == 1 => {
                if let Some(inode) = self.file_of(call.thread, descriptor) {
                    self.maps.push((result.cast_unsigned(), len, inode, offset));
                }
            }
            number if syncs(number) => {
                let until = self.syncing.remove(&call.thread).unwrap_or(0);
                self.synced(call, until);
            }
            number if changes(number) => self.look(),
            _ => {}
        }
    }
}

/// Whether a call changes what is in a folder, other than by opening files.
pub fn changes(number: i64) -> bool {
    [
        libc::SYS_write,
        libc::SYS_pwrite64,
        libc::SYS_writev,
        libc::SYS_pwritev,
        libc::SYS_pwritev2,
        libc::SYS_copy_file_range,
        libc::SYS_sendfile,
        libc::SYS_splice,
        libc::SYS_ftruncate,
        libc::SYS_truncate,
        libc::SYS_fallocate,
        libc::SYS_rename,
        libc::SYS_renameat,
        libc::SYS_renameat2,
        libc::SYS_link,
        libc::SYS_linkat,
        libc::SYS_unlink,
        libc::SYS_unlinkat,
        libc::SYS_munmap,
    ]
    .contains(&number)
}

fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let len = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let mut bytes = vec![0; len];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// What a disk has to write to make one content of the other.
fn difference(inode: Inode, old: &[u8], new: &[u8], grain: usize) -> Vec<Unit> {
    let mut units = Vec::new();
    if old.len() != new.len() {
        units.push(Unit::Length { inode, bytes: new.len() });
    }
    for (number, bytes) in new.chunks(grain).enumerate() {
        let at = number * grain;
        let mut was = old.get(at..).unwrap_or_default().to_vec();
        was.resize(bytes.len(), 0);
        if was != bytes {
            units.push(Unit::Data { inode, at, bytes: bytes.to_vec() });
        }
    }
    units
}
