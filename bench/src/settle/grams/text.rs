//! What is indexed: files, and their blocks of whole lines.

use crate::random::mix;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The finest blocks; larger ones are made of neighbours of the same file.
const BLOCK: usize = 64 << 10;
/// Of source code.
const MOST: usize = 60_000_000;
const ENDINGS: [&str; 9] = ["rs", "c", "h", "py", "go", "java", "js", "toml", "md"];

/// Texts in files, and the finest blocks of each.
pub struct Text {
    pub name: &'static str,
    pub files: Vec<Vec<u8>>,
    blocks: Vec<(usize, Range<usize>)>,
}

impl Text {
    pub fn new(name: &'static str, files: Vec<Vec<u8>>) -> Text {
        let blocks = files
            .iter()
            .enumerate()
            .flat_map(|(file, text)| whole_lines(text).into_iter().map(move |range| (file, range)));
        Text { name, blocks: blocks.collect(), files }
    }

    pub fn bytes(&self) -> usize {
        self.files.iter().map(Vec::len).sum()
    }

    /// How many of the finest blocks there are.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    pub fn block(&self, block: usize) -> &[u8] {
        let (file, range) = &self.blocks[block];
        &self.files[*file][range.clone()]
    }

    /// Runs of blocks of one file, each of up to so many.
    pub fn joined(&self, many: usize) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for block in 0..self.blocks.len() {
            match runs.last_mut() {
                Some(run)
                    if run.len() < many && self.blocks[run.start].0 == self.blocks[block].0 =>
                {
                    run.end = block + 1;
                }
                _ => runs.push(block..block + 1),
            }
        }
        runs
    }
}

/// Where blocks begin and end: at the first line end after each [`BLOCK`] bytes.
fn whole_lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let least = (start + BLOCK).min(text.len());
        let end = memchr::memchr(b'\n', &text[least - 1..]).map_or(text.len(), |at| least + at);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// Files of this repository and of the crates that cargo has unpacked, in an order as good as random.
pub fn source_files() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
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
