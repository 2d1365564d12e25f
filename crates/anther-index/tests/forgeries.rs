//! Index files that were cut, changed or made up: an error that names the cause, or right answers.
//! Never a panic, and never memory that the file's length does not account for.

use crate::plain::{Plain, settle};
use crate::random::Random;
use anther::Cancel;
use anther_index::{Index, IndexError, Query, Settings};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use twox_hash::XxHash3_64;

/// Remembers the largest allocation of each thread: tests run beside each other.
struct Counting;

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "an allocator that passes everything on")]
// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.set(LARGEST.get().max(layout.size()));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const WORDS: [&str; 4] = ["the-first-word", "the-second-word", "the-third-word", "nowhere-at-all"];

/// A small index, and the folder that it is in.
fn small() -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let texts = folder.path().join("texts");
    fs::create_dir(&texts).unwrap();
    for (number, word) in WORDS[..3].iter().enumerate() {
        let path = texts.join(format!("{number}.txt"));
        fs::write(&path, format!("{word},and more\n")).unwrap();
        settle(&path);
    }
    let path = folder.path().join("small.idx");
    let (plain, cancel) = (Plain::default(), Cancel::new());
    let settings = Settings { columns: vec!["key".to_string()], ..Settings::default() };
    plain.indexer(&cancel, 1).create(&path, &[texts], &settings, false).unwrap();
    let bytes = fs::read(path).unwrap();
    (folder, bytes)
}

/// What an index answers: for each word, the candidates for it as text and as key.
fn answers(index: &Index) -> Result<Vec<u64>, IndexError> {
    let mut answers = Vec::new();
    for word in WORDS {
        let literal = Query::Literal(word.as_bytes().into());
        for found in [index.candidates(&literal)?, index.column_candidates("key", word.as_bytes())?]
        {
            answers.extend((0..index.blocks()).map(|block| u64::from(found.contains(block))));
        }
    }
    index.verify()?;
    Ok(answers)
}

struct Forger {
    file: PathBuf,
    right: Vec<u64>,
    _folder: tempfile::TempDir,
}

impl Forger {
    fn new() -> (Forger, Vec<u8>) {
        let (folder, bytes) = small();
        let file = folder.path().join("forged.idx");
        let right = answers(&Index::open(&folder.path().join("small.idx")).unwrap()).unwrap();
        assert!(right.contains(&0) && right.contains(&1));
        (Forger { file, right, _folder: folder }, bytes)
    }

    /// Opens and asks forged bytes.
    fn ask(&self, bytes: &[u8]) -> Result<Vec<u64>, IndexError> {
        File::create(&self.file).unwrap().write_all(bytes).unwrap();
        LARGEST.set(0);
        let answer = Index::open(&self.file).and_then(|index| answers(&index));
        let largest = LARGEST.get();
        assert!(largest < 64 * bytes.len() + 100_000, "{largest} bytes at once");
        answer
    }

    fn check(&self, bytes: &[u8]) {
        match self.ask(bytes) {
            Ok(answer) => assert_eq!(answer, self.right),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn every_truncation_is_an_error() {
    let (forger, bytes) = Forger::new();
    for len in 0..bytes.len() {
        let error = forger.ask(&bytes[..len]).unwrap_err();
        match len {
            0..8 => assert!(matches!(error, IndexError::NotAnIndex), "{len}: {error}"),
            _ => assert!(!matches!(error, IndexError::Io(_)), "{len}: {error}"),
        }
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(forger.ask(&longer).is_err());
    assert_eq!(forger.ask(&bytes).unwrap(), forger.right);
}

#[test]
fn every_changed_byte_is_an_error() {
    let (forger, bytes) = Forger::new();
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xFF] {
            let mut forged = bytes.clone();
            forged[at] ^= change;
            let error = forger.ask(&forged).unwrap_err();
            assert!(!matches!(error, IndexError::Io(_)), "{at}: {error}");
        }
    }
}

#[test]
fn ten_thousand_mutations_are_errors_or_change_nothing() {
    let (forger, bytes) = Forger::new();
    let mut random = Random(11);
    for _ in 0..10_000 {
        let mut forged = bytes.clone();
        for _ in 0..1 + random.below(8) {
            let at = random.below(forged.len());
            match random.below(4) {
                0 => forged.truncate(at.max(1)),
                1 => forged.insert(at, random.below(256) as u8),
                2 => forged[at] = random.below(256) as u8,
                _ => {
                    let from = random.below(forged.len());
                    let len = random.below(20).min(forged.len() - at).min(forged.len() - from);
                    forged.copy_within(from..from + len, at);
                }
            }
        }
        forger.check(&forged);
    }
}

/// The checksums of the tables and the end are right, as a forger would make them: fields must be
/// checked all the same. Answers may be wrong, since nobody can tell that from right ones.
#[test]
fn tables_with_right_checksums_are_checked_field_by_field() {
    let (forger, bytes) = Forger::new();
    let mut random = Random(13);
    let field = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let tables = field(bytes.len() - 32);
    let start = bytes.len() - 32 - tables;
    let mut opened = 0;
    for round in 0..10_000 {
        let mut table = bytes[start..start + tables].to_vec();
        for _ in 0..1 + random.below(3) {
            let at = if round < table.len() * 4 { round / 4 } else { random.below(table.len()) };
            match random.below(3) {
                0 => table[at] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)],
                1 => table[at] ^= 1 << random.below(8),
                _ => {
                    // A number of nine bytes.
                    let large = [0xFF; 8].into_iter().chain([0x7F]);
                    table.splice(at..at + 1, large).for_each(drop);
                }
            }
        }
        let mut forged = bytes[..start].to_vec();
        forged.extend(&table);
        let mut end = Vec::new();
        let len = forged.len() as u64 + 32;
        for field in [table.len() as u64, XxHash3_64::oneshot(&table), len] {
            end.extend(field.to_le_bytes());
        }
        let sum = XxHash3_64::oneshot(&[&bytes[..16], &end].concat());
        forged.extend(end);
        forged.extend(sum.to_le_bytes());
        opened += usize::from(forger.ask(&forged).is_ok());
    }
    // Names, times and inodes can be anything.
    assert!(opened > 300, "{opened}");
}
