//! The logs that are searched, and source code for the size of an index.

use crate::log_corpus::LogCorpus;
use crate::process;
use crate::source_files::source_files;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const SEED: u64 = 1;
/// zstd's default.
const LEVEL: i32 = 3;

/// A line that is in one log only, and the log, as its place among all in a thousand.
const PLANTED: [(u64, &str); 4] = [
    (712, "ERROR c.e.ledger.Closing - LedgerUnbalanced: ledger=north difference=12.50"),
    (301, "WARN c.e.storage.Tiers - Compaction stuck in a quagmire of tombstones shard=7"),
    (958, "ERROR c.e.quota.Guard - QuotaExhausted tenant=kilo-17 status=429"),
    (44, "ERROR c.e.vault.Pins - certificate pinning failed for host=vault-7.example.org"),
];

/// What was made.
pub struct SearchCorpus {
    /// Has the folders `logs` and `source`.
    pub folder: PathBuf,
    pub files: u64,
    /// Bytes of text in all logs, and of the compressed files.
    pub text: u64,
    pub compressed: u64,
}

impl SearchCorpus {
    /// Takes what is there, or makes it.
    pub fn get(files: u64) -> Result<SearchCorpus, Box<dyn Error>> {
        let folder = process::root().join("target/search").join(files.to_string());
        let stamp = folder.join("made");
        // What a file has depends on the code that makes it.
        let version = format!(
            "{SEED} {LEVEL} {} ",
            content(files / 2, files).iter().map(|it| u64::from(*it)).sum::<u64>()
        );
        let made = fs::read_to_string(&stamp).ok();
        let numbers =
            made.as_deref().and_then(|made| made.strip_prefix(&version)).and_then(|rest| {
                let (text, compressed) = rest.trim().split_once(' ')?;
                text.parse().ok().zip(compressed.parse().ok())
            });
        if let Some((text, compressed)) = numbers {
            return Ok(SearchCorpus { folder, files, text, compressed });
        }
        eprintln!("search: making {files} logs in {}", folder.display());
        remove(&folder)?;
        // Logs are in no repository: without this, each name is compared with the rules in .gitignore of
        // the project that `target` is in, which takes as long as the rest of the walk.
        fs::create_dir_all(folder.join(".git"))?;
        let (text, compressed) = logs(&folder, files)?;
        source(&folder)?;
        fs::write(&stamp, format!("{version}{text} {compressed}"))?;
        Ok(SearchCorpus { folder, files, text, compressed })
    }

    /// Logs of the same services that are not in the corpus.
    pub fn elsewhere() -> Vec<u8> {
        let logs = LogCorpus::new(SEED);
        (1_000_000..1_000_040).flat_map(|i| logs.file(i, 256 << 10)).collect()
    }

    /// The text of some logs that are.
    pub fn sample(&self) -> Vec<Vec<u8>> {
        (0..40.min(self.files)).map(|i| content(i * (self.files / 40).max(1), self.files)).collect()
    }
}

/// The i-th log.
fn content(i: u64, files: u64) -> Vec<u8> {
    let logs = LogCorpus::new(SEED);
    written(&logs, i, files)
}

fn written(logs: &LogCorpus, i: u64, files: u64) -> Vec<u8> {
    let mut text = logs.file(i, logs.size(i));
    for (at, line) in PLANTED {
        if at * files / 1000 == i {
            text.extend_from_slice(b"2026-11-03T14:07:31.482Z web-3 audit[77]: ");
            text.extend_from_slice(line.as_bytes());
            text.push(b'\n');
        }
    }
    text
}

fn logs(folder: &Path, files: u64) -> Result<(u64, u64), Box<dyn Error>> {
    let logs = LogCorpus::new(SEED);
    let (mut text, mut compressed) = (0, 0);
    for i in 0..files {
        let day = folder.join(format!("logs/day{:03}", i / 100));
        if i % 100 == 0 {
            fs::create_dir_all(&day)?;
        }
        let content = written(&logs, i, files);
        let packed = zstd::bulk::compress(&content, LEVEL)?;
        text += content.len() as u64;
        compressed += packed.len() as u64;
        fs::write(day.join(format!("service{:02}-{i:05}.log.zst", i % 40)), packed)?;
    }
    Ok((text, compressed))
}

fn source(folder: &Path) -> io::Result<()> {
    for (i, text) in source_files().iter().enumerate() {
        let part = folder.join(format!("source/{:03}", i / 100));
        if i % 100 == 0 {
            fs::create_dir_all(&part)?;
        }
        fs::write(part.join(format!("{i:05}.txt")), text)?;
    }
    Ok(())
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
