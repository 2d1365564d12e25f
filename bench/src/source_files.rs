//! Source code that is there on every machine that builds this: the repository and the crates that
//! cargo has unpacked.

use crate::process;
use crate::random::mix;
use std::path::{Path, PathBuf};
use std::{env, fs};

const MOST: usize = 60_000_000;
const ENDINGS: [&str; 9] = ["rs", "c", "h", "py", "go", "java", "js", "toml", "md"];

/// At most 60 MB, in an order as good as random, none with a NUL byte.
pub fn source_files() -> Vec<Vec<u8>> {
    let root = process::root();
    let mut paths = Vec::new();
    for part in ["crates", "xtask", "bench/src", "docs"] {
        collect(&root.join(part), &mut paths);
    }
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    if let Some(home) = home {
        collect(&home.join("registry/src"), &mut paths);
    }
    paths.sort_by_key(|path| {
        path.as_os_str()
            .as_encoded_bytes()
            .iter()
            .fold(7, |hash, byte| mix(hash ^ u64::from(*byte)))
    });
    let mut total = 0;
    let mut files = Vec::new();
    for text in paths.iter().filter_map(|path| fs::read(path).ok()) {
        if total < MOST && !text.is_empty() && !text.contains(&0) {
            total += text.len();
            files.push(text);
        }
    }
    files
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let is_source =
            || path.extension().is_some_and(|it| ENDINGS.iter().any(|known| it == *known));
        if kind.is_dir() && entry.file_name() != "target" {
            collect(&path, paths);
        } else if kind.is_file() && is_source() {
            paths.push(path);
        }
    }
}
