//! An update reads only what has changed, and its answers are those of a new index.

use crate::plain::{Plain, settle};
use crate::random::Random;
use anther::{Cancel, Lock};
use anther_index::{Index, IndexError, Query, Settings, Summary};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A word that has little in common with others, so that it is found nowhere else.
fn word(number: usize) -> String {
    format!("{:016x}", (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Makes and updates an index of a folder.
struct Case {
    folder: tempfile::TempDir,
    cancel: Cancel,
    settings: Settings,
}

impl Case {
    fn new() -> Case {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("logs")).unwrap();
        Case { folder, cancel: Cancel::new(), settings: Settings::default() }
    }

    fn index(&self) -> PathBuf {
        self.folder.path().join("logs.idx")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("logs").join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        settle(&path);
    }

    fn create(&self) -> Summary {
        let plain = Plain::default();
        let roots = [self.folder.path().join("logs")];
        let indexer = plain.indexer(&self.cancel, 2);
        indexer.create(&self.index(), &roots, &self.settings, true).unwrap()
    }

    /// The summary, and how many bytes were read.
    fn update(&self) -> (Summary, u64) {
        let plain = Plain::default();
        let summary = plain.indexer(&self.cancel, 2).update(&self.index()).unwrap();
        let read = *plain.read.lock().unwrap();
        (summary, read)
    }

    /// The files whose blocks can have a literal.
    fn found(&self, literal: &str) -> Vec<String> {
        let index = Index::open(&self.index()).unwrap();
        let found = index.candidates(&Query::Literal(literal.as_bytes().into())).unwrap();
        let has = |file: &&anther_index::FileEntry| file.blocks.clone().any(|b| found.contains(b));
        index.files().iter().filter(has).map(|file| file.path.display().to_string()).collect()
    }
}

#[test]
fn only_what_changed_is_read() {
    let case = Case::new();
    for number in 0..20 {
        case.write(&format!("{number:02}.log"), format!("{}\n", word(number)).repeat(50));
    }
    let made = case.create();
    assert_eq!((made.files, made.read, made.kept), (20, 20, 0));
    let before = fs::read(case.index()).unwrap();
    let (same, read) = case.update();
    assert_eq!((same.files, same.read, same.kept, same.dropped, read), (20, 0, 20, 0, 0));
    assert_eq!(same.bytes, before.len() as u64);

    fs::remove_file(case.file("03.log")).unwrap();
    case.write("04.log", word(104));
    case.write("sub/folder/99.log", word(99));
    let (summary, read) = case.update();
    assert_eq!(
        (summary.files, summary.read, summary.grown, summary.kept, summary.dropped),
        (20, 2, 0, 18, 1)
    );
    assert_eq!(read, 16 + 16);
    assert_eq!(case.found(&word(3)), Vec::<String>::new());
    assert_eq!(case.found(&word(4)), Vec::<String>::new());
    assert_eq!(case.found(&word(5)), ["05.log"]);
    assert_eq!(case.found(&word(104)), ["04.log"]);
    assert_eq!(case.found(&word(99)), ["sub/folder/99.log"]);
    Index::open(&case.index()).unwrap().verify().unwrap();
}

/// A file that was just written counts as changed, and so does one that another replaced.
#[test]
fn what_is_fresh_counts_as_changed() {
    let case = Case::new();
    fs::write(case.file("fresh"), "a-fresh-text\n").unwrap();
    case.write("old", "an-older-text\n");
    case.create();
    let index = Index::open(&case.index()).unwrap();
    let fresh = |name: &str| index.file(0, Path::new(name)).unwrap();
    assert!(fresh("fresh").is_fresh && !fresh("old").is_fresh);
    assert!(!fresh("fresh").is_unchanged(&fs::metadata(case.file("fresh")).unwrap()));
    assert!(fresh("old").is_unchanged(&fs::metadata(case.file("old")).unwrap()));
    assert_eq!(case.update().0.read, 1);
    // The same size and time, but another inode.
    let time = fs::metadata(case.file("old")).unwrap().modified().unwrap();
    case.write("other", "an-other-text\n");
    File::options().append(true).open(case.file("other")).unwrap().set_modified(time).unwrap();
    fs::rename(case.file("other"), case.file("old")).unwrap();
    assert_eq!(case.update().0.read, 2);
    assert_eq!(case.found("an-other-text"), ["old"]);
}

#[test]
fn of_a_log_that_grew_the_end_is_read() {
    let case = Case::new();
    let line = |number: usize| format!("line {number} of a log that grows and grows\n");
    let text: String = (0..20_000).map(line).collect();
    case.write("log", &text);
    case.create();
    let blocks = Index::open(&case.index()).unwrap().blocks();
    assert!(blocks > 5);
    let more: String = (20_000..20_100).map(line).collect::<String>() + "the-very-last-words";
    let mut file = File::options().append(true).open(case.file("log")).unwrap();
    file.write_all(more.as_bytes()).unwrap();
    drop(file);
    settle(&case.file("log"));
    let (summary, read) = case.update();
    assert_eq!((summary.grown, summary.read, summary.kept, summary.dropped), (1, 0, 0, 0));
    assert!(read < 300_000 && read > more.len() as u64, "{read}");
    assert_eq!(case.found("the-very-last-words"), ["log"]);
    assert_eq!(case.found("line 20000 of a log"), ["log"]);
    // The same blocks, lines and answers as those of a new index.
    let index = Index::open(&case.index()).unwrap();
    case.create();
    let new = Index::open(&case.index()).unwrap();
    assert_eq!(index.files(), new.files());
    assert!((0..new.blocks()).all(|block| index.block(block) == new.block(block)));
    let query = Query::Literal(b"line 19999 of".as_slice().into());
    assert_eq!(index.candidates(&query).unwrap(), new.candidates(&query).unwrap());

    // Longer, but another text: read whole.
    let mut other = fs::read(case.file("log")).unwrap();
    other[10] = b'X';
    other.extend(b"more\n");
    let mut file = File::options().write(true).open(case.file("log")).unwrap();
    file.write_all(&other).unwrap();
    drop(file);
    settle(&case.file("log"));
    let (summary, read) = case.update();
    assert_eq!((summary.grown, summary.read, read), (0, 1, other.len() as u64));
}

/// A log that was truncated and written anew (copytruncate), longer and with the same ends.
#[test]
fn a_longer_log_with_other_text_between_its_ends_is_read_whole() {
    let case = Case::new();
    let line = |number: usize| format!("{} is a line of the log\n", word(number));
    let text: String = (0..20_000).map(line).collect();
    case.write("log", &text);
    case.create();
    let inode = Index::open(&case.index()).unwrap().files()[0].stamp.inode;
    let mut other: String = (50_000..70_000).map(line).collect::<String>() + "more\n";
    let len = text.len();
    other.replace_range(..5000, &text[..5000]);
    other.replace_range(len - 5000..len, &text[len - 5000..]);
    case.write("log", &other);
    let (summary, read) = case.update();
    assert_eq!((summary.grown, summary.read, read), (0, 1, other.len() as u64));
    assert_eq!(Index::open(&case.index()).unwrap().files()[0].stamp.inode, inode);
    assert_eq!(case.found(&word(60_000)), ["log"]);
    assert_eq!(case.found(&word(10_000)), Vec::<String>::new());
}

/// As after `touch -r`: only the time that no program can set shows the change.
#[cfg(unix)]
#[test]
fn a_change_of_the_same_size_whose_time_was_set_back_is_found() {
    let case = Case::new();
    case.write("log", "one text\n");
    case.create();
    let metadata = fs::metadata(case.file("log")).unwrap();
    // A tick of the file system's clock.
    std::thread::sleep(std::time::Duration::from_millis(20));
    fs::write(case.file("log"), "two text\n").unwrap();
    let file = File::options().append(true).open(case.file("log")).unwrap();
    file.set_modified(metadata.modified().unwrap()).unwrap();
    let now = fs::metadata(case.file("log")).unwrap();
    assert_eq!(now.modified().unwrap(), metadata.modified().unwrap());
    let index = Index::open(&case.index()).unwrap();
    assert!(index.files()[0].is_unchanged(&metadata) && !index.files()[0].is_unchanged(&now));
    assert_eq!(case.update().0.read, 1);
    assert_eq!(case.found("two text"), ["log"]);
    assert_eq!(case.update().0.kept, 1);
}

/// Many updates with random changes: the index stays right, and as small as a new one.
#[test]
fn after_many_updates_the_answers_are_those_of_a_new_index() {
    let case = Case::new();
    let mut random = Random(3);
    let mut next = 0;
    let mut write = |case: &Case, name: usize, random: &mut Random| {
        next += 1;
        let lines = 1 + random.below(200);
        let text: String = (0..lines).map(|line| format!("{} {line:06}\n", word(next))).collect();
        case.write(&format!("{name:04}"), text);
        next
    };
    let mut words: Vec<Option<usize>> =
        (0..700).map(|name| Some(write(&case, name, &mut random))).collect();
    case.create();
    for _ in 0..12 {
        for _ in 0..80 {
            let name = random.below(words.len());
            words[name] = match random.below(3) {
                0 => {
                    let _ = fs::remove_file(case.file(&format!("{name:04}")));
                    None
                }
                _ => Some(write(&case, name, &mut random)),
            };
        }
        case.update();
        let index = Index::open(&case.index()).unwrap();
        index.verify().unwrap();
        assert_eq!(index.files().len(), words.iter().flatten().count());
        for _ in 0..50 {
            let name = random.below(words.len());
            let Some(number) = words[name] else { continue };
            let found = case.found(&word(number));
            assert!(found.contains(&format!("{name:04}")), "{number}");
            assert!(found.len() < 5, "{found:?}");
        }
    }
    let updated = fs::metadata(case.index()).unwrap().len();
    let new = case.create().bytes;
    assert!(updated < new * 3 / 2, "{updated} {new}");
}

#[test]
fn a_second_process_is_told_and_changes_nothing() {
    let case = Case::new();
    case.write("log", "some text\n");
    case.create();
    let before = fs::read(case.index()).unwrap();
    let plain = Plain::default();
    let lock = Lock::exclusive(case.index()).unwrap();
    let busy = plain.indexer(&case.cancel, 1).update(&case.index());
    assert!(matches!(busy, Err(IndexError::Busy)), "{busy:?}");
    let roots = [case.folder.path().join("logs")];
    let busy = plain.indexer(&case.cancel, 1).create(&case.index(), &roots, &case.settings, true);
    assert!(matches!(busy, Err(IndexError::Busy)), "{busy:?}");
    drop(lock);
    let exists =
        plain.indexer(&case.cancel, 1).create(&case.index(), &roots, &case.settings, false);
    assert!(exists.is_err());
    case.cancel.now();
    assert!(plain.indexer(&case.cancel, 1).update(&case.index()).is_err());
    assert_eq!(fs::read(case.index()).unwrap(), before);
    assert_eq!(fs::read_dir(case.folder.path()).unwrap().count(), 2, "no temporary file");
}

/// The index lies in the folder that it indexes.
#[test]
fn an_index_does_not_index_itself() {
    let mut case = Case::new();
    case.settings.hidden = true;
    case.write("log", "some text\n");
    let index = case.file("own.idx");
    let plain = Plain::default();
    let indexer = plain.indexer(&case.cancel, 1);
    let roots = [case.folder.path().join("logs")];
    for _ in 0..2 {
        assert_eq!(indexer.create(&index, &roots, &case.settings, true).unwrap().files, 1);
        assert_eq!(indexer.update(&index).unwrap().files, 1);
    }
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_are_left_out_with_a_warning() {
    let case = Case::new();
    case.write("log", "some text\n");
    std::os::unix::net::UnixListener::bind(case.file("socket")).unwrap();
    std::os::unix::fs::symlink(case.file("log"), case.file("link")).unwrap();
    case.write("ignored", "some text\n");
    fs::write(case.file(".rgignore"), "ignored\n").unwrap();
    let plain = Plain::default();
    let indexer = plain.indexer(&case.cancel, 1);
    let roots = [case.folder.path().join("logs"), case.file("socket"), case.file("link")];
    let summary = indexer.create(&case.index(), &roots, &case.settings, false).unwrap();
    assert_eq!(summary.files, 2, "the log, and the link that was given");
    let warnings = plain.warnings.lock().unwrap().clone();
    assert!(matches!(&warnings[..], [one] if one.contains("socket: not a regular file")));
    let missing = [case.file("missing")];
    let missing = indexer.create(&case.index(), &missing, &case.settings, true);
    assert!(matches!(missing, Err(IndexError::Root { .. })));
}

/// Below a folder ripgrep searches up to the first NUL byte, and what is named as a whole.
#[test]
fn binary_files_are_indexed_as_far_as_they_are_searched() {
    let case = Case::new();
    case.write("binary", "before-the-nul\nand\0after-the-nul\n");
    case.write("wide", b"\xFF\xFEw\0i\0d\0e\0");
    case.create();
    let index = Index::open(&case.index()).unwrap();
    assert!(index.files().iter().all(|file| file.is_binary));
    assert_eq!(case.found("before-the-nul"), ["binary", "wide"]);
    assert_eq!(case.found("after-the-nul"), ["wide"]);
    let roots = [case.file("binary")];
    let plain = Plain::default();
    plain.indexer(&case.cancel, 1).create(&case.index(), &roots, &case.settings, true).unwrap();
    assert_eq!(case.found("after-the-nul"), [""]);
}
