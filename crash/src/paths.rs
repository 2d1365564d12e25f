//! The paths that change files: which files exist before, what is run, and what must hold whenever
//! it ends.

use crate::disk::{Files, is_temporary};
use crate::trace::{self, Ended, Observer};
use anther::{AnyFilter, Open, SharedFile};
use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What a disk writes at once, and what a processor stores at once.
const SECTOR: usize = 512;
const WORD: usize = 8;

/// A way to change files.
pub struct ChangePath {
    pub name: &'static str,
    /// Commands that make the files which are there before.
    before: &'static [&'static str],
    /// Commands to look at. Of `>> out`, standard output is appended to that file.
    pub runs: &'static [Run],
    law: Law,
    /// Whether it stores to a mapped file.
    pub is_mapped: bool,
    pub grain: usize,
}

/// A command to look at.
pub struct Run {
    pub arguments: &'static str,
    /// The call of msync at which it is killed.
    pub killed_at_msync: Option<usize>,
}

const fn run(arguments: &'static str) -> Run {
    Run { arguments, killed_at_msync: None }
}

/// What must hold after a crash, a fault or a kill.
enum Law {
    /// The file is as it was, or the new one.
    Replaced { file: &'static str, new: Proof },
    /// The same, and there is no keyed filter without its key.
    Keyed { keys: Range<u32> },
    /// The file opens, and has all keys of before, and those up to the number of each run that
    /// succeeded.
    InPlace { old: Range<u32>, new: &'static [u32] },
    /// Each line was passed, or will be.
    Lines { lines: Range<u32> },
}

/// How a new file is known to be whole.
enum Proof {
    /// A filter with these keys.
    Keys(Range<u32>),
    /// These commands succeed.
    Commands(&'static [&'static str]),
}

const FILTER: &str = "f.anther";
const SECRET: &str = "secret.key";

/// All of them.
pub const PATHS: &[ChangePath] = &[
    replaced("build", &[], &[run("build f.anther ../in/a -q")], FILTER, Proof::Keys(0..1000)),
    replaced(
        "build of 400 kB",
        &[],
        &[run("build f.anther ../in/a --items 300k -q")],
        FILTER,
        Proof::Keys(0..1000),
    ),
    replaced(
        "build --force",
        &["build f.anther ../in/a -q"],
        &[run("build f.anther ../in/b --force -q")],
        FILTER,
        Proof::Keys(1000..2000),
    ),
    replaced(
        "add",
        &["build f.anther ../in/a --items 5k -q"],
        &[run("add f.anther ../in/b -q")],
        FILTER,
        Proof::Keys(0..2000),
    ),
    replaced(
        "remove",
        &["build f.anther ../in/a ../in/b --kind counting -q"],
        &[run("remove f.anther ../in/a -q")],
        FILTER,
        Proof::Keys(1000..2000),
    ),
    replaced(
        "merge --force",
        &["build f.anther ../in/a --items 5k -q", "build g.anther ../in/b --items 5k -q"],
        &[run("merge f.anther f.anther g.anther --force -q")],
        FILTER,
        Proof::Keys(0..2000),
    ),
    replaced(
        "convert",
        &["build g.anther ../in/a -q"],
        &[run("convert f.anther g.anther --pages -q")],
        FILTER,
        Proof::Keys(0..1000),
    ),
    replaced(
        "build --to",
        &[],
        &[run("build f.guava ../in/a --to guava64 -q")],
        "f.guava",
        Proof::Commands(&["check f.guava key-5 key-999"]),
    ),
    replaced(
        "build --to --force",
        &["build f.guava ../in/a --to guava64 -q"],
        &[run("build f.guava ../in/b --to guava64 --force -q")],
        "f.guava",
        Proof::Commands(&["check f.guava key-1005 key-1999"]),
    ),
    replaced(
        "index",
        &[],
        &[run("index i.idx ../in -q")],
        "i.idx",
        Proof::Commands(&["verify i.idx", "grep i.idx -l key-1999"]),
    ),
    replaced(
        "index, updated",
        &["cp ../in/a ../text/a", "index i.idx ../text -q", "cp ../in/b ../text/b"],
        &[run("index i.idx -q")],
        "i.idx",
        Proof::Commands(&["verify i.idx", "grep i.idx -l key-1999"]),
    ),
    ChangePath {
        name: "build --keyed",
        before: &[],
        runs: &[run("build f.anther ../in/a --keyed --key-file secret.key -q")],
        law: Law::Keyed { keys: 0..1000 },
        is_mapped: false,
        grain: SECTOR,
    },
    ChangePath {
        name: "build --keyed --force",
        before: &["build f.anther ../in/a -q"],
        runs: &[run("build f.anther ../in/b --keyed --key-file secret.key --force -q")],
        law: Law::Keyed { keys: 1000..2000 },
        is_mapped: false,
        grain: SECTOR,
    },
    ChangePath {
        name: "uniq --state",
        before: &[],
        runs: &[run("uniq --state s ../in/a -q >> out")],
        law: Law::Lines { lines: 0..1000 },
        is_mapped: false,
        grain: SECTOR,
    },
    ChangePath {
        name: "uniq --state, again",
        before: &["uniq --state s ../in/a -q >> out"],
        runs: &[run("uniq --state s ../in/a ../in/b -q >> out")],
        law: Law::Lines { lines: 0..2000 },
        is_mapped: false,
        grain: SECTOR,
    },
    in_place("add --shared", &["build f.anther ../in/a --items 2k -q"], &[run(SHARED)], SECTOR),
    in_place(
        "add --shared, by word",
        &["build f.anther ../in/a --items 2k -q"],
        &[run(SHARED)],
        WORD,
    ),
    in_place(
        "add --shared to 120 kB",
        &["build f.anther ../in/a --items 100k -q"],
        &[run(SHARED)],
        SECTOR,
    ),
    in_place(
        "add --shared, twice",
        &["build f.anther ../in/a --items 2k --kind classic -q"],
        &[run("add f.anther ../in/few --shared -q"), run(SHARED)],
        SECTOR,
    ),
    in_place(
        "add --shared, killed as it opens",
        &["build f.anther ../in/a --items 2k -q"],
        &[Run { arguments: SHARED, killed_at_msync: Some(0) }, run(SHARED)],
        SECTOR,
    ),
    in_place(
        "add --shared, killed as it closes",
        &["build f.anther ../in/a --items 2k --kind split -q"],
        &[Run { arguments: SHARED, killed_at_msync: Some(1) }, run(SHARED)],
        SECTOR,
    ),
    in_place(
        "add --shared, killed when closed",
        &["build f.anther ../in/a --items 2k -q"],
        &[Run { arguments: SHARED, killed_at_msync: Some(2) }, run(SHARED)],
        SECTOR,
    ),
];

const SHARED: &str = "add f.anther ../in/b --shared -q";

const fn replaced(
    name: &'static str,
    before: &'static [&'static str],
    runs: &'static [Run],
    file: &'static str,
    new: Proof,
) -> ChangePath {
    ChangePath {
        name,
        before,
        runs,
        law: Law::Replaced { file, new },
        is_mapped: false,
        grain: SECTOR,
    }
}

const fn in_place(
    name: &'static str,
    before: &'static [&'static str],
    runs: &'static [Run],
    grain: usize,
) -> ChangePath {
    // Two runs that succeed insert a few keys first.
    let new: &[u32] = match runs {
        [Run { killed_at_msync: None, .. }, _] => &[1003, 2000],
        _ => &[2000],
    };
    let law = Law::InPlace { old: 0..1000, new };
    ChangePath { name, before, runs, law, is_mapped: true, grain }
}

fn key(number: u32) -> String {
    format!("key-{number}")
}

/// A folder in which a path is run again and again.
pub struct Stage<'a> {
    path: &'a ChangePath,
    program: &'a str,
    root: tempfile::TempDir,
    /// What is there before.
    pub before: Files,
    /// Headers and footers of files that the next process could open and close.
    closed: RefCell<HashSet<u64>>,
    /// What passes, by the state that is there.
    again: RefCell<HashMap<Option<Vec<u8>>, Vec<u8>>>,
}

impl<'a> Stage<'a> {
    /// Makes what is there before.
    pub fn new(path: &'a ChangePath, program: &'a str) -> io::Result<Stage<'a>> {
        // In memory where possible: a crash is modelled, and nothing waits for a disk.
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let root = tempfile::Builder::new().prefix("anther-crash-").tempdir_in(base)?;
        let (closed, again) = Default::default();
        let mut stage = Stage { path, program, root, before: Files::new(), closed, again };
        for folder in ["in", "text", "work", "proof"] {
            fs::create_dir(stage.root.path().join(folder))?;
        }
        for (name, keys) in [("a", 0..1000), ("b", 1000..2000), ("few", 1000..1003)] {
            let lines: String = keys.map(|number| key(number) + "\n").collect();
            fs::write(stage.root.path().join("in").join(name), lines)?;
        }
        for command in path.before {
            if let Some((from, to)) = command.strip_prefix("cp ").and_then(|it| it.split_once(' '))
            {
                fs::copy(stage.folder().join(from), stage.folder().join(to))?;
                continue;
            }
            let output = stage.command(command, &stage.folder())?.output()?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                return Err(io::Error::other(format!("{command}: {said}")));
            }
        }
        stage.before = stage.files()?;
        Ok(stage)
    }

    /// Where the program runs.
    pub fn folder(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// Makes the folder what it was before.
    pub fn reset(&self) -> io::Result<()> {
        put(&self.folder(), &self.before)
    }

    /// The files that are there, without temporary ones.
    pub fn files(&self) -> io::Result<Files> {
        let mut files = Files::new();
        for entry in fs::read_dir(self.folder())? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if !is_temporary(&name) {
                files.insert(name.clone(), fs::read(self.folder().join(name))?);
            }
        }
        Ok(files)
    }

    /// Whether a temporary file is there.
    pub fn has_litter(&self) -> io::Result<bool> {
        let mut names = fs::read_dir(self.folder())?.flatten().map(|entry| entry.file_name());
        Ok(names.any(|name| is_temporary(&name.to_string_lossy())))
    }

    fn command(&self, arguments: &str, folder: &Path) -> io::Result<Command> {
        let (arguments, out) = split(arguments);
        let mut command = Command::new(self.program);
        command.args(arguments);
        set_up(command, folder, out)
    }

    /// A run, to be started as it is.
    pub fn plain(&self, run: &Run) -> io::Result<Command> {
        self.command(run.arguments, &self.folder())
    }

    /// Runs it under the eyes of somebody.
    pub fn traced(&self, run: &Run, observer: &mut dyn Observer) -> io::Result<Ended> {
        let (arguments, out) = split(run.arguments);
        let arguments: Vec<String> = arguments.map(str::to_owned).collect();
        let command = trace::traced(self.program, &arguments)?;
        trace::run(set_up(command, &self.folder(), out)?, observer)
    }

    /// Runs a command beside these files.
    fn prove(&self, files: &[(&str, &[u8])], arguments: &str) -> Result<Output, String> {
        let folder = self.root.path().join("proof");
        let files = files.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
        let done = put(&folder, &files).and_then(|()| {
            self.command(arguments, &folder)?.stdout(Stdio::piped()).stderr(Stdio::piped()).output()
        });
        let output = done.map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(output),
            false => {
                Err(format!("{arguments}: {}", String::from_utf8_lossy(&output.stderr).trim()))
            }
        }
    }

    /// Whether the law of the path holds for these files. If the program said once or more that it
    /// succeeded, the old ones will not do. `exact` is the new content, where it is known.
    pub fn check(
        &self,
        files: &Files,
        acknowledged: usize,
        exact: Option<&Files>,
    ) -> Result<(), String> {
        let ours: &[&str] = match self.path.law {
            Law::Replaced { file, .. } => &[file],
            Law::Keyed { .. } => &[FILTER, SECRET],
            Law::InPlace { .. } => &[FILTER],
            Law::Lines { .. } => &["s", "out"],
        };
        let others = |files: &Files| -> Vec<(String, Vec<u8>)> {
            let others = files.iter().filter(|(name, _)| !ours.contains(&name.as_str()));
            others.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
        };
        if others(files) != others(&self.before) {
            return Err("another file has changed".to_owned());
        }
        let is_done = acknowledged > 0;
        match &self.path.law {
            Law::Replaced { file, new } => {
                if is_old(file, files, &self.before, is_done)? {
                    return Ok(());
                }
                let bytes = files.get(*file).ok_or("it is gone")?;
                if exact.is_some_and(|exact| exact.get(*file) != Some(bytes)) {
                    return Err("neither the old file nor the new one".to_owned());
                }
                self.prove_new(file, bytes, new)
            }
            Law::Keyed { keys } => self.check_keyed(files, is_done, keys),
            Law::InPlace { old, new } => {
                let bytes = files.get(FILTER).ok_or("it is gone")?;
                self.check_in_place(bytes, acknowledged, old, new)
            }
            Law::Lines { lines } => self.check_lines(files, is_done, lines),
        }
    }

    fn prove_new(&self, file: &str, bytes: &[u8], new: &Proof) -> Result<(), String> {
        match new {
            Proof::Keys(keys) => {
                let filter: AnyFilter =
                    Open::new().bytes(bytes).map_err(|error| error.to_string())?;
                has_all(&filter, keys)
            }
            Proof::Commands(commands) => commands
                .iter()
                .try_for_each(|command| self.prove(&[(file, bytes)], command).map(drop)),
        }
    }

    fn check_keyed(
        &self,
        files: &Files,
        acknowledged: bool,
        keys: &Range<u32>,
    ) -> Result<(), String> {
        if let Some(secret) = files.get(SECRET)
            && (secret.len() != 33 || !secret[..32].iter().all(u8::is_ascii_hexdigit))
        {
            return Err("the key file is not whole".to_owned());
        }
        if is_old(FILTER, files, &self.before, acknowledged)? {
            return Ok(());
        }
        let filter = files.get(FILTER).ok_or("the filter is gone")?;
        let secret = files.get(SECRET).ok_or("a keyed filter without its key")?;
        let last = keys.end - 1;
        let arguments = format!("check {FILTER} {} --key-file {SECRET}", key(last));
        self.prove(&[(FILTER, filter), (SECRET, secret)], &arguments).map(drop)
    }

    fn check_in_place(
        &self,
        bytes: &[u8],
        acknowledged: usize,
        old: &Range<u32>,
        new: &[u32],
    ) -> Result<(), String> {
        let filter: AnyFilter = Open::new().bytes(bytes).map_err(|error| error.to_string())?;
        let known = old.start..*new[..acknowledged].last().unwrap_or(&old.end);
        has_all(&filter, &known)?;
        // All that opening and closing goes by.
        let (start, end) = (&bytes[..SECTOR], &bytes[bytes.len() - 64..]);
        let mut hasher = DefaultHasher::new();
        (start, end, acknowledged).hash(&mut hasher);
        if !self.closed.borrow_mut().insert(hasher.finish()) {
            return Ok(());
        }
        let is_closed = acknowledged == new.len();
        self.close_again(bytes, is_closed).and_then(|filter| has_all(&filter, &known))
    }

    /// As the next process does that inserts.
    fn close_again(&self, bytes: &[u8], is_closed: bool) -> Result<AnyFilter, String> {
        let file = self.root.path().join("proof").join(FILTER);
        let closed = || -> Result<AnyFilter, Box<dyn std::error::Error>> {
            fs::write(&file, bytes)?;
            if is_closed && Open::is_shared(&file)? {
                return Err("not closed".into());
            }
            SharedFile::open(&file, Open::new())?.close()?;
            if Open::is_shared(&file)? {
                return Err("the next process cannot close it".into());
            }
            Ok(Open::new().file(&file)?)
        };
        closed().map_err(|error| error.to_string())
    }

    fn check_lines(
        &self,
        files: &Files,
        acknowledged: bool,
        lines: &Range<u32>,
    ) -> Result<(), String> {
        let state = files.get("s");
        let mut known = self.again.borrow_mut();
        let again = match known.entry(state.cloned()) {
            Entry::Occupied(again) => again.into_mut(),
            Entry::Vacant(place) => {
                let beside: Vec<(&str, &[u8])> =
                    state.map(|it| ("s", &it[..])).into_iter().collect();
                let output = self.prove(&beside, "uniq --state s ../in/a ../in/b -q")?;
                place.insert(output.stdout)
            }
        };
        let out = files.get("out").map_or(&[][..], |bytes| &bytes[..]);
        let passed: HashSet<&[u8]> = out.split(|byte| *byte == b'\n').collect();
        let again: HashSet<&[u8]> = again.split(|byte| *byte == b'\n').collect();
        for number in lines.clone() {
            let line = key(number);
            if !passed.contains(line.as_bytes()) && !again.contains(line.as_bytes()) {
                return Err(format!("the line {line} is lost"));
            }
            if acknowledged && again.contains(line.as_bytes()) {
                return Err(format!("the line {line} is not in the state"));
            }
        }
        Ok(())
    }
}

/// Whether a file is as it was before, which it may not be if the program said that it succeeded.
fn is_old(file: &str, files: &Files, before: &Files, acknowledged: bool) -> Result<bool, String> {
    match files.get(file) == before.get(file) {
        true if acknowledged => Err("the old file is back after a success".to_owned()),
        is_old => Ok(is_old),
    }
}

fn has_all(filter: &AnyFilter, keys: &Range<u32>) -> Result<(), String> {
    match keys.clone().find(|number| filter.contains(&key(*number)[..]) != Ok(true)) {
        Some(lost) => Err(format!("{} is lost", key(lost))),
        None => Ok(()),
    }
}

/// The arguments of a command, and the file for its output.
fn split(command: &str) -> (impl Iterator<Item = &str>, Option<&str>) {
    let (arguments, out) = match command.split_once(" >> ") {
        Some((arguments, out)) => (arguments, Some(out)),
        None => (command, None),
    };
    (arguments.split_whitespace(), out)
}

fn set_up(mut command: Command, folder: &Path, out: Option<&str>) -> io::Result<Command> {
    let out = match out {
        Some(name) => File::options().append(true).create(true).open(folder.join(name))?.into(),
        None => Stdio::null(),
    };
    command.current_dir(folder).stdin(Stdio::null()).stdout(out).stderr(Stdio::null());
    Ok(command)
}

/// Makes these the only files of a folder.
fn put(folder: &Path, files: &Files) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        fs::remove_file(entry?.path())?;
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        fs::write(&path, bytes)?;
        if name == SECRET {
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}
