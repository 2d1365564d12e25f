//! A folder of random files with an index, in which both programs search.
#![allow(clippy::allow_attributes, dead_code, reason = "not every test uses everything")]

use super::numbers::Numbers;
use super::texts;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

pub struct World {
    folder: TempDir,
    /// What was given to index.
    roots: Vec<String>,
    /// Lines to take patterns from.
    lines: Vec<String>,
}

/// What a program printed.
pub struct Printed {
    pub code: i32,
    pub out: Vec<u8>,
    pub err: String,
    /// Whether it said that everything is searched.
    pub scanned: bool,
}

/// The bytes of a compressed file.
fn packed(text: &[u8], ending: &str) -> Vec<u8> {
    match ending {
        "gz" => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text).expect("in memory");
            encoder.finish().expect("in memory")
        }
        "bz2" => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(text).expect("in memory");
            encoder.finish().expect("in memory")
        }
        "xz" => liblzma::encode_all(text, 0).expect("in memory"),
        "zst" => zstd::encode_all(text, 1).expect("in memory"),
        _ => text.to_vec(),
    }
}

impl World {
    pub fn new(numbers: &mut Numbers) -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let mut world = World { folder, roots: Vec::new(), lines: Vec::new() };
        let folders = ["logs", "logs/sub", "logs/sub/a b", "more"];
        for folder in folders {
            fs::create_dir_all(world.path().join(folder)).expect("made");
        }
        for number in 0..4 + numbers.below(8) {
            let folder = numbers.one(&folders);
            let ending = numbers.one(&["log", "txt", "log", "md", "gz", "zst", "xz", "bz2"]);
            let name = numbers.one(&["a", "app", "z", "Ä", "-x"]);
            world.write(numbers, &format!("{folder}/{name}{number}.{ending}"));
        }
        world.write(numbers, "logs/.hidden.log");
        world.write(numbers, "logs/ignored.tmp");
        fs::write(world.path().join("logs/.ignore"), "*.tmp\n").expect("written");
        world.write(numbers, "single.log");
        // Folders, or a file that is given, with or without others beside it.
        world.roots = match numbers.below(6) {
            0 => vec!["single.log".into()],
            1 => vec!["single.log".into(), "logs".into()],
            2 => vec![".".into()],
            3 => vec!["./logs/".into(), "more".into()],
            _ => vec!["logs".into(), "more".into()],
        };
        world.index(numbers);
        if numbers.once_in(3) {
            world.change(numbers);
        }
        world
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps the folder for somebody who looks at it.
    pub fn keep(&self) -> PathBuf {
        let kept = std::env::temp_dir().join(format!(
            "anther-search-{}",
            self.path().file_name().expect("a name").to_string_lossy()
        ));
        let copied = Command::new("cp").arg("-rpT").arg(self.path()).arg(&kept).status();
        assert!(copied.expect("cp").success());
        kept
    }

    /// A line of the files, or another one.
    pub fn line(&self, numbers: &mut Numbers) -> String {
        match numbers.below(self.lines.len() + 1) {
            0 => String::from_utf8_lossy(&texts::line(numbers)).into_owned(),
            at => self.lines[at - 1].clone(),
        }
    }

    fn write(&mut self, numbers: &mut Numbers, name: &str) {
        let ending = name.rsplit('.').next().expect("an ending");
        let is_packed = ["gz", "bz2", "xz", "zst"].contains(&ending);
        let text = texts::text(numbers, is_packed);
        for line in text.split(|byte| *byte == b'\n').take(400) {
            if numbers.once_in(20) {
                self.lines.push(String::from_utf8_lossy(line).chars().take(200).collect());
            }
        }
        let path = self.path().join(name);
        fs::write(&path, packed(&text, ending)).expect("written");
        set_time(numbers, &path);
    }

    fn index(&self, numbers: &mut Numbers) {
        let block = 64 << numbers.below(10);
        let mut command = Command::new(env!("CARGO_BIN_EXE_anther"));
        command.args(["index", "the.idx", "--quiet"]).args(&self.roots).current_dir(self.path());
        command.arg(format!("--block-size={block}"));
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Changes files after they were indexed.
    fn change(&mut self, numbers: &mut Numbers) {
        let mut files = Vec::new();
        for folder in ["logs", "logs/sub", "more", "."] {
            let entries = fs::read_dir(self.path().join(folder)).expect("listed");
            let paths = entries.map(|entry| entry.expect("listed").path());
            files.extend(paths.filter(|path| path.is_file() && !path.ends_with("the.idx")));
        }
        files.sort();
        for path in files {
            let name =
                path.strip_prefix(self.path()).expect("below").to_string_lossy().into_owned();
            match numbers.below(6) {
                0 => fs::remove_file(&path).expect("removed"),
                1 => self.write(numbers, &name),
                2 if name.ends_with("log") || name.ends_with("txt") => {
                    let mut file = File::options().append(true).open(&path).expect("opened");
                    file.write_all(&texts::line(numbers)).expect("written");
                    file.write_all(b"\nrefused at last\n").expect("written");
                    drop(file);
                    set_time(numbers, &path);
                }
                _ => {}
            }
        }
        if !self.path().join("single.log").exists() {
            self.write(numbers, "single.log");
        }
        self.write(numbers, "logs/new.log");
        self.write(numbers, "logs/new.gz");
    }

    /// Searches with our program.
    pub fn ours(&self, arguments: &[String]) -> Printed {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anther"));
        command.args(["grep", "the.idx"]).args(arguments);
        self.run(command)
    }

    /// Searches with ripgrep.
    pub fn theirs(&self, rg: &Path, arguments: &[String]) -> Printed {
        let mut command = Command::new(rg);
        command.args(["--no-config", "-z", "--no-mmap", "--sort=path"]).args(arguments);
        command.args(["-g", "!the.idx", "--"]).args(&self.roots);
        self.run(command)
    }

    fn run(&self, mut command: Command) -> Printed {
        command.current_dir(self.path()).stdin(Stdio::null()).env_remove("NO_COLOR");
        let output = command.output().expect("it runs");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        Printed {
            code: output.status.code().expect("an exit code"),
            out: output.stdout,
            scanned: err.contains("everything"),
            err,
        }
    }
}

/// In the past: a file that was just modified is not trusted.
fn set_time(numbers: &mut Numbers, path: &Path) {
    let age = Duration::from_millis(10_000 + numbers.next() % 1_000_000_000);
    let file = File::options().write(true).open(path).expect("opened");
    file.set_modified(SystemTime::now() - age).expect("set");
}

/// Whether the outputs are the same, but for times and counts of what was read.
pub fn compare(ours: &Printed, theirs: &Printed) -> Result<(), String> {
    let same = match (json(&ours.out), json(&theirs.out)) {
        (Some(ours), Some(theirs)) => ours == theirs,
        _ => ours.out == theirs.out,
    };
    if same && ours.code == theirs.code {
        return Ok(());
    }
    let shown = |printed: &Printed| {
        let out = printed.out.escape_ascii().to_string().replace("\\n", "\n    ");
        let out: String = out.chars().take(1500).collect();
        format!("code {}, {:?}\n    {out}", printed.code, printed.err)
    };
    Err(format!("  ours:   {}\n  theirs: {}", shown(ours), shown(theirs)))
}

/// Lines of JSON without what differs from run to run.
fn json(out: &[u8]) -> Option<Vec<serde_json::Value>> {
    let lines = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let without = |line: &[u8]| {
        let mut value: serde_json::Value = serde_json::from_slice(line).ok()?;
        let data = value.get_mut("data")?.as_object_mut()?;
        data.retain(|name, _| !["stats", "elapsed_total", "index"].contains(&name.as_str()));
        Some(value)
    };
    lines.map(without).collect()
}
