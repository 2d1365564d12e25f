//! Runs the real program in a folder of its own.
#![allow(clippy::allow_attributes, dead_code, reason = "not every test uses everything")]

pub mod web_server;

use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

/// A folder with files, in which the program runs.
pub struct Place(TempDir);

/// What a run came to.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: Vec<u8>,
    pub err: String,
}

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir().expect("a folder"))
    }

    /// One on a file system in memory, which only Linux is sure to have, and one on the disk of the
    /// build.
    pub fn on_both_file_systems() -> Vec<Place> {
        let folders = [Path::new("/dev/shm"), Path::new(env!("CARGO_TARGET_TMPDIR"))];
        #[cfg(target_os = "linux")]
        {
            use std::os::linux::fs::MetadataExt;
            let [memory, disk] = folders.map(|folder| fs::metadata(folder).expect("a folder"));
            assert_ne!(memory.st_dev(), disk.st_dev(), "{folders:?}");
        }
        let folders = folders.into_iter().filter(|folder| folder.is_dir());
        folders.map(|folder| Place(tempfile::tempdir_in(folder).expect("a folder"))).collect()
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file, and the folder that it is in.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.join(name);
        fs::create_dir_all(path.parent().unwrap_or(self.path())).expect("made");
        fs::write(path, bytes).expect("written");
    }

    /// Lets a file look as if it was written an hour ago: an index does not trust one that was just
    /// modified.
    pub fn age(&self, name: &str) {
        let file = File::options().write(true).open(self.join(name)).expect("opened");
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).expect("set");
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.join(name)).expect("read")
    }

    /// The names of all files.
    pub fn names(&self) -> Vec<String> {
        self.names_in("")
    }

    /// The names of all files of a folder.
    pub fn names_in(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.join(folder)).expect("listed");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("listed"))).collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anther"));
        command.args(arguments).current_dir(self.path());
        for name in
            ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "ANTHER_KEY", "ANTHER_KEY_FILE"]
        {
            command.env_remove(name);
        }
        // No proxy of this machine, and no cache of its user.
        for name in
            ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        {
            command.env_remove(name);
        }
        command.env("XDG_CACHE_HOME", self.join(".cache"));
        command
    }

    /// Runs with arguments, separated by white space, and nothing on standard input.
    pub fn run(&self, arguments: &str) -> Ran {
        self.run_on(arguments, "")
    }

    /// Runs with this on standard input.
    pub fn run_on(&self, arguments: &str, input: impl AsRef<[u8]>) -> Ran {
        self.run_args(arguments.split_whitespace(), input)
    }

    /// Runs with any arguments.
    pub fn run_args(
        &self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        input: impl AsRef<[u8]>,
    ) -> Ran {
        // By a file, since a program that reads nothing would break a pipe.
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(input.as_ref()).expect("written");
        rewind(&mut file);
        let mut command = self.command(arguments);
        command.stdin(Stdio::from(file));
        ran(command)
    }

    /// Runs where no file may grow beyond a few hundred bytes, as on a full disk.
    #[cfg(unix)]
    pub fn run_on_full_disk(&self, arguments: &str) -> Ran {
        let program = env!("CARGO_BIN_EXE_anther");
        // The signal is ignored, so that writing fails as it does on a full disk.
        let script = format!("trap '' XFSZ; ulimit -f 1; exec {program} {arguments}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(self.path()).stdin(Stdio::null());
        ran(command)
    }

    /// All verbs, as the program itself lists them.
    pub fn verbs(&self) -> Vec<String> {
        let help = String::from_utf8(self.run("-h").code(0).out).expect("help is UTF-8");
        let list = help.lines().skip_while(|line| !line.starts_with("Usage:"));
        let list = list.take_while(|line| *line != "Options:");
        // Between the names of their groups.
        let list = list.filter_map(|line| line.strip_prefix("  "));
        let verbs: Vec<_> =
            list.filter_map(|line| line.split_whitespace().next()).map(String::from).collect();
        assert!(verbs.len() >= 7, "{help}");
        verbs
    }

    /// Builds a filter; it must work.
    pub fn build(&self, arguments: &str, input: impl AsRef<[u8]>) {
        self.run_on(&format!("build {arguments}"), input).code(0);
    }
}

/// Runs a command to its end.
pub fn ran(mut command: Command) -> Ran {
    let output = command.output().expect("it runs");
    Ran {
        code: output.status.code().expect("not ended by a signal"),
        out: output.stdout,
        err: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

fn rewind(file: &mut File) {
    use std::io::Seek;
    file.rewind().expect("rewound");
}

impl Ran {
    #[track_caller]
    pub fn code(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "{}", self.err);
        self
    }

    /// Standard output must be just this.
    #[track_caller]
    pub fn prints(self, expected: impl AsRef<[u8]>) -> Ran {
        let (got, expected) = (self.out.escape_ascii(), expected.as_ref().escape_ascii());
        assert_eq!(got.to_string(), expected.to_string(), "{}", self.err);
        self
    }

    /// Standard error must have all of these, under the program's name.
    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Ran {
        assert!(self.err.starts_with("anther: "), "{:?}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is not in {:?}", self.err);
        }
        self
    }

    /// An error: code 2, nothing on standard output, a message.
    #[track_caller]
    pub fn fails(self, parts: &[&str]) -> Ran {
        self.code(2).prints("").says(parts)
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.out).expect("one JSON value")
    }

    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let lines = self.out.split_inclusive(|byte| *byte == b'\n');
        lines.map(|line| serde_json::from_slice(line).expect("a line of JSON")).collect()
    }
}

/// Waits until something can be seen, for far longer than that should take.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "{what}: not within two minutes");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Sends a signal, by its name, to a process or, with a minus before its number, to a group.
pub fn signal(name: &str, process: impl std::fmt::Display) {
    let kill = format!("kill -s {name} -- {process}");
    let status = Command::new("sh").args(["-c", &kill]).status().expect("a shell");
    assert!(status.success(), "{kill}");
}

/// The exit code of a process, when it comes.
#[track_caller]
pub fn exit_code(child: &mut Child) -> i32 {
    let status = until("the end", || child.try_wait().expect("waited for"));
    status.code().expect("an exit code, and not a death by a signal")
}

/// Whether a program is there; says loudly when it is not, and a test cannot run.
pub fn have(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
    let found = found.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("NOT TESTED: {program} is not installed, and this test needs it");
    }
    found
}

/// The options that make a filter of a kind. A cascade has a second list, with keys of no test.
pub fn of_kind(kind: anther::Kind) -> String {
    match kind {
        anther::Kind::Cascade => {
            let list = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/others.txt");
            format!("--kind cascade --never-wrong-on {list}")
        }
        kind => format!("--kind {kind}"),
    }
}
