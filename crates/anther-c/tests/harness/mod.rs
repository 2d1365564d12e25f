//! Compilers, and a prefix with the library as it is installed.
#![allow(clippy::allow_attributes, dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The crate's folder.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Programs that the tests need, and the Debian packages that have them.
const PACKAGES: &[(&str, &str)] = &[
    ("cc", "gcc libc6-dev"),
    ("c++", "g++"),
    ("go", "golang-go"),
    ("pkg-config", "pkg-config"),
    ("valgrind", "valgrind"),
    ("nm", "binutils"),
];

/// A program. A test that needs one that is not there fails and says what to install.
pub fn program(name: &str) -> Command {
    let package = PACKAGES.iter().find(|(program, _)| *program == name);
    let package = package.expect("it is in the table").1;
    let found = std::env::split_paths(&std::env::var_os("PATH").expect("there is a PATH"))
        .any(|folder| folder.join(name).is_file());
    assert!(found, "{name} is not installed: `apt-get install {package}`");
    Command::new(name)
}

/// Runs a program that must succeed.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, said(&output));
    output
}

/// Runs a program with this input.
pub fn feed(command: &mut Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut stdin = child.stdin.take().expect("it is piped");
    let input = input.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    // A program that fails early reads no input; its exit code says so.
    let _ = writer.join().expect("no panic");
    output
}

/// Both outputs.
pub fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// The library as the README installs it, in a folder of its own.
pub struct Prefix {
    pub root: tempfile::TempDir,
}

impl Prefix {
    pub fn install() -> Prefix {
        let root = tempfile::tempdir().expect("a folder");
        let (lib, include) = (root.path().join("lib"), root.path().join("include"));
        fs::create_dir_all(lib.join("pkgconfig")).expect("a folder");
        fs::create_dir_all(&include).expect("a folder");
        let copy = |from: PathBuf, to: PathBuf| {
            fs::copy(&from, to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        };
        let built = built();
        copy(built.join("libanther_c.so"), lib.join("libanther_c.so.1"));
        copy(built.join("libanther_c.a"), lib.join("libanther_c.a"));
        std::os::unix::fs::symlink("libanther_c.so.1", lib.join("libanther_c.so")).expect("a link");
        for header in ["anther.h", "anther.hpp"] {
            copy(folder().join("include").join(header), include.join(header));
        }
        let pc = fs::read_to_string(folder().join("anther.pc")).expect("it is there");
        let line = format!("prefix={}", root.path().display());
        fs::write(lib.join("pkgconfig/anther.pc"), pc.replace("prefix=/usr/local", &line))
            .expect("it can be written");
        Prefix { root }
    }

    pub fn lib(&self) -> PathBuf {
        self.root.path().join("lib")
    }

    /// The path of a file in the prefix.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// What pkg-config says.
    pub fn flags(&self) -> Vec<String> {
        let mut command = program("pkg-config");
        command.args(["--cflags", "--libs", "anther"]);
        let output = run(command.env("PKG_CONFIG_PATH", self.lib().join("pkgconfig")));
        String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_string).collect()
    }

    /// Compiles a source with the shared library.
    pub fn compile(&self, compiler: &str, source: &Path, flags: &[&str]) -> PathBuf {
        let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
        let standard = if compiler == "cc" { "-std=c11" } else { "-std=c++17" };
        let target = self.path(&(name + &flags.concat().replace(['-', '=', ','], "")));
        let mut command = program(compiler);
        command.args([standard, "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pedantic"]);
        run(command.args(flags).arg("-o").arg(&target).arg(source).args(self.flags()));
        target
    }

    /// A compiled program, which finds the shared library.
    pub fn program(&self, path: &Path) -> Command {
        let mut command = Command::new(path);
        command.env("LD_LIBRARY_PATH", self.lib());
        command
    }
}

/// Where cargo has put the libraries that belong to this test.
pub fn built() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    test.parent().expect("a folder").to_path_buf()
}
