//! Where the workspace is, and which cargo works on it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Peers and measurements are a workspace of their own, named from the root.
pub const BENCH_MANIFEST: &str = "bench/Cargo.toml";

/// The workspace that every command runs in, wherever the contributor stands.
pub struct Workspace {
    pub root: PathBuf,
    /// The cargo that started us, so that one toolchain does all the work.
    pub cargo: OsString,
}

impl Workspace {
    /// Finds the root from this crate's own folder, which is directly under it.
    pub fn find() -> Result<Self, String> {
        // What cargo says now comes first: clones that share a target folder may share a binary.
        let own = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = own.parent().unwrap_or(&own).to_path_buf();
        if !root.join("xtask/Cargo.toml").is_file() {
            return Err(format!(
                "{}: not the root of the workspace; run `cargo xtask` from inside a clone.",
                root.display()
            ));
        }
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        Ok(Self { root, cargo })
    }

    /// Removes a folder, if it is there; what needs it gone says so better than we could.
    pub fn remove(&self, folder: &str) {
        let _ = fs::remove_dir_all(self.root.join(folder));
    }

    /// An absolute path: where a relative one of a program starts depends on the system.
    pub fn path(&self, name: &str) -> String {
        self.root.join(name).display().to_string()
    }

    pub fn has_bench(&self) -> bool {
        self.root.join(BENCH_MANIFEST).is_file()
    }

    /// What cargo has built, beside this very program.
    pub fn built(&self, name: &str) -> String {
        let folder = env::current_exe().ok().and_then(|own| Some(own.parent()?.to_path_buf()));
        folder.unwrap_or_else(|| self.root.join("target/debug")).join(name).display().to_string()
    }

    /// The names of the library's examples, found as cargo finds them.
    pub fn examples(&self) -> Vec<String> {
        example_names(&self.root.join("crates/anther/examples"))
    }
}

fn example_names(folder: &Path) -> Vec<String> {
    // No folder means no examples.
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| example_name(&entry.path())).collect();
    names.sort();
    names
}

/// `NAME.rs`, or a folder `NAME` that holds a `main.rs`.
fn example_name(path: &Path) -> Option<String> {
    let is_file = path.extension().is_some_and(|ending| ending == "rs");
    let name = if is_file { path.file_stem()? } else { path.file_name()? };
    (is_file || path.join("main.rs").is_file()).then(|| name.to_string_lossy().into_owned())
}
