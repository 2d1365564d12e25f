//! The vectors of `conformance/` are what the library writes and answers, and nothing overwrites them.
#![expect(clippy::unwrap_used, reason = "tests: a panic is the message")]

use anther::parts::probes::{Line, Spread};
use anther::{Key, KeyHash, Seed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// How large the vectors may become: readers in other repositories carry a copy.
const MOST_BYTES: u64 = 300_000;

fn kit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

fn run(args: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_conformance")).args(args).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).to_string() + &String::from_utf8_lossy(&output.stderr)
}

/// A copy of the vectors that a test may change.
fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::copy(kit().join("vectors.json"), copy.path().join("vectors.json")).unwrap();
    for folder in ["files", "refused"] {
        fs::create_dir(copy.path().join(folder)).unwrap();
        for file in fs::read_dir(kit().join(folder)).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), copy.path().join(folder).join(file.file_name())).unwrap();
        }
    }
    copy
}

#[test]
fn the_library_writes_and_answers_as_the_vectors_say() {
    let output = run(&[]);
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn what_differs_is_reported_and_never_overwritten() {
    let copy = copy();
    let file = copy.path().join("files/blocked.anther");
    let mut bytes = fs::read(&file).unwrap();
    bytes[200] ^= 1;
    fs::write(&file, &bytes).unwrap();
    for args in [&[copy.path()][..], &[Path::new("--new"), copy.path()]] {
        let output = run(args);
        assert!(!output.status.success());
        assert!(said(&output).contains("files/blocked.anther: differs"), "{}", said(&output));
        assert_eq!(fs::read(&file).unwrap(), bytes, "as it was");
    }
}

#[test]
fn a_line_of_the_vectors_stays_for_ever() {
    let copy = copy();
    let json = copy.path().join("vectors.json");
    let now = fs::read_to_string(&json).unwrap();
    let other = now.replacen("\"maybe\":[", "\"maybe\":[999,", 1);
    assert_ne!(other, now);
    fs::write(&json, &other).unwrap();
    let output = run(&[Path::new("--new"), copy.path()]);
    assert!(!output.status.success());
    assert!(said(&output).contains("this line would be lost"), "{}", said(&output));
    assert_eq!(fs::read_to_string(&json).unwrap(), other, "as it was");
}

#[test]
fn missing_files_and_lines_are_added() {
    let copy = copy();
    let (json, file) = (copy.path().join("vectors.json"), copy.path().join("files/ribbon.anther"));
    let now = fs::read_to_string(&json).unwrap();
    let without: Vec<_> = now.lines().filter(|line| !line.contains("ribbon.anther")).collect();
    fs::write(&json, without.join("\n") + "\n").unwrap();
    fs::remove_file(&file).unwrap();
    assert!(!run(&[copy.path()]).status.success(), "incomplete");
    let output = run(&[Path::new("--new"), copy.path()]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(fs::read_to_string(&json).unwrap(), now);
    assert_eq!(fs::read(&file).unwrap(), fs::read(kit().join("files/ribbon.anther")).unwrap());
}

#[test]
fn the_vectors_are_small_and_plain() {
    let json = fs::read_to_string(kit().join("vectors.json")).unwrap();
    // Readers without a JSON library parse it in some forty lines.
    assert!(json.is_ascii() && !json.contains('\\'), "no escapes");
    let files =
        ["files", "refused"].into_iter().flat_map(|name| fs::read_dir(kit().join(name)).unwrap());
    let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(
        bytes + json.len() as u64 <= MOST_BYTES,
        "{bytes} bytes of files, {} of JSON",
        json.len()
    );
}

fn format() -> String {
    fs::read_to_string(kit().join("../FORMAT.md")).unwrap()
}

/// A line of the example is an offset, and then bytes in hexadecimal and names in backquotes.
fn example_line(line: &str) -> Option<(usize, Vec<u8>)> {
    let mut words = line.split_whitespace();
    let at = words.next()?.parse().ok()?;
    let mut bytes = Vec::new();
    for word in words {
        if let Some(name) = word.strip_prefix('`').and_then(|word| word.strip_suffix('`')) {
            bytes.extend(name.bytes());
        } else if let Some(byte) = (word.len() == 2).then(|| u8::from_str_radix(word, 16)) {
            bytes.push(byte.ok()?);
        } else {
            break;
        }
    }
    Some((at, bytes))
}

#[test]
fn the_example_of_the_format_is_the_file() {
    let format = format();
    let example = format.split("## An example, byte by byte").nth(1).unwrap();
    let block = example.split("```").nth(1).unwrap();
    let file = fs::read(kit().join("files/blocked.anther")).unwrap();
    let mut shown = 0;
    for (at, bytes) in block.lines().filter_map(example_line) {
        assert_eq!(file[at..at + bytes.len()], bytes, "at {at}");
        shown += bytes.len();
    }
    assert!(shown > 160, "{shown} bytes shown");
}

#[test]
fn the_hashes_and_positions_of_the_format_are_the_librarys() {
    let format = format();
    let secret = Seed::keyed(*b"conformance key!");
    let row = |name: &str, key: &dyn Fn(&Seed) -> KeyHash| {
        let row = format!("| {name} | {:016X} | {:016X} |", key(&Seed::FIXED).0, key(&secret).0);
        assert!(format.contains(&row), "{row}");
    };
    row("no bytes", &|seed| "".key_hash(seed));
    row("`abc`", &|seed| "abc".key_hash(seed));
    row("integer 5", &|seed| 5.key_hash(seed));
    row("integer −1", &|seed| (-1).key_hash(seed));
    row("integer 5 of 128 bits", &|seed| 5u128.key_hash(seed));
    row("tuple (`pair`, 7)", &|seed| ("pair", 7).key_hash(seed));
    let key = KeyHash(0x0123_4567_89AB_CDEF);
    let (mut classic, mut blocked) = (Vec::new(), Vec::new());
    Spread::new(1000, 7).each(key, |bit| classic.push(bit));
    let line = Line::new(1000, 8);
    line.each(key, |bit| blocked.push(line.line(key) * 512 + u64::from(bit)));
    for positions in [classic, blocked] {
        let (last, others) = positions.split_last().unwrap();
        let others: Vec<_> = others.iter().map(u64::to_string).collect();
        let text = format!("{} and {last}.", others.join(", "));
        assert!(format.contains(&text), "{text}");
    }
    assert!(format.contains(&format!("again(0, 0) = {:016X}", KeyHash(0).again(0).0)));
}
